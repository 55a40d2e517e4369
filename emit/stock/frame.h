/* The frames of numbered functions.
 *
 * Most functions have a frame pointer, as in code without optimisation: locals are below %rbp, and the unwind tables
 * find the frame by %rbp. The others are like optimised code. Their locals are below %rbx, which points to where %rbp
 * would point to. The tables find the frame by %rsp, so they tell of each instruction that moves it. Such a function
 * may pass arguments on the stack. Either kind may save registers that it does not need.
 *
 *     with a frame pointer                  without one
 *     push %rbp                             push %rbx
 *     mov %rsp,%rbp                         mov %rsp,%rbx
 *     sub $128,%rsp                         add $-128,%rsp    or, for an odd number of registers, sub $136,%rsp
 *     push %rbx, %r12 ... %r15              push %rbp; mov %edi,%ebp; push %r12 ... %r15
 *     ...                                   ...
 *     mov -8(%rbp),%rax                     mov -8(%rbx),%rax
 *     pop %r15 ... %r12, %rbx               pop %r15 ... %r12; pop %rbp
 *     leave                                 mov %rbx,%rsp; pop %rbx
 *     ret                                   ret
 *
 * Without these registers both take as many bytes together. So all else is the same, but for the register that operands
 * are relative to.
 */
#ifndef EMIT_STOCK_FRAME_H
#define EMIT_STOCK_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/write/unwind.h"

enum {
    FRAME_PROLOGUE = 11, /* bytes of both with a frame pointer */
    FRAME_EPILOGUE = 6,
    FRAME_SAVED_MOST = 5,
    FRAME_RBP = 6, /* DWARF's numbers of the registers that locals are below (psABI figure 3.36) */
    FRAME_RBX = 3,
    FRAME_STEPS_MOST = 2 * FRAME_SAVED_MOST + 4, /* of prologue and epilogue */
};

struct frame {
    bool by_rsp;   /* it has no frame pointer */
    uint8_t saved; /* registers that it saves besides %rbp or, with `by_rsp`, %rbx; up to FRAME_SAVED_MOST */
};

/* DWARF's numbers of registers (psABI figure 3.36). */
enum {
    REGISTER_RDX = 1,
    REGISTER_RCX = 2,
    REGISTER_R8 = 8,
    REGISTER_R9 = 9,
    REGISTER_RSI = 4,
    REGISTER_RDI = 5,
    REGISTER_XMM0 = 17, /* the others are behind it */
};

/* Bytes that the registers `saved` take: in the prologue, and in the epilogue. */
static inline uint32_t frame_saves_size(struct frame f)
{
    const uint32_t moves = f.by_rsp ? 2 : 0; /* bytes of the mov to %ebp */
    return f.saved ? moves + 2u * f.saved - 1 : 0;
}
static inline uint32_t frame_restores_size(struct frame f)
{
    return f.saved ? 2u * f.saved - 1 : 0;
}

static inline uint32_t frame_prologue_size(struct frame f)
{
    return (f.by_rsp ? 8 + 3u * (f.saved % 2) : (uint32_t)FRAME_PROLOGUE) + frame_saves_size(f);
}
static inline uint32_t frame_epilogue_size(struct frame f)
{
    return (f.by_rsp ? 9 : (uint32_t)FRAME_EPILOGUE) + frame_restores_size(f);
}

/* Bytes of both beyond those with a frame pointer. */
static inline uint32_t frame_more(struct frame f)
{
    return frame_prologue_size(f) + frame_epilogue_size(f) - FRAME_PROLOGUE - FRAME_EPILOGUE;
}

/* The register that locals are below, by DWARF's number; and the ModRM byte `operand`, of an operand at a byte's
 * displacement from %rbp, for that register. */
static inline uint8_t frame_base(struct frame f)
{
    return f.by_rsp ? FRAME_RBX : FRAME_RBP;
}
static inline uint8_t frame_operand(struct frame f, uint8_t operand)
{
    return (uint8_t)(operand - (f.by_rsp ? 2 : 0)); /* 101 is %rbp, 011 %rbx */
}

/* Write the prologue, behind the endbr64 where there is one, and the epilogue. */
uint8_t *frame_put_prologue(uint8_t *p, struct frame f);
uint8_t *frame_put_epilogue(uint8_t *p, struct frame f);

/* With `by_rsp`: bytes of the prologue behind the last instruction that moves %rsp. */
static inline uint32_t frame_behind(struct frame f)
{
    return f.saved == 1 ? 2 : 0;
}

/* Words from the CFA to %rsp between prologue and epilogue. */
static inline uint32_t frame_words(struct frame f)
{
    return 18u + f.saved % 2 + f.saved;
}

/* The steps of the unwind table in the prologue, which begins at offset `at`; those in the epilogue; and those that a
 * part of the function begins with, which its prologue has led to. They return the place behind the last. */
struct unwind_step *frame_enter(struct unwind_step *step, struct frame f, uint32_t at);
struct unwind_step *frame_leave(struct unwind_step *step, struct frame f, uint32_t at);
struct unwind_step *frame_inside(struct unwind_step *step, struct frame f);

#endif
