/* How much is told of the functions of a library with a row. The aim is as many entries of debug information as the
 * row says, in all and in functions. The library is settled with one amount after another. A result is taken if it
 * is nearer in one respect and no farther in any other.
 */
#include <string.h>

#include "base/apart.h"
#include "emit/describe.h"
#include "emit/mix_rows_parts.h"

enum {
    FAR = 8,           /* a result that is off by more than this part of the wanted entries is not taken */
    DIES_LITTLE = 128, /* this part of the entries may be missing for the right number of functions' */
};

/* How many entries functions are to have at the least. Without a number in the row (`said`) this is their share of
 * the application's tags, so that tags come out, less a little of an average library. With one it is the same, but
 * neither more than `said` nor less than that by more than a little. */
static uint64_t defined_least(const struct settling *s, uint64_t wanted, uint64_t said)
{
    enum { LITTLE = 32 };
    const uint64_t share = wanted * s->stock->corpus.manner.defined / MANNER_USUAL;
    const uint64_t little = s->plan->guides->average / LITTLE;
    const uint64_t least = share > little ? share - little : 0;
    if (!said)
        return least;
    return said < least ? said : said > least + little ? said - little : least;
}

/* The search for how much to tell. */
struct lacking {
    const struct settling *s; /* begins where the search with all told ended */
    const struct plan_mix *asked;
    uint64_t wanted;      /* entries */
    uint64_t least, said; /* entries of functions: the least; the row's number, 0: none */
    uint32_t besides;     /* locals added to functions (describe.h) */
    struct settled *best;
};

/* Settles the library with these values; `fits`: whether that is possible. False after another failure, which `own`
 * has. */
static bool settle_told(const struct lacking *l, uint32_t letters, uint32_t told, struct settled *out, bool *fits,
                        struct error *own)
{
    *out = (struct settled){0};
    *l->s->mix = *l->asked;
    l->s->mix->letters = letters;
    l->s->mix->told = told;
    l->s->mix->besides = l->besides;
    *fits = mix_settle_sections(l->s, out, own);
    return *fits || own->code == ERROR_INFEASIBLE;
}

/* Settles the library with these values. Takes the result as the best if it is right (no fewer sections are met, and
 * functions have their least), has entries as near to the wanted number, and, where less is told, is not FAR off.
 * `lacks`: it is right and has too few entries. False after another failure, which `own` has. */
static bool settle_lacking(const struct lacking *l, uint32_t letters, uint32_t told, bool *lacks, struct error *own)
{
    struct settled less;
    bool fits;
    if (!settle_told(l, letters, told, &less, &fits, own))
        return false;
    const uint64_t off = apart(less.dies, l->wanted);
    const bool all = told == DESCRIBE_TOLD_ALL;
    const bool is_right = fits && less.met >= l->best->met && (all || less.defined >= l->least);
    if (is_right && (all || off <= l->wanted / FAR) && off <= apart(l->best->dies, l->wanted))
        *l->best = less;
    *lacks = is_right && less.dies < l->wanted;
    return true;
}

/* Where a section does not have its wanted size, tells less of functions: that changes what is left to the last
 * function, which makes up the section's size. Ends when that makes no difference to any section. */
static bool settle_sizes(const struct lacking *l, struct error *own)
{
    enum { SAME_MOST = 2 };
    static const uint8_t told[] = {63, 62, 60, 56, 48, 32, 16, 8};
    unsigned same = 0;
    for (unsigned i = 0; l->best->met < DEBUG_SECTION_COUNT && same < SAME_MOST && i < sizeof told; i++) {
        struct settled now;
        bool fits;
        if (!settle_told(l, l->asked->letters, told[i], &now, &fits, own))
            return false;
        same += fits && memcmp(now.mix.size, l->best->mix.size, sizeof now.mix.size) == 0;
        if (fits && now.met > l->best->met)
            *l->best = now;
    }
    return true;
}

/* Where functions have more entries than the row says, by more than a little, tells less of them. The room goes to
 * declarations of headers, so entries in all stay as near to the wanted number, or hardly farther. */
static bool settle_defined(const struct lacking *l, struct error *own)
{
    enum { LITTLE = 14, RIGHT = 32 };
    struct settled *const best = l->best;
    const uint64_t said = l->said;
    uint32_t much = best->mix.told;
    uint32_t little = 0;
    if (!said || !best->dies || best->defined <= said + said / LITTLE)
        return true;
    const uint64_t off = apart(best->dies, l->wanted) + l->wanted / DIES_LITTLE;
    while (much - little > 1 && apart(best->defined, said) > said / RIGHT) {
        const uint32_t told = (much + little) / 2;
        struct settled less;
        bool fits;
        if (!settle_told(l, best->mix.letters, told, &less, &fits, own))
            return false;
        if (fits && less.met >= best->met && apart(less.dies, l->wanted) <= off &&
            apart(less.defined, said) < apart(best->defined, said))
            *best = less;
        *(fits && less.defined > said ? &much : &little) = told;
    }
    return true;
}

/* Where there are too few entries, makes those of functions smaller. First by shorter names, in libraries without
 * location lists, where names are not in stamps. Then by telling less of functions, because calls take more bytes
 * than types and their members: only as much less as leaves room for the wanted number, or else as brings entries
 * nearest to it. */
static bool settle_fewer(const struct lacking *l, struct error *own)
{
    struct settled *const best = l->best;
    uint32_t much = DESCRIBE_TOLD_ALL;
    uint32_t little = DESCRIBE_TOLD_ALL / 4;
    bool lacks = best->dies && best->dies < l->wanted;
    for (uint32_t letters = SHORT_NAME_MOST; lacks && l->asked->size[DEBUG_LISTS] == 0 && --letters;)
        if (!settle_lacking(l, letters, DESCRIBE_TOLD_ALL, &lacks, own))
            return false;
    lacks = best->dies && best->dies < l->wanted && best->defined > l->least;
    while (lacks && much - little > 1) {
        const uint32_t told = (much + little) / 2;
        bool still;
        if (!settle_lacking(l, best->mix.letters, told, &still, own))
            return false;
        *(still ? &much : &little) = told;
    }
    return settle_defined(l, own);
}

/* Where the library has fewer entries than when it was roughly settled, tells a little less, if that helps. */
static bool settle_less(const struct lacking *l, const struct settled *rough, struct error *own)
{
    enum { LESS_MOST = 3 };
    struct settled *const best = l->best;
    const uint64_t aim = rough->dies < l->wanted ? rough->dies : l->wanted;
    for (uint32_t less = 1; less <= LESS_MOST && less < rough->mix.told && best->dies < aim; less++) {
        struct settled fully;
        bool fits;
        if (!settle_told(l, rough->mix.letters, rough->mix.told - less, &fully, &fits, own))
            return false;
        if (fits && fully.met >= best->met && fully.defined >= l->least &&
            apart(fully.dies, l->wanted) < apart(best->dies, l->wanted))
            *best = fully;
    }
    return true;
}

/* Settles the numbers of rows and list entries too, where less is told than at first. This changes how many entries
 * functions have; where they have too few, tells more again. */
static bool settle_finally(const struct lacking *l, struct error *own)
{
    struct settled *const best = l->best;
    const struct settled rough = *best;
    const uint32_t letters = best->mix.letters;
    uint32_t told = best->mix.told;
    bool fits = true;
    for (bool goes_on = told != l->asked->told || letters != l->asked->letters; goes_on; told++) {
        struct settled fully;
        if (!settle_told(l, letters, told, &fully, &fits, own))
            return false;
        if (fits && fully.met >= rough.met)
            *best = fully;
        goes_on = fits && fully.defined < l->least && told < DESCRIBE_TOLD_ALL;
    }
    return settle_less(l, &rough, own);
}

/* Whether a result is better than the best: no fewer sections are met, and either entries in all are nearer to the
 * wanted number and those of functions hardly farther, or the former are as near and the latter nearer. */
static bool is_better(const struct lacking *l, const struct settled *now)
{
    enum { LITTLE = 64 };
    const uint64_t dies = apart(now->dies, l->wanted);
    const uint64_t dies_best = apart(l->best->dies, l->wanted);
    const uint64_t defined = apart(now->defined, l->said);
    const uint64_t defined_best = apart(l->best->defined, l->said);
    const bool is_nearer =
        dies < dies_best ? defined <= defined_best + l->said / LITTLE : dies == dies_best && defined < defined_best;
    return now->met >= l->best->met && is_nearer;
}

/* Whether a library is small enough to be composed many times. */
static bool is_small(const struct lacking *l)
{
    enum { MOST = 4000000 }; /* bytes of .debug_info */
    return l->asked->size[DEBUG_INFO] < MOST;
}

uint32_t mix_besides(const struct plan_mix *asked, uint64_t said, uint64_t lacking)
{
    enum { MANY = 20000, PART_OF_MANY = 16, EACH_LEAST = 10 /* bytes */ };
    const uint64_t most = asked->size[DEBUG_INFO] / EACH_LEAST;
    const uint64_t some = said > MANY ? said / PART_OF_MANY : said;
    const uint64_t all = most < some ? most : some;
    return (uint32_t)(lacking < all ? lacking : all);
}

/* Adds as many locals as functions lack entries, beginning with `first`, which has none added, or fewer where so
 * many leave other entries too little room. */
static bool add_besides(const struct lacking *l, const struct settled *first, struct error *own)
{
    enum { TRIES = 5, TRIES_OF_LARGE = 2 };
    const unsigned tries = is_small(l) ? TRIES : TRIES_OF_LARGE;
    struct lacking with = *l;
    struct settled good = *first;
    uint64_t bad = mix_besides(l->asked, l->said, UINT64_MAX) + (uint64_t)1;
    for (unsigned i = 0; i < tries && good.defined < l->said; i++) {
        struct settled now;
        bool fits;
        const uint64_t all = good.mix.besides + l->said - good.defined;
        const uint64_t besides = all < bad ? all : (good.mix.besides + bad) / 2;
        with.besides = (uint32_t)besides;
        if (!settle_told(&with, good.mix.letters, good.mix.told, &now, &fits, own))
            return false;
        if (fits && is_better(l, &now))
            *l->best = good = now;
        else
            bad = besides;
    }
    return true;
}

/* Where functions have fewer entries than the row says, adds as many locals as are missing. Where they have more,
 * tells less first. Tells less, too, where there are too few entries in all, because calls take more bytes than the
 * locals that replace them. */
static bool try_besides(const struct lacking *l, struct error *own)
{
    enum { TOLD_LEAST = 8, PARTS = 8, FEW = 64 };
    struct settled *const best = l->best;
    struct settled now = *best;
    uint32_t much = best->mix.told;
    uint32_t little = best->defined > l->said ? TOLD_LEAST : much;
    bool fits = true;
    while (much > little + 1) {
        struct settled less;
        const uint32_t told = (much + little) / 2;
        if (!settle_told(l, best->mix.letters, told, &less, &fits, own))
            return false;
        const bool is_enough = fits && less.defined <= l->said;
        *(is_enough ? &little : &much) = told;
        if (is_enough)
            now = less;
    }
    if (!add_besides(l, &now, own))
        return false;
    const uint32_t parts = l->asked->size[DEBUG_LISTS] && is_small(l) ? PARTS : 1; /* no lists: no calls */
    for (uint32_t part = parts - 1; part && best->dies + l->wanted / FEW < l->wanted; part--) {
        const uint32_t told = DESCRIBE_TOLD_ALL * part / PARTS;
        if (told >= best->mix.told)
            continue;
        if (!settle_told(l, best->mix.letters, told, &now, &fits, own) || (fits && !add_besides(l, &now, own)))
            return false;
    }
    return true;
}

/* Brings functions to as many entries as the row says, roughly at first. What comes of it is settled finally, with as
 * many locals more or less as functions then lack, and taken if it still is better. */
static bool settle_exactly(const struct lacking *l, struct settling *again, struct error *own)
{
    enum { TRIES = 2 };
    struct settled now = *l->best;
    struct lacking roughly = *l;
    bool fits = true;
    if (!l->said || !now.dies)
        return true;
    roughly.best = &now;
    again->start = &l->best->end;
    again->roughly = true;
    if (!try_besides(&roughly, own))
        return false;
    again->roughly = false;
    if (now.mix.told == l->best->mix.told && now.mix.besides == l->best->mix.besides)
        return true;
    roughly.besides = now.mix.besides;
    for (unsigned i = 0; i < TRIES; i++) {
        if (!settle_told(&roughly, now.mix.letters, now.mix.told, &now, &fits, own))
            return false;
        if (!fits || !is_better(l, &now))
            break;
        *l->best = now;
        if (now.defined == l->said)
            break;
        const uint64_t all = now.mix.besides + l->said;
        roughly.besides = all > now.defined ? mix_besides(l->asked, l->said, all - now.defined) : 0;
    }
    return true;
}

bool mix_settle_told(const struct settling *s, struct settled *best, struct error *own)
{
    const struct plan_mix asked = *s->mix;
    const uint64_t wanted = mix_wanted(s->plan, s->index, ROW_DWARF_DIES, DEBUG_INFO);
    const uint64_t said = mix_wanted(s->plan, s->index, ROW_DWARF_DEFINED, DEBUG_INFO);
    struct settling again = *s;
    const struct lacking l = {&again, &asked, wanted, defined_least(s, wanted, said), said, 0, best};
    /* where no length of expressions gives the wanted number, several are equally near, and the search ended at any
     * of these */
    struct places start = {{mix_usual_expression(s), 0}, {0}};
    if (!mix_settle_sections(s, best, own))
        return false;
    if (best->end.entries.near)
        start.entries.at = best->end.entries.at;
    start.rows.at = best->end.rows.at;
    again.start = &start;
    again.roughly = true;
    if (!settle_sizes(&l, own))
        return false;
    if (stock_of(s->stock, &s->plan->library[s->index])->corpus.dialect.lines) { /* what is told follows from the row */
        *s->mix = best->mix;
        return true;
    }
    if (!settle_fewer(&l, own))
        return false;
    again.roughly = false;
    if (!settle_finally(&l, own) || !settle_exactly(&l, &again, own))
        return false;
    *s->mix = best->mix;
    return true;
}
