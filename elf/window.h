/* The image of a file that is too large to be in memory whole.
 *
 * The image has all its addresses, so that whoever writes a section writes it as in any other
 * image. What is finished goes to the file while the rest is still being made, and its memory back to the system: of
 * each section the bytes from its beginning on, in whatever order sections come.
 */
#ifndef ELF_WINDOW_H
#define ELF_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/layout.h"
#include "elf/output.h"

/* Told of every piece that goes to the file; no byte twice. */
typedef void window_watch(void *context, const void *bytes, uint64_t size, uint64_t offset);

struct window {
    const struct layout *layout; /* borrowed */
    struct output *output;       /* borrowed; begun with the size of the file */
    window_watch *watch;
    void *context;
    uint8_t *image;
    size_t capacity;
    uint64_t done[SECTION_COUNT]; /* bytes of each section that are in the file */
    bool failed;                  /* what comes after is not written */
    struct error error;
};

/* Reserves the addresses, but no memory. Close it in any case. */
bool window_open(struct window *w, const struct layout *layout, struct output *output, window_watch *watch,
                 void *context, struct error *e);

/* The first `size` bytes of a section are final. They may stay for a while. */
void window_advance(struct window *w, enum section_id id, uint64_t size);

/* The whole section is, and is not read again. */
void window_complete(struct window *w, enum section_id id);

/* Everything is: writes the rest, and headers. False with the first error. */
bool window_finish(struct window *w, struct error *e);

/* Takes zeroed ones. */
void window_close(struct window *w);

#endif
