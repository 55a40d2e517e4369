/* emit/profile/distribution.h: distributions of captured profiles. Also names and undefined symbols whose lengths
 * follow such distributions. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "emit/plan/names_row.h"
#include "emit/plan/outside.h"
#include "emit/plan/outside_newer.h"
#include "emit/plan/outside_parts.h"
#include "emit/profile/distribution.h"

enum { MOST = 5000 };

static uint64_t sum_of(const uint32_t *value, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += value[i];
    return sum;
}

static void assert_ascending(const uint32_t *value, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        assert_true(value[i - 1] <= value[i]);
}

/* Sets `value` to values that are distributed as these quantiles say, in ascending order. */
static void draw(const char *quantiles, uint32_t count, uint32_t *value)
{
    assert_true(distribution_values(quantiles, NULL, count, value));
    assert_ascending(value, count);
}

static void test_quantiles(void **state)
{
    static uint32_t value[MOST];
    (void)state;
    draw("0 10*9 20 30*9 100", 21, value);
    assert_int_equal(value[0], 0);
    assert_int_equal(value[1], 10);
    assert_int_equal(value[10], 20);
    assert_int_equal(value[20], 100);
    /* values between are evenly spread; 10 goes on for half of the way to 20 */
    draw("0 10*9 20 30*9 100", 2001, value);
    assert_int_equal(value[100], 10);
    assert_int_equal(value[900], 10);
    assert_int_equal(value[975], 15);
    assert_int_equal(value[2000], 100);
    draw("0 10*9 20 30*9 100", 1, value);
    assert_int_equal(value[0], 20);
}

/* The largest values become ever rarer: between the last two quantiles, the ends of the eighths grow by one factor. */
static void test_the_largest_values(void **state)
{
    static uint32_t value[MOST];
    (void)state;
    draw("1*20 256", 2001, value);
    assert_int_equal(value[1900], 1);
    assert_in_range(value[1975], 15, 17);
    assert_in_range(value[1987], 61, 66);
    assert_int_equal(value[2000], 256);
    draw("1*19 2 256", 2001, value);
    assert_in_range(value[1950], 22, 24); /* the geometric mean of 2 and 256 */
    draw("0*20 2147483647", 2001, value);
    assert_int_equal(value[2000], DISTRIBUTION_MOST);
}

/* A value that several quantiles in a row have goes on for half of the way to the next ones. Other values are evenly
 * spread over the rest. */
static void test_values_that_repeat(void **state)
{
    static uint32_t value[MOST];
    (void)state;
    draw("0 10*2 20*3 30 40 50 60 70", 1001, value);
    assert_int_equal(value[0], 0);
    assert_int_equal(value[25], 5);
    assert_int_equal(value[50], 10);
    assert_int_equal(value[249], 10);
    assert_int_equal(value[251], 20);
    assert_int_equal(value[550], 20);
    assert_int_equal(value[575], 25);
    assert_int_equal(value[650], 35); /* neither 30 nor 40 repeats */
    assert_true(distribution_has_quantiles("0 10*2 20*3 30 40 50 60 70", value, 1001));
}

/* A histogram less the values that are known otherwise. */
static void test_without_what_is_known(void **state)
{
    static const struct distribution_part few = {"3*5 8*5 100", 11};
    static const struct distribution_part more[] = {{"3*5 8*5 100", 11}, {"1000*11", 40}, {"no list", 3}};
    char *left;
    (void)state;
    assert_true(distribution_without("3:7 8:9 90:4", &few, 1, &left));
    assert_string_equal(left, "3:2 8:4 90:3");
    free(left);
    assert_true(distribution_without("3:7 8:9 90:4", NULL, 0, &left));
    assert_string_equal(left, "3:7 8:9 90:4");
    free(left);
    /* if a bucket has fewer values, the others are taken from the buckets below */
    assert_true(distribution_without("3:60 8:1 90:1", more, 3, &left));
    assert_string_equal(left, "3:11");
    free(left);
    assert_true(distribution_without("3:5 8:5 90:1", &few, 1, &left));
    assert_null(left);
    assert_true(distribution_without("none", &few, 1, &left));
    assert_null(left);
}

/* Coarser and finer quantiles, which say where values jump. */
static void test_more_quantiles(void **state)
{
    static uint32_t value[MOST];
    (void)state;
    draw("0 10*4 20 30*4 100", 11, value);
    assert_int_equal(value[5], 20);
    draw("5*31 57*60 90*10", 1001, value);
    assert_int_equal(value[300], 5);
    assert_int_equal(value[310], 57);
    assert_int_equal(value[900], 57);
    assert_int_equal(value[910], 90);
    draw("1*41", 3, value);
    draw("1*201", 3, value);
    draw("5*15 57*30 90*6", 51, value);
    assert_int_equal(value[14], 5);
    assert_int_equal(value[15], 57);
    assert_int_equal(value[45], 90);
    assert_true(distribution_is_of_few("1*11"));
    assert_true(distribution_is_of_few("1*51"));
    assert_false(distribution_is_of_few("1*41"));
    assert_false(distribution_is_of_few("1*31"));
}

/* Few values change, and these stay in the range that all were in. */
static void test_fit_few(void **state)
{
    enum { COUNT = 100 };
    uint32_t was[COUNT], value[COUNT];
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++)
        was[i] = 5 + i / 2;
    for (uint32_t sum = 2400; sum < 3700; sum += 100) {
        memcpy(value, was, sizeof was);
        assert_int_equal(distribution_fit_few(value, COUNT, 3, 500, sum), sum);
        assert_int_equal(sum_of(value, COUNT), sum);
        assert_ascending(value, COUNT);
        assert_true(value[0] >= 5 && value[COUNT - 1] <= 54);
        assert_true(distribution_distance(was, value, COUNT) < 0.2);
    }
    /* sums that cannot be reached in that range */
    memcpy(value, was, sizeof was);
    assert_int_equal(distribution_fit_few(value, COUNT, 3, 500, 9000), 9000);
    assert_int_equal(distribution_fit_few(value, COUNT, 3, 500, 400), 400);
    assert_int_equal(distribution_fit_few(value, COUNT, 5, 500, 400), 500);
    assert_int_equal(distribution_fit_few(value, 0, 5, 500, 0), 0);
}

static void test_buckets(void **state)
{
    static uint32_t value[MOST];
    (void)state;
    /* buckets are as wide as pyelfprof's: 7, then 16 to 18, then 19 to 21 */
    assert_true(distribution_values(NULL, "7:10 16:30 19:60", 100, value));
    assert_ascending(value, 100);
    assert_int_equal(value[9], 7);
    assert_int_equal(value[10], 16);
    assert_int_equal(value[39], 18);
    assert_int_equal(value[40], 19);
    assert_int_equal(value[99], 21);
}

static void test_what_is_no_distribution(void **state)
{
    static const char *const quantiles[] = {"",       "1 2 3",   "1*20",   "1*31",   "1*99999999999999999999",
                                            "2*20 1", "-1*21",   "1*21 2", "1 * 21", "x",
                                            "1*",     "1*20 2*", "0x1*21", "1*21:",  "1*0"};
    static const char *const buckets[] = {"",          "5",    "5:", "5:1,6:1", "6:1 5:1",
                                          "16:1 17:1", "5:-1", ":1", "5:0",     "5:1:2"};
    uint32_t value[4];
    (void)state;
    assert_false(distribution_values(NULL, NULL, 4, value));
    for (unsigned i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++)
        assert_false(distribution_values(quantiles[i], NULL, 4, value));
    for (unsigned i = 0; i < sizeof buckets / sizeof buckets[0]; i++)
        assert_false(distribution_values(NULL, buckets[i], 4, value));
    assert_true(distribution_are_counts("member:3 variable:18446744073709551615"));
    assert_false(distribution_are_counts("member:3 variable:18446744073709551616"));
    /* if the quantiles cannot be read, the histogram counts */
    assert_true(distribution_values("1 2 3", "5:1", 4, value));
    assert_int_equal(value[3], 5);
}

static void test_rest(void **state)
{
    static uint32_t all[MOST];
    static uint32_t fixed[MOST];
    static uint32_t rest[MOST];
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        const uint32_t count = 200 + random_below(random_at(seed, 0), 2000);
        const uint32_t some = random_below(random_at(seed, 1), count / 4);
        assert_true(distribution_values("3 5 8 9 10 11 12*4 14*4 17 20 21 25 29 31 99", NULL, count, all));
        for (uint32_t i = 0; i < some; i++) /* some of the wanted values, or values from elsewhere */
            fixed[i] = seed % 2 ? all[random_below(random_at(seed, 2 + i), count)] : 30 + i % 7;
        assert_true(distribution_rest(all, count, fixed, some, rest));
        assert_ascending(rest, count - some);
        memcpy(rest + count - some, fixed, some * sizeof *fixed);
        const double apart = distribution_distance(all, rest, count);
        assert_true(apart <= (seed % 2 ? 0.08 : (double)some / count));
    }
}

static void test_distance(void **state)
{
    const uint32_t a[] = {1, 2, 3, 4};
    uint32_t same[] = {4, 3, 2, 1};
    uint32_t one[] = {1, 2, 3, 9};
    uint32_t none[] = {7, 8, 9, 10};
    (void)state;
    assert_true(distribution_distance(a, same, 4) == 0);
    assert_true(distribution_distance(a, one, 4) == 0.25);
    assert_true(distribution_distance(a, none, 4) == 1);
}

static void test_fit(void **state)
{
    static uint32_t value[MOST];
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        const uint32_t count = 1 + random_below(random_at(seed, 0), 1000);
        const uint32_t least = random_below(random_at(seed, 1), 12);
        const uint64_t sum = (uint64_t)least * count + random_below(random_at(seed, 2), 40 * count);
        assert_true(distribution_values("3 5 8 9 10 11 12*4 14*4 17 20 21 25 29 31 99", NULL, count, value));
        assert_true(distribution_fit(value, count, least, 4096, sum) == sum);
        assert_true(sum_of(value, count) == sum);
        assert_ascending(value, count);
        assert_in_range(value[0], least, 4096);
        assert_in_range(value[count - 1], least, 4096);
    }
    uint32_t equal[] = {5, 5, 5, 5};
    assert_true(distribution_fit(equal, 4, 0, 4096, 18) == 18);
    assert_ascending(equal, 4);
    draw("3 5*20", 10, value);
    assert_true(distribution_fit(value, 10, 4, 4096, 30) == 40); /* none may be lower */
    assert_true(distribution_fit(value, 10, 4, 6, 100) == 60);   /* or higher */
}

/* Writes quantiles as capturing does. */
static void write_quantiles(const uint32_t *value, uint32_t count, uint32_t quantiles, char *text)
{
    for (uint32_t i = 0; i < quantiles; i++)
        text += sprintf(text, " %u", value[(uint64_t)(count - 1) * i / (quantiles - 1)]);
}

struct bounds {
    uint32_t least, most;
    uint64_t sum;
};

static uint64_t fit_quantiles(const char *quantiles, const uint32_t *fixed, uint32_t fixed_count, uint32_t *value,
                              uint32_t count, struct bounds b)
{
    static struct distribution_limits limit[2048];
    const struct distribution_task t = {value, count, fixed, fixed_count, b.least, b.most, b.sum, limit};
    assert_true(count <= sizeof limit / sizeof limit[0]);
    return distribution_fit_quantiles(quantiles, &t);
}

/* Some of the values are fixed. The others are changed so that quantiles and sum become again what they were. */
static void test_fit_quantiles(void **state)
{
    static uint32_t all[MOST];
    static uint32_t fixed[MOST];
    static uint32_t rest[MOST];
    char wanted[4096];
    char found[4096];
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        const uint32_t quantiles = seed % 3 ? 21 : 11;
        const uint32_t count = 30 + random_below(random_at(seed, 0), 1000);
        const uint32_t some = random_below(random_at(seed, 1), count);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t r = random_below(random_at(seed, 2 + i), 1000);
            all[i] = 3 + r / 20 + (r > 900 ? (r - 900) * 3 : 0);
        }
        memcpy(fixed, all, some * sizeof *fixed); /* random ones, because `all` is not sorted yet */
        const uint64_t sum = sum_of(all + some, count - some);
        distribution_sort(all, count);
        write_quantiles(all, count, quantiles, wanted);
        assert_true(distribution_values(wanted, NULL, count, all));
        assert_true(distribution_rest(all, count, fixed, some, rest));
        assert_true(fit_quantiles(wanted, fixed, some, rest, count - some, (struct bounds){3, 4096, sum}) == sum);
        assert_ascending(rest, count - some);
        assert_true(sum_of(rest, count - some) == sum);
        memcpy(rest + count - some, fixed, some * sizeof *fixed);
        distribution_sort(rest, count);
        write_quantiles(rest, count, quantiles, found);
        assert_string_equal(found, wanted);
        assert_true(distribution_has_quantiles(wanted, rest, count));
        rest[count - 1]++;
        assert_false(distribution_has_quantiles(wanted, rest, count));
    }
}

/* What cannot be met: the sum comes as near as the quantiles allow, also with too many fixed values between two of
 * these. Without quantiles nothing changes. */
static void test_fit_quantiles_in_vain(void **state)
{
    uint32_t value[4] = {1, 2, 3, 4};
    const uint32_t fixed[7] = {6, 6, 6, 6, 6, 6, 6};
    (void)state;
    assert_int_equal(fit_quantiles("5*5 9*6", fixed, 7, value, 4, (struct bounds){1, 100, 0}), 4 * 5);
    assert_int_equal(fit_quantiles("5*5 9*6", fixed, 7, value, 4, (struct bounds){1, 100, 23}), 23);
    assert_int_equal(fit_quantiles("5*5 9*6", fixed, 7, value, 4, (struct bounds){1, 100, 99}), 4 * 9);
    assert_int_equal(fit_quantiles("5*5 9*6", fixed, 7, value, 4, (struct bounds){1, 8, 99}), 4 * 9);
    assert_int_equal(fit_quantiles("nothing", fixed, 7, value, 4, (struct bounds){1, 100, 7}), 4 * 9);
    assert_int_equal(fit_quantiles(NULL, fixed, 7, value, 4, (struct bounds){1, 100, 7}), 4 * 9);
    assert_int_equal(fit_quantiles("5*5 9*6", fixed, 7, value, 0, (struct bounds){1, 100, 7}), 0);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void assert_names_differ(bool module, uint64_t key, const uint16_t *choice, uint32_t count)
{
    static const char *name[2000];
    for (uint32_t i = 0; i < count; i++)
        name[i] = outside_name(module, key, choice, i);
    qsort(name, count, sizeof *name, compare_names);
    for (uint32_t i = 1; i < count; i++)
        assert_string_not_equal(name[i - 1], name[i]);
}

static void test_outside_names_take_what_is_wanted(void **state)
{
    static uint16_t choice[2000];
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const bool module = seed % 2;
        const uint32_t count = 20 + random_below(random_at(seed, 0), outside_most(module) / 2);
        const uint64_t bytes = outside_bytes(module, seed, count) + random_below(random_at(seed, 1), 2 * count) - count;
        const struct outside_wish wish = {
            .module = module, .key = seed, .count = count, .versioned = OUTSIDE_ANY, .bytes = bytes};
        assert_true(outside_choose(&wish, choice) == bytes);
        uint64_t is = 0;
        for (uint32_t i = 0; i < count; i++) {
            is += strlen(outside_name(module, seed, choice, i)) + 1;
        }
        assert_true(is == bytes);
        assert_names_differ(module, seed, choice, count);
    }
    /* the longest names there are */
    const struct outside_wish long_ones = {
        .module = true, .key = 1, .count = 10, .versioned = OUTSIDE_ANY, .bytes = 1 << 20};
    const uint64_t most = outside_choose(&long_ones, choice);
    assert_in_range(most, 10 * 30, 10 * 64);
}

static void test_outside_names_have_the_versions_that_are_wanted(void **state)
{
    static uint16_t choice[2000];
    static uint32_t length[2000];
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const bool module = seed % 2;
        const uint32_t count = 1 + random_below(random_at(seed, 0), seed % 4 ? 60 : 900);
        const uint32_t most = outside_versions_most() < count ? outside_versions_most() : count;
        const uint32_t versions = random_below(random_at(seed, 1), most + 1);
        uint32_t found[64] = {0};
        uint64_t is = 0;
        for (uint32_t i = 0; i < count; i++)
            length[i] = 4 + 20 * i / count;
        const struct outside_wish wish = {.module = module,
                                          .needed = (uint32_t)seed % 4,
                                          .key = seed,
                                          .count = count,
                                          .versions = versions,
                                          .versioned = OUTSIDE_ANY,
                                          .bytes = outside_bytes(module, seed, count),
                                          .length = seed % 3 ? NULL : length};
        const uint64_t bytes = outside_choose(&wish, choice);
        assert_names_differ(module, seed, choice, count);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t version = outside_version(module, seed, choice, i);
            const size_t name = strlen(outside_name(module, seed, choice, i)) + 1;
            found[version]++;
            is += name;
        }
        assert_true(is == bytes);
        for (uint32_t v = 2; v < 64; v++)
            assert_int_equal(found[v], v < versions + 2);
    }
}

/* As many names have versions as are wanted, newer ones among them. With lengths that both kinds of names have, every
 * name has its length, too. */
static void test_outside_names_have_versions_in_the_number_that_is_wanted(void **state)
{
    enum { COUNT = 300, VERSIONS = 12 };
    static uint16_t choice[COUNT];
    static uint32_t length[COUNT];
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const bool has_lengths = seed % 2;
        struct outside_wish wish = {.module = true,
                                    .needed = 1,
                                    .key = seed,
                                    .count = COUNT,
                                    .versions = VERSIONS,
                                    .versioned = (uint32_t)(VERSIONS + seed * 2),
                                    .length = has_lengths ? length : NULL};
        for (uint32_t i = 0; i < COUNT; i++)
            length[i] = 11 + 8 * i / COUNT;
        wish.bytes = has_lengths ? COUNT : outside_natural(&wish);
        for (uint32_t i = 0; i < COUNT && has_lengths; i++)
            wish.bytes += length[i];
        assert_true(outside_choose(&wish, choice) == wish.bytes);
        assert_names_differ(true, seed, choice, COUNT);
        uint32_t versioned = 0;
        uint32_t counted[64] = {0};
        for (uint32_t i = 0; i < COUNT; i++) {
            versioned += outside_version(true, seed, choice, i) > 0;
            counted[strlen(outside_name(true, seed, choice, i))]++;
        }
        assert_int_equal(versioned, wish.versioned);
        for (uint32_t i = 11; i < 19 && has_lengths; i++)
            assert_in_range(counted[i], COUNT / 8 - VERSIONS / 2, COUNT / 8 + VERSIONS / 2);
    }
}

/* All names differ also where more are to have versions than the C library has names. */
static void test_outside_names_differ_with_more_versions_than_there_are(void **state)
{
    static uint16_t choice[2000];
    (void)state;
    struct outside_wish wish = {
        .module = true, .key = 7, .count = outside_most(true), .versions = 10, .versioned = outside_most(true)};
    wish.bytes = outside_natural(&wish);
    outside_choose(&wish, choice);
    assert_names_differ(true, 7, choice, wish.count);
}

/* A name has each newer version also where hardly any name with a version is as long as is wanted. */
static void test_outside_names_have_newer_versions_whatever_their_lengths(void **state)
{
    enum { COUNT = 100, VERSIONS = 20 };
    static uint16_t choice[COUNT];
    static uint32_t length[COUNT];
    (void)state;
    for (uint32_t wanted = 3; wanted < 70; wanted++) {
        struct outside_wish wish = {.module = wanted % 2,
                                    .needed = wanted % 3,
                                    .key = wanted,
                                    .count = COUNT,
                                    .versions = VERSIONS,
                                    .versioned = COUNT / 2,
                                    .bytes = COUNT * (wanted + UINT64_C(1)),
                                    .length = length};
        uint32_t found[64] = {0};
        for (uint32_t i = 0; i < COUNT; i++)
            length[i] = wanted;
        outside_choose(&wish, choice);
        assert_names_differ(wish.module, wish.key, choice, COUNT);
        for (uint32_t i = 0; i < COUNT; i++)
            found[outside_version(wish.module, wish.key, choice, i)]++;
        for (uint32_t v = 2; v < VERSIONS + 2; v++)
            assert_int_equal(found[v], 1);
    }
}

/* A utility has plain names from the libraries that it needs, and versions otherwise. */
static void test_utilities_have_versions_where_there_are_no_other_names(void **state)
{
    enum { COUNT = 100 };
    static uint16_t choice[COUNT];
    (void)state;
    for (uint32_t needed = 0; needed < 2; needed++) {
        struct outside_wish wish = {.needed = needed, .key = 1, .count = COUNT, .versioned = 30};
        wish.bytes = outside_natural(&wish);
        outside_choose(&wish, choice);
        uint32_t versioned = 0;
        for (uint32_t i = 0; i < COUNT; i++)
            versioned += outside_version(false, 1, choice, i) > 0;
        assert_int_equal(versioned, needed ? 30 : COUNT);
        assert_names_differ(false, 1, choice, COUNT);
    }
}

/* The shortest names of every list differ, too. */
static void test_outside_names_of_all_lists_differ(void **state)
{
    enum { COUNT = 700 };
    static uint16_t choice[COUNT];
    static uint32_t length[COUNT];
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++)
        length[i] = 4;
    for (uint32_t needed = 0; needed < 4; needed++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            const struct outside_wish wish = {.module = seed % 2,
                                              .needed = needed,
                                              .key = seed,
                                              .count = COUNT,
                                              .versions = outside_versions_most(),
                                              .versioned = OUTSIDE_ANY,
                                              .length = length};
            outside_choose(&wish, choice);
            assert_names_differ(seed % 2, seed, choice, COUNT);
        }
}

/* Asks the C library that runs this test whether it has our symbols in our versions. */
static void test_the_c_library_has_these_versions(void **state)
{
    (void)state;
    assert_non_null(dlvsym(RTLD_DEFAULT, "malloc", OUTSIDE_VERSION));
    assert_null(dlvsym(RTLD_DEFAULT, "malloc", "GLIBC_2.4"));
    for (uint32_t i = 0; i < outside_most(false); i++)
        assert_int_equal(outside_version(false, 0, NULL, i), 1);
    for (uint32_t v = 0; v < outside_newer_versions(); v++) {
        const uint32_t first = outside_newer_first(v);
        assert_non_null(outside_newer_name(first));
        for (uint32_t i = first; outside_newer_name(i); i++) {
            assert_non_null(dlvsym(RTLD_DEFAULT, outside_newer_name(i), outside_newer_version(v)));
            assert_int_equal(outside_index()->newer_version[i], v);
        }
    }
}

static void test_names_of_rows(void **state)
{
    static const struct profile_row row;
    uint16_t function[] = {9, 30, 5, 1 + 1, 17};
    uint16_t object[] = {2, 12, 2};
    const struct plan_library l = {.prefix = "m12",
                                   .said = &row,
                                   .functions = 5,
                                   .exported = 3,
                                   .names.function_length = function,
                                   .names.object_length = object,
                                   .names.function_lengths = 5};
    uint8_t text[8][64];
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t hash;
        assert_ptr_equal(names_row_write(&l, i, text[i], &hash), text[i] + function[i] + 1);
        assert_int_equal(strlen((char *)text[i]), function[i]);
        assert_true((memcmp(text[i], "m12", 3) == 0) == (i < 3));
        assert_int_equal(text[i][function[i] - 1], '0' + i);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_ptr_equal(names_row_write_object(&l, i, text[5 + i]), text[5 + i] + object[i] + 1);
        assert_int_equal(text[5 + i][object[i] - 1], '0' + i);
        assert_int_equal(text[5 + i][object[i] - 2], '_');
    }
    for (unsigned i = 0; i < 8; i++)
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal((char *)text[i], (char *)text[k]);
    assert_int_equal(names_row_bytes(&l, 0, 5), 9 + 30 + 5 + 2 + 17 + 5);
    const struct plan_library least = {.prefix = "m12", .said = &row, .functions = 12, .exported = 11};
    assert_int_equal(names_row_bytes(&least, 0, 12), 10 * 6 + 7 + 4);
    assert_int_equal(names_row_bytes(&least, 11, 12), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_the_largest_values),
        cmocka_unit_test(test_values_that_repeat),
        cmocka_unit_test(test_without_what_is_known),
        cmocka_unit_test(test_more_quantiles),
        cmocka_unit_test(test_fit_few),
        cmocka_unit_test(test_buckets),
        cmocka_unit_test(test_what_is_no_distribution),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_fit_quantiles),
        cmocka_unit_test(test_fit_quantiles_in_vain),
        cmocka_unit_test(test_outside_names_take_what_is_wanted),
        cmocka_unit_test(test_outside_names_have_the_versions_that_are_wanted),
        cmocka_unit_test(test_outside_names_have_versions_in_the_number_that_is_wanted),
        cmocka_unit_test(test_outside_names_differ_with_more_versions_than_there_are),
        cmocka_unit_test(test_outside_names_have_newer_versions_whatever_their_lengths),
        cmocka_unit_test(test_utilities_have_versions_where_there_are_no_other_names),
        cmocka_unit_test(test_outside_names_of_all_lists_differ),
        cmocka_unit_test(test_the_c_library_has_these_versions),
        cmocka_unit_test(test_names_of_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
