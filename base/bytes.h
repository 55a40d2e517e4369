/* Little-endian bytes.
 *
 * There are two ways to write. `struct bytes` grows, hands out offsets (never pointers), and keeps a sticky failure
 * that is checked once at the end. The put_ and leb128_ functions write to memory whose size a size pass has
 * determined, and return the place behind what they wrote. The take_ functions read what was written here, and advance
 * *p behind it. Everything about byte order and LEB128 is in this file (DWARF 5 section 7.6).
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "pyelfgen writes its buffers in host order and needs a little-endian host"
#endif

static inline uint8_t *put_u8(uint8_t *p, uint8_t v)
{
    *p = v;
    return p + 1;
}

static inline uint8_t *put_u16(uint8_t *p, uint16_t v)
{
    memcpy(p, &v, 2);
    return p + 2;
}

static inline uint8_t *put_u32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, 4);
    return p + 4;
}

static inline uint8_t *put_u64(uint8_t *p, uint64_t v)
{
    memcpy(p, &v, 8);
    return p + 8;
}

/* `from` may be NULL if `size` is 0. */
static inline uint8_t *put_bytes(uint8_t *p, const void *from, size_t size)
{
    if (size)
        memcpy(p, from, size);
    return p + size;
}

static inline unsigned leb128_unsigned_size(uint64_t v)
{
    unsigned n = 1;
    while (v >>= 7)
        n++;
    return n;
}

static inline unsigned leb128_signed_size(int64_t v)
{
    unsigned n = 1;
    while (v < -64 || v > 63) {
        v >>= 7;
        n++;
    }
    return n;
}

static inline uint8_t *put_uleb128(uint8_t *p, uint64_t v)
{
    for (; v > 0x7f; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

static inline uint8_t *put_sleb128(uint8_t *p, int64_t v)
{
    for (; v < -64 || v > 63; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)(v & 0x7f);
    return p;
}

/* Writes LEB128 of either kind in exactly `bytes` bytes, each of which holds 7 bits of the value. More bytes than the
 * number needs are allowed (DWARF 5 section 7.6). */
static inline uint8_t *put_padded_leb128(uint8_t *p, int64_t v, unsigned bytes)
{
    for (; bytes > 1; bytes--, v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    return put_u8(p, (uint8_t)(v & 0x7f));
}

/* Prefetches `lines` cache lines. Which data is used next is chosen at random, so the hardware prefetcher cannot
 * predict it. */
static inline void fetch_lines(const void *from, unsigned lines)
{
    enum { LINE = 64 };
    for (unsigned i = 0; i < lines; i++)
        __builtin_prefetch((const uint8_t *)from + (size_t)i * LINE);
}

/* Copies in steps of BYTES_STEP bytes. The loop has few different trip counts, so its branch is predicted well. Reads
 * and writes up to BYTES_STEP - 1 bytes beyond the end. */
enum { BYTES_STEP = 64 };

static inline void copy_in_steps(uint8_t *p, const uint8_t *from, size_t size)
{
    for (size_t i = 0; i < size; i += BYTES_STEP)
        memcpy(p + i, from + i, BYTES_STEP);
}

static inline uint16_t take_u16(const uint8_t **p)
{
    uint16_t v;
    memcpy(&v, *p, sizeof v);
    *p += sizeof v;
    return v;
}

static inline uint32_t take_u32(const uint8_t **p)
{
    uint32_t v;
    memcpy(&v, *p, sizeof v);
    *p += sizeof v;
    return v;
}

static inline uint64_t take_u64(const uint8_t **p)
{
    uint64_t v;
    memcpy(&v, *p, sizeof v);
    *p += sizeof v;
    return v;
}

/* Takes a LEB128 number of either kind. Returns its bits, without those beyond 64. *bits is how many it has. */
static inline uint64_t take_leb128(const uint8_t **p, unsigned *bits)
{
    uint64_t v = 0;
    uint8_t byte;
    *bits = 0;
    do {
        byte = *(*p)++;
        v |= *bits < 64 ? (uint64_t)(byte & 0x7f) << *bits : 0;
        *bits += 7;
    } while (byte & 0x80);
    return v;
}

static inline uint64_t take_uleb128(const uint8_t **p)
{
    unsigned bits;
    return take_leb128(p, &bits);
}

static inline int64_t take_sleb128(const uint8_t **p)
{
    unsigned bits;
    uint64_t v = take_leb128(p, &bits);
    if (bits < 64 && v >> (bits - 1))
        v |= ~UINT64_C(0) << bits;
    return (int64_t)v;
}

/* Returns the place behind a LEB128 number of either kind. */
static inline const uint8_t *skip_leb128(const uint8_t *p)
{
    while (*p++ & 0x80)
        continue;
    return p;
}

struct bytes {
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed; /* memory ran out: whatever was appended since is lost */
};

/* The slow path of bytes_reserve, for when there is no room. */
uint8_t *bytes_grow(struct bytes *b, size_t most);
/* Makes room for `most` further bytes and returns where they begin; NULL when memory ran out. Afterwards bytes_keep
 * says where the written bytes end. */
static inline uint8_t *bytes_reserve(struct bytes *b, size_t most)
{
    const bool is_there = b->data && !b->failed && most <= b->capacity - b->size;
    return is_there ? b->data + b->size : bytes_grow(b, most);
}
static inline void bytes_keep(struct bytes *b, const uint8_t *end)
{
    b->size = (size_t)(end - b->data);
}

/* Returns number `i` of the four-byte numbers that `b` consists of. */
static inline uint32_t bytes_number(const struct bytes *b, size_t i)
{
    uint32_t v;
    memcpy(&v, b->data + i * sizeof v, sizeof v);
    return v;
}

/* Appends `size` zeros; returns their offset. */
size_t bytes_zeros(struct bytes *b, size_t size);
/* Appends `size` bytes from `from`, or zeros if that is NULL; returns their offset. */
static inline size_t bytes_append(struct bytes *b, const void *from, size_t size)
{
    const size_t offset = b->size;
    if (!from)
        return bytes_zeros(b, size);
    if (bytes_reserve(b, size))
        bytes_keep(b, put_bytes(b->data + offset, from, size));
    return offset;
}
static inline size_t bytes_u8(struct bytes *b, uint8_t v)
{
    return bytes_append(b, &v, sizeof v);
}
static inline size_t bytes_u16(struct bytes *b, uint16_t v)
{
    return bytes_append(b, &v, sizeof v);
}
static inline size_t bytes_u32(struct bytes *b, uint32_t v)
{
    return bytes_append(b, &v, sizeof v);
}
static inline size_t bytes_u64(struct bytes *b, uint64_t v)
{
    return bytes_append(b, &v, sizeof v);
}
size_t bytes_uleb128(struct bytes *b, uint64_t v);
size_t bytes_sleb128(struct bytes *b, int64_t v);
/* Appends a string with its terminating zero. */
size_t bytes_string(struct bytes *b, const char *s);
/* Overwrites the four bytes at `offset`, which have to be appended already. */
void bytes_patch_u32(struct bytes *b, size_t offset, uint32_t v);
/* Gives the whole pages of [from, to) back to the system. Their contents are lost; offsets and sizes stay. */
void bytes_forget(struct bytes *b, size_t from, size_t to);
void bytes_free(struct bytes *b);

#endif
