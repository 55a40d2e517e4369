/* What a program would load, as ld.so finds it; see pyelfprof.h.
 *
 * Nothing is run. A library is looked for where ld.so(8) says, in this order:
 *
 *   - DT_RPATH of the file that needs it and of those that loaded that file, unless it has DT_RUNPATH
 *   - LD_LIBRARY_PATH
 *   - DT_RUNPATH of the file that needs it
 *   - /etc/ld.so.cache
 *   - the directories of the system
 *
 * $ORIGIN, $LIB and $PLATFORM are replaced. LD_PRELOAD and directories for some processors only (glibc-hwcaps) are not
 * looked at.
 *
 * What a library is a filter of (DT_FILTER, DT_AUXILIARY) is loaded like what it needs; the latter if it is found.
 *
 * Libraries come breadth first, as in the link map. A library that is loaded already is found by its name, and not
 * looked for.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_begin.h"
#include "tools/capture/prof.h"
#include "tools/pyelfprof/pyelfprof.h"

#define CACHE_FILE       "/etc/ld.so.cache"
#define CACHE_HEADER     "glibc-ld.so.cache1.1"
#define OLD_CACHE_HEADER "ld.so-1.7.0"

/* DIRECTORIES_MOST: how many of the directories that a file names are searched, counting repeated ones. LOOKUPS_MOST:
 * how many times a directory is searched, for all files together. Without that limit, names times directories of a file
 * and of all that loaded it could be any number. */
enum { CACHE_MOST = 1 << 26, LOADED_MOST = 1 << 16, DIRECTORIES_MOST = 4096, LOOKUPS_MOST = 1 << 20 };

/* The cache (glibc, dl-cache.h) has a header, entries and strings. Offsets count from its header. An older cache, of
 * which nothing is taken but where it ends, may stand before it: this header and entries of 12 bytes. */
struct old_cache {
    char magic[12];
    uint32_t count;
};
struct cache_header {
    char magic[20];
    uint32_t count;
    uint32_t strings;
    uint32_t more[5];
};
struct cache_entry {
    int32_t flags;
    uint32_t name, path;
    uint32_t system;
    uint64_t processor; /* 0: for any processor */
};

struct loaded {
    char *path;
    char *origin; /* its directory, without links; malloc */
    struct capture c;
    size_t by; /* the number of the file that loaded it; its own where none did */
};

struct search {
    struct prof *p;
    struct loaded *loaded;
    size_t count, capacity;
    size_t lookups;
    bool broken;    /* the file that was found last cannot be read as a library */
    uint8_t *cache; /* NULL: there is none */
    size_t cache_size;
    char lib[64]; /* what $LIB is */
};

/* ---- the cache ---- */

/* Where the cache begins in its file, whose first bytes are `old`: at 0, or behind an older one, up to a multiple of 8
 * bytes. ldconfig writes both with -c compat, which was the default until glibc 2.31. */
static uint64_t cache_begin(const struct old_cache *old)
{
    if (memcmp(old->magic, OLD_CACHE_HEADER, strlen(OLD_CACHE_HEADER)) != 0)
        return 0;
    return (sizeof *old + UINT64_C(12) * old->count + 7) / 8 * 8;
}

static void cache_read(struct search *s, int fd, size_t size)
{
    struct old_cache old;
    if (pread(fd, &old, sizeof old, 0) != sizeof old)
        return;
    s->cache = prof_must(malloc(size + 1));
    const ssize_t got = pread(fd, s->cache, size, (off_t)cache_begin(&old));
    s->cache_size = got > 0 ? (size_t)got : 0;
    s->cache[s->cache_size] = '\0'; /* so that strings end: since glibc 2.33 something else than strings comes last */
    if (s->cache_size < sizeof(struct cache_header) || memcmp(s->cache, CACHE_HEADER, strlen(CACHE_HEADER)) != 0) {
        free(s->cache);
        s->cache = NULL;
    }
}

static void cache_open(struct search *s)
{
    int fd = open(CACHE_FILE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < CACHE_MOST)
        cache_read(s, fd, (size_t)st.st_size);
    if (fd >= 0)
        close(fd);
}

static const char *cache_string(const struct search *s, uint32_t offset)
{
    return offset < s->cache_size ? (const char *)s->cache + offset : "";
}

/* ---- one library ---- */

/* Whether the header of the file says that it is for another machine than *of. */
static bool is_for_another(const char *path, const struct capture *of)
{
    Elf64_Ehdr header; /* its first members are the same in both classes */
    ssize_t got;
    return file_begin(path, &header, sizeof header, &got) && file_begin_is_elf(&header, got) &&
           got >= (ssize_t)offsetof(Elf64_Ehdr, e_version) &&
           (header.e_machine != of->kind.machine || (header.e_ident[EI_CLASS] == ELFCLASS64) != of->kind.wide);
}

/* Whether the search ends at the file. If *of could load it, *c has what the file says. If it is broken, s->broken is
 * set: ld.so ends at such a file, too, and at directories, but passes over those for another machine. */
static bool fits(struct search *s, const char *path, const struct capture *of, struct capture *c)
{
    const struct capture_wish wish = {.links_only = true};
    struct error e;
    *c = (struct capture){0};
    s->broken = false;
    if (access(path, R_OK) != 0) /* most files are not there, and asking that first is cheapest */
        return false;
    if (capture_read(path, &wish, c, &e)) {
        if (c->kind.machine == of->kind.machine && c->kind.wide == of->kind.wide && c->kind.library)
            return true;
    } else {
        s->broken = !is_for_another(path, of);
    }
    capture_free(c);
    return s->broken;
}

/* Whether a text begins with this variable. Without braces a name is as long as it can be: $LIBX is another variable.
 */
static bool has_variable(const char *text, size_t length, const char *variable)
{
    const size_t size = strlen(variable);
    if (length < size || strncmp(text, variable, size) != 0)
        return false;
    return variable[1] == '{' || length == size || (!isalnum((unsigned char)text[size]) && text[size] != '_');
}

/* Finds out what $LIB is, which distributions choose when they build ld.so: lib64, or lib/x86_64-linux-gnu. It is where
 * the C library is that this process runs on. */
static void lib_find(struct search *s)
{
    Dl_info info;
    const char *lib = NULL;
    if (dladdr((void *)gnu_get_libc_version, &info) != 0) /* no library for sanitizers stands in for this function */
        for (const char *at = info.dli_fname; (at = strstr(at, "/lib")) && strchr(at + 1, '/'); at++)
            lib = at + 1;
    if (!lib || strrchr(lib, '/') - lib >= (ptrdiff_t)sizeof s->lib)
        lib = "lib/x86_64-linux-gnu/";
    snprintf(s->lib, sizeof s->lib, "%.*s", (int)(strrchr(lib, '/') - lib), lib);
}

/* Writes the directory with its variables replaced into `to`, which has PATH_MAX bytes. False where it is too long. */
static bool expand(const struct search *s, const char *directory, size_t length, const char *origin, char *to)
{
    const struct {
        const char *name, *value;
    } variables[] = {{"$ORIGIN", origin}, {"${ORIGIN}", origin},   {"$LIB", s->lib},
                     {"${LIB}", s->lib},  {"$PLATFORM", "x86_64"}, {"${PLATFORM}", "x86_64"}};
    size_t size = 0;
    for (size_t i = 0; i < length;) {
        const char *from = directory + i;
        const char *next = memchr(from + 1, '$', length - i - 1);
        size_t from_length = next ? (size_t)(next - from) : length - i;
        size_t to_length = from_length;
        for (size_t v = 0; v < sizeof variables / sizeof variables[0]; v++) {
            if (has_variable(directory + i, length - i, variables[v].name)) {
                from = variables[v].value;
                from_length = strlen(variables[v].name);
                to_length = strlen(from);
                break;
            }
        }
        if (size + to_length >= PATH_MAX)
            return false;
        memcpy(to + size, from, to_length);
        size += to_length;
        i += from_length;
    }
    to[size] = '\0';
    return true;
}

/* Looks in a list of directories with one of the separators between them. An empty one is the current directory.
 * $ORIGIN is the directory of *of. */
static bool look_in(struct search *s, const char *directories, const char *separators, const char *name,
                    const struct loaded *of, char *path, struct capture *c)
{
    char directory[PATH_MAX];
    const char *d = directories;
    for (bool more = d && *d; more && s->lookups < LOOKUPS_MOST; d += more) {
        size_t length = strcspn(d, separators);
        s->lookups++;
        if (expand(s, d, length, of->origin, directory) &&
            snprintf(path, PATH_MAX, "%s/%s", length ? directory : ".", name) < PATH_MAX && fits(s, path, &of->c, c))
            return true;
        d += length;
        more = *d != '\0';
    }
    return false;
}

static bool look_in_cache(struct search *s, const char *name, const struct loaded *by, char *path, struct capture *c)
{
    struct cache_header header;
    if (!s->cache)
        return false;
    memcpy(&header, s->cache, sizeof header);
    size_t most = (s->cache_size - sizeof header) / sizeof(struct cache_entry);
    for (size_t i = 0; i < header.count && i < most; i++) {
        struct cache_entry entry;
        memcpy(&entry, s->cache + sizeof header + i * sizeof entry, sizeof entry);
        if (entry.processor || strcmp(cache_string(s, entry.name), name) != 0)
            continue;
        if (snprintf(path, PATH_MAX, "%s", cache_string(s, entry.path)) < PATH_MAX && fits(s, path, &by->c, c))
            return true;
    }
    return false;
}

static bool look_everywhere(struct search *s, const char *name, size_t number, char *path, struct capture *c)
{
    const struct loaded *by = &s->loaded[number];
    if (strchr(name, '/'))
        return expand(s, name, strlen(name), by->origin, path) && fits(s, path, &by->c, c);
    for (size_t of = number; !by->c.links.runpath; of = s->loaded[of].by) {
        if (look_in(s, s->loaded[of].c.links.runpath ? NULL : s->loaded[of].c.links.rpath, ":", name, &s->loaded[of],
                    path, c))
            return true;
        if (s->loaded[of].by == of)
            break;
    }
    const char *environment = getenv("LD_LIBRARY_PATH");
    /* Whatever file needs the library, $ORIGIN in the environment is the directory of the program. */
    return look_in(s, environment, ":;", name, &s->loaded[0], path, c) ||
           look_in(s, by->c.links.runpath, ":", name, by, path, c) || look_in_cache(s, name, by, path, c) ||
           look_in(s, "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib", ":", name, by,
                   path, c);
}

/* ---- all of them ---- */

static bool is_loaded(const struct search *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct loaded *l = &s->loaded[i];
        if (strcmp(strchr(name, '/') ? l->path : prof_base_name(l->path), name) == 0 ||
            (l->c.links.soname && strcmp(l->c.links.soname, name) == 0))
            return true;
    }
    return false;
}

/* The directory of a library; malloc. */
static char *origin_of(const char *path)
{
    char *origin = realpath(path, NULL);
    origin = origin ? origin : prof_must(strdup(path));
    char *slash = strrchr(origin, '/');
    if (slash)
        *slash = '\0';
    return origin;
}

struct directory {
    const char *at;
    size_t length;
};

static bool is_among(const struct directory *kept, size_t count, const struct directory *d)
{
    for (size_t i = 0; i < count; i++) {
        if (kept[i].length == d->length && memcmp(kept[i].at, d->at, d->length) == 0)
            return true;
    }
    return false;
}

/* Keeps each directory of the list once, and drops those that are longer than a path can be. False where there are too
 * many; then the last ones are dropped. */
static bool keep_directories(char *directories)
{
    struct directory kept[DIRECTORIES_MOST];
    size_t count = 0;
    char *to = directories;
    const char *from = directories;
    bool more = from && *from;
    for (size_t i = 0; more && i < DIRECTORIES_MOST; i++) {
        const struct directory d = {from, strcspn(from, ":")};
        more = from[d.length] == ':';
        if (d.length < PATH_MAX && !is_among(kept, count, &d)) {
            if (count)
                *to++ = ':';
            memmove(to, from, d.length);
            kept[count++] = (struct directory){to, d.length};
            to += d.length;
        }
        from += d.length + more;
    }
    if (count == 1 && kept[0].length == 0)
        *to++ = ':'; /* an empty list would have no directory */
    if (to)
        *to = '\0';
    return !more;
}

/* Adds a file to those that are loaded. Takes *c over. */
static void load(struct search *s, const char *path, struct capture *c, size_t by)
{
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 64;
        s->loaded = prof_must(realloc(s->loaded, s->capacity * sizeof *s->loaded));
    }
    const bool all_of_rpath = keep_directories(c->links.rpath);
    const bool all = keep_directories(c->links.runpath) && all_of_rpath;
    if (!all)
        prof_complain_at(
            s->p, path, 0,
            prof_format(s->p, "names more than %d directories to search; only these are", DIRECTORIES_MOST));
    s->loaded[s->count] =
        (struct loaded){.path = prof_must(strdup(path)), .origin = origin_of(path), .c = *c, .by = by};
    s->count++;
    prof_add(s->p, path, true);
}

/* Loads what the file `number` names, unless that is loaded already. Where it is nowhere, ld.so goes on without it if
 * it is `optional`. */
static void load_named(struct search *s, size_t number, const char *name, bool optional)
{
    char path[PATH_MAX];
    struct capture c;
    struct error e;
    if (s->lookups >= LOOKUPS_MOST || is_loaded(s, name) || s->count == LOADED_MOST)
        return;
    if (look_everywhere(s, name, number, path, &c)) {
        if (s->broken) /* the capture will complain of it */
            prof_add(s->p, path, true);
        else
            load(s, path, &c, number);
    } else if (!optional && s->lookups < LOOKUPS_MOST && prof_wants(s->p, name)) {
        error_set(&e, ERROR_INPUT, "needs %s, which is nowhere; see LD_LIBRARY_PATH in ld.so(8), or give --without",
                  name);
        error_at(&e, s->loaded[number].path, 0);
        prof_complain(s->p, &e);
        s->p->unreadable++;
    }
}

static void load_needed(struct search *s, size_t number)
{
    const struct capture c = s->loaded[number].c; /* the names stay where they are, s->loaded may not */
    for (size_t i = 0; i < c.links.needed_count; i++)
        load_named(s, number, c.links.needed[i], false);
    for (size_t i = 0; i < c.links.filtee_count; i++)
        load_named(s, number, c.links.filtee[i], false);
    for (size_t i = 0; i < c.links.auxiliary_count; i++)
        load_named(s, number, c.links.auxiliary[i], true);
    if (s->lookups == LOOKUPS_MOST) {
        prof_complain_at(
            s->p, s->loaded[number].path, 0,
            prof_format(s->p,
                        "needs libraries that would be looked for in more than %d places, with those of others "
                        "before it; the search ends, and libraries are missing",
                        LOOKUPS_MOST));
        s->p->unreadable++;
    }
}

/* Says so where a program is started by another dynamic linker than glibc's, as musl's, which goes by rules of its own.
 */
static void check_interpreter(struct prof *p, const char *path, const struct capture *c)
{
    static const char *const known[] = {"ld-linux", "ld-lsb", "ld-2.", "ld64.so", "ld.so"};
    const char *const slash = c->links.interpreter ? strrchr(c->links.interpreter, '/') : NULL;
    const char *const name = slash ? slash + 1 : c->links.interpreter;
    for (size_t i = 0; name && i < sizeof known / sizeof known[0]; i++)
        if (strncmp(name, known[i], strlen(known[i])) == 0)
            return;
    if (name)
        prof_complain_at(p, path, 0,
                         prof_format(p,
                                     "is started by %s, and its libraries are looked for as glibc's ld.so would, which "
                                     "may be others; capture it by --pid while it runs",
                                     c->links.interpreter));
}

/* A program without a directory is looked for in PATH, as execvp(3) does. It passes over
 * directories. */
static const char *find_program(struct prof *p, const char *name)
{
    const char *d = getenv("PATH");
    struct stat st;
    if (strchr(name, '/') || !*name)
        return name;
    for (; d && *d; d += *d == ':') {
        size_t length = strcspn(d, ":");
        const char *path = prof_format(p, "%.*s%s/%s", (int)length, d, length ? "" : ".", name);
        if (access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode))
            return path;
        d += length;
    }
    return name;
}

void prof_exec(struct prof *p, char *const *paths, size_t count)
{
    const struct capture_wish wish = {.links_only = true};
    struct search s = {.p = p};
    size_t next = 0;
    cache_open(&s);
    lib_find(&s);
    for (size_t i = 0; i < count; i++) {
        const char *path = find_program(p, paths[i]);
        struct capture c;
        struct error e;
        /* The capture will complain of what cannot be read. */
        if (!capture_read(path, &wish, &c, &e))
            prof_add(p, path, true);
        else if (!is_loaded(&s, path)) {
            check_interpreter(p, path, &c);
            load(&s, path, &c, 0); /* the first one is the program, which loads the others */
        } else
            capture_free(&c);
        for (; next < s.count && s.lookups < LOOKUPS_MOST; next++)
            load_needed(&s, next);
    }
    for (size_t i = 0; i < s.count; i++) {
        capture_free(&s.loaded[i].c);
        free(s.loaded[i].path);
        free(s.loaded[i].origin);
    }
    free(s.loaded);
    free(s.cache);
}
