/* Places of libraries' parts; see join.h. */
#include "emit/library/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/page.h"
#include "elf/write/plt.h"
#include "elf/write/unwind.h"
#include "emit/library/objects.h"
#include "emit/library/symbols.h"
#include "emit/library/tables.h"
#include "emit/plan/calls_rows.h"

/* Sections that have parts of libraries, besides those of debug information. */
static const enum section_id joined_sections[] = {
    SECTION_RELA_DYN,    SECTION_RELR_DYN, SECTION_TEXT, SECTION_RODATA, SECTION_EH_FRAME_HDR, SECTION_EH_FRAME,
    SECTION_DATA_REL_RO, SECTION_DATA,     SECTION_BSS,  SECTION_SYMTAB, SECTION_STRTAB,
};
enum {
    JOINED_SECTIONS = sizeof joined_sections / sizeof joined_sections[0],
    FRAME_END = 4, /* bytes that end .eh_frame */
};

static uint32_t index_of(const struct library *l)
{
    return (uint32_t)(l->row - l->plan->library);
}

bool join_start(struct joined *j, const struct plan *plan, uint32_t own)
{
    uint64_t functions = 0;
    *j = (struct joined){.plan = plan, .own = own, .part = calloc(plan->library_count, sizeof *j->part)};
    for (uint32_t i = 0; j->part && i < plan->utilities; i++) {
        const uint32_t index = plan_utility(plan, i);
        j->part[index].functions = (uint32_t)functions;
        functions += plan->library[index].functions;
    }
    j->function = calloc(functions + 1, sizeof *j->function);
    return j->part && j->function;
}

void join_free(struct joined *j)
{
    free(j->part);
    free(j->function);
    *j = (struct joined){.plan = NULL};
}

/* How many libraries of the set are in the executable. */
static uint32_t joined_libraries(const struct joined *j)
{
    return j->plan->library[j->own].kind == LIBRARY_STATIC ? plan_executable(j->plan) : 0;
}

uint32_t join_parts(const struct joined *j)
{
    return joined_libraries(j) + j->plan->inside;
}

uint32_t join_row(const struct joined *j, uint32_t part)
{
    const uint32_t libraries = joined_libraries(j);
    return part < libraries ? part : plan_inside(j->plan) + part - libraries;
}

/* --- sizes --------------------------------------------------------------------- */

/* Bytes at the beginning of a library's .data (__dso_handle) and .bss (completed.0) that are left out in the
 * executable. */
static uint64_t skipped_before(unsigned piece)
{
    return piece == SECTION_DATA || piece == SECTION_BSS ? 8 : 0;
}

/* The same for any section: of .text, what runs at load and unload is left out. */
static uint64_t skipped_of(const struct library *l, enum section_id id)
{
    if (l->shape.executable)
        return 0;
    return id == SECTION_TEXT ? l->glue.place[GLUE_PYINIT].offset : skipped_before(id);
}

bool join_packs(const struct joined *j)
{
    return j->plan->library[j->own].elf.relr;
}

static uint64_t part_size(const struct joined *j, const struct library *l, enum section_id id)
{
    const struct section *s = &l->layout.section[id];
    const uint64_t framed = l->row->functions + l->shape.glue;
    switch (id) {
    case SECTION_RELA_DYN:
        return join_packs(j) ? 0 : sizeof(Elf64_Rela) * (uint64_t)(l->shape.relative - TABLES_FILE_RELATIVE);
    case SECTION_RELR_DYN:
        return join_packs(j) ? shape_relr(l->plan, l->row, &l->shape, true) : 0;
    case SECTION_EH_FRAME_HDR:
        return unwind_header_size((uint32_t)framed, false) - unwind_header_size(0, false);
    case SECTION_EH_FRAME:
        return framed * plan_unwind_entry(l->plan, l->row);
    case SECTION_SYMTAB:
        return l->plan->stripped ? 0 : sizeof(Elf64_Sym) * symbols_part_locals(l);
    case SECTION_STRTAB:
        return l->plan->stripped ? 0 : symbols_part_strings(l);
    default:
        return s->size - skipped_of(l, id);
    }
}

static uint64_t debug_size(const struct library *l, enum debug_section s)
{
    return l->plan->without_debug ? 0 : l->debug.size[s] - debug_shared(&l->debug, s);
}

/* The executable's own part is all of it, except the four zero bytes that end .eh_frame. */
static void measure_own(const struct library *l, uint64_t size[PART_PIECES])
{
    const struct section *s = l->layout.section;
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_SHSTRTAB; id++)
        size[id] = s[id].size;
    size[SECTION_EH_FRAME] -= FRAME_END;
    size[SECTION_SYMTAB] = l->plan->stripped ? 0 : sizeof(Elf64_Sym) * (uint64_t)s[SECTION_SYMTAB].info;
    size[PART_GLOBALS] = s[SECTION_SYMTAB].size - size[SECTION_SYMTAB];
    for (enum debug_section d = 0; d < DEBUG_SECTION_COUNT; d++)
        size[library_debug_section(l, d)] = debug_size(l, d);
}

/* Measures the pieces of a library's part, from what was decided about the library. */
static void measure(const struct joined *j, const struct library *l, uint64_t size[PART_PIECES])
{
    memset(size, 0, PART_PIECES * sizeof *size);
    if (l->shape.executable) {
        measure_own(l, size);
        return;
    }
    for (unsigned i = 0; i < JOINED_SECTIONS; i++)
        size[joined_sections[i]] = part_size(j, l, joined_sections[i]);
    for (enum debug_section s = 0; s < DEBUG_SECTION_COUNT; s++)
        size[library_debug_section(l, s)] += debug_size(l, s);
    size[PART_GLOBALS] = l->plan->stripped ? 0 : sizeof(Elf64_Sym) * ((uint64_t)l->shape.defined + l->shape.inner);
}

void join_measure(struct joined *j, const struct library *l)
{
    struct part *part = &j->part[index_of(l)];
    const uint32_t skipped = (uint32_t)skipped_of(l, SECTION_TEXT);
    const struct glue_place *g = l->glue.place;
    measure(j, l, part->size);
    for (enum debug_section s = 0; s < DEBUG_SECTION_COUNT && !l->plan->without_debug; s++)
        part->shared[s] = (uint32_t)debug_shared(&l->debug, s);
    part->init = g[GLUE_PYINIT].offset - skipped;
    part->entry = g[GLUE_ENTRY].offset - skipped;
    part->own_extern = g[GLUE_EXTERN].offset - skipped;
    part->marks = (uint32_t)(l->code.marks - l->layout.section[SECTION_BSS].address - skipped_of(l, SECTION_BSS));
    part->marks_size = l->shape.marks;
    for (uint32_t i = 0; l->row->kind == LIBRARY_UTILITY && i < l->row->functions; i++)
        j->function[part->functions + i] = l->body[i].offset - skipped;
}

bool join_check(const struct joined *j, const struct library *l, struct error *e)
{
    uint64_t size[PART_PIECES];
    measure(j, l, size);
    for (unsigned i = 0; i < PART_PIECES; i++)
        if (size[i] != j->part[index_of(l)].size[i])
            return error_set(e, ERROR_MISMATCH, "%s: its part of %s takes %llu bytes in the executable, and took %llu",
                             l->row->name, layout_kind(i < SECTION_COUNT ? i : SECTION_SYMTAB)->name,
                             (unsigned long long)size[i], (unsigned long long)j->part[index_of(l)].size[i]);
    return true;
}

/* --- places ---------------------------------------------------------------------- */

enum { OBJECTS_ALIGN = 32 }; /* the largest alignment of objects */

/* Places one part's piece at or behind `at`; returns its end. Objects are as far from an aligned address as in the
 * library's own file, so that they have the same sizes. */
static uint64_t lay_part(struct part *part, unsigned piece, uint64_t skipped, uint64_t at)
{
    const bool objects = piece == SECTION_DATA || piece == SECTION_BSS;
    const uint64_t align = objects ? OBJECTS_ALIGN : piece < SECTION_COUNT ? layout_kind(piece)->align : 1;
    if (part->size[piece])
        at += (skipped - at) & (align - 1);
    part->base[piece] = at;
    return at + part->size[piece];
}

/* Places all parts of one piece, one behind the other, from `at` on; returns where the last ends. The executable's
 * own part is the first, with these exceptions: of relocations, the relative ones have to be in front; global
 * symbols of its own are few; and its constants and data may have any number of bytes. */
static uint64_t lay_piece(struct joined *j, unsigned piece, uint64_t at)
{
    struct part *own = &j->part[j->own];
    const bool own_last =
        piece == SECTION_RELA_DYN || piece == PART_GLOBALS || piece == SECTION_RODATA || piece == SECTION_DATA;
    if (!own_last)
        at = lay_part(own, piece, 0, at);
    for (uint32_t i = 0; i < join_parts(j); i++)
        at = lay_part(&j->part[join_row(j, i)], piece, skipped_before(piece), at);
    return own_last ? lay_part(own, piece, 0, at) : at;
}

static void share_strings(struct joined *j)
{
    memset(j->shared, 0, sizeof j->shared);
    for (uint32_t i = 0; i < j->plan->library_count; i++)
        for (unsigned s = 0; s < DEBUG_SECTION_COUNT; s++)
            if (j->part[i].shared[s] > j->shared[s])
                j->shared[s] = j->part[i].shared[s];
}

bool join_lay(struct joined *j, const struct library *own, struct error *e)
{
    struct layout *l = &j->layout;
    share_strings(j);
    *l = (struct layout){.page = own->layout.page,
                         .noseparate_code = own->layout.noseparate_code,
                         .without = own->layout.without,
                         .cf_protection = own->layout.cf_protection,
                         .relro = own->layout.relro,
                         .got_plt = own->layout.got_plt};
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++) {
        uint64_t before = id == SECTION_DEBUG_STR        ? j->shared[DEBUG_STR]
                          : id == SECTION_DEBUG_LINE_STR ? j->shared[DEBUG_LINE_STR]
                                                         : 0;
        l->section[id].size = lay_piece(j, id, before);
        l->section[id].info = own->layout.section[id].info;
        l->section[id].align = id == SECTION_DATA || id == SECTION_BSS ? OBJECTS_ALIGN : 0;
    }
    l->section[SECTION_EH_FRAME].size += FRAME_END;
    l->section[SECTION_SYMTAB].info = (uint32_t)(l->section[SECTION_SYMTAB].size / sizeof(Elf64_Sym));
    l->section[SECTION_SYMTAB].size = lay_piece(j, PART_GLOBALS, l->section[SECTION_SYMTAB].size);
    if (!layout_place(l, e))
        return false;
    l->entry = join_address(j, j->own, SECTION_TEXT, own->glue.place[GLUE_START].offset);
    for (uint32_t i = 0; i < shape_python_functions(own->row); i++)
        j->python[i] = plt_address(l, own->at.python_slot + i);
    return true;
}

/* The image of a part is no file. Its sections stand in their order, each as far into a page as in the executable's
 * file, because the kernel then copies them twice as fast. */
static void place_image(struct library *l)
{
    const struct joined *j = l->joined;
    uint64_t at = 0;
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++) {
        struct section *s = &l->layout.section[id];
        if (!s->size || layout_kind(id)->type == SHT_NOBITS)
            continue;
        const uint64_t file = j->layout.section[id].offset + join_base(l, id) - skipped_of(l, id);
        s->offset = at + ((file - at) & (PAGE - 1));
        at = s->offset + s->size;
    }
    l->layout.file_size = at;
}

void join_place(struct library *l)
{
    const struct joined *j = l->joined;
    const uint32_t index = index_of(l);
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++) {
        struct section *s = &l->layout.section[id];
        if (!j->part[index].size[id])
            continue; /* the executable has no such section */
        s->index = j->layout.section[id].index;
        if (layout_kind(id)->flags & SHF_ALLOC)
            s->address = join_address(j, index, id, 0) - skipped_of(l, id);
    }
    for (enum debug_section s = 0; s < DEBUG_SECTION_COUNT; s++)
        l->joins.base[s] = (uint32_t)j->part[index].base[library_debug_section(l, s)];
    if (library_is_part(l))
        place_image(l);
}

static uint64_t extern_address(const struct library *l, uint32_t module)
{
    return join_address(l->joined, module, SECTION_TEXT, l->joined->part[module].own_extern);
}

bool join_targets(struct library *l, struct arena *arena)
{
    const struct joined *j = l->joined;
    const struct shape *s = &l->shape;
    uint64_t *target = arena_zeroed(arena, s->plt + s->direct + UINT64_C(1), sizeof *target);
    if (!target)
        return false;
    if (s->python) {
        memcpy(target + l->at.python_slot, j->python, shape_python_functions(l->row) * sizeof *j->python);
        target[l->at.entry_slot] = l->code.text + l->glue.place[GLUE_ENTRY].offset;
    }
    if (s->extern_called >= 0)
        target[l->at.extern_before_slot] = extern_address(l, (uint32_t)s->extern_called);
    if (s->calls_own_extern)
        target[l->at.own_extern_slot] = extern_address(l, index_of(l));
    for (uint32_t i = 0; i < l->row->imports - plan_uncalled(l->row); i++) {
        const struct import *import = &l->calls.import[l->row->said ? calls_row_called(l->row, i) : i];
        const uint32_t utility = import->library;
        const uint32_t place = j->function[j->part[utility].functions + import->function];
        target[l->code.import_slot + i] = join_address(j, utility, SECTION_TEXT, place);
    }
    for (uint32_t i = 0; i < l->row->functions; i++)
        if (l->slot[i] != CODE_NO_SLOT)
            target[l->slot[i]] = l->code.text + l->body[i].offset;
    l->code.target = target;
    return true;
}

uint32_t join_framed(const struct joined *j)
{
    const uint64_t head = unwind_header_size(0, false);
    return (uint32_t)((j->layout.section[SECTION_EH_FRAME_HDR].size - head) / (unwind_header_size(1, false) - head));
}

bool join_piece(const struct library *l, unsigned piece, struct piece_place *place)
{
    const enum section_id id = piece < SECTION_COUNT ? piece : SECTION_SYMTAB;
    const struct part *part = &l->joined->part[index_of(l)];
    if (!part->size[piece] || layout_kind(id)->type == SHT_NOBITS)
        return false;
    *place = (struct piece_place){
        .image = l->layout.section[id].offset + skipped_of(l, id) + (piece == PART_GLOBALS ? part->size[id] : 0),
        .file = l->joined->layout.section[id].offset + part->base[piece],
        .size = part->size[piece],
    };
    return true;
}
