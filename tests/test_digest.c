/* emit/set/digest_pieces.c: the digest of a file that arrives in pieces is that of the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

#include "base/random.h"
#include "emit/set/digest_pieces.h"

struct file {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t was_read;
};

static bool read_file(const void *context, void *bytes, uint64_t size, uint64_t offset, struct error *e)
{
    struct file *f = *(struct file *const *)context;
    (void)e;
    assert_true(offset + size <= f->size);
    memcpy(bytes, f->bytes + offset, size);
    f->was_read += size;
    return true;
}

static bool read_nothing(const void *context, void *bytes, uint64_t size, uint64_t offset, struct error *e)
{
    (void)context, (void)bytes, (void)size, (void)offset;
    return error_set(e, ERROR_SYSTEM, "gone");
}

static uint8_t *make_bytes(uint64_t size)
{
    uint8_t *bytes = malloc(size + 1);
    assert_non_null(bytes);
    for (uint64_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)random_at(size, i);
    return bytes;
}

static void assert_digest(const struct digest_pieces *d, struct file *f)
{
    const XXH128_hash_t h = XXH3_128bits(f->bytes, f->size);
    uint64_t digest[2];
    struct error e;
    assert_true(digest_pieces_end(d, read_file, &f, digest, &e));
    assert_int_equal(digest[0], h.high64);
    assert_int_equal(digest[1], h.low64);
}

/* Adds the whole file in pieces of up to `most` bytes, the last piece first. */
static void add_pieces(const struct digest_pieces *d, const struct file *f, uint64_t most)
{
    for (uint64_t end = f->size, i = 0; end; i++) {
        uint64_t piece = 1 + random_at(most, i) % most;
        piece = piece < end ? piece : end;
        end -= piece;
        digest_pieces_add(d, f->bytes + end, piece, end);
    }
}

static void test_any_size_in_any_pieces(void **state)
{
    static const uint64_t sizes[] = {1,    16,   240,  241,  1023, 1024,  1025,  1026,   1087,
                                     1088, 1089, 2047, 2048, 2049, 65535, 65536, 131073, 1234567};
    static const uint64_t most[] = {1, 100, 1024, 5000, 100000, 2000000};
    (void)state;
    for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint8_t *bytes = make_bytes(sizes[s]);
        for (unsigned m = 0; m < sizeof most / sizeof most[0]; m++) {
            struct digest_pieces d;
            struct file f = {bytes, sizes[s], 0};
            digest_pieces_start(&d, f.size);
            add_pieces(&d, &f, most[m]);
            assert_digest(&d, &f);
            digest_pieces_free(&d);
        }
        free(bytes);
    }
}

/* Only blocks that no piece contains whole are read back. */
static void test_reads_little(void **state)
{
    enum { SIZE = 1000 * DIGEST_BLOCK, MIDDLE = 500 * DIGEST_BLOCK + 17 };
    (void)state;
    uint8_t *bytes = make_bytes(SIZE);
    struct file f = {bytes, SIZE, 0};
    struct digest_pieces d;
    digest_pieces_start(&d, SIZE);
    digest_pieces_add(&d, bytes, MIDDLE, 0);
    digest_pieces_add(&d, bytes + MIDDLE, SIZE - MIDDLE, MIDDLE);
    assert_digest(&d, &f);
    assert_in_range(f.was_read, DIGEST_BLOCK, 3 * DIGEST_BLOCK);
    digest_pieces_free(&d);
    free(bytes);
}

/* Blocks are read back if there is no room for their sums, or if nobody has added them: a hole. */
static void test_reads_what_is_not_known(void **state)
{
    enum { SIZE = 300 * DIGEST_BLOCK + 5 };
    (void)state;
    uint8_t *bytes = make_bytes(SIZE);
    struct file f = {bytes, SIZE, 0};
    struct digest_pieces d;
    digest_pieces_start(&d, SIZE);
    d.blocks = 100;
    add_pieces(&d, &f, 7000);
    assert_digest(&d, &f);
    assert_true(f.was_read > UINT64_C(200) * DIGEST_BLOCK);
    d.blocks = 0;
    assert_digest(&d, &f);
    digest_pieces_free(&d);
    digest_pieces_start(&d, SIZE);
    assert_digest(&d, &f);
    digest_pieces_free(&d);
    free(bytes);
}

static void test_what_cannot_be_read(void **state)
{
    static const uint64_t sizes[] = {100, 100000};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct digest_pieces d;
        struct error e = {0};
        uint64_t digest[2];
        digest_pieces_start(&d, sizes[i]);
        assert_false(digest_pieces_end(&d, read_nothing, NULL, digest, &e));
        assert_string_equal(e.text, "gone");
        digest_pieces_free(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_size_in_any_pieces),
        cmocka_unit_test(test_reads_little),
        cmocka_unit_test(test_reads_what_is_not_known),
        cmocka_unit_test(test_what_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
