/* Makes the code that blocks consist of; see block.h. */
#include "emit/block_parts.h"

static const struct taste tastes[] = {
    [DWARF_C] = {.run_least = 12,
                 .run_most = 30,
                 .call = 37,
                 .around = 22,
                 .inlined = 25,
                 .lexical = 22,
                 .deeper = 36,
                 .beside = 4,
                 .across = 32,
                 .depth = DEPTH_MOST,
                 .gone = 17,
                 .constant = 38,
                 .ranges = 62,
                 .passing = 64,
                 .events = 12,
                 .parts = 4,
                 .dense_parts = 1,
                 .locals = 3,
                 .within = 0,
                 .macros = true},
    [DWARF_CPP] = {.run_least = 15,
                   .run_most = 38,
                   .call = 50,
                   .around = 34,
                   .another = 4,
                   .inlined = 47,
                   .lexical = 14,
                   .deeper = 61,
                   .beside = 53,
                   .across = 24,
                   .depth = 6,
                   .gone = 5,
                   .constant = 8,
                   .ranges = 63,
                   .adjacent = 12,
                   .passing = 36,
                   .events = 1,
                   .parts = 0,
                   .dense_parts = 2,
                   .locals = 2,
                   .within = 58,
                   .values = 24,
                   .entered = 62},
};

static uint8_t in_manner(uint8_t usual, uint16_t manner, uint32_t most)
{
    const uint32_t share = ((uint32_t)usual * manner + MANNER_USUAL / 2) / MANNER_USUAL;
    return (uint8_t)(share < most ? share : most);
}

struct taste block_taste(const struct corpus *corpus)
{
    const struct manner *m = &corpus->manner;
    struct taste t = tastes[corpus->dialect.language];
    t.call = in_manner(t.call, m->calls, 64);
    t.another = in_manner(t.another, m->calls, 64);
    t.inlined = in_manner(t.inlined, m->inlined, 64);
    t.lexical = in_manner(t.lexical, m->lexical, 64u - t.inlined);
    t.locals = m->locals < t.locals ? m->locals : t.locals;
    t.beside = in_manner(t.beside, m->inlined < MANNER_USUAL ? m->inlined : MANNER_USUAL, 64);
    t.across = in_manner(t.across, m->spread, 64);
    t.told = in_manner(MANNER_USUAL, m->told, 64);
    t.passed = in_manner(MANNER_USUAL, m->passed, 64 * PASSED_MOST);
    t.ending = m->ending;
    return t;
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
    bytes_append(&b->bytes->fixups, &f, sizeof f);
    b->block->fixups++;
    b->p += 4;
}

static void constant_at(struct builder *b, uint64_t at)
{
    const uint16_t place = (uint16_t)at;
    bytes_append(&b->bytes->constants, &place, sizeof place);
    b->block->constants++;
}

enum { ARGUMENT = 16 }; /* the column of a call's second */

/* A row for the instruction that begins here: of a new line, or within one. */
static void row(struct builder *b, uint32_t column)
{
    if (!column)
        b->line++;
    if (b->rows == BLOCK_ROWS_FEW)
        return;
    if (column)
        line_column(&b->maker.composer.rows, column);
    line_inside(&b->maker.composer.rows, column != 0 && !(column == ARGUMENT && b->taste.macros));
    line_row(&b->maker.composer.rows, here(b), b->line);
}

/* --- pieces --------------------------------------------------------------------- */

/* Every block begins with an access to memory, so that its first row, which is
 * not in the stamp, is of the source. */
static void access_memory(struct builder *b, bool first)
{
    const uint64_t at = here(b);
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
    block_note_add(b, (struct block_note){.kind = NOTE_STATEMENT}, at, here(b), b->line);
}

/* What a helper is called with first: a local, or what another has returned, which
 * nothing has kept when this one returns. */
#define FROM_RESULT UINT32_MAX

/* What a call may pass besides, which no helper asks for. */
static const struct {
    uint8_t code, reg, value;
} further[PASSED_MOST] = {{0xba, REGISTER_RDX, 1}, {0xb9, REGISTER_RCX, 2}};

static unsigned pass_more(struct builder *b)
{
    const uint32_t whole = b->taste.passed / 64;
    const unsigned count = whole + (whole < PASSED_MOST && likely(b, b->taste.passed % 64) ? 1 : 0);
    for (unsigned i = 0; i < count; i++) {
        b->p = put_u8(b->p, further[i].code); /* mov $value,%edx or %ecx */
        b->p = put_u32(b->p, further[i].value);
    }
    return count;
}

static void pass_and_call(struct builder *b, uint32_t from)
{
    uint32_t value = pick(b, 40000);
    uint32_t helper = pick(b, BLOCK_HELPERS);
    if (from == FROM_RESULT) {
        code(b, "\x48\x89\xc7", 3); /* mov %rax,%rdi */
    } else {
        code(b, "\x48\x8b\x7d", 3); /* mov d(%rbp),%rdi */
        b->p = put_u8(b->p, slot_displacement(from));
    }
    row(b, ARGUMENT);
    b->p = put_u8(b->p, 0xbe); /* mov $value,%esi */
    b->p = put_u32(b->p, value);
    row(b, 11);
    const unsigned more = from == FROM_RESULT ? 0 : pass_more(b);
    b->p = put_u8(b->p, 0xe8); /* call helper */
    fix(b, FIXUP_HELPER, helper);
    stamp_call(&b->maker, here(b), helper, likely(b, b->taste.ending));
    if (from != FROM_RESULT)
        compose_call_slot(&b->maker.composer, REGISTER_RDI, code_slot_place(from));
    if (from == FROM_RESULT || b->taste.told >= 64 || likely(b, b->taste.told))
        compose_call_constant(&b->maker.composer, REGISTER_RSI, value);
    for (unsigned i = 0; i < more; i++)
        compose_call_constant(&b->maker.composer, further[i].reg, further[i].value);
    stamp_end_children(&b->maker);
    b->block->helpers |= (uint8_t)(1u << helper);
}

/* local = helper(local, constant); now and then helper(helper(local, constant), constant) */
static void call_helper(struct builder *b)
{
    uint32_t from = 2 * pick(b, 4);
    uint32_t to = 2 * pick(b, 4);
    const uint64_t at = here(b);
    row(b, 0);
    pass_and_call(b, from);
    for (unsigned i = 0; i < CALLS_AROUND && likely(b, b->taste.around); i++) {
        row(b, 7);
        pass_and_call(b, FROM_RESULT);
    }
    row(b, 9);
    code(b, "\x48\x89\x45", 3); /* mov %rax,d(%rbp) */
    b->p = put_u8(b->p, slot_displacement(to));
    block_note_add(b, (struct block_note){.kind = NOTE_STATEMENT}, at, here(b), b->line);
}

static struct run take_run(struct builder *b)
{
    const struct filler *f = b->filler;
    const struct taste *t = &b->taste;
    uint32_t first = pick(b, f->borders - 2 * RUN_MOST);
    uint32_t want = t->run_least + pick(b, t->run_most - t->run_least);
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

static void statements(struct builder *b)
{
    struct run r = take_run(b);
    uint32_t kind = pick(b, 64);
    b->line++;
    if (kind < b->taste.inlined) {
        block_inlined(b, &r);
    } else if (kind < (uint32_t)b->taste.inlined + b->taste.lexical) {
        block_lexical(b, &r);
    } else {
        block_note_add(b, block_note_of(NOTE_RUN, &r), r.at, r.end, b->line);
        block_run_rows(b, &r, b->line, true);
        b->line += block_run_lines(b, &r);
    }
}

/* --- blocks ------------------------------------------------------------------------- */

void block_compose(struct builder *b, uint8_t *buffer, uint32_t target)
{
    b->start = b->p = buffer;
    b->line = b->ahead = 0;
    access_memory(b, true);
    while (here(b) < target) {
        if (likely(b, b->taste.call))
            call_helper(b);
        if (likely(b, b->taste.another))
            call_helper(b);
        if (likely(b, 3))
            access_memory(b, false);
        statements(b);
    }
    line_inside(&b->maker.composer.rows, false); /* as what follows in the function expects */
}
