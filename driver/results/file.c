/* Writes the file of --json. */
#include <sys/stat.h>

#include "base/replacement.h"
#include "base/result_file.h"
#include "driver/results/results.h"

bool results_printed(struct error *e)
{
    return (fflush(stdout) == 0 && !ferror(stdout)) ||
           error_errno(e, "standard output", "the results cannot be written");
}

static bool write_json(FILE *to, void *context, struct error *e)
{
    const struct results *const *const r = context;
    (void)e;
    results_write_json(*r, to);
    return true;
}

bool results_save(const struct results *r, const char *path, struct error *e)
{
    return result_file_write(path, RESULT_REPORT, write_json, &r, e);
}

bool results_are_readable(const struct results *r, const char *path, struct error *e)
{
    struct stat st;
    if (replacement_is_standard(path) || stat(path, &st) != 0)
        return true;
    const intmax_t one = RESULTS_RUN_BYTES_MOST, size = st.st_size,
                   runs = r->run_count > 0 ? (intmax_t)r->run_count : 1;
    if (size <= RESULTS_BYTES_MOST && size / runs <= one)
        return true;
    error_set(e, ERROR_INPUT,
              "was written, and is larger than what pyelfstat --runs reads: %jd MB, or %jd MB for each run; it has %jd "
              "MB of %jd runs",
              (intmax_t)RESULTS_BYTES_MOST / 1000000, one / 1000000, size / 1000000, runs);
    return error_at(e, path, 0);
}

bool results_save_for_user(const struct results *r, const char *path, struct error *e)
{
    struct error large;
    const bool saved = results_save(r, path, e);
    if (saved && !results_are_readable(r, path, &large))
        error_report("pyelfrun", &large);
    return saved;
}
