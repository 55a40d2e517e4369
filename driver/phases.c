/* The timed loops over the libraries; see phases.h. Every phase ends in ranks_agree, which is also the barrier between
 * two phases. */
#include "driver/phases.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/executable.h"
#include "base/file_begin.h"
#include "base/profile_find.h"
#include "driver/marks.h"
#include "driver/memory.h"
#include "driver/order.h"
#include "driver/output.h"
#include "driver/places.h"
#include "runtime/clock.h"

/* Checks that the executable belongs to this set. It may have been copied from another set, or left behind by an older
 * one. */
static bool check_executable(const struct run *run, struct error *e)
{
    const struct executable *x = run->executable;
    char digest[2 * 16 + 1];
    if (!x || !*run->manifest.profile)
        return true;
    snprintf(digest, sizeof digest, "%016" PRIx64 "%016" PRIx64, x->digest[0], x->digest[1]);
    if (strcmp(digest, run->manifest.profile) == 0)
        return true;
    error_set(e, ERROR_MISMATCH, "the executable was made from another profile than this set; generate the set again");
    return error_at(e, run->options.set, 0);
}

/* What the dynamic linker replaces in the path given to dlopen: $ORIGIN and the like, and nothing that goes on as a
 * word. NULL where there is no such thing. */
static const char *find_token(const char *path)
{
    static const char *const names[] = {"ORIGIN", "LIB", "PLATFORM"};
    for (const char *at = path; (at = strchr(at, '$')); at++) {
        const bool braced = at[1] == '{';
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            const char *name = at + 1 + braced;
            const char *end = name + strlen(names[i]);
            if (strncmp(name, names[i], strlen(names[i])) == 0 &&
                (braced ? *end == '}' : !isalnum((unsigned char)*end) && *end != '_'))
                return at;
        }
    }
    return NULL;
}

/* Finds the absolute path of the set. Libraries' names have to fit behind it: a longer path opens none. */
static bool find_directory(struct run *run, struct error *e)
{
    if (!realpath(run->options.set, run->directory))
        return error_errno(e, run->options.set, "has no absolute path");
    const char *token = run->mode != MODE_STATIC ? find_token(run->directory) : NULL;
    if (token) {
        error_set(e, ERROR_INPUT,
                  "cannot be used: the dynamic linker replaces '%.*s' in its path; put the set elsewhere",
                  (int)strcspn(token, "/"), token);
        return error_at(e, run->options.set, 0);
    }
    const size_t room = sizeof run->directory - strlen(run->directory) - 1;
    for (size_t i = 0; i < run->manifest.count; i++)
        if (strlen(run->manifest.libraries[i].name) >= room) {
            errno = ENAMETOOLONG;
            return error_errno(e, run->options.set, "cannot be used; put the set elsewhere");
        }
    return true;
}

/* Reads the manifest. If the user has named a profile instead of a set, the error says how to run that. */
static bool read_or_hint(struct run *run, struct error *e)
{
    const char *set = run->options.set;
    char profile[PATH_MAX];
    struct stat st;
    if (manifest_read(&run->manifest, set, NULL, e))
        return true;
    const bool there = stat(set, &st) == 0;
    if ((there && S_ISDIR(st.st_mode)) || !profile_find(set, profile, sizeof profile, NULL))
        return false;
    if (there && !file_is_profile(set)) {
        error_set(e, ERROR_INPUT, "is a file; give the directory of a set");
        return error_at(e, set, 0);
    }
    error_set(e, ERROR_INPUT, "is no directory, as a set is, but names a profile; pyelfrun --memory runs it");
    return error_at(e, set, 0);
}

bool phases_read(struct run *run)
{
    struct error e;
    if (run->options.memory)
        return ranks_agree(&run->ranks, memory_read(run, &e), &e);
    bool well = read_or_hint(run, &e) && find_directory(run, &e);
    if (well && run->manifest.joined && run->mode != MODE_STATIC) {
        error_set(&e, ERROR_USAGE, "this set has no libraries but in " EXECUTABLE_STATIC "; use --mode static");
        well = error_at(&e, run->options.set, 0);
    }
    well = well && check_executable(run, &e) && set_digest(run->directory, run->digest, &e);
    return ranks_agree(&run->ranks, well, &e);
}

/* Why a set without modules cannot be run as asked; NULL if it can. */
static const char *why_not(const struct manifest *m, const struct options *o)
{
    if (m->utilities == 0)
        return "has no libraries but its markers, so that there is nothing to open; generate the set again";
    if (o->python)
        return "has no modules to import or visit; --no-python opens its libraries with dlopen, and pyelfprobe "
               "measures what tools cost on it";
    if (o->phase[PHASE_VISIT] && o->phases_asked)
        return "has no modules, and only these have an entry to visit; leave visit out of --phases";
    return NULL;
}

bool phases_settle(struct run *run)
{
    const struct manifest *m = &run->manifest;
    struct options *o = &run->options;
    struct error e;
    run->opened = (struct opened){.count = m->imported};
    for (size_t i = m->imported; i < m->count && m->modules; i++)
        run->opened.others += m->libraries[i].opened;
    if (m->modules > 0 || !o->phase[PHASE_IMPORT])
        return true;
    const char *why = why_not(m, o);
    if (!why) {
        /* Without the markers: they stand around imported modules, and there are none. */
        run->opened = (struct opened){.first = m->imported, .count = m->utilities};
        o->phase[PHASE_VISIT] = false;
    } else {
        error_set(&e, ERROR_INPUT, "%s", why);
        error_at(&e, o->set, 0);
    }
    return ranks_agree(&run->ranks, !why || run->ranks.rank != 0, &e);
}

bool phases_start(const struct run *run, const struct loader *loader, void **state)
{
    struct error e;
    *state = NULL;
    bool well = loader->start(state, run, &e);
    return ranks_agree(&run->ranks, well, &e);
}

/* One pass over all opened libraries in the wanted order. */
struct pass {
    const struct run *run;
    const struct loader *loader;
    void *state;
    struct watchdog *dog;
    enum phase phase;
    struct order_wish order;
};

typedef bool step_function(const struct pass *p, size_t library, struct error *e);

static bool go_through(const struct pass *p, step_function *step, struct measured *t)
{
    struct error e;
    const char *name = phase_names[p->phase];
    const struct opened opened = p->run->opened;
    const size_t count = opened.count + (p->phase == PHASE_IMPORT ? opened.others : 0);
    size_t *order = order_make(p->run, p->order);
    bool well = order || error_set(&e, ERROR_MEMORY, "there is no memory left for the order of the libraries");
    if (!ranks_agree(&p->run->ranks, well, &e)) {
        free(order);
        return false;
    }
    watchdog_phase(p->dog, name);
    struct progress bar = output_progress(p->run, name, count);
    counts_begin(t->counts);
    double begin = clock_now();
    for (size_t i = 0; i < count && well; i++) {
        output_advance(&bar, i);
        watchdog_library(p->dog, order[i]);
        well = step(p, order[i], &e);
        counts_step(t->counts, p->phase);
    }
    t->seconds[p->phase] = clock_now() - begin;
    counts_end(t->counts, p->phase == PHASE_IMPORT ? COUNTS_IMPORT : COUNTS_VISIT);
    output_clear(&bar);
    free(order);
    watchdog_phase(p->dog, WATCHDOG_BARRIER);
    return ranks_agree(&p->run->ranks, well, &e);
}

static bool import_one(const struct pass *p, size_t library, struct error *e)
{
    return p->loader->open(p->state, library, e);
}

bool phases_import(const struct run *run, const struct loader *loader, void *state, struct watchdog *dog,
                   struct measured *t)
{
    const struct pass pass = {run, loader, state, dog, PHASE_IMPORT, run->options.import_order};
    struct error e;
    return go_through(&pass, import_one, t) && ranks_agree(&run->ranks, places_check(run, &e), &e);
}

static bool visit_one(const struct pass *p, size_t library, struct error *e)
{
    const struct manifest_library *l = &p->run->manifest.libraries[library];
    uint64_t result;
    if (!p->loader->visit(p->state, library, &result, e))
        return false;
    if (result == l->result)
        return true;
    error_set(e, ERROR_MISMATCH,
              "%s: entry returned %" PRIu64 ", the manifest says %" PRIu64 "; check the set with pyelfgen --verify",
              l->stem, result, l->result);
    e->wanted = (int64_t)l->result;
    e->possible = (int64_t)result;
    return false;
}

bool phases_visit(const struct run *run, const struct loader *loader, void *state, struct watchdog *dog,
                  struct measured *t)
{
    const struct pass pass = {run, loader, state, dog, PHASE_VISIT, run->options.visit_order};
    return go_through(&pass, visit_one, t);
}

bool phases_check(const struct run *run, const struct loader *loader, void *state, struct watchdog *dog,
                  struct measured *t)
{
    struct error e;
    bool well = true;
    t->functions_visited = 0;
    watchdog_phase(dog, "check");
    const size_t first = run->opened.first;
    for (size_t i = 0; i < run->opened.count && well; i++) {
        watchdog_library(dog, first + i);
        well = loader->check(state, first + i, &e);
    }
    for (size_t i = first; i < run->manifest.count && well; i++) {
        uint64_t visited;
        watchdog_library(dog, i);
        well = marks_check(run, i, &visited, &e);
        t->functions_visited += visited;
    }
    watchdog_phase(dog, WATCHDOG_BARRIER);
    return ranks_agree(&run->ranks, well, &e);
}
