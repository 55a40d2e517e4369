/* Time: now, and how long ago this process began. */
#ifndef RUNTIME_CLOCK_H
#define RUNTIME_CLOCK_H

/* Environment variable: the time just before the program was executed, in seconds of CLOCK_MONOTONIC on this host. */
#define CLOCK_START "PYELFRUN_START"

/* Seconds of CLOCK_MONOTONIC. */
double clock_now(void);

/* How long the process has been running, and how exactly that is known. */
struct clock_startup {
    double seconds; /* NAN if unknown */
    double step;    /* the resolution of `seconds` */
};

/* Seconds from the start of the process to this call. */
struct clock_startup clock_startup(void);

#endif
