/* One library, from its row in the plan to the image of its file.
 *
 *     library_size    decides everything that has a size and lays it out
 *     library_write   writes every chunk at its place
 *
 * files.h says which files a library becomes. join.h says how libraries become parts of an executable, by
 * library_write_part.
 *
 * A builder belongs to one thread and makes one library after another. Its memory grows to what the largest of them
 * needs, and is kept.
 */
#ifndef EMIT_LIBRARY_LIBRARY_H
#define EMIT_LIBRARY_LIBRARY_H

#include "base/arena.h"
#include "dwarf/rewrite/indexed.h"
#include "dwarf/rewrite/split.h"
#include "dwarf/unit/unit.h"
#include "elf/write/layout.h"
#include "elf/write/pack.h"
#include "elf/write/separate.h"
#include "emit/library/glue.h"
#include "emit/library/shape.h"
#include "emit/stock/stock.h"

/* Offsets in .dynstr of the strings that .dynamic refers to; those of DT_NEEDED stand one behind the other from
 * `needed` on. */
struct dynamic_strings {
    uint32_t libc, soname, runpath, needed; /* soname: 0 where there is none */
};

struct joined; /* join.h */

/* What split debug information has come to. */
struct dwo_counts {
    uint32_t files;               /* .dwo files, or the package */
    uint64_t part[SPLIT_PARTS];   /* bytes of each of their sections, over all files */
    const struct layout *library; /* of the library itself; from the builder's arena */
    uint32_t skeletons;           /* of the library */
    struct uneven_sum sizes;      /* of the units that these stand for */
    int64_t attributes;           /* more attributes than before */
};

/* An observer: `unit` is called each time a unit with code has been composed. */
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
    struct body *body;        /* of each numbered function */
    uint32_t *alias;          /* what each local alias names, ascending: numbered functions, then small ones */
    double sizes_apart;       /* how far these functions' sizes are from the row's (distribution_distance) */
    uint32_t lead;            /* bytes of .text before the code: cold parts, and padding behind them */
    uint32_t small;           /* offset in the code of the other small functions, which follow the numbered ones */
    uint32_t text_tail;       /* bytes of padding at the end of .text, fewer than the alignment of functions */
    uint32_t *slot;           /* each numbered function's PLT slot, or CODE_NO_SLOT */
    uint32_t outside_slots;   /* the first PLT slot of functions that are bound but never called */
    uint32_t small_slots;     /* the first PLT slot of the library's own small functions */
    uint32_t irelative_first; /* the first PLT slot that a resolver fills: all from there on are such slots */
    struct glue_addresses at;
    struct debug debug;
    uint32_t described;                        /* how many functions debug information describes (plan_described), */
    uint64_t described_names;                  /* and bytes of their names, with terminators */
    uint64_t rodata_free, data_free, bss_free; /* bytes to fill; in .data relocated words are not counted */
    uint64_t relro_free;                       /* constants in .data.rel.ro, behind the pointers: bytes, */
    uint32_t relro_words;                      /* and how many relocated words are among them */
    uint32_t objects_data, objects_rodata,
        objects_bss;                                 /* static objects in each section; with those of the next two, */
    uint32_t objects_relro, objects_tls;             /* there are row->locals */
    uint64_t result;                                 /* what the entry returns */
    struct dynamic_strings strings;                  /* this and all symbol_ members: set by symbols_write */
    uint32_t symbol_cxa_finalize, symbol_gmon_start; /* in .dynsym; behind the latter extra.undefined.clones */
    uint32_t symbol_main, symbol_start_main;         /* of an executable */
    uint32_t *unique_symbols;                        /* in .dynsym: the extra.dynamic.unique_objects, */
    uint32_t *aside_symbols;                         /* and these together with the symbols of versions, ascending */
    uint32_t symbol_outside, symbol_defined;         /* in .dynsym: first of extra.undefined.outside; first defined */
    uint32_t symbol_python;                          /* in .dynsym: the first of CPython's functions */
    struct layout layout;                            /* of the image */
    struct separate separate;                        /* where debug information goes into a file of its own */
    const uint8_t *own_names; /* the names of functions that debug information repeats; set by the write pass */
    const struct joined
        *joined; /* the executable that the library is a part of, which determines its addresses; or NULL */
    struct debug_joined joins;     /* where its debug information is in that executable */
    struct indexed_counts indexed; /* with clang's form: how much there is in .debug_info */
    struct dwo_counts dwo;         /* set by the write pass */
    bool only_sizes;               /* the library will not be written */
    struct library_watch *watch;   /* observer of the library's units, or NULL */
};

/* Whether the library is a part of an executable, without what only a file of its own needs. */
static inline bool library_is_part(const struct library *l)
{
    return l->joined && !l->shape.executable;
}

struct library_file; /* files.h */
struct large;        /* large.h */

/* What b->indexed was made of: a library, and its mix at that time. */
struct translated {
    const struct stock *stock; /* NULL: nothing */
    const struct plan_library *row;
    struct plan_mix mix;
};

struct builder {
    unsigned threads; /* that may work on one library; 0 is taken as 1 */
    struct arena arena;
    struct composed composed; /* of debug information */
    struct bytes sources;     /* memory lent to struct debug, as `statics` is */
    struct bytes statics;
    struct bytes packed; /* compressed sections */
    struct translated translated;
    struct indexed indexed;   /* debug information in clang's form */
    struct bytes normal;      /* the same in the normal form */
    bool is_normal;           /* the size pass ends with the normal form, because sizes are still being tried (mix.h) */
    struct split split;       /* debug information that is being split */
    struct bytes split_files; /* images of its files */
    struct library_file *files; /* the files that were made; owned by the arena */
    uint32_t file_count;
    uint8_t *image;
    size_t capacity;
    /* Set by the caller before library_size: */
    const struct joined *joined; /* for libraries that are parts of an executable, or NULL */
    bool only_sizes;             /* the library will not be written: contents may be left undefined */
    struct large *large;         /* if the library is written piece by piece (large.h), or NULL */
    struct library library;
    struct library loaded;  /* copy of `library` from when all that is loaded was settled, for library_size_again */
    struct arena_mark mark; /* of the arena at that time */
};

/* The size pass. Fails where the sizes cannot be met (which the plan has excluded), where the object would be too
 * large, or where memory runs out. */
bool library_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                  struct error *e);

/* Sizes again the library of the last library_size, if only its mix has changed since. Reuses what was settled of
 * the parts that are loaded (b->loaded, whose row must be set). */
bool library_size_again(struct builder *b, struct error *e);

/* The write pass. Fills b->files. Of a large library it writes the sections to the file; headers and what is between
 * sections come with window_finish (large.h). */
bool library_write(struct builder *b, struct error *e);

/* Writes what the library adds to the executable b->joined, into b->image (join.h). */
bool library_write_part(struct builder *b, struct error *e);

/* Bytes at the beginning of .data, before the objects, that statements write to: as many as there is room for. 0
 * where these bytes are in .bss. */
static inline uint64_t library_scratch(const struct library *l)
{
    const uint64_t room = l->shape.scratch + (l->data_free & ~UINT64_C(7));
    if (!l->shape.in_data || l->row->level == LEVEL_BARE)
        return 0;
    return room < SCRATCH_BYTES ? room : SCRATCH_BYTES;
}

/* Where in the code a numbered function begins; for the one behind the last, where that ends. */
static inline uint32_t library_function_at(const struct library *l, uint32_t index)
{
    return index < l->row->functions ? l->body[index].offset : l->small;
}

/* Where in the code the first function that is described begins, of those that are not small. */
uint64_t library_first_described(const struct library *l);

/* library_debug.c. The ELF section that holds debug section `s` of the library. */
enum section_id library_debug_section(const struct library *l, enum debug_section s);

/* Frees what the builder owns. It can be used again then; after a failure it must not be used before. */
void builder_free(struct builder *b);

#endif
