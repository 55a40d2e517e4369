/* What both passes of the indexes share. */
#ifndef DWARF_FORM_INDEX_PARTS_H
#define DWARF_FORM_INDEX_PARTS_H

#include "dwarf/form/index.h"

enum {
    DEBUG_NAMES_HEADER = 36, /* without an augmentation string */
    DEBUG_NAMES_NAME = 12,   /* hash, text, list */
    ENTRY_FIXED = 5,         /* bytes of abbreviation and offset; the unit's number stands between them */
    ABBREVIATION = 8,

    GDB_HEADER = 24,
    GDB_UNIT = 16,
    GDB_RANGE = 20,
    GDB_SLOT = 8,
    GDB_UNITS_MOST = 1 << 24,
};

/* Kinds of symbols in .gdb_index, of 3 bits; the static bit is above them. */
enum { GDB_KIND_TYPE = 1, GDB_KIND_VARIABLE, GDB_KIND_FUNCTION, GDB_KIND_OTHER };

/* Kind and static bit of an entry of .gdb_index. */
uint32_t index_attributes(const struct index_entry *entry);

#endif
