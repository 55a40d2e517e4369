/* See python.h. */
#include "tools/pyelfprobe/python.h"

#include <string.h>
#include <unistd.h>

#define OUT_FILE "python"
#define LOG_FILE "python.log"

enum { SECONDS_MOST = 60 };

bool python_find(struct probe *p, struct error *e)
{
    char out[PATH_MAX], log[PATH_MAX], line[REASON_SIZE], why[REASON_SIZE];
    struct child_end end;
    const char *python = app_find_program(p->options->python, &p->arena);
    if (!python)
        return error_set(e, ERROR_INPUT, "--python: there is no program '%.300s'", p->options->python);
    char *const words[] = {(char *)python, "-I", "-c", "import os, sys; print(os.path.realpath(sys.executable))", NULL};
    probe_path(p, OUT_FILE, out);
    probe_path(p, LOG_FILE, log);
    const struct child_order order = {words, NULL, out, log, SECONDS_MOST};
    if (!child_run(&p->children, &order, &end, e))
        return false;
    children_end();
    probe_last_line(p, OUT_FILE, line);
    probe_last_line(p, LOG_FILE, why);
    if (!end.in_time || end.status != 0 || *line != '/' || access(line, X_OK) != 0)
        return error_set(e, ERROR_INPUT, "--python: '%.300s' is no Python that works%s%.200s", python, *why ? ": " : "",
                         why);
    char *real = arena_take(&p->arena, strlen(line) + 1);
    p->python = real ? strcpy(real, line) : NULL;
    return real || error_set(e, ERROR_MEMORY, "out of memory");
}
