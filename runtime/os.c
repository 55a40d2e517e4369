/* What the operating system counts for this process, for all threads together: getrusage(2), and /proc/self/io and
 * /proc/self/statm of proc(5).
 *
 * All these counts continue when a process executes another program. The launcher, which becomes the program, hands on
 * what it has caused itself.
 *
 * The files in /proc are kept open and read by pread, so each takes one system call. The bytes of these readings are
 * themselves among the bytes that the process has read, and are subtracted.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/os.h"
#include "runtime/source.h"

#define BEFORE "PYELFRUN_BEFORE" /* "process:count,count,...", set by the launcher */

enum { MINOR_FAULTS, MAJOR_FAULTS, VOLUNTARY, INVOLUNTARY, RSS, READ_BYTES, STORAGE_BYTES, COUNT };

static const struct counter descriptions[COUNT] = {
    [MINOR_FAULTS] = {.name = "minor-faults", .unit = "faults"},
    [MAJOR_FAULTS] = {.name = "major-faults", .unit = "faults"},
    [VOLUNTARY] = {.name = "voluntary-switches", .unit = "switches"},
    [INVOLUNTARY] = {.name = "involuntary-switches", .unit = "switches"},
    [RSS] = {.name = "rss", .unit = "bytes", .level = true},
    [READ_BYTES] = {.name = "read-bytes", .unit = "bytes"},
    [STORAGE_BYTES] = {.name = "storage-bytes", .unit = "bytes"},
};

struct os {
    int io, statm;          /* -1: the file cannot be opened */
    uint64_t own;           /* bytes that the readings of this file have added to those of the process */
    uint64_t page;          /* bytes of a page */
    uint64_t before[COUNT]; /* what was counted before this program */
};

/* Reads the text of a file; "" if it cannot be read. */
static void read_text(struct os *o, int fd, char *text, size_t size)
{
    ssize_t n = fd < 0 ? 0 : pread(fd, text, size - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    o->own += n > 0 ? (uint64_t)n : 0;
}

/* Finds the number behind `label` at the beginning of a line. */
static bool find_number(const char *text, const char *label, uint64_t *number)
{
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        if (strncmp(line, label, strlen(label)) == 0) {
            *number = strtoull(line + strlen(label), NULL, 10);
            return true;
        }
    }
    return false;
}

/* Takes the second number of statm, the pages in memory. False if it is not there. */
static bool resident_pages(const char *text, uint64_t *pages)
{
    unsigned long long size, resident;
    if (sscanf(text, "%llu %llu", &size, &resident) != 2)
        return false;
    *pages = resident;
    return true;
}

/* Reads what the process has caused, in all programs that it has executed. */
static void read_all(struct os *o, uint64_t *values)
{
    char text[512];
    struct rusage usage;
    /* rchar does not include the reading of rchar itself. */
    uint64_t own = o->own;
    read_text(o, o->io, text, sizeof text);
    if (find_number(text, "rchar:", &values[READ_BYTES]))
        values[READ_BYTES] -= own;
    find_number(text, "read_bytes:", &values[STORAGE_BYTES]);
    read_text(o, o->statm, text, sizeof text);
    if (resident_pages(text, &values[RSS]))
        values[RSS] *= o->page;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        values[MINOR_FAULTS] = (uint64_t)usage.ru_minflt;
        values[MAJOR_FAULTS] = (uint64_t)usage.ru_majflt;
        values[VOLUNTARY] = (uint64_t)usage.ru_nvcsw;
        values[INVOLUNTARY] = (uint64_t)usage.ru_nivcsw;
    }
}

static void os_read(void *state, uint64_t *values)
{
    struct os *o = state;
    read_all(o, values);
    for (size_t i = 0; i < COUNT; i++)
        if (values[i] != COUNTERS_UNKNOWN)
            values[i] -= o->before[i];
}

/* A substitute for Linux may have the system call but not the counts. */
static void check_usage(struct counter *list)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        for (size_t i = MINOR_FAULTS; i <= INVOLUNTARY; i++)
            source_absent(&list[i], "getrusage: %s", strerror(errno));
    } else if (usage.ru_minflt == 0) {
        for (size_t i = MINOR_FAULTS; i <= MAJOR_FAULTS; i++)
            source_absent(&list[i], "getrusage: this kernel counts no page faults");
    }
}

static int open_file(const char *path, struct counter *list, size_t first, size_t last)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    for (size_t i = first; i <= last && fd < 0; i++)
        source_absent(&list[i], "%s: %s", path, strerror(errno));
    return fd;
}

/* A file may exist and tell nothing: reading may be forbidden although opening is not, and some counts are options of
 * the kernel. */
static void check_files(struct os *o, struct counter *list)
{
    char text[512];
    uint64_t number;
    read_text(o, o->io, text, sizeof text);
    if (o->io >= 0 && !find_number(text, "rchar:", &number))
        source_absent(&list[READ_BYTES], "/proc/self/io has no rchar");
    if (o->io >= 0 && !find_number(text, "read_bytes:", &number))
        source_absent(&list[STORAGE_BYTES], "/proc/self/io has no read_bytes");
    read_text(o, o->statm, text, sizeof text);
    if (o->statm >= 0 && !resident_pages(text, &number))
        source_absent(&list[RSS], "/proc/self/statm does not say how many pages are resident");
}

/* Takes what the launcher has caused; it was the same process. */
static void take_before(struct os *o)
{
    char *place = getenv(BEFORE);
    if (!place || strtol(place, &place, 10) != getpid() || *place++ != ':')
        return;
    for (size_t i = 0; i < COUNT && *place; i++)
        o->before[i] = strtoull(place, &place, 10), place += *place == ',';
}

static bool os_open(void **state, struct counter *list, size_t *count, struct error *e)
{
    struct os *o = *state = calloc(1, sizeof *o);
    if (!o)
        return error_set(e, ERROR_MEMORY, "there is no memory left for the counters of the system");
    memcpy(list, descriptions, sizeof descriptions);
    *count = COUNT;
    take_before(o);
    o->page = (uint64_t)sysconf(_SC_PAGESIZE);
    o->io = open_file("/proc/self/io", list, READ_BYTES, STORAGE_BYTES);
    o->statm = open_file("/proc/self/statm", list, RSS, RSS);
    check_usage(list);
    check_files(o, list);
    return true;
}

static void os_close(void *state)
{
    struct os *o = state;
    if (o->io >= 0)
        close(o->io);
    if (o->statm >= 0)
        close(o->statm);
    free(o);
}

bool os_hand_on(struct error *e)
{
    struct counter list[SOURCE_MOST];
    uint64_t values[COUNT] = {0};
    size_t count;
    void *state;
    char text[32 * (COUNT + 1)];
    if (!os_open(&state, list, &count, e))
        return false;
    struct os *o = state;
    read_all(o, values);
    /* this is a state of the program, not a count */
    values[RSS] = 0;
    int length = snprintf(text, sizeof text, "%ld:", (long)getpid());
    for (size_t i = 0; i < COUNT; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%" PRIu64 ",",
                           values[i] + (i == READ_BYTES ? o->own : 0));
    os_close(state);
    return setenv(BEFORE, text, 1) == 0 || error_set(e, ERROR_MEMORY, "out of memory");
}

const struct source source_os = {"os", os_open, NULL, os_read, os_close};
