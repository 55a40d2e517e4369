/* See memory.h. */
#include "emit/memory.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/manifest.h"
#include "base/memory_set.h"
#include "base/workers.h"
#include "emit/make.h"

/* One library, as far as the list needs to know. */
struct stored {
    int fd;            /* -1: none */
    bool named;        /* has a DT_SONAME */
    const char **need; /* as its dynamic section has them, those outside the set too; and the texts behind */
    size_t needs;
};

struct work {
    struct set set;
    const struct stock *stock;
    struct progress *progress;
    struct builder *builders;
    struct stored *stored; /* as plan->library */
};

/* --- descriptors ------------------------------------------------------------------------ */

/* Those of the program that loads them: its own files, MPI's, Python's. */
enum { OTHER_DESCRIPTORS = 128 };

static bool raise_limit(uint32_t libraries, struct error *e)
{
    struct rlimit limit;
    const uint64_t wanted = (uint64_t)libraries + OTHER_DESCRIPTORS;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return error_errno(e, "", "the limit of descriptors is not known");
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < wanted)
        return error_set(e, ERROR_SYSTEM,
                         "%u libraries in memory need a descriptor each, %" PRIu64
                         " with those of MPI and Python, and no more than %" PRIu64
                         " may be open here; raise the hard limit (ulimit -Hn %" PRIu64 "), or take fewer libraries",
                         libraries, wanted, (uint64_t)limit.rlim_max, wanted);
    /* As many are left for the program as it would have without them; no more, which some close one by one. */
    if (limit.rlim_cur == RLIM_INFINITY)
        return true;
    limit.rlim_cur += libraries;
    if (limit.rlim_cur < wanted)
        limit.rlim_cur = wanted;
    if (limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 || error_errno(e, "", "the limit of descriptors cannot be raised");
}

/* A new one, under a name that /proc shows; no standard stream, should one of these be closed. -1 with errno. */
static int open_memory(const char *name)
{
    const int fd = memfd_create(name, 0);
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    const int other = fcntl(fd, F_DUPFD, STDERR_FILENO + 1);
    const int number = errno;
    close(fd);
    errno = number;
    return other;
}

/* A descriptor with these bytes; -1 with `e`. */
static int store(const char *name, const uint8_t *bytes, uint64_t size, struct error *e)
{
    int fd = open_memory(name);
    for (uint64_t at = 0; fd >= 0 && at < size;) {
        const uint64_t rest = size - at < (1 << 30) ? size - at : 1 << 30;
        const ssize_t n = write(fd, bytes + at, rest);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            const int number = n ? errno : ENOSPC;
            close(fd);
            errno = number;
            fd = -1;
        }
        at += n > 0 ? (uint64_t)n : 0;
    }
    if (fd < 0)
        error_errno(e, name, "cannot be kept in memory");
    return fd;
}

/* --- libraries -------------------------------------------------------------------------- */

/* Keeps what the finished library says of names. */
static bool read_needs(struct stored *s, const struct library_file *file)
{
    const struct section *dynamic = &file->layout->section[SECTION_DYNAMIC];
    const struct section *strings = &file->layout->section[SECTION_DYNSTR];
    const size_t most = dynamic->size / sizeof(Elf64_Dyn);
    s->need = malloc((most + 1) * sizeof *s->need + strings->size);
    if (!s->need)
        return false;
    char *texts = memcpy(s->need + most + 1, file->image + strings->offset, strings->size);
    for (size_t i = 0; i < most; i++) {
        Elf64_Dyn entry;
        memcpy(&entry, file->image + dynamic->offset + i * sizeof entry, sizeof entry);
        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_NEEDED)
            s->need[s->needs++] = texts + entry.d_un.d_val;
        s->named = s->named || entry.d_tag == DT_SONAME;
    }
    return true;
}

static bool store_library(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct work *w = context;
    struct builder *b = &w->builders[worker];
    const struct plan *plan = w->set.plan;
    if (!make_library(b, plan, w->stock, index, &w->set.library[index], e))
        return false;
    const struct library_file *file = &b->files[b->file_count - 1];
    struct stored *s = &w->stored[index];
    if (!read_needs(s, file))
        return error_set(e, ERROR_MEMORY, "out of memory for %s", plan->library[index].name);
    s->fd = store(file->name, file->image, file->layout->file_size, e);
    progress_step(w->progress);
    return s->fd >= 0;
}

/* --- the list --------------------------------------------------------------------------- */

struct by_name {
    char name[FILE_NAME_MOST];
    uint32_t library;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct by_name *)a)->name, ((const struct by_name *)b)->name);
}

static struct by_name *sort_names(const struct plan *plan)
{
    struct by_name *names = calloc(plan->library_count, sizeof *names);
    for (uint32_t i = 0; names && i < plan->library_count; i++) {
        files_name(&plan->library[i], names[i].name);
        names[i].library = i;
    }
    if (names)
        qsort(names, plan->library_count, sizeof *names, compare_names);
    return names;
}

/* Leaves of a library's needs those in the set. */
static bool choose_needs(const struct work *w, uint32_t library, const struct by_name *names, struct error *e)
{
    struct stored *s = &w->stored[library];
    size_t kept = 0;
    for (size_t i = 0; i < s->needs; i++) {
        struct by_name wanted;
        snprintf(wanted.name, sizeof wanted.name, "%s", s->need[i]);
        const struct by_name *found = bsearch(&wanted, names, w->set.plan->library_count, sizeof *names, compare_names);
        if (!found)
            continue;
        if (!w->stored[found->library].named)
            return error_set(e, ERROR_USAGE,
                             "%s.so needs %s, which has no DT_SONAME to be known by in memory; set 'elf: {soname: "
                             "true}' in the profile, or write the set to files",
                             w->set.plan->library[library].name, found->name);
        s->need[kept++] = s->need[i];
    }
    s->needs = kept;
    return true;
}

static bool write_list(const struct work *w, int manifest, struct bytes *out, struct error *e)
{
    const struct plan *plan = w->set.plan;
    struct by_name *names = sort_names(plan);
    char *start = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&start, &size);
    bool memory = names && f && memory_set_write(f, manifest, NULL, NULL, 0);
    bool ok = true;
    for (uint32_t i = 0; i < plan->library_count && memory && ok; i++) {
        const uint32_t index = plan_in_order(plan, i);
        char name[FILE_NAME_MOST];
        files_name(&plan->library[index], name);
        ok = choose_needs(w, index, names, e);
        memory = !ok || memory_set_write(f, w->stored[index].fd, name, w->stored[index].need, w->stored[index].needs);
    }
    memory = (!f || fclose(f) == 0) && memory;
    free(names);
    *out = (struct bytes){.data = (uint8_t *)start, .size = size};
    return ok &&
           (memory || error_set(e, ERROR_MEMORY, "out of memory for a list of %u libraries", plan->library_count));
}

/* What stands for the whole: the manifest and the list. */
static bool store_texts(struct work *w, int *fd, struct error *e)
{
    struct bytes text = {0};
    int manifest = -1;
    bool ok = make_text(&w->set, MANIFEST_FILE, manifest_write, &text, e) &&
              (manifest = store(MANIFEST_FILE, text.data, text.size, e)) >= 0;
    free(text.data);
    if (!ok)
        return false;
    ok = write_list(w, manifest, &text, e) && (*fd = store("libraries", text.data, text.size, e)) >= 0;
    free(text.data);
    if (!ok)
        close(manifest);
    return ok;
}

/* --- the whole -------------------------------------------------------------------------- */

static void free_work(struct work *w, bool keep)
{
    for (uint32_t i = 0; w->stored && i < w->set.plan->library_count; i++) {
        if (!keep && w->stored[i].fd >= 0)
            close(w->stored[i].fd);
        free(w->stored[i].need);
    }
    for (unsigned i = 0; w->builders && i < WORKERS_MOST; i++)
        builder_free(&w->builders[i]);
    set_free(&w->set);
    free(w->builders);
    free(w->stored);
}

bool memory_make(const struct plan *plan, const struct stock *stock, unsigned threads, struct progress *progress,
                 int *fd, struct error *e)
{
    struct work w = {.set.plan = plan, .stock = stock, .progress = progress};
    w.set.library = calloc(plan->library_count, sizeof *w.set.library);
    w.builders = calloc(WORKERS_MOST, sizeof *w.builders);
    w.stored = calloc(plan->library_count, sizeof *w.stored);
    for (uint32_t i = 0; w.stored && i < plan->library_count; i++)
        w.stored[i].fd = -1;
    bool ok = w.set.library && w.builders && w.stored;
    if (!ok)
        error_set(e, ERROR_MEMORY, "out of memory for a set of %u libraries", plan->library_count);
    ok = ok && raise_limit(plan->library_count, e) && workers_run(threads, plan->library_count, store_library, &w, e) &&
         store_texts(&w, fd, e);
    free_work(&w, ok);
    return ok;
}
