/* The write pass of a library; see library.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge.h"
#include "elf/write/plt.h"
#include "emit/library/cold.h"
#include "emit/library/exceptions.h"
#include "emit/library/files.h"
#include "emit/library/indexed.h"
#include "emit/library/join.h"
#include "emit/library/large.h"
#include "emit/library/library.h"
#include "emit/library/small.h"
#include "emit/library/symbols.h"
#include "emit/library/tables.h"
#include "emit/library/taste.h"
#include "emit/library/unwound.h"

enum { FRAMED_TABLES = 2 /* parts of the PLT with unwind entries of their own */ };

static bool reserve_image(struct builder *b, struct error *e)
{
    const uint64_t size = b->library.layout.file_size;
    if (size <= b->capacity)
        return true;
    free(b->image);
    b->capacity = 0;
    /* a quarter more, so that libraries of about one size share one allocation; BYTES_STEP more, because stamps may
     * write a few bytes beyond what they keep */
    b->image = huge_alloc(size + size / 4 + BYTES_STEP, &b->capacity);
    if (!b->image)
        return error_set(e, ERROR_MEMORY, "out of memory for an image of %llu bytes", (unsigned long long)size);
    b->capacity -= BYTES_STEP;
    return true;
}

/* `window`: of a large library's image, or NULL. */
static void write_code(struct library *l, uint8_t *image, struct window *window)
{
    const struct section *const section = &l->layout.section[SECTION_TEXT];
    uint8_t *text = image + section->offset + l->lead;
    l->code.image = text;
    code_begin(&l->code);
    cold_write(l);
    glue_write(&l->code, &l->glue, &l->shape, &l->at);
    for (unsigned i = 0; i < GLUE_COUNT; i++) {
        const struct glue_place *g = &l->glue.place[i];
        if (g->size)
            code_pad(text + g->offset + g->size, code_aligned(g->size, CODE_ALIGN) - g->size);
    }
    for (uint32_t i = 0; i < l->row->functions; i++) {
        code_write(&l->code, i, &l->body[i]);
        uint64_t end = l->body[i].offset + (uint64_t)l->body[i].size;
        uint64_t next = i + 1 < l->row->functions ? l->body[i + 1].offset : l->small;
        code_pad(text + end, (uint32_t)(next - end));
        if (window)
            window_advance(window, SECTION_TEXT, l->lead + next);
    }
    small_write(l);
    code_pad(image + section->offset + section->size - l->text_tail, l->text_tail);
}

static void write_init(const struct library *l, uint8_t *image)
{
    const struct section *init = &l->layout.section[SECTION_INIT];
    glue_write_init(image + init->offset, init->address, image + l->layout.section[SECTION_FINI].offset,
                    l->at.got_gmon_start, plan_landing(l->row));
}

/* Spreads over `count` entries what is left of the room that all have beyond what they need. */
static void spread_unwind(struct unwind_function *f, uint32_t count, uint64_t left)
{
    for (uint32_t i = 0; i < count; i++)
        f[i].more += (uint32_t)(left / count + (i < left % count));
}

/* Sets where numbered functions, of which `f` is the first, have instructions, as far as their entries are longer. */
static bool place_unwind(const struct library *l, struct unwind_function *f, struct arena *arena)
{
    uint64_t places = 0;
    for (uint32_t i = 0; i < l->row->functions; i++)
        places += f[i].more ? unwound_places(l, i, NULL) : 0;
    uint32_t *place = places ? arena_take(arena, places * sizeof *place) : NULL;
    for (uint32_t i = 0; place && i < l->row->functions; i++) {
        if (!f[i].more)
            continue;
        f[i].place = place;
        f[i].places = unwound_places(l, i, place);
        place += f[i].places;
    }
    return place || !places;
}

/* Makes the entries of all functions as long together as they are to be: those of numbered functions, of which `first`
 * is the first, or of all if there are none. */
static bool fill_unwind(const struct library *l, struct unwind_function *f, uint32_t count, uint32_t first,
                        struct arena *arena)
{
    uint64_t left = library_is_part(l) ? 0 : l->row->extra.unwound.spare;
    for (uint32_t i = 0; i < count; i++)
        left -= f[i].more;
    if (l->row->functions)
        spread_unwind(f + first, l->row->functions, left);
    else
        spread_unwind(f, count, left);
    return place_unwind(l, f + first, arena);
}

/* Sets what a cold part's function leads to. Returns the place behind its last step. */
static struct unwind_step *unwind_cold(const struct library *l, uint32_t part, struct unwind_step *step,
                                       struct unwind_function *f)
{
    const struct body *const host = &l->body[l->row->cold.host[part]];
    if (!unwound_has_steps(host))
        return step;
    struct unwind_step *const end = frame_inside(step, host->frame);
    f->more = unwound_part(host);
    f->step = step;
    f->steps = (uint32_t)(end - step);
    return end;
}

/* The functions that have an entry in the unwind tables, as they are listed. */
struct framed {
    const struct library *l;
    struct unwind_function *f;
    uint32_t count;
    struct unwind_step *step; /* where the next steps go */
    struct exceptions x;      /* the exception tables, which are written at the same time */
    bool landing;
};

/* Sets where `f` steps: `steps` of them, which were written at framed->step. */
static void take_steps(struct framed *framed, struct unwind_function *f, uint32_t steps)
{
    f->steps = steps;
    f->step = steps ? framed->step : NULL;
    framed->step += steps;
}

/* Parts of the PLT that are of one instruction each, and so have no frame. */
static void list_tables(struct framed *framed)
{
    static const enum section_id tables[] = {SECTION_PLT_GOT, SECTION_PLT_SECOND};
    static_assert(sizeof tables / sizeof tables[0] == FRAMED_TABLES, "room for each");
    for (unsigned i = 0; i < FRAMED_TABLES; i++) {
        const struct section *const s = &framed->l->layout.section[tables[i]];
        if (s->size)
            framed->f[framed->count++] =
                (struct unwind_function){.address = s->address, .size = s->size, .frameless = true};
    }
}

static void list_glue(struct framed *framed)
{
    const struct library *const l = framed->l;
    for (unsigned i = GLUE_CONSTRUCTOR; i < GLUE_COUNT; i++) {
        if (!l->glue.place[i].size)
            continue;
        const uint32_t steps = glue_steps(l->row, &l->glue, i, framed->step);
        struct unwind_function *const f = &framed->f[framed->count++];
        *f = (struct unwind_function){
            .address = l->code.text + l->glue.place[i].offset,
            .size = l->glue.place[i].size,
            .outermost = i == GLUE_START,
            .frameless = i != GLUE_START && !steps && !glue_is_pointed(l->row, i),
            .landing = framed->landing,
        };
        take_steps(framed, f, steps);
    }
}

static void list_numbered(struct framed *framed)
{
    const struct library *const l = framed->l;
    for (uint32_t i = 0; i < l->row->functions; i++) {
        const uint32_t steps = unwound_steps(l, i, framed->step);
        struct unwind_function *const f = &framed->f[framed->count++];
        *f = (struct unwind_function){.address = l->code.text + l->body[i].offset,
                                      .size = l->body[i].size,
                                      .more = l->body[i].unwind,
                                      .landing = framed->landing,
                                      .table = exceptions_of(&framed->x, i)};
        take_steps(framed, f, steps);
    }
}

/* Small functions; cold parts, which have lower addresses than all others, go to `part`. */
static void list_small(struct framed *framed, struct unwind_function *part)
{
    const struct library *const l = framed->l;
    struct small_walk walk = small_walk(l, 0);
    for (uint32_t i = 0; i < plan_small_all(l->row); i++) {
        const uint64_t address = small_walk_address(l, &walk);
        const uint32_t size = plan_small_size(l->row, i);
        const bool is_part = plan_is_cold(l->row, i);
        if (!size)
            continue;
        struct unwind_function *const small = is_part ? part++ : &framed->f[framed->count++];
        *small = (struct unwind_function){.address = address,
                                          .size = size,
                                          .frameless = true,
                                          .part = is_part,
                                          .table = exceptions_of_small(&framed->x, i)};
        if (is_part)
            framed->step = unwind_cold(l, i - l->row->cold.first, framed->step, small);
    }
}

/* Lists the functions that have an entry in the unwind tables, in the order of their addresses, and writes the
 * exception tables of those that have one. */
static struct unwind_function *list_framed(const struct library *l, uint8_t *image, struct arena *arena,
                                           uint32_t *count_of)
{
    struct framed framed = {.l = l, .landing = plan_landing(l->row) != 0};
    framed.f =
        arena_take(arena, (UINT64_C(0) + FRAMED_TABLES + l->row->functions + plan_small_all(l->row) + GLUE_COUNT) *
                              sizeof *framed.f);
    uint64_t steps = l->row->cold.count * UINT64_C(1) * FRAME_STEPS_MOST + GLUE_COUNT * GLUE_STEPS;
    for (uint32_t i = 0; i < l->row->functions; i++)
        steps += unwound_steps_most(&l->body[i]);
    framed.step = arena_take(arena, (steps + 1) * sizeof *framed.step);
    if (!framed.f || !framed.step || !exceptions_begin(&framed.x, l, image, arena))
        return NULL;
    if (!library_is_part(l))
        list_tables(&framed);
    struct unwind_function *const parts = &framed.f[framed.count];
    framed.count += l->row->cold.count;
    list_glue(&framed);
    const uint32_t first = framed.count;
    list_numbered(&framed);
    list_small(&framed, parts);
    exceptions_end(&framed.x);
    *count_of = framed.count;
    return fill_unwind(l, framed.f, framed.count, first, arena) ? framed.f : NULL;
}

static bool write_unwind(const struct library *l, uint8_t *image, struct arena *arena)
{
    uint32_t count;
    const struct unwind_function *f = list_framed(l, image, arena, &count);
    if (f)
        unwind_write(&l->layout, image, f, count, (uint32_t)plan_unwind_entry(l->plan, l->row), l->at.personality);
    if (f && l->joined)
        unwind_write_rows(image + l->layout.section[SECTION_EH_FRAME_HDR].offset, join_framed(l->joined));
    return f;
}

static bool write_unwind_part(const struct library *l, uint8_t *image, struct arena *arena)
{
    const struct section *frame = &l->layout.section[SECTION_EH_FRAME];
    const struct section *index = &l->layout.section[SECTION_EH_FRAME_HDR];
    const struct section *whole = l->joined->layout.section;
    const struct unwind_part part = {
        .frame = image + frame->offset,
        .index = image + index->offset,
        .before = frame->address - whole[SECTION_EH_FRAME].address,
        .frame_address = whole[SECTION_EH_FRAME].address,
        .index_address = whole[SECTION_EH_FRAME_HDR].address,
    };
    uint32_t count;
    const struct unwind_function *f = list_framed(l, image, arena, &count);
    if (f)
        unwind_write_part(&part, f, count, (uint32_t)plan_unwind_entry(l->plan, l->row));
    return f;
}

/* Fills .debug_str of a hollow library with its name and "_static", over and over. */
static void write_hollow(const struct library *l, uint8_t *image)
{
    static const char stem[] = "_static";
    const struct section *s = &l->layout.section[SECTION_DEBUG_STR];
    uint8_t *p = image + s->offset;
    const size_t name = strlen(l->row->name);
    for (uint64_t i = 0; i < s->size; i++) {
        const uint64_t at = i % (name + sizeof stem);
        p[i] = (uint8_t)(at < name ? l->row->name[at] : stem[at - name]);
    }
    p[s->size - 1] = '\0';
}

static void write_debug(const struct builder *b, uint8_t *image, const uint8_t *names)
{
    const struct library *const l = &b->library;
    if (l->row->debug.none)
        return;
    if (l->row->debug.hollow) {
        write_hollow(l, image);
        return;
    }
    if (indexed_is(l)) {
        indexed_write(b, image);
        return;
    }
    const struct debug_places places = files_debug_places(l, image);
    debug_write(&l->debug, names, &places);
}

/* Sections of a large library that are complete, and can go to the file, after the symbols, after the unwind tables
 * and after all tables. */
static const enum section_id symbol_sections[] = {SECTION_GNU_HASH, SECTION_HASH, SECTION_SYMTAB, SECTION_STRTAB,
                                                  SECTION_NONE};
static const enum section_id unwind_sections[] = {SECTION_EH_FRAME_HDR, SECTION_EH_FRAME, SECTION_GCC_EXCEPT_TABLE,
                                                  SECTION_NONE};
static const enum section_id table_sections[] = {SECTION_TEXT, SECTION_RODATA, SECTION_RELA_DYN, SECTION_DATA,
                                                 SECTION_NONE};

static void complete(struct window *window, const enum section_id *ids)
{
    for (; window && *ids != SECTION_NONE; ids++)
        window_complete(window, *ids);
}

/* Writes the slots that resolvers fill; resolvers take turns. */
static void write_irelative(const struct library *l, uint8_t *image)
{
    struct small_turn resolvers = small_resolvers(l);
    for (uint32_t i = l->irelative_first; i < l->shape.plt; i++)
        plt_write_irelative(&l->layout, image, i, small_next(l, &resolvers, GLUE_FRAME_DUMMY));
}

bool library_write(struct builder *b, struct error *e)
{
    struct library *l = &b->library;
    struct window *window = b->large ? &b->large->window : NULL;
    assert(window || !l->only_sizes);
    if (!window && !reserve_image(b, e))
        return false;
    uint8_t *image = window ? window->image : b->image;
    uint32_t *plt_symbols = arena_take(&b->arena, (l->shape.plt + UINT64_C(1)) * sizeof *plt_symbols);
    bool ok = plt_symbols && symbols_write(l, image, &b->arena, plt_symbols);
    complete(ok ? window : NULL, symbol_sections);
    ok = ok && write_unwind(l, image, &b->arena);
    if (!ok)
        return error_set(e, ERROR_MEMORY, "out of memory for %s", l->row->name);
    complete(window, unwind_sections);
    plt_write(&l->layout, image, l->shape.plt, plt_symbols);
    write_irelative(l, image);
    for (uint32_t i = 0; i < l->row->extra.plt.direct; i++)
        plt_write_direct(&l->layout, image, i, i ? l->at.got_extra + 8 * (i - UINT64_C(1)) : l->at.got_cxa_finalize);
    write_code(l, image, window);
    write_init(l, image);
    const bool steered = !large_is(l->plan, l->row); /* not all of a large library is in memory */
    tables_write(l, image, steered);
    if (steered && !taste_steer(l, image, &b->arena))
        return error_set(e, ERROR_MEMORY, "out of memory for %s", l->row->name);
    complete(window, table_sections);
    if (window && !window_is_well(window, e)) /* fail early: debug information, most of the work, is still to come */
        return false;
    /* .dynstr has the names of own functions behind those of imports, unless they are not dynamic */
    const uint8_t *names = image + l->layout.section[SECTION_DYNSTR].offset + 1 + l->row->names.imports;
    const bool is_apart =
        l->shape.inner || l->shape.local || l->row->glue.inner_entry || l->described < l->row->functions;
    if (is_apart && !l->row->debug.none && !l->row->debug.hollow &&
        !(names = (const uint8_t *)symbols_names(l, l->debug.names_size, &b->arena)))
        return error_set(e, ERROR_MEMORY, "out of memory for %s", l->row->name);
    l->own_names = names;
    if (b->large)
        return large_write_debug(b, names, e);
    write_debug(b, image, names);
    return files_write(b, e);
}

bool library_write_part(struct builder *b, struct error *e)
{
    struct library *l = &b->library;
    assert(!l->only_sizes);
    if (!reserve_image(b, e))
        return false;
    uint8_t *image = b->image;
    const uint8_t *names = image + l->layout.section[SECTION_STRTAB].offset;
    if (l->row->stripped && !l->row->debug.none)
        names = (const uint8_t *)symbols_names(l, l->debug.names_size, &b->arena);
    if (!l->row->stripped)
        symbols_write_part(l, join_base(l, SECTION_STRTAB), image);
    if (!names || !write_unwind_part(l, image, &b->arena))
        return error_set(e, ERROR_MEMORY, "out of memory for %s", l->row->name);
    write_code(l, image, NULL);
    tables_write_part(l, image);
    write_debug(b, image, names);
    return true;
}
