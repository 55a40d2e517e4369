/* Libraries joined in one executable, as a linker would join their objects.
 *
 * A library's functions, objects, unwind entries, symbols and debug information are the same as in a file of its
 * own. What it has in order to be a file is left out: dynamic symbols, PLT, initialiser and finaliser. So each
 * section of the executable is what the executable itself brings, then (or, of relocations, before that) the parts
 * of all libraries, in the plan's order:
 *
 *     .text        own | libmodule0 | libmodule1 | ...
 *     .symtab      own locals | libmodule0's locals | ... | libmodule0's globals | ... | own globals
 *     .debug_str   the corpus's strings | libmodule0's | ...
 *
 * Calls go to functions directly, without a PLT, except those of Python's functions.
 *
 * What the executable itself brings (_start, dynamic symbols, PLT, ...) is one more row of the plan, LIBRARY_STATIC:
 * a part like the others, with everything else that an executable has.
 *
 * Use:
 *
 * - For every row, that of the executable last: library_size and join_measure.
 * - Then join_lay.
 * - Then for every row, in any order: library_size once more, with builder.joined set, which finds the same sizes at
 *   other addresses; library_write_part; and copy the pieces that join_piece names.
 */
#ifndef EMIT_LIBRARY_JOIN_H
#define EMIT_LIBRARY_JOIN_H

#include "elf/write/layout.h"
#include "emit/library/library.h"
#include "emit/library/shape.h"

/* The pieces of a library: one for each section, and one for its global symbols. SECTION_SYMTAB stands for its local
 * symbols. */
enum { PART_GLOBALS = SECTION_COUNT, PART_PIECES };

/* One library in the executable. */
struct part {
    uint64_t size[PART_PIECES];           /* bytes */
    uint64_t base[PART_PIECES];           /* bytes of the section before this piece; set by join_lay */
    uint32_t shared[DEBUG_SECTION_COUNT]; /* how many bytes of the corpus's strings, from their beginning, the library
                                             refers to */
    uint32_t init, entry, own_extern, functions; /* offsets in its part of .text; `functions`: in joined.function */
    uint32_t marks, marks_size;                  /* offset in its part of .bss, and bytes */
};

struct joined {
    const struct plan *plan;
    uint32_t own;       /* the row of the plan for what the executable itself brings */
    struct part *part;  /* as plan->library */
    uint32_t *function; /* each function of all utilities: its offset in its library's part of .text */
    uint32_t shared[DEBUG_SECTION_COUNT]; /* the largest part[].shared */
    /* Set by join_lay. */
    struct layout layout;                   /* of the executable */
    uint64_t python[PYTHON_FUNCTION_COUNT]; /* addresses of the PLT entries of Python's functions, in their order */
};

/* Allocates what is kept of every library; false when memory ran out. `own`: the executable's row. Free with
 * join_free. */
bool join_start(struct joined *j, const struct plan *plan, uint32_t own);
void join_free(struct joined *j);

/* Keeps what the layout and other libraries need to know of a library, after library_size. May be called by any
 * thread, in any order. */
void join_measure(struct joined *j, const struct library *l);

/* Gives every part its place, and the executable its layout. `own`: what the executable itself brings, sized by
 * library_size. Fails like layout_place. */
bool join_lay(struct joined *j, const struct library *own, struct error *e);

/* Whether relative relocations of the executable are packed; this does not depend on those of libraries' own files. */
bool join_packs(const struct joined *j);

/* The number of parts besides the executable's own, and the row of one of them. */
uint32_t join_parts(const struct joined *j);
uint32_t join_row(const struct joined *j, uint32_t part);

/* Whether a library that was sized again came out as before; false with `e`, which says what differs. */
bool join_check(const struct joined *j, const struct library *l, struct error *e);

/* The address of what is at `place` in a library's part of a section. */
static inline uint64_t join_address(const struct joined *j, uint32_t library, enum section_id id, uint64_t place)
{
    return j->layout.section[id].address + j->part[library].base[id] + place;
}

/* Bytes of the section before the library's part. */
static inline uint64_t join_base(const struct library *l, enum section_id id)
{
    return l->joined->part[l->row - l->plan->library].base[id];
}

/* The number of entries in the executable's .eh_frame, and of rows in .eh_frame_hdr. */
uint32_t join_framed(const struct joined *j);

/* Where a piece of a library that library_write_part has written is in the image, and where it belongs in the file;
 * in bytes. join_piece returns false where the library has no such piece. */
struct piece_place {
    uint64_t image, file, size;
};
bool join_piece(const struct library *l, unsigned piece, struct piece_place *place);

/* For library.c. join_place sets the addresses of the library's sections in the executable, join_targets the
 * addresses that its calls go to; the latter returns false when memory ran out. */
void join_place(struct library *l);
bool join_targets(struct library *l, struct arena *arena);

#endif
