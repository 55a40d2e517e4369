/* Reads instructions back as C; see code.h. The assembly stands beside the
 * bytes, d being a slot's displacement from %rbp. */
#include "emit/source/parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    HOLE_BYTES = PHRASE_HOLE_BYTES,
    TAB = 4,
};

/* What an instruction does to the expression in %rax, or in %xmm0. */
enum instruction_kind {
    LOAD,          /* a slot into %rax */
    LOAD_HALF,     /* half of it */
    LOAD_SECOND,   /* into %rdx */
    LOAD_CONSTANT, /* a constant into %ecx */
    WITH_SLOT,     /* %rax with a slot */
    WITH_CONSTANT,
    WITH_MASK,
    WITH_SHIFT,
    WITH_ROTATION,
    WITH_SECOND, /* %rax with a multiple of %rdx or %rcx, and a small constant */
    WITH_THIRD,  /* with %rcx */
    NEGATE,
    STORE,
    COMPARE,
    JUMP,
    CONVERT, /* to double */
    DOUBLE_LOAD,
    DOUBLE_WITH_SLOT,
    DOUBLE_MOST_OF, /* the greater one */
    DOUBLE_STORE,
    LOAD_OBJECT,
    STORE_OBJECT,
    DOUBLE_LOAD_OBJECT,
    DOUBLE_STORE_OBJECT,
    PASS_SLOT,
    PASS_RESULT,
    PASS_CONSTANT,
    CALL,
    NOTHING,
};

static const struct instruction {
    const char *bytes;
    uint8_t size;    /* of these bytes */
    uint8_t operand; /* bytes of the operand behind these */
    uint8_t kind;
    const char *text; /* an operator, or a factor */
} instructions[] = {
    {"\x48\x8b\x45", 3, 1, LOAD, ""},                    /* mov d(%rbp),%rax */
    {"\x8b\x45", 2, 1, LOAD_HALF, ""},                   /* mov d(%rbp),%eax */
    {"\x48\x8b\x55", 3, 1, LOAD_SECOND, ""},             /* mov d(%rbp),%rdx */
    {"\xb9", 1, 4, LOAD_CONSTANT, ""},                   /* mov $c,%ecx */
    {"\x48\x03\x45", 3, 1, WITH_SLOT, "+"},              /* add d(%rbp),%rax */
    {"\x48\x2b\x45", 3, 1, WITH_SLOT, "-"},              /* sub */
    {"\x48\x33\x45", 3, 1, WITH_SLOT, "^"},              /* xor */
    {"\x48\x23\x45", 3, 1, WITH_SLOT, "&"},              /* and */
    {"\x48\x0b\x45", 3, 1, WITH_SLOT, "|"},              /* or */
    {"\x48\x05", 2, 4, WITH_CONSTANT, "+"},              /* add $c,%rax */
    {"\x48\x69\xc0", 3, 4, WITH_CONSTANT, "*"},          /* imul $c,%rax,%rax */
    {"\x48\x35", 2, 4, WITH_MASK, "^"},                  /* xor $c,%rax */
    {"\x48\x8d\x44\x50", 4, 1, WITH_SECOND, "2"},        /* lea d(%rax,%rdx,2),%rax */
    {"\x48\x8d\x44\x90", 4, 1, WITH_SECOND, "4"},        /* lea d(%rax,%rdx,4),%rax */
    {"\x48\x8d\x44\xc8", 4, 1, WITH_SECOND, "8"},        /* lea d(%rax,%rcx,8),%rax */
    {"\x48\xc1\xe0", 3, 1, WITH_SHIFT, "<<"},            /* shl $n,%rax */
    {"\x48\xc1\xe8", 3, 1, WITH_SHIFT, "u>>"},           /* shr */
    {"\x48\xc1\xf8", 3, 1, WITH_SHIFT, ">>"},            /* sar */
    {"\x48\xc1\xc0", 3, 1, WITH_ROTATION, ""},           /* rol */
    {"\x48\x01\xc8", 3, 0, WITH_THIRD, "+"},             /* add %rcx,%rax */
    {"\x48\xf7\xd8", 3, 0, NEGATE, ""},                  /* neg %rax */
    {"\x48\x89\x45", 3, 1, STORE, ""},                   /* mov %rax,d(%rbp) */
    {"\x48\x3b\x45", 3, 1, COMPARE, ""},                 /* cmp d(%rbp),%rax */
    {"\x74", 1, 1, JUMP, "!="},                          /* je past what is done otherwise */
    {"\x75", 1, 1, JUMP, "=="},                          /* jne */
    {"\x7c", 1, 1, JUMP, ">="},                          /* jl */
    {"\x7d", 1, 1, JUMP, "<"},                           /* jge */
    {"\x7e", 1, 1, JUMP, ">"},                           /* jle */
    {"\x7f", 1, 1, JUMP, "<="},                          /* jg */
    {"\x72", 1, 1, JUMP, "u>="},                         /* jb */
    {"\x73", 1, 1, JUMP, "u<"},                          /* jae */
    {"\xf2\x48\x0f\x2a\xc0", 5, 0, CONVERT, ""},         /* cvtsi2sd %rax,%xmm0 */
    {"\xf2\x0f\x10\x45", 4, 1, DOUBLE_LOAD, ""},         /* movsd d(%rbp),%xmm0 */
    {"\xf2\x0f\x58\x45", 4, 1, DOUBLE_WITH_SLOT, "+"},   /* addsd d(%rbp),%xmm0 */
    {"\xf2\x0f\x59\x45", 4, 1, DOUBLE_WITH_SLOT, "*"},   /* mulsd */
    {"\xf2\x0f\x5c\x45", 4, 1, DOUBLE_WITH_SLOT, "-"},   /* subsd */
    {"\xf2\x0f\x5f\x45", 4, 1, DOUBLE_MOST_OF, ""},      /* maxsd */
    {"\xf2\x0f\x11\x45", 4, 1, DOUBLE_STORE, ""},        /* movsd %xmm0,d(%rbp) */
    {"\x48\x8b\x05", 3, 4, LOAD_OBJECT, ""},             /* mov object(%rip),%rax */
    {"\x48\x89\x05", 3, 4, STORE_OBJECT, ""},            /* mov %rax,object(%rip) */
    {"\xf2\x0f\x10\x05", 4, 4, DOUBLE_LOAD_OBJECT, ""},  /* movsd object(%rip),%xmm0 */
    {"\xf2\x0f\x11\x05", 4, 4, DOUBLE_STORE_OBJECT, ""}, /* movsd %xmm0,object(%rip) */
    {"\x48\x8b\x7d", 3, 1, PASS_SLOT, ""},               /* mov d(%rbp),%rdi */
    {"\x48\x89\xc7", 3, 0, PASS_RESULT, ""},             /* mov %rax,%rdi */
    {"\xbe", 1, 4, PASS_CONSTANT, ""},                   /* mov $c,%esi */
    {"\xe8", 1, 4, CALL, ""},                            /* call helper */
    {"\x90", 1, 0, NOTHING, ""},                         /* nop */
    {"\x66\x90", 2, 0, NOTHING, ""},                     /* xchg %ax,%ax */
};

/* --- phrases ----------------------------------------------------------------------- */

static void add_bytes(struct phrase *p, const char *text, uint32_t size)
{
    assert(p->size + size <= sizeof p->text);
    memcpy(p->text + p->size, text, size);
    p->size += size;
}

void phrase_add(struct phrase *p, const char *text)
{
    add_bytes(p, text, (uint32_t)strlen(text));
}

void phrase_hole(struct phrase *p, enum hole_kind kind, uint32_t number)
{
    const char bytes[HOLE_BYTES] = {(char)kind, (char)(number & 0xff), (char)(number >> 8)};
    add_bytes(p, bytes, sizeof bytes);
}

void phrase_number(struct phrase *p, uint32_t number)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", number);
    phrase_add(p, digits);
}

static void add_phrase(struct phrase *p, const struct phrase *other)
{
    add_bytes(p, other->text, other->size);
}

/* Makes the phrase an operand of operator `next` (0: of a cast or sign): adds parentheses if it needs them. */
static void close_for(struct phrase *p, char next)
{
    const bool sums = (p->outer == '+' || p->outer == '-') && (next == '+' || next == '-');
    if (p->outer && !sums) {
        struct phrase inner = *p;
        p->size = 0;
        phrase_add(p, "(");
        add_phrase(p, &inner);
        phrase_add(p, ")");
    }
    p->outer = next;
}

static void add_operator(struct phrase *p, const char *sign)
{
    close_for(p, sign[0]);
    phrase_add(p, " ");
    phrase_add(p, sign);
    phrase_add(p, " ");
}

static void enclose(struct phrase *p, const char *before, const char *after)
{
    struct phrase inner = *p;
    p->size = 0;
    p->outer = 0;
    phrase_add(p, before);
    add_phrase(p, &inner);
    phrase_add(p, after);
}

void phrase_slot(const struct reading *r, struct phrase *p, uint32_t slot)
{
    if (r->local[slot] >= 0)
        phrase_hole(p, HOLE_LOCAL, (uint32_t)r->local[slot]);
    else
        phrase_hole(p, HOLE_SLOT, slot);
}

struct phrase phrase_of_slot(const struct reading *r, uint32_t slot)
{
    struct phrase p = {.size = 0};
    phrase_slot(r, &p, slot);
    return p;
}

/* --- lines --------------------------------------------------------------------------- */

void reading_put(struct reading *r, const struct phrase *p)
{
    bytes_append(&r->to->text, p->text, p->size);
}

void reading_text(struct reading *r, const char *text)
{
    bytes_append(&r->to->text, text, strlen(text));
}

bool reading_at_start(const struct reading *r)
{
    return r->to->text.size == r->line;
}

void reading_indent(struct reading *r, uint32_t more)
{
    static const char spaces[] = "                ";
    const uint32_t width = (r->depth + more) * TAB;
    assert(width < sizeof spaces);
    bytes_append(&r->to->text, reading_at_start(r) ? spaces : " ", reading_at_start(r) ? width : 1);
}

void reading_end_line(struct reading *r)
{
    reading_text(r, "\n");
    r->line = r->to->text.size;
}

/* Writes a statement that assigns `value` to `to`, on as many lines as it has. */
void reading_assign(struct reading *r, const struct phrase *to, const struct phrase *value)
{
    reading_indent(r, 0);
    if (r->condition.size) {
        reading_text(r, "if (");
        reading_put(r, &r->condition);
        reading_text(r, ")");
        if (r->breaks)
            reading_end_line(r);
        reading_indent(r, r->breaks ? 1 : 0);
    }
    reading_put(r, to);
    reading_text(r, " =");
    if (r->breaks && !r->condition.size) {
        reading_end_line(r);
        reading_indent(r, 1);
    } else {
        reading_text(r, " ");
    }
    reading_put(r, value);
    reading_text(r, ";");
    r->breaks = 0;
    r->condition.size = 0;
}

/* At the end of a stretch of code, an expression that was not stored becomes a statement. */
void reading_rest(struct reading *r)
{
    const struct phrase *rest = r->xmm0_waits ? &r->xmm0 : r->rax_waits ? &r->rax : r->rcx_waits ? &r->rcx : NULL;
    if (rest) {
        struct phrase p = *rest;
        if (p.outer)
            enclose(&p, "(", ")");
        reading_indent(r, 0);
        reading_text(r, "(void)");
        reading_put(r, &p);
        reading_text(r, ";");
    }
    if (reading_at_start(r)) {
        reading_indent(r, 0);
        reading_text(r, ";");
    }
    r->rax_waits = r->xmm0_waits = r->rcx_waits = false;
    r->condition.size = 0;
}

/* --- instructions ------------------------------------------------------------------------ */

static const struct instruction *instruction_at(const uint8_t *code)
{
    for (unsigned i = 0; i < sizeof instructions / sizeof instructions[0]; i++)
        if (memcmp(code, instructions[i].bytes, instructions[i].size) == 0)
            return &instructions[i];
    assert(false && "statements are made of the instructions in the table");
    return NULL;
}

static void store(struct reading *r, uint32_t slot, bool is_double)
{
    const struct phrase to = phrase_of_slot(r, slot);
    reading_assign(r, &to, is_double ? &r->xmm0 : &r->rax);
    r->stores = true;
    if (is_double) {
        r->stored_double = slot;
        r->xmm0 = to;
        r->xmm0_waits = r->rax_waits = false;
    } else {
        r->stored = slot;
        r->rax = to;
        r->rax_waits = r->rcx_waits = false;
    }
}

static void store_object(struct reading *r, uint32_t operand, bool is_double)
{
    struct phrase to = {.size = 0};
    phrase_hole(&to, HOLE_OBJECT, operand);
    if (is_double)
        enclose(&to, "*(double *)&", "");
    reading_assign(r, &to, is_double ? &r->xmm0 : &r->rax);
    r->rax_waits = r->xmm0_waits = false;
}

static void load_object(struct reading *r, uint32_t operand, bool is_double)
{
    struct phrase *to = is_double ? &r->xmm0 : &r->rax;
    *to = (struct phrase){.size = 0};
    phrase_hole(to, HOLE_OBJECT, operand);
    if (is_double)
        r->xmm0_waits = true;
    else
        r->rax_waits = true;
}

static void call_helper(struct reading *r, uint32_t operand)
{
    struct phrase call = {.size = 0};
    for (uint32_t i = 0; i < r->fixups; i++)
        if (r->fixup[i].at == operand)
            phrase_hole(&call, HOLE_HELPER, r->fixup[i].number);
    phrase_add(&call, "(");
    add_phrase(&call, &r->passed);
    phrase_add(&call, ")");
    r->rax = call;
    r->rax_waits = true;
}

/* Reads an instruction that extends the expression in %rax. */
static void extend(struct reading *r, const struct instruction *i, uint32_t operand)
{
    struct phrase *p = &r->rax;
    const uint8_t small = r->code[operand];
    switch (i->kind) {
    case WITH_SLOT:
        add_operator(p, i->text);
        phrase_slot(r, p, (uint32_t)(FILLER_SLOT_FIRST - (int8_t)small) / 8);
        break;
    case WITH_CONSTANT:
    case WITH_MASK:
        add_operator(p, i->text);
        phrase_hole(p, i->kind == WITH_MASK ? HOLE_HEXADECIMAL : HOLE_DECIMAL, operand);
        break;
    case WITH_SHIFT:
        if (i->text[0] == 'u') {
            close_for(p, 0);
            enclose(p, "(unsigned long)", "");
        }
        add_operator(p, i->text[0] == 'u' ? i->text + 1 : i->text);
        phrase_number(p, small);
        break;
    case WITH_ROTATION:
        enclose(p, "rotate(", ", ");
        phrase_number(p, small);
        phrase_add(p, ")");
        break;
    case WITH_SECOND:
        add_operator(p, "+");
        phrase_add(p, i->text);
        phrase_add(p, " * ");
        add_phrase(p, i->text[0] == '8' ? &r->rcx : &r->rdx);
        add_operator(p, "+");
        phrase_number(p, small);
        break;
    case WITH_THIRD:
        add_operator(p, "+");
        add_phrase(p, &r->rcx);
        break;
    default: /* NEGATE */
        close_for(p, 0);
        enclose(p, "-", "");
        p->outer = '-';
    }
    r->rax_waits = true;
    r->rcx_waits = false;
}

static void double_extend(struct reading *r, const struct instruction *i, uint32_t slot)
{
    if (i->kind == DOUBLE_WITH_SLOT) {
        add_operator(&r->xmm0, i->text);
        phrase_slot(r, &r->xmm0, slot);
    } else {
        enclose(&r->xmm0, "fmax(", ", ");
        phrase_slot(r, &r->xmm0, slot);
        phrase_add(&r->xmm0, ")");
    }
    r->xmm0_waits = true;
}

static void condition(struct reading *r, const char *sign)
{
    const bool is_unsigned = sign[0] == 'u';
    struct phrase compared = r->passed;
    r->condition = r->rax;
    close_for(&r->condition, 0);
    if (is_unsigned)
        enclose(&r->condition, "(unsigned long)", "");
    add_operator(&r->condition, sign + (is_unsigned ? 1 : 0));
    if (is_unsigned)
        phrase_add(&r->condition, "(unsigned long)");
    add_phrase(&r->condition, &compared);
    r->rax_waits = false;
}

/* Reads the instruction at `at`; returns where the next begins. */
static uint32_t read_instruction(struct reading *r, uint32_t at)
{
    const struct instruction *i = instruction_at(r->code + at);
    const uint32_t operand = at + i->size;
    const uint32_t slot = i->operand == 1 ? (uint32_t)(FILLER_SLOT_FIRST - (int8_t)r->code[operand]) / 8 : 0;
    switch ((enum instruction_kind)i->kind) {
    case LOAD:
    case LOAD_HALF:
        r->rax = phrase_of_slot(r, slot);
        if (i->kind == LOAD_HALF)
            enclose(&r->rax, "(unsigned)", "");
        r->rax_waits = true;
        break;
    case LOAD_SECOND:
        r->rdx = phrase_of_slot(r, slot);
        break;
    case LOAD_CONSTANT:
        r->rcx = (struct phrase){.size = 0};
        phrase_hole(&r->rcx, HOLE_DECIMAL, operand);
        r->rcx_waits = true;
        break;
    case STORE:
        store(r, slot, false);
        break;
    case COMPARE:
        r->passed = phrase_of_slot(r, slot);
        break;
    case JUMP:
        condition(r, i->text);
        break;
    case CONVERT:
        r->xmm0 = r->rax;
        close_for(&r->xmm0, 0);
        enclose(&r->xmm0, "(double)", "");
        r->rax_waits = false;
        r->xmm0_waits = true;
        break;
    case DOUBLE_LOAD:
        r->xmm0 = phrase_of_slot(r, slot);
        r->xmm0_waits = true;
        break;
    case DOUBLE_WITH_SLOT:
    case DOUBLE_MOST_OF:
        double_extend(r, i, slot);
        break;
    case DOUBLE_STORE:
        store(r, slot, true);
        break;
    case LOAD_OBJECT:
    case DOUBLE_LOAD_OBJECT:
        load_object(r, operand, i->kind == DOUBLE_LOAD_OBJECT);
        break;
    case STORE_OBJECT:
    case DOUBLE_STORE_OBJECT:
        store_object(r, operand, i->kind == DOUBLE_STORE_OBJECT);
        break;
    case PASS_SLOT:
        r->passed = phrase_of_slot(r, slot);
        break;
    case PASS_RESULT:
        r->passed = r->rax;
        r->rax_waits = false;
        break;
    case PASS_CONSTANT:
        phrase_add(&r->passed, ", ");
        phrase_hole(&r->passed, HOLE_DECIMAL, operand);
        break;
    case CALL:
        call_helper(r, operand);
        break;
    case NOTHING:
        break;
    default:
        extend(r, i, operand);
    }
    return operand + i->operand;
}

/* Reads the instructions in [at, end), which are all of one line. */
void reading_code(struct reading *r, uint32_t at, uint32_t end)
{
    while (at < end)
        at = read_instruction(r, at);
    assert(at == end);
}
