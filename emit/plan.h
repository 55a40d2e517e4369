/* The plan: everything decided about a set before a byte is laid out.
 *
 * For each library its kind, how many functions it has, whom it calls and what
 * its five sizes are; from that and the seed every further choice follows, so
 * that any library can be made alone. A plan is read-only once plan_make has
 * returned, and some 1.3 kB a library: what depends on single functions
 * (signatures, calls) is computed where it is needed, in closed form.
 */
#ifndef EMIT_PLAN_H
#define EMIT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/executable.h"
#include "elf/unwind.h"
#include "emit/executables.h"
#include "emit/function.h"
#include "emit/names.h"
#include "emit/profile.h"

/* What is LIBRARY_INSIDE is a part of executables and never a file of its own: one of many with
 * what a large executable has of its own (executables.h). Kinds from LIBRARY_LINK on are
 * executables. */
enum library_kind {
    LIBRARY_MODULE,
    LIBRARY_UTILITY,
    LIBRARY_BEGIN,
    LIBRARY_FINAL,
    LIBRARY_INSIDE,
    LIBRARY_LINK,
    LIBRARY_STATIC
};

enum { FIVE_SIZES = SIZE_STRTAB + 1, PLAN_UNITS = 35 /* functions in a unit, on average */ };

struct corpus;

/* A DT_NEEDED within a set whose profile has rows. */
struct plan_edge {
    uint32_t library; /* in plan->library */
    uint32_t symbols; /* functions that it imports, */
    uint32_t calls;   /* of which it calls so many: the first; the others are bound alone */
    uint32_t first;   /* the first of them among the caller's imports, */
    uint32_t call;    /* among those that it calls, */
    uint32_t rank;    /* and among what may be called there (calls_rows.h) */
};

/* What of a library with a row gives way where its sizes have no room for it: each goes
 * with all before it. */
enum plan_level {
    LEVEL_WHOLE,
    LEVEL_UNMARKED, /* without visit marks */
    LEVEL_TIGHT,    /* in .bss only what every library has; statements write to .data */
    LEVEL_PLAIN,    /* a module says nothing of itself but its entry */
    LEVEL_BARE,     /* without constants, helpers and what refers to them */
    LEVEL_COUNT
};

/* What PyInit_ of a module does (glue.h). The shorter two come from rows, and leave the module without attributes. */
enum plan_init {
    INIT_FRAMED, /* makes the module, and tells how many functions it has where it has attributes */
    INIT_TAIL,   /* makes the module, with a jump */
    INIT_PHASES, /* hands its definition to Python, which makes the module: PEP 489 */
};

enum { PLAN_FILE_LENGTHS = 32, PLAN_CLONES = 2 };

struct plan_library {
    char name[NAME_PREFIX_MOST - 8]; /* "libmodule3", which its symbols begin with */
    char prefix[16];                 /* "m3", which most symbols of one with a row begin with; "" of others */
    enum library_kind kind;
    uint32_t number; /* among its kind */
    uint64_t key;    /* hash(seed, library): the root of all its choices */
    uint32_t functions;
    uint32_t chains;          /* a chain is `depth` functions, of which each calls the next */
    uint32_t covered;         /* chains that a visit reaches */
    uint32_t imports;         /* distinct utility functions that it calls */
    uint64_t function_names;  /* bytes of its functions' names, with terminators */
    uint64_t import_names;    /* and of its imports' */
    uint32_t utilities;       /* DT_NEEDED on utilities */
    uint32_t needed_digits;   /* in the numbers of those */
    uint32_t locals;          /* static objects, beyond those that every library has */
    struct profile_elf elf;   /* as the profile has it, or the row */
    bool stripped;            /* has no symbol table */
    bool without_debug;       /* has no debug information */
    enum separation separate; /* how the file is found that has it */
    bool without_libc;        /* linked without the C library, whose symbols have no versions then */
    bool runpath;             /* finds others beside itself */
    uint8_t dwarf_version, dwarf_language;
    bool dwarf_terse;   /* as dialect.terse */
    bool inner_entry;   /* its entry is a local symbol, which only the method table leads to */
    bool direct_entry;  /* which is called without a PLT, as one that is a local symbol always is */
    bool result_by_got; /* and CPython's function that makes its result through .got, the first of extra.got */
    bool inner_marks;   /* its visit marks are no dynamic symbol: the manifest says where they are */
    bool hollow;        /* its debug information is too little for a unit: names alone */
    bool unaligned;     /* its functions follow each other without a gap, as code without optimisation does */
    uint8_t alike;      /* of 255 names so many have words in common (names_row.h) */
    bool plain_names;   /* of Pynamic's style, also where others are mangled */
    enum plan_init init;
    bool untold; /* a module that has no attributes, as its row has no relocations for them */
    /* Of a library with a row, `said`; the others have none of this. */
    const struct profile_row *said;
    enum plan_level level;
    bool bare;         /* that is LEVEL_BARE, whatever there is room for, as of all that it calls */
    uint32_t exported; /* functions that are dynamic symbols: the first; the others are local */
    uint32_t lazy;     /* of which the first so many are called through the PLT, where they are called */
    uint32_t calls;    /* of imports: those that it calls; the others are bound alone */
    uint32_t callers;  /* the first so many functions call other libraries, each per_function times */
    uint32_t per_function;
    uint32_t leaf;    /* the first that certainly does not, at or behind that */
    uint32_t visited; /* that a visit of every module reaches */
    /* What it has beyond what its functions take, as real ones have. */
    struct plan_extra {
        uint32_t outside;      /* undefined symbols of functions outside the set (outside.h), */
        uint32_t weak;         /* of which the last so many are weak, */
        uint32_t clones;       /* weak ones besides, which are nowhere: the first so many of shape_clones */
        uint32_t slots;        /* so many imports that it does not call, and then of these, have PLT slots: the first */
        uint32_t small_slots;  /* so many of its own small functions have one, too: the first */
        uint32_t got;          /* R_X86_64_GLOB_DAT */
        uint32_t direct;       /* entries of .plt.got: for __cxa_finalize, and the first of these */
        uint32_t buckets;      /* of .gnu.hash; 0: as ld has them */
        uint32_t addresses;    /* R_X86_64_64, in .data, */
        uint32_t symbols;      /* which refer to so many symbols that no word in .got has */
        uint32_t pointers;     /* R_X86_64_RELATIVE, in .data */
        uint32_t weak_own;     /* exported functions that are weak: the last */
        uint32_t objects;      /* dynamic symbols of data, */
        uint32_t weak_objects; /* of which the last so many are weak, */
        uint32_t ends;         /* and of where sections begin and end (shape.h) */
        uint32_t needed;       /* DT_NEEDED outside the set besides the C library */
        uint32_t versions;     /* of the C library's that it needs beyond OUTSIDE_VERSION, */
        uint32_t versioned;    /* and libraries besides, the first of `needed`, of which it needs that version */
        uint32_t tls;          /* bytes of .tbss, part of bss, and */
        uint32_t tls_modules;  /* R_X86_64_DTPMOD64, each with an offset in .got */
        uint32_t constructing; /* bytes of that which does what all constructors do (glue.h); 0: none does anything */
        uint32_t initialising; /* bytes of PyInit_ beyond what it needs (glue.h) */
        uint32_t constructors; /* beyond one, */
        uint32_t destructors;  /* and the same of these */
        bool ended;            /* .eh_frame ends with two words of zeros, and not one */
        uint32_t unwind;       /* 8 bytes each of unwind entries beyond what they take (elf/unwind.h) */
        uint32_t methods;      /* beyond those that the driver calls (methods.h), */
        uint32_t documented;   /* of which so many say what they do: the first */
        uint64_t names;        /* bytes of the names of `outside` */
    } extra;
    double names_apart;       /* how far lengths of names are from the row's (distribution_distance) */
    uint64_t versioned_names; /* bytes of the C library's names with their versions, in .symtab; 0: without */
    uint16_t *outside_choice; /* which functions extra.outside are (outside.h), or NULL: any; the plan's */
    uint32_t units;           /* of debug information, but for those without code; 0: as in any */
    uint32_t units_all;       /* with those; 0: as many as it takes */
    uint32_t partials;        /* partial ones besides, where there is room for them */
    uint32_t shared_names;    /* small functions and static objects that have names of others: the last */
    uint64_t exported_names;  /* bytes of these names, part of function_names */
    /* Characters in the names of its functions and of its static objects, or NULL: as few as can be
     * (names_row.h). The plan's; `lengths` entries of the first are set. */
    uint16_t *function_length, *object_length;
    /* Functions that are too small to be numbered ones: symbols that at most tables lead to
     * (small.h) and nothing is told of, behind the others in .text. In ascending order of sizes. Of `small_sizes` of
     * them (the plan's; bytes, 0 too; behind them as they are wanted), the first `small` are there. Their names are
     * those of the first static objects, where they are local.
     */
    uint8_t *small_size;
    uint32_t small_sizes, small;
    uint64_t function_average; /* bytes of the row's code for each of its functions, or 0 (sizes_said.h) */
    uint32_t small_exported;   /* of which so many are dynamic symbols: the first */
    /* Names of these and of dynamic objects (names_row.h): bytes with terminators, and characters, the plan's, of which
     * `other_lengths` entries are set; the others have as few as can be. */
    uint64_t other_names;
    uint16_t *other_length;
    uint32_t other_lengths;
    /* Undefined symbols that no relocation refers to, as there are not enough names of their lengths (outside.h): the
     * last of these names. */
    uint32_t unbound;
    /* Which names of dynamic symbols, of functions before these, are the ends of others and take no bytes in .dynstr
     * (names_row.h), of `ended` names; how many are. The plan's. */
    uint32_t *end;
    uint32_t ended, ends;
    /* Letters of its first classes' names (mangle.h), where the row says how long names are; the plan's. */
    uint16_t *class_letters;
    uint32_t classes;
    uint32_t local_mangled; /* small functions that are local symbols whose names are, as far as they are long enough */
    uint32_t mangled;       /* names of dynamic symbols, of exported functions and these, that are mangled: the first */
    uint32_t files;         /* local symbols of type STT_FILE beyond those that every library has */
    /* Characters of the names of these, ascending, each of as many (names_row.h), where .strtab has room for them; 0,
     * or without room: as of those that every one has. */
    uint8_t file_length[PLAN_FILE_LENGTHS];
    bool files_named; /* there is room */
    uint32_t lengths;
    struct plan_edge *edge; /* the plan's; in the order of DT_NEEDED */
    uint32_t edges;

    uint64_t size[SIZE_KINDS];
    uint64_t local_names; /* characters in their names beyond the natural ones */
    /* Where its calls (of a module) or chains (of a utility) begin in the row
     * of all, [1] for the covered and [0] for the others. */
    uint64_t first[2];
};

/* What choices are made for: each has randomness of its own, so that one more
 * choice somewhere changes nothing elsewhere. */
enum purpose {
    PURPOSE_COUNT,
    PURPOSE_PIECES,
    PURPOSE_CONSTANTS_IN_CODE,
    PURPOSE_WEIGHT,
    PURPOSE_PADDING,
    PURPOSE_UNITS,
    PURPOSE_DEBUG,
    PURPOSE_RODATA,
    PURPOSE_DATA,
    PURPOSE_HELPERS,
    PURPOSE_ENTRY,
    PURPOSE_EXTERN,
    PURPOSE_CLASSES,
    PURPOSE_NAMES,
    PURPOSE_METHODS,
    PURPOSE_CONSTRUCTORS,
};

/* How calls into utilities are assigned; see calls.h. */
struct assignment {
    uint32_t repeat; /* times that a call is made, one after the other */
    bool random;     /* to any function; the others have layers */
    uint32_t layers;
    uint32_t per_function; /* calls of each module function */
    uint64_t calls[2];
    uint64_t chains[2];
    uint64_t jitter;
};

/* Bytes of each debug section of a library, or DEBUG_ANY (dwarf/unit.h). */
struct plan_mix {
    uint64_t size[10];
    int32_t rows_part, expression; /* describe.h */
    uint32_t letters;              /* describe.h */
    uint32_t told;                 /* of what functions' entries may take, so many DESCRIBE_TOLD_ALLths */
    bool is_settled;               /* by whoever makes the library first, where it has a row (mix.h) */
};

struct mix_guides; /* mix_rows.c */

struct plan {
    const struct profile *profile;
    uint64_t seed;
    uint32_t modules, utilities;
    uint32_t depth;
    uint64_t coverage; /* times 2^32 */
    struct assignment assignment;
    struct names names;
    struct constants constants;
    uint64_t profile_digest[2]; /* XXH3-128 of the profile's canonical text, the seed included: high, low */
    uint64_t digest[2];         /* of that and the version */
    uint32_t library_count;     /* modules, utilities, the two markers, executables, parts of these */
    uint32_t inside;            /* how many of the last */
    struct plan_executables executables;
    struct plan_library *library;
    struct plan_edge *edge;     /* of all libraries, where the profile has rows */
    char *function_sizes;       /* what the profile says of them beyond rows that say it themselves, or NULL */
    struct plan_mix *mix;       /* of each library; NULL where the profile wants none (mix.h) */
    struct mix_guides *guides;  /* where settling it begins; NULL where the profile has no rows, or wants none */
    bool wanted[SIZE_KINDS];    /* which sizes the profile gives */
    bool stripped;              /* wants no symbol table */
    bool without_debug;         /* wants no debug information */
    bool wide;                  /* functions may reach 64 KiB */
    uint64_t total[SIZE_KINDS]; /* what they come to, without the markers */
    uint64_t functions;
    uint64_t link[SIZE_KINDS]; /* what pyelf-link comes to, with its parts */
};

/* Decides everything, with up to `threads` threads. An ERROR_INFEASIBLE names
 * library, size, the least or most possible, and the key to change. Free with
 * plan_free. `profile` is borrowed until then, `corpus` (the types that debug
 * information repeats) for the call. `executables` may be NULL: none. */
bool plan_make(struct plan *plan, const struct profile *profile, const struct plan_executables *executables,
               const struct corpus *corpus, unsigned threads, struct error *e);

/* Takes NULL and half-made plans. */
void plan_free(struct plan *plan);

/* Modules and utilities, which count in the sizes of a set: the first in plan->library. */
static inline uint32_t plan_counted(const struct plan *plan)
{
    return plan->modules + plan->utilities;
}

/* Where the executables begin, behind the two markers. */
static inline uint32_t plan_executable(const struct plan *plan)
{
    return plan_counted(plan) + 2;
}

static inline bool plan_is_executable(const struct plan_library *l)
{
    return l->kind >= LIBRARY_LINK;
}

/* Where that is which has all libraries in it. */
static inline uint32_t plan_static(const struct plan *plan)
{
    return plan_executable(plan) + (plan->executables.link ? 1 : 0);
}

/* Where the parts of executables begin, behind these. */
static inline uint32_t plan_inside(const struct plan *plan)
{
    return plan->library_count - plan->inside;
}

/* Whether the executable is put together from parts. */
static inline bool plan_is_joined(const struct plan *plan, const struct plan_library *l)
{
    return l->kind == LIBRARY_STATIC || (l->kind == LIBRARY_LINK && plan->inside);
}

/* Whether it is a module that says nothing of itself but its entry, if it is a module. */
static inline bool plan_is_plain(const struct plan_library *l)
{
    return l->level >= LEVEL_PLAIN || l->init != INIT_FRAMED || l->untold;
}

/* Whether its functions are called without a PLT, and are no dynamic symbols. */
static inline bool plan_is_direct(const struct plan_library *l)
{
    return l->kind >= LIBRARY_INSIDE;
}

/* What the names of its own symbols begin with, but for those that the driver looks for. */
static inline const char *plan_prefix(const struct plan_library *l)
{
    return l->prefix[0] ? l->prefix : l->name;
}

/* Bytes that one of its small functions takes in .text, each at a whole 16. */
static inline uint32_t plan_small_place(const struct plan_library *l, uint32_t index)
{
    return (l->small_size[index] + 15u) & ~15u;
}

/* And all of them together. */
static inline uint64_t plan_small_bytes(const struct plan_library *l)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < l->small; i++)
        bytes += plan_small_place(l, i);
    return bytes;
}

/* Those that are local symbols, behind the dynamic ones. */
static inline uint32_t plan_small_local(const struct plan_library *l)
{
    return l->small - l->small_exported;
}

/* How many of them are code at all. */
static inline uint32_t plan_small_framed(const struct plan_library *l)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->small; i++)
        count += l->small_size[i] != 0;
    return count;
}

/* The library at `place` in the order in which the driver imports them: begin, modules,
 * final, then utilities, which no one imports. */
static inline uint32_t plan_in_order(const struct plan *plan, uint32_t place)
{
    if (place == 0)
        return plan_counted(plan);
    return place <= plan->modules ? place - 1 : place == plan->modules + 1 ? plan_counted(plan) + 1 : place - 2;
}

/* How large the functions of libraries are whose rows do not say it, or NULL. */
static inline const char *plan_function_sizes(const struct plan *plan)
{
    return plan->function_sizes ? plan->function_sizes : plan->profile->distributions[DISTRIBUTION_FUNCTION_SIZES];
}

/* The name of its file: plan_stem and plan_ending. Sources and files of debug
 * information are called after the stem. */
static inline const char *plan_stem(const struct plan_library *l)
{
    return l->kind == LIBRARY_STATIC ? EXECUTABLE_STATIC : l->kind == LIBRARY_LINK ? EXECUTABLE_LINK : l->name;
}

static inline const char *plan_ending(const struct plan_library *l)
{
    return plan_is_executable(l) ? "" : ".so";
}

/* Its functions that are dynamic symbols, the first, and those that are called through the PLT. */
static inline uint32_t plan_exported(const struct plan_library *l)
{
    return plan_is_direct(l) ? 0 : l->said ? l->exported : l->functions;
}

static inline uint32_t plan_lazy(const struct plan_library *l)
{
    return plan_is_direct(l) ? 0 : l->said ? l->lazy : l->functions;
}

/* Imports that it does not call. */
static inline uint32_t plan_uncalled(const struct plan_library *l)
{
    return l->said ? l->imports - l->calls : 0;
}

/* Function `index` of a library. One without constants has arguments that need none. */
static inline struct function plan_function(const struct plan_library *l, uint32_t index)
{
    struct function f = function_of(l->key, index);
    for (uint32_t j = 0; j < f.count && l->level == LEVEL_BARE; j++)
        f.type[j] = f.type[j] == TYPE_INT ? TYPE_INT : TYPE_LONG;
    return f;
}

static inline uint32_t plan_utility(const struct plan *plan, uint32_t number)
{
    return plan->modules + number;
}

/* Whether a visit of every module reaches this chain: Bresenham's line from no
 * chain to all, so that any share is spread evenly. */
static inline uint32_t plan_covered_before(const struct plan *plan, uint32_t chain)
{
    return (uint32_t)((chain * plan->coverage + (UINT64_C(1) << 31)) >> 32);
}

static inline bool plan_chain_covered(const struct plan *plan, uint32_t chain)
{
    return plan_covered_before(plan, chain) != plan_covered_before(plan, chain + 1);
}

/* Functions in a chain: `depth`, less in the last. */
static inline uint32_t plan_chain_length(const struct plan *plan, const struct plan_library *l, uint32_t chain)
{
    uint32_t rest = l->functions - chain * plan->depth;
    return rest < plan->depth ? rest : plan->depth;
}

/* The root of a library's choices for one purpose. Its functions' own hashes are
 * random_at(key, index), index below 2^32. */
static inline uint64_t plan_key(const struct plan_library *l, enum purpose purpose)
{
    return random_at(l->key, (UINT64_C(1) << 32) + purpose);
}

/* Functions in a unit, on average. */
static inline int64_t plan_units(const struct plan *plan, const struct plan_library *l)
{
    if (l->units) /* of those of the glue too */
        return (l->functions + INT64_C(9) + l->units - 1) / l->units;
    return plan->profile->dwarf.units > 0 ? plan->profile->dwarf.units : PLAN_UNITS;
}

/* Bytes of each function's entry in .eh_frame. */
static inline uint64_t plan_unwind_entry(const struct plan *plan)
{
    return plan->wide ? UNWIND_WIDE : UNWIND_NARROW;
}

/* Functions that an executable has of its own, its parts' too. */
uint64_t plan_own_functions(const struct plan *plan, const struct plan_library *l);

/* Functions of `l` in its covered chains. */
uint32_t plan_covered_functions(const struct plan *plan, const struct plan_library *l);

/* Functions of `l` that are called when every entry is: the covered ones, but none
 * of a utility that no covered function could call. */
uint32_t plan_visited_functions(const struct plan *plan, const struct plan_library *l);

/* The module before, whose extern function this module's entry calls; -1: none. */
int64_t plan_extern_called(const struct plan *plan, const struct plan_library *l);
/* Whether the module has an extern function at all. */
bool plan_has_extern(const struct plan *plan, const struct plan_library *l);
/* Whether no other module calls its extern function, so that its own entry does. */
bool plan_calls_own_extern(const struct plan *plan, const struct plan_library *l);

#endif
