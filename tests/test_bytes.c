/* base/: bytes and LEB128, the arena. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/bytes.h"

/* ---- bytes ---- */

/* The examples of DWARF 5, figures C.1 and C.2 (section 7.6), and the limits of the types. */
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

/* Takes the same amounts each time. Returns how many blocks the arena has then. */
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
