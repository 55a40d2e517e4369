/* One numbered function: what it takes, what it returns.
 *
 * Everything about function i of a library follows from one hash. Its result is
 * affine in its arguments, modulo 2^64:
 *
 *     result = own + sum over j of weight[j] * value(argument j)
 *            + results of the functions it calls
 *
 * where value() is the integer that the code makes of an argument: int and long
 * as they are, float and double cut to a whole number, and for char* the first
 * four bytes of the string, little-endian. What a call passes depends on the
 * callee and the caller, never on the caller's own arguments, so that a chain's
 * result is a sum and the plan can state each entry's result without running
 * anything (evaluate.c).
 */
#ifndef EMIT_PLAN_FUNCTION_H
#define EMIT_PLAN_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"

enum argument_type { TYPE_INT, TYPE_LONG, TYPE_FLOAT, TYPE_DOUBLE, TYPE_STRING, ARGUMENT_TYPES };

enum { ARGUMENTS_MOST = 5, CONSTANTS = 32 };

struct function {
    uint64_t hash;
    uint64_t own;
    bool silent; /* returns nothing, and has no arguments: a small function (plan_is_small) */
    uint32_t count;
    uint8_t type[ARGUMENTS_MOST];    /* enum argument_type */
    uint16_t weight[ARGUMENTS_MOST]; /* odd */
};

/* The constants that calls pass, by address or by value: the same in every library
 * of a set. */
struct constants {
    float f[CONSTANTS]; /* some whole, some fractional, all below 4096, so that conversion to an integer is exact */
    double d[CONSTANTS];
    char text[CONSTANTS][16];
    int64_t value[ARGUMENT_TYPES][CONSTANTS]; /* value() of an argument that is this constant: a number cut to an
                                                 integer, or a text's first four bytes; 0 for integers */
};

static inline struct function function_of(uint64_t library_key, uint32_t index)
{
    uint64_t h = random_at(library_key, index);
    struct function f = {.hash = h, .own = random_mix(h ^ UINT64_C(0x6f776e)), .count = random_below(h, 6)};
    uint64_t weights = random_mix(h ^ UINT64_C(0x776569676874));
    for (uint32_t j = 0; j < f.count; j++) {
        f.type[j] = (uint8_t)((((h >> (5 * j)) & 31) * ARGUMENT_TYPES) >> 5);
        f.weight[j] = (uint16_t)((((weights >> (12 * j)) & 0xfff) << 1) | 1);
    }
    return f;
}

/* Gives the function numbers that differ in fewer bytes from function to function. */
static inline void function_make_alike(struct function *f)
{
    f->own &= UINT16_MAX;
    for (uint32_t j = 0; j < f->count; j++)
        f->weight[j] &= 7;
}

/* The values that a call to the function with this hash passes, twelve bits for each argument. `caller`: the
 * previous function of the chain, or 0 where the entry calls. */
static inline uint64_t call_values(uint64_t hash, uint64_t caller)
{
    return random_mix((hash ^ UINT64_C(0x63616c6c)) + caller);
}

static inline uint32_t call_value(uint64_t values, uint32_t j)
{
    return (uint32_t)(values >> (12 * j)) & 0xfff;
}

/* The integer that is passed as an argument of `type`; 0 for the types whose arguments are constants. */
static inline int32_t call_integer(uint8_t type, uint32_t value)
{
    static const int32_t factor[ARGUMENT_TYPES] = {[TYPE_INT] = 1, [TYPE_LONG] = 100003};
    return ((int32_t)value - 1024) * factor[type];
}

/* The index of the constant that is passed as an argument of one of the other types. */
static inline uint32_t call_constant(uint32_t value)
{
    return value % CONSTANTS;
}

#endif
