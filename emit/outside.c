/* See outside.h. */
#include "emit/outside.h"

#include <assert.h>
#include <string.h>

#include "base/random.h"
#include "emit/outside_beside.h"
#include "emit/outside_names.h"
#include "emit/outside_newer.h"

enum { LIBC = OUTSIDE_LIBC, PYTHON = OUTSIDE_PYTHON };
/* All lists of names form one sequence of places: CPython's, the C library's, the inner ones, those of
 * outside_beside.h (at most BESIDE_MOST) and those of outside_newer.h. These are the places where the lists begin. */
enum { INNER = PYTHON + LIBC, BESIDE = INNER + OUTSIDE_INNER, BESIDE_MOST = 512, NEWER = BESIDE + BESIDE_MOST };
enum { LENGTHS = 64 /* names are shorter */, PASSES = 3 };

/* Libraries that programs link with. Left out are those that take names from others (libBrokenLocale.so.1,
 * libc_malloc_debug.so.0) and one that needs names of the program (libthread_db.so.1). */
static const char *const libraries[] = {"libm.so.6",    "libdl.so.2",     "libpthread.so.0",      "librt.so.1",
                                        "libutil.so.1", "libresolv.so.2", "ld-linux-x86-64.so.2", "libanl.so.1",
                                        "libmvec.so.1"};

uint32_t outside_libraries_most(void)
{
    return sizeof libraries / sizeof libraries[0];
}

const char *outside_library(uint32_t index)
{
    return libraries[index];
}

uint32_t outside_most(bool module)
{
    return LIBC + (module ? PYTHON : 0);
}

/* The place of name `index` in a library's own order of names: CPython's come before the C library's. */
static uint32_t place_of(bool module, uint64_t key, uint32_t index)
{
    if (module && index < PYTHON)
        return (random_below(key, PYTHON) + index) % PYTHON;
    return PYTHON + (random_below(random_mix(key), LIBC) + index - (module ? PYTHON : 0)) % LIBC;
}

static const char *name_at(uint32_t place)
{
    if (place >= NEWER)
        return outside_newer_name(place - NEWER);
    if (place >= BESIDE)
        return outside_beside_name(place - BESIDE);
    if (place >= INNER)
        return outside_inner[place - INNER];
    return place < PYTHON ? outside_python[place] : outside_libc[place - PYTHON];
}

const char *outside_name(bool module, uint64_t key, const uint16_t *choice, uint32_t index)
{
    return name_at(choice ? choice[index] : place_of(module, key, index));
}

uint32_t outside_version(bool module, uint64_t key, const uint16_t *choice, uint32_t index)
{
    const uint32_t place = choice ? choice[index] : place_of(module, key, index);
    if (place < NEWER)
        return place < PYTHON || place >= BESIDE ? 0 : 1;
    return 2 + outside_newer_version_of(place - NEWER);
}

const char *outside_version_name(uint32_t version)
{
    return version < 2 ? OUTSIDE_VERSION : outside_newer_version(version - 2);
}

uint32_t outside_versions_most(void)
{
    return outside_newer_versions();
}

uint64_t outside_versions_bytes(uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += strlen(outside_newer_version(i)) + 1;
    return bytes;
}

uint8_t *outside_put_digits(uint8_t *p, uint32_t count)
{
    static const char digits[] = ".19991023";
    for (uint32_t i = 0; i < count; i++)
        *p++ = (uint8_t)digits[i % (sizeof digits - 1)];
    return p;
}

uint64_t outside_versioned_bytes(bool module, uint64_t key, const uint16_t *choice, uint32_t count, uint32_t digits)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t version = outside_version(module, key, choice, i);
        if (version)
            bytes +=
                strlen(outside_name(module, key, choice, i)) + 1 + strlen(outside_version_name(version)) + digits + 1;
    }
    return bytes;
}

uint64_t outside_bytes(bool module, uint64_t key, uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += strlen(outside_name(module, key, NULL, i)) + 1;
    return bytes;
}

/* The names that are not chosen: a list for each length. */
struct spare {
    uint64_t lengths;        /* bit n: there are any of length n */
    uint32_t first[LENGTHS]; /* a place plus 1; 0: none */
    uint32_t next[NEWER];
    bool longer; /* take_nearest takes the longer one next where both sides are as near */
};

static void spare_name(struct spare *s, uint32_t place)
{
    const size_t length = strlen(name_at(place));
    s->next[place] = s->first[length];
    s->first[length] = place + 1;
    s->lengths |= UINT64_C(1) << length;
}

/* Takes the first name of a length that has any. */
static uint32_t take_spare(struct spare *s, uint32_t length)
{
    const uint32_t place = s->first[length] - 1;
    s->first[length] = s->next[place];
    if (!s->first[length])
        s->lengths &= ~(UINT64_C(1) << length);
    return place;
}

/* Finds the length of a spare name that best replaces the name at `place`, if `more` characters are wanted at most
 * (fewer, if negative). False where there is none. */
static bool find_swap(const struct spare *s, uint32_t place, int64_t more, uint32_t *length)
{
    const int64_t own = (int64_t)strlen(name_at(place));
    const uint64_t shorter = s->lengths & ((UINT64_C(1) << own) - 1);
    const uint64_t longer = s->lengths & ~shorter & ~(UINT64_C(1) << own);
    if (more > 0) {
        const uint64_t within = more < LENGTHS - own ? longer & ((UINT64_C(2) << (own + more)) - 1) : longer;
        *length = within ? 63 - (uint32_t)__builtin_clzll(within) : 0;
    } else {
        const uint64_t within = own + more > 0 ? shorter & ~((UINT64_C(1) << (own + more)) - 1) : shorter;
        *length = within ? (uint32_t)__builtin_ctzll(within) : 0;
    }
    return *length;
}

/* Takes the spare name whose length is nearest. Of two that are as near, takes a longer and a shorter one in turn,
 * so that the sum of all lengths hardly changes. */
static uint32_t take_nearest(struct spare *s, uint32_t length)
{
    uint32_t at = length < LENGTHS ? length : LENGTHS - 1;
    for (uint32_t apart = 0; apart < LENGTHS; apart++) {
        const bool below = at >= apart && s->first[at - apart];
        const bool above = at + apart < LENGTHS && s->first[at + apart];
        if (!below && !above)
            continue;
        at = above && (s->longer || !below) ? at + apart : at - apart;
        s->longer ^= apart && below && above;
        break;
    }
    return take_spare(s, at);
}

/* Which name has the newer version; versions are spread over all names. */
static uint32_t newer_at(uint32_t version, uint32_t versions, uint32_t count)
{
    return (uint32_t)((version + UINT64_C(1)) * count / (versions + UINT64_C(1)));
}

/* The lengths of a version's names: bit n stands for length n. */
static uint64_t newer_lengths(uint32_t version)
{
    uint64_t lengths = 0;
    for (uint32_t i = outside_newer_first(version); outside_newer_name(i); i++)
        lengths |= UINT64_C(1) << strlen(outside_newer_name(i));
    return lengths;
}

static bool is_newer(uint32_t index, uint32_t versions, uint32_t count)
{
    for (uint32_t v = 0; v < versions; v++)
        if (newer_at(v, versions, count) == index)
            return true;
    return false;
}

/* Exchanges wanted lengths so that the names with newer versions get lengths that their versions have, where any of
 * these is wanted. */
static void place_newer(uint32_t versions, uint32_t *length, uint32_t count)
{
    for (uint32_t v = 0; v < versions; v++) {
        uint32_t *const own = &length[newer_at(v, versions, count)];
        const uint64_t there = newer_lengths(v);
        uint32_t *best = own;
        for (uint32_t i = 0; i < count && !(*own < LENGTHS && there >> *own & 1); i++) {
            if (length[i] >= LENGTHS || !(there >> length[i] & 1) || is_newer(i, versions, count))
                continue;
            const uint32_t apart = length[i] > *own ? length[i] - *own : *own - length[i];
            const uint32_t least = *best > *own ? *best - *own : *own - *best;
            best = best == own || apart < least ? &length[i] : best;
        }
        const uint32_t kept = *own;
        *own = *best;
        *best = kept;
    }
}

/* The place of a version's name whose length is nearest; any name where `length` is negative. The search begins at a
 * name that the key chooses. */
static uint16_t newer_name(uint32_t version, uint64_t key, int64_t length)
{
    const uint32_t first = outside_newer_first(version);
    uint32_t count = 0;
    while (outside_newer_name(first + count))
        count++;
    const uint32_t any = random_below(random_at(key, version), count);
    uint32_t best = any;
    for (uint32_t i = 0; i < count && length >= 0; i++) {
        const uint32_t at = (any + i) % count;
        const int64_t apart = (int64_t)strlen(outside_newer_name(first + at)) - length;
        const int64_t least = (int64_t)strlen(outside_newer_name(first + best)) - length;
        if ((apart < 0 ? -apart : apart) < (least < 0 ? -least : least))
            best = at;
    }
    return (uint16_t)(NEWER + first + best);
}

/* Exchanges a name, unless it has a newer version, for a spare one that has up to `more` characters more, or fewer
 * if negative. Returns by how many characters it is longer. */
static int64_t exchange_one(struct spare *s, uint16_t *choice, int64_t more)
{
    uint32_t better;
    const uint32_t old = *choice;
    if (old >= NEWER || !find_swap(s, old, more, &better))
        return 0;
    *choice = (uint16_t)take_spare(s, better);
    spare_name(s, old);
    return (int64_t)better - (int64_t)strlen(name_at(old));
}

/* Exchanges names of older versions so that all take `bytes` instead of `is`, as far as that can be. The first pass
 * gives each name a part of the difference, so that lengths stay much as they are; later passes change some names by
 * much. Returns the bytes that all take. */
static uint64_t exchange(struct spare *s, uint32_t count, uint64_t bytes, uint64_t is, uint16_t *choice)
{
    for (unsigned pass = 0; pass < PASSES && is != bytes; pass++)
        for (uint32_t i = 0; i < count && is != bytes; i++) {
            int64_t more = (int64_t)(bytes - is);
            if (!pass)
                more = more * 2 / (count - i) + (more > 0 ? 1 : -1);
            is += (uint64_t)exchange_one(s, &choice[i], more);
        }
    return is;
}

/* The same where names have wanted lengths, in rising order, except where no such name was left. Changes long names
 * first, by a little each, because there are few names of each great length; leaves the longest as it is. Then
 * changes any name by any amount. */
static uint64_t exchange_long(struct spare *s, uint32_t count, uint64_t bytes, uint64_t is, uint16_t *choice)
{
    enum { LITTLE = 2 };
    for (uint32_t i = count; i-- > 0 && is != bytes;) {
        const int64_t more = (int64_t)(bytes - is);
        if (i + 1 < count)
            is += (uint64_t)exchange_one(s, &choice[i], more > LITTLE ? LITTLE : more < -LITTLE ? -LITTLE : more);
    }
    for (unsigned pass = 0; pass < PASSES && is != bytes; pass++)
        for (uint32_t i = 0; i < count && is != bytes; i++)
            is += (uint64_t)exchange_one(s, &choice[i], (int64_t)(bytes - is));
    return is;
}

/* The same for names of newer versions: exchanges each for another one of its version. */
static uint64_t exchange_newer(uint32_t count, uint32_t versions, uint64_t bytes, uint64_t is, uint64_t key,
                               uint16_t *choice)
{
    for (uint32_t v = 0; v < versions && is != bytes; v++) {
        uint16_t *name = &choice[newer_at(v, versions, count)];
        const int64_t own = (int64_t)strlen(name_at(*name));
        const int64_t wanted = own + (int64_t)(bytes - is);
        *name = newer_name(v, key, wanted > 0 ? wanted : 0);
        is += strlen(name_at(*name)) - (uint64_t)own;
    }
    return is;
}

uint64_t outside_choose(bool module, uint32_t needed, uint64_t key, uint32_t count, uint32_t versions, uint64_t bytes,
                        uint32_t *length, uint16_t *choice)
{
    struct spare s = {.lengths = 0};
    static_assert(LENGTHS <= 64, "a bit for each");
    uint64_t is = 0;
    const uint32_t all = outside_most(module);
    assert(outside_beside_most(UINT32_MAX) <= BESIDE_MOST);
    for (uint32_t i = length ? outside_beside_most(needed) : 0; i-- > 0;)
        spare_name(&s, BESIDE + i);
    for (uint32_t i = INNER; i < BESIDE && length; i++)
        spare_name(&s, i);
    for (uint32_t i = all; i-- > (length ? 0 : count);)
        spare_name(&s, place_of(module, key, i));
    if (length)
        place_newer(versions, length, count);
    for (uint32_t i = 0, v = 0; i < count; i++) {
        if (v < versions && i == newer_at(v, versions, count)) {
            if (!length)
                spare_name(&s, place_of(module, key, i));
            choice[i] =
                newer_name(v++, key, length ? (int64_t)length[i] : (int64_t)strlen(name_at(place_of(module, key, i))));
        } else {
            choice[i] = (uint16_t)(length ? take_nearest(&s, length[i]) : place_of(module, key, i));
        }
        is += strlen(name_at(choice[i])) + 1;
    }
    is = (length ? exchange_long : exchange)(&s, count, bytes, is, choice);
    return exchange_newer(count, versions, bytes, is, key, choice);
}

/* Counts the names of each length. */
static void count_lengths(bool module, uint32_t needed, uint32_t there[LENGTHS])
{
    memset(there, 0, LENGTHS * sizeof *there);
    for (uint32_t i = 0; i < outside_beside_most(needed); i++)
        there[strlen(name_at(BESIDE + i))]++;
    for (uint32_t i = module ? 0 : PYTHON; i < BESIDE; i++)
        there[strlen(name_at(i))]++;
}

uint32_t outside_supply(bool module, uint32_t needed, uint32_t *length, uint32_t count)
{
    uint32_t there[LENGTHS];
    uint32_t found = 0;
    count_lengths(module, needed, there);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t wanted = length[i];
        if (wanted >= LENGTHS || !there[wanted])
            continue;
        there[wanted]--;
        length[i] = length[found];
        length[found++] = wanted;
    }
    return found;
}
