/* Derives two layouts from one, and writes what only separate files have; see separate.h. */
#include "elf/write/separate.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"

enum {
    LINK_ALIGN = 4,
    IMAGE_ALIGN = 64, /* alignment of the debug file, so that its tables are aligned in memory too */
    NOTHING_BYTES = 8,
};

/* The notes that both files have. */
static const enum section_id notes[] = {SECTION_NOTE_PROPERTY, SECTION_NOTE_BUILD_ID};

uint64_t separate_link_size(const char *name)
{
    return (strlen(name) + 1 + LINK_ALIGN - 1) / LINK_ALIGN * LINK_ALIGN + sizeof(uint32_t);
}

void separate_put_link(uint8_t *at, const char *name, uint32_t sum)
{
    size_t length = strlen(name);
    uint64_t sum_at = separate_link_size(name) - sizeof(uint32_t);
    memcpy(at, name, length);
    memset(at + length, 0, sum_at - length);
    put_u32(at + sum_at, sum);
}

static bool goes_with_debug(enum section_id id)
{
    return id >= SECTION_DEBUG_FIRST && id <= SECTION_SEPARATE_LAST;
}

static bool place_library(struct layout *library, const struct layout *whole, uint64_t link, struct error *e)
{
    *library = *whole;
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++)
        if (goes_with_debug(id))
            library->section[id] = (struct section){0};
    library->section[SECTION_GNU_DEBUGLINK].size = link;
    if (!layout_place(library, e))
        return false;
    assert(library->section[SECTION_COMMENT].offset == whole->section[SECTION_COMMENT].offset);
    return true;
}

/* Notes stay where the program headers point. All other loaded sections get the offset of eight zero bytes behind the
 * notes: dwarfdump reads .eh_frame even if it is SHT_NOBITS, and there it finds the end of the table. */
static void place_debug(struct layout *debug, const struct layout *whole)
{
    *debug = *whole;
    uint64_t nothing = sizeof(Elf64_Ehdr) + debug->segment_count * sizeof(Elf64_Phdr);
    for (unsigned i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        const struct section *note = &debug->section[notes[i]];
        if (note->size)
            nothing = note->offset + note->size;
    }
    nothing = (nothing + NOTHING_BYTES - 1) & ~(uint64_t)(NOTHING_BYTES - 1);
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_UNLOADED; id++) {
        if (id == notes[0] || id == notes[1])
            continue;
        debug->section[id].elsewhere = true;
        debug->section[id].offset = nothing;
    }
    layout_place_unloaded(debug, nothing + NOTHING_BYTES);
}

bool separate_place(struct separate *s, struct layout *whole, uint64_t link, struct error *e)
{
    if (!place_library(&s->library, whole, link, e))
        return false;
    place_debug(&s->debug, whole);
    s->start = (s->library.file_size + IMAGE_ALIGN - 1) & ~(uint64_t)(IMAGE_ALIGN - 1);
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++) {
        /* symbols refer to loaded sections by number, so these numbers have to be the same in all layouts */
        assert(id >= SECTION_UNLOADED || (s->library.section[id].index == whole->section[id].index &&
                                          s->debug.section[id].index == whole->section[id].index));
        if (goes_with_debug(id))
            whole->section[id].offset = s->start + s->debug.section[id].offset;
    }
    whole->file_size = s->start + s->debug.file_size;
    return true;
}

static void copy_section(const struct separate *s, uint8_t *image, enum section_id id)
{
    const struct section *from = &s->library.section[id];
    const struct section *to = &s->debug.section[id];
    memcpy(image + s->start + to->offset, image + from->offset, from->size);
}

static void write_link(const struct separate *s, uint8_t *image, const char *name)
{
    const struct section *section = &s->library.section[SECTION_GNU_DEBUGLINK];
    assert(section->size == separate_link_size(name));
    separate_put_link(image + section->offset, name, (uint32_t)crc32_z(0, image + s->start, s->debug.file_size));
}

void separate_write(const struct separate *s, uint8_t *image, const char *link)
{
    for (unsigned i = 0; i < sizeof notes / sizeof notes[0]; i++)
        copy_section(s, image, notes[i]);
    copy_section(s, image, SECTION_COMMENT);
    layout_write(&s->debug, image + s->start);
    if (link)
        write_link(s, image, link);
    layout_write(&s->library, image);
}

struct layout_sizes separate_count(const struct separate *s)
{
    struct layout_sizes sizes = layout_count(&s->library);
    struct layout_sizes debug = layout_count(&s->debug);
    sizes.debug = debug.debug;
    sizes.symtab = debug.symtab;
    sizes.strtab = debug.strtab;
    return sizes;
}
