/* Makes the headers of corpus.h: types that refer to one another as those of a
 * C header do, with sizes and member offsets that a compiler would give them. */
#include "dwarf/corpus.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/version.h"
#include "base/words.h"

static const struct {
    const char *name;
    uint8_t size, encoding;
} base_types[BASE_TYPES] = {
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

/* Types of the header under construction that further ones may refer to. */
enum { RECENT = 256 };
struct known_type {
    uint32_t offset; /* in the unit */
    uint32_t size;   /* 0: cannot be a member */
    uint32_t align;
};

struct builder {
    struct corpus *corpus;
    struct bytes entries;
    struct bytes cuts;
    struct random random;
    struct known_type known[RECENT];
    uint32_t known_count;
    uint32_t names[RECENT]; /* member names that may be used again */
    uint32_t names_count;
    uint32_t name_start;
    uint32_t line;
    uint32_t serial; /* makes names of types unique */
    uint32_t header;
};

static uint32_t pick(struct builder *b, uint32_t n)
{
    return random_below(random_next(&b->random), n);
}

static uint32_t here(const struct builder *b)
{
    return CORPUS_START + (uint32_t)b->entries.size;
}

static struct known_type *remember(struct builder *b, uint32_t offset, uint32_t size, uint32_t align)
{
    struct known_type *k = &b->known[b->known_count < RECENT ? b->known_count : BASE_ALL + pick(b, RECENT - BASE_ALL)];
    b->known_count += b->known_count < RECENT;
    *k = (struct known_type){offset, size, align};
    return k;
}

static struct known_type any_type(struct builder *b)
{
    /* base types are more than their share of what real members have */
    return b->known[pick(b, 3) ? pick(b, b->known_count) : pick(b, BASE_ALL)];
}

static struct known_type sized_type(struct builder *b, uint32_t most)
{
    for (int tries = 0; tries < 4; tries++) {
        struct known_type k = any_type(b);
        if (k.size && k.size <= most)
            return k;
    }
    return b->known[BASE_INT];
}

static uint32_t next_line(struct builder *b)
{
    b->line += 1 + pick(b, 3);
    return b->line;
}

static void put_name(struct builder *b, uint32_t name)
{
    bytes_u32(&b->entries, name);
}

/* The names that members of one structure, or variables of one function, have. */
struct scope {
    uint32_t name[16];
    uint32_t count;
};

static bool is_taken(const struct builder *b, const struct scope *scope, uint32_t name)
{
    const char *strings = (const char *)b->corpus->strings.data;
    for (uint32_t i = 0; i < scope->count; i++)
        if (scope->name[i] == name || strcmp(strings + scope->name[i], strings + name) == 0)
            return true;
    return false;
}

/* A name of one or two words, often one that was there before, but no two alike
 * in a scope. */
static uint32_t member_name(struct builder *b, struct scope *scope)
{
    uint32_t name = 0;
    bool found = false;
    for (unsigned tries = 0; tries < 3 && !found && b->names_count > 16 && pick(b, 3); tries++) {
        name = b->names[pick(b, b->names_count)];
        found = !is_taken(b, scope, name);
    }
    while (!found && !b->corpus->strings.failed) {
        char text[64];
        size_t before = b->corpus->strings.size;
        words_identifier(random_next(&b->random), 4 + pick(b, 13), text);
        name = (uint32_t)bytes_string(&b->corpus->strings, text);
        if (b->corpus->strings.failed)
            break;
        found = !is_taken(b, scope, name);
        if (found)
            b->names[b->names_count < RECENT ? b->names_count++ : pick(b, RECENT)] = name;
        else
            b->corpus->strings.size = before;
    }
    assert(scope->count < sizeof scope->name / sizeof scope->name[0]);
    scope->name[scope->count++] = name;
    return name;
}

static uint32_t unique_name(struct builder *b, const char *suffix)
{
    char text[96];
    words_identifier(random_next(&b->random), 5 + pick(b, 12), text);
    size_t n = strlen(text);
    uint32_t serial = b->serial++ * CORPUS_HEADERS + b->header;
    char digits[12];
    unsigned count = 0;
    do {
        digits[count++] = (char)('0' + serial % 10);
        serial /= 10;
    } while (serial);
    while (count)
        text[n++] = digits[--count];
    strcpy(text + n, suffix);
    return (uint32_t)bytes_string(&b->corpus->strings, text);
}

static void declare(struct builder *b, uint32_t line)
{
    bytes_u16(&b->entries, (uint16_t)line);
    bytes_u8(&b->entries, (uint8_t)(1 + pick(b, 40)));
}

static void add_typedef(struct builder *b)
{
    struct known_type of = any_type(b);
    uint32_t at = here(b);
    bytes_u8(&b->entries, ABBREV_TYPEDEF);
    put_name(b, unique_name(b, "_t"));
    declare(b, next_line(b));
    bytes_u32(&b->entries, of.offset);
    remember(b, at, of.size, of.align);
}

static void add_pointer(struct builder *b)
{
    uint32_t of = any_type(b).offset;
    uint32_t at = here(b);
    bytes_u8(&b->entries, ABBREV_POINTER);
    bytes_u32(&b->entries, of);
    remember(b, at, 8, 8);
}

static void add_const(struct builder *b)
{
    struct known_type of = any_type(b);
    uint32_t at = here(b);
    bytes_u8(&b->entries, ABBREV_CONST);
    bytes_u32(&b->entries, of.offset);
    remember(b, at, of.size, of.align);
}

static void add_array(struct builder *b)
{
    struct known_type of = sized_type(b, 16);
    uint32_t count = 2 + pick(b, 14);
    uint32_t at = here(b);
    bytes_u8(&b->entries, ABBREV_ARRAY);
    bytes_u32(&b->entries, of.offset);
    bytes_u32(&b->entries, at + 9 + 6 + 1);
    bytes_u8(&b->entries, ABBREV_SUBRANGE);
    bytes_u32(&b->entries, corpus_type(BASE_UNSIGNED_LONG));
    bytes_u8(&b->entries, (uint8_t)(count - 1));
    bytes_u8(&b->entries, ABBREV_END);
    remember(b, at, of.size * count, of.align);
}

static void add_enumeration(struct builder *b)
{
    uint32_t at = here(b);
    bytes_u8(&b->entries, ABBREV_ENUMERATION);
    bytes_u32(&b->entries, corpus_type(BASE_UNSIGNED_INT));
    put_name(b, unique_name(b, "_kind"));
    declare(b, next_line(b));
    size_t sibling = bytes_u32(&b->entries, 0);
    uint32_t count = 2 + pick(b, 8);
    for (uint32_t i = 0; i < count; i++) {
        next_line(b);
        bytes_u8(&b->entries, ABBREV_ENUMERATOR);
        put_name(b, unique_name(b, "_id"));
        bytes_u8(&b->entries, (uint8_t)i);
    }
    bytes_u8(&b->entries, ABBREV_END);
    bytes_patch_u32(&b->entries, sibling, here(b));
    remember(b, at, 4, 4);
}

/* Members one behind the other, aligned (structure), or all at 0 (union). */
static void add_aggregate(struct builder *b, bool is_union)
{
    uint32_t at = here(b);
    bytes_u8(&b->entries, is_union ? ABBREV_UNION : ABBREV_STRUCTURE);
    put_name(b, unique_name(b, is_union ? "_u" : "_s"));
    size_t byte_size = bytes_u8(&b->entries, 0);
    declare(b, next_line(b));
    size_t sibling = bytes_u32(&b->entries, 0);
    uint32_t members = is_union ? 2 + pick(b, 3) : 2 + pick(b, 7);
    struct scope scope = {.count = 0};
    uint32_t end = 0;
    uint32_t align = 1;
    for (uint32_t i = 0; i < members; i++) {
        struct known_type type = sized_type(b, 64);
        uint32_t place = is_union ? 0 : (end + type.align - 1) & ~(type.align - 1);
        if (place + type.size > 240)
            break;
        bytes_u8(&b->entries, ABBREV_MEMBER);
        put_name(b, member_name(b, &scope));
        declare(b, next_line(b));
        bytes_u32(&b->entries, type.offset);
        bytes_u8(&b->entries, (uint8_t)place);
        end = place + type.size > end ? place + type.size : end;
        align = type.align > align ? type.align : align;
    }
    bytes_u8(&b->entries, ABBREV_END);
    uint32_t size = (end + align - 1) & ~(align - 1);
    if (!b->entries.failed)
        b->entries.data[byte_size] = (uint8_t)size;
    bytes_patch_u32(&b->entries, sibling, here(b));
    remember(b, at, size, align);
}

static void add_function_type(struct builder *b)
{
    uint32_t result = any_type(b).offset;
    uint32_t at = here(b);
    bytes_u8(&b->entries, ABBREV_FUNCTION_TYPE);
    bytes_u32(&b->entries, result);
    size_t sibling = bytes_u32(&b->entries, 0);
    uint32_t parameters = 1 + pick(b, 4);
    for (uint32_t i = 0; i < parameters; i++) {
        bytes_u8(&b->entries, ABBREV_TYPE_PARAMETER);
        bytes_u32(&b->entries, any_type(b).offset);
    }
    bytes_u8(&b->entries, ABBREV_END);
    bytes_patch_u32(&b->entries, sibling, here(b));
    /* only pointers to it can be members */
    bytes_u8(&b->entries, ABBREV_POINTER);
    bytes_u32(&b->entries, at);
    remember(b, here(b) - SIZE_POINTER, 8, 8);
}

static void add_cut(struct builder *b)
{
    struct corpus_cut cut = {(uint32_t)b->entries.size, (uint32_t)b->corpus->strings.size - b->name_start};
    bytes_append(&b->cuts, &cut, sizeof cut);
}

static void add_base_types(struct builder *b, const uint32_t *names)
{
    for (unsigned i = 0; i < BASE_TYPES; i++) {
        remember(b, here(b), base_types[i].size, base_types[i].size);
        bytes_u8(&b->entries, ABBREV_BASE_TYPE);
        bytes_u8(&b->entries, base_types[i].size);
        bytes_u8(&b->entries, base_types[i].encoding);
        bytes_u32(&b->entries, names[i]);
    }
    remember(b, here(b), 8, 8);
    bytes_u8(&b->entries, ABBREV_POINTER);
    bytes_u32(&b->entries, corpus_type(BASE_CHAR));
    remember(b, here(b), 8, 8);
    bytes_u8(&b->entries, ABBREV_VOID_POINTER);
    assert(b->entries.failed || b->entries.size == CORPUS_BASE_BYTES);
}

static void add_inline_function(struct builder *b, uint32_t k)
{
    const uint32_t line = corpus_inline_line(k);
    struct scope scope = {.count = 0};
    assert(b->entries.failed || here(b) == corpus_inline(k));
    bytes_u8(&b->entries, ABBREV_INLINE_FUNCTION);
    put_name(b, unique_name(b, ""));
    bytes_u16(&b->entries, (uint16_t)line);
    bytes_u32(&b->entries, corpus_type(BASE_UNSIGNED_LONG));
    bytes_u32(&b->entries, corpus_inline(k + 1));
    for (uint32_t child = 0; child < 2; child++) {
        bytes_u8(&b->entries, ABBREV_INLINE_PARAMETER);
        put_name(b, member_name(b, &scope));
        bytes_u16(&b->entries, (uint16_t)line);
        bytes_u8(&b->entries, (uint8_t)(30 + 14 * child + pick(b, 10)));
        bytes_u32(&b->entries, corpus_type(child ? BASE_DOUBLE : BASE_LONG));
    }
    bytes_u8(&b->entries, ABBREV_INLINE_VARIABLE);
    put_name(b, member_name(b, &scope));
    bytes_u16(&b->entries, (uint16_t)(line + 2));
    bytes_u32(&b->entries, corpus_type(BASE_LONG));
    bytes_u8(&b->entries, ABBREV_END);
}

static bool make_header(struct corpus *c, uint32_t number, uint64_t seed, const uint32_t *base_names)
{
    struct builder b = {
        .corpus = c, .header = number, .line = corpus_inline_line(CORPUS_INLINES), .random = {random_at(seed, number)}};
    struct corpus_header *h = &c->header[number];
    b.name_start = h->name_start = (uint32_t)c->strings.size;
    add_base_types(&b, base_names);
    for (uint32_t k = 0; k < CORPUS_INLINES; k++)
        add_inline_function(&b, k);
    add_cut(&b);
    while (b.entries.size < CORPUS_HEADER_BYTES && b.line < 65000 && !b.entries.failed && !c->strings.failed) {
        uint32_t kind = pick(&b, 100);
        if (kind < 29)
            add_aggregate(&b, false);
        else if (kind < 54)
            add_typedef(&b);
        else if (kind < 74)
            add_pointer(&b);
        else if (kind < 84)
            add_array(&b);
        else if (kind < 86)
            add_enumeration(&b);
        else if (kind < 92)
            add_const(&b);
        else if (kind < 93)
            add_aggregate(&b, true);
        else
            add_function_type(&b);
        add_cut(&b);
    }
    h->entries = b.entries.data;
    h->cut = (struct corpus_cut *)b.cuts.data;
    h->cuts = (uint32_t)(b.cuts.size / sizeof *h->cut);
    h->names = (uint32_t)c->strings.size - h->name_start;
    return !b.entries.failed && !b.cuts.failed && !c->strings.failed;
}

bool corpus_make(struct corpus *c, uint64_t seed)
{
    memset(c, 0, sizeof *c);
    abbrev_write(&c->abbrev);
    /* Debuggers judge by the compiler's name; behind it stands whose work it is. */
    c->producer = (uint32_t)bytes_string(&c->strings, "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -fPIC "
                                                      "(written by pyelfgen " PYELFGEN_VERSION ")");
    uint32_t base_names[BASE_TYPES];
    for (unsigned i = 0; i < BASE_TYPES; i++)
        base_names[i] = (uint32_t)bytes_string(&c->strings, base_types[i].name);
    uint64_t key = random_mix(seed ^ UINT64_C(0x636f72707573));
    for (uint32_t i = 0; i < CORPUS_NAMES; i++) {
        char name[32];
        words_identifier(random_at(key, i), 3 + i % 12, name);
        char *end = name + strlen(name);
        /* distinct: each begins or ends differently by its number */
        *end++ = (char)('a' + i % 26);
        *end++ = (char)('a' + i / 26);
        *end = '\0';
        c->name[i] = (uint32_t)bytes_string(&c->strings, name);
    }
    c->common = (uint32_t)c->strings.size;
    c->compile_directory = (uint32_t)bytes_string(&c->line_strings, "/usr/src/application");
    c->include_directory = (uint32_t)bytes_string(&c->line_strings, "include");
    bool made = true;
    for (uint32_t i = 0; i < CORPUS_HEADERS && made; i++) {
        char name[32];
        words_identifier(random_at(key, CORPUS_NAMES + i), 6 + i % 9, name);
        char *end = name + strlen(name);
        *end++ = (char)('a' + i);
        memcpy(end, ".h", 3);
        c->header[i].file = (uint32_t)bytes_string(&c->line_strings, name);
        made = make_header(c, i, key, base_names);
    }
    made = made && !c->abbrev.failed && !c->strings.failed && !c->line_strings.failed;
    if (!made)
        corpus_free(c);
    return made;
}

void corpus_free(struct corpus *c)
{
    for (unsigned i = 0; i < CORPUS_HEADERS; i++) {
        free(c->header[i].entries);
        free(c->header[i].cut);
    }
    bytes_free(&c->abbrev);
    bytes_free(&c->strings);
    bytes_free(&c->line_strings);
    memset(c, 0, sizeof *c);
}
