/* Deals drawn lengths out to the names of a library's dynamic symbols; see rows_exported.c. */
#include <stdlib.h>

#include "emit/plan/names_row.h"
#include "emit/plan/ranked.h"
#include "emit/solve/rows_lengths.h"

enum { PARTNERS_MOST = 256 /* names to look at */ };

/* The fewest characters of the free name at `place`: the `numbered` exported functions come first, then other names. */
static uint32_t least_of(const struct plan_library *l, uint32_t numbered, uint32_t place)
{
    return names_row_shortest(l, place < numbered ? place : l->exported + place - numbered);
}

uint32_t lengths_shortest(const struct plan_library *l, uint32_t numbered, uint32_t count)
{
    uint32_t least = PROFILE_NAME_MOST;
    for (uint32_t i = 0; i < count; i++)
        least = (uint32_t)lengths_smaller(least, least_of(l, numbered, i));
    return least;
}

/* As many characters as any of these names needs at least, or one more. Names further behind need more; in mangled
 * ones, functions need one more. */
static uint32_t largest_least(const struct plan_library *l, uint32_t numbered, uint32_t count)
{
    const uint32_t last = count <= numbered ? count - 1 : l->exported + count - numbered - 1;
    const uint32_t plain = names_row_shortest(l, last);
    const uint32_t mangled =
        l->names.mangled ? 1 + names_row_shortest(l, last < l->names.mangled ? last : l->names.mangled - 1) : 0;
    return plain > mangled ? plain : mangled;
}

/* A name that can exchange its length with the one at `place`, which is too short; `count` if none is near. */
static uint32_t partner_of(const struct plan_library *l, uint32_t numbered, const uint16_t *length, uint32_t count,
                           uint32_t place)
{
    const uint32_t start = random_below(random_at(plan_key(l, PURPOSE_NAMES), UINT64_C(1) << 35 | place), count);
    const uint32_t wanted = least_of(l, numbered, place);
    for (uint32_t i = 0; i < count && i < PARTNERS_MOST; i++) {
        const uint32_t other = (start + i) % count;
        if (length[other] >= wanted && length[place] >= least_of(l, numbered, other))
            return other;
    }
    return count;
}

/* A name that is too short exchanges its length with another one or, without a partner, gets its least length; then
 * other names become shorter by as much. */
void lengths_lengthen(const struct plan_library *l, uint32_t numbered, uint16_t *length, uint32_t count)
{
    const uint32_t enough = count ? largest_least(l, numbered, count) : 0;
    uint64_t over = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (length[i] >= enough)
            continue;
        const uint32_t least = least_of(l, numbered, i);
        const uint32_t other = length[i] < least ? partner_of(l, numbered, length, count, i) : i;
        over += other == count ? least - length[i] : 0;
        const uint16_t is = other == count ? (uint16_t)least : length[other];
        if (other < count)
            length[other] = length[i];
        length[i] = is;
    }
    for (uint32_t i = 0; i < count && over; i++) {
        const uint64_t part =
            lengths_smaller((over + count - i - 1) / (count - i), length[i] - least_of(l, numbered, i));
        length[i] = (uint16_t)(length[i] - part);
        over -= part;
    }
}

uint32_t *lengths_order(const struct plan_library *l, uint32_t numbered, uint32_t count)
{
    struct ranked *name = malloc((count + (size_t)1) * sizeof *name);
    uint32_t *order = name ? malloc((count + (size_t)1) * sizeof *order) : NULL;
    for (uint32_t i = 0; order && i < count; i++) {
        const uint32_t length = i < numbered ? names_row_length(l, i) : names_row_other_length(l, i - numbered);
        name[i] = (struct ranked){length, i, random_at(plan_key(l, PURPOSE_NAMES), i)};
    }
    if (order)
        ranked_sort(name, count);
    for (uint32_t i = 0; order && i < count; i++)
        order[i] = name[i].place;
    free(name);
    return order;
}
