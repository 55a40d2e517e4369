/* Everything that is counted in one existing ELF file, apart from its debug information. pyelfprof makes profiles of
 * it.
 *
 * ELF64 for x86-64 is read in full. Of other files the sizes, symbols and shares are right, but all relocations count
 * as others.
 *
 * Files are hostile: a broken one is an ERROR_INPUT that names the file. No table of more than CAPTURE_TABLE_MOST bytes
 * is read, and no more than READER_TAKE_MOST bytes of a file in all, so a sparse file or overlapping sections cannot
 * exhaust our memory.
 *
 * Of symbols' names only lengths and hashes are kept. The few strings below serve to find other files and do not get
 * into the profile.
 */
#ifndef ELF_READ_CAPTURE_H
#define ELF_READ_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/histogram.h"
#include "elf/read/capture_limits.h"
#include "elf/read/sizes.h"

#define CAPTURE_TABLE_MOST (UINT64_C(1) << 29)

enum { CAPTURE_BUILD_ID_MOST = 64 };

/* The parts of the text size, by purpose. Their sum is sizes.text. */
#define CAPTURE_SHARE_LIST(X)                                                                                          \
    X(CODE, "code")               /* executable, except the PLT */                                                     \
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

/* The parts of the debug size, by section, uncompressed. Their sum is sizes.debug. */
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
    X(64, "\"64\"") /* quoted, because YAML would take it for a number */                                              \
    X(COPY, "copy")                                                                                                    \
    X(TLS, "tls") /* DTPMOD64, DTPOFF64, TPOFF64, TLSDESC */                                                           \
    X(IRELATIVE, "irelative")                                                                                          \
    X(RELR, "relr") /* words that SHT_RELR sections relocate */                                                        \
    X(OTHER, "other")                                                                                                  \
    X(SYMBOLS, "symbols") /* not a type: different symbols that all the above but JUMP_SLOT refer to */                \
    X(PAGES, "pages")     /* not a type: pages of 4096 bytes that are relocated */                                     \
    X(RELRO, "relro")     /* not a type: relocated places in .data.rel.ro */
enum capture_relocation {
#define X(name, text) RELOCATION_##name,
    CAPTURE_RELOCATION_LIST(X)
#undef X
        CAPTURE_RELOCATIONS
};

/* The parts of the file whose compressed size is estimated. */
enum capture_part { PART_TEXT, PART_DATA, PART_DEBUG, PART_NAMES, CAPTURE_PARTS };

extern const char *const capture_share_names[CAPTURE_SHARES];
extern const char *const capture_mix_names[CAPTURE_MIXES];
extern const char *const capture_relocation_names[CAPTURE_RELOCATIONS];
extern const char *const capture_part_names[CAPTURE_PARTS];

/* The symbols of one table, or of one binding in it. Entry 0 is not counted. */
struct capture_symbols {
    uint64_t functions;                    /* defined: STT_FUNC, STT_GNU_IFUNC */
    uint64_t objects;                      /* defined: STT_OBJECT, STT_COMMON, STT_TLS */
    uint64_t other;                        /* defined: STT_NOTYPE, STT_SECTION, STT_FILE */
    uint64_t sections, unnamed;            /* STB_LOCAL ones among these: STT_SECTION; STT_NOTYPE without a name */
    uint64_t undefined;                    /* not STB_LOCAL: nothing could define these, so they count as other */
    uint64_t weak;                         /* STB_WEAK, defined or not; counted above as well */
    uint64_t weak_functions, weak_objects; /* the defined ones among them */
    uint64_t unique;                       /* objects that are STB_GNU_UNIQUE */
    uint64_t ifunc;                        /* functions that are STT_GNU_IFUNC */
    uint64_t aliases; /* functions with a size at the address of another one; of local ones, how many more there are in
                         .symtab than of the others alone */
};

enum capture_relro { CAPTURE_RELRO_NONE, CAPTURE_RELRO_PARTIAL, CAPTURE_RELRO_FULL };

/* What kind of file it is. */
struct capture_kind {
    uint16_t machine; /* e_machine */
    bool wide;        /* ELFCLASS64 */
    bool library;     /* ET_DYN */
    bool executable;  /* ET_EXEC, or position-independent with DF_1_PIE */
    bool core;        /* ET_CORE */
    bool debug_only;  /* a debug file, or a .dwo file or such: the code is in another file */
    bool module;      /* a Python extension module: see `inits` */
    bool named_init;  /* defines the PyInit_ function that its file name asks for */
    uint64_t inits;   /* functions PyInit_…; libpython has one for each built-in module */
};

/* What .eh_frame tells. */
struct capture_unwind {
    uint64_t entries;    /* of .eh_frame, as its index .eh_frame_hdr counts them */
    uint64_t rsp;        /* those of functions with a frame that is found by %rsp alone, */
    uint64_t rbp;        /* and with a frame pointer, which is %rbp */
    uint64_t small;      /* those of functions under UNWIND_SMALL bytes without a dynamic symbol */
    uint64_t tabled;     /* those that point into .gcc_except_table, */
    uint64_t exceptions; /* and bytes of that */
};

/* For finding other files. Owned. */
struct capture_links {
    uint8_t build_id[CAPTURE_BUILD_ID_MOST];
    size_t build_id_size;
    char *soname, *rpath, *runpath, *interpreter; /* NULL where there is none */
    char *debuglink;
    uint32_t debuglink_crc;
    char **needed;
    size_t needed_count;
    /* Names in DT_FILTER and DT_AUXILIARY: of libraries that have the symbols of this one. */
    char **filtee, **auxiliary;
    size_t filtee_count, auxiliary_count;
};

/* Hashes of the names of dynamic symbols, unordered. Owned. */
struct capture_hashes {
    uint64_t *defined, *undefined;
    size_t defined_count, undefined_count;
};

struct capture {
    uint64_t file_size;
    struct file_sizes sizes;
    struct capture_kind kind;

    uint64_t share[CAPTURE_SHARES]; /* bytes */
    uint64_t mix[CAPTURE_MIXES];    /* bytes */
    uint64_t zstd[CAPTURE_PARTS];   /* bytes, estimated; 0 if not asked for */

    bool has_symtab;
    struct capture_symbols dynamic; /* .dynsym, all bindings */
    struct capture_symbols local;   /* .symtab, STB_LOCAL */
    struct capture_symbols global;  /* .symtab, the others */
    uint64_t dynstr;                /* bytes */
    uint64_t versioned;             /* undefined dynamic symbols with a version */
    uint64_t ifunc;
    uint64_t mangled;            /* names that begin with _Z */
    uint64_t mangled_functions;  /* those that are names of functions */
    uint64_t demangled;          /* characters of the defined mangled names of .dynsym, as debuggers show them */
    uint64_t cold;               /* local functions whose names say that they are the cold parts of others */
    uint64_t cold_code;          /* bytes of these */
    uint64_t methods;            /* entries of the module's table of methods */
    struct samples functions;    /* sizes of functions in bytes, from .symtab or, without one, .dynsym */
    struct samples name_lengths; /* characters of the names in the same table */

    uint64_t relocation[CAPTURE_RELOCATIONS];
    uint64_t plt; /* entries of DT_JMPREL */

    bool hash_gnu, hash_sysv;
    bool bind_now;
    bool cf_protection; /* says that indirect branches lead to nothing but endbr64 */
    enum capture_relro relro;
    uint64_t data_rel_ro; /* bytes of sections .data.rel.ro */
    uint64_t runpaths;    /* directories of DT_RUNPATH and DT_RPATH */
    uint64_t versions;    /* defined and needed */
    uint64_t versions_defined;
    uint64_t tls; /* bytes of PT_TLS in memory */
    uint64_t constructors, destructors;
    uint64_t constructor_code; /* bytes of the constructors that have an unwind entry */
    uint64_t init_code;        /* bytes of the PyInit_ function; of several, the largest */
    struct capture_unwind unwind;
    uint64_t called; /* functions that calls lead to; 0: symbols or unwind entries tell of most functions */
    uint64_t page;   /* largest alignment of a PT_LOAD */
    uint64_t loads;

    uint32_t compression; /* ELFCOMPRESS_… of the debug sections, 0: not compressed */
    bool split;           /* has .dwo sections or, as tools/capture/dwarf.c adds, skeleton units */
    bool alternate;       /* .gnu_debugaltlink */
    bool debug_file;      /* symbols or debug information came from another file */
    struct capture_links links;
    struct capture_hashes hashes;
};

struct capture_wish {
    bool links_only; /* read only what tells which other files are needed */
    bool compress;   /* estimate the compressed size of the parts */
    bool full;       /* compress all of each part for that, not only slices */
    bool keep;       /* keep all samples, and not only their quantiles */
};

/* Captures the file. Free *c in any case, also after a failure. */
bool capture_read(const char *path, const struct capture_wish *wish, struct capture *c, struct error *e);

/* Takes over the symbols and the debug information of the library's separate debug file `debug`, as far as *c has none.
 * Samples move from `debug`. `path` is used in messages. Fails if the two files do not belong together. */
bool capture_add_debug_file(struct capture *c, struct capture *debug, const char *path, struct error *e);

void capture_free(struct capture *c);

#endif
