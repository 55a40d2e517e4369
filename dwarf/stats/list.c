/* Counting location and range lists; see stats.h.
 *
 * DIEs share lists: an inlined subroutine has the ranges of the block in it. So a list counts when it is met first, and
 * the bytes per entry come out as those of the section. A list in another file, as those of a .dwo file may be, does
 * not count. */
#include <libdwarf/dwarf.h>

#include "base/random.h"
#include "dwarf/stats/parts.h"

/* ---- entries ---- */

/* Whether an entry of a location list has an expression, and is not an end or a base address. For lists before DWARF 5
 * libdwarf uses the numbers of DWARF 5, but for those of GNU's split DWARF 4 their own. */
static bool is_location(Dwarf_Small entry, Dwarf_Small kind)
{
    if (kind == DW_LKIND_GNU_exp_list)
        return entry != DW_LLEX_end_of_list_entry && entry != DW_LLEX_base_address_selection_entry;
    return entry != DW_LLE_end_of_list && entry != DW_LLE_base_address && entry != DW_LLE_base_addressx;
}

/* Whether an expression needs what a register held when the function was called. */
static bool has_entry_value(Dwarf_Locdesc_c expression, Dwarf_Unsigned operations, Dwarf_Error *error)
{
    for (Dwarf_Unsigned i = 0; i < operations; i++) {
        Dwarf_Small operation;
        Dwarf_Unsigned operand[3];
        Dwarf_Unsigned branch;
        if (dwarf_get_location_op_value_c(expression, i, &operation, &operand[0], &operand[1], &operand[2], &branch,
                                          error) != DW_DLV_OK)
            return false;
        if (operation == DW_OP_entry_value || operation == DW_OP_GNU_entry_value)
            return true;
    }
    return false;
}

/* How many entries of a list have an expression, and how many of these an entry value. */
struct list_count {
    uint64_t entries, entry_values;
};

static int location_entries(Dwarf_Attribute attribute, struct list_count *c, Dwarf_Error *error)
{
    Dwarf_Loc_Head_c list;
    Dwarf_Unsigned count;
    *c = (struct list_count){0};
    int answer = dwarf_get_loclist_c(attribute, &list, &count, error);
    if (answer != DW_DLV_OK)
        return answer;
    for (Dwarf_Unsigned i = 0; answer == DW_DLV_OK && i < count; i++) {
        Dwarf_Small entry;
        Dwarf_Small kind;
        Dwarf_Unsigned raw[2];
        Dwarf_Addr range[2];
        Dwarf_Bool unknown;
        Dwarf_Unsigned operations;
        Dwarf_Locdesc_c expression;
        Dwarf_Unsigned at[2];
        answer = dwarf_get_locdesc_entry_d(list, i, &entry, &raw[0], &raw[1], &unknown, &range[0], &range[1],
                                           &operations, &expression, &kind, &at[0], &at[1], error);
        if (answer != DW_DLV_OK || !is_location(entry, kind))
            continue;
        c->entries++;
        c->entry_values += has_entry_value(expression, operations, error);
    }
    dwarf_loc_head_c_dealloc(list);
    return answer;
}

static bool is_range(unsigned entry)
{
    return entry != DW_RLE_end_of_list && entry != DW_RLE_base_address && entry != DW_RLE_base_addressx;
}

/* How long a range is that begins at an address in another file; 0 where this cannot be told. */
static uint64_t bytes_said(unsigned entry, const Dwarf_Unsigned raw[2])
{
    return entry == DW_RLE_startx_length                    ? raw[1]
           : entry == DW_RLE_offset_pair && raw[0] < raw[1] ? raw[1] - raw[0]
                                                            : 0;
}

/* Reads a list in .debug_rnglists (DWARF 5 section 7.25). */
static int read_rnglists(Dwarf_Attribute attribute, const struct stats_place *place, const struct stats_each *each,
                         Dwarf_Error *error)
{
    Dwarf_Rnglists_Head list;
    Dwarf_Unsigned count;
    Dwarf_Unsigned offset;
    int answer = dwarf_rnglists_get_rle_head(attribute, place->form, place->value, &list, &count, &offset, error);
    if (answer != DW_DLV_OK)
        return answer;
    for (Dwarf_Unsigned i = 0; answer == DW_DLV_OK && i < count; i++) {
        unsigned length;
        unsigned entry;
        Dwarf_Unsigned raw[2];
        Dwarf_Bool unknown = false;
        Dwarf_Unsigned range[2];
        answer = dwarf_get_rnglists_entry_fields_a(list, i, &length, &entry, &raw[0], &raw[1], &unknown, &range[0],
                                                   &range[1], error);
        if (answer == DW_DLV_OK && is_range(entry))
            each->range(each->context, unknown ? 0 : range[0], unknown ? bytes_said(entry, raw) : range[1]);
    }
    dwarf_dealloc_rnglists_head(list);
    return answer;
}

/* Reads a list in .debug_ranges, of DWARF before version 5. Its entries are relative to the last base address, at first
 * to `base` (DWARF 4 section 2.17.3). */
static int read_ranges(struct stats_file *f, Dwarf_Die die, Dwarf_Unsigned place, uint64_t base,
                       const struct stats_each *each, Dwarf_Error *error)
{
    Dwarf_Ranges *range;
    Dwarf_Signed count;
    Dwarf_Off offset;
    Dwarf_Unsigned bytes;
    int answer = dwarf_get_ranges_b(f->dbg, place, die, &offset, &range, &count, &bytes, error);
    if (answer != DW_DLV_OK)
        return answer;
    for (Dwarf_Signed i = 0; i < count; i++) {
        if (range[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
            base = range[i].dwr_addr2;
        else if (range[i].dwr_type == DW_RANGES_ENTRY)
            each->range(each->context, base + range[i].dwr_addr1, base + range[i].dwr_addr2);
    }
    dwarf_ranges_dealloc(f->dbg, range, count);
    return DW_DLV_OK;
}

int stats_read_ranges(const struct stats_list *list, uint64_t base, const struct stats_each *each, Dwarf_Error *error)
{
    return list->version < 5 ? read_ranges(list->file, list->die, list->place.value, base, each, error)
                             : read_rnglists(list->attribute, &list->place, each, error);
}

struct ranges_count {
    uint64_t entries;
    struct stats_extent extent;
    bool split; /* addresses are in another file */
};

static void count_range(void *context, uint64_t from, uint64_t to)
{
    struct ranges_count *const c = context;
    c->entries++;
    if (from >= to || !(c->split || stats_is_code(from, to)))
        return;
    c->extent.from = c->extent.bytes ? c->extent.from : from;
    c->extent.bytes += to - from;
}

/* ---- lists ---- */

/* An index is read as a number, because libdwarf misreads it as a reference. */
static int place_read(Dwarf_Attribute attribute, struct stats_place *place, Dwarf_Error *error)
{
    int answer = dwarf_whatform(attribute, &place->form, error);
    if (answer != DW_DLV_OK)
        return answer;
    bool index = place->form == DW_FORM_loclistx || place->form == DW_FORM_rnglistx;
    return index ? dwarf_formudata(attribute, &place->value, error)
                 : dwarf_global_formref(attribute, &place->value, error);
}

int stats_find_list(Dwarf_Die die, uint16_t name, Dwarf_Attribute *attribute, struct stats_place *place,
                    Dwarf_Error *error)
{
    int answer = dwarf_attr(die, name, attribute, error);
    if (answer != DW_DLV_OK)
        return answer;
    answer = place_read(*attribute, place, error);
    if (answer != DW_DLV_OK)
        dwarf_dealloc_attribute(*attribute);
    return answer;
}

uint64_t stats_place_key(const struct stats_place *place, const struct stats_unit *u)
{
    if (u->split || place->form == DW_FORM_loclistx || place->form == DW_FORM_rnglistx)
        return random_mix((u->index << 32) + place->value) | UINT64_C(1) << 63;
    return u->version < 5 ? place->value : place->value | UINT64_C(1) << 62;
}

/* Counts a list if it is met for the first time, and sets *is_new; false when memory runs out. */
static bool count_new(struct stats_file *f, struct stats_set *lists, uint64_t key, enum stats_number number,
                      uint64_t entries, bool *is_new)
{
    if (!stats_set_add(lists, key, is_new))
        return stats_no_memory(f);
    if (*is_new) {
        f->s->number[number]++;
        f->s->number[number + 1] += entries;
    }
    return true;
}

/* Notes that libdwarf could not read something; returns true, to go on. */
static bool leave(struct stats_file *f, int answer, Dwarf_Error *error, const char *what)
{
    if (answer == DW_DLV_ERROR)
        stats_unreadable(f, error, what);
    stats_forget(f, error);
    return true;
}

bool stats_count_locations(struct stats_file *f, const struct stats_unit *u, Dwarf_Die die, uint16_t name, bool placed)
{
    Dwarf_Error error = NULL;
    Dwarf_Attribute attribute;
    struct stats_place place;
    struct list_count count = {0};
    bool is_new;
    int answer = stats_find_list(die, name, &attribute, &place, &error);
    if (answer == DW_DLV_OK) {
        answer = location_entries(attribute, &count, &error);
        dwarf_dealloc_attribute(attribute);
    }
    if (answer != DW_DLV_OK || error)
        return leave(f, answer, &error, "a location list");
    if (placed)
        f->s->number[STATS_PLACED_LIST_ENTRIES] += count.entries;
    if (!count_new(f, &f->location_lists, stats_place_key(&place, u), STATS_LISTS, count.entries, &is_new))
        return false;
    f->s->number[STATS_ENTRY_VALUES] += is_new ? count.entry_values : 0;
    return true;
}

bool stats_count_ranges(struct stats_file *f, const struct stats_unit *u, Dwarf_Die die, uint16_t name,
                        struct stats_extent *extent)
{
    Dwarf_Error error = NULL;
    struct stats_list list = {.file = f, .version = u->version, .die = die};
    struct ranges_count count = {.split = u->split};
    bool is_new;
    const struct stats_each each = {count_range, &count};
    int answer = stats_find_list(die, name, &list.attribute, &list.place, &error);
    if (answer == DW_DLV_OK) {
        answer = stats_read_ranges(&list, u->low, &each, &error);
        dwarf_dealloc_attribute(list.attribute);
    }
    if (answer != DW_DLV_OK || error)
        return leave(f, answer, &error, "a range list");
    *extent = count.extent;
    return count_new(f, &f->range_lists, stats_place_key(&list.place, u), STATS_RANGE_LISTS, count.entries, &is_new);
}
