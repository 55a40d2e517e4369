/* See indexed_aim.h. */
#include "emit/library/indexed_aim.h"

#include <string.h>

#include "base/apart.h"

enum {
    ROUNDS_MOST = 12,  /* the most tries, if one came out small enough to be filled, */
    ROUNDS_LOWER = 24, /* and if none did */
    ROUNDS_LEARN = 2,  /* tries after which those that are too large are followed by lower ones */
    NEARLY = 32,       /* a try that is off by less than this part is near enough to go on from; */
    NEAR = 1000,       /* by less than this part it is near: where sections have wanted sizes, */
    NEAR_ALL = 200,
    NEAR_LEAST = 64,   /* in both cases and so many bytes more */
    LITTLE = 2000,     /* room that is left to be filled: this part of what is wanted, */
    LITTLE_LEAST = 16, /* and so many bytes */
    ALL_C = 12,        /* about this part more is composed than is wanted of all together */
    ALL_CPP = 5,
    NAMES_LITTLE = 32 /* this part of the names that .debug_str otherwise lacks is left as room */
};

/* Sections that grow and shrink with what is composed. */
static const struct {
    enum indexed_section is;
    enum debug_section was;
} scaled[] = {{INDEXED_INFO, DEBUG_INFO}, {INDEXED_LISTS, DEBUG_LISTS}, {INDEXED_RANGES, DEBUG_RANGES}};
enum { SCALED = sizeof scaled / sizeof scaled[0] };

/* Sections that follow from what is composed and cannot be asked for. */
static const enum indexed_section following[] = {INDEXED_ABBREV, INDEXED_STR_OFFSETS, INDEXED_ADDR};
enum { FOLLOWING = sizeof following / sizeof following[0] };

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
                       uint64_t line_str, uint64_t aranges, bool is_cpp)
{
    *a = (struct indexed_aim){
        .all = all, .aranges = aranges, .best = UINT64_MAX, .normal = all + all / (is_cpp ? ALL_CPP : ALL_C)};
    memcpy(a->wanted, wanted, sizeof a->wanted);
    for (unsigned i = 0; i < DEBUG_SECTION_COUNT; i++)
        a->size[i] = DEBUG_ANY;
    if (!wanted[INDEXED_INFO])
        return;
    a->is_mixed = true;
    a->size[DEBUG_INFO] = wanted[INDEXED_INFO] + wanted[INDEXED_INFO] / 2;
    a->size[DEBUG_ABBREV] = wanted[INDEXED_ABBREV];
    a->size[DEBUG_STR] = wanted[INDEXED_STR] - wanted[INDEXED_STR] / (is_cpp ? 4 : 12);
    a->size[DEBUG_LISTS] = wanted[INDEXED_LISTS] - (is_cpp ? 0 : wanted[INDEXED_LISTS] / 8);
    a->size[DEBUG_RANGES] = wanted[INDEXED_RANGES] - (is_cpp ? 0 : wanted[INDEXED_RANGES] / 4);
    a->size[DEBUG_LINE] = line;
    a->size[DEBUG_LINE_STR] = line_str;
    sum_up(a);
}

/* How many bytes off is near: more where no section has a wanted size. */
static uint64_t near(const struct indexed_aim *a)
{
    return a->all / (a->is_mixed ? NEAR : NEAR_ALL) + NEAR_LEAST;
}

bool indexed_aim_fits(const struct indexed_aim *a)
{
    return a->best != UINT64_MAX;
}

bool indexed_aim_goes_on(const struct indexed_aim *a)
{
    if (!indexed_aim_fits(a))
        return a->rounds < ROUNDS_LOWER;
    return a->best > near(a) && a->rounds < ROUNDS_MOST;
}

/* A little less than is wanted; less with each try while none was small enough. */
static uint64_t aimed(const struct indexed_aim *a, uint64_t wanted)
{
    return less(wanted, wanted / LITTLE * (1 + a->lower * UINT64_C(8)) + LITTLE_LEAST);
}

/* `bytes` times to / from, but at most TIMES_MOST times as many. */
static uint64_t scale(uint64_t bytes, uint64_t to, uint64_t from)
{
    enum { TIMES_MOST = 16 };
    const double times = from ? (double)to / (double)from : 1;
    return (uint64_t)((double)bytes * (times < TIMES_MOST ? times : TIMES_MOST));
}

/* How much the sections in `following` exceed their wanted sizes; .debug_info has to have that much less. */
static uint64_t excess_of(const struct indexed_aim *a, const uint64_t got[INDEXED_SECTIONS])
{
    uint64_t excess = 0;
    for (unsigned i = 0; i < FOLLOWING; i++)
        excess += less(got[following[i]], a->wanted[following[i]]);
    return excess;
}

/* How many bytes each of the other sections is to have. */
static void aim(const struct indexed_aim *a, const uint64_t normal[DEBUG_SECTION_COUNT],
                const uint64_t got[INDEXED_SECTIONS], uint64_t to[INDEXED_SECTIONS])
{
    const uint64_t names = less(got[INDEXED_STR], normal[DEBUG_STR]);
    to[INDEXED_INFO] = aimed(a, less(a->wanted[INDEXED_INFO], excess_of(a, got)));
    to[INDEXED_LISTS] = aimed(a, a->wanted[INDEXED_LISTS]);
    to[INDEXED_RANGES] = aimed(a, a->wanted[INDEXED_RANGES]);
    to[INDEXED_STR] = less(a->wanted[INDEXED_STR], names / NAMES_LITTLE + LITTLE_LEAST);
}

/* How many bytes sections are off what `aim` says. A section that is longer than is wanted is never near, because it
 * cannot be made shorter. */
static uint64_t off(const struct indexed_aim *a, const uint64_t normal[DEBUG_SECTION_COUNT],
                    const uint64_t got[INDEXED_SECTIONS], uint64_t total)
{
    static const enum indexed_section asked[] = {INDEXED_INFO, INDEXED_STR, INDEXED_LISTS, INDEXED_RANGES};
    uint64_t to[INDEXED_SECTIONS] = {0};
    uint64_t sum = 0;
    bool any_longer = false;
    if (!a->is_mixed)
        return apart(aimed(a, a->all), total);
    aim(a, normal, got, to);
    for (unsigned i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        const enum indexed_section s = asked[i];
        sum += apart(to[s], got[s]);
        any_longer |= got[s] > less(a->wanted[s], s == INDEXED_INFO ? excess_of(a, got) : 0);
    }
    return sum + (any_longer ? near(a) : 0);
}

/* Sets what the next try asks for. */
static void correct(struct indexed_aim *a, const uint64_t normal[DEBUG_SECTION_COUNT],
                    const uint64_t got[INDEXED_SECTIONS], uint64_t total)
{
    uint64_t to[INDEXED_SECTIONS] = {0};
    if (!a->is_mixed) {
        a->normal = scale(a->normal, aimed(a, a->all), total);
        return;
    }
    aim(a, normal, got, to);
    for (unsigned i = 0; i < SCALED; i++)
        a->size[scaled[i].was] =
            to[scaled[i].is] ? scale(normal[scaled[i].was], to[scaled[i].is], got[scaled[i].is]) : 0;
    a->size[DEBUG_STR] = less(to[INDEXED_STR], less(got[INDEXED_STR], normal[DEBUG_STR]));
    sum_up(a);
}

void indexed_aim_note(struct indexed_aim *a, const uint64_t normal[DEBUG_SECTION_COUNT],
                      const uint64_t got[INDEXED_SECTIONS], uint64_t total)
{
    const uint64_t by = off(a, normal, got, total);
    const uint64_t now = total <= a->all ? by : UINT64_MAX;
    a->is_best = now < a->best;
    a->best = a->is_best ? now : a->best;
    a->rounds++;
    a->lower += !indexed_aim_fits(a) && a->rounds > ROUNDS_LEARN;
    a->is_near = by < a->all / NEARLY;
    correct(a, normal, got, total);
}

void indexed_aim_failed(struct indexed_aim *a)
{
    a->is_best = a->is_near = false;
    a->rounds++;
    a->normal -= a->normal / 32;
    if (a->is_mixed)
        a->size[DEBUG_INFO] -= a->size[DEBUG_INFO] / 32;
    sum_up(a);
}
