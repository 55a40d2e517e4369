/* Pynamic's names, and the choice between the styles; see names.h. */
#include "emit/plan/names.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "elf/write/hash.h"
#include "emit/plan/names_row.h"
#include "emit/plan/plan.h"

void names_init(struct names *n, uint32_t length, uint32_t pad)
{
    assert(!(length && pad) && length <= PROFILE_NAME_MOST && pad <= PROFILE_NAME_MOST);
    n->style = STYLE_PYNAMIC;
    n->letters = 0;
    n->length = length;
    n->pad = pad;
    for (size_t i = 0; i < sizeof n->digits; i++)
        n->digits[i] = (char)('0' + i % 10);
    n->suffix_hash[0] = 0;
    n->suffix_power[0] = 1;
    for (uint32_t i = 0; i < PROFILE_NAME_MOST; i++) {
        n->suffix_hash[i + 1] = hash_gnu(n->suffix_hash[i], &n->digits[i], 1);
        n->suffix_power[i + 1] = n->suffix_power[i] * 33;
    }
}

void names_init_itanium(struct names *n, uint32_t letters)
{
    assert(letters >= MANGLE_LEAST && letters <= MANGLE_MOST);
    names_init(n, 0, 0);
    n->style = STYLE_ITANIUM;
    n->letters = letters;
}

void names_stem(struct name_stem *s, const char *library, const char *stem)
{
    int length = snprintf(s->text, sizeof s->text, "%s%s", library, stem);
    assert(length > 0 && (size_t)length < sizeof s->text);
    s->length = (uint32_t)length;
    s->hash = hash_gnu(HASH_GNU_START, s->text, s->length);
}

uint32_t names_digits(uint32_t n)
{
    uint32_t digits = 1;
    for (uint64_t power = 10; n >= power; power *= 10)
        digits++;
    return digits;
}

/* Digits of all numbers below n. */
static uint64_t digits_below(uint32_t n)
{
    uint64_t sum = n; /* each number has one digit; those from 10 on have a second one, and so on */
    for (uint64_t power = 10; power < n; power *= 10)
        sum += n - power;
    return sum;
}

uint64_t names_digits_sum(uint32_t from, uint32_t to)
{
    return to > from ? digits_below(to) - digits_below(from) : 0;
}

uint64_t names_bytes(const struct names *n, uint32_t stem_length, uint32_t from, uint32_t to)
{
    if (to <= from)
        return 0;
    uint64_t count = to - from;
    if (n->length >= stem_length + names_digits(to - 1))
        return count * (n->length + UINT64_C(1));
    if (!n->length)
        return count * (stem_length + UINT64_C(1) + n->pad) + names_digits_sum(from, to);
    uint64_t sum = 0;
    for (uint32_t i = from; i < to; i++)
        sum += names_length(n, stem_length + names_digits(i)) + 1;
    return sum;
}

uint8_t *names_write(const struct names *n, const struct name_stem *s, uint32_t number, uint32_t length, uint8_t *at,
                     uint32_t *hash)
{
    enum {
        DIGITS = 10,
        STEP = 16
    }; /* where a suffix follows, STEP bytes are copied, and the suffix overwrites those behind the digits */
    char digits[DIGITS + STEP] = {0};
    uint32_t count = 0;
    uint32_t rest = number;
    do {
        digits[DIGITS - ++count] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    const char *first = digits + DIGITS - count;
    uint32_t suffix = length - s->length - count;
    assert(length >= s->length + count && suffix <= PROFILE_NAME_MOST);
    memcpy(at, s->text, 32);
    if (s->length > 32)
        memcpy(at + 32, s->text + 32, s->length - 32);
    uint8_t *p = at + s->length;
    if (suffix >= STEP)
        memcpy(p, first, STEP);
    else
        memcpy(p, first, count);
    p += count;
    memcpy(p, n->digits, suffix);
    p += suffix;
    *p = '\0';
    if (hash)
        *hash = hash_gnu_join(hash_gnu(s->hash, first, count), n->suffix_power[suffix], n->suffix_hash[suffix]);
    return p + 1;
}

/* --- either style --------------------------------------------------------------------- */

static uint32_t stem_length(const struct plan_library *l)
{
    return (uint32_t)(strlen(l->name) + sizeof "_fun" - 1);
}

bool names_are_mangled(const struct names *n, const struct plan_library *l)
{
    return n->style == STYLE_ITANIUM && !l->names.plain;
}

uint32_t names_function(const struct names *n, const struct plan_library *l, uint32_t index, const struct function *f)
{
    if (names_are_mangled(n, l))
        return mangle_length(n->letters, l, index, f);
    if (l->said)
        return names_row_length(l, index);
    return names_length(n, stem_length(l) + names_digits(index));
}

uint8_t *names_write_function(const struct names *n, struct names_head *head, const struct plan_library *l,
                              uint32_t index, const struct function *f, uint8_t *at, uint32_t *hash)
{
    if (names_are_mangled(n, l))
        return mangle_write(&head->mangled, n->letters, l, index, f, at, hash);
    if (l->said)
        return names_row_write(l, index, at, hash);
    if (head->library != l) {
        head->library = l;
        names_stem(&head->stem, l->name, "_fun");
    }
    uint32_t length = names_length(n, head->stem.length + names_digits(index));
    return names_write(n, &head->stem, index, length, at, hash);
}

void names_count(const struct names *n, const struct plan_library *l, struct names_tally *t)
{
    t->names += l->functions;
    if (n->style == STYLE_ITANIUM)
        mangle_count_all(&t->mangled, l);
    else
        t->bytes += names_bytes(n, stem_length(l), 0, l->functions);
}

void names_add(struct names_tally *sum, const struct names_tally *t)
{
    sum->names += t->names;
    sum->bytes += t->bytes;
    mangle_add(&sum->mangled, &t->mangled);
}

uint64_t names_total(const struct names_tally *t, uint32_t letters)
{
    return letters ? mangle_total(&t->mangled, letters) : t->bytes;
}
