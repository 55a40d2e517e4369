/* Profiles of sums alone, --summary; see pyelfprof.h.
 *
 * pyelfgen shares sums out over all libraries. Where only a few libraries have symbols, the sum may be too small for
 * all. Only pyelfgen knows how much it needs. So it is asked to plan the set, which takes moments, before a useless
 * profile is written.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "base/whole.h"
#include "tools/capture/prof.h"
#include "tools/pyelfprof/pyelfprof.h"

#define GENERATOR "pyelfgen"

enum { SAID = 240 };

struct sums {
    size_t symbols, debug, libc; /* how many libraries have them, and how many are the C library's */
    size_t others;               /* how many have them and are not the C library's, */
    const char *first;           /* and the name of the first of these */
};

static struct sums count(const struct prof *p)
{
    struct sums s = {0};
    for (size_t i = p->count; i-- > 0;) {
        const char *const name = p->file[i].name;
        const struct file_sizes *const sizes = &p->file[i].capture.sizes;
        s.symbols += sizes->symtab != 0;
        s.debug += sizes->debug != 0;
        s.libc += prof_is_libc(name);
        if ((!sizes->symtab && !sizes->debug) || prof_is_libc(name))
            continue;
        s.others++;
        s.first = prof_base_name(name);
    }
    return s;
}

static bool in_some(const struct prof *p, const struct sums *s)
{
    return (s->symbols && s->symbols < p->count) || (s->debug && s->debug < p->count);
}

void prof_tell_of_sums(const struct prof *p)
{
    const struct sums s = count(p);
    if (in_some(p, &s))
        fprintf(stderr,
                "pyelfprof: of %zu libraries %zu have symbols and %zu debug information; of sums alone pyelfgen gives "
                "some to each; leave out --summary for libraries like these\n",
                p->count, s.symbols, s.debug);
}

/* The pyelfgen in the same directory as this program. */
static bool find_generator(char path[PATH_MAX], struct error *e)
{
    if (!process_directory(path, e))
        return false;
    if (strlen(path) + sizeof "/" GENERATOR > PATH_MAX)
        return error_set(e, ERROR_SYSTEM, "the name of the directory of pyelfprof is too long");
    strcat(path, "/" GENERATOR);
    return access(path, X_OK) == 0 ||
           error_errno(e, path, "is what --summary is tried with; install it there, or leave out --summary");
}

/* Writes the profile to a memory file, so that no file stays behind whatever ends this process. Returns its descriptor,
 * or -1. */
static int write_sums(const struct prof *p, struct error *e)
{
    const int fd = memfd_create("pyelfprof", 0);
    const int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    FILE *to = copy < 0 ? NULL : fdopen(copy, "w");
    bool well = to || error_errno(e, "memory file", "cannot be made");
    if (to) {
        well = prof_write_text(to, p, e);
        if (fclose(to) != 0 && well)
            well = error_errno(e, "memory file", "cannot be written");
    } else if (copy >= 0) {
        close(copy);
    }
    if (well)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Has pyelfgen plan a set of the profile. *status is as waitpid(2) has it; `said` is the beginning of its standard
 * error. */
static bool plan(const char *generator, int profile, int *status, char said[SAID], struct error *e)
{
    char name[32];
    snprintf(name, sizeof name, "/dev/fd/%d", profile);
    char *const words[] = {GENERATOR, "--alone", "--quiet", "--dry-run", "--profile", name, NULL};
    posix_spawn_file_actions_t actions;
    pid_t process;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_errno(e, generator, "cannot make a pipe to it");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    const int number = posix_spawn(&process, generator, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    const ssize_t length = number ? 0 : whole_read(ends[0], said, SAID - 1);
    for (char rest[SAID]; whole_read(ends[0], rest, sizeof rest) > 0;)
        ;
    close(ends[0]);
    if (number) {
        errno = number;
        return error_errno(e, generator, "cannot be run");
    }
    said[length > 0 ? length : 0] = '\0';
    return waitpid(process, status, 0) == process || error_errno(e, generator, "cannot be waited for");
}

/* The first statement of pyelfgen's message, without its name, and without its advice, which is for authors of
 * profiles. */
static const char *reason(char said[SAID])
{
    static const char before[] = GENERATOR ": ";
    said[strcspn(said, ";\n")] = '\0';
    return strncmp(said, before, sizeof before - 1) == 0 ? said + sizeof before - 1 : said;
}

bool prof_sums_suffice(const struct prof *p, struct error *e)
{
    char generator[PATH_MAX];
    char said[SAID];
    char some[128] = "";
    int status;
    if (!find_generator(generator, e))
        return false;
    const int profile = write_sums(p, e);
    if (profile < 0)
        return false;
    const bool planned = plan(generator, profile, &status, said, e);
    close(profile);
    if (!planned || status == 0)
        return planned;
    const struct sums s = count(p);
    if (in_some(p, &s))
        snprintf(some, sizeof some, "; only %zu of %zu have symbols, and %zu debug information", s.symbols, p->count,
                 s.debug);
    char others[192] = "";
    if (in_some(p, &s) && s.others)
        snprintf(others, sizeof others, "%s that have them with --without '%.100s'%s",
                 s.libc ? ", and the others" : ", or those", s.first, s.others > 1 ? " and so on" : "");
    return error_set(e, ERROR_INPUT, "pyelfgen makes no set of these sums: %s%s: leave out --summary%s%s", reason(said),
                     some, s.libc ? ", or the C library with --without-libc" : "", others);
}
