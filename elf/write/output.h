/* A file that has a temporary name until all of it has been written.
 *
 * A file too large for an image in memory is written at many places, by many threads. Where nothing was written it has
 * a hole, which reads as zeros. ELF headers come from layout.h; they are in this machine's byte order, which is also
 * the file's.
 */
#ifndef ELF_WRITE_OUTPUT_H
#define ELF_WRITE_OUTPUT_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "elf/write/layout.h"

struct output {
    int fd; /* -1: not open */
    int directory;
    const char *name, *path;
    char temporary[300];
};

/* Creates the file in the directory that is open as `directory`, with the permissions that `mode` and the umask allow.
 * It begins with `size` zero bytes, which may be 0, and can grow. `path` is used in messages only. `name` and `path`
 * are borrowed until output_end. */
bool output_begin(struct output *o, int directory, const char *name, const char *path, mode_t mode, uint64_t size,
                  struct error *e);

/* May be called by any thread, in any order. */
bool output_write(const struct output *o, const void *bytes, uint64_t size, uint64_t offset, struct error *e);

/* Reads back `size` bytes; fewer are an error. */
bool output_read(const struct output *o, void *bytes, uint64_t size, uint64_t offset, struct error *e);

/* Writes what the layout itself contributes: ELF header, program headers, section headers and their names. */
bool output_write_headers(const struct output *o, const struct layout *l, struct error *e);

/* Closes the file. If it is `whole`, gives it its name. If not, or if that fails, removes it and returns false. */
bool output_end(struct output *o, bool whole, struct error *e);

/* Does all of this for a file that is in memory. */
bool output_whole(int directory, const char *name, const char *path, mode_t mode, const void *bytes, uint64_t size,
                  struct error *e);

#endif
