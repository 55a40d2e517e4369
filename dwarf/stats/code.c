/* Counting the code that units cover; see stats.h.
 *
 * Several units may cover the same code: GNU ld lets what debug information says of a discarded copy of an inline
 * function refer to the copy that it keeps. So what units cover is noted, and counted when all were read. */
#include <libdwarf/dwarf.h>
#include <stdlib.h>

#include "dwarf/stats/parts.h"

#define CODE_MOST UINT64_C(0xffffffff) /* bytes; a file that says more is a lie */

/* Code at the addresses [from, to). */
struct stats_code {
    uint64_t from, to;
};

/* Beyond 16 million ranges, which only a file has whose lists overlap, none is noted. */
static void note(void *context, uint64_t from, uint64_t to)
{
    enum { MOST = 1 << 28 };
    struct bytes *const noted = context;
    const struct stats_code code = {from, to};
    if (stats_is_code(from, to) && noted->size < MOST)
        bytes_append(noted, &code, sizeof code);
}

/* Sets *to to the end of an entry without ranges that begins at `low`: its highest address or, if it is a number of
 * bytes (`is_size`), so many behind. */
static int read_end(Dwarf_Die die, uint64_t low, uint64_t *to, bool *is_size, Dwarf_Error *error)
{
    Dwarf_Addr high;
    Dwarf_Half form;
    enum Dwarf_Form_Class class;
    const int answer = dwarf_highpc_b(die, &high, &form, &class, error);
    *is_size = answer == DW_DLV_OK && class == DW_FORM_CLASS_CONSTANT;
    if (answer == DW_DLV_OK)
        *to = *is_size ? low + high : high;
    return answer;
}

/* ---- functions and inlined calls ---- */

/* In a .dwo file the lowest address is an index of what another file has, but the highest one is a number of bytes. */
struct stats_extent stats_extent_of(struct stats_file *f, const struct stats_unit *u, Dwarf_Die die)
{
    Dwarf_Error error = NULL;
    Dwarf_Addr low = 0;
    uint64_t to = 0;
    bool is_size = false;
    int answer = u->split ? DW_DLV_OK : dwarf_lowpc(die, &low, &error);
    if (answer == DW_DLV_OK)
        answer = read_end(die, low, &to, &is_size, &error);
    stats_forget(f, &error);
    const bool is_known = answer == DW_DLV_OK && (u->split ? is_size : stats_is_code(low, to));
    return is_known ? (struct stats_extent){to - low, low} : (struct stats_extent){0};
}

/* ---- units ---- */

/* Notes a unit without ranges: from its lowest address to its highest, which may be a number of bytes. */
static int note_contiguous(struct stats_file *f, Dwarf_Die root, uint64_t low, Dwarf_Error *error)
{
    uint64_t to;
    bool is_size;
    const int answer = read_end(root, low, &to, &is_size, error);
    if (answer == DW_DLV_OK)
        note(&f->code, low, to);
    return answer;
}

/* Notes a list, unless another unit has it too. */
static int note_list(struct stats_file *f, const struct stats_unit *u, const struct stats_list *list, uint64_t low,
                     Dwarf_Error *error)
{
    const struct stats_each each = {note, &f->code};
    bool added;
    if (!stats_set_add(&f->code_lists, stats_place_key(&list->place, u), &added))
        f->code.failed = true;
    else if (added)
        return stats_read_ranges(list, low, &each, error);
    return DW_DLV_OK;
}

bool stats_note_code(struct stats_file *f, struct stats_unit *u, Dwarf_Die root)
{
    Dwarf_Error error = NULL;
    struct stats_list list = {.file = f, .version = u->version, .die = root};
    Dwarf_Addr low = 0;
    int answer = dwarf_lowpc(root, &low, &error);
    const bool has_low = answer == DW_DLV_OK;
    u->low = has_low ? low : 0;
    if (answer != DW_DLV_ERROR)
        answer = stats_find_list(root, DW_AT_ranges, &list.attribute, &list.place, &error);
    if (answer == DW_DLV_OK) {
        answer = note_list(f, u, &list, low, &error);
        dwarf_dealloc_attribute(list.attribute);
    } else if (answer == DW_DLV_NO_ENTRY && has_low) {
        answer = note_contiguous(f, root, low, &error);
    }
    if (answer == DW_DLV_ERROR)
        stats_unreadable(f, &error, "the code of a unit");
    stats_forget(f, &error);
    return !f->code.failed || stats_no_memory(f);
}

/* ---- the file ---- */

static int compare(const void *a, const void *b)
{
    const struct stats_code *x = a;
    const struct stats_code *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

void stats_count_code(struct stats_file *f)
{
    struct stats_code *const code = (struct stats_code *)f->code.data;
    const size_t count = f->code.size / sizeof *code;
    uint64_t sum = 0;
    uint64_t end = 0;
    if (count)
        qsort(code, count, sizeof *code, compare);
    for (size_t i = 0; i < count && sum < CODE_MOST; i++) {
        const uint64_t from = code[i].from > end ? code[i].from : end;
        if (code[i].to <= from)
            continue;
        sum += code[i].to - from < CODE_MOST ? code[i].to - from : CODE_MOST;
        end = code[i].to;
    }
    f->s->number[STATS_CODE_BYTES] = sum < CODE_MOST ? sum : CODE_MOST;
}
