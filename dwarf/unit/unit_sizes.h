/* Sizes that the two passes of unit.h share. */
#ifndef DWARF_UNIT_UNIT_SIZES_H
#define DWARF_UNIT_UNIT_SIZES_H

#include "dwarf/unit/partial.h"
#include "dwarf/unit/unit.h"

#define COMPILE_DIRECTORY "/usr/src/application"

enum {
    ARANGES_UNIT = DEBUG_ARANGES_UNIT,
    ARANGES_TUPLE = 16, /* bytes of each further range */
    ARANGES_LEAST = 16, /* least bytes of code in each of several ranges */
    PARAMETERS_MOST = 5,
    EXTERNS_LEAST = 8,
    TAIL_NAME = 9,               /* characters in the shortest name at the end */
    SHORT_NAME = 3,              /* characters in the shortest name that stands in .debug_info */
    FUNCTION_PROGRAM_LEAST = 40, /* most bytes of two rows and the advance to them */
    FILES_MOST = 512,            /* most files that a unit's line table names behind its source and its header */
    SOURCE_NAME_USUAL = 64,      /* most bytes of a source's name, as a rule */
    SOURCE_NAME_MOST = 136,      /* most bytes of a source's name that is longer to fill .debug_line_str */
    DIRECTORY_MOST = 3000,       /* most characters that the compilation directory may be longer */
};

static inline unsigned count_bits(uint64_t bits)
{
    return (unsigned)__builtin_popcountll(bits);
}

/* Bytes of a unit's frame: its header, its own entry, the null entry at its end. */
static inline uint64_t unit_frame(const struct corpus *c)
{
    return c->start + UINT64_C(1);
}

/* `count` names share `extra` characters: how many of these the i-th name gets. */
static inline uint64_t share_of(uint64_t extra, uint32_t count, uint32_t i)
{
    return extra / count + (i < extra % count ? 1 : 0);
}

static inline bool unit_has_code(const struct debug_unit *u)
{
    return u->end > u->start;
}

/* Whether parts of the unit's functions stand elsewhere. */
static inline bool unit_is_parted(const struct debug_unit *u)
{
    return u->part_end > u->part_start;
}

/* How many further ranges of .debug_aranges the unit's code can be divided into. It then looks like code of several
 * sections that a linker has put one behind the other. */
static inline uint64_t unit_aranges_room(const struct debug_unit *u)
{
    return unit_has_code(u) ? (u->end - u->start - 1) / ARANGES_LEAST : 0;
}

static inline uint64_t unit_aranges_most(const struct debug *d)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < d->unit_count; i++)
        most += unit_aranges_room(&d->unit[i]);
    return most;
}

/* unit_files.c. Bytes that the corpus's file names take in .debug_line_str. */
uint64_t unit_files_bytes(const struct debug *d);

/* The table of abbreviations that a unit uses. Units share the tables evenly, and the last unit has the last table. */
static inline uint32_t unit_table_of(const struct debug *d, uint32_t unit)
{
    return unit + 1 == d->unit_count ? d->tables - 1 : (uint32_t)((uint64_t)unit * d->tables / d->unit_count);
}

/* Whether units with this table have the forms of ABBREV_SHARED_SMALL. The first of them tells. */
static inline bool unit_table_is_small(const struct debug *d, uint32_t table)
{
    const uint64_t first = ((uint64_t)table * d->unit_count + d->tables - 1) / d->tables;
    return d->unit[first < d->unit_count ? first : d->unit_count - 1].small;
}

/* Where the references of units with this table lead. Abstract origins can be in another unit only if the library's
 * first unit is at the beginning of the section. */
static inline enum abbrev_reach unit_reach(const struct debug *d, uint32_t table)
{
    const struct corpus *c = d->corpus;
    const bool first = !d->joined && !c->dialect.type_units && !c->dialect.index;
    if (d->partials && c->manner.shortest)
        return unit_table_is_small(d, table) ? ABBREV_SHARED_SMALL : ABBREV_SHARED_ENDS;
    if (d->partials)
        return ABBREV_SHARED;
    return c->manner.far && d->unit_count > 1 && d->units_wanted && first ? ABBREV_FAR_ORIGINS : ABBREV_NEAR;
}

/* A table of abbreviations, without those of partial units; with those of functions in two places. */
static inline const struct bytes *unit_table(const struct debug *d, uint32_t table)
{
    return &d->corpus->abbrev[unit_reach(d, table)];
}

/* Whether tables have the abbreviations of functions in two places. */
static inline bool unit_tables_parted(const struct debug *d)
{
    return d->parted || d->partials;
}

/* The last code of the corpus that a table of abbreviations has, with those of functions in two places. */
static inline uint32_t unit_codes_own(const struct debug *d)
{
    const struct dialect dialect = d->corpus->dialect;
    return unit_tables_parted(d) ? abbrev_codes_all(dialect) : abbrev_codes(dialect);
}

/* How many codes each table of abbreviations has. The codes of partial units are the last. */
static inline uint32_t unit_codes(const struct debug *d)
{
    if (d->corpus->dialect.lines)
        return d->abbrevs.codes;
    return unit_codes_own(d) + (d->partials ? partial_codes(d->corpus) : 0u);
}

/* Least bytes of a table of abbreviations, with the null entry at its end: without those of partial units, and as the
 * library has it. */
static inline uint64_t unit_table_own(const struct corpus *c)
{
    return c->abbrev_own + 1;
}
/* The same with the abbreviations of functions in two places. */
static inline uint64_t unit_table_all(const struct corpus *c)
{
    return c->abbrev[ABBREV_NEAR].size + 1;
}
static inline uint64_t unit_table_least(const struct debug *d)
{
    if (d->corpus->dialect.lines)
        return d->abbrevs.size;
    return (unit_tables_parted(d) ? unit_table_all(d->corpus) : unit_table_own(d->corpus)) +
           (d->partials ? partial_abbrevs_size(d->corpus) : 0);
}

/* Bytes of each table of abbreviations but the last. */
static inline uint64_t unit_table_bytes(const struct debug *d)
{
    return unit_table_least(d) + (d->unused ? single_unused_size(unit_codes(d) + 1, d->unused) : 0);
}

/* unit.c. Writes the unit's own entry and, for a unit without code, entries that make up for what units with code have
 * more. At most UNIT_ENTRY_MOST bytes. */
enum { UNIT_ENTRY_MOST = 64 };
uint8_t *unit_put_entry(const struct debug *d, const struct debug_unit *u, uint8_t *p);

/* unit_abbrev.c. Chooses a part of the table, so that .debug_abbrev has its wanted size. False if that is impossible.
 */
bool unit_part_abbrevs(struct debug *d);
/* With dialect.lines: makes all tables parts with the abbreviations that entries use. */
void unit_keep_used(struct debug *d);
/* Whether the table, which may be a part of the whole, has this abbreviation. */
bool unit_has_abbrev(const struct debug *d, enum abbrev_code code);
/* unit_abbrev_code: the code that an abbreviation of the corpus has in the table. unit_renumber replaces the codes of
 * the entries from `p` to `end` by such codes. unit_put_abbrevs writes the abbreviations of the corpus that the table
 * has, without the null entry at its end. */
uint8_t unit_abbrev_code(const struct debug *d, uint32_t table, uint32_t code);
void unit_renumber(const struct debug *d, uint32_t table, uint8_t *p, const uint8_t *end);
uint8_t *unit_put_abbrevs(const struct debug *d, uint32_t table, uint8_t *p);

/* How many declarations at the end have their names in .debug_str. */
static inline uint32_t named_tail(const struct debug *d)
{
    return d->externs + single_count(&d->single);
}

/* Offset in .debug_str at which the library's own names begin. */
static inline uint32_t names_start(const struct debug *d)
{
    return d->joined ? d->joined->base[DEBUG_STR] : (uint32_t)(d->corpus->common + d->header_names);
}

/* Offset at which the names of directory and sources begin, in .debug_line_str or, in version 4, in .debug_str. */
static inline uint32_t unit_sources(const struct debug *d)
{
    return dialect_is_4(d->corpus->dialect) ? (uint32_t)(names_start(d) + d->names_size + d->statics.size)
           : d->joined                      ? d->joined->base[DEBUG_LINE_STR]
                                            : (uint32_t)unit_files_bytes(d);
}

/* What has to be added to offsets in this library's part of a section. */
static inline uint32_t joined_base(const struct debug *d, enum debug_section s)
{
    return d->joined ? d->joined->base[s] : 0;
}

/* How many additional headers (manner.further) units may include. */
static inline uint32_t headers_further(const struct debug *d)
{
    return d->headers_used > d->corpus->headers ? d->headers_used - d->corpus->headers : 0;
}

/* How many headers a unit that begins with `header` may include, without the additional ones. */
static inline uint32_t headers_from(const struct debug *d, uint32_t header)
{
    const uint32_t step = corpus_together(d->corpus);
    return (d->headers_used - headers_further(d) - header + step - 1) / step;
}

/* The i-th header that a unit includes. The headers that headers_from counts come first, then all additional ones. Each
 * unit takes the additional ones in the same cyclic order, but from a different one on. */
static inline const struct corpus_header *unit_header(const struct debug *d, const struct debug_unit *u, uint32_t i)
{
    enum { STEP = 21 };
    const struct corpus *c = d->corpus;
    const uint32_t others = headers_from(d, u->header);
    if (i < others)
        return &c->header[u->header + i * corpus_together(c)];
    return &c->header[c->headers + ((uint32_t)(u - d->unit) * STEP + i - others) % headers_further(d)];
}

/* The cut up to which a unit includes its i-th header. */
static inline const struct corpus_cut *unit_cut(const struct debug *d, const struct debug_unit *u, uint32_t i)
{
    const struct corpus_header *const h = unit_header(d, u, i);
    return &h->cut[i < u->wholes ? h->cuts - 1 : u->cut];
}

/* The header that u->cut belongs to: the last one that the unit includes. */
static inline const struct corpus_header *unit_last_header(const struct debug *d, const struct debug_unit *u)
{
    return unit_header(d, u, u->wholes);
}

/* Whether units may begin with any header and include several, as a wanted number of units may require. An index and
 * type units depend on which header a unit includes first, so it is not possible with these. */
static inline bool units_include_any(const struct debug *d)
{
    const struct dialect dialect = d->corpus->dialect;
    return d->units_wanted && !dialect.index && !dialect.type_units && !d->joined;
}

/* Bytes of the declaration of a variable whose name, of `length` characters, stands in the entry. */
static inline uint64_t short_entry(const struct corpus *c, uint64_t length)
{
    return abbrev_entry_size(c->dialect, abbrev_tail_short(c->dialect)) + length + 1;
}

/* unit_inlines.c. Names that inline functions of units have instead of their headers' names. unit_choose_inline_names
 * sets how many there are; `bytes`: what there is for names. unit_inline_names_bytes: what they take of .debug_str.
 * unit_put_inline_names writes them; returns the place behind the last terminator. unit_name_inlines gives them to the
 * inline functions of a unit that begins at `start`; `names` is the offset of the first one in .debug_str. */
void unit_choose_inline_names(struct debug *d, uint64_t bytes);
uint64_t unit_inline_names_bytes(const struct debug *d);
uint8_t *unit_put_inline_names(const struct debug *d, uint8_t *p);
void unit_name_inlines(const struct debug *d, uint32_t unit, uint32_t names, uint8_t *start);

/* unit_origins.c. Makes the references in [p, end), a copy of the unit's functions, those of functions behind `by`
 * bytes of types, and chooses which functions their inlined calls are of. */
void unit_move_references(const struct debug *d, const struct debug_unit *u, uint32_t by, uint8_t *p,
                          const uint8_t *end);

/* Write names of the declarations at the end: unit_put_tail_names all names that are in .debug_str, unit_put_short_name
 * the k-th name that is in .debug_info. Return the place behind the last terminator. */
uint8_t *unit_put_tail_names(const struct debug *d, uint8_t *p);
uint8_t *unit_put_short_name(const struct debug *d, uint32_t k, uint8_t *p);

/* unit_index.c. Upper bound of .debug_names while units get pieces. */
struct names_bound {
    struct index_counts counts;
    uint32_t named[CORPUS_HEADERS]; /* for each header, how many of its names are in `counts` */
};
/* The bound while no unit has any pieces, for any choice of headers or only for the headers that units have. */
struct names_bound names_bound_start(const struct debug *d, bool any_headers);
/* names_bound_at: the counts if unit `i` went on to `cut`. names_bound_go makes the bound reckon with that. */
struct index_counts names_bound_at(const struct names_bound *b, const struct debug *d, uint32_t i, uint32_t cut);
void names_bound_go(struct names_bound *b, const struct debug *d, uint32_t i, uint32_t cut);

/* Upper bound of the bytes of .debug_names for this many functions and units, without inlined calls. */
uint64_t unit_index_least(const struct corpus *c, uint64_t functions, uint64_t units);

/* Bytes of a header's type units up to a cut. */
static inline uint64_t types_until(const struct debug *d, uint32_t header, uint32_t cut)
{
    return d->corpus->header[header].cut[cut].types;
}

/* How far units may include headers. They may include headers before group `from` wholly. Of this group, the last, they
 * may include the first header up to `cut`, and the others as far as they have the same names. `cut` is UINT32_MAX: no
 * limit. */
struct header_limit {
    uint32_t from, cut;
};

static inline bool header_limit_any(const struct header_limit *l)
{
    return l->cut != UINT32_MAX;
}

/* unit_headers.c. Bytes of a header's names that are in .debug_str even if no unit includes any of its pieces. */
uint64_t unit_names_least(const struct corpus *c);
/* About how many bytes of type units a library of `units` units certainly has: half of what as many headers have as it
 * could include. */
uint64_t unit_types_room(const struct corpus *c, uint64_t bytes, uint64_t units);
/* Set how many headers are used, and how far units may go into the last one. unit_choose_headers takes the headers
 * whose names fit into `names` bytes, and of the next header the pieces whose names still fit. unit_usual_headers is
 * for a .debug_str without a wanted size: as many headers as are usual where `rest` bytes are to be filled. */
void unit_choose_headers(struct debug *d, uint64_t names, struct header_limit *limit);
void unit_usual_headers(struct debug *d, uint64_t rest, struct header_limit *limit);
/* Chooses the header that each unit begins with, if all units together include `rest` bytes of headers. Units may
 * include several headers; in C++ only where one is too small. Then enough headers must follow the first. */
void unit_first_headers(struct debug *d, uint64_t rest);

/* unit_pieces.c. Bytes of all type units of the library, and how many they are. */
uint64_t unit_types(const struct debug *d);
uint64_t unit_type_units(const struct debug *d);

/* Spreads `rest` bytes of pieces over the units, unevenly, and returns what is left. Type units count. `names`, if not
 * NULL, must be the bound of .debug_names so far; then the bytes that the bound grows by count too, and it is updated.
 */
uint64_t unit_spread(struct debug *d, struct names_bound *names, uint64_t rest, const struct header_limit *limit);
/* The most bytes that unit_spread is to give one unit. */
uint64_t unit_largest_share(const struct debug *d, uint64_t rest);
/* Takes back the last piece of some unit, with the type units that only this piece needs. Returns their bytes, or 0 if
 * no unit has a piece. */
uint64_t unit_take_back(struct debug *d);
/* unit_drop_pieces takes back all pieces of all units. unit_pieces_size: the bytes of pieces that one unit has. */
void unit_drop_pieces(struct debug *d);
uint64_t unit_pieces_size(const struct debug *d, const struct debug_unit *u);

/* Divides `bytes` of spare types among units: equally or, where units are to be unlike in size, by what they lack. */
void unit_share_spare(struct debug *d, uint64_t bytes);

/* Lists what the units hold, and sets the size of the index. */
bool unit_index_size(struct debug *d, struct arena *arena, struct error *e);

/* What the header of the line table of unit number `unit` names, which includes `header` first. `others` has room for
 * FILES_MOST names; the result refers to it. */
struct line_files unit_files(const struct debug *d, uint32_t unit, uint32_t header, struct line_name source,
                             struct line_name directory, struct line_name *others);
/* Sets d->sources, and each unit's `source` in it. The compilation directory gets `directory_extra` further characters.
 */
void unit_name_sources(struct debug *d, uint64_t directory_extra);

#endif
