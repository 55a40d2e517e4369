/* The settings of all encoders: the version of DWARF, the language of the program that is described, which index of
 * names there is (index.h), whether types have units of their own (corpus_units.c), and more.
 *
 * Entries are laid out alike in both versions (abbrev.h). What differs is here, in the lists (compose_lists.c) and in
 * the line table's header (line.c).
 */
#ifndef DWARF_FORM_DIALECT_H
#define DWARF_FORM_DIALECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "dwarf/form/constants.h"

enum dwarf_language { DWARF_C, DWARF_CPP };
enum index_kind { INDEX_NONE, INDEX_GDB, INDEX_DEBUG_NAMES };

struct dialect {
    uint8_t version; /* 4 or 5 */
    uint8_t language;
    uint8_t index;      /* enum index_kind; INDEX_DEBUG_NAMES with version 5 only */
    bool type_units;    /* with C and without an index only */
    bool views;         /* location lists have DW_AT_GNU_locviews and entry addresses DW_AT_GNU_entry_view, as in gcc's
                           output; not in split units */
    bool one_file;      /* in C and version 5: functions and their children are all declared in the source, so their
                           DW_AT_decl_file is in the abbreviations and not in each entry */
    bool several_files; /* in C: units declare things in several headers, so DW_AT_decl_file of declarations is never in
                           the abbreviations */
    bool fortran;       /* with DWARF_C, without an index or type units: entries are those that gfortran writes
                           (corpus_fortran.c) */
    bool various; /* in C, but with type units, lines alone or terse units: headers also have structures that are only
                     declared, bit fields and volatile types (abbrev.h) */
    bool one_row; /* blocks have one row of the line table for each address, as clang's code has */
    bool clang;   /* in version 5: what is composed is rewritten into clang's form (indexed.h) */
    bool lines;   /* as compiled with -g1, without an index or type units: units have line tables, functions and inlined
                     calls, and nothing that has a type (abbrev.h) */
    bool terse;   /* in C: units are small; their headers define nothing inline and declare only the most usual things
                     (manner_terse) */
};

static inline bool dialect_is_4(struct dialect d)
{
    return d.version == 4;
}

static inline bool dialect_is_fortran_5(struct dialect d)
{
    return d.fortran && !dialect_is_4(d);
}

static inline bool dialect_has_one_file(struct dialect d)
{
    return (d.lines || ((d.one_file || d.fortran) && d.language == DWARF_C)) && !dialect_is_4(d);
}

/* Whether each entry of a header's declaration has a DW_AT_decl_file, even one with an early line. */
static inline bool dialect_names_header(struct dialect d)
{
    return dialect_is_4(d) || (d.several_files && d.language == DWARF_C && !d.fortran);
}

static inline bool dialect_is_various(struct dialect d)
{
    return d.various && d.language == DWARF_C && !d.fortran && !d.lines && !d.terse && !d.type_units;
}

/* Bytes of a unit's header (DWARF 5 section 7.5.1.1); version 4 has no unit type. */
static inline uint32_t dialect_unit_header(struct dialect d)
{
    return dialect_is_4(d) ? 11 : 12;
}

/* Bytes of a type unit's header, which also has the type's signature and place (DWARF 4 section 7.5.1.2). */
static inline uint32_t dialect_type_unit_header(struct dialect d)
{
    return dialect_unit_header(d) + 12;
}

/* A unit's files: the primary source, and its header. In version 5 the source is also file 0 (line.h). */
enum { DIALECT_SOURCE_FILE = 1, DIALECT_HEADER_FILE = 2 };

/* The file of header declarations: a header in C; the source itself in Fortran, which has all declarations there. */
static inline uint8_t dialect_declaring_file(struct dialect d)
{
    return d.fortran ? DIALECT_SOURCE_FILE : DIALECT_HEADER_FILE;
}

/* Writes dialect_declaring_file as DW_AT_decl_file, which takes no bytes in Fortran and version 5. */
static inline uint8_t *dialect_put_declaring(struct dialect d, uint8_t *p)
{
    return dialect_is_fortran_5(d) ? p : put_u8(p, dialect_declaring_file(d));
}

/* Writes an attribute that is DW_FORM_implicit_const, without bytes, in version 5, and one byte in version 4. */
static inline uint8_t *dialect_put_constant(struct dialect d, uint8_t *p, uint8_t value)
{
    return dialect_is_4(d) ? put_u8(p, value) : p;
}

/* Bytes of such an attribute. */
static inline uint32_t dialect_constant(struct dialect d)
{
    return dialect_is_4(d) ? 1 : 0;
}

/* Writes DW_AT_decl_file of an entry with an early line. */
static inline uint8_t *dialect_put_header(struct dialect d, uint8_t *p)
{
    return dialect_names_header(d) ? put_u8(p, dialect_declaring_file(d)) : p;
}

/* DW_AT_upper_bound of an array of so many elements. Lower bounds are the language's default: 1 in Fortran, else 0. */
static inline uint32_t dialect_upper_bound(struct dialect d, uint32_t count)
{
    return d.fortran ? count : count - 1;
}

/* DW_AT_language: what gcc 12 writes. */
static inline uint8_t dialect_language(struct dialect d)
{
    if (d.fortran)
        return dialect_is_4(d) ? DW_LANG_Fortran95 : DW_LANG_Fortran08;
    if (d.language == DWARF_CPP)
        return dialect_is_4(d) ? DW_LANG_C_plus_plus : DW_LANG_C_plus_plus_14;
    return dialect_is_4(d) ? DW_LANG_C99 : DW_LANG_C11;
}

#endif
