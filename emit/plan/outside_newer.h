/* Functions of the C library that were added or changed after GLIBC_2.2.5, with their versions.
 *
 * Versions are in the order in which libraries get them. First come those up to GLIBC_2.17, with the ones that most
 * libraries of a distribution need in front; then later ones up to GLIBC_2.34. So a library that needs few versions
 * also loads on old systems. Names of outside_beside.h are left out, so that no name occurs twice.
 */
#ifndef EMIT_PLAN_OUTSIDE_NEWER_H
#define EMIT_PLAN_OUTSIDE_NEWER_H

#include <stdint.h>

/* The number of versions, and the name of one: "GLIBC_2.4". */
uint32_t outside_newer_versions(void);
const char *outside_newer_version(uint32_t version);

/* The index of a version's first name. The version's further names follow, until outside_newer_name returns NULL. */
uint32_t outside_newer_first(uint32_t version);
const char *outside_newer_name(uint32_t index);

#endif
