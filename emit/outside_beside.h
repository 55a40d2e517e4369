/* Functions of the libraries that a library may need besides libc.so.6, in the order of outside_library: libm.so.6 and
 * libdl.so.2. Most numerical libraries name the former's as undefined: they are short, of which the C library has few.
 *
 * They are those that have been there since GLIBC_2.2.5, dladdr1 and dlinfo since GLIBC_2.3.3; some in later versions
 * or by now in libc.so.6, too: a symbol without a version is bound to any of these. Where all of seven characters are
 * taken, others follow that have been there since GLIBC_2.27.
 */
#ifndef EMIT_OUTSIDE_BESIDE_H
#define EMIT_OUTSIDE_BESIDE_H

#include <stdint.h>

/* How many a library has that needs so many of the libraries. */
uint32_t outside_beside_most(uint32_t needed);
const char *outside_beside_name(uint32_t index);

#endif
