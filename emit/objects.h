/* Where a library's data objects are: in what is left of .data, .data.rel.ro and .rodata. */
#ifndef EMIT_OBJECTS_H
#define EMIT_OBJECTS_H

#include "emit/library.h"

/* Where in .data the objects begin, and their bytes. Among them are relocated words of plan_extra. */
static inline uint64_t objects_at(const struct library *l)
{
    return l->shape.data - shape_words(l->row) + library_scratch(l) - l->shape.scratch;
}
static inline uint64_t objects_size(const struct library *l)
{
    return l->data_free + shape_words(l->row) - 8 * (uint64_t)l->relro_words - (library_scratch(l) - l->shape.scratch);
}

/* The same of .data.rel.ro, where the other relocated words are. */
static inline uint64_t objects_relro_at(const struct library *l)
{
    return 8 * (uint64_t)l->shape.pointers;
}
static inline uint64_t objects_relro_size(const struct library *l)
{
    return l->relro_free + 8 * (uint64_t)l->relro_words;
}

/* Where a section has room for objects, behind what it begins with. */
struct object_room {
    enum section_id section;
    uint64_t at, size; /* from the section's beginning on */
};

/* That of .data, .data.rel.ro or .rodata. */
static inline struct object_room objects_room(const struct library *l, enum section_id id)
{
    return id == SECTION_DATA          ? (struct object_room){id, objects_at(l), objects_size(l)}
           : id == SECTION_DATA_REL_RO ? (struct object_room){id, objects_relro_at(l), objects_relro_size(l)}
                                       : (struct object_room){id, l->shape.rodata, l->rodata_free};
}

/* Where `count` static objects are in the `size` bytes at an address: the first `skip` bytes behind that, the others
 * about `each` bytes behind the one before, so that their sizes differ; the last has what is left. Compilers align
 * arrays of 32 bytes and more to 32, of 16 and more to 16 (psABI 3.1.2 asks for the latter); a size is a multiple of 8
 * in any case. */
struct object_pitch {
    uint64_t skip, each; /* `each` is 0 where there are no objects, or they share less than 8 bytes each */
    uint64_t align;
    uint64_t key; /* of the library: sizes follow from it */
};
struct object_pitch objects_pitch(const struct library *l, uint64_t address, uint64_t size, uint64_t count);
/* How far behind the address object `number` begins. */
static inline uint64_t object_at(const struct object_pitch *p, uint64_t number)
{
    const uint64_t later = p->each / p->align / 2; /* steps, half of `each` at most */
    const uint64_t steps = number && later ? random_below(random_at(p->key, number), later + 1) : 0;
    return p->skip + p->each * number + steps * p->align;
}

#endif
