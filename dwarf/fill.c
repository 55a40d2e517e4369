/* The size pass of the debug information: what else there is, so that it has
 * exactly the wanted size; see unit.h. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/words.h"
#include "dwarf/unit_sizes.h"

enum {
    SHORT_EXTRA_MOST = 40, /* characters of a name in .debug_info beyond the shortest, as a rule */
    NAME_EXTRA_USUAL = 40, /* and of one in .debug_str */
};

static const char *const section_names[DEBUG_SECTION_COUNT] = {
#define DEBUG_SECTION_NAME(id, name) [DEBUG_##id] = #name,
    DEBUG_SECTIONS(DEBUG_SECTION_NAME)
#undef DEBUG_SECTION_NAME
};

static bool infeasible(struct error *e, uint64_t wanted, uint64_t possible, const char *what)
{
    error_set(e, ERROR_INFEASIBLE, "%s %s %llu bytes", what, wanted < possible ? "needs at least" : "takes at most",
              (unsigned long long)possible);
    if (e) {
        e->wanted = (int64_t)wanted;
        e->possible = (int64_t)possible;
    }
    return false;
}

static bool section_infeasible(struct debug *d, enum debug_section s, uint64_t possible, struct error *e)
{
    char what[64];
    d->failed = s;
    snprintf(what, sizeof what, "the debug section '%s'", section_names[s]);
    return infeasible(e, d->wanted[s], possible, what);
}

static bool is_wanted(const struct debug *d, enum debug_section s)
{
    return d->wanted[s] != DEBUG_ANY;
}

/* --- headers ------------------------------------------------------------------- */

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

/* The last cut of `h` before which there are no more names. */
static uint32_t cut_named(const struct corpus_header *h, uint32_t names)
{
    uint32_t low = 0;
    uint32_t high = h->cuts;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (h->cut[middle].names <= names)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Names of a header that are there even where none of its pieces are. */
static uint64_t names_least(const struct corpus *c)
{
    return c->header[0].cut[0].names;
}

/* The first header, and others that have the same names. */
static uint32_t first_group(const struct corpus *c)
{
    uint32_t count = 1;
    while (count < c->headers && !c->header[count].names)
        count++;
    return count;
}

/* The names of a header's pieces take this part of what they are of. */
static uint32_t choose_headers(const struct corpus *c, uint64_t names)
{
    uint32_t used = 0;
    while (used < c->headers && c->header[used].names <= names) {
        names -= c->header[used].names;
        used++;
    }
    return used;
}

/* Bytes that any header has at the least. */
static uint64_t headers_room(const struct corpus *c)
{
    uint64_t room = headers_entries(c, 0);
    for (uint32_t h = 1; h < c->headers; h++)
        if (headers_entries(c, h) < room)
            room = headers_entries(c, h);
    return room;
}

/* Gives unit `u` as many pieces as fit into `bytes`, and as there are names for up to
 * `last_cut` of the first header; returns what it took. */
static uint64_t include(const struct debug *d, struct debug_unit *u, uint64_t bytes, uint32_t last_cut)
{
    const struct corpus_header *h = &d->corpus->header[u->header];
    uint32_t before = h->cut[u->cut].entries;
    uint32_t cut = cut_within(h, before + bytes);
    uint32_t last = last_cut == UINT32_MAX ? cut : cut_named(h, d->corpus->header[0].cut[last_cut].names);
    if (cut > last)
        cut = last;
    if (cut < u->cut)
        cut = u->cut;
    uint64_t took = h->cut[cut].entries - before;
    u->cut = cut;
    u->info_size += took;
    return took;
}

/* Spreads `rest` bytes of pieces over the units, unevenly; returns what is left. */
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

/* Takes back the last piece of some unit; returns its bytes, 0 where there is none. */
static uint64_t take_back(struct debug *d)
{
    for (uint32_t i = d->unit_count; i-- > 0;) {
        struct debug_unit *u = &d->unit[i];
        if (!u->cut)
            continue;
        const struct corpus_cut *cut = &d->corpus->header[u->header].cut[u->cut--];
        uint64_t bytes = cut[0].entries - cut[-1].entries;
        u->info_size -= bytes;
        return bytes;
    }
    return 0;
}

/* --- sections ---------------------------------------------------------------------- */

static void source_name(const struct debug *d, uint32_t unit, bool has_code, char name[SOURCE_NAME_MOST])
{
    const char *suffix = d->corpus->dialect.language == DWARF_CPP ? "cpp" : "c";
    if (unit == 0)
        snprintf(name, SOURCE_NAME_MOST, "%s.%s", d->source_stem, suffix);
    else
        snprintf(name, SOURCE_NAME_MOST, "%s_%s%u.%s", d->source_stem, has_code ? "" : "data", unit, suffix);
}

/* Directory and sources: one for each unit of code, then for those of data. */
static void name_sources(struct debug *d, uint64_t directory_extra)
{
    d->sources.size = 0;
    bytes_append(&d->sources, COMPILE_DIRECTORY, sizeof COMPILE_DIRECTORY - 1);
    if (directory_extra) {
        size_t at = bytes_append(&d->sources, NULL, directory_extra + 1);
        if (!d->sources.failed) {
            char *path = (char *)d->sources.data + at;
            words_identifier(d->variety, (uint32_t)directory_extra, path);
            path[0] = '/';
        }
    } else {
        bytes_u8(&d->sources, 0);
    }
    for (uint32_t i = 0; i < d->unit_count; i++) {
        char name[SOURCE_NAME_MOST];
        source_name(d, i, d->unit[i].end > d->unit[i].start, name);
        d->unit[i].source = (uint32_t)bytes_string(&d->sources, name);
    }
}

/* All headers stand in every unit's table, so that its size does not depend on
 * which of them it includes. */
struct line_files unit_files(const struct corpus *c, uint32_t header, struct line_name source,
                             struct line_name directory, struct line_name *others)
{
    const char *texts = (const char *)c->line_strings.data;
    struct line_files f = {
        .compile_directory = directory,
        .include_directory = {c->include_directory, texts + c->include_directory},
        .source = source,
        .header = {c->header[header].file, texts + c->header[header].file},
        .more = others,
    };
    for (uint32_t h = 0; h < c->headers; h++)
        if (h != header)
            others[f.more_count++] = (struct line_name){c->header[h].file, texts + c->header[h].file};
    return f;
}

uint64_t debug_line_header(const struct debug *d, uint32_t unit, bool has_code)
{
    struct line_name others[CORPUS_HEADERS_MOST];
    char name[SOURCE_NAME_MOST];
    source_name(d, unit, has_code, name);
    const struct line_files files =
        unit_files(d->corpus, 0, (struct line_name){0, name}, (struct line_name){0, ""}, others);
    return line_header_size(d->corpus->dialect, &files);
}

static uint64_t total_size(const struct debug *d)
{
    uint64_t sum = 0;
    for (unsigned s = 0; s < DEBUG_SECTION_COUNT; s++)
        sum += d->size[s];
    return sum;
}

/* Everything that is not a matter of choice any more, or that every choice has:
 * units, and the fewest of the rest. */
static void fixed_sizes(struct debug *d)
{
    const struct corpus *c = d->corpus;
    const bool is_4 = dialect_is_4(c->dialect);
    uint64_t aranges = 0;
    uint64_t info = 0;
    uint64_t line = 0;
    for (uint32_t i = 0; i < d->unit_count; i++) {
        struct debug_unit *u = &d->unit[i];
        u->info_size = unit_frame(c) + c->fixed + u->entries_size;
        info += u->info_size;
        line += debug_line_header(d, i, u->end > u->start) + u->program_size;
        aranges += u->end > u->start ? ARANGES_UNIT : 0;
    }
    d->size[DEBUG_ARANGES] = aranges;
    d->size[DEBUG_INFO] = info;
    d->size[DEBUG_LINE] = line;
    d->size[DEBUG_LISTS] = d->composed->lists.size;
    d->size[DEBUG_RANGES] = d->composed->ranges.size;
    d->size[DEBUG_LINE_STR] = is_4 ? 0 : c->line_strings.size + d->sources.size;
    d->size[DEBUG_STR] = c->common + names_least(c) + d->names_size + d->statics.size + (is_4 ? d->sources.size : 0);
}

uint32_t debug_data_units(const struct debug *d, uint64_t bytes, uint64_t composed, uint32_t units)
{
    const struct corpus *c = d->corpus;
    uint64_t room = headers_room(c) - c->fixed;
    uint64_t fixed = composed + units * (unit_frame(c) + c->fixed);
    uint64_t rest = bytes > fixed ? bytes - fixed : 0;
    /* a part of what the units could hold stays free, so that they can differ */
    uint64_t capacity = units * room / 16 * 15;
    if (rest <= capacity)
        return 0;
    return (uint32_t)((rest - capacity) / (unit_frame(c) + c->fixed + room - room / 8) + 1);
}

/* Appends units of data. */
static bool add_data_units(struct debug *d, uint64_t more, struct arena *arena, struct error *e)
{
    if (!more)
        return true;
    struct debug_unit *longer = arena_zeroed(arena, d->unit_count + more, sizeof *longer);
    if (!longer)
        return error_set(e, ERROR_MEMORY, "out of memory for debug information");
    memcpy(longer, d->unit, d->unit_count * sizeof *longer);
    d->unit = longer;
    d->unit_count += (uint32_t)more;
    return true;
}

/* Tables of abbreviations: one for each unit, or as many as are wanted. */
static bool fill_abbrev(struct debug *d, struct error *e)
{
    const uint64_t table = d->corpus->abbrev.size + 1;
    uint64_t wanted = d->wanted[DEBUG_ABBREV];
    memset(&d->single, 0, sizeof d->single);
    d->tables = d->unit_count;
    d->size[DEBUG_ABBREV] = d->tables * table;
    if (!is_wanted(d, DEBUG_ABBREV))
        return true;
    if (wanted < table)
        return section_infeasible(d, DEBUG_ABBREV, table, e);
    uint64_t tables = wanted / table;
    d->tables = tables < d->unit_count ? (uint32_t)tables : d->unit_count;
    while (!single_divide(d->corpus->dialect, wanted - d->tables * table, &d->single)) {
        if (d->tables == 1)
            return section_infeasible(d, DEBUG_ABBREV, table + SINGLE_SURE, e);
        d->tables--;
    }
    d->size[DEBUG_ABBREV] = wanted;
    return true;
}

/* Bytes of the entries at the end, but for names that are in them. */
static uint64_t tail_entries(const struct debug *d)
{
    const struct dialect dialect = d->corpus->dialect;
    uint64_t bytes = (uint64_t)d->externs * abbrev_entry_size(dialect, ABBREV_EXTERN_VARIABLE);
    for (uint32_t k = 0; k < SINGLE_KINDS; k++)
        bytes += (uint64_t)d->single.count[k] * single_entry_size(dialect, k);
    return bytes;
}

/* Which headers' names there are, how many declarations stand at the end, and how
 * long their names are, so that .debug_str has the wanted size. */
static bool fill_str(struct debug *d, uint32_t *last_cut, struct error *e)
{
    const struct corpus *c = d->corpus;
    const uint64_t least = names_least(c);
    uint64_t names = (named_tail(d)) * UINT64_C(1) * (TAIL_NAME + 1);
    uint64_t base = d->size[DEBUG_STR] + names;
    if (d->wanted[DEBUG_STR] < base)
        return section_infeasible(d, DEBUG_STR, base, e);
    uint64_t rest = d->wanted[DEBUG_STR] - base;
    d->headers_used = choose_headers(c, rest + least);
    *last_cut = UINT32_MAX;
    if (d->headers_used) {
        const struct corpus_header *last = &c->header[d->headers_used - 1];
        d->header_names = last->name_start + last->names - c->common;
    } else {
        const struct corpus_header *h = &c->header[0];
        *last_cut = 0;
        while (*last_cut + 1 < h->cuts && h->cut[*last_cut + 1].names <= rest + least)
            (*last_cut)++;
        d->header_names = h->cut[*last_cut].names;
        d->headers_used = first_group(c);
    }
    rest -= d->header_names - least;
    /* more declarations where their names would become very long */
    uint64_t more = rest / (NAME_EXTRA_USUAL + TAIL_NAME + 1);
    if (more > named_tail(d)) {
        d->externs += (uint32_t)more;
        rest -= more * (TAIL_NAME + 1);
    }
    d->names_extra = rest;
    d->size[DEBUG_STR] = d->wanted[DEBUG_STR];
    return true;
}

/* With less than one header's names to spend: pieces only as far into header 0
 * as its names may go. */
static uint32_t first_header_cut(const struct debug *d, uint64_t rest)
{
    const struct corpus_header *h = &d->corpus->header[0];
    uint64_t least = names_least(d->corpus);
    uint32_t cut = 0;
    while (cut + 1 < h->cuts) {
        uint64_t room = (uint64_t)d->unit_count * (h->cut[cut].entries - d->corpus->fixed);
        room -= first_group(d->corpus) > 1 ? room / 8 : 0; /* the others leave some out */
        if (room + h->cut[cut].names - least >= rest || h->cut[cut + 1].names - least > rest)
            break;
        cut++;
    }
    return cut;
}

/* The same where no size of .debug_str is wanted: some 7 % of what is to be
 * filled are names of headers, as in real libraries; in C++ 9 %. */
static void choose_str(struct debug *d, uint64_t rest, uint32_t *last_cut)
{
    const struct corpus *c = d->corpus;
    *last_cut = UINT32_MAX;
    d->headers_used = choose_headers(c, rest / (c->dialect.language == DWARF_CPP ? 11 : 14));
    if (!d->headers_used) {
        *last_cut = first_header_cut(d, rest);
        if (*last_cut + 1 == c->header[0].cuts)
            *last_cut = UINT32_MAX; /* too little for its names' usual share, too much for one header's pieces */
        d->headers_used = first_group(c);
    }
    const struct corpus_header *last = &c->header[d->headers_used - 1];
    d->header_names =
        *last_cut == UINT32_MAX ? last->name_start + last->names - c->common : c->header[0].cut[*last_cut].names;
}

/* --- all of it ------------------------------------------------------------------------- */

/* Pieces of headers for `rest` bytes of .debug_info. What they leave becomes
 * declarations with names in .debug_info, or is returned. */
static bool fill_info(struct debug *d, uint64_t rest, uint32_t last_cut, uint64_t *left, struct error *e)
{
    for (uint32_t i = 0; i < d->unit_count; i++) {
        /* in C++ in turn: what is near is not alike */
        bool in_turn = d->corpus->dialect.language == DWARF_CPP;
        uint64_t r = random_at(d->variety + 1, in_turn ? 0 : i);
        d->unit[i].header = in_turn ? (uint32_t)((r + i) % d->headers_used) : random_below(r, d->headers_used);
        d->unit[i].cut = 0;
    }
    *left = spread(d, rest, last_cut);
    d->size[DEBUG_INFO] += rest;
    if (!is_wanted(d, DEBUG_STR))
        return true;
    const uint64_t shortest = short_entry(d->corpus, SHORT_NAME);
    while (*left && *left < shortest) {
        uint64_t back = take_back(d);
        if (!back) {
            d->wanted[DEBUG_INFO] = d->size[DEBUG_INFO];
            return section_infeasible(d, DEBUG_INFO, d->size[DEBUG_INFO] - *left + shortest, e);
        }
        *left += back;
    }
    d->shorts = (uint32_t)((*left + shortest + SHORT_EXTRA_MOST - 1) / (shortest + SHORT_EXTRA_MOST));
    d->shorts_extra = *left - d->shorts * shortest;
    d->unit[d->unit_count - 1].info_size += *left;
    *left = 0;
    return true;
}

static bool directory_size(struct debug *d, struct error *e)
{
    name_sources(d, 0);
    uint64_t natural = d->corpus->line_strings.size + d->sources.size;
    uint64_t wanted = d->wanted[DEBUG_LINE_STR];
    if (!is_wanted(d, DEBUG_LINE_STR) || dialect_is_4(d->corpus->dialect) || wanted == natural)
        return true;
    if (wanted < natural + 2 || wanted > natural + DIRECTORY_MOST)
        return section_infeasible(d, DEBUG_LINE_STR, wanted < natural + 2 ? natural : natural + DIRECTORY_MOST, e);
    name_sources(d, wanted - natural);
    return true;
}

bool debug_fill(struct debug *d, uint64_t total, struct arena *arena, struct error *e)
{
    uint32_t last_cut;
    uint64_t left;
    d->shorts = 0;
    d->names_extra = d->shorts_extra = 0;
    d->failed = DEBUG_SECTION_COUNT;
    if (!add_data_units(d, d->data_units, arena, e))
        return false;
    if (!directory_size(d, e))
        return false;
    fixed_sizes(d);
    const enum debug_section composed[] = {DEBUG_LINE, DEBUG_LISTS, DEBUG_RANGES};
    for (unsigned i = 0; i < sizeof composed / sizeof composed[0]; i++)
        if (is_wanted(d, composed[i]) && d->size[composed[i]] != d->wanted[composed[i]])
            return section_infeasible(d, composed[i], d->size[composed[i]], e);
    d->externs = EXTERNS_LEAST;
    if (!fill_abbrev(d, e))
        return false;
    uint64_t fixed = total_size(d) + tail_entries(d) + named_tail(d) * UINT64_C(1) * (TAIL_NAME + 1);
    if (fixed > total)
        return infeasible(e, total, fixed, "debug information");
    if (is_wanted(d, DEBUG_INFO) && !is_wanted(d, DEBUG_STR)) {
        /* names take what the other sections leave */
        uint64_t others = total_size(d) - d->size[DEBUG_STR] - d->size[DEBUG_INFO] + d->wanted[DEBUG_INFO];
        d->wanted[DEBUG_STR] = total > others ? total - others : 0;
    }
    if (is_wanted(d, DEBUG_STR)) {
        if (!fill_str(d, &last_cut, e))
            return false;
    } else {
        choose_str(d, total - fixed, &last_cut);
        uint64_t names = d->header_names - names_least(d->corpus);
        if (last_cut == UINT32_MAX && !is_wanted(d, DEBUG_LINE)) {
            uint64_t bytes = d->size[DEBUG_INFO] + total - fixed - names;
            uint32_t more = debug_data_units(d, bytes, d->composed->info.size, d->unit_count);
            if (more) {
                if (!add_data_units(d, more, arena, e) || !directory_size(d, e))
                    return false;
                fixed_sizes(d);
                if (!fill_abbrev(d, e))
                    return false;
            }
        }
        d->size[DEBUG_STR] += names + named_tail(d) * UINT64_C(1) * (TAIL_NAME + 1);
    }
    if (d->sources.failed)
        return error_set(e, ERROR_MEMORY, "out of memory for debug information");
    d->size[DEBUG_INFO] += tail_entries(d);
    d->unit[d->unit_count - 1].info_size += tail_entries(d);
    uint64_t so_far = total_size(d);
    if (so_far > total)
        return infeasible(e, total, so_far, "debug information");
    if (is_wanted(d, DEBUG_INFO) && so_far - d->size[DEBUG_INFO] + d->wanted[DEBUG_INFO] != total)
        return section_infeasible(d, DEBUG_INFO, total - (so_far - d->size[DEBUG_INFO]), e);
    if (!fill_info(d, total - so_far, last_cut, &left, e))
        return false;
    d->size[DEBUG_INFO] -= left;
    d->size[DEBUG_STR] += left;
    d->names_extra += left;
    assert(total_size(d) == total);
    return true;
}

uint64_t debug_least(const struct corpus *c, uint64_t functions, uint64_t units, uint64_t names)
{
    const struct dialect d = c->dialect;
    const uint64_t function = abbrev_entry_size(d, ABBREV_FUNCTION) + 2 +
                              (abbrev_entry_size(d, ABBREV_PARAMETER) + UINT64_C(4)) * PARAMETERS_MOST + 1 +
                              FUNCTION_PROGRAM_LEAST;
    const uint64_t files = dialect_is_4(d) ? c->line_strings.size + c->headers * 4 : c->headers * UINT64_C(5);
    const uint64_t unit =
        unit_frame(c) + c->fixed + 64 + files + LINE_BEGIN + LINE_END_MOST + ARANGES_UNIT + 2 * SOURCE_NAME_MOST;
    return functions * function + units * (unit + c->abbrev.size + 1) + c->line_strings.size + c->common +
           sizeof COMPILE_DIRECTORY + names_least(c) + names +
           EXTERNS_LEAST * (abbrev_entry_size(d, ABBREV_EXTERN_VARIABLE) + UINT64_C(1) + TAIL_NAME);
}
