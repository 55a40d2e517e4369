/* Further files of a library in a manifest; see manifest_case.h. */
#include "manifest_case.h"

/* Debug files. Their names become paths, so they are checked. */
static void test_debug_file(void **state)
{
    (void)state;
    static const char identified[] = ".build-id/0f/123456789012345678901234567890abcdef00.debug";
    static const struct {
        const char *row, *name, *message;
    } cases[] = {
        {"{\"name\": \"libmodule0.so.debug\", \"file\": 7, " DIGEST "}", "libmodule0.so.debug", NULL},
        {"{\"name\": \".build-id/0f/123456789012345678901234567890abcdef00.debug\", \"file\": 7, " DIGEST "}",
         identified, NULL},
        {"{\"name\": \"libmodule1.so.debug\", \"file\": 7, " DIGEST "}", NULL, "is neither the library's"},
        {"{\"name\": \"../libmodule0.so.debug\", \"file\": 7, " DIGEST "}", NULL, "is neither the library's"},
        {"{\"name\": \".build-id/0f/../456789012345678901234567890abcdef0.debug\", \"file\": 7, " DIGEST "}", NULL,
         "libmodule0.so: debug-file: 'name' is neither the library's with .debug nor one in .build-id"},
        {"{\"file\": 7, " DIGEST "}", NULL, "libmodule0.so: debug-file: 'name' is missing"},
        {"{\"name\": \"libmodule0.so.debug\", " DIGEST "}", NULL, "libmodule0.so: debug-file: 'file' is missing"},
        {"{\"name\": \"libmodule0.so.debug\", \"file\": 7}", NULL, "debug-file: 'xxh3-128' is missing"},
        {"\"libmodule0.so.debug\"", NULL, "libmodule0.so: 'debug-file' is not an object"},
        {"null", NULL, "libmodule0.so: 'debug-file' is not an object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char member[300];
        snprintf(member, sizeof member, "\"debug-file\": %s, \"entry\": \"libmodule0_entry\"", cases[i].row);
        char *text = with("\"entry\": \"libmodule0_entry\"", member);
        struct manifest m;
        struct error e = {0};
        if (cases[i].message) {
            assert_refused(text, strlen(text), cases[i].message);
        } else {
            assert_true(manifest_parse(&m, text, strlen(text), &e));
            assert_string_equal(m.libraries[1].debug_file.name, cases[i].name);
            assert_int_equal(m.libraries[1].debug_file.size, 7);
            assert_true(m.libraries[1].debug_file.digest[1] == UINT64_C(0xfedcba9876543210));
            assert_null(m.libraries[2].debug_file.name);
            manifest_free(&m);
        }
        free(text);
    }
}

/* Files of split debug information. Their names become paths, too. */
static void test_split(void **state)
{
    (void)state;
#define FILE_OF(name) "{\"name\": \"" name "\", \"file\": 7, " DIGEST "}"
    static const struct {
        const char *row, *message;
        size_t files;
    } cases[] = {
        {"{\"debug\": 9, \"files\": [" FILE_OF("libmodule0.dwo") ", " FILE_OF("libmodule0_12.dwo") ", " FILE_OF(
             "libmodule0_data3.dwo") "]}",
         NULL, 3},
        {"{\"debug\": 9, \"files\": [" FILE_OF("libmodule0.so.dwp") "]}", NULL, 1},
        {"{\"debug\": 9, \"files\": []}", NULL, 0},
        {"{\"debug\": 9, \"files\": [" FILE_OF("libmodule1.dwo") "]}",
         "libmodule0.so: split: 'name' is not of a .dwo file or package of the library's", 0},
        {"{\"debug\": 9, \"files\": [" FILE_OF("libmodule0_/../a.dwo") "]}", "split: 'name' is not of a .dwo", 0},
        {"{\"debug\": 9, \"files\": [" FILE_OF("libmodule0_.dwo") "]}", "split: 'name' is not of a .dwo", 0},
        {"{\"debug\": 9, \"files\": [" FILE_OF("libmodule0_data.dwo") "]}", "split: 'name' is not of a .dwo", 0},
        {"{\"debug\": 9, \"files\": [" FILE_OF("../libmodule0.dwo") "]}", "split: 'name' is not of a .dwo", 0},
        {"{\"debug\": 9, \"files\": [{\"file\": 7, " DIGEST "}]}", "libmodule0.so: split: 'name' is missing", 0},
        {"{\"debug\": 9, \"files\": [{\"name\": \"libmodule0.dwo\", " DIGEST "}]}", "split: 'file' is missing", 0},
        {"{\"debug\": 9, \"files\": [{\"name\": \"libmodule0.dwo\", \"file\": 7}]}", "'xxh3-128' is missing", 0},
        {"{\"debug\": 9, \"files\": [7]}", "split: 'files' has an entry that is not an object", 0},
        {"{\"debug\": 9, \"files\": {}}", "split: 'files' is not a list", 0},
        {"{\"debug\": 9}", "split: 'files' is missing", 0},
        {"{\"files\": []}", "split: 'debug' is missing", 0},
        {"[]", "libmodule0.so: 'split' is not an object", 0},
    };
#undef FILE_OF
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char member[600];
        snprintf(member, sizeof member, "\"split\": %s, \"entry\": \"libmodule0_entry\"", cases[i].row);
        char *text = with("\"entry\": \"libmodule0_entry\"", member);
        struct manifest m;
        struct error e = {0};
        if (cases[i].message) {
            assert_refused(text, strlen(text), cases[i].message);
        } else {
            assert_true(manifest_parse(&m, text, strlen(text), &e));
            const struct manifest_library *l = &m.libraries[1];
            assert_int_equal(l->split, 9);
            assert_int_equal(l->split_files, cases[i].files);
            for (size_t k = 0; k < l->split_files; k++)
                assert_int_equal(l->split_file[k].size, 7);
            assert_int_equal(m.libraries[2].split_files, 0);
            manifest_free(&m);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_debug_file),
        cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
