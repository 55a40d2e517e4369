/* What can be counted of one existing ELF file, besides its debug information.
 *
 * For pyelfprof, which makes a profile of it. ELF64 for x86-64 is read in full;
 * of other files sizes, symbols and shares are right, and their relocations all
 * count as others. Files are hostile: what is broken is an ERROR_INPUT that
 * names the file. No table of more than CAPTURE_TABLE_MOST bytes is read, and not more
 * than READER_TAKE_MOST of a file, so that one that is sparse, or whose sections
 * overlap, cannot take our memory.
 *
 * Of names only their lengths and hashes are kept; the few strings below are for
 * finding other files, and are not for the profile.
 */
#ifndef ELF_CAPTURE_H
#define ELF_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/capture_limits.h"
#include "elf/histogram.h"
#include "elf/sizes.h"

#define CAPTURE_TABLE_MOST (UINT64_C(1) << 29)

enum { CAPTURE_BUILD_ID_MOST = 64 };

/* The text size, by what it is for: together they are sizes.text. */
#define CAPTURE_SHARE_LIST(X)                                                                                          \
    X(CODE, "code")               /* executable, but the PLT */                                                        \
    X(PLT, "plt")                 /* .plt, .plt.got, .plt.sec */                                                       \
    X(CONSTANTS, "constants")     /* .rodata and the like */                                                           \
    X(UNWIND, "unwind")           /* .eh_frame, .eh_frame_hdr, .gcc_except_table */                                    \
    X(SYMBOLS, "symbols")         /* .dynsym, .dynstr, hash tables, versions */                                        \
    X(RELOCATIONS, "relocations") /* REL, RELA, RELR */                                                                \
    X(OTHER, "other")             /* notes, .interp */
enum capture_share {
#define X(name, text) SHARE_##name,
    CAPTURE_SHARE_LIST(X)
#undef X
        CAPTURE_SHARES
};

/* The debug size, by section, uncompressed: together they are sizes.debug. */
#define CAPTURE_MIX_LIST(X)                                                                                            \
    X(INFO, "info") /* and .debug_types */                                                                             \
    X(ABBREV, "abbrev")                                                                                                \
    X(LINE, "line")                                                                                                    \
    X(STR, "str")                                                                                                      \
    X(LINE_STR, "line_str")                                                                                            \
    X(LOCLISTS, "loclists") /* and .debug_loc */                                                                       \
    X(RNGLISTS, "rnglists") /* and .debug_ranges */                                                                    \
    X(ARANGES, "aranges")                                                                                              \
    X(ADDR, "addr")                                                                                                    \
    X(STR_OFFSETS, "str_offsets")                                                                                      \
    X(NAMES, "names") /* .debug_names, .debug_pubnames and the like */                                                 \
    X(MACRO, "macro") /* and .debug_macinfo */                                                                         \
    X(OTHER, "other")
enum capture_mix {
#define X(name, text) MIX_##name,
    CAPTURE_MIX_LIST(X)
#undef X
        CAPTURE_MIXES
};

/* Relocations that the dynamic linker applies, in sections that are loaded. */
#define CAPTURE_RELOCATION_LIST(X)                                                                                     \
    X(RELATIVE, "relative")                                                                                            \
    X(JUMP_SLOT, "jump-slot")                                                                                          \
    X(GLOB_DAT, "glob-dat")                                                                                            \
    X(64, "\"64\"") /* in YAML a number without the quotes */                                                          \
    X(COPY, "copy")                                                                                                    \
    X(TLS, "tls") /* DTPMOD64, DTPOFF64, TPOFF64, TLSDESC */                                                           \
    X(IRELATIVE, "irelative")                                                                                          \
    X(RELR, "relr") /* places in SHT_RELR */                                                                           \
    X(OTHER, "other")                                                                                                  \
    X(SYMBOLS, "symbols") /* no type: how many symbols these, but for JUMP_SLOT, refer to */                           \
    X(PAGES, "pages")     /* no type either: how many pages of 4096 bytes they touch, */                               \
    X(RELRO, "relro")     /* and how many of them words of .data.rel.ro */
enum capture_relocation {
#define X(name, text) RELOCATION_##name,
    CAPTURE_RELOCATION_LIST(X)
#undef X
        CAPTURE_RELOCATIONS
};

/* Parts of the file that are compressed for an estimate. */
enum capture_part { PART_TEXT, PART_DATA, PART_DEBUG, PART_NAMES, CAPTURE_PARTS };

extern const char *const capture_share_names[CAPTURE_SHARES];
extern const char *const capture_mix_names[CAPTURE_MIXES];
extern const char *const capture_relocation_names[CAPTURE_RELOCATIONS];
extern const char *const capture_part_names[CAPTURE_PARTS];

/* Symbols of one table or of one binding in it, without entry 0. */
struct capture_symbols {
    uint64_t functions;                    /* defined: STT_FUNC, STT_GNU_IFUNC */
    uint64_t objects;                      /* defined: STT_OBJECT, STT_COMMON, STT_TLS */
    uint64_t other;                        /* defined: STT_NOTYPE, STT_SECTION, STT_FILE */
    uint64_t undefined;                    /* local ones, which nothing could define, are others */
    uint64_t weak;                         /* STB_WEAK, defined or not: again in the above, */
    uint64_t weak_functions, weak_objects; /* the defined ones once more */
    uint64_t unique;                       /* of the objects, STB_GNU_UNIQUE */
    uint64_t ifunc;                        /* of the functions, STT_GNU_IFUNC */
};

enum capture_relro { CAPTURE_RELRO_NONE, CAPTURE_RELRO_PARTIAL, CAPTURE_RELRO_FULL };

struct capture {
    uint64_t file_size;
    struct file_sizes sizes;
    uint16_t machine; /* e_machine */
    bool wide;        /* ELFCLASS64 */
    bool library;     /* ET_DYN */
    bool executable;  /* ET_EXEC, or position-independent with DF_1_PIE */
    bool debug_only;  /* its code is elsewhere: a debug file */
    bool module;      /* a Python extension module: see `inits` */
    bool named_init;  /* defines the PyInit_ function that belongs to the file's name */
    uint64_t inits;   /* functions PyInit_…; libpython has those of all that are built in */

    uint64_t share[CAPTURE_SHARES]; /* bytes */
    uint64_t mix[CAPTURE_MIXES];    /* bytes */
    uint64_t zstd[CAPTURE_PARTS];   /* bytes, estimated; 0 where it was not asked for */

    bool has_symtab;
    struct capture_symbols dynamic; /* .dynsym, all bindings */
    struct capture_symbols local;   /* .symtab, STB_LOCAL */
    struct capture_symbols global;  /* .symtab, the others */
    uint64_t dynstr;                /* bytes */
    uint64_t aliases;               /* dynamic functions with a size, at the address of another such */
    uint64_t ifunc;
    uint64_t mangled;            /* names that begin with _Z */
    uint64_t mangled_functions;  /* of these, of functions */
    uint64_t demangled;          /* characters of those of .dynsym that are defined, as debuggers show them */
    uint64_t methods;            /* in the module's table of methods */
    struct samples functions;    /* sizes of functions, bytes: of .symtab, without it of .dynsym */
    struct samples name_lengths; /* of named symbols there, characters */

    uint64_t relocation[CAPTURE_RELOCATIONS];
    uint64_t plt; /* entries of DT_JMPREL */

    bool hash_gnu, hash_sysv;
    bool bind_now;
    bool cf_protection; /* indirect branches lead to an endbr64 alone */
    enum capture_relro relro;
    uint64_t data_rel_ro; /* bytes of sections of this name */
    uint64_t runpaths;    /* directories of DT_RUNPATH and DT_RPATH */
    uint64_t versions;    /* defined and needed */
    uint64_t versions_defined;
    uint64_t tls; /* bytes of PT_TLS in memory */
    uint64_t constructors, destructors;
    uint64_t constructor_code; /* bytes of those constructors that unwind tables tell of */
    uint64_t init_code;        /* bytes of the function by whose name Python knows it, the largest of several */
    uint64_t unwind_entries;   /* of .eh_frame, which its index, .eh_frame_hdr, counts */
    uint64_t unwind_small;     /* those of fewer than UNWIND_SMALL bytes, without a dynamic symbol */
    uint64_t exceptions;       /* bytes of .gcc_except_table */
    uint64_t tabled;           /* entries of .eh_frame that point into it */
    uint64_t page;             /* largest alignment of a PT_LOAD */
    uint64_t loads;

    uint32_t compression; /* ELFCOMPRESS_… of debug sections, 0 for none */
    bool split;           /* has .dwo sections, or skeletons (.debug_addr without the like): units elsewhere */
    bool alternate;       /* .gnu_debugaltlink */
    bool debug_file;      /* symbols or debug information came from another file */

    /* For finding other files; freed with the rest. */
    uint8_t build_id[CAPTURE_BUILD_ID_MOST];
    size_t build_id_size;
    char *soname, *rpath, *runpath, *interpreter; /* NULL where there is none */
    char *debuglink;
    uint32_t debuglink_crc;
    char **needed;
    size_t needed_count;

    /* Hashes of the names of dynamic symbols, in no order. */
    uint64_t *defined, *undefined;
    size_t defined_count, undefined_count;
};

struct capture_wish {
    bool links_only; /* only what says which other files it needs */
    bool compress;   /* estimate what the parts are compressed */
    bool full;       /* and compress all of them for that */
    bool keep;       /* keep all samples, not their quantiles alone */
};

/* Captures the file; *c is to be freed also where it fails. */
bool capture_read(const char *path, const struct capture_wish *wish, struct capture *c, struct error *e);

/* Takes over what the library's separate debug file has of symbols and debug
 * information. False where they do not belong together. */
bool capture_add_debug_file(struct capture *c, struct capture *debug, const char *path, struct error *e);

void capture_free(struct capture *c);

#endif
