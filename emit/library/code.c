/* Composes and writes the code of functions; see code.h. Encodings are those of the Intel manual, volume 2, with the
 * assembly beside them. Registers follow psABI 1.0 3.2.3. */
#include "emit/library/code.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "elf/write/plt.h"
#include "emit/library/passes.h"
#include "emit/library/small.h"
#include "emit/plan/evaluate.h"

/* How many functions at the end are copied exactly. Behind any other function there are at least BYTES_STEP bytes of
 * text, so that its blocks can be copied in whole steps. */
enum { LAST_FUNCTIONS = 2 };

static_assert(CODE_EPILOGUE + LAST_FUNCTIONS * (CODE_PROLOGUE + CODE_MARK + CODE_OWN + CODE_EPILOGUE) >= BYTES_STEP,
              "what is copied beyond a block is still text");

/* Bytes of code by type of argument. Tables and not branches, which no processor could predict. */
static const uint8_t mix_sizes[ARGUMENT_TYPES] = {15, 15, 17, 17, 17};
static const uint8_t floats_by_type[ARGUMENT_TYPES] = {[TYPE_FLOAT] = 1, [TYPE_DOUBLE] = 1};

/* Bytes of code by type of argument and, unless it is a floating-point number, by the number of its register: %r8d
 * needs a prefix where the others need none. */
typedef uint8_t argument_sizes[ARGUMENT_TYPES][ARGUMENTS_MOST];

static const argument_sizes spill_sizes = {
    [TYPE_INT] = {3, 3, 3, 3, 4},    [TYPE_LONG] = {4, 4, 4, 4, 4},   [TYPE_FLOAT] = {5, 5, 5, 5, 5},
    [TYPE_DOUBLE] = {5, 5, 5, 5, 5}, [TYPE_STRING] = {4, 4, 4, 4, 4},
};
static const argument_sizes pass_sizes = {
    [TYPE_INT] = {5, 5, 5, 5, 6},    [TYPE_LONG] = {7, 7, 7, 7, 7},   [TYPE_FLOAT] = {8, 8, 8, 8, 8},
    [TYPE_DOUBLE] = {8, 8, 8, 8, 8}, [TYPE_STRING] = {7, 7, 7, 7, 7},
};

/* The sum of the bytes that the arguments take. */
static uint32_t arguments_size(const struct function *f, const argument_sizes *sizes)
{
    uint32_t size = 0;
    uint32_t integers = 0;
    for (uint32_t j = 0; j < f->count; j++) {
        size += (*sizes)[f->type[j]][integers];
        integers += 1u - floats_by_type[f->type[j]];
    }
    return size;
}

static uint32_t spills_size(const struct function *f)
{
    return arguments_size(f, &spill_sizes);
}

uint32_t code_pass_size(const struct function *f)
{
    return arguments_size(f, &pass_sizes);
}

/* Whether function `index` calls the one after it. */
static bool calls_next(const struct code *c, uint32_t index)
{
    return (index + 1) % c->plan->depth != 0 && index + 1 < c->library->functions;
}

/* The import that the t-th call of a function goes to, or NULL. */
static const struct import *call_target(const struct code *c, uint32_t index, uint32_t t, uint32_t *number)
{
    *number = c->calls->target[(uint64_t)index * c->calls->per_function + t];
    return *number == CALLS_NONE ? NULL : &c->calls->import[*number];
}

/* The PLT slot of a call. With rows not every import has a slot, but every call has one of its own. */
static uint32_t call_slot(const struct code *c, uint32_t index, uint32_t t, uint32_t number)
{
    return c->import_slot + (c->library->said ? index * c->calls->per_function + t : number);
}

static uint32_t calls_of(const struct code *c)
{
    return c->calls ? c->calls->per_function : 0;
}

uint32_t code_least(const struct code *c, uint32_t index)
{
    const struct function *f = &c->own[index];
    uint32_t size = code_first_piece(c->library, (struct frame){.by_rsp = false}, f) + CODE_EPILOGUE;
    for (uint32_t t = 0; t < calls_of(c); t++) {
        uint32_t number;
        const struct import *target = call_target(c, index, t, &number);
        if (!target)
            continue;
        size += code_pass_size(&c->imported[number]) + CODE_CALL;
        size += c->plan->assignment.repeat > 1 ? CODE_REPEAT + CODE_AGAIN : 0;
    }
    if (calls_next(c, index))
        size += code_pass_size(&c->own[index + 1]) + CODE_CALL;
    return size;
}

/* Chooses a block that fits, of those that the library uses: any or, where little more fits, one of the longer half. Or
 * a piece of as many bytes that is no block (alike_code.wild). */
static struct piece choose_block(const struct blocks *b, uint64_t r, uint64_t bytes, struct alike_code alike)
{
    enum { SIZES = sizeof b->fitting / sizeof b->fitting[0] };
    uint32_t fit = b->fitting[bytes < SIZES ? bytes : SIZES - 1];
    uint32_t shortest = bytes < SIZES ? fit / 2 : 0;
    const uint32_t block = (shortest + random_below(r, fit - shortest)) >> alike.step << alike.step;
    if ((r & UINT8_MAX) < alike.wild)
        return (struct piece){.kind = PIECE_WILD, .first = b->size[block]};
    return (struct piece){.kind = PIECE_BLOCK, .first = (uint16_t)block};
}

/* Chooses a run of about `bytes` bytes, and not more. */
static struct piece choose_run(const struct filler *f, uint64_t r, uint64_t bytes)
{
    uint32_t first = random_below(r, f->borders - BLOCK_MOST);
    uint32_t last = f->at[f->offset[first] + bytes];
    return (struct piece){.kind = PIECE_RUN, .first = (uint16_t)first, .last = (uint16_t)last};
}

bool code_compose(const struct code *c, uint32_t index, uint64_t bytes, bool leaves, uint32_t steps,
                  struct arena *arena, struct body *b)
{
    enum { STEPS_LEAST = 8 /* bytes of the unwind table that tell of a piece */ };
    /* blocks refer to constants and helpers, which a bare library does not have */
    const uint64_t smallest = c->library->level == LEVEL_BARE ? UINT64_MAX : c->blocks->block[0].size;
    /* the jump, blocks, a run, a gap; those that move %rsp, and what is left of their code */
    const uint64_t passed =
        bytes / CODE_PASSES_LEAST < steps / STEPS_LEAST ? bytes / CODE_PASSES_LEAST : steps / STEPS_LEAST;
    const uint64_t most = bytes / c->blocks->block[0].size + 8 + passed;
    const struct alike_code alike = c->library->alike_code;
    struct random random = {random_at(plan_key(c->library, PURPOSE_PIECES), index)};
    b->pieces = 0;
    b->piece = arena_take(arena, most * sizeof *b->piece);
    if (!b->piece)
        return false;
    if (leaves && bytes >= CODE_LEAVE) {
        b->piece[b->pieces++] = (struct piece){.kind = PIECE_LEAVE, .first = CODE_LEAVE};
        bytes -= CODE_LEAVE;
    }
    struct passes passes = passes_of(c, &bytes, steps);
    const uint32_t prologue = plan_landing(c->library) + frame_prologue_size(b->frame);
    passes.since = code_first_piece(c->library, b->frame, &c->own[index]) - prologue + frame_behind(b->frame);
    passes.since += b->pieces ? CODE_LEAVE : 0;
    while (bytes || passes.code) {
        assert(b->pieces < most);
        uint64_t r = random_next(&random);
        if (passes.code && r % (bytes + passes.code) < passes.code) {
            if (passes_next(&passes, random_mix(r), &b->piece[b->pieces])) {
                b->pieces++;
            } else {
                bytes += passes.code;
                passes.code = 0;
            }
            continue;
        }
        if (alike_is_most(alike) && bytes < smallest)
            r = random_mix(bytes);
        struct piece *piece = &b->piece[b->pieces++];
        if (bytes >= smallest)
            *piece = choose_block(c->blocks, r, bytes, alike);
        else if (bytes > FILLER_GAP_MOST)
            *piece = choose_run(c->filler, r, bytes < BLOCK_MOST ? bytes : BLOCK_MOST);
        else
            *piece = (struct piece){.kind = PIECE_GAP, .first = (uint16_t)bytes};
        const uint32_t size = code_piece_size(c, piece);
        passes.since += size;
        bytes -= size;
    }
    arena_shrink(arena, b->piece, b->pieces * sizeof *b->piece);
    return true;
}

/* --- bytes ---------------------------------------------------------------- */

void code_pad(uint8_t *p, uint32_t size)
{
    static const char nops[][10] = {
        "",
        "\x90",                             /* nop */
        "\x66\x90",                         /* xchg %ax,%ax */
        "\x0f\x1f\x00",                     /* nopl (%rax) */
        "\x0f\x1f\x40\x00",                 /* nopl 0(%rax) */
        "\x0f\x1f\x44\x00\x00",             /* nopl 0(%rax,%rax,1) */
        "\x66\x0f\x1f\x44\x00\x00",         /* nopw 0(%rax,%rax,1) */
        "\x0f\x1f\x80\x00\x00\x00\x00",     /* nopl 0L(%rax) */
        "\x0f\x1f\x84\x00\x00\x00\x00\x00", /* nopl 0L(%rax,%rax,1) */
    };
    assert(size < CODE_ALIGN);
    for (; size > 8; size -= 8, p += 8)
        memcpy(p, nops[8], 8);
    memcpy(p, nops[size], size);
}

uint8_t *code_landing(const struct code *c, uint8_t *p)
{
    return put_bytes(p, PLT_LANDING, plan_landing(c->library));
}

uint8_t *code_mark(const struct code *c, uint8_t *p, uint32_t mark)
{
    if (c->library->level >= LEVEL_UNMARKED)
        return put_bytes(p, "\x0f\x1f\x80\x00\x00\x00\x00", CODE_MARK); /* nopl 0L(%rax) */
    p = put_bytes(p, "\xc6\x05", 2);                                    /* movb $1,visits+mark(%rip) */
    p = code_relative(c, p, c->marks + mark, 1);
    return put_u8(p, 1);
}

uint8_t *code_own(uint8_t *p, struct frame frame, uint64_t own)
{
    p = put_bytes(p, "\x48\xb8", 2); /* mov $own,%rax */
    p = put_u64(p, own);
    return put_u32(p, UINT32_C(0xf8008948) | (uint32_t)frame_operand(frame, 0x45) << 16); /* mov %rax,-8(%rbp) */
}

/* Writes a branch to slot@plt, or to the function itself. */
static uint8_t *put_branch(const struct code *c, uint8_t *p, uint8_t instruction, uint32_t slot)
{
    assert(slot != CODE_NO_SLOT);
    p = put_u8(p, instruction);
    return code_relative(c, p, c->target ? c->target[slot] : c->slots + PLT_ENTRY * (uint64_t)slot, 0);
}

uint8_t *code_call(const struct code *c, uint8_t *p, uint32_t slot)
{
    return put_branch(c, p, 0xe8, slot);
}

uint8_t *code_jump(const struct code *c, uint8_t *p, uint32_t slot)
{
    return put_branch(c, p, 0xe9, slot);
}

/* In place of code_add_result, and as long, where the called function returns nothing. */
static uint8_t *put_nothing(uint8_t *p)
{
    return put_bytes(p, "\x0f\x1f\x40\x00", 4); /* nopl 0(%rax) */
}

uint8_t *code_add_result(uint8_t *p, struct frame frame)
{
    return put_u32(p, UINT32_C(0xf8000148) | (uint32_t)frame_operand(frame, 0x45) << 16); /* add %rax,-8(%rbp) */
}

/* Writes a call into another library. It may be repeated: passing, calling and adding are then the body of a loop,
 * whose counter stands below the locals. */
static uint8_t *put_repeated(const struct code *c, uint8_t *p, struct frame frame, const struct function *callee,
                             uint64_t caller, uint32_t slot)
{
    const uint32_t repeat = c->plan->assignment.repeat;
    if (repeat > 1) {
        p = put_bytes(p, (const uint8_t[]){0xc7, frame_operand(frame, 0x45), 0x80}, 3); /* movl $repeat,-128(%rbp) */
        p = put_u32(p, repeat);
    }
    const uint8_t *loop = p;
    p = code_pass(c, p, callee, caller);
    p = code_call(c, p, slot);
    p = callee->silent ? put_nothing(p) : code_add_result(p, frame);
    if (repeat > 1) { /* decl -128(%rbp); jne loop */
        p = put_bytes(p, (const uint8_t[]){0xff, frame_operand(frame, 0x4d), 0x80, 0x75}, 4);
        ptrdiff_t back = loop - (p + 1);
        assert(back >= INT8_MIN);
        p = put_u8(p, (uint8_t)back);
    }
    return p;
}

/* Instructions up to their operands, by type and number of the register. */
typedef char argument_codes[ARGUMENT_TYPES][ARGUMENTS_MOST][5];

uint8_t *code_pass(const struct code *c, uint8_t *p, const struct function *callee, uint64_t caller)
{
    static const argument_codes codes = {
        /* mov $v,%edi ... %r8d */
        [TYPE_INT] = {"\xbf", "\xbe", "\xba", "\xb9", "\x41\xb8"},
        /* mov $v,%rdi ... %r8 */
        [TYPE_LONG] = {"\x48\xc7\xc7", "\x48\xc7\xc6", "\x48\xc7\xc2", "\x48\xc7\xc1", "\x49\xc7\xc0"},
        /* movss v(%rip),%xmm0 ... %xmm4 */
        [TYPE_FLOAT] = {"\xf3\x0f\x10\x05", "\xf3\x0f\x10\x0d", "\xf3\x0f\x10\x15", "\xf3\x0f\x10\x1d",
                        "\xf3\x0f\x10\x25"},
        /* movsd v(%rip),%xmm0 ... %xmm4 */
        [TYPE_DOUBLE] = {"\xf2\x0f\x10\x05", "\xf2\x0f\x10\x0d", "\xf2\x0f\x10\x15", "\xf2\x0f\x10\x1d",
                         "\xf2\x0f\x10\x25"},
        /* lea v(%rip),%rdi ... %r8 */
        [TYPE_STRING] = {"\x48\x8d\x3d", "\x48\x8d\x35", "\x48\x8d\x15", "\x48\x8d\x0d", "\x4c\x8d\x05"},
    };
    static const uint32_t relative[ARGUMENT_TYPES] = {
        [TYPE_FLOAT] = UINT32_MAX, [TYPE_DOUBLE] = UINT32_MAX, [TYPE_STRING] = UINT32_MAX};
    const uint64_t values = call_values(callee->hash, caller);
    uint32_t number[2] = {0}; /* of integer and of floating-point registers that are used */
    for (uint32_t j = 0; j < callee->count; j++) {
        const uint8_t type = callee->type[j];
        const uint32_t v = call_value(values, j);
        const uint32_t n = number[floats_by_type[type]]++;
        put_bytes(p, codes[type][n], 4);
        p += pass_sizes[type][n];
        const uint32_t distance = c->argument[type][call_constant(v)] - (uint32_t)code_address(c, p);
        put_u32(p - 4, (uint32_t)call_integer(type, v) + (distance & relative[type]));
    }
    return p;
}

static uint8_t *put_spills(uint8_t *p, struct frame frame, const struct function *f)
{
    static const argument_codes codes = {
        /* mov %edi ... %r8d,d(%rbp) */
        [TYPE_INT] = {"\x89\x7d", "\x89\x75", "\x89\x55", "\x89\x4d", "\x44\x89\x45"},
        /* mov %rdi ... %r8,d(%rbp) */
        [TYPE_LONG] = {"\x48\x89\x7d", "\x48\x89\x75", "\x48\x89\x55", "\x48\x89\x4d", "\x4c\x89\x45"},
        /* movss %xmm0 ... %xmm4,d(%rbp) */
        [TYPE_FLOAT] = {"\xf3\x0f\x11\x45", "\xf3\x0f\x11\x4d", "\xf3\x0f\x11\x55", "\xf3\x0f\x11\x5d",
                        "\xf3\x0f\x11\x65"},
        /* movsd %xmm0 ... %xmm4,d(%rbp) */
        [TYPE_DOUBLE] = {"\xf2\x0f\x11\x45", "\xf2\x0f\x11\x4d", "\xf2\x0f\x11\x55", "\xf2\x0f\x11\x5d",
                         "\xf2\x0f\x11\x65"},
        [TYPE_STRING] = {"\x48\x89\x7d", "\x48\x89\x75", "\x48\x89\x55", "\x48\x89\x4d", "\x4c\x89\x45"},
    };
    uint32_t number[2] = {0};
    for (uint32_t j = 0; j < f->count; j++) {
        const uint8_t type = f->type[j];
        const uint32_t n = number[floats_by_type[type]]++;
        put_bytes(p, codes[type][n], 4);
        p += spill_sizes[type][n];
        if (frame.by_rsp) /* a branch, which the processor foresees in most libraries */
            p[-2] = frame_operand(frame, p[-2]);
        p[-1] = (uint8_t)(-16 - 8 * (int)j);
    }
    return p;
}

/* Writes for each argument: load it, multiply it by its weight, add that to the accumulator. */
static uint8_t *put_mix(uint8_t *p, struct frame frame, const struct function *f)
{
#define WEIGHED "\x48\x69\xc0\0\0\0\0\x48\x01\x45\xf8" /* imul $weight,%rax,%rax; add %rax,-8(%rbp) */
    static const char codes[ARGUMENT_TYPES][18] = {
        [TYPE_INT] = "\x48\x63\x45\0" WEIGHED,            /* movslq d(%rbp),%rax */
        [TYPE_LONG] = "\x48\x8b\x45\0" WEIGHED,           /* mov d(%rbp),%rax */
        [TYPE_FLOAT] = "\xf3\x48\x0f\x2c\x45\0" WEIGHED,  /* cvttss2si d(%rbp),%rax */
        [TYPE_DOUBLE] = "\xf2\x48\x0f\x2c\x45\0" WEIGHED, /* cvttsd2si d(%rbp),%rax */
        [TYPE_STRING] = "\x48\x8b\x45\0\x8b\x00" WEIGHED, /* mov d(%rbp),%rax; mov (%rax),%eax */
    };
#undef WEIGHED
    static const uint8_t places[ARGUMENT_TYPES] = {3, 3, 5, 5, 3}; /* offset of d */
    for (uint32_t j = 0; j < f->count; j++) {
        const uint8_t type = f->type[j];
        put_bytes(p, codes[type], 17);
        uint8_t *const place = p + places[type];
        *place = (uint8_t)(-16 - 8 * (int)j);
        p += mix_sizes[type];
        put_u32(p - 8, f->weight[j]);
        if (frame.by_rsp) {
            place[-1] = frame_operand(frame, place[-1]);
            p[-2] = frame_operand(frame, p[-2]);
        }
    }
    return p;
}

void code_begin(struct code *c)
{
    for (uint32_t i = 0; i < CONSTANTS; i++) {
        c->place[FIXUP_CONSTANT][i] = (uint32_t)(c->constants_d + 8 * (uint64_t)i);
        c->place[FIXUP_SCRATCH][i] =
            (uint32_t)(c->scratch + 8 * (uint64_t)(c->scratch_words ? i % c->scratch_words : 0));
        c->argument[TYPE_FLOAT][i] = (uint32_t)(c->constants_f + 4 * (uint64_t)i);
        c->argument[TYPE_DOUBLE][i] = (uint32_t)(c->constants_d + 8 * (uint64_t)i);
        c->argument[TYPE_STRING][i] = (uint32_t)c->text_constant[i];
        c->place[FIXUP_HELPER][i] = (uint32_t)(c->text + c->helper[i % BLOCK_HELPERS]);
    }
}

/* The object that a block refers to or, where there are none, a word of the scratch object. */
static uint64_t choose_object(const struct code *c, uint64_t r)
{
    if (c->objects_size >= 8)
        return c->objects + 8 * ((r >> 20) % (c->objects_size / 8));
    return c->scratch + 8 * ((r & 7) % c->scratch_words);
}

/* Writes a block. Except in the `last` functions, there is text behind it that copying in steps may overwrite. */
static uint8_t *put_block(const struct code *c, uint8_t *p, const struct body *body, uint32_t number, bool last,
                          struct random *random)
{
    const struct block *b = &c->blocks->block[number];
    const uint32_t size = c->blocks->size[number];
    const struct fixup *f = (const struct fixup *)(const void *)c->blocks->bytes.fixups.data + b->fixup;
    const uint16_t *constant = (const uint16_t *)(const void *)c->blocks->bytes.constants.data + b->constant;
    const struct bytes *const code = &c->blocks->bytes.code[body->frame.by_rsp];
    if (last)
        memcpy(p, code->data + b->code, size);
    else
        copy_in_steps(p, code->data + b->code, size);
    uint64_t r = random_next(random);
    if ((r & UINT8_MAX) < c->library->alike_code.constants)
        r = random_mix(number);
    for (uint32_t i = 0; i < b->constants; i++, r = r * RANDOM_STEP + 1)
        put_u32(p + constant[i], (uint32_t)(r >> 36));
    const uint32_t object = (uint32_t)choose_object(c, r);
    for (uint32_t i = 0; i < b->fixups; i++) {
        const uint32_t place = f[i].kind == FIXUP_OBJECT ? object : c->place[f[i].kind][f[i].number];
        code_relative(c, p + f[i].at, place, 0);
    }
    return p + size;
}

static uint8_t *put_run(const struct filler *f, uint8_t *p, struct frame frame, const struct piece *piece,
                        struct random *random)
{
    uint32_t from = f->offset[piece->first];
    uint32_t size = f->offset[piece->last] - from;
    memcpy(p, f->code[frame.by_rsp] + from, size);
    uint32_t last = f->patch_first[piece->last];
    for (uint32_t i = f->patch_first[piece->first]; i < last; i++)
        put_u32(p + f->patch[i] - from, (uint32_t)(random_next(random) >> 36));
    return p + size;
}

/* Writes a jump to a cold part that is never taken: test %rsp,%rsp; je cold. */
static uint8_t *put_leave(const struct code *c, uint8_t *p, int32_t cold)
{
    p = put_bytes(p, "\x48\x85\xe4\x0f\x84", CODE_LEAVE - 4);
    return code_relative(c, p, c->text + (uint64_t)cold, 0);
}

/* Prefetches what the pieces of the next function are copied from. */
static void fetch_pieces(const struct code *c, const struct body *body)
{
    const struct block_bytes *bytes = &c->blocks->bytes;
    for (uint32_t i = 0; i < body->pieces; i++)
        if (body->piece[i].kind == PIECE_BLOCK) {
            const struct block *block = &c->blocks->block[body->piece[i].first];
            fetch_lines(bytes->code[body->frame.by_rsp].data + block->code, 3);
            fetch_lines(bytes->fixups.data + block->fixup * sizeof(struct fixup), 1);
            fetch_lines(bytes->constants.data + block->constant * sizeof(uint16_t), 1);
        }
}

void code_write(const struct code *c, uint32_t index, const struct body *b)
{
    const struct function *f = &c->own[index];
    const struct alike_code alike = c->library->alike_code;
    struct random random = {random_at(plan_key(c->library, PURPOSE_CONSTANTS_IN_CODE), index)};
    uint8_t *start = c->image + b->offset;
    const bool last = index + LAST_FUNCTIONS >= c->library->functions;
    if (!last)
        fetch_pieces(c, b + 1);
    const struct frame frame = b->frame;
    uint8_t *p = frame_put_prologue(code_landing(c, start), frame);
    p = put_spills(p, frame, f);
    p = code_mark(c, p, index);
    p = code_own(p, frame, f->own);
    p = put_mix(p, frame, f);
    for (uint32_t i = 0; i < b->pieces; i++) {
        const struct piece *piece = &b->piece[i];
        struct random same = {piece->first};
        if (piece->kind == PIECE_BLOCK)
            p = put_block(c, p, b, piece->first, last, &random);
        else if (piece->kind == PIECE_RUN)
            p = put_run(c->filler, p, frame, piece, alike_is_most(alike) ? &same : &random);
        else if (piece->kind == PIECE_LEAVE)
            p = put_leave(c, p, b->cold);
        else if (piece->kind == PIECE_PASS || piece->kind == PIECE_MOVE)
            p = passes_put(c, p, index, b, i);
        else if (piece->kind == PIECE_WILD)
            p = small_put_pieces(c->library, p, piece->first, random_next(&random));
        else
            p = filler_gap(p, frame, piece->first, alike_is_most(alike) ? piece->first : random_next(&random));
    }
    for (uint32_t t = 0; t < calls_of(c); t++) {
        uint32_t number;
        const struct import *target = call_target(c, index, t, &number);
        if (!target)
            continue;
        p = put_repeated(c, p, frame, &c->imported[number], evaluate_caller(f->hash, t),
                         call_slot(c, index, t, number));
    }
    if (calls_next(c, index)) {
        p = code_pass(c, p, &c->own[index + 1], 0);
        p = code_call(c, p, c->slot[index + 1]);
        p = code_add_result(p, frame);
    }
    p = frame_put_epilogue(p, frame);
    assert(p == start + b->size);
}

/* --- what there is to say ------------------------------------------------------ */

void code_registers(const struct function *f, uint8_t *reg)
{
    /* %rdi %rsi %rdx %rcx %r8; %xmm0 ... %xmm4 (psABI figure 3.36) */
    static const uint8_t registers[2][ARGUMENTS_MOST] = {{5, 4, 1, 2, 8}, {17, 18, 19, 20, 21}};
    uint32_t number[2] = {0};
    for (uint32_t j = 0; j < f->count; j++) {
        const uint8_t is_float = floats_by_type[f->type[j]];
        reg[j] = registers[is_float][number[is_float]++];
    }
}

uint32_t code_parameters(const struct plan_library *l, struct frame frame, const struct function *f,
                         struct code_parameter *parameter)
{
    uint8_t reg[ARGUMENTS_MOST];
    uint32_t at = plan_landing(l) + frame_prologue_size(frame);
    uint32_t integers = 0;
    code_registers(f, reg);
    for (uint32_t j = 0; j < f->count; j++) {
        const uint8_t type = f->type[j];
        at += spill_sizes[type][integers];
        parameter[j].reg = reg[j];
        parameter[j].spilled = at;
        integers += 1u - floats_by_type[type];
    }
    uint32_t mix = at + CODE_MARK + CODE_OWN;
    for (uint32_t j = 0; j < f->count; j++) {
        const uint8_t type = f->type[j];
        const bool is_float = floats_by_type[type];
        /* the load of an integer or pointer takes 4 bytes; then comes what uses it */
        parameter[j].loaded = is_float ? 0 : mix + 4;
        parameter[j].used = is_float ? 0 : mix + (type == TYPE_STRING ? 6 : 11);
        mix += mix_sizes[type];
    }
    return at;
}

uint32_t code_first_piece(const struct plan_library *l, struct frame frame, const struct function *f)
{
    uint32_t at = plan_landing(l) + frame_prologue_size(frame) + spills_size(f) + CODE_MARK + CODE_OWN;
    for (uint32_t j = 0; j < f->count; j++)
        at += mix_sizes[f->type[j]];
    return at;
}

uint32_t code_mix_size(const struct function *f, uint32_t j)
{
    return mix_sizes[f->type[j]];
}

bool code_call_site(const struct code *c, uint32_t index, const struct function *f, uint32_t t,
                    struct code_call_site *site)
{
    uint32_t per = calls_of(c);
    site->last = t >= per;
    site->next = t >= per;
    site->repeat = site->next ? 1 : c->plan->assignment.repeat;
    if (site->next) {
        if (t > per || !calls_next(c, index))
            return false;
        site->callee = &c->own[index + 1];
        site->caller = 0;
        return true;
    }
    uint32_t number;
    const struct import *target = call_target(c, index, t, &number);
    if (!target)
        return false;
    site->callee = &c->imported[number];
    site->caller = evaluate_caller(f->hash, t);
    return true;
}
