/* The program with which gauntlet.py loads libraries. `load LIBRARY FUNCTION [UNWINDER]` calls a function that takes
 * nothing, and prints what it returns.
 *
 * Built with -DHOOK=NAME, the program has the function NAME itself. Calls of a library's NAME come here, because they
 * go through the PLT and the program's symbols come first. NAME unwinds the stack with the shared library UNWINDER, or
 * without one through valgrind.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef HOOK
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_PRINTF_BACKTRACE(...) ((void)0)
#endif

static const char *unwinder;
static unsigned long (*address_of)(void *context);

/* Prints where a frame will go on, as LIBRARY OFFSET. */
static int show(void *context, void *unused)
{
    (void)unused;
    Dl_info where;
    unsigned long address = address_of(context);
    if (dladdr((void *)address, &where))
        printf("%s %#lx\n", where.dli_fname, address - (unsigned long)where.dli_fbase);
    else
        printf("? %#lx\n", address);
    return 0; /* _URC_NO_REASON: go on */
}

unsigned long HOOK(void)
{
    if (unwinder) {
        void *library = dlopen(unwinder, RTLD_NOW | RTLD_LOCAL);
        int (*unwind)(int (*)(void *, void *), void *) = NULL;
        if (library) {
            *(void **)&unwind = dlsym(library, "_Unwind_Backtrace");
            *(void **)&address_of = dlsym(library, "_Unwind_GetIP");
        }
        if (!unwind || !address_of) {
            printf("no unwinder: %s\n", dlerror());
            exit(2);
        }
        unwind(show, NULL);
    } else {
        VALGRIND_PRINTF_BACKTRACE("here");
    }
    return 0;
}
#endif

int main(int count, char **arguments)
{
    if (count < 3)
        return 2;
#ifdef HOOK
    unwinder = count > 3 ? arguments[3] : NULL;
#endif
    void *library = dlopen(arguments[1], RTLD_LAZY);
    unsigned long (*function)(void) = NULL;
    if (library)
        *(void **)&function = dlsym(library, arguments[2]);
    if (!function) {
        printf("%s\n", dlerror());
        return 1;
    }
    printf("%lu\n", function());
    return 0;
}
