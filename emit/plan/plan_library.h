/* What the plan states for one library, and what follows from that alone. plan.h has the plan of the set.
 */
#ifndef EMIT_PLAN_PLAN_LIBRARY_H
#define EMIT_PLAN_PLAN_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/executable.h"
#include "elf/write/plt.h"
#include "emit/plan/alike.h"
#include "emit/plan/function.h"
#include "emit/plan/names.h"
#include "emit/profile/profile.h"

/* LIBRARY_BEGIN and LIBRARY_FINAL are the two markers. LIBRARY_INSIDE is never a file: it is one of the parts that hold
 * a large executable's own code (executables.h). Kinds from LIBRARY_LINK on are executables. */
enum library_kind {
    LIBRARY_MODULE,
    LIBRARY_UTILITY,
    LIBRARY_BEGIN,
    LIBRARY_FINAL,
    LIBRARY_INSIDE,
    LIBRARY_LINK,
    LIBRARY_STATIC
};

/* One library of a set that another one needs (DT_NEEDED), in a set whose profile has rows. Its imports are a range of
 * the caller's imports, and the called ones come first in that range. */
struct plan_edge {
    uint32_t library;  /* the one that is needed: index in plan->library */
    uint32_t symbols;  /* how many symbols the caller imports from it */
    uint32_t calls;    /* how many of these, from the first on, are called; the rest are only bound */
    uint32_t first;    /* index of the first in the caller's sequence of imports */
    uint32_t call;     /* index of the first in the caller's sequence of called imports */
    uint32_t rank;     /* rank of the first among the functions that may be called there (calls_rows.h) */
    uint32_t versions; /* how many of that library's versions, from the first on, the caller asks for (versions.h) */
};

/* What a library with a row gives up where its sizes have no room for it. Each level also gives up what the levels
 * before it do. */
enum plan_level {
    LEVEL_WHOLE,
    LEVEL_UNMARKED, /* without visit marks */
    LEVEL_TIGHT,    /* .bss has only what every library has; statements write to .data instead */
    LEVEL_PLAIN,    /* a module offers Python nothing but its entry */
    LEVEL_BARE,     /* without constants, helpers and all code that refers to them */
    LEVEL_COUNT
};

/* What a module's PyInit_ function does (glue.h). The last two are shorter, used only where a row asks for them, and
 * leave the module without attributes. */
enum plan_init {
    INIT_FRAMED, /* creates the module and, where it has attributes, adds the number of its functions */
    INIT_TAIL,   /* creates the module by a tail call */
    INIT_PHASES, /* returns the definition to Python, which creates the module (PEP 489) */
};

enum { PLAN_FILE_LENGTHS = 32, PLAN_CLONES = 2, PLAN_ELABORATE_MOST = 4095 };

struct plan_library {
    char name[NAME_PREFIX_MOST - 8]; /* "libmodule3"; its symbols begin with it */
    char prefix[16];                 /* "m3": most symbols of a library with a row begin with it; "" without a row */
    enum library_kind kind;
    uint32_t number; /* among the libraries of its kind */
    uint64_t key;    /* hash(seed, library): the root of all its choices */
    uint32_t functions;
    uint32_t chains;          /* a chain is `depth` functions, each of which calls the next */
    uint32_t covered;         /* chains that a visit reaches */
    uint32_t imports;         /* distinct functions that it imports from other libraries of the set */
    uint64_t function_names;  /* bytes of the names of its functions, with terminators */
    uint64_t import_names;    /* bytes of the names of its imports, with terminators */
    uint32_t utilities;       /* how many utilities it needs (DT_NEEDED) */
    bool opened;              /* a utility that the driver opens, because no module needs it (manifest.md) */
    uint32_t needed_digits;   /* decimal digits in the numbers of these utilities, in all */
    uint32_t locals;          /* static objects beyond those that every library has, */
    uint32_t local_aliases;   /* of which so many are further names of functions (plan_local_aliases) */
    struct profile_elf elf;   /* as the row or, without one, the profile says */
    bool stripped;            /* has no symbol table */
    bool without_debug;       /* has no debug information */
    enum separation separate; /* how debuggers find the file with its debug information */
    bool split;               /* its debug information is split into .dwo files or a package */
    bool without_libc;        /* needs no libc.so.6, as the set has its own C library or the library needs none; symbols
                                 outside the set have no versions then */
    bool runpath;             /* has a DT_RUNPATH with which it finds the other libraries beside itself */
    uint8_t dwarf_version, dwarf_language; /* the latter an enum debug_language */
    bool dwarf_terse;                      /* as dialect.terse, */
    bool dwarf_lines;                      /* and dialect.lines */
    bool inner_entry;                      /* its entry is a local symbol, which only the method table refers to */
    bool direct_entry;  /* its entry is called directly, not through the PLT; always so where that is a local symbol */
    bool result_by_got; /* PyLong_FromUnsignedLong is called through the first word of extra.got and not the PLT */
    bool inner_marks;   /* its visit marks have no dynamic symbol: the manifest states their address */
    uint64_t kept;      /* bytes of debug sections that its own file is to have, if its row says that it is split; 0:
                           any number */
    bool hollow;        /* its debug information is too small for even one unit: .debug_str alone, filled with names */
    bool unaligned;     /* no padding between its functions, as in unoptimised code */
    bool glue_by_rsp;   /* most functions of the glue have no frame pointer (glue_is_pointed) */
    bool large_helpers; /* its helpers have UNWIND_SMALL bytes, so that they are not small */
    uint8_t alike;      /* out of 255 names, how many use the same words, to compress well (names_row.h) */
    uint16_t elaborate; /* up to PLAN_ELABORATE_MOST: how much of its names are parameters (names_mangled.h) */
    struct alike_code alike_code; /* how much of its code repeats other code of the library */
    bool plain_names;             /* names are in Pynamic's style even where those of other libraries are mangled */
    bool mangled_glue;            /* names of fixed local symbols are mangled (shape_local_length) */
    enum plan_init init;
    bool adds_methods; /* the module's definition has no methods: they are added when it is made */
    bool untold;       /* a module without attributes, because its row has too few relocations for them */
    /* The fields from here to `edges` are for libraries with a row, which is `said`. In other libraries they are NULL,
     * 0 and false, except for extra.clones, tabled and exceptions. */
    const struct profile_row *said;
    enum plan_level level;
    bool wide;         /* functions may reach 64 KiB */
    bool bare;         /* `level` is LEVEL_BARE whatever room there is, and so is that of all libraries it calls */
    uint32_t exported; /* how many functions, from the first on, are dynamic symbols; the others are local */
    uint32_t lazy;     /* how many functions, from the first on, are called through the PLT if at all */
    uint32_t calls;    /* how many of `imports` it calls; the others are only bound */
    uint32_t callers;  /* how many functions, from the first on, call other libraries: per_function calls each */
    uint32_t per_function;
    uint32_t used;     /* the most symbols that other libraries of the set may import from it; UINT32_MAX: any number
                          (calls_rows.h) */
    uint32_t imported; /* how many they do import */
    uint32_t leaf;     /* index of the first leaf (calls_rows.h), at or behind `callers` */
    uint32_t visited;  /* how many functions a visit of every module reaches */
    /* What it has beyond what its functions need, because the real library has it. */
    struct plan_extra {
        uint32_t outside;      /* imports from outside the set: undefined symbols of functions (outside.h) */
        uint32_t weak;         /* how many of `outside`, counted from the end, are weak */
        uint32_t weak_imports; /* and how many imports */
        uint32_t plain;  /* of the first so many of `outside`, those with OUTSIDE_VERSION are asked for without it */
        uint32_t clones; /* further weak undefined symbols that nothing defines: the first `clones` of shape_clones */
        uint32_t slots;  /* PLT slots for imports that are never called: those from the set, then `outside` */
        uint32_t small_slots;   /* PLT slots for its own small functions, from the first on */
        uint32_t ifunc;         /* symbols of type STT_GNU_IFUNC that it is to have (resolvers.h), */
        uint32_t ifunc_dynamic; /* and how many of these are to be dynamic, unless it is stripped */
        uint32_t irelative;     /* PLT slots that R_X86_64_IRELATIVE fills, if there is a resolver for it */
        uint32_t got;           /* R_X86_64_GLOB_DAT relocations, each of a word in .got */
        uint32_t direct;    /* entries of .plt.got: one for __cxa_finalize, the others for the first words of `got` */
        uint32_t buckets;   /* of .gnu.hash; 0: as many as ld chooses */
        uint32_t addresses; /* R_X86_64_64 relocations in .data */
        uint32_t symbols;   /* how many distinct symbols `addresses` refer to that no word in .got refers to */
        uint32_t pointers;  /* R_X86_64_RELATIVE relocations in .data */
        uint32_t weak_own;  /* how many dynamic functions, counted from the end (aliases, small ones), are weak */
        uint32_t aliases;   /* dynamic symbols at the addresses of other dynamic functions, as C++ constructors have */
        uint32_t objects;   /* dynamic symbols of data */
        uint32_t weak_objects;    /* how many of `objects`, counted from the end, are weak */
        uint32_t unique_objects;  /* how many of `objects`, from the first on, are STB_GNU_UNIQUE */
        uint32_t ends;            /* dynamic symbols for where sections begin or end (shape_ends) */
        uint32_t definitions;     /* symbol versions that it defines besides the base version (versions.h) */
        uint32_t version_symbols; /* how many of these, from the first on, have an absolute symbol of their name */
        uint32_t needed;          /* libraries outside the set, besides the C library, that it needs (DT_NEEDED) */
        uint32_t versions;        /* symbol versions of the C library that it needs beyond OUTSIDE_VERSION */
        uint32_t versioned;       /* of how many `needed` libraries, from the first on, it needs OUTSIDE_VERSION */
        uint32_t tls;             /* bytes of .tbss; counted in bss */
        uint32_t tls_modules;     /* R_X86_64_DTPMOD64 relocations: each takes two words of .got, module and offset */
        uint32_t constructing;    /* bytes of GLUE_CONSTRUCTOR (glue.h); 0: there is none, constructors do nothing */
        uint32_t taking;          /* bytes of memory that the constructor takes, whole pages */
        uint32_t touching; /* bytes of .bss that the constructor writes to, whole pages; the library may have less */
        uint32_t initialising; /* bytes of filling in PyInit_, to make it as large as the row says (glue.h) */
        uint32_t constructors; /* beyond the one that every library has */
        uint32_t destructors;  /* beyond the one that every library has */
        bool ended;            /* .eh_frame ends in two zero words instead of one, as the row's size is 4 bytes more */
        uint32_t unwind;       /* spare room in all unwind entries together, in units of 8 bytes (elf/write/unwind.h) */
        uint32_t tabled;       /* functions with an exception table (exceptions.h) */
        uint32_t exceptions;   /* bytes of .gcc_except_table; 0 if and only if `tabled` is */
        uint32_t methods;      /* in the module's method table, beyond those that the driver calls (methods.h) */
        uint32_t documented;   /* how many of `methods`, from the first on, have a documentation string */
        uint64_t names;        /* bytes of the names of `outside`, with terminators */
    } extra;
    double names_apart;       /* how far the lengths of its names are from the row's (distribution_distance) */
    uint64_t versioned_names; /* bytes in .strtab of the C library's names with their versions; 0: no versions there */
    uint32_t version_digits;  /* characters that make each of these versions longer than the C library's */
    uint16_t *outside_choice; /* which functions extra.outside are (outside.h); owned by the plan; NULL: any */
    uint32_t units;           /* units of debug information that have code; 0: as many as usual */
    uint32_t units_all;       /* units of debug information, with or without code; 0: as many as it takes */
    uint32_t tables;          /* the most tables of abbreviations for units_all; 0: one for each */
    uint32_t partials;        /* partial units besides, where there is room for them */
    uint32_t shared_names;    /* how many small functions and static objects, the last ones, reuse names of others, */
    uint32_t shared_first;    /* from this one on, each once before any of them is reused again */
    uint64_t exported_names;  /* bytes of the names of the `exported` functions; part of function_names */
    /* Characters in the names of its functions and of its static objects; owned by the plan. NULL: as few as can be
     * (names_row.h). `lengths` entries of function_length are set. */
    uint16_t *function_length, *object_length;
    /* Bytes of each small function, ascending except for those that stand ahead and cold parts; owned by the plan.
     * Small functions follow the numbered ones in .text. Except for cold parts they are too small for a frame,
     * debug information does not mention them, and only tables and calls of other libraries lead to them (small.h). The
     * array has `small_sizes` sizes, which may be 0, and behind these as many again: the wanted sizes, before any was
     * reduced. The first `small` functions exist. Where they are local symbols, they have the names of the first static
     * objects. */
    uint32_t *small_size;
    uint32_t small_sizes, small;
    uint32_t small_framed; /* how many of the small functions have any code */
    uint64_t small_places; /* bytes that they take in .text, padded */
    uint32_t small_ahead;  /* how many of these, from the first on, are larger than some behind them (resolvers.h) */
    /* Parts of numbered functions that are hardly ever executed (small.h): the first `count` of the `packed` small
     * functions from `first` on, whose sizes are in any order and which have no padding behind them. Each belongs to
     * another function, `host`, in ascending order; owned by the plan. */
    struct plan_cold {
        uint32_t first, packed, count;
        bool told;        /* debug information describes them, and so they may have any size */
        uint32_t mangled; /* how many have mangled names, because their functions have */
        uint32_t *host;
    } cold;
    uint64_t function_average; /* average bytes of code that the row has for each function; 0: unknown (sizes_said.h) */
    uint32_t small_exported;   /* how many small functions, from the first on, are dynamic symbols */
    uint32_t small_leaf, small_leaves; /* the first that others may call, and how many: those with code */
    uint32_t nameless; /* more small functions behind these, of a stripped library, which are no symbols */
    /* Names of dynamic symbols other than exported numbered functions (names_row_others): bytes of all, with
     * terminators, and characters of each. other_length is owned by the plan and has `other_lengths` entries; names
     * beyond these are as short as can be. */
    uint64_t other_names;
    uint16_t *other_length;
    uint32_t other_lengths;
    uint32_t functions_named; /* 1 + how many names are like those of functions (names_row.c); 0: not settled */
    /* Undefined symbols with invented names, because too few real functions have names of that length (outside.h).
     * Nothing defines them, so that no relocation refers to them. Their names are the last of the other names. */
    uint32_t unbound;
    /* Suffix merging in .dynstr (names_row.h). For each of `ended` names of dynamic symbols, exported functions first:
     * NAMES_ROW_IS_END where it is stored as the end of a longer name; 1 + the place of the name that is its own end;
     * or 0. `ends`: how many names take no bytes of their own. `end` is owned by the plan. */
    uint32_t *end;
    uint32_t ended, ends;
    /* Letters in the names of its first `classes` classes (mangle.h), where the row says how long names are; owned by
     * the plan. */
    uint16_t *class_letters;
    uint32_t classes;
    uint32_t local_mangled; /* how many local small functions and then static objects, the first ones, have mangled
                               names where long enough */
    uint32_t mangled;       /* how many dynamic symbols, exported functions first, have mangled names */
    uint32_t files;         /* local STT_FILE symbols beyond those that every library has */
    uint32_t sections;      /* local symbols without a name: of sections, as old linkers leave them, */
    uint32_t unnamed;       /* and of debug information, as link-time optimisation leaves them */
    /* Characters in the names of `files`, ascending: each entry is for an equal part of them (names_row.h). Not used,
     * if the first is 0 or files_named is false: then they have the name of the file that every library has. */
    uint8_t file_length[PLAN_FILE_LENGTHS];
    bool files_named;       /* .strtab has room for names of file_length */
    uint32_t lengths;       /* entries set in function_length */
    struct plan_edge *edge; /* owned by the plan; in the order of DT_NEEDED */
    uint32_t edges;
    uint32_t versioned_edges;    /* along how many edges it needs versions */
    uint32_t versioned_imports;  /* and for how many symbols */
    uint32_t edge_versions;      /* how many versions these are */
    uint64_t edge_version_names; /* bytes of their names, with terminators */

    uint64_t size[SIZE_KINDS];
    uint64_t local_names; /* characters in the names of local symbols beyond the natural lengths */
    /* Index of its first call (module) or first chain (utility) in the sequence over all libraries (calls.h): [1] for
     * covered functions, [0] for the others. */
    uint64_t first[2];
};

/* What random choices are made for. Each purpose has its own random numbers, so that an additional choice for one
 * changes nothing for the others. */
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
    PURPOSE_EXCEPTIONS,
    PURPOSE_POINTERS,
    PURPOSE_COLD,
    PURPOSE_UNWIND,
    PURPOSE_PASSED,
};

static inline bool plan_is_executable(const struct plan_library *l)
{
    return l->kind >= LIBRARY_LINK;
}

/* Whether the library, if it is a module, offers Python nothing but its entry. */
static inline bool plan_is_plain(const struct plan_library *l)
{
    return l->level >= LEVEL_PLAIN || l->init != INIT_FRAMED || l->untold;
}

/* Whether its functions are called without a PLT and are not dynamic symbols. */
static inline bool plan_is_direct(const struct plan_library *l)
{
    return l->kind >= LIBRARY_INSIDE;
}

/* What its symbols begin with, except those that the driver looks for. */
static inline const char *plan_prefix(const struct plan_library *l)
{
    return l->prefix[0] ? l->prefix : l->name;
}

/* Bytes of the endbr64 that its functions begin with, if they do. */
static inline uint32_t plan_landing(const struct plan_library *l)
{
    return l->elf.cf_protection ? PLT_LANDING_SIZE : 0;
}

/* How many small functions it has. Those without a name are the last. */
static inline uint32_t plan_small_all(const struct plan_library *l)
{
    return l->small + l->nameless;
}

enum { PLAN_NAMELESS = 32 /* after so many functions without a name their sizes begin anew */ };

/* Bytes of the code of one of its small functions. Those without a name are as large as local functions of fewer than
 * UNWIND_SMALL bytes are in the libraries of ParaView 5.11, whose average, 38, hardly differs from one to the next. */
static inline uint32_t plan_small_size(const struct plan_library *l, uint32_t index)
{
    static const uint8_t nameless[PLAN_NAMELESS] = {27, 12, 44, 31, 67, 9,  35, 24, 54, 13, 28, 76, 38, 20, 30, 61,
                                                    11, 33, 47, 25, 5,  58, 29, 36, 14, 72, 26, 18, 41, 10, 84, 30};
    return index < l->small ? l->small_size[index] : nameless[(index - l->small) % PLAN_NAMELESS];
}

/* Bytes padded to a multiple of 16. */
static inline uint32_t plan_padded(uint32_t size)
{
    return (size + 15u) & ~15u;
}

/* Whether a small function is one of those that are to be cold parts. */
static inline bool plan_is_packed(const struct plan_library *l, uint32_t small)
{
    return small >= l->cold.first && small - l->cold.first < l->cold.packed;
}

/* Bytes that a small function of `size` bytes takes in .text. There is no padding behind cold parts. */
static inline uint32_t plan_place_of(const struct plan_library *l, uint32_t index, uint32_t size)
{
    return plan_is_packed(l, index) ? size : plan_padded(size);
}

static inline uint32_t plan_small_place(const struct plan_library *l, uint32_t index)
{
    return plan_place_of(l, index, plan_small_size(l, index));
}

/* Bytes of the cold parts of its first `functions` functions. */
static inline uint64_t plan_cold_bytes(const struct plan_library *l, uint32_t functions)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < l->cold.count && l->cold.host[i] < functions; i++)
        bytes += plan_small_size(l, l->cold.first + i);
    return bytes;
}

/* Bytes that cold parts of `cold` bytes take at the beginning of .text, with the padding behind them; and those of this
 * library. */
static inline uint64_t plan_lead_of(uint64_t cold)
{
    enum { ALIGN = 16 };
    return (cold + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
}

static inline uint64_t plan_lead(const struct plan_library *l)
{
    return plan_lead_of(plan_cold_bytes(l, l->functions));
}

/* Bytes that all its small functions take in .text, without the padding behind cold parts; with it. */
static inline uint64_t plan_small_bytes(const struct plan_library *l)
{
    const uint32_t rest = l->nameless % PLAN_NAMELESS;
    uint64_t bytes = l->small_places;
    for (uint32_t i = 0; i < PLAN_NAMELESS && i < l->nameless; i++)
        bytes += plan_small_place(l, l->small + i) * (l->nameless / PLAN_NAMELESS + UINT64_C(1) * (i < rest));
    return bytes;
}

static inline uint64_t plan_small_text(const struct plan_library *l)
{
    const uint64_t cold = plan_cold_bytes(l, l->functions);
    return plan_small_bytes(l) - cold + plan_lead_of(cold);
}

/* Whether a small function is part of a numbered one. */
static inline bool plan_is_cold(const struct plan_library *l, uint32_t small)
{
    return small >= l->cold.first && small - l->cold.first < l->cold.count;
}

/* How many small functions are local symbols; they follow the dynamic ones. Of a stripped library none is. */
static inline uint32_t plan_small_local(const struct plan_library *l)
{
    return l->small - l->small_exported;
}

/* How many small functions have any code. */
static inline uint32_t plan_small_framed(const struct plan_library *l)
{
    return l->nameless + l->small_framed;
}

/* The name of its file is plan_stem and then plan_ending. Sources and files of debug information are named after the
 * stem. */
static inline const char *plan_stem(const struct plan_library *l)
{
    return l->kind == LIBRARY_STATIC ? EXECUTABLE_STATIC : l->kind == LIBRARY_LINK ? EXECUTABLE_LINK : l->name;
}

static inline const char *plan_ending(const struct plan_library *l)
{
    return plan_is_executable(l) ? "" : ".so";
}

/* How many of its functions, from the first on, are dynamic symbols (plan_exported) or are called through the PLT, if
 * they are called (plan_lazy). */
static inline uint32_t plan_exported(const struct plan_library *l)
{
    return plan_is_direct(l) ? 0 : l->said ? l->exported : l->functions;
}

static inline uint32_t plan_lazy(const struct plan_library *l)
{
    return plan_is_direct(l) ? 0 : l->said ? l->lazy : l->functions;
}

/* The function that an alias names, too, counted over exported functions and then dynamic small ones. Aliases are
 * spread evenly over all of these. */
static inline uint32_t plan_alias_function(const struct plan_library *l, uint32_t alias)
{
    return (uint32_t)((uint64_t)alias * (plan_exported(l) + l->small_exported) / l->extra.aliases);
}

/* How many of the static objects are further names of functions instead: local symbols, spread evenly over the objects.
 * plan_local_alias: which of these static object `object` is, counted from 0; their number if it is none. */
static inline uint32_t plan_local_aliases(const struct plan_library *l)
{
    const uint32_t most = l->functions ? l->locals : 0;
    return l->local_aliases < most ? l->local_aliases : most;
}
static inline uint32_t plan_local_alias(const struct plan_library *l, uint32_t object)
{
    const uint32_t count = plan_local_aliases(l);
    const uint64_t alias = (uint64_t)object * count / l->locals;
    return (object + UINT64_C(1)) * count / l->locals > alias ? (uint32_t)alias : count;
}

/* Local symbols that are neither functions nor objects, beyond those that every library has. */
static inline uint32_t plan_local_others(const struct plan_library *l)
{
    return l->files + l->sections + l->unnamed;
}

/* How many imports it does not call. */
static inline uint32_t plan_uncalled(const struct plan_library *l)
{
    return l->said ? l->imports - l->calls : 0;
}

/* Whether a function that others import is a small one, which takes no arguments and returns nothing. Numbers behind
 * those of exported functions are of small ones and of objects (calls_rows.h). */
static inline bool plan_is_small(const struct plan_library *l, uint32_t function)
{
    return l->said && function >= l->exported;
}

/* Function `index` of a library. A library without constants (LEVEL_BARE) has only integer arguments. */
static inline struct function plan_function(const struct plan_library *l, uint32_t index)
{
    struct function f = function_of(l->key, index);
    if (alike_is_most(l->alike_code))
        function_make_alike(&f);
    for (uint32_t j = 0; j < f.count && l->level == LEVEL_BARE; j++)
        f.type[j] = f.type[j] == TYPE_INT ? TYPE_INT : TYPE_LONG;
    return f;
}

/* Function `index` of a library as others call it. */
static inline struct function plan_imported(const struct plan_library *l, uint32_t index)
{
    return plan_is_small(l, index) ? (struct function){.hash = random_at(l->key, index), .silent = true}
                                   : plan_function(l, index);
}

/* The random key for a library's choices for one purpose. It cannot meet the hashes of the library's functions, which
 * are random_at(key, index) with an index below 2^32. */
static inline uint64_t plan_key(const struct plan_library *l, enum purpose purpose)
{
    return random_at(l->key, (UINT64_C(1) << 32) + purpose);
}

#endif
