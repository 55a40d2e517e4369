/* What programs that read profiles but make no set share with those that do: whether a text is a profile (profile.c).
 *
 * What is wrong is an ERROR_INPUT, as in profile_parse, with `name` in place of the file.
 */
#ifndef EMIT_PROFILE_PLAIN_H
#define EMIT_PROFILE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Whether the text has only keys of a profile, each at most once, has all keys that must be there, and has values where
 * values belong. What the values say is not checked. */
bool profile_has_known_keys(const char *text, size_t size, const char *name, struct error *e);

/* Whether the text says only what a profile may say: known keys, numbers, and known words. Only `application` and the
 * rows' `name` are free text. Unlike with profile_parse, a set need not follow from it. */
bool profile_is_plain(const char *text, size_t size, const char *name, struct error *e);

/* Whether units describe a part of a library's code only: `code` of `all` bytes. What else may be in no unit is
 * start-up code and padding between objects: a twentieth, or 512 bytes. 0 of `code`: it is not known. */
static inline bool profile_describes_part(int64_t code, int64_t all)
{
    enum { PART = 20, LITTLE = 512 };
    return code > 0 && all - code > LITTLE && all - code > all / PART;
}

#endif
