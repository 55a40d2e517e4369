/* The size pass of a library, and the order of its write pass; see library.h. */
#include "emit/library.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "elf/plt.h"
#include "emit/evaluate.h"

/* Which PLT slot leads where: Python's functions, the entry, the extern
 * functions, imports, own functions. */
static bool number_slots(struct library *l, struct arena *arena)
{
    const struct shape *s = &l->shape;
    uint32_t next = 0;
    l->slot = arena_take(arena, (l->row->functions + UINT64_C(1)) * sizeof *l->slot);
    if (!l->slot)
        return false;
    if (s->python) {
        l->at.python_slot = next;
        next += PYTHON_FUNCTION_COUNT;
        l->at.entry_slot = next++;
    }
    l->at.extern_before_slot = s->extern_called >= 0 ? next++ : CODE_NO_SLOT;
    l->at.own_extern_slot = s->calls_own_extern ? next++ : CODE_NO_SLOT;
    l->code.import_slot = next;
    next += l->row->imports;
    l->own_slots = next;
    for (uint32_t i = 0; i < l->row->functions; i++) {
        bool head = i % l->plan->depth == 0;
        bool called = !head || (s->python && plan_chain_covered(l->plan, i / l->plan->depth));
        l->slot[i] = called ? next++ : CODE_NO_SLOT;
    }
    assert(next == s->plt);
    return true;
}

static bool start_library(struct library *l, const struct plan *plan, const struct plan_library *row,
                          const struct stock *stock, struct arena *arena)
{
    *l = (struct library){.plan = plan, .row = row, .stock = stock};
    l->shape = shape_of(plan, row);
    l->code = (struct code){.plan = plan, .library = row, .filler = stock ? &stock->filler : NULL};
    if (row->kind == LIBRARY_MODULE) {
        if (!calls_make(plan, row, arena, &l->calls))
            return false;
        l->code.calls = &l->calls;
    }
    l->glue = glue_size(&l->code, &l->shape);
    return true;
}

static uint32_t align_code(uint64_t size)
{
    return (uint32_t)((size + CODE_ALIGN - 1) & ~(uint64_t)(CODE_ALIGN - 1));
}

uint64_t library_code_least(const struct plan *plan, const struct plan_library *row, struct arena *arena)
{
    struct library l;
    arena_reset(arena);
    if (!start_library(&l, plan, row, NULL, arena))
        return 0;
    uint64_t size = 0;
    for (uint32_t i = 0; i < row->functions; i++)
        size += align_code(code_least(&l.code, i));
    return size;
}

/* How a function takes part in the code that is free: most a little, some a lot. */
static uint32_t weight_of(uint64_t key, uint32_t index)
{
    uint64_t r = random_at(key + 3, index);
    return 1 + (uint32_t)(r & 3) + ((r >> 8 & 7) == 0 ? 4 : 0);
}

/* Divides .text among the functions, and the rest of the text between it and
 * the constants. */
static bool size_code(struct library *l, struct arena *arena, struct error *e)
{
    const struct plan_library *row = l->row;
    uint64_t budget = row->size[SIZE_TEXT] - l->shape.text_tables - l->shape.rodata;
    uint64_t least = l->glue.end;
    uint64_t weights = 0;
    uint32_t *leasts = arena_take(arena, (row->functions + UINT64_C(1)) * sizeof *leasts);
    l->body = arena_take(arena, (row->functions + UINT64_C(1)) * sizeof *l->body);
    if (!leasts || !l->body)
        return error_set(e, ERROR_MEMORY, "out of memory for %s", row->name);
    for (uint32_t i = 0; i < row->functions; i++) {
        leasts[i] = code_least(&l->code, i);
        least += align_code(leasts[i]);
        weights += weight_of(row->key, i);
    }
    if (row->size[SIZE_TEXT] < l->shape.text_tables + l->shape.rodata || budget < least)
        return error_set(e, ERROR_INFEASIBLE, "%s.so: its code needs %llu bytes, the plan leaves %llu", row->name,
                         (unsigned long long)least, (unsigned long long)budget);
    uint64_t free_bytes = budget - least;
    uint64_t units = row->functions ? (free_bytes - free_bytes / 8) / CODE_ALIGN : 0;
    l->rodata_free = free_bytes - units * CODE_ALIGN;
    uint64_t offset = l->glue.end;
    uint64_t given = 0;
    uint64_t weight = 0;
    for (uint32_t i = 0; i < row->functions; i++) {
        weight += weight_of(row->key, i);
        uint64_t until = (uint64_t)((unsigned __int128)units * weight / weights);
        uint64_t extra = (until - given) * CODE_ALIGN;
        given = until;
        uint64_t place = align_code(leasts[i]) + extra;
        uint64_t padding = extra ? random_at(row->key + 4, i) & (CODE_ALIGN - 1) : place - leasts[i];
        if (offset + place > INT32_MAX)
            return error_set(e, ERROR_INFEASIBLE, "%s.so: more than 2 GiB of code in one library; use more libraries",
                             row->name);
        struct body *b = &l->body[i];
        *b = (struct body){.offset = (uint32_t)offset, .size = (uint32_t)(place - padding)};
        if (!code_compose(&l->code, i, b->size - leasts[i], arena, b))
            return error_set(e, ERROR_MEMORY, "out of memory for %s", row->name);
        offset += place;
    }
    l->layout.section[SECTION_TEXT].size = offset;
    l->layout.section[SECTION_RODATA].size = l->shape.rodata + l->rodata_free;
    return true;
}

/* The static objects: in .data and .rodata as far as there is room, the others
 * in .bss. */
static void size_objects(struct library *l)
{
    const struct plan_library *row = l->row;
    uint32_t locals = row->locals;
    l->data_free = row->size[SIZE_DATA] - l->shape.data_tables - l->shape.data;
    uint64_t in_data = l->data_free / 16;
    uint64_t in_rodata = l->rodata_free / 32;
    l->objects_data = in_data < locals / 4 ? (uint32_t)in_data : locals / 4;
    l->objects_rodata = in_rodata < locals / 4 ? (uint32_t)in_rodata : locals / 4;
    l->objects_bss = locals - l->objects_data - l->objects_rodata;
    uint64_t bss = ((l->shape.bss + 7) & ~UINT64_C(7)) + UINT64_C(16) * l->objects_bss;
    l->bss_free = row->size[SIZE_BSS] > bss ? row->size[SIZE_BSS] - bss : 0;
    l->layout.section[SECTION_DATA].size = l->shape.data + l->data_free;
    l->layout.section[SECTION_BSS].size = bss + l->bss_free;
}

/* --- debug information ------------------------------------------------------ */

static const uint8_t debug_types[ARGUMENT_TYPES] = {
    [TYPE_INT] = BASE_INT,       [TYPE_LONG] = BASE_LONG,     [TYPE_FLOAT] = BASE_FLOAT,
    [TYPE_DOUBLE] = BASE_DOUBLE, [TYPE_STRING] = BASE_STRING,
};

/* Composes units and line programs while it walks over the functions. */
struct composer {
    struct library *l;
    struct builder *b;
    bool lean;
    struct line_rows rows;
    uint32_t line;
    uint32_t functions; /* described so far */
    uint32_t unit_rest; /* functions that the open unit still takes */
    uint64_t name;      /* offset of the next function's name */
    struct debug_unit *unit;
    uint32_t units;
};

static bool reserve_rows(struct composer *c, uint64_t most)
{
    struct bytes *programs = &c->b->programs;
    size_t used = (size_t)(c->rows.p - programs->data);
    if (programs->capacity - used < most) {
        programs->size = used;
        bytes_append(programs, NULL, most);
        if (programs->failed)
            return false;
        c->rows.p = programs->data + used;
    }
    return true;
}

static uint64_t function_end(const struct composer *c)
{
    const struct debug_function *f = &c->l->debug_functions[c->functions - 1];
    return f->offset + (uint64_t)f->size;
}

static void close_unit(struct composer *c)
{
    if (!c->unit)
        return;
    line_end(&c->rows, function_end(c));
    c->unit->program_size = (size_t)(c->rows.p - c->b->programs.data) - c->unit->program;
    c->unit = NULL;
}

static void open_unit(struct composer *c, uint64_t offset)
{
    uint64_t average = c->l->plan->profile->dwarf.units > 0 ? (uint64_t)c->l->plan->profile->dwarf.units : PLAN_UNITS;
    uint64_t r = random_at(c->l->row->key + 5, c->units);
    c->unit = &c->l->debug.unit[c->units++];
    *c->unit = (struct debug_unit){.first = c->functions, .program = (size_t)(c->rows.p - c->b->programs.data)};
    c->unit_rest = (uint32_t)(average / 2 + random_below(r, average + 1));
    c->unit_rest += c->unit_rest == 0;
    c->line = DEBUG_LINE_FIRST + (uint32_t)(r & 63);
    line_begin(&c->rows, offset);
}

static struct debug_function *begin_function(struct composer *c, uint64_t offset, uint64_t size, uint64_t most)
{
    if (c->unit && (!c->unit_rest || c->line > DEBUG_LINE_MOST - 4096))
        close_unit(c);
    if (!reserve_rows(c, most + LINE_BEGIN + LINE_END_MOST))
        return NULL;
    if (!c->unit)
        open_unit(c, offset);
    c->unit_rest--;
    c->unit->count++;
    struct debug_function *f = &c->l->debug_functions[c->functions++];
    *f = (struct debug_function){.offset = (uint32_t)offset, .size = (uint32_t)size, .line = (uint16_t)c->line};
    f->result = BASE_UNSIGNED_LONG;
    f->parameter_place = CODE_PARAMETER_PLACE;
    f->local_place = CODE_LOCAL_PLACE;
    return f;
}

static bool describe_glue(struct composer *c)
{
    struct library *l = c->l;
    const struct name_of_glue {
        enum glue_function which;
        bool is_static;
    } order[] = {
        {GLUE_PYINIT, false}, {GLUE_METHOD, true}, {GLUE_VISITED, true}, {GLUE_ENTRY, false}, {GLUE_EXTERN, false}};
    uint64_t functions_names = names_bytes(&l->plan->names, (uint32_t)strlen(l->row->name) + 4, 0, l->row->functions);
    uint64_t entry_name = functions_names;
    uint64_t extern_name = entry_name + strlen(l->shape.entry) + 1;
    uint64_t pyinit_name = extern_name + (l->shape.has_extern ? strlen(l->row->name) + sizeof "_extern" : 0);
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++) {
        const struct glue_place *place = &l->glue.place[order[i].which];
        if (!place->size)
            continue;
        struct debug_function *f = begin_function(c, place->offset, place->size, glue_rows_most(&l->code));
        if (!f)
            return false;
        f->name = (uint32_t)(order[i].which == GLUE_ENTRY    ? entry_name
                             : order[i].which == GLUE_EXTERN ? extern_name
                                                             : pyinit_name);
        if (order[i].which != GLUE_ENTRY && order[i].which != GLUE_EXTERN)
            f->result = BASE_POINTER;
        if (order[i].is_static) {
            struct debug *d = &l->debug;
            f->is_static = true;
            f->name = (uint32_t)(d->names_size + d->statics_size);
            char *at = d->statics + d->statics_size;
            strcpy(stpcpy(at, l->row->name), order[i].which == GLUE_METHOD ? "_method" : "_visited");
            d->statics_size += (uint32_t)strlen(at) + 1;
            f->parameters = 2; /* self, args */
            f->type[0] = f->type[1] = BASE_POINTER;
            f->parameter_place = -24;
            f->variety = (uint32_t)l->row->key;
        }
        glue_rows(&l->code, &l->glue, &l->shape, order[i].which, &c->rows, &c->line);
        c->line += 3;
    }
    return true;
}

static bool describe_functions(struct composer *c)
{
    struct library *l = c->l;
    uint32_t stem = (uint32_t)strlen(l->row->name) + 4;
    for (uint32_t i = 0; i < l->row->functions; i++) {
        const struct body *b = &l->body[i];
        struct debug_function *d = begin_function(c, b->offset, b->size, code_rows_most(&l->code, b->pieces, b->size));
        if (!d)
            return false;
        struct function f = function_of(l->row->key, i);
        d->name = (uint32_t)c->name;
        d->parameters = (uint8_t)f.count;
        for (uint32_t j = 0; j < f.count; j++)
            d->type[j] = debug_types[f.type[j]];
        d->variety = (uint32_t)(f.hash >> 32);
        d->locals = c->lean ? 0 : d->variety % (FILLER_SLOTS - 1);
        c->name += names_length(&l->plan->names, stem + names_digits(i)) + UINT64_C(1);
        code_rows(&l->code, i, b, c->lean, &c->rows, &c->line);
        c->line += 3 + (d->variety >> 28 & 3);
    }
    return true;
}

static bool describe(struct builder *b, bool lean, struct error *e)
{
    struct library *l = &b->library;
    const struct plan_library *row = l->row;
    uint64_t functions = (uint64_t)row->functions + GLUE_COUNT;
    l->debug.unit = arena_zeroed(&b->arena, functions + 1, sizeof *l->debug.unit);
    l->debug_functions = arena_take(&b->arena, functions * sizeof *l->debug_functions);
    if (!l->debug.unit || !l->debug_functions)
        return error_set(e, ERROR_MEMORY, "out of memory for %s", row->name);
    l->debug.statics_size = 0;
    struct composer c = {.l = l, .b = b, .lean = lean};
    c.rows.p = b->programs.data;
    if (!describe_glue(&c) || !describe_functions(&c))
        return error_set(e, ERROR_MEMORY, "out of memory for %s", row->name);
    close_unit(&c);
    l->debug.function = l->debug_functions;
    l->debug.unit_count = c.units;
    l->debug.programs = b->programs.data;
    return debug_fill(&l->debug, row->size[SIZE_DEBUG], &b->arena, e);
}

static bool size_debug(struct builder *b, struct error *e)
{
    struct library *l = &b->library;
    if (l->plan->without_debug)
        return true;
    struct debug *d = &l->debug;
    d->corpus = &l->stock->corpus;
    d->variety = l->row->key + 6;
    d->source_stem = l->row->name;
    d->sources = b->sources;
    uint64_t stem = strlen(l->row->name);
    d->names_size = names_bytes(&l->plan->names, (uint32_t)stem + 4, 0, l->row->functions);
    if (l->shape.python)
        d->names_size += strlen(l->shape.entry) + 1 + sizeof "PyInit_" + stem;
    if (l->shape.has_extern)
        d->names_size += stem + sizeof "_extern";
    /* First with a row for every instruction and locals; where that is more than
     * is wanted, with the least that a debugger needs. */
    bool filled = describe(b, false, e) || (e->code == ERROR_INFEASIBLE && describe(b, true, e));
    b->sources = d->sources;
    if (!filled)
        return false;
    l->layout.section[SECTION_DEBUG_ARANGES].size = d->aranges;
    l->layout.section[SECTION_DEBUG_INFO].size = d->info;
    l->layout.section[SECTION_DEBUG_ABBREV].size = d->abbrev;
    l->layout.section[SECTION_DEBUG_LINE].size = d->line;
    l->layout.section[SECTION_DEBUG_STR].size = d->str;
    l->layout.section[SECTION_DEBUG_LINE_STR].size = d->line_str;
    return true;
}

bool library_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                  struct error *e)
{
    struct library *l = &b->library;
    const struct plan_library *row = &plan->library[index];
    arena_reset(&b->arena);
    if (!start_library(l, plan, row, stock, &b->arena) || !number_slots(l, &b->arena))
        return error_set(e, ERROR_MEMORY, "out of memory for %s", row->name);
    l->code.slot = l->slot;
    shape_sections(plan, row, &l->shape, &l->layout);
    if (!size_code(l, &b->arena, e))
        return false;
    size_objects(l);
    if (!size_debug(b, e))
        return false;
    if (!plan->stripped)
        l->layout.section[SECTION_STRTAB].size = l->shape.strtab + row->local_names;
    if (l->shape.python)
        l->result = evaluate_entry(plan, row, &l->calls);
    if (!layout_place(&l->layout, e)) {
        char text[sizeof e->text];
        memcpy(text, e->text, sizeof text);
        return error_set(e, ERROR_INFEASIBLE, "%s.so: %.600s", row->name, text);
    }
    return true;
}

/* --- write pass -------------------------------------------------------------- */

static bool reserve_image(struct builder *b, uint64_t size)
{
    if (size <= b->capacity)
        return true;
    free(b->image);
    b->capacity = 0;
    /* a little more, so that libraries of about one size share one allocation;
     * stamps may write a few bytes beyond what they keep */
    size_t capacity = (size + size / 4 + (UINT64_C(1) << 21)) & ~((UINT64_C(1) << 21) - 1);
    b->image = aligned_alloc(1 << 21, capacity);
    if (!b->image)
        return false;
    b->capacity = capacity - 64;
    return true;
}

static void write_code(struct library *l, uint8_t *image)
{
    uint8_t *text = image + l->layout.section[SECTION_TEXT].offset;
    uint64_t size = l->layout.section[SECTION_TEXT].size;
    l->code.image = text;
    glue_write(&l->code, &l->glue, &l->shape, &l->at);
    for (uint32_t i = 0; i < l->row->functions; i++)
        code_write(&l->code, i, &l->body[i]);
    for (unsigned i = 0; i < GLUE_COUNT; i++) {
        const struct glue_place *g = &l->glue.place[i];
        if (g->size)
            code_pad(text + g->offset + g->size, align_code(g->size) - g->size);
    }
    for (uint32_t i = 0; i < l->row->functions; i++) {
        uint64_t end = l->body[i].offset + (uint64_t)l->body[i].size;
        uint64_t next = i + 1 < l->row->functions ? l->body[i + 1].offset : size;
        code_pad(text + end, (uint32_t)(next - end));
    }
    const struct section *init = &l->layout.section[SECTION_INIT];
    glue_write_init(image + init->offset, init->address, image + l->layout.section[SECTION_FINI].offset,
                    l->at.got_gmon_start);
}

static bool write_unwind(struct library *l, uint8_t *image, struct arena *arena)
{
    uint32_t count = 0;
    struct unwind_function *f = arena_take(arena, ((uint64_t)l->row->functions + GLUE_COUNT) * sizeof *f);
    if (!f)
        return false;
    for (unsigned i = GLUE_PYINIT; i < GLUE_COUNT; i++)
        if (l->glue.place[i].size)
            f[count++] = (struct unwind_function){l->code.text + l->glue.place[i].offset, l->glue.place[i].size};
    for (uint32_t i = 0; i < l->row->functions; i++)
        f[count++] = (struct unwind_function){l->code.text + l->body[i].offset, l->body[i].size};
    unwind_write(&l->layout, image, f, count, (uint32_t)plan_unwind_entry(l->plan));
    return true;
}

static void write_debug(struct library *l, uint8_t *image)
{
    const struct section *s = l->layout.section;
    if (l->plan->without_debug)
        return;
    const struct debug_places places = {
        .aranges = image + s[SECTION_DEBUG_ARANGES].offset,
        .info = image + s[SECTION_DEBUG_INFO].offset,
        .abbrev = image + s[SECTION_DEBUG_ABBREV].offset,
        .line = image + s[SECTION_DEBUG_LINE].offset,
        .str = image + s[SECTION_DEBUG_STR].offset,
        .line_str = image + s[SECTION_DEBUG_LINE_STR].offset,
    };
    /* the names of its own functions stand in .dynstr behind those of its imports */
    debug_write(&l->debug, l->code.text, image + s[SECTION_DYNSTR].offset + 1 + l->row->import_names, &places);
}

bool library_write(struct builder *b, struct error *e)
{
    struct library *l = &b->library;
    if (!reserve_image(b, l->layout.file_size))
        return error_set(e, ERROR_MEMORY, "out of memory for an image of %llu bytes",
                         (unsigned long long)l->layout.file_size);
    uint8_t *image = b->image;
    uint32_t *plt_symbols = arena_take(&b->arena, (l->shape.plt + UINT64_C(1)) * sizeof *plt_symbols);
    tables_addresses(l);
    if (!plt_symbols || !symbols_write(l, image, &b->arena, plt_symbols) || !write_unwind(l, image, &b->arena))
        return error_set(e, ERROR_MEMORY, "out of memory for %s", l->row->name);
    plt_write(&l->layout, image, l->shape.plt, plt_symbols);
    write_code(l, image);
    tables_write(l, image);
    write_debug(l, image);
    layout_write(&l->layout, image);
    return true;
}

void builder_free(struct builder *b)
{
    arena_free(&b->arena);
    bytes_free(&b->programs);
    bytes_free(&b->sources);
    free(b->image);
    b->image = NULL;
    b->capacity = 0;
}
