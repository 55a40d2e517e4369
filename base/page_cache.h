/* Reads files into this host's page cache or drops them from it, and counts how much of them is there afterwards. */
#ifndef BASE_PAGE_CACHE_H
#define BASE_PAGE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum page_cache_wish { PAGE_CACHE_READ, PAGE_CACHE_DROP };

/* What was seen of all files so far. Zeroed at first. */
struct page_cache {
    uint64_t bytes, resident; /* bytes of the files; bytes of these in memory, known by whole pages */
    bool untold;              /* some count as resident because the kernel does not tell this user */
    uint8_t *pages;           /* owned: scratch memory for mincore */
    size_t capacity;
};

/* Reads or drops one file. Files that are empty or not regular are left alone. Pages may be impossible to drop: in use
 * by a process, of a file system in memory, or of another host's disk. That is no error; they count as resident. Errors
 * name no file, because the caller knows which it is. */
bool page_cache_treat(struct page_cache *c, int fd, enum page_cache_wish wish, struct error *e);

/* Whether too much is left to call the files cold: more than a hundredth. */
static inline bool page_cache_stays(const struct page_cache *c)
{
    return c->resident > c->bytes / 100;
}

/* Writes how much is left in memory and why: one line without its end. */
void page_cache_say(const struct page_cache *c, char *text, size_t size);

/* Frees the scratch memory; the counts stay. */
void page_cache_free(struct page_cache *c);

#endif
