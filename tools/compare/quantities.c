/* Compares library by library, and sums up over the set; see compare.h. */
#include <stdlib.h>
#include <string.h>

#include "tools/compare/compare.h"
#include "tools/compare/distance.h"

enum { WORDS_MOST = 64 };

/* ---- states ---- */

/* The state of a COMPARE_LOOSE number: five times the tolerance, and as far down as up. With 5 % that is 0.8 to 1.25
 * times. */
static enum compare_state loose_state(uint64_t real, uint64_t twin, double tolerance)
{
    if (real == twin)
        return STATE_EQUAL;
    double factor = 1 + COMPARE_LOOSER * tolerance;
    return (double)twin <= factor * (double)real && (double)real <= factor * (double)twin ? STATE_WITHIN : STATE_OFF;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

/* ---- the sum over the libraries ---- */

struct word_count {
    uint32_t key;
    const char *word;
    uint64_t count[SIDES];
};

/* A key, as a column of the table of all rows. */
struct column {
    uint64_t number[SIDES]; /* of the present pair; said and word too */
    const char *word[SIDES];
    bool said[SIDES]; /* the row has the value, or it follows; otherwise it is unknown */
    uint64_t sum[SIDES];
    bool sampled;
    size_t has[SIDES]; /* rows that are not complete but have the key */
    bool known[SIDES]; /* every row says it */
    bool compared;     /* in at least one pair */
    int silent;        /* the side that did not say it in the last such pair */
    size_t silents;    /* in how many pairs only one side says it */
    size_t states[STATES];
};

struct comparing {
    struct comparison *c;
    double tolerance;
    uint32_t *order; /* keys in the order of the tables */
    struct column *column;
    struct word_count *word;
    size_t words, word_room;
    uint32_t same_libraries, same_order, same_symbols; /* keys */
    size_t sample_states[COMPARE_SAMPLES][STATES];
    uint32_t *place; /* for each row of the twin, the present library's edge to it; COMPARE_NOBODY: none */
};

static void count_word(struct comparing *g, uint32_t key, const char *word, int side)
{
    static const char others[] = "others";
    size_t of_key = 0;
    for (size_t i = 0; i < g->words; i++) {
        if (g->word[i].key != key)
            continue;
        if (strcmp(g->word[i].word, word) == 0) {
            g->word[i].count[side]++;
            return;
        }
        of_key++;
    }
    if (of_key >= WORDS_MOST - 1 && strcmp(word, others) != 0) {
        count_word(g, key, others, side);
        return;
    }
    if (g->words == g->word_room) {
        g->word_room = g->word_room ? 2 * g->word_room : 64;
        g->word = report_must(realloc(g->word, g->word_room * sizeof *g->word));
    }
    struct word_count *w = &g->word[g->words++];
    *w = (struct word_count){.key = key, .word = word};
    w->count[side] = 1;
}

/* ---- a pair ---- */

static const struct compare_row *row_of(const struct comparison *c, const struct compare_pair *pair, int side)
{
    return pair->of[side] == COMPARE_NOBODY ? NULL : &c->side[side].row[pair->of[side]];
}

/* Puts a row into the columns. A row that is missing says that everything is 0. */
static void spread(struct comparing *g, const struct compare_row *row, int side)
{
    const struct compare_keys *keys = &g->c->keys;
    for (uint32_t k = 0; k < keys->count; k++) {
        const char *missing = row ? keys->of[k].missing : NULL;
        bool word = keys->of[k].kind == COMPARE_WORD;
        g->column[k].word[side] = !word ? NULL : missing ? missing : "-";
        g->column[k].number[side] = !word && missing ? strtoull(missing, NULL, 10) : 0;
        g->column[k].said[side] =
            !row || (row->complete && !(row->undescribed && compare_is_in(keys->of[k].name, GROUP_DWARF)));
    }
    for (size_t i = 0; row && i < row->values; i++) {
        struct column *column = &g->column[row->value[i].key];
        column->number[side] = row->value[i].number;
        column->said[side] = true;
        if (row->value[i].word)
            column->word[side] = row->value[i].word;
    }
}

/* Compares the edges of a pair: how many of the real library's edges the twin's has, how many stand at the same place,
 * and how many symbols they share. */
static void compare_edges(struct comparing *g, const struct compare_row *real, const struct compare_row *twin)
{
    struct column *libraries = &g->column[g->same_libraries];
    struct column *order = &g->column[g->same_order];
    struct column *symbols = &g->column[g->same_symbols];
    libraries->said[REAL] = order->said[REAL] = symbols->said[REAL] = !real || real->has_edges;
    libraries->said[TWIN] = order->said[TWIN] = symbols->said[TWIN] = !twin || twin->has_edges;
    if (!real)
        return;
    libraries->number[REAL] = order->number[REAL] = real->edges;
    for (size_t i = twin ? twin->edges : 0; i-- > 0;)
        g->place[twin->edge[i].to] = (uint32_t)i;
    for (size_t i = 0; i < real->edges; i++) {
        uint32_t to = g->c->pairs.twin_of[real->edge[i].to];
        uint32_t at = !twin || to == COMPARE_NOBODY ? COMPARE_NOBODY : g->place[to];
        const bool met = at != COMPARE_NOBODY;
        uint64_t carried[SIDES] = {real->edge[i].symbols, met ? twin->edge[at].symbols : 0};
        libraries->number[TWIN] += met;
        order->number[TWIN] += met && at == i;
        if (!real->edge[i].counted || (met && !twin->edge[at].counted))
            continue;
        symbols->number[REAL] = add(symbols->number[REAL], carried[REAL]);
        symbols->number[TWIN] = add(symbols->number[TWIN], carried[carried[TWIN] < carried[REAL] ? TWIN : REAL]);
    }
    for (size_t i = 0; twin && i < twin->edges; i++)
        g->place[twin->edge[i].to] = COMPARE_NOBODY;
}

/* Makes the present pair's quantity for a key. False where it is skipped, or 0 on both sides. */
static bool quantity_of(const struct comparing *g, uint32_t key, struct compare_quantity *q)
{
    const struct compare_key *k = &g->c->keys.of[key];
    const struct column *column = &g->column[key];
    *q = (struct compare_quantity){.name = k->name, .sampled = k->sampled};
    if (k->kind == COMPARE_SKIP)
        return false;
    if (k->kind == COMPARE_WORD) {
        q->type = TYPE_WORD;
        q->word[REAL] = column->word[REAL];
        q->word[TWIN] = column->word[TWIN];
        q->state = strcmp(q->word[REAL], q->word[TWIN]) == 0 ? STATE_EQUAL : STATE_OFF;
        return true;
    }
    q->number[REAL] = column->number[REAL];
    q->number[TWIN] = column->number[TWIN];
    q->state = k->kind == COMPARE_LOOSE ? loose_state(q->number[REAL], q->number[TWIN], g->tolerance)
                                        : compare_number_state(q->number[REAL], q->number[TWIN], g->tolerance);
    return q->number[REAL] || q->number[TWIN];
}

/* Whether both rows say it. A missing row does. */
static bool is_said(const struct column *column)
{
    return column->said[REAL] && column->said[TWIN];
}

/* Whether only one row of the pair says it, and that is not 0. */
static bool is_half_said(const struct column *column)
{
    for (int s = 0; s < SIDES; s++) {
        if (column->said[s] && !column->said[!s])
            return column->number[s] || column->word[s];
    }
    return false;
}

static void be_silent(struct column *column, struct compare_list *list)
{
    if (!is_half_said(column))
        return;
    column->silent = column->said[REAL] ? TWIN : REAL;
    column->silents++;
    list->silent++;
}

static void sum_up(struct comparing *g, const struct compare_row *const row[SIDES])
{
    const struct compare_keys *keys = &g->c->keys;
    for (uint32_t k = 0; k < keys->count; k++) {
        for (int s = 0; s < SIDES; s++) {
            struct column *column = &g->column[k];
            if (!is_said(column))
                continue;
            column->compared = true;
            if (keys->of[k].kind == COMPARE_WORD && row[s])
                count_word(g, k, column->word[s], s);
            column->sum[s] = add(column->sum[s], column->number[s]);
            column->sampled |= row[s] && row[s]->sampled && keys->of[k].sampled;
        }
    }
}

static bool quantiles_of(const struct compare_row *row, enum compare_sample of, uint64_t q[QUANTILES])
{
    const struct samples *s = row->samples[of];
    if (!s && row->quantiles[of].known)
        memcpy(q, row->quantiles[of].of, sizeof row->quantiles[of].of);
    for (unsigned i = 0; s && i < QUANTILES; i++)
        q[i] = samples_quantile(s, i, QUANTILES);
    return s ? s->count >= QUANTILES_LEAST : row->quantiles[of].known;
}

/* Compares a sample of a pair; false where a library has too few values. */
static bool compare_samples(const struct compare_row *const row[SIDES], enum compare_sample of,
                            struct compare_quantity *q)
{
    *q = (struct compare_quantity){.name = compare_sample_names[of], .type = TYPE_DISTANCE};
    const struct samples *samples[SIDES] = {row[REAL]->samples[of], row[TWIN]->samples[of]};
    for (int s = 0; s < SIDES; s++)
        q->number[s] = samples[s] ? samples[s]->count : 0;
    if (samples[REAL] && samples[TWIN]) {
        q->method = METHOD_EXACT;
        q->distance =
            distance_of_values(samples[REAL]->value, samples[REAL]->count, samples[TWIN]->value, samples[TWIN]->count);
        return samples[REAL]->count >= QUANTILES_LEAST;
    }
    uint64_t quantiles[SIDES][QUANTILES];
    q->method = METHOD_QUANTILES;
    if (!quantiles_of(row[REAL], of, quantiles[REAL]) || !quantiles_of(row[TWIN], of, quantiles[TWIN]))
        return false;
    q->distance = distance_of_quantiles(quantiles[REAL], quantiles[TWIN]);
    return true;
}

/* Adds a quantity to the library's list, and counts its state over all libraries. */
static void add_own(struct comparing *g, struct compare_library *library, struct compare_quantity *q,
                    size_t states[STATES])
{
    const struct compare_row *twin = row_of(g->c, &library->pair, TWIN);
    if (q->state == STATE_OFF && twin->name && compare_is_told(g->c, twin->name, q))
        q->state = STATE_TOLD;
    states[q->state]++;
    compare_add(g->c, &library->list, q);
}

static void compare_library(struct comparing *g, struct compare_library *library)
{
    struct comparison *c = g->c;
    const struct compare_row *row[SIDES] = {row_of(c, &library->pair, REAL), row_of(c, &library->pair, TWIN)};
    spread(g, row[REAL], REAL);
    spread(g, row[TWIN], TWIN);
    compare_edges(g, row[REAL], row[TWIN]);
    sum_up(g, row);
    if (!row[REAL] || !row[TWIN]) {
        c->libraries_off++;
        return;
    }
    struct compare_quantity q;
    bool sampled = row[REAL]->sampled || row[TWIN]->sampled;
    for (uint32_t i = 0; i < c->keys.count; i++) {
        if (!is_said(&g->column[g->order[i]]) && c->keys.of[g->order[i]].kind != COMPARE_SKIP)
            be_silent(&g->column[g->order[i]], &library->list);
        if (!is_said(&g->column[g->order[i]]) || !quantity_of(g, g->order[i], &q))
            continue;
        q.sampled = q.sampled && sampled;
        add_own(g, library, &q, g->column[g->order[i]].states);
    }
    for (int s = 0; s < COMPARE_SAMPLES; s++) {
        if (!compare_samples(row, (enum compare_sample)s, &q))
            continue;
        q.state = compare_distance_state(q.distance, q.method, g->tolerance);
        add_own(g, library, &q, g->sample_states[s]);
    }
    for (int s = 0; s < STATES; s++)
        c->library_states[s] += library->list.states[s];
    c->libraries_off += library->list.states[STATE_OFF] > 0;
}

/* ---- the set ---- */

bool compare_is_told_of_all(const struct comparison *c, const struct compare_quantity *q)
{
    const struct compare_pairs *pairs = &c->pairs;
    return q->libraries[STATE_TOLD] && !q->libraries[STATE_OFF] && !pairs->alone[REAL] && !pairs->alone[TWIN];
}

/* Adds a quantity of the set. Where it is off, and all that is off in libraries is told, it is told too. */
static void add_of_all(struct comparing *g, struct compare_quantity *q, const struct column *column)
{
    memcpy(q->libraries, column->states, sizeof q->libraries);
    q->silent = column->silents;
    if (q->state == STATE_OFF && compare_is_told_of_all(g->c, q))
        q->state = STATE_TOLD;
    compare_add(g->c, &g->c->set, q);
}

static void add_words(struct comparing *g, uint32_t key)
{
    for (size_t i = 0; i < g->words; i++) {
        const struct word_count *w = &g->word[i];
        if (w->key != key)
            continue;
        struct compare_quantity q = {.number = {w->count[REAL], w->count[TWIN]}};
        char name[256];
        snprintf(name, sizeof name, "%.120s: %.120s", g->c->keys.of[key].name, w->word);
        q.name = compare_text(g->c->compare, name);
        q.state = compare_number_state(q.number[REAL], q.number[TWIN], g->tolerance);
        add_of_all(g, &q, &g->column[key]);
    }
}

static void add_sums(struct comparing *g)
{
    for (uint32_t i = 0; i < g->c->keys.count; i++) {
        uint32_t key = g->order[i];
        struct column *column = &g->column[key];
        struct compare_quantity q;
        if (!column->compared)
            continue;
        if (g->c->keys.of[key].kind == COMPARE_WORD) {
            add_words(g, key);
            continue;
        }
        for (int s = 0; s < SIDES; s++)
            column->number[s] = column->sum[s];
        if (!quantity_of(g, key, &q))
            continue;
        q.sampled = column->sampled;
        add_of_all(g, &q, column);
    }
}

static void add_count(struct comparing *g, const char *name, uint64_t real, uint64_t twin)
{
    struct compare_quantity q = {.name = name, .number = {real, twin}};
    q.state = compare_number_state(real, twin, g->tolerance);
    if (real || twin)
        compare_add(g->c, &g->c->set, &q);
}

static void set_keys(struct comparing *g)
{
    struct comparison *c = g->c;
    g->same_libraries = compare_key(c->compare, &c->keys, "needed.same-libraries");
    g->same_order = compare_key(c->compare, &c->keys, "needed.same-order");
    g->same_symbols = compare_key(c->compare, &c->keys, "needed.same-symbols");
    g->order = report_must(calloc(c->keys.count + 1, sizeof *g->order));
    g->column = report_must(calloc(c->keys.count + 1, sizeof *g->column));
    for (uint32_t k = 0; k < c->keys.count; k++) {
        uint32_t at = k;
        for (; at > 0 && compare_key_order(&c->keys, g->order[at - 1], k) > 0; at--)
            g->order[at] = g->order[at - 1];
        g->order[at] = k;
    }
}

static bool is_size(const char *name)
{
    static const char *const sizes[] = {"text", "data", "bss", "debug", "symtab", "strtab"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (strcmp(sizes[i], name) == 0)
            return true;
    }
    return false;
}

/* Sums up a side, and finds which sums are known. */
static void sum_side(struct comparing *g, int s, uint64_t of_kind[2])
{
    const struct compare_side *side = &g->c->side[s];
    size_t rows = side->summary ? 1 : side->rows;
    size_t incomplete = 0;
    for (size_t i = 0; i < rows; i++) {
        const struct compare_row *row = side->summary ? &side->sums : &side->row[i];
        for (size_t j = 0; j < row->values; j++) {
            struct column *column = &g->column[row->value[j].key];
            column->sum[s] = add(column->sum[s], row->value[j].number);
            column->has[s] += !row->complete;
        }
        incomplete += !row->complete;
        of_kind[row->module]++;
    }
    for (uint32_t k = 0; k < g->c->keys.count; k++)
        g->column[k].known[s] = g->column[k].has[s] == incomplete;
    if (side->summary)
        memcpy(of_kind, side->of_kind, sizeof side->of_kind);
}

/* Adds the number of libraries of a kind, where both sides say it. */
static void add_kind(struct comparing *g, const char *name, bool module, uint64_t of_kind[SIDES][2])
{
    struct comparison *c = g->c;
    const struct column *kind = &g->column[compare_key(c->compare, &c->keys, "kind")];
    for (int s = 0; s < SIDES; s++) {
        if (c->side[s].summary ? c->side[s].says_kind[module] : kind->known[s])
            continue;
        if (of_kind[!s][module])
            compare_be_silent(c, name, s);
        return;
    }
    add_count(g, name, of_kind[REAL][module], of_kind[TWIN][module]);
}

/* For a profile without rows: compares the few sums that both sides have. Of the rest, only sizes that one side lacks
 * are named. */
static void compare_summary(struct comparing *g)
{
    struct comparison *c = g->c;
    uint64_t of_kind[SIDES][2] = {{0, 0}, {0, 0}};
    for (int s = 0; s < SIDES; s++)
        sum_side(g, s, of_kind[s]);
    add_kind(g, "kind: module", true, of_kind);
    add_kind(g, "kind: utility", false, of_kind);
    for (uint32_t i = 0; i < c->keys.count; i++) {
        struct compare_key *key = &c->keys.of[g->order[i]];
        struct column *column = &g->column[g->order[i]];
        column->compared = column->known[REAL] && column->known[TWIN];
        if (column->compared)
            continue;
        key->kind = COMPARE_SKIP;
        for (int s = 0; s < SIDES; s++) {
            if (!column->known[s] && column->sum[!s] && is_size(key->name))
                compare_be_silent(c, key->name, s);
        }
    }
    add_sums(g);
}

/* Whether some key with the same first part is compared: "dwarf" of "dwarf.dies". */
static bool is_compared_in_part(const struct comparing *g, const char *name)
{
    size_t top = strcspn(name, ".");
    for (uint32_t k = 0; k < g->c->keys.count; k++) {
        const char *other = g->c->keys.of[k].name;
        if (strcspn(other, ".") == top && strncmp(other, name, top) == 0 && g->column[k].compared)
            return true;
    }
    return false;
}

/* Notes the keys that no pair says on both sides. */
static void list_silent(struct comparing *g)
{
    struct comparison *c = g->c;
    for (uint32_t i = 0; i < c->keys.count; i++) {
        const struct column *column = &g->column[g->order[i]];
        const char *name = c->keys.of[g->order[i]].name;
        char top[32];
        if (column->silents == 0 || column->compared)
            continue;
        snprintf(top, sizeof top, "%.*s", (int)strcspn(name, "."), name);
        compare_be_silent(c, is_compared_in_part(g, name) ? name : compare_text(c->compare, top), column->silent);
    }
}

static void compare_rows(struct comparing *g)
{
    struct comparison *c = g->c;
    g->place = report_must(malloc((c->side[TWIN].rows + 1) * sizeof *g->place));
    memset(g->place, 0xff, (c->side[TWIN].rows + 1) * sizeof *g->place);
    compare_skip_unknown(c);
    c->library = report_must(calloc(c->pairs.count + 1, sizeof *c->library));
    for (size_t i = 0; i < c->pairs.count; i++) {
        c->library[i].pair = c->pairs.of[i];
        compare_library(g, &c->library[i]);
    }
    list_silent(g);
    add_count(g, "libraries", c->side[REAL].rows, c->side[TWIN].rows);
    add_sums(g);
    compare_distributions(c, g->sample_states);
}

void compare_quantities(struct comparison *c)
{
    struct comparing g = {.c = c, .tolerance = c->compare->options.tolerance};
    set_keys(&g);
    if (c->side[REAL].summary || c->side[TWIN].summary)
        compare_summary(&g);
    else
        compare_rows(&g);
    free(g.order);
    free(g.column);
    free(g.word);
    free(g.place);
}

bool compare_agrees(const struct comparison *c)
{
    const size_t told = c->set.states[STATE_TOLD] + c->library_states[STATE_TOLD];
    return c->set.states[STATE_OFF] == 0 && c->libraries_off == 0 && (c->compare->options.told || !told);
}

const char *compare_library_name(const struct comparison *c, int side, uint32_t row, char text[32])
{
    if (row == COMPARE_NOBODY)
        return "-";
    if (c->side[side].row[row].name)
        return c->side[side].row[row].name;
    snprintf(text, 32, "%u", row);
    return text;
}
