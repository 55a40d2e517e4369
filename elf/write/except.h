/* Exception tables: .gcc_except_table, which tells where a function continues when an exception passes through it.
 *
 * See LSB 5.0 core, "Exception Frames"; Itanium C++ ABI, "Exception Handling Tables". The section has a part for each
 * function that catches or cleans up: its language-specific data area. The function's entry in .eh_frame points to the
 * part (unwind.h). Nothing stands between two parts.
 *
 *     0xff        landing pads are relative to where the function begins
 *     0xff        there are no types, or:
 *     0x9b uleb   how types are encoded, and how far behind this number their table ends
 *     0x01 uleb   call sites are ULEB128; their bytes
 *     uleb*4      of each call site, in order: where it begins, its bytes, its landing pad or 0, its action or 0
 *     sleb*2      of each action: the type that it catches, 0 for a cleanup; how far from here the next one is, or 0
 *     4           of each type: 0 for any, as `catch (...)` has it
 *
 * A part can have any size from EXCEPT_LEAST on: actions of two bytes fill what call sites leave. If an odd byte is
 * left, the number of the call sites' bytes takes one byte more than it needs.
 */
#ifndef ELF_WRITE_EXCEPT_H
#define ELF_WRITE_EXCEPT_H

#include <stdint.h>

/* A stretch of a function's code. All offsets count from the beginning of the function. */
struct except_site {
    uint32_t start, size;
    uint32_t pad; /* its landing pad; 0: it has none */
};

enum { EXCEPT_LEAST = 4 /* bytes of a part without call sites and actions */ };

/* Writes a part of `size` bytes, at least EXCEPT_LEAST, to be at `address`. It takes as many of the call sites, which
 * are in ascending order, as there is room for. It has types if it ends at a multiple of 4, its first call site has a
 * landing pad, and there is room. Returns `p + size`. */
uint8_t *except_write(uint8_t *p, uint64_t address, uint32_t size, const struct except_site *site, uint32_t sites);

#endif
