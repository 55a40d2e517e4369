/* elf/write/layout.h: which sections are of which kind, by their order in the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "elf/write/layout.h"

static bool is_debug(const char *name)
{
    static const char dwo[] = ".dwo", index[] = "_index";
    const size_t length = strlen(name);
    return strncmp(name, ".debug_", 7) == 0 && strcmp(name + length - (sizeof dwo - 1), dwo) != 0 &&
           strcmp(name + length - (sizeof index - 1), index) != 0;
}

static void test_order_of_kinds(void **state)
{
    (void)state;
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++) {
        const struct section_kind *k = layout_kind(id);
        assert_int_equal((k->flags & SHF_ALLOC) != 0, id < SECTION_UNLOADED);
        assert_int_equal(is_debug(k->name), id >= SECTION_DEBUG_FIRST && id <= SECTION_DEBUG_LAST);
        assert_int_equal(strcmp(k->name, ".shstrtab") == 0, id > SECTION_SEPARATE_LAST);
    }
}

/* Each section counts in one size at most, by what the linker's size(1) and users count. */
static void test_sizes_of_kinds(void **state)
{
    (void)state;
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++) {
        struct layout l = {0};
        l.section[id].size = 8;
        const struct section_kind *k = layout_kind(id);
        const struct layout_sizes sizes = layout_count(&l);
        const bool is_loaded = k->flags & SHF_ALLOC, is_writable = k->flags & SHF_WRITE;
        const bool is_empty = k->type == SHT_NOBITS;
        assert_int_equal(sizes.text, is_loaded && !is_writable ? 8 : 0);
        assert_int_equal(sizes.data, is_loaded && is_writable && !is_empty ? 8 : 0);
        assert_int_equal(sizes.bss, is_empty ? 8 : 0);
        assert_int_equal(sizes.debug, is_debug(k->name) ? 8 : 0);
        assert_int_equal(sizes.symtab, id == SECTION_SYMTAB ? 8 : 0);
        assert_int_equal(sizes.strtab, id == SECTION_STRTAB ? 8 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_kinds),
        cmocka_unit_test(test_sizes_of_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
