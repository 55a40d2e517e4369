/* See pyelfprobe_elf.h. */
#include "tools/pyelfprobe_elf.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_begin.h"

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

static const char *copy(struct arena *arena, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *to = arena_take(arena, size);
    return to ? memcpy(to, text, size) : NULL;
}

static bool read_dynamic(Elf *elf, const GElf_Shdr *header, Elf_Data *data, struct arena *arena, struct object *o)
{
    const size_t count = data->d_size / sizeof(Elf64_Dyn);
    o->needed = arena_zeroed(arena, count + 1, sizeof *o->needed);
    if (!o->needed)
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Dyn entry;
        if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_SONAME)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
        if (name && !(name = copy(arena, name)))
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

/* Names that a debugger's command line can take. */
static bool is_plain(const char *name)
{
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(name);
}

static bool read_functions(Elf *elf, const GElf_Shdr *header, Elf_Data *data, struct arena *arena, struct object *o)
{
    const size_t count = data->d_size / sizeof(Elf64_Sym);
    struct function *found = calloc(count + 1, sizeof *found);
    size_t found_count = 0;
    for (size_t i = 0; i < count && found; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            break;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && is_plain(name) && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
            symbol.st_size && GELF_ST_BIND(symbol.st_info) == STB_GLOBAL)
            found[found_count++] = (struct function){symbol.st_value, name};
    }
    bool well = found != NULL;
    if (well)
        qsort(found, found_count, sizeof *found, compare);
    o->functions = well ? arena_zeroed(arena, found_count + 1, sizeof *o->functions) : NULL;
    well = o->functions != NULL;
    for (size_t i = 0; i < found_count && well; i++)
        well = (o->functions[o->function_count] = copy(arena, found[i].name)) && ++o->function_count;
    free(found);
    return well;
}

static bool read_sections(Elf *elf, struct arena *arena, struct object *o)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_DYNAMIC && header.sh_type != SHT_DYNSYM))
            continue;
        const bool symbols = header.sh_type == SHT_DYNSYM;
        Elf_Data *data = elf_getdata(section, NULL);
        if (!data || !data->d_buf || (symbols ? o->functions != NULL : o->needed != NULL))
            continue;
        if (!(symbols ? read_functions : read_dynamic)(elf, &header, data, arena, o))
            return false;
    }
    return true;
}

/* NULL where it cannot be read; *fd is to be closed in any case but -1. */
static Elf *open_object(const char *path, int *fd)
{
    elf_version(EV_CURRENT);
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return *fd < 0 ? NULL : elf_begin(*fd, ELF_C_READ_MMAP, NULL);
}

static void close_object(Elf *elf, int fd)
{
    elf_end(elf);
    if (fd >= 0)
        close(fd);
}

bool object_has_debug(const char *path)
{
    int fd;
    Elf *elf = open_object(path, &fd);
    Elf_Scn *section = NULL;
    size_t names;
    bool has = false;
    while (elf && elf_getshdrstrndx(elf, &names) == 0 && !has && (section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        has = name && (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0) &&
              header.sh_type != SHT_NOBITS;
    }
    close_object(elf, fd);
    return has;
}

bool object_read(const char *path, struct arena *arena, struct object *o)
{
    int fd;
    *o = (struct object){.soname = ""};
    Elf *elf = open_object(path, &fd);
    const bool well =
        !elf || elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64 || read_sections(elf, arena, o);
    close_object(elf, fd);
    return well;
}
