/* Itanium C++ ABI, 5.1; see names_scopes.h. */
#include "emit/plan/names_scopes.h"

#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads the words up to the 'E' behind them. Returns what is behind that, or NULL. */
static const char *read_words(const char *p, struct names_scopes *s)
{
    for (s->words = 0; is_digit(*p); s->words++) {
        char *end;
        const unsigned long length = strtoul(p, &end, 10);
        if (s->words == NAMES_SCOPES_MOST || length > strlen(end))
            return NULL;
        s->word[s->words] = end;
        s->length[s->words] = (uint16_t)length;
        p = end + length;
    }
    return *p == 'E' && s->words > 1 ? p + 1 : NULL;
}

/* Reads a reference to what is named by number: 0 is S_, 1 is S0_, and so on (5.1.10). Returns what is behind it, or
 * NULL. */
static const char *read_number(const char *p, uint32_t *number)
{
    enum { BASE = 36 };
    if (*p++ != 'S')
        return NULL;
    char *end;
    const unsigned long n = *p == '_' ? 0 : strtoul(p, &end, BASE) + 1;
    p = *p == '_' ? p : end;
    *number = (uint32_t)n;
    return *p == '_' && n < BASE * BASE ? p + 1 : NULL;
}

/* Reads a parameter's type. `numbered`: what can be named by number before any parameter. */
static const char *read_parameter(const char *p, uint32_t numbered, char *type)
{
    static const char letters[] = "bcdfijlm";
    uint32_t number;
    *type = *p;
    if (*p && strchr(letters, *p))
        return p + 1;
    const bool is_new = p[0] == 'R' && p[1] == 'K';
    const uint32_t reference = is_new ? numbered - 1 : numbered + 1; /* the class; or, behind it, the type of both */
    *type = NAMES_REFERENCE;
    p = read_number(p + (is_new ? 2 : 0), &number);
    return p && number == reference && reference ? p : NULL;
}

bool names_scopes_read(const char *name, struct names_scopes *s)
{
    static const char begins[] = "_ZN";
    if (strncmp(name, begins, sizeof begins - 1) != 0)
        return false;
    const char *p = read_words(name + sizeof begins - 1, s);
    s->parameters = 0;
    if (p && !strcmp(p, "v"))
        return true;
    while (p && *p && s->parameters < NAMES_PARAMETERS_MOST)
        p = read_parameter(p, s->words - 1, &s->parameter[s->parameters++]);
    return p && !*p && s->parameters;
}
