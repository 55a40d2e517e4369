/* The numbers of a manner that a search changes (emit/search/manner_fit.h), for files that keep what it has found
 * (emit/search/settled.h). They are of no use to other versions of pyelfgen: their order is that of this version's
 * table.
 */
#ifndef DWARF_CORPUS_MANNER_NUMBERS_H
#define DWARF_CORPUS_MANNER_NUMBERS_H

#include <stdbool.h>
#include <stdio.h>

#include "dwarf/corpus/manner.h"

/* Writes the numbers, each behind a space. */
void manner_numbers_write(FILE *to, const struct manner *m);

/* Reads the numbers at *text, each behind one space, into *m, whose other members stay as they are. Sets *text behind
 * the last one. With any numbers that are accepted, headers and blocks can be made if they can be in *m as it was.
 * False where a number is missing or cannot be. */
bool manner_numbers_read(const char **text, struct manner *m);

#endif
