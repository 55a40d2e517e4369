/* The machine code of numbered functions.
 *
 * Each is a real function under the System V ABI, such as gcc -O0 writes. It sets up a frame, spills its arguments,
 * marks that it was visited, mixes its own number and its arguments into an accumulator, does something with its
 * locals, calls others through the PLT and returns the accumulator.
 *
 *     start  endbr64                                      only where branches are checked (profile_elf.cf_protection)
 *            push %rbp; mov %rsp,%rbp; sub $128,%rsp      prologue
 *            spill of each argument to -16(%rbp), -24(%rbp), ...
 *            movb $1,visits+i(%rip)                        mark
 *            mov $own,%rax; mov %rax,-8(%rbp)              own number
 *            value * weight added, for each argument       mix
 *            test %rsp,%rsp; je cold                       where it has a cold part (small.h)
 *            pieces: statements over locals, constants and data
 *            arguments; call; add %rax,-8(%rbp)            for each call, in a loop where it is repeated
 *     end    mov -8(%rbp),%rax; leave; ret                 epilogue
 *
 * A function without a frame pointer has another prologue and epilogue, and %rbx in place of %rbp (frame.h). Some of
 * its pieces move %rsp.
 *
 * Size pass: code_least says what a function takes without pieces, then code_compose cuts the rest into pieces. Write
 * pass: code_write.
 */
#ifndef EMIT_LIBRARY_CODE_H
#define EMIT_LIBRARY_CODE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "emit/plan/calls.h"
#include "emit/plan/function.h"
#include "emit/plan/plan.h"
#include "emit/stock/block.h"
#include "emit/stock/filler.h"
#include "emit/stock/frame.h"

#define CODE_NO_SLOT UINT32_MAX

enum {
    CODE_ALIGN = 16,
    CODE_PROLOGUE = FRAME_PROLOGUE,
    CODE_MARK = 7,
    CODE_OWN = 14,
    CODE_CALL = 9,                     /* a call, and the addition of its result */
    CODE_JUMP = 5,                     /* jmp rel32: a tail call in the glue or in a small function */
    CODE_REPEAT = 7,                   /* before a repeated call: sets the counter */
    CODE_AGAIN = 5,                    /* after a repeated call: counts down and jumps back */
    CODE_LEAVE = 9,                    /* a jump to the cold part */
    CODE_PUSH = 3,                     /* a push of a local */
    CODE_PASSES_LEAST = 2 * CODE_PUSH, /* of a piece that moves %rsp */
    CODE_DROP = 4,                     /* behind a call: takes from the stack what it was passed */
    CODE_EPILOGUE = FRAME_EPILOGUE,
    CODE_PARAMETER_PLACE = -32, /* of the first spilled argument, from the CFA: -16(%rbp) */
};

enum piece_kind {
    PIECE_BLOCK, /* a block of the stock: `first` is its number */
    PIECE_RUN,   /* a run of the filler: borders [first, last) */
    PIECE_GAP,   /* `first` bytes of loads */
    PIECE_WILD,  /* `first` bytes of instructions that occur nowhere else; never in a library with debug information */
    PIECE_LEAVE, /* `first` bytes that would jump to the function's cold part, if ever: CODE_LEAVE */
    PIECE_PASS,  /* `first` bytes: a call of a helper that is passed `last` words on the stack */
    PIECE_MOVE,  /* `first` bytes: `last` words go onto the stack, and from there to locals */
};

struct piece {
    uint16_t first, last;
    uint8_t kind;
};

/* Where a function is and what it is made of. */
struct body {
    uint32_t offset; /* in the code */
    uint32_t size;   /* without the padding behind it */
    int32_t cold;    /* offset of its cold part (small.h), which is before the code; 0: it has none */
    uint32_t unwind; /* units that its entry of the unwind tables has beyond those that it needs (unwound.h) */
    struct frame frame;
    uint32_t pieces;
    struct piece *piece; /* owned by the arena */
};

/* The code of one library, for both passes. */
struct code {
    const struct plan *plan;
    const struct plan_library *library;
    const struct calls *calls;       /* NULL: none */
    const struct function *own;      /* its numbered functions */
    const struct function *imported; /* the functions that it imports, in the order of calls->import */
    const struct filler *filler;
    const struct blocks *blocks;
    const uint32_t *slot;   /* PLT slot of each own function, or CODE_NO_SLOT */
    uint32_t import_slot;   /* PLT slot of the first import or, where the profile has rows, of the first import that is
                               called */
    const uint64_t *target; /* by slot, the address to call without a PLT; NULL: calls go through the PLT */

    /* Where the code is in the image, and addresses; set before the write pass. The code, from whose beginning all
     * offsets count, is .text without the cold parts that stand at the beginning of that. */
    uint8_t *image;
    uint32_t helper[4]; /* offsets */
    uint64_t text, slots, marks, constants_f, constants_d, scratch;
    uint64_t text_constant[CONSTANTS];
    uint32_t scratch_words;
    uint64_t objects, objects_size; /* the static objects in .data */
    /* Lower halves of addresses: of what blocks refer to, by enum fixup_kind and number; of constants that are passed,
     * by enum argument_type and number. */
    uint32_t place[FIXUP_OBJECT][CONSTANTS], argument[ARGUMENT_TYPES][CONSTANTS];
};

/* Bytes of a function without any pieces. */
uint32_t code_least(const struct code *c, uint32_t index);

/* Fills b->piece with pieces of exactly `bytes` bytes together. With `leaves` the first of them is PIECE_LEAVE, if
 * there is room. Some of the others move %rsp, so that unwind tables have up to `steps` bytes of instructions to say
 * so. False when memory ran out. */
bool code_compose(const struct code *c, uint32_t index, uint64_t bytes, bool leaves, uint32_t steps,
                  struct arena *arena, struct body *b);

/* To be called when addresses are known, before the first code_write. */
void code_begin(struct code *c);

/* Writes function `index` at its offset. `b` is its element in the array of the bodies of all functions. */
void code_write(const struct code *c, uint32_t index, const struct body *b);

/* --- what there is to say about a function (describe.c) ------------------ */

/* Where a parameter is: in register `reg` until it is spilled at `spilled`, then in its slot; during [loaded, used) it
 * is also in %rax. Offsets from the function's start. */
struct code_parameter {
    uint32_t reg; /* DWARF's number */
    uint32_t spilled, loaded, used;
};

/* Sets reg[f->count] to DWARF's numbers of the registers that its arguments are passed in. */
void code_registers(const struct function *f, uint8_t *reg);

/* Fills parameter[f->count]; returns the offset behind the last spill. */
uint32_t code_parameters(const struct plan_library *l, struct frame frame, const struct function *f,
                         struct code_parameter *parameter);

/* The offset at which the function's pieces begin. */
uint32_t code_first_piece(const struct plan_library *l, struct frame frame, const struct function *f);

/* Bytes of the code that mixes argument j of f into the accumulator. */
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

/* What a piece of the kind PIECE_PASS or PIECE_MOVE consists of: locals whose values are pushed, in that order; and the
 * call's helper, the local that it is passed in %rdi, and the number in %rsi. A move pops to that local. */
enum { CODE_WORDS_MOST = 6 };
struct code_passed {
    uint8_t words;
    uint8_t pushed[CODE_WORDS_MOST];
    uint8_t slot, helper;
    uint16_t value;
};
/* Of piece number `piece` of function `index`. */
struct code_passed code_passed(const struct code *c, uint32_t index, const struct body *b, uint32_t piece);

/* One call that a numbered function makes (code_call_site). */
struct code_call_site {
    const struct function *callee;
    uint64_t caller; /* what call_values takes */
    bool next;       /* it calls the next numbered function of its chain */
    uint32_t repeat; /* how many times the call is made */
    bool last;       /* it is the last call of the function */
};

/* Bytes of the code before and behind a call that repeats the call. */
static inline uint32_t code_before_call(const struct code_call_site *site)
{
    return site->repeat > 1 ? CODE_REPEAT : 0;
}

static inline uint32_t code_behind_call(const struct code_call_site *site)
{
    return site->repeat > 1 ? CODE_AGAIN : 0;
}

/* Fills *site for call t, from 0, of function `index`, which is `f`. Calls into other libraries come first, then that
 * of the next function. False where there is no such call; site->last is set all the same. */
bool code_call_site(const struct code *c, uint32_t index, const struct function *f, uint32_t t,
                    struct code_call_site *site);

/* --- what the glue of a module (glue.c) writes too ------------------- */

/* The address of the byte that p points to. */
static inline uint64_t code_address(const struct code *c, const uint8_t *p)
{
    return c->text + (uint64_t)(p - c->image);
}

/* The library's functions begin at multiples of this. */
static inline uint32_t code_align(const struct plan_library *l)
{
    return l->unaligned ? 1 : CODE_ALIGN;
}

/* `size` rounded up to a multiple of `align`. */
static inline uint32_t code_aligned(uint64_t size, uint32_t align)
{
    return (uint32_t)((size + align - 1) & ~(uint64_t)(align - 1));
}

/* Writes the 32-bit operand of an instruction that refers to `target` relative to the next instruction, which begins
 * `after` bytes behind the operand. */
static inline uint8_t *code_relative(const struct code *c, uint8_t *p, uint64_t target, unsigned after)
{
    return put_u32(p, (uint32_t)(target - (code_address(c, p) + 4 + after)));
}

/* What the assembler puts between functions: `size` (below 16) bytes of nops. */
void code_pad(uint8_t *p, uint32_t size);

uint8_t *code_landing(const struct code *c, uint8_t *p);
uint8_t *code_mark(const struct code *c, uint8_t *p, uint32_t mark);
uint8_t *code_own(uint8_t *p, struct frame frame, uint64_t own);
/* A call, or jump, to the function that the PLT slot is for: through the PLT, or directly if c->target is set. */
uint8_t *code_call(const struct code *c, uint8_t *p, uint32_t slot);
uint8_t *code_jump(const struct code *c, uint8_t *p, uint32_t slot);
/* Adds the value that a call returned to the accumulator. */
uint8_t *code_add_result(uint8_t *p, struct frame frame);
/* Loads the arguments of a call; the bytes of code that this takes. */
uint8_t *code_pass(const struct code *c, uint8_t *p, const struct function *callee, uint64_t caller);
uint32_t code_pass_size(const struct function *callee);

#endif
