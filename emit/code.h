/* The machine code of numbered functions.
 *
 * Each is a real function under the System V ABI, of the kind that gcc -O0
 * writes: it sets up a frame, spills its arguments, marks that it was visited,
 * mixes number and arguments into an accumulator, does something with its
 * locals, calls others through the PLT and returns the accumulator.
 *
 *     start  push %rbp; mov %rsp,%rbp; sub $128,%rsp      prologue
 *            spill of each argument to -16(%rbp), -24(%rbp), ...
 *            movb $1,visits+i(%rip)                        mark
 *            mov $own,%rax; mov %rax,-8(%rbp)              own number
 *            value * weight added, for each argument       mix
 *            pieces: statements over locals, constants and data
 *            arguments; call; add %rax,-8(%rbp)            for each call, in a loop where it is repeated
 *     end    mov -8(%rbp),%rax; leave; ret                 epilogue
 *
 * Size pass: code_least, then code_compose cuts what is left into pieces. Write
 * pass: code_write.
 */
#ifndef EMIT_CODE_H
#define EMIT_CODE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "emit/block.h"
#include "emit/calls.h"
#include "emit/filler.h"
#include "emit/function.h"
#include "emit/plan.h"

#define CODE_NO_SLOT UINT32_MAX

enum {
    CODE_ALIGN = 16,
    CODE_PROLOGUE = 11,
    CODE_MARK = 7,
    CODE_OWN = 14,
    CODE_CALL = 9,   /* call and adding the result */
    CODE_JUMP = 5,   /* to what another function calls */
    CODE_REPEAT = 7, /* before a call that is repeated: setting the counter */
    CODE_AGAIN = 5,  /* behind it */
    CODE_EPILOGUE = 6,
    CODE_PARAMETER_PLACE = -32, /* of the first spilled argument, from the CFA: -16(%rbp) */
    CODE_LOCAL_PLACE = FILLER_SLOT_FIRST - 16,
};

enum piece_kind {
    PIECE_BLOCK, /* a block of the stock: `first` is its number */
    PIECE_RUN,   /* a run of the filler: borders [first, last) */
    PIECE_GAP,   /* `first` bytes of loads */
};

struct piece {
    uint16_t first, last;
    uint8_t kind;
};

/* Where a function is and what it is made of. */
struct body {
    uint32_t offset; /* in .text */
    uint32_t size;   /* without what aligns the next */
    uint32_t pieces;
    struct piece *piece; /* the arena's */
};

/* One library's code, as both passes see it. */
struct code {
    const struct plan *plan;
    const struct plan_library *library;
    const struct calls *calls;       /* NULL: none */
    const struct function *own;      /* its numbered functions */
    const struct function *imported; /* those it imports, as calls->import */
    const struct filler *filler;
    const struct blocks *blocks;
    const uint32_t *slot;   /* PLT slot of each own function, or CODE_NO_SLOT */
    uint32_t import_slot;   /* of the first import, or call where the profile has rows */
    const uint64_t *target; /* what each slot calls, where there is no PLT between; or NULL */

    /* Addresses, and where .text is in the image; set before the write pass. */
    uint8_t *image;
    uint32_t helper[4]; /* offsets in .text */
    uint64_t text, plt, marks, constants_f, constants_d, scratch;
    uint64_t text_constant[CONSTANTS];
    uint32_t scratch_words;
    uint64_t objects, objects_size; /* the static objects in .data */
    /* What blocks refer to, by kind and number, and constants that are arguments, by type: lower halves of addresses.
     */
    uint32_t place[FIXUP_OBJECT][CONSTANTS], argument[ARGUMENT_TYPES][CONSTANTS];
};

/* Bytes of a function without any pieces. */
uint32_t code_least(const struct code *c, uint32_t index);

/* Makes b->pieces of exactly `bytes`; false when memory ran out. */
bool code_compose(const struct code *c, uint32_t index, uint64_t bytes, struct arena *arena, struct body *b);

/* To be called when addresses are known, before the first is written. */
void code_begin(struct code *c);

/* Writes the function at its offset; its body stands among those of all functions. */
void code_write(const struct code *c, uint32_t index, const struct body *b);

/* --- what there is to say about a function (describe.c) ------------------ */

/* DWARF's numbers of registers (psABI figure 3.36). */
enum {
    REGISTER_RDX = 1,
    REGISTER_RCX = 2,
    REGISTER_RSI = 4,
    REGISTER_RDI = 5,
    REGISTER_RBP = 6,
};

/* A parameter's way: in a register until it is spilled at `spilled`, then in its
 * slot, from where it is also in %rax for [loaded, used). Offsets from the
 * function's start. */
struct code_parameter {
    uint32_t reg; /* DWARF's number */
    uint32_t spilled, loaded, used;
};

/* Where a local is, from the CFA. */
static inline int32_t code_slot_place(uint32_t slot)
{
    return CODE_LOCAL_PLACE - 8 * (int32_t)slot;
}

/* Sets reg[f->count] to DWARF's numbers of the registers that its arguments are passed in. */
void code_registers(const struct function *f, uint8_t *reg);

/* Fills parameter[f->count]; returns the offset at which the last is spilled. */
uint32_t code_parameters(const struct function *f, struct code_parameter *parameter);

/* Bytes that mix argument j of f into the accumulator. */
uint32_t code_mix_size(const struct function *f, uint32_t j);

static inline uint32_t code_piece_size(const struct code *c, const struct piece *piece)
{
    switch (piece->kind) {
    case PIECE_BLOCK:
        return c->blocks->size[piece->first];
    case PIECE_RUN:
        return (uint32_t)c->filler->offset[piece->last] - c->filler->offset[piece->first];
    default:
        return piece->first;
    }
}

/* The t-th call of a function, from 0: into utilities, then that of the next
 * function. False where there is no such call; `last` tells that there are no
 * further ones. */
struct code_call_site {
    const struct function *callee;
    uint64_t caller; /* as call_values takes it */
    bool next;       /* the next numbered function */
    uint32_t repeat; /* times that it is called */
    bool last;
};
static inline uint32_t code_before_call(const struct code_call_site *site)
{
    return site->repeat > 1 ? CODE_REPEAT : 0;
}

static inline uint32_t code_behind_call(const struct code_call_site *site)
{
    return site->repeat > 1 ? CODE_AGAIN : 0;
}

bool code_call_site(const struct code *c, uint32_t index, const struct function *f, uint32_t t,
                    struct code_call_site *site);

/* --- what the glue of a module (glue.c) writes too ------------------- */

/* The address of the byte that p points to. */
static inline uint64_t code_address(const struct code *c, const uint8_t *p)
{
    return c->text + (uint64_t)(p - c->image);
}

/* Its functions begin at multiples of so many bytes. */
static inline uint32_t code_align(const struct plan_library *l)
{
    return l->unaligned ? 1 : CODE_ALIGN;
}

/* What so many bytes take at places of `align`. */
static inline uint32_t code_aligned(uint64_t size, uint32_t align)
{
    return (uint32_t)((size + align - 1) & ~(uint64_t)(align - 1));
}

/* A 32-bit operand relative to the next instruction, which begins `after` bytes
 * behind the operand. */
static inline uint8_t *code_relative(const struct code *c, uint8_t *p, uint64_t target, unsigned after)
{
    return put_u32(p, (uint32_t)(target - (code_address(c, p) + 4 + after)));
}

/* What the assembler puts between functions: `size` (below 16) bytes of nops. */
void code_pad(uint8_t *p, uint32_t size);

uint8_t *code_prologue(uint8_t *p);
uint8_t *code_epilogue(uint8_t *p);
uint8_t *code_mark(const struct code *c, uint8_t *p, uint32_t mark);
uint8_t *code_own(uint8_t *p, uint64_t own);
/* call, or jump, through the PLT, or right away */
uint8_t *code_call(const struct code *c, uint8_t *p, uint32_t slot);
uint8_t *code_jump(const struct code *c, uint8_t *p, uint32_t slot);
/* what it returned is added to the accumulator */
uint8_t *code_add_result(uint8_t *p);
/* the arguments of a call, and how many bytes that takes */
uint8_t *code_pass(const struct code *c, uint8_t *p, const struct function *callee, uint64_t caller);
uint32_t code_pass_size(const struct function *callee);

#endif
