/* Writes the parts of .gcc_except_table; see except.h. */
#include "elf/write/except.h"

#include <assert.h>
#include <stdbool.h>

#include "base/bytes.h"
#include "elf/write/cfi.h"

enum {
    TYPE_BYTES = 4,
    ACTION_BYTES = 2,
    SITE_LEAST = 4,
    SITES_ACTING = 4,
    TYPED_LEAST = 24,       /* the least bytes of a part that has types */
    TO_PREVIOUS = -3,       /* from the second byte of an action to the action before it */
    ACTIONS_SAID = 127 / 2, /* so many actions can be referred to in one byte */
};

/* What a part consists of. */
struct part {
    uint32_t sites;      /* call sites that are written */
    uint32_t all;        /* call sites to choose these from, evenly spread */
    uint32_t sites_size; /* bytes of the call sites */
    uint32_t actions;
    bool typed;
};

static const struct except_site *site_of(const struct part *part, const struct except_site *site, uint32_t i)
{
    return &site[(uint64_t)i * part->all / part->sites];
}

static uint32_t sites_size(const struct part *part, const struct except_site *site)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < part->sites; i++) {
        const struct except_site *s = site_of(part, site, i);
        size += leb128_unsigned_size(s->start) + leb128_unsigned_size(s->size) + leb128_unsigned_size(s->pad) + 1;
    }
    return size;
}

/* Bytes of the number that says where the table of types ends. */
static unsigned types_size(uint32_t size)
{
    return leb128_unsigned_size(size);
}

/* Bytes of everything but the actions that fill the part up. */
static uint32_t least_of(const struct part *part, uint32_t size)
{
    uint32_t least = 3 + leb128_unsigned_size(part->sites_size) + part->sites_size;
    if (part->typed)
        least += types_size(size) + ACTION_BYTES + TYPE_BYTES;
    return least;
}

static struct part part_of(uint32_t size, const struct except_site *site, uint32_t sites, bool typed)
{
    struct part part = {.sites = (size - EXCEPT_LEAST) / SITE_LEAST, .all = sites, .typed = typed};
    part.sites = part.sites < sites ? part.sites : sites;
    for (part.sites_size = sites_size(&part, site); part.sites && least_of(&part, size) > size;) {
        const uint32_t over = (least_of(&part, size) - size) / (2 * SITE_LEAST);
        part.sites -= 1 + (over < part.sites ? over : part.sites - 1);
        part.sites_size = sites_size(&part, site);
    }
    part.actions = typed + (size - least_of(&part, size)) / ACTION_BYTES;
    return part;
}

/* Every second action continues with the one before it. */
static uint8_t *put_actions(uint8_t *p, const struct part *part)
{
    for (uint32_t i = 0; i < part->actions; i++) {
        p = put_sleb128(p, part->typed && i % 2 == 0);
        p = put_sleb128(p, i % 2 ? TO_PREVIOUS : 0);
    }
    return p;
}

/* Every fourth of the call sites with a landing pad has an action, given by its offset in bytes plus 1. The others have
 * 0. */
static uint8_t *put_sites(uint8_t *p, const struct part *part, const struct except_site *site)
{
    const uint32_t actions = part->actions < ACTIONS_SAID ? part->actions : ACTIONS_SAID;
    uint32_t pads = 0;
    for (uint32_t i = 0; i < part->sites; i++) {
        const struct except_site *s = site_of(part, site, i);
        const bool acts = s->pad && pads++ % SITES_ACTING == 0 && actions;
        const uint32_t action = acts ? 1 + ACTION_BYTES * (pads / SITES_ACTING % actions) : 0;
        p = put_uleb128(put_uleb128(put_uleb128(p, s->start), s->size), s->pad);
        p = put_u8(p, (uint8_t)action);
    }
    return p;
}

uint8_t *except_write(uint8_t *p, uint64_t address, uint32_t size, const struct except_site *site, uint32_t sites)
{
    assert(size >= EXCEPT_LEAST);
    uint8_t *const end = p + size;
    const bool typed = (address + size) % TYPE_BYTES == 0 && size >= TYPED_LEAST && sites && site->pad;
    const struct part part = part_of(size, site, sites, typed);
    const uint32_t odd = (size - least_of(&part, size)) % ACTION_BYTES;
    p = put_u8(p, PE_OMIT);
    p = put_u8(p, typed ? PE_INDIRECT_PCREL_SDATA4 : PE_OMIT);
    if (typed)
        p = put_padded_leb128(p, (int64_t)(end - p) - types_size(size), types_size(size));
    p = put_u8(p, PE_ULEB128);
    p = put_padded_leb128(p, part.sites_size, leb128_unsigned_size(part.sites_size) + odd);
    p = put_sites(p, &part, site);
    p = put_actions(p, &part);
    if (typed)
        p = put_u32(p, 0);
    assert(p == end);
    return p;
}
