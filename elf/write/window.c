/* See window.h. */
#include "elf/write/window.h"

#include <sys/mman.h>

#include "base/page.h"

enum {
    STEP = 1 << 22,    /* bytes that are usually put at once */
    BEYOND = HUGE_PAGE /* reserve: writers may write a few bytes beyond the end of what they keep */
};

static uint64_t huge_page(uint64_t at)
{
    return at & ~(uint64_t)(HUGE_PAGE - 1);
}

bool window_open(struct window *w, const struct layout *layout, window_put *put, void *context, struct error *e)
{
    *w = (struct window){.layout = layout, .put = put, .context = context};
    const size_t capacity = huge_page(layout->file_size + BEYOND + HUGE_PAGE - 1) + HUGE_PAGE;
    void *addresses = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (addresses == MAP_FAILED)
        return error_set(e, ERROR_MEMORY, "there are no addresses left for an image of %llu bytes; raise ulimit -v",
                         (unsigned long long)layout->file_size);
    madvise(addresses, capacity, MADV_HUGEPAGE); /* a hint, for fewer page faults */
    const uint64_t unaligned = (uintptr_t)addresses & (HUGE_PAGE - 1);
    w->image = (uint8_t *)addresses + (unaligned ? HUGE_PAGE - unaligned : 0);
    w->addresses = addresses;
    w->capacity = capacity;
    return true;
}

/* Whether the section is put by itself. .shstrtab goes with the section headers. */
static bool is_put(const struct layout *l, enum section_id id)
{
    return l->section[id].index && l->section[id].size && !l->section[id].elsewhere &&
           layout_kind(id)->type != SHT_NOBITS && id != SECTION_SHSTRTAB;
}

/* Gives back the huge pages from `from` to `end` that hold nothing but bytes of this section. */
static void release(const struct window *w, uint64_t section, uint64_t from, uint64_t end)
{
    const uint64_t least = huge_page(section + HUGE_PAGE - 1);
    const uint64_t start = huge_page(from) > least ? huge_page(from) : least;
    if (start < huge_page(end))
        madvise(w->image + start, huge_page(end) - start, MADV_DONTNEED);
}

/* Puts bytes [from, end) of the file. */
static void put(struct window *w, uint64_t from, uint64_t end)
{
    if (!w->failed && from < end)
        w->failed = !w->put(w->context, w->image + from, end - from, from, &w->error);
}

static void put_section(struct window *w, enum section_id id, uint64_t size)
{
    const uint64_t section = w->layout->section[id].offset;
    const uint64_t from = section + w->done[id];
    put(w, from, section + size);
    release(w, section, from, section + size);
    w->done[id] = size;
}

void window_advance(struct window *w, enum section_id id, uint64_t size)
{
    if (size - w->done[id] >= STEP && is_put(w->layout, id))
        put_section(w, id, size);
}

void window_complete(struct window *w, enum section_id id)
{
    if (is_put(w->layout, id))
        put_section(w, id, w->layout->section[id].size);
}

bool window_is_well(const struct window *w, struct error *e)
{
    if (w->failed && e)
        *e = w->error;
    return !w->failed;
}

bool window_finish(struct window *w, struct error *e)
{
    const struct layout *l = w->layout;
    uint64_t end = 0; /* where the section before ends */
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++)
        window_complete(w, id);
    layout_write(l, w->image);
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_SHSTRTAB; id++) {
        if (!is_put(l, id))
            continue;
        put(w, end, l->section[id].offset);
        end = l->section[id].offset + l->section[id].size;
    }
    put(w, end, l->file_size);
    return window_is_well(w, e);
}

void window_close(struct window *w)
{
    if (w->addresses)
        munmap(w->addresses, w->capacity);
    w->addresses = NULL;
    w->image = NULL;
}
