/* Walks over units and puts the text together; see source.h. */
#include "emit/source/source.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/source/header.h"
#include "emit/source/type.h"
#include "emit/source/walk.h"

enum { HEAD_LINES = DEBUG_LINE_FIRST - 1 };

/* --- lines --------------------------------------------------------------------------- */

static void next_row(struct source_walk *w)
{
    w->in_rows = line_read(&w->rows);
    if (!w->in_rows || w->rows.file != DIALECT_SOURCE_FILE)
        return;
    const uint32_t line = w->rows.line & 0xffff;
    w->s->rows[line >> 3] |= (uint8_t)(1u << (line & 7));
    w->last_line = line > w->last_line ? line : w->last_line;
}

static bool has_rows(const struct source *s, uint32_t line)
{
    return line <= UINT16_MAX && s->rows[line >> 3] >> (line & 7) & 1;
}

uint32_t source_line_at(struct source_walk *w, uint64_t at)
{
    const uint32_t file = DIALECT_SOURCE_FILE;
    while (w->in_rows && (w->rows.address < at || (w->rows.address == at && w->rows.file != file)))
        next_row(w);
    return w->in_rows && w->rows.address == at ? w->rows.line : 0;
}

uint32_t source_line_after(struct source_walk *w, uint64_t end)
{
    const uint64_t last = w->rows.address;
    while (w->in_rows && w->rows.address == last)
        next_row(w);
    return w->in_rows && w->rows.address < end ? w->rows.line : 0;
}

void source_go_to(struct source_walk *w, uint32_t line)
{
    for (; w->line < line; w->line++)
        text_put(&w->s->body, "\n", 1);
}

size_t source_begin_extra(struct source_walk *w)
{
    return w->s->scratch.size;
}

void source_end_extra(struct source_walk *w, size_t start, uint32_t line)
{
    const struct extra extra = {line, (uint32_t)start, (uint32_t)(w->s->scratch.size - start)};
    bytes_append(&w->s->extra, &extra, sizeof extra);
}

/* --- names ------------------------------------------------------------------------------ */

static int by_place(const void *a, const void *b)
{
    uint32_t x;
    uint32_t y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

/* Names listed in composed.named are the library's own, all others the corpus's. */
const char *source_name_of(const struct source_walk *w, const struct entry *e)
{
    const struct library *l = w->l;
    const struct composed *c = l->debug.composed;
    if (!e->name_at)
        return "";
    if (e->text)
        return e->text;
    const uint32_t place = (uint32_t)(e->name_at - (c->info.data + w->unit->entries));
    const uint8_t *named = c->named.data + w->unit->named * sizeof place;
    if (!w->unit->named_count || !bsearch(&place, named, w->unit->named_count, sizeof place, by_place))
        return (const char *)w->corpus->strings.data + e->name;
    if (e->name >= l->debug.names_size)
        return (const char *)l->debug.statics.data + (e->name - l->debug.names_size);
    return w->s->own_names + e->name;
}

void source_put_object(struct source_walk *w, struct bytes *to, uint32_t number)
{
    const struct plan_library *row = w->l->row;
    struct name_stem stem;
    names_stem(&stem, row->name, "_var");
    const uint64_t extra = row->names.locals / row->locals + (number < row->names.locals % row->locals ? 1 : 0);
    const uint32_t length = (uint32_t)(stem.length + names_digits(number) + extra);
    uint8_t *p = bytes_reserve(to, length + 64);
    if (p)
        bytes_keep(to, names_write(&w->l->plan->names, &stem, number, length, p, NULL) - 1);
}

void source_use(struct source_walk *w, enum used_kind kind, uint32_t index)
{
    struct source *s = w->s;
    if (s->declared[kind][index] == w->number + 1)
        return;
    s->declared[kind][index] = w->number + 1;
    bytes_u32(&s->used, (uint32_t)kind << 30 | index);
}

/* --- the beginning of the file -------------------------------------------------------------- */

static void put_prototype(struct bytes *to, const char *name, const struct function *f)
{
    text_add(to, "unsigned long ");
    text_add(to, name);
    text_add(to, "(");
    for (uint32_t j = 0; j < f->count; j++) {
        text_add(to, j ? ", " : "");
        text_add(to, source_types[f->type[j]]);
    }
    text_add(to, f->count ? ");" : "void);");
}

static void put_used(struct source_walk *w, uint32_t used)
{
    const struct source *s = w->s;
    struct bytes *head = &w->s->head;
    const uint32_t index = used & ((UINT32_C(1) << 30) - 1);
    switch ((enum used_kind)(used >> 30)) {
    case USED_IMPORT:
        put_prototype(head, s->imported[index], &w->l->code.imported[index]);
        break;
    case USED_FUNCTION:
        put_prototype(head, s->own[index], &w->l->code.own[index]);
        break;
    default:
        text_add(head, "extern long ");
        source_put_object(w, head, index);
        text_add(head, "[];");
    }
}

static void put_fixed_head(struct source_walk *w)
{
    static const char *const names[] = {"extern unsigned char %s_visits[];", "extern const double %s_constants[];",
                                        "extern long %s_scratch[];", "extern long %s_data[];"};
    const struct library *l = w->l;
    struct bytes *head = &w->s->head;
    char line[128];
    const struct corpus_header *h = &w->corpus->header[w->unit->header];
    text_add(head, SOURCE_MARK "what the debug information of ");
    text_add(head, plan_stem(l->row));
    text_add(head, plan_ending(l->row));
    text_add(head, " tells of its source */\n#include <math.h>\n#include \"include/");
    text_add(head, (const char *)w->corpus->line_strings.data + h->file);
    text_add(head, "\"\n\n#define rotate(x, n) ((x) << (n) | (long)((unsigned long)(x) >> (64 - (n))))\n");
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(line, sizeof line, names[i], l->row->name);
        text_add(head, line);
        text_add(head, "\n");
    }
    text_add(head, "unsigned long ");
    for (unsigned i = 0; i < SHAPE_HELPERS; i++) {
        snprintf(line, sizeof line, "%s_helper%u(long, long)%s", l->row->name, i, i + 1 < SHAPE_HELPERS ? ", " : ";\n");
        text_add(head, line);
    }
    if (w->number == 0 && l->shape.executable)
        text_add(head, "extern int main(int, char **), __libc_start_main(int (*)(int, char **), ...);\n\n");
    if (w->number == 0 && l->shape.python) {
        snprintf(line, sizeof line, "extern char %s_definition[];", l->row->name);
        text_add(head, line);
        text_add(head, "\nextern void *PyModule_Create2(void *, int), *PyLong_FromUnsignedLong(unsigned long);\n"
                       "extern void *PyLong_FromLong(long);\n"
                       "extern int PyModule_AddIntConstant(void *, const char *, long);\n");
        if (l->shape.extern_called >= 0) {
            snprintf(line, sizeof line, "unsigned long %s_extern(void);\n",
                     l->plan->library[l->shape.extern_called].name);
            text_add(head, line);
        }
        snprintf(line, sizeof line, "unsigned long %s(void), %s_extern(void);\n\n", l->shape.entry, l->row->name);
        text_add(head, line);
    }
}

/* Writes the lines before the functions: the fixed ones, then declarations of what the unit uses, one on each line as
 * far as there are lines. */
static void put_head(struct source_walk *w)
{
    struct bytes *head = &w->s->head;
    const uint32_t count = (uint32_t)(w->s->used.size / sizeof(uint32_t));
    put_fixed_head(w);
    uint32_t line = 1;
    for (size_t i = 0; i < head->size; i++)
        line += head->data[i] == '\n';
    assert(line < HEAD_LINES);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t used;
        memcpy(&used, w->s->used.data + i * sizeof used, sizeof used);
        put_used(w, used);
        text_add(head, line < HEAD_LINES ? "\n" : " ");
        line += line < HEAD_LINES;
    }
    for (; line <= HEAD_LINES; line++)
        text_add(head, "\n");
}

/* --- the unit ------------------------------------------------------------------------------------ */

/* A function that is declared and not defined here. */
static void declare_function(struct source_walk *w, const struct entry *e)
{
    const size_t start = source_begin_extra(w);
    type_declare_function(&w->s->scratch, w->corpus, w->unit->header, e->type, source_name_of(w, e), e->end);
    text_add(&w->s->scratch, ";");
    source_end_extra(w, start, e->line);
}

static void walk_entries(struct source_walk *w)
{
    const uint8_t *start = w->l->debug.composed->info.data + w->unit->entries;
    const uint8_t *end = start + w->unit->entries_size;
    const uint32_t place = w->corpus->start + w->corpus->fixed; /* offset of the first function's entry in the unit */
    struct entry e;
    for (const uint8_t *p = start; p < end;) {
        p = entry_read(w->corpus->dialect, p, &e);
        if (e.tag == DW_TAG_subprogram && e.low != UINT64_MAX)
            source_function(w, &e);
        else if (e.tag == DW_TAG_subprogram && e.declaration)
            declare_function(w, &e);
        if (e.children)
            p = start + (e.sibling - place);
    }
}

static int by_line(const void *a, const void *b)
{
    const struct extra *x = a;
    const struct extra *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Puts what stands before a line, or on an empty one: texts that were put aside for it. An empty line with rows and
 * without such a text gets a macro, from which code outside of functions may come. */
static void put_between(struct source *s, uint32_t line, bool is_empty, uint32_t *extra)
{
    const struct extra *e = (const struct extra *)(const void *)s->extra.data;
    const uint32_t count = (uint32_t)(s->extra.size / sizeof *e);
    for (; *extra < count && e[*extra].line <= line; (*extra)++) {
        text_put(&s->text, (const char *)s->scratch.data + e[*extra].at, e[*extra].size);
        text_add(&s->text, is_empty ? "" : " ");
        is_empty = false;
    }
    if (!is_empty || !has_rows(s, line))
        return;
    text_add(&s->text, "#define step_");
    text_decimal(&s->text, line);
    text_add(&s->text, "(x) ((x) + ");
    text_decimal(&s->text, line);
    text_add(&s->text, ")");
}

/* Puts a part of the file, whose first line is `line`, together with what belongs between its lines; returns the line
 * behind it. */
static uint32_t put_part(struct source *s, const struct bytes *part, uint32_t line, uint32_t *extra)
{
    const struct extra *e = (const struct extra *)(const void *)s->extra.data;
    const uint32_t count = (uint32_t)(s->extra.size / sizeof *e);
    const uint8_t *p = part->data;
    const uint8_t *end = p + part->size;
    const uint8_t *kept = p; /* everything before this has been put */
    for (; p < end; line++) {
        const uint8_t *next = memchr(p, '\n', (size_t)(end - p));
        const bool is_empty = next == p;
        if ((is_empty && has_rows(s, line)) || (*extra < count && e[*extra].line <= line)) {
            text_put(&s->text, (const char *)kept, (size_t)(p - kept));
            put_between(s, line, is_empty, extra);
            kept = p;
        }
        p = next ? next + 1 : end;
    }
    text_put(&s->text, (const char *)kept, (size_t)(end - kept));
    return line;
}

static void put_file(struct source_walk *w)
{
    struct source *s = w->s;
    uint32_t extra = 0;
    const uint32_t extras = (uint32_t)(s->extra.size / sizeof(struct extra));
    if (extras)
        qsort(s->extra.data, extras, sizeof(struct extra), by_line);
    s->text.size = 0;
    uint32_t line = put_part(s, &s->head, 1, &extra);
    line = put_part(s, &s->body, line, &extra);
    for (; line <= w->last_line || extra < extras; line++) {
        put_between(s, line, true, &extra);
        text_add(&s->text, "\n");
    }
}

bool source_unit(struct source *s, uint32_t unit)
{
    const struct library *l = s->library;
    const struct debug_unit *u = &l->debug.unit[unit];
    struct source_walk w = {.s = s,
                            .l = l,
                            .corpus = &l->stock->corpus,
                            .unit = u,
                            .number = unit,
                            .line = DEBUG_LINE_FIRST,
                            .rows = line_reader_of(l->debug.composed->programs.data + u->program, u->program_size)};
    s->head.size = s->body.size = s->extra.size = s->scratch.size = s->used.size = 0;
    memset(s->rows, 0, sizeof s->rows);
    for (uint32_t k = 0; k < CORPUS_INLINES; k++)
        s->inlines[k] = header_inline_name(w.corpus, u->header, k);
    next_row(&w);
    walk_entries(&w);
    while (w.in_rows)
        next_row(&w);
    text_add(&s->body, "\n");
    put_head(&w);
    put_file(&w);
    snprintf(s->name, sizeof s->name, "%s", (const char *)l->debug.sources.data + u->source);
    return !s->text.failed && !s->head.failed && !s->body.failed && !s->extra.failed && !s->scratch.failed &&
           !s->used.failed && !s->locals.failed && !s->scoped.failed && !s->runs.text.failed && !s->runs.holes.failed;
}

/* --- the library ----------------------------------------------------------------------------------- */

/* Lists where each of `count` names begins. The names stand one behind the other. */
static const char **list_names(struct arena *arena, const char *names, uint32_t count)
{
    const char **list = arena_take(arena, (count + UINT64_C(1)) * sizeof *list);
    for (uint32_t i = 0; list && i < count; i++) {
        list[i] = names;
        names += strlen(names) + 1;
    }
    return list;
}

bool source_library(struct source *s, const struct library *l)
{
    const char *names = (const char *)l->code.image - l->layout.section[SECTION_TEXT].offset +
                        l->layout.section[SECTION_DYNSTR].offset + 1;
    arena_reset(&s->arena);
    s->library = l;
    s->next = 0;
    s->runs.filler = &l->stock->filler;
    s->imported = list_names(&s->arena, names, l->row->imports);
    s->own_names = (const char *)l->own_names;
    s->own = list_names(&s->arena, s->own_names, l->row->functions);
    const uint64_t counts[USED_KINDS] = {l->row->imports, l->row->functions, l->objects_data};
    bool made = s->imported && s->own;
    for (unsigned i = 0; made && i < USED_KINDS; i++) {
        s->declared[i] = arena_zeroed(&s->arena, counts[i] + 1, sizeof *s->declared[i]);
        made = s->declared[i];
    }
    return made;
}

void source_free(struct source *s)
{
    bytes_free(&s->text);
    bytes_free(&s->head);
    bytes_free(&s->body);
    bytes_free(&s->extra);
    bytes_free(&s->scratch);
    bytes_free(&s->used);
    bytes_free(&s->locals);
    bytes_free(&s->scoped);
    code_text_free(&s->runs);
    arena_free(&s->arena);
}
