/* The procedure linkage table (PLT), its GOT and its relocations.
 *
 * This is the PLT of the x86-64 psABI 1.0 section 5.2, as GNU ld writes it without IBT. Entry 0 pushes the link map and
 * jumps to the resolver. Each further entry of 16 bytes jumps through its slot. At first the slot leads back to the
 * second instruction of the entry (lazy binding).
 *
 *     PLT0:  ff 35 rel32       push  GOT+8(%rip)
 *            ff 25 rel32       jmp   *GOT+16(%rip)
 *            0f 1f 40 00       nopl  0(%rax)
 *     PLTn:  ff 25 rel32       jmp   *slot(%rip)
 *            68 imm32          push  $n
 *            e9 rel32          jmp   PLT0
 *
 * With -z ibt branches are checked (psABI 1.0 section 13): each target of an indirect branch begins with `endbr64`, and
 * code calls a second table, .plt.sec:
 *
 *     PLTn:  f3 0f 1e fa       endbr64
 *            68 imm32          push  $n
 *            e9 rel32          jmp   PLT0
 *            66 90             xchg  %ax,%ax
 *     SECn:  f3 0f 1e fa       endbr64
 *            ff 25 rel32       jmp   *slot(%rip)
 *            66 0f 1f 44 00 00 nopw  0(%rax,%rax,1)
 *
 * ld makes an entry of .plt.got for a function that has a word in .got anyway, such as __cxa_finalize. With -z ibt it
 * is like one of .plt.sec, without:
 *
 *            ff 25 rel32       jmp   *word(%rip)
 *            66 90             xchg  %ax,%ax
 */
#ifndef ELF_WRITE_PLT_H
#define ELF_WRITE_PLT_H

#include <stdint.h>

#include "elf/write/layout.h"

enum { PLT_ENTRY = 16, PLT_GOT_RESERVED = 24 };

#define PLT_LANDING "\xf3\x0f\x1e\xfa" /* endbr64 */
enum { PLT_LANDING_SIZE = 4 };

/* Bytes of an entry of .plt.got. */
static inline uint32_t plt_direct_size(bool cf_protection)
{
    return cf_protection ? 16 : 8;
}

static inline uint64_t plt_size(uint32_t slots)
{
    return slots ? PLT_ENTRY * (UINT64_C(1) + slots) : 0;
}

/* Bytes of .plt.sec. */
static inline uint64_t plt_second_size(uint32_t slots)
{
    return PLT_ENTRY * (uint64_t)slots;
}

static inline uint64_t plt_got_size(uint32_t slots)
{
    return PLT_GOT_RESERVED + UINT64_C(8) * slots;
}

static inline uint64_t plt_rela_size(uint32_t slots)
{
    return sizeof(Elf64_Rela) * (uint64_t)slots;
}

/* The address that code calls to reach `slot`. */
static inline uint64_t plt_address(const struct layout *l, uint32_t slot)
{
    if (l->cf_protection)
        return l->section[SECTION_PLT_SECOND].address + PLT_ENTRY * (uint64_t)slot;
    return l->section[SECTION_PLT].address + PLT_ENTRY * (UINT64_C(1) + slot);
}

/* Writes .plt, .plt.sec, .got.plt and .rela.plt. symbols[slot] is the index of the slot's symbol in .dynsym. */
void plt_write(const struct layout *l, uint8_t *image, uint32_t slots, const uint32_t *symbols);

/* Changes `slot`, which plt_write has written with any symbol, to one without a symbol (R_X86_64_IRELATIVE): the
 * dynamic linker fills it with what the function at address `function` returns. */
void plt_write_irelative(const struct layout *l, uint8_t *image, uint32_t slot, uint64_t function);

/* Writes entry `number` of .plt.got, which jumps through the word at address `word`. */
void plt_write_direct(const struct layout *l, uint8_t *image, uint32_t number, uint64_t word);

#endif
