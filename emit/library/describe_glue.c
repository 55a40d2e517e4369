/* Describes the functions that every library has besides its numbered ones (glue.h). */
#include "emit/library/describe_parts.h"

#include <string.h>

enum {
    PARAMETERS = 2,
    PARAMETER_PLACE = -24,
    SPILLED = 12, /* bytes of code up to the end of the first parameter's spill, */
    SPILL = 4,    /* and from there to the end of the next one's */
};

static const char *const helper_suffixes[SHAPE_HELPERS] = {"_helper0", "_helper1", "_helper2", "_helper3"};

/* The offset of a function's name. The name block (symbols.c) has the names of numbered functions, entry, extern and
 * PyInit, in this order; other names are appended to the library's own. */
static uint32_t glue_name(struct library *l, enum glue_function which)
{
    uint64_t stem = strlen(l->row->name);
    uint64_t entry = l->described_names;
    uint64_t own_extern = entry + strlen(l->shape.entry) + 1;
    switch (which) {
    case GLUE_METHOD:
        return describe_name(l, plan_prefix(l->row), "_method");
    case GLUE_VISITED:
        return describe_name(l, plan_prefix(l->row), "_visited");
    case GLUE_ENTRY:
    case GLUE_START: /* a library has only one of the two */
        return (uint32_t)entry;
    case GLUE_EXTERN:
        return (uint32_t)own_extern;
    case GLUE_PYINIT:
        return (uint32_t)(own_extern + (l->shape.has_extern ? stem + sizeof "_extern" : 0));
    default:
        return describe_name(l, plan_prefix(l->row), helper_suffixes[which - GLUE_HELPER]);
    }
}

/* Whether this function gets the lists that make .debug_loclists as long as wanted: there is no numbered function to
 * have them. */
static bool has_last_lists(const struct walk *w, enum glue_function which)
{
    return which == GLUE_METHOD && !w->l->described;
}

/* Adds these lists. They are of locals that hold what the parameters hold. */
static void glue_lists(struct walk *w, uint64_t start, uint64_t end)
{
    struct subject s = {.line = w->line_number, .name = w->l->row->number + 1, .step = 1};
    const uint64_t spilled = start + plan_landing(w->l->row) + SPILLED;
    const uint64_t border[] = {spilled, spilled + SPILL, end};
    const int32_t place[] = {PARAMETER_PLACE, PARAMETER_PLACE - 8};
    tune_lists(w, &s, border, sizeof border / sizeof border[0], place);
}

/* How many parameters are described where so few bytes are left for lists that each parameter has a list of one entry;
 * 0: all parameters, in the usual way. */
static uint32_t brief_lists(const struct walk *w, enum glue_function which)
{
    enum { BRIEF = 8 }; /* bytes of such a list in version 5 */
    const uint64_t left = has_last_lists(w, which) ? tune_lists_left(w) : 0;
    return left % BRIEF == 0 && left / BRIEF <= PARAMETERS ? (uint32_t)(left / BRIEF) : 0;
}

/* Describes a parameter while it is in its register, and not where it is afterwards. */
static void describe_register(struct walk *w, const struct debug_variable *v, const struct describe_spill *s)
{
    struct composer *c = &w->composer;
    compose_list_begin(c, s->start);
    compose_list_register(c, s->start, s->spilled, s->reg);
    compose_parameter_list(c, v, compose_list_end(c));
}

/* Describes the two parameters: self and args of methods, the numbers of helpers. */
static void glue_parameters(struct walk *w, enum glue_function which, uint64_t start, uint64_t end)
{
    static const uint8_t registers[PARAMETERS] = {REGISTER_RDI, REGISTER_RSI};
    const bool lists = detail_has_lists(w, end);
    const uint32_t brief = brief_lists(w, which);
    const uint32_t count = brief ? brief : PARAMETERS;
    for (uint32_t j = 0; j < count; j++) {
        const struct debug_variable v = {
            .name = w->corpus->name[(w->l->row->number + 17 * j) % CORPUS_NAMES],
            .line = w->line_number,
            .column = 25 + 20 * j,
            .type = which < GLUE_ENTRY ? BASE_POINTER : BASE_LONG,
        };
        const struct describe_spill s = {
            .start = start,
            .spilled = start + plan_landing(w->l->row) + SPILLED + SPILL * j,
            .end = end,
            .reg = registers[j],
            .place = PARAMETER_PLACE - 8 * (int32_t)j,
        };
        if (brief)
            describe_register(w, &v, &s);
        else if (lists)
            describe_spilled(w, &v, &s);
        else
            compose_parameter(&w->composer, &v, s.place);
    }
    if (has_last_lists(w, which))
        glue_lists(w, start, end);
}

bool describe_glue(struct walk *w, enum glue_function which)
{
    struct library *l = w->l;
    const struct glue_place *place = &l->glue.place[which];
    struct composer *c = &w->composer;
    if (!place->size)
        return true;
    const uint64_t besides = has_last_lists(w, which) ? tune_room(w) : 0;
    const struct describe_room room = {.info = 4 * COMPOSE_CHILD_MOST + besides,
                                       .lists = PARAMETERS * (COMPOSE_LIST_MOST + 2 * COMPOSE_ENTRY_MOST) + besides,
                                       .rows = glue_rows_most(&l->code)};
    if (!describe_begin(w, place->offset, &room))
        return false;
    bool is_static = which == GLUE_METHOD || which == GLUE_VISITED;
    bool is_helper = which >= GLUE_HELPER && which < GLUE_HELPER + SHAPE_HELPERS;
    bool has_parameters = (is_static || is_helper) && !lines_are_told(w);
    uint32_t name = glue_name(l, which);
    if (is_helper)
        w->helper_name[which - GLUE_HELPER] = name;
    const struct debug_function f = {
        .name = name,
        .offset = place->offset,
        .size = place->size,
        .line = w->line_number,
        .column = is_static ? 1 : 15,
        .kind = is_static ? FUNCTION_STATIC : FUNCTION_PLAIN,
        .declared = COMPOSE_UNKNOWN,
        .result = which == GLUE_START  ? BASE_INT
                  : which < GLUE_ENTRY ? BASE_POINTER
                                       : BASE_UNSIGNED_LONG,
    };
    if (is_helper)
        w->helper[which - GLUE_HELPER] = compose_place(c);
    compose_function(c, &f);
    const uint64_t end = place->offset + (uint64_t)place->size;
    if (has_parameters)
        glue_parameters(w, which, place->offset, end);
    glue_rows(&l->code, &l->glue, &l->shape, which, &c->rows, &w->line_number);
    w->line_number += 3;
    describe_end(w, end);
    return true;
}
