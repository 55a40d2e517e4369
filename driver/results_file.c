/* The file of --json. */
#include "base/replacement.h"
#include "driver/results.h"

bool results_save(const struct results *r, const char *path, struct error *e)
{
    struct replacement to;
    if (!replacement_open(&to, path, e))
        return false;
    results_write_json(r, to.file);
    return replacement_keep(&to, e);
}
