/* Measures phase 2 with several numbers of libraries and breakpoints, and fits the model (model.h) to that.
 */
#ifndef TOOLS_PYELFPROBE_GRID_H
#define TOOLS_PYELFPROBE_GRID_H

#include "tools/pyelfprobe/model.h"
#include "tools/pyelfprobe/probe.h"

enum { GRID_MOST = 12 };

struct grid {
    enum outcome outcome;
    char reason[REASON_SIZE];             /* as of a cell */
    struct model_point points[GRID_MOST]; /* each the median of its runs */
    size_t count;
    struct model_fit fit;
    struct model_fit grown; /* the fit in which T1 and T2 grow */
    bool has_grown;
    double libraries, tasks, breakpoints; /* for which the time is extrapolated */
    double seconds, grown_seconds;        /* extrapolated from the fit, and from the one that grows */
};

/* Fills a grid for each debugger that is wanted and available, and each application. `grids` has TOOLS x APPS_MOST of
 * them. False where the program has to end. */
bool grid_all(struct probe *p, struct grid (*grids)[APPS_MOST], struct error *e);

#endif
