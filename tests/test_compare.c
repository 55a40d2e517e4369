/* What pyelfstat --compare decides by itself: distances of distributions, which library stands for which, and what is
 * equal, within tolerance or off. Wrong profiles are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/compare.h"
#include "tools/compare/distance.h"

static void assert_near(double a, double b)
{
    if (fabs(a - b) > 1e-9)
        fail_msg("%g is not %g", a, b);
}

/* ---- distances ---- */

#define VALUES(...) (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

static void test_distance_of_values(void **state)
{
    (void)state;
    assert_near(distance_of_values(VALUES(1, 2, 3, 4), VALUES(1, 2, 3, 4)), 0);
    assert_near(distance_of_values(VALUES(1, 2, 3, 4), VALUES(1, 1, 2, 2, 3, 3, 4, 4)), 0);
    assert_near(distance_of_values(VALUES(1, 2), VALUES(3, 4)), 1);
    assert_near(distance_of_values(VALUES(3, 4), VALUES(1, 2)), 1);
    assert_near(distance_of_values(VALUES(1, 2, 3, 4), VALUES(1, 2, 3, 5)), 0.25);
    assert_near(distance_of_values(VALUES(5, 5, 5, 5), VALUES(5, 5, 6)), 1.0 / 3);
    /* Half of one side's values are below all of the other's. */
    assert_near(distance_of_values(VALUES(1, 2, 7, 8), VALUES(7)), 0.5);
    assert_near(distance_of_values(NULL, 0, NULL, 0), 0);
    assert_near(distance_of_values(NULL, 0, VALUES(1)), 1);
    assert_near(distance_of_values(VALUES(1), NULL, 0), 1);
}

static void test_distance_of_histograms(void **state)
{
    (void)state;
    struct histogram a = {{0}}, b = {{0}};
    assert_near(distance_of_histograms(&a, &b), 0);
    a.count[3] = 10;
    assert_near(distance_of_histograms(&a, &b), 1);
    b.count[3] = 1;
    assert_near(distance_of_histograms(&a, &b), 0);
    b.count[HISTOGRAM_BUCKETS - 1] = 3;
    assert_near(distance_of_histograms(&a, &b), 0.75);
    a.count[1] = 30;
    assert_near(distance_of_histograms(&a, &b), 0.75);
}

/* Sets q[i] to first + i * step. */
static const uint64_t *ramp(uint64_t q[QUANTILES], uint64_t first, uint64_t step)
{
    for (uint64_t i = 0; i < QUANTILES; i++)
        q[i] = first + i * step;
    return q;
}

static void test_distance_of_quantiles(void **state)
{
    (void)state;
    uint64_t a[QUANTILES], b[QUANTILES];
    assert_near(distance_of_quantiles(ramp(a, 7, 10), ramp(b, 7, 10)), 0);
    assert_near(distance_of_quantiles(ramp(a, 7, 0), ramp(b, 7, 0)), 0);
    assert_near(distance_of_quantiles(ramp(a, 7, 0), ramp(b, 8, 0)), 1);
    assert_near(distance_of_quantiles(ramp(a, 0, 10), ramp(b, 1000, 10)), 1);
    /* Straight lines from 0 to 200 and from 20 to 220 are a tenth apart. */
    assert_near(distance_of_quantiles(ramp(a, 0, 10), ramp(b, 20, 10)), 0.1);
    /* All values of one side at the end, or in the middle, of the other's even spread. */
    assert_near(distance_of_quantiles(ramp(a, 0, 10), ramp(b, 200, 0)), 1);
    assert_near(distance_of_quantiles(ramp(a, 0, 10), ramp(b, 100, 0)), 0.5);
    /* Many equal values, and values just beside them. */
    ramp(a, 0, 10);
    memcpy(b, a, sizeof b);
    for (int i = 5; i <= 15; i++)
        b[i] = 100;
    assert_near(distance_of_quantiles(a, b), 0.25);
    assert_near(distance_of_quantiles(b, a), 0.25);
}

/* The distance of quantiles is that of the values to within a step between quantiles. */
static void test_quantiles_follow_values(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    for (uint32_t shift = 0; shift < 600; shift += 50) {
        uint32_t values[SIDES][COUNT];
        uint64_t quantiles[SIDES][QUANTILES];
        for (int s = 0; s < SIDES; s++) {
            struct samples samples = {0};
            for (uint32_t i = 0; i < COUNT; i++)
                values[s][i] = i * i / 100 + (s == TWIN && i > COUNT / 2 ? shift : 0);
            assert_true(samples_take(&samples, values[s], COUNT));
            assert_true(samples_keep(&samples, values[s]));
            assert_memory_equal(samples.value, values[s], sizeof values[s]);
            for (unsigned q = 0; q < QUANTILES; q++)
                quantiles[s][q] = samples_quantile(&samples, q, QUANTILES);
            samples_free(&samples);
        }
        double exact = distance_of_values(values[REAL], COUNT, values[TWIN], COUNT);
        double reckoned = distance_of_quantiles(quantiles[REAL], quantiles[TWIN]);
        assert_true(fabs(exact - reckoned) < 0.05);
    }
}

static void test_distance_of_shares(void **state)
{
    (void)state;
    assert_near(distance_of_shares((uint64_t[]){1, 2, 3}, (uint64_t[]){10, 20, 30}, 3), 0);
    assert_near(distance_of_shares((uint64_t[]){1, 0}, (uint64_t[]){0, 1}, 2), 1);
    assert_near(distance_of_shares((uint64_t[]){5, 5}, (uint64_t[]){6, 4}, 2), 0.1);
    assert_near(distance_of_shares((uint64_t[]){0, 0}, (uint64_t[]){0, 0}, 2), 0);
    assert_near(distance_of_shares((uint64_t[]){0, 0}, (uint64_t[]){0, 1}, 2), 1);
}

static void test_states(void **state)
{
    (void)state;
    assert_int_equal(compare_number_state(0, 0, 0), STATE_EQUAL);
    assert_int_equal(compare_number_state(0, 1, 1), STATE_OFF);
    assert_int_equal(compare_number_state(1, 0, 0.05), STATE_OFF);
    assert_int_equal(compare_number_state(100, 105, 0.05), STATE_WITHIN);
    assert_int_equal(compare_number_state(100, 95, 0.05), STATE_WITHIN);
    assert_int_equal(compare_number_state(100, 106, 0.05), STATE_OFF);
    assert_int_equal(compare_number_state(100, 94, 0.05), STATE_OFF);
    assert_int_equal(compare_number_state(100, 101, 0), STATE_OFF);
    assert_int_equal(compare_number_state(UINT64_MAX, 0, 0.05), STATE_OFF);
    for (unsigned percent = 1; percent <= 100; percent++) {
        assert_int_equal(compare_number_state(100, 100 + percent, percent / 100.0), STATE_WITHIN);
        assert_int_equal(compare_number_state(100, 101 + percent, percent / 100.0), STATE_OFF);
    }
    assert_int_equal(compare_distance_state(0, METHOD_EXACT, 0), STATE_EQUAL);
    assert_int_equal(compare_distance_state(0.049, METHOD_EXACT, 0.05), STATE_WITHIN);
    assert_int_equal(compare_distance_state(0.05, METHOD_EXACT, 0.05), STATE_OFF);
    assert_int_equal(compare_distance_state(0.001, METHOD_EXACT, 0), STATE_OFF);
    /* Quantiles may be a step apart where hardly any value differs, so the tolerance itself is within */
    assert_int_equal(compare_distance_state(0.05, METHOD_QUANTILES, 0.05), STATE_WITHIN);
    assert_int_equal(compare_distance_state(0.051, METHOD_QUANTILES, 0.05), STATE_OFF);
    assert_int_equal(compare_distance_state(0.05, METHOD_QUANTILES, 0.01), STATE_OFF);
}

/* ---- matching ---- */

/* Makes the rows of a side from "name:kind name:kind", where - is no name, and m or u is the kind. */
static void make_rows(struct compare_side *side, struct compare_row *rows, char *text)
{
    *side = (struct compare_side){.row = rows};
    for (char *name = strtok(text, " "); name; name = strtok(NULL, " ")) {
        char *kind = strchr(name, ':');
        *kind = '\0';
        rows[side->rows++] = (struct compare_row){.name = *name == '-' ? NULL : name, .module = kind[1] == 'm'};
    }
}

/* Matches two lists and compares the pairs with "0=1n 1=0", where n says that a pair is matched by name. */
static void check_match(const char *real, const char *twin, enum compare_match_how how, const char *wanted)
{
    struct compare_row rows[SIDES][16];
    struct compare_side side[SIDES];
    struct compare_pairs pairs;
    struct arena arena = {0};
    char text[SIDES][256], got[256] = "";
    strcpy(text[REAL], real);
    strcpy(text[TWIN], twin);
    for (int s = 0; s < SIDES; s++)
        make_rows(&side[s], rows[s], text[s]);
    assert_true(compare_match(&arena, side, how, &pairs));
    size_t matched = 0, alone[SIDES] = {0, 0}, by_name = 0;
    for (size_t i = 0; i < pairs.count; i++) {
        const struct compare_pair *p = &pairs.of[i];
        char of[SIDES][16];
        for (int s = 0; s < SIDES; s++)
            snprintf(of[s], sizeof of[s], p->of[s] == COMPARE_NOBODY ? "-" : "%u", p->of[s]);
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s=%s%s", i ? " " : "", of[REAL], of[TWIN],
                 p->by_name ? "n" : "");
        alone[REAL] += p->of[TWIN] == COMPARE_NOBODY;
        alone[TWIN] += p->of[REAL] == COMPARE_NOBODY;
        matched += p->of[REAL] != COMPARE_NOBODY && p->of[TWIN] != COMPARE_NOBODY;
        by_name += p->by_name;
        if (p->of[REAL] != COMPARE_NOBODY)
            assert_int_equal(pairs.twin_of[p->of[REAL]], p->of[TWIN]);
    }
    assert_string_equal(got, wanted);
    assert_int_equal(pairs.matched, matched);
    assert_int_equal(pairs.by_name, by_name);
    assert_int_equal(pairs.alone[REAL], alone[REAL]);
    assert_int_equal(pairs.alone[TWIN], alone[TWIN]);
    arena_free(&arena);
}

static void test_match(void **state)
{
    (void)state;
    check_match("a:u b:u", "a:u b:u", MATCH_NAME, "0=0n 1=1n");
    check_match("a:u b:u", "b:u a:u", MATCH_NAME, "0=1n 1=0n");
    check_match("a:u b:u", "b:u a:u", MATCH_ORDER, "0=0 1=1");
    /* A name that occurs twice on one side matches nothing. */
    check_match("a:u a:u b:u", "b:u a:u c:u", MATCH_NAME, "0=1 1=2 2=0n");
    check_match("a:u b:u", "b:u b:u", MATCH_NAME, "0=0 1=1");
    /* Nor does a name that only one side has, or a missing one. */
    check_match("-:u x:u", "y:u -:u", MATCH_NAME, "0=0 1=1");
    /* A twin lists its modules first. */
    check_match("-:u -:m -:u -:m", "-:m -:m -:u -:u", MATCH_NAME, "0=2 1=0 2=3 3=1");
    /* Libraries of different kinds are matched before one is left alone. */
    check_match("-:m -:m -:u", "-:m -:u -:u", MATCH_ORDER, "0=0 1=2 2=1");
    check_match("a:u b:u c:u", "b:u", MATCH_NAME, "0=- 1=0n 2=-");
    check_match("b:u", "a:u b:u c:m", MATCH_NAME, "0=1n -=0 -=2");
    check_match("", "a:u", MATCH_NAME, "-=0");
    check_match("a:m", "", MATCH_ORDER, "0=-");
}

/* ---- profiles ---- */

struct reading {
    struct compare compare;
    struct compare_keys keys;
    struct compare_side side;
    struct error e;
};

static bool read_text(struct reading *r, const char *text)
{
    memset(r, 0, sizeof *r);
    FILE *from = fmemopen((char *)text, strlen(text), "r");
    assert_non_null(from);
    compare_start(&r->compare, &r->keys);
    bool ok = compare_read_profile(&r->compare, "a.prof", from, &r->keys, &r->side, &r->e);
    fclose(from);
    return ok;
}

static void end_reading(struct reading *r)
{
    compare_side_free(&r->side);
    arena_free(&r->compare.report.arena);
}

static uint64_t number_of(const struct reading *r, size_t row, const char *key)
{
    uint64_t found = UINT64_MAX;
    for (size_t i = 0; i < r->side.row[row].values; i++) {
        const struct compare_value *v = &r->side.row[row].value[i];
        if (strcmp(r->keys.of[v->key].name, key) == 0)
            found = v->number;
    }
    return found;
}

static void test_rows(void **state)
{
    (void)state;
    struct reading *r = malloc(sizeof *r);
    assert_non_null(r);
    assert_true(read_text(
        r, "pyelfgen-profile: 1\nmodules: 1\nutilities: 2\nsections: {text: 1 kB}\nsomething: [{new: 1}, [2]]\n"
           "captured: {from: files, libraries: 3, unreadable: 0}\n"
           "distributions: {function-sizes: '0:3 16:2', tags: 'b:2 a:1 others:0', else: x}\n"
           "libraries:\n"
           "- {kind: module, name: 'it''s', text: 2 kB, data: 0, bss: 0, symtab: 48, functions: 3,\n"
           "   dynamic: {functions: 3, versioned: 1, dynstr: 9}, plt: 0, needed: '2:7 1',\n"
           "   outside: 1, share: {code: 1500}, function-sizes: '1 2*19 3', name-lengths: '3*3 4 5*93 6*3 7', dwarf: "
           "{dies: 5, sampled: 12}, new-key: 5}\n"
           "- {kind: utility, text: 5, data: 0, bss: 0, functions: 2, plt: 0, outside: 0, symtab: 24,\n"
           "   global: {undefined: 1}, dynamic: {functions: 2}, needed: 0-2, name-lengths: '4*11'}\n"
           "- {kind: utility, text: 5, symtab: 24, dynamic: {functions: 2}, share: {code: 3}, outside: 0}\n"));
    assert_int_equal(r->side.rows, 3);
    assert_true(r->side.captured && !r->side.summary);
    const struct compare_row *row = r->side.row;
    assert_string_equal(row[0].name, "it's");
    assert_null(row[1].name);
    assert_true(row[0].module && !row[1].module);
    assert_true(row[0].sampled && !row[1].sampled);
    assert_int_equal(number_of(r, 0, "text"), 2000);
    assert_int_equal(number_of(r, 0, "share.code"), 1500);
    assert_int_equal(number_of(r, 0, "share.other"), 500);
    assert_int_equal(number_of(r, 1, "share.other"), UINT64_MAX);
    assert_int_equal(number_of(r, 0, "new-key"), 5);
    /* `global` is as `dynamic` where there is a .symtab and the row says nothing else. */
    assert_int_equal(number_of(r, 0, "global.functions"), 3);
    assert_int_equal(number_of(r, 0, "global.versioned"), UINT64_MAX);
    assert_int_equal(number_of(r, 0, "global.dynstr"), UINT64_MAX);
    assert_int_equal(number_of(r, 1, "global.functions"), UINT64_MAX);
    assert_int_equal(number_of(r, 1, "global.undefined"), 1);
    /* Nothing is derived for a row that is not complete. */
    assert_true(row[0].complete && row[1].complete && !row[2].complete);
    assert_true(row[0].has_edges && row[1].has_edges && !row[2].has_edges);
    assert_int_equal(number_of(r, 2, "global.functions"), UINT64_MAX);
    assert_int_equal(number_of(r, 2, "share.other"), UINT64_MAX);
    assert_int_equal(number_of(r, 2, "needed.libraries"), UINT64_MAX);
    assert_int_equal(row[0].edges, 2);
    assert_int_equal(row[0].edge[0].to, 2);
    assert_int_equal(row[0].edge[0].symbols, 7);
    assert_int_equal(row[1].edges, 3);
    assert_int_equal(row[1].edge[2].to, 2);
    assert_int_equal(number_of(r, 0, "needed.libraries"), 2);
    assert_int_equal(number_of(r, 0, "needed.symbols"), 7);
    assert_true(row[0].quantiles[SAMPLE_FUNCTIONS].known);
    assert_int_equal(row[0].quantiles[SAMPLE_FUNCTIONS].of[0], 1);
    assert_int_equal(row[0].quantiles[SAMPLE_FUNCTIONS].of[19], 2);
    assert_int_equal(row[0].quantiles[SAMPLE_FUNCTIONS].of[20], 3);
    /* Of finer quantiles those are kept that all rows have. Quantiles of few samples are not compared. */
    assert_true(row[0].quantiles[SAMPLE_NAMES].known);
    assert_int_equal(row[0].quantiles[SAMPLE_NAMES].of[0], 3);
    assert_int_equal(row[0].quantiles[SAMPLE_NAMES].of[1], 5);
    assert_int_equal(row[0].quantiles[SAMPLE_NAMES].of[19], 5);
    assert_int_equal(row[0].quantiles[SAMPLE_NAMES].of[20], 7);
    assert_false(row[1].quantiles[SAMPLE_NAMES].known);
    assert_int_equal(r->side.histogram[SAMPLE_FUNCTIONS].count[0], 3);
    assert_int_equal(r->side.histogram[SAMPLE_FUNCTIONS].count[histogram_bucket(16)], 2);
    assert_int_equal(r->side.tally[TALLY_TAGS].count, 3);
    assert_string_equal(r->side.tally[TALLY_TAGS].of[0].name, "a");
    end_reading(r);
    free(r);
}

/* A capture of many libraries leaves out a single symbol with a version, be the rows fewer now. */
static void test_what_many_leave_out(void **state)
{
    (void)state;
    struct reading *r = malloc(sizeof *r);
    assert_non_null(r);
    for (int libraries = 200; libraries <= 201; libraries++) {
        char text[400];
        snprintf(text, sizeof text,
                 "pyelfgen-profile: 1\ncaptured: {from: files, libraries: %d, unreadable: 0}\nlibraries:\n"
                 "- {kind: module, text: 5, data: 0, bss: 0, functions: 2, plt: 0, outside: 0, versions: 1}\n",
                 libraries);
        assert_true(read_text(r, text));
        assert_int_equal(number_of(r, 0, "dynamic.versioned"), libraries > 200 ? 1 : UINT64_MAX);
        end_reading(r);
    }
    free(r);
}

#define ROW(text) "pyelfgen-profile: 1\nlibraries:\n- {kind: module, " text "}\n"

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "neither an ELF file nor a captured profile"},
        {"hello", "neither an ELF file nor a captured profile"},
        {"- 1", "neither an ELF file nor a captured profile"},
        {"{\"libraries\": [{\"differs\": {\"plt\": [1, 2]}}]}", "neither an ELF file nor a captured profile"},
        {"\x01", "neither"},
        {"a: 1", "pyelfgen-profile"},
        {"pyelfgen-profile: 2", "is not 1"},
        {"pyelfgen-profile: {a: 1}", "is not 1"},
        {"pyelfgen-profile: 1\nmodules: some", "no whole number"},
        {"pyelfgen-profile: 1\nlibraries: 5", "no list"},
        {"pyelfgen-profile: 1\nlibraries: [5]", "no mapping"},
        {"pyelfgen-profile: 1\na: &x 1\nb: *x", "alias"},
        {ROW("text: -1"), "'-1' is no whole number"},
        {ROW("text: 99999999999999999999"), "no whole number"},
        {ROW("text: 99999999999999 GB"), "no whole number"},
        {ROW("text: 1 PB"), "no whole number"},
        {ROW("text: [1]"), "no value"},
        {ROW("share: {code: {a: 1}}"), "no value"},
        {ROW("? [a] : 1"), "no name"},
        {ROW("needed: '1'"), "needs number 1 of 1"},
        {ROW("needed: '0 0'"), "row 0 needs number 0 twice"},
        {ROW("needed: '0-4294967295'"), "too large"},
        {ROW("needed: '5-3'"), "no number"},
        {ROW("needed: '0:'"), "no number"},
        {ROW("needed: '0,1'"), "no number"},
        {ROW("function-sizes: '1 2 3'"), "quantiles"},
        {ROW("function-sizes: '1*22'"), "quantiles"},
        {ROW("function-sizes: '1*31'"), "or 51)"},
        {ROW("function-sizes: '1*221'"), "quantiles"},
        {ROW("function-sizes: '1*18446744073709551615'"), "quantiles"},
        {ROW("function-sizes: '2*20 1'"), "quantiles"},
        {"pyelfgen-profile: 1\ndistributions: {tags: 'a'}", "no list"},
        {"pyelfgen-profile: 1\ndistributions: {tags: ':5'}", "no list"},
        {"pyelfgen-profile: 1\ndistributions: {name-lengths: '5:'}", "no list"},
    };
    struct reading *r = malloc(sizeof *r);
    assert_non_null(r);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (read_text(r, cases[i].text) || !strstr(r->e.text, cases[i].says))
            fail_msg("%s: '%s' instead of '%s'", cases[i].text, r->e.text, cases[i].says);
        assert_string_equal(r->e.file, "a.prof");
        assert_int_equal(r->e.code, ERROR_INPUT);
        end_reading(r);
    }
    free(r);
}

/* The first value of an unknown key decides whether the key is a number or a word. If a later value does not fit, the
 * key is not compared. */
static void test_unknown_keys(void **state)
{
    (void)state;
    struct reading *r = malloc(sizeof *r);
    assert_non_null(r);
    assert_true(read_text(r, "pyelfgen-profile: 1\nlibraries:\n- {kind: module, a: 1, b: x, c: 1}\n"
                             "- {kind: module, a: 2, b: 5, c: 1.5}\n- {kind: module, c: 7}\n"));
    assert_int_equal(r->keys.of[compare_key(&r->compare, &r->keys, "a")].kind, COMPARE_SUM);
    assert_int_equal(r->keys.of[compare_key(&r->compare, &r->keys, "b")].kind, COMPARE_WORD);
    assert_int_equal(r->keys.of[compare_key(&r->compare, &r->keys, "c")].kind, COMPARE_SKIP);
    assert_int_equal(number_of(r, 1, "a"), 2);
    end_reading(r);

    /* Equal keys are one key, even if they cannot be shown as they are. */
    assert_true(read_text(r, "pyelfgen-profile: 1\nlibraries:\n- {kind: module, \"a\\tb\": 1}\n- {\"a\\tb\": 2}\n"));
    assert_int_equal(number_of(r, 0, "a?b"), 1);
    assert_int_equal(r->side.row[0].value[1].key, r->side.row[1].value[0].key);
    end_reading(r);
    free(r);
}

/* Words beyond a limit are counted together. */
static void test_many_words(void **state)
{
    (void)state;
    enum { ROWS = 200, SIZE = 1 << 16 };
    char *text = malloc(SIZE);
    struct comparison *c = calloc(1, sizeof *c);
    struct compare *compare = calloc(1, sizeof *compare);
    assert_true(text && c && compare);
    c->compare = compare;
    size_t length = (size_t)snprintf(text, SIZE, "pyelfgen-profile: 1\nlibraries:\n");
    for (int i = 0; i < ROWS; i++)
        length += (size_t)snprintf(text + length, SIZE - length, "- {kind: module, hash: w%d}\n", i);
    compare_start(compare, &c->keys);
    for (int s = 0; s < SIDES; s++) {
        struct error e;
        FILE *from = fmemopen(text, length, "r");
        assert_true(compare_read_profile(compare, "a.prof", from, &c->keys, &c->side[s], &e));
        fclose(from);
    }
    assert_true(compare_match(&compare->report.arena, c->side, MATCH_NAME, &c->pairs));
    compare_quantities(c);
    uint64_t sum = 0;
    size_t hashes = 0;
    for (size_t i = 0; i < c->set.count; i++) {
        const struct compare_quantity *q = &c->set.of[i];
        if (strncmp(q->name, "hash: ", 6) == 0) {
            assert_int_equal(q->number[REAL], q->number[TWIN]);
            sum += q->number[REAL];
            hashes++;
        }
    }
    assert_int_equal(sum, ROWS);
    assert_int_equal(hashes, 64);
    assert_true(compare_agrees(c));
    compare_free(c);
    arena_free(&compare->report.arena);
    free(compare);
    free(c);
    free(text);
}

/* The numbers of keys and of edges have limits. */
static void test_bounds(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE);
    struct reading *r = malloc(sizeof *r);
    assert_non_null(text);
    assert_non_null(r);
    size_t length = (size_t)snprintf(text, SIZE, "pyelfgen-profile: 1\nlibraries:\n- {kind: module");
    for (int i = 0; i < 2 * COMPARE_KEYS_MOST; i++)
        length += (size_t)snprintf(text + length, SIZE - length, ", key%d: 1", i);
    snprintf(text + length, SIZE - length, "}\n");
    assert_false(read_text(r, text));
    assert_non_null(strstr(r->e.text, "different keys"));
    end_reading(r);

    length = (size_t)snprintf(text, SIZE, "pyelfgen-profile: 1\nlibraries:\n- {kind: module, needed: '");
    for (int i = 0; i < 10000; i++)
        length += (size_t)snprintf(text + length, SIZE - length, "0-99999 ");
    snprintf(text + length, SIZE - length, "'}\n");
    assert_false(read_text(r, text));
    assert_non_null(strstr(r->e.text, "too many"));
    end_reading(r);
    free(r);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance_of_values),
        cmocka_unit_test(test_distance_of_histograms),
        cmocka_unit_test(test_distance_of_quantiles),
        cmocka_unit_test(test_quantiles_follow_values),
        cmocka_unit_test(test_distance_of_shares),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_match),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_what_many_leave_out),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_unknown_keys),
        cmocka_unit_test(test_many_words),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
