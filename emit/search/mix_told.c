/* How much is told of the functions of a library with a row. The aim is as many entries of debug information as the
 * row says, in all and in functions. The library is settled with one amount after another, at first roughly: without
 * the right numbers of rows and list entries. These come last, with the amount that was nearest.
 */
#include <string.h>

#include "base/apart.h"
#include "emit/library/describe.h"
#include "emit/search/mix_rows_parts.h"

enum { FAR = 8 /* a result that is off by more than this part of the wanted entries is not taken */ };

/* How many entries functions are to have at the least. Without a number in the row this is their share of
 * the application's tags, so that tags come out, less a little of an average library. With one it is the same, but
 * neither more than that number nor less than it by more than a little. */
static uint64_t defined_least(const struct settling *s, const struct mix_entries *wanted)
{
    enum { LITTLE = 32 };
    const uint64_t said = wanted->defined;
    const struct stock *const stock = stock_of(s->stock, &s->plan->library[s->index]);
    const uint64_t share = wanted->dies * stock->corpus.manner.defined / MANNER_USUAL;
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
    struct mix_entries wanted;
    uint64_t least;   /* entries of functions */
    uint32_t besides; /* locals added to functions (describe.h) */
    struct settled *best;
};

/* Whether a library is small enough to be composed many times. */
static bool is_small(const struct lacking *l)
{
    enum { MOST = 4000000 }; /* bytes of .debug_info */
    return l->asked->size[DEBUG_INFO] < MOST;
}

/* Whether a library is so small that a few functions more or less tell, and a try costs little. */
static bool is_tiny(const struct plan_mix *asked)
{
    enum { LEAST = 1 << 17 }; /* bytes of .debug_info */
    return asked->size[DEBUG_INFO] < LEAST;
}

/* Settles the library with these values and, at first, sizes; `fits`: whether that is possible. False after another
 * failure, which `own` has. */
static bool settle_sized(const struct lacking *l, const uint64_t *size, uint32_t letters, uint32_t told,
                         struct settled *out, bool *fits, struct error *own)
{
    *out = (struct settled){0};
    *l->s->mix = *l->asked;
    memcpy(l->s->mix->size, size, sizeof l->s->mix->size);
    l->s->mix->letters = letters;
    l->s->mix->told = told;
    l->s->mix->besides = l->besides;
    *fits = mix_settle_sections(l->s, out, own);
    out->met = *fits ? mix_met(out->mix.size, l->asked->size) : 0;
    return *fits || own->code == ERROR_INFEASIBLE;
}

/* As settle_sized. Begins with the sizes of the best, which go together: those that were asked for may take many tries
 * until it is known, once more, that they do not. In a tiny library that costs little, and may bring something. */
static bool settle_told(const struct lacking *l, uint32_t letters, uint32_t told, struct settled *out, bool *fits,
                        struct error *own)
{
    *fits = false;
    return (is_tiny(l->asked) || settle_sized(l, l->best->mix.size, letters, told, out, fits, own)) &&
           (*fits || settle_sized(l, l->asked->size, letters, told, out, fits, own));
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
    const uint64_t off = apart(less.dies, l->wanted.dies);
    const bool all = told == DESCRIBE_TOLD_ALL;
    const bool is_right = fits && less.met >= l->best->met && (all || less.defined >= l->least);
    if (is_right && (all || off <= l->wanted.dies / FAR) && off <= apart(l->best->dies, l->wanted.dies))
        *l->best = less;
    *lacks = is_right && less.dies < l->wanted.dies;
    return true;
}

/* How many sections are to have their wanted sizes: all, or as many as had them when the library was settled before. */
static uint32_t met_enough(const struct settling *s)
{
    return s->guide ? s->guide->met : DEBUG_SECTION_COUNT;
}

/* Where a section does not have its wanted size, tells less of functions: that changes what is left to the last
 * function, which makes up the section's size. Ends when that makes no difference to any section. */
static bool settle_sizes(const struct lacking *l, struct error *own)
{
    enum { SAME_MOST = 2 };
    static const uint8_t told[] = {63, 62, 60, 56, 48, 32, 16, 8};
    unsigned same = 0;
    for (unsigned i = 0; l->best->met < met_enough(l->s) && same < SAME_MOST && i < sizeof told; i++) {
        struct settled now;
        bool fits;
        if (!settle_sized(l, l->asked->size, l->asked->letters, told[i], &now, &fits, own))
            return false;
        same += fits && memcmp(now.mix.size, l->best->mix.size, sizeof now.mix.size) == 0;
        if (fits && now.met > l->best->met)
            *l->best = now;
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
    uint32_t much = best->mix.told;
    uint32_t little = much / 4;
    bool lacks = best->dies && best->dies < l->wanted.dies;
    for (uint32_t letters = SHORT_NAME_MOST; lacks && l->asked->size[DEBUG_LISTS] == 0 && --letters;)
        if (!settle_lacking(l, letters, DESCRIBE_TOLD_ALL, &lacks, own))
            return false;
    lacks = best->dies && best->dies < l->wanted.dies && best->defined > l->least;
    while (lacks && much - little > 1) {
        const uint32_t told = (much + little) / 2;
        bool still;
        if (!settle_lacking(l, best->mix.letters, told, &still, own))
            return false;
        *(still ? &much : &little) = told;
    }
    return true;
}

struct mix_entries mix_entries_wanted(const struct settling *s)
{
    return (struct mix_entries){mix_wanted(s, ROW_DWARF_DIES, DEBUG_INFO),
                                mix_wanted(s, ROW_DWARF_DEFINED, DEBUG_INFO)};
}

static uint64_t beyond(uint64_t count, uint64_t some)
{
    return count > some ? count - some : 0;
}

/* How far a result is from the wanted numbers: the sum of the shares by which it is off. Entries in all count several
 * times, because a set has just as many wherever that is possible. So do those of functions where
 * many are wrong, and locals in place of others: functions would be left with hardly any entries, or with far too many,
 * for the sake of the number of all. */
static uint64_t off(const struct mix_entries *wanted, const struct settled *s)
{
    enum { ONE = 1 << 20, TIMES = 32, MANY_OF = 8, BESIDES_OF = 16 };
    const uint64_t dies = wanted->dies ? TIMES * ONE * apart(s->dies, wanted->dies) / wanted->dies : 0;
    const uint64_t defined = wanted->defined ? ONE * apart(s->defined, wanted->defined) / wanted->defined : 0;
    const bool may_exceed =
        s->mix.normal && s->defined > wanted->defined; /* clang's form has no room for other names */
    const uint64_t wrong = (may_exceed ? 0 : beyond(apart(s->defined, wanted->defined), wanted->defined / MANY_OF)) +
                           beyond(s->mix.besides, wanted->defined / BESIDES_OF);
    const bool counts = wanted->dies && s->mix.size[DEBUG_LISTS];
    return dies + defined + (counts ? TIMES * ONE * wrong / wanted->dies : 0);
}

bool mix_is_nearer(const struct mix_entries *wanted, const struct settled *s, const struct settled *than)
{
    return off(wanted, s) < off(wanted, than);
}

/* Whether there are too few entries, by more than a little. */
static bool are_few(uint64_t entries, uint64_t wanted)
{
    enum { LITTLE = 64 };
    return entries + wanted / LITTLE < wanted;
}

uint32_t mix_besides(const struct plan_mix *asked, uint64_t said, uint64_t lacking)
{
    enum { MANY = 20000, PART_OF_MANY = 16, EACH_LEAST = 10 /* bytes */ };
    const uint64_t most = asked->size[DEBUG_INFO] / EACH_LEAST;
    const uint64_t some = said > MANY ? said / PART_OF_MANY : said;
    const uint64_t all = most < some ? most : some;
    return (uint32_t)(lacking < all ? lacking : all);
}

/* Whether a result is better than another: no fewer sections are met, and entries are nearer. */
static bool is_better(const struct lacking *l, const struct settled *now, const struct settled *than)
{
    return now->met >= than->met && mix_is_nearer(&l->wanted, now, than);
}

/* Takes back some of the locals that *good has and *first has not, if these leave other entries too little room: about
 * as few as leave them enough. */
static bool take_back(const struct lacking *l, const struct settled *first, struct settled *good, struct error *own)
{
    enum { TRIES = 8 };
    const uint64_t aim = first->dies < l->wanted.dies ? first->dies : l->wanted.dies;
    const bool lacks = good->dies < aim && is_small(l);
    struct lacking with = *l;
    uint32_t few = first->mix.besides;
    uint32_t many = good->mix.besides;
    for (unsigned i = 0; i < TRIES && lacks && many > few + 1; i++) {
        struct settled now;
        bool fits;
        with.besides = few + (many - few) / 2;
        if (!settle_told(&with, good->mix.letters, good->mix.told, &now, &fits, own))
            return false;
        if (fits && is_better(l, &now, good))
            *good = now;
        *(fits && now.dies >= aim ? &few : &many) = with.besides;
    }
    return true;
}

/* Adds as many locals as functions lack entries, beginning with *first, or fewer where so many leave other entries too
 * little room. */
static bool add_besides(const struct lacking *l, const struct settled *first, struct error *own)
{
    enum { TRIES = 5, TRIES_OF_LARGE = 2, FEW = 256 /* the last ones are added in the end */ };
    const unsigned tries = is_small(l) ? TRIES : TRIES_OF_LARGE;
    const uint64_t said = l->wanted.defined;
    struct lacking with = *l;
    struct settled good = *first;
    uint64_t bad = mix_besides(l->asked, said, UINT64_MAX) + (uint64_t)1;
    for (unsigned i = 0; i < tries && good.defined + said / FEW < said; i++) {
        struct settled now;
        bool fits;
        const uint64_t all = good.mix.besides + said - good.defined;
        const uint64_t besides = all < bad ? all : (good.mix.besides + bad) / 2;
        with.besides = (uint32_t)besides;
        if (!settle_told(&with, good.mix.letters, good.mix.told, &now, &fits, own))
            return false;
        if (fits && is_better(l, &now, &good))
            good = now;
        else
            bad = besides;
    }
    if (!take_back(l, first, &good, own))
        return false;
    if (is_better(l, &good, l->best))
        *l->best = good;
    return true;
}

/* A search for how much to tell, between an amount that is little enough and one that is too much. */
struct amounts {
    uint32_t little, much;
    uint32_t first; /* what to try first, if it is between these */
    uint32_t step;  /* how far to go on from there, downwards or upwards; 0: to the middle between both */
    bool down;
};

/* The next amount. Where a search begins near its end, steps that double take it there sooner than halves. */
static uint32_t next_amount(struct amounts *a)
{
    const uint32_t room = a->much - a->little;
    if (a->first > a->little && a->first < a->much && !a->step)
        return a->first;
    const uint32_t step = a->step < room ? a->step : 0;
    a->step *= 2;
    return !step ? a->little + room / 2 : a->down ? a->much - step : a->little + step;
}

/* Notes an amount that was tried, and whether it made a difference. Where more made none, other than one that is told
 * too much, all there is to tell is told probably, and the greatest amount is next. */
static void note_amount(struct amounts *a, uint32_t told, bool is_enough, bool differs)
{
    *(is_enough ? &a->little : &a->much) = told;
    if (told == a->first) {
        a->step = 1;
        a->down = !is_enough;
    }
    if (a->down == is_enough || !differs)
        a->step = 0; /* the end is between the last two, or far */
    a->first = is_enough && !differs ? a->much - 1 : 0;
}

/* How much to tell next, by the entries of what was told last, where functions have as many for each part that is told:
 * at least one part more or less. 0: unknown, as they have far more than the row says, and what is left to tell then is
 * of another kind. */
static uint32_t first_amount(const struct lacking *l, const struct settled *now)
{
    enum { HARDLY = 8 };
    const uint64_t said = l->wanted.defined;
    const uint32_t guided = mix_guided_told(l->s);
    if (guided && guided < now->mix.told)
        return guided;
    if (!now->defined)
        return DESCRIBE_TOLD_ALL;
    if (!guided && now->defined > said && now->defined - said >= said / HARDLY)
        return 0;
    const uint32_t told = (uint32_t)(now->mix.told * said / now->defined);
    if (now->defined > said)
        return told < now->mix.told ? told : now->mix.told - 1;
    return told > now->mix.told ? told : now->mix.told + 1;
}

/* Whether functions have as many entries as the row says, or lack so few that one part more to tell would probably be
 * farther off. */
static bool is_nearly_said(const struct lacking *l, const struct settled *now)
{
    const uint64_t said = l->wanted.defined;
    return !is_tiny(l->asked) && now->defined <= said && said - now->defined <= now->defined / (2 * now->mix.told);
}

/* Looks for as much of functions to tell as does not lead to more entries than the row says. What was told last is
 * less than all only where a guide says so, and may be too little. */
static bool tell_as_much(const struct lacking *l, struct settled *now, struct error *own)
{
    const uint64_t said = l->wanted.defined;
    const bool is_much = now->defined > said;
    struct amounts a = {.little = is_much ? 0 : now->mix.told, .much = is_much ? now->mix.told : DESCRIBE_TOLD_ALL + 1};
    uint64_t of_much = is_much ? now->defined : UINT64_MAX;
    a.first = first_amount(l, now);
    while (a.much > a.little + 1 && !is_nearly_said(l, now)) {
        struct settled less;
        bool fits;
        const uint32_t told = next_amount(&a);
        if (!settle_told(l, l->best->mix.letters, told, &less, &fits, own))
            return false;
        const bool is_enough = fits && less.defined <= said;
        note_amount(&a, told, is_enough, is_enough ? less.defined != now->defined : less.defined < of_much);
        if (is_enough)
            *now = less;
        else if (fits) {
            of_much = less.defined;
            if (is_better(l, &less, l->best))
                *l->best = less;
        }
    }
    return true;
}

/* Where there are too few entries in all, tells less and less of functions, and adds more locals: calls take more bytes
 * than these. Where functions alone have too few, because more leave other entries too little room, tells a little
 * less. */
static bool tell_parts(const struct lacking *l, struct error *own)
{
    enum { MOST = 64, LITTLE = 4 };
    const struct settled *const best = l->best;
    const struct mix_entries *const wanted = &l->wanted;
    const uint32_t from = best->mix.told;
    const uint32_t most = is_small(l) ? MOST : LITTLE;
    struct settled last = *best;
    for (uint32_t less = 1; less <= most && less < from; less *= 2) {
        struct settled now;
        bool fits;
        if (!are_few(best->dies, wanted->dies) && !are_few(best->defined, wanted->defined))
            break;
        if (!settle_told(l, best->mix.letters, from - less, &now, &fits, own))
            return false;
        if (!fits || (now.dies == last.dies && now.defined == last.defined))
            continue;
        if (!add_besides(l, &now, own))
            return false;
        last = now;
    }
    return true;
}

/* Brings functions to as many entries as the row says: tells as much as does not lead to more, and then adds as many
 * locals as are missing. */
static bool settle_defined(const struct lacking *l, struct error *own)
{
    struct settled now = *l->best;
    if (!l->wanted.defined || !now.dies)
        return true;
    if (!tell_as_much(l, &now, own) || !add_besides(l, &now, own))
        return false;
    const bool has_calls = l->asked->size[DEBUG_LISTS] != 0;
    return !has_calls || tell_parts(l, own);
}

/* How much to tell next where functions have fewer entries than they are to have at the least: half of what is missing
 * more, if each part that is told has as many, so that it is not too much. */
static uint32_t more_told(uint32_t told, uint64_t defined, uint64_t least)
{
    const uint64_t half = defined ? told * (least - defined) / defined / 2 : 0;
    const uint32_t room = DESCRIBE_TOLD_ALL - told;
    return told + (half < 1 ? 1 : half < room ? (uint32_t)half : room);
}

/* Settles the best finally, with the numbers of rows and list entries too, as the first one was. This changes how many
 * entries functions have; where they have too few, tells more again. */
static bool settle_rows_too(struct lacking *l, struct error *own)
{
    struct settled *const best = l->best;
    const struct settled rough = *best;
    uint32_t told = best->mix.told;
    bool goes_on = rough.is_rough;
    l->besides = best->mix.besides;
    while (goes_on) {
        struct settled fully;
        bool fits;
        if (!settle_told(l, rough.mix.letters, told, &fully, &fits, own))
            return false;
        if (fits && fully.met >= rough.met)
            *best = fully;
        goes_on = fits && fully.defined < l->least && told < DESCRIBE_TOLD_ALL && !l->besides;
        told = goes_on ? more_told(told, fully.defined, l->least) : told;
    }
    return true;
}

/* Where the library has fewer entries than when it was roughly settled, tells a little less, if that helps. */
static bool settle_less(const struct lacking *l, const struct settled *rough, struct error *own)
{
    enum { LESS_MOST = 3 };
    struct settled *const best = l->best;
    const uint64_t aim = rough->dies < l->wanted.dies ? rough->dies : l->wanted.dies;
    for (uint32_t less = 1; less <= LESS_MOST && less < rough->mix.told && best->dies < aim; less++) {
        struct settled fully;
        bool fits;
        if (!settle_told(l, rough->mix.letters, rough->mix.told - less, &fully, &fits, own))
            return false;
        if (fits && fully.met >= best->met && fully.defined >= l->least &&
            apart(fully.dies, l->wanted.dies) < apart(best->dies, l->wanted.dies))
            *best = fully;
    }
    return true;
}

/* Settles the best, which is roughly settled, finally, with as many locals more or less as functions then lack. From
 * then on searches begin where this one has ended. */
static bool settle_finally(struct lacking *l, struct places *start, struct error *own)
{
    enum { TRIES = 2 };
    struct settled *const best = l->best;
    const struct settled rough = *best;
    if (!settle_rows_too(l, own))
        return false;
    *start = best->end;
    if (!settle_less(l, &rough, own))
        return false;
    const uint64_t said = l->wanted.defined;
    for (unsigned i = 0; i < TRIES && said && best->dies && best->defined != said; i++) {
        struct settled now;
        bool fits;
        const uint64_t all = best->mix.besides + said;
        l->besides = all > best->defined ? mix_besides(l->asked, said, all - best->defined) : 0;
        if (l->besides == best->mix.besides)
            break;
        if (!settle_told(l, best->mix.letters, best->mix.told, &now, &fits, own))
            return false;
        if (!fits || !is_better(l, &now, best))
            break;
        *best = now;
    }
    return true;
}

/* Where to begin after a library was settled for the first time. Where no length of expressions gives the wanted
 * number, several are equally near, and the search ended at any of these. */
static struct places first_places(const struct settling *s, const struct settled *first)
{
    struct places p = first->end;
    if (!p.entries.near)
        p.entries = (struct mix_place){mix_usual_expression(s), 0};
    else
        p.entries.near = 0;
    p.rows.near = 0;
    return p;
}

/* Settles the library, first with as much told as `told`, roughly, or with all told (0). Fails like
 * mix_settle_sections. */
static bool settle_from(const struct settling *s, uint32_t told, struct settled *best, struct error *own)
{
    const struct plan_mix asked = *s->mix;
    const struct mix_entries wanted = mix_entries_wanted(s);
    struct settling again = *s;
    struct lacking l = {&again, &asked, wanted, defined_least(s, &wanted), 0, best};
    again.roughly = told;
    s->mix->told = told ? told : asked.told;
    if (!mix_settle_sections(&again, best, own))
        return false;
    struct places start = best->is_rough ? best->end : first_places(s, best); /* of all further searches */
    again.start = &start;
    again.roughly = true;
    if (!settle_sizes(&l, own))
        return false;
    const bool has_functions = !stock_of(s->stock, &s->plan->library[s->index])->corpus.dialect.lines;
    if (has_functions && (!settle_fewer(&l, own) || !settle_defined(&l, own))) /* else that follows from the row */
        return false;
    again.roughly = false;
    return settle_finally(&l, &start, own);
}

/* Whether enough sections have the sizes that were asked for, and there are as many entries as wanted, of functions
 * very nearly. */
static bool is_well(const struct settling *from, const struct settled *s, const struct mix_entries *wanted)
{
    enum { LITTLE = 256 };
    return s->met >= met_enough(from) && (!wanted->dies || s->dies == wanted->dies) &&
           (!wanted->defined || apart(s->defined, wanted->defined) <= wanted->defined / LITTLE);
}

bool mix_settle_told(const struct settling *s, struct settled *best, struct error *own)
{
    const struct plan_mix asked = *s->mix;
    const struct mix_entries wanted = mix_entries_wanted(s);
    const bool tiny = is_tiny(&asked);
    struct settling from = *s;
    if (tiny) {
        from.start = NULL;
        from.guide = NULL;
    }
    /* from where a guide ended takes a third of the tries */
    const uint32_t told = tiny ? 0 : mix_guided_told(s);
    bool ok = told && settle_from(&from, told, best, own);
    if (told && !ok && own->code != ERROR_INFEASIBLE)
        return false;
    if (!ok || !is_well(&from, best, &wanted)) {
        *s->mix = asked;
        ok = settle_from(&from, 0, best, own);
    }
    if (ok)
        *s->mix = best->mix;
    return ok;
}
