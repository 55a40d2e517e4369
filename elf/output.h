/* A file that has a temporary name until all of it has arrived.
 *
 * One that is too large to be held as an image is written at many places, by many threads,
 * and has a hole wherever nothing was written: zeros. ELF headers come from layout.h, in this machine's byte order,
 * which is the file's.
 */
#ifndef ELF_OUTPUT_H
#define ELF_OUTPUT_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "elf/layout.h"

struct output {
    int fd; /* -1: none */
    int directory;
    const char *name, *path;
    char temporary[300];
};

/* Begins `name` in the directory open as `directory`, with the permissions that `mode` and the
 * umask allow, and with `size` bytes, which may be 0 and become more; both names are borrowed
 * until output_end, `path` is used in messages only. */
bool output_begin(struct output *o, int directory, const char *name, const char *path, mode_t mode, uint64_t size,
                  struct error *e);

/* Any thread, in any order. */
bool output_write(const struct output *o, const void *bytes, uint64_t size, uint64_t offset, struct error *e);

/* Reads back what is there. */
bool output_read(const struct output *o, void *bytes, uint64_t size, uint64_t offset, struct error *e);

/* What a layout itself brings: ELF header, program headers, section headers and
 * their names. */
bool output_write_headers(const struct output *o, const struct layout *l, struct error *e);

/* Gives the file its name, or, where it is not `whole` or that fails, leaves nothing. */
bool output_end(struct output *o, bool whole, struct error *e);

/* All of this at once, for a file that is in memory. */
bool output_whole(int directory, const char *name, const char *path, mode_t mode, const void *bytes, uint64_t size,
                  struct error *e);

#endif
