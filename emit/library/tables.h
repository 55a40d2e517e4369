/* Data, constants and relocations of a library (tables.c).
 */
#ifndef EMIT_LIBRARY_TABLES_H
#define EMIT_LIBRARY_TABLES_H

#include <stdbool.h>
#include <stdint.h>

struct library;

/* Sets the addresses that the code refers to. */
void tables_addresses(struct library *l);

/* Writes .rela.dyn and what it relocates, .dynamic, build-id, .comment, constants and objects, except those that are
 * steered (taste.h). */
void tables_write(struct library *l, uint8_t *image, bool steered);

/* Writes the same for a library that is a part of an executable: constants, objects, and relocations with what they
 * relocate. Leaves out the TABLES_FILE_RELATIVE relocations that only a file of its own needs. */
enum { TABLES_FILE_RELATIVE = 3 };
void tables_write_part(struct library *l, uint8_t *image);

#endif
