/* base/: errors, the command line. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cli.h"
#include "base/error.h"

/* ---- errors ---- */

static void test_error_text_is_one_printable_line(void **state)
{
    (void)state;
    struct error e;
    assert_false(error_set(&e, ERROR_INPUT, "a %s", "b\nc\x1b[31m\x7f"));
    assert_string_equal(e.text, "a b?c?[31m?");
    assert_int_equal(e.code, ERROR_INPUT);
    assert_string_equal(e.file, "");
    assert_false(error_at(&e, "x\ty", 7));
    assert_string_equal(e.file, "x?y");
    assert_int_equal(e.line, 7);
    assert_false(error_set(&e, ERROR_USAGE, "again"));
    assert_string_equal(e.file, "");
    assert_int_equal(e.line, 0);
}

/* C1 control characters in UTF-8 are replaced, and so is what is not UTF-8: Latin-1, overlong forms, surrogates,
 * numbers above U+10FFFF, cut characters. */
static void test_error_text_is_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *foreign, *shown;
    } cases[] = {
        {"a\u00fc\u20ac\U0001f40d\U0010ffff", "a\u00fc\u20ac\U0001f40d\U0010ffff"},
        {"\xc2\x80 \xc2\x9b"
         "2J \xc2\x9f \xc2\xa0",
         "? ?2J ? \xc2\xa0"},
        {"\x9b"
         "2J \xfc",
         "?2J ?"},
        {"\xc0\x9b \xe0\x80\x9b \xf0\x80\x80\x9b", "?? ??? ????"},
        {"\xed\xa0\x80 \xf4\x90\x80\x80 \xf8", "??? ???? ?"},
        {"\xe2\x82"
         "x \xe2\x82",
         "??x ??"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error e;
        error_set(&e, ERROR_INPUT, "%s", cases[i].foreign);
        assert_string_equal(e.text, cases[i].shown);
        error_at(&e, cases[i].foreign, 0);
        assert_string_equal(e.file, cases[i].shown);
    }
}

static void test_error_is_cut_to_fit(void **state)
{
    (void)state;
    struct error e;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    error_set(&e, ERROR_INPUT, "%s", text);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    error_at(&e, text, 0);
    assert_int_equal(strlen(e.file), sizeof e.file - 1);
}

static void test_error_may_be_unwanted(void **state)
{
    (void)state;
    assert_false(error_set(NULL, ERROR_INPUT, "x"));
    assert_false(error_at(NULL, "x", 1));
    assert_false(error_errno(NULL, "x", "y"));
}

static void test_error_from_errno(void **state)
{
    (void)state;
    struct error e;
    errno = ENOENT;
    assert_false(error_errno(&e, "/x", "cannot open"));
    assert_string_equal(e.text, "cannot open: No such file or directory");
    assert_string_equal(e.file, "/x");
    assert_int_equal(e.code, ERROR_SYSTEM);
    errno = ENOMEM;
    error_errno(&e, "/x", "cannot open");
    assert_int_equal(e.code, ERROR_MEMORY);
}

/* Sets `text` to what error_report writes to standard error. Returns the status that it returns. */
static int reported(const struct error *e, char *text, size_t size)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    int saved = dup(STDERR_FILENO);
    assert_true(saved >= 0 && dup2(fileno(f), STDERR_FILENO) >= 0);
    int status = error_report("prog", e);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(f);
    text[fread(text, 1, size - 1, f)] = '\0';
    fclose(f);
    return status;
}

static void test_error_report(void **state)
{
    (void)state;
    struct error e;
    char text[256];
    error_set(&e, ERROR_USAGE, "bad");
    assert_int_equal(reported(&e, text, sizeof text), 2);
    assert_string_equal(text, "prog: bad\n");
    error_set(&e, ERROR_INPUT, "bad");
    error_at(&e, "f", 0);
    assert_int_equal(reported(&e, text, sizeof text), 1);
    assert_string_equal(text, "prog: f: bad\n");
    error_at(&e, "f", 3);
    assert_int_equal(reported(&e, text, sizeof text), 1);
    assert_string_equal(text, "prog: f:3: bad\n");
    error_at(&e, "", 0);
    assert_int_equal(reported(&e, text, sizeof text), 1);
    assert_string_equal(text, "prog: '': bad\n");
    error_at(&e, NULL, 0);
    assert_int_equal(reported(&e, text, sizeof text), 1);
    assert_string_equal(text, "prog: bad\n");
}

/* ---- the command line ---- */

enum { KEY_LONG_ONLY = 300, KEY_FORCE, KEY_FORMAT };

static const struct cli_option options[] = {
    {'o', "output", "DIR", "where to"},
    {'v', "verbose", NULL, "say more"},
    {'n', NULL, "N", "a number"},
    {KEY_LONG_ONLY, "seed", "N", "a seed"},
    {KEY_FORCE, "force", NULL, "overwrite"},
    {KEY_FORMAT, "format", "F", "a format"},
    {'q', "form", NULL, "a prefix of format"},
};

static const struct cli_program program = {
    .name = "prog",
    .usage = "[OPTION]...",
    .summary = "Does.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};

/* Parses the NULL-terminated arguments. Writes the result as one text: `key=value ` or `key ` for each, then `! ` and
 * an error's text. */
static void parse(char *const *arguments, char *text, size_t size)
{
    char *argv[16] = {(char *)"prog"};
    int argc = 1;
    for (; arguments[argc - 1]; argc++)
        argv[argc] = arguments[argc - 1];
    struct cli cli = cli_start(&program, argc, argv);
    struct error e;
    const char *value;
    size_t used = 0;
    text[0] = '\0';
    for (int key; (key = cli_next(&cli, &value, &e)) != CLI_END;) {
        if (key == CLI_WRONG) {
            assert_int_equal(e.code, ERROR_USAGE);
            snprintf(text + used, size - used, "! %s", e.text);
            return;
        }
        char name[16];
        snprintf(name, sizeof name, key == CLI_OPERAND ? "." : key < 256 ? "%c" : "%d", key);
        used += (size_t)snprintf(text + used, size - used, "%s%s%s ", name, value ? "=" : "", value ? value : "");
        assert_true(used < size);
    }
}

#define ASSERT_PARSED(expected, ...)                                                                                   \
    do {                                                                                                               \
        char *const arguments[] = {__VA_ARGS__, NULL};                                                                 \
        char text[512];                                                                                                \
        parse(arguments, text, sizeof text);                                                                           \
        assert_string_equal(text, expected);                                                                           \
    } while (0)

static void test_cli_forms(void **state)
{
    (void)state;
    ASSERT_PARSED("", NULL);
    ASSERT_PARSED("o=a o=b o=c o=d ", "-o", "a", "-ob", "--output=c", "--output", "d");
    ASSERT_PARSED("v v o=x ", "-vvox");
    ASSERT_PARSED("v o=x ", "-vo", "x");
    ASSERT_PARSED("300=5 o= ", "--seed", "5", "--output=");
    ASSERT_PARSED("n=-1 o=--force ", "-n", "-1", "-o", "--force");
}

static void test_cli_operands(void **state)
{
    (void)state;
    ASSERT_PARSED(".=a v .=b .=- ", "a", "-v", "b", "-");
    ASSERT_PARSED(".=a v .=-v .=--force .=-- ", "a", "-v", "--", "-v", "--force", "--");
    ASSERT_PARSED(".= ", "");
    ASSERT_PARSED("", "--");
}

static void test_cli_abbreviations(void **state)
{
    (void)state;
    ASSERT_PARSED("o=x v ", "--out=x", "--verb");
    ASSERT_PARSED("301 ", "--forc");
    /* An exact name is no abbreviation of a longer one. */
    ASSERT_PARSED("q ", "--form");
    ASSERT_PARSED("302=x ", "--forma=x");
    ASSERT_PARSED("! option '--fo' is ambiguous; see --help", "--fo");
    ASSERT_PARSED("! option '--for' is ambiguous; see --help", "--for=1");
}

static void test_cli_errors(void **state)
{
    (void)state;
    ASSERT_PARSED("! there is no option '--nonsense'; see --help", "--nonsense");
    ASSERT_PARSED("! there is no option '-x'; see --help", "-x");
    ASSERT_PARSED("v ! there is no option '-x'; see --help", "-vx");
    ASSERT_PARSED("! option '--output' needs an argument; see --help", "--output");
    ASSERT_PARSED("! option '-o' needs an argument; see --help", "-o");
    ASSERT_PARSED("v ! option '-o' needs an argument; see --help", "-vo");
    ASSERT_PARSED("! option '--force' takes no argument; see --help", "--force=1");
    ASSERT_PARSED("! there is no option '--a?b'; see --help", "--a\nb");
    ASSERT_PARSED("! there is no option '--%s%n'; see --help", "--%s%n");
    /* A key of 256 and more is no letter. */
    ASSERT_PARSED("! there is no option '-?'; see --help", "-\xff");
}

static void test_cli_number(void **state)
{
    (void)state;
    uint64_t n = 0;
    struct error e;
    assert_true(cli_number("0", "x", 0, 10, &n, &e) && n == 0);
    assert_true(cli_number("0010", "x", 0, 10, &n, &e) && n == 10);
    assert_true(cli_number("18446744073709551615", "x", 0, UINT64_MAX, &n, &e) && n == UINT64_MAX);
    static const char *const wrong[] = {
        "", " 1", "1 ", "+1", "-1", "0x1", "1k", "1.0", "11", "18446744073709551616", "99999999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        n = 77;
        assert_false(cli_number(wrong[i], "x", 0, 10, &n, &e));
        assert_int_equal(n, 77);
        assert_int_equal(e.code, ERROR_USAGE);
    }
    assert_false(cli_number("18446744073709551616", "--seed", 0, UINT64_MAX, &n, &e));
    assert_string_equal(e.text, "--seed '18446744073709551616' is not a whole number from 0 to 18446744073709551615; "
                                "see --help");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_text_is_one_printable_line),
        cmocka_unit_test(test_error_text_is_utf8),
        cmocka_unit_test(test_error_is_cut_to_fit),
        cmocka_unit_test(test_error_may_be_unwanted),
        cmocka_unit_test(test_error_from_errno),
        cmocka_unit_test(test_error_report),
        cmocka_unit_test(test_cli_forms),
        cmocka_unit_test(test_cli_operands),
        cmocka_unit_test(test_cli_abbreviations),
        cmocka_unit_test(test_cli_errors),
        cmocka_unit_test(test_cli_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
