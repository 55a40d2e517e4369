/* See images.h. */
#include "emit/library/images.h"

#include <stdlib.h>
#include <string.h>

#include "emit/library/files.h"

bool images_start(struct images *s, uint32_t libraries, uint64_t most)
{
    *s = (struct images){.of = calloc(libraries, sizeof(struct image *)), .most = most};
    return s->of;
}

const uint8_t *images_bytes(const struct image *i)
{
    return (const uint8_t *)&i->at[i->files + 1];
}

uint64_t images_size(const struct builder *b)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < b->file_count; i++)
        size += b->files[i].layout->file_size;
    return size;
}

struct image *images_copy(const struct builder *b, uint32_t library)
{
    const uint64_t size = images_size(b);
    const size_t head = sizeof(struct image) + (b->file_count + UINT64_C(1)) * sizeof(uint64_t);
    struct image *image = malloc(head + size);
    if (!image)
        return NULL;
    *image = (struct image){.library = library, .size = size, .files = b->file_count};
    uint8_t *bytes = (uint8_t *)image + head;
    uint64_t at = 0;
    for (uint32_t i = 0; i < b->file_count; i++) {
        image->at[i] = at;
        memcpy(bytes + at, b->files[i].image, b->files[i].layout->file_size);
        at += b->files[i].layout->file_size;
    }
    image->at[b->file_count] = at;
    return image;
}

static void link_newest(struct images *s, struct image *i)
{
    i->newer = NULL;
    i->older = s->newest;
    *(s->newest ? &s->newest->newer : &s->oldest) = i;
    s->newest = i;
}

static void unlink_image(struct images *s, struct image *i)
{
    *(i->newer ? &i->newer->older : &s->newest) = i->older;
    *(i->older ? &i->older->newer : &s->oldest) = i->newer;
}

static void drop(struct images *s, struct image *i)
{
    unlink_image(s, i);
    s->of[i->library] = NULL;
    s->bytes -= i->size;
    free(i);
}

static void make_room(struct images *s)
{
    for (struct image *i = s->oldest; i && i != s->newest && s->bytes > s->most;) {
        struct image *newer = i->newer;
        if (!i->readers)
            drop(s, i);
        i = newer;
    }
}

uint32_t images_drop(struct images *s)
{
    uint32_t dropped = 0;
    for (struct image *i = s->oldest; i;) {
        struct image *newer = i->newer;
        if (!i->readers) {
            drop(s, i);
            dropped++;
        }
        i = newer;
    }
    return dropped;
}

void images_add(struct images *s, struct image *i)
{
    link_newest(s, i);
    s->of[i->library] = i;
    s->bytes += i->size;
    make_room(s);
    if (s->bytes > s->peak)
        s->peak = s->bytes;
}

struct image *images_take(struct images *s, uint32_t library)
{
    struct image *i = s->of[library];
    if (!i)
        return NULL;
    i->readers++;
    unlink_image(s, i);
    link_newest(s, i);
    return i;
}

void images_give(struct images *s, struct image *i)
{
    i->readers--;
    make_room(s);
}

void images_free(struct images *s)
{
    while (s->oldest) {
        struct image *i = s->oldest;
        s->oldest = i->newer;
        free(i);
    }
    free(s->of);
    *s = (struct images){0};
}
