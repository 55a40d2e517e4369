/* The files that a library becomes: one, or with `dwarf: separate` two, the
 * library itself and the file of its debug information (elf/separate.h).
 */
#ifndef EMIT_FILES_H
#define EMIT_FILES_H

#include "emit/library.h"

enum {
    FILE_NAME_MOST = 64, /* ".build-id/xx/<38 digits>.debug", and its end */
    FILE_BUILD_ID = 20,  /* bytes */
    FILES_MOST = 2,
};

#define FILES_BUILD_IDS    ".build-id" /* the directory that debuggers look for */
#define FILES_DEBUG_SUFFIX ".debug"

/* What identifies a library's contents without reading them: they are a function
 * of version, profile, seed and library. */
void files_build_id(const struct plan *plan, const struct plan_library *row, uint8_t id[FILE_BUILD_ID]);

/* The name of a library's debug file within the set; "" where it has none. */
void files_debug_name(const struct plan *plan, const struct plan_library *row, char name[FILE_NAME_MOST]);

/* Lays the two files out, once the library is. */
bool files_place(struct library *l, struct error *e);

/* Compresses what is to be, and completes the image, whose sections have their
 * contents. */
bool files_write(struct builder *b, struct error *e);

/* One file of a written library; borrowed from the builder. */
struct library_file {
    const struct layout *layout;
    const uint8_t *image;
    char name[FILE_NAME_MOST]; /* within the set */
};

/* How many, of FILES_MOST; the debug file, where there is one, first: so no
 * library is ever without its own. */
unsigned files_of(const struct builder *b, struct library_file files[FILES_MOST]);

/* The sizes, of all files together. */
struct layout_sizes files_count(const struct library *l);

#endif
