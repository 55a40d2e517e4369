/* dwarf/form/index.h: hashes of known names. Both indexes are read again by a decoder that knows only section 6.1.1 of
 * the DWARF 5 specification, or gdb's manual. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "dwarf/form/index.h"
#include "dwarf/form/index_hash.h"
#include "leb128_reader.h"

enum { MARGIN = 64, STRINGS_MOST = 1 << 20 };

/* --- hashes ------------------------------------------------------------------------ */

static uint32_t slow_hash(const char *text, uint32_t hash, uint32_t base, uint32_t minus)
{
    for (; *text; text++) {
        uint8_t c = (uint8_t)*text;
        hash = hash * base + (c >= 'A' && c <= 'Z' ? c + 32U : c) - minus;
    }
    return hash;
}

static void test_hashes_of_known_names(void **state)
{
    (void)state;
    /* llvm/unittests/Support/DJBTest.cpp */
    assert_int_equal(index_hash_debug_names("", 0), 5381);
    assert_int_equal(index_hash_debug_names("f", 1), 177675);
    assert_int_equal(index_hash_debug_names("fo", 2), 5863386);
    assert_int_equal(index_hash_debug_names("foo", 3), 193491849);
    assert_int_equal(index_hash_debug_names("FOO", 3), 193491849);
    /* the slots, of 1,024, that gdb-add-index of gdb 13 put these names into */
    assert_int_equal(index_hash_gdb("int", 3) & 1023, 754);
    assert_int_equal(index_hash_gdb("GREEN", 5) & 1023, 30);
    assert_int_equal(index_hash_gdb("unsigned int", 12) & 1023, 732);
    assert_int_equal(index_hash_gdb("(anonymous namespace)", 21) & 1023, 12);
    assert_int_equal(index_hash_gdb("(anonymous namespace)::anon_var", 31) & 1023, 212);
}

static void test_hashes_of_any_name(void **state)
{
    (void)state;
    char text[80];
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t length = i % (sizeof text - 1);
        for (uint32_t j = 0; j < length; j++)
            text[j] = (char)(random_at(i, j) % 255 + 1);
        text[length] = 0;
        assert_int_equal(index_hash_debug_names(text, length), slow_hash(text, 5381, 33, 0));
        assert_int_equal(index_hash_gdb(text, length), slow_hash(text, 0, 67, 113));
    }
}

/* --- lists of names and their indexes --------------------------------------------- */

static char strings[STRINGS_MOST];

static const char *text_at(const void *owner, uint32_t name)
{
    return (const char *)owner + name;
}

struct made {
    struct arena arena;
    struct index x;
    uint8_t *data; /* with MARGIN bytes in front and behind, which have to stay as they are */
};

static const uint8_t *make(struct made *m, enum index_kind kind, const struct index_entry *entries, uint32_t count,
                           const struct index_unit *units, uint32_t unit_count)
{
    struct error e = {0};
    *m = (struct made){.x = {.kind = kind,
                             .text = {text_at, strings},
                             .entry = entries,
                             .entry_count = count,
                             .unit = units,
                             .unit_count = unit_count}};
    assert_true(index_size(&m->x, &m->arena, &e));
    m->data = malloc(m->x.size + 2 * MARGIN);
    assert_non_null(m->data);
    memset(m->data, 0xa5, m->x.size + 2 * MARGIN);
    uint8_t *start = m->data + MARGIN;
    assert_ptr_equal(index_write(&m->x, start), start + m->x.size);
    for (unsigned i = 0; i < MARGIN; i++) {
        assert_int_equal(m->data[i], 0xa5);
        assert_int_equal(start[m->x.size + i], 0xa5);
    }
    return start;
}

static void discard(struct made *m)
{
    free(m->data);
    arena_free(&m->arena);
}

static uint32_t get_u32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Where the parts of .debug_names are. */
struct parsed {
    uint32_t units, buckets, names, abbreviations;
    const uint8_t *unit, *bucket, *hash, *text, *list, *abbreviation, *pool, *end;
};

static struct parsed parse(const struct made *m, const uint8_t *p)
{
    struct parsed d = {0};
    assert_int_equal(get_u32(p), m->x.size - 4);
    assert_int_equal(get_u32(p + 4), 5); /* version, padding */
    d.units = get_u32(p + 8);
    assert_int_equal(get_u32(p + 12), 0);
    assert_int_equal(get_u32(p + 16), 0);
    d.buckets = get_u32(p + 20);
    d.names = get_u32(p + 24);
    d.abbreviations = get_u32(p + 28);
    assert_int_equal(get_u32(p + 32), 0);
    d.unit = p + 36;
    d.bucket = d.unit + 4 * (size_t)d.units;
    d.hash = d.bucket + 4 * (size_t)d.buckets;
    d.text = d.hash + 4 * (size_t)d.names;
    d.list = d.text + 4 * (size_t)d.names;
    d.abbreviation = d.list + 4 * (size_t)d.names;
    d.pool = d.abbreviation + d.abbreviations;
    d.end = p + m->x.size;
    return d;
}

/* Looks up a name as a reader does. Returns the name's list; NULL if it is not found. */
static const uint8_t *look_up(const struct parsed *d, const char *name)
{
    uint32_t hash = slow_hash(name, 5381, 33, 0);
    uint32_t i = get_u32(d->bucket + 4 * (size_t)(hash % d->buckets));
    for (; i && i <= d->names; i++) {
        uint32_t other = get_u32(d->hash + 4 * (size_t)(i - 1));
        if (other % d->buckets != hash % d->buckets)
            return NULL;
        if (other == hash && strcmp(strings + get_u32(d->text + 4 * (size_t)(i - 1)), name) == 0)
            return d->pool + get_u32(d->list + 4 * (size_t)(i - 1));
    }
    return NULL;
}

/* The tag of an abbreviation. All abbreviations have the same attributes. */
static uint64_t tag_of(const struct parsed *d, uint64_t code)
{
    static const uint8_t attributes[] = {1, 0x0f, 3, 0x13, 0, 0}; /* compile_unit udata, die_offset ref4 */
    for (const uint8_t *p = d->abbreviation; *p; p += sizeof attributes) {
        uint64_t this = get_uleb(&p);
        uint64_t tag = get_uleb(&p);
        assert_memory_equal(p, attributes, sizeof attributes);
        if (this == code)
            return tag;
    }
    fail_msg("no abbreviation %u", (unsigned)code);
    return 0;
}

static void expect_entry(const struct parsed *d, const uint8_t **p, const struct index_entry *entry)
{
    assert_int_equal(tag_of(d, get_uleb(p)), entry->tag);
    assert_int_equal(get_uleb(p), entry->unit);
    assert_int_equal(get_u32(*p), entry->die);
    *p += 4;
}

static void test_no_names(void **state)
{
    (void)state;
    struct made m;
    const uint8_t *p = make(&m, INDEX_DEBUG_NAMES, NULL, 0, NULL, 0);
    struct parsed d = parse(&m, p);
    assert_int_equal(d.names, 0);
    assert_int_equal(d.buckets, 1);
    assert_int_equal(d.abbreviations, 1);
    assert_ptr_equal(d.pool, d.end);
    discard(&m);
    p = make(&m, INDEX_GDB, NULL, 0, NULL, 0);
    assert_int_equal(m.x.size, 24);
    assert_int_equal(get_u32(p), 8);
    assert_int_equal(get_u32(p + 20), 24);
    discard(&m);
}

static void test_one_text_at_two_offsets_is_one_name(void **state)
{
    (void)state;
    memcpy(strings, "same\0same\0Same", 15);
    const struct index_unit units[2] = {{0, 100, 0x1000, 0x1100}, {100, 50, 0, 0}};
    const struct index_entry entries[] = {
        {0, 20, 0, DW_TAG_structure_type, true},
        {10, 40, 0, DW_TAG_typedef, true},
        {5, 30, 1, DW_TAG_structure_type, true},
    };
    struct made m;
    struct parsed d = parse(&m, make(&m, INDEX_DEBUG_NAMES, entries, 3, units, 2));
    assert_int_equal(d.names, 2);
    assert_int_equal(get_u32(d.unit + 4), 100);
    const uint8_t *list = look_up(&d, "same");
    assert_non_null(list);
    expect_entry(&d, &list, &entries[0]);
    expect_entry(&d, &list, &entries[2]);
    assert_int_equal(*list, 0);
    list = look_up(&d, "Same"); /* has the same hash */
    assert_non_null(list);
    expect_entry(&d, &list, &entries[1]);
    assert_int_equal(*list, 0);
    assert_null(look_up(&d, "other"));
    discard(&m);
}

/* Units 127 and 128 take one byte and two; likewise 16,383 and 16,384. */
static void test_numbers_of_units(void **state)
{
    (void)state;
    static struct index_unit units[16385];
    struct index_entry entries[] = {{0, 1, 127, DW_TAG_subprogram, false},
                                    {0, 2, 128, DW_TAG_variable, false},
                                    {0, 3, 16383, DW_TAG_label, false},
                                    {0, 4, 16384, DW_TAG_subprogram, false}};
    static const unsigned bytes[] = {0, 1, 3, 5, 8};
    memcpy(strings, "name", 5);
    for (uint32_t count = 1; count <= 4; count++) {
        struct made m;
        struct parsed d = parse(&m, make(&m, INDEX_DEBUG_NAMES, entries, count, units, entries[count - 1].unit + 1));
        const uint8_t *list = look_up(&d, "name");
        for (uint32_t i = 0; i < count; i++)
            expect_entry(&d, &list, &entries[i]);
        assert_int_equal(*list++, 0);
        assert_ptr_equal(list, d.end);
        assert_int_equal(m.x.counts.numbers, bytes[count]);
        discard(&m);
    }
}

/* Counts around which the numbers of buckets and of slots change, and a large one. */
static void test_every_name_is_found(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 15, 16, 17, 767, 768, 769, 1023, 1024, 1025, 1536, 50000};
    static struct index_entry entries[50000];
    const struct index_unit unit = {0, 1000, 16, 32};
    char *p = strings;
    for (uint32_t i = 0; i < 50000; i++) {
        entries[i] = (struct index_entry){(uint32_t)(p - strings), i, 0, DW_TAG_variable, i & 1};
        p += sprintf(p, "%s%x", i % 3 ? "Name_" : "a_longer_name_", i) + 1;
    }
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct made m;
        struct parsed d = parse(&m, make(&m, INDEX_DEBUG_NAMES, entries, counts[c], &unit, 1));
        assert_int_equal(d.names, counts[c]);
        for (uint32_t i = 0; i < counts[c]; i++) {
            const uint8_t *list = look_up(&d, strings + entries[i].name);
            assert_non_null(list);
            expect_entry(&d, &list, &entries[i]);
            assert_int_equal(*list, 0);
        }
        discard(&m);

        const uint8_t *index = make(&m, INDEX_GDB, entries, counts[c], &unit, 1);
        const uint8_t *table = index + get_u32(index + 16);
        const uint8_t *pool = index + get_u32(index + 20);
        uint32_t slots = (uint32_t)(pool - table) / 8;
        assert_true(slots >= 1024 && !(slots & (slots - 1)));
        assert_true(4 * (uint64_t)counts[c] / 3 < slots);
        for (uint32_t i = 0; i < counts[c]; i++) {
            const char *name = strings + entries[i].name;
            uint32_t hash = slow_hash(name, 0, 67, 113);
            uint32_t slot = hash & (slots - 1);
            while (strcmp((const char *)pool + get_u32(table + 8 * (size_t)slot), name) != 0) {
                assert_int_not_equal(get_u32(table + 8 * (size_t)slot), 0);
                slot = (slot + ((hash * 17 & (slots - 1)) | 1)) & (slots - 1);
            }
            const uint8_t *vector = pool + get_u32(table + 8 * (size_t)slot + 4);
            assert_int_equal(get_u32(vector), 1);
            assert_int_equal(get_u32(vector + 4), 2U << 28 | (i & 1) << 31);
        }
        discard(&m);
    }
}

/* Entries of which gdb takes only one are listed once. */
static void test_vectors(void **state)
{
    (void)state;
    memcpy(strings, "same", 5);
    const struct index_unit units[3] = {{0, 100, 0x1000, 0x1100}, {100, 50, 0, 0}, {150, 50, 0x1100, 0x1180}};
    const struct index_entry entries[] = {
        {0, 1, 0, DW_TAG_structure_type, true}, {0, 2, 0, DW_TAG_subprogram, true},
        {0, 3, 0, DW_TAG_typedef, true},    /* a type, like the first entry */
        {0, 4, 0, DW_TAG_subprogram, true}, /* a function, like the second entry: its concrete instance */
        {0, 5, 1, DW_TAG_subprogram, true},     {0, 6, 1, DW_TAG_base_type, true},
        {0, 7, 1, DW_TAG_class_type, false},    {0, 8, 2, DW_TAG_class_type, false},
        {0, 9, 2, DW_TAG_enumerator, false},
    };
    const uint32_t expected[] = {0x90000000, 0xb0000000, 0xb0000001, 0x10000001, 0x20000002};
    struct made m;
    const uint8_t *p = make(&m, INDEX_GDB, entries, 9, units, 3);
    assert_int_equal(m.x.counts.entries, 5);
    const uint8_t *range = p + get_u32(p + 12);
    assert_int_equal(get_u32(p + 16) - get_u32(p + 12), 2 * 20);
    assert_int_equal(get_u32(range + 16), 0);
    assert_int_equal(get_u32(range + 20), 0x1100);
    assert_int_equal(get_u32(range + 36), 2);
    const uint8_t *vector = p + get_u32(p + 20);
    assert_int_equal(get_u32(vector), 5);
    assert_memory_equal(vector + 4, expected, sizeof expected);
    discard(&m);
}

/* Offsets and addresses may be set after the size pass. */
static void test_places_may_come_later(void **state)
{
    (void)state;
    memcpy(strings, "late", 5);
    struct index_entry entries[1] = {{0, 0, 0, DW_TAG_variable, false}};
    struct index_unit units[1] = {{0, 0, 0, 1}};
    struct arena arena = {0};
    struct error e = {0};
    for (unsigned kind = INDEX_GDB; kind <= INDEX_DEBUG_NAMES; kind++) {
        struct index x = {.kind = kind,
                          .text = {text_at, strings},
                          .entry = entries,
                          .entry_count = 1,
                          .unit = units,
                          .unit_count = 1};
        entries[0].die = 0;
        units[0] = (struct index_unit){0, 0, 0, 1};
        assert_true(index_size(&x, &arena, &e));
        uint8_t *late = malloc(x.size);
        assert_non_null(late);
        entries[0].die = 77;
        units[0] = (struct index_unit){11, 22, 0x3300, 0x4400};
        index_write(&x, late);
        struct made m;
        const uint8_t *known = make(&m, kind, entries, 1, units, 1);
        assert_int_equal(m.x.size, x.size);
        assert_memory_equal(late, known, x.size);
        discard(&m);
        free(late);
    }
    arena_free(&arena);
}

static void test_no_fewer_names_take_more_than_the_most(void **state)
{
    (void)state;
    struct index_counts c = {.units = 3, .entries = 5000, .numbers = 5000, .tags = 7};
    uint64_t largest = 0;
    for (c.names = 0; c.names < 5000; c.names++) {
        uint64_t size = index_counted_size(INDEX_DEBUG_NAMES, &c);
        largest = size > largest ? size : largest;
        assert_true(index_counted_most(&c) >= largest);
        assert_true(index_counted_most(&c) <= largest + 4 * 512); /* and not by much */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes_of_known_names),
        cmocka_unit_test(test_hashes_of_any_name),
        cmocka_unit_test(test_no_names),
        cmocka_unit_test(test_one_text_at_two_offsets_is_one_name),
        cmocka_unit_test(test_numbers_of_units),
        cmocka_unit_test(test_every_name_is_found),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_places_may_come_later),
        cmocka_unit_test(test_no_fewer_names_take_more_than_the_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
