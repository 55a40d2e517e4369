/* Maps of memory: how many the libraries of a process take, and how many Linux allows (vm.max_map_count).
 *
 * Counts what the kernel counts: each loaded segment is a map, the part of the writable one that is protected when it
 * is relocated (PT_GNU_RELRO) another, and so is .bss as far as it goes beyond the file's last page.
 */
#ifndef BASE_MAPS_H
#define BASE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
    MAPS_OWN = 600, /* of CPython and MPI, about, and of threads */
    MAPS_MOST = 7,  /* of a library, at most */
};

/* As many as a process may have; 0 where that is not known. */
uint64_t maps_limit(void);

/* How many maps the library open as `fd` takes; 0 where it cannot be read: loading it will report that. */
unsigned maps_of(int fd);

/* Whether so many libraries, of so many hundredths of maps each, are below the limit `most`; `e` says what to do. */
bool maps_fit(size_t libraries, uint64_t average, uint64_t most, struct error *e);

#endif
