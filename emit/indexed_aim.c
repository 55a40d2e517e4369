/* See indexed_aim.h. */
#include "emit/indexed_aim.h"

#include <string.h>

enum {
    ROUNDS_MOST = 8,   /* where one came out well enough to be filled, */
    ROUNDS_LOWER = 16, /* and where none did */
    NEAR = 1000,       /* apart by such a part of all is near */
    LITTLE = 2000,     /* what is left to be filled: such a part, */
    LITTLE_LEAST = 16  /* and so many bytes */
};

/* Sections that grow and shrink with what is composed. */
static const struct {
    enum indexed_section is;
    enum debug_section was;
} scaled[] = {{INDEXED_INFO, DEBUG_INFO}, {INDEXED_LISTS, DEBUG_LISTS}, {INDEXED_RANGES, DEBUG_RANGES}};
enum { SCALED = sizeof scaled / sizeof scaled[0] };

/* What follows from what is composed, and cannot be asked for. */
static const enum indexed_section following[] = {INDEXED_ABBREV, INDEXED_STR_OFFSETS, INDEXED_ADDR};
enum { FOLLOWING = sizeof following / sizeof following[0] };

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

static uint64_t less(uint64_t bytes, uint64_t by)
{
    return bytes > by ? bytes - by : 0;
}

static void sum_up(struct indexed_aim *a)
{
    if (!a->is_mixed)
        return;
    a->normal = a->aranges;
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT; i++)
        a->normal += a->size[i] == DEBUG_ANY ? 0 : a->size[i];
}

void indexed_aim_start(struct indexed_aim *a, uint64_t all, const uint64_t wanted[INDEXED_SECTIONS], uint64_t line,
                       uint64_t line_str, uint64_t aranges)
{
    *a = (struct indexed_aim){.all = all, .aranges = aranges, .best = UINT64_MAX, .normal = all + all / 4};
    memcpy(a->wanted, wanted, sizeof a->wanted);
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT; i++)
        a->size[i] = DEBUG_ANY;
    if (!wanted[INDEXED_INFO])
        return;
    a->is_mixed = true;
    a->size[DEBUG_INFO] = wanted[INDEXED_INFO] + wanted[INDEXED_INFO] / 2;
    a->size[DEBUG_ABBREV] = wanted[INDEXED_ABBREV];
    a->size[DEBUG_STR] = wanted[INDEXED_STR];
    a->size[DEBUG_LISTS] = wanted[INDEXED_LISTS];
    a->size[DEBUG_RANGES] = wanted[INDEXED_RANGES];
    a->size[DEBUG_LINE] = line;
    a->size[DEBUG_LINE_STR] = line_str;
    sum_up(a);
}

bool indexed_aim_goes_on(const struct indexed_aim *a)
{
    if (a->best == UINT64_MAX)
        return a->rounds < ROUNDS_LOWER;
    return a->best > a->all / NEAR && a->rounds < ROUNDS_MOST;
}

/* A little less than is wanted, and less with each try where none was little enough. */
static uint64_t aimed(const struct indexed_aim *a, uint64_t wanted)
{
    return less(wanted, wanted / LITTLE * (1 + a->lower * UINT64_C(8)) + LITTLE_LEAST);
}

static uint64_t scale(uint64_t bytes, uint64_t to, uint64_t from)
{
    return from ? (uint64_t)((double)bytes * (double)to / (double)from) : bytes;
}

/* How far sections are off, and what is beyond what is wanted counts twice, as it cannot be filled. */
static uint64_t off(const struct indexed_aim *a, const uint64_t got[INDEXED_SECTIONS], uint64_t total)
{
    uint64_t sum = 0;
    if (!a->is_mixed)
        return a->all - total;
    for (unsigned i = 0; i < INDEXED_SECTIONS; i++)
        sum += distance(a->wanted[i], got[i]) * (got[i] > a->wanted[i] ? 2 : 1);
    return sum;
}

/* What the next try asks for. */
static void correct(struct indexed_aim *a, const uint64_t normal[DEBUG_SECTION_COUNT],
                    const uint64_t got[INDEXED_SECTIONS], uint64_t total)
{
    uint64_t excess = 0;
    if (!a->is_mixed) {
        a->normal = scale(a->normal, aimed(a, a->all), total);
        return;
    }
    for (unsigned i = 0; i < FOLLOWING; i++)
        excess += less(got[following[i]], a->wanted[following[i]]);
    for (unsigned i = 0; i < SCALED; i++) {
        const uint64_t wanted = a->wanted[scaled[i].is];
        const uint64_t to = scaled[i].was == DEBUG_INFO ? less(wanted, excess) : wanted;
        a->size[scaled[i].was] = to ? scale(normal[scaled[i].was], aimed(a, to), got[scaled[i].is]) : 0;
    }
    const uint64_t names = less(got[INDEXED_STR], normal[DEBUG_STR]);
    a->size[DEBUG_STR] = less(a->wanted[INDEXED_STR], names);
    sum_up(a);
}

void indexed_aim_note(struct indexed_aim *a, const uint64_t normal[DEBUG_SECTION_COUNT],
                      const uint64_t got[INDEXED_SECTIONS], uint64_t total)
{
    const bool fits = total <= a->all;
    const uint64_t now = fits ? off(a, got, total) : UINT64_MAX;
    a->is_best = now < a->best;
    a->best = a->is_best ? now : a->best;
    a->rounds++;
    a->lower += a->best == UINT64_MAX;
    correct(a, normal, got, total);
}

void indexed_aim_failed(struct indexed_aim *a)
{
    a->is_best = false;
    a->rounds++;
    a->normal -= a->normal / 32;
    if (a->is_mixed)
        a->size[DEBUG_INFO] -= a->size[DEBUG_INFO] / 32;
    sum_up(a);
}
