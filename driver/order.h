/* The order in which a rank takes the libraries that it opens. */
#ifndef DRIVER_ORDER_H
#define DRIVER_ORDER_H

#include "driver/run.h"

/* Returns the indices of run->opened in an array that the caller frees; NULL when memory ran out. The markers of
 * modules stay before and behind these, and the `others` last. */
size_t *order_make(const struct run *run, struct order_wish wish);

#endif
