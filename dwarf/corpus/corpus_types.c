/* The types and declarations of a C header. They refer to one another as real ones do, and have the sizes and offsets
 * that a compiler would give them. How often each kind occurs, how many members there are and how long names are
 * follows CPython 3.11's extension modules, compiled by gcc 12. */
#include "dwarf/corpus/corpus_parts.h"

#include <assert.h>
#include <string.h>

enum {
    UNION_MOST = 5, /* members */
    LINKED_OF = 4,  /* one structure in so many has a pointer to itself, with dialect.various and if it has a name */
    SHORTER = 2,    /* how far behind a member's abbreviation that for a short name stands */
    BITS_PLACE_MOST = 28,                     /* the last word in which DW_AT_data_bit_offset takes one byte */
    FIELDS_MOST = 9,                          /* bit fields in a word */
    FIELDS = FIELDS_MOST / 2 + 1,             /* on average */
    MEMBERS_MOST = SCOPE_NAMES - FIELDS_MOST, /* a structure with as many gets no more */
};

struct base {
    const char *name;
    uint8_t size, encoding;
};

static const struct base base_types[BASE_TYPES] = {
    [BASE_INT] = {"int", 4, DW_ATE_signed},
    [BASE_LONG] = {"long int", 8, DW_ATE_signed},
    [BASE_UNSIGNED_LONG] = {"long unsigned int", 8, DW_ATE_unsigned},
    [BASE_FLOAT] = {"float", 4, DW_ATE_float},
    [BASE_DOUBLE] = {"double", 8, DW_ATE_float},
    [BASE_CHAR] = {"char", 1, DW_ATE_signed_char},
    [BASE_UNSIGNED_INT] = {"unsigned int", 4, DW_ATE_unsigned},
    [BASE_UNSIGNED_CHAR] = {"unsigned char", 1, DW_ATE_unsigned_char},
    [BASE_SHORT] = {"short int", 2, DW_ATE_signed},
    [BASE_BOOL] = {"_Bool", 1, DW_ATE_boolean},
};

static const struct base more_types[BASE_MORE] = {
    {"wchar_t", 4, DW_ATE_signed},
    {"char16_t", 2, DW_ATE_UTF},
    {"char32_t", 4, DW_ATE_UTF},
    {"signed char", 1, DW_ATE_signed_char},
    {"short unsigned int", 2, DW_ATE_unsigned},
    {"long long int", 8, DW_ATE_signed},
    {"long long unsigned int", 8, DW_ATE_unsigned},
    {"long double", 16, DW_ATE_float},
    {"__int128", 16, DW_ATE_signed},
    {"__int128 unsigned", 16, DW_ATE_unsigned},
};

/* The base types of Fortran, in the places of those of C. A type that Fortran lacks is the nearest that it has. */
static const struct base fortran_types[BASE_TYPES] = {
    [BASE_INT] = {"integer(kind=4)", 4, DW_ATE_signed},
    [BASE_LONG] = {"integer(kind=8)", 8, DW_ATE_signed},
    [BASE_FLOAT] = {"real(kind=4)", 4, DW_ATE_float},
    [BASE_DOUBLE] = {"real(kind=8)", 8, DW_ATE_float},
    [BASE_CHAR] = {"character(kind=1)", 1, DW_ATE_unsigned_char},
};
static const uint8_t fortran_nearest[BASE_TYPES] = {[BASE_UNSIGNED_LONG] = BASE_LONG,
                                                    [BASE_UNSIGNED_INT] = BASE_INT,
                                                    [BASE_UNSIGNED_CHAR] = BASE_CHAR,
                                                    [BASE_SHORT] = BASE_INT,
                                                    [BASE_BOOL] = BASE_INT};

static const struct base *base_of(struct dialect d, enum base_type type)
{
    if (!d.fortran)
        return &base_types[type];
    return &fortran_types[fortran_types[type].name ? type : fortran_nearest[type]];
}

const char *corpus_base_type_name(struct dialect d, enum base_type type)
{
    return type == BASE_BOOL && d.language == DWARF_CPP ? "bool" : base_of(d, type)->name;
}

const char *corpus_more_type_name(uint32_t number)
{
    return more_types[number].name;
}

uint8_t corpus_more_type_size(uint32_t number)
{
    return more_types[number].size;
}

/* Adds a base type. `listed` is the name by which an index of names lists it. */
static uint32_t add_base_type(struct header_builder *b, const struct base *base, const char *text, uint32_t listed)
{
    const uint32_t at = here(b);
    const uint32_t name = strlen(text) <= SHORT_NAME_MOST ? short_name_of(text) : listed;
    corpus_remember(b, at, base->size, base->size);
    corpus_list_entry(b, at, ABBREV_BASE_TYPE, listed, index_gdb_name(text));
    bytes_u8(&b->entries, (uint8_t)named_code(ABBREV_BASE_TYPE, name));
    bytes_u8(&b->entries, base->size);
    bytes_u8(&b->entries, base->encoding);
    corpus_put_name(b, name);
    return at;
}

void corpus_add_base_types(struct header_builder *b, const uint32_t *names)
{
    uint32_t again[BASE_ALL + BASE_MORE]; /* equal to the first header's, and not kept */
    uint32_t *type = b->header ? again : b->corpus->type;
    uint32_t *more = b->header ? again + BASE_ALL : b->corpus->more_type;
    const struct dialect d = b->corpus->dialect;
    for (unsigned i = 0; i < BASE_TYPES; i++) {
        const struct base *const base = base_of(d, i);
        if (d.fortran && base != &fortran_types[i]) {
            type[i] = type[fortran_nearest[i]];
            corpus_remember(b, type[i], base->size, base->size);
        } else {
            type[i] = add_base_type(b, base, corpus_base_type_name(d, i), names[i]);
        }
    }
    type[BASE_CONST_CHAR] = here(b);
    corpus_remember(b, here(b), 1, 1)->constant = true;
    bytes_u8(&b->entries, ABBREV_CONST);
    bytes_u32(&b->entries, type[BASE_CHAR]);
    type[BASE_STRING] = here(b);
    corpus_remember(b, here(b), 8, 8);
    bytes_u8(&b->entries, ABBREV_POINTER);
    corpus_put_constant(b, 8);
    bytes_u32(&b->entries, type[BASE_CONST_CHAR]);
    type[BASE_POINTER] = here(b);
    corpus_remember(b, here(b), 8, 8);
    bytes_u8(&b->entries, ABBREV_VOID_POINTER);
    corpus_put_constant(b, 8);
    if (d.fortran)
        corpus_add_constant_type(b);
    for (unsigned i = 0; i < BASE_MORE && d.language == DWARF_CPP; i++)
        more[i] = add_base_type(b, &more_types[i], more_types[i].name, names[BASE_TYPES + i]);
}

/* --- inline functions ------------------------------------------------------------ */

/* How many the k-th function has, if all have `average` / MANNER_USUAL on average and they are spread evenly. */
static uint8_t evenly(uint32_t average, uint32_t k)
{
    return (uint8_t)((k + 1) * average / MANNER_USUAL - k * average / MANNER_USUAL);
}

/* What inline function k has in each header: one to four parameters, at most one variable, or as the manner has it. */
static struct corpus_inline shape_of(const struct manner *m, uint32_t k)
{
    static const uint8_t parameters[] = {1, 2, 1, 2, 3, 1, 2, 4};
    const uint8_t variables = m->parameters ? evenly(m->variables, k) : k % 5 == 2;
    const uint8_t count = m->parameters ? evenly(m->parameters, k) : parameters[k % sizeof parameters];
    assert(count && count <= CORPUS_INLINE_PARAMETERS && variables <= CORPUS_INLINE_VARIABLES);
    return (struct corpus_inline){.children = (uint8_t)(count + variables),
                                  .variables = variables,
                                  .doubles = (uint8_t)((k * 5 + 2) & ((1u << count) - 1))};
}

static void add_inline_function(struct header_builder *b, uint32_t k)
{
    struct corpus_inline again; /* equal to the first header's, and not kept */
    struct corpus_inline *f = b->header ? &again : &b->corpus->inlines[k];
    const uint32_t line = corpus_inline_line(k);
    struct scope scope = {.count = 0};
    char text[96];
    *f = shape_of(&b->corpus->manner, k);
    f->at = here(b);
    bytes_u8(&b->entries, ABBREV_INLINE_FUNCTION);
    uint32_t name = corpus_unique_name(b, "", text);
    corpus_put_name(b, name);
    corpus_list_entry(b, f->at, ABBREV_INLINE_FUNCTION, name, NULL);
    corpus_list_inline(b, k, name, 0);
    corpus_declare_inline(b, line);
    bytes_u32(&b->entries, corpus_type(b->corpus, BASE_UNSIGNED_LONG));
    corpus_put_constant(b, DW_INL_declared_inlined);
    size_t sibling = bytes_u32(&b->entries, 0);
    for (uint32_t j = 0; j < f->children; j++) {
        bool is_variable = j + f->variables >= f->children;
        const uint32_t variable = corpus_variable_name(b, &scope, SHORT_NAME_MOST); /* 4 bytes long in every header */
        f->child[j] = here(b);
        bytes_u8(&b->entries,
                 (uint8_t)named_code(is_variable ? ABBREV_INLINE_VARIABLE : ABBREV_INLINE_PARAMETER, variable));
        corpus_put_name(b, variable);
        corpus_declare_inline(b, line + (is_variable ? 2 : 0));
        bytes_u32(&b->entries, corpus_type(b->corpus, f->doubles >> j & 1 ? BASE_DOUBLE : BASE_LONG));
    }
    corpus_end_children(b, sibling);
}

/* Inline functions of the source itself, of which nothing but the place is told. */
void corpus_add_line_inlines(struct header_builder *b)
{
    for (uint32_t k = 0; k < corpus_inlines(b->corpus); k++) {
        char text[96];
        b->corpus->inlines[k].at = here(b);
        bytes_u8(&b->entries, LINES_INLINE);
        corpus_put_name(b, corpus_unique_name(b, "", text));
        corpus_put_constant(b, DIALECT_SOURCE_FILE);
        bytes_uleb128(&b->entries, corpus_line_inline(k));
        corpus_put_constant(b, LINES_COLUMN);
        corpus_put_constant(b, DW_INL_declared_inlined);
    }
}

void corpus_add_c_inlines(struct header_builder *b)
{
    for (uint32_t k = 0; k < corpus_inlines(b->corpus); k++)
        add_inline_function(b, k);
}

/* --- pieces ------------------------------------------------------------------------ */

/* Adds a typedef of the type at of.offset or, if that is 0, of the type in a unit of its own with this signature. */
static void add_typedef(struct header_builder *b, struct known_type of, uint64_t signature)
{
    uint32_t at = here(b);
    char text[96];
    uint32_t line = corpus_begin_declared(b, of.offset ? ABBREV_TYPEDEF
                                                       : abbrev_type_units(b->corpus->dialect, ABBREV_TYPEDEF_SIG8));
    uint32_t name = corpus_unique_name(b, "_t", text);
    corpus_put_name(b, name);
    corpus_list_entry(b, at, ABBREV_TYPEDEF, name, NULL);
    corpus_declare(b, line);
    if (of.offset)
        bytes_u32(&b->entries, of.offset);
    else
        bytes_u64(&b->entries, signature);
    b->moved -= of.offset ? 0 : 4; /* a signature is 4 bytes longer than a reference; a header's length counts as if
                                      there were no type units */
    struct known_type *made = corpus_remember(b, at, of.size, of.align);
    made->array = of.array;
    made->constant = of.constant;
    made->atomic = of.atomic;
}

/* Ends a type that has a name and is the last entry. If types have units of their own, the type is moved to one, and an
 * entry with `code` stands in its place. */
static void settle_type(struct header_builder *b, uint32_t at, enum abbrev_code code, uint32_t size, uint32_t align)
{
    if (b->corpus->dialect.type_units) {
        uint64_t signature = corpus_move_type(b, at);
        bytes_u8(&b->entries, abbrev_type_units(b->corpus->dialect, code));
        bytes_u64(&b->entries, signature);
        b->moved -= (uint32_t)(1 + sizeof signature);
    }
    corpus_remember(b, at, size, align);
}

static void add_const(struct header_builder *b)
{
    struct known_type of = corpus_value_type(b);
    uint32_t at = here(b);
    bytes_u8(&b->entries, ABBREV_CONST);
    bytes_u32(&b->entries, of.offset);
    struct known_type *made = corpus_remember(b, at, of.size, of.align);
    made->constant = true;
    made->atomic = of.atomic;
}

static void put_pointer(struct header_builder *b, uint32_t of)
{
    bytes_u8(&b->entries, ABBREV_POINTER);
    corpus_put_constant(b, 8);
    bytes_u32(&b->entries, of);
}

/* const void, and a pointer to it, which later pieces refer to. */
static void add_void_const(struct header_builder *b)
{
    const uint32_t of = here(b);
    bytes_u8(&b->entries, ABBREV_VOID_CONST);
    corpus_remember(b, here(b), 8, 8);
    put_pointer(b, of);
}

static void add_pointer(struct header_builder *b)
{
    const uint32_t of = corpus_any_type(b).offset;
    corpus_remember(b, here(b), 8, 8);
    put_pointer(b, of);
}

/* A pointer, and a `restrict` type made of it. */
static void add_restrict(struct header_builder *b)
{
    const uint32_t pointer = here(b);
    put_pointer(b, corpus_any_type(b).offset);
    corpus_remember(b, here(b), 8, 8);
    bytes_u8(&b->entries, ABBREV_RESTRICT);
    bytes_u32(&b->entries, pointer);
}

static void add_volatile(struct header_builder *b)
{
    const struct known_type any = corpus_value_type(b);
    const struct known_type of = any.is_volatile ? b->known[BASE_INT] : any;
    const uint32_t at = here(b);
    bytes_u8(&b->entries, abbrev_various(ABBREV_VOLATILE));
    bytes_u32(&b->entries, of.offset);
    struct known_type *made = corpus_remember(b, at, of.size, of.align);
    made->is_volatile = true;
    made->atomic = of.atomic;
}

/* A structure that is only declared, and a pointer to it: all that later pieces can use of it. */
static void add_incomplete(struct header_builder *b)
{
    char text[96];
    const uint32_t of = here(b);
    bytes_u8(&b->entries, abbrev_various(ABBREV_INCOMPLETE));
    corpus_put_name(b, corpus_unique_name(b, "", text));
    corpus_remember(b, here(b), 8, 8);
    put_pointer(b, of);
}

/* A typedef of an integer that is _Atomic, as <stdatomic.h> has it. Version 4 has no tag for that: there it is of the
 * integer. */
static void add_atomic(struct header_builder *b)
{
    static const uint8_t usual[] = {BASE_INT, BASE_UNSIGNED_INT, BASE_LONG, BASE_UNSIGNED_LONG, BASE_BOOL};
    struct known_type of = b->known[usual[pick(b, sizeof usual)]];
    if (!dialect_is_4(b->corpus->dialect)) {
        const uint32_t at = here(b);
        bytes_u8(&b->entries, ABBREV_ATOMIC);
        bytes_u32(&b->entries, of.offset);
        of.offset = at;
        of.atomic = true;
    }
    add_typedef(b, of, 0);
}

void corpus_add_array(struct header_builder *b)
{
    struct known_type of = corpus_element_type(b, 16);
    uint32_t count = 2 + pick(b, 14);
    uint32_t at = here(b);
    bytes_u8(&b->entries, ABBREV_ARRAY);
    bytes_u32(&b->entries, of.offset);
    size_t sibling = bytes_u32(&b->entries, 0);
    bytes_u8(&b->entries, ABBREV_SUBRANGE);
    bytes_u32(&b->entries, corpus_type(b->corpus, BASE_UNSIGNED_LONG));
    bytes_u8(&b->entries, (uint8_t)dialect_upper_bound(b->corpus->dialect, count));
    corpus_end_children(b, sibling);
    struct known_type *made = corpus_remember(b, at, of.size * count, of.align);
    made->array = true;
    made->atomic = of.atomic;
}

static uint32_t as_many(uint32_t usual, const struct header_builder *b)
{
    enum { MOST = 120 }; /* values below 128 take one byte in any form */
    const uint32_t many = usual * b->corpus->manner.enumerators / MANNER_USUAL;
    return many < 1 ? 1 : many < MOST ? many : MOST;
}

/* How many enumerators the next enumeration of a header of C has. There are too few enumerations for random numbers to
 * even out, so these numbers come in turn. */
static uint32_t enumerators_next(const struct header_builder *b)
{
    static const uint8_t in_turn[] = {9, 13, 5, 7, 21, 4, 11, 8, 6, 14};
    return as_many(in_turn[(b->group * 3 + b->enumerations) % sizeof in_turn], b);
}

static uint32_t enumerators(struct header_builder *b)
{
    if (b->corpus->dialect.language == DWARF_CPP) {
        const uint32_t few = 3 + pick(b, 7);
        return as_many(few + (pick(b, 8) ? 0 : pick(b, 12)), b);
    }
    const uint32_t count = enumerators_next(b);
    b->enumerations++;
    return count;
}

void corpus_add_enumeration(struct header_builder *b)
{
    uint32_t at = here(b);
    char text[96];
    uint32_t line = corpus_begin_declared(b, ABBREV_ENUMERATION);
    corpus_put_constant(b, DW_ATE_unsigned);
    corpus_put_constant(b, 4);
    bytes_u32(&b->entries, corpus_type(b->corpus, BASE_UNSIGNED_INT));
    uint32_t name = corpus_unique_name(b, "_kind", text);
    corpus_put_name(b, name);
    corpus_list_entry(b, at, ABBREV_ENUMERATION, name, NULL);
    corpus_declare(b, line);
    size_t sibling = bytes_u32(&b->entries, 0);
    uint32_t count = enumerators(b);
    for (uint32_t i = 0; i < count; i++) {
        corpus_next_line(b);
        name = corpus_unique_name(b, "", text);
        corpus_list_entry(b, here(b), ABBREV_ENUMERATOR, name, NULL);
        bytes_u8(&b->entries, ABBREV_ENUMERATOR);
        corpus_put_name(b, name);
        bytes_u8(&b->entries, (uint8_t)i);
    }
    corpus_end_children(b, sibling);
    settle_type(b, at, ABBREV_ENUMERATION_SIG8, 4, 4);
}

/* Puts an entry with `code`, or with that for short names, up to a member's offset in the structure. */
static void put_member(struct header_builder *b, struct scope *scope, struct known_type type, enum abbrev_code code)
{
    const uint32_t name = corpus_variable_name(b, scope, 1);
    const uint32_t line = corpus_begin_declared(b, (enum abbrev_code)(code + (short_name_is(name) ? SHORTER : 0)));
    corpus_put_name(b, name);
    if (!dialect_is_fortran_5(b->corpus->dialect))
        corpus_declare(b, line);
    bytes_u32(&b->entries, type.offset);
}

/* Whether bit fields are due among the members of a structure. There are none in version 4, in which gcc describes them
 * by the storage around them. */
static bool are_bits_due(const struct header_builder *b)
{
    enum { STEP = 3 };
    const uint32_t before = b->group * STEP % FIELDS; /* headers do not begin alike */
    const uint64_t with = (uint64_t)b->bits + FIELDS - before;
    return with * MANNER_BITS <= (uint64_t)b->members * b->corpus->manner.bits && !dialect_is_4(b->corpus->dialect);
}

/* Adds bit fields in the unsigned int at `place`, at most `most`, and returns how many. */
static uint32_t add_bits(struct header_builder *b, struct scope *scope, uint32_t place, uint32_t most)
{
    enum { WORD = 32, WIDE_OF = 4, WIDTH_MOST = 8 };
    const uint32_t fields = 1 + pick(b, most < FIELDS_MOST ? most : FIELDS_MOST);
    uint32_t used = 0;
    uint32_t count = 0;
    for (; count < fields; count++) {
        const bool is_wide = !pick(b, WIDE_OF);
        const uint32_t width = is_wide ? 2 + pick(b, WIDTH_MOST - 1) : 1;
        if (used + width > WORD)
            break;
        put_member(b, scope, b->known[BASE_UNSIGNED_INT], (enum abbrev_code)abbrev_various(ABBREV_BITS));
        bytes_u8(&b->entries, (uint8_t)width);
        bytes_u8(&b->entries, (uint8_t)(place * 8 + used));
        used += width;
    }
    b->bits += count;
    return count;
}

/* Adds the first member of a structure: a pointer to the structure itself, as in a list. Returns where, in the entries,
 * its type is missing, which stands behind the structure. */
static size_t add_link(struct header_builder *b, struct scope *scope, uint32_t *size, uint32_t *align)
{
    *size = *align = 8;
    put_member(b, scope, (struct known_type){.size = *size, .align = *align}, ABBREV_MEMBER);
    bytes_u8(&b->entries, 0);
    return b->entries.size - 1 - sizeof(uint32_t);
}

/* Adds members, aligned, one behind the other from offset *size on, up to 240 bytes. If the first is a link, returns
 * where its type is missing, else 0. */
static size_t add_members(struct header_builder *b, uint32_t count, bool links, uint32_t *size, uint32_t *align)
{
    struct scope scope = {.count = 0};
    const size_t link = links ? add_link(b, &scope, size, align) : 0;
    b->members += count;
    for (uint32_t i = links; i < count && scope.count < MEMBERS_MOST; i++) {
        const uint32_t word = (*size + 3) & ~3U;
        if (word <= BITS_PLACE_MOST && are_bits_due(b)) {
            i += add_bits(b, &scope, word, count - i) - 1;
            *size = word + 4;
            *align = *align < 4 ? 4 : *align;
            continue;
        }
        struct known_type type = corpus_sized_type(b, count > 10 ? 8 : 64);
        uint32_t place = (*size + type.align - 1) & ~(type.align - 1);
        if (place + type.size > 240)
            break;
        put_member(b, &scope, type, ABBREV_MEMBER);
        bytes_u8(&b->entries, (uint8_t)place);
        *size = place + type.size;
        *align = type.align > *align ? type.align : *align;
    }
    return link;
}

static void add_union_members(struct header_builder *b, uint32_t count, uint32_t *size, uint32_t *align)
{
    struct scope scope = {.count = 0};
    for (uint32_t i = 0; i < count; i++) {
        struct known_type type = corpus_sized_type(b, 64);
        if (type.atomic)
            type = b->known[BASE_LONG];
        put_member(b, &scope, type, ABBREV_MEMBER);
        bytes_u8(&b->entries, 0);
        *size = type.size > *size ? type.size : *size;
        *align = type.align > *align ? type.align : *align;
    }
}

/* How many members the next structure has: most have two or three, some have many. */
static uint32_t members_next(const struct header_builder *b)
{
    enum { MEMBERS_LEAST = 1 };
    static const uint8_t in_turn[] = {2, 5, 3, 14, 2, 3, 8, 2, 3, 24, 2, 4, 3, 10, 2, 3, 6};
    const uint32_t usual = in_turn[(b->group * 5 + b->structures) % sizeof in_turn];
    return MEMBERS_LEAST + ((usual - MEMBERS_LEAST) * b->corpus->manner.members + MANNER_USUAL / 2) / MANNER_USUAL;
}

/* Whether the next structure has no name but that of a typedef. The order of every five keeps those without a name
 * apart. */
static bool is_unnamed(const struct header_builder *b)
{
    static const uint8_t order[] = {0, 3, 1, 4, 2};
    return order[b->structures % sizeof order] < b->corpus->manner.unnamed;
}

/* Whether the next structure, which has a name, has a pointer to itself. */
static bool is_linked(const struct header_builder *b)
{
    return dialect_is_various(b->corpus->dialect) && b->structures % LINKED_OF == 1;
}

/* Adds a structure or union. */
void corpus_add_aggregate(struct header_builder *b, bool is_union)
{
    uint32_t at = here(b);
    bool named = is_union || !is_unnamed(b);
    char text[96];
    uint32_t line = corpus_begin_declared(b, is_union ? ABBREV_UNION
                                             : named  ? ABBREV_STRUCTURE
                                                      : ABBREV_UNNAMED_STRUCTURE);
    if (named) {
        uint32_t name = corpus_unique_name(b, is_union ? "_u" : "", text);
        corpus_put_name(b, name);
        corpus_list_entry(b, at, is_union ? ABBREV_UNION : ABBREV_STRUCTURE, name, NULL);
    }
    size_t byte_size = bytes_u8(&b->entries, 0);
    corpus_declare(b, line);
    size_t sibling = bytes_u32(&b->entries, 0);
    uint32_t end = 0;
    uint32_t align = 1;
    size_t link = 0;
    if (is_union)
        add_union_members(b, 2 + pick(b, UNION_MOST - 1), &end, &align);
    else
        link = add_members(b, members_next(b), named && is_linked(b), &end, &align);
    b->structures += !is_union;
    corpus_end_children(b, sibling);
    uint32_t size = (end + align - 1) & ~(align - 1);
    if (!b->entries.failed)
        b->entries.data[byte_size] = (uint8_t)size;
    if (named)
        settle_type(b, at, is_union ? ABBREV_UNION_SIG8 : ABBREV_STRUCTURE_SIG8, size, align);
    else if (b->corpus->dialect.type_units)
        add_typedef(b, (struct known_type){.size = size, .align = align}, corpus_move_type(b, at));
    else
        add_typedef(b, (struct known_type){.offset = at, .size = size, .align = align}, 0);
    if (link) {
        bytes_patch_u32(&b->entries, link, here(b));
        corpus_remember(b, here(b), 8, 8);
        put_pointer(b, at);
    }
}

/* Adds parameters. In C one in FURTHER functions and types of functions takes any number of further ones, as printf
 * does. */
static void add_parameters(struct header_builder *b)
{
    enum { FURTHER = 31, FURTHER_STEP = 12 };
    const uint32_t few = 1 + pick(b, 3);
    const bool more = pick(b, 2);
    for (uint32_t n = few + more * pick(b, 2); n; n--) {
        bytes_u8(&b->entries, ABBREV_TYPE_PARAMETER);
        bytes_u32(&b->entries, corpus_value_type(b).offset);
    }
    if (b->corpus->dialect.language == DWARF_C && (b->group * FURTHER_STEP + b->functions++) % FURTHER == 0)
        bytes_u8(&b->entries, ABBREV_FURTHER_PARAMETERS);
}

void corpus_add_function_type(struct header_builder *b)
{
    uint32_t result = corpus_value_type(b).offset;
    uint32_t at = here(b);
    bytes_u8(&b->entries, ABBREV_FUNCTION_TYPE);
    bytes_u32(&b->entries, result);
    size_t sibling = bytes_u32(&b->entries, 0);
    add_parameters(b);
    corpus_end_children(b, sibling);
    /* a member can be a pointer to it, but not the type itself */
    uint32_t pointer = here(b);
    bytes_u8(&b->entries, ABBREV_POINTER);
    corpus_put_constant(b, 8);
    bytes_u32(&b->entries, at);
    corpus_remember(b, pointer, 8, 8);
}

void corpus_add_function(struct header_builder *b)
{
    char text[96];
    uint32_t line = corpus_begin_declared(b, ABBREV_DECLARED_FUNCTION);
    corpus_put_name(b, corpus_unique_name(b, "", text));
    corpus_declare(b, line);
    bytes_u32(&b->entries, corpus_value_type(b).offset);
    size_t sibling = bytes_u32(&b->entries, 0);
    add_parameters(b);
    corpus_end_children(b, sibling);
}

static void add_variable(struct header_builder *b)
{
    char text[96];
    uint32_t at = here(b);
    uint32_t line = corpus_begin_declared(b, ABBREV_EXTERN_VARIABLE);
    uint32_t name = corpus_unique_name(b, "", text);
    corpus_put_name(b, name);
    corpus_list_entry(b, at, ABBREV_EXTERN_VARIABLE, name, NULL);
    corpus_declare(b, line);
    bytes_u32(&b->entries, corpus_any_type(b).offset);
}

enum {
    KINDS_STEP = 233,  /* the golden section of MANNER_PIECES: any range of numbers comes at even distances */
    KINDS_APART = 144, /* how many pieces further, in that order, the next header begins */
    KINDS_FIRST = 216,
};

/* The kind of a header's next piece. Each kind is a range of numbers, and all headers go through the numbers in one
 * order. Small units include little more than a header's first pieces. Where few are types of functions, the first one
 * is, so that these units can have spare ones (spare_kinds.c). */
static enum manner_piece next_piece(struct header_builder *b)
{
    enum { FEW = 8 };
    const uint16_t *const piece = b->corpus->manner.piece;
    const bool is_first = !b->kinds;
    const uint32_t number = (KINDS_FIRST + (b->group * KINDS_APART + b->kinds++) * KINDS_STEP) % MANNER_PIECES;
    if (is_first && b->corpus->dialect.terse && piece[PIECE_FUNCTION_TYPE] < FEW)
        return PIECE_FUNCTION_TYPE;
    return (enum manner_piece)corpus_piece_kind(piece, PIECES, number);
}

/* How many lines a piece of this kind takes at most. */
static uint32_t lines_of(const struct header_builder *b, enum manner_piece kind)
{
    if (kind == PIECE_STRUCTURE)
        return 2 * (members_next(b) + 2);
    if (kind == PIECE_UNION)
        return 2 * (UNION_MOST + 1);
    return kind == PIECE_ENUMERATION ? 2 * (enumerators_next(b) + 1) : 2;
}

/* Chooses the line at which the piece begins, if the manner has low lines (manner.low): the header then stands for
 * many, all described as one file. The piece begins at any line below the inline functions or, if enough do or it takes
 * too many lines, behind the last one with lines of two bytes. */
static void choose_lines(struct header_builder *b, enum manner_piece kind)
{
    enum { FIRST = 2 };
    const uint8_t low = b->corpus->manner.low;
    const uint32_t lines = lines_of(b, kind) + FIRST;
    if (!low)
        return;
    if (b->line >= corpus_inline_line(0))
        b->high = b->line;
    const uint64_t all = (uint64_t)b->declared[0] + b->declared[1] + 1;
    if ((uint64_t)b->declared[1] * MANNER_LOWS >= all * low || lines >= corpus_inline_line(0))
        b->line = b->high;
    else
        b->line = FIRST + random_below(random_at(b->group, all), corpus_inline_line(0) - lines);
}

void corpus_add_c_piece(struct header_builder *b)
{
    const enum manner_piece kind = next_piece(b);
    choose_lines(b, kind);
    /* a piece that would reach the inline functions' lines begins behind them instead */
    if (b->line < corpus_inline_line(0) && b->line + lines_of(b, kind) >= corpus_inline_line(0))
        b->line = corpus_inline_line(0) - 1;
    if (kind == PIECE_STRUCTURE || kind == PIECE_UNION)
        corpus_add_aggregate(b, kind == PIECE_UNION);
    else if (kind == PIECE_TYPEDEF)
        add_typedef(b, corpus_any_type(b), 0);
    else if (kind == PIECE_ATOMIC)
        add_atomic(b);
    else if (kind == PIECE_POINTER)
        add_pointer(b);
    else if (kind == PIECE_ARRAY)
        corpus_add_array(b);
    else if (kind == PIECE_FUNCTION_TYPE)
        corpus_add_function_type(b);
    else if (kind == PIECE_CONST)
        add_const(b);
    else if (kind == PIECE_VOID_CONST)
        add_void_const(b);
    else if (kind == PIECE_VARIABLE)
        add_variable(b);
    else if (kind == PIECE_ENUMERATION)
        corpus_add_enumeration(b);
    else if (kind == PIECE_RESTRICT)
        add_restrict(b);
    else if (kind == PIECE_INCOMPLETE)
        add_incomplete(b);
    else if (kind == PIECE_VOLATILE)
        add_volatile(b);
    else if (kind == PIECE_FUNCTION && !b->corpus->dialect.fortran)
        corpus_add_function(b);
    else
        corpus_add_fortran_piece(b, kind);
}
