/* Memory in huge pages, if the system gives these on request: fewer page faults and TLB misses. */
#ifndef BASE_HUGE_H
#define BASE_HUGE_H

#include <stddef.h>

/* Allocates `size` bytes, rounded up to whole huge pages (base/page.h); *capacity is the rounded size. NULL, and 0
 * there, when memory ran out. The caller frees the memory. */
void *huge_alloc(size_t size, size_t *capacity);

#endif
