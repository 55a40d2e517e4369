/* Reads the text of a captured profile; see compare.h, and docs/capture.md for its keys. The text may come from
 * anywhere. So whatever is no such profile is refused, and the memory that it can take is bounded.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/profile_words.h"
#include "base/size_text.h"
#include "tools/compare/compare.h"

enum { ROWS_MOST = 100000, EDGES_MOST = 1 << 23, NAME_MOST = 200, WORD_MOST = 4096 };

const char *const compare_sample_names[COMPARE_SAMPLES] = {"function-sizes", "name-lengths"};
const char *const compare_tally_names[COMPARE_TALLIES] = {
    "tags",     "forms",     "attributes",     "tags-c",       "forms-c",       "attributes-c",
    "tags-c++", "forms-c++", "attributes-c++", "tags-fortran", "forms-fortran", "attributes-fortran"};

struct reading {
    struct compare *c;
    struct compare_keys *keys;
    struct compare_side *side;
    const char *path;
    struct error *e;
    yaml_parser_t parser;
    yaml_event_t event;   /* the present event */
    bool versioned, told; /* pyelfgen-profile has a known value; the key is there */

    size_t row_room;
    struct compare_value *value; /* of the present row */
    size_t values, value_room;
    struct compare_edge *edge;
    size_t edges, edge_room;
    size_t edges_of_all;
    bool says_needed; /* the present row has `needed` */
};

#define WRONG(r, ...) (error_set((r)->e, ERROR_INPUT, __VA_ARGS__), place(r))

static bool place(struct reading *r)
{
    return error_at(r->e, r->path, (unsigned)r->event.start_mark.line + 1);
}

/* ---- events ---- */

static bool next(struct reading *r)
{
    yaml_event_delete(&r->event);
    if (!yaml_parser_parse(&r->parser, &r->event)) {
        error_set(r->e, ERROR_INPUT, "is neither an ELF file nor a profile: %s",
                  r->parser.problem ? r->parser.problem : "it cannot be read");
        return error_at(r->e, r->path, (unsigned)r->parser.problem_mark.line + 1);
    }
    if (r->event.type == YAML_ALIAS_EVENT)
        return WRONG(r, "has an alias (*), which no captured profile has");
    return true;
}

static bool is(const struct reading *r, yaml_event_type_t type)
{
    return r->event.type == type;
}

/* The text of the present scalar; "" for other events. Valid until the next event. */
static const char *scalar(const struct reading *r)
{
    return is(r, YAML_SCALAR_EVENT) ? (const char *)r->event.data.scalar.value : "";
}

/* Goes to the end of the present node. */
static bool skip(struct reading *r)
{
    for (size_t depth = 0;;) {
        depth += is(r, YAML_MAPPING_START_EVENT) || is(r, YAML_SEQUENCE_START_EVENT);
        depth -= is(r, YAML_MAPPING_END_EVENT) || is(r, YAML_SEQUENCE_END_EVENT);
        if (depth == 0)
            return true;
        if (!next(r))
            return false;
    }
}

/* Reads the next key of the present mapping. At the mapping's end sets *end. */
static bool next_key(struct reading *r, const char *what, char key[NAME_MOST + 1], bool *end)
{
    if (!next(r))
        return false;
    *end = is(r, YAML_MAPPING_END_EVENT);
    if (*end)
        return true;
    if (!is(r, YAML_SCALAR_EVENT) || strlen(scalar(r)) > NAME_MOST)
        return WRONG(r, "%s: has a key that is no name", what);
    strcpy(key, scalar(r));
    return true;
}

/* Calls `take` for each member of the present mapping; the present event is then the member's value. */
static bool each_member(struct reading *r, const char *what, bool (*take)(struct reading *r, const char *key))
{
    char key[NAME_MOST + 1];
    if (!is(r, YAML_MAPPING_START_EVENT))
        return WRONG(r, "%s: there is no mapping of keys to values; is this a captured profile?", what);
    for (bool end;;) {
        if (!next_key(r, what, key, &end))
            return false;
        if (end)
            return true;
        if (!next(r) || !take(r, key))
            return false;
    }
}

/* ---- values ---- */

/* Reads a whole number, or a size with a unit. False where the text is neither. */
static bool number_of(const char *text, uint64_t *number)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return (errno == 0 && *end == '\0') || size_text_read(text, number) == SIZE_TEXT_RIGHT;
}

/* Reads the next number of a list. Its end, or one of `ends`, must follow. Returns what follows, or NULL where there is
 * no such number. */
static const char *list_number(const char *text, const char *ends, uint64_t *number)
{
    char *end;
    if (*text < '0' || *text > '9')
        return NULL;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && (*end == '\0' || strchr(ends, *end)) ? end : NULL;
}

static bool add_value(struct reading *r, const char *name, const char *text, uint64_t number, bool is_number)
{
    uint32_t at = compare_key(r->c, r->keys, name);
    if (at == COMPARE_KEYS_MOST)
        return WRONG(r, "has more than %d different keys", COMPARE_KEYS_MOST);
    struct compare_key *key = &r->keys->of[at];
    if (!key->known && !key->met)
        key->kind = is_number ? COMPARE_SUM : COMPARE_WORD;
    else if (!key->known && key->kind == COMPARE_SUM && !is_number)
        key->kind = COMPARE_SKIP; /* neither a number nor a word in all rows */
    key->met = true;
    if (key->kind == COMPARE_SKIP)
        return true;
    bool word = key->kind == COMPARE_WORD;
    if (!word && !is_number)
        return WRONG(r, "%s: '%.40s' is no whole number", name, text);
    if (r->values == r->value_room) {
        r->value_room = r->value_room ? 2 * r->value_room : 128;
        r->value = report_must(realloc(r->value, r->value_room * sizeof *r->value));
    }
    r->value[r->values++] = (struct compare_value){at, word ? 0 : number, word ? compare_text(r->c, text) : NULL};
    return true;
}

static bool take_value(struct reading *r, const char *name, const char *text)
{
    uint64_t number = 0;
    if (strlen(text) > WORD_MOST)
        return WRONG(r, "%s: the value is longer than %d characters", name, WORD_MOST);
    bool is_number = number_of(text, &number);
    return add_value(r, name, text, number, is_number);
}

/* ---- lists ---- */

/* `counted`: the text has a number of symbols. In a captured profile an edge without one has 0. */
static bool add_edge(struct reading *r, uint64_t to, bool counted, uint64_t symbols)
{
    if (to >= ROWS_MOST || r->edges_of_all == EDGES_MOST)
        return WRONG(r, "needed: has too large a number or too many of them");
    if (r->edges == r->edge_room) {
        r->edge_room = r->edge_room ? 2 * r->edge_room : 256;
        r->edge = report_must(realloc(r->edge, r->edge_room * sizeof *r->edge));
    }
    r->edge[r->edges++] = (struct compare_edge){(uint32_t)to, counted || r->side->captured, symbols};
    r->edges_of_all++;
    return true;
}

/* Reads "0:12 5:3 7-9"; see put_needed in tools/capture/rows.c. */
static bool take_needed(struct reading *r, const char *text)
{
    while (*text) {
        uint64_t first, last, symbols = 0;
        if (!(text = list_number(text, ":- ", &first)))
            return WRONG(r, "needed: has what is no number");
        last = first;
        const bool counted = *text == ':';
        if (counted)
            text = list_number(text + 1, " ", &symbols);
        else if (*text == '-')
            text = list_number(text + 1, " ", &last);
        if (!text || last < first)
            return WRONG(r, "needed: has what is no number");
        for (uint64_t to = first; to <= last; to++) {
            if (!add_edge(r, to, counted, symbols))
                return false;
        }
        text += strspn(text, " ");
    }
    return true;
}

static bool no_quantiles(struct reading *r, const char *name)
{
    return WRONG(r, "%s: is no list of quantiles that ascend (%d, %d, %d ... %d, or %d)", name, QUANTILES_FEW,
                 QUANTILES, 2 * QUANTILES - 1, QUANTILES_MOST, QUANTILES_FEW_FINE);
}

/* Reads "0 146 171*3", where "*3" repeats a value. Of finer quantiles only the QUANTILES that every list has are kept.
 * Lists of few samples are not compared. */
static bool take_quantiles(struct reading *r, const char *name, const char *text, struct compare_quantiles *q)
{
    uint64_t all[QUANTILES_MOST] = {0};
    unsigned count = 0;
    while (*text) {
        uint64_t value, times = 1;
        text = list_number(text, "* ", &value);
        if (text && *text == '*')
            text = list_number(text + 1, " ", &times);
        if (!text || times > QUANTILES_MOST - count || (count && value < all[count - 1]))
            return no_quantiles(r, name);
        for (uint64_t i = 0; i < times; i++)
            all[count++] = value;
        text += strspn(text, " ");
    }
    if (quantiles_are_of_few(count))
        return true;
    q->known = quantiles_are(count);
    for (unsigned i = 0; q->known && i < QUANTILES; i++)
        q->of[i] = all[i * ((count - 1) / (QUANTILES - 1))];
    return q->known || no_quantiles(r, name);
}

/* Reads "16:120 19:33": the least value of a bucket, and its count. */
static bool take_histogram(struct reading *r, const char *name, const char *text, struct histogram *h)
{
    while (*text) {
        uint64_t least, count;
        text = list_number(text, ":", &least);
        text = text && *text == ':' ? list_number(text + 1, " ", &count) : NULL;
        if (!text)
            return WRONG(r, "%s: is no list of values and how often they occur", name);
        h->count[histogram_bucket(least)] += count;
        text += strspn(text, " ");
    }
    return true;
}

static int compare_counts(const void *a, const void *b)
{
    return strcmp(((const struct compare_count *)a)->name, ((const struct compare_count *)b)->name);
}

/* Reads "member:123 …". */
static bool take_tally(struct reading *r, const char *name, const char *text, struct compare_tally *t)
{
    size_t room = 1;
    for (const char *s = text; *s; s++)
        room += *s == ':';
    t->of = report_must(arena_zeroed(&r->c->report.arena, room, sizeof *t->of));
    t->count = 0;
    while (*text) {
        char word[STATS_NAME];
        size_t length = strcspn(text, ":");
        if (text[length] != ':' || length == 0 || length >= sizeof word)
            return WRONG(r, "%s: is no list of names and how often they occur", name);
        memcpy(word, text, length);
        word[length] = '\0';
        struct compare_count *of = &t->of[t->count++];
        of->name = compare_text(r->c, word);
        text = list_number(text + length + 1, " ", &of->count);
        if (!text)
            return WRONG(r, "%s: is no list of names and how often they occur", name);
        text += strspn(text, " ");
    }
    qsort(t->of, t->count, sizeof *t->of, compare_counts);
    return true;
}

/* ---- rows ---- */

static struct compare_row *present_row(struct reading *r)
{
    return &r->side->row[r->side->rows];
}

static bool take_members(struct reading *r, const char *key)
{
    char name[2 * NAME_MOST + 2];
    size_t length = strlen(key);
    memcpy(name, key, length);
    name[length++] = '.';
    for (bool end;;) {
        if (!next_key(r, key, name + length, &end))
            return false;
        if (end)
            return true;
        if (!next(r))
            return false;
        if (!is(r, YAML_SCALAR_EVENT))
            return WRONG(r, "%s: is no value", name);
        if (strcmp(name, "dwarf.sampled") == 0)
            present_row(r)->sampled = true;
        if (!take_value(r, name, scalar(r)))
            return false;
    }
}

static bool take_member(struct reading *r, const char *key)
{
    struct compare_row *row = present_row(r);
    if (is(r, YAML_MAPPING_START_EVENT))
        return take_members(r, key);
    if (!is(r, YAML_SCALAR_EVENT))
        return WRONG(r, "%s: is no value", key);
    if (strcmp(key, "name") == 0) {
        if (strlen(scalar(r)) > WORD_MOST)
            return WRONG(r, "name: is longer than %d characters", WORD_MOST);
        row->name = compare_text(r->c, scalar(r));
        return true;
    }
    if (strcmp(key, "needed") == 0) {
        r->says_needed = true;
        return take_needed(r, scalar(r));
    }
    for (int s = 0; s < COMPARE_SAMPLES; s++) {
        if (strcmp(key, compare_sample_names[s]) == 0)
            return take_quantiles(r, key, scalar(r), &row->quantiles[s]);
    }
    if (strcmp(key, "kind") == 0)
        row->module = strcmp(scalar(r), "module") == 0;
    return take_value(r, key, scalar(r));
}

/* The sum of the row's numbers below `top` ("share."). Returns how many there are. */
static size_t sum_below(const struct reading *r, const char *top, uint64_t *sum)
{
    size_t count = 0;
    *sum = 0;
    for (size_t i = 0; i < r->values; i++) {
        const char *name = r->keys->of[r->value[i].key].name;
        if (strncmp(name, top, strlen(top)) == 0) {
            if (__builtin_add_overflow(*sum, r->value[i].number, sum))
                *sum = UINT64_MAX;
            count++;
        }
    }
    return count;
}

/* The row's value for a key; NULL where it has none. */
static const struct compare_value *find_value(const struct reading *r, const char *name)
{
    for (size_t i = 0; i < r->values; i++) {
        if (strcmp(r->keys->of[r->value[i].key].name, name) == 0)
            return &r->value[i];
    }
    return NULL;
}

static uint64_t number_at(const struct reading *r, const char *name)
{
    const struct compare_value *value = find_value(r, name);
    return value ? value->number : 0;
}

/* Whether the row is as pyelfprof writes rows: it is part of a capture, and has every key that pyelfprof never leaves
 * out. */
static bool is_complete(const struct reading *r)
{
    static const char *const always[] = {"kind", "text", "data", "bss", "functions", "plt", "outside"};
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
        if (!find_value(r, always[i]))
            return false;
    }
    return r->side->captured;
}

/* Bytes of relocations: 24 for each that `relocations` counts by type. The other keys in it are not added. */
static uint64_t relocation_bytes(const struct reading *r)
{
    static const char *const besides[] = {"relocations.symbols", "relocations.pages", "relocations.relro"};
    uint64_t sum;
    sum_below(r, "relocations.", &sum);
    for (size_t i = 0; i < sizeof besides / sizeof besides[0]; i++)
        sum -= number_at(r, besides[i]);
    return sum < UINT64_MAX / sizeof(Elf64_Rela) ? sum * sizeof(Elf64_Rela) : 0;
}

/* Adds what pyelfprof leaves out because it follows: one relocation for calls for each slot of the PLT; of many
 * libraries, one symbol with a version where versions are needed; the bytes of relocations, the rest of `share`, a
 * .data.rel.ro of relocated words only, and `global` where it equals `dynamic`. */
static bool complete(struct reading *r)
{
    uint64_t sum;
    uint64_t text = number_at(r, "text");
    const uint64_t slots = number_at(r, "plt");
    if (slots && !find_value(r, "relocations.jump-slot") && !add_value(r, "relocations.jump-slot", "", slots, true))
        return false;
    if (r->side->many && number_at(r, "versions") > number_at(r, "versions-defined") &&
        !find_value(r, "dynamic.versioned") && !add_value(r, "dynamic.versioned", "", 1, true))
        return false;
    const uint64_t relocations = number_at(r, "relocations.relr") ? 0 : relocation_bytes(r);
    if (relocations && find_value(r, "share.code") && !find_value(r, "share.relocations") &&
        !add_value(r, "share.relocations", "", relocations, true))
        return false;
    if (sum_below(r, "share.", &sum) && !find_value(r, "share.other") && sum < text &&
        !add_value(r, "share.other", "", text - sum, true))
        return false;
    if (!find_value(r, "data-rel-ro") && sum_below(r, "relocations.relro", &sum) &&
        !add_value(r, "data-rel-ro", "", 8 * sum, true))
        return false;
    if (number_at(r, "symtab") == 0 || sum_below(r, "global.", &sum))
        return true;
    for (size_t i = 0, count = r->values; i < count; i++) {
        char name[2 * NAME_MOST + 2];
        const char *of = r->keys->of[r->value[i].key].name;
        const bool of_dynsym = strcmp(of, "dynamic.ifunc") == 0 || strcmp(of, "dynamic.dynstr") == 0 ||
                               strcmp(of, "dynamic.aliases") == 0 || strcmp(of, "dynamic.unique") == 0 ||
                               strcmp(of, "dynamic.versioned") == 0 || strncmp(of, "dynamic.weak-", 13) == 0;
        if (strncmp(of, "dynamic.", 8) != 0 || of_dynsym) /* `global` never has these */
            continue;
        snprintf(name, sizeof name, "global.%s", of + 8);
        if (!add_value(r, name, "", r->value[i].number, true))
            return false;
    }
    return true;
}

/* Completes the present row, adds how many edges and symbols it has, and copies it into the arena. */
static bool keep_row(struct reading *r)
{
    struct compare_row *row = present_row(r);
    uint64_t symbols = 0;
    uint64_t sum;
    bool counted = true; /* for every edge */
    row->complete = is_complete(r);
    row->undescribed = row->complete && number_at(r, "mix.info") && !sum_below(r, "dwarf.", &sum);
    row->has_edges = row->complete || r->says_needed;
    r->says_needed = false;
    if (row->complete && !complete(r))
        return false;
    for (size_t i = 0; i < r->edges; i++) {
        symbols += r->edge[i].symbols;
        counted = counted && r->edge[i].counted;
    }
    if (row->has_edges && !add_value(r, "needed.libraries", "", r->edges, true))
        return false;
    if (row->has_edges && counted && !add_value(r, "needed.symbols", "", symbols, true))
        return false;
    row->values = r->values;
    row->value = report_must(arena_zeroed(&r->c->report.arena, r->values + 1, sizeof *row->value));
    row->edges = r->edges;
    row->edge = report_must(arena_zeroed(&r->c->report.arena, r->edges + 1, sizeof *row->edge));
    if (r->values)
        memcpy(row->value, r->value, r->values * sizeof *row->value);
    if (r->edges)
        memcpy(row->edge, r->edge, r->edges * sizeof *row->edge);
    r->values = r->edges = 0;
    return true;
}

static bool take_libraries(struct reading *r)
{
    if (!is(r, YAML_SEQUENCE_START_EVENT))
        return WRONG(r, "libraries: is no list of rows; is this a captured profile?");
    for (;; r->side->rows++) {
        if (!next(r))
            return false;
        if (is(r, YAML_SEQUENCE_END_EVENT))
            return true;
        if (r->side->rows == ROWS_MOST)
            return WRONG(r, "libraries: has more than %d rows", ROWS_MOST);
        if (r->side->rows == r->row_room) {
            r->row_room = r->row_room ? 2 * r->row_room : 64;
            r->side->row = report_must(realloc(r->side->row, r->row_room * sizeof *r->side->row));
        }
        *present_row(r) = (struct compare_row){0};
        if (!each_member(r, "libraries", take_member) || !keep_row(r))
            return false;
    }
}

/* ---- the top ---- */

static bool take_distribution(struct reading *r, const char *key)
{
    if (!is(r, YAML_SCALAR_EVENT))
        return skip(r);
    for (int s = 0; s < COMPARE_SAMPLES; s++) {
        if (strcmp(key, compare_sample_names[s]) == 0)
            return take_histogram(r, key, scalar(r), &r->side->histogram[s]);
    }
    for (int t = 0; t < COMPARE_TALLIES; t++) {
        if (strcmp(key, compare_tally_names[t]) == 0)
            return take_tally(r, key, scalar(r), &r->side->tally[t]);
    }
    return true; /* rows say more about the graph */
}

static bool take_size(struct reading *r, const char *key)
{
    return is(r, YAML_SCALAR_EVENT) ? take_value(r, key, scalar(r)) : WRONG(r, "sections: %s: is no value", key);
}

static bool take_captured(struct reading *r, const char *key)
{
    uint64_t libraries;
    if (strcmp(key, "libraries") == 0)
        r->side->many = number_of(scalar(r), &libraries) && libraries > PROFILE_WORDS_FEW_LIBRARIES;
    return skip(r);
}

/* Sums at the top matter only where no rows follow. They stand before the rows, and are collected as a row's values. */
static bool take_top(struct reading *r, const char *key)
{
    uint64_t number;
    if (strcmp(key, "pyelfgen-profile") == 0) {
        r->told = true;
        r->versioned = strcmp(scalar(r), "1") == 0;
        return r->versioned || WRONG(r, "pyelfgen-profile: is not 1, the version that is known here");
    }
    if (strcmp(key, "distributions") == 0)
        return each_member(r, key, take_distribution);
    if (strcmp(key, "captured") == 0) {
        r->side->captured = true;
        return each_member(r, key, take_captured);
    }
    if (strcmp(key, "sections") == 0)
        return each_member(r, key, take_size);
    if (strcmp(key, "libraries") == 0) {
        r->values = 0;
        return take_libraries(r);
    }
    if ((strcmp(key, "modules") == 0 || strcmp(key, "utilities") == 0)) {
        if (!number_of(scalar(r), &number))
            return WRONG(r, "%s: '%.40s' is no whole number", key, scalar(r));
        r->side->of_kind[*key == 'm'] = number;
        r->side->says_kind[*key == 'm'] = true;
        return true;
    }
    return skip(r);
}

static bool take_document(struct reading *r)
{
    if (!next(r) || !next(r) || !next(r)) /* stream start, document start, the mapping */
        return false;
    if (!each_member(r, "the profile", take_top))
        return false;
    if (!r->versioned)
        return WRONG(r, "has no pyelfgen-profile: 1; is this a captured profile?");
    if (r->side->rows == 0) {
        r->side->summary = true;
        r->side->sums.value = report_must(arena_zeroed(&r->c->report.arena, r->values + 1, sizeof *r->value));
        r->side->sums.values = r->values;
        if (r->values)
            memcpy(r->side->sums.value, r->value, r->values * sizeof *r->value);
    }
    return true;
}

/* Checks that every edge leads to a row, and no row has two edges to the same one. */
static bool check_edges(struct reading *r)
{
    size_t *by = report_must(calloc(r->side->rows + 1, sizeof *by)); /* the last row that needs it, from 1; 0: none */
    bool ok = true;
    for (size_t i = 0; i < r->side->rows && ok; i++) {
        for (size_t j = 0; j < r->side->row[i].edges && ok; j++) {
            uint32_t to = r->side->row[i].edge[j].to;
            if (to >= r->side->rows)
                ok = WRONG(r, "needed: row %zu needs number %u of %zu libraries", i, to, r->side->rows);
            else if (by[to] == i + 1)
                ok = WRONG(r, "needed: row %zu needs number %u twice", i, to);
            else
                by[to] = i + 1;
        }
    }
    free(by);
    return ok;
}

bool compare_read_profile(struct compare *c, const char *path, FILE *from, struct compare_keys *keys,
                          struct compare_side *side, struct error *e)
{
    struct reading r = {.c = c, .keys = keys, .side = side, .path = path, .e = e};
    if (!yaml_parser_initialize(&r.parser))
        report_must(NULL);
    yaml_parser_set_input_file(&r.parser, from);
    bool ok = take_document(&r) && check_edges(&r);
    if (!ok && !r.told && e->code == ERROR_INPUT) {
        error_set(e, ERROR_INPUT,
                  "is neither an ELF file nor a captured profile, which begins with pyelfgen-profile: 1");
        error_at(e, path, 0);
    }
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    free(r.value);
    free(r.edge);
    return ok;
}
