/* See once.h. */
#include "dwarf/form/once.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/form/index_hash.h"

enum { SLOTS_FIRST = 1 << 12 };

/* The slot of a text with this hash: the one that has it, or a free one. */
static struct once_slot *find(const struct once *o, const struct bytes *strings, const char *text, uint32_t hash)
{
    uint32_t at = hash & (o->slots - 1);
    while (o->slot[at].place &&
           (o->slot[at].hash != hash || strcmp((const char *)strings->data + o->slot[at].place - 1, text) != 0))
        at = (at + 1) & (o->slots - 1);
    return &o->slot[at];
}

/* Doubles the number of slots; false when memory ran out. */
static bool grow(struct once *o)
{
    struct once more = {.slots = o->slots ? 2 * o->slots : SLOTS_FIRST, .used = o->used};
    more.slot = calloc(more.slots, sizeof *more.slot);
    if (!more.slot)
        return false;
    for (uint32_t i = 0; i < o->slots; i++) {
        if (!o->slot[i].place)
            continue;
        uint32_t at = o->slot[i].hash & (more.slots - 1);
        while (more.slot[at].place)
            at = (at + 1) & (more.slots - 1);
        more.slot[at] = o->slot[i];
    }
    free(o->slot);
    *o = more;
    return true;
}

uint32_t once_put(struct once *o, struct bytes *strings, const char *text)
{
    if (o->used >= o->slots / 2 && !grow(o))
        strings->failed = true;
    if (strings->failed)
        return 0;
    const uint32_t hash = index_hash_debug_names(text, strlen(text));
    struct once_slot *const slot = find(o, strings, text, hash);
    if (slot->place)
        return slot->place - 1;
    const uint32_t at = (uint32_t)bytes_string(strings, text);
    if (!strings->failed) {
        *slot = (struct once_slot){at + 1, hash};
        o->used++;
    }
    return at;
}

void once_free(struct once *o)
{
    free(o->slot);
    *o = (struct once){.slots = 0};
}
