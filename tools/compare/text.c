/* Prints the comparison as tables for people, what differs most first; see compare.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/compare.h"

/* How much is shown without --libraries. */
enum { LIBRARIES_SHOWN = 20, QUANTITIES_SHOWN = 8 };

enum { NAME_WIDTH = 27, NUMBER_WIDTH = 13, CELL = COMPARE_CELL };

/* ---- cells ---- */

void compare_difference_text(const struct compare_quantity *q, char difference[COMPARE_CELL], char share[COMPARE_CELL])
{
    uint64_t real = q->number[REAL];
    uint64_t twin = q->number[TWIN];
    *difference = *share = '\0';
    if (q->type == TYPE_DISTANCE) {
        snprintf(difference, CELL, "%.4f", q->distance);
        snprintf(share, CELL, "of %s", compare_method_names[q->method]);
    } else if (q->type == TYPE_NUMBER) {
        snprintf(difference, CELL, "%s%" PRIu64,
                 twin < real   ? "-"
                 : twin > real ? "+"
                               : "",
                 twin < real ? real - twin : twin - real);
        const double percent = real ? 100 * ((double)twin - (double)real) / (double)real : 0;
        if (percent != 0)
            snprintf(share, CELL, fabs(percent) < 0.01 ? "%+.4f %%" : "%+.2f %%", percent);
    }
}

static void print_cell(const struct compare_quantity *q, int side)
{
    if (q->type == TYPE_WORD)
        printf(" %*s", NUMBER_WIDTH, q->word[side]);
    else if (q->type == TYPE_DISTANCE && q->number[side] == 0)
        printf(" %*s", NUMBER_WIDTH, "-");
    else
        printf(" %*" PRIu64, NUMBER_WIDTH, q->number[side]);
}

static void print_quantity(const struct compare_quantity *q, bool of_set)
{
    char difference[CELL], share[CELL], libraries[2 * CELL] = "";
    compare_difference_text(q, difference, share);
    const size_t all = compare_all(q->libraries), off = q->libraries[STATE_OFF], told = q->libraries[STATE_TOLD];
    if (of_set && off && told)
        snprintf(libraries, sizeof libraries, "  off in %zu, told in %zu of %zu", off, told, all);
    else if (of_set && off + told)
        snprintf(libraries, sizeof libraries, "  %s in %zu of %zu", off ? "off" : "told", off + told, all);
    else if (of_set && q->libraries[STATE_WITHIN])
        snprintf(libraries, sizeof libraries, "  differs in %zu of %zu", q->libraries[STATE_WITHIN], all);
    if (of_set && q->silent)
        snprintf(libraries + strlen(libraries), sizeof libraries - strlen(libraries), "  not compared in %zu",
                 q->silent);
    printf("  %s%-*s", q->sampled ? "~" : "", NAME_WIDTH - q->sampled, q->name);
    print_cell(q, REAL);
    print_cell(q, TWIN);
    if (*share || *libraries)
        printf(" %*s %13s%s\n", NUMBER_WIDTH, difference, share, libraries);
    else
        printf(" %*s\n", NUMBER_WIDTH, difference);
}

/* ---- the set ---- */

static void print_side(const struct comparison *c, int side)
{
    const struct compare_side *s = &c->side[side];
    printf("%s %s: ", side == REAL ? "real" : "twin", s->path);
    if (s->summary)
        puts("a profile without libraries");
    else
        printf("%zu %s%s\n", s->rows, s->rows == 1 ? "library" : "libraries", s->profile ? ", as a profile says" : "");
}

static void print_state(const struct comparison *c, enum compare_state state)
{
    char heading[CELL];
    if (c->set.states[state] == 0)
        return;
    snprintf(heading, sizeof heading, state == STATE_WITHIN ? "within %g %%" : compare_state_names[state],
             100 * c->compare->options.tolerance);
    printf("\n%-*s %*s %*s %*s\n", NAME_WIDTH + 2, heading, NUMBER_WIDTH, "real", NUMBER_WIDTH, "twin", NUMBER_WIDTH,
           "difference");
    for (size_t i = 0; i < c->set.count; i++) {
        if (c->set.of[i].state == state)
            print_quantity(&c->set.of[i], true);
    }
}

/* ---- libraries ---- */

static int compare_worst(const void *a, const void *b)
{
    const struct compare_library *x = *(const struct compare_library *const *)a;
    const struct compare_library *y = *(const struct compare_library *const *)b;
    for (int state = STATE_OFF; state >= STATE_TOLD; state--)
        if (x->list.states[state] != y->list.states[state])
            return x->list.states[state] < y->list.states[state] ? 1 : -1;
    return x < y ? -1 : x > y;
}

static void print_library(const struct comparison *c, const struct compare_library *library)
{
    char text[SIDES][32];
    const struct compare_list *list = &library->list;
    const char *real = compare_library_name(c, REAL, library->pair.of[REAL], text[REAL]);
    const char *twin = compare_library_name(c, TWIN, library->pair.of[TWIN], text[TWIN]);
    bool all = c->compare->options.libraries;
    if (compare_is_alone(library)) {
        printf("\n%s: only in the %s\n", library->pair.of[REAL] == COMPARE_NOBODY ? twin : real,
               library->pair.of[REAL] == COMPARE_NOBODY ? "twin" : "real");
        return;
    }
    printf("\n%s", real);
    if (strcmp(real, twin) != 0)
        printf(" and %s", twin);
    printf(": %zu off, ", list->states[STATE_OFF]);
    if (list->states[STATE_TOLD])
        printf("%zu told, ", list->states[STATE_TOLD]);
    printf("%zu within, %zu equal", list->states[STATE_WITHIN], list->states[STATE_EQUAL]);
    if (list->silent)
        printf(", %zu not compared", list->silent);
    putchar('\n');
    size_t shown = 0;
    for (int state = STATE_OFF; state >= (all ? STATE_EQUAL : STATE_OFF); state--) {
        for (size_t i = 0; i < list->count && (all || shown < QUANTITIES_SHOWN); i++) {
            if (list->of[i].state == (enum compare_state)state) {
                print_quantity(&list->of[i], false);
                shown++;
            }
        }
    }
    if (!all && list->states[STATE_OFF] > shown)
        printf("  and %zu more\n", list->states[STATE_OFF] - shown);
}

static void print_libraries(const struct comparison *c)
{
    bool all = c->compare->options.libraries;
    const struct compare_library **order = report_must(calloc(c->pairs.count + 1, sizeof *order));
    size_t count = 0;
    for (size_t i = 0; i < c->pairs.count; i++) {
        if (all || compare_is_alone(&c->library[i]) || c->library[i].list.states[STATE_OFF])
            order[count++] = &c->library[i];
    }
    if (!all && count)
        qsort(order, count, sizeof *order, compare_worst);
    for (size_t i = 0; i < count && (all || i < LIBRARIES_SHOWN); i++)
        print_library(c, order[i]);
    if (!all && count > LIBRARIES_SHOWN)
        printf("\nand %zu more %s in which something is off; --libraries lists all\n", count - LIBRARIES_SHOWN,
               count - LIBRARIES_SHOWN == 1 ? "library" : "libraries");
    free(order);
}

/* ---- in short ---- */

static void print_states(const struct comparison *c, const size_t states[STATES])
{
    printf("%zu quantities: %zu equal, %zu within %g %%, ", compare_all(states), states[STATE_EQUAL],
           states[STATE_WITHIN], 100 * c->compare->options.tolerance);
    if (states[STATE_TOLD])
        printf("%zu told, ", states[STATE_TOLD]);
    printf("%zu off", states[STATE_OFF]);
}

static void print_without(const struct comparison *c)
{
    const struct compare_options *o = &c->compare->options;
    for (size_t i = 0; i < o->withouts; i++)
        printf("%s%s", i ? ", " : "not compared, as was asked: ", compare_text(c->compare, o->without[i]));
    if (o->withouts)
        putchar('\n');
}

/* Prints in lines of at most LINE characters. */
static void print_silence(const struct comparison *c, int side)
{
    enum { LINE = 100 };
    char *names = compare_silence_text(c, side);
    int at = *names ? printf("not compared, because the %s does not say:", side == REAL ? "real" : "twin") : 0;
    for (const char *name = names; *name;) {
        const int length = (int)strcspn(name, " ");
        if (at + 1 + length > LINE)
            at = printf("\n ") - 1;
        at += printf(" %.*s", length, name);
        name += length;
        name += strspn(name, " ");
    }
    if (at)
        putchar('\n');
    free(names);
}

/* Whether only the wider tolerance of COMPARE_LOOSE makes it within. */
static bool is_loosely_within(const struct comparison *c, const struct compare_quantity *q)
{
    const double tolerance = c->compare->options.tolerance;
    return q->type == TYPE_NUMBER && q->state == STATE_WITHIN &&
           compare_number_state(q->number[REAL], q->number[TWIN], tolerance) == STATE_OFF;
}

static void print_notes(const struct comparison *c)
{
    bool sampled = false, loose = false;
    for (size_t i = 0; i < c->set.count; i++) {
        sampled |= c->set.of[i].sampled;
        loose |= is_loosely_within(c, &c->set.of[i]);
    }
    if (loose)
        printf("of zstd and dwarf.uneven within is up to %g times, upwards or "
               "downwards\n",
               1 + COMPARE_LOOSER * c->compare->options.tolerance);
    if (c->library_states[STATE_TOLD])
        puts("told is off, as the twin's differences.json says, with both numbers or as not counted");
    if (sampled)
        puts("~ estimated from a part of the debug information; --full reads all");
    print_without(c);
    for (int s = 0; s < SIDES; s++)
        print_silence(c, s);
}

void compare_print(const struct comparison *c)
{
    print_side(c, REAL);
    print_side(c, TWIN);
    for (int state = STATE_OFF; state >= STATE_EQUAL; state--)
        print_state(c, (enum compare_state)state);
    if (!c->side[REAL].summary && !c->side[TWIN].summary)
        print_libraries(c);
    putchar('\n');
    print_notes(c);
    printf("set: ");
    print_states(c, c->set.states);
    putchar('\n');
    if (c->side[REAL].summary || c->side[TWIN].summary)
        return;
    printf("libraries: %zu matched, %zu by name, %zu only real, %zu only twin\n", c->pairs.matched, c->pairs.by_name,
           c->pairs.alone[REAL], c->pairs.alone[TWIN]);
    printf("each library: ");
    print_states(c, c->library_states);
    printf(", in %zu %s\n", c->libraries_off, c->libraries_off == 1 ? "library" : "libraries");
}
