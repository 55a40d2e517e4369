/* A bump allocator over a list of blocks; see arena.h. */
#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 18 };

struct arena_block {
    struct arena_block *next;
    size_t capacity;
    size_t used;
    alignas(max_align_t) unsigned char bytes[];
};

static struct arena_block *block_new(size_t least)
{
    size_t capacity = least > BLOCK_BYTES ? least : BLOCK_BYTES;
    if (capacity > SIZE_MAX - sizeof(struct arena_block))
        return NULL;
    struct arena_block *b = malloc(sizeof *b + capacity);
    if (!b)
        return NULL;
    b->next = NULL;
    b->capacity = capacity;
    b->used = 0;
    return b;
}

void *arena_take(struct arena *a, size_t size)
{
    if (size > SIZE_MAX - alignof(max_align_t))
        return NULL;
    size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    struct arena_block *b = a->current;
    while (b && b->capacity - b->used < size && b->next) {
        b = b->next;
        b->used = 0;
    }
    if (!b || b->capacity - b->used < size) {
        struct arena_block *fresh = block_new(size);
        if (!fresh)
            return NULL;
        if (b)
            b->next = fresh;
        else
            a->first = fresh;
        b = fresh;
    }
    a->current = b;
    void *p = b->bytes + b->used;
    b->used += size;
    return p;
}

void *arena_zeroed(struct arena *a, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    void *p = arena_take(a, count * size);
    if (p)
        memset(p, 0, count * size);
    return p;
}

void arena_shrink(struct arena *a, const void *p, size_t size)
{
    struct arena_block *b = a->current;
    size_t offset = (size_t)((const unsigned char *)p - b->bytes);
    size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    assert(offset + size <= b->used);
    b->used = offset + size;
}

struct arena_mark arena_mark(const struct arena *a)
{
    return (struct arena_mark){a->current, a->current ? a->current->used : 0};
}

void arena_return(struct arena *a, struct arena_mark mark)
{
    if (!mark.block) {
        arena_reset(a);
        return;
    }
    a->current = mark.block;
    a->current->used = mark.used;
}

void arena_reset(struct arena *a)
{
    a->current = a->first;
    if (a->first)
        a->first->used = 0;
}

void arena_free(struct arena *a)
{
    struct arena_block *b = a->first;
    while (b) {
        struct arena_block *next = b->next;
        free(b);
        b = next;
    }
    a->first = a->current = NULL;
}
