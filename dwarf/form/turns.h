/* Names whose lengths take turns, so that the bytes of the first n of them follow from n. */
#ifndef DWARF_FORM_TURNS_H
#define DWARF_FORM_TURNS_H

#include <stdint.h>

enum {
    TURNS_LEAST = 12,   /* characters of the shortest names; */
    TURNS_LENGTHS = 16, /* the longest have less than this many more */
    TURNS_STEP = 7,     /* from one length to the next; has no divisor in common with TURNS_LENGTHS */
    TURNS_ROUND = TURNS_LENGTHS * (2 * TURNS_LEAST + TURNS_LENGTHS + 1) / 2, /* bytes of one name of each length */
};

/* Bytes of name i, with its terminator. */
static inline uint32_t turns_name(uint64_t i)
{
    return TURNS_LEAST + (uint32_t)(i * TURNS_STEP % TURNS_LENGTHS) + 1;
}

/* Bytes of the first `count` names. */
static inline uint64_t turns_bytes(uint64_t count)
{
    uint64_t bytes = count / TURNS_LENGTHS * TURNS_ROUND;
    for (uint64_t i = count / TURNS_LENGTHS * TURNS_LENGTHS; i < count; i++)
        bytes += turns_name(i);
    return bytes;
}

/* How many names there are at most in this many bytes. */
static inline uint64_t turns_in(uint64_t bytes)
{
    uint64_t count = bytes / TURNS_ROUND * TURNS_LENGTHS;
    for (bytes %= TURNS_ROUND; bytes >= turns_name(count); count++)
        bytes -= turns_name(count);
    return count;
}

#endif
