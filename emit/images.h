/* A cache of the images of libraries' files: when there is no more room, the least recently read image that nobody is
 * reading goes first. The newest one stays however large it is, so that it is made only once for whoever reads it bit
 * by bit.
 *
 * Nothing here locks; view.c does.
 */
#ifndef EMIT_IMAGES_H
#define EMIT_IMAGES_H

#include "emit/library.h"

struct image {
    struct image *newer, *older;
    uint32_t library;
    uint32_t readers; /* the image is not dropped while there are any */
    uint64_t size;    /* of the bytes of all files, which follow this struct */
    uint32_t files;
    uint64_t at[]; /* where each file begins in these, and where the last ends: files + 1 numbers */
};

struct images {
    struct image **of; /* of each library, or NULL */
    struct image *newest, *oldest;
    uint64_t bytes, most;
    uint64_t peak; /* the most `bytes` there ever were */
};

/* Room for `most` bytes of so many libraries; false when memory ran out. Free with images_free. */
bool images_start(struct images *s, uint32_t libraries, uint64_t most);

/* Bytes of the builder's files together. */
uint64_t images_size(const struct builder *b);

/* A copy of the builder's files, in no list yet; NULL when memory ran out. */
struct image *images_copy(const struct builder *b, uint32_t library);

const uint8_t *images_bytes(const struct image *i);

/* Adds the image as the newest one, and drops those that there is no more room for. */
void images_add(struct images *s, struct image *i);

/* The image of a library, with one more reader, and now the newest; NULL if it is not kept. */
struct image *images_take(struct images *s, uint32_t library);

/* Ends what images_take began: the image has one reader less. */
void images_give(struct images *s, struct image *i);

void images_free(struct images *s);

#endif
