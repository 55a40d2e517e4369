/* What a profile says of how often tags, forms and attributes are used: of all libraries, or of those in one language.
 */
#ifndef EMIT_STOCK_PROFILE_ENTRIES_H
#define EMIT_STOCK_PROFILE_ENTRIES_H

#include "emit/profile/profile.h"

/* Borrows from the profile. */
struct profile_entries {
    const struct profile *profile;
    enum debug_language language;
    bool divided;                          /* of the libraries in that language alone, and not of all */
    const char *tags, *forms, *attributes; /* NULL where absent */
};

/* The version of DWARF, 4 or 5, in which debug information of a row is made. */
uint8_t profile_row_version(const struct profile *p, const struct profile_row *row);

/* The language in which debug information of a row is made: the row's own where we can write it, else the profile's. */
enum debug_language profile_row_language(const struct profile *p, const struct profile_row *row);

/* Whether the profile says the entries of that language's libraries by themselves: it has their tags and attributes,
 * and those of its own language, with which all libraries count that are in other languages. */
bool profile_is_divided(const struct profile *p, enum debug_language language);

/* The language whose entries a row's count among; of all libraries where the profile is not divided. */
enum debug_language profile_counted_as(const struct profile *p, const struct profile_row *row);

/* What it says of all libraries; and of those in a language. Where the latter is not said, it is the former, with the
 * profile's language. */
struct profile_entries profile_entries_of_all(const struct profile *p);
struct profile_entries profile_entries(const struct profile *p, enum debug_language language);

/* Whether the row's library is one of those that they are of. */
bool profile_entries_have(const struct profile_entries *of, const struct profile_row *row);

#endif
