/* An application that is measured: its files, their order, and how it is started. */
#ifndef TOOLS_PYELFPROBE_APP_H
#define TOOLS_PYELFPROBE_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/page_cache.h"
#include "tools/pyelfprobe/cells.h"
#include "tools/pyelfprobe/options.h"

struct app_file {
    const char *path; /* absolute */
    const char *stem; /* "libmodule0", of a module that Python imports; NULL: no such module */
    const char *entry;
    bool opened; /* of a set: the driver opens it behind the modules, none of which needs it */
    uint64_t bytes;
};

struct app {
    const char *label;     /* as the user gave it */
    const char *directory; /* of a set or of shared objects; NULL: a list or a command */
    bool set;
    size_t modules;         /* of a set: how many modules Python imports */
    struct app_file *files; /* in the order in which they are loaded */
    size_t count;
    uint64_t bytes;             /* of all files */
    char unopened[REASON_SIZE]; /* how many files could not be opened, and why; "": all could, or nothing tells */
    const char *link;           /* pyelf-link of the set, with --start=link; NULL otherwise */
    char **command;             /* words, ended by NULL, the first a path; NULL: no command */

    /* The function where a debugger is to break; NULL: there is none. `call` is the function of the file `called` that
     * leads there; both are NULL where that is not known, or it has turned out that it does not (`uncalled`). */
    const char *place;
    const char *call;
    const struct app_file *called;
    bool uncalled;
};

/* Finds out about the application options->app[number]. *app points into the arena and the options. A command has no
 * files yet; live_try finds them. */
bool app_open(struct app *app, const struct probe_options *options, size_t number, struct arena *arena,
              struct error *e);

/* Whether Python could import the application or a part of it: whether it is a set with modules. */
bool app_imports(const struct app *app);

/* Looks for pyelf-link in the set. False where there is none. */
bool app_find_link(struct app *app, struct arena *arena, struct error *e);

/* Adds a regular file, unless its path is there already. False with *e where the file cannot be used. */
bool app_add(struct app *app, const char *path, struct arena *arena, struct error *e);

/* Reads all files into the page cache or drops them from it, as `wish` says. After dropping, `seen` tells whether that
 * worked. */
bool app_cache(const struct app *app, enum page_cache_wish wish, struct page_cache *seen, struct error *e);

/* Numbers of the files in an order in which a file comes after all that it needs, as far as there is no cycle. The
 * caller frees the array. NULL where memory ran out (order.c). */
size_t *app_needed_first(const struct app *app);

/* Whether the dynamic linker would load the application's files. Not where they need one of them by its name, and
 * LD_LIBRARY_PATH leads to another file, as these directories come before DT_RUNPATH (ld.so(8); DT_RPATH, which comes
 * before them, is not looked at): then *e says so (order.c). */
bool app_is_found(const struct app *app, struct error *e);

/* The path of a program in PATH, or the path itself; from the arena. NULL where there is no such program that can be
 * executed, or memory ran out. */
const char *app_find_program(const char *name, struct arena *arena);

#endif
