/* What the files that plan by rows share: libraries and graph (rows.c), one library in its sizes (rows_fit.c)
 * and what it has beyond its functions (rows_extra.c). */
#ifndef EMIT_SOLVE_ROWS_PARTS_H
#define EMIT_SOLVE_ROWS_PARTS_H

#include "emit/solve/solve.h"

enum { ROWS_EXTRA_WHOLE = 4 /* the largest want.share */, ROWS_TERSE_MOST = 4, ROWS_CALLS_WHOLE = 4 };
/* want.lengths: arrays of most_names for what is drawn, and then scratch for lengths_fit. */
enum { WANT_DRAWN = 4, WANT_LENGTHS = WANT_DRAWN + 8 };

/* `count` lengths by a row's distribution of these, and whether it gives any. Most tries ask for as many as the one
 * before. */
struct drawn_lengths {
    uint32_t count;
    bool known;
    uint32_t length[]; /* room for want.most_names */
};
enum { ROWS_NOT_DRAWN = UINT32_MAX /* a `count` */ };

/* What is wanted of a library, and how far its planning has got. */
struct want {
    uint32_t row;        /* index in profile.row */
    uint32_t functions;  /* wanted symbols of functions, with the glue's and without aliases */
    uint32_t small;      /* how many functions are to be small ones (plan_library.small) */
    uint32_t nameless;   /* in a stripped library: how many unwind entries are to be of small functions that are no
                            dynamic symbols */
    int64_t exported;    /* wanted dynamic functions without aliases; -1: as many as there is room for */
    uint32_t aliases;    /* wanted aliases of dynamic functions */
    int64_t mangled;     /* wanted mangled names of dynamic symbols; PROFILE_DERIVED where that is not free to choose */
    uint32_t imports;    /* how many imports its edges ask for, in all */
    uint32_t leaves;     /* the most of its leaves (calls_rows.h) that any one library would call */
    bool called;         /* whether any library imports from it */
    uint32_t bound;      /* the most symbols, beyond its numbered functions, that any one library imports from it */
    uint32_t bound_most; /* upper bound of `bound` in this round */
    bool silent;         /* whether it has no room for imports */
    uint32_t calls;      /* share of its imports that it may call, in 1/ROWS_CALLS_WHOLE */
    uint32_t slots;      /* PLT slots that it has if no function is given up */
    uint32_t cap;        /* upper bound of numbered functions in this round, */
    uint32_t few;        /* and of small ones, */
    uint32_t lowered;    /* which was lowered so many times */
    uint32_t *lengths;   /* scratch for WANT_LENGTHS times `most_names` lengths; owned; NULL: none */
    struct drawn_lengths *drawn_lengths; /* what the row's distribution gave last; owned; NULL: no `lengths` */
    uint32_t most_names; /* upper bound of the names whose lengths are chosen: those of undefined symbols, of all
                            dynamic ones, or of all symbols */
    uint32_t share;      /* share of the wanted extras (plan_library.extra) that it gets, in 1/ROWS_EXTRA_WHOLE */
    bool imports_named;  /* whether the lengths of its imports' names are nearly settled */
    bool drawn;          /* whether the lengths of its exported functions' names are settled */
    uint8_t alike;       /* how many of its names are to use the same words (plan_library.alike), as last chosen */
    bool moved;          /* whether plan_library.alike has changed since then */
    uint32_t terse;      /* by how much its exported functions' names are shortened, in 1/ROWS_TERSE_MOST */
    uint64_t work;       /* effort of all tries so far; its unit is that of TRIES_WORK (rows_fit.c) */
    bool hurried;        /* whether there were too many tries, so that it gets the least of everything */
    /* Sizes of the row that nothing fits into, so that it has as much of these as it needs. */
    bool loose[SIZE_KINDS];
    enum size_kind lack; /* the size that was too small in the last try; SIZE_KINDS: none */
    uint64_t needs;      /* bytes of that size that it needs */
    uint64_t least_text; /* the least text, in bytes, that any try with as many functions needed; 0: another size was
                            too small, too */
    /* names[b][n]: bytes of the mangled names of its first n functions; b is 1 for a bare library, whose functions have
     * other arguments. Owned. NULL: not known yet, or names are Pynamic's. */
    uint64_t *names[2];
};

struct rows {
    struct solver *s;
    struct want *want;
    uint32_t *index;  /* by row: the index of its library in plan->library */
    uint32_t *rank;   /* scratch, by library: how many of its functions were imported so far */
    bool debug_files; /* whether rows say which libraries have a debug file */
    bool named;       /* whether the lengths of all exported functions' names are nearly settled */
};

static inline uint64_t rows_value_or(const struct profile_row *row, enum row_value v, uint64_t otherwise)
{
    return row->value[v] == PROFILE_DERIVED ? otherwise : (uint64_t)row->value[v];
}

/* Whether a row's library is made for processors that check where branches lead. */
static inline bool rows_cf_protection(const struct profile *p, const struct profile_row *row)
{
    return rows_value_or(row, ROW_CF_PROTECTION, p->elf.cf_protection);
}

static inline uint32_t rows_smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t rows_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Estimate of the bytes that the names of the library's imports take. */
static inline uint64_t rows_import_names(const struct plan *plan, const struct plan_library *l)
{
    enum { NAME_ESTIMATE = 20, MANGLED_ESTIMATE = 64 };
    uint64_t all = 0;
    uint64_t mangled = 0;
    for (uint32_t n = 0; n < l->needs.edges; n++) {
        const struct plan_edge *const edge = &l->needs.edge[n];
        all += edge->symbols;
        mangled += names_are_mangled(&plan->names, &plan->library[edge->library]) ? edge->symbols : 0;
    }
    const double share = all ? (double)mangled / (double)all : 0;
    return (uint64_t)(l->imports * (NAME_ESTIMATE + share * (MANGLED_ESTIMATE - NAME_ESTIMATE)));
}

/* Called when nothing fits into a size of a captured row (want.lack). One row that is too small is no reason to refuse
 * an application: its library becomes larger, and that is listed as a difference. False where that is no help. */
bool rows_loosen(const struct profile *p, struct want *w);

/* Names of the sizes, for errors. */
extern const char *const rows_size_names[SIZE_KINDS];

/* Bytes of filling that make PyInit_ as large as the row says. */
uint32_t rows_initialising(const struct plan_library *l);

/* How many more than `already` the row states for `v`. Returns `share` / ROWS_EXTRA_WHOLE of these. */
uint32_t rows_more_of(const struct plan_library *l, enum row_value v, uint64_t already, uint32_t share);

/* How many versions a library has before any others of the C library are chosen: its own and those of libraries of the
 * set, and, unless it does without libc.so.6, OUTSIDE_VERSION and, with packed relocations, RELR_VERSION. */
static inline uint64_t rows_versions_least(const struct plan_library *l)
{
    const uint32_t own = l->extra.versioning.defined ? 1 + l->extra.versioning.defined : 0;
    return (l->without_libc ? 0 : UINT64_C(1) + l->elf.relr) + own + l->needs.versions;
}

/* How many local functions are to be further names of others: at most those that are not dynamic, and fewer than all.
 */
uint32_t rows_local_aliases(const struct profile_row *row);

/* How many versions, besides the base version, a row's library is to define. */
uint32_t rows_definitions(const struct profile_row *row);

/* Sets how many versions of other libraries of the set each edge of a library asks for, at most as many as its row has.
 */
void rows_set_edge_versions(const struct plan *plan, struct plan_library *l);

/* Lengths, as in .symtab, of names that are fixed. `length` has room for all names of a library. */
struct fixed_lengths {
    uint32_t *length;
    uint32_t count;
};

/* What is known of names other than those of undefined symbols. */
struct names_beside {
    uint64_t exported; /* bytes of exported names that are not settled yet; in a library with a symbol table, of all
                          names that are not */
    struct fixed_lengths fixed; /* lengths of all other names, ascending, in the library's scratch memory; or none */
};

/* Sets w->lengths to the wanted lengths of undefined symbols' names. False where these are not known, or if the library
 * is not stripped and has no unbound symbols. */
bool rows_draw_outside(const struct plan *plan, const struct plan_library *l, const struct want *w,
                       struct names_beside *beside);

/* How many undefined symbols of a library need invented names (plan_library.unbound), because no real ones have the
 * wanted lengths. At least `bound` symbols keep real names. */
uint32_t rows_unbound(const struct plan *plan, const struct plan_library *l, const struct want *w, uint32_t bound);

/* Sets plan_library.extra: as many PLT slots, undefined symbols, relocations, methods and so on as the row has. The
 * library must have its counts. */
void rows_set_extra(const struct plan *plan, struct plan_library *l, const struct want *w);

/* Reduces plan_library.extra, which is given up before anything else. False where that would not help against w->lack.
 */
bool rows_less_extra(const struct plan *plan, struct plan_library *l, const struct want *w);

/* Finds which functions are too small to be numbered ones, and sets the wanted sizes of small functions. False when
 * memory ran out. */
bool rows_find_small(const struct plan *plan, struct plan_library *l, struct want *w);

/* Chooses the lengths of the library's classes' names; call after rows_find_small. False when memory ran out. */
bool rows_choose_classes(const struct plan *plan, struct plan_library *l, const struct want *w);

/* How many dynamic symbols of type STT_GNU_IFUNC a row's library is to have (resolvers.h). */
uint32_t rows_ifunc_dynamic(const struct plan *plan, const struct plan_library *l);

/* Chooses the cold parts of the library's functions; call when its names have their lengths. False when memory ran out.
 */
bool rows_choose_cold(const struct plan *plan, struct plan_library *l);

/* How many PLT slots a row has for calls and for what is bound: those that R_X86_64_IRELATIVE does not fill.
 * PROFILE_DERIVED where it does not say. */
static inline int64_t rows_bound_slots(const struct plan *plan, const struct plan_library *l)
{
    const int64_t slots = profile_row_says(plan->profile, l->said, ROW_PLT);
    const int64_t filled = (int64_t)rows_value_or(l->said, ROW_IRELATIVE, 0);
    return slots == PROFILE_DERIVED ? slots : filled < slots ? slots - filled : 0;
}

/* How many dynamic functions should be small ones: in a stripped library all that are so small, in others those that
 * stand ahead (plan_library.small_ahead). */
uint32_t rows_small_dynamic(const struct plan_library *l, const struct want *w);

/* Sets how many small functions the library has, at most `most`. Its numbered ones must be set. Returns whether the
 * number of dynamic small functions has changed. */
bool rows_set_small(struct plan_library *l, const struct want *w, uint32_t most);

/* How many entries of unwind tables the glue and the PLT add that are small and that no dynamic symbol has. */
uint32_t rows_small_glue(const struct plan *plan, const struct plan_library *l);

/* How many small functions of a stripped library are to be no symbols (plan_library.nameless). */
uint32_t rows_nameless(const struct plan *plan, const struct plan_library *l, const struct want *w);

/* Sets the sizes of the small functions: as wanted, but at most `most` bytes. Of ROWS_SMALL_WHOLE parts of them, only
 * the last `coded` have code. */
enum { ROWS_SMALL_WHOLE = 16 };
void rows_shorten_small(struct plan_library *l, uint32_t most, uint32_t coded);

/* Whether other libraries import functions of this one, as far as its row has any. If it has none, they import objects.
 */
static inline bool rows_is_called(const struct plan_library *l, const struct want *w)
{
    return w->called && (w->exported || !rows_value_or(l->said, ROW_DYNAMIC_OBJECTS, 0));
}

/* The fewest exported functions that the library can have. */
static inline uint32_t rows_least_exported(const struct plan_library *l, const struct want *w)
{
    return (rows_is_called(l, w) ? 1u : 0u) + (l->calls.called && w->leaves ? 1u : 0u);
}

/* rows_counts.c: counts, before it is known whether they fit. */

/* Sets want.names for as many functions as there can be. ERROR_MEMORY when memory ran out. */
bool rows_sum_names(const struct plan *plan, const struct plan_library *l, struct want *w, struct error *e);

/* How many functions of the glue the row counts: those that are symbols or, in a stripped library, those with entries
 * in unwind tables. */
uint32_t rows_glue_symbols(const struct plan_library *l);

/* How many numbered functions there are, if all functions together are to be as many symbols as wanted. */
uint32_t rows_numbered(const struct plan *plan, const struct plan_library *l, const struct want *w);

/* Sets counts, names and extras of a library with `functions` numbered functions, of which `exported` are exported. */
void rows_set_counts(const struct plan *plan, struct plan_library *l, const struct want *w, uint32_t functions,
                     uint32_t exported);

/* Divides the library's calls over at most `most` functions. */
void rows_set_callers(struct plan_library *l, uint32_t most);

/* Sets how many imports the library calls: at most `fourths` fourths. Each takes a PLT slot, so they are at most as
 * many as the row's slots beside those that lead to Python. */
void rows_set_calls(const struct plan *plan, struct plan_library *l, uint32_t fourths);

/* A worker's task, with a struct rows as context: settles the counts of a library, as far as its imports are known. An
 * ERROR_INFEASIBLE, with the nearest size that is possible, where no counts fit. */
bool rows_fit_counts(void *context, unsigned worker, uint32_t index, struct error *e);

/* A worker's task, when all libraries have their counts: settles the exact sizes of a library, trying ever fewer local
 * functions; what others call stays. Afterwards want->lack says which size is too small, if nothing fits. */
bool rows_fit_exactly(void *context, unsigned worker, uint32_t index, struct error *e);

/* Sets how many names of dynamic symbols are mangled. All libraries must have their calls. */
void rows_count_mangled(struct rows *r);

/* Settles the lengths of exported functions' names and the bytes of imports' names. All libraries must have their
 * counts. */
bool rows_name_exported(struct rows *r, struct error *e);

/* Swaps lengths among the exported functions of each library, so that the names that another library imports come
 * closer to the lengths that this library's row wants. False when memory ran out. */
bool rows_match_imports(struct rows *r, struct error *e);

/* A worker's task: allocates the lengths of all names. It must be done for all libraries before rows_settle_names,
 * which reads the names of others. */
bool rows_make_room(void *context, unsigned worker, uint32_t index, struct error *e);

/* A worker's task, when all sizes are settled: settles the lengths of all other names, so that .strtab has the row's
 * size and the lengths have the row's distribution. */
bool rows_settle_names(void *context, unsigned worker, uint32_t index, struct error *e);

/* A worker's task, when it is settled which names use the same words: has debuggers show as many characters as the row
 * says, as rows_settle_names has done for names with words of their own. */
bool rows_elaborate_again(void *context, unsigned worker, uint32_t index, struct error *e);

/* rows_linked.c: values that a row does not state, worked out from its sizes. rows_direct: extra.plt.direct, the
 * entries of .plt.got that explain `share: plt`, or 0. rows_versioned: extra.versioning.others, for which the row's
 * tables of symbols leave room. rows_buckets: extra.dynamic.buckets, the buckets of .gnu.hash with which all tables of
 * symbols have the row's size, or 0; `s` is the library's shape. */
struct shape;
uint32_t rows_direct(const struct profile_row *row, bool cf_protection);
uint32_t rows_versioned(const struct plan_library *l);
uint32_t rows_buckets(const struct plan *plan, const struct plan_library *l, const struct shape *s);

/* rows_graph.c: lists the edges of all libraries, and sets what follows from them: `bare`, and what a library
 * calls and is called for. ERROR_MEMORY when memory ran out. */
bool rows_make_edges(struct rows *r, struct error *e);

/* Counts what each library imports along each of its edges. All libraries must have their functions. */
void rows_count_imports(struct rows *r);

#endif
