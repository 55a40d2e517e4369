/* See objects.h. */
#include "emit/library/objects.h"

struct object_pitch objects_pitch(const struct library *l, uint64_t address, uint64_t size, uint64_t count)
{
    struct object_pitch pitch = {.align = 8, .key = l->row->key};
    if (!count)
        return pitch;
    for (uint64_t align = 32; align >= 8; align /= 2) {
        pitch.skip = -address & (align - 1);
        pitch.each = size > pitch.skip ? (size - pitch.skip) / count & ~(align - 1) : 0;
        pitch.align = align;
        if (pitch.each)
            return pitch;
    }
    pitch.skip = 0;
    pitch.each = size / count & ~UINT64_C(7);
    return pitch;
}
