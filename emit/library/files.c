/* Names and layouts of a library's files; see files.h. */
#include "emit/library/files.h"

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

/* Appends the file's name in such a directory, at name + n: all digits of the build-id but the first two. */
static void put_digits(const uint8_t id[FILE_BUILD_ID], int n, char name[FILE_NAME_MOST])
{
    for (unsigned i = 1; i < FILE_BUILD_ID; i++)
        n += snprintf(name + n, FILE_NAME_MOST - (size_t)n, "%02x", id[i]);
    snprintf(name + n, FILE_NAME_MOST - (size_t)n, FILES_DEBUG_SUFFIX);
}

static void put_beside(const struct plan_library *row, char name[FILE_NAME_MOST])
{
    snprintf(name, FILE_NAME_MOST, "%s%s" FILES_DEBUG_SUFFIX, plan_stem(row), plan_ending(row));
}

void files_debug_name(const struct plan *plan, const struct plan_library *row, char name[FILE_NAME_MOST])
{
    name[0] = '\0';
    if (row->debug.separate == SEPARATE_DEBUGLINK) {
        put_beside(row, name);
    } else if (row->debug.separate == SEPARATE_BUILD_ID) {
        uint8_t id[FILE_BUILD_ID];
        files_build_id(plan, row, id);
        put_digits(id, snprintf(name, FILE_NAME_MOST, FILES_BUILD_IDS "/%02x/", id[0]), name);
    }
}

void files_absent_name(const struct plan *plan, const struct plan_library *row, char name[FILE_NAME_MOST])
{
    if (!row->elf.build_id) {
        put_beside(row, name);
        return;
    }
    uint8_t id[FILE_BUILD_ID];
    files_build_id(plan, row, id);
    put_digits(id, 0, name);
}

void files_link_name(const struct library *l, char name[FILE_NAME_MOST])
{
    name[0] = '\0';
    if (l->row->debug.separate == SEPARATE_DEBUGLINK)
        files_debug_name(l->plan, l->row, name);
}

/* --- layouts ---------------------------------------------------------------------- */

bool files_place(struct library *l, struct error *e)
{
    if (l->row->debug.separate == SEPARATE_NONE)
        return true;
    char link[FILE_NAME_MOST];
    files_link_name(l, link);
    return separate_place(&l->separate, &l->layout, *link ? separate_link_size(link) : 0, e);
}

bool files_list(struct builder *b, struct error *e)
{
    struct library *l = &b->library;
    const bool separate = l->row->debug.separate != SEPARATE_NONE;
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

struct debug_places files_debug_places(const struct library *l, uint8_t *image)
{
    const struct section *s = l->layout.section;
    struct debug_places places;
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT; i++)
        places.section[i] = image + s[library_debug_section(l, i)].offset;
    places.gdb_index = image + s[SECTION_GDB_INDEX].offset;
    return places;
}

enum pack_kind files_packing(const struct plan *plan)
{
    static const enum pack_kind kinds[] = {
        [COMPRESS_NONE] = PACK_NONE, [COMPRESS_ZLIB] = PACK_ZLIB, [COMPRESS_ZSTD] = PACK_ZSTD};
    return kinds[plan->profile->dwarf.compress];
}

struct layout_sizes files_count(const struct library *l)
{
    return l->row->debug.separate == SEPARATE_NONE ? layout_count(&l->layout) : separate_count(&l->separate);
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
