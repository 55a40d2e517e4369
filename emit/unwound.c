/* See unwound.h. */
#include "emit/unwound.h"

/* Bytes of an entry's instructions: those of a function without saved registers, but for one that advances from the
 * prologue to the epilogue; those of each saved register. */
enum { ALONE = 14, SAVED = 10 };

/* In the proportion of the row, in which the glue's frame pointers count, too. */
uint32_t unwound_by_rsp(const struct library *l)
{
    const struct plan_library *const row = l->row;
    if (!row->said || plan_is_direct(row) || library_is_part(l) || row->said->value[ROW_UNWIND_RSP] <= 0)
        return 0;
    const uint64_t rsp = (uint64_t)row->said->value[ROW_UNWIND_RSP];
    const uint64_t rbp = row->said->value[ROW_UNWIND_RBP] > 0 ? (uint64_t)row->said->value[ROW_UNWIND_RBP] : 0;
    const uint64_t frames = row->functions + UINT64_C(1) * glue_pointed(row, &l->glue);
    uint64_t count = frames * rsp / (rsp + rbp);
    count = count < row->functions ? count : row->functions;
    return count < row->extra.unwind ? (uint32_t)count : row->extra.unwind;
}

/* Whether a function is one of the `count` without a frame pointer, which are spread evenly. */
static bool is_by_rsp(const struct plan_library *row, uint32_t index, uint32_t count)
{
    return (index + UINT64_C(1)) * count / row->functions > (uint64_t)index * count / row->functions;
}

/* Bytes of instructions that the entry has room for. */
static uint32_t room_of(const struct library *l, const struct body *b)
{
    const bool wide = plan_unwind_entry(l->plan, l->row) == UNWIND_WIDE;
    const uint32_t least = UNWIND_ROOM + (wide ? UNWIND_WIDE - UNWIND_NARROW : 0);
    const uint32_t tabled = UNWIND_ROOM + (UNWIND_TABLED - UNWIND_NARROW) - UNWIND_TABLE;
    const uint32_t fewest = l->row->extra.tabled && tabled < least ? tabled : least;
    return fewest + UNWIND_UNIT * b->unwind - ALONE - unwind_advance(b->size);
}

uint32_t unwound_room(const struct library *l, const struct body *b)
{
    return b->frame.by_rsp ? room_of(l, b) - SAVED * (uint32_t)b->frame.saved : 0;
}

uint32_t unwound_part(const struct body *host)
{
    return host->frame.saved > 1;
}

/* Sets how many registers a function saves that has `code` bytes for that: as many as it can in three of four
 * functions, up to as many in the rest. One with a cold part leaves a unit to that, if it has to (unwound_part). */
static void choose_saved(const struct library *l, struct body *b, uint32_t index, uint32_t code, bool has_part)
{
    const uint64_t r = random_at(plan_key(l->row, PURPOSE_UNWIND), index);
    uint32_t most = room_of(l, b) / SAVED;
    if (has_part && most > 1) {
        most = (room_of(l, b) - UNWIND_UNIT) / SAVED;
        most = most > 1 ? most : 1;
    }
    most = most < FRAME_SAVED_MOST ? most : FRAME_SAVED_MOST;
    uint32_t saved = r & 3 ? most : random_below(r, most + 1);
    while (saved && frame_more((struct frame){true, (uint8_t)saved}) > code)
        saved--;
    b->frame.saved = (uint8_t)saved;
    if (has_part)
        b->unwind -= unwound_part(b);
}

void unwound_deal(struct library *l, const uint32_t *leasts)
{
    enum { WEIGHT_LEAST = 96 };
    const struct plan_library *const row = l->row;
    const uint32_t count = unwound_by_rsp(l);
    const uint64_t rest = row->extra.unwind - count;
    uint64_t weights = 0;
    uint64_t before = 0;
    uint32_t cold = 0;
    for (uint32_t i = 0; i < row->functions; i++)
        weights += is_by_rsp(row, i, count) ? l->body[i].size - leasts[i] + WEIGHT_LEAST : 0;
    for (uint32_t i = 0; i < row->functions; i++) {
        struct body *const b = &l->body[i];
        const bool has_part = cold < row->cold.count && row->cold.host[cold] == i;
        const uint32_t code = b->size - leasts[i];
        cold += has_part;
        b->frame = (struct frame){.by_rsp = is_by_rsp(row, i, count)};
        b->unwind = 0;
        if (!b->frame.by_rsp)
            continue;
        const uint64_t up_to = before + code + WEIGHT_LEAST;
        b->unwind = (uint32_t)(1 + rest * up_to / weights - rest * before / weights);
        before = up_to;
        choose_saved(l, b, i, has_part && code > CODE_LEAVE ? code - CODE_LEAVE : code, has_part);
    }
}

/* --- steps -------------------------------------------------------------------- */

uint32_t unwound_steps_most(const struct body *b)
{
    uint32_t steps = b->frame.by_rsp ? FRAME_STEPS_MOST : 0;
    for (uint32_t i = 0; i < b->pieces; i++)
        if (b->piece[i].kind == PIECE_PASS || b->piece[i].kind == PIECE_MOVE)
            steps += b->piece[i].last + 1u;
    return steps;
}

static struct unwind_step *moved(struct unwind_step *step, uint32_t at, uint32_t words)
{
    *step = (struct unwind_step){.at = at, .words = (uint16_t)words, .reg = UNWIND_NO_REGISTER};
    return step + 1;
}

uint32_t unwound_steps(const struct library *l, uint32_t index, struct unwind_step *step)
{
    const struct body *const b = &l->body[index];
    struct unwind_step *const first = step;
    struct code_parameter parameter[ARGUMENTS_MOST];
    const struct function *const f = &l->code.own[index];
    if (!b->frame.by_rsp)
        return 0;
    const uint32_t words = frame_words(b->frame);
    step = frame_enter(step, b->frame, plan_landing(l->row));
    uint32_t at = code_parameters(l->row, b->frame, f, parameter) + CODE_MARK + CODE_OWN;
    for (uint32_t j = 0; j < f->count; j++)
        at += code_mix_size(f, j);
    for (uint32_t i = 0; i < b->pieces; i++) {
        const struct piece *const piece = &b->piece[i];
        const uint32_t end = at + code_piece_size(&l->code, piece);
        if (piece->kind == PIECE_PASS || piece->kind == PIECE_MOVE) {
            for (uint32_t k = 1; k <= piece->last; k++)
                step = moved(step, at + CODE_PUSH * k, words + k);
            step = moved(step, end, words);
        }
        at = end;
    }
    step = frame_leave(step, b->frame, b->size - frame_epilogue_size(b->frame));
    return (uint32_t)(step - first);
}
