/* Writes .dynsym, .dynstr and the hash tables. symbols_versions.c writes the symbols' versions, symtab.c writes .symtab
 * and .strtab.
 *
 * The names of dynamic symbols are one block, at offset 1 in .dynstr and again at offset 1 in .strtab. So a name has
 * the same offset in both, and .symtab gets copies of .dynsym's entries:
 *
 *     imports | own functions | _start entry extern PyInit visits small aliases data ends versions pyelf_executable
 *     | others undefined
 *
 * .dynsym has the null entry, undefined symbols, then defined ones sorted by GNU hash bucket.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/relr.h"
#include "elf/write/hash.h"
#include "emit/library/objects.h"
#include "emit/library/relocated.h"
#include "emit/library/small.h"
#include "emit/library/symbols_parts.h"
#include "emit/plan/calls_rows.h"
#include "emit/plan/names_row.h"
#include "emit/plan/versions.h"
#include "emit/profile/distribution.h"

enum { NAMES_BEYOND = 64 }; /* bytes at least that writing a name may overwrite behind it */

/* The tables under construction. */
struct symbols {
    struct library *l;
    uint8_t *image;
    uint8_t *names;       /* end of the name block written so far */
    const uint8_t *start; /* beginning of .dynstr */
    Elf64_Sym *dynsym;
    uint32_t *hashes;   /* GNU hashes of the symbols in `defined` */
    Elf64_Sym *defined; /* defined symbols, in the order in which they are made */
    uint32_t count;     /* defined symbols so far */
    uint32_t undefined; /* index of the next undefined symbol in .dynsym, from 1 on */
    uint32_t *start_of; /* offset in .dynstr of the name at each place, where names share ends (names_row.h) */
    uint32_t unbound;   /* index in .dynsym of the first undefined symbol that nothing binds */
    struct symbol_versions versions;
};

/* Writes other name `number` of a dynamic symbol (names_row_others) and returns its offset in .dynstr. Returns 0 where
 * the name is the end of another: name_ends sets it later. */
static uint32_t put_other(struct symbols *t, uint32_t number)
{
    const struct plan_library *row = t->l->row;
    const uint32_t name = (uint32_t)(t->names - t->start);
    if (names_row_is_end(row, row->exported + number))
        return 0;
    if (names_row_ends(row))
        t->start_of[row->exported + number] = name;
    t->names = names_row_write_other(row, number, t->names);
    return name;
}

/* Sets name and hash of the symbols whose names are the ends of others. All other names must be written. */
static void name_ends(struct symbols *t)
{
    const struct plan_library *row = t->l->row;
    for (uint32_t place = 0; names_row_ends(row) && place < row->names.ended; place++) {
        const int64_t end = names_row_end_of(row, place);
        if (end == NAMES_ROW_NONE)
            continue;
        const uint32_t of = (uint32_t)end;
        const uint32_t length = names_row_place_length(row, of);
        const uint32_t symbol = of < row->exported ? of : t->versions.others + of - row->exported;
        const uint32_t name = t->start_of[place] + names_row_place_length(row, place) - length;
        if (of >= row->names.ended - row->unbound) {
            t->dynsym[t->unbound + of - (row->names.ended - row->unbound)].st_name = name;
            continue;
        }
        t->defined[symbol].st_name = name;
        t->hashes[symbol] = hash_gnu(HASH_GNU_START, (const char *)t->start + name, length);
    }
}

/* Writes `first` and `second` as one name; returns its offset. */
static uint32_t put_name(struct symbols *t, const char *first, const char *second)
{
    uint32_t offset = (uint32_t)(t->names - t->start);
    t->names = put_bytes(t->names, first, strlen(first));
    t->names = put_bytes(t->names, second, strlen(second) + 1);
    return offset;
}

static void define(struct symbols *t, uint32_t name, unsigned char type, enum section_id section, uint64_t value,
                   uint64_t size)
{
    const char *text = (const char *)t->start + name;
    t->hashes[t->count] = hash_gnu(HASH_GNU_START, text, strlen(text));
    t->defined[t->count++] = symbols_entry(name, STB_GLOBAL, type, t->l->layout.section[section].index, value, size);
}

static uint32_t undefine(struct symbols *t, uint32_t name, unsigned char bind, unsigned char type)
{
    t->dynsym[t->undefined] = symbols_entry(name, bind, type, SHN_UNDEF, 0, 0);
    return t->undefined++;
}

static unsigned char import_type(const struct plan_library *of, uint32_t symbol)
{
    return of->said && symbol >= names_row_functions(of) ? STT_OBJECT : STT_FUNC;
}

/* Writes names and entries of the imports, which come first in .dynstr and in .dynsym. */
static void put_imports(struct symbols *t)
{
    const struct library *l = t->l;
    struct names_head head = {0};
    for (uint32_t i = 0; i < l->row->imports; i++) {
        const struct import *import = &l->calls.import[i];
        const struct plan_library *utility = &l->plan->library[import->library];
        uint32_t name = (uint32_t)(t->names - t->start);
        if (l->row->said && import->function >= utility->exported)
            t->names = names_row_write_other(utility, import->function - utility->exported, t->names);
        else
            t->names = names_write_function(&l->plan->names, &head, utility, import->function, &l->code.imported[i],
                                            t->names, NULL);
        const unsigned char bind = i + l->row->extra.weak_imports < l->row->imports ? STB_GLOBAL : STB_WEAK;
        undefine(t, name, bind, import_type(utility, import->function));
    }
    assert(t->names == t->start + 1 + l->row->names.imports);
}

static void put_functions(struct symbols *t)
{
    const struct library *l = t->l;
    struct names_head head = {0};
    uint32_t section = l->layout.section[SECTION_TEXT].index;
    const uint32_t exported = plan_exported(l->row);
    const uint32_t behind = l->row->small.exported + l->row->extra.dynamic.aliases;
    for (uint32_t i = 0; i < exported; i++) {
        const uint32_t name = (uint32_t)(t->names - t->start);
        if (names_row_ends(l->row))
            t->start_of[i] = name;
        if (!names_row_is_end(l->row, i))
            t->names =
                names_write_function(&l->plan->names, &head, l->row, i, &l->code.own[i], t->names, &t->hashes[i]);
        const unsigned char bind = i + l->row->extra.dynamic.weak < exported + behind ? STB_GLOBAL : STB_WEAK;
        t->defined[i] = symbols_entry(name, bind, STT_FUNC, section, l->code.text + l->body[i].offset, l->body[i].size);
    }
    assert(t->names ==
           t->start + 1 + l->row->names.imports + (l->shape.local ? l->row->names.exported : l->row->names.functions));
    t->count = exported;
}

static void define_glue(struct symbols *t, uint32_t name, enum glue_function which)
{
    const struct glue_place *place = &t->l->glue.place[which];
    define(t, name, STT_FUNC, SECTION_TEXT, t->l->code.text + place->offset, place->size);
}

/* The section with the most room for objects: .data.rel.ro, or whichever of .data and .rodata has more free bytes. */
static struct object_room most_objects(const struct library *l)
{
    const struct object_room relro = objects_room(l, SECTION_DATA_REL_RO);
    const struct object_room other = objects_room(l, l->data_free < l->rodata_free ? SECTION_RODATA : SECTION_DATA);
    return relro.size > other.size ? relro : other;
}

/* Bytes of object i: up to 8 * SIZES, and no more than there are before the next object. */
static uint64_t object_size(const struct library *l, const struct object_room *r, const struct object_pitch *pitch,
                            uint32_t i)
{
    enum { SIZES = 16 };
    const uint64_t wanted = 8 * (1 + random_below(random_at(l->row->key, i), SIZES));
    const uint64_t at = object_at(pitch, i);
    const uint64_t end = i + 1 < l->row->extra.dynamic.objects ? object_at(pitch, i + UINT64_C(1)) : r->size;
    return wanted < end - at ? wanted : end - at;
}

/* Defines the dynamic symbols of data. Where there are more of them than words, several symbols share a word. */
static void put_data(struct symbols *t)
{
    const struct library *l = t->l;
    const struct plan_extra *x = &l->row->extra;
    const struct object_room r = most_objects(l);
    const uint64_t start = l->layout.section[r.section].address;
    const struct object_pitch pitch = objects_pitch(l, start + r.at, r.size, x->dynamic.objects);
    const uint64_t skip = -(start + r.at) & 7;
    const uint64_t words = r.size > skip ? (r.size - skip) / 8 : 0;
    for (uint32_t i = 0; i < x->dynamic.objects; i++) {
        const uint32_t name = put_other(t, l->row->small.exported + x->dynamic.aliases + i);
        uint64_t at = 0, size = 0;
        if (pitch.each) {
            at = r.at + object_at(&pitch, i);
            size = object_size(l, &r, &pitch, i);
        } else if (words) {
            at = r.at + skip + 8 * (i % words);
            size = 8;
        }
        define(t, name, STT_OBJECT, r.section, start + at, size);
        const unsigned char bind = i < x->dynamic.unique_objects                       ? STB_GNU_UNIQUE
                                   : i + x->dynamic.weak_objects >= x->dynamic.objects ? STB_WEAK
                                                                                       : STB_GLOBAL;
        t->defined[t->count - 1].st_info = (unsigned char)ELF64_ST_INFO(bind, STT_OBJECT);
    }
}

/* Defines the dynamic small functions. */
static void put_small(struct symbols *t)
{
    const struct library *l = t->l;
    const struct plan_library *row = l->row;
    struct small_walk walk = small_walk(l, 0);
    for (uint32_t i = 0; i < row->small.exported; i++) {
        const uint32_t name = put_other(t, i);
        const unsigned char type = resolvers_type(&l->shape.resolvers, row, i);
        define(t, name, type, SECTION_TEXT, small_walk_address(l, &walk), row->small.size[i]);
        if (i + row->extra.dynamic.weak >= row->small.exported + row->extra.dynamic.aliases)
            t->defined[t->count - 1].st_info = ELF64_ST_INFO(STB_WEAK, type);
    }
}

/* Defines aliases: further names of dynamic functions, spread evenly over the numbered ones and then the small ones.
 * `small` is the place of the first small function in t->defined. */
static void put_aliases(struct symbols *t, uint32_t small)
{
    const struct library *l = t->l;
    const struct plan_library *row = l->row;
    const uint32_t exported = plan_exported(row);
    const uint32_t count = row->extra.dynamic.aliases;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t of = plan_alias_function(row, i);
        const Elf64_Sym function = t->defined[of < exported ? of : small + of - exported];
        const unsigned char type = ELF64_ST_TYPE(function.st_info);
        define(t, put_other(t, row->small.exported + i), type, SECTION_TEXT, function.st_value, function.st_size);
        if (i + row->extra.dynamic.weak >= count)
            t->defined[t->count - 1].st_info = ELF64_ST_INFO(STB_WEAK, type);
    }
}

/* Defines symbols for where sections begin or end. */
static void put_ends(struct symbols *t)
{
    for (uint32_t i = 0; i < t->l->row->extra.dynamic.ends; i++) {
        const struct section_end *end = &shape_ends[i];
        const struct section *s = &t->l->layout.section[end->section];
        define(t, put_name(t, end->name, ""), STT_NOTYPE, end->section, s->address + (end->end ? s->size : 0), 0);
    }
}

/* Defines the absolute symbols that are named after versions. */
static void put_version_symbols(struct symbols *t)
{
    char name[VERSIONS_NAME_MOST];
    t->versions.symbols = t->count;
    t->versions.names = (uint32_t)(t->names - t->start);
    for (uint32_t i = 0; i < t->l->row->extra.versioning.symbols; i++) {
        versions_name(t->l->row, i, name);
        define(t, put_name(t, name, ""), STT_OBJECT, SECTION_NONE, 0, 0);
        t->defined[t->count - 1].st_shndx = SHN_ABS;
    }
}

static struct others put_others(struct symbols *t)
{
    const struct library *l = t->l;
    const struct shape *s = &l->shape;
    const char *name = l->row->name;
    struct others o = {0};
    if (s->executable)
        define_glue(t, put_name(t, "_start", ""), GLUE_START);
    if (s->python && !l->row->glue.inner_entry) {
        o.entry = t->count;
        define_glue(t, put_name(t, s->entry, ""), GLUE_ENTRY);
    }
    if (s->has_extern) {
        o.own_extern = t->count;
        define_glue(t, put_name(t, name, "_extern"), GLUE_EXTERN);
    }
    if (s->python)
        define_glue(t, put_name(t, "PyInit_", name), GLUE_PYINIT);
    if (s->marks_exported && !s->inner)
        define(t, put_name(t, name, "_visits"), STT_OBJECT, SECTION_BSS, l->code.marks, s->marks);
    t->versions.others = t->count;
    put_small(t);
    put_aliases(t, t->versions.others);
    put_data(t);
    t->versions.ends = t->count;
    put_ends(t);
    put_version_symbols(t);
    if (s->executable)
        define(t, put_name(t, EXECUTABLE_SYMBOL, ""), STT_OBJECT, SECTION_DATA_REL_RO, l->at.executable,
               sizeof(struct executable));
    o.cxa_finalize = undefine(t, put_name(t, "__cxa_finalize", ""), STB_WEAK, STT_FUNC);
    o.gmon_start = undefine(t, put_name(t, "__gmon_start__", ""), STB_WEAK, STT_NOTYPE);
    for (uint32_t i = 0; i < l->row->extra.undefined.clones; i++)
        undefine(t, put_name(t, shape_clones[i], ""), STB_WEAK, STT_NOTYPE);
    if (s->python || s->holds) {
        o.python = t->undefined;
        for (unsigned i = 0; i < PYTHON_FUNCTION_COUNT; i++)
            if (shape_calls_python(l->row, i))
                undefine(t, put_name(t, shape_python_name(l->row, i), ""), STB_GLOBAL, STT_NOTYPE);
    }
    o.outside = t->undefined;
    for (uint32_t i = 0; i < l->row->extra.undefined.outside; i++) /* functions; ld types those with versions */
        undefine(t, put_name(t, outside_name(s->python, l->row->key, l->row->outside_choice, i), ""),
                 i + l->row->extra.undefined.weak < l->row->extra.undefined.outside ? STB_GLOBAL : STB_WEAK,
                 shape_outside_version(l->row, i) ? STT_FUNC : STT_NOTYPE);
    t->unbound = t->undefined;
    for (uint32_t i = 0; i < l->row->unbound; i++)
        undefine(t, put_other(t, names_row_others(l->row) - l->row->unbound + i), STB_GLOBAL, STT_NOTYPE);
    name_ends(t);
    if (s->extern_called >= 0)
        o.extern_before =
            undefine(t, put_name(t, l->plan->library[s->extern_called].name, "_extern"), STB_GLOBAL, STT_FUNC);
    if (s->executable) {
        o.main = undefine(t, put_name(t, "main", ""), STB_GLOBAL, STT_FUNC);
        o.start_main = undefine(t, put_name(t, "__libc_start_main", ""), STB_GLOBAL, STT_FUNC);
    }
    assert(t->names == t->start + 1 + s->names);
    assert(t->count == s->defined && t->undefined == 1 + s->undefined);
    return o;
}

const char *symbols_names(const struct library *l, uint64_t size, struct arena *arena)
{
    const struct shape *s = &l->shape;
    const char *name = l->row->name;
    struct names_head head = {0};
    char *start = arena_take(arena, size + NAMES_BEYOND);
    uint8_t *p = (uint8_t *)start;
    if (!start)
        return NULL;
    for (uint32_t i = 0; i < l->described; i++)
        p = names_write_function(&l->plan->names, &head, l->row, i, &l->code.own[i], p, NULL);
    if (s->executable)
        p = put_bytes(p, "_start", sizeof "_start");
    if (s->python)
        p = put_bytes(p, s->entry, strlen(s->entry) + 1);
    if (s->has_extern)
        p = put_bytes(put_bytes(p, name, strlen(name)), "_extern", sizeof "_extern");
    if (s->python)
        p = put_bytes(put_bytes(p, "PyInit_", strlen("PyInit_")), name, strlen(name) + 1);
    assert(p == (uint8_t *)start + size);
    return start;
}

static bool write_hashes(struct symbols *t, struct arena *arena, uint32_t *order)
{
    const struct library *l = t->l;
    const struct section *s = l->layout.section;
    struct gnu_hash plan = hash_gnu_plan(l->shape.defined, l->row->extra.dynamic.buckets);
    uint32_t *buckets = arena_take(arena, (plan.buckets + UINT64_C(1)) * sizeof *buckets);
    if (!buckets)
        return false;
    hash_gnu_order(&plan, t->hashes, buckets, order);
    uint32_t first = 1 + l->shape.undefined;
    for (uint32_t i = 0; i < l->shape.defined; i++)
        t->dynsym[first + i] = t->defined[order[i]];
    if (s[SECTION_GNU_HASH].size)
        hash_gnu_write(&plan, t->hashes, buckets, order, first, t->image + s[SECTION_GNU_HASH].offset);
    if (s[SECTION_HASH].size) {
        uint32_t symbols = first + l->shape.defined;
        uint32_t *hashes = arena_take(arena, symbols * sizeof *hashes);
        if (!hashes)
            return false;
        for (uint32_t i = 1; i < symbols; i++) {
            const char *name = (const char *)t->start + t->dynsym[i].st_name;
            hashes[i] = hash_sysv(name, strlen(name));
        }
        hash_sysv_write(symbols, hashes, t->image + s[SECTION_HASH].offset);
    }
    return true;
}

/* Writes the names of the libraries that DT_NEEDED entries before libc's refer to; of an executable, all that it is
 * linked with, in Pynamic's order. Returns the offset of the first name of a library outside the set; 0 for an
 * executable, which needs none. */
static uint32_t put_needed(struct symbols *t)
{
    const struct library *l = t->l;
    const struct plan *plan = l->plan;
    if (l->shape.executable) {
        for (uint32_t i = 0; !l->shape.holds && i < plan_executable(plan); i++)
            put_name(t, plan->library[i].name, ".so");
        put_name(t, EXECUTABLE_RUNTIME, "");
        put_name(t, plan->executables.libpython, "");
        return 0;
    }
    for (uint32_t i = 0; i < l->calls.needed_count; i++)
        put_name(t, plan->library[l->calls.needed[i]].name, ".so");
    if (l->shape.needs_before)
        put_name(t, plan->library[l->shape.extern_called].name, ".so");
    for (uint32_t i = 0; i < l->shape.modules; i++)
        put_name(t, plan->library[i].name, ".so");
    const uint32_t outside = (uint32_t)(t->names - t->start);
    for (uint32_t i = 0; i < l->row->extra.undefined.needed; i++)
        put_name(t, outside_library(i), "");
    return outside;
}

/* The number of the uncalled symbol (relocated_uncalled) that has slot `number` of extra.plt.slots. Symbols that
 * nothing binds can have no slot: functions outside the set get their slots as second ones. */
static uint32_t slot_symbol(const struct plan_library *row, uint32_t number)
{
    const uint32_t uncalled = plan_uncalled(row);
    return number < uncalled ? number : uncalled + (number - uncalled) % row->extra.undefined.outside;
}

/* Reorders the names of undefined symbols from __cxa_finalize on at random: ld puts names into .dynstr as it meets
 * them, and takes the symbols from a hash table. In .strtab ld keeps the order of the symbols, and so do we. False when
 * memory ran out. */
static bool shuffle_names(const struct symbols *t, const struct others *o, struct arena *arena)
{
    const uint32_t symbols = t->undefined - o->cxa_finalize;
    const uint32_t from = t->dynsym[o->cxa_finalize].st_name;
    const uint32_t size = 1 + (uint32_t)t->l->shape.names - from;
    uint8_t *const names = t->image + t->l->layout.section[SECTION_DYNSTR].offset + from;
    uint32_t *const start = arena_take(arena, symbols * sizeof *start);
    uint32_t *const moved = arena_take(arena, size * sizeof *moved); /* new offset of each name, by its old offset */
    uint8_t *const shuffled = arena_take(arena, size);
    struct random random = {plan_key(t->l->row, PURPOSE_NAMES)};
    uint32_t count = 0;
    if (!start || !moved || !shuffled)
        return false;
    for (uint32_t at = 0; at < size; at += (uint32_t)strlen((const char *)names + at) + 1)
        start[count++] = at;
    uint8_t *p = shuffled;
    while (count) {
        const uint32_t which = random_below(random_next(&random), count);
        const uint32_t at = start[which];
        start[which] = start[--count];
        moved[at] = (uint32_t)(p - shuffled);
        p = put_bytes(p, names + at, strlen((const char *)names + at) + 1);
    }
    assert(p == shuffled + size);
    const uint32_t all = t->undefined + t->count;
    for (uint32_t i = 1; i < all; i++) { /* defined symbols, too: their names may be the ends of these names */
        Elf64_Sym *const symbol = &t->dynsym[i];
        if (symbol->st_name < from || symbol->st_name - from >= size)
            continue;
        uint32_t at = symbol->st_name - from;
        while (at && names[at - 1])
            at--;
        symbol->st_name += moved[at] - at;
    }
    memcpy(names, shuffled, size);
    return true;
}

/* Writes names of versions: those that the library needs of libraries outside the set, those of its own that have no
 * symbol, and those that it needs of others in the set. */
static void put_versions(struct symbols *t)
{
    const struct plan_library *row = t->l->row;
    char name[VERSIONS_NAME_MOST];
    t->versions.outside = row->without_libc ? 0 : put_name(t, OUTSIDE_VERSION, "");
    for (uint32_t i = 0; i < row->extra.versioning.needed; i++)
        put_name(t, outside_version_name(2 + i), "");
    if (shape_relr_versions(row, &t->l->shape))
        put_name(t, RELR_VERSION, "");
    t->versions.unmarked = (uint32_t)(t->names - t->start);
    for (uint32_t i = row->extra.versioning.symbols; i < row->extra.versioning.defined; i++) {
        versions_name(row, i, name);
        put_name(t, name, "");
    }
    t->versions.edges = (uint32_t)(t->names - t->start);
    for (uint32_t i = 0; i < row->needs.edges; i++) {
        const struct plan_library *to = &t->l->plan->library[row->needs.edge[i].library];
        struct edge_versions v;
        versions_of_edge(t->l->plan, row, &row->needs.edge[i], row->needs.edge[i].versions, &v);
        for (uint32_t k = 0; v.count && k < to->extra.versioning.defined; k++) {
            if (!v.place[k])
                continue;
            versions_name(to, k, name);
            put_name(t, name, "");
        }
    }
}

/* Notes which defined symbols relocations refer to first (unique objects), and which they never refer to (symbols of
 * versions). l->aside_symbols has both, sorted. */
static void set_aside(struct library *l, uint32_t *place, const struct symbol_versions *v, uint32_t *aside)
{
    const struct plan_extra *x = &l->row->extra;
    const uint32_t count = x->dynamic.unique_objects + x->versioning.symbols;
    l->unique_symbols = place + v->others + l->row->small.exported + x->dynamic.aliases;
    l->aside_symbols = aside;
    for (uint32_t i = 0; i < x->dynamic.unique_objects; i++)
        aside[i] = l->unique_symbols[i];
    for (uint32_t i = 0; i < x->versioning.symbols; i++)
        aside[x->dynamic.unique_objects + i] = place[v->symbols + i];
    distribution_sort(aside, count);
}

/* Sets which dynamic symbol each slot of the PLT is for; 0: none. `place` is the symbol of each that is defined, in the
 * order in which they were put, where those of small functions begin at `small`. */
static void name_slots(const struct library *l, const struct others *o, const uint32_t *place, uint32_t small,
                       uint32_t *plt_symbols)
{
    const struct shape *s = &l->shape;
    for (uint32_t i = 0; i < plan_lazy(l->row); i++)
        if (l->slot[i] != CODE_NO_SLOT)
            plt_symbols[l->slot[i]] = place[i];
    const uint32_t python_slots = shape_python_functions(l->row) - l->row->glue.result_by_got;
    for (uint32_t i = 0; (s->python || s->holds) && i < python_slots; i++)
        plt_symbols[l->at.python_slot + i] = o->python + i;
    for (uint32_t i = 0; i < l->row->imports - plan_uncalled(l->row); i++)
        plt_symbols[l->code.import_slot + i] = 1 + (l->row->said ? calls_row_called(l->row, i) : i);
    for (uint32_t i = 0; i < l->row->extra.plt.slots; i++)
        plt_symbols[l->outside_slots + i] = relocated_uncalled(l, slot_symbol(l->row, i));
    for (uint32_t i = 0; i < l->row->extra.plt.small; i++)
        plt_symbols[l->small_slots + i] = place[small + i];
    for (uint32_t i = l->irelative_first; i < s->plt; i++)
        plt_symbols[i] = 0;
    if (s->python && !l->row->glue.direct_entry)
        plt_symbols[l->at.entry_slot] = place[o->entry];
    if (s->extern_called >= 0)
        plt_symbols[l->at.extern_before_slot] = o->extern_before;
    if (s->calls_own_extern)
        plt_symbols[l->at.own_extern_slot] = place[o->own_extern];
}

bool symbols_write(struct library *l, uint8_t *image, struct arena *arena, uint32_t *plt_symbols)
{
    const struct shape *s = &l->shape;
    const struct section *section = l->layout.section;
    uint8_t *dynstr = image + section[SECTION_DYNSTR].offset;
    struct symbols t = {.l = l, .image = image, .start = dynstr, .names = dynstr + 1, .undefined = 1};
    t.dynsym = (Elf64_Sym *)(void *)(image + section[SECTION_DYNSYM].offset);
    t.hashes = arena_take(arena, s->defined * sizeof *t.hashes);
    t.defined = arena_take(arena, s->defined * sizeof *t.defined);
    uint32_t *order = arena_take(arena, s->defined * sizeof *order);
    uint32_t *place = arena_take(arena, s->defined * sizeof *place);
    t.start_of = arena_take(arena, (l->row->names.ended + UINT64_C(1)) * sizeof *t.start_of);
    uint32_t *aside = arena_take(arena, (s->defined + UINT64_C(1)) * sizeof *aside);
    if (!t.hashes || !t.defined || !order || !place || !t.start_of || !aside)
        return false;
    dynstr[0] = '\0';
    memset(t.dynsym, 0, sizeof *t.dynsym);
    put_imports(&t);
    if (!s->inner)
        put_functions(&t);
    struct others o = put_others(&t);
    if (!write_hashes(&t, arena, order))
        return false;
    const uint32_t libc = l->row->without_libc ? 0 : put_name(&t, "libc.so.6", "");
    put_versions(&t);
    uint32_t soname = s->soname ? put_name(&t, l->row->name, ".so") : 0;
    uint32_t runpath = l->row->runpath ? put_name(&t, "$ORIGIN", "") : 0;
    l->strings = (struct dynamic_strings){libc, soname, runpath, (uint32_t)(t.names - dynstr)};
    t.versions.files = put_needed(&t);
    assert(t.names == dynstr + section[SECTION_DYNSTR].size);

    const uint32_t first = 1 + s->undefined;
    for (uint32_t i = 0; i < s->defined; i++)
        place[order[i]] = first + i;
    l->symbol_defined = first;
    l->symbol_python = o.python;
    l->symbol_outside = o.outside;
    l->symbol_cxa_finalize = o.cxa_finalize;
    l->symbol_gmon_start = o.gmon_start;
    l->symbol_main = o.main;
    l->symbol_start_main = o.start_main;
    name_slots(l, &o, place, t.versions.others, plt_symbols);
    set_aside(l, place, &t.versions, aside);
    t.versions.order = order;
    symbols_write_versions(l, image, &o, &t.versions);
    if (!l->row->stripped)
        symtab_write(l, image, t.dynsym, &o);
    return !l->row->said || shuffle_names(&t, &o, arena);
}
