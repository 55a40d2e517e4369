/* What is measured of an application's files: the files in the order in which they are loaded, and what is known of
 * each file.
 *
 *     files ─▶ capture ─▶ dwarf ─▶ graph ─▶ write
 *
 * pyelfprof's own files find the files and measure what only a process shows (tools/pyelfprof/pyelfprof.h). pyelfstat
 * measures sets with it, and its originals.
 *
 * A file that cannot be read loses its own row and makes the exit status a failure. The other files are captured all
 * the same.
 */
#ifndef TOOLS_CAPTURE_PROF_H
#define TOOLS_CAPTURE_PROF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "dwarf/stats/stats.h"
#include "elf/read/capture.h"

struct prof_dwarf {
    bool known;
    bool views;       /* has DW_AT_GNU_locviews */
    bool clang;       /* has DW_AT_str_offsets_base and no skeleton units */
    uint32_t version; /* that most units have; the same for language */
    uint32_t language;
    uint64_t units; /* without partial and type units: */
    uint64_t level; /* 1: hardly any entry has a type; else 0 */
    uint64_t partial, types;
    uint64_t uneven;        /* how unequal the sizes of units are, in hundredths (uneven.h); 0: not known */
    uint64_t code;          /* bytes of code that units describe; 0: not known */
    uint64_t dies, defined; /* defined: entries of functions that are defined, with all entries below them */
    uint64_t functions;     /* that have code */
    uint64_t attributes, rows, entries;
    uint64_t addresses;    /* rows at another address than the row before */
    uint64_t type_names;   /* bytes of names of structures, classes and unions, each time that they occur */
    uint64_t entry_values; /* of `entries`, with a DW_OP_entry_value */
    uint64_t inlined;      /* bytes of `code` in inlined calls */
    bool has_inlined;      /* `inlined` is known */
    double sampled;        /* share of .debug_info's bytes that was read; 1: all */
    double error;          /* standard error of dies, as a share of dies */
};

/* The .dwo files of a library whose debug information is split, or its package (.dwp). */
struct prof_dwo {
    uint64_t files;              /* that were found and read */
    uint64_t unread;             /* that were found and could not be read */
    uint64_t missing;            /* that its skeletons name, and that are not there or have other units */
    uint64_t units;              /* compile units in them, each of which has a skeleton in the library */
    uint64_t mix[CAPTURE_MIXES]; /* bytes of their debug sections, uncompressed */
};

/* One library of the set needs another. */
struct prof_edge {
    uint32_t to;
    uint64_t symbols; /* how many it takes from there */
};

/* Two states of a path differ where the file has changed meanwhile. */
struct prof_state {
    uint64_t device, inode, size;
    int64_t written[2]; /* seconds and nanoseconds of st_mtim */
};

struct prof_file {
    const char *path;        /* where to read it; from the arena, as all strings here */
    const char *name;        /* the path that the file has, or had, in the application; `path` may lead through /proc */
    const char *debug_path;  /* the file with its debug information; NULL: none, or not looked for yet */
    const char *other_debug; /* one that .gnu_debuglink names, with another checksum, where there is none; NULL: none */
    bool by_build_id;        /* the debug file stands in a tree of build-ids */
    bool given;              /* by the user, by its name: never left out silently */
    bool left_out;           /* turned out to be no shared object of the application */
    struct prof_state state; /* before the first read, of debug_path where there is one, otherwise of path */
    struct error *failed;    /* why it could not be read; malloc; NULL: it could */
    struct error *remark;    /* a complaint about a file that stays; malloc; NULL: none */
    struct capture capture;
    struct prof_dwarf dwarf;
    struct prof_dwo dwo;
    struct prof_edge *edge; /* in the order of DT_NEEDED */
    size_t edges;
    uint64_t outside;            /* DT_NEEDED that lead out of the set */
    bool timed;                  /* loaded is known */
    uint64_t imported;           /* microseconds of its import in Python, without nested imports; 0: unknown */
    uint64_t loaded;             /* nanoseconds from the first file of the run to this one */
    uint64_t indirect;           /* symbols that come from libraries of the set, but from none in its DT_NEEDED */
    uint64_t used;               /* how many of its symbols others of the set take, each counted once */
    uint64_t constructor_memory; /* bytes that its constructors take; 0: none, or unknown */
    uint64_t constructor_bss;    /* bytes of .bss that they write to, whole pages; 0: none, or unknown */
};

/* Identifies a file. */
struct prof_place {
    uint64_t device, inode;
};

/* Languages of debug information that sets can be in, and all others together. */
enum prof_language { PROF_C, PROF_CPP, PROF_FORTRAN, PROF_OTHERS, PROF_LANGUAGES };

/* The language that a value of DW_AT_language stands for, whatever its year. */
enum prof_language prof_language_of(uint32_t language);

enum prof_from { FROM_FILES, FROM_EXEC, FROM_PYTHON, FROM_RUN, FROM_PID, FROM_CORE };

/* Patterns of the command line, and which of them have matched a file. */
struct prof_patterns {
    const char **text;
    bool *matched;
    size_t count;
};

/* What the command line asks for. */
struct prof_options {
    const char *output;
    const char *list; /* where to write which file each row is of; NULL: nowhere */
    enum prof_from from;
    bool names, summary, no_dwarf, full, load;
    bool without_libc;
    bool keep;                                         /* keep samples; see struct capture_wish */
    void (*hear)(void *hearer, const struct error *e); /* takes complaints; NULL: they are printed */
    void *hearer;
    struct prof_patterns only, without;
    const char **debug_dir;
    size_t debug_dirs;
};

struct prof {
    struct prof_options options;
    struct arena arena;
    struct prof_file *file;
    size_t count, capacity;
    size_t unreadable;
    void *met;                  /* struct prof_place of all files: a tree of tsearch */
    struct prof_place *refused; /* ELF files that the options have left out, noted until they let one in */
    size_t refusals, refusal_capacity;
    uint64_t first_loaded; /* when the first file of a run was loaded: CLOCK_MONOTONIC, nanoseconds */
    bool failed;
    struct histogram functions, name_lengths, degree;
    struct debug_stats dwarf[PROF_LANGUAGES]; /* of the files that are mostly in each language */
};

/* Returns p. Where p is NULL the program ends: memory is short, and a profile with a part missing would be wrong.
 *
 * prof_copy and prof_format return strings of the arena. */
void *prof_must(void *p);
char *prof_copy(struct prof *p, const char *text);
char *prof_format(struct prof *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the error, or hands it to `hear`. Either way the exit status becomes a failure. */
void prof_complain(struct prof *p, const struct error *e);

/* Complains that something is wrong with a file, in this line of it (0: in none), or that something failed with
 * errno. */
void prof_complain_at(struct prof *p, const char *file, unsigned line, const char *text);
void prof_complain_errno(struct prof *p, const char *file, const char *what);

/* Opens a regular file for reading. The path may have been chosen by a hostile file, so nothing but a regular file is
 * even opened. Returns -1 where the path is no regular file or cannot be opened. */
int prof_open_regular(const char *path);

/* Adds a file, unless --only, --without or --without-libc leave it out, or it is there already. A path that is missing
 * or no regular file is passed over, except where it is `given`: then it counts as failed, here or when it is
 * captured. */
void prof_add(struct prof *p, const char *path, bool given);

/* The same for a file that is read by another path than its own, which is `name`. */
void prof_add_as(struct prof *p, const char *path, const char *name, bool given);

/* Whether the path has the name of a file of the C library. */
bool prof_is_libc(const char *path);

/* A path's last component. */
static inline const char *prof_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether --only, --without and --without-libc let the file in. Notes which patterns match. */
bool prof_wants(const struct prof *p, const char *path);

/* Sets *e: these options let none of the files in. Returns false. */
bool prof_nothing_wanted(const struct prof *p, struct error *e);

/* Adds a file, or all shared objects in a directory and below. Of a set, adds the libraries that its manifest names. */
void prof_find(struct prof *p, const char *path);

/* How many threads to use: one for each processor that may be used, 16 at most. */
unsigned prof_threads(void);

/* Whether a --debug-dir is a directory that can be searched; ERROR_USAGE otherwise. */
bool prof_is_debug_dir(const char *path, struct error *e);

/* Captures all files, and leaves out those that failed or are no shared objects. */
void prof_capture(struct prof *p);
/* The state of the file now; all zero where it cannot be found out. */
struct prof_state prof_state_of(const char *path);
/* Whether the file is as it was when *state was taken, or is gone. Otherwise *e says that it changes, and what was read
 * of it does not count. */
bool prof_unchanged(const char *path, const struct prof_state *state, struct error *e);

/* Reads the debug information of a file that may be compressed in any way and may change meanwhile. Used like
 * stats_start_sample and stats_finish: each reading that is started must be finished.
 *
 * Compressed sections are unpacked first, because libdwarf does not know zstd and takes for broken what zlib has made
 * much smaller. *state is from before the first read of the file. Errors name the file. The struct must not move until
 * it is finished. */
struct prof_reading {
    struct stats_reader reader;
    const char *path; /* borrowed */
    struct prof_state state;
    char read[PATH_MAX]; /* the path that libdwarf reads */
    int unpacked;        /* descriptor of the unpacked copy that is read instead of the file; -1: none */
};
bool prof_reading_start(struct prof_reading *r, const char *path, const struct prof_state *state, uint32_t compression,
                        uint64_t most, struct error *e);
/* Bytes of the unpacked copy, if the file was compressed. */
uint64_t prof_reading_unpacked(const struct prof_reading *r);
bool prof_reading_finish(struct prof_reading *r, struct debug_stats *s, struct error *e);
/* Reads the debug information of all files, and of their .dwo files. */
void prof_dwarf(struct prof *p);

/* A file whose debug information is to be read. */
struct prof_debug {
    struct prof_file *of; /* the library that it belongs to */
    const char *path;     /* from the arena */
    struct prof_state state;
    uint32_t compression;
    uint64_t mix[CAPTURE_MIXES]; /* bytes of its debug sections, as far as known */
    bool is_dwo;
};

/* A growing list, which is malloc'ed. */
struct prof_debugs {
    struct prof_debug *of;
    size_t count, capacity;
};

/* The skeletons of a library whose .dwo files were found, by their ids, ascending; malloc. */
struct prof_skeletons {
    struct prof_skeleton {
        uint64_t id;
        bool met; /* the unit that it stands for was read */
    } * of;
    size_t count;
};

/* Appends the .dwo files that are named in `names` (debug_stats.dwos) to the list: the library's package where there is
 * one, otherwise each file that is found. Counts in file->dwo those that are missing or are no ELF files. */
void prof_find_dwos(struct prof *p, struct prof_file *file, const struct bytes *names, struct prof_debugs *list,
                    struct prof_skeletons *skeletons);
/* Notes the units of a .dwo file, which are in `names`. False if they are those of other libraries, or of another build
 * of this one. prof_unmet counts, at the end, the skeletons whose units are in none of the files. */
bool prof_meet(struct prof_skeletons *skeletons, const struct bytes *names);
uint64_t prof_unmet(const struct prof_skeletons *skeletons);
void prof_debugs_add(struct prof_debugs *list, const struct prof_debug *debug);
/* For a .dwo file. libdwarf reads its range lists only together with the library, so this takes them out of the count
 * of what could not be read. False where there are none. */
bool prof_leave_range_lists(struct debug_stats *s);
/* Finds out which library needs which, and how many symbols they take from one another. */
void prof_graph(struct prof *p);
/* Writes the profile to p->output, or to a stream. */
bool prof_write(struct prof *p, struct error *e);
bool prof_write_text(FILE *to, const struct prof *p, struct error *e);
/* Writes the row of one of its files. */
void prof_write_row(FILE *to, const struct prof *p, const struct prof_file *file);
/* Writes to p->list which file each row is of. A line has the library's name in a set, a tab, and the path, in which
 * control characters become '?'. */
bool prof_write_list(struct prof *p, struct error *e);

void prof_free(struct prof *p);

#endif
