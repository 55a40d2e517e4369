/* The same work on many items by a few threads.
 *
 * Threads take items in order, one at a time, so that which thread does what
 * may differ but what is done to an item does not. */
#ifndef BASE_WORKERS_H
#define BASE_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { WORKERS_MOST = 256 };

/* Does item `index`; `worker` (from 0) tells whose scratch memory to use. */
typedef bool workers_function(void *context, unsigned worker, uint32_t index, struct error *e);

/* Calls `work` for every index below `count` on up to `threads` threads (at
 * least one, at most WORKERS_MOST), the calling one among them. The first
 * failure stops all soon; its error is the one with the lowest index among those
 * that happened, and false is returned. */
bool workers_run(unsigned threads, uint32_t count, workers_function *work, void *context, struct error *e);

/* The processors that this process may use, at least one and at most WORKERS_MOST. */
unsigned workers_processors(void);

#endif
