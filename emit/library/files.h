/* The files that a library becomes. As a rule this is one. With `dwarf: separate` there are two, the library itself
 * and the file of its debug information (elf/write/separate.h), unless a row says that it has none. With `dwarf: split`
 * there are the library and its .dwo files, or a package of them (dwarf/rewrite/split.h).
 */
#ifndef EMIT_LIBRARY_FILES_H
#define EMIT_LIBRARY_FILES_H

#include "emit/library/library.h"

enum {
    FILE_NAME_MOST = 64, /* bytes for ".build-id/xx/<38 digits>.debug" and more, with the terminator */
    FILE_BUILD_ID = 20,  /* bytes */
    FILES_SPLIT_MOST = PROFILE_SPLIT_MOST, /* .dwo files of a library; the manifest has them on one line */
};

#define FILES_BUILD_IDS    ".build-id" /* the directory that debuggers look for */
#define FILES_DEBUG_SUFFIX ".debug"

/* Sets the build-id: a hash of version, profile, seed and library. All contents of a library follow from these, so
 * the build-id identifies them. */
void files_build_id(const struct plan *plan, const struct plan_library *row, uint8_t id[FILE_BUILD_ID]);

/* Lays out a library's files, after the library itself has been laid out. Files of split debug information get their
 * layouts only when they are written. */
bool files_place(struct library *l, struct error *e);

/* One file of a written library; borrowed from the builder. */
struct library_file {
    const struct layout *layout;
    const uint8_t *image;
    char name[FILE_NAME_MOST]; /* within the set */
};

/* The names, within the set, of the library's own file and of the separate file of its debug information ("" where
 * there is none). Names of files of split debug information are known only when these are written. */
void files_name(const struct plan_library *row, char name[FILE_NAME_MOST]);
void files_debug_name(const struct plan *plan, const struct plan_library *row, char name[FILE_NAME_MOST]);

/* The name that .gnu_debuglink of a library without a debug file states where its row says `debug-link`: what the file
 * would be called if it were installed. */
void files_absent_name(const struct plan *plan, const struct plan_library *row, char name[FILE_NAME_MOST]);

/* Fills the builder's list of files before anything is written: names and layouts. Not for split debug information. */
bool files_list(struct builder *b, struct error *e);

/* Makes the builder's files from the image, whose sections have their contents: splits, compresses and completes
 * them. The library's own file is the last, so that it never appears without the others. */
bool files_write(struct builder *b, struct error *e);

/* The name that .gnu_debuglink states; "" where there is none. */
void files_link_name(const struct library *l, char name[FILE_NAME_MOST]);

/* How debug sections are compressed, by the plan's profile. */
enum pack_kind files_packing(const struct plan *plan);

/* Where the debug sections are in the image. */
struct debug_places files_debug_places(const struct library *l, uint8_t *image);

/* The library's sizes, summed over all its files; those of debug information are the sizes before splitting. */
struct layout_sizes files_count(const struct library *l);

/* Whether a library's debug information is split. */
static inline bool files_are_split(const struct plan_library *l)
{
    return l->debug.split && !l->debug.hollow && !l->debug.none;
}

/* Whether they are because its row says so. What the row says is then of the files after splitting. */
static inline bool files_are_split_as_said(const struct plan_library *l)
{
    return l->debug.kept && files_are_split(l);
}

/* Bytes of all debug sections as they are in the files, before compression. */
uint64_t files_debug_bytes(const struct builder *b);

/* dwo.c: files_write of split debug information. */
bool dwo_write(struct builder *b, struct error *e);

#endif
