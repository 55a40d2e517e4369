/* Which pictures the page has, and what they show; see html.h. */
#include <stdlib.h>
#include <string.h>

#include "tools/compare/html.h"

/* ---- shares ---- */

/* Whether a quantity below "relocations." counts something else, or counts some relocations again. */
static bool is_aside(const char *name)
{
    static const char *const aside[] = {"relocations.symbols", "relocations.pages", "relocations.relro"};
    for (size_t i = 0; i < sizeof aside / sizeof aside[0]; i++)
        if (strcmp(name, aside[i]) == 0)
            return true;
    return false;
}

/* Draws the quantities of the set below a key such as "mix.". */
static void put_group(FILE *to, const struct comparison *c, const char *group, const char *title)
{
    struct html_bar *bar = report_must(calloc(c->set.count + 1, sizeof *bar));
    size_t count = 0;
    for (size_t i = 0; i < c->set.count; i++) {
        const struct compare_quantity *q = &c->set.of[i];
        if (q->type != TYPE_NUMBER || strncmp(q->name, group, strlen(group)) != 0 || is_aside(q->name))
            continue;
        bar[count++] = (struct html_bar){q->name + strlen(group), {q->number[REAL], q->number[TWIN]}};
    }
    html_bars(to, title, bar, count, 16);
    free(bar);
}

static void put_tally(FILE *to, const struct comparison *c, enum compare_tally_of of, const char *title)
{
    struct compare_joined *joined;
    size_t count = compare_join(c->side, of, &joined);
    struct html_bar *bar = report_must(calloc(count + 1, sizeof *bar));
    for (size_t i = 0; i < count; i++)
        bar[i] = (struct html_bar){joined[i].name, {joined[i].count[REAL], joined[i].count[TWIN]}};
    html_bars(to, title, bar, count, 12);
    free(bar);
    free(joined);
}

/* ---- sizes ---- */

/* The number of a row; false where it is unknown. */
static bool find_number(const struct comparison *c, const struct compare_row *row, const char *key, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < row->values; i++) {
        if (strcmp(c->keys.of[row->value[i].key].name, key) == 0) {
            *number = row->value[i].number;
            return true;
        }
    }
    return row->complete;
}

static void put_sizes(FILE *to, const struct comparison *c, const char *key)
{
    struct html_point *point = report_must(calloc(c->pairs.count + 1, sizeof *point));
    char(*label)[SIDES][32] = report_must(calloc(c->pairs.count + 1, sizeof *label));
    char title[64];
    snprintf(title, sizeof title, "%s, bytes", key);
    for (size_t i = 0; i < c->pairs.count; i++) {
        for (int s = 0; s < SIDES; s++) {
            uint32_t row = c->pairs.of[i].of[s];
            point[i].label[s] = compare_library_name(c, s, row, label[i][s]);
            point[i].has[s] = row != COMPARE_NOBODY && find_number(c, &c->side[s].row[row], key, &point[i].number[s]);
        }
    }
    html_points(to, title, point, c->pairs.count);
    free(point);
    free(label);
}

/* ---- the graph ---- */

static void put_degree(FILE *to, const struct comparison *c, bool inward, const char *title)
{
    struct histogram h[SIDES];
    memset(h, 0, sizeof h);
    for (int s = 0; s < SIDES; s++) {
        uint32_t *degree = compare_degrees(&c->side[s], inward);
        for (size_t i = 0; i < c->side[s].rows; i++)
            h[s].count[histogram_bucket(degree[i])]++;
        free(degree);
    }
    html_distribution(to, title, "libraries", "libraries", h);
}

static void put_samples(FILE *to, const struct comparison *c, enum compare_sample of, const char *title,
                        const char *unit, const char *of_what)
{
    const struct histogram h[SIDES] = {c->side[REAL].histogram[of], c->side[TWIN].histogram[of]};
    html_distribution(to, title, unit, of_what, h);
}

/* ---- parts of the page ---- */

static void put_all_sizes(FILE *to, const struct comparison *c)
{
    static const char *const sizes[] = {"text", "data", "bss", "debug", "symtab", "strtab"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        put_sizes(to, c, sizes[i]);
}

static void put_distributions(FILE *to, const struct comparison *c)
{
    put_samples(to, c, SAMPLE_FUNCTIONS, "Sizes of functions", "bytes", "functions");
    put_samples(to, c, SAMPLE_NAMES, "Lengths of names", "characters", "names");
}

static void put_graph(FILE *to, const struct comparison *c)
{
    if (!compare_has_graph(&c->side[REAL]) || !compare_has_graph(&c->side[TWIN]))
        return;
    put_degree(to, c, false, "Libraries that each one needs");
    put_degree(to, c, true, "Libraries that need each one");
}

static void put_shares(FILE *to, const struct comparison *c)
{
    put_group(to, c, "mix.", "Debug sections, % of their bytes");
    put_group(to, c, "share.", "What text consists of, % of bytes");
    put_group(to, c, "relocations.", "Relocations, % by type");
    put_tally(to, c, TALLY_TAGS, "Tags of debug information, % of entries");
    put_tally(to, c, TALLY_FORMS, "Forms, % of attributes");
}

/* Writes a heading and the pictures below it; nothing where there are no pictures, because neither side says what they
 * show. */
static void put_part(FILE *to, const struct comparison *c, const char *heading, const char *grid,
                     void (*put)(FILE *to, const struct comparison *c))
{
    char *text = NULL;
    size_t size = 0;
    FILE *part = report_must(open_memstream(&text, &size));
    put(part, c);
    if (fclose(part) != 0)
        report_must(NULL);
    if (size > 0)
        fprintf(to, "<h2>%s</h2>\n<div class=\"%s\">\n%s</div>\n", heading, grid, text);
    free(text);
}

void html_pictures(FILE *to, const struct comparison *c)
{
    if (!c->library)
        return;
    put_part(to, c, "Sizes of each library", "pictures", put_all_sizes);
    put_part(to, c, "Distributions", "pairs", put_distributions);
    put_part(to, c, "Graph of DT_NEEDED", "pairs", put_graph);
    put_part(to, c, "Shares", "pictures", put_shares);
}
