/* See huge.h. */
#include "base/huge.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 1 << 21 };

void *huge_alloc(size_t size, size_t *capacity)
{
    if (size > SIZE_MAX - HUGE_PAGE)
        return NULL;
    *capacity = ((size ? size : 1) + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
    void *const p = aligned_alloc(HUGE_PAGE, *capacity);
    if (p)
        madvise(p, *capacity, MADV_HUGEPAGE);
    return p;
}
