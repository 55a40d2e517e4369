/* A set that is in memory: how the program that has made it (tools/pyelf_memory.c) hands it on to one that runs it.
 *
 * Each library is a memfd that survives exec. So are the manifest and a list, whose descriptor is in the
 * environment:
 *
 *     3 llnl-2007              the manifest's, and the profile as it was named
 *     5 libmodule0.so 8 9      a library's, its name, which of the libraries it needs, counted from 0
 *     6 libmodule1.so
 *
 * in the order of the manifest.
 */
#ifndef BASE_MEMORY_SET_H
#define BASE_MEMORY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

#define MEMORY_SET_VARIABLE "PYELFGEN_MEMORY"

struct memory_library {
    int fd;
    const char *name;
    const uint32_t *need; /* indices of libraries */
    uint32_t needs;
};

struct memory_set {
    struct memory_library *library;
    size_t count;
    int manifest;
    const char *profile; /* from which it was made, as it was named */
    char *text;          /* these two own what is above */
    uint32_t *need;
};

/* Whether this process has been given one. */
bool memory_set_given(void);

/* Takes it over: the descriptors are for this process alone after this. After a failure there is nothing to free. */
bool memory_set_take(struct memory_set *s, struct error *e);

/* One line of the list, the manifest's or a library's: its descriptor, its name, and which libraries it needs. False
 * with errno. */
bool memory_set_write(FILE *f, int fd, const char *name, const uint32_t *need, size_t needs);

void memory_set_free(struct memory_set *s);

#endif
