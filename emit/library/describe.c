/* Walks over a library's code in the order of the addresses and composes what debug information says about it; see
 * describe.h. */
#include "emit/library/describe_parts.h"

#include <assert.h>
#include <string.h>

enum {
    LABELS_MOST = 2,
    LINES_BETWEEN = 8, /* most lines from a function's last call to the next function */
    BESIDES_MOST = 24, /* bytes of a further local's entry */
    LATER_MOST = 4,    /* pairs of further entries in a parameter's list */
};

/* Up to where the function's variable number `number` is known: in its whole scope or, for so many of 64 variables in a
 * manner that has this, up to the end of one of the function's pieces, before which the walk is. */
static uint64_t known_until(const struct walk *w, const struct subject *s, uint32_t number, uint32_t of_64)
{
    enum { OF = 64 };
    const uint64_t r = random_at(s->f->hash, UINT64_C(0x6b6e6f77) + number);
    uint64_t until = s->at;
    const struct body *const b = s->body;
    if (!w->corpus->manner.partly || !b->pieces || s->part_end > s->part || random_below(r, OF) >= of_64)
        return s->end;
    for (uint32_t i = random_below(random_mix(r), b->pieces) + 1; i; i--)
        until += code_piece_size(&w->l->code, &b->piece[i - 1]);
    return until;
}

/* Adds the last entries of a parameter's list, from its last use on up to `until`. Where more entry values are due than
 * one, its place is told in between, over a piece each. */
static void describe_later(struct walk *w, const struct subject *s, const struct code_parameter *p, int32_t place,
                           uint64_t until)
{
    const struct body *const b = s->body;
    uint64_t from = s->start + p->used;
    uint64_t border = s->at;
    for (uint32_t i = 0; i < LATER_MOST && 2 * i + 1 < b->pieces && describe_is_held(w, p->reg, s->end, 1); i++) {
        const uint64_t piece = border + code_piece_size(&w->l->code, &b->piece[2 * i]);
        border = piece + code_piece_size(&w->l->code, &b->piece[2 * i + 1]);
        if (border >= until)
            break;
        compose_list_entry_value(&w->composer, from, piece, p->reg);
        compose_list_frame(&w->composer, piece, border, place);
        from = border;
    }
    describe_kept(w, from, until, p->reg, place, s->end, 0);
}

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
        const uint64_t until = known_until(w, s, j, BLOCK_PARTLY_PARAMETER);
        if (s->lists == SUBJECT_LISTS_SPILLED || !p->used) {
            const struct describe_spill spill = {s->start, s->start + p->spilled, until, s->part, s->part_end, p->reg,
                                                 place};
            describe_spilled(w, &v, &spill);
            continue;
        }
        compose_list_begin(c, s->start);
        compose_list_register(c, s->start, s->start + p->spilled, p->reg);
        describe_kept(w, s->start + p->spilled, s->start + p->loaded, p->reg, place, s->end, 1);
        compose_list_register(c, s->start + p->loaded, s->start + p->used, 0);
        describe_later(w, s, p, place, until);
        compose_list_elsewhere(c, s->part, s->part_end, place);
        compose_parameter_list(c, &v, compose_list_end(c));
    }
}

static void describe_locals(struct walk *w, struct subject *s, uint64_t pieces_at)
{
    struct composer *c = &w->composer;
    const bool is_cpp = w->corpus->dialect.language == DWARF_CPP; /* more is in inlined functions */
    const uint32_t most = is_cpp ? FILLER_SLOTS / 2 : (FILLER_SLOTS - 1) * w->corpus->manner.own / MANNER_USUAL;
    const bool needs_one = s->part_end > s->part && !s->f->count; /* entries of functions in two places have children */
    const uint32_t drawn = (uint32_t)(s->f->hash >> 40) % most;
    const uint32_t count = needs_one && !drawn ? 1 : drawn;
    if (s->level == SUBJECT_LEAN || (s->level == SUBJECT_PLAIN && detail_info_ahead(w, s) && !needs_one))
        return;
    for (uint32_t slot = 0; slot < count; slot++) {
        /* some are said to have one place all the time, in C++ fewer */
        bool stays = is_cpp ? slot < 2 : slot % 3 != 0;
        const struct debug_variable v = {
            .name = subject_name(w, s), .line = s->line + 1, .column = 10, .type = slot & 1 ? BASE_DOUBLE : BASE_LONG};
        if (s->lists != SUBJECT_LISTS_ALL || stays) {
            compose_local(c, &v, filler_slot_place(slot));
            continue;
        }
        /* the slot holds nothing before the statements */
        compose_list_begin(c, s->start);
        const uint64_t until = known_until(w, s, ARGUMENTS_MOST + slot, BLOCK_PARTLY_VARIABLE);
        compose_list_frame(c, pieces_at, until, filler_slot_place(slot));
        compose_local_list(c, &v, compose_list_end(c));
    }
}

/* How many of the further locals are in the functions before this one: they are spread evenly. */
static uint32_t besides_before(const struct walk *w, uint32_t index)
{
    const uint64_t besides = w->goal->besides;
    return besides ? (uint32_t)(besides * index / w->l->described) : 0;
}

/* Describes the function's further locals. In a library with location lists they are optimized away, except in C++,
 * where that is unusual. Elsewhere each is another name for a slot. */
static void describe_besides(struct walk *w, struct subject *s)
{
    static const uint8_t types[] = {BASE_INT, BASE_LONG, BASE_DOUBLE, BASE_UNSIGNED_LONG};
    struct subject other = *s; /* other variables keep their names, except those of one letter */
    struct subject *const named = w->goal->letters ? s : &other;
    const uint8_t *const before = w->composer.info;
    const bool is_gone = w->l->debug.wanted[DEBUG_LISTS] && w->corpus->dialect.language != DWARF_CPP;
    other.name += w->corpus->manner.names / 2 * s->step; /* those between are for blocks */
    for (uint32_t i = besides_before(w, s->index); i < besides_before(w, s->index + 1); i++) {
        const struct debug_variable v = {
            .name = subject_name(w, named), .line = s->line + 1 + i % 2, .column = 10, .type = types[i % sizeof types]};
        if (is_gone)
            compose_local_gone(&w->composer, &v);
        else
            compose_local(&w->composer, &v, filler_slot_place(i % FILLER_SLOTS));
    }
    w->besides += (uint64_t)(w->composer.info - before);
}

static void describe_variables(struct walk *w, struct subject *s)
{
    describe_parameters(w, s);
    if (s->level != SUBJECT_LEAN && plain_is_told(w))
        plain_locals(w, s);
    else
        describe_locals(w, s, s->at);
    if (w->goal->besides)
        describe_besides(w, s);
}

static inline void row(struct walk *w, uint64_t at)
{
    w->line_number++;
    if (plain_is_told(w))
        plain_row(w, at, w->line_number, plain_column(w->line_number));
    else
        line_row(&w->composer.rows, at, w->line_number);
}

/* A row for an instruction inside a statement. `which`: it is the first or the last of the statement's inner rows, or
 * both. */
static inline void inner_row(struct walk *w, uint64_t at, uint32_t column, unsigned which)
{
    if (!plain_is_told(w))
        line_inner(&w->composer.rows, at, column, which);
    else if (plain_has_row(w, at))
        plain_row(w, at, w->line_number, column);
}

/* Chooses the labels of a function. In C some 24 of a hundred functions have a label before they return, and 12 have
 * one further up. */
static void choose_labels(const struct walk *w, struct subject *s)
{
    enum { LAST = 16, ABOVE = 8, OF = 64 };
    const uint64_t r = random_at(s->f->hash, UINT64_C(0x6c6162656c));
    s->label = s->last_label = NO_LABEL;
    const bool are_told = w->corpus->dialect.language == DWARF_C && w->corpus->manner.labels;
    if (!are_told || s->level != SUBJECT_RICH) /* elsewhere lines may need more than the label's two bytes */
        return;
    if (r % OF < LAST)
        s->last_label = random_below(r << 8, CORPUS_LABELS / 2);
    if (r / OF % OF >= ABOVE || !s->body->pieces)
        return;
    s->label_piece = random_below(r << 24, s->body->pieces);
    const struct piece *piece = &s->body->piece[s->label_piece];
    if (piece->kind != PIECE_RUN || w->filler->statement[piece->first]) /* a statement's row is there */
        s->label = CORPUS_LABELS / 2 + random_below(r << 40, CORPUS_LABELS / 2);
}

/* Describes a label at s->at. `line` is the line of the row that comes next. */
static void describe_label(struct walk *w, const struct subject *s, uint32_t label, uint32_t line)
{
    compose_label(&w->composer, w->corpus->label[label], line, s->at);
}

static void describe_pieces(struct walk *w, struct subject *s)
{
    const struct blocks *blocks = &w->l->stock->blocks;
    const bool plain = plain_is_told(w);
    struct inlined_stretch stretch = {.rest = 0};
    for (uint32_t i = 0; i < s->body->pieces; i++) {
        const struct piece *piece = &s->body->piece[i];
        w->line_number++;
        if (s->label != NO_LABEL && i == s->label_piece)
            describe_label(w, s, s->label, w->line_number);
        if (plain)
            more_rows(w, s, s->at, 0);
        if (inlined_takes(w, s, &stretch)) {
            inlined_piece(w, s, &stretch, piece, i + 1 == s->body->pieces);
        } else if (plain || (s->level == SUBJECT_PLAIN && (w->filler->one_row || more_rows_lag(w, s, piece)))) {
            w->line_number += plain_piece(w, s, piece, &(struct plain_lines){w->line_number, UINT32_MAX});
            line_inside(&w->composer.rows, false);
        } else if (piece->kind == PIECE_BLOCK) {
            const struct block *block = &blocks->block[piece->first];
            if (s->level == SUBJECT_RICH) {
                const struct stamp *stamp = detail_stamp(w, s, block);
                stamp_put_entries(&w->composer, &blocks->store, stamp, s->at, w->line_number, s->name + i, w->helper);
                w->composer.out->inlined +=
                    block->inlined + (w->ranges_kind == BLOCK_RANGES_NONE ? block->between : 0U);
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
            line_inside(&w->composer.rows, false);
            w->line_number = w->composer.rows.line;
        } else {
            line_row(&w->composer.rows, s->at, w->line_number);
        }
        s->at += code_piece_size(&w->l->code, piece);
        if (piece->kind == PIECE_PASS && s->level == SUBJECT_RICH)
            passed_describe(w, s, i);
    }
}

/* Describes the integers and addresses that a call passes, by register (psABI 3.2.3). Floating-point numbers are loaded
 * from memory and are left out. */
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

/* Rows of the call and of the addition of its result. If the call is part of an inlined function, they are of the
 * header. */
static void call_rows(struct walk *w, uint64_t at, uint64_t returns, uint32_t inlined)
{
    struct line_rows *rows = &w->composer.rows;
    if (inlined == DESCRIBE_NOT_INLINED) {
        inner_row(w, at, 12, LINE_FIRST);
        inner_row(w, returns, 9, LINE_LAST);
        return;
    }
    line_file(rows, DIALECT_HEADER_FILE);
    line_row(rows, at, corpus_inline_line(inlined) + 1);
    inner_row(w, returns, 9, LINE_FIRST | LINE_LAST);
    line_file(rows, DIALECT_SOURCE_FILE);
}

void describe_call_end(struct walk *w, uint64_t r, uint8_t *begin, uint8_t *sibling)
{
    const bool ends = random_below(r, MANNER_USUAL) < w->corpus->manner.ending;
    (ends ? compose_end_call : compose_end_child)(&w->composer, begin, sibling);
}

static void describe_call(struct walk *w, const struct subject *s, const struct code_call_site *site, uint64_t returns)
{
    const bool passes = describe_passes_integers(site->callee);
    const bool is_next_told = s->index + 1 < w->l->described && !describe_unit_is_full(w, LINES_BETWEEN, s->end);
    const uint32_t origin = site->next && is_next_told ? COMPOSE_NEXT : COMPOSE_UNKNOWN;
    uint8_t *const begin = w->composer.info;
    uint8_t *const sibling = compose_call(&w->composer, returns, origin, passes);
    if (!passes)
        return;
    describe_passed(w, site);
    describe_call_end(w, random_at(s->f->hash, returns - s->start), begin, sibling);
}

static void describe_calls(struct walk *w, struct subject *s)
{
    struct code_call_site site = {.last = false};
    for (uint32_t t = 0; !site.last; t++) {
        if (!code_call_site(&w->l->code, s->index, s->f, t, &site))
            continue;
        const bool is_told = s->level == SUBJECT_RICH && !plain_is_told(w) && !more_rows_ahead(w, s->at);
        const uint32_t inlined = is_told ? describe_inlined_call(w->corpus, s->f, &site, t) : DESCRIBE_NOT_INLINED;
        row(w, s->at);
        s->at += code_before_call(&site) + code_pass_size(site.callee) + CODE_CALL;
        /* the addition of the result, behind the call, takes four bytes */
        const uint64_t returns = s->at - 4;
        const uint64_t at = returns - (CODE_CALL - 4);
        s->at += code_behind_call(&site);
        call_rows(w, at, returns, inlined);
        if (s->level != SUBJECT_RICH)
            continue;
        if (inlined != DESCRIBE_NOT_INLINED)
            describe_inlined(w, inlined, w->line_number, at, s->at);
        describe_call(w, s, &site, returns);
    }
}

/* Writes the rows of prologue, mark, own number and mix. Fills s->parameter, which describe_parameters needs. Returns
 * the offset at which the pieces begin. */
static uint64_t describe_beginning(struct walk *w, struct subject *s)
{
    struct line_rows *rows = &w->composer.rows;
    uint64_t at = s->start + code_parameters(w->l->row, s->frame, s->f, s->parameter);
    line_row(rows, s->start, w->line_number);
    if (lines_are_told(w) && corpus_inlines(w->corpus) && lines_first(w, s) < at)
        row(w, lines_first(w, s)); /* inlined calls begin there */
    rows->p = put_u8(rows->p, DW_LNS_set_prologue_end);
    row(w, at);
    at += CODE_MARK;
    if (s->level != SUBJECT_LEAN) {
        row(w, at);
        inner_row(w, at + CODE_OWN - 4, 12, LINE_FIRST | LINE_LAST);
    }
    at += CODE_OWN;
    for (uint32_t j = 0; j < s->f->count; j++) {
        uint32_t size = code_mix_size(s->f, j);
        if (s->level != SUBJECT_LEAN && (!plain_is_told(w) || plain_has_row(w, at))) { /* load, multiply, add */
            row(w, at);
            inner_row(w, at + size - 11, 20, LINE_FIRST);
            inner_row(w, at + size - 4, 9, LINE_LAST);
        }
        at += size;
    }
    return at;
}

/* What the function's own code takes at most, with `calls` calls at its end. */
static struct describe_room code_room(const struct walk *w, const struct body *b, uint64_t calls)
{
    const struct blocks *blocks = &w->l->stock->blocks;
    uint64_t entries = (4 + 2 * LATER_MOST) * ARGUMENTS_MOST + FILLER_SLOTS;
    struct describe_room room = {
        .info = COMPOSE_FUNCTION_MOST +
                COMPOSE_CHILD_MOST * (SHAPE_HELPERS + ARGUMENTS_MOST + FILLER_SLOTS + LABELS_MOST + 9 * calls),
        .lists = entries * COMPOSE_ENTRY_MOST + (ARGUMENTS_MOST + FILLER_SLOTS) * COMPOSE_LIST_MOST,
        .rows = LINE_ROW_MOST * (UINT64_C(24) + 4 * calls) + UINT64_C(8) * (FILLER_GAP_MOST + BLOCK_LEAST),
    };
    room.lines = UINT64_C(16) + FILLER_GAP_MOST + ARGUMENTS_MOST + calls;
    for (uint32_t i = 0; i < b->pieces; i++) {
        room.rows += LINE_ROW_MOST;
        room.lines++;
        room.info += b->piece[i].kind == PIECE_PASS ? PASSED_ENTRIES * COMPOSE_CHILD_MOST : 0;
        if (b->piece[i].kind == PIECE_RUN && w->l->row->level == LEVEL_BARE) { /* without blocks, a run may be long */
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

/* Declares the helpers that the function's pieces call, so that call sites can refer to them. */
static void declare_helpers(struct walk *w, const struct subject *s)
{
    const struct blocks *blocks = &w->l->stock->blocks;
    const struct body *const b = s->body;
    uint32_t called = passed_helpers(w, s);
    for (uint32_t i = 0; i < b->pieces; i++)
        if (b->piece[i].kind == PIECE_BLOCK)
            called |= blocks->block[b->piece[i].first].helpers;
    for (unsigned i = 0; i < SHAPE_HELPERS; i++)
        if (called >> i & 1)
            describe_helper(w, i);
}

/* Whether the function is a local symbol because its source declares it `static`. One in eight local functions is not
 * `static` but hidden, which other units see. Of the C library's local functions two in three are hidden, of PETSc's
 * one in a hundred. */
static bool is_static(const struct plan_library *l, uint32_t index, const struct function *f)
{
    return l->said && !plan_is_direct(l) && index >= l->exported && (f->hash >> 20 & 7);
}

static bool is_last_described(const struct walk *w, const struct subject *s)
{
    return s->index + 1 == w->l->described;
}

/* What the function takes at most. */
static struct describe_room function_room(const struct walk *w, const struct subject *s)
{
    const struct calls *const calls = w->l->code.calls;
    const struct more_room more = more_room(w, s->end + cold_size(w, s->body)); /* as far as paces will have moved on */
    const uint32_t besides = besides_before(w, s->index + 1) - besides_before(w, s->index);
    const uint64_t tuned = is_last_described(w, s) ? tune_room(w) : 0;
    struct describe_room room = code_room(w, s->body, (calls ? calls->per_function : 0) + UINT64_C(1));
    room.info += class_room(w) + plain_room(w) + lines_room(w) + inlined_room(w, s->body) + cold_room(w, s->body);
    room.info += more.info + (uint64_t)BESIDES_MOST * besides + tuned;
    room.lists += more.lists + COLD_LISTS_MOST + tuned;
    room.ranges += more.ranges + COLD_RANGES_MOST + tuned;
    room.rows += more.rows + tuned;
    if (w->l->row->said)
        room.rows += UINT64_C(16) * s->body->size; /* of instructions; with several at each only as the pace allows */
    return room;
}

static struct subject subject_of(const struct walk *w, uint32_t index, struct code_parameter *parameter)
{
    const struct library *const l = w->l;
    const struct body *const b = &l->body[index];
    const struct function *const f = &l->code.own[index];
    const bool is_alike = plain_is_told(w) && (f->hash >> 24 & UINT8_MAX) < l->row->names.alike;
    return (struct subject){
        .body = b,
        .frame = b->frame,
        .f = f,
        .parameter = parameter,
        .index = index,
        .start = b->offset,
        .end = b->offset + (uint64_t)b->size,
        .name = is_alike ? 0 : (uint32_t)(f->hash >> 32), /* those that are alike have the same variables */
        .step = is_alike ? 1 : (uint32_t)(f->hash >> 16) | 1,
    };
}

/* Decides how much is said of the function, which takes `lines` lines at most. */
static void choose_level(const struct walk *w, struct subject *s, uint64_t lines)
{
    detail_function(w, s);
    /* a rich function says that all its calls are described, and each needs a line of two bytes */
    if (s->level == SUBJECT_RICH && w->line_number + lines > DEBUG_LINE_MOST) {
        s->level = SUBJECT_PLAIN;
        s->lists = s->lists == SUBJECT_LISTS_ALL ? SUBJECT_LISTS_SPILLED : s->lists;
    }
}

/* Begins the function's entry, behind the entries that it refers to. */
static void begin_entry(struct walk *w, const struct subject *s, struct debug_function *f)
{
    f->offset = s->start;
    f->size = s->body->size;
    f->part = s->part;
    f->part_size = s->part_end - s->part;
    f->line = s->line;
    f->column = 15;
    f->kind = s->level == SUBJECT_RICH ? FUNCTION_RICH : FUNCTION_PLAIN;
    if (f->declared == COMPOSE_UNKNOWN && is_static(w->l->row, s->index, s->f) && s->f->count)
        f->kind = FUNCTION_STATIC;
    f->result = BASE_UNSIGNED_LONG;
    if (w->corpus->dialect.fortran && lines_are_told(w) && !detail_info_ahead(w, s)) { /* gfortran always has one */
        f->is_linked = true;
        f->method = f->name;
    }
    if (s->level == SUBJECT_RICH)
        declare_helpers(w, s);
    cold_helpers(w, s);
    compose_function(&w->composer, f);
}

/* Describes pieces, calls and return. */
static void describe_code(struct walk *w, struct subject *s)
{
    describe_pieces(w, s);
    describe_calls(w, s);
    row(w, s->at);
    if (s->last_label != NO_LABEL)
        describe_label(w, s, s->last_label, w->line_number);
    assert(s->at + frame_epilogue_size(s->frame) == s->end);
}

static bool describe_function(struct walk *w, uint32_t index)
{
    struct code_parameter parameter[ARGUMENTS_MOST];
    struct subject s = subject_of(w, index, parameter);
    detail_fetch(w, index);
    const struct describe_room room = function_room(w, &s);
    if (!describe_begin(w, s.start, &room))
        return false;
    struct debug_function f = {.name = (uint32_t)w->name};
    class_declare(w, index, &f);
    w->name += names_function(&w->l->plan->names, w->l->row, index, s.f) + UINT64_C(1);
    s.line = w->line_number;
    cold_begin(w, &s);
    choose_level(w, &s, room.lines);
    w->inner_rows = 0;
    begin_entry(w, &s, &f);
    s.at = describe_beginning(w, &s);
    if (lines_are_told(w))
        lines_inlined(w, &s, is_last_described(w, &s));
    else
        describe_variables(w, &s);
    choose_labels(w, &s);
    if (s.level != SUBJECT_LEAN)
        describe_code(w, &s);
    if (!cold_describe(w, &s))
        return false;
    more(w, &s, is_last_described(w, &s));
    w->line_number += 3 + (uint32_t)(s.f->hash >> 60 & 3);
    if (w->line_number <= w->ahead)
        w->line_number = w->ahead + 1;
    describe_end(w, s.end);
    return true;
}

/* Writes the last rows of a library without numbered functions. */
static bool end_glue(struct walk *w)
{
    if (w->l->described || !w->composer.unit)
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
    uint64_t units = (uint64_t)l->described + GLUE_COUNT + l->row->small.count + 1;
    struct walk w = {.l = l, .corpus = &l->stock->corpus, .filler = &l->stock->filler, .level = level, .goal = goal};
    w.is_plain = l->row->said && (d->wanted[DEBUG_LISTS] == 0 || lines_are_told(&w));
    w.composer = (struct composer){.corpus = w.corpus, .out = out, .text = l->code.text, .only_sizes = l->only_sizes};
    if (d->joined) {
        w.composer.lists_base = d->joined->base[DEBUG_LISTS];
        w.composer.ranges_base = d->joined->base[DEBUG_RANGES];
    }
    composed_clear(out, w.corpus);
    d->statics.size = 0;
    d->data_units = 0;
    /* Room for far more units than there will be. What is not used is never touched. */
    d->unit = arena_take(arena, units * sizeof *d->unit);
    if (!d->unit)
        return false;
    w.line_header = debug_line_header(d, 1, true);
    if (!cold_units(&w))
        return false;
    if (!small_describe(&w))
        return false;
    detail_start(&w);
    for (unsigned i = GLUE_PYINIT; i < GLUE_COUNT; i++)
        if (!describe_glue(&w, (enum glue_function)i))
            return false;
    for (uint32_t i = 0; i < l->described; i++)
        if (!describe_function(&w, i))
            return false;
    if (!end_glue(&w))
        return false;
    describe_unit_end(&w);
    d->unit_count = w.units;
    d->parted = w.parted;
    d->composed = out;
    return !composed_failed(out) && !d->statics.failed;
}
