/* See start.h. */
#include "tools/pyelfprobe/start.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/executable.h"
#include "base/same.h"
#include "tools/pyelfprobe/load_py.h"

#define LIST_FILE   "list"
#define PYTHON_FILE "load.py"
#define INTERPRETER "/lib64/ld-linux-x86-64.so.2" /* path by the x86-64 psABI */

enum { VALUE_MOST = 128 << 10 }; /* bytes: MAX_ARG_STRLEN of Linux with 4 kB pages */

static bool no_memory(struct error *e)
{
    return error_set(e, ERROR_MEMORY, "out of memory");
}

/* Joins three texts in the arena; NULL where memory ran out. */
static const char *join(struct probe *p, const char *a, const char *between, const char *b)
{
    const size_t size = strlen(a) + strlen(between) + strlen(b) + 1;
    char *text = arena_take(&p->arena, size);
    if (text)
        snprintf(text, size, "%s%s%s", a, between, b);
    return text;
}

/* ---- the list ---- */

static size_t file_at(const struct start_files *files, size_t i)
{
    return files->order ? files->order[i] : i;
}

/* Writes the list for the loader or for load.py. The loader gets paths. Python gets a directory and the names that it
 * imports below it, or an empty line and paths. */
static bool write_list(const struct probe *p, const struct app *app, const struct start_files *files, struct error *e)
{
    const bool python = p->start == START_PYTHON;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return no_memory(e);
    if (python)
        fprintf(f, "%s\n", p->imports ? app->directory : "");
    for (size_t i = 0; i < files->count; i++) {
        const struct app_file *file = &app->files[file_at(files, i)];
        if (p->imports && file->stem)
            fprintf(f, "%s\n", file->stem);
        else if (!p->imports || file->opened)
            fprintf(f, "%s\n", file->path);
    }
    const bool well = fclose(f) == 0 ? probe_write(p, LIST_FILE, text, size, e) : no_memory(e);
    free(text);
    return well;
}

/* ---- what is linked ---- */

static bool can_preload(const char *path, struct error *e)
{
    return !strpbrk(path, " :") ||
           error_set(e, ERROR_INPUT, "a path with a blank or a colon cannot be in LD_PRELOAD: %.150s", path);
}

static bool add_preload(FILE *f, const char *path, struct error *e)
{
    if (!can_preload(path, e))
        return false;
    fprintf(f, "%s%s", ftell(f) ? ":" : "", path);
    return true;
}

/* Whether the path is the dynamic linker's. Every program has it already, by the path in PT_INTERP. Preloaded by
 * another path it is loaded a second time, and the program ends by SIGFPE. */
static bool is_interpreter(const char *path)
{
    return same_place(INTERPRETER, path);
}

/* The value of LD_PRELOAD: the libraries of --preload and, for PURPOSE_LINKED, all files. */
static const char *make_preload(struct probe *p, const struct app *app, enum purpose purpose, struct error *e)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    bool well = f != NULL || no_memory(e);
    for (size_t i = 0; i < p->options->preloads && well; i++)
        well = add_preload(f, p->options->preload[i], e);
    for (size_t i = 0; i < app->count && well && purpose == PURPOSE_LINKED; i++)
        well = is_interpreter(app->files[i].path) || add_preload(f, app->files[i].path, e);
    if (f && fclose(f) != 0 && well)
        well = no_memory(e);
    if (well && size + sizeof "LD_PRELOAD=" > VALUE_MOST)
        well = error_set(e, ERROR_INPUT, "LD_PRELOAD with all its %zu files would have %zu bytes, %d are the most",
                         app->count, size, (int)VALUE_MOST);
    const char *all = well ? join(p, text, "", "") : NULL;
    free(text);
    if (well && !all)
        no_memory(e);
    return all;
}

/* ---- programs ---- */

/* Whether the program signals that all is loaded. Linked with everything, it does that also if it calls what leads to a
 * place that was chosen for the user: that may be a function that nothing calls. */
static bool signals(const struct probe *p, const struct app *app, enum purpose purpose)
{
    return purpose == PURPOSE_EVENTS || (purpose == PURPOSE_LINKED && (!app->called || !p->options->place));
}

/* Makes the words that the loader and load.py share. */
static bool add_words(struct probe *p, const struct app *app, enum purpose purpose, const char **words, struct error *e)
{
    const bool reports = purpose == PURPOSE_LOAD || purpose == PURPOSE_LIVE;
    const bool calls = purpose == PURPOSE_LINKED && app->called;
    const char *called = !calls ? "" : p->imports ? app->called->stem : app->called->path;
    words[0] = join(p, p->directory, "/", LIST_FILE);
    words[1] = reports ? join(p, p->directory, "/", START_REPORT) : "-";
    words[2] = signals(p, app, purpose) ? "signal" : "-";
    words[3] = calls ? join(p, called, ":", app->call) : "-";
    words[4] = purpose == PURPOSE_LIVE ? "wait" : "-";
    return (words[0] && words[1] && words[3]) || no_memory(e);
}

static bool prepare_loader(struct probe *p, const struct app *app, enum purpose purpose, struct started *s,
                           struct error *e)
{
    const char **words = arena_zeroed(&p->arena, 10, sizeof *words);
    size_t n = 0;
    if (!words)
        return no_memory(e);
    s->words = (char *const *)words;
    if (p->start == START_PYTHON) {
        words[n++] = p->python;
        words[n++] = "-I";
        words[n++] = join(p, p->directory, "/", PYTHON_FILE);
        if (!words[n - 1])
            return no_memory(e);
        if (!probe_write(p, PYTHON_FILE, load_py, load_py_size, e))
            return false;
    } else {
        words[n++] = p->self;
        words[n++] = PROBE_LOADER;
    }
    s->signals = signals(p, app, purpose);
    s->calls = purpose == PURPOSE_LINKED && app->called;
    s->reports = purpose == PURPOSE_LOAD || purpose == PURPOSE_LIVE;
    return add_words(p, app, purpose, &words[n], e);
}

/* Prepares pyelf-link as pyelfrun would start it: with the runtime library preloaded, and with pyelfrun's options. */
static bool prepare_link(struct probe *p, const struct app *app, enum purpose purpose, struct started *s,
                         struct error *e)
{
    char runtime[PATH_MAX];
    const int directory = (int)(strrchr(p->self, '/') - p->self);
    snprintf(runtime, sizeof runtime, "%.*s/../lib/" EXECUTABLE_RUNTIME, directory, p->self);
    if (access(runtime, R_OK) != 0)
        snprintf(runtime, sizeof runtime, "%.*s/" PYELFPROBE_TO_LIB "/" EXECUTABLE_RUNTIME, directory, p->self);
    if (access(runtime, R_OK) != 0)
        return error_set(e, ERROR_INPUT, EXECUTABLE_RUNTIME " is missing beside " PROBE_PROGRAM "; is pyelfrun built?");
    if (!can_preload(runtime, e))
        return false;
    const char **words = arena_zeroed(&p->arena, 5, sizeof *words);
    if (!words)
        return no_memory(e);
    words[0] = app->link;
    words[1] = "--mode=link";
    words[2] = purpose == PURPOSE_LINKED ? "--phases=import,visit" : "--phases=import";
    words[3] = app->directory;
    s->words = (char *const *)words;
    s->preload = join(p, s->preload, *s->preload ? ":" : "", runtime);
    s->calls = purpose == PURPOSE_LINKED;
    return s->preload || no_memory(e);
}

bool start_prepare(struct probe *p, const struct app *app, enum purpose purpose, const struct start_files *files,
                   struct started *s, struct error *e)
{
    const struct start_files all = {NULL, app->count};
    char report[PATH_MAX];
    probe_path(p, START_REPORT, report);
    unlink(report);
    *s = (struct started){.words = app->command, .preload = ""};
    if (purpose == PURPOSE_LIVE && p->start != START_LOADER && p->start != START_PYTHON)
        return error_set(e, ERROR_INPUT, "nothing says when a program started by %s has loaded all; use the loader",
                         start_names[p->start]);
    if (p->start == START_COMMAND)
        return true;
    s->preload = make_preload(p, app, p->start == START_LINK ? PURPOSE_LOAD : purpose, e);
    if (!s->preload)
        return false;
    if (p->start == START_LINK)
        return prepare_link(p, app, purpose, s, e);
    return write_list(p, app, files ? files : &all, e) && prepare_loader(p, app, purpose, s, e);
}

bool start_report(const struct probe *p, struct sample *sample, unsigned long *failed, char *why)
{
    char path[PATH_MAX];
    unsigned long long objects, faults;
    long peak;
    double seconds, cpu;
    probe_path(p, START_REPORT, path);
    FILE *f = fopen(path, "re");
    why[0] = '\0';
    const bool well =
        f && fscanf(f, "%llu %lf %lf %ld %llu %lu", &objects, &seconds, &cpu, &peak, &faults, failed) == 6;
    if (well && fgetc(f) == ' ' && fgets(why, REASON_SIZE, f))
        why[strcspn(why, "\n")] = '\0';
    if (f)
        fclose(f);
    if (well)
        *sample = (struct sample){.of = {[METRIC_WALL] = seconds,
                                         [METRIC_CPU] = cpu,
                                         [METRIC_RSS] = (double)peak * 1024,
                                         [METRIC_FAULTS] = (double)faults,
                                         [METRIC_FOUND] = (double)objects}};
    return well;
}
