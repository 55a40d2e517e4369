/* A manner as numbers, for files that keep one (emit/settled.h). They are of no use to other versions of pyelfgen:
 * their order is that of this version's table. */
#ifndef DWARF_MANNER_NUMBERS_H
#define DWARF_MANNER_NUMBERS_H

#include <stdbool.h>
#include <stdio.h>

#include "dwarf/manner.h"

/* Writes the numbers, each behind a space. */
void manner_numbers_write(FILE *to, const struct manner *m);

/* Reads the numbers at *text, each behind one space, and sets *text behind the last one. Any numbers that are accepted
 * are those of a manner in which headers and blocks can be made. False where a number is missing or cannot be. */
bool manner_numbers_read(const char **text, struct manner *m);

#endif
