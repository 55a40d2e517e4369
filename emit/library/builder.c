/* Frees what a builder owns, see library.h, and keeps builders for threads, see builders.h. */
#include <stdlib.h>

#include "emit/library/builders.h"

static void builder_forget(struct builder *b)
{
    b->translated.stock = NULL;
    b->loaded.row = NULL;
    b->joined = NULL;
    b->large = NULL;
    b->only_sizes = b->is_normal = false;
}

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
    builder_forget(b);
}

bool builders_start(struct builders *b, unsigned threads, struct error *e)
{
    b->count = threads ? threads : 1;
    b->of = calloc(b->count, sizeof *b->of);
    for (unsigned i = 0; b->of && i < b->count; i++)
        b->of[i].threads = b->count;
    return b->of || error_set(e, ERROR_MEMORY, "out of memory for %u threads", b->count);
}

void builders_forget(struct builders *b)
{
    for (unsigned i = 0; i < b->count; i++)
        builder_forget(&b->of[i]);
}

void builders_free(struct builders *b)
{
    for (unsigned i = 0; b->of && i < b->count; i++)
        builder_free(&b->of[i]);
    free(b->of);
    *b = (struct builders){.of = NULL};
}
