/* As much of UTF-8 as is needed to check foreign text, and to show it on a terminal. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the character with which `s` begins, of which `left` bytes are there; 0 if it is not UTF-8 (RFC 3629,
 * section 4). */
static inline size_t utf8_length(const char *s, size_t left)
{
    const unsigned char *u = (const unsigned char *)s;
    if (!left)
        return 0;
    if (u[0] < 0x80)
        return 1;
    size_t length = u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : u[0] < 0xf5 ? 4 : 0;
    if (length > left)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((u[i] & 0xc0) != 0x80)
            return 0;
    }
    /* Longer than necessary, a surrogate, or above U+10FFFF. */
    if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) || (u[0] == 0xf0 && u[1] < 0x90) ||
        (u[0] == 0xf4 && u[1] > 0x8f))
        return 0;
    return length;
}

/* Whether a terminal may obey this character, whose length is not 0: C0, DEL, C1. */
static inline bool utf8_is_control(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    return u[0] < 0x20 || u[0] == 0x7f || (u[0] == 0xc2 && u[1] < 0xa0);
}

/* Whether this character, whose length is not 0, ends a line or a paragraph: U+2028 or U+2029. */
static inline bool utf8_is_separator(const char *s)
{
    return strncmp(s, "\xe2\x80\xa8", 3) == 0 || strncmp(s, "\xe2\x80\xa9", 3) == 0;
}

/* The number of a character of `length` bytes (utf8_length, not 0). */
static inline uint32_t utf8_code(const char *s, size_t length)
{
    uint32_t code = (unsigned char)s[0] & (length == 1 ? 0x7fU : 0x7fU >> length);
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)s[i] & 0x3f);
    return code;
}

/* Bytes that are shown of the character with which `s` begins; 0: a '?' instead, for a control character or a byte that
 * is not UTF-8. *step: where the next character begins. */
static inline size_t utf8_shown(const char *s, size_t left, size_t *step)
{
    const size_t length = utf8_length(s, left);
    *step = length ? length : 1;
    return length && !utf8_is_control(s) ? length : 0;
}

/* Prints the string `s`, each character as it is shown. */
static inline void utf8_print(FILE *to, const char *s)
{
    for (size_t left = strlen(s), step; left; s += step, left -= step) {
        const size_t shown = utf8_shown(s, left, &step);
        fwrite(shown ? s : "?", 1, shown ? shown : 1, to);
    }
}

/* Copies the string `s` to `to`, which has room for as much and may be `s` itself, each character as it is shown. */
static inline void utf8_printable(char *to, const char *s)
{
    for (size_t left = strlen(s), step; left; s += step, left -= step) {
        const size_t shown = utf8_shown(s, left, &step);
        memmove(to, shown ? s : "?", shown ? shown : 1);
        to += shown ? shown : 1;
    }
    *to = '\0';
}

#endif
