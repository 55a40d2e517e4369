/* Unwind tables: .eh_frame and the sorted index over it, .eh_frame_hdr.
 *
 * LSB 5.0 core, "Exception Frames"; DWARF 5 section 6.4; x86-64 psABI 4.2.4.
 * Three kinds of frame are described: a function that sets up %rbp and leaves
 * through `leave; ret`; the PLT, whose frame depends on the instruction; and the
 * outermost, `_start`, which has no return address (psABI 3.4.1). Entries of functions
 * with an exception table (except.h) have a CIE of their own, which names the personality
 * routine by a word that holds its address, as DW.ref.__gxx_personality_v0 does.
 * Every entry is a multiple of 8 bytes long, filled with DW_CFA_nop. Entries that are to be longer than necessary get
 * instructions that change nothing: at some places of the function they remember the state, and restore it some
 * instructions later, as compilers do around a return in the middle of a function.
 */
#ifndef ELF_UNWIND_H
#define ELF_UNWIND_H

#include <stdint.h>

#include "elf/layout.h"

/* A function with a frame pointer: `push %rbp` as its first instruction, `mov
 * %rsp,%rbp` after it, `leave; ret` as its last two bytes. */
struct unwind_function {
    uint64_t address;
    uint64_t size;
    bool outermost; /* nobody called it, and it has no frame: unwinding ends here */
    bool frameless; /* it pushes nothing */
    bool landing;   /* it begins with an endbr64 before all else */
    uint64_t table; /* address of what the exception table says of it; 0: nothing */
};

/* Bytes of one function's entry in .eh_frame: 17 of header, 8 of prologue, 2, 3
 * or 5 to advance, 3 of epilogue. Narrow ones do for functions of less than
 * 64 KiB; all of a library's are of one kind, but those of frameless functions and of those
 * with an exception table, whose entries have 4 more for where that is. */
enum {
    UNWIND_FRAMELESS = 24,
    UNWIND_NARROW = 32,
    UNWIND_WIDE = 40,
    UNWIND_TABLED = 40,           /* with an exception table, of functions of any size; */
    UNWIND_TABLED_FRAMELESS = 32, /* dwarfdump wants more instructions than the 4 bytes that say where it is */
    UNWIND_TABLED_CIE = 32,
    UNWIND_UNIT = 8,
    UNWIND_END = 4
};

/* Fewer bytes than these make a function a small one, where profiles say how many there are. */
enum { UNWIND_SMALL = 96 };

/* `entries` is the bytes of all functions' entries, and of UNWIND_TABLED_CIE where any has an exception table. */
uint64_t unwind_frame_size(uint64_t entries, bool plt);
uint64_t unwind_header_size(uint32_t functions, bool plt);

/* A stretch of both sections, of functions only: where it is in memory, what stands
 * before it in .eh_frame, and the addresses of the sections. The first entry of
 * .eh_frame is that which unwind_write puts there. */
struct unwind_part {
    uint8_t *frame, *index;
    uint64_t before;
    uint64_t frame_address, index_address;
};

/* Writes `count` entries and as many rows of the index. */
void unwind_write_part(const struct unwind_part *part, const struct unwind_function *functions, uint32_t count,
                       uint32_t entry_size);

/* How many rows an index has in all, of which unwind_write has written the first. */
void unwind_write_rows(uint8_t *index, uint32_t rows);

/* Writes both sections. The functions are in order of address, after the PLT. An entry has `entry_size` bytes, or
 * UNWIND_FRAMELESS for a frameless function, or those of functions with exception tables; all entries together are
 * `more` times UNWIND_UNIT bytes longer. The rest of .eh_frame behind the zero word that ends it is filled with further
 * zero words. `personality` is the address of the word that holds the personality routine's; 0 where no function has an
 * exception table. */
void unwind_write(const struct layout *l, uint8_t *image, const struct unwind_function *functions, uint32_t count,
                  uint32_t entry_size, uint32_t more, uint64_t personality);

#endif
