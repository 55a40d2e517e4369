/* What reports share; see report.h. */
#include "tools/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void *report_must(void *p)
{
    if (!p) {
        fputs("pyelfstat: out of memory\n", stderr);
        exit(1);
    }
    return p;
}

const char *report_text(struct report *r, const char *text)
{
    size_t left = strlen(text);
    char *copy = report_must(arena_take(&r->arena, left + 1));
    char *to = copy;
    while (left) {
        size_t length = utf8_length(text, left);
        if (length && !utf8_is_control(text)) {
            memcpy(to, text, length);
            to += length;
        } else {
            *to++ = '?';
        }
        length = length ? length : 1;
        text += length;
        left -= length;
    }
    *to = '\0';
    return copy;
}

json_object *report_json_text(struct report *r, const char *text)
{
    return report_must(json_object_new_string(report_text(r, text)));
}

void report_complain(struct report *r, const struct error *e)
{
    r->failed = true;
    error_report("pyelfstat", e);
    if (r->json) {
        json_object *entry = report_must(json_object_new_object());
        json_object_object_add(entry, "file", report_json_text(r, e->file));
        json_object_object_add(entry, "text", report_json_text(r, e->text));
        json_object_array_add(json_object_object_get(r->root, "errors"), entry);
    }
}

void report_gap(struct report *r)
{
    if (r->begun)
        putchar('\n');
    r->begun = true;
}
