/* Compressed debug sections (gABI chapter 4, SHF_COMPRESSED).
 *
 * They are compressed when a library is otherwise finished. Each debug section that becomes shorter is replaced by a
 * compression header and the compressed bytes, and what follows in the file moves up. The section still counts with its
 * size before. The bytes depend on the library that compresses, and on its version.
 */
#ifndef ELF_WRITE_PACK_H
#define ELF_WRITE_PACK_H

#include "base/bytes.h"
#include "base/error.h"
#include "elf/write/layout.h"

enum pack_kind { PACK_NONE, PACK_ZLIB, PACK_ZSTD };

/* Compresses the debug sections of a written image in place, with up to `threads` threads where they are large, and
 * corrects the offsets of the layout. `scratch` keeps its memory from call to call. Call layout_write afterwards. */
bool pack_debug(struct layout *l, uint8_t *image, enum pack_kind kind, unsigned threads, struct bytes *scratch,
                struct error *e);

/* Uncompresses the beginning of a compressed section of any file, up to `room` bytes. Returns how many bytes it wrote;
 * 0 if it cannot. `from` is the section as it is in the file, or only its beginning: zstd needs a whole block, up to
 * 128 KiB. */
size_t pack_begin(const uint8_t *from, size_t size, uint8_t *to, size_t room);

/* "libdeflate 1.14" or "zstd 1.5.4", written to the caller's buffer; NULL for PACK_NONE. For libdeflate this is the
 * version at build time, because it does not tell its version at run time. */
const char *pack_version(enum pack_kind kind, char *buffer, size_t size);

#endif
