/* The plan: everything decided about a set before a byte is laid out.
 *
 * For each library it states the kind, the number of functions, which libraries it calls, and its sizes
 * (plan_library.h). Every further choice follows from these and from the seed, so any library can be made alone. Once
 * plan_make has returned nothing of it changes but what the search finds (emit/search): each library's mix and taste,
 * which the thread that has the library writes and no other one reads. A plan takes about 1.3 kB for each library,
 * because it has nothing about single functions: their signatures and calls are computed in closed form where they are
 * needed.
 */
#ifndef EMIT_PLAN_PLAN_H
#define EMIT_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "elf/write/unwind.h"
#include "emit/plan/executables.h"
#include "emit/plan/plan_library.h"

enum { FIVE_SIZES = SIZE_STRTAB + 1, PLAN_UNITS = 35 /* functions in a unit, on average */ };
enum { PLAN_TABLE = 30 /* bytes of a function's exception table, on average, where no row says it */ };

/* How calls into utilities are assigned; see calls.h. */
struct assignment {
    uint32_t repeat; /* how many times in a row each call is made */
    bool random;     /* calls go to any function; `layers` is not used */
    uint32_t layers;
    uint32_t per_function; /* calls in each module function */
    uint64_t calls[2];     /* calls of all modules: [1] in covered functions, [0] in the others */
    uint64_t chains[2];    /* chains of all utilities: [1] covered, [0] not */
    uint64_t jitter;       /* random; by how much each layer is turned besides */
};

/* The wanted debug sections of one library. */
enum { PLAN_EVEN_STEPS = 5 };
struct plan_mix {
    uint64_t size[10];             /* bytes by enum debug_section, or DEBUG_ANY (dwarf/unit/unit.h) */
    int32_t rows_part, expression; /* describe.h */
    uint32_t letters;              /* describe.h */
    uint32_t told;    /* share of what functions' entries may take that is used, in 1/DESCRIBE_TOLD_ALL (describe.h) */
    uint32_t besides; /* additional locals (describe.h) */
    uint64_t normal;  /* with clang's form: bytes of debug information in the normal one (indexed.h) */
    uint8_t even;     /* in 1/PLAN_EVEN_STEPS: by how much units differ less in code than in size (dwarf/unit/unit.h) */
    bool is_settled;  /* false until a library with a row is made for the first time, which settles its mix (mix.h) */
};

/* What constants and objects of one library are filled with, so that its text and its data compress as its row says
 * (taste.h). */
enum { PLAN_TASTE_ALL = 1 << 16 };
struct plan_taste {
    struct {
        uint32_t fresh, zeros; /* as struct stock_taste has them, up to PLAN_TASTE_ALL */
    } of[2];                   /* in text, in data */
    uint32_t different;        /* how different pointers in data are (pointers.h) */
    bool is_known;
};

struct mix_guides; /* mix_rows_parts.h */
struct mix_before;

struct plan {
    const struct profile *profile;
    uint64_t seed;
    uint32_t modules, utilities;
    uint32_t depth;
    uint64_t coverage; /* share of chains that a visit reaches, times 2^32 */
    struct assignment assignment;
    struct names names;
    struct constants constants;
    uint64_t profile_digest[2]; /* XXH3-128 of the profile's canonical text, the seed included: high, low */
    uint64_t digest[2];         /* of profile_digest and the version of pyelfgen */
    uint32_t library_count;     /* entries of `library`: modules, utilities, the two markers, executables, parts of
                                   executables */
    uint32_t inside;            /* parts of executables: the last entries of `library` */
    struct plan_executables executables;
    struct plan_library *library;
    bool any_attributes;    /* libraries need not have as many attributes of debug information as their rows say
                               (prepare.c) */
    struct plan_edge *edge; /* the edges of all libraries, where the profile has rows; plan_library.edge points here */
    char *function_sizes;   /* distribution for libraries whose rows state none; owned; or NULL (plan_function_sizes) */
    struct plan_mix *mix;   /* one for each library; NULL where the profile wants no sizes of debug sections (mix.h) */
    struct plan_taste *taste;   /* one for each library that counts, where these are found or kept (settled.h); owned;
                                   otherwise NULL */
    struct mix_guides *guides;  /* where the search for each mix begins; NULL without rows, or where none is wanted */
    struct mix_before *before;  /* where a manner is searched for: how each library was settled with another; borrowed;
                                   or NULL */
    bool is_final;              /* libraries are settled in full, not only nearly as before (mix.h) */
    bool is_found;              /* the profile has the mixes of all libraries that count (settled.h) */
    bool wanted[SIZE_KINDS];    /* whether the profile states the size */
    bool stripped;              /* the profile wants no symbol tables */
    bool without_debug;         /* the profile wants no debug information */
    bool split;                 /* that of any library is split */
    bool wide;                  /* functions may reach 64 KiB: in any library with a row, or in those without */
    uint64_t total[SIZE_KINDS]; /* sums over modules and utilities */
    uint64_t functions;
    uint64_t link[SIZE_KINDS]; /* sizes of pyelf-link, its parts included */
};

/* Accepts NULL and half-made plans. */
void plan_free(struct plan *plan);

/* How many modules and utilities there are: the libraries that count in the sizes of a set, first in plan->library. */
static inline uint32_t plan_counted(const struct plan *plan)
{
    return plan->modules + plan->utilities;
}

/* Index of the first executable in plan->library, behind the two markers. */
static inline uint32_t plan_executable(const struct plan *plan)
{
    return plan_counted(plan) + 2;
}

/* Index of pyelf-static in plan->library, if there is one. */
static inline uint32_t plan_static(const struct plan *plan)
{
    return plan_executable(plan) + (plan->executables.link ? 1 : 0);
}

/* Index of the first part of an executable in plan->library. */
static inline uint32_t plan_inside(const struct plan *plan)
{
    return plan->library_count - plan->inside;
}

/* Whether the executable is put together from parts. */
static inline bool plan_is_joined(const struct plan *plan, const struct plan_library *l)
{
    return l->kind == LIBRARY_STATIC || (l->kind == LIBRARY_LINK && plan->inside);
}

/* Index of the library at `place` in the order in which the driver imports them: the first marker, modules, the second
 * marker, then utilities, which nobody imports. */
static inline uint32_t plan_in_order(const struct plan *plan, uint32_t place)
{
    if (place == 0)
        return plan_counted(plan);
    return place <= plan->modules ? place - 1 : place == plan->modules + 1 ? plan_counted(plan) + 1 : place - 2;
}

/* The distribution of function sizes for libraries whose rows do not state one, or NULL. */
static inline const char *plan_function_sizes(const struct plan *plan)
{
    return plan->function_sizes ? plan->function_sizes : plan->profile->distributions[DISTRIBUTION_FUNCTION_SIZES];
}

static inline uint32_t plan_utility(const struct plan *plan, uint32_t number)
{
    return plan->modules + number;
}

/* How many chains before this one a visit of every module reaches; below, whether it reaches this one. As in
 * Bresenham's line, covered chains are spread evenly, whatever their share. */
static inline uint32_t plan_covered_before(const struct plan *plan, uint32_t chain)
{
    return (uint32_t)((chain * plan->coverage + (UINT64_C(1) << 31)) >> 32);
}

static inline bool plan_chain_covered(const struct plan *plan, uint32_t chain)
{
    return plan_covered_before(plan, chain) != plan_covered_before(plan, chain + 1);
}

/* How many of `functions` functions have an exception table, where no row says it: about as many as in C++ modules. */
static inline uint32_t plan_tabled(const struct profile *p, uint32_t functions)
{
    return p->elf.exceptions ? (uint32_t)((uint64_t)functions * 2 / 5) : 0;
}

/* Functions in a chain: `depth`, or fewer in the last one. */
static inline uint32_t plan_chain_length(const struct plan *plan, const struct plan_library *l, uint32_t chain)
{
    uint32_t rest = l->functions - chain * plan->depth;
    return rest < plan->depth ? rest : plan->depth;
}

/* How many functions, from the first on, debug information describes: from `least` to `most`, whichever number has
 * nearest to `code` bytes of code, which is known when they have sizes. The others are as functions of objects that
 * were compiled without -g. All are described, and `code` is 0, unless the row says otherwise
 * (profile_describes_part). */
struct plan_described {
    uint32_t least, most;
    uint64_t code;
    uint32_t small; /* how many small functions it describes at most; `code` is without theirs */
};
struct plan_described plan_described(const struct plan *plan, const struct plan_library *l);

/* How many functions a unit has, on average. */
static inline int64_t plan_units(const struct plan *plan, const struct plan_library *l)
{
    if (l->debug.units) /* units contain functions of the glue, too */
        return (plan_described(plan, l).most + INT64_C(9) + l->debug.units - 1) / l->debug.units;
    return plan->profile->dwarf.units > 0 ? plan->profile->dwarf.units : PLAN_UNITS;
}

/* Whether functions of the library may reach 64 KiB. */
static inline bool plan_is_wide(const struct plan *plan, const struct plan_library *l)
{
    return l->said ? l->wide : plan->wide;
}

/* Bytes of the entry in .eh_frame of a function that has a frame. */
static inline uint64_t plan_unwind_entry(const struct plan *plan, const struct plan_library *l)
{
    return plan_is_wide(plan, l) ? UNWIND_WIDE : UNWIND_NARROW;
}

/* Functions that an executable has besides those of the set's libraries, its parts' included. */
uint64_t plan_own_functions(const struct plan *plan, const struct plan_library *l);

/* How many functions of `l` are in covered chains. */
uint32_t plan_covered_functions(const struct plan *plan, const struct plan_library *l);

/* How many functions of `l` are called when the entry of every module is called: the covered ones, or none of a utility
 * that no covered function could call. */
uint32_t plan_visited_functions(const struct plan *plan, const struct plan_library *l);

/* Index of the earlier module whose extern function this module's entry calls; -1: none. */
int64_t plan_extern_called(const struct plan *plan, const struct plan_library *l);
/* Whether the module has an extern function at all. */
bool plan_has_extern(const struct plan *plan, const struct plan_library *l);
/* Whether no other module calls its extern function, so that its own entry does. */
bool plan_calls_own_extern(const struct plan *plan, const struct plan_library *l);

/* Bytes for plan_advice, with the terminator. */
enum { PLAN_ADVICE = 256 };

/* What to do about a row that cannot be met, for errors: `by_hand`, or where the profile was captured, what works
 * there. Nobody corrects what was captured, and a row cannot be left out, as others refer to it and to those behind it
 * by their numbers. */
const char *plan_advice(const struct plan *plan, const struct plan_library *l, const char *by_hand,
                        char text[PLAN_ADVICE]);

#endif
