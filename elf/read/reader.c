/* Opens an ELF file and checks its headers; see reader.h.
 *
 * Only the headers and the table of section names are read here. The file is read with pread (ELF_C_READ) and not
 * mapped: if another process truncates the file meanwhile, pread returns an error, whereas a mapping raises SIGBUS.
 * libelf allocates room for as many sections as the file claims, so that number is checked against the size of the file
 * before libelf sees it (gABI, "ELF Header" and "Sections").
 */
#include "elf/read/reader.h"

#include <ar.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole.h"

/* More than any linker writes. A sparse file that claims to consist of headers cannot exhaust our memory. */
enum { SECTIONS_MOST = 1 << 22, NAMES_MOST = 1 << 28 };

bool reader_disagree(uint64_t wanted, uint64_t possible, struct error *e)
{
    if (e) {
        e->wanted = wanted > INT64_MAX ? INT64_MAX : (int64_t)wanted;
        e->possible = possible > INT64_MAX ? INT64_MAX : (int64_t)possible;
    }
    return false;
}

static bool file_open(struct reader *f, struct error *e)
{
    /* Do not wait for the other end of a FIFO or of a terminal line. */
    f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (f->fd < 0)
        return error_errno(e, f->path, "cannot open");
    struct stat st;
    if (fstat(f->fd, &st) < 0)
        return error_errno(e, f->path, "cannot examine");
    if (S_ISDIR(st.st_mode))
        return READER_WRONG(f, e, "is a directory, not an ELF file");
    if (!S_ISREG(st.st_mode))
        return READER_WRONG(f, e, "is not a regular file");
    f->size = (uint64_t)st.st_size;
    return true;
}

bool reader_read(const struct reader *f, void *to, size_t size, uint64_t offset, size_t *got, struct error *e)
{
    const ssize_t n = whole_read_at(f->fd, to, size, offset);
    *got = n > 0 ? (size_t)n : 0;
    return n >= 0 || error_errno(e, f->path, "cannot read");
}

/* Where the headers of an ELF class have the members that are checked. */
struct member {
    size_t offset;
    size_t size;
};
struct class_layout {
    size_t file_header;
    size_t section_header;
    struct member e_version, e_shoff, e_shentsize, e_shnum, sh_size;
};
#define MEMBER(type, name)                                                                                             \
    {                                                                                                                  \
        offsetof(type, name), sizeof(((type *)NULL)->name)                                                             \
    }
#define LAYOUT(Ehdr, Shdr)                                                                                             \
    {                                                                                                                  \
        sizeof(Ehdr), sizeof(Shdr), MEMBER(Ehdr, e_version), MEMBER(Ehdr, e_shoff), MEMBER(Ehdr, e_shentsize),         \
            MEMBER(Ehdr, e_shnum), MEMBER(Shdr, sh_size),                                                              \
    }
static const struct class_layout class_layouts[] = {
    [ELFCLASS32] = LAYOUT(Elf32_Ehdr, Elf32_Shdr),
    [ELFCLASS64] = LAYOUT(Elf64_Ehdr, Elf64_Shdr),
};

static uint64_t member_get(const unsigned char *header, struct member m, bool big_endian)
{
    uint64_t value = 0;
    for (size_t i = 0; i < m.size; i++)
        value = value << 8 | header[m.offset + (big_endian ? i : m.size - 1 - i)];
    return value;
}

/* Checks that the file has room for as many section headers as it claims. */
static bool headers_check(const struct reader *f, struct error *e)
{
    unsigned char header[sizeof(Elf64_Ehdr)];
    size_t got;
    if (!reader_read(f, header, sizeof header, 0, &got, e))
        return false;
    if (got >= SARMAG && memcmp(header, ARMAG, SARMAG) == 0)
        return READER_WRONG(f, e, "is an archive, not an ELF file");
    if (got < SELFMAG || memcmp(header, ELFMAG, SELFMAG) != 0)
        return READER_WRONG(f, e, "is not an ELF file");
    if (got < EI_NIDENT)
        return READER_WRONG(f, e, "is cut off within its ELF header");
    if (header[EI_CLASS] != ELFCLASS32 && header[EI_CLASS] != ELFCLASS64)
        return READER_WRONG(f, e, "has the unknown ELF class %u", header[EI_CLASS]);
    if (header[EI_DATA] != ELFDATA2LSB && header[EI_DATA] != ELFDATA2MSB)
        return READER_WRONG(f, e, "has the unknown ELF byte order %u", header[EI_DATA]);
    if (header[EI_VERSION] != EV_CURRENT)
        return READER_WRONG(f, e, "has the unknown ELF version %u", header[EI_VERSION]);

    const struct class_layout *layout = &class_layouts[header[EI_CLASS]];
    bool big_endian = header[EI_DATA] == ELFDATA2MSB;
    if (got < layout->file_header)
        return READER_WRONG(f, e, "is cut off within its ELF header");
    uint64_t version = member_get(header, layout->e_version, big_endian);
    if (version != EV_CURRENT)
        return READER_WRONG(f, e, "has ELF version %" PRIu64 " in %s byte order, not 1", version,
                            big_endian ? "big-endian" : "little-endian");
    uint64_t offset = member_get(header, layout->e_shoff, big_endian);
    uint64_t entry = member_get(header, layout->e_shentsize, big_endian);
    uint64_t count = member_get(header, layout->e_shnum, big_endian);
    if (offset == 0)
        return READER_WRONG(f, e, "has no section headers, and without them no sizes to count");
    if (entry != layout->section_header) {
        READER_WRONG(f, e, "says that a section header has %" PRIu64 " bytes instead of %zu", entry,
                     layout->section_header);
        return reader_disagree(entry, layout->section_header, e);
    }
    uint64_t room = offset < f->size ? f->size - offset : 0;
    if (count == 0 && room >= layout->section_header) {
        /* With SHN_LORESERVE sections or more, section 0 has the number. */
        unsigned char section[sizeof(Elf64_Shdr)];
        if (!reader_read(f, section, layout->section_header, offset, &got, e))
            return false;
        if (got == layout->section_header)
            count = member_get(section, layout->sh_size, big_endian);
        if (count == 0)
            return READER_WRONG(f, e, "has no section headers, and without them no sizes to count");
    }
    if (count == 0 || count > room / layout->section_header) {
        READER_WRONG(f, e,
                     "has its section headers (%" PRIu64 " at byte %" PRIu64 ") outside the file of %" PRIu64 " bytes",
                     count, offset, f->size);
        return reader_disagree(count, room / layout->section_header, e);
    }
    if (count > SECTIONS_MOST) {
        READER_WRONG(f, e, "has %" PRIu64 " sections, more than the %d we read", count, SECTIONS_MOST);
        return reader_disagree(count, SECTIONS_MOST, e);
    }
    return true;
}

/* The table of section names, which is checked to end in a zero; borrowed from `elf`. */
static const Elf_Data *names_get(const struct reader *f, struct error *e)
{
    size_t index;
    GElf_Shdr shdr;
    if (elf_getshdrstrndx(f->elf, &index) < 0) {
        READER_WRONG(f, e, "cannot find the section names: %s", elf_errmsg(-1));
        return NULL;
    }
    Elf_Scn *section = index == SHN_UNDEF ? NULL : elf_getscn(f->elf, index);
    if (!section || !gelf_getshdr(section, &shdr) || shdr.sh_type != SHT_STRTAB) {
        READER_WRONG(f, e, "has no table of section names where it says, in section %zu", index);
        return NULL;
    }
    if (shdr.sh_size > NAMES_MOST) {
        READER_WRONG(f, e, "has %" PRIu64 " bytes of section names, more than the %d we read", shdr.sh_size,
                     NAMES_MOST);
        reader_disagree(shdr.sh_size, NAMES_MOST, e);
        return NULL;
    }
    const Elf_Data *names = elf_rawdata(section, NULL);
    if (!names) {
        READER_WRONG(f, e, "cannot read the section names: %s", elf_errmsg(-1));
        return NULL;
    }
    if (names->d_size == 0 || !names->d_buf || ((const char *)names->d_buf)[names->d_size - 1] != '\0') {
        READER_WRONG(f, e, "has a table of section names that does not end in a zero");
        return NULL;
    }
    return names;
}

/* Checks that the sections lie within the file and have names. */
static bool sections_check(const struct reader *f, struct error *e)
{
    for (size_t i = 1; i < f->sections; i++) {
        GElf_Shdr shdr;
        if (!reader_section(f, i, &shdr, e))
            return false;
        if (shdr.sh_type == SHT_NULL)
            continue; /* inactive: its other members have no meaning */
        if (shdr.sh_name >= f->names->d_size)
            return READER_WRONG(f, e, "has section %zu named by byte %u of a name table of %zu bytes", i, shdr.sh_name,
                                f->names->d_size);
        if (shdr.sh_type != SHT_NOBITS && (shdr.sh_offset > f->size || shdr.sh_size > f->size - shdr.sh_offset)) {
            READER_WRONG(f, e,
                         "is cut off or broken: section %zu (%.64s) has %" PRIu64 " bytes at byte %" PRIu64
                         ", the file ends at %" PRIu64,
                         i, reader_name(f, &shdr), shdr.sh_size, shdr.sh_offset, f->size);
            return reader_disagree(shdr.sh_size, shdr.sh_offset < f->size ? f->size - shdr.sh_offset : 0, e);
        }
    }
    return true;
}

Elf_Scn *reader_section(const struct reader *f, size_t index, GElf_Shdr *shdr, struct error *e)
{
    Elf_Scn *section = elf_getscn(f->elf, index);
    if (section && gelf_getshdr(section, shdr))
        return section;
    READER_WRONG(f, e, "cannot read the header of section %zu: %s", index, elf_errmsg(-1));
    return NULL;
}

/* Reads the header by itself, because libelf would read the whole section and keep it. */
bool reader_compression(const struct reader *f, const GElf_Shdr *shdr, GElf_Chdr *compression)
{
    static const struct member wide[] = {{offsetof(Elf64_Chdr, ch_type), 4},
                                         {offsetof(Elf64_Chdr, ch_size), 8},
                                         {offsetof(Elf64_Chdr, ch_addralign), 8}};
    static const struct member narrow[] = {{offsetof(Elf32_Chdr, ch_type), 4},
                                           {offsetof(Elf32_Chdr, ch_size), 4},
                                           {offsetof(Elf32_Chdr, ch_addralign), 4}};
    unsigned char header[sizeof(Elf64_Chdr)];
    const char *ident = elf_getident(f->elf, NULL);
    bool is_wide = ident[EI_CLASS] == ELFCLASS64;
    bool big_endian = ident[EI_DATA] == ELFDATA2MSB;
    const struct member *members = is_wide ? wide : narrow;
    size_t size = is_wide ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
    size_t got;
    struct error e;
    if (!(shdr->sh_flags & SHF_COMPRESSED) || shdr->sh_type == SHT_NOBITS || shdr->sh_size < size ||
        !reader_read(f, header, size, shdr->sh_offset, &got, &e) || got < size)
        return false;
    compression->ch_type = (uint32_t)member_get(header, members[0], big_endian);
    compression->ch_size = member_get(header, members[1], big_endian);
    compression->ch_addralign = member_get(header, members[2], big_endian);
    return true;
}

bool reader_open(struct reader *f, const char *path, struct error *e)
{
    *f = (struct reader){.path = path, .fd = -1};
    if (!file_open(f, e) || !headers_check(f, e))
        return false;
    elf_version(EV_CURRENT);
    f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
    if (!f->elf || elf_kind(f->elf) != ELF_K_ELF)
        return READER_WRONG(f, e, "is broken: %s", elf_errmsg(-1));
    f->names = names_get(f, e);
    if (!f->names)
        return false;
    if (elf_getshdrnum(f->elf, &f->sections) < 0)
        return READER_WRONG(f, e, "cannot count its sections: %s", elf_errmsg(-1));
    return sections_check(f, e);
}

void reader_close(struct reader *f)
{
    elf_end(f->elf);
    if (f->fd >= 0)
        close(f->fd);
    *f = (struct reader){.fd = -1};
}
