/* The comparison as JSON; see compare.h, docs/compare.md and docs/compare.schema.json. */

#include "base/result_file.h"
#include "base/version.h"
#include "tools/compare/compare.h"

static json_object *object(void)
{
    return report_must(json_object_new_object());
}

static void put_number(json_object *o, const char *key, uint64_t number)
{
    json_object_object_add(o, key, report_must(json_object_new_uint64(number)));
}

static void put_text(json_object *o, const char *key, const char *text)
{
    json_object_object_add(o, key, report_must(json_object_new_string(text)));
}

/* A difference that 64 bits with sign cannot hold becomes the nearest that they can. */
static int64_t difference(uint64_t real, uint64_t twin)
{
    uint64_t size = twin > real ? twin - real : real - twin;
    int64_t most = size > INT64_MAX ? INT64_MAX : (int64_t)size;
    return twin < real ? -most : most;
}

static void put_states(json_object *o, const size_t states[STATES])
{
    for (int s = 0; s < STATES; s++)
        put_number(o, compare_state_names[s], states[s]);
}

/* A share with six decimals. */
static json_object *share(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6f", value);
    return report_must(json_object_new_double_s(value, text));
}

static json_object *json_quantity(const struct compare_quantity *q, bool of_set)
{
    static const char *const sides[SIDES] = {"real", "twin"};
    json_object *o = object();
    put_text(o, "name", q->name);
    put_text(o, "state", compare_state_names[q->state]);
    if (q->sampled)
        json_object_object_add(o, "estimated", report_must(json_object_new_boolean(true)));
    if (q->type == TYPE_DISTANCE) {
        json_object *items = object();
        json_object_object_add(o, "distance", share(q->distance));
        put_text(o, "of", compare_method_names[q->method]);
        for (int s = 0; s < SIDES; s++)
            json_object_object_add(items, sides[s],
                                   q->number[s] ? report_must(json_object_new_uint64(q->number[s])) : NULL);
        json_object_object_add(o, "items", items);
    } else if (q->type == TYPE_WORD) {
        for (int s = 0; s < SIDES; s++)
            put_text(o, sides[s], q->word[s]);
    } else {
        for (int s = 0; s < SIDES; s++)
            put_number(o, sides[s], q->number[s]);
        json_object_object_add(o, "difference",
                               report_must(json_object_new_int64(difference(q->number[REAL], q->number[TWIN]))));
    }
    if (of_set && compare_all(q->libraries)) {
        json_object *libraries = object();
        put_states(libraries, q->libraries);
        if (q->silent)
            put_number(libraries, "not-compared", q->silent);
        json_object_object_add(o, "libraries", libraries);
    }
    return o;
}

static json_object *json_list(const struct compare_list *list, bool of_set)
{
    json_object *array = report_must(json_object_new_array());
    for (size_t i = 0; i < list->count; i++)
        json_object_array_add(array, json_quantity(&list->of[i], of_set));
    return array;
}

static json_object *json_side(const struct compare_side *side)
{
    json_object *o = object();
    put_text(o, "path", side->path);
    put_text(o, "from", side->profile ? "profile" : "files");
    json_object_object_add(o, "libraries", side->summary ? NULL : report_must(json_object_new_uint64(side->rows)));
    return o;
}

/* A library's number in its set, and its name or null. */
static json_object *json_row(const struct comparison *c, int side, uint32_t row)
{
    if (row == COMPARE_NOBODY)
        return NULL;
    json_object *o = object();
    const char *name = c->side[side].row[row].name;
    put_number(o, "index", row);
    json_object_object_add(o, "name", name ? report_must(json_object_new_string(name)) : NULL);
    return o;
}

static json_object *json_library(const struct comparison *c, const struct compare_library *library)
{
    json_object *o = object();
    json_object_object_add(o, "real", json_row(c, REAL, library->pair.of[REAL]));
    json_object_object_add(o, "twin", json_row(c, TWIN, library->pair.of[TWIN]));
    put_text(o, "matched", compare_is_alone(library) ? "none" : library->pair.by_name ? "name" : "order");
    json_object *states = object();
    put_states(states, library->list.states);
    if (library->list.silent)
        put_number(states, "not-compared", library->list.silent);
    json_object_object_add(o, "states", states);
    json_object_object_add(o, "quantities", json_list(&library->list, false));
    return o;
}

static json_object *json_summary(const struct comparison *c)
{
    json_object *o = object();
    json_object *set = object();
    json_object *libraries = object();
    put_states(set, c->set.states);
    put_states(libraries, c->library_states);
    json_object_object_add(o, "agrees", report_must(json_object_new_boolean(compare_agrees(c))));
    json_object_object_add(o, "set", set);
    json_object_object_add(o, "libraries", libraries);
    put_number(o, "matched", c->pairs.matched);
    put_number(o, "matched-by-name", c->pairs.by_name);
    put_number(o, "only-real", c->pairs.alone[REAL]);
    put_number(o, "only-twin", c->pairs.alone[TWIN]);
    put_number(o, "libraries-off", c->libraries_off);
    json_object *silent = report_must(json_object_new_array());
    for (size_t i = 0; i < c->silences; i++)
        json_object_array_add(silent, report_must(json_object_new_string(c->silence[i].name)));
    json_object_object_add(o, "not-compared", silent);
    const struct compare_options *options = &c->compare->options;
    json_object *without = report_must(json_object_new_array());
    for (size_t i = 0; i < options->withouts; i++)
        json_object_array_add(without,
                              report_must(json_object_new_string(compare_text(c->compare, options->without[i]))));
    json_object_object_add(o, "without", without);
    return o;
}

static json_object *json_errors(const struct comparison *c)
{
    json_object *array = report_must(json_object_new_array());
    for (size_t i = 0; i < c->compare->complaints; i++) {
        const struct error *e = c->compare->complaint[i];
        json_object *o = object();
        put_text(o, "file", compare_text(c->compare, e->file));
        put_text(o, "text", compare_text(c->compare, e->text));
        json_object_array_add(array, o);
    }
    return array;
}

static bool write_json(FILE *to, void *context, struct error *e)
{
    (void)e;
    fputs(report_must((char *)json_object_to_json_string_ext(context,
                                                             JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE)),
          to);
    putc('\n', to);
    return true;
}

bool compare_write_json(const struct comparison *c, struct error *e)
{
    json_object *root = object();
    json_object *libraries = report_must(json_object_new_array());
    put_number(root, "pyelfstat-comparison", 1);
    put_text(root, "version", PYELFGEN_VERSION);
    json_object_object_add(root, "tolerance", share(c->compare->options.tolerance));
    json_object_object_add(root, "real", json_side(&c->side[REAL]));
    json_object_object_add(root, "twin", json_side(&c->side[TWIN]));
    json_object_object_add(root, "summary", json_summary(c));
    json_object_object_add(root, "set", json_list(&c->set, true));
    for (size_t i = 0; c->library && i < c->pairs.count; i++)
        json_object_array_add(libraries, json_library(c, &c->library[i]));
    json_object_object_add(root, "libraries", libraries);
    json_object_object_add(root, "errors", json_errors(c));
    bool ok = result_file_write(c->compare->options.json, RESULT_REPORT, write_json, root, e);
    json_object_put(root);
    return ok;
}
