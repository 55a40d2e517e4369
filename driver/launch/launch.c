/* See launch.h. */
#include "driver/launch/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/executable.h"
#include "base/launched.h"
#include "base/manifest.h"
#include "base/memory_set.h"
#include "base/process.h"
#include "base/profile_find.h"
#include "driver/launch/cache.h"
#include "driver/launch/maps.h"
#include "driver/launch/witness.h"
#include "runtime/audit_page.h"
#include "runtime/clock.h"
#include "runtime/linker.h"
#include "runtime/os.h"
#include "runtime/simulation.h"

/* Where the parts of an installation are, relative to the directory of pyelfrun: first in an installation
 * (PYELFRUN_TO_LIB, PYELFRUN_TO_LIBEXEC), then elsewhere. */
static const char *const runtime_places[] = {PYELFRUN_TO_LIB, "../lib", NULL};
static const char *const program_places[] = {PYELFRUN_TO_LIBEXEC, "../libexec/pyelfgen", NULL};

#define VANILLA "pyelf-vanilla"
#define MEMORY  "pyelf-memory"

/* Finds the file `name` in the first of the places that has it. */
static bool find_part(char *path, const char *const *places, const char *name, struct error *e)
{
    char own[PATH_MAX];
    if (!process_directory(own, e))
        return false;
    for (; *places; places++) {
        char try[2 * PATH_MAX];
        snprintf(try, sizeof try, "%s/%s/%s", own, *places, name);
        if (realpath(try, path))
            return true;
    }
    return error_set(e, ERROR_SYSTEM, "%s is missing beside %s; install pyelfgen again", name, own);
}

bool launch_find(char *path, const struct options *o, enum mode mode, struct error *e)
{
    const bool linked = mode == MODE_LINK || mode == MODE_BIND_NOW;
    if (mode == MODE_VANILLA)
        return find_part(path, program_places, VANILLA, e);
    const char *name = linked ? EXECUTABLE_LINK : EXECUTABLE_STATIC;
    int n = snprintf(path, PATH_MAX, "%s/%s", o->set, name);
    if (n >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return error_errno(e, o->set, "cannot be used");
    }
    if (access(path, X_OK) == 0)
        return true;
    if (errno == EACCES && access(path, F_OK) == 0)
        return error_errno(e, path,
                           "cannot be executed; has it the permission, and is its file system not mounted noexec?");
    char manifest[PATH_MAX + sizeof "/" MANIFEST_FILE];
    snprintf(manifest, sizeof manifest, "%s/" MANIFEST_FILE, o->set);
    if (access(manifest, F_OK) != 0)
        return error_errno(e, manifest, "cannot be read; is this a set that pyelfgen has written?");
    char rows[PATH_MAX + sizeof "/" MANIFEST_ROWS_FILE];
    snprintf(rows, sizeof rows, "%s/" MANIFEST_ROWS_FILE, o->set);
    if (access(rows, F_OK) == 0)
        error_set(e, ERROR_INPUT,
                  "mode %s runs %s, and a set whose profile has rows for its libraries has no executables; use --mode "
                  "vanilla",
                  mode_names[mode], name);
    else
        error_set(e, ERROR_INPUT, "this set has no %s, which mode %s runs; generate it with pyelfgen --%s", name,
                  mode_names[mode], linked ? "link" : "static");
    return error_at(e, o->set, 0);
}

/* Preloads libpyelfrun.so.0. The program then needs no search for it, because a file of its SONAME is loaded already. A
 * directory to search would be searched for every library of the set, too. */
static bool preload_runtime(struct error *e)
{
    char path[PATH_MAX], runtime[PATH_MAX];
    if (!find_part(path, runtime_places, EXECUTABLE_RUNTIME, e) || !linker_name(runtime, path, ": ", e))
        return false;
    const char *before = getenv("LD_PRELOAD");
    char *all = NULL;
    if (asprintf(&all, "%s%s%s", before ? before : "", before && *before ? ":" : "", runtime) < 0)
        return error_set(e, ERROR_MEMORY, "out of memory");
    bool well = setenv("LD_PRELOAD", all, 1) == 0;
    free(all);
    return well || error_set(e, ERROR_MEMORY, "out of memory");
}

/* Has the program's dynamic linker audited if that is wanted. */
static bool prepare_audit(const struct options *o, struct error *e)
{
    char library[PATH_MAX];
    return !o->audit || (find_part(library, program_places, AUDIT_LIBRARY, e) && linker_audit(library, e));
}

/* Puts the time into the environment just before the program is executed, for its clock. */
static bool stamp_start(struct error *e)
{
    struct timespec now;
    char text[64];
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(text, sizeof text, "%lld.%09ld", (long long)now.tv_sec, now.tv_nsec);
    return setenv(CLOCK_START, text, 1) == 0 || error_set(e, ERROR_MEMORY, "out of memory");
}

/* Executes the program. Returns only if that fails. All that this process does before is taken off the counts of the
 * program's startup, so they are handed on as late as its time. */
static bool execute(const char *path, const struct options *o, char **argv, struct error *e)
{
    if ((o->counters.os && !os_hand_on(e)) || !stamp_start(e))
        return false;
    if (o->simulate)
        return simulation_execute(path, argv, &(struct simulation_caches){SIMULATED_I1, SIMULATED_D1, SIMULATED_LL}, e);
    execv(path, argv);
    return error_errno(e, path, "cannot be executed");
}

/* Becomes pyelf-memory, which makes the set and executes this program once more with the set. Returns only if that
 * fails. */
static bool become_memory(const struct options *o, char **argv, struct error *e)
{
    char path[PATH_MAX], own[PATH_MAX];
    static char name[] = "pyelfrun", quiet[] = "--quiet", end[] = "--"; /* messages begin with the name */
    size_t count = 0;
    while (argv[count])
        count++;
    char **words = calloc(count + 6, sizeof *words);
    if (!words)
        return error_set(e, ERROR_MEMORY, "out of memory");
    if (process_program(own, e) && find_part(path, program_places, MEMORY, e)) {
        size_t n = 0;
        words[n++] = name;
        if (o->quiet)
            words[n++] = quiet;
        words[n++] = end;
        words[n++] = (char *)(uintptr_t)o->set;
        words[n++] = own;
        memcpy(words + n, argv + 1, (count - 1) * sizeof *words);
        execv(path, words);
        error_errno(e, path, "cannot be executed");
    }
    free(words);
    return false;
}

bool launch_rank(const struct options *o, char **argv, struct error *e)
{
    char path[PATH_MAX];
    const struct launched launched = launched_by();
    if (o->simulate && launched.count > 1)
        return error_set(e, ERROR_USAGE, "--simulate: one rank is simulated; start it without %s, or with -n 1",
                         launched.by);
    if (o->memory && launched.count > 1 && profile_find_is_stream(o->set))
        return error_set(e, ERROR_USAGE,
                         "--memory: %.200s can be read once only, and each rank reads the profile; give a file that "
                         "all can read",
                         profile_find_shown(o->set));
    if (o->memory && !memory_set_given())
        return become_memory(o, argv, e);
    if (!launch_find(path, o, o->mode[0], e) || !launch_maps(o, o->mode[0], e) ||
        (o->mode[0] != MODE_VANILLA && !preload_runtime(e)))
        return false;
    /* The mode decides when functions are bound, not what the user's shell has set. */
    if (o->mode[0] == MODE_BIND_NOW)
        setenv("LD_BIND_NOW", "1", 1);
    else
        unsetenv("LD_BIND_NOW");
    if (!launch_cache(o, e) || !prepare_audit(o, e))
        return false;
    struct witness_page *witness = launch_witness();
    bool well = execute(path, o, argv, e);
    launch_witness_told(witness);
    return well;
}
