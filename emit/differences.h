/* What of a profile's rows a set does not follow: nothing is dropped in silence.
 *
 * Each library that was made is compared with its row, value by value: sizes, symbols,
 * relocations, edges, linker options, debug sections. What differs, what nobody here can tell,
 * and what gave way to small sizes goes to SET/differences.json (docs/differences.md), and a
 * summary to the user.
 */
#ifndef EMIT_DIFFERENCES_H
#define EMIT_DIFFERENCES_H

#include <stdio.h>

#include "base/manifest.h"
#include "emit/library.h"
#include "emit/set.h"

#define DIFFERENCES_FILE MANIFEST_ROWS_FILE

/* What a library with a row has of each value; PROFILE_DERIVED where it is not known. */
struct differences {
    int64_t value[ROW_VALUES];
    const char *language; /* of its units; NULL: it has none */
    /* How far sizes of functions and lengths of names are from what the row says (Kolmogorov, Smirnov). */
    double sizes_apart, names_apart;
};

/* Of a library whose size pass is done. */
void differences_measure(const struct library *l, struct differences *d);

/* Writes the file's text; false with errno. */
bool differences_write(FILE *f, const struct set *set);

/* The summary; nothing where the profile has no rows. */
void differences_report(FILE *f, const struct set *set);

#endif
