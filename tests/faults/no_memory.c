/* A library to preload. The allocation of more than 200 bytes with the number NO_MEMORY_AT, counted from 1, fails; a
 * program that ends before it says so. Smaller ones do not count: most are those of libraries that end the program.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { SMALL = 200 };

static atomic_long calls;
static long at = -1;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("NO_MEMORY_AT");
    at = number ? atol(number) : -1;
}

__attribute__((destructor)) static void end(void)
{
    static const char text[] = "not reached\n";
    if (atomic_load(&calls) < at && write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(EXIT_FAILURE);
}

static int fails(size_t size)
{
    if (size <= SMALL || at < 0 || atomic_fetch_add(&calls, 1) + 1 != at)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails(size) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(size > SMALL ? size : count * size) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails(size) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(size) ? NULL : __libc_memalign(alignment, size);
}
