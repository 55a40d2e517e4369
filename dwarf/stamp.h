/* Stamps: what there is to say about a stretch of code that many functions have.
 *
 * A stamp is encoded once, with addresses from 0 and lines from 0, by the same
 * functions that compose a library's own entries (compose.h); putting it copies
 * entries, lists and rows whole and adds address, place, offset, line and names
 * where they belong. Location and range lists are made in one of two ways: with a
 * base address, so that one addition moves all of a list, wherever it goes; or
 * with numbers of two bytes, to each of which the offset in the unit is added,
 * for what goes into a unit's first 16 KiB.
 */
#ifndef DWARF_STAMP_H
#define DWARF_STAMP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "dwarf/compose.h"

/* What is added, and where: offsets in the stamp's entries unless said. */
enum stamp_patch {
    STAMP_ADDRESS,    /* the code's address: 8 bytes */
    STAMP_PLACE,      /* the place of the entries among the unit's functions, 4 bytes */
    STAMP_LIST,       /* the offset of its location lists, 4 bytes */
    STAMP_RANGES,     /* the offset of its range lists, 4 bytes */
    STAMP_LINE,       /* the line, 2 bytes */
    STAMP_LIST_BASE,  /* the code's address, 8 bytes, in the location lists */
    STAMP_RANGE_BASE, /* the same in the range lists */
    STAMP_LIST_PAIR,  /* the code's offset in the unit, twice 2 bytes, in the location lists */
    STAMP_RANGE_PAIR, /* the same in the range lists */
    STAMP_NAME,       /* a local's name, 4 bytes, replaced, and the code before it */
    STAMP_ORIGIN,     /* then a number: the place of that callee, 4 bytes, replaced */
    STAMP_NOTED,      /* an inlined call for the index of names, then its name: see compose.h */
    STAMP_ENTER,      /* then a number n: DW_LNS_advance_line by n - line, in the rows */
    STAMP_LEAVE,      /* then a number n: DW_LNS_advance_line by n + line, in the rows */
    STAMP_PATCHES
};
enum {
    STAMP_ADDED = STAMP_LIST_PAIR, /* kinds of single numbers that something is added to */
    STAMP_PATCHES_MOST = 1024,
    STAMP_DEPTH_MOST = 32,
};

/* A stamp's entries with their lists, as offsets in the store. */
struct stamp {
    uint32_t patches; /* of all kinds but those of rows, in their order */
    uint32_t info, lists, ranges;
    uint16_t info_size, lists_size, ranges_size;
    uint16_t entries;  /* of location lists */
    uint16_t dies;     /* entries of info, but for the one with `last` bytes */
    uint32_t inlined;  /* as in struct debug_unit */
    uint64_t codes[2]; /* as in struct composed, but those of locals, which follow from their names */
    uint16_t added, pairs, names, origins, noted; /* numbers of 16 bits for each of these kinds of patches, */
    uint16_t last;        /* 0, or bytes of the entry that it ends with and that refers to its sibling; */
    uint8_t last_sibling; /* where in these it does; */
    uint8_t last_code;    /* its code */
    uint16_t far; /* and for those that something is added to farther behind: of each the kind, then the offset */
};

static_assert(CORPUS_INLINES <= 32, "stamp.inlined has a bit for each");

/* Its rows. */
struct stamp_rows {
    uint32_t rows, patches;
    uint16_t size;
    uint16_t patched;   /* numbers of 16 bits of patches: for entering, and for leaving what was entered, in turn */
    uint16_t last_row;  /* address of its last row */
    uint16_t last_line; /* and the line of that */
    uint16_t count;     /* of rows */
    uint16_t ahead;     /* so many lines of the source behind those of the block there may be a row of; 0 at first */
};

/* All stamps' bytes, those of one together, with some to spare: what is put is copied in steps. */
struct stamp_store {
    uint8_t *data;
    size_t capacity;
    atomic_size_t taken;
};

/* For `stamps` of the usual size: reserves addresses for far more than they take. False when memory ran out. */
bool stamp_store_open(struct stamp_store *s, uint32_t stamps, struct dialect dialect);
void stamp_store_free(struct stamp_store *s);

/* Where one thread puts stamps into the store, beside others: into pieces that it takes, one after the other. Begins as
 * zeros but for the store. */
struct stamp_shelf {
    struct stamp_store *store;
    struct bytes bytes;         /* the store up to the end of the piece under way */
    uint32_t lists, lists_size; /* the last ones: stamps that follow each other may have the same */
};

/* One for stamps that go anywhere, and one for those that go into a unit's first 16 KiB. */
struct stamp_shelves {
    struct stamp_shelf anywhere, near;
};

/* What is made of what has been composed: neither `near` nor `rows` need be wanted (NULL). */
struct stamp_wanted {
    struct stamp *anywhere, *near;
    struct stamp_rows *rows;
};

/* Making one. The composer's functions for locals, blocks, inlined and other
 * calls are used through the wrappers below, which note what is to be added; its
 * functions for lists and registers directly. Rows go to composer.rows, the
 * first one at address 0 not among them. */
struct stamp_maker {
    struct composer composer;
    struct composed out;
    struct debug_unit unit;
    struct bytes references; /* uint32_t: where they are in the entries */
    struct {
        struct bytes lists, ranges;
    } near; /* those of `out`, told for a unit's first 16 KiB */
    uint16_t patch[STAMP_PATCHES][STAMP_PATCHES_MOST];
    uint32_t count[STAMP_PATCHES];
    uint16_t far[4 * STAMP_PATCHES_MOST]; /* while a stamp is put on the shelf: as in the store */
    uint32_t far_count;
    struct stamp_parent {
        uint32_t begin, sibling; /* where it is, and where it says what its next sibling is; 0: nowhere */
        uint32_t end;            /* where that is, when it has been ended */
    } parent[STAMP_DEPTH_MOST];  /* entries with children that are open, and the one that was ended last */
    uint32_t depth;
    bool failed;
};

bool stamp_start(struct stamp_maker *m, const struct corpus *corpus);
/* Puts what is wanted on the shelves, and begins the next; false when memory ran out or it has grown beyond what a
 * stamp holds. */
bool stamp_finish(struct stamp_maker *m, struct stamp_shelves *on, const struct stamp_wanted *wanted);
void stamp_maker_free(struct stamp_maker *m);

/* As their namesakes in compose.h; what follows is in the entry until stamp_end_children. */
void stamp_inlined(struct stamp_maker *m, uint32_t k, uint8_t file, uint32_t line, uint32_t column, uint32_t count,
                   const uint64_t *from, const uint64_t *to);
void stamp_inlined_child(struct stamp_maker *m, uint32_t k, uint32_t child, struct debug_list list);
void stamp_block(struct stamp_maker *m, uint32_t count, const uint64_t *from, const uint64_t *to);
void stamp_inlined_block(struct stamp_maker *m, uint32_t k, uint32_t count, const uint64_t *from, const uint64_t *to);
void stamp_local(struct stamp_maker *m, uint32_t line, enum base_type type, struct debug_list list);
struct debug_list stamp_list_end(struct stamp_maker *m);
/* A call of callee `number`, with parameters; where it `ends` a block, it refers to no sibling. */
void stamp_call(struct stamp_maker *m, uint64_t returns, uint32_t number, bool ends);
/* Ends the entry that is open; what it ends with then is the last of its siblings. */
void stamp_end_children(struct stamp_maker *m);
/* The rows that follow are of the included header, from `line` on; of the source,
 * as `line` lines behind the stamp's first. */
void stamp_enter_header(struct stamp_maker *m, uint32_t line);
void stamp_leave_header(struct stamp_maker *m, uint32_t line);

/* Reads the bytes of most stamps ahead. */
static inline void stamp_fetch_entries(const struct stamp_store *store, const struct stamp *s)
{
    fetch_lines(store->data + s->patches, 9);
    fetch_lines(store->data + s->lists, 2);
}

static inline void stamp_fetch_rows(const struct stamp_store *store, const struct stamp_rows *s)
{
    fetch_lines(store->data + s->patches, 3);
}

/* Putting it: about code at offset `at`, its first line being `line`. Room has
 * been reserved. Names are chosen by `names`; origin[i] is the place of callee i. */
void stamp_put_entries(struct composer *c, const struct stamp_store *store, const struct stamp *s, uint64_t at,
                       uint32_t line, uint32_t names, const uint32_t *origin);
/* Its rows, the first of which is written here too. */
void stamp_put_rows(struct composer *c, const struct stamp_store *store, const struct stamp_rows *s, uint64_t at,
                    uint32_t line);

#endif
