/* What the parts of pyelfprof share, beside tools/capture/prof.h:
 *
 *     search, process, run ─▶ files ─▶ capture ─▶ dwarf ─▶ graph ─▶ load ─▶ summary, write
 */
#ifndef TOOLS_PYELFPROF_PYELFPROF_H
#define TOOLS_PYELFPROF_PYELFPROF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "tools/capture/prof.h"

/* Adds programs or libraries, and what they would load in one process as ld.so resolves it. */
void prof_exec(struct prof *p, char *const *paths, size_t count);

/* Adds what a process has loaded, or had loaded when its core was written. */
void prof_process(struct prof *p, const char *pid);
bool prof_is_core(const char *path);
void prof_core(struct prof *p, const char *path);

/* Runs a command or a Python script, and adds what it loaded. */
void prof_run(struct prof *p, char **command);
void prof_python(struct prof *p, char **script);

/* Loads the libraries in a process of its own, to measure what memory their constructors take. */
void prof_load(struct prof *p);

/* Whether pyelfgen can make a set of the sums of --summary. Otherwise *e says why not and what else to do. */
bool prof_sums_suffice(const struct prof *p, struct error *e);
/* Says on the standard error what the sums do not tell about these libraries. */
void prof_tell_of_sums(const struct prof *p);

/* Prints in sentences what a profile says. */
bool prof_explain(const char *path, struct error *e);

#endif
