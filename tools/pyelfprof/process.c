/* What a process has loaded, or had loaded when its core was written; see pyelfprof.h.
 *
 * Both a process and a core have a memory, an auxiliary vector and a list of mapped files. Memory and vector lead to
 * the link map, which has the objects in the order in which they were loaded (SVR4 ABI, <link.h>: r_debug). The address
 * of an object's dynamic section tells from which file the object is. Where no link map can be read, files come in the
 * order of their addresses.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/capture/prof.h"
#include "tools/pyelfprof/pyelfprof.h"

enum { OBJECTS_MOST = 1 << 16, HEADERS_MOST = 256, NOTES_MOST = 1 << 26, MAPPINGS_MOST = 1 << 22, TAGS_MOST = 1024 };

struct mapping {
    uint64_t begin, end;
    const char *path; /* where to read the file */
    const char *name; /* the path in the application */
    bool code;
    bool deleted;
};

struct process {
    struct prof *p;
    const char *what;    /* the subject of error messages */
    int fd;              /* memory: a process's by addresses, a core's by its segments */
    Elf64_Phdr *segment; /* those of a core that have memory, ascending by address; NULL: a process */
    size_t segments;
    uint64_t headers, header_count; /* AT_PHDR, AT_PHNUM; 0: unknown */
    struct mapping *mapping;
    size_t mappings, capacity;
    bool mapped; /* has memory, of files or not */
};

static void complain(struct process *s, const char *what)
{
    prof_complain_at(s->p, s->what, 0, what);
}

/* ---- memory ---- */

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
    if (offset > INT64_MAX)
        return false;
    return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

static int by_segment(const void *key, const void *member)
{
    const uint64_t address = *(const uint64_t *)key;
    const Elf64_Phdr *h = member;
    return address < h->p_vaddr ? -1 : address - h->p_vaddr >= h->p_filesz;
}

static bool memory_read(const struct process *s, uint64_t address, void *to, size_t size)
{
    if (!s->segment)
        return read_at(s->fd, to, size, address);
    const Elf64_Phdr *h = bsearch(&address, s->segment, s->segments, sizeof *s->segment, by_segment);
    return h && h->p_filesz - (address - h->p_vaddr) >= size &&
           read_at(s->fd, to, size, h->p_offset + (address - h->p_vaddr));
}

/* ---- mappings ---- */

static void mapping_add(struct process *s, const struct mapping *m)
{
    if (s->mappings == MAPPINGS_MOST)
        return;
    if (s->mappings == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 256;
        s->mapping = prof_must(realloc(s->mapping, s->capacity * sizeof *s->mapping));
    }
    s->mapping[s->mappings++] = *m;
}

static int by_address(const void *a, const void *b)
{
    const struct mapping *x = a;
    const struct mapping *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* A core may list millions, in any order. */
static void sort_mappings(struct process *s)
{
    if (s->mappings > 0)
        qsort(s->mapping, s->mappings, sizeof *s->mapping, by_address);
}

static void add_file(struct process *s, const struct mapping *m)
{
    struct error e;
    if (m->deleted && prof_wants(s->p, m->name) && access(m->path, R_OK) != 0) {
        error_set(&e, ERROR_INPUT, "is mapped by %s, but deleted, and cannot be read any more", s->what);
        error_at(&e, m->name, 0);
        prof_complain(s->p, &e);
        s->p->unreadable++;
        return;
    }
    prof_add_as(s->p, m->path, m->name, true);
}

/* ---- the link map ---- */

/* The address of r_debug, from DT_DEBUG in the program's dynamic section; 0: not found. */
static uint64_t find_debug(const struct process *s)
{
    uint64_t bias = 0;
    uint64_t dynamic = 0;
    for (uint64_t i = 0; i < s->header_count && i < HEADERS_MOST; i++) {
        Elf64_Phdr h;
        if (!memory_read(s, s->headers + i * sizeof h, &h, sizeof h))
            return 0;
        if (h.p_type == PT_PHDR)
            bias = s->headers - h.p_vaddr;
        else if (h.p_type == PT_DYNAMIC)
            dynamic = h.p_vaddr;
    }
    for (uint64_t i = 0; dynamic && i < TAGS_MOST; i++) {
        Elf64_Dyn d;
        if (!memory_read(s, bias + dynamic + i * sizeof d, &d, sizeof d) || d.d_tag == DT_NULL)
            return 0;
        if (d.d_tag == DT_DEBUG)
            return d.d_un.d_ptr;
    }
    return 0;
}

static int by_place(const void *key, const void *member)
{
    const uint64_t address = *(const uint64_t *)key;
    const struct mapping *m = member;
    return address < m->begin ? -1 : address >= m->end;
}

static const struct mapping *mapping_at(const struct process *s, uint64_t address)
{
    return s->mappings ? bsearch(&address, s->mapping, s->mappings, sizeof *s->mapping, by_place) : NULL;
}

/* Adds the files of the objects in the link map; false where none was found. The map of a hostile core may lead back
 * into itself. So the walk remembers the address that it met 1st, 2nd, 4th, 8th and so on, and ends when it comes to
 * the last of these again. */
static bool add_link_map(struct process *s)
{
    struct r_debug debug;
    uint64_t address = find_debug(s);
    uint64_t met = 0;
    bool any = false;
    if (!address || !memory_read(s, address, &debug, sizeof debug))
        return false;
    address = (uint64_t)(uintptr_t)debug.r_map;
    for (size_t i = 0; address && address != met && i < OBJECTS_MOST; i++) {
        struct link_map object;
        met = (i & (i + 1)) == 0 ? address : met;
        if (!memory_read(s, address, &object, sizeof object))
            break;
        const struct mapping *m = mapping_at(s, (uint64_t)(uintptr_t)object.l_ld);
        if (m) {
            add_file(s, m);
            any = true;
        }
        address = (uint64_t)(uintptr_t)object.l_next;
    }
    return any;
}

static void add_all(struct process *s)
{
    sort_mappings(s);
    if (add_link_map(s))
        return;
    struct error e;
    error_set(&e, ERROR_INPUT, "has no link map that can be read; its files are taken in the order of their addresses");
    error_at(&e, s->what, 0);
    error_report("pyelfprof", &e); /* no failure: no file is missing */
    for (size_t i = 0; i < s->mappings; i++) {
        if (s->mapping[i].code)
            add_file(s, &s->mapping[i]);
    }
}

static void take_auxiliary(struct process *s, const uint8_t *data, size_t size)
{
    for (size_t at = 0; at + 16 <= size; at += 16) {
        uint64_t pair[2];
        memcpy(pair, data + at, sizeof pair);
        if (pair[0] == AT_PHDR)
            s->headers = pair[1];
        else if (pair[0] == AT_PHNUM)
            s->header_count = pair[1];
    }
}

/* ---- a process ---- */

/* Whether a process's file is another one than ours of that path, or one that only the process can reach: in a
 * container it has another root. `inside` is the path through its root. */
static bool is_elsewhere(const char *path, const char *inside)
{
    struct stat here, there;
    if (access(path, R_OK) != 0 || stat(path, &here) != 0)
        return true;
    return stat(inside, &there) == 0 && (here.st_dev != there.st_dev || here.st_ino != there.st_ino);
}

/* The kernel writes a line break in a path as \012, and leaves a backslash as it is. Sets the line breaks in again
 * unless a file has the path as it stands. */
static void unescape(struct process *s, const char *pid, char *path)
{
    static const char escape[] = "\\012";
    const size_t length = sizeof escape - 1;
    if (!strstr(path, escape) || access(prof_format(s->p, "/proc/%s/root%s", pid, path), F_OK) == 0)
        return;
    for (char *at = path; (at = strstr(at, escape)); at++) {
        *at = '\n';
        memmove(at + 1, at + length, strlen(at + length) + 1);
    }
}

/* Takes a line of /proc/PID/maps. A deleted file is read through map_files, and one that is not ours of that path
 * through the process's root. */
static void take_line(struct process *s, const char *pid, char *line)
{
    static const char deleted[] = " (deleted)";
    struct mapping m = {0};
    char permissions[8];
    int path = 0;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %n", &m.begin, &m.end, permissions, &path) < 3 || !path ||
        line[path] != '/')
        return;
    size_t length = strlen(line + path);
    m.code = strchr(permissions, 'x') != NULL;
    m.deleted = length > strlen(deleted) && strcmp(line + path + length - strlen(deleted), deleted) == 0;
    if (m.deleted)
        line[path + (int)(length - strlen(deleted))] = '\0';
    unescape(s, pid, line + path);
    m.name = prof_copy(s->p, line + path);
    m.path = prof_format(s->p, "/proc/%s/root%s", pid, m.name);
    if (m.deleted)
        m.path = prof_format(s->p, "/proc/%s/map_files/%" PRIx64 "-%" PRIx64, pid, m.begin, m.end);
    else if (!is_elsewhere(m.name, m.path))
        m.path = m.name;
    mapping_add(s, &m);
}

static bool read_maps(struct process *s, const char *pid)
{
    FILE *maps = fopen(prof_format(s->p, "/proc/%s/maps", pid), "re");
    char *line = NULL;
    size_t size = 0;
    if (!maps)
        return false;
    errno = 0;
    s->mapped = false;
    while (getline(&line, &size, maps) > 0) {
        s->mapped = true;
        take_line(s, pid, line);
    }
    free(line);
    bool ok = !ferror(maps);
    const int number = errno;
    fclose(maps);
    errno = number;
    return ok;
}

/* Says why the maps of a process could not be read; errno has the reason. */
static void complain_of(struct process *s)
{
    struct error e;
    if (errno == ENOENT || errno == ESRCH) {
        complain(s, "there is no such process; see ps(1)");
    } else if (errno == EACCES || errno == EPERM) {
        complain(s, "may not be looked into: run this as its user and with all its capabilities, or with "
                    "CAP_SYS_PTRACE, and see kernel.yama.ptrace_scope; ptrace(2) has more");
    } else {
        error_errno(&e, s->what, "cannot read its maps");
        prof_complain(s->p, &e);
    }
}

void prof_process(struct prof *p, const char *pid)
{
    struct process s = {.p = p, .what = prof_format(p, "process %s", pid), .fd = -1};
    uint8_t auxiliary[4096];
    if (!read_maps(&s, pid)) {
        complain_of(&s);
        free(s.mapping);
        return;
    }
    if (!s.mapped) {
        complain(&s, "has no memory: it is a thread of the kernel, or has ended and was not waited for");
        return;
    }
    int fd = open(prof_format(p, "/proc/%s/auxv", pid), O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, auxiliary, sizeof auxiliary) : 0;
    if (fd >= 0)
        close(fd);
    if (got > 0)
        take_auxiliary(&s, auxiliary, (size_t)got);
    s.fd = open(prof_format(p, "/proc/%s/mem", pid), O_RDONLY | O_CLOEXEC);
    add_all(&s);
    if (s.fd >= 0)
        close(s.fd);
    free(s.mapping);
}

/* ---- a core ---- */

static bool header_read(int fd, Elf64_Ehdr *header)
{
    return read_at(fd, header, sizeof *header, 0) && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
           header->e_type == ET_CORE;
}

bool prof_is_core(const char *path)
{
    Elf64_Ehdr header;
    int fd = prof_open_regular(path);
    bool is = fd >= 0 && header_read(fd, &header);
    if (fd >= 0)
        close(fd);
    return is;
}

/* An NT_FILE note has a count, the page size, begin, end and offset of each mapping, and then their names
 * (linux/fs/binfmt_elf.c). */
static void take_files(struct process *s, const uint8_t *data, size_t size)
{
    uint64_t count;
    if (size < 16)
        return;
    memcpy(&count, data, sizeof count);
    if (count > (size - 16) / 24)
        return;
    const char *name = (const char *)data + 16 + 24 * count;
    const char *end = (const char *)data + size;
    for (uint64_t i = 0; i < count && name < end; i++) {
        uint64_t range[2];
        size_t length = strnlen(name, (size_t)(end - name));
        if (name + length == end || s->mappings == MAPPINGS_MOST)
            return;
        memcpy(range, data + 16 + 24 * i, sizeof range);
        struct mapping m = {.begin = range[0], .end = range[1], .code = true};
        m.path = m.name = prof_copy(s->p, name);
        mapping_add(s, &m);
        name += length + 1;
    }
}

static void take_notes(struct process *s, const uint8_t *data, size_t size)
{
    for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= size;) {
        Elf64_Nhdr note;
        memcpy(&note, data + at, sizeof note);
        at += sizeof note;
        size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
        size_t description = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        if (name > size - at || note.n_descsz > size - at - name)
            return;
        const uint8_t *content = data + at + name;
        if (note.n_type == NT_AUXV)
            take_auxiliary(s, content, note.n_descsz);
        else if (note.n_type == NT_FILE)
            take_files(s, content, note.n_descsz);
        if (description > size - at - name)
            return;
        at += name + description;
    }
}

/* How many program headers there are. What is too much for the header's field is in section 0 (gABI, "ELF Header"). */
static bool count_segments(int fd, const Elf64_Ehdr *header, size_t *count)
{
    Elf64_Shdr first;
    *count = header->e_phnum;
    if (header->e_phnum != PN_XNUM)
        return true;
    if (header->e_shentsize != sizeof first || !read_at(fd, &first, sizeof first, header->e_shoff))
        return false;
    *count = first.sh_info;
    return *count <= MAPPINGS_MOST;
}

static int by_vaddr(const void *a, const void *b)
{
    const Elf64_Phdr *x = a;
    const Elf64_Phdr *y = b;
    return (x->p_vaddr > y->p_vaddr) - (x->p_vaddr < y->p_vaddr);
}

static void keep_memory(struct process *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->segments; i++)
        if (s->segment[i].p_type == PT_LOAD && s->segment[i].p_filesz > 0)
            s->segment[kept++] = s->segment[i];
    s->segments = kept;
    qsort(s->segment, kept, sizeof *s->segment, by_vaddr);
}

static bool core_read(struct process *s)
{
    Elf64_Ehdr header;
    if (!header_read(s->fd, &header) || header.e_phentsize != sizeof(Elf64_Phdr) ||
        !count_segments(s->fd, &header, &s->segments))
        return false;
    s->segment = prof_must(calloc(s->segments + 1, sizeof *s->segment));
    if (!read_at(s->fd, s->segment, s->segments * sizeof *s->segment, header.e_phoff))
        return false;
    uint64_t room = NOTES_MOST; /* bytes for all notes together: segments may overlap */
    for (size_t i = 0; i < s->segments; i++) {
        const Elf64_Phdr *h = &s->segment[i];
        if (h->p_type != PT_NOTE || h->p_filesz > room)
            continue;
        room -= h->p_filesz;
        uint8_t *notes = prof_must(malloc(h->p_filesz + 1));
        if (read_at(s->fd, notes, h->p_filesz, h->p_offset))
            take_notes(s, notes, h->p_filesz);
        free(notes);
    }
    keep_memory(s);
    return s->mappings > 0;
}

/* The note does not say which mappings are code. Files that begin as ELF files do are taken for code. */
static void keep_objects(struct process *s)
{
    for (size_t i = 0; i < s->mappings; i++) {
        char magic[SELFMAG];
        int fd = prof_open_regular(s->mapping[i].path);
        s->mapping[i].code = fd >= 0 && read_at(fd, magic, sizeof magic, 0) && memcmp(magic, ELFMAG, SELFMAG) == 0;
        if (fd >= 0)
            close(fd);
    }
}

void prof_core(struct prof *p, const char *path)
{
    struct process s = {.p = p, .what = path, .fd = prof_open_regular(path)};
    if (s.fd >= 0 && core_read(&s)) {
        keep_objects(&s);
        add_all(&s);
    } else {
        complain(&s, "is a core file that does not say which files were mapped (no NT_FILE note), or is cut off");
        p->unreadable++;
    }
    if (s.fd >= 0)
        close(s.fd);
    free(s.segment);
    free(s.mapping);
}
