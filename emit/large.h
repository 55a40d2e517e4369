/* A large library, which is never in memory whole.
 *
 * Its debug information is composed twice: for its size, when nothing of it is kept, and once more
 * when it is written, unit by unit. What is finished goes to the file at once (elf/window.h).
 * In memory are what is known of each function, the names, the tables that refer to
 * them, and some megabytes of everything else: about a quarter of the file, or less (docs/scale.md). Bytes are those
 * that library_write makes.
 *
 * Use: builder.large set, library_size, library_write.
 */
#ifndef EMIT_LARGE_H
#define EMIT_LARGE_H

#include "elf/window.h"
#include "emit/describe.h"
#include "emit/digest_pieces.h"
#include "emit/directory.h"
#include "emit/library.h"
#include "emit/set.h"

struct large {
    struct window window;

    /* Private. */
    struct library_watch watch; /* first what forgets, then what writes */
    struct builder *builder;
    enum describe_level level; /* what came out right in the size pass, */
    struct describe_goal goal;
    struct debug before; /* with this */
    struct debug_writer writer;
    bool differs; /* a unit came out otherwise than in the size pass */
    size_t forgotten[4];
};

/* Whether a library of this row is written so: of 256 MB or more, and nothing is made of its
 * debug information but sections. */
bool large_is(const struct plan *plan, const struct plan_library *row);

/* The size pass alone, of any library: of a large one nothing is kept. */
bool large_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index, struct error *e);

/* The same where, since the builder was used for this library, if it was, nothing but its mix has changed. */
bool large_size_again(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                      struct error *e);

/* Writes the library that library_size has sized, with b->large, to the set's directory; fills `file`. */
bool large_write(struct builder *b, struct directory *directory, struct set_file *file, struct error *e);

/* For library.c. The size pass is about to compose with this goal. */
void large_describe(struct builder *b, enum describe_level level, const struct describe_goal *goal);

/* Writes the debug information. */
bool large_write_debug(struct builder *b, const uint8_t *names, struct error *e);

#endif
