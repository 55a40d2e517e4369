/* A pass over the YAML of a profile before libcyaml sees it.
 *
 * libcyaml 1.3 takes an empty text as success without data, ignores further documents, reports an unknown key with the
 * line of the key before it, and follows aliases. This pass walks libyaml's events, refuses all that with the right
 * line, and remembers the line of every key for errors that only show when values are converted. It also refuses a
 * captured profile that was cut off between two lines, which is valid YAML. What passes is a mapping of known keys,
 * each at most once, to scalars and to mappings of the same sort. So no hostile structure reaches libcyaml, and nothing
 * is ever deeper than the table of sections.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "emit/profile/keys.h"

struct scan {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one; zero where there is none */
    const char *text;
    size_t size;
    struct profile_source *source;
    struct error *e;
    unsigned row_section[PROFILE_SECTION_ALL - SECTION_ROW]; /* lines of the present row's sections */
    unsigned long modules, utilities, captured; /* what these keys and `captured: libraries` say; 0: no number */
};

static bool refuse(struct scan *s, size_t line, const char *text)
{
    error_set(s->e, ERROR_INPUT, "%s", text);
    return error_at(s->e, s->source->name, (unsigned)line);
}

static size_t line_of_offset(const struct scan *s, size_t offset)
{
    size_t line = 1;
    for (size_t i = 0; i < offset && i < s->size; i++)
        line += s->text[i] == '\n';
    return line;
}

static size_t line_of_event(const struct scan *s)
{
    return s->event.start_mark.line + 1;
}

/* The line of the mistake. libyaml sees some of them only later: a key without a colon on the next line, and a brace or
 * a quotation mark that is not closed at the end. */
static size_t line_of_mistake(const struct scan *s)
{
    const yaml_parser_t *p = &s->parser;
    const char *const context = p->context ? p->context : "";
    const bool is_open = strstr(context, "flow") || strstr(context, "quoted");
    const bool is_late = (is_open && p->problem_mark.line + 1 >= line_of_offset(s, s->size)) ||
                         strcmp(context, "while scanning a simple key") == 0;
    return (is_late ? p->context_mark : p->problem_mark).line + 1;
}

static bool syntax_error(struct scan *s)
{
    const yaml_parser_t *p = &s->parser;
    if (p->error == YAML_MEMORY_ERROR)
        return error_set(s->e, ERROR_MEMORY, "no memory for reading a profile");
    const char *problem = p->problem ? p->problem : "unknown problem";
    char text[256];
    if (p->error == YAML_READER_ERROR) {
        snprintf(text, sizeof text, "is not UTF-8 text (%s); is it a profile?", problem);
        return refuse(s, line_of_offset(s, p->problem_offset), text);
    }
    snprintf(text, sizeof text, "is not valid YAML: %s%s%s; correct the punctuation or the indentation here",
             p->context ? p->context : "", p->context ? ", " : "", problem);
    return refuse(s, line_of_mistake(s), text);
}

/* Takes the next event. Refuses what a profile has no use for. */
static bool advance(struct scan *s)
{
    yaml_event_delete(&s->event);
    if (!yaml_parser_parse(&s->parser, &s->event))
        return syntax_error(s);
    const yaml_char_t *anchor = NULL, *tag = NULL;
    switch (s->event.type) {
    case YAML_ALIAS_EVENT:
        anchor = s->event.data.alias.anchor;
        break;
    case YAML_SCALAR_EVENT:
        anchor = s->event.data.scalar.anchor;
        tag = s->event.data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = s->event.data.sequence_start.anchor;
        tag = s->event.data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = s->event.data.mapping_start.anchor;
        tag = s->event.data.mapping_start.tag;
        break;
    default:
        break;
    }
    if (anchor)
        return refuse(s, line_of_event(s), "anchors and aliases (& and *) are not supported; write the value out");
    if (tag)
        return refuse(s, line_of_event(s), "tags (!) are not supported; remove it, or put the text into quotes");
    return true;
}

/* The current scalar's text; NULL with the error where it has a zero inside, which only an escape can make. */
static const char *scalar_text(struct scan *s)
{
    const char *text = (const char *)s->event.data.scalar.value;
    if (strlen(text) == s->event.data.scalar.length)
        return text;
    refuse(s, line_of_event(s), "the text has a NUL character (\\0) inside; remove it");
    return NULL;
}

/* Appends a name to a list of them, as far as there is room. */
static void list_name(char *known, size_t size, const char *name)
{
    size_t used = strlen(known);
    snprintf(known + used, size - used, "%s%s", used ? ", " : "", name);
}

static bool unknown_key(struct scan *s, enum profile_section section, const char *name)
{
    char known[512] = "";
    for (size_t i = 0; i < KEY_ALL; i++)
        if (profile_keys[i].section == section)
            list_name(known, sizeof known, profile_keys[i].name);
    for (unsigned i = SECTION_ROOT + 1; i < PROFILE_SECTION_ALL; i++)
        if (profile_sections[i].parent == section && i != section)
            list_name(known, sizeof known, profile_sections[i].name);
    if (section == SECTION_ROOT)
        list_name(known, sizeof known, PROFILE_LIBRARIES);
    /* the rest of a number that was written as in 1,5 MB */
    const char *const advice = *name >= '0' && *name <= '9' ? "the decimal sign is a point, and " : "";
    char shown[PROFILE_SHOWN], path[PROFILE_PATH];
    profile_shown(name, shown);
    if (section >= SECTION_ROW)
        profile_row_wrong(s->source, s->e, "%sunknown key '%s'; %sthe keys here are %s", profile_path(section, path),
                          shown, advice, known);
    else
        error_set(s->e, ERROR_INPUT, "%sunknown key '%s'; %sthe keys here are %s", profile_path(section, path), shown,
                  advice, known);
    return error_at(s->e, s->source->name, (unsigned)line_of_event(s));
}

static bool duplicate_key(struct scan *s, enum profile_section section, const char *name, unsigned line)
{
    char text[256], path[PROFILE_PATH];
    snprintf(text, sizeof text, "%s%s: the key is already on line %u; remove one of them", profile_path(section, path),
             name, line);
    return refuse(s, line_of_event(s), text);
}

/* Keeps the numbers of libraries that the profile says it has. */
static void keep_number(struct scan *s, enum profile_key_id key, const char *text)
{
    unsigned long *const to = key == KEY_MODULES              ? &s->modules
                              : key == KEY_UTILITIES          ? &s->utilities
                              : key == KEY_CAPTURED_LIBRARIES ? &s->captured
                                                              : NULL;
    char *end;
    if (!to)
        return;
    const unsigned long number = strtoul(text, &end, 10);
    *to = *text >= '0' && *text <= '9' && !*end && number <= PROFILE_ROW_MOST ? number : 0;
}

static bool scan_value(struct scan *s, enum profile_key_id key)
{
    if (!advance(s))
        return false;
    if (s->event.type != YAML_SCALAR_EVENT)
        return profile_wrong(s->source, key, s->e, "is a list or a mapping; write a single value");
    const char *text = scalar_text(s);
    if (!text)
        return false;
    keep_number(s, key, text);
    /* The format decides what the other keys mean, so it is checked before anything is said about a key of a later
     * format. */
    return key != KEY_FORMAT || profile_value_read(NULL, key, text, s->source, s->e);
}

static bool scan_rows(struct scan *s);

/* Scans the keys and values up to the end of the mapping of `section`. */
static bool scan_mapping(struct scan *s, enum profile_section section)
{
    struct profile_source *source = s->source;
    for (;;) {
        if (!advance(s))
            return false;
        if (s->event.type == YAML_MAPPING_END_EVENT)
            return true;
        if (s->event.type != YAML_SCALAR_EVENT)
            return refuse(s, line_of_event(s), "a list or a mapping stands where a key should be; write 'key: value'");
        const char *name = scalar_text(s);
        if (!name)
            return false;

        unsigned line = (unsigned)line_of_event(s);
        size_t key = section < SECTION_ROW ? 0 : KEY_ROW;
        const size_t key_end = section < SECTION_ROW ? KEY_COUNT : KEY_ALL;
        while (key < key_end && (profile_keys[key].section != section || strcmp(profile_keys[key].name, name) != 0))
            key++;
        if (key < key_end) {
            unsigned *at = key < KEY_COUNT ? &source->key_line[key] : &source->row_key[key - KEY_COUNT];
            if (*at)
                return duplicate_key(s, section, profile_keys[key].name, *at);
            *at = line;
            if (!scan_value(s, (enum profile_key_id)key))
                return false;
            continue;
        }

        if (section == SECTION_ROOT && strcmp(name, PROFILE_LIBRARIES) == 0) {
            if (source->rows_line)
                return duplicate_key(s, section, name, source->rows_line);
            source->rows_line = line;
            if (!scan_rows(s))
                return false;
            continue;
        }
        size_t inner = section < SECTION_ROW ? SECTION_ROOT + 1 : SECTION_ROW + 1;
        const size_t inner_end = section < SECTION_ROW ? PROFILE_SECTION_COUNT : PROFILE_SECTION_ALL;
        while (inner < inner_end &&
               (profile_sections[inner].parent != section || strcmp(profile_sections[inner].name, name) != 0))
            inner++;
        if (inner == inner_end)
            return unknown_key(s, section, name);
        unsigned *at = inner < SECTION_ROW ? &source->section_line[inner] : &s->row_section[inner - SECTION_ROW];
        if (*at)
            return duplicate_key(s, section, name, *at);
        *at = line;
        if (!advance(s))
            return false;
        if (s->event.type != YAML_MAPPING_START_EVENT) {
            char text[192], path[PROFILE_PATH];
            snprintf(text, sizeof text, "%sneeds keys and values below it, or in braces: %s: {key: value}",
                     profile_path((enum profile_section)inner, path), profile_sections[inner].name);
            return refuse(s, line, text);
        }
        if (!scan_mapping(s, (enum profile_section)inner))
            return false;
    }
}

/* Adds a row that begins at `line`. */
static bool add_row(struct scan *s, unsigned line)
{
    struct profile_source *source = s->source;
    if (source->rows == PROFILE_ROWS_MOST) {
        char text[96];
        snprintf(text, sizeof text, PROFILE_LIBRARIES ": there are more than %d rows; use fewer", PROFILE_ROWS_MOST);
        return refuse(s, line, text);
    }
    if ((source->rows & (source->rows - 1)) == 0) {
        unsigned *more = realloc(source->row_line, (source->rows ? 2 * (size_t)source->rows : 1) * sizeof *more);
        if (!more)
            return error_set(s->e, ERROR_MEMORY, "no memory for reading a profile");
        source->row_line = more;
    }
    source->row = source->rows;
    source->row_line[source->rows++] = line;
    memset(source->row_key, 0, sizeof source->row_key);
    memset(s->row_section, 0, sizeof s->row_section);
    return true;
}

/* Scans the list of libraries, whose items are mappings. */
static bool scan_rows(struct scan *s)
{
    static const char not_rows[] = PROFILE_LIBRARIES ": needs one row for each library, as in '- {kind: module}'";
    if (!advance(s))
        return false;
    if (s->captured && s->event.type == YAML_SCALAR_EVENT && s->event.data.scalar.length == 0)
        return true; /* cut off here, which has_its_rows says */
    if (s->event.type != YAML_SEQUENCE_START_EVENT)
        return refuse(s, line_of_event(s), not_rows);
    for (;;) {
        if (!advance(s))
            return false;
        if (s->event.type == YAML_SEQUENCE_END_EVENT)
            break;
        if (s->event.type != YAML_MAPPING_START_EVENT)
            return refuse(s, line_of_event(s), not_rows);
        if (!add_row(s, (unsigned)line_of_event(s)) || !scan_mapping(s, SECTION_ROW))
            return false;
        if (!s->source->row_key[KEY_ROW + ROW_KIND - KEY_COUNT])
            return profile_wrong(s->source, (enum profile_key_id)(KEY_ROW + ROW_KIND), s->e,
                                 "is missing; a row is of 'kind: module' or 'kind: utility'");
    }
    return s->source->rows || refuse(s, s->source->rows_line, not_rows);
}

/* Refuses a captured profile that has lost rows. pyelfprof writes as many as `captured: libraries` says, and says so
 * once more by `modules` and `utilities`. Who takes rows out by hand has to correct or remove these two, and may leave
 * `captured` as it is. */
static bool has_its_rows(struct scan *s)
{
    const unsigned rows = s->source->rows;
    if (s->captured <= rows || (rows && s->modules + s->utilities != s->captured))
        return true;
    char has[16] = "none";
    if (rows)
        snprintf(has, sizeof has, "%u", rows);
    return profile_wrong(s->source, KEY_CAPTURED_LIBRARIES, s->e,
                         "says that the profile has %lu row%s of libraries, and it has %s; it seems cut off: copy it "
                         "again, or capture again",
                         s->captured, s->captured == 1 ? "" : "s", has);
}

static const char empty[] = "the profile is empty; it needs pyelfgen-profile, modules, and sections or functions";

static bool scan_stream(struct scan *s)
{
    if (!advance(s)) /* stream start */
        return false;
    if (s->event.data.stream_start.encoding != YAML_UTF8_ENCODING)
        return refuse(s, 1, "is UTF-16 text; save it as UTF-8");
    if (!advance(s)) /* document start */
        return false;
    if (s->event.type == YAML_STREAM_END_EVENT)
        return refuse(s, 0, empty);
    if (!advance(s))
        return false;
    if (s->event.type == YAML_SCALAR_EVENT && s->event.data.scalar.length == 0)
        return refuse(s, 0, empty);
    if (s->event.type != YAML_MAPPING_START_EVENT)
        return refuse(s, line_of_event(s), "the profile is not a mapping; write 'key: value', as in 'modules: 280'");
    if (!scan_mapping(s, SECTION_ROOT) || !advance(s) /* document end */ || !advance(s))
        return false;
    if (s->event.type != YAML_STREAM_END_EVENT)
        return refuse(s, line_of_event(s), "a second document begins here; a profile is one document");

    if (!s->source->key_line[KEY_FORMAT])
        return profile_wrong(s->source, KEY_FORMAT, s->e, "is missing; add the line 'pyelfgen-profile: 1'");
    if (!has_its_rows(s))
        return false;
    if (!s->source->key_line[KEY_MODULES] && !s->source->rows)
        return profile_wrong(s->source, KEY_MODULES, s->e, "is missing; add their number, as in 'modules: 280'");
    return true;
}

/* Whether a line may begin at `offset`, where YAML 1.1 would take a '%' for a directive. libyaml compares every %TAG
 * with all those before it, so a megabyte of them would take seconds. */
static bool begins_line(const char *text, size_t offset)
{
    /* line breaks, and the byte order mark */
    static const char *const before[] = {"\n", "\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xef\xbb\xbf"};
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        size_t length = strlen(before[i]);
        if (offset >= length && memcmp(text + offset - length, before[i], length) == 0)
            return true;
    }
    return offset == 0;
}

bool profile_scan(const char *text, size_t size, struct profile_source *source, struct error *e)
{
    struct scan s = {.text = text, .size = size, .source = source, .e = e};
    if (size > PROFILE_BYTES_MOST)
        return refuse(&s, 0, "is larger than 64 MiB, the most that a profile may be");
    if (size == 0)
        return refuse(&s, 0, empty);
    const char *zero = memchr(text, '\0', size);
    if (zero)
        return refuse(&s, line_of_offset(&s, (size_t)(zero - text)),
                      "is not text: it has a NUL byte on this line; a profile is UTF-8 text");
    for (const char *c = text; (c = memchr(c, '%', size - (size_t)(c - text))); c++)
        if (begins_line(text, (size_t)(c - text)))
            return refuse(&s, line_of_offset(&s, (size_t)(c - text)),
                          "YAML directives (% at the start of a line) are not supported; remove it");
    if (!yaml_parser_initialize(&s.parser))
        return error_set(e, ERROR_MEMORY, "no memory for reading a profile");
    yaml_parser_set_input_string(&s.parser, (const unsigned char *)text, size);
    bool ok = scan_stream(&s);
    yaml_event_delete(&s.event);
    yaml_parser_delete(&s.parser);
    return ok;
}
