/* pyelfmount: a set as a directory whose files are made when they are read. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/process.h"
#include "emit/prepare.h"
#include "emit/set/view.h"
#include "tools/pyelfmount/fuse.h"
#include "tools/pyelfmount/options.h"

/* What one run makes, in the order of making; main frees it in the reverse order. */
struct run {
    struct mount_options options;
    struct prepared prepared;
    struct view *view;
    struct mounted *mounted;
};

static void report(struct view *view)
{
    const struct view_counts counts = view_counts(view);
    printf("made %llu librar%s, found the sizes of %llu; at most %.3f MB of files were kept\n",
           (unsigned long long)counts.made, counts.made == 1 ? "y" : "ies", (unsigned long long)counts.sized,
           (double)counts.images / 1e6);
}

static bool run(struct run *r, struct error *e)
{
    const struct mount_options *o = &r->options;

    /* Before anything is made: can a set be mounted there? */
    if (!mount_possible(o->directory, e))
        return false;

    /* From the profile to a plan that can be met. */
    if (!prepare(&r->prepared, &r->options.set, e))
        return false;
    builders_free(&r->prepared.builders); /* the view has its own, which it keeps small */

    /* After this every name is known, and no thread of the view's is left. */
    r->view = view_open(&r->prepared.plan, r->prepared.stock, o->cache, o->set.threads, e);
    if (!r->view)
        return false;

    /* From here on the set can be seen, and readers wait. */
    r->mounted = mount_begin(r->view, o->directory, o->others, e);
    if (!r->mounted || !mount_serve(r->mounted, o->foreground, e))
        return false;

    /* No reader is left. */
    if (o->foreground && !o->set.quiet)
        report(r->view);
    return true;
}

int main(int argc, char **argv)
{
    struct error e = {0};
    struct run r = {0};
    int status = EXIT_SUCCESS;
    process_start();
    mallopt(M_ARENA_MAX, 1); /* libfuse's threads come and go: one arena lets the next reuse what one has freed */
    const enum options_result parsed = mount_options_parse(&r.options, argc, argv, &e);
    if (parsed == OPTIONS_WRONG || (parsed == OPTIONS_RUN && !run(&r, &e)))
        status = error_report("pyelfmount", &e);
    mount_end(r.mounted);
    view_free(r.view);
    prepare_free(&r.prepared);
    options_free(&r.options.set);
    return process_printed("pyelfmount") ? status : EXIT_FAILURE;
}
