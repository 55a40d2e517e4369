/* A copy of an ELF file in which no section is compressed (SHF_COMPRESSED).
 *
 * It is for readers such as libdwarf, which does not know zstd, and takes a section for broken that zlib has made much
 * smaller. Only ELF64 of the host's byte order is copied.
 */
#ifndef ELF_READ_UNPACK_H
#define ELF_READ_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* The most bytes that a copy may have. A compressed section of a few bytes can claim any size. */
#define UNPACK_MOST (UINT64_C(1) << 30)

/* Makes the copy in memory. *fd is its descriptor, which the caller closes; -1 on failure. */
bool unpack_file(const char *path, int *fd, struct error *e);

#endif
