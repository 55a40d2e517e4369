/* The debug information of a library in clang's form (dwarf/indexed.h).
 *
 * It is composed in the normal form, of as many bytes as plan_mix.normal says, and written again; what that comes out
 * with less than is wanted is filled. How many bytes that takes is found by trying, like the rest of a library's mix
 * (mix_indexed.c).
 */
#ifndef EMIT_INDEXED_H
#define EMIT_INDEXED_H

#include "emit/library.h"

/* Whether a library of this row has it, or the library: not executables and their parts, which are in the normal form.
 * `stock`: the row's own (stock_of). */
bool indexed_row_is(const struct stock *stock, const struct plan_library *row);
bool indexed_is(const struct library *l);

/* Bytes of debug information in the normal form. */
uint64_t indexed_normal_size(const struct library *l);

/* What the row says that a section has; 0 where it says nothing. */
uint64_t indexed_said(const struct plan *plan, const struct plan_library *row, enum row_value value);

/* What the row says of each section's size, 0 where it says nothing. */
void indexed_wanted(const struct plan *plan, const struct plan_library *row, uint64_t wanted[INDEXED_SECTIONS]);

/* Makes b->indexed of what was sized in the normal form and composed with its contents; does not fill it. False when
 * memory ran out. */
bool indexed_translate(struct builder *b, struct error *e);

/* Bytes of its sections, and of all debug sections together. */
void indexed_sizes(const struct builder *b, uint64_t size[INDEXED_SECTIONS]);
uint64_t indexed_total(const struct builder *b);

/* The end of the size pass: indexed_translate, filled to the size that is wanted of all together, and, as far as
 * possible, of each. */
bool indexed_size(struct builder *b, struct error *e);

/* Copies what the size pass made. */
void indexed_write(const struct builder *b, uint8_t *image);

#endif
