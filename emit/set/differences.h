/* Where a set differs from the rows of its profile. No difference is dropped in silence.
 *
 * Each library that was made is compared with its row, value by value: sizes, symbols, relocations, edges, linker
 * options, debug sections. SET/differences.json (docs/differences.md) lists what differs, what is not known of the
 * library that was made, and what was given up for small sizes. The user gets a summary.
 */
#ifndef EMIT_SET_DIFFERENCES_H
#define EMIT_SET_DIFFERENCES_H

#include <stdio.h>

#include "base/manifest.h"
#include "emit/library/library.h"
#include "emit/set/set.h"

#define DIFFERENCES_FILE MANIFEST_ROWS_FILE
#define DIFFERENCES_KEY  MANIFEST_ROWS_KEY

/* The language of a library's units: what dialect_language says. */
enum units_language { UNITS_NONE, UNITS_C, UNITS_CPP, UNITS_FORTRAN_95, UNITS_FORTRAN_08, UNITS_LANGUAGES };

/* What a library with a row has of each value that rows may say; PROFILE_DERIVED where that is not known. */
struct differences {
    int64_t value[ROW_VALUES];
    enum units_language language;
    /* How far the sizes of functions and the lengths of names are from the row's distributions (distribution_distance).
     */
    double sizes_apart, names_apart;
};

/* Fills *d for a library whose size pass is done. */
void differences_measure(const struct library *l, struct differences *d);

/* Writes the text of differences.json. False with errno. */
bool differences_write(FILE *f, const struct set *set);

/* Prints the summary. Prints nothing where the profile has no rows; `set` need not be sized then. If the file is
 * `written`, the summary says where it is. */
void differences_report(FILE *f, const struct plan *plan, const struct set *set, bool written);

#endif
