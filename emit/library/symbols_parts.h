/* What symbols.c (.dynsym), symbols_versions.c (versions) and symtab.c (.symtab) share. */
#ifndef EMIT_LIBRARY_SYMBOLS_PARTS_H
#define EMIT_LIBRARY_SYMBOLS_PARTS_H

#include <elf.h>

#include "emit/library/library.h"
#include "emit/library/symbols.h"
#include "emit/plan/outside.h"

/* Where symbols stand that are no numbered functions: own ones by their place among the defined symbols, in the order
 * in which they are made; undefined ones by their index in .dynsym. */
struct others {
    uint32_t entry, own_extern; /* among the defined symbols */
    uint32_t cxa_finalize, gmon_start;
    uint32_t python; /* the first function of CPython */
    uint32_t extern_before;
    uint32_t main, start_main; /* 0 in a library */
    uint32_t outside;
};

static inline Elf64_Sym symbols_entry(uint32_t name, unsigned char bind, unsigned char type, uint32_t section,
                                      uint64_t value, uint64_t size)
{
    return (Elf64_Sym){
        .st_name = name,
        .st_info = (unsigned char)(bind << 4 | type),
        .st_other = STV_DEFAULT,
        .st_shndx = (uint16_t)section,
        .st_value = value,
        .st_size = size,
    };
}

/* What symbols_versions.c needs to know of symbols and names once these are written. A place is a symbol's number in
 * the order in which defined symbols were made; names are offsets in .dynstr. */
struct symbol_versions {
    const uint32_t *order;          /* the place of each defined symbol, in the order of .dynsym */
    uint32_t others, ends, symbols; /* places of the first of names_row.h's others, of the first symbol for where a
                                       section begins or ends, and of the first symbol of a version */
    uint32_t names, unmarked;       /* the first name of a version with a symbol, and of one without */
    uint32_t outside; /* names of versions needed of the C library; of other libraries outside the set the first of
                         these is needed */
    uint32_t edges;   /* names of versions needed of libraries in the set, edge by edge */
    uint32_t files;   /* name of the first library outside the set besides the C library */
};

/* symbols_versions.c: writes .gnu.version, .gnu.version_d and .gnu.version_r, as far as the library has them. */
void symbols_write_versions(const struct library *l, uint8_t *image, const struct others *o,
                            const struct symbol_versions *v);

/* symtab.c: writes .symtab and .strtab. .dynsym and .dynstr must be written. */
void symtab_write(const struct library *l, uint8_t *image, const Elf64_Sym *dynsym, const struct others *o);

#endif
