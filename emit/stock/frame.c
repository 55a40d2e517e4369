/* The code of frames, and what unwind tables say of it; see frame.h. The assembly stands beside the bytes. */
#include "emit/stock/frame.h"

#include "base/bytes.h"

/* What registers are saved, in this order, by DWARF's numbers: with a frame pointer, and without. */
static const uint8_t registers[2][FRAME_SAVED_MOST] = {{FRAME_RBX, 12, 13, 14, 15}, {FRAME_RBP, 12, 13, 14, 15}};

/* Words from the CFA to %rsp before these are saved. */
static uint32_t words_before(struct frame f)
{
    return frame_words(f) - f.saved;
}

/* Pushes what else is saved, behind the first register: %r12 ... %r15. */
static uint8_t *put_pushes(uint8_t *p, struct frame f)
{
    return put_bytes(p, "\x41\x54\x41\x55\x41\x56\x41\x57", 2u * (f.saved - 1u));
}

uint8_t *frame_put_prologue(uint8_t *p, struct frame f)
{
    if (!f.by_rsp) { /* push %rbp; mov %rsp,%rbp; sub $128 or $136,%rsp */
        p = put_bytes(p, "\x55\x48\x89\xe5\x48\x81\xec\x80\x00\x00\x00", FRAME_PROLOGUE);
        if (!f.saved)
            return p;
        p[-4] = (uint8_t)(128 + 8 * (f.saved % 2));
        return put_pushes(put_u8(p, 0x53), f); /* push %rbx */
    }
    p = put_bytes(p, "\x53\x48\x89\xe3", 4);                             /* push %rbx; mov %rsp,%rbx */
    p = f.saved % 2 ? put_bytes(p, "\x48\x81\xec\x88\x00\x00\x00", 7)    /* sub $136,%rsp */
                    : put_bytes(p, "\x48\x83\xc4\x80", 4);               /* add $-128,%rsp */
    return f.saved ? put_pushes(put_bytes(p, "\x55\x89\xfd", 3), f) : p; /* push %rbp; mov %edi,%ebp */
}

/* Pops what was saved: %r15 ... %r12, and `first`, the instruction for the first register. */
static uint8_t *put_pops(uint8_t *p, struct frame f, uint8_t first)
{
    static const char pops[] = "\x41\x5f\x41\x5e\x41\x5d\x41\x5c"; /* pop %r15 ... %r12 */
    if (!f.saved)
        return p;
    p = put_bytes(p, pops + 2u * (FRAME_SAVED_MOST - f.saved), 2u * (f.saved - 1u));
    return put_u8(p, first);
}

uint8_t *frame_put_epilogue(uint8_t *p, struct frame f)
{
    if (!f.by_rsp && !f.saved)
        return put_bytes(p, "\x48\x8b\x45\xf8\xc9\xc3", FRAME_EPILOGUE); /* mov -8(%rbp),%rax; leave; ret */
    if (!f.by_rsp) {
        p = put_pops(put_bytes(p, "\x48\x8b\x45\xf8", 4), f, 0x5b); /* pop %rbx */
        return put_bytes(p, "\xc9\xc3", 2);
    }
    p = put_pops(put_bytes(p, "\x48\x8b\x43\xf8", 4), f, 0x5d); /* mov -8(%rbx),%rax; pop %rbp */
    return put_bytes(p, "\x48\x89\xdc\x5b\xc3", 5);             /* mov %rbx,%rsp; pop %rbx; ret */
}

static struct unwind_step *add(struct unwind_step *step, uint32_t at, uint32_t words, uint8_t reg)
{
    *step = (struct unwind_step){.at = at, .words = (uint8_t)words, .word = (uint8_t)words, .reg = reg};
    return step + 1;
}

/* Adds that the registers are saved where the prologue has put them. */
static struct unwind_step *add_saved(struct unwind_step *step, uint32_t at, uint32_t words, struct frame f)
{
    for (uint32_t i = 0; i < f.saved; i++) {
        step = add(step, at, words, registers[f.by_rsp][i]);
        step[-1].word = (uint8_t)(words_before(f) + i + 1);
    }
    return step;
}

/* With a frame pointer the pushes change nothing but where registers are, which are as they were until then. */
static struct unwind_step *enter_pointed(struct unwind_step *step, struct frame f, uint32_t at)
{
    step = add(step, at + 1, 2, FRAME_RBP);
    step = add(step, at + 4, UNWIND_BY_RBP, UNWIND_NO_REGISTER);
    return add_saved(step, at + frame_prologue_size(f), UNWIND_BY_RBP, f);
}

struct unwind_step *frame_enter(struct unwind_step *step, struct frame f, uint32_t at)
{
    if (!f.by_rsp)
        return enter_pointed(step, f, at);
    at += 1;
    step = add(step, at, 2, FRAME_RBX);
    at += f.saved % 2 ? 10 : 7;
    step = add(step, at, words_before(f), UNWIND_NO_REGISTER);
    for (uint32_t i = 0; i < f.saved; i++) {
        at += i == 0 ? 1 : i == 1 ? 4 : 2; /* in the second case, behind the mov and a push */
        step = add(step, at, words_before(f) + i + 1, registers[true][i]);
    }
    return step;
}

/* A saved register has its value again. Its place is out of reach of %rsp then, or soon (psABI 3.2.2: the red zone has
 * 128 bytes). */
static struct unwind_step *add_restored(struct unwind_step *step, uint32_t at, uint32_t words, uint8_t reg)
{
    step = add(step, at, words, reg);
    step[-1].word = 0;
    return step;
}

struct unwind_step *frame_leave(struct unwind_step *step, struct frame f, uint32_t at)
{
    if (!f.by_rsp) {
        const uint32_t returns = at + frame_epilogue_size(f) - 1;
        for (uint32_t i = 0; i < f.saved; i++)
            step = add_restored(step, returns, 1, registers[false][i]);
        return step;
    }
    at += 4;
    for (uint32_t i = f.saved; i > 0; i--) {
        at += i == 1 ? 1 : 2;
        step = add_restored(step, at, words_before(f) + i - 1, registers[true][i - 1]);
    }
    at += 3;
    step = add(step, at, 2, UNWIND_NO_REGISTER);
    return add(step, at + 1, 1, UNWIND_NO_REGISTER);
}

struct unwind_step *frame_inside(struct unwind_step *step, struct frame f)
{
    const uint32_t words = f.by_rsp ? frame_words(f) : UNWIND_BY_RBP;
    step = add(step, 0, words, frame_base(f));
    step[-1].word = 2;
    return add_saved(step, 0, words, f);
}
