/* pyelf-load: opens libraries one after the other, and says how much memory the constructors of each take. It is a
 * program of its own because pyelfprof (tools/pyelfprof/load.c) would not survive all that constructors may
 * do.
 *
 *     pyelf-load < LIST 3> REPORT
 *
 * LIST has paths, each ended by a zero. REPORT gets the line "+ NUMBER" before a file is opened, and "= NUMBER BYTES
 * BSS" afterwards. A file that cannot be opened may need symbols of the others without saying so: it is tried again
 * after them, as long as a round opens any. At the end "! NUMBER WHY" says why a file still cannot be opened.
 *
 * What counts is anonymous memory that has been written to, without the stack: each such page was a page fault. BYTES
 * are those that belong to no loaded object, BSS those of objects that are in no file. This program allocates nothing,
 * and leaves ld.so free memory for its structures, so that the memory measured is the constructors'.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/page.h"
#include "base/whole.h"

enum {
    REPORT = 3,
    LIST_MOST = 1 << 26, /* bytes */
    FILES_MOST = 1 << 17,
    RANGES_MOST = 1 << 18,
    SPARE = 8192,  /* bytes that ld.so needs for a file; as a rule fewer */
    PATIENCE = 60, /* seconds for the constructors of one file and what it needs */
};

struct range {
    uint64_t from, to;
};

/* The segments of loaded objects, as ranges of addresses. The last page of each is its own. */
static struct range objects[RANGES_MOST];
static size_t object_count;
static char list[LIST_MOST];
static const char *files[FILES_MOST];
static bool failed[FILES_MOST];

static int note_object(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (unsigned i = 0; i < info->dlpi_phnum && object_count < RANGES_MOST; i++) {
        const ElfW(Phdr) *const segment = &info->dlpi_phdr[i];
        const uint64_t from = info->dlpi_addr + segment->p_vaddr;
        const uint64_t to = (from + segment->p_memsz + PAGE - 1) & ~(uint64_t)(PAGE - 1);
        if (segment->p_type == PT_LOAD)
            objects[object_count++] = (struct range){from, to};
    }
    return 0;
}

/* Bytes of the range that are objects'. */
static uint64_t bytes_of_objects(struct range r)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < object_count; i++) {
        const uint64_t from = r.from > objects[i].from ? r.from : objects[i].from;
        const uint64_t to = r.to < objects[i].to ? r.to : objects[i].to;
        sum += from < to ? to - from : 0;
    }
    return sum;
}

/* Bytes that have been written to. */
struct memory {
    uint64_t taken; /* of no object */
    uint64_t bss;   /* of objects, and in no file */
};

/* A mapping of memory. */
struct mapping {
    bool counts;
    uint64_t objects; /* bytes of it that are objects': the kernel may join them with what follows */
};

/* Whether the line begins a mapping, "FROM-TO ACCESS OFFSET DEVICE INODE [NAME]", which is then *m. */
static bool takes_mapping(const char *line, struct mapping *m)
{
    struct range r;
    int name = 0;
    if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &r.from, &r.to, &name) < 2)
        return false;
    const char *const called = name ? line + name : "";
    m->counts = !*called || strncmp(called, "[heap]", 6) == 0 || strncmp(called, "[anon", 5) == 0;
    m->objects = m->counts ? bytes_of_objects(r) : 0;
    return true;
}

/* 0 where the system does not say. */
static struct memory memory_written(void)
{
    static char text[1 << 16];
    struct memory sum = {0};
    size_t have = 0;
    uint64_t size;
    struct mapping m = {0};
    object_count = 0;
    dl_iterate_phdr(note_object, NULL);
    const int maps = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC);
    for (ssize_t n; maps >= 0 && (n = read(maps, text + have, sizeof text - 1 - have)) > 0;) {
        char *line = text;
        have += (size_t)n;
        for (char *end; (end = memchr(line, '\n', have - (size_t)(line - text))); line = end + 1) {
            *end = '\0';
            if (!takes_mapping(line, &m) && m.counts && sscanf(line, "Anonymous: %lu kB", &size) == 1) {
                const uint64_t of_objects = size * 1024 < m.objects ? size * 1024 : m.objects;
                sum.bss += of_objects;
                sum.taken += size * 1024 - of_objects;
            }
        }
        have -= (size_t)(line - text);
        memmove(text, line, have);
    }
    if (maps >= 0)
        close(maps);
    return sum;
}

/* Leaves free memory that has been written to, so that ld.so's next allocation takes no new page. */
static void leave_spare(void)
{
    void *const volatile spare = malloc(SPARE);
    if (spare)
        memset(spare, 1, SPARE);
    free(spare);
}

static void say(const char *text)
{
    if (!whole_write(REPORT, text, strlen(text)))
        _exit(EXIT_FAILURE);
}

static uint64_t more(uint64_t before, uint64_t after)
{
    return after > before ? after - before : 0;
}

/* Opens a file and reports it; false where it cannot be opened. */
static bool load(size_t i)
{
    char line[64];
    snprintf(line, sizeof line, "+ %zu\n", i);
    say(line);
    leave_spare();
    const struct memory before = memory_written();
    alarm(PATIENCE);
    failed[i] = !dlopen(files[i], RTLD_LAZY | RTLD_GLOBAL);
    alarm(0);
    const struct memory after = memory_written();
    snprintf(line, sizeof line, "= %zu %lu %lu\n", i, more(before.taken, after.taken), more(before.bss, after.bss));
    if (!failed[i])
        say(line);
    return !failed[i];
}

int main(void)
{
    size_t count = 0;
    char why[1024];
    const ssize_t size = whole_read(STDIN_FILENO, list, sizeof list - 1);
    for (const char *at = list; size > 0 && at < list + size && count < FILES_MOST; at += strlen(at) + 1)
        files[count++] = at;
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || fcntl(REPORT, F_SETFD, FD_CLOEXEC) < 0)
        return EXIT_FAILURE;
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= load(i);
    while (any) {
        any = false;
        for (size_t i = 0; i < count; i++)
            any |= failed[i] && load(i);
    }
    for (size_t i = 0; i < count; i++)
        if (failed[i] && !dlopen(files[i], RTLD_LAZY | RTLD_GLOBAL)) {
            snprintf(why, sizeof why, "! %zu %s", i, dlerror());
            why[strcspn(why, "\n")] = '\0';
            say(why);
            say("\n");
        }
    fflush(NULL);
    _exit(EXIT_SUCCESS); /* destructors do not run: nobody needs them */
}
