/* Phase 2 for several numbers of libraries and breakpoints, and what the model
 * (pyelfprobe_model.h) makes of it. */
#ifndef TOOLS_PYELFPROBE_GRID_H
#define TOOLS_PYELFPROBE_GRID_H

#include "tools/pyelfprobe_model.h"
#include "tools/pyelfprobe_probe.h"

enum { GRID_MOST = 12 };

struct grid {
    enum outcome outcome;
    char reason[REASON_SIZE];
    struct model_point points[GRID_MOST]; /* medians */
    size_t count;
    struct model_fit fit;
    struct model_fit grown; /* where T1 and T2 grow */
    bool has_grown;
    double libraries, tasks, breakpoints; /* extrapolated to */
    double seconds, grown_seconds;        /* of the fit; and of that which grows */
};

/* For each debugger that is wanted and there, and each application: grids has
 * TOOLS x APPS_MOST of them. False when the program is to end. */
bool grid_all(struct probe *p, struct grid (*grids)[APPS_MOST], struct error *e);

#endif
