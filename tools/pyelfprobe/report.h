/* Reports on the measurements, for people and for programs. */
#ifndef TOOLS_PYELFPROBE_REPORT_H
#define TOOLS_PYELFPROBE_REPORT_H

#include <stdio.h>

#include "tools/pyelfprobe/grid.h"
#include "tools/pyelfprobe/probe.h"

enum { REPORT_VERSION = 1 }; /* of the JSON; see docs/probe.schema.json */

/* Prints the tables (table.c). */
void report_table(const struct probe *p, FILE *f);

/* Prints what --model has found (table_model.c). */
void report_model(const struct probe *p, const struct grid (*grids)[APPS_MOST], FILE *f);

/* Writes everything as JSON. `grids` is NULL without --model (json.c). */
bool report_save(const struct probe *p, const struct grid (*grids)[APPS_MOST], const char *path, struct error *e);

#endif
