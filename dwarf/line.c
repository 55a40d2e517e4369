/* The header of a line number program; see line.h. */
#include "dwarf/line.h"

#include <assert.h>

uint8_t *line_write_header(uint8_t *p, const struct line_files *files, uint64_t program)
{
    uint8_t *start = p;
    p = put_u32(p, (uint32_t)(LINE_HEADER - 4 + program));
    p = put_u16(p, 5);
    p = put_u8(p, 8); /* address size */
    p = put_u8(p, 0); /* no segment selectors */
    p = put_u32(p, LINE_HEADER - 12);
    p = put_u8(p, 1); /* minimum instruction length */
    p = put_u8(p, 1); /* operations in an instruction */
    p = put_u8(p, 1); /* rows begin as statements */
    p = put_u8(p, (uint8_t)LINE_BASE);
    p = put_u8(p, LINE_RANGE);
    p = put_u8(p, LINE_OPCODE_BASE);
    p = put_bytes(p, (const uint8_t[]){0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}, LINE_OPCODE_BASE - 1);
    p = put_bytes(p, (const uint8_t[]){1, DW_LNCT_path, DW_FORM_line_strp, 2}, 4);
    p = put_u32(p, files->compile_directory);
    p = put_u32(p, files->include_directory);
    p = put_bytes(p, (const uint8_t[]){2, DW_LNCT_path, DW_FORM_line_strp, DW_LNCT_directory_index, DW_FORM_udata, 2},
                  6);
    p = put_u32(p, files->source);
    p = put_u8(p, 0);
    p = put_u32(p, files->header);
    p = put_u8(p, 1);
    assert(p == start + LINE_HEADER);
    return p;
}
