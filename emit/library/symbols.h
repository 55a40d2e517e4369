/* Symbols of a library: .dynsym, .dynstr, hashes and versions (symbols.c, symbols_versions.c), .symtab and .strtab
 * (symtab.c).
 */
#ifndef EMIT_LIBRARY_SYMBOLS_H
#define EMIT_LIBRARY_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct library;

/* Writes them all; fills plt_symbols, the .dynsym index of each PLT slot's symbol. False when memory ran out. */
bool symbols_write(struct library *l, uint8_t *image, struct arena *arena, uint32_t *plt_symbols);

/* How many of the symbols of sections that .symtab is to have (plan_library.sections) it has: at most as many as there
 * are sections before it. */
uint32_t symtab_sections(const struct library *l);

/* symbols_write_part writes the symbols of a library that is a part of an executable: .symtab with local symbols
 * first, and .strtab, which begins with the names that debug information repeats. `base`: bytes of the executable's
 * strings before the library's. The other two return the number of the part's local symbols and its bytes of
 * strings. */
void symbols_write_part(const struct library *l, uint64_t base, uint8_t *image);
uint32_t symbols_part_locals(const struct library *l);
uint64_t symbols_part_strings(const struct library *l);

/* Copies the part of .dynstr that debug information repeats, the `size` bytes of the functions' names, before there
 * is an image. NULL when memory ran out. */
const char *symbols_names(const struct library *l, uint64_t size, struct arena *arena);

#endif
