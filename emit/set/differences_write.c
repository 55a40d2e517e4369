/* Writes the differences; see differences.h. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <json-c/json.h>

#include "emit/library/files.h"
#include "emit/profile/distribution.h"
#include "emit/profile/keys.h"
#include "emit/set/differences.h"

/* What each level gives up. */
static const char *const given_up[LEVEL_COUNT] = {[LEVEL_UNMARKED] = "visit marks",
                                                  [LEVEL_TIGHT] = "scratch memory in .bss",
                                                  [LEVEL_PLAIN] = "a module's attributes",
                                                  [LEVEL_BARE] = "constants and helpers"};

/* Distributions that are nearer to each other than this count as the same. */
static const double DISTANCE_MOST = 0.05;

static const char hollow[] = "units of debug information";

/* Stands for the version or language that a library does not have. */
static const char none[] = "none";

/* How a value of a row compares with the library's. */
enum comparison { SAME, DIFFERENT, UNKNOWN };

/* Whether a value that a captured row leaves out is 0, because others that are counted with it are there: sizes of
 * debug sections, what units have, or what zstd makes of a part. Units whose entries could not be read have no version.
 */
static bool is_none(const struct profile_row *row, enum row_value v)
{
    bool any = false;
    for (enum row_value mix = ROW_MIX_INFO; mix <= ROW_MIX_OTHER; mix++)
        any |= row->value[mix] > 0;
    if (v >= ROW_MIX_INFO && v <= ROW_DWO_OTHER)
        return any;
    if (v >= ROW_ZSTD_TEXT && v <= ROW_ZSTD_NAMES)
        return row->value[ROW_ZSTD_TEXT] > 0;
    return v >= ROW_DWARF_UNITS && v <= ROW_DWARF_ENTRIES && row->value[ROW_DWARF_VERSION] > 0;
}

static int64_t wanted_of(const struct plan *plan, uint32_t library, enum row_value v)
{
    const struct profile_row *const row = plan->library[library].said;
    if (plan->profile->overruled[v])
        return PROFILE_DERIVED;
    const int64_t says = profile_row_captured(plan->profile, row, v);
    return says == PROFILE_DERIVED && profile_is_captured(plan->profile) && is_none(row, v) ? 0 : says;
}

/* Whether zstd makes something, which is not counted, of a part that the library has. */
static bool has_packed(const struct differences *d, enum row_value v)
{
    if (v == ROW_ZSTD_DATA)
        return d->value[ROW_DATA] > 0;
    if (v == ROW_ZSTD_DEBUG)
        return d->value[ROW_DEBUG] > 0;
    return v == ROW_ZSTD_TEXT || v == ROW_ZSTD_NAMES; /* all libraries have code and dynamic symbols */
}

static enum comparison compare(int64_t wanted, const struct differences *d, enum row_value v)
{
    if (wanted == PROFILE_DERIVED || wanted == d->value[v])
        return SAME;
    if (!wanted && d->value[v] == PROFILE_DERIVED && !has_packed(d, v))
        return SAME;
    /* not a property of the library */
    if (v == ROW_DWARF_SAMPLED || v == ROW_KIND)
        return SAME;
    if (v == ROW_DWARF_UNEVEN && fabs((double)(wanted - d->value[v])) < DISTANCE_MOST * (double)wanted)
        return SAME;
    return d->value[v] == PROFILE_DERIVED ? UNKNOWN : DIFFERENT;
}

/* The language that the row says; NULL where it says none. */
static const char *language_wanted(const struct profile *p, const struct profile_row *row)
{
    const char *const said = row->text[ROW_TEXT_LANGUAGE];
    return said ? said : profile_is_captured(p) && row->value[ROW_DEBUG] > 0 ? none : NULL;
}

/* The language of its units, by the name that pyelfprof has for it. */
static const char *language_of(const struct differences *d)
{
    static const char *const words[UNITS_LANGUAGES] = {[UNITS_NONE] = none,
                                                       [UNITS_C] = "c",
                                                       [UNITS_CPP] = "c++",
                                                       [UNITS_FORTRAN_95] = "fortran95",
                                                       [UNITS_FORTRAN_08] = "fortran08"};
    return words[d->language];
}

/* The name of a key, such as "relocations: 64", without the row that it is in. */
static const char *quantity(enum profile_key_id key, char name[PROFILE_PATH + 32])
{
    char path[PROFILE_PATH];
    snprintf(name, PROFILE_PATH + 32, "%s%s", profile_path(profile_keys[key].section, path), profile_keys[key].name);
    return name;
}

/* --- the file ------------------------------------------------------------------------------ */

static bool put(struct json_object *to, const char *key, struct json_object *value)
{
    if (value && json_object_object_add(to, key, value) == 0)
        return true;
    json_object_put(value);
    return false;
}

/* A value as JSON: a number, a truth value, or a word as in the profile. */
static struct json_object *value_object(enum row_value v, int64_t value)
{
    const struct profile_key *k = &profile_keys[KEY_ROW + v];
    if (v == ROW_DWARF_VERSION && !value)
        return json_object_new_string(none);
    if (k->kind == KIND_WORD)
        return json_object_new_string(k->choices[value]);
    if (k->kind == KIND_SWITCH)
        return json_object_new_boolean(value != 0);
    return json_object_new_int64(value);
}

static struct json_object *pair(struct json_object *wanted, struct json_object *actual)
{
    struct json_object *o = json_object_new_array_ext(2);
    if (o && wanted && json_object_array_add(o, wanted) == 0)
        json_object_array_add(o, actual);
    return o;
}

/* Whether the row's distribution is of so many values that a distance means something. */
static bool tells_distance(const struct profile_row *row, enum row_text t)
{
    return row->text[t] && !distribution_is_of_few(row->text[t]);
}

/* Adds the distance of a distribution, which has no single value. */
static bool add_distance(struct json_object *differs, const struct profile_row *row, enum row_text t, double apart)
{
    char name[PROFILE_PATH + 32];
    char text[32];
    if (!tells_distance(row, t) || apart < DISTANCE_MOST)
        return true;
    snprintf(text, sizeof text, "%.4f", apart);
    return put(differs, quantity((enum profile_key_id)(KEY_ROW_TEXT + t), name),
               pair(json_object_new_int64(0), json_object_new_double_s(apart, text)));
}

static bool add_values(struct json_object *differs, struct json_object *unknown, const struct plan *plan,
                       uint32_t library, const struct differences *d)
{
    const struct profile_row *row = plan->library[library].said;
    bool ok = true;
    char name[PROFILE_PATH + 32];
    for (unsigned v = 0; v < ROW_VALUES && ok; v++) {
        const int64_t wanted = wanted_of(plan, library, v);
        const enum comparison c = compare(wanted, d, v);
        quantity((enum profile_key_id)(KEY_ROW + v), name);
        if (c == DIFFERENT)
            ok = put(differs, name, pair(value_object(v, wanted), value_object(v, d->value[v])));
        if (c == UNKNOWN)
            ok = json_object_array_add(unknown, json_object_new_string(name)) == 0;
    }
    const char *const language = language_wanted(plan->profile, row);
    if (ok && language && strcmp(language, language_of(d)) != 0)
        ok = put(differs, quantity(KEY_ROW_TEXT + ROW_TEXT_LANGUAGE, name),
                 pair(json_object_new_string(language), json_object_new_string(language_of(d))));
    return ok && add_distance(differs, row, ROW_TEXT_FUNCTION_SIZES, d->sizes_apart) &&
           add_distance(differs, row, ROW_TEXT_NAME_LENGTHS, d->names_apart);
}

/* The edges whose number of symbols is not the row's: the needed row, the wanted number, the number there is. */
static struct json_object *edges_object(const struct profile_row *row, const struct plan_library *l)
{
    struct json_object *list = json_object_new_array();
    for (uint32_t i = 0; list && i < row->edges; i++) {
        const struct profile_edge *said = &row->edge[i];
        if (!said->symbols || said->symbols == l->needs.edge[i].symbols)
            continue;
        struct json_object *one = json_object_new_array_ext(3);
        json_object_array_add(list, one);
        const uint32_t numbers[] = {said->row, said->symbols, l->needs.edge[i].symbols};
        for (unsigned k = 0; one && k < 3; k++)
            json_object_array_add(one, json_object_new_int64(numbers[k]));
    }
    return list;
}

static struct json_object *library_object(const struct plan *plan, uint32_t library, const struct differences *d)
{
    const struct profile *p = plan->profile;
    const struct plan_library *l = &plan->library[library];
    struct json_object *o = json_object_new_object();
    struct json_object *without = json_object_new_array();
    struct json_object *differs = json_object_new_object();
    struct json_object *unknown = json_object_new_array();
    char name[64];
    snprintf(name, sizeof name, "%s.so", l->name);
    bool ok = o && without && differs && unknown && add_values(differs, unknown, plan, library, d);
    if (ok && l->debug.hollow)
        ok = json_object_array_add(without, json_object_new_string(hollow)) == 0;
    for (unsigned level = LEVEL_UNMARKED; ok && level <= (unsigned)l->level; level++)
        if (level != LEVEL_PLAIN || l->kind == LIBRARY_MODULE)
            ok = json_object_array_add(without, json_object_new_string(given_up[level])) == 0;
    ok = ok && put(o, "name", json_object_new_string(name)) && put(o, "row", json_object_new_int64(l->said - p->row));
    /* the object takes a reference to each of these */
    if (ok && (l->level != LEVEL_WHOLE || l->debug.hollow))
        ok = put(o, "without", json_object_get(without));
    ok = ok && put(o, "differs", json_object_get(differs)) && put(o, "unknown", json_object_get(unknown)) &&
         put(o, "needed", edges_object(l->said, l));
    json_object_put(without);
    json_object_put(differs);
    json_object_put(unknown);
    if (ok)
        return o;
    json_object_put(o);
    return NULL;
}

/* Distributions that are known of the whole set only, and not from each library's row. */
static const enum profile_key_id only_of_set[] = {KEY_DEGREE, KEY_TAGS, KEY_FORMS, KEY_ATTRIBUTES};
enum { ONLY_OF_SET = sizeof only_of_set / sizeof only_of_set[0] };

static bool is_said_of_set(const struct plan *plan, enum profile_key_id key)
{
    return plan->profile->distributions[key - KEY_FUNCTION_SIZES];
}

/* Lists what the profile says of the set and what is not counted in the set that was made. */
static bool write_unknown(FILE *f, const struct plan *plan)
{
    char name[PROFILE_PATH + 32];
    const char *before = "";
    bool ok = fputs("  \"unknown\": [", f) >= 0;
    for (unsigned i = 0; i < ONLY_OF_SET; i++) {
        if (!is_said_of_set(plan, only_of_set[i]))
            continue;
        ok = ok && fprintf(f, "%s \"%s\"", before, quantity(only_of_set[i], name)) > 0;
        before = ",";
    }
    return ok && fputs(" ],\n", f) >= 0;
}

bool differences_write(FILE *f, const struct set *set)
{
    const struct plan *plan = set->plan;
    bool ok = fputs("{\n  \"" DIFFERENCES_KEY "\": 1,\n", f) >= 0 && write_unknown(f, plan) &&
              fputs("  \"libraries\": [\n", f) >= 0;
    for (uint32_t i = 0; ok && i < plan_counted(plan); i++) {
        struct json_object *o = library_object(plan, i, &set->library[i].differences[0]);
        const char *text =
            o ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;
        if (!text)
            errno = ENOMEM;
        ok = text && fprintf(f, "    %s%s\n", text, i + 1 < plan_counted(plan) ? "," : "") > 0;
        json_object_put(o);
    }
    return ok && fputs("  ]\n}\n", f) >= 0;
}

/* --- the summary ----------------------------------------------------------------------------- */

static void report_levels(FILE *f, const struct plan *plan)
{
    uint32_t count[LEVEL_COUNT] = {0};
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        for (unsigned level = LEVEL_UNMARKED; level <= (unsigned)plan->library[i].level; level++)
            count[level] += level != LEVEL_PLAIN || plan->library[i].kind == LIBRARY_MODULE;
    uint32_t without_units = 0;
    bool any = false;
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        without_units += plan->library[i].debug.hollow;
    for (unsigned level = LEVEL_UNMARKED; level < LEVEL_COUNT; level++)
        any |= count[level] > 0;
    if (any || without_units)
        fputs("\n", f);
    if (without_units)
        fprintf(f, "%u of %u libraries have no room for %s\n", without_units, plan_counted(plan), hollow);
    for (unsigned level = LEVEL_UNMARKED; level < LEVEL_COUNT; level++)
        if (count[level])
            fprintf(f, "%u of %u libraries have no room for %s\n", count[level], plan_counted(plan), given_up[level]);
}

struct total {
    uint32_t libraries, of;
    int64_t wanted, actual;         /* sums over the libraries; of switches: how many are on */
    int64_t one_wanted, one_actual; /* values of the libraries that differ, if these have all the same */
    bool unknown, several;
};

static struct total total_of(const struct set *set, enum row_value v)
{
    struct total t = {0};
    for (uint32_t i = 0; i < plan_counted(set->plan); i++) {
        const struct differences *d = &set->library[i].differences[0];
        const int64_t wanted = wanted_of(set->plan, i, v);
        const enum comparison c = compare(wanted, d, v);
        if (wanted == PROFILE_DERIVED)
            continue;
        t.of++;
        if (c != SAME && !t.libraries++) {
            t.one_wanted = wanted;
            t.one_actual = d->value[v];
        }
        t.several |= c != SAME && (wanted != t.one_wanted || d->value[v] != t.one_actual);
        t.unknown |= c == UNKNOWN;
        t.wanted += wanted;
        t.actual += d->value[v] == PROFILE_DERIVED ? 0 : d->value[v];
    }
    return t;
}

/* Prints the heading above the first difference. */
static void report_heading(FILE *f, bool *any)
{
    if (!*any)
        fprintf(f, "\n%-28s%11s%22s%14s\n", "differs from the rows", "libraries", "wanted", "got");
    *any = true;
}

/* Whether the generator follows the value as far as it can, although the value is not counted in what is made. */
static bool is_followed(enum row_value v)
{
    return v == ROW_ZSTD_TEXT || v == ROW_ZSTD_DATA || v == ROW_ZSTD_NAMES;
}

/* Prints what was wanted and what there is: words if all libraries that differ have the same, otherwise sums. */
static void report_values(FILE *f, enum row_value v, const struct total *t)
{
    const struct profile_key *k = &profile_keys[KEY_ROW + v];
    if (t->unknown)
        fprintf(f, "%28s\n", is_followed(v) ? "not counted, see pyelfstat --compare" : "not followed");
    else if (k->kind == KIND_WORD && t->several)
        fprintf(f, "%28s\n", "not all the same");
    else if (k->kind == KIND_WORD)
        fprintf(f, "%14s%14s\n", k->choices[t->one_wanted], k->choices[t->one_actual]);
    else
        fprintf(f, "%14" PRId64 "%14" PRId64 "%s\n", t->wanted, t->actual,
                t->wanted == t->actual ? "  the sums are equal, the libraries are not" : "");
}

static void report_edges(FILE *f, const struct plan *plan, bool *any)
{
    struct total t = {0};
    for (uint32_t i = 0; i < plan_counted(plan); i++) {
        const struct plan_library *l = &plan->library[i];
        for (uint32_t n = 0; n < l->said->edges; n++) {
            const uint32_t wanted = l->said->edge[n].symbols;
            t.of++;
            t.libraries += wanted && wanted != l->needs.edge[n].symbols;
            t.wanted += wanted;
            t.actual += l->needs.edge[n].symbols;
        }
    }
    if (!t.libraries)
        return;
    report_heading(f, any);
    fprintf(f, "%-28s%8u of %-8u%14" PRId64 "%14" PRId64 "\n", "symbols of edges", t.libraries, t.of, t.wanted,
            t.actual);
}

static void report_languages(FILE *f, const struct set *set, bool *any)
{
    uint32_t of = 0;
    uint32_t libraries = 0;
    const char *one_wanted = NULL;
    const char *one_actual = NULL;
    bool several = false;
    char name[PROFILE_PATH + 32];
    for (uint32_t i = 0; i < plan_counted(set->plan); i++) {
        const char *const wanted = language_wanted(set->plan->profile, set->plan->library[i].said);
        const char *const actual = language_of(set->library[i].differences);
        of += wanted != NULL;
        if (!wanted || strcmp(wanted, actual) == 0)
            continue;
        if (!libraries++) {
            one_wanted = wanted;
            one_actual = actual;
        }
        several |= strcmp(wanted, one_wanted) != 0 || strcmp(actual, one_actual) != 0;
    }
    if (!libraries)
        return;
    report_heading(f, any);
    fprintf(f, "%-28s%8u of %-8u", quantity(KEY_ROW_TEXT + ROW_TEXT_LANGUAGE, name), libraries, of);
    if (several)
        fprintf(f, "%28s\n", "not all the same");
    else
        fprintf(f, "%14s%14s\n", one_wanted, one_actual);
}

static void report_distances(FILE *f, const struct set *set, bool *any)
{
    static const enum row_text texts[] = {ROW_TEXT_FUNCTION_SIZES, ROW_TEXT_NAME_LENGTHS};
    char name[PROFILE_PATH + 32];
    for (unsigned t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        uint32_t of = 0;
        uint32_t apart = 0;
        double most = 0;
        char text[32];
        for (uint32_t i = 0; i < plan_counted(set->plan); i++) {
            const struct differences *d = &set->library[i].differences[0];
            const bool said = tells_distance(set->plan->library[i].said, texts[t]);
            const double distance = said ? (t ? d->names_apart : d->sizes_apart) : 0;
            of += said;
            apart += said && distance >= DISTANCE_MOST;
            most = distance > most ? distance : most;
        }
        if (!apart)
            continue;
        report_heading(f, any);
        snprintf(text, sizeof text, "distance up to %.2f", most);
        fprintf(f, "%-28s%8u of %-8u%27s\n", quantity((enum profile_key_id)(KEY_ROW_TEXT + texts[t]), name), apart, of,
                text);
    }
}

/* Says what libraries that are split because their rows say so have in themselves and in .dwo files. The sizes of the
 * set are those before splitting. */
static void report_split(FILE *f, const struct set *set)
{
    uint32_t split = 0;
    double kept = 0, moved = 0;
    for (uint32_t i = 0; i < plan_counted(set->plan); i++) {
        const struct set_library *const l = &set->library[i];
        if (!files_are_split_as_said(&set->plan->library[i]))
            continue;
        split++;
        kept += (double)l->differences->value[ROW_DEBUG];
        moved += (double)l->split - (double)l->differences->value[ROW_DEBUG];
    }
    if (split)
        fprintf(f,
                "\n%u of %u libraries are split, as rows say: %.3f MB of debug information are in them, and %.3f MB in "
                ".dwo files\n",
                split, plan_counted(set->plan), kept / 1e6, moved / 1e6);
}

void differences_report(FILE *f, const struct plan *plan, const struct set *set, bool written)
{
    bool any = false;
    char name[PROFILE_PATH + 32];
    if (!plan->profile->rows)
        return;
    report_levels(f, plan);
    report_split(f, set);
    for (unsigned v = 0; v < ROW_VALUES; v++) {
        const struct total t = total_of(set, v);
        if (!t.libraries)
            continue;
        report_heading(f, &any);
        fprintf(f, "%-28s%8u of %-8u", quantity((enum profile_key_id)(KEY_ROW + v), name), t.libraries, t.of);
        report_values(f, v, &t);
    }
    report_edges(f, plan, &any);
    report_languages(f, set, &any);
    report_distances(f, set, &any);
    for (unsigned i = 0; i < ONLY_OF_SET; i++) {
        const bool nearly = only_of_set[i] == KEY_TAGS || only_of_set[i] == KEY_ATTRIBUTES;
        if (!is_said_of_set(plan, only_of_set[i]))
            continue;
        report_heading(f, &any);
        fprintf(f, "%-47s%28s\n", quantity(only_of_set[i], name), nearly ? "followed in part" : "not followed");
    }
    if (any && written)
        fprintf(f, "each library's are in " DIFFERENCES_FILE " beside its manifest\n");
    else if (!any)
        fprintf(f, "\neverything that the rows say is as they say it\n");
}
