/* See huge.h. */
#include "base/huge.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/page.h"

void *huge_alloc(size_t size, size_t *capacity)
{
    *capacity = 0;
    if (size > SIZE_MAX - HUGE_PAGE)
        return NULL;
    const size_t rounded = ((size ? size : 1) + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
    void *const p = aligned_alloc(HUGE_PAGE, rounded);
    if (!p)
        return NULL;
    madvise(p, rounded, MADV_HUGEPAGE);
    *capacity = rounded;
    return p;
}
