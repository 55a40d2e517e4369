/* The debug information of a library in clang's form (dwarf/rewrite/indexed.h).
 *
 * It is composed in the normal form, with as many bytes as plan_mix.normal says, and written again. Where clang's
 * form then has less than is wanted, it is filled. plan_mix.normal is found by trying, like the rest of a library's
 * mix (mix_indexed.c).
 */
#ifndef EMIT_LIBRARY_INDEXED_H
#define EMIT_LIBRARY_INDEXED_H

#include "emit/library/library.h"

/* Whether a library of this row, or this library, has clang's form. Executables and their parts have the normal
 * form. `stock`: the row's own (stock_of). */
bool indexed_row_is(const struct stock *stock, const struct plan_library *row);
bool indexed_is(const struct library *l);

/* Bytes of debug information in the normal form. */
uint64_t indexed_normal_size(const struct library *l);

/* The bytes of a section by the row; 0 where it says nothing. */
uint64_t indexed_said(const struct plan *plan, const struct plan_library *row, enum row_value value);

/* The bytes of each section by the row; 0 where it says nothing. */
void indexed_wanted(const struct plan *plan, const struct plan_library *row, uint64_t wanted[INDEXED_SECTIONS]);

/* Makes b->indexed from the library, which was sized in the normal form and composed with its contents. Does not
 * fill sections. False when memory ran out. */
bool indexed_translate(struct builder *b, struct error *e);

/* Bytes of each section of b->indexed, and of all debug sections together. */
void indexed_sizes(const struct builder *b, uint64_t size[INDEXED_SECTIONS]);
uint64_t indexed_total(const struct builder *b);

/* Ends the size pass: translates if necessary, then fills to the wanted size of all sections together and, as far as
 * possible, of each. ERROR_INFEASIBLE where clang's form is larger than the planned size. */
bool indexed_size(struct builder *b, struct error *e);

/* Copies the sections that the size pass made into the image. */
void indexed_write(const struct builder *b, uint8_t *image);

#endif
