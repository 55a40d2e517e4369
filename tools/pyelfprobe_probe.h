/* One run of pyelfprobe: what all its parts need. */
#ifndef TOOLS_PYELFPROBE_PROBE_H
#define TOOLS_PYELFPROBE_PROBE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "tools/pyelfprobe_app.h"
#include "tools/pyelfprobe_cells.h"
#include "tools/pyelfprobe_child.h"
#include "tools/pyelfprobe_options.h"

/* A tool of this machine. */
struct tool_found {
    const char *path;     /* NULL where it is absent */
    const char *version;  /* the first line of --version; "" where it says none */
    const char *python;   /* PYTHONPATH=..., which lldb may need; NULL: none */
    enum outcome outcome; /* DONE, or why it cannot be used */
    char reason[REASON_SIZE];
};

struct probe {
    const struct probe_options *options;
    struct children children;
    struct app apps[APPS_MOST];
    size_t app_count;
    enum start start;
    bool imports; /* Python imports modules; else it opens files, as the loader does */
    struct tool_found tools[TOOLS];
    struct cells cells;
    const char *self;         /* this program's file */
    const char *python;       /* the Python that imports, NULL where none is needed */
    char directory[PATH_MAX]; /* for temporary files; "" where there is none */
    bool progress;
    struct arena arena;
};

/* A directory of its own below $TMPDIR or /tmp; its end, with all files in it; and that of all. */
bool probe_open(struct probe *p, struct error *e);
void probe_tidy(struct probe *p);
void probe_close(struct probe *p);

/* The path of a temporary file; `path` has PATH_MAX bytes. */
void probe_path(const struct probe *p, const char *name, char *path);

/* Writes a temporary file. */
bool probe_write(const struct probe *p, const char *name, const char *text, size_t size, struct error *e);

/* The last line that is not empty of a temporary file, "" where there is none, for
 * a reason; `text` has REASON_SIZE bytes. */
void probe_last_line(const struct probe *p, const char *name, char *text);

/* On a terminal: what is done now; NULL clears the line. */
void probe_progress(const struct probe *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
