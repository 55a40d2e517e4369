/* Makes what libraries are made from; see stock.h. */
#include "emit/stock.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

/* Tables as programs have them: small integers, physical constants, masks. */
static void make_literals(uint8_t *at, uint64_t seed)
{
    struct random random = {random_mix(seed ^ UINT64_C(0x6c69746572616c))};
    for (uint32_t i = 0; i < STOCK_LITERALS; i += 8) {
        uint64_t r = random_next(&random);
        uint64_t value = 0;
        double d = (double)(r >> 40) / 1024.0;
        switch ((i >> 7) % 4) {
        case 0:
            value = r >> 52 | (r & 0xfff) << 32;
            break;
        case 1:
            memcpy(&value, &d, sizeof value);
            break;
        case 2:
            value = r & UINT64_C(0x000000ff00ff00ff);
            break;
        default:
            d = 1.0 / (1.0 + d);
            memcpy(&value, &d, sizeof value);
        }
        memcpy(at + i, &value, sizeof value);
    }
}

struct stock *stock_make(struct dialect dialect, uint64_t seed)
{
    struct stock *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    if (!corpus_make(&s->corpus, dialect, seed)) {
        free(s);
        return NULL;
    }
    s->seed = seed;
    filler_make(&s->filler, seed);
    if (!blocks_make(&s->blocks, &s->filler, &s->corpus, seed)) {
        corpus_free(&s->corpus);
        free(s);
        return NULL;
    }
    make_literals(s->literals, seed);
    return s;
}

void stock_free(struct stock *s)
{
    if (!s)
        return;
    blocks_free(&s->blocks);
    corpus_free(&s->corpus);
    free(s);
}

void stock_fill(const struct stock *s, uint8_t *at, uint64_t size, uint64_t key)
{
    struct random random = {key};
    while (size) {
        uint64_t r = random_next(&random);
        uint64_t piece = 128 + (r & 0x3f8);
        uint64_t from = (r >> 20) % (STOCK_LITERALS - 2048) & ~UINT64_C(7);
        if (piece > size)
            piece = size;
        memcpy(at, s->literals + from, piece);
        if (piece >= 8) /* no two copies are the same */
            memcpy(at, &(uint32_t){(uint32_t)(r >> 32)}, 4);
        at += piece;
        size -= piece;
    }
}
