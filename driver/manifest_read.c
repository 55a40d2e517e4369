/* Reading and checking manifest.json; see manifest_read.h.
 *
 * json-c builds the tree, `struct reader` takes typed values out of one of its
 * objects. The first thing that is wrong sticks, so that a row is taken in
 * straight lines and checked once.
 */
#include "driver/manifest_read.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json.h>

#define MANIFEST_KEY  "pyelfgen-manifest"
#define MANIFEST_FILE "manifest.json"

/* The format has four levels; deeper nesting may only be in keys that a later
 * version adds. */
enum { DEPTH_MOST = 16 };

static_assert(MANIFEST_BYTES_MOST < INT_MAX, "json-c counts bytes in an int");

struct reader {
    struct json_object *object;
    const char *where; /* "libmodule3.so: ", or "" for the top of the manifest */
    struct arena *arena;
    struct error *e;
    bool failed;
};

static bool reader_fail(struct reader *r, const char *key, const char *wrong)
{
    if (!r->failed)
        error_set(r->e, ERROR_INPUT, "%s'%s' %s; generate the set again", r->where, key, wrong);
    r->failed = true;
    return false;
}

static bool reader_memory(struct reader *r)
{
    if (!r->failed)
        error_set(r->e, ERROR_MEMORY, "there is no memory left for the manifest");
    r->failed = true;
    return false;
}

static struct json_object *take(struct reader *r, const char *key, enum json_type type, const char *wrong)
{
    struct json_object *value;
    if (r->failed)
        return NULL;
    if (!json_object_object_get_ex(r->object, key, &value)) {
        reader_fail(r, key, "is missing");
        return NULL;
    }
    if (!json_object_is_type(value, type)) {
        reader_fail(r, key, wrong);
        return NULL;
    }
    return value;
}

/* json-c keeps a number above INT64_MAX as an unsigned one. One above
 * UINT64_MAX it refuses or, before release 0.17, reads as UINT64_MAX: too
 * large for all but a result, which then fails the comparison. */
static uint64_t take_number(struct reader *r, const char *key, uint64_t most)
{
    struct json_object *value = take(r, key, json_type_int, "is not a whole number");
    if (!value)
        return 0;
    if (json_object_get_int64(value) < 0) {
        reader_fail(r, key, "is negative");
        return 0;
    }
    uint64_t number = json_object_get_uint64(value);
    if (number > most) {
        reader_fail(r, key, "is too large");
        return 0;
    }
    return number;
}

/* C0, DEL and, in UTF-8, C1: nothing that a terminal would obey. */
static bool has_control(const char *s, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c < 0x20 || c == 0x7f)
            return true;
        if (c == 0xc2 && i + 1 < length && (unsigned char)s[i + 1] < 0xa0)
            return true;
    }
    return false;
}

/* A copy in the arena, without control characters (so also without zeros). */
static const char *take_text(struct reader *r, const char *key, size_t most)
{
    struct json_object *value = take(r, key, json_type_string, "is not a text");
    if (!value)
        return NULL;
    const char *text = json_object_get_string(value);
    size_t length = (size_t)json_object_get_string_len(value);
    if (length > most || has_control(text, length)) {
        reader_fail(r, key, length > most ? "is too long" : "has control characters");
        return NULL;
    }
    char *copy = arena_take(r->arena, length + 1);
    if (!copy) {
        reader_memory(r);
        return NULL;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static bool take_kind(struct reader *r, enum manifest_kind *kind)
{
    static const char *const names[] = {
        [MANIFEST_MODULE] = "module", [MANIFEST_UTILITY] = "utility", [MANIFEST_MARKER] = "marker"};
    const char *text = take_text(r, "kind", MANIFEST_TEXT_MOST);
    for (size_t i = 0; text && i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) {
            *kind = (enum manifest_kind)i;
            return true;
        }
    }
    return reader_fail(r, "kind", "is none of module, utility and marker");
}

/* The name becomes a path in the set and, without ".so", what Python imports
 * and the beginning of symbols: a dot in it would make it a package. */
static bool take_name(struct reader *r, struct manifest_library *l)
{
    l->name = take_text(r, "name", MANIFEST_NAME_MOST);
    if (!l->name)
        return false;
    size_t length = strlen(l->name);
    if (length < 4 || strcmp(l->name + length - 3, ".so") != 0)
        return reader_fail(r, "name", "does not end in .so");
    if (strchr(l->name, '/'))
        return reader_fail(r, "name", "has a '/'");
    char *stem = arena_take(r->arena, length - 2);
    if (!stem)
        return reader_memory(r);
    memcpy(stem, l->name, length - 3);
    stem[length - 3] = '\0';
    l->stem = stem;
    return true;
}

static bool is_identifier(const char *s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *s && !(*s >= '0' && *s <= '9') && s[strspn(s, letters)] == '\0';
}

/* A marker has no functions of its own, so it may leave the counts out. */
static void take_counts(struct reader *r, struct manifest_library *l)
{
    if (l->kind == MANIFEST_MARKER && !json_object_object_get_ex(r->object, "marks", NULL))
        return;
    l->functions = take_number(r, "functions", MANIFEST_FUNCTIONS_MOST);
    l->visited = take_number(r, "visited", l->functions);
    l->marks = take_number(r, "marks", MANIFEST_FUNCTIONS_MOST + 2);
    l->marked = take_number(r, "marked", l->marks);
    if (!r->failed && l->marks < l->functions)
        reader_fail(r, "marks", "is less than 'functions'");
    if (!r->failed && l->marked < l->visited)
        reader_fail(r, "marked", "is less than 'visited'");
}

static bool parse_library(struct reader *r, struct manifest_library *l)
{
    if (!json_object_is_type(r->object, json_type_object))
        return reader_fail(r, "libraries", "has a row that is not an object");
    if (!take_name(r, l))
        return false;
    char where[MANIFEST_NAME_MOST + 3];
    snprintf(where, sizeof where, "%s: ", l->name);
    r->where = where;
    if (take_kind(r, &l->kind)) {
        take_counts(r, l);
        if (l->kind != MANIFEST_UTILITY) {
            l->entry = take_text(r, "entry", MANIFEST_NAME_MOST);
            l->result = take_number(r, "result", UINT64_MAX);
            if (l->entry && !is_identifier(l->entry))
                reader_fail(r, "entry", "is not a name of a function");
            if (strchr(l->stem, '.'))
                reader_fail(r, "name", "has a dot before .so, which a module's name cannot have");
        }
    }
    r->where = "";
    return !r->failed;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A name that comes twice would be loaded once and counted twice. */
static bool check_unique(const struct manifest *m, struct error *e)
{
    const char **names = calloc(m->count, sizeof *names);
    if (!names)
        return error_set(e, ERROR_MEMORY, "there is no memory left for the manifest");
    for (size_t i = 0; i < m->count; i++)
        names[i] = m->libraries[i].name;
    qsort(names, m->count, sizeof *names, compare_names);
    bool well = true;
    for (size_t i = 1; i < m->count && well; i++) {
        if (strcmp(names[i - 1], names[i]) == 0)
            well = error_set(e, ERROR_INPUT, "%s is listed twice; generate the set again", names[i]);
    }
    free(names);
    return well;
}

/* The order that struct manifest promises, and the counts at the top. */
static bool check_order(const struct manifest *m, struct error *e)
{
    uint64_t functions = 0;
    for (size_t i = 0; i < m->count; i++) {
        enum manifest_kind kind = i == 0 || i == m->imported - 1 ? MANIFEST_MARKER
                                  : i < m->imported              ? MANIFEST_MODULE
                                                                 : MANIFEST_UTILITY;
        if (m->libraries[i].kind != kind)
            return error_set(e, ERROR_INPUT,
                             "%s is out of order: libmodulebegin, the modules, libmodulefinal and the utilities "
                             "are expected in turn; generate the set again",
                             m->libraries[i].name);
        functions += m->libraries[i].functions;
    }
    if (functions != m->functions)
        return error_set(e, ERROR_INPUT,
                         "'functions' is %" PRIu64 ", but the libraries have %" PRIu64 "; generate the set again",
                         m->functions, functions);
    return true;
}

static bool parse_libraries(struct manifest *m, struct reader *top, struct json_object *rows)
{
    m->imported = m->modules + 2;
    m->count = json_object_array_length(rows);
    if (m->count != m->imported + m->utilities)
        return error_set(top->e, ERROR_INPUT,
                         "%zu libraries are listed where %zu modules, %zu utilities and 2 markers are announced; "
                         "generate the set again",
                         m->count, m->modules, m->utilities);
    m->libraries = arena_zeroed(&m->arena, m->count, sizeof *m->libraries);
    if (!m->libraries)
        return reader_memory(top);
    for (size_t i = 0; i < m->count; i++) {
        char where[64];
        snprintf(where, sizeof where, "row %zu of 'libraries': ", i + 1);
        struct reader r = {json_object_array_get_idx(rows, i), where, &m->arena, top->e, false};
        if (!parse_library(&r, &m->libraries[i]))
            return false;
    }
    return check_order(m, top->e) && check_unique(m, top->e);
}

static bool parse_top(struct manifest *m, struct json_object *root, struct error *e)
{
    struct reader r = {root, "", &m->arena, e, false};
    if (!json_object_is_type(root, json_type_object) || !json_object_object_get_ex(root, MANIFEST_KEY, NULL))
        return error_set(e, ERROR_INPUT,
                         "is not a manifest of pyelfgen: there is no key '" MANIFEST_KEY "'; generate the set again");
    uint64_t version = take_number(&r, MANIFEST_KEY, UINT64_MAX);
    if (r.failed)
        return false;
    if (version != MANIFEST_VERSION)
        return error_set(e, ERROR_INPUT,
                         "the manifest has version %" PRIu64 ", this program reads %d; use the pyelfrun that came "
                         "with the pyelfgen that wrote it",
                         version, MANIFEST_VERSION);
    m->version = take_text(&r, "version", MANIFEST_TEXT_MOST);
    m->application = take_text(&r, "application", MANIFEST_TEXT_MOST);
    m->modules = (size_t)take_number(&r, "modules", MANIFEST_LIBRARIES_MOST);
    m->utilities = (size_t)take_number(&r, "utilities", MANIFEST_LIBRARIES_MOST);
    m->functions = take_number(&r, "functions", UINT64_MAX);
    struct json_object *rows = take(&r, "libraries", json_type_array, "is not a list");
    return rows && parse_libraries(m, &r, rows);
}

static unsigned line_at(const char *text, size_t offset)
{
    unsigned line = 1;
    for (size_t i = 0; i < offset; i++)
        line += text[i] == '\n';
    return line;
}

static bool only_space(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!strchr(" \t\r\n", text[i]) || !text[i])
            return false;
    }
    return true;
}

/* *root is NULL for the JSON text "null" too. */
static bool parse_json(const char *text, size_t size, struct json_object **root, struct error *e)
{
    *root = NULL;
    struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MOST);
    if (!tokener)
        return error_set(e, ERROR_MEMORY, "there is no memory left for the manifest");
    json_tokener_set_flags(tokener,
                           JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8 | JSON_TOKENER_ALLOW_TRAILING_CHARS);
    *root = json_tokener_parse_ex(tokener, text, (int)size);
    enum json_tokener_error reason = json_tokener_get_error(tokener);
    size_t end = json_tokener_get_parse_end(tokener);
    json_tokener_free(tokener);
    if (reason == json_tokener_success && only_space(text + end, size - end))
        return true;
    json_object_put(*root);
    if (reason == json_tokener_continue)
        error_set(e, ERROR_INPUT, "ends in the middle: the set is incomplete; generate it again");
    else if (reason == json_tokener_success)
        error_set(e, ERROR_INPUT, "has something after its end; generate the set again");
    else
        error_set(e, ERROR_INPUT, "is not JSON: %s; generate the set again", json_tokener_error_desc(reason));
    if (e)
        e->line = line_at(text, end);
    return false;
}

bool manifest_parse(struct manifest *m, const char *text, size_t size, struct error *e)
{
    *m = (struct manifest){0};
    if (size > MANIFEST_BYTES_MOST)
        return error_set(e, ERROR_INPUT, "is larger than %d MB, which no manifest is; generate the set again",
                         MANIFEST_BYTES_MOST >> 20);
    struct json_object *root;
    if (!parse_json(text, size, &root, e))
        return false;
    bool well = parse_top(m, root, e);
    json_object_put(root);
    if (!well)
        manifest_free(m);
    return well;
}

/* Everything in the file, which must be a regular one: a pipe named
 * manifest.json would block for ever. The text is the caller's to free. */
static char *read_whole(const char *path, size_t *size, struct error *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        error_errno(e, path, "cannot be opened");
        return NULL;
    }
    char *text = NULL;
    struct stat st;
    if (fstat(fd, &st) != 0) {
        error_errno(e, path, "cannot be examined");
    } else if (!S_ISREG(st.st_mode) || st.st_size > MANIFEST_BYTES_MOST) {
        error_set(e, ERROR_INPUT, "is not a file of at most %d MB, as a manifest is; generate the set again",
                  MANIFEST_BYTES_MOST >> 20);
        error_at(e, path, 0);
    } else if (!(text = malloc((size_t)st.st_size + 1))) {
        error_set(e, ERROR_MEMORY, "there is no memory left for the manifest");
    } else {
        size_t have = 0;
        ssize_t n = 0;
        while (have < (size_t)st.st_size) {
            n = read(fd, text + have, (size_t)st.st_size - have);
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                break;
            have += (size_t)n;
        }
        *size = have;
        if (n < 0) {
            error_errno(e, path, "cannot be read");
            free(text);
            text = NULL;
        }
    }
    close(fd);
    return text;
}

bool manifest_read(struct manifest *m, const char *directory, struct error *e)
{
    char path[PATH_MAX];
    struct stat st;
    *m = (struct manifest){0};
    if (stat(directory, &st) != 0)
        return error_errno(e, directory, "cannot be opened");
    if ((size_t)snprintf(path, sizeof path, "%s/" MANIFEST_FILE, directory) >= sizeof path) {
        error_set(e, ERROR_INPUT, "the path of the set is too long");
        return error_at(e, directory, 0);
    }
    if (!S_ISDIR(st.st_mode) || (access(path, F_OK) != 0 && errno == ENOENT)) {
        error_set(e, ERROR_INPUT,
                  "is not a set or an incomplete one: it has no " MANIFEST_FILE "; generate it with "
                  "pyelfgen --profile PROFILE -o SET");
        return error_at(e, directory, 0);
    }
    size_t size = 0;
    char *text = read_whole(path, &size, e);
    if (!text)
        return false;
    struct error inner = {0};
    bool well = manifest_parse(m, text, size, &inner);
    free(text);
    if (!well && e) {
        *e = inner;
        error_at(e, path, inner.line);
    }
    return well;
}

void manifest_free(struct manifest *m)
{
    if (!m)
        return;
    arena_free(&m->arena);
    *m = (struct manifest){0};
}
