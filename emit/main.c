/* pyelfgen: from a profile to a set of shared libraries. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/assemble.h"
#include "emit/differences.h"
#include "emit/inside.h"
#include "emit/mix.h"
#include "emit/options.h"
#include "emit/plan.h"
#include "emit/profile.h"
#include "emit/ranks.h"
#include "emit/report.h"
#include "emit/set.h"
#include "emit/stock.h"
#include "emit/together.h"

/* What one run makes, in the order of making; freed in the other. */
struct run {
    struct options options;
    struct ranks ranks;
    char output[PATH_MAX];
    struct profile profile;
    struct stock *stock;
    struct plan plan;
    struct set set;
    struct progress progress;
};

/* Every node looks at all that it sees. */
static bool verify(struct run *r, struct error *e)
{
    const struct options *o = &r->options;
    if (!ranks_divide(&r->ranks, true, o->verify, e))
        return false;
    progress_start(&r->progress, "verifying", 0, o->quiet);
    bool ok = set_verify(o->verify, o->threads, &r->ranks, &r->progress, e);
    progress_end(&r->progress);
    if (ok && !o->quiet) {
        printf("%s: every library is as its manifest says", o->verify);
        if (r->ranks.sets > 1)
            printf(", as in each of %d places", r->ranks.sets);
        printf("\n");
    }
    return ok;
}

static bool load_profile(struct run *r, struct error *e)
{
    if (r->options.profile[0]) {
        if (!profile_load(&r->profile, r->options.profile, e))
            return false;
    } else { /* Pynamic's counts: the profile takes over what the options hold */
        r->profile = r->options.counts;
        memset(&r->options.counts, 0, sizeof r->options.counts);
    }
    if (r->options.has_seed)
        r->profile.seed = r->options.seed;
    for (int key = 0; key < KEY_COUNT; key++) {
        const char *value = r->options.instead[key];
        if (value && !profile_value_read(&r->profile, (enum profile_key_id)key, value, NULL, e))
            return false;
    }
    if (r->options.sources && r->profile.rows)
        return error_set(e, ERROR_USAGE, "--sources does not go with a profile with 'libraries'; leave it out");
    if (r->options.sources && r->profile.dwarf.language == LANGUAGE_CPP)
        return error_set(e, ERROR_USAGE, "--sources writes C only, and the profile's units are C++");
    return true;
}

/* From the profile to the plan, on every rank alike: nothing is written. */
static bool prepare(struct run *r, struct error *e)
{
    const struct options *o = &r->options;

    /* What the application looks like: complete and in range from here on. */
    if (!load_profile(r, e))
        return false;

    /* What all libraries are made from; read-only from here on. */
    const struct dialect dialect = {(uint8_t)r->profile.dwarf.version, (uint8_t)r->profile.dwarf.language,
                                    (uint8_t)r->profile.dwarf.index, r->profile.dwarf.type_units,
                                    r->profile.dwarf.views};
    r->stock = stock_make(dialect, r->profile.seed);
    if (!r->stock || !stock_add_rows(r->stock, &r->profile))
        return error_set(e, ERROR_MEMORY, "out of memory");

    /* Counts, calls and exact sizes of every library. What cannot be met is
     * refused here and in the next step, before anything is written. */
    if (!plan_make(&r->plan, &r->profile, &o->executables, &r->stock->corpus, o->threads, e))
        return false;

    /* Whether one executable can hold them all, where it is to. */
    if (!assemble_check(&r->plan, o->sources, e))
        return false;

    /* What each debug section gets, where the profile says. */
    if (!mix_settle(&r->plan, r->stock, o->threads, e))
        return false;

    /* What parts of a large executable come to. */
    return inside_settle(&r->plan, r->stock, o->threads, e);
}

/* The set's directory; NULL: none. */
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
    progress_start(&r->progress, "generating", set_steps(&r->plan), r->options.quiet);
    bool ok = set_generate(&r->set, &r->plan, r->stock, how, e);
    progress_end(&r->progress);
    return ok;
}

static bool generate(struct run *r, struct error *e)
{
    const struct options *o = &r->options;
    struct set_making how = {.force = o->force,
                             .sources = o->sources,
                             .local = o->node_local,
                             .threads = o->threads,
                             .ranks = &r->ranks,
                             .progress = &r->progress};

    /* Every rank has a plan after this, */
    if (!ranks_agree(&r->ranks, prepare(r, e) && find_output(r, &how.path, e), e))
        return false;
    if (o->dry_run)
        how.path = NULL;

    /* and it is the same. */
    if (!together_alike(&r->ranks, &r->plan, &how, e))
        return false;

    /* Each library is sized, laid out, written and renamed; then the manifest. */
    if (!o->dry_run && !(ranks_divide(&r->ranks, how.local, how.path, e) && write_set(r, &how, e)))
        return false;

    if (!o->quiet)
        report_sizes(stdout, &r->plan, o->dry_run ? NULL : &r->set, how.path);
    if (!o->quiet && !o->dry_run) {
        differences_report(stdout, &r->set);
        report_ranks(stdout, &r->ranks);
    }
    return true;
}

/* Which of several ranks this is, with its share of the processors; only the first speaks. */
static bool start(struct run *r, const struct error *wrong, struct error *e)
{
    struct options *o = &r->options;
    if (!ranks_start(&r->ranks, o->alone, e))
        return false;
    const unsigned processors = ranks_processors(&r->ranks);
    if (!o->threads)
        o->threads = processors;
    o->quiet |= r->ranks.place.rank != 0;
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
    struct run r = {.ranks = ranks_one()};
    signal(SIGXFSZ, SIG_IGN); /* a file that would go beyond a limit is an error, and not the end */
    const bool ok = options_parse(&r.options, argc, argv, &wrong) == OPTIONS_DONE || run(&r, &wrong, &e);
    int status = ok ? EXIT_SUCCESS : ranks_report(&r.ranks, &e);
    set_free(&r.set);
    plan_free(&r.plan);
    stock_free(r.stock);
    profile_free(&r.profile);
    options_free(&r.options);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        error_errno(&e, "standard output", "cannot write");
        status = error_report("pyelfgen", &e);
    }
    ranks_stop(&r.ranks);
    return status;
}
