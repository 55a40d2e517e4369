/* The header of a line number program (DWARF 5 section 6.2.4, DWARF 4 section
 * 6.2.4); see line.h. */
#include "dwarf/form/line.h"

#include <assert.h>

#include "base/random.h"

enum {
    UP_TO_TABLES_5 = 30, /* bytes before the tables of directories and files */
    UP_TO_TABLES_4 = 28,
    TABLES_5 = 33, /* the tables with two directories and three files, two of which are the source */
    MORE_5 = 5,    /* each further file */
    FILES_5 = 3,
    SUM_FORMAT = 2, /* in clang's tables, what says that files have a checksum */
    SUM = 16        /* a checksum */
};

static uint64_t text_size(const struct line_name *name)
{
    return strlen(name->text) + 1;
}

uint64_t line_header_size(struct dialect d, const struct line_files *files)
{
    const uint64_t count = (uint64_t)FILES_5 + files->more_count;
    if (!dialect_is_4(d))
        return UP_TO_TABLES_5 + TABLES_5 + leb128_unsigned_size(count) - 1 + (uint64_t)MORE_5 * files->more_count +
               (d.clang ? SUM_FORMAT + SUM * count : 0);
    uint64_t size = UP_TO_TABLES_4 + text_size(&files->include_directory) + 1;
    size += text_size(&files->source) + 3 + text_size(&files->header) + 3 + 1;
    for (uint32_t i = 0; i < files->more_count; i++)
        size += text_size(&files->more[i]) + 3;
    return size;
}

static uint8_t *put_text(uint8_t *p, const struct line_name *name)
{
    return put_bytes(p, name->text, text_size(name));
}

static uint8_t *put_file_4(uint8_t *p, const struct line_name *name, uint8_t directory)
{
    p = put_text(p, name);
    return put_bytes(p, (const uint8_t[]){directory, 0, 0}, 3); /* neither time nor length is known */
}

static uint8_t *put_tables_4(uint8_t *p, const struct line_files *files)
{
    p = put_text(p, &files->include_directory);
    p = put_u8(p, 0);
    p = put_file_4(p, &files->source, 0);
    p = put_file_4(p, &files->header, 1);
    for (uint32_t i = 0; i < files->more_count; i++)
        p = put_file_4(p, &files->more[i], 1);
    return put_u8(p, 0);
}

/* The checksum of a file, where there is one, is the same in all tables. */
static uint8_t *put_file_5(struct dialect d, uint8_t *p, const struct line_name *name, uint8_t directory)
{
    p = put_u8(put_u32(p, name->at), directory);
    for (unsigned i = 0; d.clang && i < SUM / sizeof(uint64_t); i++)
        p = put_u64(p, random_at(name->at, i));
    return p;
}

static uint8_t *put_tables_5(struct dialect d, uint8_t *p, const struct line_files *files)
{
    p = put_bytes(p, (const uint8_t[]){1, DW_LNCT_path, DW_FORM_line_strp, 2}, 4);
    p = put_u32(p, files->compile_directory.at);
    p = put_u32(p, files->include_directory.at);
    p = put_u8(p, d.clang ? 3 : 2);
    p = put_bytes(p, (const uint8_t[]){DW_LNCT_path, DW_FORM_line_strp, DW_LNCT_directory_index, DW_FORM_udata}, 4);
    if (d.clang)
        p = put_bytes(p, (const uint8_t[]){DW_LNCT_MD5, DW_FORM_data16}, SUM_FORMAT);
    p = put_uleb128(p, (uint64_t)FILES_5 + files->more_count);
    p = put_file_5(d, p, &files->source, 0);
    p = put_file_5(d, p, &files->source, 0);
    p = put_file_5(d, p, &files->header, 1);
    for (uint32_t i = 0; i < files->more_count; i++)
        p = put_file_5(d, p, &files->more[i], 1);
    return p;
}

uint8_t *line_write_header(struct dialect d, uint8_t *p, const struct line_files *files, uint64_t program)
{
    const uint64_t size = line_header_size(d, files);
    uint8_t *start = p;
    p = put_u32(p, (uint32_t)(size - 4 + program));
    p = put_u16(p, d.version);
    if (!dialect_is_4(d)) {
        p = put_u8(p, 8); /* address size */
        p = put_u8(p, 0); /* no segment selectors */
    }
    p = put_u32(p, (uint32_t)(size - (uint64_t)(p + 4 - start)));
    p = put_u8(p, 1); /* minimum instruction length */
    p = put_u8(p, 1); /* operations in an instruction */
    p = put_u8(p, 1); /* rows begin as statements */
    p = put_u8(p, (uint8_t)LINE_BASE);
    p = put_u8(p, LINE_RANGE);
    p = put_u8(p, LINE_OPCODE_BASE);
    p = put_bytes(p, (const uint8_t[]){0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}, LINE_OPCODE_BASE - 1);
    assert(p == start + (dialect_is_4(d) ? UP_TO_TABLES_4 : UP_TO_TABLES_5));
    p = dialect_is_4(d) ? put_tables_4(p, files) : put_tables_5(d, p, files);
    assert(p == start + size);
    return p;
}
