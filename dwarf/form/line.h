/* The line number program (DWARF 5 section 6.2), with gas's parameters: a special opcode advances the line by -5 to 8
 * and the address by up to 16.
 *
 * The primary source is file 1. In version 5 it is listed as file 0 too, as gcc does: in entries 0 stands for no file
 * (section 2.14), and libdw reads it so. */
#ifndef DWARF_FORM_LINE_H
#define DWARF_FORM_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "dwarf/form/dialect.h"

enum {
    LINE_BASE = -5,
    LINE_RANGE = 14,
    LINE_OPCODE_BASE = 13,
    LINE_BEGIN = 11,    /* bytes that line_begin writes */
    LINE_ROW_MOST = 25, /* most bytes of one row, with all that may go before it */
    LINE_END_MOST = 14,
};

/* A line number program under construction. */
struct line_rows {
    uint8_t *p;
    uint64_t address; /* of the last row */
    uint32_t line;
    bool inside;    /* rows are of instructions inside statements */
    uint64_t count; /* of rows */
};

/* Begins a program: sets the address (8 bytes at offset 3). The file is the primary source. */
static inline void line_begin(struct line_rows *r, uint64_t address)
{
    r->p = put_bytes(r->p, (const uint8_t[]){0, 9, DW_LNE_set_address}, 3);
    r->p = put_u64(r->p, address);
    r->address = address;
    r->line = 1;
    r->inside = false;
}

/* Appends a row at `address`, which is not before the last row's, for `line`. */
static inline void line_row(struct line_rows *r, uint64_t address, uint32_t line)
{
    int64_t lines = (int64_t)line - r->line;
    uint64_t advance = address - r->address;
    if (lines < LINE_BASE || lines >= LINE_BASE + LINE_RANGE) {
        r->p = put_u8(r->p, DW_LNS_advance_line);
        r->p = put_sleb128(r->p, lines);
        lines = 0;
    }
    uint64_t opcode = (uint64_t)(lines - LINE_BASE) + LINE_RANGE * advance + LINE_OPCODE_BASE;
    if (opcode > 255) {
        r->p = put_u8(r->p, DW_LNS_advance_pc);
        r->p = put_uleb128(r->p, advance);
        opcode = (uint64_t)(lines - LINE_BASE) + LINE_OPCODE_BASE;
    }
    r->p = put_u8(r->p, (uint8_t)opcode);
    r->address = address;
    r->line = line;
    r->count++;
}

/* Puts the next row in this column (below 128). */
static inline void line_column(struct line_rows *r, uint32_t column)
{
    r->p = put_u8(r->p, DW_LNS_set_column);
    r->p = put_u8(r->p, (uint8_t)column);
}

/* Rows from here on are of this file (below 128). */
static inline void line_file(struct line_rows *r, uint32_t file)
{
    r->p = put_u8(put_u8(r->p, DW_LNS_set_file), (uint8_t)file);
}

/* Rows from here on are of instructions inside statements or, as at the beginning of a program, each begin a statement.
 */
static inline void line_inside(struct line_rows *r, bool inside)
{
    if (r->inside == inside)
        return;
    r->p = put_u8(r->p, DW_LNS_negate_stmt);
    r->inside = inside;
}

/* What a row of line_inner is among the rows inside its statement: the first, the last, or both. */
enum { LINE_FIRST = 1, LINE_LAST = 2 };

/* Appends a row inside the statement that the last row outside such rows began: in this column (below 128), of the last
 * row's line. LINE_FIRST has to be set for the first such row, LINE_LAST for the one behind which another statement
 * begins. Does the same as line_inside, line_column and line_row in fewer steps; `inside` stays as it is. */
static inline void line_inner(struct line_rows *r, uint64_t address, uint32_t column, unsigned which)
{
    enum { NEAR = (255 - LINE_OPCODE_BASE + LINE_BASE) / LINE_RANGE }; /* a special opcode advances so far */
    const uint64_t advance = address - r->address;
    const bool is_last = which & LINE_LAST;
    uint8_t *p = r->p;
    if (which & LINE_FIRST)
        p = put_u8(p, DW_LNS_negate_stmt);
    if (advance > NEAR) {
        r->p = p;
        line_column(r, column);
        line_row(r, address, r->line);
        if (is_last)
            r->p = put_u8(r->p, DW_LNS_negate_stmt);
        return;
    }
    const uint32_t opcode = LINE_OPCODE_BASE - LINE_BASE + LINE_RANGE * (uint32_t)advance;
    /* unless this is the last, the next row overwrites the fourth byte */
    put_u32(p, DW_LNS_set_column | column << 8 | opcode << 16 | (uint32_t)DW_LNS_negate_stmt << 24);
    r->p = p + 3 + is_last;
    r->address = address;
    r->count++;
}

/* Makes the next row one of the number-th block of its line. */
static inline void line_discriminator(struct line_rows *r, uint32_t number)
{
    r->p = put_bytes(r->p, (const uint8_t[]){0, 2, DW_LNE_set_discriminator, (uint8_t)number}, 4);
}

/* Bytes that line_end writes if the end is `distance` bytes behind the last row. */
#define LINE_END_AT(distance) ((distance) ? 4 + leb128_unsigned_size(distance) : 3)

/* Ends the sequence at `address`, the first byte after the unit's code. */
static inline void line_end(struct line_rows *r, uint64_t address)
{
    if (address != r->address) {
        r->p = put_u8(r->p, DW_LNS_advance_pc);
        r->p = put_uleb128(r->p, address - r->address);
    }
    r->p = put_bytes(r->p, (const uint8_t[]){0, 1, DW_LNE_end_sequence}, 3);
    r->address = address;
    r->count++;
}

/* A directory or file that a line table's header names: its offset in .debug_line_str, and its text, which version 4
 * copies into the header. */
struct line_name {
    uint32_t at;
    const char *text;
};
struct line_files {
    struct line_name compile_directory; /* not in version 4 */
    struct line_name include_directory;
    struct line_name source;      /* the primary file */
    struct line_name header;      /* the next file, in the include directory */
    const struct line_name *more; /* further files, in the include directory */
    uint32_t more_count;
};

/* Bytes of the header of a unit's line table. */
uint64_t line_header_size(struct dialect d, const struct line_files *files);

/* Writes the header of a unit's line table, whose program has `program` bytes. Returns the place behind it. */
uint8_t *line_write_header(struct dialect d, uint8_t *p, const struct line_files *files, uint64_t program);

#endif
