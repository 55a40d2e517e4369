/* See collect.h. Rank 0 gathers one value of every rank at a time, so the others need no memory for it. No rank may
 * leave between two agreements. So if rank 0 runs out of memory, it gathers into nothing and reports that in the end.
 */
#include "driver/collect.h"

#include <assert.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <mpi.h>

#include "base/version.h"

static_assert((int)RESULTS_IMPORT == (int)COUNTS_IMPORT && (int)RESULTS_MPI == (int)COUNTS_MPI &&
                  (int)RESULTS_PARTS == (int)COUNTS_SPANS,
              "what is counted apart are the parts of the results");
static_assert(RESULTS_IMPORT == PHASE_IMPORT + 1 && RESULTS_MPI == PHASE_MPI + 1 && RESULTS_PARTS == PHASES + 1,
              "the parts of the results are the startup and the phases");

enum { TEXT = 256 };

struct collector {
    struct results *r;
    struct results_run *to; /* NULL on other ranks than 0 */
    const struct ranks *ranks;
    bool memory; /* false: memory has run out */
};

static const char *keep(struct collector *c, const char *text)
{
    const char *kept = c->to ? results_text(c->r, text) : NULL;
    if (c->to && !kept)
        c->memory = false;
    return kept ? kept : "";
}

static void *room(struct collector *c, size_t count, size_t size)
{
    void *p = c->to ? arena_zeroed(&c->r->arena, count + 1, size) : NULL;
    if (c->to && !p)
        c->memory = false;
    return p;
}

/* Collective. Whether rank 0 has had enough memory. The other ranks may decide by nothing else. */
static bool has_memory(struct collector *c)
{
    int well = c->memory;
    MPI_Bcast(&well, 1, MPI_INT, 0, MPI_COMM_WORLD);
    c->memory = well;
    return well;
}

/* ---- figures ---- */

/* Collective. Replaces `text` by that of the first rank that has one; false if none has. */
static bool first_text(const struct collector *c, char *text)
{
    int mine = text[0] ? c->ranks->rank : c->ranks->count;
    int first;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first < c->ranks->count)
        MPI_Bcast(text, TEXT, MPI_CHAR, first, MPI_COMM_WORLD);
    return first < c->ranks->count;
}

/* Collective. Gathers one value of each rank. It is NAN on a rank that has none, for the reason `absent`. */
static void gather(struct collector *c, double value, const char *absent, struct results_figure *to)
{
    double *all = room(c, (size_t)c->ranks->count, sizeof *all);
    if (!has_memory(c))
        return;
    MPI_Gather(&value, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    char why[TEXT] = "";
    if (isnan(value))
        snprintf(why, sizeof why, "%s", absent);
    const bool any = first_text(c, why);
    if (c->to) {
        to->value = all;
        to->absent = any ? keep(c, why) : NULL;
    }
}

/* The index of the counter with this name and source; `count` if there is none. Usually it is the i-th. */
static size_t find_counted(const struct counted *list, size_t count, size_t i, const char *name, const char *source)
{
    for (size_t k = 0; k < count; k++) {
        const size_t at = (i + k) % count;
        if (strcmp(list[at].name, name) == 0 && strcmp(list[at].source, source) == 0)
            return at;
    }
    return count;
}

/* Gathers one counter of rank 0's list. Other ranks may count other events, because of another processor, or if
 * PAPI_EVENTS came with the environment to some hosts only. Different events do not become one counter. */
static void gather_counter(struct collector *c, const struct counted *mine, size_t count, size_t i,
                           struct results_figure *to)
{
    char name[2][TEXT] = {"", ""}; /* name and source */
    if (c->to) {
        snprintf(name[0], TEXT, "%s", mine[i].name);
        snprintf(name[1], TEXT, "%s", mine[i].source);
        *to = (struct results_figure){
            keep(c, name[0]), keep(c, mine[i].unit), keep(c, name[1]), mine[i].level, NULL, NULL};
    }
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    const size_t k = find_counted(mine, count, i, name[0], name[1]);
    const bool same = k < count;
    gather(c, same ? mine[k].value : NAN, same ? mine[k].absent : "this rank does not count it", to);
}

static void gather_phase(struct collector *c, const struct measured *t, enum results_part part)
{
    const bool startup = part == RESULTS_STARTUP;
    size_t count;
    const struct counted *counted = counts_values(t->counts, (enum counts_span)part, &count);
    uint64_t all = count; /* counters of rank 0 */
    MPI_Bcast(&all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    struct results_phase unused = {0};
    struct results_phase *p = c->to ? &c->to->phase[part] : &unused;
    *p = (struct results_phase){.ran = true, .seconds = {.name = "seconds", .unit = "s"}, .counter_count = count};
    if (startup && t->startup_step > 1e-9)
        p->resolution = t->startup_step;
    gather(c, startup ? t->startup : t->seconds[part - 1], t->untimed ? t->untimed : "the system does not say",
           &p->seconds);
    p->counters = room(c, count, sizeof *p->counters);
    if (!has_memory(c))
        return;
    for (size_t i = 0; i < all; i++)
        gather_counter(c, counted, count, i, c->to ? &p->counters[i] : NULL);
}

/* ---- hosts ---- */

struct identity {
    char host[HOST_NAME_MOST], kernel[TEXT], glibc[64];
};

static struct identity identify(const struct ranks *ranks)
{
    struct identity me = {0};
    struct utsname u;
    snprintf(me.host, sizeof me.host, "%s", ranks->host);
    if (uname(&u) == 0)
        snprintf(me.kernel, sizeof me.kernel, "%.64s %.100s %.64s", u.sysname, u.release, u.machine);
    snprintf(me.glibc, sizeof me.glibc, "%s", gnu_get_libc_version());
    return me;
}

static bool is_host(const struct results_host *h, const struct identity *i)
{
    return strcmp(h->name, i->host) == 0 && strcmp(h->kernel, i->kernel) == 0 && strcmp(h->glibc, i->glibc) == 0;
}

/* Lists the different hosts. The hash table has the hosts seen so far, with open addressing. */
static void add_hosts(struct collector *c, const struct identity *all)
{
    struct results_run *run = c->to;
    size_t slots = 1;
    while (slots < 2 * run->ranks)
        slots *= 2;
    size_t *table = calloc(slots, sizeof *table); /* index + 1 */
    run->hosts = room(c, run->ranks, sizeof *run->hosts);
    run->host = room(c, run->ranks, sizeof *run->host);
    c->memory = c->memory && table;
    for (size_t i = 0; i < run->ranks && c->memory; i++) {
        size_t slot = 5381;
        for (const char *s = all[i].host; *s; s++)
            slot = slot * 33 + (unsigned char)*s;
        slot &= slots - 1;
        while (table[slot] && !is_host(&run->hosts[table[slot] - 1], &all[i]))
            slot = (slot + 1) & (slots - 1);
        if (!table[slot]) {
            run->hosts[run->host_count] =
                (struct results_host){keep(c, all[i].host), keep(c, all[i].kernel), keep(c, all[i].glibc)};
            table[slot] = ++run->host_count;
        }
        run->host[i] = table[slot] - 1;
    }
    free(table);
}

static void gather_hosts(struct collector *c)
{
    const struct identity me = identify(c->ranks);
    struct identity *all = c->to ? calloc((size_t)c->ranks->count, sizeof *all) : NULL;
    c->memory = c->memory && (!c->to || all);
    if (!has_memory(c)) {
        free(all);
        return;
    }
    MPI_Gather(&me, sizeof me, MPI_CHAR, all, sizeof me, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (c->to)
        add_hosts(c, all);
    has_memory(c);
    free(all);
}

/* ---- what rank 0 knows alone ---- */

static const char *mpi_version(struct collector *c)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, "\n")] = '\0';
    return keep(c, text);
}

static void add_option(struct collector *c, const char *name, const char *value)
{
    c->memory = results_add_option(c->r, name, value) && c->memory;
}

static void add_options(struct collector *c, const struct options *o)
{
    char text[OPTIONS_TEXT];
    for (unsigned i = 0; i < OPTIONS_SAID; i++)
        add_option(c, options_said[i].name, options_said[i].say(o, text));
    /* The result of --cold or --warm on the host of rank 0 (driver/launch/cache.h). */
    const char *cached = getenv(OPTIONS_CACHED);
    if (cached && o->cache != CACHE_AS_IT_IS)
        add_option(c, "cached-bytes", cached);
}

static void describe(struct collector *c, const struct run *run, const struct loader *loader, const struct measured *t)
{
    const struct manifest *m = &run->manifest;
    char name[TEXT] = "";
    loader->describe(run, name, sizeof name);
    c->r->version = PYELFGEN_VERSION;
    c->r->set = (struct results_set){.path = keep(c, run->directory),
                                     .application = keep(c, m->application),
                                     .manifest = keep(c, run->digest),
                                     .profile = keep(c, m->profile),
                                     .modules = m->modules,
                                     .utilities = m->utilities,
                                     .functions = m->functions,
                                     .opened = run->opened.others};
    add_options(c, &run->options);
    c->to->mode = mode_names[run->mode];
    c->to->repeat = run->options.turn;
    c->to->begun = run->begun;
    c->to->loader = keep(c, name);
    c->to->mpi = mpi_version(c);
    c->to->mpi_test = run->options.phase[PHASE_MPI] ? keep(c, t->mpi.objects) : "";
    c->to->functions_visited = t->functions_visited;
}

bool collect_results(struct results *r, const struct run *run, const struct loader *loader, const struct measured *t)
{
    struct collector c = {.r = r, .ranks = &run->ranks, .memory = true};
    struct error e;
    *r = (struct results){0};
    if (run->ranks.rank == 0) {
        c.to = results_add_run(r);
        c.memory = c.to != NULL;
        if (c.to) {
            c.to->ranks = (size_t)run->ranks.count;
            describe(&c, run, loader, t);
        }
    }
    bool well = c.memory || error_set(&e, ERROR_MEMORY, "there is no memory left for the results");
    if (!ranks_agree(&run->ranks, well, &e))
        return false;
    gather_hosts(&c);
    for (int part = 0; part < RESULTS_PARTS; part++)
        if (part == RESULTS_STARTUP || run->options.phase[part - 1])
            gather_phase(&c, t, (enum results_part)part);
    well = c.memory || error_set(&e, ERROR_MEMORY, "there is no memory left for the results of all ranks");
    return ranks_agree(&run->ranks, well, &e);
}
