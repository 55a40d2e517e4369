/* Writes manifest.json; docs/manifest.md describes its format.
 *
 * Libraries are written one after the other, each as one line. So memory does not grow with their number, and grep,
 * diff and sort find libraries whole. json-c makes the values; the braces and keys around them are written by hand.
 */
#include "base/manifest.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>

#include "base/version.h"
#include "emit/library/files.h"
#include "emit/set/set.h"

static_assert((int)SIZE_TEXT == MANIFEST_TEXT && (int)SIZE_BSS == MANIFEST_BSS && (int)SIZE_KINDS == MANIFEST_SIZES,
              "plan and manifest have the sizes in one order");

/* ---- values; NULL stands for memory that ran out ---- */

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

static struct json_object *digest_text(const uint64_t digest[2])
{
    char text[33];
    snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, digest[0], digest[1]);
    return json_object_new_string(text);
}

static void add_sizes(struct json_object *to, const uint64_t *sizes, unsigned count, bool *ok)
{
    for (unsigned kind = 0; kind < count; kind++)
        add_number(to, manifest_size_names[kind], sizes[kind], ok);
}

static struct json_object *whole(struct json_object *o, bool ok)
{
    if (ok)
        return o;
    json_object_put(o);
    return NULL;
}

static struct json_object *sizes_object(const uint64_t *sizes)
{
    bool ok = true;
    struct json_object *o = json_object_new_object();
    if (o)
        add_sizes(o, sizes, FIVE_SIZES, &ok);
    return whole(o, ok);
}

static void add_file(struct json_object *to, const struct set_file *file, bool *ok)
{
    add_number(to, "file", file->size, ok);
    add(to, "xxh3-128", digest_text(file->digest), ok);
}

/* A file of a library's debug information. */
static struct json_object *debug_object(const struct set_file *file)
{
    bool ok = true;
    struct json_object *o = json_object_new_object();
    if (!o)
        return NULL;
    add_text(o, "name", file->name, &ok);
    add_file(o, file, &ok);
    return whole(o, ok);
}

static struct json_object *split_object(const struct set_library *l)
{
    bool ok = true;
    struct json_object *files = json_object_new_array_ext((int)l->files);
    struct json_object *o = json_object_new_object();
    for (uint32_t i = 0; files && i + 1 < l->files; i++) {
        struct json_object *file = debug_object(&l->file[i]);
        ok = ok && file && json_object_array_add(files, file) == 0;
    }
    if (!o) {
        json_object_put(files);
        return NULL;
    }
    add_number(o, "debug", l->split, &ok);
    add(o, "files", files, &ok);
    return whole(o, ok);
}

static void add_debug_files(struct json_object *to, const struct set_library *l, bool *ok)
{
    if (l->split)
        add(to, "split", split_object(l), ok);
    else if (l->files > 1)
        add(to, "debug-file", debug_object(&l->file[0]), ok);
}

static struct json_object *executable_object(const struct plan *plan, const struct plan_library *row,
                                             const struct set_library *l)
{
    bool ok = true;
    struct json_object *o = json_object_new_object();
    if (!o)
        return NULL;
    add_text(o, "name", plan_stem(row), &ok);
    const enum manifest_executable_kind kind = row->kind == LIBRARY_STATIC ? MANIFEST_STATIC : MANIFEST_LINK;
    add_text(o, "kind", manifest_executable_kind_names[kind], &ok);
    add_file(o, &l->file[l->files - 1], &ok);
    add_sizes(o, l->size, SIZE_KINDS, &ok);
    add_number(o, "functions", plan_own_functions(plan, row), &ok);
    add_text(o, "runtime", EXECUTABLE_RUNTIME, &ok);
    add_text(o, "libpython", plan->executables.libpython, &ok);
    add_debug_files(o, l, &ok);
    return whole(o, ok);
}

static struct json_object *library_object(const struct plan *plan, const struct plan_library *row,
                                          const struct set_library *l)
{
    static const enum manifest_kind kinds[] = {[LIBRARY_MODULE] = MANIFEST_MODULE,
                                               [LIBRARY_UTILITY] = MANIFEST_UTILITY,
                                               [LIBRARY_BEGIN] = MANIFEST_MARKER,
                                               [LIBRARY_FINAL] = MANIFEST_MARKER};
    char name[64];
    bool ok = true;
    struct json_object *o = json_object_new_object();
    if (!o)
        return NULL;
    snprintf(name, sizeof name, "%s.so", row->name);
    add_text(o, "name", name, &ok);
    add_text(o, "kind", manifest_kind_names[kinds[row->kind]], &ok);
    if (l->files) /* a library may be in an executable only */
        add_file(o, &l->file[l->files - 1], &ok);
    add_sizes(o, l->size, SIZE_KINDS, &ok);
    add_number(o, "functions", row->functions, &ok);
    add_number(o, "visited", plan_visited_functions(plan, row), &ok);
    add_number(o, "marks", l->marks, &ok);
    add_number(o, "marked", l->marked, &ok);
    if (l->marks_at)
        add_number(o, "marks-at", l->marks_at, &ok);
    if (row->kind == LIBRARY_MODULE && plan_is_plain(row))
        add(o, "attributes", json_object_new_boolean(false), &ok);
    if (row->opened)
        add(o, "opened", json_object_new_boolean(true), &ok);
    if (l->entry[0]) {
        add_text(o, "entry", l->entry, &ok);
        add_number(o, "result", l->result, &ok);
    }
    add_debug_files(o, l, &ok);
    return whole(o, ok);
}

/* ---- lines; false, with errno, after the first failure ---- */

/* Consumes the reference to `value`. */
static bool put_value(FILE *f, const char *before, struct json_object *value, const char *after)
{
    const char *text =
        value ? json_object_to_json_string_ext(value, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;
    errno = text ? errno : ENOMEM;
    bool ok = text && fputs(before, f) >= 0 && fputs(text, f) >= 0 && fputs(after, f) >= 0;
    int number = errno;
    json_object_put(value);
    errno = number;
    return ok;
}

static bool put_member(FILE *f, const char *key, struct json_object *value)
{
    char before[64];
    snprintf(before, sizeof before, "  \"%s\": ", key);
    return put_value(f, before, value, ",\n");
}

static bool put_number(FILE *f, const char *key, uint64_t number)
{
    return put_member(f, key, json_object_new_uint64(number));
}

static bool put_wanted(FILE *f, const struct plan *plan)
{
    if (!plan->wanted[SIZE_TEXT])
        return fputs("  \"wanted\": null,\n", f) >= 0;
    uint64_t wanted[FIVE_SIZES];
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++)
        wanted[kind] = (uint64_t)plan->profile->sections[kind];
    return put_member(f, "wanted", sizes_object(wanted));
}

static bool put_actual(FILE *f, const struct set *set)
{
    uint64_t actual[FIVE_SIZES] = {0};
    for (uint32_t i = 0; i < set->plan->modules + set->plan->utilities; i++)
        for (unsigned kind = 0; kind < FIVE_SIZES; kind++)
            actual[kind] += set->library[i].size[kind];
    return put_member(f, "actual", sizes_object(actual));
}

static bool put_executables(FILE *f, const struct set *set)
{
    const struct plan *plan = set->plan;
    const uint32_t first = plan_executable(plan);
    if (first == plan->library_count)
        return true;
    if (fputs("  \"executables\": [\n", f) < 0)
        return false;
    for (uint32_t i = first; i < plan_inside(plan); i++) {
        struct json_object *o = executable_object(plan, &plan->library[i], &set->library[i]);
        if (!put_value(f, "    ", o, i + 1 < plan_inside(plan) ? ",\n" : "\n"))
            return false;
    }
    return fputs("  ],\n", f) >= 0;
}

static bool put_libraries(FILE *f, const struct set *set)
{
    const struct plan *plan = set->plan;
    uint32_t count = plan_executable(plan);
    if (fputs("  \"libraries\": [\n", f) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = plan_in_order(plan, i);
        struct json_object *o = library_object(plan, &plan->library[index], &set->library[index]);
        if (!put_value(f, "    ", o, i + 1 < count ? ",\n" : "\n"))
            return false;
    }
    return fputs("  ]\n", f) >= 0;
}

/* The compression library whose version decides the compressed bytes. */
static bool put_compressor(FILE *f, const struct plan *plan)
{
    char buffer[64];
    const char *version = pack_version(files_packing(plan), buffer, sizeof buffer);
    return !version || put_member(f, "compressor", json_object_new_string(version));
}

/* Whether there are sources beside the libraries. */
static bool put_sources(FILE *f, const struct set *set)
{
    return !set->sources || put_member(f, "sources", json_object_new_boolean(true));
}

bool manifest_write(FILE *f, const struct set *set)
{
    const struct plan *plan = set->plan;
    return fputs("{\n", f) >= 0 && put_number(f, MANIFEST_KEY, MANIFEST_VERSION) &&
           put_member(f, "version", json_object_new_string(PYELFGEN_VERSION)) &&
           put_member(f, "application", json_object_new_string(plan->profile->application)) &&
           put_member(f, "profile", digest_text(plan->profile_digest)) && put_number(f, "seed", plan->seed) &&
           put_compressor(f, plan) && put_sources(f, set) && put_wanted(f, plan) && put_actual(f, set) &&
           put_number(f, "modules", plan->modules) && put_number(f, "utilities", plan->utilities) &&
           put_number(f, "functions", plan->functions) && put_executables(f, set) && put_libraries(f, set) &&
           fputs("}\n", f) >= 0;
}
