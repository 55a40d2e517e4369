/* Maps of memory: how many the libraries of a process take, and how many Linux allows (vm.max_map_count).
 *
 * This counts what the kernel counts: one map for each loaded segment, one for the part of the writable segment that is
 * protected after relocation (PT_GNU_RELRO), and one for .bss if it goes beyond the last page of the file.
 */
#ifndef BASE_MAPS_H
#define BASE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
    MAPS_OWN = 600, /* those of CPython, MPI and threads, roughly */
    MAPS_MOST = 7,  /* the most that a library has */
};

/* How many maps a process may have; 0 if unknown. */
uint64_t maps_limit(void);

/* How many maps the library open as `fd` takes. 0 if it cannot be read: loading it will report that. */
unsigned maps_of(int fd);

/* Whether `libraries` libraries, of `average` hundredths of a map each, stay within the limit `most`. If not, `e` says
 * what to do. */
bool maps_fit(size_t libraries, uint64_t average, uint64_t most, struct error *e);

#endif
