/* Profiles as files: reading one whole, replacing it.
 *
 * A profile is read once into memory, so that what was checked is what is
 * used. It is written under a temporary name and renamed: a
 * reader sees the old file or the new one, never half of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/profile_find.h"
#include "base/replacement.h"
#include "base/whole.h"
#include "emit/profile_keys.h"

static bool load_from(int fd, struct profile *p, const char *path, struct error *e)
{
    /* One byte more than a profile may have, so that profile_parse sees it. */
    size_t most = PROFILE_BYTES_MOST + 1;
    char *data = malloc(most);
    if (!data)
        return error_set(e, ERROR_MEMORY, "no memory for reading a profile");
    ssize_t size = whole_read(fd, data, most);
    bool ok =
        size >= 0 ? profile_parse(p, data, (size_t)size, path, e) : error_errno(e, path, "cannot read the profile");
    free(data);
    return ok;
}

bool profile_load(struct profile *p, const char *path, struct error *e)
{
    memset(p, 0, sizeof *p);
    const int fd = profile_find_open(path, e);
    const bool ok = fd >= 0 && load_from(fd, p, profile_find_shown(path), e);
    if (fd >= 0)
        close(fd);
    return ok;
}

bool profile_save(const struct profile *p, const char *path, struct error *e)
{
    struct replacement to;
    char *text;
    size_t size;
    if (!profile_text(p, &text, &size, e))
        return false;
    bool well = replacement_open(&to, path, e);
    if (well) {
        fwrite(text, 1, size, to.file);
        well = replacement_keep(&to, e);
    }
    free(text);
    return well;
}
