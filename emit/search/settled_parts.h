/* What reading and writing `settled` (settled.h) share.
 *
 * `manners` has a word for whether attributes are as rows say and then, for each language that libraries are in, a word
 * for it and the numbers of its manner. `libraries` has a word for each library: a letter and a number for each value
 * that is another than what the library begins with, or a single dot.
 */
#ifndef EMIT_SEARCH_SETTLED_PARTS_H
#define EMIT_SEARCH_SETTLED_PARTS_H

#include "dwarf/unit/unit.h"
#include "emit/plan/plan.h"

#define SETTLED_ANY_ATTRIBUTES "any"
#define SETTLED_AS_ROWS_SAY    "said"
#define SETTLED_AS_ASKED       "."
enum {
    SETTLED_NORMAL = 'n',
    SETTLED_SIZE = 'A', /* of the first debug section, then 'B', and so on; followed by a size or SETTLED_ANY */
    SETTLED_ANY = '-'
};

/* The other values: letters and ranges. */
enum { SETTLED_VALUES = 11 };
extern const struct settled_value {
    char letter;
    int64_t least, most;
} settled_values[SETTLED_VALUES];

/* What is found for one library. */
struct settled_library {
    struct plan_mix mix;
    struct plan_taste taste;
};

/* What a library is made with where nothing is found. */
struct settled_library settled_asked(const struct plan *plan, uint32_t index);

void settled_values_of(const struct settled_library *l, int64_t value[SETTLED_VALUES]);

extern const char *const settled_languages[DEBUG_LANGUAGES];

/* A digest of a plan as text, which is that of what was found for it. SETTLED_FORM is to be another number whenever
 * another set comes of the same numbers, though the version of pyelfgen is the same: stocks, how debug information is
 * composed, tables of numbers. */
enum { SETTLED_DIGEST = 33, SETTLED_FORM = 8 };
void settled_digest(const uint64_t digest[2], char text[SETTLED_DIGEST]);

#endif
