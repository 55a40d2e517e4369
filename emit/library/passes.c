/* See passes.h. The assembly stands beside the bytes. */
#include "emit/library/passes.h"

#include "base/bytes.h"

/* Bytes of a call besides its pushes; of a move. */
enum { PASS_SIZE = 18, MOVE_SIZE = CODE_PASSES_LEAST };

/* Bytes of the unwind table that tell of a piece that pushes so many words. One step tells how it ends. */
static uint32_t steps_of(const struct passes *p, uint32_t words)
{
    enum { OFFSET = 3, NEAR = 1 };
    return unwind_advance(p->since + CODE_PUSH) + OFFSET + words * (NEAR + OFFSET);
}

static bool passes_fit(const struct passes *p, uint32_t words, uint32_t code)
{
    return steps_of(p, words) <= p->steps && code <= p->code;
}

bool passes_next(struct passes *p, uint64_t r, struct piece *piece)
{
    uint32_t words = 2 + 2 * random_below(r, CODE_WORDS_MOST / 2);
    while (words && !(p->calls && passes_fit(p, words, PASS_SIZE + CODE_PUSH * words)))
        words -= 2;
    if (words)
        *piece = (struct piece){
            .kind = PIECE_PASS, .first = (uint16_t)(PASS_SIZE + CODE_PUSH * words), .last = (uint16_t)words};
    else if (passes_fit(p, 1, MOVE_SIZE))
        *piece = (struct piece){.kind = PIECE_MOVE, .first = MOVE_SIZE, .last = 1};
    else
        return false;
    p->steps -= steps_of(p, piece->last);
    p->code -= piece->first;
    p->since = 0;
    return true;
}

struct passes passes_of(const struct code *c, uint64_t *bytes, uint32_t steps)
{
    enum { CODE_OF = 7, STEPS_OF = 4 }; /* bytes of code for so many of the unwind table */
    const uint64_t wanted = (uint64_t)steps * CODE_OF / STEPS_OF;
    const uint64_t most = *bytes / 2;
    const struct passes p = {
        .code = wanted < most ? wanted : most, .steps = steps, .calls = c->library->level != LEVEL_BARE};
    *bytes -= p.code;
    return p;
}

/* As many of these pieces are alike as blocks with the same constants (alike.h). */
struct code_passed code_passed(const struct code *c, uint32_t index, const struct body *b, uint32_t piece)
{
    enum { SHAPES = 8 };
    const struct alike_code alike = c->library->alike_code;
    const uint64_t words = b->piece[piece].last;
    struct random random = {random_at(random_at(plan_key(c->library, PURPOSE_PASSED), index), piece)};
    uint64_t r = random_next(&random);
    if ((r & UINT8_MAX) < alike.constants) {
        random.state = random_mix(words * SHAPES + (alike_is_most(alike) ? 0 : (r >> 8) % SHAPES));
        r = random_next(&random);
    }
    struct code_passed p = {.words = (uint8_t)words,
                            .slot = (uint8_t)random_below(r, FILLER_SLOTS),
                            .helper = (uint8_t)(r % BLOCK_HELPERS),
                            .value = (uint16_t)(r >> 8)};
    for (uint32_t i = 0; i < p.words; i++)
        p.pushed[i] = (uint8_t)random_below(random_next(&random), FILLER_SLOTS);
    return p;
}

/* Writes an instruction whose operand is a local, `size` bytes without the displacement. */
static uint8_t *put_local(uint8_t *p, struct frame frame, const char *instruction, size_t size, uint32_t slot)
{
    p = put_bytes(p, instruction, size);
    p[-1] = frame_operand(frame, p[-1]);
    return put_u8(p, filler_displacement(slot));
}

/* Writes a piece that moves %rsp. It begins with pushes of locals. */
static uint8_t *put_passed(const struct code *c, uint8_t *p, struct frame frame, const struct code_passed *w,
                           bool calls)
{
    for (uint32_t i = 0; i < w->words; i++)
        p = put_local(p, frame, "\xff\x75", 2, w->pushed[i]); /* push d(%rbp) */
    if (!calls)
        return put_local(p, frame, "\x8f\x45", 2, w->slot);                                       /* pop d(%rbp) */
    p = put_local(p, frame, "\x48\x8b\x7d", 3, w->slot);                                          /* mov d(%rbp),%rdi */
    p = put_u32(put_u8(p, 0xbe), w->value);                                                       /* mov $value,%esi */
    p = code_relative(c, put_u8(p, 0xe8), c->place[FIXUP_HELPER][w->helper], 0);                  /* call helper */
    return put_bytes(p, (const uint8_t[]){0x48, 0x83, 0xc4, (uint8_t)(8 * w->words)}, CODE_DROP); /* add $n,%rsp */
}

uint8_t *passes_put(const struct code *c, uint8_t *p, uint32_t index, const struct body *b, uint32_t piece)
{
    const struct code_passed passed = code_passed(c, index, b, piece);
    return put_passed(c, p, b->frame, &passed, b->piece[piece].kind == PIECE_PASS);
}
