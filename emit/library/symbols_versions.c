/* Versions of dynamic symbols (versions.h): the version of each symbol in .gnu.version, those that the library defines
 * in .gnu.version_d, and those that it needs in .gnu.version_r.
 *
 * Indices count the base version, then the library's own versions, then those that it needs.
 */
#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "elf/write/hash.h"
#include "emit/library/symbols_parts.h"
#include "emit/plan/versions.h"

/* The index of the library's own version `number`, counted from 0; index 1 is the base version. */
static uint16_t own_index(uint32_t number)
{
    return (uint16_t)(VER_NDX_GLOBAL + 1 + number);
}

/* The index of needed version `number`, counted from 1. */
static uint16_t needed_index(const struct library *l, uint32_t number)
{
    return (uint16_t)(VER_NDX_GLOBAL + l->row->extra.versioning.defined + number);
}

/* The index for the defined symbol at place `symbol`. */
static uint16_t defined_index(const struct library *l, const struct symbol_versions *v, uint32_t symbol)
{
    const struct plan_library *row = l->row;
    if (!row->extra.versioning.defined || (symbol >= v->ends && symbol < v->symbols))
        return VER_NDX_GLOBAL;
    if (symbol >= v->symbols)
        return own_index(symbol - v->symbols);
    if (symbol >= v->others)
        return own_index(versions_of(row, row->exported + symbol - v->others));
    return own_index(symbol < row->exported ? versions_of(row, symbol) : 0);
}

/* Writes the indices of symbols imported from other libraries of the set. The versions needed of these are numbered
 * from `number` on, edge by edge. */
static uint8_t *put_import_indices(const struct library *l, uint32_t number, uint8_t *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->row->needs.edges; i++) {
        const struct plan_edge *edge = &l->row->needs.edge[i];
        const struct plan_library *to = &l->plan->library[edge->library];
        struct edge_versions v;
        versions_of_edge(l->plan, l->row, edge, edge->versions, &v);
        for (; n < edge->first + edge->symbols; n++) {
            const uint32_t place = v.count ? v.place[versions_of(to, l->calls.import[n].function)] : 0;
            p = put_u16(p, place ? needed_index(l, number + place - 1) : VER_NDX_GLOBAL);
        }
        number += v.count;
    }
    return p;
}

static void write_indices(const struct library *l, uint8_t *image, const struct others *o,
                          const struct symbol_versions *v)
{
    const uint32_t outside = o->outside + l->row->extra.undefined.outside;
    const uint32_t imports = l->row->said ? l->row->imports : 0;
    uint8_t *p = image + l->layout.section[SECTION_VERSYM].offset;
    p = put_u16(p, VER_NDX_LOCAL);
    if (imports)
        p = put_import_indices(l, 1 + shape_libc_versions(l->row, &l->shape) + l->row->extra.versioning.others, p);
    for (uint32_t i = 1 + imports; i <= l->shape.undefined; i++) {
        uint32_t of = !l->row->without_libc && (i == o->cxa_finalize || i == o->start_main);
        if (i >= o->outside && i < outside)
            of = shape_outside_version(l->row, i - o->outside);
        p = put_u16(p, of ? needed_index(l, of) : VER_NDX_GLOBAL);
    }
    for (uint32_t i = 0; i < l->shape.defined; i++)
        p = put_u16(p, defined_index(l, v, v->order[i]));
    assert(p == image + l->layout.section[SECTION_VERSYM].offset + l->layout.section[SECTION_VERSYM].size);
}

static uint32_t behind_name(const char *strings, uint32_t name)
{
    return name + (uint32_t)strlen(strings + name) + 1;
}

/* .gnu.version_d as it grows. */
struct definitions {
    const char *strings; /* .dynstr */
    uint8_t *p;
    uint32_t left; /* definitions still to be written */
};

enum { NO_PARENT = 0 }; /* offset of no name in .dynstr */

static void put_definition(struct definitions *d, uint16_t index, uint32_t name, uint32_t parent)
{
    const char *const text = d->strings + name;
    const uint32_t names = parent == NO_PARENT ? 1 : 2;
    const Elf64_Verdef definition = {
        .vd_version = VER_DEF_CURRENT,
        .vd_flags = index == VER_NDX_GLOBAL ? VER_FLG_BASE : 0,
        .vd_ndx = index,
        .vd_cnt = (Elf64_Half)names,
        .vd_hash = hash_sysv(text, strlen(text)),
        .vd_aux = sizeof definition,
        .vd_next = --d->left ? (uint32_t)(sizeof definition + names * sizeof(Elf64_Verdaux)) : 0,
    };
    const Elf64_Verdaux own = {name, parent == NO_PARENT ? 0 : sizeof own};
    const Elf64_Verdaux other = {parent, 0};
    d->p = put_bytes(put_bytes(d->p, &definition, sizeof definition), &own, sizeof own);
    if (parent != NO_PARENT)
        d->p = put_bytes(d->p, &other, sizeof other);
}

/* Writes the base version, which has the library's SONAME as its name, and the other
 * versions that the library defines. */
static void write_definitions(const struct library *l, uint8_t *image, const struct symbol_versions *v)
{
    const struct section *s = &l->layout.section[SECTION_VERDEF];
    const struct plan_extra *x = &l->row->extra;
    struct definitions d = {(const char *)image + l->layout.section[SECTION_DYNSTR].offset, image + s->offset,
                            1 + x->versioning.defined};
    uint32_t parent = NO_PARENT;
    put_definition(&d, VER_NDX_GLOBAL, l->strings.soname, NO_PARENT);
    uint32_t name = x->versioning.symbols ? v->names : v->unmarked;
    for (uint32_t i = 0; i < x->versioning.defined; i++) {
        put_definition(&d, own_index(i), name, parent);
        parent = versions_have_parents(l->row) ? name : NO_PARENT;
        name = i + 1 == x->versioning.symbols ? v->unmarked : behind_name(d.strings, name);
    }
    assert(d.p == image + s->offset + s->size);
}

/* .gnu.version_r as it grows. */
struct needs {
    const struct library *l;
    const char *strings; /* .dynstr */
    uint8_t *p;
    uint32_t number; /* number of the next version, from 1 */
    uint32_t left;   /* libraries still to be written */
};

/* Writes that `count` versions are needed of the library whose name is at `file` in .dynstr. Names of the versions
 * stand one behind the other from `version` on; returns the place behind them. */
static uint32_t put_needs(struct needs *n, uint32_t file, uint32_t version, uint32_t count)
{
    const Elf64_Verneed need = {
        .vn_version = VER_NEED_CURRENT,
        .vn_cnt = (Elf64_Half)count,
        .vn_file = file,
        .vn_aux = sizeof need,
        .vn_next = --n->left ? (uint32_t)(sizeof need + count * sizeof(Elf64_Vernaux)) : 0,
    };
    n->p = put_bytes(n->p, &need, sizeof need);
    for (uint32_t i = 1; i <= count; i++) {
        const char *name = n->strings + version;
        const Elf64_Vernaux aux = {
            .vna_hash = hash_sysv(name, strlen(name)),
            .vna_other = needed_index(n->l, n->number++),
            .vna_name = version,
            .vna_next = i < count ? sizeof aux : 0,
        };
        n->p = put_bytes(n->p, &aux, sizeof aux);
        version = behind_name(n->strings, version);
    }
    return version;
}

static void write_needs(const struct library *l, uint8_t *image, const struct symbol_versions *v)
{
    const struct plan_library *row = l->row;
    const struct section *s = &l->layout.section[SECTION_VERNEED];
    struct needs n = {.l = l,
                      .strings = (const char *)image + l->layout.section[SECTION_DYNSTR].offset,
                      .p = image + s->offset,
                      .number = 1,
                      .left = shape_versioned(row)};
    if (!row->without_libc)
        put_needs(&n, l->strings.libc, v->outside, shape_libc_versions(row, &l->shape));
    uint32_t file = v->files;
    for (uint32_t i = 0; i < row->extra.versioning.others; i++, file = behind_name(n.strings, file))
        put_needs(&n, file, v->outside, 1);
    file = l->strings.needed;
    uint32_t version = v->edges;
    for (uint32_t i = 0; row->needs.versioned_edges && i < row->needs.edges; i++, file = behind_name(n.strings, file))
        if (row->needs.edge[i].versions)
            version = put_needs(&n, file, version, row->needs.edge[i].versions);
    assert(n.p == image + s->offset + s->size);
}

void symbols_write_versions(const struct library *l, uint8_t *image, const struct others *o,
                            const struct symbol_versions *v)
{
    if (!shape_has_versions(l->row))
        return;
    write_indices(l, image, o, v);
    if (l->row->extra.versioning.defined)
        write_definitions(l, image, v);
    if (shape_versioned(l->row))
        write_needs(l, image, v);
}
