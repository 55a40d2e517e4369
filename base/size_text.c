/* See size_text.h. */
#include "base/size_text.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The decimal units first, and the largest first, as size_text_write needs them. */
static const struct unit {
    const char *name;
    uint64_t bytes;
    bool decimal;
} units[] = {
    {"GB", 1000000000, true}, {"MB", 1000000, true},   {"kB", 1000, true},      {"B", 1, true},
    {"GiB", 1 << 30, false},  {"MiB", 1 << 20, false}, {"KiB", 1 << 10, false},
};
enum { UNIT_COUNT = sizeof units / sizeof units[0] };

/* Computes the bytes of 0.FRACTION units: fraction * unit / 10^digits. The factors 2 and 5 of 10^digits are cancelled
 * against the unit and the fraction, so the result is exact; false if a factor is left over. Once its trailing zeros
 * are gone, the fraction is not divisible by both 2 and 5. So more than 30 digits can never come out whole (GiB is
 * 2^30), and 10^30 fits in 128 bits. */
static bool fraction_read(const char *fraction, size_t digits, uint64_t unit, uint64_t *bytes)
{
    while (digits && fraction[digits - 1] == '0')
        digits--;
    if (digits > 30)
        return false;
    unsigned __int128 rest = 0;
    for (size_t i = 0; i < digits; i++)
        rest = rest * 10 + (unsigned)(fraction[i] - '0');
    for (size_t i = 0; i < digits; i++) {
        for (unsigned prime = 2; prime <= 5; prime += 3) {
            if (unit % prime == 0)
                unit /= prime;
            else if (rest % prime == 0)
                rest /= prime;
            else
                return false;
        }
    }
    *bytes = (uint64_t)rest * unit; /* less than one unit, because the fraction is less than 1 */
    return true;
}

static const struct unit *unit_of(const char *name)
{
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    }
    return NULL;
}

enum size_text size_text_read(const char *text, uint64_t *bytes)
{
    static const char digits[] = "0123456789";
    *bytes = 0;
    if (text[0] == '-')
        return SIZE_TEXT_NEGATIVE;
    const size_t whole_digits = strspn(text, digits);
    const char *name = text + whole_digits, *fraction = name + (*name == '.');
    const size_t fraction_digits = fraction == name ? 0 : strspn(fraction, digits);
    if (whole_digits == 0 || (fraction != name && fraction_digits == 0))
        return SIZE_TEXT_NONE;
    name = fraction + fraction_digits;
    if (*name == '\0')
        return strcmp(text, "0") == 0 ? SIZE_TEXT_RIGHT : SIZE_TEXT_NO_UNIT;
    const struct unit *unit = unit_of(name + (*name == ' '));
    if (!unit)
        return SIZE_TEXT_UNKNOWN;

    uint64_t whole = 0, rest;
    for (size_t i = 0; i < whole_digits; i++) {
        whole = whole * 10 + (uint64_t)(text[i] - '0');
        if (whole > SIZE_TEXT_MOST)
            return SIZE_TEXT_LARGE;
    }
    if (!fraction_read(fraction, fraction_digits, unit->bytes, &rest))
        return SIZE_TEXT_FRACTION;
    const unsigned __int128 all = (unsigned __int128)whole * unit->bytes + rest;
    if (all > SIZE_TEXT_MOST)
        return SIZE_TEXT_LARGE;
    *bytes = (uint64_t)all;
    return SIZE_TEXT_RIGHT;
}

void size_text_write(uint64_t bytes, char text[SIZE_TEXT_ROOM])
{
    const struct unit *unit = units;
    while (unit->bytes > 1 && (bytes < unit->bytes || bytes % (unit->bytes / 10) != 0))
        unit++;
    assert(unit->decimal);
    const unsigned long long whole = bytes / unit->bytes, rest = bytes % unit->bytes;
    if (rest)
        snprintf(text, SIZE_TEXT_ROOM, "%llu.%llu %s", whole, rest / (unit->bytes / 10), unit->name);
    else
        snprintf(text, SIZE_TEXT_ROOM, "%llu %s", whole, unit->name);
}
