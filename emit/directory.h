/* The directory of a set while it is generated: one run at a time works in it.
 *
 * An advisory lock on the directory itself keeps other runs out, so that no lock
 * file is left behind and the kernel drops the lock however the run ends. Where a
 * file system has no such locks, or on another host, nothing keeps other runs out.
 *
 * The manifest is removed before the first change to anything that it lists, so that
 * it never promises what is not there.
 */
#ifndef EMIT_DIRECTORY_H
#define EMIT_DIRECTORY_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct directory {
    int fd;           /* -1: not open */
    const char *path; /* borrowed; for messages */
    bool made;        /* it was not there before */
    mode_t umask;     /* of this process: what new files in it do not have of their modes */
    bool force;       /* existing files are not kept even if they are as they should be */
    bool manifest;    /* under the lock: an older set's manifest is still there */
    pthread_mutex_t lock;
};

/* Opens `path`, which is made if it is not there, and locks it until directory_close. False with `e`, and nothing
 * changed, where another run works in it; directory_close is to be called in that case, too. */
bool directory_open(struct directory *d, const char *path, bool force, struct error *e);

/* Opens `path`, which another rank of this run has opened by directory_open; does not lock. */
bool directory_join(struct directory *d, const char *path, bool force, struct error *e);

/* To be called before any change, other than making or removing a temporary file: removes the manifest. Any thread. */
bool directory_change(struct directory *d, struct error *e);

/* The path of one of its files, for messages. */
enum { DIRECTORY_PATH_MOST = 600 };
void directory_path(const struct directory *d, const char *name, char path[DIRECTORY_PATH_MOST]);

void directory_close(struct directory *d);

#endif
