/* The options that say which set to make, for all programs that make one: what they mean, and their rows for a
 * program's table of options.
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
    OPTION_COPIES,
    OPTIONS_SET_END /* a program's own options begin */
};

/* The default for --libpython in the help text, if the build has found a library. */
#ifdef PYELFGEN_LIBPYTHON
#define LIBPYTHON_DEFAULT "; default: " PYELFGEN_LIBPYTHON
#else
#define LIBPYTHON_DEFAULT ""
#endif

/* Rows for a table of options. */
#define OPTIONS_SET_SEED                                                                                               \
    {                                                                                                                  \
        OPTION_SEED, "seed", "N", "make all choices by this seed instead of the profile's"                             \
    }
#define OPTIONS_SET_JOBS                                                                                               \
    {                                                                                                                  \
        'j', "jobs", "N", "use N threads; default: one for each processor"                                             \
    }
#define OPTIONS_SET_CHOICES                                                                                            \
    {OPTION_COPIES, "copies", "N", "make each library N times: a set of N applications, side by side"},                \
        {OPTION_COMPRESS, "compress", "KIND",                                                                          \
         "compression of debug sections: none, zlib or zstd; default: as the profile says"},                           \
        {OPTION_HASH, "hash", "STYLE",                                                                                 \
         "hash tables of dynamic symbols: gnu, sysv or both; default: as the profile says"},                           \
        {OPTION_RELR, "relr", NULL, "pack relative relocations, as ld -z pack-relative-relocs does"},                  \
        {OPTION_CF_PROTECTION, "cf-protection", NULL,                                                                  \
         "generate code for processors that check where branches lead, as gcc -fcf-protection does"},                  \
        {OPTION_SEPARATE, "separate", "KIND",                                                                          \
         "debug information in files of its own: none, debuglink or build-id; default: as the profile says"},          \
        {OPTION_INDEX, "index", "KIND",                                                                                \
         "index of names for debuggers: none, gdb_index or debug_names; default: as the profile says"},                \
        {OPTION_TYPE_UNITS, "type-units", NULL, "put types of headers into type units, each type once for a library"}, \
    {                                                                                                                  \
        OPTION_SPLIT, "split", NULL,                                                                                   \
            "split debug information into .dwo files, with DWARF 4 into a package of them for each library"            \
    }

#define OPTIONS_SET_LINK                                                                                               \
    {                                                                                                                  \
        OPTION_LINK, "link", NULL, "also write an executable that is linked with all libraries, SET/pyelf-link"        \
    }
#define OPTIONS_SET_LIBPYTHON                                                                                          \
    {                                                                                                                  \
        OPTION_LIBPYTHON, "libpython", "SONAME",                                                                       \
            "the Python library that executables are linked with" LIBPYTHON_DEFAULT                                    \
    }

/* Sets *o to options that say nothing. Free with options_free. */
bool options_set_start(struct options *o, struct error *e);

/* To be called when all options are taken. Checks the options about executables; fails where an option needs an
 * executable and there is none. */
bool options_set_check(struct options *o, struct error *e);

/* Takes one of the options above. */
bool options_set_take(struct options *o, int key, const char *value, struct error *e);

#endif
