/* The code of frames, and what unwind tables say of it; see frame.h. The assembly stands beside the bytes. */
#include "emit/frame.h"

#include "base/bytes.h"

/* What registers are saved, in this order, by DWARF's numbers. */
static const uint8_t registers[FRAME_SAVED_MOST] = {FRAME_RBP, 12, 13, 14, 15};

/* Words from the CFA to %rsp before these are saved. */
static uint32_t words_before(struct frame f)
{
    return frame_words(f) - f.saved;
}

uint8_t *frame_put_prologue(uint8_t *p, struct frame f)
{
    static const char pushes[] = "\x41\x54\x41\x55\x41\x56\x41\x57"; /* push %r12 ... %r15 */
    if (!f.by_rsp)                                                   /* push %rbp; mov %rsp,%rbp; sub $128,%rsp */
        return put_bytes(p, "\x55\x48\x89\xe5\x48\x81\xec\x80\x00\x00\x00", FRAME_PROLOGUE);
    p = put_bytes(p, "\x53\x48\x89\xe3", 4);                          /* push %rbx; mov %rsp,%rbx */
    p = f.saved % 2 ? put_bytes(p, "\x48\x81\xec\x88\x00\x00\x00", 7) /* sub $136,%rsp */
                    : put_bytes(p, "\x48\x83\xc4\x80", 4);            /* add $-128,%rsp */
    if (!f.saved)
        return p;
    p = put_bytes(p, "\x55\x89\xfd", 3); /* push %rbp; mov %edi,%ebp */
    return put_bytes(p, pushes, 2u * (f.saved - 1u));
}

uint8_t *frame_put_epilogue(uint8_t *p, struct frame f)
{
    static const char pops[] = "\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d"; /* pop %r15 ... %r12; pop %rbp */
    if (!f.by_rsp)
        return put_bytes(p, "\x48\x8b\x45\xf8\xc9\xc3", FRAME_EPILOGUE); /* mov -8(%rbp),%rax; leave; ret */
    p = put_bytes(p, "\x48\x8b\x43\xf8", 4);                             /* mov -8(%rbx),%rax */
    if (f.saved)
        p = put_bytes(p, pops + 2u * (FRAME_SAVED_MOST - f.saved), 2u * f.saved - 1u);
    return put_bytes(p, "\x48\x89\xdc\x5b\xc3", 5); /* mov %rbx,%rsp; pop %rbx; ret */
}

static struct unwind_step *add(struct unwind_step *step, uint32_t at, uint32_t words, uint8_t reg)
{
    *step = (struct unwind_step){.at = at, .words = (uint8_t)words, .word = (uint8_t)words, .reg = reg};
    return step + 1;
}

struct unwind_step *frame_enter(struct unwind_step *step, struct frame f, uint32_t at)
{
    at += 1;
    step = add(step, at, 2, FRAME_RBX);
    at += f.saved % 2 ? 10 : 7;
    step = add(step, at, words_before(f), UNWIND_NO_REGISTER);
    for (uint32_t i = 0; i < f.saved; i++) {
        at += i == 0 ? 1 : i == 1 ? 4 : 2; /* in the second case, behind the mov and a push */
        step = add(step, at, words_before(f) + i + 1, registers[i]);
    }
    return step;
}

struct unwind_step *frame_leave(struct unwind_step *step, struct frame f, uint32_t at)
{
    at += 4;
    for (uint32_t i = f.saved; i > 0; i--) {
        at += i == 1 ? 1 : 2;
        step = add(step, at, words_before(f) + i - 1, registers[i - 1]);
        step[-1].word = 0; /* the place is out of reach of %rsp soon (psABI 3.2.2: the red zone has 128 bytes) */
    }
    at += 3;
    step = add(step, at, 2, UNWIND_NO_REGISTER);
    return add(step, at + 1, 1, UNWIND_NO_REGISTER);
}

struct unwind_step *frame_inside(struct unwind_step *step, struct frame f)
{
    step = add(step, 0, frame_words(f), FRAME_RBX);
    step[-1].word = 2;
    for (uint32_t i = 0; i < f.saved; i++) {
        step = add(step, 0, frame_words(f), registers[i]);
        step[-1].word = (uint8_t)(words_before(f) + i + 1);
    }
    return step;
}
