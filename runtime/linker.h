/* Starting a process whose dynamic linker is audited: the launcher's side of
 * audit_page.h. */
#ifndef RUNTIME_LINKER_H
#define RUNTIME_LINKER_H

#include <stdbool.h>

#include "base/error.h"

/* Sees to it that the program that this process execs next is audited by
 * `library`, the path of libpyelfaudit.so: to be called in the rank itself,
 * since the page is no other process's. */
bool linker_audit(const char *library, struct error *e);

#endif
