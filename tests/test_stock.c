/* emit/stock/stock.c, block_make.c and dwarf/compose/stamp_shelve.c: blocks of code say no more than there is room for,
 * or the stock is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emit/stock/stock.h"

/* A manner that tells all that can be told. All runs of code are inlined functions with all that these may have, or
 * lexical blocks beside them. Calls pass all that they may; without calls there are more runs. */
static struct manner that_tells_all(struct manner m, bool with_calls, bool with_blocks)
{
    enum { MANY = UINT16_MAX / MANNER_USUAL };
    m.inlined = MANY;
    m.lexical = with_blocks ? MANY : MANNER_USUAL;
    m.parameters = CORPUS_INLINE_PARAMETERS * MANNER_USUAL;
    m.variables = CORPUS_INLINE_VARIABLES * MANNER_USUAL;
    m.calls = with_calls ? MANY : 0;
    m.passed = with_calls ? MANY : 0;
    m.gone = 0;
    m.spread = with_blocks ? MANY : MANNER_USUAL;
    m.split = m.told = m.ending = MANNER_USUAL;
    m.locals = 3;
    m.constants = m.fortran ? MANNER_CONSTANTS : 0;
    return m;
}

/* Whether the stock is overfull. Making it fails for no other reason. */
static bool is_overfull(struct dialect dialect, const struct manner *m)
{
    struct stock *s = stock_begin(dialect, m, 42);
    bool made = true;
    assert_non_null(s);
    for (unsigned i = 0; i < BLOCK_PARTS; i++)
        made &= stock_make_part(s, STOCK_PART_BLOCKS + i);
    const bool overfull = stock_is_overfull(s);
    assert_int_equal(made, !overfull);
    stock_free(s);
    return overfull;
}

/* A manner that tells too much makes the stock overfull. Otherwise making it would end as if memory had run out, or
 * write beyond its room. */
static void refuses_what_is_too_much(void **state)
{
    (void)state;
    unsigned overfull = 0;
    const struct dialect dialects[] = {{.version = 4, .views = true},
                                       {.version = 5},
                                       {.version = 4, .language = DWARF_CPP, .views = true},
                                       {.version = 4, .fortran = true, .views = true}};
    for (unsigned i = 0; i < sizeof dialects / sizeof dialects[0]; i++) {
        const struct manner usual = dialects[i].fortran ? manner_fortran(manner_usual()) : manner_usual();
        assert_false(is_overfull(dialects[i], &usual));
        for (unsigned how = 0; how < 4; how++) {
            const struct manner all = that_tells_all(usual, how & 1, how & 2);
            overfull += is_overfull(dialects[i], &all);
        }
    }
    assert_true(overfull > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refuses_what_is_too_much)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
