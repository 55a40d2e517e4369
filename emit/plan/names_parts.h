/* Parts of names in libraries with rows; for names_row.c and names_mangled.c. */
#ifndef EMIT_PLAN_NAMES_PARTS_H
#define EMIT_PLAN_NAMES_PARTS_H

#include <string.h>

#include "base/words.h"
#include "emit/plan/plan.h"

static inline uint8_t *names_put_number(uint8_t *p, uint32_t number)
{
    uint8_t *const end = p + names_digits(number);
    p = end;
    do {
        *--p = (uint8_t)('0' + number % 10);
        number /= 10;
    } while (number);
    return end;
}

/* A key of the name's own. */
static inline uint64_t names_own_key(const struct plan_library *l, uint64_t number)
{
    return random_at(plan_key(l, PURPOSE_NAMES), number);
}

/* The key from which a name's words follow. Some names have the same key (plan_library.alike). */
static inline uint64_t names_words_key(const struct plan_library *l, uint64_t number)
{
    const uint64_t key = names_own_key(l, number);
    return (key >> 40 & 255) < l->names.alike ? 0 : key;
}

/* Writes words and the number, `length` characters together, without a terminator. */
static inline uint8_t *names_put_numbered(const struct plan_library *l, uint32_t number, uint32_t length, uint8_t *at)
{
    const uint32_t words = length - names_digits(number);
    words_camel_case(names_words_key(l, number), words, (char *)at);
    return names_put_number(at + words, number);
}

/* The characters of the longest name that fits, behind its own length in digits, in `rest` characters. *even: name
 * and digits fill these exactly. */
static inline uint32_t names_within(uint32_t rest, bool *even)
{
    uint32_t name = rest - 1;
    while (name + names_digits(name) > rest)
        name--;
    *even = name + names_digits(name) == rest;
    return name;
}

#endif
