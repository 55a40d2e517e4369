/* See result_file.h. */
#include "base/result_file.h"

#include <string.h>
#include <sys/stat.h>

static bool write_through(FILE *to, const char *name, bool (*write)(FILE *to, void *context, struct error *e),
                          void *context, struct error *e)
{
    if (!write(to, context, e))
        return false;
    return (!ferror(to) && fflush(to) == 0) || error_errno(e, name, "cannot be written");
}

/* Whether the path is a descriptor's that a shell has opened. */
static bool names_descriptor(const char *path)
{
    static const char *const names[] = {"/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(path, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* A FIFO that has only a name does not count: opening it could wait for a reader for ever. */
bool result_file_is_written_through(const char *path)
{
    struct stat st;
    if (replacement_is_standard(path))
        return true;
    return stat(path, &st) == 0 && (S_ISCHR(st.st_mode) || (S_ISFIFO(st.st_mode) && names_descriptor(path)));
}

bool result_file_possible(const char *path, enum result result, struct error *e)
{
    return result_file_is_written_through(path) || replacement_possible(path, result, e);
}

bool result_file_write(const char *path, enum result result, bool (*write)(FILE *to, void *context, struct error *e),
                       void *context, struct error *e)
{
    struct replacement r;
    if (replacement_is_standard(path))
        return write_through(stdout, "standard output", write, context, e);
    if (result_file_is_written_through(path)) {
        FILE *to = fopen(path, "we");
        if (!to)
            return error_errno(e, path, "cannot be written");
        const bool well = write_through(to, path, write, context, e);
        fclose(to);
        return well;
    }
    if (!replacement_open(&r, path, result, e))
        return false;
    if (write(r.file, context, e))
        return replacement_keep(&r, e);
    replacement_drop(&r);
    return false;
}
