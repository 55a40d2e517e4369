/* Rows of libraries in a profile. */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf/read/capture_limits.h"
#include "emit/profile/profile.h"
#include "profile_text.h"
#include "sanitized.h"

/* A row can say all that pyelfprof takes from a file. */
static_assert(CAPTURE_SIZE_MOST == PROFILE_SIZE_MOST && CAPTURE_LOADED_MOST <= PROFILE_SIZE_MOST, "sizes");
static_assert(CAPTURE_DWARF_MOST == PROFILE_DWARF_MOST, "of debug information");
static_assert(CAPTURE_NAME_MOST == PROFILE_APPLICATION_MOST, "names");
static_assert(CAPTURE_COUNT_MOST == PROFILE_ROW_MOST && CAPTURE_FUNCTIONS_MOST == PROFILE_FUNCTIONS_MOST, "counts");

#undef HEAD
#define HEAD "pyelfgen-profile: 1\nlibraries:\n"

static void reads_rows(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "- {kind: utility, text: 9000, data: 1.5 kB, bss: 8, needed: '2:12 1', outside: 3,\n"
             "   relocations: {\"64\": 5}, dwarf: {language: rust}, build-id: false, hash: none}\n"
             "- {kind: module, functions: 4}\n"
             "- kind: module\n  needed: '0-1'\n"
             "- {kind: module, name: libreal.so}\n";
    struct profile p;
    struct error e = {0};
    assert_true(profile_parse(&p, text, strlen(text), "rows", &e));
    assert_int_equal(p.rows, 4);
    assert_int_equal(p.modules, 3);
    assert_int_equal(p.utilities, 1);
    assert_true(p.graph);
    assert_int_equal(p.row[0].value[ROW_KIND], ROW_KIND_UTILITY);
    assert_int_equal(p.row[0].value[ROW_DATA], 1500);
    assert_int_equal(p.row[0].value[ROW_DEBUG], 0); /* text is given, so this is 0 */
    assert_int_equal(p.row[0].value[ROW_ADDRESS_64], 5);
    assert_int_equal(p.row[0].value[ROW_BUILD_ID], 0);
    assert_int_equal(p.row[0].value[ROW_HASH], 3);
    assert_int_equal(p.row[0].value[ROW_SONAME], PROFILE_DERIVED);
    assert_string_equal(p.row[0].text[ROW_TEXT_LANGUAGE], "rust");
    assert_int_equal(p.row[0].edges, 2);
    assert_int_equal(p.row[0].edge[0].row, 2);
    assert_int_equal(p.row[0].edge[0].symbols, 12);
    assert_int_equal(p.row[0].edge[1].symbols, 0);
    assert_int_equal(p.row[1].value[ROW_TEXT], PROFILE_DERIVED);
    assert_int_equal(p.row[2].edges, 2);
    assert_string_equal(p.row[3].text[ROW_TEXT_NAME], "libreal.so");
    assert_int_equal(p.sections[SIZE_TEXT], PROFILE_DERIVED); /* not every row gives one */
    profile_free(&p);
}

static void sums_rows(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "- {kind: module, text: 9000, data: 1500, bss: 8, debug: 100, symtab: 48, strtab: 9}\n"
             "- {kind: utility, text: 1000, data: 500, bss: 8}\n"
             "modules: 1\nutilities: 1\nsections: {text: 10 kB, data: 2 kB, debug: 100 B, symtab: "
             "48 B, strtab: 9 B, bss: 16 B}\n";
    struct profile p;
    struct error e = {0};
    assert_true(profile_parse(&p, text, strlen(text), "rows", &e));
    assert_int_equal(p.sections[SIZE_TEXT], 10000);
    assert_int_equal(p.sections[SIZE_BSS], 16);
    profile_free(&p);
}

/* Text that was read, written and read again is the same, whatever its layout was. */
static void writes_what_it_read(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD "- {kind: utility, needed: '1 2 3:4', outside: 0}\n- {kind: module}\n- kind: utility\n- {kind: utility}\n"
             "distributions: {degree: '1:2 3:4'}\ncaptured: {from: exec, libraries: 4}\n",
        "captured: {libraries: 4, from: exec}\n"
        "distributions: {degree: '1:2 3:4'}\npyelfgen-profile: 1\nmodules: 1\nutilities: 3\nlibraries:\n"
        "- {outside: 0, needed: \"1-2   3:4\", kind: utility}\n- {kind: module}\n- kind: utility\n- {kind: utility}\n"};
    char *written[2];
    for (unsigned i = 0; i < 2; i++) {
        struct profile p;
        struct error e = {0};
        size_t size;
        assert_true(profile_parse(&p, texts[i], strlen(texts[i]), "rows", &e));
        assert_true(profile_text(&p, &written[i], &size, &e));
        profile_free(&p);
        assert_true(profile_parse(&p, written[i], size, "written", &e));
        assert_int_equal(p.row[0].edges, 3);
        assert_int_equal(p.row[0].edge[2].symbols, 4);
        assert_string_equal(p.distributions[2], "1:2 3:4");
        profile_free(&p);
    }
    assert_string_equal(written[0], written[1]);
    assert_non_null(strstr(written[0], "needed: '1-2 3:4'"));
    free(written[0]);
    free(written[1]);
}

static void refuses_wrong_rows(void **state)
{
    (void)state;
#define ROW0 "libraries: row 0 (line 3): "
    static const struct wrong wrong[] = {
        {HEAD, 2, "libraries: needs one row for each library, as in '- {kind: module}'"},
        {HEAD "  4\n", 3, "libraries: needs one row for each library, as in '- {kind: module}'"},
        {HEAD "- module\n", 3, "libraries: needs one row for each library, as in '- {kind: module}'"},
        {HEAD "- {text: 3}\n", 3, ROW0 "kind: is missing; a row is of 'kind: module' or 'kind: utility'"},
        {HEAD "- {kind: program}\n", 3, ROW0 "kind: 'program' is not one of module, utility"},
        {HEAD "- {kind: module, text: -3}\n", 3, ROW0 "text: '-3' is negative; a size is 0 or more"},
        {HEAD "- {kind: module, text: 3}\n", 3, ROW0 "data: is missing, and text is there; give both or neither"},
        {HEAD "- {kind: module, bss: 3}\n", 3, ROW0 "text: is missing, and bss is there; give both or neither"},
        {HEAD "- {kind: module}\n- {kind: module, needed: '1'}\n", 4,
         "libraries: row 1 (line 4): needed: the library needs itself; remove that"},
        {HEAD "- {kind: module, needed: '7'}\n", 3, ROW0 "needed: there is no row 7: the last is 0"},
        {HEAD "- {kind: module, needed: '1 1:2'}\n- {kind: module}\n", 3,
         ROW0 "needed: row 1 is there twice; remove one"},
        {HEAD "- {kind: module, needed: '1:0'}\n", 3,
         ROW0 "needed: '1:0' is not INDEX, INDEX:SYMBOLS or FIRST-LAST with numbers of rows from 0"},
        {HEAD "- {kind: module, needed: '4-2 1'}\n", 3,
         ROW0 "needed: '4-2 1' is not INDEX, INDEX:SYMBOLS or FIRST-LAST with numbers of rows from 0"},
        {HEAD "- {kind: module, needed: '99999999999'}\n", 3,
         ROW0 "needed: '99999999999' is not INDEX, INDEX:SYMBOLS or FIRST-LAST with numbers of rows from 0"},
        {HEAD "- {kind: module, local: {lines: 4}}\n", 3,
         ROW0 "local: unknown key 'lines'; the keys here are functions, objects, other, sections, unnamed, aliases"},
        {HEAD "- {kind: module, local: 4}\n", 3,
         "local: needs keys and values below it, or in braces: local: {key: value}"},
        {HEAD "- {kind: module, plt: 4, plt: 5}\n", 3, "plt: the key is already on line 3; remove one of them"},
        {HEAD "- {kind: module, mix: {info: 5}}\n", 3,
         ROW0 "mix: the sizes together are 5 bytes, and debug is 0; lower them, or raise it"},
        {HEAD "- {kind: module}\nmodules: 2\n", 4,
         "modules: is 2, and the rows of 'libraries' come to 1; correct it, or remove it"},
        {HEAD "- {kind: module}\nsections: {text: 2 kB}\n", 4,
         "sections: text: is there, and not every row of 'libraries' has it; remove it"},
        {HEAD "- {kind: module}\ncalls: {random: true}\n", 4,
         "calls: random: excludes 'libraries', whose rows say it; remove one of them"},
        {HEAD "- {kind: module, text: 30000, data: 0}\n", 2,
         "libraries: all rows together have no data; a set has some"},
        {HEAD "- {kind: module, text: 0, data: 3000}\n", 2,
         "libraries: all rows together have no text; a set has some"},
        {HEAD "- {kind: module, text: 30000, data: 0}\nsections: {data: 0 B}\n", 2,
         "libraries: all rows together have no data; a set has some"},
        {"pyelfgen-profile: 1\nmodules: 0\nfunctions: 3\n", 2,
         "modules: is 0, and there are no utilities; a set has one library or more"},
    };
    ALL_REFUSED(wrong);
}

/* Ends a test of thousands of rows if a sanitizer watches: libcyaml reallocates the rows for each one more, and there
 * this copies them, which takes from 20 seconds to minutes. */
static void skip_many_rows(void)
{
    if (SANITIZED)
        skip();
}

/* As many rows as there may be, and one more. */
static void bounds_rows(void **state)
{
    (void)state;
    skip_many_rows();
    static const char row[] = "- {kind: utility}\n";
    char *text = malloc(sizeof HEAD + (PROFILE_ROWS_MOST + 1) * (sizeof row - 1));
    char *end = text + strlen(strcpy(text, HEAD));
    for (unsigned i = 0; i < PROFILE_ROWS_MOST; i++, end += sizeof row - 1)
        memcpy(end, row, sizeof row - 1);
    struct profile p;
    struct error e = {0};
    assert_true(profile_parse(&p, text, (size_t)(end - text), "rows", &e));
    assert_int_equal(p.rows, PROFILE_ROWS_MOST);
    assert_int_equal(p.modules, 0);
    profile_free(&p);
    memcpy(end, row, sizeof row - 1);
    assert_false(profile_parse(&p, text, (size_t)(end - text) + sizeof row - 1, "rows", &e));
    assert_string_equal(e.text, "libraries: there are more than 20000 rows; use fewer");
    free(text);
}

/* Writes rows from `first` on to those before `end`, as `needed` says them, and a space. */
static char *put_range(char *text, unsigned first, unsigned end)
{
    if (first >= end)
        return text;
    return text + (first + 1 == end ? sprintf(text, "%u ", first) : sprintf(text, "%u-%u ", first, end - 1));
}

/* A few bytes may state many edges, so that edges have a limit. */
static void bounds_edges(void **state)
{
    (void)state;
    skip_many_rows();
    enum { ROWS = 2100, MOST = 2002 };
    static const char row[] = "- {kind: utility, needed: 1-1999}\n";
    char *text = malloc(sizeof HEAD + 64 + ROWS * sizeof row);
    char *end = text + sprintf(text, HEAD "- {kind: utility, needed: 2100}\n- {kind: utility}\n");
    for (unsigned i = 0; i < ROWS; i++)
        end += sprintf(end, "%s", i < 1998 ? "- {kind: utility}\n" : row);
    struct profile p;
    struct error e = {0};
    assert_true(profile_parse(&p, text, (size_t)(end - text), "rows", &e));
    assert_int_equal(p.row[2000].edges, 1999);
    profile_free(&p);
    free(text);

    text = malloc(sizeof HEAD + MOST * sizeof "- {kind: utility, needed: 1000-1999 1000-1999}\n");
    end = text + sprintf(text, HEAD);
    for (unsigned i = 0; i < MOST; i++) { /* each needs all others */
        end += sprintf(end, "- {kind: utility, needed: ");
        end = put_range(end, 0, i);
        end = put_range(end, i + 1, MOST);
        end += sprintf(end, "}\n");
    }
    assert_false(profile_parse(&p, text, (size_t)(end - text), "rows", &e));
    assert_string_equal(e.text, "libraries: row 1999 (line 2002): needed: there are more than 4000000 edges up to this "
                                "row; use fewer");
    free(text);
}

/* A captured row leaves out zeros and what pyelfgen does anyway (docs/capture.md). Other rows say nothing by that. */
static void knows_what_is_left_out(void **state)
{
    (void)state;
    static const char row[] = "libraries:\n- {kind: utility, text: 9000, data: 1500, mix: {info: 10}, debug: 10}\n";
    static const struct {
        enum row_value value;
        int64_t says;
    } left_out[] = {
        {ROW_HASH, HASH_GNU}, {ROW_BIND, BIND_LAZY}, {ROW_RELRO, RELRO_PARTIAL},
        {ROW_BUILD_ID, 1},    {ROW_SONAME, 1},       {ROW_PAGE, 4096},
        {ROW_LOADS, 4},       {ROW_CONSTRUCTORS, 1}, {ROW_USED, 0},
        {ROW_SPLIT, 0},       {ROW_ALTERNATE, 0},    {ROW_CF_PROTECTION, 0},
        {ROW_MIX_ADDR, 0},    {ROW_MIX_NAMES, 0},    {ROW_MIX_MACRO, 0},
    };
    for (unsigned captured = 0; captured < 2; captured++) {
        char text[256];
        struct profile p;
        struct error e = {0};
        snprintf(text, sizeof text, "pyelfgen-profile: 1\n%s%s", captured ? "captured: {libraries: 1}\n" : "", row);
        assert_true(profile_parse(&p, text, strlen(text), "rows", &e));
        for (unsigned i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
            assert_int_equal(profile_row_says(&p, &p.row[0], left_out[i].value),
                             captured ? left_out[i].says : PROFILE_DERIVED);
        profile_free(&p);
    }
}

/* What a captured row does not state of its text is not there, where it states any part. */
static void knows_parts_of_text_that_are_not_there(void **state)
{
    (void)state;
    static const char text[] = "pyelfgen-profile: 1\ncaptured: {libraries: 2}\nlibraries:\n"
                               "- {kind: utility, text: 900, data: 0, share: {unwind: 400}, zstd: {text: 90}}\n"
                               "- {kind: utility, text: 900, data: 9}\n";
    static const struct {
        enum row_value value;
        int64_t says;
    } parts[] = {{ROW_SHARE_CODE, 0},        {ROW_SHARE_PLT, 0},     {ROW_SHARE_UNWIND, 400},
                 {ROW_SHARE_RELOCATIONS, 0}, {ROW_SHARE_OTHER, 500}, {ROW_ZSTD_DATA, 0}};
    struct profile p;
    struct error e = {0};
    assert_true(profile_parse(&p, text, strlen(text), "rows", &e));
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        assert_int_equal(profile_row_says(&p, &p.row[0], parts[i].value), parts[i].says);
        assert_int_equal(profile_row_says(&p, &p.row[1], parts[i].value), PROFILE_DERIVED);
    }
    profile_free(&p);
}

/* Where all versions are the library's own, no undefined symbol has one. Where it needs some, the capture did not count
 * the symbols, but of many libraries, where it leaves out a 1. How many these were does not change when rows are taken
 * out. */
static void knows_whether_symbols_have_versions(void **state)
{
    (void)state;
    static const struct {
        const char *versions;
        int64_t says;
        int libraries;
    } rows[] = {{"versions: 7, versions-defined: 7", 0, 1},
                {"versions: 8, versions-defined: 7", PROFILE_DERIVED, 1},
                {"versions: 1", PROFILE_DERIVED, 200},
                {"versions: 1", 1, 201},
                {"versions: 1, dynamic: {versioned: 0}", 0, 201},
                {"plt: 1", 0, 201}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        struct profile p;
        struct error e = {0};
        snprintf(text, sizeof text,
                 "pyelfgen-profile: 1\ncaptured: {libraries: %d}\nlibraries:\n- {kind: utility, %s}\n",
                 rows[i].libraries, rows[i].versions);
        assert_true(profile_parse(&p, text, strlen(text), "rows", &e));
        assert_int_equal(profile_row_says(&p, &p.row[0], ROW_DYNAMIC_VERSIONED), rows[i].says);
        profile_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_rows),
        cmocka_unit_test(sums_rows),
        cmocka_unit_test(writes_what_it_read),
        cmocka_unit_test(refuses_wrong_rows),
        cmocka_unit_test(bounds_rows),
        cmocka_unit_test(bounds_edges),
        cmocka_unit_test(knows_what_is_left_out),
        cmocka_unit_test(knows_parts_of_text_that_are_not_there),
        cmocka_unit_test(knows_whether_symbols_have_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
