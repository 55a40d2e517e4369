/* A loader brings a set's libraries into this process: CPython, or the dynamic linker alone.
 *
 * phases.c goes through the libraries and takes the time. A loader opens and visits one library. `library` is an index
 * into the manifest's rows, one of run->opened. Every function that can fail fills `e`.
 */
#ifndef DRIVER_LOADER_H
#define DRIVER_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "driver/run.h"

struct loader {
    /* Prepares the loader, untimed. *state belongs to the loader. `run` must outlive it. */
    bool (*start)(void **state, const struct run *run, struct error *e);
    bool (*open)(void *state, size_t library, struct error *e);
    bool (*visit)(void *state, size_t library, uint64_t *result, struct error *e);
    /* Checks what the library says of itself after all visits, untimed. */
    bool (*check)(void *state, size_t library, struct error *e);
    /* Accepts NULL and half-started states. */
    void (*stop)(void *state);
    /* Writes what loads the libraries, for the report: "CPython 3.11.2". */
    void (*describe)(const struct run *run, char *text, size_t size);
};

extern const struct loader loader_python; /* python.c: import and call as Python does */
extern const struct loader loader_plain;  /* plain.c: the dynamic linker alone */

#endif
