/* Makes the contents of a set as bytes in memory. set.c writes these to files, view.c shows a set that is not
 * written anywhere, and memory.c keeps a set in memory.
 *
 * A library is made by library_size and library_write; make_library does both. A struct set_library holds what the
 * manifest states about a library.
 */
#ifndef EMIT_SET_MAKE_H
#define EMIT_SET_MAKE_H

#include <stdio.h>

#include "emit/library/files.h"
#include "emit/set/set.h"

/* Allocates set->library. Free with set_free, also after a failure. */
bool make_start(struct set *set, struct error *e);

/* Fills *out, except for the files and their digests. The library's size pass must be done and, unless
 * make_is_planned, its write pass. Fails where the sizes are not those of the plan. Free with make_forget, also
 * after a failure. */
bool make_record(struct set_library *out, const struct builder *b, struct error *e);

/* Sets name, size and digest of one of the builder's files. */
void make_digest(struct set_file *out, const struct library_file *file);

/* Does both passes of library `index` and fills *out, all that the manifest says of the library. The bytes are in
 * b->files. Free *out with make_forget, also after a failure. */
bool make_library(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                  struct set_library *out, struct error *e);

/* Does only the size pass of library `index`. Fills *out except for its files. */
bool make_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
               struct set_library *out, struct error *e);

/* The same, but fills *out as make_library does, with digests of 0. Only where make_is_planned. */
bool make_sizes(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                struct set_library *out, struct error *e);

/* Whether names and sizes of files follow from the size pass. They do not where debug information is compressed or
 * split. */
bool make_is_planned(const struct plan *plan);

void make_forget(struct set_library *l);

/* Whether the library becomes a file of its own, and not only a part of an executable. */
bool make_has_file(const struct plan *plan, const struct plan_library *row);

/* Writes a text of the set; false with errno. */
typedef bool make_text_function(FILE *f, const struct set *set);

/* Appends to `out` what `text` writes. `name` is for messages. The caller frees `out`, also after a failure. */
bool make_text(const struct set *set, const char *name, make_text_function *text, struct bytes *out, struct error *e);

#endif
