/* Unwind tables: .eh_frame and its sorted index, .eh_frame_hdr.
 *
 * See LSB 5.0 core, "Exception Frames"; DWARF 5 section 6.4; x86-64 psABI 4.2.4. Four kinds of frame are described:
 * - a function that sets up %rbp and returns by `leave; ret`;
 * - a function, or a part of one, that says step by step how it has moved %rsp;
 * - the PLT, whose frame depends on the instruction;
 * - the outermost function, `_start`, which has no return address (psABI 3.4.1).
 *
 * Entries of functions with an exception table (except.h) have a CIE of their own. It points to the personality routine
 * through a word that holds the routine's address, as DW.ref.__gxx_personality_v0 does.
 *
 * Every entry is a multiple of 8 bytes long and filled up with DW_CFA_nop. An entry can be made longer than necessary.
 * What its steps do not need is instructions that change nothing. Where some of the function's instructions begin
 * (unwind_function.place) they repeat a rule that holds already, or remember the state and restore it some instructions
 * later, as compilers do around a return in the middle of a function.
 */
#ifndef ELF_WRITE_UNWIND_H
#define ELF_WRITE_UNWIND_H

#include <stdint.h>

#include "elf/write/layout.h"

/* What holds from offset `at` of a function on: the CFA is `words` words above %rsp, and register `reg` is saved `word`
 * words below the CFA or, if that is 0, has its value again. Offsets ascend; those of neighbours may be the same. */
enum {
    UNWIND_NO_REGISTER = UINT8_MAX,
    UNWIND_BY_RBP = UINT8_MAX, /* in place of `words`: the CFA is 2 words above %rbp */
};
struct unwind_step {
    uint32_t at;
    uint8_t words, word, reg;
};

/* A function. Unless it has steps or a flag says otherwise it has a frame pointer: its first instruction is
 * `push %rbp`, the second `mov %rsp,%rbp`, and its last two bytes are `leave; ret`. */
struct unwind_function {
    uint64_t address;
    uint64_t size;
    uint64_t table;                 /* address of its part of the exception table; 0: it has none */
    const struct unwind_step *step; /* its steps; NULL: it has none */
    const uint32_t *place;          /* offsets where instructions begin, ascending; may be NULL */
    uint32_t steps, places;         /* how many these are */
    uint32_t more;  /* units of UNWIND_UNIT bytes that its entry has beyond those that it has at least */
    bool outermost; /* nothing has called it and it has no frame, so unwinding ends here */
    bool frameless; /* it pushes nothing, so it has no frame pointer */
    bool part;      /* besides `frameless`: it is part of a function which has set up a frame; without steps, a frame
                       pointer */
    bool landing;   /* it begins with an endbr64 */
};

/* Bytes of one function's entry in .eh_frame. With a frame pointer: 17 of header, 8 of prologue, 2, 3 or 5 to advance,
 * 3 of epilogue. UNWIND_NARROW has room to advance by less than 64 KiB. All functions of a library have entries of one
 * of the two sizes, except frameless functions and those with an exception table, whose entries have 4 more bytes for
 * its address. */
enum {
    UNWIND_FRAMELESS = 24,
    UNWIND_NARROW = 32,
    UNWIND_WIDE = 40,
    UNWIND_TABLED = 40,           /* with an exception table, for functions of any size */
    UNWIND_TABLED_FRAMELESS = 32, /* dwarfdump wants more bytes of instructions than these 4 */
    UNWIND_TABLED_CIE = 32,
    UNWIND_UNIT = 8,
    UNWIND_END = 4,
    UNWIND_ROOM = 15, /* bytes for the instructions of an entry of UNWIND_NARROW; in one of UNWIND_WIDE 8 more */
    UNWIND_TABLE = 4, /* the address of the exception table */
};

/* Bytes of an instruction that advances by up to `bytes` bytes of code. */
static inline uint32_t unwind_advance(uint64_t bytes)
{
    return bytes < 0x40 ? 1 : bytes <= UINT8_MAX ? 2 : bytes <= UINT16_MAX ? 3 : 5;
}

/* A function of fewer bytes is a small one, where profiles count small functions. */
enum { UNWIND_SMALL = 96 };

/* The sizes of both sections in bytes. `entries` is the bytes of all functions' entries, and of UNWIND_TABLED_CIE if
 * any has an exception table. */
uint64_t unwind_frame_size(uint64_t entries, bool plt);
uint64_t unwind_header_size(uint32_t functions, bool plt);

/* A stretch of both sections that describes only functions: where it is in memory, how many bytes of .eh_frame come
 * before it, and the addresses of the sections. Its entries belong to the CIE with which .eh_frame begins and which
 * unwind_write writes. */
struct unwind_part {
    uint8_t *frame, *index;
    uint64_t before;
    uint64_t frame_address, index_address;
};

/* Writes `count` entries of `entry_size` bytes, and their rows of the index. */
void unwind_write_part(const struct unwind_part *part, const struct unwind_function *functions, uint32_t count,
                       uint32_t entry_size);

/* Sets the number of rows in an index that unwind_write has begun. */
void unwind_write_rows(uint8_t *index, uint32_t rows);

/* Writes both sections. The functions are in order of address and come after the PLT.
 *
 * An entry has `entry_size` bytes; those of frameless functions and of functions with exception tables have their own
 * sizes (see above). Each may be longer (unwind_function.more). A zero word ends the entries, and further zero words
 * fill .eh_frame up. `personality` is the address of the word that holds the personality routine's
 * address; 0 if no function has an exception table.
 */
void unwind_write(const struct layout *l, uint8_t *image, const struct unwind_function *functions, uint32_t count,
                  uint32_t entry_size, uint64_t personality);

#endif
