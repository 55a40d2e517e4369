/* The command line of pyelfrun, as one struct. */
#ifndef DRIVER_OPTIONS_H
#define DRIVER_OPTIONS_H

#include <stdbool.h>

struct options {
    const char *set; /* the directory as the user named it; borrowed from argv */
    bool python;     /* false with --no-python */
    bool lazy;       /* functions are bound at their first call, not when a library is opened */
    bool quiet;
};

/* True when there is something to run. Otherwise *status is the exit status:
 * --help and --version have been answered, or what is wrong has been said. */
bool options_parse(struct options *o, int argc, char **argv, int *status);

#endif
