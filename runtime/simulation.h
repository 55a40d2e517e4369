/* Running a program under cachegrind, which simulates a processor's caches: the
 * launcher's side of simulation.c. */
#ifndef RUNTIME_SIMULATION_H
#define RUNTIME_SIMULATION_H

#include <stdbool.h>

#include "base/error.h"

/* Executes `path` with `argv` under `valgrind --tool=cachegrind`; returns only
 * when that failed. */
bool simulation_execute(const char *path, char **argv, struct error *e);

#endif
