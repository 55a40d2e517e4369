/* emit/stock/profile_manner: what tags, attributes and forms say about how headers and blocks are made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dwarf/corpus/corpus.h"
#include "emit/stock/profile_manner.h"
#include "manner_case.h"

static struct manner manner_of(const struct profile *p)
{
    const struct profile_entries said = profile_entries_of_all(p);
    return profile_manner(&said);
}

static bool has_one_file(const struct profile *p)
{
    const struct profile_entries said = profile_entries_of_all(p);
    return profile_has_one_file(&said);
}

static bool has_several_files(const struct profile *p)
{
    const struct profile_entries said = profile_entries_of_all(p);
    return profile_has_several_files(&said);
}

static struct manner manner_for(const char *language, const char *row, const char *tags, const char *attributes)
{
    struct profile p = manner_profile(language, row, tags, attributes);
    const struct manner m = manner_of(&p);
    profile_free(&p);
    assert_pieces_are_all(&m);
    return m;
}

/* The tags of a hundred structures made in the usual manner, for 10 units and 100 functions. */
#define USUAL_TYPES                                                                                                    \
    "array_type:33 const_type:33 enumeration_type:4 member:560 pointer_type:103 restrict_type:1 structure_type:100 "   \
    "subprogram:470 subroutine_type:34 typedef:103 union_type:2 atomic_type:3"
#define USUAL_CODE "call_site:1000 call_site_parameter:1660 inlined_subroutine:720 lexical_block:390 variable:1900"

static void is_usual(void **state)
{
    (void)state;
    const struct manner usual = manner_usual();
    const struct manner none = manner_for("c", "", "", "");
    assert_memory_equal(none.piece, usual.piece, sizeof usual.piece);
    assert_int_equal(none.inlined, MANNER_USUAL);
    const struct manner m = manner_for("c", "", USUAL_TYPES " " USUAL_CODE, "inline:320");
    assert_memory_equal(m.piece, usual.piece, sizeof usual.piece);
    assert_int_equal(m.members, usual.members);
    assert_int_equal(m.unnamed, usual.unnamed);
    assert_int_equal(m.inlines, usual.inlines);
    assert_int_equal(m.inlined, usual.inlined);
    assert_int_equal(m.lexical, usual.lexical);
    assert_int_equal(m.passed, 0);
    assert_int_equal(m.told, usual.told);
    assert_int_equal(m.locals, usual.locals);
    assert_int_equal(m.entries, usual.entries);
    assert_int_equal(none.own, MANNER_USUAL);
    assert_true(none.labels);
}

static void needs_many(void **state)
{
    (void)state;
    static const char text[] = "pyelfgen-profile: 1\ndistributions: {tags: 'call_site:99', attributes: 'inline:5'}\n"
                               "libraries:\n- {kind: module, functions: 9, dwarf: {units: 10, dies: %d}}\n";
    for (unsigned many = 0; many < 2; many++) {
        char made[sizeof text + 16];
        struct profile p;
        struct error e = {0};
        const int size = snprintf(made, sizeof made, text, many ? 10000 : 9999);
        assert_true(profile_parse(&p, made, (size_t)size, "manner", &e));
        assert_int_equal(manner_of(&p).inlined, many ? 0 : MANNER_USUAL);
        profile_free(&p);
    }
}

static void follows_headers(void **state)
{
    (void)state;
    const struct manner usual = manner_usual();
    const struct manner m =
        manner_for("c", "", "structure_type:100 member:1000 typedef:10 subprogram:1000", "inline:20");
    assert_int_equal(m.inlines, 2);
    assert_int_equal(m.unnamed, 0);
    assert_true(m.members > usual.members);
    assert_int_equal(m.piece[PIECE_ARRAY], 0);
    assert_int_equal(m.piece[PIECE_RESTRICT], 0);
    assert_true(m.piece[PIECE_FUNCTION] > m.piece[PIECE_STRUCTURE]);
    const struct manner cpp = manner_for("c++", "", "structure_type:100 member:1000 subprogram:1000", "inline:20");
    assert_memory_equal(cpp.piece, usual.piece, sizeof usual.piece);
    assert_int_equal(cpp.inlines, usual.inlines);
    assert_true(cpp.members > usual.members);
    assert_int_equal(cpp.taken, 0);
    static const struct {
        unsigned imported, taken;
    } shares[] = {{110, MANNER_USUAL}, {200, 2 * MANNER_USUAL}, {999, MANNER_TAKEN}};
    for (unsigned i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        char tags[80];
        snprintf(tags, sizeof tags, "imported_declaration:%u subprogram:1000", shares[i].imported);
        assert_int_equal(manner_for("c++", "", tags, "").taken, shares[i].taken);
        assert_int_equal(manner_for("c", "", tags, "").taken, MANNER_USUAL);
    }
}

static void follows_code(void **state)
{
    (void)state;
    struct manner m =
        manner_for("c", "", "call_site:1000 call_site_parameter:3000 lexical_block:780 variable:1000", "");
    assert_int_equal(m.inlined, 0);
    assert_int_equal(m.lexical, 2 * MANNER_USUAL);
    assert_int_equal(m.passed, 2 * MANNER_USUAL);
    assert_int_equal(m.told, MANNER_USUAL);
    assert_true(m.calls > MANNER_USUAL);
    assert_true(m.own < MANNER_USUAL);
    assert_false(m.labels);
    assert_true(m.ending > 0 && m.ending < MANNER_USUAL);
    assert_true(manner_for("c", "", "call_site:1000 label:10", "").labels);
    assert_int_equal(m.locals, 1);
    m = manner_for("c", "", "call_site:1000 call_site_parameter:1330", "");
    assert_int_equal(m.told, MANNER_USUAL / 2);
    assert_int_equal(manner_for("c", "", "call_site:1000 call_site_parameter:9", "").told, 0);
    m = manner_for("c++", "", "GNU_call_site:1000 inlined_subroutine:3000 lexical_block:1000", "");
    assert_int_equal(m.inlined, MANNER_USUAL / 2 * 6 / 5);
    assert_int_equal(m.calls, MANNER_USUAL);
    assert_int_equal(m.lexical, MANNER_USUAL / 2);
    assert_int_equal(m.spread, MANNER_USUAL);
    assert_false(m.fuller);
    assert_false(manner_for("c++", "", "call_site:1000 variable:1000", "").fuller); /* nothing was inlined */
    /* 100 functions and 1000 calls take 20400 bytes of .debug_info */
    m = manner_for("c", ", mix: {info: 81600 B}", "call_site:1000", "");
    assert_int_equal(m.entries, MANNER_USUAL / 4);
    assert_int_equal(m.imports, 1);
    m = manner_for("c", ", mix: {info: 40000 B}", "call_site:1000 partial_unit:100 imported_unit:950", "");
    assert_int_equal(m.imports, 10);
    assert_int_equal(m.entries, manner_usual().entries);
    m = manner_for("c", ", mix: {info: 22000 B}", "call_site:1000", "");
    assert_true(m.entries > manner_usual().entries && m.entries < MANNER_USUAL);
}

/* In C++ the ranges and variables of a thousand inlined calls count, in C they do not. */
static void follows_inlined(void **state)
{
    (void)state;
    static const struct {
        const char *language, *tags, *attributes;
        bool spread, fuller;
    } cases[] = {{"c++", "lexical_block:500 variable:400", "ranges:660 abstract_origin:9999", false, false},
                 {"c++", "lexical_block:500 variable:401", "ranges:661", true, true},
                 {"c", "partial_unit:9 variable:999", "abstract_origin:4001 ranges:999", false, false}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char tags[128];
        snprintf(tags, sizeof tags, "call_site:200 inlined_subroutine:1000 %s", cases[i].tags);
        const struct manner m = manner_for(cases[i].language, "", tags, cases[i].attributes);
        assert_int_equal(m.spread > MANNER_USUAL, cases[i].spread);
        assert_int_equal(m.fuller, cases[i].fuller);
    }
    /* 100 functions and 500 inlined calls take 33400 bytes of .debug_info, in C less */
    static const char few[] = "call_site:1 inlined_subroutine:500";
    assert_int_equal(manner_for("c++", ", mix: {info: 66800 B}", few, "").entries, MANNER_USUAL / 2);
    assert_int_equal(manner_for("c", ", mix: {info: 66800 B}", few, "").entries, MANNER_USUAL * 7 / 16);
}

/* Large applications in C++ have much inlined in little code, long enumerations, and many names. */
static void follows_large(void **state)
{
    (void)state;
    static const char few[] = "call_site:1000 inlined_subroutine:1000";
    static const struct {
        const char *row;
        unsigned inlined; /* by calls or by code, whichever says more; in steps by the square root of two */
    } codes[] = {{"", 11},
                 {", share: {code: 1000000 B}", 11},
                 {", share: {code: 13100 B}", 45},
                 {", share: {code: 6535 B}", 64}};
    for (unsigned i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        assert_int_equal(manner_for("c++", codes[i].row, few, "").inlined, codes[i].inlined * 6 / 5);
        assert_int_equal(manner_for("c", codes[i].row, few, "").inlined, 91);
    }
    assert_int_equal(manner_for("c++", "", "class_type:1000 enumerator:1700", "").enumerators, MANNER_USUAL);
    assert_int_equal(manner_for("c++", "", "class_type:1000 enumerator:2000", "").enumerators, 8 * MANNER_USUAL);
    assert_int_equal(manner_for("c++", "", "class_type:1 enumerator:2000", "").enumerators, MANNER_ENUMERATORS);
    assert_int_equal(manner_for("c", "", "structure_type:1000 enumerator:9000", "").enumerators, MANNER_USUAL);
}

/* Sets *p to a profile with these forms, attributes and tags. The caller frees it. */
static void with_forms(const char *forms, const char *attributes, const char *tags, struct profile *p)
{
    char text[512];
    struct error e = {0};
    const int size = snprintf(text, sizeof text,
                              "pyelfgen-profile: 1\ndistributions: {tags: '%s', attributes: '%s', forms: '%s'}\n"
                              "libraries:\n- {kind: module, functions: 9, dwarf: {units: 10, dies: 100000}}\n",
                              tags, attributes, forms);
    if (!profile_parse(p, text, (size_t)size, "forms", &e))
        fail_msg("%s", e.text);
}

/* Further headers besides those that line tables name follow from the bytes of names. */
static void follows_names(void **state)
{
    (void)state;
    static const struct {
        const char *language, *bytes; /* of .debug_str */
        unsigned further;
    } cases[] = {{"c++", "2200000 B", 0}, {"c++", "3 MB", 4}, {"c++", "3 GB", CORPUS_FURTHER}, {"c", "3 MB", 0}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        struct profile p;
        struct error e = {0};
        const int size = snprintf(
            text, sizeof text,
            "pyelfgen-profile: 1\ndwarf: {language: %s}\n"
            "distributions: {tags: 'call_site:9', attributes: 'name:1'}\nlibraries:\n"
            "- {kind: module, text: 1 MB, data: 1 kB, debug: 4 GB, functions: 9, dwarf: {units: 10, dies: 100000}, "
            "mix: {str: %s}}\n",
            cases[i].language, cases[i].bytes);
        if (!profile_parse(&p, text, (size_t)size, "names", &e))
            fail_msg("%s", e.text);
        assert_int_equal(manner_of(&p).further, cases[i].further);
        profile_free(&p);
    }
}

/* The share of all entries that belongs to a hundred functions, each of which has two parameters. */
static void counts_functions_entries(void **state)
{
    (void)state;
    struct manner m =
        manner_for("c", "", "call_site:5000 call_site_parameter:5000 variable:9700 formal_parameter:9000", "");
    assert_int_equal(m.defined, MANNER_USUAL / 5);
    m = manner_for("c++", "", "inlined_subroutine:20000 formal_parameter:30100 member:9000", "");
    assert_int_equal(m.defined, MANNER_USUAL / 2);
    assert_int_equal(manner_for("c", "", "variable:200000", "").defined, MANNER_USUAL);
}

/* The lines of a hundred members and as many typedefs. */
static void follows_lines(void **state)
{
    (void)state;
    static const struct {
        const char *forms;
        unsigned low;
    } cases[] = {{"data1:999", MANNER_LOWS},
                 {"data2:250", MANNER_LOWS / 4},
                 {"data2:130 data4:20", MANNER_LOWS * 3 / 4},
                 {"data2:300", 0},
                 {"data2:900", 0}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct profile p;
        with_forms(cases[i].forms, "decl_line:200 call_line:100", "member:100 typedef:100", &p);
        assert_int_equal(manner_of(&p).low, cases[i].low);
        profile_free(&p);
    }
}

/* What dwz leaves: ends of functions in DW_FORM_udata, and lines of one byte. Of 600 lines 200 are of declarations;
 * `lows` is the share of the other 400 that take one byte. */
static void follows_partial_units(void **state)
{
    (void)state;
    static const struct {
        const char *tags, *forms;
        bool shortest;
        unsigned lows;
    } cases[] = {{"member:200 partial_unit:9", "udata:75 data2:300", true, MANNER_USUAL / 4},
                 {"member:200 partial_unit:9", "udata:74 data2:390", false, 0},
                 {"member:200 partial_unit:9", "udata:100 data2:30", true, MANNER_USUAL * 15 / 16},
                 {"member:200 partial_unit:9", "udata:100 data2:399 data4:201", true, 0},
                 {"member:200 compile_unit:9", "udata:100 data2:300", false, 0}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct profile p;
        with_forms(cases[i].forms, "high_pc:100 decl_line:600", cases[i].tags, &p);
        assert_int_equal(manner_of(&p).shortest, cases[i].shortest);
        assert_int_equal(manner_of(&p).lows, cases[i].lows);
        profile_free(&p);
    }
}

static void follows_forms(void **state)
{
    (void)state;
    static const struct {
        const char *forms;
        unsigned brief;
        bool one_file;
    } cases[] = {{"string:10", 1, false},
                 {"string:30 implicit_const:66", 3, false},
                 {"string:50 implicit_const:68", 6, true},
                 {"string:80 implicit_const:18446744073709551615", 9, true}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct profile p;
        with_forms(cases[i].forms, "name:100 decl_file:100", "call_site:9", &p);
        assert_int_equal(manner_of(&p).brief, cases[i].brief);
        assert_int_equal(has_one_file(&p), cases[i].one_file);
        profile_free(&p);
    }
    struct profile p;
    with_forms("ref_addr:60", "abstract_origin:100", "call_site:9", &p);
    assert_true(manner_of(&p).far);
    profile_free(&p);
    with_forms("ref_addr:40", "abstract_origin:100", "call_site:9", &p);
    assert_false(manner_of(&p).far);
    profile_free(&p);
    with_forms("string:50 implicit_const:50", "type:5", "call_site:9", &p);
    assert_int_equal(manner_of(&p).brief, 9);
    assert_true(has_one_file(&p));
    profile_free(&p);
}

/* 100 entries name a file, and 60 of them have a line below 256. If less than half as many abbreviations have the file
 * as a constant, units declare things in several headers. If two in three constants are there, only the declarations of
 * headers count, because the other entries are of one source. */
static void several_headers_leave_no_constants(void **state)
{
    (void)state;
    static const struct {
        const char *forms, *tags;
        bool several;
    } cases[] = {
        {"data2:40", "call_site:9", true},
        {"data2:40 implicit_const:29", "call_site:9", true},
        {"data2:40 implicit_const:30", "call_site:9", false},
        {"data2:40 implicit_const:60", "call_site:9", false},
        {"data2:40 implicit_const:69", "call_site:9 pointer_type:20 enumeration_type:10", true},
        {"data2:40 implicit_const:79", "call_site:9 pointer_type:20 enumeration_type:10", false},
        {"data2:100", "call_site:9", false}, /* no early line */
        {"data2:101", "call_site:9", false},
        {"data2:40 implicit_const:18446744073709551615", "pointer_type:18446744073709551615", true},
        /* 30 are declared in headers, the others in one source */
        {"data2:40 implicit_const:84", "member:30", true},
        {"data2:40 implicit_const:85", "member:30", false},
        {"data2:40 implicit_const:84", "member:30 partial_unit:1", false},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct profile p;
        with_forms(cases[i].forms, "name:100 decl_file:100", cases[i].tags, &p);
        if (has_several_files(&p) != cases[i].several)
            fail_msg("%s", cases[i].forms);
        profile_free(&p);
    }
}

static void survives_what_is_no_count(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "structure_type:18446744073709551615 typedef:99999999999999999999999 subprogram:-1 member:18446744073709551615",
        "structure_type: structure_type:: structure_type:x structure_type",
        "my_structure_type:5 structure_types:5",
        "structure_type:1 restrict_type:1000000000",
        "call_site:1 inlined_subroutine:1073741824 call_site_parameter:1073741824 lexical_block:1073741824 variable:1",
        "member:5 union_type:3",
    };
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct manner m = manner_for("c", "", texts[i], "inline:999999999999");
        assert_int_equal(m.inlines, 32);
        assert_true(m.unnamed <= 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_usual),
        cmocka_unit_test(needs_many),
        cmocka_unit_test(follows_headers),
        cmocka_unit_test(follows_code),
        cmocka_unit_test(follows_inlined),
        cmocka_unit_test(follows_large),
        cmocka_unit_test(follows_partial_units),
        cmocka_unit_test(follows_forms),
        cmocka_unit_test(several_headers_leave_no_constants),
        cmocka_unit_test(follows_lines),
        cmocka_unit_test(follows_names),
        cmocka_unit_test(counts_functions_entries),
        cmocka_unit_test(survives_what_is_no_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
