/* What `settled` in a profile looks like (emit/search/settled.h): a digest, numbers and a few words, and so no text of
 * an application. Whether they are of use is found out only when a set is made. */
#include <ctype.h>
#include <string.h>

#include "emit/profile/keys.h"

static bool is_digest(const char *text)
{
    enum { DIGITS = 32 };
    return strlen(text) == DIGITS && strspn(text, "0123456789abcdef") == DIGITS;
}

/* Whether the `length` characters are a number, or a word that stands between numbers. */
static bool is_number_or_word(const char *text, size_t length)
{
    static const char *const words[] = {"any", "said", "c", "c++", "fortran"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == length && memcmp(text, words[i], length) == 0)
            return true;
    return strspn(text, "0123456789") >= length;
}

/* Whether the `length` characters are letters, each with a number or a dash behind it, or a dot. */
static bool is_library(const char *text, size_t length)
{
    const char *const end = text + length;
    if (length == 1 && *text == '.')
        return true;
    while (text < end && isalpha((unsigned char)*text)) {
        const char *const letter = text++;
        text += *text == '-';
        text += strspn(text, "0123456789");
        if (text == letter + 1)
            return false;
    }
    return text == end;
}

/* Whether a text is words with a space between, each of which is right. */
static bool are_words(const char *text, bool (*is_right)(const char *text, size_t length))
{
    for (;;) {
        const size_t length = strcspn(text, " ");
        if (!length || !is_right(text, length))
            return false;
        if (!text[length])
            return true;
        text += length + 1;
    }
}

bool profile_settled_check(const struct profile *p, const struct profile_source *s, struct error *e)
{
    if (p->settled.of && !is_digest(p->settled.of))
        return profile_wrong(s, KEY_SETTLED_OF, e, PROFILE_SETTLED_WRONG);
    if (p->settled.manners && !are_words(p->settled.manners, is_number_or_word))
        return profile_wrong(s, KEY_SETTLED_MANNERS, e, PROFILE_SETTLED_WRONG);
    if (p->settled.libraries && !are_words(p->settled.libraries, is_library))
        return profile_wrong(s, KEY_SETTLED_LIBRARIES, e, PROFILE_SETTLED_WRONG);
    return true;
}
