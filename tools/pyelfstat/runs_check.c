/* pyelfstat --runs --check: judges the results that runs.c has read, for a script that accepts a machine or does not.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pyelfstat/runs_parts.h"

static const char total[] = "total";

static const char *label_of(int part)
{
    return part == RESULTS_PARTS ? total : results_part_labels[part];
}

bool runs_limit_read(struct runs_limits *limits, const char *text, struct error *e)
{
    const char *const sign = strchr(text, '=');
    int part = 0;
    while (
        sign && part <= RESULTS_PARTS &&
        (strlen(label_of(part)) != (size_t)(sign - text) || strncasecmp(label_of(part), text, (size_t)(sign - text))))
        part++;
    if (!sign || part > RESULTS_PARTS)
        return error_set(e, ERROR_USAGE,
                         "--limit '%.40s' is none of startup=SECONDS, import=, visit=, total= and mpi=", text);
    char *end;
    const double seconds = strtod(sign + 1, &end);
    const bool is_decimal = sign[1 + strspn(sign + 1, "0123456789.eE+-")] == '\0'; /* strtod takes more than that */
    if (end == sign + 1 || *end || !is_decimal || !isfinite(seconds) || seconds <= 0)
        return error_set(e, ERROR_USAGE, "--limit '%.40s' has no number of seconds above 0", text);
    if (limits->of[part] > 0)
        return error_set(e, ERROR_USAGE, "--limit %s is given twice, %g and %g seconds; give the one that counts",
                         label_of(part), limits->of[part], seconds);
    limits->of[part] = seconds;
    limits->count++;
    return true;
}

/* Prints a reason why the results do not pass; counts it. */
#define REASON(count, ...) (printf("check failed: " __VA_ARGS__), ++*(count))

static void check_row(const struct runs_row *row, const struct runs_limits *limits, size_t *reasons)
{
    for (int part = 0; part <= RESULTS_PARTS; part++) {
        char text[32];
        const double seconds = part == RESULTS_PARTS ? row->is->total : row->is->seconds[part];
        if (!(limits->of[part] > 0))
            continue;
        if (isnan(seconds))
            REASON(reasons, "%s: %s was not measured\n", row->label, label_of(part));
        else if (seconds > limits->of[part])
            REASON(reasons, "%s: %s took %s s, the limit is %g s\n", row->label, label_of(part),
                   results_seconds(text, seconds, 4), limits->of[part]);
    }
}

bool runs_check(const struct runs_files *all, const struct runs_limits *limits, size_t outliers)
{
    size_t reasons = 0, runs = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct runs_file *const f = &all->file[i];
        const size_t failed = runs_failed(&f->results);
        runs += f->results.run_count;
        if (failed)
            REASON(&reasons, "%s: %zu of %zu runs failed\n", f->path, failed, f->results.run_count);
        if (!f->results.run_count)
            REASON(&reasons, "%s: nothing was run\n", f->path);
        if (runs_is_other_set(f, &all->file[0]))
            REASON(&reasons, "%s has run another set than %s\n", f->path, all->file[0].path);
    }
    if (outliers)
        REASON(&reasons, "%zu outlier%s, as listed above\n", outliers, outliers == 1 ? "" : "s");
    for (size_t i = 0; i < all->row_count; i++)
        check_row(&all->row[i], limits, &reasons);
    if (!reasons)
        printf("check passed: %zu run%s done, of one set, without outliers", runs, runs == 1 ? "" : "s");
    if (!reasons && limits->count)
        printf(", within %zu limit%s", limits->count, limits->count == 1 ? "" : "s");
    if (!reasons)
        putchar('\n');
    return !reasons;
}
