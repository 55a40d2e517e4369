/* Estimates the sizes of a file's parts after zstd -3; see capture.h.
 *
 * Of a part of more than SLICE * SLICES bytes only some slices are compressed, in one frame. They are evenly spread
 * over the sections of the part, and the rest is taken to compress like them. With `full` all of the part is
 * compressed. Slices that lie apart have less in common than neighbours, so the estimate tends to be too high.
 *
 * The result is rounded to eight steps for each power of 2. So a byte more or less, of a build-id for example, does not
 * show: nobody who makes a library like this one can decide about such a byte. Whoever comes within 4 % gets the same
 * number.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "elf/read/capture_parts.h"

enum { SLICE = 1 << 22, SLICES = 4, CHUNK = 1 << 18, LEVEL = 3 };

struct pressing {
    ZSTD_CCtx *context;
    char *from, *to;
    size_t to_size;
    uint64_t bytes[CAPTURE_PARTS];   /* bytes of the part in the file */
    uint64_t read[CAPTURE_PARTS];    /* bytes that were compressed */
    uint64_t written[CAPTURE_PARTS]; /* their compressed bytes */
    uint64_t at, next, step; /* bytes of the part before the section; where the next slice begins; distance between
                                slices (UINT64_MAX: one slice takes all) */
};

static int part_of(const GElf_Shdr *shdr, const char *name)
{
    if (shdr->sh_type == SHT_NOBITS || shdr->sh_type == SHT_NULL)
        return -1;
    if (shdr->sh_type == SHT_STRTAB || shdr->sh_type == SHT_SYMTAB || shdr->sh_type == SHT_DYNSYM)
        return PART_NAMES;
    if (shdr->sh_flags & SHF_ALLOC)
        return shdr->sh_flags & SHF_WRITE ? PART_DATA : PART_TEXT;
    return strncmp(name, ".debug", 6) == 0 || strncmp(name, ".zdebug", 7) == 0 ? PART_DEBUG : -1;
}

static bool press(struct look *l, struct pressing *p, int part, uint64_t offset, uint64_t size, ZSTD_EndDirective end)
{
    while (size > 0 || end == ZSTD_e_end) {
        size_t piece = size < CHUNK ? (size_t)size : CHUNK;
        size_t got;
        if (!reader_read(&l->reader, p->from, piece, offset, &got, l->e))
            return false;
        p->read[part] += got;
        ZSTD_inBuffer in = {p->from, got, 0};
        size_t left;
        do {
            ZSTD_outBuffer out = {p->to, p->to_size, 0};
            left = ZSTD_compressStream2(p->context, &out, &in, end);
            if (ZSTD_isError(left))
                return look_no_memory(l);
            p->written[part] += out.pos;
        } while (in.pos < in.size || (end == ZSTD_e_end && left > 0));
        if (end == ZSTD_e_end || got < piece)
            break;
        offset += piece;
        size -= piece;
    }
    return true;
}

/* Adds sizes. Overlapping sections may have any size together, so the sum is limited to what a file can have. */
static uint64_t together(uint64_t a, uint64_t b)
{
    return b < INT64_MAX - a ? a + b : INT64_MAX;
}

/* Compresses the slices that begin in this section, or all of the section. */
static bool press_section(struct look *l, struct pressing *p, int part, const GElf_Shdr *shdr)
{
    const uint64_t end = together(p->at, shdr->sh_size);
    for (; p->next < end; p->next = together(p->next, p->step)) {
        uint64_t left = end - p->next;
        uint64_t slice = p->step < SLICE ? p->step : SLICE;
        slice = p->step == UINT64_MAX ? left : slice;
        if (!press(l, p, part, shdr->sh_offset + (p->next - p->at), slice < left ? slice : left, ZSTD_e_continue))
            return false;
        if (p->step == UINT64_MAX) {
            p->next = end;
            break;
        }
    }
    p->at = end;
    return true;
}

/* 2^(k/8), and the border to the next step, 2^((2k+1)/16); both in units of 1/65536. */
static const uint32_t eighth[8][2] = {{65536, 68438}, {71468, 74632},   {77936, 81386},   {84990, 88752},
                                      {92682, 96785}, {101070, 105545}, {110218, 115098}, {120194, 125515}};

uint64_t capture_step(uint64_t bytes)
{
    if (bytes < 32) /* here steps would be closer than 2 */
        return bytes;
    unsigned power = 63u - (unsigned)__builtin_clzll(bytes);
    const uint64_t fraction = power > 16 ? bytes >> (power - 16) : bytes << (16 - power);
    unsigned k = 0;
    while (k < 8 && fraction >= eighth[k][1])
        k++;
    power += k / 8;
    const uint64_t step = eighth[k % 8][0];
    return power > 16 ? step << (power - 16) : (step + ((1u << (16 - power)) >> 1)) >> (16 - power);
}

typedef bool section_step(struct look *l, struct pressing *p, int part, const GElf_Shdr *shdr);

static bool count_section(struct look *l, struct pressing *p, int part, const GElf_Shdr *shdr)
{
    (void)l;
    p->bytes[part] = together(p->bytes[part], shdr->sh_size);
    return true;
}

static bool each_section(struct look *l, struct pressing *p, int part, section_step *step)
{
    for (size_t i = 1; i < l->reader.sections; i++) {
        GElf_Shdr shdr;
        if (!reader_section(&l->reader, i, &shdr, l->e))
            return false;
        if (shdr.sh_type != SHT_NULL && part_of(&shdr, reader_name(&l->reader, &shdr)) == part &&
            !step(l, p, part, &shdr))
            return false;
    }
    return true;
}

static bool press_part(struct look *l, struct pressing *p, int part)
{
    ZSTD_CCtx_reset(p->context, ZSTD_reset_session_only);
    if (!each_section(l, p, part, count_section))
        return false;
    bool few = p->bytes[part] <= (uint64_t)SLICE * SLICES;
    bool all = (l->wish->full || few) && p->bytes[part] <= l->reader.size;
    p->at = p->next = 0;
    p->step = all ? UINT64_MAX : p->bytes[part] / SLICES;
    if (!each_section(l, p, part, press_section))
        return false;
    if (!p->read[part])
        return true;
    if (!press(l, p, part, 0, 0, ZSTD_e_end))
        return false;
    double ratio = (double)p->written[part] / (double)p->read[part];
    l->c->zstd[part] = capture_step((uint64_t)(ratio * (double)p->bytes[part] + 0.5));
    return true;
}

bool look_compress(struct look *l)
{
    struct pressing p = {.context = ZSTD_createCCtx(), .to_size = ZSTD_CStreamOutSize()};
    p.from = malloc(CHUNK);
    p.to = malloc(p.to_size);
    bool ok = (p.context && p.from && p.to) || look_no_memory(l);
    if (ok)
        ZSTD_CCtx_setParameter(p.context, ZSTD_c_compressionLevel, LEVEL);
    for (int part = 0; ok && part < CAPTURE_PARTS; part++)
        ok = press_part(l, &p, part);
    ZSTD_freeCCtx(p.context);
    free(p.from);
    free(p.to);
    return ok;
}
