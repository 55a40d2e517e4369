/* Functions of the C library that have come since GLIBC_2.2.5, or have changed, with their versions.
 *
 * Versions stand in the order in which libraries have them: first those of GLIBC_2.17 and before, the ones
 * that most libraries of a distribution need first, then the later ones up to GLIBC_2.34. So a library that
 * needs few of them loads on old systems too. What outside_beside.h has is not among them: no name is there twice.
 */
#ifndef EMIT_OUTSIDE_NEWER_H
#define EMIT_OUTSIDE_NEWER_H

#include <stdint.h>

/* How many there are, and the name of one: "GLIBC_2.4". */
uint32_t outside_newer_versions(void);
const char *outside_newer_version(uint32_t version);

/* The first name of a version; further ones follow until outside_newer_name is NULL. */
uint32_t outside_newer_first(uint32_t version);
const char *outside_newer_name(uint32_t index);

/* The version of a name. */
uint32_t outside_newer_version_of(uint32_t index);

#endif
