/* See manner_fit.h.
 *
 * Each number of a manner decides how many entries there are of some kind. These are a part of all entries with some
 * tag. Where a set has too few or too many entries with the tag, the number grows or shrinks as much as this part
 * has to. What else that changes, the next set shows.
 */
#include "emit/search/manner_fit.h"

#include <string.h>

#include "emit/stock/profile_manner.h"
#include "emit/stock/profile_tags.h"

enum {
    LOCALS_MOST = 3,
    OWN_LEAST = MANNER_USUAL / 4, /* the least with which functions have any */
    PASSED_MOST = 4 * MANNER_USUAL,
    ENDING_MOST = MANNER_USUAL * 7 / 8,
    GONE_MOST = 4 * MANNER_USUAL,
    SPLIT_LEAST = MANNER_USUAL / 4, /* the least: one range besides the first */
    SPREAD_MOST = 3 * MANNER_USUAL,
    CALLS_MOST_CPP = MANNER_USUAL * 9 / 8,  /* with more calls the code has less room for what is inlined */
    TIMES_MOST = UINT16_MAX / MANNER_USUAL, /* for numbers that are factors */
    FINE = 256                              /* steps of weights */
};

/* Counts of what was made beside the profile's distributions. `scale` brings the profile's numbers to as many entries
 * as the set has. */
struct fit {
    const struct debug_counts *made;
    const char *tags, *attributes;
    double incomplete; /* structures that are only declared */
    double scale;
    bool is_cpp, is_fortran;
};

/* --- what there is of each --------------------------------------------------------- */

static double all_of(const struct debug_counts *c)
{
    double sum = (double)c->partial_units + (double)c->imports;
    for (unsigned code = 1; code < ABBREV_COUNT; code++)
        sum += (double)c->all[code];
    return sum;
}

static double tagged(const uint64_t counts[ABBREV_COUNT], const char *tag)
{
    double sum = 0;
    for (unsigned code = 1; code < ABBREV_COUNT; code++)
        sum += strcmp(abbrev_tag_name(code), tag) == 0 ? (double)counts[code] : 0;
    return sum;
}

static struct fit fit_of(const struct profile_entries *said, const struct debug_counts *made)
{
    struct fit f = {.made = made,
                    .tags = said->tags,
                    .attributes = said->attributes,
                    .is_cpp = said->language == LANGUAGE_CPP,
                    .is_fortran = said->language == LANGUAGE_FORTRAN};
    const uint64_t all = tags_sum(f.tags);
    f.scale = all ? all_of(made) / (double)all : 0;
    f.incomplete = (double)profile_incomplete(said) * f.scale;
    return f;
}

static double wanted(const struct fit *f, const char *tag)
{
    const uint64_t count = strcmp(tag, "call_site") == 0             ? tags_calls(f->tags)
                           : strcmp(tag, "call_site_parameter") == 0 ? tags_passed(f->tags)
                                                                     : tags_count(f->tags, tag);
    return (double)count * f->scale;
}

static double made(const struct fit *f, const char *tag)
{
    return tagged(f->made->all, tag);
}

static double attributes_wanted(const struct fit *f, uint32_t attribute)
{
    return (double)tags_count(f->attributes, abbrev_attribute_name(attribute)) * f->scale;
}

static double attributes_made(const struct fit *f, uint32_t attribute)
{
    const struct debug_counts *const c = f->made;
    for (uint32_t i = 0; i < c->attributes; i++)
        if (c->attribute[i].name == attribute)
            return (double)c->attribute[i].uses;
    return 0;
}

static double sum_of(const uint64_t *counts, const uint8_t *codes, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)counts[codes[i]];
    return sum;
}

static double lacking(const struct fit *f, const char *tag)
{
    return wanted(f, tag) - made(f, tag);
}

/* --- how far ------------------------------------------------------------------------ */

static bool is_first_with_tag(unsigned code)
{
    for (unsigned before = 1; before < code; before++)
        if (abbrev_tag(before) == abbrev_tag(code))
            return false;
    return true;
}

static double apart(double a, double b)
{
    return a < b ? b - a : a - b;
}

/* The distance of two distributions. `sum`: differences over what was compared, which is `met` of `all` that is
 * wanted; the rest of `all` was not made at all. */
static double distance(double sum, double all, double met)
{
    return all > 0 ? (sum + all - met) / 2 / all : 1;
}

static double tags_distance(const struct fit *f)
{
    const double partial[] = {(double)f->made->partial_units, (double)f->made->imports};
    static const char *const partial_tags[] = {"partial_unit", "imported_unit"};
    double sum = 0;
    double met = 0;
    for (unsigned code = 1; code < ABBREV_COUNT; code++) {
        const char *const tag = abbrev_tag_name(code);
        if (!is_first_with_tag(code))
            continue;
        sum += apart(wanted(f, tag), made(f, tag));
        met += wanted(f, tag);
    }
    for (unsigned i = 0; i < sizeof partial / sizeof partial[0]; i++) {
        sum += apart(wanted(f, partial_tags[i]), partial[i]);
        met += wanted(f, partial_tags[i]);
    }
    return distance(sum, all_of(f->made), met);
}

static double attributes_distance(const struct fit *f)
{
    const struct debug_counts *const c = f->made;
    const double all_wanted = (double)tags_sum(f->attributes);
    double all = 0;
    double sum = 0;
    double met = 0;
    for (uint32_t i = 0; i < c->attributes; i++)
        all += (double)c->attribute[i].uses;
    for (uint32_t i = 0; i < c->attributes; i++) {
        const char *const name = abbrev_attribute_name(c->attribute[i].name);
        const double uses = all_wanted > 0 ? (double)tags_count(f->attributes, name) / all_wanted * all : 0;
        sum += apart(uses, (double)c->attribute[i].uses);
        met += uses;
    }
    return distance(sum, all, met);
}

bool manner_can_fit(const struct profile_entries *said)
{
    return !said->profile->dwarf.type_units && profile_has_manner(said);
}

double manner_distance(const struct profile_entries *said, const struct debug_counts *counts)
{
    const struct fit f = fit_of(said, counts);
    const double tags = tags_distance(&f);
    const double attributes = attributes_distance(&f);
    return tags > attributes ? tags : attributes;
}

/* --- how much more ------------------------------------------------------------------ */

/* The factor by which a part of `part` entries has to grow to have `more` more, within bounds. */
static double times(double part, double more)
{
    const double least = 0.25;
    const double most = 4;
    const double to = part > 0 ? (part + more) / part : 1;
    return to < least ? least : to < most ? to : most;
}

static uint16_t multiplied(uint16_t number, double by, uint16_t least, uint16_t most)
{
    const double to = number * by + 0.5;
    return to < least ? least : to < most ? (uint16_t)to : most;
}

/* --- what headers of C declare ------------------------------------------------------- */

/* Constants with a name: those with a value. */
static double constants_named(const struct fit *f)
{
    const double constants = wanted(f, "constant");
    const double named = attributes_wanted(f, DW_AT_const_value);
    return named < constants ? named : constants;
}

/* Pieces of each kind, and how many are lacking. */
struct piece_made {
    double count, more;
};

/* Pieces that all entries with a tag are of, but for those of other pieces. */
static struct piece_made piece_tagged(const struct fit *f, const char *tag, double others)
{
    return (struct piece_made){tagged(f->made->header, tag) - others, lacking(f, tag)};
}

static void count_pieces(const struct fit *f, struct piece_made piece[PIECES])
{
    const uint64_t *const h = f->made->header;
    const double unnamed = (double)h[ABBREV_UNNAMED_STRUCTURE] + (double)h[ABBREV_UNNAMED_STRUCTURE_EARLY];
    const double atomic = tagged(h, "atomic_type");
    const double types = tagged(h, "subroutine_type");
    const double restricts = tagged(h, "restrict_type");
    const double voids = (double)h[ABBREV_VOID_CONST];
    const double incomplete = (double)h[ABBREV_INCOMPLETE];
    piece[PIECE_STRUCTURE] = piece_tagged(f, "structure_type", incomplete);
    piece[PIECE_STRUCTURE].more -= f->incomplete - incomplete;
    piece[PIECE_INCOMPLETE] = (struct piece_made){incomplete, f->incomplete - incomplete};
    piece[PIECE_VOLATILE] = piece_tagged(f, "volatile_type", 0);
    piece[PIECE_TYPEDEF] = piece_tagged(f, "typedef", unnamed + atomic);
    piece[PIECE_ATOMIC] = piece_tagged(f, "atomic_type", 0);
    piece[PIECE_POINTER] = piece_tagged(f, "pointer_type", types + restricts + voids + incomplete);
    piece[PIECE_ARRAY] = piece_tagged(f, "array_type", 0);
    piece[PIECE_FUNCTION_TYPE] = piece_tagged(f, "subroutine_type", 0);
    piece[PIECE_CONST] = piece_tagged(f, "const_type", voids);
    piece[PIECE_UNION] = piece_tagged(f, "union_type", 0);
    piece[PIECE_ENUMERATION] = piece_tagged(f, "enumeration_type", 0);
    piece[PIECE_RESTRICT] = piece_tagged(f, "restrict_type", 0);
    piece[PIECE_FUNCTION] = piece_tagged(f, "subprogram", 0);
}

/* Weights of the kinds: how many pieces there are of each, times its factor. Returns `weight`. */
static const uint64_t *weigh(const uint16_t *pieces, const double *times, unsigned kinds, uint64_t *weight)
{
    for (unsigned i = 0; i < kinds; i++)
        weight[i] = (uint64_t)(pieces[i] * times[i] * FINE);
    return weight;
}

/* The factor for what headers have with this tag. */
static double header_times(const struct fit *f, const char *tag)
{
    return times(tagged(f->made->header, tag), lacking(f, tag));
}

static void fit_enumerators(const struct fit *f, struct manner *m)
{
    const double enumerators = header_times(f, "enumerator") / header_times(f, "enumeration_type");
    m->enumerators = multiplied(m->enumerators, enumerators, 1, MANNER_ENUMERATORS);
}

/* Arrays with a descriptor and arrays of two dimensions are kinds of their own. */
static void fit_fortran(const struct fit *f, double to[PIECES])
{
    const uint64_t *const h = f->made->header;
    const double named = (double)h[ABBREV_NAMED_CONSTANT] + (double)h[ABBREV_NAMED_CONSTANT_EARLY];
    const double described =
        (double)h[ABBREV_DESCRIBED_ARRAY] + (double)h[ABBREV_ALLOCATED_ARRAY] + (double)h[ABBREV_DESCRIBED_MATRIX];
    const double more_described = attributes_wanted(f, DW_AT_data_location) - described;
    const double more_ordered = attributes_wanted(f, DW_AT_ordering) - attributes_made(f, DW_AT_ordering);
    to[PIECE_CONSTANT] = times(named, constants_named(f) - named);
    to[PIECE_CHARACTERS] = header_times(f, "string_type");
    to[PIECE_DESCRIBED_ARRAY] = times(described, more_described);
    to[PIECE_MATRIX] = times((double)h[ABBREV_MATRIX], more_ordered);
    to[PIECE_ARRAY] = times((double)h[ABBREV_ARRAY], lacking(f, "array_type") - more_described - more_ordered);
    to[PIECE_VARIABLE] = header_times(f, "variable");
}

static void fit_pieces(const struct fit *f, struct manner *m)
{
    struct piece_made piece[PIECES] = {{0, 0}};
    double to[PIECES];
    uint64_t weight[PIECES];
    count_pieces(f, piece);
    for (unsigned i = 0; i < PIECES; i++)
        to[i] = times(piece[i].count, piece[i].more);
    if (f->is_fortran)
        fit_fortran(f, to);
    manner_share_pieces(m, weigh(m->piece, to, PIECES, weight));
    const double owners = piece[PIECE_STRUCTURE].count + piece[PIECE_UNION].count;
    const double members =
        header_times(f, "member") / times(owners, piece[PIECE_STRUCTURE].more + piece[PIECE_UNION].more);
    m->members = multiplied(m->members, members, 1, TIMES_MOST);
    const double bits = attributes_made(f, DW_AT_bit_size);
    m->bits = multiplied(m->bits, times(bits, attributes_wanted(f, DW_AT_bit_size) - bits), 0, MANNER_BITS / 2);
    fit_enumerators(f, m);
}

/* --- what headers of C++ declare ----------------------------------------------------- */

static double owners_of(const uint64_t *counts)
{
    return tagged(counts, "class_type") + tagged(counts, "structure_type");
}

/* The factor for classes and structures. */
static double owners_times(const struct fit *f)
{
    return times(owners_of(f->made->header), lacking(f, "class_type") + lacking(f, "structure_type"));
}

static void fit_outer_and_inner(const struct fit *f, struct manner *m)
{
    const uint64_t *const h = f->made->header;
    const double class = times(tagged(h, "class_type") - (double)h[ABBREV_CLASS_DECLARATION], lacking(f, "class_type"));
    const double structure = header_times(f, "structure_type");
    const double outer[OUTERS] = {
        [OUTER_CLASS] = class,
        [OUTER_STRUCTURE] = structure,
        [OUTER_ENUMERATION] = header_times(f, "enumeration_type"),
        [OUTER_UNION] = header_times(f, "union_type"),
        [OUTER_ARRAY] = header_times(f, "array_type"),
        [OUTER_FUNCTION_TYPE] = header_times(f, "subroutine_type"),
        [OUTER_TYPEDEF] = header_times(f, "typedef"),
        [OUTER_C_FUNCTIONS] = 1,
        [OUTER_DERIVED] = 1,
    };
    const double inner[INNERS] = {[INNER_CLASS] = class,
                                  [INNER_STRUCTURE] = structure,
                                  [INNER_DECLARATIONS] = 1,
                                  [INNER_FUNCTIONS] = 1,
                                  [INNER_DERIVED] = 1};
    uint64_t weight[OUTERS];
    manner_share_outer(m, weigh(m->outer, outer, OUTERS, weight));
    manner_share_inner(m, weigh(m->inner, inner, INNERS, weight));
}

/* What each class has, and what is made of each class. */
static void fit_classes(const struct fit *f, struct manner *m)
{
    enum { NUMBER_MOST = 32 * MANNER_USUAL };
    static const uint8_t method[] = {
        ABBREV_METHOD,           ABBREV_METHOD_LAST,           ABBREV_CONSTRUCTOR,       ABBREV_CONSTRUCTOR_LAST,
        ABBREV_OPEN_METHOD,      ABBREV_OPEN_METHOD_LAST,      ABBREV_STATIC_METHOD,     ABBREV_STATIC_METHOD_LAST,
        ABBREV_OPEN_CONSTRUCTOR, ABBREV_OPEN_CONSTRUCTOR_LAST, ABBREV_STATIC_METHOD_LEAF};
    const double part = 0.025 * 1.25; /* the usual share of methods that are instances, times their types */
    static const char *const derived[] = {"pointer_type", "const_type", "reference_type", "rvalue_reference_type"};
    const uint64_t *const h = f->made->header;
    const double more = owners_times(f);
    const double methods = sum_of(h, method, sizeof method);
    double made_of = 0, lack = 0;
    for (unsigned i = 0; i < sizeof derived / sizeof derived[0]; i++) {
        made_of += tagged(h, derived[i]);
        lack += lacking(f, derived[i]);
    }
    const double instances = methods * part * m->templates / MANNER_USUAL;
    m->methods = multiplied(m->methods, header_times(f, "subprogram") / more, 1, 4 * MANNER_USUAL);
    m->typedefs = multiplied(m->typedefs, header_times(f, "typedef") / more, 1, TIMES_MOST);
    m->members = multiplied(m->members, header_times(f, "member") / more, 1, TIMES_MOST);
    m->derived = multiplied(m->derived, times(made_of, lack) / more, 1, 2 * MANNER_USUAL);
    m->templates = multiplied(m->templates, times(instances, lacking(f, "template_type_parameter")), 1, NUMBER_MOST);
    m->numbers = multiplied(m->numbers, header_times(f, "template_value_parameter"), 1, NUMBER_MOST);
    m->taken = multiplied(m->taken, header_times(f, "imported_declaration"), 1, MANNER_TAKEN);
    fit_enumerators(f, m);
}

static uint16_t fitted(const struct fit *f, uint16_t number, const char *tag, uint16_t most)
{
    return multiplied(number, times(made(f, tag), lacking(f, tag)), 1, most);
}

static void fit_cpp(const struct fit *f, struct manner *m)
{
    fit_outer_and_inner(f, m);
    fit_classes(f, m);
    m->calls = fitted(f, m->calls, "call_site", CALLS_MOST_CPP);
    m->inlined = fitted(f, m->inlined, "inlined_subroutine", TIMES_MOST);
}

/* --- how code is told ---------------------------------------------------------------- */

/* Arguments of calls. `told` is how many constants are described; only where all are, `passed` adds further
 * arguments. */
static void fit_passed(const struct fit *f, struct manner *m)
{
    const double told = 0.66;   /* described arguments of a call where all constants are told, */
    const double passed = 0.62; /* and for one further argument */
    const double calls_wanted = wanted(f, "call_site");
    const double calls = made(f, "call_site");
    if (calls_wanted <= 0 || calls <= 0)
        return;
    const double more = wanted(f, "call_site_parameter") / calls_wanted - made(f, "call_site_parameter") / calls;
    const double beyond = m->passed * passed / MANNER_USUAL - (1 - (double)m->told / MANNER_USUAL) * told + more;
    const double share = beyond < 0 ? 1 + beyond / told : 1;
    m->told = multiplied(MANNER_USUAL, share, 0, MANNER_USUAL);
    m->passed = multiplied(MANNER_USUAL, beyond / passed, 0, PASSED_MOST);
}

/* How many entries an inlined call has, on average, that refer to its function's: most references to abstract
 * instances are such. */
static double origins_each(const struct fit *f)
{
    const double most = 0.8;
    const double inlined = wanted(f, "inlined_subroutine");
    const double calls = tags_count(f->tags, "GNU_call_site") ? wanted(f, "call_site") : 0; /* with origins, too */
    return inlined > 0 ? most * (attributes_wanted(f, DW_AT_abstract_origin) - inlined - calls) / inlined : 0;
}

/* Locals of blocks and of functions outside blocks. There are `locals` of the latter, and `more` locals are lacking. */
static void fit_locals(const struct fit *f, struct manner *m, double locals, double more)
{
    const double step = made(f, "lexical_block") / 2; /* what one more local in a block adds */
    if (more < -step / 2 && m->locals > 1) {
        m->locals--;
        more += step;
    } else if (more > step / 2 && m->locals < LOCALS_MOST) {
        m->locals++;
        more -= step;
    }
    m->own = multiplied(m->own, times(locals, more), OWN_LEAST, MANNER_USUAL);
}

/* What inlined functions have, and other locals. Parameters of inlined functions make up for all that are lacking.
 * Their variables make up the other references to abstract instances, but leave some variables for blocks. */
static void fit_inlined(const struct fit *f, struct manner *m)
{
    static const uint8_t parameter[] = {ABBREV_INLINE_PARAMETER, ABBREV_INLINE_PARAMETER_SHORT,
                                        ABBREV_INLINED_PARAMETER, ABBREV_INLINED_PARAMETER_GONE,
                                        ABBREV_INLINED_PARAMETER_CONSTANT};
    static const uint8_t variable[] = {ABBREV_INLINE_VARIABLE, ABBREV_INLINE_VARIABLE_SHORT, ABBREV_INLINED_VARIABLE,
                                       ABBREV_INLINED_VARIABLE_GONE};
    static const uint8_t local[] = {ABBREV_LOCAL,      ABBREV_LOCAL_SHORT,
                                    ABBREV_LOCAL_LIST, ABBREV_LOCAL_LIST_SHORT,
                                    ABBREV_LOCAL_GONE, ABBREV_LOCAL_GONE_SHORT};
    const uint64_t *const all = f->made->all;
    const double functions = (double)all[ABBREV_INLINE_FUNCTION];
    const double inlined = made(f, "inlined_subroutine") + functions;
    const double variables = sum_of(all, variable, sizeof variable);
    const double locals = sum_of(all, local, sizeof local);
    if (inlined <= 0)
        return;
    const double parameters = (sum_of(all, parameter, sizeof parameter) + lacking(f, "formal_parameter")) / inlined;
    const double others = made(f, "variable") - variables - locals;
    const double most = (wanted(f, "variable") - others - made(f, "lexical_block")) / inlined;
    const double rest = origins_each(f) - parameters;
    const double each = rest < most ? rest : most;
    m->parameters = multiplied(MANNER_USUAL, parameters, MANNER_USUAL, CORPUS_INLINE_PARAMETERS * MANNER_USUAL);
    m->variables = multiplied(MANNER_USUAL, each, 0, CORPUS_INLINE_VARIABLES * MANNER_USUAL);
    const double then = (double)m->variables / MANNER_USUAL * inlined;
    fit_locals(f, m, locals, lacking(f, "variable") - (then - variables));
}

/* How much of inlined functions has no place. Changes by a factor of two at most, because other numbers change how
 * much has one. */
static void fit_gone(const struct fit *f, struct manner *m)
{
    const uint64_t *const all = f->made->all;
    const double gone = (double)all[ABBREV_INLINED_PARAMETER_GONE] + (double)all[ABBREV_INLINED_VARIABLE_GONE];
    const double to = times(gone, attributes_made(f, DW_AT_location) - attributes_wanted(f, DW_AT_location));
    m->gone = multiplied(m->gone, to < 0.5 ? 0.5 : to < 2 ? to : 2, 1, GONE_MOST);
}

/* With clang's form: the share of what has no place in inlined functions that is told as a number, so that as many
 * have a place as are wanted. */
static void fit_placed(const struct fit *f, struct manner *m)
{
    const uint64_t *const all = f->made->all;
    const double gone = (double)all[ABBREV_INLINED_PARAMETER_GONE] + (double)all[ABBREV_INLINED_VARIABLE_GONE];
    const double more = attributes_wanted(f, DW_AT_location) - attributes_made(f, DW_AT_location);
    if (gone > 0)
        m->placed = multiplied(MANNER_USUAL, (double)m->placed / MANNER_USUAL + more / gone, 0, MANNER_USUAL);
}

/* Shorter lists of ranges mean more lists in as many bytes. The shortest have two ranges. */
static void fit_split(const struct fit *f, struct manner *m)
{
    const double lists = attributes_made(f, DW_AT_ranges);
    const double to = times(lists, attributes_wanted(f, DW_AT_ranges) - lists);
    m->split = multiplied(m->split, 1 / to, SPLIT_LEAST, MANNER_USUAL);
    if (!f->is_cpp) /* in C++ fewer calls would be inlined into others */
        m->spread = multiplied(m->spread, to, 1, SPREAD_MOST);
}

/* The share of calls without a reference to a sibling. */
static void fit_ending(const struct fit *f, struct manner *m)
{
    const double calls = made(f, "call_site");
    const double more = attributes_made(f, DW_AT_sibling) - attributes_wanted(f, DW_AT_sibling);
    if (calls > 0)
        m->ending = (uint8_t)multiplied(MANNER_USUAL, (double)m->ending / MANNER_USUAL + more / calls, 0, ENDING_MOST);
}

/* Constants in blocks: all that have no name. */
static void fit_constants(const struct fit *f, struct manner *m)
{
    const double blocks = made(f, "lexical_block");
    if (blocks > 0)
        m->constants =
            multiplied(MANNER_USUAL, (wanted(f, "constant") - constants_named(f)) / blocks, 0, MANNER_CONSTANTS);
}

static void fit_c(const struct fit *f, struct manner *m)
{
    fit_pieces(f, m);
    fit_passed(f, m);
    fit_inlined(f, m);
    fit_ending(f, m);
    m->calls = fitted(f, m->calls, "call_site", TIMES_MOST);
    m->inlined = fitted(f, m->inlined, "inlined_subroutine", TIMES_MOST);
    m->lexical = fitted(f, m->lexical, "lexical_block", TIMES_MOST);
    if (f->is_fortran)
        fit_constants(f, m);
}

/* Corrects each number by what is lacking. In C++ the numbers of blocks stay as they are, because most blocks are of
 * functions that were inlined. */
struct manner manner_fitted(const struct manner *m, const struct profile_entries *said,
                            const struct debug_counts *counts)
{
    const struct fit f = fit_of(said, counts);
    struct manner next = *m;
    if (f.is_cpp)
        fit_cpp(&f, &next);
    else
        fit_c(&f, &next);
    if (said->profile->dwarf.compiler == COMPILER_CLANG)
        fit_placed(&f, &next);
    else
        fit_gone(&f, &next);
    fit_split(&f, &next);
    return next;
}
