/* The image of a file that is too large to be in memory as a whole.
 *
 * The image has all its addresses, so sections are written into it as into any other image. Finished bytes go to the
 * file while others are still being made, and their memory goes back to the system. In each section bytes have to be
 * finished from the beginning on; sections may come in any order.
 */
#ifndef ELF_WRITE_WINDOW_H
#define ELF_WRITE_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/write/layout.h"

/* Takes a piece of the file. Every byte comes exactly once. */
typedef bool window_put(void *context, const void *bytes, uint64_t size, uint64_t offset, struct error *e);

struct window {
    const struct layout *layout; /* borrowed */
    window_put *put;
    void *context;
    uint8_t *image;  /* at the beginning of a huge page, because memory is given back in whole huge pages */
    void *addresses; /* the reserved addresses, owned */
    size_t capacity; /* bytes of these */
    uint64_t done[SECTION_COUNT]; /* bytes of each section that were passed to `put` */
    bool failed;                  /* `put` has failed and is not called any more */
    struct error error;
};

/* Reserves the addresses, but no memory. Close the window in any case. */
bool window_open(struct window *w, const struct layout *layout, window_put *put, void *context, struct error *e);

/* Says that the first `size` bytes of a section are final. They may stay in memory for a while. */
void window_advance(struct window *w, enum section_id id, uint64_t size);

/* Says that the whole section is final and will not be read again. */
void window_complete(struct window *w, enum section_id id);

/* Whether all calls of `put` have succeeded so far; if not, *e is the first error. */
bool window_is_well(const struct window *w, struct error *e);

/* Says that all sections are final: puts the rest of them, the headers, and the padding between sections. False with
 * the first error. */
bool window_finish(struct window *w, struct error *e);

/* Accepts a zeroed window. */
void window_close(struct window *w);

#endif
