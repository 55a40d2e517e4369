/* Sets what a library with a row has beyond the needs of its functions: undefined symbols, PLT slots, relocations,
 * methods and constructors, as many of each as the row says; see rows.c. */
#include <assert.h>
#include <string.h>

#include "base/page.h"
#include "emit/library/exceptions.h"
#include "emit/library/glue.h"
#include "emit/library/shape.h"
#include "emit/plan/names_row.h"
#include "emit/plan/outside.h"
#include "emit/profile/distribution.h"
#include "emit/solve/rows_lengths.h"
#include "emit/solve/rows_parts.h"

enum {
    FEW_EXPORTED = 4,

    OTHERS_FEW = 4,         /* as do own names, if they are at most a fourth of the undefined ones */
    TLS_MOST = 1 << 20,     /* bytes, where bss is not given */
    TABLE_MOST = 1 << 20,   /* methods, constructors, destructors */
    CODE_MOST = UINT16_MAX, /* bytes of a function: a narrow unwind entry covers no more */
    VERSION_MOST = 64,      /* the most bytes that a version takes, with its name */
    UNWIND_MOST = 64,       /* units by which unwind entries may be longer than necessary, on average */
};

static uint32_t more_than(uint64_t wanted, uint64_t already, uint32_t share)
{
    const uint64_t more = wanted > already ? (wanted - already) * share / ROWS_EXTRA_WHOLE : 0;
    return more < PROFILE_FUNCTIONS_MOST ? (uint32_t)more : PROFILE_FUNCTIONS_MOST;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint32_t rows_more_of(const struct plan_library *l, enum row_value v, uint64_t already, uint32_t share)
{
    return more_than(rows_value_or(l->said, v, 0), already, share);
}

/* Bytes of those exported names that may have any length. */
static uint64_t exported_bytes(const struct plan *plan, const struct plan_library *l)
{
    return (names_are_mangled(&plan->names, l) ? 0 : l->names.exported) + l->names.others;
}

/* Whether undefined symbols keep names of their natural lengths, `natural` bytes in all, because exported names make up
 * for what .dynstr has more or less. This needs exported names none of which is settled yet. Either .dynstr has room
 * for more than that (`bytes`), or exported names are so many that some can be the ends of others. */
static bool others_take_it(const struct plan *plan, const struct plan_library *l, const struct want *w, bool known,
                           uint64_t bytes, uint64_t natural)
{
    const uint32_t own = (names_are_mangled(&plan->names, l) ? 0 : l->exported) + names_row_others(l);
    const bool shared = known && own > l->extra.undefined.outside / OTHERS_FEW;
    return !w->drawn && (l->exported + l->unbound > FEW_EXPORTED || l->imports) && (bytes > natural || shared);
}

/* How many of the undefined symbols are to have versions, beside those that have one in any case. */
static uint32_t versioned_outside(const struct plan *plan, const struct plan_library *l, const struct want *w)
{
    const uint32_t others = l->needs.versioned_imports + !l->without_libc; /* __cxa_finalize */
    const int64_t said = profile_row_says(plan->profile, l->said, ROW_DYNAMIC_VERSIONED);
    if (l->without_libc || said == PROFILE_DERIVED ||
        (said == 0 && l->said->value[ROW_DYNAMIC_VERSIONED] == PROFILE_DERIVED))
        return OUTSIDE_ANY;
    return more_than((uint64_t)said, others, w->share);
}

static uint64_t apart_by(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Bytes of the names that undefined symbols have where nothing says how long they are. The C library's names are half
 * as long as CPython's. Where as many names with versions as the row says leave much of `bytes` unused, which the row
 * has for all names, fewer have versions: the application's are those of other libraries, which are longer. */
static uint64_t natural_names(const struct plan_library *l, struct outside_wish *wish, uint64_t bytes)
{
    enum { EACH = 3 /* characters by which each name may well be longer */ };
    const uint64_t enough = lengths_spare(bytes, EACH * (uint64_t)wish->count);
    uint64_t natural = outside_natural(wish);
    if (wish->versioned == OUTSIDE_ANY || l->said->value[ROW_DYNAMIC_DYNSTR] == PROFILE_DERIVED || natural >= enough)
        return natural;
    for (uint32_t low = 0, high = wish->versioned; low < high;) {
        wish->versioned = low + (high - low) / 2;
        natural = outside_natural(wish);
        if (natural >= enough)
            low = wish->versioned + 1;
        else
            high = wish->versioned;
    }
    return natural;
}

/* Chooses names. Where these are not of the wanted bytes because of how many are to have versions, any number may. */
static uint64_t choose_nearest(struct outside_wish *wish, uint16_t *choice)
{
    const uint32_t versioned = wish->versioned;
    const uint64_t is = outside_choose(wish, choice);
    if (is == wish->bytes || versioned == OUTSIDE_ANY)
        return is;
    wish->versioned = OUTSIDE_ANY;
    if (wish->length)
        distribution_sort(wish->length, wish->count);
    const uint64_t any = outside_choose(wish, choice);
    if (apart_by(any, wish->bytes) < apart_by(is, wish->bytes))
        return any;
    wish->versioned = versioned;
    if (wish->length)
        distribution_sort(wish->length, wish->count);
    return outside_choose(wish, choice);
}

/* Changes the lengths of `count` undefined symbols' names, beside the fixed ones, to this sum. */
static void fit_outside(const struct plan *plan, const struct plan_library *l, const struct want *w,
                        const struct fixed_lengths *fixed, uint32_t count, uint64_t sum)
{
    const struct lengths_task t = {
        .of = {.value = w->lengths,
               .count = count,
               .fixed = fixed->length,
               .fixed_count = fixed->count,
               .least = OUTSIDE_SHORTEST,
               .most = OUTSIDE_LONGEST,
               .sum = sum},
        .fit = distribution_fit_few,
        .scratch = w->lengths + (size_t)WANT_DRAWN * w->most_names,
    };
    assert(lengths_scratch(&t.of) <= (size_t)(WANT_LENGTHS - WANT_DRAWN) * w->most_names);
    lengths_fit(plan, l, &t);
}

/* Chooses the undefined symbols, with `versions` versions, so that .dynstr has the row's size if everything but their
 * names and versions takes `others` bytes there. Sets *apart to how many bytes .dynstr is away from that. Returns the
 * bytes of the names. */
static uint64_t choose_outside(const struct plan *plan, struct plan_library *l, const struct want *w, uint64_t others,
                               uint32_t versions, uint64_t *apart)
{
    const uint32_t count = l->extra.undefined.outside;
    struct outside_wish wish = {.module = l->kind == LIBRARY_MODULE,
                                .needed = l->extra.undefined.needed,
                                .key = l->key,
                                .count = count,
                                .versions = versions,
                                .versioned = versioned_outside(plan, l, w)};
    const uint64_t beside = others + outside_versions_bytes(versions);
    struct names_beside names;
    const bool known = rows_draw_outside(plan, l, w, &names);
    const uint64_t left = lengths_spare(rows_value_or(l->said, ROW_DYNAMIC_DYNSTR, 0), beside);
    const uint64_t natural = known ? count + lengths_sum(w->lengths, count) : natural_names(l, &wish, left);
    const uint64_t wanted = rows_value_or(l->said, ROW_DYNAMIC_DYNSTR, beside + natural);
    uint64_t bytes = lengths_spare(wanted, beside);
    if (known && !w->drawn && w->imports_named)
        bytes = lengths_spare(bytes + exported_bytes(plan, l), names.exported);
    const bool free_ones = others_take_it(plan, l, w, known, bytes, natural);
    if (free_ones)
        bytes = natural;
    if (known && bytes >= count && names.fixed.count)
        fit_outside(plan, l, w, &names.fixed, count, bytes - count);
    else if (known && bytes >= count)
        distribution_fit_few(w->lengths, count, OUTSIDE_SHORTEST, OUTSIDE_LONGEST, bytes - count);
    wish.bytes = bytes;
    wish.length = known ? w->lengths : NULL;
    const uint64_t is = choose_nearest(&wish, l->outside_choice);
    *apart = free_ones ? 0 : apart_by(is, bytes) + lengths_spare(beside, wanted);
    return is;
}

/* As choose_outside, with `versions` versions or, where these make .dynstr less like the row's than none would, with
 * the most that do not. Sets extra.versioning.needed. */
static uint64_t choose_versions(const struct plan *plan, struct plan_library *l, const struct want *w, uint64_t others,
                                uint32_t versions, uint64_t *apart)
{
    uint64_t least;
    const uint64_t names = choose_outside(plan, l, w, others, versions, apart);
    l->extra.versioning.needed = versions;
    if (!*apart || !versions)
        return names;
    choose_outside(plan, l, w, others, 0, &least);
    while (*apart > least && --l->extra.versioning.needed)
        choose_outside(plan, l, w, others, l->extra.versioning.needed, apart);
    return choose_outside(plan, l, w, others, l->extra.versioning.needed, apart);
}

/* Sets extra.undefined.plain, so that no more than `wanted` undefined symbols have a version, as far as those with
 * newer ones allow. */
static void set_plain(struct plan_library *l, uint32_t wanted)
{
    struct plan_extra *x = &l->extra;
    uint32_t versioned = 0;
    x->undefined.plain = 0;
    for (uint32_t i = 0; i < x->undefined.outside && wanted != OUTSIDE_ANY; i++)
        versioned += shape_outside_version(l, i) > 0;
    for (; versioned > wanted && x->undefined.plain < x->undefined.outside; x->undefined.plain++)
        versioned -= shape_outside_version(l, x->undefined.plain) == 1;
}

/* Chooses the names of undefined symbols and at most `versions` versions for them. Returns how many bytes .dynstr is
 * away from what the row says. */
static uint64_t set_names(const struct plan *plan, struct plan_library *l, const struct want *w, uint32_t versions)
{
    struct plan_extra *x = &l->extra;
    uint64_t apart = 0;
    x->versioning.needed = 0;
    x->undefined.names = 0;
    l->names.others = names_row_other_bytes(l);
    versions = rows_smaller(rows_smaller(versions, x->undefined.outside), outside_versions_most());
    if (l->outside_choice)
        x->undefined.names += choose_versions(plan, l, w, shape_of_names(plan, l).dynstr, versions, &apart);
    else
        x->undefined.names += outside_bytes(l->kind == LIBRARY_MODULE, l->key, x->undefined.outside);
    set_plain(l, versioned_outside(plan, l, w));
    return apart;
}

/* What relative relocations are for, besides pointers. */
struct relative_uses {
    uint32_t constructors, destructors, methods;
};

/* Whether the row does not limit the number of relative relocations. A captured row does: it leaves out zeros only. */
static bool has_any_relocations(const struct plan *plan, const struct plan_library *l)
{
    return profile_row_relative(plan->profile, l->said) == PROFILE_DERIVED;
}

/* Sets how much of each there is: as much as wanted, as far as there are relocations for it. A constructor and a
 * destructor take one; a method takes two, for its name and its function, and a third one if it is documented. The
 * relocations that are left are pointers. */
static void set_relocated(const struct plan *plan, struct plan_library *l, const struct relative_uses *wanted)
{
    struct plan_extra *x = &l->extra;
    const bool any = has_any_relocations(plan, l);
    uint32_t rest = x->pointing.pointers + x->start.constructors + x->start.destructors + 2 * x->table.methods +
                    x->table.documented;
    if (any)
        rest = 5 * TABLE_MOST;
    x->start.constructors = rows_smaller(wanted->constructors, rows_smaller(rest, TABLE_MOST));
    rest -= x->start.constructors;
    x->start.destructors = rows_smaller(wanted->destructors, rows_smaller(rest, TABLE_MOST));
    rest -= x->start.destructors;
    x->table.methods = rows_smaller(wanted->methods, rows_smaller(rest / 2, TABLE_MOST));
    rest -= 2 * x->table.methods;
    x->table.documented = l->level >= LEVEL_PLAIN ? 0 : rows_smaller(rest, x->table.methods);
    x->pointing.pointers = any ? 0 : rest - x->table.documented;
}

static uint32_t fewer(uint32_t count)
{
    return count ? count - 1 - count / 8 : 0;
}

bool rows_less_extra(const struct plan *plan, struct plan_library *l, const struct want *w)
{
    struct relative_uses now = {l->extra.start.constructors, l->extra.start.destructors, l->extra.table.methods};
    if (w->lack != SIZE_TEXT && w->lack != SIZE_DATA)
        return false;
    if (l->extra.unwound.spare && w->lack == SIZE_TEXT) {
        const uint64_t missing = (w->needs - (uint64_t)l->said->value[ROW_TEXT] + UNWIND_UNIT - 1) / UNWIND_UNIT;
        l->extra.unwound.spare -= missing < l->extra.unwound.spare ? (uint32_t)missing : l->extra.unwound.spare;
        return true;
    }
    if (l->extra.unwound.tabled && w->lack == SIZE_TEXT) {
        l->extra.unwound.tabled = l->extra.unwound.exceptions = 0;
        return true;
    }
    if ((l->extra.plt.direct || l->extra.dynamic.buckets || l->extra.unwound.ended) && w->lack == SIZE_TEXT) {
        l->extra.plt.direct = l->extra.dynamic.buckets = 0;
        l->extra.unwound.ended = false;
        return true;
    }
    if ((l->extra.start.constructing || l->extra.start.initialising) && w->lack == SIZE_TEXT) {
        l->extra.start.constructing = l->extra.start.taking = l->extra.start.touching = 0;
        l->extra.start.initialising = 0;
        return true;
    }
    if (l->glue.adds_methods) {
        l->glue.adds_methods = false;
        rows_set_extra(plan, l, w);
        return true;
    }
    /* fewer constructors save nothing if the row states the relocations: these would become pointers */
    const bool more = has_any_relocations(plan, l) && (now.constructors || now.destructors);
    if (!now.methods && !more && l->extra.plt.small) {
        l->extra.plt.small = fewer(l->extra.plt.small);
        return true;
    }
    if (!now.methods && !more && l->extra.versioning.needed && w->lack == SIZE_TEXT) {
        const uint64_t missing = w->needs - (uint64_t)l->said->value[ROW_TEXT];
        const uint64_t most = (uint64_t)l->extra.versioning.needed * VERSION_MOST;
        set_names(plan, l, w, missing > most ? 0 : l->extra.versioning.needed - 1);
        return true;
    }
    if (!now.methods && !more && l->extra.versioning.others && w->lack == SIZE_TEXT) {
        l->extra.versioning.others--;
        return true;
    }
    if (!now.methods && !more) {
        const bool any = l->extra.thread.modules > 0;
        l->extra.thread.modules = fewer(l->extra.thread.modules);
        return any;
    }
    if (!now.methods) {
        now.constructors = fewer(now.constructors);
        now.destructors = fewer(now.destructors);
    }
    now.methods = fewer(now.methods);
    set_relocated(plan, l, &now);
    return true;
}

/* Bytes of the constructor's code; 0 if the row has too few for any. */
static uint32_t constructing_of(const struct plan_library *l)
{
    const uint64_t code = rows_value_or(l->said, ROW_CONSTRUCTOR_CODE, 0);
    if (code < plan_landing(l) + GLUE_CONSTRUCTOR_LEAST)
        return 0;
    return code < GLUE_CONSTRUCTOR_MOST ? (uint32_t)code : GLUE_CONSTRUCTOR_MOST;
}

/* Bytes of memory that the constructor takes, or of .bss that it writes to, as the row says, in whole pages; 0 if its
 * code has no `room` for that. */
static uint32_t pages_of(const struct plan_library *l, enum row_value v, uint32_t room)
{
    const uint64_t memory = rows_value_or(l->said, v, 0);
    if (l->extra.start.constructing < plan_landing(l) + room)
        return 0;
    return (uint32_t)((memory + PAGE - 1) / PAGE * PAGE);
}

static void set_constructor(struct plan_library *l)
{
    l->extra.start.constructing = constructing_of(l);
    l->extra.start.taking = pages_of(l, ROW_CONSTRUCTOR_MEMORY, glue_constructor_least(true, false));
    l->extra.start.touching = pages_of(l, ROW_CONSTRUCTOR_BSS, glue_constructor_least(l->extra.start.taking, true));
}

uint32_t rows_ifunc_dynamic(const struct plan *plan, const struct plan_library *l)
{
    const int64_t all = profile_row_says(plan->profile, l->said, ROW_IFUNC);
    const int64_t dynamic = profile_row_says(plan->profile, l->said, ROW_DYNAMIC_IFUNC);
    const int64_t wanted = l->stripped || dynamic == PROFILE_DERIVED || dynamic > all ? all : dynamic;
    return wanted > 0 ? (uint32_t)wanted : 0;
}

uint32_t rows_initialising(const struct plan_library *l)
{
    const uint64_t code = rows_value_or(l->said, ROW_INIT_CODE, 0);
    const uint32_t needed = glue_init_size(l);
    return l->kind != LIBRARY_MODULE || code < needed ? 0 : (code < CODE_MOST ? (uint32_t)code : CODE_MOST) - needed;
}

/* Bytes of thread-local memory, at most what the row's bss has room for beside `least` bytes. */
static uint32_t tls_of(const struct plan_library *l, uint64_t least, uint32_t share)
{
    const uint32_t wanted = rows_more_of(l, ROW_TLS, 0, share);
    const int64_t bss = l->said->value[ROW_BSS];
    if (bss == PROFILE_DERIVED)
        return rows_smaller(wanted, TLS_MOST);
    const uint64_t room = (uint64_t)bss > least ? (uint64_t)bss - least : 0;
    return room < wanted ? (uint32_t)room : wanted;
}

/* Bytes of unwind and exception tables, with unwind entries no longer than necessary. */
static uint64_t unwind_least(const struct plan *plan, const struct plan_library *l, const struct shape *s)
{
    return unwind_frame_size(shape_unwind(plan, l, s), s->plt != 0) + unwind_header_size(s->framed, s->plt != 0) +
           l->extra.unwound.exceptions;
}

/* Gives exception tables to as many functions as the row says, but to no more than there are. There must be a relocated
 * word that can lead to the personality routine. Where unwind entries leave less of `share: unwind` than the row has
 * for the tables, these are smaller, and if that is not enough, fewer. Returns the library's shape with these tables,
 * but for how large they are. */
static struct shape set_exceptions(const struct plan *plan, struct plan_library *l)
{
    enum { BYTES_MOST = 1 << 28, ENTRY_MORE = UNWIND_TABLED_FRAMELESS - UNWIND_FRAMELESS /* at most, of an entry */ };
    struct plan_extra *const x = &l->extra;
    const struct shape before = shape_of(plan, l);
    const uint64_t wanted = rows_value_or(l->said, ROW_SHARE_UNWIND, UINT64_MAX);
    const int64_t table = profile_row_says(plan->profile, l->said, ROW_EXCEPTIONS_TABLE);
    const int64_t count = profile_row_says(plan->profile, l->said, ROW_EXCEPTIONS_FUNCTIONS);
    const bool is_said = table != PROFILE_DERIVED || count != PROFILE_DERIVED;
    const uint64_t any = is_said ? 0 : plan_tabled(plan->profile, l->functions);
    const uint64_t bytes = smaller(table != PROFILE_DERIVED ? (uint64_t)table : PLAN_TABLE * any, BYTES_MOST);
    const uint64_t functions = smaller(count != PROFILE_DERIVED ? (uint64_t)count : any, exceptions_most(l));
    static_assert(UNWIND_TABLED - UNWIND_NARROW == ENTRY_MORE, "either kind of entry takes as much more");
    if (!before.pointers && !x->pointing.pointers && x->start.constructing && !x->start.constructors)
        return before;
    x->unwound.tabled = (uint32_t)smaller(functions, bytes / EXCEPT_LEAST);
    if (!x->unwound.tabled)
        return before;
    struct shape s = shape_of(plan, l);
    if (unwind_least(plan, l, &s) + EXCEPT_LEAST * (uint64_t)x->unwound.tabled > wanted) {
        const uint64_t is = unwind_least(plan, l, &before) + UNWIND_TABLED_CIE;
        const uint64_t room = wanted > is ? wanted - is : 0;
        x->unwound.tabled = (uint32_t)smaller(x->unwound.tabled, room / (EXCEPT_LEAST + ENTRY_MORE));
        s = shape_of(plan, l);
    }
    x->unwound.exceptions = x->unwound.tabled ? (uint32_t)smaller(bytes, wanted - unwind_least(plan, l, &s)) : 0;
    return s;
}

/* Sets by how much unwind entries are longer than necessary, so that unwind tables take what the row says. */
static void set_unwind(const struct plan *plan, struct plan_library *l, const struct shape *s)
{
    const uint64_t is = unwind_least(plan, l, s);
    const uint64_t wanted = rows_value_or(l->said, ROW_SHARE_UNWIND, 0);
    const uint64_t more = wanted > is ? (wanted - is) / UNWIND_UNIT : 0;
    const uint64_t most = (uint64_t)UNWIND_MOST * s->framed;
    l->extra.unwound.spare = (uint32_t)(more < most ? more : most);
    l->extra.unwound.ended = wanted == is + more * UNWIND_UNIT + UNWIND_END;
}

/* How many symbols the words in .data refer to that those in .got do not, by what the row says. `there` is how many
 * symbols there are for both. */
static uint32_t symbols_of(const struct plan_library *l, uint32_t there)
{
    const struct plan_extra *x = &l->extra;
    const uint32_t bound = 2 + x->undefined.clones + x->plt.got;
    const uint32_t all = (uint32_t)rows_value_or(l->said, ROW_RELOCATIONS_SYMBOLS, x->pointing.addresses + bound);
    const uint32_t left = there > x->plt.got ? there - x->plt.got : 1;
    const uint32_t symbols = rows_smaller(all > bound ? all - bound : 0, rows_smaller(x->pointing.addresses, left));
    return symbols || x->plt.got ? symbols : x->pointing.addresses > 0;
}

/* How many versions of the C library, besides those that any library has, the row leaves. `others` are of other
 * libraries outside the set. */
static uint32_t versions_of_libc(const struct plan_library *l, uint32_t others, uint32_t share)
{
    return l->without_libc ? 0 : rows_more_of(l, ROW_VERSIONS, rows_versions_least(l) + others, share);
}

/* How many of the weak symbols that gcc's libraries look for in vain the library has. The row must have as many weak
 * symbols, as many words in .got besides those of imports without a slot, and as many undefined symbols besides those
 * with versions. */
static uint32_t clones_of(const struct plan *plan, const struct plan_library *l, uint32_t share)
{
    const uint32_t undefined = rows_more_of(l, ROW_DYNAMIC_UNDEFINED, shape_of_symbols(plan, l).undefined, share);
    const uint32_t slots = rows_more_of(l, ROW_PLT, rows_value_or(l->said, ROW_IRELATIVE, 0), share);
    const uint32_t unbound = l->imports > slots ? l->imports - slots : 0;
    const uint32_t versions = rows_smaller(versions_of_libc(l, 0, share), outside_versions_most());
    const uint32_t weak = rows_more_of(l, ROW_DYNAMIC_WEAK, 2, share);
    const uint32_t words = rows_more_of(l, ROW_GLOB_DAT, UINT64_C(2) + unbound + l->glue.result_by_got, share);
    const uint32_t most = rows_smaller(undefined > versions ? undefined - versions : 0, rows_smaller(weak, words));
    return rows_smaller(most, PLAN_CLONES);
}

/* Sets how many undefined symbols nothing binds, and takes them from extra.undefined.outside. They cannot be symbols
 * that relocations other than PLT slots refer to, nor weak ones, nor ones with versions; and one symbol is left for the
 * slots. */
static void set_unbound(const struct plan *plan, struct plan_library *l, const struct want *w)
{
    const uint32_t symbols = rows_more_of(l, ROW_RELOCATIONS_SYMBOLS, 0, w->share);
    const uint32_t words = rows_more_of(l, ROW_GLOB_DAT, 0, w->share) + rows_more_of(l, ROW_ADDRESS_64, 0, w->share);
    const uint32_t versions = versions_of_libc(l, 0, w->share);
    l->unbound = rows_unbound(
        plan, l, w, (symbols ? rows_smaller(symbols, words) : words) + l->extra.undefined.weak + versions + 1);
    l->extra.undefined.outside -= l->unbound;
}

/* Sets which symbols are weak besides those that every library looks for. Where the row says how many of those that it
 * defines are weak, the others are undefined: from outside the set first, then imports, and as a last resort further
 * exported functions. Where the row does not say it: with clones, exported functions come first and objects next,
 * because hardly any other undefined symbols are weak then; without clones, undefined symbols come first and exported
 * functions next. */
static void set_weak(const struct plan *plan, struct plan_library *l, uint32_t share)
{
    struct plan_extra *const x = &l->extra;
    const uint32_t weak = rows_more_of(l, ROW_DYNAMIC_WEAK, UINT64_C(2) + x->undefined.clones, share);
    const uint32_t exported = names_row_functions(l);
    const bool is_said = profile_row_says(plan->profile, l->said, ROW_DYNAMIC_WEAK_FUNCTIONS) != PROFILE_DERIVED ||
                         profile_row_says(plan->profile, l->said, ROW_DYNAMIC_WEAK_OBJECTS) != PROFILE_DERIVED;
    const uint32_t functions = is_said               ? rows_more_of(l, ROW_DYNAMIC_WEAK_FUNCTIONS, 0, share)
                               : x->undefined.clones ? exported
                                                     : 0;
    const uint32_t objects = is_said               ? rows_more_of(l, ROW_DYNAMIC_WEAK_OBJECTS, 0, share)
                             : x->undefined.clones ? x->dynamic.objects
                                                   : 0;
    const uint32_t own = rows_smaller(rows_smaller(weak, exported), functions);
    x->dynamic.weak_objects = rows_smaller(rows_smaller(weak - own, x->dynamic.objects), objects);
    x->dynamic.unique_objects =
        rows_smaller(rows_more_of(l, ROW_DYNAMIC_UNIQUE, 0, share), x->dynamic.objects - x->dynamic.weak_objects);
    x->undefined.weak = rows_smaller(weak - own - x->dynamic.weak_objects, x->undefined.outside);
    const uint32_t left = weak - own - x->dynamic.weak_objects - x->undefined.weak;
    x->weak_imports = is_said ? rows_smaller(left, l->imports) : 0;
    x->dynamic.weak = rows_smaller(own + left - x->weak_imports, exported);
}

/* Sets the versions that the library defines, and their symbols. The row counts these symbols as objects. */
static void set_definitions(const struct plan *plan, struct plan_library *l, uint32_t share)
{
    struct plan_extra *const x = &l->extra;
    const int64_t objects = profile_row_says(plan->profile, l->said, ROW_DYNAMIC_OBJECTS);
    if (l->elf.soname) /* others know the base version by it */
        x->versioning.defined = more_than(rows_definitions(l->said), 0, share);
    x->versioning.symbols = x->versioning.defined;
    if (objects != PROFILE_DERIVED && objects < (int64_t)x->versioning.defined)
        x->versioning.symbols = (uint32_t)objects;
}

/* How many dynamic symbols the row's text has room for, each with its version and its place in the hash table. */
static uint32_t symbols_most(const struct plan_library *l)
{
    enum { EACH = sizeof(Elf64_Sym) + sizeof(Elf64_Half) + sizeof(Elf64_Word) };
    const uint64_t most = rows_value_or(l->said, ROW_TEXT, UINT64_MAX) / EACH;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

/* Sets the symbols, with or without clones, and the libraries that undefined ones may be in. Returns the library's
 * shape before undefined symbols, objects and PLT slots are added. */
static struct shape set_symbols(const struct plan *plan, struct plan_library *l, const struct want *w, bool clones)
{
    const uint32_t share = w->share;
    struct plan_extra *const x = &l->extra;
    l->unbound = w->drawn ? l->unbound : 0; /* once exported names are drawn, theirs are settled, too */
    x->dynamic.ends = rows_smaller(rows_more_of(l, ROW_DYNAMIC_OTHER, 0, share), SHAPE_ENDS);
    x->undefined.clones = clones ? clones_of(plan, l, share) : 0;
    set_definitions(plan, l, share);
    x->dynamic.aliases = l->exported + l->small.exported ? more_than(w->aliases, 0, share) : 0;
    x->indirect.symbols = rows_more_of(l, ROW_IFUNC, 0, share);
    x->indirect.dynamic = more_than(rows_ifunc_dynamic(plan, l), 0, share);
    x->plt.irelative = rows_smaller(rows_more_of(l, ROW_IRELATIVE, 0, share), rows_more_of(l, ROW_PLT, 0, share));
    const struct shape least = shape_of(plan, l);
    x->undefined.outside = rows_smaller(rows_more_of(l, ROW_DYNAMIC_UNDEFINED, least.undefined, share),
                                        outside_most(l->kind == LIBRARY_MODULE));
    x->dynamic.objects =
        rows_more_of(l, ROW_DYNAMIC_OBJECTS, UINT64_C(0) + least.marks_exported + x->versioning.symbols, share);
    x->dynamic.objects = rows_smaller(x->dynamic.objects, symbols_most(l));
    x->undefined.needed = rows_smaller(rows_more_of(l, ROW_OUTSIDE, 1, share), outside_libraries_most());
    set_weak(plan, l, share);
    if (!w->drawn)
        set_unbound(plan, l, w);
    return least;
}

/* Sets the PLT slots beyond those of `least`: for imports that are not called, then for own functions. */
static void set_slots(const struct plan *plan, struct plan_library *l, const struct want *w, const struct shape *least)
{
    struct plan_extra *const x = &l->extra;
    const uint32_t uncalled = plan_uncalled(l) + x->undefined.outside;
    const uint32_t undefined = x->undefined.outside ? uncalled + l->unbound : uncalled;
    const uint32_t more = rows_more_of(l, ROW_PLT, least->plt, w->share);
    const uint32_t left = more > undefined ? more - undefined : 0;
    x->plt.slots = more - left;
    if (!left)
        return;
    /* the other slots are for own functions, called through the PLT; a utility does not call the heads of its own
     * chains */
    const uint32_t heads = l->kind == LIBRARY_MODULE ? 0 : left / (plan->depth > 1 ? plan->depth - 1 : 1) + 1;
    l->calls.lazy = left + heads < l->exported ? left + heads : l->exported;
    while (l->calls.lazy && shape_of_symbols(plan, l).plt > least->plt + x->plt.slots + left)
        l->calls.lazy--;
    const uint32_t is = shape_of_symbols(plan, l).plt - x->plt.slots; /* the missing slots are only bound */
    x->plt.small = rows_smaller(least->plt + left > is ? least->plt + left - is : 0, l->small.exported);
}

/* Sets the words that relocations fill, and what these lead to. */
static void set_words(const struct plan *plan, struct plan_library *l, const struct want *w, const struct shape *least)
{
    const uint32_t share = w->share;
    struct plan_extra *const x = &l->extra;
    const uint32_t uncalled = plan_uncalled(l) + x->undefined.outside;
    const bool any = uncalled || least->defined || l->calls.called;
    const int64_t relative = profile_row_relative(plan->profile, l->said);
    x->pointing.pointers = more_than(relative > 0 ? (uint64_t)relative : 0, least->relative, share);
    const struct relative_uses wanted = {
        .constructors = rows_more_of(l, ROW_CONSTRUCTORS, 1, share),
        .destructors = rows_more_of(l, ROW_DESTRUCTORS, 1, share),
        .methods = l->kind == LIBRARY_MODULE ? rows_more_of(l, ROW_METHODS, shape_driver_methods(l), share) : 0,
    };
    set_relocated(plan, l, &wanted);
    set_constructor(l);
    x->start.initialising = rows_initialising(l);
    x->thread.bytes = tls_of(l, least->bss, share);
    x->thread.modules = rows_more_of(l, ROW_RELOCATIONS_TLS, 0, share);
    x->plt.got = any ? rows_more_of(l, ROW_GLOB_DAT, UINT64_C(2) + x->undefined.clones, share) : 0;
    x->plt.got += l->glue.result_by_got && !x->plt.got;
    x->pointing.addresses = any ? rows_more_of(l, ROW_ADDRESS_64, 0, share) : 0;
    const uint32_t named = shape_of_symbols(plan, l).defined - x->versioning.symbols;
    x->pointing.symbols = symbols_of(l, named + uncalled + l->calls.called + l->glue.result_by_got);
    x->plt.direct = rows_smaller(rows_direct(l->said, l->elf.cf_protection), 1 + x->plt.got);
}

/* Sets all extras, with or without clones. Returns how far .dynstr, in bytes, and PLT slots are from what the row says,
 * added up. */
static uint64_t set_extra(const struct plan *plan, struct plan_library *l, const struct want *w, bool clones)
{
    struct plan_extra *const x = &l->extra;
    *x = (struct plan_extra){0};
    l->calls.lazy = l->said->value[ROW_PLT] == PROFILE_DERIVED ? l->exported : 0;
    const struct shape least = set_symbols(plan, l, w, clones);
    set_slots(plan, l, w, &least);
    x->versioning.others = rows_versioned(l);
    const uint64_t apart = set_names(plan, l, w, versions_of_libc(l, x->versioning.others, w->share));
    set_words(plan, l, w, &least);
    const struct shape s = set_exceptions(plan, l);
    set_unwind(plan, l, &s);
    x->dynamic.buckets = rows_buckets(plan, l, &s);
    return apart + rows_more_of(l, ROW_PLT, s.plt, w->share);
}

void rows_set_extra(const struct plan *plan, struct plan_library *l, const struct want *w)
{
    const uint64_t apart = set_extra(plan, l, w, true);
    /* none, if that is better: the clones' long names may leave too little of .dynstr, or PLT slots need other symbols
     */
    if (l->extra.undefined.clones && apart && set_extra(plan, l, w, false) >= apart)
        set_extra(plan, l, w, true);
}
