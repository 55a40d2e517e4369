/* Makes all measurements, in turn. */
#ifndef TOOLS_PYELFPROBE_MEASURE_H
#define TOOLS_PYELFPROBE_MEASURE_H

#include "tools/pyelfprobe/probe.h"

/* Fills p->cells. Applications take turns, so that changes on the machine meet both. False where the program has to
 * end. */
bool measure_all(struct probe *p, struct error *e);

/* Whether something was measured, and nothing that was tried failed. What is absent was not tried. */
bool measure_well(const struct probe *p);

#endif
