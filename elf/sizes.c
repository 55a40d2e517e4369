/* Counting the sizes of an existing file; see sizes.h.
 *
 * Only headers and the section-name table are read. The file is read with
 * pread (ELF_C_READ) and not mapped: a file that another process cuts off while
 * we look at it is an error from pread, but a SIGBUS from a mapping. libelf
 * takes the number of sections at its word when it allocates room for them,
 * and so that number is checked against the file before libelf sees it (gABI,
 * "ELF Header" and "Sections").
 */
#include "elf/sizes.h"

#include <ar.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than any linker writes. They keep a sparse file that says it is all
 * headers from taking our memory. */
enum { SECTIONS_MOST = 1 << 22, NAMES_MOST = 1 << 28 };

struct file {
    const char *path;
    int fd;
    uint64_t size;
};

/* Errors about the file, with the numbers that disagree where two do. */
#define WRONG(f, e, ...) (error_set(e, ERROR_INPUT, __VA_ARGS__), error_at(e, (f)->path, 0))

static bool disagree(uint64_t wanted, uint64_t possible, struct error *e)
{
    if (e) {
        e->wanted = wanted > INT64_MAX ? INT64_MAX : (int64_t)wanted;
        e->possible = possible > INT64_MAX ? INT64_MAX : (int64_t)possible;
    }
    return false;
}

static bool file_open(struct file *f, struct error *e)
{
    /* Opening a FIFO or a terminal line must not wait for its other end. */
    f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (f->fd < 0)
        return error_errno(e, f->path, "cannot open");
    struct stat st;
    if (fstat(f->fd, &st) < 0)
        return error_errno(e, f->path, "cannot examine");
    if (S_ISDIR(st.st_mode))
        return WRONG(f, e, "is a directory, not an ELF file");
    if (!S_ISREG(st.st_mode))
        return WRONG(f, e, "is not a regular file");
    f->size = (uint64_t)st.st_size;
    return true;
}

/* Reads `size` bytes at `offset`; *got is less at the end of the file. */
static bool file_read(const struct file *f, unsigned char *to, size_t size, uint64_t offset, size_t *got,
                      struct error *e)
{
    *got = 0;
    while (*got < size) {
        ssize_t n = pread(f->fd, to + *got, size - *got, (off_t)(offset + *got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return error_errno(e, f->path, "cannot read");
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    return true;
}

/* Where a class has what the check of the headers needs. */
struct member {
    size_t offset;
    size_t size;
};
struct class_layout {
    size_t file_header;
    size_t section_header;
    struct member e_shoff, e_shentsize, e_shnum, sh_size;
};
#define MEMBER(type, name)                                                                                             \
    {                                                                                                                  \
        offsetof(type, name), sizeof(((type *)NULL)->name)                                                             \
    }
#define LAYOUT(Ehdr, Shdr)                                                                                             \
    {                                                                                                                  \
        sizeof(Ehdr), sizeof(Shdr), MEMBER(Ehdr, e_shoff), MEMBER(Ehdr, e_shentsize), MEMBER(Ehdr, e_shnum),           \
            MEMBER(Shdr, sh_size),                                                                                     \
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

/* Sees to it that the file has as many section headers as it says. */
static bool headers_check(const struct file *f, struct error *e)
{
    unsigned char header[sizeof(Elf64_Ehdr)];
    size_t got;
    if (!file_read(f, header, sizeof header, 0, &got, e))
        return false;
    if (got >= SARMAG && memcmp(header, ARMAG, SARMAG) == 0)
        return WRONG(f, e, "is an archive, not an ELF file");
    if (got < SELFMAG || memcmp(header, ELFMAG, SELFMAG) != 0)
        return WRONG(f, e, "is not an ELF file");
    if (got < EI_NIDENT)
        return WRONG(f, e, "is cut off within its ELF header");
    if (header[EI_CLASS] != ELFCLASS32 && header[EI_CLASS] != ELFCLASS64)
        return WRONG(f, e, "has the unknown ELF class %u", header[EI_CLASS]);
    if (header[EI_DATA] != ELFDATA2LSB && header[EI_DATA] != ELFDATA2MSB)
        return WRONG(f, e, "has the unknown ELF byte order %u", header[EI_DATA]);

    const struct class_layout *layout = &class_layouts[header[EI_CLASS]];
    bool big_endian = header[EI_DATA] == ELFDATA2MSB;
    if (got < layout->file_header)
        return WRONG(f, e, "is cut off within its ELF header");
    uint64_t offset = member_get(header, layout->e_shoff, big_endian);
    uint64_t entry = member_get(header, layout->e_shentsize, big_endian);
    uint64_t count = member_get(header, layout->e_shnum, big_endian);
    if (offset == 0)
        return WRONG(f, e, "has no section headers, and without them no sizes to count");
    if (entry != layout->section_header) {
        WRONG(f, e, "says that a section header has %" PRIu64 " bytes instead of %zu", entry, layout->section_header);
        return disagree(entry, layout->section_header, e);
    }
    uint64_t room = offset < f->size ? f->size - offset : 0;
    if (count == 0 && room >= layout->section_header) {
        /* SHN_LORESERVE sections or more: section 0 has the number. */
        unsigned char section[sizeof(Elf64_Shdr)];
        if (!file_read(f, section, layout->section_header, offset, &got, e))
            return false;
        if (got == layout->section_header)
            count = member_get(section, layout->sh_size, big_endian);
        if (count == 0)
            return WRONG(f, e, "has no section headers, and without them no sizes to count");
    }
    if (count == 0 || count > room / layout->section_header) {
        WRONG(f, e, "has its section headers (%" PRIu64 " at byte %" PRIu64 ") outside the file of %" PRIu64 " bytes",
              count, offset, f->size);
        return disagree(count, room / layout->section_header, e);
    }
    if (count > SECTIONS_MOST) {
        WRONG(f, e, "has %" PRIu64 " sections, more than the %d we read", count, SECTIONS_MOST);
        return disagree(count, SECTIONS_MOST, e);
    }
    return true;
}

/* The section-name table, checked to end in a zero; borrowed from `elf`. */
static const Elf_Data *names_get(const struct file *f, Elf *elf, struct error *e)
{
    size_t index;
    GElf_Shdr shdr;
    if (elf_getshdrstrndx(elf, &index) < 0) {
        WRONG(f, e, "cannot find the section names: %s", elf_errmsg(-1));
        return NULL;
    }
    Elf_Scn *section = index == SHN_UNDEF ? NULL : elf_getscn(elf, index);
    if (!section || !gelf_getshdr(section, &shdr) || shdr.sh_type != SHT_STRTAB) {
        WRONG(f, e, "has no table of section names where it says, in section %zu", index);
        return NULL;
    }
    if (shdr.sh_size > NAMES_MOST) {
        WRONG(f, e, "has %" PRIu64 " bytes of section names, more than the %d we read", shdr.sh_size, NAMES_MOST);
        disagree(shdr.sh_size, NAMES_MOST, e);
        return NULL;
    }
    const Elf_Data *names = elf_rawdata(section, NULL);
    if (!names) {
        WRONG(f, e, "cannot read the section names: %s", elf_errmsg(-1));
        return NULL;
    }
    if (names->d_size == 0 || !names->d_buf || ((const char *)names->d_buf)[names->d_size - 1] != '\0') {
        WRONG(f, e, "has a table of section names that does not end in a zero");
        return NULL;
    }
    return names;
}

static bool is_debug(const char *name)
{
    return strncmp(name, ".debug", 6) == 0 || strncmp(name, ".zdebug", 7) == 0;
}

/* A debug section's bytes, those it has uncompressed where it is compressed. */
static uint64_t debug_size(Elf_Scn *section, const GElf_Shdr *shdr)
{
    GElf_Chdr chdr;
    if ((shdr->sh_flags & SHF_COMPRESSED) && gelf_getchdr(section, &chdr))
        return chdr.ch_size;
    return shdr->sh_size;
}

/* Adds one section to the sizes that it belongs to; false on overflow. */
static bool section_count(Elf_Scn *section, const GElf_Shdr *shdr, const char *name, struct file_sizes *sizes)
{
    bool in_file = shdr->sh_type != SHT_NOBITS;
    bool read_only = !(shdr->sh_flags & SHF_WRITE) || (shdr->sh_flags & SHF_EXECINSTR);
    struct file_sizes more = {0};
    /* As Berkeley `size` does, to which code is text even where it is
     * writable, and .tbss is bss. */
    if (shdr->sh_flags & SHF_ALLOC)
        *(read_only ? &more.text : in_file ? &more.data : &more.bss) = shdr->sh_size;
    if (in_file && is_debug(name))
        more.debug = debug_size(section, shdr);
    if (shdr->sh_type == SHT_SYMTAB)
        more.symtab = shdr->sh_size;
    if (shdr->sh_type == SHT_STRTAB && strcmp(name, ".strtab") == 0)
        more.strtab = shdr->sh_size;
    return sizes_add(sizes, &more);
}

/* Sees to it that the sections lie within the file, have names, and sizes that
 * can be summed; sums them. */
static bool sections_count(const struct file *f, Elf *elf, const Elf_Data *names, struct file_sizes *sizes,
                           struct error *e)
{
    size_t count;
    if (elf_getshdrnum(elf, &count) < 0)
        return WRONG(f, e, "cannot count its sections: %s", elf_errmsg(-1));
    for (size_t i = 1; i < count; i++) {
        GElf_Shdr shdr;
        Elf_Scn *section = elf_getscn(elf, i);
        if (!section || !gelf_getshdr(section, &shdr))
            return WRONG(f, e, "cannot read the header of section %zu: %s", i, elf_errmsg(-1));
        if (shdr.sh_type == SHT_NULL)
            continue; /* inactive: its other members mean nothing */
        if (shdr.sh_name >= names->d_size)
            return WRONG(f, e, "has section %zu named by byte %u of a name table of %zu bytes", i, shdr.sh_name,
                         names->d_size);
        const char *name = (const char *)names->d_buf + shdr.sh_name;
        if (shdr.sh_type != SHT_NOBITS && (shdr.sh_offset > f->size || shdr.sh_size > f->size - shdr.sh_offset)) {
            WRONG(f, e,
                  "is cut off or broken: section %zu (%.64s) has %" PRIu64 " bytes at byte %" PRIu64
                  ", the file ends at %" PRIu64,
                  i, name, shdr.sh_size, shdr.sh_offset, f->size);
            return disagree(shdr.sh_size, shdr.sh_offset < f->size ? f->size - shdr.sh_offset : 0, e);
        }
        if (!section_count(section, &shdr, name, sizes))
            return WRONG(f, e, "has sections of more than 2^64 bytes together; section %zu (%.64s) is one too many", i,
                         name);
    }
    uint64_t total;
    if (!sizes_total(sizes, &total))
        return WRONG(f, e, "has sections of more than 2^64 bytes together");
    return true;
}

/* What the section is uncompressed. A .zdebug section says it itself: "ZLIB",
 * then its size in 8 bytes, big end first. */
static bool section_unpack(const struct file *f, Elf_Scn *section, const GElf_Shdr *shdr, struct section_size *s,
                           struct error *e)
{
    GElf_Chdr chdr;
    if (s->in_file && (shdr->sh_flags & SHF_COMPRESSED)) {
        if (!gelf_getchdr(section, &chdr))
            return WRONG(f, e, "cannot read how section %.64s is compressed: %s", s->name, elf_errmsg(-1));
        s->unpacked = chdr.ch_size;
        s->compression = chdr.ch_type;
    } else if (s->in_file && strncmp(s->name, ".zdebug", 7) == 0) {
        unsigned char header[12];
        size_t got;
        if (!file_read(f, header, sizeof header, shdr->sh_offset, &got, e))
            return false;
        if (shdr->sh_size < sizeof header || got < sizeof header || memcmp(header, "ZLIB", 4) != 0)
            return WRONG(f, e, "has section %.64s, which is not compressed as its name says", s->name);
        s->unpacked = member_get(header, (struct member){4, 8}, true);
    }
    return true;
}

static bool sections_tell(const struct file *f, Elf *elf, const Elf_Data *names, section_function *each, void *context,
                          struct error *e)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr shdr;
        if (!gelf_getshdr(section, &shdr))
            return WRONG(f, e, "cannot read the header of section %zu: %s", elf_ndxscn(section), elf_errmsg(-1));
        if (shdr.sh_type == SHT_NULL)
            continue;
        struct section_size s = {.name = (const char *)names->d_buf + shdr.sh_name,
                                 .in_file = shdr.sh_type != SHT_NOBITS,
                                 .bytes = shdr.sh_size,
                                 .unpacked = shdr.sh_size};
        if (!section_unpack(f, section, &shdr, &s, e))
            return false;
        if (!each(context, &s, e))
            return error_at(e, f->path, 0);
    }
    return true;
}

/* Sums the sections, and tells `each` of them where it is not NULL. */
static bool file_count(const char *path, struct file_sizes *sizes, section_function *each, void *context,
                       struct error *e)
{
    struct file f = {.path = path, .fd = -1};
    bool ok = file_open(&f, e) && headers_check(&f, e);
    if (ok) {
        elf_version(EV_CURRENT);
        Elf *elf = elf_begin(f.fd, ELF_C_READ, NULL);
        const Elf_Data *names = NULL;
        if (elf && elf_kind(elf) == ELF_K_ELF)
            ok = (names = names_get(&f, elf, e)) && sections_count(&f, elf, names, sizes, e) &&
                 (!each || sections_tell(&f, elf, names, each, context, e));
        else
            ok = WRONG(&f, e, "is broken: %s", elf_errmsg(-1));
        elf_end(elf);
    }
    if (f.fd >= 0)
        close(f.fd);
    return ok;
}

bool sizes_read(const char *path, struct file_sizes *sizes, struct error *e)
{
    *sizes = (struct file_sizes){0};
    struct file_sizes counted = {0};
    bool ok = file_count(path, &counted, NULL, NULL, e);
    if (ok)
        *sizes = counted;
    return ok;
}

bool sizes_each(const char *path, section_function *each, void *context, struct error *e)
{
    struct file_sizes counted = {0};
    return file_count(path, &counted, each, context, e);
}

bool sizes_add(struct file_sizes *sum, const struct file_sizes *more)
{
    bool overflow = __builtin_add_overflow(sum->text, more->text, &sum->text);
    overflow |= __builtin_add_overflow(sum->data, more->data, &sum->data);
    overflow |= __builtin_add_overflow(sum->debug, more->debug, &sum->debug);
    overflow |= __builtin_add_overflow(sum->symtab, more->symtab, &sum->symtab);
    overflow |= __builtin_add_overflow(sum->strtab, more->strtab, &sum->strtab);
    overflow |= __builtin_add_overflow(sum->bss, more->bss, &sum->bss);
    return !overflow;
}

bool sizes_total(const struct file_sizes *sizes, uint64_t *total)
{
    bool overflow = __builtin_add_overflow(sizes->text, sizes->data, total);
    overflow |= __builtin_add_overflow(*total, sizes->debug, total);
    overflow |= __builtin_add_overflow(*total, sizes->symtab, total);
    overflow |= __builtin_add_overflow(*total, sizes->strtab, total);
    return !overflow;
}
