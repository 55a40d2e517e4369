/* Text and numbers of a page; see html.h. */
#include "tools/compare/html.h"

#include <inttypes.h>

void html_text(FILE *to, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        case '\'':
            fputs("&#39;", to);
            break;
        default:
            putc(*text, to);
        }
    }
}

void html_number(FILE *to, uint64_t number)
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            fputs("\u202f", to);
        putc(digits[i], to);
    }
}
