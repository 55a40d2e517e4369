/* Identifies the set that ran by the digest of its manifest, which has the digests of all libraries. */
#ifndef DRIVER_SET_DIGEST_H
#define DRIVER_SET_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { SET_DIGEST_TEXT = 33 };

/* XXH3-128 of the manifest of the set in `directory`: 32 hexadecimal digits, as
 * xxh128sum prints them. */
bool set_digest(const char *directory, char text[SET_DIGEST_TEXT], struct error *e);

/* The same for a manifest in memory. */
void set_digest_of(const void *manifest, size_t size, char text[SET_DIGEST_TEXT]);

#endif
