/* What this process is: one of a set's executables, or another program. */
#ifndef RUNTIME_SELF_H
#define RUNTIME_SELF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/executable.h"

/* What the executable says of itself, in *here, or NULL where it is none of a
 * set's. False where it is one that this library does not know how to run. */
bool self_executable(const struct executable **here, struct error *e);

/* The directory of the program file, absolute, without its last '/'. */
bool self_directory(char *path, size_t size, struct error *e);

#endif
