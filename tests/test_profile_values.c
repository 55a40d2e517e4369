/* Values of a profile's keys: what is understood, and what is refused, with which message and on which line. */
#include "profile_text.h"

static void refuses_wrong_sizes(void **state)
{
    (void)state;
#define UNITS "B, kB, MB, GB, KiB, MiB or GiB"
    const struct wrong wrong[] = {
        {SIZES "text: 12 Mb}", 3, "sections: text: '12 Mb' has an unknown unit; use " UNITS},
        {SIZES "text: 12 mB}", 3, "sections: text: '12 mB' has an unknown unit; use " UNITS},
        {SIZES "text: 12 KB}", 3, "sections: text: '12 KB' has an unknown unit; use " UNITS},
        {SIZES "text: 12 TB}", 3, "sections: text: '12 TB' has an unknown unit; use " UNITS},
        {SIZES "text: 12  MB}", 3, "sections: text: '12  MB' has an unknown unit; use " UNITS},
        {SIZES "text: 12 MB x}", 3, "sections: text: '12 MB x' has an unknown unit; use " UNITS},
        {SIZES "text: \"12 MB \"}", 3, "sections: text: '12 MB ' has an unknown unit; use " UNITS},
        {SIZES "text: \"12\\nMB\"}", 3, "sections: text: '12?MB' has an unknown unit; use " UNITS},
        {SIZES "text: 1e3 MB}", 3, "sections: text: '1e3 MB' has an unknown unit; use " UNITS},
        {SIZES "text: 0x10 B}", 3, "sections: text: '0x10 B' has an unknown unit; use " UNITS},
        {SIZES "text: 12}", 3, "sections: text: '12' has no unit; add one of " UNITS ", as in '12 MB'"},
        {SIZES "text: 12.5}", 3, "sections: text: '12.5' has no unit; add one of " UNITS ", as in '12.5 MB'"},
        {SIZES "text: -5 MB}", 3, "sections: text: '-5 MB' is negative; a size is 0 or more"},
        {SIZES "text: nan}", 3, "sections: text: 'nan' is not a size; write digits and a unit, as in '12.5 MB'"},
        {SIZES "text: inf MB}", 3, "sections: text: 'inf MB' is not a size; write digits and a unit, as in '12.5 MB'"},
        {SIZES "text: .inf}", 3, "sections: text: '.inf' is not a size; write digits and a unit, as in '12.5 MB'"},
        {SIZES "text: +5 MB}", 3, "sections: text: '+5 MB' is not a size; write digits and a unit, as in '12.5 MB'"},
        {SIZES "text: .5 MB}", 3, "sections: text: '.5 MB' is not a size; write digits and a unit, as in '12.5 MB'"},
        {SIZES "text: 5. MB}", 3, "sections: text: '5. MB' is not a size; write digits and a unit, as in '12.5 MB'"},
        {SIZES "text: MB}", 3, "sections: text: 'MB' is not a size; write digits and a unit, as in '12.5 MB'"},
        {SIZES "text: ''}", 3, "sections: text: has no value; give one, or remove the key"},
        {SIZES "\n text:\n }", 4, "sections: text: has no value; give one, or remove the key"},
        {SIZES "text: 0.5 B}", 3,
         "sections: text: '0.5 B' is not a whole number of bytes; correct the fraction or the unit"},
        {SIZES "text: 1.2345 kB}", 3,
         "sections: text: '1.2345 kB' is not a whole number of bytes; correct the fraction or the unit"},
        {SIZES "text: 0.1 KiB}", 3,
         "sections: text: '0.1 KiB' is not a whole number of bytes; correct the fraction or the unit"},
        {SIZES "text: 1.00000000000000000000000000000000000000000000001 GB}", 3,
         "sections: text: '1.00000000000000000000000000000000000000000000001 GB' is not a whole number of bytes; "
         "correct the fraction or the unit"},
        {SIZES "text: 1125899906842625 B}", 3,
         "sections: text: '1125899906842625 B' is more than 1125899906842624 B, the most that a size may be"},
        {SIZES "text: 1048577 GiB}", 3,
         "sections: text: '1048577 GiB' is more than 1125899906842624 B, the most that a size may be"},
        {SIZES "text: 99999999999999999999999999999999999999999 B}", 3,
         "sections: text: '99999999999999999999999999999999999999999 B' is more than 1125899906842624 B, the most that "
         "a "
         "size may be"},
        {SIZES "text: 0}", 3, "sections: text: 0 bytes are not from 1 to 1125899906842624"},
        {HEAD "sections:\n  text: 1 MB\n  data: 0 B\n  debug: 0\n  symtab: 0\n  strtab: 0\n", 6,
         "sections: data: 0 bytes are not from 1 to 1125899906842624"},
        {HEAD "sections:\n  text: 1 MB\n  data: 1 MB\n  debug: 0\n  symtab: 0\n  strtab: 1 MB\n", 8,
         "sections: symtab: is 0 and strtab is not; a symbol table needs its names: give both a size, or both 0"},
        {HEAD "sections:\n  text: 1 MB\n  data: 1 MB\n  debug: 0\n  symtab: 1 MB\n  strtab: 0\n", 9,
         "sections: strtab: is 0 and symtab is not; a symbol table needs its names: give both a size, or both 0"},
    };
    ALL_REFUSED(wrong);
}

/* A profile with `debug` bytes of debug information. The text `dwarf` stands below the key on line 4. */
#define MIX(debug, dwarf)                                                                                              \
    "pyelfgen-profile: 1\nmodules: 280\n"                                                                              \
    "sections: {text: 1 MB, data: 1 MB, symtab: 0, strtab: 0, debug: " debug "}\ndwarf:\n" dwarf

static void refuses_wrong_mixes(void **state)
{
    (void)state;
    const struct wrong wrong[] = {
        {MIX("9 MB", "  mix:\n    line: 1 MB\n    info: 4.05\n"), 7,
         "dwarf: mix: info: '4.05' has no unit; add one of " UNITS ", as in '4.05 MB'"},
        {MIX("9 MB", "  mix:\n    info: 0\n"), 6, "dwarf: mix: info: 0 bytes are not from 1 to 1125899906842624"},
        {MIX("9 MB", "  mix: {abbrev: 0}\n"), 5, "dwarf: mix: abbrev: 0 bytes are not from 1 to 1125899906842624"},
        {MIX("9 MB", "  mix: {line: 0}\n"), 5, "dwarf: mix: line: 0 bytes are not from 1 to 1125899906842624"},
        {MIX("9 MB", "  mix: {str: 0}\n"), 5, "dwarf: mix: str: 0 bytes are not from 1 to 1125899906842624"},
        {MIX("9 MB", "  mix: {line_str: 0}\n"), 5, "dwarf: mix: line_str: 0 bytes are not from 1 to 1125899906842624"},
        {MIX("9 MB", "  mix: {loclists: }\n"), 5, "dwarf: mix: loclists: has no value; give one, or remove the key"},
        {MIX("9 MB", "  mix: {rnglists: -1 B}\n"), 5, "dwarf: mix: rnglists: '-1 B' is negative; a size is 0 or more"},
        {MIX("9 MB", "  version: 4\n  mix:\n    info: 1 MB\n    line_str: 1 MB\n"), 8,
         "dwarf: mix: line_str: there is no .debug_line_str in 'version: 4'; remove one of them"},
        {MIX("7.65 MB", "  units: 9\n  mix:\n    info: 4.05 MB\n    loclists: 2.1 MB\n    line: 1500001 B\n"), 6,
         "dwarf: mix: the sizes together are 7650001 bytes and 'debug' under 'sections' is 7650000 bytes; lower them, "
         "or raise it"},
        {MIX("0", "  mix: {loclists: 0}\n"), 5,
         "dwarf: mix: needs 'debug' under 'sections', which is 0; give it a size, or remove 'mix'"},
        {HEAD "dwarf:\n  mix: {loclists: 0}\n", 5,
         "dwarf: mix: needs 'debug' under 'sections', which is missing; add it, or remove 'mix'"},
        {HEAD "sections: {text: 1 MB, data: 1 MB}\ndwarf: {mix: {info: 1 MB}}\n", 4,
         "sections: debug: is missing; give text, data, debug, symtab and strtab, or leave 'sections' out"},
    };
    ALL_REFUSED(wrong);

    static const char most[] = "info: 1048576 GiB, abbrev: 1048576 GiB, line: 1048576 GiB, str: 1048576 GiB, "
                               "line_str: 1048576 GiB, loclists: 1048576 GiB, rnglists: 1048576 GiB";
    char text[512];
    struct profile p;
    struct error e = {0};
    snprintf(text, sizeof text, MIX("1048576 GiB", "  mix: {%s}\n"), most);
    assert_false(profile_parse(&p, text, strlen(text), "", &e));
    assert_true(e.wanted == 7 * PROFILE_SIZE_MOST && e.possible == PROFILE_SIZE_MOST);
}

static void understands_mixes(void **state)
{
    (void)state;
    struct profile p = understood(MIX("7650 kB", "  mix: {info: 4.05 MB, loclists: 2.1 MB, line: 1.5 MB}\n"));
    static const int64_t some[MIX_KINDS] = {4050000, -1, 1500000, -1, -1, 2100000, -1};
    assert_memory_equal(p.dwarf.mix, some, sizeof some);
    profile_free(&p);

    p = understood(MIX("15 B", "  mix:\n    rnglists: 0\n    loclists: 0 B\n    line_str: 5 B\n    str: 4 B\n"
                               "    line: 3 B\n    abbrev: 2 B\n    info: 1 B\n"));
    static const int64_t all[MIX_KINDS] = {1, 2, 3, 4, 5, 0, 0};
    assert_memory_equal(p.dwarf.mix, all, sizeof all);
    profile_free(&p);

    p = understood(HEAD "dwarf: {mix: {}}\n");
    for (size_t i = 0; i < MIX_KINDS; i++)
        assert_true(p.dwarf.mix[i] == PROFILE_DERIVED);
    profile_free(&p);
}

static void refuses_wrong_numbers(void **state)
{
    (void)state;
    const struct wrong wrong[] = {
        {"pyelfgen-profile: 1\nmodules: 0\n", 2,
         "modules: is 0, and there are no utilities; a set has one library or more"},
        {"pyelfgen-profile: 1\nmodules: 1000001\n", 2, "modules: '1000001' is not a whole number from 1 to 1000000"},
        {"pyelfgen-profile: 1\nmodules: -3\n", 2, "modules: '-3' is not a whole number from 1 to 1000000"},
        {"pyelfgen-profile: 1\nmodules: +3\n", 2, "modules: '+3' is not a whole number from 1 to 1000000"},
        {"pyelfgen-profile: 1\nmodules: 3.0\n", 2, "modules: '3.0' is not a whole number from 1 to 1000000"},
        {"pyelfgen-profile: 1\nmodules: 3x\n", 2, "modules: '3x' is not a whole number from 1 to 1000000"},
        {"pyelfgen-profile: 1\nmodules: 0x3\n", 2, "modules: '0x3' is not a whole number from 1 to 1000000"},
        {"pyelfgen-profile: 1\nmodules: 3e2\n", 2, "modules: '3e2' is not a whole number from 1 to 1000000"},
        {"pyelfgen-profile: 1\nmodules: 1_000\n", 2, "modules: '1_000' is not a whole number from 1 to 1000000"},
        {"pyelfgen-profile: 1\nmodules: .nan\n", 2, "modules: '.nan' is not a whole number from 1 to 1000000"},
        {"pyelfgen-profile: 1\nmodules: .inf\n", 2, "modules: '.inf' is not a whole number from 1 to 1000000"},
        {"pyelfgen-profile: 1\nmodules: true\n", 2, "modules: 'true' is not a whole number from 1 to 1000000"},
        {"pyelfgen-profile: 1\nmodules: 3 4\n", 2, "modules: '3 4' is not a whole number from 1 to 1000000"},
        {"pyelfgen-profile: 1\nmodules: 18446744073709551617\n", 2,
         "modules: '18446744073709551617' is not a whole number from 1 to 1000000"},
        {"pyelfgen-profile: 1\nmodules: 010\n", 2,
         "modules: begins with 0, which some read as octal; write the number without"},
        {"pyelfgen-profile: 1\nmodules:\n", 2, "modules: has no value; give one, or remove the key"},
        {HEAD "seed: 18446744073709551616\n", 4,
         "seed: '18446744073709551616' is not a whole number from 0 to 18446744073709551615"},
        {HEAD "seed: -1\n", 4, "seed: '-1' is not a whole number from 0 to 18446744073709551615"},
        {HEAD "utilities: 999721\n", 4,
         "utilities: with 280 modules and 999721 utilities there are more than 1000000 "
         "libraries"},
        {"pyelfgen-profile: 1\nmodules: 1\nfunctions: 0\n", 3,
         "functions: '0' is not a whole number from 1 to 4000000"},
        {HEAD "utility-functions: 4000001\n", 4,
         "utility-functions: '4000001' is not a whole number from 1 to 4000000"},
        {HEAD "calls: {depth: 0}\n", 4, "calls: depth: '0' is not a whole number from 1 to 100000"},
        {HEAD "calls: {utility: 1001}\n", 4, "calls: utility: '1001' is not a whole number from 0 to 1000"},
        {HEAD "calls: {repeat: 0}\n", 4, "calls: repeat: '0' is not a whole number from 1 to 1000"},
        {HEAD "calls: {utilities-per-module: 0}\n", 4,
         "calls: utilities-per-module: '0' is not a whole number from 1 to 1000000"},
        {HEAD "calls: {cross-module-chain: -1}\n", 4,
         "calls: cross-module-chain: '-1' is not a whole number from 0 to 1000000"},
        {HEAD "names: {length: 0}\n", 4, "names: length: '0' is not a whole number from 1 to 4096"},
        {HEAD "names: {length: 4097}\n", 4, "names: length: '4097' is not a whole number from 1 to 4096"},
        {HEAD "names: {pad: 4097}\n", 4, "names: pad: '4097' is not a whole number from 0 to 4096"},
        {HEAD "names:\n  pad: 3\n  length: 3\n", 5, "names: pad: excludes 'length'; remove one of them"},
        {HEAD "dwarf: {units: 0}\n", 4, "dwarf: units: '0' is not a whole number from 1 to 1000000"},
        {HEAD "dwarf: {units: 1000001}\n", 4, "dwarf: units: '1000001' is not a whole number from 1 to 1000000"},
        {HEAD "elf: {max-page-size: 2048}\n", 4,
         "elf: max-page-size: '2048' is not a whole number from 4096 to 2097152"},
        {HEAD "elf: {max-page-size: 4194304}\n", 4,
         "elf: max-page-size: '4194304' is not a whole number from 4096 to 2097152"},
        {HEAD "elf:\n  max-page-size: 12288\n", 5,
         "elf: max-page-size: '12288' is not a power of two; use one from 4096 to 2097152"},
    };
    ALL_REFUSED(wrong);
}

static void carries_the_numbers_that_disagree(void **state)
{
    (void)state;
    static const char text[] = HEAD "names: {pad: 5000}\n";
    struct profile p;
    struct error e = {0};
    assert_false(profile_parse(&p, text, sizeof text - 1, "", &e));
    assert_int_equal(e.wanted, 5000);
    assert_int_equal(e.possible, 4096);
}

static void refuses_wrong_words(void **state)
{
    (void)state;
    const struct wrong wrong[] = {
        {HEAD "calls: {cross-module: maybe}\n", 4, "calls: cross-module: 'maybe' is neither true nor false"},
        {HEAD "calls: {cross-module: True}\n", 4, "calls: cross-module: 'True' is neither true nor false"},
        {HEAD "calls: {need-all: yes}\n", 4, "calls: need-all: 'yes' is neither true nor false"},
        {HEAD "calls: {utilities-per-module: 3, random: true}\n", 4,
         "calls: random: excludes 'utilities-per-module'; remove one of them"},
        {HEAD "elf: {build-id: 1}\n", 4, "elf: build-id: '1' is neither true nor false"},
        {HEAD "elf: {build-id: }\n", 4, "elf: build-id: has no value; give one, or remove the key"},
        {HEAD "elf: {hash: md5}\n", 4, "elf: hash: 'md5' is not one of gnu, sysv, both"},
        {HEAD "elf: {hash: GNU}\n", 4, "elf: hash: 'GNU' is not one of gnu, sysv, both"},
        {HEAD "elf: {hash: 0}\n", 4, "elf: hash: '0' is not one of gnu, sysv, both"},
        {HEAD "elf: {bind: never}\n", 4, "elf: bind: 'never' is not one of lazy, now"},
        {HEAD "elf: {relro: half}\n", 4, "elf: relro: 'half' is not one of none, partial, full"},
        {HEAD "elf:\n  bind: lazy\n  relro: full\n", 6,
         "elf: relro: 'full' needs 'bind: now', which is not set; add it, or use 'partial'"},
        {HEAD "names: {style: gnu}\n", 4, "names: style: 'gnu' is not one of pynamic, itanium"},
        {HEAD "names: {style: itanium, pad: 3}\n", 4,
         "names: pad: goes with 'style: pynamic' only; use 'length', or remove it"},
        {HEAD "dwarf: {index: names}\n", 4, "dwarf: index: 'names' is not one of none, gdb_index, debug_names"},
        {HEAD "dwarf: {separate: dwo}\n", 4, "dwarf: separate: 'dwo' is not one of none, debuglink, build-id"},
        {HEAD "elf: {build-id: false}\ndwarf: {separate: build-id}\n", 5,
         "dwarf: separate: 'build-id' needs 'build-id' under 'elf', which is false; remove that, or use 'debuglink'"},
        {HEAD "dwarf: {version: 3}\n", 4, "dwarf: version: '3' is not 4 or 5"},
        {HEAD "dwarf: {version: five}\n", 4, "dwarf: version: 'five' is not 4 or 5"},
        {HEAD "dwarf: {split: dwo}\n", 4, "dwarf: split: 'dwo' is neither true nor false"},
        {HEAD "dwarf: {split: true, separate: debuglink}\n", 4,
         "dwarf: split: excludes 'separate'; remove one of them"},
        {HEAD "dwarf: {split: true, index: gdb_index}\n", 4, "dwarf: split: excludes 'index'; remove one of them"},
        {HEAD "dwarf: {split: true, type-units: true}\n", 4, "dwarf: split: excludes 'type-units'; remove one of them"},
        {HEAD "dwarf: {language: rust}\n", 4, "dwarf: language: 'rust' is not one of c, c++, fortran"},
    };
    ALL_REFUSED(wrong);
}

static void refuses_wrong_coverage(void **state)
{
    (void)state;
    static const char *const values[] = {"0",    "0.0",    "1.01",  "-1",  "-0.5",  "nan", ".nan",
                                         "inf",  ".inf",   "1e99",  "0x1", "0,5",   "1e",  "0.5.5",
                                         "half", "1e-999", "1e999", "+1",  "100 %", "0.5 "};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char text[256], message[128];
        snprintf(text, sizeof text, HEAD "calls:\n  coverage: '%s'\n", values[i]);
        snprintf(message, sizeof message, "calls: coverage: '%s' is not a number above 0 and at most 1", values[i]);
        assert_refused(text, strlen(text), 5, message);
    }
}

static void refuses_wrong_application(void **state)
{
    (void)state;
    const struct wrong wrong[] = {
        {HEAD "application: \"a\\nb\"\n", 4,
         "application: has a control character or line break (U+000A) inside; remove it"},
        {HEAD "application: \"a\\e[1mb\"\n", 4,
         "application: has a control character or line break (U+001B) inside; remove it"},
        {HEAD "application: |\n  one\n", 4,
         "application: has a control character or line break (U+000A) inside; remove it"},
        {HEAD "application: \"\\x7f\"\n", 4,
         "application: has a control character or line break (U+007F) inside; remove it"},
        {HEAD "application: \"\\x9b\"\n", 4,
         "application: has a control character or line break (U+009B) inside; remove it"},
        {HEAD "application: \"\\u2028\"\n", 4,
         "application: has a control character or line break (U+2028) inside; remove it"},
    };
    ALL_REFUSED(wrong);
    char text[512];
    snprintf(text, sizeof text, HEAD "application: %0201d\n", 1);
    assert_refused(text, strlen(text), 4, "application: is 201 bytes long; shorten it to 200");
    snprintf(text, sizeof text, HEAD "application: %0200d\n", 1);
    struct profile p = understood(text);
    assert_int_equal(strlen(p.application), 200);
    profile_free(&p);
}

static void understands_sizes_to_the_byte(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } sizes[] = {
        {"1 B", 1},
        {"1B", 1},
        {"17.3 MB", 17300000},
        {"619.4 MB", 619400000},
        {"0.000000001 GB", 1},
        {"0.00100000000000000000000000000000000000000000000 kB", 1},
        {"0000000000000000000000000000000000000000000000.5 kB", 500},
        {"3.000 B", 3},
        {"4.35 GB", 4350000000}, /* in double, 4.35e9 is exact but 4.35 is not */
        {"1.1 kB", 1100},
        {"1.5 KiB", 1536},
        {"0.125 KiB", 128},
        {"2 MiB", 2097152},
        {"1 GiB", 1073741824},
        {"0.000000000931322574615478515625 GiB", 1},
        {"1048576 GiB", PROFILE_SIZE_MOST},
        {"1125899.906842624 GB", PROFILE_SIZE_MOST},
        {"1125899906842624 B", PROFILE_SIZE_MOST},
        {"1048575.999999999068677425384521484375 GiB", PROFILE_SIZE_MOST - 1},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, SIZES "text: %s}", sizes[i].text);
        struct profile p = understood(text);
        if (p.sections[SIZE_TEXT] != sizes[i].bytes)
            fail_msg("%s gave %lld", sizes[i].text, (long long)p.sections[SIZE_TEXT]);
        profile_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_wrong_sizes),
        cmocka_unit_test(refuses_wrong_mixes),
        cmocka_unit_test(understands_mixes),
        cmocka_unit_test(refuses_wrong_numbers),
        cmocka_unit_test(carries_the_numbers_that_disagree),
        cmocka_unit_test(refuses_wrong_words),
        cmocka_unit_test(refuses_wrong_coverage),
        cmocka_unit_test(refuses_wrong_application),
        cmocka_unit_test(understands_sizes_to_the_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
