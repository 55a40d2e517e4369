/* What all libraries of a set are made from: made once, then read-only. */
#ifndef EMIT_STOCK_H
#define EMIT_STOCK_H

#include "dwarf/corpus.h"
#include "emit/block.h"
#include "emit/filler.h"
#include "emit/plan.h"

enum { STOCK_LITERALS = 1 << 16 };

struct stock {
    struct filler filler;
    struct blocks blocks;
    struct corpus corpus;
    uint64_t seed;                    /* that all of it was made from */
    uint8_t literals[STOCK_LITERALS]; /* what constants and initialised objects look like */
};

/* A function of dialect and seed. NULL when memory ran out; free with stock_free. */
struct stock *stock_make(struct dialect dialect, uint64_t seed);
void stock_free(struct stock *s);

/* Fills `size` bytes with constants, other ones for another key. */
void stock_fill(const struct stock *s, uint8_t *at, uint64_t size, uint64_t key);

#endif
