/* The Python that imports sets. */
#ifndef TOOLS_PYELFPROBE_PYTHON_H
#define TOOLS_PYELFPROBE_PYTHON_H

#include "tools/pyelfprobe/probe.h"

/* Finds p->python: the program itself, and not a script or link by which it is called, which would mislead a debugger.
 * ERROR_INPUT where there is none. */
bool python_find(struct probe *p, struct error *e);

#endif
