/* What the files that implement capture.h share. */
#ifndef ELF_READ_CAPTURE_PARTS_H
#define ELF_READ_CAPTURE_PARTS_H

#include "elf/read/capture.h"
#include "elf/read/reader.h"

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
    uint64_t jmprel;                       /* address in DT_JMPREL, 0 if there is none */
    uint64_t init_array;                   /* address in DT_INIT_ARRAY */
    uint64_t init_count;                   /* words of that array */
    uint64_t data_rel_ro, data_rel_ro_end; /* addresses where .data.rel.ro begins and ends */
    struct word *words; /* owned: words of the image that hold addresses, sorted; set by look_words */
    size_t word_count;
    uint64_t shown;       /* characters of demangled names so far, in all tables */
    uint64_t small_named; /* dynamic functions of fewer than UNWIND_SMALL bytes; those at one address count once */
};

#define LOOK_WRONG(l, ...) READER_WRONG(&(l)->reader, (l)->e, __VA_ARGS__)

bool look_no_memory(struct look *l);

/* Call this before reading `bytes` of the file. False with the error set if that would be more than all tables of a
 * file can have together (reader_take). */
bool look_take(struct look *l, uint64_t bytes);

/* The contents of a section in the host's byte order, borrowed until the file is closed. NULL with the error set if
 * they are too large or cannot be read. */
Elf_Data *look_table(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr);
/* The string table that the header of this table links to. It has at least one byte, and the last one is zero. NULL
 * with the error set. */
const Elf_Data *look_strings(struct look *l, const GElf_Shdr *shdr);

/* The string at `offset`; "" if that is outside of the table. */
const char *look_string(const Elf_Data *strings, uint64_t offset);

/* Whether the section has contents that are loaded. Tables of the dynamic linker do not count. */
static inline bool look_is_image(const GElf_Shdr *shdr)
{
    return (shdr->sh_type == SHT_PROGBITS || shdr->sh_type == SHT_INIT_ARRAY || shdr->sh_type == SHT_X86_64_UNWIND) &&
           (shdr->sh_flags & SHF_ALLOC);
}

/* Counts the symbols of a table. Call it for .dynsym first, then for .symtab. */
bool look_symbols(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr);

/* How many different numbers there are. Sorts them. */
uint64_t look_different(uint64_t *number, size_t count);

/* Count the relocations of one section; count the pages that the relocations of all sections touch. */
bool look_relocations(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr);
bool look_pages(struct look *l);

/* Call these in this order, after all relocations are counted. look_words collects the words of the image that
 * relocations turn into addresses. look_methods counts the module's methods by these words. look_unwound counts the
 * entries of unwind tables and, by these words, the code of the constructors. */
bool look_words(struct look *l);
bool look_methods(struct look *l);
bool look_unwound(struct look *l);

/* Counts exception tables, the functions that have one, and small functions without a dynamic symbol. Call it after
 * look_symbols. */
bool look_exceptions(struct look *l);

/* Counts the places that calls lead to, where hardly anything else says where functions are. Call it after
 * look_unwound. */
bool look_called(struct look *l);

/* Rounds an estimate in bytes to the nearest step. Below 32 every number is a step; from there on the steps are powers
 * of 2^(1/8). */
uint64_t capture_step(uint64_t bytes);

/* Checks that a profile can have all these numbers. Call it last. */
bool look_check(struct look *l);

/* Estimates the sizes of the parts of the file after zstd -3. */
bool look_compress(struct look *l);

#endif
