/* See parts.h. */
#include "driver/launch/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory.h"
#include "base/launched.h"
#include "base/process.h"
#include "base/result_file.h"

#define PART OPTIONS_PART "XXXXXX"

/* What a part has in it before a tree has started, and from then on until results take its place. The latter takes no
 * more room than the former, so that a tree can say that it has started even if no room is left. */
enum { EXPECTED = ' ', BEGUN = '\n' };

/* If nobody reads the output, this process ends by SIGPIPE and does not reach launch_parts_free, so a handler removes
 * the part. */
static char left[PATH_MAX];
static struct sigaction before;

static void remove_left(int number)
{
    unlink(left);
    raise(number); /* ends the process, because of SA_RESETHAND */
}

static void remove_in_time(const char *path)
{
    struct sigaction action = {.sa_handler = remove_left, .sa_flags = (int)SA_RESETHAND};
    strcpy(left, path);
    sigaction(SIGPIPE, NULL, &before);
    if (before.sa_handler != SIG_IGN)
        sigaction(SIGPIPE, &action, NULL);
}

static bool fail(struct error *e, const char *path)
{
    return error_errno(e, path,
                       errno == EFBIG
                           ? "cannot have the results of the runs; raise 'ulimit -f'"
                           : "cannot have the results of the runs; choose another directory with --json or TMPDIR");
}

/* Finds the absolute path of the directory for parts. */
static bool find_directory(char *path, const struct options *o, struct error *e)
{
    char *near = o->json && !result_file_is_written_through(o->json) ? strdup(o->json) : NULL;
    const char *directory = process_temporary();
    if (near) {
        char *slash = strrchr(near, '/');
        directory = !slash ? "." : slash == near ? "/" : near;
        if (slash && slash != near)
            *slash = '\0';
    }
    const bool well = realpath(directory, path) && strlen(path) + sizeof "/" PART <= PATH_MAX;
    if (!well)
        fail(e, directory);
    free(near);
    return well;
}

/* Whether the runs would be in vain without their results. Those of a single run, which shows its own, may do without.
 */
static bool are_results_needed(const struct options *o)
{
    return o->json || (!o->pynamic && o->repeat * o->mode_count > 1);
}

bool launch_parts_start(struct launch_parts *p, const struct options *o, struct error *e)
{
    *p = (struct launch_parts){0};
    if (o->json && !result_file_possible(o->json, RESULT_REPORT, e))
        return false;
    char directory[PATH_MAX];
    if (!find_directory(directory, o, e)) {
        p->missing = *e;
        return !are_results_needed(o);
    }
    strcpy(p->path, directory);
    strcat(p->path, "/" PART);
    int fd = mkstemp(p->path);
    if (fd >= 0) {
        close(fd);
        remove_in_time(p->path);
        return true;
    }
    p->path[0] = '\0';
    fail(&p->missing, directory);
    *e = p->missing;
    return !are_results_needed(o);
}

bool launch_parts_expect(struct launch_parts *p, struct error *e)
{
    FILE *f = p->path[0] ? fopen(p->path, "we") : NULL;
    if (f)
        fputc(EXPECTED, f);
    if (p->path[0] && (!f || fclose(f) != 0))
        return fail(e, p->path);
    return true;
}

void launch_parts_begin(const struct options *o)
{
    if (!o->part || launched_by().rank != 0)
        return;
    const int fd = open(o->part, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!write(fd, &(char){BEGUN}, 1); /* if this fails, the missing results are noticed in the end */
    close(fd);
}

bool launch_parts_begun(const struct launch_parts *p)
{
    FILE *f = p->path[0] ? fopen(p->path, "re") : NULL;
    const bool begun = !f || fgetc(f) != EXPECTED;
    if (f)
        fclose(f);
    return begun;
}

/* Says why a run has no results; `e` says why they could not be read. A part has one byte in it if nobody has put
 * results there. */
static void say_missing(const struct launch_parts *p, enum mode mode, uint64_t turn, struct error *e)
{
    const struct error why = *e;
    struct stat st;
    if (stat(p->path, &st) == 0 && st.st_size > 1)
        error_set(e, why.code, "the results of mode %s, run %" PRIu64 " came through %s, but cannot be read: %s",
                  mode_names[mode], turn, p->path, why.text);
    else
        error_set(e, ERROR_SYSTEM,
                  "the results of mode %s, run %" PRIu64 " did not come through %s; see whether --launcher starts "
                  "pyelfrun, or name a directory that all hosts share with --json or TMPDIR",
                  mode_names[mode], turn, p->path);
}

void launch_parts_take(struct launch_parts *p, enum mode mode, uint64_t turn, int status)
{
    struct error e = {0};
    bool well = true;
    if (status != EXIT_SUCCESS) {
        struct results_run *run = results_add_run(&p->all);
        if (run)
            *run = (struct results_run){.mode = mode_names[mode], .repeat = turn, .status = status};
        well = run || error_set(&e, ERROR_MEMORY, "there is no memory left for the results");
    } else if (p->path[0]) {
        well = results_read_more(&p->all, p->path, &e);
        if (!well)
            say_missing(p, mode, turn, &e);
    }
    if (!well && p->missing.code == ERROR_NONE)
        p->missing = e;
}

static size_t count_done(const struct results *r)
{
    size_t done = 0;
    for (size_t i = 0; i < r->run_count; i++)
        done += r->runs[i].status == 0;
    return done;
}

/* Adds the options that the trees do not know. */
static bool add_options(struct results *r, const struct options *o)
{
    char repeat[32];
    snprintf(repeat, sizeof repeat, "%" PRIu64, o->repeat);
    return results_add_option(r, "repeat", repeat) && (!o->launcher || results_add_option(r, "launcher", o->launcher));
}

bool launch_parts_finish(struct launch_parts *p, const struct options *o, struct error *e)
{
    bool well = true;
    const size_t done = count_done(&p->all);
    if (done > 0 && p->all.run_count > 1 && options_print_tables(o)) {
        putchar('\n');
        well = results_write_cases(&p->all, stdout, e) && results_printed(e);
    }
    if (o->json && done > 0) {
        struct error first = *e;
        bool saved = add_options(&p->all, o) || error_set(&first, ERROR_MEMORY, "there is no memory left");
        saved = saved && results_save_for_user(&p->all, o->json, &first);
        if (well && !saved)
            *e = first;
        well = well && saved;
    }
    /* Results of a single run are needed, too, even if nothing is done with them: without them nobody knows that it was
     * one run. */
    const bool are_needed = p->path[0] || are_results_needed(o);
    if (well && p->missing.code != ERROR_NONE && are_needed) {
        *e = p->missing;
        return false;
    }
    return well;
}

static bool remove_beside(void *context, int directory, const char *name)
{
    const char *const part = context;
    const size_t length = strlen(part);
    if (strncmp(name, part, length) == 0 && name[length] == '.')
        unlinkat(directory, name, 0);
    return true;
}

/* Removes what a rank was about to put in the place of the part when it was ended (base/replacement.h). */
static void remove_unfinished(char *part)
{
    char *const name = strrchr(part, '/') + 1; /* the path is absolute, so it has a slash */
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%.*s", (int)(name - part), part);
    directory_each(AT_FDCWD, directory, remove_beside, name);
}

void launch_parts_free(struct launch_parts *p)
{
    if (p->path[0]) {
        unlink(p->path);
        remove_unfinished(p->path);
        sigaction(SIGPIPE, &before, NULL);
    }
    p->path[0] = '\0';
    results_free(&p->all);
}
