/* What has started this process, as far as the environment tells. */
#ifndef BASE_LAUNCHED_H
#define BASE_LAUNCHED_H

#include <stdbool.h>

struct launched {
    const char *by; /* "mpirun"; NULL: not as one rank of several, or by what we do not know */
    long rank;      /* 0 where it is not known */
    long count;     /* 1 where it is not known */
    long local;     /* its number among the ranks of its host; 0 where it is not known */
};

struct launched launched_by(void);

/* Whether it is one of several of which the environment does not tell how many: PMIx numbers it, and nothing else. */
bool launched_uncounted(void);

#endif
