/* The comparison as a page; see html.h. */
#include "tools/compare/html.h"

#include <stdlib.h>

#include "base/result_file.h"
#include "base/version.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n";

static const char style[] =
    "<style>\n"
    ":root { color-scheme: light dark; --page: #fcfcfb; --ink: #1c1c1a; --soft: #5b5a55; --line: #deddd8;\n"
    "  --real: #2a78d6; --twin: #c2500f; --off: #b3261e; --within: #7a5600; --equal: #23703a; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  :root { --page: #1a1a19; --ink: #f0efeb; --soft: #b5b3ab; --line: #3d3c38;\n"
    "    --real: #5d9fe8; --twin: #f08a4b; --off: #ff8a80; --within: #e6b450; --equal: #7ccf92; } }\n"
    "body { background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; margin: 0 auto;\n"
    "  max-width: 76rem; padding: 1rem 1.25rem 3rem; overflow-wrap: anywhere; }\n"
    "h1 { font-size: 1.5rem; margin: .5rem 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }\n"
    ".pictures { display: grid; gap: 1rem 1.5rem; grid-template-columns: repeat(auto-fill, minmax(21rem, 1fr)); }\n"
    ".pairs { display: grid; gap: 1rem 1.5rem; grid-template-columns: repeat(auto-fill, minmax(24rem, 30rem)); }\n"
    "@media (max-width: 34rem) { .pictures, .pairs { grid-template-columns: 1fr; } }\n"
    "figure { margin: 0; } figcaption { font-weight: 600; font-size: .9rem; } svg { display: block; width: 100%; }\n"
    "svg text { font-size: 11px; fill: var(--soft); } svg .tiny { font-size: 9px; }\n"
    ".end { text-anchor: end; } .middle { text-anchor: middle; }\n"
    ".grid { stroke: var(--line); } .axis { stroke: var(--soft); } .gap { stroke: var(--ink); stroke-width: 2; }\n"
    "rect.real { fill: var(--real); } rect.twin { fill: var(--twin); }\n"
    ".ring { fill: none; stroke: var(--twin); stroke-width: 1.3; }\n"
    ".band { fill: none; stroke: var(--real); stroke-width: 7; stroke-opacity: .35; stroke-linejoin: round; }\n"
    ".dot { fill: var(--twin); }\n"
    ".curve { fill: none; stroke-width: 1.6; stroke-linejoin: round; }\n"
    ".curve.real { stroke: var(--real); } .area.real { fill: var(--real); fill-opacity: .18; }\n"
    ".curve.twin { stroke: var(--twin); stroke-dasharray: 5 2; }\n"
    ".key { display: inline-block; width: .8em; height: .8em; margin-right: .3em; }\n"
    ".key.real { background: var(--real); } .key.twin { border: 2px solid var(--twin); border-radius: 50%;\n"
    "  box-sizing: border-box; }\n"
    ".wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }\n"
    "th, td { border-bottom: 1px solid var(--line); padding: .15rem .7rem .15rem 0; text-align: right;\n"
    "  vertical-align: top; white-space: nowrap; } th { font-weight: 600; } th:first-child, td:first-child { "
    "text-align: left; }\n"
    "th[scope=row] { font-weight: 400; }\n"
    ".off { color: var(--off); font-weight: 600; } .told { color: var(--off); } .within { color: var(--within); } "
    ".equal { color: var(--equal); }\n"
    ".totals { display: flex; flex-wrap: wrap; gap: .5rem 2rem; padding: 0; list-style: none; }\n"
    ".libraries { padding: 0; list-style: none; } .libraries li { padding: .15rem 0; }\n"
    "summary { cursor: pointer; } footer { color: var(--soft); margin-top: 2rem; font-size: .85rem; }\n"
    "</style>\n";

/* ---- tables ---- */

static void put_cell(FILE *to, const struct compare_quantity *q, int side)
{
    fputs("<td>", to);
    if (q->type == TYPE_WORD)
        html_text(to, q->word[side]);
    else if (q->type == TYPE_DISTANCE && q->number[side] == 0)
        fputs("–", to);
    else
        html_number(to, q->number[side]);
    fputs("</td>", to);
}

/* Writes a number's difference with its digits in groups; `text` gives the sign. Other types are written as `text`. */
static void put_difference(FILE *to, const struct compare_quantity *q, const char *text)
{
    const uint64_t real = q->number[REAL], twin = q->number[TWIN];
    if (q->type != TYPE_NUMBER) {
        fputs(text, to);
        return;
    }
    if (*text == '-' || *text == '+')
        putc(*text, to);
    html_number(to, twin < real ? real - twin : twin - real);
}

static void put_quantity(FILE *to, const struct compare_quantity *q, bool of_set)
{
    char difference[COMPARE_CELL], share[COMPARE_CELL];
    compare_difference_text(q, difference, share);
    fputs("<tr><th scope=\"row\">", to);
    html_text(to, q->name);
    fprintf(to, "%s</th><td class=\"%s\">%s</td>", q->sampled ? " ~" : "", compare_state_names[q->state],
            compare_state_names[q->state]);
    put_cell(to, q, REAL);
    put_cell(to, q, TWIN);
    fputs("<td>", to);
    put_difference(to, q, difference);
    fprintf(to, "</td><td>%s</td>", share);
    const bool of_any = compare_all(q->libraries) > 0;
    for (int s = 0; of_set && s < STATES; s++) {
        fputs("<td>", to);
        if (of_any)
            fprintf(to, "%zu", q->libraries[s]);
        fputs("</td>", to);
    }
    if (of_set && q->silent)
        fprintf(to, "<td>%zu not compared</td>", q->silent);
    fputs("</tr>\n", to);
}

static void put_table(FILE *to, const struct compare_list *list, enum compare_state first, enum compare_state last,
                      bool of_set)
{
    fprintf(to,
            "<div class=\"wide\"><table><thead><tr><th>quantity</th><th>state</th><th>real</th><th>twin</th>"
            "<th>difference</th><th>relative</th>%s</tr></thead><tbody>\n",
            of_set ? "<th>libraries equal</th><th>within</th><th>told</th><th>off</th>" : "");
    for (int state = (int)first; state >= (int)last; state--) {
        for (size_t i = 0; i < list->count; i++) {
            if (list->of[i].state == (enum compare_state)state)
                put_quantity(to, &list->of[i], of_set);
        }
    }
    fputs("</tbody></table></div>\n", to);
}

static void put_set(FILE *to, const struct comparison *c)
{
    fputs("<h2>The set</h2>\n", to);
    const bool differs = compare_all(c->set.states) > c->set.states[STATE_EQUAL];
    if (differs)
        put_table(to, &c->set, STATE_OFF, STATE_WITHIN, true);
    fprintf(to, "<details%s><summary>%zu %s equal</summary>\n", differs ? "" : " open", c->set.states[STATE_EQUAL],
            c->set.states[STATE_EQUAL] == 1 ? "quantity that is" : "quantities that are");
    put_table(to, &c->set, STATE_EQUAL, STATE_EQUAL, true);
    fputs("</details>\n", to);
}

/* How many quantities are in each state, in words. */
static void put_states(FILE *to, const size_t states[STATES])
{
    for (int s = 0; s < STATES; s++)
        fprintf(to, "%s<span%s%s%s>%zu %s</span>", s ? ", " : "", states[s] ? " class=\"" : "",
                states[s] ? compare_state_names[s] : "", states[s] ? "\"" : "", states[s], compare_state_names[s]);
}

static void put_library(FILE *to, const struct comparison *c, const struct compare_library *library)
{
    char text[32];
    const struct compare_list *list = &library->list;
    const bool differs = compare_all(list->states) > list->states[STATE_EQUAL];
    fputs(differs ? "<li><details><summary>" : "<li>", to);
    fputs("<span class=\"name\">", to);
    html_text(to, compare_library_name(c, REAL, library->pair.of[REAL], text));
    fputs("</span> and <span class=\"name\">", to);
    html_text(to, compare_library_name(c, TWIN, library->pair.of[TWIN], text));
    fputs("</span>: ", to);
    if (compare_is_alone(library))
        fputs("<span class=\"off\">without match</span>", to);
    else
        put_states(to, list->states);
    if (list->silent)
        fprintf(to, ", %zu not compared", list->silent);
    if (differs) {
        fputs("</summary>\n", to);
        put_table(to, list, STATE_OFF, STATE_WITHIN, false);
        fputs("</details>", to);
    }
    fputs("</li>\n", to);
}

static void put_libraries(FILE *to, const struct comparison *c)
{
    if (!c->library)
        return;
    fprintf(to,
            "<h2>Each library</h2>\n<p>%zu matched, %zu of them by name; %zu only real, %zu only twin.</p>\n"
            "<ul class=\"libraries\">\n",
            c->pairs.matched, c->pairs.by_name, c->pairs.alone[REAL], c->pairs.alone[TWIN]);
    for (size_t i = 0; i < c->pairs.count; i++)
        put_library(to, c, &c->library[i]);
    fputs("</ul>\n", to);
}

/* ---- the top ---- */

static void put_total(FILE *to, const char *of, const size_t states[STATES])
{
    fprintf(to, "<li>%s: ", of);
    put_states(to, states);
    fputs("</li>\n", to);
}

static void put_side(FILE *to, const struct comparison *c, int side)
{
    static const char *const names[SIDES] = {"real", "twin"};
    const struct compare_side *s = &c->side[side];
    fprintf(to, "<li><span class=\"key %s\"></span>%s: ", names[side], names[side]);
    html_text(to, s->path);
    if (s->summary)
        fputs(", a profile without libraries</li>\n", to);
    else
        fprintf(to, ", %zu %s%s</li>\n", s->rows, s->rows == 1 ? "library" : "libraries",
                s->profile ? ", as a profile says" : "");
}

static void put_top(FILE *to, const struct comparison *c)
{
    fputs("<h1>An application and its twin</h1>\n<ul class=\"totals\">\n", to);
    put_side(to, c, REAL);
    put_side(to, c, TWIN);
    fputs("</ul>\n<ul class=\"totals\">\n", to);
    put_total(to, "quantities of the set", c->set.states);
    if (c->library)
        put_total(to, "of each library", c->library_states);
    fprintf(
        to,
        "</ul>\n<p>Within is what differs by at most %g %%, or, of distributions, has a Kolmogorov-Smirnov distance "
        "below %g. What zstd makes of a part, and how unlike units are in size (dwarf.uneven), may differ by five "
        "times as much. Told is off, and the twin's differences.json says so, with both numbers. ~ is an estimate from "
        "a part of the debug information.</p>\n",
        100 * c->compare->options.tolerance, c->compare->options.tolerance);
    const struct compare_options *o = &c->compare->options;
    for (size_t i = 0; i < o->withouts; i++) {
        fputs(i ? ", " : "<p>Not compared, as was asked: ", to);
        html_text(to, compare_text(c->compare, o->without[i]));
    }
    fputs(o->withouts ? ".</p>\n" : "", to);
    for (int s = 0; s < SIDES; s++) {
        char *names = compare_silence_text(c, s);
        if (*names) {
            fprintf(to, "<p>Not compared, because the %s does not say: ", s == REAL ? "real" : "twin");
            html_text(to, names);
            fputs(".</p>\n", to);
        }
        free(names);
    }
    for (size_t i = 0; i < c->compare->complaints; i++) {
        fputs("<p class=\"off\">not read: ", to);
        html_text(to, compare_text(c->compare, c->compare->complaint[i]->file));
        fputs(": ", to);
        html_text(to, compare_text(c->compare, c->compare->complaint[i]->text));
        fputs("</p>\n", to);
    }
}

static bool write_html(FILE *to, void *context, struct error *e)
{
    const struct comparison *c = *(const struct comparison **)context;
    (void)e;
    fputs(head, to);
    fputs("<title>", to);
    html_text(to, c->side[REAL].path);
    fputs(" and ", to);
    html_text(to, c->side[TWIN].path);
    fputs("</title>\n", to);
    fputs(style, to);
    fputs("</head>\n<body>\n", to);
    put_top(to, c);
    html_pictures(to, c);
    put_set(to, c);
    put_libraries(to, c);
    fputs("<footer>pyelfstat " PYELFGEN_VERSION " --compare</footer>\n</body>\n</html>\n", to);
    return true;
}

bool compare_write_html(const struct comparison *c, struct error *e)
{
    return result_file_write(c->compare->options.html, RESULT_REPORT, write_html, &c, e);
}
