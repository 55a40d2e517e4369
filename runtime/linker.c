/* The source of what the dynamic linker did, as counted by libpyelfaudit.so; audit_page.h says how the counts get here.
 */
#include "runtime/linker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/audit_page.h"
#include "runtime/source.h"

enum count {
#define COUNT(name, text, unit) COUNT_##name,
    AUDIT_COUNTS(COUNT)
#undef COUNT
        COUNTS
};

static const struct counter descriptions[COUNTS] = {
#define COUNT(member, text, units) {.name = text, .unit = units},
    AUDIT_COUNTS(COUNT)
#undef COUNT
};

/* Makes a page and returns its descriptor, which survives exec; -1 with errno. */
static int make_page(void)
{
    int fd = memfd_create("pyelfrun-audit", 0);
    const struct audit_page begin = {.magic = AUDIT_MAGIC};
    if (fd >= 0 && (ftruncate(fd, AUDIT_PAGE_SIZE) != 0 || pwrite(fd, &begin, sizeof begin, 0) != sizeof begin)) {
        int reason = errno;
        close(fd);
        errno = reason;
        return -1;
    }
    return fd;
}

bool linker_name(char *name, const char *path, const char *separators, struct error *e)
{
    /* The dynamic linker replaces $ORIGIN and the like in every list of paths. */
    if (!strpbrk(path, separators) && !strchr(path, '$')) {
        snprintf(name, PATH_MAX, "%s", path);
        return true;
    }
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return error_errno(e, path, "cannot be read");
    snprintf(name, PATH_MAX, "/proc/%ld/fd/%d", (long)getpid(), fd);
    return true;
}

bool linker_audit(const char *library, struct error *e)
{
    char name[PATH_MAX];
    if (access(library, R_OK) != 0)
        return error_errno(e, library, "the audit library cannot be read");
    if (!linker_name(name, library, ":", e))
        return false;
    int fd = make_page();
    if (fd < 0)
        return error_errno(e, "memfd", "no memory can be shared with the audit library");
    const char *others = getenv("LD_AUDIT");
    char *audit = NULL, number[16];
    snprintf(number, sizeof number, "%d", fd);
    bool well = asprintf(&audit, "%s%s%s", others ? others : "", others && *others ? ":" : "", name) >= 0 &&
                setenv("LD_AUDIT", audit, 1) == 0 && setenv(AUDIT_VARIABLE, number, 1) == 0;
    free(audit);
    if (well)
        return true;
    close(fd);
    return error_set(e, ERROR_MEMORY, "there is no memory left for the environment");
}

/* Maps the page of this process for reading. Returns NULL, or why there is none. */
static const char *take_page(const struct audit_page **page)
{
    const char *number = getenv(AUDIT_VARIABLE);
    if (!number)
        return "the dynamic linker is not audited: pyelfrun --audit does";
    int fd = atoi(number);
    off_t size = lseek(fd, 0, SEEK_END);
    void *address = size == AUDIT_PAGE_SIZE ? mmap(NULL, AUDIT_PAGE_SIZE, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (address == MAP_FAILED)
        return AUDIT_VARIABLE " names no page of counts";
    const struct audit_page *p = address;
    if (p->magic != AUDIT_MAGIC || p->pid != getpid()) {
        const char *why = p->magic != AUDIT_MAGIC ? AUDIT_VARIABLE " names no page of counts"
                          : p->pid == 0           ? "the dynamic linker has not loaded " AUDIT_LIBRARY
                                                  : "this is another process than the one that is audited";
        munmap(address, AUDIT_PAGE_SIZE);
        return why;
    }
    /* Children of this process must not take the page for theirs. */
    close(fd);
    unsetenv(AUDIT_VARIABLE);
    *page = p;
    return NULL;
}

struct linker {
    const struct audit_page *page; /* NULL: nothing is audited */
};

static bool linker_open(void **state, struct counter *list, size_t *count, struct error *e)
{
    struct linker *l = *state = calloc(1, sizeof *l);
    if (!l)
        return error_set(e, ERROR_MEMORY, "there is no memory left for the counters of the dynamic linker");
    memcpy(list, descriptions, sizeof descriptions);
    *count = COUNTS;
    const char *why = take_page(&l->page);
    for (size_t i = 0; i < COUNTS && why; i++)
        source_absent(&list[i], "%s", why);
    return true;
}

static void linker_read(void *state, uint64_t *values)
{
    const struct linker *l = state;
    if (!l->page)
        return;
#define COUNT(name, text, unit) values[COUNT_##name] = __atomic_load_n(&l->page->name, __ATOMIC_RELAXED);
    AUDIT_COUNTS(COUNT)
#undef COUNT
    /* Since this code runs now, the last file that was tried has failed, too. */
    values[COUNT_files_failed] += __atomic_load_n(&l->page->trying, __ATOMIC_RELAXED);
}

static void linker_close(void *state)
{
    struct linker *l = state;
    if (l->page)
        munmap((void *)l->page, AUDIT_PAGE_SIZE);
    free(l);
}

const struct source source_audit = {"audit", linker_open, NULL, linker_read, linker_close};
