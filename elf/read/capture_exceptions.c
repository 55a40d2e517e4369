/* Counts exception tables, the functions that have one, small functions, and kinds of frames; see capture.h.
 *
 * A function's entry (FDE) in .eh_frame tells whether the function has an exception table and how large it is (LSB core
 * 5.0, 10.6.1). An entry begins with its length and the distance back to the common entry (CIE) that it belongs to. The
 * augmentation string of the CIE tells what CIE and FDE contain. 64-bit entries, other byte orders, and encodings that
 * no compiler for x86-64 chooses are not counted.
 *
 *     CIE    length, 0, version | string, 0 | ULEB code alignment, SLEB data alignment, return address | data of "z"
 *            of which 'P' has an encoding and the personality routine, 'L' and 'R' the encodings of the table's and of
 *            the function's address
 *     FDE    length, distance | address and size of the function | ULEB bytes | address of the table, or 0
 */
#include <string.h>

#include "elf/read/capture_parts.h"
#include "elf/write/cfi.h"
#include "elf/write/unwind.h"

enum {
    HEADER = 8,               /* bytes of the length and of the 0 or distance behind it */
    AUGMENTATION = 16,        /* characters */
    LENGTH_WIDE = 0xfffffff0, /* from here on the length is not one: it announces a 64-bit length */
};

/* Bytes that have not been read yet. */
struct rest {
    const uint8_t *at;
    size_t size;
    bool broken; /* more bytes were taken than there are */
};

static uint64_t take(struct rest *r, size_t bytes)
{
    uint64_t value = 0;
    r->broken |= bytes > r->size;
    if (r->broken)
        return 0;
    memcpy(&value, r->at, bytes);
    r->at += bytes;
    r->size -= bytes;
    return value;
}

/* Takes a LEB128 number of either kind. The sign is not extended, because no caller needs it. */
static uint64_t take_number(struct rest *r)
{
    uint64_t value = 0;
    uint8_t byte = 0x80;
    for (unsigned shift = 0; byte & 0x80 && !r->broken; shift += 7) {
        byte = (uint8_t)take(r, 1);
        r->broken |= shift > 63;
        value |= shift > 63 ? 0 : (uint64_t)(byte & 0x7f) << shift;
    }
    return value;
}

/* Bytes of an address in this encoding; 0: a LEB128 number or an unknown encoding. */
static size_t address_size(uint8_t encoding)
{
    static const uint8_t sizes[] = {8, 0, 2, 4, 8, 0, 0, 0};
    return sizes[encoding & 7];
}

/* What a CIE says of the FDEs that belong to it. */
struct cie {
    uint8_t function, table; /* encodings of both addresses; PE_OMIT: no table */
};

/* Reads a CIE. False if it has an augmentation that is not known here, or cannot be read. */
static bool cie_read(struct rest r, struct cie *c)
{
    *c = (struct cie){.function = PE_ABSPTR, .table = PE_OMIT};
    char name[AUGMENTATION];
    const uint64_t version = take(&r, 1);
    size_t length = 0;
    while (length < sizeof name && (name[length] = (char)take(&r, 1)) != '\0')
        length++;
    if (r.broken || length == sizeof name || name[0] != 'z')
        return false;
    take_number(&r);
    take_number(&r);
    if (version == 1)
        take(&r, 1);
    else
        take_number(&r);
    take_number(&r); /* bytes of what follows */
    for (size_t i = 1; i < length && !r.broken; i++) {
        const uint8_t encoding = name[i] == 'P' || name[i] == 'L' || name[i] == 'R' ? (uint8_t)take(&r, 1) : 0;
        if (name[i] == 'P' && (encoding == PE_OMIT || !address_size(encoding)))
            return false;
        if (name[i] == 'P')
            take(&r, address_size(encoding));
        else if (name[i] == 'L')
            c->table = encoding;
        else if (name[i] == 'R')
            c->function = encoding;
        else if (name[i] != 'S' && name[i] != 'B') /* signal frames, signed return addresses */
            return false;
    }
    return !r.broken;
}

/* What an FDE says. */
struct fde {
    uint64_t bytes;           /* of its function; UINT64_MAX if the entry cannot be read */
    bool tabled;              /* it has the address of an exception table */
    struct rest instructions; /* which tell of the frame */
};

static struct fde fde_read(struct rest r, const struct cie *c)
{
    struct fde e = {.bytes = UINT64_MAX};
    const size_t address = address_size(c->function);
    const size_t table = c->table == PE_OMIT ? 0 : address_size(c->table);
    take(&r, address);
    const uint64_t bytes = take(&r, address);
    if (address && !r.broken)
        e.bytes = bytes;
    const uint64_t more = take_number(&r);
    const bool is_whole = address && !r.broken && more <= r.size;
    e.instructions = is_whole ? (struct rest){r.at + more, r.size - more, false} : (struct rest){.broken = true};
    e.tabled = address && table && more >= table && take(&r, table) != 0;
    return e;
}

/* Operands of a call frame instruction (DWARF 5 section 6.4.2 and table 7.29; the GNU ones are of binutils). */
enum operands { NONE, NUMBER, TWO_NUMBERS, BLOCK, NUMBER_AND_BLOCK, BYTES_1, BYTES_2, BYTES_4, UNKNOWN };

static enum operands operands_of(uint8_t instruction)
{
    static const uint8_t operands[] = {
        [CFA_NOP] = NONE,
        [CFA_SET_LOC] = UNKNOWN,
        [CFA_ADVANCE_LOC1] = BYTES_1,
        [CFA_ADVANCE_LOC2] = BYTES_2,
        [CFA_ADVANCE_LOC4] = BYTES_4,
        [CFA_OFFSET_EXTENDED] = TWO_NUMBERS,
        [CFA_RESTORE_EXTENDED] = NUMBER,
        [CFA_UNDEFINED] = NUMBER,
        [CFA_SAME_VALUE] = NUMBER,
        [CFA_REGISTER] = TWO_NUMBERS,
        [CFA_REMEMBER_STATE] = NONE,
        [CFA_RESTORE_STATE] = NONE,
        [CFA_DEF_CFA] = TWO_NUMBERS,
        [CFA_DEF_CFA_REGISTER] = NUMBER,
        [CFA_DEF_CFA_OFFSET] = NUMBER,
        [CFA_DEF_CFA_EXPRESSION] = BLOCK,
        [CFA_EXPRESSION] = NUMBER_AND_BLOCK,
        [CFA_OFFSET_EXTENDED_SF] = TWO_NUMBERS,
        [CFA_DEF_CFA_SF] = TWO_NUMBERS,
        [CFA_DEF_CFA_OFFSET_SF] = NUMBER,
        [CFA_VAL_OFFSET] = TWO_NUMBERS,
        [CFA_VAL_OFFSET_SF] = TWO_NUMBERS,
        [CFA_VAL_EXPRESSION] = NUMBER_AND_BLOCK,
    };
    enum { KIND = 0xc0 };
    if (instruction & KIND)
        return (instruction & KIND) == CFA_OFFSET ? NUMBER : NONE;
    if (instruction < sizeof operands)
        return operands[instruction];
    return instruction == CFA_GNU_ARGS_SIZE ? NUMBER : instruction == CFA_GNU_WINDOW_SAVE ? NONE : UNKNOWN;
}

/* Takes the operands; returns the first number. */
static uint64_t take_operands(struct rest *r, enum operands operands)
{
    static const uint8_t bytes[] = {[BYTES_1] = 1, [BYTES_2] = 2, [BYTES_4] = 4};
    r->broken |= operands == UNKNOWN;
    if (operands == NONE || r->broken)
        return 0;
    if (operands >= BYTES_1)
        return take(r, bytes[operands]);
    uint64_t number = take_number(r);
    if (operands == TWO_NUMBERS)
        take_number(r);
    const uint64_t block = operands == BLOCK ? number : operands == NUMBER_AND_BLOCK ? take_number(r) : 0;
    r->broken |= block > r->size;
    if (!r->broken) {
        r->at += block;
        r->size -= block;
    }
    return number;
}

enum frame_kind { FRAME_NONE, FRAME_RSP, FRAME_RBP };

/* By which register the frame is found, at a place in the function, and at any before it. */
struct frame_found {
    uint64_t reg;
    bool by_rbp, by_another;
    bool moves; /* by %rsp, and not at its place in the beginning */
};
enum { RETURN_ADDRESS = 8 /* bytes */ };

static void find_by(struct frame_found *f, uint64_t reg)
{
    f->reg = reg;
    f->by_rbp |= reg == CFI_RBP;
    f->by_another |= reg != CFI_RBP && reg != CFI_RSP;
}

/* How an entry's function is found: by %rbp at any place; by %rsp, which it moves; otherwise it has no frame, or it is
 * found by another register or by an expression, as that of the PLT, or the entry cannot be read. */
static enum frame_kind frame_kind(struct rest r)
{
    struct frame_found f = {.reg = CFI_RSP};
    while (r.size && !r.broken) {
        const uint8_t instruction = (uint8_t)take(&r, 1);
        struct rest operand = r;
        const uint64_t number = take_operands(&r, operands_of(instruction));
        if (r.broken || instruction == CFA_DEF_CFA_EXPRESSION)
            return FRAME_NONE;
        if (instruction == CFA_DEF_CFA || instruction == CFA_DEF_CFA_SF || instruction == CFA_DEF_CFA_REGISTER)
            find_by(&f, number);
        if (instruction == CFA_DEF_CFA) {
            take_number(&operand);
            f.moves |= f.reg == CFI_RSP && take_number(&operand) != RETURN_ADDRESS;
        }
        f.moves |= f.reg == CFI_RSP && (instruction == CFA_DEF_CFA_OFFSET || instruction == CFA_DEF_CFA_OFFSET_SF);
    }
    return r.broken || f.by_another ? FRAME_NONE : f.by_rbp ? FRAME_RBP : f.moves ? FRAME_RSP : FRAME_NONE;
}

static void count_entries(const uint8_t *frame, size_t size, struct capture *c)
{
    for (size_t at = 0; size - at >= HEADER;) {
        uint32_t header[2]; /* bytes behind the length; distance to the CIE, 0 in a CIE */
        memcpy(header, frame + at, sizeof header);
        if (header[0] >= LENGTH_WIDE)
            break;
        const size_t end = at + 4 + header[0];
        if (header[0] < 4) { /* the zero word of crtend.o ends the table, but other entries may follow */
            at = end;
            continue;
        }
        if (end > size)
            break;
        const size_t distance = header[1];
        struct cie cie;
        if (distance && distance <= at + 4) {
            const size_t of = at + 4 - distance;
            uint32_t length;
            memcpy(&length, frame + of, sizeof length);
            const bool fits = of + HEADER <= size && length >= 4 && length <= size - of - 4;
            const struct rest entry = {frame + at + HEADER, header[0] - 4, false};
            if (fits && cie_read((struct rest){frame + of + HEADER, length - 4, false}, &cie)) {
                const struct fde e = fde_read(entry, &cie);
                const enum frame_kind kind = frame_kind(e.instructions);
                c->unwind.tabled += e.tabled;
                c->unwind.small += e.bytes < UNWIND_SMALL;
                c->unwind.rsp += kind == FRAME_RSP;
                c->unwind.rbp += kind == FRAME_RBP;
            }
        }
        at = end;
    }
}

bool look_exceptions(struct look *l)
{
    static const char exceptions[] = ".gcc_except_table"; /* some have a dot and the function's name behind this */
    struct capture *c = l->c;
    for (size_t i = 1; i < l->reader.sections; i++) {
        GElf_Shdr shdr;
        Elf_Scn *section = reader_section(&l->reader, i, &shdr, l->e);
        if (!section)
            return false;
        if (!look_is_image(&shdr))
            continue;
        const char *name = reader_name(&l->reader, &shdr);
        if (strncmp(name, exceptions, sizeof exceptions - 1) == 0)
            c->unwind.exceptions += shdr.sh_size;
        if (strcmp(name, ".eh_frame") != 0 || c->kind.machine != EM_X86_64 || !c->kind.wide)
            continue;
        const Elf_Data *data = look_table(l, section, &shdr);
        if (!data)
            return false;
        if (data->d_buf)
            count_entries(data->d_buf, data->d_size, c);
    }
    c->unwind.small -= c->unwind.small < l->small_named ? c->unwind.small : l->small_named;
    return true;
}
