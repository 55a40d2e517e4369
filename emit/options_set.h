/* The options that say which set to make, for all programs that make one: their meaning, and their rows for the table
 * of a program's options.
 */
#ifndef EMIT_OPTIONS_SET_H
#define EMIT_OPTIONS_SET_H

#include "base/cli.h"
#include "emit/options.h"

enum {
    OPTION_COMPRESS = 256,
    OPTION_SEPARATE,
    OPTION_INDEX,
    OPTION_RELR,
    OPTION_CF_PROTECTION,
    OPTION_TYPE_UNITS,
    OPTION_SPLIT,
    OPTION_HASH,
    OPTION_LINK,
    OPTION_LIBPYTHON,
    OPTION_SEED,
    OPTIONS_SET_END /* a program's own begin here */
};

/* The default for --libpython in the help text, if the build has found a library. */
#ifdef PYELFGEN_LIBPYTHON
#define LIBPYTHON_DEFAULT "; default: " PYELFGEN_LIBPYTHON
#else
#define LIBPYTHON_DEFAULT ""
#endif

/* Rows of a table of options. */
#define OPTIONS_SET_SEED                                                                                               \
    {                                                                                                                  \
        OPTION_SEED, "seed", "N", "choose by this seed instead of the profile's"                                       \
    }
#define OPTIONS_SET_JOBS                                                                                               \
    {                                                                                                                  \
        'j', "jobs", "N", "use N threads; default: one for each processor"                                             \
    }
#define OPTIONS_SET_CHOICES                                                                                            \
    {OPTION_COMPRESS, "compress", "KIND",                                                                              \
     "compress debug sections: none, zlib or zstd, instead of as the profile says"},                                   \
        {OPTION_HASH, "hash", "STYLE",                                                                                 \
         "hash tables of dynamic symbols: gnu, sysv or both, instead of as the profile says"},                         \
        {OPTION_RELR, "relr", NULL, "pack relative relocations, as ld -z pack-relative-relocs does"},                  \
        {OPTION_CF_PROTECTION, "cf-protection", NULL,                                                                  \
         "code for processors that check where branches lead, as of gcc -fcf-protection"},                             \
        {OPTION_SEPARATE, "separate", "KIND",                                                                          \
         "files for debug information: none, debuglink or build-id, instead of as the profile says"},                  \
        {OPTION_INDEX, "index", "KIND",                                                                                \
         "index of names for debuggers: none, gdb_index or debug_names, instead of as the profile says"},              \
        {OPTION_TYPE_UNITS, "type-units", NULL, "give types of headers units of their own, once for each library"},    \
    {                                                                                                                  \
        OPTION_SPLIT, "split", NULL, "split debug information: .dwo files, with DWARF 4 a package of them"             \
    }

#define OPTIONS_SET_LINK                                                                                               \
    {                                                                                                                  \
        OPTION_LINK, "link", NULL, "write an executable too, SET/pyelf-link, that is linked with all libraries"        \
    }
#define OPTIONS_SET_LIBPYTHON                                                                                          \
    {                                                                                                                  \
        OPTION_LIBPYTHON, "libpython", "SONAME",                                                                       \
            "the Python library that executables are linked with" LIBPYTHON_DEFAULT                                    \
    }

/* Zeroed options. Free with options_free. */
bool options_set_start(struct options *o, struct error *e);

/* To be called when all options are taken: checks the options about executables, and fails where one was given that
 * needs an executable and there is none. */
bool options_set_check(struct options *o, struct error *e);

/* Takes one of the options above. */
bool options_set_take(struct options *o, int key, const char *value, struct error *e);

#endif
