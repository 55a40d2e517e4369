/* elf/write/separate.c: two files out of one image, each with the sections that it has to have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf/write/separate.h"

static const char link_name[] = "libmodule0.so.debug";

/* A library with a few sections of each kind. Each byte of a section is the section's number. */
struct made {
    struct layout whole;
    struct separate files;
    uint8_t *image;
};

static void make(struct made *m, const char *link)
{
    static const struct {
        enum section_id id;
        uint64_t size;
    } sections[] = {
        {SECTION_NOTE_BUILD_ID, 36}, {SECTION_DYNSYM, 48},   {SECTION_DYNSTR, 11},    {SECTION_TEXT, 5001},
        {SECTION_EH_FRAME, 100},     {SECTION_DYNAMIC, 160}, {SECTION_GOT_PLT, 24},   {SECTION_DATA, 77},
        {SECTION_BSS, 4000},         {SECTION_COMMENT, 15},  {SECTION_DEBUG_INFO, 3}, {SECTION_DEBUG_LINE, 999},
        {SECTION_SYMTAB, 72},        {SECTION_STRTAB, 30},
    };
    struct error e;
    *m = (struct made){.whole = {.page = 4096, .relro = LAYOUT_RELRO_PARTIAL}};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        m->whole.section[sections[i].id].size = sections[i].size;
    /* layout_place gives every library a segment for this section */
    m->whole.section[SECTION_EH_FRAME_HDR].size = 20;
    assert_true(layout_place(&m->whole, &e));
    assert_true(separate_place(&m->files, &m->whole, link ? separate_link_size(link) : 0, &e));
    m->image = malloc(m->whole.file_size);
    assert_non_null(m->image);
    memset(m->image, 0xee, m->whole.file_size); /* so that code that relies on zeros is found */
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_SHSTRTAB; id++)
        if (layout_kind(id)->type != SHT_NOBITS)
            memset(m->image + m->whole.section[id].offset, (int)id, m->whole.section[id].size);
    separate_write(&m->files, m->image, link);
}

static Elf64_Shdr header_at(const uint8_t *file, uint32_t index)
{
    Elf64_Ehdr header;
    Elf64_Shdr section;
    memcpy(&header, file, sizeof header);
    assert_memory_equal(header.e_ident, ELFMAG, SELFMAG);
    assert_true(index < header.e_shnum);
    memcpy(&section, file + header.e_shoff + index * sizeof section, sizeof section);
    return section;
}

static void assert_content(const uint8_t *file, const struct layout *l, enum section_id id)
{
    Elf64_Shdr h = header_at(file, l->section[id].index);
    assert_int_equal(h.sh_type, layout_kind(id)->type);
    for (uint64_t i = 0; i < h.sh_size; i++)
        assert_int_equal(file[h.sh_offset + i], id);
}

static void each_section_is_in_one_file(void **state)
{
    (void)state;
    struct made m;
    make(&m, link_name);
    const struct layout *library = &m.files.library;
    const struct layout *debug = &m.files.debug;
    const uint8_t *debug_file = m.image + m.files.start;
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_SHSTRTAB; id++) {
        if (!m.whole.section[id].size)
            continue;
        bool loaded = layout_kind(id)->flags & SHF_ALLOC;
        bool has_bytes = layout_kind(id)->type != SHT_NOBITS;
        bool both = id == SECTION_NOTE_BUILD_ID || id == SECTION_COMMENT;
        if (loaded) {
            /* so the sections of symbols are right in both files */
            assert_int_equal(debug->section[id].index, library->section[id].index);
            assert_int_equal(header_at(debug_file, debug->section[id].index).sh_addr, m.whole.section[id].address);
            assert_int_equal(header_at(debug_file, debug->section[id].index).sh_size, m.whole.section[id].size);
        }
        if ((loaded || both) && has_bytes)
            assert_content(m.image, library, id);
        if ((!loaded || both) && has_bytes)
            assert_content(debug_file, debug, id);
        if (loaded && !both)
            assert_int_equal(header_at(debug_file, debug->section[id].index).sh_type, SHT_NOBITS);
        if (!loaded && !both)
            assert_int_equal(library->section[id].index, 0);
    }
    assert_int_equal(library->segment_count, debug->segment_count);
    assert_memory_equal(library->segment, debug->segment, debug->segment_count * sizeof debug->segment[0]);
    free(m.image);
}

/* CRC-32: reflected, of polynomial 0x04c11db7, bit by bit. */
static uint32_t crc_of(const uint8_t *p, uint64_t size)
{
    uint32_t crc = ~UINT32_C(0);
    for (uint64_t i = 0; i < size; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

static void link_has_name_and_sum(void **state)
{
    (void)state;
    struct made m;
    assert_int_equal(separate_link_size("abc"), 8);
    assert_int_equal(separate_link_size("abcd"), 12);
    make(&m, link_name);
    Elf64_Shdr h = header_at(m.image, m.files.library.section[SECTION_GNU_DEBUGLINK].index);
    assert_int_equal(h.sh_size, 24);
    assert_int_equal(h.sh_offset % 4, 0);
    assert_string_equal((const char *)m.image + h.sh_offset, link_name);
    uint32_t sum;
    memcpy(&sum, m.image + h.sh_offset + 20, sizeof sum);
    assert_true(sum == crc_of(m.image + m.files.start, m.files.debug.file_size));
    assert_int_equal(m.files.debug.section[SECTION_GNU_DEBUGLINK].index, 0);
    free(m.image);
    make(&m, NULL);
    assert_int_equal(m.files.library.section[SECTION_GNU_DEBUGLINK].index, 0);
    free(m.image);
}

static void sizes_are_those_of_the_whole(void **state)
{
    (void)state;
    struct made m;
    make(&m, link_name);
    struct layout_sizes whole = layout_count(&m.whole);
    struct layout_sizes both = separate_count(&m.files);
    assert_memory_equal(&whole, &both, sizeof whole);
    assert_int_equal(m.files.start + m.files.debug.file_size, m.whole.file_size);
    free(m.image);
}

/* A reader finds zeros in the debug file where only the library has contents. */
static void nothing_is_zero(void **state)
{
    (void)state;
    struct made m;
    make(&m, NULL);
    const uint8_t *debug_file = m.image + m.files.start;
    Elf64_Shdr h = header_at(debug_file, m.files.debug.section[SECTION_EH_FRAME].index);
    assert_memory_equal(debug_file + h.sh_offset, "\0\0\0\0\0\0\0", 8);
    free(m.image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_section_is_in_one_file),
        cmocka_unit_test(link_has_name_and_sum),
        cmocka_unit_test(sizes_are_those_of_the_whole),
        cmocka_unit_test(nothing_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
