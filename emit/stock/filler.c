/* Makes the run of code that functions copy from; see filler.h. The assembly stands beside the bytes; `d` is the
 * displacement of a slot from %rbp. */
#include "emit/stock/filler.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/random.h"

enum { LINE_START = 64 /* rows refer to lines before it */ };
/* Numbers of registers in DWARF (psABI figure 3.36). */
enum { DWARF_RAX = 0, DWARF_RDX = 1, DWARF_XMM0 = 17 };

struct run_maker {
    struct filler *filler;
    struct random random;
    uint8_t *p;
    struct line_rows rows, dense_rows;
    uint32_t line;
    uint32_t patches, operands;
    uint32_t skips; /* the next row comes after a branch and has this discriminator */
};

static uint32_t pick(struct run_maker *b, uint32_t n)
{
    return random_below(random_next(&b->random), n);
}

static uint8_t slot(struct run_maker *b, bool is_double)
{
    uint32_t j = pick(b, FILLER_SLOTS / 2) * 2 + (is_double ? 1 : 0);
    return filler_displacement(j);
}

/* From here on the register has the slot's value, until end_events. */
static void begin_event(struct run_maker *b, uint8_t displacement, uint8_t reg, bool stored)
{
    struct filler *f = b->filler;
    assert(f->events < FILLER_EVENTS_MOST);
    int place = (int8_t)displacement;
    f->event[f->events++] = (struct filler_event){.start = (uint16_t)(b->p - f->code[0]),
                                                  .slot = (uint8_t)((FILLER_SLOT_FIRST - place) / 8),
                                                  .stored = stored,
                                                  .reg = reg};
}

/* Ends the events that are open and began before this place: the instruction after a load is complete. Only the last
 * event and the one before it (two loads in a row) can be open. */
static void end_events(struct run_maker *b)
{
    struct filler *f = b->filler;
    uint16_t here = (uint16_t)(b->p - f->code[0]);
    for (uint32_t i = f->events; i && !f->event[i - 1].end; i--)
        if (f->event[i - 1].start < here)
            f->event[i - 1].end = here;
}

static void code(struct run_maker *b, const char *bytes, unsigned size)
{
    b->p = put_bytes(b->p, bytes, size);
}

/* Writes the displacement of a local, behind the ModRM byte. */
static void put_displacement(struct run_maker *b, uint8_t displacement)
{
    b->filler->operand[b->operands++] = (uint16_t)(b->p - 1 - b->filler->code[0]);
    b->p = put_u8(b->p, displacement);
}

static void put_slot(struct run_maker *b, bool is_double)
{
    put_displacement(b, slot(b, is_double));
}

/* Whether border k, within a statement, has rows that begin the next one, as if a scheduler had moved an instruction
 * of that here: every fourth such border. Every other fourth has a row of the line before (border_rows). */
static bool has_next(const struct filler *f, uint32_t k)
{
    return !f->statement[k] && k % 4 == 1;
}

/* Whether the row of the instruction behind border k begins a statement. */
static bool own_row_begins(const struct filler *f, uint32_t k)
{
    return f->one_row ? f->statement[k] : has_next(f, k);
}

static void own_row(const struct run_maker *b, uint32_t k, struct line_rows *rows)
{
    const struct filler *f = b->filler;
    line_inside(rows, !own_row_begins(f, k));
    line_column(rows, f->statement[k] ? 5 + 4 * (b->line & 3) : 9 + (uint32_t)(f->offset[k] & 63));
    if (b->skips)
        line_discriminator(rows, b->skips);
    line_row(rows, f->offset[k], b->line);
}

/* Writes the rows of border k. A row at the end of the statement before, one at the beginning of this statement and
 * one for what it evaluates first share an address; only the first of such rows begin statements. The last row is of
 * the instruction, and begins a statement only with has_next. Told densely, every instruction has a row for each of
 * the two lines that it may belong to. */
static void border_rows(const struct run_maker *b, uint32_t k, bool dense, struct line_rows *rows)
{
    const struct filler *f = b->filler;
    const bool begins = f->statement[k];
    if (f->one_row) {
        own_row(b, k, rows);
        return;
    }
    if (begins && !f->statement[k - 1]) {
        line_inside(rows, false);
        line_column(rows, 3);
        line_row(rows, f->offset[k], rows->line);
    }
    line_inside(rows, !begins && !has_next(f, k));
    if (dense || begins || k % 2) {
        line_column(rows, 7 + (uint32_t)(f->offset[k] & 15));
        line_row(rows, f->offset[k], b->line + has_next(f, k) - (!begins && k % 4 == 3));
    }
    if (begins) {
        line_column(rows, 2 + (uint32_t)(f->offset[k] & 7));
        line_row(rows, f->offset[k], b->line + 1);
    }
    if (begins && k % 3 == 0) { /* as of a loop's head or a macro */
        line_column(rows, 14);
        line_row(rows, f->offset[k], b->line - 1 - k / 3 % 2);
    }
    own_row(b, k, rows);
}

/* Makes a border here: a piece may begin or end, and rows of the line program begin. */
static void border(struct run_maker *b)
{
    struct filler *f = b->filler;
    uint32_t k = f->borders++;
    assert(k < FILLER_BORDERS_MOST);
    end_events(b);
    f->offset[k] = (uint16_t)(b->p - f->code[0]);
    f->line[k] = (uint16_t)b->line;
    f->operand_first[k] = (uint16_t)b->operands;
    f->patch_first[k] = (uint16_t)b->patches;
    f->row[k] = (uint32_t)(b->rows.p - f->rows);
    f->dense_row[k] = (uint32_t)(b->dense_rows.p - f->dense_rows);
    f->rows_before[k] = (uint32_t)b->rows.count;
    f->dense_rows_before[k] = (uint32_t)b->dense_rows.count;
    f->statement[k] = k == 0 || b->line != f->line[k - 1];
    if (k) {
        border_rows(b, k, false, &b->rows);
        border_rows(b, k, true, &b->dense_rows);
    }
    b->skips = 0;
}

static void constant(struct run_maker *b)
{
    b->filler->patch[b->patches++] = (uint16_t)(b->p - b->filler->code[0]);
    const uint32_t value = (uint32_t)random_next(&b->random);
    b->p = put_u32(b->p, value >> pick(b, 24));
}

static void load_rax(struct run_maker *b)
{
    code(b, "\x48\x8b\x45", 3); /* mov d(%rbp),%rax */
    put_slot(b, false);
    border(b);
    begin_event(b, b->p[-1], DWARF_RAX, false);
}

static void load(struct run_maker *b)
{
    switch (pick(b, 3)) {
    case 0:
        break;
    case 1:
        code(b, "\x48\x8b\x55", 3); /* mov d(%rbp),%rdx */
        put_slot(b, false);
        border(b);
        begin_event(b, b->p[-1], DWARF_RDX, false);
        break;
    default:
        code(b, "\x8b\x45", 2); /* mov d(%rbp),%eax: %eax has half of the local, so it is not its place */
        put_slot(b, false);
        border(b);
        return;
    }
    load_rax(b);
}

static void combine(struct run_maker *b)
{
    static const char with_slot[][3] = {"\x48\x03\x45", "\x48\x2b\x45", "\x48\x33\x45", "\x48\x23\x45", "\x48\x0b\x45"};
    static const char two_registers[][4] = {
        "\x48\x8d\x44\x50", /* lea d(%rax,%rdx,2),%rax */
        "\x48\x8d\x44\x90", /* lea d(%rax,%rdx,4),%rax */
        "\x48\x8d\x44\xc8", /* lea d(%rax,%rcx,8),%rax */
    };
    static const char shifts[][3] = {"\x48\xc1\xe0", "\x48\xc1\xe8", "\x48\xc1\xf8", "\x48\xc1\xc0"};
    switch (pick(b, 8)) {
    case 0:
    case 1: /* add, sub, xor, and, or d(%rbp),%rax */
        code(b, with_slot[pick(b, 5)], 3);
        put_slot(b, false);
        break;
    case 2:
        code(b, "\x48\x05", 2); /* add $c,%rax */
        constant(b);
        break;
    case 3:
        code(b, "\x48\x69\xc0", 3); /* imul $c,%rax,%rax */
        constant(b);
        break;
    case 4:
        code(b, "\x48\x35", 2); /* xor $c,%rax */
        constant(b);
        break;
    case 5:
        code(b, two_registers[pick(b, 3)], 4);
        b->p = put_u8(b->p, (uint8_t)pick(b, 128));
        break;
    case 6: /* shl, shr, sar, rol $n,%rax */
        code(b, shifts[pick(b, 4)], 3);
        b->p = put_u8(b->p, (uint8_t)(1 + pick(b, 31)));
        break;
    default:
        code(b, "\xb9", 1); /* mov $c,%ecx */
        constant(b);
        border(b);
        code(b, "\x48\x01\xc8", 3); /* add %rcx,%rax */
    }
    border(b);
}

/* Stores the register in a slot. `move`: the instruction's bytes before d. */
static void store(struct run_maker *b, bool is_double, uint8_t reg, const char *move, unsigned size)
{
    uint8_t d = slot(b, is_double);
    begin_event(b, d, reg, true);
    code(b, move, size);
    put_displacement(b, d);
    end_events(b);
}

static void store_rax(struct run_maker *b)
{
    store(b, false, DWARF_RAX, "\x48\x89\x45", 3); /* mov %rax,d(%rbp) */
}

static void integers(struct run_maker *b)
{
    load(b);
    for (uint32_t n = 1 + pick(b, 3); n; n--)
        combine(b);
    store_rax(b);
}

static void doubles(struct run_maker *b)
{
    static const char operations[][4] = {"\xf2\x0f\x58\x45", "\xf2\x0f\x59\x45", "\xf2\x0f\x5c\x45",
                                         "\xf2\x0f\x5f\x45"};
    load_rax(b);
    code(b, "\xf2\x48\x0f\x2a\xc0", 5); /* cvtsi2sd %rax,%xmm0 */
    border(b);
    for (uint32_t n = 1 + pick(b, 2); n; n--) { /* addsd, mulsd, subsd, maxsd d(%rbp),%xmm0 */
        code(b, operations[pick(b, 4)], 4);
        put_slot(b, true);
        border(b);
    }
    store(b, true, DWARF_XMM0, "\xf2\x0f\x11\x45", 4); /* movsd %xmm0,d(%rbp) */
}

/* if (x < y) x = ...; no border is between the branch and what it skips. */
static void branch(struct run_maker *b)
{
    static const char conditions[] = {0x74, 0x75, 0x7c, 0x7d, 0x7e, 0x7f, 0x72, 0x73};
    load_rax(b);
    code(b, "\x48\x3b\x45", 3); /* cmp d(%rbp),%rax */
    put_slot(b, false);
    end_events(b);
    b->p = put_u8(b->p, (uint8_t)conditions[pick(b, 8)]); /* jcc */
    uint8_t *distance = b->p++;
    if (pick(b, 2)) {
        code(b, "\x48\x05", 2); /* add $c,%rax */
        constant(b);
    } else {
        code(b, "\x48\xf7\xd8", 3); /* neg %rax */
    }
    store_rax(b);
    *distance = (uint8_t)(b->p - distance - 1);
    b->skips = 1 + pick(b, 3);
}

/* Whether the event is a load by the instruction before border k. */
static bool is_of_before(const struct filler *f, uint32_t k, uint32_t event)
{
    return f->event[event].start == f->offset[k] && !f->event[event].stored;
}

/* Makes the events of each slot a list that can be entered at any border. */
static void link_events(struct filler *f)
{
    uint16_t next[FILLER_SLOTS];
    memset(next, 0xff, sizeof next);
    uint32_t e = f->events;
    for (uint32_t k = f->borders; k-- > 0;) {
        for (; e && f->event[e - 1].start >= f->offset[k]; e--) {
            uint8_t s = f->event[e - 1].slot;
            f->event_next[e - 1] = next[s];
            next[s] = (uint16_t)(e - 1);
        }
        for (unsigned s = 0; s < FILLER_SLOTS; s++)
            f->event_first[k][s] =
                next[s] != FILLER_NO_EVENT && is_of_before(f, k, next[s]) ? f->event_next[next[s]] : next[s];
    }
}

void filler_by_rbx(uint8_t *other, const uint8_t *code, size_t size, const uint16_t *operand, uint32_t operands)
{
    const struct frame frame = {.by_rsp = true};
    memcpy(other, code, size);
    for (uint32_t i = 0; i < operands; i++)
        other[operand[i]] = frame_operand(frame, other[operand[i]]);
}

void filler_make(struct filler *f, uint64_t seed, bool one_row)
{
    struct run_maker b = {
        .filler = f, .random = {random_mix(seed ^ UINT64_C(0x66696c6c6572))}, .p = f->code[0], .line = LINE_START};
    f->one_row = one_row;
    b.rows = (struct line_rows){.p = f->rows, .line = LINE_START, .inside = true};
    b.dense_rows = (struct line_rows){.p = f->dense_rows, .line = LINE_START, .inside = true};
    border(&b);
    while (b.p - f->code[0] < FILLER_BYTES - 96) {
        uint32_t kind = pick(&b, 10);
        if (kind < 5)
            integers(&b);
        else if (kind < 8)
            doubles(&b);
        else
            branch(&b);
        b.line += pick(&b, 4) ? 1 : 2;
        border(&b);
    }
    uint32_t k = 0;
    for (uint32_t i = 0; i <= FILLER_BYTES; i++) {
        while (k + 1 < f->borders && f->offset[k + 1] <= i)
            k++;
        f->at[i] = (uint16_t)k;
    }
    assert(b.rows.p <= f->rows + sizeof f->rows);
    assert(b.dense_rows.p <= f->dense_rows + sizeof f->dense_rows);
    filler_by_rbx(f->code[1], f->code[0], sizeof f->code[0], f->operand, b.operands);
    link_events(f);
}

uint64_t filler_rows_size(const struct filler *f, uint32_t first, uint32_t last)
{
    return UINT64_C(2) * LINE_ROW_MOST + (last > first + 1 ? f->row[last] - f->row[first + 1] : 0);
}

uint32_t filler_lines(const struct filler *f, uint32_t first, uint32_t last)
{
    return (uint32_t)f->line[last - 1] - f->line[first];
}

void filler_rows(const struct filler *f, uint32_t first, uint32_t last, uint64_t at, uint32_t line, bool dense,
                 struct line_rows *rows)
{
    const uint32_t *row = dense ? f->dense_row : f->row;
    const uint32_t *before = dense ? f->dense_rows_before : f->rows_before;
    const uint32_t end = last > first + 1 ? last : first + 1;
    uint32_t from = row[first + 1];
    uint32_t to = row[end];
    line_row(rows, at, line);
    if (to > from)
        line_inside(rows, !own_row_begins(f, first));
    rows->p = put_bytes(rows->p, (dense ? f->dense_rows : f->rows) + from, to - from);
    rows->address += (uint64_t)f->offset[last - 1] - f->offset[first];
    rows->line = line + f->line[last - 1] - f->line[first];
    rows->count += before[end] - before[first + 1];
    if (to > from)
        rows->inside = !own_row_begins(f, end - 1);
}

uint8_t *filler_gap(uint8_t *p, struct frame frame, uint32_t size, uint64_t value)
{
    const uint8_t operand = frame_operand(frame, 0x45);
    assert(size <= FILLER_GAP_MOST);
    for (uint32_t i = 0; size; i++) {
        uint8_t d = (uint8_t)(FILLER_SLOT_FIRST - 16 * (int)((value >> (2 * i)) & 3));
        if (size == 1) {
            p = put_u8(p, 0x90); /* nop */
            size = 0;
        } else if (size == 2) {
            p = put_bytes(p, "\x66\x90", 2); /* xchg %ax,%ax */
            size = 0;
        } else if (size == 3 || size == 6 || size == 7) {
            p = put_bytes(p, (const uint8_t[]){0x8b, operand, d}, 3); /* mov d(%rbp),%eax */
            size -= 3;
        } else if (size == 5) {
            p = put_bytes(p, "\xf2\x0f\x10", 3); /* movsd d(%rbp),%xmm0 */
            p = put_u8(put_u8(p, operand), (uint8_t)(d - 8));
            size = 0;
        } else {
            p = put_bytes(p, (const uint8_t[]){0x48, 0x8b, operand, d}, 4); /* mov d(%rbp),%rax */
            size -= 4;
        }
    }
    return p;
}
