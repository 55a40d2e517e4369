/* Strides over a range of numbers. */
#ifndef BASE_STRIDE_H
#define BASE_STRIDE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether steps of `stride`, modulo `count`, meet all numbers below `count`: whether the two have no common divisor. */
static inline bool stride_meets_all(uint32_t stride, uint32_t count)
{
    while (count) {
        const uint32_t rest = stride % count;
        stride = count;
        count = rest;
    }
    return stride == 1;
}

#endif
