/* See profile_manner.h. Each read_ function sets those numbers of a manner that follow from one kind of counts in the
 * profile. Numbers are rounded to coarse steps, so that the profile of a twin gives the same manner again. */
#include "emit/stock/profile_manner.h"

#include "dwarf/corpus/corpus.h"
#include "emit/stock/profile_tags.h"

enum {
    INLINES_LEAST = 2,
    UNNAMED_OF = 5,
    ENTRIES_LEAST = 10000, /* with fewer entries the counts are chance, */
    NAMED_LEAST = 1000,    /* except for names, which nearly all entries have */
};

/* For each call in sets that are made in the usual manner, but with CALLS in C: inlined calls, lexical blocks,
 * arguments that are described, and how many more of these one additional argument makes (manner.passed). MEMBERS_USUAL
 * is how many members a structure has then. */
static const struct {
    double inlined, lexical, parameters, passed;
} usual[] = {[LANGUAGE_C] = {0.72, 0.39, 1.66, 0.62}, [LANGUAGE_CPP] = {.inlined = 6}};
/* In the applications that were captured, those in C have a quarter more calls than usual, and functions have fewer
 * locals of their own; in C++ a fifth more is inlined, and blocks are half as many. */
enum {
    CALLS = MANNER_USUAL * 5 / 4,
    OWN_LOCALS = MANNER_USUAL * 5 / 8,
    LEXICAL_CPP = MANNER_USUAL / 2,
    SPREAD_CPP = MANNER_USUAL * 7 / 3,
    ENDING = MANNER_USUAL / 4,
    ENUMERATORS_MANY = 8 * MANNER_USUAL /* below this it stays as usual, or there would be too few other entries */
};
#define MEMBERS_USUAL 5.6
/* The usual numbers in C++: members of a class, structure or union; enumerators for each of these; and C functions that
 * namespaces import, for each other function. */
#define MEMBERS_CPP     0.92
#define ENUMERATORS_CPP 0.32
#define TAKEN_USUAL     0.124
#define INLINED_CODE    0.153 /* inlined calls in C++, for each byte of code */
/* From these on inlined functions of C++ have more than usual: the share of inlined calls and blocks that have several
 * ranges, and variables for each inlined call. */
#define SPREAD_LEAST    0.44
#define VARIABLES_LEAST 0.4
#define PASSED_LEAST    0.25 /* additional arguments of a call from which on the manner is not the usual one */

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

bool profile_row_is_terse(const struct profile *p, const struct profile_row *row)
{
    /* Bytes. INFO_FEW is some times what every other unit repeats. The limit is twice that where the abbreviations of
     * other units would take far too much, and INFO_SOME where .debug_str has no room for the names of variables that
     * other units have besides those of functions. */
    enum { INFO_FEW = 10000, ABBREV_FEW = 1150, INFO_SOME = 50000, NAMES_FEW = 2400 };
    const int64_t info = row->value[ROW_MIX_INFO];
    const int64_t abbrev = row->value[ROW_MIX_ABBREV];
    const bool has_units = row->value[ROW_DWARF_UNITS] > 0 && row->value[ROW_DWARF_PARTIAL] <= 0;
    const bool has_few = abbrev > 0 && abbrev < ABBREV_FEW;
    const int64_t names = row->value[ROW_MIX_STR];
    const bool is_small = info < (has_few ? 2 * INFO_FEW : INFO_FEW);
    const bool has_few_names = names > 0 && row->value[ROW_STRTAB] > 0 && names < row->value[ROW_STRTAB] + NAMES_FEW;
    return has_units && !p->dwarf.index && !p->dwarf.type_units && info > 0 &&
           (is_small || (has_few_names && info < INFO_SOME));
}

bool profile_row_has_lines(const struct profile *p, const struct profile_row *row)
{
    const bool has_units = row->value[ROW_DWARF_UNITS] > 0 && row->value[ROW_DWARF_PARTIAL] <= 0 &&
                           row->value[ROW_DWARF_TYPE_UNITS] <= 0 && row->value[ROW_MIX_INFO] > 0;
    return has_units && row->value[ROW_DWARF_LEVEL] == 1 && row->value[ROW_MIX_LOCLISTS] <= 0 && !p->dwarf.index &&
           !p->dwarf.type_units && !p->dwarf.split;
}

/* The language that entries are made in: those of Fortran are made as in C. */
static enum debug_language language_made(const struct profile_entries *said)
{
    return said->language == LANGUAGE_CPP ? LANGUAGE_CPP : LANGUAGE_C;
}

/* The sum of a value over the rows with debug information that the entries are of, less `each_less` for each. */
static uint64_t sum_of(const struct profile_entries *said, enum row_value value, uint64_t each_less)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < said->profile->rows; i++) {
        const struct profile_row *const row = &said->profile->row[i];
        if (row->value[value] > 0 && row->value[ROW_DWARF_UNITS] > 0 && profile_entries_have(said, row))
            sum += less((uint64_t)row->value[value], each_less);
    }
    return sum;
}

/* How many functions debug information describes: all but those of the C library's start files. */
static uint64_t functions_of(const struct profile_entries *said)
{
    enum { STARTING = 6 };
    return sum_of(said, ROW_FUNCTIONS, STARTING);
}

/* How many there are for each of `of`, which is not 0; rounded, within bounds. */
static uint8_t for_each_of(uint64_t count, uint64_t of, uint8_t least, uint8_t most)
{
    const uint64_t each = (count + of / 2) / of;
    return each < least ? least : each < most ? (uint8_t)each : most;
}

/* The step nearest to the square root of `square`, in 1/MANNER_USUAL. Steps grow by the square root of two; only every
 * `power`-th is taken, with MANNER_USUAL among them, so that what was made by a step is read as this step again. */
static uint16_t nearest_root(double square, unsigned power)
{
    static const uint16_t steps[] = {1,  2,   3,   4,   6,   8,   11,  16,   23,   32,   45,   64,
                                     91, 128, 181, 256, 362, 512, 724, 1024, 1448, 2048, 2896, 4096};
    enum { STEPS = sizeof steps / sizeof steps[0], USUAL_STEP = 11 };
    unsigned i = USUAL_STEP % power;
    if (square < 0.25)
        return 0;
    while (i + power < STEPS && square > (double)steps[i] * steps[i + power])
        i += power;
    return steps[i];
}

static uint16_t nearest_step(double times, unsigned power)
{
    return nearest_root(times * times, power);
}

/* `count` for each of `of`, in 1/MANNER_USUAL of `many`; 0 where that is not known. */
static double times_usual(uint64_t count, uint64_t of, double many)
{
    return of && many > 0 ? MANNER_USUAL * (double)count / (double)of / many : 0;
}

uint64_t profile_incomplete(const struct profile_entries *said)
{
    static const char *const sized[] = {"structure_type",   "union_type",     "class_type",
                                        "enumeration_type", "base_type",      "string_type",
                                        "pointer_type",     "reference_type", "rvalue_reference_type"};
    enum { SIZED = sizeof sized / sizeof sized[0], POINTERS = 3 /* the last ones */ };
    const char *const attributes = said->attributes;
    const bool has_pointers = said->profile->dwarf.compiler != COMPILER_CLANG;
    /* before version 5 gcc gives a bit field the size of what it is in */
    const uint64_t bits = less(tags_count(attributes, "bit_size"), tags_count(attributes, "data_bit_offset"));
    const uint64_t declarations = tags_count(attributes, "declaration");
    uint64_t types = 0;
    if (said->language != LANGUAGE_C)
        return 0;
    for (unsigned i = 0; i < (has_pointers ? SIZED : SIZED - POINTERS); i++)
        types += tags_count(said->tags, sized[i]);
    const uint64_t incomplete = less(types, less(tags_count(attributes, "byte_size"), bits));
    return incomplete < declarations ? incomplete : declarations;
}

/* Shares MANNER_PIECES among the kinds of pieces, as many of each as come to these counts. Rare kinds go in coarser
 * steps, because their counts vary by chance. Of kinds that there are usually none of there may be as many as
 * structures. */
static void share_pieces(struct manner *m, const uint64_t *count)
{
    enum { RARE = 4, POWER_RARE = 4 };
    uint64_t weight[PIECES];
    for (unsigned i = 0; i < PIECES; i++) {
        const uint16_t usually = m->piece[m->piece[i] ? i : PIECE_STRUCTURE];
        const double many = (double)usually / m->piece[PIECE_STRUCTURE];
        const double times = times_usual(count[i], count[PIECE_STRUCTURE], many);
        weight[i] = (uint64_t)usually * nearest_step(times, usually <= RARE ? POWER_RARE : 1);
    }
    manner_share_pieces(m, weight);
}

/* Members beyond a structure's first, in 1/MANNER_USUAL of the usual number; in even steps where they are fewer than
 * usual. */
static uint16_t members_usual(uint64_t count, uint64_t structures)
{
    enum { STEP = MANNER_USUAL / 8 };
    const double times = times_usual(count, structures, MEMBERS_USUAL - 1);
    return times < MANNER_USUAL ? (uint16_t)(((unsigned)times + STEP / 2) / STEP * STEP) : nearest_step(times, 1);
}

/* The share of members that are bit fields, in 1/MANNER_BITS. */
static uint16_t bits_of(const char *tags, const char *attributes)
{
    enum { MOST = MANNER_BITS / 2 };
    const uint64_t members = tags_count(tags, "member");
    const uint64_t bits = tags_count(attributes, "bit_size");
    const double share = members ? (double)bits / (double)members : 0;
    const uint16_t step = nearest_step(share * MANNER_BITS, 1);
    return step < MOST ? step : MOST;
}

/* How many units may have inline functions; never 0. */
static uint64_t units_not_terse(const struct profile_entries *said)
{
    uint64_t units = 0;
    for (uint32_t i = 0; i < said->profile->rows; i++) {
        const struct profile_row *const row = &said->profile->row[i];
        if (row->value[ROW_DWARF_UNITS] > 0 && !profile_row_is_terse(said->profile, row) &&
            profile_entries_have(said, row))
            units += (uint64_t)row->value[ROW_DWARF_UNITS];
    }
    return units ? units : 1;
}

/* As share_pieces, for Fortran: by the counts alone. Constants with a value have a name; those without are in blocks.
 * There is nothing of the kinds that only C has. */
static void share_fortran(struct manner *m, const char *tags, const char *attributes, const uint64_t *count)
{
    enum {
        LEAST_OF = 100, /* one piece in so many is a structure, at least: other types are counted for each structure */
        DESCRIBED_MATRICES = 5,
        VARIABLES_OF_UNITS = 8,
    };
    const uint64_t constants = tags_count(tags, "constant");
    const uint64_t values = tags_count(attributes, "const_value");
    const uint64_t blocks = tags_count(tags, "lexical_block");
    const uint64_t named = values < constants ? values : constants;
    const uint64_t described = tags_count(attributes, "data_location");
    uint64_t weight[PIECES];
    uint64_t all = 0;
    for (unsigned i = 0; i < PIECES; i++)
        weight[i] = count[i];
    weight[PIECE_TYPEDEF] = weight[PIECE_ATOMIC] = weight[PIECE_VOID_CONST] = 0;
    weight[PIECE_CONSTANT] = named;
    weight[PIECE_CHARACTERS] = tags_count(tags, "string_type");
    weight[PIECE_DESCRIBED_ARRAY] = described;
    weight[PIECE_MATRIX] = less(tags_count(attributes, "ordering"), described / DESCRIBED_MATRICES);
    weight[PIECE_ARRAY] = less(count[PIECE_ARRAY], described + weight[PIECE_MATRIX]);
    weight[PIECE_VARIABLE] = tags_count(tags, "variable") / VARIABLES_OF_UNITS;
    for (unsigned i = 0; i < PIECES; i++)
        all += weight[i];
    if (weight[PIECE_STRUCTURE] < all / LEAST_OF + 1)
        weight[PIECE_STRUCTURE] = all / LEAST_OF + 1;
    manner_share_pieces(m, weight);
    m->unnamed = 0;
    if (blocks) {
        const uint64_t each = (constants - named) * MANNER_USUAL / blocks;
        m->constants = (uint16_t)(each < MANNER_CONSTANTS ? each : MANNER_CONSTANTS);
    }
}

/* Reads what headers of C declare: entries that neither every unit has anyway nor other entries bring with them. */
static void read_pieces(struct manner *m, const struct profile_entries *said, const char *tags, const char *attributes)
{
    enum { POINTERS = 2, CONSTS = 1, /* for each unit */ VOID_OF = 6 /* one const type in so many is of void */ };
    const uint64_t units = sum_of(said, ROW_DWARF_UNITS, 0);
    const uint64_t inlines = tags_count(attributes, "inline");
    const uint64_t incomplete = profile_incomplete(said);
    const uint64_t structures = less(tags_count(tags, "structure_type"), incomplete);
    const uint64_t unions = tags_count(tags, "union_type");
    const uint64_t typedefs = tags_count(tags, "typedef");
    const uint64_t consts = less(tags_count(tags, "const_type"), CONSTS * units);
    const uint64_t types = tags_count(tags, "subroutine_type");
    const uint64_t restricts = tags_count(tags, "restrict_type");
    const uint64_t atomics = tags_count(tags, "atomic_type");
    m->inlines = for_each_of(inlines, units_not_terse(said), INLINES_LEAST, CORPUS_INLINES);
    if (structures)
        m->unnamed = (uint8_t)(typedefs >= structures ? m->unnamed : typedefs * m->unnamed / structures);
    if (structures + unions)
        m->members = members_usual(less(tags_count(tags, "member"), structures + unions), structures + unions);
    const uint64_t count[PIECES] = {
        [PIECE_STRUCTURE] = structures,
        [PIECE_TYPEDEF] = less(typedefs, structures * m->unnamed / UNNAMED_OF + atomics),
        [PIECE_ATOMIC] = atomics,
        [PIECE_POINTER] = less(tags_count(tags, "pointer_type"),
                               types + restricts + incomplete + consts / VOID_OF + POINTERS * units),
        [PIECE_ARRAY] = tags_count(tags, "array_type"),
        [PIECE_FUNCTION_TYPE] = types,
        [PIECE_CONST] = consts - consts / VOID_OF,
        [PIECE_VOID_CONST] = consts / VOID_OF,
        [PIECE_UNION] = unions,
        [PIECE_VARIABLE] = structures * m->piece[PIECE_VARIABLE] / m->piece[PIECE_STRUCTURE], /* as usual */
        [PIECE_ENUMERATION] = tags_count(tags, "enumeration_type"),
        [PIECE_RESTRICT] = restricts,
        [PIECE_FUNCTION] = less(tags_count(tags, "subprogram"), functions_of(said) + inlines),
        [PIECE_INCOMPLETE] = structures ? incomplete : 0,
        [PIECE_VOLATILE] = tags_count(tags, "volatile_type"),
    };
    if (said->language == LANGUAGE_FORTRAN) {
        share_fortran(m, tags, attributes, count);
    } else if (structures) {
        share_pieces(m, count);
        m->bits = bits_of(tags, attributes);
    }
}

/* Reads what headers of C++ declare more of than usual, or less. */
static void read_classes(struct manner *m, const struct profile_entries *said, const char *tags)
{
    const uint64_t classes =
        tags_count(tags, "class_type") + tags_count(tags, "structure_type") + tags_count(tags, "union_type");
    m->members = nearest_step(times_usual(tags_count(tags, "member"), classes, MEMBERS_CPP), 1);
    const uint64_t taken = tags_count(tags, "imported_declaration");
    const uint64_t others = less(tags_count(tags, "subprogram"), taken);
    const uint16_t step = nearest_step(times_usual(taken, others, TAKEN_USUAL), 1);
    m->taken = step < MANNER_TAKEN ? step : MANNER_TAKEN;
    const uint16_t each = nearest_step(times_usual(tags_count(tags, "enumerator"), classes, ENUMERATORS_CPP), 2);
    if (each >= ENUMERATORS_MANY)
        m->enumerators = each < MANNER_ENUMERATORS ? each : MANNER_ENUMERATORS;
    const uint64_t names = sum_of(said, ROW_DWARF_TYPE_NAMES, 0);
    if (classes && names)
        m->class_names = (uint16_t)(names / classes < MANNER_CLASS_NAMES ? names / classes : MANNER_CLASS_NAMES);
}

/* The share of constants passed beside a local that are described, where calls that pass both have `more` arguments
 * than usual; as a rule that is negative. */
static uint16_t told_of(double more)
{
    enum { STEPS = 8 };
    const double told = more < -1 ? 0 : more < 0 ? 1 + more : 1;
    return (uint16_t)((unsigned)(told * STEPS + 0.5) * (MANNER_USUAL / STEPS));
}

/* Reads how code is described: calls with what they pass, inlined calls, blocks, locals and labels. */
static void read_code(struct manner *m, const struct profile_entries *said, const char *tags, const char *attributes)
{
    enum { LABELLED = 30 }; /* functions have labels if at least one in so many has one */
    const enum debug_language language = language_made(said);
    const uint64_t calls = tags_calls(tags);
    const uint64_t blocks = tags_count(tags, "lexical_block");
    const uint64_t variables = tags_count(tags, "variable");
    const uint64_t inlined = tags_count(tags, "inlined_subroutine");
    if (!calls)
        return;
    m->inlined = nearest_step(times_usual(inlined, calls, usual[language].inlined), 1);
    if (language == LANGUAGE_CPP) { /* everything else goes by what was inlined */
        const double each = times_usual(inlined, sum_of(said, ROW_SHARE_CODE, 0), INLINED_CODE);
        const uint16_t dense = nearest_root(MANNER_USUAL * each, 1); /* calls in one run are nested: a square */
        m->inlined = (uint16_t)((dense > m->inlined ? dense : m->inlined) * 6U / 5);
        m->lexical = LEXICAL_CPP;
        m->fuller = inlined && (double)variables > VARIABLES_LEAST * (double)inlined;
        if ((double)tags_count(attributes, "ranges") > SPREAD_LEAST * (double)(inlined + blocks))
            m->spread = SPREAD_CPP;
        return;
    }
    m->labels = tags_count(tags, "label") * LABELLED >= functions_of(said);
    const double passed = (double)tags_passed(tags) / (double)calls - usual[language].parameters;
    m->calls = CALLS;
    m->ending = ENDING;
    m->own = OWN_LOCALS;
    m->told = told_of(passed / (usual[language].parameters - 1));
    m->lexical = nearest_step(times_usual(blocks, calls, usual[language].lexical), 1);
    m->locals = (uint8_t)(variables * 5 > blocks * 13 ? 3 : variables * 5 > blocks * 7 ? 2 : 1);
    if (passed > PASSED_LEAST)
        m->passed = nearest_step(MANNER_USUAL * passed / usual[language].passed, 1);
}

/* Reads how much of .debug_info is about functions: what their entries would take here, by the tags. Where it is nearly
 * all, it is as much as there is to say about the code. */
static void read_entries(struct manner *m, const struct profile_entries *said, const char *tags)
{
    enum { STEP = MANNER_USUAL / 16, ALL = MANNER_USUAL * 7 / 8 };
    enum { CALL = 16, PASSED = 7, BLOCK = 10, VARIABLE = 17, FUNCTION = 44 }; /* bytes; with parameters, as `of` */
    static const struct {
        uint64_t inlined, much;
    } of[] = {[LANGUAGE_C] = {47, MANNER_USUAL * 15 / 32}, [LANGUAGE_CPP] = {58, MANNER_USUAL * 9 / 16}};
    const enum debug_language language = language_made(said);
    const uint64_t info = sum_of(said, ROW_MIX_INFO, 0);
    const uint64_t bytes = CALL * tags_calls(tags) + PASSED * tags_passed(tags) +
                           of[language].inlined * tags_count(tags, "inlined_subroutine") +
                           BLOCK * tags_count(tags, "lexical_block") + VARIABLE * tags_count(tags, "variable") +
                           FUNCTION * functions_of(said);
    if (!info)
        return;
    const uint64_t share = bytes * MANNER_USUAL / info;
    if (share < of[language].much)
        m->entries = (uint8_t)((share + STEP / 2) / STEP * STEP);
    if (share >= ALL)
        m->entries = MANNER_USUAL * 15 / 16;
}

/* Reads the share of entries that are defined functions or belong to these. */
static void read_defined(struct manner *m, const struct profile_entries *said, const char *tags)
{
    enum { PARAMETERS = 2 }; /* of a function; every two inlined calls have three more */
    const uint64_t inlined = tags_count(tags, "inlined_subroutine");
    const uint64_t parameters = tags_count(tags, "formal_parameter");
    const uint64_t own = PARAMETERS * functions_of(said) + inlined + inlined / 2;
    const uint64_t defined = functions_of(said) + (own < parameters ? own : parameters) + inlined + tags_calls(tags) +
                             tags_passed(tags) + tags_count(tags, "lexical_block") + tags_count(tags, "label") +
                             tags_count(tags, "variable");
    const uint64_t all = sum_of(said, ROW_DWARF_DIES, 0);
    m->defined = (uint8_t)(defined < all ? defined * MANNER_USUAL / all : MANNER_USUAL);
}

/* Whether all rows with units say how much of their code is in inlined calls. */
static bool say_inlined(const struct profile_entries *said)
{
    for (uint32_t i = 0; i < said->profile->rows; i++) {
        const struct profile_row *const row = &said->profile->row[i];
        if (row->value[ROW_DWARF_UNITS] > 0 && row->value[ROW_DWARF_INLINED] < 0 && profile_entries_have(said, row))
            return false;
    }
    return true;
}

/* Reads whether an inlined call covers less code than is usual, as at -Og and -Os. */
static void read_around(struct manner *m, const struct profile_entries *said, const char *tags)
{
    enum { STEP = MANNER_USUAL / 8 };
    static const double few[] = {[LANGUAGE_C] = 27, [LANGUAGE_CPP] = 4.4}; /* bytes, of CPython 3.12 and Ipopt */
    const double code = (double)sum_of(said, ROW_DWARF_INLINED, 0);
    const double calls = (double)tags_count(tags, "inlined_subroutine");
    const double share = calls > 0 && code > 0 && say_inlined(said) ? code / calls / few[language_made(said)] : 1;
    if (share < 1)
        m->around = (uint8_t)((unsigned)(share * MANNER_USUAL / STEP + 0.5) * STEP);
    else if (language_made(said) != LANGUAGE_CPP)
        m->nested = (uint8_t)((unsigned)((share < 4 ? 1 / share : 0.25) * MANNER_USUAL / STEP + 0.5) * STEP);
}

/* Reads how many names are short. The limits are such that a twin's profile gives the same number again, although other
 * entries have short names, too. */
static void read_names(struct manner *m, const struct profile_entries *said, const char *attributes)
{
    const char *const forms = said->forms;
    const double names = (double)tags_count(attributes, "name");
    const double brief = forms ? (double)tags_count(forms, "string") : 0;
    if (brief > 0.18 * names)
        m->brief = brief > 0.75 * names ? 9 : brief > 0.55 * names ? 7 : brief > 0.45 * names ? 6 : 3;
}

/* How many entries name a line and are neither defined functions nor in these. */
static uint64_t declared_of(const struct profile_entries *said, const char *tags, const char *attributes)
{
    static const char *const declared[] = {"member", "structure_type", "union_type", "enumeration_type", "typedef"};
    uint64_t all = less(tags_count(tags, "subprogram"), functions_of(said) + tags_count(attributes, "inline"));
    for (unsigned i = 0; i < sizeof declared / sizeof declared[0]; i++)
        all += tags_count(tags, declared[i]);
    return less(all, profile_incomplete(said));
}

/* Reads how many declarations have a line of one byte and, beyond these, how many lines of functions, as far as forms
 * tell. Lines of calls take two bytes as a rule, and some lines of functions take one, so declarations are rounded down
 * rather than up. */
static void read_lines(struct manner *m, const struct profile_entries *said, const char *tags, const char *attributes)
{
    enum { STEPS = 16 };
    const char *const forms = said->forms;
    const uint64_t all = declared_of(said, tags, attributes);
    const uint64_t others = said->profile->dwarf.compiler == COMPILER_CLANG ? tags_count(attributes, "high_pc") : 0;
    const uint64_t longer = forms ? tags_count(forms, "data2") + less(tags_count(forms, "data4"), others) : UINT64_MAX;
    const uint64_t low = less(tags_count(attributes, "decl_line") + tags_count(attributes, "call_line"), longer);
    m->low = (uint8_t)(!all ? 0 : low < all ? (low * MANNER_LOWS + all / 4) / all : MANNER_LOWS);
    const uint64_t own = less(tags_count(attributes, "decl_line"), all);
    const uint64_t own_low = less(low, all);
    const uint64_t share = own ? (own_low * STEPS + own / 2) / own : 0;
    if (tags_count(tags, "partial_unit"))
        m->lows = (uint8_t)((share < STEPS ? share : STEPS) * (MANNER_USUAL / STEPS));
}

/* Reads how often a partial unit is imported, and how many partial units name a line table, which otherwise only
 * compile and type units do. */
static void read_imports(struct manner *m, const char *tags, const char *attributes)
{
    enum { IMPORTS_MOST = 64 };
    const uint64_t partial = tags_count(tags, "partial_unit");
    if (!partial)
        return;
    m->imports = for_each_of(tags_count(tags, "imported_unit"), partial, 1, IMPORTS_MOST);
    const uint64_t others = tags_count(tags, "compile_unit") + tags_count(tags, "type_unit");
    m->tables = for_each_of(less(tags_count(attributes, "stmt_list"), others) * MANNER_USUAL, partial, 0, MANNER_USUAL);
}

/* Reads whether inlined calls refer to functions of other units. Not where there are partial units,
 * because most references between units lead to these. gcc does not say of such functions that they are inlined, so
 * there are some at the least. */
static void read_origins(struct manner *m, const struct profile_entries *said, const char *tags, const char *attributes)
{
    enum { FAR_LEAST = 12 };
    const char *const forms = said->forms;
    const uint64_t far = forms ? tags_count(forms, "ref_addr") : 0;
    m->far = !tags_count(tags, "partial_unit") && far > tags_count(attributes, "abstract_origin") / 2;
    if (m->far && m->inlines && m->inlines < FAR_LEAST)
        m->inlines = FAR_LEAST;
}

/* Reads whether the ends of functions have the form that dwz gives them. */
static void read_ends(struct manner *m, const struct profile_entries *said, const char *tags, const char *attributes)
{
    const char *const forms = said->forms;
    const uint64_t ends = tags_count(attributes, "high_pc");
    m->shortest = forms && ends && tags_count(tags, "partial_unit") && tags_count(forms, "udata") >= ends - ends / 4;
}

/* Reads how many additional headers the strings of C++ need: one for every EACH bytes beyond SOME in the largest
 * .debug_str. */
static void read_further(struct manner *m, const struct profile_entries *said)
{
    enum { SOME = 2000000, EACH = 220000 };
    int64_t most = 0;
    for (uint32_t i = 0; i < said->profile->rows; i++) {
        const struct profile_row *const row = &said->profile->row[i];
        if (row->value[ROW_MIX_STR] > most && profile_entries_have(said, row))
            most = row->value[ROW_MIX_STR];
    }
    const int64_t further = most > SOME ? (most - SOME) / EACH : 0;
    m->further = (uint8_t)(further < CORPUS_FURTHER ? further : CORPUS_FURTHER);
}

/* How many entries an application must have for its counts to count. In Fortran fewer are enough, as less debug
 * information is usual. */
static uint64_t entries_least(const struct profile_entries *said)
{
    return said->language == LANGUAGE_FORTRAN ? NAMED_LEAST : ENTRIES_LEAST;
}

/* Whether the application has at least so many entries. */
static bool has_many(const struct profile_entries *said, uint64_t least)
{
    return sum_of(said, ROW_DWARF_DIES, 0) >= least;
}

/* Whether tags and attributes tell how entries are made. */
bool profile_has_manner(const struct profile_entries *said)
{
    return said->tags && said->attributes && has_many(said, entries_least(said));
}

/* Whether there are so many constants in abbreviations that they are the file of most declarations. */
static bool is_of_most(uint64_t constants, const char *attributes)
{
    return constants >= tags_count(attributes, "decl_file") / 3 * 2 + 1;
}

bool profile_has_one_file(const struct profile_entries *said)
{
    const char *const forms = said->forms;
    const char *const attributes = said->attributes;
    return forms && attributes && has_many(said, ENTRIES_LEAST) &&
           is_of_most(tags_count(forms, "implicit_const"), attributes);
}

bool profile_has_one_row(const struct profile_entries *said)
{
    const uint64_t rows = sum_of(said, ROW_DWARF_ROWS, 0);
    return rows && sum_of(said, ROW_DWARF_ADDRESSES, 0) >= rows - rows / 8;
}

/* Constants in abbreviations are: the file of declarations with a line of one byte, where all of these are in one
 * header; the file of functions and of what is in them, where all are in one source; the sizes of pointers; and
 * attributes of enumerations and inline functions. Where there are partial units, functions with a low line name their
 * file here (abbrev_low), and headers' declarations name none. */
bool profile_has_several_files(const struct profile_entries *said)
{
    enum { OF_ENUMERATION = 2 };
    const char *const forms = said->forms;
    const char *const tags = said->tags;
    const char *const attributes = said->attributes;
    if (!forms || !tags || !attributes || !has_many(said, ENTRIES_LEAST))
        return false;
    const uint64_t files = tags_count(attributes, "decl_file");
    const uint64_t declared = declared_of(said, tags, attributes);
    const uint64_t others = tags_count(tags, "pointer_type") + OF_ENUMERATION * tags_count(tags, "enumeration_type") +
                            tags_count(attributes, "inline");
    const uint64_t constants = less(tags_count(forms, "implicit_const"), others);
    const bool with_own = is_of_most(constants, attributes) && !tags_count(tags, "partial_unit");
    const uint64_t own = with_own ? less(files, declared) : 0;
    const uint64_t early = with_own ? declared : less(files, tags_count(forms, "data2"));
    return less(constants, own) < early / 2;
}

/* Reads how many functions of a unit with lines alone are inlined, if most units are such: none where no calls are. */
static void read_lines_inlined(struct manner *m, const struct profile_entries *said, const char *tags,
                               const char *attributes)
{
    uint64_t units = 0;
    for (uint32_t i = 0; i < said->profile->rows; i++) {
        const struct profile_row *const row = &said->profile->row[i];
        if (profile_row_has_lines(said->profile, row) && profile_entries_have(said, row))
            units += (uint64_t)row->value[ROW_DWARF_UNITS];
    }
    if (units)
        m->of_lines = tags_count(tags, "inlined_subroutine")
                          ? for_each_of(tags_count(attributes, "inline"), units, 1, CORPUS_INLINES)
                          : 0;
}

struct manner profile_manner(const struct profile_entries *said)
{
    const char *const tags = said->tags;
    const char *const attributes = said->attributes;
    struct manner m = manner_usual();
    if (said->language == LANGUAGE_FORTRAN)
        m = manner_fortran(m);
    if (tags) {
        read_defined(&m, said, tags);
        read_around(&m, said, tags);
    }
    if (tags && attributes)
        read_lines_inlined(&m, said, tags, attributes);
    if (attributes && has_many(said, NAMED_LEAST) && said->language != LANGUAGE_CPP)
        read_names(&m, said, attributes);
    if (!profile_has_manner(said))
        return m;
    if (said->language != LANGUAGE_CPP) {
        read_pieces(&m, said, tags, attributes);
        read_lines(&m, said, tags, attributes);
    } else {
        read_classes(&m, said, tags);
        read_further(&m, said);
    }
    m.partly = tags_count(attributes, "location") > 0 && said->language != LANGUAGE_FORTRAN;
    read_code(&m, said, tags, attributes);
    read_entries(&m, said, tags);
    read_imports(&m, tags, attributes);
    read_ends(&m, said, tags, attributes);
    read_origins(&m, said, tags, attributes);
    return m;
}

void profile_manners_share(struct manners *m, const struct profile *p)
{
    for (unsigned i = 0; i < DEBUG_LANGUAGES; i++)
        if (!profile_is_divided(p, i))
            m->of[i] = m->of[p->dwarf.language];
}

struct manners profile_manners(const struct profile *p)
{
    struct manners m;
    for (unsigned i = 0; i < DEBUG_LANGUAGES; i++) {
        const struct profile_entries said = profile_entries(p, i);
        if (said.language == i)
            m.of[i] = profile_manner(&said);
    }
    profile_manners_share(&m, p);
    return m;
}
