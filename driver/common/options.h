/* The command line of pyelfrun, as one struct.
 *
 * The launcher (driver/launch/main.c) and every rank (driver/rank.c) read the same words: the launcher passes the
 * command line itself on to the ranks.
 */
#ifndef DRIVER_COMMON_OPTIONS_H
#define DRIVER_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/replacement.h"

/* How the libraries come into the process: the builds of the Pynamic paper. */
enum mode {
    MODE_VANILLA,  /* each import opens its module with dlopen */
    MODE_LINK,     /* the executable needs all libraries; functions are bound at their first call */
    MODE_BIND_NOW, /* the same with LD_BIND_NOW */
    MODE_STATIC,   /* the executable contains all libraries */
    MODES
};
extern const char *const mode_names[MODES];

enum phase { PHASE_IMPORT, PHASE_VISIT, PHASE_MPI, PHASES };
extern const char *const phase_names[PHASES];

/* The order in which the modules are taken. */
enum order_kind {
    ORDER_GIVEN,   /* as in the manifest */
    ORDER_RANDOM,  /* shuffled, the same on every rank */
    ORDER_SHIFTED, /* every rank begins at another place */
};
struct order_wish {
    enum order_kind kind;
    uint64_t seed;
};

enum cache_wish { CACHE_AS_IT_IS, CACHE_COLD, CACHE_WARM };

/* What is counted in every phase; runtime/counters.h. */
struct counters_option {
    bool os, sde, papi;
    bool asked; /* asked for by name, with --counters */
};

enum { OPTIONS_RUNS_MOST = 16 };

/* Begins the name of the file in which a launcher waits for the results of a tree. --part refuses any other name. */
#define OPTIONS_PART "pyelfrun-part-"

/* Environment variable of a run: the result of --cold or --warm (driver/launch/cache.h). */
#define OPTIONS_CACHED "PYELFRUN_CACHED"

struct options {
    const char *set; /* the directory as the user named it; borrowed from argv */
    enum mode mode[OPTIONS_RUNS_MOST];
    unsigned mode_count;  /* 0: none given */
    const char *launcher; /* command that starts the ranks; NULL: they are started already */
    uint64_t repeat;
    bool tree; /* this is one of the process trees that pyelfrun has started */

    bool phase[PHASES];
    bool phases_asked; /* asked for by name, with --phases */
    struct order_wish import_order, visit_order;
    enum cache_wish cache;
    bool memory;             /* `set` is a profile, and its libraries exist only in memory */
    bool lazy, global, deep; /* flags of dlopen, in MODE_VANILLA */
    bool now;                /* asked for by name: not lazy */
    struct counters_option counters;
    bool audit;          /* audit the dynamic linker by libpyelfaudit.so */
    bool simulate;       /* run under cachegrind */
    uint64_t timeout;    /* seconds; 0: none */
    const char *picture; /* the PNG file of the MPI test, or NULL; borrowed from argv */
    bool python;         /* false with --no-python */
    const char *json;    /* the file for the results, or NULL; borrowed from argv */
    bool pynamic;        /* Pynamic's lines instead of the table */
    bool quiet;

    /* For a tree: which run of its mode it is; and the file in which its launcher waits for the results, or NULL. */
    uint64_t turn;
    const char *part;
};

/* True if there is something to run. Otherwise *status is the exit status: --help or --version has been answered, or
 * the error has been printed. `set` is used if the command line names none; if it is NULL the command line has to. */
bool options_parse(struct options *o, int argc, char **argv, const char *set, int *status);

/* The flags of dlopen(3) that the options ask for. */
int options_dlopen_flags(const struct options *o);

/* The caches of --simulate: bytes, ways, bytes of a line. They are always the same, so that figures can be compared. */
#define SIMULATED_I1 "32768,8,64"
#define SIMULATED_D1 "32768,8,64"
#define SIMULATED_LL "33554432,16,64"

/* What the results say of the options. `say` returns a constant text, or one that it puts into `text`, of OPTIONS_TEXT
 * bytes. */
enum { OPTIONS_TEXT = 64, OPTIONS_SAID = 11 };
struct options_saying {
    const char *name;
    const char *(*say)(const struct options *o, char *text);
};
extern const struct options_saying options_said[OPTIONS_SAID];

/* Whether JSON goes to the standard output, where nothing else may go then. */
static inline bool options_print_json(const struct options *o)
{
    return replacement_is_standard(o->json);
}

/* Whether each run prints a table and, if there are several, a heading, with a table of all at the end. */
static inline bool options_print_tables(const struct options *o)
{
    return !o->pynamic && !options_print_json(o);
}

#endif
