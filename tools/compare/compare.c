/* pyelfstat --compare: puts an application and its twin side by side. See compare.h for the passes, and docs/compare.md
 * for what is compared and how.
 */
#include "tools/compare/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/cli.h"
#include "base/manifest.h"
#include "base/process.h"
#include "base/profile_find.h"
#include "base/replacement.h"
#include "base/result_file.h"
#include "base/same.h"

enum {
    OPTION_COMPARE = 256,
    OPTION_LIBRARIES,
    OPTION_JSON,
    OPTION_HTML,
    OPTION_TOLERANCE,
    OPTION_MATCH,
    OPTION_WITHOUT,
    OPTION_TOLD,
    OPTION_DEBUG_DIR,
    OPTION_FULL,
    OPTION_NO_DWARF,
};

enum { STATUS_AGREES, STATUS_DIFFERS, STATUS_TROUBLE };

static const struct cli_option options[] = {
    {OPTION_COMPARE, "compare", NULL, "compare REAL and TWIN"},
    {OPTION_LIBRARIES, "libraries", NULL, "list all quantities of each library"},
    {OPTION_JSON, "json", "FILE", "write JSON to FILE; with -, instead of tables"},
    {OPTION_HTML, "html", "FILE", "write a page with pictures; - as with --json"},
    {OPTION_TOLERANCE, "tolerance", "PERCENT", "count as off what differs by more (default: 5)"},
    {OPTION_MATCH, "match", "HOW", "match libraries by name (the default) or order"},
    {OPTION_WITHOUT, "without", "PATTERN", "leave out quantities whose name matches"},
    {OPTION_TOLD, "told", NULL, "what TWIN's differences.json tells is not off"},
    {OPTION_DEBUG_DIR, "debug-dir", "DIRECTORY", "also look for debug files there"},
    {OPTION_FULL, "full", NULL, "read and compress everything, no samples"},
    {OPTION_NO_DWARF, "no-dwarf", NULL, "only count the bytes of debug information"},
};

static const struct cli_program program = {
    .name = "pyelfstat --compare",
    .usage = "[OPTION]... REAL TWIN",
    .summary = "Compare two sets of libraries in all that pyelfprof captures.",
    .details = "REAL and TWIN are each a DIRECTORY (a set, or anything with shared objects in\n"
               "it), an ELF FILE, or a PROFILE: a file, - for standard input, or a shipped one.\n"
               "\n"
               "Each quantity is one of:\n"
               "  equal   the same on both sides\n"
               "  within  a number that differs by at most the tolerance, in percent of REAL's,\n"
               "          or a distribution whose Kolmogorov-Smirnov distance is below it\n"
               "  told    off, but TWIN's differences.json says so, with both numbers or as\n"
               "          something that pyelfgen does not count\n"
               "  off     anything else; words are equal or off\n"
               "\n"
               "What zstd makes of a part, and how unlike units are in size, may differ by five\n"
               "times as much.\n"
               "\n"
               "A library whose name occurs once on either side is matched with that of the same\n"
               "name. The others are matched in the order in which pyelfprof captures them,\n"
               "modules and utilities apart. docs/compare.md has more, and an example.\n"
               "\n"
               "Examples:\n"
               "  pyelfstat --compare /opt/realapp twin\n"
               "                    an application and its twin, by their files\n"
               "  pyelfstat --compare --html twin.html --json twin.json realapp.prof twin\n"
               "                    the same by the application's profile; also writes a page\n"
               "                    and a file\n"
               "  pyelfstat --compare --told realapp.prof twin && echo as expected\n"
               "                    whether the twin is what pyelfgen said it would be\n"
               "  pyelfstat --compare --tolerance 0 old new\n"
               "                    whether anything is different at all\n"
               "\n"
               "Exit status:\n"
               "  0  nothing is off\n"
               "  1  something is off or has no match, or without --told something is told\n"
               "  2  something could not be read or written, or the command line is wrong\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};

/* ---- the command line ---- */

static bool take_tolerance(const char *text, double *tolerance, struct error *e)
{
    /* strtod alone would accept hexadecimal numbers, signs and leading blanks. */
    const bool digits = strspn(text, "0123456789.") == strlen(text);
    char *end;
    double percent = strtod(text, &end);
    if (!digits || end == text || *end || percent > 100)
        return error_set(e, ERROR_USAGE, "--tolerance: '%s' is no number from 0 to 100; see --help", text);
    *tolerance = percent / 100;
    return true;
}

static bool take_match(const char *text, enum compare_match_how *how, struct error *e)
{
    if (strcmp(text, "name") == 0)
        *how = MATCH_NAME;
    else if (strcmp(text, "order") == 0)
        *how = MATCH_ORDER;
    else
        return error_set(e, ERROR_USAGE, "--match: '%s' is neither name nor order; see --help", text);
    return true;
}

/* Takes the name of a file to write. It is no option: pyelfstat's own --json is without a FILE. */
static bool take_file(const char *option, const char *file, const char **to, struct error *e)
{
    *to = file;
    return file[0] != '-' || !file[1] ||
           error_set(e, ERROR_USAGE, "%s needs a FILE, and '%s' is an option, or give it as './%s'; see --help", option,
                     file, file);
}

static bool take_option(struct compare_options *o, int key, const char *value, struct error *e)
{
    switch (key) {
    case OPTION_COMPARE:
        return true;
    case OPTION_LIBRARIES:
        return o->libraries = true;
    case OPTION_JSON:
        return take_file("--json", value, &o->json, e);
    case OPTION_HTML:
        return take_file("--html", value, &o->html, e);
    case OPTION_TOLERANCE:
        return take_tolerance(value, &o->tolerance, e);
    case OPTION_MATCH:
        return take_match(value, &o->match, e);
    case OPTION_WITHOUT:
        o->without[o->withouts++] = value;
        return true;
    case OPTION_TOLD:
        return o->told = true;
    case OPTION_DEBUG_DIR:
        o->debug_dir[o->debug_dirs++] = value;
        return prof_is_debug_dir(value, e);
    case OPTION_FULL:
        return o->full = true;
    case OPTION_NO_DWARF:
        return o->no_dwarf = true;
    default:
        return false; /* the error is set */
    }
}

static bool check(const struct compare_options *o, int operands, struct error *e)
{
    if (operands != SIDES)
        return error_set(e, ERROR_USAGE, "REAL and TWIN are needed, and %d %s given; see --help", operands,
                         operands == 1 ? "is" : "are");
    if (profile_find_is_standard(o->path[REAL]) && profile_find_is_standard(o->path[TWIN]))
        return error_set(e, ERROR_USAGE, "standard input can be read once: give REAL or TWIN another name than -");
    if ((o->json && !*o->json) || (o->html && !*o->html))
        return error_set(e, ERROR_USAGE, "%s: which file? see --help", o->json && !*o->json ? "--json" : "--html");
    if (o->json && o->html && replacement_is_same(o->json, o->html))
        return error_set(e, ERROR_USAGE, "--json and --html are to write the same file; give each its own");
    return true;
}

/* Returns -1 to go on, otherwise the exit status. */
static int parse(int argc, char **argv, struct compare_options *o)
{
    struct cli cli = cli_start(&program, argc, argv);
    struct error e;
    const char *value;
    int operands = 0;
    o->tolerance = 0.05;
    for (int key; (key = cli_next(&cli, &value, &e)) != CLI_END;) {
        if (key == CLI_DONE)
            return 0;
        if (key != CLI_OPERAND && !take_option(o, key, value, &e))
            return error_report("pyelfstat", &e);
        if (key == CLI_OPERAND && operands++ < SIDES)
            o->path[operands - 1] = value;
    }
    return check(o, operands, &e) ? -1 : error_report("pyelfstat", &e);
}

/* ---- the passes ---- */

/* Whether a result may have this path: it is not one of the sides, and can be written. */
static bool is_free(const struct compare_options *o, const char *result, struct error *e)
{
    for (int s = 0; s < SIDES; s++)
        if (same_place(result, o->path[s])) {
            error_set(e, ERROR_USAGE, "is what is compared; give another name");
            return error_at(e, result, 0);
        }
    return result_file_possible(result, RESULT_REPORT, e);
}

/* Checks the results' paths before the long reading. */
static bool can_write(const struct comparison *c)
{
    const struct compare_options *o = &c->compare->options;
    struct error e;
    if ((!o->json || is_free(o, o->json, &e)) && (!o->html || is_free(o, o->html, &e)))
        return true;
    compare_complain(c->compare, &e);
    return false;
}

static bool read_sides(struct comparison *c)
{
    bool ok = true;
    compare_start(c->compare, &c->keys);
    for (int s = 0; s < SIDES; s++)
        ok = compare_read_side(c->compare, c->compare->options.path[s], &c->keys, &c->side[s]) && ok;
    return ok;
}

static void write_all(const struct comparison *c)
{
    const struct compare_options *o = &c->compare->options;
    struct error e;
    if (!replacement_is_standard(o->json) && !replacement_is_standard(o->html))
        compare_print(c);
    if (o->json && !compare_write_json(c, &e))
        compare_complain(c->compare, &e);
    if (o->html && !compare_write_html(c, &e))
        compare_complain(c->compare, &e);
}

void compare_free(struct comparison *c)
{
    for (size_t i = 0; c->library && i < c->pairs.count; i++)
        free(c->library[i].list.of);
    free(c->library);
    free(c->set.of);
    free(c->silence);
    json_object_put(c->told);
    json_object_put(c->untold);
    for (int s = 0; s < SIDES; s++)
        compare_side_free(&c->side[s]);
}

/* Says why nothing is told, where something is off: the operands may be in the wrong order, or the file was left behind
 * when the set was copied. */
static void say_untold(const struct comparison *c)
{
    const struct compare_options *const o = &c->compare->options;
    if (o->told && !c->tells && !compare_agrees(c))
        fprintf(stderr,
                "pyelfstat: --told: there is no " MANIFEST_ROWS_FILE " in %.200s, so nothing is told; give the "
                "directory that pyelfgen wrote as TWIN\n",
                compare_text(c->compare, o->path[TWIN]));
}

int compare_main(int argc, char **argv)
{
    struct compare *compare = report_must(calloc(1, sizeof *compare));
    struct comparison *c = report_must(calloc(1, sizeof *c));
    c->compare = compare;
    const char **dirs = report_must(arena_zeroed(&compare->report.arena, (size_t)argc + 1, sizeof *dirs));
    dirs[compare->options.debug_dirs++] = "/usr/lib/debug";
    compare->options.debug_dir = dirs;
    compare->options.without = report_must(arena_zeroed(&compare->report.arena, (size_t)argc + 1, sizeof *dirs));
    int status = parse(argc, argv, &compare->options);
    if (status < 0 && can_write(c) && read_sides(c)) {
        /* From here on the sides do not change. */
        if (!compare_match(&compare->report.arena, c->side, compare->options.match, &c->pairs))
            report_must(NULL);
        compare_read_told(c);
        compare_quantities(c);
        write_all(c);
        say_untold(c);
    }
    if (status < 0)
        status = compare->trouble ? STATUS_TROUBLE : compare_agrees(c) ? STATUS_AGREES : STATUS_DIFFERS;
    if (!compare->trouble && !process_printed("pyelfstat"))
        status = STATUS_TROUBLE;
    compare_free(c);
    free(c);
    arena_free(&compare->report.arena);
    free(compare);
    return status;
}
