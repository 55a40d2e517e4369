/* Counting the code that units cover; see stats.h.
 *
 * Several units may cover the same code: GNU ld lets what debug information says of a discarded copy of an inline
 * function refer to the copy that it keeps. So what units cover is noted, and counted when all were read. */
#include <libdwarf/dwarf.h>
#include <stdlib.h>

#include "dwarf/stats_parts.h"

#define CODE_MOST UINT64_C(0xffffffff) /* bytes; a file that says more is a lie */

/* Code at the addresses [from, to). */
struct stats_code {
    uint64_t from, to;
};

/* What was discarded when the file was linked is at address 0 or 1 (GNU ld), or at one of the last two (LLD, which
 * calls these tombstones). Beyond 16 million ranges, which only a file has whose lists overlap, none is noted. */
static void note(struct stats_file *f, uint64_t from, uint64_t to)
{
    enum { TOMBSTONES = 2, MOST = 1 << 28 };
    const struct stats_code code = {from, to};
    if (from >= TOMBSTONES && from < to && from <= UINT64_MAX - TOMBSTONES && f->code.size < MOST)
        bytes_append(&f->code, &code, sizeof code);
}

/* ---- units ---- */

/* Notes the entries of a list in .debug_rnglists (DWARF 5 section 7.25). */
static int note_rnglist(struct stats_file *f, Dwarf_Attribute attribute, const struct stats_place *place,
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
        const bool is_range =
            entry != DW_RLE_end_of_list && entry != DW_RLE_base_address && entry != DW_RLE_base_addressx;
        if (answer == DW_DLV_OK && is_range && !unknown)
            note(f, range[0], range[1]);
    }
    dwarf_dealloc_rnglists_head(list);
    return answer;
}

/* Notes the entries of a list in .debug_ranges. They are relative to the last base address, at first to the unit's
 * lowest one (DWARF 4 section 2.17.3). */
static int note_ranges(struct stats_file *f, Dwarf_Die root, Dwarf_Unsigned place, uint64_t base, Dwarf_Error *error)
{
    Dwarf_Ranges *range;
    Dwarf_Signed count;
    Dwarf_Off offset;
    Dwarf_Unsigned size;
    int answer = dwarf_get_ranges_b(f->dbg, place, root, &offset, &range, &count, &size, error);
    if (answer != DW_DLV_OK)
        return answer;
    for (Dwarf_Signed i = 0; i < count; i++) {
        if (range[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
            base = range[i].dwr_addr2;
        else if (range[i].dwr_type == DW_RANGES_ENTRY)
            note(f, base + range[i].dwr_addr1, base + range[i].dwr_addr2);
    }
    dwarf_ranges_dealloc(f->dbg, range, count);
    return DW_DLV_OK;
}

/* Notes a unit without ranges: from its lowest address to its highest, which may be a number of bytes. */
static int note_contiguous(struct stats_file *f, Dwarf_Die root, uint64_t low, Dwarf_Error *error)
{
    Dwarf_Addr high;
    Dwarf_Half form;
    enum Dwarf_Form_Class class;
    int answer = dwarf_highpc_b(root, &high, &form, &class, error);
    if (answer == DW_DLV_OK)
        note(f, low, class == DW_FORM_CLASS_CONSTANT ? low + high : high);
    return answer;
}

/* Notes a list, unless another unit has it too. */
static int note_list(struct stats_file *f, const struct stats_unit *u, Dwarf_Die root, Dwarf_Attribute attribute,
                     const struct stats_place *place, uint64_t low, Dwarf_Error *error)
{
    bool added;
    if (!stats_set_add(&f->code_lists, stats_place_key(place, u), &added))
        f->code.failed = true;
    else if (added)
        return u->version < 5 ? note_ranges(f, root, place->value, low, error)
                              : note_rnglist(f, attribute, place, error);
    return DW_DLV_OK;
}

bool stats_note_code(struct stats_file *f, const struct stats_unit *u, Dwarf_Die root)
{
    Dwarf_Error error = NULL;
    Dwarf_Attribute attribute;
    struct stats_place place;
    Dwarf_Addr low = 0;
    int answer = dwarf_lowpc(root, &low, &error);
    const bool has_low = answer == DW_DLV_OK;
    if (answer != DW_DLV_ERROR)
        answer = stats_find_list(root, DW_AT_ranges, &attribute, &place, &error);
    if (answer == DW_DLV_OK) {
        answer = note_list(f, u, root, attribute, &place, low, &error);
        dwarf_dealloc_attribute(attribute);
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
