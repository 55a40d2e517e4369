/* What the audit libraries have in place of a libc. */
#ifndef RUNTIME_AUDIT_PLAIN_H
#define RUNTIME_AUDIT_PLAIN_H

#include <stdbool.h>

/* x86-64 psABI, A.2.1: number in rax, arguments in rdi, rsi, rdx, r10, r8, r9. Results from -4095 to -1 are errors. */
static inline long system_call(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static inline bool has_slash(const char *name)
{
    while (*name && *name != '/')
        name++;
    return *name;
}

#endif
