/* Says in sentences what a profile says; see pyelfprof.h.
 *
 * Any profile will do, also one that was written by hand: no sentence is printed about what is not there. A text with
 * anything that a profile may not say is refused, because the sentences would be wrong. Whether a set can be made of
 * the profile is for pyelfgen to say.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/profile_plain.h"
#include "tools/pyelfprof.h"
#include "tools/pyelfprof_text.h"

enum { VALUES_MOST = 16 };

struct explained {
    struct text t;
    yaml_node_t *list; /* the rows; NULL: none */
    size_t rows;
    yaml_node_t *captured; /* NULL: written by hand, or with --summary */
};

/* ---- words ---- */

static void print_bytes(double bytes)
{
    if (bytes >= 1e9)
        printf("%.2f GB", bytes / 1e9);
    else if (bytes >= 1e6)
        printf("%.1f MB", bytes / 1e6);
    else if (bytes >= 1e3)
        printf("%.1f kB", bytes / 1e3);
    else
        printf("%.0f %s", bytes, bytes == 1 ? "byte" : "bytes");
}

static const char *plural(double count, const char *one, const char *several)
{
    return count == 1 ? one : several;
}

/* Singular or plural of a sentence about all of the application's files. */
static const char *of_them(const struct explained *x, const char *one, const char *several)
{
    return plural((double)x->rows, one, several);
}

/* What to print before the next part of a sentence. `last` says that no other part follows. */
static const char *between(unsigned *parts, bool last)
{
    const unsigned before = (*parts)++;
    return before == 0 ? "" : last ? " and " : ", ";
}

static double sum(struct explained *x, const char *in, const char *key)
{
    return text_sum(&x->t, x->list, in, key);
}

static size_t having(struct explained *x, const char *key, const char *value)
{
    return text_having(&x->t, x->list, key, value);
}

/* How many rows have a number above 0 for the key. */
static size_t having_some(struct explained *x, const char *key)
{
    size_t count = 0;
    for (size_t i = 0; i < x->rows; i++)
        count += text_number(&x->t, text_row(&x->t, x->list, i), key) > 0;
    return count;
}

/* ---- how many, and how large ---- */

static void tell_counts(struct explained *x)
{
    double modules = text_number(&x->t, x->t.root, "modules");
    double utilities = text_number(&x->t, x->t.root, "utilities");
    if (x->rows) {
        modules = (double)having(x, "kind", "module");
        utilities = (double)x->rows - modules;
    }
    const double all = modules + utilities;
    const bool may_be_programs = x->captured && utilities > 0; /* modules are libraries */
    printf("The application has %.0f ", all);
    fputs(may_be_programs ? plural(all, "library or program", "libraries and programs")
                          : plural(all, "shared library", "shared libraries"),
          stdout);
    if (utilities == 0)
        puts(plural(all, ", a Python extension module.", ", all of them Python extension modules."));
    else if (modules == 0)
        puts(plural(all, ", no Python extension module.", ", none of them a Python extension module."));
    else
        printf(": %.0f Python extension %s and %.0f %s.\n", modules, plural(modules, "module", "modules"), utilities,
               plural(utilities, "other", "others"));
}

static void tell_origin(struct explained *x)
{
    static const struct {
        const char *from, *words;
    } origins[] = {{"files", "files"},
                   {"exec", "what a program would load"},
                   {"python", "what a Python script imported"},
                   {"run", "what a run loaded, in that order"},
                   {"pid", "a process, in the order of loading"},
                   {"core", "a core file, in the order of loading"}};
    const char *from = text_of(&x->t, x->captured, "from");
    for (size_t i = 0; from && i < sizeof origins / sizeof origins[0]; i++) {
        if (strcmp(from, origins[i].from) == 0)
            printf("%s captured from %s.\n", of_them(x, "It was", "They were"), origins[i].words);
    }
    const double missing = text_number(&x->t, x->captured, "unreadable");
    if (missing > 0)
        printf("%.0f more could not be read, and %s missing here.\n", missing, plural(missing, "is", "are"));
}

static const struct {
    const char *key, *words;
} sizes[] = {{"text", "code and constants (text)"}, {"data", "data"},
             {"bss", "zeroed memory (bss)"},        {"debug", "debug information"},
             {"symtab", "symbol tables"},           {"strtab", "their names"}};
enum { SIZES = sizeof sizes / sizeof sizes[0], SIZE_STRTAB = SIZES - 1 };

/* The sum of a size, or -1 where the profile does not say it. A row that has text but not this size means 0; a row
 * without either leaves it to pyelfgen. */
static double size_of(struct explained *x, const char *key)
{
    yaml_node_t *sections = text_get(&x->t, x->t.root, "sections");
    if (text_get(&x->t, sections, key))
        return text_number(&x->t, sections, key);
    if (sections || (!having(x, key, NULL) && !having(x, "text", NULL)))
        return -1;
    return sum(x, NULL, key);
}

static void tell_sizes(struct explained *x)
{
    unsigned parts = 0;
    unsigned left = 0;
    for (size_t i = 0; i < SIZES; i++)
        left += size_of(x, sizes[i].key) > 0;
    if (left == 0)
        return;
    const size_t sized = having(x, "text", NULL);
    if (x->rows == 1 ||
        (!x->rows && text_number(&x->t, x->t.root, "modules") + text_number(&x->t, x->t.root, "utilities") == 1))
        fputs("It has ", stdout);
    else if (!text_get(&x->t, x->t.root, "sections") && sized < x->rows)
        printf("Those %zu whose sizes are said have together ", sized);
    else
        fputs("Together they have ", stdout);
    for (size_t i = 0; i < SIZES; i++) {
        const double size = size_of(x, sizes[i].key);
        if (size <= 0)
            continue;
        fputs(between(&parts, --left == 0), stdout);
        print_bytes(size);
        printf(" of %s", sizes[i].words);
    }
    puts(".");
    if (size_of(x, "debug") == 0)
        puts("There is no debug information.");
    if (size_of(x, "symtab") == 0)
        puts("There are no symbol tables but those for the dynamic linker: all is stripped.");
}

/* ---- profiles without rows ---- */

/* How many functions libraries of a kind get whose rows do not say it. */
static void tell_others(struct explained *x, const char *kind, const char *words, double functions)
{
    bool any = false;
    for (size_t i = 0; i < x->rows; i++) {
        yaml_node_t *const row = text_row(&x->t, x->list, i);
        const char *const own = text_of(&x->t, row, "kind");
        any |= own && strcmp(own, kind) == 0 && !text_get(&x->t, row, "functions");
    }
    if (any && functions > 0)
        printf("%s gets %.0f %s where its row does not say how many it has.\n", words, functions,
               plural(functions, "function", "functions"));
}

static void tell_plan(struct explained *x)
{
    yaml_node_t *names = text_get(&x->t, x->t.root, "names");
    const char *style = text_of(&x->t, names, "style");
    const double functions = text_number(&x->t, x->t.root, "functions");
    const double of_utilities = text_number(&x->t, x->t.root, "utility-functions");
    if (functions > 0 && !x->rows)
        printf("A library has %.0f %s on average.\n", functions, plural(functions, "function", "functions"));
    tell_others(x, "module", "A module", functions);
    tell_others(x, "utility", "A library that is no module", of_utilities > 0 ? of_utilities : functions);
    if (!x->rows && style && strcmp(style, "itanium") == 0)
        puts("Most functions have C++ names.");
    if (text_number(&x->t, names, "length") > 0)
        printf("Their names have %.0f characters on average.\n", text_number(&x->t, names, "length"));
    if (!x->rows)
        puts("It is about all libraries together: nothing is said of single ones.");
}

/* ---- symbols and relocations ---- */

static void tell_constructors(struct explained *x, const char *key, const char *does, const char *what)
{
    const double bytes = sum(x, NULL, key);
    if (bytes <= 0)
        return;
    printf("%s constructors %s", of_them(x, "Its", "Their"), does);
    print_bytes(bytes);
    puts(what);
}

static void tell_symbols(struct explained *x)
{
    const double mangled = sum(x, NULL, "mangled");
    const double functions = sum(x, NULL, "functions");
    size_t stripped = 0;
    for (size_t i = 0; i < x->rows; i++) {
        yaml_node_t *row = text_row(&x->t, x->list, i);
        stripped += text_get(&x->t, row, "text") && text_number(&x->t, row, "symtab") == 0;
    }
    if (having(x, "functions", NULL))
        printf("%s %.0f %s with a symbol.\n", of_them(x, "It has", "They have"), functions,
               plural(functions, "function", "functions"));
    if (stripped && stripped == x->rows && having(x, "functions", NULL))
        puts("Only functions that others can call have one: all is stripped.");
    else if (stripped && having(x, "functions", NULL))
        printf("%zu of them %s stripped: of %s functions only those that others can call are counted.\n", stripped,
               plural((double)stripped, "is", "are"), plural((double)stripped, "its", "their"));
    if (mangled > 0)
        printf("%.0f %s C++ names.\n", mangled, plural(mangled, "symbol has", "symbols have"));
    const double demangled = sum(x, NULL, "demangled");
    if (demangled > 0)
        printf("Those that others can use are %.0f characters long as debuggers show them.\n", demangled);
    const double tabled = sum(x, "exceptions", "functions");
    if (tabled > 0) {
        printf("%.0f %s what to do when an exception passes, in ", tabled,
               plural(tabled, "function says", "functions say"));
        print_bytes(sum(x, "exceptions", "table"));
        puts(".");
    }
    const double pointed = sum(x, NULL, "unwind-rbp");
    const double framed = sum(x, NULL, "unwind-rsp") + pointed;
    if (framed > 0)
        printf("%.0f %s a frame, %.0f of them with a frame pointer.\n", framed,
               plural(framed, "function has", "functions have"), pointed);
    tell_constructors(x, "constructor-memory", "take ", " of memory when all are loaded.");
    tell_constructors(x, "constructor-bss", "write to ", " of .bss.");
    if (having(x, "dynamic", NULL)) {
        const double exported = sum(x, "dynamic", "functions");
        const double objects = sum(x, "dynamic", "objects");
        const double imported = sum(x, "dynamic", "undefined");
        printf("%s %.0f %s and %.0f %s, and %s %.0f %s.\n", of_them(x, "It exports", "They export"), exported,
               plural(exported, "function", "functions"), objects, plural(objects, "object", "objects"),
               of_them(x, "imports", "import"), imported, plural(imported, "symbol", "symbols"));
    }
    const double indirect = sum(x, NULL, "ifunc");
    if (indirect > 0)
        printf("%.0f %s indirect: the dynamic linker calls them to learn which function is to be used.\n", indirect,
               plural(indirect, "function is", "functions are"));
    const double unique = sum(x, "dynamic", "unique");
    if (unique > 0)
        printf("Of %.0f %s a process has one, whichever libraries define it.\n", unique,
               plural(unique, "object", "objects"));
}

/* Relocations for calls. A row of a captured profile that does not give their number has as many as slots of the
 * PLT. */
static double calls_of(struct explained *x)
{
    double count = 0;
    for (size_t i = 0; i < x->rows; i++) {
        yaml_node_t *row = text_row(&x->t, x->list, i);
        yaml_node_t *relocations = text_get(&x->t, row, "relocations");
        count += relocations && text_get(&x->t, relocations, "jump-slot") ? text_number(&x->t, relocations, "jump-slot")
                 : x->captured                                            ? text_number(&x->t, row, "plt")
                                                                          : 0;
    }
    return count;
}

static void tell_relocations(struct explained *x)
{
    static const struct {
        const char *keys[5], *words;
    } kinds[] = {{{"relative", "relr"}, "relative"},
                 {{"glob-dat", "64"}, "for addresses of symbols"},
                 {{NULL}, "for calls"},
                 {{"copy", "tls", "irelative", "other"}, "others"}};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    double count[KINDS] = {0};
    unsigned parts = 0;
    unsigned left = 0;
    for (size_t i = 0; i < KINDS; i++) {
        if (!kinds[i].keys[0])
            count[i] = calls_of(x);
        for (size_t k = 0; kinds[i].keys[k]; k++)
            count[i] += sum(x, "relocations", kinds[i].keys[k]);
        left += count[i] > 0;
    }
    if (left == 0)
        return;
    fputs("The dynamic linker applies relocations: ", stdout);
    for (size_t i = 0; i < KINDS; i++) {
        if (count[i] > 0)
            printf("%s%.0f %s", between(&parts, --left == 0), count[i], kinds[i].words);
    }
    puts(".");
}

/* ---- who needs whom ---- */

/* The number of edges in "0:12 5-8 17". */
static double edges_of(const char *text)
{
    double edges = 0;
    while (text && *text) {
        char *end;
        double first = strtod(text, &end);
        double last = *end == '-' ? strtod(end + 1, NULL) : first;
        edges += last >= first ? last - first + 1 : 1;
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    return edges;
}

static void tell_graph(struct explained *x)
{
    double edges = 0;
    double most = 0;
    for (size_t i = 0; i < x->rows; i++) {
        double own = edges_of(text_of(&x->t, text_row(&x->t, x->list, i), "needed"));
        edges += own;
        most = own > most ? own : most;
    }
    const double outside = sum(x, NULL, "outside");
    if (!having(x, "needed", NULL) && !having(x, "outside", NULL)) {
        puts("The profile does not say which of them need which.");
        return;
    }
    if (edges == 0 && x->rows > 1)
        puts("None of them needs another of them.");
    else if (edges > 0)
        printf("They need one another %.0f %s (DT_NEEDED); the one that needs most needs %.0f of them.\n", edges,
               plural(edges, "time", "times"), most);
    if (outside > 0 && x->rows == 1)
        printf("It needs %.0f %s not in the profile.\n", outside,
               plural(outside, "library that is", "libraries that are"));
    else if (outside > 0)
        printf("They need libraries that are not in the profile %.0f %s.\n", outside, plural(outside, "time", "times"));
}

static void tell_links(struct explained *x)
{
    const struct {
        size_t count;
        const char *one, *several;
    } ways[] = {
        {having(x, "bind", "now"), "is bound at once", "are bound at once"},
        {having(x, "build-id", "false"), "has no build-id", "have no build-id"},
        {having(x, "soname", "false"), "has no SONAME", "have no SONAME"},
        {having_some(x, "runpath"), "has directories of its own to search", "have directories of their own to search"}};
    enum { WAYS = sizeof ways / sizeof ways[0] };
    unsigned parts = 0;
    unsigned left = 0;
    for (size_t i = 0; i < WAYS; i++)
        left += ways[i].count > 0;
    if (left == 0)
        return;
    for (size_t i = 0; i < WAYS; i++) {
        if (ways[i].count > 0)
            printf("%s%zu %s", between(&parts, --left == 0), ways[i].count,
                   plural((double)ways[i].count, ways[i].one, ways[i].several));
    }
    puts(".");
}

static void tell_times(struct explained *x)
{
    double last = 0;
    for (size_t i = 0; i < x->rows; i++) {
        const double loaded = text_number(&x->t, text_row(&x->t, x->list, i), "loaded");
        last = loaded > last ? loaded : last;
    }
    if (having(x, "loaded", NULL))
        printf("The last was loaded %.0f ms after the first.\n", last);
    const size_t imports = having(x, "import", NULL);
    if (imports)
        printf("Python took %.0f ms to import %zu of them.\n", sum(x, NULL, "import"), imports);
}

/* ---- debug information ---- */

static const char *language_words(const char *language)
{
    if (strcmp(language, "fortran") == 0)
        return "Fortran";
    return strcmp(language, "c++") == 0 ? "C++" : strcmp(language, "c") == 0 ? "C" : language;
}

/* The dialect of the whole profile, for profiles whose rows say nothing of it. */
static void tell_dialect(struct explained *x)
{
    yaml_node_t *dwarf = text_get(&x->t, x->t.root, "dwarf");
    const char *version = text_of(&x->t, dwarf, "version");
    const char *language = text_of(&x->t, dwarf, "language");
    if (size_of(x, "debug") == 0 || (!version && !language))
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
        printf("%s%s in %zu", between(&parts, v + 1 == values), language_words(found[v].value), found[v].count);
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
    printf("In %zu %s it describes ", libraries, plural((double)libraries, "library", "libraries"));
    print_bytes(described);
    fputs(" of ", stdout);
    print_bytes(all);
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
    const double entries = sum(x, "dwarf", "entries");
    const double values = sum(x, "dwarf", "entry-values");
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
        const double count = sum(x, "dwarf", counts[i].key);
        if (count == 0 && (strcmp(counts[i].key, "partial") == 0 || strcmp(counts[i].key, "type-units") == 0))
            continue;
        printf("%s%.0f %s", between(&parts, i + 1 == COUNTS), count, plural(count, counts[i].one, counts[i].several));
    }
    puts(".");
    tell_entry_values(x);
    const double lines = sum(x, "dwarf", "level");
    if (lines > 0)
        printf("%.0f %s line tables and functions alone, as with -g1.\n", lines,
               plural(lines, "library has", "libraries have"));
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
    const size_t split = having(x, "dwo", NULL);
    const double files = sum(x, "dwo", "files");
    const double missing = sum(x, "dwo", "missing");
    double bytes = 0;
    for (int i = 0; i < CAPTURE_MIXES; i++)
        bytes += sum(x, "dwo", capture_mix_names[i]);
    if (!split)
        return;
    printf("That of %zu is split", split);
    if (files > 0) {
        printf(": %.0f .dwo %s or %s of them %s ", files, plural(files, "file", "files"),
               plural(files, "package", "packages"), plural(files, "has", "have"));
        print_bytes(bytes);
        fputs(" more", stdout);
    }
    if (missing > 0)
        printf("%s %.0f .dwo %s not there", files > 0 ? ", and" : ":", missing,
               plural(missing, "file was", "files were"));
    puts(".");
}

static void tell_dwarf(struct explained *x)
{
    const size_t with = having_some(x, "debug");
    const size_t read = having(x, "dwarf", NULL);
    if (with && with < x->rows)
        printf("%zu of them %s debug information.\n", with, plural((double)with, "has", "have"));
    if (with && !read)
        puts("Of the debug information only the sizes are said.");
    else if (with > read)
        printf("Of that of %zu only the sizes are said.\n", with - read);
    if (read)
        tell_dwarf_read(x);
    tell_split(x);
    tell_sampled(x);
}

/* ---- what it reveals ---- */

/* Which names the profile has, as far as that is known. */
static void tell_names(struct explained *x)
{
    const char *application = text_of(&x->t, x->t.root, "application");
    const size_t names = having(x, "name", NULL);
    if (application)
        printf("It says what the application is: %s.\n", application);
    if (x->t.comments)
        puts("It has comments: read them before you share it.");
    if (names)
        printf("It NAMES %zu %s: it is for use in house.\n", names, plural((double)names, "file", "files"));
    if (x->captured)
        printf("It names no %sfunction, type, variable or directory, and has no string of the application.\n",
               names ? "" : "library, ");
    else if (!names)
        puts("It names no library.");
    if (text_get(&x->t, x->t.root, "settled"))
        puts("What pyelfgen has found for it (settled) follows from the rest, and reveals nothing else.");
}

static void tell_numbers(struct explained *x)
{
    struct text *t = &x->t;
    yaml_node_t *top = t->root;
    const bool linked = having(x, "bind", NULL) || having(x, "hash", NULL) || having(x, "relro", NULL) ||
                        having(x, "soname", NULL) || x->captured || text_get(t, top, "elf");
    const bool compiled = having(x, "dwarf", NULL) || text_get(t, top, "dwarf");
    const bool styled = having(x, "function-sizes", NULL) || having(x, "share", NULL) || text_get(t, top, "names") ||
                        text_get(t, top, "distributions");
    const struct {
        bool is;
        const char *words;
    } reveals[] = {
        {true, x->rows ? "how many libraries there are and how much is in each of them"
                       : "how many libraries there are and how much is in all of them"},
        {having(x, "needed", NULL) || having(x, "outside", NULL), "how they need one another"},
        {linked, "which options of the linker were used"},
        {compiled, "which language it is in"},
        {compiled, "the age of the compiler"},
        {styled, "how large functions are"},
        {styled, "how long names are"},
        {having(x, "zstd", NULL), "how well its parts compress"},
        {having(x, "loaded", NULL), "how long its start took"},
        {having(x, "machine", NULL), "for which machine it is"},
    };
    enum { REVEALS = sizeof reveals / sizeof reveals[0] };
    unsigned parts = 0;
    unsigned left = 0;
    for (size_t i = 0; i < REVEALS; i++)
        left += reveals[i].is;
    fputs("Its numbers reveal ", stdout);
    for (size_t i = 0; i < REVEALS; i++) {
        if (reveals[i].is)
            printf("%s%s", between(&parts, --left == 0), reveals[i].words);
    }
    puts(".");
    if (x->captured)
        puts("Who has the same library can recognise it by its sizes: captured with --summary, a profile has "
             "but the sums, where these are enough for a set.");
}

static void explain(struct explained *x)
{
    tell_counts(x);
    tell_origin(x);
    tell_sizes(x);
    tell_plan(x);
    if (x->rows) {
        tell_symbols(x);
        tell_relocations(x);
        tell_graph(x);
        tell_links(x);
        tell_times(x);
    }
    if (!having(x, "dwarf", NULL) && !x->captured)
        tell_dialect(x);
    if (x->rows)
        tell_dwarf(x);
    tell_names(x);
    tell_numbers(x);
}

bool prof_explain(const char *path, struct error *e)
{
    struct explained x = {0};
    if (!text_read(&x.t, path, e))
        return false;
    x.list = text_get(&x.t, x.t.root, "libraries");
    x.rows = text_rows(x.list);
    x.captured = text_get(&x.t, x.t.root, "captured");
    explain(&x);
    text_free(&x.t);
    return true;
}
