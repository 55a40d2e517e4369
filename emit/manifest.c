/* Writes manifest.json, whose format docs/manifest.md describes. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "emit/set.h"

static const char *const size_keys[SIZE_KINDS] = {"text", "data", "debug", "symtab", "strtab", "bss"};

/* Adds a member; NULL values stand for memory that ran out, except where `null`
 * is meant, and make *ok false. */
static void add(struct json_object *to, const char *key, struct json_object *value, bool *ok)
{
    if (!value || json_object_object_add(to, key, value) != 0)
        *ok = false;
}

static void add_number(struct json_object *to, const char *key, uint64_t number, bool *ok)
{
    add(to, key, json_object_new_uint64(number), ok);
}

static void add_text(struct json_object *to, const char *key, const char *text, bool *ok)
{
    add(to, key, json_object_new_string(text), ok);
}

static void add_digest(struct json_object *to, const char *key, const uint64_t digest[2], bool *ok)
{
    char text[33];
    snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, digest[0], digest[1]);
    add_text(to, key, text, ok);
}

static struct json_object *library_object(const struct plan *plan, const struct plan_library *row,
                                          const struct set_library *l)
{
    static const char *const kinds[] = {"module", "utility", "marker", "marker"};
    char name[64];
    bool ok = true;
    struct json_object *o = json_object_new_object();
    if (!o)
        return NULL;
    snprintf(name, sizeof name, "%s.so", row->name);
    add_text(o, "name", name, &ok);
    add_text(o, "kind", kinds[row->kind], &ok);
    add_number(o, "file", l->file, &ok);
    add_digest(o, "xxh3-128", l->digest, &ok);
    for (unsigned kind = 0; kind < SIZE_KINDS; kind++)
        add_number(o, size_keys[kind], l->size[kind], &ok);
    add_number(o, "functions", row->functions, &ok);
    uint64_t covered = plan_covered_functions(plan, row);
    if (row->kind == LIBRARY_UTILITY && !plan->assignment.per_function)
        covered = 0;
    add_number(o, "visited", covered, &ok);
    add_number(o, "marks", l->marks, &ok);
    add_number(o, "marked", l->marked, &ok);
    if (l->entry[0]) {
        add_text(o, "entry", l->entry, &ok);
        add_number(o, "result", l->result, &ok);
    }
    if (ok)
        return o;
    json_object_put(o);
    return NULL;
}

static struct json_object *sizes_object(const uint64_t *sizes)
{
    bool ok = true;
    struct json_object *o = json_object_new_object();
    for (unsigned kind = 0; o && kind < FIVE_SIZES; kind++)
        add_number(o, size_keys[kind], sizes[kind], &ok);
    if (o && ok)
        return o;
    json_object_put(o);
    return NULL;
}

static void add_libraries(struct json_object *root, const struct set *set, bool *ok)
{
    const struct plan *plan = set->plan;
    struct json_object *rows = json_object_new_array();
    uint32_t begin = plan->library_count - 2;
    for (uint32_t i = 0; rows && i < plan->library_count; i++) {
        /* as the driver imports them: begin, modules, final, utilities */
        uint32_t index = i == 0                    ? begin
                         : i <= plan->modules      ? i - 1
                         : i == plan->modules + 1 ? begin + 1
                                                   : i - 2;
        struct json_object *o = library_object(plan, &plan->library[index], &set->library[index]);
        if (!o || json_object_array_add(rows, o) != 0) {
            *ok = false;
            json_object_put(o);
        }
    }
    add(root, "libraries", rows, ok);
}

char *manifest_text(const struct set *set)
{
    const struct plan *plan = set->plan;
    uint64_t actual[SIZE_KINDS] = {0};
    for (uint32_t i = 0; i < plan->modules + plan->utilities; i++)
        for (unsigned kind = 0; kind < SIZE_KINDS; kind++)
            actual[kind] += set->library[i].size[kind];
    struct json_object *root = json_object_new_object();
    if (!root)
        return NULL;
    bool ok = true;
    add_number(root, "pyelfgen-manifest", 1, &ok);
    add_text(root, "version", PYELFGEN_VERSION, &ok);
    add_text(root, "application", plan->profile->application, &ok);
    add_digest(root, "profile", plan->profile_digest, &ok);
    add_number(root, "seed", plan->seed, &ok);
    if (plan->wanted[SIZE_TEXT]) {
        uint64_t wanted[SIZE_KINDS];
        for (unsigned kind = 0; kind < SIZE_KINDS; kind++)
            wanted[kind] = (uint64_t)plan->profile->sections[kind];
        add(root, "wanted", sizes_object(wanted), &ok);
    } else {
        json_object_object_add(root, "wanted", NULL);
    }
    add(root, "actual", sizes_object(actual), &ok);
    add_number(root, "modules", plan->modules, &ok);
    add_number(root, "utilities", plan->utilities, &ok);
    add_number(root, "functions", plan->functions, &ok);
    add_libraries(root, set, &ok);
    const char *text = ok ? json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE)
                          : NULL;
    char *copy = NULL;
    if (text) {
        size_t size = strlen(text);
        copy = malloc(size + 2);
        if (copy)
            memcpy(stpcpy(copy, text), "\n", 2);
    }
    json_object_put(root);
    return copy;
}
