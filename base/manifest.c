/* Reads and checks manifest.json; see manifest.h.
 *
 * manifest_text.c yields one json-c object for each library or executable, and one for each other value.
 * manifest_reader.c takes typed values out of such an object. manifest_row.c takes a whole library or executable.
 */
#include "base/manifest.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/manifest_reader.h"
#include "base/manifest_row.h"
#include "base/manifest_text.h"
#include "base/order.h"

/* The most bytes that all libraries together may want or have, of each size. */
#define ALL_SIZE_MOST (UINT64_C(1) << 60)

enum { ROWS_MOST = MANIFEST_LIBRARIES_MOST + 2 };

static_assert(ROWS_MOST <= ALL_SIZE_MOST / MANIFEST_SIZE_MOST, "all sizes of all libraries fit");
static_assert(ALL_SIZE_MOST <= UINT64_MAX / 2 / MANIFEST_SIZES, "their sums fit");

/* A manifest that is being read. The members of the outermost object may come in any order. Those that are needed
 * together are kept in `top` until its end. */
struct parse {
    struct manifest *m;
    struct manifest_text text;
    struct json_object *top;
    size_t capacity;     /* of m->libraries */
    bool listed, linked; /* 'libraries', 'executables' have been seen */
    struct error *e;
};

static bool no_memory(struct error *e)
{
    return error_set(e, ERROR_MEMORY, "there is no memory left for the manifest");
}

/* ---- the lists ---- */

/* Adds a zeroed library; NULL with the error set. */
static struct manifest_library *add_library(struct parse *p)
{
    struct manifest *m = p->m;
    if (m->count == ROWS_MOST) {
        error_set(p->e, ERROR_INPUT,
                  "'libraries' has more than the %d rows that a set can have; generate the set again", ROWS_MOST);
        return NULL;
    }
    if (m->count == p->capacity) {
        size_t capacity = p->capacity ? 2 * p->capacity : 64;
        struct manifest_library *grown = realloc(m->libraries, capacity * sizeof *grown);
        if (!grown) {
            no_memory(p->e);
            return NULL;
        }
        m->libraries = grown;
        p->capacity = capacity;
    }
    struct manifest_library *l = &m->libraries[m->count++];
    *l = (struct manifest_library){0};
    return l;
}

typedef bool parse_function(struct parse *p, struct manifest_reader *r);

static bool parse_library(struct parse *p, struct manifest_reader *r)
{
    struct manifest_library *l = add_library(p);
    char where[64];
    snprintf(where, sizeof where, "row %zu of 'libraries': ", p->m->count);
    r->where = where;
    return l && manifest_take_library(r, l);
}

/* Takes one executable. A set has at most one of each kind. */
static bool parse_executable(struct parse *p, struct manifest_reader *r)
{
    struct manifest *m = p->m;
    char where[64];
    snprintf(where, sizeof where, "row %zu of 'executables': ", m->executable_count + 1);
    r->where = where;
    if (m->executable_count == MANIFEST_EXECUTABLE_KINDS)
        return error_set(p->e, ERROR_INPUT,
                         "'executables' has more than the %d rows that a set can have; generate the set again",
                         MANIFEST_EXECUTABLE_KINDS);
    struct manifest_executable *x = &m->executables[m->executable_count];
    if (!manifest_take_executable(r, x))
        return false;
    if (manifest_executable(m, x->kind))
        return error_set(p->e, ERROR_INPUT, "%s is listed twice; generate the set again", x->name);
    m->executable_count++;
    return true;
}

static bool parse_row(struct parse *p, parse_function *parse)
{
    struct json_object *row;
    if (!manifest_text_value(&p->text, &row))
        return false;
    struct manifest_reader r = {row, "", &p->m->arena, p->e, false};
    bool well = parse(p, &r);
    json_object_put(row);
    if (!well && p->e)
        p->e->line = p->text.previous;
    return well;
}

static bool parse_list(struct parse *p, const char *key, bool *seen, parse_function *parse)
{
    if (*seen)
        return error_set(p->e, ERROR_INPUT, "'%s' stands there twice; generate the set again", key);
    *seen = true;
    char first = manifest_text_peek(&p->text);
    if (p->text.failed)
        return false;
    if (first != '[')
        return error_set(p->e, ERROR_INPUT, "'%s' is not a list; generate the set again", key);
    manifest_text_take(&p->text, '[');
    if (manifest_text_peek(&p->text) == ']')
        return manifest_text_take(&p->text, ']');
    do {
        if (!parse_row(p, parse))
            return false;
    } while (manifest_text_more(&p->text, ']'));
    return !p->text.failed;
}

const struct manifest_executable *manifest_executable(const struct manifest *m, enum manifest_executable_kind kind)
{
    for (size_t i = 0; i < m->executable_count; i++)
        if (m->executables[i].kind == kind)
            return &m->executables[i];
    return NULL;
}

const char **manifest_names(const struct manifest *m)
{
    const char **names = calloc(m->count, sizeof *names);
    if (!names)
        return NULL;
    for (size_t i = 0; i < m->count; i++)
        names[i] = m->libraries[i].name;
    qsort(names, m->count, sizeof *names, order_text);
    return names;
}

bool manifest_lists(const char *const *names, size_t count, const char *name)
{
    return bsearch(&name, names, count, sizeof *names, order_text) != NULL;
}

/* Two libraries of one name would be loaded once and counted twice. */
static bool check_unique(const struct manifest *m, struct error *e)
{
    const char **names = manifest_names(m);
    if (!names)
        return no_memory(e);
    bool well = true;
    for (size_t i = 1; i < m->count && well; i++) {
        if (strcmp(names[i - 1], names[i]) == 0)
            well = error_set(e, ERROR_INPUT, "%s is listed twice; generate the set again", names[i]);
    }
    free(names);
    return well;
}

/* Checks the order that struct manifest promises, and the counts at the top. */
static bool check_order(struct manifest *m, struct error *e)
{
    m->imported = m->modules + 2;
    if (m->count != m->imported + m->utilities)
        return error_set(e, ERROR_INPUT,
                         "%zu libraries are listed where %zu modules, %zu utilities and 2 markers are announced; "
                         "generate the set again",
                         m->count, m->modules, m->utilities);
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

/* Checks that all libraries are files, or that none is and there is an executable that contains them. */
static bool check_files(struct manifest *m, struct error *e)
{
    m->joined = !m->libraries[0].file.name;
    for (size_t i = 0; i < m->count; i++)
        if (!m->libraries[i].file.name != m->joined)
            return error_set(e, ERROR_INPUT,
                             "%s is no file, and others are: 'file' and 'xxh3-128' are missing; generate the set again",
                             m->libraries[m->joined ? 0 : i].name);
    if (m->joined && !manifest_executable(m, MANIFEST_STATIC))
        return error_set(
            e, ERROR_INPUT,
            "%s: 'file' and 'xxh3-128' are missing, and there is no executable that has it in it; generate "
            "the set again",
            m->libraries[0].name);
    return true;
}

static bool check_sums(const struct manifest *m, struct error *e)
{
    for (size_t kind = 0; kind < MANIFEST_SIZES; kind++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < m->count; i++)
            sum += m->libraries[i].kind == MANIFEST_MARKER ? 0 : m->libraries[i].size[kind];
        if (m->actual.known[kind] && m->actual.of[kind] != sum)
            return error_set(e, ERROR_INPUT,
                             "actual: '%s' is %" PRIu64 ", but the libraries have %" PRIu64 "; generate the set again",
                             manifest_size_names[kind], m->actual.of[kind], sum);
    }
    return true;
}

/* ---- the rest ---- */

/* Takes the sizes that are there. The first `required` ones have to be. A size that is null, or missing, is not known.
 */
static void take_sizes(struct manifest_reader *top, struct json_object *object, const char *where, size_t required,
                       struct manifest_sizes *sizes)
{
    struct manifest_reader r = {object, where, top->arena, top->e, top->failed};
    for (size_t i = 0; i < MANIFEST_SIZES; i++) {
        struct json_object *value = NULL;
        json_object_object_get_ex(object, manifest_size_names[i], &value);
        sizes->known[i] = value || i < required;
        if (sizes->known[i])
            sizes->of[i] = manifest_reader_number(&r, manifest_size_names[i], ALL_SIZE_MOST);
    }
    top->failed = r.failed;
}

static bool parse_top(struct manifest *m, struct json_object *top, struct error *e)
{
    struct manifest_reader r = {top, "", &m->arena, e, false};
    struct json_object *object = NULL;
    m->version = manifest_reader_keep(&r, "version", MANIFEST_TEXT_MOST);
    m->application = manifest_reader_keep(&r, "application", MANIFEST_TEXT_MOST);
    m->profile = "";
    if (json_object_object_get_ex(top, "profile", &object))
        m->profile = manifest_reader_keep(&r, "profile", MANIFEST_TEXT_MOST);
    m->modules = (size_t)manifest_reader_number(&r, "modules", MANIFEST_LIBRARIES_MOST);
    m->utilities = (size_t)manifest_reader_number(&r, "utilities", MANIFEST_LIBRARIES_MOST);
    m->functions = manifest_reader_number(&r, "functions", UINT64_MAX);
    if (json_object_object_get_ex(top, "wanted", &object) && object) {
        object = manifest_reader_take(&r, "wanted", json_type_object, "is neither null nor an object");
        take_sizes(&r, object, "wanted: ", 0, &m->wanted);
    }
    object = manifest_reader_take(&r, "actual", json_type_object, "is not an object");
    take_sizes(&r, object, "actual: ", MANIFEST_BSS, &m->actual);
    return !r.failed;
}

static bool check_version(struct json_object *top, struct error *e)
{
    struct manifest_reader r = {top, "", NULL, e, false};
    uint64_t version = manifest_reader_number(&r, MANIFEST_KEY, UINT64_MAX);
    if (!r.failed && version != MANIFEST_VERSION)
        return error_set(e, ERROR_INPUT,
                         "the manifest has version %" PRIu64 ", this program reads %d; use the programs that came "
                         "with the pyelfgen that wrote it",
                         version, MANIFEST_VERSION);
    return !r.failed;
}

/* Takes one member of the outermost object. A member with an unknown key is not kept: a later release may add some, and
 * they may be large. */
static bool parse_member(struct parse *p)
{
    static const char *const kept[] = {MANIFEST_KEY, "version", "application", "profile",  "wanted",
                                       "actual",     "modules", "utilities",   "functions"};
    struct json_object *key = NULL;
    struct json_object *value = NULL;
    if (manifest_text_peek(&p->text) != '"')
        return manifest_text_take(&p->text, '"');
    bool well = manifest_text_value(&p->text, &key) && manifest_text_take(&p->text, ':');
    const char *name = well ? json_object_get_string(key) : "";
    if (well && strcmp(name, "libraries") == 0) {
        well = parse_list(p, "libraries", &p->listed, parse_library);
    } else if (well && strcmp(name, "executables") == 0) {
        well = parse_list(p, "executables", &p->linked, parse_executable);
    } else if (well && (well = manifest_text_value(&p->text, &value))) {
        for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
            if (strcmp(name, kept[i]) == 0 && json_object_object_add(p->top, name, json_object_get(value)) != 0)
                well = no_memory(p->e);
        }
        if (well && strcmp(name, MANIFEST_KEY) == 0)
            well = check_version(p->top, p->e);
    }
    json_object_put(value);
    json_object_put(key);
    return well;
}

static bool parse_members(struct parse *p)
{
    if (manifest_text_peek(&p->text) == '{') {
        manifest_text_take(&p->text, '{');
        if (manifest_text_peek(&p->text) == '}') {
            manifest_text_take(&p->text, '}');
        } else {
            do {
                if (!parse_member(p))
                    return false;
            } while (manifest_text_more(&p->text, '}'));
        }
        manifest_text_finish(&p->text);
    }
    if (p->text.failed)
        return false;
    if (!json_object_object_get_ex(p->top, MANIFEST_KEY, NULL))
        return error_set(p->e, ERROR_INPUT,
                         "is not a manifest of pyelfgen: there is no key '" MANIFEST_KEY "'; generate the set again");
    if (!p->listed)
        return error_set(p->e, ERROR_INPUT, "'libraries' is missing; generate the set again");
    return true;
}

static bool parse(struct manifest *m, int fd, const char *text, size_t size, struct error *e)
{
    struct parse p = {.m = m, .e = e};
    *m = (struct manifest){0};
    bool well = manifest_text_start(&p.text, fd, text, size, e);
    if (well && !(p.top = json_object_new_object()))
        well = no_memory(e);
    well = well && parse_members(&p) && parse_top(m, p.top, e);
    manifest_text_free(&p.text);
    json_object_put(p.top);
    well = well && check_order(m, e) && check_files(m, e) && check_sums(m, e) && check_unique(m, e);
    if (!well)
        manifest_free(m);
    return well;
}

bool manifest_parse(struct manifest *m, const char *text, size_t size, struct error *e)
{
    return parse(m, -1, text, size, e);
}

static bool parse_file(struct manifest *m, int fd, const char *path, struct error *e)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return error_errno(e, path, "cannot be examined");
    if (!S_ISREG(st.st_mode)) {
        error_set(e, ERROR_INPUT, "is not a regular file; generate the set again");
        return error_at(e, path, 0);
    }
    if (st.st_size > MANIFEST_BYTES_MOST) {
        error_set(e, ERROR_INPUT, "is longer than %d MB, which no manifest is; generate the set again",
                  MANIFEST_BYTES_MOST >> 20);
        return error_at(e, path, 0);
    }
    return parse(m, fd, NULL, 0, e) || error_at(e, path, e->line);
}

bool manifest_read(struct manifest *m, const char *directory, bool *absent, struct error *e)
{
    struct error unwanted = {0};
    bool untold;
    e = e ? e : &unwanted;
    absent = absent ? absent : &untold;
    *m = (struct manifest){0};
    *absent = false;
    char path[sizeof e->file];
    snprintf(path, sizeof path, "%s/" MANIFEST_FILE, directory);
    int set = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (set < 0 && errno == ENOTDIR && access(directory, F_OK) == 0) {
        error_set(e, ERROR_INPUT,
                  "is no directory, as a set is; name one that pyelfgen --profile PROFILE -o SET has written");
        return error_at(e, directory, 0);
    }
    if (set < 0)
        return error_errno(e, directory, "cannot be opened");
    /* Opening a pipe must not block. */
    int fd = openat(set, MANIFEST_FILE, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    int number = errno;
    close(set);
    errno = number;
    *absent = fd < 0 && errno == ENOENT;
    if (*absent) {
        error_set(e, ERROR_INPUT,
                  "is no set, or an incomplete one: it has no " MANIFEST_FILE "; generate it with "
                  "pyelfgen --profile PROFILE -o SET, or wait until that has ended");
        return error_at(e, directory, 0);
    }
    if (fd < 0 && errno == ELOOP) {
        error_set(e, ERROR_INPUT, "is a symbolic link, which is not followed; put the file itself in the set");
        return error_at(e, path, 0);
    }
    if (fd < 0)
        return error_errno(e, path, "cannot be opened");
    bool well = parse_file(m, fd, path, e);
    close(fd);
    return well;
}

void manifest_free(struct manifest *m)
{
    if (!m)
        return;
    free(m->libraries);
    arena_free(&m->arena);
    *m = (struct manifest){0};
}
