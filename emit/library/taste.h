/* The contents of constants and objects. In a library with a row they are chosen so that its parts, as pyelfprof counts
 * them, compress as the row says. */
#ifndef EMIT_LIBRARY_TASTE_H
#define EMIT_LIBRARY_TASTE_H

#include "emit/library/library.h"

/* Fills constants and objects; estimates how the other sections compress from their sizes alone. If `steered`, leaves
 * those that taste_steer is going to fill. */
void taste_fill(const struct library *l, uint8_t *image, bool steered);

/* When the rest of the image is complete: fills constants and objects so that each part compresses to the size that the
 * row states, by our own estimate (packed.h). False when memory ran out. */
bool taste_steer(const struct library *l, uint8_t *image, struct arena *arena);

#endif
