/* All measurements, in turn. */
#ifndef TOOLS_PYELFPROBE_MEASURE_H
#define TOOLS_PYELFPROBE_MEASURE_H

#include "tools/pyelfprobe_probe.h"

/* Fills p->cells. Applications take turns, so that what changes on the machine
 * meets both. False when the program is to end. */
bool measure_all(struct probe *p, struct error *e);

/* Whether everything that was tried has come to an end; what is absent was not. */
bool measure_well(const struct probe *p);

#endif
