/* Where each section of one shared object or position-independent executable goes.
 *
 * This works like the two passes of a linker:
 *
 *   1. Every writer of a section says how large the section will be, in layout.section[].size.
 *   2. layout_place gives each section its offset and address, in the order and segments of GNU ld with
 *     -z separate-code, or -z noseparate-code. Sizes are final by then: nothing grows after layout_place.
 *   3. Every section is written at its place in one image of the file.
 *
 *     R    ELF header, program headers, .interp .note.gnu.build-id .gnu.hash .hash .dynsym .dynstr
 *          .gnu.version .gnu.version_d .gnu.version_r .rela.dyn .rela.plt .relr.dyn
 *     RX   .init .plt .plt.got .text .fini
 *     R    .rodata .eh_frame_hdr .eh_frame .gcc_except_table
 *     RW   .tbss .init_array .fini_array .data.rel.ro .dynamic .got | .got.plt .data .bss
 *     -    .comment .gnu_debuglink .gnu_debugaltlink .debug_* .gdb_index .symtab .strtab .shstrtab, section headers
 *
 * With -z noseparate-code the first three are one segment, RX, with the sections in this order.
 *
 * The bar marks the end of PT_GNU_RELRO, which lies on a page boundary. With lazy binding the three reserved words of
 * .got.plt come before the bar, where ld puts them. .tbss takes no addresses, because each thread has a copy of its
 * own.
 *
 * A .dwo file, or a package of them, has only sections that are not loaded. It is ET_REL, has no segments, and is
 * placed by layout_place_unloaded.
 *
 * See the gABI chapters 4 and 5, the x86-64 psABI 1.0 section 5.2, and ld's elf.sc.
 */
#ifndef ELF_WRITE_LAYOUT_H
#define ELF_WRITE_LAYOUT_H

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
        SECTION_COUNT,
    /* Where the table above changes from one kind to the next: from here on nothing is loaded; */
    SECTION_UNLOADED = SECTION_COMMENT,
    /* debug sections of a library, of which layout_sizes.debug is the sum; */
    SECTION_DEBUG_FIRST = SECTION_DEBUG_ARANGES,
    SECTION_DEBUG_LAST = SECTION_DEBUG_STR_OFFSETS,
    /* and up to here sections go into the debug file with these, if there is one. */
    SECTION_SEPARATE_LAST = SECTION_STRTAB,
};

struct section {
    uint64_t size;
    uint64_t packed;  /* bytes in the file if it is compressed (pack.h), else 0 */
    uint64_t offset;  /* in the file */
    uint64_t address; /* 0 if not SHF_ALLOC */
    uint32_t index;   /* in the section header table; 0: the object does not have this section */
    uint32_t info; /* sh_info where the table above has NONE: first global of a symbol table, number of version needs */
    uint32_t name; /* offset in .shstrtab */
    uint32_t align; /* alignment, a power of two, if it is to be more than that of the table above; else 0 */
    bool elsewhere; /* its contents are in another file (separate.h), so it is SHT_NOBITS here */
};

enum layout_relro { LAYOUT_RELRO_NONE, LAYOUT_RELRO_PARTIAL, LAYOUT_RELRO_FULL };

enum { LAYOUT_SEGMENTS_MOST = 14 };

struct layout {
    /* Set by the caller before layout_place. */
    struct section section[SECTION_COUNT];
    uint64_t got_plt; /* bytes at the beginning of .got that are the PLT's; 0: those are in .got.plt, which ld does not
                         make when it binds at once */
    bool extended;    /* has symbols that are extensions of GNU: STT_GNU_IFUNC, STB_GNU_UNIQUE */
    bool cf_protection;   /* the PLT has two parts, .plt and .plt.sec (plt.h) */
    bool noseparate_code; /* code is in one segment with all that is only read, as with ld's option of that name */
    uint64_t page;        /* maximum page size, a power of two */
    uint64_t without;     /* SHF_ flags that are left out of every section header */
    enum layout_relro relro;
    uint64_t entry; /* e_entry, may be set until layout_write; 0: nothing to start */

    /* Set by layout_place. */
    Elf64_Phdr segment[LAYOUT_SEGMENTS_MOST];
    uint32_t segment_count;
    uint32_t section_count; /* including the null section */
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

/* What is the same for this section in all objects: its row of the table above. Never NULL. */
const struct section_kind *layout_kind(enum section_id id);

/* The section that begins with the PLT's part of the GOT. */
static inline enum section_id layout_got_plt(const struct layout *l)
{
    return l->got_plt ? SECTION_GOT : SECTION_GOT_PLT;
}

/* Gives every section with a size its place, and fills the program headers. Fails with ERROR_INFEASIBLE if all loaded
 * sections together reach 2 GiB less 16 pages, the limit of the small code model, or if a section that is not loaded
 * reaches 4 GiB, the limit of 32-bit DWARF. */
bool layout_place(struct layout *l, struct error *e);

/* Numbers all sections, and places those that are not loaded from file offset `offset` on. This is the last part of
 * layout_place; call it alone for a layout whose loaded sections have their places already. */
void layout_place_unloaded(struct layout *l, uint64_t offset);

/* The sizes in bytes as Berkeley `size` and Pynamic count them. Compressed sections count with their uncompressed size.
 */
struct layout_sizes {
    uint64_t text, data, debug, symtab, strtab, bss;
};
struct layout_sizes layout_count(const struct layout *l);

/* Sets the offset of the section headers and the size of the file, given that the last section ends at offset `end`. */
void layout_end(struct layout *l, uint64_t end);

/* The section header of `id`, as it is written to the file. */
Elf64_Shdr layout_header(const struct layout *l, enum section_id id);

/* Writes the ELF header and the program headers, with which the file begins. Returns how many bytes they take. */
enum { LAYOUT_HEAD_MOST = sizeof(Elf64_Ehdr) + LAYOUT_SEGMENTS_MOST * sizeof(Elf64_Phdr) };
uint64_t layout_write_head(const struct layout *l, uint8_t *p);

/* Writes .shstrtab and the section headers, with which the file ends. `p` points to where .shstrtab begins. */
void layout_write_tail(const struct layout *l, uint8_t *p);

/* Writes head and tail into the image of l->file_size bytes, and zeros between sections. */
void layout_write(const struct layout *l, uint8_t *image);

#endif
