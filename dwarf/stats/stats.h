/* Statistics of the debug information of existing files.
 *
 * They say what any DWARF of version 2 to 5, ours or a compiler's, consists of, as counts that add up over files:
 * entries (DIEs) by tag, attributes and forms, locations, lists, line tables, names. Ratios are left to whoever reads
 * them.
 *
 * Files are read through libdwarf. Tags, attributes and forms are counted from the uses of abbreviations. Units of
 * .debug_info and .debug_types count, in both widths. What they refer to in other files is not followed; of .dwo files
 * the names are returned.
 *
 * Of a file with much debug information, a sample of units may do. Each unit is read with the same chance, and
 * stats_scale estimates the counts of all units and how sure they are.
 *
 * Files are hostile until read, and libdwarf aborts or runs in circles on some broken ones. So each file is read in a
 * process of its own, within limits of time and memory. What that process dies of is an error like any other, and leaks
 * nothing. */
#ifndef DWARF_STATS_STATS_H
#define DWARF_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/uneven.h"

/* Counts that are one number each. */
#define STATS_NUMBER_LIST(X)                                                                                           \
    X(STATS_FILES, "files")                                                                                            \
    X(STATS_FILES_WITHOUT, "files_without_units")                                                                      \
    X(STATS_TEXT_BYTES, "text_bytes") /* of .text and .text.* */                                                       \
    X(STATS_COMPILE_UNITS, "compile_units")                                                                            \
    X(STATS_PARTIAL_UNITS, "partial_units")                                                                            \
    X(STATS_TYPE_UNITS, "type_units")                                                                                  \
    X(STATS_SKELETON_UNITS, "skeleton_units")                                                                          \
    X(STATS_64BIT_UNITS, "64bit_units") /* among the above */                                                          \
    X(STATS_CODE_BYTES, "code_bytes")   /* that units cover, each byte once */                                         \
    X(STATS_DIES, "dies")                                                                                              \
    X(STATS_DEFINED_DIES, "dies_of_functions") /* entries of defined functions, with all below them */                 \
    X(STATS_ATTRIBUTES, "attributes")                                                                                  \
    X(STATS_ABBREVIATIONS, "abbreviations") /* that are used, summed over files */                                     \
    X(STATS_SUBPROGRAMS, "subprograms")                                                                                \
    X(STATS_FUNCTIONS, "functions")                /* subprograms with low_pc or ranges */                             \
    X(STATS_CODE_FUNCTIONS, "functions_with_code") /* addresses at which these begin, but for code that was discarded, \
                                                      and those in other functions */                                  \
    X(STATS_FUNCTION_BYTES, "function_bytes")      /* of code in functions, for each time that it is described */      \
    X(STATS_INLINED, "inlined_subroutines")                                                                            \
    X(STATS_INLINED_BYTES, "inlined_bytes")   /* of code in them, counted in the same way */                           \
    X(STATS_VARIABLES_LIST, "variables_list") /* variables, and below parameters, by kind of location */               \
    X(STATS_VARIABLES_EXPRESSION, "variables_expression")                                                              \
    X(STATS_VARIABLES_CONSTANT, "variables_constant") /* DW_AT_const_value */                                          \
    X(STATS_VARIABLES_NONE, "variables_none")                                                                          \
    X(STATS_PARAMETERS_LIST, "parameters_list")                                                                        \
    X(STATS_PARAMETERS_EXPRESSION, "parameters_expression")                                                            \
    X(STATS_PARAMETERS_CONSTANT, "parameters_constant")                                                                \
    X(STATS_PARAMETERS_NONE, "parameters_none")                                                                        \
    X(STATS_LISTS, "location_lists")               /* that DIEs refer to, each once */                                 \
    X(STATS_LIST_ENTRIES, "location_entries")      /* with an expression: no base address, no end */                   \
    X(STATS_ENTRY_VALUES, "location_entry_values") /* of these, with a DW_OP_entry_value */                            \
    X(STATS_PLACED_LIST_ENTRIES,                                                                                       \
      "location_entries_of_variables") /* and of parameters; a shared list counts for each */                          \
    X(STATS_RANGE_LISTS, "range_lists")                                                                                \
    X(STATS_RANGE_ENTRIES, "range_entries")                                                                            \
    X(STATS_LINE_TABLES, "line_tables")                                                                                \
    X(STATS_LINE_ROWS, "line_rows")           /* with those that end a sequence */                                     \
    X(STATS_LINE_ADDRESSES, "line_addresses") /* rows at another address than the row before */                        \
    X(STATS_LINE_SEQUENCES, "line_sequences")                                                                          \
    X(STATS_NAMES, "names") /* DIEs with DW_AT_name */                                                                 \
    X(STATS_NAME_BYTES, "name_bytes")                                                                                  \
    X(STATS_TYPE_NAMES, "type_names") /* of these, structures, classes and unions */                                   \
    X(STATS_TYPE_NAME_BYTES, "type_name_bytes")                                                                        \
    X(STATS_LINKAGE_NAMES, "linkage_names")                                                                            \
    X(STATS_LINKAGE_NAME_BYTES, "linkage_name_bytes")                                                                  \
    X(STATS_UNREADABLE, "unreadable") /* names, lists, tables that libdwarf refused: not counted */

enum stats_number {
#define X(number, name) number,
    STATS_NUMBER_LIST(X)
#undef X
        STATS_NUMBERS
};
extern const char *const stats_number_names[STATS_NUMBERS];

/* Counts by a key of DWARF: how often each key occurs. */
enum stats_tally {
    STATS_TAG,
    STATS_ATTRIBUTE,
    STATS_FORM,
    STATS_LANGUAGE, /* units by DW_AT_language */
    STATS_VERSION,  /* units by version of DWARF */
    STATS_TALLIES
};
extern const char *const stats_tally_names[STATS_TALLIES];

/* STATS_KEYS: more keys than DWARF and its vendors define. A file that has more is a lie, and what does not fit is only
 * summed. */
enum { STATS_KEYS = 256, STATS_SECTIONS = 48, STATS_NAME = 40, STATS_REMARK = 256, STATS_DWOS = 1 << 24 };

struct stats_tally_table {
    struct {
        uint32_t key;
        uint64_t uses;
    } of[STATS_KEYS]; /* ascending by key */
    uint32_t count;
    uint64_t rest;
};

struct stats_section {
    char name[STATS_NAME]; /* ".debug_info", which also stands for .zdebug_info */
    uint64_t bytes;        /* as a reader sees them: uncompressed */
    uint64_t file_bytes;   /* as they lie in the file */
};

/* A growing set of numbers. */
struct stats_set {
    uint64_t *slot;
    size_t count;
    size_t capacity;
};

/* How much of .debug_info was read. A unit may be read in part. To estimate the error there are sums of products, over
 * the units that were read, of their bytes x and their DIEs y. */
struct stats_sample {
    uint64_t units, units_read;
    uint64_t bytes, bytes_read;
    uint64_t lined, lined_read; /* of these bytes, those outside of .dwo files: other units have no line tables */
    double xx, xy, yy;
};

struct debug_stats {
    uint64_t number[STATS_NUMBERS];
    struct stats_tally_table tally[STATS_TALLIES];
    struct stats_section section[STATS_SECTIONS];
    uint32_t section_count;
    /* Different abbreviations (in tag, children, attributes or forms) that are used, over all files: the count is what
     * matters. */
    struct stats_set shapes;
    struct stats_sample sample;
    struct uneven_sum sizes; /* of compile units in .debug_info, without partial units and skeletons */
    /* For each skeleton: the directory and the name of its .dwo file, and the DWO id in hexadecimal, 0 where there is
     * none; for each compile unit in a .dwo file: two empty texts and its id. All have terminators. What is beyond
     * STATS_DWOS bytes is left out. */
    struct bytes dwos;
    char remark[STATS_REMARK]; /* the first thing that libdwarf refused */
    uint64_t groups_left;      /* groups of sections whose units do not count: libdwarf reads one group of a file */
};

/* Adds the debug information of the file to *s, which starts zeroed. A file without any is no error. On failure, *s is
 * unchanged, and the error names the file. */
bool stats_read(const char *path, struct debug_stats *s, struct error *e);

/* The same in two steps, so that several files are read at once. Any number of readers may be started before the first
 * is finished, and each has to be finished. The process that reads ends with the thread that has started it. */
struct stats_reader {
    const char *path; /* borrowed until finished */
    pid_t process;
    int answer; /* pipe from the process */
    unsigned seconds;
};
bool stats_start(struct stats_reader *r, const char *path, struct error *e);
/* Like stats_start, but reads only about `most` bytes of .debug_info; all if there are no more. */
bool stats_start_sample(struct stats_reader *r, const char *path, uint64_t most, struct error *e);
bool stats_finish(struct stats_reader *r, struct debug_stats *s, struct error *e);

/* Like stats_read, but in this process: for fuzzers and debuggers. Reads about `most` bytes of .debug_info; 0: all. */
bool stats_read_here(const char *path, uint64_t most, struct debug_stats *s, struct error *e);

/* Scales the counts of the units of one file that were read to estimates for all of its units. Returns the relative
 * standard error of the number of DIEs: 0 if all units were read, 1 if only one was, which says nothing of the others.
 */
double stats_scale(struct debug_stats *s);

/* Adds a section of a file; the caller knows its sizes in the file and uncompressed. Ignores all but .debug*, .zdebug*,
 * .text and .text.*. If there are too many names, the last one is "others". */
void stats_add_section(struct debug_stats *s, const char *name, uint64_t file_bytes, uint64_t bytes);

/* Adds `more` to `sum`; false when memory runs out. */
bool stats_add(struct debug_stats *sum, const struct debug_stats *more, struct error *e);

/* Frees the memory of *s and zeroes it. */
void stats_free(struct debug_stats *s);

/* The name of a key without its prefix ("formal_parameter"), or its number, which is then written to `text`. */
const char *stats_key_name(enum stats_tally tally, uint32_t key, char text[STATS_NAME]);

#endif
