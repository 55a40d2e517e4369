/* See methods.h. */
#include "emit/methods.h"

#include "base/bytes.h"
#include "base/words.h"
#include "elf/plt.h"

enum {
    RETURN_NUMBER = 5 + 5, /* mov $number,%edi; jmp PyLong_FromUnsignedLong@plt */
    PIECE_MOST = 7
};

/* --- names ------------------------------------------------------------------------------------ */

/* A verb and a noun, the first at any of them; then with a number. */
static uint32_t words_of(const struct plan_library *l, uint32_t index)
{
    return (uint32_t)((plan_key(l, PURPOSE_METHODS) + index) % WORDS_METHODS);
}

uint32_t methods_name_length(const struct plan_library *l, uint32_t index)
{
    return words_method_length(words_of(l, index)) + (index < WORDS_METHODS ? 0 : names_digits(index));
}

static uint8_t *put_method_name(const struct plan_library *l, uint32_t index, uint8_t *p)
{
    p = (uint8_t *)words_method(words_of(l, index), (char *)p);
    if (index >= WORDS_METHODS) {
        uint8_t *const end = p + names_digits(index);
        uint8_t *digit = end;
        for (uint32_t rest = index; rest; rest /= 10)
            *--digit = (uint8_t)('0' + rest % 10);
        p = end;
    }
    return put_u8(p, '\0');
}

uint64_t methods_bytes(const struct plan_library *l)
{
    uint64_t bytes = l->extra.documented ? sizeof METHODS_DOC : 0;
    for (uint32_t i = 0; i < l->extra.methods; i++)
        bytes += methods_name_length(l, i) + UINT64_C(1);
    return bytes;
}

uint8_t *methods_write_strings(const struct plan_library *l, uint8_t *p)
{
    if (l->extra.documented)
        p = put_bytes(p, METHODS_DOC, sizeof METHODS_DOC);
    for (uint32_t i = 0; i < l->extra.methods; i++)
        p = put_method_name(l, i, p);
    return p;
}

/* --- functions -------------------------------------------------------------------------------- */

/* How many small functions are those of methods: the last. Their sizes are in ascending order. */
static uint32_t small_methods(const struct plan_library *l)
{
    uint32_t count = 0;
    while (count < l->extra.methods && count < l->small && l->small_size[l->small - 1 - count] >= RETURN_NUMBER)
        count++;
    return count;
}

struct method_functions methods_functions(const struct library *l)
{
    struct method_functions f = {.count = small_methods(l->row)};
    f.first = l->code.text + l->layout.section[SECTION_TEXT].size;
    for (uint32_t i = 0; i < f.count; i++)
        f.first -= plan_small_place(l->row, l->row->small - 1 - i);
    return f;
}

uint64_t methods_next_function(const struct library *l, struct method_functions *f)
{
    if (!f->count)
        return l->code.text + l->glue.place[GLUE_METHOD].offset;
    if (f->next % f->count == 0)
        f->at = f->first;
    const uint64_t function = f->at;
    f->at += plan_small_place(l->row, l->row->small - f->count + f->next++ % f->count);
    return function;
}

/* %rax, which nothing needs, gets some value: one instruction of `size` bytes, 1 to PIECE_MOST. */
static uint8_t *put_piece(uint8_t *p, uint32_t size, uint64_t value)
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
    return pieces[size - 1].operand ? put_u32(p, (uint32_t)(value & INT32_MAX)) : p;
}

/* return number; */
static uint8_t *put_return_number(const struct library *l, uint32_t number, uint8_t *p)
{
    const struct code *c = &l->code;
    const uint32_t slot = l->at.python_slot + shape_python_slot(l->row, PYTHON_FROM_UNSIGNED);
    p = put_u32(put_u8(p, 0xbf), number);
    p = put_u8(p, 0xe9);
    return code_relative(c, p, c->target ? c->target[slot] : c->plt + PLT_ENTRY * (UINT64_C(1) + slot), 0);
}

void methods_write_small(const struct library *l, uint8_t *p)
{
    const struct plan_library *row = l->row;
    const uint32_t first = row->small - small_methods(row);
    for (uint32_t i = 0; i < row->small; i++) {
        uint64_t value = random_at(plan_key(row, PURPOSE_PADDING), UINT64_C(1) << 32 | i);
        const uint32_t size = row->small_size[i];
        const uint32_t end = i < first ? 1 : RETURN_NUMBER;
        for (uint32_t rest = size ? size - end : 0; rest; value = random_mix(value)) {
            const uint32_t part = rest <= PIECE_MOST ? rest : 2 + (uint32_t)(value >> 60) % (PIECE_MOST - 2);
            p = put_piece(p, part, value);
            rest -= part;
        }
        if (size)
            p = i < first ? put_u8(p, 0xc3) : put_return_number(l, i, p); /* ret */
        const uint32_t padding = (uint32_t)plan_small_place(row, i) - size;
        code_pad(p, padding);
        p += padding;
    }
}
