/* Profiles: the rules between keys, and the conversion between a YAML text and struct profile; see profile.h and
 * keys.h.
 *
 * libcyaml (1.3) maps the YAML onto strings and back. It does not convert the values: it would take `8x` as 8, `010` as
 * octal and `maybe` as true, and it knows no line for a value with a unit. profile_scan checks the document before
 * libcyaml sees it; value.c converts the strings.
 */
#include "emit/profile/profile.h"

#include <assert.h>
#include <cyaml/cyaml.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/profile_words.h"
#include "emit/profile/distribution.h"
#include "emit/profile/keys.h"
#include "emit/profile/plain.h"

/* What libcyaml fills and writes: the text of each key and the mappings below,
 * NULL where absent. Every mapping has room for all keys and sections, so that
 * a key's number is its index wherever it stands; those of rows count from KEY_ROW
 * and SECTION_ROW. */
struct row_mapping {
    char *text[KEY_ALL - KEY_ROW];
    struct row_mapping *section[PROFILE_SECTION_ALL - SECTION_ROW];
};
struct mapping {
    char *text[KEY_COUNT];
    struct mapping *section[PROFILE_SECTION_COUNT];
    struct row_mapping *row;
    uint32_t rows;
};

/* libcyaml's form of the table, and what it logs. Points into itself: must not
 * be copied. */
struct schema {
    cyaml_schema_field_t fields[PROFILE_SECTION_ALL][KEY_ALL + PROFILE_SECTION_ALL + 1];
    cyaml_schema_value_t root, row;
    cyaml_config_t config;
    char message[256]; /* the first that libcyaml logged */
};

static void keep_first_message(cyaml_log_t level, void *ctx, const char *format, va_list args)
{
    (void)level;
    struct schema *s = ctx;
    if (s->message[0])
        return;
    vsnprintf(s->message, sizeof s->message, format, args);
    s->message[strcspn(s->message, "\n")] = '\0';
}

static void schema_init(struct schema *s)
{
    size_t used[PROFILE_SECTION_ALL] = {0};
    for (size_t i = 0; i < KEY_ALL; i++) {
        enum profile_section section = profile_keys[i].section;
        size_t offset = i < KEY_ROW ? offsetof(struct mapping, text) + i * sizeof(char *)
                                    : offsetof(struct row_mapping, text) + (i - KEY_ROW) * sizeof(char *);
        s->fields[section][used[section]++] = (cyaml_schema_field_t){
            .key = profile_keys[i].name,
            .data_offset = (uint32_t)offset,
            .value = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, char, 0, CYAML_UNLIMITED)},
        };
    }
    for (size_t i = SECTION_ROOT + 1; i < PROFILE_SECTION_ALL; i++) {
        enum profile_section parent = profile_sections[i].parent;
        const bool of_row = i > SECTION_ROW;
        if (i == SECTION_ROW)
            continue;
        const size_t offset = of_row ? offsetof(struct row_mapping, section) + (i - SECTION_ROW) * sizeof(void *)
                                     : offsetof(struct mapping, section) + i * sizeof(void *);
        cyaml_schema_field_t *field = &s->fields[parent][used[parent]++];
        *field = (cyaml_schema_field_t){
            .key = profile_sections[i].name,
            .data_offset = (uint32_t)offset,
            .value = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct mapping, s->fields[i])},
        };
        if (of_row)
            field->value.data_size = sizeof(struct row_mapping);
    }
    s->row = (cyaml_schema_value_t){
        CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT | CYAML_FLAG_FLOW, struct row_mapping, s->fields[SECTION_ROW])};
    s->fields[SECTION_ROOT][used[SECTION_ROOT]++] = (cyaml_schema_field_t){
        .key = PROFILE_LIBRARIES,
        .data_offset = offsetof(struct mapping, row),
        .count_offset = offsetof(struct mapping, rows),
        .count_size = sizeof(uint32_t),
        .value = {CYAML_VALUE_SEQUENCE(CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct row_mapping, &s->row, 0,
                                       CYAML_UNLIMITED)},
    };
    s->root = (cyaml_schema_value_t){CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct mapping, s->fields[SECTION_ROOT])};
    s->config = (cyaml_config_t){
        .log_fn = keep_first_message,
        .log_ctx = s,
        .mem_fn = cyaml_mem,
        .log_level = CYAML_LOG_ERROR,
        .flags = CYAML_CFG_STYLE_BLOCK | CYAML_CFG_NO_ALIAS,
    };
}

/* Made in the heap, because it has 200 kB, more than small stacks have to spare. The caller frees it. */
static struct schema *schema_make(struct error *e)
{
    struct schema *s = calloc(1, sizeof *s); /* the field after the last of a mapping must have no key */
    if (s)
        schema_init(s);
    else
        error_set(e, ERROR_MEMORY, "no memory for the keys of profiles");
    return s;
}

/* libcyaml only gets texts that profile_scan has read before, or values that were checked. So where libyaml below it
 * fails, memory is exhausted. */
static bool schema_failed(const struct schema *s, cyaml_err_t err, const char *file, struct error *e)
{
    switch (err) {
    case CYAML_ERR_OOM:
    case CYAML_ERR_LIBYAML_EMITTER_INIT:
    case CYAML_ERR_LIBYAML_PARSER_INIT:
    case CYAML_ERR_LIBYAML_EVENT_INIT:
    case CYAML_ERR_LIBYAML_EMITTER:
    case CYAML_ERR_LIBYAML_PARSER:
        return error_set(e, ERROR_MEMORY, "no memory for the YAML of a profile");
    default:
        error_set(e, ERROR_INPUT, "does not fit the schema: %s", s->message[0] ? s->message : cyaml_strerror(err));
        return error_at(e, file, 0);
    }
}

static bool sections_check(const struct profile *p, const struct profile_source *s, struct error *e)
{
    bool any = s->section_line[SECTION_SECTIONS] != 0;
    if (p->rows) /* each row has sizes of its own */
        return true;
    for (size_t i = 0; i < SIZE_KINDS; i++)
        any |= p->sections[i] != PROFILE_DERIVED;
    if (!any && p->functions == PROFILE_DERIVED)
        return profile_wrong(s, KEY_FUNCTIONS, e, "is missing; a profile without 'sections' needs it");
    if (!any)
        return true;
    for (unsigned i = SIZE_TEXT; i <= SIZE_STRTAB; i++)
        if (p->sections[i] == PROFILE_DERIVED)
            return profile_wrong(s, (enum profile_key_id)(KEY_TEXT + i), e,
                                 "is missing; give text, data, debug, symtab and strtab, or leave 'sections' out");
    if ((p->sections[SIZE_SYMTAB] == 0) != (p->sections[SIZE_STRTAB] == 0))
        return profile_wrong(s, p->sections[SIZE_SYMTAB] ? KEY_STRTAB : KEY_SYMTAB, e,
                             "is 0 and %s is not; a symbol table needs its names: give both a size, or both 0",
                             p->sections[SIZE_SYMTAB] ? "symtab" : "strtab");
    return true;
}

bool profile_has_mix(const struct profile *p)
{
    bool any = false;
    for (size_t i = 0; i < MIX_KINDS; i++)
        any |= p->dwarf.mix[i] != PROFILE_DERIVED;
    return any;
}

/* Checks the sizes of debug sections, which are parts of `debug`. Call after sections_check. */
static bool mix_check(const struct profile *p, const struct profile_source *s, struct error *e)
{
    static const char about[] = "dwarf: mix:";
    int64_t sum = 0, debug = p->sections[SIZE_DEBUG];
    static_assert(PROFILE_SIZE_MOST <= INT64_MAX / MIX_KINDS, "the sum of all sizes fits");
    if (!profile_has_mix(p))
        return true;
    for (size_t i = 0; i < MIX_KINDS; i++)
        sum += p->dwarf.mix[i] == PROFILE_DERIVED ? 0 : p->dwarf.mix[i];
    if (p->dwarf.version == 4 && p->dwarf.mix[MIX_LINE_STR] != PROFILE_DERIVED)
        return profile_wrong(s, KEY_MIX_LINE_STR, e, "there is no .debug_line_str in 'version: 4'; remove one of them");
    if (debug > 0 && sum <= debug)
        return true;
    if (debug == PROFILE_DERIVED)
        error_set(e, ERROR_INPUT, "%s needs 'debug' under 'sections', which is missing; add it, or remove 'mix'",
                  about);
    else if (debug == 0)
        error_set(e, ERROR_INPUT, "%s needs 'debug' under 'sections', which is 0; give it a size, or remove 'mix'",
                  about);
    else
        error_set(e, ERROR_INPUT,
                  "%s the sizes together are %lld bytes and 'debug' under 'sections' is %lld bytes; lower them, or "
                  "raise it",
                  about, (long long)sum, (long long)debug);
    if (e && debug > 0) {
        e->wanted = sum;
        e->possible = debug;
    }
    return error_at(e, s->name, profile_section_line(s, SECTION_MIX));
}

/* The first word in a text of counts that is no word of DWARF, and its length. NULL: there is none. */
static const char *foreign_word(const char *text, enum profile_words kind, size_t *length)
{
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        *length = strcspn(text, ":");
        if (!profile_words_have(kind, text, *length))
            return text;
        text += strcspn(text, " ");
    }
    return NULL;
}

static bool words_check(const char *text, enum profile_key_id key, const struct profile_source *s, struct error *e)
{
    size_t length;
    const enum profile_words words = (enum profile_words)(PROFILE_WORDS_TAGS + (key - KEY_TAGS) % DISTRIBUTION_KINDS);
    const char *const word = foreign_word(text, words, &length);
    return !word || profile_wrong(s, key, e, "'%.*s' is no word of DWARF; count it with 'others'",
                                  length < PROFILE_SHOWN ? (int)length : PROFILE_SHOWN, word);
}

static bool distributions_check(const struct profile *p, const struct profile_source *s, struct error *e)
{
    for (unsigned i = 0; i < PROFILE_DISTRIBUTIONS; i++) {
        const char *const text = p->distributions[i];
        const enum profile_key_id key = (enum profile_key_id)(KEY_FUNCTION_SIZES + i);
        const bool counts = i >= DISTRIBUTION_TAGS;
        char shown[PROFILE_SHOWN];
        if (text && !(counts ? distribution_are_counts : distribution_are_buckets)(text))
            return profile_wrong(s, key, e, "'%s' is not %s; correct it, or leave it out", profile_shown(text, shown),
                                 counts ? "WORD:COUNT and so on"
                                        : "LOWEST:COUNT and so on, with lowest values that ascend");
        if (text && counts && !words_check(text, key, s, e))
            return false;
    }
    return true;
}

/* Refuses what does not go with clang's form. */
static bool clang_check(const struct profile *p, const struct profile_source *s, struct error *e)
{
    const struct {
        bool given;
        const char *key;
    } excluded[] = {
        {p->dwarf.index != NAME_INDEX_NONE, "index"},
        {p->dwarf.type_units, "type-units"},
        {p->dwarf.split, "split"},
        {p->dwarf.views, "views"},
        {profile_has_mix(p), "mix"},
    };
    if (p->dwarf.compiler != COMPILER_CLANG)
        return true;
    if (p->dwarf.version == 4)
        return profile_wrong(s, KEY_COMPILER, e, "'clang' needs 'version: 5', which is 4; remove one of them");
    for (size_t i = 0; i < sizeof excluded / sizeof excluded[0]; i++)
        if (excluded[i].given)
            return profile_wrong(s, KEY_COMPILER, e, "'clang' excludes '%s'; remove one of them", excluded[i].key);
    return true;
}

/* Whether all texts are those that a profile may have. */
static bool texts_check(const struct profile *p, const struct profile_source *s, struct error *e)
{
    for (enum profile_key_id key = 0; key < KEY_COUNT; key++)
        if (profile_keys[key].kind == KIND_TEXT && !profile_value_check(p, key, s, e))
            return false;
    return distributions_check(p, s, e) && profile_settled_check(p, s, e) && profile_rows_check_texts(p, s, e);
}

/* Whether the key is the sum of rows of a captured profile that have none of this size, as object files have no data.
 * Their libraries become larger (emit/solve/rows_fit.c). */
static bool is_sum_of_none(const struct profile *p, enum profile_key_id key)
{
    return p->rows && profile_is_captured(p) && (key == KEY_TEXT || key == KEY_DATA) &&
           p->sections[key - KEY_TEXT + SIZE_TEXT] == 0;
}

/* Checks the sums of rows before the ranges of keys. An error about a range would name a key of `sections`, which the
 * file does not have. */
static bool sums_check(const struct profile *p, const struct profile_source *s, struct error *e)
{
    for (unsigned i = SIZE_TEXT; p->rows && i <= SIZE_DATA; i++) {
        if (p->sections[i] != 0 || is_sum_of_none(p, KEY_TEXT + i))
            continue;
        error_set(e, ERROR_INPUT, PROFILE_LIBRARIES ": all rows together have no %s; a set has some",
                  profile_keys[KEY_TEXT + i].name);
        return error_at(e, s->name, s->rows_line);
    }
    return true;
}

/* Refuses keys that do not go together. */
static bool pairs_check(const struct profile *p, const struct profile_source *s, struct error *e)
{
    const bool fortran = p->dwarf.language == LANGUAGE_FORTRAN;
    const bool index = p->dwarf.index != NAME_INDEX_NONE;
    const struct {
        bool refused;
        enum profile_key_id key;
        const char *why;
    } rules[] = {
        {p->calls.random && p->calls.utilities_per_module != PROFILE_DERIVED, KEY_RANDOM,
         "excludes 'utilities-per-module'; remove one of them"},
        {p->names.length != PROFILE_DERIVED && p->names.pad != PROFILE_DERIVED, KEY_PAD,
         "excludes 'length'; remove one of them"},
        {p->names.style == STYLE_ITANIUM && p->names.pad != PROFILE_DERIVED, KEY_PAD,
         "goes with 'style: pynamic' only; use 'length', or remove it"},
        {p->elf.relro == RELRO_FULL && p->elf.bind != BIND_NOW, KEY_RELRO,
         "'full' needs 'bind: now', which is not set; add it, or use 'partial'"},
        {p->dwarf.separate == SEPARATE_BUILD_ID && !p->elf.build_id, KEY_SEPARATE,
         "'build-id' needs 'build-id' under 'elf', which is false; remove that, or use 'debuglink'"},
        {p->dwarf.index == NAME_INDEX_DEBUG_NAMES && p->dwarf.version == 4, KEY_INDEX,
         "'debug_names' needs 'version: 5', which is 4; use 'gdb_index'"},
        {index && fortran, KEY_INDEX, "does not go with 'language: fortran'; remove one of them"},
        {p->dwarf.compiler == COMPILER_CLANG && fortran, KEY_COMPILER,
         "'clang' does not go with 'language: fortran'; remove one of them"},
        {p->dwarf.type_units && p->dwarf.language != LANGUAGE_C, KEY_TYPE_UNITS,
         "goes with 'language: c' only; remove one of them"},
        {p->dwarf.type_units && index, KEY_TYPE_UNITS, "excludes 'index'; remove one of them"},
        {p->dwarf.split && p->dwarf.separate != SEPARATE_NONE, KEY_SPLIT, "excludes 'separate'; remove one of them"},
        {p->dwarf.split && index, KEY_SPLIT, "excludes 'index'; remove one of them"},
        {p->dwarf.split && p->dwarf.type_units, KEY_SPLIT, "excludes 'type-units'; remove one of them"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].refused)
            return profile_wrong(s, rules[i].key, e, "%s", rules[i].why);
    return true;
}

/* Ranges, and the rules between keys. */
static bool profile_check(const struct profile *p, const struct profile_source *s, struct error *e)
{
    if (!sums_check(p, s, e))
        return false;
    for (enum profile_key_id key = 0; key < KEY_COUNT; key++)
        if (!is_sum_of_none(p, key) && !profile_value_check(p, key, s, e))
            return false;
    if (p->modules == 0 && p->utilities == 0 && !p->rows) {
        if (e)
            e->wanted = 0;
        profile_wrong(s, KEY_MODULES, e, "is 0, and there are no utilities; a set has one library or more");
        if (e)
            e->possible = 1;
        return false;
    }
    if (p->modules + p->utilities > PROFILE_LIBRARIES_MOST) {
        profile_wrong(s, KEY_UTILITIES, e, "with %lld modules and %lld utilities there are more than %d libraries",
                      (long long)p->modules, (long long)p->utilities, PROFILE_LIBRARIES_MOST);
        if (e) {
            e->wanted = p->modules + p->utilities;
            e->possible = PROFILE_LIBRARIES_MOST;
        }
        return false;
    }
    if (p->elf.max_page_size & (p->elf.max_page_size - 1))
        return profile_wrong(s, KEY_MAX_PAGE_SIZE, e, "'%lld' is not a power of two; use one from 4096 to 2097152",
                             (long long)p->elf.max_page_size);
    return pairs_check(p, s, e) && clang_check(p, s, e) && sections_check(p, s, e) && mix_check(p, s, e) &&
           distributions_check(p, s, e) && profile_settled_check(p, s, e) && profile_rows_check(p, s, e);
}

bool profile_init(struct profile *p, struct error *e)
{
    memset(p, 0, sizeof *p);
    p->application = strdup("");
    if (!p->application)
        return error_set(e, ERROR_MEMORY, "no memory for a profile");
    for (enum profile_key_id key = 0; key < KEY_COUNT; key++)
        profile_value_set_standard(p, key);
    return true;
}

void profile_free(struct profile *p)
{
    if (!p)
        return;
    for (enum profile_key_id key = 0; key < KEY_COUNT; key++) {
        char *text = NULL;
        if (profile_keys[key].kind == KIND_TEXT)
            memcpy(&text, (const char *)p + profile_keys[key].offset, sizeof text);
        free(text);
    }
    for (uint32_t i = 0; i < p->rows; i++)
        profile_row_free(&p->row[i]);
    free(p->row);
    memset(p, 0, sizeof *p);
}

/* The mapping of `section` in the document `root`; NULL where absent. */
static const struct mapping *mapping_of(const struct mapping *root, enum profile_section section)
{
    if (section == SECTION_ROOT)
        return root;
    const struct mapping *parent = mapping_of(root, profile_sections[section].parent);
    return parent ? parent->section[section] : NULL;
}

static bool document_read(struct profile *p, const struct mapping *root, const struct profile_source *s,
                          struct error *e)
{
    for (enum profile_key_id key = 0; key < KEY_COUNT; key++) {
        const struct mapping *mapping = mapping_of(root, profile_keys[key].section);
        const char *text = mapping ? mapping->text[key] : NULL;
        if (text && !profile_value_read(p, key, text, s, e))
            return false;
    }
    return true;
}

/* As mapping_of, in a row. */
static const struct row_mapping *row_mapping_of(const struct row_mapping *row, enum profile_section section)
{
    return section == SECTION_ROW ? row : row->section[section - SECTION_ROW];
}

static bool row_read(struct profile_row *row, const struct row_mapping *in, const struct profile_source *s,
                     struct error *e)
{
    for (enum profile_key_id key = KEY_ROW; key < KEY_ALL; key++) {
        const struct row_mapping *mapping = row_mapping_of(in, profile_keys[key].section);
        const char *text = mapping ? mapping->text[key - KEY_ROW] : NULL;
        if (text && !profile_value_read(row, key, text, s, e))
            return false;
    }
    return true;
}

static bool rows_read(struct profile *p, const struct mapping *root, struct profile_source *s, struct error *e)
{
    p->row = calloc(root->rows + (size_t)1, sizeof *p->row);
    if (!p->row)
        return error_set(e, ERROR_MEMORY, "no memory for the rows of a profile");
    for (; p->rows < root->rows; p->rows++)
        profile_row_init(&p->row[p->rows]);
    uint64_t edges = 0;
    for (s->row = 0; s->row < p->rows; s->row++) {
        struct profile_row *row = &p->row[s->row];
        if (!row_read(row, &root->row[s->row], s, e) || !profile_row_edges(row, p->rows, s, e))
            return false;
        edges += row->edges;
        if (edges > PROFILE_EDGES_MOST)
            return profile_row_wrong(s, e, "needed: there are more than %d edges up to this row; use fewer",
                                     PROFILE_EDGES_MOST);
    }
    return profile_rows_settle(p, s, e);
}

bool profile_has_known_keys(const char *text, size_t size, const char *name, struct error *e)
{
    struct profile_source source = {.name = name};
    const bool ok = profile_scan(text, size, &source, e);
    free(source.row_line);
    return ok;
}

/* The last check of a profile: its values alone and together. */
typedef bool parse_check(const struct profile *p, const struct profile_source *s, struct error *e);

static bool parse_scanned(struct profile *p, const char *text, size_t size, parse_check *check,
                          struct profile_source *s, struct error *e)
{
    struct schema *schema = schema_make(e);
    if (!schema)
        return false;
    cyaml_data_t *document = NULL;
    cyaml_err_t err = cyaml_load_data((const uint8_t *)text, size, &schema->config, &schema->root, &document, NULL);
    if (err != CYAML_OK) {
        schema_failed(schema, err, s->name, e);
        free(schema);
        return false;
    }
    assert(document); /* NULL is an empty mapping, and profile_scan has seen keys */

    const struct mapping *root = document;
    bool ok = profile_init(p, e) && document_read(p, root, s, e) && (!root->rows || rows_read(p, root, s, e)) &&
              check(p, s, e);
    cyaml_free(&schema->config, &schema->root, document, 0);
    free(schema);
    return ok;
}

/* On failure *p is empty. */
static bool parse(struct profile *p, const char *text, size_t size, const char *name, parse_check *check,
                  struct error *e)
{
    memset(p, 0, sizeof *p);
    struct profile_source source = {.name = name};
    bool ok = profile_scan(text, size, &source, e) && parse_scanned(p, text, size, check, &source, e);
    free(source.row_line);
    if (!ok)
        profile_free(p);
    return ok;
}

bool profile_is_plain(const char *text, size_t size, const char *name, struct error *e)
{
    struct profile p;
    const bool ok = parse(&p, text, size, name, texts_check, e);
    profile_free(&p);
    return ok;
}

bool profile_parse(struct profile *p, const char *text, size_t size, const char *name, struct error *e)
{
    if (!parse(p, text, size, name, profile_check, e))
        return false;
    /* A value that only repeats another is taken out. Otherwise profiles that mean the same would have different texts.
     */
    if (p->utility_functions == p->functions)
        p->utility_functions = PROFILE_DERIVED;
    return true;
}

/* A profile's text under construction. */
struct writing {
    struct mapping mappings[PROFILE_SECTION_COUNT];
    char written[KEY_COUNT][PROFILE_VALUE_TEXT];
    struct row_written {
        struct row_mapping sections[PROFILE_SECTION_ALL - SECTION_ROW];
        char written[KEY_ALL - KEY_ROW][PROFILE_VALUE_TEXT];
        char *needed;
    } * row;
    struct row_mapping *rows;
};

static bool write_root(const struct profile *p, struct writing *w)
{
    for (enum profile_key_id key = 0; key < KEY_COUNT; key++) {
        bool always = key == KEY_FORMAT || key == KEY_MODULES;
        bool implied = key == KEY_UTILITY_FUNCTIONS && p->utility_functions == p->functions;
        if (implied || (!always && profile_value_is_standard(p, key)))
            continue;
        enum profile_section section = profile_keys[key].section;
        char *value = profile_value_write(p, key, w->written[key]);
        if (!value)
            return false;
        w->mappings[section].text[key] = value;
        for (; section != SECTION_ROOT; section = profile_sections[section].parent)
            w->mappings[profile_sections[section].parent].section[section] = &w->mappings[section];
    }
    return true;
}

static bool write_row(const struct profile_row *row, struct row_written *w)
{
    for (enum profile_key_id key = KEY_ROW; key < KEY_ALL; key++) {
        const bool needed = key == KEY_ROW_TEXT + ROW_TEXT_NEEDED;
        if (needed ? !row->text[ROW_TEXT_NEEDED] : profile_value_is_standard(row, key))
            continue;
        const unsigned section = profile_keys[key].section - SECTION_ROW;
        char *value =
            needed ? (w->needed = profile_row_needed(row)) : profile_value_write(row, key, w->written[key - KEY_ROW]);
        if (!value)
            return false;
        w->sections[section].text[key - KEY_ROW] = value;
        if (section)
            w->sections[0].section[section] = &w->sections[section];
    }
    return true;
}

static bool write_rows(const struct profile *p, struct writing *w)
{
    if (!p->rows)
        return true;
    w->row = calloc(p->rows, sizeof *w->row);
    w->rows = calloc(p->rows, sizeof *w->rows);
    if (!w->row || !w->rows)
        return false;
    for (uint32_t i = 0; i < p->rows; i++) {
        const struct profile_row captured = profile_row_as_captured(&p->row[i]);
        if (!write_row(&captured, &w->row[i]))
            return false;
        w->rows[i] = w->row[i].sections[0];
    }
    w->mappings[SECTION_ROOT].row = w->rows;
    w->mappings[SECTION_ROOT].rows = p->rows;
    return true;
}

static void writing_free(const struct profile *p, struct writing *w)
{
    for (uint32_t i = 0; w && w->row && i < p->rows; i++)
        free(w->row[i].needed);
    if (w) {
        free(w->row);
        free(w->rows);
    }
    free(w);
}

/* libcyaml's text, from libcyaml's own allocator; NULL with the error. */
static char *save_document(const struct writing *w, size_t *length, struct error *e)
{
    struct schema *schema = schema_make(e);
    if (!schema)
        return NULL;
    char *yaml = NULL;
    cyaml_err_t err = cyaml_save_data(&yaml, length, &schema->config, &schema->root, &w->mappings[SECTION_ROOT], 0);
    if (err != CYAML_OK)
        schema_failed(schema, err, NULL, e);
    free(schema);
    return err == CYAML_OK ? yaml : NULL;
}

/* The same profile, with the size of all debug information as it was captured. */
static struct profile as_captured(const struct profile *p)
{
    struct profile captured = *p;
    for (uint32_t i = 0; i < p->rows; i++)
        if (p->row[i].captured && p->sections[SIZE_DEBUG] != PROFILE_DERIVED)
            captured.sections[SIZE_DEBUG] -= p->row[i].value[ROW_DEBUG] - p->row[i].captured[ROW_DEBUG];
    return captured;
}

bool profile_text(const struct profile *p, char **text, size_t *size, struct error *e)
{
    static const struct profile_source nowhere = {.name = NULL};
    const struct profile captured = as_captured(p);
    *text = NULL;
    *size = 0;
    if (!profile_check(p, &nowhere, e))
        return false;
    struct writing *w = calloc(1, sizeof *w);
    if (!w || !write_root(&captured, w) || !write_rows(p, w)) {
        writing_free(p, w);
        return error_set(e, ERROR_MEMORY, "no memory for the text of a profile");
    }
    size_t length = 0;
    char *yaml = save_document(w, &length, e);
    writing_free(p, w);
    if (!yaml)
        return false;
    *text = malloc(length + 1); /* libcyaml's has no terminating zero */
    if (*text) {
        memcpy(*text, yaml, length);
        (*text)[length] = '\0';
        *size = length;
    }
    cyaml_mem(NULL, yaml, 0);
    return *text ? true : error_set(e, ERROR_MEMORY, "no memory for the text of a profile");
}
