/* See profile_tags.h. */
#include "emit/stock/profile_tags.h"

#include <stdlib.h>
#include <string.h>

static uint64_t bounded(unsigned long long count)
{
    return count < TAGS_MOST ? count : TAGS_MOST;
}

uint64_t tags_count(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; at && length && (at = strstr(at, word)); at += length) {
        if ((at != text && at[-1] != ' ') || at[length] != ':')
            continue;
        char *end;
        const unsigned long long count = strtoull(at + length + 1, &end, 10);
        return end == at + length + 1 ? 0 : bounded(count);
    }
    return 0;
}

uint64_t tags_sum(const char *text)
{
    uint64_t sum = 0;
    for (const char *at = text; at && (at = strchr(at, ':')); at++)
        sum += bounded(strtoull(at + 1, NULL, 10));
    return sum;
}

uint64_t tags_calls(const char *text)
{
    return tags_count(text, "call_site") + tags_count(text, "GNU_call_site");
}

uint64_t tags_passed(const char *text)
{
    return tags_count(text, "call_site_parameter") + tags_count(text, "GNU_call_site_parameter");
}
