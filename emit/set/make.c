/* See make.h. */
#include "emit/set/make.h"

#include <stdlib.h>
#include <string.h>

#include "emit/library/files.h"
#include "emit/library/large.h"
#include "emit/plan/digest.h"
#include "emit/search/mix.h"
#include "emit/set/differences.h"

bool make_start(struct set *set, struct error *e)
{
    set->library = calloc(set->plan->library_count, sizeof *set->library);
    return set->library ||
           error_set(e, ERROR_MEMORY, "out of memory for a set of %u libraries", set->plan->library_count);
}

/* --- libraries ------------------------------------------------------------------------ */

bool make_has_file(const struct plan *plan, const struct plan_library *row)
{
    if (plan_is_executable(row))
        return !plan_is_joined(plan, row);
    return row->kind != LIBRARY_INSIDE && !plan->executables.alone;
}

bool make_is_planned(const struct plan *plan)
{
    return files_packing(plan) == PACK_NONE && !plan->split;
}

/* How many marks of this library are set when all entries are visited. */
static uint32_t marked(const struct plan *plan, const struct plan_library *l, const struct shape *s)
{
    return s->marks ? plan_visited_functions(plan, l) + s->marks - l->functions : 0;
}

static bool check_sizes(const struct set_library *made, const struct plan_library *row, struct error *e)
{
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++)
        if (made->size[kind] != row->size[kind])
            return error_set(e, ERROR_MISMATCH, "%s%s: came out with a size of %llu where the plan has %llu",
                             plan_stem(row), plan_ending(row), (unsigned long long)made->size[kind],
                             (unsigned long long)row->size[kind]);
    return true;
}

bool make_record(struct set_library *out, const struct builder *b, struct error *e)
{
    const struct library *l = &b->library;
    struct layout_sizes sizes = files_count(l);
    *out = (struct set_library){
        .size = {sizes.text, sizes.data, sizes.debug, sizes.symtab, sizes.strtab, sizes.bss},
        .marks = l->shape.marks,
        .marks_at = l->shape.marks && !l->shape.marks_exported ? l->code.marks : 0,
        .marked = marked(l->plan, l->row, &l->shape),
        .result = l->result,
        .split = files_are_split(l->row) ? files_debug_bytes(b) : 0,
    };
    memcpy(out->entry, l->shape.entry, sizeof out->entry);
    if (l->row->said && (out->differences = malloc(sizeof *out->differences)))
        differences_measure(l, out->differences);
    if (l->row->said && !out->differences)
        return error_set(e, ERROR_MEMORY, "out of memory for %s", l->row->name);
    return check_sizes(out, l->row, e);
}

void make_digest(struct set_file *out, const struct library_file *file)
{
    const XXH128_hash_t digest = XXH3_128bits(file->image, file->layout->file_size);
    *out = (struct set_file){.size = file->layout->file_size, .digest = {digest.high64, digest.low64}};
    memcpy(out->name, file->name, sizeof out->name);
}

static bool list_files(struct set_library *out, const struct builder *b, struct error *e)
{
    out->file = calloc(b->file_count, sizeof *out->file);
    return out->file || error_set(e, ERROR_MEMORY, "out of memory for %s", b->library.row->name);
}

bool make_library(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                  struct set_library *out, struct error *e)
{
    *out = (struct set_library){0};
    b->only_sizes = false;
    if (!mix_size(b, plan, stock, index, e) || !library_write(b, e) || !make_record(out, b, e) ||
        !list_files(out, b, e))
        return false;
    for (; out->files < b->file_count; out->files++)
        make_digest(&out->file[out->files], &b->files[out->files]);
    return true;
}

bool make_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
               struct set_library *out, struct error *e)
{
    *out = (struct set_library){0};
    if (files_are_split_as_said(&plan->library[index])) { /* only splitting tells what the files come to */
        b->only_sizes = false;
        return mix_size(b, plan, stock, index, e) && library_write(b, e) && make_record(out, b, e);
    }
    return mix_size_only(b, plan, stock, index, e) && make_record(out, b, e);
}

bool make_sizes(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                struct set_library *out, struct error *e)
{
    if (!make_size(b, plan, stock, index, out, e) || !files_list(b, e) || !list_files(out, b, e))
        return false;
    for (; out->files < b->file_count; out->files++) {
        const struct library_file *file = &b->files[out->files];
        out->file[out->files].size = file->layout->file_size;
        memcpy(out->file[out->files].name, file->name, sizeof file->name);
    }
    return true;
}

void make_forget(struct set_library *l)
{
    free(l->file);
    free(l->differences);
    *l = (struct set_library){0};
}

/* --- texts ---------------------------------------------------------------------------- */

bool make_text(const struct set *set, const char *name, make_text_function *text, struct bytes *out, struct error *e)
{
    char *start = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&start, &size);
    bool ok = f && text(f, set);
    ok = (!f || fclose(f) == 0) && ok;
    *out = (struct bytes){.data = (uint8_t *)start, .size = size};
    return ok || error_set(e, ERROR_MEMORY, "out of memory for %s", name);
}
