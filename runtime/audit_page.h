/* The page of memory in which libpyelfaudit.so counts what the dynamic linker does, and where others read the counts.
 *
 * The starter of an audited process makes the page, a memfd that the process inherits, and puts its descriptor into the
 * environment. The audit library, which lives in a namespace of its own without a libc, maps it before anything else is
 * loaded. The first process that maps the page owns it; its children with the same environment leave the page alone.
 */
#ifndef RUNTIME_AUDIT_PAGE_H
#define RUNTIME_AUDIT_PAGE_H

#include <stdint.h>

#define AUDIT_VARIABLE "PYELFRUN_AUDIT" /* number of the page's descriptor */
#define AUDIT_LIBRARY  "libpyelfaudit.so"

/* name in the page, name of the counter, unit */
#define AUDIT_COUNTS(X)                                                                                                \
    X(names_searched, "names-searched", "names")                                                                       \
    X(files_tried, "files-tried", "files")                                                                             \
    X(files_failed, "files-failed", "files")                                                                           \
    X(objects_opened, "objects-opened", "objects")                                                                     \
    X(objects_closed, "objects-closed", "objects")                                                                     \
    X(symbols_bound, "symbols-bound", "symbols")                                                                       \
    X(symbols_asked, "symbols-asked", "symbols")

enum { AUDIT_PAGE_SIZE = 4096, AUDIT_MAGIC = 0x50594155 };

struct audit_page {
    uint32_t magic;  /* AUDIT_MAGIC, set by the maker of the page */
    int32_t pid;     /* the process that is counted; 0: none yet */
    uint32_t trying; /* 1: a file is being tried and is not opened yet */
    uint32_t reserved;
#define COUNT(name, text, unit) uint64_t name;
    AUDIT_COUNTS(COUNT)
#undef COUNT
};

#endif
