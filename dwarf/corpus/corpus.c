/* Makes the headers of corpus.h. Their pieces are made in corpus_types.c and corpus_cpp.c. */
#include "dwarf/corpus/corpus_parts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "base/words.h"
#include "dwarf/corpus/cpp_types.h"

/* --- headers -------------------------------------------------------------------- */

static void add_cut(struct header_builder *b)
{
    uint32_t names = b->repeats ? b->repeated : (uint32_t)b->corpus->strings.size;
    struct corpus_cut cut = {.entries = (uint32_t)b->entries.size + (b->open ? 1 : 0),
                             .open = b->open,
                             .names = names - b->name_start,
                             .listed = (uint32_t)(b->listed.size / sizeof(struct index_entry)),
                             .types = (uint32_t)b->types.size,
                             .type_units = (uint32_t)(b->type_lines.size / sizeof(uint32_t))};
    bytes_append(&b->cuts, &cut, sizeof cut);
}

/* By language: how many headers have file names, how many of them are always made, and about how many bytes of entries
 * a header has: a unit in C++ includes much more. Headers that declare the same are made together. */
static const struct {
    uint8_t headers, first;
    uint32_t bytes;
} shapes[] = {[DWARF_C] = {48, 4, 40 << 10}, [DWARF_CPP] = {4 * CORPUS_GROUP, CORPUS_GROUP, 128 << 10}};

/* Where a cut is in the entries, without the null entry that ends a namespace. */
static uint32_t pieces_end(const struct corpus_cut *cut)
{
    return cut->entries - (cut->open ? 1 : 0);
}

/* Lists where pieces refer to one another. Sets how many such references, entries and attributes there are up to each
 * cut. */
static void list_references(const struct corpus *c, struct header_builder *b)
{
    struct corpus_cut *cut = (struct corpus_cut *)(void *)b->cuts.data;
    const size_t cuts = b->cuts.size / sizeof *cut;
    for (size_t i = 1; i < cuts && !b->entries.failed && !b->cuts.failed; i++) {
        const struct abbrev_counts more =
            abbrev_references(&c->layouts, b->entries.data, pieces_end(&cut[i - 1]), pieces_end(&cut[i]),
                              c->start + c->fixed, c->fixed, &b->references);
        cut[i].dies = cut[i - 1].dies + more.entries;
        cut[i].attributes = cut[i - 1].attributes + more.attributes;
        cut[i].references = (uint32_t)(b->references.size / sizeof(uint32_t));
    }
}

/* In C++ the headers of a group declare the same, but at different places, so that units which include different
 * headers share names. A further header is a group of its own. */
static void begin_group(struct header_builder *b)
{
    struct corpus *const c = b->corpus;
    b->group = b->header < c->headers ? b->header - b->header % CORPUS_GROUP : b->header;
    b->repeats = b->header != b->group;
    b->repeated = c->header[b->group].name_start;
    b->line = corpus_inline_line(CORPUS_INLINES); /* entries of C++ have lines of two bytes */
    b->cpp = calloc(1, sizeof *b->cpp);
}

static void make_prefix(struct header_builder *b)
{
    words_identifier(random_at(UINT64_C(0x707265666978), b->group), 1 + b->group % 2, b->prefix);
    char *end = b->prefix + strlen(b->prefix);
    *end++ = (char)('a' + b->group % 26);
    *end++ = (char)('a' + b->group / 26);
    *end++ = '_';
    *end = '\0';
}

static struct bytes emptied(struct bytes b)
{
    b.size = 0;
    return b;
}

/* Prepares the builder for a header. Its buffers keep their memory from the header before. */
static void start_builder(struct header_builder *b, struct corpus *c, uint32_t number)
{
    struct bytes alike[CORPUS_SHAPES];
    memcpy(alike, b->alike, sizeof alike);
    *b = (struct header_builder){.corpus = c,
                                 .header = number,
                                 .group = number,
                                 .line = 2,
                                 .high = corpus_inline_line(CORPUS_INLINES),
                                 .variety = {random_at(c->key, CORPUS_NAMED + number)},
                                 .entries = emptied(b->entries),
                                 .cuts = emptied(b->cuts),
                                 .references = emptied(b->references),
                                 .listed = emptied(b->listed),
                                 .types = emptied(b->types),
                                 .type_lines = emptied(b->type_lines)};
    for (unsigned i = 0; i < CORPUS_SHAPES; i++)
        b->alike[i] = emptied(alike[i]);
}

static void free_builder(struct header_builder *b)
{
    bytes_free(&b->entries);
    bytes_free(&b->cuts);
    bytes_free(&b->references);
    bytes_free(&b->listed);
    bytes_free(&b->types);
    bytes_free(&b->type_lines);
    for (unsigned i = 0; i < CORPUS_SHAPES; i++)
        bytes_free(&b->alike[i]);
}

/* A copy of `b` that the corpus owns; NULL where it is empty. Sets *ok to false where memory ran out. */
static void *keep(struct corpus *c, const struct bytes *b, bool *ok)
{
    void *const copy = b->size ? arena_take(&c->arena, b->size) : NULL;
    *ok = *ok && !b->failed && (copy || !b->size);
    return copy ? memcpy(copy, b->data, b->size) : NULL;
}

/* Sets h->codes. False when memory ran out. There are none in a dialect with longer codes: such a profile is refused,
 * but while that is found out its corpus is made. */
static bool note_codes(struct corpus *c, struct corpus_header *h)
{
    if (abbrev_codes(c->dialect) >= ABBREV_CODES_SHORT)
        return true;
    h->codes = arena_take(&c->arena, h->cuts * sizeof *h->codes);
    if (!h->codes)
        return false;
    memset(h->codes[0], 0, sizeof h->codes[0]);
    for (uint32_t i = 1; i < h->cuts; i++) {
        memcpy(h->codes[i], h->codes[i - 1], sizeof h->codes[i]);
        abbrev_note_entries(&c->layouts, h->entries + pieces_end(&h->cut[i - 1]), h->entries + pieces_end(&h->cut[i]),
                            h->codes[i]);
    }
    return true;
}

static bool keep_header(struct corpus *c, struct corpus_header *h, const struct header_builder *b)
{
    bool ok = !c->strings.failed;
    h->entries = keep(c, &b->entries, &ok);
    h->cut = keep(c, &b->cuts, &ok);
    h->cuts = (uint32_t)(b->cuts.size / sizeof *h->cut);
    h->names = (uint32_t)c->strings.size - h->name_start;
    h->references = keep(c, &b->references, &ok);
    h->listed = keep(c, &b->listed, &ok);
    h->types = keep(c, &b->types, &ok);
    h->type_lines = keep(c, &b->type_lines, &ok);
    for (unsigned i = 0; i < CORPUS_SHAPES; i++) {
        h->alike[i] = keep(c, &b->alike[i], &ok);
        h->alikes[i] = (uint32_t)(b->alike[i].size / sizeof *h->alike[i]);
    }
    return ok && (h != c->header || note_codes(c, h));
}

/* Whether the header gets another piece. A variant gets as many as the header before it. Others go on until they have
 * their bytes or lines run out, or until there are as many types as there may be, after which pieces add nothing. */
static bool goes_on(const struct header_builder *b, const struct corpus *c, uint32_t count, uint32_t idle)
{
    enum { IDLE_MOST = 1000 };
    const uint32_t most = shapes[c->dialect.language].bytes;
    if (b->entries.failed || c->strings.failed || c->dialect.lines)
        return false;
    if (b->repeats)
        return count < c->pieces;
    return b->entries.size + b->moved < most && b->line < 64000 && idle < IDLE_MOST;
}

/* Makes the next header, whose names stand behind those of the one before. */
static bool make_header(struct header_builder *b, struct corpus *c, uint32_t number)
{
    const bool cpp = c->dialect.language == DWARF_CPP && !c->dialect.lines;
    struct corpus_header *h = &c->header[number];
    start_builder(b, c, number);
    if (cpp)
        begin_group(b);
    if (cpp && !b->cpp)
        return false;
    make_prefix(b);
    b->random.state = random_at(c->key, b->group);
    h->name_start = (uint32_t)c->strings.size;
    b->name_start = b->repeats ? b->repeated : h->name_start;
    if (!c->dialect.lines)
        corpus_add_base_types(b, c->base_name);
    if (!number)
        c->types = (uint32_t)b->entries.size;
    (c->dialect.lines ? corpus_add_line_inlines : cpp ? corpus_add_cpp_inlines : corpus_add_c_inlines)(b);
    assert(b->entries.failed || !number || b->entries.size == c->fixed);
    if (!number) {
        c->fixed = (uint32_t)b->entries.size;
        if (!b->entries.failed) { /* counts only: no reference is to UINT32_MAX */
            const struct abbrev_counts fixed =
                abbrev_references(&c->layouts, b->entries.data, 0, c->fixed, UINT32_MAX, 0, &b->references);
            c->fixed_dies = fixed.entries;
            c->fixed_attributes = fixed.attributes;
        }
    }
    add_cut(b);
    uint32_t count = 0;
    for (uint32_t idle = 0; goes_on(b, c, count, idle); count++) {
        size_t before = b->entries.size + b->moved;
        (cpp ? corpus_add_cpp_piece : corpus_add_c_piece)(b);
        idle = b->entries.size + b->moved != before ? 0 : idle + 1;
        if (!idle)
            add_cut(b);
    }
    c->pieces = count;
    if (cpp)
        cpp_close_scope(b);
    free(b->cpp);
    list_references(c, b);
    return keep_header(c, h, b);
}

/* Names parameters and locals. The names are not long, and differ in their last letters. */
static void make_names(struct corpus *c, uint64_t key)
{
    static const uint8_t lengths[] = {1, 2, 2, 3, 4, 4, 5, 6, 8, 11};
    for (uint32_t i = 0; i < c->manner.names; i++) {
        char name[32];
        const uint32_t least = i < 26 ? 2 : 1;
        const uint32_t length = i % sizeof lengths < c->manner.brief ? 1 : lengths[i % sizeof lengths];
        words_identifier(random_at(key, i), length < least ? least : length, name);
        char *end = name + strlen(name);
        *end++ = (char)('a' + i % 26);
        if (i >= 26)
            *end++ = (char)('a' + i / 26);
        *end = '\0';
        if (strlen(name) > SHORT_NAME_MOST) {
            c->name[i] = corpus_put_string(c, name);
        } else {
            name[0] = corpus_is_keyword(name) ? 'x' : name[0];
            c->name[i] = short_name_of(name);
            strcpy(c->short_name[i], name);
        }
    }
    for (uint32_t i = c->manner.names; i < CORPUS_NAMES; i++) {
        c->name[i] = c->name[i - c->manner.names];
        memcpy(c->short_name[i], c->short_name[i - c->manner.names], sizeof c->short_name[i]);
    }
}

/* No label is short: an index of names has labels in it. */
static void name_labels(struct corpus *c)
{
    static const char *const labels[CORPUS_LABELS] = {"done",    "exit",    "bail_out",      "fail",
                                                      "finally", "cleanup", "retry",         "next",
                                                      "again",   "restart", "skip_optional", "resume"};
    for (unsigned i = 0; i < CORPUS_LABELS; i++)
        c->label[i] = corpus_put_string(c, labels[i]);
}

/* Sets the names of base types. A short one is in the strings only where .debug_names refers to it. */
static void name_base_types(struct corpus *c, uint32_t *names)
{
    for (unsigned i = 0; i < BASE_TYPES; i++) {
        const char *name = corpus_base_type_name(c->dialect, i);
        const bool stands = strlen(name) > SHORT_NAME_MOST || c->dialect.index == INDEX_DEBUG_NAMES;
        names[i] = stands ? corpus_put_string(c, name) : short_name_of(name);
    }
}

/* Debuggers judge by the compiler's name, so it comes first. Behind it stands who wrote the debug information. */
#define PRODUCER(compiler, level) compiler " -g" level " -O2 -fPIC (written by pyelfgen " PYELFGEN_VERSION ")"

static const char *producer(struct dialect d)
{
    static const char *const gcc[][2] = {
        {PRODUCER("GNU C17 12.2.0 -mtune=generic -march=x86-64", ""),
         PRODUCER("GNU C17 12.2.0 -mtune=generic -march=x86-64", "1")},
        {PRODUCER("GNU C++17 12.2.0 -mtune=generic -march=x86-64", ""),
         PRODUCER("GNU C++17 12.2.0 -mtune=generic -march=x86-64", "1")},
        {PRODUCER("GNU Fortran2008 12.2.0 -mtune=generic -march=x86-64", ""),
         PRODUCER("GNU Fortran2008 12.2.0 -mtune=generic -march=x86-64", "1")},
    };
    if (d.clang)
        return PRODUCER("clang version 14.0.6", "");
    return gcc[d.fortran ? 2 : d.language == DWARF_CPP][d.lines];
}

static void name_files(struct corpus *c)
{
    const char *suffix = c->dialect.fortran ? "inc" : c->dialect.language == DWARF_CPP ? "hpp" : "h";
    for (uint32_t i = 0; i < c->headers; i++) {
        char name[32];
        words_identifier(random_at(c->key, CORPUS_NAMES + i), 9, name);
        sprintf(name + strlen(name), "%c%c.%s", 'a' + i / 26, 'a' + i % 26, suffix);
        c->header[i].file = (uint32_t)bytes_string(&c->line_strings, name);
    }
}

/* Whether one more header is wanted, if names of headers may take `names` bytes of a library's strings. */
static bool is_wanted(const struct corpus *c, uint64_t names)
{
    const uint8_t first = shapes[c->dialect.language].first;
    if (c->dialect.lines) /* another one would declare nothing */
        return !c->made;
    const bool is_begun = c->made < c->headers && c->made % corpus_together(c) != 0;
    return c->made < c->headers + c->manner.further &&
           (c->made < first || is_begun || c->strings.size - c->common <= names);
}

static void note_room(struct corpus *c, uint32_t number)
{
    const struct corpus_header *h = &c->header[number];
    const uint32_t room = h->cut[h->cuts - 1].entries;
    if (!number || (number < shapes[c->dialect.language].first && room < c->room))
        c->room = room;
}

/* Makes headers until there are `most`, as long as one more is wanted. */
static bool make_headers(struct corpus *c, uint32_t most, uint64_t names)
{
    struct header_builder b = {.corpus = c};
    bool made = true;
    while (made && c->made < most && is_wanted(c, names)) {
        made = make_header(&b, c, c->made);
        if (made)
            note_room(c, c->made++);
    }
    free_builder(&b);
    return made && !c->strings.failed && corpus_list_end(c);
}

/* Sets the names that all headers and functions may use. */
static void name_common(struct corpus *c)
{
    name_base_types(c, c->base_name);
    make_names(c, c->key);
    if (c->dialect.language == DWARF_C && !c->dialect.terse)
        name_labels(c);
    if (c->dialect.language == DWARF_CPP) {
        for (unsigned i = 0; i < BASE_MORE; i++)
            c->base_name[BASE_TYPES + i] = corpus_put_string(c, corpus_more_type_name(i));
        c->name_t = short_name_of("T");
        c->name_n = short_name_of("N");
        c->name_this = corpus_put_string(c, "this");
    }
}

bool corpus_begin(struct corpus *c, struct dialect dialect, const struct manner *manner, uint64_t seed)
{
    memset(c, 0, sizeof *c);
    c->dialect = dialect;
    abbrev_lay_out(dialect, &c->layouts);
    c->manner = *manner;
    if (dialect.fortran != manner->fortran)
        c->manner = dialect.fortran ? manner_fortran(*manner) : manner_c(*manner);
    if (!dialect_is_various(dialect))
        c->manner = manner_plain(c->manner);
    if (dialect.terse)
        c->manner = manner_terse(c->manner);
    if (dialect.lines)
        c->manner = manner_lines(c->manner);
    if (dialect.language != DWARF_CPP || dialect.index || dialect.type_units)
        c->manner.further = 0;
    for (unsigned i = 0; i < ABBREV_REACHES; i++) {
        abbrev_write(&c->abbrev[i], dialect, i);
        c->abbrev_own = c->abbrev[i].size;
        abbrev_write_parted(&c->abbrev[i], dialect, i);
        if (c->manner.lows && abbrev_has_lows(dialect))
            abbrev_write_lows(&c->lows[i], dialect, i);
    }
    c->start = dialect_unit_header(dialect) + abbrev_entry_size(dialect, ABBREV_COMPILE_UNIT);
    c->producer = corpus_put_string(c, producer(dialect));
    c->key = random_mix(seed ^ UINT64_C(0x636f72707573));
    if (!dialect.lines)
        name_common(c);
    c->common = (uint32_t)c->strings.size;
    c->include_directory = (uint32_t)bytes_string(&c->line_strings, "include");
    corpus_list_start(c);
    c->headers = shapes[dialect.language].headers;
    name_files(c);
    bool made = make_headers(c, 1, UINT64_MAX) && !c->line_strings.failed;
    for (unsigned i = 0; i < ABBREV_REACHES; i++)
        made &= !c->abbrev[i].failed && !c->lows[i].failed;
    if (!made)
        corpus_free(c);
    return made;
}

bool corpus_finish(struct corpus *c, uint64_t names)
{
    const bool made = make_headers(c, c->headers + c->manner.further, names);
    once_free(&c->known);
    return made;
}

bool corpus_make(struct corpus *c, struct dialect dialect, const struct manner *manner, uint64_t seed)
{
    if (!corpus_begin(c, dialect, manner, seed))
        return false;
    const bool made = corpus_finish(c, UINT64_MAX);
    if (!made)
        corpus_free(c);
    return made;
}

void corpus_free(struct corpus *c)
{
    arena_free(&c->arena);
    for (unsigned i = 0; i < ABBREV_REACHES; i++) {
        bytes_free(&c->abbrev[i]);
        bytes_free(&c->lows[i]);
    }
    bytes_free(&c->strings);
    once_free(&c->known);
    bytes_free(&c->line_strings);
    bytes_free(&c->index_texts);
    memset(c, 0, sizeof *c);
}
