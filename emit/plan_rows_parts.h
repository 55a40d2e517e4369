/* What the parts of planning by rows share: libraries and graph (plan_rows.c), one library
 * in its sizes (plan_rows_fit.c) and what it has beyond its functions (plan_rows_extra.c). */
#ifndef EMIT_PLAN_ROWS_PARTS_H
#define EMIT_PLAN_ROWS_PARTS_H

#include "emit/plan_parts.h"

enum { ROWS_EXTRA_WHOLE = 4 /* want.share at its maximum */, ROWS_TERSE_MOST = 4, ROWS_CALLS_WHOLE = 4 };
enum { WANT_LENGTHS = 4 };

/* What is wanted of a library, and how far planning it has got. */
struct want {
    uint32_t row;       /* in the profile */
    uint32_t functions; /* wanted symbols of functions, the glue's included, aliases not */
    uint32_t small;     /* how many functions are to be small ones (plan_library.small) */
    uint32_t nameless; /* of a stripped library, how many entries of unwind tables are to be of small functions that are
                          no dynamic symbols */
    int64_t exported;  /* wanted dynamic functions but for aliases; -1: as many as there is room for */
    uint32_t aliases;  /* wanted aliases of these */
    int64_t mangled;   /* wanted mangled names of dynamic symbols, if that is free to choose; or PROFILE_DERIVED */
    uint32_t imports;  /* how many imports its edges ask for */
    uint32_t leaves;   /* the most leaves of it (calls_rows.h) that any one library would call */
    bool called;       /* any library imports from it */
    uint32_t bound;    /* the most symbols, beyond its numbered functions, that any one library imports from it */
    uint32_t bound_most; /* upper bound of `bound` in this round */
    bool silent;         /* it has no room for imports */
    uint32_t calls;      /* share of its imports that it may call, in 1/ROWS_CALLS_WHOLE */
    uint32_t slots;      /* PLT slots that it would have with all of its functions */
    uint32_t cap;        /* upper bound of numbered functions in this round */
    uint32_t *lengths;   /* scratch: WANT_LENGTHS times `most_names`; NULL: none */
    uint32_t most_names; /* upper bound of the names whose lengths are chosen: of undefined symbols, of all
                            dynamic ones, or of all */
    uint32_t share;      /* share of plan_library.extra that it gets, in 1/ROWS_EXTRA_WHOLE */
    bool imports_named;  /* the lengths of its imports' names are nearly settled */
    bool drawn;          /* the lengths of its exported functions' names are settled */
    uint8_t alike;       /* how many of its names are to use the same words (plan_library.alike) */
    uint32_t terse;      /* by how much its exported functions' names are shortened, in 1/ROWS_TERSE_MOST */
    uint64_t work;       /* effort of all tries so far */
    bool hurried;        /* there were too many tries: it gets the least that it can */
    bool enlarged;       /* nothing fits into the row's text or data: it has as much as the least needs */
    enum size_kind lack; /* the size that was too small in the last try; SIZE_KINDS: it fitted */
    uint64_t needs;      /* bytes of that size that it needs */
    uint64_t least_text; /* the least text that any try with as many functions needed; 0: another size lacked, too */
    /* names[b][n]: bytes of the mangled names of its first n functions; b is 1 for a bare library, whose functions have
     * other arguments. NULL: not known yet, or names are Pynamic's. */
    uint64_t *names[2];
};

struct rows {
    struct solver *s;
    struct want *want;
    uint32_t *index;  /* of each row, the index of its library in plan->library */
    uint32_t *rank;   /* scratch: how many functions of each library have been called so far */
    bool debug_files; /* rows say which libraries have a debug file */
    bool named;       /* the lengths of all exported functions' names are nearly settled */
};

static inline uint64_t rows_value_or(const struct profile_row *row, enum row_value v, uint64_t otherwise)
{
    return row->value[v] == PROFILE_DERIVED ? otherwise : (uint64_t)row->value[v];
}

/* Whether a row's library is one for processors that check where branches lead. */
static inline bool rows_cf_protection(const struct profile *p, const struct profile_row *row)
{
    return rows_value_or(row, ROW_CF_PROTECTION, p->elf.cf_protection && !profile_is_captured(p));
}

static inline uint32_t rows_smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t rows_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* About how many bytes the names of its imports take. */
static inline uint64_t rows_import_names(const struct plan *plan, const struct plan_library *l)
{
    enum { NAME_ESTIMATE = 20, MANGLED_ESTIMATE = 64 };
    return (uint64_t)l->imports * (plan->names.style == STYLE_ITANIUM ? MANGLED_ESTIMATE : NAME_ESTIMATE);
}

/* Names of the sizes, for errors. */
extern const char *const rows_size_names[SIZE_KINDS];

/* Bytes of filling that make PyInit_ as large as the row says. */
uint32_t rows_initialising(const struct plan_library *l);

/* How many more than `already` the row states for `v`; of these, `share` fourths. */
uint32_t rows_more_of(const struct plan_library *l, enum row_value v, uint64_t already, uint32_t share);

/* How many versions a library with a row has that is linked with the C library, before others of that are chosen:
 * OUTSIDE_VERSION, with packed relocations RELR_VERSION, its own and those of libraries in the set. */
static inline uint64_t rows_versions_least(const struct plan_library *l)
{
    const uint32_t own = l->extra.definitions ? 1 + l->extra.definitions : 0;
    return UINT64_C(1) + l->elf.relr + own + l->edge_versions;
}

/* How many versions, besides the base version, a row's library is to define. */
uint32_t rows_definitions(const struct profile_row *row);

/* Sets by how many versions of others a library asks for its imports, as far as its row has any. */
void rows_set_edge_versions(const struct plan *plan, struct plan_library *l);

/* Lengths, as in .symtab, of names that cannot be chosen any more. `length` has room for all names of a library. */
struct fixed_lengths {
    uint32_t *length;
    uint32_t count;
};

/* What is known of names beside those of undefined symbols. */
struct names_beside {
    uint64_t exported; /* bytes of exported names that are not yet settled, in a library with a symbol table of all
                          others that are not */
    struct fixed_lengths fixed; /* of all other names, ascending, in scratch memory of the library's; or none */
};

/* Sets w->lengths to the wanted lengths of undefined symbols' names. False where these are not known, or if the library
 * is not stripped and nothing of it is unbound.
 */
bool rows_draw_outside(const struct plan *plan, const struct plan_library *l, const struct want *w,
                       struct names_beside *beside);

/* How many undefined symbols of a module need invented names (plan_library.unbound), because there are no real ones of
 * their lengths. At least `bound` symbols keep real names. */
uint32_t rows_unbound(const struct plan *plan, const struct plan_library *l, const struct want *w, uint32_t bound);

/* Sets plan_library.extra: as many PLT slots, undefined symbols, relocations, methods and so on as the row has. The
 * library must have its counts. */
void rows_set_extra(const struct plan *plan, struct plan_library *l, const struct want *w);

/* Reduces plan_library.extra, which is given up before anything else; false where that would not help against w->lack.
 */
bool rows_less_extra(const struct plan *plan, struct plan_library *l, const struct want *w);

/* Finds which functions are too small to be numbered ones; false when memory ran out. */
bool rows_find_small(const struct plan *plan, struct plan_library *l, struct want *w);

/* Chooses the lengths of its classes' names, after rows_find_small; false when memory ran out. */
bool rows_choose_classes(const struct plan *plan, struct plan_library *l, const struct want *w);

/* How many dynamic symbols of type STT_GNU_IFUNC a row's library is to have (resolvers.h). */
uint32_t rows_ifunc_dynamic(const struct plan *plan, const struct plan_library *l);

/* How many slots of the PLT a row has for calls and for what is bound, PROFILE_DERIVED where it does not say. */
static inline int64_t rows_bound_slots(const struct plan *plan, const struct plan_library *l)
{
    const int64_t slots = profile_row_says(plan->profile, l->said, ROW_PLT);
    const int64_t filled = (int64_t)rows_value_or(l->said, ROW_IRELATIVE, 0);
    return slots == PROFILE_DERIVED ? slots : filled < slots ? slots - filled : 0;
}

/* How many dynamic functions should be small ones: of a stripped library as many as are so small, of others as many
 * as stand ahead (plan_library.small_ahead). */
uint32_t rows_small_dynamic(const struct plan_library *l, const struct want *w);

/* Sets how many small functions the library has, at most `most`, when its numbered ones are set. Returns whether the
 * dynamic ones among them have changed. */
bool rows_set_small(struct plan_library *l, const struct want *w, uint32_t most);

/* How many small functions of a stripped library are to be no symbols. */
uint32_t rows_nameless(const struct plan *plan, const struct plan_library *l, const struct want *w);

/* Sets the sizes of its small functions: as wanted, but none larger than `most`, and only the last `coded` of
 * ROWS_SMALL_WHOLE with code. */
enum { ROWS_SMALL_WHOLE = 16 };
void rows_shorten_small(struct plan_library *l, uint32_t most, uint32_t coded);

/* Whether others import functions of it, as far as its row has any: they may be objects, too. */
static inline bool rows_is_called(const struct plan_library *l, const struct want *w)
{
    return w->called && (w->exported || !rows_value_or(l->said, ROW_DYNAMIC_OBJECTS, 0));
}

/* The fewest exported functions that the library can have. */
static inline uint32_t rows_least_exported(const struct plan_library *l, const struct want *w)
{
    return (rows_is_called(l, w) ? 1u : 0u) + (l->calls && w->leaves ? 1u : 0u);
}

/* A worker's task, with a struct rows as context: settles the counts of a library, as far as its imports are known. An
 * ERROR_INFEASIBLE, with the nearest size that is possible, where no counts fit. */
bool rows_fit_counts(void *context, unsigned worker, uint32_t index, struct error *e);

/* A worker's task, when all libraries have their counts: settles the exact sizes of a library, trying ever fewer local
 * functions; what others call stays. Where nothing fits, want->lack says which size is too small. */
bool rows_fit_exactly(void *context, unsigned worker, uint32_t index, struct error *e);

/* Sets which names of dynamic symbols are mangled, when all libraries have their calls. */
void rows_count_mangled(struct rows *r);

/* When all libraries have their counts: settles the lengths of exported functions' names, and the bytes of imports'
 * names. */
bool rows_name_exported(struct rows *r, struct error *e);

/* Swaps lengths among the exported functions of each library, so that the names which another library imports are
 * closer to the lengths that this one's row wants; false when memory ran out. */
bool rows_match_imports(struct rows *r, struct error *e);

/* A worker's task: allocates the lengths of all names. To be done for all libraries before rows_settle_names, which
 * looks at the names of others. */
bool rows_make_room(void *context, unsigned worker, uint32_t index, struct error *e);

/* A worker's task, when all sizes are settled: settles the lengths of all other names, so that .strtab has the row's
 * size and the lengths have the row's distribution. */
bool rows_settle_names(void *context, unsigned worker, uint32_t index, struct error *e);

/* plan_rows_linked.c: values that a row does not state, worked out from its sizes. extra.direct: the entries of
 * .plt.got that explain `share: plt`, or 0. extra.versioned: what room the row's tables of symbols leave for version
 * needs. extra.buckets: the buckets of .gnu.hash with which all tables of symbols have the row's size, or 0. */
uint32_t rows_direct(const struct profile_row *row, bool cf_protection);
uint32_t rows_versioned(const struct plan_library *l);
uint32_t rows_buckets(const struct plan *plan, const struct plan_library *l);

#endif
