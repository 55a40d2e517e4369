/* What a rank tells its witness (driver/launch/witness.h). Without a witness, as when an executable of the set was
 * started by hand, all of this does nothing. */
#ifndef DRIVER_WITNESS_H
#define DRIVER_WITNESS_H

#include <string.h>

#include "driver/common/witness_page.h"
#include "driver/ranks.h"

/* Returns the page that the launcher has made, or NULL. From then on the end by some signals needs no explanation:
 * SIGTERM, by which launchers end the ranks when one has failed; SIGINT and SIGHUP, because whoever ends a run knows
 * why; SIGPIPE, because nobody reads the results to their end. */
struct witness_page *witness_attach(void);

void witness_rank(struct witness_page *page, const struct ranks *r);

static inline void witness_phase(struct witness_page *page, const char *phase)
{
    if (!page)
        return;
    page->library[0] = '\0';
    memccpy(page->phase, phase, 0, sizeof page->phase - 1);
}

static inline void witness_library(struct witness_page *page, const char *stem)
{
    if (page)
        memccpy(page->library, stem, 0, sizeof page->library - 1);
}

/* Says that the end of this rank needs no further explanation. */
static inline void witness_told(struct witness_page *page)
{
    if (page)
        atomic_store(&page->told, 1);
}

#endif
