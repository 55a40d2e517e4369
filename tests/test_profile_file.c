/* The canonical text of a profile, which loads as the same profile whatever is in it. Profiles as files: found, read,
 * replaced. */
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "emit/profile/profile.h"
#include "sanitized.h"

static struct profile understood(const char *text)
{
    struct profile p;
    struct error e = {0};
    if (!profile_parse(&p, text, strlen(text), "right.prof", &e))
        fail_msg("%u: %s\nof: %s", e.line, e.text, text);
    return p;
}

static char *canonical(const struct profile *p)
{
    char *text;
    size_t size;
    struct error e = {0};
    if (!profile_text(p, &text, &size, &e))
        fail_msg("%s", e.text);
    assert_int_equal(strlen(text), size);
    return text;
}

/* Compares what the plan sees: all but the spelling. */
static void assert_same(const struct profile *a, const struct profile *b)
{
    assert_string_equal(a->application, b->application);
    assert_true(a->seed == b->seed);
    assert_true(a->modules == b->modules && a->utilities == b->utilities);
    assert_true(a->functions == b->functions && a->utility_functions == b->utility_functions);
    assert_memory_equal(a->sections, b->sections, sizeof a->sections);
    assert_true(a->calls.depth == b->calls.depth && a->calls.utility == b->calls.utility);
    assert_true(a->calls.utilities_per_module == b->calls.utilities_per_module);
    assert_true(a->calls.cross_module == b->calls.cross_module && a->calls.need_all == b->calls.need_all);
    assert_true(a->calls.cross_module_chain == b->calls.cross_module_chain);
    assert_int_equal(a->calls.repeat, b->calls.repeat);
    assert_true(a->calls.random == b->calls.random);
    assert_true(a->calls.coverage == b->calls.coverage);
    assert_true(a->names.style == b->names.style && a->names.length == b->names.length && a->names.pad == b->names.pad);
    assert_true(a->elf.hash == b->elf.hash && a->elf.bind == b->elf.bind && a->elf.relro == b->elf.relro);
    assert_true(a->elf.soname == b->elf.soname);
    assert_true(a->elf.exceptions == b->elf.exceptions);
    assert_true(a->elf.relr == b->elf.relr);
    assert_true(a->elf.separate_code == b->elf.separate_code);
    assert_true(a->elf.build_id == b->elf.build_id && a->elf.max_page_size == b->elf.max_page_size);
    assert_true(a->dwarf.version == b->dwarf.version && a->dwarf.units == b->dwarf.units);
    assert_memory_equal(a->dwarf.mix, b->dwarf.mix, sizeof a->dwarf.mix);
}

/* Text with everything that has a meaning in YAML. */
static char *random_application(struct random *r)
{
    static const char *const pieces[] = {
        "a",    "Z",   "0",   " ",      "  ",     ": ",         " #",     "- ",     "---",    "...",
        "'",    "\"",  "\\",  "%",      "&",      "*",          "!",      "|",      ">",      "@",
        "`",    "{",   "}",   "[",      "]",      ",",          "?",      "~",      "<<",     "=",
        "true", "1.0", "0x1", "\u00e9", "\u4e2d", "\U0001f600", "\ufeff", "\ufffe", "\u00a0", "word ",
    };
    char text[201] = "";
    size_t length = 0;
    for (uint32_t left = random_below(random_next(r), 40); left; left--) {
        const char *piece = pieces[random_below(random_next(r), sizeof pieces / sizeof pieces[0])];
        if (length + strlen(piece) < sizeof text)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s", piece);
    }
    return strdup(text);
}

static bool chance(struct random *r, unsigned one_in)
{
    return random_below(random_next(r), one_in) == 0;
}

/* A number from `least` to `most`; small, large and round ones are all likely. */
static int64_t random_number(struct random *r, int64_t least, int64_t most)
{
    uint64_t v = random_next(r) >> random_below(random_next(r), 64);
    for (unsigned i = random_below(random_next(r), 7); i; i--)
        v = v / 10 * 10 + (v % 10 == 0 ? 0 : 10);
    return least + (int64_t)(v % (uint64_t)(most - least + 1));
}

static int64_t random_or_derived(struct random *r, int64_t least, int64_t most)
{
    return chance(r, 2) ? PROFILE_DERIVED : random_number(r, least, most);
}

static struct profile random_profile(uint64_t seed)
{
    struct random random = {random_at(seed, 0)}, *r = &random;
    struct profile p;
    assert_true(profile_init(&p, NULL));
    free(p.application);
    p.application = random_application(r);
    p.seed = chance(r, 3) ? 42 : random_next(r);
    p.modules = random_number(r, 1, 500000);
    p.utilities = random_number(r, 0, 500000);
    p.functions = random_number(r, 1, PROFILE_FUNCTIONS_MOST);
    p.utility_functions = random_or_derived(r, 1, PROFILE_FUNCTIONS_MOST);
    if (chance(r, 2)) {
        for (size_t i = SIZE_TEXT; i <= SIZE_STRTAB; i++)
            p.sections[i] = random_number(r, 1, PROFILE_SIZE_MOST);
        p.sections[SIZE_BSS] = random_or_derived(r, 0, PROFILE_SIZE_MOST);
        if (chance(r, 2))
            p.sections[SIZE_SYMTAB] = p.sections[SIZE_STRTAB] = 0;
        if (chance(r, 2))
            p.functions = PROFILE_DERIVED;
    }
    p.calls.depth = chance(r, 2) ? 10 : random_number(r, 1, PROFILE_DEPTH_MOST);
    p.calls.utility = random_number(r, 0, 1000);
    p.calls.utilities_per_module = random_or_derived(r, 1, PROFILE_LIBRARIES_MOST);
    p.calls.cross_module = chance(r, 2);
    p.calls.cross_module_chain = random_number(r, 0, PROFILE_LIBRARIES_MOST);
    p.calls.coverage =
        chance(r, 2) ? 1.0 : ldexp((double)(random_next(r) | 1), -64 - (int)random_below(random_next(r), 1000));
    p.calls.repeat = random_number(r, 1, PROFILE_REPEAT_MOST);
    p.calls.random = p.calls.utilities_per_module == PROFILE_DERIVED && chance(r, 2);
    p.calls.need_all = chance(r, 2);
    p.names.length = random_or_derived(r, 1, PROFILE_NAME_MOST);
    p.names.style = chance(r, 2) ? STYLE_ITANIUM : STYLE_PYNAMIC;
    if (p.names.length == PROFILE_DERIVED && p.names.style == STYLE_PYNAMIC)
        p.names.pad = random_or_derived(r, 0, PROFILE_NAME_MOST);
    p.elf.hash = (enum hash_style)random_below(random_next(r), HASH_BOTH + 1);
    p.elf.bind = (enum bind_mode)random_below(random_next(r), BIND_NOW + 1);
    p.elf.relro =
        (enum relro_mode)random_below(random_next(r), (p.elf.bind == BIND_NOW ? RELRO_FULL : RELRO_PARTIAL) + 1);
    p.elf.build_id = chance(r, 2);
    p.elf.soname = chance(r, 2);
    p.elf.exceptions = chance(r, 2);
    p.elf.relr = chance(r, 2);
    p.elf.separate_code = chance(r, 2);
    p.elf.max_page_size = INT64_C(4096) << random_below(random_next(r), 10);
    p.dwarf.units = random_or_derived(r, 1, 1000000);
    p.dwarf.version = chance(r, 3) ? 4 : 5;
    for (size_t i = 0; i < MIX_KINDS && p.sections[SIZE_DEBUG] >= MIX_KINDS; i++)
        if (i != MIX_LINE_STR || p.dwarf.version == 5)
            p.dwarf.mix[i] = random_or_derived(r, 1, p.sections[SIZE_DEBUG] / MIX_KINDS);
    return p;
}

static void text_loads_as_the_same(void **state)
{
    (void)state;
    enum { SEEDS = SANITIZED ? 1000 : 5000 };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct profile p = random_profile(seed);
        char *text = canonical(&p);
        struct profile q = understood(text);
        char *again = canonical(&q);
        if (p.utility_functions == p.functions)
            p.utility_functions = PROFILE_DERIVED;
        assert_same(&p, &q);
        assert_string_equal(text, again);
        free(text);
        free(again);
        profile_free(&p);
        profile_free(&q);
    }
}

static void text_is_canonical(void **state)
{
    (void)state;
    static const char *const same[] = {
        "pyelfgen-profile: 1\nmodules: 3\nfunctions: 20\n"
        "sections: {text: 1100 MB, data: 0.4 MB, debug: 17300 kB, symtab: 1 KiB, strtab: 1234.5 kB}\nelf: {bind: "
        "now}\n",
        "# other words\n{elf: {hash: gnu, bind: now}, seed: 42, functions: 20, utility-functions: 20, calls: {},\n"
        "sections: {text: 1.1GB, data: 400kB, debug: 17.3 MB, symtab: 1024 B, strtab: 1234500 B}, utilities: 0,\n"
        "application: '', names: {style: pynamic}, dwarf: {version: 5}, modules: 3, pyelfgen-profile: 1}",
    };
    static const char expected[] = "pyelfgen-profile: 1\nmodules: 3\nfunctions: 20\n"
                                   "sections:\n  text: 1.1 GB\n  data: 400 kB\n  debug: 17.3 MB\n  symtab: 1024 B\n"
                                   "  strtab: 1234.5 kB\nelf:\n  bind: now\n";
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        struct profile p = understood(same[i]);
        char *text = canonical(&p);
        assert_string_equal(text, expected);
        free(text);
        profile_free(&p);
    }
}

static void text_nests(void **state)
{
    (void)state;
    static const char expected[] = "pyelfgen-profile: 1\nmodules: 3\n"
                                   "sections:\n  text: 1 MB\n  data: 1 MB\n  debug: 9 MB\n  symtab: 0 B\n"
                                   "  strtab: 0 B\ndwarf:\n%s  mix:\n    info: 4050 kB\n    line: 1.5 MB\n"
                                   "    loclists: 0 B\n";
    for (int64_t version = 4; version <= 5; version++) {
        char text[512];
        snprintf(text, sizeof text, expected, version == 4 ? "  version: 4\n" : "");
        struct profile p = understood(text), q;
        struct error e = {0};
        char *written = canonical(&p);
        assert_string_equal(written, text);
        free(written);
        assert_true(profile_save(&p, "mix.prof", &e));
        assert_true(profile_load(&q, "mix.prof", &e));
        assert_same(&p, &q);
        profile_free(&p);
        profile_free(&q);
    }
}

/* The text is the same in a locale that writes decimals with a comma. */
static void text_knows_no_locale(void **state)
{
    (void)state;
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8", "de_DE"};
    const char *locale = NULL;
    for (size_t i = 0; !locale && i < sizeof commas / sizeof commas[0]; i++)
        locale = setlocale(LC_ALL, commas[i]);
    if (!locale)
        skip();
    struct profile p = understood("pyelfgen-profile: 1\nmodules: 3\nfunctions: 20\ncalls: {coverage: 0.25}\n");
    assert_true(p.calls.coverage == 0.25);
    char *text = canonical(&p);
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "pyelfgen-profile: 1\nmodules: 3\nfunctions: 20\ncalls:\n  coverage: 0.25\n");
    free(text);
    profile_free(&p);
}

static void assert_no_text(struct profile *p, const char *message)
{
    char *text;
    size_t size;
    struct error e = {0};
    assert_false(profile_text(p, &text, &size, &e));
    assert_null(text);
    assert_string_equal(e.text, message);
    assert_string_equal(e.file, "");
    assert_int_equal(e.code, ERROR_INPUT);
}

/* A profile that a program has put together is checked like one from a file. */
static void text_refuses_what_would_not_load(void **state)
{
    (void)state;
    struct profile p;
    assert_true(profile_init(&p, NULL));
    assert_no_text(&p, "functions: is missing; a profile without 'sections' needs it");
    p.functions = 20;
    p.modules = -5;
    assert_no_text(&p, "modules: '-5' is not a whole number from 1 to 1000000");
    p.modules = 5;
    p.calls.coverage = (double)NAN;
    assert_no_text(&p, "calls: coverage: nan is not a number above 0 and at most 1");
    p.calls.coverage = 1;
    p.sections[SIZE_TEXT] = -2;
    assert_no_text(&p, "sections: text: -2 bytes are not from 1 to 1125899906842624");
    p.sections[SIZE_TEXT] = 5;
    assert_no_text(&p,
                   "sections: data: is missing; give text, data, debug, symtab and strtab, or leave 'sections' out");
    p.sections[SIZE_TEXT] = PROFILE_DERIVED;
    p.elf.hash = (enum hash_style)7;
    assert_no_text(&p, "elf: hash: '7' is not one of gnu, sysv, both");
    p.elf.hash = HASH_GNU;
    p.dwarf.version = 3;
    assert_no_text(&p, "dwarf: version: '3' is not 4 or 5");
    p.dwarf.version = 5;
    p.dwarf.mix[MIX_STR] = 0;
    assert_no_text(&p, "dwarf: mix: str: 0 bytes are not from 1 to 1125899906842624");
    p.dwarf.mix[MIX_STR] = 1;
    assert_no_text(&p, "dwarf: mix: needs 'debug' under 'sections', which is missing; add it, or remove 'mix'");
    p.dwarf.mix[MIX_STR] = PROFILE_DERIVED;
    static const char *const no_text[] = {"\xff",
                                          "\xc3",
                                          "a\x80",
                                          "\xc0\x80",
                                          "\xe0\x80\x80",
                                          "\xed\xa0\x80",
                                          "\xf4\x90\x80\x80",
                                          "\xf0\x9f\x98",
                                          "\xf8\x88\x80\x80\x80"};
    for (size_t i = 0; i < sizeof no_text / sizeof no_text[0]; i++) {
        free(p.application);
        p.application = strdup(no_text[i]);
        assert_no_text(&p, "application: is not UTF-8 text; correct it");
    }
    profile_free(&p);
    profile_free(&p);
    profile_free(NULL);
}

static char directory[] = "/tmp/test_profile.XXXXXX";

static int make_directory(void **state)
{
    (void)state;
    unsetenv("PYELFGEN_PROFILES");
    return mkdtemp(directory) ? chdir(directory) : -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(path);
}

static int remove_directory(void **state)
{
    (void)state;
    return chdir("/") == 0 ? nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS) : -1;
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void assert_not_loaded(const char *path, enum error_code code, const char *message)
{
    struct profile p;
    struct error e = {0};
    assert_false(profile_load(&p, path, &e));
    assert_string_equal(e.text, message);
    assert_string_equal(e.file, path);
    assert_int_equal(e.code, code);
}

static void loads_no_directories_and_devices(void **state)
{
    (void)state;
    assert_not_loaded("absent", ERROR_SYSTEM, "cannot open the profile: No such file or directory");
    assert_not_loaded(".", ERROR_INPUT, "is a directory, not a profile; name a file");
    assert_not_loaded("/dev/zero", ERROR_INPUT, "is a device or socket, not a profile; name a file");

    int fd = open("large", O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, INT64_C(1) << 40), 0);
    close(fd);
    assert_not_loaded("large", ERROR_INPUT, "is larger than 64 MiB, the most that a profile may be");

    write_file("wrong", "pyelfgen-profile: 1\nmodules: 3\nseed: x\n");
    struct profile p;
    struct error e = {0};
    assert_false(profile_load(&p, "wrong", &e));
    assert_int_equal(e.line, 3);
    assert_string_equal(e.file, "wrong");
}

static void saves_and_loads(void **state)
{
    (void)state;
    mode_t mask = umask(027);
    struct profile p = random_profile(7), q;
    struct error e = {0};
    write_file("saved.prof", "the old one");
    unlink("saved.prof");
    assert_true(profile_save(&p, "saved.prof", &e));
    assert_true(profile_save(&p, "saved.prof", &e));
    umask(mask);
    struct stat st;
    assert_int_equal(stat("saved.prof", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_true(profile_load(&q, "saved.prof", &e));
    assert_same(&p, &q);
    profile_free(&q);
    glob_t left;
    assert_int_equal(glob("saved.prof.*", 0, NULL, &left), GLOB_NOMATCH);

    assert_false(profile_save(&p, "absent/x.prof", &e));
    assert_string_equal(e.text, "cannot be written; choose another directory: No such file or directory");
    assert_string_equal(e.file, "absent/x.prof");
    assert_false(profile_save(&p, "/dev/null", &e));
    assert_string_equal(e.text, "is no regular file; give another name");
    p.modules = p.utilities = 0;
    assert_false(profile_save(&p, "saved.prof", &e));
    assert_true(profile_load(&q, "saved.prof", &e)); /* the old file is still there */
    profile_free(&q);
    profile_free(&p);
}

static void assert_found(const char *name, const char *expected)
{
    char path[PATH_MAX];
    struct error e = {0};
    if (!profile_find(name, path, sizeof path, &e))
        fail_msg("%s: %s", name, e.text);
    assert_string_equal(path, expected);
}

static void assert_not_found(const char *name, const char *message)
{
    char path[PATH_MAX];
    struct error e = {0};
    assert_false(profile_find(name, path, sizeof path, &e));
    assert_string_equal(path, "");
    assert_string_equal(e.text, message);
}

static void finds_files_and_names(void **state)
{
    (void)state;
    static const char right[] = "pyelfgen-profile: 1\nmodules: 3\nfunctions: 20\n";
    assert_int_equal(mkdir("profiles", 0700), 0);
    assert_int_equal(mkdir("profiles/directory.prof", 0700), 0);
    assert_int_equal(mkdir("mine", 0700), 0);
    write_file("profiles/mine.prof", right);
    write_file("profiles/yours.prof", right);
    write_file("profiles/other.txt", right);
    write_file("here", right);
    write_file("here.prof", right);
    char profiles[sizeof directory + 16], mine[sizeof profiles + 16];
    snprintf(profiles, sizeof profiles, "%s/profiles", directory);
    snprintf(mine, sizeof mine, "%s/mine.prof", profiles);
    setenv("PYELFGEN_PROFILES", profiles, 1);

    assert_found("mine", mine); /* a directory of that name, as of a set, does not hide it */
    assert_found("here", "here");
    assert_found("here.prof", "here.prof");
    assert_found("./here", "./here");
    assert_found("profiles/mine.prof", "profiles/mine.prof");
    assert_not_found("profiles/absent", "cannot open the profile: No such file or directory");
    assert_not_found("..", "is a directory, not a profile; name a file");
    assert_int_equal(mkdir("other", 0700), 0);
    assert_not_found("other", "is a directory, not a profile; name a file");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_found("pipe", "pipe");
    assert_found("-", "-");
    assert_not_found("../not-mine-in-any-directory", "cannot open the profile: No such file or directory");

    char path[8];
    struct error e = {0};
    assert_false(profile_find("mine", path, sizeof path, &e));
    assert_string_equal(e.text, "cannot open the profile: File name too long");
    assert_string_equal(path, "");
}

static void names_what_there_is(void **state)
{
    (void)state;
    static const char *const names[] = {"absent", "directory", "", "mine\x1b[1m\n", "absent.prof", ".prof"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[PATH_MAX];
        struct error e = {0};
        assert_false(profile_find(names[i], path, sizeof path, &e));
        char start[128];
        snprintf(start, sizeof start, "there is no %s '%s'; name a file, or one of the profiles ",
                 strstr(names[i], ".prof") ? "file" : "profile", names[i][0] == 'm' ? "mine?[1m?" : names[i]);
        if (strncmp(e.text, start, strlen(start)) != 0 || !strstr(e.text, "mine") || !strstr(e.text, "yours"))
            fail_msg("%s", e.text);
        assert_null(strpbrk(e.text, "\x1b\n"));
    }
    char name[5000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    char path[PATH_MAX];
    struct error e = {0};
    assert_false(profile_find(name, path, sizeof path, &e));
    assert_non_null(strstr(e.text, "xxx...'; name a file, or one of"));
}

static void loads_every_shipped_profile(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t modules, utilities, functions, sizes[SIZE_KINDS];
    } shipped[] = {
        {"llnl-2007", 280, 215, -1, {287000000, 9000000, 1100000000, 17000000, 92000000, -1}},
        {"pynamic-2007", 280, 215, 1850, {665000000, 13000000, 1100000000, 36000000, 348000000, -1}},
        {"llnl-900", 550, 350, -1, {619400000, 17300000, 1400000000, 44400000, 196100000, -1}},
        {"small", 8, 4, -1, {8000000, 400000, 18000000, 600000, 3000000, -1}},
    };
    setenv("PYELFGEN_PROFILES", PYELFGEN_SOURCE_PROFILES, 1);
    for (size_t i = 0; i < sizeof shipped / sizeof shipped[0]; i++) {
        char path[PATH_MAX];
        struct profile p = {0};
        struct error e = {0};
        if (!profile_find(shipped[i].name, path, sizeof path, &e) || !profile_load(&p, path, &e))
            fail_msg("%s", e.text);
        assert_true(p.modules == shipped[i].modules && p.utilities == shipped[i].utilities);
        assert_true(p.functions == shipped[i].functions);
        assert_memory_equal(p.sections, shipped[i].sizes, sizeof p.sections);
        assert_string_not_equal(p.application, "");
        profile_free(&p);
    }
    unsetenv("PYELFGEN_PROFILES");
}

#ifdef PYELFGEN_BUILD_DIR
static void finds_shipped_profiles_from_a_build(void **state)
{
    (void)state;
    char program[PATH_MAX] = "", build[PATH_MAX], expected[PATH_MAX + 64];
    assert_true(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    if (!realpath(PYELFGEN_BUILD_DIR, build) || strncmp(program, build, strlen(build)) != 0)
        skip();
    snprintf(expected, sizeof expected, "%s/share/pyelfgen/profiles/small.prof", build);
    unsetenv("PYELFGEN_PROFILES");
    assert_found("small", expected);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_loads_as_the_same),
        cmocka_unit_test(text_is_canonical),
        cmocka_unit_test(text_nests),
        cmocka_unit_test(text_knows_no_locale),
        cmocka_unit_test(text_refuses_what_would_not_load),
        cmocka_unit_test(loads_no_directories_and_devices),
        cmocka_unit_test(saves_and_loads),
        cmocka_unit_test(finds_files_and_names),
        cmocka_unit_test(names_what_there_is),
        cmocka_unit_test(loads_every_shipped_profile),
#ifdef PYELFGEN_BUILD_DIR
        cmocka_unit_test(finds_shipped_profiles_from_a_build),
#endif
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
