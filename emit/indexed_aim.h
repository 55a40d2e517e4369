/* What a library is asked for in the normal form so that it has the wanted sizes in clang's (dwarf/indexed.h): nobody
 * can say beforehand how many bytes numbers will take, so it is tried, and the next try begins where the last one was
 * off. Sizes are to come out a little less than is wanted, as they can be filled but not made shorter.
 *
 * Use: indexed_aim_start; while indexed_aim_goes_on, size the library with `size` and `normal`, and tell with
 * indexed_aim_note what came of it.
 */
#ifndef EMIT_INDEXED_AIM_H
#define EMIT_INDEXED_AIM_H

#include "dwarf/indexed.h"

struct indexed_aim {
    /* To be asked for: bytes by enum debug_section, or DEBUG_ANY, and of all together. */
    uint64_t size[DEBUG_SECTION_COUNT];
    uint64_t normal;
    bool is_best; /* whether the last one that was told is the best so far, */
    bool is_near; /* and near enough for the next to differ in little else than sizes */

    /* The rest is for indexed_aim.c. */
    uint64_t wanted[INDEXED_SECTIONS]; /* 0: nothing */
    uint64_t all;                      /* of all sections */
    uint64_t aranges;                  /* what .debug_aranges has, which clang does not write */
    uint64_t best;                     /* how far off the best one is; UINT64_MAX: there is none */
    bool is_mixed;
    unsigned rounds, lower;
};

/* `all`: bytes of debug information; `wanted`: of each section, or only zeros; `line` and `line_str`: bytes of the
 * sections that are the same in both forms, with wanted sizes of the others. */
void indexed_aim_start(struct indexed_aim *a, uint64_t all, const uint64_t wanted[INDEXED_SECTIONS], uint64_t line,
                       uint64_t line_str, uint64_t aranges, bool is_cpp);

bool indexed_aim_goes_on(const struct indexed_aim *a);

/* `normal`: the sizes in the normal form that came of it, `got` those in clang's, `total` all of these together. */
void indexed_aim_note(struct indexed_aim *a, const uint64_t normal[DEBUG_SECTION_COUNT],
                      const uint64_t got[INDEXED_SECTIONS], uint64_t total);

/* It could not be sized in clang's form. */
void indexed_aim_failed(struct indexed_aim *a);

#endif
