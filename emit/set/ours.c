/* Reads the marks; see ours.h. Files may have any contents: every offset in a file is checked before it is used. */
#include "emit/set/ours.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/manifest.h"
#include "base/whole.h"
#include "elf/write/pack.h"
#include "emit/library/shape.h"
#include "emit/set/differences.h"
#include "emit/source/header.h"

enum {
    SECTIONS_MOST = 128,      /* ours have some 40 */
    NAMES_MOST = 4096,        /* bytes of sections' names */
    MARK_MOST = 256,          /* bytes from a section's beginning up to the mark's end */
    PACKED_MOST = 160 * 1024, /* bytes of a compressed section that are read: at least a block of zstd */
    TEXT_MOST = 128,
};

/* What texts begin with; blanks are ignored. */
static const char *const beginnings[] = {
    [OURS_MANIFEST] = "{\"" MANIFEST_KEY "\"",
    [OURS_DIFFERENCES] = "{\"" DIFFERENCES_KEY "\"",
    [OURS_DRIVER] = "\"\"\"Imports the modules of the set beside this file",
    [OURS_SOURCE] = SOURCE_MARK,
};

/* --- texts ---------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static enum ours compare(const char *text, size_t size, const char *wanted)
{
    for (size_t at = 0;; at++, wanted++) {
        while (is_blank(*wanted))
            wanted++;
        while (at < size && is_blank(text[at]))
            at++;
        if (!*wanted)
            return OURS_MARKED;
        if (at == size)
            return OURS_NOTHING;
        if (text[at] != *wanted)
            return OURS_FOREIGN;
    }
}

static bool look_text(int fd, const char *wanted, enum ours *found)
{
    char text[TEXT_MOST];
    const ssize_t n = whole_read_at(fd, text, sizeof text, 0);
    if (n >= 0)
        *found = compare(text, (size_t)n, wanted);
    /* no text of ours has so many blanks */
    if (n == (ssize_t)sizeof text && *found == OURS_NOTHING)
        *found = OURS_FOREIGN;
    return n >= 0;
}

/* --- ELF files ------------------------------------------------------------------------ */

/* Whether these are the beginning of such a file's header, as far as it was read. */
static bool is_header(const Elf64_Ehdr *header, size_t size)
{
    static const uint8_t ident[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    const size_t there = size < sizeof ident ? size : sizeof ident;
    if (memcmp(header->e_ident, ident, there) != 0)
        return false;
    return size < sizeof *header ||
           (header->e_machine == EM_X86_64 && header->e_shentsize == sizeof(Elf64_Shdr) && header->e_shnum > 1 &&
            header->e_shnum <= SECTIONS_MOST && header->e_shstrndx < header->e_shnum);
}

/* Reads the beginning of a section. A section beyond the end of any possible file has nothing. */
static ssize_t read_section(int fd, void *to, size_t most, const Elf64_Shdr *s)
{
    return s->sh_offset > INT64_MAX - most
               ? 0
               : whole_read_at(fd, to, s->sh_size < most ? (size_t)s->sh_size : most, s->sh_offset);
}

static bool has_mark(const void *from, size_t size)
{
    return memmem(from, size, COMMENT_START, strlen(COMMENT_START)) != NULL;
}

static bool look_packed(int fd, const Elf64_Shdr *s, bool *marked)
{
    uint8_t start[MARK_MOST];
    uint8_t *packed = malloc(PACKED_MOST);
    const ssize_t n = packed ? read_section(fd, packed, PACKED_MOST, s) : -1;
    if (n > 0)
        *marked = has_mark(start, pack_begin(packed, (size_t)n, start, sizeof start));
    free(packed);
    return n >= 0;
}

static bool look_section(int fd, const Elf64_Shdr *s, bool *marked)
{
    char start[MARK_MOST];
    if (s->sh_flags & SHF_COMPRESSED)
        return look_packed(fd, s, marked);
    const ssize_t n = read_section(fd, start, sizeof start, s);
    if (n > 0)
        *marked = has_mark(start, (size_t)n);
    return n >= 0;
}

/* The name of a section: "" where there is none. */
static const char *name_of(const Elf64_Shdr *s, const char names[NAMES_MOST + 1], size_t size)
{
    return s->sh_name < size ? names + s->sh_name : "";
}

static bool look_sections(int fd, const Elf64_Shdr *section, const Elf64_Ehdr *header, bool *marked)
{
    char names[NAMES_MOST + 1];
    const ssize_t n = read_section(fd, names, NAMES_MOST, &section[header->e_shstrndx]);
    if (n < 0)
        return false;
    names[n] = '\0';
    for (unsigned i = 1; i < header->e_shnum && !*marked; i++) {
        const char *name = name_of(&section[i], names, (size_t)n);
        if (section[i].sh_type != SHT_NOBITS && (strcmp(name, ".comment") == 0 || strcmp(name, ".debug_str.dwo") == 0))
            if (!look_section(fd, &section[i], marked))
                return false;
    }
    return true;
}

static bool look_elf(int fd, uint64_t size, enum ours *found)
{
    Elf64_Ehdr header;
    Elf64_Shdr section[SECTIONS_MOST];
    const ssize_t n = whole_read_at(fd, &header, sizeof header, 0);
    if (n < 0)
        return false;
    if (!is_header(&header, (size_t)n))
        return true;
    /* The section headers are last in the file. A file that ends before them is of no use to anybody, whoever has
     * made it. */
    if ((size_t)n < sizeof header || header.e_shoff > size ||
        size - header.e_shoff < header.e_shnum * sizeof section[0]) {
        *found = OURS_NOTHING;
        return true;
    }
    const size_t table = header.e_shnum * sizeof section[0];
    const ssize_t m = whole_read_at(fd, section, table, header.e_shoff);
    bool marked = false;
    if (m < 0 || ((size_t)m == table && !look_sections(fd, section, &header, &marked)))
        return false;
    if (marked)
        *found = OURS_MARKED;
    return true;
}

/* -------------------------------------------------------------------------------------- */

static bool look(int fd, uint64_t size, enum ours_kind kind, enum ours *found)
{
    return kind == OURS_ELF ? look_elf(fd, size, found) : look_text(fd, beginnings[kind], found);
}

bool ours_look(int directory, const char *name, enum ours_kind kind, enum ours *found)
{
    struct stat st;
    *found = OURS_NOTHING;
    if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT;
    if (S_ISREG(st.st_mode) && st.st_size == 0)
        return true;
    *found = OURS_FOREIGN;
    if (!S_ISREG(st.st_mode))
        return true;
    const int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES) {
        *found = OURS_CLOSED;
        return true;
    }
    if (fd < 0)
        return false;
    const bool ok = look(fd, (uint64_t)st.st_size, kind, found);
    const int number = errno;
    close(fd);
    errno = number;
    return ok;
}
