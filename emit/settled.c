/* Reads what was found for a profile; see settled.h. */
#include "emit/settled.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/manner_numbers.h"
#include "dwarf/short_name.h"
#include "dwarf/unit.h"
#include "emit/describe.h"
#include "emit/mix.h"
#include "emit/settled_parts.h"

enum { EACH_LEAST = 10 /* bytes of a local (mix_besides) */ };

const char *const settled_languages[DEBUG_LANGUAGES] = {
    [LANGUAGE_C] = "c", [LANGUAGE_CPP] = "c++", [LANGUAGE_FORTRAN] = "fortran"};

const struct settled_value settled_values[SETTLED_VALUES] = {
    {'t', 1, DESCRIBE_TOLD_ALL},
    {'x', DESCRIBE_EXPRESSION_LEAST - DESCRIBE_EXPRESSION_PARTS, DESCRIBE_EXPRESSION_MOST},
    {'r', DESCRIBE_ROWS_ANY, DESCRIBE_ROWS_MOST},
    {'b', 0, UINT32_MAX},
    {'l', 0, SHORT_NAME_MOST},
    {'e', 0, PLAN_EVEN_STEPS - 1},
};

void settled_values_of(const struct plan_mix *m, int64_t value[SETTLED_VALUES])
{
    const int64_t all[SETTLED_VALUES] = {m->told, m->expression, m->rows_part, m->besides, m->letters, m->even};
    memcpy(value, all, sizeof all);
}

static void set_values(struct plan_mix *m, const int64_t value[SETTLED_VALUES])
{
    m->told = (uint32_t)value[0];
    m->expression = (int32_t)value[1];
    m->rows_part = (int32_t)value[2];
    m->besides = (uint32_t)value[3];
    m->letters = (uint32_t)value[4];
    m->even = (uint8_t)value[5];
}

/* --- whether it is for the profile ------------------------------------------------------ */

void settled_digest(const uint64_t digest[2], char text[SETTLED_DIGEST])
{
    snprintf(text, SETTLED_DIGEST, "%016" PRIx64 "%016" PRIx64, digest[0], digest[1]);
}

bool settled_is_for(const struct profile *profile, bool *is_for, struct error *e)
{
    uint64_t of_profile[2], digest[2];
    char text[SETTLED_DIGEST];
    *is_for = false;
    if (!profile->settled.of || !profile->rows)
        return true;
    if (!plan_digest(profile, of_profile, digest, e))
        return false;
    settled_digest(digest, text);
    *is_for = strcmp(profile->settled.of, text) == 0;
    return true;
}

/* --- reading ------------------------------------------------------------------------------ */

/* Whether `word` is what *text begins with, up to a space or the end. Sets *text behind it. */
static bool take_word(const char **text, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0 || ((*text)[length] != ' ' && (*text)[length] != '\0'))
        return false;
    *text += length;
    return true;
}

static bool take_language(const char **text, struct manners *manners)
{
    for (unsigned i = 0; **text == ' ' && i < DEBUG_LANGUAGES; i++) {
        const char *at = *text + 1;
        if (!take_word(&at, settled_languages[i]))
            continue;
        *text = at;
        return manner_numbers_read(text, &manners->of[i]);
    }
    return false;
}

static bool refuse(const char *key, struct error *e)
{
    return error_set(e, ERROR_INPUT, "settled: %s: is not what pyelfgen writes there; remove 'settled'", key);
}

bool settled_read_manners(const struct profile *profile, struct manners *manners, bool *any_attributes, struct error *e)
{
    const char *at = profile->settled.manners ? profile->settled.manners : "";
    *manners = profile_manners(profile);
    *any_attributes = take_word(&at, SETTLED_ANY_ATTRIBUTES);
    bool well = *any_attributes || take_word(&at, SETTLED_AS_ROWS_SAY);
    while (well && *at)
        well = take_language(&at, manners);
    return well || refuse("manners", e);
}

/* Reads a number of up to 19 digits. */
static bool take_number(const char **text, int64_t *number)
{
    enum { DIGITS_MOST = 18 };
    const bool negative = **text == '-';
    unsigned digits = 0;
    *number = 0;
    for (*text += negative; isdigit((unsigned char)**text) && digits <= DIGITS_MOST; (*text)++, digits++)
        *number = *number * 10 + (**text - '0');
    *number = negative ? -*number : *number;
    return digits > 0 && digits <= DIGITS_MOST;
}

/* Reads one value of a mix, which begins at *text. `debug`: bytes of debug information that the library has. */
static bool take_value(const char **text, uint64_t debug, int64_t value[SETTLED_VALUES], struct plan_mix *mix)
{
    const uint64_t most = debug < PROFILE_SIZE_MOST / 4 ? 4 * debug : PROFILE_SIZE_MOST; /* clang's form is shorter */
    const char letter = *(*text)++;
    int64_t number;
    if (letter >= SETTLED_SIZE && letter < SETTLED_SIZE + DEBUG_SECTION_COUNT && **text == SETTLED_ANY) {
        mix->size[letter - SETTLED_SIZE] = DEBUG_ANY;
        return (*text)++ != NULL;
    }
    if (!take_number(text, &number))
        return false;
    for (unsigned i = 0; i < SETTLED_VALUES; i++)
        if (letter == settled_values[i].letter) {
            value[i] = number;
            return number >= settled_values[i].least && number <= settled_values[i].most;
        }
    if (number < 0 || (uint64_t)number > most)
        return false;
    if (letter == SETTLED_NORMAL)
        mix->normal = (uint64_t)number;
    else if (letter >= SETTLED_SIZE && letter < SETTLED_SIZE + DEBUG_SECTION_COUNT)
        mix->size[letter - SETTLED_SIZE] = (uint64_t)number;
    else
        return false;
    return true;
}

/* Reads a mix, which has what the row asks for. */
static bool take_mix(const char **text, uint64_t debug, struct plan_mix *mix)
{
    int64_t value[SETTLED_VALUES];
    settled_values_of(mix, value);
    bool well = **text && **text != ' ';
    if (take_word(text, SETTLED_AS_ASKED))
        return true;
    while (well && **text && **text != ' ')
        well = take_value(text, debug, value, mix);
    set_values(mix, value);
    return well && mix->besides <= debug / EACH_LEAST;
}

bool settled_read_mixes(const struct plan *plan, struct error *e)
{
    const char *at = plan->profile->settled.libraries ? plan->profile->settled.libraries : "";
    bool well = true;
    for (uint32_t i = 0; well && plan->mix && i < plan_counted(plan); i++) {
        at += i > 0 && *at == ' ';
        plan->mix[i] = mix_asked(plan, i);
        well = take_mix(&at, plan->library[i].size[SIZE_DEBUG], &plan->mix[i]);
        plan->mix[i].is_settled = well;
    }
    return (well && !*at) || refuse("libraries", e);
}
