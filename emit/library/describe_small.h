/* What the describe_small*.c files share: which small functions are described, and what they are called. */
#ifndef EMIT_LIBRARY_DESCRIBE_SMALL_H
#define EMIT_LIBRARY_DESCRIBE_SMALL_H

#include <string.h>

#include "emit/library/describe_parts.h"
#include "emit/library/small.h"

enum {
    SMALL_PARAMETERS_MOST = 3, /* of a function that is no member */
    SMALL_ROWS = 2,            /* of a function */
    SMALL_UNIT_MOST = 12000,   /* functions of a unit: lines take two bytes */
};

/* --- names (describe_small_names.c) ------------------------------------------------ */

bool small_is_resolver(const struct library *l, uint32_t index);
/* Whether the function is one of Python's methods (methods.h). */
bool small_is_method(const struct plan_library *row, uint32_t index);
/* Whether a dynamic function is described as a function of a namespace or class (describe_members.c). */
bool small_is_member(const struct walk *w, uint32_t index);

/* Whether the name of the function's symbol is mangled. One that ends in another name is not. */
bool small_name_is_mangled(const struct plan_library *row, uint32_t index);
/* Whether other functions or objects have the name, too. */
bool small_name_is_shared(const struct plan_library *row, uint32_t index);
/* Characters of the name that the function is described by, with which small_name_put is called. */
uint32_t small_name_length(const struct library *l, uint32_t index);

/* Names that several functions have: uint32_t, their offsets in .debug_str; 0: not there yet. False when memory ran
 * out. */
bool small_names_shared(const struct plan_library *row, struct bytes *shared);
/* Sets the names of a function that is no member. Appends the name of its symbol, unless that is shared and there
 * already, to the library's own and, where it is mangled, its last word. Without lines alone it is this word, and *ints
 * is set to how many parameters the symbol's name says that the function has. */
void small_name_put(struct walk *w, uint32_t index, uint32_t length, struct bytes *shared, struct debug_function *f,
                    uint32_t *ints);

/* --- the choice (describe_small_told.c) ---------------------------------------------- */

/* The small functions that are described: `count` of `all` that could be, evenly spread. */
struct small_told {
    struct bytes lengths; /* uint16_t: for each function small_name_length, or 0: it cannot be described */
    uint32_t all, count;
    uint64_t code;        /* bytes that the `all` take, */
    uint64_t info, names; /* and bytes of entries and of names, about */
    uint32_t units;       /* how many units are theirs, the first ones; 0: there is only one, for all functions */
};

/* `lengths`, which are to be freed, have failed where memory ran out. */
struct small_told small_choose(const struct walk *w);
static inline uint32_t small_told_length(const struct small_told *t, uint32_t index)
{
    uint16_t length;
    memcpy(&length, t->lengths.data + index * sizeof length, sizeof length);
    return length;
}
/* Whether function `index` is described, before which *number could be. Moves that on. */
static inline bool small_is_told(const struct small_told *t, uint32_t index, uint32_t *number)
{
    if (!small_told_length(t, index))
        return false;
    const uint64_t before = *number;
    ++*number;
    return (before + 1) * t->count / t->all > before * t->count / t->all;
}

/* --- members (describe_members.c) -------------------------------------------------- */

/* A function of C++ whose name is mangled: of the library's namespace, or of classes in it. */
struct member {
    uint32_t linkage; /* the symbol's name, and */
    uint32_t name;    /* the last word of it: offsets in .debug_str */
    uint32_t place;   /* of its declaration in the open unit */
    uint32_t type_at; /* place of the type of its parameters that are references; 0: there are none */
    uint32_t of;      /* the class in that type (compose_class_reference) */
};
/* Whether a function with this name can be a member. Sets *info and *names to the bytes that it takes, about, of
 * entries, and of names besides this one. */
bool member_can_be(const char *name, uint64_t *info, uint64_t *names);
/* Declares the next functions of the open unit, an array of struct member whose `linkage` is set, in the namespace;
 * sets the rest. False when memory ran out. */
bool members_declare(struct walk *w, struct bytes *members);
/* Composes the entry of `f` as the function that `m` declares, and its parameters, which stay where they arrive. */
enum { MEMBER_PARAMETERS_MOST = 6, MEMBER_LINES = 2 /* lines of the source that a declaration takes */ };
void member_define(struct walk *w, const struct member *m, struct debug_function *f);

#endif
