/* Memory in huge pages, where the system gives them on request: fewer page faults and TLB misses. */
#ifndef BASE_HUGE_H
#define BASE_HUGE_H

#include <stddef.h>

/* Sets *capacity to the bytes that there are, `size` and more, whole huge pages of 2 MiB; NULL when memory ran out. The
 * caller frees it. */
void *huge_alloc(size_t size, size_t *capacity);

#endif
