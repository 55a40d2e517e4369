/* See type.h. A declaration grows from its name outwards, as C reads it. */
#include "emit/source/type.h"

#include <stdio.h>
#include <string.h>

#include "dwarf/form/entry.h"
#include "emit/source/text.h"

enum {
    DECLARATOR_MOST = 2000,
    DEPTH_MOST = 3, /* function types within one another; pointers to further ones are declared as pointers to void */
};

/* As people write what gcc calls "long unsigned int". */
static const char *const base_names[BASE_TYPES] = {
    [BASE_INT] = "int",
    [BASE_LONG] = "long",
    [BASE_UNSIGNED_LONG] = "unsigned long",
    [BASE_FLOAT] = "float",
    [BASE_DOUBLE] = "double",
    [BASE_CHAR] = "char",
    [BASE_UNSIGNED_INT] = "unsigned int",
    [BASE_UNSIGNED_CHAR] = "unsigned char",
    [BASE_SHORT] = "short",
    [BASE_BOOL] = "_Bool",
};

struct declaration {
    const struct corpus *corpus;
    const struct corpus_header *header;
    unsigned depth;
};

static void join(char to[DECLARATOR_MOST], const char *before, const char *inner, const char *after)
{
    char text[DECLARATOR_MOST];
    snprintf(text, sizeof text, "%s%s%s", before, inner, after);
    strcpy(to, text);
}

static const char *base_name(const struct corpus *c, uint32_t type)
{
    for (unsigned i = 0; i < BASE_TYPES; i++)
        if (c->type[i] == type)
            return i == BASE_BOOL && c->dialect.language == DWARF_CPP ? "bool" : base_names[i];
    return NULL;
}

/* Qualifiers of a type. */
enum qualifier { QUALIFIER_NONE, QUALIFIER_CONST, QUALIFIER_RESTRICT };

static void declare_type(const struct declaration *d, uint32_t type, unsigned qualifiers, char text[DECLARATOR_MOST]);

/* Appends the types of a function's parameters, in parentheses. */
static void add_parameters(const struct declaration *d, const uint8_t *children, char text[DECLARATOR_MOST])
{
    const struct declaration inner = {d->corpus, d->header, d->depth + 1};
    struct entry e;
    const char *before = "(";
    const uint8_t *p = entry_read(d->corpus->dialect, children, &e);
    for (; e.code != ABBREV_END; p = entry_read(d->corpus->dialect, p, &e)) {
        char parameter[DECLARATOR_MOST] = "";
        if (e.tag == DW_TAG_unspecified_parameters)
            strcpy(parameter, "...");
        else
            declare_type(&inner, e.type, QUALIFIER_NONE, parameter);
        join(text, text, before, parameter);
        before = ", ";
    }
    join(text, text, before[0] == '(' ? "(void" : "", ")");
}

static void name_type(const struct declaration *d, const struct entry *e, unsigned qualifiers, const char *base,
                      char text[DECLARATOR_MOST])
{
    const char *kind = "";
    const bool cpp = d->corpus->dialect.language == DWARF_CPP;
    if (!cpp && e)
        kind = e->tag == DW_TAG_structure_type     ? "struct "
               : e->tag == DW_TAG_union_type       ? "union "
               : e->tag == DW_TAG_enumeration_type ? "enum "
                                                   : "";
    if (!base)
        base = !e || e->name == ENTRY_NONE ? "void" : (const char *)d->corpus->strings.data + e->name;
    char before[DECLARATOR_MOST];
    snprintf(before, sizeof before, "%s%s%s%s", qualifiers & QUALIFIER_CONST ? "const " : "", kind, base,
             text[0] ? " " : "");
    join(text, before, text, "");
}

/* Turns the declarator `text` into a declaration with this type. */
static void declare_type(const struct declaration *d, uint32_t type, unsigned qualifiers, char text[DECLARATOR_MOST])
{
    const struct corpus *c = d->corpus;
    const char *base = base_name(c, type);
    struct entry e;
    if (base || type < c->start || type == ENTRY_NONE) {
        name_type(d, NULL, qualifiers, base ? base : "void", text);
        return;
    }
    const uint8_t *children = entry_read(c->dialect, d->header->entries + (type - c->start), &e);
    char number[32];
    switch (e.tag) {
    case DW_TAG_const_type:
        declare_type(d, e.type, qualifiers | QUALIFIER_CONST, text);
        break;
    case DW_TAG_restrict_type:
        declare_type(d, e.type, qualifiers | QUALIFIER_RESTRICT, text);
        break;
    case DW_TAG_atomic_type: {
        char atomic[40];
        snprintf(atomic, sizeof atomic, "_Atomic %s", base_name(c, e.type));
        name_type(d, NULL, qualifiers, atomic, text);
        break;
    }
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type: {
        /* the target, const or not, tells whether there are parentheses */
        struct entry target = {.tag = DW_TAG_const_type, .type = e.type};
        while (target.tag == DW_TAG_const_type && target.type != ENTRY_NONE && target.type >= c->start)
            entry_read(c->dialect, d->header->entries + (target.type - c->start), &target);
        const char *sign = e.tag == DW_TAG_pointer_type ? "*" : e.tag == DW_TAG_reference_type ? "&" : "&&";
        if (qualifiers & QUALIFIER_RESTRICT)
            join(text, "restrict ", "", text);
        join(text, sign, qualifiers & QUALIFIER_CONST ? "const " : "", text);
        if (target.tag == DW_TAG_subroutine_type && d->depth == DEPTH_MOST) {
            name_type(d, NULL, QUALIFIER_NONE, "void", text);
            break;
        }
        if (target.tag == DW_TAG_subroutine_type || target.tag == DW_TAG_array_type)
            join(text, "(", text, ")");
        declare_type(d, e.type, QUALIFIER_NONE, text);
        break;
    }
    case DW_TAG_array_type: {
        struct entry range;
        entry_read(c->dialect, children, &range);
        snprintf(number, sizeof number, "[%u]", range.value + 1);
        join(text, text, number, "");
        declare_type(d, e.type, qualifiers, text);
        break;
    }
    case DW_TAG_subroutine_type:
        add_parameters(d, children, text);
        declare_type(d, e.type, QUALIFIER_NONE, text);
        break;
    default:
        name_type(d, &e, qualifiers, NULL, text);
    }
}

void type_declare(struct bytes *out, const struct corpus *c, uint32_t header, uint32_t type, const char *name)
{
    const struct declaration d = {c, &c->header[header], 0};
    char text[DECLARATOR_MOST];
    const char *base = base_name(c, type);
    if (base) { /* most types are base types */
        text_add(out, base);
        text_add(out, name[0] ? " " : "");
        text_add(out, name);
        return;
    }
    snprintf(text, sizeof text, "%s", name);
    declare_type(&d, type, QUALIFIER_NONE, text);
    text_add(out, text);
}

void type_declare_function(struct bytes *out, const struct corpus *c, uint32_t header, uint32_t result,
                           const char *name, const uint8_t *children)
{
    const struct declaration d = {c, &c->header[header], 0};
    char text[DECLARATOR_MOST];
    snprintf(text, sizeof text, "%s", name);
    add_parameters(&d, children, text);
    declare_type(&d, result, QUALIFIER_NONE, text);
    text_add(out, text);
}
