/* The results of runs, as one structure.
 *
 * Whoever has run something fills it (collect.c), and everything that is shown
 * or kept is written from it: the tables for people, JSON, Pynamic's lines. JSON
 * is also read back: by pyelfrun, which puts together what its process trees
 * have written, and by pyelfstat. docs/results.md has the format.
 *
 * Everything that the structure points to belongs to its arena. Minima, means and
 * maxima are no part of it: they are summed up where they are wanted, so that
 * they cannot disagree with the values of the ranks.
 */
#ifndef DRIVER_RESULTS_H
#define DRIVER_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

#define RESULTS_KEY "pyelfrun-results"

enum {
    RESULTS_VERSION = 1,
    RESULTS_RUNS_MOST = 16000, /* as many as pyelfrun makes: modes, repeated */
    RESULTS_CASES_MOST = 64,   /* modes with numbers of ranks, in one file */
    RESULTS_RANKS_MOST = 1 << 22,
    RESULTS_COUNTERS_MOST = 256, /* of one phase */
    RESULTS_OPTIONS_MOST = 64,
    RESULTS_TEXT_MOST = 4096,      /* bytes */
    RESULTS_BYTES_MOST = 64 << 20, /* of a file that is read */
    RESULTS_WEIGHT_MOST = 1 << 30, /* bytes of memory that reading it may take */
};

/* In the order in which they run. */
enum results_part { RESULTS_STARTUP, RESULTS_IMPORT, RESULTS_VISIT, RESULTS_MPI, RESULTS_PARTS };
extern const char *const results_part_names[RESULTS_PARTS];  /* in JSON */
extern const char *const results_part_labels[RESULTS_PARTS]; /* for people */

/* One thing that every rank has measured or counted. */
struct results_figure {
    const char *name;   /* "seconds", or that of a counter */
    const char *unit;   /* what one is: "s", "misses", "bytes" */
    const char *source; /* of a counter: "os", "papi", ...; NULL otherwise */
    bool level;         /* the reading is of interest, not what it grew by */
    double *value;      /* of every rank; NAN where it is absent, which is not 0 */
    const char *absent; /* why, as the first rank says that has none; NULL where none is absent */
};

struct results_phase {
    bool ran;
    struct results_figure seconds;
    double resolution; /* of the clock, in seconds; 0 where it is finer than what is written */
    struct results_figure *counters;
    size_t counter_count;
};

struct results_host {
    const char *name;
    const char *kernel; /* "Linux 6.1.0-13-amd64 x86_64" */
    const char *glibc;  /* "2.36" */
};

struct results_run {
    const char *mode;
    uint64_t repeat; /* from 1 */
    int status;      /* of exit; of a run that is not 0 nothing below is known */
    int64_t begun;   /* seconds since 1970, UTC */
    size_t ranks;
    const char *loader; /* "CPython 3.11.2", or "dlopen" */
    const char *mpi;    /* what the MPI library says of itself */
    struct results_host *hosts;
    size_t host_count;
    size_t *host; /* of every rank: an index into hosts */
    uint64_t functions_visited;
    const char *mpi_test; /* what it says of itself besides its time; "" for nothing */
    struct results_phase phase[RESULTS_PARTS];
};

struct results_set {
    const char *path;
    const char *application;
    const char *manifest; /* XXH3-128 of the manifest, 32 hexadecimal digits; "" where unknown */
    const char *profile;  /* that of the profile, as the manifest has it; "" where unknown */
    uint64_t modules, utilities, functions;
};

/* As on the command line. */
struct results_option {
    const char *name, *value;
};

struct results {
    const char *version; /* of the pyelfrun that ran */
    struct results_set set;
    struct results_option *options;
    size_t option_count;
    struct results_run *runs;
    size_t run_count;
    struct arena arena;
};

/* A copy in the arena; NULL when memory ran out. */
const char *results_text(struct results *r, const char *text);

/* A place for one more run, zeroed; NULL when memory ran out. Pointers to other
 * runs are void after this. */
struct results_run *results_add_run(struct results *r);

/* Appends an option; false when memory ran out. */
bool results_add_option(struct results *r, const char *name, const char *value);

/* What the option was; NULL where the results do not say. */
const char *results_option(const struct results *r, const char *name);

/* Whether both count the same: of one name and one source. */
bool results_is_counter(const struct results_figure *f, const struct results_figure *like);

/* The counter of a phase that is like this one; NULL where it has none. */
const struct results_figure *results_find_counter(const struct results_phase *p, const struct results_figure *like);

/* Takes NULL and what is zero. */
void results_free(struct results *r);

/* ---- summing up ---- */

/* Of the ranks that have a value. */
struct results_summary {
    size_t known; /* 0: everything else means nothing */
    double least, mean, most;
    size_t slowest; /* the first rank that has `most` */
};

struct results_summary results_summarize(const struct results_figure *f, size_t ranks);

/* The middle value, or the mean of both; sorts. NAN where there is none. */
double results_median(double *value, size_t count);

/* Runs of one mode with one number of ranks: what a row of table 1 is about. */
struct results_case {
    const char *mode;
    size_t ranks;
    size_t runs;                     /* that were done */
    const struct results_run *first; /* borrowed from the results */
    double seconds[RESULTS_PARTS];   /* of the slowest rank; the median over the runs, NAN where unknown */
    double total;                    /* startup, import and visit of a run: the median */
    double least[RESULTS_PARTS + 1]; /* of the runs, where seconds and, last, total have the median */
    double most[RESULTS_PARTS + 1];
};

/* All of them in the order in which they first ran, in an array of *count that
 * the caller frees; NULL when memory ran out. */
struct results_case *results_cases(const struct results *r, size_t *count);

/* Whether a run belongs to the case, and was done. */
bool results_case_has(const struct results_case *c, const struct results_run *run);

/* ---- writers; whether all was written is for ferror(f) to say ---- */

void results_write_json(const struct results *r, FILE *f);

/* One run for people. */
void results_write_table(const struct results *r, const struct results_run *run, FILE *f);

/* The Pynamic paper's table 1: a row for each case. */
bool results_write_cases(const struct results *r, FILE *f, struct error *e);

/* The lines of Pynamic 1.3.3's driver. */
void results_write_pynamic(const struct results_run *run, FILE *f);

/* Seconds with so many digits: "0.0123"; a time below what these show is "<0.0001",
 * and one that is not known "-". `text` has room for 32. */
const char *results_seconds(char *text, double seconds, int digits);

/* ---- files ---- */

/* Writes JSON as base/replacement.h does: the file is there as a whole, or as it
 * was; or to the standard output. */
bool results_save(const struct results *r, const char *path, struct error *e);
/* Whether what was written to the standard output has arrived. */
bool results_printed(struct error *e);

/* Reads such a file, which may come from anywhere: what is handed out has passed
 * every check of type, range and length. After a failure there is nothing to
 * free. */
bool results_read(struct results *r, const char *path, struct error *e);
bool results_parse(struct results *r, const char *text, size_t size, struct error *e);

/* Adds the runs of such a file to what there is; the set and the options become
 * those of the file. After a failure everything is as before. */
bool results_read_more(struct results *r, const char *path, struct error *e);

#endif
