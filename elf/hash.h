/* The two hash tables of the dynamic linker, as GNU ld 2.40 sizes them.
 *
 * gABI chapter 5, "Hash Table" (DT_HASH); DT_GNU_HASH as glibc's
 * dl-lookup.c reads it: a header of four words, a Bloom filter, buckets, and
 * for each defined symbol its hash with the lowest bit as end of chain. The
 * defined symbols stand in .dynsym sorted by bucket, after the undefined ones.
 */
#ifndef ELF_HASH_H
#define ELF_HASH_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

/* The hash of DT_GNU_HASH (Bernstein: h * 33 + c from 5381) can be taken over
 * a name in parts: hash_gnu_join gives that of s followed by t from that of s,
 * that of t alone begun at 0, and 33 to the power of t's length. So names that
 * share a long suffix need not be hashed byte by byte. */
uint32_t hash_gnu(uint32_t start, const char *text, size_t length);
enum { HASH_GNU_START = 5381 };
uint32_t hash_gnu_power(size_t length);

static inline uint32_t hash_gnu_join(uint32_t before, uint32_t power, uint32_t suffix)
{
    return before * power + suffix;
}

/* The hash of DT_HASH (gABI figure 5-13). */
uint32_t hash_sysv(const char *text, size_t length);

/* What the size pass settles for a table over `defined` symbols. */
struct gnu_hash {
    uint32_t buckets;
    uint32_t bloom_words; /* of 8 bytes */
    uint32_t shift2;
    uint32_t defined;
};

/* With so many buckets; 0: as many as ld has without -O1, with which it tries for fewer collisions. */
struct gnu_hash hash_gnu_plan(uint32_t defined, uint32_t buckets);
uint64_t hash_gnu_size(const struct gnu_hash *h);

/* Sorts the defined symbols: order[i] is the symbol (0 to defined-1, as in
 * hashes[]) that stands i-th. `bucket_start` is scratch for h->buckets + 1
 * words. The order within a bucket is that of the symbols' numbers. */
void hash_gnu_order(const struct gnu_hash *h, const uint32_t *hashes, uint32_t *bucket_start, uint32_t *order);

/* Writes the table; `first` is the index in .dynsym of the first defined
 * symbol. Uses what hash_gnu_order left in bucket_start. */
void hash_gnu_write(const struct gnu_hash *h, const uint32_t *hashes, const uint32_t *bucket_start,
                    const uint32_t *order, uint32_t first, uint8_t *at);

/* The DT_HASH table over `symbols` entries of .dynsym (with the null symbol). */
uint32_t hash_sysv_buckets(uint32_t symbols);
uint64_t hash_sysv_size(uint32_t symbols);
/* hashes[i] belongs to .dynsym entry i; hashes[0] is not used. */
void hash_sysv_write(uint32_t symbols, const uint32_t *hashes, uint8_t *at);

#endif
