/* Reading a file in a process of its own; see stats.h.
 *
 * The process sends its answer through a pipe and ends:
 *
 *     struct answer_header | struct debug_stats | shapes, 8 bytes each | names of .dwo files
 *                          | struct error
 *
 * The answer is trusted as little as the file: whatever could lead out of an array is checked. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/process.h"
#include "base/whole.h"
#include "dwarf/stats/parts.h"

/* The processor time that the process may take: SECONDS_LEAST, and a second for every BYTES_PER_SECOND of the file. No
 * file needs that: ours are read at some 20 MB of .debug_info a second, twenty times faster. SHAPES_MOST: shapes in an
 * answer. */
enum { SECONDS_LEAST = 10, BYTES_PER_SECOND = 1000000, SHAPES_MOST = 1 << 24 };

/* Memory that the process may take, in bytes: a compressed section of a few bytes can say that it has any size. */
#define MEMORY_LEAST (UINT64_C(1) << 30)
#define MEMORY_MOST  (UINT64_C(1) << 36)
#define MEMORY_TIMES 8

struct answer_header {
    uint64_t magic;
    uint64_t ok;
    uint64_t shapes;
    uint64_t dwos; /* bytes of names */
};
#define ANSWER_MAGIC UINT64_C(0x7374617473313030)

/* ---- in the process ---- */

/* Moves the set's numbers to the front of its slots. */
static void set_pack(struct stats_set *set)
{
    size_t n = 0;
    for (size_t i = 0; i < set->capacity; i++) {
        if (set->slot[i])
            set->slot[n++] = set->slot[i];
    }
}

static void answer(const char *path, uint64_t most, int to)
{
    struct debug_stats s = {0};
    struct error e = {0};
    struct answer_header header = {.magic = ANSWER_MAGIC, .ok = stats_read_here(path, most, &s, &e)};
    bool sent;
    if (header.ok) {
        header.shapes = s.shapes.count;
        header.dwos = s.dwos.size;
        set_pack(&s.shapes);
        sent = whole_write(to, &header, sizeof header) && whole_write(to, &s, sizeof s) &&
               whole_write(to, s.shapes.slot, s.shapes.count * sizeof *s.shapes.slot) &&
               whole_write(to, s.dwos.data, s.dwos.size);
    } else {
        sent = whole_write(to, &header, sizeof header) && whole_write(to, &e, sizeof e);
    }
    _exit(sent ? 0 : 1);
}

#ifndef __SANITIZE_ADDRESS__
/* Bytes of addresses that the process has inherited from its parent. */
static rlim_t addresses(void)
{
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f && fscanf(f, "%llu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}
#endif

/* Sees to it that there is no core, no endless run, and nothing of what the C library says when it aborts: the parent
 * says that. */
static void limit(unsigned seconds, uint64_t bytes)
{
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer takes more addresses than any machine has memory */
    const rlim_t memory = addresses() + MEMORY_LEAST + (bytes < MEMORY_MOST ? bytes : MEMORY_MOST) * MEMORY_TIMES;
    setrlimit(RLIMIT_AS, &(struct rlimit){memory, memory});
#else
    (void)bytes;
#endif
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 5});
    signal(SIGXCPU, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
}

/* ---- outside ---- */

bool stats_start(struct stats_reader *r, const char *path, struct error *e)
{
    return stats_start_sample(r, path, 0, e);
}

bool stats_start_sample(struct stats_reader *r, const char *path, uint64_t most, struct error *e)
{
    *r = (struct stats_reader){.path = path, .process = -1, .answer = -1};
    struct stat st;
    uint64_t bytes = stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
    uint64_t seconds = SECONDS_LEAST + bytes / BYTES_PER_SECOND;
    r->seconds = seconds < UINT32_MAX / 2 ? (unsigned)seconds : UINT32_MAX / 2;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_errno(e, path, "cannot make a pipe to read it through");
    const pid_t self = getpid();
    r->process = fork();
    if (r->process == 0) {
        process_end_with(self, SIGKILL); /* nobody waits for an answer then */
        close(ends[0]);
        limit(r->seconds, bytes);
        answer(path, most, ends[1]);
    }
    if (r->process < 0)
        error_errno(e, path, "cannot make a process to read it");
    close(ends[1]);
    r->answer = ends[0];
    if (r->process < 0) {
        close(ends[0]);
        r->answer = -1;
        return false;
    }
    return true;
}

/* Reads everything up to the end; fails if that is more than an answer can have. */
static bool read_all(int fd, struct bytes *b)
{
    const size_t most =
        sizeof(struct answer_header) + sizeof(struct debug_stats) + SHAPES_MOST * sizeof(uint64_t) + STATS_DWOS;
    for (;;) {
        char block[1 << 16];
        const ssize_t n = whole_read(fd, block, sizeof block);
        if (n <= 0)
            return n == 0 && !b->failed;
        if (b->size + (size_t)n > most)
            return false;
        bytes_append(b, block, (size_t)n);
        if (b->failed)
            return false;
    }
}

/* Whether the answer has all that its header says, and nothing that leads out of an array. */
static bool is_sound(const struct bytes *b, const struct answer_header *header, struct debug_stats *more)
{
    const size_t fixed = sizeof *header + sizeof *more;
    if (header->shapes > SHAPES_MOST || header->dwos > STATS_DWOS ||
        b->size != fixed + header->shapes * sizeof(uint64_t) + header->dwos)
        return false;
    memcpy(more, b->data + sizeof *header, sizeof *more);
    bool sound = more->section_count <= STATS_SECTIONS && (!header->dwos || !b->data[b->size - 1]);
    for (int t = 0; t < STATS_TALLIES; t++)
        sound = sound && more->tally[t].count <= STATS_KEYS;
    return sound;
}

/* Adds what the answer says to *s. *whole tells whether the answer is. */
static bool take_stats(const struct bytes *b, const struct answer_header *header, struct debug_stats *s,
                       struct error *e, bool *whole)
{
    struct debug_stats more;
    const uint8_t *rest = b->data + sizeof *header + sizeof more;
    *whole = is_sound(b, header, &more);
    if (!*whole)
        return false;
    more.shapes = (struct stats_set){.count = header->shapes, .capacity = header->shapes};
    more.dwos = (struct bytes){0};
    for (uint32_t i = 0; i < more.section_count; i++)
        more.section[i].name[STATS_NAME - 1] = '\0';
    more.remark[STATS_REMARK - 1] = '\0';
    bool ok = true;
    if (header->shapes) {
        ok = (more.shapes.slot = malloc(header->shapes * sizeof *more.shapes.slot));
        if (ok)
            memcpy(more.shapes.slot, rest, header->shapes * sizeof *more.shapes.slot);
    }
    bytes_append(&more.dwos, rest + header->shapes * sizeof *more.shapes.slot, header->dwos);
    ok = ok && !more.dwos.failed ? stats_add(s, &more, e) : error_set(e, ERROR_MEMORY, "out of memory");
    stats_set_free(&more.shapes);
    bytes_free(&more.dwos);
    return ok;
}

static bool take_error(const struct bytes *b, struct error *e, bool *whole)
{
    struct error theirs;
    *whole = b->size == sizeof(struct answer_header) + sizeof theirs;
    if (!*whole)
        return false;
    memcpy(&theirs, b->data + sizeof(struct answer_header), sizeof theirs);
    theirs.text[sizeof theirs.text - 1] = '\0';
    return error_set(e, theirs.code, "%s", theirs.text);
}

static bool take_answer(const struct bytes *b, struct debug_stats *s, struct error *e, bool *whole)
{
    struct answer_header header;
    *whole = b->size >= sizeof header;
    if (!*whole)
        return false;
    memcpy(&header, b->data, sizeof header);
    *whole = header.magic == ANSWER_MAGIC;
    if (!*whole)
        return false;
    return header.ok ? take_stats(b, &header, s, e, whole) : take_error(b, e, whole);
}

/* Whether the process used up its processor time. */
static bool is_out_of_time(const struct stats_reader *r, const struct rusage *used)
{
    const int64_t microseconds = used->ru_utime.tv_usec + used->ru_stime.tv_usec;
    return used->ru_utime.tv_sec + used->ru_stime.tv_sec + microseconds / 1000000 >= (int64_t)r->seconds;
}

/* Sets why there is no answer. Before the time is over, only a kernel that has no memory left, or a user, kills the
 * process. `ended`: as waitpid(2) has it; NULL: not known. */
static bool process_died(const struct stats_reader *r, const int *ended, const struct rusage *used, struct error *e)
{
    if (!ended)
        return error_set(e, ERROR_SYSTEM, "the process that read it has ended without an answer");
    const int status = *ended;
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (killed && !is_out_of_time(r, used))
        return error_set(e, ERROR_SYSTEM, "the process that read it was killed, perhaps for lack of memory");
    if (killed || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        return error_set(e, ERROR_INPUT,
                         "has broken debug information, or too much: libdwarf was stopped after %u s of processor time",
                         r->seconds);
    if (WIFSIGNALED(status))
        return error_set(e, ERROR_INPUT, "has broken debug information: libdwarf ended with signal %d (%s)",
                         WTERMSIG(status), strsignal(WTERMSIG(status)));
    return error_set(e, ERROR_INPUT, "has broken debug information: libdwarf ended with status %d",
                     WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* False where nobody knows how the process ended: this one ignores SIGCHLD, or another thread has waited for all. */
static bool wait_for(pid_t process, int *status, struct rusage *used)
{
    pid_t ended;
    do {
        ended = wait4(process, status, 0, used);
    } while (ended < 0 && errno == EINTR);
    return ended == process;
}

bool stats_finish(struct stats_reader *r, struct debug_stats *s, struct error *e)
{
    struct bytes b = {0};
    bool whole = false;
    bool ok = read_all(r->answer, &b);
    close(r->answer);
    if (!ok)
        kill(r->process, SIGKILL);
    int status = 0;
    struct rusage used = {0};
    const bool known = wait_for(r->process, &status, &used);
    if (!ok)
        error_set(e, b.failed ? ERROR_MEMORY : ERROR_SYSTEM, "the process that read it gave no proper answer");
    else
        ok = take_answer(&b, s, e, &whole) || (!whole && process_died(r, known ? &status : NULL, &used, e));
    bytes_free(&b);
    if (!ok)
        error_at(e, r->path, 0);
    *r = (struct stats_reader){.process = -1, .answer = -1};
    return ok;
}

bool stats_read(const char *path, struct debug_stats *s, struct error *e)
{
    struct stats_reader r;
    return stats_start(&r, path, e) && stats_finish(&r, s, e);
}
