/* Where the libraries of a set were loaded from. */
#ifndef DRIVER_PLACES_H
#define DRIVER_PLACES_H

#include <stdbool.h>

#include "driver/run.h"

/* Checks that what this process has loaded under the names of the set's libraries are the files of the set. */
bool places_check(const struct run *run, struct error *e);

#endif
