/* What constants and objects are like: of a library with a row such that its parts, as pyelfprof counts them, compress
 * as the row says. */
#ifndef EMIT_TASTE_H
#define EMIT_TASTE_H

#include "emit/library.h"

/* Fills constants and objects, reckoning with the sizes of the other sections alone. Where the library is going to be
 * steered, not those of which the row says something. */
void taste_fill(const struct library *l, uint8_t *image, bool steered);

/* Fills these, when the rest of the image is complete, so that each part takes what the row says, by our own reckoning
 * (packed.h). False when memory ran out. */
bool taste_steer(const struct library *l, uint8_t *image, struct arena *arena);

#endif
