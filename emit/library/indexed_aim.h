/* Finds the sizes to ask for in the normal form so that a library has the wanted sizes in clang's form
 * (dwarf/rewrite/indexed.h). How many bytes numbers will take is not known beforehand. So sizes are tried, and each try
 * corrects what the last one was off by. Results should be a little smaller than wanted, because sections can be
 * filled but not made shorter.
 *
 * Use: indexed_aim_start; while indexed_aim_goes_on, size the library with `size` and `normal`, and report the
 * result with indexed_aim_note or indexed_aim_failed.
 */
#ifndef EMIT_LIBRARY_INDEXED_AIM_H
#define EMIT_LIBRARY_INDEXED_AIM_H

#include "dwarf/rewrite/indexed.h"

struct indexed_aim {
    /* What to ask for: bytes by enum debug_section, or DEBUG_ANY; and the bytes of all sections together. */
    uint64_t size[DEBUG_SECTION_COUNT];
    uint64_t normal;
    bool is_best;  /* the last try that was reported is the best so far, */
    bool is_near;  /* and near enough for the next one to differ in little else than sizes */
    bool is_mixed; /* single sections have wanted sizes */

    /* The rest is for indexed_aim.c. */
    uint64_t wanted[INDEXED_SECTIONS]; /* 0: no size is wanted */
    uint64_t all;                      /* bytes that are wanted of all sections */
    uint64_t aranges;                  /* bytes of .debug_aranges, which clang does not write */
    uint64_t best;                     /* how many bytes the best try is off; UINT64_MAX: there is none */
    unsigned rounds, lower;
};

/* `all`: wanted bytes of debug information. `wanted`: of each section, or only zeros. `line` and `line_str`: of the
 * sections that are the same in both forms, where the others have wanted sizes. `aranges`: of .debug_aranges in the
 * normal form. */
void indexed_aim_start(struct indexed_aim *a, uint64_t all, const uint64_t wanted[INDEXED_SECTIONS], uint64_t line,
                       uint64_t line_str, uint64_t aranges, bool is_cpp);

bool indexed_aim_goes_on(const struct indexed_aim *a);

/* Whether a try came out small enough to be filled. */
bool indexed_aim_fits(const struct indexed_aim *a);

/* Reports a try: `normal` has the sizes that came out in the normal form, `got` those in clang's form, `total` the
 * sum of all sections in clang's form. */
void indexed_aim_note(struct indexed_aim *a, const uint64_t normal[DEBUG_SECTION_COUNT],
                      const uint64_t got[INDEXED_SECTIONS], uint64_t total);

/* Reports that the library could not be sized in clang's form. */
void indexed_aim_failed(struct indexed_aim *a);

#endif
