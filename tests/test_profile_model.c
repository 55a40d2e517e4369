/* emit/profile/model: the same application on a smaller scale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "emit/profile/model.h"

/* Two large libraries, of 10 and of 2 times MODEL_BYTES of debug information, and a small one, which need one
 * another. */
#define HEAD                                                                                                           \
    "pyelfgen-profile: 1\n"                                                                                            \
    "captured: {from: files, libraries: 3, unreadable: 0}\n"                                                           \
    "libraries:\n"
#define LARGE                                                                                                          \
    "- {kind: utility, text: 9000000, data: 1000, bss: 10, debug: 240000000, symtab: 24000, strtab: 90000,"            \
    " functions: 5000, dynamic: {functions: 4000, undefined: 3, weak: 0}, relocations: {relative: 700}, plt: 1200,"    \
    " outside: 2, used: 600, page: 65536, needed: '2:9 1:40', name-lengths: '5 20*9 40',"                              \
    " dwarf: {version: 5, units: 25, uneven: 170, dies: 9000000}, mix: {info: 200000000}, zstd: {text: 8000000}}\n"
#define MIDDLE                                                                                                         \
    "- {kind: utility, text: 200000, data: 100, debug: 50000000, symtab: 2400, strtab: 900, functions: 60,"            \
    " dwarf: {version: 4, units: 1}}\n"
#define SMALL                                                                                                          \
    "- {kind: utility, text: 200000, data: 100, debug: 47000000, symtab: 2400, strtab: 900, functions: 60,"            \
    " needed: '0:500 1:7'}\n"

static struct profile parsed(const char *text)
{
    struct profile p;
    struct error e = {0};
    if (!profile_parse(&p, text, strlen(text), "model.prof", &e))
        fail_msg("%s", e.text);
    return p;
}

static void assert_value(const struct profile *p, uint32_t row, enum row_value v, int64_t value)
{
    assert_int_equal(p->row[row].value[v], value);
}

static void large_libraries_are_a_fraction(void **state)
{
    (void)state;
    struct profile p = parsed(HEAD LARGE MIDDLE SMALL);
    struct profile model;
    assert_true(profile_model_helps(&p));
    assert_true(profile_model_make(&model, &p, NULL));
    assert_int_equal(model.row[0].scale, 10);
    assert_value(&model, 0, ROW_TEXT, 900000);
    assert_value(&model, 0, ROW_DEBUG, 24000000);
    assert_value(&model, 0, ROW_BSS, 1);
    assert_value(&model, 0, ROW_FUNCTIONS, 500);
    assert_value(&model, 0, ROW_DYNAMIC_FUNCTIONS, 400);
    assert_value(&model, 0, ROW_DYNAMIC_UNDEFINED, 1); /* what there is at all stays */
    assert_value(&model, 0, ROW_DYNAMIC_WEAK, 0);
    assert_value(&model, 0, ROW_RELATIVE, 70);
    assert_value(&model, 0, ROW_USED, 60);
    assert_value(&model, 0, ROW_DWARF_UNITS, 2);
    assert_value(&model, 0, ROW_DWARF_DIES, 900000);
    assert_value(&model, 0, ROW_MIX_INFO, 20000000);
    assert_value(&model, 0, ROW_ZSTD_TEXT, 800000);
    /* averages, switches and what is left out are as they were */
    assert_value(&model, 0, ROW_OUTSIDE, 2);
    assert_value(&model, 0, ROW_PAGE, 65536);
    assert_value(&model, 0, ROW_DWARF_VERSION, 5);
    assert_value(&model, 0, ROW_DWARF_UNEVEN, 170);
    assert_value(&model, 0, ROW_MIX_LINE, PROFILE_DERIVED);
    assert_string_equal(model.row[0].text[ROW_TEXT_NAME_LENGTHS], "5 20*9 40");
    assert_int_equal(model.row[1].scale, 2);
    assert_value(&model, 1, ROW_DWARF_UNITS, 1);
    /* the small one is as it was, but takes no more from others than these have */
    assert_int_equal(model.row[2].scale, 0);
    assert_memory_equal(model.row[2].value, p.row[2].value, sizeof p.row[2].value);
    assert_int_equal(model.row[2].edge[0].symbols, 50);
    assert_int_equal(model.row[2].edge[1].symbols, 3);
    assert_int_equal(model.row[0].edge[0].symbols, 1); /* 9, of which one in ten would be none */
    assert_int_equal(model.row[0].edge[1].symbols, 4);
    /* sums are those of the model, and the profile itself is as it was */
    assert_int_equal(model.sections[SIZE_TEXT], 900000 + 100000 + 200000);
    assert_int_equal(model.sections[SIZE_DEBUG], 24000000 + 25000000 + 47000000);
    assert_int_equal(model.sections[SIZE_BSS], PROFILE_DERIVED);
    assert_int_equal(p.sections[SIZE_TEXT], 9400000);
    assert_int_equal(p.row[0].edge[1].symbols, 40);
    assert_int_equal(p.row[0].scale, 0);
    profile_model_free(&model);
    profile_model_free(&model); /* empty now */
    profile_free(&p);
}

static void small_libraries_need_no_model(void **state)
{
    (void)state;
    struct profile p = parsed(HEAD MIDDLE MIDDLE SMALL);
    assert_true(profile_model_helps(&p));
    p.row[0].value[ROW_DEBUG] = PROFILE_DERIVED;
    p.row[1].value[ROW_DEBUG] = 2 * MODEL_BYTES - 1;
    assert_false(profile_model_helps(&p));
    for (uint32_t i = 0; i < p.rows; i++)
        assert_int_equal(profile_model_scale(&p.row[i]), 1);
    profile_free(&p);
}

/* What such a row says is not what was captured, and changes again (profile_unsplit). */
static void split_libraries_have_none(void **state)
{
    (void)state;
    struct profile p =
        parsed(HEAD LARGE "- {kind: utility, text: 200000, data: 100, debug: 47000, symtab: 2400, strtab: 900,"
                          " functions: 60, dwarf: {version: 5, units: 5}, mix: {info: 30000},"
                          " dwo: {files: 5, info: 1000000}}\n"
                          "- {kind: utility, text: 2000, data: 10, debug: 0, symtab: 240, strtab: 90}\n");
    assert_true(profile_model_helps(&p));
    assert_true(profile_unsplit(&p, NULL));
    assert_false(profile_model_helps(&p));
    profile_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_libraries_are_a_fraction),
        cmocka_unit_test(small_libraries_need_no_model),
        cmocka_unit_test(split_libraries_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
