/* What pyelfstat's reports share: one answer on stdout as text or JSON, and
 * complaints that cost their file and the exit status, not the rest. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include <json-c/json.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

struct report {
    bool dwarf; /* of debug information, not of sizes */
    bool each;
    bool json;
    bool runs; /* of results, not of files */
    bool failed;
    bool begun; /* something stands above */
    struct arena arena;
    json_object *root; /* with --json only */
};

/* A report without a part of it would be a wrong one: without memory the
 * program ends. */
void *report_must(void *p);

/* Foreign text as it may go to a terminal or into JSON: what is not UTF-8, or
 * is a control character, becomes `?`. From the arena. */
const char *report_text(struct report *r, const char *text);
json_object *report_json_text(struct report *r, const char *text);

void report_complain(struct report *r, const struct error *e);

/* A blank line between what is reported, none at the ends. */
void report_gap(struct report *r);

#endif
