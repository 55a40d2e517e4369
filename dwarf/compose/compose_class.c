/* Encodes classes (compose.h): DWARF 5 sections 3.3.6 (declarations), 5.7 (classes), 2.23 (template parameters). */
#include "dwarf/compose/compose.h"

#include "dwarf/form/abbrev.h"

/* Writes a name of the library's own. */
static uint8_t *put_own_name(struct composer *c, uint8_t *p, uint32_t name)
{
    bytes_u32(&c->out->named, compose_offset_of(c, p));
    return put_u32(p, name);
}

uint8_t *compose_class(struct composer *c, const struct debug_class *k)
{
    compose_note(c, ABBREV_NAMESPACE, k->scope, COMPOSE_UNKNOWN, NULL);
    uint8_t *p = put_own_name(c, compose_code(c->out, c->info, ABBREV_NAMESPACE), k->scope);
    uint8_t *const sibling = compose_put_declared(p, k->line, 11);
    c->info = sibling + 4;
    compose_note(c, ABBREV_CLASS, k->name, COMPOSE_UNKNOWN, k->qualified);
    p = compose_code(c->out, c->info, abbrev_last(c->corpus->dialect, ABBREV_CLASS));
    p = put_u8(put_own_name(c, p, k->name), 1); /* it has no members */
    c->info = compose_put_declared(p, k->line, 7);
    return sibling;
}

void compose_class_end(struct composer *c, uint8_t *sibling)
{
    compose_end_children(c, NULL);
    compose_end_children(c, sibling);
}

uint32_t compose_method(struct composer *c, const struct debug_method *m)
{
    const struct corpus *corpus = c->corpus;
    const bool leaf = !m->parameters && !m->is_template;
    const enum abbrev_code code = leaf         ? ABBREV_STATIC_METHOD_LEAF
                                  : m->is_last ? abbrev_last(corpus->dialect, ABBREV_STATIC_METHOD)
                                               : ABBREV_STATIC_METHOD;
    const uint32_t place = compose_place_of(c, c->info);
    uint8_t *p = compose_code(c->out, c->info, code);
    p = put_own_name(c, p, m->name);
    p = put_own_name(c, compose_put_declared(p, m->line, 26), m->linkage_name);
    p = put_u32(p, corpus_type(corpus, m->result));
    c->info = put_u8(p, DW_ACCESS_public);
    if (leaf)
        return place;
    uint8_t *const sibling = m->is_last ? NULL : c->info;
    p = m->is_last ? c->info : c->info + 4;
    if (m->is_template) {
        p = short_name_put(compose_code(c->out, p, ABBREV_TEMPLATE_TYPE_SHORT), corpus->name_t);
        p = put_u32(p, corpus_type(corpus, m->type));
        p = short_name_put(compose_code(c->out, p, ABBREV_TEMPLATE_VALUE), corpus->name_n);
        p = put_u32(p, corpus_type(corpus, BASE_INT));
        p = put_u8(p, m->number);
    }
    for (uint32_t j = 0; j < m->parameters; j++) {
        p = compose_code(c->out, p, ABBREV_TYPE_PARAMETER);
        p = put_u32(p, corpus_type(corpus, m->types[j]));
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
