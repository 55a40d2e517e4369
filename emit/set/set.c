/* Writes a set; see set.h. */
#include "emit/set/set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/manifest.h"
#include "base/same.h"
#include "base/workers.h"
#include "elf/write/output.h"
#include "emit/library/builders.h"
#include "emit/library/large.h"
#include "emit/search/mix.h"
#include "emit/set/assemble.h"
#include "emit/set/differences.h"
#include "emit/set/directory.h"
#include "emit/set/driver_py.h"
#include "emit/set/large_file.h"
#include "emit/set/make.h"
#include "emit/set/sources.h"
#include "emit/set/text_file.h"
#include "emit/set/tidy.h"
#include "emit/set/together.h"

/* A set under construction. */
struct work {
    struct set *set;
    const struct set_making *how;
    const struct stock *stock;
    struct share share; /* rows of the plan that this rank makes */
    uint32_t marker;    /* place of the first marker in `share`; share.count: another rank makes it */
    struct directory directory;
    struct sources sources;
    struct assembly pyelf_static; /* if it is made */
    struct assembly pyelf_link;   /* if it consists of parts */
};

/* --- files -------------------------------------------------------------------------- */

static bool write_made(struct work *w, const char *name, const struct bytes *text, struct error *e)
{
    char path[DIRECTORY_PATH_MOST];
    directory_path(&w->directory, name, path);
    return text_file_write(&w->directory, w->directory.fd, name, path, text, e);
}

static bool write_text(struct work *w, const char *name, make_text_function *text, struct error *e)
{
    struct bytes made;
    const bool ok = make_text(w->set, name, text, &made, e) && write_made(w, name, &made, e);
    free(made.data);
    return ok;
}

static bool write_driver(struct work *w, struct error *e)
{
    const struct bytes text = {.data = (uint8_t *)(uintptr_t)driver_py, .size = driver_py_size};
    return write_made(w, DRIVER_FILE, &text, e);
}

/* Opens the directory of `name` within the set, which is made if it is not there, and sets *base to the rest of the
 * name; -1 with errno. */
static int open_within(const struct work *w, const char *name, const char **base)
{
    int directory = fcntl(w->directory.fd, F_DUPFD_CLOEXEC, 0);
    const char *slash;
    for (*base = name; directory >= 0 && (slash = strchr(*base, '/')); *base = slash + 1) {
        char step[FILE_NAME_MOST];
        snprintf(step, sizeof step, "%.*s", (int)(slash - *base), *base);
        int next = -1;
        if (mkdirat(directory, step, 0777) == 0 || errno == EEXIST)
            next = openat(directory, step, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int number = errno;
        close(directory);
        errno = number;
        directory = next;
    }
    return directory;
}

static bool write_file(struct work *w, const struct library_file *file, bool *kept, struct error *e)
{
    char path[DIRECTORY_PATH_MOST];
    const char *base;
    directory_path(&w->directory, file->name, path);
    int directory = open_within(w, file->name, &base);
    if (directory < 0)
        return error_errno(e, path, "cannot open or make the directory of the file");
    const uint64_t size = file->layout->file_size;
    *kept = !w->directory.force && same_bytes(directory, base, 0777 & ~w->directory.umask, file->image, size);
    bool ok = *kept ||
              (directory_change(&w->directory, e) && output_whole(directory, base, path, 0777, file->image, size, e));
    close(directory);
    return ok;
}

static bool write_files(struct work *w, struct builder *b, struct set_library *out, struct error *e)
{
    out->file = calloc(b->large ? 1 : b->file_count, sizeof *out->file);
    if (!out->file)
        return error_set(e, ERROR_MEMORY, "out of memory for %s", b->library.row->name);
    if (b->large) {
        out->files = 1;
        return large_write(b, &w->directory, out->file, e);
    }
    for (; out->files < b->file_count; out->files++) {
        const struct library_file *file = &b->files[out->files];
        struct set_file *written = &out->file[out->files];
        make_digest(written, file);
        if (!write_file(w, file, &written->kept, e))
            return false;
    }
    return true;
}

/* Keeps what is needed of a library to put together the executables that it is a part of. The leader does that, so
 * other ranks keep nothing. */
static void measure(struct work *w, const struct library *l)
{
    const struct plan *plan = l->plan;
    if (!ranks_leads(w->how->ranks))
        return;
    if (plan->executables.joined && l->row->kind != LIBRARY_LINK)
        join_measure(&w->pyelf_static.joined, l);
    if (plan->inside && plan->executables.link && l->row->kind == LIBRARY_INSIDE)
        join_measure(&w->pyelf_link.joined, l);
}

static bool write_library(struct work *w, unsigned worker, uint32_t index, struct error *e)
{
    const struct plan *plan = w->set->plan;
    struct builder *b = &w->how->builders->of[worker];
    const bool file = make_has_file(plan, &plan->library[index]);
    const bool source = w->set->sources && plan->library[index].kind != LIBRARY_STATIC;
    b->only_sizes = !file && !source;
    if (!mix_size(b, plan, w->stock, index, e))
        return false;
    measure(w, &b->library);
    if ((file || source) && !b->large && !library_write(b, e))
        return false;
    struct set_library *out = &w->set->library[index];
    if (!make_record(out, b, e))
        return false;
    /* before the library: gdb complains of sources that are newer */
    if (source && !sources_write(&w->sources, worker, &b->library, e))
        return false;
    if (file && !write_files(w, b, out, e))
        return false;
    progress_step(w->how->progress);
    return true;
}

/* Whether the library is never in memory as a whole. */
static bool is_in_windows(const struct work *w, const struct plan_library *row)
{
    const struct plan *plan = w->set->plan;
    return make_has_file(plan, row) && !w->set->sources && large_is(plan, row);
}

/* The row to make in this turn. The first marker comes first, as an unfinished set is recognised by it; the others
 * follow in their order. */
static uint32_t row_in_turn(const struct work *w, uint32_t turn)
{
    if (w->marker == w->share.count || turn > w->marker)
        return w->share.item[turn];
    return w->share.item[turn ? turn - 1 : w->marker];
}

/* Where the first marker is in the share; behind its end where another rank makes it. */
static uint32_t find_marker(const struct work *w)
{
    uint32_t at = 0;
    while (at < w->share.count && w->share.item[at] != plan_counted(w->set->plan))
        at++;
    return at;
}

static bool make_in_turn(void *context, unsigned worker, uint32_t turn, struct error *e)
{
    struct work *w = context;
    struct builder *b = &w->how->builders->of[worker];
    const uint32_t index = row_in_turn(w, turn);
    if (worker == 0 && ranks_stopped(w->how->ranks, e))
        return false;
    struct large large = {.builder = b};
    b->large = is_in_windows(w, &w->set->plan->library[index]) ? &large : NULL;
    const bool ok = write_library(w, worker, index, e);
    b->large = NULL;
    return ok;
}

/* --- the directory ------------------------------------------------------------------- */

static bool lead_directory(struct directory *d, const char *path, bool force, struct error *e)
{
    if (!directory_open(d, path, force, e))
        return false;
    if (d->made)
        return true;
    return tidy_take_over(d->fd, path, e) && tidy_remove(d->fd, path, TIDY_TEMPORARY, NULL, e);
}

/* The leader checks the directory first, as only it finds the directory as it was; then the others open it. */
static bool open_directory(struct work *w, struct error *e)
{
    const struct set_making *how = w->how;
    const bool ok = !ranks_leads(how->ranks) || lead_directory(&w->directory, how->path, how->force, e);
    return ranks_agree(how->ranks, ok, e) && together_open(&w->directory, how, e);
}

static bool measure_library(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct work *w = context;
    struct builder *b = &w->how->builders->of[worker];
    if (worker == 0 && ranks_stopped(w->how->ranks, e))
        return false;
    b->only_sizes = true;
    if (!mix_size(b, w->set->plan, w->stock, index, e))
        return false;
    measure(w, &b->library);
    return true;
}

static bool measure_all(struct work *w, struct error *e)
{
    return workers_run(w->how->builders->count, w->set->plan->library_count, measure_library, w, e);
}

/* Prepares the executables that are put together from parts. Whether pyelf-static can be made is certain only when all
 * libraries are sized. Where it is near its limits, they are sized before anything is written. */
static bool try_joined(struct work *w, struct error *e)
{
    const struct plan *plan = w->set->plan;
    struct assembly *a = &w->pyelf_static;
    *a = (struct assembly){.builders = w->how->builders,
                           .stock = w->stock,
                           .directory = &w->directory,
                           .ranks = w->how->ranks,
                           .progress = w->how->progress};
    w->pyelf_link = *a;
    if (plan->executables.link && plan->inside && !join_start(&w->pyelf_link.joined, plan, plan_executable(plan)))
        return error_set(e, ERROR_MEMORY, "out of memory for " EXECUTABLE_LINK);
    if (!plan->executables.joined)
        return true;
    if (!join_start(&a->joined, plan, plan_static(plan)))
        return error_set(e, ERROR_MEMORY, "out of memory for " EXECUTABLE_STATIC);
    return plan->executables.alone || !assemble_is_near(plan) || (measure_all(w, e) && assemble_lay(a, e));
}

/* Writes the source of what pyelf-static itself brings. */
static bool write_joined_source(struct work *w, struct error *e)
{
    struct builder *b = &w->how->builders->of[0];
    b->joined = &w->pyelf_static.joined;
    b->only_sizes = false;
    const bool ok = library_size(b, w->set->plan, w->stock, plan_static(w->set->plan), e) && library_write(b, e) &&
                    sources_write(&w->sources, 0, &b->library, e);
    b->joined = NULL;
    return ok;
}

/* Measures the libraries again if other ranks have made some and pyelf-static needs them all. The parts of a large
 * pyelf-link are made by the leader, so they are measured already. */
static bool measure_others(struct work *w, struct error *e)
{
    const struct plan *plan = w->set->plan;
    return !plan->executables.joined || w->share.count == plan->library_count || measure_all(w, e);
}

static bool write_joined(struct work *w, struct error *e)
{
    const struct plan *plan = w->set->plan;
    if (!measure_others(w, e))
        return false;
    if (plan->executables.link && plan->inside && !assemble(&w->pyelf_link, &w->set->library[plan_executable(plan)], e))
        return false;
    if (!plan->executables.joined)
        return true;
    if (w->set->sources && !(assemble_lay(&w->pyelf_static, e) && write_joined_source(w, e)))
        return false;
    return assemble(&w->pyelf_static, &w->set->library[plan_static(plan)], e);
}

/* Whether every file was there already, as it should be. Of sources this is known only where one rank writes them. */
static bool is_kept(const struct set *set, const struct ranks *ranks)
{
    if (set->sources && ranks_are_several(ranks))
        return false;
    for (uint32_t i = 0; i < set->plan->library_count; i++)
        for (uint32_t k = 0; k < set->library[i].files; k++)
            if (!set->library[i].file[k].kept)
                return false;
    return true;
}

/* Writes what is beside the libraries, the manifest last. An old manifest with the same text stays if no file has
 * changed. Otherwise another host may have removed it, though it still seems to be there on this one. */
static bool finish(struct work *w, struct error *e)
{
    struct set *set = w->set;
    struct bytes manifest;
    set->written = &w->sources.written;
    bool ok = make_text(set, MANIFEST_FILE, manifest_write, &manifest, e) &&
              ((is_kept(set, w->how->ranks) &&
                same_bytes(w->directory.fd, MANIFEST_FILE, 0666 & ~w->directory.umask, manifest.data, manifest.size)) ||
               directory_change(&w->directory, e)) &&
              tidy_remove(w->directory.fd, w->directory.path, TIDY_STALE, set, e) && write_driver(w, e) &&
              (!set->plan->profile->rows || write_text(w, DIFFERENCES_FILE, differences_write, e)) &&
              write_made(w, MANIFEST_FILE, &manifest, e);
    set->written = NULL;
    free(manifest.data);
    return ok;
}

/* Makes what has to be there before the first library; on the leader only. */
static bool begin(struct work *w, struct error *e)
{
    if (!try_joined(w, e))
        return false;
    return !w->set->sources || sources_begin(&w->sources, &w->directory, w->stock, SOURCES_WITH_HEADERS, e);
}

static bool write_share(struct work *w, struct error *e)
{
    if (w->set->sources && !ranks_leads(w->how->ranks) &&
        !sources_begin(&w->sources, &w->directory, w->stock, SOURCES_WITHOUT_HEADERS, e))
        return false;
    w->marker = find_marker(w);
    return workers_run(w->how->builders->count, w->share.count, make_in_turn, w, e);
}

/* Ends a step that takes long, on every rank. A rank that failed tells the others at once. */
static bool agree(const struct work *w, bool well, struct error *e)
{
    if (!well)
        ranks_tell(w->how->ranks, e);
    return ranks_agree(w->how->ranks, well, e);
}

static bool write_set(struct work *w, struct error *e)
{
    const struct ranks *r = w->how->ranks;
    const bool leads = ranks_leads(r);
    if (!agree(w, !leads || begin(w, e), e) || !agree(w, write_share(w, e), e))
        return false;
    /* Every library has its name now. The leader needs what the others have made. */
    const bool ok = together_collect(w->set, &w->share, &w->sources.written, r, e) &&
                    (!leads || (write_joined(w, e) && finish(w, e)));
    return agree(w, ok, e);
}

static bool start(struct work *w, struct error *e)
{
    const struct plan *plan = w->set->plan;
    builders_forget(w->how->builders);
    if (!make_start(w->set, e) || !together_share(&w->share, plan, w->how, e))
        return false;
    w->how->progress->total -= plan->library_count - w->share.count;
    return true;
}

bool set_generate(struct set *set, const struct plan *plan, const struct stock *stock, const struct set_making *how,
                  struct error *e)
{
    struct work w = {.set = set, .how = how, .stock = stock, .directory.fd = -1};
    struct directory *d = &w.directory;
    *set = (struct set){.plan = plan, .sources = how->sources};
    const bool ok = ranks_agree(how->ranks, start(&w, e), e) && open_directory(&w, e) && write_set(&w, e);
    sources_free(&w.sources);
    join_free(&w.pyelf_static.joined);
    join_free(&w.pyelf_link.joined);
    if (!ok && d->path && d->fd >= 0 && d->made) {
        tidy_remove(d->fd, how->path, TIDY_ALL, NULL, NULL);
        rmdir(how->path);
    }
    if (d->path)
        directory_close(d);
    share_free(&w.share);
    return ok;
}

void set_free(struct set *set)
{
    if (!set)
        return;
    for (uint32_t i = 0; set->library && i < set->plan->library_count; i++)
        make_forget(&set->library[i]);
    free(set->library);
    set->library = NULL;
}
