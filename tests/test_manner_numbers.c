/* dwarf/corpus/manner_numbers: a manner is read as it was written, and whatever numbers are accepted, headers and
 * blocks can be made with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "dwarf/corpus/manner_numbers.h"
#include "emit/search/manner_search.h"
#include "emit/stock/stock.h"

enum { TEXT = 1024 };

static void text_of(const struct manner *m, char text[TEXT])
{
    FILE *to = fmemopen(text, TEXT, "w");
    assert_non_null(to);
    manner_numbers_write(to, m);
    assert_int_equal(fclose(to), 0);
}

/* Reads numbers into a manner that has none of them. */
static bool reads(const char *text, bool fortran, struct manner *m)
{
    const char *at = text;
    *m = fortran ? manner_fortran(manner_usual()) : manner_usual();
    memset(m->piece, 0, sizeof m->piece);
    m->calls = m->split = 0;
    return manner_numbers_read(&at, m) && *at == '\0';
}

static void numbers_are_read_as_written(void **state)
{
    (void)state;
    const struct manner all[] = {manner_usual(), manner_fortran(manner_usual())};
    for (unsigned i = 0; i < 2; i++) {
        char text[TEXT], again[TEXT];
        struct manner m;
        text_of(&all[i], text);
        assert_true(reads(text, i == 1, &m));
        text_of(&m, again);
        assert_string_equal(again, text);
        assert_int_equal(m.piece[PIECE_FUNCTION], all[i].piece[PIECE_FUNCTION]);
        assert_int_equal(m.calls, all[i].calls);
        assert_int_equal(m.split, all[i].split);
    }
}

static unsigned numbers_in(const char *text)
{
    unsigned count = 0;
    for (; *text; text++)
        count += *text == ' ';
    return count;
}

/* Those that the search moves by steps, and manner.locals and manner.ending. */
static void all_that_a_search_changes_are_there(void **state)
{
    (void)state;
    const struct manner usual = manner_usual();
    char text[TEXT];
    text_of(&usual, text);
    assert_int_equal(numbers_in(text), MANNER_NUMBERS + 2);
}

/* Replaces number `which` of a text. */
static void replace(char text[TEXT], unsigned which, unsigned number)
{
    char with[TEXT];
    char *at = text;
    for (unsigned i = 0; i < which; i++)
        at = strchr(at + 1, ' ');
    const char *rest = strchr(at + 1, ' ');
    snprintf(with, sizeof with, "%.*s %u%s", (int)(at - text), text, number, rest ? rest : "");
    strcpy(text, with);
}

static void numbers_that_cannot_be_are_refused(void **state)
{
    (void)state;
    const struct manner usual = manner_usual();
    char text[TEXT], wrong[TEXT];
    struct manner m;
    text_of(&usual, text);
    for (unsigned i = 0; i < numbers_in(text); i++) {
        strcpy(wrong, text);
        replace(wrong, i, 65536);
        assert_false(reads(wrong, false, &m));
    }
    strcpy(wrong, text);
    replace(wrong, PIECE_TYPEDEF, usual.piece[PIECE_TYPEDEF] + 1U); /* more pieces than there are */
    assert_false(reads(wrong, false, &m));
    strcpy(wrong, text);
    replace(wrong, PIECE_STRUCTURE, 0);
    replace(wrong, PIECE_TYPEDEF, usual.piece[PIECE_TYPEDEF] + (unsigned)usual.piece[PIECE_STRUCTURE]);
    assert_false(reads(wrong, false, &m));
    strcpy(wrong, text);
    replace(wrong, PIECE_STRUCTURE, usual.piece[PIECE_STRUCTURE] - 1U);
    replace(wrong, PIECE_MATRIX, 1); /* which C has not */
    assert_false(reads(wrong, false, &m));
    *strrchr(text, ' ') = '\0'; /* one too few */
    assert_false(reads(text, false, &m));
    assert_false(reads("", false, &m));
    assert_false(reads(" -1", false, &m));
    assert_false(reads(" 112x", false, &m));
}

/* The number `which` of a text. */
static unsigned number_of(const char *text, unsigned which)
{
    for (unsigned i = 0; i < which; i++)
        text = strchr(text + 1, ' ');
    return (unsigned)strtoul(text + 1, NULL, 10);
}

/* Changes some numbers at random, to what is accepted: one alone, or a piece of one kind to another kind. */
static struct manner altered(struct manner m, struct random *r)
{
    enum { NUMBERS = 12, MOST = 1100, KINDS = PIECES + OUTERS + INNERS };
    for (unsigned i = 0; i < NUMBERS; i++) {
        char text[TEXT];
        text_of(&m, text);
        const unsigned which = (unsigned)(random_next(r) % (i % 2 ? numbers_in(text) : KINDS));
        const unsigned other_kind = (unsigned)(random_next(r) % KINDS);
        const uint64_t number = random_next(r);
        const unsigned moved = number_of(text, which) ? (unsigned)(number % number_of(text, which)) + 1 : 0;
        if (i % 2)
            replace(text, which, (unsigned)(number % 3 ? number / 3 % MOST : number / 3 % 3));
        else {
            replace(text, which, number_of(text, which) - moved);
            replace(text, other_kind, number_of(text, other_kind) + moved);
        }
        struct manner other;
        if (reads(text, m.fortran, &other))
            m = other;
    }
    return m;
}

/* Makes the stock, or finds that more is said of code than blocks have room for. */
static void make(struct dialect dialect, const struct manner *m)
{
    struct stock *s = stock_begin(dialect, m, 42);
    assert_non_null(s);
    bool made = true;
    for (unsigned part = 0; part < STOCK_PARTS && made; part++)
        made = part == STOCK_PART_HEADERS ? stock_make_headers(s, UINT64_MAX) : stock_make_part(s, part);
    assert_true(made || stock_is_overfull(s));
    if (made)
        stock_end(s);
    stock_free(s);
}

static void headers_and_blocks_can_be_made(void **state)
{
    (void)state;
    enum { TRIES = 2 };
    const struct dialect dialects[] = {{.version = 5},
                                       {.version = 5, .views = true, .terse = true},
                                       {.version = 4, .language = DWARF_CPP, .views = true},
                                       {.version = 5, .fortran = true}};
    struct random r = {1};
    for (unsigned i = 0; i < sizeof dialects / sizeof dialects[0]; i++) {
        const struct manner usual = dialects[i].fortran ? manner_fortran(manner_usual()) : manner_usual();
        for (unsigned k = 0; k < TRIES; k++) {
            const struct manner m = altered(usual, &r);
            make(dialects[i], &m);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_as_written), cmocka_unit_test(all_that_a_search_changes_are_there),
        cmocka_unit_test(numbers_that_cannot_be_are_refused), cmocka_unit_test(headers_and_blocks_can_be_made)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
