/* Reading distributions, and drawing from them; see distribution.h. */
#include "emit/profile/distribution.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/histogram.h"
#include "base/order.h"
#include "base/shares.h"

enum {
    BUCKETS_MOST = 4 * 64,
    RAISED_ALWAYS = 64,
    WHOLE = 16, /* sixteenths of how far values could go */
};

/* What is missing or too much goes to the largest fiftieth of the values, as far as these take it, then to the largest
 * tenth, and so on. */
static const uint32_t parts[] = {50, 10, 2, 1};
enum { PARTS = sizeof parts / sizeof parts[0] };

static uint32_t values_of(uint32_t part, uint32_t count)
{
    return count / part + 1 < count ? count / part + 1 : count;
}

/* Reads a number that ends at one of `ends` or at the end of the text. False where there is none, or one of more than
 * 64 bits. */
static bool take_number(const char **text, const char *ends, uint64_t *number)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *number = strtoull(*text, &end, 10);
    if (errno)
        return false;
    if (*number > DISTRIBUTION_MOST)
        *number = DISTRIBUTION_MOST;
    *text = end;
    return *end == '\0' || strchr(ends, *end);
}

static const char *skip_spaces(const char *text)
{
    while (*text == ' ')
        text++;
    return text;
}

/* Reads quantiles and returns how many there are; 0 if the text is no list of quantiles. */
static uint32_t read_quantiles(const char *text, uint32_t quantile[QUANTILES_MOST])
{
    uint32_t count = 0;
    for (text = skip_spaces(text); *text; text = skip_spaces(text)) {
        uint64_t value;
        uint64_t times = 1;
        if (!take_number(&text, " *", &value))
            return 0;
        if (*text == '*') {
            text++;
            if (!take_number(&text, " ", &times))
                return 0;
        }
        if (times > QUANTILES_MOST - count || (count && value < quantile[count - 1]))
            return 0;
        while (times--)
            quantile[count++] = (uint32_t)value;
    }
    return quantiles_are_of_few(count) || quantiles_are(count) ? count : 0;
}

struct bucket {
    uint64_t low, high; /* values from low, below high */
    uint64_t count;
};

/* The end of the bucket that begins at `low`, as captures have buckets. Beyond the last one a bucket has one value. */
static uint64_t end_of_bucket(uint64_t low)
{
    const uint64_t border = histogram_least(histogram_bucket(low) + 1);
    return border > low ? border : low + 1;
}

/* Reads the buckets that have any values; there may be none. False where the text is malformed. */
static bool read_buckets(const char *text, struct bucket bucket[BUCKETS_MOST], uint32_t *count)
{
    *count = 0;
    for (text = skip_spaces(text); *text; text = skip_spaces(text)) {
        struct bucket b;
        if (*count == BUCKETS_MOST || !take_number(&text, ":", &b.low) || *text++ != ':' ||
            !take_number(&text, " ", &b.count) || (*count && b.low < bucket[*count - 1].high))
            return false;
        b.high = end_of_bucket(b.low);
        if (b.count)
            bucket[(*count)++] = b;
    }
    return true;
}

bool distribution_are_quantiles(const char *text)
{
    uint32_t quantile[QUANTILES_MOST];
    return read_quantiles(text, quantile);
}

bool distribution_are_buckets(const char *text)
{
    struct bucket bucket[BUCKETS_MOST];
    uint32_t count;
    return read_buckets(text, bucket, &count);
}

bool distribution_are_counts(const char *text)
{
    for (text = skip_spaces(text); *text; text = skip_spaces(text)) {
        uint64_t count;
        const size_t word = strcspn(text, ": ");
        text += word;
        if (!word || *text++ != ':' || !take_number(&text, " ", &count))
            return false;
    }
    return true;
}

/* The geometric mean, rounded down, in whole numbers so that it is the same on every machine. */
static uint64_t between(uint64_t low, uint64_t high)
{
    const uint64_t product = low * high;
    uint64_t root = low;
    uint64_t end = high + 1;
    while (end - root > 1) {
        const uint64_t middle = root + (end - root) / 2;
        if (middle * middle <= product)
            root = middle;
        else
            end = middle;
    }
    return root;
}

enum { EIGHTHS = 8 };

/* Sets the borders of eighths of the values from `low` to `high`. Values become ever rarer, as the largest ones do, so
 * the ends of the eighths grow by one factor. */
static void divide_eighths(uint64_t low, uint64_t high, uint64_t border[EIGHTHS + 1])
{
    border[0] = low;
    border[EIGHTHS] = high;
    for (unsigned step = EIGHTHS; step > 1; step /= 2)
        for (unsigned i = 0; i < EIGHTHS; i += step)
            border[i + step / 2] = between(border[i], border[i + step]);
}

/* The place of quantile i among `count` values, as capturing has it (base/histogram.c). */
static uint32_t place_of_quantile(uint32_t i, uint32_t quantiles, uint32_t count)
{
    return (uint32_t)((uint64_t)(count - 1) * i / (quantiles - 1));
}

/* How far a place, `place` of `of` between two quantiles, is on the way from the lower value to the higher, out of
 * `of`. If the quantile before the lower one has the same value, values equal to it end somewhere between the two
 * quantiles. Nobody knows where, so they are taken to end in the middle; likewise for the higher one. */
static uint64_t beside_the_same(uint64_t place, uint64_t of, bool low_is_same, bool high_is_same)
{
    const uint64_t first = low_is_same ? of / 2 : 0;
    const uint64_t end = !high_is_same ? of : low_is_same ? first : of / 2;
    if (!first && end == of)
        return place;
    return place <= first ? 0 : place >= end ? of : (place - first) * of / (end - first);
}

/* Sets values [first, end), all of which are between quantiles i and i + 1 or at the former. */
static void draw_between(const uint32_t *quantile, uint32_t quantiles, uint32_t i, uint32_t count, uint32_t first,
                         uint32_t end, uint32_t *value)
{
    const uint64_t of = count - 1;
    const uint64_t low = quantile[i];
    const uint64_t high = quantile[i + 1];
    const bool low_is_same = i && quantile[i - 1] == low;
    const bool high_is_same = i + 2 < quantiles && quantile[i + 2] == high;
    uint64_t border[EIGHTHS + 1];
    if (i + 2 == quantiles)
        divide_eighths(low, high, border);
    for (uint32_t k = first; k < end; k++) {
        uint64_t within = beside_the_same((uint64_t)k * (quantiles - 1) - i * of, of, low_is_same, high_is_same);
        uint64_t from = low;
        uint64_t to = high;
        if (i + 2 == quantiles) {
            const uint64_t eighth = EIGHTHS * within / of;
            within = EIGHTHS * within % of;
            from = border[eighth];
            to = border[eighth + 1];
        }
        value[k] = (uint32_t)(from + ((to - from) * within + of / 2) / of);
    }
}

/* Sets values that have these quantiles at their places, and are spread evenly between them. */
static void draw_quantiles(const uint32_t *quantile, uint32_t quantiles, uint32_t count, uint32_t *value)
{
    if (count <= 1) {
        for (uint32_t k = 0; k < count; k++)
            value[k] = quantile[(quantiles - 1) / 2];
        return;
    }
    for (uint32_t i = 0, first = 0; i + 1 < quantiles; i++) {
        const uint32_t end = (uint32_t)(((i + UINT64_C(1)) * (count - 1) + quantiles - 2) / (quantiles - 1));
        if (quantile[i] != quantile[i + 1])
            draw_between(quantile, quantiles, i, count, first, end, value);
        else
            for (uint32_t k = first; k < end; k++)
                value[k] = quantile[i];
        first = end;
    }
    for (uint32_t i = 0; i < quantiles; i++)
        value[place_of_quantile(i, quantiles, count)] = quantile[i];
}

static uint64_t count_buckets(const struct bucket *bucket, uint32_t buckets)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < buckets; i++)
        all += bucket[i].count;
    return all;
}

static void draw_buckets(const struct bucket *bucket, uint32_t buckets, uint32_t count, uint32_t *value)
{
    const uint64_t all = count_buckets(bucket, buckets);
    uint32_t i = 0;
    uint64_t before = 0;
    for (uint32_t k = 0; k < count; k++) {
        const uint64_t rank = (uint64_t)((unsigned __int128)(2 * (uint64_t)k + 1) * all / (2 * (uint64_t)count));
        while (rank >= before + bucket[i].count)
            before += bucket[i++].count;
        const struct bucket *b = &bucket[i];
        value[k] = (uint32_t)(b->low + (b->high - b->low) * (rank - before) / b->count);
    }
}

bool distribution_values(const char *quantiles, const char *buckets, uint32_t count, uint32_t *value)
{
    uint32_t quantile[QUANTILES_MOST];
    struct bucket bucket[BUCKETS_MOST];
    uint32_t number = quantiles ? read_quantiles(quantiles, quantile) : 0;
    if (number)
        draw_quantiles(quantile, number, count, value);
    else if (buckets && read_buckets(buckets, bucket, &number) && number)
        draw_buckets(bucket, number, count, value);
    else
        return false;
    return true;
}

/* Takes one value out of its bucket or, if that is empty, out of the nearest lower one that is not. */
static void take_out(struct bucket *bucket, uint32_t buckets, uint32_t value)
{
    uint32_t i = buckets;
    while (i > 1 && bucket[i - 1].low > value)
        i--;
    while (i > 0 && !bucket[i - 1].count)
        i--;
    if (i > 0)
        bucket[i - 1].count--;
}

/* Writes the buckets that are not empty. NULL when memory ran out. */
static char *write_buckets(const struct bucket *bucket, uint32_t buckets)
{
    enum { EACH = 48 };
    char *const text = malloc(buckets * (size_t)EACH + 1);
    char *at = text;
    for (uint32_t i = 0; text && i < buckets; i++)
        if (bucket[i].count)
            at += sprintf(at, "%s%" PRIu64 ":%" PRIu64, at > text ? " " : "", bucket[i].low, bucket[i].count);
    return text;
}

bool distribution_without(const char *buckets, const struct distribution_part *part, uint32_t part_count, char **left)
{
    struct bucket bucket[BUCKETS_MOST];
    uint32_t count;
    *left = NULL;
    if (!read_buckets(buckets, bucket, &count))
        return true;
    for (uint32_t i = 0; i < part_count; i++) {
        uint32_t *value = malloc((part[i].count + (size_t)1) * sizeof *value);
        if (!value)
            return false;
        if (distribution_values(part[i].quantiles, NULL, part[i].count, value))
            for (uint32_t k = 0; k < part[i].count; k++)
                take_out(bucket, count, value[k]);
        free(value);
    }
    if (count_buckets(bucket, count))
        *left = write_buckets(bucket, count);
    return *left || !count_buckets(bucket, count);
}

bool distribution_has_quantiles(const char *quantiles, const uint32_t *value, uint32_t count)
{
    uint32_t quantile[QUANTILES_MOST];
    const uint32_t number = quantiles && count ? read_quantiles(quantiles, quantile) : 0;
    bool has = number;
    for (uint32_t i = 0; i < number && has; i++)
        has = value[place_of_quantile(i, number, count)] == quantile[i];
    return has;
}

bool distribution_is_of_few(const char *quantiles)
{
    uint32_t quantile[QUANTILES_MOST];
    return quantiles_are_of_few(read_quantiles(quantiles, quantile));
}

/* Sorts values below COUNTED_MOST, of which `largest` is the largest, by counting how many there are of each. */
enum { COUNTED_MOST = 1 << 10 };
static void sort_by_counting(uint32_t *value, uint32_t count, uint32_t largest)
{
    uint32_t there[COUNTED_MOST];
    memset(there, 0, (largest + (size_t)1) * sizeof *there);
    for (uint32_t i = 0; i < count; i++)
        there[value[i]]++;
    for (uint32_t is = 0, i = 0; is <= largest; is++)
        for (; there[is]; there[is]--)
            value[i++] = is;
}

void distribution_sort(uint32_t *value, uint32_t count)
{
    uint32_t largest = 0;
    bool is_sorted = true; /* as values often are already */
    for (uint32_t i = 0; i < count; i++) {
        is_sorted &= largest <= value[i];
        largest = value[i] > largest ? value[i] : largest;
    }
    if (is_sorted)
        return;
    if (largest < COUNTED_MOST) /* lengths of names, as a rule */
        sort_by_counting(value, count, largest);
    else
        qsort(value, count, sizeof *value, order_u32);
}

/* A value, and how many more of all values than of the fixed ones are at most as large (`more`). The count of other
 * values up to some value cannot fall as the value grows, so there are also the largest `more` up to here and the least
 * from here on. */
struct place {
    uint32_t value;
    int64_t more, most, least;
};

/* Of all ascending lines, the middle between `most` and `least` has the smallest largest distance from `more`. */
bool distribution_rest(const uint32_t *all, uint32_t count, uint32_t *fixed, uint32_t fixed_count, uint32_t *rest)
{
    struct place *place = malloc((count + (size_t)fixed_count + 1) * sizeof *place);
    if (!place)
        return false;
    distribution_sort(fixed, fixed_count);
    size_t places = 0;
    for (uint32_t i = 0, k = 0; i < count || k < fixed_count; places++) {
        const uint32_t value = i < count && (k == fixed_count || all[i] < fixed[k]) ? all[i] : fixed[k];
        while (i < count && all[i] == value)
            i++;
        while (k < fixed_count && fixed[k] == value)
            k++;
        place[places] = (struct place){.value = value, .more = (int64_t)i - k};
    }
    int64_t most = 0;
    for (size_t i = 0; i < places; i++)
        place[i].most = most = place[i].more > most ? place[i].more : most;
    const uint32_t wanted = count > fixed_count ? count - fixed_count : 0;
    int64_t least = wanted;
    for (size_t i = places; i-- > 0;)
        place[i].least = least = place[i].more < least ? place[i].more : least;
    uint32_t given = 0;
    for (size_t i = 0; i < places; i++) {
        const int64_t until = i + 1 == places ? (int64_t)wanted : (place[i].most + place[i].least) / 2;
        while (given < wanted && given < until)
            rest[given++] = place[i].value;
    }
    free(place);
    return true;
}

double distribution_distance(const uint32_t *a, uint32_t *b, uint32_t count)
{
    distribution_sort(b, count);
    uint32_t most = 0;
    for (uint32_t i = 0, k = 0; i < count && k < count;) {
        const uint32_t value = a[i] < b[k] ? a[i] : b[k];
        while (i < count && a[i] == value)
            i++;
        while (k < count && b[k] == value)
            k++;
        const uint32_t apart = i > k ? i - k : k - i;
        most = apart > most ? apart : most;
    }
    return count ? (double)most / count : 0;
}

/* Adds `more` to the last `last` values, as far as each takes it without becoming another kind of value: it at most
 * doubles or, if it is small, grows by RAISED_ALWAYS. At the `end`, `most` is the only limit. Returns what is left
 * over. */
static uint64_t raise(uint32_t *value, uint32_t count, uint32_t last, uint32_t most, bool end, uint64_t more)
{
    for (uint32_t i = 0; i < last; i++) {
        uint32_t *v = &value[count - 1 - i];
        const uint64_t each = (more + (last - i) - 1) / (last - i);
        const uint64_t twice = *v < RAISED_ALWAYS ? *v + (uint64_t)RAISED_ALWAYS : UINT64_C(2) * *v;
        const uint64_t limit = end || twice > most ? most : twice;
        const uint64_t room = *v < limit ? limit - *v : 0;
        const uint64_t add = each < room ? each : room;
        *v += (uint32_t)add;
        more -= add;
    }
    return more;
}

/* Takes `less` from the values [first, count) that are above `floor`, in proportion to how far they are above it.
 * Returns what is left over. */
static uint64_t sink(uint32_t *value, uint32_t first, uint32_t count, uint32_t floor, uint64_t less)
{
    uint64_t above = 0;
    for (uint32_t i = first; i < count; i++)
        above += value[i] > floor ? value[i] - floor : 0;
    struct shares taken = {.sum = less < above ? less : above, .weights = above};
    for (uint32_t i = first; i < count && above; i++)
        value[i] -= (uint32_t)shares_next(&taken, value[i] > floor ? value[i] - floor : 0);
    return less - taken.sum;
}

uint64_t distribution_fit(uint32_t *value, uint32_t count, uint32_t least, uint32_t most, uint64_t sum)
{
    uint64_t is = 0;
    for (uint32_t i = 0; i < count; i++) {
        value[i] = value[i] < least ? least : value[i] > most ? most : value[i];
        is += value[i];
    }
    uint64_t more = is < sum ? sum - is : 0;
    uint64_t less = is > sum ? is - sum : 0;
    const bool sinks = less;
    for (unsigned i = 0; i < PARTS; i++) {
        const uint32_t last = values_of(parts[i], count);
        const uint32_t first = count - last;
        if (more)
            more = raise(value, count, last, most, i + 1 == PARTS, more);
        if (less)
            less = sink(value, first, count, first ? value[first - 1] : least, less);
    }
    if (sinks) /* parts are rounded, so that equal values may differ by one */
        distribution_sort(value, count);
    return sum + less - more;
}

static uint64_t limited(uint64_t value, uint64_t least, uint64_t most)
{
    return value < least ? least : value > most ? most : value;
}

uint64_t distribution_fit_few(uint32_t *value, uint32_t count, uint32_t least, uint32_t most, uint64_t sum)
{
    uint64_t is = 0;
    for (uint32_t i = 0; i < count; i++) {
        value[i] = value[i] < least ? least : value[i] > most ? most : value[i];
        is += value[i];
    }
    /* Where most values are the same, the least and the largest one are not far from them, and nearly all would have to
     * change. */
    const uint64_t middle = count ? value[count / 2] : 0;
    uint64_t low = limited(middle / 2, least, count ? value[0] : least);
    uint64_t high = limited(middle + middle / 2, count ? value[count - 1] : most, most);
    for (bool wider = count; wider && is != sum;) {
        for (uint32_t i = count; i-- > 0 && is > sum;) {
            const uint64_t less = is - sum < value[i] - low ? is - sum : value[i] - low;
            value[i] -= (uint32_t)less;
            is -= less;
        }
        for (uint32_t i = 0; i < count && is < sum; i++) {
            const uint64_t more = sum - is < high - value[i] ? sum - is : high - value[i];
            value[i] += (uint32_t)more;
            is += more;
        }
        distribution_sort(value, count);
        wider = low > least || high < most;
        low = low / 2 > least ? low / 2 : least;
        high = 2 * high < most ? 2 * high : most;
    }
    return is;
}

/* How many of the ascending values are less than `limit`. */
static uint32_t count_below(const uint32_t *value, uint32_t count, uint64_t limit)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (value[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many values, from the first on, count as at least `number` together. The first k count as before[k] or, where
 * that is NULL, as k. If all together do not, returns more than there are. */
static uint32_t values_with(const uint32_t *before, uint32_t count, uint32_t number)
{
    if (before)
        return count_below(before, count + 1, number);
    return number <= count ? number : count + 1;
}

/* Sets limits that keep each quantile at its place among all values: no more values are below the quantile than have a
 * place before it, and the values up to its place are not above it. */
static void limit_by_quantiles(const uint32_t *quantile, uint32_t quantiles, const uint32_t *fixed,
                               uint32_t fixed_count, const uint32_t *before, struct distribution_limits *limit,
                               uint32_t count)
{
    const uint32_t all = fixed_count + (before ? before[count] : count);
    for (uint32_t i = 0; i < quantiles; i++) {
        const uint32_t place = place_of_quantile(i, quantiles, all);
        const uint32_t below = count_below(fixed, fixed_count, quantile[i]);
        const uint32_t until = count_below(fixed, fixed_count, quantile[i] + UINT64_C(1));
        const uint32_t first = place < below ? 0 : values_with(before, count, place + 1 - below) - 1;
        const uint32_t end = place < until ? 0 : values_with(before, count, place + 1 - until);
        if (first < count && limit[first].least < quantile[i]) /* and all behind it */
            limit[first].least = quantile[i];
        if (end > 0 && end <= count && limit[end - 1].most > quantile[i]) /* and all before it */
            limit[end - 1].most = quantile[i];
    }
    for (uint32_t k = 1; k < count; k++)
        if (limit[k].least < limit[k - 1].least)
            limit[k].least = limit[k - 1].least;
    for (uint32_t k = count; k-- > 1;)
        if (limit[k - 1].most > limit[k].most)
            limit[k - 1].most = limit[k].most;
    for (uint32_t k = 0; k < count; k++)
        if (limit[k].most < limit[k].least) { /* too many fixed values are between two quantiles */
            const struct distribution_limits other = {.least = limit[k].most, .most = limit[k].least};
            limit[k] = other;
        }
}

bool distribution_limit(const char *quantiles, const uint32_t *fixed, uint32_t fixed_count, const uint32_t *before,
                        uint32_t least, uint32_t most, struct distribution_limits *limit, uint32_t count)
{
    uint32_t quantile[QUANTILES_MOST];
    const uint32_t number = quantiles && fixed_count + (uint64_t)count > 1 ? read_quantiles(quantiles, quantile) : 0;
    for (uint32_t k = 0; number && k < count; k++)
        limit[k] = (struct distribution_limits){least, most};
    if (number)
        limit_by_quantiles(quantile, number, fixed, fixed_count, before, limit, count);
    return number;
}

void distribution_limit_values(uint32_t *value, const struct distribution_limits *limit, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        value[k] = (uint32_t)limited(value[k], limit[k].least, limit[k].most);
}

/* Changes the values [first, count) in proportion to how far their limits let them go, up or down: by `wanted` all
 * together, or by `most` sixteenths of how far all can go. Returns by how much. */
static uint64_t change_within(uint32_t *value, const struct distribution_limits *limit, uint32_t first, uint32_t count,
                              bool up, uint64_t wanted, uint32_t most)
{
    uint64_t room = 0;
    for (uint32_t k = first; k < count; k++)
        room += up ? limit[k].most - value[k] : value[k] - limit[k].least;
    const uint64_t may = room / WHOLE * most + room % WHOLE * most / WHOLE;
    struct shares given = {.sum = wanted < may ? wanted : may, .weights = room};
    for (uint32_t k = first; k < count && given.sum; k++) {
        const uint64_t part = shares_next(&given, up ? limit[k].most - value[k] : value[k] - limit[k].least);
        value[k] = (uint32_t)(up ? value[k] + part : value[k] - part);
    }
    return given.sum;
}

uint64_t distribution_fit_within(uint32_t *value, const struct distribution_limits *limit, uint32_t count,
                                 uint32_t largest, uint64_t sum)
{
    uint64_t is = 0;
    uint32_t tail = count; /* from here on values have the same upper limit as the last */
    distribution_limit_values(value, limit, count);
    for (uint32_t k = 0; k < count; k++)
        is += value[k];
    while (tail > 0 && limit[tail - 1].most == limit[count - 1].most)
        tail--;
    const bool up = is < sum;
    uint64_t wanted = up ? sum - is : is - sum;
    const uint64_t missing = wanted;
    wanted -= change_within(value, limit, tail, count, up, wanted, largest);
    wanted -= change_within(value, limit, 0, count, up, wanted, WHOLE);
    return up ? is + (missing - wanted) : is - (missing - wanted);
}

uint64_t distribution_fit_quantiles(const char *quantiles, const struct distribution_task *t)
{
    uint64_t is = 0;
    if (distribution_limit(quantiles, t->fixed, t->fixed_count, NULL, t->least, t->most, t->limit, t->count)) {
        is = distribution_fit_within(t->value, t->limit, t->count, 0, t->sum);
        distribution_sort(t->value, t->count);
        return is;
    }
    for (uint32_t k = 0; k < t->count; k++)
        is += t->value[k];
    return is;
}
