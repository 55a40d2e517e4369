/* What the files of stamp.h share. stamp_make.c composes a stamp, stamp_near.c encodes its lists again without base
 * addresses, stamp_shelve.c puts it into the store, and stamp.c copies it from there. */
#ifndef DWARF_COMPOSE_STAMP_PARTS_H
#define DWARF_COMPOSE_STAMP_PARTS_H

#include "dwarf/compose/stamp.h"

/* Where the store has patches of several kinds in one run, a patch is an offset of PATCH_BITS bits, with its kind
 * above. The kind counts from the first one of the run. */
enum { PATCH_BITS = 13, PATCH_FAR = 1 << PATCH_BITS, PADDED_LEB = 3 };

/* STAMP_MOST: bytes of each of entries, lists, ranges and rows that a stamp may have. MAKE_MOST: bytes of each that it
 * may take while it is composed, in a manner that tells as much as any (tests/test_stock.c). A stamp between these two
 * is refused. */
enum { STAMP_MOST = 1 << 14, MAKE_MOST = 1 << 16 };

static_assert(STAMP_ADDED <= 1 << (16 - PATCH_BITS), "a kind and an offset have 16 bits");

static inline void stamp_note(struct stamp_maker *m, enum stamp_patch kind, uint32_t number)
{
    if (m->count[kind] == STAMP_PATCHES_MOST)
        m->failed = true;
    else
        m->patch[kind][m->count[kind]++] = (uint16_t)number;
}

/* Whether the entry that was ended last has no sibling behind it so far, and has a reference to one. */
bool stamp_is_last(const struct stamp_maker *m);
/* Settles the entry that was ended last. To be called when it is known whether it is the last of its siblings. */
void stamp_settle_child(struct stamp_maker *m);

/* Encodes the lists without base addresses into m->near, for a unit's first 16 KiB. From then on, the patches of lists
 * and the references to lists are those of m->near. */
void stamp_tell_near(struct stamp_maker *m);

#endif
