/* Names of C++ types and functions; see cpp_types.h. */
#include "dwarf/corpus/cpp_types.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "dwarf/corpus/corpus_parts.h"
#include "dwarf/form/index.h"

/* <builtin-type> */
static const char codes[] = {
    [BASE_INT] = 'i',    [BASE_LONG] = 'l', [BASE_UNSIGNED_LONG] = 'm', [BASE_FLOAT] = 'f',
    [BASE_DOUBLE] = 'd', [BASE_CHAR] = 'c', [BASE_UNSIGNED_INT] = 'j',  [BASE_UNSIGNED_CHAR] = 'h',
    [BASE_SHORT] = 's',  [BASE_BOOL] = 'b', [CPP_VOID] = 'v',
};
static const char *const more_codes[BASE_MORE] = {"w", "Ds", "Di", "a", "t", "x", "y", "e", "n", "o"};

/* --- the table ------------------------------------------------------------------ */

uint16_t cpp_add(struct cpp_header *h, const struct cpp_type *type)
{
    if (h->types == CPP_TYPES_MOST)
        return CPP_NONE;
    uint16_t number = (uint16_t)h->types++;
    h->type[number] = *type;
    if (type->kind >= CPP_CONST)
        h->type[type->of].derived[type->kind] = number;
    return number;
}

void cpp_start(struct cpp_header *h, const struct corpus *c)
{
    static const uint8_t sizes[] = {4, 8, 8, 4, 8, 1, 4, 1, 2, 1};
    static_assert(sizeof sizes == BASE_TYPES, "a size for each base type");
    h->types = 0;
    h->templates = h->bases = 0;
    h->classes = h->class_bytes = 0;
    for (uint32_t i = 0; i <= CPP_VOID; i++)
        cpp_add(h, &(struct cpp_type){.kind = CPP_BASE,
                                      .complete = i != CPP_VOID,
                                      .offset = i < CPP_VOID ? c->type[i] : 0,
                                      .size = i < CPP_VOID ? sizes[i] : 0,
                                      .align = i < CPP_VOID ? sizes[i] : 0});
    const struct cpp_type derived[] = {
        {.kind = CPP_CONST, .of = BASE_CHAR, .offset = c->type[BASE_CONST_CHAR], .size = 1, .align = 1},
        {.kind = CPP_POINTER, .of = CPP_CONST_CHAR, .offset = c->type[BASE_STRING], .size = 8, .align = 8},
        {.kind = CPP_POINTER, .of = CPP_VOID, .offset = c->type[BASE_POINTER], .size = 8, .align = 8},
    };
    for (uint32_t i = 0; i < sizeof derived / sizeof derived[0]; i++)
        cpp_add(h, &derived[i]);
    for (uint32_t i = 0; i < BASE_MORE; i++) {
        const uint8_t size = corpus_more_type_size(i);
        cpp_add(h, &(struct cpp_type){
                       .kind = CPP_BASE, .complete = true, .offset = c->more_type[i], .size = size, .align = size});
    }
    assert(h->types == CPP_FIRST && h->type[BASE_CHAR].derived[CPP_CONST] == CPP_CONST_CHAR);
}

/* --- as they are printed ------------------------------------------------------------ */

/* A text that grows. It must not get longer than CPP_TEXT_MOST, which is asserted. */
struct writer {
    char *text;
    uint32_t length;
    bool canonical; /* types as demanglers write them, not as gcc does */
};

static void put_text(struct writer *w, const char *text, size_t length)
{
    assert(w->length + length < CPP_TEXT_MOST);
    memcpy(w->text + w->length, text, length);
    w->length += (uint32_t)length;
    w->text[w->length] = '\0';
}

static void put_word(struct writer *w, const char *word)
{
    put_text(w, word, strlen(word));
}

static void put_number(struct writer *w, uint32_t number)
{
    char digits[12];
    put_text(w, digits, (size_t)snprintf(digits, sizeof digits, "%u", (unsigned)number));
}

static void print_type(struct writer *w, const struct cpp_header *h, const char *strings, uint16_t number);

/* <double, 3> */
static void print_arguments(struct writer *w, const struct cpp_header *h, const char *strings,
                            const struct cpp_arguments *arguments)
{
    put_word(w, "<");
    for (uint32_t i = 0; i < 2 && arguments->type[i] != CPP_NONE; i++) {
        if (i)
            put_word(w, ", ");
        print_type(w, h, strings, arguments->type[i]);
    }
    if (arguments->value >= 0) {
        put_word(w, ", ");
        put_number(w, (uint32_t)arguments->value);
    }
    /* ">>" was an operator there before C++11, and gcc still puts a space between */
    put_word(w, w->text[w->length - 1] == '>' ? " >" : ">");
}

static void print_scope(struct writer *w, const struct cpp_header *h, const char *strings, uint16_t scope)
{
    if (scope == CPP_NONE)
        return;
    put_text(w, strings + h->scope[scope].at, h->scope[scope].length);
    put_word(w, "::");
}

static void print_class(struct writer *w, const struct cpp_header *h, const char *strings, const struct cpp_type *t)
{
    print_scope(w, h, strings, t->scope);
    if (t->template == CPP_NONE || !w->canonical) {
        put_text(w, strings + t->name.at, t->name.length);
        return;
    }
    const struct cpp_text name = h->template[t->template].name;
    put_text(w, strings + name.at, name.length);
    print_arguments(w, h, strings, &t->arguments);
}

static void print_base(struct writer *w, uint16_t number)
{
    const char *name = "void";
    if (number >= CPP_MORE)
        name = corpus_more_type_name(number - CPP_MORE);
    else if (number != CPP_VOID)
        name = corpus_base_type_name((struct dialect){.language = DWARF_CPP}, number);
    put_word(w, w->canonical ? index_gdb_name(name) : name);
}

static void print_type(struct writer *w, const struct cpp_header *h, const char *strings, uint16_t number)
{
    const struct cpp_type *t = &h->type[number];
    const bool behind = w->canonical || (t->kind == CPP_CONST && h->type[t->of].kind == CPP_POINTER);
    switch ((enum cpp_kind)t->kind) {
    case CPP_BASE:
        print_base(w, number);
        return;
    case CPP_CLASS:
    case CPP_TYPEDEF:
        print_class(w, h, strings, t);
        return;
    case CPP_CONST:
        put_word(w, behind ? "" : "const ");
        print_type(w, h, strings, t->of);
        put_word(w, behind ? " const" : "");
        return;
    default:
        print_type(w, h, strings, t->of);
        put_word(w, t->kind == CPP_POINTER ? "*" : t->kind == CPP_REFERENCE ? "&" : "&&");
    }
}

uint32_t cpp_print_canonical(const struct cpp_header *h, const char *strings, uint16_t type, char text[CPP_TEXT_MOST])
{
    struct writer w = {.text = text, .canonical = true};
    print_type(&w, h, strings, type);
    return w.length;
}

uint32_t cpp_print_method(const struct cpp_header *h, const char *strings, const struct cpp_function *f,
                          char text[CPP_TEXT_MOST])
{
    struct writer w = {.text = text, .canonical = true};
    print_type(&w, h, strings, f->class);
    put_word(&w, "::");
    put_text(&w, strings + f->name.at, f->name.length);
    if (f->is_template)
        print_arguments(&w, h, strings, &f->arguments);
    return w.length;
}

uint32_t cpp_print_instance(const struct cpp_header *h, const char *strings, struct cpp_text name,
                            const struct cpp_arguments *arguments, char text[CPP_TEXT_MOST])
{
    struct writer w = {.text = text};
    put_text(&w, strings + name.at, name.length);
    print_arguments(&w, h, strings, arguments);
    return w.length;
}

/* --- mangled ------------------------------------------------------------------------- */

/* What has stood in the name before, in order, for substitutions: "S_", "S0_", ... A number below SEEN_SCOPE is a
 * type's. */
enum { SEEN_MOST = 512, SEEN_SCOPE = 1 << 16, SEEN_TEMPLATE = 2 << 16, SEEN_FUNCTION = 3 << 16 };
struct mangling {
    struct writer w;
    const struct cpp_header *h;
    const char *strings;
    uint32_t seen[SEEN_MOST];
    uint32_t count;
};

static void mangle_type(struct mangling *m, uint16_t number);

static void note_seen(struct mangling *m, uint32_t what)
{
    assert(m->count < SEEN_MOST);
    m->seen[m->count++] = what;
}

/* Writes a <substitution> if `what` has been seen; otherwise false. */
static bool substitute(struct mangling *m, uint32_t what)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    uint32_t n = 0;
    while (n < m->count && m->seen[n] != what)
        n++;
    if (n == m->count)
        return false;
    put_word(&m->w, "S");
    if (n > 36)
        put_text(&m->w, &digits[(n - 1) / 36], 1);
    if (n)
        put_text(&m->w, &digits[(n - 1) % 36], 1);
    put_word(&m->w, "_");
    return true;
}

/* <source-name> */
static void mangle_text(struct mangling *m, struct cpp_text name)
{
    put_number(&m->w, name.length);
    put_text(&m->w, m->strings + name.at, name.length);
}

/* <template-args> */
static void mangle_arguments(struct mangling *m, const struct cpp_arguments *arguments)
{
    put_word(&m->w, "I");
    for (uint32_t i = 0; i < 2 && arguments->type[i] != CPP_NONE; i++)
        mangle_type(m, arguments->type[i]);
    if (arguments->value >= 0) {
        put_word(&m->w, "Li");
        put_number(&m->w, (uint32_t)arguments->value);
        put_word(&m->w, "E");
    }
    put_word(&m->w, "E");
}

static void mangle_scope(struct mangling *m, uint16_t scope)
{
    if (scope == CPP_NONE || substitute(m, SEEN_SCOPE | scope))
        return;
    mangle_text(m, m->h->scope[scope]);
    note_seen(m, SEEN_SCOPE | scope);
}

/* <prefix>: a class as part of a nested name */
static void mangle_class(struct mangling *m, uint16_t number)
{
    const struct cpp_type *t = &m->h->type[number];
    if (substitute(m, number))
        return;
    if (t->template == CPP_NONE) {
        mangle_scope(m, t->scope);
        mangle_text(m, t->name);
    } else {
        if (!substitute(m, SEEN_TEMPLATE | t->template)) {
            mangle_scope(m, t->scope);
            mangle_text(m, m->h->template[t->template].name);
            note_seen(m, SEEN_TEMPLATE | t->template);
        }
        mangle_arguments(m, &t->arguments);
    }
    note_seen(m, number);
}

static bool is_seen(const struct mangling *m, uint32_t what)
{
    for (uint32_t n = 0; n < m->count; n++)
        if (m->seen[n] == what)
            return true;
    return false;
}

static void mangle_type(struct mangling *m, uint16_t number)
{
    static const char *const letters[CPP_KINDS] = {
        [CPP_CONST] = "K", [CPP_POINTER] = "P", [CPP_REFERENCE] = "R", [CPP_RVALUE_REFERENCE] = "O"};
    while (m->h->type[number].kind == CPP_TYPEDEF)
        number = m->h->type[number].of;
    const struct cpp_type *t = &m->h->type[number];
    if (t->kind == CPP_BASE && number >= CPP_MORE) {
        put_word(&m->w, more_codes[number - CPP_MORE]);
    } else if (t->kind == CPP_BASE) {
        put_text(&m->w, &codes[number], 1);
    } else if (t->kind == CPP_CLASS) {
        bool nested = t->scope != CPP_NONE && !is_seen(m, number);
        if (nested)
            put_word(&m->w, "N");
        mangle_class(m, number);
        if (nested)
            put_word(&m->w, "E");
    } else if (!substitute(m, number)) {
        put_word(&m->w, letters[t->kind]);
        mangle_type(m, t->of);
        note_seen(m, number);
    }
}

uint32_t cpp_mangle(const struct cpp_header *h, const char *strings, const struct cpp_function *f,
                    char text[CPP_TEXT_MOST])
{
    struct mangling m = {.w = {.text = text}, .h = h, .strings = strings};
    put_word(&m.w, f->is_const ? "_ZNK" : "_ZN");
    if (f->class == CPP_NONE)
        mangle_scope(&m, f->scope);
    else
        mangle_class(&m, f->class);
    if (f->kind == CPP_CONSTRUCTOR)
        put_word(&m.w, "C4"); /* as gcc writes it in a declaration, which stands for all variants */
    else if (f->kind == CPP_DESTRUCTOR)
        put_word(&m.w, "D4");
    else
        mangle_text(&m, f->name);
    if (f->is_template) {
        note_seen(&m, SEEN_FUNCTION);
        mangle_arguments(&m, &f->arguments);
    }
    put_word(&m.w, "E");
    if (f->is_template)
        mangle_type(&m, f->result);
    for (uint32_t i = 0; i < f->count; i++)
        mangle_type(&m, f->parameter[i]);
    if (!f->count)
        put_word(&m.w, "v");
    return m.w.length;
}
