/* What started this process, as far as the environment tells. */
#ifndef BASE_LAUNCHED_H
#define BASE_LAUNCHED_H

#include <stdbool.h>

struct launched {
    const char *by; /* "mpirun"; NULL: not started as one of several ranks, or by an unknown launcher */
    long rank;      /* 0 if unknown */
    long count;     /* 1 if unknown */
    long local;     /* number among the ranks of this host; 0 if unknown */
};

struct launched launched_by(void);

/* Whether this process is one of several ranks whose number the environment does not tell: PMIx numbers them, and
 * nothing else is set. */
bool launched_uncounted(void);

#endif
