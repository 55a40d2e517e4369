/* Describes small functions of C++ whose names are mangled (DWARF 5 sections 3.3.6, 5.7; Itanium C++ ABI, 5.1): their
 * declarations are in one entry of the library's namespace, or in classes in it, and each is defined behind that, with
 * a reference to its declaration. That is how gcc has functions that a namespace defines.
 */
#include <string.h>

#include "emit/library/describe_small.h"
#include "emit/plan/names_scopes.h"

static_assert((int)MEMBER_PARAMETERS_MOST == (int)NAMES_PARAMETERS_MOST, "as many are read");

enum { QUALIFIED_MOST = 2 * PROFILE_NAME_MOST };

static uint8_t type_of(char letter)
{
    switch (letter) {
    case 'b':
        return BASE_BOOL;
    case 'c':
        return BASE_CHAR;
    case 'd':
        return BASE_DOUBLE;
    case 'f':
        return BASE_FLOAT;
    case 'i':
        return BASE_INT;
    case 'j':
        return BASE_UNSIGNED_INT;
    case 'l':
        return BASE_LONG;
    case 'm':
        return BASE_UNSIGNED_LONG;
    default:
        return COMPOSE_PLACED;
    }
}

static bool has_references(const struct names_scopes *s)
{
    return memchr(s->parameter, NAMES_REFERENCE, s->parameters);
}

bool member_can_be(const char *name, uint64_t *info, uint64_t *names)
{
    enum { CLASS = 15, FUNCTION = 27 + 28, PARAMETER = 5 + 15, REFERENCE = 11 };
    struct names_scopes s;
    if (!names_scopes_read(name, &s))
        return false;
    const uint32_t classes = s.words - 2;
    *info = FUNCTION + classes * CLASS + s.parameters * PARAMETER + (has_references(&s) ? REFERENCE : 0U);
    *names = 0;
    for (uint32_t i = 1; i < s.words; i++)
        *names += s.length[i] + UINT64_C(1);
    return true;
}

/* Reads the member's name into `text`, because the library's own names may move. */
static struct names_scopes read_name(const struct walk *w, const struct member *m, char text[PROFILE_NAME_MOST + 1])
{
    const struct debug *const d = &w->l->debug;
    const char *const name = (const char *)d->statics.data + (m->linkage - d->names_size);
    struct names_scopes s;
    memcpy(text, name, strlen(name) + 1);
    const bool is_read = names_scopes_read(text, &s);
    assert(is_read);
    (void)is_read;
    return s;
}

/* Writes the first words with "::" between them, as gdb shows them. */
static void qualify(const struct names_scopes *s, uint32_t words, char text[QUALIFIED_MOST])
{
    char *p = text;
    for (uint32_t i = 0; i < words; i++) {
        memcpy(p, "::", 2);
        p += i ? 2 : 0;
        memcpy(p, s->word[i], s->length[i]);
        p += s->length[i];
    }
    *p = '\0';
}

/* Bytes that a member's declaration takes at most. */
static uint64_t declared_most(struct dialect d, const struct names_scopes *s)
{
    return compose_class_most(d, 1, s->parameters) + s->words * UINT64_C(1) * (abbrev_entry_size(d, ABBREV_CLASS) + 1);
}

/* `is_last`: nothing follows in the namespace. */
static bool declare(struct walk *w, struct member *m, bool is_last)
{
    struct composer *const c = &w->composer;
    char text[PROFILE_NAME_MOST + 1];
    char qualified[QUALIFIED_MOST];
    uint32_t sibling[NAMES_SCOPES_MOST];
    uint8_t types[MEMBER_PARAMETERS_MOST];
    const struct names_scopes s = read_name(w, m, text);
    const uint32_t own = s.words - 1;
    if (!compose_reserve(c, declared_most(w->corpus->dialect, &s), 0, 0, 0))
        return false;
    uint32_t class = 0;
    for (uint32_t i = 1; i < own; i++) {
        class = compose_place(c);
        qualify(&s, i + 1, qualified);
        const struct debug_class k = {describe_word(w->l, s.word[i], s.length[i]), qualified, w->line_number,
                                      .is_last = i > 1 || is_last};
        sibling[i] = compose_class(c, &k);
    }
    if (m->type_at)
        compose_class_referred(c, m->of, class);
    for (uint32_t j = 0; j < s.parameters; j++)
        types[j] = type_of(s.parameter[j]);
    m->name = describe_word(w->l, s.word[own], s.length[own]);
    const struct debug_method method = {
        .name = m->name,
        .linkage_name = m->linkage,
        .line = w->line_number + (own > 1),
        .result = BASE_UNSIGNED_LONG,
        .parameters = s.parameters,
        .types = types,
        .type_at = m->type_at,
        .of_namespace = own == 1,
        .is_last = true,
    };
    m->place = compose_method(c, &method);
    for (uint32_t i = own; i-- > 1;)
        compose_scope_end(c, sibling[i]);
    compose_keep(c);
    w->line_number += MEMBER_LINES;
    return true;
}

/* Composes the types that members' parameters refer to. */
static bool put_types(struct walk *w, struct member *m, size_t count)
{
    struct composer *const c = &w->composer;
    const struct dialect d = w->corpus->dialect;
    char text[PROFILE_NAME_MOST + 1];
    if (!compose_reserve(c, count * (abbrev_entry_size(d, ABBREV_CONST) + abbrev_entry_size(d, ABBREV_REFERENCE)), 0, 0,
                         0))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct names_scopes s = read_name(w, &m[i], text);
        m[i].type_at = has_references(&s) ? compose_class_reference(c, &m[i].of) : 0;
    }
    compose_keep(c);
    return true;
}

bool members_declare(struct walk *w, struct bytes *members)
{
    struct composer *const c = &w->composer;
    struct member *const m = (struct member *)(void *)members->data;
    const size_t count = members->size / sizeof *m;
    if (!count)
        return true;
    if (!put_types(w, m, count) ||
        !compose_reserve(c, abbrev_entry_size(w->corpus->dialect, ABBREV_NAMESPACE), 0, 0, 0))
        return false;
    const uint32_t sibling = compose_namespace(c, class_scope_name(w), w->line_number++);
    compose_keep(c);
    for (size_t i = 0; i < count; i++)
        if (!declare(w, &m[i], i + 1 == count))
            return false;
    if (!compose_reserve(c, 1, 0, 0, 0))
        return false;
    compose_scope_end(c, sibling);
    compose_keep(c);
    return true;
}

/* Arguments are passed in registers as the psABI has it (3.2.3). */
static void put_parameters(struct walk *w, const struct member *m, const struct names_scopes *s)
{
    static const uint8_t integers[MEMBER_PARAMETERS_MOST] = {REGISTER_RDI, REGISTER_RSI, REGISTER_RDX,
                                                             REGISTER_RCX, REGISTER_R8,  REGISTER_R9};
    const uint64_t r = random_at(plan_key(w->l->row, PURPOSE_UNITS), m->place);
    uint32_t name = (uint32_t)r;
    uint32_t integer = 0, vector = 0;
    for (uint32_t j = 0; j < s->parameters; j++, name += (uint32_t)(r >> 32) | 1) {
        const struct debug_variable v = {
            .name = w->corpus->name[name % CORPUS_NAMES],
            .line = w->line_number,
            .column = 24 + 18 * j,
            .type = type_of(s->parameter[j]),
            .type_at = m->type_at,
        };
        const bool is_vector = v.type == BASE_DOUBLE || v.type == BASE_FLOAT;
        compose_parameter_register(&w->composer, &v, is_vector ? REGISTER_XMM0 + vector++ : integers[integer++]);
    }
}

void member_define(struct walk *w, const struct member *m, struct debug_function *f)
{
    char text[PROFILE_NAME_MOST + 1];
    char qualified[QUALIFIED_MOST];
    const struct names_scopes s = read_name(w, m, text);
    qualify(&s, s.words, qualified);
    f->declared = m->place;
    f->name = m->linkage;
    f->method = m->name;
    f->qualified = qualified;
    compose_function(&w->composer, f);
    put_parameters(w, m, &s);
}
