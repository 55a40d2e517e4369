/* Finds out which tools this machine has, and whether they can be used. */
#ifndef TOOLS_PYELFPROBE_TOOLS_H
#define TOOLS_PYELFPROBE_TOOLS_H

#include "tools/pyelfprobe/probe.h"

/* Fills p->tools for the tools that are wanted. An absent tool is no failure. False where the program has to end. */
bool tools_find(struct probe *p, struct error *e);

#endif
