/* A set that is stored nowhere: its files are made when they are read.
 *
 * Names follow from the plan, sizes of files from a library's size pass, and their bytes from both passes.
 * What is known of a library is kept, a few hundred bytes; images of files are kept as far as there is room
 * (images.h). Where debug information is split or compressed, sizes, and of split debug information names too,
 * are only known when the library has been made.
 *
 * The manifest contains all digests, so that reading it makes all libraries once, one after the other on each
 * thread. Its size does not depend on the digests.
 *
 * Any number of threads may use a view. Two that want the same of one library have it made once.
 */
#ifndef EMIT_SET_VIEW_H
#define EMIT_SET_VIEW_H

#include "emit/set/set.h"

struct view;

/* Asked now and then while something takes long, in the thread that waits for it; `asked` returns true to end it. */
struct view_stop {
    bool (*asked)(void *context);
    void *context;
};

/* Opens a view of a plan's set. The plan may have no executables but pyelf-link in one piece. At most `cache` bytes of
 * images are kept, but always one image; at most `threads` libraries are made at a time. The plan and the stock are
 * borrowed. NULL with `e`. Free with view_free. */
struct view *view_open(const struct plan *plan, const struct stock *stock, uint64_t cache, unsigned threads,
                       struct error *e);

void view_free(struct view *v);

enum view_kind { VIEW_NOTHING, VIEW_FILE, VIEW_DIRECTORY };

/* What `name` is within the set; "" is the set itself. *file becomes the number of the file, or of the first file in
 * the directory. */
enum view_kind view_find(const struct view *v, const char *name, uint32_t *file);

/* Calls `each` with every name in the directory `name`, until it returns false. Names come in the order of their files'
 * numbers, from number `first` on, so that a list can be continued behind the last name that `each` was called with. */
typedef bool view_each(void *context, const char *name, enum view_kind kind, uint32_t file);
void view_list(const struct view *v, const char *name, uint32_t first, view_each *each, void *context);

/* The file's path within the set. */
const char *view_name(const struct view *v, uint32_t file);

/* Whether the file is an ELF object and not a text. */
bool view_is_object(const struct view *v, uint32_t file);

/* Bytes of the file, if they are known already; never waits. */
bool view_knows_size(struct view *v, uint32_t file, uint64_t *size);

/* Bytes of the file. */
bool view_size(struct view *v, uint32_t file, const struct view_stop *stop, uint64_t *size, struct error *e);

/* Up to `size` bytes from `offset` on; *got is less at the end of the file. */
bool view_read(struct view *v, uint32_t file, const struct view_stop *stop, void *bytes, uint64_t size, uint64_t offset,
               uint64_t *got, struct error *e);

/* How many files there are; and about how many bytes they have, as planned. */
uint32_t view_files(const struct view *v);
uint64_t view_bytes(const struct view *v);

/* How often libraries were sized and made, and the most bytes of images that there were at a time. */
struct view_counts {
    uint64_t sized, made, images;
};
struct view_counts view_counts(struct view *v);

#endif
