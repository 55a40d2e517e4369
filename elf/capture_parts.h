/* What the parts of capture.h share. */
#ifndef ELF_CAPTURE_PARTS_H
#define ELF_CAPTURE_PARTS_H

#include "elf/capture.h"
#include "elf/reader.h"

#ifndef SHT_X86_64_UNWIND
#define SHT_X86_64_UNWIND 0x70000001
#endif

struct word;

/* A file that is being captured. */
struct look {
    struct reader reader;
    const struct capture_wish *wish;
    struct capture *c;
    struct error *e;
    uint64_t jmprel;           /* address of DT_JMPREL, 0 where there is none */
    uint64_t init_array;       /* and that of DT_INIT_ARRAY */
    uint64_t init_count;       /* words in it */
    uint64_t relro, relro_end; /* addresses of .data.rel.ro */
    struct word *words;        /* owned: of the image that hold addresses, in order, when look_words has found them */
    size_t word_count;
    uint64_t shown;       /* characters of demangled names, of all tables */
    uint64_t small_named; /* dynamic functions of fewer than UNWIND_SMALL bytes, each address once */
};

#define LOOK_WRONG(l, ...) READER_WRONG(&(l)->reader, (l)->e, __VA_ARGS__)

bool look_no_memory(struct look *l);

/* To be asked before so many bytes are read: of all together there are no more than a file has. False with the error
 * set. */
bool look_take(struct look *l, uint64_t bytes);

/* The contents of a section in the host's byte order; NULL with the error set
 * where they are too large or cannot be read. Borrowed until the file is closed. */
Elf_Data *look_table(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr);
/* Those of the section that the table's header links to, as bytes; at least one, and
 * the last is a zero. */
const Elf_Data *look_strings(struct look *l, const GElf_Shdr *shdr);

/* The string at `offset`; "" where it is outside. */
const char *look_string(const Elf_Data *strings, uint64_t offset);

/* Whether the section has bytes that are loaded. */
static inline bool look_is_image(const GElf_Shdr *shdr)
{
    return (shdr->sh_type == SHT_PROGBITS || shdr->sh_type == SHT_INIT_ARRAY || shdr->sh_type == SHT_X86_64_UNWIND) &&
           (shdr->sh_flags & SHF_ALLOC);
}

/* Count the symbols of a table; .symtab after .dynsym. */
bool look_symbols(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr);

/* How many of these numbers are different. Sorts them. */
uint64_t look_different(uint64_t *number, size_t count);

/* Count relocations, and the pages that they touch. */
bool look_relocations(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr);
bool look_pages(struct look *l);

/* To be called in this order, after all relocations are counted. look_words collects the words of the image that
 * relocations turn into addresses. Through these, look_methods counts the module's methods, and look_unwound the
 * entries of unwind tables and the code of the constructors. */
bool look_words(struct look *l);
bool look_methods(struct look *l);
bool look_unwound(struct look *l);

/* Counts exception tables and the functions that have one, and small functions without a dynamic symbol; after
 * look_symbols. */
bool look_exceptions(struct look *l);

/* The nearest of the steps in which estimates of bytes are told: itself below 32, and from there powers of 2^(1/8). */
uint64_t capture_step(uint64_t bytes);

/* When all else is known: whether the numbers are such as a profile can have. */
bool look_check(struct look *l);

/* Estimates what the parts of the file are after zstd -3. */
bool look_compress(struct look *l);

#endif
