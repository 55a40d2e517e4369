/* Compresses debug sections through libdeflate and libzstd; see pack.h. */
#include "elf/pack.h"

#include <assert.h>
#include <libdeflate.h>
#include <stdio.h>
#include <string.h>
#define ZLIB_CONST /* lets zlib's input be const */
#include <zlib.h>
#include <zstd.h>

enum {
    ZLIB_LEVEL = 6, /* the default of zlib, and so of compilers, linkers and objcopy */
    ZSTD_LEVEL = 3, /* the default of zstd */
    CHDR_ALIGN = 8,
    CHDR_ZSTD = 2,   /* ELFCOMPRESS_ZSTD, which older <elf.h> lack */
    TIMES_MOST = 16, /* libdwarf takes a section for broken that is more than so many times its compressed bytes */
};

struct packing {
    enum pack_kind kind;
    struct libdeflate_compressor *zlib; /* NULL for other kinds */
};

/* Compresses into `room` bytes at `to`. Returns the compressed bytes; 0 if they do not fit. */
static size_t compress_bytes(const struct packing *packing, uint8_t *to, size_t room, const uint8_t *from, size_t size)
{
    if (packing->kind == PACK_ZLIB)
        return libdeflate_zlib_compress(packing->zlib, from, size, to, room);
    const size_t n = ZSTD_compress(to, room, from, size, ZSTD_LEVEL);
    return ZSTD_isError(n) ? 0 : n;
}

/* Appends section `id` as it will be in the file: compressed if that is shorter and readers accept it, else as it is.
 */
static bool append_section(struct layout *l, const uint8_t *image, enum section_id id, const struct packing *packing,
                           struct bytes *out)
{
    struct section *s = &l->section[id];
    const uint8_t *from = image + s->offset;
    bool debug = strncmp(layout_kind(id)->name, ".debug", 6) == 0;
    if (debug && s->size > sizeof(Elf64_Chdr)) {
        const Elf64_Chdr header = {.ch_type = packing->kind == PACK_ZSTD ? CHDR_ZSTD : ELFCOMPRESS_ZLIB,
                                   .ch_size = s->size,
                                   .ch_addralign = 1};
        uint8_t *p = bytes_reserve(out, s->size);
        if (!p)
            return false;
        size_t n = compress_bytes(packing, p + sizeof header, s->size - sizeof header, from, s->size);
        if (n >= (s->size + TIMES_MOST - 1) / TIMES_MOST) {
            memcpy(p, &header, sizeof header);
            s->packed = sizeof header + n;
            bytes_keep(out, p + s->packed);
            return true;
        }
    }
    bytes_append(out, from, s->size);
    return !out->failed;
}

/* Appends all sections from the first debug section on to `scratch`. *start becomes the file offset where they are to
 * begin; it stays 0 if there are none. */
static bool append_sections(struct layout *l, const uint8_t *image, const struct packing *packing,
                            struct bytes *scratch, uint64_t *start)
{
    for (enum section_id id = SECTION_DEBUG_ARANGES; id < SECTION_COUNT; id++) {
        struct section *s = &l->section[id];
        if (!s->index)
            continue;
        if (!*start)
            *start = s->offset;
        s->packed = 0;
        uint64_t offset = scratch->size;
        bool enough = append_section(l, image, id, packing, scratch);
        /* the section is moved up to where its alignment lets it begin */
        uint64_t align = s->packed ? CHDR_ALIGN : layout_kind(id)->align;
        uint64_t gap = (align - (*start + offset) % align) % align;
        uint64_t bytes = scratch->size - offset;
        if (!enough || !bytes_reserve(scratch, gap))
            return false;
        memmove(scratch->data + offset + gap, scratch->data + offset, bytes);
        memset(scratch->data + offset, 0, gap);
        scratch->size += gap;
        s->offset = *start + offset + gap;
    }
    return true;
}

bool pack_debug(struct layout *l, uint8_t *image, enum pack_kind kind, struct bytes *scratch, struct error *e)
{
    const struct packing packing = {kind, kind == PACK_ZLIB ? libdeflate_alloc_compressor(ZLIB_LEVEL) : NULL};
    uint64_t start = 0;
    scratch->size = 0;
    const bool enough = (packing.zlib || kind != PACK_ZLIB) && append_sections(l, image, &packing, scratch, &start);
    libdeflate_free_compressor(packing.zlib);
    if (!enough)
        return error_set(e, ERROR_MEMORY, "out of memory for compressing debug information");
    if (!start)
        return true;
    assert(start + scratch->size <= l->file_size);
    memcpy(image + start, scratch->data, scratch->size);
    layout_end(l, start + scratch->size);
    return true;
}

static size_t begin_zlib(const uint8_t *from, size_t size, uint8_t *to, size_t room)
{
    z_stream z = {.next_in = from, .avail_in = (uInt)size, .next_out = to, .avail_out = (uInt)room};
    if (inflateInit(&z) != Z_OK)
        return 0;
    inflate(&z, Z_SYNC_FLUSH);
    const size_t got = room - z.avail_out;
    inflateEnd(&z);
    return got;
}

static size_t begin_zstd(const uint8_t *from, size_t size, uint8_t *to, size_t room)
{
    ZSTD_inBuffer in = {from, size, 0};
    ZSTD_outBuffer out = {to, room, 0};
    ZSTD_DStream *z = ZSTD_createDStream();
    if (z)
        ZSTD_decompressStream(z, &out, &in);
    ZSTD_freeDStream(z);
    return out.pos;
}

size_t pack_begin(const uint8_t *from, size_t size, uint8_t *to, size_t room)
{
    Elf64_Chdr header;
    if (size < sizeof header || size > UINT32_MAX || room > UINT32_MAX)
        return 0;
    memcpy(&header, from, sizeof header);
    from += sizeof header;
    size -= sizeof header;
    if (header.ch_type == ELFCOMPRESS_ZLIB)
        return begin_zlib(from, size, to, room);
    return header.ch_type == CHDR_ZSTD ? begin_zstd(from, size, to, room) : 0;
}

const char *pack_version(enum pack_kind kind, char *buffer, size_t size)
{
    if (kind == PACK_NONE)
        return NULL;
    if (kind == PACK_ZSTD)
        snprintf(buffer, size, "zstd %s", ZSTD_versionString());
    else
        snprintf(buffer, size, "libdeflate %s", LIBDEFLATE_VERSION_STRING);
    return buffer;
}
