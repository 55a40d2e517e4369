/* Classes and structures of a C++ header; see cpp_parts.h. In the order of the entries:
 *
 *     pointer, const, references            types made of the class, put before it
 *     class Name, or of a template          in the namespace that is open
 *       inheritance                         from a class that was there before
 *       members, types, methods
 *       template parameters
 *     abstract instances of some methods    with the names of their parameters; if the class is in a
 *                                           namespace, behind that
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/corpus/cpp_parts.h"

enum { METHODS_MOST = 56, TYPEDEFS_MOST = 14, MEMBERS_MOST = 24 };
static_assert(METHODS_MOST + TYPEDEFS_MOST + MEMBERS_MOST < SCOPE_NAMES, "a class has a name for each");

/* A class under construction. */
struct plan {
    uint16_t number;
    uint16_t pointer, const_pointer; /* types of pointers to the class and to a constant one, or CPP_NONE */
    struct cpp_base *base;           /* or NULL */
    struct cpp_base self;
    struct cpp_text plain_name; /* its name without template arguments */
    bool is_structure;
    bool inlined; /* some of its methods are inlined */
    uint32_t members, typedefs, methods;
    struct scope scope; /* names of members, types and methods */
    struct cpp_method method[METHODS_MOST];
};

/* Scales a usual number by `times`, in 1/MANNER_USUAL, up to `most`. Numbers are small, so it is rounded at random: the
 * average comes out right. */
static uint32_t in_manner(struct header_builder *b, uint32_t usual, uint32_t times, uint32_t most)
{
    const uint32_t part = times == MANNER_USUAL ? 0 : pick(b, MANNER_USUAL);
    const uint32_t count = (usual * times + part) / MANNER_USUAL;
    return count < most ? count : most;
}

/* Almost half of all classes have a few methods, some have very many. */
static uint32_t methods_count(struct header_builder *b, bool is_structure)
{
    uint32_t r = pick(b, 20);
    const uint32_t usual = is_structure ? (r < 9    ? pick(b, 2)
                                           : r < 17 ? 2 + pick(b, 5)
                                                    : 7 + pick(b, 9))
                           : r < 8      ? 3 + pick(b, 5)
                           : r < 15     ? 8 + pick(b, 10)
                                        : 28 + pick(b, 28);
    return in_manner(b, usual, b->corpus->manner.methods, METHODS_MOST);
}

/* --- before the class ------------------------------------------------------------- */

static bool is_there(const struct cpp_header *h, uint32_t template, const struct cpp_arguments *arguments)
{
    for (uint32_t i = CPP_FIRST; i < h->types; i++) {
        const struct cpp_type *t = &h->type[i];
        if (t->kind == CPP_CLASS && t->template == template && t->arguments.type[0] == arguments->type[0] &&
            t->arguments.type[1] == arguments->type[1] && t->arguments.value == arguments->value)
            return true;
    }
    return false;
}

/* Names the class: as an instance of a template that the header does not have yet, or by a name of its own. */
static void name_class(struct header_builder *b, struct plan *p, struct cpp_type *class)
{
    struct cpp_header *h = b->cpp;
    class->template = CPP_NONE;
    class->scope = h->open;
    const bool is_usual = !b->corpus->manner.class_names;
    const uint32_t length = is_usual ? 0 : cpp_class_length(b);
    const bool is_instance = is_usual ? pick(b, 20) < 11 : length > 2 * CPP_TEMPLATE_NAME;
    if (is_instance && !b->corpus->strings.failed) {
        const uint32_t number = h->open == CPP_NONE ? pick(b, CPP_OUTER_TEMPLATES)
                                                    : CPP_OUTER_TEMPLATES + pick(b, CPP_TEMPLATES_OF_SCOPE) +
                                                          (h->open - 1u) * CPP_TEMPLATES_OF_SCOPE;
        const struct cpp_template *t = &h->template[number];
        class->arguments = cpp_class_arguments(b, t->two, t->numbered, length);
        if (!is_there(h, number, &class->arguments)) {
            char text[CPP_TEXT_MOST];
            cpp_print_instance(h, (const char *)b->corpus->strings.data, t->name, &class->arguments, text);
            class->name = cpp_text_at(b, corpus_add_string(b, text));
            class->template = (uint16_t)number;
            p->plain_name = t->name;
            return;
        }
    }
    class->name = p->plain_name = cpp_class_name(b, 5, 17);
}

static void choose_base(struct header_builder *b, struct plan *p)
{
    struct cpp_header *h = b->cpp;
    const uint32_t most = sizeof h->base / sizeof h->base[0];
    const uint32_t count = h->bases < most ? h->bases : most;
    if (count && pick(b, 20) < 7)
        p->base = &h->base[pick(b, count)];
    if (p->base) {
        p->self.has_vtable = p->base->has_vtable;
        p->self.virtuals = p->base->virtuals;
        p->self.root = p->base->root;
    } else {
        p->self.has_vtable = !p->is_structure && pick(b, 4) == 0;
        p->self.root = p->number;
    }
}

/* Puts the types that are made of the class. */
static void derive_types(struct header_builder *b, struct plan *p)
{
    const uint32_t derived = b->corpus->manner.derived;
    p->pointer = p->methods || pick(b, 4) == 0 ? cpp_derive(b, CPP_POINTER, p->number) : CPP_NONE;
    if (cpp_chance(b, 7, 10, derived)) {
        uint16_t constant = cpp_derive(b, CPP_CONST, p->number);
        if (pick(b, 10) < 4)
            p->const_pointer = cpp_derive(b, CPP_POINTER, constant);
        if (cpp_chance(b, 9, 10, derived))
            cpp_derive(b, CPP_REFERENCE, constant);
    }
    if (cpp_chance(b, 6, 10, derived))
        cpp_derive(b, CPP_REFERENCE, p->number);
    if (cpp_chance(b, 3, 10, derived) && b->cpp->laters < CPP_LATER_MOST)
        b->cpp->later[b->cpp->laters++] = p->number;
    p->inlined = p->methods && pick(b, 2);
    if (p->inlined)
        cpp_derive(b, CPP_CONST, p->pointer); /* the type of `this` */
    if (p->inlined && p->const_pointer != CPP_NONE)
        cpp_derive(b, CPP_CONST, p->const_pointer);
}

/* --- in the class -------------------------------------------------------------------- */

static void add_inheritance(struct header_builder *b, const struct plan *p)
{
    bytes_u8(&b->entries, ABBREV_INHERITANCE);
    bytes_u32(&b->entries, b->cpp->type[p->base->type].offset);
    bytes_u8(&b->entries, 0);
    corpus_put_constant(b, DW_ACCESS_public);
}

static void add_vtable_member(struct header_builder *b, const struct plan *p)
{
    char text[96] = "_vptr.";
    if (!b->corpus->strings.failed)
        strncat(text, (const char *)b->corpus->strings.data + p->plain_name.at, sizeof text - sizeof "_vptr.");
    bytes_u8(&b->entries, ABBREV_VTABLE_MEMBER);
    corpus_put_name(b, corpus_add_string(b, text));
    bytes_u32(&b->entries, b->cpp->vtable_pointer);
    bytes_u8(&b->entries, 0);
}

/* Adds members, aligned, one behind the other from offset *size on. */
static void add_class_members(struct header_builder *b, struct plan *p, uint32_t *size, uint32_t *align)
{
    for (uint32_t i = 0; i < p->members; i++) {
        struct known_type type = corpus_sized_type(b, 48);
        uint32_t place = (*size + type.align - 1) & ~(type.align - 1);
        bool is_protected = !p->is_structure && pick(b, 2);
        if (place + type.size > 240)
            break;
        const uint32_t name = is_protected ? corpus_member_name(b, &p->scope) : corpus_variable_name(b, &p->scope, 1);
        bytes_u8(&b->entries, is_protected          ? ABBREV_PROTECTED_MEMBER
                              : short_name_is(name) ? ABBREV_MEMBER_SHORT
                                                    : ABBREV_MEMBER);
        corpus_put_name(b, name);
        corpus_declare(b, corpus_next_line(b));
        bytes_u32(&b->entries, type.offset);
        bytes_u8(&b->entries, (uint8_t)place);
        if (is_protected)
            bytes_u8(&b->entries, DW_ACCESS_protected);
        *size = place + type.size;
        *align = type.align > *align ? type.align : *align;
    }
}

static void add_class_typedefs(struct header_builder *b, struct plan *p)
{
    for (uint32_t i = 0; i < p->typedefs; i++) {
        uint32_t of = b->cpp->type[cpp_parameter_type(b)].offset;
        uint32_t name = corpus_member_name(b, &p->scope);
        cpp_list_nested(b, p->number, name, ABBREV_TYPEDEF);
        bytes_u8(&b->entries, ABBREV_TYPEDEF);
        corpus_put_name(b, name);
        corpus_declare(b, corpus_next_line(b));
        bytes_u32(&b->entries, of);
    }
}

/* Whether method i is the class's last child. In an instance of a template, template parameters stand behind the
 * methods. */
static bool is_last(const struct header_builder *b, const struct plan *p, uint32_t i)
{
    return i + 1 == p->methods && b->cpp->type[p->number].template == CPP_NONE;
}

/* Constructors come first. Each has one parameter more than the one before, so no two are alike. */
static uint32_t add_constructors(struct header_builder *b, struct plan *p, uint32_t most)
{
    uint32_t count = most < 2 ? most : 1 + pick(b, most < 8 ? 2 : 4);
    uint32_t least = pick(b, 2);
    for (uint32_t i = 0; i < count; i++) {
        struct cpp_method *m = &p->method[i];
        *m = (struct cpp_method){.f = {.kind = CPP_CONSTRUCTOR, .class = p->number, .name = p->plain_name},
                                 .line = corpus_next_line(b),
                                 .is_last = is_last(b, p, i),
                                 .object = b->cpp->type[p->pointer].offset};
        m->f.count = least + i;
        for (uint32_t j = 0; j < m->f.count; j++)
            m->f.parameter[j] = cpp_parameter_type(b);
        cpp_declare(b, m, p->is_structure ? ABBREV_OPEN_CONSTRUCTOR : ABBREV_CONSTRUCTOR, 0);
    }
    return count;
}

static void add_destructor(struct header_builder *b, struct plan *p, struct cpp_method *m)
{
    char text[CPP_TEXT_MOST] = "~";
    if (!b->corpus->strings.failed)
        strncat(text, (const char *)b->corpus->strings.data + p->plain_name.at, p->plain_name.length);
    *m = (struct cpp_method){.f = {.kind = CPP_DESTRUCTOR, .class = p->number},
                             .line = corpus_next_line(b),
                             .object = b->cpp->type[p->pointer].offset};
    m->f.name = cpp_text_at(b, corpus_add_string(b, text));
    cpp_declare(b, m, p->is_structure ? ABBREV_OPEN_CONSTRUCTOR : ABBREV_CONSTRUCTOR, 0);
}

/* Adds a method. Of six, one is static, and one virtual if the class may have it. Half of those that are not static are
 * const, if there is a pointer to a constant object. Returns whether the method is virtual. */
static bool add_method(struct header_builder *b, struct plan *p, struct cpp_method *m)
{
    const struct cpp_header *h = b->cpp;
    const uint32_t r = pick(b, 12);
    *m = (struct cpp_method){.f = {.kind = CPP_ORDINARY, .class = p->number},
                             .line = corpus_next_line(b),
                             .is_last = is_last(b, p, (uint32_t)(m - p->method))};
    m->f.name = cpp_text_at(b, corpus_member_name(b, &p->scope));
    cpp_choose_parameters(b, &m->f);
    m->is_static = r < 2;
    bool is_virtual = (r & ~1u) == 2 && p->self.has_vtable && p->self.virtuals < 100;
    m->f.is_template = !is_virtual && cpp_chance(b, 1, 40, b->corpus->manner.templates);
    if (m->f.is_template) {
        const bool numbered = cpp_chance(b, 1, 32, b->corpus->manner.numbers);
        m->f.arguments = cpp_arguments(b, pick(b, 4) == 0, numbered);
    }
    m->f.is_const = !m->is_static && p->const_pointer != CPP_NONE && pick(b, 2);
    m->object = h->type[m->f.is_const ? p->const_pointer : p->pointer].offset;
    m->f.result = cpp_parameter_type(b);
    if (is_virtual) {
        cpp_declare(b, m, ABBREV_VIRTUAL_METHOD, p->self.virtuals++);
    } else if (m->is_static) {
        bool leaf = !m->f.count && !m->f.is_template;
        cpp_declare(b, m, leaf ? ABBREV_STATIC_METHOD_LEAF : ABBREV_STATIC_METHOD, 0);
    } else if (pick(b, 5) < 2) {
        m->f.result = CPP_VOID;
        cpp_declare(b, m, p->is_structure ? ABBREV_OPEN_CONSTRUCTOR : ABBREV_CONSTRUCTOR, 0);
    } else {
        cpp_declare(b, m, p->is_structure ? ABBREV_OPEN_METHOD : ABBREV_METHOD, 0);
    }
    return is_virtual;
}

static void add_methods(struct header_builder *b, struct plan *p)
{
    uint32_t i = p->methods ? add_constructors(b, p, p->methods) : 0;
    if (i + 2 < p->methods && pick(b, 3))
        add_destructor(b, p, &p->method[i++]);
    for (; i < p->methods; i++) {
        const size_t before = b->entries.size;
        bool is_virtual = add_method(b, p, &p->method[i]);
        if (i && !is_virtual && cpp_leaves_out(b, 8) && !p->method[i].is_last) {
            b->entries.size = before;
            p->method[i].at = 0;
        }
    }
}

static enum abbrev_code class_code(const struct plan *p)
{
    return p->is_structure ? ABBREV_STRUCTURE : p->self.has_vtable ? ABBREV_VIRTUAL_CLASS : ABBREV_CLASS;
}

static void begin_class(struct header_builder *b, const struct plan *p, size_t *byte_size, size_t *sibling)
{
    const struct cpp_type *t = &b->cpp->type[p->number];
    bytes_u8(&b->entries, (uint8_t)class_code(p));
    corpus_put_name(b, t->name.at);
    *byte_size = bytes_u8(&b->entries, 0);
    corpus_declare(b, corpus_next_line(b));
    if (p->self.has_vtable && !p->is_structure)
        bytes_u32(&b->entries, b->cpp->type[p->self.root].offset);
    *sibling = bytes_u32(&b->entries, 0);
}

/* --- behind it --------------------------------------------------------------------------- */

/* Whether a method is inlined in units that include this header. The headers of a group share the order of pick(), so
 * this may not take a number from it; nor may what is told of the method, which is the same in all that inline it. */
static bool is_inlined(struct header_builder *b)
{
    return random_below(random_next(&b->variety), 3) == 0;
}

static struct random details_of(const struct header_builder *b, const struct cpp_method *m)
{
    return (struct random){random_at(random_at(b->corpus->key, 3 * CORPUS_NAMES + b->group), m->line)};
}

/* A name of parameters and locals. Those of up to eight numbers in a row differ. */
static uint32_t common_name(const struct header_builder *b, struct random *details, uint32_t number)
{
    return b->corpus->name[(random_below(random_next(details), CORPUS_NAMES / 8) * 8 + number % 8) % CORPUS_NAMES];
}

static void declare_at(struct header_builder *b, struct random *details, uint32_t line)
{
    bytes_u8(&b->entries, DIALECT_HEADER_FILE);
    bytes_u16(&b->entries, (uint16_t)line);
    bytes_u8(&b->entries, (uint8_t)(1 + random_below(random_next(details), 40)));
}

/* Whether a value of a type is a number or a pointer of at most eight bytes. Sets *is_double. */
static bool is_word(const struct cpp_header *h, uint16_t number, bool *is_double)
{
    const struct cpp_type *t = &h->type[number];
    for (; t->kind == CPP_TYPEDEF || t->kind == CPP_CONST; number = t->of, t = &h->type[number])
        ;
    *is_double = number == BASE_DOUBLE;
    return (t->kind == CPP_BASE && number != CPP_VOID && number != BASE_FLOAT && number != CPP_STRING &&
            t->size <= sizeof(uint64_t)) ||
           t->kind == CPP_POINTER;
}

/* Whether two entries of functions are laid out alike: what an inlined call of one has can be of the other. */
static bool is_laid_out_alike(const struct corpus_inline *f, const struct corpus_inline *g)
{
    bool is_alike = f->children <= g->children && (!f->block || f->block - f->at == g->block - g->at);
    for (uint32_t i = 0; i < f->children && is_alike; i++)
        is_alike = f->child[i] - f->at == g->child[i] - g->at;
    return is_alike;
}

/* Lists an abstract instance for each shape of inline functions whose calls could be its own. */
static void list_alike(struct header_builder *b, struct corpus_inline *f)
{
    bool done[CORPUS_SHAPES + 1] = {[CORPUS_SHAPES] = true};
    for (uint32_t k = 0; k < CORPUS_INLINES && !b->corpus->dialect.type_units; k++) {
        const struct corpus_inline *other = &b->corpus->inlines[k];
        if (other->doubles != f->doubles || f->children - f->variables != other->children - other->variables)
            continue;
        const uint32_t shape = corpus_shape(other);
        if (done[shape] || !is_laid_out_alike(other, f))
            continue;
        bytes_u32(&b->alike[shape], f->at);
        done[shape] = true;
    }
}

/* Adds the abstract instance of an inlined method; its parameters have names. */
static void add_abstract(struct header_builder *b, const struct cpp_abstract *a)
{
    const struct cpp_header *h = b->cpp;
    const struct cpp_method *m = &a->method;
    struct corpus_inline f = {.at = here(b)};
    bool is_alike = !m->is_static && !m->f.is_template && m->f.count < CORPUS_INLINE_PARAMETERS;
    size_t object = 0;
    struct random details = details_of(b, m);
    cpp_list_method(b, m, ABBREV_ABSTRACT_METHOD);
    bytes_u8(&b->entries, m->is_static ? ABBREV_ABSTRACT_STATIC : ABBREV_ABSTRACT_METHOD);
    bytes_u32(&b->entries, m->at);
    corpus_put_constant(b, DW_INL_declared_inlined);
    if (!m->is_static)
        object = bytes_u32(&b->entries, 0);
    size_t sibling = bytes_u32(&b->entries, 0);
    if (m->f.is_template)
        cpp_template_parameters(b, &m->f.arguments);
    if (!m->is_static) {
        bytes_patch_u32(&b->entries, object, here(b));
        f.child[f.children++] = here(b);
        bytes_u8(&b->entries, ABBREV_ABSTRACT_THIS);
        corpus_put_name(b, b->corpus->name_this);
        bytes_u32(&b->entries, h->type[h->type[a->pointer].derived[CPP_CONST]].offset);
    }
    for (uint32_t j = 0; j < m->f.count; j++) {
        const uint32_t name = common_name(b, &details, j);
        bool is_double = false;
        is_alike = is_alike && is_word(h, m->f.parameter[j], &is_double);
        if (is_alike) {
            f.doubles |= (uint8_t)(is_double << f.children);
            f.child[f.children++] = here(b);
        }
        bytes_u8(&b->entries, (uint8_t)named_code(ABBREV_INLINE_PARAMETER, name));
        corpus_put_name(b, name);
        declare_at(b, &details, m->line);
        bytes_u32(&b->entries, h->type[m->f.parameter[j]].offset);
    }
    if (random_below(random_next(&details), 16) == 0 || (m->is_static && !m->f.count)) {
        f.block = here(b);
        bytes_u8(&b->entries, ABBREV_ABSTRACT_BLOCK);
        const uint32_t name = common_name(b, &details, m->f.count);
        if (is_alike) {
            f.child[f.children++] = here(b);
            f.variables++;
        }
        bytes_u8(&b->entries, (uint8_t)named_code(ABBREV_INLINE_VARIABLE, name));
        corpus_put_name(b, name);
        declare_at(b, &details, m->line + 1);
        bytes_u32(&b->entries, corpus_type(b->corpus, BASE_UNSIGNED_LONG));
        corpus_end_children(b, NO_SIBLING);
    }
    corpus_end_children(b, sibling);
    if (is_alike)
        list_alike(b, &f);
}

static void put_off(struct header_builder *b, const struct plan *p, const struct cpp_method *m)
{
    struct cpp_header *h = b->cpp;
    const uint16_t pointer = m->is_static ? CPP_NONE : m->f.is_const ? p->const_pointer : p->pointer;
    if (h->abstracts - h->abstracts_put < CPP_ABSTRACTS_MOST)
        h->abstract[h->abstracts++ % CPP_ABSTRACTS_MOST] = (struct cpp_abstract){*m, pointer};
}

void cpp_add_abstracts(struct header_builder *b)
{
    enum { FEW = 6 };
    struct cpp_header *h = b->cpp;
    for (unsigned i = 0; i < FEW && h->abstracts_put < h->abstracts; i++)
        add_abstract(b, &h->abstract[h->abstracts_put++ % CPP_ABSTRACTS_MOST]);
}

/* Remembers a class that others may be derived from. Only the last few are kept. */
static void remember_base(struct cpp_header *h, const struct plan *p)
{
    const uint32_t most = sizeof h->base / sizeof h->base[0];
    h->base[h->bases++ % most] = p->self;
}

static void put_class(struct header_builder *b, struct plan *p)
{
    struct cpp_header *h = b->cpp;
    struct cpp_type *class = &h->type[p->number];
    size_t byte_size;
    size_t sibling;
    derive_types(b, p);
    class->offset = here(b);
    cpp_settle(b, p->number);
    cpp_list_type(b, p->number, class_code(p));
    begin_class(b, p, &byte_size, &sibling);
    uint32_t size = 0;
    uint32_t align = 1;
    if (p->base) {
        const struct cpp_type *base = &h->type[p->base->type];
        add_inheritance(b, p);
        size = base->size;
        align = base->align;
    } else if (p->self.has_vtable) {
        add_vtable_member(b, p);
        size = align = 8;
    }
    add_class_members(b, p, &size, &align);
    add_class_typedefs(b, p);
    add_methods(b, p);
    if (class->template != CPP_NONE)
        cpp_template_parameters(b, &class->arguments);
    corpus_end_children(b, sibling);
    size = (size + align - 1) & ~(align - 1);
    class->size = size ? size : 1;
    class->align = align;
    class->complete = true;
    if (!b->entries.failed)
        b->entries.data[byte_size] = (uint8_t) class->size;
    if (h->type[p->number].derived[CPP_CONST]) {
        h->type[h->type[p->number].derived[CPP_CONST]].size = class->size;
        h->type[h->type[p->number].derived[CPP_CONST]].align = align;
    }
    corpus_remember(b, class->offset, class->size, align);
}

/* Most classes have no member or one. */
static uint32_t members_count(struct header_builder *b)
{
    const uint32_t usual = pick(b, 6) ? pick(b, 2) : 1 + pick(b, 3);
    return in_manner(b, usual, b->corpus->manner.members, MEMBERS_MOST);
}

void cpp_add_class(struct header_builder *b, bool is_structure)
{
    struct cpp_header *h = b->cpp;
    struct plan *p = calloc(1, sizeof *p);
    struct cpp_type class = {.kind = CPP_CLASS};
    if (!p || h->types + 16 > CPP_TYPES_MOST) {
        b->entries.failed |= !p;
        free(p);
        return;
    }
    p->is_structure = is_structure;
    p->const_pointer = CPP_NONE;
    name_class(b, p, &class);
    cpp_note_class(b, class.name);
    p->number = cpp_add(h, &class);
    choose_base(b, p);
    p->self.type = p->number;
    p->members = members_count(b);
    p->typedefs = pick(b, 2) ? 0 : in_manner(b, 1 + pick(b, 7), b->corpus->manner.typedefs, TYPEDEFS_MOST);
    p->methods = methods_count(b, is_structure);
    p->members += !p->methods; /* a class has a member or a method at least */
    if (p->base && p->base->has_vtable && is_structure)
        p->self.has_vtable = false; /* structures are described without a virtual table */
    put_class(b, p);
    if (h->type[p->number].size <= 120 && !(is_structure && p->base && p->base->has_vtable))
        remember_base(h, p);
    for (uint32_t i = 0; i < p->methods; i++)
        if (is_inlined(b) && p->inlined && p->method[i].at)
            put_off(b, p, &p->method[i]);
    if (!b->open)
        cpp_add_abstracts(b);
    free(p);
}
