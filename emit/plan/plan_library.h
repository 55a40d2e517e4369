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
#include "emit/plan/plan_parts.h"
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

struct plan_library {
    char name[NAME_PREFIX_MOST - 8]; /* "libmodule3"; its symbols begin with it */
    char prefix[16];                 /* "m3": most symbols of a library with a row begin with it; "" without a row */
    enum library_kind kind;
    uint32_t number; /* among the libraries of its kind */
    uint64_t key;    /* hash(seed, library): the root of all its choices */
    uint32_t functions;
    uint32_t imports;       /* distinct functions that it imports from other libraries of the set */
    bool opened;            /* a utility that the driver opens, because no module needs it (manifest.md) */
    uint32_t locals;        /* static objects beyond those that every library has, */
    uint32_t local_aliases; /* of which so many are further names of functions (plan_local_aliases) */
    struct profile_elf elf; /* as the row or, without one, the profile says */
    bool stripped;          /* has no symbol table */
    bool without_libc;      /* needs no libc.so.6, as the set has its own C library or the library needs none; symbols
                               outside the set have no versions then */
    bool runpath;           /* has a DT_RUNPATH with which it finds the other libraries beside itself */
    bool unaligned;         /* no padding between its functions, as in unoptimised code */
    struct alike_code alike_code; /* how much of its code repeats other code of the library */
    struct plan_names names;
    struct plan_calls calls;
    struct plan_needs needs;
    struct plan_glue glue;
    struct plan_debug debug;
    uint64_t size[SIZE_KINDS];
    /* What follows is for libraries with a row, which is `said`. In others it is NULL, 0 and false, but for extra. */
    const struct profile_row *said;
    enum plan_level level;
    bool wide;         /* functions may reach 64 KiB */
    bool bare;         /* `level` is LEVEL_BARE whatever room there is, and so is that of all libraries it calls */
    uint32_t exported; /* how many functions, from the first on, are dynamic symbols; the others are local */
    uint64_t function_average; /* average bytes of code that the row has for each function; 0: unknown (sizes_said.h) */
    struct plan_small small;
    struct plan_cold cold;
    struct plan_extra extra;
    uint16_t
        *outside_choice; /* which functions extra.undefined.outside are (outside.h); owned by the plan; NULL: any */
    /* Undefined symbols with invented names, because too few real functions have names of that length (outside.h).
     * Nothing defines them, so that no relocation refers to them. Their names are the last of the other names. */
    uint32_t unbound;
    uint32_t files;    /* local STT_FILE symbols beyond those that every library has */
    uint32_t sections; /* local symbols without a name: of sections, as old linkers leave them, */
    uint32_t unnamed;  /* and of debug information, as link-time optimisation leaves them */
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
    return l->level >= LEVEL_PLAIN || l->glue.init != INIT_FRAMED || l->glue.untold;
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
    return l->small.count + l->small.nameless;
}

enum { PLAN_NAMELESS = 32 /* after so many functions without a name their sizes begin anew */ };

/* Bytes of the code of one of its small functions. Those without a name are as large as local functions of fewer than
 * UNWIND_SMALL bytes are in the libraries of ParaView 5.11, whose average, 38, hardly differs from one to the next. */
static inline uint32_t plan_small_size(const struct plan_library *l, uint32_t index)
{
    static const uint8_t nameless[PLAN_NAMELESS] = {27, 12, 44, 31, 67, 9,  35, 24, 54, 13, 28, 76, 38, 20, 30, 61,
                                                    11, 33, 47, 25, 5,  58, 29, 36, 14, 72, 26, 18, 41, 10, 84, 30};
    return index < l->small.count ? l->small.size[index] : nameless[(index - l->small.count) % PLAN_NAMELESS];
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
    const uint32_t rest = l->small.nameless % PLAN_NAMELESS;
    uint64_t bytes = l->small.places;
    for (uint32_t i = 0; i < PLAN_NAMELESS && i < l->small.nameless; i++)
        bytes +=
            plan_small_place(l, l->small.count + i) * (l->small.nameless / PLAN_NAMELESS + UINT64_C(1) * (i < rest));
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
    return l->small.count - l->small.exported;
}

/* How many small functions have any code. */
static inline uint32_t plan_small_framed(const struct plan_library *l)
{
    return l->small.nameless + l->small.framed;
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
    return plan_is_direct(l) ? 0 : l->said ? l->calls.lazy : l->functions;
}

/* The function that an alias names, too, counted over exported functions and then dynamic small ones. Aliases are
 * spread evenly over all of these. */
static inline uint32_t plan_alias_function(const struct plan_library *l, uint32_t alias)
{
    return (uint32_t)((uint64_t)alias * (plan_exported(l) + l->small.exported) / l->extra.dynamic.aliases);
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
    return l->said ? l->imports - l->calls.called : 0;
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
