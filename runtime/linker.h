/* Starting a process whose dynamic linker is audited: the launcher's side of
 * audit_page.h. */
#ifndef RUNTIME_LINKER_H
#define RUNTIME_LINKER_H

#include <stdbool.h>

#include "base/error.h"

/* The name by which a list in the dynamic linker's environment, divided by any of
 * `separators`, can have the file `path`: in `name`, of PATH_MAX bytes, the path
 * itself, or where it has a separator in it, that of a descriptor of this process
 * in /proc. The descriptor stays open, and outlives exec, as the process does. */
bool linker_name(char *name, const char *path, const char *separators, struct error *e);

/* Sees to it that the program that this process execs next is audited by
 * `library`, the path of libpyelfaudit.so: to be called in the rank itself,
 * since the page is no other process's. */
bool linker_audit(const char *library, struct error *e);

#endif
