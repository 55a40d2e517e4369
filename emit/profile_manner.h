/* What a profile says of how its application is told in debug information. */
#ifndef EMIT_PROFILE_MANNER_H
#define EMIT_PROFILE_MANNER_H

#include "dwarf/manner.h"
#include "emit/profile.h"

/* From the tags and attributes of a captured application, where its rows say that there are many; the usual one
 * otherwise. Whatever the texts say, it is one that headers and blocks can be made in. */
struct manner profile_manner(const struct profile *p);

/* Whether nearly all that is declared in the application is in one file for its abbreviation: as where hardly anything
 * else than functions is told, with what they have. */
bool profile_has_one_file(const struct profile *p);

/* Whether a row is of so little debug information that units of C cannot be like others'; see dialect.terse. */
bool profile_row_is_terse(const struct profile *p, const struct profile_row *row);

#endif
