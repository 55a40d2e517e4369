/* Describes small functions (small.h) of a library with a row, as C compilers do: each has an entry and two rows, and
 * parameters, which stay in their registers, because the code writes to no register but %rax.
 *
 * Their code is behind all other code. So of several units the first ones are theirs. A single unit has them behind its
 * other functions, with a second sequence of rows (compose_part_adjoins). They are described before anything else is:
 * then it is known what is left for that, and sections get their sizes all the same.
 *
 * Some are left out: cold parts, functions without a name and, but for lines alone, those whose names are mangled and
 * cannot be those of members (describe_members.c). */
#include <stdlib.h>
#include <string.h>

#include "emit/library/describe_parts.h"
#include "emit/library/small.h"
#include "emit/plan/methods.h"
#include "emit/plan/names_row.h"

enum {
    INFO_FUNCTION = 31,  /* bytes of a function's entry; */
    INFO_PARAMETERS = 5, /* the same, if it has parameters, are more by this */
    INFO_PARAMETER = 15, /* bytes of a parameter's entry */
    PARAMETERS_MOST = 3,
    PARAMETERS_ROOM = PARAMETERS_MOST > MEMBER_PARAMETERS_MOST ? (int)PARAMETERS_MOST : (int)MEMBER_PARAMETERS_MOST,
    ROWS_EACH = 2,     /* of a function, */
    ROWS_USUAL = 8,    /* and the bytes that they take, about */
    LINES_EACH = 3,    /* lines of the source from one to the next */
    PART = 4,          /* small functions may take one in so many bytes and rows, */
    PART_OF_NAMES = 7, /* and bytes of names, */
    PART_OF_SAID = 3,  /* or, in C++ and where it is known how many functions there are, so many of names; */
    PART_OF_LINES = 3, /* the same of all, with lines alone */
    UNIT_MOST = 12000, /* functions of a unit: lines take two bytes */
};

#define RESOLVER_ENDING "_ifunc" /* as the C library's resolvers are called, whose symbols have other names */

/* Which of local small functions and static objects has the name of a local function. */
static uint32_t object_of(const struct plan_library *row, uint32_t index)
{
    return names_row_object_named(row, index - row->small.exported);
}

/* Whether the name of the function's symbol is mangled. One that ends in another name is not. */
static bool is_mangled(const struct plan_library *row, uint32_t index)
{
    const uint32_t exported = row->small.exported;
    const uint32_t place = row->exported + index;
    return index < exported ? place < row->names.mangled && names_row_end_of(row, place) == NAMES_ROW_NONE
                            : names_row_object_is_mangled(row, object_of(row, index));
}

/* How many names are those of several functions or objects. */
static uint32_t shared_names(const struct plan_library *row)
{
    return row->names.shared ? names_row_objects_named(row) - row->names.shared_first : 0;
}

/* Whether the function has one of these. */
static bool is_shared(const struct plan_library *row, uint32_t index)
{
    return index >= row->small.exported && row->names.shared && object_of(row, index) >= row->names.shared_first;
}

static bool is_resolver(const struct library *l, uint32_t index)
{
    return resolvers_has(&l->shape.resolvers, index);
}

static bool is_method(const struct plan_library *row, uint32_t index)
{
    return index + methods_functions(row) >= row->small.count;
}

/* Whether a dynamic function is described as a function of a namespace or class. */
static bool is_member(const struct walk *w, uint32_t index)
{
    return index < w->l->row->small.exported && is_mangled(w->l->row, index) && !lines_are_told(w);
}

/* The small functions that are described: `count` of `all` that could be, evenly spread. */
struct told {
    struct bytes
        lengths; /* for each function the characters of its symbol's name, 16 bits; 0: it cannot be described */
    uint32_t all, count;
    uint64_t code;        /* bytes that the `all` take, */
    uint64_t info, names; /* and bytes of entries and of names, about */
    uint32_t units;       /* count_units */
};

static uint32_t told_length(const struct told *t, uint32_t index)
{
    uint16_t length;
    memcpy(&length, t->lengths.data + index * sizeof length, sizeof length);
    return length;
}

/* Adds to t->info and t->names what function `index` takes, whose symbol's name has `length` characters. False where it
 * cannot be described. */
static bool add_function(const struct walk *w, uint32_t index, uint32_t length, struct told *t)
{
    enum { INFO = INFO_FUNCTION + INFO_PARAMETERS + INFO_PARAMETER * PARAMETERS_MOST / 2 };
    char name[PROFILE_NAME_MOST + 1];
    uint64_t info = lines_are_told(w) ? INFO_FUNCTION : INFO;
    uint64_t words = 0;
    if (is_member(w, index)) {
        names_row_write_other(w->l->row, index, (uint8_t *)name);
        if (w->corpus->dialect.language != DWARF_CPP || !member_can_be(name, &info, &words))
            return false;
    }
    t->info += info;
    t->names += length + UINT64_C(1) + words;
    return true;
}

/* Characters of the name that function `index` is described by. */
static uint32_t name_length(const struct library *l, uint32_t index)
{
    const struct plan_library *const row = l->row;
    const uint32_t ending = is_resolver(l, index) ? sizeof RESOLVER_ENDING - 1 : 0;
    return ending + (index < row->small.exported ? names_row_other_length(row, index)
                                                 : names_row_object_length(row, object_of(row, index)));
}

/* Notes whether function `index` can be described. */
static void note_function(const struct walk *w, uint32_t index, struct told *t)
{
    const struct library *const l = w->l;
    const struct plan_library *const row = l->row;
    const bool exported = index < row->small.exported;
    const bool is_named_oddly =
        is_resolver(l, index) || (exported ? is_method(row, index) : is_shared(row, index) && lines_are_told(w));
    const bool can_be = row->small.size[index] && !plan_is_packed(row, index) && (exported || !row->stripped) &&
                        !(is_named_oddly && is_mangled(row, index));
    uint32_t length = can_be ? name_length(l, index) : 0;
    if (length && !add_function(w, index, length, t))
        length = 0;
    bytes_u16(&t->lengths, (uint16_t)length);
    t->all += length != 0;
    t->code += length ? plan_small_place(row, index) : 0;
}

/* The last of the words that a mangled name consists of: "FieldCurve" of _ZN2m37LineMap10FieldCurveEv. Sets its
 * length. */
static const char *last_word(const char *name, uint32_t *length)
{
    name += sizeof "_Z" - 1;
    name += *name == 'N' || *name == 'L';
    const char *word = name;
    *length = 0;
    while (*name >= '0' && *name <= '9') {
        char *end;
        *length = (uint32_t)strtoul(name, &end, 10);
        word = end;
        name = word + *length;
    }
    return word;
}

/* The parameters that a mangled name says a local function has, whose words end at `end`: `int`s. */
static uint32_t count_ints(const char *end)
{
    return *end == 'i' ? 2 : 0;
}

/* Appends the name of the function's symbol to the library's own and, where that is mangled, its last word. Without
 * lines alone it is this word, and *ints is set to how many parameters the symbol's name says that the function has. */
static void put_name(struct walk *w, uint32_t index, uint32_t length, struct debug_function *f, uint32_t *ints)
{
    struct library *const l = w->l;
    struct bytes *const names = &l->debug.statics;
    const size_t own = names->size;
    uint8_t *const at = bytes_reserve(names, 2 * (length + UINT64_C(1)));
    f->name = f->method = (uint32_t)(l->debug.names_size + own);
    if (!at)
        return; /* `failed` tells */
    uint8_t *end = index < l->row->small.exported ? names_row_write_other(l->row, index, at)
                                                  : names_row_write_object(l->row, object_of(l->row, index), at);
    if (is_resolver(l, index))
        end = put_bytes(end - 1, RESOLVER_ENDING, sizeof RESOLVER_ENDING);
    uint32_t characters;
    const char *const word = is_mangled(l->row, index) ? last_word((const char *)at, &characters) : NULL;
    f->is_linked = word && lines_are_told(w);
    if (!word || f->is_linked)
        bytes_keep(names, end);
    if (!word)
        return;
    *ints = count_ints(word + characters);
    f->method = (uint32_t)(l->debug.names_size + names->size);
    memmove(names->data + names->size, word, characters);
    names->data[names->size + characters] = '\0';
    bytes_keep(names, names->data + names->size + characters + 1);
}

/* How many parameters a function has at most: about as many entries as other functions have on average. */
static uint32_t parameters_most(const struct walk *w, uint64_t functions)
{
    const int64_t said = w->l->row->said->value[ROW_DWARF_DEFINED];
    const uint64_t each = said > 0 ? (uint64_t)said / functions : 1 + PARAMETERS_MOST;
    return each > PARAMETERS_MOST ? PARAMETERS_MOST : each ? (uint32_t)each - 1 : 0;
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
static uint64_t count_most(const struct walk *w, const struct told *t)
{
    const bool lines = lines_are_told(w); /* nothing but functions takes much then */
    const uint64_t part = lines ? PART_OF_LINES : PART;
    const struct corpus *const c = w->corpus;
    const bool is_said = c->dialect.language == DWARF_CPP || w->l->row->said->value[ROW_DWARF_FUNCTIONS] > 0;
    const uint64_t part_of_names = lines ? PART_OF_LINES : is_said ? PART_OF_SAID : PART_OF_NAMES;
    const uint64_t units = w->l->row->debug.units;
    const uint64_t names_of_others = w->l->debug.names_size + class_names_of_lines(w);
    const uint64_t others = c->common + c->header[0].cut[0].names + names_of_others;
    const double info = (double)t->info / t->all;
    const double names = (double)t->names / t->all;
    const uint64_t most[] = {
        (uint64_t)((double)(said_bytes(w, ROW_MIX_INFO, DEBUG_INFO, 0) / part) / info),
        said_bytes(w, ROW_MIX_LINE, DEBUG_LINE, units * w->line_header) / part / ROWS_USUAL,
        (uint64_t)((double)(said_bytes(w, ROW_MIX_STR, DEBUG_STR, others) / part_of_names) / names),
        w->goal->rows ? w->goal->rows / part / ROWS_EACH : UINT64_MAX,
        (units > 1 ? units - 1 : 1) * UNIT_MOST,
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

/* t->lengths has failed where memory ran out. */
static struct told choose(const struct walk *w)
{
    const struct library *const l = w->l;
    const uint32_t planned = count_planned(w);
    struct told t = {0};
    for (uint32_t i = 0; i < l->row->small.count && planned; i++)
        note_function(w, i, &t);
    const uint64_t most = t.all ? count_most(w, &t) : 0;
    t.count = planned < t.all ? planned : t.all;
    t.count = t.count < most ? t.count : (uint32_t)most;
    return t;
}

static bool is_told(const struct told *t, uint32_t number)
{
    return (number + UINT64_C(1)) * t->count / t->all > (uint64_t)number * t->count / t->all;
}

/* How many units are theirs: as many as their share of the code, but enough for their lines. 0: there is only one. */
static uint32_t count_units(const struct walk *w, const struct told *t)
{
    const uint64_t units = w->l->row->debug.units;
    const uint64_t code = t->code * t->count / t->all;
    const uint64_t all = code + library_function_at(w->l, w->l->row->functions);
    const uint64_t least = (t->count + UINT64_C(1) * UNIT_MOST - 1) / UNIT_MOST;
    const uint64_t share = (units * code + all / 2) / all;
    const uint64_t most = share > least ? share : least;
    return (uint32_t)(most < units ? most : units - 1);
}

static void put_parameters(struct walk *w, uint64_t r, uint32_t count, bool are_ints)
{
    static const uint8_t registers[PARAMETERS_MOST] = {REGISTER_RDI, REGISTER_RSI, REGISTER_RDX};
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
    struct told told;
    struct small_walk walk;
    uint32_t index;       /* the next function, */
    uint32_t number;      /* how many before it could be described, */
    uint32_t count;       /* and how many are */
    uint32_t parameters;  /* that a function has at most */
    struct bytes members; /* of the open unit: struct member */
    uint32_t member;      /* the next of them */
    struct bytes shared;  /* uint32_t: the names that several functions have, in .debug_str; 0: none yet */
};

/* The parameters that the mangled name of local function `index` says. */
static uint32_t ints_of(const struct plan_library *row, uint32_t index)
{
    char name[PROFILE_NAME_MOST + 1];
    uint32_t characters;
    names_row_write_object(row, object_of(row, index), (uint8_t *)name);
    const char *const word = last_word(name, &characters);
    return count_ints(word + characters);
}

/* Sets the name of function `index`, and *ints as put_name does. A name that it shares is there once. */
static void name_function(struct small_teller *s, uint32_t index, struct debug_function *f, uint32_t *ints)
{
    struct walk *const w = s->w;
    const struct plan_library *const row = w->l->row;
    uint8_t *const shared = is_shared(row, index)
                                ? s->shared.data + (object_of(row, index) - row->names.shared_first) * sizeof(uint32_t)
                                : NULL;
    uint32_t known = 0;
    if (shared)
        memcpy(&known, shared, sizeof known);
    if (!known) {
        put_name(w, index, told_length(&s->told, index), f, ints);
    } else {
        f->name = f->method = known;
        if (is_mangled(row, index))
            *ints = ints_of(row, index);
    }
    if (shared)
        put_u32(shared, f->name);
}

/* Sets what a function has that is no member, and composes its entry. */
static void put_plain(struct small_teller *s, uint32_t index, struct debug_function *f)
{
    enum { HIDDEN = 8 /* of so many local functions one is not static but hidden */ };
    struct walk *const w = s->w;
    const struct plan_library *const row = w->l->row;
    const uint64_t r = random_at(small_value(row, index), index);
    uint32_t ints = UINT32_MAX; /* the name does not say */
    name_function(s, index, f, &ints);
    /* methods change %rdi */
    const bool has_none = lines_are_told(w) || is_method(row, index) || is_resolver(w->l, index);
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
                         ROWS_EACH * LINE_ROW_MOST) ||
        (c->adjoins && !compose_part(c, at, ROWS_EACH * LINE_ROW_MOST)))
        return false;
    if (is_member(w, index))
        member_define(w, (const struct member *)(const void *)s->members.data + s->member++, &f);
    else
        put_plain(s, index, &f);
    struct line_rows *const rows = c->adjoins ? &c->part : &c->rows;
    line_row(rows, at, w->line_number);
    if (size > 1) /* `ret` is one byte; methods end in a jump */
        line_row(rows, is_method(row, index) ? at : at + size - 1, w->line_number + 1);
    if (c->adjoins)
        compose_part_end(c, at + size);
    w->line_number += LINES_EACH;
    describe_end(w, at + size);
    return true;
}

/* Whether function `index` is described; those before it have been asked for. */
static bool takes(const struct told *t, uint32_t index, uint32_t *number)
{
    return told_length(t, index) && is_told(t, (*number)++);
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
        if (!takes(&s->told, index, &number))
            continue;
        count++;
        if (!is_member(w, index))
            continue;
        const struct member m = {.linkage = (uint32_t)(d->names_size + d->statics.size)};
        uint8_t *const at = bytes_reserve(&d->statics, told_length(&s->told, index) + UINT64_C(1));
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
    const struct told *const t = &s->told;
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
    if (!takes(&s->told, index, &s->number))
        return true;
    if (!open_unit(s, index, number, (uint64_t)at))
        return false;
    s->count++;
    return put_function(s, index, (uint64_t)at);
}

bool small_describe(struct walk *w)
{
    struct small_teller s = {.w = w, .told = choose(w), .walk = small_walk(w->l, 0)};
    struct told *const t = &s.told;
    bytes_zeros(&s.shared, shared_names(w->l->row) * sizeof(uint32_t));
    bool done = !t->lengths.failed && !s.shared.failed;
    s.parameters = t->count ? parameters_most(w, t->count + UINT64_C(1) * w->l->described) : 0;
    t->units = t->count ? count_units(w, t) : 0;
    while (done && s.count < t->count)
        done = describe_next(&s);
    if (done && t->units)
        describe_unit_end(w);
    else if (done && w->composer.unit)
        compose_part_ends(&w->composer);
    w->rows_before = w->composer.rows.count;
    w->defined_before = w->composer.out->defined;
    bytes_free(&t->lengths);
    bytes_free(&s.members);
    bytes_free(&s.shared);
    return done;
}
