/* Ranks meet in the directory of their set; see together.h.
 *
 * The same name may be another directory on another host. So the leader of a set puts a file into its directory. The
 * file is named after the set's number and contains the number of the run. Every other rank looks for this file: where
 * it is not found, the directory is another one. The leader looks for such files of other sets' leaders: where it finds
 * one, two sets would be written into one directory. Servers of network file systems may be slow in showing what is
 * new, so ranks look more than once.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/directory.h"
#include "elf/write/output.h"
#include "emit/set/tidy.h"
#include "emit/set/together.h"

enum {
    LOOKS = 50,
    BETWEEN = 100 * 1000 * 1000 /* nanoseconds */
};

enum { TEXT = 17 }; /* the number of the run, and a line end */

static void meeting_text(const struct ranks *r, char text[TEXT + 1])
{
    snprintf(text, TEXT + 1, "%016" PRIx64 "\n", r->token);
}

static void meeting_name(const struct ranks *r, char name[64])
{
    snprintf(name, 64, TIDY_MEETING_START "%d" TIDY_MEETING_END, r->set);
}

/* Makes this set's file. *made is whether it exists afterwards, also after a failure. */
static bool put_file(const struct directory *d, const struct ranks *r, bool *made, struct error *e)
{
    char name[64];
    char text[TEXT + 1];
    char path[600];
    meeting_name(r, name);
    meeting_text(r, text);
    snprintf(path, sizeof path, "%s/%s", d->path, name);
    const int fd = openat(d->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    const struct output file = {.fd = fd, .path = path};
    *made = fd >= 0;
    if (fd < 0)
        return error_errno(e, path, "cannot make the file");
    const bool ok = output_write(&file, text, TEXT, 0, e);
    return (close(fd) == 0 || error_errno(e, path, "cannot write the file")) && ok;
}

/* Whether the file is there and of this run. */
static bool is_ours(int directory, const char *name, const struct ranks *r)
{
    char text[TEXT + 1];
    char there[TEXT + 1] = "";
    const int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, there, TEXT);
    if (fd >= 0)
        close(fd);
    meeting_text(r, text);
    return n == TEXT && memcmp(text, there, TEXT) == 0;
}

static bool join(struct directory *d, const struct set_making *how, struct error *e)
{
    const struct timespec nap = {.tv_nsec = BETWEEN};
    const struct ranks *r = how->ranks;
    char name[64];
    meeting_name(r, name);
    for (unsigned look = 0; look < LOOKS; look++) {
        if (look)
            nanosleep(&nap, NULL);
        if (d->path)
            directory_close(d);
        if (directory_join(d, how->path, how->force, e) && is_ours(d->fd, name, r))
            return true;
    }
    char why[sizeof e->text];
    snprintf(why, sizeof why, "%s", d->fd < 0 ? e->text : "is another directory here");
    error_set(
        e, ERROR_USAGE,
        "%.300s; rank %d has just written there: give a directory that all hosts share, or --node-local DIR for a "
        "set on each",
        why, r->leader);
    return error_at(e, how->path, 0);
}

/* Looks for another set of this run that is to be written into the same directory. */
struct another {
    const struct ranks *ranks;
    char own[64];
    bool found;
};

static bool take_meeting(void *context, int directory, const char *name)
{
    struct another *const a = context;
    a->found = strcmp(name, a->own) != 0 && tidy_is_meeting(name) && is_ours(directory, name, a->ranks);
    return !a->found;
}

static bool check_alone(const struct directory *d, const struct ranks *r, struct error *e)
{
    struct another a = {.ranks = r, .found = false};
    meeting_name(r, a.own);
    errno = directory_each(d->fd, ".", take_meeting, &a);
    if (errno != 0)
        return error_errno(e, d->path, "cannot read the directory");
    if (!a.found)
        return true;
    error_set(e, ERROR_USAGE,
              "is also the directory of another node's set; give --node-local one that is on each node itself or has "
              "the node's name in it, as in 'set-%%N', or -o for one set that all make");
    return error_at(e, d->path, 0);
}

bool together_open(struct directory *d, const struct set_making *how, struct error *e)
{
    struct ranks *r = how->ranks;
    char name[64];
    if (!ranks_are_several(r))
        return true;
    meeting_name(r, name);
    bool made = false;
    bool ok = ranks_agree(r, !ranks_leads(r) || put_file(d, r, &made, e), e);
    ok = ok && ranks_agree(r, ranks_leads(r) ? check_alone(d, r, e) : join(d, how, e), e);
    if (made)
        unlinkat(d->fd, name, 0);
    return ok;
}
