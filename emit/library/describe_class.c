/* Declares the classes that a library's functions are methods of. There are classes where functions' names have them
 * (mangle.h) and the units are C++.
 *
 * A unit declares each class before the first of its functions, with all the methods of that class that the library
 * has. If the functions of one class end one unit and begin the next, both units declare the class. Linkage names are
 * the library's own names; the names of classes and methods stand behind them.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "emit/library/describe_parts.h"

enum {
    INSTANCE_MOST = (int)sizeof "<long int, 15>",
    CLASS_LINES = MANGLE_METHODS + 4, /* lines of the source that a class takes */
};

/* The types of template arguments, as gcc writes them in the names of instances. */
static const struct {
    const char *name;
    enum base_type type;
} template_types[TEMPLATE_TYPES] = {
    [TEMPLATE_INT] = {"int", BASE_INT},
    [TEMPLATE_LONG] = {"long int", BASE_LONG},
    [TEMPLATE_DOUBLE] = {"double", BASE_DOUBLE},
    [TEMPLATE_CHAR] = {"char", BASE_CHAR},
};

static bool names_are_told(const struct corpus *corpus, const struct plan *plan, const struct plan_library *l)
{
    return corpus->dialect.language == DWARF_CPP && plan->names.style == STYLE_ITANIUM && !(l && l->names.plain);
}

bool class_is_told(const struct corpus *corpus, const struct plan *plan, const struct plan_library *l)
{
    return !corpus->dialect.lines && names_are_told(corpus, plan, l);
}

/* How many of the functions that are described the class with this number has. */
static uint32_t class_methods(const struct library *l, uint32_t number)
{
    uint32_t left = l->described - number * MANGLE_METHODS;
    return left < MANGLE_METHODS ? left : MANGLE_METHODS;
}

uint64_t class_most(const struct corpus *corpus, const struct plan *plan, const struct plan_library *l, uint64_t units)
{
    if (!names_are_told(corpus, plan, l))
        return 0;
    const uint32_t functions = plan_described(plan, l).most;
    uint32_t classes = (functions + MANGLE_METHODS - 1) / MANGLE_METHODS;
    uint64_t names = strlen(plan_prefix(l)) + 1 + functions * UINT64_C(1) * (WORDS_METHOD_MOST + INSTANCE_MOST);
    for (uint32_t i = 0; i < classes; i++)
        names += mangle_class_length(plan->names.letters, l, i) + 1;
    if (corpus->dialect.lines) /* no classes, but a linkage name in each entry */
        return names + functions * UINT64_C(4);
    return (classes + units) * compose_class_most(corpus->dialect, MANGLE_METHODS, ARGUMENTS_MOST) + names;
}

uint64_t class_room(const struct walk *w)
{
    return class_is_told(w->corpus, w->l->plan, w->l->row)
               ? compose_class_most(w->corpus->dialect, MANGLE_METHODS, ARGUMENTS_MOST)
               : 0;
}

/* --- names ------------------------------------------------------------------------ */

enum { METHOD_TEXT = WORDS_METHOD_MOST + INSTANCE_MOST + 1 };

/* Writes a method's name, without a terminator; returns its length. That of an instance includes its arguments. */
static uint32_t print_method(const struct name_parts *parts, char text[METHOD_TEXT])
{
    uint32_t length = (uint32_t)(words_method(parts->method, text) - text);
    if (parts->is_template)
        length += (uint32_t)snprintf(text + length, METHOD_TEXT - length, "<%s, %u>", template_types[parts->type].name,
                                     (unsigned)parts->number);
    return length;
}

/* The offset of a method's name. Methods that are no template instances share one string for each name. The name of an
 * instance is appended anew each time. */
static uint32_t method_name(struct walk *w, const struct name_parts *parts)
{
    char text[METHOD_TEXT];
    const uint32_t length = print_method(parts, text);
    if (parts->is_template)
        return describe_word(w->l, text, length);
    if (!w->classes.method_name[parts->method])
        w->classes.method_name[parts->method] = describe_word(w->l, text, length);
    return w->classes.method_name[parts->method];
}

uint64_t class_names_of_lines(const struct walk *w)
{
    const struct library *const l = w->l;
    bool is_known[WORDS_METHODS] = {false};
    uint64_t bytes = 0;
    if (!lines_are_told(w) || !names_are_told(w->corpus, l->plan, l->row))
        return 0;
    for (uint32_t i = 0; i < l->described; i++) {
        char text[METHOD_TEXT];
        const struct name_parts parts = mangle_parts(l->plan->names.letters, l->row, i, &l->code.own[i]);
        bytes += parts.is_template || !is_known[parts.method] ? print_method(&parts, text) + UINT64_C(1) : 0;
        is_known[parts.method] |= !parts.is_template;
    }
    return bytes;
}

uint32_t class_scope_name(struct walk *w)
{
    const char *const name = plan_prefix(w->l->row);
    if (!w->classes.scope_name)
        w->classes.scope_name = describe_word(w->l, name, (uint32_t)strlen(name));
    return w->classes.scope_name;
}

/* Sets the names of a class and of its methods. The walk is at the first function of the class. */
static void name_class(struct walk *w, uint32_t number)
{
    const struct library *l = w->l;
    const struct names *names = &l->plan->names;
    struct class_walk *k = &w->classes;
    char text[MANGLE_CLASS_MOST + 1];
    uint32_t linkage = (uint32_t)w->name;
    class_scope_name(w);
    k->named = number;
    k->class_name = describe_word(w->l, text, mangle_class(names->letters, l->row, number, text));
    k->text_length = (uint32_t)snprintf(k->text, sizeof k->text, "%s::%s::", plan_prefix(l->row), text);
    for (uint32_t i = 0; i < class_methods(l, number); i++) {
        const uint32_t index = number * MANGLE_METHODS + i;
        const struct function *f = &l->code.own[index];
        const struct name_parts parts = mangle_parts(names->letters, l->row, index, f);
        k->name[i] = method_name(w, &parts);
        k->linkage_name[i] = linkage;
        linkage += names_function(names, l->row, index, f) + 1;
    }
}

/* --- entries ----------------------------------------------------------------------- */

static uint32_t declare_method(struct walk *w, uint32_t index, uint32_t i)
{
    const struct library *l = w->l;
    const struct function *f = &l->code.own[index];
    const struct name_parts parts = mangle_parts(l->plan->names.letters, l->row, index, f);
    uint8_t types[ARGUMENTS_MOST];
    for (uint32_t j = 0; j < f->count; j++)
        types[j] = (uint8_t)describe_type(f->type[j]);
    const struct debug_method m = {
        .name = w->classes.name[i],
        .linkage_name = w->classes.linkage_name[i],
        .line = w->line_number + 2 + i,
        .result = BASE_UNSIGNED_LONG,
        .parameters = f->count,
        .types = types,
        .is_template = parts.is_template,
        .type = template_types[parts.type].type,
        .number = parts.number,
        .is_last = i + 1 == class_methods(l, index / MANGLE_METHODS),
    };
    return compose_method(&w->composer, &m);
}

/* A method's name with all its scopes, as gdb writes it. */
static const char *qualified(struct walk *w, const struct name_parts *parts)
{
    char *const text = w->classes.text;
    char *end = words_method(parts->method, text + w->classes.text_length);
    *end = '\0';
    if (parts->is_template)
        snprintf(end, INSTANCE_MOST + 1, "<%s, %u>", index_gdb_name(template_types[parts->type].name),
                 (unsigned)parts->number);
    return text;
}

/* Sets the name of a function with lines alone, if its symbol is mangled. */
static void name_linked(struct walk *w, uint32_t index, struct debug_function *f)
{
    const struct library *l = w->l;
    if (!names_are_told(w->corpus, l->plan, l->row))
        return;
    const struct name_parts parts = mangle_parts(l->plan->names.letters, l->row, index, &l->code.own[index]);
    f->is_linked = true;
    f->method = method_name(w, &parts);
}

void class_declare(struct walk *w, uint32_t index, struct debug_function *f)
{
    const uint32_t number = index / MANGLE_METHODS;
    const uint32_t i = index % MANGLE_METHODS;
    const struct library *l = w->l;
    struct class_walk *k = &w->classes;
    f->declared = COMPOSE_UNKNOWN;
    if (lines_are_told(w))
        name_linked(w, index, f);
    if (!class_is_told(w->corpus, l->plan, l->row))
        return;
    if (!i)
        name_class(w, number);
    assert(k->scope_name && k->named == number);
    if (!i || k->unit != w->units) {
        k->text[k->text_length - 2] = '\0'; /* without the "::" at the end */
        const struct debug_class class = {k->class_name, k->text, w->line_number, .is_last = true};
        const uint32_t namespace = compose_namespace(&w->composer, k->scope_name, w->line_number);
        const uint32_t sibling = compose_class(&w->composer, &class);
        k->text[k->text_length - 2] = ':';
        for (uint32_t m = 0; m < class_methods(l, number); m++)
            k->place[m] = declare_method(w, number * MANGLE_METHODS + m, m);
        compose_scope_end(&w->composer, sibling);
        compose_scope_end(&w->composer, namespace);
        k->unit = w->units;
        w->line_number += CLASS_LINES;
    }
    const struct name_parts parts = mangle_parts(l->plan->names.letters, l->row, index, &l->code.own[index]);
    f->declared = k->place[i];
    f->method = k->name[i];
    f->qualified = qualified(w, &parts);
}
