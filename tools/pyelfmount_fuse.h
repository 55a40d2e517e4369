/* A view as a file system, through libfuse. */
#ifndef TOOLS_PYELFMOUNT_FUSE_H
#define TOOLS_PYELFMOUNT_FUSE_H

#include "emit/view.h"

struct mounted;

/* Whether a file system can be mounted there: FUSE is there, and an empty directory. */
bool mount_possible(const char *directory, struct error *e);

/* Mounts the view, which is borrowed. NULL with `e`. End it with mount_end. */
struct mounted *mount_begin(struct view *view, const char *directory, bool others, struct error *e);

/* Answers readers until it is unmounted or a signal comes; in the background, where this process ends with status
 * 0, or in the foreground. */
bool mount_serve(struct mounted *m, bool foreground, struct error *e);

/* Unmounts it where it still is. Takes NULL. */
void mount_end(struct mounted *m);

#endif
