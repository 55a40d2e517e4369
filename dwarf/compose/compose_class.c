/* Encodes classes (compose.h): DWARF 5 sections 3.3.6 (declarations), 5.7 (classes), 2.23 (template parameters). */
#include "dwarf/compose/compose.h"

#include "dwarf/form/abbrev.h"

enum { NO_SIBLING = UINT32_MAX };

/* Writes a name of the library's own. */
static uint8_t *put_own_name(struct composer *c, uint8_t *p, uint32_t name)
{
    bytes_u32(&c->out->named, compose_offset_of(c, p));
    return put_u32(p, name);
}

uint32_t compose_namespace(struct composer *c, uint32_t name, uint32_t line)
{
    compose_note(c, ABBREV_NAMESPACE, name, COMPOSE_UNKNOWN, NULL);
    uint8_t *p = put_own_name(c, compose_code(c->out, c->info, ABBREV_NAMESPACE), name);
    p = compose_put_declared(p, line, 11);
    c->info = p + 4;
    return compose_offset_of(c, p);
}

uint32_t compose_class(struct composer *c, const struct debug_class *k)
{
    compose_note(c, ABBREV_CLASS, k->name, COMPOSE_UNKNOWN, k->qualified);
    const uint8_t code = k->is_last ? abbrev_last(c->corpus->dialect, ABBREV_CLASS) : ABBREV_CLASS;
    uint8_t *p = put_own_name(c, compose_code(c->out, c->info, code), k->name);
    p = compose_put_declared(put_u8(p, 1), k->line, 7); /* its size: it has no members */
    c->info = k->is_last ? p : p + 4;
    return k->is_last ? NO_SIBLING : compose_offset_of(c, p);
}

void compose_scope_end(struct composer *c, uint32_t sibling)
{
    compose_end_children(c, sibling == NO_SIBLING ? NULL : compose_at(c, sibling));
}

uint32_t compose_class_reference(struct composer *c, uint32_t *of)
{
    const uint32_t constant = compose_place(c);
    uint8_t *p = compose_code(c->out, c->info, ABBREV_CONST);
    *of = compose_offset_of(c, p);
    c->info = p + 4;
    const uint32_t place = compose_place(c);
    p = compose_code(c->out, c->info, ABBREV_REFERENCE);
    if (dialect_is_4(c->corpus->dialect))
        p = put_u8(p, 8); /* its size, which is in the abbreviation otherwise */
    compose_refer(c, p, constant);
    c->info = p + 4;
    return place;
}

void compose_class_referred(struct composer *c, uint32_t of, uint32_t class)
{
    compose_refer(c, compose_at(c, of), class);
}

static enum abbrev_code method_code(struct dialect d, const struct debug_method *m)
{
    if (m->of_namespace)
        return ABBREV_SCOPE_FUNCTION;
    if (!m->parameters && !m->is_template)
        return ABBREV_STATIC_METHOD_LEAF;
    return m->is_last ? abbrev_last(d, ABBREV_STATIC_METHOD) : ABBREV_STATIC_METHOD;
}

uint32_t compose_method(struct composer *c, const struct debug_method *m)
{
    const struct corpus *corpus = c->corpus;
    const enum abbrev_code code = method_code(corpus->dialect, m);
    const bool has_sibling = code == ABBREV_STATIC_METHOD || code == ABBREV_SCOPE_FUNCTION;
    const uint32_t place = compose_place_of(c, c->info);
    uint8_t *p = compose_code(c->out, c->info, code);
    p = put_own_name(c, p, m->name);
    p = put_own_name(c, compose_put_declared(p, m->line, 26), m->linkage_name);
    p = put_u32(p, corpus_type(corpus, m->result));
    c->info = p = m->of_namespace ? p : put_u8(p, DW_ACCESS_public);
    if (code == ABBREV_STATIC_METHOD_LEAF)
        return place;
    uint8_t *const sibling = has_sibling ? p : NULL;
    p += has_sibling ? 4 : 0;
    if (m->is_template) {
        p = short_name_put(compose_code(c->out, p, ABBREV_TEMPLATE_TYPE_SHORT), corpus->name_t);
        p = put_u32(p, corpus_type(corpus, m->type));
        p = short_name_put(compose_code(c->out, p, ABBREV_TEMPLATE_VALUE), corpus->name_n);
        p = put_u32(p, corpus_type(corpus, BASE_INT));
        p = put_u8(p, m->number);
    }
    for (uint32_t j = 0; j < m->parameters; j++) {
        p = compose_code(c->out, p, ABBREV_TYPE_PARAMETER);
        p = compose_put_type(c, p, m->types[j], m->type_at);
    }
    c->info = p;
    compose_end_children(c, sibling);
    return place;
}

uint64_t compose_class_most(struct dialect d, uint32_t methods, uint32_t parameters)
{
    const uint64_t method = abbrev_entry_size(d, ABBREV_STATIC_METHOD) + abbrev_entry_size(d, ABBREV_TEMPLATE_TYPE) +
                            abbrev_entry_size(d, ABBREV_TEMPLATE_VALUE) + SHORT_NAME_MOST + 1 +
                            (uint64_t)parameters * abbrev_entry_size(d, ABBREV_TYPE_PARAMETER) + 1;
    return abbrev_entry_size(d, ABBREV_NAMESPACE) + abbrev_entry_size(d, ABBREV_CLASS) + methods * method + 2;
}
