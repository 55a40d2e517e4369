/* Reads what the twin's maker tells: SET/differences.json, where pyelfgen says what a set has otherwise than its
 * profile; see compare.h and docs/differences.md.
 *
 * A difference is told only where the file has both numbers that are compared, so that the file excuses nothing but
 * what it states. It is also told where the file says that pyelfgen does not count the quantity at all.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json_file.h"
#include "base/manifest.h"
#include "tools/compare/compare.h"

/* 20,000 libraries take 20 MB. */
static const struct json_file_limits limits = {
    .bytes = 256 << 20, .weight = (size_t)4 << 30, .what = "the differences of a set", .made = "pyelfgen"};

/* A member of that type; NULL: there is none. */
static struct json_object *member(struct json_object *of, const char *name, enum json_type type)
{
    struct json_object *found;
    return json_object_object_get_ex(of, name, &found) && json_object_is_type(found, type) ? found : NULL;
}

/* What the file says of each library, by the library's name. */
static struct json_object *by_name(struct json_object *libraries)
{
    struct json_object *all = report_must(json_object_new_object());
    for (size_t i = 0; i < json_object_array_length(libraries); i++) {
        struct json_object *one = json_object_array_get_idx(libraries, i);
        const bool is_object = json_object_is_type(one, json_type_object);
        struct json_object *name = is_object ? member(one, "name", json_type_string) : NULL;
        if (name)
            json_object_object_add(all, json_object_get_string(name), json_object_get(one));
    }
    return all;
}

void compare_read_told(struct comparison *c)
{
    char path[PATH_MAX];
    struct stat st;
    struct error e;
    const char *set = c->compare->options.path[TWIN];
    const int length = snprintf(path, sizeof path, "%s/" MANIFEST_ROWS_FILE, set);
    c->tells = !c->side[TWIN].profile && length >= 0 && (size_t)length < sizeof path && lstat(path, &st) == 0;
    if (!c->tells)
        return;
    struct json_object *top = json_file_read(path, &limits, &e);
    if (!top) {
        compare_complain(c->compare, &e);
        return;
    }
    struct json_object *libraries = member(top, "libraries", json_type_array);
    if (libraries && member(top, MANIFEST_ROWS_KEY, json_type_int)) {
        c->told = by_name(libraries);
        c->untold = json_object_get(member(top, "unknown", json_type_array));
    }
    json_object_put(top);
}

/* The name of a quantity in differences.json: "relocations: pages" for "relocations.pages". */
static void key_of(const char *name, char key[256])
{
    const size_t top = strcspn(name, ".");
    snprintf(key, 256, name[top] ? "%.*s: %s" : "%.*s%s", (int)top, name, name[top] ? name + top + 1 : "");
}

static bool has(struct json_object *names, const char *name)
{
    for (size_t i = 0; names && i < json_object_array_length(names); i++) {
        struct json_object *one = json_object_array_get_idx(names, i);
        if (json_object_is_type(one, json_type_string) && strcmp(json_object_get_string(one), name) == 0)
            return true;
    }
    return false;
}

bool compare_is_untold_of_set(const struct comparison *c, const struct compare_quantity *q)
{
    char key[256];
    snprintf(key, sizeof key, "distributions: %.*s", (int)strcspn(q->name, ".-"), q->name); /* tags-c as tags */
    return has(c->untold, key);
}

static bool is_value(struct json_object *told, const struct compare_quantity *q, int side)
{
    if (q->type == TYPE_WORD)
        return told && strcmp(json_object_get_string(told), q->word[side]) == 0;
    return json_object_is_type(told, json_type_int) && json_object_get_uint64(told) == q->number[side];
}

/* Both numbers of a library's quantity; NULL where the file has none. */
static struct json_object *pair_of(struct json_object *library, const char *key)
{
    struct json_object *differs = library ? member(library, "differs", json_type_object) : NULL;
    struct json_object *pair = differs ? member(differs, key, json_type_array) : NULL;
    return pair && json_object_array_length(pair) == SIDES ? pair : NULL;
}

/* Whether the edges that carry another number of symbols than the row says make up the whole difference of what the
 * library's edges carry, or of what they carry on both sides. */
static bool is_told_of_edges(struct json_object *library, const struct compare_quantity *q)
{
    const bool of_both = strcmp(q->name, "needed.same-symbols") == 0;
    struct json_object *edges =
        of_both || strcmp(q->name, "needed.symbols") == 0 ? member(library, "needed", json_type_array) : NULL;
    int64_t fewer = 0;
    for (size_t i = 0; edges && i < json_object_array_length(edges); i++) {
        struct json_object *edge = json_object_array_get_idx(edges, i);
        if (!json_object_is_type(edge, json_type_array) || json_object_array_length(edge) != 1 + SIDES)
            return false;
        const int64_t wanted = json_object_get_int(json_object_array_get_idx(edge, 1 + REAL));
        const int64_t got = json_object_get_int(json_object_array_get_idx(edge, 1 + TWIN));
        fewer += of_both && got > wanted ? 0 : wanted - got;
    }
    return edges && (int64_t)(q->number[REAL] - q->number[TWIN]) == fewer;
}

bool compare_is_told(const struct comparison *c, const char *library, const struct compare_quantity *q)
{
    char key[256];
    struct json_object *of = c->told ? member(c->told, library, json_type_object) : NULL;
    key_of(q->name, key);
    if (of && (has(member(of, "unknown", json_type_array), key) || is_told_of_edges(of, q)))
        return true;
    struct json_object *pair = pair_of(of, key);
    if (!pair)
        return false;
    if (q->type == TYPE_DISTANCE) /* the distance follows from what both sides know of it */
        return true;
    return is_value(json_object_array_get_idx(pair, REAL), q, REAL) &&
           is_value(json_object_array_get_idx(pair, TWIN), q, TWIN);
}

bool compare_is_told_distance(const struct comparison *c, const char *library, const char *name)
{
    char key[256];
    key_of(name, key);
    struct json_object *pair = c->told ? pair_of(member(c->told, library, json_type_object), key) : NULL;
    struct json_object *distance = pair ? json_object_array_get_idx(pair, TWIN) : NULL;
    return distance && compare_distance_state(json_object_get_double(distance), METHOD_EXACT,
                                              c->compare->options.tolerance) == STATE_OFF;
}
