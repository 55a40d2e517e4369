/* What the files of the glue share: glue.c, which sizes it and writes its rows, and glue_write.c, which writes its
 * code. */
#ifndef EMIT_LIBRARY_GLUE_PARTS_H
#define EMIT_LIBRARY_GLUE_PARTS_H

#include "base/page.h"
#include "emit/library/glue.h"

enum {
    DTORS_SIZE = 46,
    FRAME_DUMMY_SIZE = 1,
    PERSONALITY_SIZE = 6,
    PYINIT_PLAIN_SIZE = 27, /* it only makes the module; */
    PYINIT_KEPT_SIZE = 40,  /* where more is done with it, without that: */
    PYINIT_ADDS_SIZE = 19,  /* adding its methods, */
    PYINIT_TELLS_SIZE = 20, /* and how many functions it has */
    /* Offsets in it, behind what initialises: it makes the module, which then is there; tests that; does more with it.
     */
    PYINIT_MAKES = 8,
    PYINIT_MADE = 25,
    PYINIT_TEST = 29,
    PYINIT_MORE = 34,
    PYINIT_SIZE = PYINIT_KEPT_SIZE + PYINIT_TELLS_SIZE,
    PYINIT_TAIL_SIZE = 17,
    PYINIT_PHASES_SIZE = 12,
    EXECUTE_SIZE = 12,
    METHOD_SIZE = 31,
    VISITED_SIZE = 54,
    /* Offsets in functions with two parameters: behind the prologue; in a method, and in a helper, where it returns; in
     * the method that counts visits, its loop, and its call of Python. */
    METHOD_BODY = 16,
    METHOD_RETURNS = 29,
    VISITED_LOOP = 34,
    VISITED_CALLS = 47,
    HELPER_RETURNS = 31,
    EXTERN_SIZE = CODE_PROLOGUE + CODE_MARK + CODE_OWN + CODE_EPILOGUE,
    HELPER_SIZE = 33,
    START_SIZE = 34,
    START_CALLS = 20, /* offsets in it: the call of main, with its argument, and what is behind it */
    START_HALTS = 33,
    /* Constructors of real libraries run through code that nothing has touched before, of other libraries too. These
     * values bring about as many page faults, instructions and time as were measured: of Ipopt, whose 69
     * constructors set up the streams of the C++ library, and of the libraries that gdb needs. */
    WINDOW = 1 << 16,  /* bytes that the kernel maps at a page fault */
    WINDOWS = 8,       /* the least number of windows, however short constructors are, */
    WINDOW_CODE = 512, /* and one window more for so many bytes of code */
    WINDOW_STRIDE = 8, /* distance of the bytes that are read */
    PYTHON_API_VERSION = 1013,
};

/* Whether the entry calls a chain: it calls the heads of the covered ones. */
static inline bool glue_entry_calls(const struct code *c, uint32_t chain)
{
    return plan_chain_covered(c->plan, chain);
}

/* Bytes of what PyInit_ does once there is a module. */
static inline uint32_t glue_init_more(const struct plan_library *l)
{
    const uint32_t adds = l->glue.adds_methods ? PYINIT_ADDS_SIZE : 0;
    const uint32_t tells = plan_is_plain(l) ? 0 : PYINIT_TELLS_SIZE;
    return adds + tells;
}

/* Bytes that functions with two parameters, `self` and `args` or numbers, have more where they have no frame pointer:
 *
 *     push %rbp; mov %rsp,%rbp; sub $16,%rsp             sub $24,%rsp; nopl (%rax)
 *     mov %rdi,-8(%rbp); mov %rsi,-16(%rbp)              mov %rdi,8(%rsp); mov %rsi,(%rsp)
 *     ...                                                ...
 *     leave; ret                                         add $24,%rsp; ret
 *
 * Prologues, and places relative to the CFA, are the same. */
static inline uint32_t glue_more_by_rsp(const struct plan_library *l)
{
    return l->glue.by_rsp ? 3 : 0;
}

static inline uint32_t glue_helper_size(const struct plan_library *l)
{
    return l->glue.large_helpers ? UNWIND_SMALL : plan_landing(l) + HELPER_SIZE + glue_more_by_rsp(l);
}

#endif
