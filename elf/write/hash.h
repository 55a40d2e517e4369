/* The two hash tables of the dynamic linker, as large as GNU ld 2.40 makes them.
 *
 * DT_HASH follows the gABI chapter 5, "Hash Table". DT_GNU_HASH is what glibc's dl-lookup.c reads: a header of four
 * words, a Bloom filter, buckets, and one word for each defined symbol. That word is the symbol's hash; its lowest bit
 * marks the end of a chain. In .dynsym the defined symbols come after the undefined ones, sorted by bucket.
 */
#ifndef ELF_WRITE_HASH_H
#define ELF_WRITE_HASH_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

/* The hash of DT_GNU_HASH (Bernstein: h * 33 + c from 5381). Start it with HASH_GNU_START.
 *
 * The hash of a name can be joined from those of its parts. hash_gnu_join returns the hash of s followed by t, given
 * the hash of s, 33 to the power of t's length (hash_gnu_power), and the hash of t started with 0. So names that share
 * a long suffix need not be hashed byte by byte.
 */
uint32_t hash_gnu(uint32_t start, const char *text, size_t length);
enum { HASH_GNU_START = 5381 };
uint32_t hash_gnu_power(size_t length);

static inline uint32_t hash_gnu_join(uint32_t before, uint32_t power, uint32_t suffix)
{
    return before * power + suffix;
}

/* The hash of DT_HASH (gABI figure 5-13). */
uint32_t hash_sysv(const char *text, size_t length);

/* The dimensions of a table over `defined` symbols, which the size pass decides. */
struct gnu_hash {
    uint32_t buckets;
    uint32_t bloom_words; /* of 8 bytes */
    uint32_t shift2;
    uint32_t defined;
};

/* Dimensions with `buckets` buckets. 0: as many as ld chooses without -O1. (With -O1 ld tries for fewer collisions.) */
struct gnu_hash hash_gnu_plan(uint32_t defined, uint32_t buckets);
uint64_t hash_gnu_size(const struct gnu_hash *h);

/* Sorts the defined symbols by bucket. order[i] is the symbol, numbered from 0 as in hashes[], that stands i-th. Within
 * a bucket symbols keep the order of their numbers. `bucket_start` is scratch memory of h->buckets + 1 words;
 * hash_gnu_write needs what is left in it. */
void hash_gnu_order(const struct gnu_hash *h, const uint32_t *hashes, uint32_t *bucket_start, uint32_t *order);

/* Writes the table. `first` is the index in .dynsym of the first defined symbol; `bucket_start` and `order` come from
 * hash_gnu_order. */
void hash_gnu_write(const struct gnu_hash *h, const uint32_t *hashes, const uint32_t *bucket_start,
                    const uint32_t *order, uint32_t first, uint8_t *at);

/* The DT_HASH table over `symbols` entries of .dynsym, the null symbol included. */
uint32_t hash_sysv_buckets(uint32_t symbols);
uint64_t hash_sysv_size(uint32_t symbols);
/* hashes[i] is the hash of .dynsym entry i; hashes[0] is not used. */
void hash_sysv_write(uint32_t symbols, const uint32_t *hashes, uint8_t *at);

#endif
