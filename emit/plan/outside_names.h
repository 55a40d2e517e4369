/* Functions that any library may import. Of the C library, those that have had one version since GLIBC_2.2.5, in
 * libc.so.6 itself, and of which ld does not warn (.gnu.warning). Of CPython, those that all of 3.8 to 3.13 export,
 * except the ones that modules call (shape.h) and those that make its own modules (PyInit_). */
#ifndef EMIT_PLAN_OUTSIDE_NAMES_H
#define EMIT_PLAN_OUTSIDE_NAMES_H

enum { OUTSIDE_LIBC = 1069, OUTSIDE_INNER = 46, OUTSIDE_PYTHON = 797 };

extern const char *const outside_libc[OUTSIDE_LIBC];

/* More functions of the C library, with short names, of which there are few. Used only where names have wanted
 * lengths. */
extern const char *const outside_inner[OUTSIDE_INNER];

extern const char *const outside_python[OUTSIDE_PYTHON];

#endif
