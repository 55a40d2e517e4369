/* The sums of XXH3's blocks, and their sequence; see digest_pieces.h. */
#include "emit/set/digest_pieces.h"

#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/huge.h"
#include "emit/plan/digest.h"

enum {
    STRIPE = 64,
    STRIPES = DIGEST_BLOCK / STRIPE,
    SECRET = 192,
    LAST_SECRET = SECRET - STRIPE - 7, /* where the secret begins for the last stripe, */
    LOW_SECRET = 11,                   /* and for the two halves */
    HIGH_SECRET = SECRET - STRIPE - 11,
    RUN = 64, /* blocks that are read back at once */
};

#define PRIME32_1 UINT64_C(0x9e3779b1)
#define PRIME32_2 UINT64_C(0x85ebca77)
#define PRIME32_3 UINT64_C(0xc2b2ae3d)
#define PRIME64_1 UINT64_C(0x9e3779b185ebca87)
#define PRIME64_2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define PRIME64_3 UINT64_C(0x165667b19e3779f9)
#define PRIME64_4 UINT64_C(0x85ebca77c2b2ae63)
#define PRIME64_5 UINT64_C(0x27d4eb2f165667c5)
#define AVALANCHE UINT64_C(0x165667919e3779f9)

/* XXH3's default secret. */
static const uint8_t secret[SECRET] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4,
    0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e,
    0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21, 0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43,
    0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb,
    0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19,
    0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8, 0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7,
    0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78,
    0x73, 0x64, 0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16,
    0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f,
    0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

static uint64_t load(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* --- sums ----------------------------------------------------------------------------- */

/* Computes what stripes add to the eight numbers. Each word of eight bytes, after the key is applied, adds the product
 * of its halves to its own number; the word without the key is added to its neighbour's. The key moves on by a word for
 * each stripe. */
static void sum_stripes(const uint8_t *p, unsigned stripes, const uint8_t *key, uint64_t sum[DIGEST_LANES])
{
    uint64_t products[DIGEST_LANES] = {0};
    uint64_t words[DIGEST_LANES] = {0};
    for (unsigned s = 0; s < stripes; s++, p += STRIPE, key += 8)
        for (unsigned i = 0; i < DIGEST_LANES; i++) {
            const uint64_t word = load(p + 8 * (size_t)i);
            const uint64_t keyed = word ^ load(key + 8 * (size_t)i);
            products[i] += (keyed & UINT32_MAX) * (keyed >> 32);
            words[i] += word;
        }
    for (unsigned i = 0; i < DIGEST_LANES; i++)
        sum[i] = products[i] + words[i ^ 1];
}

typedef void sum_function(const uint8_t *block, uint64_t sum[DIGEST_LANES]);

static void sum_block(const uint8_t *block, uint64_t sum[DIGEST_LANES])
{
    sum_stripes(block, STRIPES, secret, sum);
}

#if defined(__x86_64__)
/* Like sum_block, four numbers at a time. */
__attribute__((target("avx2"))) static void sum_block_avx2(const uint8_t *block, uint64_t sum[DIGEST_LANES])
{
    enum { WIDTH = 4 };
    for (size_t half = 0; half < DIGEST_LANES; half += WIDTH) {
        const uint8_t *p = block + 8 * half;
        const uint8_t *key = secret + 8 * half;
        __m256i products = _mm256_setzero_si256();
        __m256i words = _mm256_setzero_si256();
        for (unsigned s = 0; s < STRIPES; s++, p += STRIPE, key += 8) {
            const __m256i word = _mm256_loadu_si256((const __m256i_u *)(const void *)p);
            const __m256i keyed = _mm256_xor_si256(word, _mm256_loadu_si256((const __m256i_u *)(const void *)key));
            products = _mm256_add_epi64(products, _mm256_mul_epu32(keyed, _mm256_srli_epi64(keyed, 32)));
            words = _mm256_add_epi64(words, word);
        }
        words = _mm256_shuffle_epi32(words, _MM_SHUFFLE(1, 0, 3, 2)); /* neighbours change places */
        _mm256_storeu_si256((__m256i_u *)(void *)(sum + half), _mm256_add_epi64(products, words));
    }
}
#endif

static sum_function *choose_sum(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return sum_block_avx2;
#endif
    return sum_block;
}

void digest_pieces_start(struct digest_pieces *d, uint64_t size)
{
    uint64_t blocks = size / DIGEST_BLOCK;
    if (blocks > DIGEST_SUMS_MOST / sizeof *d->sum)
        blocks = DIGEST_SUMS_MOST / sizeof *d->sum;
    size_t capacity;
    *d = (struct digest_pieces){.size = size};
    d->sum = huge_alloc(blocks * sizeof *d->sum, &capacity);
    d->known = calloc(blocks + 1, 1);
    if (!d->sum || !d->known)
        return;
    d->blocks = blocks;
}

void digest_pieces_free(struct digest_pieces *d)
{
    free(d->sum);
    free(d->known);
    *d = (struct digest_pieces){.size = 0};
}

void digest_pieces_add(const struct digest_pieces *d, const void *bytes, uint64_t size, uint64_t offset)
{
    sum_function *const sum = choose_sum();
    uint64_t block = (offset + DIGEST_BLOCK - 1) / DIGEST_BLOCK;
    for (; block < d->blocks && (block + 1) * DIGEST_BLOCK <= offset + size; block++) {
        sum((const uint8_t *)bytes + (block * DIGEST_BLOCK - offset), d->sum[block]);
        d->known[block] = 1;
    }
}

/* --- their sequence ------------------------------------------------------------------- */

/* Advances the eight numbers by one block. */
static void take_block(uint64_t state[DIGEST_LANES], const uint64_t sum[DIGEST_LANES])
{
    for (unsigned i = 0; i < DIGEST_LANES; i++) {
        const uint64_t v = state[i] + sum[i];
        state[i] = (v ^ v >> 47 ^ load(secret + SECRET - STRIPE + 8 * (size_t)i)) * PRIME32_1;
    }
}

/* How many blocks in a row, from this one on, have no sums; RUN at most. */
static uint64_t unknown_run(const struct digest_pieces *d, uint64_t block, uint64_t blocks)
{
    uint64_t run = 0;
    while (run < RUN && block + run < blocks && (block + run >= d->blocks || !d->known[block + run]))
        run++;
    return run;
}

static uint64_t folded_product(uint64_t a, uint64_t b)
{
    const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t half_of(const uint64_t state[DIGEST_LANES], const uint8_t *key, uint64_t start)
{
    uint64_t half = start;
    for (size_t i = 0; i < DIGEST_LANES; i += 2)
        half += folded_product(state[i] ^ load(key + 8 * i), state[i + 1] ^ load(key + 8 * i + 8));
    half = (half ^ half >> 37) * AVALANCHE;
    return half ^ half >> 32;
}

/* Takes the rest, at least a byte, which is behind the last block that another follows, and the last stripe of the
 * input, which may begin before the rest. `tail` points to the stripe before the rest. */
static void take_tail(uint64_t state[DIGEST_LANES], const uint8_t *tail, uint64_t size)
{
    uint64_t sum[DIGEST_LANES];
    uint64_t last[DIGEST_LANES];
    sum_stripes(tail + STRIPE, (unsigned)((size - 1) / STRIPE), secret, sum);
    sum_stripes(tail + size, 1, secret + LAST_SECRET, last);
    for (unsigned i = 0; i < DIGEST_LANES; i++)
        state[i] += sum[i] + last[i];
}

static bool take_all(const struct digest_pieces *d, uint64_t state[DIGEST_LANES], uint8_t *buffer, digest_read *read,
                     const void *context, struct error *e)
{
    sum_function *const sum_of = choose_sum();
    const uint64_t blocks = (d->size - 1) / DIGEST_BLOCK;
    for (uint64_t block = 0; block < blocks;) {
        const uint64_t run = unknown_run(d, block, blocks);
        if (run && !read(context, buffer, run * DIGEST_BLOCK, block * DIGEST_BLOCK, e))
            return false;
        for (uint64_t i = 0; i < run; i++, block++) {
            uint64_t sum[DIGEST_LANES];
            sum_of(buffer + i * DIGEST_BLOCK, sum);
            take_block(state, sum);
        }
        for (; block < blocks && block < d->blocks && d->known[block]; block++)
            take_block(state, d->sum[block]);
    }
    const uint64_t rest = d->size - blocks * DIGEST_BLOCK;
    if (!read(context, buffer, STRIPE + rest, blocks * DIGEST_BLOCK - STRIPE, e))
        return false;
    take_tail(state, buffer, rest);
    return true;
}

bool digest_pieces_end(const struct digest_pieces *d, digest_read *read, const void *context, uint64_t digest[2],
                       struct error *e)
{
    uint64_t state[DIGEST_LANES] = {PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3,
                                    PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1};
    uint8_t *buffer = malloc((size_t)RUN * DIGEST_BLOCK);
    if (!buffer)
        return error_set(e, ERROR_MEMORY, "out of memory for a digest");
    bool ok;
    if (d->size <= DIGEST_BLOCK) { /* short inputs are hashed in other ways */
        ok = read(context, buffer, d->size, 0, e);
        const XXH128_hash_t h = ok ? XXH3_128bits(buffer, d->size) : (XXH128_hash_t){0, 0};
        digest[0] = h.high64;
        digest[1] = h.low64;
    } else {
        ok = take_all(d, state, buffer, read, context, e);
        digest[0] = half_of(state, secret + HIGH_SECRET, ~(d->size * PRIME64_2));
        digest[1] = half_of(state, secret + LOW_SECRET, d->size * PRIME64_1);
    }
    free(buffer);
    return ok;
}
