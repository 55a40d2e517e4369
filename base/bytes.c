/* The part of bytes.h that grows. */
#include "base/bytes.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/page.h"

uint8_t *bytes_grow(struct bytes *b, size_t most)
{
    if (b->failed)
        return NULL;
    if (most > b->capacity - b->size || !b->data) {
        size_t capacity = b->capacity ? b->capacity : 256;
        while (capacity - b->size < most) {
            if (capacity > SIZE_MAX / 2) {
                b->failed = true;
                return NULL;
            }
            capacity *= 2;
        }
        uint8_t *grown = realloc(b->data, capacity);
        if (!grown) {
            b->failed = true;
            return NULL;
        }
        b->data = grown;
        b->capacity = capacity;
    }
    return b->data + b->size;
}

size_t bytes_zeros(struct bytes *b, size_t size)
{
    const size_t offset = b->size;
    uint8_t *p = bytes_reserve(b, size);
    if (p && size)
        memset(p, 0, size);
    b->size += p ? size : 0;
    return offset;
}

size_t bytes_uleb128(struct bytes *b, uint64_t v)
{
    uint8_t encoded[10];
    return bytes_append(b, encoded, (size_t)(put_uleb128(encoded, v) - encoded));
}

size_t bytes_sleb128(struct bytes *b, int64_t v)
{
    uint8_t encoded[10];
    return bytes_append(b, encoded, (size_t)(put_sleb128(encoded, v) - encoded));
}

size_t bytes_string(struct bytes *b, const char *s)
{
    return bytes_append(b, s, strlen(s) + 1);
}

void bytes_patch_u32(struct bytes *b, size_t offset, uint32_t v)
{
    if (b->failed)
        return;
    assert(offset + 4 <= b->size);
    memcpy(b->data + offset, &v, 4);
}

void bytes_forget(struct bytes *b, size_t from, size_t to)
{
    const uintptr_t start = ((uintptr_t)b->data + from + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    const uintptr_t end = ((uintptr_t)b->data + to) & ~(uintptr_t)(PAGE - 1);
    assert(from <= to && to <= b->size);
    if (start < end)
        madvise(b->data + (start - (uintptr_t)b->data), end - start, MADV_DONTNEED);
}

void bytes_free(struct bytes *b)
{
    free(b->data);
    *b = (struct bytes){0};
}
