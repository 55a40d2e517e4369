/* Starts a process whose dynamic linker is audited: the launcher's side of audit_page.h. */
#ifndef RUNTIME_LINKER_H
#define RUNTIME_LINKER_H

#include <stdbool.h>

#include "base/error.h"

/* Writes to `name`, of PATH_MAX bytes, a name for the file `path` that can stand in a list in the dynamic linker's
 * environment, where any of `separators` ends an entry. It is the path itself; or, if that contains a separator or '$',
 * the name in /proc of a descriptor of this process. The descriptor stays open; it outlives exec, as the process does.
 */
bool linker_name(char *name, const char *path, const char *separators, struct error *e);

/* Makes `library`, the path of libpyelfaudit.so, audit the program that this process executes next. Call it in the rank
 * itself, because the page belongs to one process. */
bool linker_audit(const char *library, struct error *e);

#endif
