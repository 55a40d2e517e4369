/* Appends small pieces of text. */
#ifndef EMIT_SOURCE_TEXT_H
#define EMIT_SOURCE_TEXT_H

#include <string.h>

#include "base/bytes.h"

static inline void text_put(struct bytes *t, const char *text, size_t size)
{
    if (!size)
        return;
    if (t->capacity - t->size < size) {
        bytes_append(t, text, size);
        return;
    }
    memcpy(t->data + t->size, text, size);
    t->size += size;
}

static inline void text_add(struct bytes *t, const char *text)
{
    text_put(t, text, strlen(text));
}

static inline void text_decimal(struct bytes *t, uint64_t number)
{
    char digits[20];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    text_put(t, digits + first, sizeof digits - first);
}

static inline void text_hexadecimal(struct bytes *t, uint64_t number)
{
    char digits[18];
    size_t first = sizeof digits;
    do {
        digits[--first] = "0123456789abcdef"[number & 15];
        number >>= 4;
    } while (number);
    digits[--first] = 'x';
    digits[--first] = '0';
    text_put(t, digits + first, sizeof digits - first);
}

#endif
