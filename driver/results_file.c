/* Writes the file of --json. */
#include "base/replacement.h"
#include "driver/results.h"

bool results_printed(struct error *e)
{
    return (fflush(stdout) == 0 && !ferror(stdout)) ||
           error_errno(e, "standard output", "the results cannot be written");
}

bool results_save(const struct results *r, const char *path, struct error *e)
{
    struct replacement to;
    if (replacement_is_standard(path)) {
        results_write_json(r, stdout);
        return results_printed(e);
    }
    if (!replacement_open(&to, path, e))
        return false;
    results_write_json(r, to.file);
    return replacement_keep(&to, e);
}
