/* See app.h. */
#include "tools/pyelfprobe/app.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cli.h"
#include "base/executable.h"
#include "base/file_begin.h"
#include "base/manifest.h"
#include "tools/pyelfprobe/elf.h"

enum { DEPTH_MOST = 32, LIST_BYTES_MOST = 1 << 26, CHAIN_END = 9 };

static bool no_memory(struct error *e)
{
    return error_set(e, ERROR_MEMORY, "out of memory");
}

static const char *copy(struct arena *arena, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *to = arena_take(arena, size);
    return to ? memcpy(to, text, size) : NULL;
}

/* ---- files ---- */

/* Makes room for one more file by doubling. The old array stays in the arena. */
static struct app_file *grow(struct app *app, struct arena *arena)
{
    if (app->count == 0 || (app->count >= 16 && (app->count & (app->count - 1)) == 0)) {
        const size_t room = app->count ? app->count * 2 : 16;
        struct app_file *more = arena_zeroed(arena, room, sizeof *more);
        if (more && app->count)
            memcpy(more, app->files, app->count * sizeof *more);
        app->files = more;
    }
    return app->files ? &app->files[app->count] : NULL;
}

bool app_add(struct app *app, const char *path, struct arena *arena, struct error *e)
{
    char real[PATH_MAX];
    struct stat st;
    if (!realpath(path, real) || stat(real, &st) != 0)
        return error_errno(e, path, "cannot be found");
    if (strpbrk(real, "\n\r"))
        return error_set(e, ERROR_INPUT, "%s: a name with a line break in it cannot be used", path);
    if (!S_ISREG(st.st_mode))
        return error_set(e, ERROR_INPUT, "%s: is no regular file", path);
    for (size_t i = 0; i < app->count; i++)
        if (strcmp(app->files[i].path, real) == 0)
            return true;
    uint64_t end;
    if (!object_is_whole(real, &end))
        return error_set(e, ERROR_INPUT, "%s: is cut short: its segments end at byte %" PRIu64 ", and it has %" PRIu64,
                         path, end, (uint64_t)st.st_size);
    struct app_file *file = grow(app, arena);
    if (!file)
        return no_memory(e);
    *file = (struct app_file){.path = copy(arena, real), .bytes = (uint64_t)st.st_size};
    if (!file->path)
        return no_memory(e);
    app->count++;
    app->bytes += file->bytes;
    return true;
}

/* ---- a directory ---- */

static bool is_shared_name(const char *name)
{
    const size_t length = strlen(name);
    return (length > 3 && strcmp(name + length - 3, ".so") == 0) || strstr(name, ".so.") != NULL;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool walk(struct app *app, const char *directory, int depth, struct arena *arena, struct error *e);

static bool visit(struct app *app, const char *directory, const char *name, int depth, struct arena *arena,
                  struct error *e)
{
    char path[PATH_MAX];
    struct stat st;
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return error_errno(e, directory, "cannot be listed");
    }
    if (lstat(path, &st) != 0)
        return true; /* removed meanwhile */
    if (S_ISDIR(st.st_mode))
        return walk(app, path, depth + 1, arena, e);
    if (!S_ISREG(st.st_mode) || !is_shared_name(name) || !object_is(path))
        return true;
    return app_add(app, path, arena, e);
}

/* Adds the shared objects in a directory and below, in version order. Does not follow symbolic links, and passes over
 * hidden names. */
static bool walk(struct app *app, const char *directory, int depth, struct arena *arena, struct error *e)
{
    struct dirent **entries;
    if (depth > DEPTH_MOST)
        return error_set(e, ERROR_INPUT, "%s: more than %d directories deep", directory, DEPTH_MOST);
    const int count = scandir(directory, &entries, is_visible, versionsort);
    if (count < 0)
        return error_errno(e, directory, "cannot be listed");
    bool well = true;
    for (int i = 0; i < count; i++) {
        well = well && visit(app, directory, entries[i]->d_name, depth, arena, e);
        free(entries[i]);
    }
    free(entries);
    return well;
}

/* ---- a set ---- */

static bool take_set(struct app *app, const struct manifest *m, struct arena *arena, struct error *e)
{
    if (m->joined)
        return error_set(e, ERROR_INPUT,
                         "this set has no libraries, only an executable; generate it without "
                         "--no-libraries, or give the executable to --command");
    for (size_t i = 0; i < m->count; i++) {
        const struct manifest_library *l = &m->libraries[i];
        char path[PATH_MAX];
        const size_t before = app->count;
        if (snprintf(path, sizeof path, "%s/%s", app->label, l->name) >= (int)sizeof path)
            return error_set(e, ERROR_INPUT, "its path is too long");
        if (!app_add(app, path, arena, e))
            return false;
        if (app->count == before)
            continue;
        struct app_file *file = &app->files[before];
        file->opened = l->opened;
        if (i >= m->imported)
            continue;
        file->stem = copy(arena, l->stem);
        file->entry = l->kind == MANIFEST_MODULE && l->entry ? copy(arena, l->entry) : NULL;
        if (!file->stem || (file->entry == NULL && l->kind == MANIFEST_MODULE && l->entry))
            return no_memory(e);
    }
    return true;
}

static bool take_directory(struct app *app, struct arena *arena, struct error *e)
{
    struct manifest m;
    char real[PATH_MAX];
    bool absent;
    if (!realpath(app->label, real))
        return error_errno(e, app->label, "cannot be found");
    app->directory = copy(arena, real);
    if (!app->directory)
        return no_memory(e);
    if (manifest_read(&m, app->label, &absent, e)) {
        app->set = true;
        app->modules = m.modules;
        const bool well = take_set(app, &m, arena, e);
        manifest_free(&m);
        return well;
    }
    return absent && walk(app, real, 0, arena, e);
}

/* ---- a list ---- */

/* The path in a line. pyelfprof --list writes the name of the twin's library and a tab before it. */
static const char *path_in(const char *line)
{
    const char *const tab = strchr(line, '\t');
    const char *const slash = strchr(line, '/');
    return tab && strncmp(line, "lib", 3) == 0 && (!slash || tab < slash) ? tab + 1 : line;
}

/* Reads one path from each line, absolute or relative to the list's directory. `#` begins a comment. */
static bool take_list(struct app *app, struct arena *arena, struct error *e)
{
    FILE *f = fopen(app->label, "re");
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    uint64_t bytes = 0;
    bool well = f != NULL || error_errno(e, app->label, "cannot be read");
    const char *slash = strrchr(app->label, '/');
    for (ssize_t n; well && (n = getline(&line, &room, f)) > 0;) {
        char path[PATH_MAX];
        number++;
        bytes += (uint64_t)n;
        line[strcspn(line, "\n")] = '\0';
        if (bytes > LIST_BYTES_MOST || strlen(line) + 1 < (size_t)n) {
            well = error_set(e, ERROR_INPUT, "is no list of files: one path a line is expected, or a directory");
        } else if (*line && *line != '#') {
            const char *const file = path_in(line);
            const int directory = slash && *file != '/' ? (int)(slash - app->label) + 1 : 0;
            const int length = snprintf(path, sizeof path, "%.*s%s", directory, app->label, file);
            well = length < (int)sizeof path && object_is(path)
                       ? app_add(app, path, arena, e)
                       : error_set(e, ERROR_INPUT,
                                   "'%.200s' is no shared object for x86-64; one path a line is "
                                   "expected",
                                   line);
        }
        if (!well)
            error_at(e, app->label, number);
    }
    free(line);
    if (f)
        fclose(f);
    return well;
}

/* ---- a command ---- */

const char *app_find_program(const char *name, struct arena *arena)
{
    struct stat st;
    if (strchr(name, '/'))
        return access(name, X_OK) == 0 && stat(name, &st) == 0 && S_ISREG(st.st_mode) ? copy(arena, name) : NULL;
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        char try[PATH_MAX];
        const size_t length = strcspn(p, ":");
        const int n = snprintf(try, sizeof try, "%.*s%s%s", (int)length, p, length ? "/" : "", name);
        if (n > 0 && n < (int)sizeof try && access(try, X_OK) == 0 && stat(try, &st) == 0 && S_ISREG(st.st_mode))
            return copy(arena, try);
        p += length + (p[length] == ':');
    }
    return NULL;
}

static bool take_command(struct app *app, struct arena *arena, struct error *e)
{
    char *rest = (char *)copy(arena, app->label);
    app->command = arena_zeroed(arena, strlen(app->label) + 2, sizeof *app->command);
    if (!rest || !app->command)
        return no_memory(e);
    bool closed = true;
    for (size_t count = 0; closed && (app->command[count] = cli_word(&rest, &closed)); count++)
        continue;
    if (!closed)
        return error_set(e, ERROR_USAGE, "--command: a quote is not closed: %.300s", app->label);
    if (!app->command[0])
        return error_set(e, ERROR_USAGE, "--command: no command is given");
    const char *program = app_find_program(app->command[0], arena);
    if (!program)
        return error_set(e, ERROR_INPUT, "--command: there is no program '%.300s'", app->command[0]);
    app->command[0] = (char *)program;
    return true;
}

/* ---- where to break ---- */

/* A function behind nine others in a chain. The functions of a set's module stand by number behind PyInit_, the entry
 * and the extern, and each tenth begins a chain. Where the profile has rows, a module may export functions that are in
 * no chain, and no name tells which: whether it is called turns out when the program runs. */
static const char *end_of_chain(const struct app_file *file, const struct object *o)
{
    const char *last = NULL;
    size_t seen = 0;
    for (size_t i = 0; i < o->function_count && seen <= CHAIN_END; i++) {
        const char *name = o->functions[i];
        const size_t length = strlen(name);
        if (strncmp(name, "PyInit_", 7) == 0 || strcmp(name, file->entry) == 0 ||
            (length > 7 && strcmp(name + length - 7, "_extern") == 0))
            continue;
        last = name;
        seen++;
    }
    return last;
}

/* Finds the call for a function that the user gave: the entry of the module whose name the function begins with. */
static void find_call(struct app *app)
{
    for (size_t i = 0; i < app->count; i++) {
        const struct app_file *file = &app->files[i];
        const size_t length = file->stem ? strlen(file->stem) : 0;
        if (file->entry && strncmp(app->place, file->stem, length) == 0 && app->place[length] == '_') {
            app->call = file->entry;
            app->called = file;
        }
    }
}

/* Where to look for a function to break at: in modules of a set, whose entry leads there; in all other files; in
 * modules that have no function but the one by which Python knows them. */
enum among { AMONG_MODULES, AMONG_OTHERS, AMONG_BARE };

/* Chooses a function of the last file of that kind that has one. */
static bool choose_among(struct app *app, enum among among, struct arena *arena, struct error *e)
{
    for (size_t i = app->count; i-- > 0 && !app->place;) {
        const struct app_file *file = &app->files[i];
        struct object object;
        if (among == AMONG_OTHERS ? file->stem != NULL : !file->entry)
            continue;
        if (!object_read(file->path, arena, &object))
            return no_memory(e);
        if (!object.function_count)
            continue;
        app->place = among == AMONG_MODULES ? end_of_chain(file, &object) : object.functions[object.function_count / 2];
        if (among == AMONG_MODULES && app->place) {
            app->call = file->entry;
            app->called = file;
        }
    }
    return true;
}

/* Chooses the place to break at, when all files are known. */
static bool choose_place(struct app *app, const struct probe_options *o, struct arena *arena, struct error *e)
{
    app->place = o->place;
    if (app->place) {
        find_call(app);
        return true;
    }
    for (enum among among = AMONG_MODULES; among <= AMONG_BARE; among++)
        if (!choose_among(app, among, arena, e))
            return false;
    return true;
}

/* ---- all ---- */

bool app_open(struct app *app, const struct probe_options *o, size_t number, struct arena *arena, struct error *e)
{
    struct stat st;
    *app = (struct app){.label = o->app[number]};
    if (o->commands)
        return take_command(app, arena, e) && choose_place(app, o, arena, e);
    if (stat(app->label, &st) != 0)
        return error_errno(e, app->label, "cannot be found");
    if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
        return error_set(e, ERROR_INPUT, "is neither a directory nor a list of files") || error_at(e, app->label, 0);
    if (S_ISREG(st.st_mode) && object_is(app->label))
        return error_set(e, ERROR_INPUT,
                         "is a library or program; give the directory that libraries are in, a file with their paths, "
                         "or --command") ||
               error_at(e, app->label, 0);
    if (S_ISREG(st.st_mode) && file_is_profile(app->label))
        return error_set(e, ERROR_INPUT,
                         "is a profile; give the set that pyelfgen has made of it, or the application's own files") ||
               error_at(e, app->label, 0);
    const bool well = S_ISDIR(st.st_mode) ? take_directory(app, arena, e) : take_list(app, arena, e);
    if (!well)
        return e->file[0] ? false : error_at(e, app->label, 0);
    if (!app->count)
        return error_set(e, ERROR_INPUT, "has no shared objects; give a set, or where *.so are") ||
               error_at(e, app->label, 0);
    return choose_place(app, o, arena, e);
}

bool app_imports(const struct app *app)
{
    return app->modules;
}

bool app_find_link(struct app *app, struct arena *arena, struct error *e)
{
    char path[PATH_MAX];
    if (app->set && snprintf(path, sizeof path, "%s/" MANIFEST_ROWS_FILE, app->directory) < (int)sizeof path &&
        access(path, F_OK) == 0)
        return error_set(e, ERROR_USAGE,
                         "--start=link: %s has no " EXECUTABLE_LINK ", as no set whose profile has rows for its "
                         "libraries; use --start=loader or python",
                         app->label);
    if (!app->set || snprintf(path, sizeof path, "%s/" EXECUTABLE_LINK, app->directory) >= (int)sizeof path ||
        access(path, X_OK) != 0)
        return error_set(e, ERROR_USAGE,
                         "--start=link: %s has no " EXECUTABLE_LINK "; generate it with pyelfgen --link", app->label);
    app->link = copy(arena, path);
    return app->link || no_memory(e);
}

/* ---- the page cache ---- */

bool app_cache(const struct app *app, enum page_cache_wish wish, struct page_cache *seen, struct error *e)
{
    bool well = true;
    *seen = (struct page_cache){0};
    for (size_t i = 0; i < app->count && well; i++) {
        const int fd = open(app->files[i].path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
            well = error_errno(e, app->files[i].path, "cannot be read");
        else
            well = page_cache_treat(seen, fd, wish, e) || error_at(e, app->files[i].path, 0);
        if (fd >= 0)
            close(fd);
    }
    page_cache_free(seen);
    return well;
}
