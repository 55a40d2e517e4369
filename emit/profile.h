/* A profile: the few kilobytes that describe a target application.
 *
 * YAML, read and written with libcyaml against one schema (profile.c). What a
 * profile leaves out is PROFILE_DERIVED (or the default named beside the
 * field); the plan decides it. A loaded profile is complete and in range: the
 * rest of the program checks none of it again.
 *
 * Sizes are in bytes; in the file they are numbers with a unit out of
 * B, kB, MB, GB (decimal) and KiB, MiB, GiB (binary), as in `text: 619.4 MB`.
 */
#ifndef EMIT_PROFILE_H
#define EMIT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define PROFILE_DERIVED INT64_C(-1)

enum {
    PROFILE_LIBRARIES_MOST = 1000000,
    PROFILE_FUNCTIONS_MOST = 4000000, /* average in one library */
    PROFILE_NAME_MOST = 4096,         /* characters of a symbol's name */
    PROFILE_DEPTH_MOST = 100000,
    PROFILE_REPEAT_MOST = 1000,
};
#define PROFILE_SIZE_MOST (INT64_C(1) << 50) /* bytes, of any size in a profile */

/* The five sizes, and the optional sixth: what they count is said in
 * docs/sizes.md and, as code, in elf/sizes.c. */
enum size_kind { SIZE_TEXT, SIZE_DATA, SIZE_DEBUG, SIZE_SYMTAB, SIZE_STRTAB, SIZE_BSS, SIZE_KINDS };

enum hash_style { HASH_GNU, HASH_SYSV, HASH_BOTH };
enum name_style { STYLE_PYNAMIC, STYLE_ITANIUM };
enum bind_mode { BIND_LAZY, BIND_NOW };
enum compression { COMPRESS_NONE, COMPRESS_ZLIB, COMPRESS_ZSTD };
enum debug_language { LANGUAGE_C, LANGUAGE_CPP };                            /* as dwarf/dialect.h has them */
enum name_index { NAME_INDEX_NONE, NAME_INDEX_GDB, NAME_INDEX_DEBUG_NAMES }; /* as dwarf/dialect.h has them */
enum separation { SEPARATE_NONE, SEPARATE_DEBUGLINK, SEPARATE_BUILD_ID };
enum relro_mode { RELRO_NONE, RELRO_PARTIAL, RELRO_FULL };

/* The debug sections that can have sizes of their own. In DWARF 4, MIX_LOCLISTS
 * is .debug_loc, MIX_RNGLISTS is .debug_ranges, there is no MIX_LINE_STR, and MIX_INFO is
 * .debug_info with .debug_types. */
enum mix_kind { MIX_INFO, MIX_ABBREV, MIX_LINE, MIX_STR, MIX_LINE_STR, MIX_LOCLISTS, MIX_RNGLISTS, MIX_KINDS };

struct profile {
    char *application;            /* free text; "" when absent */
    uint64_t seed;                /* 42 */
    int64_t modules;              /* >= 1; modules + utilities <= PROFILE_LIBRARIES_MOST */
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
        bool random;                  /* false; calls go to functions of any utility; excludes the limit above */
        bool need_all;                /* false; every module has every utility as DT_NEEDED, used or not, and
                                         libmodulebegin every module */
    } calls;
    struct {
        enum name_style style; /* STYLE_PYNAMIC; of functions' names */
        int64_t length;        /* derived; average length of a function's name in characters */
        int64_t pad;           /* derived; exactly this many digits after each name (Pynamic's -n); excludes `length`
                                  and STYLE_ITANIUM */
    } names;
    struct {
        enum hash_style hash;  /* HASH_GNU */
        enum bind_mode bind;   /* BIND_LAZY */
        enum relro_mode relro; /* RELRO_PARTIAL; RELRO_FULL asks for BIND_NOW */
        bool build_id;         /* true */
        bool soname;           /* true */
        int64_t max_page_size; /* 4096; a power of two from 4096 to 2 MiB */
    } elf;
    struct {
        int64_t version;              /* 5; 4 */
        enum debug_language language; /* LANGUAGE_C */
        int64_t units;                /* derived; average functions in a compile unit */
        enum compression compress;    /* COMPRESS_NONE; of the debug sections */
        enum separation separate;     /* SEPARATE_NONE; SEPARATE_BUILD_ID asks for elf.build_id */
        enum name_index index;        /* NAME_INDEX_NONE; NAME_INDEX_DEBUG_NAMES asks for version 5 */
        bool type_units;              /* false; asks for LANGUAGE_C and NAME_INDEX_NONE */
        bool views;                   /* false; location views, as gcc has them; not in split units */
        bool split;                   /* false; excludes `separate` and `index` */
        int64_t mix[MIX_KINDS];       /* derived, each; totals over all libraries, together at most
                                         sections[SIZE_DEBUG], which has to be given and above 0 */
    } dwarf;
};

/* The defaults above, one module, nothing else. Free with profile_free. */
bool profile_init(struct profile *p, struct error *e);

/* Reads `path`. Any deviation from the schema is an ERROR_INPUT that names the
 * key, and the file and line where they are known; the file is read once and
 * bounded (1 MiB). On failure *p is empty. */
bool profile_load(struct profile *p, const char *path, struct error *e);

/* As profile_load from memory; `name` stands for the file in errors. */
bool profile_parse(struct profile *p, const char *text, size_t size, const char *name, struct error *e);

/* A size as profiles have them, "12.5 MB"; an error says what is wrong with `text`. */
bool profile_size(const char *text, uint64_t *size, struct error *e);

/* Finds a profile by what the user gave: a path that exists, or the name of a
 * shipped profile (NAME.prof in `$PYELFGEN_PROFILES`, in `profiles/` beside the
 * source tree when run from a build, or in the installed data directory).
 * Writes the path to `path` (PATH_MAX bytes). */
bool profile_find(const char *name, char *path, size_t path_size, struct error *e);

/* Writes the profile as YAML, with whatever differs from the default, under a
 * temporary name and renames it to `path`. What was saved loads as the same. */
bool profile_save(const struct profile *p, const char *path, struct error *e);

/* The same text in memory, canonical: two profiles that mean the same give the
 * same text, whatever their files' layout, units or comments. malloc'ed, the
 * caller frees. Its digest is part of the manifest and of the build-ids. */
bool profile_text(const struct profile *p, char **text, size_t *size, struct error *e);

/* Takes NULL and half-built profiles. */
void profile_free(struct profile *p);

#endif
