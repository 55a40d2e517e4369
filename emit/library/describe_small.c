/* Describes small functions (small.h) of a library with a row, as C compilers do: each has an entry and two rows, and
 * parameters, which stay in their registers, because the code writes to no register but %rax.
 *
 * Their code is behind all other code. So of several units the first ones are theirs. A single unit has them behind its
 * other functions, with a second sequence of rows (compose_part_adjoins). They are described before anything else is:
 * then it is known what is left for that, and sections get their sizes all the same.
 *
 * Some are left out: cold parts, functions without a name and, but for lines alone, those whose names are mangled and
 * cannot be those of members (describe_members.c). */
#include <string.h>

#include "emit/library/describe_small.h"
#include "emit/plan/names_row.h"

enum {
    PARAMETERS_ROOM = MEMBER_PARAMETERS_MOST, /* which others have no more than */
    LINES_EACH = 3,                           /* lines of the source from one to the next */
};

static_assert((int)PARAMETERS_ROOM >= (int)SMALL_PARAMETERS_MOST, "there is room for either");

/* How many parameters a function has at most: about as many entries as other functions have on average. */
static uint32_t parameters_most(const struct walk *w, uint64_t functions)
{
    const int64_t said = w->l->row->said->value[ROW_DWARF_DEFINED];
    const uint64_t each = said > 0 ? (uint64_t)said / functions : 1 + SMALL_PARAMETERS_MOST;
    return each > SMALL_PARAMETERS_MOST ? SMALL_PARAMETERS_MOST : each ? (uint32_t)each - 1 : 0;
}

static void put_parameters(struct walk *w, uint64_t r, uint32_t count, bool are_ints)
{
    static const uint8_t registers[SMALL_PARAMETERS_MOST] = {REGISTER_RDI, REGISTER_RSI, REGISTER_RDX};
    static const uint8_t types[] = {BASE_LONG, BASE_INT, BASE_POINTER, BASE_STRING, BASE_UNSIGNED_LONG};
    uint32_t name = (uint32_t)(r >> 32);
    for (uint32_t i = 0; i < count; i++, name += (uint32_t)(r >> 16) | 1) {
        const struct debug_variable v = {
            .name = w->corpus->name[name % CORPUS_NAMES],
            .line = w->line_number,
            .column = 24 + 18 * i,
            .type = are_ints ? BASE_INT : types[(r >> 8 * i) % sizeof types],
        };
        compose_parameter_register(&w->composer, &v, registers[i]);
    }
}

/* The walk over the small functions that are described. */
struct small_teller {
    struct walk *w;
    struct small_told told;
    struct small_walk walk;
    uint32_t index;       /* the next function, */
    uint32_t number;      /* how many before it could be described, */
    uint32_t count;       /* and how many are */
    uint32_t parameters;  /* that a function has at most */
    struct bytes members; /* of the open unit: struct member */
    uint32_t member;      /* the next of them */
    struct bytes shared;  /* small_names_shared */
};

/* Sets what a function has that is no member, and composes its entry. */
static void put_plain(struct small_teller *s, uint32_t index, struct debug_function *f)
{
    enum { HIDDEN = 8 /* of so many local functions one is not static but hidden */ };
    struct walk *const w = s->w;
    const struct plan_library *const row = w->l->row;
    const uint64_t r = random_at(small_value(row, index), index);
    uint32_t ints = UINT32_MAX; /* the name does not say */
    small_name_put(w, index, small_told_length(&s->told, index), &s->shared, f, &ints);
    /* methods change %rdi */
    const bool has_none = lines_are_told(w) || small_is_method(row, index) || small_is_resolver(w->l, index);
    const uint32_t count = has_none ? 0 : ints != UINT32_MAX ? ints : random_below(r, s->parameters + UINT64_C(1));
    const bool is_static = index >= row->small.exported && (count || lines_are_told(w)) && r % HIDDEN;
    f->kind = is_static ? FUNCTION_STATIC : FUNCTION_PLAIN;
    compose_function(&w->composer, f);
    put_parameters(w, r, count, ints != UINT32_MAX);
}

/* Describes function `index`, which begins at code offset `at`. */
static bool put_function(struct small_teller *s, uint32_t index, uint64_t at)
{
    struct walk *const w = s->w;
    struct composer *const c = &w->composer;
    const struct plan_library *const row = w->l->row;
    const uint32_t size = row->small.size[index];
    struct debug_function f = {
        .offset = at,
        .size = size,
        .line = w->line_number,
        .column = 15,
        .kind = FUNCTION_PLAIN,
        .declared = COMPOSE_UNKNOWN,
        .result = BASE_UNSIGNED_LONG,
    };
    if (!compose_reserve(c, COMPOSE_FUNCTION_MOST + PARAMETERS_ROOM * COMPOSE_CHILD_MOST, 0, 0,
                         SMALL_ROWS * LINE_ROW_MOST) ||
        (c->adjoins && !compose_part(c, at, SMALL_ROWS * LINE_ROW_MOST)))
        return false;
    if (small_is_member(w, index))
        member_define(w, (const struct member *)(const void *)s->members.data + s->member++, &f);
    else
        put_plain(s, index, &f);
    struct line_rows *const rows = c->adjoins ? &c->part : &c->rows;
    line_row(rows, at, w->line_number);
    if (size > 1) /* `ret` is one byte; methods end in a jump */
        line_row(rows, small_is_method(row, index) ? at : at + size - 1, w->line_number + 1);
    if (c->adjoins)
        compose_part_end(c, at + size);
    w->line_number += LINES_EACH;
    describe_end(w, at + size);
    return true;
}

/* Declares the members among the functions that the open unit has: up to `until` in all, from `index` on, before which
 * `number` could be described. */
static bool declare_members(struct small_teller *s, uint32_t index, uint32_t number, uint64_t until)
{
    struct walk *const w = s->w;
    struct debug *const d = &w->l->debug;
    const struct plan_library *const row = w->l->row;
    s->members.size = s->member = 0;
    for (uint64_t count = s->count; count < until && index < row->small.exported; index++) {
        if (!small_is_told(&s->told, index, &number))
            continue;
        count++;
        if (!small_is_member(w, index))
            continue;
        const struct member m = {.linkage = (uint32_t)(d->names_size + d->statics.size)};
        uint8_t *const at = bytes_reserve(&d->statics, small_told_length(&s->told, index) + UINT64_C(1));
        if (!at)
            return false;
        bytes_keep(&d->statics, names_row_write_other(row, index, at));
        bytes_append(&s->members, &m, sizeof m);
    }
    return !s->members.failed && members_declare(w, &s->members);
}

/* Opens the unit of function `index`, which begins at code offset `at` and before which `number` could be described. */
static bool open_unit(struct small_teller *s, uint32_t index, uint32_t number, uint64_t at)
{
    struct walk *const w = s->w;
    const struct small_told *const t = &s->told;
    struct composer *const c = &w->composer;
    if (t->units && c->unit && s->count >= (uint64_t)t->count * w->units / t->units)
        describe_unit_end(w);
    if (c->unit)
        return true;
    if (!(t->units ? describe_unit(w, at) : describe_unit_shared(w, library_first_described(w->l))))
        return false;
    if (!t->units)
        compose_part_adjoins(c);
    const uint64_t until = t->units ? (uint64_t)t->count * w->units / t->units : t->count;
    return declare_members(s, index, number, until > s->count ? until : s->count + UINT64_C(1));
}

/* Describes the next function, if it is one of those. */
static bool describe_next(struct small_teller *s)
{
    const int64_t at = small_walk_next(s->w->l, &s->walk);
    const uint32_t index = s->index++;
    const uint32_t number = s->number;
    if (!small_is_told(&s->told, index, &s->number))
        return true;
    if (!open_unit(s, index, number, (uint64_t)at))
        return false;
    s->count++;
    return put_function(s, index, (uint64_t)at);
}

bool small_describe(struct walk *w)
{
    struct small_teller s = {.w = w, .told = small_choose(w), .walk = small_walk(w->l, 0)};
    const struct small_told *const t = &s.told;
    bool done = !t->lengths.failed && small_names_shared(w->l->row, &s.shared);
    s.parameters = t->count ? parameters_most(w, t->count + UINT64_C(1) * w->l->described) : 0;
    while (done && s.count < t->count)
        done = describe_next(&s);
    if (done && t->units)
        describe_unit_end(w);
    else if (done && w->composer.unit)
        compose_part_ends(&w->composer);
    w->rows_before = w->composer.rows.count;
    w->defined_before = w->composer.out->defined;
    bytes_free(&s.told.lengths);
    bytes_free(&s.members);
    bytes_free(&s.shared);
    return done;
}
