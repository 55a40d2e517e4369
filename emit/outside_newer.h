/* Functions of the C library that were added or changed after GLIBC_2.2.5, with their versions.
 *
 * Versions are in the order in which libraries get them: first those up to GLIBC_2.17, the ones that most libraries
 * of a distribution need first; then later ones up to GLIBC_2.34. So a library that needs few of them loads on old
 * systems, too. Names of outside_beside.h are left out, so that no name occurs twice.
 */
#ifndef EMIT_OUTSIDE_NEWER_H
#define EMIT_OUTSIDE_NEWER_H

#include <stdint.h>

/* How many versions there are, and the name of one: "GLIBC_2.4". */
uint32_t outside_newer_versions(void);
const char *outside_newer_version(uint32_t version);

/* The first name of a version; further ones follow until outside_newer_name is NULL. */
uint32_t outside_newer_first(uint32_t version);
const char *outside_newer_name(uint32_t index);

/* The version of a name. */
uint32_t outside_newer_version_of(uint32_t index);

#endif
