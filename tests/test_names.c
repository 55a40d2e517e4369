/* emit/plan/names.c and emit/plan/mangle.c: lengths, sums and hashes of names, compared with names that are written out
 * one by one. test_names_itanium.py checks what demanglers make of mangled ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/words.h"
#include "elf/write/hash.h"
#include "emit/plan/names.h"
#include "emit/plan/names_mangled.h"
#include "emit/plan/names_scopes.h"
#include "emit/plan/plan.h"

/* Room for the longest name, and for what names_write may overwrite beyond it. */
enum { ROOM = PROFILE_NAME_MOST + NAME_PREFIX_MOST + 64 };

/* Writes a name by its definition: library, "_fun", number, digits. */
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

/* names_write may write beyond the end of a name, but with a short name no further than 32 bytes from its start. The
 * next name is written over that. */
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

/* Two functions of one library never have the same name: neither without a length, nor with any that is more than the
 * longest natural name (the plan asks for no other). */
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

/* --- mangled names -------------------------------------------------------------------- */

static struct plan_library library_called(const char *name, uint64_t key, uint32_t functions)
{
    struct plan_library l = {.key = key, .functions = functions};
    snprintf(l.name, sizeof l.name, "%s", name);
    return l;
}

static struct names *make_itanium(uint32_t letters)
{
    struct names *n = malloc(sizeof *n);
    assert_non_null(n);
    names_init_itanium(n, letters);
    return n;
}

static const uint32_t averages[] = {MANGLE_LEAST,    MANGLE_LEAST + 1,  MANGLE_NATURAL, 100 * MANGLE_PARTS + 7,
                                    MANGLE_MOST / 2, MANGLE_MOST - 100, MANGLE_MOST};
enum { AVERAGES = sizeof averages / sizeof averages[0] };

/* A function with these parameters whose hash gives such a name. */
static struct function function_named(uint32_t index, uint32_t method, bool is_template, uint32_t type, uint32_t number,
                                      const char *parameters)
{
    static const char codes[] = "ilfds"; /* in the order of enum argument_type */
    struct function f = {.count = (uint32_t)strlen(parameters)};
    for (uint32_t j = 0; j < f.count; j++)
        f.type[j] = (uint8_t)(strchr(codes, parameters[j]) - codes);
    for (f.hash = 0; f.hash < 1000000; f.hash++) {
        struct plan_library l = library_called("libmodule3", 7, 100);
        struct name_parts p = mangle_parts(MANGLE_LEAST, &l, index, &f);
        if (p.method == method && p.is_template == is_template &&
            (!is_template || (p.type == type && p.number == number)))
            return f;
    }
    fail_msg("no hash gives such a function");
    return f;
}

/* The names that g++ 12 gives to the same declarations. */
static void test_known_mangled_names(void **state)
{
    (void)state;
    static const struct {
        uint32_t index;
        uint32_t method; /* verb * 16 + noun */
        bool is_template;
        uint32_t type, number;
        const char *parameters; /* s for char const* */
        const char *expected;
    } known[] = {
        {0, 0, false, TEMPLATE_INT, 0, "", "_ZN10libmodule322StepBlockPrevDomainCo015assemble_matrixEv"},
        {1, 40, false, TEMPLATE_INT, 0, "ilfds", "_ZN10libmodule322StepBlockPrevDomainCo011update_meshEilfdPKc"},
        {9, 51, false, TEMPLATE_INT, 0, "sisds", "_ZN10libmodule312PhaseTableB110apply_fluxEPKciS2_dS2_"},
        {87, 255, true, TEMPLATE_INT, 0, "", "_ZN10libmodule39StrainP1020initialize_particlesIiLi0EEEmv"},
        {0, 22, true, TEMPLATE_DOUBLE, 3, "il", "_ZN10libmodule322StepBlockPrevDomainCo012solve_systemIdLi3EEEmil"},
        {7, 238, true, TEMPLATE_CHAR, 15, "sssss",
         "_ZN10libmodule322StepBlockPrevDomainCo09set_stateIcLi15EEEmPKcS3_S3_S3_S3_"},
        {98, 69, true, TEMPLATE_LONG, 10, "fs", "_ZN10libmodule319GhostTaskFieldPha1212compute_haloIlLi10EEEmfPKc"},
    };
    struct plan_library l = library_called("libmodule3", 7, 100);
    struct names *n = make_itanium(MANGLE_NATURAL);
    struct names_head head = {0};
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct function f = function_named(known[i].index, known[i].method, known[i].is_template, known[i].type,
                                           known[i].number, known[i].parameters);
        uint8_t written[ROOM];
        names_write_function(n, &head, &l, known[i].index, &f, written, NULL);
        assert_string_equal((char *)written, known[i].expected);
    }
    free(n);
}

/* Writes a mangled name from its parts. */
static void spell_mangled(char *out, const struct names *n, const struct plan_library *l, uint32_t index,
                          const struct function *f)
{
    static const char *const codes[] = {"i", "l", "f", "d", "PKc"};
    struct name_parts parts = mangle_parts(n->letters, l, index, f);
    char class_name[MANGLE_CLASS_MOST + 1];
    char method[WORDS_METHOD_MOST + 1] = "";
    assert_int_equal(mangle_class(n->letters, l, index / MANGLE_METHODS, class_name), parts.class_length);
    assert_int_equal(strlen(class_name), parts.class_length);
    words_method(parts.method, method);
    assert_int_equal(strlen(method), words_method_length(parts.method));
    char *p = out + sprintf(out, "_ZN%zu%s%u", strlen(l->name), l->name, parts.class_length);
    p = stpcpy(p, class_name);
    p += sprintf(p, "%zu%s", strlen(method), method);
    if (parts.is_template)
        p += sprintf(p, "I%cLi%uEEEm", "ildc"[parts.type], parts.number);
    else
        p += sprintf(p, "E");
    bool again = false;
    for (uint32_t j = 0; j < f->count; j++) {
        bool text = f->type[j] == TYPE_STRING;
        p += sprintf(p, "%s", !text || !again ? codes[f->type[j]] : parts.is_template ? "S3_" : "S2_");
        again |= text;
    }
    if (!f->count)
        strcpy(p, "v");
}

static void test_mangled_names_and_hashes(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    uint32_t templates = 0;
    for (unsigned a = 0; a < AVERAGES; a++) {
        struct names *n = make_itanium(averages[a]);
        struct plan_library libraries[] = {library_called("libmodule0", 1, COUNT),
                                           library_called("libutility123456", UINT64_MAX, COUNT)};
        struct names_head head = {0};
        for (uint32_t k = 0; k < 2 * COUNT; k++) { /* functions of both in turn, class by class */
            struct plan_library *l = &libraries[k / MANGLE_METHODS % 2];
            uint32_t i = k / 2 / MANGLE_METHODS * MANGLE_METHODS + k % MANGLE_METHODS;
            struct function f = function_of(l->key, i);
            char expected[ROOM];
            uint8_t written[ROOM];
            uint32_t hash = 0;
            spell_mangled(expected, n, l, i, &f);
            uint8_t *end = names_write_function(n, &head, l, i, &f, written, &hash);
            assert_string_equal((char *)written, expected);
            assert_ptr_equal(end, written + strlen(expected) + 1);
            assert_int_equal(names_function(n, l, i, &f), strlen(expected));
            assert_int_equal(hash, hash_gnu(HASH_GNU_START, expected, strlen(expected)));
            templates += mangle_parts(n->letters, l, i, &f).is_template;
        }
        free(n);
    }
    assert_in_range(templates, AVERAGES * COUNT * 2 / 7, AVERAGES * COUNT * 2 / 5);
}

static void test_classes(void **state)
{
    (void)state;
    struct plan_library l = library_called("libmodule0", 1, 0);
    for (unsigned a = 0; a < AVERAGES; a++) {
        uint64_t sum = 0;
        bool varies = false;
        uint32_t first = 0;
        for (uint32_t number = 0; number < 2000; number++) {
            char name[MANGLE_CLASS_MOST + 1];
            char digits[16];
            uint32_t length = mangle_class(averages[a], &l, number, name);
            uint32_t letters = (uint32_t)strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
            assert_in_range(letters, MANGLE_LEAST / MANGLE_PARTS, MANGLE_MOST / MANGLE_PARTS);
            assert_in_range(name[0], 'A', 'Z');
            sprintf(digits, "%u", number);
            assert_string_equal(name + letters, digits);
            assert_int_equal(length, strlen(name));
            sum += letters;
            first = number ? first : letters;
            varies |= letters != first;
        }
        assert_true(varies == (averages[a] > MANGLE_LEAST + 1 && averages[a] < MANGLE_MOST));
        assert_in_range(sum * MANGLE_PARTS / 2000, averages[a] * 95 / 100, averages[a] * 105 / 100);
    }
}

/* Sums for averages that were not known when the names were counted. */
static void test_sums_of_mangled_lengths(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 7, 8, 9, 1000};
    for (unsigned c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        struct plan_library l = library_called("libutility77", 5, counts[c]);
        struct names *n = make_itanium(MANGLE_LEAST);
        struct names_tally all = {0};
        struct names_tally one_by_one = {0};
        struct names_tally added = {0};
        names_count(n, &l, &all);
        for (uint32_t i = counts[c]; i-- > 0;)
            mangle_count(&one_by_one.mangled, &l, i);
        names_add(&added, &all);
        names_add(&added, &all);
        assert_int_equal(all.names, counts[c]);
        uint64_t before = 0;
        for (unsigned a = 0; a < AVERAGES; a++) {
            uint64_t sum = 0;
            for (uint32_t i = 0; i < counts[c]; i++) {
                struct function f = function_of(l.key, i);
                sum += mangle_length(averages[a], &l, i, &f) + 1;
            }
            assert_int_equal(names_total(&all, averages[a]), sum);
            assert_int_equal(names_total(&one_by_one, averages[a]), sum);
            assert_int_equal(names_total(&added, averages[a]), 2 * sum);
            assert_true(sum >= before);
            before = sum;
        }
        free(n);
    }
}

static void test_mangled_names_are_different(void **state)
{
    (void)state;
    enum { COUNT = 12000, WIDE = 128 };
    char(*all)[WIDE] = calloc(COUNT, WIDE);
    assert_non_null(all);
    struct plan_library l = library_called("libmodule0", 3, COUNT);
    struct names_head head = {0};
    struct names *n = make_itanium(MANGLE_LEAST);
    for (uint32_t i = 0; i < COUNT; i++) {
        struct function f = function_of(l.key, i);
        names_write_function(n, &head, &l, i, &f, (uint8_t *)all[i], NULL);
    }
    qsort(all, COUNT, WIDE, by_text);
    for (uint32_t i = 1; i < COUNT; i++)
        if (strcmp(all[i - 1], all[i]) == 0)
            fail_msg("two functions are called %s", all[i]);
    free(n);
    free(all);
}

/* The words and the parameters of a name, each between blanks. */
static void join(const struct names_scopes *s, char text[ROOM])
{
    text[0] = '\0';
    for (uint32_t i = 0; i < s->words; i++) {
        strncat(text, s->word[i], s->length[i]);
        strcat(text, " ");
    }
    strncat(text, s->parameter, s->parameters);
}

static void test_scopes_of_known_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *scopes; /* NULL: it cannot be taken apart */
    } known[] = {
        {"_ZN2m34GridEv", "m3 Grid "},
        {"_ZN2m34Grid6resizeEidbm", "m3 Grid resize idbm"},
        {"_ZN2m38Mesh12477LineMap10FieldCurveERKS1_lS3_f", "m3 Mesh1247 LineMap FieldCurve RlRf"},
        {"_ZN2m34Grid6resizeERKS_", NULL},             /* of the namespace */
        {"_ZN2m34Grid6resizeERKS1_", NULL},            /* of what is not there */
        {"_ZN2m34Grid6resizeERKNS_4CellIS0_EE", NULL}, /* of a template */
        {"_ZN2m34Grid6resizeEiiiiiii", NULL},          /* too many */
        {"_ZN2m34Grid6resizeIiLi3EEEmv", NULL},        /* an instance */
        {"_ZN2m34Grid6resizeE", NULL},
        {"_ZN2m34Grid60resizeEv", NULL},
        {"_ZN2m34Grid6resize", NULL},
        {"_ZN2m3Ev", NULL},
        {"_ZL4gridii", NULL},
        {"m3Grid", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char text[ROOM];
        struct names_scopes s;
        const bool is_read = names_scopes_read(known[i].name, &s);
        assert_int_equal(is_read, known[i].scopes != NULL);
        if (!is_read)
            continue;
        join(&s, text);
        assert_string_equal(text, known[i].scopes);
    }
}

/* Most names that libraries have can be taken apart, and none in another way than it was made. */
static void test_scopes_of_names_that_libraries_have(void **state)
{
    (void)state;
    enum { PLACES = 3000, LENGTH_MOST = 120 };
    struct plan_library l = library_called("libmodule0", 3, PLACES);
    uint32_t read = 0, references = 0;
    strcpy(l.prefix, "m3");
    l.names.elaborate = 300;
    for (uint32_t place = 0; place < PLACES; place++) {
        char name[ROOM] = "";
        struct names_scopes s;
        const uint32_t length = 16 + place % LENGTH_MOST;
        if (length < names_mangled_least(&l, 4, true))
            continue;
        names_mangled_write(&l, place, length, true, (uint8_t *)name);
        if (!names_scopes_read(name, &s))
            continue;
        read++;
        assert_true(s.words >= 2);
        assert_memory_equal(s.word[0], "m3", 2);
        for (uint32_t j = 0; j < s.parameters; j++)
            references += s.parameter[j] == NAMES_REFERENCE;
        const char *const last = s.word[s.words - 1] + s.length[s.words - 1];
        assert_int_equal(last[0], 'E');
        assert_int_equal(strlen(name), length);
    }
    assert_true(read > PLACES / 2 && references > PLACES / 50);
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
        cmocka_unit_test(test_known_mangled_names),
        cmocka_unit_test(test_mangled_names_and_hashes),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_sums_of_mangled_lengths),
        cmocka_unit_test(test_mangled_names_are_different),
        cmocka_unit_test(test_scopes_of_known_names),
        cmocka_unit_test(test_scopes_of_names_that_libraries_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
