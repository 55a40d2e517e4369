/* Counting DIEs, and what their abbreviations and values tell; see stats.h.
 *
 * What an abbreviation says (DWARF 5 section 7.5.3) is the same for all its DIEs. So a DIE costs one count of its
 * abbreviation, and libdwarf is asked only for values that no abbreviation tells: how long a name is, how many entries
 * a list has. The rest is multiplied at the end of the file. */
#include <libdwarf/dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "dwarf/stats/parts.h"

/* Deeper than any program nests. libdwarf finds the sibling of a DIE by walking over its children, so depth costs time.
 */
enum { DEPTH_MOST = 512 };

enum value { VALUE_PLAIN, VALUE_LOCATIONS, VALUE_RANGES };

struct attribute {
    uint16_t name;
    uint16_t form;
    enum value value;
};

struct stats_abbreviation {
    uint64_t offset; /* in .debug_abbrev; with the next two members the key by which it is found */
    uint16_t version;
    uint16_t offset_size;
    uint16_t tag;
    bool has_children;
    /* Which values of its DIEs are to be looked at. */
    bool has_name;
    bool has_lists;
    uint16_t linkage_name;  /* the attribute that holds a linkage name, 0 for none */
    enum stats_number kind; /* what its DIEs also count as, STATS_NUMBERS for nothing */
    uint64_t uses;
    uint32_t count;
    struct attribute *attribute;
};

/* ---- abbreviations ---- */

static bool is_alternate(uint16_t form)
{
    return form == DW_FORM_strp_sup || form == DW_FORM_GNU_strp_alt;
}

static enum value value_of(const struct stats_abbreviation *a, const struct attribute *attribute)
{
    switch (dwarf_get_form_class(a->version, attribute->name, a->offset_size, attribute->form)) {
    case DW_FORM_CLASS_LOCLIST:
    case DW_FORM_CLASS_LOCLISTPTR:
        return VALUE_LOCATIONS;
    case DW_FORM_CLASS_RNGLIST:
    case DW_FORM_CLASS_RANGELISTPTR:
        return VALUE_RANGES;
    default:
        return VALUE_PLAIN;
    }
}

static const struct attribute *attribute_find(const struct stats_abbreviation *a, uint16_t name)
{
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->attribute[i].name == name)
            return &a->attribute[i];
    }
    return NULL;
}

/* What a DIE counts as beyond its tag. */
static enum stats_number kind_of(const struct stats_abbreviation *a)
{
    bool variable = a->tag == DW_TAG_variable;
    if (variable || a->tag == DW_TAG_formal_parameter) {
        const struct attribute *location = attribute_find(a, DW_AT_location);
        if (location && location->value == VALUE_LOCATIONS)
            return variable ? STATS_VARIABLES_LIST : STATS_PARAMETERS_LIST;
        if (location)
            return variable ? STATS_VARIABLES_EXPRESSION : STATS_PARAMETERS_EXPRESSION;
        if (attribute_find(a, DW_AT_const_value))
            return variable ? STATS_VARIABLES_CONSTANT : STATS_PARAMETERS_CONSTANT;
        return variable ? STATS_VARIABLES_NONE : STATS_PARAMETERS_NONE;
    }
    if (a->tag == DW_TAG_subprogram && (attribute_find(a, DW_AT_low_pc) || attribute_find(a, DW_AT_ranges)))
        return STATS_FUNCTIONS;
    return STATS_NUMBERS;
}

/* Decides which values are to be looked at. Names in other files are not. */
static void abbreviation_classify(struct stats_abbreviation *a)
{
    for (uint32_t i = 0; i < a->count; i++) {
        struct attribute *attribute = &a->attribute[i];
        attribute->value = value_of(a, attribute);
        if (is_alternate(attribute->form))
            continue;
        if (attribute->name == DW_AT_name) {
            a->has_name = true;
        } else if (attribute->name == DW_AT_linkage_name || attribute->name == DW_AT_MIPS_linkage_name) {
            a->linkage_name = attribute->name;
        } else if (attribute->value != VALUE_PLAIN) {
            a->has_lists = true;
        }
    }
    a->kind = kind_of(a);
}

static bool abbreviation_read(struct stats_file *f, struct stats_abbreviation *a)
{
    Dwarf_Error error = NULL;
    Dwarf_Abbrev abbreviation;
    Dwarf_Unsigned length;
    Dwarf_Unsigned count;
    int answer = dwarf_get_abbrev(f->dbg, a->offset, &abbreviation, &length, &count, &error);
    if (answer != DW_DLV_OK)
        return stats_broken(f, &error, "an abbreviation");
    Dwarf_Signed children = 0;
    bool ok = (count <= length && dwarf_get_abbrev_children_flag(abbreviation, &children, &error) == DW_DLV_OK) ||
              stats_broken(f, &error, "an abbreviation");
    a->has_children = children != 0;
    a->attribute = ok ? calloc(count + 1, sizeof *a->attribute) : NULL;
    if (ok && !a->attribute)
        ok = stats_no_memory(f);
    for (Dwarf_Unsigned i = 0; ok && i < count; i++) {
        Dwarf_Unsigned name;
        Dwarf_Unsigned form;
        Dwarf_Signed value;
        Dwarf_Off offset;
        answer = dwarf_get_abbrev_entry_b(abbreviation, i, true, &name, &form, &value, &offset, &error);
        if (answer != DW_DLV_OK || name > UINT16_MAX || form > UINT16_MAX)
            ok = stats_broken(f, &error, "an abbreviation");
        else
            a->attribute[a->count++] = (struct attribute){.name = (uint16_t)name, .form = (uint16_t)form};
    }
    dwarf_dealloc(f->dbg, abbreviation, DW_DLA_ABBREV);
    if (ok)
        abbreviation_classify(a);
    return ok;
}

static bool slots_grow(struct stats_file *f)
{
    size_t slots = f->slots ? f->slots * 2 : 1024;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return stats_no_memory(f);
    for (size_t i = 0; i < f->abbreviation_count; i++) {
        size_t at = random_mix(f->abbreviation[i].offset) & (slots - 1);
        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = (uint32_t)i + 1;
    }
    free(f->slot);
    f->slot = slot;
    f->slots = slots;
    return true;
}

static struct stats_abbreviation *abbreviation_add(struct stats_file *f, const struct stats_abbreviation *key)
{
    if (f->abbreviation_count == f->abbreviation_capacity) {
        size_t capacity = f->abbreviation_capacity ? f->abbreviation_capacity * 2 : 256;
        struct stats_abbreviation *grown = realloc(f->abbreviation, capacity * sizeof *grown);
        if (!grown) {
            stats_no_memory(f);
            return NULL;
        }
        f->abbreviation = grown;
        f->abbreviation_capacity = capacity;
    }
    struct stats_abbreviation *a = &f->abbreviation[f->abbreviation_count++];
    *a = *key;
    return abbreviation_read(f, a) ? a : NULL;
}

/* The abbreviation of a DIE, which is read when it is met first. NULL, with the error set, if it cannot be read. Valid
 * until the next call. */
static struct stats_abbreviation *abbreviation_find(struct stats_file *f, const struct stats_unit *u, Dwarf_Die die)
{
    Dwarf_Error error = NULL;
    Dwarf_Unsigned count;
    Dwarf_Half tag;
    struct stats_abbreviation key = {.version = u->version, .offset_size = u->offset_size};
    Dwarf_Off offset;
    if (dwarf_die_abbrev_global_offset(die, &offset, &count, &error) != DW_DLV_OK ||
        dwarf_tag(die, &tag, &error) != DW_DLV_OK) {
        stats_broken(f, &error, "the abbreviation of a DIE");
        return NULL;
    }
    key.offset = offset;
    key.tag = tag;
    if (f->abbreviation_count * 2 >= f->slots && !slots_grow(f))
        return NULL;
    size_t at = random_mix(key.offset) & (f->slots - 1);
    for (; f->slot[at]; at = (at + 1) & (f->slots - 1)) {
        struct stats_abbreviation *a = &f->abbreviation[f->slot[at] - 1];
        if (a->offset == key.offset && a->version == key.version && a->offset_size == key.offset_size)
            return a;
    }
    f->slot[at] = (uint32_t)f->abbreviation_count + 1;
    return abbreviation_add(f, &key);
}

/* FNV-1a over what makes an abbreviation differ from others. */
static uint64_t hash_add(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 4; i++)
        hash = (hash ^ (value >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t abbreviation_hash(const struct stats_abbreviation *a)
{
    uint64_t hash = hash_add(UINT64_C(0xcbf29ce484222325), (uint64_t)a->tag << 1 | a->has_children);
    for (uint32_t i = 0; i < a->count; i++)
        hash = hash_add(hash, (uint64_t)a->attribute[i].name << 16 | a->attribute[i].form);
    return hash;
}

bool stats_count_abbreviations(struct stats_file *f)
{
    struct debug_stats *s = f->s;
    for (size_t i = 0; i < f->abbreviation_count; i++) {
        const struct stats_abbreviation *a = &f->abbreviation[i];
        s->number[STATS_DIES] += a->uses;
        s->number[STATS_ATTRIBUTES] += a->uses * a->count;
        s->number[STATS_ABBREVIATIONS]++;
        s->number[STATS_SUBPROGRAMS] += a->tag == DW_TAG_subprogram ? a->uses : 0;
        s->number[STATS_INLINED] += a->tag == DW_TAG_inlined_subroutine ? a->uses : 0;
        if (a->kind != STATS_NUMBERS)
            s->number[a->kind] += a->uses;
        stats_tally_add(s, STATS_TAG, a->tag, a->uses);
        for (uint32_t j = 0; j < a->count; j++) {
            stats_tally_add(s, STATS_ATTRIBUTE, a->attribute[j].name, a->uses);
            stats_tally_add(s, STATS_FORM, a->attribute[j].form, a->uses);
        }
        bool added;
        if (!stats_set_add(&s->shapes, abbreviation_hash(a), &added))
            return stats_no_memory(f);
    }
    return true;
}

void stats_free_abbreviations(struct stats_file *f)
{
    for (size_t i = 0; i < f->abbreviation_count; i++)
        free(f->abbreviation[i].attribute);
    free(f->abbreviation);
    free(f->slot);
    f->abbreviation = NULL;
    f->slot = NULL;
    f->abbreviation_count = f->abbreviation_capacity = f->slots = 0;
}

/* ---- values ---- */

/* A way from the root of a unit down to a DIE. */
struct path {
    Dwarf_Die die[DEPTH_MOST];
    int depth;      /* depth of the last DIE, -1 for an empty path */
    int function;   /* depth of the first DIE that is a defined function; DEPTH_MOST: there is none */
    int inlined;    /* depth of the first DIE that is an inlined call, likewise */
    int nested;     /* depth of the first DIE that is a defined function inside another, likewise */
    bool kept;      /* the function's code was not discarded */
    Dwarf_Off last; /* offset of the last DIE that was counted */
};

/* Counts a name, and its bytes, in this number and the next one. Of types it counts in their own, too. */
static void count_name(struct stats_file *f, Dwarf_Die die, uint16_t attribute, enum stats_number names, bool of_type)
{
    Dwarf_Error error = NULL;
    char *name;
    if (dwarf_die_text(die, attribute, &name, &error) != DW_DLV_OK) {
        stats_unreadable(f, &error, "a name");
        return;
    }
    const size_t length = strlen(name);
    f->s->number[names]++;
    f->s->number[names + 1] += length;
    f->s->number[STATS_TYPE_NAMES] += of_type;
    f->s->number[STATS_TYPE_NAME_BYTES] += of_type ? length : 0;
}

/* Counts a function whose code was kept. GNU ld lets copies of it that it has discarded refer to it. */
static bool count_function(struct stats_file *f, const struct stats_unit *u, uint64_t from)
{
    bool added = true;
    if (!u->split && !stats_set_add(&f->functions, from, &added))
        return stats_no_memory(f);
    f->s->number[STATS_CODE_FUNCTIONS] += added;
    return true;
}

/* Counts the code of the last DIE of the path, if it is a function or an inlined call and no DIE above it is such.
 * Ranges within ranges are not looked for: an inlined call is within the code that is around it. Functions inside
 * others are not counted, and neither is what is in them. Sums end at a number that is a lie. False when memory runs
 * out. */
static bool count_covered(struct stats_file *f, const struct stats_unit *u, struct path *p,
                          const struct stats_extent *of_ranges)
{
    const uint64_t most = UINT64_C(1) << 40;
    const bool is_function = p->depth == p->function;
    const bool is_inlined = p->depth == p->inlined && p->depth > p->function && p->depth < p->nested;
    if (!is_function && !(is_inlined && p->kept))
        return true;
    const struct stats_extent extent = of_ranges->bytes ? *of_ranges : stats_extent_of(f, u, p->die[p->depth]);
    const uint64_t bytes = extent.bytes;
    uint64_t *const sum = &f->s->number[is_function ? STATS_FUNCTION_BYTES : STATS_INLINED_BYTES];
    if (is_function)
        p->kept = bytes > 0;
    *sum = bytes < most && *sum < most ? *sum + bytes : most;
    return !is_function || !p->kept || count_function(f, u, extent.from);
}

static bool is_aggregate(uint16_t tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Counts the last DIE of the path. */
static bool count_die(struct stats_file *f, const struct stats_unit *u, struct path *p)
{
    const Dwarf_Die die = p->die[p->depth];
    struct stats_abbreviation *a = abbreviation_find(f, u, die);
    if (!a)
        return false;
    a->uses++;
    if (a->kind == STATS_FUNCTIONS && p->depth < p->function)
        p->function = p->depth;
    else if (a->kind == STATS_FUNCTIONS && p->depth < p->nested)
        p->nested = p->depth;
    if (a->tag == DW_TAG_inlined_subroutine && p->depth < p->inlined)
        p->inlined = p->depth;
    f->s->number[STATS_DEFINED_DIES] += p->depth >= p->function;
    if (a->has_name)
        count_name(f, die, DW_AT_name, STATS_NAMES, is_aggregate(a->tag));
    if (a->linkage_name)
        count_name(f, die, a->linkage_name, STATS_LINKAGE_NAMES, false);
    bool placed = a->kind == STATS_VARIABLES_LIST || a->kind == STATS_PARAMETERS_LIST;
    struct stats_extent of_ranges = {0};
    bool ok = true;
    for (uint32_t i = 0; a->has_lists && ok && i < a->count; i++) {
        uint16_t name = a->attribute[i].name;
        if (a->attribute[i].value == VALUE_LOCATIONS)
            ok = stats_count_locations(f, u, die, name, placed && name == DW_AT_location);
        else if (a->attribute[i].value == VALUE_RANGES)
            ok = stats_count_ranges(f, u, die, name, &of_ranges);
    }
    return ok && count_covered(f, u, p, &of_ranges);
}

/* ---- the tree ---- */

static void path_leave(struct path *p)
{
    dwarf_dealloc_die(p->die[p->depth]);
    if (p->depth == p->function)
        p->function = DEPTH_MOST;
    if (p->depth == p->nested)
        p->nested = DEPTH_MOST;
    if (p->depth-- == p->inlined)
        p->inlined = DEPTH_MOST;
}

/* Makes the path lead to the next DIE in the order of the file: a child, a sibling, or a sibling of the nearest DIE
 * above that has one. */
static bool path_next(struct stats_file *f, const struct stats_unit *u, struct path *p)
{
    Dwarf_Error error = NULL;
    Dwarf_Die next = NULL;
    int answer = dwarf_child(p->die[p->depth], &next, &error);
    if (answer == DW_DLV_OK && p->depth + 1 == DEPTH_MOST) {
        dwarf_dealloc_die(next);
        return stats_wrong(f, "its DIEs are nested too deep");
    }
    while (answer == DW_DLV_NO_ENTRY && p->depth > 0) {
        answer = dwarf_siblingof_b(f->dbg, p->die[p->depth], u->in_info, &next, &error);
        if (answer != DW_DLV_ERROR)
            path_leave(p);
    }
    if (answer == DW_DLV_ERROR)
        return stats_broken(f, &error, "a DIE");
    if (answer == DW_DLV_OK)
        p->die[++p->depth] = next;
    else
        path_leave(p);
    return true;
}

/* Checks that DIEs follow one another. Then there are no more DIEs than bytes, whatever references between them say. */
static bool path_check(struct stats_file *f, struct path *p)
{
    Dwarf_Error error = NULL;
    Dwarf_Off offset;
    if (dwarf_dieoffset(p->die[p->depth], &offset, &error) != DW_DLV_OK)
        return stats_broken(f, &error, "a DIE");
    if (offset <= p->last)
        return stats_wrong(f, "its DIEs run in circles");
    p->last = offset;
    f->dies++;
    f->reached = offset;
    return true;
}

bool stats_count_dies(struct stats_file *f, const struct stats_unit *u, Dwarf_Die root)
{
    struct path p = {.die = {root}, .function = DEPTH_MOST, .inlined = DEPTH_MOST, .nested = DEPTH_MOST};
    bool ok = true;
    f->dies = 0;
    while (ok && p.depth >= 0 && (!f->end || p.last < f->end))
        ok = path_check(f, &p) && count_die(f, u, &p) && path_next(f, u, &p);
    while (p.depth >= 0)
        path_leave(&p);
    return ok;
}
