/* Where every section of one shared object, or of a position-independent executable, goes.
 *
 * The two passes of a linker: first every chunk says how large it will be, in
 * layout.section[].size; layout_place then gives each its offset and address,
 * in the order and segments of GNU ld with -z separate-code; after that every
 * chunk is written at its place in one image of the file. Sizes are final
 * before the first offset: nothing grows after layout_place.
 *
 *     R    ELF header, program headers, .interp .note.gnu.build-id .gnu.hash .hash .dynsym .dynstr
 *          .gnu.version .gnu.version_d .gnu.version_r .rela.dyn .rela.plt .relr.dyn
 *     RX   .init .plt .plt.got .text .fini
 *     R    .rodata .eh_frame_hdr .eh_frame .gcc_except_table
 *     RW   .tbss .init_array .fini_array .data.rel.ro .dynamic .got | .got.plt .data .bss
 *     -    .comment .gnu_debuglink .gnu_debugaltlink .debug_* .gdb_index .symtab .strtab .shstrtab, section headers
 *
 * A .dwo file or a package of them is an object of sections that are not loaded,
 * and of nothing else: no segments, ET_REL, placed by layout_place_unloaded.
 *
 * .tbss, which each thread has its own of, takes no addresses.
 *
 * The bar is the end of PT_GNU_RELRO, on a page; with lazy binding the three
 * reserved words of .got.plt lie before it, as ld puts them. See the gABI
 * chapters 4 and 5, the x86-64 psABI 1.0 section 5.2, and ld's elf.sc.
 */
#ifndef ELF_LAYOUT_H
#define ELF_LAYOUT_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* name, sh_type, sh_flags, sh_addralign, sh_entsize, sh_link, sh_info */
#define LAYOUT_SECTIONS(X)                                                                                             \
    X(INTERP, ".interp", SHT_PROGBITS, SHF_ALLOC, 1, 0, NONE, NONE)                                                    \
    X(NOTE_PROPERTY, ".note.gnu.property", SHT_NOTE, SHF_ALLOC, 8, 0, NONE, NONE)                                      \
    X(NOTE_BUILD_ID, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 4, 0, NONE, NONE)                                      \
    X(HASH, ".hash", SHT_HASH, SHF_ALLOC, 8, 4, DYNSYM, NONE)                                                          \
    X(GNU_HASH, ".gnu.hash", SHT_GNU_HASH, SHF_ALLOC, 8, 0, DYNSYM, NONE)                                              \
    X(DYNSYM, ".dynsym", SHT_DYNSYM, SHF_ALLOC, 8, 24, DYNSTR, NONE)                                                   \
    X(DYNSTR, ".dynstr", SHT_STRTAB, SHF_ALLOC, 1, 0, NONE, NONE)                                                      \
    X(VERSYM, ".gnu.version", SHT_GNU_versym, SHF_ALLOC, 2, 2, DYNSYM, NONE)                                           \
    X(VERDEF, ".gnu.version_d", SHT_GNU_verdef, SHF_ALLOC, 8, 0, DYNSTR, NONE)                                         \
    X(VERNEED, ".gnu.version_r", SHT_GNU_verneed, SHF_ALLOC, 8, 0, DYNSTR, NONE)                                       \
    X(RELA_DYN, ".rela.dyn", SHT_RELA, SHF_ALLOC, 8, 24, DYNSYM, NONE)                                                 \
    X(RELA_PLT, ".rela.plt", SHT_RELA, SHF_ALLOC | SHF_INFO_LINK, 8, 24, DYNSYM, GOT_PLT)                              \
    X(RELR_DYN, ".relr.dyn", SHT_RELR, SHF_ALLOC, 8, 8, NONE, NONE)                                                    \
    X(INIT, ".init", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 4, 0, NONE, NONE)                                        \
    X(PLT, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, 16, NONE, NONE)                                        \
    X(PLT_GOT, ".plt.got", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 8, 8, NONE, NONE)                                  \
    X(PLT_SECOND, ".plt.sec", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, 16, NONE, NONE)                             \
    X(TEXT, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, 0, NONE, NONE)                                       \
    X(FINI, ".fini", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 4, 0, NONE, NONE)                                        \
    X(RODATA, ".rodata", SHT_PROGBITS, SHF_ALLOC, 32, 0, NONE, NONE)                                                   \
    X(EH_FRAME_HDR, ".eh_frame_hdr", SHT_PROGBITS, SHF_ALLOC, 4, 0, NONE, NONE)                                        \
    X(EH_FRAME, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 8, 0, NONE, NONE)                                                \
    X(GCC_EXCEPT_TABLE, ".gcc_except_table", SHT_PROGBITS, SHF_ALLOC, 4, 0, NONE, NONE)                                \
    X(TBSS, ".tbss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS, 8, 0, NONE, NONE)                                    \
    X(INIT_ARRAY, ".init_array", SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE, 8, 8, NONE, NONE)                              \
    X(FINI_ARRAY, ".fini_array", SHT_FINI_ARRAY, SHF_ALLOC | SHF_WRITE, 8, 8, NONE, NONE)                              \
    X(DATA_REL_RO, ".data.rel.ro", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, 0, NONE, NONE)                              \
    X(DYNAMIC, ".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, 8, 16, DYNSTR, NONE)                                    \
    X(GOT, ".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, 8, NONE, NONE)                                              \
    X(GOT_PLT, ".got.plt", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, 8, NONE, NONE)                                      \
    X(DATA, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, 0, NONE, NONE)                                            \
    X(BSS, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 8, 0, NONE, NONE)                                                \
    X(COMMENT, ".comment", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, 1, 1, NONE, NONE)                                    \
    X(GNU_DEBUGLINK, ".gnu_debuglink", SHT_PROGBITS, 0, 4, 0, NONE, NONE)                                              \
    X(GNU_DEBUGALTLINK, ".gnu_debugaltlink", SHT_PROGBITS, 0, 1, 0, NONE, NONE)                                        \
    X(DEBUG_ARANGES, ".debug_aranges", SHT_PROGBITS, 0, 1, 0, NONE, NONE)                                              \
    X(DEBUG_INFO, ".debug_info", SHT_PROGBITS, 0, 1, 0, NONE, NONE)                                                    \
    X(DEBUG_ABBREV, ".debug_abbrev", SHT_PROGBITS, 0, 1, 0, NONE, NONE)                                                \
    X(DEBUG_LINE, ".debug_line", SHT_PROGBITS, 0, 1, 0, NONE, NONE)                                                    \
    X(DEBUG_STR, ".debug_str", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, 1, 1, NONE, NONE)                                \
    X(DEBUG_LINE_STR, ".debug_line_str", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, 1, 1, NONE, NONE)                      \
    X(DEBUG_LOCLISTS, ".debug_loclists", SHT_PROGBITS, 0, 1, 0, NONE, NONE)                                            \
    X(DEBUG_RNGLISTS, ".debug_rnglists", SHT_PROGBITS, 0, 1, 0, NONE, NONE)                                            \
    X(DEBUG_NAMES, ".debug_names", SHT_PROGBITS, 0, 1, 0, NONE, NONE)                                                  \
    X(DEBUG_LOC, ".debug_loc", SHT_PROGBITS, 0, 1, 0, NONE, NONE)                                                      \
    X(DEBUG_TYPES, ".debug_types", SHT_PROGBITS, 0, 1, 0, NONE, NONE)                                                  \
    X(DEBUG_RANGES, ".debug_ranges", SHT_PROGBITS, 0, 1, 0, NONE, NONE)                                                \
    X(DEBUG_ADDR, ".debug_addr", SHT_PROGBITS, 0, 1, 0, NONE, NONE)                                                    \
    X(DEBUG_STR_OFFSETS, ".debug_str_offsets", SHT_PROGBITS, 0, 1, 0, NONE, NONE)                                      \
    X(GDB_INDEX, ".gdb_index", SHT_PROGBITS, 0, 1, 0, NONE, NONE)                                                      \
    X(DWO_INFO, ".debug_info.dwo", SHT_PROGBITS, SHF_EXCLUDE, 1, 0, NONE, NONE)                                        \
    X(DWO_ABBREV, ".debug_abbrev.dwo", SHT_PROGBITS, SHF_EXCLUDE, 1, 0, NONE, NONE)                                    \
    X(DWO_LOCLISTS, ".debug_loclists.dwo", SHT_PROGBITS, SHF_EXCLUDE, 1, 0, NONE, NONE)                                \
    X(DWO_RNGLISTS, ".debug_rnglists.dwo", SHT_PROGBITS, SHF_EXCLUDE, 1, 0, NONE, NONE)                                \
    X(DWO_LOC, ".debug_loc.dwo", SHT_PROGBITS, SHF_EXCLUDE, 1, 0, NONE, NONE)                                          \
    X(DWO_STR_OFFSETS, ".debug_str_offsets.dwo", SHT_PROGBITS, SHF_EXCLUDE, 1, 0, NONE, NONE)                          \
    X(DWO_STR, ".debug_str.dwo", SHT_PROGBITS, SHF_EXCLUDE, 1, 0, NONE, NONE)                                          \
    X(DWO_CU_INDEX, ".debug_cu_index", SHT_PROGBITS, 0, 8, 0, NONE, NONE)                                              \
    X(SYMTAB, ".symtab", SHT_SYMTAB, 0, 8, 24, STRTAB, NONE)                                                           \
    X(STRTAB, ".strtab", SHT_STRTAB, 0, 1, 0, NONE, NONE)                                                              \
    X(SHSTRTAB, ".shstrtab", SHT_STRTAB, 0, 1, 0, NONE, NONE)

enum section_id {
    SECTION_NONE,
#define LAYOUT_ENUM(id, ...) SECTION_##id,
    LAYOUT_SECTIONS(LAYOUT_ENUM)
#undef LAYOUT_ENUM
        SECTION_COUNT
};

struct section {
    uint64_t size;
    uint64_t packed;  /* bytes in the file where it is compressed (pack.h), else 0 */
    uint64_t offset;  /* in the file */
    uint64_t address; /* 0 where not SHF_ALLOC */
    uint32_t index;   /* in the section header table; 0: the object has no such section */
    uint32_t info;    /* sh_info where the table above does not settle it: first global of a symbol table,
                         number of version needs */
    uint32_t name;    /* in .shstrtab */
    uint32_t align;   /* a power of two, where it is more than that of the table above; else 0 */
    bool elsewhere;   /* its contents are in another file (separate.h): SHT_NOBITS here */
};

enum layout_relro { LAYOUT_RELRO_NONE, LAYOUT_RELRO_PARTIAL, LAYOUT_RELRO_FULL };

enum { LAYOUT_SEGMENTS_MOST = 14 };

struct layout {
    /* Set by the caller before layout_place. */
    struct section section[SECTION_COUNT];
    uint64_t got_plt;   /* bytes of .got, the first, that are the PLT's: where ld binds at once it has no .got.plt */
    bool extended;      /* has symbols that the ABI alone does not know: STT_GNU_IFUNC, STB_GNU_UNIQUE */
    bool cf_protection; /* the PLT is in two parts (plt.h) */
    uint64_t page;      /* maximum page size, a power of two */
    uint64_t without;   /* flags that no section gets */
    enum layout_relro relro;
    uint64_t entry; /* e_entry, any time before layout_write; 0: nothing to start */

    /* Set by layout_place. */
    Elf64_Phdr segment[LAYOUT_SEGMENTS_MOST];
    uint32_t segment_count;
    uint32_t section_count; /* with the null section */
    uint64_t headers;       /* offset of the section header table */
    uint64_t file_size;
};

struct section_kind {
    const char *name;
    uint32_t type;
    uint64_t flags;
    uint64_t align;
    uint64_t entsize;
    enum section_id link, info;
};

/* What is fixed about a section; never NULL. */
const struct section_kind *layout_kind(enum section_id id);

/* The section that begins with what the PLT has of the GOT. */
static inline enum section_id layout_got_plt(const struct layout *l)
{
    return l->got_plt ? SECTION_GOT : SECTION_GOT_PLT;
}

/* Gives every section with a size its place, and fills the program headers.
 * Fails (ERROR_INFEASIBLE) where text, constants and data together pass 2 GiB,
 * the reach of the small code model, or a section that is not loaded passes
 * 4 GiB, the reach of 32-bit DWARF. */
bool layout_place(struct layout *l, struct error *e);

/* Numbers all sections and places those that are not loaded, from `offset` on:
 * the last part of layout_place, for a layout whose other sections have their
 * places. */
void layout_place_unloaded(struct layout *l, uint64_t offset);

/* The sizes as Berkeley `size` and Pynamic count them, from the sections' own. */
struct layout_sizes {
    uint64_t text, data, debug, symtab, strtab, bss;
};
struct layout_sizes layout_count(const struct layout *l);

/* Settles where the file ends, its last section ending at `end`. */
void layout_end(struct layout *l, uint64_t end);

/* The section header for `id`, as the file holds it. */
Elf64_Shdr layout_header(const struct layout *l, enum section_id id);

/* ELF header and program headers: returns their bytes, which the file begins with. */
enum { LAYOUT_HEAD_MOST = sizeof(Elf64_Ehdr) + LAYOUT_SEGMENTS_MOST * sizeof(Elf64_Phdr) };
uint64_t layout_write_head(const struct layout *l, uint8_t *p);

/* .shstrtab and the section headers, which the file ends with; `p` stands for the offset
 * of .shstrtab. */
void layout_write_tail(const struct layout *l, uint8_t *p);

/* Writes both into the image, which is l->file_size bytes, and zeros between sections. */
void layout_write(const struct layout *l, uint8_t *image);

#endif
