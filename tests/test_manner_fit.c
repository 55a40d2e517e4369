/* emit/search/manner_fit, manner_search and manner_sample: how a set's manner comes nearer to an application's. The
 * counts of entries are made up: nothing is composed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dwarf/corpus/corpus.h"
#include "emit/search/manner_fit.h"
#include "emit/search/manner_sample.h"
#include "emit/search/manner_search.h"
#include "emit/search/manners_search.h"
#include "manner_case.h"

static struct profile profile_of(const char *tags, const char *attributes)
{
    return manner_profile("c", "", tags, attributes);
}

/* What the profile says of all libraries is what counts here. */
static double distance_of(const struct profile *p, const struct debug_counts *made)
{
    const struct profile_entries said = profile_entries_of_all(p);
    return manner_distance(&said, made);
}

static struct manner fitted_to(const struct manner *m, const struct profile *p, const struct debug_counts *made)
{
    const struct profile_entries said = profile_entries_of_all(p);
    return manner_fitted(m, &said, made);
}

static bool can_fit(const struct profile *p)
{
    const struct profile_entries said = profile_entries_of_all(p);
    return manner_can_fit(&said);
}

static bool search_next(struct manner_search *s, const struct profile *p, const struct debug_counts *made,
                        struct manner *m)
{
    const struct profile_entries said = profile_entries_of_all(p);
    return manner_search_next(s, &said, made, m);
}

#define OTHERS                                                                                                         \
    "structure_type:1000 member:5600 typedef:1000 pointer_type:1000 subprogram:3000 formal_parameter:9000 "            \
    "call_site_parameter:8000 inlined_subroutine:3000 lexical_block:2000 variable:6000"
#define TAGS OTHERS " call_site:5000"
#define HUGE_TAGS                                                                                                      \
    "call_site:1 call_site_parameter:1073741823 inlined_subroutine:1073741823 variable:1 formal_parameter:1073741823"
#define ATTRIBUTES "abstract_origin:9000 location:20000 ranges:500 sibling:9000 type:30000"

static void add_attribute(struct debug_counts *c, uint32_t name, uint64_t uses)
{
    c->attribute[c->attributes].name = name;
    c->attribute[c->attributes++].uses = uses;
}

/* Counts that are exactly as the texts above say. */
static struct debug_counts all_met(void)
{
    static const struct {
        enum abbrev_code code;
        uint64_t count;
        bool is_header;
    } made[] = {
        {ABBREV_STRUCTURE, 1000, true},      {ABBREV_MEMBER, 5600, true},
        {ABBREV_TYPEDEF, 1000, true},        {ABBREV_POINTER, 1000, true},
        {ABBREV_FUNCTION, 1500, false},      {ABBREV_DECLARED_FUNCTION, 1500, true},
        {ABBREV_PARAMETER, 4000, false},     {ABBREV_INLINED_PARAMETER, 4000, false},
        {ABBREV_CALL_SITE, 5000, false},     {ABBREV_CALL_PARAMETER, 8000, false},
        {ABBREV_INLINED, 3000, false},       {ABBREV_LEXICAL_BLOCK, 2000, false},
        {ABBREV_LOCAL, 4000, false},         {ABBREV_INLINED_VARIABLE, 1000, false},
        {ABBREV_TYPE_PARAMETER, 1000, true}, {ABBREV_INLINED_VARIABLE_GONE, 1000, false},
    };
    struct debug_counts c = {.imports = 0};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        c.all[made[i].code] = made[i].count;
        c.header[made[i].code] = made[i].is_header ? made[i].count : 0;
    }
    add_attribute(&c, DW_AT_abstract_origin, 9000);
    add_attribute(&c, DW_AT_location, 20000);
    add_attribute(&c, DW_AT_ranges, 500);
    add_attribute(&c, DW_AT_sibling, 9000);
    add_attribute(&c, DW_AT_type, 30000);
    return c;
}

static void distance_is_half_of_what_differs(void **state)
{
    (void)state;
    struct profile p = profile_of(TAGS, ATTRIBUTES);
    struct debug_counts c = all_met();
    assert_true(distance_of(&p, &c) < 1e-9);
    c.all[ABBREV_CALL_SITE] -= 1000; /* of 44600 entries */
    c.all[ABBREV_CALL_SITE_LEAF] += 1000;
    assert_true(distance_of(&p, &c) < 1e-9);
    c.all[ABBREV_CALL_SITE] -= 892;
    c.all[ABBREV_LABEL] += 892; /* of which none is wanted */
    assert_true(distance_of(&p, &c) > 0.0199 && distance_of(&p, &c) < 0.0201);
    c.attribute[4].uses -= 6850; /* of 68500 attributes */
    add_attribute(&c, DW_AT_decl_line, 6850);
    assert_true(distance_of(&p, &c) > 0.0999 && distance_of(&p, &c) < 0.1001);
    profile_free(&p);
}

static void assert_is_possible(const struct manner *m)
{
    assert_pieces_are_all(m);
    assert_in_range(m->parameters, m->parameters ? MANNER_USUAL : 0, CORPUS_INLINE_PARAMETERS * MANNER_USUAL);
    assert_in_range(m->variables, 0, CORPUS_INLINE_VARIABLES * MANNER_USUAL);
    assert_in_range(m->locals, 1, 3);
    assert_in_range(m->own, MANNER_USUAL / 4, MANNER_USUAL);
    assert_in_range(m->told, 0, MANNER_USUAL);
    assert_in_range(m->ending, 0, MANNER_USUAL);
    assert_in_range(m->enumerators, 1, MANNER_ENUMERATORS);
    assert_true(m->calls && m->inlined && m->lexical && m->members && m->gone);
    assert_true(m->methods && m->typedefs && m->derived && m->templates && m->numbers);
    assert_in_range(m->taken, 1, MANNER_TAKEN);
}

static void what_is_met_stays(void **state)
{
    (void)state;
    struct profile p = profile_of(TAGS, ATTRIBUTES);
    const struct debug_counts c = all_met();
    const struct manner usual = manner_usual();
    const struct manner m = fitted_to(&usual, &p, &c);
    assert_is_possible(&m);
    assert_int_equal(m.calls, usual.calls);
    assert_int_equal(m.inlined, usual.inlined);
    assert_int_equal(m.lexical, usual.lexical);
    assert_int_equal(m.members, usual.members);
    assert_int_equal(m.told, usual.told);
    assert_int_equal(m.passed, 0);
    assert_int_equal(m.gone, usual.gone);
    assert_int_equal(m.ending, usual.ending);
    profile_free(&p);
}

static void what_lacks_becomes_more(void **state)
{
    (void)state;
    static const struct {
        const char *tags, *attributes;
        enum { CALLS, INLINED, LEXICAL, MEMBERS, PASSED, PARAMETERS, UNIONS, GONE, ENDING, SPREAD } what;
    } cases[] = {
        {TAGS " call_site:1", ATTRIBUTES, CALLS}, /* only the first number of a tag counts: nothing changes */
        {"call_site:9000 " TAGS, ATTRIBUTES, CALLS},
        {"inlined_subroutine:4000 " TAGS, ATTRIBUTES, INLINED},
        {"lexical_block:3000 " TAGS, ATTRIBUTES, LEXICAL},
        {"member:9000 " TAGS, ATTRIBUTES, MEMBERS},
        {"call_site_parameter:20000 " TAGS, ATTRIBUTES, PASSED},
        {"formal_parameter:14000 " TAGS, ATTRIBUTES, PARAMETERS},
        {"pointer_type:4000 " TAGS, ATTRIBUTES, UNIONS},
        {TAGS, "location:19000 " ATTRIBUTES, GONE},
        {TAGS, "sibling:6000 " ATTRIBUTES, ENDING},
        {TAGS, "ranges:700 " ATTRIBUTES, SPREAD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct profile p = profile_of(cases[i].tags, cases[i].attributes);
        const struct debug_counts c = all_met();
        const struct manner from = manner_usual();
        const struct manner to = fitted_to(&from, &p, &c);
        const struct manner *const m[] = {&from, &to};
        unsigned number[2];
        for (unsigned k = 0; k < 2; k++) {
            const unsigned numbers[] = {[CALLS] = m[k]->calls,
                                        [INLINED] = m[k]->inlined,
                                        [LEXICAL] = m[k]->lexical,
                                        [MEMBERS] = m[k]->members,
                                        [PASSED] = m[k]->passed,
                                        [PARAMETERS] = m[k]->parameters,
                                        [UNIONS] = m[k]->piece[PIECE_POINTER],
                                        [GONE] = m[k]->gone,
                                        [SPREAD] = m[k]->spread,
                                        [ENDING] = m[k]->ending};
            number[k] = numbers[cases[i].what];
            assert_is_possible(m[k]);
        }
        if (!i) {
            assert_int_equal(number[0], number[1]);
        } else if (cases[i].what == PARAMETERS) { /* was 0, which stands for the usual number */
            assert_true(number[1] > 3 * MANNER_USUAL / 2);
        } else {
            assert_true(number[0] < number[1]);
        }
        profile_free(&p);
    }
}

#define CPP_TAGS                                                                                                       \
    "class_type:1000 structure_type:2000 member:1000 typedef:4000 pointer_type:2000 const_type:3000 "                  \
    "reference_type:4000 subprogram:20000 formal_parameter:50000 template_type_parameter:3000 "                        \
    "template_value_parameter:300 imported_declaration:1000 enumeration_type:300 enumerator:1200 call_site:1000 "      \
    "inlined_subroutine:9000"

static struct debug_counts all_met_in_cpp(void)
{
    static const struct {
        enum abbrev_code code;
        uint64_t count;
    } made[] = {
        {ABBREV_CLASS, 600},          {ABBREV_VIRTUAL_CLASS, 200},  {ABBREV_CLASS_DECLARATION, 200},
        {ABBREV_STRUCTURE, 2000},     {ABBREV_MEMBER, 1000},        {ABBREV_TYPEDEF, 4000},
        {ABBREV_POINTER, 2000},       {ABBREV_CONST, 3000},         {ABBREV_REFERENCE, 4000},
        {ABBREV_METHOD, 16000},       {ABBREV_THIS, 30000},         {ABBREV_TYPE_PARAMETER, 11000},
        {ABBREV_TEMPLATE_TYPE, 3000}, {ABBREV_TEMPLATE_VALUE, 300}, {ABBREV_IMPORTED, 1000},
        {ABBREV_ENUMERATION, 300},    {ABBREV_ENUMERATOR, 1200},
    };
    struct debug_counts c = {.imports = 0};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        c.all[made[i].code] = c.header[made[i].code] = made[i].count;
    c.all[ABBREV_DEFINED_METHOD] = 4000;
    c.all[ABBREV_INLINED_PARAMETER] = 9000;
    c.all[ABBREV_INLINED] = 9000;
    c.all[ABBREV_CALL_SITE] = 1000;
    add_attribute(&c, DW_AT_location, 20000);
    return c;
}

/* In C++: what headers declare, and how much is inlined. */
static void headers_of_cpp_become_alike(void **state)
{
    (void)state;
    enum what {
        NOTHING,
        METHODS,
        TYPEDEFS,
        DERIVED,
        TEMPLATES,
        NUMBERS,
        IMPORTS,
        ENUMERATORS,
        STRUCTURES,
        INLINED,
        CALLS,
        KINDS
    };
    static const struct {
        const char *tags;
        enum what what;
    } cases[] = {
        {CPP_TAGS, NOTHING},
        {"subprogram:25000 " CPP_TAGS, METHODS},
        {"typedef:6000 " CPP_TAGS, TYPEDEFS},
        {"reference_type:7000 " CPP_TAGS, DERIVED},
        {"template_type_parameter:5000 " CPP_TAGS, TEMPLATES},
        {"template_value_parameter:900 " CPP_TAGS, NUMBERS},
        {"imported_declaration:2000 " CPP_TAGS, IMPORTS},
        {"enumerator:3000 " CPP_TAGS, ENUMERATORS},
        {"structure_type:4000 " CPP_TAGS, STRUCTURES},
        {"inlined_subroutine:14000 " CPP_TAGS, INLINED},
    };
    const struct manner from = manner_usual();
    const struct debug_counts c = all_met_in_cpp();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct profile p = manner_profile("c++", "", cases[i].tags, "location:20000");
        const struct manner to = fitted_to(&from, &p, &c);
        const struct manner *const m[] = {&from, &to};
        unsigned number[2][KINDS];
        assert_true(can_fit(&p));
        assert_is_possible(&to);
        for (unsigned k = 0; k < 2; k++) {
            const unsigned numbers[KINDS] = {
                [METHODS] = m[k]->methods,         [TYPEDEFS] = m[k]->typedefs,
                [DERIVED] = m[k]->derived,         [TEMPLATES] = m[k]->templates,
                [NUMBERS] = m[k]->numbers,         [IMPORTS] = m[k]->taken,
                [ENUMERATORS] = m[k]->enumerators, [STRUCTURES] = m[k]->inner[INNER_STRUCTURE],
                [INLINED] = m[k]->inlined,         [CALLS] = m[k]->calls};
            memcpy(number[k], numbers, sizeof numbers);
        }
        if (cases[i].what == NOTHING)
            assert_memory_equal(number[0], number[1], sizeof number[0]);
        else
            assert_true(number[1][cases[i].what] > number[0][cases[i].what] * 9 / 8);
        assert_in_range(to.calls, from.calls * 2 / 3, from.calls * 9 / 8);
        profile_free(&p);
    }
}

/* Counts that no application has. */
static void nothing_goes_beyond_bounds(void **state)
{
    (void)state;
    static const char *const tags[] = {
        "",
        "x",
        "call_site:1",
        "call_site:1073741823 call_site_parameter:1073741823",
        HUGE_TAGS,
        "GNU_call_site:1073741823 inlined_subroutine:1 lexical_block:1",
        "member:1073741823",
        "enumerator:1073741823",
        "class_type:1 template_type_parameter:1073741823 template_value_parameter:1073741823",
        "structure_type:1 subprogram:1073741823 imported_declaration:1073741823 reference_type:1073741823",
    };
    static const char *const languages[] = {"c", "c++"};
    static const char *const attributes[] = {"", "location:1 sibling:1", "abstract_origin:1073741823"};
    const struct debug_counts c[] = {all_met(), all_met_in_cpp(), {.imports = 0}};
    const size_t counts = sizeof c / sizeof c[0];
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        for (size_t k = 0; k < sizeof attributes / sizeof attributes[0]; k++)
            for (size_t n = 0; n < 2 * counts; n++) {
                struct profile p = manner_profile(languages[n / counts], "", tags[i], attributes[k]);
                struct manner m = manner_usual();
                for (unsigned round = 0; round < 3; round++) {
                    m = fitted_to(&m, &p, &c[n % counts]);
                    assert_is_possible(&m);
                }
                assert_true(distance_of(&p, &c[n % counts]) >= 0 && distance_of(&p, &c[n % counts]) <= 1.0001);
                profile_free(&p);
            }
}

/* A search in which only the number of calls changes. */
struct trial {
    struct profile p;
    struct manner m;
    struct manner_search s;
    struct debug_counts c;
};

static struct trial trial_begin(const char *tags)
{
    return (struct trial){.p = profile_of(tags, ATTRIBUTES), .m = manner_usual(), .c = all_met()};
}

static bool try_with(struct trial *t, uint64_t calls)
{
    t->c.all[ABBREV_CALL_SITE] = calls;
    return search_next(&t->s, &t->p, &t->c, &t->m);
}

static void the_best_is_found_in_a_few_tries(void **state)
{
    (void)state;
    static const uint64_t calls[] = {5000, 7000, 4000, 3000, 2000, 1000, 500, 400};
    struct trial t = trial_begin(OTHERS " call_site:9000");
    struct manner best = t.m;
    unsigned tries = 0;
    bool goes_on = true;
    while (goes_on) {
        assert_true(tries < sizeof calls / sizeof calls[0]);
        best = tries == 1 ? t.m : best;
        goes_on = try_with(&t, calls[tries++]);
        assert_int_equal(t.s.is_best, tries <= 2);
    }
    assert_int_equal(tries, 6); /* the last four of which brought nothing */
    assert_memory_equal(&t.m, &best, sizeof best);
    /* a try that is near enough is the last */
    t.s = (struct manner_search){.tries = 0};
    assert_false(try_with(&t, 9000));
    assert_true(t.s.is_best);
    profile_free(&t.p);
}

/* If nothing can be made in a manner, half of the step is tried, and then half of that. */
static void what_cannot_be_made_is_too_far(void **state)
{
    (void)state;
    struct trial t = trial_begin(OTHERS " call_site:9000");
    const uint16_t usual = t.m.calls;
    assert_true(try_with(&t, 5000));
    uint16_t before = t.m.calls;
    for (unsigned tries = 1; tries < 4; tries++) {
        assert_true(search_next(&t.s, &t.p, NULL, &t.m));
        assert_false(t.s.is_best);
        assert_in_range(t.m.calls, usual + (before - usual) * 2 / 5, usual + (before - usual) * 3 / 5);
        before = t.m.calls;
    }
    assert_false(search_next(&t.s, &t.p, NULL, &t.m)); /* the fourth that brings nothing */
    assert_int_equal(t.m.calls, usual);
    profile_free(&t.p);
}

/* From the third try on, one that is far from the best is abandoned. Half of the step from the best is tried next. */
static void what_leads_nowhere_is_left(void **state)
{
    (void)state;
    struct trial t = trial_begin(OTHERS " call_site:9000");
    assert_true(try_with(&t, 5000));
    assert_true(try_with(&t, 6000));
    const struct manner best = t.m;
    assert_true(try_with(&t, 7000));
    assert_memory_equal(&t.s.best.manner, &best, sizeof best);
    const int whole = t.m.calls;
    assert_true(try_with(&t, 2000));
    assert_memory_equal(&t.s.last.manner, &best, sizeof best);
    assert_in_range(t.m.calls, (best.calls + whole) / 2 - 1, (best.calls + whole) / 2 + 1);
    const int half = t.m.calls;
    assert_true(try_with(&t, 7100)); /* the search goes on from there */
    assert_true(t.s.is_best && t.m.calls > half);
    profile_free(&t.p);
}

/* A number that is too small, and then too large by as much, ends between the two. */
static void what_turns_goes_half_as_far(void **state)
{
    (void)state;
    struct trial t = trial_begin(OTHERS " call_site:9000");
    const int from = t.m.calls;
    assert_true(try_with(&t, 5000));
    const int far = t.m.calls;
    assert_true(try_with(&t, 13000));
    const int near = t.m.calls;
    assert_true(from < near && near < far);
    const struct manner whole = fitted_to(&t.s.last.manner, &t.p, &t.c);
    assert_in_range(far - near, (far - whole.calls) / 2, (far - whole.calls) / 2 + 1);
    /* and one and a half times as far where it goes on, up to the whole way */
    assert_true(try_with(&t, 12000));
    const struct manner again = fitted_to(&t.s.last.manner, &t.p, &t.c);
    assert_in_range(near - t.m.calls, (near - again.calls) * 3 / 4 - 1, (near - again.calls) * 3 / 4 + 1);
    profile_free(&t.p);
}

/* A profile of a library in C, which says the entries of C, and of one in C++. */
static struct profile profile_of_both(const char *tags_cpp)
{
    static const char text[] =
        "pyelfgen-profile: 1\ndwarf: {language: c}\nlibraries:\n"
        "- {kind: utility, text: 90 kB, data: 1500, bss: 8, debug: 100 kB, symtab: 48, strtab: 9, functions: 106, "
        "dwarf: {version: 5, language: c, units: 10, dies: 100000}}\n"
        "- {kind: utility, text: 90 kB, data: 1500, bss: 8, debug: 100 kB, symtab: 48, strtab: 9, functions: 1006, "
        "dwarf: {version: 5, language: c++, units: 10, dies: 100000}}\n";
    struct profile p;
    struct error e = {0};
    if (!profile_parse(&p, text, strlen(text), "both", &e))
        fail_msg("%s", e.text);
    p.distributions[DISTRIBUTION_TAGS] = strdup(TAGS " class_type:9000 member:90000");
    p.distributions[DISTRIBUTION_ATTRIBUTES] = strdup(ATTRIBUTES);
    if (!tags_cpp)
        return p;
    char **const of = &p.distributions[DISTRIBUTION_OF_LANGUAGES];
    of[LANGUAGE_C * DISTRIBUTION_KINDS] = strdup(TAGS);
    of[LANGUAGE_C * DISTRIBUTION_KINDS + 2] = strdup(ATTRIBUTES);
    of[LANGUAGE_CPP * DISTRIBUTION_KINDS] = strdup(tags_cpp);
    of[LANGUAGE_CPP * DISTRIBUTION_KINDS + 2] = strdup("location:20000");
    return p;
}

/* What a profile says of a language is of the rows in that language. Languages without that are as the profile's. */
static void each_language_has_its_own_manner(void **state)
{
    (void)state;
    struct profile p = profile_of_both("typedef:6000 " CPP_TAGS);
    const struct manners m = profile_manners(&p);
    struct profile c = profile_of(TAGS, ATTRIBUTES);
    struct profile cpp = manner_profile("c++", "", "typedef:6000 " CPP_TAGS, "location:20000");
    cpp.row[0].value[ROW_FUNCTIONS] = 1006;
    const struct profile_entries of_c = profile_entries_of_all(&c);
    const struct profile_entries of_cpp = profile_entries_of_all(&cpp);
    const struct manner alone[] = {profile_manner(&of_c), profile_manner(&of_cpp)};
    assert_memory_equal(&m.of[LANGUAGE_C], &alone[0], sizeof alone[0]);
    assert_memory_equal(&m.of[LANGUAGE_CPP], &alone[1], sizeof alone[1]);
    assert_memory_equal(&m.of[LANGUAGE_FORTRAN], &alone[0], sizeof alone[0]);
    profile_free(&p);
    p = profile_of_both(NULL);
    struct manners same = profile_manners(&p);
    assert_memory_equal(&same.of[LANGUAGE_CPP], &same.of[LANGUAGE_C], sizeof same.of[0]);
    profile_free(&p);
    /* without those of the profile's own language, those of another say nothing: the rest would be of both */
    p = profile_of_both("typedef:6000 " CPP_TAGS);
    free(p.distributions[DISTRIBUTION_OF_LANGUAGES]);
    p.distributions[DISTRIBUTION_OF_LANGUAGES] = NULL;
    assert_false(profile_is_divided(&p, LANGUAGE_C) || profile_is_divided(&p, LANGUAGE_CPP));
    same = profile_manners(&p);
    assert_memory_equal(&same.of[LANGUAGE_CPP], &same.of[LANGUAGE_C], sizeof same.of[0]);
    assert_int_equal(profile_counted_as(&p, &p.row[1]), LANGUAGE_C);
    profile_free(&p);
    profile_free(&c);
    profile_free(&cpp);
}

/* One that is near ends, while another goes on. Both are of one set again when the latter ends. */
static void each_language_has_its_own_search(void **state)
{
    (void)state;
    struct profile p = profile_of_both("typedef:6000 " CPP_TAGS);
    struct manners m = profile_manners(&p);
    const struct manners first = m;
    struct manners_search s;
    struct debug_counts made[DEBUG_LANGUAGES] = {[LANGUAGE_C] = all_met(), [LANGUAGE_CPP] = all_met_in_cpp()};
    assert_true(manners_search_start(&s, &p));
    assert_true(manners_search_next(&s, made, &m));
    assert_false(s.goes_on[LANGUAGE_C] || s.goes_on[LANGUAGE_FORTRAN]);
    assert_memory_equal(&m.of[LANGUAGE_C], &first.of[LANGUAGE_C], sizeof first.of[0]);
    assert_memory_equal(&m.of[LANGUAGE_FORTRAN], &first.of[LANGUAGE_C], sizeof first.of[0]);
    assert_true(m.of[LANGUAGE_CPP].typedefs > first.of[LANGUAGE_CPP].typedefs);
    made[LANGUAGE_C] = (struct debug_counts){.imports = 9}; /* no longer looked at */
    made[LANGUAGE_CPP].all[ABBREV_TYPEDEF] *= 3;
    made[LANGUAGE_CPP].header[ABBREV_TYPEDEF] *= 3;
    unsigned tries = 2;
    while (manners_search_next(&s, made, &m))
        tries++;
    assert_in_range(tries, 2, MANNER_TRIES_MOST);
    assert_int_equal(s.tries, tries);
    assert_int_equal(s.is_best, s.of[LANGUAGE_CPP].is_best);
    assert_memory_equal(&m.of[LANGUAGE_C], &first.of[LANGUAGE_C], sizeof first.of[0]);
    const struct debug_counts best = manners_search_best(&s);
    assert_int_equal(best.all[ABBREV_CALL_SITE], 5000 + 1000); /* of C and of C++ */
    profile_free(&p);
    p = profile_of_both("");
    assert_int_equal(profile_counted_as(&p, &p.row[1]), LANGUAGE_CPP);
    p.row[1].value[ROW_DWARF_DIES] = 5000; /* a language of few entries is not searched, and counts all the same */
    assert_true(manners_search_start(&s, &p));
    made[LANGUAGE_C] = all_met();
    made[LANGUAGE_CPP] = all_met_in_cpp();
    assert_false(manners_search_next(&s, made, &m));
    assert_int_equal(manners_search_best(&s).all[ABBREV_CALL_SITE], 5000 + 1000);
    assert_true(manners_search_start(&s, &p));
    p.row[0].value[ROW_DWARF_DIES] = p.row[1].value[ROW_DWARF_DIES] = 1; /* too few entries to count */
    assert_false(manners_search_start(&s, &p));
    profile_free(&p);
}

/* The libraries of a sample stand for about as many bytes as there are. They have at most `most` bytes themselves. */
static void assert_sample(const uint64_t *bytes, uint32_t libraries, uint64_t most)
{
    struct manner_sampled sampled[100];
    const uint32_t count = manner_sample_choose(bytes, libraries, MANNER_SAMPLE_BYTES, sampled);
    uint64_t all = 0;
    uint64_t own = 0;
    uint64_t stands = 0;
    for (uint32_t i = 0; i < libraries; i++)
        all += bytes[i];
    for (uint32_t i = 0; i < count; i++) {
        assert_true(sampled[i].index < libraries && bytes[sampled[i].index]);
        assert_true(!i || sampled[i].index > sampled[i - 1].index);
        own += bytes[sampled[i].index];
        stands += bytes[sampled[i].index] * sampled[i].times / COUNT_ONCE;
    }
    assert_int_equal(count == 0, all == 0);
    assert_in_range(stands, all / 3, all * 5 / 3);
    assert_in_range(own, 0, most);
}

static void samples_stand_for_all(void **state)
{
    (void)state;
    enum { MB = 1000000 };
    uint64_t bytes[100] = {0};
    assert_sample(bytes, 0, 0);
    assert_sample(bytes, 5, 0);
    for (unsigned i = 0; i < 100; i++)
        bytes[i] = MB;
    assert_sample(bytes, 100, UINT64_C(100) * MB); /* all are in the sample */
    for (unsigned i = 0; i < 100; i++)
        bytes[i] = UINT64_C(30) * MB;
    assert_sample(bytes, 100, UINT64_C(200) * MB);
    bytes[7] = UINT64_C(590) * MB;
    bytes[8] = 0;
    assert_sample(bytes, 100, UINT64_C(900) * MB);
    for (unsigned count = 1; count < 12; count++)
        for (unsigned each = 310; each < 600; each += 17) {
            for (unsigned i = 0; i < count; i++)
                bytes[i] = UINT64_C(1) * each * MB;
            assert_sample(bytes, count, UINT64_C(2) * each * MB);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_is_half_of_what_differs), cmocka_unit_test(what_is_met_stays),
        cmocka_unit_test(what_lacks_becomes_more),          cmocka_unit_test(headers_of_cpp_become_alike),
        cmocka_unit_test(nothing_goes_beyond_bounds),       cmocka_unit_test(the_best_is_found_in_a_few_tries),
        cmocka_unit_test(what_cannot_be_made_is_too_far),   cmocka_unit_test(what_leads_nowhere_is_left),
        cmocka_unit_test(what_turns_goes_half_as_far),      cmocka_unit_test(samples_stand_for_all),
        cmocka_unit_test(each_language_has_its_own_manner), cmocka_unit_test(each_language_has_its_own_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
