/* The manifest's reader with manifests that are right and wrong.
 *
 * Each wrong manifest is the right one with one text in it replaced, so that
 * one thing is wrong at a time; the message is asserted too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/manifest_read.h"

static const char right[] =
    "{\"pyelfgen-manifest\": 1, \"version\": \"0.1.0\", \"application\": \"two of each\",\n"
    " \"profile\": \"00\", \"seed\": 42, \"wanted\": null, \"actual\": {\"text\": 1},\n"
    " \"modules\": 2, \"utilities\": 1, \"functions\": 32, \"libraries\": [\n"
    "  {\"name\": \"libmodulebegin.so\", \"kind\": \"marker\", \"entry\": \"begin_break_here\", \"result\": 7},\n"
    "  {\"name\": \"libmodule0.so\", \"kind\": \"module\", \"functions\": 11, \"visited\": 10, \"marks\": 13,\n"
    "   \"marked\": 12, \"entry\": \"libmodule0_entry\", \"result\": 18446744073709551615},\n"
    "  {\"name\": \"libmodule1.so\", \"kind\": \"module\", \"functions\": 12, \"visited\": 12, \"marks\": 14,\n"
    "   \"marked\": 13, \"entry\": \"libmodule1_entry\", \"result\": 9223372036854775808},\n"
    "  {\"name\": \"libmodulefinal.so\", \"kind\": \"marker\", \"functions\": 0, \"visited\": 0, \"marks\": 0,\n"
    "   \"marked\": 0, \"entry\": \"break_here\", \"result\": 0},\n"
    "  {\"name\": \"libutility0.so\", \"kind\": \"utility\", \"functions\": 9, \"visited\": 9, \"marks\": 9,\n"
    "   \"marked\": 9}]}\n";

/* The right manifest with the first `from` replaced; the caller's to free. */
static char *with(const char *from, const char *to)
{
    const char *place = strstr(right, from);
    assert_non_null(place);
    size_t before = (size_t)(place - right);
    size_t size = sizeof right + strlen(to);
    char *text = malloc(size);
    assert_non_null(text);
    snprintf(text, size, "%.*s%s%s", (int)before, right, to, place + strlen(from));
    return text;
}

static void assert_refused(const char *text, size_t size, const char *message)
{
    struct manifest m;
    struct error e = {0};
    bool well = manifest_parse(&m, text, size, &e);
    if (well || !strstr(e.text, message))
        print_error("for: %.*s\nexpected: %s\ngot: %s\n", (int)size, text, message, well ? "no error" : e.text);
    assert_false(well);
    assert_non_null(strstr(e.text, message));
    assert_int_equal(e.code, ERROR_INPUT);
    assert_null(m.libraries);
}

static void test_right(void **state)
{
    (void)state;
    struct manifest m;
    struct error e = {0};
    assert_true(manifest_parse(&m, right, sizeof right - 1, &e));
    assert_string_equal(m.version, "0.1.0");
    assert_string_equal(m.application, "two of each");
    assert_int_equal(m.modules, 2);
    assert_int_equal(m.utilities, 1);
    assert_int_equal(m.functions, 32);
    assert_int_equal(m.count, 5);
    assert_int_equal(m.imported, 4);

    const struct manifest_library *l = &m.libraries[1];
    assert_string_equal(l->name, "libmodule0.so");
    assert_string_equal(l->stem, "libmodule0");
    assert_string_equal(l->entry, "libmodule0_entry");
    assert_int_equal(l->kind, MANIFEST_MODULE);
    assert_int_equal(l->functions, 11);
    assert_int_equal(l->visited, 10);
    assert_int_equal(l->marks, 13);
    assert_int_equal(l->marked, 12);
    assert_true(l->result == UINT64_MAX);
    assert_true(m.libraries[2].result == UINT64_C(1) << 63);
    assert_int_equal(m.libraries[0].kind, MANIFEST_MARKER);
    assert_int_equal(m.libraries[0].marks, 0);
    assert_int_equal(m.libraries[0].result, 7);
    assert_int_equal(m.libraries[4].kind, MANIFEST_UTILITY);
    assert_null(m.libraries[4].entry);
    manifest_free(&m);
    manifest_free(NULL);
}

/* Later releases may say more without being another version. */
static void test_unknown_keys(void **state)
{
    (void)state;
    struct manifest m;
    struct error e = {0};
    char *text = with("\"seed\": 42", "\"seed\": 42, \"new\": {\"a\": [1, {\"b\": -2.5}]}");
    assert_true(manifest_parse(&m, text, strlen(text), &e));
    manifest_free(&m);
    free(text);
}

static void test_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        /* the manifest as a whole */
        {"\"pyelfgen-manifest\": 1, ", "", "there is no key 'pyelfgen-manifest'"},
        {"\"pyelfgen-manifest\": 1", "\"pyelfgen-manifest\": 2", "has version 2, this program reads 1"},
        {"\"pyelfgen-manifest\": 1", "\"pyelfgen-manifest\": 1.0", "'pyelfgen-manifest' is not a whole number"},
        {"\"pyelfgen-manifest\": 1", "\"pyelfgen-manifest\": \"1\"", "'pyelfgen-manifest' is not a whole number"},
        {"\"pyelfgen-manifest\": 1", "\"pyelfgen-manifest\": null", "'pyelfgen-manifest' is not a whole number"},
        {"9}]}", "9}]} {}", "has something after its end"},
        {"\"seed\": 42", "\"seed\": 42,,", "is not JSON"},
        {"\"seed\": 42", "\"seed\": [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]", "is not JSON: nesting too deep"},
        {"\"version\": \"0.1.0\", ", "", "'version' is missing"},
        {"\"two of each\"", "17", "'application' is not a text"},
        {"two of each", "two\\u001b[2J of each", "'application' has control characters"},
        {"two of each", "two\\u009b2J of each", "'application' has control characters"},
        {"two of each", "two\\u0000 of each", "'application' has control characters"},
        {"two of each", "two \xff of each", "is not JSON"},
        {"\"libraries\": [", "\"libraries\": 3, \"rows\": [", "'libraries' is not a list"},

        /* counts */
        {"\"modules\": 2", "\"modules\": -2", "'modules' is negative"},
        {"\"modules\": 2", "\"modules\": 2e0", "'modules' is not a whole number"},
        {"\"modules\": 2", "\"modules\": 65537", "'modules' is too large"},
        {"\"modules\": 2", "\"modules\": 3", "5 libraries are listed where 3 modules, 1 utilities and 2 markers"},
        {"\"modules\": 2, \"utilities\": 1", "\"modules\": 1, \"utilities\": 2", "libmodule1.so is out of order"},
        {"\"functions\": 32", "\"functions\": 31", "'functions' is 31, but the libraries have 32"},

        /* rows */
        {"\"name\": \"libmodule0.so\", ", "", "row 2 of 'libraries': 'name' is missing"},
        {"libmodule0.so", "../libmodule0.so", "row 2 of 'libraries': 'name' has a '/'"},
        {"libmodule0.so", "libmodule0.s", "'name' does not end in .so"},
        {"libmodule0.so", ".so", "'name' does not end in .so"},
        {"libmodule0.so", "lib\\nmodule0.so", "'name' has control characters"},
        {"libmodule0.so", "lib\\u0000module0.so", "'name' has control characters"},
        {"libmodule0.so", "lib.module0.so", "lib.module0.so: 'name' has a dot before .so"},
        {"libmodule0.so", "libmodule1.so", "libmodule1.so is listed twice"},
        {"\"kind\": \"module\"", "\"kind\": \"modules\"", "libmodule0.so: 'kind' is none of module, utility and"},
        {"\"kind\": \"module\"", "\"kind\": \"utility\"", "libmodule0.so is out of order"},
        {"\"kind\": \"marker\"", "\"kind\": \"module\"", "libmodulebegin.so: 'functions' is missing"},
        {"\"functions\": 11", "\"functions\": 268435457", "libmodule0.so: 'functions' is too large"},
        {"\"functions\": 11", "\"functions\": 18446744073709551616", "'functions' is too large"},
        {"\"functions\": 11", "\"functions\": 14", "libmodule0.so: 'marks' is less than 'functions'"},
        {"\"visited\": 10", "\"visited\": 12", "libmodule0.so: 'visited' is too large"},
        {"\"marked\": 12", "\"marked\": 14", "libmodule0.so: 'marked' is too large"},
        {"\"marked\": 12", "\"marked\": 9", "libmodule0.so: 'marked' is less than 'visited'"},
        {"\"marks\": 13,\n", "", "libmodule0.so: 'marks' is missing"},
        {"\"entry\": \"libmodule0_entry\", ", "", "libmodule0.so: 'entry' is missing"},
        {"libmodule0_entry", "", "libmodule0.so: 'entry' is not a name of a function"},
        {"libmodule0_entry", "0_entry", "libmodule0.so: 'entry' is not a name of a function"},
        {"libmodule0_entry", "__import__('os')", "libmodule0.so: 'entry' is not a name of a function"},
        {"18446744073709551615", "-1", "libmodule0.so: 'result' is negative"},
        {"18446744073709551615", "true", "libmodule0.so: 'result' is not a whole number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = with(cases[i].from, cases[i].to);
        assert_refused(text, strlen(text), cases[i].message);
        free(text);
    }
}

static void test_not_an_object(void **state)
{
    (void)state;
    static const char *const texts[] = {"null\n", "[]", "\"pyelfgen-manifest\"", "{}", "true\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_refused(texts[i], strlen(texts[i]), "there is no key 'pyelfgen-manifest'");
}

static void test_row_not_an_object(void **state)
{
    (void)state;
    static const char text[] = "{\"pyelfgen-manifest\": 1, \"version\": \"\", \"application\": \"\", \"modules\": 0,"
                               "\"utilities\": 0, \"functions\": 0, \"libraries\": [null, null]}";
    assert_refused(text, sizeof text - 1, "'libraries' has a row that is not an object");
}

/* Wherever a manifest ends too early, it is not taken for a whole one. */
static void test_truncated(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof right - 2; size++) {
        char *text = malloc(size + 1);
        assert_non_null(text);
        memcpy(text, right, size);
        assert_refused(text, size, "ends in the middle");
        free(text);
    }
}

static void test_line_of_error(void **state)
{
    (void)state;
    struct manifest m;
    struct error e = {0};
    char *text = with("\"kind\": \"module\"", "\"kind\" \"module\"");
    assert_false(manifest_parse(&m, text, strlen(text), &e));
    assert_int_equal(e.line, 5);
    free(text);
}

static void test_long_texts(void **state)
{
    (void)state;
    char name[300];
    memset(name, 'a', sizeof name);
    strcpy(name + sizeof name - 4, ".so");
    char *text = with("libmodule0.so", name);
    assert_refused(text, strlen(text), "'name' is too long");
    free(text);
}

/* Makes a directory for one test. */
static int make_directory(void **state)
{
    static char path[64];
    strcpy(path, "/tmp/test_manifest_read.XXXXXX");
    *state = mkdtemp(path);
    return *state ? 0 : -1;
}

static int remove_directory(void **state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/manifest.json", (const char *)*state);
    if (unlink(path) != 0)
        rmdir(path);
    return rmdir(*state);
}

static void write_manifest(const char *directory, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/manifest.json", directory);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

static void test_read(void **state)
{
    struct manifest m;
    struct error e = {0};
    write_manifest(*state, right);
    assert_true(manifest_read(&m, *state, &e));
    assert_int_equal(m.count, 5);
    manifest_free(&m);
}

static void test_read_names_the_file(void **state)
{
    struct manifest m;
    struct error e = {0};
    write_manifest(*state, "{\n\n,");
    assert_false(manifest_read(&m, *state, &e));
    assert_non_null(strstr(e.file, "/manifest.json"));
    assert_int_equal(e.line, 3);
}

static void test_read_empty_file(void **state)
{
    struct manifest m;
    struct error e = {0};
    write_manifest(*state, "");
    assert_false(manifest_read(&m, *state, &e));
    assert_non_null(strstr(e.text, "the set is incomplete"));
}

static void test_read_no_manifest(void **state)
{
    struct manifest m;
    struct error e = {0};
    assert_false(manifest_read(&m, *state, &e));
    assert_string_equal(e.file, *state);
    assert_non_null(strstr(e.text, "is not a set or an incomplete one"));
    assert_non_null(strstr(e.text, "generate it with pyelfgen"));
    assert_int_equal(remove_directory(state), 0);
    assert_false(manifest_read(&m, *state, &e));
    assert_int_equal(e.code, ERROR_SYSTEM);
    assert_int_equal(mkdir(*state, 0700), 0);
}

/* A pipe would block whoever opens it. */
static void test_read_pipe(void **state)
{
    struct manifest m;
    struct error e = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/manifest.json", (const char *)*state);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(manifest_read(&m, *state, &e));
    assert_non_null(strstr(e.text, "is not a file of at most 64 MB"));
}

static void test_read_huge(void **state)
{
    struct manifest m;
    struct error e = {0};
    char path[128];
    write_manifest(*state, right);
    snprintf(path, sizeof path, "%s/manifest.json", (const char *)*state);
    assert_int_equal(truncate(path, (off_t)MANIFEST_BYTES_MOST + 1), 0);
    assert_false(manifest_read(&m, *state, &e));
    assert_non_null(strstr(e.text, "is not a file of at most 64 MB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_unknown_keys),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_not_an_object),
        cmocka_unit_test(test_row_not_an_object),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_line_of_error),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test_setup_teardown(test_read, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_read_names_the_file, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_read_empty_file, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_read_no_manifest, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_read_pipe, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_read_huge, make_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
