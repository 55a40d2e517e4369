/* The five sizes of an existing ELF file, and its bss.
 *
 * They are counted as Berkeley `size` and Pynamic's size report count them;
 * docs/sizes.md says how. The file may be of any class and byte order, and is
 * hostile until checked: what is not ELF, is cut off, or contradicts itself is
 * an ERROR_INPUT that names the file and what is wrong with it.
 */
#ifndef ELF_SIZES_H
#define ELF_SIZES_H

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

/* Counts the sizes of the regular file `path`; never waits for what is none.
 * On failure *sizes is all zero. */
bool sizes_read(const char *path, struct file_sizes *sizes, struct error *e);

/* One section, as its header has it. */
struct section_size {
    const char *name; /* borrowed until the call returns */
    bool in_file;     /* and not SHT_NOBITS */
    uint64_t bytes;
    uint64_t unpacked;    /* what they are uncompressed; `bytes` where they are not compressed */
    uint64_t debug;       /* what it adds to the debug size */
    uint32_t compression; /* ELFCOMPRESS_… of an SHF_COMPRESSED section, otherwise 0 */
};

/* Calls `each` for every section of the file, after all were checked as
 * sizes_read does, until it returns false with the error set. */
typedef bool section_function(void *context, const struct section_size *section, struct error *e);
bool sizes_each(const char *path, section_function *each, void *context, struct error *e);

/* Both for a file that is open already; `each` may be NULL. */
struct reader;
bool sizes_of(const struct reader *r, struct file_sizes *sizes, section_function *each, void *context, struct error *e);

/* Adds `more` to `sum`; false, with *sum unusable, where a size overflows. */
bool sizes_add(struct file_sizes *sum, const struct file_sizes *more);

/* The five together, without bss; false when they overflow. */
bool sizes_total(const struct file_sizes *sizes, uint64_t *total);

#endif
