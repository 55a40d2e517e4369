/* A model of a profile with rows: the same application on a smaller scale, in which it is tried what a manner
 * (dwarf/corpus/manner.h) comes out as. A library with much debug information is a fraction of its size there: whatever
 * its row counts is divided by the same number, and what is a distribution, an average or a switch stays. A library has
 * as many entries of each kind for each unit, function and byte as before, so what is found in the model holds for the
 * application, and a try takes as long as one of MODEL_BYTES.
 */
#ifndef EMIT_PROFILE_MODEL_H
#define EMIT_PROFILE_MODEL_H

#include "emit/profile/profile.h"

enum { MODEL_BYTES = 24000000 }; /* of debug information in a library of a model, about; others are as they were */

/* How many times smaller the row's library is in a model; 1: it is as it was. */
uint32_t profile_model_scale(const struct profile_row *row);

/* Whether a model of the profile differs from it. */
bool profile_model_helps(const struct profile *p);

/* Makes a model. It borrows what rows have of text, and all else but the rows, from `p`. False when memory ran out.
 * Free with profile_model_free, not with profile_free, also after a failure. */
bool profile_model_make(struct profile *model, const struct profile *p, struct error *e);

/* Accepts a zeroed struct. */
void profile_model_free(struct profile *model);

#endif
