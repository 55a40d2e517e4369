/* LEB128 as DWARF 5, section 7.6, defines it, read by the tests' own code: what
 * base/bytes.h writes and reads is judged by another reader than itself. */
#ifndef TESTS_LEB128_READER_H
#define TESTS_LEB128_READER_H

#include <stdint.h>

static inline uint64_t get_uleb(const uint8_t **p)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = *(*p)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return value;
}

static inline int64_t get_sleb(const uint8_t **p)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = *(*p)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (shift < 64 && byte & 0x40)
        value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}

#endif
