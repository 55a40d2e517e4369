/* Functions outside a set that a library names as undefined, as real ones name those of the C
 * library and, extension modules, CPython's. They are never called, only bound. */
#ifndef EMIT_OUTSIDE_H
#define EMIT_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

/* How many there are for a module or a utility. */
uint32_t outside_most(bool module);

/* The name at `index`, below that, of a library with this key: no two are the same. `choice` is
 * NULL, or what outside_choose has chosen. */
const char *outside_name(bool module, uint64_t key, const uint16_t *choice, uint32_t index);

/* Chooses `count` names that take `bytes` with their terminators, or as nearly as that can be; returns
 * what they take. Where lengths are wanted, those of the libraries that it needs besides
 * libc.so.6 (outside_library) are among them, too, without versions. `versions` of them, at most `count` and
 * outside_versions_most(), have the versions of these numbers from 2 on, one each. `length` is NULL, or how long each
 * should be, as far as the others allow. */
uint64_t outside_choose(bool module, uint32_t needed, uint64_t key, uint32_t count, uint32_t versions, uint64_t bytes,
                        const uint32_t *length, uint16_t *choice);

/* Puts those of `count` wanted lengths of which there is a name before the others; returns how many. */
uint32_t outside_supply(bool module, uint32_t needed, uint32_t *length, uint32_t count);

/* The version of a function: 1 for OUTSIDE_VERSION, which all of the C library have but those with newer ones;
 * 0 for others, which have none. */
uint32_t outside_version(bool module, uint64_t key, const uint16_t *choice, uint32_t index);
#define OUTSIDE_VERSION "GLIBC_2.2.5"

/* Characters of the shortest names that there are some of, and of the longest. */
enum { OUTSIDE_SHORTEST = 3, OUTSIDE_LONGEST = 37 };

/* The name of a version from 1 on; how many there are besides that, and bytes of the names of the first
 * `count` of these, with terminators. */
const char *outside_version_name(uint32_t version);
uint32_t outside_versions_most(void);
uint64_t outside_versions_bytes(uint32_t count);

/* Bytes of the names of the C library's functions as .symtab may have them, with '@', version and terminator. */
uint64_t outside_versioned_bytes(bool module, uint64_t key, const uint16_t *choice, uint32_t count);

/* The libraries of every system with the GNU C library that a library may name as DT_NEEDED besides
 * libc.so.6: how many there are, and their names. */
uint32_t outside_libraries_most(void);
const char *outside_library(uint32_t index);

/* Bytes of the first `count` names, with terminators. */
uint64_t outside_bytes(bool module, uint64_t key, uint32_t count);

#endif
