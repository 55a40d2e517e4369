/* See elf.h. */
#include "tools/pyelfprobe/elf.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file_begin.h"
#include "elf/read/reader.h"

/* A file while it is read. */
struct reading {
    struct reader file;
    struct arena *arena;
    struct object *o;
};

struct function {
    uint64_t address;
    const char *name;
};

bool object_is(const char *path)
{
    Elf64_Ehdr header;
    ssize_t n;
    return file_begin(path, &header, sizeof header, &n) && n == (ssize_t)sizeof header &&
           file_begin_is_elf(&header, n) && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_type == ET_DYN && header.e_machine == EM_X86_64;
}

bool object_is_whole(const char *path, uint64_t *end)
{
    enum { SEGMENTS_MOST = 64 };
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr segment[SEGMENTS_MOST];
    } begin;
    struct stat st;
    ssize_t n;
    *end = 0;
    if (stat(path, &st) != 0 || !file_begin(path, &begin, sizeof begin, &n) || n < (ssize_t)sizeof begin.header ||
        begin.header.e_phoff != sizeof begin.header || begin.header.e_phentsize != sizeof begin.segment[0])
        return true;
    const size_t read = ((size_t)n - sizeof begin.header) / sizeof begin.segment[0];
    for (size_t i = 0; i < begin.header.e_phnum && i < read; i++) {
        const Elf64_Phdr *s = &begin.segment[i];
        if (s->p_type == PT_LOAD && s->p_offset < INT64_MAX && s->p_filesz < INT64_MAX &&
            s->p_offset + s->p_filesz > *end)
            *end = s->p_offset + s->p_filesz;
    }
    return *end <= (uint64_t)st.st_size;
}

static const char *copy(struct arena *arena, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *to = arena_take(arena, size);
    return to ? memcpy(to, text, size) : NULL;
}

/* The content of a section; NULL where it cannot be read. */
static Elf_Data *read_table(struct reading *r, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data =
        header->sh_type != SHT_NOBITS && reader_take(&r->file, header->sh_size) ? elf_getdata(section, NULL) : NULL;
    return data && data->d_buf && data->d_size ? data : NULL;
}

/* The string table of a section; NULL where its last string does not end. */
static Elf_Data *read_strings(struct reading *r, const GElf_Shdr *header)
{
    GElf_Shdr strings;
    Elf_Scn *section = reader_section(&r->file, header->sh_link, &strings, NULL);
    Elf_Data *data = section && strings.sh_type == SHT_STRTAB ? read_table(r, section, &strings) : NULL;
    return data && ((const char *)data->d_buf)[data->d_size - 1] == '\0' ? data : NULL;
}

/* The name at an offset; NULL where there is none, or it is longer than a path. */
static const char *read_name(struct reading *r, const Elf_Data *strings, uint64_t offset)
{
    if (offset >= strings->d_size)
        return NULL;
    const char *name = (const char *)strings->d_buf + offset;
    const size_t length = strnlen(name, PATH_MAX);
    return length < PATH_MAX && reader_take(&r->file, length + 1) ? name : NULL;
}

static bool read_dynamic(struct reading *r, Elf_Data *data, const Elf_Data *strings)
{
    struct object *const o = r->o;
    const size_t count = data->d_size / sizeof(Elf64_Dyn);
    o->needed = arena_zeroed(r->arena, count + 1, sizeof *o->needed);
    if (!o->needed)
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Dyn entry;
        if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_SONAME)
            continue;
        const char *name = read_name(r, strings, entry.d_un.d_val);
        if (name && !(name = copy(r->arena, name)))
            return false;
        if (name && entry.d_tag == DT_SONAME)
            o->soname = name;
        else if (name)
            o->needed[o->needed_count++] = name;
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct function *f = a, *g = b;
    if (f->address != g->address)
        return f->address < g->address ? -1 : 1;
    return strcmp(f->name, g->name);
}

/* Whether a debugger's command line can take the name. */
static bool is_plain(const char *name)
{
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(name);
}

static bool is_function(const GElf_Sym *symbol)
{
    return GELF_ST_TYPE(symbol->st_info) == STT_FUNC && GELF_ST_BIND(symbol->st_info) == STB_GLOBAL &&
           symbol->st_shndx != SHN_UNDEF && symbol->st_size;
}

static bool read_functions(struct reading *r, Elf_Data *data, const Elf_Data *strings)
{
    struct object *const o = r->o;
    const size_t count = data->d_size / sizeof(Elf64_Sym);
    struct function *found = calloc(count + 1, sizeof *found);
    size_t found_count = 0;
    for (size_t i = 0; i < count && found; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            break;
        const char *name = is_function(&symbol) ? read_name(r, strings, symbol.st_name) : NULL;
        if (name && is_plain(name))
            found[found_count++] = (struct function){symbol.st_value, name};
    }
    bool well = found != NULL;
    if (well)
        qsort(found, found_count, sizeof *found, compare);
    o->functions = well ? arena_zeroed(r->arena, found_count + 1, sizeof *o->functions) : NULL;
    well = o->functions != NULL;
    for (size_t i = 0; i < found_count && well; i++)
        well = (o->functions[o->function_count] = copy(r->arena, found[i].name)) && ++o->function_count;
    free(found);
    return well;
}

static bool read_sections(struct reading *r)
{
    for (size_t i = 1; i < r->file.sections; i++) {
        GElf_Shdr header;
        Elf_Scn *section = reader_section(&r->file, i, &header, NULL);
        if (!section || (header.sh_type != SHT_DYNAMIC && header.sh_type != SHT_DYNSYM))
            continue;
        const bool symbols = header.sh_type == SHT_DYNSYM;
        if (symbols ? r->o->functions != NULL : r->o->needed != NULL)
            continue;
        Elf_Data *data = read_table(r, section, &header);
        const Elf_Data *strings = data ? read_strings(r, &header) : NULL;
        if (strings && !(symbols ? read_functions : read_dynamic)(r, data, strings))
            return false;
    }
    return true;
}

bool object_has_debug(const char *path)
{
    struct reader f;
    bool has = false;
    const bool opened = reader_open(&f, path, NULL);
    for (size_t i = 1; opened && i < f.sections && !has; i++) {
        GElf_Shdr header;
        if (!reader_section(&f, i, &header, NULL) || header.sh_type == SHT_NULL || header.sh_type == SHT_NOBITS)
            continue;
        const char *name = reader_name(&f, &header);
        has = strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0;
    }
    reader_close(&f);
    return has;
}

bool object_read(const char *path, struct arena *arena, struct object *o)
{
    struct reading r = {.arena = arena, .o = o};
    *o = (struct object){.soname = ""};
    const bool well = !reader_open(&r.file, path, NULL) || gelf_getclass(r.file.elf) != ELFCLASS64 || read_sections(&r);
    reader_close(&r.file);
    return well;
}
