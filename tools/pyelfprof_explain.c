/* What a profile says, in sentences; see pyelfprof.h.
 *
 * Any profile will do, also one that was written by hand: it is read as YAML, and
 * what is not there is not spoken of. Whether pyelfgen can follow it is for pyelfgen
 * to say.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

#include "tools/pyelfprof.h"

enum { PROFILE_MOST = 1 << 26, BRACKETS_MOST = 10000 };

struct text {
    yaml_document_t document;
    yaml_node_t *root;
};

/* ---- nodes ---- */

/* NULL where the mapping has no such key, or is none. */
static yaml_node_t *get(struct text *t, yaml_node_t *mapping, const char *key)
{
    if (!mapping || mapping->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *p = mapping->data.mapping.pairs.start; p < mapping->data.mapping.pairs.top; p++) {
        yaml_node_t *name = yaml_document_get_node(&t->document, p->key);
        if (name && name->type == YAML_SCALAR_NODE && strcmp((char *)name->data.scalar.value, key) == 0)
            return yaml_document_get_node(&t->document, p->value);
    }
    return NULL;
}

static const char *scalar(yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (char *)node->data.scalar.value : NULL;
}

static const char *get_text(struct text *t, yaml_node_t *mapping, const char *key)
{
    return scalar(get(t, mapping, key));
}

static double number_of(const char *text)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}};
    char *end;
    double number = text ? strtod(text, &end) : 0;
    if (!text)
        return 0;
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(end, units[i].unit) == 0)
            number *= units[i].bytes;
    }
    return number >= 0 && number < 1e18 ? number : 0;
}

static double get_number(struct text *t, yaml_node_t *mapping, const char *key)
{
    return number_of(get_text(t, mapping, key));
}

/* ---- rows ---- */

static size_t rows(yaml_node_t *list)
{
    return list && list->type == YAML_SEQUENCE_NODE
               ? (size_t)(list->data.sequence.items.top - list->data.sequence.items.start)
               : 0;
}

static yaml_node_t *row(struct text *t, yaml_node_t *list, size_t i)
{
    return yaml_document_get_node(&t->document, list->data.sequence.items.start[i]);
}

/* The sum over all rows of a key, of a mapping in the row where `in` is not NULL. */
static double sum(struct text *t, yaml_node_t *list, const char *in, const char *key)
{
    double total = 0;
    for (size_t i = 0; i < rows(list); i++) {
        yaml_node_t *of = row(t, list, i);
        total += get_number(t, in ? get(t, of, in) : of, key);
    }
    return total;
}

/* Rows that have the key with this text; NULL for any. */
static size_t having(struct text *t, yaml_node_t *list, const char *key, const char *text)
{
    size_t count = 0;
    for (size_t i = 0; i < rows(list); i++) {
        yaml_node_t *of = get(t, row(t, list, i), key);
        count += of && (!text || (scalar(of) && strcmp(scalar(of), text) == 0));
    }
    return count;
}

/* ---- sentences ---- */

static void print_bytes(double bytes)
{
    if (bytes >= 1e9)
        printf("%.2f GB", bytes / 1e9);
    else if (bytes >= 1e6)
        printf("%.1f MB", bytes / 1e6);
    else if (bytes >= 1e3)
        printf("%.1f kB", bytes / 1e3);
    else
        printf("%.0f bytes", bytes);
}

static void tell_sizes(struct text *t)
{
    static const struct {
        const char *key, *words;
    } sizes[] = {{"text", "code and constants (text)"}, {"data", "data"},
                 {"bss", "zeroed memory (bss)"},        {"debug", "debug information"},
                 {"symtab", "symbol tables"},           {"strtab", "their names"}};
    yaml_node_t *sections = get(t, t->root, "sections");
    bool begun = false;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (!get(t, sections, sizes[i].key))
            continue;
        fputs(begun ? ", " : "Together they have ", stdout);
        print_bytes(get_number(t, sections, sizes[i].key));
        printf(" of %s", sizes[i].words);
        begun = true;
    }
    if (begun)
        puts(".");
}

static void tell_counts(struct text *t)
{
    double modules = get_number(t, t->root, "modules");
    double utilities = get_number(t, t->root, "utilities");
    printf("The application has %.0f shared %s: %.0f Python extension modules and %.0f others.\n", modules + utilities,
           modules + utilities == 1 ? "library" : "libraries", modules, utilities);
    yaml_node_t *captured = get(t, t->root, "captured");
    const char *from = get_text(t, captured, "from");
    if (from)
        printf("They were captured from %s",
               strcmp(from, "exec") == 0     ? "what a program would load"
               : strcmp(from, "python") == 0 ? "what a Python script imported"
               : strcmp(from, "run") == 0    ? "what a run loaded, in that order"
               : strcmp(from, "pid") == 0    ? "a process, in the order in which it had loaded them"
               : strcmp(from, "core") == 0   ? "a core file, in the order in which its process had loaded them"
                                             : "files");
    double unreadable = get_number(t, captured, "unreadable");
    if (from && unreadable > 0)
        printf("; %.0f could not be read", unreadable);
    if (from)
        puts(".");
}

static void tell_symbols(struct text *t, yaml_node_t *list)
{
    double functions = sum(t, list, NULL, "functions");
    printf("They have %.0f functions", functions);
    double mangled = sum(t, list, NULL, "mangled");
    if (mangled > 0)
        printf(", and %.0f symbols with C++ names", mangled);
    printf(". They export %.0f functions and %.0f objects, and import %.0f symbols.\n",
           sum(t, list, "dynamic", "functions"), sum(t, list, "dynamic", "objects"),
           sum(t, list, "dynamic", "undefined"));
    printf("The dynamic linker applies %.0f relative relocations, %.0f for addresses of symbols and %.0f for calls.\n",
           sum(t, list, "relocations", "relative") + sum(t, list, "relocations", "relr"),
           sum(t, list, "relocations", "glob-dat") + sum(t, list, "relocations", "64"),
           sum(t, list, "relocations", "jump-slot"));
}

/* Edges in "0:12 5-8 17". */
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

static void tell_graph(struct text *t, yaml_node_t *list)
{
    double edges = 0;
    double most = 0;
    for (size_t i = 0; i < rows(list); i++) {
        double own = edges_of(get_text(t, row(t, list, i), "needed"));
        edges += own;
        most = own > most ? own : most;
    }
    printf("They need one another %.0f times, one of them %.0f others; %.0f times they need libraries outside.\n",
           edges, most, sum(t, list, NULL, "outside"));
    printf("%zu bind at once, %zu have no build-id, %zu no SONAME, %zu search directories of their own.\n",
           having(t, list, "bind", "now"), having(t, list, "build-id", "false"), having(t, list, "soname", "false"),
           having(t, list, "runpath", NULL));
}

static void tell_dwarf(struct text *t, yaml_node_t *list)
{
    size_t with = having(t, list, "dwarf", NULL);
    if (!with) {
        printf("%zu have debug information, of which only the sizes are said.\n", having(t, list, "debug", NULL));
        return;
    }
    printf("%zu have debug information: %.0f units, %.0f entries, %.0f rows of line tables, %.0f entries of location "
           "lists.\n",
           with, sum(t, list, "dwarf", "units"), sum(t, list, "dwarf", "dies"), sum(t, list, "dwarf", "rows"),
           sum(t, list, "dwarf", "entries"));
    size_t sampled = 0;
    double error = 0;
    for (size_t i = 0; i < rows(list); i++) {
        yaml_node_t *dwarf = get(t, row(t, list, i), "dwarf");
        double own = get_number(t, dwarf, "error");
        sampled += get(t, dwarf, "sampled") != NULL;
        error = own > error ? own : error;
    }
    if (sampled)
        printf(
            "Of %zu only a part was read: the number of entries is sure to %.1f %% or better (one standard error).\n",
            sampled, error);
}

static void tell_secrets(struct text *t, yaml_node_t *list)
{
    const char *application = get_text(t, t->root, "application");
    size_t names = having(t, list, "name", NULL);
    if (application)
        printf("It says what the application is: %s.\n", application);
    if (names)
        printf("It NAMES %zu libraries: it was made with --names, for use in house.\n", names);
    else
        puts("It names no library, function, file or directory, and has no string of the application.");
    puts("What it does reveal is what the numbers above are: how large the code is and how it is divided,\n"
         "which compiler and linker options it was built with, and how its libraries need one another.");
}

static void explain(struct text *t)
{
    yaml_node_t *list = get(t, t->root, "libraries");
    tell_counts(t);
    tell_sizes(t);
    if (rows(list)) {
        tell_symbols(t, list);
        tell_graph(t, list);
        tell_dwarf(t, list);
    }
    tell_secrets(t, list);
}

/* ---- the file ---- */

/* Whether so many brackets are open at a time that libyaml, whose time goes with the
 * square of their number, would never end. */
static bool nests_too_deep(FILE *from)
{
    int open = 0;
    for (int c; open < BRACKETS_MOST && (c = getc(from)) != EOF;)
        open += c == '[' || c == '{' ? 1 : open > 0 && (c == ']' || c == '}') ? -1 : 0;
    rewind(from);
    return open == BRACKETS_MOST;
}

static bool load(struct text *t, FILE *from, const char *path, struct error *e)
{
    if (nests_too_deep(from)) {
        error_set(e, ERROR_INPUT, "is no profile: its brackets are nested too deep");
        return error_at(e, path, 0);
    }
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return error_set(e, ERROR_MEMORY, "out of memory");
    yaml_parser_set_input_file(&parser, from);
    bool ok = yaml_parser_load(&parser, &t->document);
    if (!ok) {
        error_set(e, ERROR_INPUT, "is no YAML: %s", parser.problem ? parser.problem : "it cannot be read");
        error_at(e, path, (unsigned)parser.problem_mark.line + 1);
    }
    yaml_parser_delete(&parser);
    return ok;
}

bool prof_explain(const char *path, struct error *e)
{
    struct text t = {0};
    struct stat st;
    if (stat(path, &st) != 0)
        return error_errno(e, path, "cannot open");
    if (!S_ISREG(st.st_mode) || st.st_size > PROFILE_MOST) {
        error_set(e, ERROR_INPUT, "is no profile: not a regular file of at most 64 MiB");
        return error_at(e, path, 0);
    }
    FILE *from = fopen(path, "re");
    if (!from)
        return error_errno(e, path, "cannot open");
    bool ok = load(&t, from, path, e);
    fclose(from);
    if (!ok)
        return false;
    t.root = yaml_document_get_root_node(&t.document);
    ok = get_text(&t, t.root, "pyelfgen-profile") != NULL;
    if (ok) {
        explain(&t);
        ok = fflush(stdout) == 0 || error_errno(e, "", "cannot write");
    } else {
        error_set(e, ERROR_INPUT, "is no profile: it has no key pyelfgen-profile");
        error_at(e, path, 0);
    }
    yaml_document_delete(&t.document);
    return ok;
}
