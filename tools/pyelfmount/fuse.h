/* Shows a view as a file system, through libfuse. */
#ifndef TOOLS_PYELFMOUNT_FUSE_H
#define TOOLS_PYELFMOUNT_FUSE_H

#include "emit/set/view.h"

struct mounted;

/* Whether a file system can be mounted there: FUSE is available, and the directory is empty and readable. */
bool mount_possible(const char *directory, struct error *e);

/* Mounts the view, which it borrows. NULL with `e` on failure. End it with mount_end. */
struct mounted *mount_begin(struct view *view, const char *directory, bool others, struct error *e);

/* Answers readers until the set is unmounted or a signal comes. With `foreground` this process does so. Otherwise one
 * in the background does, and this process ends with status 0. */
bool mount_serve(struct mounted *m, bool foreground, struct error *e);

/* Unmounts the set where it is still mounted, and frees it. Takes NULL. */
void mount_end(struct mounted *m);

#endif
