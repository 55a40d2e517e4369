/* Profiles as a whole: what is understood, and what is refused, with which message and on which line. Values of single
 * keys are in test_profile_values.c. */
#include "profile_text.h"

static void refuses_what_is_no_profile(void **state)
{
    (void)state;
    static const char empty[] = "the profile is empty; it needs pyelfgen-profile, modules, and sections or functions";
    static const char no_mapping[] = "the profile is not a mapping; write 'key: value', as in 'modules: 280'";
    const struct wrong wrong[] = {
        {"", 0, empty},
        {"# nothing\n\n", 0, empty},
        {"---\n", 0, empty},
        {"--- ''\n", 0, empty},
        {"\n42\n", 2, no_mapping},
        {"- modules: 3\n", 1, no_mapping},
        {HEAD "---\nmodules: 3\n", 4, "a second document begins here; a profile is one document"},
        {HEAD "...\nx\n", 5,
         "is not valid YAML: did not find expected <document start>; correct the punctuation or the indentation here"},
        {HEAD "seed: \xff\n", 4, "is not UTF-8 text (invalid leading UTF-8 octet); is it a profile?"},
        {HEAD "application: a\x01\x62\n", 4,
         "is not UTF-8 text (control characters are not allowed); is it a profile?"},
        {"\177ELF\2\1\1", 1, "is not UTF-8 text (control characters are not allowed); is it a profile?"},
        {HEAD "application: \"a\\0b\"\n", 4, "the text has a NUL character (\\0) inside; remove it"},
        {HEAD "\"a\\0b\": 3\n", 4, "the text has a NUL character (\\0) inside; remove it"},
    };
    ALL_REFUSED(wrong);
    static const char elf[] = "\177ELF\2\1\1\0\0\0";
    static const char zero[] = "is not text: it has a NUL byte on this line; a profile is UTF-8 text";
    assert_refused(elf, sizeof elf, 1, zero);
    static const char late[] = HEAD "seed: 4\0002\n";
    assert_refused(late, sizeof late - 1, 4, zero);
    static const char utf16[] = "\xff\xfe\xe9\xe9:";
    assert_refused(utf16, sizeof utf16 - 2, 1, "is UTF-16 text; save it as UTF-8");

    size_t size = (1 << 26) + 1;
    char *large = malloc(size);
    memset(large, '#', size);
    assert_refused(large, size, 0, "is larger than 64 MiB, the most that a profile may be");
    assert_refused(large, size - 1, 0, empty);
    free(large);
}

static void refuses_wrong_syntax(void **state)
{
    (void)state;
    const struct wrong wrong[] = {
        {HEAD "calls: {depth: 3\n", 4,
         "is not valid YAML: while parsing a flow mapping, did not find expected ',' or '}'; correct the punctuation "
         "or the indentation here"},
        {"# caf\u00e9 \u00e9\u00e9\u00e9\n" HEAD "calls: {depth: 3\n", 5,
         "is not valid YAML: while parsing a flow mapping, did not find expected ',' or '}'; correct the punctuation "
         "or the indentation here"},
        {HEAD "calls: {depth: 3", 4,
         "is not valid YAML: while parsing a flow mapping, did not find expected ',' or '}'; correct the punctuation "
         "or the indentation here"},
        {HEAD "seed 3\n", 4,
         "is not valid YAML: while scanning a simple key, could not find expected ':'; correct the punctuation or the "
         "indentation here"},
        {HEAD "\tseed: 3\n", 4,
         "is not valid YAML: while scanning a plain scalar, found a tab character that violates indentation; correct "
         "the punctuation or the indentation here"},
        {HEAD "seed: 'x\n", 4,
         "is not valid YAML: while scanning a quoted scalar, found unexpected end of stream; correct the punctuation "
         "or the indentation here"},
        {HEAD "seed: &s 3\n", 4, "anchors and aliases (& and *) are not supported; write the value out"},
        {HEAD "seed: *s\n", 4, "anchors and aliases (& and *) are not supported; write the value out"},
        {HEAD "calls: &c {depth: 3}\n", 4, "anchors and aliases (& and *) are not supported; write the value out"},
        {HEAD "seed: !!int 3\n", 4, "tags (!) are not supported; remove it, or put the text into quotes"},
        {HEAD "calls: !c {depth: 3}\n", 4, "tags (!) are not supported; remove it, or put the text into quotes"},
        {HEAD "seed: !s []\n", 4, "tags (!) are not supported; remove it, or put the text into quotes"},
        {"%YAML 1.1\n---\n" HEAD, 1, "YAML directives (% at the start of a line) are not supported; remove it"},
        {"\xc2\x85%TAG !a! x:\n---\n" HEAD, 1,
         "YAML directives (% at the start of a line) are not supported; remove it"},
        {HEAD "...\n%TAG !a! x:\n", 5, "YAML directives (% at the start of a line) are not supported; remove it"},
        {HEAD "? [a]\n: b\n", 4, "a list or a mapping stands where a key should be; write 'key: value'"},
        {HEAD "seed: [3]\n", 4, "seed: is a list or a mapping; write a single value"},
        {HEAD "elf:\n  bind: {now: 3}\n", 5, "elf: bind: is a list or a mapping; write a single value"},
        {HEAD "calls: 3\n", 4, "calls: needs keys and values below it, or in braces: calls: {key: value}"},
        {HEAD "calls:\nseed: 3\n", 4, "calls: needs keys and values below it, or in braces: calls: {key: value}"},
        {HEAD "calls: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n", 4,
         "calls: needs keys and values below it, or in braces: calls: {key: value}"},
        {HEAD "calls: {depth: {a: {b: {c: {d: {e: {f: {g: {h: {}}}}}}}}}}\n", 4,
         "calls: depth: is a list or a mapping; write a single value"},
        {HEAD "dwarf:\n  mix: 3 MB\n", 5,
         "dwarf: mix: needs keys and values below it, or in braces: mix: {key: value}"},
        {HEAD "dwarf:\n  mix:\n  units: 3\n", 5,
         "dwarf: mix: needs keys and values below it, or in braces: mix: {key: value}"},
        {HEAD "dwarf:\n  mix:\n    info: {size: 3 MB}\n", 6,
         "dwarf: mix: info: is a list or a mapping; write a single value"},
    };
    ALL_REFUSED(wrong);
}

static void stops_at_deep_nesting(void **state)
{
    (void)state;
    enum { DEPTH = 500000 };
    static const char head[] = HEAD "seed: ";
    size_t at = sizeof head - 1;
    char *text = malloc(at + DEPTH);
    memcpy(text, head, at);
    memset(text + at, '[', DEPTH);
    assert_refused(text, at + DEPTH, 4, "seed: is a list or a mapping; write a single value");
    free(text);
}

static void refuses_unknown_and_repeated_keys(void **state)
{
    (void)state;
    const struct wrong wrong[] = {
        {HEAD "# the line counts\n\nmodulse: 3\n", 6,
         "unknown key 'modulse'; the keys here are pyelfgen-profile, application, seed, modules, utilities, functions, "
         "utility-functions, sections, calls, names, elf, dwarf, distributions, captured, settled, "
         "libraries"},
        {HEAD "calls:\n  depth: 3\n  deep: 3\n", 6,
         "calls: unknown key 'deep'; the keys here are depth, utility, utilities-per-module, cross-module, "
         "cross-module-chain, coverage, repeat, random, need-all"},
        {HEAD "dwarf: {seed: 3}\n", 4,
         "dwarf: unknown key 'seed'; the keys here are version, language, units, compress, separate, index, "
         "type-units, compiler, views, entry-values, split, mix"},
        {HEAD "dwarf:\n  mix:\n    info: 1 MB\n    loc: 1 MB\n", 7,
         "dwarf: mix: unknown key 'loc'; the keys here are info, abbrev, line, str, line_str, loclists, rnglists"},
        {HEAD "elf: {mix: {info: 1 MB}}\n", 4,
         "elf: unknown key 'mix'; the keys here are hash, bind, relro, build-id, soname, relr, cf-protection, "
         "exceptions, separate-code, max-page-size"},
        {HEAD "names: {calls: {}}\n", 4, "names: unknown key 'calls'; the keys here are style, length, pad"},
        {HEAD "names: {length: 1,5}\n", 4,
         "names: unknown key '5'; the decimal sign is a point, and the keys here are style, length, pad"},
        {HEAD "names: {'': 3}\n", 4, "names: unknown key ''; the keys here are style, length, pad"},
        {HEAD "names: {\"a\\nb\": 3}\n", 4, "names: unknown key 'a?b'; the keys here are style, length, pad"},
        {HEAD "names: {aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xc3\xa4zz: 3}\n", 4,
         "names: unknown key 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'; the keys here are "
         "style, "
         "length, pad"},
        {HEAD "Seed: 3\n", 4,
         "unknown key 'Seed'; the keys here are pyelfgen-profile, application, seed, modules, utilities, functions, "
         "utility-functions, sections, calls, names, elf, dwarf, distributions, captured, settled, "
         "libraries"},
        {HEAD "seed: 3\nmodules: 4\n", 5, "modules: the key is already on line 2; remove one of them"},
        {HEAD "calls: {depth: 3}\nseed: 3\ncalls: {utility: 1}\n", 6,
         "calls: the key is already on line 4; remove one of them"},
        {HEAD "elf:\n  hash: gnu\n  bind: now\n  hash: gnu\n", 7,
         "elf: hash: the key is already on line 5; remove one of them"},
        {HEAD "dwarf:\n  mix: {}\n  units: 3\n  mix: {}\n", 7,
         "dwarf: mix: the key is already on line 5; remove one of them"},
        {HEAD "dwarf:\n  mix:\n    info: 1 MB\n    line: 1 MB\n    info: 1 MB\n", 8,
         "dwarf: mix: info: the key is already on line 6; remove one of them"},
    };
    ALL_REFUSED(wrong);
}

static void refuses_missing_keys(void **state)
{
    (void)state;
    static const char five[] = "give text, data, debug, symtab and strtab, or leave 'sections' out";
    char missing[128];
    snprintf(missing, sizeof missing, "sections: text: is missing; %s", five);
    const struct wrong wrong[] = {
        {"modules: 3\nfunctions: 9\n", 0, "pyelfgen-profile: is missing; add the line 'pyelfgen-profile: 1'"},
        {"{}\n", 0, "pyelfgen-profile: is missing; add the line 'pyelfgen-profile: 1'"},
        {"pyelfgen-profile: 1\n", 0, "modules: is missing; add their number, as in 'modules: 280'"},
        {"pyelfgen-profile: 1\nmodules: 3\n", 0, "functions: is missing; a profile without 'sections' needs it"},
        {SIZES "}\n", 3, missing},
        {HEAD "sections: {}\n", 4, missing},
        {HEAD "sections: {bss: 1 MB}\n", 4, missing},
        {HEAD "sections: {text: 1 MB, data: 1 MB, debug: 0, symtab: 1 MB}\n", 4,
         "sections: strtab: is missing; give text, data, debug, symtab and strtab, or leave 'sections' out"},
    };
    ALL_REFUSED(wrong);
}

static void refuses_other_formats_before_anything_else(void **state)
{
    (void)state;
    const struct wrong wrong[] = {
        {"pyelfgen-profile: 2\nfuture: 1\n", 1,
         "pyelfgen-profile: '2' is not available; this version of pyelfgen knows only 1"},
        {"modules: 3\npyelfgen-profile:\n", 2, "pyelfgen-profile: has no value; give one, or remove the key"},
    };
    ALL_REFUSED(wrong);
}

static void understands_the_least(void **state)
{
    (void)state;
    struct profile p = understood("pyelfgen-profile: 1\nmodules: 3\nfunctions: 20\n");
    assert_string_equal(p.application, "");
    assert_true(p.seed == 42 && p.modules == 3 && p.utilities == 0 && p.functions == 20);
    assert_true(p.utility_functions == PROFILE_DERIVED);
    for (size_t i = 0; i < SIZE_KINDS; i++)
        assert_true(p.sections[i] == PROFILE_DERIVED);
    for (size_t i = 0; i < MIX_KINDS; i++)
        assert_true(p.dwarf.mix[i] == PROFILE_DERIVED);
    assert_true(p.calls.depth == 10 && p.calls.utility == 1 && p.calls.utilities_per_module == PROFILE_DERIVED);
    assert_true(p.calls.cross_module && p.calls.cross_module_chain == 10 && !p.calls.need_all);
    assert_int_equal(p.calls.repeat, 1);
    assert_true(!p.calls.random);
    assert_true(p.calls.coverage == 1.0);
    assert_true(p.names.length == PROFILE_DERIVED && p.names.pad == PROFILE_DERIVED);
    assert_true(p.elf.hash == HASH_GNU && p.elf.bind == BIND_LAZY && p.elf.relro == RELRO_PARTIAL && p.elf.build_id);
    assert_true(p.elf.soname);
    assert_false(p.elf.relr);
    assert_true(p.elf.separate_code && p.elf.max_page_size == 4096 && p.dwarf.version == 5 &&
                p.dwarf.units == PROFILE_DERIVED);
    profile_free(&p);
}

static void understands_every_key(void **state)
{
    (void)state;
    struct profile p = understood(
        "---\npyelfgen-profile: 1\napplication: \"caf\u00e9%: 1\"\nseed: 18446744073709551615\n"
        "modules: \"280\" # quotes do not matter\n"
        "utilities: 215\nfunctions: 885\nutility-functions: 884\n"
        "sections: {text: 287 MB, data: 9MB, debug: 1100 MB, symtab: 17 MB,\n  strtab: 92 MB, bss: 1 MB}\n"
        "calls: {depth: 11, utility: 0, utilities-per-module: 31, cross-module: false, cross-module-chain: 0,\n"
        "  coverage: 0.25, need-all: true}\n"
        "names: {style: itanium, length: 132}\n"
        "elf:\n  hash: both\n  bind: now\n  relro: full\n  build-id: false\n  soname: false\n  relr: true\n  "
        "exceptions: true\n  separate-code: false\n  max-page-size: 2097152\n"
        "dwarf: {version: 5, language: c, units: 35}\n...\n");
    assert_string_equal(p.application, "caf\u00e9%: 1");
    assert_true(p.seed == UINT64_MAX && p.modules == 280 && p.utilities == 215);
    assert_true(p.functions == 885 && p.utility_functions == 884);
    assert_true(p.sections[SIZE_TEXT] == 287000000 && p.sections[SIZE_DATA] == 9000000);
    assert_true(p.sections[SIZE_DEBUG] == 1100000000 && p.sections[SIZE_SYMTAB] == 17000000);
    assert_true(p.sections[SIZE_STRTAB] == 92000000 && p.sections[SIZE_BSS] == 1000000);
    assert_true(p.calls.depth == 11 && p.calls.utility == 0 && p.calls.utilities_per_module == 31);
    assert_true(!p.calls.cross_module && p.calls.cross_module_chain == 0 && p.calls.need_all);
    assert_true(p.calls.coverage == 0.25);
    assert_true(p.names.style == STYLE_ITANIUM && p.names.length == 132 && p.names.pad == PROFILE_DERIVED);
    assert_true(p.elf.hash == HASH_BOTH && p.elf.bind == BIND_NOW && p.elf.relro == RELRO_FULL && !p.elf.build_id);
    assert_true(!p.elf.soname && p.elf.exceptions);
    assert_true(p.elf.relr);
    assert_true(!p.elf.separate_code && p.elf.max_page_size == 2097152 && p.dwarf.version == 5 && p.dwarf.units == 35);
    profile_free(&p);
}

static void understands_layouts(void **state)
{
    (void)state;
    static const char *const same[] = {
        "\xef\xbb\xbfpyelfgen-profile: 1\nmodules: 3\nfunctions: 20\n",
        "{modules: 3, functions: 20, pyelfgen-profile: 1}",
        "pyelfgen-profile: 1\r\nmodules: 3\r\nfunctions: 20\r\n",
        "pyelfgen-profile: 1\nmodules: 3\nfunctions: 20\napplication:\ncalls: {}\nutility-functions: 20",
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        struct profile p = understood(same[i]);
        assert_string_equal(p.application, "");
        assert_true(p.modules == 3 && p.functions == 20 && p.utility_functions == PROFILE_DERIVED);
        profile_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_no_profile), cmocka_unit_test(refuses_wrong_syntax),
        cmocka_unit_test(stops_at_deep_nesting),      cmocka_unit_test(refuses_unknown_and_repeated_keys),
        cmocka_unit_test(refuses_missing_keys),       cmocka_unit_test(refuses_other_formats_before_anything_else),
        cmocka_unit_test(understands_the_least),      cmocka_unit_test(understands_every_key),
        cmocka_unit_test(understands_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
