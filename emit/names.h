/* The names of functions, objects and libraries, as Pynamic gives them.
 *
 *     libmodule3_fun17 0123456789012...    a library, "_fun", a number, then
 *     libutility9_fun0 0123456789012...    digits up to the wanted length
 *
 * Lengths, hashes and whole tables of names come without writing a name twice:
 * what names share is hashed and copied in one piece.
 */
#ifndef EMIT_NAMES_H
#define EMIT_NAMES_H

#include <stdint.h>

#include "emit/profile.h"

enum { NAME_PREFIX_MOST = 40 };

/* How long names are, and what their suffix hashes to. Read-only once made. */
struct names {
    uint32_t length; /* every function's name has this many characters; more than any natural name of the set, or 0 */
    uint32_t pad;    /* digits after each name, when `length` is 0 */
    char digits[PROFILE_NAME_MOST + 16];
    uint32_t suffix_hash[PROFILE_NAME_MOST + 1]; /* of the first n digits, from 0 */
    uint32_t suffix_power[PROFILE_NAME_MOST + 1];
};

/* The part of a name before its number: "libmodule3_fun". */
struct name_stem {
    char text[NAME_PREFIX_MOST];
    uint32_t length;
    uint32_t hash; /* of the text, GNU hash */
};

/* Sets up the tables; length and pad exclude each other. */
void names_init(struct names *n, uint32_t length, uint32_t pad);

/* stem: "_fun", "_var"; library: "libmodule3". */
void names_stem(struct name_stem *s, const char *library, const char *stem);

/* Decimal digits of n. */
uint32_t names_digits(uint32_t n);
/* Their sum over [from, to). */
uint64_t names_digits_sum(uint32_t from, uint32_t to);

/* Characters of a function's name, by those of stem and number. */
static inline uint32_t names_length(const struct names *n, uint32_t natural)
{
    return n->length ? (natural > n->length ? natural : n->length) : natural + n->pad;
}

/* Sum of the lengths of the names stem+[from, to), each with its terminator. */
uint64_t names_bytes(const struct names *n, uint32_t stem_length, uint32_t from, uint32_t to);

/* Writes one name with its terminator, exactly `length` characters (at least
 * stem and number) at `at`, of which up to 32 bytes in all may be
 * overwritten; returns the place after the terminator. Adds its GNU hash. */
uint8_t *names_write(const struct names *n, const struct name_stem *s, uint32_t number, uint32_t length, uint8_t *at,
                     uint32_t *hash);

#endif
