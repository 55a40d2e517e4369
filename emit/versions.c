/* See versions.h. */
#include "emit/versions.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "emit/calls_rows.h"

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

void versions_of_edge(const struct plan *plan, const struct plan_library *l, const struct plan_edge *edge,
                      uint32_t most, struct edge_versions *v)
{
    const struct plan_library *to = &plan->library[edge->library];
    struct import import;
    v->count = 0;
    memset(v->place, 0, to->extra.definitions * sizeof *v->place);
    if (!to->extra.definitions || !most)
        return;
    for (uint32_t n = edge->first; n < edge->first + edge->symbols && calls_row_import(plan, l, n, &import); n++)
        v->place[versions_of(to, import.function)] = 1;
    for (uint32_t i = 0; i < to->extra.definitions; i++)
        if (v->place[i])
            v->place[i] = v->count < most ? (uint16_t)++v->count : 0;
}

uint64_t versions_defined_size(const struct plan_library *l)
{
    const uint64_t named = l->extra.definitions;
    const uint64_t each = sizeof(Elf64_Verdef) + sizeof(Elf64_Verdaux);
    if (!named)
        return 0;
    return (1 + named) * each + (versions_have_parents(l) ? (named - 1) * sizeof(Elf64_Verdaux) : 0);
}
