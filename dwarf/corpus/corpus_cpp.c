/* The declarations of a C++ header: classes in namespaces (corpus_class.c), types made of them, functions, functions of
 * C that a namespace takes over; and what C has, too. How often each occurs follows Ipopt, compiled by gcc 12.
 *
 * Everything is declared before what uses it, but for the types made of a class, which stand before it. A type is made
 * once.
 */
#include "dwarf/corpus/cpp_parts.h"

/* --- inline functions ------------------------------------------------------------------ */

/* The number of the inline function whose variable is in a lexical block. */
enum { INLINE_BLOCK = 6 };

/* What inline function k has, in each header: `this`, up to two numbers, now and then a variable. */
static struct corpus_inline shape_of(const struct manner *m, uint32_t k)
{
    static const uint8_t parameters[] = {1, 2, 1, 2, 1, 3, 1, 2};
    const uint8_t variables = k == INLINE_BLOCK || (m->fuller && k % 3 == 0);
    uint8_t count = parameters[(k + k / 8) % sizeof parameters];
    return (struct corpus_inline){.children = (uint8_t)(count + variables),
                                  .variables = variables,
                                  .doubles = (uint8_t)((k * 5 + 2) & ((1u << count) - 2))};
}

static void declare_inlines(struct header_builder *b, const uint16_t *classes, struct cpp_method *methods)
{
    struct cpp_header *h = b->cpp;
    size_t scope_sibling = cpp_open_scope(b, 0);
    for (uint32_t i = 0; i < CORPUS_CLASSES; i++) {
        struct scope scope = {.count = 0};
        struct cpp_type *class = &h->type[classes[i]];
        const uint32_t first = i * (CORPUS_INLINES / CORPUS_CLASSES);
        class->offset = here(b);
        cpp_settle(b, classes[i]);
        cpp_list_type(b, classes[i], ABBREV_CLASS);
        bytes_u8(&b->entries, ABBREV_CLASS);
        corpus_put_name(b, class->name.at);
        bytes_u8(&b->entries, (uint8_t) class->size);
        corpus_declare(b, corpus_inline_line(first));
        size_t sibling = bytes_u32(&b->entries, 0);
        bytes_u8(&b->entries, ABBREV_PROTECTED_MEMBER);
        corpus_put_name(b, corpus_member_name(b, &scope));
        corpus_declare(b, corpus_inline_line(first));
        bytes_u32(&b->entries, corpus_type(b->corpus, i & 1 ? BASE_DOUBLE : BASE_LONG));
        bytes_u8(&b->entries, 0);
        bytes_u8(&b->entries, DW_ACCESS_protected);
        for (uint32_t k = first; k < first + CORPUS_INLINES / CORPUS_CLASSES; k++) {
            struct cpp_method *m = &methods[k];
            const struct corpus_inline shape = shape_of(&b->corpus->manner, k);
            *m = (struct cpp_method){
                .f = {.kind = CPP_ORDINARY, .class = classes[i], .result = BASE_UNSIGNED_LONG},
                .line = corpus_inline_line(k),
                .object = h->type[class->derived[CPP_POINTER]].offset,
                .is_last = k + 1 == first + CORPUS_INLINES / CORPUS_CLASSES,
            };
            m->f.name = cpp_text_at(b, corpus_member_name(b, &scope));
            m->f.count = shape.children - shape.variables - 1u;
            for (uint32_t j = 0; j < m->f.count; j++)
                m->f.parameter[j] = shape.doubles >> (j + 1) & 1 ? BASE_DOUBLE : BASE_LONG;
            cpp_declare(b, m, ABBREV_METHOD, 0);
        }
        corpus_end_children(b, sibling);
    }
    corpus_end_children(b, scope_sibling);
}

/* Puts the abstract instance of inline function k, to which inlined calls refer. */
static void define_inline(struct header_builder *b, uint32_t k, const struct cpp_method *m)
{
    const struct cpp_header *h = b->cpp;
    const uint16_t pointer = h->type[m->f.class].derived[CPP_POINTER];
    struct corpus_inline again; /* equal to the first header's, and not kept */
    struct corpus_inline *f = b->header ? &again : &b->corpus->inlines[k];
    struct scope scope = {.count = 0};
    *f = shape_of(&b->corpus->manner, k);
    f->at = here(b);
    cpp_list_method(b, m, ABBREV_ABSTRACT_METHOD);
    corpus_list_inline(b, k, m->f.name.at, m->linkage_name);
    bytes_u8(&b->entries, ABBREV_ABSTRACT_METHOD);
    bytes_u32(&b->entries, m->at);
    corpus_put_constant(b, DW_INL_declared_inlined);
    size_t object = bytes_u32(&b->entries, 0);
    size_t sibling = bytes_u32(&b->entries, 0);
    bytes_patch_u32(&b->entries, object, here(b));
    f->child[0] = here(b);
    bytes_u8(&b->entries, ABBREV_ABSTRACT_THIS);
    corpus_put_name(b, b->corpus->name_this);
    bytes_u32(&b->entries, h->type[h->type[pointer].derived[CPP_CONST]].offset);
    for (uint32_t j = 1; j < f->children; j++) {
        bool is_variable = j + f->variables >= f->children;
        if (is_variable && k == INLINE_BLOCK) {
            f->block = here(b);
            bytes_u8(&b->entries, ABBREV_ABSTRACT_BLOCK);
        }
        const uint32_t variable = corpus_variable_name(b, &scope, SHORT_NAME_MOST); /* 4 bytes long in every header */
        f->child[j] = here(b);
        bytes_u8(&b->entries,
                 (uint8_t)named_code(is_variable ? ABBREV_INLINE_VARIABLE : ABBREV_INLINE_PARAMETER, variable));
        corpus_put_name(b, variable);
        corpus_declare(b, m->line + (is_variable ? 2 : 0));
        bytes_u32(&b->entries, corpus_type(b->corpus, f->doubles >> j & 1 ? BASE_DOUBLE : BASE_LONG));
    }
    if (f->block)
        corpus_end_children(b, NO_SIBLING);
    corpus_end_children(b, sibling);
}

/* What the pointer to a class's table of virtual functions points to: pointers to `int ()`. */
static void add_vtable_types(struct header_builder *b)
{
    uint32_t function = here(b);
    bytes_u8(&b->entries, ABBREV_VTABLE_FUNCTION);
    bytes_u32(&b->entries, corpus_type(b->corpus, BASE_INT));
    uint32_t element = here(b);
    bytes_u8(&b->entries, ABBREV_VTABLE_POINTER);
    corpus_put_constant(b, 8);
    uint32_t name = corpus_add_string(b, "__vtbl_ptr_type");
    corpus_list_entry(b, element, ABBREV_VTABLE_POINTER, name, NULL);
    corpus_put_name(b, name);
    bytes_u32(&b->entries, function);
    b->cpp->vtable_pointer = here(b);
    bytes_u8(&b->entries, ABBREV_POINTER);
    corpus_put_constant(b, 8);
    bytes_u32(&b->entries, element);
}

/* Names the namespaces, and the templates that classes are instances of. */
static void name_scopes(struct header_builder *b)
{
    struct cpp_header *h = b->cpp;
    for (uint32_t i = 0; i < CPP_SCOPES; i++)
        h->scope[i] = cpp_name(b, 3 + i, 4 + i); /* no name is short, because a number follows the letters */
    for (uint32_t i = 0; i < CPP_TEMPLATES; i++)
        h->template[i] = (struct cpp_template){.name = cpp_name(b, 4, 10), .two = i % 5 < 3, .numbered = i == 19};
    h->name_second = corpus_add_string(b, "Alloc");
}

void corpus_add_cpp_inlines(struct header_builder *b)
{
    uint16_t classes[CORPUS_CLASSES];
    struct cpp_method methods[CORPUS_INLINES];
    cpp_start(b->cpp, b->corpus);
    b->cpp->open = CPP_NONE;
    b->cpp->scopes = 1;
    name_scopes(b);
    add_vtable_types(b);
    for (uint32_t i = 0; i < CORPUS_CLASSES; i++) {
        const struct cpp_type class = {.kind = CPP_CLASS,
                                       .complete = true,
                                       .scope = 0,
                                       .template = CPP_NONE,
                                       .size = 8,
                                       .align = 8,
                                       .name = cpp_class_name(b, 6, 14)};
        classes[i] = cpp_add(b->cpp, &class);
        cpp_derive(b, CPP_CONST, cpp_derive(b, CPP_POINTER, classes[i]));
    }
    declare_inlines(b, classes, methods);
    for (uint32_t k = 0; k < CORPUS_INLINES; k++)
        define_inline(b, k, &methods[k]);
}

/* --- pieces ------------------------------------------------------------------------------ */

static void add_class_declarations(struct header_builder *b)
{
    struct cpp_type class = {.kind = CPP_CLASS, .scope = b->cpp->open, .template = CPP_NONE};
    uint16_t number[4];
    uint32_t count = 2 + pick(b, 3);
    for (uint32_t i = 0; i < count; i++) {
        class.name = cpp_class_name(b, 6, 16);
        cpp_note_class(b, class.name);
        class.offset = here(b);
        bytes_u8(&b->entries, ABBREV_CLASS_DECLARATION);
        corpus_put_name(b, class.name.at);
        number[i] = cpp_add(b->cpp, &class);
    }
    for (uint32_t i = 0; i < count; i++)
        cpp_derive(b, pick(b, 5) ? CPP_REFERENCE : CPP_POINTER, number[i]);
}

/* Adds a type that is made of one that the header has. */
static void add_derived(struct header_builder *b)
{
    struct cpp_header *h = b->cpp;
    for (unsigned tries = 0; tries < 6; tries++) {
        uint16_t of = (uint16_t)pick(b, h->types);
        const struct cpp_type *t = &h->type[of];
        if (t->kind >= CPP_REFERENCE || t->kind == CPP_TYPEDEF || of == CPP_VOID)
            continue;
        enum cpp_kind kind = pick(b, 9) ? CPP_REFERENCE : CPP_POINTER;
        if (t->kind != CPP_CONST && pick(b, 2))
            of = cpp_derive(b, CPP_CONST, of);
        cpp_derive(b, kind, of);
        return;
    }
}

static void add_cpp_typedef(struct header_builder *b)
{
    struct cpp_header *h = b->cpp;
    char text[96];
    uint16_t of = cpp_parameter_type(b);
    const struct cpp_type t = {.kind = CPP_TYPEDEF,
                               .of = of,
                               .complete = true,
                               .size = h->type[of].size,
                               .align = h->type[of].align,
                               .offset = here(b)};
    uint32_t name = corpus_unique_name(b, pick(b, 2) ? "_t" : "_type", text);
    corpus_list_entry(b, t.offset, ABBREV_TYPEDEF, name, NULL);
    bytes_u8(&b->entries, ABBREV_TYPEDEF);
    corpus_put_name(b, name);
    corpus_declare(b, corpus_next_line(b));
    bytes_u32(&b->entries, h->type[of].offset);
    cpp_add(h, &t);
}

/* Scales a usual number of functions that namespaces take over by manner.taken. */
static uint32_t taken_over(const struct header_builder *b, uint32_t usual)
{
    return usual * b->corpus->manner.taken / MANNER_USUAL;
}

/* Adds functions of C. The next namespace takes over those that are not left out. */
static void add_c_functions(struct header_builder *b)
{
    struct cpp_header *h = b->cpp;
    const uint32_t most = taken_over(b, CPP_IMPORTS);
    const size_t before = b->entries.size;
    const uint32_t first = h->imports;
    for (uint32_t n = taken_over(b, 6 + pick(b, 7)); n && h->imports < most; n--) {
        h->import[h->imports++] = here(b);
        corpus_add_function(b);
    }
    if (!cpp_leaves_out(b, 5))
        return;
    b->entries.size = before;
    for (uint32_t i = first; i < h->imports; i++)
        h->import[i] = 0;
}

/* Writes where a namespace takes something over: at the top of a header, as in <cstdlib>, in a line below 256. */
static void declare_imported(struct header_builder *b)
{
    enum { FIRST = 50, LINES = 200 };
    const uint32_t line = corpus_next_line(b);
    bytes_u8(&b->entries, DIALECT_HEADER_FILE);
    bytes_u8(&b->entries, (uint8_t)(FIRST + line % LINES));
    bytes_u8(&b->entries, (uint8_t)(1 + pick(b, 40)));
}

/* Adds what the open namespace takes over: the functions of C, as <cstring> does, and a few types. An entry for a
 * function that was left out is made and dropped, because random numbers depend on the order. */
static void add_imported(struct header_builder *b)
{
    struct cpp_header *h = b->cpp;
    for (uint32_t more = pick(b, 6); more && h->imports < taken_over(b, CPP_IMPORTS); more--) {
        uint16_t number = (uint16_t)pick(b, h->types);
        const struct cpp_type *t = &h->type[number];
        if (t->kind == CPP_TYPEDEF || (t->kind == CPP_CLASS && t->scope != h->open))
            h->import[h->imports++] = h->type[number].offset;
    }
    for (uint32_t i = 0; i < h->imports; i++) {
        const size_t before = b->entries.size;
        bytes_u8(&b->entries, ABBREV_IMPORTED);
        declare_imported(b);
        bytes_u32(&b->entries, h->import[i]);
        if (!h->import[i])
            b->entries.size = before;
    }
    h->imports = 0;
}

/* Adds functions of a namespace, most of them instances of templates. */
static void add_scope_functions(struct header_builder *b)
{
    for (uint32_t n = 2 + pick(b, 4); n; n--) {
        struct cpp_method m = {.f = {.class = CPP_NONE, .scope = b->cpp->open}, .line = corpus_next_line(b)};
        m.f.is_template = pick(b, 4) != 0;
        m.f.name = cpp_name(b, 5, 12);
        m.f.result = cpp_parameter_type(b);
        cpp_choose_parameters(b, &m.f);
        if (!m.f.count) /* without children they would need an abbreviation of their own */
            m.f.parameter[m.f.count++] = BASE_INT;
        if (m.f.is_template) {
            const bool numbered = cpp_chance(b, 1, 32, b->corpus->manner.numbers);
            m.f.arguments = cpp_arguments(b, pick(b, 3) == 0, numbered);
        }
        cpp_declare(b, &m, ABBREV_SCOPE_FUNCTION, 0);
    }
}

/* Adds a piece that no other refers to, which may be left out. */
static void add_leaf(struct header_builder *b, void add(struct header_builder *b))
{
    const size_t before = b->entries.size;
    const size_t listed = b->listed.size;
    add(b);
    if (!cpp_leaves_out(b, 5))
        return;
    b->entries.size = before;
    b->listed.size = listed;
}

/* The number of the next piece, below `all`, which says its kind. `step` is about `all` divided by the golden ratio,
 * and has no common factor with it. So every stretch of a header has all kinds in the same proportions, and so have
 * small libraries, which use only the beginning of the first header.
 *
 * Pieces in namespaces and pieces outside have an order each; `kinds` is how many of this order there were.
 */
static uint32_t next_number(struct header_builder *b, uint32_t *kinds, uint32_t all, uint32_t step)
{
    return (b->group * (all / 3) + (*kinds)++ * step) % all;
}

static void add_outer_piece(struct header_builder *b)
{
    enum { STEP = 106 };
    const uint32_t number = next_number(b, &b->kinds, MANNER_OUTER, STEP);
    switch ((enum manner_outer)corpus_piece_kind(b->corpus->manner.outer, OUTERS, number)) {
    case OUTER_CLASS:
        cpp_add_class(b, false);
        break;
    case OUTER_STRUCTURE:
        cpp_add_class(b, true);
        break;
    case OUTER_ENUMERATION:
        corpus_add_enumeration(b);
        break;
    case OUTER_UNION:
        corpus_add_aggregate(b, true);
        break;
    case OUTER_ARRAY:
        corpus_add_array(b);
        break;
    case OUTER_FUNCTION_TYPE:
        corpus_add_function_type(b);
        break;
    case OUTER_TYPEDEF:
        add_cpp_typedef(b);
        break;
    case OUTER_C_FUNCTIONS:
        add_c_functions(b);
        break;
    case OUTER_DERIVED:
    case OUTERS:
        add_derived(b);
        break;
    }
}

static void add_inner_piece(struct header_builder *b)
{
    enum { STEP = 59 };
    const uint32_t number = next_number(b, &b->cpp->kinds, MANNER_INNER, STEP);
    switch ((enum manner_inner)corpus_piece_kind(b->corpus->manner.inner, INNERS, number)) {
    case INNER_CLASS:
        cpp_add_class(b, false);
        break;
    case INNER_STRUCTURE:
        cpp_add_class(b, true);
        break;
    case INNER_DECLARATIONS:
        add_class_declarations(b);
        break;
    case INNER_FUNCTIONS:
        add_leaf(b, add_scope_functions);
        break;
    case INNER_DERIVED:
    case INNERS:
        add_derived(b);
        break;
    }
}

void cpp_close_scope(struct header_builder *b)
{
    if (b->open)
        corpus_end_children(b, b->open);
    b->open = 0;
    b->cpp->open = CPP_NONE;
}

/* Adds the rvalue references to classes of the last namespace. gcc puts none into a namespace. */
static void add_later(struct header_builder *b)
{
    struct cpp_header *h = b->cpp;
    for (uint32_t i = 0; i < h->laters; i++)
        cpp_derive(b, CPP_RVALUE_REFERENCE, h->later[i]);
    h->laters = 0;
}

/* How many pieces come until a namespace is opened or, inside, closed. In the usual manner most are outside. With
 * manner.class_names nearly all classes are inside. The first stretches are half as long then: small libraries, which
 * use the beginning of a header, have some of both. */
static uint32_t stretch(const struct header_builder *b, bool inside)
{
    enum { OUTER = 40, INNER = 23, FIRST_INNER = 92 };
    if (!b->corpus->manner.class_names)
        return inside ? INNER : OUTER;
    const bool is_first = b->cpp->scopes == 1;
    return inside ? (is_first ? FIRST_INNER : 2 * FIRST_INNER) : is_first ? OUTER / 2 : OUTER;
}

/* Opens or closes a namespace. Each is opened once, because a compiler describes in one place all that a unit has of
 * it. Between namespaces stand stretches of pieces outside. */
static void turn(struct header_builder *b)
{
    struct cpp_header *h = b->cpp;
    const bool opens = !b->open && h->scopes < CPP_SCOPES && b->kinds;
    cpp_close_scope(b);
    h->left = stretch(b, opens);
    if (!opens) {
        add_later(b);
        return;
    }
    h->open = (uint16_t)h->scopes++;
    b->open = (uint32_t)cpp_open_scope(b, h->open);
    add_imported(b);
    cpp_add_class(b, true); /* a namespace is not empty */
}

void corpus_add_cpp_piece(struct header_builder *b)
{
    struct cpp_header *h = b->cpp;
    if (!h->left)
        turn(b);
    h->left--;
    if (!b->open)
        cpp_add_abstracts(b);
    (b->open ? add_inner_piece : add_outer_piece)(b);
}
