/* The phases of a run: start, import, visit, check.
 *
 * Each is collective: it ends when every rank has ended it, and is true only
 * when it went well on all of them; what went wrong has then been printed.
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

/* On this rank. */
struct measured {
    double startup, startup_step; /* clock.h */
    double seconds[PHASES];       /* NAN where the phase was left out */
    uint64_t functions_visited;   /* of all libraries, by their marks */
    struct mpitest mpi;
    const char *untimed; /* why times are NAN, where that is meant so; else NULL */

    struct counts *counts; /* of this rank; counts.h */
};

/* Reads the manifest into `run`, whose manifest is to be freed in any case. */
bool phases_read(struct run *run);

/* Decides which libraries are opened. A set without modules has its utilities opened by dlopen, and leaves out the
 * visit, unless that was asked for by name: a run of nothing is no success. Decided by a manifest and options that
 * are those of all ranks; rank 0 says what is not possible. */
bool phases_settle(struct run *run);

/* Makes the loader ready; *state is to be stopped by the caller in any case. */
bool phases_start(const struct run *run, const struct loader *loader, void **state);

/* libmodulebegin, every module, libmodulefinal; or every utility. */
bool phases_import(const struct run *run, const struct loader *loader, void *state, struct watchdog *dog,
                   struct measured *t);

/* begin_break_here, every entry, break_here: each result is compared. */
bool phases_visit(const struct run *run, const struct loader *loader, void *state, struct watchdog *dog,
                  struct measured *t);

/* What the modules say of themselves, and the marks of every library that can be loaded: of those of a set without
 * modules, which nothing visits, none is set. */
bool phases_check(const struct run *run, const struct loader *loader, void *state, struct measured *t);

#endif
