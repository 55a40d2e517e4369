/* Reads JSON back; see results.h. json-c makes a tree of all but the runs, and of one run after the other, so that many
 * runs take no more memory than their values. The first failure sticks: everything taken after it is 0 or "", so an
 * object can be taken without checks in between and is checked once at the end.
 *
 * Minima, means and maxima are not read, because they follow from the values of the ranks.
 */
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json_file.h"
#include "base/utf8.h"
#include "driver/results/results.h"

struct results_reader {
    struct results *r;
    struct error *e;
    size_t taken;                     /* bytes of all values so far */
    char where[64];                   /* begins messages: "run 3, visit: " */
    double *none;                     /* of the current run: the values of figures that no rank has */
    size_t first[RESULTS_CASES_MOST]; /* indices of the runs that are the first of their mode and number of ranks */
    size_t cases;
    bool failed;
};

static bool fail(struct results_reader *in, const char *key, const char *wrong)
{
    if (!in->failed)
        error_set(in->e, ERROR_INPUT, "%s'%s' %s; is this what pyelfrun --json has written?", in->where, key, wrong);
    in->failed = true;
    return false;
}

static bool fail_memory(struct results_reader *in)
{
    if (!in->failed)
        error_set(in->e, ERROR_MEMORY, "there is no memory left for the results");
    in->failed = true;
    return false;
}

/* ---- values ---- */

/* The member `key` of this type; NULL after a failure. */
static json_object *take(struct results_reader *in, json_object *from, const char *key, json_type type)
{
    json_object *value = NULL;
    if (in->failed)
        return NULL;
    if (!json_object_object_get_ex(from, key, &value)) {
        fail(in, key, "is missing");
        return NULL;
    }
    if (json_object_is_type(value, type))
        return value;
    char wrong[64];
    snprintf(wrong, sizeof wrong, "is not of type %s", json_type_to_name(type));
    fail(in, key, wrong);
    return NULL;
}

/* Copies a text of at most so many bytes that may be shown: UTF-8 without control characters, and so without zeros. */
static const char *keep_text(struct results_reader *in, const char *key, json_object *value, size_t most)
{
    const char *text = json_object_get_string(value);
    const size_t length = (size_t)json_object_get_string_len(value);
    if (length > most)
        fail(in, key, "is too long");
    for (size_t i = 0, n; i < length && !in->failed; i += n) {
        n = utf8_length(text + i, length - i);
        if (n == 0 || utf8_is_control(text + i))
            fail(in, key, "has characters that no text has");
    }
    if (in->failed)
        return "";
    const char *kept = results_text(in->r, text);
    if (!kept)
        fail_memory(in);
    return kept ? kept : "";
}

static const char *take_text_of(struct results_reader *in, json_object *from, const char *key, size_t most)
{
    json_object *value = take(in, from, key, json_type_string);
    return value ? keep_text(in, key, value, most) : "";
}

static const char *take_text(struct results_reader *in, json_object *from, const char *key)
{
    return take_text_of(in, from, key, RESULTS_TEXT_MOST);
}

static uint64_t take_number(struct results_reader *in, json_object *from, const char *key, uint64_t least,
                            uint64_t most)
{
    json_object *value = take(in, from, key, json_type_int);
    if (!value)
        return 0;
    const uint64_t number = json_object_get_uint64(value);
    if (json_object_get_int64(value) < 0 || number < least || number > most)
        fail(in, key, "is out of range");
    return in->failed ? 0 : number;
}

static json_object *take_list(struct results_reader *in, json_object *from, const char *key, size_t least, size_t most)
{
    json_object *value = take(in, from, key, json_type_array);
    if (value && json_object_array_length(value) >= least && json_object_array_length(value) <= most)
        return value;
    fail(in, key, "has the wrong length");
    return NULL;
}

static json_object *row(struct results_reader *in, json_object *list, size_t i, const char *key)
{
    json_object *value = json_object_array_get_idx(list, i);
    if (!json_object_is_type(value, json_type_object))
        fail(in, key, "has a row that is no object");
    return in->failed ? NULL : value;
}

static void *room(struct results_reader *in, size_t count, size_t size)
{
    in->taken += (count + 1) * size;
    if (!in->failed && in->taken > RESULTS_WEIGHT_MOST)
        fail(in, "runs", "have more values than this program reads");
    void *p = in->failed ? NULL : arena_zeroed(&in->r->arena, count + 1, size);
    if (!p)
        fail_memory(in);
    return p;
}

/* A number; NAN for null, which means absent. Seconds must not be negative. */
static double value_of(struct results_reader *in, json_object *value, bool seconds)
{
    if (!value)
        return NAN;
    if (!json_object_is_type(value, json_type_double) && !json_object_is_type(value, json_type_int)) {
        fail(in, "per-rank", "has something that is no number");
        return NAN;
    }
    const double v = json_object_get_double(value);
    if (!isfinite(v) || (seconds && v < 0))
        fail(in, "per-rank", "has a number that cannot be");
    return v;
}

/* ---- a run ---- */

/* As many NANs as there are ranks. One array serves all absent figures of a run, because they take no room in the text,
 * however many they are. */
static double *none_of(struct results_reader *in, const struct results_run *run)
{
    if (in->none)
        return in->none;
    in->none = room(in, run->ranks, sizeof *in->none);
    for (size_t i = 0; i < run->ranks && in->none; i++)
        in->none[i] = NAN;
    return in->none;
}

static void take_figure(struct results_reader *in, json_object *from, const struct results_run *run, bool seconds,
                        struct results_figure *g)
{
    json_object *list = take_list(in, from, "per-rank", 0, run->ranks);
    const size_t length = list ? json_object_array_length(list) : 0;
    bool whole = length != 0;
    if (length != 0 && length != run->ranks)
        fail(in, "per-rank", "has the wrong length");
    g->value = length ? room(in, run->ranks, sizeof *g->value) : none_of(in, run);
    for (size_t i = 0; i < length && !in->failed; i++) {
        g->value[i] = value_of(in, json_object_array_get_idx(list, i), seconds);
        whole = whole && !isnan(g->value[i]);
    }
    if (!in->failed && !whole)
        g->absent = take_text(in, from, "absent");
}

static void take_counter(struct results_reader *in, json_object *from, const struct results_run *run,
                         struct results_figure *g)
{
    g->name = take_text(in, from, "name");
    g->unit = take_text(in, from, "unit");
    g->source = take_text(in, from, "source");
    g->level = json_object_get_boolean(take(in, from, "level", json_type_boolean));
    take_figure(in, from, run, false, g);
}

static void take_phase(struct results_reader *in, json_object *from, struct results_run *run)
{
    const char *name = take_text(in, from, "name");
    size_t part = 0;
    while (part < RESULTS_PARTS && strcmp(name, results_part_names[part]) != 0)
        part++;
    if (in->failed || part == RESULTS_PARTS || run->phase[part].ran) {
        fail(in, "name", "is no phase, or one that comes twice");
        return;
    }
    struct results_phase *p = &run->phase[part];
    const size_t end = strlen(in->where);
    snprintf(in->where + end - 2, sizeof in->where - end, ", %s: ", results_part_names[part]);
    *p = (struct results_phase){.ran = true, .seconds = {.name = "seconds", .unit = "s"}};

    json_object *value;
    if (json_object_object_get_ex(from, "resolution-seconds", &value)) {
        p->resolution = value_of(in, value, true);
        if (isnan(p->resolution))
            fail(in, "resolution-seconds", "is no number");
    }
    if ((value = take(in, from, "seconds", json_type_object)))
        take_figure(in, value, run, true, &p->seconds);
    json_object *list = take_list(in, from, "counters", 0, RESULTS_COUNTERS_MOST);
    p->counter_count = list ? json_object_array_length(list) : 0;
    p->counters = room(in, p->counter_count, sizeof *p->counters);
    for (size_t i = 0; i < p->counter_count && !in->failed; i++)
        if ((value = row(in, list, i, "counters")))
            take_counter(in, value, run, &p->counters[i]);
    if (!in->failed)
        strcpy(in->where + end - 2, ": ");
}

static void take_hosts(struct results_reader *in, json_object *from, struct results_run *run)
{
    json_object *list = take_list(in, from, "hosts", 1, run->ranks);
    run->host_count = list ? json_object_array_length(list) : 0;
    run->hosts = room(in, run->host_count, sizeof *run->hosts);
    for (size_t i = 0; i < run->host_count && !in->failed; i++) {
        json_object *host = row(in, list, i, "hosts");
        if (host)
            run->hosts[i] = (struct results_host){take_text(in, host, "name"), take_text(in, host, "kernel"),
                                                  take_text(in, host, "glibc")};
    }
    list = take_list(in, from, "rank-hosts", run->ranks, run->ranks);
    run->host = room(in, run->ranks, sizeof *run->host);
    for (size_t i = 0; i < run->ranks && !in->failed; i++) {
        json_object *value = json_object_array_get_idx(list, i);
        const int64_t host = json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : -1;
        if (host < 0 || (uint64_t)host >= run->host_count)
            fail(in, "rank-hosts", "names a host that is not in 'hosts'");
        else
            run->host[i] = (size_t)host;
    }
}

static int64_t take_moment(struct results_reader *in, json_object *from, const char *key)
{
    struct tm utc = {0};
    const char *text = take_text(in, from, key);
    const char *end = in->failed ? NULL : strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (!end || *end)
        fail(in, key, "is no moment like 2026-01-31T23:59:59Z");
    return in->failed ? 0 : (int64_t)timegm(&utc);
}

/* Limits the kinds of runs: nobody has more than a few, and comparing them takes quadratic time. */
static void count_case(struct results_reader *in, const struct results_run *run)
{
    for (size_t i = 0; i < in->cases; i++) {
        const struct results_run *other = &in->r->runs[in->first[i]];
        if (other->ranks == run->ranks && strcmp(other->mode, run->mode) == 0)
            return;
    }
    if (in->cases == RESULTS_CASES_MOST)
        fail(in, "mode", "and 'ranks' are of more kinds than can be compared");
    else
        in->first[in->cases++] = in->r->run_count - 1;
}

static void take_run(struct results_reader *in, json_object *from)
{
    struct results_run *run = results_add_run(in->r);
    if (!run) {
        fail_memory(in);
        return;
    }
    run->mode = take_text(in, from, "mode");
    run->repeat = take_number(in, from, "repeat", 1, RESULTS_RUNS_MOST);
    const char *status = take_text(in, from, "status");
    if (in->failed)
        return;
    if (strcmp(status, "failed") == 0) {
        run->status = (int)take_number(in, from, "exit-status", 1, 255);
        return;
    }
    if (strcmp(status, "done") != 0) {
        fail(in, "status", "is neither done nor failed");
        return;
    }
    in->none = NULL;
    run->begun = take_moment(in, from, "begun");
    run->ranks = (size_t)take_number(in, from, "ranks", 1, RESULTS_RANKS_MOST);
    run->loader = take_text(in, from, "loader");
    run->mpi = take_text(in, from, "mpi");
    run->mpi_test = json_object_object_get_ex(from, "mpi-test", NULL) ? take_text(in, from, "mpi-test") : "";
    run->functions_visited = take_number(in, from, "functions-visited", 0, UINT64_MAX);
    take_hosts(in, from, run);
    json_object *list = take_list(in, from, "phases", 0, RESULTS_PARTS);
    for (size_t i = 0; list && i < json_object_array_length(list) && !in->failed; i++) {
        json_object *phase = row(in, list, i, "phases");
        if (phase)
            take_phase(in, phase, run);
    }
    if (!in->failed)
        count_case(in, run);
}

/* ---- all of it ---- */

static void take_options(struct results_reader *in, json_object *top)
{
    json_object *options = take(in, top, "options", json_type_object);
    if (options && json_object_object_length(options) > RESULTS_OPTIONS_MOST)
        fail(in, "options", "has too many members");
    if (in->failed)
        return;
    json_object_object_foreach(options, key, value)
    {
        /* A key is foreign text, too. */
        json_object *name = json_object_new_string(key);
        const char *kept = name ? keep_text(in, "options", name, RESULTS_TEXT_MOST) : "";
        const char *text = take_text_of(in, options, key, RESULTS_OPTION_MOST);
        if (!name || (!in->failed && !results_add_option(in->r, kept, text)))
            fail_memory(in);
        json_object_put(name);
        (void)value;
    }
}

static void take_set(struct results_reader *in, json_object *top)
{
    json_object *set = take(in, top, "set", json_type_object);
    if (!set)
        return;
    in->r->set = (struct results_set){
        .path = take_text(in, set, "path"),
        .application = take_text(in, set, "application"),
        .manifest = take_text(in, set, "manifest"),
        .profile = take_text(in, set, "profile"),
        .modules = take_number(in, set, "modules", 0, UINT64_MAX),
        .utilities = take_number(in, set, "utilities", 0, UINT64_MAX),
        .functions = take_number(in, set, "functions", 0, UINT64_MAX),
    };
    if (json_object_object_get_ex(set, "opened", NULL))
        in->r->set.opened = take_number(in, set, "opened", 0, UINT64_MAX);
}

static void take_top(struct results_reader *in, json_object *top)
{
    const uint64_t version = take_number(in, top, RESULTS_KEY, 0, INT64_MAX);
    if (!in->failed && version != RESULTS_VERSION) {
        error_set(in->e, ERROR_INPUT,
                  "these results have version %llu, this program reads %d; use the programs that came with the "
                  "pyelfrun that wrote them",
                  (unsigned long long)version, RESULTS_VERSION);
        in->failed = true;
    }
    in->r->version = take_text(in, top, "version");
    take_set(in, top);
    take_options(in, top);
    take_list(in, top, "runs", 0, 0);
}

static const struct json_file_limits limits = {
    .bytes = RESULTS_RUN_BYTES_MOST, .weight = RESULTS_WEIGHT_MOST, .what = "the results", .made = "pyelfrun --json"};

/* ---- the text, in which the runs are found without a tree ---- */

static const char *skip_blank(const char *p, const char *end)
{
    while (p < end && memchr(" \t\r\n", *p, 4))
        p++;
    return p;
}

/* The place behind the string that begins here. */
static const char *skip_string(const char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++)
        p += *p == '\\';
    return p < end ? p + 1 : end;
}

/* Counts the brackets that are open behind this character. */
static size_t depth_behind(size_t depth, char c)
{
    const bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
    return opens ? depth + 1 : depth - (closes && depth > 0);
}

/* The first element of the list of runs, or the bracket that closes it; `end` where there is no such list. */
static const char *find_runs(const char *p, const char *end)
{
    static const char key[] = "\"runs\"";
    for (size_t depth = 0; p < end;) {
        if (*p != '"') {
            depth = depth_behind(depth, *p++);
            continue;
        }
        const char *const begin = p;
        p = skip_string(p, end);
        const char *q = skip_blank(p, end);
        if (depth != 1 || (size_t)(p - begin) != sizeof key - 1 || memcmp(begin, key, sizeof key - 1) != 0 ||
            q == end || *q != ':')
            continue;
        q = skip_blank(q + 1, end);
        if (q < end && *q == '[')
            return q + 1;
    }
    return end;
}

/* The comma or bracket behind an element of a list; `end` where the text ends before it. */
static const char *element_end(const char *p, const char *end)
{
    size_t depth = 0;
    while (p < end && (depth > 0 || (*p != ',' && *p != ']'))) {
        depth = depth_behind(depth, *p);
        p = *p == '"' ? skip_string(p, end) : p + 1;
    }
    return p;
}

/* The bracket that closes the list of runs; `end` where the text ends before it. */
static const char *runs_end(const char *p, const char *end)
{
    while ((p = element_end(p, end)) < end && *p == ',')
        p++;
    return p;
}

/* Takes the runs from the first on, to the bracket at `end`. */
static void take_runs(struct results_reader *in, const char *p, const char *end)
{
    if (skip_blank(p, end) == end)
        return;
    for (size_t i = 0; !in->failed; i++) {
        const char *const behind = element_end(p, end);
        const char *const begin = skip_blank(p, behind);
        snprintf(in->where, sizeof in->where, "run %zu: ", i + 1);
        if (i == RESULTS_RUNS_MOST)
            fail(in, "runs", "has the wrong length");
        else if (begin == behind || *begin != '{')
            fail(in, "runs", "has a row that is no object");
        json_object *run = in->failed ? NULL : json_file_parse(begin, (size_t)(behind - begin), &limits, in->e);
        in->failed = !run;
        if (run)
            take_run(in, run);
        json_object_put(run);
        if (behind == end)
            return;
        p = behind + 1;
    }
}

/* The tree of the text without its runs, which are from `runs` to `behind`. */
static json_object *parse_top(const char *text, size_t size, const char *runs, const char *behind, struct error *e)
{
    const size_t before = (size_t)(runs - text), after = size - (size_t)(behind - text);
    char *top = malloc(before + after + 1);
    if (!top) {
        error_set(e, ERROR_MEMORY, "there is no memory left for %s", limits.what);
        return NULL;
    }
    memcpy(top, text, before);
    memcpy(top + before, behind, after);
    json_object *tree = json_file_parse(top, before + after, &limits, e);
    free(top);
    return tree;
}

/* Adds the contents of the text. */
static bool take_more(struct results *r, const char *text, size_t size, struct error *e)
{
    if (size > RESULTS_BYTES_MOST)
        return error_set(e, ERROR_INPUT, "is larger than %s that this program reads", limits.what);
    const char *const runs = find_runs(text, text + size), *const behind = runs_end(runs, text + size);
    json_object *top = parse_top(text, size, runs, behind, e);
    if (!top)
        return false;
    const struct results before = *r;
    struct results_reader in = {.r = r, .e = e};
    r->options = NULL;
    r->option_count = 0;
    take_top(&in, top);
    json_object_put(top);
    if (!in.failed)
        take_runs(&in, runs, behind);
    if (in.failed) {
        /* The arena keeps what was added to it, but nothing refers to that. */
        const struct arena arena = r->arena;
        *r = before;
        r->arena = arena;
    }
    return !in.failed;
}

bool results_parse(struct results *r, const char *text, size_t size, struct error *e)
{
    *r = (struct results){0};
    bool well = take_more(r, text, size, e);
    if (!well)
        results_free(r);
    return well;
}

bool results_read_more(struct results *r, const char *path, struct error *e)
{
    static const struct json_file_limits all = {.bytes = RESULTS_BYTES_MOST, .what = "the results"};
    size_t size;
    char *text = json_file_text(path, &all, &size, e);
    const bool well = text && (take_more(r, text, size, e) || error_at(e, path, 0));
    free(text);
    return well;
}

bool results_read(struct results *r, const char *path, struct error *e)
{
    *r = (struct results){0};
    bool well = results_read_more(r, path, e);
    if (!well)
        results_free(r);
    return well;
}
