/* A copy of an ELF file in which no section is compressed (SHF_COMPRESSED).
 *
 * For readers such as libdwarf, which does not know zstd, and takes what zlib has made
 * much smaller for broken. ELF64 of the host's byte order.
 */
#ifndef ELF_UNPACK_H
#define ELF_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* More than that is not unpacked: a section of a few bytes can say that it is of any
 * size. */
#define UNPACK_MOST (UINT64_C(1) << 30)

/* Makes the copy in memory; *fd is its descriptor, to be closed, -1 on failure. */
bool unpack_file(const char *path, int *fd, struct error *e);

#endif
