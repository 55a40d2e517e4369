/* Names of libraries with rows; see names_row.h. */
#include "emit/plan/names_row.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/words.h"
#include "elf/write/hash.h"
#include "emit/plan/names_mangled.h"
#include "emit/plan/names_parts.h"

enum { LETTER = 1 }; /* the fewest characters of words */
/* How many values a digit of a brief name has: the first digit, which is a letter, and the others. A brief name is
 * one that is too short for decimal digits. */
enum { BRIEF_FIRST = 26, BRIEF = 36 };

/* How many names are those of functions, as it was when their lengths were settled: more or fewer of the symbols may be
 * functions in the end, but importers have counted on the names. */
static uint32_t named_functions(const struct plan_library *l)
{
    return l->names.functions_named ? l->names.functions_named - 1 : names_row_functions(l);
}

/* Whether the name at `place` is like that of a function. The first test alone decides for exported functions, because
 * callers may ask about these while the number of small functions still changes. */
static bool is_function(const struct plan_library *l, uint32_t place)
{
    return place < l->exported || place < named_functions(l);
}

/* Characters of the shortest regular name at `place` among dynamic symbols. */
static uint32_t dynamic_least(const struct plan_library *l, uint32_t place)
{
    const uint32_t name = LETTER + names_digits(place);
    if (place >= l->names.mangled)
        return name + (uint32_t)strlen(l->prefix);
    return names_mangled_least(l, name, is_function(l, place));
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Bytes of the shortest regular names at places [from, to), with terminators. Names of one kind are as long as one
 * another if their numbers are. */
static uint64_t least_bytes(const struct plan_library *l, uint32_t from, uint32_t to)
{
    uint64_t bytes = 0;
    uint64_t power = 10; /* the first number that has more digits than `from` */
    for (uint32_t end; from < to; from = end) {
        while (power <= from)
            power *= 10;
        end = power < to ? (uint32_t)power : to;
        if (from < l->names.mangled)
            end = smaller(end, l->names.mangled);
        if (from < l->exported)
            end = smaller(end, l->exported);
        else if (is_function(l, from))
            end = smaller(end, named_functions(l));
        bytes += (end - from) * (dynamic_least(l, from) + UINT64_C(1));
    }
    return bytes;
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
    return place < l->names.mangled ? dynamic_least(l, place) : brief;
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
    return number < l->names.other_lengths ? l->names.other_length[number] : names_row_other_least(l, number);
}

uint64_t names_row_other_bytes(const struct plan_library *l)
{
    const uint32_t others = names_row_others(l);
    const uint32_t chosen = names_row_ends(l) ? others : smaller(l->names.other_lengths, others);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < chosen; i++)
        bytes += names_row_is_end(l, l->exported + i) ? 0 : names_row_other_length(l, i) + UINT64_C(1);
    return bytes + least_bytes(l, l->exported + chosen, l->exported + others);
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
    /* other threads may be settling the library's local names (rows_settle_names) while one asks for exported ones */
    const uint32_t set = __atomic_load_n(&l->names.function_lengths, __ATOMIC_ACQUIRE);
    return index < set ? l->names.function_length[index] : names_row_least(l, index);
}

uint32_t names_row_object_length(const struct plan_library *l, uint32_t number)
{
    return l->names.object_length ? l->names.object_length[number] : names_row_object_least(number);
}

uint64_t names_row_bytes(const struct plan_library *l, uint32_t from, uint32_t to)
{
    uint64_t bytes = 0;
    for (; from < to && from < l->names.function_lengths; from++)
        bytes += names_row_is_end(l, from) ? 0 : l->names.function_length[from] + UINT64_C(1);
    if (from < to) {
        const uint32_t exported = smaller(to, from < l->exported ? l->exported : from);
        bytes += least_bytes(l, from, exported) + names_digits_sum(exported, to) + (to - exported) * UINT64_C(2);
    }
    return bytes;
}

uint64_t names_row_objects(uint32_t count)
{
    return names_digits_sum(0, count) + count * UINT64_C(2);
}

/* Writes the number in this many digits of a brief name. */
static uint8_t *put_brief(uint32_t number, uint32_t digits, uint8_t *at)
{
    static const char values[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (uint32_t i = digits; i-- > 1; number /= BRIEF)
        at[i] = (uint8_t)values[number % BRIEF];
    assert(number < BRIEF_FIRST);
    at[0] = (uint8_t)values[number];
    return at + digits;
}

/* Writes the name at `place` among those of dynamic symbols, with its terminator. */
static uint8_t *put_dynamic(const struct plan_library *l, uint32_t place, uint32_t length, uint8_t *at)
{
    uint8_t *const end = at + length;
    const uint32_t prefix = (uint32_t)strlen(l->prefix);
    const int64_t ending = names_row_end_of(l, place);
    assert(length >= names_row_floor(l, place));
    if (ending != NAMES_ROW_NONE) {
        const uint32_t words = length - names_row_place_length(l, (uint32_t)ending);
        words_camel_case(names_words_key(l, place), words, (char *)at);
        at = put_dynamic(l, (uint32_t)ending, length - words, at + words) - 1;
    } else if (place < l->names.mangled) {
        names_mangled_write(l, place, length, is_function(l, place), at);
        at += length;
    } else if (length < dynamic_least(l, place)) {
        at = put_brief(place, length - prefix, put_bytes(at, l->prefix, prefix));
    } else {
        at = put_bytes(at, l->prefix, prefix);
        at = names_put_numbered(l, place, (uint32_t)(end - at), at);
    }
    assert(at == end);
    *at = '\0';
    return at + 1;
}

uint32_t names_row_shown(const struct plan *plan, const struct plan_library *l, uint32_t place)
{
    if (place >= l->names.mangled || names_row_end_of(l, place) != NAMES_ROW_NONE)
        return 0;
    if (place < l->exported && names_are_mangled(&plan->names, l)) {
        const struct function f = plan_function(l, place);
        return mangle_shown(plan->names.letters, l, place, &f);
    }
    return names_mangled_shown(l, place, names_row_place_length(l, place), is_function(l, place));
}

uint8_t *names_row_write(const struct plan_library *l, uint32_t index, uint8_t *at, uint32_t *hash)
{
    const uint32_t length = names_row_length(l, index);
    if (index < l->exported) {
        put_dynamic(l, index, length, at);
    } else {
        const uint32_t words = length - names_digits(index);
        assert(length >= names_row_least(l, index));
        words_identifier(names_words_key(l, index), words, (char *)at);
        *names_put_number(at + words, index) = '\0';
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

/* Characters of "_ZL" and, of a function, of "v" at the end; where "v" leaves a character over, the end is "ii". */
enum { LOCAL_MANGLED = sizeof "_ZL" - 1 };

/* Whether static object or local small function `number` is a function, as aliases are. */
static bool object_is_function(const struct plan_library *l, uint32_t number)
{
    const uint32_t small = plan_small_local(l);
    return number < small || plan_local_alias(l, number - small) < plan_local_aliases(l);
}

bool names_row_object_can_be_mangled(const struct plan_library *l, uint32_t number)
{
    const uint32_t length = names_row_object_length(l, number);
    const uint32_t ends = object_is_function(l, number);
    bool even = true;
    if (names_row_object_is_cold(l, number) ||
        length < LOCAL_MANGLED + ends + 2 + names_row_object_least(number) + LETTER)
        return false;
    if (!ends)
        names_within(length - LOCAL_MANGLED, &even);
    return even;
}

bool names_row_object_is_mangled(const struct plan_library *l, uint32_t number)
{
    return number < l->names.mangled_locals && names_row_object_can_be_mangled(l, number);
}

uint32_t names_row_objects_mangled(const struct plan_library *l)
{
    uint32_t count = l->cold.mangled;
    for (uint32_t i = 0; i < l->names.mangled_locals; i++)
        count += names_row_object_is_mangled(l, i) ? names_row_object_symbols(l, i) : 0;
    return count;
}

/* Writes words, '_' and the number. */
static uint8_t *put_object(const struct plan_library *l, uint32_t number, uint32_t length, uint8_t *at)
{
    const uint32_t words = length - names_row_object_least(number);
    assert(length >= names_row_object_least(number));
    words_identifier(names_words_key(l, UINT64_C(1) << 32 | number), words, (char *)at);
    at[words] = '_';
    return names_put_number(at + words + 1, number);
}

uint8_t *names_row_write_object(const struct plan_library *l, uint32_t number, uint8_t *at)
{
    const uint32_t length = names_row_object_length(l, number);
    uint8_t *const end = at + length;
    if (names_row_object_is_mangled(l, number)) {
        bool even;
        const bool ends = object_is_function(l, number);
        const uint32_t name = names_within(length - LOCAL_MANGLED - ends, &even);
        at = put_object(l, number, name, names_put_number(put_bytes(at, "_ZL", LOCAL_MANGLED), name));
        if (ends)
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
    words_identifier(names_words_key(l, UINT64_C(1) << 34), NAMES_ROW_FILE_MOST - 2, (char *)at);
    return put_bytes(at + NAMES_ROW_FILE_MOST - 2, ".c", sizeof ".c");
}
