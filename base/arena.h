/* Memory that lives as long as one emitted library.
 *
 * Everything decided about a library is taken from one arena and given back at once by arena_reset, which keeps the
 * blocks for the next library. So there is no malloc for each symbol, entry or attribute, and nothing to leak. An arena
 * belongs to one thread.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *first;
    struct arena_block *current;
};

/* Returns `size` bytes, aligned for any type, not initialised; NULL when memory is exhausted. The arena owns them; they
 * are valid until arena_reset or arena_free. */
void *arena_take(struct arena *a, size_t size);

/* Like arena_take, for `count` zeroed elements of `size` bytes. NULL also if the product overflows. */
void *arena_zeroed(struct arena *a, size_t count, size_t size);

/* Gives back all but the first `size` bytes of the latest allocation, which is at `p`. */
void arena_shrink(struct arena *a, const void *p, size_t size);

/* arena_return frees everything taken since the mark. A mark is invalid after arena_reset. */
struct arena_mark {
    struct arena_block *block;
    size_t used;
};
struct arena_mark arena_mark(const struct arena *a);
void arena_return(struct arena *a, struct arena_mark mark);

/* Forgets everything taken; keeps the memory. */
void arena_reset(struct arena *a);

/* Gives the memory back. The arena is empty and usable afterwards. */
void arena_free(struct arena *a);

#endif
