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

/* symtab.c: .symtab and .strtab of a library whose .dynsym and .dynstr are written. */
void symtab_write(const struct library *l, uint8_t *image, const Elf64_Sym *dynsym, const struct others *o);

#endif
