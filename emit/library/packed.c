/* Reckons what zstd -3 makes of bytes; see packed.h. The format is that of RFC 8878. The search is that of zstd's
 * strategy dfast: for matches of 8 bytes and more and of 5 bytes and more, with a table of places for each, and for
 * matches at the last two distances. */
#include "emit/library/packed.h"

#include <stdbool.h>
#include <string.h>

enum {
    BLOCK = PACKED_BLOCK,
    FRAME = 6, /* bytes of a frame's header without the contents' size */
    BLOCK_HEADER = 3,
    SHORT_BYTES = 5,
    LONG_BYTES = 8,
    LEAST_MATCH = 4,
    UNUSED_MOST = 6,
    TRIED = 8,     /* each 2^TRIED bytes without a match widen the step between tried places by one */
    RAW_MOST = 63, /* so many literals or fewer are not coded */
    HUFFMAN_BITS = 11,
    LITERAL_CODES = 36, /* kinds of codes: for lengths of literals, for lengths of matches, and for distances */
    MATCH_CODES = 53,
    DISTANCE_CODES = 32,
    ONE = 1 << 16, /* a bit, in fixed point */
};

/* How often each code occurs in a block, and the extra bits that stand beside codes. */
struct counted {
    uint32_t byte[256], literals;
    uint32_t literal_length[LITERAL_CODES], match_length[MATCH_CODES], distance[DISTANCE_CODES], sequences;
    uint64_t beside;
};

struct search {
    const uint8_t *bytes;
    uint32_t *far, *near;  /* hash tables: 1 + a place, by the eight or five bytes there; 0: none */
    unsigned unused;       /* bits of the tables' indexes that are not used, as there is little input */
    uint32_t last, before; /* the last distance, and the one before it */
    struct counted counted;
};

static uint32_t read32(const uint8_t *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static uint64_t read64(const uint8_t *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static unsigned high_bit(uint32_t value)
{
    return 31u - (unsigned)__builtin_clz(value);
}

/* Logarithm to base 2 in fixed point, of 1 and more. */
static uint32_t log2_of(uint32_t value)
{
    const unsigned whole = high_bit(value);
    uint64_t rest = (uint64_t)value << (31 - whole); /* from 1 to 2, times 2^31 */
    uint32_t result = whole;
    for (unsigned i = 0; i < 16; i++) {
        rest = rest * rest >> 31;
        const bool bit = rest >> 32;
        result = result << 1 | bit;
        rest >>= bit;
    }
    return result;
}

/* --- what a block takes -------------------------------------------------------------------- */

/* Bytes of the Huffman table: weights for the codes of bytes 0 to `most`, by the lengths of these codes. */
static uint32_t weights_size(const uint8_t *length, uint32_t most)
{
    uint32_t count[HUFFMAN_BITS + 2] = {0};
    for (uint32_t i = 0; i < most; i++)
        count[length[i]]++;
    uint64_t bits = 0;
    for (unsigned i = 0; i < HUFFMAN_BITS + 2; i++)
        bits += count[i] ? (uint64_t)count[i] * (log2_of(most) - log2_of(count[i])) : 0;
    const uint32_t coded = 6 + (uint32_t)(bits / ONE / 8);
    return most <= 128 && most / 2 + 1 < coded ? most / 2 + 1 : coded;
}

/* Bytes of a block's literals. */
static uint32_t literals_size(const struct counted *c)
{
    const uint32_t n = c->literals;
    const uint32_t raw = n + (n < 32 ? 1 : n < 4096 ? 2 : 3);
    if (n <= RAW_MOST)
        return raw;
    uint8_t length[256];
    uint64_t bits = 0;
    uint32_t most = 0;
    for (uint32_t i = 0; i < 256; i++) {
        length[i] = 0;
        if (!c->byte[i])
            continue;
        if (c->byte[i] == n)
            return raw - n + 1;
        uint32_t one = log2_of(n) - log2_of(c->byte[i]);
        one = one < ONE ? ONE : one > HUFFMAN_BITS * ONE ? HUFFMAN_BITS * ONE : one;
        bits += (uint64_t)c->byte[i] * one;
        length[i] = (uint8_t)((one + ONE / 2) / ONE);
        most = i;
    }
    bits += bits / 128; /* codes have whole bits, so they take a little more */
    const uint64_t coded = (n < 1024    ? 3u
                            : n < 16384 ? 4u
                                        : 5u) +
                           (n < 256 ? 0u : 6u) + weights_size(length, most) + bits / ONE / 8;
    return coded + n / 64 + 2 < raw ? (uint32_t)coded : raw;
}

/* Bytes of the codes of one kind: with a table of their own or, where there are few, with the format's predefined
 * table, at `usual` bits each. */
static uint32_t codes_size(const uint32_t *count, uint32_t kinds, uint32_t sequences, uint32_t few, uint32_t usual)
{
    uint64_t bits = 0;
    uint32_t most = 0;
    uint32_t greatest = 0;
    for (uint32_t i = 0; i < kinds; i++) {
        if (!count[i])
            continue;
        bits += (uint64_t)count[i] * (log2_of(sequences) - log2_of(count[i]));
        most = i;
        greatest = count[i] > greatest ? count[i] : greatest;
    }
    if (greatest == sequences && sequences > 2)
        return 1;
    if (sequences < few || greatest < sequences / (few / 2))
        return sequences * usual / 8;
    return (uint32_t)(bits / ONE / 8) + 1 + (most + 1) / 2;
}

static uint32_t block_size(const struct counted *c, uint32_t size)
{
    uint64_t packed = literals_size(c) + (c->sequences < 128 ? 1u : 2u);
    if (c->sequences)
        packed += 1 + c->beside / 8 + codes_size(c->literal_length, LITERAL_CODES, c->sequences, 64, 5) +
                  codes_size(c->match_length, MATCH_CODES, c->sequences, 64, 5) +
                  codes_size(c->distance, DISTANCE_CODES, c->sequences, 32, 5);
    return BLOCK_HEADER + (packed < size ? (uint32_t)packed : size);
}

/* --- sequences --------------------------------------------------------------------------------- */

/* The code of a length of literals: the length itself where it is small, and then steps as large as powers of 2. Adds
 * the extra bits to *beside. */
static uint32_t literal_code(uint32_t length, uint64_t *beside)
{
    static const uint8_t code[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                     16, 16, 17, 17, 18, 18, 19, 19, 20, 20, 20, 20, 21, 21, 21, 21,
                                     22, 22, 22, 22, 22, 22, 22, 22, 23, 23, 23, 23, 23, 23, 23, 23,
                                     24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24};
    static const uint8_t bits[25] = {[16] = 1, 1, 1, 1, 2, 2, 3, 3, 4};
    if (length < 64) {
        *beside += bits[code[length]];
        return code[length];
    }
    *beside += high_bit(length);
    return high_bit(length) + 19;
}

static uint32_t match_code(uint32_t length, uint64_t *beside)
{
    static const struct {
        uint8_t from, code, bits;
    } step[] = {{32, 32, 1}, {34, 33, 1}, {36, 34, 1}, {38, 35, 1}, {40, 36, 2}, {44, 37, 2},
                {48, 38, 3}, {56, 39, 3}, {64, 40, 4}, {80, 41, 4}, {96, 42, 5}};
    if (length < 32)
        return length;
    if (length >= 128) {
        *beside += high_bit(length);
        return high_bit(length) + 36;
    }
    uint32_t i = 0;
    while (i + 1 < sizeof step / sizeof step[0] && length >= step[i + 1].from)
        i++;
    *beside += step[i].bits;
    return step[i].code;
}

static void put_literals(struct counted *c, const uint8_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        c->byte[from[i]]++;
    c->literals += count;
}

/* Counts a sequence. `distance` is 1 where the last distance is repeated, and otherwise the distance plus 3. */
static void put_sequence(struct counted *c, const uint8_t *literals, uint32_t count, uint32_t distance, uint32_t match)
{
    put_literals(c, literals, count);
    c->literal_length[literal_code(count, &c->beside)]++;
    c->match_length[match_code(match - 3, &c->beside)]++;
    c->distance[high_bit(distance)]++;
    c->beside += high_bit(distance);
    c->sequences++;
}

/* --- the search ---------------------------------------------------------------------------------- */

static uint32_t *far_place(const struct search *s, uint32_t at)
{
    return &s->far[read64(s->bytes + at) * UINT64_C(0xcf1bbcdcb7a56463) >> (64 - PACKED_LONG_BITS + s->unused)];
}

static uint32_t *near_place(const struct search *s, uint32_t at)
{
    const uint64_t five = read64(s->bytes + at) << (64 - 8 * SHORT_BYTES);
    return &s->near[five * UINT64_C(889523592379) >> (64 - PACKED_SHORT_BITS + s->unused)];
}

static uint32_t match_length(const uint8_t *bytes, uint32_t at, uint32_t from, uint32_t end)
{
    uint32_t length = 0;
    while (at + length + 8 <= end) {
        const uint64_t differs = read64(bytes + at + length) ^ read64(bytes + from + length);
        if (differs)
            return length + (uint32_t)__builtin_ctzll(differs) / 8;
        length += 8;
    }
    while (at + length < end && bytes[at + length] == bytes[from + length])
        length++;
    return length;
}

/* A match: where it begins, how long it is, and how far behind it the same bytes are; 0: at the last distance again.
 * Its length is 0 where there is none. */
struct match {
    uint32_t at, length, distance;
};

static bool is_far(const struct search *s, uint32_t at, uint32_t place)
{
    return place && read64(s->bytes + place - 1) == read64(s->bytes + at);
}

static struct match found(const struct search *s, uint32_t at, uint32_t from, uint32_t anchor, uint32_t end)
{
    struct match m = {at, match_length(s->bytes, at, from, end), at - from};
    for (; m.at > anchor && m.at > m.distance && s->bytes[m.at - 1] == s->bytes[m.at - m.distance - 1]; m.at--)
        m.length++;
    return m;
}

static struct match match_at(struct search *s, uint32_t at, uint32_t anchor, uint32_t end)
{
    uint32_t *const far = far_place(s, at);
    uint32_t *const near = near_place(s, at);
    const uint32_t of_far = *far;
    const uint32_t of_near = *near;
    *far = *near = at + 1;
    if (at + 1 >= s->last && read32(s->bytes + at + 1 - s->last) == read32(s->bytes + at + 1))
        return (struct match){at + 1, match_length(s->bytes, at + 1, at + 1 - s->last, end), 0};
    if (is_far(s, at, of_far))
        return found(s, at, of_far - 1, anchor, end);
    if (!of_near || read32(s->bytes + of_near - 1) != read32(s->bytes + at))
        return (struct match){0};
    uint32_t *const next = far_place(s, at + 1);
    const uint32_t of_next = *next;
    *next = at + 2;
    if (is_far(s, at + 1, of_next))
        return found(s, at + 1, of_next - 1, anchor, end);
    return found(s, at, of_near - 1, anchor, end);
}

/* Matches directly behind a match, without literals between, at the last two distances in turn. Returns the place
 * behind all of them. */
static uint32_t again(struct search *s, uint32_t at, uint32_t limit, uint32_t end)
{
    while (at <= limit && at >= s->before && read32(s->bytes + at) == read32(s->bytes + at - s->before)) {
        const uint32_t swap = s->before;
        s->before = s->last;
        s->last = swap;
        *far_place(s, at) = *near_place(s, at) = at + 1;
        const uint32_t length = match_length(s->bytes, at, at - s->last, end);
        put_sequence(&s->counted, NULL, 0, 1, length);
        at += length;
    }
    return at;
}

static void search_block(struct search *s, uint32_t from, uint32_t end)
{
    uint32_t anchor = from;
    uint32_t at = from ? from : 1;
    const uint32_t limit = end >= from + LONG_BYTES + 1 ? end - LONG_BYTES - 1 : 0;
    while (at < limit) {
        const struct match m = match_at(s, at, anchor, end);
        if (m.length < LEAST_MATCH) {
            at += ((at - anchor) >> TRIED) + 1;
            continue;
        }
        put_sequence(&s->counted, s->bytes + anchor, m.at - anchor, m.distance ? m.distance + 3 : 1, m.length);
        if (m.distance) {
            s->before = s->last;
            s->last = m.distance;
        }
        anchor = m.at + m.length;
        if (anchor <= limit) {
            *far_place(s, at + 2) = *near_place(s, at + 2) = at + 3;
            *far_place(s, anchor - 2) = anchor - 1;
            *near_place(s, anchor - 1) = anchor;
            anchor = again(s, anchor, limit, end);
        }
        at = anchor;
    }
    put_literals(&s->counted, s->bytes + anchor, end - anchor);
}

uint64_t packed_sizes(const uint8_t *bytes, size_t size, size_t first, struct packed_places *places, uint64_t *of_first)
{
    struct search s = {.bytes = bytes, .far = places->far, .near = places->near, .last = 1, .before = 4};
    while (s.unused < UNUSED_MOST && size < (size_t)1 << (PACKED_SHORT_BITS - 1 - s.unused))
        s.unused++;
    memset(places->far, 0, sizeof places->far >> s.unused);
    memset(places->near, 0, sizeof places->near >> s.unused);
    uint64_t packed = FRAME;
    for (size_t from = 0; from < size; from += BLOCK) {
        const size_t end = size - from < BLOCK ? size : from + BLOCK;
        if (from == first)
            *of_first = packed;
        if (from && memcmp(bytes + from, bytes + from + 1, end - from - 1) == 0) { /* one repeated byte */
            packed += BLOCK_HEADER + 1;
            continue;
        }
        s.counted = (struct counted){0};
        search_block(&s, (uint32_t)from, (uint32_t)end);
        packed += block_size(&s.counted, (uint32_t)(end - from));
    }
    return packed;
}

uint64_t packed_size(const uint8_t *bytes, size_t size, struct packed_places *places)
{
    uint64_t none;
    return packed_sizes(bytes, size, size, places, &none);
}
