/* Which library needs which, and how many symbols it takes from there; see prof.h.
 *
 * DT_NEEDED names a library by its DT_SONAME or by its file's name. A symbol comes from the first library in the order
 * of DT_NEEDED that defines its name; versions are ignored.
 */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "elf/read/capture_limits.h"
#include "tools/capture/prof.h"

enum { NOBODY = UINT32_MAX };

/* A hash table from 64-bit keys to values. A key may be there several times, with different values. */
struct table {
    struct slot {
        uint64_t key;
        uint32_t value; /* NOBODY: the slot is free */
        bool taken;     /* some other file has taken the symbol from here */
    } * slot;
    size_t mask;
};

static void table_make(struct table *t, uint64_t count)
{
    size_t slots = 64;
    while (slots < 2 * count)
        slots *= 2;
    t->slot = prof_must(malloc(slots * sizeof *t->slot));
    t->mask = slots - 1;
    for (size_t i = 0; i < slots; i++)
        t->slot[i].value = NOBODY;
}

static void table_add(struct table *t, uint64_t key, uint32_t value)
{
    size_t at = random_mix(key) & t->mask;
    while (t->slot[at].value != NOBODY) {
        if (t->slot[at].key == key && t->slot[at].value == value)
            return;
        at = (at + 1) & t->mask;
    }
    t->slot[at] = (struct slot){.key = key, .value = value};
}

/* To find all values of a key, start *at with table_begin and call table_next, which moves *at behind the slot that it
 * found. NOBODY ends them. */
static size_t table_begin(const struct table *t, uint64_t key)
{
    return random_mix(key) & t->mask;
}

static uint32_t table_next(const struct table *t, uint64_t key, size_t *at)
{
    for (; t->slot[*at].value != NOBODY; *at = (*at + 1) & t->mask) {
        if (t->slot[*at].key == key) {
            uint32_t value = t->slot[*at].value;
            *at = (*at + 1) & t->mask;
            return value;
        }
    }
    return NOBODY;
}

/* ---- names of libraries ---- */

struct name {
    const char *name;
    uint32_t file;
};

static int compare_names(const void *a, const void *b)
{
    const struct name *x = a;
    const struct name *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->file < y->file ? -1 : x->file > y->file;
}

/* The first file with that name. It is `self` only where no other file has the name. NOBODY: there is none. */
static uint32_t find_file(const struct name *names, size_t count, const char *name, uint32_t self)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(names[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + 1 < count && names[low].file == self && strcmp(names[low + 1].name, name) == 0)
        low++;
    return low < count && strcmp(names[low].name, name) == 0 ? names[low].file : NOBODY;
}

/* The two names by which each file may be needed, sorted. */
static struct name *list_names(const struct prof *p)
{
    struct name *names = prof_must(malloc((2 * p->count + 1) * sizeof *names));
    for (size_t i = 0; i < p->count; i++) {
        const struct prof_file *file = &p->file[i];
        const char *base = prof_base_name(file->name);
        names[2 * i] = (struct name){base, (uint32_t)i};
        names[2 * i + 1] = (struct name){file->capture.links.soname ? file->capture.links.soname : base, (uint32_t)i};
    }
    qsort(names, 2 * p->count, sizeof *names, compare_names);
    return names;
}

/* ---- edges ---- */

struct graph {
    struct prof *p;
    struct name *names;
    struct table symbols; /* the hash of a name leads to the files that define it */
    uint32_t *edge_to;    /* for each file the number of the edge to it; NOBODY: no edge */
};

/* A library that names itself is loaded already: that makes no edge. */
static void find_edges(struct graph *g, struct prof_file *file, uint32_t self)
{
    const struct capture *c = &file->capture;
    file->edge = prof_must(arena_zeroed(&g->p->arena, c->links.needed_count + 1, sizeof *file->edge));
    for (size_t i = 0; i < c->links.needed_count; i++) {
        uint32_t to = find_file(g->names, 2 * g->p->count, prof_base_name(c->links.needed[i]), self);
        if (to == NOBODY) {
            file->outside++;
        } else if (to != self && g->edge_to[to] == NOBODY) {
            g->edge_to[to] = (uint32_t)file->edges;
            file->edge[file->edges++].to = to;
        }
    }
}

/* Counts one symbol along an edge, up to the number that a row can state: a hostile file may import more. */
static void take(struct graph *g, struct prof_edge *edge, struct slot *symbol)
{
    struct prof_file *of = &g->p->file[edge->to];
    edge->symbols += edge->symbols < CAPTURE_FUNCTIONS_MOST;
    of->used += !symbol->taken;
    symbol->taken = true;
}

/* Finds out which files the file takes its symbols from. */
static void find_symbols(struct graph *g, struct prof_file *file, uint32_t self)
{
    const struct capture *c = &file->capture;
    for (size_t i = 0; i < c->hashes.undefined_count; i++) {
        uint32_t first = NOBODY;
        size_t slot = 0;
        bool elsewhere = false;
        size_t at = table_begin(&g->symbols, c->hashes.undefined[i]);
        for (uint32_t of; (of = table_next(&g->symbols, c->hashes.undefined[i], &at)) != NOBODY;) {
            if (g->edge_to[of] < first) {
                first = g->edge_to[of];
                slot = (at - 1) & g->symbols.mask;
            }
            elsewhere |= of != self;
        }
        if (first != NOBODY)
            take(g, &file->edge[first], &g->symbols.slot[slot]);
        else
            file->indirect += elsewhere;
    }
}

void prof_graph(struct prof *p)
{
    struct graph g = {.p = p, .names = list_names(p)};
    uint64_t defined = 0;
    for (size_t i = 0; i < p->count; i++)
        defined += p->file[i].capture.hashes.defined_count;
    table_make(&g.symbols, defined);
    for (size_t i = 0; i < p->count; i++) {
        const struct capture *c = &p->file[i].capture;
        for (size_t j = 0; j < c->hashes.defined_count; j++)
            table_add(&g.symbols, c->hashes.defined[j], (uint32_t)i);
    }
    g.edge_to = prof_must(malloc((p->count + 1) * sizeof *g.edge_to));
    memset(g.edge_to, 0xff, (p->count + 1) * sizeof *g.edge_to);
    for (size_t i = 0; i < p->count; i++) {
        struct prof_file *file = &p->file[i];
        find_edges(&g, file, (uint32_t)i);
        find_symbols(&g, file, (uint32_t)i);
        for (size_t j = 0; j < file->edges; j++)
            g.edge_to[file->edge[j].to] = NOBODY;
        p->degree.count[histogram_bucket(file->edges)]++;
    }
    free(g.edge_to);
    free(g.symbols.slot);
    free(g.names);
}
