/* pyelfgen: from a profile to a set of shared libraries. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "emit/differences.h"
#include "emit/options.h"
#include "emit/prepare.h"
#include "emit/report.h"
#include "emit/set.h"

/* What one run makes, in the order of making; freed in the other. */
struct run {
    struct options options;
    struct prepared prepared;
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

static bool generate(struct run *r, struct error *e)
{
    const struct options *o = &r->options;
    struct prepared *p = &r->prepared;

    /* From the profile to a plan that can be met; what cannot is refused, before anything is written. */
    if (!prepare(p, &r->options, e))
        return false;

    /* Each library is sized, laid out, written and renamed; then the manifest. */
    if (!o->dry_run) {
        progress_start(&r->progress, "generating", set_steps(&p->plan), o->quiet);
        bool ok =
            set_generate(&r->set, &p->plan, p->stock, o->output, o->force, o->sources, o->threads, &r->progress, e);
        progress_end(&r->progress);
        if (!ok)
            return false;
    }

    if (!o->quiet)
        report_sizes(stdout, &p->plan, o->dry_run ? NULL : &r->set, o->output);
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
    prepare_free(&r.prepared);
    options_free(&r.options);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        error_errno(&e, "standard output", "cannot write");
        status = error_report("pyelfgen", &e);
    }
    return status;
}
