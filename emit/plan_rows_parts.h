/* What the parts of planning by rows share: libraries and graph (plan_rows.c), one library
 * in its sizes (plan_rows_fit.c) and what it has beyond its functions (plan_rows_extra.c). */
#ifndef EMIT_PLAN_ROWS_PARTS_H
#define EMIT_PLAN_ROWS_PARTS_H

#include "emit/plan_parts.h"

enum { ROWS_EXTRA_WHOLE = 4 /* what `share` counts */, ROWS_TERSE_MOST = 4, ROWS_CALLS_WHOLE = 4 };
enum { WANT_LENGTHS = 4 };

/* What is wanted of a library. */
struct want {
    uint32_t row;        /* in the profile */
    uint32_t functions;  /* symbols of functions, those of the glue too */
    uint32_t small;      /* functions that are smaller than numbered ones */
    int64_t exported;    /* dynamic ones; -1: as many as there is room for */
    int64_t mangled;     /* dynamic symbols whose names are, where these are free, or PROFILE_DERIVED */
    uint32_t imports;    /* that it would make */
    uint32_t most;       /* the most that one library would call of it, and */
    uint32_t leaves;     /* the most that one library would call of its leaves */
    bool called;         /* at all */
    uint32_t bound;      /* the most symbols beyond its numbered functions that one library imports of it */
    uint32_t bound_most; /* what these may be, in this round */
    bool silent;         /* has no room for imports */
    uint32_t calls;      /* of imports it may call so many fourths */
    uint32_t slots;      /* of the PLT that it would have with all of its functions */
    uint32_t cap;        /* of numbered functions, in this round */
    uint32_t *lengths;   /* scratch: WANT_LENGTHS times `most_names`; NULL: none */
    uint32_t most_names; /* undefined symbols at most, or all dynamic ones */
    uint32_t share;      /* of what is wanted beyond functions, in fourths */
    bool imports_named;  /* lengths of the names of its imports are settled, nearly */
    bool drawn;          /* and those of its exported functions */
    uint32_t terse;      /* its exported functions' names have less room, by so many fourths */
    uint64_t work;       /* of all tries so far */
    bool hurried;        /* there have been too many: it gets the least that it can */
    enum size_kind lack;
    uint64_t needs;
    /* Bytes of the names of its first so many functions, mangled ones: [1] of a bare library, whose
     * functions have other arguments. NULL: not known yet, or names are Pynamic's. */
    uint64_t *names[2];
};

struct rows {
    struct solver *s;
    struct want *want;
    uint32_t *index;  /* of each row, in plan->library */
    uint32_t *rank;   /* scratch: how many of each library's functions have been called */
    bool debug_files; /* rows say which libraries have a debug file */
    bool named;       /* names of all exported functions are nearly as long as they will be */
};

static inline uint64_t rows_value_or(const struct profile_row *row, enum row_value v, uint64_t otherwise)
{
    return row->value[v] == PROFILE_DERIVED ? otherwise : (uint64_t)row->value[v];
}

static inline uint32_t rows_smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t rows_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Bytes of the names of its imports, about. */
static inline uint64_t rows_import_names(const struct plan *plan, const struct plan_library *l)
{
    enum { NAME_ESTIMATE = 20, MANGLED_ESTIMATE = 64 };
    return (uint64_t)l->imports * (plan->names.style == STYLE_ITANIUM ? MANGLED_ESTIMATE : NAME_ESTIMATE);
}

/* Names of the sizes, for errors. */
extern const char *const rows_size_names[SIZE_KINDS];

/* What PyInit_ has beyond what it needs, to be as large as the row says. */
uint32_t rows_initialising(const struct plan_library *l);

/* How many more a row has of something; `share` fourths of them. */
uint32_t rows_more_of(const struct plan_library *l, enum row_value v, uint64_t already, uint32_t share);

/* How long the names of undefined symbols are wanted, into w->lengths, and bytes of those of exported ones that are not
 * yet settled; false where that is not known, or the library is neither stripped nor has any that nothing binds. */
bool rows_draw_outside(const struct plan *plan, const struct plan_library *l, const struct want *w, uint64_t *exported);

/* How many undefined symbols of a module have names of which there are none outside the set, so that nothing may bind
 * them: all but `bound` at most. */
uint32_t rows_unbound(const struct plan *plan, const struct plan_library *l, const struct want *w, uint32_t bound);

/* As many slots of the PLT, undefined symbols, relocations and methods as the row has, for a library that
 * has its counts. */
void rows_set_extra(const struct plan *plan, struct plan_library *l, const struct want *w);

/* Takes some of what goes before anything else; false where that would not help against w->lack. */
bool rows_less_extra(const struct plan *plan, struct plan_library *l, const struct want *w);

/* Finds which functions are too small to be numbered ones; false when memory ran out. */
bool rows_find_small(const struct plan *plan, struct plan_library *l, struct want *w);

/* Chooses how long the names of its classes are, when its small functions are found; false when memory ran out. */
bool rows_choose_classes(const struct plan *plan, struct plan_library *l, const struct want *w);

/* How many dynamic functions of a stripped library are to be small ones. */
uint32_t rows_small_of_stripped(const struct plan_library *l, const struct want *w);

/* Sets the small functions of a library that has its numbered ones, at most so many; whether there are others than
 * before among the dynamic symbols. */
bool rows_set_small(struct plan_library *l, const struct want *w, uint32_t most);

/* None of its small functions is larger than `most`; those that were shorter before are as they are wanted. */
void rows_shorten_small(struct plan_library *l, uint32_t most);

/* Exported functions that a library has at least. */
uint32_t rows_least_exported(const struct plan_library *l, const struct want *w);

/* Workers' tasks, with a struct rows as their context. The counts of a library, as far as is
 * known of its imports; an ERROR_INFEASIBLE where it cannot be, with the nearest that can. */
bool rows_fit_counts(void *context, unsigned worker, uint32_t index, struct error *e);

/* Its exact sizes, when all have their counts, with ever fewer local functions; what others
 * call stays as it is. Where it does not fit, want->lack is not SIZE_KINDS. */
bool rows_fit_exactly(void *context, unsigned worker, uint32_t index, struct error *e);

/* Sets which names of dynamic symbols are mangled, when all libraries have their calls. */
void rows_count_mangled(struct rows *r);

/* Settles the lengths of exported functions' names, when all libraries have their counts, and what
 * the names of imports take. */
bool rows_name_exported(struct rows *r, struct error *e);

/* Exchanges lengths among each library's exported functions, so that those that another one calls are more like what
 * that has; false when memory ran out. */
bool rows_match_imports(struct rows *r, struct error *e);

/* A worker's task: room for the lengths of all names. That is before any other library's names are
 * settled, which looks at those that it has. */
bool rows_make_room(void *context, unsigned worker, uint32_t index, struct error *e);

/* A worker's task: settles all other names when all sizes are, so that .strtab is as the row has it and the lengths
 * are distributed as the row says. */
bool rows_settle_names(void *context, unsigned worker, uint32_t index, struct error *e);

/* plan_rows_linked.c. Entries of .plt.got that a row's `share: plt` has beyond its PLT's, if it may be these; libraries
 * outside the set that the library needs a version of, besides the C library, as its row's symbols leave room for that;
 * and the buckets of .gnu.hash with which all tables of symbols are as large as the row says, or 0. */
uint32_t rows_direct(const struct profile_row *row);
uint32_t rows_versioned(const struct plan_library *l);
uint32_t rows_buckets(const struct plan *plan, const struct plan_library *l);

#endif
