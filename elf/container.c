/* Hands an image to libelf section by section; see container.h. */
#include "elf/container.h"

#include <errno.h>
#include <libelf.h>
#include <string.h>

#include "elf/output.h"

bool container_start(struct error *e)
{
    if (elf_version(EV_CURRENT) == EV_NONE)
        return error_set(e, ERROR_SYSTEM, "libelf is of another version: %s", elf_errmsg(-1));
    return true;
}

static Elf_Type data_type(uint32_t section_type)
{
    switch (section_type) {
    case SHT_DYNSYM:
    case SHT_SYMTAB:
        return ELF_T_SYM;
    case SHT_RELA:
        return ELF_T_RELA;
    case SHT_DYNAMIC:
        return ELF_T_DYN;
    default:
        return ELF_T_BYTE;
    }
}

/* Each section in slices: a file system allocates for many middling writes in
 * parallel better than for one large one. */
enum { SLICE = 1 << 17 };

/* Bytes of the slice of a section that begins there. Slices end where pages do, so that no page is written twice. */
static uint64_t slice_at(const Elf64_Shdr *header, uint64_t at)
{
    const uint64_t rest = header->sh_size - at;
    uint64_t slice = SLICE - (header->sh_offset + at) % SLICE;
    if (header->sh_entsize) /* entries must not be cut */
        slice = SLICE / header->sh_entsize * header->sh_entsize;
    return header->sh_type == SHT_NOBITS || rest < slice ? rest : slice;
}

static bool add_section(Elf *elf, const struct layout *l, const uint8_t *image, enum section_id id)
{
    Elf_Scn *scn = elf_newscn(elf);
    if (!scn)
        return false;
    Elf64_Shdr *header = elf64_getshdr(scn);
    if (!header)
        return false;
    *header = layout_header(l, id);
    for (uint64_t at = 0; at < header->sh_size;) {
        Elf_Data *data = elf_newdata(scn);
        if (!data)
            return false;
        data->d_type = data_type(header->sh_type);
        if (header->sh_type != SHT_NOBITS) /* libelf only reads through d_buf when it writes a file */
            data->d_buf = (void *)(uintptr_t)(image + header->sh_offset + at);
        data->d_size = slice_at(header, at);
        data->d_align = at ? 1 : header->sh_addralign;
        data->d_off = (int64_t)at;
        at += data->d_size;
    }
    return true;
}

static bool write_through(Elf *elf, const struct layout *l, const uint8_t *image)
{
    Elf64_Ehdr *header = elf64_newehdr(elf);
    if (!header)
        return false;
    memcpy(header, image, sizeof *header);
    if (l->segment_count) {
        Elf64_Phdr *segments = elf64_newphdr(elf, l->segment_count);
        if (!segments)
            return false;
        memcpy(segments, l->segment, l->segment_count * sizeof *segments);
    }
    elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++)
        if (l->section[id].index && !add_section(elf, l, image, id))
            return false;
    return elf_update(elf, ELF_C_WRITE) == (off_t)l->file_size;
}

bool container_write(const struct layout *l, const uint8_t *image, int directory, const char *name, const char *path,
                     struct error *e)
{
    struct output file;
    if (!output_begin(&file, directory, name, path, 0777, 0, e))
        return false;
    bool written = false;
    Elf *elf = elf_begin(file.fd, ELF_C_WRITE, NULL);
    if (elf) {
        errno = 0;
        written = write_through(elf, l, image);
    }
    if (!written) {
        if (errno) {
            error_errno(e, path, "cannot write the file");
        } else {
            error_set(e, ERROR_SYSTEM, "libelf: %s", elf_errmsg(-1));
            error_at(e, path, 0);
        }
    }
    elf_end(elf);
    return output_end(&file, written, e);
}
