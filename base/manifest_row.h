/* One row of a manifest's lists, from a reader that stands on its object: checked by
 * itself, all but how it goes with the others. For manifest.c alone.
 */
#ifndef BASE_MANIFEST_ROW_H
#define BASE_MANIFEST_ROW_H

#include "base/manifest.h"
#include "base/manifest_reader.h"

/* These fill a zeroed row; false where anything is wrong. */
bool manifest_take_library(struct manifest_reader *r, struct manifest_library *l);
bool manifest_take_executable(struct manifest_reader *r, struct manifest_executable *x);

#endif
