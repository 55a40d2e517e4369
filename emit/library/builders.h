/* A builder for each thread that makes libraries.
 *
 * The steps that size libraries, from the first settling of sizes to the writing of files, use the same builders one
 * after the other. So memory for what is composed is taken from the system once, and not again for each step.
 */
#ifndef EMIT_LIBRARY_BUILDERS_H
#define EMIT_LIBRARY_BUILDERS_H

#include "emit/library/library.h"

struct builders {
    struct builder *of; /* of each thread */
    unsigned count;     /* how many threads; at least 1 */
};

/* Makes one for each of `threads` threads (0 is taken as 1). Free with builders_free, also after a failure. */
bool builders_start(struct builders *b, unsigned threads, struct error *e);

/* Forgets everything but the memory. Each step begins with this: what the step before has left, and the plan and the
 * stock that it has used, may be gone. */
void builders_forget(struct builders *b);

/* Accepts a zeroed struct. */
void builders_free(struct builders *b);

#endif
