/* pyelfgen: from a profile to a set of shared libraries. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/process.h"
#include "base/result_file.h"
#include "base/utf8.h"
#include "base/version.h"
#include "emit/options.h"
#include "emit/prepare.h"
#include "emit/report.h"
#include "emit/search/settled.h"
#include "emit/set/differences.h"
#include "emit/set/ranks.h"
#include "emit/set/set.h"
#include "emit/set/together.h"

/* What one run makes, in this order; freed in the reverse order. */
struct run {
    struct options options;
    struct ranks ranks;
    char output[PATH_MAX];
    struct prepared prepared;
    struct set set;
    struct progress progress;
};

/* Verifies a set. Every node looks at all that it sees. */
static bool verify(struct run *r, struct error *e)
{
    const struct options *o = &r->options;
    if (!ranks_divide(&r->ranks, true, o->verify, e))
        return false;
    progress_start(&r->progress, "verifying", 0, o->quiet);
    struct set_faults faults;
    bool ok = set_verify(o->verify, o->threads, &r->ranks, &r->progress, &faults, e);
    progress_end(&r->progress);
    for (uint32_t i = 0; i < SET_FAULTS_MOST && i + 1 < faults.count; i++) /* the last fault is the error */
        error_report("pyelfgen", &faults.fault[i].error);
    if (ok && !o->quiet) {
        utf8_print(stdout, o->verify);
        printf(": every library is as its manifest says");
        if (r->ranks.sets > 1)
            printf(", as in each of %d places", r->ranks.sets);
        printf("\n");
    }
    return ok;
}

/* Sets *path to the set's directory; NULL: none. */
static bool find_output(struct run *r, const char **path, struct error *e)
{
    *path = r->options.output;
    if (!r->options.node_local)
        return true;
    *path = r->output;
    return ranks_path(&r->ranks, r->options.node_local, r->output, sizeof r->output, e);
}

static bool write_set(struct run *r, const struct set_making *how, struct error *e)
{
    progress_start(&r->progress, "generating", set_steps(&r->prepared.plan), r->options.quiet);
    bool ok = set_generate(&r->set, &r->prepared.plan, r->prepared.stock, how, e);
    progress_end(&r->progress);
    return ok;
}

/* Sizes the libraries of a set with rows that is not written: only size passes tell how it would differ from its
 * rows. */
static bool size_set(struct run *r, struct error *e)
{
    const struct plan *plan = &r->prepared.plan;
    if (!plan->profile->rows || !ranks_leads(&r->ranks))
        return true;
    progress_start(&r->progress, "sizing", plan_counted(plan), r->options.quiet);
    bool ok = set_size(&r->set, plan, r->prepared.stock, &r->prepared.builders, &r->progress, e);
    progress_end(&r->progress);
    return ok;
}

/* Refuses a profile that can be read only once where there are several ranks: each would get a part of it. */
static bool check_profile(const struct run *r, struct error *e)
{
    const char *profile = r->options.profile;
    if (!ranks_are_several(&r->ranks) || !profile[0] || !profile_find_is_stream(profile))
        return true;
    return error_set(e, ERROR_USAGE,
                     "--profile: %.200s can be read once only, and each rank reads the profile; give a file that all "
                     "can read",
                     profile_find_shown(profile));
}

/* Makes the set in memory, which finds all that is searched for. */
static bool find_all(struct run *r, struct error *e)
{
    struct prepared *const p = &r->prepared;
    if (!settled_keep(&p->plan, e))
        return false;
    progress_start(&r->progress, "settling", plan_counted(&p->plan), r->options.quiet);
    const bool ok = set_find(&r->set, &p->plan, p->stock, &p->builders, &r->progress, e);
    progress_end(&r->progress);
    return ok;
}

/* Writes the profile with what was found. The rank that leads does this. */
static bool settle(struct run *r, struct error *e)
{
    const struct prepared *const p = &r->prepared;
    const char *const path = r->options.settle;
    if (!ranks_leads(&r->ranks))
        return true;
    if (!find_all(r, e) || !settled_save(&p->plan, &p->manners, r->options.profile, path, e))
        return false;
    if (!r->options.quiet && !result_file_is_written_through(path)) {
        utf8_print(stdout, path);
        printf(": from it pyelfgen %s makes the set without a search\n", PYELFGEN_VERSION);
    }
    return true;
}

/* From the profile to a plan that can be met. */
static bool prepare_all(struct run *r, const char **path, struct error *e)
{
    const struct options *const o = &r->options;
    if (!check_profile(r, e))
        return false;
    if (o->settle && ranks_leads(&r->ranks) &&
        !(result_file_possible(o->settle, RESULT_PROFILE, e) && settled_can_be_added(o->profile, e)))
        return false;
    return prepare(&r->prepared, &r->options, e) && find_output(r, path, e);
}

static bool generate(struct run *r, struct error *e)
{
    const struct options *o = &r->options;
    const struct plan *plan = &r->prepared.plan;
    struct set_making how = {.force = o->force,
                             .sources = o->sources,
                             .local = o->node_local,
                             .builders = &r->prepared.builders,
                             .ranks = &r->ranks,
                             .progress = &r->progress};

    /* From the profile to a plan that can be met, on every rank. What cannot be met is refused before anything is
     * written. */
    if (!ranks_agree(&r->ranks, prepare_all(r, &how.path, e), e))
        return false;
    if (o->settle)
        return ranks_agree(&r->ranks, settle(r, e), e);
    if (o->dry_run)
        how.path = NULL;

    /* All ranks have to have the same plan. */
    if (!together_alike(&r->ranks, plan, &how, e))
        return false;

    if (o->dry_run && !ranks_agree(&r->ranks, size_set(r, e), e))
        return false;

    /* Each library is sized, laid out, written and renamed; then the manifest. */
    if (!o->dry_run && !(ranks_divide(&r->ranks, how.local, how.path, e) && write_set(r, &how, e)))
        return false;

    if (!o->quiet)
        report_sizes(stdout, plan, o->dry_run ? NULL : &r->set, how.path);
    if (!o->quiet)
        differences_report(stdout, plan, &r->set, how.path != NULL);
    if (!o->quiet && !o->dry_run)
        report_ranks(stdout, &r->ranks);
    return true;
}

/* Finds out which of several ranks this is, and its share of the processors. Only the first rank prints. */
static bool start(struct run *r, const struct error *wrong, struct error *e)
{
    struct options *o = &r->options;
    if (!ranks_start(&r->ranks, o->alone, e)) {
        if (wrong->code != ERROR_NONE)
            *e = *wrong;
        return false;
    }
    const unsigned processors = ranks_processors(&r->ranks);
    if (!o->threads)
        o->threads = processors;
    o->quiet |= ranks_are_several(&r->ranks) && r->ranks.place.rank != 0;
    return together_command(&r->ranks, o->verify, wrong, e);
}

static bool run(struct run *r, const struct error *wrong, struct error *e)
{
    return start(r, wrong, e) && (r->options.verify ? verify(r, e) : generate(r, e));
}

int main(int argc, char **argv)
{
    struct error e = {0};
    struct error wrong = {0};
    static struct run r; /* 78 kB, more than small stacks have to spare */
    r.ranks = ranks_one();
    process_start();
    const bool ok = options_parse(&r.options, argc, argv, &wrong) == OPTIONS_DONE || run(&r, &wrong, &e);
    int status = ok ? EXIT_SUCCESS : ranks_report(&r.ranks, &e);
    set_free(&r.set);
    prepare_free(&r.prepared);
    options_free(&r.options);
    if (!process_printed("pyelfgen"))
        status = EXIT_FAILURE;
    ranks_stop(&r.ranks);
    return status;
}
