/* Reads debug information, adds it up, and reports on it; see dwarf_report.h. */
#include "tools/pyelfstat/dwarf_report.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "dwarf/stats/stats.h"
#include "elf/read/sizes.h"
#include "tools/capture/prof.h"

/* ---- numbers ---- */

/* What ratios are made of: the numbers of the statistics, and sums of these. */
enum {
    OF_UNITS = STATS_NUMBERS,
    OF_SHAPES,
    OF_PLACED,      /* variables and parameters */
    OF_PLACED_LIST, /* those of them with a location list */
    OF_DEBUG_BYTES,
    OF_INFO_BYTES,
    OF_LIST_BYTES,
    OF_RANGE_BYTES,
    OF_LINE_BYTES,
    OF_TEXT_KB,
    OF_ALL
};

static const struct {
    const char *label;
    const char *key; /* its name in JSON */
    int numerator;
    int denominator;
    int digits;
} ratios[] = {
    {"units per file", "units_per_file", OF_UNITS, STATS_FILES, 1},
    {"DIEs per unit", "dies_per_unit", STATS_DIES, OF_UNITS, 0},
    {"defined functions per unit", "functions_per_unit", STATS_FUNCTIONS, OF_UNITS, 1},
    {"abbreviations used per unit", "abbreviations_per_unit", STATS_ABBREVIATIONS, OF_UNITS, 0},
    {"DIEs per defined function", "dies_per_function", STATS_DIES, STATS_FUNCTIONS, 1},
    {"DIEs per subprogram", "dies_per_subprogram", STATS_DIES, STATS_SUBPROGRAMS, 1},
    {"inlined subroutines per defined function", "inlined_per_function", STATS_INLINED, STATS_FUNCTIONS, 1},
    {"attributes per DIE", "attributes_per_die", STATS_ATTRIBUTES, STATS_DIES, 2},
    {"bytes of .debug_info per DIE", "info_bytes_per_die", OF_INFO_BYTES, STATS_DIES, 2},
    {"line rows per kB of .text", "line_rows_per_text_kb", STATS_LINE_ROWS, OF_TEXT_KB, 0},
    {"line rows per defined function", "line_rows_per_function", STATS_LINE_ROWS, STATS_FUNCTIONS, 0},
    {"line rows per sequence", "line_rows_per_sequence", STATS_LINE_ROWS, STATS_LINE_SEQUENCES, 0},
    {"bytes per line row", "bytes_per_line_row", OF_LINE_BYTES, STATS_LINE_ROWS, 2},
    {"list entries per variable with a list", "entries_per_list", STATS_PLACED_LIST_ENTRIES, OF_PLACED_LIST, 2},
    {"entry values per list entry", "entry_values_per_list_entry", STATS_ENTRY_VALUES, STATS_LIST_ENTRIES, 3},
    {"bytes per list entry", "bytes_per_list_entry", OF_LIST_BYTES, STATS_LIST_ENTRIES, 1},
    {"ranges per range list", "ranges_per_list", STATS_RANGE_ENTRIES, STATS_RANGE_LISTS, 2},
    {"bytes per range", "bytes_per_range", OF_RANGE_BYTES, STATS_RANGE_ENTRIES, 1},
    {"names per DIE", "names_per_die", STATS_NAMES, STATS_DIES, 2},
    {"mean length of a name", "name_length", STATS_NAME_BYTES, STATS_NAMES, 1},
    {"mean length of a type's name", "type_name_length", STATS_TYPE_NAME_BYTES, STATS_TYPE_NAMES, 1},
    {"linkage names per DIE", "linkage_names_per_die", STATS_LINKAGE_NAMES, STATS_DIES, 2},
    {"mean length of a linkage name", "linkage_name_length", STATS_LINKAGE_NAME_BYTES, STATS_LINKAGE_NAMES, 1},
};
enum { RATIOS = sizeof ratios / sizeof ratios[0] };

/* Variables and parameters by their kind of location. */
enum { PLACES = 4 };
static const char *const place_names[PLACES] = {"list", "expression", "constant", "none"};

static uint64_t placed(const struct debug_stats *s, int place)
{
    return s->number[STATS_VARIABLES_LIST + place] + s->number[STATS_PARAMETERS_LIST + place];
}

/* Bytes of all sections of that name, with and without .dwo. */
static double section_bytes(const struct debug_stats *s, const char *name)
{
    uint64_t bytes = 0;
    size_t length = strlen(name);
    for (uint32_t i = 0; i < s->section_count; i++) {
        const char *rest = s->section[i].name + length;
        if (strncmp(s->section[i].name, name, length) == 0 && (!*rest || strcmp(rest, ".dwo") == 0))
            bytes += s->section[i].bytes;
    }
    return (double)bytes;
}

static void sum_bytes(const struct debug_stats *s, uint64_t *bytes, uint64_t *file_bytes)
{
    *bytes = *file_bytes = 0;
    for (uint32_t i = 0; i < s->section_count; i++) {
        *bytes += s->section[i].bytes;
        *file_bytes += s->section[i].file_bytes;
    }
}

static void values_of(const struct debug_stats *s, double value[OF_ALL])
{
    uint64_t bytes;
    uint64_t file_bytes;
    sum_bytes(s, &bytes, &file_bytes);
    for (int n = 0; n < STATS_NUMBERS; n++)
        value[n] = (double)s->number[n];
    value[OF_UNITS] = 0;
    for (int n = STATS_COMPILE_UNITS; n <= STATS_SKELETON_UNITS; n++)
        value[OF_UNITS] += value[n];
    value[OF_SHAPES] = (double)s->shapes.count;
    value[OF_PLACED] = 0;
    for (int place = 0; place < PLACES; place++)
        value[OF_PLACED] += (double)placed(s, place);
    value[OF_PLACED_LIST] = (double)placed(s, 0);
    value[OF_DEBUG_BYTES] = (double)bytes;
    value[OF_INFO_BYTES] = section_bytes(s, ".debug_info") + section_bytes(s, ".debug_types");
    value[OF_LIST_BYTES] = section_bytes(s, ".debug_loc") + section_bytes(s, ".debug_loclists");
    value[OF_RANGE_BYTES] = section_bytes(s, ".debug_ranges") + section_bytes(s, ".debug_rnglists");
    value[OF_LINE_BYTES] = section_bytes(s, ".debug_line");
    value[OF_TEXT_KB] = value[STATS_TEXT_BYTES] / 1e3;
}

/* ---- shares ---- */

enum { SHARES_MOST = STATS_KEYS > STATS_SECTIONS ? STATS_KEYS : STATS_SECTIONS };

struct shares {
    struct share {
        char name[STATS_NAME];
        uint64_t count;
    } of[SHARES_MOST];
    size_t number;
    uint64_t rest; /* uses of keys that the tally has no room for */
};

static int compare_shares(const void *a, const void *b)
{
    const struct share *left = a;
    const struct share *right = b;
    if (left->count != right->count)
        return left->count < right->count ? 1 : -1;
    return strcmp(left->name, right->name);
}

static void share_add(struct shares *shares, const char *name, uint64_t count)
{
    struct share *share = &shares->of[shares->number++];
    snprintf(share->name, sizeof share->name, "%s", name);
    share->count = count;
}

static void shares_of_tally(const struct debug_stats *s, enum stats_tally tally, struct shares *shares)
{
    const struct stats_tally_table *t = &s->tally[tally];
    char number[STATS_NAME];
    *shares = (struct shares){.rest = t->rest};
    for (uint32_t i = 0; i < t->count; i++)
        share_add(shares, stats_key_name(tally, t->of[i].key, number), t->of[i].uses);
}

static void shares_of_sections(const struct debug_stats *s, struct shares *shares)
{
    *shares = (struct shares){0};
    for (uint32_t i = 0; i < s->section_count; i++)
        share_add(shares, s->section[i].name, s->section[i].bytes);
}

static void shares_of_places(const struct debug_stats *s, struct shares *shares)
{
    *shares = (struct shares){0};
    for (int place = 0; place < PLACES; place++)
        share_add(shares, place_names[place], placed(s, place));
}

/* ---- text ---- */

enum { LABEL_WIDTH = 42, LIST_INDENT = 14, LINE_WIDTH = 100 };

/* Prints an item of a list, and breaks the line where it would be too wide. */
static void print_item(int *column, const char *item, bool last)
{
    int width = (int)strlen(item) + !last;
    if (*column > LIST_INDENT && *column + 1 + width > LINE_WIDTH) {
        printf("\n%*s", LIST_INDENT, "");
        *column = LIST_INDENT;
    } else if (*column > LIST_INDENT) {
        putchar(' ');
        ++*column;
    }
    printf("%s%s", item, last ? "" : ",");
    *column += width;
}

/* Prints shares in percent, the largest first. Shares that would be shown as 0.0 are added up as "others", which is
 * left out where it would be 0.0 too. */
static void print_shares(const char *label, struct shares *shares)
{
    double all = (double)shares->rest;
    for (size_t i = 0; i < shares->number; i++)
        all += (double)shares->of[i].count;
    if (all <= 0)
        return;
    qsort(shares->of, shares->number, sizeof shares->of[0], compare_shares);
    size_t shown = 0;
    double others = all;
    while (shown < shares->number && (double)shares->of[shown].count / all >= 0.0005)
        others -= (double)shares->of[shown++].count;
    bool rest = others / all >= 0.0005;
    printf("%-*s", LIST_INDENT, label);
    int column = LIST_INDENT;
    char item[STATS_NAME + 16];
    for (size_t i = 0; i < shown; i++) {
        snprintf(item, sizeof item, "%s %.1f", shares->of[i].name, (double)shares->of[i].count / all * 100);
        print_item(&column, item, !rest && i + 1 == shown);
    }
    if (rest) {
        snprintf(item, sizeof item, "others %.1f", others / all * 100);
        print_item(&column, item, true);
    }
    putchar('\n');
}

static void print_units(const struct debug_stats *s, const double *value)
{
    static const struct {
        enum stats_number number;
        const char *name;
    } kinds[] = {{STATS_COMPILE_UNITS, "compile"},
                 {STATS_PARTIAL_UNITS, "partial"},
                 {STATS_TYPE_UNITS, "type"},
                 {STATS_SKELETON_UNITS, "skeleton"},
                 {STATS_64BIT_UNITS, "in 64-bit DWARF"}};
    printf("%-*s%12.0f", LABEL_WIDTH, "units", value[OF_UNITS]);
    const char *separator = "  ";
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (s->number[kinds[i].number] == 0)
            continue;
        printf("%s%" PRIu64 " %s", separator, s->number[kinds[i].number], kinds[i].name);
        separator = ", ";
    }
    putchar('\n');
}

static void print_row(const char *label, double value, int digits)
{
    printf("%-*s%12.*f\n", LABEL_WIDTH, label, digits, value);
}

static void print_stats(const struct debug_stats *s)
{
    double value[OF_ALL];
    uint64_t bytes;
    uint64_t file_bytes;
    values_of(s, value);
    sum_bytes(s, &bytes, &file_bytes);
    print_row("files", value[STATS_FILES], 0);
    if (s->number[STATS_FILES_WITHOUT])
        print_row("  of them without debug information", value[STATS_FILES_WITHOUT], 0);
    print_row("debug sections, MB", (double)bytes / 1e6, 3);
    if (bytes != file_bytes)
        print_row("  in the files, compressed", (double)file_bytes / 1e6, 3);
    print_row(".text, MB", value[STATS_TEXT_BYTES] / 1e6, 3);
    print_units(s, value);
    print_row("DIEs", value[STATS_DIES], 0);
    print_row("abbreviations that differ", value[OF_SHAPES], 0);
    for (int i = 0; i < RATIOS; i++) {
        if (value[ratios[i].denominator] > 0)
            print_row(ratios[i].label, value[ratios[i].numerator] / value[ratios[i].denominator], ratios[i].digits);
        else
            printf("%-*s%12s\n", LABEL_WIDTH, ratios[i].label, "-");
    }
    struct shares shares;
    shares_of_sections(s, &shares);
    print_shares("sections %", &shares);
    shares_of_places(s, &shares);
    print_shares("locations %", &shares);
    for (enum stats_tally tally = 0; tally < STATS_TALLIES; tally++) {
        char label[32];
        snprintf(label, sizeof label, "%s %%", stats_tally_names[tally]);
        shares_of_tally(s, tally, &shares);
        print_shares(label, &shares);
    }
}

/* ---- JSON ---- */

static json_object *json_number(uint64_t number)
{
    return report_must(json_object_new_uint64(number));
}

static json_object *json_tally(const struct debug_stats *s, enum stats_tally tally)
{
    const struct stats_tally_table *t = &s->tally[tally];
    json_object *object = report_must(json_object_new_object());
    char number[STATS_NAME];
    for (uint32_t i = 0; i < t->count; i++)
        json_object_object_add(object, stats_key_name(tally, t->of[i].key, number), json_number(t->of[i].uses));
    if (t->rest)
        json_object_object_add(object, "others", json_number(t->rest));
    return object;
}

static json_object *json_sections(struct report *r, const struct debug_stats *s)
{
    json_object *object = report_must(json_object_new_object());
    for (uint32_t i = 0; i < s->section_count; i++) {
        json_object *section = report_must(json_object_new_object());
        json_object_object_add(section, "bytes", json_number(s->section[i].bytes));
        json_object_object_add(section, "file_bytes", json_number(s->section[i].file_bytes));
        json_object_object_add(object, report_text(r, s->section[i].name), section);
    }
    return object;
}

static json_object *json_stats(struct report *r, const struct debug_stats *s)
{
    double value[OF_ALL];
    values_of(s, value);
    json_object *object = report_must(json_object_new_object());
    json_object *counts = report_must(json_object_new_object());
    for (int n = 0; n < STATS_NUMBERS; n++)
        json_object_object_add(counts, stats_number_names[n], json_number(s->number[n]));
    json_object_object_add(counts, "distinct_abbreviations", json_number(s->shapes.count));
    json_object_object_add(object, "counts", counts);
    json_object_object_add(object, "sections", json_sections(r, s));
    for (enum stats_tally tally = 0; tally < STATS_TALLIES; tally++)
        json_object_object_add(object, stats_tally_names[tally], json_tally(s, tally));
    json_object *quotients = report_must(json_object_new_object());
    for (int i = 0; i < RATIOS; i++) {
        double quotient =
            value[ratios[i].denominator] > 0 ? value[ratios[i].numerator] / value[ratios[i].denominator] : -1;
        json_object_object_add(quotients, ratios[i].key,
                               quotient < 0 ? NULL : report_must(json_object_new_double(quotient)));
    }
    json_object_object_add(object, "ratios", quotients);
    return object;
}

/* ---- reading ---- */

enum { READERS_MOST = 64 };

struct reading {
    struct prof_reading of;
    struct debug_stats *s;
    uint32_t compression; /* of its debug sections; of several kinds, one that libdwarf does not know */
    bool started;
};

static bool take_section(void *context, const struct section_size *section, struct error *e)
{
    struct reading *reading = context;
    const bool debug = strncmp(section->name, ".debug", 6) == 0;
    (void)e;
    if (debug && section->compression != 0 && (reading->compression == 0 || reading->compression == ELFCOMPRESS_ZLIB))
        reading->compression = section->compression;
    if (section->in_file || !debug)
        stats_add_section(reading->s, section->name, section->in_file ? section->bytes : 0, section->unpacked);
    return true;
}

/* The path of the file with the library's debug information. */
static const char *debug_path(const struct library *library)
{
    return library->debug_path ? library->debug_path : library->path;
}

static void reading_start(struct report *r, struct reading *reading, const char *path)
{
    struct error e;
    const struct prof_state state = prof_state_of(path);
    reading->compression = 0;
    reading->started = sizes_each(path, take_section, reading, &e) &&
                       prof_reading_start(&reading->of, path, &state, reading->compression, 0, &e);
    if (!reading->started)
        report_complain(r, &e);
}

/* Whether the file counts. *rangeless grows where its range lists do not count. */
static bool reading_finish(struct report *r, struct reading *reading, const char *path, size_t *rangeless)
{
    struct error e;
    if (!reading->started)
        return false;
    if (!prof_reading_finish(&reading->of, reading->s, &e)) {
        report_complain(r, &e);
        return false;
    }
    *rangeless += prof_leave_range_lists(reading->s);
    if (reading->s->number[STATS_UNREADABLE]) {
        error_set(&e, ERROR_INPUT,
                  "libdwarf cannot read %" PRIu64 " names, lists or tables, which do not count; first %s",
                  reading->s->number[STATS_UNREADABLE], reading->s->remark);
        error_at(&e, path, 0);
        report_complain(r, &e);
    }
    return true;
}

static size_t readers(size_t count)
{
    const size_t n = workers_processors();
    const size_t most = n < READERS_MOST ? n : READERS_MOST;
    return count < most ? count : most;
}

static void tell_each(struct report *r, const struct library *library, const struct debug_stats *s, json_object *each)
{
    if (r->json) {
        json_object *row = report_must(json_object_new_object());
        json_object_object_add(row, "name", report_json_text(r, library->name));
        json_object_object_add(row, "dwarf", json_stats(r, s));
        json_object_array_add(each, row);
    } else {
        report_gap(r);
        puts(report_text(r, library->name));
        print_stats(s);
    }
}

/* Adds up all files that can be read, and reports on each where --each was given. */
static void read_all(struct report *r, const struct library *libraries, size_t count, struct debug_stats *sum,
                     json_object *each)
{
    size_t slots = readers(count);
    struct reading *reading = report_must(arena_zeroed(&r->arena, slots + 1, sizeof *reading));
    for (size_t i = 0; i < slots; i++)
        reading[i].s = report_must(arena_zeroed(&r->arena, 1, sizeof *reading[i].s));
    size_t started = 0;
    size_t rangeless = 0;
    for (size_t i = 0; i < count; i++) {
        for (; started < count && started < i + slots; started++)
            reading_start(r, &reading[started % slots], debug_path(&libraries[started]));
        struct reading *done = &reading[i % slots];
        struct error e;
        if (reading_finish(r, done, debug_path(&libraries[i]), &rangeless)) {
            if (r->each)
                tell_each(r, &libraries[i], done->s, each);
            if (!stats_add(sum, done->s, &e))
                report_must(NULL);
        }
        stats_free(done->s);
    }
    if (rangeless)
        fprintf(
            stderr,
            "pyelfstat: range lists of %zu .dwo %s do not count: libdwarf reads them only together with the library\n",
            rangeless, rangeless == 1 ? "file" : "files");
    if (sum->groups_left)
        fprintf(stderr,
                "pyelfstat: units in %" PRIu64 " COMDAT or .dwo section %s do not count: libdwarf reads one group of "
                "sections of a file\n",
                sum->groups_left, sum->groups_left == 1 ? "group" : "groups");
}

/* ---- the report ---- */

static void print_sum(struct report *r, const struct set *set, const struct debug_stats *sum)
{
    report_gap(r);
    if (set) {
        printf("%s: %s%s%zu %s", report_text(r, set->path), report_text(r, set->application),
               *set->application ? ", " : "", set->count, set->count == 1 ? "library" : "libraries");
        if (sum->number[STATS_FILES] < set->count)
            printf(", %zu of them not readable and not counted", set->count - (size_t)sum->number[STATS_FILES]);
        putchar('\n');
    } else if (r->each) {
        puts("(all)");
    }
    print_stats(sum);
}

static void json_sum(struct report *r, const struct set *set, const struct debug_stats *sum, json_object *each)
{
    if (!set) {
        json_object_object_add(r->root, "dwarf", json_stats(r, sum));
        if (each)
            json_object_object_add(r->root, "files", each);
        return;
    }
    json_object *object = report_must(json_object_new_object());
    json_object_object_add(object, "path", report_json_text(r, set->path));
    json_object_object_add(object, "application", report_json_text(r, set->application));
    json_object_object_add(object, "libraries", json_number(set->count));
    json_object_object_add(object, "unreadable", json_number(set->count - sum->number[STATS_FILES]));
    json_object_object_add(object, "dwarf", json_stats(r, sum));
    if (each)
        json_object_object_add(object, "each", each);
    json_object_array_add(json_object_object_get(r->root, "sets"), object);
}

void dwarf_report(struct report *r, const struct set *set, const struct library *libraries, size_t count)
{
    struct debug_stats *sum = report_must(arena_zeroed(&r->arena, 1, sizeof *sum));
    json_object *each = r->json && r->each ? report_must(json_object_new_array()) : NULL;
    read_all(r, libraries, count, sum, each);
    if (r->json)
        json_sum(r, set, sum, each);
    else if (set || sum->number[STATS_FILES] > 0)
        print_sum(r, set, sum);
    stats_free(sum);
}
