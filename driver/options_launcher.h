/* What has started this process, as far as the environment tells. */
#ifndef DRIVER_OPTIONS_LAUNCHER_H
#define DRIVER_OPTIONS_LAUNCHER_H

struct launched {
    const char *by; /* "mpirun"; NULL: not as one rank of several, or by what we do not know */
    long rank;      /* 0 where it is not known */
    long count;     /* 1 where it is not known */
};

struct launched launched_by(void);

#endif
