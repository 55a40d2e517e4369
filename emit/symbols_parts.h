/* What symbols.c, which makes .dynsym, and symtab.c, which makes .symtab, have in common. */
#ifndef EMIT_SYMBOLS_PARTS_H
#define EMIT_SYMBOLS_PARTS_H

#include <elf.h>

#include "emit/library.h"
#include "emit/outside.h"

/* What a library defines besides its numbered functions, in the order of the
 * indices below. */
struct others {
    uint32_t entry, own_extern; /* place among the defined symbols */
    uint32_t cxa_finalize, gmon_start;
    uint32_t python; /* in .dynsym: the first Python function */
    uint32_t extern_before;
    uint32_t main, start_main; /* 0: none */
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

/* The version of an undefined symbol outside the set (outside.h). */
static inline uint32_t symbols_version(const struct library *l, uint32_t outside)
{
    const struct plan_library *row = l->row;
    return outside_version(l->shape.python, row->key, row->outside_choice, outside);
}

/* What is known of symbols' versions when symbols and names are written. */
struct symbol_versions {
    const uint32_t *order;          /* of the defined symbols in .dynsym: places in the order in which they were made */
    uint32_t others, ends, symbols; /* such places: the first of names_row.h's others, of where sections begin or end,
                                       and of versions */
    uint32_t names, unmarked;       /* in .dynstr: the first name of a version with a symbol, and of one without */
    uint32_t outside;               /* there: what the C library is needed by, of which others need the first */
    uint32_t edges;                 /* there: what libraries in the set are needed by, edge by edge */
    uint32_t files;                 /* there: the first library outside the set besides the C library */
};

/* symbols_versions.c: .gnu.version, .gnu.version_d and .gnu.version_r, as far as the library has them. */
void symbols_write_versions(const struct library *l, uint8_t *image, const struct others *o,
                            const struct symbol_versions *v);

/* symtab.c: .symtab and .strtab of a library whose .dynsym and .dynstr are written. */
void symtab_write(const struct library *l, uint8_t *image, const Elf64_Sym *dynsym, const struct others *o);

#endif
