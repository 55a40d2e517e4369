/* An application several times as large: its libraries, each as often. */
#ifndef EMIT_PROFILE_COPIES_H
#define EMIT_PROFILE_COPIES_H

#include "base/error.h"
#include "emit/profile/profile.h"

enum { PROFILE_COPIES_MOST = 100000 };

/* Makes the profile that of `copies` applications side by side: each library, section and count as often. Rows follow
 * one another copy by copy, and the libraries of a copy need one another. What was found for the profile as it was
 * (`settled`) is dropped. Fails with ERROR_INPUT where that is more than a profile may have, and with ERROR_MEMORY; the
 * profile can still be freed. */
bool profile_multiply(struct profile *p, uint32_t copies, struct error *e);

#endif
