/* What the debug information of a captured library was before it was split into .dwo files; see profile_unsplit in
 * profile.h.
 *
 * In a .dwo file, numbers of one or two bytes stand for what takes four or eight in a library: offsets of strings and
 * lists, and addresses. Strings that several units have are in each of their files. The shares below are those of
 * gcc 12.2's own libraries, compiled with and without -gsplit-dwarf.
 */
#include <stdlib.h>
#include <string.h>

#include "emit/profile/keys.h"

/* How many attributes a skeleton has beyond those that its unit in the .dwo file has not: DW_AT_dwo_name,
 * DW_AT_addr_base, DW_AT_GNU_pubnames, and DW_AT_comp_dir, which both have. */
enum { SKELETON_ATTRIBUTES = 4 };

static int64_t at_least_0(int64_t value)
{
    return value > 0 ? value : 0;
}

/* Sets the size of a section from what the .dwo files have of it, to part/100 of that. */
static void take(struct profile_row *row, enum row_value before, enum row_value dwo, int64_t part)
{
    row->value[before] = row->value[dwo] == PROFILE_DERIVED ? PROFILE_DERIVED : row->value[dwo] * part / 100;
}

/* Sets the sizes of sections. */
static void unsplit_sizes(struct profile_row *row)
{
    int64_t *const v = row->value;
    const int64_t ranges = at_least_0(v[ROW_MIX_RNGLISTS]); /* of units; in version 4 all */
    const bool is_clangs = v[ROW_MIX_STR_OFFSETS] > 0;      /* gcc's skeletons have no strings by number */
    const bool is_4 = v[ROW_DWARF_VERSION] > 0 && v[ROW_DWARF_VERSION] < 5;
    take(row, ROW_MIX_INFO, ROW_DWO_INFO, is_clangs ? 150 : 127);
    take(row, ROW_MIX_ABBREV, ROW_DWO_ABBREV, 100);
    take(row, ROW_MIX_STR, ROW_DWO_STR, 73);
    take(row, ROW_MIX_LOCLISTS, ROW_DWO_LOCLISTS, is_4 ? 220 : 100); /* whole addresses, which .dwo files have not */
    take(row, ROW_MIX_RNGLISTS, ROW_DWO_RNGLISTS, 80);
    v[ROW_MIX_RNGLISTS] = ranges ? at_least_0(v[ROW_MIX_RNGLISTS]) + ranges : v[ROW_MIX_RNGLISTS];
    v[ROW_MIX_ADDR] = v[ROW_MIX_STR_OFFSETS] = v[ROW_MIX_NAMES] = v[ROW_MIX_MACRO] = v[ROW_MIX_OTHER] = 0;
}

/* Sets the size of all sections together, of the row and of the profile. */
static void sum_up(struct profile *p, struct profile_row *row)
{
    const int64_t before = row->value[ROW_DEBUG];
    row->value[ROW_DEBUG] = 0;
    for (enum row_value mix = ROW_MIX_INFO; mix <= ROW_MIX_OTHER; mix++)
        row->value[ROW_DEBUG] += at_least_0(row->value[mix]);
    if (p->sections[SIZE_DEBUG] != PROFILE_DERIVED)
        p->sections[SIZE_DEBUG] += row->value[ROW_DEBUG] - before;
}

static void unsplit_counts(struct profile_row *row)
{
    int64_t *const v = row->value;
    const int64_t units = at_least_0(v[ROW_DWARF_UNITS]);
    if (v[ROW_DWARF_DIES] > 0)
        v[ROW_DWARF_DIES] = at_least_0(v[ROW_DWARF_DIES] - units);
    if (v[ROW_DWARF_ATTRIBUTES] > 0)
        v[ROW_DWARF_ATTRIBUTES] = at_least_0(v[ROW_DWARF_ATTRIBUTES] - SKELETON_ATTRIBUTES * units);
}

/* Whether the row says that it is split, in sizes that still can be stated when they are changed. */
static bool can_be_unsplit(const struct profile *p, const struct profile_row *row)
{
    const int64_t most = PROFILE_SIZE_MOST / 4;
    double sum = p->sections[SIZE_DEBUG] != PROFILE_DERIVED ? (double)p->sections[SIZE_DEBUG] : 0;
    for (enum row_value v = ROW_MIX_INFO; v <= ROW_DWO_OTHER; v++)
        sum += (double)at_least_0(row->value[v]);
    return row->value[ROW_DWARF_UNITS] <= PROFILE_SPLIT_MOST && !row->captured && row->value[ROW_DWO_INFO] > 0 &&
           row->value[ROW_DEBUG] > 0 && sum < (double)most;
}

bool profile_unsplit(struct profile *p, struct error *e)
{
    const bool is_possible = p->dwarf.separate == SEPARATE_NONE && p->dwarf.index == NAME_INDEX_NONE &&
                             p->dwarf.compiler == COMPILER_GCC && !p->dwarf.type_units && !p->dwarf.split;
    for (uint32_t i = 0; i < p->rows && is_possible; i++) {
        struct profile_row *const row = &p->row[i];
        if (!can_be_unsplit(p, row))
            continue;
        row->captured = malloc(sizeof row->value);
        if (!row->captured)
            return error_set(e, ERROR_MEMORY, "no memory for the rows of a profile");
        memcpy(row->captured, row->value, sizeof row->value);
        unsplit_sizes(row);
        sum_up(p, row);
        unsplit_counts(row);
    }
    return true;
}

void profile_unsplit_again(struct profile *p, uint32_t row, enum row_value mix, double times)
{
    const double most = 4; /* more is no matter of splitting */
    int64_t *const value = &p->row[row].value[mix];
    const double by = times > most ? most : times < 1 / most ? 1 / most : times;
    *value = (int64_t)((double)at_least_0(*value) * by);
    sum_up(p, &p->row[row]);
}

void profile_unsplit_undo(struct profile *p, uint32_t number)
{
    struct profile_row *const row = &p->row[number];
    if (p->sections[SIZE_DEBUG] != PROFILE_DERIVED)
        p->sections[SIZE_DEBUG] += row->captured[ROW_DEBUG] - row->value[ROW_DEBUG];
    memcpy(row->value, row->captured, sizeof row->value);
    free(row->captured);
    row->captured = NULL;
}

struct profile_row profile_row_as_captured(const struct profile_row *row)
{
    struct profile_row captured = *row;
    if (row->captured)
        memcpy(captured.value, row->captured, sizeof captured.value);
    return captured;
}

int64_t profile_row_captured(const struct profile *p, const struct profile_row *row, enum row_value v)
{
    if (!row->captured)
        return profile_row_says(p, row, v);
    const struct profile_row captured = profile_row_as_captured(row);
    return profile_row_says(p, &captured, v);
}
