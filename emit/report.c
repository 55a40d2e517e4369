/* The table of sizes, in the columns of the Pynamic paper's table 3. */
#include "emit/report.h"

#include "base/utf8.h"

static const char *const titles[FIVE_SIZES] = {"text", "data", "debug", "symtab", "strtab"};

static void print_row(FILE *out, const char *title, const uint64_t *sizes)
{
    uint64_t total = 0;
    fprintf(out, "%-12s", title);
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++) {
        fprintf(out, "%12.3f", (double)sizes[kind] / 1e6);
        total += sizes[kind];
    }
    fprintf(out, "%12.3f\n", (double)total / 1e6);
}

static void print_wanted(FILE *out, const struct plan *plan, const struct set *set)
{
    uint64_t wanted[FIVE_SIZES];
    int64_t total = 0;
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++)
        wanted[kind] = (uint64_t)plan->profile->sections[kind];
    print_row(out, "wanted", wanted);
    print_row(out, set ? "actual" : "planned", plan->total);
    fprintf(out, "%-12s", "off, bytes");
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++) {
        int64_t off = (int64_t)(plan->total[kind] - wanted[kind]);
        fprintf(out, "%12lld", (long long)off);
        total += off;
    }
    fprintf(out, "%12lld\n", (long long)total);
}

/* Prints the sizes of executables. Those of pyelf-static are known only when it is made. */
static void print_executables(FILE *out, const struct plan *plan, const struct set *set)
{
    for (uint32_t i = plan_executable(plan); i < plan_inside(plan); i++) {
        const struct plan_library *l = &plan->library[i];
        if (set || l->kind != LIBRARY_STATIC)
            print_row(out, plan_stem(l), set ? set->library[i].size : plan->link);
        else
            fprintf(out, "%-12s  has all libraries in it, and its sizes when it is made\n", plan_stem(l));
    }
}

/* Prints how many files an earlier run has left that are as they should be. */
static void print_kept(FILE *out, const struct set *set)
{
    uint64_t files = 0;
    uint64_t kept = 0;
    for (uint32_t i = 0; i < set->plan->library_count; i++)
        for (uint32_t k = 0; k < set->library[i].files; k++, files++)
            kept += set->library[i].file[k].kept;
    if (kept)
        fprintf(out, "\n%llu of %llu files were there already, as they should be\n", (unsigned long long)kept,
                (unsigned long long)files);
}

/* Prints which executables of an earlier run were removed, as they were not asked for now, and how many libraries. */
static void print_removed(FILE *out, const struct set *set)
{
    const uint32_t libraries = set->removed.libraries;
    if (libraries)
        fprintf(out, "\nremoved %u librar%s of the set that was there before\n", libraries,
                libraries == 1 ? "y" : "ies");
    if (set->removed.linked)
        fputs("\nremoved " EXECUTABLE_LINK ", which is there with --link only\n", out);
    if (set->removed.joined)
        fputs("\nremoved " EXECUTABLE_STATIC ", which is there with --static only\n", out);
}

/* Tells why the set was searched for although its profile has what was found once. */
static void print_stale(FILE *out, const struct plan *plan)
{
    if (plan->profile->rows && plan->profile->settled.of && !plan->is_found)
        fputs("\nwhat the profile has as 'settled' is for other keys, options or another pyelfgen: it was not used\n",
              out);
}

void report_sizes(FILE *out, const struct plan *plan, const struct set *set, const char *path)
{
    if (set) {
        utf8_print(out, path);
        fputs(": ", out);
    }
    fprintf(out, "%u module%s and %u utilit%s with %llu function%s%s", plan->modules, plan->modules == 1 ? "" : "s",
            plan->utilities, plan->utilities == 1 ? "y" : "ies", (unsigned long long)plan->functions,
            plan->functions == 1 ? "" : "s", plan->profile->rows ? " that call one another" : "");
    if (plan->profile->application[0])
        fprintf(out, ", after %s", plan->profile->application);
    fprintf(out, "\n\n%-12s", "MB");
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++)
        fprintf(out, "%12s", titles[kind]);
    fprintf(out, "%12s\n", "total");
    if (plan->wanted[SIZE_TEXT])
        print_wanted(out, plan, set);
    else
        print_row(out, set ? "actual" : "planned", plan->total);
    print_executables(out, plan, set);
    if (set) {
        print_kept(out, set);
        print_removed(out, set);
    }
    print_stale(out, plan);
}

void report_ranks(FILE *out, const struct ranks *r)
{
    if (!ranks_are_several(r))
        return;
    fprintf(out, "\n%d ranks on %d node%s", r->place.count, r->place.nodes, r->place.nodes == 1 ? "" : "s");
    if (r->sets > 1)
        fprintf(out, ", %d sets of which this is the first\n", r->sets);
    else
        fprintf(out, " shared the work\n");
}
