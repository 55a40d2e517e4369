/* See text_file.h. */
#include "emit/text_file.h"

#include "base/same.h"
#include "elf/output.h"

bool text_file_write(int directory, const char *name, const char *path, const struct bytes *text, struct error *e)
{
    if (same_bytes(directory, name, text->data, text->size))
        return true;
    struct output file;
    return output_begin(&file, directory, name, path, 0666, 0, e) &&
           output_end(&file, output_write(&file, text->data, text->size, 0, e), e);
}
