/* emit/library/packed: estimates, compared with what libzstd itself makes of the same bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "base/random.h"
#include "emit/library/packed.h"
#include "emit/stock/stock.h"

enum { LEVEL = 3, MOST = 3 << 20 };

static struct packed_places places;

/* What libzstd makes of the bytes if it is not told how many there will be. */
static size_t really(const uint8_t *bytes, size_t size)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    const size_t room = ZSTD_compressBound(size) + 64;
    void *to = malloc(room);
    assert_non_null(context);
    assert_non_null(to);
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_inBuffer in = {bytes, size, 0};
    ZSTD_outBuffer out = {to, room, 0};
    assert_false(ZSTD_isError(ZSTD_compressStream2(context, &out, &in, ZSTD_e_continue)));
    assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0);
    ZSTD_freeCCtx(context);
    free(to);
    return out.pos;
}

/* The estimate is within `percent`, and some bytes, of the real size. */
static void check_near(const uint8_t *bytes, size_t size, double percent)
{
    const double real = (double)really(bytes, size);
    const double ours = (double)packed_size(bytes, size, &places);
    const double apart = ours < real ? real - ours : ours - real;
    if (apart > real * percent / 100 + 12)
        fail_msg("%zu bytes: zstd makes %.0f of them, and we say %.0f", size, real, ours);
}

static void test_nothing_and_little(void **state)
{
    uint8_t bytes[256];
    (void)state;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i);
    for (size_t size = 0; size <= sizeof bytes; size += 5)
        check_near(bytes, size, 2);
}

static void test_one_byte_and_random_ones(void **state)
{
    uint8_t *bytes = calloc(MOST, 1);
    struct random random = {7};
    (void)state;
    assert_non_null(bytes);
    check_near(bytes, MOST, 1);
    for (size_t i = 0; i < MOST; i += 8)
        memcpy(bytes + i, &(uint64_t){random_next(&random)}, 8);
    check_near(bytes, MOST, 0.1);
    free(bytes);
}

/* Constants that are to take more and more. The next ones compress no better, but a little where all are literals. */
static void test_constants(void **state)
{
    const struct manner usual = manner_usual();
    struct stock *stock = stock_make((struct dialect){.version = 5, .language = DWARF_C}, &usual, 42, 1);
    uint8_t *bytes = malloc(MOST);
    (void)state;
    assert_non_null(stock);
    assert_non_null(bytes);
    for (size_t size = 500; size <= MOST; size *= 6) {
        uint64_t before = 0;
        for (unsigned sixteenths = 0; sixteenths <= 16; sixteenths++) {
            stock_fill(stock, stock_taste_for(size, size * sixteenths / 16), bytes, size, 1);
            check_near(bytes, size, 3);
            const uint64_t packed = packed_size(bytes, size, &places);
            assert_true(packed + packed / 10 + 12 >= before);
            before = packed;
        }
    }
    free(bytes);
    stock_free(stock);
}

/* This program itself, which has code and text. */
static void test_a_program(void **state)
{
    uint8_t *bytes = malloc(MOST);
    FILE *file = fopen("/proc/self/exe", "rb");
    (void)state;
    assert_non_null(bytes);
    assert_non_null(file);
    const size_t size = fread(bytes, 1, MOST, file);
    fclose(file);
    for (size_t part = 3000; part < size; part *= 5)
        check_near(bytes, part, 3);
    check_near(bytes, size, 3);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_and_little),
        cmocka_unit_test(test_one_byte_and_random_ones),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
