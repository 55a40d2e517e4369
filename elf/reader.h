/* An existing ELF file, opened for reading through libelf, with its headers checked.
 *
 * The file may be of any class and byte order, and is hostile until checked:
 * what is not ELF, is cut off, or contradicts itself is an ERROR_INPUT that
 * names the file and what is wrong with it. Once open, the sections lie within
 * the file and have names; what is in them is unchecked.
 */
#ifndef ELF_READER_H
#define ELF_READER_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct reader {
    const char *path; /* borrowed */
    int fd;
    uint64_t size; /* of the file, bytes */
    Elf *elf;
    const Elf_Data *names; /* of the sections; ends in a zero */
    size_t sections;       /* with section 0 */
    uint64_t taken;        /* bytes that were asked for, see reader_take */
};

/* The most that is taken of a file, if it is large enough. */
#define READER_TAKE_MOST (UINT64_C(1) << 31)

/* Opens the regular file `path`; never waits for what is none. To be closed also
 * where it fails. */
bool reader_open(struct reader *r, const char *path, struct error *e);
void reader_close(struct reader *r);

/* Section `index` and its header; NULL with the error set. */
Elf_Scn *reader_section(const struct reader *r, size_t index, GElf_Shdr *shdr, struct error *e);

/* The name of a section that is not SHT_NULL; valid until the reader is closed. */
static inline const char *reader_name(const struct reader *r, const GElf_Shdr *shdr)
{
    return (const char *)r->names->d_buf + shdr->sh_name;
}

/* Reads `size` bytes at `offset` of the file; *got is less at its end. */
bool reader_read(const struct reader *r, void *to, size_t size, uint64_t offset, size_t *got, struct error *e);

/* Tables of a linker do not overlap, each is asked for a few times, and few of their names are those of several
 * entries: so many bytes may be asked for of a file in all. */
static inline uint64_t reader_take_most(const struct reader *r)
{
    return 8 * r->size < READER_TAKE_MOST ? 8 * r->size : READER_TAKE_MOST;
}

/* Counts bytes that are asked for; false where that is more. */
static inline bool reader_take(struct reader *r, uint64_t bytes)
{
    const uint64_t left = UINT64_MAX - r->taken;
    r->taken += bytes < left ? bytes : left;
    return r->taken <= reader_take_most(r);
}

/* How an SHF_COMPRESSED section says that it is compressed (gABI, "Section Compression");
 * false where it is not, or has no room to say so. */
bool reader_compression(const struct reader *r, const GElf_Shdr *shdr, GElf_Chdr *compression);

/* Errors about the file; the second adds the numbers that disagree where two do.
 * Both are false. */
#define READER_WRONG(r, e, ...) (error_set(e, ERROR_INPUT, __VA_ARGS__), error_at(e, (r)->path, 0))
bool reader_disagree(uint64_t wanted, uint64_t possible, struct error *e);

#endif
