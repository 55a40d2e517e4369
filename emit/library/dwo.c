/* Makes the files of a library whose debug information is split: its .dwo files, one for each unit, or in DWARF 4 one
 * package of them; and the library with what is left.
 *
 * They are made from the image of the whole library, one behind the other in a buffer of the builder's. See
 * dwarf/rewrite/split.h.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/words.h"
#include "emit/library/files.h"

enum { IMAGE_ALIGN = 64 }; /* images begin at multiples of this, so that tables are aligned in memory too */

/* The section of a .dwo file that contains a part. */
static enum section_id part_section(struct dialect d, enum split_part part)
{
    static const enum section_id of_5[SPLIT_PARTS] = {
        [SPLIT_INFO] = SECTION_DWO_INFO,
        [SPLIT_ABBREV] = SECTION_DWO_ABBREV,
        [SPLIT_LISTS] = SECTION_DWO_LOCLISTS,
        [SPLIT_RANGES] = SECTION_DWO_RNGLISTS,
        [SPLIT_STR_OFFSETS] = SECTION_DWO_STR_OFFSETS,
        [SPLIT_STR] = SECTION_DWO_STR,
        [SPLIT_INDEX] = SECTION_DWO_CU_INDEX,
    };
    return dialect_is_4(d) && part == SPLIT_LISTS ? SECTION_DWO_LOC : of_5[part];
}

static const enum section_id stub_section[SPLIT_STUBS] = {
    [STUB_INFO] = SECTION_DEBUG_INFO,
    [STUB_ABBREV] = SECTION_DEBUG_ABBREV,
    [STUB_STR] = SECTION_DEBUG_STR,
    [STUB_ADDR] = SECTION_DEBUG_ADDR,
};

static bool no_memory(const struct builder *b, struct error *e)
{
    return error_set(e, ERROR_MEMORY, "out of memory for %s", b->library.row->name);
}

/* Makes room for the next file, which has this layout. Returns its image, or NULL when memory ran out. */
static uint8_t *begin_file(struct builder *b, const struct layout *l)
{
    struct bytes *images = &b->split_files;
    bytes_append(images, NULL, -images->size & (IMAGE_ALIGN - 1));
    return bytes_reserve(images, l->file_size);
}

/* Compresses the image if asked for, completes it and keeps it. file->image is set later, because the buffer may still
 * move. */
static bool end_file(struct builder *b, struct layout *l, uint8_t *image, const char *name, struct error *e)
{
    enum pack_kind packing = files_packing(b->library.plan);
    struct library_file *file = &b->files[b->file_count++];
    if (packing != PACK_NONE && !pack_debug(l, image, packing, b->threads, &b->packed, e))
        return false;
    layout_write(l, image);
    bytes_keep(&b->split_files, image + l->file_size);
    file->layout = l;
    snprintf(file->name, sizeof file->name, "%s", name);
    return true;
}

/* Adds a file that consists of the parts that there are. */
static bool add_parts(struct builder *b, const char *name, struct error *e)
{
    const struct dialect dialect = b->split.from.dialect;
    struct layout *l = arena_zeroed(&b->arena, 1, sizeof *l);
    if (!l)
        return no_memory(b, e);
    for (unsigned i = 0; i < SPLIT_PARTS; i++) {
        l->section[part_section(dialect, i)].size = b->split.part[i].size;
        b->library.dwo.part[i] += b->split.part[i].size;
    }
    b->library.dwo.files++;
    l->without = dialect_is_4(dialect) ? SHF_EXCLUDE : 0; /* no linker sees a package */
    layout_place_unloaded(l, sizeof(Elf64_Ehdr));
    uint8_t *image = begin_file(b, l);
    if (!image)
        return no_memory(b, e);
    for (unsigned i = 0; i < SPLIT_PARTS; i++)
        if (b->split.part[i].size)
            memcpy(image + l->section[part_section(dialect, i)].offset, b->split.part[i].data, b->split.part[i].size);
    return end_file(b, l, image, name, e);
}

/* Fills .debug_str with names until the library has as many bytes of debug sections as its row says. A skeleton needs
 * less than a compiler's, which comes with .debug_gnu_pubnames. */
static void fill_library(struct builder *b, const struct layout *l)
{
    enum { NAME_MOST = 80 };
    struct bytes *const str = &b->split.stub[STUB_STR];
    uint64_t kept = layout_count(l).debug;
    for (uint64_t i = 0; kept < b->library.row->debug.kept && str->size; i++) {
        char name[NAME_MOST];
        const uint64_t left = b->library.row->debug.kept - kept;
        const uint64_t r = random_at(b->library.debug.variety, i);
        const uint32_t length = NAME_MOST / 4 + (uint32_t)(r % (NAME_MOST / 2));
        const uint32_t size = length < left ? length : (uint32_t)left;
        words_identifier(r, size - 1, name);
        bytes_append(str, name, size);
        kept += size;
    }
}

/* Adds the library: what is loaded is unchanged, and of the rest it keeps what debuggers need at once. */
static bool add_library(struct builder *b, struct error *e)
{
    const struct layout *whole = &b->library.layout;
    const enum section_id first = SECTION_UNLOADED;
    struct layout *l = arena_zeroed(&b->arena, 1, sizeof *l);
    char name[FILE_NAME_MOST];
    if (!l)
        return no_memory(b, e);
    *l = *whole;
    l->section[library_debug_section(&b->library, DEBUG_LISTS)].size = 0;
    if (!dialect_is_4(b->split.from.dialect))
        l->section[SECTION_DEBUG_RNGLISTS].size = 0;
    for (unsigned i = 0; i < SPLIT_STUBS; i++)
        l->section[stub_section[i]].size = b->split.stub[i].size;
    fill_library(b, l);
    l->section[SECTION_DEBUG_STR].size = b->split.stub[STUB_STR].size;
    b->library.dwo.library = l;
    layout_place_unloaded(l, whole->section[first].offset);
    uint8_t *image = begin_file(b, l);
    if (!image)
        return no_memory(b, e);
    memcpy(image, b->image, whole->section[first].offset);
    for (enum section_id id = first; id < SECTION_SHSTRTAB; id++)
        if (l->section[id].size && l->section[id].size == whole->section[id].size)
            memcpy(image + l->section[id].offset, b->image + whole->section[id].offset, l->section[id].size);
    for (unsigned i = 0; i < SPLIT_STUBS; i++)
        if (b->split.stub[i].size)
            memcpy(image + l->section[stub_section[i]].offset, b->split.stub[i].data, b->split.stub[i].size);
    files_name(b->library.row, name);
    return end_file(b, l, image, name, e);
}

/* Bytes of the table of abbreviations of each unit, as the row says; 0 where it does not. */
static uint64_t abbrevs_of(const struct library *l)
{
    const int64_t said = l->row->debug.kept ? l->row->said->captured[ROW_DWO_ABBREV] : 0;
    return said > 0 && l->debug.unit_count ? (uint64_t)said / l->debug.unit_count : 0;
}

bool dwo_write(struct builder *b, struct error *e)
{
    struct library *l = &b->library;
    uint8_t identity[FILE_BUILD_ID];
    const uint8_t *p = identity;
    files_build_id(l->plan, l->row, identity);
    struct split_source source = {.dialect = l->stock->corpus.dialect,
                                  .places = files_debug_places(l, b->image),
                                  .identity = take_u64(&p),
                                  .abbrevs = abbrevs_of(l)};
    if (l->row->debug.kept) /* its sources may have short names, which those of other libraries have, too */
        source.stem = plan_stem(l->row);
    memcpy(source.size, l->debug.size, sizeof source.size);
    const bool packaged = dialect_is_4(source.dialect);
    b->files = arena_zeroed(&b->arena, (packaged ? 1 : l->debug.unit_count) + UINT64_C(1), sizeof *b->files);
    b->file_count = 0;
    b->split_files.size = 0;
    if (!b->files)
        return no_memory(b, e);
    l->dwo = (struct dwo_counts){.files = 0};
    split_start(&b->split, &source);
    while (split_next(&b->split))
        if (!packaged && !add_parts(b, b->split.name, e))
            return false;
    if (!split_end(&b->split))
        return no_memory(b, e);
    l->dwo.skeletons = b->split.units;
    l->dwo.sizes = b->split.sizes;
    l->dwo.attributes = b->split.attributes_more;
    char package[FILE_NAME_MOST];
    snprintf(package, sizeof package, "%s%s.dwp", plan_stem(l->row), plan_ending(l->row));
    if ((packaged && !add_parts(b, package, e)) || !add_library(b, e))
        return false;
    assert(b->file_count == (packaged ? 2 : l->debug.unit_count + 1));
    uint64_t at = 0;
    for (uint32_t i = 0; i < b->file_count; i++) {
        b->files[i].image = b->split_files.data + at;
        at += (b->files[i].layout->file_size + IMAGE_ALIGN - 1) & ~(uint64_t)(IMAGE_ALIGN - 1);
    }
    return true;
}
