/* XXH3-128, with the widest instructions of the processor where the library
 * can choose them when it runs. The digest is the same. */
#ifndef EMIT_DIGEST_H
#define EMIT_DIGEST_H

#include <xxhash.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#endif

#endif
