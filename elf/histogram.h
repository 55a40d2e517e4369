/* Distributions of whole numbers: sizes of functions, lengths of names.
 *
 * Samples of one library are kept until their quantiles are known; those of all
 * libraries go into a histogram, whose buckets begin at powers of 2^(1/4).
 */
#ifndef ELF_HISTOGRAM_H
#define ELF_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many quantiles are kept, from the least value to the largest. QUANTILES, one every 5 %, of QUANTILES_LEAST or
 * more samples; or a finer division that includes these, up to QUANTILES_MOST. Of fewer samples, down to SIZES_FEW
 * functions or LENGTHS_FEW names, QUANTILES_FEW, or QUANTILES_FEW_FINE, which no list of more samples has. */
enum {
    HISTOGRAM_BUCKETS = 240,
    QUANTILES_FEW = 11,
    QUANTILES_FEW_FINE = 51,
    QUANTILES = 21,
    QUANTILES_MOST = 201,
    SIZES_FEW = 100,
    LENGTHS_FEW = 50,
    QUANTILES_LEAST = 200
};

struct samples {
    uint64_t count;
    uint32_t quantile[QUANTILES_MOST];
    struct {
        uint8_t bucket;
        uint64_t count;
    } * bucket; /* owned: those that are not empty, ascending */
    size_t buckets;
    uint32_t *value; /* owned: all, ascending; NULL unless samples_keep was asked for them */
};

struct histogram {
    uint64_t count[HISTOGRAM_BUCKETS];
};

/* Whether so many quantiles are QUANTILES or finer ones. */
static inline bool quantiles_are(size_t count)
{
    return count >= QUANTILES && count <= QUANTILES_MOST && (count - 1) % (QUANTILES - 1) == 0;
}

/* Whether so many quantiles are those of few samples. */
static inline bool quantiles_are_of_few(size_t count)
{
    return count == QUANTILES_FEW || count == QUANTILES_FEW_FINE;
}

/* Quantile `q` of `count`, which are among those that are kept: of 11, 21, 41, 51, 101 or all. */
static inline uint32_t samples_quantile(const struct samples *s, size_t q, size_t count)
{
    return s->quantile[q * ((QUANTILES_MOST - 1) / (count - 1))];
}

/* The bucket of a value, and the least value in it; 0 to 8 have their own. */
unsigned histogram_bucket(uint64_t value);
uint64_t histogram_least(unsigned bucket);

/* Takes `values`, which it sorts; false when memory runs out. */
bool samples_take(struct samples *s, uint32_t *values, size_t count);
/* Has *s keep the same values, now that they are sorted; false when memory runs out. */
bool samples_keep(struct samples *s, const uint32_t *values);
void samples_free(struct samples *s);

void histogram_add(struct histogram *h, const struct samples *s);

#endif
