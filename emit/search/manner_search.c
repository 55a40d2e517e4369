/* See manner_search.h. */
#include "emit/search/manner_search.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "emit/search/manner_fit.h"

enum {
    FINE = 256, /* weights count in this part */
    OUTERS_AT = PIECES,
    INNERS_AT = OUTERS_AT + OUTERS,
    OTHERS_AT = INNERS_AT + INNERS,
    FULL = 3,           /* a try before this one may be as far off as it likes */
    SINCE_BEST_MOST = 4 /* so many tries in a row bring nothing nearer */
};

/* The other numbers that are searched for, besides how many pieces there are of each kind. */
#define NUMBER(member) offsetof(struct manner, member)
static const size_t others[] = {
    NUMBER(methods),   NUMBER(typedefs),    NUMBER(derived),   NUMBER(templates), NUMBER(numbers), NUMBER(members),
    NUMBER(taken),     NUMBER(enumerators), NUMBER(calls),     NUMBER(inlined),   NUMBER(lexical), NUMBER(parameters),
    NUMBER(variables), NUMBER(gone),        NUMBER(own),       NUMBER(told),      NUMBER(passed),  NUMBER(split),
    NUMBER(spread),    NUMBER(placed),      NUMBER(constants), NUMBER(bits),
};
#undef NUMBER
static_assert(OTHERS_AT + sizeof others / sizeof others[0] == MANNER_NUMBERS, "a step for each of them");

static uint16_t *number_at(struct manner *m, unsigned i)
{
    return i < OUTERS_AT   ? &m->piece[i]
           : i < INNERS_AT ? &m->outer[i - OUTERS_AT]
           : i < OTHERS_AT ? &m->inner[i - INNERS_AT]
                           : (uint16_t *)(void *)((char *)m + others[i - OTHERS_AT]);
}

/* Sets the numbers of *m. */
static void set_numbers(struct manner *m, const double number[MANNER_NUMBERS])
{
    uint64_t weight[OTHERS_AT];
    for (unsigned i = 0; i < OTHERS_AT; i++)
        weight[i] = (uint64_t)(number[i] * FINE);
    manner_share_pieces(m, weight);
    manner_share_outer(m, weight + OUTERS_AT);
    manner_share_inner(m, weight + INNERS_AT);
    for (unsigned i = OTHERS_AT; i < MANNER_NUMBERS; i++)
        *number_at(m, i) = (uint16_t)(number[i] + 0.5);
}

/* The next step of a number that has gone `moved` and now lacks `lacks`. */
static double step_after(double step, double moved, double lacks)
{
    const double less = 0.5;
    const double more = 1.5;
    if (moved * lacks < 0)
        return step * less;
    return step * more < 1 ? step * more : 1;
}

/* The next manner: the last one with each number its step nearer. Steps are halved where the try from there was
 * `too_far`. */
static struct manner go_on(struct manner_search *s, const struct profile_entries *said, bool too_far)
{
    struct manner to = manner_fitted(&s->last.manner, said, &s->last.counts);
    struct manner next = to;
    double number[MANNER_NUMBERS];
    for (unsigned i = 0; i < MANNER_NUMBERS; i++) {
        const double from = *number_at(&s->last.manner, i);
        const double lacks = *number_at(&to, i) - from;
        s->step[i] = !s->tries ? 1 : too_far ? s->step[i] / 2 : step_after(s->step[i], s->moved[i], lacks);
        s->moved[i] = lacks * s->step[i];
        number[i] = from + s->moved[i];
    }
    set_numbers(&next, number);
    if (!s->last.manner.parameters) { /* 0 stands for the usual, which is no number to begin at */
        next.parameters = to.parameters;
        next.variables = to.variables;
    }
    return next;
}

/* How far libraries are on average from as many entries as their rows say: half of the share by which they are off,
 * because tags and attributes count more. */
static double lacks(const struct debug_counts *counts)
{
    return counts->libraries ? counts->lacks / (double)counts->libraries / 2 : 0;
}

bool manner_search_next(struct manner_search *s, const struct profile_entries *said, const struct debug_counts *counts,
                        struct manner *m)
{
    const double near_enough = 0.025;
    const double few_enough = 0.01;
    const double far = 1.25; /* times the nearest distance: a try this far off leads nowhere */
    const double lacking = counts ? lacks(counts) : 0;
    const double apart = counts ? manner_distance(said, counts) : HUGE_VAL;
    const double distance = apart + lacking;
    s->is_best = !s->tries || distance < s->nearest;
    s->since_best = s->is_best ? 0 : s->since_best + 1;
    if (counts)
        s->last = (struct manner_tried){*m, *counts};
    if (s->is_best) {
        s->best = s->last;
        s->nearest = distance;
        s->is_near = apart < near_enough && lacking < few_enough;
    }
    const bool leads_nowhere = s->tries >= FULL - 1 && distance > far * s->nearest;
    if (leads_nowhere)
        s->last = s->best;
    const struct manner next = go_on(s, said, !counts || leads_nowhere);
    const unsigned most = s->begins_near ? MANNER_TRIES_NEAR : MANNER_TRIES_MOST;
    const bool goes_on = ++s->tries < most && s->since_best < SINCE_BEST_MOST && !s->is_near;
    *m = goes_on ? next : s->best.manner;
    return goes_on;
}
