/* See tables.h.
 *
 *     .rodata   doubles, floats | strings | constants of the profile's size
 *     .data     __dso_handle | PyModuleDef, PyMethodDef[3] and more | objects
 *     .bss      completed | scratch | visits | objects
 */
#include "emit/library/tables.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/relr.h"
#include "elf/write/plt.h"
#include "elf/write/separate.h"
#include "emit/library/dynamic.h"
#include "emit/library/files.h"
#include "emit/library/join.h"
#include "emit/library/objects.h"
#include "emit/library/pointers.h"
#include "emit/library/relocated.h"
#include "emit/library/small.h"
#include "emit/library/taste.h"
#include "emit/plan/methods.h"

static uint64_t take_string(uint64_t *at, const char *text)
{
    uint64_t address = *at;
    *at += strlen(text) + 1;
    return address;
}

/* The address of the word that holds the personality routine's address, as DW.ref.__gxx_personality_v0 does in real
 * libraries; 0 where no function has an exception table. It is the last of the words that point to names; where there
 * are none, the first other word that points into the library; where there is none either, the first word of
 * .init_array, which points to the same function: else a row has no exception tables (emit/solve/rows_extra.c). */
static uint64_t personality_word(const struct library *l)
{
    struct relocated w = relocated_words(l);
    const struct section *s = l->layout.section;
    uint64_t at;
    if (!shape_excepts(&l->shape))
        return 0;
    if (l->shape.pointers)
        return s[SECTION_DATA_REL_RO].address + 8 * (l->shape.pointers - UINT64_C(1));
    return relocated_next(&w, false, &at) ? at : s[SECTION_INIT_ARRAY].address;
}

void tables_addresses(struct library *l)
{
    const struct section *s = l->layout.section;
    struct glue_addresses *a = &l->at;
    struct code *c = &l->code;
    c->text = s[SECTION_TEXT].address + l->lead;
    c->slots = plt_address(&l->layout, 0);
    c->constants_d = s[SECTION_RODATA].address;
    c->constants_f = c->constants_d + 8 * CONSTANTS;
    uint64_t string = c->constants_d + CONSTANT_BYTES;
    if (l->row->level == LEVEL_BARE)
        string = c->constants_d;
    for (unsigned i = 0; i < CONSTANTS && l->row->level < LEVEL_BARE; i++)
        c->text_constant[i] = take_string(&string, l->plan->constants.text[i]);
    if (l->shape.python) {
        a->name = take_string(&string, l->row->name);
        a->entry_name = take_string(&string, l->shape.entry);
    }
    if (l->shape.python && !plan_is_plain(l->row)) {
        a->visited_name = take_string(&string, "visited");
        a->functions_name = take_string(&string, "functions");
        a->module_doc = take_string(&string, MODULE_DOC);
        a->entry_doc = take_string(&string, ENTRY_DOC);
        a->visited_doc = take_string(&string, VISITED_DOC);
    }
    a->methods_doc = string;
    a->method_names = string + (l->row->extra.table.documented ? sizeof METHODS_DOC : 0);
    string += methods_bytes(l->row);
    a->stems = string;
    for (uint32_t i = 0; l->shape.holds && i < plan_executable(l->plan); i++)
        take_string(&string, l->plan->library[plan_in_order(l->plan, i)].name);
    assert(string == s[SECTION_RODATA].address + l->shape.rodata);
    a->text_end = s[SECTION_TEXT].address + s[SECTION_TEXT].size;
    a->completed = s[SECTION_BSS].address;
    a->bss_end = a->completed + s[SECTION_BSS].size;
    c->scratch = a->completed + 8;
    c->marks = l->shape.marks ? c->scratch + SCRATCH_BYTES : a->completed; /* without marks any address will do */
    a->dso_handle = s[SECTION_DATA].address;
    a->definition = a->dso_handle + 8;
    a->methods = a->definition + shape_definition(l->row);
    c->objects = s[SECTION_DATA].address + objects_at(l);
    c->objects_size = objects_size(l);
    c->scratch_words = SCRATCH_BYTES / 8;
    if (l->shape.in_data) {
        c->scratch = c->objects - library_scratch(l);
        c->scratch_words = (uint32_t)library_scratch(l) / 8;
    }
    a->direct = s[SECTION_PLT_GOT].size ? s[SECTION_PLT_GOT].address : 0;
    a->got_cxa_finalize = s[SECTION_GOT].address + l->layout.got_plt;
    a->got_gmon_start = a->got_cxa_finalize + 8;
    a->got_clones = a->got_gmon_start + 8;
    a->got_extra = a->got_clones + 8 * (uint64_t)l->row->extra.undefined.clones;
    a->got_main = a->got_extra;
    a->got_start_main = a->got_main + 8;
    a->executable = s[SECTION_DATA_REL_RO].address + 8 * NAME_POINTERS;
    a->personality = personality_word(l);
}

/* .rela.dyn and .relr.dyn as they grow, and the words that these relocate. */
struct relocations {
    const struct layout *layout;
    uint8_t *image;
    uint8_t *p;
    struct relr_table packed;
    uint32_t relative;
    uint32_t to_pack; /* how many relative relocations, from the first on, are packed */
};

static struct relocations relocations_of(const struct library *l, uint8_t *image)
{
    const struct section *s = l->layout.section;
    struct relocations r = {.layout = &l->layout,
                            .image = image,
                            .p = image + s[SECTION_RELA_DYN].offset,
                            .packed.p = image + s[SECTION_RELR_DYN].offset,
                            .to_pack = l->shape.packed};
    if (library_is_part(l))
        r.to_pack = join_packs(l->joined) ? l->shape.relative : 0;
    return r;
}

static uint8_t *at_address(const struct relocations *r, enum section_id id, uint64_t address)
{
    const struct section *s = &r->layout->section[id];
    return r->image + s->offset + (address - s->address);
}

/* Makes the word at `address` in section `id` point to `target`. As ld leaves it, the word holds the target before it
 * is relocated, too. */
static void point(struct relocations *r, enum section_id id, uint64_t address, uint64_t target)
{
    put_u64(at_address(r, id, address), target);
    if (r->relative++ < r->to_pack) {
        relr_add(&r->packed, address);
        return;
    }
    r->p = put_u64(r->p, address);
    r->p = put_u64(r->p, ELF64_R_INFO(0, R_X86_64_RELATIVE));
    r->p = put_u64(r->p, target);
}

static void point_symbol(struct relocations *r, enum section_id id, uint64_t address, uint64_t symbol, uint32_t type)
{
    put_u64(at_address(r, id, address), 0);
    r->p = put_u64(r->p, address);
    r->p = put_u64(r->p, ELF64_R_INFO(symbol, type));
    r->p = put_u64(r->p, 0);
}

static void point_got(struct relocations *r, uint64_t address, uint64_t symbol)
{
    point_symbol(r, SECTION_GOT, address, symbol, R_X86_64_GLOB_DAT);
}

static uint64_t personality_of(const struct library *l)
{
    return l->code.text + l->glue.place[GLUE_FRAME_DUMMY].offset;
}

/* Writes the words of one section that point to somewhere in the library. */
static void write_pointers(const struct library *l, struct relocations *r, enum section_id id)
{
    struct relocated w = relocated_words(l);
    uint64_t at;
    for (uint32_t i = 0; relocated_next(&w, false, &at); i++) {
        if (relocated_section(l, at) != id)
            continue;
        const bool is_personality = at == l->at.personality;
        point(r, id, at, is_personality ? personality_of(l) : pointers_target(l, i, POINTERS_USUAL));
    }
}

static int by_symbol(const void *a, const void *b)
{
    const Elf64_Rela *x = a;
    const Elf64_Rela *y = b;
    const uint64_t one = ELF64_R_SYM(x->r_info);
    const uint64_t other = ELF64_R_SYM(y->r_info);
    if (one != other)
        return one < other ? -1 : 1;
    return x->r_offset < y->r_offset ? -1 : x->r_offset > y->r_offset;
}

static int by_addend(const void *a, const void *b)
{
    const Elf64_Rela *x = a;
    const Elf64_Rela *y = b;
    if (x->r_addend != y->r_addend)
        return x->r_addend < y->r_addend ? -1 : 1;
    return x->r_offset < y->r_offset ? -1 : x->r_offset > y->r_offset;
}

/* Orders relocations as ld does (-z combreloc): those of one symbol together, so that the dynamic linker looks it up
 * once, and symbols by the first word that refers to them. Addends are 0 in the end; while sorting, they hold the
 * address of that word. */
static void combine(Elf64_Rela *first, size_t count)
{
    qsort(first, count, sizeof *first, by_symbol);
    for (size_t i = 0; i < count; i++) {
        const bool same = i && ELF64_R_SYM(first[i].r_info) == ELF64_R_SYM(first[i - 1].r_info);
        first[i].r_addend = same ? first[i - 1].r_addend : (Elf64_Sxword)first[i].r_offset;
    }
    qsort(first, count, sizeof *first, by_addend);
    for (size_t i = 0; i < count; i++)
        first[i].r_addend = 0;
}

static void write_extra_symbols(const struct library *l, struct relocations *r)
{
    const struct plan_extra *x = &l->row->extra;
    uint8_t *const first = r->p;
    struct relocated w = relocated_words(l);
    uint64_t word;
    for (uint32_t i = 0; i < x->plt.got; i++)
        point_got(r, l->at.got_extra + 8 * (uint64_t)i, relocated_any(l, i));
    /* a pair of words: the module, which is this library, and an offset in its .tbss (psABI, the general model) */
    for (uint32_t i = 0; i < x->thread.modules; i++) {
        const uint64_t at = l->at.got_extra + 8 * (uint64_t)x->plt.got + 16 * (uint64_t)i;
        point_symbol(r, SECTION_GOT, at, 0, R_X86_64_DTPMOD64);
        put_u64(at_address(r, SECTION_GOT, at + 8), x->thread.bytes ? 8 * (uint64_t)i % x->thread.bytes : 0);
    }
    for (uint32_t i = 0; relocated_next(&w, true, &word); i++)
        point_symbol(r, relocated_section(l, word), word, relocated_word_symbol(l, i), R_X86_64_64);
    combine((Elf64_Rela *)(void *)first, (size_t)(r->p - first) / sizeof(Elf64_Rela));
}

/* Addresses in a struct PyMethodDef; `doc` is 0 where there is no documentation. */
struct method {
    uint64_t name, function, doc;
};

static void write_method(struct relocations *r, uint64_t at, const struct method *m)
{
    point(r, SECTION_DATA, at, m->name);
    point(r, SECTION_DATA, at + METHOD_DEF_FUNCTION, m->function);
    put_u32(at_address(r, SECTION_DATA, at + METHOD_DEF_FLAGS), METHOD_NOARGS);
    if (m->doc)
        point(r, SECTION_DATA, at + METHOD_DEF_DOC, m->doc);
}

/* Writes struct PyModuleDef, its slots if it has any, and the array of struct PyMethodDef. The reference count is 1.
 * The size is -1, or 0 where Python makes the module. */
static void write_definition(const struct library *l, struct relocations *r)
{
    const struct glue_addresses *a = &l->at;
    uint8_t *definition = at_address(r, SECTION_DATA, a->definition);
    const bool plain = plan_is_plain(l->row);
    memset(definition, 0, shape_definition(l->row) + METHOD_DEF_BYTES * (uint64_t)shape_methods(l->row));
    put_u64(definition, 1);
    put_u64(definition + MODULE_DEF_SIZE, l->row->glue.init == INIT_PHASES ? 0 : UINT64_MAX);
    point(r, SECTION_DATA, a->definition + MODULE_DEF_NAME, a->name);
    if (!plain)
        point(r, SECTION_DATA, a->definition + MODULE_DEF_DOC, a->module_doc);
    if (!l->row->glue.adds_methods)
        point(r, SECTION_DATA, a->definition + MODULE_DEF_METHODS, a->methods);
    if (shape_executes(l->row)) {
        const uint64_t slots = a->definition + MODULE_DEF_BYTES;
        point(r, SECTION_DATA, a->definition + MODULE_DEF_SLOTS, slots);
        put_u32(at_address(r, SECTION_DATA, slots), MODULE_SLOT_EXEC);
        point(r, SECTION_DATA, slots + MODULE_SLOT_VALUE, l->code.text + l->glue.place[GLUE_EXECUTE].offset);
    }
    const struct method methods[] = {
        {a->entry_name, l->code.text + l->glue.place[GLUE_METHOD].offset, plain ? 0 : a->entry_doc},
        {a->visited_name, l->code.text + l->glue.place[GLUE_VISITED].offset, plain ? 0 : a->visited_doc},
    };
    uint64_t at = a->methods;
    for (unsigned i = 0; i < shape_driver_methods(l->row); i++, at += METHOD_DEF_BYTES)
        write_method(r, at, &methods[i]);
    struct method m = {.name = a->method_names};
    struct small_turn functions = small_methods(l);
    for (uint32_t i = 0; i < l->row->extra.table.methods; i++, at += METHOD_DEF_BYTES) {
        m.function = small_next(l, &functions, GLUE_METHOD);
        m.doc = i < l->row->extra.table.documented ? a->methods_doc : 0;
        write_method(r, at, &m);
        m.name += methods_name_length(l->row, i) + 1;
    }
}

/* Writes at `table` the table of the libraries that an executable contains, in the order in which they are imported. */
static void write_objects(const struct library *l, struct relocations *r, uint64_t table)
{
    const struct plan *plan = l->plan;
    const struct joined *j = l->joined;
    uint64_t stem = l->at.stems;
    for (uint32_t i = 0; i < plan_executable(plan); i++, table += sizeof(struct executable_object)) {
        const uint32_t index = plan_in_order(plan, i);
        const struct part *part = &j->part[index];
        const struct executable_object object = {.visits_size = part->marks_size};
        put_bytes(at_address(r, SECTION_DATA_REL_RO, table), &object, sizeof object);
        point(r, SECTION_DATA_REL_RO, table + offsetof(struct executable_object, stem),
              take_string(&stem, plan->library[index].name));
        if (plan->library[index].kind != LIBRARY_UTILITY) {
            point(r, SECTION_DATA_REL_RO, table + offsetof(struct executable_object, init),
                  join_address(j, index, SECTION_TEXT, part->init));
            point(r, SECTION_DATA_REL_RO, table + offsetof(struct executable_object, entry),
                  join_address(j, index, SECTION_TEXT, part->entry));
        }
        point(r, SECTION_DATA_REL_RO, table + offsetof(struct executable_object, visits),
              join_address(j, index, SECTION_BSS, part->marks));
    }
}

/* Writes the struct executable, which the runtime library reads. */
static void write_executable(const struct library *l, struct relocations *r)
{
    const bool holds = l->shape.holds;
    const struct executable x = {
        .version = EXECUTABLE_VERSION,
        .kind = holds ? EXECUTABLE_KIND_STATIC : EXECUTABLE_KIND_LINK,
        .digest = {l->plan->profile_digest[0], l->plan->profile_digest[1]},
        .object_count = holds ? plan_executable(l->plan) : 0,
    };
    put_bytes(at_address(r, SECTION_DATA_REL_RO, l->at.executable), &x, sizeof x);
    if (!holds)
        return;
    const uint64_t table = l->at.executable + sizeof x;
    point(r, SECTION_DATA_REL_RO, l->at.executable + offsetof(struct executable, objects), table);
    write_objects(l, r, table);
}

/* Writes .init_array and .fini_array. */
static void write_arrays(const struct library *l, struct relocations *r)
{
    const struct section *s = l->layout.section;
    const struct glue_place *g = l->glue.place;
    struct small_turn functions = small_constructors(l);
    const uint64_t dummy = l->code.text + g[GLUE_FRAME_DUMMY].offset;
    const uint32_t constructors = l->row->extra.start.constructors;
    const uint64_t constructor = l->row->extra.start.constructing ? l->code.text + g[GLUE_CONSTRUCTOR].offset : 0;
    uint64_t at = s[SECTION_INIT_ARRAY].address;
    /* the first word of each array, and __dso_handle, are the TABLES_FILE_RELATIVE */
    point(r, SECTION_INIT_ARRAY, at, constructor && !constructors ? constructor : dummy);
    for (uint32_t i = 0; i < constructors; i++) {
        if (constructor) /* GLUE_CONSTRUCTOR stands for all constructors, so the others do nothing */
            point(r, SECTION_INIT_ARRAY, at += 8, i ? dummy : constructor);
        else
            point(r, SECTION_INIT_ARRAY, at += 8, small_next(l, &functions, GLUE_FRAME_DUMMY));
    }
    at = s[SECTION_FINI_ARRAY].address;
    point(r, SECTION_FINI_ARRAY, at, l->code.text + g[GLUE_DTORS].offset);
    for (uint32_t i = 0; i < l->row->extra.start.destructors; i++)
        point(r, SECTION_FINI_ARRAY, at += 8, small_next(l, &functions, GLUE_FRAME_DUMMY));
}

static void write_relocated(const struct library *l, uint8_t *image)
{
    const struct section *s = l->layout.section;
    struct relocations r = relocations_of(l, image);
    if (!library_is_part(l))
        write_arrays(l, &r);
    for (unsigned i = 0; i < l->shape.pointers; i++) {
        const uint64_t at = s[SECTION_DATA_REL_RO].address + 8 * (uint64_t)i;
        point(&r, SECTION_DATA_REL_RO, at, at == l->at.personality ? personality_of(l) : l->code.text_constant[i]);
    }
    write_pointers(l, &r, SECTION_DATA_REL_RO);
    if (!library_is_part(l))
        point(&r, SECTION_DATA, l->at.dso_handle, l->at.dso_handle);
    if (l->shape.python)
        write_definition(l, &r);
    write_pointers(l, &r, SECTION_DATA);
    if (l->shape.executable)
        write_executable(l, &r);
    assert(r.relative == l->shape.relative - (library_is_part(l) ? TABLES_FILE_RELATIVE : 0));
    if (r.to_pack)
        relr_end(&r.packed, image + s[SECTION_RELR_DYN].offset + s[SECTION_RELR_DYN].size);
    assert(r.packed.p == image + s[SECTION_RELR_DYN].offset + s[SECTION_RELR_DYN].size);
    if (library_is_part(l))
        return;
    point_got(&r, l->at.got_cxa_finalize, l->symbol_cxa_finalize);
    point_got(&r, l->at.got_gmon_start, l->symbol_gmon_start);
    for (uint32_t i = 0; i < l->row->extra.undefined.clones; i++)
        point_got(&r, l->at.got_clones + 8 * (uint64_t)i, l->symbol_gmon_start + 1 + i);
    if (l->shape.executable) {
        point_got(&r, l->at.got_main, l->symbol_main);
        point_got(&r, l->at.got_start_main, l->symbol_start_main);
    }
    write_extra_symbols(l, &r);
    assert(r.p == image + s[SECTION_RELA_DYN].offset + s[SECTION_RELA_DYN].size);
}

/* NT_GNU_PROPERTY_TYPE_0 (psABI 1.0 section 13.1): indirect branches lead to an endbr64, and nothing changes the place
 * that a function returns to. */
static void write_property(const struct library *l, uint8_t *image)
{
    enum { PROPERTY_SIZE = 16 };
    if (!l->layout.section[SECTION_NOTE_PROPERTY].size)
        return;
    uint8_t *p = image + l->layout.section[SECTION_NOTE_PROPERTY].offset;
    p = put_u32(p, sizeof "GNU");
    p = put_u32(p, PROPERTY_SIZE);
    p = put_u32(p, NT_GNU_PROPERTY_TYPE_0);
    p = put_bytes(p, "GNU", sizeof "GNU");
    p = put_u32(p, GNU_PROPERTY_X86_FEATURE_1_AND);
    p = put_u32(p, sizeof(uint32_t));
    p = put_u32(p, GNU_PROPERTY_X86_FEATURE_1_IBT | GNU_PROPERTY_X86_FEATURE_1_SHSTK);
    put_u32(p, 0); /* to a multiple of 8 */
}

static void write_build_id(const struct library *l, uint8_t *image)
{
    if (!l->layout.section[SECTION_NOTE_BUILD_ID].size)
        return;
    uint8_t *p = image + l->layout.section[SECTION_NOTE_BUILD_ID].offset;
    p = put_u32(p, 4);
    p = put_u32(p, FILE_BUILD_ID);
    p = put_u32(p, NT_GNU_BUILD_ID);
    p = put_bytes(p, "GNU", 4);
    files_build_id(l->plan, l->row, p);
}

/* All libraries name the same file, so the build-id is the same in all. */
static void write_alternate(const struct library *l, uint8_t *image)
{
    const uint64_t *const digest = l->plan->profile_digest;
    if (!l->layout.section[SECTION_GNU_DEBUGALTLINK].size)
        return;
    uint8_t *p = image + l->layout.section[SECTION_GNU_DEBUGALTLINK].offset;
    p = put_bytes(p, SHAPE_ALTERNATE, sizeof SHAPE_ALTERNATE);
    p = put_u64(p, digest[0]);
    p = put_u64(p, digest[1]);
    put_u32(p, (uint32_t)random_mix(digest[1])); /* SHAPE_ALTERNATE_ID in all */
}

/* There is no file whose checksum it could be. */
static void write_absent_link(const struct library *l, uint8_t *image)
{
    const struct section *const section = &l->layout.section[SECTION_GNU_DEBUGLINK];
    if (!section->size)
        return;
    char name[FILE_NAME_MOST];
    files_absent_name(l->plan, l->row, name);
    assert(section->size == separate_link_size(name));
    separate_put_link(image + section->offset, name, (uint32_t)random_mix(l->plan->digest[1] ^ l->row->key));
}

static void write_constants(const struct library *l, uint8_t *image, bool steered)
{
    const struct constants *c = &l->plan->constants;
    uint8_t *p = image + l->layout.section[SECTION_RODATA].offset;
    if (l->row->level < LEVEL_BARE) {
        p = put_bytes(p, c->d, sizeof c->d);
        p = put_bytes(p, c->f, sizeof c->f);
        for (unsigned i = 0; i < CONSTANTS; i++)
            p = put_bytes(p, c->text[i], strlen(c->text[i]) + 1);
    }
    if (l->shape.python) {
        const char *const strings[] = {l->row->name, l->shape.entry, "visited",  "functions",
                                       MODULE_DOC,   ENTRY_DOC,      VISITED_DOC};
        const unsigned count = !plan_is_plain(l->row) ? sizeof strings / sizeof strings[0] : 2;
        for (unsigned i = 0; i < count; i++)
            p = put_bytes(p, strings[i], strlen(strings[i]) + 1);
        p = methods_write_strings(l->row, p);
    }
    for (uint32_t i = 0; l->shape.holds && i < plan_executable(l->plan); i++) {
        const char *stem = l->plan->library[plan_in_order(l->plan, i)].name;
        p = put_bytes(p, stem, strlen(stem) + 1);
    }
    assert(p == image + l->layout.section[SECTION_RODATA].offset + l->shape.rodata);
    const struct section *data = &l->layout.section[SECTION_DATA];
    memset(image + data->offset + objects_at(l) - library_scratch(l), 0, library_scratch(l));
    taste_fill(l, image, steered);
}

void tables_write(struct library *l, uint8_t *image, bool steered)
{
    if (l->shape.executable)
        memcpy(image + l->layout.section[SECTION_INTERP].offset, SHAPE_INTERPRETER, sizeof SHAPE_INTERPRETER);
    write_property(l, image);
    write_build_id(l, image);
    write_constants(l, image, steered);
    write_relocated(l, image);
    dynamic_write(l, image);
    memcpy(image + l->layout.section[SECTION_COMMENT].offset, COMMENT_TEXT, sizeof COMMENT_TEXT);
    write_absent_link(l, image);
    write_alternate(l, image);
}

void tables_write_part(struct library *l, uint8_t *image)
{
    write_constants(l, image, false);
    write_relocated(l, image);
}
