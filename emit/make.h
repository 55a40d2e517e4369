/* What a set consists of, as bytes in memory, whoever takes them: set.c, which writes files,
 * view.c, which shows them where nothing is written, or memory.c, which keeps them.
 *
 * A library is made by library_size and library_write; make_library does both. What the manifest says
 * of it is in a struct set_library.
 */
#ifndef EMIT_MAKE_H
#define EMIT_MAKE_H

#include <stdio.h>

#include "emit/files.h"
#include "emit/set.h"

/* Room for what the manifest says of each library, in set->library, and a builder for each thread; NULL with `e`. Free
 * with builders_free and set_free, these also when it failed. */
struct builder *make_start(struct set *set, unsigned threads, struct error *e);

/* Fills *out, but for the files and their digests, of a library whose size pass is done, and whose write
 * pass too where sizes of its files depend on that (make_is_planned). Fails where the sizes are not the
 * plan's. Free with make_forget, also when it failed. */
bool make_record(struct set_library *out, const struct builder *b, struct error *e);

/* Name, size and digest of a file of the builder's. */
void make_digest(struct set_file *out, const struct library_file *file);

/* Both passes of library `index`, and all that the manifest says of it: the bytes are in b->files.
 * Free *out with make_forget, also when it failed. */
bool make_library(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                  struct set_library *out, struct error *e);

/* The size pass alone: the same but for the digests, which are 0. Where make_is_planned only. */
bool make_sizes(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                struct set_library *out, struct error *e);

/* Whether names and sizes of files follow from the size pass: not where debug information is compressed
 * or split. */
bool make_is_planned(const struct plan *plan);

void make_forget(struct set_library *l);

/* Whether it becomes a file, and not only a part of one. */
bool make_has_file(const struct plan *plan, const struct plan_library *row);

/* Writes a text of the set; false with errno. */
typedef bool make_text_function(FILE *f, const struct set *set);

/* What it writes, in memory that the caller frees, also when it failed. */
bool make_text(const struct set *set, const char *name, make_text_function *text, struct bytes *out, struct error *e);

#endif
