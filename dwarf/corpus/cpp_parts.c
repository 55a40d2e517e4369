/* What the makers of a C++ header share (cpp_parts.h): types that are made of others, each once; names; what an index
 * of names lists; declarations of functions. */
#include "dwarf/corpus/cpp_parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/apart.h"
#include "base/words.h"

/* --- types ------------------------------------------------------------------------ */

static const uint8_t derived_codes[CPP_KINDS] = {
    [CPP_CONST] = ABBREV_CONST,
    [CPP_POINTER] = ABBREV_POINTER,
    [CPP_REFERENCE] = ABBREV_REFERENCE,
    [CPP_RVALUE_REFERENCE] = ABBREV_RVALUE_REFERENCE,
};

uint16_t cpp_derive(struct header_builder *b, enum cpp_kind kind, uint16_t of)
{
    struct cpp_header *h = b->cpp;
    if (of == CPP_NONE || h->type[of].derived[kind])
        return of == CPP_NONE ? CPP_NONE : h->type[of].derived[kind];
    struct cpp_type t = {.kind = (uint8_t)kind, .of = of, .complete = true, .size = 8, .align = 8, .offset = here(b)};
    if (kind == CPP_CONST) {
        t.complete = false;
        t.size = h->type[of].size;
        t.align = h->type[of].align;
    }
    uint16_t number = cpp_add(h, &t);
    if (number == CPP_NONE)
        return CPP_NONE;
    bytes_u8(&b->entries, derived_codes[kind]);
    if (kind != CPP_CONST)
        corpus_put_constant(b, 8);
    bytes_u32(&b->entries, h->type[of].offset);
    if (kind == CPP_POINTER) /* arrays and pointers are not made of references */
        corpus_remember(b, t.offset, 8, 8);
    return number;
}

void cpp_settle(struct header_builder *b, uint16_t class)
{
    const struct cpp_type *t = &b->cpp->type[class];
    for (unsigned kind = CPP_CONST; kind < CPP_KINDS; kind++) {
        if (!t->derived[kind])
            continue;
        uint32_t constant = kind == CPP_CONST ? 0 : dialect_constant(b->corpus->dialect);
        uint32_t entry = b->cpp->type[t->derived[kind]].offset - b->corpus->start;
        bytes_patch_u32(&b->entries, entry + 1 + constant, t->offset);
    }
}

/* Whether a type has no long name in it, which mangled names would repeat for each parameter. Where names of classes
 * are as usual, none is long. */
static bool is_brief(const struct header_builder *b, uint16_t number)
{
    enum { LONGEST = 64 };
    const struct cpp_header *const h = b->cpp;
    const struct cpp_type *t = &h->type[number];
    if (!b->corpus->manner.class_names)
        return true;
    while (t->kind >= CPP_TYPEDEF)
        t = &h->type[t->of];
    return t->kind != CPP_CLASS || t->name.length <= LONGEST;
}

uint16_t cpp_parameter_type(struct header_builder *b)
{
    static const uint8_t usual[] = {BASE_INT,  BASE_INT,  BASE_DOUBLE, BASE_UNSIGNED_LONG,
                                    BASE_LONG, BASE_BOOL, CPP_STRING};
    struct cpp_header *h = b->cpp;
    const uint32_t recent = 160;
    for (unsigned tries = 0; tries < 4 && pick(b, 5) > 1; tries++) {
        uint32_t first = h->types > recent && pick(b, 4) ? h->types - recent : 0;
        uint32_t number = first + pick(b, h->types - first);
        if (h->type[number].complete && is_brief(b, (uint16_t)number))
            return (uint16_t)number;
    }
    return usual[pick(b, sizeof usual)];
}

/* --- names ------------------------------------------------------------------------- */

struct cpp_text cpp_text_at(const struct header_builder *b, uint32_t name)
{
    if (b->corpus->strings.failed)
        return (struct cpp_text){0, 0};
    return (struct cpp_text){name, (uint32_t)strlen((const char *)b->corpus->strings.data + name)};
}

/* Puts a number behind the first `length` characters of `text`, which has `room` bytes; adds that to the strings. */
static struct cpp_text numbered_name(struct header_builder *b, char *text, size_t room, uint32_t length)
{
    snprintf(text + length, room - length, "%u", (unsigned)next_serial(b));
    return cpp_text_at(b, corpus_add_string(b, text));
}

struct cpp_text cpp_class_name(struct header_builder *b, uint32_t least, uint32_t most)
{
    char text[96];
    uint32_t length = least + pick(b, most - least + 1);
    words_camel_case(random_next(&b->random), length, text);
    return numbered_name(b, text, sizeof text, length);
}

struct cpp_text cpp_name(struct header_builder *b, uint32_t least, uint32_t most)
{
    char text[96];
    uint32_t length = least + pick(b, most - least + 1);
    words_identifier(random_next(&b->random), length, text);
    return numbered_name(b, text, sizeof text, length);
}

static const char *strings_of(const struct header_builder *b)
{
    return (const char *)b->corpus->strings.data;
}

/* A type for a template's argument whose name is not too long. */
static uint16_t argument_type(struct header_builder *b)
{
    static const uint8_t usual[] = {BASE_DOUBLE, BASE_INT, BASE_DOUBLE, BASE_UNSIGNED_LONG, BASE_FLOAT, BASE_CHAR};
    enum { LONGEST = 64 };
    const struct cpp_header *h = b->cpp;
    for (unsigned tries = 0; tries < 8 && pick(b, 8); tries++) {
        uint32_t number = CPP_FIRST + pick(b, h->types - CPP_FIRST);
        const struct cpp_type *t = &h->type[number];
        const struct cpp_type *named = t->kind == CPP_POINTER ? &h->type[t->of] : t;
        if (named->kind == CPP_CLASS && t->complete && named->name.length <= LONGEST)
            return (uint16_t)number;
    }
    return usual[pick(b, sizeof usual)];
}

bool cpp_chance(struct header_builder *b, uint32_t usual, uint32_t of, uint32_t times)
{
    return pick(b, of * MANNER_USUAL) < usual * times;
}

bool cpp_leaves_out(struct header_builder *b, uint32_t n)
{
    return b->repeats && random_below(random_next(&b->variety), n) == 0;
}

struct cpp_arguments cpp_arguments(struct header_builder *b, bool two, bool numbered)
{
    const uint16_t first = argument_type(b);
    const uint16_t second = two ? argument_type(b) : CPP_NONE;
    return (struct cpp_arguments){.type = {first, second}, .value = numbered ? (int16_t)pick(b, 16) : -1};
}

uint32_t cpp_class_length(struct header_builder *b)
{
    static const uint8_t eighths[] = {2, 4, 6, 8, 8, 10, 12, 14};
    const struct cpp_header *const h = b->cpp;
    const uint64_t all = b->corpus->manner.class_names * (h->classes + 1);
    const uint64_t due = all > h->class_bytes ? all - h->class_bytes : 0;
    return (uint32_t)(due * eighths[pick(b, sizeof eighths)] / 8);
}

void cpp_note_class(struct header_builder *b, struct cpp_text name)
{
    b->cpp->classes++;
    b->cpp->class_bytes += name.length;
}

/* A type for a template's argument, of those that were tried the one whose name is nearest to so many characters. */
static uint16_t argument_of(struct header_builder *b, uint32_t length)
{
    static const uint8_t usual[] = {BASE_DOUBLE, BASE_INT, BASE_UNSIGNED_LONG, BASE_CHAR};
    enum { LONGEST = 400, TRIES = 12, BASE = 6 };
    const struct cpp_header *const h = b->cpp;
    uint16_t nearest = usual[pick(b, sizeof usual)];
    uint64_t off = apart(length, BASE);
    for (unsigned i = 0; i < TRIES; i++) {
        const uint32_t number = CPP_FIRST + pick(b, h->types - CPP_FIRST);
        const struct cpp_type *const t = &h->type[number];
        const struct cpp_type *const named = t->kind == CPP_POINTER ? &h->type[t->of] : t;
        const bool may = named->kind == CPP_CLASS && t->complete && named->name.length <= LONGEST;
        if (!may || apart(named->name.length, length) >= off)
            continue;
        off = apart(named->name.length, length);
        nearest = (uint16_t)number;
    }
    return nearest;
}

struct cpp_arguments cpp_class_arguments(struct header_builder *b, bool two, bool numbered, uint32_t length)
{
    if (!b->corpus->manner.class_names)
        return cpp_arguments(b, two, numbered);
    const uint32_t all = length > CPP_TEMPLATE_NAME ? length - CPP_TEMPLATE_NAME : 0;
    const uint32_t first = two ? all / 4 * (1 + pick(b, 3)) : all;
    const uint16_t type = argument_of(b, first);
    return (struct cpp_arguments){.type = {type, two ? argument_of(b, all - first) : CPP_NONE},
                                  .value = numbered ? (int16_t)pick(b, 16) : -1};
}

void cpp_template_parameters(struct header_builder *b, const struct cpp_arguments *arguments)
{
    const uint32_t names[] = {b->corpus->name_t, b->cpp->name_second};
    for (uint32_t i = 0; i < 2 && arguments->type[i] != CPP_NONE; i++) {
        bytes_u8(&b->entries, (uint8_t)named_code(ABBREV_TEMPLATE_TYPE, names[i]));
        corpus_put_name(b, names[i]);
        bytes_u32(&b->entries, b->cpp->type[arguments->type[i]].offset);
    }
    if (arguments->value < 0)
        return;
    bytes_u8(&b->entries, ABBREV_TEMPLATE_VALUE);
    corpus_put_name(b, b->corpus->name_n);
    bytes_u32(&b->entries, corpus_type(b->corpus, BASE_INT));
    bytes_u8(&b->entries, (uint8_t)arguments->value);
}

/* --- for an index of names ----------------------------------------------------------- */

void cpp_list_type(struct header_builder *b, uint16_t type, enum abbrev_code code)
{
    char text[CPP_TEXT_MOST] = "";
    if (b->corpus->dialect.index == INDEX_GDB && !b->corpus->strings.failed)
        cpp_print_canonical(b->cpp, strings_of(b), type, text);
    corpus_list_entry(b, here(b), code, b->cpp->type[type].name.at, text);
}

void cpp_list_nested(struct header_builder *b, uint16_t class, uint32_t name, enum abbrev_code code)
{
    char text[CPP_TEXT_MOST + 64] = "";
    if (b->corpus->dialect.index == INDEX_GDB && !b->corpus->strings.failed) {
        uint32_t length = cpp_print_canonical(b->cpp, strings_of(b), class, text);
        snprintf(text + length, sizeof text - length, "::%s", strings_of(b) + name);
    }
    corpus_list_entry(b, here(b), code, name, text);
}

void cpp_list_method(struct header_builder *b, const struct cpp_method *m, enum abbrev_code code)
{
    char text[CPP_TEXT_MOST] = "";
    if (b->corpus->dialect.index == INDEX_GDB && !b->corpus->strings.failed)
        cpp_print_method(b->cpp, strings_of(b), &m->f, text);
    corpus_list_entry(b, here(b), code, m->f.name.at, text);
}

/* --- functions ---------------------------------------------------------------------- */

size_t cpp_open_scope(struct header_builder *b, uint32_t scope)
{
    const struct cpp_text name = b->cpp->scope[scope];
    corpus_list_entry(b, here(b), ABBREV_NAMESPACE, name.at, NULL);
    bytes_u8(&b->entries, ABBREV_NAMESPACE);
    corpus_put_name(b, name.at);
    corpus_declare(b, corpus_next_line(b));
    return bytes_u32(&b->entries, 0);
}

void cpp_choose_parameters(struct header_builder *b, struct cpp_function *f)
{
    uint32_t r = pick(b, 100);
    f->count = r < 34 ? 0 : r < 74 ? 1 : r < 92 ? 2 : 3 + pick(b, CPP_PARAMETERS_MOST - 2);
    for (uint32_t i = 0; i < f->count; i++)
        f->parameter[i] = cpp_parameter_type(b);
}

/* The name in the function's entry: its own or, for an instance of a template, that with the arguments. */
static uint32_t entry_name(struct header_builder *b, const struct cpp_function *f)
{
    char text[CPP_TEXT_MOST];
    if (!f->is_template || b->corpus->strings.failed)
        return f->name.at;
    cpp_print_instance(b->cpp, strings_of(b), f->name, &f->arguments, text);
    return corpus_add_string(b, text);
}

static uint32_t linkage_name(struct header_builder *b, const struct cpp_function *f)
{
    char text[CPP_TEXT_MOST];
    if (b->corpus->strings.failed)
        return 0;
    cpp_mangle(b->cpp, strings_of(b), f, text);
    return corpus_add_string(b, text);
}

void cpp_declare(struct header_builder *b, struct cpp_method *m, enum abbrev_code code, uint32_t slot)
{
    const struct cpp_function *f = &m->f;
    const bool open = code == ABBREV_OPEN_METHOD || code == ABBREV_OPEN_CONSTRUCTOR || code == ABBREV_SCOPE_FUNCTION;
    const bool returns = code != ABBREV_CONSTRUCTOR && code != ABBREV_OPEN_CONSTRUCTOR;
    const bool has_object = !m->is_static && code != ABBREV_SCOPE_FUNCTION;
    size_t object = 0;
    assert(!returns || f->result != CPP_VOID);
    m->at = here(b);
    const enum abbrev_code last = m->is_last ? abbrev_last(b->corpus->dialect, code) : ABBREV_END;
    bytes_u8(&b->entries, (uint8_t)(last ? last : code));
    corpus_put_name(b, entry_name(b, f));
    corpus_declare(b, m->line);
    m->linkage_name = linkage_name(b, f);
    corpus_put_name(b, m->linkage_name);
    if (returns)
        bytes_u32(&b->entries, b->cpp->type[f->result].offset);
    if (code == ABBREV_VIRTUAL_METHOD) {
        bytes_u8(&b->entries, DW_VIRTUALITY_virtual);
        bytes_u8(&b->entries, 2); /* slots are fewer than 128 */
        bytes_u8(&b->entries, DW_OP_constu);
        bytes_u8(&b->entries, (uint8_t)slot);
        bytes_u32(&b->entries, b->cpp->type[f->class].offset);
    }
    if (code == ABBREV_CONSTRUCTOR)
        corpus_put_constant(b, DW_ACCESS_public);
    else if (!open)
        bytes_u8(&b->entries, DW_ACCESS_public);
    if (has_object)
        object = bytes_u32(&b->entries, 0);
    if (code == ABBREV_STATIC_METHOD_LEAF)
        return;
    const size_t sibling = last ? NO_SIBLING : bytes_u32(&b->entries, 0);
    if (f->is_template)
        cpp_template_parameters(b, &f->arguments);
    if (has_object) {
        bytes_patch_u32(&b->entries, object, here(b));
        bytes_u8(&b->entries, ABBREV_THIS);
        bytes_u32(&b->entries, m->object);
    }
    for (uint32_t i = 0; i < f->count; i++) {
        bytes_u8(&b->entries, ABBREV_TYPE_PARAMETER);
        bytes_u32(&b->entries, b->cpp->type[f->parameter[i]].offset);
    }
    corpus_end_children(b, sibling);
}
