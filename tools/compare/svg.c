/* The pictures of the page; see html.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/html.h"

/* WIDTH to HEIGHT are in the pictures' own units, roughly pixels. */
enum { FEW = 80 }; /* libraries that can be drawn one by one */
enum { WIDTH = 420, LEFT = 46, RIGHT = 410, TOP = 10, BOTTOM = 150, HEIGHT = 184 };

static const char *const side_names[SIDES] = {"real", "twin"};

static void begin(FILE *to, const char *title, int height)
{
    fprintf(to, "<figure><figcaption>");
    html_text(to, title);
    fprintf(to, "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, height);
    html_text(to, title);
    fputs("\">\n", to);
}

static void end(FILE *to)
{
    fputs("</svg></figure>\n", to);
}

/* A number in few characters: 12k, 3.4M. */
static const char *brief(double value, char text[16])
{
    static const char units[] = " kMGTPE";
    size_t unit = 0;
    for (; value >= 999.5 && units[unit + 1]; unit++)
        value /= 1000;
    int digits = value >= 9.95 || value == floor(value) ? 0 : 1;
    snprintf(text, 16, unit ? "%.*f%c" : "%.*f", digits, value, units[unit]);
    return text;
}

static void grid_line(FILE *to, double y, const char *label)
{
    fprintf(to, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" class=\"end\">%s</text>\n", LEFT, y,
            RIGHT, LEFT - 5, y + 3.5, label);
}

/* ---- bars ---- */

static uint64_t larger(const struct html_bar *bar)
{
    return bar->number[REAL] > bar->number[TWIN] ? bar->number[REAL] : bar->number[TWIN];
}

static int compare_bars(const void *a, const void *b)
{
    const struct html_bar *x = a;
    const struct html_bar *y = b;
    if (larger(x) != larger(y))
        return larger(x) < larger(y) ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void put_bar(FILE *to, const struct html_bar *bar, const double all[SIDES], double most, double y)
{
    enum { FROM = 182, TO = 360, THICK = 8 }; /* GNU_template_parameter_pack takes 176 */
    char text[16];
    fprintf(to, "<text x=\"%d\" y=\"%.1f\" class=\"end\">", FROM - 6, y + THICK + 4);
    html_text(to, bar->name);
    fputs("</text>\n", to);
    for (int s = 0; s < SIDES; s++) {
        if (all[s] <= 0)
            continue; /* the side has none, or does not say it */
        double share = (double)bar->number[s] / all[s];
        double at = y + s * (THICK + 1);
        double length = most > 0 ? share / most * (TO - FROM) : 0;
        fprintf(to, "<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"><title>%s: ", side_names[s],
                FROM, at, length > 0.5 || share == 0 ? length : 0.5, THICK, side_names[s]);
        html_text(to, bar->name);
        fprintf(to, " %s, %.2f %%</title></rect><text class=\"tiny\" x=\"%.1f\" y=\"%.1f\">%.1f %%</text>\n",
                brief((double)bar->number[s], text), 100 * share, FROM + length + 4, at + THICK - 0.5, 100 * share);
    }
}

void html_bars(FILE *to, const char *title, struct html_bar *bar, size_t count, size_t most)
{
    enum { STEP = 23 };
    double all[SIDES] = {0, 0};
    double longest = 0;
    struct html_bar rest = {.name = "others"};
    qsort(bar, count, sizeof *bar, compare_bars);
    while (count > 0 && larger(&bar[count - 1]) == 0)
        count--;
    size_t shown = count > most ? most : count;
    for (size_t i = 0; i < count; i++) {
        for (int s = 0; s < SIDES; s++) {
            all[s] += (double)bar[i].number[s];
            rest.number[s] += i >= shown ? bar[i].number[s] : 0;
        }
    }
    for (size_t i = 0; i < shown; i++) {
        for (int s = 0; s < SIDES; s++)
            longest = all[s] > 0 ? fmax(longest, (double)bar[i].number[s] / all[s]) : longest;
    }
    if (shown == 0)
        return;
    for (int s = 0; s < SIDES; s++)
        longest = all[s] > 0 ? fmax(longest, (double)rest.number[s] / all[s]) : longest;
    begin(to, title, (int)(shown + (count > shown)) * STEP + 8);
    for (size_t i = 0; i < shown; i++)
        put_bar(to, &bar[i], all, longest, 4 + (double)(i * STEP));
    if (count > shown)
        put_bar(to, &rest, all, longest, 4 + (double)(shown * STEP));
    end(to);
}

/* ---- distributions ---- */

struct range {
    unsigned first, last; /* buckets; last is behind the range */
};

static struct range range_of(const struct histogram h[SIDES])
{
    enum { LEAST = 6 };
    struct range r = {HISTOGRAM_BUCKETS, 0};
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
        if (h[REAL].count[b] || h[TWIN].count[b]) {
            r.first = b < r.first ? b : r.first;
            r.last = b + 1;
        }
    }
    if (r.first < r.last && r.last - r.first < LEAST)
        r.last = r.first + LEAST < HISTOGRAM_BUCKETS ? r.first + LEAST : HISTOGRAM_BUCKETS;
    return r;
}

enum { TICKS_MOST = 32 };
struct ticks {
    double x[TICKS_MOST];
    size_t count;
};

static double bucket_x(const struct range *r, double bucket)
{
    return LEFT + (bucket - r->first) / (double)(r->last - r->first) * (RIGHT - LEFT);
}

/* Draws a tick at a value, unless it would be too close to another. */
static void put_tick(FILE *to, const struct range *r, uint64_t value, struct ticks *t)
{
    enum { ROOM = 28 };
    char text[16];
    unsigned bucket = histogram_bucket(value);
    if (bucket < r->first || bucket >= r->last || t->count == TICKS_MOST)
        return;
    double least = (double)histogram_least(bucket);
    double width = (double)histogram_least(bucket + 1) - least;
    double x = bucket_x(r, bucket + ((double)value - least) / width);
    for (size_t i = 0; i < t->count; i++) {
        if (fabs(x - t->x[i]) < ROOM)
            return;
    }
    if (x > RIGHT - 12)
        return;
    t->x[t->count++] = x;
    fprintf(to, "<path class=\"axis\" d=\"M%.1f %dv4\"/><text class=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>\n", x,
            BOTTOM, x, BOTTOM + 15, brief((double)value, text));
}

/* Draws powers of ten first, and then 2 and 5 times these where there is room. */
static void put_ticks(FILE *to, const struct range *r, const char *unit)
{
    static const unsigned firsts[] = {1, 2, 5};
    struct ticks t = {.count = 0};
    put_tick(to, r, 0, &t);
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        for (uint64_t value = firsts[i]; value <= 1000000000000; value *= 10)
            put_tick(to, r, value, &t);
    }
    fprintf(to, "<path class=\"axis\" d=\"M%d %dH%d\"/><text class=\"end\" x=\"%d\" y=\"%d\">%s</text>\n", LEFT, BOTTOM,
            RIGHT, RIGHT, BOTTOM + 28, unit);
}

static double sum_of(const struct histogram *h)
{
    double sum = 0;
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
        sum += (double)h->count[b];
    return sum;
}

/* Draws one side: a share for each bucket, with vertical steps between buckets. */
static void put_curve(FILE *to, const struct range *r, const struct histogram *h, int side, double top, bool cumulated)
{
    double all = sum_of(h);
    double below = 0;
    if (all == 0)
        return;
    fprintf(to, "<path class=\"curve %s%s\" d=\"M%.1f %d", cumulated ? "line " : "area ", side_names[side],
            bucket_x(r, r->first), BOTTOM);
    for (unsigned b = r->first; b < r->last; b++) {
        double share = (double)h->count[b] / all;
        below += share;
        double y = BOTTOM - (cumulated ? below : share) / top * (BOTTOM - TOP);
        fprintf(to, "V%.1fH%.1f", y, bucket_x(r, b + 1));
    }
    if (!cumulated)
        fprintf(to, "V%dZ", BOTTOM);
    fprintf(to, "\"><title>%s, %.0f items</title></path>\n", side_names[side], all);
}

static double highest_share(const struct histogram h[SIDES])
{
    double highest = 0;
    for (int s = 0; s < SIDES; s++) {
        double all = sum_of(&h[s]);
        for (unsigned b = 0; all > 0 && b < HISTOGRAM_BUCKETS; b++)
            highest = fmax(highest, (double)h[s].count[b] / all);
    }
    return highest;
}

/* Marks where the cumulated curves are farthest apart. */
static void put_gap(FILE *to, const struct range *r, const struct histogram h[SIDES])
{
    const double all[SIDES] = {sum_of(&h[REAL]), sum_of(&h[TWIN])};
    double below[SIDES] = {0, 0};
    double most = 0, from = 0, up_to = 0;
    unsigned at = r->first;
    if (all[REAL] == 0 || all[TWIN] == 0)
        return;
    for (unsigned b = r->first; b < r->last; b++) {
        for (int s = 0; s < SIDES; s++)
            below[s] += (double)h[s].count[b] / all[s];
        if (fabs(below[REAL] - below[TWIN]) > most) {
            most = fabs(below[REAL] - below[TWIN]);
            from = below[REAL];
            up_to = below[TWIN];
            at = b;
        }
    }
    if (most < 0.0005)
        return;
    double x = bucket_x(r, at + 1);
    double y[SIDES] = {BOTTOM - from * (BOTTOM - TOP), BOTTOM - up_to * (BOTTOM - TOP)};
    /* Below the curves, which all end at the top right. */
    fprintf(
        to,
        "<path class=\"gap\" d=\"M%.1f %.1fV%.1f\"/><text class=\"end\" x=\"%d\" y=\"%d\">at most %.3f apart</text>\n",
        x, y[REAL], y[TWIN], RIGHT - 4, BOTTOM - 8, most);
}

/* A round number at or above the highest share, whose half has few digits as well. */
static double round_up(double highest)
{
    static const double steps[] = {0.1, 0.2, 0.4, 0.6, 0.8, 1};
    double power = pow(10, ceil(log10(highest)));
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (highest <= steps[i] * power * (1 + 1e-9))
            return steps[i] * power;
    }
    return power;
}

void html_distribution(FILE *to, const char *title, const char *unit, const char *of, const struct histogram h[SIDES])
{
    const struct range r = range_of(h);
    char text[32], caption[160];
    if (r.first >= r.last)
        return;
    double highest = round_up(highest_share(h));
    snprintf(caption, sizeof caption, "%s, %% of %s", title, of);
    begin(to, caption, HEIGHT);
    for (int i = 0; i <= 2; i++) {
        snprintf(text, sizeof text, "%.3g %%", 100 * highest * i / 2);
        grid_line(to, BOTTOM - (double)(BOTTOM - TOP) * i / 2, text);
    }
    put_curve(to, &r, &h[REAL], REAL, highest, false);
    put_curve(to, &r, &h[TWIN], TWIN, highest, false);
    put_ticks(to, &r, unit);
    end(to);
    snprintf(caption, sizeof caption, "%s, cumulated, %% of %s", title, of);
    begin(to, caption, HEIGHT);
    for (int i = 0; i <= 2; i++) {
        snprintf(text, sizeof text, "%d %%", 50 * i);
        grid_line(to, BOTTOM - (double)(BOTTOM - TOP) * i / 2, text);
    }
    put_curve(to, &r, &h[REAL], REAL, 1, true);
    put_curve(to, &r, &h[TWIN], TWIN, 1, true);
    put_gap(to, &r, h);
    put_ticks(to, &r, unit);
    end(to);
}

/* ---- sizes ---- */

static int compare_points(const void *a, const void *b)
{
    const struct html_point *x = a;
    const struct html_point *y = b;
    if (x->has[REAL] != y->has[REAL])
        return x->has[REAL] ? -1 : 1;
    int side = x->has[REAL] ? REAL : TWIN;
    return x->number[side] > y->number[side] ? -1 : x->number[side] < y->number[side];
}

struct scale {
    double low, high; /* powers of ten */
};

static double scale_y(const struct scale *s, double number)
{
    if (number <= 0)
        return BOTTOM;
    return BOTTOM - 8 - (log10(number) - s->low) / (s->high - s->low) * (BOTTOM - 8 - TOP);
}

static struct scale scale_of(const struct html_point *point, size_t count)
{
    struct scale s = {20, 0};
    for (size_t i = 0; i < count; i++) {
        for (int side = 0; side < SIDES; side++) {
            if (!point[i].has[side] || point[i].number[side] == 0)
                continue;
            double power = log10((double)point[i].number[side]);
            s.low = fmin(s.low, floor(power));
            s.high = fmax(s.high, ceil(power));
        }
    }
    if (s.high <= s.low)
        s.high = s.low + 1;
    return s;
}

/* Few libraries are squares and rings; many are dots on a band. */
static void put_point(FILE *to, const struct html_point *p, int side, double x, double y, bool many)
{
    if (side == REAL)
        fprintf(to, "<rect class=\"real\" x=\"%.1f\" y=\"%.1f\" width=\"5\" height=\"5\">", x - 2.5, y - 2.5);
    else
        fprintf(to, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\">", many ? "dot" : "ring", x, y,
                many ? "1.3" : "3.6");
    fputs("<title>", to);
    for (int s = 0; s < SIDES; s++) {
        if (!p->has[s])
            continue;
        fprintf(to, "%s%s ", s == TWIN && p->has[REAL] ? "; " : "", side_names[s]);
        html_text(to, p->label[s]);
        fputs(": ", to);
        html_number(to, p->number[s]);
    }
    fputs(side == REAL ? "</title></rect>\n" : "</title></circle>\n", to);
}

static void put_points(FILE *to, const struct html_point *point, size_t count, size_t step, const struct scale *s)
{
    bool many = count / step > FEW;
    for (int side = 0; side < SIDES; side++) {
        bool band = many && side == REAL;
        const char *verb = "M";
        if (band)
            fputs("<path class=\"band\" d=\"", to);
        for (size_t i = 0; i < count; i += step) {
            double x = LEFT + 6 + (double)i / (double)(count > 1 ? count - 1 : 1) * (RIGHT - LEFT - 12);
            double y = scale_y(s, (double)point[i].number[side]);
            if (!point[i].has[side])
                continue;
            if (band)
                fprintf(to, "%s%.1f %.1f", verb, x, y);
            else
                put_point(to, &point[i], side, x, y, many);
            verb = "L";
        }
        if (band)
            fputs("\"><title>real</title></path>\n", to);
    }
}

void html_points(FILE *to, const char *title, struct html_point *point, size_t count)
{
    enum { SHOWN_MOST = 500 };
    const struct scale s = scale_of(point, count);
    char text[160], number[16];
    if (s.low >= 20)
        return;
    qsort(point, count, sizeof *point, compare_points);
    size_t step = (count + SHOWN_MOST - 1) / SHOWN_MOST;
    snprintf(text, sizeof text, step > 1 ? "%s, one library of %zu" : "%s", title, step);
    begin(to, text, HEIGHT);
    double every = ceil((s.high - s.low) / 4);
    for (double power = s.low; power <= s.high; power += every)
        grid_line(to, scale_y(&s, pow(10, power)), brief(pow(10, power), number));
    fprintf(
        to,
        "<path class=\"axis\" d=\"M%d %dH%d\"/><text class=\"end\" x=\"%d\" y=\"%d\">%zu %s, largest first%s</text>\n",
        LEFT, BOTTOM, RIGHT, RIGHT, BOTTOM + 15, count, count == 1 ? "library" : "libraries",
        count / step > FEW ? "; band: real, dots: twin" : "");
    put_points(to, point, count, step, &s);
    end(to);
}
