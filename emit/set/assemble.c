/* See assemble.h. */
#include "emit/set/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/same.h"
#include "base/workers.h"
#include "elf/write/output.h"
#include "emit/set/digest_pieces.h"

enum { NEAR_BYTES = 1 << 26 }; /* more bytes than the executable itself brings */

/* What the threads that write the executable share. */
struct writing {
    const struct assembly *a;
    struct output output;
    struct digest_pieces digest;
};

/* --- what cannot be ---------------------------------------------------------------- */

static bool refuse_variant(const struct plan *plan, const char *what, struct error *e)
{
    if (plan->executables.joined)
        return error_set(e, ERROR_USAGE, "--static makes no executable with %s; leave out one of the two", what);
    return error_set(e, ERROR_USAGE, "--bigexe makes no executable with %s and more than %llu B; give it less", what,
                     (unsigned long long)EXECUTABLE_WHOLE);
}

static bool check_variant(const struct plan *plan, bool sources, struct error *e)
{
    const struct profile *p = plan->profile;
    if (sources && plan->inside)
        return error_set(e, ERROR_USAGE,
                         "--sources writes none of an executable with more than %llu B of its own; "
                         "leave it out, or give --bigexe less",
                         (unsigned long long)EXECUTABLE_WHOLE);
    if (p->dwarf.compress != COMPRESS_NONE)
        return refuse_variant(plan, "compressed debug sections ('compress')", e);
    if (p->dwarf.separate != SEPARATE_NONE)
        return refuse_variant(plan, "a file of its own for debug information ('separate')", e);
    if (p->dwarf.split)
        return refuse_variant(plan, "split debug information ('split')", e);
    if (p->dwarf.compiler == COMPILER_CLANG)
        return refuse_variant(plan, "clang's form of debug information ('compiler: clang')", e);
    if (p->dwarf.index)
        return refuse_variant(plan, "an index of names ('index')", e);
    if (p->dwarf.type_units)
        return refuse_variant(plan, "type units ('type-units')", e);
    return true;
}

bool assemble_check(const struct plan *plan, bool sources, struct error *e)
{
    uint64_t loaded = 0;
    if (!plan->executables.joined && !plan->inside)
        return true;
    if (!check_variant(plan, sources, e))
        return false;
    if (!plan->executables.joined)
        return true;
    for (uint32_t i = 0; i < plan_executable(plan); i++) {
        const struct plan_library *l = &plan->library[i];
        const struct shape s = shape_of(plan, l);
        loaded += l->size[SIZE_TEXT] - s.text_tables + l->size[SIZE_DATA] - s.data_tables + l->size[SIZE_BSS];
    }
    if (loaded >= UINT64_C(1) << 31)
        return error_set(e, ERROR_INFEASIBLE,
                         EXECUTABLE_STATIC ": code and data of all libraries together, more than %llu bytes, would go "
                                           "beyond the 2 GiB that calls and references reach; lower the profile's "
                                           "sections, or leave out --static",
                         (unsigned long long)loaded);
    return true;
}

bool assemble_is_near(const struct plan *plan)
{
    uint64_t loaded = 0;
    uint64_t largest[] = {0, 0, 0};
    for (uint32_t i = 0; i < plan_executable(plan); i++) {
        const uint64_t *size = plan->library[i].size;
        loaded += size[SIZE_TEXT] + size[SIZE_DATA] + size[SIZE_BSS];
        largest[0] += size[SIZE_DEBUG];
        largest[1] += size[SIZE_SYMTAB];
        largest[2] += size[SIZE_STRTAB];
    }
    return loaded >= (UINT64_C(1) << 31) - NEAR_BYTES || largest[0] >= UINT32_MAX || largest[1] >= UINT32_MAX ||
           largest[2] >= UINT32_MAX;
}

static bool refuse_layout(const struct plan_library *own, struct error *e)
{
    char text[sizeof e->text];
    memcpy(text, e->text, sizeof text);
    return error_set(e, ERROR_INFEASIBLE, "%s: %.400s; %s", plan_stem(own), text,
                     own->kind == LIBRARY_STATIC ? "lower the profile's sections, or leave out --static"
                                                 : "give --bigexe less");
}

/* --- writing ------------------------------------------------------------------------ */

static bool put(const struct writing *w, const uint8_t *bytes, uint64_t size, uint64_t offset, struct error *e)
{
    digest_pieces_add(&w->digest, bytes, size, offset);
    return output_write(&w->output, bytes, size, offset, e);
}

static bool write_pieces(const struct writing *w, const struct builder *b, struct error *e)
{
    for (unsigned piece = SECTION_NONE + 1; piece < PART_PIECES; piece++) {
        struct piece_place place;
        if (join_piece(&b->library, piece, &place) && !put(w, b->image + place.image, place.size, place.file, e))
            return false;
    }
    return true;
}

/* Writes one part. The last part is what the executable itself brings. */
static bool write_part(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct writing *w = context;
    const struct assembly *a = w->a;
    const struct plan *plan = a->joined.plan;
    const bool own = index == join_parts(&a->joined);
    struct builder *b = &a->builders->of[worker];
    if (worker == 0 && ranks_stopped(a->ranks, e))
        return false;
    b->joined = &a->joined;
    b->only_sizes = false;
    bool ok = library_size(b, plan, a->stock, own ? a->joined.own : join_row(&a->joined, index), e) &&
              join_check(&a->joined, &b->library, e) && (own ? library_write : library_write_part)(b, e) &&
              write_pieces(w, b, e);
    b->joined = NULL;
    if (ok)
        progress_step(a->progress);
    return ok;
}

/* Writes the strings that the debug information of all libraries shares. */
static bool write_shared(const struct writing *w, struct error *e)
{
    static const struct {
        enum debug_section debug;
        enum section_id section;
    } shared[] = {{DEBUG_STR, SECTION_DEBUG_STR}, {DEBUG_LINE_STR, SECTION_DEBUG_LINE_STR}};
    const struct joined *j = &w->a->joined;
    bool ok = true;
    for (unsigned i = 0; ok && i < sizeof shared / sizeof shared[0]; i++) {
        const uint64_t size = j->shared[shared[i].debug];
        uint8_t *bytes = size ? malloc(size) : NULL;
        if (!size)
            continue;
        if (!bytes)
            return error_set(e, ERROR_MEMORY, "out of memory for %llu bytes of strings", (unsigned long long)size);
        debug_write_shared(&w->a->stock->corpus, shared[i].debug, bytes, size);
        ok = put(w, bytes, size, j->layout.section[shared[i].section].offset, e);
        free(bytes);
    }
    return ok;
}

static bool read_back(const void *context, void *bytes, uint64_t size, uint64_t offset, struct error *e)
{
    const struct writing *w = context;
    return output_read(&w->output, bytes, size, offset, e);
}

static bool write_all(struct writing *w, struct set_file *file, struct error *e)
{
    const struct layout *l = &w->a->joined.layout;
    file->size = l->file_size;
    digest_pieces_start(&w->digest, l->file_size);
    const bool ok = output_write_headers(&w->output, l, e) && write_shared(w, e) &&
                    workers_run(w->a->builders->count, join_parts(&w->a->joined) + 1, write_part, w, e) &&
                    digest_pieces_end(&w->digest, read_back, w, file->digest, e);
    digest_pieces_free(&w->digest);
    return ok;
}

bool assemble_lay(struct assembly *a, struct error *e)
{
    const struct plan *plan = a->joined.plan;
    struct builder *b = &a->builders->of[0];
    b->only_sizes = true;
    if (!library_size(b, plan, a->stock, a->joined.own, e))
        return false;
    join_measure(&a->joined, &b->library);
    return join_lay(&a->joined, &b->library, e) || refuse_layout(&plan->library[a->joined.own], e);
}

static void record(struct set_library *out, const struct layout *l)
{
    const struct layout_sizes sizes = layout_count(l);
    out->size[SIZE_TEXT] = sizes.text;
    out->size[SIZE_DATA] = sizes.data;
    out->size[SIZE_DEBUG] = sizes.debug;
    out->size[SIZE_SYMTAB] = sizes.symtab;
    out->size[SIZE_STRTAB] = sizes.strtab;
    out->size[SIZE_BSS] = sizes.bss;
}

/* Fails unless pyelf-link is as large as the plan says. */
static bool check_sizes(const struct plan *plan, const struct plan_library *own, const uint64_t *size, struct error *e)
{
    for (unsigned kind = 0; own->kind == LIBRARY_LINK && kind < FIVE_SIZES; kind++)
        if (size[kind] != plan->link[kind])
            return error_set(e, ERROR_MISMATCH, "%s: came out with a size of %llu where the plan has %llu",
                             plan_stem(own), (unsigned long long)size[kind], (unsigned long long)plan->link[kind]);
    return true;
}

bool assemble(struct assembly *a, struct set_library *out, struct error *e)
{
    const struct plan_library *own = &a->joined.plan->library[a->joined.own];
    const char *name = plan_stem(own);
    struct writing w = {.a = a};
    char path[DIRECTORY_PATH_MOST];
    directory_path(a->directory, name, path);
    out->file = calloc(1, sizeof *out->file);
    if (!out->file)
        return error_set(e, ERROR_MEMORY, "out of memory for %s", name);
    snprintf(out->file->name, sizeof out->file->name, "%s", name);
    if (!assemble_lay(a, e))
        return false;
    record(out, &a->joined.layout);
    if (!check_sizes(a->joined.plan, own, out->size, e) ||
        !output_begin(&w.output, a->directory->fd, name, path, 0777, a->joined.layout.file_size, e))
        return false;
    const bool ok = write_all(&w, out->file, e);
    out->files = 1;
    if (ok && !a->directory->force && same_file(a->directory->fd, name, w.output.fd)) {
        out->file->kept = true;
        output_end(&w.output, false, NULL);
        return true;
    }
    return output_end(&w.output, ok && directory_change(a->directory, e), e);
}
