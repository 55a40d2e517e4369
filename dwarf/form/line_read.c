/* See line_read.h. */
#include "dwarf/form/line_read.h"

#include <string.h>

/* Reads an extended opcode, from behind the zero that begins it. */
static void read_extended(struct line_reader *r)
{
    const uint64_t size = take_uleb128(&r->p);
    if (*r->p == DW_LNE_set_address)
        memcpy(&r->address, r->p + 1, sizeof r->address);
    r->p += size;
}

bool line_read(struct line_reader *r)
{
    while (r->p < r->end) {
        const uint8_t opcode = *r->p++;
        if (opcode >= LINE_OPCODE_BASE) {
            const uint32_t special = (uint32_t)opcode - LINE_OPCODE_BASE;
            r->address += special / LINE_RANGE;
            r->line += (uint32_t)(LINE_BASE + (int32_t)(special % LINE_RANGE));
            return true;
        }
        switch (opcode) {
        case 0:
            read_extended(r);
            break;
        case DW_LNS_copy:
            return true;
        case DW_LNS_advance_pc:
            r->address += take_uleb128(&r->p);
            break;
        case DW_LNS_advance_line:
            r->line += (uint32_t)take_sleb128(&r->p);
            break;
        case DW_LNS_set_file:
            r->file = (uint32_t)take_uleb128(&r->p);
            break;
        case DW_LNS_set_column:
            take_uleb128(&r->p);
            break;
        default: /* only flags of the next row */
            break;
        }
    }
    return false;
}
