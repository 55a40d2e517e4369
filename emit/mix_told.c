/* How much is told of the functions of a library with a row, so that its debug information has as many entries as the
 * row says, and functions have theirs: the library is settled as it is told with one try after the other, and what is
 * nearer in something and no farther in anything else is taken.
 */
#include "base/apart.h"
#include "emit/describe.h"
#include "emit/mix_rows_parts.h"

enum {
    FAR = 8,           /* entries that are fewer by more than such a part of them are out of reach */
    DIES_LITTLE = 128, /* such a part of them may be missing for the right share of functions' */
};

/* How many entries functions are to have at the least: their share of the application's tags, so that these come out,
 * but for a little of an average library. Where the row says how many it has: not more than these, nor fewer but for
 * as little. */
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

/* What a library is told with where it lacks entries. */
struct lacking {
    const struct settling *s; /* from where it ended with all told, roughly */
    const struct plan_mix *asked;
    uint64_t wanted;      /* entries */
    uint64_t least, said; /* those of functions at the least; those that the row says, 0: nothing */
    uint32_t besides;     /* locals that there are besides */
    struct settled *best;
};

/* Settles the library as it is told with these; `fits` says whether it could be. False where something else failed,
 * which `own` has. */
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

/* Settles the library with these; takes it where it is right and has no fewer entries than the best, and, where less is
 * told, about as many as are wanted. Says whether it is right and still lacks some; false where something else failed,
 * which `own` has. */
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

/* Where a section has not the size that is asked for, less is told of functions: what is left to the last of them
 * differs then. */
static bool settle_sizes(const struct lacking *l, struct error *own)
{
    static const uint8_t told[] = {63, 62, 60, 56, 48, 32, 16, 8};
    for (unsigned i = 0; l->best->met < DEBUG_SECTION_COUNT && i < sizeof told; i++) {
        struct settled now;
        bool fits;
        if (!settle_told(l, l->asked->letters, told[i], &now, &fits, own))
            return false;
        if (fits && now.met > l->best->met)
            *l->best = now;
    }
    return true;
}

/* Where more entries are functions' than the row says, by more than a little, less is told of functions: what they
 * leave goes to the declarations of headers, with no fewer entries in all, or hardly any. */
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

/* Where there are fewer entries than are wanted, those of functions are made smaller. First by shorter names, where
 * they are not in stamps; then less is told of functions, whose calls take more bytes than types and their members do:
 * as much as leaves room for as many, or else as little as may be. */
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

/* Where there are fewer entries now than roughly, less is told by a little, if that helps. */
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

/* Settles rows and entries of lists, too, where less is told than all. As these change how many entries functions have,
 * more is told again where there would be too few. */
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

/* Whether one has all sections as the best has them, entries nearer to what the row says, and of functions about as
 * many; or as many entries, and of functions nearer. */
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

/* Whether a library is composed soon enough to be tried in many ways. */
static bool is_small(const struct lacking *l)
{
    enum { MOST = 4000000 }; /* bytes of .debug_info */
    return l->asked->size[DEBUG_INFO] < MOST;
}

/* Has as many locals besides as functions lack entries where so much is told, from `first` on, which has none; or fewer
 * where those leave too little to others. Never more than .debug_info can have, whatever the row says; and
 * of many only so many that tags stay near, as the search for the manner cannot make up for these. */
static bool add_besides(const struct lacking *l, const struct settled *first, struct error *own)
{
    enum { TRIES = 5, TRIES_OF_LARGE = 2, MANY = 20000, PART_OF_MANY = 16, EACH_LEAST = 10 /* bytes */ };
    const unsigned tries = is_small(l) ? TRIES : TRIES_OF_LARGE;
    struct lacking with = *l;
    struct settled good = *first;
    const uint64_t most = l->asked->size[DEBUG_INFO] / EACH_LEAST;
    const uint64_t some = l->said > MANY ? l->said / PART_OF_MANY : l->said;
    uint64_t bad = (most < some ? most : some) + 1;
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

/* Where fewer entries are functions' than the row says: as many locals as are missing. Where more are, less is told
 * first; and so it is where there are fewer entries in all, as calls take more bytes than locals. */
static bool settle_exactly(const struct lacking *l, struct settling *again, struct error *own)
{
    enum { LESS_MOST = 6, PARTS = 8, FEW = 64 };
    struct settled *const best = l->best;
    struct settled now = *best;
    bool fits = true;
    if (!l->said || !best->dies)
        return true;
    again->start = &best->end;
    for (uint32_t less = 1; fits && now.defined > l->said && less <= LESS_MOST && less < best->mix.told; less++)
        if (!settle_told(l, best->mix.letters, best->mix.told - less, &now, &fits, own))
            return false;
    if (fits && !add_besides(l, &now, own))
        return false;
    const uint32_t parts = l->asked->size[DEBUG_LISTS] && is_small(l) ? PARTS : 1; /* else there are no calls */
    for (uint32_t part = parts - 1; part && best->dies + l->wanted / FEW < l->wanted; part--) {
        const uint32_t told = DESCRIBE_TOLD_ALL * part / PARTS;
        if (told >= best->mix.told)
            continue;
        if (!settle_told(l, best->mix.letters, told, &now, &fits, own) || (fits && !add_besides(l, &now, own)))
            return false;
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
    /* where there are never as many entries as are wanted, it ended at one of those that are as near */
    struct places start = {{mix_usual_expression(s), 0}, {0}};
    if (!mix_settle_sections(s, best, own))
        return false;
    if (best->end.entries.near)
        start.entries.at = best->end.entries.at;
    start.rows.at = best->end.rows.at;
    again.start = &start;
    again.roughly = true;
    if (!settle_sizes(&l, own) || !settle_fewer(&l, own))
        return false;
    again.roughly = false;
    if (!settle_finally(&l, own) || !settle_exactly(&l, &again, own))
        return false;
    *s->mix = best->mix;
    return true;
}
