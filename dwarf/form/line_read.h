/* Reads back the programs that line.h writes. */
#ifndef DWARF_FORM_LINE_READ_H
#define DWARF_FORM_LINE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/form/line.h"

/* A row, and where the next rows are read from. */
struct line_reader {
    const uint8_t *p, *end;
    uint64_t address; /* as composed: an offset in the code */
    uint32_t line, file;
};

static inline struct line_reader line_reader_of(const uint8_t *program, uint64_t size)
{
    return (struct line_reader){.p = program, .end = program + size, .line = 1, .file = 1};
}

/* Reads the next row; false when there is none. */
bool line_read(struct line_reader *r);

#endif
