/* Writes the code of the glue; see glue.h. */
#include "emit/library/glue_parts.h"

#include <assert.h>

#include "base/bytes.h"
#include "elf/write/plt.h"
#include "emit/library/small.h"
#include "emit/plan/evaluate.h"

/* The frame of the functions that have a frame pointer in any case. */
static const struct frame pointed = {.by_rsp = false};

static uint8_t *put_reference(const struct code *c, uint8_t *p, const char *instruction, unsigned size, uint64_t target)
{
    p = put_bytes(p, instruction, size);
    return code_relative(c, p, target, 0);
}

/* Calls the finalizers of this library's C++ objects, once; as crtbeginS.o. */
static uint8_t *put_dtors(const struct code *c, const struct glue_addresses *a, uint8_t *p)
{
    p = put_bytes(p, "\x80\x3d", 2); /* cmpb $0,completed(%rip) */
    p = code_relative(c, p, a->completed, 1);
    p = put_u8(p, 0);
    p = put_bytes(p, "\x75\x24", 2); /* jne to the last ret */
    p = put_u8(p, 0x55);             /* push %rbp */
    p = put_bytes(p, "\x48\x83\x3d", 3);
    p = code_relative(c, p, a->got_cxa_finalize, 1); /* cmpq $0,__cxa_finalize@GOT(%rip) */
    p = put_u8(p, 0);
    p = put_bytes(p, "\x48\x89\xe5", 3);                       /* mov %rsp,%rbp */
    p = put_bytes(p, "\x74\x0d", 2);                           /* je past the call */
    p = put_reference(c, p, "\x48\x8b\x3d", 3, a->dso_handle); /* mov __dso_handle(%rip),%rdi */
    if (a->direct) /* addr32 call __cxa_finalize@plt, or call *__cxa_finalize@GOT(%rip) */
        p = put_reference(c, p, "\x67\xe8", 2, a->direct);
    else
        p = put_reference(c, p, "\xff\x15", 2, a->got_cxa_finalize);
    p = put_bytes(p, "\xc6\x05", 2); /* movb $1,completed(%rip) */
    p = code_relative(c, p, a->completed, 1);
    p = put_u8(p, 1);
    return put_bytes(p, "\x5d\xc3\xc3", 3); /* pop %rbp; ret; ret */
}

/* p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); if (p >= 0) { madvise(p, bytes,
 * k = MADV_NOHUGEPAGE); for (count = bytes; count; count--) *p++ = n = n * k * k * k * k + count; } by system calls
 * of its own, which need no symbol. A byte takes some 4 ns. Where constructors fill tables, a byte was measured to
 * take from 4 ns (Blender) to 12 ns (OpenFOAM) and more. */
static uint8_t *put_taking(uint8_t *p, uint32_t bytes)
{
    enum { MULTIPLIED = 4 };
    uint8_t *const start = p;
    p = put_bytes(p, "\xb8\x09\x00\x00\x00\x31\xff\xbe", 8); /* mov $SYS_mmap,%eax; xor %edi,%edi; mov $bytes,%esi */
    p = put_u32(p, bytes);
    p = put_bytes(p, "\xba\x03\x00\x00\x00\x41\xba\x22\x00\x00\x00", 11); /* mov $3,%edx; mov $0x22,%r10d */
    p = put_bytes(p, "\x49\x83\xc8\xff\x45\x31\xc9\x0f\x05", 9);          /* or $-1,%r8; xor %r9d,%r9d; syscall */
    p = put_bytes(p, "\x48\x85\xc0\x78\x2b", 5);                          /* test %rax,%rax; js to the end */
    p = put_bytes(p, "\x48\x89\xc7\xba\x0f\x00\x00\x00", 8);              /* mov %rax,%rdi; mov $MADV_NOHUGEPAGE,%edx */
    p = put_bytes(p, "\xb8\x1c\x00\x00\x00\x0f\x05\xb9", 8); /* mov $SYS_madvise,%eax; syscall; mov $count,%ecx */
    p = put_u32(p, bytes);
    for (unsigned i = 0; i < MULTIPLIED; i++)
        p = put_bytes(p, "\x0f\xaf\xc2", 3);             /* again: imul %edx,%eax */
    p = put_bytes(p, "\x01\xc8\x88\x07\x48\xff\xc7", 7); /* add %ecx,%eax; mov %al,(%rdi); inc %rdi */
    p = put_bytes(p, "\xff\xc9\x75\xe9", 4);             /* dec %ecx; jne again */
    assert(p == start + GLUE_CONSTRUCTOR_TAKES);
    (void)start;
    return p;
}

uint32_t glue_touched(const struct plan_library *l, uint64_t bss)
{
    const uint64_t bytes = l->extra.start.touching < bss ? l->extra.start.touching : bss;
    return (uint32_t)bytes & ~(uint32_t)(PAGE - 1);
}

/* for (p = bss_end - PAGE; count; count--, p -= PAGE) *p |= 0; */
static uint8_t *put_touching(const struct code *c, uint8_t *p, uint64_t bss_end, uint32_t bytes)
{
    uint8_t *const start = p;
    p = put_reference(c, p, "\x48\x8d\x05", 3, bss_end - PAGE); /* lea bss_end-PAGE(%rip),%rax */
    p = put_u8(p, 0xb9);                                        /* mov $count,%ecx */
    p = put_u32(p, bytes / PAGE);
    p = put_bytes(p, "\x80\x08\x00\x48\x2d", 5); /* again: orb $0,(%rax); sub $PAGE,%rax */
    p = put_u32(p, PAGE);
    p = put_bytes(p, "\xff\xc9\x75\xf3", 4); /* dec %ecx; jne again */
    assert(p == start + GLUE_CONSTRUCTOR_TOUCHES);
    (void)start;
    return p;
}

/* for (p = window; count; count--, p += WINDOW_STRIDE) read(p); the number of windows follows from the function's
 * size, and they are the last ones of the code. Before that it takes memory, and writes to .bss. */
static uint8_t *put_constructor(const struct code *c, const struct glue_place *place, const struct glue_addresses *a,
                                uint8_t *p)
{
    const uint32_t size = place->size - plan_landing(c->library);
    const uint64_t key = plan_key(c->library, PURPOSE_CONSTRUCTORS);
    if (size < GLUE_CONSTRUCTOR_READS) { /* it does nothing */
        p = small_put_pieces(c->library, p, size - 1, key);
        return put_u8(p, 0xc3); /* ret */
    }
    const uint64_t windows = WINDOWS + place->size / WINDOW_CODE;
    const uint64_t all = a->text_end - c->text;
    const uint64_t bytes = windows * WINDOW < all ? windows * WINDOW : all;
    const uint32_t taking = c->library->extra.start.taking,
                   touched = glue_touched(c->library, a->bss_end - a->completed);
    p = small_put_pieces(c->library, p, size - glue_constructor_least(taking, touched), key);
    if (taking)
        p = put_taking(p, taking);
    if (touched)
        p = put_touching(c, p, a->bss_end, touched);
    p = put_reference(c, p, "\x48\x8d\x05", 3, a->text_end - bytes); /* lea window(%rip),%rax */
    p = put_u8(p, 0xb9);                                             /* mov $count,%ecx */
    p = put_u32(p, (uint32_t)(bytes / WINDOW_STRIDE));
    p = put_bytes(p, "\x0f\xb6\x10\x48\x83\xc0", 6); /* again: movzbl (%rax),%edx; add $WINDOW_STRIDE,%rax */
    p = put_u8(p, WINDOW_STRIDE);
    return put_bytes(p, "\xff\xc9\x75\xf5\x66\x90\xc3", 7); /* dec %ecx; jne again; xchg %ax,%ax; ret */
}

static uint32_t python_slot(const struct code *c, const struct glue_addresses *a, enum python_function which)
{
    return a->python_slot + shape_python_slot(c->library, which);
}

/* return PyModule_Create2(&definition, 1013); or return PyModuleDef_Init(&definition); */
static uint8_t *put_short_pyinit(const struct code *c, const struct glue_addresses *a, uint8_t *p)
{
    p = small_put_pieces(c->library, p, c->library->extra.start.initialising, plan_key(c->library, PURPOSE_PADDING));
    if (c->library->glue.init == INIT_TAIL) {
        p = put_u8(p, 0xbe); /* mov $1013,%esi */
        p = put_u32(p, PYTHON_API_VERSION);
    }
    p = put_reference(c, p, "\x48\x8d\x3d", 3, a->definition); /* lea definition(%rip),%rdi */
    return code_jump(c, p, python_slot(c, a, PYTHON_MODULE_CREATE));
}

/* return PyModule_AddFunctions(module, methods); */
static uint8_t *put_execute(const struct code *c, const struct glue_addresses *a, uint8_t *p)
{
    p = put_reference(c, p, "\x48\x8d\x35", 3, a->methods); /* lea methods(%rip),%rsi */
    return code_jump(c, p, python_slot(c, a, PYTHON_ADD_FUNCTIONS));
}

/* What keeps m in put_pyinit: a place in the frame or, without a frame pointer, %rbx. All have the same sizes. */
static uint8_t *put_kept(const struct code *c, uint8_t *p) /* mov %rax,-8(%rbp); lea 0(%rax),%rbx */
{
    return put_bytes(p, c->library->glue.by_rsp ? "\x48\x8d\x58\x00" : "\x48\x89\x45\xf8", 4);
}

static uint8_t *put_kept_again(const struct code *c, uint8_t *p) /* mov -8(%rbp),%rax; lea 0(%rbx),%rax */
{
    return put_bytes(p, c->library->glue.by_rsp ? "\x48\x8d\x43\x00" : "\x48\x8b\x45\xf8", 4);
}

static uint8_t *put_init_end(const struct code *c, uint8_t *p) /* leave; ret, or pop %rbx; ret */
{
    return put_bytes(p, c->library->glue.by_rsp ? "\x5b\xc3" : "\xc9\xc3", 2);
}

/* m = PyModule_Create2(&definition, 1013);
 * if (m) {
 *     PyModule_AddFunctions(m, methods), if the definition has none;
 *     PyModule_AddIntConstant(m, "functions", N), if it has attributes;
 * }
 * return m; */
static uint8_t *put_pyinit(const struct code *c, const struct glue_addresses *a, uint8_t *p)
{
    if (c->library->glue.by_rsp) /* push %rbx; lea definition(%rip),%rbx */
        p = put_reference(c, p, "\x53\x48\x8d\x1d", 4, a->definition);
    else /* push %rbp; mov %rsp,%rbp; sub $16,%rsp */
        p = put_bytes(p, "\x55\x48\x89\xe5\x48\x83\xec\x10", 8);
    p = small_put_pieces(c->library, p, c->library->extra.start.initialising, plan_key(c->library, PURPOSE_PADDING));
    const uint8_t *const makes = p;
    p = put_u8(p, 0xbe); /* mov $1013,%esi */
    p = put_u32(p, PYTHON_API_VERSION);
    p = put_reference(c, p, "\x48\x8d\x3d", 3, a->definition); /* lea definition(%rip),%rdi */
    p = code_call(c, p, python_slot(c, a, PYTHON_MODULE_CREATE));
    const bool plain = plan_is_plain(c->library), adds = c->library->glue.adds_methods;
    assert(p - makes == PYINIT_MADE - PYINIT_MAKES);
    if (plain && !adds)
        return put_init_end(c, p);
    p = put_kept(c, p);
    assert(p - makes == PYINIT_TEST - PYINIT_MAKES);
    p = put_bytes(p, "\x48\x85\xc0\x74", 4); /* test %rax,%rax; je to the end */
    p = put_u8(p, (uint8_t)glue_init_more(c->library));
    assert(p - makes == PYINIT_MORE - PYINIT_MAKES);
    if (adds) {
        p = put_bytes(p, "\x48\x89\xc7", 3);                    /* mov %rax,%rdi */
        p = put_reference(c, p, "\x48\x8d\x35", 3, a->methods); /* lea methods(%rip),%rsi */
        p = code_call(c, p, python_slot(c, a, PYTHON_ADD_FUNCTIONS));
        p = put_kept_again(c, p);
    }
    if (plain)
        return put_init_end(c, put_kept_again(c, p));
    p = put_u8(p, 0xba); /* mov $functions,%edx */
    p = put_u32(p, c->library->functions);
    p = put_reference(c, p, "\x48\x8d\x35", 3, a->functions_name); /* lea "functions"(%rip),%rsi */
    p = put_bytes(p, "\x48\x89\xc7", 3);                           /* mov %rax,%rdi */
    p = code_call(c, p, python_slot(c, a, PYTHON_ADD_INT));
    return put_init_end(c, put_kept_again(c, p));
}

/* Prologue and epilogue of a function with two parameters; see more_by_rsp. */
static uint8_t *put_method_prologue(const struct code *c, uint8_t *p)
{
    return put_bytes(p,
                     c->library->glue.by_rsp ? "\x48\x83\xec\x18\x0f\x1f\x00\x48\x89\x7c\x24\x08\x48\x89\x34\x24"
                                             : "\x55\x48\x89\xe5\x48\x83\xec\x10\x48\x89\x7d\xf8\x48\x89\x75\xf0",
                     METHOD_BODY);
}

static uint8_t *put_method_end(const struct code *c, uint8_t *p)
{
    return c->library->glue.by_rsp ? put_bytes(p, "\x48\x83\xc4\x18\xc3", 5) : put_bytes(p, "\xc9\xc3", 2);
}

/* return PyLong_FromUnsignedLong(entry()); */
static uint8_t *put_method(const struct code *c, const struct glue_addresses *a, uint8_t *p)
{
    const uint8_t *const start = p;
    p = put_method_prologue(c, p);
    p = code_call(c, p, a->entry_slot);
    p = put_bytes(p, "\x48\x89\xc7", 3); /* mov %rax,%rdi */
    if (c->library->glue.result_by_got)
        p = put_reference(c, p, "\xff\x15", 2, a->got_extra); /* call *PyLong_FromUnsignedLong@GOT(%rip) */
    else
        p = code_call(c, p, python_slot(c, a, PYTHON_FROM_UNSIGNED));
    assert(p - start == METHOD_RETURNS + c->library->glue.result_by_got);
    return put_method_end(c, p);
}

/* n = 0; for (i = 0; i < N; i++) n += visits[i]; return PyLong_FromLong(n); */
static uint8_t *put_visited(const struct code *c, const struct glue_addresses *a, uint8_t *p)
{
    const uint8_t *const start = p;
    p = put_method_prologue(c, p);
    p = put_reference(c, p, "\x48\x8d\x05", 3, c->marks); /* lea visits(%rip),%rax; or what is there without them */
    p = put_u8(p, 0xb9);                                  /* mov $functions,%ecx */
    p = put_u32(p, c->library->level < LEVEL_UNMARKED ? c->library->functions : 0);
    p = put_bytes(p, "\x31\xff\x85\xc9\x74\x0d", 6); /* xor %edi,%edi; test %ecx,%ecx; je done */
    assert(p - start == VISITED_LOOP);
    p = put_bytes(p, "\x0f\xb6\x10\x48\x01\xd7", 6);     /* again: movzbl (%rax),%edx; add %rdx,%rdi */
    p = put_bytes(p, "\x48\xff\xc0\xff\xc9\x75\xf3", 7); /* inc %rax; dec %ecx; jne again */
    assert(p - start == VISITED_CALLS);
    p = code_call(c, p, python_slot(c, a, PYTHON_FROM_LONG)); /* done: */
    return put_method_end(c, p);
}

static uint8_t *put_entry(const struct code *c, const struct shape *s, const struct glue_addresses *a, uint8_t *p)
{
    p = frame_put_prologue(p, pointed);
    p = code_mark(c, p, c->library->functions);
    p = code_own(p, pointed, evaluate_entry_own(c->library));
    for (uint32_t chain = 0; chain < c->library->calls.chains; chain++) {
        if (!glue_entry_calls(c, chain))
            continue;
        uint32_t index = chain * c->plan->depth;
        struct function head = plan_function(c->library, index);
        p = code_pass(c, p, &head, 0);
        p = code_call(c, p, c->slot[index]);
        p = code_add_result(p, pointed);
    }
    if (s->extern_called >= 0) {
        p = code_call(c, p, a->extern_before_slot);
        p = code_add_result(p, pointed);
    }
    if (s->calls_own_extern) {
        p = code_call(c, p, a->own_extern_slot);
        p = code_add_result(p, pointed);
    }
    return frame_put_epilogue(p, pointed);
}

static uint8_t *put_extern(const struct code *c, uint8_t *p)
{
    p = frame_put_prologue(p, pointed);
    p = code_mark(c, p, c->library->functions + 1);
    p = code_own(p, pointed, evaluate_extern(c->library));
    return frame_put_epilogue(p, pointed);
}

/* return a * weight + b; */
static uint8_t *put_helper(const struct code *c, unsigned number, uint8_t *p)
{
    const uint64_t key = plan_key(c->library, PURPOSE_HELPERS);
    const bool by_rsp = c->library->glue.by_rsp;
    const uint32_t least = plan_landing(c->library) + HELPER_SIZE + glue_more_by_rsp(c->library);
    p = put_method_prologue(c, p);
    p = small_put_pieces(c->library, p, glue_helper_size(c->library) - least, key + number); /* which have no effect */
    const uint8_t *const body = p;
    if (by_rsp)
        p = put_bytes(p, "\x48\x69\x44\x24\x08", 5); /* imul $weight,8(%rsp),%rax */
    else
        p = put_bytes(p, "\x48\x8b\x45\xf8\x48\x69\xc0", 7); /* mov -8(%rbp),%rax; imul $weight,%rax,%rax */
    p = put_u32(p, (uint32_t)(random_at(key, number) & 0xffff) | 1);
    if (by_rsp)
        p = put_bytes(p, "\x66\x90\x48\x03\x04\x24", 6); /* xchg %ax,%ax; add (%rsp),%rax */
    else
        p = put_bytes(p, "\x48\x03\x45\xf0", 4); /* add -16(%rbp),%rax */
    assert(p - body == HELPER_RETURNS - METHOD_BODY);
    return put_method_end(c, p);
}

/* Where the kernel, or the dynamic linker when all is loaded, starts the program (psABI 3.4.1): the arguments are on
 * the stack, and %rdx has what to register with atexit. No constructors are passed, because the C library finds them
 * itself.
 *
 *     return __libc_start_main(main, argc, argv, NULL, NULL, rtld_fini, stack_end);
 */
static uint8_t *put_start(const struct code *c, const struct glue_addresses *a, uint8_t *p)
{
    const uint8_t *const start = p;
    p = put_bytes(p, "\x31\xed\x49\x89\xd1", 5);     /* xor %ebp,%ebp; mov %rdx,%r9 */
    p = put_bytes(p, "\x5e\x48\x89\xe2", 4);         /* pop %rsi; mov %rsp,%rdx */
    p = put_bytes(p, "\x48\x83\xe4\xf0\x50\x54", 6); /* and $-16,%rsp; push %rax; push %rsp */
    p = put_bytes(p, "\x45\x31\xc0\x31\xc9", 5);     /* xor %r8d,%r8d; xor %ecx,%ecx */
    assert(p - start == START_CALLS);
    p = put_reference(c, p, "\x48\x8b\x3d", 3, a->got_main);   /* mov main@GOT(%rip),%rdi */
    p = put_reference(c, p, "\xff\x15", 2, a->got_start_main); /* call *__libc_start_main@GOT(%rip) */
    assert(p - start == START_HALTS);
    return put_u8(p, 0xf4); /* hlt */
}

void glue_write(const struct code *c, const struct glue *g, const struct shape *s, const struct glue_addresses *a)
{
    for (unsigned i = 0; i < GLUE_COUNT; i++) {
        const struct glue_place *place = &g->place[i];
        if (!place->size)
            continue;
        uint8_t *start = c->image + place->offset;
        uint8_t *p = code_landing(c, start);
        switch ((enum glue_function)i) {
        case GLUE_DTORS:
            p = put_dtors(c, a, p);
            break;
        case GLUE_FRAME_DUMMY:
            if (shape_excepts(s))
                p = put_bytes(p, "\xb8\x08\x00\x00\x00", 5); /* mov $_URC_CONTINUE_UNWIND,%eax */
            p = put_u8(p, 0xc3);                             /* ret */
            break;
        case GLUE_CONSTRUCTOR:
            p = put_constructor(c, place, a, p);
            break;
        case GLUE_EXECUTE:
            p = put_execute(c, a, p);
            break;
        case GLUE_PYINIT:
            p = (c->library->glue.init == INIT_FRAMED ? put_pyinit : put_short_pyinit)(c, a, p);
            break;
        case GLUE_METHOD:
            p = put_method(c, a, p);
            break;
        case GLUE_VISITED:
            p = put_visited(c, a, p);
            break;
        case GLUE_ENTRY:
            p = put_entry(c, s, a, p);
            break;
        case GLUE_EXTERN:
            p = put_extern(c, p);
            break;
        case GLUE_START:
            p = put_start(c, a, p);
            break;
        default:
            p = put_helper(c, i - GLUE_HELPER, p);
        }
        assert(p == start + place->size);
    }
}

void glue_write_init(uint8_t *init, uint64_t address, uint8_t *fini, uint64_t got_gmon_start, uint32_t landing)
{
    uint8_t *p = put_bytes(init, PLT_LANDING, landing);
    p = put_bytes(p, "\x48\x83\xec\x08\x48\x8b\x05", 7); /* sub $8,%rsp; mov __gmon_start__@GOT(%rip),%rax */
    p = put_u32(p, (uint32_t)(got_gmon_start - (address + landing + 11)));
    p = put_bytes(p, "\x48\x85\xc0\x74\x02\xff\xd0", 7); /* test %rax,%rax; je past; call *%rax */
    p = put_bytes(p, "\x48\x83\xc4\x08\xc3", 5);         /* add $8,%rsp; ret */
    assert(p == init + landing + INIT_BYTES);
    p = put_bytes(fini, PLT_LANDING, landing);
    p = put_bytes(p, "\x48\x83\xec\x08\x48\x83\xc4\x08\xc3", 9);
    assert(p == fini + landing + FINI_BYTES);
    (void)p;
}
