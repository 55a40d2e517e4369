/* Writes the definitions of functions; see source.h. The parts of a function are
 * those of code.h and glue.h, in the order of the code. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "emit/library/describe.h"
#include "emit/library/objects.h"
#include "emit/plan/evaluate.h"
#include "emit/source/type.h"
#include "emit/source/walk.h"

const char *const source_types[ARGUMENT_TYPES] = {
    [TYPE_INT] = "int",       [TYPE_LONG] = "long",           [TYPE_FLOAT] = "float",
    [TYPE_DOUBLE] = "double", [TYPE_STRING] = "const char *",
};

enum { LABELS_MOST = 2 };
enum { SCOPED_STEP = 37 /* between the names of a block's locals, as stamps choose them */ };

/* What debug information tells of a function. */
struct told {
    const char *name;
    uint32_t line;
    const char *parameter[ARGUMENTS_MOST];
    uint32_t parameters;
    const char *slot[FILLER_SLOTS]; /* names of its locals */
    uint32_t slots;
    size_t scoped; /* where the names of locals of its blocks begin in source.scoped */
    uint32_t scopeds, next_scoped;
    struct {
        const char *name;
        uint64_t at;
    } label[LABELS_MOST];
    uint32_t labels;
    uint64_t hash;
    uint64_t start, end; /* offsets in the code */
};

static struct bytes *body_of(struct source_walk *w)
{
    return &w->s->body;
}

static void say(struct source_walk *w, const char *text)
{
    text_add(body_of(w), text);
}

static void say_number(struct source_walk *w, uint64_t number)
{
    text_decimal(body_of(w), number);
}

static void say_signed(struct source_walk *w, int64_t number)
{
    say(w, number < 0 ? "-" : "");
    say_number(w, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

/* Begins a statement on this line, or on the one where the text is. */
static void begin_statement(struct source_walk *w, uint32_t line)
{
    const bool further = line > w->line;
    source_go_to(w, line);
    say(w, further ? "    " : " ");
}

/* --- what is told ---------------------------------------------------------------------- */

static void tell_local(struct source_walk *w, struct told *t, const struct entry *e, struct bytes *locals)
{
    const char *name = source_name_of(w, e);
    const size_t start = source_begin_extra(w);
    const bool aside = e->line != t->line + 1;
    struct bytes *to = aside ? &w->s->scratch : locals;
    if (t->slots < FILLER_SLOTS)
        t->slot[t->slots++] = name;
    type_declare(to, w->corpus, w->unit->header, e->type, name);
    text_add(to, aside ? ";" : "; ");
    if (aside)
        source_end_extra(w, start, e->line);
}

/* Reads the entries below a function's. Writes its parameters on the way; declarations of its locals go to `locals`. */
static void read_children(struct source_walk *w, struct told *t, const struct entry *e, struct bytes *locals)
{
    struct entry child;
    uint32_t depth = e->children ? 1 : 0;
    t->scoped = w->s->scoped.size / sizeof(const char *);
    for (const uint8_t *p = e->end; depth;) {
        p = entry_read(w->corpus->dialect, p, &child);
        if (child.code == ABBREV_END) {
            depth--;
        } else if (depth == 1 && child.tag == DW_TAG_formal_parameter && !child.artificial) {
            const char *name = source_name_of(w, &child);
            say(w, t->parameters ? ", " : "");
            type_declare(body_of(w), w->corpus, w->unit->header, child.type, name);
            assert(t->parameters < ARGUMENTS_MOST);
            t->parameter[t->parameters++] = name;
        } else if (child.tag == DW_TAG_label) {
            assert(t->labels < LABELS_MOST);
            t->label[t->labels].name = source_name_of(w, &child);
            t->label[t->labels++].at = child.low - w->l->code.text;
        } else if (depth == 1 && child.tag == DW_TAG_variable) {
            tell_local(w, t, &child, locals);
        } else if (child.tag == DW_TAG_variable && child.name_at) {
            const char *name = source_name_of(w, &child);
            bytes_append(&w->s->scoped, &name, sizeof name);
            t->scopeds++;
        }
        depth += child.children;
    }
}

/* --- calls ---------------------------------------------------------------------------------- */

static void say_real(struct source_walk *w, double value, const char *suffix)
{
    char text[40];
    snprintf(text, sizeof text, "%.12g", value);
    say(w, text);
    say(w, strchr(text, '.') ? "" : ".0");
    say(w, suffix);
}

/* A call with the constants that the code passes. */
static void say_call(struct source_walk *w, const char *name, const struct function *callee, uint64_t caller)
{
    const struct constants *constants = &w->l->plan->constants;
    const uint64_t values = call_values(callee->hash, caller);
    say(w, name);
    say(w, "(");
    for (uint32_t j = 0; j < callee->count; j++) {
        const uint32_t v = call_value(values, j);
        say(w, j ? ", " : "");
        switch (callee->type[j]) {
        case TYPE_INT:
            say_signed(w, call_integer(TYPE_INT, v));
            break;
        case TYPE_LONG:
            say_signed(w, call_integer(TYPE_LONG, v));
            break;
        case TYPE_FLOAT:
            say_real(w, (double)constants->f[call_constant(v)], "f");
            break;
        case TYPE_DOUBLE:
            say_real(w, constants->d[call_constant(v)], "");
            break;
        default:
            say(w, "\"");
            say(w, constants->text[call_constant(v)]);
            say(w, "\"");
        }
    }
    say(w, ")");
}

static void say_site(struct source_walk *w, const struct code_call_site *site)
{
    if (site->next) {
        const uint32_t callee = (uint32_t)(site->callee - w->l->code.own);
        source_use(w, USED_FUNCTION, callee);
        say_call(w, w->s->own[callee], site->callee, site->caller);
    } else {
        const uint32_t callee = (uint32_t)(site->callee - w->l->code.imported);
        source_use(w, USED_IMPORT, callee);
        say_call(w, w->s->imported[callee], site->callee, site->caller);
    }
}

/* If the next call is said to be in an inline function, begins an expression with a call of that function. The caller
 * closes its parenthesis. */
static void say_inlined(struct source_walk *w, uint32_t inlined)
{
    if (inlined == DESCRIBE_NOT_INLINED)
        return;
    const struct corpus_inline *f = &w->l->stock->corpus.inlines[inlined];
    say(w, "(");
    say(w, w->s->inlines[inlined]);
    for (uint32_t i = 0; i + f->variables < f->children; i++)
        say(w, i ? ", 0" : "(0");
    say(w, f->children > f->variables ? "), " : "(), ");
}

/* --- statements -------------------------------------------------------------------------------- */

static void say_slot(struct source_walk *w, const struct told *t, uint32_t slot)
{
    if (slot < t->slots) {
        say(w, t->slot[slot]);
    } else { /* a local of which nothing is told */
        const char name[] = {'w', (char)('0' + slot), '\0'};
        say(w, name);
    }
}

/* Writes what the operand at `at` refers to. The operand is four bytes, relative to what follows them. */
static void say_object(struct source_walk *w, uint64_t at)
{
    const struct code *code = &w->l->code;
    int32_t distance;
    memcpy(&distance, code->image + at, sizeof distance);
    const uint64_t address = code->text + at + 4 + (uint64_t)(int64_t)distance;
    const char *name = "_scratch[";
    uint64_t start = code->scratch;
    if (address >= code->constants_d && address < code->constants_f) {
        name = "_constants[";
        start = code->constants_d;
    } else if (address - code->objects < code->objects_size) {
        name = "_data[";
        start = code->objects;
        const uint64_t objects = w->l->objects_data;
        const struct object_pitch pitch = objects_pitch(w->l, start, code->objects_size, objects);
        if (pitch.each && address >= start + pitch.skip) {
            uint64_t number = (address - start - pitch.skip) / pitch.each;
            number = number < objects ? number : objects - 1;
            number -= address < start + object_at(&pitch, number); /* this object begins later */
            start += object_at(&pitch, number);
            source_use(w, USED_OBJECT, (uint32_t)number);
            source_put_object(w, body_of(w), (uint32_t)number);
            name = "[";
        }
    }
    if (name[0] == '_')
        say(w, w->l->row->name);
    say(w, name);
    say_number(w, (address - start) / 8);
    say(w, "]");
}

static const char *scoped_name(const struct source_walk *w, const struct told *t, uint32_t local)
{
    const uint32_t n = t->next_scoped + local;
    if (n >= t->scopeds) /* nothing is told of the function's blocks: any name */
        return corpus_name(w->corpus, (uint32_t)(t->hash >> 20) + n * SCOPED_STEP);
    const char *name;
    memcpy(&name, w->s->scoped.data + (t->scoped + n) * sizeof name, sizeof name);
    return name;
}

/* Whether one of the first `locals` locals of scopes has the same name as a slot with a long. That local may be a
 * double, for which C lacks some operators, so that the name needs a cast. */
static bool is_hidden(const struct source_walk *w, const struct told *t, uint32_t slot, uint32_t locals)
{
    const bool is_long = slot % 2 == 0;
    for (uint32_t i = 0; is_long && slot < t->slots && i < locals; i++)
        if (strcmp(scoped_name(w, t, i), t->slot[slot]) == 0)
            return true;
    return false;
}

static void say_hole(struct source_walk *w, const struct told *t, const struct hole *h, uint64_t at)
{
    uint32_t constant;
    switch ((enum hole_kind)h->kind) {
    case HOLE_SLOT:
        say_slot(w, t, h->number);
        break;
    case HOLE_LOCAL:
        say(w, scoped_name(w, t, h->number));
        break;
    case HOLE_DECIMAL:
    case HOLE_HEXADECIMAL:
        memcpy(&constant, w->l->code.image + at + h->number, sizeof constant);
        if (h->kind == HOLE_HEXADECIMAL)
            text_hexadecimal(body_of(w), constant);
        else
            say_number(w, constant);
        break;
    case HOLE_OBJECT:
        say_object(w, at + h->number);
        break;
    case HOLE_HELPER:
        say(w, w->l->row->name);
        say(w, "_helper");
        say_number(w, h->number);
        break;
    default:
        say(w, w->s->inlines[h->number]);
    }
}

/* Writes the text of the code at `at`, and fills its holes. */
static void say_statements(struct source_walk *w, struct told *t, const struct statements *s, uint64_t at)
{
    uint32_t from = 0;
    uint32_t locals = 0;
    for (uint32_t i = 0; i < s->holes; i++) {
        const struct hole *h = &s->hole[i];
        text_put(body_of(w), s->text + from, h->at - from);
        from = h->at;
        const bool is_set = s->size - from > 2 && memcmp(s->text + from, " =", 2) == 0;
        if (h->kind == HOLE_SLOT && !is_set && is_hidden(w, t, h->number, locals))
            say(w, "(long)");
        say_hole(w, t, h, at);
        if (h->kind == HOLE_LOCAL && h->number >= locals)
            locals = h->number + 1u;
    }
    text_put(body_of(w), s->text + from, s->size - from);
    t->next_scoped += locals;
}

/* How many lines a text takes beyond its first. */
static uint32_t lines_in(const struct statements *s)
{
    uint32_t lines = 0;
    for (const char *p = s->text; (p = memchr(p, '\n', (size_t)(s->text + s->size - p))); p++)
        lines++;
    return lines;
}

/* Writes the label of what begins at `at`, if it has one. */
static void say_label(struct source_walk *w, const struct told *t, uint64_t at)
{
    for (uint32_t i = 0; i < t->labels; i++)
        if (t->label[i].at == at) {
            say(w, t->label[i].name);
            say(w, ": ");
        }
}

static void say_piece(struct source_walk *w, struct told *t, const struct piece *piece, uint64_t at)
{
    struct code_text *runs = &w->s->runs;
    struct statements s;
    runs->text.size = runs->holes.size = 0;
    if (piece->kind == PIECE_BLOCK)
        s = block_texts_of(w->s->blocks, piece->first);
    else if (piece->kind == PIECE_RUN)
        s = code_text_run(runs, piece->first, piece->last);
    else
        s = code_text_gap(runs, w->l->code.image + at, piece->first);
    if (!s.text)
        return;
    source_go_to(w, source_line_at(w, at));
    say_label(w, t, at);
    say_statements(w, t, &s, at);
    w->line += lines_in(&s);
}

/* --- numbered functions ------------------------------------------------------------------------- */

/* Writes what argument j adds to the result. */
static void say_mixed(struct source_walk *w, const struct told *t, const struct function *f, uint32_t j)
{
    say(w, f->type[j] == TYPE_STRING ? "*(const unsigned *)" : f->type[j] == TYPE_LONG ? "" : "(long)");
    say(w, j < t->parameters ? t->parameter[j] : "0");
    say(w, f->type[j] == TYPE_STRING ? " * (long)" : " * ");
    say_number(w, f->weight[j]);
}

/* Where little is told of a function, writes all that it returns as one expression. */
static void say_result(struct source_walk *w, struct told *t, uint32_t index)
{
    const struct function *f = &w->l->code.own[index];
    struct code_call_site site = {.last = false};
    begin_statement(w, w->line + 1);
    say(w, "return ");
    text_hexadecimal(body_of(w), f->own);
    say(w, "UL");
    for (uint32_t j = 0; j < f->count; j++) {
        say(w, " + ");
        say_mixed(w, t, f, j);
    }
    for (uint32_t n = 0; !site.last; n++) {
        if (!code_call_site(&w->l->code, index, f, n, &site))
            continue;
        for (uint32_t i = 0; i < site.repeat; i++) {
            say(w, " + ");
            say_site(w, &site);
        }
    }
    say(w, ";");
}

static void say_repeat(struct source_walk *w, uint32_t times)
{
    if (times < 2)
        return;
    say(w, "for (int left = ");
    say_number(w, times);
    say(w, "; left; left--) ");
}

static void say_mark(struct source_walk *w, uint32_t mark)
{
    say(w, w->l->row->name);
    say(w, "_visits[");
    say_number(w, mark);
    say(w, "] = 1;");
}

/* Declares the locals that statements use and of which nothing is told. */
static void declare_others(struct source_walk *w, const struct told *t)
{
    for (uint32_t kind = 0; kind < 2; kind++) {
        const char *before = kind ? "double " : "long ";
        for (uint32_t slot = t->slots + ((t->slots & 1) != kind); slot < FILLER_SLOTS; slot += 2) {
            say(w, before);
            say_slot(w, t, slot);
            before = ", ";
        }
        say(w, before[0] == ',' ? "; " : "");
    }
}

static void numbered_body(struct source_walk *w, struct told *t, uint32_t index, const struct bytes *locals)
{
    struct code_parameter parameter[ARGUMENTS_MOST];
    const struct function *f = &w->l->code.own[index];
    const struct body *b = &w->l->body[index];
    uint64_t at = t->start + code_parameters(w->l->row, b->frame, f, parameter);
    begin_statement(w, source_line_at(w, at));
    text_put(body_of(w), (const char *)locals->data, locals->size);
    at += CODE_MARK;
    const uint32_t own = source_line_at(w, at);
    if (own && b->pieces)
        declare_others(w, t);
    say_mark(w, index);
    if (!own) {
        say_result(w, t, index);
        return;
    }
    begin_statement(w, own);
    say(w, "unsigned long result = ");
    text_hexadecimal(body_of(w), f->own);
    say(w, "UL;");
    at += CODE_OWN;
    for (uint32_t j = 0; j < f->count; j++) {
        begin_statement(w, source_line_at(w, at));
        say(w, "result += ");
        say_mixed(w, t, f, j);
        say(w, ";");
        at += code_mix_size(f, j);
    }
    for (uint32_t i = 0; i < b->pieces; i++) {
        say_piece(w, t, &b->piece[i], at);
        at += code_piece_size(&w->l->code, &b->piece[i]);
    }
    struct code_call_site site = {.last = false};
    for (uint32_t n = 0; !site.last; n++) {
        if (!code_call_site(&w->l->code, index, f, n, &site))
            continue;
        const uint32_t inlined = describe_inlined_call(&w->l->stock->corpus, f, &site, n);
        begin_statement(w, source_line_at(w, at));
        say_repeat(w, site.repeat);
        say(w, "result += ");
        say_inlined(w, inlined);
        say_site(w, &site);
        say(w, inlined != DESCRIBE_NOT_INLINED ? ");" : ";");
        at += code_before_call(&site) + code_pass_size(site.callee) + CODE_CALL + code_behind_call(&site);
    }
    begin_statement(w, source_line_at(w, at));
    say_label(w, t, at);
    say(w, "return result;");
}

/* --- glue --------------------------------------------------------------------------------------------- */

static void next_statement(struct source_walk *w, const struct told *t)
{
    begin_statement(w, source_line_after(w, t->end));
}

static void entry_body(struct source_walk *w, const struct told *t, bool is_entry)
{
    const struct library *l = w->l;
    const struct shape *s = &l->shape;
    next_statement(w, t);
    say_mark(w, l->row->functions + !is_entry);
    say(w, " unsigned long result = ");
    text_hexadecimal(body_of(w), is_entry ? evaluate_entry_own(l->row) : evaluate_extern(l->row));
    say(w, "UL;");
    for (uint32_t chain = 0; is_entry && chain < l->row->calls.chains; chain++) {
        const uint32_t head = chain * l->plan->depth;
        if (!plan_chain_covered(l->plan, chain))
            continue;
        next_statement(w, t);
        say(w, "result += ");
        source_use(w, USED_FUNCTION, head);
        say_call(w, w->s->own[head], &l->code.own[head], 0);
        say(w, ";");
    }
    if (is_entry && s->extern_called >= 0) {
        next_statement(w, t);
        say(w, "result += ");
        say(w, l->plan->library[s->extern_called].name);
        say(w, "_extern();");
    }
    if (is_entry && s->calls_own_extern) {
        next_statement(w, t);
        say(w, "result += ");
        say(w, l->row->name);
        say(w, "_extern();");
    }
    next_statement(w, t);
    say(w, "return result;");
}

static void pyinit_body(struct source_walk *w, const struct told *t)
{
    next_statement(w, t);
    say(w, "void *module = PyModule_Create2(&");
    say(w, w->l->row->name);
    say(w, "_definition, 1013);");
    next_statement(w, t);
    say(w, "if (module) PyModule_AddIntConstant(module, \"functions\", ");
    say_number(w, w->l->row->functions);
    say(w, ");");
    next_statement(w, t);
    say(w, "return module;");
}

static void visited_body(struct source_walk *w, const struct told *t)
{
    next_statement(w, t);
    say(w, "long visited = 0;");
    next_statement(w, t);
    say(w, "for (unsigned i = 0; i < ");
    say_number(w, w->l->row->functions);
    say(w, "; i++) visited += ");
    say(w, w->l->row->name);
    say(w, "_visits[i];");
    next_statement(w, t);
    say(w, "return PyLong_FromLong(visited);");
}

/* Its weight is the operand of the multiplication (glue.c). */
static void helper_body(struct source_walk *w, const struct told *t)
{
    uint32_t weight;
    next_statement(w, t);
    memcpy(&weight, w->l->code.image + t->start + plan_landing(w->l->row) + 23, sizeof weight);
    say(w, "unsigned long result = ");
    say(w, t->parameter[0]);
    say(w, " * ");
    say_number(w, weight);
    say(w, "L + ");
    say(w, t->parameter[1]);
    say(w, ";");
    next_statement(w, t);
    say(w, "return result;");
}

static void start_body(struct source_walk *w, const struct told *t)
{
    next_statement(w, t);
    say(w, "int status = __libc_start_main(main);");
    next_statement(w, t);
    say(w, "return status;");
}

static void glue_body(struct source_walk *w, const struct told *t, enum glue_function which)
{
    switch (which) {
    case GLUE_PYINIT:
        pyinit_body(w, t);
        break;
    case GLUE_METHOD:
        next_statement(w, t);
        say(w, "void *result = PyLong_FromUnsignedLong(");
        say(w, w->l->shape.entry);
        say(w, "());");
        next_statement(w, t);
        say(w, "return result;");
        break;
    case GLUE_VISITED:
        visited_body(w, t);
        break;
    case GLUE_ENTRY:
    case GLUE_EXTERN:
        entry_body(w, t, which == GLUE_ENTRY);
        break;
    case GLUE_START:
        start_body(w, t);
        break;
    default:
        helper_body(w, t);
    }
}

/* --- functions -------------------------------------------------------------------------------------------- */

static enum glue_function glue_at(const struct library *l, uint64_t offset)
{
    unsigned which = GLUE_PYINIT;
    while (which < GLUE_COUNT && (!l->glue.place[which].size || l->glue.place[which].offset != offset))
        which++;
    return (enum glue_function)which;
}

void source_function(struct source_walk *w, const struct entry *e)
{
    const struct library *l = w->l;
    struct bytes *locals = &w->s->locals;
    struct told t = {.name = source_name_of(w, e), .line = e->line, .start = e->low - l->code.text};
    const enum glue_function which = t.start < l->glue.end ? glue_at(l, t.start) : GLUE_COUNT;
    const uint32_t index = w->s->next;
    locals->size = w->s->scoped.size = 0;
    source_go_to(w, t.line);
    say(w, which == GLUE_METHOD || which == GLUE_VISITED ? "static " : "");
    type_declare(body_of(w), w->corpus, w->unit->header, e->type, t.name);
    say(w, "(");
    read_children(w, &t, e, locals);
    say(w, t.parameters ? ") {" : "void) {");
    source_line_at(w, t.start);
    if (which < GLUE_COUNT) {
        t.end = t.start + l->glue.place[which].size;
        glue_body(w, &t, which);
    } else {
        assert(index < l->row->functions && l->body[index].offset == t.start);
        t.hash = l->code.own[index].hash;
        t.end = t.start + l->body[index].size;
        numbered_body(w, &t, index, locals);
        w->s->next++;
    }
    source_go_to(w, w->line + 1);
    say(w, "}");
}
