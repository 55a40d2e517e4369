/* A set's manifest.json, checked (docs/manifest.md).
 *
 * A manifest may come from anywhere, so nothing in it is believed: what the
 * readers below hand out has passed every check of type, range, name and order,
 * and is bounded in number and length. Sizes and digests of the files are left
 * to `pyelfgen --verify`; here is what a run needs.
 */
#ifndef DRIVER_MANIFEST_READ_H
#define DRIVER_MANIFEST_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum {
    MANIFEST_VERSION = 1,
    MANIFEST_LIBRARIES_MOST = 65536,
    MANIFEST_FUNCTIONS_MOST = 1 << 28, /* of one library, which could not hold more */
    MANIFEST_BYTES_MOST = 64 << 20,
    MANIFEST_NAME_MOST = 255, /* NAME_MAX, bytes */
    MANIFEST_TEXT_MOST = 1024,
};

enum manifest_kind { MANIFEST_MODULE, MANIFEST_UTILITY, MANIFEST_MARKER };

struct manifest_library {
    const char *name;  /* "libmodule0.so" */
    const char *stem;  /* "libmodule0", which Python imports and which begins its symbols */
    const char *entry; /* NULL for a utility */
    enum manifest_kind kind;
    uint64_t functions;
    uint64_t visited; /* <= functions */
    uint64_t marks;   /* >= functions; 0 for a marker */
    uint64_t marked;  /* visited <= marked <= marks */
    uint64_t result;
};

struct manifest {
    const char *version;
    const char *application;
    size_t modules;
    size_t utilities;
    uint64_t functions; /* of all libraries */

    /* In the order of import: a marker, the modules, a marker, the utilities,
     * which nobody imports: [0, imported) is what Python sees. */
    struct manifest_library *libraries;
    size_t count;
    size_t imported; /* modules + 2 */

    struct arena arena; /* owns every text and the rows */
};

/* Reads `directory`/manifest.json. After a failure `m` is empty, with nothing
 * to free. */
bool manifest_read(struct manifest *m, const char *directory, struct error *e);

/* The same from memory; an error carries the line where the JSON is broken. */
bool manifest_parse(struct manifest *m, const char *text, size_t size, struct error *e);

void manifest_free(struct manifest *m);

#endif
