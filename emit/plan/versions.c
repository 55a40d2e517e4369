/* See versions.h. */
#include "emit/plan/versions.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "emit/plan/calls_rows.h"
#include "emit/profile/distribution.h"

uint32_t versions_name(const struct plan_library *l, uint32_t number, char name[VERSIONS_NAME_MOST])
{
    const int length = snprintf(name, VERSIONS_NAME_MOST, "LIB%s_1.%u", l->prefix, number);
    for (char *c = name; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return (uint32_t)length;
}

uint64_t versions_bytes(const struct plan_library *l, uint32_t from, uint32_t to)
{
    return (to - from) * (strlen(l->prefix) + sizeof "LIB_1.") + names_digits_sum(from, to);
}

/* The least that a version among the `most` versions with the most uses has; sets *ties to how many of those with just
 * as many uses are among them. */
static uint32_t uses_enough(const uint32_t *uses, uint32_t definitions, uint32_t most, uint32_t *ties)
{
    uint32_t sorted[VERSIONS_OWN_MOST];
    *ties = definitions;
    if (most >= definitions)
        return 0;
    memcpy(sorted, uses, definitions * sizeof *uses);
    distribution_sort(sorted, definitions);
    const uint32_t first = definitions - most;
    uint32_t end = first;
    while (end < definitions && sorted[end] == sorted[first])
        end++;
    *ties = end - first;
    return sorted[first];
}

void versions_of_edge(const struct plan *plan, const struct plan_library *l, const struct plan_edge *edge,
                      uint32_t most, struct edge_versions *v)
{
    const struct plan_library *to = &plan->library[edge->library];
    struct import import;
    v->count = 0;
    memset(v->place, 0, to->extra.versioning.defined * sizeof *v->place);
    memset(v->uses, 0, to->extra.versioning.defined * sizeof *v->uses);
    if (!to->extra.versioning.defined || !most)
        return;
    for (uint32_t n = edge->first; n < edge->first + edge->symbols && calls_row_import(plan, l, n, &import); n++)
        v->uses[versions_of(to, import.function)]++;
    uint32_t ties;
    const uint32_t enough = uses_enough(v->uses, to->extra.versioning.defined, most, &ties);
    for (uint32_t i = 0; i < to->extra.versioning.defined; i++) {
        const bool tied = v->uses[i] == enough && ties;
        if (v->uses[i] && (v->uses[i] > enough || tied))
            v->place[i] = (uint16_t)++v->count;
        ties -= tied;
    }
}

uint64_t versions_defined_size(const struct plan_library *l)
{
    const uint64_t named = l->extra.versioning.defined;
    const uint64_t each = sizeof(Elf64_Verdef) + sizeof(Elf64_Verdaux);
    if (!named)
        return 0;
    return (1 + named) * each + (versions_have_parents(l) ? (named - 1) * sizeof(Elf64_Verdaux) : 0);
}
