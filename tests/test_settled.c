/* emit/search/settled: for which profiles what was found is used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emit/search/settled.h"
#include "emit/search/settled_parts.h"
#include "emit/solve/plan_make.h"

#define HEAD  "pyelfgen-profile: 1\nmodules: 0\nutilities: 1\n"
#define ROW   "libraries:\n- {kind: utility, text: 7000, data: 900, debug: 20000, symtab: 1500, strtab: 600"
#define SPLIT ROW ", dwarf: {units: 2}, mix: {info: 900, line: 5000}, dwo: {info: 9000, str: 3000}}\n"

/* Whether what was found is used for the profile, with its own digest or, where `seed` is not the profile's, another's.
 */
static bool is_used(const char *text, uint64_t seed)
{
    struct profile p;
    struct error e = {0};
    uint64_t of_profile[2], digest[2];
    char of[SETTLED_DIGEST];
    bool is_for = true;
    assert_true(profile_parse(&p, text, strlen(text), "test", &e));
    assert_true(profile_unsplit(&p, &e));
    const uint64_t own = p.seed;
    p.seed = seed;
    assert_true(plan_digest(&p, of_profile, digest, &e));
    p.seed = own;
    settled_digest(digest, of);
    assert_null(p.settled.of);
    p.settled.of = strdup(of);
    assert_true(settled_is_for(&p, &is_for, &e));
    profile_free(&p);
    return is_for;
}

static void it_is_for_one_profile(void **state)
{
    (void)state;
    assert_true(is_used(HEAD ROW "}\n", 42));
    assert_false(is_used(HEAD ROW "}\n", 43));
    assert_true(is_used(HEAD "seed: 43\n" ROW "}\n", 43));
}

/* What was found is no part of the digest that it is for. */
static void it_is_no_part_of_its_digest(void **state)
{
    (void)state;
    assert_true(is_used(HEAD "settled: {manners: any, libraries: .}\n" ROW "}\n", 42));
}

static void it_is_not_for_split_libraries(void **state)
{
    (void)state;
    assert_false(is_used(HEAD SPLIT, 42));
}

static void it_is_not_for_profiles_without_rows(void **state)
{
    (void)state;
    assert_false(is_used("pyelfgen-profile: 1\nmodules: 2\nfunctions: 30\n", 42));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_for_one_profile), cmocka_unit_test(it_is_no_part_of_its_digest),
        cmocka_unit_test(it_is_not_for_split_libraries), cmocka_unit_test(it_is_not_for_profiles_without_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
