/* Which headers a library's units include, and how many of their names .debug_str has (unit_sizes.h). */
#include "base/random.h"
#include "dwarf/unit/unit_sizes.h"

uint64_t unit_names_least(const struct corpus *c)
{
    return c->header[0].cut[0].names;
}

/* How many headers units may include. */
static uint32_t headers_most(const struct debug *d)
{
    const struct corpus *c = d->corpus;
    const bool any = units_include_any(d) && d->files.named == c->headers;
    return any || c->made < d->files.named ? c->made : d->files.named;
}

/* How many headers there are up to `first` and the ones with the same names behind it. */
static uint32_t with_group(const struct corpus *c, uint32_t first, uint32_t most)
{
    uint32_t count = first + 1;
    while (count < most && !c->header[count].names)
        count++;
    return count;
}

/* How many headers, at most `most`, have names that fit into `names` bytes. */
static uint32_t choose_headers(const struct corpus *c, uint64_t names, uint32_t most)
{
    uint32_t used = 0;
    while (used < most && c->header[used].names <= names) {
        names -= c->header[used].names;
        used++;
    }
    return used;
}

/* Names of headers usually take an eighth of the bytes to be filled, so that units do not all include the same; less in
 * C++; more with type units, where most of what the names are of does not repeat. */
uint64_t debug_names_usual(const struct corpus *c, uint64_t bytes)
{
    return bytes / (c->dialect.type_units ? 7 : c->dialect.language == DWARF_CPP ? 11 : 8);
}

uint64_t unit_types_room(const struct corpus *c, uint64_t bytes, uint64_t units)
{
    const uint32_t headers = c->dialect.type_units ? choose_headers(c, debug_names_usual(c, bytes), c->made) : 0;
    uint64_t room = 0;
    for (uint32_t h = 0; h < headers && h < units; h++)
        room += c->header[h].cut[c->header[h].cuts - 1].types;
    return room / 2;
}

/* Bytes of the names of the first `headers` headers. */
static uint64_t names_until(const struct corpus *c, uint32_t headers)
{
    const struct corpus_header *last = &c->header[headers - 1];
    return last->name_start + last->names - c->common;
}

void unit_choose_headers(struct debug *d, uint64_t names, struct header_limit *limit)
{
    const struct corpus *c = d->corpus;
    const uint32_t used = choose_headers(c, names, headers_most(d));
    d->headers_used = used;
    d->header_names = used ? names_until(c, used) : 0;
    *limit = (struct header_limit){used, UINT32_MAX};
    if (used == headers_most(d))
        return;
    const struct corpus_header *h = &c->header[used];
    uint32_t cut = 0;
    while (cut + 1 < h->cuts && d->header_names + h->cut[cut + 1].names <= names)
        cut++;
    if (used && (!cut || used >= c->headers)) /* additional headers are used wholly or not at all */
        return;
    limit->cut = cut;
    d->header_names += h->cut[cut].names;
    d->headers_used = with_group(c, used, headers_most(d));
}

/* How far units may go into header 0 if there is no room for a whole header's names: until pieces can fill `rest`
 * bytes, or as far as the names fit. */
static uint32_t first_header_cut(const struct debug *d, uint64_t rest)
{
    const struct corpus_header *h = &d->corpus->header[0];
    uint64_t least = unit_names_least(d->corpus);
    uint32_t cut = 0;
    while (cut + 1 < h->cuts) {
        uint64_t room = (uint64_t)d->unit_count * (h->cut[cut].entries - d->corpus->fixed) + h->cut[cut].types;
        room -= with_group(d->corpus, 0, headers_most(d)) > 1 ? room / 8
                                                              : 0; /* other headers of the group leave some out */
        if (room + h->cut[cut].names - least >= rest || h->cut[cut + 1].names - least > rest)
            break;
        cut++;
    }
    return cut;
}

void unit_usual_headers(struct debug *d, uint64_t rest, struct header_limit *limit)
{
    const struct corpus *c = d->corpus;
    *limit = (struct header_limit){0, UINT32_MAX};
    d->headers_used = choose_headers(c, debug_names_usual(c, rest), headers_most(d));
    if (!d->headers_used) {
        limit->cut = first_header_cut(d, rest);
        if (limit->cut + 1 == c->header[0].cuts)
            limit->cut =
                UINT32_MAX; /* no limit: too little for its names' usual share, too much for one header's pieces */
        d->headers_used = with_group(c, 0, headers_most(d));
    }
    d->header_names = header_limit_any(limit) ? c->header[0].cut[limit->cut].names : names_until(c, d->headers_used);
}

void unit_first_headers(struct debug *d, uint64_t rest)
{
    const bool cpp = d->corpus->dialect.language == DWARF_CPP;
    const uint64_t room = d->corpus->dialect.lines ? UINT64_MAX : d->corpus->room - d->corpus->fixed; /* nothing more */
    const uint64_t each = rest / d->unit_count;
    const uint32_t further = headers_further(d);
    const uint32_t together = corpus_together(d->corpus);
    uint32_t choice = d->headers_used - further;
    const uint64_t largest = cpp && units_include_any(d) ? unit_largest_share(d, rest) : 0;
    d->several = units_include_any(d) && (!cpp || largest >= room);
    if (d->several) { /* twice the average: some units get more than others */
        const uint64_t behind = (each * 2 > largest ? each * 2 : largest) / room;
        const uint64_t less = behind > further ? (behind - further) * together : 0;
        choice = less + together < choice ? choice - (uint32_t)less : together < choice ? together : choice;
    }
    if (d->pieces_most != UINT32_MAX)
        choice = 1;
    for (uint32_t i = 0; i < d->unit_count; i++) {
        /* in C++ in turn, so that neighbours differ */
        uint64_t r = random_at(d->variety + 1, cpp ? 0 : i);
        d->unit[i].header = cpp ? (uint32_t)((r + i) % choice) : random_below(r, choice);
        d->unit[i].cut = d->unit[i].wholes = 0;
    }
}
