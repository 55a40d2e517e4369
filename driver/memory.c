/* See memory.h. */
#include "driver/memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/maps.h"
#include "base/memory_set.h"
#include "driver/advice.h"

enum state { NEW, OPEN, DONE };

struct memory {
    struct memory_set set;
    unsigned char *state; /* enum state of each library: whether it is loaded, or about to be */
    uint32_t *stack;      /* libraries that wait for what they need */
    uint32_t *next;       /* for each library the next of its needs */
};

typedef bool visit_function(const struct run *run, uint32_t library, struct error *e);

static bool refuse_cycle(const struct memory *m, uint32_t library, uint32_t needed, struct error *e)
{
    return error_set(e, ERROR_USAGE,
                     "%s needs %s, which needs it, directly or through others: from memory one has to be loaded first; "
                     "write the set to files",
                     m->set.library[library].name, m->set.library[needed].name);
}

/* Visits all libraries that `first` needs and that are not DONE, each after its own needs, but not `first` itself. */
static bool walk(const struct run *run, uint32_t first, visit_function *visit, struct error *e)
{
    struct memory *m = run->memory;
    size_t depth = 0;
    if (m->state[first] == DONE)
        return true;
    m->state[first] = OPEN;
    m->stack[depth++] = first;
    while (depth) {
        const uint32_t top = m->stack[depth - 1];
        const struct memory_library *l = &m->set.library[top];
        if (m->next[top] == l->needs) {
            if (top != first && visit && !visit(run, top, e))
                return false;
            m->state[top] = DONE;
            depth--;
            continue;
        }
        const uint32_t needed = l->need[m->next[top]++];
        if (m->state[needed] == OPEN && needed != top)
            return refuse_cycle(m, top, needed, e);
        if (m->state[needed] == NEW) {
            m->state[needed] = OPEN;
            m->stack[depth++] = needed;
        }
    }
    return true;
}

static bool check_order(const struct run *run, struct error *e)
{
    struct memory *m = run->memory;
    bool well = true;
    for (size_t i = 0; i < m->set.count && well; i++)
        well = walk(run, (uint32_t)i, NULL, e);
    memset(m->state, NEW, m->set.count * sizeof *m->state);
    memset(m->next, 0, m->set.count * sizeof *m->next);
    return well;
}

static bool read_manifest(struct run *run, struct error *e)
{
    const int fd = run->memory->set.manifest;
    struct stat status;
    if (fstat(fd, &status) != 0)
        return error_errno(e, MANIFEST_FILE, "cannot be read from memory");
    if (!S_ISREG(status.st_mode) || status.st_size <= 0 || status.st_size > MANIFEST_BYTES_MOST) {
        error_set(e, ERROR_INPUT, "what is in memory is no manifest; start pyelfrun --memory PROFILE");
        return error_at(e, MANIFEST_FILE, 0);
    }
    const size_t size = (size_t)status.st_size;
    void *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (text == MAP_FAILED)
        return error_errno(e, MANIFEST_FILE, "cannot be read from memory");
    const bool well = manifest_parse(&run->manifest, text, size, e) || error_at(e, MANIFEST_FILE, e->line);
    set_digest_of(text, size, run->digest);
    munmap(text, size);
    return well;
}

static bool compare(const struct run *run, struct error *e)
{
    const struct memory_set *s = &run->memory->set;
    bool same = s->count == run->manifest.count;
    for (size_t i = 0; i < s->count && same; i++)
        same = strcmp(s->library[i].name, run->manifest.libraries[i].name) == 0;
    if (same)
        return true;
    error_set(e, ERROR_MISMATCH,
              "the libraries in memory are not those that it lists; start pyelfrun --memory PROFILE");
    return error_at(e, MANIFEST_FILE, 0);
}

/* Checks the limit of maps of memory. For a set on disk launch_maps has done so. */
static bool check_maps(const struct run *run, struct error *e)
{
    const struct memory_set *s = &run->memory->set;
    const uint64_t most = maps_limit();
    uint64_t maps = 0;
    if (!run->options.phase[PHASE_IMPORT] || !most || s->count * MAPS_MOST + MAPS_OWN <= most)
        return true;
    for (size_t i = 0; i < s->count; i++)
        maps += maps_of(s->library[i].fd);
    return maps_fit(s->count, 100 * maps / s->count, most, e) || error_at(e, run->options.set, 0);
}

/* The results name the profile as the set's origin, so it has to be the one that the set was made from. */
static bool check_profile(const struct run *run, struct error *e)
{
    const char *profile = run->memory->set.profile;
    return strcmp(profile, run->options.set) == 0 ||
           error_set(e, ERROR_MISMATCH, "the set in memory was made from %s, not from %s; give both programs one name",
                     profile, run->options.set);
}

bool memory_read(struct run *run, struct error *e)
{
    struct memory *m = run->memory = calloc(1, sizeof *m);
    if (!m)
        return error_set(e, ERROR_MEMORY, "there is no memory left for the libraries");
    if (!memory_set_take(&m->set, e))
        return false;
    m->state = calloc(m->set.count, sizeof *m->state);
    m->stack = calloc(m->set.count, sizeof *m->stack);
    m->next = calloc(m->set.count, sizeof *m->next);
    if (!m->state || !m->stack || !m->next)
        return error_set(e, ERROR_MEMORY, "there is no memory left for the order of %zu libraries", m->set.count);
    snprintf(run->directory, sizeof run->directory, "%s", run->options.set);
    return check_profile(run, e) && read_manifest(run, e) && compare(run, e) && check_order(run, e) &&
           check_maps(run, e);
}

void memory_path(const struct run *run, size_t index, char path[MEMORY_PATH_MOST])
{
    if (run->memory)
        snprintf(path, MEMORY_PATH_MOST, "/proc/self/fd/%d", run->memory->set.library[index].fd);
    else
        snprintf(path, MEMORY_PATH_MOST, "%s/%s", run->directory, run->manifest.libraries[index].name);
}

/* Opens a library whose needs are loaded or, on disk, are found. It stays open, like those that an import loads. */
static void *open_one(const struct run *run, size_t library)
{
    char path[MEMORY_PATH_MOST];
    memory_path(run, library, path);
    return dlopen(path, options_dlopen_flags(&run->options));
}

static bool open_needed(const struct run *run, uint32_t library, struct error *e)
{
    const char *const reason = open_one(run, library) ? NULL : dlerror();
    return !reason || error_set(e, ERROR_MISMATCH, "%s: cannot be opened from memory: %s; %s",
                                run->memory->set.library[library].name, reason, advice_for(reason));
}

bool memory_bring(const struct run *run, size_t index, struct error *e)
{
    return !run->memory || walk(run, (uint32_t)index, open_needed, e);
}

bool memory_open(const struct run *run, size_t index, void **handle, struct error *e)
{
    if (!memory_bring(run, index, e))
        return false;
    *handle = open_one(run, index);
    const char *const reason = *handle ? NULL : dlerror();
    return *handle || error_set(e, ERROR_MISMATCH, "%s: cannot be opened: %s; %s", run->manifest.libraries[index].stem,
                                reason, advice_for(reason));
}

void memory_free(struct memory *m)
{
    if (!m)
        return;
    memory_set_free(&m->set);
    free(m->state);
    free(m->stack);
    free(m->next);
    free(m);
}
