/* What pyelfstat's reports share: one answer on the standard output as text or JSON, and complaints. A file that cannot
 * be read makes the exit status a failure; the rest is reported all the same.
 */
#ifndef TOOLS_COMMON_REPORT_H
#define TOOLS_COMMON_REPORT_H

#include <json-c/json.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

struct report {
    bool dwarf; /* report on debug information, not on sizes */
    bool each;
    bool json;
    bool runs; /* report on results of pyelfrun, not on files */
    bool failed;
    bool begun; /* something has been printed before */
    struct arena arena;
    json_object *root; /* with --json only */
};

/* Returns p. Where p is NULL the program ends: memory is short, and a report with a part missing would be wrong. */
void *report_must(void *p);

/* Text from outside, made fit for a terminal or JSON: a control character, or what is not UTF-8, becomes `?`. From the
 * arena. */
const char *report_text(struct report *r, const char *text);
json_object *report_json_text(struct report *r, const char *text);

void report_complain(struct report *r, const struct error *e);

/* Prints a blank line between two parts of the report. */
void report_gap(struct report *r);

#endif
