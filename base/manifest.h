/* A set's manifest.json, checked (docs/manifest.md).
 *
 * A manifest may come from anywhere, so nothing in it is trusted. Whatever the readers below hand out has passed every
 * check of type, range, name, order and sum, and is bounded in number and length. The text is read through a window,
 * one library at a time, so the memory needed is that of the rows below. Whether the files match the manifest is not
 * checked here; `pyelfgen --verify` does that.
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
#define MANIFEST_ROWS_FILE "differences.json"     /* beside the manifest if the profile has rows for libraries */
#define MANIFEST_ROWS_KEY  "pyelfgen-differences" /* the first key in that file */
#define MANIFEST_SIZE_MOST (UINT64_C(1) << 40)    /* of a library, bytes */

enum {
    MANIFEST_VERSION = 1,
    MANIFEST_LIBRARIES_MOST = 1000000,   /* of modules, and of utilities: as many as pyelfgen makes */
    MANIFEST_FUNCTIONS_MOST = 1 << 28,   /* of one library; none could hold more */
    MANIFEST_BYTES_MOST = 1 << 30,       /* of the file: 1 kB for each library */
    MANIFEST_VALUE_BYTES_MOST = 1 << 20, /* of a library's row, or of another value at the top */
    MANIFEST_NAME_MOST = 255,            /* NAME_MAX, bytes */
    MANIFEST_TEXT_MOST = 1024,
};

enum manifest_kind { MANIFEST_MODULE, MANIFEST_UTILITY, MANIFEST_MARKER, MANIFEST_KINDS };
extern const char *const manifest_kind_names[MANIFEST_KINDS];

enum manifest_executable_kind { MANIFEST_LINK, MANIFEST_STATIC, MANIFEST_EXECUTABLE_KINDS };
extern const char *const manifest_executable_kind_names[MANIFEST_EXECUTABLE_KINDS];

/* The five sizes, whose sum is the total, and bss. */
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
    bool known[MANIFEST_SIZES];  /* false: `of` is 0 and has no meaning */
};

struct manifest_file {
    const char *name;   /* path within the set; never leads out of it */
    uint64_t size;      /* bytes */
    uint64_t digest[2]; /* XXH3-128: high, low */
};

struct manifest_library {
    const char *name;  /* "libmodule0.so" */
    const char *stem;  /* "libmodule0", which Python imports and with which its symbols begin */
    const char *entry; /* NULL for a utility */
    enum manifest_kind kind;
    struct manifest_file file;        /* the name is NULL if the library exists only inside an executable */
    struct manifest_file debug_file;  /* the name is NULL if it has none */
    struct manifest_file *split_file; /* `split_files` files of split debug information, else NULL */
    size_t split_files;
    uint64_t split; /* bytes of debug sections in these files */
    uint64_t size[MANIFEST_SIZES];
    uint64_t functions;
    uint64_t visited;  /* <= functions */
    uint64_t marks;    /* >= functions; 0: it has no marks */
    uint64_t marks_at; /* where the marks are in memory, relative to the library; 0: where their symbol is */
    uint64_t marked;   /* visited <= marked <= marks, if it has marks */
    bool attributes;   /* of a module: its attributes say how many functions it has and has visited */
    bool opened;       /* a utility of a set with modules that the driver opens, because no module needs it */
    uint64_t result;
};

/* An executable of the set. It is not among the libraries and not in any of the sums. */
struct manifest_executable {
    const char *name; /* file name: EXECUTABLE_LINK or EXECUTABLE_STATIC (base/executable.h) */
    enum manifest_executable_kind kind;
    struct manifest_file file, debug_file; /* these as for a library */
    struct manifest_file *split_file;
    size_t split_files;
    uint64_t split;
    uint64_t size[MANIFEST_SIZES];
    uint64_t functions;  /* functions of its own, which nothing calls */
    const char *runtime; /* SONAMEs of the other libraries that it needs to start */
    const char *libpython;
};

struct manifest {
    const char *version;
    const char *application; /* "" if the profile names none */
    const char *profile;     /* digest of its canonical text; "" if the manifest has none */
    size_t modules;
    size_t utilities;
    uint64_t functions;           /* of all libraries */
    struct manifest_sizes wanted; /* none is known if the sizes followed from the counts */
    struct manifest_sizes actual; /* of modules and utilities; only bss may be unknown */

    /* In the order of import: a marker, the modules, a marker. Behind them the utilities, which nobody imports. Python
     * sees [0, imported). */
    struct manifest_library *libraries;
    size_t count;
    size_t imported; /* modules + 2 */
    bool joined;     /* no library is a file: all exist only inside the executable of kind MANIFEST_STATIC */

    struct manifest_executable executables[MANIFEST_EXECUTABLE_KINDS];
    size_t executable_count;

    struct arena arena; /* owns all texts */
};

/* Reads `directory`/manifest.json, which must be a regular file and not a link. After a failure `m` is empty, with
 * nothing to free, and *absent tells whether the directory has no manifest. `absent` may be NULL. */
bool manifest_read(struct manifest *m, const char *directory, bool *absent, struct error *e);

/* The same from memory. An error has the line at which the JSON, or the row of a library, is wrong. */
bool manifest_parse(struct manifest *m, const char *text, size_t size, struct error *e);

/* The executable of this kind; NULL if the set has none. */
const struct manifest_executable *manifest_executable(const struct manifest *m, enum manifest_executable_kind kind);

/* The names of all libraries in the order of strcmp. The names are borrowed from `m`; the caller frees the array. NULL
 * when memory ran out. */
const char **manifest_names(const struct manifest *m);

/* Whether `name` is one of the `count` names that manifest_names gave. */
bool manifest_lists(const char *const *names, size_t count, const char *name);

/* Accepts NULL and empty manifests. */
void manifest_free(struct manifest *m);

#endif
