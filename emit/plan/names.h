/* The names of functions, objects and libraries.
 *
 * Names of functions are as Pynamic gives them, or mangled C++ names (emit/plan/mangle.h). All other names are of
 * Pynamic's kind in both styles.
 *
 *     libmodule3_fun17 0123456789012...    a library, "_fun", a number, then
 *     libutility9_fun0 0123456789012...    digits up to the wanted length
 *
 * Lengths, hashes and whole tables of names come without writing a name twice: what names share is hashed and copied
 * in one piece. Libraries with rows have other, shorter names (emit/plan/names_row.h).
 */
#ifndef EMIT_PLAN_NAMES_H
#define EMIT_PLAN_NAMES_H

#include <stdint.h>

#include "emit/plan/mangle.h"

enum { NAME_PREFIX_MOST = 40 };

/* How long names are, and the hashes of their suffixes. Read-only once made. */
struct names {
    enum name_style style;
    uint32_t letters; /* STYLE_ITANIUM: average letters of classes' names (mangle.h); 0 in the other style */
    uint32_t length;  /* every function's name has this many characters; more than any natural name of the set, or 0 */
    uint32_t pad;     /* digits after each name, when `length` is 0 */
    char digits[PROFILE_NAME_MOST + 16];
    uint32_t suffix_hash[PROFILE_NAME_MOST + 1]; /* GNU hash of the first n of `digits`, started from 0 */
    uint32_t suffix_power[PROFILE_NAME_MOST + 1];
};

/* The part of a name before its number: "libmodule3_fun". */
struct name_stem {
    char text[NAME_PREFIX_MOST];
    uint32_t length;
    uint32_t hash; /* of the text, GNU hash */
};

/* Sets up the tables for Pynamic's names. At most one of `length` and `pad` is not 0. */
void names_init(struct names *n, uint32_t length, uint32_t pad);
/* The same for mangled names. */
void names_init_itanium(struct names *n, uint32_t letters);

/* stem: "_fun", "_var"; library: "libmodule3". */
void names_stem(struct name_stem *s, const char *library, const char *stem);

/* Decimal digits of n. */
uint32_t names_digits(uint32_t n);
/* How many decimal digits all numbers in [from, to) have together. */
uint64_t names_digits_sum(uint32_t from, uint32_t to);

/* Characters of a function's name, if its stem and number have `natural` characters together. */
static inline uint32_t names_length(const struct names *n, uint32_t natural)
{
    return n->length ? (natural > n->length ? natural : n->length) : natural + n->pad;
}

/* Sum of the lengths of the names stem+[from, to), each with its terminator. */
uint64_t names_bytes(const struct names *n, uint32_t stem_length, uint32_t from, uint32_t to);

/* Writes one name of exactly `length` characters (at least stem and number) with its terminator at `at`; returns the
 * place behind the terminator. Where the name is shorter than 32 bytes, the bytes behind it up to the 32nd may be
 * overwritten. Sets *hash to the name's GNU hash, unless `hash` is NULL. */
uint8_t *names_write(const struct names *n, const struct name_stem *s, uint32_t number, uint32_t length, uint8_t *at,
                     uint32_t *hash);

/* --- functions' names in either style ------------------------------------------------ */

/* Whether the names of a library's functions are mangled. */
bool names_are_mangled(const struct names *n, const struct plan_library *l);

/* Characters of the name of function `index` of a library. */
uint32_t names_function(const struct names *n, const struct plan_library *l, uint32_t index, const struct function *f);

/* A cache for what the names of a library's functions begin with; starts zeroed. */
struct names_head {
    const struct plan_library *library;
    struct name_stem stem;
    struct mangle_head mangled;
};

/* Writes the name of function `index` with its terminator, as names_write does. */
uint8_t *names_write_function(const struct names *n, struct names_head *head, const struct plan_library *l,
                              uint32_t index, const struct function *f, uint8_t *at, uint32_t *hash);

/* Counts of many functions' names. From these names_total computes their bytes for any `letters`. */
struct names_tally {
    uint64_t names;
    uint64_t bytes;
    struct mangle_tally mangled;
};

/* Counts the names of all functions of a library: in closed form for Pynamic's names. */
void names_count(const struct names *n, const struct plan_library *l, struct names_tally *t);
void names_add(struct names_tally *sum, const struct names_tally *t);
/* The bytes of `count` names with terminators, if they take `bytes` before digits are appended. */
static inline uint64_t names_lengthened(const struct names *n, uint64_t count, uint64_t bytes)
{
    return n->length ? count * (n->length + UINT64_C(1)) : bytes + count * n->pad;
}
/* Bytes of all counted names with their terminators; `letters` as in struct names. */
uint64_t names_total(const struct names_tally *t, uint32_t letters);

#endif
