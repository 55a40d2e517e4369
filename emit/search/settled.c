/* Reads what was found for a profile; see settled.h. */
#include "emit/search/settled.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "dwarf/corpus/manner_numbers.h"
#include "dwarf/form/short_name.h"
#include "dwarf/unit/unit.h"
#include "emit/library/describe.h"
#include "emit/library/pointers.h"
#include "emit/profile/keys.h"
#include "emit/search/mix.h"
#include "emit/search/settled_parts.h"
#include "emit/solve/plan_make.h"

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
    {'f', 0, PLAN_TASTE_ALL},
    {'z', 0, PLAN_TASTE_ALL},
    {'g', 0, PLAN_TASTE_ALL},
    {'y', 0, PLAN_TASTE_ALL},
    {'p', POINTERS_ALIKE, POINTERS_ANYWHERE},
};

struct settled_library settled_asked(const struct plan *plan, uint32_t index)
{
    return (struct settled_library){mix_asked(plan, index), {.different = POINTERS_USUAL}};
}

void settled_values_of(const struct settled_library *l, int64_t value[SETTLED_VALUES])
{
    const struct plan_mix *const m = &l->mix;
    const struct plan_taste *const t = &l->taste;
    const int64_t all[SETTLED_VALUES] = {m->told,        m->expression,  m->rows_part,   m->besides,
                                         m->letters,     m->even,        t->of[0].fresh, t->of[0].zeros,
                                         t->of[1].fresh, t->of[1].zeros, t->different};
    memcpy(value, all, sizeof all);
}

static void set_values(struct settled_library *l, const int64_t value[SETTLED_VALUES])
{
    l->mix.told = (uint32_t)value[0];
    l->mix.expression = (int32_t)value[1];
    l->mix.rows_part = (int32_t)value[2];
    l->mix.besides = (uint32_t)value[3];
    l->mix.letters = (uint32_t)value[4];
    l->mix.even = (uint8_t)value[5];
    for (unsigned data = 0; data < 2; data++) {
        l->taste.of[data].fresh = (uint32_t)value[6 + 2 * data];
        l->taste.of[data].zeros = (uint32_t)value[7 + 2 * data];
    }
    l->taste.different = (uint32_t)value[10];
}

/* --- whether it is for the profile ------------------------------------------------------ */

void settled_digest(const uint64_t digest[2], char text[SETTLED_DIGEST])
{
    snprintf(text, SETTLED_DIGEST, "%016" PRIx64 "%016" PRIx64, digest[0] ^ random_mix(SETTLED_FORM), digest[1]);
}

/* Whether the debug information of any library is split because its row says so. */
static bool is_split(const struct profile *profile)
{
    bool any = false;
    for (uint32_t i = 0; i < profile->rows; i++)
        any |= profile_row_is_split(&profile->row[i]);
    return any;
}

bool settled_can_be_kept(const struct profile *profile, struct error *e)
{
    if (!profile->rows)
        return error_set(e, ERROR_INPUT,
                         "--settle: the profile has no rows ('libraries'), so there is nothing to search for; use it "
                         "as it is");
    return !is_split(profile) ||
           error_set(e, ERROR_INPUT,
                     "--settle: libraries of the profile have split debug information (.dwo files), for which a search "
                     "is made each time; use it as it is");
}

bool settled_is_for(const struct profile *profile, bool *is_for, struct error *e)
{
    uint64_t of_profile[2], digest[2];
    char text[SETTLED_DIGEST];
    *is_for = false;
    if (!profile->settled.of || !profile->rows || is_split(profile))
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
    return error_set(e, ERROR_INPUT, "settled: %s: " PROFILE_SETTLED_WRONG, key);
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

/* Reads a number of up to 18 digits, which fits. */
static bool take_number(const char **text, int64_t *number)
{
    enum { DIGITS_MOST = 18 };
    const bool negative = **text == '-';
    unsigned digits = 0;
    *number = 0;
    for (*text += negative; isdigit((unsigned char)**text) && digits < DIGITS_MOST; (*text)++, digits++)
        *number = *number * 10 + (**text - '0');
    *number = negative ? -*number : *number;
    return digits > 0 && !isdigit((unsigned char)**text);
}

/* Reads one value of a mix, which begins at *text. `debug`: bytes of debug information that the library has. */
static bool take_value(const char **text, uint64_t debug, int64_t value[SETTLED_VALUES], struct plan_mix *mix)
{
    const uint64_t most = debug < PROFILE_SIZE_MOST / 4 ? 4 * debug : PROFILE_SIZE_MOST; /* clang's form is shorter */
    const char letter = *(*text)++;
    int64_t number;
    if (letter >= SETTLED_SIZE && letter < SETTLED_SIZE + DEBUG_SECTION_COUNT && **text == SETTLED_ANY) {
        mix->size[letter - SETTLED_SIZE] = DEBUG_ANY;
        ++*text;
        return true;
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

/* Reads what is found for a library, which has what it begins with. */
static bool take_library(const char **text, uint64_t debug, struct settled_library *l)
{
    int64_t value[SETTLED_VALUES];
    settled_values_of(l, value);
    bool well = **text && **text != ' ';
    if (take_word(text, SETTLED_AS_ASKED))
        return true;
    while (well && **text && **text != ' ')
        well = take_value(text, debug, value, &l->mix);
    set_values(l, value);
    for (unsigned data = 0; data < 2; data++)
        well = well && !(l->taste.of[data].fresh && l->taste.of[data].zeros);
    return well && l->mix.besides <= debug / EACH_LEAST;
}

bool settled_read_libraries(struct plan *plan, struct error *e)
{
    const char *at = plan->profile->settled.libraries ? plan->profile->settled.libraries : "";
    bool well = true;
    if (!settled_keep(plan, e))
        return false;
    for (uint32_t i = 0; well && i < plan_counted(plan); i++) {
        struct settled_library l = settled_asked(plan, i);
        at += i > 0 && *at == ' ';
        well = take_library(&at, plan->library[i].size[SIZE_DEBUG], &l);
        l.mix.is_settled = l.taste.is_known = well;
        plan->taste[i] = l.taste;
        if (plan->mix)
            plan->mix[i] = l.mix;
    }
    return (well && !*at) || refuse("libraries", e);
}

bool settled_keep(struct plan *plan, struct error *e)
{
    plan->taste = calloc(plan_counted(plan) + (size_t)1, sizeof *plan->taste);
    if (!plan->taste)
        return error_set(e, ERROR_MEMORY, "out of memory for a plan of %u libraries", plan->library_count);
    for (uint32_t i = 0; i < plan_counted(plan); i++)
        plan->taste[i] = settled_asked(plan, i).taste;
    return true;
}
