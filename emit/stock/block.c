/* Makes the code that blocks consist of; see block.h. */
#include "emit/plan/function.h"
#include "emit/stock/block_parts.h"

static const struct taste tastes[] = {
    [DWARF_C] = {.run_least = 12,
                 .run_most = 30,
                 .call = 37,
                 .around = 22,
                 .inlined = 25,
                 .lexical = 22,
                 .deeper = 36,
                 .beside = 10,
                 .across = 32,
                 .reach = 64,
                 .late = 52,
                 .shared = 60,
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
                   .reach = 60,
                   .late = 32,
                   .shared = 52,
                   .depth = 6,
                   .gone = 5,
                   .constant = 8,
                   .ranges = 63,
                   .adjacent = 12,
                   .passing = 36,
                   .events = 1,
                   .parts = 0,
                   .dense_parts = 1,
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

/* Where less than usual is inlined, fewer calls are inlined beside others. In C++, where more is inlined, more are,
 * because runs alone could not be so many. */
static uint8_t beside_in_manner(const struct corpus *corpus, uint8_t usual)
{
    const uint16_t inlined = corpus->manner.inlined;
    if (inlined <= MANNER_USUAL)
        return in_manner(usual, inlined, 64);
    if (corpus->dialect.language == DWARF_C)
        return usual;
    return (uint8_t)(64 - (64 - usual) * MANNER_USUAL / inlined);
}

static uint16_t passed_in_manner(uint16_t manner, uint16_t most)
{
    return manner < 64 * most ? manner : (uint16_t)(64 * most);
}

/* In C more calls than one for each run are further ones. In 1/64 of one. */
static uint16_t further_calls(const struct corpus *corpus, uint8_t usual)
{
    enum { MOST = 4 * 64 };
    const uint32_t calls = (uint32_t)usual * corpus->manner.calls / MANNER_USUAL;
    if (corpus->dialect.language != DWARF_C || calls <= 64)
        return 0;
    return (uint16_t)(calls - 64 < MOST ? calls - 64 : MOST);
}

struct taste block_taste(const struct corpus *corpus)
{
    const struct manner *m = &corpus->manner;
    struct taste t = tastes[corpus->dialect.language];
    t.calls = further_calls(corpus, t.call);
    t.call = in_manner(t.call, m->calls, 64);
    t.another = in_manner(t.another, m->calls, 64);
    t.inlined = in_manner(t.inlined, m->inlined, 64);
    t.lexical = in_manner(t.lexical, m->lexical, 64u - t.inlined);
    t.deeper = in_manner(t.deeper, m->nested, 64);
    t.around_run = m->around;
    t.locals = m->locals < t.locals ? m->locals : t.locals;
    t.beside = beside_in_manner(corpus, t.beside);
    t.gone = in_manner(t.gone, m->gone, 64);
    t.across = in_manner(t.across, m->spread, 64);
    t.split = (uint8_t)(m->split < MANNER_USUAL ? m->split : MANNER_USUAL);
    t.told = in_manner(MANNER_USUAL, m->told, 64);
    t.references = corpus->dialect.fortran;
    t.passed = passed_in_manner(m->passed, t.references ? REFERENCES_MOST : PASSED_MOST);
    t.ending = m->ending;
    t.partly[false] = m->partly ? BLOCK_PARTLY_PARAMETER : 0;
    t.partly[true] = m->partly ? BLOCK_PARTLY_VARIABLE : 0;
    t.constants = corpus->dialect.fortran ? m->constants : 0;
    return t;
}

static void code(struct builder *b, const char *bytes, size_t size)
{
    b->p = put_bytes(b->p, bytes, size);
}

/* Writes the displacement of a local, behind the ModRM byte. */
static void put_slot(struct builder *b, uint32_t slot)
{
    b->operand[b->operands++] = (uint16_t)(here(b) - 1);
    b->p = put_u8(b->p, filler_displacement(slot));
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

/* --- pieces --------------------------------------------------------------------- */

static void access_memory(struct builder *b)
{
    const uint64_t at = here(b);
    uint32_t r = pick(b, 64);
    block_span_row(b, 0);
    if (r & 1) {
        code(b, "\xf2\x0f\x10\x05", 4); /* movsd constant(%rip),%xmm0 */
        fix(b, FIXUP_CONSTANT, pick(b, CONSTANTS));
        block_span_row(b, 18);
        code(b, "\xf2\x0f\x59\x45", 4); /* mulsd d(%rbp),%xmm0 */
        put_slot(b, 2 * (r >> 1 & 3) + 1);
        block_span_row(b, 12);
        code(b, "\xf2\x0f\x11\x05", 4); /* movsd %xmm0,scratch(%rip) */
        fix(b, FIXUP_SCRATCH, r >> 3 & 3);
    } else {
        code(b, "\x48\x8b\x05", 3); /* mov object(%rip),%rax */
        fix(b, FIXUP_OBJECT, 0);
        block_span_row(b, 21);
        code(b, "\x48\x03\x45", 3); /* add d(%rbp),%rax */
        put_slot(b, 2 * (r >> 1 & 3));
        block_span_row(b, 9);
        code(b, "\x48\x89\x05", 3); /* mov %rax,scratch(%rip) */
        fix(b, FIXUP_SCRATCH, 4 + (r >> 3 & 3));
    }
    block_span_statement(b, at);
}

/* In place of the slot that a helper gets as its first argument: what another helper has returned. Nothing keeps that
 * value, so nothing can be said of it once the call returns. */
#define FROM_RESULT UINT32_MAX

/* Further arguments of a call, which no helper uses. */
static const struct {
    uint8_t code, reg, value;
} further[PASSED_MOST] = {{0xba, REGISTER_RDX, 1}, {0xb9, REGISTER_RCX, 2}};
static const struct {
    uint8_t code[3], reg;
} references[REFERENCES_MOST] = {{{0x48, 0x8d, 0x55}, REGISTER_RDX},
                                 {{0x48, 0x8d, 0x4d}, REGISTER_RCX},
                                 {{0x4c, 0x8d, 0x45}, REGISTER_R8},
                                 {{0x4c, 0x8d, 0x4d}, REGISTER_R9}};

/* Passes further arguments and returns how many. Where they are passed by reference, sets slot[] to the locals. */
static unsigned pass_more(struct builder *b, uint8_t slot[REFERENCES_MOST])
{
    const uint32_t most = b->taste.references ? REFERENCES_MOST : PASSED_MOST;
    const uint32_t whole = b->taste.passed / 64;
    const unsigned count = whole + (whole < most && likely(b, b->taste.passed % 64) ? 1 : 0);
    for (unsigned i = 0; i < count; i++) {
        if (b->taste.references) {
            slot[i] = (uint8_t)pick(b, 8);
            b->p = put_bytes(b->p, references[i].code, sizeof references[i].code); /* lea d(%rbp),%reg */
            put_slot(b, slot[i]);
        } else {
            b->p = put_u8(b->p, further[i].code); /* mov $value,%edx or %ecx */
            b->p = put_u32(b->p, further[i].value);
        }
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
        put_slot(b, from);
    }
    block_span_row(b, BLOCK_ARGUMENT);
    b->p = put_u8(b->p, 0xbe); /* mov $value,%esi */
    b->p = put_u32(b->p, value);
    block_span_row(b, 11);
    uint8_t slot[REFERENCES_MOST];
    const unsigned more = from == FROM_RESULT && !b->taste.references ? 0 : pass_more(b, slot);
    b->p = put_u8(b->p, 0xe8); /* call helper */
    fix(b, FIXUP_HELPER, helper);
    stamp_call(&b->maker, here(b), helper, likely(b, b->taste.ending));
    if (from != FROM_RESULT)
        compose_call_slot(&b->maker.composer, REGISTER_RDI, filler_slot_place(from));
    if (from == FROM_RESULT || b->taste.told >= 64 || likely(b, b->taste.told))
        compose_call_constant(&b->maker.composer, REGISTER_RSI, value);
    for (unsigned i = 0; i < more; i++)
        if (b->taste.references)
            compose_call_reference(&b->maker.composer, references[i].reg, filler_slot_place(slot[i]));
        else
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
    block_span_row(b, 0);
    pass_and_call(b, from);
    for (unsigned i = 0; i < CALLS_AROUND && likely(b, b->taste.around); i++) {
        block_span_row(b, 7);
        pass_and_call(b, FROM_RESULT);
    }
    block_span_row(b, 9);
    code(b, "\x48\x89\x45", 3); /* mov %rax,d(%rbp) */
    put_slot(b, to);
    block_span_statement(b, at);
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
    struct run r = {.first = first, .last = last, .at = here(b), .from = here(b)};
    uint32_t from = f->offset[first];
    for (uint32_t i = f->patch_first[first]; i < f->patch_first[last]; i++)
        constant_at(b, here(b) + f->patch[i] - from);
    for (uint32_t i = f->operand_first[first]; i < f->operand_first[last]; i++)
        b->operand[b->operands++] = (uint16_t)(here(b) + f->operand[i] - from);
    b->p = put_bytes(b->p, f->code[0] + from, (size_t)(f->offset[last] - from));
    r.end = r.to = here(b);
    return r;
}

/* Further calls, as far as the block is not to end before these. */
static void call_more(struct builder *b)
{
    const uint32_t count = b->taste.calls / 64u + likely(b, b->taste.calls % 64u);
    for (uint32_t i = 0; i < count && here(b) < b->target; i++)
        call_helper(b);
}

/* Calls and an access to memory, each with its chance. */
static void calls(struct builder *b)
{
    if (likely(b, b->taste.call))
        call_helper(b);
    if (likely(b, b->taste.another))
        call_helper(b);
    if (b->taste.calls)
        call_more(b);
    if (likely(b, 3))
        access_memory(b);
}

enum run_kind { RUN_INLINED, RUN_LEXICAL, RUN_ALONE };

/* What the next run is. Kinds take turns, with some chance in their order, so that a kind of which there are few does
 * not become rarer by chance. The inlined call of a span comes before the lexical block that ends it: if a lexical
 * block would come first, an inlined call takes its turn, and the block comes in place of a later inlined call. */
static enum run_kind run_kind(struct builder *b)
{
    enum { LATE_MOST = 4, CHANCE = 16 };
    const uint32_t turn = b->course.turn++ * 0x9e3779b9u >> 26; /* evenly spread over 64, by the golden ratio */
    const uint32_t kind = (turn + pick(b, CHANCE)) % 64;
    const bool has_call = block_span_is_inlined(b);
    if (kind < b->taste.inlined) {
        if (!b->course.late || !(has_call || b->course.late == LATE_MOST))
            return RUN_INLINED;
        b->course.late--;
        return RUN_LEXICAL;
    }
    if (kind >= (uint32_t)b->taste.inlined + b->taste.lexical)
        return RUN_ALONE;
    if (has_call || !b->taste.inlined || b->course.late == LATE_MOST)
        return RUN_LEXICAL;
    b->course.late++;
    return RUN_INLINED;
}

/* Makes calls and a run. Another span begins where the run is an inlined call and the span has one already, and now and
 * then otherwise. A lexical block stands between two spans. Its calls go to the span that has an inlined call or may
 * yet get one: the span before it or, if that has none, the span behind it. */
static void statements(struct builder *b)
{
    const enum run_kind kind = run_kind(b);
    const bool is_inlined = kind == RUN_INLINED;
    const bool is_lexical = kind == RUN_LEXICAL;
    if ((is_inlined && block_span_is_inlined(b)) || !likely(b, b->taste.reach))
        block_span_end(b);
    const bool calls_behind = is_lexical && !block_span_is_inlined(b);
    if (!calls_behind)
        calls(b);
    const struct run r = take_run(b);
    if (is_lexical) {
        block_span_end(b);
        b->line++;
        block_lexical(b, &r);
    } else {
        block_span_run(b, &r, is_inlined);
    }
    if (calls_behind)
        calls(b);
}

/* --- blocks ------------------------------------------------------------------------- */

void block_compose(struct builder *b, uint8_t *buffer, uint32_t target)
{
    b->start = b->p = buffer;
    b->target = target;
    b->operands = 0;
    b->line = b->ahead = b->inlined = 0;
    b->due = ROW_NONE;
    block_span_begin(b);
    access_memory(b);
    while (here(b) < target)
        statements(b);
    block_span_end(b);
    line_inside(&b->maker.composer.rows, false); /* what follows in the function expects this */
}
