/* One row of a manifest's lists. It is taken from a reader of the row's object and checked by itself; how it goes with
 * the other rows is not checked here. Only manifest.c uses this. */
#ifndef BASE_MANIFEST_ROW_H
#define BASE_MANIFEST_ROW_H

#include "base/manifest.h"
#include "base/manifest_reader.h"

/* Fill a zeroed row; false with the error set if anything is wrong. */
bool manifest_take_library(struct manifest_reader *r, struct manifest_library *l);
bool manifest_take_executable(struct manifest_reader *r, struct manifest_executable *x);

#endif
