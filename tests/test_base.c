/* base/: bytes and LEB128, the arena, errors, the command line. */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/cli.h"
#include "base/error.h"
#include "base/file_begin.h"
#include "base/random.h"
#include "base/replacement.h"
#include "base/shares.h"
#include "base/workers.h"

/* ---- bytes ---- */

/* The examples of DWARF 5, figures C.1 and C.2 (section 7.6), and the edges of
 * the types. */
static const struct {
    uint64_t value;
    uint8_t encoded[10];
    unsigned size;
} unsigned_cases[] = {
    {0, {0}, 1},
    {2, {2}, 1},
    {127, {127}, 1},
    {128, {0x80, 1}, 2},
    {129, {0x81, 1}, 2},
    {12857, {57 + 0x80, 100}, 2},
    {16383, {0xff, 0x7f}, 2},
    {16384, {0x80, 0x80, 1}, 3},
    {UINT32_MAX, {0xff, 0xff, 0xff, 0xff, 0x0f}, 5},
    {INT64_MAX, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, 9},
    {UINT64_MAX, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 10},
};

static const struct {
    int64_t value;
    uint8_t encoded[10];
    unsigned size;
} signed_cases[] = {
    {0, {0}, 1},
    {2, {2}, 1},
    {-2, {0x7e}, 1},
    {63, {0x3f}, 1},
    {64, {0xc0, 0}, 2},
    {-64, {0x40}, 1},
    {-65, {0xbf, 0x7f}, 2},
    {127, {127 + 0x80, 0}, 2},
    {-127, {1 + 0x80, 0x7f}, 2},
    {128, {0 + 0x80, 1}, 2},
    {-128, {0 + 0x80, 0x7f}, 2},
    {129, {1 + 0x80, 1}, 2},
    {-129, {0x7f + 0x80, 0x7e}, 2},
    {INT64_MAX, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00}, 10},
    {INT64_MIN, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}, 10},
};

static void test_uleb128(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof unsigned_cases / sizeof unsigned_cases[0]; i++) {
        uint8_t out[16] = {0};
        uint8_t *end = put_uleb128(out, unsigned_cases[i].value);
        assert_int_equal(end - out, unsigned_cases[i].size);
        assert_int_equal(leb128_unsigned_size(unsigned_cases[i].value), unsigned_cases[i].size);
        assert_memory_equal(out, unsigned_cases[i].encoded, unsigned_cases[i].size);
        const uint8_t *p = unsigned_cases[i].encoded;
        assert_int_equal(take_uleb128(&p), unsigned_cases[i].value);
        assert_int_equal(p - unsigned_cases[i].encoded, unsigned_cases[i].size);
    }
}

static void test_sleb128(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof signed_cases / sizeof signed_cases[0]; i++) {
        uint8_t out[16] = {0};
        uint8_t *end = put_sleb128(out, signed_cases[i].value);
        assert_int_equal(end - out, signed_cases[i].size);
        assert_int_equal(leb128_signed_size(signed_cases[i].value), signed_cases[i].size);
        assert_memory_equal(out, signed_cases[i].encoded, signed_cases[i].size);
        const uint8_t *p = signed_cases[i].encoded;
        assert_int_equal(take_sleb128(&p), signed_cases[i].value);
        assert_int_equal(p - signed_cases[i].encoded, signed_cases[i].size);
    }
}

/* Section 7.6 allows more bytes than a number needs. */
static void test_long_leb128(void **state)
{
    (void)state;
    const uint8_t seven[] = {0x87, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
    const uint8_t minus_two[] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    const uint8_t *p = seven;
    assert_int_equal(take_uleb128(&p), 7);
    assert_ptr_equal(p, seven + sizeof seven);
    p = seven;
    assert_int_equal(take_sleb128(&p), 7);
    p = minus_two;
    assert_int_equal(take_sleb128(&p), -2);
    assert_ptr_equal(p, minus_two + sizeof minus_two);
    assert_ptr_equal(skip_leb128(minus_two), p);
}

static void test_put_is_little_endian(void **state)
{
    (void)state;
    const uint8_t expected[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09,
                                0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 'a',  'b'};
    uint8_t out[sizeof expected];
    uint8_t *p = put_u8(out, 0x01);
    p = put_u16(p, 0x0302);
    p = put_u32(p, 0x07060504);
    p = put_u64(p, UINT64_C(0x0f0e0d0c0b0a0908));
    p = put_bytes(p, "ab", 2);
    assert_int_equal(p - out, sizeof expected);
    assert_memory_equal(out, expected, sizeof expected);
}

static void test_bytes_give_offsets(void **state)
{
    (void)state;
    struct bytes b = {0};
    assert_int_equal(bytes_u8(&b, 1), 0);
    assert_int_equal(bytes_u16(&b, 2), 1);
    assert_int_equal(bytes_u32(&b, 3), 3);
    assert_int_equal(bytes_u64(&b, 4), 7);
    assert_int_equal(bytes_uleb128(&b, 300), 15);
    assert_int_equal(bytes_sleb128(&b, -300), 17);
    assert_int_equal(bytes_string(&b, "xy"), 19);
    assert_int_equal(bytes_append(&b, NULL, 3), 22);
    assert_int_equal(b.size, 25);
    assert_memory_equal(b.data + 15, "\xac\x02\xd4\x7dxy\0\0\0\0", 10);
    bytes_patch_u32(&b, 3, 0x01020304);
    assert_memory_equal(b.data + 3, "\x04\x03\x02\x01", 4);
    assert_false(b.failed);
    bytes_free(&b);
    assert_null(b.data);
    assert_int_equal(b.size, 0);
}

static void test_bytes_grow(void **state)
{
    (void)state;
    struct bytes b = {0};
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(bytes_u32(&b, (uint32_t)i), i * 4);
    for (size_t i = 0; i < 100000; i++) {
        uint32_t v;
        memcpy(&v, b.data + i * 4, 4);
        assert_int_equal(v, i);
    }
    assert_false(b.failed);
    bytes_free(&b);
}

static void test_bytes_failure_sticks(void **state)
{
    (void)state;
    struct bytes b = {0};
    bytes_u8(&b, 7);
    bytes_append(&b, NULL, SIZE_MAX - 64);
    assert_true(b.failed);
    assert_int_equal(b.size, 1);
    bytes_u8(&b, 8);
    bytes_patch_u32(&b, 0, 0);
    assert_int_equal(b.size, 1);
    assert_int_equal(b.data[0], 7);
    bytes_free(&b);
    assert_false(b.failed);
}

/* ---- arena ---- */

static void test_arena_is_aligned_and_apart(void **state)
{
    (void)state;
    struct arena a = {0};
    unsigned char *previous = NULL;
    for (size_t size = 1; size < 2000; size += 7) {
        unsigned char *p = arena_take(&a, size);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        memset(p, (int)(size & 0xff), size);
        if (previous)
            assert_int_equal(previous[0], (size - 7) & 0xff);
        previous = p;
    }
    arena_free(&a);
    assert_null(a.first);
}

/* Takes the same amounts and gives the number of blocks that it took. */
static size_t fill(struct arena *a, void **first)
{
    *first = arena_take(a, 100);
    for (int i = 0; i < 50; i++)
        memset(arena_take(a, 60000), i, 60000);
    memset(arena_take(a, 3000000), 0x55, 3000000);
    assert_non_null(arena_take(a, 1));
    size_t blocks = 0;
    for (const char *b = (const char *)a->first; b; blocks++) /* a block begins with the pointer to the next */
        memcpy(&b, (const void *)b, sizeof b);
    return blocks;
}

static void test_arena_reuses_its_blocks(void **state)
{
    (void)state;
    struct arena a = {0};
    void *first;
    void *again;
    size_t blocks = fill(&a, &first);
    assert_true(blocks > 2);
    for (int i = 0; i < 3; i++) {
        arena_reset(&a);
        assert_int_equal(fill(&a, &again), blocks);
        assert_ptr_equal(again, first);
    }
    arena_free(&a);
    arena_reset(&a);
    assert_non_null(arena_take(&a, 10));
    arena_free(&a);
    arena_free(&a);
}

static void test_arena_zeroes_what_was_used(void **state)
{
    (void)state;
    struct arena a = {0};
    memset(arena_take(&a, 512), 0xff, 512);
    arena_reset(&a);
    const unsigned char *p = arena_zeroed(&a, 64, 8);
    for (int i = 0; i < 512; i++)
        assert_int_equal(p[i], 0);
    arena_free(&a);
}

static void test_arena_refuses_what_overflows(void **state)
{
    (void)state;
    struct arena a = {0};
    assert_null(arena_take(&a, SIZE_MAX));
    assert_null(arena_take(&a, SIZE_MAX - 32));
    assert_null(arena_zeroed(&a, SIZE_MAX / 2, 3));
    assert_non_null(arena_zeroed(&a, 0, 0));
    assert_non_null(arena_zeroed(&a, 0, 8));
    arena_free(&a);
}

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

/* C1 control characters in UTF-8, and what is not UTF-8: Latin-1, longer than
 * need be, a surrogate, above U+10FFFF, cut. */
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

/* What error_report writes to standard error, and its status. */
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

/* Parses the NULL-terminated arguments, and writes what came of it as one
 * text: `key=value` or `key` by ' ', ended by the error's text. */
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

/* ---- randomness ---- */

/* Java's SplittableRandom(0) and the reference code of SplitMix64 begin so. */
static void test_random_is_splitmix64(void **state)
{
    (void)state;
    struct random r = {0};
    assert_true(random_next(&r) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(random_next(&r) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(random_next(&r) == UINT64_C(0x06c45d188009454f));
    assert_true(random_at(0, 2) == UINT64_C(0x06c45d188009454f));
}

static void test_random_below_stays_below(void **state)
{
    (void)state;
    assert_int_equal(random_below(UINT64_MAX, 10), 9);
    assert_int_equal(random_below(0, 10), 0);
    assert_int_equal(random_below(UINT64_MAX, 1), 0);
    assert_int_equal(random_below(UINT64_MAX, UINT64_C(1) << 32), UINT32_MAX);
}

static void test_shares_are_the_sum(void **state)
{
    (void)state;
    struct shares few = {.sum = 10, .weights = 8};
    assert_int_equal(shares_next(&few, 3), 3);
    assert_int_equal(shares_next(&few, 0), 0);
    assert_int_equal(shares_next(&few, 3), 4);
    assert_int_equal(shares_next(&few, 2), 3);
    struct shares most = {.sum = UINT64_MAX, .weights = UINT64_MAX};
    assert_int_equal(shares_next(&most, UINT64_MAX - 1), UINT64_MAX - 1);
    assert_int_equal(shares_next(&most, 1), 1);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void test_file_begin(void **state)
{
    (void)state;
    char path[] = "begin-XXXXXX", begin[SELFMAG];
    ssize_t got;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_true(file_begin(path, begin, sizeof begin, &got));
    assert_int_equal(got, 0);
    assert_false(file_begin_is_elf(begin, got));
    write_text(path, "\177EL");
    assert_true(file_begin(path, begin, sizeof begin, &got));
    assert_int_equal(got, 3);
    assert_false(file_begin_is_elf(begin, got));
    write_text(path, "\177ELF and more");
    assert_true(file_begin(path, begin, sizeof begin, &got));
    assert_true(file_begin_is_elf(begin, got));

    assert_int_equal(unlink(path), 0);
    assert_false(file_begin(path, begin, sizeof begin, &got));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_true(file_begin(path, begin, sizeof begin, &got)); /* and waits for nobody */
    assert_int_equal(got, -1);
    assert_int_equal(unlink(path), 0);
}

static void expect_text(const char *path, const char *text)
{
    char found[64] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fgets(found, sizeof found, f) || !*text);
    fclose(f);
    assert_string_equal(found, text);
}

static void test_replacement_is_whole_or_not_there(void **state)
{
    (void)state;
    char directory[] = "replacement-XXXXXX", here[PATH_MAX];
    struct replacement r;
    struct error e;
    assert_non_null(getcwd(here, sizeof here));
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
    write_text("old", "old");
    assert_int_equal(symlink("old", "link"), 0);

    assert_true(replacement_open(&r, "link", &e));
    fputs("half", r.file);
    expect_text("old", "old"); /* and so far nothing of the new one */
    replacement_drop(&r);
    assert_null(r.file);
    expect_text("old", "old");

    assert_true(replacement_open(&r, "link", &e));
    fputs("new", r.file);
    assert_true(replacement_keep(&r, &e));
    expect_text("old", "new");
    struct stat st;
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));

    assert_true(replacement_possible("another", &e));
    assert_false(replacement_possible(".", &e));
    assert_string_equal(e.text, "is a directory; give another name");
    assert_int_equal(e.code, ERROR_USAGE);
    assert_false(replacement_possible("/dev/null", &e));
    assert_string_equal(e.text, "is no regular file; give another name");
    write_text("old", "\177ELF\2\1\1");
    assert_false(replacement_possible("link", &e));
    assert_non_null(strstr(e.text, "is a library or program"));
    expect_text("old", "\177ELF\2\1\1");
    write_text("old", "{\n  \"pyelfgen-manifest\": 1");
    assert_false(replacement_possible("link", &e));
    assert_non_null(strstr(e.text, "is the manifest of a set"));
    write_text("old", "\177ELF\2\1\1");
    expect_text("old", "\177ELF\2\1\1");
    assert_false(replacement_possible("no/such", &e));
    assert_string_equal(e.file, "no/such");
    assert_string_equal(e.text, "cannot be written; choose another directory: No such file or directory");
    char name[PATH_MAX + 100];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_false(replacement_possible(name, &e));
    assert_non_null(strstr(e.text, "File name too long"));

    unlink("old");
    unlink("link");
    assert_int_equal(chdir(here), 0);
    assert_int_equal(rmdir(directory), 0); /* nothing else is in it */
}

/* ---- workers ---- */

/* Of a machine on which a process may use every second processor, as Linux tells it: in no fewer bits than it has. */
static size_t machine;

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    (void)process;
    if (8 * size < machine) {
        errno = EINVAL;
        return -1;
    }
    CPU_ZERO_S(size, set);
    for (size_t i = 0; i < machine; i += 2)
        CPU_SET_S(i, size, set);
    return 0;
}

static void test_processors_of_machines_of_any_size(void **state)
{
    (void)state;
    static const struct {
        size_t machine;
        unsigned processors;
    } cases[] = {{2, 1}, {8, 4}, {1024, WORKERS_MOST}, {1026, WORKERS_MOST}, {8192, WORKERS_MOST}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        machine = cases[i].machine;
        assert_int_equal(workers_processors(), cases[i].processors);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uleb128),
        cmocka_unit_test(test_sleb128),
        cmocka_unit_test(test_long_leb128),
        cmocka_unit_test(test_put_is_little_endian),
        cmocka_unit_test(test_bytes_give_offsets),
        cmocka_unit_test(test_bytes_grow),
        cmocka_unit_test(test_bytes_failure_sticks),
        cmocka_unit_test(test_arena_is_aligned_and_apart),
        cmocka_unit_test(test_arena_reuses_its_blocks),
        cmocka_unit_test(test_arena_zeroes_what_was_used),
        cmocka_unit_test(test_arena_refuses_what_overflows),
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
        cmocka_unit_test(test_random_is_splitmix64),
        cmocka_unit_test(test_random_below_stays_below),
        cmocka_unit_test(test_shares_are_the_sum),
        cmocka_unit_test(test_file_begin),
        cmocka_unit_test(test_processors_of_machines_of_any_size),
        cmocka_unit_test(test_replacement_is_whole_or_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
