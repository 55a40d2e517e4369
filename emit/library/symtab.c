/* Writes .symtab and .strtab.
 *
 * .symtab has the null entry; symbols of sections; local symbols file by file, as ld has them; those without a name;
 * behind an empty file name those that ld makes itself; and then the entries of .dynsym. An executable's own functions
 * and marks are no dynamic symbols: they stand only here, at the end. .strtab has the names of dynamic symbols at
 * offset 1, as .dynstr has (symbols.c).
 */
#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "emit/library/files.h"
#include "emit/library/objects.h"
#include "emit/library/small.h"
#include "emit/library/symbols_parts.h"
#include "emit/plan/names_row.h"

struct local_table {
    Elf64_Sym *next;
    uint8_t *strings; /* next free byte of .strtab, or of a part of it */
    const uint8_t *start;
    uint64_t base; /* bytes of .strtab before `start` */
};

/* Offset of the next name. */
static uint32_t next_name(const struct local_table *t)
{
    return (uint32_t)(t->base + (uint64_t)(t->strings - t->start));
}

static enum section_id fixed_local_section(const struct library *l, unsigned id)
{
    if (id == LOCAL_SCRATCH && l->shape.in_data)
        return SECTION_DATA;
    return id == LOCAL_GLOBAL_OFFSET_TABLE ? layout_got_plt(&l->layout) : fixed_local_kinds[id].section;
}

static void fixed_local_value(const struct library *l, unsigned id, uint64_t *value, uint64_t *size)
{
    const struct section *s = l->layout.section;
    const struct glue_place *g = l->glue.place;
    *size = 0;
    switch ((enum fixed_local)id) {
    case LOCAL_DTORS:
        *value = l->code.text + g[GLUE_DTORS].offset;
        *size = g[GLUE_DTORS].size;
        break;
    case LOCAL_FRAME_DUMMY:
        *value = l->code.text + g[GLUE_FRAME_DUMMY].offset;
        *size = g[GLUE_FRAME_DUMMY].size;
        break;
    case LOCAL_COMPLETED:
        *value = l->at.completed;
        *size = 1;
        break;
    case LOCAL_NAMES:
        *value = s[SECTION_DATA_REL_RO].address;
        *size = UINT64_C(8) * l->shape.pointers;
        break;
    case LOCAL_CONSTANTS:
        *value = s[SECTION_RODATA].address;
        *size = CONSTANT_BYTES;
        break;
    case LOCAL_SCRATCH:
        *value = l->code.scratch;
        *size = UINT64_C(8) * l->code.scratch_words;
        break;
    case LOCAL_HELPER0:
    case LOCAL_HELPER1:
    case LOCAL_HELPER2:
    case LOCAL_HELPER3:
        *value = l->code.text + g[GLUE_HELPER + id - LOCAL_HELPER0].offset;
        *size = g[GLUE_HELPER + id - LOCAL_HELPER0].size;
        break;
    case LOCAL_METHOD:
        *value = l->code.text + g[GLUE_METHOD].offset;
        *size = g[GLUE_METHOD].size;
        break;
    case LOCAL_VISITED:
        *value = l->code.text + g[GLUE_VISITED].offset;
        *size = g[GLUE_VISITED].size;
        break;
    case LOCAL_DEFINITION:
        *value = l->at.definition;
        *size = MODULE_DEF_BYTES;
        break;
    case LOCAL_METHODS:
        *value = l->at.methods;
        *size = METHOD_DEF_BYTES * (uint64_t)shape_methods(l->row);
        break;
    case LOCAL_VISITS:
        *value = l->code.marks;
        *size = l->shape.marks;
        break;
    case LOCAL_DSO_HANDLE:
        *value = l->at.dso_handle;
        break;
    case LOCAL_INIT:
    case LOCAL_FINI:
    case LOCAL_DYNAMIC:
    case LOCAL_EH_FRAME_HDR:
    case LOCAL_GLOBAL_OFFSET_TABLE:
        *value = s[fixed_local_section(l, id)].address;
        break;
    default:
        *value = 0;
    }
}

/* Writes the fixed locals from `first` to `last` that the library has. */
static void put_fixed_locals(const struct library *l, struct local_table *t, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++) {
        const struct fixed_local_kind *k = &fixed_local_kinds[i];
        if (!shape_has_local(l->row, &l->shape, i))
            continue;
        uint64_t value;
        uint64_t size;
        fixed_local_value(l, i, &value, &size);
        if (l->row->small.sizes && (i == LOCAL_DTORS || i == LOCAL_FRAME_DUMMY)) /* no size, as in crtbegin.o */
            size = 0;
        uint32_t section = k->type == STT_FILE ? SHN_ABS : l->layout.section[fixed_local_section(l, i)].index;
        *t->next++ = symbols_entry(next_name(t), STB_LOCAL, k->type, section, value, size);
        t->strings = shape_write_local(l->row, i, t->strings);
    }
}

/* Whether the library has the section, before its tables of symbols. Splitting debug information takes sections of that
 * away and adds others (dwo.c). */
static bool has_symbol(const struct library *l, unsigned id)
{
    const unsigned end = files_are_split(l->row) ? SECTION_DEBUG_ARANGES : SECTION_SYMTAB;
    return l->layout.section[id].index && id < end;
}

uint32_t symtab_sections(const struct library *l)
{
    uint32_t count = 0;
    for (unsigned id = 0; id < SECTION_COUNT; id++)
        count += has_symbol(l, id);
    return count < l->row->sections ? count : l->row->sections;
}

/* Writes symbols without a name: those of sections, as ld up to 2.36 left them (binutils PR 27109). */
static void put_sections(const struct library *l, struct local_table *t)
{
    uint32_t left = symtab_sections(l);
    for (unsigned id = 0; id < SECTION_COUNT && left; id++)
        if (has_symbol(l, id)) {
            const struct section *const s = &l->layout.section[id];
            *t->next++ = symbols_entry(0, STB_LOCAL, STT_SECTION, s->index, s->address, 0);
            left--;
        }
}

/* Writes symbols without a name: gcc's link-time optimisation leaves such symbols, several for each place in
 * .debug_info to which an object file referred. Where the library has no symbols of so many sections, they stand in for
 * the rest. Real ones lead to the last units, which tell of types. llvm-symbolizer takes their values for addresses, so
 * here, too, none is that of code. */
static void put_unnamed(const struct library *l, struct local_table *t)
{
    enum { EACH = 8 };
    const struct section *const info = &l->layout.section[SECTION_DEBUG_INFO];
    const struct section *const text = &l->layout.section[SECTION_TEXT];
    const bool leads = info->index && !files_are_split(l->row); /* little is left of what is split */
    const bool is_beyond = info->size > text->address + text->size;
    const uint64_t first = is_beyond ? text->address + text->size : 0;
    const uint64_t end = is_beyond || info->size < text->address ? info->size : text->address;
    const uint32_t count = l->row->unnamed + l->row->sections - symtab_sections(l);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t place = leads ? first + (end - first) / count * (i - i % EACH) : 0;
        const uint32_t section = leads ? info->index : SHN_ABS;
        *t->next++ = symbols_entry(0, STB_LOCAL, STT_NOTYPE, section, place, 0);
    }
}

/* A region of static objects: `count` of them share its bytes. */
struct region {
    enum section_id section;
    uint64_t address, size; /* in .tbss the address is an offset */
    uint32_t count;
};

/* Where names of local small functions and static objects stand in .strtab. The last of these reuse the names of the
 * first. */
struct shared_names {
    uint32_t number, named; /* number of the next one; how many have names of their own */
    uint32_t first, shared; /* offsets of the first name, and of the next one to be reused */
};

/* Returns the offset of the next name; writes the name unless it is one that is reused. `stem` and `length` are for
 * libraries without rows. */
static uint32_t put_object_name(const struct library *l, struct local_table *t, struct shared_names *n,
                                const struct name_stem *stem, uint32_t length)
{
    const struct plan_library *row = l->row;
    const uint32_t number = n->number++;
    if (number >= n->named) {
        const uint32_t of = names_row_object_named(row, number);
        const uint32_t name = of > row->names.shared_first ? n->shared : n->first;
        n->shared = name + names_row_object_length(row, of) + 1;
        return name;
    }
    const uint32_t name = next_name(t);
    n->first = number == row->names.shared_first ? name : n->first;
    if (row->said)
        t->strings = names_row_write_object(row, number, t->strings);
    else
        t->strings = names_write(&l->plan->names, stem, number, length, t->strings, NULL);
    return name;
}

enum { OBJECT_REGIONS = 5 };

/* A walk over local small functions and then static objects, whose names are of the same kind. */
struct object_walk {
    const struct library *l;
    struct region regions[OBJECT_REGIONS];
    struct object_pitch pitch; /* of the region that it is in */
    struct name_stem stem;
    struct shared_names names;
    struct names_head head; /* of names of cold parts */
    struct small_walk small;
    struct small_walk aliased; /* over the small functions that aliases name, */
    uint64_t aliased_at;       /* and where the last one is */
    uint32_t region, object;
};

static void enter_region(struct object_walk *w, uint32_t region)
{
    const struct region *g = &w->regions[region];
    w->region = region;
    w->object = 0;
    w->pitch = objects_pitch(w->l, g->address, g->size, g->count);
}

static struct region objects_of(const struct library *l, enum section_id id, uint32_t count)
{
    const struct object_room room = objects_room(l, id);
    return (struct region){id, l->layout.section[id].address + room.at, room.size, count};
}

static struct object_walk walk_objects(const struct library *l, const struct local_table *t)
{
    const struct plan_library *row = l->row;
    const struct section *s = l->layout.section;
    struct object_walk w = {
        .l = l,
        .regions = {objects_of(l, SECTION_DATA, l->objects_data),
                    objects_of(l, SECTION_DATA_REL_RO, l->objects_relro),
                    objects_of(l, SECTION_RODATA, l->objects_rodata),
                    {SECTION_TBSS, 0, row->extra.thread.bytes, l->objects_tls},
                    {SECTION_BSS, s[SECTION_BSS].address + ((l->shape.bss + 7) & ~UINT64_C(7)),
                     UINT64_C(16) * l->objects_bss + l->bss_free, l->objects_bss}},
        .names = {.named = names_row_objects_named(row), .first = next_name(t)},
        .small = small_walk(l, row->small.exported),
        .aliased = small_walk(l, 0),
    };
    names_stem(&w.stem, row->name, "_var");
    enter_region(&w, 0);
    return w;
}

/* Writes the name of the cold part that comes next; returns its offset. */
static uint32_t put_cold_name(struct object_walk *w, struct local_table *t)
{
    const struct library *l = w->l;
    const uint32_t host = l->row->cold.host[w->small.next - l->row->cold.first];
    const uint32_t name = next_name(t);
    w->names.number++;
    t->strings = names_write_function(&l->plan->names, &w->head, l->row, host, &l->code.own[host], t->strings, NULL);
    t->strings = put_bytes(t->strings - 1, COLD_ENDING, sizeof COLD_ENDING);
    return name;
}

static void put_small(struct object_walk *w, struct local_table *t)
{
    const struct library *l = w->l;
    const uint32_t i = w->small.next;
    const bool is_cold = plan_is_cold(l->row, i);
    const uint32_t name = is_cold ? put_cold_name(w, t) : put_object_name(l, t, &w->names, &w->stem, 0);
    *t->next++ =
        symbols_entry(name, STB_LOCAL, resolvers_type(&l->shape.resolvers, l->row, i),
                      l->layout.section[SECTION_TEXT].index, small_walk_address(l, &w->small), l->row->small.size[i]);
}

/* Writes a further name of a function. */
static void put_alias(struct object_walk *w, struct local_table *t, uint32_t alias)
{
    const struct library *l = w->l;
    const uint32_t functions = l->row->functions;
    const uint32_t of = l->alias[alias];
    const uint32_t name = put_object_name(l, t, &w->names, &w->stem, 0);
    while (of >= functions && (w->aliased.next <= of - functions))
        w->aliased_at = small_walk_address(l, &w->aliased);
    *t->next++ = symbols_entry(name, STB_LOCAL, STT_FUNC, l->layout.section[SECTION_TEXT].index,
                               of < functions ? l->code.text + l->body[of].offset : w->aliased_at,
                               of < functions ? l->body[of].size : l->row->small.size[of - functions]);
}

static void put_object(struct object_walk *w, struct local_table *t)
{
    const struct plan_library *row = w->l->row;
    const uint32_t alias = plan_local_alias(row, w->names.number - plan_small_local(row));
    if (alias < plan_local_aliases(row)) {
        put_alias(w, t, alias);
        return;
    }
    while (w->object == w->regions[w->region].count)
        enter_region(w, w->region + 1);
    const struct region *g = &w->regions[w->region];
    const uint32_t number = w->names.number;
    const uint32_t named = w->names.named;
    const uint64_t extra = row->names.locals / named + (number < row->names.locals % named ? 1 : 0);
    const uint64_t length = w->stem.length + names_digits(number) + extra;
    const uint64_t from = object_at(&w->pitch, w->object);
    const uint64_t to = ++w->object < g->count ? object_at(&w->pitch, w->object) : g->size;
    const unsigned char type = g->section == SECTION_TBSS ? STT_TLS : STT_OBJECT;
    const uint32_t name = put_object_name(w->l, t, &w->names, &w->stem, (uint32_t)length);
    *t->next++ =
        symbols_entry(name, STB_LOCAL, type, w->l->layout.section[g->section].index, g->address + from, to - from);
}

/* Writes small functions and objects up to number `end`. */
static void put_objects(struct object_walk *w, struct local_table *t, uint32_t end)
{
    while (w->names.number < end)
        (w->small.next < w->l->row->small.count ? put_small : put_object)(w, t);
}

/* Writes a name in two halves, with its terminator. */
static uint8_t *put_two(uint8_t *p, const char *first, const char *second)
{
    return put_bytes(put_bytes(p, first, strlen(first)), second, strlen(second) + 1);
}

/* A global symbol for a function in .text, whose name is at `name`. */
static Elf64_Sym inner_function(const struct library *l, uint64_t name, uint64_t offset, uint64_t size)
{
    return symbols_entry((uint32_t)name, STB_GLOBAL, STT_FUNC, l->layout.section[SECTION_TEXT].index,
                         l->code.text + offset, size);
}

/* Writes the numbered functions as global symbols that are not in .dynsym, so that no other file sees them. */
static void put_inner_functions(const struct library *l, struct local_table *t)
{
    struct names_head head = {0};
    for (uint32_t i = 0; i < l->row->functions; i++) {
        *t->next++ = inner_function(l, next_name(t), l->body[i].offset, l->body[i].size);
        t->strings = names_write_function(&l->plan->names, &head, l->row, i, &l->code.own[i], t->strings, NULL);
    }
}

/* Writes numbered functions [*next, end), which are no dynamic symbols, as local ones. */
static void put_local_functions(const struct library *l, struct local_table *t, struct names_head *head, uint32_t *next,
                                uint32_t end)
{
    for (; *next < end; ++*next) {
        const struct body *b = &l->body[*next];
        *t->next++ = symbols_entry(next_name(t), STB_LOCAL, STT_FUNC, l->layout.section[SECTION_TEXT].index,
                                   l->code.text + b->offset, b->size);
        t->strings = names_write_function(&l->plan->names, head, l->row, *next, &l->code.own[*next], t->strings, NULL);
    }
}

static void put_inner_entry(const struct library *l, struct local_table *t)
{
    const struct glue_place *entry = &l->glue.place[GLUE_ENTRY];
    *t->next++ = symbols_entry(next_name(t), STB_LOCAL, STT_FUNC, l->layout.section[SECTION_TEXT].index,
                               l->code.text + entry->offset, entry->size);
    t->strings = put_bytes(t->strings, l->shape.entry, strlen(l->shape.entry) + 1);
}

/* Writes the symbol of the visit marks, which is not in .dynsym either. */
static void put_inner_marks(const struct library *l, struct local_table *t)
{
    *t->next++ = symbols_entry(next_name(t), STB_GLOBAL, STT_OBJECT, l->layout.section[SECTION_BSS].index,
                               l->code.marks, l->shape.marks);
    t->strings = put_two(t->strings, l->row->name, "_visits");
}

static void put_file(struct local_table *t, uint32_t name)
{
    *t->next++ = symbols_entry(name, STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
}

/* Writes what source files have of their own: the symbol of each file, and behind it the file's part of the local
 * functions and static objects. The symbol of the first file is written already; the others have the same name, or
 * those that the row asks for. If the row has more files, the last one is crtend.o. It has the same name as crtbegin.o,
 * the first name behind those of dynamic symbols. */
static void put_sources(const struct library *l, struct local_table *t)
{
    const struct plan_library *row = l->row;
    const uint32_t crt = (uint32_t)(1 + l->shape.names);
    uint32_t source = crt;
    for (unsigned id = 0; id < LOCAL_FILE_SOURCE; id++)
        source += (uint32_t)strlen(fixed_local_kinds[id].name) + 1;
    const uint32_t bytes = names_row_file_bytes(row);
    if (bytes)
        t->strings = names_row_write_file(row, t->strings);
    const uint32_t end = next_name(t) - 1; /* terminator of the long name */
    const uint32_t sources = row->files > 1 ? row->files : 1;
    const uint32_t objects = plan_small_local(row) + row->locals;
    uint32_t function = row->functions - l->shape.local;
    struct names_head head = {0};
    if (row->glue.inner_entry)
        put_inner_entry(l, t);
    /* names of objects are behind those of functions */
    const uint64_t names = l->shape.local ? row->names.functions - row->names.exported : 0;
    struct local_table of_objects = *t;
    of_objects.strings += names;
    struct object_walk walk = walk_objects(l, &of_objects);
    for (uint32_t i = 0; i < sources; i++) {
        if (i)
            put_file(t, bytes ? end - names_row_file_length(row, i) : source);
        const uint64_t left = sources - UINT64_C(1) - i;
        put_local_functions(l, t, &head, &function, row->functions - (uint32_t)(l->shape.local * left / sources));
        of_objects.next = t->next;
        put_objects(&walk, &of_objects, objects - (uint32_t)(objects * left / sources));
        t->next = of_objects.next;
    }
    t->strings = of_objects.strings;
    if (row->files)
        put_file(t, crt);
}

/* Whether the name of an undefined symbol from outside the set has its version behind it in .symtab. */
static bool is_versioned(const struct library *l, uint32_t outside)
{
    return l->row->names.versioned && shape_outside_version(l->row, outside);
}

static void put_versioned_names(const struct library *l, struct local_table *t)
{
    const struct plan_library *row = l->row;
    for (uint32_t i = 0; i < row->extra.undefined.outside; i++) {
        if (!is_versioned(l, i))
            continue;
        const char *name = outside_name(l->shape.python, row->key, row->outside_choice, i);
        t->strings = put_u8(put_bytes(t->strings, name, strlen(name)), '@');
        const char *const version = outside_version_name(shape_outside_version(row, i));
        t->strings = put_bytes(t->strings, version, strlen(version));
        t->strings = put_u8(outside_put_digits(t->strings, row->names.version_digits), '\0');
    }
}

void symtab_write(const struct library *l, uint8_t *image, const Elf64_Sym *dynsym, const struct others *o)
{
    static const char versioned[] = "__cxa_finalize@GLIBC_2.2.5";
    static const char start_main[] = "__libc_start_main@GLIBC_2.2.5";
    const struct section *s = l->layout.section;
    Elf64_Sym *symtab = (Elf64_Sym *)(void *)(image + s[SECTION_SYMTAB].offset);
    uint8_t *strtab = image + s[SECTION_STRTAB].offset;
    memcpy(strtab, image + s[SECTION_DYNSTR].offset, 1 + l->shape.names);
    struct local_table t = {.next = symtab + 1, .strings = strtab + 1 + l->shape.names, .start = strtab};
    memset(symtab, 0, sizeof *symtab);
    put_sections(l, &t);
    put_fixed_locals(l, &t, 0, LOCAL_FILE_NONE - 1);
    put_sources(l, &t);
    put_unnamed(l, &t);
    put_fixed_locals(l, &t, LOCAL_FILE_NONE, FIXED_LOCAL_COUNT - 1);
    uint32_t name = next_name(&t);
    if (!l->row->without_libc)
        t.strings = put_bytes(t.strings, versioned, sizeof versioned);
    uint32_t start_name = (uint32_t)(t.strings - strtab);
    if (l->shape.executable)
        t.strings = put_bytes(t.strings, start_main, sizeof start_main);
    const uint8_t *versions = t.strings;
    put_versioned_names(l, &t);
    assert(t.next == symtab + s[SECTION_SYMTAB].info);
    uint32_t globals = l->shape.undefined + l->shape.defined;
    memcpy(t.next, dynsym + 1, globals * sizeof *dynsym);
    if (!l->row->without_libc)
        t.next[o->cxa_finalize - 1].st_name = name;
    if (o->start_main)
        t.next[o->start_main - 1].st_name = start_name;
    for (uint32_t i = 0; i < l->row->extra.undefined.outside; i++)
        if (is_versioned(l, i)) {
            t.next[o->outside + i - 1].st_name = (uint32_t)(versions - strtab);
            versions += strlen((const char *)versions) + 1;
        }
    t.next += globals;
    if (l->shape.inner) {
        put_inner_functions(l, &t);
        put_inner_marks(l, &t);
    }
    assert(t.strings == strtab + s[SECTION_STRTAB].size);
    assert(t.next == symtab + l->shape.symbols);
}

/* --- of a part of an executable ----------------------------------------------------- */

/* The fixed locals that each part has; the executable has the others. */
enum { PART_LOCAL_FIRST = LOCAL_FILE_SOURCE, PART_LOCAL_LAST = LOCAL_METHODS };

static uint32_t part_fixed(const struct library *l, uint64_t *strings)
{
    uint32_t count = 0;
    *strings = 0;
    for (unsigned i = PART_LOCAL_FIRST; i <= PART_LOCAL_LAST; i++) {
        const struct fixed_local_kind *k = &fixed_local_kinds[i];
        if (k->module_only && !l->shape.python)
            continue;
        count++;
        *strings += shape_local_length(l->row, i) + UINT64_C(1);
    }
    return count;
}

uint32_t symbols_part_locals(const struct library *l)
{
    uint64_t strings;
    return part_fixed(l, &strings) + l->row->locals;
}

/* Bytes of the names of what the part defines: as in the .dynstr of a file of its own, without those of imports. */
static uint64_t part_names(const struct library *l)
{
    const uint64_t stem = strlen(l->row->name);
    uint64_t bytes = l->row->names.functions + stem + sizeof "_visits";
    if (l->shape.python)
        bytes += strlen(l->shape.entry) + 1 + sizeof "PyInit_" + stem;
    if (l->shape.has_extern)
        bytes += stem + sizeof "_extern";
    return bytes;
}

uint64_t symbols_part_strings(const struct library *l)
{
    const struct plan_library *row = l->row;
    uint64_t fixed;
    part_fixed(l, &fixed);
    return part_names(l) + fixed + names_digits_sum(0, row->locals) +
           row->locals * (strlen(row->name) + sizeof "_var") + row->names.locals;
}

static void put_part_glue(const struct library *l, struct local_table *t, enum glue_function which, const char *first,
                          const char *second)
{
    const struct glue_place *place = &l->glue.place[which];
    *t->next++ = inner_function(l, next_name(t), place->offset, place->size);
    t->strings = put_two(t->strings, first, second);
}

void symbols_write_part(const struct library *l, uint64_t base, uint8_t *image)
{
    const struct section *s = l->layout.section;
    const struct plan_library *row = l->row;
    const uint32_t locals = symbols_part_locals(l);
    uint8_t *const start = image + s[SECTION_STRTAB].offset;
    Elf64_Sym *const symtab = (Elf64_Sym *)(void *)(image + s[SECTION_SYMTAB].offset);
    struct local_table t = {.next = symtab + locals, .strings = start, .start = start, .base = base};
    put_inner_functions(l, &t);
    if (l->shape.python)
        put_part_glue(l, &t, GLUE_ENTRY, l->shape.entry, "");
    if (l->shape.has_extern)
        put_part_glue(l, &t, GLUE_EXTERN, row->name, "_extern");
    if (l->shape.python)
        put_part_glue(l, &t, GLUE_PYINIT, "PyInit_", row->name);
    put_inner_marks(l, &t);
    assert(t.strings == start + part_names(l) && t.next == symtab + locals + l->shape.defined + l->shape.inner);
    t.next = symtab;
    put_fixed_locals(l, &t, PART_LOCAL_FIRST, PART_LOCAL_LAST);
    struct object_walk objects = walk_objects(l, &t);
    put_objects(&objects, &t, row->locals);
    assert(t.next == symtab + locals && t.strings == start + symbols_part_strings(l));
}
