/* Names, layouts and contents of a library's files; see files.h. */
#include "emit/files.h"

#include <stdio.h>
#include <string.h>

static enum separation separation_of(const struct plan *plan)
{
    return plan->profile->dwarf.separate;
}

/* --- names ---------------------------------------------------------------------- */

void files_build_id(const struct plan *plan, const struct plan_library *row, uint8_t id[FILE_BUILD_ID])
{
    uint64_t from = random_mix(plan->digest[0] ^ row->key);
    uint8_t *p = put_u64(id, random_mix(from + plan->digest[1]));
    p = put_u64(p, random_mix(from + RANDOM_STEP));
    put_u32(p, (uint32_t)random_mix(from + 2 * RANDOM_STEP));
}

void files_debug_name(const struct plan *plan, const struct plan_library *row, char name[FILE_NAME_MOST])
{
    name[0] = '\0';
    if (separation_of(plan) == SEPARATE_DEBUGLINK) {
        snprintf(name, FILE_NAME_MOST, "%s.so" FILES_DEBUG_SUFFIX, row->name);
    } else if (separation_of(plan) == SEPARATE_BUILD_ID) {
        uint8_t id[FILE_BUILD_ID];
        files_build_id(plan, row, id);
        int n = snprintf(name, FILE_NAME_MOST, FILES_BUILD_IDS "/%02x/", id[0]);
        for (unsigned i = 1; i < FILE_BUILD_ID; i++)
            n += snprintf(name + n, FILE_NAME_MOST - (size_t)n, "%02x", id[i]);
        snprintf(name + n, FILE_NAME_MOST - (size_t)n, FILES_DEBUG_SUFFIX);
    }
}

/* What .gnu_debuglink says; "" where there is none. */
static void link_name(const struct library *l, char name[FILE_NAME_MOST])
{
    name[0] = '\0';
    if (separation_of(l->plan) == SEPARATE_DEBUGLINK)
        files_debug_name(l->plan, l->row, name);
}

/* --- layouts and contents -------------------------------------------------------- */

bool files_place(struct library *l, struct error *e)
{
    if (separation_of(l->plan) == SEPARATE_NONE)
        return true;
    char link[FILE_NAME_MOST];
    link_name(l, link);
    return separate_place(&l->separate, &l->layout, *link ? separate_link_size(link) : 0, e);
}

bool files_write(struct builder *b, struct error *e)
{
    struct library *l = &b->library;
    bool separate = separation_of(l->plan) != SEPARATE_NONE;
    struct layout *debug = separate ? &l->separate.debug : &l->layout;
    uint8_t *start = b->image + (separate ? l->separate.start : 0);
    enum pack_kind packing = library_packing(l->plan);
    if (packing != PACK_NONE && !pack_debug(debug, start, packing, &b->packed, e))
        return false;
    if (separate) {
        char link[FILE_NAME_MOST];
        link_name(l, link);
        separate_write(&l->separate, b->image, *link ? link : NULL);
    } else {
        layout_write(&l->layout, b->image);
    }
    return true;
}

unsigned files_of(const struct builder *b, struct library_file files[FILES_MOST])
{
    const struct library *l = &b->library;
    bool separate = separation_of(l->plan) != SEPARATE_NONE;
    unsigned count = 0;
    if (separate) {
        files[count] = (struct library_file){.layout = &l->separate.debug, .image = b->image + l->separate.start};
        files_debug_name(l->plan, l->row, files[count++].name);
    }
    files[count] = (struct library_file){.layout = separate ? &l->separate.library : &l->layout, .image = b->image};
    snprintf(files[count++].name, FILE_NAME_MOST, "%s.so", l->row->name);
    return count;
}

struct layout_sizes files_count(const struct library *l)
{
    return separation_of(l->plan) == SEPARATE_NONE ? layout_count(&l->layout) : separate_count(&l->separate);
}
