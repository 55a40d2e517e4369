/* Chooses the small functions that are described (describe_small.h). */
#include <string.h>

#include "emit/library/describe_small.h"
#include "emit/plan/names_row.h"

enum {
    INFO_FUNCTION = 31,  /* bytes of a function's entry; */
    INFO_PARAMETERS = 5, /* the same, if it has parameters, are more by this */
    INFO_PARAMETER = 15, /* bytes of a parameter's entry */
    ROWS_USUAL = 8,      /* bytes that a function's rows take, about */
    PART = 4,            /* small functions may take one in so many bytes and rows, */
    PART_OF_NAMES = 7,   /* and bytes of names, */
    PART_OF_SAID = 6,    /* where it is known how many functions there are, */
    PART_OF_CPP = 3,     /* and in C++, which has most names for functions; */
    PART_OF_LINES = 3,   /* the same of all, with lines alone */
};

/* Adds to t->info and t->names what function `index` takes, whose symbol's name has `length` characters. False where it
 * cannot be described. */
static bool add_function(const struct walk *w, uint32_t index, uint32_t length, struct small_told *t)
{
    enum { INFO = INFO_FUNCTION + INFO_PARAMETERS + INFO_PARAMETER * SMALL_PARAMETERS_MOST / 2 };
    char name[PROFILE_NAME_MOST + 1];
    uint64_t info = lines_are_told(w) ? INFO_FUNCTION : INFO;
    uint64_t words = 0;
    if (small_is_member(w, index)) {
        names_row_write_other(w->l->row, index, (uint8_t *)name);
        if (w->corpus->dialect.language != DWARF_CPP || !member_can_be(name, &info, &words))
            return false;
    }
    t->info += info;
    t->names += length + UINT64_C(1) + words;
    return true;
}

/* Notes whether function `index` can be described. */
static void note_function(const struct walk *w, uint32_t index, struct small_told *t)
{
    const struct library *const l = w->l;
    const struct plan_library *const row = l->row;
    const bool exported = index < row->small.exported;
    const bool is_named_oddly =
        small_is_resolver(l, index) ||
        (exported ? small_is_method(row, index) : small_name_is_shared(row, index) && lines_are_told(w));
    const bool can_be = row->small.size[index] && !plan_is_packed(row, index) && (exported || !row->stripped) &&
                        !(is_named_oddly && small_name_is_mangled(row, index));
    uint32_t length = can_be ? small_name_length(l, index) : 0;
    if (length && !add_function(w, index, length, t))
        length = 0;
    bytes_u16(&t->lengths, (uint16_t)length);
    t->all += length != 0;
    t->code += length ? plan_small_place(row, index) : 0;
}

/* What the row says of a section's bytes or, where it says nothing, what is wanted, less `others`. While sizes are
 * being tried (mix.h) this stays the same. */
static uint64_t said_bytes(const struct walk *w, enum row_value of, enum debug_section s, uint64_t others)
{
    const int64_t said = w->l->row->said->value[of];
    const uint64_t bytes = said == PROFILE_DERIVED ? w->l->debug.wanted[s] : (uint64_t)said;
    return bytes > others ? bytes - others : 0;
}

/* How many may be described, so that enough is left for other entries, rows, lines and names. */
static uint64_t count_most(const struct walk *w, const struct small_told *t)
{
    const bool lines = lines_are_told(w); /* nothing but functions takes much then */
    const uint64_t part = lines ? PART_OF_LINES : PART;
    const struct corpus *const c = w->corpus;
    const bool is_said = w->l->row->said->value[ROW_DWARF_FUNCTIONS] > 0;
    const uint64_t part_of_names = lines                              ? PART_OF_LINES
                                   : c->dialect.language == DWARF_CPP ? PART_OF_CPP
                                   : is_said                          ? PART_OF_SAID
                                                                      : PART_OF_NAMES;
    const uint64_t units = w->l->row->debug.units;
    const uint64_t names_of_others = w->l->debug.names_size + class_names_of_lines(w);
    const uint64_t others = c->common + c->header[0].cut[0].names + names_of_others;
    const double info = (double)t->info / t->all;
    const double names = (double)t->names / t->all;
    const uint64_t most[] = {
        (uint64_t)((double)(said_bytes(w, ROW_MIX_INFO, DEBUG_INFO, 0) / part) / info),
        said_bytes(w, ROW_MIX_LINE, DEBUG_LINE, units * w->line_header) / part / ROWS_USUAL,
        (uint64_t)((double)(said_bytes(w, ROW_MIX_STR, DEBUG_STR, others) / part_of_names) / names),
        w->goal->rows ? w->goal->rows / part / SMALL_ROWS : UINT64_MAX,
        (units > 1 ? units - 1 : 1) * SMALL_UNIT_MOST,
    };
    uint64_t least = most[0];
    for (unsigned i = 1; i < sizeof most / sizeof most[0]; i++)
        least = most[i] < least ? most[i] : least;
    return least;
}

/* How many are to be described: where the row says how many functions are, as many as the others leave. */
static uint32_t count_planned(const struct walk *w)
{
    const struct library *const l = w->l;
    const uint32_t most = w->level == DESCRIBE_RICH ? plan_described(l->plan, l->row).small : 0;
    const int64_t functions = l->row->said ? l->row->said->value[ROW_DWARF_FUNCTIONS] : PROFILE_DERIVED;
    const int64_t left = functions - l->described - l->shape.glue;
    return functions <= 0 || left >= most ? most : left > 0 ? (uint32_t)left : 0;
}

/* How many units are theirs: as many as their share of the code, but enough for their lines. 0: there is only one. */
static uint32_t count_units(const struct walk *w, const struct small_told *t)
{
    const uint64_t units = w->l->row->debug.units;
    const uint64_t code = t->code * t->count / t->all;
    const uint64_t all = code + library_function_at(w->l, w->l->row->functions);
    const uint64_t least = (t->count + UINT64_C(1) * SMALL_UNIT_MOST - 1) / SMALL_UNIT_MOST;
    const uint64_t share = (units * code + all / 2) / all;
    const uint64_t most = share > least ? share : least;
    return (uint32_t)(most < units ? most : units - 1);
}

struct small_told small_choose(const struct walk *w)
{
    const struct library *const l = w->l;
    const uint32_t planned = count_planned(w);
    struct small_told t = {0};
    for (uint32_t i = 0; i < l->row->small.count && planned; i++)
        note_function(w, i, &t);
    const uint64_t most = t.all ? count_most(w, &t) : 0;
    t.count = planned < t.all ? planned : t.all;
    t.count = t.count < most ? t.count : (uint32_t)most;
    t.units = t.count ? count_units(w, &t) : 0;
    return t;
}
