/* The page of pyelfstat --compare: its text and its pictures.
 *
 * It is one file that needs nothing else. It has no script, forbids itself the network, and has its pictures as SVG.
 * Colours follow the reader's choice of light or dark; words or shapes always say the same as a colour.
 *
 * Names come from files, so every text that is not a literal of ours goes through html_text.
 */
#ifndef TOOLS_COMPARE_HTML_H
#define TOOLS_COMPARE_HTML_H

#include <stdio.h>

#include "tools/compare/compare.h"

/* Writes a text that is safe between tags and in attributes. */
void html_text(FILE *to, const char *text);

/* Writes 1234567 with a narrow space before every three digits. */
void html_number(FILE *to, uint64_t number);

/* Draws items as pairs of bars, one for each side's share, largest first. The first `most` items have bars of their
 * own; the rest share one. Sorts `bar`. */
struct html_bar {
    const char *name;
    uint64_t number[SIDES];
};
void html_bars(FILE *to, const char *title, struct html_bar *bar, size_t count, size_t most);

/* Draws two distributions twice: as shares in buckets, and cumulated. `unit` is the unit of the values, `of` names what
 * has them. */
void html_distribution(FILE *to, const char *title, const char *unit, const char *of, const struct histogram h[SIDES]);

/* Draws two points for each pair of libraries, ordered by the size of the real one. `label` has names that are fit to
 * be shown. Sorts `point`. */
struct html_point {
    const char *label[SIDES];
    uint64_t number[SIDES];
    bool has[SIDES];
};
void html_points(FILE *to, const char *title, struct html_point *point, size_t count);

/* All pictures of a comparison. */
void html_pictures(FILE *to, const struct comparison *c);

#endif
