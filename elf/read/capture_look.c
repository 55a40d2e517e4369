/* Reads tables and strings of a hostile file within bounds; see capture_parts.h. */
#include <inttypes.h>

#include "elf/read/capture_parts.h"

bool look_no_memory(struct look *l)
{
    error_set(l->e, ERROR_MEMORY, "out of memory");
    return error_at(l->e, l->reader.path, 0);
}

bool look_take(struct look *l, uint64_t bytes)
{
    const uint64_t most = reader_take_most(&l->reader);
    if (reader_take(&l->reader, bytes))
        return true;
    LOOK_WRONG(l, "has tables that overlap, or of more than %" PRIu64 " bytes together", most);
    return reader_disagree(l->reader.taken, most, l->e);
}

Elf_Data *look_table(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr)
{
    if (shdr->sh_size > CAPTURE_TABLE_MOST) {
        LOOK_WRONG(l, "has %" PRIu64 " bytes in section %zu (%.64s), more than the %" PRIu64 " we read", shdr->sh_size,
                   elf_ndxscn(section), reader_name(&l->reader, shdr), CAPTURE_TABLE_MOST);
        reader_disagree(shdr->sh_size, CAPTURE_TABLE_MOST, l->e);
        return NULL;
    }
    if (!look_take(l, shdr->sh_size))
        return NULL;
    Elf_Data *data = elf_getdata(section, NULL);
    if (!data)
        LOOK_WRONG(l, "cannot read section %zu (%.64s): %s", elf_ndxscn(section), reader_name(&l->reader, shdr),
                   elf_errmsg(-1));
    return data;
}

const Elf_Data *look_strings(struct look *l, const GElf_Shdr *shdr)
{
    GElf_Shdr strings;
    Elf_Scn *section = reader_section(&l->reader, shdr->sh_link, &strings, l->e);
    if (!section)
        return NULL;
    if (strings.sh_type != SHT_STRTAB) {
        LOOK_WRONG(l, "has no strings where section %.64s says, in section %u", reader_name(&l->reader, shdr),
                   shdr->sh_link);
        return NULL;
    }
    Elf_Data *data = look_table(l, section, &strings);
    if (!data)
        return NULL;
    if (data->d_size == 0 || !data->d_buf || ((const char *)data->d_buf)[data->d_size - 1] != '\0') {
        LOOK_WRONG(l, "has strings that do not end in a zero, in section %u", shdr->sh_link);
        return NULL;
    }
    return data;
}

const char *look_string(const Elf_Data *strings, uint64_t offset)
{
    return offset < strings->d_size ? (const char *)strings->d_buf + offset : "";
}
