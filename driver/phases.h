/* The phases of a run: start, import, visit, check.
 *
 * Each is collective: it ends when every rank has ended it. It is true only if it went well on all ranks; otherwise the
 * errors have been printed.
 */
#ifndef DRIVER_PHASES_H
#define DRIVER_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/counts.h"
#include "driver/loader.h"
#include "driver/mpitest.h"
#include "driver/run.h"
#include "driver/watchdog.h"

/* What was measured on this rank. */
struct measured {
    double startup, startup_step; /* clock.h */
    double seconds[PHASES];       /* NAN if the phase was left out */
    uint64_t functions_visited;   /* functions of all libraries that were visited, by their marks */
    struct mpitest mpi;
    const char *untimed; /* why all times are NAN, if they were dropped on purpose; else NULL */

    struct counts *counts; /* counters of this rank; counts.h */
};

/* Reads the manifest into `run`. Free run->manifest in any case. */
bool phases_read(struct run *run);

/* Decides which libraries are opened. For a set without modules its utilities are opened by dlopen, and the visit is
 * left out unless it was asked for by name: a run of nothing is no success. All ranks have the same manifest and
 * options, so they decide alike; rank 0 says what is not possible. */
bool phases_settle(struct run *run);

/* Prepares the loader. The caller stops *state in any case. */
bool phases_start(const struct run *run, const struct loader *loader, void **state);

/* Opens libmodulebegin, every module and libmodulefinal; or every utility. Then, untimed, checks that what was loaded
 * is of the set. */
bool phases_import(const struct run *run, const struct loader *loader, void *state, struct watchdog *dog,
                   struct measured *t);

/* Calls begin_break_here, every entry and break_here, and compares each result. */
bool phases_visit(const struct run *run, const struct loader *loader, void *state, struct watchdog *dog,
                  struct measured *t);

/* Checks what the modules say of themselves, and the marks of every library that can be loaded. In a set without
 * modules nothing is visited, so no mark is set. */
bool phases_check(const struct run *run, const struct loader *loader, void *state, struct watchdog *dog,
                  struct measured *t);

#endif
