/* See text_file.h. */
#include "emit/set/text_file.h"

#include "base/same.h"
#include "elf/write/output.h"

bool text_file_write(struct directory *set, int within, const char *name, const char *path, const struct bytes *text,
                     struct error *e)
{
    return (!set->force && same_bytes(within, name, 0666 & ~set->umask, text->data, text->size)) ||
           (directory_change(set, e) && output_whole(within, name, path, 0666, text->data, text->size, e));
}
