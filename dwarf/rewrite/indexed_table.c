/* Tables of abbreviations in clang's form: see indexed.h. */
#include <assert.h>

#include "base/random.h"
#include "dwarf/form/clang.h"
#include "dwarf/rewrite/indexed_parts.h"

/* --- as they were ------------------------------------------------------------------ */

/* The rule as far as the form alone decides it. */
static struct indexed_rule rule_for(uint32_t name, uint32_t form)
{
    switch (form) {
    case DW_FORM_data1:
        return (struct indexed_rule){.does = INDEXED_COPY, .size = 1};
    case DW_FORM_data2:
        return (struct indexed_rule){.does = INDEXED_COPY, .size = 2};
    case DW_FORM_data4:
        return (struct indexed_rule){.does = INDEXED_COPY, .size = 4};
    case DW_FORM_data8:
        return (struct indexed_rule){.does = INDEXED_SHORTER, .size = 8};
    case DW_FORM_flag_present:
        return (struct indexed_rule){.does = INDEXED_COPY};
    case DW_FORM_implicit_const:
        return (struct indexed_rule){.does = name == DW_AT_inline ? INDEXED_KEEP : INDEXED_SAY};
    case DW_FORM_string:
        return (struct indexed_rule){.does = INDEXED_TEXT};
    case DW_FORM_ref4:
        return (struct indexed_rule){.does = INDEXED_REFERENCE, .size = 4};
    case DW_FORM_exprloc:
        return (struct indexed_rule){.does = INDEXED_EXPRESSION};
    case DW_FORM_strp:
        return (struct indexed_rule){.does = INDEXED_STRING, .size = 4};
    case DW_FORM_line_strp:
        return (struct indexed_rule){.does = INDEXED_LINE_STRING, .size = 4};
    case DW_FORM_addr:
        return (struct indexed_rule){.does = INDEXED_ADDRESS, .size = 8};
    default:
        assert(form == DW_FORM_sec_offset);
        return (struct indexed_rule){.does = name == DW_AT_ranges ? INDEXED_PIECES : INDEXED_LOCATIONS, .size = 4};
    }
}

static uint8_t form_of(const struct indexed_rule *rule, uint32_t form)
{
    switch ((enum indexed_does)rule->does) {
    case INDEXED_SAY:
        return DW_FORM_data1;
    case INDEXED_ADDRESS:
        return DW_FORM_addrx;
    case INDEXED_LOCATIONS:
        return DW_FORM_loclistx;
    case INDEXED_PIECES:
        return DW_FORM_rnglistx;
    case INDEXED_UNSIGNED:
        return DW_FORM_udata;
    case INDEXED_SIGNED:
        return DW_FORM_sdata;
    case INDEXED_SHORTER:
        return DW_FORM_data4;
    default:
        return (uint8_t)form;
    }
}

/* What becomes of a number depends on the attribute. */
static uint8_t number_does(uint32_t tag, uint32_t name)
{
    switch (name) {
    case DW_AT_decl_line:
    case DW_AT_call_line:
        return INDEXED_NUMBER;
    case DW_AT_upper_bound:
        return INDEXED_COUNT;
    case DW_AT_const_value:
        return tag == DW_TAG_enumerator || tag == DW_TAG_template_value_parameter ? INDEXED_UNSIGNED : INDEXED_SIGNED;
    default:
        return INDEXED_COPY;
    }
}

static struct indexed_rule rule_of(uint32_t tag, uint32_t name, uint32_t form, bool declares)
{
    struct indexed_rule rule = rule_for(name, form);
    rule.name = (uint16_t)clang_attribute(tag, name, declares);
    if (rule.does == INDEXED_COPY && rule.size)
        rule.does = number_does(tag, name);
    rule.form = form_of(&rule, form);
    if (!rule.name) {
        const bool has_bytes = rule.does != INDEXED_SAY && rule.does != INDEXED_KEEP;
        assert(!has_bytes || rule.size); /* only what has a fixed size is left out */
        rule.does = INDEXED_DROP;
    }
    return rule;
}

/* Whether the attributes of an abbreviation, which begin at `p`, include this one. */
static bool has_attribute(const uint8_t *p, uint32_t wanted)
{
    for (;;) {
        const uint32_t name = (uint32_t)take_uleb128(&p);
        const uint32_t form = (uint32_t)take_uleb128(&p);
        if (!name || name == wanted)
            return name;
        if (form == DW_FORM_implicit_const)
            p = skip_leb128(p);
    }
}

/* Whether the entries are parameters or variables of inlined functions that are nowhere. Their attributes begin at `p`.
 */
static bool is_nowhere(uint32_t tag, const uint8_t *p)
{
    return (tag == DW_TAG_formal_parameter || tag == DW_TAG_variable) && has_attribute(p, DW_AT_abstract_origin) &&
           !has_attribute(p, DW_AT_location) && !has_attribute(p, DW_AT_const_value);
}

static const uint8_t *read_entry(struct dialect d, struct indexed_entry *entry, const uint8_t *p)
{
    enum { PASS_BY_REFERENCE = 4 }; /* DW_CC_pass_by_reference */
    struct indexed_rule *rule = entry->rule;
    entry->tag = (uint16_t)take_uleb128(&p);
    entry->children = *p++;
    const bool declares = has_attribute(p, DW_AT_declaration);
    const bool is_gone = is_nowhere(entry->tag, p);
    if (clang_has_convention(d, entry->tag) && has_attribute(p, DW_AT_byte_size))
        *rule++ = (struct indexed_rule){
            .name = DW_AT_calling_convention, .does = INDEXED_SAY, .form = DW_FORM_data1, .value = PASS_BY_REFERENCE};
    for (;; rule++) {
        const uint32_t name = (uint32_t)take_uleb128(&p);
        const uint32_t form = (uint32_t)take_uleb128(&p);
        assert(rule < entry->rule + INDEXED_ATTRIBUTES_MOST);
        if (!name)
            break;
        *rule = rule_of(entry->tag, name, form, declares);
        if (form == DW_FORM_implicit_const)
            rule->value = (int32_t)take_sleb128(&p);
    }
    if (is_gone)
        *rule++ = (struct indexed_rule){.name = DW_AT_location, .does = INDEXED_PLACE, .form = DW_FORM_exprloc};
    *rule = (struct indexed_rule){.does = INDEXED_END};
    return p;
}

static bool is_number(enum indexed_does does)
{
    return does == INDEXED_NUMBER || does == INDEXED_COUNT;
}

/* Whether the form depends on the value. */
static bool is_wide(enum indexed_does does)
{
    return does == INDEXED_PLACE || does == INDEXED_TEXT || does == INDEXED_STRING || does == INDEXED_LINE_STRING ||
           is_number(does);
}

/* What an abbreviation has for an attribute, without what depends on the value; 0 for an attribute that is left out. */
static uint64_t shape_of(const struct indexed_rule *rule)
{
    enum { NAME = 8, VALUE = 24 };
    if (rule->does == INDEXED_DROP)
        return 0;
    const uint32_t form = !is_wide(rule->does) || rule->does == INDEXED_PLACE ? rule->form
                          : is_number(rule->does)                             ? DW_FORM_data1
                                                                              : DW_FORM_strx1;
    const uint64_t value = rule->does == INDEXED_KEEP ? (uint32_t)rule->value : 0;
    return form | (uint64_t)rule->name << NAME | value << VALUE | (uint64_t)is_wide(rule->does) << 63;
}

/* The next attribute that is not left out, or the end. */
static const struct indexed_rule *next_rule(const struct indexed_rule *rule)
{
    while (rule->does == INDEXED_DROP)
        rule++;
    return rule;
}

static bool become_same(const struct indexed_entry *a, const struct indexed_entry *b)
{
    const struct indexed_rule *p = next_rule(a->rule);
    const struct indexed_rule *q = next_rule(b->rule);
    if (a->hash != b->hash || a->tag != b->tag || a->children != b->children)
        return false;
    while (p->does != INDEXED_END && q->does != INDEXED_END && shape_of(p) == shape_of(q)) {
        p = next_rule(p + 1);
        q = next_rule(q + 1);
    }
    return p->does == INDEXED_END && q->does == INDEXED_END;
}

/* Sets entry->same to the first code of the table, `code` or one before it, whose entries become the same. That is so
 * for entries with the name inside and those without, and for entries with lines of one and of two bytes. */
static void find_same(const struct indexed *x, struct indexed_entry *entry, uint64_t code)
{
    const struct indexed_entry *const before = (const struct indexed_entry *)(const void *)x->rules.data;
    const size_t count = x->rules.size / sizeof *before;
    entry->same = (uint16_t)code;
    entry->hash = random_mix(entry->tag);
    for (const struct indexed_rule *r = next_rule(entry->rule); r->does != INDEXED_END; r = next_rule(r + 1))
        entry->hash = random_mix(entry->hash ^ shape_of(r));
    for (size_t i = 0; i < count; i++)
        if (become_same(&before[i], entry)) {
            entry->same = before[i].same;
            return;
        }
}

void indexed_read_table(struct indexed *x, uint32_t table)
{
    const uint8_t *p = x->from.places.section[DEBUG_ABBREV] + table;
    if (x->rules.size && x->table == table)
        return;
    x->table = table;
    x->rules.size = x->first.size = 0;
    for (uint64_t code; (code = take_uleb128(&p));) {
        struct indexed_entry entry = {.tag = 0};
        const size_t end = (size_t)(code + 1) * sizeof(uint32_t);
        p = read_entry(x->from.dialect, &entry, p);
        if (x->first.size < end)
            bytes_append(&x->first, NULL, end - x->first.size);
        if (!x->first.failed)
            put_u32(x->first.data + code * sizeof(uint32_t), (uint32_t)x->rules.size);
        assert(code <= UINT16_MAX);
        find_same(x, &entry, code);
        bytes_append(&x->rules, &entry, sizeof entry);
    }
}

const struct indexed_entry *indexed_entry_of(const struct indexed *x, uint64_t code)
{
    return (const struct indexed_entry *)(const void *)(x->rules.data + bytes_number(&x->first, code));
}

/* --- as they become ------------------------------------------------------------------ */

static void begin_code(struct bytes *out, uint64_t code, uint32_t tag, bool children)
{
    bytes_uleb128(out, code);
    bytes_uleb128(out, tag);
    bytes_u8(out, children);
}

static void put_pair(struct bytes *out, uint32_t name, uint32_t form)
{
    bytes_uleb128(out, name);
    bytes_uleb128(out, form);
}

/* The form for strings of 1, 2 and 3 bytes, or numbers of 1, 2 and 4. */
static uint32_t form_wide(enum indexed_does does, unsigned width)
{
    static const uint8_t strings[] = {DW_FORM_strx1, DW_FORM_strx2, DW_FORM_strx3};
    static const uint8_t numbers[] = {DW_FORM_data1, DW_FORM_data2, DW_FORM_data4};
    assert(width < sizeof strings);
    return is_number(does) ? numbers[width] : strings[width];
}

uint32_t indexed_code(struct indexed *x, const struct indexed_entry *entry, uint64_t widths)
{
    enum { CODE_BITS = 16 };
    struct bytes *const out = &x->section[INDEXED_ABBREV];
    const uint32_t known = numbers_count(&x->codes);
    const uint32_t number = numbers_of(&x->codes, widths << CODE_BITS | entry->same);
    if (number != known)
        return number + 1;
    begin_code(out, number + UINT64_C(1), entry->tag, entry->children);
    for (const struct indexed_rule *rule = entry->rule; rule->does != INDEXED_END; rule++) {
        if (rule->does == INDEXED_DROP)
            continue;
        const bool wide = is_wide(rule->does);
        if (rule->does != INDEXED_PLACE)
            put_pair(out, rule->name, wide ? form_wide(rule->does, widths & 3) : rule->form);
        else if (widths & 3)
            put_pair(out, rule->name, rule->form);
        widths >>= wide ? 2 : 0;
        if (rule->does == INDEXED_KEEP)
            bytes_sleb128(out, rule->value);
    }
    bytes_u16(out, 0);
    return number + 1;
}

void indexed_put_unit_code(struct indexed *x)
{
    const struct indexed_unit *const u = &x->unit;
    struct bytes *const out = &x->section[INDEXED_ABBREV];
    begin_code(out, numbers_of(&x->codes, 0) + UINT64_C(1), DW_TAG_compile_unit, true);
    put_pair(out, DW_AT_producer, DW_FORM_strx1);
    put_pair(out, DW_AT_language, DW_FORM_data2);
    put_pair(out, DW_AT_name, DW_FORM_strx1);
    put_pair(out, DW_AT_str_offsets_base, DW_FORM_sec_offset);
    put_pair(out, DW_AT_stmt_list, DW_FORM_sec_offset);
    put_pair(out, DW_AT_comp_dir, DW_FORM_strx1);
    if (u->size) {
        put_pair(out, DW_AT_low_pc, DW_FORM_addrx);
        put_pair(out, DW_AT_high_pc, DW_FORM_data4);
    }
    if (u->has_addresses)
        put_pair(out, DW_AT_addr_base, DW_FORM_sec_offset);
    if (u->has_ranges)
        put_pair(out, DW_AT_rnglists_base, DW_FORM_sec_offset);
    if (u->has_locations)
        put_pair(out, DW_AT_loclists_base, DW_FORM_sec_offset);
    bytes_u16(out, 0);
}

void indexed_put_fill_codes(struct indexed *x)
{
    struct bytes *const out = &x->section[INDEXED_ABBREV];
    begin_code(out, INDEXED_FILL_TYPE, DW_TAG_pointer_type, false);
    put_pair(out, DW_AT_type, DW_FORM_ref4);
    bytes_u16(out, 0);
    begin_code(out, INDEXED_FILL_VOID, DW_TAG_pointer_type, false);
    bytes_u16(out, 0);
    numbers_of(&x->codes, UINT64_MAX);
    numbers_of(&x->codes, UINT64_MAX - 1);
}

/* --- what no entry uses ----------------------------------------------------------------- */

/* Attributes of abbreviations that no entry uses. Each takes two bytes with its form. DW_AT_alignment, below, takes
 * three. */
static const uint8_t unused[][2] = {
    {DW_AT_name, DW_FORM_strx1},
    {DW_AT_type, DW_FORM_ref4},
    {DW_AT_decl_file, DW_FORM_data1},
    {DW_AT_decl_line, DW_FORM_data1},
    {DW_AT_external, DW_FORM_flag_present},
    {DW_AT_location, DW_FORM_exprloc},
    {DW_AT_declaration, DW_FORM_flag_present},
    {DW_AT_artificial, DW_FORM_flag_present},
    {DW_AT_const_value, DW_FORM_sdata},
    {DW_AT_abstract_origin, DW_FORM_ref4},
    {DW_AT_specification, DW_FORM_ref4},
    {DW_AT_linkage_name, DW_FORM_strx2},
    {DW_AT_accessibility, DW_FORM_data1},
    {DW_AT_virtuality, DW_FORM_data1},
    {DW_AT_byte_size, DW_FORM_data1},
    {DW_AT_containing_type, DW_FORM_ref4},
};

static void put_unused(struct bytes *out, uint64_t code, uint64_t pairs, bool odd)
{
    assert(pairs <= sizeof unused / sizeof unused[0]);
    begin_code(out, code, DW_TAG_variable, false);
    for (uint64_t i = 0; i < pairs; i++)
        put_pair(out, unused[i][0], unused[i][1]);
    if (odd)
        put_pair(out, DW_AT_alignment, DW_FORM_udata);
    bytes_u16(out, 0);
}

void indexed_end_table(struct indexed *x, uint64_t longer)
{
    enum { EACH = 5, OTHERS = 4 }; /* attributes of each; its bytes beside these and the code */
    struct bytes *const out = &x->section[INDEXED_ABBREV];
    uint64_t code = numbers_count(&x->codes) + UINT64_C(1);
    x->table_end = out->size;
    if (x->unit.is_last) {
        for (uint64_t size; (size = leb128_unsigned_size(code) + OTHERS + 2 * EACH) + OTHERS <= longer; code++) {
            put_unused(out, code, EACH, false);
            longer -= size + leb128_unsigned_size(code + 1) - leb128_unsigned_size(code);
        }
        /* At the least there is the first attribute alone. The attribute of three bytes takes the place of one of two.
         */
        const uint64_t pairs = 1 + longer / 2;
        put_unused(out, code, longer % 2 ? pairs - 1 : pairs, longer % 2);
    }
    bytes_u8(out, 0);
}

void indexed_reopen_table(struct indexed *x)
{
    x->section[INDEXED_ABBREV].size = x->table_end;
}
