/* The same work on many items, done by a few threads.
 *
 * Threads take items in order, one at a time. Which thread takes which item may differ from run to run; what is done to
 * an item does not.
 */
#ifndef BASE_WORKERS_H
#define BASE_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { WORKERS_MOST = 256 };

/* Does item `index`. `worker`, from 0, tells whose scratch memory to use. */
typedef bool workers_function(void *context, unsigned worker, uint32_t index, struct error *e);

/* Calls `work` for every index below `count` on up to `threads` threads, at least one and at most WORKERS_MOST,
 * including the calling thread. The first failure stops all of them soon. Then false is returned, with the error of the
 * lowest index among those that failed. */
bool workers_run(unsigned threads, uint32_t count, workers_function *work, void *context, struct error *e);

/* The processors that this process may use, at least one and at most WORKERS_MOST. */
unsigned workers_processors(void);

#endif
