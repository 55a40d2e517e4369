/* The directory of a set while it is generated: one run at a time works in it.
 *
 * What keeps another out is an advisory lock on the directory itself, so that no
 * file is left and the kernel takes it back however the run ends. Where a file
 * system has no such locks, or on another host, nothing keeps anyone out.
 */
#ifndef EMIT_DIRECTORY_H
#define EMIT_DIRECTORY_H

#include <stdbool.h>

#include "base/error.h"

/* Opens `path`, which is made where it is not there (*made), for one run alone: to
 * the end of the descriptor. -1 with `e`, and nothing changed, where another works
 * in it. */
int directory_take(const char *path, bool *made, struct error *e);

#endif
