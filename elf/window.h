/* The image of a file that is too large to be in memory whole.
 *
 * The image has all its addresses, so that whoever writes a section writes it as in any other
 * image. What is finished is put into the file while the rest is still being made, and its memory given back: of
 * each section the bytes from its beginning on, in whatever order sections come.
 */
#ifndef ELF_WINDOW_H
#define ELF_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/layout.h"

/* Takes a piece of the file; every byte comes once. */
typedef bool window_put(void *context, const void *bytes, uint64_t size, uint64_t offset, struct error *e);

struct window {
    const struct layout *layout; /* borrowed */
    window_put *put;
    void *context;
    uint8_t *image;               /* begins a huge page: whole ones are given back */
    void *addresses;              /* what is reserved for it, */
    size_t capacity;              /* and how much */
    uint64_t done[SECTION_COUNT]; /* bytes of each section that have been put */
    bool failed;                  /* what comes after is not put */
    struct error error;
};

/* Reserves the addresses, but no memory. Close it in any case. */
bool window_open(struct window *w, const struct layout *layout, window_put *put, void *context, struct error *e);

/* The first `size` bytes of a section are final. They may stay for a while. */
void window_advance(struct window *w, enum section_id id, uint64_t size);

/* The whole section is final, and will not be read again. */
void window_complete(struct window *w, enum section_id id);

/* Whether everything so far has been put without an error; false with the first error. */
bool window_is_well(const struct window *w, struct error *e);

/* All sections are final: puts the rest, the headers, and what is between sections. False with the first error. */
bool window_finish(struct window *w, struct error *e);

/* Accepts a zeroed window. */
void window_close(struct window *w);

#endif
