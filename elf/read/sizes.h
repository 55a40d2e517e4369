/* The five sizes of an existing ELF file, and its bss.
 *
 * They are counted as Berkeley `size` and Pynamic's size report count them; see docs/sizes.md. The file may be of any
 * class and byte order, and is hostile until checked. A file that is not ELF, is cut off, or contradicts itself is an
 * ERROR_INPUT that names the file and says what is wrong.
 */
#ifndef ELF_READ_SIZES_H
#define ELF_READ_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct file_sizes { /* in bytes */
    uint64_t text;
    uint64_t data;
    uint64_t debug;
    uint64_t symtab;
    uint64_t strtab;
    uint64_t bss;
};

/* Counts the sizes of the regular file `path`. Other kinds of file are an error; opening one never waits. On failure
 * *sizes is all zero. */
bool sizes_read(const char *path, struct file_sizes *sizes, struct error *e);

/* One section, as its header describes it. */
struct section_size {
    const char *name; /* borrowed until the call returns */
    bool in_file;     /* not SHT_NOBITS */
    uint64_t bytes;
    uint64_t unpacked;    /* size when uncompressed; equals `bytes` if the section is not compressed */
    uint64_t debug;       /* what the section adds to the debug size */
    uint32_t compression; /* ELFCOMPRESS_… of an SHF_COMPRESSED section, else 0 */
};

/* Checks all sections as sizes_read does, then calls `each` for every one, until it returns false with the error set.
 */
typedef bool section_function(void *context, const struct section_size *section, struct error *e);
bool sizes_each(const char *path, section_function *each, void *context, struct error *e);

/* Does both for a file that is open already. `each` may be NULL. */
struct reader;
bool sizes_of(const struct reader *r, struct file_sizes *sizes, section_function *each, void *context, struct error *e);

/* Adds `more` to `sum`. False if a size overflows; *sum is unusable then. */
bool sizes_add(struct file_sizes *sum, const struct file_sizes *more);

/* The sum of the five sizes, without bss; false if it overflows. */
bool sizes_total(const struct file_sizes *sizes, uint64_t *total);

#endif
