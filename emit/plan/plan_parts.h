/* The parts of struct plan_library (plan_library.h), by subject.
 */
#ifndef EMIT_PLAN_PLAN_PARTS_H
#define EMIT_PLAN_PLAN_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "emit/profile/profile.h"

enum { PLAN_FILE_LENGTHS = 32, PLAN_CLONES = 2, PLAN_ELABORATE_MOST = 4095 };

/* What a module's PyInit_ function does (glue.h). The last two are shorter, used only where a row asks for them, and
 * leave the module without attributes. */
enum plan_init {
    INIT_FRAMED, /* creates the module and, where it has attributes, adds the number of its functions */
    INIT_TAIL,   /* creates the module by a tail call */
    INIT_PHASES, /* returns the definition to Python, which creates the module (PEP 489) */
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

/* What its symbols are called, in libraries with a row as long as those of the row (names_row.h). Bytes of names are
 * with terminators. */
struct plan_names {
    uint64_t functions;       /* bytes of the names of its functions, */
    uint64_t exported;        /* and of these of its exported functions */
    uint64_t imports;         /* bytes of the names of its imports */
    uint64_t locals;          /* characters in the names of local symbols beyond the natural lengths */
    uint64_t versioned;       /* bytes in .strtab of the C library's names with their versions; 0: no versions there */
    uint32_t version_digits;  /* characters that make each of these versions longer than the C library's */
    uint8_t alike;            /* out of 255 names, how many use the same words, to compress well */
    uint16_t elaborate;       /* up to PLAN_ELABORATE_MOST: how much of its names are parameters (names_mangled.h) */
    bool plain;               /* names are in Pynamic's style even where those of other libraries are mangled */
    bool mangled_glue;        /* names of fixed local symbols are mangled (shape_local_length) */
    double apart;             /* how far the lengths of its names are from the row's (distribution_distance) */
    uint32_t shared;          /* how many small functions and static objects, the last ones, reuse names of others, */
    uint32_t shared_first;    /* from this one on, each once before any of them is reused again */
    uint32_t mangled;         /* how many dynamic symbols, exported functions first, have mangled names */
    uint32_t mangled_locals;  /* and how many local small functions and then static objects, where long enough */
    uint32_t functions_named; /* 1 + how many names are like those of functions (names_row.c); 0: not settled */
    /* Characters in the names of its functions and of its static objects; owned by the plan. NULL: as few as can be.
     * `function_lengths` entries of function_length are set. */
    uint16_t *function_length, *object_length;
    uint32_t function_lengths;
    /* Names of dynamic symbols other than exported numbered functions (names_row_others): bytes of all, and characters
     * of each. other_length is owned by the plan and has `other_lengths` entries; names beyond these are as short as
     * can be. */
    uint64_t others;
    uint16_t *other_length;
    uint32_t other_lengths;
    /* Suffix merging in .dynstr. For each of `ended` names of dynamic symbols, exported functions first:
     * NAMES_ROW_IS_END where it is stored as the end of a longer name; 1 + the place of the name that is its own end;
     * or 0. `ends`: how many names take no bytes of their own. `end` is owned by the plan. */
    uint32_t *end;
    uint32_t ended, ends;
    /* Letters in the names of its first `classes` classes (mangle.h), where the row says how long names are; owned by
     * the plan. */
    uint16_t *class_letters;
    uint32_t classes;
    /* Characters in the names of `files`, ascending: each entry is for an equal part of them. Not used, if the first is
     * 0 or files_named is false: then they have the name of the file that every library has. */
    uint8_t file_length[PLAN_FILE_LENGTHS];
    bool files_named; /* .strtab has room for names of file_length */
};

/* Small functions, of libraries with a row (small.h). They follow the numbered ones in .text, and only tables and calls
 * of other libraries lead to them. Except for cold parts they are too small for a frame, and debug information says
 * little of them (describe_small.c). Where they are local symbols, they have the names of the first static objects. */
struct plan_small {
    /* Bytes of each, ascending except for those that stand ahead and cold parts; owned by the plan. The array has
     * `sizes` sizes, which may be 0, and behind these as many again: the wanted sizes, before any was reduced. */
    uint32_t *size;
    uint32_t sizes;
    uint32_t count;        /* how many of them exist, the first ones */
    uint32_t framed;       /* how many of these have any code */
    uint64_t places;       /* bytes that they take in .text, padded */
    uint32_t ahead;        /* how many of these, from the first on, are larger than some behind them (resolvers.h) */
    uint32_t exported;     /* how many of these, from the first on, are dynamic symbols */
    uint32_t leaf, leaves; /* the first that others may call, and how many: those with code */
    uint32_t nameless;     /* more of them behind these, of a stripped library, which are no symbols */
};

/* Parts of numbered functions that are hardly ever executed (small.h): the first `count` of the `packed` small
 * functions from `first` on, whose sizes are in any order and which have no padding behind them. Each belongs to
 * another function, `host`, in ascending order; owned by the plan. */
struct plan_cold {
    uint32_t first, packed, count;
    bool told;        /* debug information describes them, and so they may have any size */
    uint32_t mangled; /* how many have mangled names, because their functions have */
    uint32_t *host;
};

/* Its debug information. */
struct plan_debug {
    bool none;                 /* it has none */
    uint8_t version, language; /* the latter an enum debug_language */
    bool terse, lines;         /* as of struct dialect */
    enum separation separate;  /* how debuggers find the file that it is in */
    bool split;                /* it is split into .dwo files or a package */
    uint64_t kept;             /* bytes of debug sections that the library's own file is to have, if its row says that
                                  it is split; 0: any number */
    bool hollow;               /* too small for even one unit: .debug_str alone, filled with names */
    uint32_t units;            /* units that have code; 0: as many as usual */
    uint32_t units_all;        /* units, with or without code; 0: as many as it takes */
    uint32_t tables;           /* the most tables of abbreviations for units_all; 0: one for each */
    uint32_t partials;         /* partial units besides, where there is room for them */
};

/* What its own functions of the Python module are like, its entry, its helpers and its visit (glue.h). */
struct plan_glue {
    enum plan_init init;
    bool adds_methods;  /* the module's definition has no methods: they are added when it is made */
    bool untold;        /* a module without attributes, because its row has too few relocations for them */
    bool inner_entry;   /* its entry is a local symbol, which only the method table refers to */
    bool direct_entry;  /* its entry is called directly, not through the PLT; always so where that is a local symbol */
    bool result_by_got; /* PyLong_FromUnsignedLong is called through the first word of extra.plt.got and not the PLT */
    bool inner_marks;   /* its visit marks have no dynamic symbol: the manifest states their address */
    bool by_rsp;        /* most functions of the glue have no frame pointer (glue_is_pointed) */
    bool large_helpers; /* its helpers have UNWIND_SMALL bytes, so that they are not small */
};

/* Which functions call which (calls.h; with a row, calls_rows.h). */
struct plan_calls {
    uint32_t chains;  /* a chain is `depth` functions, each of which calls the next */
    uint32_t covered; /* chains that a visit reaches */
    /* Index of its first call (module) or first chain (utility) in the sequence over all libraries: [1] for covered
     * functions, [0] for the others. */
    uint64_t first[2];
    /* With a row: */
    uint32_t called;  /* how many of its imports it calls; the others are only bound */
    uint32_t callers; /* how many functions, from the first on, call other libraries: per_function calls each */
    uint32_t per_function;
    uint32_t lazy;     /* how many functions, from the first on, are called through the PLT if at all */
    uint32_t used;     /* the most symbols that other libraries of the set may import from it; UINT32_MAX: any
                          number */
    uint32_t imported; /* how many they do import */
    uint32_t leaf;     /* index of the first leaf, at or behind `callers` */
    uint32_t visited;  /* how many functions a visit of every module reaches */
};

/* The libraries of the set that it needs. */
struct plan_needs {
    uint32_t utilities; /* how many utilities (DT_NEEDED), */
    uint32_t digits;    /* and decimal digits in their numbers, in all */
    /* With rows: */
    struct plan_edge *edge; /* in the order of DT_NEEDED; owned by the plan */
    uint32_t edges;
    uint32_t versioned_edges;   /* along how many of these it needs versions */
    uint32_t versioned_imports; /* and for how many symbols */
    uint32_t versions;          /* how many versions these are */
    uint64_t version_names;     /* bytes of their names, with terminators */
};

/* What a library with a row has beyond what its functions need, because the real library has it: the structures below.
 * Without a row all is 0 but clones, and functions with exception tables. */

/* Undefined symbols that no other library of the set defines. */
struct plan_undefined {
    uint32_t outside; /* imports from outside the set: undefined symbols of functions (outside.h) */
    uint64_t names;   /* bytes of their names, with terminators */
    uint32_t weak;    /* how many of `outside`, counted from the end, are weak */
    uint32_t plain;   /* of the first so many of `outside`, those with OUTSIDE_VERSION are asked for without it */
    uint32_t clones;  /* further weak undefined symbols that nothing defines: the first `clones` of shape_clones */
    uint32_t needed;  /* libraries outside the set, besides the C library, that it needs (DT_NEEDED) */
};

/* Words of .got, and slots of the PLT. */
struct plan_plt {
    uint32_t slots;     /* PLT slots for imports that are never called: those from the set, then `outside` */
    uint32_t small;     /* PLT slots for its own small functions, from the first on */
    uint32_t irelative; /* PLT slots that R_X86_64_IRELATIVE fills, if there is a resolver for it */
    uint32_t got;       /* R_X86_64_GLOB_DAT relocations, each of a word in .got */
    uint32_t direct;    /* entries of .plt.got: one for __cxa_finalize, the others for the first words of `got` */
};

/* Relocations in .data. */
struct plan_pointing {
    uint32_t addresses; /* R_X86_64_64 relocations */
    uint32_t symbols;   /* how many distinct symbols `addresses` refer to that no word in .got refers to */
    uint32_t pointers;  /* R_X86_64_RELATIVE relocations */
};

/* Dynamic symbols that it defines, besides those of its functions, and their kinds. */
struct plan_dynamic {
    uint32_t weak;           /* how many functions, counted from the end (aliases, small ones), are weak */
    uint32_t aliases;        /* symbols at the addresses of other functions, as C++ constructors have */
    uint32_t objects;        /* symbols of data */
    uint32_t weak_objects;   /* how many of `objects`, counted from the end, are weak */
    uint32_t unique_objects; /* how many of `objects`, from the first on, are STB_GNU_UNIQUE */
    uint32_t ends;           /* symbols for where sections begin or end (shape_ends) */
    uint32_t buckets;        /* of .gnu.hash; 0: as many as ld chooses */
};

/* Indirect functions (resolvers.h). */
struct plan_indirect {
    uint32_t symbols; /* of type STT_GNU_IFUNC that it is to have, */
    uint32_t dynamic; /* and how many of these are to be dynamic, unless it is stripped */
};

/* Symbol versions (versions.h). */
struct plan_versioning {
    uint32_t defined; /* that it defines besides the base version, */
    uint32_t symbols; /* and how many of these, from the first on, have an absolute symbol of their name */
    uint32_t needed;  /* of the C library, beyond OUTSIDE_VERSION */
    uint32_t others;  /* of how many libraries outside the set, from the first on, it needs OUTSIDE_VERSION */
};

/* Memory of each thread. */
struct plan_thread {
    uint32_t bytes;   /* of .tbss; counted in bss */
    uint32_t modules; /* R_X86_64_DTPMOD64 relocations: each takes two words of .got, module and offset */
};

/* What runs when it is loaded and unloaded. */
struct plan_start {
    uint32_t constructing; /* bytes of GLUE_CONSTRUCTOR (glue.h); 0: there is none, constructors do nothing */
    uint32_t taking;       /* bytes of memory that the constructor takes, whole pages */
    uint32_t touching;     /* bytes of .bss that the constructor writes to, whole pages; the library may have less */
    uint32_t initialising; /* bytes of filling in PyInit_, to make it as large as the row says (glue.h) */
    uint32_t constructors; /* beyond the one that every library has */
    uint32_t destructors;  /* beyond the one that every library has */
};

struct plan_unwound {
    uint32_t spare;      /* room in all unwind entries together, in units of 8 bytes (elf/write/unwind.h) */
    bool ended;          /* .eh_frame ends in two zero words instead of one, as the row's size is 4 bytes more */
    uint32_t tabled;     /* functions with an exception table (exceptions.h) */
    uint32_t exceptions; /* bytes of .gcc_except_table; 0 if and only if `tabled` is */
};

/* A module's method table (methods.h). */
struct plan_table {
    uint32_t methods;    /* of methods beyond those that the driver calls, */
    uint32_t documented; /* and how many of these, from the first on, have a documentation string */
};

struct plan_extra {
    struct plan_undefined undefined;
    uint32_t weak_imports; /* how many imports, from the set, are weak */
    struct plan_plt plt;
    struct plan_pointing pointing;
    struct plan_dynamic dynamic;
    struct plan_indirect indirect;
    struct plan_versioning versioning;
    struct plan_thread thread;
    struct plan_start start;
    struct plan_unwound unwound;
    struct plan_table table;
};

#endif
