/* An application that is measured: which files, in which order, started how. */
#ifndef TOOLS_PYELFPROBE_APP_H
#define TOOLS_PYELFPROBE_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/page_cache.h"
#include "tools/pyelfprobe_options.h"

struct app_file {
    const char *path; /* absolute */
    const char *stem; /* "libmodule0": of a module that Python imports; NULL otherwise */
    const char *entry;
    uint64_t bytes;
};

struct app {
    const char *label;     /* as it was given */
    const char *directory; /* of a set; NULL otherwise */
    bool set;
    size_t modules;         /* of a set: those that Python imports */
    struct app_file *files; /* in the order in which they are loaded */
    size_t count;
    uint64_t bytes;   /* of all files */
    const char *link; /* pyelf-link of a set, where that is how it is started */
    char **command;   /* words, the first a path; NULL where it is none */

    /* Where a debugger is to break, NULL where there is nowhere; what is to be
     * called to come there, and of which file: NULL where that is not known. */
    const char *place;
    const char *call;
    const struct app_file *called;
};

/* Finds out about the application options->app[number]; everything that *app
 * points to is of the arena. A command has no files yet. */
bool app_open(struct app *app, const struct probe_options *options, size_t number, struct arena *arena,
              struct error *e);

/* Whether Python could import it, or a part: a set that has modules. */
bool app_imports(const struct app *app);

/* Looks for pyelf-link in the set. */
bool app_find_link(struct app *app, struct arena *arena, struct error *e);

/* Adds a file, if it is one, and no other with the same path is there. */
bool app_add(struct app *app, const char *path, struct arena *arena, struct error *e);

/* Reads all files into the page cache, or drops them from it: then `seen` tells
 * whether that could be done. */
bool app_cache(const struct app *app, enum page_cache_wish wish, struct page_cache *seen, struct error *e);

/* The numbers of the files in an order in which what a file needs of the others
 * comes before it, as far as there is no cycle, in an array that the caller frees;
 * NULL when memory ran out. (pyelfprobe_order.c) */
size_t *app_needed_first(const struct app *app);

/* The path of a program in PATH, or the path itself, of the arena; NULL where
 * there is no such program that can be executed. */
const char *app_find_program(const char *name, struct arena *arena);

#endif
