/* Writes .eh_frame and .eh_frame_hdr; see unwind.h. */
#include "elf/write/unwind.h"

#include <assert.h>

#include "base/bytes.h"
#include "elf/write/cfi.h"
#include "elf/write/plt.h"

/* Version 1, augmentation "zR", code alignment 1, data alignment -8, return address 16, pointers PC-relative. At the
 * beginning of a function the CFA is %rsp+8, and the return address is at CFA-8. */
static const uint8_t cie[24] = {
    20, 0,       0,       0, /* length */
    0,  0,       0,       0, /* this is a CIE */
    1,  'z',     'R',     0, 1, 0x78, CFI_RETURN, 1, PE_PCREL_SDATA4, CFA_DEF_CFA, CFI_RSP, 8, CFA_OFFSET | CFI_RETURN,
    1,  CFA_NOP, CFA_NOP,
};

/* The PLT's frame. After the push of PLT0 the CFA is %rsp+24. In an entry it is %rsp+8, and %rsp+16 behind the
 * instruction that pushes the entry's number. That instruction ends at byte 11 of 16, or at byte 9 if the entry begins
 * with an endbr64 instead of a jump: %rsp + 8 + ((%rip & 15) >= 11) * 8. */
enum { PLT_PUSHED = 14, LIT11 = 0x3b, LIT9 = 0x39 }; /* index of the operand that differs, and its two values */
static const uint8_t plt_instructions[] = {
    CFA_DEF_CFA_OFFSET,
    16,
    CFA_ADVANCE_LOC | 6,
    CFA_DEF_CFA_OFFSET,
    24,
    CFA_ADVANCE_LOC | 10,
    CFA_DEF_CFA_EXPRESSION,
    11,
    0x77,
    8,
    0x80,
    0, /* DW_OP_breg7 8, DW_OP_breg16 0 */
    0x3f,
    0x1a, /* DW_OP_lit15, DW_OP_and */
    LIT11,
    0x2a, /* DW_OP_lit11, DW_OP_ge */
    0x33,
    0x24,
    0x22, /* DW_OP_lit3, DW_OP_shl, DW_OP_plus */
};
enum { PLT_ENTRY_BYTES = 40, FDE_HEADER = 17 };

uint64_t unwind_frame_size(uint64_t entries, bool plt)
{
    return sizeof cie + (plt ? PLT_ENTRY_BYTES : 0) + entries + UNWIND_END;
}

uint64_t unwind_header_size(uint32_t functions, bool plt)
{
    return 12 + 8 * ((uint64_t)functions + plt);
}

/* The state of writing, with the addresses that entries are relative to. */
struct writer {
    uint8_t *frame; /* where the next entry goes */
    uint64_t frame_address;
    uint8_t *index;
    uint64_t index_address;
    uint64_t at;     /* bytes of .eh_frame before that entry */
    uint64_t tabled; /* offset of the CIE of functions with an exception table, if there are any */
};

/* Writes the CIE of functions with an exception table, to be at `address`. It differs from the other one by the
 * augmentation "zPLR": how to find the personality routine, the word with its address, and how entries encode the
 * address of their table. */
static void put_tabled_cie(uint8_t *p, uint64_t address, uint64_t personality)
{
    uint8_t *const start = p;
    p = put_u32(p, UNWIND_TABLED_CIE - 4);
    p = put_u32(p, 0); /* this is a CIE */
    p = put_bytes(p, (const uint8_t[]){1, 'z', 'P', 'L', 'R', 0, 1, 0x78, CFI_RETURN, 7},
                  10); /* the 7 counts the bytes of augmentation data */
    p = put_u8(p, PE_INDIRECT_PCREL_SDATA4);
    p = put_u32(p, (uint32_t)(personality - (address + (uint64_t)(p - start))));
    p = put_bytes(
        p, (const uint8_t[]){PE_PCREL_SDATA4, PE_PCREL_SDATA4, CFA_DEF_CFA, CFI_RSP, 8, CFA_OFFSET | CFI_RETURN, 1}, 7);
    p = put_bytes(p, (const uint8_t[]){CFA_NOP, CFA_NOP}, 2);
    assert(p == start + UNWIND_TABLED_CIE);
}

/* Writes the header of an entry of `size` bytes for the code at [address, address + range), and the entry's row of the
 * index. Returns where the instructions go. `table`: address of the exception table, or 0. */
static uint8_t *begin_entry(struct writer *w, uint32_t size, uint64_t address, uint64_t range, uint64_t table)
{
    uint8_t *p = put_u32(w->frame, size - 4);
    p = put_u32(p, (uint32_t)(w->at + 4 -
                              (table ? w->tabled : 0))); /* distance back to the CIE; the usual one is at offset 0 */
    p = put_u32(p, (uint32_t)(address - (w->frame_address + w->at + 8)));
    p = put_u32(p, (uint32_t)range);
    p = put_u8(p, table ? 4 : 0); /* bytes of augmentation data */
    if (table)
        p = put_u32(p, (uint32_t)(table - (w->frame_address + w->at + FDE_HEADER)));
    w->index = put_u32(w->index, (uint32_t)(address - w->index_address));
    w->index = put_u32(w->index, (uint32_t)(w->frame_address + w->at - w->index_address));
    return p;
}

/* Writes an advance as an instruction of `size` bytes. */
static uint8_t *put_advance_in(uint8_t *p, uint64_t bytes, uint32_t size)
{
    switch (size) {
    case 1:
        return put_u8(p, (uint8_t)(CFA_ADVANCE_LOC | bytes));
    case 2:
        return put_u8(put_u8(p, CFA_ADVANCE_LOC1), (uint8_t)bytes);
    case 3:
        return put_u16(put_u8(p, CFA_ADVANCE_LOC2), (uint16_t)bytes);
    default:
        return put_u32(put_u8(p, CFA_ADVANCE_LOC4), (uint32_t)bytes);
    }
}

static uint8_t *put_advance(uint8_t *p, uint64_t bytes)
{
    return put_advance_in(p, bytes, unwind_advance(bytes));
}

/* Fills up to `more` bytes with instructions that leave the state as it is, at places of the function between offsets
 * `from` and `to`. Returns the last of these, or `from`. */
static uint64_t repeat_state(uint8_t **at, uint32_t more, const struct unwind_function *f, uint64_t from, uint64_t to)
{
    enum { STEP = 3, LONGER = 4 /* most bytes that an advance takes beyond those of a step */ };
    static const uint8_t frame[][2] = {{CFA_DEF_CFA_REGISTER, CFI_RBP}, {CFA_OFFSET | CFI_RBP, 2}};
    uint8_t *p = *at;
    uint8_t *const end = p + more;
    const unsigned kind = f->step || f->frameless ? 2 : f->size >> 4 & 3;
    uint32_t first = 0;
    while (first < f->places && f->place[first] <= from)
        first++;
    uint32_t last = first;
    while (last < f->places && f->place[last] < to)
        last++;
    const uint64_t steps = more / STEP;
    const uint64_t used = steps < last - first ? steps : last - first;
    for (uint64_t i = 0; i < used && end - p >= STEP + LONGER; i++) {
        const uint32_t place = f->place[first + i * (last - first) / used];
        if (kind > 1)
            p = put_u8(p, CFA_REMEMBER_STATE);
        p = put_advance(p, place - from);
        p = kind > 1 ? put_u8(p, CFA_RESTORE_STATE) : put_bytes(p, frame[kind], sizeof frame[kind]);
        from = place;
    }
    *at = p;
    return from;
}

static void function_entry(struct writer *w, const struct unwind_function *f, uint32_t size)
{
    const uint32_t more = f->more * UNWIND_UNIT;
    size += more;
    uint8_t *p = begin_entry(w, size, f->address, f->size, f->table);
    uint8_t *end = w->frame + size;
    const uint8_t landing = f->landing ? PLT_LANDING_SIZE : 0;
    const uint64_t framed = landing + 4; /* behind `mov %rsp,%rbp` */
    p = put_u8(p, (uint8_t)(CFA_ADVANCE_LOC | (landing + 1)));
    p = put_bytes(p, (const uint8_t[]){CFA_DEF_CFA_OFFSET, 16, CFA_OFFSET | CFI_RBP, 2}, 4);
    p = put_u8(p, CFA_ADVANCE_LOC | 3);
    p = put_bytes(p, (const uint8_t[]){CFA_DEF_CFA_REGISTER, CFI_RBP}, 2);
    const uint64_t advance = f->size - 1 - repeat_state(&p, more, f, framed, f->size - 1); /* up to `ret` */
    const uint32_t size_of_advance = unwind_advance(advance);
    p = put_advance_in(p, advance, size_of_advance > 1 ? size_of_advance : 2);
    p = put_bytes(p, (const uint8_t[]){CFA_DEF_CFA, CFI_RSP, 8}, 3);
    assert(p <= end);
    memset(p, CFA_NOP, (size_t)(end - p));
    w->frame = end;
    w->at += size;
}

/* Where a function with steps is, and what holds there. */
struct stepping {
    uint64_t at;
    uint32_t words;
};

static uint8_t *put_cfa(uint8_t *p, uint32_t before, uint32_t words)
{
    enum { POINTED = 2 };
    if (words == UNWIND_BY_RBP && before == POINTED)
        return put_u8(put_u8(p, CFA_DEF_CFA_REGISTER), CFI_RBP);
    if (words == UNWIND_BY_RBP)
        return put_u8(put_u8(put_u8(p, CFA_DEF_CFA), CFI_RBP), 8 * POINTED);
    p = before == UNWIND_BY_RBP ? put_u8(put_u8(p, CFA_DEF_CFA), CFI_RSP) : put_u8(p, CFA_DEF_CFA_OFFSET);
    return put_uleb128(p, 8 * (uint64_t)words);
}

static uint8_t *put_step(uint8_t *p, struct stepping *s, const struct unwind_step *step)
{
    if (step->at > s->at)
        p = put_advance(p, step->at - s->at);
    if (step->words != s->words)
        p = put_cfa(p, s->words, step->words);
    if (step->reg != UNWIND_NO_REGISTER && !step->word)
        p = put_u8(p, CFA_RESTORE | step->reg);
    else if (step->reg != UNWIND_NO_REGISTER)
        p = put_uleb128(put_u8(p, CFA_OFFSET | step->reg), step->word);
    *s = (struct stepping){step->at, step->words};
    return p;
}

/* Bytes of the instructions for all steps of a function. */
static uint32_t steps_size(const struct unwind_function *f)
{
    enum { STEP_MOST = 16 };
    uint8_t step[STEP_MOST];
    struct stepping s = {0, 1};
    uint32_t size = 0;
    for (uint32_t i = 0; i < f->steps; i++)
        size += (uint32_t)(put_step(step, &s, &f->step[i]) - step);
    return size;
}

/* Bytes of code from a step to the next, or to the function's end. */
static uint64_t step_reach(const struct unwind_function *f, uint32_t step)
{
    return (step + 1 < f->steps ? f->step[step + 1].at : f->size) - f->step[step].at;
}

/* The step that holds for most code. */
static uint32_t longest_step(const struct unwind_function *f)
{
    uint32_t longest = 0;
    for (uint32_t i = 1; i < f->steps; i++)
        if (step_reach(f, i) > step_reach(f, longest))
            longest = i;
    return longest;
}

/* What the steps leave of the entry, if it is a unit or more, is spent where one of them holds longest. */
static void stepped_entry(struct writer *w, const struct unwind_function *f, uint32_t size)
{
    size += f->more * UNWIND_UNIT;
    uint8_t *p = begin_entry(w, size, f->address, f->size, f->table);
    uint8_t *const end = w->frame + size;
    const uint32_t steps = steps_size(f);
    const uint32_t longest = longest_step(f);
    struct stepping s = {0, 1};
    assert(steps <= (uint32_t)(end - p));
    const uint32_t left = (uint32_t)(end - p) - steps;
    for (uint32_t i = 0; i < f->steps; i++) {
        p = put_step(p, &s, &f->step[i]);
        if (i == longest && left >= UNWIND_UNIT)
            s.at = repeat_state(&p, left, f, s.at, s.at + step_reach(f, i));
    }
    assert(p <= end);
    memset(p, CFA_NOP, (size_t)(end - p));
    w->frame = end;
    w->at += size;
}

static void outermost_entry(struct writer *w, const struct unwind_function *f, uint32_t size)
{
    size += f->more * UNWIND_UNIT;
    uint8_t *p = begin_entry(w, size, f->address, f->size, 0);
    p = put_bytes(p, (const uint8_t[]){CFA_UNDEFINED, 16}, 2); /* the return address */
    memset(p, CFA_NOP, size - FDE_HEADER - 2);
    w->frame += size;
    w->at += size;
}

/* One state holds all through the function: that of the CIE or, in a part of a function with a frame pointer, that
 * behind the prologue. */
static void frameless_entry(struct writer *w, const struct unwind_function *f, uint32_t size)
{
    const uint32_t more = f->more * UNWIND_UNIT;
    size += more;
    uint8_t *p = begin_entry(w, size, f->address, f->size, f->table);
    uint8_t *const end = w->frame + size;
    if (f->part)
        p = put_bytes(p, (const uint8_t[]){CFA_DEF_CFA, 6, 16, CFA_OFFSET | 6, 2}, 5);
    assert(p <= end);
    memset(p, CFA_NOP, (size_t)(end - p));
    w->frame += size;
    w->at += size;
}

static void any_entry(struct writer *w, const struct unwind_function *f, uint32_t entry_size)
{
    if (f->frameless)
        entry_size = f->table ? UNWIND_TABLED_FRAMELESS : UNWIND_FRAMELESS;
    else if (f->table)
        entry_size = UNWIND_TABLED;
    (f->step        ? stepped_entry
     : f->frameless ? frameless_entry
     : f->outermost ? outermost_entry
                    : function_entry)(w, f, entry_size);
}

void unwind_write_part(const struct unwind_part *part, const struct unwind_function *functions, uint32_t count,
                       uint32_t entry_size)
{
    struct writer w = {.frame = part->frame,
                       .frame_address = part->frame_address,
                       .index = part->index,
                       .index_address = part->index_address,
                       .at = part->before};
    for (uint32_t i = 0; i < count; i++)
        function_entry(&w, &functions[i], entry_size);
}

enum { ROWS_AT = 8 }; /* offset of the number of rows, behind version, encodings and the address of .eh_frame */

void unwind_write_rows(uint8_t *index, uint32_t rows)
{
    put_u32(index + ROWS_AT, rows);
}

void unwind_write(const struct layout *l, uint8_t *image, const struct unwind_function *functions, uint32_t count,
                  uint32_t entry_size, uint64_t personality)
{
    const struct section *frame = &l->section[SECTION_EH_FRAME];
    const struct section *header = &l->section[SECTION_EH_FRAME_HDR];
    const struct section *plt = &l->section[SECTION_PLT];
    struct writer w = {.frame = image + frame->offset,
                       .frame_address = frame->address,
                       .index = image + header->offset,
                       .index_address = header->address};
    w.index = put_bytes(w.index, (const uint8_t[]){1, PE_PCREL_SDATA4, PE_UDATA4, PE_DATAREL_SDATA4}, 4);
    w.index = put_u32(w.index, (uint32_t)(frame->address - (header->address + 4)));
    w.index = put_u32(w.index, count + (plt->size != 0));
    w.frame = put_bytes(w.frame, cie, sizeof cie);
    w.at = sizeof cie;
    if (personality) {
        w.tabled = w.at;
        put_tabled_cie(w.frame, w.frame_address + w.at, personality);
        w.frame += UNWIND_TABLED_CIE;
        w.at += UNWIND_TABLED_CIE;
    }
    if (plt->size) {
        uint8_t *p = begin_entry(&w, PLT_ENTRY_BYTES, plt->address, plt->size, 0);
        static_assert(FDE_HEADER + sizeof plt_instructions <= PLT_ENTRY_BYTES, "the PLT's entry has room");
        put_bytes(p, plt_instructions, sizeof plt_instructions);
        p[PLT_PUSHED] = l->cf_protection ? LIT9 : LIT11;
        p += sizeof plt_instructions;
        memset(p, CFA_NOP, PLT_ENTRY_BYTES - FDE_HEADER - sizeof plt_instructions);
        w.frame += PLT_ENTRY_BYTES;
        w.at += PLT_ENTRY_BYTES;
    }
    for (uint32_t i = 0; i < count; i++)
        any_entry(&w, &functions[i], entry_size);
    assert(w.at + UNWIND_END <= frame->size);
    memset(w.frame, 0,
           frame->size - w.at); /* the terminator, which crtend.o brings in real libraries, and further zero words */
    assert(w.index == image + header->offset + header->size);
}
