/* See unwound.h. */
#include "emit/library/unwound.h"

#include "base/shares.h"

/* Bytes of an entry's instructions: those of a function without saved registers, but for one that advances from the
 * prologue to the epilogue; those of each saved register. With a frame pointer, and one byte for all registers. */
enum { ALONE = 14, SAVED = 11, POINTED = 11, POINTED_SAVED = 3, POINTED_ALL = 1 };

/* How many functions have no frame pointer: of those with a cold part, whose entry counts, too, and of the others. */
struct by_rsp {
    uint32_t hosts, others;
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* In the proportion of the row, in which the glue's frames count, too; at most one function for each unit that
 * there is. */
static struct by_rsp by_rsp_of(const struct library *l)
{
    const struct plan_library *const row = l->row;
    if (!row->said || row->said->value[ROW_UNWIND_RSP] <= 0)
        return (struct by_rsp){0};
    const uint64_t rsp = (uint64_t)row->said->value[ROW_UNWIND_RSP];
    const uint64_t rbp = row->said->value[ROW_UNWIND_RBP] > 0 ? (uint64_t)row->said->value[ROW_UNWIND_RBP] : 0;
    const uint64_t hosts = row->cold.count;
    const uint64_t own = row->functions + hosts;
    const struct glue_frames glue = glue_frames(row, &l->glue);
    const uint64_t all = (own + glue.by_rbp + glue.by_rsp) * rsp / (rsp + rbp);
    const uint64_t entries = smaller(all > glue.by_rsp ? all - glue.by_rsp : 0, own);
    const uint64_t chosen = smaller(own ? (2 * hosts * entries / own + 1) / 2 : 0, entries / 2);
    const uint64_t others = smaller(entries - 2 * chosen, row->functions - hosts);
    const uint64_t units = row->extra.unwound.spare;
    return (struct by_rsp){(uint32_t)smaller(chosen, units), (uint32_t)smaller(others, units - smaller(chosen, units))};
}

/* Bytes of instructions that the entry has room for. */
static uint32_t room_of(const struct library *l, const struct body *b)
{
    const bool wide = plan_unwind_entry(l->plan, l->row) == UNWIND_WIDE;
    const uint32_t least = UNWIND_ROOM + (wide ? UNWIND_WIDE - UNWIND_NARROW : 0);
    const uint32_t tabled = UNWIND_ROOM + (UNWIND_TABLED - UNWIND_NARROW) - UNWIND_TABLE;
    const uint32_t fewest = l->row->extra.unwound.tabled && tabled < least ? tabled : least;
    const uint32_t alone = b->frame.by_rsp ? ALONE : POINTED;
    return fewest + UNWIND_UNIT * b->unwind - alone - unwind_advance(b->size);
}

uint32_t unwound_room(const struct library *l, const struct body *b)
{
    return b->frame.by_rsp ? room_of(l, b) - SAVED * (uint32_t)b->frame.saved : 0;
}

uint32_t unwound_part(const struct body *host)
{
    return host->frame.saved > 1;
}

/* How many registers there is room for in `room` bytes of instructions. */
static uint32_t saved_most(struct frame f, uint32_t room)
{
    const uint32_t most = f.by_rsp ? room / SAVED : room > POINTED_ALL ? (room - POINTED_ALL) / POINTED_SAVED : 0;
    return most < FRAME_SAVED_MOST ? most : FRAME_SAVED_MOST;
}

/* Sets how many registers a function saves that has `code` bytes for that: as many as it can in three of four
 * functions, up to as many in the rest. One with a cold part leaves a unit to that, if it has to (unwound_part). */
static void choose_saved(const struct library *l, struct body *b, uint32_t index, uint32_t code)
{
    const bool has_part = b->cold != 0;
    const uint64_t r = random_at(plan_key(l->row, PURPOSE_UNWIND), index);
    const uint32_t room = room_of(l, b);
    uint32_t most = saved_most(b->frame, room);
    if (has_part && most > 1) {
        most = b->unwind && room > UNWIND_UNIT ? saved_most(b->frame, room - UNWIND_UNIT) : 1;
        most = most > 1 ? most : 1;
    }
    uint32_t saved = r & 3 ? most : random_below(r, most + 1);
    while (saved && frame_more((struct frame){b->frame.by_rsp, (uint8_t)saved}) > code)
        saved--;
    b->frame.saved = (uint8_t)saved;
    if (has_part)
        b->unwind -= unwound_part(b);
}

/* Chooses `wanted` of functions by chance: a walk over `left` of them, in which each has its turn. */
struct choice {
    uint32_t left, wanted;
};

static bool choose(struct choice *c, uint64_t r)
{
    const bool is_chosen = random_below(r, c->left--) < c->wanted;
    c->wanted -= is_chosen;
    return is_chosen;
}

/* Chooses functions without a frame pointer. Returns how many there are. The others have one already. */
static uint32_t choose_frames(struct library *l)
{
    const struct plan_library *const row = l->row;
    const struct by_rsp count = by_rsp_of(l);
    const uint64_t key = random_mix(plan_key(row, PURPOSE_UNWIND));
    struct choice hosts = {row->cold.count, count.hosts};
    struct choice others = {row->functions - row->cold.count, count.others};
    for (uint32_t i = 0; hosts.wanted + others.wanted; i++)
        l->body[i].frame.by_rsp = choose(l->body[i].cold ? &hosts : &others, random_at(key, i));
    return count.hosts + count.others;
}

/* The most units that a function can make use of, which has so much free code: for the registers that it saves, and for
 * pieces of half of the code, which take no more than so many bytes of the table for so many of code. */
static uint64_t units_most(uint32_t code)
{
    enum { TABLE = 3, CODE = 4 };
    return 1 + (SAVED * FRAME_SAVED_MOST + (uint64_t)code / 2 * TABLE / CODE) / UNWIND_UNIT;
}

/* The weight by which a function gets its share of the units, if it has so much free code. */
static uint64_t weight_of(struct frame f, uint32_t code)
{
    enum { WEIGHT_LEAST = 96 };
    return f.by_rsp ? code + UINT64_C(1) * WEIGHT_LEAST : 1;
}

/* Deals out units to functions without a frame pointer (`by_rsp`), or to those with one. Returns how many it has. */
static uint64_t deal(struct library *l, const uint32_t *leasts, bool by_rsp, uint64_t units)
{
    struct shares shares = {.sum = units};
    uint64_t dealt = 0;
    for (uint32_t i = 0; i < l->row->functions; i++)
        shares.weights +=
            l->body[i].frame.by_rsp == by_rsp ? weight_of(l->body[i].frame, l->body[i].size - leasts[i]) : 0;
    for (uint32_t i = 0; i < l->row->functions; i++) {
        struct body *const b = &l->body[i];
        const uint32_t code = b->size - leasts[i];
        if (b->frame.by_rsp != by_rsp)
            continue;
        const uint64_t share = shares_next(&shares, weight_of(b->frame, code));
        b->unwind = (uint32_t)(by_rsp ? 1 + smaller(share, units_most(code)) : share);
        dealt += b->unwind;
        if (b->unwind)
            choose_saved(l, b, i, b->cold && code >= CODE_LEAVE ? code - CODE_LEAVE : code);
    }
    return dealt;
}

void unwound_deal(struct library *l, const uint32_t *leasts)
{
    const uint64_t units = library_is_part(l) ? 0 : l->row->extra.unwound.spare;
    const uint32_t by_rsp = choose_frames(l);
    const uint64_t dealt = by_rsp ? deal(l, leasts, true, units - by_rsp) : 0;
    const bool says_pointed = l->row->said && l->row->said->value[ROW_UNWIND_RBP] > 0;
    if (units > dealt && by_rsp < l->row->functions && says_pointed)
        deal(l, leasts, false, units - dealt);
}

/* --- steps -------------------------------------------------------------------- */

uint32_t unwound_steps_most(const struct body *b)
{
    uint32_t steps = unwound_has_steps(b) ? FRAME_STEPS_MOST : 0;
    for (uint32_t i = 0; i < b->pieces; i++)
        if (b->piece[i].kind == PIECE_PASS || b->piece[i].kind == PIECE_MOVE)
            steps += b->piece[i].last + 1u;
    return steps;
}

static struct unwind_step *moved(struct unwind_step *step, uint32_t at, uint32_t words)
{
    *step = (struct unwind_step){.at = at, .words = (uint8_t)words, .reg = UNWIND_NO_REGISTER};
    return step + 1;
}

uint32_t unwound_steps(const struct library *l, uint32_t index, struct unwind_step *step)
{
    const struct body *const b = &l->body[index];
    struct unwind_step *const first = step;
    if (!unwound_has_steps(b))
        return 0;
    const uint32_t words = frame_words(b->frame);
    step = frame_enter(step, b->frame, plan_landing(l->row));
    uint32_t at = code_first_piece(l->row, b->frame, &l->code.own[index]);
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

/* --- places -------------------------------------------------------------------- */

/* Where instructions begin in a function, so far; nowhere: they are only counted. */
struct places {
    uint32_t *place;
    uint32_t count;
};

static void add_place(struct places *p, uint32_t at)
{
    if (p->place)
        p->place[p->count] = at;
    p->count++;
}

static void add_run(struct places *p, const struct filler *f, uint32_t at, uint32_t first, uint32_t last)
{
    for (uint32_t k = first; k < last; k++)
        add_place(p, at + f->offset[k] - f->offset[first]);
}

/* Statements, and runs of these. Notes that are inside the one before them are passed over. */
static void add_block(struct places *p, const struct code *c, uint32_t at, const struct block *block)
{
    const struct block_note *const note = (const struct block_note *)(const void *)c->blocks->bytes.notes.data;
    uint32_t end = 0;
    for (uint32_t i = block->note; i < block->note + (uint32_t)block->notes; i++) {
        if (note[i].at < end)
            continue;
        end = note[i].end;
        if (note[i].first != note[i].last)
            add_run(p, c->filler, at + note[i].at, note[i].first, note[i].last);
        else
            add_place(p, at + note[i].at);
    }
}

uint32_t unwound_places(const struct library *l, uint32_t index, uint32_t *place)
{
    const struct code *const c = &l->code;
    const struct body *const b = &l->body[index];
    struct places p = {place, 0};
    uint32_t at = code_first_piece(l->row, b->frame, &c->own[index]);
    for (uint32_t i = 0; i < b->pieces; i++) {
        const struct piece *const piece = &b->piece[i];
        if (piece->kind == PIECE_BLOCK)
            add_block(&p, c, at, &c->blocks->block[piece->first]);
        else if (piece->kind == PIECE_RUN)
            add_run(&p, c->filler, at, piece->first, piece->last);
        else
            add_place(&p, at);
        at += code_piece_size(c, piece);
    }
    add_place(&p, b->size - frame_epilogue_size(b->frame));
    return p.count;
}
