/* DT_GNU_HASH and DT_HASH; see hash.h. The numbers of buckets and the size of the Bloom filter follow GNU ld 2.40
 * without -O1 (bfd/elflink.c), so a lookup costs as much as in a library that ld made. */
#include "elf/write/hash.h"

#include <string.h>

#include "base/bytes.h"

/* The numbers of buckets that ld chooses from: it takes the largest that is not above the number of symbols. */
static const uint32_t bucket_sizes[] = {1,    3,    17,   37,   67,    97,    131,   197,    263,   521,
                                        1031, 2053, 4099, 8209, 16411, 32771, 65537, 131101, 262147};
enum { BUCKET_SIZES = sizeof bucket_sizes / sizeof bucket_sizes[0] };

static uint32_t bucket_count(uint32_t symbols)
{
    uint32_t best = bucket_sizes[0];
    for (unsigned i = 0; i < BUCKET_SIZES; i++) {
        best = bucket_sizes[i];
        if (i + 1 < BUCKET_SIZES && symbols < bucket_sizes[i + 1])
            break;
    }
    return best;
}

uint32_t hash_gnu(uint32_t start, const char *text, size_t length)
{
    uint32_t h = start;
    for (size_t i = 0; i < length; i++)
        h = h * 33 + (unsigned char)text[i];
    return h;
}

uint32_t hash_gnu_power(size_t length)
{
    uint32_t result = 1;
    for (uint32_t base = 33; length; length >>= 1, base *= base)
        if (length & 1)
            result *= base;
    return result;
}

uint32_t hash_sysv(const char *text, size_t length)
{
    uint32_t h = 0;
    for (size_t i = 0; i < length; i++) {
        h = (h << 4) + (unsigned char)text[i];
        h ^= (h >> 24) & 0xf0;
        h &= 0x0fffffff;
    }
    return h;
}

struct gnu_hash hash_gnu_plan(uint32_t defined, uint32_t buckets)
{
    struct gnu_hash h = {.defined = defined, .buckets = buckets ? buckets : bucket_count(defined)};
    if (!buckets && h.buckets < 2)
        h.buckets = 2;
    unsigned log2 = 0; /* bits that the number of symbols takes */
    for (uint32_t rest = defined; rest; rest >>= 1)
        log2++;
    if (log2 < 3)
        log2 = 5;
    else if ((UINT32_C(1) << (log2 - 2)) & defined)
        log2 += 3;
    else
        log2 += 2;
    if (log2 < 6)
        log2 = 6;
    h.shift2 = log2;
    h.bloom_words = UINT32_C(1) << (log2 - 6);
    return h;
}

uint64_t hash_gnu_size(const struct gnu_hash *h)
{
    return 16 + UINT64_C(8) * h->bloom_words + UINT64_C(4) * h->buckets + UINT64_C(4) * h->defined;
}

/* x % d for 32-bit x by two multiplications (Lemire, Kaser, Kurz: Faster remainder by direct computation, 2019).
 * `inverse` is 2^64 / d rounded up. For d = 1 that overflows to 0, which gives the right remainder 0. */
static uint32_t remainder_by(uint32_t x, uint64_t inverse, uint32_t d)
{
    return (uint32_t)(((unsigned __int128)(inverse * x) * d) >> 64);
}

void hash_gnu_order(const struct gnu_hash *h, const uint32_t *hashes, uint32_t *bucket_start, uint32_t *order)
{
    uint64_t inverse = UINT64_MAX / h->buckets + 1;
    memset(bucket_start, 0, (h->buckets + UINT64_C(1)) * sizeof *bucket_start);
    for (uint32_t i = 0; i < h->defined; i++)
        bucket_start[remainder_by(hashes[i], inverse, h->buckets) + 1]++;
    for (uint32_t b = 0; b < h->buckets; b++)
        bucket_start[b + 1] += bucket_start[b];
    /* This moves each bucket's start to its end, which is the start of the next bucket; memmove puts them back. */
    for (uint32_t i = 0; i < h->defined; i++)
        order[bucket_start[remainder_by(hashes[i], inverse, h->buckets)]++] = i;
    memmove(bucket_start + 1, bucket_start, h->buckets * sizeof *bucket_start);
    bucket_start[0] = 0;
}

void hash_gnu_write(const struct gnu_hash *h, const uint32_t *hashes, const uint32_t *bucket_start,
                    const uint32_t *order, uint32_t first, uint8_t *at)
{
    at = put_u32(at, h->buckets);
    at = put_u32(at, first);
    at = put_u32(at, h->bloom_words);
    at = put_u32(at, h->shift2);
    uint8_t *bloom = at;
    memset(bloom, 0, 8 * (size_t)h->bloom_words);
    at += 8 * (size_t)h->bloom_words;
    for (uint32_t b = 0; b < h->buckets; b++)
        at = put_u32(at, bucket_start[b] == bucket_start[b + 1] ? 0 : first + bucket_start[b]);
    uint8_t *chain = at;
    for (uint32_t i = 0; i < h->defined; i++) {
        uint32_t hash = hashes[order[i]];
        uint8_t *word = bloom + 8 * (size_t)((hash >> 6) & (h->bloom_words - 1));
        uint64_t bits;
        memcpy(&bits, word, 8);
        bits |= UINT64_C(1) << (hash & 63) | UINT64_C(1) << ((hash >> h->shift2) & 63);
        memcpy(word, &bits, 8);
        at = put_u32(at, hash & ~UINT32_C(1));
    }
    for (uint32_t b = 0; b < h->buckets; b++)
        if (bucket_start[b] != bucket_start[b + 1])
            chain[4 * (size_t)(bucket_start[b + 1] - 1)] |= 1;
}

uint32_t hash_sysv_buckets(uint32_t symbols)
{
    return bucket_count(symbols - 1);
}

uint64_t hash_sysv_size(uint32_t symbols)
{
    return 4 * (2 + (uint64_t)hash_sysv_buckets(symbols) + symbols);
}

void hash_sysv_write(uint32_t symbols, const uint32_t *hashes, uint8_t *at)
{
    uint32_t buckets = hash_sysv_buckets(symbols);
    uint64_t inverse = UINT64_MAX / buckets + 1;
    at = put_u32(at, buckets);
    at = put_u32(at, symbols);
    uint8_t *chain = at + 4 * (size_t)buckets;
    memset(at, 0, 4 * ((size_t)buckets + symbols));
    for (uint32_t i = 1; i < symbols; i++) {
        uint8_t *bucket = at + 4 * (size_t)remainder_by(hashes[i], inverse, buckets);
        memcpy(chain + 4 * (size_t)i, bucket, 4); /* the former head of the chain comes next in it */
        put_u32(bucket, i);
    }
}
