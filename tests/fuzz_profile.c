/* libFuzzer target of profiles: any bytes as the file, also hostile ones. profile_parse always returns. An error is one
 * printable line. An accepted profile has a canonical text, which loads as the same profile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/corpus/corpus.h"
#include "dwarf/corpus/manner_numbers.h"
#include "emit/profile/profile.h"
#include "emit/search/manner_fit.h"
#include "emit/stock/profile_manner.h"

static void require(bool holds, const char *what, const char *detail)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, detail);
    abort();
}

static void check_error(const struct error *e)
{
    require(e->code == ERROR_INPUT || e->code == ERROR_MEMORY, "an error of the wrong kind", e->text);
    require(e->text[0] != '\0', "an error without text", "");
    for (const char *c = e->text; *c; c++)
        require((unsigned char)*c >= 0x20 && *c != 0x7f, "a control character in an error", e->text);
}

static unsigned sum_of(const uint16_t *number, unsigned count)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += number[i];
    return sum;
}

static void check_manner(const struct manner *m)
{
    require(sum_of(m->piece, PIECES) == MANNER_PIECES && sum_of(m->outer, OUTERS) == MANNER_OUTER &&
                sum_of(m->inner, INNERS) == MANNER_INNER,
            "pieces that are not all", "");
    require(m->taken <= MANNER_TAKEN && m->enumerators <= MANNER_ENUMERATORS, "more than there may be", "");
    require(m->inlines >= 2 && m->inlines <= 32, "too few or too many inline functions", "");
    require(m->entries <= MANNER_USUAL && m->unnamed <= 5 && m->imports && m->brief <= 10 && m->told <= MANNER_USUAL,
            "a share of more than all", "");
    require(!m->parameters ||
                (m->parameters >= MANNER_USUAL && m->parameters <= CORPUS_INLINE_PARAMETERS * MANNER_USUAL &&
                 m->variables <= CORPUS_INLINE_VARIABLES * MANNER_USUAL),
            "inlined functions of other sizes than there are", "");
}

/* The numbers of a manner are read as they are written. */
static void check_numbers(const struct manner *m)
{
    char text[1024] = "";
    const char *at = text;
    struct manner again = *m;
    FILE *const to = fmemopen(text, sizeof text, "w");
    require(to, "no memory", "");
    manner_numbers_write(to, m);
    fclose(to);
    require(manner_numbers_read(&at, &again) && !*at, "numbers that are not read", text);
}

/* Headers can be made in the manner that the profile says, and in those that a search makes of it. */
static void check_manners(const struct profile_entries *said)
{
    struct debug_counts made = {.all = {[ABBREV_CALL_SITE] = 7, [ABBREV_INLINED] = 3, [ABBREV_LOCAL] = 9}};
    struct manner m = profile_manner(said);
    check_manner(&m);
    check_numbers(&m);
    for (unsigned i = 0; i < 3 && manner_can_fit(said); i++) {
        const double distance = manner_distance(said, &made);
        require(distance >= 0 && distance < 2, "a distance of more than all", "");
        m = manner_fitted(&m, said, &made);
        check_manner(&m);
        check_numbers(&m);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile p, q;
    struct error e = {0};
    if (!profile_parse(&p, (const char *)data, size, "fuzz", &e)) {
        check_error(&e);
        return 0;
    }
    for (unsigned i = 0; i < DEBUG_LANGUAGES; i++) {
        const struct profile_entries said = profile_entries(&p, i);
        check_manners(&said);
    }
    char *text, *again;
    size_t text_size, again_size;
    require(profile_text(&p, &text, &text_size, &e), "an accepted profile has no text", e.text);
    require(profile_parse(&q, text, text_size, "text", &e), "the text does not load", text);
    require(profile_text(&q, &again, &again_size, &e), "a profile loaded again has no text", e.text);
    require(text_size == again_size && memcmp(text, again, text_size) == 0, "two texts of one profile", text);
    require(strcmp(p.application, q.application) == 0, "the application changed", text);
    free(text);
    free(again);
    profile_free(&p);
    profile_free(&q);
    return 0;
}
