/* What outside.c and outside_choose.c share: all names, by their places. */
#ifndef EMIT_OUTSIDE_PARTS_H
#define EMIT_OUTSIDE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "emit/outside_names.h"

enum { LIBC = OUTSIDE_LIBC, PYTHON = OUTSIDE_PYTHON };
/* All lists of names form one sequence of places: CPython's, the C library's, the inner ones, those of
 * outside_beside.h (at most BESIDE_MOST) and those of outside_newer.h. These are the places where the lists begin. */
enum { INNER = PYTHON + LIBC, BESIDE = INNER + OUTSIDE_INNER, BESIDE_MOST = 512, NEWER = BESIDE + BESIDE_MOST };
enum { LENGTHS = 64 /* names are shorter */ };

/* The name at a place. */
const char *outside_at(uint32_t place);

/* The place of name `index` in a library's own order of names: CPython's come before the C library's. */
uint32_t outside_place(bool module, uint64_t key, uint32_t index);

#endif
