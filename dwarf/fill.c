/* The size pass of the debug information: what else there is, so that all of it
 * has exactly the wanted size; see unit.h. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "dwarf/unit.h"
#include "dwarf/unit_sizes.h"

static uint32_t headers_entries(const struct corpus *c, uint32_t header)
{
    const struct corpus_header *h = &c->header[header];
    return h->cut[h->cuts - 1].entries;
}

/* The last cut of `h` whose entries take at most `most` bytes. */
static uint32_t cut_within(const struct corpus_header *h, uint64_t most)
{
    uint32_t low = 0;
    uint32_t high = h->cuts;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (h->cut[middle].entries <= most)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The sources' names: one for each unit of code, then for those of data. */
static void name_sources(struct debug *d)
{
    const struct corpus *c = d->corpus;
    d->sources.size = 0;
    for (uint32_t i = 0; i < d->unit_count; i++) {
        char name[64];
        if (i == 0)
            snprintf(name, sizeof name, "%s.c", d->source_stem);
        else
            snprintf(name, sizeof name, "%s_%s%u.c", d->source_stem, d->unit[i].end > d->unit[i].start ? "" : "data",
                     i);
        d->unit[i].source = (uint32_t)(c->line_strings.size + bytes_string(&d->sources, name));
    }
}

/* Names of a header that are there even where none of its types are. */
static uint64_t names_least(const struct corpus *c)
{
    return c->header[0].cut[0].names;
}

static uint64_t total_size(const struct debug *d)
{
    return d->aranges + d->info + d->abbrev + d->line + d->str + d->line_str + d->loclists + d->rnglists;
}

/* Everything but what the headers and the last names add. */
static uint64_t fixed_size(struct debug *d)
{
    const struct corpus *c = d->corpus;
    d->aranges = d->info = d->line = 0;
    for (uint32_t i = 0; i < d->unit_count; i++) {
        struct debug_unit *u = &d->unit[i];
        u->info_size = UNIT_FRAME + CORPUS_FIXED_BYTES + u->entries_size;
        d->info += u->info_size;
        d->line += LINE_HEADER + u->program_size;
        d->aranges += u->end > u->start ? ARANGES_UNIT : 0;
    }
    d->info += TAIL_ENTRIES * SIZE_EXTERN_VARIABLE;
    d->unit[d->unit_count - 1].info_size += TAIL_ENTRIES * SIZE_EXTERN_VARIABLE;
    d->loclists = d->composed->lists.size;
    d->rnglists = d->composed->ranges.size;
    d->abbrev = c->abbrev.size * d->unit_count;
    d->line_str = c->line_strings.size + d->sources.size;
    d->str = c->common + names_least(c) + d->names_size + d->statics_size + TAIL_ENTRIES * (TAIL_NAME + 1);
    return total_size(d);
}

uint64_t debug_least(const struct corpus *c, uint64_t functions, uint64_t units, uint64_t names)
{
    const uint64_t function = SIZE_FUNCTION + SIZE_PARAMETER * PARAMETERS_MOST + 1 + FUNCTION_PROGRAM_LEAST;
    const uint64_t unit =
        UNIT_FRAME + CORPUS_FIXED_BYTES + LINE_HEADER + LINE_BEGIN + LINE_END_MOST + ARANGES_UNIT + SOURCE_NAME_MOST;
    return functions * function + units * (unit + c->abbrev.size) + c->line_strings.size + c->common + names_least(c) +
           names + TAIL_ENTRIES * (SIZE_EXTERN_VARIABLE + TAIL_NAME + 1);
}

/* How many whole headers' names .debug_str should hold: some 7 % of what is to
 * be filled, a real library's share. */
static uint32_t choose_headers(const struct corpus *c, uint64_t rest)
{
    uint64_t budget = rest / 14;
    uint32_t used = 0;
    while (used < CORPUS_HEADERS && c->header[used].names <= budget) {
        budget -= c->header[used].names;
        used++;
    }
    return used;
}

/* Units of data, where those of code could not hold `rest` bytes of types. */
static bool add_data_units(struct debug *d, uint64_t rest, struct arena *arena)
{
    uint64_t room = headers_entries(d->corpus, 0);
    for (uint32_t h = 1; h < d->headers_used; h++)
        if (headers_entries(d->corpus, h) < room)
            room = headers_entries(d->corpus, h);
    /* a part of what the units could hold stays free, so that they can differ */
    uint64_t capacity = (uint64_t)d->unit_count * (room - CORPUS_FIXED_BYTES) / 16 * 15;
    if (rest <= capacity)
        return true;
    uint64_t more = (rest - capacity) / (room - room / 8) + 1;
    struct debug_unit *longer = arena_zeroed(arena, d->unit_count + more, sizeof *longer);
    if (!longer)
        return false;
    memcpy(longer, d->unit, d->unit_count * sizeof *longer);
    d->unit = longer;
    d->unit_count += (uint32_t)more;
    return true;
}

/* Gives unit `u` as many types as fit into `bytes`; returns what it took. */
static uint64_t include(const struct debug *d, struct debug_unit *u, uint64_t bytes, uint32_t last_cut)
{
    const struct corpus_header *h = &d->corpus->header[u->header];
    uint32_t before = h->cut[u->cut].entries;
    uint32_t cut = cut_within(h, before + bytes);
    if (cut > last_cut)
        cut = last_cut;
    if (cut < u->cut)
        cut = u->cut;
    uint64_t took = h->cut[cut].entries - before;
    u->cut = cut;
    u->info_size += took;
    return took;
}

/* Spreads `rest` bytes of types over the units, unevenly; returns what is left,
 * less than the smallest type. */
static uint64_t spread(struct debug *d, uint64_t rest, uint32_t last_cut)
{
    uint64_t weights = 0;
    for (uint32_t i = 0; i < d->unit_count; i++)
        weights += 64 + (random_at(d->variety, i) & 127);
    uint64_t carry = 0;
    uint64_t given = 0;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < d->unit_count; i++) {
        seen += 64 + (random_at(d->variety, i) & 127);
        uint64_t until = (uint64_t)((unsigned __int128)rest * seen / weights);
        carry += until - given;
        given = until;
        carry -= include(d, &d->unit[i], carry, last_cut);
    }
    for (uint32_t i = 0; i < d->unit_count && carry; i++)
        carry -= include(d, &d->unit[i], carry, last_cut);
    return carry;
}

/* With less than one header's names to spend: types only as far into header 0
 * as its names may go. */
static uint32_t first_header_cut(const struct debug *d, uint64_t rest)
{
    const struct corpus_header *h = &d->corpus->header[0];
    uint64_t least = names_least(d->corpus);
    uint32_t cut = 0;
    while (cut + 1 < h->cuts) {
        uint64_t room = (uint64_t)d->unit_count * (h->cut[cut].entries - CORPUS_FIXED_BYTES);
        if (room + h->cut[cut].names - least >= rest || h->cut[cut + 1].names - least > rest)
            break;
        cut++;
    }
    return cut;
}

bool debug_fill(struct debug *d, uint64_t wanted, struct arena *arena, struct error *e)
{
    name_sources(d);
    uint64_t fixed = fixed_size(d);
    if (fixed > wanted) {
        error_set(e, ERROR_INFEASIBLE, "debug information needs at least %llu bytes", (unsigned long long)fixed);
        if (e) {
            e->wanted = (int64_t)wanted;
            e->possible = (int64_t)fixed;
        }
        return false;
    }
    uint32_t last_cut = UINT32_MAX;
    d->headers_used = choose_headers(d->corpus, wanted - fixed);
    if (!d->headers_used) {
        last_cut = first_header_cut(d, wanted - fixed);
        if (last_cut + 1 == d->corpus->header[0].cuts) {
            d->headers_used = 1; /* too little for its names' usual share, too much for one header's types */
            last_cut = UINT32_MAX;
        }
    }
    if (d->headers_used) {
        const struct corpus_header *last = &d->corpus->header[d->headers_used - 1];
        d->header_names = last->name_start + last->names - d->corpus->common;
        if (!add_data_units(d, wanted - fixed - (d->header_names - names_least(d->corpus)), arena))
            return error_set(e, ERROR_MEMORY, "out of memory for debug information");
        name_sources(d);
        fixed = fixed_size(d);
    } else {
        d->header_names = d->corpus->header[0].cut[last_cut].names;
        d->headers_used = 1;
    }
    if (d->sources.failed)
        return error_set(e, ERROR_MEMORY, "out of memory for debug information");
    uint64_t names = d->header_names - names_least(d->corpus);
    assert(fixed + names <= wanted);
    for (uint32_t i = 0; i < d->unit_count; i++) {
        d->unit[i].header = random_below(random_at(d->variety + 1, i), d->headers_used);
        d->unit[i].cut = 0;
    }
    uint64_t rest = wanted - fixed - names;
    d->tail_extra = spread(d, rest, last_cut);
    d->info += rest - d->tail_extra;
    d->str += names + d->tail_extra;
    assert(total_size(d) == wanted);
    return true;
}
