/* Functions of the libraries that a library may need besides libc.so.6, in the order of outside_library: libm.so.6
 * and libdl.so.2. Most numerical libraries import from libm.so.6, whose names are short; the C library has few short
 * names.
 *
 * The functions exist since GLIBC_2.2.5, dladdr1 and dlinfo since GLIBC_2.3.3. Some have later versions as well, or
 * are now in libc.so.6: an undefined symbol without a version may be bound to any of these. The last functions of
 * libm.so.6 exist since GLIBC_2.27; they are for when all other names of seven characters are used.
 */
#ifndef EMIT_PLAN_OUTSIDE_BESIDE_H
#define EMIT_PLAN_OUTSIDE_BESIDE_H

#include <stdint.h>

/* How many functions the first `needed` libraries have. */
uint32_t outside_beside_most(uint32_t needed);
const char *outside_beside_name(uint32_t index);

#endif
