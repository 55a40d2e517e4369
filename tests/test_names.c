/* emit/names.c: lengths, sums and hashes of names, against names written out one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf/hash.h"
#include "emit/names.h"

/* Room for the longest name, and for what names_write may overwrite beyond it. */
enum { ROOM = PROFILE_NAME_MOST + NAME_PREFIX_MOST + 64 };

/* What a name is by its definition: library, "_fun", number, digits. */
static void spell(char *out, const struct names *n, const char *library, uint32_t number)
{
    int natural = sprintf(out, "%s_fun%u", library, number);
    uint32_t length = names_length(n, (uint32_t)natural);
    for (uint32_t i = (uint32_t)natural; i < length; i++)
        out[i] = (char)('0' + (i - (uint32_t)natural) % 10);
    out[length] = '\0';
}

static struct names *make_names(uint32_t length, uint32_t pad)
{
    struct names *n = malloc(sizeof *n);
    assert_non_null(n);
    names_init(n, length, pad);
    return n;
}

static const struct {
    uint32_t length, pad;
} styles[] = {{0, 0},  {0, 1},  {0, 30}, {0, 100}, {0, PROFILE_NAME_MOST}, {1, 0},
              {18, 0}, {19, 0}, {22, 0}, {90, 0},  {PROFILE_NAME_MOST, 0}};
enum { STYLES = sizeof styles / sizeof styles[0] };

static void test_digits(void **state)
{
    (void)state;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 120000; i++) {
        char text[16];
        assert_int_equal(names_digits_sum(0, i), sum);
        assert_int_equal(names_digits(i), (uint32_t)sprintf(text, "%u", i));
        sum += names_digits(i);
    }
    assert_int_equal(names_digits(UINT32_MAX), 10);
    assert_int_equal(names_digits(1000000000), 10);
    assert_int_equal(names_digits(999999999), 9);
    assert_int_equal(names_digits_sum(5, 5), 0);
    assert_int_equal(names_digits_sum(9, 11), 3);
    assert_int_equal(names_digits_sum(7, 3), 0);
}

static void test_sums_of_lengths(void **state)
{
    (void)state;
    static const uint32_t ranges[][2] = {{0, 0},  {0, 1},  {0, 9},    {0, 10},   {0, 11},
                                         {9, 10}, {10, 9}, {95, 105}, {0, 1234}, {999, 10003}};
    for (unsigned s = 0; s < STYLES; s++) {
        struct names *n = make_names(styles[s].length, styles[s].pad);
        for (unsigned r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
            char name[ROOM];
            uint64_t sum = 0;
            for (uint32_t i = ranges[r][0]; i < ranges[r][1]; i++) {
                spell(name, n, "libmodule3", i);
                sum += strlen(name) + 1;
            }
            assert_int_equal(names_bytes(n, (uint32_t)strlen("libmodule3_fun"), ranges[r][0], ranges[r][1]), sum);
        }
        free(n);
    }
}

static void test_names_and_hashes(void **state)
{
    (void)state;
    static const char *const libraries[] = {"libmodule0", "libutility12", "libmodule999999", "libutility1000000"};
    static const uint32_t numbers[] = {0, 1, 9, 10, 99, 100, 12345, 5999999, UINT32_MAX};
    for (unsigned s = 0; s < STYLES; s++) {
        struct names *n = make_names(styles[s].length, styles[s].pad);
        for (unsigned l = 0; l < sizeof libraries / sizeof libraries[0]; l++) {
            struct name_stem stem;
            names_stem(&stem, libraries[l], "_fun");
            assert_int_equal(stem.length, strlen(libraries[l]) + 4);
            for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
                char expected[ROOM];
                uint8_t written[ROOM];
                uint32_t hash = 0;
                spell(expected, n, libraries[l], numbers[i]);
                uint32_t length = names_length(n, stem.length + names_digits(numbers[i]));
                memset(written, 0xee, sizeof written);
                uint8_t *end = names_write(n, &stem, numbers[i], length, written, &hash);
                assert_string_equal((char *)written, expected);
                assert_ptr_equal(end, written + strlen(expected) + 1);
                assert_int_equal(hash, hash_gnu(HASH_GNU_START, expected, strlen(expected)));
            }
        }
        free(n);
    }
}

static void test_hash_is_not_asked_for(void **state)
{
    (void)state;
    struct names *n = make_names(0, 3);
    struct name_stem stem;
    uint8_t written[ROOM];
    names_stem(&stem, "libmodule7", "_var");
    names_write(n, &stem, 42, stem.length + 2 + 3, written, NULL);
    assert_string_equal((char *)written, "libmodule7_var42012");
    free(n);
}

/* What is written behind a name's end is written over by the next name, and at
 * most 32 bytes from its start. */
static void test_little_is_overwritten(void **state)
{
    (void)state;
    struct names *n = make_names(0, 0);
    struct name_stem stem;
    uint8_t written[64];
    names_stem(&stem, "libmodule7", "_fun");
    memset(written, 0xee, sizeof written);
    names_write(n, &stem, 1, stem.length + 1, written, NULL);
    for (size_t i = 32; i < sizeof written; i++)
        assert_int_equal(written[i], 0xee);
    free(n);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Two functions of one library never have one name: without a length, and with
 * any that is more than the longest natural name (the plan asks for no other). */
static void test_names_are_different(void **state)
{
    (void)state;
    enum { COUNT = 12000, WIDE = 64 };
    char(*all)[WIDE] = calloc(COUNT, WIDE);
    assert_non_null(all);
    const uint32_t longest = 14 + names_digits(COUNT - 1);
    for (uint32_t length = longest; length < 40; length++) {
        struct names *n = make_names(length == longest ? 0 : length, 0);
        struct name_stem stem;
        names_stem(&stem, "libmodule0", "_fun");
        for (uint32_t i = 0; i < COUNT; i++) {
            uint8_t written[ROOM];
            names_write(n, &stem, i, names_length(n, stem.length + names_digits(i)), written, NULL);
            memcpy(all[i], written, WIDE);
        }
        qsort(all, COUNT, WIDE, by_text);
        for (uint32_t i = 1; i < COUNT; i++)
            if (strcmp(all[i - 1], all[i]) == 0)
                fail_msg("with names of length %u two functions are called %s", length, all[i]);
        free(n);
    }
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_sums_of_lengths),
        cmocka_unit_test(test_names_and_hashes),
        cmocka_unit_test(test_hash_is_not_asked_for),
        cmocka_unit_test(test_little_is_overwritten),
        cmocka_unit_test(test_names_are_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
