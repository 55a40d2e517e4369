/* Writing a large library, which is never in memory as a whole.
 *
 * Its debug information is composed twice: first for its size, when nothing of it is kept, and once more when it is
 * written, unit by unit. What is finished goes to the file at once (elf/write/window.h). Memory holds what is known of
 * each function, the names, the tables that refer to names, and some megabytes of everything else: together a
 * quarter of the file's size or less (docs/scale.md). The file has the same bytes as if the library were written in
 * one piece.
 *
 * Use: set builder.large, then library_size and library_write. large.c composes and is used by library.c;
 * large_size.c uses library.c. large_file.h writes the file.
 */
#ifndef EMIT_LIBRARY_LARGE_H
#define EMIT_LIBRARY_LARGE_H

#include "elf/write/window.h"
#include "emit/library/describe.h"
#include "emit/library/library.h"

struct large {
    struct window window;

    /* Private. */
    struct library_watch watch; /* in the size pass drops what was composed, later writes it */
    struct builder *builder;
    enum describe_level level; /* the level and the goal with which the size pass succeeded */
    struct describe_goal goal;
    struct debug before; /* the debug information as it was before composing with these */
    struct debug_writer writer;
    bool differs;        /* a unit came out different from the size pass: an error */
    size_t forgotten[4]; /* bytes of composed info, lists, ranges and programs whose memory has been given back */
};

/* Whether a library of this row is large: its five sizes are 256 MB or more together, and its debug information is
 * in the library itself, written as gcc does, neither compressed nor split, and without an index. */
bool large_is(const struct plan *plan, const struct plan_library *row);

/* The size pass alone, of any library. What is composed of a large library is not kept. */
bool large_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index, struct error *e);

/* As large_size, but faster if the builder was last used for this library and only its mix has changed since. */
bool large_size_again(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                      struct error *e);

/* For library.c: called when the size pass is about to compose with this goal. */
void large_describe(struct builder *b, enum describe_level level, const struct describe_goal *goal);

/* Composes the debug information again and writes it, unit by unit. */
bool large_write_debug(struct builder *b, const uint8_t *names, struct error *e);

#endif
