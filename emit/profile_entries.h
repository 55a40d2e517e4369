/* What a profile says of how often tags, forms and attributes are used: of all libraries, or of those in one language.
 */
#ifndef EMIT_PROFILE_ENTRIES_H
#define EMIT_PROFILE_ENTRIES_H

#include "emit/profile.h"

/* Borrows from the profile. */
struct profile_entries {
    const struct profile *profile;
    enum debug_language language;
    bool divided;                          /* of the libraries in that language alone, and not of all */
    const char *tags, *forms, *attributes; /* NULL where absent */
};

/* The language in which debug information of a row is made: the row's own where we can write it, else the profile's. */
enum debug_language profile_row_language(const struct profile *p, const struct profile_row *row);

/* Whether the profile has tags and attributes of that language's libraries. */
bool profile_is_divided(const struct profile *p, enum debug_language language);

/* What it says of all libraries; and of those in a language. Where the latter is not said, it is the former, with the
 * profile's language. */
struct profile_entries profile_entries_of_all(const struct profile *p);
struct profile_entries profile_entries(const struct profile *p, enum debug_language language);

/* Whether the row's library is one of those that they are of. */
bool profile_entries_have(const struct profile_entries *of, const struct profile_row *row);

#endif
