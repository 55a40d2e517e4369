/* The directory of sources beside a set's libraries: what debuggers list.
 *
 *     SET/sources/libmodule3.c  libmodule3_1.c ...    one for each unit
 *     SET/sources/include/NAME.h                      one for each header of the corpus
 */
#ifndef EMIT_SET_SOURCES_H
#define EMIT_SET_SOURCES_H

#include <pthread.h>

#include "base/error.h"
#include "emit/set/directory.h"
#include "emit/source/source.h"

#define SOURCES_DIRECTORY "sources"
#define SOURCES_INCLUDE   "include"

struct sources {
    struct directory *set; /* borrowed */
    int directory, include;
    struct block_texts blocks;
    struct source *source; /* of each thread */
    pthread_mutex_t lock;
    struct bytes written; /* under the lock: names within the set, one behind the other */
};

enum sources_part { SOURCES_WITH_HEADERS, SOURCES_WITHOUT_HEADERS };

/* Makes the directories within the set's and, unless another rank does that, writes the headers. `s` must be zeroed.
 * Free with sources_free, also after a failure. */
bool sources_begin(struct sources *s, struct directory *set, const struct stock *stock, enum sources_part part,
                   struct error *e);

/* Writes the sources of library `l`, whose image must still be in memory. `worker` is the calling thread's number. */
bool sources_write(struct sources *s, unsigned worker, const struct library *l, struct error *e);

void sources_free(struct sources *s);

#endif
