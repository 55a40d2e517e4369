/* What the parts of pyelfprof share: the files of an application, in the order in
 * which they are loaded, and what is known of each.
 *
 *     find, search, process, run ─▶ files ─▶ capture ─▶ dwarf ─▶ graph ─▶ load ─▶ write
 *
 * A file that cannot be read costs its own row and the exit status, not the rest.
 */
#ifndef TOOLS_PYELFPROF_H
#define TOOLS_PYELFPROF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "dwarf/stats.h"
#include "elf/capture.h"

struct prof_dwarf {
    bool known;
    bool views;       /* has DW_AT_GNU_locviews */
    bool clang;       /* has DW_AT_str_offsets_base, and is not split */
    uint32_t version; /* that most units have, as the next */
    uint32_t language;
    uint64_t units, partial; /* units: but for partial ones */
    uint64_t uneven;         /* how unlike the former are in size, in hundredths (uneven.h); 0: not known */
    uint64_t dies, defined;  /* the latter: of functions that are defined, with all below them */
    uint64_t attributes, rows, entries;
    double sampled; /* share of .debug_info that was read; 1 for all */
    double error;   /* standard error of dies, as a share */
};

/* From one library to another of the set. */
struct prof_edge {
    uint32_t to;
    uint64_t symbols; /* that are taken from there */
};

/* By which it is noticed that a file changes while it is read. */
struct prof_state {
    uint64_t device, inode, size;
    int64_t written[2]; /* seconds and nanoseconds of st_mtim */
};

struct prof_file {
    const char *path;        /* from the arena, as all strings here */
    const char *name;        /* its path as it is, or was, called: what `path` leads through may be of /proc */
    const char *debug_path;  /* of the file with its debug information; NULL: not looked for yet */
    bool by_build_id;        /* that file is one of a tree of build-ids, and is found by it */
    uint64_t device, inode;  /* by which the same file is known; 0, 0 where it cannot be */
    bool given;              /* by its name: not to be left out silently */
    bool left_out;           /* no shared object of the application after all */
    struct prof_state state; /* as it was before, of the one at debug_path where there is one */
    struct error *failed;    /* why it could not be read; malloc, NULL where it could */
    struct error *remark;    /* what else is to be complained of */
    struct capture capture;
    struct prof_dwarf dwarf;
    struct prof_edge *edge; /* in the order of DT_NEEDED */
    size_t edges;
    uint64_t outside;            /* DT_NEEDED that lead out of the set */
    bool timed;                  /* the next is known */
    uint64_t imported;           /* microseconds that Python took to import it, 0 where unknown */
    uint64_t loaded;             /* nanoseconds after the first file of the run was */
    uint64_t indirect;           /* symbols from libraries of the set that it does not name */
    uint64_t used;               /* how many symbols others of the set have from it, each counted once */
    uint64_t constructor_memory; /* bytes that its constructors take; 0 also where unknown */
};

/* By which the same file is known. */
struct prof_place {
    uint64_t device, inode;
};

enum prof_from { FROM_FILES, FROM_EXEC, FROM_PYTHON, FROM_RUN, FROM_PID, FROM_CORE };

struct prof {
    /* What was asked for. */
    const char *output;
    const char *list; /* where to write which file each row is of; NULL: nowhere */
    enum prof_from from;
    bool names, summary, no_dwarf, full, load;
    bool without_libc;
    bool keep;                                         /* keep samples, see struct capture_wish */
    void (*hear)(void *hearer, const struct error *e); /* complaints; NULL: they are printed */
    void *hearer;
    const char **only, **without, **debug_dir;
    size_t onlys, withouts, debug_dirs;

    struct arena arena;
    struct prof_file *file;
    size_t count, capacity;
    size_t unreadable;
    struct prof_place *refused; /* ELF files that --only and --without left out before there was one that they let in */
    size_t refusals, refusal_capacity;
    uint64_t first_loaded; /* CLOCK_MONOTONIC of a run, nanoseconds */
    bool failed;
    struct histogram functions, name_lengths, degree;
    struct debug_stats dwarf; /* of all */
};

/* A profile without a part of it would be a wrong one: without memory the program
 * ends. */
void *prof_must(void *p);
char *prof_copy(struct prof *p, const char *text);
char *prof_format(struct prof *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints an error, or lets it be heard, which costs the exit status. */
void prof_complain(struct prof *p, const struct error *e);

/* The same of what is wrong with a file, in this line of it (0: in none); and of what failed with errno. */
void prof_complain_at(struct prof *p, const char *file, unsigned line, const char *text);
void prof_complain_errno(struct prof *p, const char *file, const char *what);

/* Opens a file for reading whose path a file may have chosen: nothing but regular files is even opened. -1 where it is
 * none, or cannot be. */
int prof_open_regular(const char *path);

/* Adds a file, unless --only and --without leave it out or it is there already.
 * What is not there or no regular file is noted as failed where it is `given`, and
 * not added otherwise. */
void prof_add(struct prof *p, const char *path, bool given);

/* As that, of a file that is read by another path than its own, which is `name`. */
void prof_add_as(struct prof *p, const char *path, const char *name, bool given);

/* Whether it is, by its name, a file of the C library. */
bool prof_is_libc(const char *path);

/* Whether --only, --without and --without-libc let the file in. */
bool prof_wants(const struct prof *p, const char *path);

/* Says that these options let none of the files in. */
bool prof_nothing_wanted(const struct prof *p, struct error *e);

/* Adds a file, or all shared objects in a directory: those of a set by its manifest. */
void prof_find(struct prof *p, const char *path);

/* Adds programs or libraries and what they would load in one process, as ld.so resolves it. */
void prof_exec(struct prof *p, char *const *paths, size_t count);

/* Adds what a process has loaded, or had when its core was written. */
void prof_process(struct prof *p, const char *pid);
bool prof_is_core(const char *path);
void prof_core(struct prof *p, const char *path);

/* Runs a command or a script, and adds what it loaded. */
void prof_run(struct prof *p, char **command);
void prof_python(struct prof *p, char **script);

/* Processors that may be used. */
unsigned prof_threads(void);

/* Whether a --debug-dir is one: an ERROR_USAGE otherwise. */
bool prof_is_debug_dir(const char *path, struct error *e);

/* Captures all files; leaves out those that are no shared objects. */
void prof_capture(struct prof *p);
/* How the file is now; all zero where it cannot be found out. */
struct prof_state prof_state_of(const char *path);
/* Whether the file is as it was when *state was taken, or gone; what has been read of it
 * counts for nothing where this is false, and *e says so. */
bool prof_unchanged(const char *path, const struct prof_state *state, struct error *e);

/* Reading the debug information of a file that may be compressed, in whatever way, and that may change: as
 * stats_start_sample and stats_finish do, each that is started to be finished. What is compressed is unpacked before,
 * as libdwarf does not know zstd, and takes for broken what zlib has made much smaller. The state is of the time when
 * something was read of it first; errors name the file. It stays where it is until it is finished. */
struct prof_reading {
    struct stats_reader reader;
    const char *path; /* borrowed */
    struct prof_state state;
    char read[PATH_MAX]; /* what libdwarf reads */
    int unpacked;        /* descriptor of that, where it is read in the file's stead; -1 */
};
bool prof_reading_start(struct prof_reading *r, const char *path, const struct prof_state *state, uint32_t compression,
                        uint64_t most, struct error *e);
bool prof_reading_finish(struct prof_reading *r, struct debug_stats *s, struct error *e);
/* Reads their debug information. */
void prof_dwarf(struct prof *p);
/* Of a .dwo file, whose range lists libdwarf reads only together with the library:
 * takes these out of what could not be read. False where there are none. */
bool prof_leave_range_lists(struct debug_stats *s);
/* Finds out who needs whom. */
void prof_graph(struct prof *p);
/* Loads them, in a process of its own, to find out what memory their constructors take. */
void prof_load(struct prof *p);
/* Whether pyelfgen makes a set of what --summary tells; says what else to do where it does not. */
bool prof_sums_suffice(const struct prof *p, struct error *e);
/* Says on the standard error what sums do not tell of these libraries. */
void prof_tell_of_sums(const struct prof *p);
/* Writes the profile. */
bool prof_write(struct prof *p, struct error *e);
bool prof_write_text(FILE *to, const struct prof *p, struct error *e);
/* Writes which file each row is of: what its library is called in a set, a tab, the path, one a line. In the paths
 * control characters are '?'. */
bool prof_write_list(struct prof *p, struct error *e);

/* Writes a file, as base/replacement.h does; or to the standard output, which is
 * "-", or the device of that name, or the pipe of a descriptor. A FIFO is refused,
 * as by replacement.h. Whether it can is to be asked before work that takes long. The
 * first is whether there is no file that is replaced. */
bool prof_is_written_through(const char *path);
bool prof_can_replace(const char *path, struct error *e);
bool prof_replace(const char *path, bool (*write)(FILE *to, void *context, struct error *e), void *context,
                  struct error *e);

void prof_free(struct prof *p);

/* Prints what a profile says in sentences. */
bool prof_explain(const char *path, struct error *e);

#endif
