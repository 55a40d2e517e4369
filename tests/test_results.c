/* driver/results: what is read is what was written, wrong results are refused, and what is shown follows from the
 * values of the ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/replacement.h"
#include "driver/results/results.h"
#include "results_case.h"
#include "sanitized.h"

typedef void writer(const struct results *r, FILE *f);

static char *written(const struct results *r, writer *write)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    write(r, f);
    fclose(f);
    return text;
}

static struct results read_right(void)
{
    struct results r;
    struct error e = {0};
    if (!results_parse(&r, right, sizeof right - 1, &e))
        fail_msg("%s", e.text);
    return r;
}

static void test_what_is_read_is_what_was_written(void **state)
{
    (void)state;
    struct results r = read_right();
    char *text = written(&r, results_write_json);
    assert_string_equal(text, right);
    free(text);

    assert_string_equal(r.set.path, "/sets/a\\b");
    assert_int_equal(r.run_count, 3);
    assert_int_equal(r.runs[0].begun, 1769903998);
    assert_false(r.runs[0].phase[RESULTS_MPI].ran);
    const struct results_figure *f = r.runs[0].phase[RESULTS_IMPORT].counters;
    assert_true(isnan(f->value[1]) && f->value[2] == 6);
    assert_string_equal(f->absent, "not on this host");
    assert_string_equal(f[1].absent, "no \"PMU\"");
    assert_int_equal(r.runs[2].status, 3);
    results_free(&r);
}

/* ---- refused ---- */

static void expect_wrong(const char *text, size_t size, const char *said)
{
    struct results r;
    struct error e = {0};
    if (results_parse(&r, text, size, &e))
        fail_msg("accepted: %.*s", (int)size, text);
    if (!strstr(e.text, said))
        fail_msg("\"%s\" lacks \"%s\"", e.text, said);
    assert_null(r.runs);
}

/* Expects that the right results with the first `old` replaced are refused. */
static void expect_refused(const char *old, const char *new, const char *said)
{
    char text[2 * sizeof right];
    const char *at = strstr(right, old);
    assert_non_null(at);
    const int n = snprintf(text, sizeof text, "%.*s%s%s", (int)(at - right), right, new, at + strlen(old));
    expect_wrong(text, (size_t)n, said);
}

static void test_what_is_wrong_is_named(void **state)
{
    (void)state;
    expect_refused("\"pyelfrun-results\": 1", "\"pyelfrun-results\": 2", "have version 2, this program reads 1");
    expect_refused("\"pyelfrun-results\": 1", "\"pyelfgen-manifest\": 1", "'pyelfrun-results' is missing");
    expect_refused("\"modules\": 4", "\"modules\": -4", "'modules' is out of range");
    expect_refused("\"modules\": 4", "\"modules\": 4.5", "'modules' is not of type int");
    expect_refused("first steps", "first\\u001bsteps", "'application' has characters");
    expect_refused("first steps", "first\\u0000steps", "'application' has characters");
    expect_refused("\"import,visit\"", "7", "'phases' is not of type string");
    expect_refused("\"ranks\": 3", "\"ranks\": 1", "run 1: 'hosts' has the wrong length");
    expect_refused("\"ranks\": 3", "\"ranks\": 4", "run 1: 'rank-hosts' has the wrong length");
    expect_refused("\"ranks\": 3", "\"ranks\": 0", "run 1: 'ranks' is out of range");
    expect_refused("\"ranks\": 3", "\"ranks\": 4000000", "run 1: 'rank-hosts' has the wrong length");
    expect_refused("[0, 1, 1]", "[0, 1, 2]", "'rank-hosts' names a host that is not in 'hosts'");
    expect_refused("[0, 1, 1]", "[0, 1, -1]", "'rank-hosts' names a host");
    expect_refused("[0, 1, 1]", "[0, 1]", "'rank-hosts' has the wrong length");
    expect_refused("2026-01-31T23:59:58Z", "yesterday", "'begun' is no moment");
    expect_refused("\"status\": \"done\"", "\"status\": \"well\"", "'status' is neither done nor failed");
    expect_refused("\"exit-status\": 3", "\"exit-status\": 0", "run 3: 'exit-status' is out of range");
    expect_refused("\"name\": \"visit\"", "\"name\": \"import\"", "is no phase, or one that comes twice");
    expect_refused("\"name\": \"visit\"", "\"name\": \"link\"", "is no phase");
    expect_refused("[0.100000000, 0", "[-0.100000000, 0", "run 1, import: 'per-rank' has a number that cannot be");
    expect_refused("[0.100000000, 0", "[1e999, 0", "");
    expect_refused("[0.100000000, 0", "[\"much\", 0", "'per-rank' has something that is no number");
    expect_refused("[0.100000000, 0", "[0", "'per-rank' has the wrong length");
    expect_refused("\"absent\": \"no clock\"", "\"missing\": \"no clock\"", "'absent' is missing");
    expect_refused("\"level\": false", "\"level\": 0", "'level' is not of type boolean");
    expect_refused("\"mode\"", "mode", "is not JSON");
    expect_wrong("[]", 2, "is not what pyelfrun --json has written");
    expect_wrong("", 0, "ends in the middle");
}

static void test_what_was_cut_off(void **state)
{
    (void)state;
    /* The last two are the closing brace and the end of its line. */
    for (size_t size = 0; size < sizeof right - 3; size++)
        expect_wrong(right, size, "ends in the middle");
}

/* Results with any wrong byte are refused, or read and written again without harm. */
static void test_any_byte(void **state)
{
    (void)state;
    static const char bytes[] = {'\0', '"', '[', '}', '9', '-', 'e', ',', (char)0xff};
    enum { STEP = SANITIZED ? sizeof bytes : 1 }; /* each place, with one of the bytes or with all */
    char text[sizeof right];
    for (size_t i = 0; i < sizeof right - 1; i++)
        for (size_t k = i % STEP; k < sizeof bytes; k += STEP) {
            struct results r;
            struct error e = {0};
            memcpy(text, right, sizeof right);
            text[i] = bytes[k];
            if (!results_parse(&r, text, sizeof right - 1, &e)) {
                assert_true(e.code == ERROR_INPUT && e.text[0]);
                continue;
            }
            free(written(&r, results_write_json));
            results_free(&r);
        }
}

/* Text of which each megabyte would become a gigabyte of tables. */
static void test_what_would_be_heavy(void **state)
{
    (void)state;
    const size_t size = 4 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++)
        text[i] = "{},"[i % 3];
    expect_wrong(text, size, "is larger than the results that this program reads");
    memset(text, '[', size);
    expect_wrong(text, size, "is larger than");
    expect_wrong(text, 1000, "is not JSON");
    free(text);
}

static void test_reading_more(void **state)
{
    (void)state;
    struct results r = read_right();
    struct error e = {0};
    char path[] = "results-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, right, sizeof right - 9) == sizeof right - 9);
    assert_false(results_read_more(&r, path, &e));
    assert_string_equal(e.file, path);
    assert_int_equal(r.run_count, 3);
    assert_int_equal(r.option_count, 2);
    assert_true(pwrite(fd, right, sizeof right - 1, 0) == sizeof right - 1);
    assert_true(results_read_more(&r, path, &e));
    assert_int_equal(r.run_count, 6);
    assert_int_equal(r.option_count, 2);
    assert_string_equal(r.runs[5].mode, "static");
    close(fd);
    unlink(path);
    results_free(&r);
}

/* Results with so many runs, all the same, as one text of *size bytes. */
static char *many_runs(const char *run, size_t count, size_t *size)
{
    const char *const first = strstr(right, "  {\"mode\"");
    char *text = NULL;
    FILE *f = open_memstream(&text, size);
    assert_non_null(f);
    fprintf(f, "%.*s", (int)(first - right), right);
    for (size_t i = 0; i < count; i++)
        fprintf(f, "%s%s", i ? ",\n" : "", run);
    fputs("\n ]}\n", f);
    fclose(f);
    return text;
}

/* What pyelfrun makes at most is read, though it is larger than any one run may be. */
static void test_as_many_runs_as_there_can_be(void **state)
{
    (void)state;
    static const char run[] = RUN("1", "1.500000000"), place[] = "nothing sent";
    struct results r;
    struct error e = {0};
    size_t size;
    char more[RESULTS_TEXT_MOST + 1] = "", longer[sizeof run + sizeof more];
    memset(more, 'x', sizeof more - 1);
    const char *const at = strstr(run, place);
    snprintf(longer, sizeof longer, "%.*s%s%s", (int)(at - run), run, more, at + sizeof place - 1);
    char *text = many_runs(longer, RESULTS_RUNS_MOST, &size);
    assert_true(size > RESULTS_RUN_BYTES_MOST);
    assert_true(results_parse(&r, text, size, &e));
    assert_int_equal(r.run_count, RESULTS_RUNS_MOST);
    assert_string_equal(r.runs[RESULTS_RUNS_MOST - 1].mpi_test, more);
    results_free(&r);
    free(text);
    text = many_runs("{\"mode\": \"link\", \"repeat\": 1, \"status\": \"failed\", \"exit-status\": 3}",
                     RESULTS_RUNS_MOST + 1, &size);
    expect_wrong(text, size, "'runs' has the wrong length");
    free(text);
}

static void test_runs_that_are_no_list(void **state)
{
    (void)state;
    expect_refused("\"runs\": [", "\"runs\": [,", "run 1: 'runs' has a row that is no object");
    expect_refused("\"runs\": [", "\"runs\": [7,", "run 1: 'runs' has a row that is no object");
    expect_refused("\"runs\": [", "\"runs\": [[],", "run 1: 'runs' has a row that is no object");
    expect_refused("3}\n ]", "3},\n ]", "run 4: 'runs' has a row that is no object");
    expect_refused("3}\n ]", "3} {}\n ]", "is not JSON");
    expect_refused("3}\n ]", "3}\n ], \"runs\": [{}]", "'runs' has the wrong length");
    expect_refused("\"runs\": [", "\"r\\u0075ns\": [", "'runs' has the wrong length");
    expect_refused("\"runs\": [", "\"runs\": {\"runs\": [", "");
    expect_refused("\"runs\"", "\"run\"", "'runs' is missing");
}

static void test_a_file_that_is_too_large_to_be_read(void **state)
{
    (void)state;
    struct results r = read_right();
    struct error e = {0};
    char path[] = "results-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && ftruncate(fd, 3 * (off_t)RESULTS_RUN_BYTES_MOST) == 0);
    assert_true(results_are_readable(&r, path, &e));
    assert_true(results_are_readable(&r, "-", &e));
    assert_true(ftruncate(fd, 4 * (off_t)RESULTS_RUN_BYTES_MOST) == 0);
    assert_false(results_are_readable(&r, path, &e)); /* for its three runs */
    assert_string_equal(e.file, path);
    assert_string_equal(e.text,
                        "was written, and is larger than what pyelfstat --runs reads: 536 MB, or 67 MB for each "
                        "run; it has 268 MB of 3 runs");
    close(fd);
    unlink(path);
    results_free(&r);
}

/* ---- sums ---- */

static void test_medians(void **state)
{
    (void)state;
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, most[] = {INFINITY, 1};
    assert_true(results_median(odd, 3) == 2);
    assert_true(results_median(even, 4) == 2.5);
    assert_true(results_median(even, 1) == 1);
    assert_true(isnan(results_median(odd, 0)));
    assert_true(isinf(results_median(most, 2)));
}

static void test_a_case_is_the_median_of_its_runs(void **state)
{
    (void)state;
    struct results r = read_right();
    size_t count;
    struct results_case *cases = results_cases(&r, &count);
    assert_int_equal(count, 1); /* the run that failed is no case */
    assert_string_equal(cases[0].mode, "link");
    assert_int_equal(cases[0].runs, 2);
    assert_true(cases[0].seconds[RESULTS_IMPORT] == 0.3);
    assert_true(cases[0].seconds[RESULTS_VISIT] == 2.0);
    assert_true(isnan(cases[0].seconds[RESULTS_STARTUP])); /* not known is not 0 */
    assert_true(isnan(cases[0].total));
    free(cases);
    results_free(&r);
}

/* ---- what is shown ---- */

static void write_first_table(const struct results *r, FILE *f)
{
    results_write_table(r, &r->runs[0], f);
}

static void write_first_pynamic(const struct results *r, FILE *f)
{
    results_write_pynamic(&r->runs[0], f);
}

static void write_cases(const struct results *r, FILE *f)
{
    struct error e;
    assert_true(results_write_cases(r, f, &e));
}

static void expect_written(const struct results *r, writer *write, const char *wanted)
{
    char *text = written(r, write);
    assert_string_equal(text, wanted);
    free(text);
}

static void test_tables(void **state)
{
    (void)state;
    struct results r = read_right();
    expect_written(&r, write_first_table,
                   "first steps: 4 modules, 2 utilities\n"
                   "\n"
                   "seconds         max        min       mean  slowest\n"
                   "startup    not measured: no clock\n"
                   "import       0.3000     0.1000     0.2000  rank 1 on n2\n"
                   "visit        1.5000     1.5000     1.5000  rank 0 on n1\n"
                   "\n"
                   "counters, of the rank with most           startup         import          visit\n"
                   "faults                                          -              6              -  faults\n"
                   "not counted: misses: no \"PMU\"\n"
                   "\n"
                   "mode link, 3 ranks, 4 modules imported by CPython 3.11.2\n"
                   "1128 of 1128 functions visited, every result right\n");
    expect_written(&r, write_cases,
                   "seconds     startup     import      visit      total   runs\n"
                   "link              -     0.3000     2.0000          -      2\n");
    results_free(&r);
}

static void test_pynamic(void **state)
{
    (void)state;
    struct results r = read_right();
    setenv("TZ", "UTC", 1);
    /* The startup is not known, and MPI was left out. */
    expect_written(&r, write_first_pynamic,
                   "Pynamic: Version 1.3.3\n"
                   "Pynamic: run on 01/31/26 23:59:58 with 3 MPI tasks\n"
                   "\n"
                   "Pynamic: driver beginning... now importing modules\n"
                   "Pynamic: driver finished importing all modules... visiting all module functions\n"
                   "Pynamic: module import time = 0.300000000 secs\n"
                   "Pynamic: module visit time = 1.500000000 secs\n"
                   "Pynamic: module test passed!\n"
                   "\n");
    struct results_run *run = &r.runs[0];
    run->phase[RESULTS_STARTUP].seconds.value = run->phase[RESULTS_IMPORT].seconds.value;
    run->phase[RESULTS_MPI] = run->phase[RESULTS_VISIT];
    char *table = written(&r, write_first_table);
    assert_non_null(strstr(table, "every result right\nMPI test passed, nothing sent\n"));
    free(table);
    expect_written(&r, write_first_pynamic,
                   "Pynamic: Version 1.3.3\n"
                   "Pynamic: run on 01/31/26 23:59:58 with 3 MPI tasks\n"
                   "\n"
                   "Pynamic: startup time = 0.300000000 secs\n"
                   "Pynamic: driver beginning... now importing modules\n"
                   "Pynamic: driver finished importing all modules... visiting all module functions\n"
                   "Pynamic: module import time = 0.300000000 secs\n"
                   "Pynamic: module visit time = 1.500000000 secs\n"
                   "Pynamic: module test passed!\n"
                   "\n"
                   "Pynamic: testing mpi capability...\n"
                   "\n"
                   "\n"
                   "Pynamic: fractal mpi time = 1.500000000 secs\n"
                   "Pynamic: mpi test passed!\n"
                   "\n");
    results_free(&r);
}

static void test_foreign_text(void **state)
{
    (void)state;
    struct results r = read_right();
    r.set.path = "/\xff\x1b[31m\"\n";
    r.set.application = "\xc3\xa9t\xc3\xa9";
    char *text = written(&r, results_write_json);
    assert_non_null(strstr(text, "\"path\": \"/??[31m\\\"?\", \"application\": \"\xc3\xa9t\xc3\xa9\""));
    free(text);
    results_free(&r);
}

/* ---- files ---- */

static void expect_text(const char *path, const char *wanted)
{
    char text[2 * sizeof right] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    assert_string_equal(text, wanted);
}

/* If results cannot be written whole, the old file stays, and no other file is left. */
static void test_saving(void **state)
{
    (void)state;
    struct results r = read_right();
    struct error e = {0};
    char directory[] = "saving-XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/a.json", directory);
    assert_true(replacement_possible(path, RESULT_REPORT, &e));
    assert_int_not_equal(access(path, F_OK), 0);
    const mode_t mask = umask(027);
    assert_true(results_save(&r, path, &e));
    umask(mask);
    expect_text(path, right);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);

    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit little = {100, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &little);
    r.version = "another";
    const bool saved = results_save(&r, path, &e);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_false(saved);
    assert_string_equal(e.file, path);
    assert_non_null(strstr(e.text, "cannot be written"));
    expect_text(path, right);

    assert_false(replacement_possible(directory, RESULT_REPORT, &e));
    assert_non_null(strstr(e.text, "is a directory"));
    assert_false(replacement_possible("/dev/null", RESULT_REPORT, &e));
    assert_false(replacement_possible("no/such/directory/a.json", RESULT_REPORT, &e));
    assert_non_null(strstr(e.text, "choose another directory"));
    unlink(path);
    assert_int_equal(rmdir(directory), 0); /* nothing else is in it */
    results_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_read_is_what_was_written),
        cmocka_unit_test(test_what_is_wrong_is_named),
        cmocka_unit_test(test_what_was_cut_off),
        cmocka_unit_test(test_any_byte),
        cmocka_unit_test(test_what_would_be_heavy),
        cmocka_unit_test(test_reading_more),
        cmocka_unit_test(test_as_many_runs_as_there_can_be),
        cmocka_unit_test(test_runs_that_are_no_list),
        cmocka_unit_test(test_a_file_that_is_too_large_to_be_read),
        cmocka_unit_test(test_medians),
        cmocka_unit_test(test_a_case_is_the_median_of_its_runs),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_pynamic),
        cmocka_unit_test(test_foreign_text),
        cmocka_unit_test(test_saving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
