/* A library in two files: one that is loaded, and one that debuggers read.
 *
 * The files are like those of eu-strip -f. The library has no .debug_*, .gdb_index, .symtab and .strtab. The debug file
 * has these, and the note with the build-id. Of the loaded sections it has only the headers, as SHT_NOBITS at the same
 * addresses. The program headers are the same in both files, because those of the debug file describe the library. See
 * the gABI chapter 4, and "Debugging Information in Separate Files" in gdb's manual.
 *
 * Both files lie in one image, one behind the other, so the writer of a section need not know which file has it:
 *
 *     0      library     ELF header ... .data .comment .gnu_debuglink .shstrtab, headers
 *     start  debug file  ELF header, note, .comment .debug_* .gdb_index .symtab .strtab .shstrtab, headers
 */
#ifndef ELF_WRITE_SEPARATE_H
#define ELF_WRITE_SEPARATE_H

#include <stdint.h>

#include "base/error.h"
#include "elf/write/layout.h"

struct separate {
    struct layout library, debug; /* offsets count from the beginning of each file */
    uint64_t start;               /* offset of the debug file in the image */
};

/* Bytes of a section .gnu_debuglink for the file `name`. */
uint64_t separate_link_size(const char *name);

/* Writes such a section: the name, padded with zeros, and `sum`, the CRC-32 of the whole debug file. */
void separate_put_link(uint8_t *at, const char *name, uint32_t sum);

/* Derives the layouts of both files from `whole`, which layout_place has placed. In `whole` the sections get their
 * offsets in the image, and file_size becomes that of the image. The library has a .gnu_debuglink of `link` bytes,
 * which may be 0. Fails as layout_place does. */
bool separate_place(struct separate *s, struct layout *whole, uint64_t link, struct error *e);

/* Completes both files in an image that has the contents of all sections; debug sections may be compressed. `link` is
 * the name of the debug file for .gnu_debuglink; NULL if there is no such section. */
void separate_write(const struct separate *s, uint8_t *image, const char *link);

/* Like layout_count, over both files. Loaded sections count once, in the library. */
struct layout_sizes separate_count(const struct separate *s);

#endif
