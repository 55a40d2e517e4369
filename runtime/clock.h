/* Time: now, and how long ago this process began. */
#ifndef RUNTIME_CLOCK_H
#define RUNTIME_CLOCK_H

/* In the environment: the seconds of CLOCK_MONOTONIC on this host at which whoever
 * executes the program has started. */
#define CLOCK_START "PYELFRUN_START"

/* Seconds of CLOCK_MONOTONIC. */
double clock_now(void);

/* Since when, and how exactly that is known. */
struct clock_startup {
    double seconds; /* NAN where the system does not say */
    double step;    /* the resolution of `seconds` */
};

/* Seconds from the start of the process to this call. */
struct clock_startup clock_startup(void);

#endif
