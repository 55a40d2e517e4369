/* See together.h. */
#include "emit/set/together.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "emit/library/files.h"
#include "emit/plan/digest.h"
#include "emit/set/differences.h"
#include "emit/set/make.h"

/* What making a library costs beside its bytes, in bytes that could have been written meanwhile. */
enum { LIBRARY_COST = 1 << 16 };

/* How a library is handed over: this structure, then its files, then its differences if it has any. All ranks run the
 * same program, so that a structure is the same bytes on all. Pointers are left out. */
struct parcel {
    uint32_t index;
    bool differences;
    struct set_library library;
};

/* --- the same plan ---------------------------------------------------------------------- */

/* What a rank is to make. It is sent to other ranks as bytes, so it has no pointers. */
struct wish {
    char version[32];
    char compressor[64]; /* with its version, on which compressed bytes depend */
    uint64_t digest[2];  /* of the profile, the seed included */
    uint64_t options;    /* hash of the options that the profile does not include */
    uint64_t plan;       /* hash of what was planned from all that */
    uint64_t output;     /* hash of the directory's name; 0 where names may differ */
};

/* A hash of the plan, and of the form in which libraries are handed over. */
static uint64_t hash_plan(const struct plan *plan)
{
    const uint64_t handed[] = {sizeof(struct parcel), sizeof(struct set_file), sizeof(struct differences)};
    uint64_t hash = XXH3_64bits(handed, sizeof handed);
    for (uint32_t i = 0; i < plan->library_count; i++) {
        const struct plan_library *l = &plan->library[i];
        const uint64_t counts[] = {l->kind, l->functions};
        hash = XXH3_64bits_withSeed(l->name, strlen(l->name), hash);
        hash = XXH3_64bits_withSeed(counts, sizeof counts, hash);
        hash = XXH3_64bits_withSeed(l->size, sizeof l->size, hash);
    }
    return hash;
}

static struct wish wish_of(const struct plan *plan, const struct set_making *how)
{
    const struct plan_executables *x = &plan->executables;
    struct wish w = {.version = PYELFGEN_VERSION, .digest = {plan->profile_digest[0], plan->profile_digest[1]}};
    char options[512];
    pack_version(files_packing(plan), w.compressor, sizeof w.compressor);
    const int n = snprintf(options, sizeof options, "%d %d %d %llu %s %d %d %d %d", x->link, x->joined, x->alone,
                           (unsigned long long)x->big, x->libpython ? x->libpython : "", how->force, how->sources,
                           how->local, how->path != NULL);
    w.options = XXH3_64bits(options, (size_t)n);
    w.plan = hash_plan(plan);
    if (how->path && !how->local)
        w.output = XXH3_64bits(how->path, strlen(how->path));
    return w;
}

static bool refuse_options(struct error *e)
{
    return error_set(e, ERROR_USAGE, "its options are others than those of rank 0; give all ranks the same");
}

static bool check_wish(const struct wish *mine, const struct wish *first, struct error *e)
{
    if (strcmp(mine->version, first->version) != 0)
        return error_set(e, ERROR_USAGE, "this is pyelfgen %s, and that of rank 0 is %s; give all ranks the same",
                         mine->version, first->version);
    if (memcmp(mine->digest, first->digest, sizeof mine->digest) != 0)
        return error_set(e, ERROR_USAGE,
                         "the profile, or what options make of it, is another than on rank 0; give all ranks the same");
    if (strcmp(mine->compressor, first->compressor) != 0)
        return error_set(
            e, ERROR_SYSTEM,
            "this host compresses with %s and that of rank 0 with %s, whose bytes may differ; run where all hosts have "
            "the same, or without 'compress'",
            mine->compressor, first->compressor);
    if (mine->options != first->options)
        return refuse_options(e);
    if (mine->plan != first->plan)
        return error_set(e, ERROR_USAGE,
                         "this pyelfgen %s plans other libraries from the same profile than that of rank 0; give all "
                         "ranks the same program",
                         mine->version);
    return mine->output == first->output ||
           error_set(
               e, ERROR_USAGE,
               "-o is another directory than that of rank 0; for a set on each node give --node-local, for one of "
               "each rank --alone");
}

bool together_command(struct ranks *r, bool verifies, const struct error *wrong, struct error *e)
{
    bool first = verifies;
    ranks_broadcast(r, &first, sizeof first);
    bool ok = wrong->code == ERROR_NONE;
    if (!ok)
        memcpy(e, wrong, sizeof *e);
    else if (verifies != first)
        ok = refuse_options(e);
    return ranks_agree(r, ok, e);
}

bool together_alike(struct ranks *r, const struct plan *plan, const struct set_making *how, struct error *e)
{
    if (!ranks_are_several(r))
        return true;
    const struct wish mine = wish_of(plan, how);
    struct wish first = mine;
    ranks_broadcast(r, &first, sizeof first);
    return ranks_agree(r, check_wish(&mine, &first, e), e);
}

/* --- shares ------------------------------------------------------------------------------ */

static uint64_t weight_of(const struct plan_library *l)
{
    uint64_t weight = LIBRARY_COST;
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++)
        weight += l->size[kind];
    return weight;
}

/* Moves executables to the front, because they may take the longest; in the plan they are behind the libraries. */
static void turn(struct share *s, uint32_t executables, uint32_t *scratch)
{
    uint32_t before = 0;
    while (before < s->count && s->item[before] < executables)
        before++;
    const uint32_t behind = s->count - before;
    memcpy(scratch, s->item, before * sizeof *scratch);
    memmove(s->item, s->item + before, behind * sizeof *s->item);
    memcpy(s->item + behind, scratch, before * sizeof *scratch);
}

bool together_share(struct share *s, const struct plan *plan, const struct set_making *how, struct error *e)
{
    const struct ranks *r = how->ranks;
    const bool joined = plan->executables.joined || (plan->executables.link && plan->inside);
    uint64_t *weight = calloc(plan->library_count, sizeof *weight);
    uint32_t *scratch = calloc(plan->library_count, sizeof *scratch);
    uint64_t first = 0;
    for (uint32_t i = 0; weight && i < plan->library_count; i++) {
        const struct plan_library *l = &plan->library[i];
        const bool whole = !plan_is_joined(plan, l) && l->kind != LIBRARY_INSIDE && !plan->executables.alone;
        weight[i] = whole ? weight_of(l) : SHARE_FIRST;
        /* the leader writes such a library once more, into an executable */
        if (joined && (plan->executables.joined || !whole))
            first += weight_of(l);
    }
    bool ok = weight && scratch && share_make(s, weight, plan->library_count, first, r->set_rank, r->set_count);
    if (ok)
        turn(s, plan_executable(plan), scratch);
    free(weight);
    free(scratch);
    return ok || error_set(e, ERROR_MEMORY, "out of memory for the shares of %u libraries", plan->library_count);
}

/* --- what became of them ----------------------------------------------------------------- */

static void pack(struct bytes *out, const struct set *set, uint32_t index)
{
    const struct set_library *l = &set->library[index];
    struct parcel p = {.index = index, .differences = l->differences, .library = *l};
    p.library.file = NULL;
    p.library.differences = NULL;
    bytes_append(out, &p, sizeof p);
    bytes_append(out, l->file, l->files * sizeof *l->file);
    if (l->differences)
        bytes_append(out, l->differences, sizeof *l->differences);
}

/* What is left of a message. */
struct rest {
    const uint8_t *at;
    size_t size;
};

/* Takes the next `size` bytes; false where fewer are left. */
static bool unpack_bytes(struct rest *r, void *to, size_t size)
{
    if (size > r->size)
        return false;
    memcpy(to, r->at, size);
    r->at += size;
    r->size -= size;
    return true;
}

/* Whether a parcel makes sense: it is of a library that has not come yet, and its files are
 * in the rest of the message. */
static bool is_parcel(const struct set *set, const struct parcel *p, size_t rest)
{
    const struct set_library *l = &p->library;
    return p->index < set->plan->library_count && !set->library[p->index].file && l->files &&
           l->files <= rest / sizeof *l->file;
}

static bool refuse_message(int from, struct error *e)
{
    return error_set(e, ERROR_MISMATCH,
                     "what rank %d of the set has made came damaged; start the run again, all ranks with the same MPI",
                     from);
}

/* Takes the next library. */
static bool unpack(struct set *set, struct rest *r, int from, struct error *e)
{
    struct parcel p;
    if (!unpack_bytes(r, &p, sizeof p) || !is_parcel(set, &p, r->size))
        return refuse_message(from, e);
    struct set_library *l = &set->library[p.index];
    *l = p.library;
    l->file = calloc(l->files, sizeof *l->file);
    l->differences = p.differences ? malloc(sizeof *l->differences) : NULL;
    if (!l->file || (p.differences && !l->differences))
        return error_set(e, ERROR_MEMORY, "out of memory for %s", set->plan->library[p.index].name);
    const bool well = unpack_bytes(r, l->file, l->files * sizeof *l->file) &&
                      (!p.differences || (unpack_bytes(r, l->differences, sizeof *l->differences) &&
                                          l->differences->language < UNITS_LANGUAGES));
    return well || refuse_message(from, e);
}

static bool no_memory(struct error *e)
{
    return error_set(e, ERROR_MEMORY, "out of memory for what the ranks have made");
}

static bool give(const struct set *set, const struct share *s, const struct bytes *sources, const struct ranks *r,
                 struct error *e)
{
    struct bytes libraries = {.data = NULL};
    for (uint32_t i = 0; i < s->count; i++)
        pack(&libraries, set, s->item[i]);
    ranks_give(r, &libraries);
    ranks_give(r, sources);
    const bool ok = !libraries.failed && !sources->failed;
    bytes_free(&libraries);
    return ok || no_memory(e);
}

/* Receives everything that rank `from` sends, also after a failure, so that no rank waits for ever. */
static bool take(struct set *set, int from, struct bytes *sources, const struct ranks *r, struct error *e)
{
    struct bytes libraries = {.data = NULL};
    ranks_take(r, from, &libraries);
    ranks_take(r, from, sources);
    bool ok = (!libraries.failed && !sources->failed) || no_memory(e);
    struct rest rest = {libraries.data, libraries.size};
    while (ok && rest.size)
        ok = unpack(set, &rest, from, e);
    bytes_free(&libraries);
    return ok;
}

/* Whether every library has been made. */
static bool check_whole(const struct set *set, struct error *e)
{
    const struct plan *plan = set->plan;
    for (uint32_t i = 0; i < plan->library_count; i++)
        if (make_has_file(plan, &plan->library[i]) && !set->library[i].files)
            return error_set(e, ERROR_MISMATCH, "%s%s: no rank has made it", plan_stem(&plan->library[i]),
                             plan_ending(&plan->library[i]));
    return true;
}

bool together_collect(struct set *set, const struct share *s, struct bytes *sources, const struct ranks *r,
                      struct error *e)
{
    bool ok = true;
    if (!ranks_leads(r))
        return give(set, s, sources, r, e);
    for (int from = 1; from < r->set_count; from++) {
        struct error later;
        ok &= take(set, from, sources, r, ok ? e : &later);
    }
    return ok && check_whole(set, e);
}
