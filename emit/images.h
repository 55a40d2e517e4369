/* Images of libraries' files, kept while there is room: of those that nobody reads, the one that was read
 * longest ago goes first. The newest stays, however large it is, so that whoever reads it bit by bit has it
 * made once.
 *
 * Nothing here locks; view.c does.
 */
#ifndef EMIT_IMAGES_H
#define EMIT_IMAGES_H

#include "emit/library.h"

struct image {
    struct image *newer, *older;
    uint32_t library;
    uint32_t readers; /* it stays while there are any */
    uint64_t size;    /* of the bytes, which stand behind it */
    uint32_t files;
    uint64_t at[]; /* where each begins: files + 1 */
};

struct images {
    struct image **of; /* of each library, or NULL */
    struct image *newest, *oldest;
    uint64_t bytes, most;
    uint64_t peak; /* the most there ever were */
};

/* Room for `most` bytes of so many libraries; false when memory ran out. Free with images_free. */
bool images_start(struct images *s, uint32_t libraries, uint64_t most);

/* A copy of the builder's files, in no list yet; NULL when memory ran out. */
struct image *images_copy(const struct builder *b, uint32_t library);

const uint8_t *images_bytes(const struct image *i);

/* Makes it the newest, and what there is no room for any more go. */
void images_add(struct images *s, struct image *i);

/* The image of a library, which becomes the newest and has a reader more; or NULL. */
struct image *images_take(struct images *s, uint32_t library);

/* It has a reader less. */
void images_give(struct images *s, struct image *i);

void images_free(struct images *s);

#endif
