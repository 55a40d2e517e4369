/* One run of pyelfprobe: what all of its parts need. */
#ifndef TOOLS_PYELFPROBE_PROBE_H
#define TOOLS_PYELFPROBE_PROBE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "tools/pyelfprobe/app.h"
#include "tools/pyelfprobe/cells.h"
#include "tools/pyelfprobe/child.h"
#include "tools/pyelfprobe/options.h"

/* A tool, as it was found on this machine. */
struct tool_found {
    const char *path;     /* NULL: absent */
    const char *version;  /* the first line of --version; "": none */
    const char *python;   /* PYTHONPATH=..., which lldb may need; NULL: none */
    enum outcome outcome; /* DONE: usable; otherwise why not */
    char reason[REASON_SIZE];
};

struct probe {
    const struct probe_options *options;
    struct children children;
    struct app apps[APPS_MOST];
    size_t app_count;
    enum start start;
    bool imports; /* Python imports modules; otherwise it opens files, as the loader does */
    struct tool_found tools[TOOLS];
    struct cells cells;
    const char *self;         /* path of this program */
    const char *python;       /* path of the Python that imports; NULL: none is needed */
    char directory[PATH_MAX]; /* for temporary files; "": there is none */
    bool progress;
    struct arena arena;
};

/* probe_open makes a temporary directory below $TMPDIR or /tmp. probe_tidy removes it with all its files. probe_close
 * frees the whole. */
bool probe_open(struct probe *p, struct error *e);
void probe_tidy(struct probe *p);
void probe_close(struct probe *p);

/* Sets `path`, which has PATH_MAX bytes, to that of a temporary file. */
void probe_path(const struct probe *p, const char *name, char *path);

/* Writes a temporary file. */
bool probe_write(const struct probe *p, const char *name, const char *text, size_t size, struct error *e);

/* The last line of a temporary file that is not empty, as a reason; "" where there is none. `text` has REASON_SIZE
 * bytes. */
void probe_last_line(const struct probe *p, const char *name, char *text);

/* Shows on a terminal what is being done. NULL clears the line. */
void probe_progress(const struct probe *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
