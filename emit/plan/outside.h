/* Functions outside a set that a library names as undefined symbols, as real libraries name those of the C library
 * and, extension modules, CPython's. They are never called, only bound. */
#ifndef EMIT_PLAN_OUTSIDE_H
#define EMIT_PLAN_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

/* How many such functions a module or a utility can name. */
uint32_t outside_most(bool module);

/* The name at `index` (below outside_most) of a library with this key. All names of a library differ. `choice`: what
 * outside_choose has chosen, or NULL. */
const char *outside_name(bool module, uint64_t key, const uint16_t *choice, uint32_t index);

/* What names are to be chosen. With wanted lengths, and of a utility where some are to have no version, they may also
 * be of functions of the first `needed` libraries besides libc.so.6 (outside_library), without versions. */
struct outside_wish {
    bool module;
    uint32_t needed;
    uint64_t key;
    uint32_t count;     /* at most outside_most() */
    uint32_t versions;  /* so many have versions 2, 3, ..., one each; at most `count` and outside_versions_most() */
    uint32_t versioned; /* how many have versions, these among them, as far as that can be; OUTSIDE_ANY: any number */
    uint64_t bytes;     /* what the names take, with their terminators */
    uint32_t *length;   /* NULL or the wanted length of each, met as far as all else allows; the order may change */
};
#define OUTSIDE_ANY UINT32_MAX

/* Chooses names. Returns the bytes that they take, which are as near as possible to those wanted. */
uint64_t outside_choose(const struct outside_wish *wish, uint16_t *choice);

/* The bytes of names without wanted lengths where it does not matter what they take, nor which versions they have. */
uint64_t outside_natural(const struct outside_wish *wish);

/* Reorders `count` wanted lengths: those for which there are names come first. Returns how many these are. */
uint32_t outside_supply(bool module, uint32_t needed, uint32_t *length, uint32_t count);

/* The version of a function. 1 is OUTSIDE_VERSION, which functions of the C library have unless theirs is newer. 0:
 * no version, as all other functions. */
uint32_t outside_version(bool module, uint64_t key, const uint16_t *choice, uint32_t index);
#define OUTSIDE_VERSION "GLIBC_2.2.5"

/* Characters of the shortest and of the longest names. */
enum { OUTSIDE_SHORTEST = 3, OUTSIDE_LONGEST = 37 };

/* The name of version 1, 2, ...; the number of versions from 2 on; and the bytes of the names of the first `count`
 * of these, with terminators. */
const char *outside_version_name(uint32_t version);
uint32_t outside_versions_most(void);
uint64_t outside_versions_bytes(uint32_t count);

/* Writes `count` characters of a date behind a version, as ncurses has them: "GLIBC_2.2.5" becomes
 * "GLIBC_2.2.5.19991023". Returns the place behind them. */
uint8_t *outside_put_digits(uint8_t *p, uint32_t count);

/* Libraries that every system with the GNU C library has, and that a library may name as DT_NEEDED besides
 * libc.so.6: their number and their names. */
uint32_t outside_libraries_most(void);
const char *outside_library(uint32_t index);

/* Bytes of the first `count` names without a choice, with terminators. */
uint64_t outside_bytes(bool module, uint64_t key, uint32_t count);

#endif
