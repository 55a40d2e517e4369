/* Functions that any library may import: those of the C library that have had one version since GLIBC_2.2.5, in
 * libc.so.6 itself; and those of CPython that 3.8 to 3.13 all export,
 * but for those that modules call (shape.h). */
#ifndef EMIT_OUTSIDE_NAMES_H
#define EMIT_OUTSIDE_NAMES_H

enum { OUTSIDE_LIBC = 1085, OUTSIDE_INNER = 46, OUTSIDE_PYTHON = 822 };

extern const char *const outside_libc[OUTSIDE_LIBC];

/* More of the C library, only where lengths are wanted: short ones, of which there are few. */
extern const char *const outside_inner[OUTSIDE_INNER];

extern const char *const outside_python[OUTSIDE_PYTHON];

#endif
