/* Makes blocks; see block.h. */
#include "emit/block.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "emit/code.h"

enum {
    RUN_LEAST = 12, /* bytes of a run, before it is cut at a border */
    RUN_MOST = 30,
    EVENTS = 3, /* passages through registers that one list tells */
    RANGES_MOST = 2,
    REGISTER_RSI = 4, /* DWARF's numbers */
    REGISTER_RDI = 5,
};

/* A block under construction. */
struct builder {
    struct blocks *all;
    const struct filler *filler;
    struct stamp_maker maker;
    struct random random;
    struct block *block;
    uint8_t *start, *p; /* code */
    uint32_t line;      /* of the source, from 0 */
};

static uint32_t pick(struct builder *b, uint32_t n)
{
    return random_below(random_next(&b->random), n);
}

static uint64_t here(const struct builder *b)
{
    return (uint64_t)(b->p - b->start);
}

static uint8_t slot_displacement(uint32_t slot)
{
    return (uint8_t)(FILLER_SLOT_FIRST - 8 * (int32_t)slot);
}

static void code(struct builder *b, const char *bytes, size_t size)
{
    b->p = put_bytes(b->p, bytes, size);
}

static void fix(struct builder *b, enum fixup_kind kind, uint32_t number)
{
    const struct fixup f = {(uint16_t)here(b), (uint8_t)kind, (uint8_t)number};
    bytes_append(&b->all->fixups, &f, sizeof f);
    b->block->fixups++;
    b->p += 4;
}

static void constant_at(struct builder *b, uint64_t at)
{
    const uint16_t place = (uint16_t)at;
    bytes_append(&b->all->constants, &place, sizeof place);
    b->block->constants++;
}

/* A row for the instruction that begins here: of a new line, or within one. */
static void row(struct builder *b, uint32_t column)
{
    if (column)
        line_column(&b->maker.composer.rows, column);
    else
        b->line++;
    line_row(&b->maker.composer.rows, here(b), b->line);
}

/* --- pieces --------------------------------------------------------------------- */

/* Every block begins with an access to memory, so that its first row, which is
 * not in the stamp, is of the source. */
static void access_memory(struct builder *b, bool first)
{
    uint32_t r = pick(b, 64);
    if (!first)
        row(b, 0);
    if (r & 1) {
        code(b, "\xf2\x0f\x10\x05", 4); /* movsd constant(%rip),%xmm0 */
        fix(b, FIXUP_CONSTANT, pick(b, CONSTANTS));
        row(b, 18);
        code(b, "\xf2\x0f\x59\x45", 4); /* mulsd d(%rbp),%xmm0 */
        b->p = put_u8(b->p, slot_displacement(2 * (r >> 1 & 3) + 1));
        row(b, 12);
        code(b, "\xf2\x0f\x11\x05", 4); /* movsd %xmm0,scratch(%rip) */
        fix(b, FIXUP_SCRATCH, r >> 3 & 3);
    } else {
        code(b, "\x48\x8b\x05", 3); /* mov object(%rip),%rax */
        fix(b, FIXUP_OBJECT, 0);
        row(b, 21);
        code(b, "\x48\x03\x45", 3); /* add d(%rbp),%rax */
        b->p = put_u8(b->p, slot_displacement(2 * (r >> 1 & 3)));
        row(b, 9);
        code(b, "\x48\x89\x05", 3); /* mov %rax,scratch(%rip) */
        fix(b, FIXUP_SCRATCH, 4 + (r >> 3 & 3));
    }
}

/* local = helper(local, constant); */
static void call_helper(struct builder *b)
{
    uint32_t from = 2 * pick(b, 4);
    uint32_t to = 2 * pick(b, 4);
    uint32_t value = pick(b, 40000);
    uint32_t helper = pick(b, BLOCK_HELPERS);
    row(b, 0);
    code(b, "\x48\x8b\x7d", 3); /* mov d(%rbp),%rdi */
    b->p = put_u8(b->p, slot_displacement(from));
    row(b, 16);
    b->p = put_u8(b->p, 0xbe); /* mov $value,%esi */
    b->p = put_u32(b->p, value);
    row(b, 11);
    b->p = put_u8(b->p, 0xe8); /* call helper */
    fix(b, FIXUP_HELPER, helper);
    uint8_t *children = stamp_call(&b->maker, here(b), helper);
    compose_call_slot(&b->maker.composer, REGISTER_RDI, code_slot_place(from));
    compose_call_constant(&b->maker.composer, REGISTER_RSI, value);
    compose_end_children(&b->maker.composer, children);
    row(b, 9);
    code(b, "\x48\x89\x45", 3); /* mov %rax,d(%rbp) */
    b->p = put_u8(b->p, slot_displacement(to));
    b->block->helpers |= (uint8_t)(1u << helper);
}

/* A run of the filler: borders [first, last), at `at` of the block. */
struct run {
    uint32_t first, last;
    uint64_t at, end;
};

static struct run take_run(struct builder *b)
{
    const struct filler *f = b->filler;
    uint32_t first = pick(b, f->borders - 2 * RUN_MOST);
    uint32_t want = RUN_LEAST + pick(b, RUN_MOST - RUN_LEAST);
    uint32_t last = f->at[f->offset[first] + want];
    if (last <= first)
        last = first + 1;
    struct run r = {.first = first, .last = last, .at = here(b)};
    uint32_t from = f->offset[first];
    for (uint32_t i = f->patch_first[first]; i < f->patch_first[last]; i++)
        constant_at(b, here(b) + f->patch[i] - from);
    b->p = put_bytes(b->p, f->code + from, (size_t)(f->offset[last] - from));
    r.end = here(b);
    return r;
}

/* The first event of a slot that lies within the run and is of it: what the
 * instruction before its first one loaded is not. */
static uint32_t first_event(const struct builder *b, const struct run *r, uint32_t slot)
{
    const struct filler *f = b->filler;
    uint32_t e = f->event_first[r->first][slot];
    while (e != FILLER_NO_EVENT && f->event[e].start == f->offset[r->first] && !f->event[e].stored)
        e = f->event_next[e];
    return e != FILLER_NO_EVENT && f->event[e].end <= f->offset[r->last] ? e : FILLER_NO_EVENT;
}

/* A slot, of longs (0) or doubles (1), that passes through a register within the
 * run if one of a few has it. */
static uint32_t busy_slot(struct builder *b, const struct run *r, uint32_t odd)
{
    uint32_t slot = 0;
    for (unsigned tries = 0; tries < 4; tries++) {
        slot = 2 * pick(b, 4) + odd;
        if (first_event(b, r, slot) != FILLER_NO_EVENT)
            break;
    }
    return slot;
}

/* The list of a slot for the time of a run: in its place, now and then in a
 * register. */
static uint32_t run_list(struct builder *b, const struct run *r, uint32_t slot)
{
    const struct filler *f = b->filler;
    struct composer *c = &b->maker.composer;
    uint32_t list = stamp_list(&b->maker);
    uint64_t from = r->at;
    uint32_t left = EVENTS;
    for (uint32_t e = first_event(b, r, slot); e != FILLER_NO_EVENT && left; e = f->event_next[e], left--) {
        const struct filler_event *event = &f->event[e];
        if (event->end > f->offset[r->last])
            break;
        uint64_t start = r->at + event->start - f->offset[r->first];
        compose_list_frame(c, from, start, code_slot_place(slot));
        from = r->at + event->end - f->offset[r->first];
        compose_list_register(c, start, from, event->reg);
    }
    compose_list_frame(c, from, r->end, code_slot_place(slot));
    compose_list_end(c);
    return list;
}

/* All of the run, or all but an instruction in its midst, which then is of what
 * is around. */
static uint32_t run_ranges(struct builder *b, const struct run *r, uint64_t *from, uint64_t *to)
{
    const struct filler *f = b->filler;
    uint32_t borders = r->last - r->first;
    from[0] = r->at;
    to[0] = r->end;
    if (borders < 4 || !pick(b, 8))
        return 1;
    uint32_t skip = r->first + 1 + pick(b, borders - 2);
    to[0] = r->at + f->offset[skip] - f->offset[r->first];
    from[1] = r->at + f->offset[skip + 1] - f->offset[r->first];
    to[1] = r->end;
    return 2;
}

/* The run's rows, from `line` on of whatever file is set. */
static void run_rows(struct builder *b, const struct run *r, uint32_t line)
{
    filler_rows(b->filler, r->first, r->last, r->at, line, &b->maker.composer.rows);
}

static void inlined(struct builder *b)
{
    uint64_t from[RANGES_MOST];
    uint64_t to[RANGES_MOST];
    uint32_t k = pick(b, CORPUS_INLINES);
    uint32_t line = corpus_inline_line(k) + 1;
    b->line++;
    struct run r = take_run(b);
    uint32_t count = run_ranges(b, &r, from, to);
    uint8_t *children = stamp_inlined(&b->maker, k, b->line, 8 + pick(b, 16), count, from, to);
    for (uint32_t child = 0; child < CORPUS_INLINE_CHILDREN; child++) {
        uint32_t slot = busy_slot(b, &r, child == 1);
        if (child == 2 && (k & 1))
            break; /* its variable was optimised out */
        stamp_inlined_child(&b->maker, k, child, run_list(b, &r, slot));
    }
    compose_end_children(&b->maker.composer, children);
    stamp_enter_header(&b->maker, line);
    run_rows(b, &r, line);
    stamp_leave_header(&b->maker, b->line);
}

static void lexical(struct builder *b)
{
    uint64_t from[RANGES_MOST];
    uint64_t to[RANGES_MOST];
    b->line++;
    struct run r = take_run(b);
    uint32_t count = run_ranges(b, &r, from, to);
    uint8_t *children = stamp_block(&b->maker, count, from, to);
    for (uint32_t n = 1 + pick(b, 2); n; n--) {
        uint32_t slot = busy_slot(b, &r, pick(b, 2));
        uint32_t list = run_list(b, &r, slot);
        stamp_local(&b->maker, b->line, slot & 1 ? BASE_DOUBLE : BASE_LONG, list);
    }
    compose_end_children(&b->maker.composer, children);
    run_rows(b, &r, b->line);
    b->line = b->maker.composer.rows.line;
}

/* --- blocks ------------------------------------------------------------------------- */

static bool make_block(struct builder *b, struct block *block, uint32_t target)
{
    uint8_t buffer[BLOCK_MOST + 128];
    *block = (struct block){.fixup = (uint32_t)(b->all->fixups.size / sizeof(struct fixup)),
                            .constant = (uint32_t)(b->all->constants.size / sizeof(uint16_t))};
    b->block = block;
    b->start = b->p = buffer;
    b->line = 0;
    access_memory(b, true);
    for (uint32_t turn = 0; here(b) < target; turn++) {
        uint32_t kind = pick(b, 16);
        if (turn % 2 == 1 && kind < 13)
            call_helper(b);
        else if (kind == 0)
            access_memory(b, false);
        else if (kind < 5)
            lexical(b);
        else
            inlined(b);
    }
    block->size = (uint16_t)here(b);
    assert(here(b) <= sizeof buffer);
    block->code = (uint32_t)bytes_append(&b->all->code, buffer, block->size);
    return stamp_finish(&b->maker, &b->all->shelf, &block->stamp);
}

static int by_size(const void *a, const void *b)
{
    const struct block *x = a;
    const struct block *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->code < y->code ? -1 : x->code > y->code; /* one order, whatever qsort does */
}

bool blocks_make(struct blocks *all, const struct filler *filler, const struct corpus *corpus, uint64_t seed)
{
    memset(all, 0, sizeof *all);
    struct builder *b = calloc(1, sizeof *b);
    if (!b)
        return false;
    b->all = all;
    b->filler = filler;
    b->random.state = random_mix(seed ^ UINT64_C(0x626c6f636b73));
    bool made = stamp_start(&b->maker, corpus);
    for (uint32_t i = 0; made && i < BLOCKS; i++)
        made = make_block(b, &all->block[i], BLOCK_LEAST + i * (BLOCK_MOST - 64 - BLOCK_LEAST) / BLOCKS);
    made = made && !all->code.failed && !all->fixups.failed && !all->constants.failed;
    stamp_maker_free(&b->maker);
    free(b);
    if (!made) {
        blocks_free(all);
        return false;
    }
    qsort(all->block, BLOCKS, sizeof all->block[0], by_size);
    uint32_t count = 0;
    for (uint32_t size = 0; size < sizeof all->fitting / sizeof all->fitting[0]; size++) {
        while (count < BLOCKS && all->block[count].size <= size)
            count++;
        all->fitting[size] = (uint16_t)count;
    }
    return true;
}

void blocks_free(struct blocks *all)
{
    bytes_free(&all->code);
    bytes_free(&all->fixups);
    bytes_free(&all->constants);
    stamp_shelf_free(&all->shelf);
    memset(all, 0, sizeof *all);
}
