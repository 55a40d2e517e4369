/* See memory.h. */
#include "emit/set/memory.h"

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
#include "base/whole.h"
#include "base/workers.h"
#include "emit/library/builders.h"
#include "emit/library/files.h"
#include "emit/set/make.h"
#include "emit/set/view_names.h"

/* One library, as far as the list needs to know. */
struct stored {
    int fd;            /* -1: none */
    bool named;        /* has a DT_SONAME */
    const char **need; /* the libraries in its dynamic section, those outside the set included; and behind the pointers
                          their texts */
    size_t needs;
};

struct work {
    const char *profile; /* its name */
    struct set set;
    const struct stock *stock;
    struct progress *progress;
    struct builders *builders;
    struct stored *stored; /* as plan->library */
};

/* --- descriptors ------------------------------------------------------------------------ */

/* Descriptors of the program that loads the libraries: its own files, MPI's, Python's. */
enum { OTHER_DESCRIPTORS = 128 };

static bool raise_limit(uint32_t libraries, struct error *e)
{
    struct rlimit limit;
    const uint64_t wanted = (uint64_t)libraries + OTHER_DESCRIPTORS;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return error_errno(e, NULL, "the limit of descriptors is not known");
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < wanted)
        return error_set(e, ERROR_SYSTEM,
                         "%u libraries in memory need a descriptor each, %" PRIu64
                         " with those of MPI and Python, and no more than %" PRIu64
                         " may be open here; raise the hard limit (ulimit -Hn %" PRIu64 "), or take fewer libraries",
                         libraries, wanted, (uint64_t)limit.rlim_max, wanted);
    /* The program keeps as many free descriptors as it would have without the libraries. It gets no more, because
     * some programs close all descriptors one by one. */
    if (limit.rlim_cur == RLIM_INFINITY)
        return true;
    limit.rlim_cur += libraries;
    if (limit.rlim_cur < wanted)
        limit.rlim_cur = wanted;
    if (limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 || error_errno(e, NULL, "the limit of descriptors cannot be raised");
}

/* Opens a new descriptor under a name that /proc shows. It is never a standard stream, even if one of these is
 * closed. -1 with errno. */
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

/* Returns a descriptor with these bytes; -1 with `e`. */
static int store(const char *name, const uint8_t *bytes, uint64_t size, struct error *e)
{
    const int fd = open_memory(name);
    if (fd >= 0 && whole_write(fd, bytes, size))
        return fd;
    error_errno(e, name, "cannot be kept in memory");
    if (fd >= 0)
        close(fd);
    return -1;
}

/* --- libraries -------------------------------------------------------------------------- */

/* Keeps what the list needs of the finished library: whether it has a DT_SONAME, and which libraries it needs. */
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
    struct builder *b = &w->builders->of[worker];
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

static bool no_memory(const struct plan *plan, struct error *e)
{
    return error_set(e, ERROR_MEMORY, "out of memory for a list of %u libraries", plan->library_count);
}

/* Maps the name of each library's file to its place in the list. */
static bool name_libraries(const struct plan *plan, struct view_names *names)
{
    for (uint32_t i = 0; i < plan->library_count; i++) {
        char name[FILE_NAME_MOST];
        files_name(&plan->library[plan_in_order(plan, i)], name);
        if (!view_names_add(names, name, i, 0))
            return false;
    }
    view_names_sort(names);
    return true;
}

/* Writes the line of a library, with those of its needs that are in the set. need[] has room for all needs. */
static bool write_library(const struct work *w, uint32_t library, const struct view_names *names, uint32_t *need,
                          FILE *f, struct error *e)
{
    const struct plan *plan = w->set.plan;
    const struct stored *s = &w->stored[library];
    char name[FILE_NAME_MOST];
    size_t needs = 0;
    files_name(&plan->library[library], name);
    for (size_t i = 0; i < s->needs; i++) {
        uint32_t found;
        if (view_names_find(names, s->need[i], &found) != VIEW_FILE)
            continue;
        need[needs] = names->name[found].library;
        if (!w->stored[plan_in_order(plan, need[needs])].named)
            return error_set(e, ERROR_USAGE,
                             "%s.so needs %s, which has no DT_SONAME to be known by in memory; remove 'soname: "
                             "false' from the profile, or write the set to files",
                             plan->library[library].name, s->need[i]);
        needs++;
    }
    memory_set_write(f, s->fd, name, need, needs);
    return true;
}

/* Errors of writing stay in the FILE. */
static bool write_lines(const struct work *w, int manifest, const struct view_names *names, FILE *f, struct error *e)
{
    const struct plan *plan = w->set.plan;
    size_t most = 0;
    for (uint32_t i = 0; i < plan->library_count; i++)
        most = w->stored[i].needs > most ? w->stored[i].needs : most;
    uint32_t *need = malloc((most + 1) * sizeof *need);
    bool ok = need || no_memory(plan, e);
    if (ok)
        memory_set_write(f, manifest, w->profile, NULL, 0);
    for (uint32_t i = 0; i < plan->library_count && ok; i++)
        ok = write_library(w, plan_in_order(plan, i), names, need, f, e);
    free(need);
    return ok;
}

static bool write_list(const struct work *w, int manifest, struct bytes *out, struct error *e)
{
    struct view_names names = {0};
    char *start = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&start, &size);
    bool ok =
        f && name_libraries(w->set.plan, &names) ? write_lines(w, manifest, &names, f, e) : no_memory(w->set.plan, e);
    const bool failed = f && ferror(f);
    if (f && (fclose(f) != 0 || failed) && ok)
        ok = no_memory(w->set.plan, e);
    view_names_free(&names);
    *out = (struct bytes){.data = (uint8_t *)start, .size = size};
    return ok;
}

/* Stores the manifest and the list, which stand for the whole set. */
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
    set_free(&w->set);
    free(w->stored);
}

bool memory_make(const char *profile, const struct plan *plan, const struct stock *stock, struct builders *builders,
                 struct progress *progress, int *fd, struct error *e)
{
    if (strchr(profile, '\n'))
        return error_set(e, ERROR_USAGE, "the name of the profile has a line break; rename it");
    struct work w = {.profile = profile, .set.plan = plan, .stock = stock, .progress = progress, .builders = builders};
    builders_forget(builders);
    w.stored = calloc(plan->library_count, sizeof *w.stored);
    for (uint32_t i = 0; w.stored && i < plan->library_count; i++)
        w.stored[i].fd = -1;
    bool ok = w.stored || no_memory(plan, e);
    ok = ok && make_start(&w.set, e) && raise_limit(plan->library_count, e) &&
         workers_run(builders->count, plan->library_count, store_library, &w, e) && store_texts(&w, fd, e);
    free_work(&w, ok);
    return ok;
}
