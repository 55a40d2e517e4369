/* What the parts of pyelfstat --compare share: two sides, each the libraries of an
 * application or of its twin, and what differs between them.
 *
 *     operand ─▶ side ─▶ match ─▶ quantities ─▶ text, JSON, HTML
 *     differences.json ─▶ told ─┘
 *
 * A side is what a captured profile says. Of files pyelfprof's passes make one, and
 * its text is read as that of any other profile, so that whatever pyelfprof comes to
 * capture is compared, and a profile will do where the application is elsewhere.
 *
 * Numbers are summed over a set; words ("hash: gnu") are counted. Distributions are
 * compared by their distance, a share: see compare_distance.h.
 */
#ifndef TOOLS_COMPARE_H
#define TOOLS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "elf/histogram.h"
#include "tools/pyelfprof.h"
#include "tools/report.h"

enum { REAL, TWIN, SIDES };

/* ---- the command ---- */

enum compare_match_how { MATCH_NAME, MATCH_ORDER };

struct compare_options {
    const char *path[SIDES];
    const char *json, *html; /* files to write, NULL for none; - is the standard output */
    bool libraries;          /* list all of each library */
    bool full, no_dwarf;     /* as of pyelfprof */
    bool told;               /* what the twin's maker tells is no reason for another exit status */
    const char **debug_dir;  /* where debug files are, all of them */
    size_t debug_dirs;
    const char **without; /* patterns of names of quantities that are not compared, all of them */
    size_t withouts;
    enum compare_match_how match;
    double tolerance; /* a share */
};

struct compare {
    struct compare_options options;
    struct report report; /* its arena */
    bool trouble;         /* something could not be read or written */
    const struct error **complaint;
    size_t complaints, complaint_room;
};

void compare_complain(struct compare *c, const struct error *e);

/* Text of a profile or a name of a file as it may be shown; from the arena. */
static inline const char *compare_text(struct compare *c, const char *text)
{
    return report_text(&c->report, text);
}

/* ---- what is known of keys ---- */

enum compare_kind {
    COMPARE_SUM,   /* a number: equal, or off by so much */
    COMPARE_LOOSE, /* an estimate: may be off by five times as much */
    COMPARE_WORD,  /* equal or not */
    COMPARE_SKIP,  /* how it was measured, not what */
};

/* By how much more than others a COMPARE_LOOSE one may be off. */
enum { COMPARE_LOOSER = 5 };

/* A key of rows, "text" or "dynamic.functions". */
struct compare_key {
    const char *name;
    enum compare_kind kind;
    const char *missing; /* the word that it stands for where it is not there */
    unsigned rank;       /* where it stands in a table */
    bool known;          /* by its name; otherwise its kind is that of the first value */
    bool met;            /* has a value */
    bool sampled;        /* may be an estimate from a sample of debug information */
};

enum { COMPARE_KEYS_MOST = 1024 };
struct compare_keys {
    struct compare_key of[COMPARE_KEYS_MOST];
    uint32_t count;
    uint32_t last; /* that was found */
};

/* Numbers the keys that are compared though a profile may not have them. */
void compare_start(struct compare *c, struct compare_keys *keys);

/* The number of a key, which is new or not; COMPARE_KEYS_MOST where there are as
 * many already. */
uint32_t compare_key(struct compare *c, struct compare_keys *keys, const char *name);
/* Which of two comes first in a table: below 0, 0 or above. */
int compare_key_order(const struct compare_keys *keys, uint32_t a, uint32_t b);

/* ---- a side ---- */

struct compare_value {
    uint32_t key;
    uint64_t number;
    const char *word; /* NULL: a number */
};

struct compare_edge {
    uint32_t to;
    bool counted; /* it is said how many symbols: what follows is known */
    uint64_t symbols;
};

enum compare_sample { SAMPLE_FUNCTIONS, SAMPLE_NAMES, COMPARE_SAMPLES };
extern const char *const compare_sample_names[COMPARE_SAMPLES];

struct compare_quantiles {
    bool known;
    uint64_t of[QUANTILES];
};

struct compare_row {
    const char *name; /* NULL: not known */
    bool module;
    bool sampled;  /* what is counted of its debug information is an estimate */
    bool complete; /* as pyelfprof writes it: what it does not say is 0, or as ever; else it is not known */
    struct compare_value *value;
    size_t values;
    bool has_edges; /* how many there are is known, if only that there are none */
    struct compare_edge *edge;
    size_t edges;
    struct compare_quantiles quantiles[COMPARE_SAMPLES];
    const struct samples *samples[COMPARE_SAMPLES]; /* all that there are; NULL where only quantiles are known */
};

/* What is counted by a name. */
enum compare_tally_of { TALLY_TAGS, TALLY_FORMS, TALLY_ATTRIBUTES, COMPARE_TALLIES };
extern const char *const compare_tally_names[COMPARE_TALLIES];

struct compare_tally {
    struct compare_count {
        const char *name;
        uint64_t count;
    } * of; /* by name */
    size_t count;
};

struct compare_side {
    const char *path; /* as it may be shown */
    bool profile;     /* not files */
    bool captured;    /* pyelfprof has written it, of libraries */
    bool summary;     /* without libraries */
    struct compare_row *row;
    size_t rows;
    struct compare_row sums; /* of a summary */
    uint64_t of_kind[2];     /* utilities, modules, as the top of a summary has them */
    bool says_kind[2];       /* that it does */
    struct histogram histogram[COMPARE_SAMPLES];
    struct compare_tally tally[COMPARE_TALLIES];
    struct prof *prof; /* of files; has the samples */
};

/* Reads an operand: a directory, a file, a profile. False where there is nothing to
 * compare; complains of what could not be read. */
bool compare_read_side(struct compare *c, const char *path, struct compare_keys *keys, struct compare_side *side);
/* Reads the text of a captured profile. */
bool compare_read_profile(struct compare *c, const char *path, FILE *from, struct compare_keys *keys,
                          struct compare_side *side, struct error *e);
void compare_side_free(struct compare_side *side);

/* ---- matching ---- */

#define COMPARE_NOBODY UINT32_MAX

struct compare_pair {
    uint32_t of[SIDES]; /* COMPARE_NOBODY where the other has no match */
    bool by_name;
};

struct compare_pairs {
    struct compare_pair *of; /* as REAL has them, then those that only TWIN has */
    size_t count;
    uint32_t *twin_of; /* of each row of REAL */
    size_t matched, by_name, alone[SIDES];
};

/* Finds each library's match: first, unless only the order is to count, by names that
 * occur once on either side; then in the order of modules and of utilities; then
 * what is left in any order of kinds. */
bool compare_match(struct arena *a, const struct compare_side sides[SIDES], enum compare_match_how how,
                   struct compare_pairs *pairs);

/* ---- what differs ---- */

enum compare_state {
    STATE_EQUAL,
    STATE_WITHIN,
    STATE_TOLD, /* off, and the twin's maker says so */
    STATE_OFF,
    STATES,
};
extern const char *const compare_state_names[STATES];

enum compare_type { TYPE_NUMBER, TYPE_WORD, TYPE_DISTANCE };
enum compare_method { METHOD_EXACT, METHOD_BUCKETS, METHOD_QUANTILES, METHOD_SHARES };
extern const char *const compare_method_names[];

struct compare_quantity {
    const char *name;
    enum compare_type type;
    enum compare_state state;
    bool sampled;
    uint64_t number[SIDES]; /* of distributions, how many items they are of */
    const char *word[SIDES];
    double distance;
    enum compare_method method;
    size_t libraries[STATES]; /* of a set: how many libraries are as near in this */
    size_t silent;            /* and in how many it is not compared, because one side does not say */
};

struct compare_list {
    struct compare_quantity *of;
    size_t count, room;
    size_t states[STATES];
    size_t silent; /* quantities that only one side says */
};

struct compare_library {
    struct compare_pair pair;
    struct compare_list list; /* empty where it has no match */
};

/* Keys that a capture may do without. */
enum compare_group { GROUP_ZSTD, GROUP_DWARF, GROUP_LOAD, COMPARE_GROUPS };

/* What is not compared, because a side does not say: a key, "mix.info", or all keys
 * below one, "mix". */
struct compare_silence {
    const char *name;
    int side;
};

struct comparison {
    struct compare *compare;
    struct compare_side side[SIDES];
    struct compare_keys keys;
    struct compare_pairs pairs;
    struct compare_list set;
    struct json_object *told;            /* by the twin's libraries; NULL where there is nothing */
    struct json_object *untold;          /* of the set, what its maker does not count; NULL likewise */
    struct compare_library *library;     /* one for each pair */
    size_t library_states[STATES];       /* quantities of all */
    size_t libraries_off;                /* with anything off, or without match */
    bool unknown[SIDES][COMPARE_GROUPS]; /* what it does not say is not compared */
    struct compare_silence *silence;     /* of malloc */
    size_t silences;
};

/* Adds a quantity, and counts its state, but not one that is to be left out. */
void compare_add(const struct comparison *c, struct compare_list *list, const struct compare_quantity *q);

/* Reads what pyelfgen said that a set has otherwise than its profile, SET/differences.json, where there is such a file.
 * (compare_told.c) */
void compare_read_told(struct comparison *c);

/* Whether this is what is said of that library, with both numbers, or is said not to be counted. */
bool compare_is_told(const struct comparison *c, const char *library, const struct compare_quantity *q);

/* Whether a distribution of the set is said not to be counted. */
bool compare_is_untold_of_set(const struct comparison *c, const struct compare_quantity *q);

/* Whether all that is off in libraries is told, of what they have together. */
bool compare_is_told_of_all(const struct comparison *c, const struct compare_quantity *q);

/* Compares the sides, which have been read and matched. */
void compare_quantities(struct comparison *c);

/* Finds the groups that a side was not asked for; their keys become COMPARE_SKIP.
 * (compare_silence.c) */
void compare_skip_unknown(struct comparison *c);

/* Notes what a side does not say, once. */
void compare_be_silent(struct comparison *c, const char *name, int side);

/* The names that the side does not say, ", " between them; "" where there are none.
 * To be freed. */
char *compare_silence_text(const struct comparison *c, int side);

/* Adds the distributions over the set to its list; for the first two, in how many
 * libraries they are as near. */
void compare_distributions(struct comparison *c, size_t states[COMPARE_SAMPLES][STATES]);

/* How many libraries each one needs, or needs it, ascending; of malloc. */
uint32_t *compare_degrees(const struct compare_side *side, bool inward);

/* What either side counts by names, by name; of malloc. How many there are. */
struct compare_joined {
    const char *name;
    uint64_t count[SIDES];
};
size_t compare_join(const struct compare_side sides[SIDES], enum compare_tally_of of, struct compare_joined **joined);

/* Frees what the comparison has; not itself, nor the arena. */
void compare_free(struct comparison *c);

/* Whether the group was not compared, because a side does not say. */
static inline bool compare_is_unknown(const struct comparison *c, enum compare_group group)
{
    return c->unknown[REAL][group] || c->unknown[TWIN][group];
}

/* Whether every library of a side says what it needs. */
bool compare_has_graph(const struct compare_side *side);

/* Whether nothing is off, nor told, where that counts. */
bool compare_agrees(const struct comparison *c);

/* The state of a number, a distance. */
enum compare_state compare_number_state(uint64_t real, uint64_t twin, double tolerance);
enum compare_state compare_distance_state(double distance, enum compare_method method, double tolerance);

/* How many there are of all states. */
static inline size_t compare_all(const size_t states[STATES])
{
    size_t all = 0;
    for (int s = 0; s < STATES; s++)
        all += states[s];
    return all;
}

/* The name of a library as it may be shown; of one without name, its number. */
const char *compare_library_name(const struct comparison *c, int side, uint32_t row, char text[32]);

/* Whether a library has no match. */
static inline bool compare_is_alone(const struct compare_library *library)
{
    return library->pair.of[REAL] == COMPARE_NOBODY || library->pair.of[TWIN] == COMPARE_NOBODY;
}

/* ---- what is written ---- */

/* The difference as it is shown, and as a share or, of a distance, what of; either
 * may be "". */
enum { COMPARE_CELL = 48 };
void compare_difference_text(const struct compare_quantity *q, char difference[COMPARE_CELL], char share[COMPARE_CELL]);

void compare_print(const struct comparison *c);
bool compare_write_json(const struct comparison *c, struct error *e);
bool compare_write_html(const struct comparison *c, struct error *e);

/* `pyelfstat --compare`: its own options, and its exit status. */
int compare_main(int argc, char **argv);

#endif
