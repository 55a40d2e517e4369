/* libFuzzer target of pyelfstat --compare: any text as a captured profile. It is compared with itself and with another
 * profile; the results are written as JSON and as a page. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char other[] =
    "pyelfgen-profile: 1\ncaptured: {from: files, libraries: 2, unreadable: 0}\n"
    "distributions: {function-sizes: '0:3 16:2', tags: 'b:2 a:1 others:0'}\nlibraries:\n"
    "- {kind: module, name: 'a', text: 2000, data: 5, bss: 0, functions: 3, plt: 0, symtab: 48,\n"
    "   dynamic: {functions: 3, dynstr: 9}, needed: '1:7', outside: 1, share: {code: 1500},\n"
    "   function-sizes: '1 2*19 3', zstd: {text: 5}, dwarf: {dies: 5, sampled: 12}, mix: {info: 9}}\n"
    "- {kind: utility, name: b, text: 5, bss: 0, hash: sysv, outside: 0}\n";

static bool read_side(struct comparison *c, int side, const void *text, size_t size)
{
    struct error e = {0};
    FILE *from = fmemopen((void *)(uintptr_t)text, size, "r");
    bool ok = from && compare_read_profile(c->compare, "fuzz.prof", from, &c->keys, &c->side[side], &e);
    assert(ok || !from || (e.code != ERROR_NONE && e.text[0]));
    c->side[side].path = "fuzz.prof";
    if (from)
        fclose(from);
    return ok;
}

static void compare_sides(struct comparison *c)
{
    struct error e;
    assert(compare_match(&c->compare->report.arena, c->side, c->compare->options.match, &c->pairs));
    compare_quantities(c);
    assert(c->set.count == c->set.states[STATE_EQUAL] + c->set.states[STATE_WITHIN] + c->set.states[STATE_OFF]);
    assert(compare_write_json(c, &e));
    assert(compare_write_html(c, &e));
}

/* Compares two sides. Each is the input or the other profile. */
static void run(const uint8_t *data, size_t size, bool real_is_other, bool twin_is_other)
{
    struct compare *compare = calloc(1, sizeof *compare);
    struct comparison *c = calloc(1, sizeof *c);
    assert(compare && c);
    c->compare = compare;
    compare->options = (struct compare_options){.json = "/dev/null", .html = "/dev/null", .tolerance = 0.05};
    compare_start(compare, &c->keys);
    bool ok = real_is_other ? read_side(c, REAL, other, sizeof other - 1) : read_side(c, REAL, data, size);
    ok = ok && (twin_is_other ? read_side(c, TWIN, other, sizeof other - 1) : read_side(c, TWIN, data, size));
    if (ok)
        compare_sides(c);
    if (ok && !real_is_other && !twin_is_other)
        assert(compare_agrees(c));
    compare_free(c);
    arena_free(&compare->report.arena);
    free(compare);
    free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run(data, size, false, false);
    run(data, size, true, false);
    run(data, size, false, true);
    return 0;
}
