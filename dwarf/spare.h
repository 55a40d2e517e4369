/* Spare types: what a library's units declare besides, where .debug_info is to have more bytes than headers can fill
 * with the names that .debug_str has room for.
 *
 * They come in rounds of a structure and as many of other kinds as headers have for each structure, by the corpus's
 * manner. Names are those of the functions' locals, which are there already. Where more entries are wanted of as many
 * bytes, there are functions with many parameters besides, which have the most; where fewer are, names that stand in
 * the entries.
 */
#ifndef DWARF_SPARE_H
#define DWARF_SPARE_H

#include "dwarf/unit.h"

/* How many bytes of the headers' types the units should give up, so that when `left` bytes and these are filled with
 * spare entries the library has the wanted number of entries; 0 where that needs nothing, or too much. */
uint64_t spare_instead(const struct debug *d, uint64_t left);

/* Decides how many types there are, and how many declarations with names of their own (d->shorts) at the end of the
 * last unit, so that both take `bytes`, which are enough for one of these; and that there are as many entries as are
 * wanted of the library, as far as may be. */
void spare_fill(struct debug *d, uint64_t bytes);

/* Bytes of the types in this unit. */
uint64_t spare_size(const struct debug *d, uint32_t unit);

/* Writes these; `start` is where the unit begins. Returns what is behind them. */
uint8_t *spare_put(const struct debug *d, uint32_t unit, const uint8_t *start, uint8_t *p);

/* Debugging information entries in all, without what ends children. Those of types that have units of their own are
 * not counted. */
uint64_t spare_dies(const struct debug *d);

#endif
