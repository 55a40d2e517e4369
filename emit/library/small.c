/* See small.h. */
#include "emit/library/small.h"

#include "base/bytes.h"
#include "elf/write/plt.h"
#include "emit/plan/methods.h"

enum {
    PIECE_MOST = 7,
    OFFSET_MOST = 0xfff, /* the largest number, where numbers are to be small: as offsets of members in an object */
};

struct small_walk small_walk(const struct library *l, uint32_t first)
{
    struct small_walk w = {.cold = -(int64_t)l->lead, .other = l->small};
    while (w.next < first)
        small_walk_next(l, &w);
    return w;
}

int64_t small_walk_next(const struct library *l, struct small_walk *w)
{
    int64_t *const next = plan_is_cold(l->row, w->next) ? &w->cold : &w->other;
    const int64_t at = *next;
    *next += plan_small_place(l->row, w->next++);
    return at;
}

/* A range over small functions [first, first + count). */
static struct small_turn turn_of(const struct library *l, uint32_t first, uint32_t count)
{
    struct small_walk w = small_walk(l, first);
    return (struct small_turn){.first = first, .count = count, .start = small_walk_address(l, &w)};
}

struct small_turn small_methods(const struct library *l)
{
    const uint32_t count = methods_functions(l->row);
    return turn_of(l, l->row->small.count - count, count);
}

struct small_turn small_constructors(const struct library *l)
{
    const struct plan_library *row = l->row;
    const uint32_t end = row->small.count - methods_functions(row) - l->shape.resolvers.local;
    const uint32_t ahead = row->small.ahead + row->cold.packed;
    uint32_t first = row->small.exported > ahead ? row->small.exported : ahead;
    while (first < end && !row->small.size[first])
        first++;
    return turn_of(l, first, end > first ? end - first : 0);
}

uint64_t small_constructors_bytes(const struct library *l)
{
    const struct small_turn t = small_constructors(l);
    uint64_t bytes = 0;
    for (uint32_t i = 0; t.count && i < l->row->extra.start.constructors; i++)
        bytes += plan_small_size(l->row, t.first + i % t.count);
    return bytes;
}

struct small_turn small_resolvers(const struct library *l)
{
    const struct resolvers *r = &l->shape.resolvers;
    return r->local ? turn_of(l, r->local_first, r->local) : turn_of(l, r->dynamic_first, r->dynamic);
}

uint64_t small_next(const struct library *l, struct small_turn *t, enum glue_function otherwise)
{
    if (!t->count)
        return l->code.text + l->glue.place[otherwise].offset;
    const uint32_t which = t->next++ % t->count;
    if (!which)
        t->at = t->start;
    const uint64_t address = t->at;
    t->at += plan_small_place(l->row, t->first + which);
    return address;
}

/* Writes one instruction of `size` bytes, 1 to PIECE_MOST, that at most sets %rax, which nothing needs. Operands of
 * four bytes are at most `most`, a power of 2 less 1. */
static uint8_t *put_piece(uint8_t *p, uint32_t size, uint64_t value, uint32_t most)
{
    static const struct {
        const char *code;
        uint32_t code_size, operand;
    } pieces[PIECE_MOST] = {
        {"\x90", 1, 0},         /* nop */
        {"\x31\xc0", 2, 0},     /* xor %eax,%eax */
        {"\x48\x89\xf0", 3, 0}, /* mov %rsi,%rax */
        {"\x48\x83\xc0", 3, 1}, /* add $v,%rax */
        {"\xb8", 1, 4},         /* mov $v,%eax */
        {"\x69\xc6", 2, 4},     /* imul $v,%esi,%eax */
        {"\x48\x8d\x86", 3, 4}, /* lea v(%rsi),%rax */
    };
    p = put_bytes(p, pieces[size - 1].code, pieces[size - 1].code_size);
    if (pieces[size - 1].operand == 1)
        return put_u8(p, (uint8_t)(value & INT8_MAX));
    return pieces[size - 1].operand ? put_u32(p, (uint32_t)value & most) : p;
}

uint32_t small_next_piece(uint32_t size, uint64_t *value)
{
    const uint32_t piece = size <= PIECE_MOST ? size : 2 + (uint32_t)(*value >> 60) % (PIECE_MOST - 2);
    *value = random_mix(*value);
    return piece;
}

uint8_t *small_put_pieces(const struct plan_library *l, uint8_t *p, uint32_t size, uint64_t value)
{
    const uint32_t most = l->alike_code.constants ? OFFSET_MOST : INT32_MAX;
    while (size) {
        const uint64_t of = value;
        const uint32_t piece = small_next_piece(size, &value);
        p = put_piece(p, piece, of, most);
        size -= piece;
    }
    return p;
}

/* Writes `return number;` as a method returns it: a jump to Python's function. */
static uint8_t *put_return_number(const struct library *l, uint32_t number, uint8_t *p)
{
    const struct code *c = &l->code;
    const uint32_t slot = l->at.python_slot + shape_python_slot(l->row, PYTHON_FROM_UNSIGNED);
    return code_jump(c, put_u32(put_u8(p, 0xbf), number), slot);
}

/* Of the functions without a name, a share of alike_code.constants / 256 has the value of others of the same size, so
 * that their code is alike. Where code is as alike as can be, all small functions of about the same size are alike. */
uint64_t small_value(const struct plan_library *l, uint32_t index)
{
    const uint64_t key = plan_key(l, PURPOSE_PADDING);
    const uint64_t value = random_at(key, UINT64_C(1) << 32 | index);
    if (alike_is_most(l->alike_code))
        return random_at(key, UINT64_C(1) << 33 | plan_small_size(l, index) / PIECE_MOST);
    const bool alike = index >= l->small.count && (value & UINT8_MAX) < l->alike_code.constants;
    return alike ? random_at(key, UINT64_C(1) << 33 | (index - l->small.count) % PLAN_NAMELESS) : value;
}

/* The functions that resolvers return in turn: the last small functions with code that are neither resolvers nor
 * methods, which any caller may call. Where there is none, GLUE_FRAME_DUMMY. */
enum { USABLE_MOST = 8 };
struct usable {
    uint64_t address[USABLE_MOST];
    uint32_t count;
};

static struct usable usable_of(const struct library *l)
{
    const struct plan_library *row = l->row;
    const struct resolvers *r = &l->shape.resolvers;
    struct usable u = {.address = {l->code.text + l->glue.place[GLUE_FRAME_DUMMY].offset}};
    struct small_walk walk = small_walk(l, 0);
    const uint32_t end = r->dynamic + r->local ? row->small.count - methods_functions(row) : 0;
    for (uint32_t i = 0; i < end; i++) {
        const uint64_t address = small_walk_address(l, &walk);
        if (row->small.size[i] && !resolvers_has(r, i) && !plan_is_packed(row, i))
            u.address[u.count++ % USABLE_MOST] = address;
    }
    u.count = !u.count ? 1 : u.count < USABLE_MOST ? u.count : USABLE_MOST;
    return u;
}

/* Writes `lea function(%rip),%rax; ret` at `p`, for code at this address. */
static uint8_t *put_resolver(uint8_t *p, uint64_t address, uint64_t function)
{
    p = put_bytes(p, "\x48\x8d\x05", 3);
    p = put_u32(p, (uint32_t)(function - (address + RESOLVER_CODE - 1)));
    return put_u8(p, 0xc3);
}

void small_write(const struct library *l)
{
    const struct plan_library *row = l->row;
    const uint32_t methods = methods_functions(row);
    const struct usable usable = usable_of(l);
    struct small_walk walk = small_walk(l, 0);
    for (uint32_t i = 0; i < plan_small_all(row); i++) {
        const int64_t at = small_walk_next(l, &walk);
        if (plan_is_cold(row, i))
            continue;
        uint8_t *p = l->code.image + at;
        const uint32_t size = plan_small_size(row, i);
        const bool is_method = i < row->small.count && i >= row->small.count - methods;
        const bool resolves = resolvers_has(&l->shape.resolvers, i);
        const uint32_t end = is_method ? METHODS_CODE : resolves ? RESOLVER_CODE : 1;
        const uint32_t landing = size >= plan_landing(row) + end ? plan_landing(row) : 0;
        p = put_bytes(p, PLT_LANDING, landing);
        p = small_put_pieces(row, p, size ? size - landing - end : 0, small_value(row, i));
        if (resolves)
            p = put_resolver(p, l->code.text + (uint64_t)at + size - RESOLVER_CODE, usable.address[i % usable.count]);
        else if (size)
            p = is_method ? put_return_number(l, i, p) : put_u8(p, 0xc3); /* ret */
        code_pad(p, plan_small_place(row, i) - size);
    }
}
