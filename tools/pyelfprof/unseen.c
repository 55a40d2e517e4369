/* See unseen.h. */
#include "tools/pyelfprof/unseen.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/same.h"
#include "runtime/audit_log.h"
#include "tools/common/descendants.h"

/* Whether a process has glibc's C library and not the audit library, which ld.so loads before it. So a process that has
 * just begun a program is not taken for one, nor is a static program. What may not be read has other rights. The stack
 * is behind all libraries: where it is not listed, the process has ended, or begun another program, meanwhile. */
static bool is_unseen(pid_t process)
{
    char path[64];
    char *line = NULL;
    size_t size = 0;
    bool libc = false;
    bool seen = false;
    bool whole = false;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    FILE *const maps = fopen(path, "re");
    while (maps && !seen && getline(&line, &size, maps) > 0) {
        seen = strstr(line, "/" LOG_LIBRARY);
        libc |= strstr(line, "/libc.so.6") || strstr(line, "/libc-2.");
        whole |= strstr(line, "[stack]") != NULL;
    }
    free(line);
    if (maps)
        fclose(maps);
    return libc && !seen && whole;
}

/* Whether a process has not begun the program that it is to execute. */
static bool is_of_this_program(pid_t process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)process);
    return same_place(path, "/proc/self/exe");
}

static void look(void *context, pid_t process)
{
    struct unseen *const u = context;
    char path[64];
    for (size_t i = 0; i < u->count; i++)
        if (u->process[i] == process)
            return;
    if (is_of_this_program(process) || !is_unseen(process))
        return;
    if (u->count == u->capacity) {
        const size_t capacity = u->capacity ? 2 * u->capacity : 16;
        pid_t *const more = realloc(u->process, capacity * sizeof *more);
        if (!more)
            return; /* it may be counted the next time */
        u->process = more;
        u->capacity = capacity;
    }
    u->process[u->count++] = process;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)process);
    const ssize_t length = *u->first ? 0 : readlink(path, u->first, sizeof u->first - 1);
    if (length > 0)
        u->first[length] = '\0';
}

void unseen_look(void *unseen)
{
    descendants_each(look, unseen);
}
