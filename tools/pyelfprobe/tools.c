/* See tools.h. */
#include "tools/pyelfprobe/tools.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUT_FILE "version"
#define WORKS    "python works" /* the questions, which a tool may echo, never contain this */

enum { SECONDS_MOST = 60, LLDB_NEWEST = 40, LLDB_OLDEST = 9 };

/* Runs a tool with a question. The answer goes to OUT_FILE, with the standard error if `complaints`. Where there is no
 * answer in time, the tool cannot be used. */
static bool ask(struct probe *p, struct tool_found *tool, enum tool id, char *const *words, bool complaints,
                struct error *e)
{
    char out[PATH_MAX];
    const double limit = p->options->limit[id];
    const char *environment[] = {"LC_ALL=C", "DEBUGINFOD_URLS", tool->python, NULL};
    struct child_end end;
    probe_path(p, OUT_FILE, out);
    const struct child_order order = {words, environment, out, complaints ? out : NULL,
                                      limit < SECONDS_MOST ? limit : SECONDS_MOST};
    if (!child_run(&p->children, &order, &end, e))
        return false;
    children_end();
    if (!end.in_time) {
        tool->outcome = OUTCOME_TIMEOUT;
        snprintf(tool->reason, sizeof tool->reason, "%.150s does not answer within %g s", tool->path, order.limit);
    }
    return true;
}

/* Whether a line of the answer has this text. `first`, of REASON_SIZE bytes, becomes the first line. */
static bool has_answered(const struct probe *p, const char *text, char *first)
{
    char path[PATH_MAX], line[REASON_SIZE];
    bool found = false;
    probe_path(p, OUT_FILE, path);
    FILE *f = fopen(path, "re");
    first[0] = '\0';
    for (bool begun = false; f && fgets(line, sizeof line, f); begun = true) {
        line[strcspn(line, "\n")] = '\0';
        found = found || (text && strstr(line, text));
        if (!begun)
            memcpy(first, line, sizeof line);
    }
    if (f)
        fclose(f);
    return found;
}

static bool take_version(struct probe *p, enum tool id, struct error *e)
{
    struct tool_found *tool = &p->tools[id];
    char *const words[] = {(char *)tool->path, "--version", NULL};
    char first[REASON_SIZE];
    struct error printable;
    if (!ask(p, tool, id, words, false, e))
        return false;
    has_answered(p, NULL, first);
    error_set(&printable, ERROR_INPUT, "%s", first);
    char *version = arena_take(&p->arena, strlen(printable.text) + 1);
    if (!version)
        return error_set(e, ERROR_MEMORY, "out of memory");
    tool->version = strcpy(version, printable.text);
    return true;
}

/* ---- debuggers, which run Python scripts ---- */

/* Finds out whether the debugger runs scripts, with p->tools[id].python in its environment. */
static bool try_python(struct probe *p, enum tool id, bool *works, struct error *e)
{
    struct tool_found *tool = &p->tools[id];
    char first[REASON_SIZE];
    char *const gdb[] = {
        (char *)tool->path, "-nx", "-batch", "-ex", "python import json, resource; print('python ' + 'works')", NULL};
    char *const lldb[] = {(char *)tool->path,
                          "--no-lldbinit",
                          "-b",
                          "-o",
                          "script import lldb, json, resource; print('python ' + 'works')",
                          NULL};
    if (!ask(p, tool, id, id == TOOL_GDB ? gdb : lldb, true, e))
        return false;
    *works = has_answered(p, WORKS, first);
    return true;
}

/* The modules of the system's Python, relative to the directory of lldb's program. */
#define SYSTEM_MODULES "/../../python3/dist-packages"

/* Debian's lldb looks for its own Python modules in a wrong place: they are below the library directory beside its own.
 * They import modules of the system's Python. lldb finds another Python where another is first in PATH. So both
 * directories are tried as PYTHONPATH. */
static bool look_for_modules(struct probe *p, bool *works, struct error *e)
{
    static const char *const places[] = {"python3/dist-packages", "python3*/dist-packages", "python3*/site-packages",
                                         "local/lib/python3*/dist-packages"};
    struct tool_found *tool = &p->tools[TOOL_LLDB];
    char real[PATH_MAX], pattern[2 * PATH_MAX];
    if (!realpath(tool->path, real))
        return true;
    *strrchr(real, '/') = '\0';
    bool well = true;
    for (size_t i = 0; i < sizeof places / sizeof places[0] && well && !*works; i++) {
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/../lib/%s", real, places[i]);
        if (glob(pattern, 0, NULL, &found) != 0)
            continue;
        for (size_t j = 0; j < found.gl_pathc && well && !*works && tool->outcome == OUTCOME_DONE; j++) {
            const size_t size = sizeof "PYTHONPATH=:" SYSTEM_MODULES + strlen(found.gl_pathv[j]) + strlen(real);
            char *python = arena_take(&p->arena, size);
            well = python || error_set(e, ERROR_MEMORY, "out of memory");
            if (python)
                snprintf(python, size, "PYTHONPATH=%s:%s" SYSTEM_MODULES, found.gl_pathv[j], real);
            tool->python = python;
            well = well && try_python(p, TOOL_LLDB, works, e);
        }
        globfree(&found);
    }
    return well;
}

static bool check_python(struct probe *p, enum tool id, struct error *e)
{
    struct tool_found *tool = &p->tools[id];
    bool works = false;
    if (!try_python(p, id, &works, e))
        return false;
    if (!works && tool->outcome == OUTCOME_DONE && id == TOOL_LLDB && !look_for_modules(p, &works, e))
        return false;
    if (works || tool->outcome != OUTCOME_DONE)
        return true;
    char said[REASON_SIZE];
    probe_last_line(p, OUT_FILE, said);
    tool->outcome = OUTCOME_ABSENT;
    snprintf(tool->reason, sizeof tool->reason, "%.100s runs no Python scripts: %.120s", tool->path, said);
    return true;
}

/* ---- all ---- */

static void find(struct probe *p, enum tool id)
{
    struct tool_found *tool = &p->tools[id];
    const char *name = tool_names[id];
    *tool = (struct tool_found){.version = "", .outcome = OUTCOME_DONE};
    tool->path = app_find_program(name, &p->arena);
    for (int version = LLDB_NEWEST; id == TOOL_LLDB && !tool->path && version >= LLDB_OLDEST; version--) {
        char versioned[32];
        snprintf(versioned, sizeof versioned, "lldb-%d", version);
        tool->path = app_find_program(versioned, &p->arena);
    }
    if (tool->path)
        return;
    tool->outcome = OUTCOME_ABSENT;
    snprintf(tool->reason, sizeof tool->reason, "there is no %s%s in PATH", name, id == TOOL_LLDB ? " or lldb-N" : "");
}

bool tools_find(struct probe *p, struct error *e)
{
    for (int i = 0; i < TOOLS; i++) {
        const enum tool id = (enum tool)i;
        if (!p->options->tool[i])
            continue;
        if (id == TOOL_LOAD) {
            p->tools[i] = (struct tool_found){.version = "", .outcome = OUTCOME_DONE};
            continue;
        }
        probe_progress(p, "%s", tool_names[i]);
        find(p, id);
        if (p->tools[i].outcome == OUTCOME_DONE && !take_version(p, id, e))
            return false;
        if (p->tools[i].outcome == OUTCOME_DONE && (id == TOOL_GDB || id == TOOL_LLDB) && !check_python(p, id, e))
            return false;
    }
    return true;
}
