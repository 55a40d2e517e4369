/* See live.h. */
#include "tools/pyelfprobe/live.h"

#include <dirent.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/loader_error.h"
#include "tools/pyelfprobe/elf.h"
#include "tools/pyelfprobe/start.h"

#define LOG_FILE     "application"
#define LD_DEBUG_OUT "loaded"

enum { ENVIRONMENT_MOST = 8, PATH_SHOWN = 300, PLACED_SIZE = REASON_SIZE + PATH_SHOWN + 64 };

/* The environment of an application, with its own LD_PRELOAD instead of this process's. */
struct environment {
    char *preload; /* owned */
    const char *of[ENVIRONMENT_MOST];
};

static bool make_environment(struct environment *v, const struct started *s, struct error *e)
{
    *v = (struct environment){.of = {"LD_DEBUG", "LD_DEBUG_OUTPUT"}};
    if (*s->preload && asprintf(&v->preload, "LD_PRELOAD=%s", s->preload) < 0)
        return error_set(e, ERROR_MEMORY, "out of memory");
    v->of[2] = v->preload;
    return true;
}

static void say_limit(const struct probe *p, enum tool tool, char *reason)
{
    snprintf(reason, REASON_SIZE, "the application took longer than the time limit of %g s", p->options->limit[tool]);
}

/* Why the application failed, by what it printed or how it ended. */
static void say_failed(const struct probe *p, const struct child_end *end, char *reason)
{
    probe_last_line(p, LOG_FILE, reason);
    if (!*reason)
        child_how(end, reason, REASON_SIZE);
}

/* ---- an application that stays ---- */

/* Waits until the report is there, or the limit has passed. Where the process ends before that, sets end->in_time and
 * end->status. */
static bool await_report(struct probe *p, pid_t pid, double limit, bool *reported, struct child_end *end,
                         struct error *e)
{
    char path[PATH_MAX];
    const double begun = child_clock();
    probe_path(p, START_REPORT, path);
    for (*reported = false; child_clock() - begun < limit;) {
        if (access(path, F_OK) == 0) {
            *reported = true;
            return true;
        }
        if (waitpid(pid, &end->status, WNOHANG) == pid) {
            end->in_time = true;
            return true;
        }
        if (!children_pause(&p->children, 0.005, e))
            return false;
    }
    return true;
}

bool live_begin(struct probe *p, size_t number, enum tool tool, struct live *live, struct error *e)
{
    struct started program;
    struct environment environment;
    struct child_end end = {0};
    struct error reason;
    char log[PATH_MAX];
    bool reported = false;
    double begun;
    *live = (struct live){.outcome = OUTCOME_ABSENT};
    if (!start_prepare(p, &p->apps[number], PURPOSE_LIVE, NULL, &program, &reason)) {
        *e = reason;
        snprintf(live->reason, sizeof live->reason, "%.*s", REASON_SIZE - 1, reason.text);
        return reason.code == ERROR_INPUT;
    }
    if (!make_environment(&environment, &program, e))
        return false;
    probe_path(p, LOG_FILE, log);
    const struct child_order order = {program.words, environment.of, log, log, 0};
    const bool well = child_begin(&p->children, &order, &live->pid, &begun, e) &&
                      await_report(p, live->pid, p->options->limit[tool], &reported, &end, e);
    free(environment.preload);
    if (!well)
        return false;
    if (reported) {
        live->outcome = OUTCOME_DONE;
        return true;
    }
    children_end();
    live->outcome = end.in_time ? OUTCOME_FAILED : OUTCOME_TIMEOUT;
    if (end.in_time)
        say_failed(p, &end, live->reason);
    else
        say_limit(p, tool, live->reason);
    return true;
}

/* ---- an application that ends ---- */

/* Runs the application to its end. `more` is added to its environment. */
static bool run(struct probe *p, size_t number, const char *const *more, struct started *program, struct child_end *end,
                struct error *e)
{
    struct environment environment;
    char log[PATH_MAX];
    if (!start_prepare(p, &p->apps[number], PURPOSE_LOAD, NULL, program, e) ||
        !make_environment(&environment, program, e))
        return false;
    size_t n = environment.preload ? 3 : 2;
    for (; more && *more; more++)
        environment.of[n++] = *more;
    probe_path(p, LOG_FILE, log);
    const struct child_order order = {program->words, environment.of, log, log, p->options->limit[TOOL_LOAD]};
    const bool well = child_run(&p->children, &order, end, e);
    free(environment.preload);
    if (well)
        children_end();
    return well;
}

static void say_not_opened(const struct app *app, unsigned long failed, const char *why, char *reason)
{
    snprintf(reason, REASON_SIZE, "%lu of %zu could not be opened, not to be compared; the first: %.150s", failed,
             app->count, why);
}

void live_remark(const struct app *app, struct cell *cell)
{
    if (cell->outcome == OUTCOME_DONE && !*cell->reason)
        memcpy(cell->reason, app->unopened, sizeof cell->reason);
}

bool live_measure(struct probe *p, enum cache cache, size_t number, struct error *e)
{
    struct cell *cell = &p->cells.of[TOOL_LOAD][STEP_WHOLE][cache][number];
    struct started program;
    struct child_end end;
    struct sample sample;
    unsigned long failed;
    char why[REASON_SIZE];
    if (cell->outcome == OUTCOME_FAILED || cell->outcome == OUTCOME_TIMEOUT)
        return true;
    if (!run(p, number, NULL, &program, &end, e))
        return false;
    if (!end.in_time) {
        say_limit(p, TOOL_LOAD, why);
        cell_miss(cell, OUTCOME_TIMEOUT, why);
        return true;
    }
    if (end.status != 0) {
        say_failed(p, &end, why);
        cell_miss(cell, OUTCOME_FAILED, why);
        return true;
    }
    sample = (struct sample){.of = {[METRIC_WALL] = end.wall,
                                    [METRIC_CPU] = end.cpu,
                                    [METRIC_RSS] = (double)end.rss,
                                    [METRIC_FAULTS] = NAN,
                                    [METRIC_FOUND] = NAN}};
    if (program.reports && !start_report(p, &sample, &failed, why)) {
        cell_miss(cell, OUTCOME_FAILED, "the application has not reported");
        return true;
    }
    if (program.reports && failed)
        say_not_opened(&p->apps[number], failed, why, cell->reason);
    return cell_add(cell, &sample) || error_set(e, ERROR_MEMORY, "out of memory");
}

/* ---- before the measurements ---- */

struct shared {
    const char *path;
    bool is;
};

static int compare_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
    struct shared *shared = data;
    char real[PATH_MAX];
    (void)size;
    shared->is = shared->is || (*info->dlpi_name && realpath(info->dlpi_name, real) && strcmp(real, shared->path) == 0);
    return shared->is;
}

/* Whether this program has loaded the file too, as it has libc. Other processes have such a file in memory anyway, so
 * it does not count as the application's. */
static bool is_everyones(const char *path)
{
    char real[PATH_MAX];
    struct shared shared = {.path = real};
    return !realpath(path, real) || (dl_iterate_phdr(compare_loaded, &shared), shared.is);
}

/* Adds files from lines of LD_DEBUG=files: "   1234:     calling init: /usr/lib/libx.so". Removes what it has read, or
 * it would count for the next command too. */
static bool take_loaded(struct probe *p, struct app *app, const char *name, struct error *e)
{
    static const char key[] = "calling init: ";
    char path[PATH_MAX], *line = NULL;
    size_t room = 0;
    bool well = true;
    probe_path(p, name, path);
    FILE *f = fopen(path, "re");
    while (f && well && getline(&line, &room, f) > 0) {
        line[strcspn(line, "\n")] = '\0';
        const char *at = strstr(line, key);
        const char *file = at ? at + sizeof key - 1 : "";
        if (*file == '/' && object_is(file) && !is_everyones(file))
            well = app_add(app, file, &p->arena, e);
    }
    free(line);
    if (f)
        fclose(f);
    unlink(path);
    return well;
}

/* Reads the files that LD_DEBUG has made, one for each process. */
static bool take_files(struct probe *p, struct app *app, struct error *e)
{
    struct dirent **entries;
    const int count = scandir(p->directory, &entries, NULL, alphasort);
    bool well = count >= 0 || error_errno(e, p->directory, "cannot be listed");
    for (int i = 0; i < count; i++) {
        if (well && strncmp(entries[i]->d_name, LD_DEBUG_OUT ".", sizeof LD_DEBUG_OUT) == 0)
            well = take_loaded(p, app, entries[i]->d_name, e);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (well && !app->count)
        well = error_set(e, ERROR_INPUT,
                         "--command: '%.200s' has loaded no shared object but those of every program, as libc; "
                         "give one that does, and is linked dynamically",
                         app->label);
    return well;
}

/* The file of the application that a line of LD_DEBUG=files tells of, as it is loaded or initialised; NULL: none. */
static const char *file_at(const struct app *app, const char *line)
{
    static const char *const keys[] = {"calling init: ", "file="};
    for (unsigned k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        const char *at = strstr(line, keys[k]);
        const char *file = at ? at + strlen(keys[k]) : "";
        const size_t length = strcspn(file, " \n"); /* behind "file=" the namespace follows */
        for (size_t i = 0; i < app->count; i++)
            if (strlen(app->files[i].path) == length && memcmp(app->files[i].path, file, length) == 0)
                return app->files[i].path;
    }
    return NULL;
}

/* Sets *last to the file that the last such line of what LD_DEBUG has written tells of, and removes that. */
static void take_last(const struct probe *p, const struct app *app, const char *name, const char **last)
{
    char path[PATH_MAX], *line = NULL;
    size_t room = 0;
    probe_path(p, name, path);
    FILE *f = fopen(path, "re");
    while (f && getline(&line, &room, f) > 0) {
        const char *const file = file_at(app, line);
        *last = file ? file : *last;
    }
    free(line);
    if (f)
        fclose(f);
    unlink(path);
}

/* Adds to `why`, which is how an application failed, which of its files the dynamic linker was at: it is one whose
 * constructor ends the process, say. The application is started once more for that; where it tells nothing, nothing is
 * added. */
static bool say_where(struct probe *p, size_t number, char *why, struct error *e)
{
    char out[PATH_MAX], debug[PATH_MAX + sizeof "LD_DEBUG_OUTPUT="], said[REASON_SIZE];
    const char *const more[] = {"LD_DEBUG=files", debug, NULL};
    const char *last = NULL;
    struct started program;
    struct child_end end;
    struct dirent **entries;
    probe_path(p, LD_DEBUG_OUT, out);
    snprintf(debug, sizeof debug, "LD_DEBUG_OUTPUT=%s", out);
    if (!run(p, number, more, &program, &end, e))
        return false;
    const int count = scandir(p->directory, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (strncmp(entries[i]->d_name, LD_DEBUG_OUT ".", sizeof LD_DEBUG_OUT) == 0)
            take_last(p, &p->apps[number], entries[i]->d_name, &last);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    memcpy(said, why, sizeof said);
    if (last)
        snprintf(why, PLACED_SIZE, "%s, when it loaded %.*s; give a list of the other files", said, PATH_SHOWN, last);
    return true;
}

static bool cannot_run(const struct app *app, const char *why, struct error *e)
{
    const unsigned minor = loader_error_python(why);
    char python[128] = "libpython3.11.so.1.0 or whatever it is called here";
    if (minor)
        snprintf(python, sizeof python, "the path of libpython3.%u.so.1.0, for which these files are", minor);
    error_set(e, ERROR_INPUT, "cannot be started: %s%s%s", why,
              loader_error_is_python(why) ? "; give --start=python, or --preload=" : "",
              loader_error_is_python(why) ? python : "");
    return error_at(e, app->label, 0);
}

/* Sets *e for a command that was started but did not end well: how it ended, and what it printed last. */
static bool has_failed(const struct probe *p, const struct app *app, const struct child_end *end, struct error *e)
{
    char how[REASON_SIZE], why[REASON_SIZE];
    child_how(end, how, sizeof how);
    probe_last_line(p, LOG_FILE, why);
    error_set(e, ERROR_INPUT, "was started, and did not end well: %s%s%.300s", how, *why ? ": " : "", why);
    return error_at(e, app->label, 0);
}

/* Whether the dynamic linker said that it did not find a library of --preload; then *e says so. It goes on without the
 * library. */
static bool lacks_preload(const struct probe *p, struct error *e)
{
    char path[PATH_MAX], *line = NULL;
    size_t room = 0;
    bool lacks = false;
    probe_path(p, LOG_FILE, path);
    FILE *f = p->options->preloads ? fopen(path, "re") : NULL;
    for (ssize_t n; f && !lacks && (n = getline(&line, &room, f)) > 0;) {
        char *at = strstr(line, "ld.so: object '");
        char *name = at ? strchr(at, '\'') + 1 : NULL;
        lacks = name && strstr(name, "' from LD_PRELOAD cannot be preloaded");
        if (!lacks)
            continue;
        char *why = strchr(name, '\'');
        *why++ = '\0';
        why = strchr(why, '(');
        error_set(e, ERROR_USAGE, "--preload: '%.300s' cannot be preloaded%s%.*s; give a library, by its path", name,
                  why ? ": " : "", why ? (int)strcspn(why + 1, ")\n") : 0, why ? why + 1 : "");
    }
    free(line);
    if (f)
        fclose(f);
    return lacks;
}

bool live_look(struct probe *p, size_t number, bool *none, struct error *e)
{
    struct app *app = &p->apps[number];
    char why[REASON_SIZE];
    struct started program;
    struct child_end end;
    struct sample sample;
    unsigned long failed = 0;
    if (!run(p, number, NULL, &program, &end, e))
        return false;
    app->unopened[0] = '\0';
    if (program.reports && start_report(p, &sample, &failed, why) && failed)
        say_not_opened(app, failed, why, app->unopened);
    *none = failed == app->count;
    return true;
}

bool live_try(struct probe *p, size_t number, struct error *e)
{
    struct app *app = &p->apps[number];
    char out[PATH_MAX], debug[PATH_MAX + sizeof "LD_DEBUG_OUTPUT="], why[PLACED_SIZE];
    struct started program;
    struct child_end end;
    struct sample sample;
    unsigned long failed = 0;
    probe_path(p, LD_DEBUG_OUT, out);
    snprintf(debug, sizeof debug, "LD_DEBUG_OUTPUT=%s", out);
    const char *files[] = {"LD_DEBUG=files", debug, NULL};
    const bool command = p->start == START_COMMAND;
    if (!run(p, number, command ? files : NULL, &program, &end, e))
        return false;
    if (lacks_preload(p, e))
        return false;
    if (!end.in_time) {
        say_limit(p, TOOL_LOAD, why);
        return cannot_run(app, why, e);
    }
    if (end.status != 0 && command && !child_was_not_executed(&end))
        return has_failed(p, app, &end, e);
    if (end.status != 0) {
        say_failed(p, &end, why);
        return say_where(p, number, why, e) && cannot_run(app, why, e);
    }
    if (program.reports && !start_report(p, &sample, &failed, why))
        return cannot_run(app, "it has not reported", e);
    if (failed && (failed == app->count || loader_error_is_python(why)))
        return cannot_run(app, why, e);
    if (failed)
        say_not_opened(app, failed, why, app->unopened);
    return !command || take_files(p, app, e);
}
