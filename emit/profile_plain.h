/* Whether a text is a profile, for who reads profiles for other ends than a set (profile.c).
 *
 * What is wrong is an ERROR_INPUT, as of profile_parse, with `name` for the file.
 */
#ifndef EMIT_PROFILE_PLAIN_H
#define EMIT_PROFILE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Whether it has keys of a profile only, each once, those that have to be there, and values where values have to be;
 * not what these are. */
bool profile_has_known_keys(const char *text, size_t size, const char *name, struct error *e);

/* Whether it says nothing but what a profile may: known keys, numbers, and words that are known. Free text are only
 * `application` and the rows' `name`. A set need not follow from it, as from what profile_parse takes. */
bool profile_is_plain(const char *text, size_t size, const char *name, struct error *e);

#endif
