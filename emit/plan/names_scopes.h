/* Takes apart the mangled names of functions that libraries with rows have (names_mangled.h), as debug information
 * names the parts: a namespace, classes in it, the function, and the types of its parameters. */
#ifndef EMIT_PLAN_NAMES_SCOPES_H
#define EMIT_PLAN_NAMES_SCOPES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    NAMES_SCOPES_MOST = 16, /* words of a name; names with more are not taken apart */
    NAMES_PARAMETERS_MOST = 6,
    NAMES_REFERENCE = 'R' /* a parameter's type: `const &` of the innermost class; the others are letters of the ABI */
};

struct names_scopes {
    const char *word[NAMES_SCOPES_MOST]; /* in the name: the namespace, classes, the function */
    uint16_t length[NAMES_SCOPES_MOST];
    uint32_t words;
    char parameter[NAMES_PARAMETERS_MOST];
    uint32_t parameters;
};

/* False where the name is none of a function in a namespace, has too many parts, or a parameter is of another type,
 * such as a template. The name ends in '\0'. */
bool names_scopes_read(const char *name, struct names_scopes *s);

#endif
