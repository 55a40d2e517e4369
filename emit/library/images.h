/* A cache of images of libraries' files. When room runs out, it drops the image that was read the longest time ago
 * and has no reader. The newest image stays however large it is, so that it is made only once for a reader that
 * takes it bit by bit.
 *
 * Nothing here locks; view.c does.
 */
#ifndef EMIT_LIBRARY_IMAGES_H
#define EMIT_LIBRARY_IMAGES_H

#include "emit/library/library.h"

struct image {
    struct image *newer, *older;
    uint32_t library;
    uint32_t readers; /* the image is not dropped while it has any */
    uint64_t size;    /* of the bytes of all files, which follow this struct */
    uint32_t files;
    uint64_t at[]; /* where each file begins in these bytes, and where the last ends: files + 1 numbers */
};

struct images {
    struct image **of; /* of each library, or NULL */
    struct image *newest, *oldest;
    uint64_t bytes, most;
    uint64_t peak; /* the most `bytes` there ever were */
};

/* Starts a cache of at most `most` bytes, for so many libraries; false when memory ran out. Free with images_free. */
bool images_start(struct images *s, uint32_t libraries, uint64_t most);

/* Bytes of the builder's files together. */
uint64_t images_size(const struct builder *b);

/* A copy of the builder's files, in no list yet; NULL when memory ran out. */
struct image *images_copy(const struct builder *b, uint32_t library);

const uint8_t *images_bytes(const struct image *i);

/* Adds the image as the newest one, and drops images for which there is no room. */
void images_add(struct images *s, struct image *i);

/* Drops all images without readers. Returns how many. */
uint32_t images_drop(struct images *s);

/* The image of a library, which gets one more reader and becomes the newest; NULL if the cache does not have it. */
struct image *images_take(struct images *s, uint32_t library);

/* Takes back the reader that images_take added. */
void images_give(struct images *s, struct image *i);

void images_free(struct images *s);

#endif
