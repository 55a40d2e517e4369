/* A set's manifest.json, checked (docs/manifest.md).
 *
 * A manifest may come from anywhere, so nothing in it is believed: what the
 * readers below hand out has passed every check of type, range, name, order and
 * sum, and is bounded in number and length. The text goes through a window, one
 * library at a time, so that the memory is that of the rows below. Whether the
 * files are as it says is for `pyelfgen --verify` to find out.
 */
#ifndef BASE_MANIFEST_H
#define BASE_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

#define MANIFEST_KEY       "pyelfgen-manifest"
#define MANIFEST_FILE      "manifest.json"
#define MANIFEST_ROWS_FILE "differences.json"     /* beside it where the profile has rows for libraries */
#define MANIFEST_ROWS_KEY  "pyelfgen-differences" /* the first in that */
#define MANIFEST_SIZE_MOST (UINT64_C(1) << 40)    /* of a library, bytes */

enum {
    MANIFEST_VERSION = 1,
    MANIFEST_LIBRARIES_MOST = 1000000,   /* modules and utilities, as many as pyelfgen makes */
    MANIFEST_FUNCTIONS_MOST = 1 << 28,   /* of one library, which could not hold more */
    MANIFEST_BYTES_MOST = 1 << 30,       /* of the file: 1 kB for each library */
    MANIFEST_VALUE_BYTES_MOST = 1 << 20, /* of a library's row, or of another value at the top */
    MANIFEST_NAME_MOST = 255,            /* NAME_MAX, bytes */
    MANIFEST_TEXT_MOST = 1024,
};

enum manifest_kind { MANIFEST_MODULE, MANIFEST_UTILITY, MANIFEST_MARKER, MANIFEST_KINDS };
extern const char *const manifest_kind_names[MANIFEST_KINDS];

enum manifest_executable_kind { MANIFEST_LINK, MANIFEST_STATIC, MANIFEST_EXECUTABLE_KINDS };
extern const char *const manifest_executable_kind_names[MANIFEST_EXECUTABLE_KINDS];

/* The five sizes, which make the total, and bss. */
enum manifest_size {
    MANIFEST_TEXT,
    MANIFEST_DATA,
    MANIFEST_DEBUG,
    MANIFEST_SYMTAB,
    MANIFEST_STRTAB,
    MANIFEST_BSS,
    MANIFEST_SIZES
};
extern const char *const manifest_size_names[MANIFEST_SIZES];

struct manifest_sizes {
    uint64_t of[MANIFEST_SIZES]; /* bytes; together less than 2^63 */
    bool known[MANIFEST_SIZES];  /* false: `of` is 0 and means nothing */
};

struct manifest_file {
    const char *name;   /* within the set, never out of it */
    uint64_t size;      /* bytes */
    uint64_t digest[2]; /* XXH3-128: high, low */
};

struct manifest_library {
    const char *name;  /* "libmodule0.so" */
    const char *stem;  /* "libmodule0", which Python imports and which begins its symbols */
    const char *entry; /* NULL for a utility */
    enum manifest_kind kind;
    struct manifest_file file;        /* the name is NULL where the library is in an executable only */
    struct manifest_file debug_file;  /* and here where it has none */
    struct manifest_file *split_file; /* of split debug information */
    size_t split_files;
    uint64_t split; /* bytes of debug sections in its files, where it is split */
    uint64_t size[MANIFEST_SIZES];
    uint64_t functions;
    uint64_t visited;  /* <= functions */
    uint64_t marks;    /* >= functions, or 0: it has none */
    uint64_t marks_at; /* where they are in memory, from where the library begins there; 0: where its symbol says */
    uint64_t marked;   /* visited <= marked <= marks, where it has any */
    bool attributes;   /* of a module: it says how many functions it has and has visited */
    uint64_t result;
};

/* Besides the libraries, and in none of the sums. */
struct manifest_executable {
    const char *name; /* of the file, EXECUTABLE_LINK or EXECUTABLE_STATIC (base/executable.h) */
    enum manifest_executable_kind kind;
    struct manifest_file file, debug_file; /* these as in a library */
    struct manifest_file *split_file;
    size_t split_files;
    uint64_t split;
    uint64_t size[MANIFEST_SIZES];
    uint64_t functions;  /* of its own, which nothing calls */
    const char *runtime; /* SONAMEs of what else has to be found when it starts */
    const char *libpython;
};

struct manifest {
    const char *version;
    const char *application; /* "" where the profile names none */
    const char *profile;     /* digest of its canonical text; "" where there is none */
    size_t modules;
    size_t utilities;
    uint64_t functions;           /* of all libraries */
    struct manifest_sizes wanted; /* nothing is known where sizes followed from counts */
    struct manifest_sizes actual; /* of modules and utilities; only bss may be unknown */

    /* In the order of import: a marker, the modules, a marker, the utilities,
     * which nobody imports: [0, imported) is what Python sees. */
    struct manifest_library *libraries;
    size_t count;
    size_t imported; /* modules + 2 */
    bool joined;     /* no library is a file: all are in the executable of kind MANIFEST_STATIC only */

    struct manifest_executable executables[MANIFEST_EXECUTABLE_KINDS];
    size_t executable_count;

    struct arena arena; /* owns every text */
};

/* Reads `directory`/manifest.json, which must be a regular file itself. After a
 * failure `m` is empty, with nothing to free, and *absent, which may be NULL,
 * tells whether that is because the directory has no manifest. */
bool manifest_read(struct manifest *m, const char *directory, bool *absent, struct error *e);

/* The same from memory. An error carries the line where the JSON, or the row of
 * a library, is wrong. */
bool manifest_parse(struct manifest *m, const char *text, size_t size, struct error *e);

/* That of a kind; NULL where the set has none. */
const struct manifest_executable *manifest_executable(const struct manifest *m, enum manifest_executable_kind kind);

/* The names of all libraries in the order of strcmp, borrowed from `m`, in an
 * array that the caller frees; NULL when memory ran out. */
const char **manifest_names(const struct manifest *m);

/* Whether `name` is one of the `count` names that manifest_names gave. */
bool manifest_lists(const char *const *names, size_t count, const char *name);

/* Takes NULL and empty manifests. */
void manifest_free(struct manifest *m);

#endif
