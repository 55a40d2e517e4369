/* See large.h. */
#include "emit/library/large.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/same.h"
#include "elf/write/output.h"
#include "emit/library/files.h"

#define LARGE_LEAST UINT64_C(256000000) /* bytes of the five sizes */

enum { FORGET_STEP = 1 << 22 }; /* bytes that are given back at once */

bool large_is(const struct plan *plan, const struct plan_library *row)
{
    const struct profile *p = plan->profile;
    uint64_t bytes = 0;
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++)
        bytes += row->size[kind];
    return bytes >= LARGE_LEAST && p->dwarf.compress == COMPRESS_NONE && row->debug.separate == SEPARATE_NONE &&
           !row->debug.split && !p->dwarf.index && p->dwarf.compiler == COMPILER_GCC && !row->debug.none &&
           !row->debug.hollow;
}

/* --- composing ---------------------------------------------------------------------- */

/* Gives back the memory of what has been composed so far. */
static void forget(struct large *large)
{
    struct composed *c = &large->builder->composed;
    struct bytes *const composed[] = {&c->info, &c->lists, &c->ranges, &c->programs};
    for (unsigned i = 0; i < sizeof composed / sizeof composed[0]; i++) {
        size_t *from = &large->forgotten[i];
        if (composed[i]->size - *from < FORGET_STEP)
            continue;
        bytes_forget(composed[i], *from, composed[i]->size);
        *from = composed[i]->size;
    }
}

static struct large *large_of(struct library_watch *watch)
{
    return (struct large *)(void *)((uint8_t *)watch - offsetof(struct large, watch));
}

static void forget_unit(struct library_watch *watch)
{
    forget(large_of(watch));
}

static void start(struct builder *b, void (*unit)(struct library_watch *watch))
{
    struct large *large = b->large;
    large->builder = b;
    large->watch.unit = unit;
    memset(large->forgotten, 0, sizeof large->forgotten);
    b->library.watch = &large->watch;
}

void large_describe(struct builder *b, enum describe_level level, const struct describe_goal *goal)
{
    struct large *large = b->large;
    large->level = level;
    large->goal = *goal;
    large->before = b->library.debug;
    start(b, forget_unit);
}

/* --- writing ------------------------------------------------------------------------ */

static void advance(struct large *large)
{
    const struct debug_writer *w = &large->writer;
    static const enum debug_section written[] = {DEBUG_ARANGES, DEBUG_INFO,   DEBUG_LINE,
                                                 DEBUG_LISTS,   DEBUG_RANGES, DEBUG_TYPES};
    for (unsigned i = 0; i < sizeof written / sizeof written[0]; i++)
        window_advance(&large->window, library_debug_section(&large->builder->library, written[i]),
                       (uint64_t)(w->at[written[i]] - w->places->section[written[i]]));
}

/* Whether the unit that is written next was composed as in the size pass. */
static bool is_as_settled(const struct large *large)
{
    const uint32_t i = large->writer.unit;
    const struct debug_unit *now = &large->builder->library.debug.unit[i];
    const struct debug_unit *then = &large->writer.d->unit[i];
    return i < large->writer.d->unit_count && now->start == then->start && now->end == then->end &&
           now->entries == then->entries && now->entries_size == then->entries_size && now->program == then->program &&
           now->program_size == then->program_size && now->named == then->named &&
           now->named_count == then->named_count;
}

static void compose_and_write_unit(struct library_watch *watch)
{
    struct large *large = large_of(watch);
    large->differs = large->differs || !is_as_settled(large);
    if (!large->differs) {
        debug_writer_unit(&large->writer);
        debug_writer_lists(&large->writer);
        advance(large);
    }
    forget(large);
}

bool large_write_debug(struct builder *b, const uint8_t *names, struct error *e)
{
    struct library *l = &b->library;
    struct large *large = b->large;
    struct window *w = &large->window;
    struct debug settled = l->debug;
    const struct debug_places places = files_debug_places(l, w->image);
    debug_writer_start(&large->writer, &settled, names, &places);
    window_complete(w, library_debug_section(l, DEBUG_ABBREV));
    window_complete(w, library_debug_section(l, DEBUG_STR));
    window_complete(w, library_debug_section(l, DEBUG_LINE_STR));
    window_complete(w, SECTION_DYNSTR);
    /* compose as before, into the same units */
    l->debug = large->before;
    l->debug.sources = settled.sources;
    l->debug.statics = settled.statics;
    l->only_sizes = false;
    large->differs = false;
    start(b, compose_and_write_unit);
    const bool told = describe(l, large->level, &large->goal, &b->composed, &b->arena);
    const bool same = !large->differs && b->composed.lists.size == settled.size[DEBUG_LISTS] &&
                      b->composed.ranges.size == settled.size[DEBUG_RANGES] &&
                      l->debug.statics.size == settled.statics.size;
    b->statics = settled.statics = l->debug.statics;
    l->debug = settled;
    l->only_sizes = true; /* what was composed is forgotten */
    l->watch = NULL;
    if (!told)
        return error_set(e, ERROR_MEMORY, "out of memory for %s", l->row->name);
    if (!same)
        return error_set(e, ERROR_MISMATCH, "%s: its debug information came out with another size when it was written",
                         l->row->name);
    while (large->writer.unit < l->debug.unit_count) { /* units that only define data */
        debug_writer_unit(&large->writer);
        advance(large);
    }
    debug_writer_end(&large->writer);
    return true;
}
