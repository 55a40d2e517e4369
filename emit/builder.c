/* Frees what a builder owns; see library.h. */
#include <stdlib.h>

#include "emit/library.h"

void builder_free(struct builder *b)
{
    arena_free(&b->arena);
    composed_free(&b->composed);
    bytes_free(&b->sources);
    bytes_free(&b->statics);
    bytes_free(&b->packed);
    bytes_free(&b->split_files);
    split_free(&b->split);
    bytes_free(&b->normal);
    indexed_free(&b->indexed);
    free(b->image);
    b->image = NULL;
    b->capacity = 0;
}

void builders_free(struct builder *builders, unsigned count)
{
    for (unsigned i = 0; builders && i < count; i++)
        builder_free(&builders[i]);
    free(builders);
}
