/* Says in sentences what a profile says; see pyelfprof.h.
 *
 * Any profile will do, also one that was written by hand: no sentence is printed about what is not there. A text with
 * anything that a profile may not say is refused, because the sentences would be wrong. Whether a set can be made of
 * the profile is for pyelfgen to say.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/capture/prof.h"
#include "tools/pyelfprof/explain.h"
#include "tools/pyelfprof/pyelfprof.h"

/* ---- words ---- */

void explain_bytes(double bytes)
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

const char *explain_plural(double count, const char *one, const char *several)
{
    return count == 1 ? one : several;
}

const char *explain_of_them(const struct explained *x, const char *one, const char *several)
{
    return explain_plural((double)x->rows, one, several);
}

const char *explain_between(unsigned *parts, bool last)
{
    const unsigned before = (*parts)++;
    return before == 0 ? "" : last ? " and " : ", ";
}

double explain_sum(struct explained *x, const char *in, const char *key)
{
    return text_sum(&x->t, x->list, in, key);
}

size_t explain_having(struct explained *x, const char *key, const char *value)
{
    return text_having(&x->t, x->list, key, value);
}

size_t explain_having_some(struct explained *x, const char *key)
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
        modules = (double)explain_having(x, "kind", "module");
        utilities = (double)x->rows - modules;
    }
    const double all = modules + utilities;
    const bool may_be_programs = x->captured && utilities > 0; /* modules are libraries */
    printf("The application has %.0f ", all);
    fputs(may_be_programs ? explain_plural(all, "library or program", "libraries and programs")
                          : explain_plural(all, "shared library", "shared libraries"),
          stdout);
    if (utilities == 0)
        puts(explain_plural(all, ", a Python extension module.", ", all of them Python extension modules."));
    else if (modules == 0)
        puts(explain_plural(all, ", no Python extension module.", ", none of them a Python extension module."));
    else
        printf(": %.0f Python extension %s and %.0f %s.\n", modules, explain_plural(modules, "module", "modules"),
               utilities, explain_plural(utilities, "other", "others"));
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
            printf("%s captured from %s.\n", explain_of_them(x, "It was", "They were"), origins[i].words);
    }
    const double missing = text_number(&x->t, x->captured, "unreadable");
    if (missing > 0)
        printf("%.0f more could not be read, and %s missing here.\n", missing, explain_plural(missing, "is", "are"));
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
    if (sections || (!explain_having(x, key, NULL) && !explain_having(x, "text", NULL)))
        return -1;
    return explain_sum(x, NULL, key);
}

static void tell_sizes(struct explained *x)
{
    unsigned parts = 0;
    unsigned left = 0;
    for (size_t i = 0; i < SIZES; i++)
        left += size_of(x, sizes[i].key) > 0;
    if (left == 0)
        return;
    const size_t sized = explain_having(x, "text", NULL);
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
        fputs(explain_between(&parts, --left == 0), stdout);
        explain_bytes(size);
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
               explain_plural(functions, "function", "functions"));
}

static void tell_plan(struct explained *x)
{
    yaml_node_t *names = text_get(&x->t, x->t.root, "names");
    const char *style = text_of(&x->t, names, "style");
    const double functions = text_number(&x->t, x->t.root, "functions");
    const double of_utilities = text_number(&x->t, x->t.root, "utility-functions");
    if (functions > 0 && !x->rows)
        printf("A library has %.0f %s on average.\n", functions, explain_plural(functions, "function", "functions"));
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
    const double bytes = explain_sum(x, NULL, key);
    if (bytes <= 0)
        return;
    printf("%s constructors %s", explain_of_them(x, "Its", "Their"), does);
    explain_bytes(bytes);
    puts(what);
}

static void tell_symbols(struct explained *x)
{
    const double mangled = explain_sum(x, NULL, "mangled");
    const double functions = explain_sum(x, NULL, "functions");
    size_t stripped = 0;
    for (size_t i = 0; i < x->rows; i++) {
        yaml_node_t *row = text_row(&x->t, x->list, i);
        stripped += text_get(&x->t, row, "text") && text_number(&x->t, row, "symtab") == 0;
    }
    if (explain_having(x, "functions", NULL))
        printf("%s %.0f %s with a symbol.\n", explain_of_them(x, "It has", "They have"), functions,
               explain_plural(functions, "function", "functions"));
    if (stripped && stripped == x->rows && explain_having(x, "functions", NULL))
        puts("Only functions that others can call have one: all is stripped.");
    else if (stripped && explain_having(x, "functions", NULL))
        printf("%zu of them %s stripped: of %s functions only those that others can call are counted.\n", stripped,
               explain_plural((double)stripped, "is", "are"), explain_plural((double)stripped, "its", "their"));
    if (mangled > 0)
        printf("%.0f %s C++ names.\n", mangled, explain_plural(mangled, "symbol has", "symbols have"));
    const double demangled = explain_sum(x, NULL, "demangled");
    if (demangled > 0)
        printf("Those that others can use are %.0f characters long as debuggers show them.\n", demangled);
    const double tabled = explain_sum(x, "exceptions", "functions");
    if (tabled > 0) {
        printf("%.0f %s what to do when an exception passes, in ", tabled,
               explain_plural(tabled, "function says", "functions say"));
        explain_bytes(explain_sum(x, "exceptions", "table"));
        puts(".");
    }
    const double pointed = explain_sum(x, NULL, "unwind-rbp");
    const double framed = explain_sum(x, NULL, "unwind-rsp") + pointed;
    if (framed > 0)
        printf("%.0f %s a frame, %.0f of them with a frame pointer.\n", framed,
               explain_plural(framed, "function has", "functions have"), pointed);
    tell_constructors(x, "constructor-memory", "take ", " of memory when all are loaded.");
    tell_constructors(x, "constructor-bss", "write to ", " of .bss.");
    if (explain_having(x, "dynamic", NULL)) {
        const double exported = explain_sum(x, "dynamic", "functions");
        const double objects = explain_sum(x, "dynamic", "objects");
        const double imported = explain_sum(x, "dynamic", "undefined");
        printf("%s %.0f %s and %.0f %s, and %s %.0f %s.\n", explain_of_them(x, "It exports", "They export"), exported,
               explain_plural(exported, "function", "functions"), objects, explain_plural(objects, "object", "objects"),
               explain_of_them(x, "imports", "import"), imported, explain_plural(imported, "symbol", "symbols"));
    }
    const double indirect = explain_sum(x, NULL, "ifunc");
    if (indirect > 0)
        printf("%.0f %s indirect: the dynamic linker calls them to learn which function is to be used.\n", indirect,
               explain_plural(indirect, "function is", "functions are"));
    const double unique = explain_sum(x, "dynamic", "unique");
    if (unique > 0)
        printf("Of %.0f %s a process has one, whichever libraries define it.\n", unique,
               explain_plural(unique, "object", "objects"));
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
            count[i] += explain_sum(x, "relocations", kinds[i].keys[k]);
        left += count[i] > 0;
    }
    if (left == 0)
        return;
    fputs("The dynamic linker applies relocations: ", stdout);
    for (size_t i = 0; i < KINDS; i++) {
        if (count[i] > 0)
            printf("%s%.0f %s", explain_between(&parts, --left == 0), count[i], kinds[i].words);
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
    const double outside = explain_sum(x, NULL, "outside");
    if (!explain_having(x, "needed", NULL) && !explain_having(x, "outside", NULL)) {
        puts("The profile does not say which of them need which.");
        return;
    }
    if (edges == 0 && x->rows > 1)
        puts("None of them needs another of them.");
    else if (edges > 0)
        printf("They need one another %.0f %s (DT_NEEDED); the one that needs most needs %.0f of them.\n", edges,
               explain_plural(edges, "time", "times"), most);
    if (outside > 0 && x->rows == 1)
        printf("It needs %.0f %s not in the profile.\n", outside,
               explain_plural(outside, "library that is", "libraries that are"));
    else if (outside > 0)
        printf("They need libraries that are not in the profile %.0f %s.\n", outside,
               explain_plural(outside, "time", "times"));
}

static void tell_links(struct explained *x)
{
    const struct {
        size_t count;
        const char *one, *several;
    } ways[] = {{explain_having(x, "bind", "now"), "is bound at once", "are bound at once"},
                {explain_having(x, "build-id", "false"), "has no build-id", "have no build-id"},
                {explain_having(x, "soname", "false"), "has no SONAME", "have no SONAME"},
                {explain_having_some(x, "runpath"), "has directories of its own to search",
                 "have directories of their own to search"}};
    enum { WAYS = sizeof ways / sizeof ways[0] };
    unsigned parts = 0;
    unsigned left = 0;
    for (size_t i = 0; i < WAYS; i++)
        left += ways[i].count > 0;
    if (left == 0)
        return;
    for (size_t i = 0; i < WAYS; i++) {
        if (ways[i].count > 0)
            printf("%s%zu %s", explain_between(&parts, --left == 0), ways[i].count,
                   explain_plural((double)ways[i].count, ways[i].one, ways[i].several));
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
    if (explain_having(x, "loaded", NULL))
        printf("The last was loaded %.0f ms after the first.\n", last);
    const size_t imports = explain_having(x, "import", NULL);
    if (imports)
        printf("Python took %.0f ms to import %zu of them.\n", explain_sum(x, NULL, "import"), imports);
}

/* ---- what it reveals ---- */

/* Which names the profile has, as far as that is known. */
static void tell_names(struct explained *x)
{
    const char *application = text_of(&x->t, x->t.root, "application");
    const size_t names = explain_having(x, "name", NULL);
    if (application)
        printf("It says what the application is: %s.\n", application);
    if (x->t.comments)
        puts("It has comments: read them before you share it.");
    if (names)
        printf("It NAMES %zu %s: it is for use in house.\n", names, explain_plural((double)names, "file", "files"));
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
    const bool linked = explain_having(x, "bind", NULL) || explain_having(x, "hash", NULL) ||
                        explain_having(x, "relro", NULL) || explain_having(x, "soname", NULL) || x->captured ||
                        text_get(t, top, "elf");
    const bool compiled = explain_having(x, "dwarf", NULL) || text_get(t, top, "dwarf");
    const bool styled = explain_having(x, "function-sizes", NULL) || explain_having(x, "share", NULL) ||
                        text_get(t, top, "names") || text_get(t, top, "distributions");
    const struct {
        bool is;
        const char *words;
    } reveals[] = {
        {true, x->rows ? "how many libraries there are and how much is in each of them"
                       : "how many libraries there are and how much is in all of them"},
        {explain_having(x, "needed", NULL) || explain_having(x, "outside", NULL), "how they need one another"},
        {linked, "which options of the linker were used"},
        {compiled, "which language it is in"},
        {compiled, "the age of the compiler"},
        {styled, "how large functions are"},
        {styled, "how long names are"},
        {explain_having(x, "zstd", NULL), "how well its parts compress"},
        {explain_having(x, "loaded", NULL), "how long its start took"},
        {explain_having(x, "machine", NULL), "for which machine it is"},
    };
    enum { REVEALS = sizeof reveals / sizeof reveals[0] };
    unsigned parts = 0;
    unsigned left = 0;
    for (size_t i = 0; i < REVEALS; i++)
        left += reveals[i].is;
    fputs("Its numbers reveal ", stdout);
    for (size_t i = 0; i < REVEALS; i++) {
        if (reveals[i].is)
            printf("%s%s", explain_between(&parts, --left == 0), reveals[i].words);
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
    if (!explain_having(x, "dwarf", NULL) && !x->captured && size_of(x, "debug") != 0)
        explain_dialect(x);
    if (x->rows)
        explain_dwarf(x);
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
