/* pyelfgen: from a profile to a set of shared libraries. */
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
#include "emit/report.h"
#include "emit/set.h"
#include "emit/stock.h"

/* What one run makes, in the order of making; freed in the other. */
struct run {
    struct options options;
    struct profile profile;
    struct stock *stock;
    struct plan plan;
    struct set set;
    struct progress progress;
};

static bool verify(struct run *r, struct error *e)
{
    progress_start(&r->progress, "verifying", 0, r->options.quiet);
    bool ok = set_verify(r->options.verify, r->options.threads, &r->progress, e);
    progress_end(&r->progress);
    if (ok && !r->options.quiet)
        printf("%s: every library is as its manifest says\n", r->options.verify);
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

static bool generate(struct run *r, struct error *e)
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
    if (!inside_settle(&r->plan, r->stock, o->threads, e))
        return false;

    /* Each library is sized, laid out, written and renamed; then the manifest. */
    if (!o->dry_run) {
        progress_start(&r->progress, "generating", set_steps(&r->plan), o->quiet);
        bool ok =
            set_generate(&r->set, &r->plan, r->stock, o->output, o->force, o->sources, o->threads, &r->progress, e);
        progress_end(&r->progress);
        if (!ok)
            return false;
    }

    if (!o->quiet)
        report_sizes(stdout, &r->plan, o->dry_run ? NULL : &r->set, o->output);
    if (!o->quiet && !o->dry_run)
        differences_report(stdout, &r->set);
    return true;
}

int main(int argc, char **argv)
{
    struct error e = {0};
    struct run r = {0};
    int status = EXIT_SUCCESS;
    signal(SIGXFSZ, SIG_IGN); /* a file that would go beyond a limit is an error, and not the end */
    switch (options_parse(&r.options, argc, argv, &e)) {
    case OPTIONS_RUN:
        if (!(r.options.verify ? verify(&r, &e) : generate(&r, &e)))
            status = error_report("pyelfgen", &e);
        break;
    case OPTIONS_WRONG:
        status = error_report("pyelfgen", &e);
        break;
    case OPTIONS_DONE:
        break;
    }
    set_free(&r.set);
    plan_free(&r.plan);
    stock_free(r.stock);
    profile_free(&r.profile);
    options_free(&r.options);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        error_errno(&e, "standard output", "cannot write");
        status = error_report("pyelfgen", &e);
    }
    return status;
}
