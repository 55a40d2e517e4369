/* Distributions of whole numbers: sizes of functions, lengths of names.
 *
 * The samples of one library are kept until their quantiles are known. The samples of all libraries go into a
 * histogram, whose buckets begin at powers of 2^(1/4).
 */
#ifndef BASE_HISTOGRAM_H
#define BASE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many quantiles a list has, the least and the largest value included:
 * - of QUANTILES_LEAST samples or more: QUANTILES, one every 5 %, or a finer division that includes these, up to
 *   QUANTILES_MOST;
 * - of fewer samples, down to SIZES_FEW functions or LENGTHS_FEW names: QUANTILES_FEW or QUANTILES_FEW_FINE. No list of
 *   more samples has one of these numbers.
 */
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
    } * bucket; /* owned: the buckets that are not empty, ascending */
    size_t buckets;
    uint32_t *value; /* owned: all samples, ascending; NULL before samples_keep */
};

struct histogram {
    uint64_t count[HISTOGRAM_BUCKETS];
};

/* Whether a list of `count` quantiles is one of QUANTILES or of a finer division. */
static inline bool quantiles_are(size_t count)
{
    return count >= QUANTILES && count <= QUANTILES_MOST && (count - 1) % (QUANTILES - 1) == 0;
}

/* Whether a list of `count` quantiles is one of few samples. */
static inline bool quantiles_are_of_few(size_t count)
{
    return count == QUANTILES_FEW || count == QUANTILES_FEW_FINE;
}

/* Quantile `q` of `count`, where `count` is 11, 21, 41, 51, 101 or QUANTILES_MOST: these are among those that are kept.
 */
static inline uint32_t samples_quantile(const struct samples *s, size_t q, size_t count)
{
    return s->quantile[q * ((QUANTILES_MOST - 1) / (count - 1))];
}

/* The bucket of a value, and the least value of a bucket. Each value from 0 to 8 has a bucket of its own. */
unsigned histogram_bucket(uint64_t value);
uint64_t histogram_least(unsigned bucket);

/* Replaces *s by the quantiles and buckets of `values`, which it sorts but does not keep. False if memory runs out. */
bool samples_take(struct samples *s, uint32_t *values, size_t count);
/* Keeps a copy of the values that samples_take has sorted. False if memory runs out. */
bool samples_keep(struct samples *s, const uint32_t *values);
void samples_free(struct samples *s);

void histogram_add(struct histogram *h, const struct samples *s);

#endif
