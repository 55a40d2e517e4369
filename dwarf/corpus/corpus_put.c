/* What the pieces of headers are made of: known types, names, lines, the ends of entries; see corpus_parts.h. */
#include <assert.h>
#include <string.h>

#include "base/words.h"
#include "dwarf/corpus/corpus_parts.h"

enum { NAMES_STEP = 29, NAMES_MOST = 1 << 16 }; /* they have no common factor, so numbers of names do not repeat */

struct known_type *corpus_remember(struct header_builder *b, uint32_t offset, uint32_t size, uint32_t align)
{
    struct known_type *k = &b->known[b->known_count < RECENT ? b->known_count : BASE_ALL + pick(b, RECENT - BASE_ALL)];
    b->known_count += b->known_count < RECENT;
    *k = (struct known_type){.offset = offset, .size = size, .align = align};
    return k;
}

struct known_type corpus_any_type(struct header_builder *b)
{
    /* real members have base types more often than these are among all types */
    return b->known[pick(b, 3) ? pick(b, b->known_count) : pick(b, BASE_ALL)];
}

struct known_type corpus_value_type(struct header_builder *b)
{
    const struct known_type k = corpus_any_type(b);
    return k.array || k.constant ? b->known[k.size % BASE_TYPES] : k; /* by size: with type units the same type */
}

struct known_type corpus_sized_type(struct header_builder *b, uint32_t most)
{
    for (int tries = 0; tries < 4; tries++) {
        struct known_type k = corpus_any_type(b);
        if (k.size && k.size <= most)
            return k;
    }
    return b->known[BASE_INT];
}

struct known_type corpus_element_type(struct header_builder *b, uint32_t most)
{
    const struct known_type k = corpus_sized_type(b, most);
    return k.array && b->corpus->dialect.fortran ? b->known[BASE_DOUBLE] : k;
}

/* The header's next line. The lines of the inline functions are skipped. Where the manner asks for low lines, these are
 * farther apart, as if there were more comments. */
uint32_t corpus_next_line(struct header_builder *b)
{
    const bool is_low = b->corpus->manner.low && b->line < corpus_inline_line(0);
    b->line += pick(b, is_low ? 2 : 8) ? 1 : 2;
    if (b->line >= corpus_inline_line(0) && b->line < corpus_inline_line(CORPUS_INLINES))
        b->line = corpus_inline_line(CORPUS_INLINES);
    return b->line;
}

void corpus_put_constant(struct header_builder *b, uint8_t value)
{
    if (dialect_is_4(b->corpus->dialect))
        bytes_u8(&b->entries, value);
}

void corpus_put_name(struct header_builder *b, uint32_t name)
{
    uint8_t bytes[4];
    bytes_append(&b->entries, bytes, (size_t)(short_name_put(bytes, name) - bytes));
}

uint32_t corpus_begin_declared(struct header_builder *b, enum abbrev_code code)
{
    uint32_t line = corpus_next_line(b);
    b->early = line < 256;
    b->declared[b->early]++;
    bytes_u8(&b->entries, (uint8_t)(b->early ? code + 1u : code));
    return line;
}

void corpus_declare(struct header_builder *b, uint32_t line)
{
    const struct dialect d = b->corpus->dialect;
    const uint8_t file = dialect_declaring_file(d);
    if (b->early) {
        if (dialect_names_header(d))
            bytes_u8(&b->entries, file);
        bytes_u8(&b->entries, (uint8_t)line);
    } else {
        if (!dialect_is_fortran_5(d))
            bytes_u8(&b->entries, file);
        bytes_u16(&b->entries, (uint16_t)line);
    }
    b->early = false;
    bytes_u8(&b->entries, (uint8_t)(1 + pick(b, 40)));
}

void corpus_declare_inline(struct header_builder *b, uint32_t line)
{
    bytes_u8(&b->entries, DIALECT_HEADER_FILE);
    bytes_u16(&b->entries, (uint16_t)line);
    bytes_u8(&b->entries, (uint8_t)(1 + pick(b, 40)));
}

void corpus_end_children(struct header_builder *b, size_t sibling)
{
    bytes_u8(&b->entries, ABBREV_END);
    if (sibling != NO_SIBLING)
        bytes_patch_u32(&b->entries, sibling, here(b));
}

uint32_t corpus_add_string(struct header_builder *b, const char *text)
{
    struct bytes *strings = &b->corpus->strings;
    const size_t before = strings->size;
    const uint32_t name = corpus_put_string(b->corpus, text);
    assert(!b->repeats || strings->failed || b->entries.failed || strings->size == before);
    if (b->repeats && name == b->repeated)
        b->repeated += (uint32_t)strlen(text) + 1;
    return name;
}

/* What is_taken compares first: a short name, or the four bytes that any other begins with. These have a zero where
 * short names have SHORT_NAME_BIT. */
static uint32_t head_of(const char *text)
{
    uint32_t head;
    if (strnlen(text, SHORT_NAME_MOST + 1) <= SHORT_NAME_MOST)
        return short_name_of(text);
    memcpy(&head, text, sizeof head);
    return head;
}

/* Whether the scope has this name; `head` is head_of(text). */
static bool is_taken(const struct header_builder *b, const struct scope *scope, uint32_t head, const char *text)
{
    const char *strings = (const char *)b->corpus->strings.data;
    for (uint32_t i = 0; i < scope->count; i++)
        if (scope->head[i] == head && (short_name_is(head) || strcmp(strings + scope->name[i], text) == 0))
            return true;
    return false;
}

bool corpus_is_keyword(const char *text)
{
    static const char keywords[][SHORT_NAME_MOST + 1] = {"if",  "do",  "or",  "for", "int", "asm",
                                                         "and", "not", "xor", "new", "try"};
    for (unsigned i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (strcmp(text, keywords[i]) == 0)
            return true;
    return false;
}

static uint32_t take_name(struct scope *scope, uint32_t name, uint32_t head)
{
    assert(scope->count < SCOPE_NAMES);
    scope->head[scope->count] = head;
    scope->name[scope->count++] = name;
    return name;
}

uint32_t corpus_member_name(struct header_builder *b, struct scope *scope)
{
    uint32_t name = 0;
    uint32_t head = 0;
    bool found = false;
    for (unsigned tries = 0; tries < 3 && !found && b->names_count > 16 && pick(b, 3); tries++) {
        name = b->names[pick(b, b->names_count)];
        const char *const text = (const char *)b->corpus->strings.data + name;
        head = head_of(text);
        found = !is_taken(b, scope, head, text);
    }
    while (!found && !b->corpus->strings.failed) {
        char text[64];
        const uint32_t length = 4 + pick(b, 14);
        words_identifier(random_next(&b->random), length, text);
        head = head_of(text);
        found = !is_taken(b, scope, head, text);
        if (!found)
            continue;
        name = corpus_add_string(b, text);
        b->names[b->names_count < RECENT ? b->names_count++ : pick(b, RECENT)] = name;
    }
    return take_name(scope, name, head);
}

uint32_t corpus_variable_name(struct header_builder *b, struct scope *scope, uint32_t least)
{
    static const uint8_t one_of[] = {[DWARF_C] = 8, [DWARF_CPP] = 6};
    char text[SHORT_NAME_MOST + 1];
    if (pick(b, one_of[b->corpus->dialect.language]))
        return corpus_member_name(b, scope);
    const uint32_t length = least + pick(b, SHORT_NAME_MOST + 1 - least);
    words_identifier(random_next(&b->random), length, text);
    const uint32_t name = short_name_of(text);
    return is_taken(b, scope, name, text) || corpus_is_keyword(text) ? corpus_member_name(b, scope)
                                                                     : take_name(scope, name, name);
}

/* The prefix that all of a header's names have, as those of a library's interface do; then the number in words. */
uint32_t corpus_unique_name(struct header_builder *b, const char *suffix, char *text)
{
    char *end = words_numbered(b->serial++ * NAMES_STEP % NAMES_MOST, stpcpy(text, b->prefix));
    strcpy(end, suffix);
    assert(b->serial <= NAMES_MOST);
    return corpus_add_string(b, text);
}
