/* The manifest's reader with files: which it reads, which it refuses to, and one
 * that is larger than the window that it is read through.
 */
#include "manifest_text.h"

#include <sys/stat.h>
#include <unistd.h>

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
    assert_non_null(strstr(e.text, "is not a set or an incomplete one"));
    assert_non_null(strstr(e.text, "generate it with pyelfgen"));
    assert_int_equal(remove_directory(state), 0);
    assert_false(manifest_read(&m, *state, &absent, &e));
    assert_false(absent);
    assert_int_equal(e.code, ERROR_SYSTEM);
    assert_false(manifest_read(&m, "/dev/null", &absent, &e));
    assert_false(absent);
    assert_non_null(strstr(e.text, "is not a set or an incomplete one"));
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

/* A pipe would block whoever opens it. */
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

/* A manifest that passes the window many times; row `wrong` is wrong. */
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
