/* What to do about a library that cannot be loaded. */
#ifndef DRIVER_ADVICE_H
#define DRIVER_ADVICE_H

/* Advice for what the dynamic linker or Python says of it. */
const char *advice_for(const char *reason);

#endif
