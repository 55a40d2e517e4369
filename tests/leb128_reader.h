/* A reader of LEB128 of the tests' own, after DWARF 5, section 7.6. So another reader than that of base/bytes.h checks
 * what base/bytes.h writes and reads. */
#ifndef TESTS_LEB128_READER_H
#define TESTS_LEB128_READER_H

#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Reads the number at *p, which has ten bytes at most, and moves *p behind it. The bits above the number's own bits are
 * those of `negative` if its highest bit is set: 0 for unsigned numbers, all ones for signed ones. */
static inline uint64_t get_leb(const uint8_t **p, uint64_t negative)
{
    size_t size = 0;
    while ((*p)[size++] & 0x80)
        assert_true(size < 10);
    uint64_t value = (*p)[size - 1] & 0x40 ? negative : 0;
    for (size_t i = size; i-- > 0;)
        value = value << 7 | ((*p)[i] & 0x7f);
    *p += size;
    return value;
}

static inline uint64_t get_uleb(const uint8_t **p)
{
    return get_leb(p, 0);
}

static inline int64_t get_sleb(const uint8_t **p)
{
    return (int64_t)get_leb(p, UINT64_MAX);
}

#endif
