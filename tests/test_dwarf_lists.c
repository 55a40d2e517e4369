/* Location and range lists byte by byte, as the standards define them, around the numbers whose length changes. Also
 * abbreviations that occur once, in every number of bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/compose/compose.h"
#include "dwarf/compose/stamp.h"
#include "dwarf/form/single.h"

enum { ROOM = 1 << 16 };

/* A composer in a unit whose code begins at 0x1000. */
struct scene {
    struct corpus corpus;
    struct composed out;
    struct debug_unit unit;
    struct composer composer;
};

static void begin(struct scene *s, uint8_t version)
{
    memset(s, 0, sizeof *s);
    s->corpus.dialect = (struct dialect){.version = version, .language = DWARF_C};
    composed_clear(&s->out, &s->corpus);
    s->composer = (struct composer){.corpus = &s->corpus, .out = &s->out, .text = 0x1000};
    assert_true(compose_unit(&s->composer, &s->unit, 0));
    assert_true(compose_reserve(&s->composer, ROOM, ROOM, ROOM, ROOM));
}

static void end(struct scene *s)
{
    composed_free(&s->out);
}

/* Asserts what was written since the offset `from`. */
static void assert_written(const struct bytes *b, const uint8_t *end, size_t from, const char *bytes, size_t size)
{
    assert_int_equal((size_t)(end - b->data) - from, size);
    assert_memory_equal(b->data + from, bytes, size);
}

#define ASSERT_LIST(list, bytes) assert_written(&s.out.lists, s.composer.lists, list, "" bytes, sizeof bytes - 1)

static void test_version_5_relative_to_the_unit(void **state)
{
    (void)state;
    struct scene s;
    begin(&s, 5);
    compose_list_begin(&s.composer, 0);
    compose_list_register(&s.composer, 0, 127, 5);
    compose_list_register(&s.composer, 127, 128, 17);
    compose_list_frame(&s.composer, 128, 16383, -64);
    compose_list_frame(&s.composer, 16383, 16384, -65);
    compose_list_register(&s.composer, 20000, 20000, 1); /* covers nothing: left out */
    const uint32_t list = compose_list_end(&s.composer).at;
    assert_int_equal(list, LIST_HEADER);
    ASSERT_LIST(list, "\x04\x00\x7f\x01\x55"                     /* offset_pair 0 127 reg5 */
                      "\x04\x7f\x80\x01\x01\x61"                 /* 127 128 reg17 */
                      "\x04\x80\x01\xff\x7f\x02\x91\x40"         /* 128 16383 fbreg -64 */
                      "\x04\xff\x7f\x80\x80\x01\x03\x91\xbf\x7f" /* 16383 16384 fbreg -65 */
                      "\x00");
    end(&s);
}

static void test_version_5_with_a_base(void **state)
{
    (void)state;
    struct scene s;
    begin(&s, 5);
    s.composer.lists_as = LISTS_BASED;
    compose_list_begin(&s.composer, 0x200);
    compose_list_register(&s.composer, 0x200, 0x27f, 0);
    const uint32_t list = compose_list_end(&s.composer).at;
    ASSERT_LIST(list, "\x06\x00\x12\x00\x00\x00\x00\x00\x00" /* base_address 0x1200 */
                      "\x04\x00\x7f\x01\x50"
                      "\x00");
    assert_int_equal(s.out.lists.data[list + COMPOSE_BASE_AT], 0);
    assert_int_equal(s.out.lists.data[list + COMPOSE_BASE_AT + 1], 0x12);
    end(&s);
}

/* In C++ a list of one entry has no base address: the entry has the address, which is patched to move the list. */
static void test_version_5_of_one_entry(void **state)
{
    (void)state;
    struct scene s;
    begin(&s, 5);
    s.corpus.dialect.language = DWARF_CPP;
    compose_list_begin(&s.composer, 0x200);
    compose_list_register(&s.composer, 0x210, 0x27f, 0);
    ASSERT_LIST(compose_list_end(&s.composer).at, "\x04\x90\x04\xff\x04\x01\x50" /* relative to the unit */
                                                  "\x00");
    s.composer.lists_as = LISTS_BASED;
    compose_list_begin(&s.composer, 0x200);
    compose_list_register(&s.composer, 0x210, 0x310, 0);
    const uint32_t list = compose_list_end(&s.composer).at;
    ASSERT_LIST(list, "\x08\x10\x12\x00\x00\x00\x00\x00\x00" /* start_length 0x1210 */
                      "\x80\x02\x01\x50"                     /* 256 reg0 */
                      "\x00");
    assert_int_equal(s.out.lists.data[list + COMPOSE_BASE_AT], 0x10);
    compose_list_begin(&s.composer, 0x200);
    compose_list_register(&s.composer, 0x200, 0x201, 0);
    compose_list_register(&s.composer, 0x201, 0x202, 1);
    ASSERT_LIST(compose_list_end(&s.composer).at, "\x06\x00\x12\x00\x00\x00\x00\x00\x00" /* base_address 0x1200 */
                                                  "\x04\x00\x01\x01\x50\x04\x01\x02\x01\x51"
                                                  "\x00");
    s.corpus.dialect.views = true;
    compose_list_begin(&s.composer, 0);
    compose_list_register(&s.composer, 0, 2, 3);
    const struct debug_list viewed = compose_list_end(&s.composer);
    assert_int_equal(viewed.at, viewed.views + 2);
    ASSERT_LIST(viewed.views, "\x00\x00" /* views */
                              "\x08\x00\x10\x00\x00\x00\x00\x00\x00\x02\x01\x53"
                              "\x00");
    end(&s);
}

/* Puts a stamp in its form for a unit's first 16 KiB. It ends with two variables, each with a list. The second variable
 * has to refer to the second list. */
static void put_near(struct scene *s, uint64_t at, const struct stamp_store *store, const struct stamp *stamp)
{
    const uint32_t views = s->corpus.dialect.views ? 4 : 0;
    const uint32_t list = (uint32_t)(s->composer.lists - s->out.lists.data) + stamp->lists_size / 2u;
    uint32_t said[2];
    stamp_put_entries(&s->composer, store, stamp, at, 1, 0, NULL);
    memcpy(said, s->composer.info - sizeof said, sizeof said);
    assert_int_equal(said[views ? 0 : 1], list + views);
    assert_int_equal(said[1], list);
}

/* A stamp within a unit's first 16 KiB has numbers of two bytes in its lists. */

static void test_version_5_in_two_bytes(void **state)
{
    (void)state;
    for (int views = 0; views < 2; views++) {
        struct scene s;
        struct stamp_store store = {.taken = 0};
        struct stamp_shelves on = {.anywhere.store = &store, .near.store = &store};
        struct stamp anywhere, near;
        struct stamp_maker *m = calloc(1, sizeof *m);
        const uint64_t from[] = {1, 5}, to[] = {3, 6};
        begin(&s, 5);
        s.corpus.dialect.views = views;
        assert_non_null(m);
        assert_true(stamp_store_open(&store, 1024));
        assert_true(stamp_start(m, &s.corpus));
        stamp_block(m, 2, from, to);
        stamp_end_children(m);
        for (unsigned variable = 0; variable < 2; variable++) {
            compose_list_begin(&m->composer, 2 + variable);
            compose_list_register(&m->composer, 2 + variable, 4, 3);
            compose_list_frame(&m->composer, 4, 134, -65);
            stamp_local(m, variable, BASE_LONG, stamp_list_end(m));
        }
        assert_true(stamp_finish(m, &on, &(struct stamp_wanted){.anywhere = &anywhere, .near = &near}));
        assert_int_equal(near.entries, 4);
        assert_int_equal(near.info_size, anywhere.info_size);
        put_near(&s, 0, &store, &near);
        put_near(&s, 16249, &store, &near);
        stamp_put_entries(&s.composer, &store, &anywhere, 0x7000, 1, 0, NULL);
        const uint8_t *at = s.out.lists.data + LIST_HEADER;
#define ASSERT_NEXT(bytes) (assert_memory_equal(at, "" bytes, sizeof bytes - 1), at += sizeof bytes - 1)
#define ASSERT_VIEWS()     (assert_memory_equal(at, "\0\0\0\0", views ? 4 : 0), at += views ? 4 : 0)
        ASSERT_VIEWS();
        ASSERT_NEXT("\x04\x82\x00\x84\x00\x01\x53\x04\x84\x00\x86\x01\x03\x91\xbf\x7f\x00"); /* 2 4; 4 134 */
        ASSERT_VIEWS();
        ASSERT_NEXT("\x04\x83\x00\x84\x00\x01\x53\x04\x84\x00\x86\x01\x03\x91\xbf\x7f\x00");
        ASSERT_VIEWS();
        ASSERT_NEXT("\x04\xfb\x7e\xfd\x7e\x01\x53\x04\xfd\x7e\xff\x7f\x03\x91\xbf\x7f\x00"); /* to 16383 */
        ASSERT_VIEWS();
        ASSERT_NEXT("\x04\xfc\x7e\xfd\x7e\x01\x53\x04\xfd\x7e\xff\x7f\x03\x91\xbf\x7f\x00");
        ASSERT_VIEWS();
        ASSERT_NEXT("\x06\x02\x80\x00\x00\x00\x00\x00\x00" /* base_address 0x1000 + 0x7002 */
                    "\x04\x00\x02\x01\x53\x04\x02\x84\x01\x03\x91\xbf\x7f\x00");
        at = s.out.ranges.data + LIST_HEADER;
        ASSERT_NEXT("\x04\x81\x00\x83\x00\x04\x85\x00\x86\x00\x00");
        ASSERT_NEXT("\x04\xfa\x7e\xfc\x7e\x04\xfe\x7e\xff\x7e\x00");
        ASSERT_NEXT("\x05\x01\x80\x00\x00\x00\x00\x00\x00\x04\x00\x02\x04\x04\x05\x00");
#undef ASSERT_VIEWS
#undef ASSERT_NEXT
        stamp_maker_free(m);
        free(m);
        stamp_store_free(&store);
        end(&s);
    }
}

/* A block with the same ranges as the block around it refers to that one's list. A block with other ranges, or with
 * other ends, has a list of its own. */
static void ranges_are_shared(void **state)
{
    (void)state;
    static const uint64_t from[] = {1, 5}, to[] = {3, 6}, further[] = {3, 7};
    static const struct {
        const uint64_t *to;
        uint32_t count;
    } blocks[] = {{to, 2}, {to, 2}, {to, 1}, {to, 2}, {further, 2}, {further, 2}, {to, 2}};
    static const uint32_t list_of[] = {0, 0, 0, 0, 1, 1, 2};
    enum { BLOCKS = sizeof blocks / sizeof blocks[0], LIST = 16, NEAR_LIST = 11 /* bytes */ };
    struct scene s;
    struct stamp_store store = {.taken = 0};
    struct stamp_shelves on = {.anywhere.store = &store, .near.store = &store};
    struct stamp stamp[2];
    struct stamp_maker *m = calloc(1, sizeof *m);
    begin(&s, 5);
    assert_non_null(m);
    assert_true(stamp_store_open(&store, 1024));
    assert_true(stamp_start(m, &s.corpus));
    for (unsigned i = 0; i < BLOCKS; i++) {
        stamp_block(m, blocks[i].count, from, blocks[i].to);
        stamp_local(m, i, BASE_LONG, DEBUG_LIST_NONE);
    }
    for (unsigned i = 0; i < BLOCKS; i++)
        stamp_end_children(m);
    assert_true(stamp_finish(m, &on, &(struct stamp_wanted){.anywhere = &stamp[0], .near = &stamp[1]}));
    for (unsigned near = 0; near < 2; near++) {
        const uint8_t *at = s.composer.info;
        const uint32_t first = compose_next_ranges(&s.composer);
        assert_int_equal(stamp[near].ranges_size, 3 * (near ? NEAR_LIST : LIST));
        stamp_put_entries(&s.composer, &store, &stamp[near], 0x40, 1, 0, NULL);
        for (unsigned i = 0; i < BLOCKS; i++) {
            const struct abbrev_entry block = abbrev_read(s.corpus.dialect, at);
            const uint32_t value = (uint32_t)(at[1] | at[2] << 8);
            if (blocks[i].count > 1)
                assert_int_equal(value, first + list_of[i] * (near ? NEAR_LIST : LIST));
            at += block.size;
            at += abbrev_read(s.corpus.dialect, at).size;
        }
    }
    stamp_maker_free(m);
    free(m);
    stamp_store_free(&store);
    end(&s);
}

static void test_version_4(void **state)
{
    (void)state;
    struct scene s;
    begin(&s, 4);
    compose_list_begin(&s.composer, 0);
    compose_list_register(&s.composer, 1, 0x101, 2);
    assert_int_equal(compose_list_end(&s.composer).at, 0); /* there is no header */
    ASSERT_LIST(0, "\x01\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00\x01\x00\x52"
                   "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00");
    end(&s);
}

/* A stamp's lists have no base address in version 4: each number is moved, to where the code is in the unit. */
static void test_version_4_of_stamps(void **state)
{
    (void)state;
    enum { AT = 0x12345, NONE = 0 };
    const uint64_t from[] = {1, 5}, to[] = {3, 6};
    const uint64_t lists[] = {AT + 2, AT + 4, AT + 4, AT + 134};
    struct scene s;
    struct stamp_store store = {.taken = 0};
    struct stamp_shelves on = {.anywhere.store = &store, .near.store = &store};
    struct stamp stamp;
    struct stamp_maker *m = calloc(1, sizeof *m);
    begin(&s, 4);
    assert_non_null(m);
    assert_true(stamp_store_open(&store, 1024));
    assert_true(stamp_start(m, &s.corpus));
    stamp_block(m, 2, from, to);
    stamp_end_children(m);
    compose_list_begin(&m->composer, 2);
    compose_list_register(&m->composer, 2, 4, 3);
    compose_list_frame(&m->composer, 4, 134, -65);
    stamp_local(m, 0, BASE_LONG, stamp_list_end(m));
    assert_true(stamp_finish(m, &on, &(struct stamp_wanted){.anywhere = &stamp}));
    s.unit.start = s.composer.text + 0x100;
    stamp_put_entries(&s.composer, &store, &stamp, AT + 0x100, 1, 0, NULL);
    const uint8_t *at = s.out.lists.data;
    for (unsigned entry = 0; entry < 2; entry++) {
        assert_int_equal(take_u64(&at), lists[2 * entry]);
        assert_int_equal(take_u64(&at), lists[2 * entry + 1]);
        at += 2 + at[0];
    }
    assert_true(take_u64(&at) == NONE && take_u64(&at) == NONE && at == s.composer.lists);
    at = s.out.ranges.data;
    for (unsigned range = 0; range < 2; range++) {
        assert_int_equal(take_u64(&at), AT + from[range]);
        assert_int_equal(take_u64(&at), AT + to[range]);
    }
    assert_true(take_u64(&at) == NONE && take_u64(&at) == NONE && at == s.composer.ranges);
    stamp_maker_free(m);
    free(m);
    stamp_store_free(&store);
    end(&s);
}

/* Code of the function that stands before the unit's: lists have its address. */
static void test_parts_that_stand_elsewhere(void **state)
{
    (void)state;
    const uint64_t from[COMPOSE_PARTED] = {0x40, -UINT64_C(0x200)};
    const uint64_t to[COMPOSE_PARTED] = {0xc0, -UINT64_C(0x180)};
    struct scene s;
    begin(&s, 5);
    compose_list_begin(&s.composer, 0x40);
    compose_list_register(&s.composer, 0x40, 0x41, 5);
    compose_list_elsewhere(&s.composer, from[1], to[1], -16);
    compose_list_elsewhere(&s.composer, from[1], from[1], -16); /* covers nothing: left out */
    assert_int_equal(compose_list_end(&s.composer).at, LIST_HEADER);
    ASSERT_LIST(LIST_HEADER, "\x04\x40\x41\x01\x55\x08\x00\x0e\x00\x00\x00\x00\x00\x00\x80\x01\x02\x91\x70\x00");
    assert_int_equal(compose_parted_ranges(&s.composer, from, to), LIST_HEADER);
    assert_written(&s.out.ranges, s.composer.ranges, LIST_HEADER,
                   "\x07\x40\x10\x00\x00\x00\x00\x00\x00\x80\x01\x07\x00\x0e\x00\x00\x00\x00\x00\x00\x80\x01\x00", 23);
    end(&s);
    begin(&s, 4);
    compose_list_begin(&s.composer, 0x40);
    compose_list_register(&s.composer, 0x40, 0x41, 5);
    compose_list_elsewhere(&s.composer, from[1], to[1], -16);
    assert_int_equal(compose_list_end(&s.composer).at, 0);
    ASSERT_LIST(0, "\x40\x00\x00\x00\x00\x00\x00\x00\x41\x00\x00\x00\x00\x00\x00\x00\x01\x00\x55"
                   "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00"
                   "\x00\x0e\x00\x00\x00\x00\x00\x00\x80\x0e\x00\x00\x00\x00\x00\x00\x02\x00\x91\x70"
                   "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00");
    assert_int_equal(compose_parted_ranges(&s.composer, from, to), 0);
    assert_written(&s.out.ranges, s.composer.ranges, 0,
                   "\x40\x00\x00\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x00"
                   "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00"
                   "\x00\x0e\x00\x00\x00\x00\x00\x00\x80\x0e\x00\x00\x00\x00\x00\x00"
                   "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
                   64);
    end(&s);
}

/* Views are before the list, a pair for each entry but the base address. References name the list and its views. */
static void test_views(void **state)
{
    (void)state;
    for (uint8_t version = 4; version <= 5; version++) {
        struct scene s;
        begin(&s, version);
        s.corpus.dialect.views = true;
        s.composer.lists_as = version == 4 ? LISTS_PLAIN : LISTS_BASED;
        compose_list_begin(&s.composer, 0x200);
        compose_list_register(&s.composer, 0x200, 0x27f, 0);
        compose_list_register(&s.composer, 0x27f, 0x27f, 1); /* covers nothing: no view either */
        compose_list_register(&s.composer, 0x27f, 0x280, 2);
        const struct debug_list list = compose_list_end(&s.composer);
        assert_int_equal(list.views, compose_list_header(s.corpus.dialect));
        assert_int_equal(list.at, list.views + 4);
        assert_memory_equal(s.out.lists.data + list.views, "\0\0\0\0", 4);
        if (version == 5)
            ASSERT_LIST(list.at, "\x06\x00\x12\x00\x00\x00\x00\x00\x00"
                                 "\x04\x00\x7f\x01\x50"
                                 "\x04\x7f\x80\x01\x01\x52"
                                 "\x00");
        compose_local_list(&s.composer, &(struct debug_variable){.line = 1}, list);
        uint32_t said[2];
        memcpy(said, s.composer.info - sizeof said, sizeof said);
        assert_int_equal(said[0], list.at);
        assert_int_equal(said[1], list.views);
        end(&s);
    }
}

static void test_ranges(void **state)
{
    (void)state;
    static const uint64_t from[] = {0x10, 0x90};
    static const uint64_t to[] = {0x20, 0x4000};
    struct scene s;
    begin(&s, 5);
    uint32_t list = compose_ranges(&s.composer, from[0], 2, from, to);
    assert_written(&s.out.ranges, s.composer.ranges, list,
                   "\x04\x10\x20"
                   "\x04\x90\x01\x80\x80\x01"
                   "\x00",
                   10);
    s.composer.lists_as = LISTS_BASED;
    list = compose_ranges(&s.composer, from[0], 2, from, to);
    assert_written(&s.out.ranges, s.composer.ranges, list,
                   "\x05\x10\x10\x00\x00\x00\x00\x00\x00"
                   "\x04\x00\x10"
                   "\x04\x80\x01\xf0\x7f"
                   "\x00",
                   18);
    end(&s);
    begin(&s, 4);
    assert_int_equal(compose_ranges(&s.composer, from[0], 2, from, to), 0);
    assert_int_equal(s.composer.ranges - s.out.ranges.data, 3 * 16);
    end(&s);
}

/* A unit without lists has no header of lists either. A header says how long the unit's lists are. */
static void test_headers(void **state)
{
    (void)state;
    struct scene s;
    begin(&s, 5);
    compose_keep(&s.composer);
    compose_unit_end(&s.composer, 16);
    assert_int_equal(s.out.lists.size, 0);
    assert_int_equal(s.out.ranges.size, 0);
    assert_true(compose_unit(&s.composer, &s.unit, 16));
    assert_true(compose_reserve(&s.composer, ROOM, ROOM, ROOM, ROOM));
    compose_list_begin(&s.composer, 16);
    compose_list_register(&s.composer, 16, 17, 0);
    compose_list_end(&s.composer);
    compose_keep(&s.composer);
    compose_unit_end(&s.composer, 32);
    static const char header[] = "\x0e\x00\x00\x00\x05\x00\x08\x00\x00\x00\x00\x00";
    assert_int_equal(s.out.lists.size, sizeof header - 1 + 6);
    assert_memory_equal(s.out.lists.data, header, sizeof header - 1);
    assert_int_equal(s.out.ranges.size, 0);
    end(&s);
}

/* --- abbreviations that occur once --------------------------------------------- */

static uint64_t written_bytes(const struct single_mix *mix, struct dialect dialect)
{
    uint64_t sum = 0;
    uint8_t buffer[64];
    for (uint32_t i = 0; i < single_count(mix); i++)
        sum += (uint64_t)(single_put_abbrev(buffer, dialect, mix->first + i, single_kind(mix, i), false) - buffer);
    return sum;
}

static uint64_t written_entries(const struct single_mix *mix, struct dialect dialect)
{
    uint64_t sum = 0;
    uint8_t buffer[64];
    for (uint32_t i = 0; i < single_count(mix); i++)
        sum += (uint64_t)(single_put_entry(buffer, dialect, mix->first + i, single_kind(mix, i), 1, 2) - buffer);
    return sum;
}

static void test_every_number_of_bytes(void **state)
{
    (void)state;
    const struct dialect dialects[] = {
        {.version = 5, .language = DWARF_C}, {.version = 4, .language = DWARF_CPP}, {.version = 5, .lines = true}};
    struct single_ways ways;
    single_find_ways(&ways);
    for (unsigned d = 0; d < sizeof dialects / sizeof dialects[0]; d++)
        for (uint64_t bytes = 0; bytes < 5000; bytes++) {
            struct single_mix mix;
            if (!single_divide(&ways, abbrev_codes(dialects[d]) + 1, bytes, &mix)) {
                assert_true(bytes < SINGLE_SURE);
                continue;
            }
            assert_true(written_bytes(&mix, dialects[d]) == bytes);
            assert_true(written_entries(&mix, dialects[d]) == single_entries_size(&mix, dialects[d]));
        }
}

static void test_too_many(void **state)
{
    (void)state;
    struct single_mix mix;
    struct single_ways ways;
    single_find_ways(&ways);
    assert_false(single_divide(&ways, abbrev_codes((struct dialect){.version = 5}) + 1, UINT64_C(1) << 30, &mix));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version_5_relative_to_the_unit),
        cmocka_unit_test(test_version_5_with_a_base),
        cmocka_unit_test(test_version_5_of_one_entry),
        cmocka_unit_test(test_version_5_in_two_bytes),
        cmocka_unit_test(ranges_are_shared),
        cmocka_unit_test(test_version_4),
        cmocka_unit_test(test_version_4_of_stamps),
        cmocka_unit_test(test_parts_that_stand_elsewhere),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_every_number_of_bytes),
        cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
