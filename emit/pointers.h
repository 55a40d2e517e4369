/* Where the words lead that relocations fill with addresses in the library itself (relocated.h): to functions,
 * constants and other words, as tables of names and of virtual functions have them.
 *
 * ld leaves the address in the word, too, so that a file compresses the worse the more of them are different. Much of
 * what real tables hold stands in others as well, such as the virtual functions that a class has of its base.
 */
#ifndef EMIT_POINTERS_H
#define EMIT_POINTERS_H

#include "emit/library.h"

/* How different they are: groups of POINTERS_GROUP that all repeat the first one; as most tables; each anywhere. */
enum { POINTERS_GROUP = 10, POINTERS_ALIKE = 0, POINTERS_USUAL = 128, POINTERS_APART = 192, POINTERS_ANYWHERE = 256 };

/* The address that word `index`, counted without those that refer to symbols, leads to where they are as different as
 * that. */
uint64_t pointers_target(const struct library *l, uint32_t index, unsigned different);

/* Lets all of them lead there, in the image and in .rela.dyn, which is complete, in ascending order of what it
 * relocates: that of no executable. */
void pointers_write(const struct library *l, uint8_t *image, unsigned different);

#endif
