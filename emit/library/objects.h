/* Where a library's data objects are: in the room that is left in .data, .data.rel.ro and .rodata. */
#ifndef EMIT_LIBRARY_OBJECTS_H
#define EMIT_LIBRARY_OBJECTS_H

#include "emit/library/library.h"

/* Where in .data the objects begin, and their bytes. Relocated words of plan_extra are among them. */
static inline uint64_t objects_at(const struct library *l)
{
    return l->shape.data - shape_words(l->row) + library_scratch(l) - l->shape.scratch;
}
static inline uint64_t objects_size(const struct library *l)
{
    return l->data_free + shape_words(l->row) - 8 * (uint64_t)l->relro_words - (library_scratch(l) - l->shape.scratch);
}

/* The same for .data.rel.ro, which has the other relocated words. */
static inline uint64_t objects_relro_at(const struct library *l)
{
    return 8 * (uint64_t)l->shape.pointers;
}
static inline uint64_t objects_relro_size(const struct library *l)
{
    return l->relro_free + 8 * (uint64_t)l->relro_words;
}

/* The room that a section has for objects, behind what it begins with. */
struct object_room {
    enum section_id section;
    uint64_t at, size; /* from the section's beginning on */
};

/* The room in .data, .data.rel.ro or .rodata. */
static inline struct object_room objects_room(const struct library *l, enum section_id id)
{
    return id == SECTION_DATA          ? (struct object_room){id, objects_at(l), objects_size(l)}
           : id == SECTION_DATA_REL_RO ? (struct object_room){id, objects_relro_at(l), objects_relro_size(l)}
                                       : (struct object_room){id, l->shape.rodata, l->rodata_free};
}

/* Where `count` static objects are in the `size` bytes at an address. The first is `skip` bytes behind the address.
 * Each of the others is about `each` bytes behind the one before, so that their sizes differ. The last has what is
 * left. Compilers align arrays of 32 bytes and more to 32, of 16 and more to 16 (psABI 3.1.2 asks for the latter). A
 * size is always a multiple of 8. */
struct object_pitch {
    uint64_t skip, each; /* `each` is 0 where there are no objects, or less than 8 bytes for each */
    uint64_t align;
    uint64_t key; /* the library's; sizes follow from it */
};
struct object_pitch objects_pitch(const struct library *l, uint64_t address, uint64_t size, uint64_t count);
/* How far behind the address object `number` begins. */
static inline uint64_t object_at(const struct object_pitch *p, uint64_t number)
{
    const uint64_t later = p->each / p->align / 2; /* in steps of `align`: at most half of `each` */
    const uint64_t steps = number && later ? random_below(random_at(p->key, number), later + 1) : 0;
    return p->skip + p->each * number + steps * p->align;
}

#endif
