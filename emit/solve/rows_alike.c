/* Chooses how alike the names of a library with a row are, so that its symbols and names compress as the row says.
 *
 * plan_library.alike is how many names use the same words. It is chosen so that the tables of symbols and names, as
 * pyelfprof counts them, take the row's size after zstd -3, by our own estimate (packed.h). For each try the tables are
 * written as they will be. Only the values of symbols are unknown before there is code: they ascend by functions of
 * sizes like the row's. Of many names only some are looked at.
 */
#include "emit/solve/rows_alike.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/apart.h"
#include "base/bytes.h"
#include "base/random.h"
#include "base/stride.h"
#include "emit/library/code.h"
#include "emit/library/packed.h"
#include "emit/library/shape.h"
#include "emit/library/sizes_said.h"
#include "emit/plan/calls_rows.h"
#include "emit/plan/names_row.h"
#include "emit/plan/outside.h"
#include "emit/plan/versions.h"

enum {
    LOOKED_AT = 1 << 17,     /* bytes of a library's tables that are looked at, about; */
    LOOKED_AT_ALL = 1 << 26, /* or of all libraries' tables, if that is more for each */
    SIZES = 257,             /* of functions, from the smallest to the largest */
    NEAR = 100,              /* the estimate is good enough within this part of the wanted size */
    TRIES = 5,
    FIRST = 1 << 16,       /* address of the first dynamic function */
    FIRST_LOCAL = 1 << 24, /* and of the first local function */
};

/* A buffer that grows. */
struct pile {
    uint8_t *start, *end, *limit;
};

/* Tables of symbols and names as a file has them, one behind the other. */
struct tables {
    const struct plan *plan;
    struct pile symbols, names; /* of the table that is being written */
    size_t outside;             /* index of the first undefined symbol from outside the set */
    struct pile undefined;      /* symbols */
    struct pile dynamic[2];     /* defined symbols, and their names */
    struct pile all;
    uint32_t step;        /* one symbol in so many is written */
    uint32_t size[SIZES]; /* of functions, ascending */
    uint32_t small;       /* how many of `size`, from the first on, are of small functions */
    uint64_t value;       /* address of the next function */
    struct random random;
    bool failed; /* memory ran out */
};

static bool reserve(struct tables *t, struct pile *p, size_t size)
{
    if ((size_t)(p->limit - p->start) - (size_t)(p->end - p->start) >= size && p->start)
        return true;
    const size_t used = (size_t)(p->end - p->start);
    const size_t more = 2 * used + size + (1 << 14);
    uint8_t *start = t->failed ? NULL : realloc(p->start, more);
    if (!start) {
        t->failed = true;
        return false;
    }
    *p = (struct pile){start, start + used, start + more};
    return true;
}

/* Where the next name goes; NULL when memory ran out. */
static uint8_t *next_name(struct tables *t)
{
    enum { BEYOND = 64 }; /* what names_write may overwrite */
    return reserve(t, &t->names, PROFILE_NAME_MOST + BEYOND) ? t->names.end : NULL;
}

static size_t symbols_there(const struct tables *t)
{
    return (size_t)(t->symbols.end - t->symbols.start) / sizeof(Elf64_Sym);
}

/* Writes a symbol whose name is at `name` and ends at `end`. A name that is the end of another has no bytes: `end` is
 * `name`. */
static void put_symbol(struct tables *t, const uint8_t *name, uint8_t *end, Elf64_Sym s)
{
    s.st_name = (Elf64_Word)(name - t->names.start);
    s.st_info = s.st_info ? s.st_info : ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    if (!reserve(t, &t->symbols, sizeof s))
        return;
    t->symbols.end = put_bytes(t->symbols.end, &s, sizeof s);
    t->names.end = end;
}

static Elf64_Sym undefined(void)
{
    return (Elf64_Sym){.st_shndx = SHN_UNDEF};
}

/* The next function, of `size` bytes; the one behind it begins `place` bytes later. */
static Elf64_Sym sized_function(struct tables *t, uint32_t size, uint32_t place)
{
    enum { TEXT = 12 };
    const Elf64_Sym s = {.st_shndx = TEXT, .st_value = t->value, .st_size = size};
    t->value += place;
    return s;
}

static Elf64_Sym any_function(struct tables *t)
{
    const uint32_t size = t->size[t->small + random_below(random_next(&t->random), SIZES - t->small)];
    return sized_function(t, size, (size + CODE_ALIGN - 1) / CODE_ALIGN * CODE_ALIGN);
}

/* Object i of 8 to 128 bytes. */
static Elf64_Sym any_object(struct tables *t, uint32_t i)
{
    enum { DATA = 20, START = 1 << 22, EACH = 64, WORDS = 16 };
    return (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                       .st_shndx = DATA,
                       .st_value = START + UINT64_C(1) * EACH * i,
                       .st_size = 8 * (1 + random_below(random_next(&t->random), WORDS))};
}

/* Writes a symbol that shares the name of the symbol at `place`. */
static void put_shared(struct tables *t, size_t place, Elf64_Sym s)
{
    if (place < symbols_there(t) && reserve(t, &t->symbols, sizeof s)) {
        memcpy(&s.st_name, t->symbols.start + place * sizeof s + offsetof(Elf64_Sym, st_name), sizeof s.st_name);
        t->symbols.end = put_bytes(t->symbols.end, &s, sizeof s);
    }
}

static void put_imports(struct tables *t, const struct plan_library *l)
{
    struct names_head head = {0};
    struct import import;
    for (uint32_t n = 0; calls_row_import(t->plan, l, n, &import); n += t->step) {
        const struct plan_library *const of = &t->plan->library[import.library];
        uint8_t *const name = next_name(t);
        if (!name)
            return;
        const struct function f = plan_function(of, import.function);
        put_symbol(t, name,
                   import.function >= of->exported
                       ? names_row_write_other(of, import.function - of->exported, name)
                       : names_write_function(&t->plan->names, &head, of, import.function, &f, name, NULL),
                   undefined());
    }
}

/* Writes a given name, in two parts, and its symbol, unless `symbol` is NULL. */
static void put_text(struct tables *t, const char *first, const char *second, const Elf64_Sym *symbol)
{
    uint8_t *const name = next_name(t);
    if (!name)
        return;
    uint8_t *const end = put_bytes(put_bytes(name, first, strlen(first)), second, strlen(second) + 1);
    if (symbol)
        put_symbol(t, name, end, *symbol);
    else
        t->names.end = end;
}

static void put_defined(struct tables *t, const char *first, const char *second)
{
    const Elf64_Sym s = any_function(t);
    put_text(t, first, second, &s);
}

/* What most libraries import. */
static void put_usual(struct tables *t, const struct plan_library *l, const struct shape *s)
{
    const Elf64_Sym any = {.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)};
    const Elf64_Sym weak = {.st_info = ELF64_ST_INFO(STB_WEAK, STT_NOTYPE)};
    const Elf64_Sym weak_function = {.st_info = ELF64_ST_INFO(STB_WEAK, STT_FUNC)};
    put_text(t, "__cxa_finalize", "", &weak_function);
    put_text(t, "__gmon_start__", "", &weak);
    for (uint32_t i = 0; i < l->extra.undefined.clones; i++)
        put_text(t, shape_clones[i], "", &weak);
    for (unsigned i = 0; i < PYTHON_FUNCTION_COUNT && s->python; i++)
        if (shape_calls_python(l, i))
            put_text(t, shape_python_name(l, i), "", &any);
}

/* The symbols with fixed names that a library defines. */
static void put_fixed(struct tables *t, const struct plan_library *l, const struct shape *s)
{
    char version[VERSIONS_NAME_MOST];
    if (s->python)
        put_defined(t, "PyInit_", l->name);
    if (s->python && !l->glue.inner_entry)
        put_defined(t, s->entry, "");
    for (uint32_t i = 0; i < l->extra.dynamic.ends; i++)
        put_defined(t, shape_ends[i].name, "");
    for (uint32_t i = 0; i < l->extra.versioning.symbols; i++) {
        versions_name(l, i, version);
        put_defined(t, version, "");
    }
}

/* Names of libraries and versions, which are in .dynstr without symbols. */
static void put_others_names(struct tables *t, const struct plan_library *l, const struct shape *s)
{
    char version[VERSIONS_NAME_MOST];
    uint64_t versions = l->needs.version_names;
    if (!l->without_libc) {
        put_text(t, "libc.so.6", "", NULL);
        put_text(t, OUTSIDE_VERSION, "", NULL);
    }
    for (uint32_t i = 0; i < l->extra.versioning.needed; i++)
        put_text(t, outside_version_name(2 + i), "", NULL);
    for (uint32_t i = 0; i < l->needs.edges; i++) {
        const struct plan_library *const of = &t->plan->library[l->needs.edge[i].library];
        put_text(t, of->name, ".so", NULL);
        for (uint32_t k = 0; k < of->extra.versioning.defined && versions; k++) {
            const uint64_t bytes = versions_name(of, k, version) + UINT64_C(1);
            put_text(t, version, "", NULL);
            versions -= bytes < versions ? bytes : versions;
        }
    }
    for (uint32_t i = l->extra.versioning.symbols; i < l->extra.versioning.defined; i++) {
        versions_name(l, i, version);
        put_text(t, version, "", NULL);
    }
    for (uint32_t i = 0; i < l->extra.undefined.needed; i++)
        put_text(t, outside_library(i), "", NULL);
    if (s->soname)
        put_text(t, l->name, ".so", NULL);
}

/* Undefined symbols from outside the set, in the order of the lists or, as in .dynstr, in an order that separates
 * neighbours in the lists. */
static void put_outside(struct tables *t, const struct plan_library *l, bool in_order)
{
    const uint32_t count = (l->extra.undefined.outside + t->step - 1) / t->step;
    uint32_t stride = in_order ? 1 : count / 8 * 5 + 1;
    while (count && !stride_meets_all(stride, count))
        stride++;
    for (uint32_t n = 0; n < count; n++) {
        uint8_t *const name = next_name(t);
        const uint32_t i = (uint32_t)((uint64_t)n * stride % count) * t->step;
        const char *const text = outside_name(l->kind == LIBRARY_MODULE, l->key, l->outside_choice, i);
        Elf64_Sym s = undefined();
        if (shape_outside_version(l, i) == 0)
            s.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
        if (name)
            put_symbol(t, name, put_bytes(name, text, strlen(text) + 1), s);
    }
}

/* Names of functions [from, end). */
static void put_functions(struct tables *t, const struct plan_library *l, uint32_t from, uint32_t end)
{
    struct names_head head = {0};
    for (uint32_t i = from; i < end; i += t->step) {
        uint8_t *const name = next_name(t);
        const struct function f = plan_function(l, i);
        if (name)
            put_symbol(t, name,
                       names_row_is_end(l, i) ? name
                                              : names_write_function(&t->plan->names, &head, l, i, &f, name, NULL),
                       any_function(t));
    }
}

/* The symbol of other name i (names_row_others): of a small function, an alias, an object, or an undefined symbol that
 * nothing binds. The symbols of numbered functions precede these, from symbol `first` on. */
static Elf64_Sym other(struct tables *t, const struct plan_library *l, uint32_t i, size_t first)
{
    const uint32_t aliases = l->small.exported + l->extra.dynamic.aliases;
    if (i < l->small.exported)
        return sized_function(t, l->small.size[i], plan_small_place(l, i));
    if (i < aliases) {
        Elf64_Sym of = undefined();
        const size_t place = first + plan_alias_function(l, i - l->small.exported) / t->step;
        if (place < symbols_there(t))
            memcpy(&of, t->symbols.start + place * sizeof of, sizeof of);
        return of;
    }
    return i - aliases < l->extra.dynamic.objects ? any_object(t, i - aliases) : undefined();
}

static void put_others(struct tables *t, const struct plan_library *l, size_t first)
{
    for (uint32_t i = 0; i < names_row_others(l); i += t->step) {
        uint8_t *const name = next_name(t);
        if (name)
            put_symbol(t, name, names_row_is_end(l, l->exported + i) ? name : names_row_write_other(l, i, name),
                       other(t, l, i, first));
    }
}

/* Static objects and local small functions. Some share the names of others. */
static void put_objects(struct tables *t, const struct plan_library *l)
{
    const uint32_t named = names_row_objects_named(l);
    const size_t first = symbols_there(t);
    for (uint32_t i = 0; i < plan_small_local(l) + l->locals; i += t->step) {
        const Elf64_Sym s = i < plan_small_local(l) ? any_function(t) : any_object(t, i);
        uint8_t *const name = next_name(t);
        if (!name)
            return;
        if (i < named)
            put_symbol(t, name, names_row_write_object(l, i, name), s);
        else
            put_shared(t, first + i % named / t->step, s);
    }
}

/* Symbols without a name, most of which lead into .debug_info. */
static void put_unnamed(struct tables *t, const struct plan_library *l)
{
    enum { INFO = 25, PLACE = 8, EACH = 512 };
    for (uint32_t i = 0; i < l->sections + l->unnamed && reserve(t, &t->symbols, sizeof(Elf64_Sym)); i += t->step) {
        const Elf64_Sym s = {.st_shndx = INFO, .st_value = (uint64_t)EACH * (i - i % PLACE)};
        t->symbols.end = put_bytes(t->symbols.end, &s, sizeof s);
    }
}

/* Local symbols that compilers and linkers leave, and symbols of source files. */
static void put_files(struct tables *t, const struct plan_library *l, const struct shape *s)
{
    const Elf64_Sym file = {.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FILE), .st_shndx = SHN_ABS};
    for (unsigned i = 0; i < FIXED_LOCAL_COUNT; i++) {
        uint8_t name[SHAPE_LOCAL_MOST];
        if (!shape_has_local(l, s, i))
            continue;
        shape_write_local(l, i, name);
        put_defined(t, (const char *)name, "");
    }
    const size_t first = symbols_there(t);
    for (uint32_t i = 0; i < l->files; i += t->step) {
        uint8_t *const name = next_name(t);
        if (!name)
            return;
        if (i)
            put_shared(t, first, file);
        else
            put_symbol(t, name, names_row_write_file(l, name), file);
    }
    put_unnamed(t, l);
}

/* Shuffles the symbols from `first` on. In .dynsym, defined symbols are in the order of a hash table, and undefined
 * ones from outside are in another order than their names (symbols.c). */
static void shuffle(struct tables *t, size_t first)
{
    Elf64_Sym a, b;
    uint8_t *const start = t->symbols.start;
    const size_t count = t->failed ? 0 : symbols_there(t);
    for (size_t i = count; i > first + 1; i--) {
        const size_t other = first + random_below(random_next(&t->random), i - first);
        memcpy(&a, start + (i - 1) * sizeof a, sizeof a);
        memcpy(&b, start + other * sizeof b, sizeof b);
        memcpy(start + (i - 1) * sizeof a, &b, sizeof b);
        memcpy(start + other * sizeof b, &a, sizeof a);
    }
}

/* The null symbol, whose name is empty. */
static void begin_table(struct tables *t)
{
    uint8_t *const name = next_name(t);
    if (name)
        put_symbol(t, name, put_bytes(name, "", 1), undefined());
}

/* The undefined symbols of .dynsym or, in order, of .symtab. */
static void put_undefined(struct tables *t, const struct plan_library *l, const struct shape *s, bool in_order)
{
    put_imports(t, l);
    t->outside = symbols_there(t);
    put_usual(t, l, s);
    put_outside(t, l, in_order);
    if (!in_order)
        shuffle(t, t->outside);
}

static void put_dynamic(struct tables *t, const struct plan_library *l, const struct shape *s)
{
    const size_t first = symbols_there(t);
    t->value = FIRST;
    put_functions(t, l, 0, l->exported);
    put_others(t, l, first);
    put_fixed(t, l, s);
    shuffle(t, first);
}

/* Appends the bytes of `from` from byte `first` on. */
static void append(struct tables *t, struct pile *to, const struct pile *from, size_t first)
{
    const size_t size = (size_t)(from->end - from->start) - first;
    if (size && reserve(t, to, size))
        to->end = put_bytes(to->end, from->start + first, size);
}

/* Appends all bytes of `from` and leaves it empty. */
static void move(struct tables *t, struct pile *to, struct pile *from)
{
    append(t, to, from, 0);
    from->end = from->start;
}

static void end_table(struct tables *t)
{
    move(t, &t->all, &t->symbols);
    move(t, &t->all, &t->names);
}

/* Puts versions behind the names of functions from outside, as .symtab may have them. */
static void put_versions(struct tables *t, const struct plan_library *l)
{
    Elf64_Sym s;
    for (uint8_t *place = t->undefined.start + t->outside * sizeof s; place < t->undefined.end; place += sizeof s) {
        uint8_t *const name = next_name(t);
        memcpy(&s, place, sizeof s);
        if (!name || ELF64_ST_TYPE(s.st_info) != STT_FUNC)
            continue;
        const char *const own = (const char *)t->names.start + s.st_name;
        uint8_t *p = put_bytes(name, own, strlen(own));
        p = put_bytes(p, "@" OUTSIDE_VERSION, strlen("@" OUTSIDE_VERSION));
        t->names.end = put_u8(outside_put_digits(p, l->names.version_digits), '\0');
        s.st_name = (Elf64_Word)(name - t->names.start);
        memcpy(place, &s, sizeof s);
    }
}

/* Writes all tables of the library. What it defines is in .symtab and .strtab just as in .dynsym and .dynstr. */
static void write_tables(struct tables *t, const struct plan_library *l)
{
    /* the names of sections, as a linker leaves them; a few more or less make no difference */
    static const char sections[] = ".shstrtab\0.note.gnu.build-id\0.gnu.hash\0.dynsym\0.dynstr\0.gnu.version\0"
                                   ".gnu.version_r\0.rela.dyn\0.rela.plt\0.init\0.plt\0.plt.sec\0.text\0.fini\0"
                                   ".rodata\0.eh_frame_hdr\0.eh_frame\0.init_array\0.fini_array\0.data.rel.ro\0"
                                   ".dynamic\0.got\0.got.plt\0.data\0.bss\0.comment";
    const struct shape s = shape_of(t->plan, l);
    t->all.end = t->all.start;
    t->random = (struct random){l->key};
    begin_table(t);
    put_undefined(t, l, &s, false);
    const size_t symbols = symbols_there(t) * sizeof(Elf64_Sym);
    const size_t names = (size_t)(t->names.end - t->names.start);
    put_dynamic(t, l, &s);
    for (unsigned i = 0; i < 2 && !l->stripped; i++) {
        t->dynamic[i].end = t->dynamic[i].start;
        append(t, &t->dynamic[i], i ? &t->names : &t->symbols, i ? names : symbols);
    }
    put_others_names(t, l, &s);
    end_table(t);
    if (!l->stripped) {
        begin_table(t);
        put_undefined(t, l, &s, true);
        move(t, &t->undefined, &t->symbols);
        append(t, &t->names, &t->dynamic[1], 0);
        t->value = FIRST_LOCAL;
        put_files(t, l, &s);
        put_functions(t, l, l->exported, l->functions);
        put_objects(t, l);
        if (l->names.versioned && !t->failed)
            put_versions(t, l);
        move(t, &t->symbols, &t->undefined);
        append(t, &t->symbols, &t->dynamic[0], 0);
        end_table(t);
    }
    if (reserve(t, &t->all, sizeof sections))
        t->all.end = put_bytes(t->all.end, sections, sizeof sections);
}

/* Bytes of all tables. */
static uint64_t bytes_of(const struct plan *plan, const struct plan_library *l)
{
    const struct shape s = shape_of(plan, l);
    const uint64_t dynamic = s.dynstr + sizeof(Elf64_Sym) * (UINT64_C(1) + s.undefined + s.defined);
    return dynamic + (l->stripped ? 0 : l->size[SIZE_SYMTAB] + l->size[SIZE_STRTAB]);
}

/* A try: a value of plan_library.alike, and the bytes that the tables take with it. */
struct tried {
    uint32_t alike;
    uint64_t packed;
};

static struct tried try_with(struct tables *t, struct plan_library *l, uint32_t alike, struct packed_places *places)
{
    l->names.alike = (uint8_t)alike;
    write_tables(t, l);
    const uint64_t packed = t->failed ? 0 : packed_size(t->all.start, (size_t)(t->all.end - t->all.start), places);
    return (struct tried){alike, t->step * packed};
}

/* Chooses between `few`, with which the tables take too much, and `many`, with which they take too little: tries where
 * a line between the two meets the wanted size. */
static uint8_t choose_between(struct tables *t, struct plan_library *l, struct tried few, struct tried many,
                              uint64_t wanted, struct packed_places *places)
{
    uint8_t best = (uint8_t)few.alike;
    uint64_t nearest = few.packed - wanted;
    for (unsigned tries = 0; tries < TRIES && many.alike - few.alike > 1 && nearest > wanted / NEAR; tries++) {
        const uint32_t room = many.alike - few.alike;
        uint32_t at = few.alike + (uint32_t)((few.packed - wanted) * room / (few.packed - many.packed));
        at = at <= few.alike ? few.alike + 1 : at >= many.alike ? many.alike - 1 : at;
        const struct tried is = try_with(t, l, at, places);
        if (apart(is.packed, wanted) < nearest) {
            nearest = apart(is.packed, wanted);
            best = (uint8_t)at;
        }
        *(is.packed > wanted ? &few : &many) = is;
    }
    return best;
}

/* One in how many symbols of the tables is looked at. */
static uint32_t step_of(const struct plan *plan, const struct plan_library *l)
{
    const uint32_t each = LOOKED_AT_ALL / plan_counted(plan);
    return 1 + (uint32_t)(bytes_of(plan, l) / (each > LOOKED_AT ? each : LOOKED_AT));
}

/* How many names should be alike; none or all of them, where no other number makes the tables take what is wanted. */
static uint8_t choose(struct tables *t, struct plan_library *l, uint64_t wanted, struct packed_places *places)
{
    const struct tried is = try_with(t, l, l->names.alike, places);
    const uint32_t end = is.packed > wanted ? UINT8_MAX : 0;
    if (is.alike == end || apart(is.packed, wanted) <= wanted / NEAR)
        return (uint8_t)is.alike;
    const struct tried last = try_with(t, l, end, places);
    if (end ? last.packed >= wanted : last.packed <= wanted)
        return (uint8_t)end;
    return end ? choose_between(t, l, is, last, wanted, places) : choose_between(t, l, last, is, wanted, places);
}

bool rows_choose_alike(const struct plan *plan, const struct plan_library *l, uint8_t *alike, struct error *e)
{
    const int64_t wanted = l->said->value[ROW_ZSTD_NAMES];
    *alike = l->names.alike;
    if (wanted <= 0)
        return true;
    struct tables t = {.plan = plan, .step = step_of(plan, l)};
    struct packed_places *places = malloc(sizeof *places);
    struct plan_library tried = *l;
    const uint64_t small = l->stripped ? l->small.exported : l->small.count;
    const uint64_t numbered = l->stripped ? l->exported : l->functions;
    t.small = small ? (uint32_t)(small * (SIZES - 1) / (small + numbered)) : 0;
    if (!sizes_said(plan, l, SIZES, t.size))
        for (uint32_t i = 0; i < SIZES; i++) /* natural sizes, where nothing says any */
            t.size[i] = 50 + i * 5 / 8;
    if (places)
        *alike = choose(&t, &tried, (uint64_t)wanted, places);
    const bool ok = places && !t.failed;
    free(places);
    free(t.symbols.start);
    free(t.names.start);
    free(t.all.start);
    free(t.undefined.start);
    free(t.dynamic[0].start);
    free(t.dynamic[1].start);
    return ok || error_set(e, ERROR_MEMORY, "out of memory for the names of %s", l->name);
}
