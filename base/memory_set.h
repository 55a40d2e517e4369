/* A set in memory: how the program that made it (tools/pyelf_memory.c) hands it on to the one that runs it.
 *
 * Each library is a memfd that survives exec. So are the manifest and a list, in the order of the manifest. The
 * descriptor of the list is in the environment:
 *
 *     3 llnl-2007              the manifest's, and the profile as it was named
 *     5 libmodule0.so 8 9      a library's, its name, which of the libraries it needs, counted from 0
 *     6 libmodule1.so
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
    const char *profile; /* the profile as it was named to the program that made the set */
    char *text;          /* owns the names and the profile's name; `need` owns all needs */
    uint32_t *need;
};

/* Whether this process was given a set. */
bool memory_set_given(void);

/* Takes the set over; its descriptors are not inherited any further. After a failure there is nothing to free. */
bool memory_set_take(struct memory_set *s, struct error *e);

/* Writes one line of the list, for the manifest or a library: its descriptor, its name, and which libraries it needs.
 * False with errno set. */
bool memory_set_write(FILE *f, int fd, const char *name, const uint32_t *need, size_t needs);

void memory_set_free(struct memory_set *s);

#endif
