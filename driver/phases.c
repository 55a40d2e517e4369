/* The loops over the libraries, timed; see phases.h. Every phase ends in
 * ranks_agree, which is also the barrier that stands between two phases. */
#include "driver/phases.h"

#include <inttypes.h>
#include <stdlib.h>

#include "driver/clock.h"
#include "driver/marks.h"
#include "driver/output.h"

bool phases_read(struct run *run)
{
    struct error e;
    bool well = manifest_read(&run->manifest, run->options.set, NULL, &e);
    if (well && !realpath(run->options.set, run->directory))
        well = error_errno(&e, run->options.set, "has no absolute path");
    return ranks_agree(&run->ranks, well, &e);
}

bool phases_start(const struct run *run, const struct mode *mode, void **state)
{
    struct error e;
    *state = NULL;
    bool well = mode->start(state, run, &e);
    return ranks_agree(&run->ranks, well, &e);
}

bool phases_import(const struct run *run, const struct mode *mode, void *state, struct measured *t)
{
    struct error e;
    bool well = true;
    size_t count = run->manifest.imported;
    struct progress bar = output_progress(run, "import", count);
    double begin = clock_now();
    for (size_t i = 0; i < count && well; i++) {
        output_advance(&bar, i);
        well = mode->open(state, i, &e);
    }
    t->import = clock_now() - begin;
    output_clear(&bar);
    return ranks_agree(&run->ranks, well, &e);
}

static bool visit_one(const struct run *run, const struct mode *mode, void *state, size_t library, struct error *e)
{
    const struct manifest_library *l = &run->manifest.libraries[library];
    uint64_t result;
    if (!mode->visit(state, library, &result, e))
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

bool phases_visit(const struct run *run, const struct mode *mode, void *state, struct measured *t)
{
    struct error e;
    bool well = true;
    size_t count = run->manifest.imported;
    struct progress bar = output_progress(run, "visit", count);
    double begin = clock_now();
    for (size_t i = 0; i < count && well; i++) {
        output_advance(&bar, i);
        well = visit_one(run, mode, state, i, &e);
    }
    t->visit = clock_now() - begin;
    output_clear(&bar);
    return ranks_agree(&run->ranks, well, &e);
}

bool phases_check(const struct run *run, const struct mode *mode, void *state, struct measured *t)
{
    struct error e;
    bool well = true;
    t->functions_visited = 0;
    for (size_t i = 0; i < run->manifest.imported && well; i++)
        well = mode->check(state, i, &e);
    for (size_t i = 0; i < run->manifest.count && well; i++) {
        uint64_t visited;
        well = marks_check(run->directory, &run->manifest.libraries[i], &visited, &e);
        t->functions_visited += visited;
    }
    return ranks_agree(&run->ranks, well, &e);
}
