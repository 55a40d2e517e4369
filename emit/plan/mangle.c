/* Mangling by the Itanium C++ ABI; see mangle.h.
 *
 * A class's name has one of MANGLE_SHAPES lengths, chosen by its hash. So the sum over any number of names can be
 * computed for another average without looking at the names again.
 */
#include "emit/plan/mangle.h"

#include <assert.h>
#include <string.h>

#include "base/words.h"
#include "elf/write/hash.h"
#include "emit/plan/plan.h"

/* How many sixteenths a class's name has of what the average length is beyond the least: many names have a little
 * less than the average, few have much more. */
enum { SHAPE_AVERAGE = 16, SHAPE_MOST = 44 };
static const uint8_t shapes[MANGLE_SHAPES] = {4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 24, 32, SHAPE_MOST};

static const char template_codes[TEMPLATE_TYPES] = {
    [TEMPLATE_INT] = 'i', [TEMPLATE_LONG] = 'l', [TEMPLATE_DOUBLE] = 'd', [TEMPLATE_CHAR] = 'c'};
static const char codes[ARGUMENT_TYPES] = {
    [TYPE_INT] = 'i', [TYPE_LONG] = 'l', [TYPE_FLOAT] = 'f', [TYPE_DOUBLE] = 'd', [TYPE_STRING] = 'c'};

/* <source-name>: its length in decimal, then the identifier. */
static uint32_t source_name(uint32_t length)
{
    return names_digits(length) + length;
}

/* --- classes ------------------------------------------------------------------------ */

static uint64_t class_hash(const struct plan_library *l, uint32_t number)
{
    return random_at(plan_key(l, PURPOSE_CLASSES), number);
}

static uint32_t class_shape(uint64_t hash)
{
    return (uint32_t)(hash >> 60);
}

/* Letters of a class with this shape. The shapes move closer together where the longest would otherwise be too long. */
static uint32_t shape_letters(uint32_t letters, uint32_t shape)
{
    int64_t below = (int64_t)letters - MANGLE_LEAST;
    int64_t above = ((int64_t)MANGLE_MOST - letters) * SHAPE_AVERAGE / (SHAPE_MOST - SHAPE_AVERAGE);
    int64_t spread = below < above ? below : above;
    assert(below >= 0 && above >= 0);
    return (uint32_t)((letters + (shapes[shape] - SHAPE_AVERAGE) * spread / SHAPE_AVERAGE) / MANGLE_PARTS);
}

/* Letters of a class of the library. */
static uint32_t class_letters(uint32_t letters, const struct plan_library *l, uint32_t number)
{
    return number < l->names.classes ? l->names.class_letters[number]
                                     : shape_letters(letters, class_shape(class_hash(l, number)));
}

uint32_t mangle_class_length(uint32_t letters, const struct plan_library *l, uint32_t number)
{
    return class_letters(letters, l, number) + names_digits(number);
}

static char *put_decimal(char *at, uint32_t n)
{
    uint32_t digits = names_digits(n);
    for (uint32_t i = digits; i-- > 0; n /= 10)
        at[i] = (char)('0' + n % 10);
    return at + digits;
}

/* The number at the end of a class's name makes the name unique in the library, because words have no digits. */
uint32_t mangle_class(uint32_t letters, const struct plan_library *l, uint32_t number, char *at)
{
    uint64_t hash = class_hash(l, number);
    uint32_t length = class_letters(letters, l, number);
    words_camel_case(hash, length, at);
    char *end = put_decimal(at + length, number);
    *end = '\0';
    return (uint32_t)(end - at);
}

/* --- one function ------------------------------------------------------------------- */

/* All parts but the class. Each of the methods of a class has its own set of names, so no two of them have the same. */
static struct name_parts parts_of(uint32_t index, const struct function *f)
{
    uint64_t r = random_mix(f->hash ^ UINT64_C(0x6e616d65));
    const uint32_t own = WORDS_METHODS / MANGLE_METHODS;
    return (struct name_parts){
        .class_number = index / MANGLE_METHODS,
        .method = (uint8_t)(index % MANGLE_METHODS * own + r % own),
        .is_template = random_below(r, 6) == 0,
        .type = (uint8_t)(r >> 8 & (TEMPLATE_TYPES - 1)),
        .number = (uint8_t)(r >> 16 & 15),
    };
}

struct name_parts mangle_parts(uint32_t letters, const struct plan_library *l, uint32_t index, const struct function *f)
{
    struct name_parts parts = parts_of(index, f);
    parts.class_length = mangle_class_length(letters, l, parts.class_number);
    return parts;
}

/* Characters behind the class. */
static uint32_t tail_length(const struct name_parts *parts, const struct function *f)
{
    uint32_t length = source_name(words_method_length(parts->method)) + 1;
    if (parts->is_template)
        length += (uint32_t)sizeof "IdLiEEm" - 1 + names_digits(parts->number);
    for (uint32_t j = 0; j < f->count; j++)
        length += f->type[j] == TYPE_STRING ? 3 : 1;
    return length + !f->count;
}

/* Characters before the class. */
static uint32_t namespace_length(const struct plan_library *l)
{
    return (uint32_t)sizeof "_ZN" - 1 + source_name((uint32_t)strlen(plan_prefix(l)));
}

uint32_t mangle_length(uint32_t letters, const struct plan_library *l, uint32_t index, const struct function *f)
{
    struct name_parts parts = mangle_parts(letters, l, index, f);
    return namespace_length(l) + source_name(parts.class_length) + tail_length(&parts, f);
}

uint32_t mangle_shown(uint32_t letters, const struct plan_library *l, uint32_t index, const struct function *f)
{
    enum { SEPARATOR = 2 }; /* "::", ", " */
    static const uint8_t template_shown[TEMPLATE_TYPES] = {
        [TEMPLATE_INT] = 3, [TEMPLATE_LONG] = 4, [TEMPLATE_DOUBLE] = 6, [TEMPLATE_CHAR] = 4};
    static const uint8_t shown[ARGUMENT_TYPES] = {
        [TYPE_INT] = 3, [TYPE_LONG] = 4, [TYPE_FLOAT] = 5, [TYPE_DOUBLE] = 6, [TYPE_STRING] = sizeof "char const*" - 1};
    const struct name_parts parts = mangle_parts(letters, l, index, f);
    uint32_t length = (uint32_t)strlen(plan_prefix(l)) + SEPARATOR + parts.class_length + SEPARATOR +
                      words_method_length(parts.method) + (uint32_t)sizeof "()" - 1;
    if (parts.is_template)
        length += (uint32_t)sizeof "unsigned long <, >" - 1 + template_shown[parts.type] + names_digits(parts.number);
    for (uint32_t j = 0; j < f->count; j++)
        length += shown[f->type[j]] + (j ? SEPARATOR : 0U);
    return length;
}

static void make_head(struct mangle_head *head, uint32_t letters, const struct plan_library *l, uint32_t number)
{
    uint32_t length = (uint32_t)strlen(plan_prefix(l));
    char *p = head->text;
    memcpy(p, "_ZN", 3);
    p = put_decimal(p + 3, length);
    memcpy(p, plan_prefix(l), length);
    p = put_decimal(p + length, mangle_class_length(letters, l, number));
    p += mangle_class(letters, l, number, p);
    head->library = l;
    head->class_number = number;
    head->length = (uint32_t)(p - head->text);
    head->hash = hash_gnu(HASH_GNU_START, head->text, head->length);
}

/* <bare-function-type>. `before` substitutions precede `char const`, and that
 * precedes `char const*`; all numbers are below 10 and one less in the name. */
static char *put_parameters(char *p, const struct function *f, uint32_t before)
{
    bool seen = false;
    if (!f->count)
        *p++ = 'v';
    for (uint32_t j = 0; j < f->count; j++) {
        if (f->type[j] != TYPE_STRING) {
            *p++ = codes[f->type[j]];
            continue;
        }
        memcpy(p, "PKc", 3);
        if (seen) {
            p[0] = 'S';
            p[1] = (char)('0' + before);
            p[2] = '_';
        }
        seen = true;
        p += 3;
    }
    return p;
}

uint8_t *mangle_write(struct mangle_head *head, uint32_t letters, const struct plan_library *l, uint32_t index,
                      const struct function *f, uint8_t *at, uint32_t *hash)
{
    const struct name_parts parts = parts_of(index, f);
    if (head->library != l || head->class_number != parts.class_number)
        make_head(head, letters, l, parts.class_number);
    memcpy(at, head->text, head->length);
    char *const tail = (char *)at + head->length;
    char *p = put_decimal(tail, words_method_length(parts.method));
    p = words_method(parts.method, p);
    if (parts.is_template) {
        *p++ = 'I';
        *p++ = template_codes[parts.type];
        memcpy(p, "Li", 2);
        p = put_decimal(p + 2, parts.number);
        memcpy(p, "EE", 2);
        p += 2;
    }
    *p++ = 'E';
    if (parts.is_template)
        *p++ = 'm';
    p = put_parameters(p, f, parts.is_template ? 3 : 2);
    assert((uint32_t)(p - tail) == tail_length(&parts, f));
    *p = '\0';
    if (hash)
        *hash = hash_gnu(head->hash, tail, (size_t)(p - tail));
    return (uint8_t *)p + 1;
}

/* --- many --------------------------------------------------------------------------- */

static void count_one(struct mangle_tally *t, const struct plan_library *l, uint32_t index)
{
    const struct function f = function_of(l->key, index);
    const struct name_parts parts = parts_of(index, &f);
    t->rest += tail_length(&parts, &f);
}

static void count_class(struct mangle_tally *t, const struct plan_library *l, uint32_t number, uint64_t names)
{
    t->shape[names_digits(number) - 1][class_shape(class_hash(l, number))] += names;
}

void mangle_count(struct mangle_tally *t, const struct plan_library *l, uint32_t index)
{
    t->rest += namespace_length(l) + 1;
    count_one(t, l, index);
    count_class(t, l, index / MANGLE_METHODS, 1);
}

void mangle_count_all(struct mangle_tally *t, const struct plan_library *l)
{
    t->rest += l->functions * (namespace_length(l) + UINT64_C(1));
    for (uint32_t i = 0; i < l->functions; i++)
        count_one(t, l, i);
    for (uint32_t i = 0; i < l->functions; i += MANGLE_METHODS) {
        uint32_t left = l->functions - i;
        count_class(t, l, i / MANGLE_METHODS, left < MANGLE_METHODS ? left : MANGLE_METHODS);
    }
}

void mangle_add(struct mangle_tally *sum, const struct mangle_tally *t)
{
    sum->rest += t->rest;
    for (uint32_t d = 0; d < MANGLE_NUMBER_MOST; d++)
        for (uint32_t s = 0; s < MANGLE_SHAPES; s++)
            sum->shape[d][s] += t->shape[d][s];
}

uint64_t mangle_total(const struct mangle_tally *t, uint32_t letters)
{
    uint64_t sum = t->rest;
    for (uint32_t s = 0; s < MANGLE_SHAPES; s++) {
        uint32_t length = shape_letters(letters, s);
        for (uint32_t d = 0; d < MANGLE_NUMBER_MOST; d++)
            sum += t->shape[d][s] * source_name(length + d + 1);
    }
    return sum;
}
