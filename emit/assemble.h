/* An executable that consists of parts: pyelf-static, which has all libraries in it, or a large
 * pyelf-link (executables.h). It is written part by part, as join.h lays them out, by all threads at once into one file
 * (elf/output.h). It is never in memory whole, only one part for each thread.
 */
#ifndef EMIT_ASSEMBLE_H
#define EMIT_ASSEMBLE_H

#include "emit/directory.h"
#include "emit/join.h"
#include "emit/progress.h"
#include "emit/ranks.h"
#include "emit/set.h"

struct assembly {
    struct joined joined;     /* join_measure has seen every part; laid out here */
    struct builder *builders; /* of each thread; borrowed */
    const struct stock *stock;
    struct directory *directory; /* of the set; borrowed */
    const struct ranks *ranks;   /* ranks of this run; asked now and then whether another one failed */
    struct progress *progress;
};

/* Whether the plan's executables that consist of parts, if any, can be made, with or without
 * sources, as far as that is known before anything is sized. */
bool assemble_check(const struct plan *plan, bool sources, struct error *e);

/* Whether an executable may still turn out to be too large. */
bool assemble_is_near(const struct plan *plan);

/* Lays it out; fails where it would be too large. */
bool assemble_lay(struct assembly *a, struct error *e);

/* Lays it out and writes it; fills `out`. */
bool assemble(struct assembly *a, unsigned threads, struct set_library *out, struct error *e);

#endif
