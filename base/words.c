/* The lists, and names made of them; see words.h. */
#include "base/words.h"

#include <assert.h>
#include <string.h>

#include "base/random.h"

static const char *const words[] = {
    "mesh",   "cell",  "node",   "field", "flux",   "state",  "grid",  "zone",   "patch",  "level",  "block",
    "vector", "array", "matrix", "index", "offset", "count",  "size",  "length", "width",  "depth",  "weight",
    "source", "value", "buffer", "queue", "cache",  "table",  "entry", "record", "handle", "stream", "group",
    "domain", "local", "global", "outer", "inner",  "total",  "error", "limit",  "step",   "phase",  "time",
    "energy", "mass",  "rate",   "force", "stress", "strain", "bound", "ghost",  "comm",   "rank",   "task",
    "mode",   "flags", "status", "first", "last",   "next",   "prev",  "owner",  "layer",
};
enum { WORDS = sizeof words / sizeof words[0] };

struct word {
    const char *text;
    uint32_t length;
};
#define WORD(text)                                                                                                     \
    {                                                                                                                  \
        text, sizeof text - 1                                                                                          \
    }

static const struct word verbs[] = {
    WORD("assemble"), WORD("solve"),   WORD("update"),   WORD("apply"),       WORD("compute"), WORD("evaluate"),
    WORD("exchange"), WORD("reduce"),  WORD("allocate"), WORD("interpolate"), WORD("read"),    WORD("write"),
    WORD("advance"),  WORD("project"), WORD("set"),      WORD("initialize"),
};
static const struct word nouns[] = {
    WORD("matrix"), WORD("residual"), WORD("boundary"), WORD("flux"),      WORD("cells"),    WORD("halo"),
    WORD("system"), WORD("gradient"), WORD("mesh"),     WORD("tensor"),    WORD("timestep"), WORD("sources"),
    WORD("nodes"),  WORD("weights"),  WORD("state"),    WORD("particles"),
};
static_assert(sizeof verbs / sizeof verbs[0] == WORDS_VERBS, "as many verbs as words.h says");
static_assert(sizeof nouns / sizeof nouns[0] == WORDS_NOUNS, "as many nouns as words.h says");

void words_identifier(uint64_t value, uint32_t length, char *at)
{
    uint32_t n = 0;
    for (uint64_t v = random_mix(value); n < length; v = random_mix(v + RANDOM_STEP)) {
        const char *word = words[v % WORDS];
        if (n)
            at[n++] = '_';
        while (*word && n < length)
            at[n++] = *word++;
    }
    if (length && at[length - 1] == '_')
        at[length - 1] = 'x';
    at[length] = '\0';
}

char *words_numbered(uint32_t number, char *at)
{
    for (;; *at++ = '_') {
        at = stpcpy(at, words[number % WORDS]);
        number /= WORDS;
        if (!number)
            return at;
    }
}

void words_camel_case(uint64_t value, uint32_t length, char *at)
{
    uint32_t n = 0;
    for (uint64_t v = random_mix(value); n < length; v = random_mix(v + RANDOM_STEP)) {
        const char *word = words[v % WORDS];
        at[n++] = (char)(*word++ - 'a' + 'A');
        while (*word && n < length)
            at[n++] = *word++;
    }
}

uint32_t words_method_length(uint32_t number)
{
    return verbs[number / WORDS_NOUNS].length + 1 + nouns[number % WORDS_NOUNS].length;
}

char *words_method(uint32_t number, char *at)
{
    const struct word *verb = &verbs[number / WORDS_NOUNS];
    const struct word *noun = &nouns[number % WORDS_NOUNS];
    memcpy(at, verb->text, verb->length);
    at += verb->length;
    *at++ = '_';
    memcpy(at, noun->text, noun->length);
    return at + noun->length;
}
