/* What this process is: one of a set's executables, or another program. */
#ifndef RUNTIME_SELF_H
#define RUNTIME_SELF_H

#include <stdbool.h>

#include "base/error.h"
#include "base/executable.h"

/* Sets *here to what the executable says of itself; NULL if it is not an executable of a set. False if it is one that
 * this library cannot run. */
bool self_executable(const struct executable **here, struct error *e);

#endif
