/* What outside*.c share: all names, by their places, and what is worked out of them once. */
#ifndef EMIT_PLAN_OUTSIDE_PARTS_H
#define EMIT_PLAN_OUTSIDE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "emit/plan/outside_names.h"

enum { LIBC = OUTSIDE_LIBC, PYTHON = OUTSIDE_PYTHON };
/* All lists of names form one sequence of places: CPython's, the C library's, the inner ones, those of
 * outside_beside.h (at most BESIDE_MOST) and those of outside_newer.h (at most NEWER_MOST). These are the places where
 * the lists begin. */
enum { INNER = PYTHON + LIBC, BESIDE = INNER + OUTSIDE_INNER, BESIDE_MOST = 512, NEWER = BESIDE + BESIDE_MOST };
enum { NEWER_MOST = 512, PLACES = NEWER + NEWER_MOST, VERSIONS_MOST = 64 };
enum { LENGTHS = 64 /* names are shorter */ };

/* The lists before NEWER, in the order of their places. Those of outside_beside.h are one for each library. */
enum list { LIST_PYTHON, LIST_LIBC, LIST_INNER, LIST_MATH, LIST_LOADING, LISTS };

/* What is worked out once of all names, so that nobody has to look at all of them again. */
struct outside_index {
    uint8_t length[PLACES];              /* characters of the name at a place */
    uint32_t bytes_before[NEWER + 1];    /* bytes of all names at lower places, with terminators */
    uint16_t begin[LISTS + 1];           /* the places where lists begin and where the last one ends */
    uint16_t place[NEWER];               /* the places of each list in turn, by length; names of one length ascend, but
                                            those of LIST_INNER descend */
    uint16_t first[LISTS][LENGTHS + 1];  /* where in `place` those of a length begin */
    uint16_t newer_first[VERSIONS_MOST]; /* as outside_newer_first */
    uint8_t newer_version[NEWER_MOST];   /* by index in outside_newer.h: the version of the name */
    uint32_t versions_bytes[VERSIONS_MOST + 1]; /* as outside_versions_bytes */
};

/* The index, which the first caller makes. */
const struct outside_index *outside_index(void);

/* How many names of a list have a length. */
static inline uint32_t outside_there(const struct outside_index *index, enum list list, uint32_t length)
{
    return (uint32_t)index->first[list][length + 1] - index->first[list][length];
}

/* Whether a library can name functions of a list, if it needs the first `needed` libraries besides libc.so.6. */
static inline bool outside_has_list(enum list list, bool module, uint32_t needed)
{
    return list == LIST_PYTHON ? module : list < LIST_MATH || needed > (uint32_t)(list - LIST_MATH);
}

/* The name at a place. */
const char *outside_at(uint32_t place);

/* The places where a library's own order of CPython's names and of the C library's begins. */
static inline uint32_t outside_first_python(uint64_t key)
{
    return random_below(key, PYTHON);
}

static inline uint32_t outside_first_libc(uint64_t key)
{
    return PYTHON + random_below(random_mix(key), LIBC);
}

/* The place of name `index` in a library's own order of names: CPython's come before the C library's. */
uint32_t outside_place(bool module, uint64_t key, uint32_t index);

#endif
