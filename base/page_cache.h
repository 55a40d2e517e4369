/* Files in this host's page cache: read into it, dropped from it, and how much
 * of them is there afterwards. */
#ifndef BASE_PAGE_CACHE_H
#define BASE_PAGE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum page_cache_wish { PAGE_CACHE_READ, PAGE_CACHE_DROP };

/* What was seen of the files so far; zeroed at first. */
struct page_cache {
    uint64_t bytes, resident; /* of which so many are in memory, in whole pages */
    uint8_t *pages;           /* owned: scratch memory for mincore */
    size_t capacity;
};

/* Reads or drops the file; what is no regular file, or empty, is left alone. What
 * cannot be dropped (pages in use by a process, of a file system in memory, or
 * of another host's disk) is no error, and counts as resident. The errors name
 * no file: the caller knows which it is. */
bool page_cache_treat(struct page_cache *c, int fd, enum page_cache_wish wish, struct error *e);

/* Whether what is left is too much to call the files cold: over a hundredth. */
static inline bool page_cache_stays(const struct page_cache *c)
{
    return c->resident > c->bytes / 100;
}

/* The scratch memory; what was counted stays. */
void page_cache_free(struct page_cache *c);

#endif
