/* One library, from its row in the plan to the image of its file.
 *
 *     library_size    decides everything that has a size and lays it out
 *     library_write   writes every chunk at its place
 *
 * files.h has the files that come of it; join.h how libraries become parts of an
 * executable, by library_write_part.
 *
 * A builder belongs to one thread and is used for one library after another; its
 * memory grows to what the largest of them needs and is kept.
 */
#ifndef EMIT_LIBRARY_H
#define EMIT_LIBRARY_H

#include "base/arena.h"
#include "dwarf/split.h"
#include "dwarf/unit.h"
#include "elf/layout.h"
#include "elf/pack.h"
#include "elf/separate.h"
#include "emit/glue.h"
#include "emit/shape.h"
#include "emit/stock.h"

/* Offsets in .dynstr of what .dynamic names; `needed` is the first of a row. */
struct dynamic_strings {
    uint32_t libc, soname, runpath, needed; /* soname: 0 where there is none */
};

struct joined; /* join.h */

/* Told of each unit of code when it has been composed. */
struct library_watch {
    void (*unit)(struct library_watch *watch);
};

/* Everything decided about one library by the size pass. */
struct library {
    const struct plan *plan;
    const struct plan_library *row;
    const struct stock *stock;
    struct shape shape;
    struct calls calls;
    struct glue glue;
    struct code code;
    struct body *body;      /* of each numbered function */
    double sizes_apart;     /* how far their sizes are from the row's (distribution_distance) */
    uint32_t small;         /* where the small functions begin in .text, behind these; */
    uint32_t text_tail;     /* bytes behind them all, fewer than functions are aligned to */
    uint32_t *slot;         /* its PLT slot, or CODE_NO_SLOT */
    uint32_t own_slots;     /* the first slot of own functions */
    uint32_t outside_slots; /* and of functions that are bound alone */
    uint32_t small_slots;   /* and of own ones that are small */
    struct glue_addresses at;
    struct debug debug;
    uint64_t rodata_free, data_free, bss_free;          /* that in .data without the words that are relocated */
    uint64_t relro_free;                                /* constants in .data.rel.ro, behind pointers */
    uint32_t objects_data, objects_rodata, objects_bss; /* static objects in each, with those of .tbss row->locals */
    uint32_t objects_tls;
    uint64_t result;                                 /* what the entry returns */
    struct dynamic_strings strings;                  /* these three by symbols_write */
    uint32_t symbol_cxa_finalize, symbol_gmon_start; /* in .dynsym; behind the latter extra.clones */
    uint32_t symbol_main, symbol_start_main;         /* of an executable */
    uint32_t symbol_outside, symbol_defined;         /* the first of these, in .dynsym, */
    uint32_t symbol_python;                          /* and of CPython's functions */
    struct layout layout;                            /* of the image */
    struct separate separate;                        /* where debug information goes into a file of its own */
    const uint8_t *own_names;    /* of its functions, as debug information has them; set when written */
    const struct joined *joined; /* whose part it is: addresses are those there; or NULL */
    struct debug_joined joins;   /* and where its debug information is there */
    bool only_sizes;             /* it will not be written */
    struct library_watch *watch; /* who is told of its units, or NULL */
};

/* Whether it is in an executable without what it would have in order to be a file. */
static inline bool library_is_part(const struct library *l)
{
    return l->joined && !l->shape.executable;
}

struct library_file; /* files.h */
struct large;        /* large.h */

struct builder {
    struct arena arena;
    struct composed composed; /* of debug information */
    struct bytes sources;     /* these two kept for struct debug */
    struct bytes statics;
    struct bytes packed;        /* compressed sections */
    struct split split;         /* debug information that is being split */
    struct bytes split_files;   /* images of its files */
    struct library_file *files; /* what was written; of the arena */
    uint32_t file_count;
    uint8_t *image;
    size_t capacity;
    /* Set by the caller before library_size: */
    const struct joined *joined; /* for libraries that are parts of an executable, or NULL */
    bool only_sizes;             /* what it finds is not going to be written; all has its size */
    struct large *large;         /* where the library is written piece by piece, or NULL */
    struct library library;
    struct library loaded;  /* as it is when what is loaded is settled, */
    struct arena_mark mark; /* and what of the arena that takes */
};

/* Fails where the sizes cannot be met (which the plan has excluded), where the
 * object would be too large, or where memory runs out. */
bool library_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                  struct error *e);

/* The same of the library that library_size was last asked for, and for which it had settled what is loaded
 * (b->loaded.row), where since then nothing but its mix has changed: what is loaded is as it was. */
bool library_size_again(struct builder *b, struct error *e);

/* Writes b->files; of a large library the sections of its file, headers and what is between these come with
 * window_finish (large.h). */
bool library_write(struct builder *b, struct error *e);

/* Writes what the library adds to the executable b->joined, into b->image (join.h). */
bool library_write_part(struct builder *b, struct error *e);

/* The exact least of a library's numbered functions, for plans where the
 * estimate is too close; 0 when memory ran out. */
uint64_t library_code_least(const struct plan *plan, const struct plan_library *row, struct arena *arena);

/* How the plan's debug sections are compressed. */
enum pack_kind library_packing(const struct plan *plan);

/* Bytes of .data that statements write to, before the objects, where they are there: as far as there is room. */
static inline uint64_t library_scratch(const struct library *l)
{
    const uint64_t room = l->shape.scratch + (l->data_free & ~UINT64_C(7));
    if (!l->shape.in_data || l->row->level == LEVEL_BARE)
        return 0;
    return room < SCRATCH_BYTES ? room : SCRATCH_BYTES;
}

/* Where in .data the objects begin, and their bytes: those of data_free, and among these the
 * words of plan_extra. */
static inline uint64_t library_objects_at(const struct library *l)
{
    return l->shape.data - shape_words(l->row) + library_scratch(l) - l->shape.scratch;
}
static inline uint64_t library_objects_size(const struct library *l)
{
    return l->data_free + shape_words(l->row) - (library_scratch(l) - l->shape.scratch);
}

/* Where the debug sections are in the image. */
struct debug_places library_debug_places(const struct library *l, uint8_t *image);

/* The section that has them. */
enum section_id library_debug_section(const struct library *l, enum debug_section s);

void builder_free(struct builder *b);

/* As many of them, and the array, which may be NULL. */
void builders_free(struct builder *builders, unsigned count);

/* symbols.c: .dynsym, .dynstr, hashes, versions, .symtab, .strtab; fills
 * plt_symbols, the .dynsym index of each PLT slot's symbol. */
bool symbols_write(struct library *l, uint8_t *image, struct arena *arena, uint32_t *plt_symbols);

/* The same of a library that is a part of an executable: .symtab, its local symbols
 * and then its global ones, and .strtab, which begins with the names that debug
 * information repeats, and has `base` bytes before it there. How many local symbols there
 * are, and bytes of strings. */
void symbols_write_part(const struct library *l, uint64_t base, uint8_t *image);
uint32_t symbols_part_locals(const struct library *l);
uint64_t symbols_part_strings(const struct library *l);

/* The part of .dynstr that debug information repeats, before there is an image: the
 * `size` bytes of the functions' names. NULL when memory ran out. */
const char *symbols_names(const struct library *l, uint64_t size, struct arena *arena);

/* tables.c: .rela.dyn and what it relocates, .dynamic, build-id, .comment,
 * constants and objects, but for those that are steered (taste.h). Also gives the addresses that the code refers to. */
void tables_addresses(struct library *l);
void tables_write(struct library *l, uint8_t *image, bool steered);

/* What of that a library adds to an executable: relocations, but for those that a file
 * of its own has, and what they relocate; constants and objects. */
enum { TABLES_FILE_RELATIVE = 3 };
void tables_write_part(struct library *l, uint8_t *image);

#endif
