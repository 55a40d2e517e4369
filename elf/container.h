/* From a finished image to a file, through libelf.
 *
 * The image holds the whole file as layout.h lays it out. libelf writes it
 * (ELF_C_WRITE with ELF_F_LAYOUT, in slices of its sections, none of it copied)
 * under a temporary name, which is renamed when all of it has arrived.
 */
#ifndef ELF_CONTAINER_H
#define ELF_CONTAINER_H

#include <stdint.h>

#include "base/error.h"
#include "elf/layout.h"

/* Call once before the first container_write, from one thread. */
bool container_start(struct error *e);

/* Writes the image as `name` in the directory open as `directory`. On failure
 * nothing is left under either name. `path` is used in messages only. */
bool container_write(const struct layout *l, const uint8_t *image, int directory, const char *name, const char *path,
                     struct error *e);

#endif
