/* Captures one file: sections, program headers, the dynamic section; see capture.h. */
#include "elf/read/capture.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "elf/read/capture_parts.h"

#ifndef SHT_RELR
#define SHT_RELR 19
#endif

const char *const capture_share_names[CAPTURE_SHARES] = {
#define X(name, text) [SHARE_##name] = text,
    CAPTURE_SHARE_LIST(X)
#undef X
};
const char *const capture_mix_names[CAPTURE_MIXES] = {
#define X(name, text) [MIX_##name] = text,
    CAPTURE_MIX_LIST(X)
#undef X
};
const char *const capture_relocation_names[CAPTURE_RELOCATIONS] = {
#define X(name, text) [RELOCATION_##name] = text,
    CAPTURE_RELOCATION_LIST(X)
#undef X
};
const char *const capture_part_names[CAPTURE_PARTS] = {"text", "data", "debug", "names"};

/* ---- sections ---- */

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++) {
        size_t length = strlen(*names);
        if (strncmp(name, *names, length) == 0 && (!name[length] || name[length] == '.'))
            return true;
    }
    return false;
}

static enum capture_share share_of(const GElf_Shdr *shdr, const char *name)
{
    static const char *const unwind[] = {".eh_frame", ".eh_frame_hdr", ".gcc_except_table", NULL};
    static const char *const plt[] = {".plt", NULL};
    switch (shdr->sh_type) {
    case SHT_DYNSYM:
    case SHT_STRTAB:
    case SHT_HASH:
    case SHT_GNU_HASH:
    case SHT_GNU_versym:
    case SHT_GNU_verdef:
    case SHT_GNU_verneed:
        return SHARE_SYMBOLS;
    case SHT_REL:
    case SHT_RELA:
    case SHT_RELR:
        return SHARE_RELOCATIONS;
    case SHT_NOTE:
        return SHARE_OTHER;
    }
    if (is_one_of(name, unwind))
        return SHARE_UNWIND;
    if (shdr->sh_flags & SHF_EXECINSTR)
        return is_one_of(name, plt) ? SHARE_PLT : SHARE_CODE;
    return strcmp(name, ".interp") == 0 ? SHARE_OTHER : SHARE_CONSTANTS;
}

static enum capture_mix mix_of(const char *name)
{
    static const struct {
        const char *name;
        enum capture_mix mix;
    } others[] = {
        {"types", MIX_INFO},     {"loc", MIX_LOCLISTS},   {"ranges", MIX_RNGLISTS},    {"macinfo", MIX_MACRO},
        {"pubnames", MIX_NAMES}, {"pubtypes", MIX_NAMES}, {"gnu_pubnames", MIX_NAMES}, {"gnu_pubtypes", MIX_NAMES},
        {"cu_index", MIX_OTHER}, {"tu_index", MIX_OTHER},
    };
    name = strchr(name + 1, '_');
    if (!name)
        return MIX_OTHER;
    char plain[32];
    size_t length = strlen(++name);
    if (length > 4 && strcmp(name + length - 4, ".dwo") == 0)
        length -= 4;
    if (length >= sizeof plain)
        return MIX_OTHER;
    memcpy(plain, name, length);
    plain[length] = '\0';
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(plain, others[i].name) == 0)
            return others[i].mix;
    }
    for (int m = 0; m < CAPTURE_MIXES; m++) {
        if (strcmp(plain, capture_mix_names[m]) == 0)
            return (enum capture_mix)m;
    }
    return MIX_OTHER;
}

/* Adds one section to the debug size that it belongs to. sizes_of calls this for every section. */
static bool take_debug_section(void *context, const struct section_size *section, struct error *e)
{
    struct capture *c = context;
    bool zdebug = strncmp(section->name, ".zdebug", 7) == 0;
    (void)e;
    if (strcmp(section->name, ".gnu_debugaltlink") == 0)
        c->alternate = true;
    if (!section->in_file || (!zdebug && strncmp(section->name, ".debug", 6) != 0))
        return true;
    c->mix[mix_of(section->name)] += section->debug;
    if (section->compression || zdebug)
        c->compression = section->compression ? section->compression : ELFCOMPRESS_ZLIB;
    if (strstr(section->name, ".dwo") || strcmp(section->name, ".debug_cu_index") == 0)
        c->split = true;
    return true;
}

static bool look_debuglink(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr)
{
    if (shdr->sh_size > 4096 || l->c->links.debuglink)
        return true;
    if (!look_take(l, shdr->sh_size))
        return false;
    const Elf_Data *data = elf_rawdata(section, NULL);
    if (!data || !data->d_buf || data->d_size < 8)
        return true; /* a link that cannot be read leads nowhere */
    size_t length = strnlen(data->d_buf, data->d_size - 4);
    if (length == data->d_size - 4)
        return true;
    l->c->links.debuglink = strdup(data->d_buf);
    if (!l->c->links.debuglink)
        return look_no_memory(l);
    const uint8_t *crc = (const uint8_t *)data->d_buf + data->d_size - 4;
    const char *const ident = elf_getident(l->reader.elf, NULL);
    for (unsigned i = 0; i < 4; i++) /* in the byte order of the file */
        l->c->links.debuglink_crc |= (uint32_t)crc[i] << 8 * (ident[EI_DATA] == ELFDATA2MSB ? 3 - i : i);
    return true;
}

/* Whether the properties of a note (psABI 1.0 section 13.1) say that indirect branches lead to nothing but endbr64. */
static bool has_landings(const uint8_t *at, uint64_t size, bool wide)
{
    const uint64_t align = wide ? 8 : 4;
    uint32_t property[3]; /* type, size, contents */
    while (size >= sizeof property) {
        memcpy(property, at, sizeof property);
        if (property[0] == GNU_PROPERTY_X86_FEATURE_1_AND && property[1] == sizeof property[2])
            return property[2] & GNU_PROPERTY_X86_FEATURE_1_IBT;
        const uint64_t whole = (2 * sizeof property[0] + property[1] + align - 1) / align * align;
        if (whole > size)
            return false;
        at += whole;
        size -= whole;
    }
    return false;
}

static bool look_notes(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr)
{
    if (shdr->sh_size > 1 << 20)
        return true;
    if (!look_take(l, shdr->sh_size))
        return false;
    const bool is_x86 =
        l->c->kind.machine == EM_X86_64 || l->c->kind.machine == EM_386; /* whose properties these types are */
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Nhdr note;
    size_t name;
    size_t description;
    for (size_t at = 0; data && (at = gelf_getnote(data, at, &note, &name, &description)) > 0;) {
        const uint8_t *const says = (const uint8_t *)data->d_buf + description;
        if (note.n_namesz != sizeof ELF_NOTE_GNU ||
            memcmp((const char *)data->d_buf + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) != 0)
            continue;
        if (note.n_type == NT_GNU_PROPERTY_TYPE_0 && is_x86)
            l->c->cf_protection |= has_landings(says, note.n_descsz, l->c->kind.wide);
        if (note.n_type != NT_GNU_BUILD_ID || note.n_descsz == 0 || note.n_descsz > CAPTURE_BUILD_ID_MOST)
            continue;
        memcpy(l->c->links.build_id, says, note.n_descsz);
        l->c->links.build_id_size = note.n_descsz;
    }
    return true;
}

/* Counts the versions that a section defines, or that it needs of other files. */
static bool look_versions(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr)
{
    Elf_Data *data = look_table(l, section, shdr);
    if (!data)
        return false;
    if (shdr->sh_type == SHT_GNU_verdef) {
        const uint64_t count = shdr->sh_info <= data->d_size / sizeof(Elf64_Verdef) ? shdr->sh_info : 0;
        l->c->versions_defined += count;
        l->c->versions += count;
        return true;
    }
    uint64_t at = 0;
    for (uint32_t i = 0; i < shdr->sh_info && at <= INT32_MAX; i++) {
        GElf_Verneed need;
        if (!gelf_getverneed(data, (int)at, &need))
            return LOOK_WRONG(l, "has versions outside of section %.64s", reader_name(&l->reader, shdr));
        l->c->versions += need.vn_cnt;
        if (need.vn_next == 0)
            break;
        at += need.vn_next;
    }
    return true;
}

/* Counts the undefined symbols that have a version, by the table of all symbols' versions. */
static bool look_versioned(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr)
{
    enum { HIDDEN = 0x8000 };
    GElf_Shdr of;
    Elf_Scn *const table = elf_getscn(l->reader.elf, shdr->sh_link);
    if (!table || !gelf_getshdr(table, &of) || of.sh_type != SHT_DYNSYM)
        return true;
    Elf_Data *const versions = look_table(l, section, shdr);
    Elf_Data *const symbols = versions ? look_table(l, table, &of) : NULL;
    if (!symbols)
        return false;
    GElf_Sym symbol;
    GElf_Versym version;
    for (int i = 1; gelf_getsym(symbols, i, &symbol) && gelf_getversym(versions, i, &version); i++)
        l->c->versioned += symbol.st_shndx == SHN_UNDEF && GELF_ST_BIND(symbol.st_info) != STB_LOCAL &&
                           (version & ~HIDDEN) > VER_NDX_GLOBAL;
    return true;
}

/* ---- the dynamic section ---- */

static uint64_t directories(const char *path)
{
    uint64_t count = 0;
    for (bool within = false; *path; path++) {
        count += !within && *path != ':';
        within = *path != ':';
    }
    return count;
}

/* The last entry of a kind counts. Many entries may point to one long string, so each copy is counted by look_take. */
static bool copy_string(struct look *l, char **to, const char *from)
{
    if (!look_take(l, strlen(from)))
        return false;
    free(*to);
    *to = strdup(from);
    return *to || look_no_memory(l);
}

/* Many entries may point to one long name, so each copy is counted by look_take. */
static bool take_needed(struct look *l, char ***names, size_t *count, const char *name)
{
    const size_t length = strnlen(name, PATH_MAX);
    if (length == PATH_MAX)
        return LOOK_WRONG(l, "needs a library whose name has %d characters or more", PATH_MAX);
    if (!look_take(l, length))
        return false;
    if ((*count & (*count - 1)) == 0) {
        size_t capacity = *count ? 2 * *count : 1;
        char **grown = realloc(*names, capacity * sizeof *grown);
        if (!grown)
            return look_no_memory(l);
        *names = grown;
    }
    (*names)[*count] = strdup(name);
    if (!(*names)[*count])
        return look_no_memory(l);
    ++*count;
    return true;
}

static bool take_dynamic(struct look *l, const Elf_Data *strings, const GElf_Dyn *d, uint64_t word)
{
    struct capture *c = l->c;
    switch (d->d_tag) {
    case DT_NEEDED:
        return take_needed(l, &c->links.needed, &c->links.needed_count, look_string(strings, d->d_un.d_val));
    case DT_FILTER:
        return take_needed(l, &c->links.filtee, &c->links.filtee_count, look_string(strings, d->d_un.d_val));
    case DT_AUXILIARY:
        return take_needed(l, &c->links.auxiliary, &c->links.auxiliary_count, look_string(strings, d->d_un.d_val));
    case DT_SONAME:
        return copy_string(l, &c->links.soname, look_string(strings, d->d_un.d_val));
    case DT_RPATH:
        return copy_string(l, &c->links.rpath, look_string(strings, d->d_un.d_val));
    case DT_RUNPATH:
        return copy_string(l, &c->links.runpath, look_string(strings, d->d_un.d_val));
    case DT_HASH:
        c->hash_sysv = true;
        break;
    case DT_GNU_HASH:
        c->hash_gnu = true;
        break;
    case DT_BIND_NOW:
        c->bind_now = true;
        break;
    case DT_FLAGS:
        c->bind_now |= (d->d_un.d_val & DF_BIND_NOW) != 0;
        break;
    case DT_FLAGS_1:
        c->bind_now |= (d->d_un.d_val & DF_1_NOW) != 0;
        c->kind.executable |= (d->d_un.d_val & DF_1_PIE) != 0;
        break;
    case DT_JMPREL:
        l->jmprel = d->d_un.d_ptr;
        break;
    case DT_INIT_ARRAY:
        l->init_array = d->d_un.d_ptr;
        break;
    case DT_INIT_ARRAYSZ:
        l->init_count = d->d_un.d_val / word;
        /* fallthrough */
    case DT_PREINIT_ARRAYSZ:
        c->constructors += d->d_un.d_val / word;
        break;
    case DT_FINI_ARRAYSZ:
        c->destructors += d->d_un.d_val / word;
        break;
    }
    return true;
}

static bool look_dynamic(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr)
{
    Elf_Data *data = look_table(l, section, shdr);
    const Elf_Data *strings = data ? look_strings(l, shdr) : NULL;
    if (!strings)
        return false;
    size_t entry = l->c->kind.wide ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn);
    size_t count = data->d_size / entry;
    GElf_Dyn d;
    for (size_t i = 0; i < count && i <= INT32_MAX && gelf_getdyn(data, (int)i, &d) && d.d_tag != DT_NULL; i++) {
        if (!take_dynamic(l, strings, &d, entry / 2))
            return false;
    }
    struct capture *c = l->c;
    c->runpaths =
        (c->links.rpath ? directories(c->links.rpath) : 0) + (c->links.runpath ? directories(c->links.runpath) : 0);
    /* An array that the file has no room for contradicts the file, so nothing of it counts. */
    c->constructors = c->constructors <= l->reader.size / (entry / 2) ? c->constructors : 0;
    c->destructors = c->destructors <= l->reader.size / (entry / 2) ? c->destructors : 0;
    l->init_count = c->constructors ? l->init_count : 0;
    return true;
}

/* ---- program headers ---- */

/* 0 and 1 mean no alignment (gABI, "Program Header"). */
static bool is_alignment(uint64_t align)
{
    return (align & (align - 1)) == 0 && align <= CAPTURE_PAGE_MOST;
}

/* Sets *count. libelf counts no more program headers than the file has room for, and takes any size of one. */
static bool count_segments(struct look *l, const GElf_Ehdr *header, size_t *count)
{
    const size_t size = l->c->kind.wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    if (elf_getphdrnum(l->reader.elf, count) < 0)
        return LOOK_WRONG(l, "cannot count its program headers: %s", elf_errmsg(-1));
    if (header->e_phnum && header->e_phentsize != size)
        return LOOK_WRONG(l, "says that a program header has %u bytes instead of %zu", header->e_phentsize, size);
    return *count >= header->e_phnum ||
           LOOK_WRONG(l, "has its program headers (%u at byte %" PRIu64 ") outside the file", header->e_phnum,
                      header->e_phoff);
}

static bool look_segments(struct look *l, const GElf_Ehdr *header)
{
    struct capture *c = l->c;
    size_t count;
    if (!count_segments(l, header, &count))
        return false;
    bool relro = false;
    for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
        GElf_Phdr phdr;
        if (!gelf_getphdr(l->reader.elf, (int)i, &phdr))
            return LOOK_WRONG(l, "cannot read program header %zu: %s", i, elf_errmsg(-1));
        if (phdr.p_type == PT_LOAD) {
            if (!is_alignment(phdr.p_align))
                return LOOK_WRONG(l, "has inconsistent headers: a segment aligned to %" PRIu64 " bytes", phdr.p_align);
            c->loads++;
            c->page = phdr.p_align > c->page ? phdr.p_align : c->page;
        } else if (phdr.p_type == PT_TLS) {
            c->tls = phdr.p_memsz;
        } else if (phdr.p_type == PT_GNU_RELRO) {
            relro = true;
        } else if (phdr.p_type == PT_INTERP && !c->links.interpreter && phdr.p_filesz > 0 && phdr.p_filesz <= 4096) {
            char path[4096] = "";
            size_t got;
            if (phdr.p_offset > l->reader.size || phdr.p_filesz > l->reader.size - phdr.p_offset)
                return LOOK_WRONG(l, "is cut off or broken: its interpreter's name is behind its end");
            if (!reader_read(&l->reader, path, phdr.p_filesz - 1, phdr.p_offset, &got, l->e))
                return false;
            if (!copy_string(l, &c->links.interpreter, path))
                return false;
        }
    }
    c->relro = !relro ? CAPTURE_RELRO_NONE : c->bind_now ? CAPTURE_RELRO_FULL : CAPTURE_RELRO_PARTIAL;
    return true;
}

/* ---- the file ---- */

typedef bool look_function(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr);

/* Calls `each` for every section of the file that has this type. */
static bool look_each(struct look *l, uint32_t type, look_function *each)
{
    for (size_t i = 1; i < l->reader.sections; i++) {
        GElf_Shdr shdr;
        Elf_Scn *section = reader_section(&l->reader, i, &shdr, l->e);
        if (!section || (shdr.sh_type == type && !each(l, section, &shdr)))
            return false;
    }
    return true;
}

/* Takes what the section headers tell, and the contents of a few small sections. */
static bool look_headers(struct look *l)
{
    bool any = false; /* of what is loaded, besides notes */
    for (size_t i = 1; i < l->reader.sections; i++) {
        GElf_Shdr shdr;
        Elf_Scn *section = reader_section(&l->reader, i, &shdr, l->e);
        if (!section)
            return false;
        if (shdr.sh_type == SHT_NULL)
            continue;
        const char *name = reader_name(&l->reader, &shdr);
        bool read_only = !(shdr.sh_flags & SHF_WRITE) || (shdr.sh_flags & SHF_EXECINSTR);
        if ((shdr.sh_flags & SHF_ALLOC) && read_only)
            l->c->share[share_of(&shdr, name)] += shdr.sh_size;
        if ((shdr.sh_flags & SHF_ALLOC) && !read_only && strcmp(name, ".data.rel.ro") == 0) {
            l->c->data_rel_ro += shdr.sh_size;
            l->data_rel_ro = shdr.sh_addr;
            l->data_rel_ro_end = shdr.sh_addr + shdr.sh_size;
        }
        any |= (shdr.sh_flags & SHF_ALLOC) && shdr.sh_type != SHT_NOTE && shdr.sh_type != SHT_NOBITS;
        l->c->kind.debug_only |= (shdr.sh_flags & SHF_EXECINSTR) && shdr.sh_type == SHT_NOBITS;
        bool ok = true;
        if (shdr.sh_type == SHT_NOTE) /* linker scripts may put all notes into one section, as the kernel's do */
            ok = look_notes(l, section, &shdr);
        else if (shdr.sh_type == SHT_PROGBITS && strcmp(name, ".gnu_debuglink") == 0)
            ok = look_debuglink(l, section, &shdr);
        if (!ok)
            return false;
    }
    l->c->kind.debug_only |= !any && l->c->sizes.debug > 0;
    return true;
}

static bool look_all(struct look *l)
{
    struct capture *c = l->c;
    GElf_Ehdr ehdr;
    if (!gelf_getehdr(l->reader.elf, &ehdr))
        return LOOK_WRONG(l, "is broken: %s", elf_errmsg(-1));
    c->file_size = l->reader.size;
    c->kind.machine = ehdr.e_machine;
    c->kind.wide = ehdr.e_ident[EI_CLASS] == ELFCLASS64;
    c->kind.library = ehdr.e_type == ET_DYN;
    c->kind.executable = ehdr.e_type == ET_EXEC;
    c->kind.core = ehdr.e_type == ET_CORE;
    if (!sizes_of(&l->reader, &c->sizes, take_debug_section, c, l->e) || !look_headers(l) ||
        !look_each(l, SHT_DYNAMIC, look_dynamic) || !look_segments(l, &ehdr))
        return false;
    if (l->wish->links_only)
        return true;
    if (!c->sizes.symtab)
        c->sizes.strtab = 0; /* the table has names of sections: some linkers call that one .strtab, too */
    if (!look_each(l, SHT_GNU_verdef, look_versions) || !look_each(l, SHT_GNU_verneed, look_versions) ||
        !look_each(l, SHT_GNU_versym, look_versioned) || !look_each(l, SHT_DYNSYM, look_symbols) ||
        !look_each(l, SHT_SYMTAB, look_symbols))
        return false;
    c->kind.module = c->kind.named_init || c->kind.inits == 1;
    return look_each(l, SHT_RELA, look_relocations) && look_each(l, SHT_REL, look_relocations) &&
           look_each(l, SHT_RELR, look_relocations) && look_pages(l) && look_words(l) && look_methods(l) &&
           look_unwound(l) && look_called(l) && look_exceptions(l) && (!l->wish->compress || look_compress(l)) &&
           look_check(l);
}

bool capture_read(const char *path, const struct capture_wish *wish, struct capture *c, struct error *e)
{
    *c = (struct capture){0};
    struct look l = {.wish = wish, .c = c, .e = e};
    bool ok = reader_open(&l.reader, path, e) && look_all(&l);
    reader_close(&l.reader);
    free(l.words);
    return ok;
}

/* ---- separate files ---- */

static void move_samples(struct samples *to, struct samples *from)
{
    samples_free(to);
    *to = *from;
    *from = (struct samples){0};
}

/* strip leaves debug sections that are loaded, such as .debug_gdb_scripts of rustc's libraries. A file with debug
 * information alone does not repeat them; one with the code as well does. */
static void add_debug_sections(struct capture *c, const struct capture *debug)
{
    const bool repeats = !debug->kind.debug_only;
    c->sizes.debug = debug->sizes.debug + (repeats ? 0 : c->sizes.debug);
    for (int m = 0; m < CAPTURE_MIXES; m++)
        c->mix[m] = debug->mix[m] + (repeats ? 0 : c->mix[m]);
    c->zstd[PART_DEBUG] = capture_step(debug->zstd[PART_DEBUG] + (repeats ? 0 : c->zstd[PART_DEBUG]));
    c->compression = debug->compression;
    c->split = debug->split;
    c->alternate = debug->alternate;
    c->debug_file = true;
}

bool capture_add_debug_file(struct capture *c, struct capture *debug, const char *path, struct error *e)
{
    if (c->kind.machine != debug->kind.machine || c->kind.wide != debug->kind.wide) {
        error_set(e, ERROR_INPUT, "is for another machine than its library");
        return error_at(e, path, 0);
    }
    if (c->links.build_id_size && debug->links.build_id_size &&
        (c->links.build_id_size != debug->links.build_id_size ||
         memcmp(c->links.build_id, debug->links.build_id, c->links.build_id_size) != 0)) {
        error_set(e, ERROR_INPUT, "has another build-id than its library");
        return error_at(e, path, 0);
    }
    if (!c->has_symtab && debug->has_symtab) {
        c->has_symtab = true;
        c->sizes.symtab = debug->sizes.symtab;
        c->sizes.strtab = debug->sizes.strtab;
        c->local = debug->local;
        c->global = debug->global;
        c->ifunc = debug->ifunc;
        c->mangled = debug->mangled;
        c->mangled_functions = debug->mangled_functions;
        c->cold = debug->cold;
        c->cold_code = debug->cold_code;
        move_samples(&c->functions, &debug->functions);
        move_samples(&c->name_lengths, &debug->name_lengths);
        c->zstd[PART_NAMES] = capture_step(c->zstd[PART_NAMES] + debug->zstd[PART_NAMES]);
        c->debug_file = true;
    }
    if (c->mix[MIX_INFO] == 0 && debug->sizes.debug > 0)
        add_debug_sections(c, debug);
    uint64_t total;
    if (!sizes_total(&c->sizes, &total)) {
        error_set(e, ERROR_INPUT, "has together with its library more than 2^64 bytes");
        return error_at(e, path, 0);
    }
    return true;
}

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

void capture_free(struct capture *c)
{
    free_names(c->links.needed, c->links.needed_count);
    free_names(c->links.filtee, c->links.filtee_count);
    free_names(c->links.auxiliary, c->links.auxiliary_count);
    free(c->links.soname);
    free(c->links.rpath);
    free(c->links.runpath);
    free(c->links.interpreter);
    free(c->links.debuglink);
    free(c->hashes.defined);
    free(c->hashes.undefined);
    samples_free(&c->functions);
    samples_free(&c->name_lengths);
    *c = (struct capture){0};
}
