/* Profiles: the table of keys, the rules between them, and the way between a
 * YAML text and struct profile; see profile.h and profile_keys.h.
 *
 * libcyaml (1.3) maps the YAML onto strings and back. It does not convert the
 * values: it would take `8x` as 8, `010` as octal, `maybe` as true, and it
 * knows no line for a value with a unit. profile_scan checks the document
 * before libcyaml sees it, profile_value.c converts the strings.
 */
#include "emit/profile.h"

#include <assert.h>
#include <cyaml/cyaml.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/profile_keys.h"

const struct profile_place profile_sections[PROFILE_SECTION_COUNT] = {
    [SECTION_ROOT] = {SECTION_ROOT, ""},       [SECTION_SECTIONS] = {SECTION_ROOT, "sections"},
    [SECTION_CALLS] = {SECTION_ROOT, "calls"}, [SECTION_NAMES] = {SECTION_ROOT, "names"},
    [SECTION_ELF] = {SECTION_ROOT, "elf"},     [SECTION_DWARF] = {SECTION_ROOT, "dwarf"},
    [SECTION_MIX] = {SECTION_DWARF, "mix"},
};

#define AT(member)   offsetof(struct profile, member)
#define CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define DERIVED      PROFILE_DERIVED

/* clang-format off */
const struct profile_key profile_keys[KEY_COUNT] = {
    /* id                        section           key                     kind         member                    least  most                    default */
    [KEY_FORMAT]               = {SECTION_ROOT,     "pyelfgen-profile",     KIND_FIXED,  0,                        0,     0,                      0, CHOICES("1")},
    [KEY_APPLICATION]          = {SECTION_ROOT,     "application",          KIND_TEXT,   AT(application),          0,     PROFILE_APPLICATION_MOST, 0, NULL},
    [KEY_SEED]                 = {SECTION_ROOT,     "seed",                 KIND_NUMBER, AT(seed),                 0,     UINT64_MAX,             42, NULL},
    [KEY_MODULES]              = {SECTION_ROOT,     "modules",              KIND_NUMBER, AT(modules),              1,     PROFILE_LIBRARIES_MOST, 1, NULL},
    [KEY_UTILITIES]            = {SECTION_ROOT,     "utilities",            KIND_NUMBER, AT(utilities),            0,     PROFILE_LIBRARIES_MOST, 0, NULL},
    [KEY_FUNCTIONS]            = {SECTION_ROOT,     "functions",            KIND_NUMBER, AT(functions),            1,     PROFILE_FUNCTIONS_MOST, DERIVED, NULL},
    [KEY_UTILITY_FUNCTIONS]    = {SECTION_ROOT,     "utility-functions",    KIND_NUMBER, AT(utility_functions),    1,     PROFILE_FUNCTIONS_MOST, DERIVED, NULL},

    [KEY_TEXT]                 = {SECTION_SECTIONS, "text",                 KIND_SIZE,   AT(sections[SIZE_TEXT]),   1,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_DATA]                 = {SECTION_SECTIONS, "data",                 KIND_SIZE,   AT(sections[SIZE_DATA]),   1,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_DEBUG]                = {SECTION_SECTIONS, "debug",                KIND_SIZE,   AT(sections[SIZE_DEBUG]),  0,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_SYMTAB]               = {SECTION_SECTIONS, "symtab",               KIND_SIZE,   AT(sections[SIZE_SYMTAB]), 0,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_STRTAB]               = {SECTION_SECTIONS, "strtab",               KIND_SIZE,   AT(sections[SIZE_STRTAB]), 0,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_BSS]                  = {SECTION_SECTIONS, "bss",                  KIND_SIZE,   AT(sections[SIZE_BSS]),    0,    PROFILE_SIZE_MOST,      DERIVED, NULL},

    [KEY_DEPTH]                = {SECTION_CALLS,    "depth",                KIND_NUMBER, AT(calls.depth),          1,     PROFILE_DEPTH_MOST,     10, NULL},
    [KEY_UTILITY]              = {SECTION_CALLS,    "utility",              KIND_NUMBER, AT(calls.utility),        0,     1000,                   1, NULL},
    [KEY_UTILITIES_PER_MODULE] = {SECTION_CALLS,    "utilities-per-module", KIND_NUMBER, AT(calls.utilities_per_module), 1, PROFILE_LIBRARIES_MOST, DERIVED, NULL},
    [KEY_CROSS_MODULE]         = {SECTION_CALLS,    "cross-module",         KIND_FLAG,   AT(calls.cross_module),   0,     0,                      true, NULL},
    [KEY_CROSS_MODULE_CHAIN]   = {SECTION_CALLS,    "cross-module-chain",   KIND_NUMBER, AT(calls.cross_module_chain), 0, PROFILE_LIBRARIES_MOST, 10, NULL},
    [KEY_COVERAGE]             = {SECTION_CALLS,    "coverage",             KIND_SHARE,  AT(calls.coverage),       0,     1,                      1, NULL},
    [KEY_REPEAT]               = {SECTION_CALLS,    "repeat",               KIND_NUMBER, AT(calls.repeat),         1,     PROFILE_REPEAT_MOST,    1, NULL},
    [KEY_RANDOM]               = {SECTION_CALLS,    "random",               KIND_FLAG,   AT(calls.random),         0,     0,                      false, NULL},
    [KEY_NEED_ALL]             = {SECTION_CALLS,    "need-all",             KIND_FLAG,   AT(calls.need_all),       0,     0,                      false, NULL},

    [KEY_STYLE]                = {SECTION_NAMES,    "style",                KIND_CHOICE, AT(names.style),          0,     STYLE_ITANIUM,          STYLE_PYNAMIC,
                                  CHOICES([STYLE_PYNAMIC] = "pynamic", [STYLE_ITANIUM] = "itanium")},
    [KEY_LENGTH]               = {SECTION_NAMES,    "length",               KIND_NUMBER, AT(names.length),         1,     PROFILE_NAME_MOST,      DERIVED, NULL},
    [KEY_PAD]                  = {SECTION_NAMES,    "pad",                  KIND_NUMBER, AT(names.pad),            0,     PROFILE_NAME_MOST,      DERIVED, NULL},

    [KEY_HASH]                 = {SECTION_ELF,      "hash",                 KIND_CHOICE, AT(elf.hash),             0,     HASH_BOTH,              HASH_GNU,
                                  CHOICES([HASH_GNU] = "gnu", [HASH_SYSV] = "sysv", [HASH_BOTH] = "both")},
    [KEY_BIND]                 = {SECTION_ELF,      "bind",                 KIND_CHOICE, AT(elf.bind),             0,     BIND_NOW,               BIND_LAZY,
                                  CHOICES([BIND_LAZY] = "lazy", [BIND_NOW] = "now")},
    [KEY_RELRO]                = {SECTION_ELF,      "relro",                KIND_CHOICE, AT(elf.relro),            0,     RELRO_FULL,             RELRO_PARTIAL,
                                  CHOICES([RELRO_NONE] = "none", [RELRO_PARTIAL] = "partial", [RELRO_FULL] = "full")},
    [KEY_BUILD_ID]             = {SECTION_ELF,      "build-id",             KIND_FLAG,   AT(elf.build_id),         0,     0,                      true, NULL},
    [KEY_SONAME]               = {SECTION_ELF,      "soname",               KIND_FLAG,   AT(elf.soname),           0,     0,                      true, NULL},
    [KEY_MAX_PAGE_SIZE]        = {SECTION_ELF,      "max-page-size",        KIND_NUMBER, AT(elf.max_page_size),    4096,  2 << 20,                4096, NULL},

    [KEY_VERSION]              = {SECTION_DWARF,    "version",              KIND_NUMBER, AT(dwarf.version),        4,     5,                      5, NULL},
    [KEY_LANGUAGE]             = {SECTION_DWARF,    "language",             KIND_CHOICE, AT(dwarf.language),       0,     LANGUAGE_CPP,           LANGUAGE_C,
                                  CHOICES([LANGUAGE_C] = "c", [LANGUAGE_CPP] = "c++")},
    [KEY_UNITS]                = {SECTION_DWARF,    "units",                KIND_NUMBER, AT(dwarf.units),          1,     1000000,                DERIVED, NULL},
    [KEY_COMPRESS]             = {SECTION_DWARF,    "compress",             KIND_CHOICE, AT(dwarf.compress),       0,     COMPRESS_ZSTD,          COMPRESS_NONE,
                                  CHOICES([COMPRESS_NONE] = "none", [COMPRESS_ZLIB] = "zlib", [COMPRESS_ZSTD] = "zstd")},
    [KEY_SEPARATE]             = {SECTION_DWARF,    "separate",             KIND_CHOICE, AT(dwarf.separate),       0,     SEPARATE_BUILD_ID,      SEPARATE_NONE,
                                  CHOICES([SEPARATE_NONE] = "none", [SEPARATE_DEBUGLINK] = "debuglink", [SEPARATE_BUILD_ID] = "build-id")},
    [KEY_INDEX]                = {SECTION_DWARF,    "index",                KIND_CHOICE, AT(dwarf.index),          0,     NAME_INDEX_DEBUG_NAMES, NAME_INDEX_NONE,
                                  CHOICES([NAME_INDEX_NONE] = "none", [NAME_INDEX_GDB] = "gdb_index", [NAME_INDEX_DEBUG_NAMES] = "debug_names")},
    [KEY_TYPE_UNITS]           = {SECTION_DWARF,    "type-units",           KIND_FLAG,   AT(dwarf.type_units),     0,     0,                      false, NULL},
    [KEY_VIEWS]                = {SECTION_DWARF,    "views",                KIND_FLAG,   AT(dwarf.views),          0,     0,                      false, NULL},
    [KEY_SPLIT]                = {SECTION_DWARF,    "split",                KIND_FLAG,   AT(dwarf.split),          0,     0,                      false, NULL},

    [KEY_MIX_INFO]             = {SECTION_MIX,      "info",                 KIND_SIZE,   AT(dwarf.mix[MIX_INFO]),   1,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_MIX_ABBREV]           = {SECTION_MIX,      "abbrev",               KIND_SIZE,   AT(dwarf.mix[MIX_ABBREV]), 1,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_MIX_LINE]             = {SECTION_MIX,      "line",                 KIND_SIZE,   AT(dwarf.mix[MIX_LINE]),   1,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_MIX_STR]              = {SECTION_MIX,      "str",                  KIND_SIZE,   AT(dwarf.mix[MIX_STR]),    1,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_MIX_LINE_STR]         = {SECTION_MIX,      "line_str",             KIND_SIZE,   AT(dwarf.mix[MIX_LINE_STR]), 1,   PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_MIX_LOCLISTS]         = {SECTION_MIX,      "loclists",             KIND_SIZE,   AT(dwarf.mix[MIX_LOCLISTS]), 0,   PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_MIX_RNGLISTS]         = {SECTION_MIX,      "rnglists",             KIND_SIZE,   AT(dwarf.mix[MIX_RNGLISTS]), 0,   PROFILE_SIZE_MOST,      DERIVED, NULL},
};
/* clang-format on */

static_assert(KEY_BSS - KEY_TEXT == SIZE_BSS - SIZE_TEXT, "the keys of the sizes are in the order of enum size_kind");
static_assert(KEY_MIX_RNGLISTS - KEY_MIX_INFO == MIX_RNGLISTS - MIX_INFO && MIX_RNGLISTS == MIX_KINDS - 1,
              "the keys of the debug sections are in the order of enum mix_kind");

/* What libcyaml fills and writes: the text of each key and the mappings below,
 * NULL where absent. Every mapping has room for all keys and sections, so that
 * a key's number is its index wherever it stands. */
struct mapping {
    char *text[KEY_COUNT];
    struct mapping *section[PROFILE_SECTION_COUNT];
};

/* libcyaml's form of the table, and what it logs. Points into itself: must not
 * be copied. */
struct schema {
    cyaml_schema_field_t fields[PROFILE_SECTION_COUNT][KEY_COUNT + PROFILE_SECTION_COUNT + 1];
    cyaml_schema_value_t root;
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
    memset(s, 0, sizeof *s); /* the field after the last of a mapping must have no key */
    size_t used[PROFILE_SECTION_COUNT] = {0};
    for (size_t i = 0; i < KEY_COUNT; i++) {
        enum profile_section section = profile_keys[i].section;
        s->fields[section][used[section]++] = (cyaml_schema_field_t){
            .key = profile_keys[i].name,
            .data_offset = (uint32_t)(offsetof(struct mapping, text) + i * sizeof(char *)),
            .value = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, char, 0, CYAML_UNLIMITED)},
        };
    }
    for (size_t i = SECTION_ROOT + 1; i < PROFILE_SECTION_COUNT; i++) {
        enum profile_section parent = profile_sections[i].parent;
        s->fields[parent][used[parent]++] = (cyaml_schema_field_t){
            .key = profile_sections[i].name,
            .data_offset = (uint32_t)(offsetof(struct mapping, section) + i * sizeof(struct mapping *)),
            .value = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct mapping, s->fields[i])},
        };
    }
    s->root = (cyaml_schema_value_t){CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct mapping, s->fields[SECTION_ROOT])};
    s->config = (cyaml_config_t){
        .log_fn = keep_first_message,
        .log_ctx = s,
        .mem_fn = cyaml_mem,
        .log_level = CYAML_LOG_ERROR,
        .flags = CYAML_CFG_STYLE_BLOCK | CYAML_CFG_NO_ALIAS,
    };
}

/* libcyaml is given what profile_scan has read before, or texts that were
 * checked: where libyaml below it fails, memory is exhausted. */
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

const char *profile_path(enum profile_section section, char path[PROFILE_PATH])
{
    path[0] = '\0';
    if (section == SECTION_ROOT)
        return path;
    profile_path(profile_sections[section].parent, path);
    size_t used = strlen(path);
    snprintf(path + used, PROFILE_PATH - used, "%s: ", profile_sections[section].name);
    return path;
}

/* Where `section` begins, or else what it would stand in; 0 where nothing does. */
static unsigned section_line(const struct profile_source *s, enum profile_section section)
{
    while (section != SECTION_ROOT && !s->section_line[section])
        section = profile_sections[section].parent;
    return s->section_line[section];
}

bool profile_wrong(const struct profile_source *s, enum profile_key_id key, struct error *e, const char *format, ...)
{
    char text[640], path[PROFILE_PATH];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!s)
        return error_set(e, ERROR_USAGE, "%s", text);
    const struct profile_key *k = &profile_keys[key];
    error_set(e, ERROR_INPUT, "%s%s: %s", profile_path(k->section, path), k->name, text);
    return error_at(e, s->name, s->key_line[key] ? s->key_line[key] : section_line(s, k->section));
}

static bool sections_check(const struct profile *p, const struct profile_source *s, struct error *e)
{
    bool any = s->section_line[SECTION_SECTIONS] != 0;
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

/* The sizes of debug sections are parts of `debug`. Comes after sections_check. */
static bool mix_check(const struct profile *p, const struct profile_source *s, struct error *e)
{
    static const char about[] = "dwarf: mix:";
    bool any = false;
    int64_t sum = 0, debug = p->sections[SIZE_DEBUG];
    static_assert(PROFILE_SIZE_MOST <= INT64_MAX / MIX_KINDS, "the sum of all sizes fits");
    for (size_t i = 0; i < MIX_KINDS; i++) {
        if (p->dwarf.mix[i] == PROFILE_DERIVED)
            continue;
        any = true;
        sum += p->dwarf.mix[i];
    }
    if (!any)
        return true;
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
    return error_at(e, s->name, section_line(s, SECTION_MIX));
}

/* Ranges, and the rules between keys. */
static bool profile_check(const struct profile *p, const struct profile_source *s, struct error *e)
{
    for (enum profile_key_id key = 0; key < KEY_COUNT; key++)
        if (!profile_value_check(p, key, s, e))
            return false;
    if (p->modules + p->utilities > PROFILE_LIBRARIES_MOST) {
        profile_wrong(s, KEY_UTILITIES, e, "with %lld modules and %lld utilities there are more than %d libraries",
                      (long long)p->modules, (long long)p->utilities, PROFILE_LIBRARIES_MOST);
        if (e) {
            e->wanted = p->modules + p->utilities;
            e->possible = PROFILE_LIBRARIES_MOST;
        }
        return false;
    }
    if (p->calls.random && p->calls.utilities_per_module != PROFILE_DERIVED)
        return profile_wrong(s, KEY_RANDOM, e, "excludes 'utilities-per-module'; remove one of them");
    if (p->names.length != PROFILE_DERIVED && p->names.pad != PROFILE_DERIVED)
        return profile_wrong(s, KEY_PAD, e, "excludes 'length'; remove one of them");
    if (p->names.style == STYLE_ITANIUM && p->names.pad != PROFILE_DERIVED)
        return profile_wrong(s, KEY_PAD, e, "goes with 'style: pynamic' only; use 'length', or remove it");
    if (p->elf.max_page_size & (p->elf.max_page_size - 1))
        return profile_wrong(s, KEY_MAX_PAGE_SIZE, e, "'%lld' is not a power of two; use one from 4096 to 2097152",
                             (long long)p->elf.max_page_size);
    if (p->elf.relro == RELRO_FULL && p->elf.bind != BIND_NOW)
        return profile_wrong(s, KEY_RELRO, e, "'full' needs 'bind: now', which is not set; add it, or use 'partial'");
    if (p->dwarf.separate == SEPARATE_BUILD_ID && !p->elf.build_id)
        return profile_wrong(
            s, KEY_SEPARATE, e,
            "'build-id' needs 'build-id' under 'elf', which is false; remove that, or use 'debuglink'");
    if (p->dwarf.index == NAME_INDEX_DEBUG_NAMES && p->dwarf.version == 4)
        return profile_wrong(s, KEY_INDEX, e, "'debug_names' needs 'version: 5', which is 4; use 'gdb_index'");
    if (p->dwarf.type_units && p->dwarf.language == LANGUAGE_CPP)
        return profile_wrong(s, KEY_TYPE_UNITS, e, "goes with 'language: c' only; remove one of them");
    if (p->dwarf.type_units && p->dwarf.index != NAME_INDEX_NONE)
        return profile_wrong(s, KEY_TYPE_UNITS, e, "excludes 'index'; remove one of them");
    if (p->dwarf.split && p->dwarf.separate != SEPARATE_NONE)
        return profile_wrong(s, KEY_SPLIT, e, "excludes 'separate'; remove one of them");
    if (p->dwarf.split && p->dwarf.index != NAME_INDEX_NONE)
        return profile_wrong(s, KEY_SPLIT, e, "excludes 'index'; remove one of them");
    if (p->dwarf.split && p->dwarf.type_units)
        return profile_wrong(s, KEY_SPLIT, e, "excludes 'type-units'; remove one of them");
    return sections_check(p, s, e) && mix_check(p, s, e);
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
    free(p->application);
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

bool profile_parse(struct profile *p, const char *text, size_t size, const char *name, struct error *e)
{
    memset(p, 0, sizeof *p);
    struct profile_source source = {.name = name};
    if (!profile_scan(text, size, &source, e))
        return false;

    struct schema schema;
    schema_init(&schema);
    cyaml_data_t *document = NULL;
    cyaml_err_t err = cyaml_load_data((const uint8_t *)text, size, &schema.config, &schema.root, &document, NULL);
    if (err != CYAML_OK)
        return schema_failed(&schema, err, name, e);
    assert(document); /* NULL is an empty mapping, and profile_scan has seen keys */

    bool ok = profile_init(p, e) && document_read(p, document, &source, e) && profile_check(p, &source, e);
    cyaml_free(&schema.config, &schema.root, document, 0);
    if (!ok) {
        profile_free(p);
        return false;
    }
    /* The same said twice; without it, profiles that mean the same differ. */
    if (p->utility_functions == p->functions)
        p->utility_functions = PROFILE_DERIVED;
    return true;
}

bool profile_text(const struct profile *p, char **text, size_t *size, struct error *e)
{
    static const struct profile_source nowhere = {.name = ""};
    *text = NULL;
    *size = 0;
    if (!profile_check(p, &nowhere, e))
        return false;

    struct mapping mappings[PROFILE_SECTION_COUNT] = {0};
    char written[KEY_COUNT][PROFILE_VALUE_TEXT];
    for (enum profile_key_id key = 0; key < KEY_COUNT; key++) {
        bool always = key == KEY_FORMAT || key == KEY_MODULES;
        bool implied = key == KEY_UTILITY_FUNCTIONS && p->utility_functions == p->functions;
        if (implied || (!always && profile_value_is_standard(p, key)))
            continue;
        enum profile_section section = profile_keys[key].section;
        char *value = profile_value_write(p, key, written[key]);
        if (!value)
            return error_set(e, ERROR_MEMORY, "no memory for the text of a profile");
        mappings[section].text[key] = value;
        for (; section != SECTION_ROOT; section = profile_sections[section].parent)
            mappings[profile_sections[section].parent].section[section] = &mappings[section];
    }

    struct schema schema;
    schema_init(&schema);
    char *yaml = NULL;
    size_t length = 0;
    cyaml_err_t err = cyaml_save_data(&yaml, &length, &schema.config, &schema.root, &mappings[SECTION_ROOT], 0);
    if (err != CYAML_OK)
        return schema_failed(&schema, err, "", e);
    /* libcyaml's text has no terminating zero and its own allocator. */
    *text = malloc(length + 1);
    if (*text) {
        memcpy(*text, yaml, length);
        (*text)[length] = '\0';
        *size = length;
    }
    cyaml_mem(NULL, yaml, 0);
    return *text ? true : error_set(e, ERROR_MEMORY, "no memory for the text of a profile");
}
