/* A mode: one way of bringing a set into this process.
 *
 * phases.c goes through the libraries and takes the time; a mode knows how one
 * library is opened and visited. `library` is an index into the manifest's
 * rows, below manifest.imported. Every function that can fail fills `e`.
 */
#ifndef DRIVER_MODE_H
#define DRIVER_MODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "driver/run.h"

struct mode {
    /* Makes ready, untimed; *state is the mode's own. `run` must outlive it. */
    bool (*start)(void **state, const struct run *run, struct error *e);
    bool (*open)(void *state, size_t library, struct error *e);
    bool (*visit)(void *state, size_t library, uint64_t *result, struct error *e);
    /* What the library says of itself after all visits, untimed. */
    bool (*check)(void *state, size_t library, struct error *e);
    /* Takes NULL and half-started states. */
    void (*stop)(void *state);
    /* What loads the libraries, for the report: "CPython 3.11.2". */
    void (*describe)(char *text, size_t size);
};

extern const struct mode mode_python; /* python.c: import and call as Python does */
extern const struct mode mode_plain;  /* loader.c: the dynamic linker alone */

#endif
