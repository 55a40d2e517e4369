/* The names by which small functions are described (describe_small.h). */
#include <stdlib.h>
#include <string.h>

#include "emit/library/describe_small.h"
#include "emit/plan/methods.h"
#include "emit/plan/names_row.h"

#define RESOLVER_ENDING "_ifunc" /* as the C library's resolvers are called, whose symbols have other names */

/* Which of local small functions and static objects has the name of a local function. */
static uint32_t object_of(const struct plan_library *row, uint32_t index)
{
    return names_row_object_named(row, index - row->small.exported);
}

bool small_name_is_mangled(const struct plan_library *row, uint32_t index)
{
    const uint32_t exported = row->small.exported;
    const uint32_t place = row->exported + index;
    return index < exported ? place < row->names.mangled && names_row_end_of(row, place) == NAMES_ROW_NONE
                            : names_row_object_is_mangled(row, object_of(row, index));
}

bool small_name_is_shared(const struct plan_library *row, uint32_t index)
{
    return index >= row->small.exported && row->names.shared && object_of(row, index) >= row->names.shared_first;
}

bool small_is_resolver(const struct library *l, uint32_t index)
{
    return resolvers_has(&l->shape.resolvers, index);
}

bool small_is_method(const struct plan_library *row, uint32_t index)
{
    return index + methods_functions(row) >= row->small.count;
}

bool small_is_member(const struct walk *w, uint32_t index)
{
    return index < w->l->row->small.exported && small_name_is_mangled(w->l->row, index) && !lines_are_told(w);
}

uint32_t small_name_length(const struct library *l, uint32_t index)
{
    const struct plan_library *const row = l->row;
    const uint32_t ending = small_is_resolver(l, index) ? sizeof RESOLVER_ENDING - 1 : 0;
    return ending + (index < row->small.exported ? names_row_other_length(row, index)
                                                 : names_row_object_length(row, object_of(row, index)));
}

/* The last of the words that a mangled name consists of: "FieldCurve" of _ZN2m37LineMap10FieldCurveEv. Sets its
 * length. */
static const char *last_word(const char *name, uint32_t *length)
{
    name += sizeof "_Z" - 1;
    name += *name == 'N' || *name == 'L';
    const char *word = name;
    *length = 0;
    while (*name >= '0' && *name <= '9') {
        char *end;
        *length = (uint32_t)strtoul(name, &end, 10);
        word = end;
        name = word + *length;
    }
    return word;
}

/* The parameters that a mangled name says a local function has, whose words end at `end`: `int`s. */
static uint32_t count_ints(const char *end)
{
    return *end == 'i' ? 2 : 0;
}

/* Appends a name that is not there yet. */
static void put_name(struct walk *w, uint32_t index, uint32_t length, struct debug_function *f, uint32_t *ints)
{
    struct library *const l = w->l;
    struct bytes *const names = &l->debug.statics;
    const size_t own = names->size;
    uint8_t *const at = bytes_reserve(names, 2 * (length + UINT64_C(1)));
    f->name = f->method = (uint32_t)(l->debug.names_size + own);
    if (!at)
        return; /* `failed` tells */
    uint8_t *end = index < l->row->small.exported ? names_row_write_other(l->row, index, at)
                                                  : names_row_write_object(l->row, object_of(l->row, index), at);
    if (small_is_resolver(l, index))
        end = put_bytes(end - 1, RESOLVER_ENDING, sizeof RESOLVER_ENDING);
    uint32_t characters;
    const char *const word = small_name_is_mangled(l->row, index) ? last_word((const char *)at, &characters) : NULL;
    f->is_linked = word && lines_are_told(w);
    if (!word || f->is_linked)
        bytes_keep(names, end);
    if (!word)
        return;
    *ints = count_ints(word + characters);
    f->method = (uint32_t)(l->debug.names_size + names->size);
    memmove(names->data + names->size, word, characters);
    names->data[names->size + characters] = '\0';
    bytes_keep(names, names->data + names->size + characters + 1);
}

/* The parameters that the mangled name of local function `index` says. */
static uint32_t ints_of(const struct plan_library *row, uint32_t index)
{
    char name[PROFILE_NAME_MOST + 1];
    uint32_t characters;
    names_row_write_object(row, object_of(row, index), (uint8_t *)name);
    const char *const word = last_word(name, &characters);
    return count_ints(word + characters);
}

bool small_names_shared(const struct plan_library *row, struct bytes *shared)
{
    const uint32_t names = row->names.shared ? names_row_objects_named(row) - row->names.shared_first : 0;
    bytes_zeros(shared, names * sizeof(uint32_t));
    return !shared->failed;
}

void small_name_put(struct walk *w, uint32_t index, uint32_t length, struct bytes *shared, struct debug_function *f,
                    uint32_t *ints)
{
    const struct plan_library *const row = w->l->row;
    if (!small_name_is_shared(row, index)) {
        put_name(w, index, length, f, ints);
        return;
    }
    uint8_t *const at = shared->data + (object_of(row, index) - row->names.shared_first) * sizeof(uint32_t);
    uint32_t known;
    memcpy(&known, at, sizeof known);
    f->name = f->method = known;
    if (!known)
        put_name(w, index, length, f, ints);
    else if (small_name_is_mangled(row, index))
        *ints = ints_of(row, index);
    put_u32(at, f->name);
}
