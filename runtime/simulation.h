/* Runs a program under cachegrind, which simulates the caches of a processor: the launcher's side of simulation.c. */
#ifndef RUNTIME_SIMULATION_H
#define RUNTIME_SIMULATION_H

#include <stdbool.h>

#include "base/error.h"

/* The caches as cachegrind takes them: bytes, ways and bytes of a line, with commas between. */
struct simulation_caches {
    const char *i1, *d1, *ll;
};

/* Executes `path` with `argv` under `valgrind --tool=cachegrind`. Returns only if that fails. */
bool simulation_execute(const char *path, char **argv, const struct simulation_caches *caches, struct error *e);

#endif
