/* The directory of a set while it is generated: one run at a time works in it.
 *
 * What keeps another out is an advisory lock on the directory itself, so that no
 * file is left and the kernel takes it back however the run ends. Where a file
 * system has no such locks, or on another host, nothing keeps anyone out.
 *
 * Its manifest goes before anything changes that it may speak of: so it never
 * promises what is not there.
 */
#ifndef EMIT_DIRECTORY_H
#define EMIT_DIRECTORY_H

#include <pthread.h>
#include <stdbool.h>

#include "base/error.h"

struct directory {
    int fd;           /* -1: not open */
    const char *path; /* borrowed; for messages */
    bool made;        /* it was not there before */
    bool force;       /* nothing that is there is kept */
    bool manifest;    /* under the lock: one is there that says what the set was */
    pthread_mutex_t lock;
};

/* Opens `path`, which is made where it is not there, for one run alone: to the end of the
 * descriptor. False with `e`, and nothing changed, where another works in it. In either case
 * directory_close ends it. */
bool directory_open(struct directory *d, const char *path, bool force, struct error *e);

/* Opens `path`, which another rank of this run has taken so. */
bool directory_join(struct directory *d, const char *path, bool force, struct error *e);

/* To be called before any change but that a temporary file comes or goes; by any thread. */
bool directory_change(struct directory *d, struct error *e);

/* The path of one of its files, for messages. */
enum { DIRECTORY_PATH_MOST = 600 };
void directory_path(const struct directory *d, const char *name, char path[DIRECTORY_PATH_MOST]);

void directory_close(struct directory *d);

#endif
