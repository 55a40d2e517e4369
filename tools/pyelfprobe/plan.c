/* See plan.h. */
#include "tools/pyelfprobe/plan.h"

#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/pyelfprobe/start.h"

#define PLAN_FILE  "plan.json"
#define MARKS_FILE "marks"

static json_object *text_or_null(const char *text)
{
    return text ? json_object_new_string(text) : NULL;
}

static void add_program(json_object *root, const struct started *program)
{
    json_object *arguments = json_object_new_array(), *environment = json_object_new_object();
    json_object_object_add(root, "program", json_object_new_string(program->words[0]));
    for (size_t i = 1; program->words[i]; i++)
        json_object_array_add(arguments, json_object_new_string(program->words[i]));
    if (*program->preload)
        json_object_object_add(environment, "LD_PRELOAD", json_object_new_string(program->preload));
    /* The program's own; lldb may run with another one. */
    if (getenv("PYTHONPATH"))
        json_object_object_add(environment, "PYTHONPATH", json_object_new_string(getenv("PYTHONPATH")));
    json_object_object_add(root, "arguments", arguments);
    json_object_object_add(root, "environment", environment);
    json_object_object_add(root, "signal", json_object_new_boolean(program->signals));
}

static bool is_among(json_object *directories, const char *directory)
{
    for (size_t i = 0; i < json_object_array_length(directories); i++)
        if (strcmp(json_object_get_string(json_object_array_get_idx(directories, i)), directory) == 0)
            return true;
    return false;
}

/* Directories of the application's files that have a tree of build-ids. Debuggers find debug files there only if they
 * are told; they follow .gnu_debuglink by themselves. */
static json_object *debug_directories(const struct app *app)
{
    char last[PATH_MAX] = "", tree[PATH_MAX];
    json_object *found = json_object_new_array();
    for (size_t i = 0; found && i < app->count; i++) {
        const char *path = app->files[i].path;
        const size_t length = (size_t)(strrchr(path, '/') - path);
        if (strncmp(path, last, length) == 0 && !last[length])
            continue;
        snprintf(last, sizeof last, "%.*s", (int)length, path);
        if (snprintf(tree, sizeof tree, "%s/.build-id", last) < (int)sizeof tree && access(tree, X_OK) == 0 &&
            !is_among(found, last))
            json_object_array_add(found, json_object_new_string(last));
    }
    return found;
}

bool plan_write(const struct probe *p, const struct plan *plan, char *path, struct error *e)
{
    static const char *const sessions[SESSIONS] = {"linked", "events", "attach"};
    char marks[PATH_MAX];
    json_object *root = json_object_new_object(), *breakpoints = json_object_new_array();
    if (!root || !breakpoints)
        return error_set(e, ERROR_MEMORY, "out of memory");
    probe_path(p, PLAN_FILE, path);
    probe_path(p, MARKS_FILE, marks);
    unlink(marks);
    json_object_object_add(root, "session", json_object_new_string(sessions[plan->session]));
    json_object_object_add(root, "marks", json_object_new_string(marks));
    json_object_object_add(root, "pid", json_object_new_int64(plan->pid));
    json_object_object_add(root, "break", text_or_null(plan->place));
    json_object_object_add(root, "pattern", text_or_null(plan->pattern));
    json_object_object_add(root, "until", text_or_null(plan->until));
    json_object_object_add(root, "backtrace", json_object_new_boolean(plan->backtrace));
    for (size_t i = 0; i < plan->breakpoint_count; i++)
        json_object_array_add(breakpoints, json_object_new_string(plan->breakpoints[i]));
    json_object_object_add(root, "breakpoints", breakpoints);
    json_object_object_add(root, "debug-directories", debug_directories(plan->app));
    if (plan->program)
        add_program(root, plan->program);
    const char *text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_NOSLASHESCAPE);
    const bool well =
        text ? probe_write(p, PLAN_FILE, text, strlen(text), e) : error_set(e, ERROR_MEMORY, "out of memory");
    json_object_put(root);
    return well;
}

/* Takes a line "missed STEP REASON". */
static void take_missed(struct marks *marks, const char *line)
{
    int at = 0;
    if (marks->missed_count == MISSED_MOST)
        return;
    struct missed *m = &marks->missed[marks->missed_count];
    if (sscanf(line, "missed %15s %n", m->name, &at) != 1 || at == 0)
        return;
    snprintf(m->reason, sizeof m->reason, "%.*s", REASON_SIZE - 1, line + at);
    marks->missed_count++;
}

void plan_marks(const struct probe *p, struct marks *marks)
{
    char path[PATH_MAX], *line = NULL;
    size_t room = 0;
    *marks = (struct marks){0};
    probe_path(p, MARKS_FILE, path);
    FILE *f = fopen(path, "re");
    while (f && marks->count < MARKS_MOST && getline(&line, &room, f) > 0) {
        struct mark *m = &marks->of[marks->count];
        unsigned long long kilobytes;
        long long found;
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "error ", 6) == 0)
            snprintf(marks->error, sizeof marks->error, "%.*s", REASON_SIZE - 1, line + 6);
        else if (strncmp(line, "missed ", 7) == 0)
            take_missed(marks, line);
        else if (sscanf(line, "%15s %lf %lf %llu %lld", m->name, &m->clock, &m->cpu, &kilobytes, &found) == 5) {
            m->rss = (double)kilobytes * 1024;
            m->found = found < 0 ? NAN : (double)found;
            marks->count++;
        }
    }
    free(line);
    if (f)
        fclose(f);
}

const struct mark *plan_find(const struct marks *marks, const char *name)
{
    for (size_t i = 0; i < marks->count; i++)
        if (strcmp(marks->of[i].name, name) == 0)
            return &marks->of[i];
    return NULL;
}

const char *plan_missed(const struct marks *marks, const char *name)
{
    for (size_t i = 0; i < marks->missed_count; i++)
        if (strcmp(marks->missed[i].name, name) == 0)
            return marks->missed[i].reason;
    return NULL;
}
