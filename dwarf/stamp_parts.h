/* What the makers of stamps share: stamp_make.c composes one, stamp_near.c tells its lists again, stamp_shelve.c puts
 * it into the store, from which stamp.c takes it. */
#ifndef DWARF_STAMP_PARTS_H
#define DWARF_STAMP_PARTS_H

#include "dwarf/stamp.h"

/* In the store a patch of one of several kinds has its kind, from the first of them, above its offset. */
enum { PATCH_BITS = 13, PATCH_FAR = 1 << PATCH_BITS, MAKE_MOST = 1 << 14, PADDED_LEB = 3 };

static_assert(STAMP_ADDED <= 1 << (16 - PATCH_BITS), "a kind and an offset have 16 bits");

static inline void stamp_note(struct stamp_maker *m, enum stamp_patch kind, uint32_t number)
{
    if (m->count[kind] == STAMP_PATCHES_MOST)
        m->failed = true;
    else
        m->patch[kind][m->count[kind]++] = (uint16_t)number;
}

/* Whether the entry that was ended last is the last of its siblings, as far as is known, and refers to the next. */
bool stamp_is_last(const struct stamp_maker *m);
/* Now it is known what was ended last is. */
void stamp_settle_child(struct stamp_maker *m);

/* Puts lists without base addresses into m->near, for a unit's first 16 KiB; patches, and what refers to lists, are
 * those of these from then on. */
void stamp_tell_near(struct stamp_maker *m);

#endif
