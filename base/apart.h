/* The distance between two numbers. */
#ifndef BASE_APART_H
#define BASE_APART_H

#include <stdint.h>

static inline uint64_t apart(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

#endif
