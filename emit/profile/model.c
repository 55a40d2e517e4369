/* See model.h. */
#include "emit/profile/model.h"

#include <stdlib.h>
#include <string.h>

/* The values that grow with a library, from one to another in the order of PROFILE_ROW_VALUES. */
static const struct {
    enum row_value first, last;
} counted[] = {
    {ROW_TEXT, ROW_PLT},
    {ROW_USED, ROW_USED},
    {ROW_DATA_REL_RO, ROW_DATA_REL_RO},
    {ROW_TLS, ROW_CONSTRUCTOR_BSS},
    {ROW_UNWIND_ENTRIES, ROW_DESTRUCTORS},
    {ROW_MANGLED, ROW_METHODS},
    {ROW_DYNAMIC_FUNCTIONS, ROW_SHARE_OTHER},
    {ROW_DWARF_UNITS, ROW_DWARF_TYPE_UNITS},
    {ROW_DWARF_CODE, ROW_DWARF_ENTRIES},
    {ROW_DWARF_ENTRY_VALUES, ROW_DWARF_TYPE_NAMES},
    {ROW_MIX_INFO, ROW_MIX_OTHER},
    {ROW_ZSTD_TEXT, ROW_ZSTD_NAMES},
};
enum { COUNTED = sizeof counted / sizeof counted[0] };

uint32_t profile_model_scale(const struct profile_row *row)
{
    const int64_t scale = row->value[ROW_DEBUG] / MODEL_BYTES;
    return scale > 1 ? (uint32_t)(scale < UINT32_MAX ? scale : UINT32_MAX) : 1;
}

bool profile_model_helps(const struct profile *p)
{
    bool any = false;
    for (uint32_t i = 0; i < p->rows; i++) {
        if (profile_row_is_split(&p->row[i])) /* what it says was made up, and changes again */
            return false;
        any |= profile_model_scale(&p->row[i]) > 1;
    }
    return any;
}

/* What there is at least stays there. */
static int64_t divided(int64_t value, uint32_t scale)
{
    return value > 0 && value < scale ? 1 : value > 0 ? value / scale : value;
}

static void divide(struct profile_row *row, uint32_t scale)
{
    for (unsigned i = 0; i < COUNTED; i++)
        for (enum row_value v = counted[i].first; v <= counted[i].last; v++)
            row->value[v] = divided(row->value[v], scale);
}

/* Gives the row edges of its own. A library takes no more from another than that one has in the model. */
static bool copy_edges(struct profile_row *row, const struct profile *p, uint32_t scale)
{
    const struct profile_edge *const from = row->edge;
    row->edge = malloc((row->edges + (size_t)1) * sizeof *row->edge);
    for (uint32_t i = 0; row->edge && i < row->edges; i++) {
        const uint32_t of_other = profile_model_scale(&p->row[from[i].row]);
        row->edge[i] = from[i];
        row->edge[i].symbols = (uint32_t)divided(from[i].symbols, scale > of_other ? scale : of_other);
    }
    return row->edge;
}

bool profile_model_make(struct profile *model, const struct profile *p, struct error *e)
{
    *model = *p;
    model->row = calloc(p->rows + (size_t)1, sizeof *model->row);
    bool ok = model->row;
    for (uint32_t i = 0; ok && i < p->rows; i++) {
        const uint32_t scale = profile_model_scale(&p->row[i]);
        struct profile_row *const row = &model->row[i];
        *row = p->row[i];
        row->scale = scale > 1 ? scale : 0;
        divide(row, scale);
        ok = copy_edges(row, p, scale);
        for (enum size_kind k = 0; k < SIZE_KINDS; k++)
            if (model->sections[k] != PROFILE_DERIVED)
                model->sections[k] += row->value[ROW_TEXT + k] - p->row[i].value[ROW_TEXT + k];
    }
    return ok || error_set(e, ERROR_MEMORY, "out of memory");
}

void profile_model_free(struct profile *model)
{
    for (uint32_t i = 0; model->row && i < model->rows; i++)
        free(model->row[i].edge);
    free(model->row);
    *model = (struct profile){.row = NULL};
}
