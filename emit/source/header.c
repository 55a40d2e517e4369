/* Writes headers; see header.h. Entries are not in the order of lines. So each declaration first becomes an item
 * with its line, and items are sorted. */
#include "emit/source/header.h"

#include <stdlib.h>

#include "base/words.h"
#include "dwarf/form/entry.h"
#include "emit/source/text.h"
#include "emit/source/type.h"

/* Something that stands on a line. */
struct item {
    uint32_t line, number; /* the number orders those of one line */
    uint32_t at, size;     /* of its text */
    bool inside;           /* the lines behind it are in braces */
};

struct writer {
    const struct corpus *corpus;
    const struct blocks *blocks;
    const struct corpus_header *header;
    uint32_t number; /* of the header */
    struct bytes items, text;
    uint32_t line; /* of the last item */
    size_t start;  /* of the item under way */
    bool inside;   /* what comes next is in braces */
    uint32_t prototypes;
};

static struct dialect dialect_of(const struct writer *w)
{
    return w->corpus->dialect;
}

static const char *name_of(const struct writer *w, const struct entry *e)
{
    return entry_name(e, &w->corpus->strings);
}

static void begin_item(struct writer *w)
{
    w->start = w->text.size;
}

static void end_item(struct writer *w, uint32_t line)
{
    const struct item item = {line, (uint32_t)(w->items.size / sizeof item), (uint32_t)w->start,
                              (uint32_t)(w->text.size - w->start), w->inside};
    bytes_append(&w->items, &item, sizeof item);
    w->line = line;
}

static void add_item(struct writer *w, uint32_t line, const char *text)
{
    begin_item(w);
    text_add(&w->text, text);
    end_item(w, line);
}

/* --- inline functions ---------------------------------------------------------------- */

static void read_inline(const struct corpus *c, uint32_t header, uint32_t k, struct entry *function)
{
    entry_read(c->dialect, c->header[header].entries + (c->inlines[k].at - c->start), function);
    if (function->name == ENTRY_NONE && function->origin != ENTRY_NONE)
        entry_read(c->dialect, c->header[header].entries + (function->origin - c->start), function);
}

const char *header_inline_name(const struct corpus *c, uint32_t header, uint32_t k)
{
    struct entry e;
    read_inline(c, header, k, &e);
    return entry_name(&e, &c->strings);
}

static const char *child_name(const struct writer *w, uint32_t k, uint32_t child)
{
    struct entry e;
    entry_read(dialect_of(w), w->header->entries + (w->corpus->inlines[k].child[child] - w->corpus->start), &e);
    return name_of(w, &e);
}

static bool is_double(const struct corpus_inline *f, uint32_t child)
{
    return f->doubles >> child & 1;
}

static void put_inline_head(struct writer *w, uint32_t k)
{
    const struct corpus_inline *f = &w->corpus->inlines[k];
    text_add(&w->text, dialect_of(w).language == DWARF_CPP ? "inline unsigned long " : "static inline unsigned long ");
    text_add(&w->text, header_inline_name(w->corpus, w->number, k));
    text_add(&w->text, "(");
    for (uint32_t j = 0; j + f->variables < f->children; j++) {
        text_add(&w->text, j ? ", " : "");
        text_add(&w->text, is_double(f, j) ? "double " : "long ");
        text_add(&w->text, child_name(w, k, j));
    }
    text_add(&w->text, ")");
}

/* A long or a double parameter of an inline function, chosen by `r`; -1 where there is none. */
static int some_parameter(const struct corpus_inline *f, bool wants_double, uint64_t r)
{
    const uint32_t count = (uint32_t)f->children - f->variables;
    for (uint32_t j = 0; j < count; j++) {
        const uint32_t child = (uint32_t)((r + j) % count);
        if (is_double(f, child) == wants_double)
            return (int)child;
    }
    return -1;
}

static void put_argument(struct writer *w, uint32_t k, bool wants_double, uint64_t r)
{
    const int child = some_parameter(&w->corpus->inlines[k], wants_double, r);
    text_add(&w->text, child >= 0 ? child_name(w, k, (uint32_t)child) : wants_double ? "1.0" : "1");
}

static void put_inline_call(struct writer *w, uint32_t k, uint32_t callee)
{
    const struct corpus_inline *f = &w->corpus->inlines[callee];
    const int to = some_parameter(&w->corpus->inlines[k], false, callee);
    text_add(&w->text, "    ");
    if (to >= 0) {
        text_add(&w->text, child_name(w, k, (uint32_t)to));
        text_add(&w->text, " += ");
    }
    text_add(&w->text, header_inline_name(w->corpus, w->number, callee));
    text_add(&w->text, "(");
    for (uint32_t j = 0; j + f->variables < f->children; j++) {
        text_add(&w->text, j ? ", " : "");
        put_argument(w, k, is_double(f, j), callee + j);
    }
    text_add(&w->text, ");");
}

/* The code has many versions of what an inline function does; writes one that is possible. */
static void put_inline_statement(struct writer *w, uint32_t k, uint64_t r)
{
    static const char *const longs[] = {" += ", " ^= ", " -= ", " |= ", " &= ", " = 3 * "};
    static const char *const doubles[] = {" += ", " *= ", " -= ", " = 0.5 + "};
    const struct corpus_inline *f = &w->corpus->inlines[k];
    const bool doubled = (r >> 32 & 3) == 0 ? some_parameter(f, true, 0) >= 0 : some_parameter(f, false, 0) < 0;
    text_add(&w->text, "    ");
    put_argument(w, k, doubled, r);
    text_add(&w->text, doubled ? doubles[r % 4] : longs[r % 6]);
    if (r >> 40 & 1) {
        text_decimal(&w->text, 1 + (r >> 48));
        text_add(&w->text, doubled ? ".25" : "");
    } else {
        put_argument(w, k, doubled, r >> 8);
        text_add(&w->text, doubled ? " + " : (r >> 41 & 1) ? " >> " : " + ");
        text_decimal(&w->text, 1 + (r >> 48 & 31));
    }
    text_add(&w->text, ";");
}

static void add_inline_function(struct writer *w, uint32_t k)
{
    const struct corpus_inline *f = &w->corpus->inlines[k];
    const uint32_t first = corpus_inline_line(k);
    const uint32_t last = first + CORPUS_INLINE_LINES - 1;
    begin_item(w);
    put_inline_head(w, k);
    text_add(&w->text, " {");
    end_item(w, first);
    for (uint32_t line = first + 1; line < last; line++) {
        begin_item(w);
        if (line == first + 2 && f->variables) {
            const uint32_t variable = f->children - 1u;
            text_add(&w->text, is_double(f, variable) ? "    double " : "    long ");
            text_add(&w->text, child_name(w, k, variable));
            text_add(&w->text, " = ");
            put_argument(w, k, is_double(f, variable), 0);
            text_add(&w->text, ";");
        }
        if (line == last - 1) {
            text_add(&w->text, "    return (unsigned long)");
            text_add(&w->text, child_name(w, k, 0));
            text_add(&w->text, ";");
        } else if (w->blocks->bytes.calls[line - corpus_inline_line(0)]) {
            put_inline_call(w, k, corpus_inline_callee(w->corpus, line));
        } else if (line != first + 2 || !f->variables) {
            put_inline_statement(w, k, random_at(w->header->name_start, line));
        }
        end_item(w, line);
    }
    add_item(w, last, "}");
}

/* --- types and declarations --------------------------------------------------------------- */

static void put_declaration(struct writer *w, uint32_t type, const char *name)
{
    type_declare(&w->text, w->corpus, w->number, type, name);
    text_add(&w->text, ";");
}

static bool is_unnamed(const struct writer *w, uint32_t type)
{
    struct entry e;
    if (type < w->corpus->start || type == ENTRY_NONE)
        return false;
    entry_read(dialect_of(w), w->header->entries + (type - w->corpus->start), &e);
    return e.tag == DW_TAG_structure_type && e.name == ENTRY_NONE;
}

static const uint8_t *add_aggregate(struct writer *w, const struct entry *e, const uint8_t *p)
{
    const bool named = e->name != ENTRY_NONE;
    struct entry member;
    begin_item(w);
    text_add(&w->text, named ? "" : "typedef ");
    text_add(&w->text, e->tag == DW_TAG_union_type ? "union " : e->tag == DW_TAG_class_type ? "class " : "struct ");
    text_add(&w->text, name_of(w, e));
    text_add(&w->text, named ? " {" : "{");
    w->inside = true;
    end_item(w, e->line);
    for (p = entry_read(dialect_of(w), p, &member); member.code != ABBREV_END;
         p = entry_read(dialect_of(w), p, &member)) {
        begin_item(w);
        text_add(&w->text, "    ");
        put_declaration(w, member.type, name_of(w, &member));
        end_item(w, member.line);
    }
    w->inside = !named; /* then a typedef ends it */
    if (named)
        add_item(w, w->line, " };");
    return p;
}

/* Enumerators have lines in the header, but their entries do not state them: each takes one line. */
static const uint8_t *add_enumeration(struct writer *w, const struct entry *e, const uint8_t *p)
{
    struct entry member;
    begin_item(w);
    text_add(&w->text, "enum ");
    text_add(&w->text, name_of(w, e));
    text_add(&w->text, " {");
    w->inside = true;
    end_item(w, e->line);
    for (p = entry_read(dialect_of(w), p, &member); member.code != ABBREV_END;
         p = entry_read(dialect_of(w), p, &member)) {
        begin_item(w);
        text_add(&w->text, "    ");
        text_add(&w->text, name_of(w, &member));
        text_add(&w->text, ",");
        end_item(w, w->line + 1);
    }
    w->inside = false;
    add_item(w, w->line, " };");
    return p;
}

static const uint8_t *skip_children(struct writer *w, const uint8_t *p)
{
    struct entry e;
    for (uint32_t depth = 1; depth;) {
        p = entry_read(dialect_of(w), p, &e);
        depth += e.children;
        depth -= e.code == ABBREV_END;
    }
    return p;
}

static void add_function(struct writer *w, const struct entry *e)
{
    begin_item(w);
    text_add(&w->text, "extern ");
    type_declare_function(&w->text, w->corpus, w->number, e->type, name_of(w, e), e->end);
    text_add(&w->text, ";");
    end_item(w, e->line);
}

/* Adds what one entry declares; returns where the next entry begins. */
static const uint8_t *add_entry(struct writer *w, const uint8_t *p)
{
    struct entry e;
    p = entry_read(dialect_of(w), p, &e);
    switch (e.tag) {
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return add_aggregate(w, &e, p);
    case DW_TAG_enumeration_type:
        return add_enumeration(w, &e, p);
    case DW_TAG_typedef:
        begin_item(w);
        if (is_unnamed(w, e.type)) {
            w->inside = false;
            text_add(&w->text, "} ");
            text_add(&w->text, name_of(w, &e));
            text_add(&w->text, ";");
        } else {
            text_add(&w->text, "typedef ");
            put_declaration(w, e.type, name_of(w, &e));
        }
        end_item(w, e.line);
        return p;
    case DW_TAG_variable:
        begin_item(w);
        text_add(&w->text, "extern ");
        put_declaration(w, e.type, name_of(w, &e));
        end_item(w, e.line);
        return p;
    case DW_TAG_subprogram:
        if (e.declaration && e.children)
            add_function(w, &e);
        break;
    default:
        break;
    }
    return e.children ? skip_children(w, p) : p;
}

/* --- the file --------------------------------------------------------------------------------- */

static int by_line(const void *a, const void *b)
{
    const struct item *x = a;
    const struct item *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Writes prototypes of `count` inline functions that have none so far. */
static void put_prototypes(struct writer *w, struct bytes *out, uint32_t count)
{
    for (; count && w->prototypes < CORPUS_INLINES; count--) {
        w->text.size = 0;
        put_inline_head(w, w->prototypes++);
        text_add(&w->text, count > 1 ? "; " : ";");
        text_put(out, (const char *)w->text.data, w->text.size);
    }
}

static void put_comment(const struct writer *w, struct bytes *out, uint32_t line)
{
    char words[64];
    const uint64_t r = random_at(w->header->name_start, UINT64_C(1) << 32 | line);
    words_identifier(r, 8 + (uint32_t)(r >> 40) % 20, words);
    for (char *p = words; *p; p++)
        *p = *p == '_' ? ' ' : *p;
    text_add(out, "/* ");
    text_add(out, words);
    text_add(out, " */");
}

/* How many lines have no declaration, before the inline functions and not in braces. */
static uint32_t free_lines(const struct item *items, uint32_t count)
{
    uint32_t lines = 0;
    for (uint32_t i = 1; i < count && items[i].line <= corpus_inline_line(0); i++)
        if (items[i].line > items[i - 1].line && !items[i - 1].inside)
            lines += items[i].line - items[i - 1].line - 1;
    return lines;
}

/* Writes all items on their lines. Lines without a declaration get comments or, before the inline functions, prototypes
 * of these: one on each line, but on the first of these lines as many as necessary. */
static void put_items(struct writer *w, struct bytes *out)
{
    struct item *items = (struct item *)(void *)w->items.data;
    const uint32_t count = (uint32_t)(w->items.size / sizeof *items);
    const struct bytes texts = w->text;
    uint32_t line = 1;
    qsort(items, count, sizeof *items, by_line);
    const uint32_t places = free_lines(items, count);
    uint32_t together = places < CORPUS_INLINES ? CORPUS_INLINES - places + 1 : 1;
    w->text = (struct bytes){.data = NULL};
    for (uint32_t i = 0; i < count; i++) {
        for (bool first = true; line < items[i].line; line++, first = false) {
            if (!first && !items[i - 1].inside && w->prototypes < CORPUS_INLINES) {
                put_prototypes(w, out, together);
                together = 1;
            } else if (!first) {
                put_comment(w, out, line);
            }
            text_add(out, "\n");
        }
        text_put(out, (const char *)texts.data + items[i].at, items[i].size);
    }
    text_add(out, "\n");
    bytes_free(&w->text);
    w->text = texts;
}

bool header_text(struct bytes *out, const struct corpus *c, const struct blocks *blocks, uint32_t header)
{
    const struct corpus_header *h = &c->header[header];
    struct writer w = {.corpus = c, .blocks = blocks, .header = h, .number = header};
    out->size = 0;
    begin_item(&w);
    text_add(&w.text, SOURCE_MARK "what debug information tells of it */");
    end_item(&w, 1);
    add_item(&w, 2, "#pragma once");
    for (uint32_t k = 0; k < CORPUS_INLINES; k++)
        add_inline_function(&w, k);
    const uint8_t *p = h->entries;
    for (const uint8_t *end = p + h->cut[h->cuts - 1].entries; p < end;)
        p = add_entry(&w, p);
    if (!w.items.failed && !w.text.failed)
        put_items(&w, out);
    const bool made = !w.items.failed && !w.text.failed && !out->failed;
    bytes_free(&w.items);
    bytes_free(&w.text);
    return made;
}
