/* The page of pyelfstat --compare: its text and its pictures.
 *
 * One file that needs nothing else: no script, no network, which it forbids itself,
 * and pictures in SVG. Colours follow the reader's choice of light or dark; whatever
 * a colour says is said in words or shape, too.
 *
 * Names come from files: everything that is not a word of ours goes through html_text.
 */
#ifndef TOOLS_COMPARE_HTML_H
#define TOOLS_COMPARE_HTML_H

#include <stdio.h>

#include "tools/compare.h"

/* Text as it may stand between tags and in attributes. */
void html_text(FILE *to, const char *text);

/* 1234567 with narrow spaces between every three digits. */
void html_number(FILE *to, uint64_t number);

/* A list of items with a number on either side, as pairs of bars, largest first; at
 * most `most`, and all behind them as one. */
struct html_bar {
    const char *name;
    uint64_t number[SIDES];
};
void html_bars(FILE *to, const char *title, struct html_bar *bar, size_t count, size_t most);

/* Two distributions, by shares in buckets and as cumulated; `unit` is that of values,
 * `of` what has them. */
void html_distribution(FILE *to, const char *title, const char *unit, const char *of, const struct histogram h[SIDES]);

/* A point for each pair of libraries, by the size of the real one. `label` has the
 * names as they may be shown. */
struct html_point {
    const char *label[SIDES];
    uint64_t number[SIDES];
    bool has[SIDES];
};
void html_points(FILE *to, const char *title, struct html_point *point, size_t count);

/* All pictures of a comparison. */
void html_pictures(FILE *to, const struct comparison *c);

#endif
