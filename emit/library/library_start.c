/* See library_start.h. */
#include "emit/library/library_start.h"

/* Lists the signatures of the library's numbered functions and of those it imports, because many passes ask for
 * them. */
static bool list_functions(struct library *l, struct arena *arena)
{
    const struct plan *plan = l->plan;
    struct function *own = arena_take(arena, (l->row->functions + UINT64_C(1)) * sizeof *own);
    struct function *imported = arena_take(arena, (l->calls.import_count + UINT64_C(1)) * sizeof *imported);
    if (!own || !imported)
        return false;
    for (uint32_t i = 0; i < l->row->functions; i++)
        own[i] = plan_function(l->row, i);
    for (uint32_t i = 0; i < l->calls.import_count; i++) {
        const struct import *import = &l->calls.import[i];
        imported[i] = plan_imported(&plan->library[import->library], import->function);
    }
    l->code.own = own;
    l->code.imported = imported;
    return true;
}

bool library_start(struct library *l, const struct plan *plan, const struct plan_library *row,
                   const struct stock *stock, struct arena *arena)
{
    stock = stock_of(stock, row);
    *l = (struct library){.plan = plan, .row = row, .stock = stock};
    l->shape = shape_of(plan, row);
    l->code = (struct code){
        .plan = plan, .library = row, .filler = stock ? &stock->filler : NULL, .blocks = stock ? &stock->blocks : NULL};
    if (row->kind == LIBRARY_MODULE || row->needs.edges) {
        if (!calls_make(plan, row, arena, &l->calls))
            return false;
        l->code.calls = &l->calls;
    }
    if (!list_functions(l, arena))
        return false;
    l->glue = glue_size(&l->code, &l->shape);
    for (unsigned i = 0; i < SHAPE_HELPERS; i++)
        l->code.helper[i] = l->glue.place[GLUE_HELPER + i].offset;
    return true;
}

uint64_t library_code_least(const struct plan *plan, const struct plan_library *row, struct arena *arena)
{
    struct library l;
    arena_reset(arena);
    if (!library_start(&l, plan, row, NULL, arena))
        return 0;
    uint64_t size = 0;
    for (uint32_t i = 0; i < row->functions; i++)
        size += code_aligned(code_least(&l.code, i), code_align(row));
    return size;
}
