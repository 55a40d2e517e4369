/* Orders for qsort and bsearch: of numbers and of texts, from the least on. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdint.h>
#include <string.h>

/* Of uint32_t. */
static inline int order_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Of uint64_t. */
static inline int order_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Of double, none of which is NAN. */
static inline int order_double(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of pointers to text, by its bytes. */
static inline int order_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

#endif
