/* What a profile says of debug information, in sentences; see explain.h. */
#include "tools/pyelfprof/explain.h"

#include <stdio.h>
#include <string.h>

#include "elf/read/capture.h"
#include "emit/profile/plain.h"

enum { VALUES_MOST = 16 };

static const char *language_words(const char *language)
{
    if (strcmp(language, "fortran") == 0)
        return "Fortran";
    return strcmp(language, "c++") == 0 ? "C++" : strcmp(language, "c") == 0 ? "C" : language;
}

void explain_dialect(struct explained *x)
{
    yaml_node_t *dwarf = text_get(&x->t, x->t.root, "dwarf");
    const char *version = text_of(&x->t, dwarf, "version");
    const char *language = text_of(&x->t, dwarf, "language");
    if (!version && !language)
        return;
    printf("The debug information is DWARF%s%s%s%s.\n", version ? " " : "", version ? version : "",
           language ? " of " : "", language ? language_words(language) : "");
}

/* "DWARF 5 in 47 and 4 in 2": the values of a key in the rows' `dwarf`, in the order of first use. There are few; after
 * VALUES_MOST the others are left out. */
static void tell_values(struct explained *x, const char *key)
{
    struct {
        const char *value;
        size_t count;
    } found[VALUES_MOST];
    size_t values = 0;
    unsigned parts = 0;
    for (size_t i = 0; i < x->rows; i++) {
        const char *value = text_of(&x->t, text_get(&x->t, text_row(&x->t, x->list, i), "dwarf"), key);
        size_t v = 0;
        while (value && v < values && strcmp(found[v].value, value) != 0)
            v++;
        if (value && v == values && values < VALUES_MOST) {
            found[values].value = value;
            found[values++].count = 0;
        }
        if (value && v < values)
            found[v].count++;
    }
    for (size_t v = 0; v < values; v++)
        printf("%s%s in %zu", explain_between(&parts, v + 1 == values), language_words(found[v].value), found[v].count);
}

/* Speaks of the library with the most units among those whose row has the key. */
static void tell_uneven(struct explained *x)
{
    double most = 0;
    double uneven = 0;
    for (size_t i = 0; i < x->rows; i++) {
        yaml_node_t *const dwarf = text_get(&x->t, text_row(&x->t, x->list, i), "dwarf");
        const double own = text_number(&x->t, dwarf, "uneven");
        const double units = text_number(&x->t, dwarf, "units");
        if (own > 0 && units > most) {
            most = units;
            uneven = own;
        }
    }
    if (most > 0)
        printf("The library with most units has %.0f, and an average byte of .debug_info is in one of %.1f times the "
               "mean size.\n",
               most, uneven / 100);
}

static bool is_clangs(struct explained *x)
{
    const char *const compiler = text_of(&x->t, text_get(&x->t, x->t.root, "dwarf"), "compiler");
    return compiler && strcmp(compiler, "clang") == 0;
}

/* Says how much code no unit describes, but for what a linker always adds. */
static void tell_described(struct explained *x)
{
    size_t libraries = 0;
    double described = 0;
    double all = 0;
    for (size_t i = 0; i < x->rows; i++) {
        yaml_node_t *const row = text_row(&x->t, x->list, i);
        const double code = text_number(&x->t, text_get(&x->t, row, "dwarf"), "code");
        const double own = text_number(&x->t, text_get(&x->t, row, "share"), "code");
        if (!profile_describes_part((int64_t)code, (int64_t)own))
            continue;
        libraries++;
        described += code;
        all += own;
    }
    if (!libraries)
        return;
    printf("In %zu %s it describes ", libraries, explain_plural((double)libraries, "library", "libraries"));
    explain_bytes(described);
    fputs(" of ", stdout);
    explain_bytes(all);
    puts(" of code: the rest was compiled without.");
}

static void tell_inlined(struct explained *x)
{
    double inlined = 0;
    double code = 0;
    for (size_t i = 0; i < x->rows; i++) {
        yaml_node_t *const dwarf = text_get(&x->t, text_row(&x->t, x->list, i), "dwarf");
        if (!text_get(&x->t, dwarf, "inlined"))
            continue;
        inlined += text_number(&x->t, dwarf, "inlined");
        code += text_number(&x->t, dwarf, "code");
    }
    if (code > 0)
        printf("Of the code that it describes, %.0f %% is in inlined calls.\n", 100 * inlined / code);
}

/* Says how many entries of location lists say what a parameter was when the function was called. */
static void tell_entry_values(struct explained *x)
{
    const double entries = explain_sum(x, "dwarf", "entries");
    const double values = explain_sum(x, "dwarf", "entry-values");
    if (values > 0 && entries >= values)
        printf("Of the entries of location lists %.1f %% are entry values, which debuggers look for in the caller.\n",
               100 * values / entries);
}

static void tell_dwarf_read(struct explained *x)
{
    static const struct {
        const char *key, *one, *several;
    } counts[] = {{"units", "unit", "units"},
                  {"partial", "partial unit", "partial units"},
                  {"type-units", "type unit", "type units"},
                  {"dies", "entry", "entries"},
                  {"rows", "row of line tables", "rows of line tables"},
                  {"entries", "entry of location lists", "entries of location lists"}};
    enum { COUNTS = sizeof counts / sizeof counts[0] };
    unsigned parts = 0;
    fputs("It is DWARF ", stdout);
    tell_values(x, "version");
    if (text_having_in(&x->t, x->list, "dwarf", "language")) {
        fputs(", of ", stdout);
        tell_values(x, "language");
    }
    fputs(", and has ", stdout);
    for (size_t i = 0; i < COUNTS; i++) {
        const double count = explain_sum(x, "dwarf", counts[i].key);
        if (count == 0 && (strcmp(counts[i].key, "partial") == 0 || strcmp(counts[i].key, "type-units") == 0))
            continue;
        printf("%s%.0f %s", explain_between(&parts, i + 1 == COUNTS), count,
               explain_plural(count, counts[i].one, counts[i].several));
    }
    puts(".");
    tell_entry_values(x);
    const double lines = explain_sum(x, "dwarf", "level");
    if (lines > 0)
        printf("%.0f %s line tables and functions alone, as with -g1.\n", lines,
               explain_plural(lines, "library has", "libraries have"));
    if (is_clangs(x))
        puts("Most of it has the form that clang writes.");
    tell_uneven(x);
    tell_described(x);
    tell_inlined(x);
}

static void tell_sampled(struct explained *x)
{
    const size_t sampled = text_having_in(&x->t, x->list, "dwarf", "sampled");
    double error = 0;
    for (size_t i = 0; i < x->rows; i++) {
        const double own = text_number(&x->t, text_get(&x->t, text_row(&x->t, x->list, i), "dwarf"), "error");
        error = own > error ? own : error;
    }
    if (sampled)
        printf("Of that of %zu only a part was read: the standard error of the number of entries is %.1f %% at most.\n",
               sampled, error);
}

static void tell_split(struct explained *x)
{
    const size_t split = explain_having(x, "dwo", NULL);
    const double files = explain_sum(x, "dwo", "files");
    const double missing = explain_sum(x, "dwo", "missing");
    double bytes = 0;
    for (int i = 0; i < CAPTURE_MIXES; i++)
        bytes += explain_sum(x, "dwo", capture_mix_names[i]);
    if (!split)
        return;
    printf("That of %zu is split", split);
    if (files > 0) {
        printf(": %.0f .dwo %s or %s of them %s ", files, explain_plural(files, "file", "files"),
               explain_plural(files, "package", "packages"), explain_plural(files, "has", "have"));
        explain_bytes(bytes);
        fputs(" more", stdout);
    }
    if (missing > 0)
        printf("%s %.0f .dwo %s not there", files > 0 ? ", and" : ":", missing,
               explain_plural(missing, "file was", "files were"));
    puts(".");
}

void explain_dwarf(struct explained *x)
{
    const size_t with = explain_having_some(x, "debug");
    const size_t read = explain_having(x, "dwarf", NULL);
    if (with && with < x->rows)
        printf("%zu of them %s debug information.\n", with, explain_plural((double)with, "has", "have"));
    if (with && !read)
        puts("Of the debug information only the sizes are said.");
    else if (with > read)
        printf("Of that of %zu only the sizes are said.\n", with - read);
    if (read)
        tell_dwarf_read(x);
    tell_split(x);
    tell_sampled(x);
}
