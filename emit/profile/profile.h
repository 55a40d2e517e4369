/* A profile: the few kilobytes that describe a target application.
 *
 * It is YAML, read and written with libcyaml against one schema (profile.c). What a profile leaves out is
 * PROFILE_DERIVED, or the default named beside the field; the plan decides what is derived. A loaded profile is
 * complete and in range: the rest of the program checks none of it again.
 *
 * Sizes are in bytes. In the file they are numbers with a unit out of B, kB, MB, GB (decimal) and KiB, MiB, GiB
 * (binary), as in `text: 619.4 MB`.
 */
#ifndef EMIT_PROFILE_PROFILE_H
#define EMIT_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/profile_find.h"

#define PROFILE_DERIVED INT64_C(-1)

enum {
    PROFILE_LIBRARIES_MOST = 1000000,
    PROFILE_FUNCTIONS_MOST = 4000000, /* average in one library */
    PROFILE_NAME_MOST = 4096,         /* characters of a symbol's name */
    PROFILE_DEPTH_MOST = 100000,
    PROFILE_REPEAT_MOST = 1000,
    PROFILE_ROWS_MOST = 20000,
    PROFILE_EDGES_MOST = 4000000,   /* of all rows */
    PROFILE_APPLICATION_MOST = 200, /* bytes of text */
    PROFILE_BYTES_MOST = PROFILE_FIND_BYTES_MOST,
};
#define PROFILE_ROW_MOST    INT64_C(100000000)  /* of any number in a row, except for */
#define PROFILE_DWARF_MOST  INT64_C(4000000000) /* entries, attributes and rows of debug information */
#define PROFILE_SIZE_MOST   (INT64_C(1) << 50)  /* bytes, of any size in a profile */
#define PROFILE_UNEVEN_ONE  INT64_C(100)        /* units of one size, in hundredths */
#define PROFILE_UNEVEN_MOST INT64_C(100000)
#define PROFILE_MEMORY_MOST (INT64_C(1) << 30) /* bytes of memory that one library takes when it is loaded */

/* The five sizes, and the optional sixth. docs/sizes.md says what they count and, as code, elf/read/sizes.c. */
enum size_kind { SIZE_TEXT, SIZE_DATA, SIZE_DEBUG, SIZE_SYMTAB, SIZE_STRTAB, SIZE_BSS, SIZE_KINDS };

enum debug_language {
    LANGUAGE_C,
    LANGUAGE_CPP,
    LANGUAGE_FORTRAN,
    DEBUG_LANGUAGES
}; /* the first two as dwarf/form/dialect.h has them */

/* Distributions over all captured libraries, kept as text. */
enum {
    DISTRIBUTION_FUNCTION_SIZES,
    DISTRIBUTION_NAME_LENGTHS,
    DISTRIBUTION_DEGREE,
    DISTRIBUTION_TAGS,
    DISTRIBUTION_FORMS,
    DISTRIBUTION_ATTRIBUTES,
    DISTRIBUTION_OF_LANGUAGES, /* tags, forms and attributes of the libraries in each language, in the order of enum
                                  debug_language */
    DISTRIBUTION_KINDS = DISTRIBUTION_OF_LANGUAGES - DISTRIBUTION_TAGS,
    PROFILE_DISTRIBUTIONS = DISTRIBUTION_OF_LANGUAGES + DEBUG_LANGUAGES * DISTRIBUTION_KINDS
};

enum hash_style { HASH_GNU, HASH_SYSV, HASH_BOTH };
enum name_style { STYLE_PYNAMIC, STYLE_ITANIUM };
enum bind_mode { BIND_LAZY, BIND_NOW };
enum compression { COMPRESS_NONE, COMPRESS_ZLIB, COMPRESS_ZSTD };
enum debug_compiler { COMPILER_GCC, COMPILER_CLANG };
enum name_index { NAME_INDEX_NONE, NAME_INDEX_GDB, NAME_INDEX_DEBUG_NAMES }; /* as dwarf/form/dialect.h has them */
enum separation { SEPARATE_NONE, SEPARATE_DEBUGLINK, SEPARATE_BUILD_ID };
enum relro_mode { RELRO_NONE, RELRO_PARTIAL, RELRO_FULL };

/* The debug sections that can have sizes of their own. In DWARF 4, MIX_LOCLISTS
 * is .debug_loc, MIX_RNGLISTS is .debug_ranges, there is no MIX_LINE_STR, and MIX_INFO is
 * .debug_info with .debug_types. */
enum mix_kind { MIX_INFO, MIX_ABBREV, MIX_LINE, MIX_STR, MIX_LINE_STR, MIX_LOCLISTS, MIX_RNGLISTS, MIX_KINDS };

/* The values that a row of `libraries` may have, in the order of its canonical text: id, section, key, kind of value
 * (keys.h), least, most, and the choices of a WORD. */
#define PROFILE_ROW_VALUES(X)                                                                                          \
    X(KIND, ROW, "kind", WORD, 0, 1, ((const char *const[]){"module", "utility", NULL}))                               \
    X(TEXT, ROW, "text", BYTES, 0, PROFILE_SIZE_MOST, NULL) /* the sizes stand in the order of enum size_kind */       \
    X(DATA, ROW, "data", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                            \
    X(DEBUG, ROW, "debug", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                          \
    X(SYMTAB, ROW, "symtab", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                        \
    X(STRTAB, ROW, "strtab", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                        \
    X(BSS, ROW, "bss", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                              \
    X(FUNCTIONS, ROW, "functions", NUMBER, 0, PROFILE_FUNCTIONS_MOST, NULL)                                            \
    X(PLT, ROW, "plt", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                              \
    X(OUTSIDE, ROW, "outside", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                      \
    X(INDIRECT, ROW, "indirect", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                    \
    X(USED, ROW, "used", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                            \
    X(HASH, ROW, "hash", WORD, 0, 3, ((const char *const[]){"gnu", "sysv", "both", "none", NULL}))                     \
    X(BIND, ROW, "bind", WORD, 0, 1, ((const char *const[]){"lazy", "now", NULL}))                                     \
    X(RELRO, ROW, "relro", WORD, 0, 2, ((const char *const[]){"none", "partial", "full", NULL}))                       \
    X(DATA_REL_RO, ROW, "data-rel-ro", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                              \
    X(BUILD_ID, ROW, "build-id", SWITCH, 0, 1, NULL)                                                                   \
    X(SONAME, ROW, "soname", SWITCH, 0, 1, NULL)                                                                       \
    X(CF_PROTECTION, ROW, "cf-protection", SWITCH, 0, 1, NULL)                                                         \
    X(RUNPATH, ROW, "runpath", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                      \
    X(VERSIONS, ROW, "versions", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                    \
    X(VERSIONS_DEFINED, ROW, "versions-defined", NUMBER, 0, PROFILE_ROW_MOST, NULL) /* of `versions` */                \
    X(TLS, ROW, "tls", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                              \
    X(IFUNC, ROW, "ifunc", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                          \
    X(CONSTRUCTORS, ROW, "constructors", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                            \
    X(CONSTRUCTOR_CODE, ROW, "constructor-code", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                    \
    X(CONSTRUCTOR_MEMORY, ROW, "constructor-memory", BYTES, 0, PROFILE_MEMORY_MOST, NULL)                              \
    X(CONSTRUCTOR_BSS, ROW, "constructor-bss", BYTES, 0, PROFILE_MEMORY_MOST, NULL)                                    \
    X(INIT_CODE, ROW, "init-code", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                  \
    X(UNWIND_ENTRIES, ROW, "unwind-entries", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                        \
    X(UNWIND_SMALL, ROW, "unwind-small", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                            \
    X(UNWIND_RSP, ROW, "unwind-rsp", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                \
    X(UNWIND_RBP, ROW, "unwind-rbp", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                \
    X(CALLED, ROW, "called", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                        \
    X(EXCEPTIONS_TABLE, ROW_EXCEPTIONS, "table", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                    \
    X(EXCEPTIONS_FUNCTIONS, ROW_EXCEPTIONS, "functions", NUMBER, 0, PROFILE_ROW_MOST, NULL)                            \
    X(DESTRUCTORS, ROW, "destructors", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                              \
    X(PAGE, ROW, "page", NUMBER, 1, UINT32_MAX, NULL)                                                                  \
    X(LOADS, ROW, "loads", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                          \
    X(MANGLED, ROW, "mangled", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                      \
    X(DEMANGLED, ROW, "demangled", NUMBER, 0, PROFILE_SIZE_MOST, NULL)                                                 \
    X(COLD, ROW, "cold", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                            \
    X(COLD_CODE, ROW, "cold-code", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                  \
    X(METHODS, ROW, "methods", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                      \
    X(MACHINE, ROW, "machine", NUMBER, 0, UINT16_MAX, NULL)                                                            \
    X(DEBUG_FILE, ROW, "debug-file", SWITCH, 0, 1, NULL)                                                               \
    X(COMPRESSED, ROW, "compressed", WORD, 0, 2, ((const char *const[]){"zlib", "zstd", "none", NULL}))                \
    X(SPLIT, ROW, "split", SWITCH, 0, 1, NULL)                                                                         \
    X(ALTERNATE, ROW, "alternate", SWITCH, 0, 1, NULL)                                                                 \
    X(DEBUG_LINK, ROW, "debug-link", SWITCH, 0, 1, NULL)                                                               \
    X(DYNAMIC_FUNCTIONS, ROW_DYNAMIC, "functions", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                  \
    X(DYNAMIC_OBJECTS, ROW_DYNAMIC, "objects", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                      \
    X(DYNAMIC_OTHER, ROW_DYNAMIC, "other", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                          \
    X(DYNAMIC_UNDEFINED, ROW_DYNAMIC, "undefined", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                  \
    X(DYNAMIC_WEAK, ROW_DYNAMIC, "weak", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                            \
    X(DYNAMIC_WEAK_FUNCTIONS, ROW_DYNAMIC, "weak-functions", NUMBER, 0, PROFILE_ROW_MOST, NULL)                        \
    X(DYNAMIC_WEAK_OBJECTS, ROW_DYNAMIC, "weak-objects", NUMBER, 0, PROFILE_ROW_MOST, NULL)                            \
    X(DYNAMIC_UNIQUE, ROW_DYNAMIC, "unique", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                        \
    X(DYNAMIC_VERSIONED, ROW_DYNAMIC, "versioned", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                  \
    X(DYNAMIC_IFUNC, ROW_DYNAMIC, "ifunc", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                          \
    X(DYNAMIC_ALIASES, ROW_DYNAMIC, "aliases", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                      \
    X(DYNAMIC_DYNSTR, ROW_DYNAMIC, "dynstr", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                        \
    X(LOCAL_FUNCTIONS, ROW_LOCAL, "functions", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                      \
    X(LOCAL_OBJECTS, ROW_LOCAL, "objects", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                          \
    X(LOCAL_OTHER, ROW_LOCAL, "other", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                              \
    X(LOCAL_SECTIONS, ROW_LOCAL, "sections", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                        \
    X(LOCAL_UNNAMED, ROW_LOCAL, "unnamed", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                          \
    X(LOCAL_ALIASES, ROW_LOCAL, "aliases", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                          \
    X(GLOBAL_FUNCTIONS, ROW_GLOBAL, "functions", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                    \
    X(GLOBAL_OBJECTS, ROW_GLOBAL, "objects", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                        \
    X(GLOBAL_OTHER, ROW_GLOBAL, "other", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                            \
    X(GLOBAL_UNDEFINED, ROW_GLOBAL, "undefined", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                    \
    X(GLOBAL_WEAK, ROW_GLOBAL, "weak", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                              \
    X(RELATIVE, ROW_RELOCATIONS, "relative", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                        \
    X(JUMP_SLOT, ROW_RELOCATIONS, "jump-slot", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                      \
    X(GLOB_DAT, ROW_RELOCATIONS, "glob-dat", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                        \
    X(ADDRESS_64, ROW_RELOCATIONS, "64", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                            \
    X(COPY, ROW_RELOCATIONS, "copy", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                \
    X(RELOCATIONS_TLS, ROW_RELOCATIONS, "tls", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                      \
    X(IRELATIVE, ROW_RELOCATIONS, "irelative", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                      \
    X(RELR, ROW_RELOCATIONS, "relr", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                \
    X(RELOCATIONS_OTHER, ROW_RELOCATIONS, "other", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                  \
    X(RELOCATIONS_SYMBOLS, ROW_RELOCATIONS, "symbols", NUMBER, 0, PROFILE_ROW_MOST, NULL)                              \
    X(RELOCATIONS_PAGES, ROW_RELOCATIONS, "pages", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                  \
    X(RELOCATIONS_RELRO, ROW_RELOCATIONS, "relro", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                  \
    X(SHARE_CODE, ROW_SHARE, "code", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                \
    X(SHARE_PLT, ROW_SHARE, "plt", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                  \
    X(SHARE_CONSTANTS, ROW_SHARE, "constants", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                      \
    X(SHARE_UNWIND, ROW_SHARE, "unwind", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                            \
    X(SHARE_SYMBOLS, ROW_SHARE, "symbols", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                          \
    X(SHARE_RELOCATIONS, ROW_SHARE, "relocations", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                  \
    X(SHARE_OTHER, ROW_SHARE, "other", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                              \
    X(DWARF_VERSION, ROW_DWARF, "version", NUMBER, 1, 6, NULL)                                                         \
    X(DWARF_LEVEL, ROW_DWARF, "level", NUMBER, 0, 3, NULL) /* 1: functions and lines alone, as with -g1 */             \
    X(DWARF_UNITS, ROW_DWARF, "units", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                              \
    X(DWARF_PARTIAL, ROW_DWARF, "partial", NUMBER, 0, PROFILE_ROW_MOST, NULL)       /* units besides */                \
    X(DWARF_TYPE_UNITS, ROW_DWARF, "type-units", NUMBER, 0, PROFILE_ROW_MOST, NULL) /* units besides */                \
    X(DWARF_UNEVEN, ROW_DWARF, "uneven", NUMBER, PROFILE_UNEVEN_ONE, PROFILE_UNEVEN_MOST,                              \
      NULL)                                                             /* units, in hundredths */                     \
    X(DWARF_CODE, ROW_DWARF, "code", BYTES, 0, PROFILE_SIZE_MOST, NULL) /* that units describe */                      \
    X(DWARF_DIES, ROW_DWARF, "dies", NUMBER, 0, PROFILE_DWARF_MOST, NULL)                                              \
    X(DWARF_DEFINED, ROW_DWARF, "defined", NUMBER, 0, PROFILE_DWARF_MOST, NULL)     /* of these, in functions */       \
    X(DWARF_FUNCTIONS, ROW_DWARF, "functions", NUMBER, 0, PROFILE_DWARF_MOST, NULL) /* of these, with code */          \
    X(DWARF_ATTRIBUTES, ROW_DWARF, "attributes", NUMBER, 0, PROFILE_DWARF_MOST, NULL)                                  \
    X(DWARF_ROWS, ROW_DWARF, "rows", NUMBER, 0, PROFILE_DWARF_MOST, NULL)                                              \
    X(DWARF_ENTRIES, ROW_DWARF, "entries", NUMBER, 0, PROFILE_DWARF_MOST, NULL)                                        \
    X(DWARF_ADDRESSES, ROW_DWARF, "addresses", NUMBER, 0, PROFILE_DWARF_MOST, NULL)       /* of rows */                \
    X(DWARF_ENTRY_VALUES, ROW_DWARF, "entry-values", NUMBER, 0, PROFILE_DWARF_MOST, NULL) /* of `entries` */           \
    X(DWARF_TYPE_NAMES, ROW_DWARF, "type-names", NUMBER, 0, PROFILE_SIZE_MOST, NULL)      /* bytes */                  \
    X(DWARF_INLINED, ROW_DWARF, "inlined", BYTES, 0, PROFILE_SIZE_MOST, NULL) /* of `code`, in inlined calls */        \
    X(DWARF_SAMPLED, ROW_DWARF, "sampled", NUMBER, 0, 100, NULL)                                                       \
    X(MIX_INFO, ROW_MIX, "info", BYTES, 0, PROFILE_SIZE_MOST, NULL) /* as in enum mix_kind */                          \
    X(MIX_ABBREV, ROW_MIX, "abbrev", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                \
    X(MIX_LINE, ROW_MIX, "line", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                    \
    X(MIX_STR, ROW_MIX, "str", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                      \
    X(MIX_LINE_STR, ROW_MIX, "line_str", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                            \
    X(MIX_LOCLISTS, ROW_MIX, "loclists", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                            \
    X(MIX_RNGLISTS, ROW_MIX, "rnglists", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                            \
    X(MIX_ARANGES, ROW_MIX, "aranges", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                              \
    X(MIX_ADDR, ROW_MIX, "addr", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                    \
    X(MIX_STR_OFFSETS, ROW_MIX, "str_offsets", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                      \
    X(MIX_NAMES, ROW_MIX, "names", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                  \
    X(MIX_MACRO, ROW_MIX, "macro", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                  \
    X(MIX_OTHER, ROW_MIX, "other", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                  \
    X(DWO_FILES, ROW_DWO, "files", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                                  \
    X(DWO_MISSING, ROW_DWO, "missing", NUMBER, 0, PROFILE_ROW_MOST, NULL)                                              \
    X(DWO_INFO, ROW_DWO, "info", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                    \
    X(DWO_ABBREV, ROW_DWO, "abbrev", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                \
    X(DWO_LINE, ROW_DWO, "line", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                    \
    X(DWO_STR, ROW_DWO, "str", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                      \
    X(DWO_LINE_STR, ROW_DWO, "line_str", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                            \
    X(DWO_LOCLISTS, ROW_DWO, "loclists", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                            \
    X(DWO_RNGLISTS, ROW_DWO, "rnglists", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                            \
    X(DWO_ARANGES, ROW_DWO, "aranges", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                              \
    X(DWO_ADDR, ROW_DWO, "addr", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                    \
    X(DWO_STR_OFFSETS, ROW_DWO, "str_offsets", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                      \
    X(DWO_NAMES, ROW_DWO, "names", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                  \
    X(DWO_MACRO, ROW_DWO, "macro", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                  \
    X(DWO_OTHER, ROW_DWO, "other", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                  \
    X(ZSTD_TEXT, ROW_ZSTD, "text", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                  \
    X(ZSTD_DATA, ROW_ZSTD, "data", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                  \
    X(ZSTD_DEBUG, ROW_ZSTD, "debug", BYTES, 0, PROFILE_SIZE_MOST, NULL)                                                \
    X(ZSTD_NAMES, ROW_ZSTD, "names", BYTES, 0, PROFILE_SIZE_MOST, NULL)

/* The texts that a row of `libraries` may have: id, section, key, the most bytes. */
#define PROFILE_ROW_TEXTS(X)                                                                                           \
    X(NAME, ROW, "name", PROFILE_APPLICATION_MOST)                                                                     \
    X(NEEDED, ROW, "needed", PROFILE_BYTES_MOST)                                                                       \
    X(FUNCTION_SIZES, ROW, "function-sizes", PROFILE_BYTES_MOST)                                                       \
    X(NAME_LENGTHS, ROW, "name-lengths", PROFILE_BYTES_MOST)                                                           \
    X(LANGUAGE, ROW_DWARF, "language", PROFILE_APPLICATION_MOST)                                                       \
    X(ERROR, ROW_DWARF, "error", PROFILE_APPLICATION_MOST)                                                             \
    X(LOADED, ROW, "loaded", PROFILE_APPLICATION_MOST)                                                                 \
    X(IMPORT, ROW, "import", PROFILE_APPLICATION_MOST)

enum row_value {
#define PROFILE_ROW_ID(id, ...) ROW_##id,
    PROFILE_ROW_VALUES(PROFILE_ROW_ID) ROW_VALUES
#undef PROFILE_ROW_ID
};
enum row_text {
#define PROFILE_ROW_ID(id, ...) ROW_TEXT_##id,
    PROFILE_ROW_TEXTS(PROFILE_ROW_ID) ROW_TEXTS
#undef PROFILE_ROW_ID
};
enum row_kind { ROW_KIND_MODULE, ROW_KIND_UTILITY };
enum row_compressed { ROW_COMPRESSED_ZLIB, ROW_COMPRESSED_ZSTD, ROW_COMPRESSED_NONE };

/* A DT_NEEDED within the set. */
struct profile_edge {
    uint32_t row;     /* the row of the library that is needed */
    uint32_t symbols; /* taken from it; 0: the profile does not say */
};

/* One library: a row of `libraries`. What it does not say is PROFILE_DERIVED or NULL. */
struct profile_row {
    int64_t value[ROW_VALUES];
    int64_t *captured; /* `value` as it was before profile_unsplit changed it; owned; NULL: it is as it was */
    char *text[ROW_TEXTS];
    struct profile_edge *edge; /* what `needed` says, in its order; owned */
    uint32_t edges;
    uint32_t scale; /* in a model, how many times larger the application's library is (model.h); otherwise 0 */
};

struct profile {
    char *application;            /* free text; "" when absent */
    uint64_t seed;                /* 42 */
    int64_t modules;              /* 0 only with utilities or rows; modules + utilities <= PROFILE_LIBRARIES_MOST */
    int64_t utilities;            /* >= 0, 0 when absent */
    int64_t functions;            /* average per library */
    int64_t utility_functions;    /* average per utility; as `functions` when derived */
    int64_t sections[SIZE_KINDS]; /* totals over all libraries; SIZE_BSS may be derived. Either text, data, debug,
                                     symtab and strtab are all given, or the profile has no `sections` and all six are
                                     derived: then `functions` must be given and the sizes follow from the counts. */
    struct {
        int64_t depth;                /* 10; every depth-th function starts a chain */
        int64_t utility;              /* 1; calls of each module function into utilities */
        int64_t utilities_per_module; /* derived */
        bool cross_module;            /* true */
        int64_t cross_module_chain;   /* 10; modules in a chain of extern calls, 0: unbroken */
        double coverage;              /* 1.0; above 0, at most 1 */
        int64_t repeat;               /* 1; how often a function makes each call into a utility, in a loop */
        bool random;                  /* false; calls go to functions of any utility; excludes utilities_per_module */
        bool need_all;                /* false; every module has every utility as DT_NEEDED, used or not, and
                                         libmodulebegin every module */
    } calls;
    struct {
        enum name_style style; /* STYLE_PYNAMIC; of functions' names */
        int64_t length;        /* derived; average length of a function's name in characters */
        int64_t pad;           /* derived; exactly this many digits after each name (Pynamic's -n); excludes `length`
                                  and STYLE_ITANIUM */
    } names;
    struct profile_elf {
        enum hash_style hash;  /* HASH_GNU */
        enum bind_mode bind;   /* BIND_LAZY */
        enum relro_mode relro; /* RELRO_PARTIAL; RELRO_FULL asks for BIND_NOW */
        bool build_id;         /* true */
        bool soname;           /* true */
        bool relr;             /* false; relative relocations are packed */
        bool cf_protection;    /* false; for processors that check where branches lead (Intel's CET) */
        bool exceptions;       /* false; functions have exception tables */
        bool separate_code;    /* true; code is in a segment of its own */
        int64_t max_page_size; /* 4096; a power of two from 4096 to 2 MiB */
    } elf;
    struct {
        int64_t version;              /* 5; 4 */
        enum debug_language language; /* LANGUAGE_C */
        int64_t units;                /* derived; average functions in a compile unit */
        enum compression compress;    /* COMPRESS_NONE; of the debug sections */
        enum separation separate;     /* SEPARATE_NONE; SEPARATE_BUILD_ID asks for elf.build_id */
        enum name_index index;        /* NAME_INDEX_NONE; not in Fortran; NAME_INDEX_DEBUG_NAMES asks for version 5 */
        bool type_units;              /* false; asks for LANGUAGE_C and NAME_INDEX_NONE */
        enum debug_compiler compiler; /* COMPILER_GCC; COMPILER_CLANG asks for version 5, excludes LANGUAGE_FORTRAN,
                                         views, split, index, type_units and mix */
        bool views;                   /* false; location views, as gcc has them; not in split units */
        bool entry_values;            /* false; for libraries of which no row says how many there are */
        bool split;                   /* false; excludes `separate`, `index` and `type_units` */
        int64_t mix[MIX_KINDS];       /* derived, each; totals over all libraries, together at most
                                         sections[SIZE_DEBUG], which has to be given and above 0 */
    } dwarf;
    struct profile_row *row;    /* `libraries`: NULL, or one for each library, the kinds in any order. Then modules and
                                   utilities are their numbers, and sections their sums, PROFILE_DERIVED where a row does
                                   not say; there may be no module. */
    uint32_t rows;              /* those that are there, copies included */
    uint32_t copies;            /* how often each row is there (copies.h); 0: once */
    bool graph;                 /* rows say which library needs which */
    bool overruled[ROW_VALUES]; /* an option of the command line says otherwise than the profile in this */
    char *distributions[PROFILE_DISTRIBUTIONS]; /* of the captured application; NULL where absent */
    struct {
        char *from; /* what was captured; NULL where absent */
        int64_t libraries, unreadable;
    } captured;
    struct {
        char *of, *manners, *libraries;
    } settled; /* what was found for the rest of the profile (settled.h); each NULL where absent */
};

/* Whether pyelfprof wrote the profile. It leaves out counts that are 0: of symbols, of relocations, and of symbols
 * along edges. */
static inline bool profile_is_captured(const struct profile *p)
{
    return p->captured.from || p->captured.libraries != PROFILE_DERIVED;
}

/* The value of a key in a row. If a captured profile leaves the key out, the result is its documented default (0, 1 or
 * a word: docs/capture.md), if it has one; otherwise PROFILE_DERIVED. */
int64_t profile_row_says(const struct profile *p, const struct profile_row *row, enum row_value v);

enum { PROFILE_SPLIT_MOST = 8000 }; /* units of a library that can be split in version 5 */

/* Makes the rows with .dwo files (`dwo`) say what their debug information was before it was split, as far as that is
 * known: bytes of all of it and of each section, entries and attributes. Libraries are composed so, and then split.
 * False when memory ran out. */
bool profile_unsplit(struct profile *p, struct error *e);

/* Changes the size of a section of such a row (`mix`) once more, to so many times what it is. */
void profile_unsplit_again(struct profile *p, uint32_t row, enum row_value mix, double times);

/* Makes such a row say again what was captured. */
void profile_unsplit_undo(struct profile *p, uint32_t row);

/* Whether the row was changed so: its library is to be split. */
static inline bool profile_row_is_split(const struct profile_row *row)
{
    return row->captured;
}

/* The row as it was captured; what it points to is borrowed. */
struct profile_row profile_row_as_captured(const struct profile_row *row);

/* As profile_row_says, of the library as it was captured. */
int64_t profile_row_captured(const struct profile *p, const struct profile_row *row, enum row_value v);

/* How many relative relocations a row states, packed ones (relr) included; PROFILE_DERIVED where it states neither
 * kind. */
int64_t profile_row_relative(const struct profile *p, const struct profile_row *row);

/* Sets *p to the defaults above, with one module. Free with profile_free. */
bool profile_init(struct profile *p, struct error *e);

/* Reads `path`, as profile_find has it. Any deviation from the schema is an ERROR_INPUT that names the key, and file
 * and line where they are known. The file is read once and may have at most 64 MiB. On failure *p is empty. */
bool profile_load(struct profile *p, const char *path, struct error *e);

/* As profile_load from memory; `name` stands for the file in errors. */
bool profile_parse(struct profile *p, const char *text, size_t size, const char *name, struct error *e);

/* A size as profiles have them, "12.5 MB"; an error says what is wrong with `text`. */
bool profile_size(const char *text, uint64_t *size, struct error *e);

/* Writes the profile as YAML, with all values that differ from their defaults. The file is replaced as
 * base/replacement.h does it. What was saved loads as the same profile. */
bool profile_save(const struct profile *p, const char *path, struct error *e);

/* The same text in memory. It is canonical: two profiles that mean the same give the same text, whatever their files'
 * layout, units or comments. malloc'ed, the caller frees. Its digest is part of the manifest and of the build-ids. */
bool profile_text(const struct profile *p, char **text, size_t *size, struct error *e);

/* Takes NULL and half-built profiles. */
void profile_free(struct profile *p);

/* The language that units are made in. Those of Fortran are made as in C and described differently. */
static inline enum debug_language profile_language_made(const struct profile *p)
{
    return p->dwarf.language == LANGUAGE_CPP ? LANGUAGE_CPP : LANGUAGE_C;
}

/* Whether the profile itself, not a row, says how large any debug section is. */
bool profile_has_mix(const struct profile *p);

#endif
