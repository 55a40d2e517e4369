/* dwarf/corpus/corpus: if fewer headers are made, they are the first of all; and no string is there twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dwarf/corpus/corpus.h"
#include "sanitized.h"

enum { SEED = 42 };

static void check_header(const struct corpus_header *h, const struct corpus_header *of)
{
    const struct corpus_cut *last = &h->cut[h->cuts - 1];
    assert_int_equal(h->cuts, of->cuts);
    assert_memory_equal(h->cut, of->cut, h->cuts * sizeof *h->cut);
    assert_memory_equal(h->entries, of->entries, last->entries - (last->open ? 1 : 0));
    assert_int_equal(h->name_start, of->name_start);
    assert_int_equal(h->names, of->names);
    assert_int_equal(h->file, of->file);
}

/* With a limit on names, a corpus has the headers that a library may choose, with their whole contents, and no others.
 * What it says of all headers is the same. */
static void check_fewer(struct dialect dialect, uint64_t names)
{
    const struct manner usual = manner_usual();
    struct corpus all;
    struct corpus c;
    assert_true(corpus_make(&all, dialect, &usual, SEED));
    assert_true(corpus_begin(&c, dialect, &usual, SEED));
    assert_true(corpus_finish(&c, names));
    assert_int_equal(all.made, all.headers);
    assert_int_equal(c.headers, all.headers);
    assert_in_range(c.made, 1, all.made - 1);
    assert_true(c.strings.size - c.common > names);
    assert_memory_equal(c.strings.data, all.strings.data, c.strings.size);
    assert_int_equal(c.line_strings.size, all.line_strings.size);
    assert_memory_equal(c.line_strings.data, all.line_strings.data, all.line_strings.size);
    assert_int_equal(c.index_common, all.index_common);
    assert_int_equal(c.room, all.room);
    for (uint32_t h = 0; h < c.made; h++)
        check_header(&c.header[h], &all.header[h]);
    assert_int_not_equal(all.header[c.made].names, 0); /* headers with the same names are made together */
    for (uint32_t h = 0; h < all.made; h++) {
        assert_int_equal(all.header[h].cut[0].named, all.header[0].cut[0].named);
        assert_in_range(all.header[h].cut[all.header[h].cuts - 1].entries, all.room - all.room / 50, UINT32_MAX);
    }
    corpus_free(&c);
    corpus_free(&all);
}

static void test_c(void **state)
{
    (void)state;
    check_fewer((struct dialect){.version = 5, .language = DWARF_C}, 0);
    check_fewer((struct dialect){.version = 5, .language = DWARF_C}, 200000);
    check_fewer((struct dialect){.version = 4, .language = DWARF_C, .type_units = true}, 300000);
}

static void test_an_index(void **state)
{
    (void)state;
    check_fewer((struct dialect){.version = 5, .language = DWARF_C, .index = INDEX_DEBUG_NAMES}, 100000);
    check_fewer((struct dialect){.version = 5, .language = DWARF_CPP, .index = INDEX_DEBUG_NAMES}, 300000);
}

static void test_cpp(void **state)
{
    (void)state;
    check_fewer((struct dialect){.version = 5, .language = DWARF_CPP}, 0);
    check_fewer((struct dialect){.version = 4, .language = DWARF_CPP}, 300000);
}

/* Headers of C++ can be made whatever they declare most of, and each is as long as others are. */
static void check_manner(const struct manner *m)
{
    struct corpus c;
    assert_true(corpus_make(&c, (struct dialect){.version = 5, .language = DWARF_CPP}, m, SEED));
    for (uint32_t h = 0; h < c.made; h++) {
        const struct corpus_header *const header = &c.header[h];
        assert_true(header->cuts > 10);
        assert_in_range(header->cut[header->cuts - 1].entries, c.room / 2, UINT32_MAX);
        for (uint32_t i = 1; i < header->cuts; i++)
            assert_true(header->cut[i].entries >= header->cut[i - 1].entries);
    }
    corpus_free(&c);
}

static void test_manners_of_cpp(void **state)
{
    (void)state;
    enum { MOST = 4 * MANNER_USUAL, VERY_MOST = 32 * MANNER_USUAL, STEP = SANITIZED ? 3 : 1 };
    struct manner m = manner_usual();
    m.methods = m.typedefs = m.derived = m.templates = m.numbers = m.members = 1;
    check_manner(&m);
    m.methods = MOST;
    m.typedefs = m.members = UINT16_MAX / MANNER_USUAL;
    m.derived = 2 * MANNER_USUAL;
    m.templates = m.numbers = VERY_MOST;
    m.taken = MANNER_TAKEN;
    check_manner(&m);
    for (unsigned kind = 0; kind < OUTERS; kind += STEP) {
        uint64_t weight[OUTERS] = {0};
        weight[kind] = 1;
        manner_share_outer(&m, weight);
        check_manner(&m);
    }
    for (unsigned kind = 0; kind < INNERS; kind += STEP) {
        uint64_t weight[INNERS] = {0};
        weight[kind] = 1;
        manner_share_inner(&m, weight);
        check_manner(&m);
    }
}

static void check_once(struct dialect dialect)
{
    const struct manner usual = manner_usual();
    struct corpus c;
    struct bytes again = {.size = 0};
    struct once once = {.slots = 0};
    assert_true(corpus_make(&c, dialect, &usual, SEED));
    for (size_t at = 0; at < c.strings.size; at = again.size)
        assert_int_equal(once_put(&once, &again, (const char *)c.strings.data + at), at);
    assert_int_equal(again.size, c.strings.size);
    once_free(&once);
    bytes_free(&again);
    corpus_free(&c);
}

/* A linker merges equal strings, so each must be there once. */
static void test_no_string_is_there_twice(void **state)
{
    (void)state;
    check_once((struct dialect){.version = 5, .language = DWARF_C});
    check_once((struct dialect){.version = 5, .language = DWARF_CPP, .index = INDEX_DEBUG_NAMES});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c),
        cmocka_unit_test(test_an_index),
        cmocka_unit_test(test_cpp),
        cmocka_unit_test(test_manners_of_cpp),
        cmocka_unit_test(test_no_string_is_there_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
