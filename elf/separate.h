/* A library in two files: what is loaded, and what debuggers read.
 *
 * As eu-strip -f makes them: the library has lost .debug_*, .gdb_index, .symtab and .strtab;
 * the file of debug information has these, and of what is loaded the headers
 * alone, as SHT_NOBITS at the same addresses, besides the build-id's note. The
 * program headers are the same in both, because those of the debug file speak of
 * the library. See the gABI chapter 4, and in gdb's manual "Debugging Information
 * in Separate Files".
 *
 * Both files lie in one image, one behind the other, so that whoever fills a
 * section needs not know which of them has it:
 *
 *     0      library     ELF header ... .data .comment .gnu_debuglink .shstrtab, headers
 *     start  debug file  ELF header, note, .comment .debug_* .gdb_index .symtab .strtab .shstrtab, headers
 */
#ifndef ELF_SEPARATE_H
#define ELF_SEPARATE_H

#include <stdint.h>

#include "base/error.h"
#include "elf/layout.h"

struct separate {
    struct layout library, debug; /* offsets are those in the file */
    uint64_t start;               /* of the debug file in the image */
};

/* The bytes of a .gnu_debuglink to the file `name`. */
uint64_t separate_link_size(const char *name);

/* Derives the layouts of both files from that of a whole one, which layout_place
 * has placed, and gives its sections their offsets in the image; its file_size
 * becomes that of the image. The library has a .gnu_debuglink of `link` bytes,
 * which may be 0. Fails as layout_place does. */
bool separate_place(struct separate *s, struct layout *whole, uint64_t link, struct error *e);

/* Completes both files in an image that has the contents of all sections, debug
 * sections compressed or not. `link` names the debug file for .gnu_debuglink;
 * NULL where there is none. */
void separate_write(const struct separate *s, uint8_t *image, const char *link);

/* As layout_count, over both files: what is loaded counts in the library. */
struct layout_sizes separate_count(const struct separate *s);

#endif
