/* Writes an executable that consists of parts: pyelf-static, which contains all libraries, or a large pyelf-link
 * (executables.h). join.h lays the parts out. All threads write them at once into one file (elf/write/output.h). The
 * executable is never in memory as a whole, but only one part for each thread.
 */
#ifndef EMIT_SET_ASSEMBLE_H
#define EMIT_SET_ASSEMBLE_H

#include "emit/library/builders.h"
#include "emit/library/join.h"
#include "emit/set/directory.h"
#include "emit/set/progress.h"
#include "emit/set/ranks.h"
#include "emit/set/set.h"

struct assembly {
    struct joined joined;      /* join_measure has been called for every part; assemble_lay lays it out */
    struct builders *builders; /* borrowed */
    const struct stock *stock;
    struct directory *directory; /* the set's; borrowed */
    const struct ranks *ranks;   /* ranks of this run; asked now and then whether another rank has failed */
    struct progress *progress;
};

/* Checks, before anything is sized, whether the plan's executables that consist of parts can be made, with or without
 * sources. True where there are none. False with `e`. */
bool assemble_check(const struct plan *plan, bool sources, struct error *e);

/* Whether an executable may still turn out to be too large when it is laid out. */
bool assemble_is_near(const struct plan *plan);

/* Sizes what the executable itself brings, and lays the executable out. Fails where it would be too large. */
bool assemble_lay(struct assembly *a, struct error *e);

/* Lays the executable out and writes it; fills `out`. */
bool assemble(struct assembly *a, struct set_library *out, struct error *e);

#endif
