/* Compresses debug sections through libdeflate and libzstd; see pack.h. */
#include "elf/write/pack.h"

#include <assert.h>
#include <libdeflate.h>
#include <stdio.h>
#include <string.h>
#define ZLIB_CONST /* lets zlib's input be const */
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/workers.h"

enum {
    ZLIB_LEVEL = 6, /* the default of zlib, and so of compilers, linkers and objcopy */
    ZSTD_LEVEL = 3, /* the default of zstd */
    CHDR_ALIGN = 8,
    CHDR_ZSTD = 2, /* ELFCOMPRESS_ZSTD, which older <elf.h> lack */
    SHARED_LEAST =
        1 << 24,           /* bytes of sections that several threads pack; fewer are packed sooner than threads start */
    PACK_THREADS_MOST = 4, /* hardly more than that many sections take long */
    TIMES_MOST = 16, /* libdwarf takes a section for broken that is more than so many times its compressed bytes */
};

/* A section that is to be packed, and what becomes of it. */
struct packed {
    enum section_id id;
    uint64_t at;   /* offset in the scratch memory, which has as much room as the section takes now */
    uint64_t size; /* bytes that it takes then */
    bool compressed;
};

/* What the threads share that pack the sections of one file. */
struct packing {
    const struct layout *l;
    const uint8_t *image;
    uint8_t *scratch;
    enum pack_kind kind;
    uint32_t count;
    struct packed section[SECTION_COUNT];
    struct libdeflate_compressor *zlib[PACK_THREADS_MOST]; /* of each thread; NULL for other kinds */
};

/* Compresses a section into `room` bytes at `to`. Sets *compressed to the compressed bytes; 0 if they do not fit. False
 * when it fails otherwise: memory ran out. */
static bool compress_bytes(const struct packing *packing, unsigned worker, uint8_t *to, size_t room,
                           const uint8_t *from, size_t size, size_t *compressed)
{
    if (packing->kind == PACK_ZLIB) {
        *compressed = libdeflate_zlib_compress(packing->zlib[worker], from, size, to, room);
        return true;
    }
    const size_t n = ZSTD_compress(to, room, from, size, ZSTD_LEVEL);
    *compressed = ZSTD_isError(n) ? 0 : n;
    return !ZSTD_isError(n) || ZSTD_getErrorCode(n) == ZSTD_error_dstSize_tooSmall;
}

/* Puts a section into the scratch memory as it will be in the file: compressed if that is shorter and readers accept
 * it, else as it is. */
static bool pack_section(void *context, unsigned worker, uint32_t number, struct error *e)
{
    struct packing *const packing = context;
    struct packed *const p = &packing->section[number];
    const struct section *const s = &packing->l->section[p->id];
    const uint8_t *const from = packing->image + s->offset;
    uint8_t *const to = packing->scratch + p->at;
    const bool debug = strncmp(layout_kind(p->id)->name, ".debug", 6) == 0;
    if (debug && s->size > sizeof(Elf64_Chdr)) {
        const Elf64_Chdr header = {.ch_type = packing->kind == PACK_ZSTD ? CHDR_ZSTD : ELFCOMPRESS_ZLIB,
                                   .ch_size = s->size,
                                   .ch_addralign = 1};
        size_t n;
        if (!compress_bytes(packing, worker, to + sizeof header, s->size - sizeof header, from, s->size, &n))
            return error_set(e, ERROR_MEMORY, "out of memory for compressing %s", layout_kind(p->id)->name);
        p->compressed = n >= (s->size + TIMES_MOST - 1) / TIMES_MOST;
        p->size = sizeof header + n;
        memcpy(to, &header, sizeof header);
    }
    if (!p->compressed) {
        p->size = s->size;
        memcpy(to, from, s->size);
    }
    return true;
}

/* Lists the sections from the first debug section on. Returns their bytes. */
static uint64_t list_sections(struct packing *packing)
{
    uint64_t bytes = 0;
    packing->count = 0;
    for (enum section_id id = SECTION_DEBUG_FIRST; id < SECTION_COUNT; id++) {
        if (!packing->l->section[id].index)
            continue;
        packing->section[packing->count++] = (struct packed){.id = id, .at = bytes};
        bytes += packing->l->section[id].size;
    }
    return bytes;
}

/* Packs all sections with up to `threads` threads. False when memory ran out. */
static bool pack_sections(struct packing *packing, unsigned threads)
{
    bool enough = true;
    for (unsigned i = 0; i < threads && packing->kind == PACK_ZLIB; i++)
        enough &= (packing->zlib[i] = libdeflate_alloc_compressor(ZLIB_LEVEL)) != NULL;
    struct error none = {0};
    enough = enough && workers_run(threads, packing->count, pack_section, packing, &none);
    for (unsigned i = 0; i < threads; i++)
        libdeflate_free_compressor(packing->zlib[i]);
    return enough;
}

/* Moves the packed sections to where they begin in the file: each to the first place behind the one before it that its
 * alignment allows. */
static void place_sections(const struct packing *packing, struct layout *l, uint8_t *image)
{
    uint64_t end = l->section[packing->section[0].id].offset;
    for (uint32_t i = 0; i < packing->count; i++) {
        const struct packed *const p = &packing->section[i];
        struct section *const s = &l->section[p->id];
        const uint64_t align = p->compressed ? CHDR_ALIGN : layout_kind(p->id)->align;
        const uint64_t gap = (align - end % align) % align;
        assert(end + gap + p->size <= l->file_size);
        memset(image + end, 0, gap);
        s->packed = p->compressed ? p->size : 0;
        s->offset = end + gap;
        memcpy(image + s->offset, packing->scratch + p->at, p->size);
        end = s->offset + p->size;
    }
    layout_end(l, end);
}

bool pack_debug(struct layout *l, uint8_t *image, enum pack_kind kind, unsigned threads, struct bytes *scratch,
                struct error *e)
{
    struct packing packing = {.l = l, .image = image, .kind = kind};
    const uint64_t bytes = list_sections(&packing);
    const unsigned most = bytes < SHARED_LEAST || !threads ? 1
                          : threads < PACK_THREADS_MOST    ? threads
                                                           : PACK_THREADS_MOST;
    if (!packing.count)
        return true;
    scratch->size = 0;
    packing.scratch = bytes_reserve(scratch, bytes);
    if (!packing.scratch || !pack_sections(&packing, most))
        return error_set(e, ERROR_MEMORY, "out of memory for compressing debug information");
    place_sections(&packing, l, image);
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
