/* Names of libraries with rows; see names_row.h. */
#include "emit/names_row.h"

#include <assert.h>
#include <string.h>

#include "base/words.h"
#include "elf/hash.h"

enum { LETTER = 1 }; /* of words at least */

/* Its prefix, where the name of the function is one for the whole set. */
static uint32_t prefix_length(const struct plan_library *l, uint32_t index)
{
    return index < l->exported ? (uint32_t)strlen(l->prefix) : 0;
}

uint32_t names_row_least(const struct plan_library *l, uint32_t index)
{
    return prefix_length(l, index) + LETTER + names_digits(index);
}

uint32_t names_row_object_least(uint32_t number)
{
    return 1 + names_digits(number);
}

/* "_ZN2m3", and what is behind a name that is mangled. */
static uint32_t mangled_length(const struct plan_library *l)
{
    const uint32_t prefix = (uint32_t)strlen(l->prefix);
    return (uint32_t)(sizeof "_ZN" - 1 + sizeof "Ev" - 1) + names_digits(prefix) + prefix;
}

uint32_t names_row_small_least(const struct plan_library *l, uint32_t number)
{
    const uint32_t name = LETTER + names_digits(l->exported + number);
    return name + (l->small_mangled ? mangled_length(l) + names_digits(name) : (uint32_t)strlen(l->prefix));
}

uint32_t names_row_small_length(const struct plan_library *l, uint32_t number)
{
    return number < l->small_lengths ? l->small_length[number] : names_row_small_least(l, number);
}

uint64_t names_row_small_bytes(const struct plan_library *l)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < l->small_exported; i++)
        bytes += names_row_small_length(l, i) + UINT64_C(1);
    return bytes;
}

uint32_t names_row_length(const struct plan_library *l, uint32_t index)
{
    return index < l->lengths ? l->function_length[index] : names_row_least(l, index);
}

uint32_t names_row_object_length(const struct plan_library *l, uint32_t number)
{
    return l->object_length ? l->object_length[number] : names_row_object_least(number);
}

uint64_t names_row_bytes(const struct plan_library *l, uint32_t from, uint32_t to)
{
    uint64_t bytes = 0;
    for (; from < to && from < l->lengths; from++)
        bytes += l->function_length[from] + UINT64_C(1);
    if (from < to) {
        const uint32_t exported = to < l->exported ? to : from < l->exported ? l->exported : from;
        bytes +=
            names_digits_sum(from, to) + (to - from) * UINT64_C(2) + (exported - from) * (uint64_t)strlen(l->prefix);
    }
    return bytes;
}

uint64_t names_row_objects(uint32_t count)
{
    return names_digits_sum(0, count) + count * UINT64_C(2);
}

static uint8_t *put_number(uint8_t *p, uint32_t number)
{
    uint8_t *const end = p + names_digits(number);
    p = end;
    do {
        *--p = (uint8_t)('0' + number % 10);
        number /= 10;
    } while (number);
    return end;
}

uint8_t *names_row_write(const struct plan_library *l, uint32_t index, uint8_t *at, uint32_t *hash)
{
    const uint32_t prefix = prefix_length(l, index);
    const uint32_t length = names_row_length(l, index);
    const uint32_t words = length - prefix - names_digits(index);
    const uint64_t value = random_at(plan_key(l, PURPOSE_NAMES), index);
    assert(length >= names_row_least(l, index));
    memcpy(at, l->prefix, prefix);
    if (prefix)
        words_camel_case(value, words, (char *)at + prefix);
    else
        words_identifier(value, words, (char *)at);
    *put_number(at + prefix + words, index) = '\0';
    if (hash)
        *hash = hash_gnu(HASH_GNU_START, (const char *)at, length);
    return at + length + 1;
}

/* Words and the number. */
static uint8_t *put_numbered(const struct plan_library *l, uint32_t number, uint32_t length, uint8_t *at)
{
    const uint32_t words = length - names_digits(number);
    words_camel_case(random_at(plan_key(l, PURPOSE_NAMES), UINT64_C(1) << 34 | number), words, (char *)at);
    return put_number(at + words, number);
}

/* As many parameters as the length of the name, whose digits are a part of it, does not reach: one or two. */
static uint8_t *put_mangled(const struct plan_library *l, uint32_t number, uint32_t length, uint8_t *at)
{
    const size_t prefix = strlen(l->prefix);
    const uint32_t rest = length - mangled_length(l);
    uint32_t name = rest - 1;
    while (name + names_digits(name) > rest)
        name--;
    memcpy(at, "_ZN", 3);
    at = put_number(at + 3, (uint32_t)prefix);
    memcpy(at, l->prefix, prefix);
    at = put_numbered(l, number, name, put_number(at + prefix, name));
    *at++ = 'E';
    const bool even = name + names_digits(name) == rest;
    memcpy(at, even ? "v" : "ii", even ? 1 : 2);
    return at + (even ? 1 : 2);
}

uint8_t *names_row_write_small(const struct plan_library *l, uint32_t number, uint8_t *at)
{
    const size_t prefix = strlen(l->prefix);
    const uint32_t length = names_row_small_length(l, number);
    uint8_t *const end = at + length;
    assert(length >= names_row_small_least(l, number));
    number += l->exported;
    if (l->small_mangled) {
        at = put_mangled(l, number, length, at);
    } else {
        memcpy(at, l->prefix, prefix);
        at = put_numbered(l, number, length - (uint32_t)prefix, at + prefix);
    }
    assert(at == end);
    *at = '\0';
    return end + 1;
}

uint8_t *names_row_write_object(const struct plan_library *l, uint32_t number, uint8_t *at)
{
    const uint32_t length = names_row_object_length(l, number);
    const uint32_t words = length - names_row_object_least(number);
    assert(length >= names_row_object_least(number));
    words_identifier(random_at(plan_key(l, PURPOSE_NAMES), UINT64_C(1) << 32 | number), words, (char *)at);
    at[words] = '_';
    *put_number(at + words + 1, number) = '\0';
    return at + length + 1;
}
