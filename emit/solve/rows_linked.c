/* Works out what a linker makes for a library and its row does not state: the entries of .plt.got, the buckets of
 * .gnu.hash and the entries of .gnu.version_r. The row only says how large groups of sections are together. */
#include "elf/write/hash.h"
#include "elf/write/plt.h"
#include "emit/library/shape.h"
#include "emit/plan/calls_rows.h"
#include "emit/plan/versions.h"
#include "emit/solve/rows_parts.h"

/* Numbers of versions have 15 bits. No library comes near the highest. */
enum {
    VERSIONS_MOST = 30000,
    VERSION_USES = 64, /* counts of symbols with the same version: from 0 to 62, and more */
};

uint32_t rows_direct(const struct profile_row *row, bool cf_protection)
{
    const uint32_t slots = (uint32_t)rows_value_or(row, ROW_PLT, 0);
    const uint64_t plt = plt_size(slots) + (cf_protection ? plt_second_size(slots) : 0);
    const uint64_t share = rows_value_or(row, ROW_SHARE_PLT, 0);
    const uint32_t each = plt_direct_size(cf_protection);
    const uint64_t entries = share > plt ? (share - plt) / each : 0;
    return share == plt + entries * each && entries <= rows_value_or(row, ROW_GLOB_DAT, 0) ? (uint32_t)entries : 0;
}

/* The least bytes that .gnu.hash can have: those with a single bucket. */
static uint64_t hash_least(uint32_t defined)
{
    const struct gnu_hash h = hash_gnu_plan(defined, 1);
    return hash_gnu_size(&h);
}

uint32_t rows_definitions(const struct profile_row *row)
{
    const uint64_t all = rows_value_or(row, ROW_VERSIONS_DEFINED, 0);
    return all < 2 ? 0 : all - 1 < VERSIONS_OWN_MOST ? (uint32_t)all - 1 : VERSIONS_OWN_MOST;
}

/* Adds to count[n] how many versions n symbols of an edge have, but for the most common one. */
static void count_uses(const struct plan *plan, const struct plan_library *l, const struct plan_edge *edge,
                       uint32_t count[VERSION_USES])
{
    struct edge_versions v;
    uint32_t most = 0;
    versions_of_edge(plan, l, edge, UINT32_MAX, &v);
    for (uint32_t i = 0; i < plan->library[edge->library].extra.versioning.defined; i++) {
        const uint32_t uses = rows_smaller(v.uses[i], VERSION_USES - 1);
        count[uses] += uses > 0;
        most = uses > most ? uses : most;
    }
    count[most]--;
}

void rows_set_edge_versions(const struct plan *plan, struct plan_library *l)
{
    const uint64_t least = rows_versions_least(l) - l->needs.versions;
    const int64_t said = profile_row_says(plan->profile, l->said, ROW_VERSIONS);
    const uint64_t most = said == PROFILE_DERIVED || said > VERSIONS_MOST ? VERSIONS_MOST : (uint64_t)said;
    uint64_t left = most > least ? most - least : 0;
    uint32_t all[VERSION_USES] = {0};
    struct edge_versions v;
    l->needs.versioned_edges = l->needs.versioned_imports = l->needs.versions = 0;
    l->needs.version_names = 0;
    for (uint32_t i = 0; i < l->needs.edges; i++) { /* first one version for each edge */
        struct plan_edge *const edge = &l->needs.edge[i];
        edge->versions = left && edge->symbols && plan->library[edge->library].extra.versioning.defined;
        left -= edge->versions;
        l->needs.versioned_edges += edge->versions;
    }
    for (uint32_t i = 0; i < l->needs.edges; i++)
        if (l->needs.edge[i].versions)
            count_uses(plan, l, &l->needs.edge[i], all);
    uint32_t enough = VERSION_USES - 1; /* then those that more symbols have, */
    while (enough && all[enough] <= left)
        left -= all[enough--];
    for (uint32_t i = 0; i < l->needs.edges; i++) {
        struct plan_edge *const edge = &l->needs.edge[i];
        const struct plan_library *const to = &plan->library[edge->library];
        uint32_t own[VERSION_USES] = {0};
        if (!edge->versions)
            continue;
        if (enough) { /* and of those with as many as are left, the first */
            count_uses(plan, l, edge, own);
            for (uint32_t uses = enough + 1; uses < VERSION_USES; uses++)
                edge->versions += own[uses];
            const uint32_t more = own[enough] < left ? own[enough] : (uint32_t)left;
            edge->versions += more;
            left -= more;
        }
        versions_of_edge(plan, l, edge, enough ? edge->versions : UINT32_MAX, &v);
        edge->versions = v.count;
        l->needs.versions += v.count;
        for (uint32_t k = 0; k < to->extra.versioning.defined; k++) {
            l->needs.version_names += v.place[k] ? versions_bytes(to, k, k + 1) : 0;
            l->needs.versioned_imports += v.place[k] ? v.uses[k] : 0;
        }
    }
}

uint32_t rows_versioned(const struct plan_library *l)
{
    enum { LIBRARIES = 8, VERSIONS_EACH = 3 }; /* the first ones, which have OUTSIDE_VERSION; as a rule */
    if (l->without_libc)                       /* it needs no library outside the set */
        return 0;
    const struct profile_row *const row = l->said;
    const uint64_t dynstr = rows_value_or(row, ROW_DYNAMIC_DYNSTR, 0);
    const uint64_t all = rows_value_or(row, ROW_VERSIONS, 0);
    const uint64_t least = rows_versions_least(l);
    const uint64_t besides = least - 1 - l->elf.relr; /* versions that are not those of libraries outside the set */
    const uint64_t versions = all > besides ? all - besides : 0;
    const uint64_t defined = rows_value_or(row, ROW_DYNAMIC_FUNCTIONS, 0) + rows_value_or(row, ROW_DYNAMIC_OBJECTS, 0) +
                             rows_value_or(row, ROW_DYNAMIC_OTHER, 0);
    const uint64_t symbols = 1 + defined + rows_value_or(row, ROW_DYNAMIC_UNDEFINED, 0);
    uint32_t most =
        rows_smaller(rows_smaller(l->extra.undefined.needed, LIBRARIES), all > least ? (uint32_t)(all - least) : 0);
    if (!dynstr || symbols > UINT32_MAX)
        return 0;
    const struct gnu_hash usual = hash_gnu_plan((uint32_t)defined, 0);
    const bool gnu = l->elf.hash != HASH_SYSV;
    const uint64_t share = rows_value_or(row, ROW_SHARE_SYMBOLS, 0);
    const uint64_t others = symbols * (sizeof(Elf64_Sym) + sizeof(Elf64_Half)) + dynstr +
                            (versions + l->needs.versions) * sizeof(Elf64_Vernaux) +
                            (UINT64_C(1) + l->needs.versioned_edges) * sizeof(Elf64_Verneed) +
                            versions_defined_size(l) +
                            (l->elf.hash != HASH_GNU ? hash_sysv_size((uint32_t)symbols) : 0);
    const uint64_t left = share > others ? share - others : 0;
    for (uint32_t n = 0; n <= most; n++)
        if (left == n * sizeof(Elf64_Verneed) + (gnu ? hash_gnu_size(&usual) : 0))
            return n;
    /* ld -O1 has any number of buckets */
    most = rows_smaller(most, (uint32_t)((versions + VERSIONS_EACH - 1) / VERSIONS_EACH) - (versions > 0));
    while (most && left < most * sizeof(Elf64_Verneed) + (gnu ? hash_least((uint32_t)defined) : 0))
        most--;
    return most;
}

uint32_t rows_buckets(const struct plan *plan, const struct plan_library *l, const struct shape *s)
{
    enum { FEW = 8 };
    static const enum section_id parts[] = {SECTION_DYNSYM, SECTION_DYNSTR, SECTION_HASH,
                                            SECTION_VERSYM, SECTION_VERDEF, SECTION_VERNEED};
    const uint64_t share = rows_value_or(l->said, ROW_SHARE_SYMBOLS, 0);
    if (l->elf.hash == HASH_SYSV || !share)
        return 0;
    struct layout layout = {0};
    uint64_t others = hash_least(s->defined) - sizeof(uint32_t);
    shape_sections(plan, l, s, &layout);
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        others += layout.section[parts[i]].size;
    const uint64_t buckets = share > others ? (share - others) / sizeof(uint32_t) : 0;
    /* ld has at most two for each symbol */
    const bool may_be = buckets <= 2 * (uint64_t)s->defined + FEW && share == others + buckets * sizeof(uint32_t);
    return may_be ? (uint32_t)buckets : 0;
}
