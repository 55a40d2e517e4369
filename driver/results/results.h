/* The results of runs, as one structure.
 *
 * Whoever has run something fills it (collect.c). Everything that is shown or kept is written from it: the tables for
 * people, JSON, Pynamic's lines. JSON is also read back: by pyelfrun, which puts together what its process trees have
 * written, and by pyelfstat. docs/results.md describes the format.
 *
 * Everything that the structure points to belongs to its arena. It has no minima, means and maxima: these are computed
 * where they are needed, so they cannot disagree with the values of the ranks.
 */
#ifndef DRIVER_RESULTS_RESULTS_H
#define DRIVER_RESULTS_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"

#define RESULTS_KEY "pyelfrun-results"

enum {
    RESULTS_VERSION = 1,
    RESULTS_RUNS_MOST = 16000, /* as many as pyelfrun makes: all modes, repeated */
    RESULTS_CASES_MOST = 64,   /* different pairs of mode and number of ranks in one file */
    RESULTS_RANKS_MOST = 1 << 22,
    RESULTS_COUNTERS_MOST = 256, /* counters of one phase */
    RESULTS_OPTIONS_MOST = 64,
    RESULTS_TEXT_MOST = 4096,       /* bytes */
    RESULTS_OPTION_MOST = 1 << 17,  /* the same of an option, as of an argument on Linux: a launcher may name hosts */
    RESULTS_BYTES_MOST = 512 << 20, /* bytes of a file that is read: all runs of one rank take 300 MB */
    RESULTS_RUN_BYTES_MOST = 64 << 20, /* bytes of one run, and of all that is no run */
    RESULTS_WEIGHT_MOST = 1 << 30,     /* bytes of memory that reading one of them may take, and that all values take */
};

/* In the order in which they run. */
enum results_part { RESULTS_STARTUP, RESULTS_IMPORT, RESULTS_VISIT, RESULTS_MPI, RESULTS_PARTS };
extern const char *const results_part_names[RESULTS_PARTS];  /* in JSON */
extern const char *const results_part_labels[RESULTS_PARTS]; /* for people */

/* One thing that every rank has measured or counted. */
struct results_figure {
    const char *name;   /* "seconds", or the name of a counter */
    const char *unit;   /* unit: "s", "misses", "bytes" */
    const char *source; /* source of a counter: "os", "papi", ...; else NULL */
    bool level;         /* the reading itself is of interest, not its growth */
    double *value;      /* value of every rank; NAN if absent, which is not 0 */
    const char *absent; /* why it is absent on the first rank that has none; NULL if absent on no rank */
};

struct results_phase {
    bool ran;
    struct results_figure seconds;
    double resolution; /* resolution of the clock in seconds; 0 if it is finer than what is written */
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
    int status;      /* exit status; if it is not 0 nothing below is known */
    int64_t begun;   /* seconds since 1970, UTC */
    size_t ranks;
    const char *loader; /* "CPython 3.11.2", or "dlopen" */
    const char *mpi;    /* what the MPI library says of itself */
    struct results_host *hosts;
    size_t host_count;
    size_t *host; /* for every rank an index into hosts */
    uint64_t functions_visited;
    const char *mpi_test; /* what the MPI test reports besides its time; "" for nothing */
    struct results_phase phase[RESULTS_PARTS];
};

struct results_set {
    const char *path;
    const char *application;
    const char *manifest; /* XXH3-128 of the manifest, 32 hexadecimal digits; "" if unknown */
    const char *profile;  /* digest of the profile, as in the manifest; "" if unknown */
    uint64_t modules, utilities, functions;
    uint64_t opened; /* utilities that are opened besides what modules need */
};

/* An option, as on the command line. */
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

/* Copies a text into the arena; NULL when memory ran out. */
const char *results_text(struct results *r, const char *text);

/* Adds a zeroed run; NULL when memory ran out. Pointers to other runs are invalid afterwards. */
struct results_run *results_add_run(struct results *r);

/* Appends an option; false when memory ran out. */
bool results_add_option(struct results *r, const char *name, const char *value);

/* The value of an option; NULL if the results do not have it. */
const char *results_option(const struct results *r, const char *name);

/* Whether both are the same counter, by name and source. */
bool results_is_counter(const struct results_figure *f, const struct results_figure *like);

/* The counter of a phase that is the same as `like`; NULL if it has none. */
const struct results_figure *results_find_counter(const struct results_phase *p, const struct results_figure *like);

/* Accepts NULL and zeroed results. */
void results_free(struct results *r);

/* ---- summing up ---- */

/* A summary over the ranks that have a value. */
struct results_summary {
    size_t known; /* how many these are; 0: the rest has no meaning */
    double least, mean, most;
    size_t slowest; /* the first rank that has `most` */
};

struct results_summary results_summarize(const struct results_figure *f, size_t ranks);

/* The median, for an even count the mean of both middle values. Sorts the values. NAN if there are none. */
double results_median(double *value, size_t count);

/* The runs of one mode with one number of ranks: one row of table 1. */
struct results_case {
    const char *mode;
    size_t ranks;
    size_t runs;                     /* runs that succeeded */
    const struct results_run *first; /* borrowed from the results */
    double seconds[RESULTS_PARTS];   /* time of the slowest rank; median over the runs, NAN if unknown */
    double total;                    /* startup, import and visit together; median over the runs */
    double least[RESULTS_PARTS + 1]; /* least over the runs, where `seconds` and, last, `total` have the median */
    double most[RESULTS_PARTS + 1];
};

/* All cases, in the order in which they first ran, in an array of *count that the caller frees; NULL when memory ran
 * out. */
struct results_case *results_cases(const struct results *r, size_t *count);

/* Whether a run belongs to the case and succeeded. */
bool results_case_has(const struct results_case *c, const struct results_run *run);

/* ---- writers; whether all was written is for ferror(f) to say ---- */

void results_write_json(const struct results *r, FILE *f);

/* One run for people. */
void results_write_table(const struct results *r, const struct results_run *run, FILE *f);

/* The Pynamic paper's table 1: a row for each case. */
bool results_write_cases(const struct results *r, FILE *f, struct error *e);

/* The lines of Pynamic 1.3.3's driver. */
void results_write_pynamic(const struct results_run *run, FILE *f);

/* Writes seconds with `digits` decimals: "0.0123". A time too small for these is "<0.0001", an unknown one "-". `text`
 * has room for 32 bytes. */
const char *results_seconds(char *text, double seconds, int digits);

/* ---- files ---- */

/* Writes JSON as base/result_file.h does: a file appears as a whole or stays as it was. */
bool results_save(const struct results *r, const char *path, struct error *e);

/* Whether a file that was saved is not larger than what is read; false with a word of warning. */
bool results_are_readable(const struct results *r, const char *path, struct error *e);

/* results_save for --json of pyelfrun, which prints that warning. */
bool results_save_for_user(const struct results *r, const char *path, struct error *e);

/* Whether everything written to the standard output has arrived. */
bool results_printed(struct error *e);

/* Read such a file or text, which may come from anywhere: the results have passed every check of type, range and
 * length. After a failure there is nothing to free. */
bool results_read(struct results *r, const char *path, struct error *e);
bool results_parse(struct results *r, const char *text, size_t size, struct error *e);

/* Adds the runs of such a file. The set and the options become those of the file. After a failure everything is as
 * before. */
bool results_read_more(struct results *r, const char *path, struct error *e);

#endif
