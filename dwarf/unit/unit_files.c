/* Which files a library's line tables name, and how; see unit.h.
 *
 *     .debug_line_str:  | include directory, headers' names | compilation directory, sources |
 *                        ^ of the corpus, as many as `files`  ^ the library's own
 *
 * The section of a library that follows a row has room for as many files as the row says. Where that is little, it has
 * the names of the first headers only. Where it is more, sources are called libmodule7_0003.c. Where it is far more,
 * there are further headers, of which each table lists others; what tables have no room for is the compilation
 * directory's. Where libmodule7_3.c is too long, sources are called u3.c. If even that is too much, the whole section
 * is the library's own:
 *
 *     .debug_line_str:  | compilation directory, sources, a header's name |
 *                          ^ the include directory is its end */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/words.h"
#include "dwarf/form/turns.h"
#include "dwarf/unit/unit_sizes.h"

enum { DIGITS_USUAL = 24, DIGITS_MOST = 96, DIRECTORY_LONG = 100, FURTHER = 96 /* a stream of random numbers */ };
#define BRIEF_STEM      "u"
#define BRIEF_DIRECTORY "/s"

static const char *compile_directory(const struct debug *d)
{
    return d->files.is_own ? BRIEF_DIRECTORY : COMPILE_DIRECTORY;
}

/* The end of a header's name. */
static const char *header_suffix(const struct debug *d)
{
    const struct dialect dialect = d->corpus->dialect;
    return dialect.fortran ? ".inc" : dialect.language == DWARF_CPP ? ".hpp" : ".h";
}

/* How many digits the number in the name of a unit's source has. */
static uint32_t number_length(const struct debug *d, uint32_t unit)
{
    const uint32_t least = d->files.digits + (unit < d->files.wider ? 1 : 0);
    uint32_t digits = 1;
    for (uint32_t rest = unit / 10; rest; rest /= 10)
        digits++;
    return digits > least ? digits : least;
}

static void source_name(const struct debug *d, uint32_t unit, bool has_code, char name[SOURCE_NAME_MOST])
{
    const struct dialect dialect = d->corpus->dialect;
    const char *suffix = dialect.fortran ? "f90" : dialect.language == DWARF_CPP ? "cpp" : "c";
    const int digits = (int)number_length(d, unit);
    if (d->files.brief)
        snprintf(name, SOURCE_NAME_MOST, BRIEF_STEM "%0*u.%s", digits, unit, suffix);
    else if (unit == 0)
        snprintf(name, SOURCE_NAME_MOST, "%s.%s", d->source_stem, suffix);
    else
        snprintf(name, SOURCE_NAME_MOST, "%s_%s%0*u.%s", d->source_stem, has_code ? "" : "data", digits, unit, suffix);
}

/* Characters of the name of a unit's source without its number, for units other than the first. Names are many and are
 * counted often. */
static uint32_t source_length(const struct debug *d, bool has_code)
{
    char name[SOURCE_NAME_MOST];
    const unsigned one_digit = 1;
    source_name(d, one_digit, has_code, name);
    return (uint32_t)strlen(name) - number_length(d, one_digit);
}

/* Writes `length` characters of a path below a directory, and a terminator. No component is longer than file systems
 * allow. */
static void put_path(uint64_t key, uint32_t length, char *path)
{
    enum { COMPONENT = 48 /* with the '/' before it */ };
    for (uint32_t i = 0; i < length; i += COMPONENT) {
        const uint32_t size = length - i < COMPONENT ? length - i : COMPONENT;
        path[i] = size > 1 ? '/' : 's'; /* no '/' at the end */
        words_identifier(random_at(key, i), size - 1, path + i + 1);
    }
}

/* Sources are in the order of the units, those with code first. */
void unit_name_sources(struct debug *d, uint64_t directory_extra)
{
    d->sources.size = 0;
    bytes_append(&d->sources, compile_directory(d), strlen(compile_directory(d)));
    if (directory_extra) {
        size_t at = bytes_append(&d->sources, NULL, directory_extra + 1);
        if (!d->sources.failed)
            put_path(d->variety, (uint32_t)directory_extra, (char *)d->sources.data + at);
    } else {
        bytes_u8(&d->sources, 0);
    }
    for (uint32_t i = 0; i < d->unit_count; i++) {
        char name[SOURCE_NAME_MOST];
        source_name(d, i, unit_has_code(&d->unit[i]), name);
        d->unit[i].source = (uint32_t)bytes_string(&d->sources, name);
    }
    if (d->files.is_own) {
        char name[8];
        snprintf(name, sizeof name, BRIEF_STEM "%s", header_suffix(d));
        d->files.header = (uint32_t)bytes_string(&d->sources, name);
    }
    d->files.further_at = (uint32_t)d->sources.size;
    for (uint32_t i = 0; i < d->files.further; i++) {
        char name[TURNS_LEAST + TURNS_LENGTHS + 1];
        char end[16]; /* the number, so that no name occurs twice */
        const int length = snprintf(end, sizeof end, "%u%s", i, header_suffix(d));
        const uint32_t words = turns_name(i) - 1 - (uint32_t)length;
        words_identifier(random_at(d->variety + FURTHER, i), words, name);
        strcpy(name + words, end);
        bytes_string(&d->sources, name);
    }
}

/* Bytes of the corpus's part with the names of the first `headers` headers. */
static uint64_t corpus_files(const struct corpus *c, uint32_t headers)
{
    return headers < c->headers ? c->header[headers].file : c->line_strings.size;
}

uint64_t unit_files_bytes(const struct debug *d)
{
    return d->files.is_own ? 0 : corpus_files(d->corpus, d->files.named);
}

/* Bytes of the library's own part, if the first `coded` of its `units` units have code. */
static uint64_t own_files(const struct debug *d, uint32_t units, uint32_t coded)
{
    uint64_t bytes =
        strlen(compile_directory(d)) + 1 + (d->files.is_own ? strlen(BRIEF_STEM) + strlen(header_suffix(d)) + 1 : 0);
    char first[SOURCE_NAME_MOST];
    source_name(d, 0, coded > 0, first);
    bytes += units ? strlen(first) + 1 : 0;
    const uint32_t length[] = {source_length(d, false), source_length(d, true)};
    for (uint32_t i = 1; i < units; i++)
        bytes += length[i < coded] + number_length(d, i) + 1;
    return bytes + turns_bytes(d->files.further);
}

/* Makes names of sources longer, where the compilation directory would become very long. addr2line puts it before each
 * name of a file that it meets. */
static void widen_names(struct debug *d, uint64_t wanted, uint32_t units, uint32_t coded)
{
    struct debug_files *f = &d->files;
    uint64_t size = unit_files_bytes(d) + own_files(d, units, coded);
    while (f->digits < DIGITS_MOST) {
        f->digits++;
        const uint64_t longer = unit_files_bytes(d) + own_files(d, units, coded);
        if (longer > wanted)
            break;
        size = longer;
    }
    if (f->digits == DIGITS_MOST)
        return;
    f->digits--;
    f->wider = size + DIRECTORY_LONG / 2 < wanted ? (uint32_t)(wanted - size - DIRECTORY_LONG / 2) : 0;
}

/* Names further headers that take at most `bytes` bytes, if each of `units` tables may list up to `most` of them. Each
 * is listed at least once. */
static void name_further(struct debug_files *f, uint64_t bytes, uint32_t units, uint64_t most)
{
    const uint64_t in = turns_in(bytes);
    const uint64_t room = FILES_MOST - CORPUS_FILES;
    const uint64_t listed = units * (most < room ? most : room);
    f->further = (uint32_t)(in < listed ? in : listed);
    f->further_each = (f->further + units - 1) / units;
}

/* Every unit's table names equally many headers, so that its size does not depend on which of them the unit includes.
 * Only version 5 has a header of the library's own, because its tables have no texts. */
struct line_files unit_files(const struct debug *d, uint32_t unit, uint32_t header, struct line_name source,
                             struct line_name directory, struct line_name *others)
{
    const struct corpus *c = d->corpus;
    const uint32_t named = d->files.named;
    const char *texts = (const char *)c->line_strings.data;
    if (d->files.is_own)
        return (struct line_files){.compile_directory = directory,
                                   .include_directory = {directory.at + 1, ""},
                                   .source = source,
                                   .header = {directory.at + d->files.header, ""}};
    const uint32_t file = c->header[header % named].file;
    struct line_files f = {
        .compile_directory = directory,
        .include_directory = {c->include_directory, texts + c->include_directory},
        .source = source,
        .header = {file, texts + file},
        .more = others,
    };
    for (uint32_t i = 1; i < named && i < d->files.listed; i++) {
        const uint32_t other = c->header[(header + i) % named].file;
        others[f.more_count++] = (struct line_name){other, texts + other};
    }
    for (uint32_t i = 0; i < d->files.further_each; i++) {
        const uint64_t number = (UINT64_C(1) * unit * d->files.further_each + i) % d->files.further;
        const uint32_t at = d->files.further_at + (uint32_t)turns_bytes(number);
        others[f.more_count++] = (struct line_name){directory.at + at, ""}; /* version 5 only */
    }
    return f;
}

uint64_t debug_line_header(const struct debug *d, uint32_t unit, bool has_code)
{
    struct line_name others[FILES_MOST];
    char name[SOURCE_NAME_MOST];
    source_name(d, unit, has_code, name);
    const struct line_files files =
        unit_files(d, unit, 0, (struct line_name){0, name}, (struct line_name){0, ""}, others);
    return line_header_size(d->corpus->dialect, &files);
}

/* In version 4 a unit's line table has the names of the headers themselves. Lets fewer of them have names until it
 * takes no more than `most` bytes, or names one. */
static void name_fewer(struct debug *d, uint64_t most, bool has_code)
{
    while (d->files.named > 1 && debug_line_header(d, 0, has_code) > most)
        d->files.named--;
}

/* Chooses how many files line tables list, so that .debug_line has room for rows. Returns how many more headers a table
 * has room for. */
static uint64_t choose_listed(struct debug *d, uint32_t units, bool has_code, bool few_rows)
{
    enum { LINE_PART = 5 }; /* one byte of .debug_line in so many is for files, or for rows */
    enum { FIRST_FILE = 58, MORE_FILE = 5, SUM = 16 }; /* bytes, in version 5 */
    const struct dialect dialect = d->corpus->dialect;
    const uint64_t first_file = FIRST_FILE + (dialect.clang ? 3 * SUM + 2 : 0);
    const uint64_t more_file = MORE_FILE + (dialect.clang ? SUM : 0);
    const uint64_t line = d->wanted[DEBUG_LINE];
    struct debug_files *const f = &d->files;
    if (line == DEBUG_ANY)
        return 0;
    if (dialect_is_4(dialect)) {
        name_fewer(d, (few_rows ? line - line / LINE_PART : line / LINE_PART) / units, has_code);
        return 0;
    }
    const uint64_t part = line / (dialect.clang && dialect.language == DWARF_C ? 4 * LINE_PART : LINE_PART);
    const uint64_t each = (few_rows ? line - part : part) / units;
    const uint64_t most = each > first_file ? (each - first_file) / more_file : 1;
    const uint64_t beyond = most > f->listed ? most - f->listed : 0;
    f->listed = most < 1 ? 1 : most < f->listed ? (uint32_t)most : f->listed;
    return beyond;
}

/* Chooses how files are named, and how many headers, so that the names fit into `wanted` bytes of .debug_line_str.
 * Returns the bytes of units' own names. */
static uint64_t choose_named(struct debug *d, uint32_t units, uint32_t coded, uint64_t wanted)
{
    const struct corpus *const c = d->corpus;
    struct debug_files *const f = &d->files;
    /* `least`: so many headers that .debug_str may have room for their names */
    const uint64_t names = d->wanted[DEBUG_STR] != DEBUG_ANY ? d->wanted[DEBUG_STR] : 0;
    uint64_t own = 0;
    uint32_t least = 1;
    while (least < c->made && c->header[least].name_start < names)
        least++;
    for (unsigned brief = 0; brief < (d->joined ? 2 : 3); brief++) {
        f->brief = brief > 0;
        f->is_own = brief > 1;
        own = own_files(d, units, coded);
        f->named = f->is_own ? 1 : c->headers;
        while (f->named > (brief ? 1 : least) && unit_files_bytes(d) + own > wanted)
            f->named--;
        if (unit_files_bytes(d) + own <= wanted)
            break;
    }
    return own;
}

void debug_choose_files(struct debug *d, uint32_t units, uint32_t coded, bool few_rows)
{
    const struct dialect dialect = d->corpus->dialect;
    struct debug_files *const f = &d->files;
    *f = (struct debug_files){.named = d->corpus->headers, .listed = CORPUS_FILES};
    if (dialect.lines) { /* nothing is declared in headers */
        f->listed = 1;
        f->named = dialect_is_4(dialect) ? 1 : f->named;
    }
    if (!units)
        return;
    const uint64_t beyond = choose_listed(d, units, coded > 0, few_rows);
    const uint64_t wanted = d->wanted[DEBUG_LINE_STR];
    if (wanted == DEBUG_ANY || dialect_is_4(dialect))
        return;
    uint64_t own = choose_named(d, units, coded, wanted);
    const uint64_t usual = unit_files_bytes(d) + own + DIRECTORY_LONG + UINT64_C(1) * units * DIGITS_USUAL;
    if (usual < wanted && !d->joined && !f->is_own) {
        name_further(f, wanted - unit_files_bytes(d) - own, units, beyond);
        own = own_files(d, units, coded);
    }
    if (unit_files_bytes(d) + own + DIRECTORY_LONG < wanted)
        widen_names(d, wanted, units, coded);
}
