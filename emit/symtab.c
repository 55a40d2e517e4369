/* .symtab and .strtab: the null entry, local symbols, then what .dynsym has. An executable's own
 * functions and marks are dynamic for nobody: they stand here only, at the end. The names of dynamic
 * symbols are at offset 1, as in .dynstr (symbols.c).
 */
#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "emit/names_row.h"
#include "emit/symbols_parts.h"

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
        *value = s[fixed_local_section(l, id)].address;
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
        uint32_t section = k->type == STT_FILE ? SHN_ABS : l->layout.section[fixed_local_section(l, i)].index;
        *t->next++ = symbols_entry(next_name(t), STB_LOCAL, k->type, section, value, size);
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

/* Names of static objects and of small functions: the last have those of others. */
struct shared_names {
    uint32_t number, named; /* of the next, and how many have their own */
    uint32_t first, shared; /* the first of these, and that of the next that has another's */
};

/* Where the next name is; writes it where it is one of its own, that has another stem in libraries without rows. */
static uint32_t put_object_name(const struct library *l, struct local_table *t, struct shared_names *n,
                                const struct name_stem *stem, uint32_t length)
{
    const struct plan_library *row = l->row;
    const uint32_t number = n->number++;
    if (number >= n->named) {
        const uint32_t of = (number - n->named) % n->named;
        const uint32_t name = of ? n->shared : n->first;
        n->shared = name + names_row_object_length(row, of) + 1;
        return name;
    }
    const uint32_t name = next_name(t);
    if (row->said)
        t->strings = names_row_write_object(row, number, t->strings);
    else
        t->strings = names_write(&l->plan->names, stem, number, length, t->strings, NULL);
    return name;
}

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
    const uint32_t named = names_row_objects_named(row);
    uint64_t extra_each = named ? row->local_names / named : 0;
    uint64_t extra_more = named ? row->local_names % named : 0;
    struct shared_names names = {.named = named, .first = next_name(t)};
    uint64_t at = l->code.text + l->small;
    for (uint32_t i = 0; i < row->small; i++) {
        const uint64_t address = at;
        at += plan_small_place(row, i);
        if (i < row->small_exported)
            continue;
        *t->next++ = symbols_entry(put_object_name(l, t, &names, &stem, 0), STB_LOCAL, STT_FUNC, s[SECTION_TEXT].index,
                                   address, row->small_size[i]);
    }
    for (unsigned r = 0; r < sizeof regions / sizeof regions[0]; r++) {
        const struct region *g = &regions[r];
        uint32_t index = s[g->section].index;
        const unsigned char type = g->section == SECTION_TBSS ? STT_TLS : STT_OBJECT;
        const struct object_pitch pitch = library_object_pitch(l, g->address, g->size, g->count);
        for (uint32_t i = 0; i < g->count; i++) {
            const uint32_t number = names.number;
            const uint64_t from = library_object_at(&pitch, i);
            const uint64_t to = i + 1 < g->count ? library_object_at(&pitch, i + 1) : g->size;
            const uint64_t length = stem.length + names_digits(number) + extra_each + (number < extra_more ? 1 : 0);
            *t->next++ = symbols_entry(put_object_name(l, t, &names, &stem, (uint32_t)length), STB_LOCAL, type, index,
                                       g->address + from, to - from);
        }
    }
    assert(names.number == plan_small_local(row) + row->locals);
}

/* Writes two halves of a name. */
static uint8_t *put_two(uint8_t *p, const char *first, const char *second)
{
    return put_bytes(put_bytes(p, first, strlen(first)), second, strlen(second) + 1);
}

/* A global symbol in .text, whose name is the next. */
static Elf64_Sym inner_function(const struct library *l, uint64_t name, uint64_t offset, uint64_t size)
{
    return symbols_entry((uint32_t)name, STB_GLOBAL, STT_FUNC, l->layout.section[SECTION_TEXT].index,
                         l->code.text + offset, size);
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
        *t->next++ = symbols_entry(next_name(t), STB_LOCAL, STT_FUNC, l->layout.section[SECTION_TEXT].index,
                                   l->code.text + l->body[i].offset, l->body[i].size);
        t->strings = names_write_function(&l->plan->names, &head, l->row, i, &l->code.own[i], t->strings, NULL);
    }
    if (!l->row->inner_entry)
        return;
    const struct glue_place *entry = &l->glue.place[GLUE_ENTRY];
    *t->next++ = symbols_entry(next_name(t), STB_LOCAL, STT_FUNC, l->layout.section[SECTION_TEXT].index,
                               l->code.text + entry->offset, entry->size);
    t->strings = put_bytes(t->strings, l->shape.entry, strlen(l->shape.entry) + 1);
}

/* Their marks. */
static void put_inner_marks(const struct library *l, struct local_table *t)
{
    *t->next++ = symbols_entry(next_name(t), STB_GLOBAL, STT_OBJECT, l->layout.section[SECTION_BSS].index,
                               l->code.marks, l->shape.marks);
    t->strings = put_two(t->strings, l->row->name, "_visits");
}

/* Further files, as crtend.o is one, and units are: named as those that are there, whose names follow
 * those of dynamic symbols, or as the row has it. */
static void put_files(const struct library *l, struct local_table *t)
{
    uint32_t name = (uint32_t)(1 + l->shape.names);
    const uint32_t bytes = names_row_file_bytes(l->row);
    const uint32_t end = next_name(t) + bytes - 1;
    if (bytes)
        t->strings = names_row_write_file(l->row, t->strings);
    for (uint32_t i = 0; i < l->row->files; i++) {
        const uint32_t own = i && bytes ? end - names_row_file_length(l->row, i) : name;
        *t->next++ = symbols_entry(own, STB_LOCAL, STT_FILE, SHN_ABS, 0, 0);
        for (unsigned id = 0; !i && id < LOCAL_FILE_SOURCE; id++)
            name += (uint32_t)strlen(fixed_local_kinds[id].name) + 1;
    }
}

/* Whether .symtab has it behind the name. */
static bool is_versioned(const struct library *l, uint32_t outside)
{
    return l->row->versioned_names && symbols_version(l, outside);
}

static void put_versioned_names(const struct library *l, struct local_table *t)
{
    const struct plan_library *row = l->row;
    for (uint32_t i = 0; i < row->extra.outside; i++) {
        if (!is_versioned(l, i))
            continue;
        const char *name = outside_name(l->shape.python, row->key, row->outside_choice, i);
        t->strings = put_u8(put_bytes(t->strings, name, strlen(name)), '@');
        t->strings = put_two(t->strings, outside_version_name(symbols_version(l, i)), "");
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
