/* See unpack.h. The copy is the file, followed by the uncompressed sections. The section headers in it are changed so
 * that they point to these:
 *
 *     | file, its section headers patched | .debug_info | .debug_line | ... |
 */
#include "elf/read/unpack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/whole.h"
#include "elf/read/reader.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

enum { BLOCK = 1 << 18 };

struct unpacking {
    struct reader reader;
    struct error *e;
    int fd;
    uint64_t end; /* where the bytes written so far end */
    char *from, *to;
    ZSTD_DStream *stream;
    z_stream zlib;
};

/* Uncompresses from *in to *out, until *in is used up or *out is full. False if the input is broken. */
typedef bool unpack_step(struct unpacking *u, ZSTD_inBuffer *in, ZSTD_outBuffer *out);

static bool step_zstd(struct unpacking *u, ZSTD_inBuffer *in, ZSTD_outBuffer *out)
{
    return !ZSTD_isError(ZSTD_decompressStream(u->stream, out, in));
}

static bool step_zlib(struct unpacking *u, ZSTD_inBuffer *in, ZSTD_outBuffer *out)
{
    u->zlib.next_in = (unsigned char *)u->from + in->pos;
    u->zlib.avail_in = (uInt)(in->size - in->pos);
    u->zlib.next_out = (unsigned char *)u->to;
    u->zlib.avail_out = (uInt)out->size;
    int answer = inflate(&u->zlib, Z_NO_FLUSH);
    in->pos = in->size - u->zlib.avail_in;
    out->pos = out->size - u->zlib.avail_out;
    return answer == Z_OK || answer == Z_BUF_ERROR || (answer == Z_STREAM_END && in->pos == in->size);
}

static bool write_at(struct unpacking *u, const void *from, size_t size, uint64_t offset)
{
    return whole_write_at(u->fd, from, size, offset) ||
           error_errno(u->e, u->reader.path, "cannot be unpacked in memory");
}

static bool copy_file(struct unpacking *u)
{
    while (u->end < u->reader.size) {
        size_t got;
        if (!reader_read(&u->reader, u->from, BLOCK, u->end, &got, u->e))
            return false;
        if (got == 0)
            return READER_WRONG(&u->reader, u->e, "was cut off while it was read");
        if (!write_at(u, u->from, got, u->end))
            return false;
        u->end += got;
    }
    return true;
}

/* Appends the uncompressed form of `size` bytes at `offset` of the file, which has to have `wanted` bytes. */
static bool unpack_bytes(struct unpacking *u, unpack_step *step, uint64_t offset, uint64_t size, uint64_t wanted)
{
    const uint64_t begin = u->end;
    ZSTD_initDStream(u->stream);
    inflateReset(&u->zlib);
    while (size > 0) {
        size_t got;
        if (!reader_read(&u->reader, u->from, size < BLOCK ? (size_t)size : BLOCK, offset, &got, u->e))
            return false;
        ZSTD_inBuffer in = {u->from, got, 0};
        for (bool full = false; got && (in.pos < in.size || full);) {
            ZSTD_outBuffer out = {u->to, BLOCK, 0};
            bool good = step(u, &in, &out);
            full = out.pos == out.size; /* the decompressor may hold more output */
            if (!good || u->end - begin + out.pos > wanted)
                return READER_WRONG(&u->reader, u->e, "has a section that is not compressed as it says");
            if (!write_at(u, u->to, out.pos, u->end))
                return false;
            u->end += out.pos;
        }
        if (got == 0)
            return READER_WRONG(&u->reader, u->e, "was cut off while it was read");
        offset += got;
        size -= got;
    }
    return u->end - begin == wanted ||
           READER_WRONG(&u->reader, u->e, "has a section that is not compressed as it says");
}

static bool unpack_section(struct unpacking *u, const GElf_Ehdr *file, size_t index)
{
    Elf64_Shdr header;
    Elf64_Chdr packed;
    size_t got;
    const uint64_t place = file->e_shoff + index * sizeof header;
    if (!reader_read(&u->reader, &header, sizeof header, place, &got, u->e))
        return false;
    if (got < sizeof header || header.sh_type == SHT_NOBITS || !(header.sh_flags & SHF_COMPRESSED) ||
        header.sh_size < sizeof packed)
        return true;
    if (!reader_read(&u->reader, &packed, sizeof packed, header.sh_offset, &got, u->e))
        return false;
    bool zstd = packed.ch_type == ELFCOMPRESS_ZSTD;
    if (got < sizeof packed || (!zstd && packed.ch_type != ELFCOMPRESS_ZLIB))
        return READER_WRONG(&u->reader, u->e, "has a section that is compressed in an unknown way");
    if (packed.ch_size > UNPACK_MOST - (u->end < UNPACK_MOST ? u->end : UNPACK_MOST)) {
        READER_WRONG(&u->reader, u->e, "is of more than %" PRIu64 " bytes unpacked, which is the most that is read",
                     UNPACK_MOST);
        return reader_disagree(packed.ch_size, UNPACK_MOST, u->e);
    }
    if (!reader_take(&u->reader, header.sh_size))
        return READER_WRONG(&u->reader, u->e,
                            "has compressed sections that overlap, or of more than %" PRIu64 " bytes together",
                            reader_take_most(&u->reader));
    u->end = (u->end + 7) & ~UINT64_C(7);
    uint64_t begin = u->end;
    if (!unpack_bytes(u, zstd ? step_zstd : step_zlib, header.sh_offset + sizeof packed, header.sh_size - sizeof packed,
                      packed.ch_size))
        return false;
    header.sh_offset = begin;
    header.sh_size = packed.ch_size;
    header.sh_flags &= ~(uint64_t)SHF_COMPRESSED;
    header.sh_addralign = packed.ch_addralign;
    return write_at(u, &header, sizeof header, place);
}

static bool unpack_all(struct unpacking *u)
{
    GElf_Ehdr file;
    u->fd = memfd_create("unpacked", MFD_CLOEXEC);
    if (u->fd < 0)
        return error_errno(u->e, u->reader.path, "cannot be unpacked");
    u->from = malloc(BLOCK);
    u->to = malloc(BLOCK);
    u->stream = ZSTD_createDStream();
    if (!u->from || !u->to || !u->stream || inflateInit(&u->zlib) != Z_OK)
        return error_set(u->e, ERROR_MEMORY, "out of memory");
    if (!gelf_getehdr(u->reader.elf, &file) || file.e_ident[EI_CLASS] != ELFCLASS64 ||
        file.e_ident[EI_DATA] != ELFDATA2LSB)
        return READER_WRONG(&u->reader, u->e,
                            "has compressed debug sections, which can only be read in 64-bit little-endian files; "
                            "decompress them with objcopy --decompress-debug-sections");
    if (u->reader.size > UNPACK_MOST)
        return READER_WRONG(&u->reader, u->e,
                            "has compressed debug sections, and is too large for them to be read; decompress them "
                            "with objcopy --decompress-debug-sections");
    if (!copy_file(u))
        return false;
    for (size_t i = 1; i < u->reader.sections; i++) {
        if (!unpack_section(u, &file, i))
            return false;
    }
    return true;
}

bool unpack_file(const char *path, int *fd, struct error *e)
{
    struct unpacking u = {.e = e, .fd = -1};
    bool ok = reader_open(&u.reader, path, e) && unpack_all(&u);
    if (!ok)
        error_at(e, path, 0);
    reader_close(&u.reader);
    ZSTD_freeDStream(u.stream);
    inflateEnd(&u.zlib);
    free(u.from);
    free(u.to);
    if (!ok && u.fd >= 0)
        close(u.fd);
    *fd = ok ? u.fd : -1;
    return ok;
}
