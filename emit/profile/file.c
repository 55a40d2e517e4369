/* Profiles as files: reading one whole, replacing it.
 *
 * A profile is read once into memory, so that what was checked is what is
 * used. It is written under a temporary name and renamed: a
 * reader sees the old file or the new one, never half of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/profile_find.h"
#include "base/replacement.h"
#include "emit/profile/keys.h"

bool profile_load(struct profile *p, const char *path, struct error *e)
{
    size_t size;
    memset(p, 0, sizeof *p);
    char *const text = profile_find_read(path, &size, e);
    const bool ok = text && profile_parse(p, text, size, profile_find_shown(path), e);
    free(text);
    return ok;
}

bool profile_save(const struct profile *p, const char *path, struct error *e)
{
    struct replacement to;
    char *text;
    size_t size;
    if (!profile_text(p, &text, &size, e))
        return false;
    bool well = replacement_open(&to, path, RESULT_PROFILE, e);
    if (well) {
        fwrite(text, 1, size, to.file);
        well = replacement_keep(&to, e);
    }
    free(text);
    return well;
}
