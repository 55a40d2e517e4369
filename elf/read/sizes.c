/* Counts the sizes of an existing file; see sizes.h. Only the headers and the table of section names are read. */
#include "elf/read/sizes.h"

#include <inttypes.h>
#include <string.h>

#include "elf/read/reader.h"

static bool is_debug(const char *name)
{
    return strncmp(name, ".debug", 6) == 0 || strncmp(name, ".zdebug", 7) == 0;
}

/* The most bytes that one byte of a compressed section can become. A block of zstd that repeats one byte takes four
 * bytes for 128 KiB (RFC 8878, 3.1.1.2); zlib stays far below that. */
enum { PACKED_TIMES = 1 << 15 };

/* Bytes of a debug section, uncompressed; 0 for any other section. */
static bool debug_size(const struct reader *f, const GElf_Shdr *shdr, uint64_t *bytes, struct error *e)
{
    GElf_Chdr chdr;
    const bool counts = shdr->sh_type != SHT_NOBITS && is_debug(reader_name(f, shdr));
    *bytes = counts ? shdr->sh_size : 0;
    if (!counts || !reader_compression(f, shdr, &chdr))
        return true;
    *bytes = chdr.ch_size;
    if (chdr.ch_size / PACKED_TIMES <= shdr->sh_size)
        return true;
    READER_WRONG(f, e,
                 "has inconsistent headers: section %.64s of %" PRIu64 " bytes would have %" PRIu64 " uncompressed",
                 reader_name(f, shdr), shdr->sh_size, chdr.ch_size);
    return reader_disagree(chdr.ch_size, shdr->sh_size * PACKED_TIMES, e);
}

/* Adds one section to each size that it belongs to; false on overflow. */
static bool section_count(const GElf_Shdr *shdr, const char *name, uint64_t debug, struct file_sizes *sizes)
{
    bool in_file = shdr->sh_type != SHT_NOBITS;
    bool read_only = !(shdr->sh_flags & SHF_WRITE) || (shdr->sh_flags & SHF_EXECINSTR);
    struct file_sizes more = {.debug = debug};
    /* As Berkeley `size`: code is text even if it is writable, and .tbss is bss. */
    if (shdr->sh_flags & SHF_ALLOC)
        *(read_only ? &more.text : in_file ? &more.data : &more.bss) = shdr->sh_size;
    if (shdr->sh_type == SHT_SYMTAB)
        more.symtab = shdr->sh_size;
    if (shdr->sh_type == SHT_STRTAB && strcmp(name, ".strtab") == 0)
        more.strtab = shdr->sh_size;
    return sizes_add(sizes, &more);
}

/* Adds up all sections. The sizes that the headers claim may overflow. */
static bool sections_count(const struct reader *f, struct file_sizes *sizes, struct error *e)
{
    for (size_t i = 1; i < f->sections; i++) {
        GElf_Shdr shdr;
        uint64_t debug;
        if (!reader_section(f, i, &shdr, e))
            return false;
        if (shdr.sh_type == SHT_NULL)
            continue;
        const char *name = reader_name(f, &shdr);
        if (!debug_size(f, &shdr, &debug, e))
            return false;
        if (!section_count(&shdr, name, debug, sizes))
            return READER_WRONG(
                f, e, "has sections of more than 2^64 bytes together; section %zu (%.64s) is one too many", i, name);
    }
    uint64_t total;
    if (!sizes_total(sizes, &total))
        return READER_WRONG(f, e, "has sections of more than 2^64 bytes together");
    return true;
}

/* Finds the uncompressed size of a section. The contents of a .zdebug section begin with "ZLIB" and that size in 8
 * bytes, big-endian. */
static bool section_unpack(const struct reader *f, const GElf_Shdr *shdr, struct section_size *s, struct error *e)
{
    GElf_Chdr chdr;
    if (s->in_file && (shdr->sh_flags & SHF_COMPRESSED)) {
        if (!reader_compression(f, shdr, &chdr))
            return READER_WRONG(f, e, "cannot read how section %.64s is compressed", s->name);
        s->unpacked = chdr.ch_size;
        s->compression = chdr.ch_type;
    } else if (s->in_file && strncmp(s->name, ".zdebug", 7) == 0) {
        unsigned char header[12];
        size_t got;
        if (!reader_read(f, header, sizeof header, shdr->sh_offset, &got, e))
            return false;
        if (shdr->sh_size < sizeof header || got < sizeof header || memcmp(header, "ZLIB", 4) != 0)
            return READER_WRONG(f, e, "has section %.64s, which is not compressed as its name says", s->name);
        s->unpacked = 0;
        for (int i = 4; i < 12; i++)
            s->unpacked = s->unpacked << 8 | header[i];
    }
    return true;
}

static bool sections_tell(const struct reader *f, section_function *each, void *context, struct error *e)
{
    for (size_t i = 1; i < f->sections; i++) {
        GElf_Shdr shdr;
        if (!reader_section(f, i, &shdr, e))
            return false;
        if (shdr.sh_type == SHT_NULL)
            continue;
        struct section_size s = {.name = reader_name(f, &shdr),
                                 .in_file = shdr.sh_type != SHT_NOBITS,
                                 .bytes = shdr.sh_size,
                                 .unpacked = shdr.sh_size};
        if (!debug_size(f, &shdr, &s.debug, e) || !section_unpack(f, &shdr, &s, e))
            return false;
        if (!each(context, &s, e))
            return error_at(e, f->path, 0);
    }
    return true;
}

bool sizes_of(const struct reader *f, struct file_sizes *sizes, section_function *each, void *context, struct error *e)
{
    *sizes = (struct file_sizes){0};
    struct file_sizes counted = {0};
    if (!sections_count(f, &counted, e) || (each && !sections_tell(f, each, context, e)))
        return false;
    *sizes = counted;
    return true;
}

/* Adds up all sections, and calls `each` for every one unless it is NULL. */
static bool file_count(const char *path, struct file_sizes *sizes, section_function *each, void *context,
                       struct error *e)
{
    struct reader f;
    *sizes = (struct file_sizes){0};
    bool ok = reader_open(&f, path, e) && sizes_of(&f, sizes, each, context, e);
    reader_close(&f);
    return ok;
}

bool sizes_read(const char *path, struct file_sizes *sizes, struct error *e)
{
    return file_count(path, sizes, NULL, NULL, e);
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
