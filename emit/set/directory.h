/* The directory of a set while it is generated: one run at a time works in it.
 *
 * An advisory lock on the directory itself keeps other runs out. So no lock file is left behind, and the kernel drops
 * the lock however the run ends. Nothing keeps out runs on other hosts, or any run where the file system has no such
 * locks.
 *
 * The manifest is removed before the first change to anything that it lists, so that it never promises what is not
 * there.
 */
#ifndef EMIT_SET_DIRECTORY_H
#define EMIT_SET_DIRECTORY_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct directory {
    int fd;           /* -1: not open */
    const char *path; /* borrowed; for messages */
    bool made;        /* this run has made it */
    mode_t umask;     /* of this process: the bits that new files do not have in their modes */
    bool force;       /* replace existing files even if they are as they should be */
    bool manifest;    /* under `lock`: an older set's manifest is still there */
    pthread_mutex_t lock;
};

/* Opens `path`, which is made if it is not there, and locks it until directory_close. False with `e`, and with nothing
 * changed, if another run works in it; call directory_close in that case, too. */
bool directory_open(struct directory *d, const char *path, bool force, struct error *e);

/* Opens `path`, which another rank of this run has opened by directory_open. Does not lock it. */
bool directory_join(struct directory *d, const char *path, bool force, struct error *e);

/* Removes the manifest. Call it before any change other than making or removing a temporary file. Any thread may call
 * it. */
bool directory_change(struct directory *d, struct error *e);

/* The path of one of the directory's files, for messages. */
enum { DIRECTORY_PATH_MOST = 600 };
void directory_path(const struct directory *d, const char *name, char path[DIRECTORY_PATH_MOST]);

void directory_close(struct directory *d);

#endif
