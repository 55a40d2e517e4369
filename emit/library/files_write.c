/* The contents of a library's files; see files.h. */
#include <stdio.h>

#include "emit/library/files.h"

/* Compresses the debug sections of one file, if they are to be compressed. */
static bool pack(struct builder *b, struct layout *l, uint8_t *image, struct error *e)
{
    enum pack_kind packing = files_packing(b->library.plan);
    return packing == PACK_NONE || pack_debug(l, image, packing, b->threads, &b->packed, e);
}

bool files_write(struct builder *b, struct error *e)
{
    struct library *l = &b->library;
    bool separate = l->row->debug.separate != SEPARATE_NONE;
    if (files_are_split(l->row))
        return dwo_write(b, e);
    struct layout *debug = separate ? &l->separate.debug : &l->layout;
    uint8_t *start = b->image + (separate ? l->separate.start : 0);
    if (!files_list(b, e) || !pack(b, debug, start, e))
        return false;
    if (separate) {
        char link[FILE_NAME_MOST];
        files_link_name(l, link);
        separate_write(&l->separate, b->image, *link ? link : NULL);
    } else {
        layout_write(&l->layout, b->image);
    }
    b->files[0].image = start;
    b->files[b->file_count - 1].image = b->image;
    return true;
}
