/* The size pass of the debug information: what units hold besides functions, so that sizes are exactly the wanted ones;
 * see unit.h. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "dwarf/unit/count.h"
#include "dwarf/unit/partial.h"
#include "dwarf/unit/spare.h"
#include "dwarf/unit/unit_sizes.h"

enum {
    NAME_EXTRA_USUAL = 40, /* characters of a name at the end beyond the shortest, as a rule */
    NAME_EXTRA_LONG = 180, /* the same, where there would be too many declarations */
    NAME_EXTRA_CPP = 480,  /* the same in C++, as names of instances of templates, and with lines alone */
    EXTERNS_PART = 256,    /* one in so many entries may be a declaration at the end */
    TRIES_MOST = 8,
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

static bool counts_names(const struct debug *d)
{
    return d->corpus->dialect.index == INDEX_DEBUG_NAMES;
}

/* --- sections ---------------------------------------------------------------------- */

static uint64_t total_size(const struct debug *d)
{
    uint64_t sum = 0;
    for (unsigned s = 0; s < DEBUG_SECTION_COUNT; s++)
        sum += d->size[s];
    return sum;
}

/* Sets the sizes to what every choice has: what is composed already, and the least of everything else. */
static void fixed_sizes(struct debug *d)
{
    const struct corpus *c = d->corpus;
    const bool is_4 = dialect_is_4(c->dialect);
    uint64_t aranges = 0;
    uint64_t info = partial_units_size(d);
    uint64_t line = 0;
    for (uint32_t i = 0; i < d->unit_count; i++) {
        struct debug_unit *u = &d->unit[i];
        u->info_size = unit_frame(c) + c->fixed + u->entries_size + partial_imports_size(d, i);
        info += u->info_size;
        line += debug_line_header(d, i, unit_has_code(u)) + u->program_size;
        aranges += (unit_has_code(u) ? ARANGES_UNIT : 0u) + (unit_is_parted(u) ? ARANGES_TUPLE : 0u);
    }
    d->aranges_more = 0;
    if (is_wanted(d, DEBUG_ARANGES) && d->wanted[DEBUG_ARANGES] > aranges) {
        d->aranges_more = (d->wanted[DEBUG_ARANGES] - aranges) / ARANGES_TUPLE;
        const uint64_t most = unit_aranges_most(d);
        d->aranges_more = d->aranges_more < most ? d->aranges_more : most;
        aranges += d->aranges_more * ARANGES_TUPLE;
    }
    d->size[DEBUG_ARANGES] = aranges;
    d->size[DEBUG_INFO] = info;
    d->size[DEBUG_LINE] = line;
    d->size[DEBUG_LISTS] = d->composed->lists.size;
    d->size[DEBUG_RANGES] = d->composed->ranges.size;
    d->size[DEBUG_LINE_STR] = is_4 ? 0 : unit_files_bytes(d) + d->sources.size;
    d->size[DEBUG_STR] =
        c->common + unit_names_least(c) + d->names_size + d->statics.size + (is_4 ? d->sources.size : 0);
    d->size[DEBUG_NAMES] = d->size[DEBUG_TYPES] = 0;
    if (counts_names(d)) {
        const struct names_bound names = names_bound_start(d, true);
        d->size[DEBUG_NAMES] = index_counted_most(&names.counts);
    }
}

uint32_t debug_parted_most(const struct debug *d, uint32_t coded)
{
    const uint64_t wanted = d->wanted[DEBUG_ARANGES];
    const uint64_t least = (uint64_t)coded * ARANGES_UNIT;
    const uint64_t most = wanted > least ? (wanted - least) / ARANGES_TUPLE : 0;
    return !is_wanted(d, DEBUG_ARANGES) || most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
}

uint64_t debug_frames(const struct debug *d, uint64_t units)
{
    const struct corpus *c = d->corpus;
    return units * (unit_frame(c) + c->fixed) + partial_units_size(d) + partial_all_imports_size(d) +
           EXTERNS_LEAST * (uint64_t)abbrev_entry_size(c->dialect, abbrev_tail(c->dialect));
}

uint32_t debug_data_units(const struct debug *d, uint64_t bytes, uint64_t composed, uint32_t units)
{
    const struct corpus *c = d->corpus;
    uint64_t room = c->room - c->fixed;
    if (d->units_wanted)
        return d->units_wanted > units ? d->units_wanted - units : 0;
    uint64_t fixed = composed + units * (unit_frame(c) + c->fixed);
    uint64_t rest = bytes > fixed ? bytes - fixed : 0;
    /* a part of what the units could hold stays free, so that they can differ */
    uint64_t capacity = units * room / 16 * 15 + unit_types_room(c, rest, units);
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

/* Where .debug_abbrev is to be far larger than all units' tables, as that of real units with more combinations of
 * attributes is: adds abbreviations that no entry uses to all tables but the last. */
static void pad_tables(struct debug *d, uint64_t rest)
{
    enum { SINGLES = 64, UNUSED_MOST = 8000 }; /* bytes of each table left to the last one */
    const uint32_t first = unit_codes(d) + 1;
    const uint64_t each = rest / d->tables;
    d->unused = 0;
    if (d->tables < 2 || each < SINGLES)
        return;
    while (d->unused < UNUSED_MOST && single_unused_size(first, d->unused + 1) + SINGLES <= each)
        d->unused++;
}

/* With partial units: fills tables with unused abbreviations as far as codes take one byte, as dwz does. Units share as
 * many tables as the wanted bytes allow. */
static void share_tables(struct debug *d, uint64_t wanted)
{
    const uint32_t codes = unit_codes(d);
    d->unused = codes + 1 < ABBREV_CODES_SHORT ? ABBREV_CODES_SHORT - 1 - codes : 0;
    const uint64_t tables = wanted / unit_table_bytes(d);
    d->tables = tables < 1 ? 1 : tables < d->unit_count ? (uint32_t)tables : d->unit_count;
}

/* Chooses the tables of abbreviations: one for each unit or, where .debug_abbrev has a wanted size, as many as fit. */
static bool fill_abbrev(struct debug *d, struct error *e)
{
    d->abbrevs.is_part = false;
    if (d->corpus->dialect.lines)
        unit_keep_used(d);
    const uint64_t table = unit_table_least(d);
    const uint64_t wanted = d->wanted[DEBUG_ABBREV];
    struct single_ways ways;
    memset(&d->single, 0, sizeof d->single);
    d->tables = d->tables_most && d->tables_most < d->unit_count ? d->tables_most : d->unit_count;
    d->unused = 0;
    d->pieces_most = UINT32_MAX;
    d->size[DEBUG_ABBREV] = d->tables * table;
    if (!is_wanted(d, DEBUG_ABBREV))
        return true;
    if (wanted < table && unit_part_abbrevs(d))
        return true;
    if (wanted < table)
        return section_infeasible(d, DEBUG_ABBREV, table, e);
    uint64_t tables = wanted / table;
    d->tables = tables < d->unit_count ? (uint32_t)tables : d->unit_count;
    if (d->partials)
        share_tables(d, wanted);
    else if (d->units_wanted && tables > d->unit_count)
        pad_tables(d, wanted - d->tables * table);
    single_find_ways(&ways);
    while (
        !single_divide(&ways, unit_codes(d) + 1, wanted - table - (d->tables - 1) * unit_table_bytes(d), &d->single)) {
        if (d->tables == 1 && unit_part_abbrevs(d))
            return true;
        if (d->tables == 1)
            return section_infeasible(d, DEBUG_ABBREV, table, e);
        d->tables--;
    }
    d->size[DEBUG_ABBREV] = wanted;
    return true;
}

/* Bytes of the declarations at the end whose names are in .debug_str. */
static uint64_t tail_entries(const struct debug *d)
{
    const struct dialect dialect = d->corpus->dialect;
    return (uint64_t)d->externs * abbrev_entry_size(dialect, abbrev_tail(dialect)) +
           single_entries_size(&d->single, dialect);
}

/* Least bytes of .debug_str where the library's row says how many units there are: one extern, and d->single. */
static uint64_t least_str(const struct debug *d)
{
    return d->size[DEBUG_STR] + (1 + single_count(&d->single)) * UINT64_C(1) * (TAIL_NAME + 1);
}

/* Bytes of the names at the end if all are as short as possible. */
static uint64_t tail_names(const struct debug *d)
{
    return named_tail(d) * UINT64_C(1) * (TAIL_NAME + 1);
}

/* Decides which headers' names .debug_str has, how many declarations stand at the end, and how long their names are. */
static bool fill_str(struct debug *d, struct header_limit *limit, struct error *e)
{
    const struct corpus *c = d->corpus;
    const uint64_t least = unit_names_least(c);
    uint64_t names = tail_names(d);
    uint64_t base = d->size[DEBUG_STR] + names;
    while (d->wanted[DEBUG_STR] < base && d->units_wanted && d->externs > 1) {
        d->externs--;
        base -= TAIL_NAME + 1;
    }
    if (d->wanted[DEBUG_STR] < base)
        return section_infeasible(d, DEBUG_STR, base, e);
    uint64_t rest = d->wanted[DEBUG_STR] - base;
    unit_choose_inline_names(d, rest);
    rest -= unit_inline_names_bytes(d);
    unit_choose_headers(d, rest + least, limit);
    rest -= d->header_names - least;
    /* More declarations, so that names do not become very long. Where these would be too many of the entries, names may
     * be long instead. */
    uint64_t more = rest / (NAME_EXTRA_USUAL + TAIL_NAME + 1);
    const uint64_t extra = c->dialect.language == DWARF_CPP || c->dialect.lines ? NAME_EXTRA_CPP : NAME_EXTRA_LONG;
    const uint64_t few = rest / (extra + TAIL_NAME + 1);
    const uint64_t part = d->dies_wanted / EXTERNS_PART;
    if (d->dies_wanted && more > part)
        more = few > part ? few : part;
    if (more > named_tail(d)) {
        d->externs += (uint32_t)more;
        rest -= more * (TAIL_NAME + 1);
    }
    d->names_extra = rest;
    d->size[DEBUG_STR] = d->wanted[DEBUG_STR];
    return true;
}

/* --- all of it ------------------------------------------------------------------------- */

/* Whether .debug_info has its wanted size, whatever size .debug_names gets. */
static bool info_is_fixed(const struct debug *d)
{
    return is_wanted(d, DEBUG_INFO) && counts_names(d);
}

/* Spreads pieces of headers over the units anew, for `less` bytes fewer than `rest`; returns what is left of `rest`. */
static uint64_t spread_less(struct debug *d, uint64_t rest, uint64_t less, const struct header_limit *limit)
{
    unit_drop_pieces(d);
    return less + unit_spread(d, NULL, rest - less, limit);
}

/* All but `left` of `rest` bytes are spread. Makes units leave more room to spare types, if that brings the wanted
 * number of entries. Returns what is left of `rest` then; *less is how much was not spread. */
static uint64_t leave_room(struct debug *d, uint64_t rest, uint64_t left, const struct header_limit *limit,
                           uint64_t *less)
{
    enum { ROUNDS = 6 };
    *less = 0;
    for (unsigned i = 0; i < ROUNDS && *less < rest; i++) {
        const uint64_t more = spare_instead(d, left);
        if (!more)
            break;
        *less += more << i < (rest - left) / 2 ? more << i : more; /* a piece may be longer than `more` */
        *less = *less < rest ? *less : rest;
        left = spread_less(d, rest, *less, limit);
    }
    return left;
}

/* Fills `left` bytes with spare types and declarations. Returns how far attributes are from the wanted number, or
 * SPARE_LACKS. */
static uint64_t fill_left(struct debug *d, uint64_t left)
{
    const uint64_t wanted = d->attributes_wanted;
    if (!left)
        return 0;
    if (!wanted)
        return spare_fill(d, left, 0);
    const uint64_t others = debug_attributes(d);
    const uint64_t excess = others >= wanted ? others + 1 - wanted : 0;
    const uint64_t off = spare_fill(d, left, excess ? 1 : wanted - others);
    return off == SPARE_LACKS ? off : off + excess;
}

/* Takes back one of several declarations at the end; its name goes to the others. Returns the bytes of its entry. */
static uint64_t drop_extern(struct debug *d)
{
    const uint64_t entry = abbrev_entry_size(d->corpus->dialect, abbrev_tail(d->corpus->dialect));
    if (!d->externs || named_tail(d) < 2)
        return 0;
    d->externs--;
    d->names_extra += TAIL_NAME + 1;
    d->unit[d->unit_count - 1].info_size -= entry;
    return entry;
}

/* Takes back pieces until nothing is left, or enough for a declaration with the shortest name. False, with *e set, if
 * there is no piece to take back. */
static bool leave_shortest(struct debug *d, uint64_t *left, struct error *e)
{
    const uint64_t shortest = short_entry(d->corpus, SHORT_NAME);
    while (*left && *left < shortest) {
        const uint64_t back = d->corpus->dialect.lines ? drop_extern(d) : unit_take_back(d);
        if (!back) {
            d->wanted[DEBUG_INFO] = d->size[DEBUG_INFO];
            return section_infeasible(d, DEBUG_INFO, d->size[DEBUG_INFO] - *left + shortest, e);
        }
        *left += back;
    }
    return true;
}

/* What is left to spare types, and how near to the wanted attributes they come. */
struct spread {
    uint64_t less; /* bytes that were not spread as pieces */
    uint64_t left; /* bytes left to spare types and declarations, with `less` */
    uint64_t off;  /* how far attributes are from the wanted number, or SPARE_LACKS */
};

/* Spreads `rest` bytes without s->less of them, fills what is left, and sets s->left and s->off. */
static bool spread_and_fill(struct debug *d, uint64_t rest, const struct header_limit *limit, struct spread *s,
                            struct error *e)
{
    d->spare = (struct debug_spare){0};
    d->shorts = 0;
    s->left = spread_less(d, rest, s->less, limit);
    if (!leave_shortest(d, &s->left, e))
        return false;
    s->off = fill_left(d, s->left);
    return true;
}

/* Fills *left bytes with spare types; `less` of `rest` bytes is not spread. While attributes are not as wanted, tries
 * to leave more room, up to half of `rest`. Keeps the nearest try and sets *left to what it left. */
static bool fill_spare(struct debug *d, uint64_t rest, uint64_t less, const struct header_limit *limit, uint64_t *left,
                       struct error *e)
{
    enum { LITTLE = 64, MUCH = 2 }; /* parts of `rest` that are left, from 1/LITTLE to 1/MUCH */
    struct spread best = {.less = less, .left = *left, .off = fill_left(d, *left)};
    struct spread now = best;
    const bool goes_on = best.off != SPARE_LACKS && !d->corpus->dialect.index;
    for (uint64_t part = LITTLE; goes_on && now.off && part >= MUCH; part /= 2) {
        if (rest / part <= *left)
            continue;
        now.less = rest / part;
        if (!spread_and_fill(d, rest, limit, &now, e))
            return false;
        best = now.off < best.off ? now : best;
    }
    if (now.less != best.less && !spread_and_fill(d, rest, limit, &best, e))
        return false;
    *left = best.left;
    return true;
}

/* Fills `rest` bytes of .debug_info with pieces of headers and their type units. Where .debug_names is part of these
 * bytes, it counts with its upper bound until all that it lists is chosen. What is left becomes spare types and
 * declarations with names in .debug_info or, if .debug_str has no wanted size, is returned in *left. */
static bool fill_info(struct debug *d, uint64_t rest, const struct header_limit *limit, uint64_t *left,
                      struct arena *arena, struct error *e)
{
    const uint64_t shortest = short_entry(d->corpus, SHORT_NAME);
    const bool listed = counts_names(d) && !info_is_fixed(d);
    struct names_bound names = {.counts = {0}};
    uint64_t kept = 0;
    uint64_t less;
    unit_first_headers(d, rest);
    d->size[DEBUG_INFO] += rest;
    if (listed) {
        names = names_bound_start(d, false);
        d->size[DEBUG_INFO] += d->size[DEBUG_NAMES];
        rest += d->size[DEBUG_NAMES] - index_counted_most(&names.counts);
        if (is_wanted(d, DEBUG_STR)) /* a piece cannot be taken back once it is listed */
            kept = rest < shortest ? rest : shortest;
    }
    *left = kept + unit_spread(d, listed ? &names : NULL, rest - kept, limit);
    if (listed) {
        if (!unit_index_size(d, arena, e))
            return false;
        uint64_t most = index_counted_most(&names.counts);
        assert(d->index.size <= most);
        *left += most - d->index.size;
        d->size[DEBUG_NAMES] = d->index.size;
        d->size[DEBUG_INFO] -= d->index.size;
    }
    if (!is_wanted(d, DEBUG_STR))
        return true;
    *left = leave_room(d, rest, *left, limit, &less);
    if (!leave_shortest(d, left, e) || !fill_spare(d, rest, less, limit, left, e))
        return false;
    unit_share_spare(d, *left);
    for (uint32_t i = 0; i < d->unit_count; i++) {
        const uint64_t spare = spare_size(d, i);
        d->unit[i].info_size += spare;
        *left -= spare;
    }
    d->unit[d->unit_count - 1].info_size += *left;
    *left = 0;
    return true;
}

static bool directory_size(struct debug *d, struct error *e)
{
    unit_name_sources(d, 0);
    uint64_t natural = unit_files_bytes(d) + d->sources.size;
    uint64_t wanted = d->wanted[DEBUG_LINE_STR];
    if (!is_wanted(d, DEBUG_LINE_STR) || dialect_is_4(d->corpus->dialect) || wanted == natural)
        return true;
    if (wanted < natural || wanted > natural + DIRECTORY_MOST)
        return section_infeasible(d, DEBUG_LINE_STR, wanted < natural ? natural : natural + DIRECTORY_MOST, e);
    unit_name_sources(d, wanted - natural);
    return true;
}

/* Puts `left` bytes into the names at the end. They may be many where an index is shorter than its bound, or where a
 * piece with its type unit did not fit. Then there are more declarations, so that names do not become very long. */
static void lengthen_tail(struct debug *d, uint64_t left)
{
    const uint64_t entry = abbrev_entry_size(d->corpus->dialect, abbrev_tail(d->corpus->dialect));
    const uint64_t name = TAIL_NAME + 1;
    uint64_t more = counts_names(d) || d->corpus->dialect.type_units ? left / (entry + name + NAME_EXTRA_USUAL) : 0;
    left -= more * (entry + name);
    d->externs += (uint32_t)more;
    d->unit[d->unit_count - 1].info_size += more * entry;
    d->size[DEBUG_INFO] += more * entry;
    d->size[DEBUG_STR] += more * name + left;
    d->names_extra += left;
}

/* Where .debug_info has a wanted size: sets that of .debug_names, which is known only when all else is. What it leaves
 * of *reserve goes to the names at the end. If *reserve was too small, it is enlarged for another try. */
static bool end_fixed_info(struct debug *d, uint64_t total, bool any_str, uint64_t *reserve, struct arena *arena,
                           struct error *e)
{
    if (!unit_index_size(d, arena, e))
        return false;
    d->size[DEBUG_NAMES] = d->index.size;
    if (any_str && d->index.size <= *reserve) {
        d->names_extra += *reserve - d->index.size;
        d->size[DEBUG_STR] += *reserve - d->index.size;
    }
    if (total_size(d) == total)
        return true;
    if (any_str) {
        *reserve = d->index.size + d->index.size / 64 + 64;
        return true;
    }
    uint64_t others = total_size(d) - d->size[DEBUG_INFO];
    return section_infeasible(d, DEBUG_INFO, total > others ? total - others : 0, e);
}

/* Begins a try: sets the sizes that are known before anything is chosen. If .debug_info has a wanted size, .debug_names
 * counts as *reserve, which is at least its upper bound. */
static bool start_fill(struct debug *d, uint64_t *reserve, struct error *e)
{
    d->shorts = d->inline_names = 0;
    d->spare = (struct debug_spare){0};
    d->names_extra = d->shorts_extra = 0;
    fixed_sizes(d);
    if (d->size[DEBUG_NAMES] > *reserve)
        *reserve = d->size[DEBUG_NAMES];
    if (info_is_fixed(d))
        d->size[DEBUG_NAMES] = *reserve;
    const enum debug_section composed[] = {DEBUG_ARANGES, DEBUG_LINE, DEBUG_LISTS, DEBUG_RANGES};
    for (unsigned i = 0; i < sizeof composed / sizeof composed[0]; i++)
        if (is_wanted(d, composed[i]) && d->size[composed[i]] != d->wanted[composed[i]])
            return section_infeasible(d, composed[i], d->size[composed[i]], e);
    d->externs = EXTERNS_LEAST;
    if (!fill_abbrev(d, e))
        return false;
    if (d->corpus->dialect.lines) /* few, but one more than there has to be, so that drop_extern can take one back */
        d->externs = single_count(&d->single) ? 1 : 2;
    return true;
}

/* Whether the least contents, `fixed` bytes with the smallest tail, fit; with a row's number of units also those of
 * single sections. */
static bool fixed_fits(struct debug *d, uint64_t total, uint64_t fixed, struct error *e)
{
    if (is_wanted(d, DEBUG_INFO) && d->units_wanted && d->size[DEBUG_INFO] + tail_entries(d) > d->wanted[DEBUG_INFO]) {
        d->size[DEBUG_INFO] += tail_entries(d);
        return section_infeasible(d, DEBUG_INFO, d->size[DEBUG_INFO], e);
    }
    if (fixed > total && is_wanted(d, DEBUG_STR) && d->units_wanted && least_str(d) > d->wanted[DEBUG_STR])
        return section_infeasible(d, DEBUG_STR, least_str(d), e);
    return fixed <= total || infeasible(e, total, fixed, "debug information");
}

/* Chooses headers whose names take the usual part of `room`. If every unit can have all of these headers, adds units of
 * data for what is left. */
static bool fill_usual(struct debug *d, uint64_t room, struct header_limit *limit, struct arena *arena, struct error *e)
{
    unit_usual_headers(d, room, limit);
    const uint64_t names = d->header_names - unit_names_least(d->corpus);
    if (!header_limit_any(limit) && !is_wanted(d, DEBUG_LINE)) {
        const uint64_t bytes = d->size[DEBUG_INFO] + room - names;
        const uint32_t more = debug_data_units(d, bytes, d->composed->info.size, d->unit_count);
        if (more) {
            if (!add_data_units(d, more, arena, e) || !directory_size(d, e))
                return false;
            fixed_sizes(d);
            if (!fill_abbrev(d, e))
                return false;
        }
    }
    d->size[DEBUG_STR] += names + tail_names(d);
    return true;
}

/* Sets *rest to how many bytes .debug_info still gets. */
static bool info_rest(struct debug *d, uint64_t total, uint64_t *rest, struct error *e)
{
    const uint64_t so_far = total_size(d);
    if (so_far > total)
        return infeasible(e, total, so_far, "debug information");
    *rest = total - so_far;
    if (info_is_fixed(d)) {
        if (d->wanted[DEBUG_INFO] < d->size[DEBUG_INFO])
            return section_infeasible(d, DEBUG_INFO, d->size[DEBUG_INFO], e);
        *rest = d->wanted[DEBUG_INFO] - d->size[DEBUG_INFO];
    } else if (is_wanted(d, DEBUG_INFO) && so_far - d->size[DEBUG_INFO] + d->wanted[DEBUG_INFO] != total) {
        return section_infeasible(d, DEBUG_INFO, total - (so_far - d->size[DEBUG_INFO]), e);
    }
    return true;
}

/* One try to decide everything but sources and the first units of data. If total_size is not `total` then, *reserve was
 * too small. */
static bool fill_once(struct debug *d, uint64_t total, uint64_t *reserve, struct arena *arena, struct error *e)
{
    const bool any_str = !is_wanted(d, DEBUG_STR);
    struct header_limit limit;
    uint64_t rest = 0;
    uint64_t left = 0;
    if (!start_fill(d, reserve, e))
        return false;
    const uint64_t fixed = total_size(d) + tail_entries(d) + tail_names(d);
    if (!fixed_fits(d, total, fixed, e))
        return false;
    if (is_wanted(d, DEBUG_INFO) && any_str) {
        /* names take what the other sections leave */
        const uint64_t others = total_size(d) - d->size[DEBUG_STR] - d->size[DEBUG_INFO] + d->wanted[DEBUG_INFO];
        d->wanted[DEBUG_STR] = total > others ? total - others : 0;
    }
    if (!(is_wanted(d, DEBUG_STR) ? fill_str(d, &limit, e) : fill_usual(d, total - fixed, &limit, arena, e)))
        return false;
    if (d->pieces_most != UINT32_MAX && (limit.from || d->pieces_most < limit.cut))
        limit = (struct header_limit){0, d->pieces_most};
    if (d->sources.failed)
        return error_set(e, ERROR_MEMORY, "out of memory for debug information");
    d->size[DEBUG_INFO] += tail_entries(d);
    d->unit[d->unit_count - 1].info_size += tail_entries(d);
    if (!info_rest(d, total, &rest, e) || !fill_info(d, rest, &limit, &left, arena, e))
        return false;
    if (info_is_fixed(d))
        return end_fixed_info(d, total, any_str, reserve, arena, e);
    d->size[DEBUG_INFO] -= left;
    lengthen_tail(d, left);
    return d->corpus->dialect.index != INDEX_GDB || unit_index_size(d, arena, e);
}

/* Moves the type units of version 4 to .debug_types; up to here they count as .debug_info. */
static void part_types(struct debug *d)
{
    if (!dialect_is_4(d->corpus->dialect))
        return;
    d->size[DEBUG_TYPES] = unit_types(d);
    d->size[DEBUG_INFO] -= d->size[DEBUG_TYPES];
}

/* Sets where units begin, for calls of functions in others (unit_origins.c). */
static void place_units(struct debug *d)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < d->unit_count && d->corpus->manner.far; i++) {
        d->unit[i].info = at;
        at += (uint32_t)d->unit[i].info_size;
    }
}

bool debug_fill(struct debug *d, uint64_t total, struct arena *arena, struct error *e)
{
    const uint64_t wanted_str = d->wanted[DEBUG_STR];
    uint64_t reserve = 0;
    d->failed = DEBUG_SECTION_COUNT;
    if (d->units_wanted)
        d->data_units = d->units_wanted > d->unit_count ? d->units_wanted - d->unit_count : 0;
    if (!d->unit_count && !d->data_units) /* no function of the library is described */
        d->data_units = 1;
    if (!add_data_units(d, d->data_units, arena, e) || !directory_size(d, e))
        return false;
    for (unsigned tries = 0; tries < TRIES_MOST; tries++) {
        bool filled = fill_once(d, total, &reserve, arena, e);
        d->wanted[DEBUG_STR] = wanted_str;
        if (!filled)
            return false;
        if (total_size(d) == total) {
            d->dies = d->dies_wanted && !d->corpus->dialect.type_units ? spare_dies(d) : 0;
            part_types(d);
            partial_choose_forms(d);
            place_units(d);
            return true;
        }
    }
    return infeasible(e, total, total_size(d), "debug information");
}
