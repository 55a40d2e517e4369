/* See text_file.h. */
#include "emit/text_file.h"

#include "base/same.h"
#include "elf/output.h"

bool text_file_write(int directory, const char *name, mode_t umask, bool force, const char *path,
                     const struct bytes *text, struct error *e)
{
    return (!force && same_bytes(directory, name, 0666 & ~umask, text->data, text->size)) ||
           output_whole(directory, name, path, 0666, text->data, text->size, e);
}
