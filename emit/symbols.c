/* Symbol tables, their strings, hashes and versions.
 *
 * The names of dynamic symbols are one block, at offset 1 in .dynstr and again at
 * offset 1 in .strtab, so that the global entries of .symtab are those of .dynsym:
 *
 *     imports | own functions | _start entry extern PyInit visits small data pyelf_executable | others undefined
 *
 * .dynsym: the null entry, undefined symbols, defined ones sorted by GNU hash
 * bucket. .symtab: the null entry, local symbols, then what .dynsym has. An executable's
 * own functions and marks are dynamic for nobody: they stand in .symtab only, at the end.
 */
#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "elf/hash.h"
#include "emit/library.h"
#include "emit/names_row.h"
#include "emit/outside.h"

enum { NAMES_BEYOND = 64 }; /* bytes behind a name that may be overwritten, and more */

/* The tables under construction. */
struct symbols {
    struct library *l;
    uint8_t *image;
    uint8_t *names;       /* end of the name block written so far */
    const uint8_t *start; /* of .dynstr */
    Elf64_Sym *dynsym;
    uint32_t *hashes;   /* of the defined symbols, in their own order */
    Elf64_Sym *defined; /* the same order */
    uint32_t count;     /* of them so far */
    uint32_t undefined; /* written so far, from 1 */
};

static Elf64_Sym symbol(uint32_t name, unsigned char bind, unsigned char type, uint32_t section, uint64_t value,
                        uint64_t size)
{
    return (Elf64_Sym){
        .st_name = name,
        .st_info = (unsigned char)(bind << 4 | type),
        .st_other = STV_DEFAULT,
        .st_shndx = (uint16_t)section,
        .st_value = value,
        .st_size = size,
    };
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
    t->defined[t->count++] = symbol(name, STB_GLOBAL, type, t->l->layout.section[section].index, value, size);
}

static uint32_t undefine(struct symbols *t, uint32_t name, unsigned char bind, unsigned char type)
{
    t->dynsym[t->undefined] = symbol(name, bind, type, SHN_UNDEF, 0, 0);
    return t->undefined++;
}

/* The imports' names and entries, which come first in both. */
static void put_imports(struct symbols *t, uint32_t *plt_symbols)
{
    const struct library *l = t->l;
    struct names_head head = {0};
    for (uint32_t i = 0; i < l->row->imports; i++) {
        const struct import *import = &l->calls.import[i];
        const struct plan_library *utility = &l->plan->library[import->library];
        uint32_t name = (uint32_t)(t->names - t->start);
        t->names = names_write_function(&l->plan->names, &head, utility, import->function, &l->code.imported[i],
                                        t->names, NULL);
        plt_symbols[l->code.import_slot + i] = undefine(t, name, STB_GLOBAL, STT_FUNC);
    }
    assert(t->names == t->start + 1 + l->row->import_names);
}

static void put_functions(struct symbols *t)
{
    const struct library *l = t->l;
    struct names_head head = {0};
    uint32_t section = l->layout.section[SECTION_TEXT].index;
    const uint32_t exported = plan_exported(l->row);
    for (uint32_t i = 0; i < exported; i++) {
        uint32_t name = (uint32_t)(t->names - t->start);
        t->names = names_write_function(&l->plan->names, &head, l->row, i, &l->code.own[i], t->names, &t->hashes[i]);
        const unsigned char bind =
            i + l->row->extra.weak_own < exported + l->row->small_exported ? STB_GLOBAL : STB_WEAK;
        t->defined[i] = symbol(name, bind, STT_FUNC, section, l->code.text + l->body[i].offset, l->body[i].size);
    }
    assert(t->names ==
           t->start + 1 + l->row->import_names + (l->shape.local ? l->row->exported_names : l->row->function_names));
    t->count = exported;
}

static void define_glue(struct symbols *t, uint32_t name, enum glue_function which)
{
    const struct glue_place *place = &t->l->glue.place[which];
    define(t, name, STT_FUNC, SECTION_TEXT, t->l->code.text + place->offset, place->size);
}

/* Objects that others could see: words in .data, or in .rodata where there is more. */
static void put_data(struct symbols *t)
{
    const struct library *l = t->l;
    const struct section *s = l->layout.section;
    const bool in_data = l->data_free >= l->rodata_free;
    const enum section_id id = in_data ? SECTION_DATA : SECTION_RODATA;
    const uint64_t words = (in_data ? library_objects_size(l) : l->rodata_free) / 8;
    const uint64_t start = s[id].address + (words ? in_data ? library_objects_at(l) : l->shape.rodata : 0);
    for (uint32_t i = 0; i < l->row->extra.objects; i++) {
        const uint32_t name = (uint32_t)(t->names - t->start);
        t->names = names_row_write_other(l->row, l->row->small_exported + i, t->names);
        define(t, name, STT_OBJECT, id, start + (words ? 8 * (i % words) : 0), words ? 8 : 0);
    }
}

/* Small functions, behind the numbered ones in their order. */
static void put_small(struct symbols *t)
{
    const struct library *l = t->l;
    const struct plan_library *row = l->row;
    uint64_t at = l->code.text + l->small;
    for (uint32_t i = 0; i < row->small_exported; i++) {
        const uint32_t name = (uint32_t)(t->names - t->start);
        t->names = names_row_write_other(row, i, t->names);
        define(t, name, STT_FUNC, SECTION_TEXT, at, row->small_size[i]);
        if (i + row->extra.weak_own >= row->small_exported)
            t->defined[t->count - 1].st_info = ELF64_ST_INFO(STB_WEAK, STT_FUNC);
        at += plan_small_place(row, i);
    }
}

/* What a library defines besides its numbered functions, in the order of the
 * indices below. */
struct others {
    uint32_t entry, own_extern; /* place among the defined symbols */
    uint32_t cxa_finalize, gmon_start;
    uint32_t python; /* in .dynsym: the first Python function */
    uint32_t extern_before;
    uint32_t main, start_main; /* 0: none */
    uint32_t outside;
};

static struct others put_others(struct symbols *t)
{
    const struct library *l = t->l;
    const struct shape *s = &l->shape;
    const char *name = l->row->name;
    struct others o = {0};
    if (s->executable)
        define_glue(t, put_name(t, "_start", ""), GLUE_START);
    if (s->python && !l->row->inner_entry) {
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
    put_small(t);
    put_data(t);
    if (s->executable)
        define(t, put_name(t, EXECUTABLE_SYMBOL, ""), STT_OBJECT, SECTION_DATA_REL_RO, l->at.executable,
               sizeof(struct executable));
    o.cxa_finalize = undefine(t, put_name(t, "__cxa_finalize", ""), STB_WEAK, STT_FUNC);
    o.gmon_start = undefine(t, put_name(t, "__gmon_start__", ""), STB_WEAK, STT_NOTYPE);
    if (s->python || s->holds) {
        static const char *const functions[] = {
#define PYTHON_NAME(id, text) text,
            PYTHON_FUNCTIONS(PYTHON_NAME)
#undef PYTHON_NAME
        };
        o.python = t->undefined;
        for (unsigned i = 0; i < PYTHON_FUNCTION_COUNT; i++)
            if (shape_calls_python(l->row, i))
                undefine(t, put_name(t, functions[i], ""), STB_GLOBAL, STT_NOTYPE);
    }
    o.outside = t->undefined;
    for (uint32_t i = 0; i < l->row->extra.outside; i++)
        undefine(t, put_name(t, outside_name(s->python, l->row->key, l->row->outside_choice, i), ""),
                 i + l->row->extra.weak < l->row->extra.outside ? STB_GLOBAL : STB_WEAK, STT_NOTYPE);
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
    for (uint32_t i = 0; i < l->row->functions; i++)
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

/* --- .symtab ------------------------------------------------------------------- */

struct local_table {
    Elf64_Sym *next;
    uint8_t *strings; /* next free byte of .strtab, or of a part of it */
    const uint8_t *start;
    uint64_t base; /* what stands before that */
};

/* Offset of the next name. */
static uint32_t next_name(const struct local_table *t)
{
    return (uint32_t)(t->base + (uint64_t)(t->strings - t->start));
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
        *size = SCRATCH_BYTES;
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
        *size = DEFINITION_BYTES;
        break;
    case LOCAL_METHODS:
        *value = l->at.methods;
        *size = METHOD_BYTES * (uint64_t)shape_methods(l->row);
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
        *value = s[fixed_local_kinds[id].section].address;
        break;
    default:
        *value = 0;
    }
}

/* Those from `first` to `last`. */
static void put_fixed_locals(const struct library *l, struct local_table *t, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++) {
        const struct fixed_local_kind *k = &fixed_local_kinds[i];
        if (!shape_has_local(l->row, &l->shape, i))
            continue;
        uint64_t value;
        uint64_t size;
        fixed_local_value(l, i, &value, &size);
        if (l->row->small_sizes && (i == LOCAL_DTORS || i == LOCAL_FRAME_DUMMY)) /* as crtbegin.o has it */
            size = 0;
        enum section_id in = i == LOCAL_SCRATCH && l->shape.in_data ? SECTION_DATA : k->section;
        uint32_t section = k->type == STT_FILE ? SHN_ABS : l->layout.section[in].index;
        *t->next++ = symbol(next_name(t), STB_LOCAL, k->type, section, value, size);
        if (k->prefixed)
            t->strings = put_bytes(t->strings, shape_prefix(l->row, k), strlen(shape_prefix(l->row, k)));
        t->strings = put_bytes(t->strings, k->name, strlen(k->name) + 1);
    }
}

/* A region of static objects: `count` of them share its bytes. */
struct region {
    enum section_id section;
    uint64_t address, size; /* in .tbss the address is an offset */
    uint32_t count;
};

/* Static objects; before them functions whose names are of the same kind. */
static void put_objects(const struct library *l, struct local_table *t)
{
    const struct plan_library *row = l->row;
    const struct section *s = l->layout.section;
    const struct region regions[] = {
        {SECTION_DATA, s[SECTION_DATA].address + library_objects_at(l), library_objects_size(l), l->objects_data},
        {SECTION_RODATA, s[SECTION_RODATA].address + l->shape.rodata, l->rodata_free, l->objects_rodata},
        {SECTION_TBSS, 0, row->extra.tls, l->objects_tls},
        {SECTION_BSS, s[SECTION_BSS].address + ((l->shape.bss + 7) & ~UINT64_C(7)),
         UINT64_C(16) * l->objects_bss + l->bss_free, l->objects_bss},
    };
    struct name_stem stem;
    names_stem(&stem, row->name, "_var");
    uint32_t number = 0;
    const uint32_t named = plan_small_local(row) + row->locals - row->shared_names;
    uint64_t extra_each = named ? row->local_names / named : 0;
    uint64_t extra_more = named ? row->local_names % named : 0;
    const uint32_t first = next_name(t);
    uint32_t shared = first; /* the name of the next that has one of another */
    uint64_t at = l->code.text + l->small;
    for (uint32_t i = 0; i < row->small; i++) {
        const uint64_t address = at;
        at += plan_small_place(row, i);
        if (i < row->small_exported)
            continue;
        *t->next++ = symbol(next_name(t), STB_LOCAL, STT_FUNC, s[SECTION_TEXT].index, address, row->small_size[i]);
        t->strings = names_row_write_object(row, number++, t->strings);
    }
    for (unsigned r = 0; r < sizeof regions / sizeof regions[0]; r++) {
        const struct region *g = &regions[r];
        uint32_t index = s[g->section].index;
        const unsigned char type = g->section == SECTION_TBSS ? STT_TLS : STT_OBJECT;
        uint64_t each = g->count ? g->size / g->count & ~UINT64_C(7) : 0;
        for (uint32_t i = 0; i < g->count; i++, number++) {
            uint64_t size = i + 1 < g->count ? each : g->size - each * i;
            uint64_t length = stem.length + names_digits(number) + extra_each + (number < extra_more ? 1 : 0);
            if (number > named && (number - named) % named == 0)
                shared = first;
            *t->next++ =
                symbol(number < named ? next_name(t) : shared, STB_LOCAL, type, index, g->address + each * i, size);
            if (number >= named)
                shared += names_row_object_length(row, (number - named) % named) + 1;
            else if (row->said)
                t->strings = names_row_write_object(row, number, t->strings);
            else
                t->strings = names_write(&l->plan->names, &stem, number, (uint32_t)length, t->strings, NULL);
        }
    }
    assert(number == plan_small_local(row) + row->locals);
}

/* Writes two halves of a name. */
static uint8_t *put_two(uint8_t *p, const char *first, const char *second)
{
    return put_bytes(put_bytes(p, first, strlen(first)), second, strlen(second) + 1);
}

/* A global symbol in .text, whose name is the next. */
static Elf64_Sym inner_function(const struct library *l, uint64_t name, uint64_t offset, uint64_t size)
{
    return symbol((uint32_t)name, STB_GLOBAL, STT_FUNC, l->layout.section[SECTION_TEXT].index, l->code.text + offset,
                  size);
}

/* Numbered functions, as global symbols that no other file sees. */
static void put_inner_functions(const struct library *l, struct local_table *t)
{
    struct names_head head = {0};
    for (uint32_t i = 0; i < l->row->functions; i++) {
        *t->next++ = inner_function(l, next_name(t), l->body[i].offset, l->body[i].size);
        t->strings = names_write_function(&l->plan->names, &head, l->row, i, &l->code.own[i], t->strings, NULL);
    }
}

/* Those that are no dynamic symbols. */
static void put_local_functions(const struct library *l, struct local_table *t)
{
    struct names_head head = {0};
    for (uint32_t i = l->row->functions - l->shape.local; i < l->row->functions; i++) {
        *t->next++ = symbol(next_name(t), STB_LOCAL, STT_FUNC, l->layout.section[SECTION_TEXT].index,
                            l->code.text + l->body[i].offset, l->body[i].size);
        t->strings = names_write_function(&l->plan->names, &head, l->row, i, &l->code.own[i], t->strings, NULL);
    }
    if (!l->row->inner_entry)
        return;
    const struct glue_place *entry = &l->glue.place[GLUE_ENTRY];
    *t->next++ = symbol(next_name(t), STB_LOCAL, STT_FUNC, l->layout.section[SECTION_TEXT].index,
                        l->code.text + entry->offset, entry->size);
    t->strings = put_bytes(t->strings, l->shape.entry, strlen(l->shape.entry) + 1);
}

/* Their marks. */
static void put_inner_marks(const struct library *l, struct local_table *t)
{
    *t->next++ = symbol(next_name(t), STB_GLOBAL, STT_OBJECT, l->layout.section[SECTION_BSS].index, l->code.marks,
                        l->shape.marks);
    t->strings = put_two(t->strings, l->row->name, "_visits");
}

/* Further files, as crtend.o is one, and units are: named as those that are there, whose names follow
 * those of dynamic symbols. */
static void put_files(const struct library *l, struct local_table *t)
{
    uint32_t name = (uint32_t)(1 + l->shape.names);
    for (uint32_t i = 0; i < l->row->files; i++) {
        *t->next++ = symbol(name, STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
        for (unsigned id = 0; !i && id < LOCAL_FILE_SOURCE; id++)
            name += (uint32_t)strlen(fixed_local_kinds[id].name) + 1;
    }
}

/* The version of an undefined symbol outside the set (outside.h). */
static uint32_t version_of(const struct library *l, uint32_t outside)
{
    const struct plan_library *row = l->row;
    return outside_version(l->shape.python, row->key, row->outside_choice, outside);
}

/* Whether .symtab has it behind the name. */
static bool is_versioned(const struct library *l, uint32_t outside)
{
    return l->row->versioned_names && version_of(l, outside);
}

static void put_versioned_names(const struct library *l, struct local_table *t)
{
    const struct plan_library *row = l->row;
    for (uint32_t i = 0; i < row->extra.outside; i++) {
        if (!is_versioned(l, i))
            continue;
        const char *name = outside_name(l->shape.python, row->key, row->outside_choice, i);
        t->strings = put_u8(put_bytes(t->strings, name, strlen(name)), '@');
        t->strings = put_two(t->strings, outside_version_name(version_of(l, i)), "");
    }
}

static void write_symtab(const struct library *l, uint8_t *image, const Elf64_Sym *dynsym, const struct others *o)
{
    static const char versioned[] = "__cxa_finalize@GLIBC_2.2.5";
    static const char start_main[] = "__libc_start_main@GLIBC_2.2.5";
    const struct section *s = l->layout.section;
    Elf64_Sym *symtab = (Elf64_Sym *)(void *)(image + s[SECTION_SYMTAB].offset);
    uint8_t *strtab = image + s[SECTION_STRTAB].offset;
    memcpy(strtab, image + s[SECTION_DYNSTR].offset, 1 + l->shape.names);
    struct local_table t = {.next = symtab + 1, .strings = strtab + 1 + l->shape.names, .start = strtab};
    memset(symtab, 0, sizeof *symtab);
    put_fixed_locals(l, &t, 0, FIXED_LOCAL_COUNT - 1);
    put_files(l, &t);
    uint32_t name = next_name(&t);
    if (!l->row->without_libc)
        t.strings = put_bytes(t.strings, versioned, sizeof versioned);
    uint32_t start_name = (uint32_t)(t.strings - strtab);
    if (l->shape.executable)
        t.strings = put_bytes(t.strings, start_main, sizeof start_main);
    const uint8_t *versions = t.strings;
    put_versioned_names(l, &t);
    put_local_functions(l, &t);
    put_objects(l, &t);
    assert(t.next == symtab + s[SECTION_SYMTAB].info);
    uint32_t globals = l->shape.undefined + l->shape.defined;
    memcpy(t.next, dynsym + 1, globals * sizeof *dynsym);
    if (!l->row->without_libc)
        t.next[o->cxa_finalize - 1].st_name = name;
    if (o->start_main)
        t.next[o->start_main - 1].st_name = start_name;
    for (uint32_t i = 0; i < l->row->extra.outside; i++)
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

/* `version` is the first of their names in .dynstr, all of the C library's: without it there are none. */
static void write_versions(const struct library *l, uint8_t *image, uint32_t libc, uint32_t version,
                           const struct others *o)
{
    if (l->row->without_libc)
        return;
    const char *strings = (const char *)image + l->layout.section[SECTION_DYNSTR].offset;
    const uint32_t outside = o->outside + l->row->extra.outside;
    uint8_t *p = image + l->layout.section[SECTION_VERSYM].offset;
    uint32_t symbols = l->shape.undefined + l->shape.defined;
    p = put_u16(p, VER_NDX_LOCAL);
    for (uint32_t i = 1; i <= symbols; i++) {
        uint32_t of = i == o->cxa_finalize || i == o->start_main;
        if (i >= o->outside && i < outside)
            of = version_of(l, i - o->outside);
        p = put_u16(p, (uint16_t)(VER_NDX_GLOBAL + of));
    }
    p = image + l->layout.section[SECTION_VERNEED].offset;
    const uint32_t versions = 1 + l->row->extra.versions;
    const Elf64_Verneed need = {VER_NEED_CURRENT, (Elf64_Half)versions, libc, sizeof need, 0};
    p = put_bytes(p, &need, sizeof need);
    for (uint32_t i = 1; i <= versions; i++) {
        const char *name = strings + version;
        const Elf64_Vernaux aux = {hash_sysv(name, strlen(name)), 0, (Elf64_Half)(VER_NDX_GLOBAL + i), version,
                                   i < versions ? sizeof aux : 0};
        p = put_bytes(p, &aux, sizeof aux);
        version += (uint32_t)strlen(name) + 1;
    }
}

static bool write_hashes(struct symbols *t, struct arena *arena, uint32_t *order)
{
    const struct library *l = t->l;
    const struct section *s = l->layout.section;
    struct gnu_hash plan = hash_gnu_plan(l->shape.defined);
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

/* What DT_NEEDED names before libc; all that an executable is linked with, in Pynamic's
 * order. */
static void put_needed(struct symbols *t)
{
    const struct library *l = t->l;
    const struct plan *plan = l->plan;
    if (l->shape.executable) {
        for (uint32_t i = 0; !l->shape.holds && i < plan_executable(plan); i++)
            put_name(t, plan->library[i].name, ".so");
        put_name(t, EXECUTABLE_RUNTIME, "");
        put_name(t, plan->executables.libpython, "");
        return;
    }
    for (uint32_t i = 0; i < l->calls.needed_count; i++)
        put_name(t, plan->library[l->calls.needed[i]].name, ".so");
    if (l->shape.needs_before)
        put_name(t, plan->library[l->shape.extern_called].name, ".so");
    for (uint32_t i = 0; i < l->shape.modules; i++)
        put_name(t, plan->library[i].name, ".so");
    for (uint32_t i = 0; i < l->row->extra.needed; i++)
        put_name(t, outside_library(i), "");
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
    if (!t.hashes || !t.defined || !order || !place)
        return false;
    dynstr[0] = '\0';
    memset(t.dynsym, 0, sizeof *t.dynsym);
    put_imports(&t, plt_symbols);
    if (!s->inner)
        put_functions(&t);
    struct others o = put_others(&t);
    if (!write_hashes(&t, arena, order))
        return false;
    const bool without_libc = l->row->without_libc;
    uint32_t libc = without_libc ? 0 : put_name(&t, "libc.so.6", "");
    uint32_t version = without_libc ? 0 : put_name(&t, OUTSIDE_VERSION, "");
    for (uint32_t i = 0; i < l->row->extra.versions; i++)
        put_name(&t, outside_version_name(2 + i), "");
    uint32_t soname = s->soname ? put_name(&t, l->row->name, ".so") : 0;
    uint32_t runpath = l->row->runpath ? put_name(&t, "$ORIGIN", "") : 0;
    l->strings = (struct dynamic_strings){libc, soname, runpath, (uint32_t)(t.names - dynstr)};
    put_needed(&t);
    assert(t.names == dynstr + section[SECTION_DYNSTR].size);

    uint32_t first = 1 + s->undefined;
    for (uint32_t i = 0; i < s->defined; i++)
        place[order[i]] = first + i;
    for (uint32_t i = 0; i < plan_lazy(l->row); i++)
        if (l->slot[i] != CODE_NO_SLOT)
            plt_symbols[l->slot[i]] = place[i];
    for (uint32_t i = 0; (s->python || s->holds) && i < shape_python_functions(l->row); i++)
        plt_symbols[l->at.python_slot + i] = o.python + i;
    for (uint32_t i = 0; i < l->row->extra.slots; i++)
        plt_symbols[l->outside_slots + i] = o.outside + i;
    if (s->python && !l->row->inner_entry)
        plt_symbols[l->at.entry_slot] = place[o.entry];
    if (s->extern_called >= 0)
        plt_symbols[l->at.extern_before_slot] = o.extern_before;
    if (s->calls_own_extern)
        plt_symbols[l->at.own_extern_slot] = place[o.own_extern];
    l->symbol_cxa_finalize = o.cxa_finalize;
    l->symbol_gmon_start = o.gmon_start;
    l->symbol_outside = o.outside;
    l->symbol_defined = first;
    l->symbol_main = o.main;
    l->symbol_start_main = o.start_main;
    write_versions(l, image, libc, version, &o);
    if (!l->row->stripped)
        write_symtab(l, image, t.dynsym, &o);
    return true;
}

/* --- of a part of an executable ----------------------------------------------------- */

/* The fixed locals that are its own there; the others are the executable's. */
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
        *strings += strlen(k->name) + 1 + (k->prefixed ? strlen(l->row->name) : 0);
    }
    return count;
}

uint32_t symbols_part_locals(const struct library *l)
{
    uint64_t strings;
    return part_fixed(l, &strings) + l->row->locals;
}

/* Names of what it defines: as in its own .dynstr, without those of imports. */
static uint64_t part_names(const struct library *l)
{
    const uint64_t stem = strlen(l->row->name);
    uint64_t bytes = l->row->function_names + stem + sizeof "_visits";
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
           row->locals * (strlen(row->name) + sizeof "_var") + row->local_names;
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
    put_objects(l, &t);
    assert(t.next == symtab + locals && t.strings == start + symbols_part_strings(l));
}
