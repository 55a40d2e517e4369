/* Writes a set; see set.h. */
#include "emit/set.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/workers.h"
#include "elf/container.h"
#include "emit/digest.h"
#include "emit/driver_py.h"
#include "emit/library.h"

/* A set under construction. */
struct work {
    struct set *set;
    const struct stock *stock;
    struct progress *progress;
    struct builder *builders; /* of each thread */
    const char *path;
    int directory;
};

/* --- names in a set's directory -------------------------------------------------- */

/* Whether `name` is libmodule<N>.so, libutility<N>.so or a marker's. */
static bool is_library(const char *name)
{
    static const char *const stems[] = {"libmodule", "libutility"};
    if (strcmp(name, "libmodulebegin.so") == 0 || strcmp(name, "libmodulefinal.so") == 0)
        return true;
    for (unsigned i = 0; i < 2; i++) {
        size_t n = strlen(stems[i]);
        if (strncmp(name, stems[i], n) != 0 || !isdigit((unsigned char)name[n]))
            continue;
        while (isdigit((unsigned char)name[n]))
            n++;
        return strcmp(name + n, ".so") == 0;
    }
    return false;
}

static bool is_temporary(const char *name)
{
    size_t n = strlen(name);
    if (name[0] != '.' || n < 6 || strcmp(name + n - 4, ".tmp") != 0)
        return false;
    char inner[256];
    snprintf(inner, sizeof inner, "%.*s", (int)(n - 5), name + 1);
    return is_library(inner) || strcmp(inner, "manifest.json") == 0 || strcmp(inner, "driver.py") == 0;
}

static bool belongs(const char *name)
{
    return is_library(name) || is_temporary(name) || strcmp(name, "driver.py") == 0 || strcmp(name, "__pycache__") == 0;
}

static bool is_planned(const struct plan *plan, const char *name)
{
    unsigned number;
    char canonical[64];
    if (strcmp(name, "libmodulebegin.so") == 0 || strcmp(name, "libmodulefinal.so") == 0)
        return true;
    if (sscanf(name, "libmodule%u.so", &number) == 1 && number < plan->modules) {
        snprintf(canonical, sizeof canonical, "libmodule%u.so", number);
        return strcmp(canonical, name) == 0;
    }
    if (sscanf(name, "libutility%u.so", &number) == 1 && number < plan->utilities) {
        snprintf(canonical, sizeof canonical, "libutility%u.so", number);
        return strcmp(canonical, name) == 0;
    }
    return false;
}

/* Calls `act` for every entry but . and ..; stops when it returns false. */
static bool each_entry(const struct work *w, bool (*act)(const struct work *, const char *, struct error *),
                       struct error *e)
{
    int fd = openat(w->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        error_errno(e, w->path, "cannot read the directory");
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool ok = true;
    for (struct dirent *entry; ok && (entry = readdir(d));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            ok = act(w, entry->d_name, e);
    closedir(d);
    return ok;
}

static bool refuse_foreign(const struct work *w, const char *name, struct error *e)
{
    if (belongs(name))
        return true;
    error_set(e, ERROR_USAGE, "the directory holds '%.100s', which is not of a set; give an empty or a new one", name);
    return error_at(e, w->path, 0);
}

static bool remove_temporary(const struct work *w, const char *name, struct error *e)
{
    (void)e;
    if (is_temporary(name))
        unlinkat(w->directory, name, 0);
    return true;
}

static bool remove_stale(const struct work *w, const char *name, struct error *e)
{
    if (is_library(name) && !is_planned(w->set->plan, name) && unlinkat(w->directory, name, 0) != 0)
        return error_errno(e, w->path, "cannot remove a library of the set that was there before");
    return true;
}

static bool remove_ours(const struct work *w, const char *name, struct error *e)
{
    (void)e;
    if (is_library(name) || is_temporary(name) || strcmp(name, "driver.py") == 0)
        unlinkat(w->directory, name, 0);
    return true;
}

/* --- files -------------------------------------------------------------------------- */

/* Writes one file's text; false with errno. */
typedef bool write_function(FILE *f, const struct set *set);

static bool driver_write(FILE *f, const struct set *set)
{
    (void)set;
    return fwrite(driver_py, 1, driver_py_size, f) == driver_py_size;
}

static bool write_text(const struct work *w, const char *name, write_function *text, struct error *e)
{
    char temporary[64];
    char path[600];
    snprintf(temporary, sizeof temporary, ".%s.tmp", name);
    snprintf(path, sizeof path, "%s/%s", w->path, name);
    int fd = openat(w->directory, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return error_errno(e, path, "cannot create the file");
    FILE *f = fdopen(fd, "w");
    bool ok = (f && text(f, w->set) && fflush(f) == 0) || error_errno(e, path, "cannot write the file");
    if ((f ? fclose(f) : close(fd)) != 0 && ok)
        ok = error_errno(e, path, "cannot write the file");
    if (ok && renameat(w->directory, temporary, w->directory, name) != 0)
        ok = error_errno(e, path, "cannot give the file its name");
    if (!ok)
        unlinkat(w->directory, temporary, 0);
    return ok;
}

/* What the visit of every entry marks in this library. */
static uint32_t marked(const struct plan *plan, const struct plan_library *l, const struct shape *s)
{
    return plan_visited_functions(plan, l) + s->marks - l->functions;
}

static void record(struct set_library *out, const struct library *l, const uint8_t *image)
{
    struct layout_sizes sizes = layout_count(&l->layout);
    XXH128_hash_t digest = XXH3_128bits(image, l->layout.file_size);
    *out = (struct set_library){
        .size = {sizes.text, sizes.data, sizes.debug, sizes.symtab, sizes.strtab, sizes.bss},
        .file = l->layout.file_size,
        .digest = {digest.high64, digest.low64},
        .marks = l->shape.marks,
        .marked = marked(l->plan, l->row, &l->shape),
        .result = l->result,
    };
    memcpy(out->entry, l->shape.entry, sizeof out->entry);
}

static bool make_library(void *context, unsigned worker, uint32_t index, struct error *e)
{
    struct work *w = context;
    const struct plan *plan = w->set->plan;
    struct builder *b = &w->builders[worker];
    char name[64];
    char path[600];
    if (!library_size(b, plan, w->stock, index, e) || !library_write(b, e))
        return false;
    struct set_library *out = &w->set->library[index];
    record(out, &b->library, b->image);
    const struct plan_library *row = &plan->library[index];
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++)
        if (out->size[kind] != row->size[kind])
            return error_set(e, ERROR_MISMATCH, "%s.so: came out with a size of %llu where the plan has %llu",
                             row->name, (unsigned long long)out->size[kind], (unsigned long long)row->size[kind]);
    snprintf(name, sizeof name, "%s.so", row->name);
    snprintf(path, sizeof path, "%s/%s", w->path, name);
    if (!container_write(&b->library.layout, b->image, w->directory, name, path, e))
        return false;
    progress_step(w->progress);
    return true;
}

/* --- the directory ------------------------------------------------------------------- */

static bool open_directory(struct work *w, bool force, bool *made, struct error *e)
{
    *made = mkdir(w->path, 0777) == 0;
    if (!*made && errno != EEXIST)
        return error_errno(e, w->path, "cannot make the directory");
    w->directory = open(w->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (w->directory < 0)
        return error_errno(e, w->path, "cannot open the directory");
    if (*made)
        return true;
    bool complete = faccessat(w->directory, "manifest.json", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    if (complete && !force) {
        error_set(e, ERROR_USAGE, "there is a set already; give another directory, or --force to replace it");
        return error_at(e, w->path, 0);
    }
    if (!complete && !each_entry(w, refuse_foreign, e))
        return false;
    if (complete && unlinkat(w->directory, "manifest.json", 0) != 0)
        return error_errno(e, w->path, "cannot remove the old manifest.json");
    return each_entry(w, remove_temporary, e);
}

static bool write_set(struct work *w, unsigned threads, struct error *e)
{
    struct set *set = w->set;
    if (!container_start(e) || !workers_run(threads, set->plan->library_count, make_library, w, e))
        return false;
    return each_entry(w, remove_stale, e) && write_text(w, "driver.py", driver_write, e) &&
           write_text(w, "manifest.json", manifest_write, e);
}

bool set_generate(struct set *set, const struct plan *plan, const struct stock *stock, const char *path, bool force,
                  unsigned threads, struct progress *progress, struct error *e)
{
    struct work w = {.set = set, .stock = stock, .progress = progress, .path = path, .directory = -1};
    *set = (struct set){.plan = plan, .library = calloc(plan->library_count, sizeof *set->library)};
    w.builders = calloc(WORKERS_MOST, sizeof *w.builders);
    bool made = false;
    bool ok = set->library && w.builders;
    if (!ok)
        error_set(e, ERROR_MEMORY, "out of memory for a set of %u libraries", plan->library_count);
    ok = ok && open_directory(&w, force, &made, e) && write_set(&w, threads, e);
    if (!ok && made && w.directory >= 0) {
        each_entry(&w, remove_ours, NULL);
        rmdir(path);
    }
    if (w.directory >= 0)
        close(w.directory);
    for (unsigned i = 0; w.builders && i < WORKERS_MOST; i++)
        builder_free(&w.builders[i]);
    free(w.builders);
    return ok;
}

void set_free(struct set *set)
{
    if (!set)
        return;
    free(set->library);
    set->library = NULL;
}
