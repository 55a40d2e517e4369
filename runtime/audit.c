/* libpyelfaudit.so: counts what the dynamic linker does (rtld-audit(7)).
 *
 * The dynamic linker loads this library before the program, into a namespace of its own. The library uses no libc: a
 * second one would be loaded for it alone, and would share nothing with that of the program. So it makes its few system
 * calls itself, and passes its counts on in a page of shared memory; see audit_page.h.
 *
 * The audit interface has no context that reaches all its functions, hence the one variable. There is no la_pltenter,
 * because with it every call through the PLT would pass through the dynamic linker. Without it, calls under glibc 2.35
 * and later are as fast as without auditing (sourceware bug 15533). Since that version glibc also reports symbols that
 * are bound at once (bug 23734).
 */
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "runtime/audit_page.h"
#include "runtime/audit_plain.h"

/* NULL: nobody wants the counts. */
static struct audit_page *page;

/* The number in the environment variable `variable`; -1 if there is none. */
static int number_in(char **environment, const char *variable)
{
    for (; *environment; environment++) {
        const char *text = *environment;
        const char *name = variable;
        while (*name && *text == *name)
            text++, name++;
        if (*name || *text++ != '=')
            continue;
        int number = *text ? 0 : -1;
        for (; *text >= '0' && *text <= '9' && number < 1 << 20; text++)
            number = 10 * number + (*text - '0');
        return *text ? -1 : number;
    }
    return -1;
}

static struct audit_page *map(int fd)
{
    struct stat status;
    if (system_call(SYS_fstat, fd, (long)&status, 0, 0, 0, 0) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size != AUDIT_PAGE_SIZE)
        return NULL;
    long address = system_call(SYS_mmap, 0, AUDIT_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return address < 0 && address >= -4095 ? NULL : (struct audit_page *)address;
}

/* Runs before la_version. glibc passes the arguments of main to constructors. */
__attribute__((constructor)) static void start(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv;
    int fd = number_in(environment, AUDIT_VARIABLE);
    struct audit_page *p = fd < 0 ? NULL : map(fd);
    if (!p || p->magic != AUDIT_MAGIC)
        return;
    int32_t mine = (int32_t)system_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
    int32_t owner = 0;
    bool first = __atomic_compare_exchange_n(&p->pid, &owner, mine, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    if (!first && owner != mine)
        return;
    /* Counts from before this process called exec are dropped. */
    p->trying = 0;
#define RESET(name, text, unit) p->name = 0;
    AUDIT_COUNTS(RESET)
#undef RESET
    page = p;
}

/* Several threads may bind functions at the same time. */
static void count(uint64_t *n)
{
    __atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

/* Counts the file that was tried last as failed, if it was not opened. */
static void settle(void)
{
    if (page->trying)
        count(&page->files_failed);
    page->trying = 0;
}

unsigned int la_version(unsigned int version)
{
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* With LA_SER_ORIG, `name` is the name that was asked for. Each file that is then tried in some directory comes in a
 * call of its own; but a name with a path has no second call. */
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag)
{
    (void)cookie;
    if (page) {
        settle();
        if (flag == LA_SER_ORIG)
            count(&page->names_searched);
        if (flag != LA_SER_ORIG || has_slash(name)) {
            count(&page->files_tried);
            page->trying = 1;
        }
    }
    return (char *)name;
}

unsigned int la_objopen(struct link_map *map_, Lmid_t namespace_, uintptr_t *cookie)
{
    (void)map_, (void)namespace_, (void)cookie;
    if (!page)
        return 0;
    page->trying = 0;
    count(&page->objects_opened);
    return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

unsigned int la_objclose(uintptr_t *cookie)
{
    (void)cookie;
    if (page)
        count(&page->objects_closed);
    return 0;
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to, unsigned int *flags,
                       const char *name)
{
    (void)index, (void)from, (void)to, (void)name;
    if (page)
        count(*flags & LA_SYMB_DLSYM ? &page->symbols_asked : &page->symbols_bound);
    return symbol->st_value;
}
