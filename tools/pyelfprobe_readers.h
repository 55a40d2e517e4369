/* Tools that are run from the outside, without a script: nm, readelf and dwz, which
 * read the files, and eu-stack and perf, which look at the process. */
#ifndef TOOLS_PYELFPROBE_READERS_H
#define TOOLS_PYELFPROBE_READERS_H

#include "tools/pyelfprobe_probe.h"

/* Runs the tool once on the application; false when the program is to end. */
bool readers_measure(struct probe *p, enum tool tool, enum cache cache, size_t number, struct error *e);

#endif
