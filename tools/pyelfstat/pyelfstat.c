/* pyelfstat: compares the five sizes that were wanted with the actual ones, for sets and files. With --dwarf it says
 * what their debug information consists of (dwarf_report.h).
 *
 * Actual sizes are read from the ELF files. The manifest of a set only says which files belong to it and what was
 * wanted. A file that cannot be read loses its own row and makes the exit status a failure; the rest is reported all
 * the same.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cli.h"
#include "base/file_begin.h"
#include "base/process.h"
#include "driver/results/results.h"
#include "elf/read/sizes.h"
#include "tools/common/report.h"
#include "tools/common/set.h"
#include "tools/compare/compare.h"
#include "tools/pyelfstat/dwarf_report.h"
#include "tools/pyelfstat/runs.h"

enum {
    OPTION_COMPARE = 256,
    OPTION_DWARF,
    OPTION_EACH,
    OPTION_JSON,
    OPTION_RUNS,
    OPTION_CHECK,
    OPTION_LIMIT,
    OPTION_OF_COMPARE
};

struct row {
    const char *name;
    struct counts sizes;
};

/* What was read from several libraries. */
struct table {
    struct row *rows; /* one for each library that could be read */
    size_t count;
    size_t unreadable;
    struct counts sum;
};

/* ---- counting ---- */

static bool counts_from(const struct file_sizes *sizes, struct counts *counts)
{
    *counts = (struct counts){.of = {[COLUMN_TEXT] = sizes->text,
                                     [COLUMN_DATA] = sizes->data,
                                     [COLUMN_DEBUG] = sizes->debug,
                                     [COLUMN_SYMTAB] = sizes->symtab,
                                     [COLUMN_STRTAB] = sizes->strtab,
                                     [COLUMN_BSS] = sizes->bss}};
    for (int c = 0; c < COLUMNS; c++)
        counts->known[c] = true;
    return sizes_total(sizes, &counts->of[COLUMN_TOTAL]);
}

/* Adds the sizes of the files with split debug information. Where all files together have as many bytes of it as the
 * manifest states, the size before the split counts instead. Only the manifest has that one. */
static bool read_split(const struct library *library, struct file_sizes *sizes, struct error *e)
{
    for (size_t i = 0; i < library->split_paths; i++) {
        struct file_sizes more;
        if (!sizes_read(library->split_path[i], &more, e))
            return false;
        if (!sizes_add(sizes, &more))
            return error_set(e, ERROR_INPUT, "%s has too large sizes", library->name);
    }
    if (library->split_paths && sizes->debug == library->split)
        sizes->debug = library->before_split;
    return true;
}

/* The sizes of a library. Of a debug file it adds only the debug information and symbols. */
static bool library_read(const struct library *library, struct file_sizes *sizes, struct error *e)
{
    struct file_sizes debug;
    if (!sizes_read(library->path, sizes, e))
        return false;
    if (!library->debug_path)
        return read_split(library, sizes, e);
    if (!sizes_read(library->debug_path, &debug, e))
        return false;
    debug.text = debug.data = debug.bss = 0; /* the library's file says these */
    return sizes_add(sizes, &debug) || error_set(e, ERROR_INPUT, "%s has too large sizes", library->name);
}

/* Results of pyelfrun and profiles are no ELF files either: says which other report takes them. */
static void advise(const char *path, struct error *e)
{
    char start[256];
    ssize_t n;
    if (strcmp(e->text, "is not an ELF file") != 0 || !file_begin(path, start, sizeof start, &n))
        return;
    if (n > 0 && memmem(start, (size_t)n, "\"" RESULTS_KEY "\"", sizeof "\"" RESULTS_KEY "\"" - 1)) {
        error_set(e, ERROR_INPUT, "is not an ELF file, but results of pyelfrun; give --runs for these");
        error_at(e, path, 0);
    } else if (file_begin_is_profile(start, n)) {
        error_set(e, ERROR_INPUT, "is not an ELF file, but a profile; give --compare for two of these");
        error_at(e, path, 0);
    }
}

/* Reads every library, and complains of those that cannot be read. False where their sum overflows. */
static bool table_read(struct report *r, const struct library *libraries, size_t count, struct table *t,
                       struct error *e)
{
    *t = (struct table){.rows = report_must(arena_zeroed(&r->arena, count + 1, sizeof *t->rows))};
    struct file_sizes sum = {0};
    bool fits = true;
    for (size_t i = 0; i < count; i++) {
        struct file_sizes sizes;
        struct error broken;
        if (!library_read(&libraries[i], &sizes, &broken)) {
            advise(libraries[i].path, &broken);
            report_complain(r, &broken);
            t->unreadable++;
            continue;
        }
        struct row *row = &t->rows[t->count++];
        row->name = report_text(r, libraries[i].name);
        fits = counts_from(&sizes, &row->sizes) && sizes_add(&sum, &sizes) && fits;
    }
    fits = fits && counts_from(&sum, &t->sum);
    return fits || error_set(e, ERROR_INPUT, "the libraries together have more than 2^64 bytes");
}

/* ---- text ---- */

static void print_heading(const char *corner, int corner_width, const int *widths)
{
    printf("%-*s", corner_width, corner);
    for (int c = 0; c < COLUMNS; c++)
        printf("  %*s", widths[c], size_column_names[c]);
}

/* Prints the wanted and the actual sizes in MB, and their differences in bytes. */
static void print_sums(const struct counts *wanted, const struct counts *actual)
{
    enum { WANTED, ACTUAL, DIFFERENCE, LINES };
    static const char *const labels[LINES] = {"wanted, MB", "actual, MB", "difference, bytes"};
    int label_width = (int)strlen(labels[DIFFERENCE]);
    char cells[LINES][COLUMNS][32];
    int widths[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
        uint64_t want = wanted->of[c];
        uint64_t have = actual->of[c];
        strcpy(cells[WANTED][c], "-");
        strcpy(cells[DIFFERENCE][c], "-");
        snprintf(cells[ACTUAL][c], sizeof cells[ACTUAL][c], "%.3f", (double)have / 1e6);
        if (wanted->known[c]) {
            snprintf(cells[WANTED][c], sizeof cells[WANTED][c], "%.3f", (double)want / 1e6);
            snprintf(cells[DIFFERENCE][c], sizeof cells[DIFFERENCE][c], "%s%" PRIu64,
                     have < want   ? "-"
                     : have > want ? "+"
                                   : "",
                     have < want ? want - have : have - want);
        }
        widths[c] = 8;
        for (int line = 0; line < LINES; line++) {
            int width = (int)strlen(cells[line][c]);
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
    print_heading("", label_width, widths);
    putchar('\n');
    for (int line = 0; line < LINES; line++) {
        printf("%-*s", label_width, labels[line]);
        for (int c = 0; c < COLUMNS; c++)
            printf("  %*s", widths[c], cells[line][c]);
        putchar('\n');
    }
}

static void print_row(const struct counts *counts, const int *widths, const char *name)
{
    printf("%5s", "");
    for (int c = 0; c < COLUMNS; c++)
        printf("  %*" PRIu64, widths[c], counts->of[c]);
    printf("  %s\n", name);
}

static void print_rows(const struct table *t)
{
    int widths[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
        int width = snprintf(NULL, 0, "%" PRIu64, t->sum.of[c]);
        widths[c] = width > 6 ? width : 6;
    }
    print_heading("bytes", 5, widths);
    puts("  file");
    for (size_t i = 0; i < t->count; i++)
        print_row(&t->rows[i].sizes, widths, t->rows[i].name);
    if (t->count > 1)
        print_row(&t->sum, widths, "(all)");
}

static void print_set(struct report *r, const struct set *set, const struct table *t)
{
    report_gap(r);
    printf("%s: ", report_text(r, set->path));
    if (*set->application)
        printf("%s, ", report_text(r, set->application));
    printf("%zu %s", set->count, set->count == 1 ? "library" : "libraries");
    if (t->unreadable)
        printf(", %zu of them not readable and not counted", t->unreadable);
    putchar('\n');
    print_sums(&set->wanted, &t->sum);
    if (r->each) {
        report_gap(r);
        print_rows(t);
    }
}

/* ---- JSON ---- */

static void json_start(struct report *r)
{
    static const char *const arrays[] = {"sets", "files", "errors"};
    r->root = report_must(json_object_new_object());
    json_object_object_add(r->root, "pyelfstat", json_object_new_int(1));
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        json_object_object_add(r->root, arrays[i], report_must(json_object_new_array()));
}

static json_object *json_counts(const struct counts *counts)
{
    json_object *object = report_must(json_object_new_object());
    for (int c = 0; c < COLUMNS; c++)
        json_object_object_add(object, size_column_names[c],
                               counts->known[c] ? report_must(json_object_new_uint64(counts->of[c])) : NULL);
    return object;
}

static json_object *json_difference(const struct counts *wanted, const struct counts *actual)
{
    json_object *object = report_must(json_object_new_object());
    for (int c = 0; c < COLUMNS; c++) {
        /* Subtracts modulo 2^64, which is right for differences below 2^63. */
        int64_t difference = (int64_t)(actual->of[c] - wanted->of[c]);
        json_object_object_add(object, size_column_names[c],
                               wanted->known[c] ? report_must(json_object_new_int64(difference)) : NULL);
    }
    return object;
}

static void json_rows(struct report *r, const struct table *t, json_object *array)
{
    for (size_t i = 0; i < t->count; i++) {
        json_object *row = report_must(json_object_new_object());
        json_object_object_add(row, "name", report_json_text(r, t->rows[i].name));
        json_object_object_add(row, "sizes", json_counts(&t->rows[i].sizes));
        json_object_array_add(array, row);
    }
}

static void json_set(struct report *r, const struct set *set, const struct table *t)
{
    json_object *object = report_must(json_object_new_object());
    json_object_object_add(object, "path", report_json_text(r, set->path));
    json_object_object_add(object, "application", report_json_text(r, set->application));
    json_object_object_add(object, "libraries", report_must(json_object_new_uint64(set->count)));
    json_object_object_add(object, "unreadable", report_must(json_object_new_uint64(t->unreadable)));
    json_object_object_add(object, "wanted", json_counts(&set->wanted));
    json_object_object_add(object, "actual", json_counts(&t->sum));
    json_object_object_add(object, "difference", json_difference(&set->wanted, &t->sum));
    if (r->each) {
        json_object *rows = report_must(json_object_new_array());
        json_rows(r, t, rows);
        json_object_object_add(object, "each", rows);
    }
    json_object_array_add(json_object_object_get(r->root, "sets"), object);
}

/* ---- the program ---- */

static void report_set(struct report *r, const char *path)
{
    struct set set;
    struct table table;
    struct error e;
    const bool read = set_read(path, &r->arena, &set, &e);
    if (read && set.below)
        fprintf(stderr, "pyelfstat: %s: %zu more *.so in directories below it %s not counted; name these too\n",
                report_text(r, path), set.below, set.below == 1 ? "is" : "are");
    if (read && set.incomplete)
        fprintf(stderr,
                "pyelfstat: %s: looks like an incomplete set; numbers are those of the files that are there; run "
                "pyelfgen again\n",
                report_text(r, path));
    if (!read) {
        report_complain(r, &e);
    } else if (r->dwarf) {
        dwarf_report(r, &set, set.libraries, set.count);
    } else if (!table_read(r, set.libraries, set.count, &table, &e)) {
        error_at(&e, path, 0);
        report_complain(r, &e);
    } else if (r->json) {
        json_set(r, &set, &table);
    } else {
        print_set(r, &set, &table);
    }
}

static void report_files(struct report *r, const struct library *files, size_t count)
{
    struct table table;
    struct error e;
    if (r->dwarf) {
        if (count > 0)
            dwarf_report(r, NULL, files, count);
    } else if (!table_read(r, files, count, &table, &e)) {
        report_complain(r, &e);
    } else if (r->json) {
        json_rows(r, &table, json_object_object_get(r->root, "files"));
    } else if (table.count > 0) {
        report_gap(r);
        print_rows(&table);
    }
}

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Reports on the sets in the order given, then prints a row for each file. */
static void report_all(struct report *r, char **operands, size_t count)
{
    if (r->json)
        json_start(r);
    struct library *files = report_must(arena_zeroed(&r->arena, count, sizeof *files));
    size_t file_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_directory(operands[i]))
            report_set(r, operands[i]);
        else
            files[file_count++] = (struct library){.name = operands[i], .path = operands[i]};
    }
    report_files(r, files, file_count);
    if (r->json)
        puts(report_must(
            (char *)json_object_to_json_string_ext(r->root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE)));
    json_object_put(r->root);
}

static const struct cli_option options[] = {
    {OPTION_CHECK, "check", NULL, "with --runs: fail where runs did, or one was slow"},
    {OPTION_COMPARE, "compare", NULL, "compare REAL and TWIN, with options of its own"},
    {OPTION_DWARF, "dwarf", NULL, "report what the debug information consists of"},
    {OPTION_EACH, "each", NULL, "also print a row for each library, in bytes"},
    {OPTION_JSON, "json", NULL, "report as JSON"},
    {OPTION_LIMIT, "limit", "PHASE=SECONDS", "as --check, and fail if the phase takes longer"},
    {OPTION_RUNS, "runs", NULL, "put results of pyelfrun --json side by side"},
    /* these belong to --compare, which the answer says */
    {OPTION_OF_COMPARE, "libraries", NULL, NULL},
    {OPTION_OF_COMPARE + 1, "html", "FILE", NULL},
    {OPTION_OF_COMPARE + 2, "tolerance", "PERCENT", NULL},
    {OPTION_OF_COMPARE + 3, "match", "HOW", NULL},
    {OPTION_OF_COMPARE + 4, "debug-dir", "DIRECTORY", NULL},
    {OPTION_OF_COMPARE + 5, "full", NULL, NULL},
    {OPTION_OF_COMPARE + 6, "no-dwarf", NULL, NULL},
    {OPTION_OF_COMPARE + 7, "told", NULL, NULL},
    {OPTION_OF_COMPARE + 8, "without", "PATTERN", NULL},
};

static const struct cli_program program = {
    .name = "pyelfstat",
    .usage = "[OPTION]... SET|FILE...\n--compare [OPTION]... REAL TWIN\n--runs RESULTS...",
    .summary = "Report the five sizes of sets and ELF files, and for sets also those wanted;\n"
               "or, with --dwarf, what their debug information consists of;\n"
               "or, with --compare, how an application and its twin differ;\n"
               "or, with --runs, how long sets took to load and to visit.",
    .details = "A SET is a directory. Its manifest.json names the libraries that count and the\n"
               "sizes that were wanted. Without a manifest, every *.so in the directory counts;\n"
               "of a file and links to it, one counts. Libraries in directories below do not\n"
               "count. A message says so, and also if pyelfgen has not completed a set.\n"
               "\n"
               "FILEs may be of any ELF class. Each gets a row of its own, in bytes, and counts\n"
               "alone, whatever it links to.\n"
               "\n"
               "The five sizes are text, data, debug, symtab and strtab; docs/sizes.md says what\n"
               "each counts. The total is their sum. bss is not in it, as it takes no room in a\n"
               "file. 1 MB is 1,000,000 bytes. Sizes are read from the files. Where the manifest\n"
               "names debug files, what is in these is read from them.\n"
               "\n"
               "With --dwarf, the libraries of a SET, and all FILEs together, are summed to one\n"
               "table: bytes per debug section (uncompressed), units, entries (DIEs) by tag,\n"
               "attributes and their forms, where variables and parameters are said to be,\n"
               "lists, line tables and names. DWARF 2 to 5 is read. Files that units refer to\n"
               "(.dwo, .dwz) are not read. With --each, there is a table for every file too.\n"
               "\n"
               "With --compare, REAL and TWIN are compared in all that pyelfprof captures. Each\n"
               "is a set, another directory, an ELF file or a profile (a file, - for standard\n"
               "input, or a shipped one). The options are then --libraries, --json FILE,\n"
               "--html FILE (a page with pictures), --tolerance PERCENT, --match name|order,\n"
               "--without PATTERN, --told, --debug-dir DIRECTORY, --full and --no-dwarf.\n"
               "The exit status is that of diff: 0 when nothing is off, 1 when something is,\n"
               "2 for trouble. pyelfstat --compare --help says more.\n"
               "\n"
               "With --runs, RESULTS are files that pyelfrun --json has written. Each mode in\n"
               "each file is a row: the seconds of the slowest rank, of repeated runs the\n"
               "median. A ratio is to the same mode of the first file that has it; if there is\n"
               "one file, to its first row. Ranks and hosts that are far above the others are\n"
               "named. Counters follow where there are any, as the mean of the ranks.\n"
               "\n"
               "With --check the last lines say whether the results pass, and so does the exit\n"
               "status. They do not where a run failed, a file is of another set than the first,\n"
               "a rank or host is far above the others (there have to be four), or one of\n"
               "--limit is exceeded in any row. A PHASE is startup, import, visit, mpi, or total\n"
               "for the first three. --limit can be given for each phase, and implies --check.\n"
               "\n"
               "Examples:\n"
               "  pyelfstat SET\n"
               "                    sizes wanted, actual, and their difference\n"
               "  pyelfstat --each --json SET\n"
               "                    everything, for a program\n"
               "  pyelfstat /usr/bin/python3\n"
               "                    one file\n"
               "  pyelfstat --dwarf *.so\n"
               "                    what the debug information of these files consists of\n"
               "  pyelfstat --compare --html twin.html realapp.prof twin\n"
               "                    how an application and its twin differ\n"
               "  pyelfstat --runs a.json b.json\n"
               "                    results of pyelfrun side by side\n"
               "  pyelfstat --runs --limit total=2.5 cold.json\n"
               "                    whether a machine is fast enough\n"
               "\n"
               "Exit status:\n"
               "  0  everything was read, whether sizes are those wanted or not\n"
               "  1  something could not be read, or results did not pass\n"
               "  2  the command line is wrong\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
};

/* Whether the command line is for compare_main, which has options of its own. */
static bool is_comparison(int argc, char **argv)
{
    static const char name[] = "--compare";
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        size_t length = strlen(argv[i]);
        if (length > 2 && strncmp(argv[i], name, length) == 0)
            return true;
    }
    return false;
}

static int refuse_of_compare(int key)
{
    struct error e;
    for (size_t i = 0; i < program.option_count; i++)
        if (options[i].key == key)
            error_set(&e, ERROR_USAGE, "--%s is of --compare: give that too; see pyelfstat --compare --help",
                      options[i].name);
    return error_report(program.name, &e);
}

/* Moves the operands to the front of argv. Returns -1 to go on, otherwise the exit status. */
static int parse(int argc, char **argv, struct report *r, size_t *count, struct runs_limits *limits)
{
    struct cli cli = cli_start(&program, argc, argv);
    struct error e;
    const char *value;
    *count = 0;
    for (int key; (key = cli_next(&cli, &value, &e)) != CLI_END;) {
        switch (key) {
        case OPTION_DWARF:
            r->dwarf = true;
            break;
        case OPTION_EACH:
            r->each = true;
            break;
        case OPTION_JSON:
            r->json = true;
            break;
        case OPTION_RUNS:
            r->runs = true;
            break;
        case OPTION_LIMIT:
            if (!runs_limit_read(limits, value, &e))
                return error_report(program.name, &e);
            limits->check = true;
            break;
        case OPTION_CHECK:
            limits->check = true;
            break;
        case CLI_OPERAND:
            argv[(*count)++] = (char *)value;
            break;
        case CLI_DONE:
            return 0;
        case CLI_WRONG:
            return error_report(program.name, &e);
        default:
            return refuse_of_compare(key);
        }
    }
    if (*count == 0) {
        error_set(&e, ERROR_USAGE, "no %s given; see --help", r->runs ? "RESULTS are" : "SET or FILE is");
        return error_report(program.name, &e);
    }
    if (r->runs && (r->dwarf || r->each || r->json)) {
        error_set(&e, ERROR_USAGE, "--runs: there is a table and nothing else; leave the other options out");
        return error_report(program.name, &e);
    }
    if (limits->check && !r->runs) {
        error_set(&e, ERROR_USAGE, "%s is of --runs: give that too", limits->count ? "--limit" : "--check");
        return error_report(program.name, &e);
    }
    return -1;
}

int main(int argc, char **argv)
{
    process_start();
    if (is_comparison(argc, argv))
        return compare_main(argc, argv);
    struct report report = {0};
    size_t count;
    struct runs_limits limits = {0};
    int status = parse(argc, argv, &report, &count, &limits);
    if (status < 0) {
        if (report.runs)
            runs_report(&report, argv, count, &limits);
        else
            report_all(&report, argv, count);
        status = report.failed ? 1 : 0;
    }
    arena_free(&report.arena);
    return process_printed(program.name) ? status : EXIT_FAILURE;
}
