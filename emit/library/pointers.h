/* Where words lead that relative relocations fill (relocated.h): to functions, constants and other words of the library
 * itself, as tables of names and of virtual functions do.
 *
 * ld leaves the address in the word, too, so a file compresses the worse, the more of them are different. Much of what
 * real tables hold is repeated in others, such as the virtual functions that a class inherits from its base.
 */
#ifndef EMIT_LIBRARY_POINTERS_H
#define EMIT_LIBRARY_POINTERS_H

#include "emit/library/library.h"

/* How different the words are. POINTERS_ALIKE: they form groups of POINTERS_GROUP, which all repeat the first group.
 * POINTERS_USUAL: as in most tables. POINTERS_APART: no group repeats another. POINTERS_ANYWHERE: besides, each word
 * leads anywhere. */
enum { POINTERS_GROUP = 10, POINTERS_ALIKE = 0, POINTERS_USUAL = 128, POINTERS_APART = 192, POINTERS_ANYWHERE = 256 };

/* The address that word `index` leads to, if words are as different as `different`. Words that refer to symbols are not
 * counted. */
uint64_t pointers_target(const struct library *l, uint32_t index, unsigned different);

/* Writes these addresses for all words, into the image and into .rela.dyn. That section must be complete and in
 * ascending order of the places that it relocates. Not for executables. */
void pointers_write(const struct library *l, uint8_t *image, unsigned different);

#endif
