/* Tools that run from outside, without a script: nm, readelf and dwz read the files, eu-stack and perf look at the
 * process.
 */
#ifndef TOOLS_PYELFPROBE_READERS_H
#define TOOLS_PYELFPROBE_READERS_H

#include "tools/pyelfprobe/probe.h"

/* Runs the tool once on the application. False where the program has to end. */
bool readers_measure(struct probe *p, enum tool tool, enum cache cache, size_t number, struct error *e);

#endif
