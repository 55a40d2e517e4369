/* Names, layouts and contents of a library's files; see files.h. */
#include "emit/files.h"

#include <stdio.h>
#include <string.h>

/* --- names ---------------------------------------------------------------------- */

void files_build_id(const struct plan *plan, const struct plan_library *row, uint8_t id[FILE_BUILD_ID])
{
    uint64_t from = random_mix(plan->digest[0] ^ row->key);
    uint8_t *p = put_u64(id, random_mix(from + plan->digest[1]));
    p = put_u64(p, random_mix(from + RANDOM_STEP));
    put_u32(p, (uint32_t)random_mix(from + 2 * RANDOM_STEP));
}

void files_name(const struct plan_library *row, char name[FILE_NAME_MOST])
{
    snprintf(name, FILE_NAME_MOST, "%s%s", plan_stem(row), plan_ending(row));
}

void files_debug_name(const struct plan *plan, const struct plan_library *row, char name[FILE_NAME_MOST])
{
    name[0] = '\0';
    if (row->separate == SEPARATE_DEBUGLINK) {
        snprintf(name, FILE_NAME_MOST, "%s%s" FILES_DEBUG_SUFFIX, plan_stem(row), plan_ending(row));
    } else if (row->separate == SEPARATE_BUILD_ID) {
        uint8_t id[FILE_BUILD_ID];
        files_build_id(plan, row, id);
        int n = snprintf(name, FILE_NAME_MOST, FILES_BUILD_IDS "/%02x/", id[0]);
        for (unsigned i = 1; i < FILE_BUILD_ID; i++)
            n += snprintf(name + n, FILE_NAME_MOST - (size_t)n, "%02x", id[i]);
        snprintf(name + n, FILE_NAME_MOST - (size_t)n, FILES_DEBUG_SUFFIX);
    }
}

/* What .gnu_debuglink says; "" where there is none. */
static void link_name(const struct library *l, char name[FILE_NAME_MOST])
{
    name[0] = '\0';
    if (l->row->separate == SEPARATE_DEBUGLINK)
        files_debug_name(l->plan, l->row, name);
}

/* --- layouts and contents -------------------------------------------------------- */

bool files_place(struct library *l, struct error *e)
{
    if (l->row->separate == SEPARATE_NONE)
        return true;
    char link[FILE_NAME_MOST];
    link_name(l, link);
    return separate_place(&l->separate, &l->layout, *link ? separate_link_size(link) : 0, e);
}

/* Compresses the debug sections of one file, where they are to be. */
static bool pack(struct builder *b, struct layout *l, uint8_t *image, struct error *e)
{
    enum pack_kind packing = library_packing(b->library.plan);
    return packing == PACK_NONE || pack_debug(l, image, packing, &b->packed, e);
}

bool files_list(struct builder *b, struct error *e)
{
    struct library *l = &b->library;
    const bool separate = l->row->separate != SEPARATE_NONE;
    b->files = arena_zeroed(&b->arena, 2, sizeof *b->files);
    b->file_count = 0;
    if (!b->files)
        return error_set(e, ERROR_MEMORY, "out of memory for %s", l->row->name);
    if (separate) {
        b->files[b->file_count].layout = &l->separate.debug;
        files_debug_name(l->plan, l->row, b->files[b->file_count++].name);
    }
    b->files[b->file_count].layout = separate ? &l->separate.library : &l->layout;
    files_name(l->row, b->files[b->file_count++].name);
    return true;
}

bool files_write(struct builder *b, struct error *e)
{
    struct library *l = &b->library;
    bool separate = l->row->separate != SEPARATE_NONE;
    if (files_are_split(l->plan))
        return dwo_write(b, e);
    struct layout *debug = separate ? &l->separate.debug : &l->layout;
    uint8_t *start = b->image + (separate ? l->separate.start : 0);
    if (!files_list(b, e) || !pack(b, debug, start, e))
        return false;
    if (separate) {
        char link[FILE_NAME_MOST];
        link_name(l, link);
        separate_write(&l->separate, b->image, *link ? link : NULL);
    } else {
        layout_write(&l->layout, b->image);
    }
    b->files[0].image = start;
    b->files[b->file_count - 1].image = b->image;
    return true;
}

struct layout_sizes files_count(const struct library *l)
{
    return l->row->separate == SEPARATE_NONE ? layout_count(&l->layout) : separate_count(&l->separate);
}

uint64_t files_debug_bytes(const struct builder *b)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < b->file_count; i++)
        for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++)
            if (strncmp(layout_kind(id)->name, ".debug", 6) == 0)
                bytes += b->files[i].layout->section[id].size;
    return bytes;
}
