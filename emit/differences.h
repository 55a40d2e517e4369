/* Where a set differs from the rows of its profile: nothing is dropped in silence.
 *
 * Each library that was made is compared with its row, value by value: sizes, symbols,
 * relocations, edges, linker options, debug sections. What differs, what is not known of the
 * library that was made, and what was given up for small sizes goes to SET/differences.json
 * (docs/differences.md), and a summary to the user.
 */
#ifndef EMIT_DIFFERENCES_H
#define EMIT_DIFFERENCES_H

#include <stdio.h>

#include "base/manifest.h"
#include "emit/library.h"
#include "emit/set.h"

#define DIFFERENCES_FILE MANIFEST_ROWS_FILE
#define DIFFERENCES_KEY  MANIFEST_ROWS_KEY

/* What a library with a row has of each value of a row; PROFILE_DERIVED where that is not known. */
struct differences {
    int64_t value[ROW_VALUES];
    const char *language; /* of its units; NULL: it has none */
    /* How far sizes of functions and lengths of names are from the row's distributions (distribution_distance). */
    double sizes_apart, names_apart;
};

/* Fills *d for a library whose size pass is done. */
void differences_measure(const struct library *l, struct differences *d);

/* Writes the file's text; false with errno. */
bool differences_write(FILE *f, const struct set *set);

/* The summary; nothing where the profile has no rows, and then `set` need not be sized. Says where the file is, if it
 * is written. */
void differences_report(FILE *f, const struct plan *plan, const struct set *set, bool written);

#endif
