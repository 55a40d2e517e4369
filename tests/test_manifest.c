/* Manifests that are right, and those that are wrong in one place; see manifest_case.h. */
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

#include "manifest_case.h"

static void test_right(void **state)
{
    (void)state;
    struct manifest m;
    struct error e = {0};
    assert_true(manifest_parse(&m, right, sizeof right - 1, &e));
    assert_string_equal(m.version, "0.1.0");
    assert_string_equal(m.application, "two of each");
    assert_string_equal(m.profile, "00");
    assert_int_equal(m.modules, 2);
    assert_int_equal(m.utilities, 1);
    assert_int_equal(m.functions, 32);
    assert_int_equal(m.count, 5);
    assert_int_equal(m.imported, 4);

    assert_true(m.wanted.known[MANIFEST_TEXT]);
    assert_int_equal(m.wanted.of[MANIFEST_TEXT], 64);
    assert_false(m.wanted.known[MANIFEST_DATA]);
    assert_false(m.wanted.known[MANIFEST_BSS]);
    assert_true(m.actual.known[MANIFEST_STRTAB]);
    assert_int_equal(m.actual.of[MANIFEST_STRTAB], 75);
    assert_false(m.actual.known[MANIFEST_BSS]);

    const struct manifest_library *l = &m.libraries[1];
    assert_string_equal(l->name, "libmodule0.so");
    assert_string_equal(l->stem, "libmodule0");
    assert_string_equal(l->entry, "libmodule0_entry");
    assert_int_equal(l->kind, MANIFEST_MODULE);
    assert_int_equal(l->file.size, 500);
    assert_true(l->file.digest[0] == UINT64_C(0x0123456789abcdef));
    assert_true(l->file.digest[1] == UINT64_C(0xfedcba9876543210));
    for (uint64_t i = 0; i < MANIFEST_SIZES; i++)
        assert_int_equal(l->size[i], 11 + i);
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

/* No size is wanted where sizes followed from the counts. */
static void test_nothing_wanted(void **state)
{
    (void)state;
    static const char *const texts[] = {"\"wanted\": null", "\"unwanted\": 1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct manifest m;
        struct error e = {0};
        char *text = with("\"wanted\": {\"text\": 64, \"data\": null}", texts[i]);
        assert_true(manifest_parse(&m, text, strlen(text), &e));
        for (size_t kind = 0; kind < MANIFEST_SIZES; kind++)
            assert_false(m.wanted.known[kind]);
        manifest_free(&m);
        free(text);
    }
}

/* The members of an object have no order: jq -S sorts them. */
static void test_libraries_first(void **state)
{
    (void)state;
    const char *rows = strstr(right, "\"libraries\"");
    size_t before = (size_t)(rows - right);
    char text[sizeof right + 8];
    int size = snprintf(text, sizeof text, "{%.*s,\n%.*s}", (int)strlen(rows) - 2, rows, (int)before - 3, right + 1);
    struct manifest m;
    struct error e = {0};
    assert_true(size > 0 && (size_t)size < sizeof text);
    assert_true(manifest_parse(&m, text, (size_t)size, &e));
    assert_int_equal(m.count, 5);
    manifest_free(&m);
}

/* Later releases may say more in the same version of the format. */
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
        {"9}]}", "9},]}", "is not JSON: unexpected character"},
        {"9}]}", "9}],}", "is not JSON: '\"' is expected"},
        {"9}]}", "9}}}", "is not JSON: ',' or ']' is expected"},
        {"\"seed\": 42", "\"seed\" 42", "is not JSON: ':' is expected"},
        {"\"seed\": 42", "seed: 42", "is not JSON: '\"' is expected"},
        {"\"seed\": 42", "\"libraries\": [], \"seed\": 42", "'libraries' stands there twice"},
        {"\"seed\": 42", "\"seed\": 42,,", "is not JSON"},
        {"\"seed\": 42", "\"seed\": [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]", "is not JSON: nesting too deep"},
        {"\"version\": \"0.1.0\", ", "", "'version' is missing"},
        {"\"two of each\"", "17", "'application' is not a text"},
        {"two of each", "two\\u001b[2J of each", "'application' has control characters"},
        {"two of each", "two\\u009b2J of each", "'application' has control characters"},
        {"two of each", "two\\u0000 of each", "'application' has control characters"},
        {"two of each", "two \xff of each", "is not JSON"},
        {"two of each", "two \xe0\x80\xa0 of each", "'application' is not UTF-8"},
        {"\"libraries\": [", "\"libraries\": 3, \"rows\": [", "'libraries' is not a list"},

        /* counts */
        {"\"modules\": 2", "\"modules\": -2", "'modules' is negative"},
        {"\"modules\": 2", "\"modules\": 2e0", "'modules' is not a whole number"},
        {"\"modules\": 2", "\"modules\": 1000001", "'modules' is too large"},
        {"\"modules\": 2", "\"modules\": 3", "5 libraries are listed where 3 modules, 1 utilities and 2 markers"},
        {"\"modules\": 2, \"utilities\": 1", "\"modules\": 1, \"utilities\": 2", "libmodule1.so is out of order"},
        {"\"functions\": 32", "\"functions\": 31", "'functions' is 31, but the libraries have 32"},

        /* sizes */
        {"{\"text\": 64, \"data\": null}", "5", "'wanted' is neither null nor an object"},
        {"\"text\": 64", "\"text\": -1", "wanted: 'text' is negative"},
        {"\"text\": 64", "\"bss\": \"1\"", "wanted: 'bss' is not a whole number"},
        {"\"text\": 64", "\"text\": 1152921504606846977", "wanted: 'text' is too large"},
        {"\"actual\"", "\"factual\"", "'actual' is missing"},
        {"\"text\": 63, ", "", "actual: 'text' is missing"},
        {"\"text\": 63", "\"text\": null", "actual: 'text' is not a whole number"},
        {"\"text\": 63", "\"text\": 64", "actual: 'text' is 64, but the libraries have 63"},
        {"\"strtab\": 75", "\"strtab\": 75, \"bss\": 79", "actual: 'bss' is 79, but the libraries have 78"},
        {"\"file\": 500, ", "", "libmodule0.so: 'file' is missing"},
        {"\"file\": 500", "\"file\": 1099511627777", "libmodule0.so: 'file' is too large"},
        {"\"text\": 11, ", "", "libmodule0.so: 'text' is missing"},
        {"\"bss\": 16", "\"bss\": 1.5", "libmodule0.so: 'bss' is not a whole number"},
        {"\"xxh3-128\": \"0123", "\"xxh3-128\": \"012", "libmodulebegin.so: 'xxh3-128' is not 32 hexadecimal digits"},
        {"\"xxh3-128\": \"0123", "\"xxh3-128\": \"012X", "libmodulebegin.so: 'xxh3-128' is not 32 hexadecimal digits"},
        {"\"xxh3-128\": \"", "\"xxh3-64\": \"", "libmodulebegin.so: 'xxh3-128' is missing"},

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
        {"\"marked\": 12", "\"marked\": 12, \"marks-at\": -1", "libmodule0.so: 'marks-at' is negative"},
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
    static const char *const texts[] = {"null\n", "[]", "nonsense", "\"pyelfgen-manifest\"", "{}", "true\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_refused(texts[i], strlen(texts[i]), "there is no key 'pyelfgen-manifest'");
}

static void test_row_not_an_object(void **state)
{
    (void)state;
    static const char text[] = "{\"pyelfgen-manifest\": 1, \"libraries\": [null, null]}";
    static const char none[] = "{\"pyelfgen-manifest\": 1}";
    assert_refused(text, sizeof text - 1, "'libraries' has a row that is not an object");
    assert_refused(none, sizeof none - 1, "'libraries' is missing");
}

/* The version is checked before the rows, which may look different in a later version. */
static void test_version_comes_first(void **state)
{
    (void)state;
    static const char text[] = "{\"pyelfgen-manifest\": 2, \"libraries\": [null, null]}";
    assert_refused(text, sizeof text - 1, "has version 2, this program reads 1");
}

/* A manifest that ends too early, wherever that is, is not taken for a whole one. */
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
    char *text = with("\"kind\": \"module\"", "\"kind\"\n \"module\"");
    assert_false(manifest_parse(&m, text, strlen(text), &e));
    assert_int_equal(e.line, 8);
    free(text);
    /* the line where the row begins */
    text = with("\"visited\": 10", "\"visited\": \"\"");
    assert_false(manifest_parse(&m, text, strlen(text), &e));
    assert_int_equal(e.line, 7);
    free(text);
    assert_false(manifest_parse(&m, right, 20, &e));
    assert_int_equal(e.line, 1);
    assert_false(manifest_parse(&m, right, 20, NULL));
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

/* No value, of a known key or another, is larger than the window through which it is read. */
static void test_long_value(void **state)
{
    (void)state;
    char *value = malloc(MANIFEST_VALUE_BYTES_MOST + 16);
    assert_non_null(value);
    for (int more = 0; more < 2; more++) {
        struct manifest m;
        struct error e = {0};
        size_t size = (size_t)MANIFEST_VALUE_BYTES_MOST + (size_t)more;
        strcpy(value, "\"seed\": \"");
        size_t key = strlen("\"seed\": ");
        memset(value + key + 1, 'a', size - 2);
        strcpy(value + key + size - 1, "\"");
        char *text = with("\"seed\": 42", value);
        if (more)
            assert_refused(text, strlen(text), "has a value of more than 1024 kB");
        else
            assert_true(manifest_parse(&m, text, strlen(text), &e));
        if (!more)
            manifest_free(&m);
        free(text);
    }
    free(value);
}

/* Makes a directory for one test. */
static int make_directory(void **state)
{
    static char path[64];
    strcpy(path, "/tmp/test_manifest.XXXXXX");
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
    assert_true(manifest_read(&m, *state, NULL, &e));
    assert_int_equal(m.count, 5);
    manifest_free(&m);
}

static void test_read_names_the_file(void **state)
{
    struct manifest m;
    struct error e = {0};
    write_manifest(*state, "{\n\n,");
    assert_false(manifest_read(&m, *state, NULL, &e));
    assert_non_null(strstr(e.file, "/manifest.json"));
    assert_int_equal(e.line, 3);
}

static void test_read_empty_file(void **state)
{
    struct manifest m;
    struct error e = {0};
    write_manifest(*state, "");
    assert_false(manifest_read(&m, *state, NULL, &e));
    assert_non_null(strstr(e.text, "the set is incomplete"));
}

static void test_read_no_manifest(void **state)
{
    struct manifest m;
    struct error e = {0};
    bool absent = false;
    assert_false(manifest_read(&m, *state, &absent, &e));
    assert_true(absent);
    assert_string_equal(e.file, *state);
    assert_non_null(strstr(e.text, "is no set, or an incomplete one"));
    assert_non_null(strstr(e.text, "generate it with pyelfgen"));
    assert_int_equal(remove_directory(state), 0);
    assert_false(manifest_read(&m, *state, &absent, &e));
    assert_false(absent);
    assert_int_equal(e.code, ERROR_SYSTEM);
    assert_false(manifest_read(&m, "/dev/null", &absent, &e));
    assert_false(absent);
    assert_non_null(strstr(e.text, "is no directory, as a set is; name one"));
    assert_false(manifest_read(&m, "/dev/null/set", &absent, &e));
    assert_false(absent);
    assert_int_equal(e.code, ERROR_SYSTEM);
    assert_int_equal(mkdir(*state, 0700), 0);
}

static void test_read_symbolic_link(void **state)
{
    struct manifest m;
    struct error e = {0};
    bool absent = true;
    char path[128];
    snprintf(path, sizeof path, "%s/manifest.json", (const char *)*state);
    assert_int_equal(symlink("/dev/zero", path), 0);
    assert_false(manifest_read(&m, *state, &absent, &e));
    assert_false(absent);
    assert_string_equal(e.file, path);
    assert_non_null(strstr(e.text, "is a symbolic link"));
}

/* A pipe would block a reader that opens it. */
static void test_read_pipe(void **state)
{
    struct manifest m;
    struct error e = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/manifest.json", (const char *)*state);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(manifest_read(&m, *state, NULL, &e));
    assert_non_null(strstr(e.text, "is not a regular file"));
}

static void test_read_huge(void **state)
{
    struct manifest m;
    struct error e = {0};
    char path[128];
    write_manifest(*state, right);
    snprintf(path, sizeof path, "%s/manifest.json", (const char *)*state);
    assert_int_equal(truncate(path, (off_t)MANIFEST_BYTES_MOST + 1), 0);
    assert_false(manifest_read(&m, *state, NULL, &e));
    assert_non_null(strstr(e.text, "is longer than 1024 MB"));
}

/* Writes a manifest that is many times as long as the reader's window. Row `wrong` is wrong. */
static void write_many(const char *directory, unsigned modules, unsigned wrong)
{
    char path[128];
    snprintf(path, sizeof path, "%s/manifest.json", directory);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "{\"pyelfgen-manifest\": 1, \"version\": \"\", \"application\": \"\", \"modules\": %u, \"utilities\": 0,\n"
            "\"functions\": 0, \"actual\": {\"text\": 0, \"data\": 0, \"debug\": 0, \"symtab\": 0, \"strtab\": 0},\n"
            "\"libraries\": [\n",
            modules);
    for (unsigned i = 0; i < modules + 2; i++) {
        const char *kind = i == 0 || i == modules + 1 ? "marker" : "module";
        fprintf(
            f,
            "{\"name\": \"lib\u00fc%u.so\", \"kind\": \"%s\", \"file\": 1, " DIGEST ", \"text\": 0, \"data\": 0,"
            "\"debug\": 0, \"symtab\": 0, \"strtab\": 0, \"bss\": %s, \"functions\": 0, \"visited\": 0, \"marks\": 0, "
            "\"marked\": 0, \"entry\": \"e\", \"result\": %u}%s\n",
            i, kind, i == wrong ? "-1" : "0", i, i < modules + 1 ? "," : "");
    }
    fputs("]}\n", f);
    assert_int_equal(fclose(f), 0);
}

static void test_read_many(void **state)
{
    enum { MODULES = 20000 };
    struct manifest m;
    struct error e = {0};
    write_many(*state, MODULES, MODULES + 2);
    assert_true(manifest_read(&m, *state, NULL, &e));
    assert_int_equal(m.count, MODULES + 2);
    for (unsigned i = 0; i < MODULES + 2; i++) {
        char name[64];
        snprintf(name, sizeof name, "lib\u00fc%u.so", i);
        assert_string_equal(m.libraries[i].name, name);
        assert_int_equal(m.libraries[i].result, i);
    }
    manifest_free(&m);
    write_many(*state, MODULES, MODULES - 7);
    assert_false(manifest_read(&m, *state, NULL, &e));
    assert_non_null(strstr(e.text, "lib\u00fc19993.so: 'bss' is negative"));
    assert_int_equal(e.line, 3 + MODULES - 7 + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_nothing_wanted),
        cmocka_unit_test(test_libraries_first),
        cmocka_unit_test(test_unknown_keys),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_not_an_object),
        cmocka_unit_test(test_row_not_an_object),
        cmocka_unit_test(test_version_comes_first),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_line_of_error),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_long_value),
        cmocka_unit_test_setup_teardown(test_read, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_read_names_the_file, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_read_empty_file, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_read_no_manifest, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_read_symbolic_link, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_read_pipe, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_read_huge, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(test_read_many, make_directory, remove_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
