/* Makes what a set consists of, as bytes in memory. Used by set.c, which writes them to files, view.c, which shows a
 * set that is not written anywhere, and memory.c, which keeps them in memory.
 *
 * A library is made by library_size and library_write; make_library does both. A struct set_library holds what the
 * manifest states about it.
 */
#ifndef EMIT_MAKE_H
#define EMIT_MAKE_H

#include <stdio.h>

#include "emit/files.h"
#include "emit/set.h"

/* Allocates set->library and a builder for each thread. NULL with `e`. Free with builders_free and set_free; the latter
 * also after a failure. */
struct builder *make_start(struct set *set, unsigned threads, struct error *e);

/* Fills *out, except for the files and their digests. The library's size pass must be done, and also its write pass
 * unless make_is_planned. Fails where the sizes are not the plan's. Free with make_forget, also after a failure. */
bool make_record(struct set_library *out, const struct builder *b, struct error *e);

/* Sets name, size and digest of one of the builder's files. */
void make_digest(struct set_file *out, const struct library_file *file);

/* Both passes of library `index`, and all that the manifest says of it: the bytes are in b->files.
 * Free *out with make_forget, also when it failed. */
bool make_library(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                  struct set_library *out, struct error *e);

/* The size pass alone of library `index`. Fills *out but for its files. */
bool make_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
               struct set_library *out, struct error *e);

/* The same, and *out as make_library fills it, but with digests of 0. Only where make_is_planned. */
bool make_sizes(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                struct set_library *out, struct error *e);

/* Whether names and sizes of files follow from the size pass: not where debug information is compressed
 * or split. */
bool make_is_planned(const struct plan *plan);

void make_forget(struct set_library *l);

/* Whether the library becomes a file of its own, and not only a part of an executable. */
bool make_has_file(const struct plan *plan, const struct plan_library *row);

/* Writes a text of the set; false with errno. */
typedef bool make_text_function(FILE *f, const struct set *set);

/* Appends to `out` what `text` writes. The caller frees `out`, also after a failure; `name` is for messages. */
bool make_text(const struct set *set, const char *name, make_text_function *text, struct bytes *out, struct error *e);

#endif
