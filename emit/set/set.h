/* A set: the directory of libraries that a plan becomes.
 *
 * Every library is written under a temporary name and renamed; the manifest is
 * written last, so that a directory with a manifest is complete. Files that already
 * exist with the right bytes are left alone; an old manifest is removed before the
 * first file changes. A directory that holds only files of a set, and no manifest,
 * is what an interrupted run left.
 */
#ifndef EMIT_SET_SET_H
#define EMIT_SET_SET_H

#include <stdio.h>

#include "emit/library/files.h"
#include "emit/plan/plan.h"
#include "emit/set/progress.h"
#include "emit/stock/stock.h"

struct builders;    /* builders.h */
struct differences; /* differences.h */
struct ranks;       /* ranks.h */

struct set_file {
    char name[FILE_NAME_MOST]; /* within the set */
    uint64_t size;             /* bytes */
    uint64_t digest[2];        /* XXH3-128: high, low */
    bool kept;                 /* the right file was there already */
};

/* What became of one library. */
struct set_library {
    uint64_t size[SIZE_KINDS];
    struct set_file *file; /* files of its debug information, then the library itself */
    uint32_t files;
    uint64_t split;         /* bytes of split debug information in the files; 0: it is not split */
    uint32_t marks, marked; /* how many visit marks it has, and how many of them a visit sets */
    uint64_t marks_at;      /* address of the marks, if no dynamic symbol has it; 0: a symbol has, or there are none */
    uint64_t result;        /* what its entry returns */
    char entry[NAME_PREFIX_MOST];
    struct differences *differences; /* if the library has a row: its values, to compare; or NULL */
};

/* Executables that were there from an earlier run, and are not asked for now. */
struct set_removed {
    bool linked, joined;
    uint32_t libraries;
};

struct set {
    const struct plan *plan;
    struct set_library *library; /* as plan->library */
    bool sources;                /* sources are written beside the libraries */
    const struct bytes *written; /* names of these sources; borrowed while stale files are removed */
    struct set_removed removed;
};

/* What is asked for besides the plan. */
struct set_making {
    const char *path;          /* the set's directory */
    bool force;                /* write everything anew */
    bool sources;              /* write sources, too, which debuggers list (sources.h) */
    bool local;                /* the directory is each node's own */
    struct builders *builders; /* of each thread that is to make libraries */
    struct ranks *ranks;       /* that share the work (ranks.h) */
    struct progress *progress;
};

/* Generates the set in its directory, which is made if it is not there. An existing one must be empty, hold what an
 * interrupted run left, or hold an older set: then files that differ are replaced, with `force` all files. It fails
 * where another run is writing there. On failure, a directory made here is removed. In an existing one no temporary
 * file stays, and a manifest stays only if no file was touched, or if this set was finished and only another node's
 * failed. Collective: on the rank that leads, `set` describes what all ranks have made. Free with set_free. */
bool set_generate(struct set *set, const struct plan *plan, const struct stock *stock, const struct set_making *how,
                  struct error *e);

/* Sizes the libraries of the set, but no executables, and writes nothing: `set` then has what differences_report tells.
 * Calls progress_step for each. Free with set_free. */
bool set_size(struct set *set, const struct plan *plan, const struct stock *stock, struct builders *builders,
              struct progress *progress, struct error *e);

/* Makes the libraries of the set in memory, but no executables, and writes nothing: all that is searched for to make
 * them is found then (settled.h). Calls progress_step for each. Free with set_free. */
bool set_find(struct set *set, const struct plan *plan, const struct stock *stock, struct builders *builders,
              struct progress *progress, struct error *e);

/* How often set_generate calls progress_step. */
static inline uint32_t set_steps(const struct plan *plan)
{
    const uint32_t parts = plan->inside && plan->executables.link ? plan->inside + 1 : 0;
    return plan->library_count + parts + (plan->executables.joined ? plan_executable(plan) + plan->inside + 1 : 0);
}

/* Takes NULL and half-made sets. */
void set_free(struct set *set);

/* manifest.c: writes the text of manifest.json; false with errno, which is ENOMEM
 * when memory ran out. */
bool manifest_write(FILE *f, const struct set *set);

/* Files that are not as the manifest says: the first SET_FAULTS_MOST, in the manifest's order; `count` is of all. */
enum { SET_FAULTS_MOST = 20 };
struct set_faults {
    uint32_t count;
    struct set_fault {
        uint32_t item;   /* index among libraries, then executables */
        uint32_t number; /* of the fault, in the order in which they were found */
        struct error error;
    } fault[SET_FAULTS_MOST];
};

/* verify.c: compares every library and executable of the set in `path` with its
 * manifest, and refuses those, lib*.so and pyelf-*, that it does not list. Ranks of one set share them, and end at the
 * first that is wrong. A process that is alone looks at all, and lists in `faults` what it finds; `e` has the last of
 * these, or how many more there are. */
bool set_verify(const char *path, unsigned threads, struct ranks *ranks, struct progress *progress,
                struct set_faults *faults, struct error *e);

#endif
