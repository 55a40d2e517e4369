/* See once.h. */
#include "dwarf/once.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/index_hash.h"

enum { SLOTS_FIRST = 1 << 12 };

static uint32_t *find(const struct once *o, const struct bytes *strings, const char *text)
{
    uint32_t at = index_hash_debug_names(text, strlen(text)) & (o->slots - 1);
    while (o->slot[at] && strcmp((const char *)strings->data + o->slot[at] - 1, text) != 0)
        at = (at + 1) & (o->slots - 1);
    return &o->slot[at];
}

/* Doubles the number of slots; false when memory ran out. */
static bool grow(struct once *o, const struct bytes *strings)
{
    struct once more = {.slots = o->slots ? 2 * o->slots : SLOTS_FIRST, .used = o->used};
    more.slot = calloc(more.slots, sizeof *more.slot);
    if (!more.slot)
        return false;
    for (uint32_t i = 0; i < o->slots; i++)
        if (o->slot[i])
            *find(&more, strings, (const char *)strings->data + o->slot[i] - 1) = o->slot[i];
    free(o->slot);
    *o = more;
    return true;
}

uint32_t once_put(struct once *o, struct bytes *strings, const char *text)
{
    if (o->used >= o->slots / 2 && !grow(o, strings))
        strings->failed = true;
    if (strings->failed)
        return 0;
    uint32_t *const slot = find(o, strings, text);
    if (*slot)
        return *slot - 1;
    const uint32_t at = (uint32_t)bytes_string(strings, text);
    if (!strings->failed) {
        *slot = at + 1;
        o->used++;
    }
    return at;
}

void once_free(struct once *o)
{
    free(o->slot);
    *o = (struct once){.slots = 0};
}
