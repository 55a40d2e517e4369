/* What the parts of pyelfstat --compare share: two sides, each the libraries of an application or of its twin, and what
 * differs between them.
 *
 *     operand ─▶ side ─▶ match ─▶ quantities ─▶ text, JSON, HTML
 *     differences.json ─▶ told ─┘
 *
 * A side is what a captured profile says. Of files, pyelfprof's passes make such a profile, and its text is read like
 * that of any other. So everything that pyelfprof captures is compared without further code, and a profile will do
 * where the application is elsewhere.
 *
 * Numbers are summed over a set; words ("hash: gnu") are counted. Distributions are compared by their distance, which
 * is a share: see distance.h.
 */
#ifndef TOOLS_COMPARE_COMPARE_H
#define TOOLS_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/histogram.h"
#include "tools/capture/prof.h"
#include "tools/common/report.h"

enum { REAL, TWIN, SIDES };

/* ---- the command ---- */

enum compare_match_how { MATCH_NAME, MATCH_ORDER };

struct compare_options {
    const char *path[SIDES];
    const char *json, *html; /* files to write; NULL: none; -: the standard output */
    bool libraries;          /* list all quantities of each library */
    bool full, no_dwarf;     /* as for pyelfprof */
    bool told;               /* what the twin's maker tells does not change the exit status */
    const char **debug_dir;  /* all directories that may have debug files */
    size_t debug_dirs;
    const char **without; /* all patterns of names of quantities that are not compared */
    size_t withouts;
    enum compare_match_how match;
    double tolerance; /* a share */
};

struct compare {
    struct compare_options options;
    struct report report; /* for its arena */
    bool trouble;         /* something could not be read or written */
    const struct error **complaint;
    size_t complaints, complaint_room;
};

void compare_complain(struct compare *c, const struct error *e);

/* A text of a profile or a name of a file, made fit to be shown; from the arena. */
static inline const char *compare_text(struct compare *c, const char *text)
{
    return report_text(&c->report, text);
}

/* ---- what is known of keys ---- */

enum compare_kind {
    COMPARE_SUM,   /* a number: equal, or within the tolerance */
    COMPARE_LOOSE, /* an estimate: the tolerance is COMPARE_LOOSER times as much */
    COMPARE_WORD,  /* equal or not */
    COMPARE_SKIP,  /* says how something was measured, not what */
};

/* How many times the tolerance a COMPARE_LOOSE number has. */
enum { COMPARE_LOOSER = 5 };

/* A key of rows: "text" or "dynamic.functions". */
struct compare_key {
    const char *name;
    enum compare_kind kind;
    const char *missing; /* the word, or number, that a missing key stands for */
    unsigned rank;       /* its place in tables */
    bool known;          /* its name is in the list; otherwise the first value decides its kind */
    bool met;            /* some row has a value for it */
    bool sampled;        /* may be estimated from a sample of the debug information */
};

enum { COMPARE_KEYS_MOST = 1024 };
struct compare_keys {
    struct compare_key of[COMPARE_KEYS_MOST];
    uint32_t count;
    uint32_t last; /* the key that was found last */
};

/* Adds the keys that are compared even where no profile has them. */
void compare_start(struct compare *c, struct compare_keys *keys);

/* The number of the key, which is added where it is new; COMPARE_KEYS_MOST where there is no room for it. */
uint32_t compare_key(struct compare *c, struct compare_keys *keys, const char *name);
/* Which of two keys comes first in a table: below 0, 0 or above. */
int compare_key_order(const struct compare_keys *keys, uint32_t a, uint32_t b);

/* ---- a side ---- */

struct compare_value {
    uint32_t key;
    uint64_t number;
    const char *word; /* NULL: the value is a number */
};

struct compare_edge {
    uint32_t to;
    bool counted; /* the number of symbols is known */
    uint64_t symbols;
};

enum compare_sample { SAMPLE_FUNCTIONS, SAMPLE_NAMES, COMPARE_SAMPLES };
extern const char *const compare_sample_names[COMPARE_SAMPLES];

struct compare_quantiles {
    bool known;
    uint64_t of[QUANTILES];
};

struct compare_row {
    const char *name; /* NULL: unknown */
    bool module;
    bool sampled;     /* counts of its debug information are estimates */
    bool complete;    /* written by pyelfprof: a missing key is 0, or the default; otherwise it is unknown */
    bool undescribed; /* it has .debug_info, but that could not be read: `dwarf` is unknown */
    struct compare_value *value;
    size_t values;
    bool has_edges; /* its edges are known, even if there are none */
    struct compare_edge *edge;
    size_t edges;
    struct compare_quantiles quantiles[COMPARE_SAMPLES];
    const struct samples *samples[COMPARE_SAMPLES]; /* all values; NULL: only quantiles are known */
};

/* What is counted by its name in DWARF: in all libraries and, behind that, in those of each language, where libraries
 * are in several. */
enum compare_tally_of {
    TALLY_TAGS,
    TALLY_FORMS,
    TALLY_ATTRIBUTES,
    COMPARE_WHOLE_TALLIES,
    COMPARE_LANGUAGES = 3, /* C, C++, Fortran */
    COMPARE_TALLIES = COMPARE_WHOLE_TALLIES * (1 + COMPARE_LANGUAGES)
};
extern const char *const compare_tally_names[COMPARE_TALLIES];

struct compare_tally {
    struct compare_count {
        const char *name;
        uint64_t count;
    } * of; /* sorted by name */
    size_t count;
};

struct compare_side {
    const char *path; /* fit to be shown */
    bool profile;     /* read from a profile, not from files */
    bool captured;    /* pyelfprof has written it, with rows */
    bool many;        /* of so many libraries that it leaves out counts that are usual (profile_words.h) */
    bool summary;     /* a profile without libraries */
    struct compare_row *row;
    size_t rows;
    struct compare_row sums; /* of a summary: its sums, as if they were a row */
    uint64_t of_kind[2];     /* of a summary: how many utilities and modules its top states */
    bool says_kind[2];       /* whether the top states them */
    struct histogram histogram[COMPARE_SAMPLES];
    struct compare_tally tally[COMPARE_TALLIES];
    struct prof *prof; /* the passes that read the files, which own the samples; NULL for a profile */
};

/* Reads an operand: a directory, a file or a profile. Complains of what cannot be read. False where there is nothing to
 * compare. */
bool compare_read_side(struct compare *c, const char *path, struct compare_keys *keys, struct compare_side *side);
/* Reads the text of a captured profile. False with *e where it is none. */
bool compare_read_profile(struct compare *c, const char *path, FILE *from, struct compare_keys *keys,
                          struct compare_side *side, struct error *e);
void compare_side_free(struct compare_side *side);

/* ---- matching ---- */

#define COMPARE_NOBODY UINT32_MAX

struct compare_pair {
    uint32_t of[SIDES]; /* rows; COMPARE_NOBODY: no match on that side */
    bool by_name;
};

struct compare_pairs {
    struct compare_pair *of; /* in the order of REAL's rows, then those that only TWIN has */
    size_t count;
    uint32_t *twin_of; /* for each row of REAL its match */
    size_t matched, by_name, alone[SIDES];
};

/* Finds each library's match in three steps: by names that occur once on each side (not with MATCH_ORDER), then in
 * order among modules and among utilities, then the rest in order. False where memory runs out. */
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
    uint64_t number[SIDES]; /* of a distribution: how many items each side has */
    const char *word[SIDES];
    double distance;
    enum compare_method method;
    size_t libraries[STATES]; /* of a set: how many libraries are in each state */
    size_t silent;            /* of a set: in how many libraries it is not compared, because one side does not say it */
};

struct compare_list {
    struct compare_quantity *of;
    size_t count, room;
    size_t states[STATES];
    size_t silent; /* quantities that only one side says */
};

struct compare_library {
    struct compare_pair pair;
    struct compare_list list; /* empty where there is no match */
};

/* Keys that a capture can be made without. */
enum compare_group { GROUP_ZSTD, GROUP_DWARF, GROUP_LOAD, GROUP_INLINED, GROUP_FRAMES, COMPARE_GROUPS };

/* Something that is not compared because a side does not say it: a key, "mix.info", or all keys below one, "mix". */
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
    bool tells;                          /* there is a differences.json */
    struct json_object *told;            /* what is told of each library of the twin, by name; NULL: nothing */
    struct json_object *untold;          /* names of what pyelfgen does not count in the set; NULL: nothing */
    struct compare_library *library;     /* one for each pair; NULL for summaries */
    size_t library_states[STATES];       /* quantities of all libraries */
    size_t libraries_off;                /* libraries with something off, or without a match */
    bool unknown[SIDES][COMPARE_GROUPS]; /* the side does not say the group, which is then not compared */
    struct compare_silence *silence;     /* malloc */
    size_t silences;
};

/* Adds a quantity and counts its state, unless --without leaves it out. */
void compare_add(const struct comparison *c, struct compare_list *list, const struct compare_quantity *q);

/* Reads SET/differences.json, where there is one: what pyelfgen told that the set has otherwise than its profile
 * (told.c). */
void compare_read_told(struct comparison *c);

/* Whether the file tells of this difference in that library, with both numbers, or says that the quantity is not
 * counted. */
bool compare_is_told(const struct comparison *c, const char *library, const struct compare_quantity *q);

/* Whether the file tells that this distribution is off in that library, by all values. */
bool compare_is_told_distance(const struct comparison *c, const char *library, const char *name);

/* Whether the file says that a distribution of the set is not counted. */
bool compare_is_untold_of_set(const struct comparison *c, const struct compare_quantity *q);

/* Whether a quantity of the set is told because it is told in libraries, off in none, and every library has a match. */
bool compare_is_told_of_all(const struct comparison *c, const struct compare_quantity *q);

/* Compares the sides, which have been read and matched. */
void compare_quantities(struct comparison *c);

/* Whether a key is of a group. */
bool compare_is_in(const char *key, enum compare_group group);

/* Finds the groups that only one side says; their keys become COMPARE_SKIP (silence.c). */
void compare_skip_unknown(struct comparison *c);

/* Notes once that the side does not say `name`, which is borrowed. */
void compare_be_silent(struct comparison *c, const char *name, int side);

/* What the side does not say, with ", " between the names; "" where there is nothing. The caller frees it. */
char *compare_silence_text(const struct comparison *c, int side);

/* Adds the distributions over the set to its list. `states` says of the sampled ones in how many libraries they have
 * each state. */
void compare_distributions(struct comparison *c, size_t states[COMPARE_SAMPLES][STATES]);

/* For each library, how many others it needs or, `inward`, how many need it; sorted ascending; malloc. */
uint32_t *compare_degrees(const struct compare_side *side, bool inward);

/* Joins what both sides count, sorted by name; *joined is of malloc. Returns how many names there are. */
struct compare_joined {
    const char *name;
    uint64_t count[SIDES];
};
size_t compare_join(const struct compare_side sides[SIDES], enum compare_tally_of of, struct compare_joined **joined);

/* Frees what the comparison has, but neither the struct nor the arena. */
void compare_free(struct comparison *c);

/* Whether the group was not compared, because one side does not say it. */
static inline bool compare_is_unknown(const struct comparison *c, enum compare_group group)
{
    return c->unknown[REAL][group] || c->unknown[TWIN][group];
}

/* Whether every library of the side says what it needs. */
bool compare_has_graph(const struct compare_side *side);

/* Whether nothing is off and every library has a match. What is told counts as off, unless --told was given. */
bool compare_agrees(const struct comparison *c);

/* The state of a number, and of a distance. */
enum compare_state compare_number_state(uint64_t real, uint64_t twin, double tolerance);
enum compare_state compare_distance_state(double distance, enum compare_method method, double tolerance);

/* The sum over all states. */
static inline size_t compare_all(const size_t states[STATES])
{
    size_t all = 0;
    for (int s = 0; s < STATES; s++)
        all += states[s];
    return all;
}

/* The name of a library, fit to be shown. A library without a name gets its number, which is written to `text`. */
const char *compare_library_name(const struct comparison *c, int side, uint32_t row, char text[32]);

/* Whether a library has no match. */
static inline bool compare_is_alone(const struct compare_library *library)
{
    return library->pair.of[REAL] == COMPARE_NOBODY || library->pair.of[TWIN] == COMPARE_NOBODY;
}

/* ---- what is written ---- */

/* Formats a quantity's difference, and its share of the real number or, for a distance, the method. Either text may be
 * "". */
enum { COMPARE_CELL = 48 };
void compare_difference_text(const struct compare_quantity *q, char difference[COMPARE_CELL], char share[COMPARE_CELL]);

void compare_print(const struct comparison *c);
bool compare_write_json(const struct comparison *c, struct error *e);
bool compare_write_html(const struct comparison *c, struct error *e);

/* The main function of `pyelfstat --compare`, which has options and an exit status of its own. */
int compare_main(int argc, char **argv);

#endif
