/* What reports share; see report.h. */
#include "tools/common/report.h"

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
    char *copy = report_must(arena_take(&r->arena, strlen(text) + 1));
    utf8_printable(copy, text);
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
