/* Names of libraries with rows; see names_row.h. */
#include "emit/names_row.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/words.h"
#include "elf/hash.h"

enum { LETTER = 1 }; /* of words at least */
/* Values of the digits of numbers in names that are too short for decimal ones: of the first, a letter, and others. */
enum { BRIEF_FIRST = 26, BRIEF = 36 };

/* "_ZN2m3", and the end of a name that is mangled: 'E', and behind it 'v' where it is a function's. */
static uint32_t mangled_length(const struct plan_library *l, bool function)
{
    const uint32_t prefix = (uint32_t)strlen(l->prefix);
    return (uint32_t)(sizeof "_ZNE" - 1) + names_digits(prefix) + prefix + function;
}

/* Others look at exported functions alone, while how many small ones there are may change. */
static bool is_function(const struct plan_library *l, uint32_t place)
{
    return place < l->exported || place < names_row_functions(l);
}

/* Of the name at `place` among those of dynamic symbols. */
static uint32_t dynamic_least(const struct plan_library *l, uint32_t place)
{
    const uint32_t name = LETTER + names_digits(place);
    if (place >= l->mangled)
        return name + (uint32_t)strlen(l->prefix);
    return name + names_digits(name) + mangled_length(l, is_function(l, place));
}

/* Digits of a number in a brief name. */
static uint32_t brief_digits(uint32_t number)
{
    uint32_t digits = 1;
    for (uint64_t numbers = BRIEF_FIRST; numbers <= number; numbers *= BRIEF)
        digits++;
    return digits;
}

uint32_t names_row_shortest(const struct plan_library *l, uint32_t place)
{
    const uint32_t brief = (uint32_t)strlen(l->prefix) + brief_digits(place);
    return place < l->mangled ? dynamic_least(l, place) : brief;
}

uint32_t names_row_least(const struct plan_library *l, uint32_t index)
{
    return index < l->exported ? dynamic_least(l, index) : LETTER + names_digits(index);
}

uint32_t names_row_object_least(uint32_t number)
{
    return 1 + names_digits(number);
}

uint32_t names_row_other_least(const struct plan_library *l, uint32_t number)
{
    return dynamic_least(l, l->exported + number);
}

uint32_t names_row_other_length(const struct plan_library *l, uint32_t number)
{
    return number < l->other_lengths ? l->other_length[number] : names_row_other_least(l, number);
}

uint64_t names_row_other_bytes(const struct plan_library *l)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < names_row_others(l); i++)
        bytes += names_row_is_end(l, l->exported + i) ? 0 : names_row_other_length(l, i) + UINT64_C(1);
    return bytes;
}

uint32_t names_row_place_length(const struct plan_library *l, uint32_t place)
{
    return place < l->exported ? names_row_length(l, place) : names_row_other_length(l, place - l->exported);
}

uint32_t names_row_floor(const struct plan_library *l, uint32_t place)
{
    const int64_t end = names_row_end_of(l, place);
    return end == NAMES_ROW_NONE ? names_row_shortest(l, place) : names_row_place_length(l, (uint32_t)end) + LETTER;
}

uint32_t names_row_length(const struct plan_library *l, uint32_t index)
{
    return index < l->lengths ? l->function_length[index] : names_row_least(l, index);
}

uint32_t names_row_object_length(const struct plan_library *l, uint32_t number)
{
    return l->object_length ? l->object_length[number] : names_row_object_least(number);
}

uint64_t names_row_bytes(const struct plan_library *l, uint32_t from, uint32_t to)
{
    uint64_t bytes = 0;
    for (; from < to && from < l->lengths; from++)
        bytes += names_row_is_end(l, from) ? 0 : l->function_length[from] + UINT64_C(1);
    for (; from < to && from < l->exported && from < l->mangled; from++)
        bytes += names_row_least(l, from) + UINT64_C(1);
    if (from < to) {
        const uint32_t exported = to < l->exported ? to : from < l->exported ? l->exported : from;
        bytes +=
            names_digits_sum(from, to) + (to - from) * UINT64_C(2) + (exported - from) * (uint64_t)strlen(l->prefix);
    }
    return bytes;
}

uint64_t names_row_objects(uint32_t count)
{
    return names_digits_sum(0, count) + count * UINT64_C(2);
}

static uint8_t *put_number(uint8_t *p, uint32_t number)
{
    uint8_t *const end = p + names_digits(number);
    p = end;
    do {
        *--p = (uint8_t)('0' + number % 10);
        number /= 10;
    } while (number);
    return end;
}

/* What a name's words follow from: of some names the same. */
static uint64_t words_key(const struct plan_library *l, uint64_t number)
{
    const uint64_t key = random_at(plan_key(l, PURPOSE_NAMES), number);
    return (key >> 40 & 255) < l->alike ? 0 : key;
}

/* Words and the number. */
static uint8_t *put_numbered(const struct plan_library *l, uint32_t number, uint32_t length, uint8_t *at)
{
    const uint32_t words = length - names_digits(number);
    words_camel_case(words_key(l, number), words, (char *)at);
    return put_number(at + words, number);
}

/* Characters of the longest name that has room, behind their number, in so many; *even says whether it fills them. */
static uint32_t name_within(uint32_t rest, bool *even)
{
    uint32_t name = rest - 1;
    while (name + names_digits(name) > rest)
        name--;
    *even = name + names_digits(name) == rest;
    return name;
}

/* A reference to a constant object of a class S_::words<S0_, ...>: of the library's namespace and what is first in it,
 * the more often the longer the name is, as in those of templates that are made of others. */
#define PARAMETER_BEGINS "RKNS_"
#define PARAMETER_TYPE   "S0_"

/* What a long mangled name consists of. */
enum {
    WORDS_LEAST = 5, /* characters of a component, without their number */
    WORDS_KINDS = 9, /* of lengths, from the least on */
    COMPONENT_MOST = 2 + WORDS_LEAST + WORDS_KINDS - 1,
    TYPES_MOST = 6,
    TYPES_EACH = 64, /* characters of a name for each type beyond one */
    TYPE = sizeof PARAMETER_TYPE - 1,
    PARAMETER = sizeof PARAMETER_BEGINS - 1 + sizeof "IEE" - 1,
    PARAMETERS_MOST = PROFILE_NAME_MOST / (PARAMETER + WORDS_LEAST),
    LAST_LEAST = 4
};

/* Words of so many characters, and their number before them. */
static uint8_t *put_component(uint64_t key, uint32_t length, uint8_t *at)
{
    at = put_number(at, length);
    words_camel_case(key, length, (char *)at);
    return at + length;
}

/* Parameters of a function, `count` of them: of classes with names of these lengths, and so many types. */
static uint8_t *put_parameters(uint64_t key, const uint8_t *words, uint32_t count, uint32_t types, uint8_t *at)
{
    for (uint32_t i = 0; i < count; i++) {
        at = put_bytes(at, PARAMETER_BEGINS, sizeof PARAMETER_BEGINS - 1);
        at = put_u8(put_component(random_at(key, ~(uint64_t)i), words[i], at), 'I');
        for (uint32_t k = 0; k < types; k++)
            at = put_bytes(at, PARAMETER_TYPE, TYPE);
        at = put_bytes(at, "EE", 2);
    }
    return at;
}

/* The rest of a mangled name of so many characters where these are many: a class with a name of its own, what is in
 * that and, of a function, between these its parameters. */
static uint8_t *put_nested(const struct plan_library *l, uint32_t place, uint32_t rest, bool function, uint8_t *at)
{
    const uint64_t key = words_key(l, place);
    const uint32_t own = WORDS_LEAST + names_digits(place);
    const uint32_t types = 1 + (rest < TYPES_EACH * (TYPES_MOST - 1) ? rest / TYPES_EACH : TYPES_MOST - 1);
    const uint32_t size = PARAMETER + TYPE * types;
    uint8_t parameter[PARAMETERS_MOST];
    uint32_t parameters = 0;
    at = put_numbered(l, place, own, put_number(at, own));
    rest -= own + names_digits(own);
    for (uint32_t i = 0; rest > LAST_LEAST + COMPONENT_MOST + size; i++) {
        const uint32_t words = WORDS_LEAST + random_below(random_at(~key, i), WORDS_KINDS);
        const bool follows = function && i % 2 && parameters < PARAMETERS_MOST;
        rest -= names_digits(words) + words + (follows ? size : 0);
        if (follows)
            parameter[parameters++] = (uint8_t)words;
        else
            at = put_component(random_at(~key, i), words, at);
    }
    bool even;
    uint32_t name = name_within(rest + (parameters > 0), &even); /* which take the place of 'v' */
    name -= even || function ? 0 : 1;
    at = put_component(~key, name, at);
    if (!function)
        return put_bytes(at, even ? "E" : "1xE", even ? 1 : 3);
    at = put_bytes(at, "E", 1);
    if (parameters)
        return put_bytes(put_parameters(~key, parameter, parameters, types, at), "i", !even);
    return put_bytes(at, even ? "v" : "ii", even ? 1 : 2);
}

/* Where no name is as long as that with its digits, a function has a parameter more, and an object is a member. */
static uint8_t *put_mangled(const struct plan_library *l, uint32_t place, uint32_t length, uint8_t *at)
{
    const bool function = is_function(l, place);
    const size_t prefix = strlen(l->prefix);
    const uint32_t rest = length - mangled_length(l, function);
    at = put_number(put_bytes(at, "_ZN", 3), (uint32_t)prefix);
    at = put_bytes(at, l->prefix, prefix);
    if (rest > WORDS_LEAST + names_digits(place) + 2 + LAST_LEAST + COMPONENT_MOST)
        return put_nested(l, place, rest, function, at);
    bool even;
    uint32_t name = name_within(rest, &even);
    name -= even || function ? 0 : 1;
    at = put_numbered(l, place, name, put_number(at, name));
    if (!function)
        return put_bytes(at, even ? "E" : "1xE", even ? 1 : 3);
    return put_bytes(at, even ? "Ev" : "Eii", even ? 2 : 3);
}

/* The number in so many digits. */
static uint8_t *put_brief(uint32_t number, uint32_t digits, uint8_t *at)
{
    static const char values[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (uint32_t i = digits; i-- > 1; number /= BRIEF)
        at[i] = (uint8_t)values[number % BRIEF];
    assert(number < BRIEF_FIRST);
    at[0] = (uint8_t)values[number];
    return at + digits;
}

/* The name at `place` among those of dynamic symbols. */
static uint8_t *put_dynamic(const struct plan_library *l, uint32_t place, uint32_t length, uint8_t *at)
{
    uint8_t *const end = at + length;
    const uint32_t prefix = (uint32_t)strlen(l->prefix);
    const int64_t ending = names_row_end_of(l, place);
    assert(length >= names_row_floor(l, place));
    if (ending != NAMES_ROW_NONE) {
        const uint32_t words = length - names_row_place_length(l, (uint32_t)ending);
        words_camel_case(words_key(l, place), words, (char *)at);
        at = put_dynamic(l, (uint32_t)ending, length - words, at + words) - 1;
    } else if (place < l->mangled) {
        at = put_mangled(l, place, length, at);
    } else if (length < dynamic_least(l, place)) {
        at = put_brief(place, length - prefix, put_bytes(at, l->prefix, prefix));
    } else {
        at = put_bytes(at, l->prefix, prefix);
        at = put_numbered(l, place, (uint32_t)(end - at), at);
    }
    assert(at == end);
    *at = '\0';
    return at + 1;
}

uint8_t *names_row_write(const struct plan_library *l, uint32_t index, uint8_t *at, uint32_t *hash)
{
    const uint32_t length = names_row_length(l, index);
    if (index < l->exported) {
        put_dynamic(l, index, length, at);
    } else {
        const uint32_t words = length - names_digits(index);
        assert(length >= names_row_least(l, index));
        words_identifier(words_key(l, index), words, (char *)at);
        *put_number(at + words, index) = '\0';
    }
    if (hash)
        *hash = hash_gnu(HASH_GNU_START, (const char *)at, length);
    return at + length + 1;
}

uint32_t names_row_import_length(const struct plan *plan, const struct plan_library *l, uint32_t index)
{
    if (index >= l->exported)
        return names_row_other_length(l, index - l->exported);
    const struct function f = plan_function(l, index);
    return names_function(&plan->names, l, index, &f);
}

uint8_t *names_row_write_other(const struct plan_library *l, uint32_t number, uint8_t *at)
{
    return put_dynamic(l, l->exported + number, names_row_other_length(l, number), at);
}

/* "_ZL", and 'v' or "ii" at the end. */
enum { LOCAL_MANGLED = sizeof "_ZLv" - 1 };

bool names_row_object_can_be_mangled(const struct plan_library *l, uint32_t number)
{
    return names_row_object_length(l, number) >= LOCAL_MANGLED + 2 + names_row_object_least(number) + LETTER;
}

static bool object_is_mangled(const struct plan_library *l, uint32_t number)
{
    return number < l->local_mangled && names_row_object_can_be_mangled(l, number);
}

uint32_t names_row_objects_mangled(const struct plan_library *l)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->local_mangled; i++)
        count += object_is_mangled(l, i) ? names_row_object_symbols(l, i) : 0;
    return count;
}

/* Words, '_' and the number. */
static uint8_t *put_object(const struct plan_library *l, uint32_t number, uint32_t length, uint8_t *at)
{
    const uint32_t words = length - names_row_object_least(number);
    assert(length >= names_row_object_least(number));
    words_identifier(words_key(l, UINT64_C(1) << 32 | number), words, (char *)at);
    at[words] = '_';
    return put_number(at + words + 1, number);
}

uint8_t *names_row_write_object(const struct plan_library *l, uint32_t number, uint8_t *at)
{
    const uint32_t length = names_row_object_length(l, number);
    uint8_t *const end = at + length;
    if (object_is_mangled(l, number)) {
        bool even;
        const uint32_t name = name_within(length - LOCAL_MANGLED, &even);
        at = put_object(l, number, name, put_number(put_bytes(at, "_ZL", 3), name));
        at = put_bytes(at, even ? "v" : "ii", even ? 1 : 2);
    } else {
        at = put_object(l, number, length, at);
    }
    assert(at == end);
    *at = '\0';
    return end + 1;
}

uint8_t *names_row_write_file(const struct plan_library *l, uint8_t *at)
{
    words_identifier(words_key(l, UINT64_C(1) << 34), NAMES_ROW_FILE_MOST - 2, (char *)at);
    return put_bytes(at + NAMES_ROW_FILE_MOST - 2, ".c", sizeof ".c");
}
