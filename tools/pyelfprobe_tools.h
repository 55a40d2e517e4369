/* Which tools this machine has, and whether they can be used. */
#ifndef TOOLS_PYELFPROBE_TOOLS_H
#define TOOLS_PYELFPROBE_TOOLS_H

#include "tools/pyelfprobe_probe.h"

/* Finds those that are wanted: p->tools. A tool that is absent is no failure; false
 * when the program is to end. */
bool tools_find(struct probe *p, struct error *e);

#endif
