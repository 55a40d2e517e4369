/* Estimating what a file's parts are after zstd -3; see capture.h.
 *
 * Of a part of more than SLICE * SLICES bytes some slices are compressed, evenly spread over its sections and in
 * one frame, and the rest is taken to be like them; with `full`, all of it. Slices
 * that lie apart share less than neighbours, so that the estimate is rather too high.
 *
 * What is said is the nearest of eight steps to each power of 2. A byte more or less, of a build-id say, which no one
 * who makes a library like this one decides about, is then none, and one who comes within 4 % says the same.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "elf/capture_parts.h"

enum { SLICE = 1 << 22, SLICES = 4, CHUNK = 1 << 18, LEVEL = 3 };

struct pressing {
    ZSTD_CCtx *context;
    char *from, *to;
    size_t to_size;
    uint64_t bytes[CAPTURE_PARTS];   /* in the file */
    uint64_t read[CAPTURE_PARTS];    /* of these */
    uint64_t written[CAPTURE_PARTS]; /* what became of the latter */
    uint64_t at, next, step;         /* in the part: what lies before the section, where the next
                                        slice begins, and how far the one after that is */
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

/* Sections that overlap could be of any size together: of no more than a file can be. */
static uint64_t together(uint64_t a, uint64_t b)
{
    return b < INT64_MAX - a ? a + b : INT64_MAX;
}

/* The slices that begin in the section, which may be all of it. */
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

/* 2^(k/8) and what lies halfway to the next, 2^((2k+1)/16), in 1/65536. */
static const uint32_t eighth[8][2] = {{65536, 68438}, {71468, 74632},   {77936, 81386},   {84990, 88752},
                                      {92682, 96785}, {101070, 105545}, {110218, 115098}, {120194, 125515}};

uint64_t capture_step(uint64_t bytes)
{
    if (bytes < 32) /* steps of less than 2 */
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
