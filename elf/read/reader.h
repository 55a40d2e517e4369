/* An existing ELF file, opened for reading through libelf, with its headers checked.
 *
 * The file may be of any class and byte order, and is hostile until checked. A file that is not ELF, is cut off, or
 * contradicts itself is an ERROR_INPUT that names the file and says what is wrong. Once the file is open, its sections
 * lie within it and have names; their contents are unchecked.
 */
#ifndef ELF_READ_READER_H
#define ELF_READ_READER_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct reader {
    const char *path; /* borrowed */
    int fd;
    uint64_t size; /* size of the file in bytes */
    Elf *elf;
    const Elf_Data *names; /* names of the sections; the last byte is zero */
    size_t sections;       /* including section 0 */
    uint64_t taken;        /* bytes asked for so far, see reader_take */
};

/* The most bytes that are asked for of a file, however large it is. */
#define READER_TAKE_MOST (UINT64_C(1) << 31)

/* Opens the regular file `path`. Other kinds of file are an error; opening one never waits. Close the reader in any
 * case, also after a failure. */
bool reader_open(struct reader *r, const char *path, struct error *e);
void reader_close(struct reader *r);

/* Returns section `index` and copies its header to *shdr; NULL with the error set. */
Elf_Scn *reader_section(const struct reader *r, size_t index, GElf_Shdr *shdr, struct error *e);

/* The name of a section, which must not be SHT_NULL; valid until the reader is closed. */
static inline const char *reader_name(const struct reader *r, const GElf_Shdr *shdr)
{
    return (const char *)r->names->d_buf + shdr->sh_name;
}

/* Reads `size` bytes at `offset` of the file. *got is how many were read: fewer only at the end of the file. */
bool reader_read(const struct reader *r, void *to, size_t size, uint64_t offset, size_t *got, struct error *e);

/* The most bytes that may be asked for of this file in all. Eight times the file is enough: the tables of a linker do
 * not overlap, each is asked for a few times, and few names belong to several entries. */
static inline uint64_t reader_take_most(const struct reader *r)
{
    return 8 * r->size < READER_TAKE_MOST ? 8 * r->size : READER_TAKE_MOST;
}

/* Counts bytes that are asked for; false if that makes more than reader_take_most in all. */
static inline bool reader_take(struct reader *r, uint64_t bytes)
{
    const uint64_t left = UINT64_MAX - r->taken;
    r->taken += bytes < left ? bytes : left;
    return r->taken <= reader_take_most(r);
}

/* Reads the compression header of an SHF_COMPRESSED section (gABI, "Section Compression"). False if the section is not
 * compressed, or has no room for the header. */
bool reader_compression(const struct reader *r, const GElf_Shdr *shdr, GElf_Chdr *compression);

/* Set an error about the file; both are false. reader_disagree comes second, where two numbers disagree, and adds
 * these. */
#define READER_WRONG(r, e, ...) (error_set(e, ERROR_INPUT, __VA_ARGS__), error_at(e, (r)->path, 0))
bool reader_disagree(uint64_t wanted, uint64_t possible, struct error *e);

#endif
