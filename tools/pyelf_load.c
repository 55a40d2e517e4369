/* pyelf-load: opens libraries one after the other, and says how much memory the constructors of each take. It is a
 * program of its own because pyelfprof (tools/pyelfprof_load.c) would not survive all that constructors may do.
 *
 *     pyelf-load < LIST 3> REPORT
 *
 * LIST has paths, each ended by a zero. REPORT gets the line "+ NUMBER" before a file is opened, and "= NUMBER BYTES"
 * afterwards. A file that cannot be opened may need symbols of the others without saying so: it is tried again after
 * them, as long as a round opens any. At the end "! NUMBER WHY" says why a file still cannot be opened.
 *
 * What counts is anonymous memory that has been written to, without the stack and without what belongs to loaded
 * objects: each such page was a page fault. This program allocates nothing, and leaves ld.so free memory for its
 * structures, so that the memory measured is the constructors'.
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

/* The segments of loaded objects, as ranges of addresses. */
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
        if (segment->p_type == PT_LOAD)
            objects[object_count++] = (struct range){from, from + segment->p_memsz};
    }
    return 0;
}

static bool is_object(struct range r)
{
    for (size_t i = 0; i < object_count; i++)
        if (r.from < objects[i].to && objects[i].from < r.to)
            return true;
    return false;
}

/* Whether the line begins a mapping, "FROM-TO ACCESS OFFSET DEVICE INODE [NAME]". If so, *counts says whether its
 * memory counts. */
static bool takes_mapping(const char *line, bool *counts)
{
    struct range r;
    int name = 0;
    if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &r.from, &r.to, &name) < 2)
        return false;
    const char *const called = name ? line + name : "";
    const bool anonymous = !*called || strncmp(called, "[heap]", 6) == 0 || strncmp(called, "[anon", 5) == 0;
    *counts = anonymous && !is_object(r);
    return true;
}

/* Bytes that count; 0 where the system does not say. */
static uint64_t memory_taken(void)
{
    static char text[1 << 16];
    size_t have = 0;
    uint64_t sum = 0;
    uint64_t size;
    bool counts = false;
    object_count = 0;
    dl_iterate_phdr(note_object, NULL);
    const int maps = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC);
    for (ssize_t n; maps >= 0 && (n = read(maps, text + have, sizeof text - 1 - have)) > 0;) {
        char *line = text;
        have += (size_t)n;
        for (char *end; (end = memchr(line, '\n', have - (size_t)(line - text))); line = end + 1) {
            *end = '\0';
            if (!takes_mapping(line, &counts) && counts && sscanf(line, "Anonymous: %lu kB", &size) == 1)
                sum += size * 1024;
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

/* Opens a file and reports it; false where it cannot be opened. */
static bool load(size_t i)
{
    char line[64];
    snprintf(line, sizeof line, "+ %zu\n", i);
    say(line);
    leave_spare();
    const uint64_t before = memory_taken();
    alarm(PATIENCE);
    failed[i] = !dlopen(files[i], RTLD_LAZY | RTLD_GLOBAL);
    alarm(0);
    const uint64_t after = memory_taken();
    snprintf(line, sizeof line, "= %zu %lu\n", i, after > before ? after - before : 0);
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
