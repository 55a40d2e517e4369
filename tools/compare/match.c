/* Finds which library of the twin stands for which of the application; see compare.h. */
#include <stdlib.h>
#include <string.h>

#include "tools/compare/compare.h"

struct named {
    const char *name;
    uint32_t row;
};

static int compare_named(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* The names that occur once on the side, sorted; NULL where memory runs out. */
static struct named *list_names(struct arena *a, const struct compare_side *side, size_t *count)
{
    struct named *all = arena_zeroed(a, side->rows + 1, sizeof *all);
    size_t names = 0;
    *count = 0;
    for (size_t i = 0; all && i < side->rows; i++) {
        if (side->row[i].name)
            all[names++] = (struct named){side->row[i].name, (uint32_t)i};
    }
    if (names)
        qsort(all, names, sizeof *all, compare_named);
    for (size_t i = 0, end; i < names; i = end) {
        for (end = i + 1; end < names && compare_named(&all[i], &all[end]) == 0; end++)
            continue;
        if (end == i + 1)
            all[(*count)++] = all[i];
    }
    return all;
}

/* The match of each row, on both sides. */
struct matching {
    const struct compare_side *side;
    uint32_t *match[SIDES];
    bool *by_name; /* for each row of REAL */
};

static void pair_up(struct matching *m, uint32_t real, uint32_t twin, bool by_name)
{
    m->match[REAL][real] = twin;
    m->match[TWIN][twin] = real;
    m->by_name[real] = by_name;
}

static bool match_names(struct arena *a, struct matching *m)
{
    size_t counts[SIDES];
    struct named *real = list_names(a, &m->side[REAL], &counts[REAL]);
    struct named *twin = list_names(a, &m->side[TWIN], &counts[TWIN]);
    for (size_t i = 0, j = 0; real && twin && i < counts[REAL] && j < counts[TWIN];) {
        int order = compare_named(&real[i], &twin[j]);
        if (order == 0)
            pair_up(m, real[i].row, twin[j].row, true);
        i += order <= 0;
        j += order >= 0;
    }
    return real && twin;
}

enum wanted { UTILITIES, MODULES, BOTH };

/* The first row from `row` on that has no match and is of the wanted kind. */
static size_t next_free(const struct matching *m, int side, size_t row, enum wanted wanted)
{
    const struct compare_side *s = &m->side[side];
    while (row < s->rows &&
           (m->match[side][row] != COMPARE_NOBODY || (wanted != BOTH && s->row[row].module != (wanted == MODULES))))
        row++;
    return row;
}

static void match_order(struct matching *m, enum wanted wanted)
{
    size_t real = next_free(m, REAL, 0, wanted);
    size_t twin = next_free(m, TWIN, 0, wanted);
    while (real < m->side[REAL].rows && twin < m->side[TWIN].rows) {
        pair_up(m, (uint32_t)real, (uint32_t)twin, false);
        real = next_free(m, REAL, real, wanted);
        twin = next_free(m, TWIN, twin, wanted);
    }
}

bool compare_match(struct arena *a, const struct compare_side sides[SIDES], enum compare_match_how how,
                   struct compare_pairs *pairs)
{
    *pairs = (struct compare_pairs){0};
    struct matching m = {.side = sides, .by_name = arena_zeroed(a, sides[REAL].rows + 1, sizeof *m.by_name)};
    for (int s = 0; s < SIDES; s++) {
        m.match[s] = arena_zeroed(a, sides[s].rows + 1, sizeof *m.match[s]);
        if (!m.match[s])
            return false;
        memset(m.match[s], 0xff, sides[s].rows * sizeof *m.match[s]); /* every byte of COMPARE_NOBODY */
    }
    pairs->of = arena_zeroed(a, sides[REAL].rows + sides[TWIN].rows + 1, sizeof *pairs->of);
    if (!m.by_name || !pairs->of || (how == MATCH_NAME && !match_names(a, &m)))
        return false;
    match_order(&m, MODULES);
    match_order(&m, UTILITIES);
    match_order(&m, BOTH);
    pairs->twin_of = m.match[REAL];
    for (uint32_t i = 0; i < sides[REAL].rows; i++) {
        uint32_t twin = m.match[REAL][i];
        pairs->of[pairs->count++] = (struct compare_pair){{i, twin}, m.by_name[i]};
        pairs->matched += twin != COMPARE_NOBODY;
        pairs->by_name += m.by_name[i];
        pairs->alone[REAL] += twin == COMPARE_NOBODY;
    }
    for (uint32_t i = 0; i < sides[TWIN].rows; i++) {
        if (m.match[TWIN][i] == COMPARE_NOBODY) {
            pairs->of[pairs->count++] = (struct compare_pair){{COMPARE_NOBODY, i}, false};
            pairs->alone[TWIN]++;
        }
    }
    return true;
}
