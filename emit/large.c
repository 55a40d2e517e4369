/* See large.h. */
#include "emit/large.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/same.h"
#include "elf/output.h"
#include "emit/files.h"

#define LARGE_LEAST UINT64_C(256000000) /* bytes of the five sizes */

enum { FORGET_STEP = 1 << 22 }; /* bytes that are given back at once */

bool large_is(const struct plan *plan, const struct plan_library *row)
{
    const struct profile *p = plan->profile;
    uint64_t bytes = 0;
    for (unsigned kind = 0; kind < FIVE_SIZES; kind++)
        bytes += row->size[kind];
    return bytes >= LARGE_LEAST && p->dwarf.compress == COMPRESS_NONE && row->separate == SEPARATE_NONE &&
           !p->dwarf.split && !p->dwarf.index && !row->without_debug && !row->hollow;
}

bool large_size_again(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index,
                      struct error *e)
{
    struct large large = {.builder = b};
    b->only_sizes = true;
    b->large = large_is(plan, &plan->library[index]) ? &large : NULL;
    const bool again = b->loaded.row == &plan->library[index];
    const bool sized = again ? library_size_again(b, e) : library_size(b, plan, stock, index, e);
    b->large = NULL;
    b->library.watch = NULL;
    return sized;
}

bool large_size(struct builder *b, const struct plan *plan, const struct stock *stock, uint32_t index, struct error *e)
{
    b->loaded.row = NULL;
    return large_size_again(b, plan, stock, index, e);
}

/* --- composing ---------------------------------------------------------------------- */

/* Gives back what has been composed up to here. */
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

/* Whether what was composed of the unit that is written next is what the size pass reckoned with. */
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
    const struct debug_places places = library_debug_places(l, w->image);
    debug_writer_start(&large->writer, &settled, names, &places);
    window_complete(w, library_debug_section(l, DEBUG_ABBREV));
    window_complete(w, library_debug_section(l, DEBUG_STR));
    window_complete(w, library_debug_section(l, DEBUG_LINE_STR));
    window_complete(w, SECTION_DYNSTR);
    /* composed as it was before, into the same units */
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
    l->watch = NULL;
    if (!told)
        return error_set(e, ERROR_MEMORY, "out of memory for %s", l->row->name);
    if (!same)
        return error_set(e, ERROR_MISMATCH, "%s: its debug information came out with another size when it was written",
                         l->row->name);
    while (large->writer.unit < l->debug.unit_count) { /* those that only define data */
        debug_writer_unit(&large->writer);
        advance(large);
    }
    debug_writer_end(&large->writer);
    return true;
}

/* Where the file goes: to a new one, or it is compared with one that is there. */
struct target {
    const struct output *output; /* or NULL */
    int there;
    const char *path; /* of what is there, for messages */
    bool differs;
    struct digest_pieces digest;
};

static bool put_piece(void *context, const void *bytes, uint64_t size, uint64_t offset, struct error *e)
{
    struct target *t = context;
    digest_pieces_add(&t->digest, bytes, size, offset);
    if (t->output)
        return output_write(t->output, bytes, size, offset, e);
    t->differs = !same_piece(t->there, bytes, size, offset);
    return !t->differs || error_set(e, ERROR_MISMATCH, "the file that is there is another");
}

static bool read_back(const void *context, void *bytes, uint64_t size, uint64_t offset, struct error *e)
{
    const struct target *t = context;
    const struct output there = {.fd = t->there, .path = t->path};
    return output_read(t->output ? t->output : &there, bytes, size, offset, e);
}

static bool go_through(struct builder *b, struct target *t, struct set_file *file, struct error *e)
{
    const struct layout *layout = &b->library.layout;
    struct window *w = &b->large->window;
    digest_pieces_start(&t->digest, layout->file_size);
    const bool ok = window_open(w, layout, put_piece, t, e) && library_write(b, e) && window_finish(w, e) &&
                    digest_pieces_end(&t->digest, read_back, t, file->digest, e);
    window_close(w);
    digest_pieces_free(&t->digest);
    return ok;
}

/* Whether it is there already; false also where that cannot be found out, with *failed. */
static bool is_there(struct builder *b, const struct directory *directory, const char *path, struct set_file *file,
                     bool *failed, struct error *e)
{
    struct target t = {.there = directory->force ? -1 : same_open(directory->fd, file->name, file->size), .path = path};
    *failed = false;
    if (t.there < 0)
        return false;
    file->kept = go_through(b, &t, file, e);
    *failed = !file->kept && !t.differs;
    file->kept = file->kept && same_mode(t.there, 0777 & ~directory->umask);
    close(t.there);
    return file->kept;
}

bool large_write(struct builder *b, struct directory *directory, struct set_file *file, struct error *e)
{
    struct output output;
    struct target t = {.output = &output, .there = -1};
    char path[DIRECTORY_PATH_MOST];
    bool failed;
    *file = (struct set_file){.size = b->library.layout.file_size};
    files_name(b->library.row, file->name);
    directory_path(directory, file->name, path);
    if (is_there(b, directory, path, file, &failed, e) || failed)
        return !failed;
    if (!directory_change(directory, e) || !output_begin(&output, directory->fd, file->name, path, 0777, file->size, e))
        return false;
    return output_end(&output, go_through(b, &t, file, e), e);
}
