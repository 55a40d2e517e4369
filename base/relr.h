/* Packed relative relocations, .relr.dyn (gABI, "Relative Relocation Table"; ld -z pack-relative-relocs).
 *
 * A word with an even value is the address of a word to relocate. A word with an odd value is a bitmap: bit i, from 1
 * on, stands for the i-th of the 63 words behind those covered so far. The relocated word itself holds the offset to
 * which the load address is added. So each word of a table of pointers takes one bit here, and 24 bytes in .rela.dyn.
 *
 *     0x3dc0                  relocate 0x3dc0
 *     0b...00001011           and, of the 63 words from 0x3dc8 on, 0x3dc8 and 0x3dd8
 */
#ifndef BASE_RELR_H
#define BASE_RELR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

enum { RELR_WORD = 8, RELR_BITS = 63 };

/* The symbol version that a file with such a table needs of the C library. An older C library then refuses the file;
 * without the version it would leave the words as they are. (ld does this since 2.38, for glibc 2.36.) */
#define RELR_VERSION "GLIBC_ABI_DT_RELR"

/* How many relocations a table of `size` bytes has. */
static inline uint64_t relr_count(const void *table, size_t size)
{
    uint64_t count = 0;
    for (size_t at = 0; size - at >= RELR_WORD; at += RELR_WORD) {
        uint64_t word;
        memcpy(&word, (const uint8_t *)table + at, sizeof word);
        count += word & 1 ? (uint64_t)__builtin_popcountll(word >> 1) : 1;
    }
    return count;
}

/* What is left to read of a table; {.table, .size} is all of it. */
struct relr_places {
    const void *table; /* of any alignment */
    size_t size;       /* bytes */
    size_t at;
    uint64_t next;        /* address behind the last word that is covered */
    uint64_t marks, from; /* marks that are left of the table's current word; bit 0 stands for `from` */
};

/* Sets *place to the next address that is relocated. False at the end. */
static inline bool relr_next(struct relr_places *r, uint64_t *place)
{
    while (!r->marks) {
        uint64_t word;
        if (r->size - r->at < RELR_WORD)
            return false;
        memcpy(&word, (const uint8_t *)r->table + r->at, sizeof word);
        r->at += sizeof word;
        r->marks = word & 1 ? word >> 1 : 1;
        r->from = word & 1 ? r->next : word;
        r->next = r->from + RELR_WORD * (word & 1 ? UINT64_C(1) * RELR_BITS : 1);
    }
    *place = r->from + RELR_WORD * (uint64_t)__builtin_ctzll(r->marks);
    r->marks &= r->marks - 1;
    return true;
}

/* A table that is being written; `p` is where its next word goes. All other members start as 0. */
struct relr_table {
    uint8_t *p;
    uint64_t next; /* address of the word that bit 0 of `bits` stands for */
    uint64_t bits; /* the next bitmap, without its lowest bit, which marks it as one */
};

/* The most bytes that `count` relocations take if the last is at most `words` words behind the first. Several groups,
 * each in ascending order, take at most the sum over the groups. */
static inline uint64_t relr_most(uint64_t count, uint64_t words)
{
    const uint64_t bitmaps = (words + RELR_BITS - 1) / RELR_BITS;
    return RELR_WORD * (count < 1 + bitmaps ? count : 1 + bitmaps);
}

static inline void relr_flush(struct relr_table *t)
{
    if (t->bits)
        t->p = put_u64(t->p, t->bits << 1 | 1);
    t->bits = 0;
}

/* Adds the relocation of the word at `address`, a multiple of 8. */
static inline void relr_add(struct relr_table *t, uint64_t address)
{
    const uint64_t span = RELR_BITS * RELR_WORD;
    if (address - t->next >= span && address - t->next < 2 * span && t->bits) {
        relr_flush(t);
        t->next += span;
    }
    if (t->next && address - t->next < span) {
        t->bits |= UINT64_C(1) << (address - t->next) / RELR_WORD;
        return;
    }
    relr_flush(t);
    t->p = put_u64(t->p, address);
    t->next = address + RELR_WORD;
}

/* Completes the table, and fills it up to `end` with empty bitmaps. ld and lld do the same if a table becomes shorter
 * than they had assumed. */
static inline void relr_end(struct relr_table *t, const uint8_t *end)
{
    relr_flush(t);
    while (t->p < end)
        t->p = put_u64(t->p, 1);
}

#endif
