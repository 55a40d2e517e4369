/* Stamps: the encoded debug information of a stretch of code that many functions have (a block).
 *
 * A stamp is encoded once, as if the code were at address 0 and its first line were 0, by the same functions that
 * compose a library's own entries (compose.h). To put a stamp is to copy its entries, lists and rows whole, and to
 * patch address, place, offset, line and names where they stand. Location and range lists come in two forms. With a
 * base address, one addition moves the whole list, wherever it goes. For a unit's first 16 KiB ("near"), lists have
 * numbers of two bytes without a base address, and the code's offset in the unit is added to each. In version 4 it is
 * added to each number, of eight bytes, of any list. */
#ifndef DWARF_COMPOSE_STAMP_H
#define DWARF_COMPOSE_STAMP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "dwarf/compose/compose.h"

/* What is patched, and where: at offsets in the stamp's entries unless said otherwise. A number is added to what is
 * there, unless it says "replaced". */
enum stamp_patch {
    STAMP_ADDRESS,    /* the code's address: 8 bytes */
    STAMP_PLACE,      /* the place of the entries among the unit's functions, 4 bytes */
    STAMP_LIST,       /* the offset of its location lists, 4 bytes */
    STAMP_RANGES,     /* the offset of its range lists, 4 bytes */
    STAMP_LINE,       /* the line, 2 bytes */
    STAMP_LIST_BASE,  /* the code's address, 8 bytes, in the location lists; in version 4 its offset in the unit */
    STAMP_RANGE_BASE, /* the same in the range lists */
    STAMP_LIST_PAIR,  /* the code's offset in the unit, twice 2 bytes, in the location lists */
    STAMP_RANGE_PAIR, /* the code's offset in the unit, twice 2 bytes, in the range lists */
    STAMP_NAME,       /* a local's name, 4 bytes, replaced, with the abbreviation code before it */
    STAMP_ORIGIN,     /* two numbers, an offset and a callee's number: the callee's place, 4 bytes, replaced */
    STAMP_NOTED,      /* two numbers, offset and name of an inlined call, for the index of names: see compose.h */
    STAMP_ENTER,      /* two numbers, offset and n: DW_LNS_advance_line by n - line, in the rows */
    STAMP_LEAVE,      /* two numbers, offset and n: DW_LNS_advance_line by n + line, in the rows */
    STAMP_PATCHES
};
enum {
    STAMP_ADDED = STAMP_LIST_PAIR, /* the first kinds, up to here, are each patched by one addition */
    STAMP_PATCHES_MOST = 1024,     /* of each kind; in version 4 two for each entry of a list */
    STAMP_DEPTH_MOST = 32,
};

/* A stamp's entries with their lists. The first four members are offsets in the store. */
struct stamp {
    uint32_t patches; /* 16-bit numbers: how many attributes the entries have; then the patches added, pairs, names,
                         origins, noted, far */
    uint32_t info, lists, ranges;
    uint16_t info_size, lists_size, ranges_size;
    uint16_t entries;  /* how many entries its location lists have */
    uint16_t dies;     /* debugging information entries, without the one that has `last` bytes */
    uint32_t inlined;  /* as in struct debug_unit */
    uint64_t codes[2]; /* as in struct composed, without those of locals, whose codes depend on the names */
    uint16_t added, pairs, names, origins, noted; /* how many 16-bit numbers of each there are in `patches` */
    uint16_t last;        /* bytes of the last entry, with its children, if it refers to a sibling; 0: it does not */
    uint8_t last_sibling; /* offset of that reference in the last entry */
    uint8_t last_code;    /* code of the last entry */
    uint16_t far; /* 16-bit numbers for additions at offsets too large for `added`: each a kind, then an offset */
};

static_assert(CORPUS_INLINES <= 32, "stamp.inlined has a bit for each");

/* A stamp's rows of the line table. In the store they stand behind their patches. */
struct stamp_rows {
    uint32_t patches; /* offset in the store */
    uint16_t size;
    uint16_t patched;   /* 16-bit numbers in `patches`: two of a STAMP_ENTER, two of its STAMP_LEAVE, and so on */
    uint16_t last_row;  /* address of the last row */
    uint16_t last_line; /* line of the last row */
    uint16_t count;     /* number of rows */
    uint16_t ahead;     /* how far rows may go beyond the block's own lines of the source; set by the caller */
};

/* The bytes of all stamps. Those of one stamp stand together. There is spare room at the end, because copy_in_steps
 * reads beyond what it copies. */
struct stamp_store {
    uint8_t *data;
    size_t capacity;
    atomic_size_t taken;
    atomic_bool overfull; /* a stamp, or all of them together, would have been larger than there is room for */
};

/* Reserves addresses for far more than `stamps` stamps usually take; false when memory ran out. Free with
 * stamp_store_free. */
bool stamp_store_open(struct stamp_store *s, uint32_t stamps);
void stamp_store_free(struct stamp_store *s);

/* A thread's way to put stamps into the store while other threads do the same: it takes one piece of the store after
 * the other. Zeroed at first, except for `store`. */
struct stamp_shelf {
    struct stamp_store *store;
    struct bytes bytes;         /* the store, up to the end of the piece that is being filled */
    uint32_t lists, lists_size; /* the lists that were put last; the next stamp shares them if it has the same */
};

/* A shelf for stamps that can go anywhere, and one for those that go into a unit's first 16 KiB. */
struct stamp_shelves {
    struct stamp_shelf anywhere, near;
};

/* Where stamp_finish stores its results. `near` and `rows` may be NULL: they are not wanted. */
struct stamp_wanted {
    struct stamp *anywhere, *near;
    struct stamp_rows *rows;
};

/* A stamp under construction. For locals, blocks, inlined and other calls use the wrappers below, which note what has
 * to be patched. The composer's functions for lists and registers are used directly. Rows go to composer.rows, except
 * for the first one, at address 0, which stamp_put_rows writes. */
struct stamp_maker {
    struct composer composer;
    struct composed out;
    struct debug_unit unit;
    struct bytes references; /* uint32_t: offsets of references in the entries */
    struct {
        struct bytes lists, ranges;
    } near; /* the lists of `out`, encoded for a unit's first 16 KiB */
    uint16_t patch[STAMP_PATCHES][STAMP_PATCHES_MOST];
    uint32_t count[STAMP_PATCHES];
    uint16_t far[4 * STAMP_PATCHES_MOST]; /* for stamp.far: kind and offset of each patch, while a stamp is put on the
                                             shelf */
    uint32_t far_count;
    struct stamp_parent {
        uint32_t begin, sibling; /* where the entry begins; where its DW_AT_sibling is, or 0: it has none */
        uint32_t end;            /* where the entry ends, with its children, once it has been ended */
    } parent[STAMP_DEPTH_MOST];  /* open entries with children; behind these the entry that was ended last */
    uint32_t depth;
    bool failed;
};

bool stamp_start(struct stamp_maker *m, const struct corpus *corpus);
/* stamp_start begins a stamp. stamp_finish puts what is wanted on the shelves and begins the next stamp. Both are false
 * when memory ran out, stamp_finish also when the store is overfull. */
bool stamp_finish(struct stamp_maker *m, struct stamp_shelves *on, const struct stamp_wanted *wanted);
void stamp_maker_free(struct stamp_maker *m);

/* Like their namesakes in compose.h. Entries that are made after stamp_inlined, stamp_block, stamp_inlined_block and
 * stamp_call are children of that entry until stamp_end_children. */
void stamp_inlined(struct stamp_maker *m, uint32_t k, uint8_t file, uint32_t line, uint32_t column, uint32_t count,
                   const uint64_t *from, const uint64_t *to);
void stamp_inlined_child(struct stamp_maker *m, uint32_t k, uint32_t child, struct debug_list list);
void stamp_block(struct stamp_maker *m, uint32_t count, const uint64_t *from, const uint64_t *to);
void stamp_inlined_block(struct stamp_maker *m, uint32_t k, uint32_t count, const uint64_t *from, const uint64_t *to);
void stamp_local(struct stamp_maker *m, uint32_t line, enum base_type type, struct debug_list list);
void stamp_constants(struct stamp_maker *m, uint32_t count); /* compose_constant, `count` times */
struct debug_list stamp_list_end(struct stamp_maker *m);
/* A call of callee `number`, with parameters. If it `ends` (manner.ending), it has no reference to a sibling. */
void stamp_call(struct stamp_maker *m, uint64_t returns, uint32_t number, bool ends);
/* Ends the innermost open entry. The child that was ended last becomes the last of its siblings. */
void stamp_end_children(struct stamp_maker *m);
/* stamp_enter_header: the rows that follow are of the included header, from its line `line` on. stamp_leave_header:
 * they are of the source again, `line` lines after the stamp's first. */
void stamp_enter_header(struct stamp_maker *m, uint32_t line);
void stamp_leave_header(struct stamp_maker *m, uint32_t line);

/* Prefetch the bytes of a stamp, as many as most stamps have. */
static inline void stamp_fetch_entries(const struct stamp_store *store, const struct stamp *s)
{
    fetch_lines(store->data + s->patches, 9);
    fetch_lines(store->data + s->lists, 2);
}

static inline void stamp_fetch_rows(const struct stamp_store *store, const struct stamp_rows *s)
{
    fetch_lines(store->data + s->patches, 3);
}

/* Puts a stamp's entries and lists, for code at offset `at` whose first line is `line`. Room must have been reserved.
 * `names` chooses the names of locals; origin[i] is the place of callee i. */
void stamp_put_entries(struct composer *c, const struct stamp_store *store, const struct stamp *s, uint64_t at,
                       uint32_t line, uint32_t names, const uint32_t *origin);
/* Writes the first row, for `at` and `line`, and puts the stamp's rows behind it. */
void stamp_put_rows(struct composer *c, const struct stamp_store *store, const struct stamp_rows *s, uint64_t at,
                    uint32_t line);

#endif
