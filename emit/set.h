/* A set: the directory of libraries that a plan becomes.
 *
 * Every library is written under a temporary name and renamed; the manifest
 * comes last, so that a directory with one is complete. Files that are there
 * already, byte for byte, stay as they are; the manifest goes before the first
 * that does not. A directory without one that holds nothing but such files is
 * what an interrupted run left.
 */
#ifndef EMIT_SET_H
#define EMIT_SET_H

#include <stdio.h>

#include "emit/files.h"
#include "emit/plan.h"
#include "emit/progress.h"
#include "emit/stock.h"

struct differences; /* differences.h */
struct ranks;       /* ranks.h */

struct set_file {
    char name[FILE_NAME_MOST]; /* within the set */
    uint64_t size;             /* bytes */
    uint64_t digest[2];        /* XXH3-128: high, low */
    bool kept;                 /* it was there already */
};

/* What became of one library. */
struct set_library {
    uint64_t size[SIZE_KINDS];
    struct set_file *file; /* those of its debug information, then the library itself */
    uint32_t files;
    uint64_t split; /* bytes of split debug information in the files; 0: it is not split */
    uint32_t marks, marked;
    uint64_t marks_at; /* where they are in the library, and in no dynamic symbol; 0: in one, or nowhere */
    uint64_t result;
    char entry[NAME_PREFIX_MOST];
    struct differences *differences; /* where the library has a row: what it has of it */
};

struct set {
    const struct plan *plan;
    struct set_library *library; /* as plan->library */
    bool sources;                /* there are sources beside it */
    const struct bytes *written; /* these, borrowed while what is stale is removed */
};

/* What is asked for besides the plan. */
struct set_making {
    const char *path; /* the set's directory */
    bool force;       /* write everything anew */
    bool sources;     /* and what debuggers list (sources.h) */
    bool local;       /* the directory is each node's own */
    unsigned threads;
    struct ranks *ranks; /* that share the work (ranks.h) */
    struct progress *progress;
};

/* Generates the set in its directory, which is made if it is not there. An existing one must be empty, hold what an
 * interrupted run left, or hold an older set: then files that differ are replaced, with `force` all files. It fails
 * where another run is writing there. On failure, a directory made here is removed. In an existing one no temporary
 * file stays, and a manifest stays only if no file was touched, or if this set was finished and only another node's
 * failed. Collective: on the rank that leads, `set` describes what all ranks have made. Free with set_free. */
bool set_generate(struct set *set, const struct plan *plan, const struct stock *stock, const struct set_making *how,
                  struct error *e);

/* How often it calls progress_step. */
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

/* Files that are not as the manifest says, in its order: the first that were found; `count` is of all. */
enum { SET_FAULTS_MOST = 20 };
struct set_faults {
    uint32_t count;
    struct set_fault {
        uint32_t item;   /* of libraries, then executables */
        uint32_t number; /* in which it was found */
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
