/* What libdwarf cannot read; see parts.h.
 *
 * libdwarf has three answers: DW_DLV_OK, DW_DLV_NO_ENTRY and DW_DLV_ERROR. An error in units or DIEs is an error of the
 * file, because nothing behind them can be found without them. A value that cannot be read is left out and counted as
 * unreadable. */
#include <stdio.h>

#include "dwarf/stats/parts.h"

static const char *message(Dwarf_Error error)
{
    return error ? dwarf_errmsg(error) : "it does not say why";
}

void stats_forget(struct stats_file *f, Dwarf_Error *error)
{
    if (*error)
        dwarf_dealloc_error(f->dbg, *error);
    *error = NULL;
}

bool stats_broken(struct stats_file *f, Dwarf_Error *error, const char *what)
{
    error_set(f->e, ERROR_INPUT, "libdwarf cannot read %s: %s", what, message(*error));
    error_at(f->e, f->path, 0);
    stats_forget(f, error);
    return false;
}

bool stats_wrong(struct stats_file *f, const char *what)
{
    error_set(f->e, ERROR_INPUT, "has broken debug information: %s", what);
    return error_at(f->e, f->path, 0);
}

void stats_unreadable(struct stats_file *f, Dwarf_Error *error, const char *what)
{
    f->s->number[STATS_UNREADABLE]++;
    if (!*f->s->remark)
        snprintf(f->s->remark, sizeof f->s->remark, "%s: %s", what, message(*error));
    stats_forget(f, error);
}

bool stats_no_memory(struct stats_file *f)
{
    error_set(f->e, ERROR_MEMORY, "out of memory");
    return error_at(f->e, f->path, 0);
}
