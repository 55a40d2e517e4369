/* A profile that says how often tags and attributes are used, for tests of the manner that follows from that. */
#ifndef TESTS_MANNER_CASE_H
#define TESTS_MANNER_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dwarf/corpus/manner.h"
#include "emit/profile/profile.h"

/* A profile of one library. The text `row` is the end of the library's row. The caller frees the profile. */
static inline struct profile manner_profile(const char *language, const char *row, const char *tags,
                                            const char *attributes)
{
    char text[2048];
    snprintf(text, sizeof text,
             "pyelfgen-profile: 1\ndwarf: {language: %s}\nlibraries:\n"
             "- {kind: module, text: 90 kB, data: 1500, bss: 8, debug: 100 kB, symtab: 48, strtab: 9, functions: 106, "
             "dwarf: {version: 5, units: 10, dies: 100000}%s}\n",
             language, row);
    struct profile p;
    struct error e = {0};
    if (!profile_parse(&p, text, strlen(text), "manner", &e))
        fail_msg("%s", e.text);
    /* these are not in the text, because profile_parse refuses what is not counts */
    p.distributions[DISTRIBUTION_TAGS] = strdup(tags);
    p.distributions[DISTRIBUTION_ATTRIBUTES] = strdup(attributes);
    return p;
}

static inline unsigned sum_of_pieces(const uint16_t *piece, unsigned kinds)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < kinds; i++)
        sum += piece[i];
    return sum;
}

/* Asserts that the pieces of all kinds together are as many as headers consist of. */
static inline void assert_pieces_are_all(const struct manner *m)
{
    assert_int_equal(sum_of_pieces(m->piece, PIECES), MANNER_PIECES);
    assert_int_equal(sum_of_pieces(m->outer, OUTERS), MANNER_OUTER);
    assert_int_equal(sum_of_pieces(m->inner, INNERS), MANNER_INNER);
}

#endif
