/* See profile_manner.h. */
#include "emit/profile_manner.h"

#include <stdlib.h>
#include <string.h>

#include "base/shares.h"
#include "dwarf/corpus.h"
#include "emit/profile_keys.h"

enum {
    INLINES_LEAST = 2,
    UNNAMED_OF = 5,
    PASSED_LEAST = 250, /* thousandths of an argument */
    COUNT_MOST = 1 << 30, /* of each tag */
};

/* What there is of each for one call, in thousandths, and of arguments for one that is passed besides, where all
 * is made in the usual manner. */
static const struct {
    uint32_t inlined, lexical, parameters, passed;
} usual[] = {[LANGUAGE_C] = {900, 490, 1660, 620}, [LANGUAGE_CPP] = {6000, 0, 0, 0}};
enum { MEMBERS_USUAL = 5600 }; /* of a structure */

/* The number behind `word:` in the text of a distribution; 0 where there is none. */
static uint64_t count_of(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; at && (at = strstr(at, word)); at += length) {
        if ((at != text && at[-1] != ' ') || at[length] != ':')
            continue;
        char *end;
        const unsigned long long count = strtoull(at + length + 1, &end, 10);
        return end == at + length + 1 ? 0 : count < COUNT_MOST ? count : COUNT_MOST;
    }
    return 0;
}

static uint64_t sum_of(const struct profile *p, enum row_value value)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->rows; i++)
        if (p->row[i].value[value] > 0 && p->row[i].value[ROW_DWARF_UNITS] > 0)
            sum += (uint64_t)p->row[i].value[value];
    return sum;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* How often there is `count` for each of `of` beside the usual, of which these are the thousandths: in steps of a power
 * of the square root of two, so that what was made so is found to be so. In MANNER_USUALths. */
static uint16_t times_usual(uint64_t count, uint64_t of, uint64_t thousandths, unsigned power)
{
    static const uint16_t steps[] = {1,   2,   3,   4,   6,   8,   11,   16,   23,   32,   45,   64,
                                     91, 128, 181, 256, 362, 512, 724, 1024, 1448, 2048, 2896, 4096};
    enum { STEPS = sizeof steps / sizeof steps[0], USUAL_STEP = 11 };
    const uint64_t times = of && thousandths ? count * 1000 * MANNER_USUAL / of * 1000 / thousandths : 0;
    unsigned i = USUAL_STEP % power;
    if (times * 2 < 1000)
        return 0;
    while (i + power < STEPS && times * times > (uint64_t)steps[i] * steps[i + power] * 1000000)
        i += power;
    return steps[i];
}

/* Of MANNER_PIECES pieces as many of each kind as come to these counts; of some kinds they are few, and differ. */
static void share_pieces(struct manner *m, const uint64_t *count)
{
    enum { RARE = 4, POWER_RARE = 4 };
    uint64_t weight[PIECES];
    uint64_t all = 0;
    uint64_t told = 0;
    for (unsigned i = 0; i < PIECES; i++) {
        const uint64_t usually = (uint64_t)m->piece[i] * 1000000 / m->piece[PIECE_STRUCTURE];
        const unsigned power = m->piece[i] <= RARE ? POWER_RARE : 1;
        weight[i] = (uint64_t)m->piece[i] * times_usual(count[i] * 1000, count[PIECE_STRUCTURE], usually, power);
        all += weight[i];
    }
    /* what is too rare to be there is not there */
    for (unsigned i = 0; i < PIECES; i++)
        weight[i] = weight[i] * MANNER_PIECES * 2 < all ? 0 : weight[i];
    all = 0;
    for (unsigned i = 0; i < PIECES; i++)
        all += weight[i];
    for (unsigned i = 0; i < PIECES; i++)
        told += m->piece[i] = (uint16_t)((weight[i] * MANNER_PIECES + all / 2) / all);
    m->piece[PIECE_FUNCTION] = (uint16_t)(m->piece[PIECE_FUNCTION] + MANNER_PIECES - told);
}

/* What headers declare: entries that neither units have anyhow nor others bring with them. */
static void read_pieces(struct manner *m, const struct profile *p, const char *tags, const char *attributes)
{
    enum { POINTERS = 2, CONSTS = 1, /* of each unit */ VOID_OF = 6 /* one in so many is of nothing */ };
    const uint64_t units = sum_of(p, ROW_DWARF_UNITS);
    const uint64_t structures = count_of(tags, "structure_type");
    const uint64_t unions = count_of(tags, "union_type");
    const uint64_t typedefs = count_of(tags, "typedef");
    const uint64_t consts = less(count_of(tags, "const_type"), CONSTS * units);
    const uint64_t types = count_of(tags, "subroutine_type");
    const uint64_t restricts = count_of(tags, "restrict_type");
    const uint64_t atomics = count_of(tags, "atomic_type");
    const uint64_t variables = (structures * m->piece[PIECE_VARIABLE] + m->piece[PIECE_STRUCTURE] - 1) /
                               m->piece[PIECE_STRUCTURE];
    const uint64_t defined = sum_of(p, ROW_FUNCTIONS) + count_of(attributes, "inline");
    if (structures)
        m->unnamed = (uint8_t)(typedefs >= structures ? m->unnamed : typedefs * m->unnamed / structures);
    if (structures + unions)
        m->members = times_usual(less(count_of(tags, "member"), structures + unions), structures + unions,
                                 MEMBERS_USUAL - 1000, 1);
    const uint64_t count[PIECES] = {
        [PIECE_STRUCTURE] = structures,
        [PIECE_TYPEDEF] = less(typedefs, structures * m->unnamed / UNNAMED_OF + atomics),
        [PIECE_ATOMIC] = atomics,
        [PIECE_POINTER] = less(count_of(tags, "pointer_type"), types + restricts + consts / VOID_OF + POINTERS * units),
        [PIECE_ARRAY] = count_of(tags, "array_type"),
        [PIECE_FUNCTION_TYPE] = types,
        [PIECE_CONST] = consts - consts / VOID_OF,
        [PIECE_VOID_CONST] = consts / VOID_OF,
        [PIECE_UNION] = unions,
        [PIECE_VARIABLE] = variables,
        [PIECE_ENUMERATION] = count_of(tags, "enumeration_type"),
        [PIECE_RESTRICT] = restricts,
        [PIECE_FUNCTION] = less(count_of(tags, "subprogram"), defined),
    };
    if (structures)
        share_pieces(m, count);
}

/* How the code is told. */
static void read_code(struct manner *m, enum debug_language language, const char *tags)
{
    const uint64_t calls = count_of(tags, "call_site") + count_of(tags, "GNU_call_site");
    const uint64_t parameters = count_of(tags, "call_site_parameter") + count_of(tags, "GNU_call_site_parameter");
    const uint64_t blocks = count_of(tags, "lexical_block");
    const uint64_t variables = count_of(tags, "variable");
    const uint64_t passed = less(parameters * 1000, calls * usual[language].parameters);
    if (!calls)
        return;
    m->inlined = times_usual(count_of(tags, "inlined_subroutine"), calls, usual[language].inlined, 1);
    if (language == LANGUAGE_CPP)
        return; /* all else is as what was inlined */
    m->lexical = times_usual(blocks, calls, usual[language].lexical, 1);
    m->locals = (uint8_t)(variables * 5 > blocks * 13 ? 3 : variables * 5 > blocks * 7 ? 2 : 1);
    if (passed > calls * PASSED_LEAST)
        m->passed = times_usual(passed, calls * 1000, usual[language].passed, 1);
}

struct manner profile_manner(const struct profile *p)
{
    const char *const tags = p->distributions[KEY_TAGS - KEY_FUNCTION_SIZES];
    const char *const attributes = p->distributions[KEY_ATTRIBUTES - KEY_FUNCTION_SIZES];
    const uint64_t units = sum_of(p, ROW_DWARF_UNITS);
    struct manner m = manner_usual();
    if (!tags || !attributes || !units)
        return m;
    const uint64_t inlines = (count_of(attributes, "inline") + units / 2) / units;
    m.inlines = (uint8_t)(inlines < INLINES_LEAST ? INLINES_LEAST : inlines < CORPUS_INLINES ? inlines : CORPUS_INLINES);
    read_pieces(&m, p, tags, attributes);
    read_code(&m, p->dwarf.language, tags);
    return m;
}
