/* The two hashes of names, both of the lower-case letters. That of .debug_names (DWARF 5 section 7.33, Bernstein's)
 * goes from h to h * 33 + c and begins with 5381. That of .gdb_index goes to h * 67 + c - 113 and begins with 0.
 *
 * Both are polynomials in their base modulo 2^32, so eight characters can be hashed at once: pairs of characters, pairs
 * of pairs, and pairs of those, each with one multiplication for several lanes of a word. Only ASCII letters are
 * folded, because readers agree about no others (llvm folds the case of all of Unicode, gdb only that of ASCII). */
#ifndef DWARF_FORM_INDEX_HASH_H
#define DWARF_FORM_INDEX_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { INDEX_BASE_DJB = 33, INDEX_START_DJB = 5381, INDEX_BASE_GDB = 67, INDEX_MINUS_GDB = 113 };

/* Makes upper-case letters among eight characters lower-case: it sets bit 5 where the sums below say 'A' or more, but
 * not more than 'Z'. */
static inline uint64_t index_fold(uint64_t eight)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t low = eight & each * 0x7f;
    uint64_t from_a = low + each * (0x80 - 'A');
    uint64_t past_z = low + each * (0x7f - 'Z');
    return eight | (((from_a ^ past_z) & ~eight & each * 0x80) >> 2);
}

/* c0 * base^7 + c1 * base^6 + ... + c7. No lane overflows for a base up to 67:
 * 255 * 68 < 2^16, and 255 * 68 * (67 * 67 + 1) < 2^32. */
static inline uint32_t index_eight(uint64_t c, uint32_t base)
{
    const uint64_t bytes = UINT64_C(0x00ff00ff00ff00ff);
    const uint64_t pairs = UINT64_C(0x0000ffff0000ffff);
    uint64_t two = (c & bytes) * base + (c >> 8 & bytes);
    uint64_t four = (two & pairs) * (base * base) + (two >> 16 & pairs);
    return (uint32_t)four * (base * base * base * base) + (uint32_t)(four >> 32);
}

static inline uint32_t index_hash(const char *text, size_t length, uint32_t start, uint32_t base, uint32_t minus)
{
    const uint32_t fourth = base * base * base * base;
    const uint32_t minus_eight = index_eight(UINT64_C(0x0101010101010101), base) * minus;
    uint32_t hash = start;
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t c;
        memcpy(&c, text + i, sizeof c);
        hash = hash * (fourth * fourth) + index_eight(index_fold(c), base) - minus_eight;
    }
    for (; i < length; i++) {
        uint8_t c = (uint8_t)text[i];
        if (c >= 'A' && c <= 'Z')
            c |= 0x20;
        hash = hash * base + c - minus;
    }
    return hash;
}

static inline uint32_t index_hash_debug_names(const char *text, size_t length)
{
    return index_hash(text, length, INDEX_START_DJB, INDEX_BASE_DJB, 0);
}

static inline uint32_t index_hash_gdb(const char *text, size_t length)
{
    return index_hash(text, length, 0, INDEX_BASE_GDB, INDEX_MINUS_GDB);
}

#endif
