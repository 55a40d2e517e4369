/* What a linker makes for a library with a row, of which that says nothing but how large sections are together:
 * .plt.got, .gnu.hash and .gnu.version_r. */
#include "elf/hash.h"
#include "elf/plt.h"
#include "emit/plan_rows_parts.h"
#include "emit/shape.h"

uint32_t rows_direct(const struct profile_row *row)
{
    const uint64_t plt = plt_size((uint32_t)rows_value_or(row, ROW_PLT, 0));
    const uint64_t share = rows_value_or(row, ROW_SHARE_PLT, 0);
    const uint64_t entries = share > plt ? (share - plt) / PLT_DIRECT : 0;
    return share == plt + entries * PLT_DIRECT && entries <= rows_value_or(row, ROW_GLOB_DAT, 0) ? (uint32_t)entries
                                                                                                 : 0;
}

/* Bytes of .gnu.hash with one bucket, if that is not too few. */
static uint64_t hash_least(uint32_t defined)
{
    const struct gnu_hash h = hash_gnu_plan(defined, 1);
    return hash_gnu_size(&h);
}

uint32_t rows_versioned(const struct plan_library *l)
{
    enum { LIBRARIES = 8, VERSIONS_EACH = 3 }; /* that have OUTSIDE_VERSION: the first; as a rule */
    const struct profile_row *const row = l->said;
    const uint64_t dynstr = rows_value_or(row, ROW_DYNAMIC_DYNSTR, 0);
    const uint64_t versions = rows_value_or(row, ROW_VERSIONS, 0);
    const uint64_t least = rows_versions_least(l);
    const uint64_t defined = rows_value_or(row, ROW_DYNAMIC_FUNCTIONS, 0) + rows_value_or(row, ROW_DYNAMIC_OBJECTS, 0) +
                             rows_value_or(row, ROW_DYNAMIC_OTHER, 0);
    const uint64_t symbols = 1 + defined + rows_value_or(row, ROW_DYNAMIC_UNDEFINED, 0);
    uint32_t most =
        rows_smaller(rows_smaller(l->extra.needed, LIBRARIES), versions > least ? (uint32_t)(versions - least) : 0);
    if (l->without_libc || !dynstr || symbols > UINT32_MAX)
        return 0;
    const struct gnu_hash usual = hash_gnu_plan((uint32_t)defined, 0);
    const bool gnu = l->elf.hash != HASH_SYSV;
    const uint64_t share = rows_value_or(row, ROW_SHARE_SYMBOLS, 0);
    const uint64_t others = symbols * (sizeof(Elf64_Sym) + sizeof(Elf64_Half)) + dynstr +
                            versions * sizeof(Elf64_Vernaux) + sizeof(Elf64_Verneed) +
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

uint32_t rows_buckets(const struct plan *plan, const struct plan_library *l)
{
    enum { FEW = 8 };
    static const enum section_id parts[] = {SECTION_DYNSYM, SECTION_DYNSTR, SECTION_HASH, SECTION_VERSYM,
                                            SECTION_VERNEED};
    const struct shape s = shape_of(plan, l);
    struct layout layout = {0};
    uint64_t others = hash_least(s.defined) - sizeof(uint32_t);
    shape_sections(plan, l, &s, &layout);
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        others += layout.section[parts[i]].size;
    const uint64_t share = rows_value_or(l->said, ROW_SHARE_SYMBOLS, 0);
    const uint64_t buckets = share > others ? (share - others) / sizeof(uint32_t) : 0;
    /* ld has at most two for each symbol */
    const bool may_be = buckets <= 2 * (uint64_t)s.defined + FEW && share == others + buckets * sizeof(uint32_t);
    return l->elf.hash != HASH_SYSV && may_be ? (uint32_t)buckets : 0;
}
