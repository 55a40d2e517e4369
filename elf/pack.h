/* Compressed debug sections (gABI chapter 4, SHF_COMPRESSED).
 *
 * Done when a library is otherwise finished: each debug section that gets shorter
 * is replaced by a compression header and the compressed bytes, and what follows
 * in the file moves up. What the section counts stays its size before. The bytes
 * are a function of the library that compresses, and its version.
 */
#ifndef ELF_PACK_H
#define ELF_PACK_H

#include "base/bytes.h"
#include "base/error.h"
#include "elf/layout.h"

enum pack_kind { PACK_NONE, PACK_ZLIB, PACK_ZSTD };

/* Compresses the debug sections of a written image in place and settles the
 * layout anew; `scratch` is kept from call to call. Follow with layout_write. */
bool pack_debug(struct layout *l, uint8_t *image, enum pack_kind kind, struct bytes *scratch, struct error *e);

/* Uncompresses the beginning of a section that may be anybody's, up to `room` bytes; returns how many those are. `from`
 * is the section as it is in the file, or as much of it as is there: zstd wants a whole block, up to 128 KiB. */
size_t pack_begin(const uint8_t *from, size_t size, uint8_t *to, size_t room);

/* "libdeflate 1.14", "zstd 1.5.4"; NULL for PACK_NONE. The caller's buffer holds it. libdeflate tells only at build
 * time which it is. */
const char *pack_version(enum pack_kind kind, char *buffer, size_t size);

#endif
