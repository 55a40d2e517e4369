/* Names as entries state them: offsets in .debug_str or, if the characters with the zero behind them take no more bytes
 * than such an offset, the characters themselves (DW_FORM_string). gcc chooses in the same way (find_string_form in
 * gcc/dwarf2out.cc), in split units too. The two have different abbreviations.
 *
 * A short name has SHORT_NAME_BIT set and its characters in its lower bytes, the first in the lowest. With three
 * characters it takes as many bytes as an offset, so that an entry has the same size with either. */
#ifndef DWARF_FORM_SHORT_NAME_H
#define DWARF_FORM_SHORT_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

enum { SHORT_NAME_MOST = 3 /* characters */ };
#define SHORT_NAME_BIT (UINT32_C(1) << 31)

static inline bool short_name_is(uint32_t name)
{
    return name >> 31;
}

/* What stands in an entry: an offset, or three characters and a zero. */
static inline uint32_t short_name_bytes(uint32_t name)
{
    return name & ~SHORT_NAME_BIT;
}

/* The short name of a text of up to SHORT_NAME_MOST characters. */
static inline uint32_t short_name_of(const char *text)
{
    uint32_t name = 0;
    memcpy(&name, text, strnlen(text, SHORT_NAME_MOST));
    return name | SHORT_NAME_BIT;
}

/* How many characters a short name has. */
static inline uint32_t short_name_length(uint32_t name)
{
    const uint32_t bytes = short_name_bytes(name);
    return !bytes ? 0 : bytes >> 16 ? 3 : bytes >> 8 ? 2 : 1;
}

/* Writes a name of either kind and returns the place behind it. There must be room for four bytes. */
static inline uint8_t *short_name_put(uint8_t *p, uint32_t name)
{
    uint8_t *end = put_u32(p, short_name_bytes(name));
    return short_name_is(name) ? p + short_name_length(name) + 1 : end;
}

#endif
