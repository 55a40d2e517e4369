/* The visit marks of a loaded library, which prove that its functions ran. */
#ifndef DRIVER_MARKS_H
#define DRIVER_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/manifest.h"

/* Compares the marks of `l`, a library of the set in `directory` that has been
 * loaded, with the manifest; *visited becomes how many of its numbered
 * functions were visited. */
bool marks_check(const char *directory, const struct manifest_library *l, uint64_t *visited, struct error *e);

#endif
