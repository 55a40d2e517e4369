/* See histogram.h. */
#include "base/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* 2^(k/4) in units of 1/65536. */
static const uint32_t quarter[4] = {65536, 77936, 92682, 110218};

uint64_t histogram_least(unsigned bucket)
{
    if (bucket <= 8)
        return bucket;
    unsigned steps = bucket - 8 + 12; /* 8 is 2^(12/4) */
    unsigned power = steps / 4;
    uint64_t fraction = quarter[steps % 4];
    return power <= 16 ? fraction >> (16 - power) : fraction << (power - 16);
}

unsigned histogram_bucket(uint64_t value)
{
    unsigned low = 0;
    unsigned high = HISTOGRAM_BUCKETS - 40; /* its least value is 2^51 */
    while (low < high) {
        unsigned middle = (low + high + 1) / 2;
        if (histogram_least(middle) <= value)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Radix sort with digits of two bytes. Small values, which are the most frequent, take one pass. */
static bool sort(uint32_t *values, size_t count)
{
    if (count < 256) {
        qsort(values, count, sizeof *values, order_u32);
        return true;
    }
    enum { DIGIT = 1 << 16 };
    uint32_t *other = malloc(count * sizeof *other);
    size_t *place = malloc(DIGIT * sizeof *place);
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = values[i] > largest ? values[i] : largest;
    for (unsigned shift = 0; other && place && shift < 32 && largest >> shift; shift += 16) {
        memset(place, 0, DIGIT * sizeof *place);
        for (size_t i = 0; i < count; i++)
            place[values[i] >> shift & (DIGIT - 1)]++;
        size_t sum = 0;
        size_t digits = shift == 0 && largest < DIGIT ? largest + 1 : DIGIT;
        for (size_t d = 0; d < digits; d++) {
            size_t n = place[d];
            place[d] = sum;
            sum += n;
        }
        for (size_t i = 0; i < count; i++)
            other[place[values[i] >> shift & (DIGIT - 1)]++] = values[i];
        memcpy(values, other, count * sizeof *values);
    }
    bool ok = other && place;
    free(other);
    free(place);
    return ok;
}

bool samples_take(struct samples *s, uint32_t *values, size_t count)
{
    samples_free(s);
    s->count = count;
    if (count == 0)
        return true;
    if (!sort(values, count))
        return false;
    for (size_t q = 0; q < QUANTILES_MOST; q++)
        s->quantile[q] = values[(count - 1) * q / (QUANTILES_MOST - 1)];
    uint64_t counts[HISTOGRAM_BUCKETS] = {0};
    unsigned bucket = 0;
    for (size_t i = 0; i < count; i++) {
        while (histogram_least(bucket + 1) <= values[i])
            bucket++;
        s->buckets += counts[bucket]++ == 0;
    }
    s->bucket = calloc(s->buckets, sizeof *s->bucket);
    if (!s->bucket)
        return false;
    for (unsigned b = 0, i = 0; b < HISTOGRAM_BUCKETS; b++) {
        if (counts[b]) {
            s->bucket[i].bucket = (uint8_t)b;
            s->bucket[i++].count = counts[b];
        }
    }
    return true;
}

bool samples_keep(struct samples *s, const uint32_t *values)
{
    free(s->value);
    s->value = malloc((s->count + 1) * sizeof *s->value);
    if (s->value && s->count)
        memcpy(s->value, values, s->count * sizeof *s->value);
    return s->value;
}

void samples_free(struct samples *s)
{
    free(s->bucket);
    free(s->value);
    *s = (struct samples){0};
}

void histogram_add(struct histogram *h, const struct samples *s)
{
    for (size_t i = 0; i < s->buckets; i++)
        h->count[s->bucket[i].bucket] += s->bucket[i].count;
}
