/* Functions of libm.so.6, which most numerical libraries name as undefined: short names, of which the C library has few.
 * They are those that libm.so.6 has had since GLIBC_2.2.5, some in later versions too, and that libc.so.6 does not
 * have. A symbol without a version is bound to either.
 */
#ifndef EMIT_OUTSIDE_MATH_H
#define EMIT_OUTSIDE_MATH_H

#include <stdint.h>

uint32_t outside_math_most(void);
const char *outside_math_name(uint32_t index);

#endif
