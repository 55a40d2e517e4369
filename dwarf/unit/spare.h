/* Spare types: additional declarations in a library's units. They are used where .debug_info is to have more bytes than
 * headers can fill with the names that .debug_str has room for.
 *
 * They come in rounds. A round is a structure, and as many declarations of other kinds as headers have for each
 * structure, by the corpus's manner. Their names are those of the functions' locals, which exist already. For more
 * entries in the same bytes, there are also functions and types of functions with many parameters, in C++ types of
 * functions and enumerations. For fewer, there are declarations with long names inside the entries. */
#ifndef DWARF_UNIT_SPARE_H
#define DWARF_UNIT_SPARE_H

#include "dwarf/unit/unit.h"

/* How many bytes of headers' pieces the units should give up to spare types. With `left` and these bytes filled by
 * spare types, the library has the wanted number of entries. 0 if no pieces have to be given up, or too many. */
uint64_t spare_instead(const struct debug *d, uint64_t left);

/* Decides how many spare types there are (d->spare), and how many declarations with names of their own (d->shorts) at
 * the end of the last unit. Both together take `bytes`, which must be enough for one such declaration. The library gets
 * the wanted number of entries, as far as possible, and the spare types and declarations get `attributes` attributes,
 * if that is not 0, or nearly so many. Returns how many more or fewer they have; SPARE_LACKS if there cannot be as many
 * entries. */
#define SPARE_LACKS UINT64_MAX
uint64_t spare_fill(struct debug *d, uint64_t bytes, uint64_t attributes);

/* How many attributes the spare types have. */
uint64_t spare_attributes(const struct debug *d);

/* Bytes of the spare types in this unit. */
uint64_t spare_size(const struct debug *d, uint32_t unit);

/* Writes the spare types of this unit, which begins at `start`, to `p`. Returns the place behind them. */
uint8_t *spare_put(const struct debug *d, uint32_t unit, const uint8_t *start, uint8_t *p);

/* How many debugging information entries the library has in all, without null entries and without those in type
 * units. */
uint64_t spare_dies(const struct debug *d);

#endif
