/* In which order a rank takes the libraries that are imported. */
#ifndef DRIVER_ORDER_H
#define DRIVER_ORDER_H

#include "driver/run.h"

/* The indices [0, manifest.imported) in an array that the caller frees; NULL when
 * memory ran out. The markers stay first and last. */
size_t *order_make(const struct run *run, struct order_wish wish);

#endif
