/* Walks over a library's code and composes what there is to say; see describe.h. */
#include "emit/describe_parts.h"

#include <assert.h>
#include <string.h>

enum {
    GLUE_PARAMETERS = 2,
    GLUE_PARAMETER_PLACE = -24,
    GLUE_SPILLED = 12, /* bytes of code up to where the first is spilled, */
    GLUE_SPILL = 4,    /* and up to where the next is */
    OBJECTS = 2,
    LABELS_MOST = 2,
    LINES_BETWEEN = 8, /* most from the last call of a function to the next function */
};

enum base_type describe_type(enum argument_type type)
{
    static const uint8_t types[ARGUMENT_TYPES] = {
        [TYPE_INT] = BASE_INT,       [TYPE_LONG] = BASE_LONG,     [TYPE_FLOAT] = BASE_FLOAT,
        [TYPE_DOUBLE] = BASE_DOUBLE, [TYPE_STRING] = BASE_STRING,
    };
    return types[type];
}

static void close_unit(struct walk *w)
{
    if (!w->composer.unit)
        return;
    compose_unit_end(&w->composer, w->end);
    if (w->l->watch)
        w->l->watch->unit(w->l->watch);
}

/* Whether no function that begins up to `lines` further on is taken into the unit. */
static bool unit_is_full(const struct walk *w, uint32_t lines)
{
    return !w->unit_rest || w->line_number + lines > DEBUG_LINE_MOST - 4096;
}

static bool open_unit(struct walk *w, uint64_t offset)
{
    const struct library *l = w->l;
    uint64_t average = (uint64_t)plan_units(l->plan, l->row);
    uint64_t r = random_at(plan_key(l->row, PURPOSE_UNITS), w->units);
    w->unit_rest = (uint32_t)(average / 2 + random_below(r, average + 1));
    if (l->row->units) { /* as many as it says, of about one size */
        const uint64_t all = l->row->functions + (uint64_t)l->shape.glue;
        const uint64_t unit = w->units < l->row->units ? w->units : l->row->units - 1;
        w->unit_rest = (uint32_t)(all * (unit + 1) / l->row->units - all * unit / l->row->units);
    }
    if (!w->unit_rest)
        w->unit_rest = 1;
    w->line_number = DEBUG_LINE_FIRST + (uint32_t)(r & 63);
    w->ahead = 0;
    for (unsigned i = 0; i < SHAPE_HELPERS; i++)
        w->helper[i] = COMPOSE_UNKNOWN;
    l->debug.unit[w->units] = (struct debug_unit){0};
    return compose_unit(&w->composer, &l->debug.unit[w->units++], offset);
}

/* The entry of a helper in this unit: where it is called first, it is declared. */
static void declare_helper(struct walk *w, uint32_t number)
{
    static const uint8_t types[] = {BASE_LONG, BASE_LONG};
    if (w->helper[number] == COMPOSE_UNKNOWN)
        w->helper[number] =
            compose_declaration(&w->composer, w->helper_name[number], DEBUG_LINE_FIRST + number, 2, types);
}

/* Bytes that are reserved for a function. */
struct room {
    uint64_t info, lists, ranges, rows;
    uint64_t lines; /* of the source, at most */
};

/* Appends a name to the library's own; returns its offset. */
static uint32_t static_name(struct library *l, const char *prefix, const char *suffix)
{
    struct debug *d = &l->debug;
    size_t name = bytes_append(&d->statics, prefix, strlen(prefix));
    bytes_append(&d->statics, suffix, strlen(suffix) + 1);
    return (uint32_t)(d->names_size + name);
}

/* What the first unit defines besides functions: the marks of visits and what the
 * statements write to. The lines are those of emit/source.c. */
static void describe_objects(struct walk *w)
{
    struct library *l = w->l;
    const struct debug_object objects[OBJECTS] = {
        {.name = static_name(l, l->shape.marks_exported ? l->row->name : plan_prefix(l->row), "_visits"),
         .line = 6,
         .column = 22,
         .type = BASE_UNSIGNED_CHAR,
         .count = l->shape.marks,
         .address = l->code.marks,
         .external = l->shape.marks_exported},
        {.name = static_name(l, plan_prefix(l->row), "_scratch"),
         .line = 8,
         .column = 13,
         .type = BASE_LONG,
         .count = l->row->level < LEVEL_BARE ? l->code.scratch_words : 0,
         .address = l->code.scratch},
    };
    for (unsigned i = 0; i < OBJECTS; i++)
        if (objects[i].count)
            compose_object(&w->composer, &objects[i]);
    w->has_objects = true;
}

/* Makes room for a function, in a unit that has some for it. */
static bool begin_function(struct walk *w, uint64_t offset, const struct room *room)
{
    if (w->composer.unit && unit_is_full(w, 0))
        close_unit(w);
    if (!w->composer.unit && !open_unit(w, offset))
        return false;
    w->unit_rest--;
    bool first = !w->has_objects;
    uint64_t objects = first ? OBJECTS * COMPOSE_OBJECT_MOST : 0;
    if (!compose_reserve(&w->composer, room->info + objects, room->lists, room->ranges, room->rows))
        return false;
    if (first)
        describe_objects(w);
    return true;
}

static void end_function(struct walk *w, uint64_t end)
{
    compose_function_end(&w->composer);
    compose_keep(&w->composer);
    w->end = end;
}

/* A parameter that is in a register until it is spilled to a place where it stays. */
struct spill {
    uint64_t start, spilled, end;
    uint32_t reg; /* DWARF's number */
    int32_t place;
};

/* Debuggers stop where a function begins if any variable of its unit has a list (gdb's COMPUNIT_LOCATIONS_VALID): there
 * nothing is spilled yet. */
static void describe_spilled(struct walk *w, const struct debug_variable *v, const struct spill *s)
{
    struct composer *c = &w->composer;
    compose_list_begin(c, s->start);
    compose_list_register(c, s->start, s->spilled, s->reg);
    compose_list_frame(c, s->spilled, s->end, s->place);
    compose_parameter_list(c, v, compose_list_end(c));
}

/* --- glue --------------------------------------------------------------------------- */

static const char *const helper_suffixes[SHAPE_HELPERS] = {"_helper0", "_helper1", "_helper2", "_helper3"};

/* Names in the order of the name block (symbols.c): numbered functions, entry,
 * extern, PyInit. */
static uint32_t glue_name(struct library *l, enum glue_function which)
{
    uint64_t stem = strlen(l->row->name);
    uint64_t entry = l->row->function_names;
    uint64_t own_extern = entry + strlen(l->shape.entry) + 1;
    switch (which) {
    case GLUE_METHOD:
        return static_name(l, plan_prefix(l->row), "_method");
    case GLUE_VISITED:
        return static_name(l, plan_prefix(l->row), "_visited");
    case GLUE_ENTRY:
    case GLUE_START: /* the other is not there */
        return (uint32_t)entry;
    case GLUE_EXTERN:
        return (uint32_t)own_extern;
    case GLUE_PYINIT:
        return (uint32_t)(own_extern + (l->shape.has_extern ? stem + sizeof "_extern" : 0));
    default:
        return static_name(l, plan_prefix(l->row), helper_suffixes[which - GLUE_HELPER]);
    }
}

/* Whether what is wanted of lists is told of this function, as there are none with a number. */
static bool has_last_lists(const struct walk *w, enum glue_function which)
{
    return which == GLUE_METHOD && !w->l->row->functions;
}

/* Of locals that hold what the parameters do. */
static void glue_lists(struct walk *w, uint64_t start, uint64_t end)
{
    struct subject s = {.line = w->line_number, .name = w->l->row->number + 1, .step = 1};
    const uint64_t spilled = start + GLUE_SPILLED;
    const uint64_t border[] = {spilled, spilled + GLUE_SPILL, end};
    const int32_t place[] = {GLUE_PARAMETER_PLACE, GLUE_PARAMETER_PLACE - 8};
    tune_lists(w, &s, border, sizeof border / sizeof border[0], place);
}

/* Parameters that are told where so little is left for lists that each has one with an entry; 0: all. */
static uint32_t brief_lists(const struct walk *w, enum glue_function which)
{
    enum { BRIEF = 8 }; /* bytes of such a list, in version 5 */
    const uint64_t left = has_last_lists(w, which) ? tune_lists_left(w) : 0;
    return left % BRIEF == 0 && left / BRIEF <= GLUE_PARAMETERS ? (uint32_t)(left / BRIEF) : 0;
}

/* A parameter that is in a register; what comes then is not told. */
static void describe_register(struct walk *w, const struct debug_variable *v, const struct spill *s)
{
    struct composer *c = &w->composer;
    compose_list_begin(c, s->start);
    compose_list_register(c, s->start, s->spilled, s->reg);
    compose_parameter_list(c, v, compose_list_end(c));
}

/* Self and args, or two numbers. */
static void glue_parameters(struct walk *w, enum glue_function which, uint64_t start, uint64_t end)
{
    static const uint8_t registers[GLUE_PARAMETERS] = {REGISTER_RDI, REGISTER_RSI};
    const bool lists = detail_has_lists(w, end);
    const uint32_t brief = brief_lists(w, which);
    const uint32_t count = brief ? brief : GLUE_PARAMETERS;
    for (uint32_t j = 0; j < count; j++) {
        const struct debug_variable v = {
            .name = w->corpus->name[(w->l->row->number + 17 * j) % CORPUS_NAMES],
            .line = w->line_number,
            .column = 25 + 20 * j,
            .type = which < GLUE_ENTRY ? BASE_POINTER : BASE_LONG,
        };
        const struct spill s = {
            .start = start,
            .spilled = start + GLUE_SPILLED + GLUE_SPILL * j,
            .end = end,
            .reg = registers[j],
            .place = GLUE_PARAMETER_PLACE - 8 * (int32_t)j,
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

static bool describe_glue(struct walk *w, enum glue_function which)
{
    struct library *l = w->l;
    const struct glue_place *place = &l->glue.place[which];
    struct composer *c = &w->composer;
    if (!place->size)
        return true;
    const uint64_t besides = has_last_lists(w, which) ? tune_room(w) : 0;
    const struct room room = {.info = 4 * COMPOSE_CHILD_MOST + besides,
                              .lists = GLUE_PARAMETERS * (COMPOSE_LIST_MOST + 2 * COMPOSE_ENTRY_MOST) + besides,
                              .rows = glue_rows_most(&l->code)};
    if (!begin_function(w, place->offset, &room))
        return false;
    bool is_static = which == GLUE_METHOD || which == GLUE_VISITED;
    bool is_helper = which >= GLUE_HELPER && which < GLUE_HELPER + SHAPE_HELPERS;
    bool has_parameters = is_static || is_helper;
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
    end_function(w, end);
    return true;
}

/* --- numbered functions ------------------------------------------------------------- */

static void describe_parameters(struct walk *w, struct subject *s)
{
    struct composer *c = &w->composer;
    for (uint32_t j = 0; j < s->f->count; j++) {
        const struct code_parameter *p = &s->parameter[j];
        int32_t place = CODE_PARAMETER_PLACE - 8 * (int32_t)j;
        const struct debug_variable v = {
            .name = subject_name(w, s),
            .line = s->line,
            .column = 24 + 18 * j + (uint32_t)(s->f->hash >> 52 & 15),
            .type = describe_type(s->f->type[j]),
        };
        if (s->lists == SUBJECT_LISTS_NONE) {
            compose_parameter(c, &v, place);
            continue;
        }
        if (s->lists == SUBJECT_LISTS_SPILLED || !p->used) {
            const struct spill spill = {s->start, s->start + p->spilled, s->end, p->reg, place};
            describe_spilled(w, &v, &spill);
            continue;
        }
        compose_list_begin(c, s->start);
        compose_list_register(c, s->start, s->start + p->spilled, p->reg);
        compose_list_frame(c, s->start + p->spilled, s->start + p->loaded, place);
        compose_list_register(c, s->start + p->loaded, s->start + p->used, 0);
        compose_list_frame(c, s->start + p->used, s->end, place);
        compose_parameter_list(c, &v, compose_list_end(c));
    }
}

static void describe_locals(struct walk *w, struct subject *s, uint64_t pieces_at)
{
    struct composer *c = &w->composer;
    const bool is_cpp = w->corpus->dialect.language == DWARF_CPP; /* more is in inlined functions */
    const uint32_t most = is_cpp ? FILLER_SLOTS / 2 : (FILLER_SLOTS - 1) * w->corpus->manner.own / MANNER_USUAL;
    const uint32_t count = (uint32_t)(s->f->hash >> 40) % most;
    if (s->level == SUBJECT_LEAN || (s->level == SUBJECT_PLAIN && detail_info_ahead(w, s)))
        return;
    for (uint32_t slot = 0; slot < count; slot++) {
        /* some are told to be there all the time, in C++ fewer */
        bool stays = is_cpp ? slot < 2 : slot % 3 != 0;
        const struct debug_variable v = {
            .name = subject_name(w, s), .line = s->line + 1, .column = 10, .type = slot & 1 ? BASE_DOUBLE : BASE_LONG};
        if (s->lists != SUBJECT_LISTS_ALL || stays) {
            compose_local(c, &v, code_slot_place(slot));
            continue;
        }
        /* there is nothing in it before the statements */
        compose_list_begin(c, s->start);
        compose_list_frame(c, pieces_at, s->end, code_slot_place(slot));
        compose_local_list(c, &v, compose_list_end(c));
    }
}

static inline void row(struct walk *w, uint64_t at)
{
    w->line_number++;
    if (plain_is_told(w))
        plain_row(w, at, w->line_number, plain_column(w->line_number));
    else
        line_row(&w->composer.rows, at, w->line_number);
}

/* A row for an instruction within a statement. */
static inline void inner_row(struct walk *w, uint64_t at, uint32_t column)
{
    if (!plain_is_told(w))
        line_inner(&w->composer.rows, at, column);
    else if (plain_has_row(w, at))
        plain_row(w, at, w->line_number, column);
}

/* Of a hundred functions in C some 24 have a label before they return and 12 one further up. */
static void choose_labels(const struct walk *w, struct subject *s)
{
    enum { LAST = 16, ABOVE = 8, OF = 64 };
    const uint64_t r = random_at(s->f->hash, UINT64_C(0x6c6162656c));
    s->label = s->last_label = NO_LABEL;
    const bool are_told = w->corpus->dialect.language == DWARF_C && w->corpus->manner.labels;
    if (!are_told || s->level != SUBJECT_RICH) /* others' lines may be any */
        return;
    if (r % OF < LAST)
        s->last_label = random_below(r << 8, CORPUS_LABELS / 2);
    if (r / OF % OF >= ABOVE || !s->body->pieces)
        return;
    s->label_piece = random_below(r << 24, s->body->pieces);
    const struct piece *piece = &s->body->piece[s->label_piece];
    if (piece->kind != PIECE_RUN || w->filler->statement[piece->first]) /* a row of a statement is there */
        s->label = CORPUS_LABELS / 2 + random_below(r << 40, CORPUS_LABELS / 2);
}

/* In the line that has the next row, where the walk is. */
static void describe_label(struct walk *w, const struct subject *s, uint32_t label, uint32_t line)
{
    compose_label(&w->composer, w->corpus->label[label], line, s->at);
}

/* Its rows, of which no other piece of code has any at the same place. */
static void describe_plain_piece(struct walk *w, struct subject *s, const struct piece *piece)
{
    more_rows(w, s, s->at, 0);
    if (piece->kind == PIECE_BLOCK) {
        const struct block *block = &w->l->stock->blocks.block[piece->first];
        plain_block(w, s, block);
        w->line_number += block->lines;
    } else if (piece->kind == PIECE_RUN) {
        plain_run(w, s, piece->first, piece->last);
        w->line_number += filler_lines(w->filler, piece->first, piece->last);
    } else {
        plain_row(w, s->at, w->line_number, plain_column(w->line_number));
    }
}

static void describe_pieces(struct walk *w, struct subject *s)
{
    const struct blocks *blocks = &w->l->stock->blocks;
    const bool plain = plain_is_told(w);
    for (uint32_t i = 0; i < s->body->pieces; i++) {
        const struct piece *piece = &s->body->piece[i];
        w->line_number++;
        if (s->label != NO_LABEL && i == s->label_piece)
            describe_label(w, s, s->label, w->line_number);
        if (plain) {
            describe_plain_piece(w, s, piece);
        } else if (piece->kind == PIECE_BLOCK) {
            const struct block *block = &blocks->block[piece->first];
            if (s->level == SUBJECT_RICH) {
                const struct stamp *stamp = detail_stamp(w, s, block);
                stamp_put_entries(&w->composer, &blocks->store, stamp, s->at, w->line_number, s->name + i, w->helper);
            }
            const struct stamp_rows *rows = detail_rows(w, s, block);
            const bool any = w->goal->rows_part == DESCRIBE_ROWS_ANY;
            more_rows(w, s, s->at + block->size, any ? block->rows_size[BLOCK_ROWS - 1] : rows->size);
            stamp_put_rows(&w->composer, &blocks->store, rows, s->at, w->line_number);
            w->line_number += block->lines;
            w->ahead = w->line_number + rows->ahead;
        } else if (piece->kind == PIECE_RUN) {
            const uint64_t end = s->at + code_piece_size(&w->l->code, piece);
            const bool sparse = more_rows_ahead(w, end);
            if (!sparse)
                more_rows(w, s, end, UINT64_C(2) * (end - s->at));
            if (sparse)
                line_row(&w->composer.rows, s->at, w->line_number);
            else
                filler_rows(w->filler, piece->first, piece->last, s->at, w->line_number, false, &w->composer.rows);
            w->line_number = w->composer.rows.line;
        } else {
            line_row(&w->composer.rows, s->at, w->line_number);
        }
        s->at += code_piece_size(&w->l->code, piece);
    }
}

/* Integers and addresses that a call passes, by register (psABI 3.2.3). */
static void describe_passed(struct walk *w, const struct code_call_site *site)
{
    uint8_t reg[ARGUMENTS_MOST];
    const struct code *code = &w->l->code;
    uint64_t values = call_values(site->callee->hash, site->caller);
    code_registers(site->callee, reg);
    for (uint32_t j = 0; j < site->callee->count; j++) {
        uint32_t v = call_value(values, j);
        if (site->callee->type[j] == TYPE_INT || site->callee->type[j] == TYPE_LONG)
            compose_call_constant(&w->composer, reg[j], call_integer(site->callee->type[j], v));
        else if (site->callee->type[j] == TYPE_STRING)
            compose_call_address(&w->composer, reg[j], code->text_constant[call_constant(v)]);
    }
}

static bool passes_integers(const struct function *f)
{
    for (uint32_t j = 0; j < f->count; j++)
        if (f->type[j] != TYPE_FLOAT && f->type[j] != TYPE_DOUBLE)
            return true;
    return false;
}

static void describe_calls(struct walk *w, struct subject *s)
{
    struct code_call_site site = {.last = false};
    for (uint32_t t = 0; !site.last; t++) {
        if (!code_call_site(&w->l->code, s->index, s->f, t, &site))
            continue;
        row(w, s->at);
        s->at += code_before_call(&site) + code_pass_size(site.callee) + CODE_CALL;
        /* the result is added behind the call, in four bytes */
        const uint64_t returns = s->at - 4;
        s->at += code_behind_call(&site);
        inner_row(w, returns - (CODE_CALL - 4), 12);
        inner_row(w, returns, 9);
        if (s->level != SUBJECT_RICH)
            continue;
        bool passes = passes_integers(site.callee);
        uint32_t origin = site.next && !unit_is_full(w, LINES_BETWEEN) ? COMPOSE_NEXT : COMPOSE_UNKNOWN;
        uint8_t *const begin = w->composer.info;
        uint8_t *const sibling = compose_call(&w->composer, returns, origin, passes);
        if (!passes)
            continue;
        describe_passed(w, &site);
        compose_end_child(&w->composer, begin, sibling);
    }
}

/* The rows of prologue, mark, own number and mix; returns where the pieces begin. What describe_parameters wants to
 * know is then known. */
static uint64_t describe_beginning(struct walk *w, struct subject *s)
{
    struct line_rows *rows = &w->composer.rows;
    uint64_t at = s->start + code_parameters(s->f, s->parameter);
    line_row(rows, s->start, w->line_number);
    rows->p = put_u8(rows->p, DW_LNS_set_prologue_end);
    row(w, at);
    at += CODE_MARK;
    if (s->level != SUBJECT_LEAN) {
        row(w, at);
        inner_row(w, at + CODE_OWN - 4, 12);
    }
    at += CODE_OWN;
    for (uint32_t j = 0; j < s->f->count; j++) {
        uint32_t size = code_mix_size(s->f, j);
        if (s->level != SUBJECT_LEAN && (!plain_is_told(w) || plain_has_row(w, at))) { /* load, multiply, add */
            row(w, at);
            inner_row(w, at + size - 11, 20);
            inner_row(w, at + size - 4, 9);
        }
        at += size;
    }
    return at;
}

/* What a function takes at most, with `calls` calls at its end. */
static struct room room_for(const struct walk *w, const struct body *b, uint64_t calls)
{
    const struct blocks *blocks = &w->l->stock->blocks;
    uint64_t entries = 4 * ARGUMENTS_MOST + FILLER_SLOTS;
    struct room room = {
        .info = COMPOSE_FUNCTION_MOST +
                COMPOSE_CHILD_MOST * (SHAPE_HELPERS + ARGUMENTS_MOST + FILLER_SLOTS + LABELS_MOST + 7 * calls),
        .lists = entries * COMPOSE_ENTRY_MOST + (ARGUMENTS_MOST + FILLER_SLOTS) * COMPOSE_LIST_MOST,
        .rows = LINE_ROW_MOST * (UINT64_C(24) + 3 * calls) + UINT64_C(8) * (FILLER_GAP_MOST + BLOCK_LEAST),
    };
    room.lines = UINT64_C(16) + FILLER_GAP_MOST + ARGUMENTS_MOST + calls;
    for (uint32_t i = 0; i < b->pieces; i++) {
        room.rows += LINE_ROW_MOST;
        room.lines++;
        if (b->piece[i].kind == PIECE_RUN && w->l->row->level == LEVEL_BARE) { /* without blocks, runs may be long */
            room.rows += filler_rows_size(w->filler, b->piece[i].first, b->piece[i].last);
            room.lines += filler_lines(w->filler, b->piece[i].first, b->piece[i].last);
        }
        if (b->piece[i].kind == PIECE_BLOCK) {
            const struct block *block = &blocks->block[b->piece[i].first];
            room.info += block->info_most;
            room.lists += block->lists_most;
            room.ranges += block->ranges_most;
            room.rows += block->rows_size[BLOCK_ROWS - 1];
            room.lines += block->lines;
        }
    }
    return room;
}

/* Declares the helpers that the function's blocks call. */
static void declare_helpers(struct walk *w, const struct body *b)
{
    const struct blocks *blocks = &w->l->stock->blocks;
    uint32_t called = 0;
    for (uint32_t i = 0; i < b->pieces; i++)
        if (b->piece[i].kind == PIECE_BLOCK)
            called |= blocks->block[b->piece[i].first].helpers;
    for (unsigned i = 0; i < SHAPE_HELPERS; i++)
        if (called >> i & 1)
            declare_helper(w, i);
}

static bool describe_function(struct walk *w, uint32_t index)
{
    struct library *l = w->l;
    const struct body *b = &l->body[index];
    detail_fetch(w, index);
    struct code_parameter parameter[ARGUMENTS_MOST];
    struct subject s = {
        .body = b, .parameter = parameter, .index = index, .start = b->offset, .end = b->offset + (uint64_t)b->size};
    s.f = &l->code.own[index];
    s.name = (uint32_t)(s.f->hash >> 32);
    s.step = (uint32_t)(s.f->hash >> 16) | 1;
    if (plain_is_told(w) && (s.f->hash >> 24 & UINT8_MAX) < l->row->alike) { /* variables are called alike too */
        s.name = 0;
        s.step = 1;
    }
    struct room room = room_for(w, b, (l->code.calls ? l->code.calls->per_function : 0) + UINT64_C(1));
    room.info += class_room(w) + plain_room(w);
    room.rows += plain_is_told(w) ? 4 * (uint64_t)b->size : 0; /* a row of instructions of two bytes and more */
    const struct more_room besides = more_room(w, s.end);
    room.info += besides.info;
    room.lists += besides.lists;
    room.ranges += besides.ranges;
    room.rows += besides.rows;
    if (index + 1 == l->row->functions) {
        room.info += tune_room(w);
        room.lists += tune_room(w);
        room.ranges += tune_room(w);
        room.rows += tune_room(w);
    }
    if (!begin_function(w, s.start, &room))
        return false;
    struct debug_function f = {.name = (uint32_t)w->name};
    class_declare(w, index, &f);
    s.line = w->line_number;
    detail_function(w, &s);
    w->inner_rows = 0;
    /* what is told of all calls must be told of each, in lines of two bytes */
    if (s.level == SUBJECT_RICH && w->line_number + room.lines > DEBUG_LINE_MOST) {
        s.level = SUBJECT_PLAIN;
        s.lists = s.lists == SUBJECT_LISTS_ALL ? SUBJECT_LISTS_SPILLED : s.lists;
    }
    f.offset = s.start;
    f.size = b->size;
    f.line = w->line_number;
    f.column = 15;
    f.kind = s.level == SUBJECT_RICH ? FUNCTION_RICH : FUNCTION_PLAIN;
    f.result = BASE_UNSIGNED_LONG;
    w->name += names_function(&l->plan->names, l->row, index, s.f) + UINT64_C(1);
    if (s.level == SUBJECT_RICH)
        declare_helpers(w, b);
    compose_function(&w->composer, &f);
    s.at = describe_beginning(w, &s);
    describe_parameters(w, &s);
    if (s.level != SUBJECT_LEAN && plain_is_told(w))
        plain_locals(w, &s);
    else
        describe_locals(w, &s, s.at);
    choose_labels(w, &s);
    if (s.level != SUBJECT_LEAN) {
        describe_pieces(w, &s);
        describe_calls(w, &s);
        row(w, s.at);
        if (s.last_label != NO_LABEL)
            describe_label(w, &s, s.last_label, w->line_number);
        assert(s.at + CODE_EPILOGUE == s.end);
    }
    more(w, &s, index + 1 == l->row->functions);
    w->line_number += 3 + (uint32_t)(s.f->hash >> 60 & 3);
    if (w->line_number <= w->ahead)
        w->line_number = w->ahead + 1;
    end_function(w, s.end);
    return true;
}

/* The last rows of a library of which there are no numbered functions. */
static bool end_glue(struct walk *w)
{
    if (w->l->row->functions || !w->composer.unit)
        return true;
    if (!compose_reserve(&w->composer, 0, 0, 0, tune_room(w)))
        return false;
    tune_rows(w, w->end);
    compose_keep(&w->composer);
    return true;
}

bool describe(struct library *l, enum describe_level level, const struct describe_goal *goal, struct composed *out,
              struct arena *arena)
{
    struct debug *d = &l->debug;
    uint64_t units = (uint64_t)l->row->functions + GLUE_COUNT + 1;
    struct walk w = {.l = l, .corpus = &l->stock->corpus, .filler = &l->stock->filler, .level = level, .goal = goal};
    w.is_plain = l->row->said && d->wanted[DEBUG_LISTS] == 0;
    w.composer = (struct composer){.corpus = w.corpus, .out = out, .text = l->code.text, .only_sizes = l->only_sizes};
    if (d->joined) {
        w.composer.lists_base = d->joined->base[DEBUG_LISTS];
        w.composer.ranges_base = d->joined->base[DEBUG_RANGES];
    }
    composed_clear(out);
    d->statics.size = 0;
    d->data_units = 0;
    d->unit = arena_take(arena, units * sizeof *d->unit); /* far more than there will be, which is not touched */
    if (!d->unit)
        return false;
    w.line_header = debug_line_header(d, 1, true);
    detail_start(&w);
    for (unsigned i = GLUE_PYINIT; i < GLUE_COUNT; i++)
        if (!describe_glue(&w, (enum glue_function)i))
            return false;
    for (uint32_t i = 0; i < l->row->functions; i++)
        if (!describe_function(&w, i))
            return false;
    if (!end_glue(&w))
        return false;
    close_unit(&w);
    d->unit_count = w.units;
    d->composed = out;
    return !composed_failed(out) && !d->statics.failed;
}
