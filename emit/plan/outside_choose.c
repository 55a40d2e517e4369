/* Chooses the names of undefined symbols: see outside_choose in outside.h. */
#include <assert.h>
#include <string.h>

#include "base/random.h"
#include "emit/plan/outside.h"
#include "emit/plan/outside_beside.h"
#include "emit/plan/outside_newer.h"
#include "emit/plan/outside_parts.h"

enum { PASSES = 3 };

/* Names are plain, as CPython's, or have a version, as the C library's. */
enum kind { PLAIN, VERSIONED, KINDS };

static enum kind kind_of(uint32_t place)
{
    return (place >= PYTHON && place < BESIDE) || place >= NEWER ? VERSIONED : PLAIN;
}

/* Names of a kind that are not chosen, by length. */
struct spare {
    uint64_t lengths;           /* bit n: there are any of length n */
    uint32_t count[LENGTHS];    /* how many there are */
    uint16_t returned[LENGTHS]; /* one that was chosen before, and that is taken before others: its place plus 1 */
    bool longer;                /* take_nearest takes the longer one next where both sides are as near */
};

/* Spare names of a list that have not been chosen yet. They are taken in the list's order (outside_index), beginning at
 * place `start`. */
struct fresh {
    uint32_t start;
    uint16_t count[LENGTHS];
    uint16_t next[LENGTHS]; /* where the next one is in outside_index.place, plus 1; 0: has not been looked for */
};

/* A choice in the making. */
struct choosing {
    const struct outside_wish *wish;
    const struct outside_index *index;
    bool any;                  /* whether any number of names may have versions; all spare names are one kind then */
    uint32_t versioned;        /* otherwise: how many of the names have versions */
    bool is_versioned[NEWER];  /* and which of them */
    uint32_t candidates;       /* names that may have a newer version */
    uint16_t candidate[NEWER]; /* which of the names they are */
    uint32_t first_python, first_libc; /* where the library's own order of names begins */
    struct fresh fresh[LISTS];
    struct spare spare[KINDS];
    uint16_t next[NEWER]; /* by place: the next name of its length that was returned, plus 1 */
    uint16_t *choice;     /* by name: its place */
};

static uint32_t length_at(const struct choosing *c, uint32_t place)
{
    return c->index->length[place];
}

static struct spare *spare_of(struct choosing *c, uint32_t place)
{
    return &c->spare[c->any ? PLAIN : kind_of(place)];
}

static void spare_name(struct choosing *c, uint32_t place)
{
    const uint32_t length = length_at(c, place);
    struct spare *const s = spare_of(c, place);
    c->next[place] = s->returned[length];
    s->returned[length] = (uint16_t)(place + 1);
    s->count[length]++;
    s->lengths |= UINT64_C(1) << length;
}

/* Where the first name of a length that has not been chosen is in outside_index.place. */
static uint32_t find_fresh(const struct choosing *c, enum list list, uint32_t length)
{
    const uint32_t first = c->index->first[list][length];
    const uint32_t end = c->index->first[list][length + 1];
    uint32_t i = first;
    if (list != LIST_INNER) /* the only one whose names are in falling order, and all of them are spare */
        while (i < end && c->index->place[i] < c->fresh[list].start)
            i++;
    return i < end ? i : first;
}

/* Takes the first name of a length that has not been chosen, of the first of the kind's lists that has any. */
static uint32_t take_fresh(struct choosing *c, const struct spare *s, uint32_t length)
{
    enum list list = 0;
    while (!c->fresh[list].count[length] || spare_of(c, c->index->begin[list]) != s)
        list++;
    struct fresh *const f = &c->fresh[list];
    const uint32_t at = f->next[length] ? f->next[length] - 1u : find_fresh(c, list, length);
    const bool is_last = at + 1 == c->index->first[list][length + 1];
    f->next[length] = (uint16_t)(1 + (is_last ? c->index->first[list][length] : at + 1));
    f->count[length]--;
    return c->index->place[at];
}

/* Takes the first name of a length that has any. */
static uint32_t take_spare(struct choosing *c, struct spare *s, uint32_t length)
{
    uint32_t place = s->returned[length];
    if (place)
        s->returned[length] = c->next[--place];
    else
        place = take_fresh(c, s, length);
    if (!--s->count[length])
        s->lengths &= ~(UINT64_C(1) << length);
    return place;
}

/* Finds the length of a spare name that best replaces a name of `own` characters, if `more` characters are wanted at
 * most (fewer, if negative). False where there is none. */
static bool find_swap(const struct spare *s, int64_t own, int64_t more, uint32_t *length)
{
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
static uint32_t take_nearest(struct choosing *c, struct spare *s, uint32_t length)
{
    uint32_t at = length < LENGTHS ? length : LENGTHS - 1;
    for (uint32_t apart = 0; apart < LENGTHS; apart++) {
        const bool below = at >= apart && s->count[at - apart];
        const bool above = at + apart < LENGTHS && s->count[at + apart];
        if (!below && !above)
            continue;
        at = above && (s->longer || !below) ? at + apart : at - apart;
        s->longer ^= apart && below && above;
        break;
    }
    return take_spare(c, s, at);
}

/* --- which names have versions ------------------------------------------------------------------ */

/* Names by their lengths. */
struct supply {
    uint32_t wanted[LENGTHS], there[KINDS][LENGTHS];
};

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void count_supply(const struct choosing *c, struct supply *s)
{
    const struct outside_wish *const w = c->wish;
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < w->count; i++)
        s->wanted[smaller(w->length[i], LENGTHS - 1)]++;
    for (unsigned kind = 0; kind < KINDS; kind++)
        memcpy(s->there[kind], c->spare[kind].count, sizeof s->there[kind]);
}

/* Sets of how many names of each length have versions: as many as are wanted, as far as there are names of all lengths,
 * and first the shortest ones, since the C library's names are shorter than CPython's. Names with newer versions may
 * have other lengths than are wanted, so that there are enough of these in any case. */
static void divide_lengths(const struct choosing *c, uint32_t versioned[LENGTHS])
{
    struct supply s;
    uint32_t left = c->versioned;
    uint32_t newer = c->wish->versions;
    count_supply(c, &s);
    for (uint32_t i = 0; i < LENGTHS; i++) {
        const uint32_t plain = smaller(s.wanted[i], s.there[PLAIN][i]);
        versioned[i] = smaller(s.wanted[i] - plain, s.there[VERSIONED][i]);
        left -= smaller(versioned[i], left);
    }
    for (uint32_t i = 0; i < LENGTHS; i++) {
        const uint32_t most = smaller(s.wanted[i], s.there[VERSIONED][i]);
        const uint32_t more = smaller(most - versioned[i], left);
        versioned[i] += more;
        left -= more;
        newer -= smaller(versioned[i], newer);
    }
    for (uint32_t i = 0; i < LENGTHS; i++) {
        const uint32_t more = smaller(s.wanted[i] - versioned[i], newer);
        versioned[i] += more;
        newer -= more;
    }
}

/* Sets which names have versions: those of lengths that are divided so or, where any lengths will do, names in between
 * all others. */
static void divide(struct choosing *c)
{
    const struct outside_wish *const w = c->wish;
    uint32_t versioned[LENGTHS];
    if (w->length)
        divide_lengths(c, versioned);
    for (uint32_t i = 0; i < w->count; i++) {
        if (w->length) {
            uint32_t *const left = &versioned[smaller(w->length[i], LENGTHS - 1)];
            c->is_versioned[i] = *left > 0;
            *left -= *left > 0;
        } else {
            c->is_versioned[i] = (i + UINT64_C(1)) * c->versioned / w->count != (uint64_t)i * c->versioned / w->count;
        }
    }
}

/* How many of the names can have versions, of as many as are wanted. Without wanted lengths a name with a newer version
 * takes the place of one of the C library's. */
static uint32_t versioned_of(const struct outside_wish *w)
{
    const uint32_t beside = w->length || !w->module ? outside_beside_most(w->needed) : 0;
    const uint32_t plain = beside + (w->module ? PYTHON : 0);
    const uint32_t most = smaller(w->count, LIBC + (w->length ? w->versions + OUTSIDE_INNER : 0));
    uint32_t least = w->count > plain ? w->count - plain : 0;
    least = w->versions > least ? w->versions : least;
    return w->versioned < least ? least : smaller(w->versioned, most);
}

/* --- newer versions ----------------------------------------------------------------------------- */

/* Which name has the newer version; versions are spread over all names that have any. */
static uint32_t newer_at(const struct choosing *c, uint32_t version)
{
    const uint32_t n = (uint32_t)((version + UINT64_C(1)) * c->candidates / (c->wish->versions + UINT64_C(1)));
    return c->candidate[n];
}

/* The lengths of a version's names, with a 0 behind them. */
static const uint8_t *newer_of(const struct choosing *c, uint32_t version)
{
    return &c->index->length[NEWER + c->index->newer_first[version]];
}

/* The same as a set: bit n stands for length n. */
static uint64_t newer_lengths(const struct choosing *c, uint32_t version)
{
    uint64_t lengths = 0;
    for (const uint8_t *length = newer_of(c, version); *length; length++)
        lengths |= UINT64_C(1) << *length;
    return lengths;
}

static bool is_newer(const struct choosing *c, uint32_t index)
{
    for (uint32_t v = 0; v < c->wish->versions; v++)
        if (newer_at(c, v) == index)
            return true;
    return false;
}

/* Exchanges wanted lengths so that the names with newer versions get lengths that their versions have, where any of
 * these is wanted. */
static void place_newer(const struct choosing *c)
{
    uint32_t *const length = c->wish->length;
    for (uint32_t v = 0; v < c->wish->versions; v++) {
        uint32_t *const own = &length[newer_at(c, v)];
        const uint64_t there = newer_lengths(c, v);
        uint32_t *best = own;
        for (uint32_t n = 0; n < c->candidates && !(*own < LENGTHS && there >> *own & 1); n++) {
            const uint32_t i = c->candidate[n];
            if (length[i] >= LENGTHS || !(there >> length[i] & 1) || is_newer(c, i))
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
static uint16_t newer_name(const struct choosing *c, uint32_t version, int64_t length)
{
    const uint8_t *const own = newer_of(c, version);
    uint32_t count = 0;
    while (own[count])
        count++;
    const uint32_t any = random_below(random_at(c->wish->key, version), count);
    uint32_t best = any;
    for (uint32_t i = 0; i < count && length >= 0; i++) {
        const uint32_t at = (any + i) % count;
        const int64_t apart = own[at] - length;
        const int64_t least = own[best] - length;
        if ((apart < 0 ? -apart : apart) < (least < 0 ? -least : least))
            best = at;
    }
    return (uint16_t)(NEWER + c->index->newer_first[version] + best);
}

/* --- exchanges ---------------------------------------------------------------------------------- */

/* Exchanges a name, unless it has a newer version, for a spare one of its kind that has up to `more` characters more,
 * or fewer if negative. Returns by how many characters it is longer. */
static int64_t exchange_one(struct choosing *c, uint32_t index, int64_t more)
{
    uint32_t better;
    const uint32_t old = c->choice[index];
    if (old >= NEWER || !find_swap(spare_of(c, old), length_at(c, old), more, &better))
        return 0;
    c->choice[index] = (uint16_t)take_spare(c, spare_of(c, old), better);
    spare_name(c, old);
    return (int64_t)better - length_at(c, old);
}

/* Exchanges names of older versions so that all take `bytes` instead of `is`, as far as that can be. The first pass
 * gives each name a part of the difference, so that lengths stay much as they are; later passes change some names by
 * much. Returns the bytes that all take. */
static uint64_t exchange(struct choosing *c, uint64_t is)
{
    const uint32_t count = c->wish->count;
    const uint64_t bytes = c->wish->bytes;
    for (unsigned pass = 0; pass < PASSES && is != bytes; pass++)
        for (uint32_t i = 0; i < count && is != bytes; i++) {
            int64_t more = (int64_t)(bytes - is);
            if (!pass)
                more = more * 2 / (count - i) + (more > 0 ? 1 : -1);
            is += (uint64_t)exchange_one(c, i, more);
        }
    return is;
}

/* The same where names have wanted lengths, in rising order, except where no such name was left. Changes long names
 * first, by a little each, because there are few names of each great length; leaves the longest as it is. Then
 * changes any name by any amount. */
static uint64_t exchange_long(struct choosing *c, uint64_t is)
{
    enum { LITTLE = 2 };
    const uint32_t count = c->wish->count;
    const uint64_t bytes = c->wish->bytes;
    for (uint32_t i = count; i-- > 0 && is != bytes;) {
        const int64_t more = (int64_t)(bytes - is);
        if (i + 1 < count)
            is += (uint64_t)exchange_one(c, i, more > LITTLE ? LITTLE : more < -LITTLE ? -LITTLE : more);
    }
    for (unsigned pass = 0; pass < PASSES && is != bytes; pass++)
        for (uint32_t i = 0; i < count && is != bytes; i++)
            is += (uint64_t)exchange_one(c, i, (int64_t)(bytes - is));
    return is;
}

/* The same for names of newer versions: exchanges each for another one of its version. */
static uint64_t exchange_newer(struct choosing *c, uint64_t is)
{
    const struct outside_wish *const w = c->wish;
    for (uint32_t v = 0; v < w->versions && is != w->bytes; v++) {
        uint16_t *const name = &c->choice[newer_at(c, v)];
        const int64_t own = length_at(c, *name);
        const int64_t wanted = own + (int64_t)(w->bytes - is);
        *name = newer_name(c, v, wanted > 0 ? wanted : 0);
        is += length_at(c, *name) - (uint64_t)own;
    }
    return is;
}

/* --- the choice --------------------------------------------------------------------------------- */

/* The place of name `n` of a kind where lengths do not matter: CPython's come first where any kind will do. */
static uint32_t natural(const struct choosing *c, enum kind kind, uint32_t n)
{
    const bool module = c->wish->module;
    if (module && kind == PLAIN && n < PYTHON)
        return (c->first_python + n) % PYTHON;
    if (kind == PLAIN && !module && !c->any)
        return BESIDE + n;
    const uint32_t libc = n - (module && kind == PLAIN ? PYTHON : 0);
    return PYTHON + (c->first_libc - PYTHON + libc) % LIBC;
}

/* Makes the names of a list spare, except for the first `chosen` ones of its order, which begins at place `start`. */
static void spare_list(struct choosing *c, enum list list, uint32_t start, uint32_t chosen)
{
    const uint32_t begin = c->index->begin[list];
    const uint32_t size = c->index->begin[list + 1] - begin;
    struct fresh *const f = &c->fresh[list];
    struct spare *const s = spare_of(c, begin);
    for (uint32_t n = 0; n < LENGTHS; n++)
        f->count[n] = (uint16_t)outside_there(c->index, list, n);
    for (uint32_t i = 0; i < chosen; i++)
        f->count[length_at(c, begin + (start - begin + i) % size)]--;
    f->start = begin + (start - begin + chosen) % size;
    for (uint32_t n = 0; n < LENGTHS; n++) {
        s->count[n] += f->count[n];
        s->lengths |= (uint64_t)(s->count[n] > 0) << n;
    }
}

/* Makes all names spare that may be chosen, but for those that are chosen anyway as lengths do not matter. */
static void spare_all(struct choosing *c)
{
    const struct outside_wish *const w = c->wish;
    const bool has_beside = w->length || (!c->any && !w->module);
    uint32_t plain = w->length ? 0 : c->any ? w->count : w->count - c->versioned;
    uint32_t versioned = w->length || c->any ? 0 : c->versioned;
    if (w->module) {
        const uint32_t python = smaller(plain, PYTHON);
        spare_list(c, LIST_PYTHON, c->first_python, python);
        plain -= python;
    }
    if (c->any)
        versioned = plain;
    spare_list(c, LIST_LIBC, c->first_libc, versioned);
    if (w->length)
        spare_list(c, LIST_INNER, INNER, 0);
    for (enum list list = LIST_MATH; list < LISTS && has_beside; list++) {
        const uint32_t begin = c->index->begin[list];
        const uint32_t chosen = smaller(plain, c->index->begin[list + 1] - begin);
        if (outside_has_list(list, w->module, w->needed))
            spare_list(c, list, begin, chosen);
        plain -= chosen;
    }
}

/* Chooses name `index`, to which no newer version belongs. `n` counts names without wanted lengths by kind. */
static uint32_t choose_one(struct choosing *c, uint32_t index, uint32_t n[KINDS])
{
    const enum kind kind = c->is_versioned[index] ? VERSIONED : PLAIN;
    if (!c->wish->length)
        return natural(c, kind, n[kind]++);
    struct spare *const s = &c->spare[kind];
    return take_nearest(c, s->lengths ? s : &c->spare[!kind], c->wish->length[index]);
}

/* The first choice: returns the bytes that it takes. */
static uint64_t choose_all(struct choosing *c)
{
    const struct outside_wish *const w = c->wish;
    uint64_t bytes = 0;
    uint32_t n[KINDS] = {0};
    uint32_t newer = w->versions ? newer_at(c, 0) : w->count; /* the next name that has a newer version */
    for (uint32_t i = 0, v = 0; i < w->count; i++) {
        const bool is_new = i == newer;
        if (is_new && w->length) {
            c->choice[i] = newer_name(c, v, w->length[i]);
        } else {
            c->choice[i] = (uint16_t)choose_one(c, i, n);
            if (is_new) {
                spare_name(c, c->choice[i]);
                c->choice[i] = newer_name(c, v, length_at(c, c->choice[i]));
            }
        }
        if (is_new)
            newer = ++v < w->versions ? newer_at(c, v) : w->count;
        bytes += length_at(c, c->choice[i]) + 1;
    }
    return bytes;
}

uint64_t outside_choose(const struct outside_wish *wish, uint16_t *choice)
{
    struct choosing c = {.wish = wish,
                         .index = outside_index(),
                         .any = wish->versioned == OUTSIDE_ANY,
                         .first_python = outside_first_python(wish->key),
                         .first_libc = outside_first_libc(wish->key),
                         .choice = choice};
    static_assert(LENGTHS <= 64, "a bit for each");
    assert(wish->count <= NEWER);
    c.versioned = c.any ? 0 : versioned_of(wish);
    spare_all(&c);
    if (!c.any)
        divide(&c);
    for (uint32_t i = 0; i < wish->count; i++)
        if (c.any || c.is_versioned[i])
            c.candidate[c.candidates++] = (uint16_t)i;
    if (wish->length)
        place_newer(&c);
    const uint64_t is = choose_all(&c);
    return exchange_newer(&c, (wish->length ? exchange_long : exchange)(&c, is));
}

uint64_t outside_natural(const struct outside_wish *wish)
{
    const uint32_t versioned = wish->versioned == OUTSIDE_ANY ? 0 : versioned_of(wish);
    const uint32_t plain = wish->count - versioned;
    const uint64_t bytes = outside_bytes(false, wish->key, versioned);
    if (wish->versioned == OUTSIDE_ANY || wish->module)
        return bytes + outside_bytes(wish->module, wish->key, plain);
    const uint32_t *const before = &outside_index()->bytes_before[BESIDE];
    return bytes + before[plain] - before[0];
}
