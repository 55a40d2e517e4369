/* pyelfstat --dwarf: what the debug information of files consists of (dwarf/stats/stats.h), added up, as a table for
 * people or as JSON.
 */
#ifndef TOOLS_PYELFSTAT_DWARF_REPORT_H
#define TOOLS_PYELFSTAT_DWARF_REPORT_H

#include <stddef.h>

#include "tools/common/report.h"
#include "tools/common/set.h"

/* Reads the libraries of a set or, where `set` is NULL, files, as many at once as there are processors. Reports their
 * sum. */
void dwarf_report(struct report *r, const struct set *set, const struct library *libraries, size_t count);

#endif
