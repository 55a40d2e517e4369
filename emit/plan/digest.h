/* XXH3-128. It uses the widest instructions of the processor if the xxHash library can choose them at run time. The
 * digest is the same either way. */
#ifndef EMIT_PLAN_DIGEST_H
#define EMIT_PLAN_DIGEST_H

#include <xxhash.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#endif

#endif
