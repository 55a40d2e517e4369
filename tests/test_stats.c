/* dwarf/stats: files read in this process and in one of their own, sums, and errors. test_pyelfstat_dwarf.py asks other
 * readers what the counts should be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <libdwarf/dwarf.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/profile_words.h"
#include "dwarf/stats/parts.h"
#include "dwarf/stats/stats.h"

/* A profile may have every word that libdwarf knows, but for the ends of ranges, which no entry has. */
static void test_words_are_those_of_profiles(void **state)
{
    static const struct {
        enum stats_tally tally;
        enum profile_words words;
    } kinds[] = {{STATS_TAG, PROFILE_WORDS_TAGS},
                 {STATS_FORM, PROFILE_WORDS_FORMS},
                 {STATS_ATTRIBUTE, PROFILE_WORDS_ATTRIBUTES}};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t known = 0;
        for (uint32_t key = 0; key <= 0xffff; key++) {
            char text[STATS_NAME];
            const char *const name = stats_key_name(kinds[i].tally, key, text);
            if (name == text || strcmp(name, "lo_user") == 0 || strcmp(name, "hi_user") == 0)
                continue;
            if (!profile_words_have(kinds[i].words, name, strlen(name)))
                fail_msg("%s", name);
            known++;
        }
        assert_true(known > 40);
        assert_true(profile_words_have(kinds[i].words, "others", 6));
        assert_false(profile_words_have(kinds[i].words, "", 0));
        assert_false(profile_words_have(kinds[i].words, "other", 5));
        assert_false(profile_words_have(kinds[i].words, "member type", 11));
    }
    assert_true(profile_words_have(PROFILE_WORDS_TAGS, "access_declaration", 18));
    assert_false(profile_words_have(PROFILE_WORDS_TAGS, "others ", 7));
}

/* A shared library, made once. */
struct tiny {
    char directory[64];
    char path[80];
    struct bytes image;
};

static void run(const struct tiny *t, const char *command)
{
    char line[2 * PATH_MAX];
    snprintf(line, sizeof line, "cd '%s' && { %s; }", t->directory, command);
    assert_int_equal(system(line), 0);
}

static void take_image(struct tiny *t)
{
    FILE *f = fopen(t->path, "rb");
    assert_non_null(f);
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        bytes_append(&t->image, block, n);
    fclose(f);
    assert_false(t->image.failed);
}

static int make_tiny(void **state)
{
    struct tiny *t = calloc(1, sizeof *t);
    assert_non_null(t);
    strcpy(t->directory, "/tmp/test_stats.XXXXXX");
    assert_non_null(mkdtemp(t->directory));
    snprintf(t->path, sizeof t->path, "%s/tiny.so", t->directory);
    run(t, "printf 'int inner(int);\\n"
           "static int twice(int x) { return inner(x) + inner(x + 1); }\\n"
           "int outer(int a, int b) { int s = 0; for (int i = a; i < b; i++) s += twice(i); return s; }\\n' > tiny.c");
    run(t, "gcc -g -gdwarf-5 -O2 -fPIC -shared -o tiny.so tiny.c && strip -g -o bare.so tiny.so");
    take_image(t);
    *state = t;
    return 0;
}

static int remove_tiny(void **state)
{
    struct tiny *t = *state;
    run(t, "rm -r \"$PWD\"");
    bytes_free(&t->image);
    free(t);
    return 0;
}

/* Statistics are too large for the stack. */
static struct debug_stats *new_stats(void)
{
    struct debug_stats *s = calloc(1, sizeof *s);
    assert_non_null(s);
    return s;
}

static void delete_stats(struct debug_stats *s)
{
    stats_free(s);
    free(s);
}

static void assert_same(const struct debug_stats *a, const struct debug_stats *b)
{
    assert_memory_equal(a->number, b->number, sizeof a->number);
    assert_memory_equal(a->tally, b->tally, sizeof a->tally);
    assert_int_equal(a->shapes.count, b->shapes.count);
    assert_string_equal(a->remark, b->remark);
}

/* ---- files ---- */

static void test_same_here_and_apart(void **state)
{
    const struct tiny *t = *state;
    struct debug_stats *here = new_stats();
    struct debug_stats *apart = new_stats();
    assert_true(stats_read_here(t->path, 0, here, NULL));
    assert_true(stats_read(t->path, apart, NULL));
    assert_same(here, apart);
    assert_int_equal(here->number[STATS_FILES], 1);
    assert_int_equal(here->number[STATS_COMPILE_UNITS], 1);
    assert_int_equal(here->number[STATS_FUNCTIONS], 1);
    assert_int_equal(here->number[STATS_INLINED], 1);
    assert_int_equal(here->number[STATS_UNREADABLE], 0);
    assert_true(here->number[STATS_PARAMETERS_LIST] >= 2);
    assert_true(here->number[STATS_LINE_SEQUENCES] == 1 && here->number[STATS_LINE_ROWS] > 10);
    assert_true(here->shapes.count > 5 && here->shapes.count <= here->number[STATS_ABBREVIATIONS]);
    delete_stats(here);
    delete_stats(apart);
}

static void test_files_add_up(void **state)
{
    const struct tiny *t = *state;
    struct debug_stats *s = new_stats();
    assert_true(stats_read(t->path, s, NULL));
    uint64_t dies = s->number[STATS_DIES];
    size_t shapes = s->shapes.count;
    assert_true(stats_read(t->path, s, NULL));
    assert_int_equal(s->number[STATS_FILES], 2);
    assert_int_equal(s->number[STATS_DIES], 2 * dies);
    assert_int_equal(s->shapes.count, shapes);
    delete_stats(s);
}

/* Several processes at once, which are finished in another order than started. */
static void test_several_at_once(void **state)
{
    const struct tiny *t = *state;
    struct debug_stats *s = new_stats();
    struct stats_reader readers[4];
    for (int i = 0; i < 4; i++)
        assert_true(stats_start(&readers[i], t->path, NULL));
    for (int i = 3; i >= 0; i--)
        assert_true(stats_finish(&readers[i], s, NULL));
    assert_int_equal(s->number[STATS_FILES], 4);
    delete_stats(s);
}

/* Asserts the error for a process that is killed before it answers; tries again if the process was faster. `over`: its
 * processor time is used up, so that the kernel must have killed it for that. */
static void assert_killed(const char *path, bool over, const char *text)
{
    struct error e = {0};
    struct debug_stats *s = new_stats();
    struct stats_reader reader;
    bool read = true;
    for (int i = 0; i < 100 && read; i++) {
        assert_true(stats_start(&reader, path, &e));
        kill(reader.process, SIGKILL);
        if (over)
            reader.seconds = 0;
        read = stats_finish(&reader, s, &e);
    }
    assert_false(read);
    assert_string_equal(e.file, path);
    assert_non_null(strstr(e.text, text));
    delete_stats(s);
}

static void test_killed(void **state)
{
    const struct tiny *t = *state;
    assert_killed(t->path, false, "was killed, perhaps for lack of memory");
    assert_killed(t->path, true, "was stopped after 0 s of processor time");
}

/* Where SIGCHLD is ignored, nobody knows how the process ended. An answer counts all the same. */
static void test_children_that_are_ignored(void **state)
{
    const struct tiny *t = *state;
    struct debug_stats *s = new_stats();
    void (*const before)(int) = signal(SIGCHLD, SIG_IGN);
    assert_true(stats_read(t->path, s, NULL));
    assert_int_equal(s->number[STATS_FUNCTIONS], 1);
    assert_killed(t->path, false, "the process that read it has ended without an answer");
    signal(SIGCHLD, before);
    delete_stats(s);
}

/* Units of many sizes. Some are read, and what they say of all is about right. */
static void test_samples(void **state)
{
    const struct tiny *t = *state;
    run(t, "for i in $(seq 40); do { for j in $(seq $((1 + i * 7 % 13))); do printf "
           "'struct s%d { int a; char b[%d]; } v%d_%d; int f%d_%d(int a) { int b = a * %d; return b; }\\n' "
           "$j $j $i $j $i $j $i; done; } > many$i.c; done && gcc -g -O1 -fPIC -shared -o many.so many*.c");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/many.so", t->directory);
    struct debug_stats *all = new_stats();
    struct debug_stats *some = new_stats();
    assert_true(stats_read_here(path, 0, all, NULL));
    assert_int_equal(all->sample.bytes_read, all->sample.bytes);
    assert_true(stats_scale(all) == 0);
    const uint64_t wanted = all->sample.bytes / 4;
    assert_true(stats_read_here(path, wanted, some, NULL));
    assert_int_equal(some->sample.units, 40);
    assert_int_equal(some->sample.bytes, all->sample.bytes);
    assert_true(some->sample.units_read > 5 && some->sample.units_read < 20);
    assert_true(some->sample.bytes_read > wanted / 2 && some->sample.bytes_read < wanted * 2);
    double error = stats_scale(some);
    double dies = (double)all->number[STATS_DIES];
    double off = ((double)some->number[STATS_DIES] - dies) / dies;
    assert_true(error > 0 && error < 0.2);
    assert_true(off < 4 * error && off > -4 * error);
    assert_int_equal(some->number[STATS_COMPILE_UNITS], 40);
    assert_true(all->number[STATS_CODE_BYTES] > 0);
    assert_int_equal(some->number[STATS_CODE_BYTES], all->number[STATS_CODE_BYTES]); /* of all units */
    delete_stats(all);
    delete_stats(some);
}

/* If the only unit is more than may be read, its beginning is read. */
static void test_sample_of_one_unit(void **state)
{
    const struct tiny *t = *state;
    struct debug_stats *all = new_stats();
    struct debug_stats *some = new_stats();
    assert_true(stats_read_here(t->path, 0, all, NULL));
    assert_true(stats_read_here(t->path, all->sample.bytes / 2, some, NULL));
    assert_true(some->number[STATS_DIES] < all->number[STATS_DIES]);
    assert_true(some->sample.bytes_read < some->sample.bytes);
    assert_true(stats_scale(some) == 1);
    assert_true(some->number[STATS_DIES] > all->number[STATS_DIES] / 2);
    assert_true(some->number[STATS_DIES] < all->number[STATS_DIES] * 2);
    delete_stats(all);
    delete_stats(some);
}

/* Of a library whose debug information is split, the skeletons are read whole and .dwo files in part. That says nothing
 * of the rows of line tables, which the library has. */
static void test_sample_of_split_units(void **state)
{
    const struct tiny *t = *state;
    enum { UNITS = 6 };
    run(t, "for i in $(seq 6); do for j in $(seq 40); do printf 'struct s%d { int a; char b[%d]; } v%d_%d; int f%d_%d"
           "(int a) { int b = a * %d; return b; }\n' $j $j $i $j $i $j $i; done > split$i.c; "
           "gcc -g -gsplit-dwarf -O1 -fPIC -c split$i.c; done && gcc -shared -o split.so split*.o");
    struct debug_stats *all = new_stats();
    struct debug_stats *some = new_stats();
    for (int i = 0; i <= UNITS; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/split%.0d.%s", t->directory, i, i ? "dwo" : "so");
        const uint64_t before = all->sample.bytes;
        assert_true(stats_read_here(path, 0, all, NULL));
        assert_true(stats_read_here(path, i ? (all->sample.bytes - before) / 4 : 0, some, NULL));
    }
    assert_int_equal(all->number[STATS_SKELETON_UNITS], UNITS);
    assert_int_equal(all->number[STATS_COMPILE_UNITS], UNITS);
    assert_true(all->number[STATS_LINE_ROWS] > 40 * UNITS);
    assert_int_equal(some->sample.units_read, some->sample.units); /* but not whole */
    const double error = stats_scale(some);
    const double off = (double)some->number[STATS_DIES] / (double)all->number[STATS_DIES] - 1;
    assert_true(error > 0 && error < 1 && off < 0.5 && off > -0.5);
    assert_int_equal(some->number[STATS_LINE_ROWS], all->number[STATS_LINE_ROWS]);
    assert_int_equal(some->number[STATS_LINE_TABLES], UNITS);
    delete_stats(all);
    delete_stats(some);
}

static void test_no_debug_information(void **state)
{
    const struct tiny *t = *state;
    struct debug_stats *s = new_stats();
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/bare.so", t->directory);
    assert_true(stats_read(path, s, NULL));
    assert_int_equal(s->number[STATS_FILES], 1);
    assert_int_equal(s->number[STATS_FILES_WITHOUT], 1);
    assert_int_equal(s->number[STATS_DIES], 0);
    delete_stats(s);
}

static void assert_refused(const char *path, const char *text)
{
    struct debug_stats *s = new_stats();
    s->number[STATS_DIES] = 7;
    for (int here = 0; here < 2; here++) {
        struct error e = {0};
        assert_false(here ? stats_read_here(path, 0, s, &e) : stats_read(path, s, &e));
        assert_string_equal(e.file, path);
        if (!strstr(e.text, text))
            fail_msg("'%s' is not in '%s'", text, e.text);
        assert_int_equal(s->number[STATS_DIES], 7);
        assert_int_equal(s->number[STATS_FILES], 0);
    }
    delete_stats(s);
}

static void test_what_is_no_file(void **state)
{
    const struct tiny *t = *state;
    char path[PATH_MAX];
    run(t, "mkfifo fifo && : > empty");
    assert_refused("/nowhere", "cannot open: No such file or directory");
    assert_refused(t->directory, "is not a regular file");
    assert_refused("/dev/null", "is not a regular file");
    snprintf(path, sizeof path, "%s/fifo", t->directory);
    assert_refused(path, "is not a regular file");
    snprintf(path, sizeof path, "%s/tiny.c", t->directory);
    assert_refused(path, "is not an object file that libdwarf reads");
    snprintf(path, sizeof path, "%s/empty", t->directory);
    assert_refused(path, "is not an object file that libdwarf reads");
}

/* A file that is cut off in many places gives an answer each time; an error adds nothing. Each is read in its own
 * process, because libdwarf leaks memory on some and ends by a signal on others. */
static void test_cut_off(void **state)
{
    const struct tiny *t = *state;
    int fd = memfd_create("cut", MFD_CLOEXEC);
    char path[64];
    assert_true(fd >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(write(fd, t->image.data, t->image.size), t->image.size);
    struct debug_stats *s = new_stats();
    uint64_t read = 0;
    for (size_t size = t->image.size / 97 * 97; size > 0; size -= size < 970 ? size : 970) {
        assert_int_equal(ftruncate(fd, (off_t)size), 0);
        struct error e = {0};
        if (stats_read(path, s, &e)) {
            read++;
        } else {
            assert_int_equal(e.code, ERROR_INPUT);
            assert_string_equal(e.file, path);
        }
    }
    assert_int_equal(s->number[STATS_FILES], read);
    delete_stats(s);
    close(fd);
}

/* ---- counting ---- */

static void test_tallies_are_bounded(void **state)
{
    (void)state;
    struct debug_stats *s = new_stats();
    struct debug_stats *sum = new_stats();
    /* Keys descend, so that each goes before all others. */
    for (uint32_t key = STATS_KEYS + 10; key > 0; key--)
        stats_tally_add(s, STATS_TAG, key, key);
    const struct stats_tally_table *table = &s->tally[STATS_TAG];
    assert_int_equal(table->count, STATS_KEYS);
    for (uint32_t i = 0; i < STATS_KEYS; i++) {
        assert_int_equal(table->of[i].key, i + 11);
        assert_int_equal(table->of[i].uses, i + 11);
    }
    assert_int_equal(table->rest, 55);
    assert_true(stats_add(sum, s, NULL) && stats_add(sum, s, NULL));
    assert_int_equal(sum->tally[STATS_TAG].of[5].uses, 32);
    assert_int_equal(sum->tally[STATS_TAG].rest, 110);
    delete_stats(s);
    delete_stats(sum);
}

static void test_sections(void **state)
{
    (void)state;
    struct debug_stats *s = new_stats();
    stats_add_section(s, ".text", 100, 100);
    stats_add_section(s, ".text.hot", 20, 20);
    stats_add_section(s, ".textual", 3, 3);
    stats_add_section(s, ".debug_info", 50, 500);
    stats_add_section(s, ".zdebug_info", 6, 60);
    stats_add_section(s, ".data", 1, 1);
    assert_int_equal(s->number[STATS_TEXT_BYTES], 120);
    assert_int_equal(s->section_count, 1);
    assert_string_equal(s->section[0].name, ".debug_info");
    assert_int_equal(s->section[0].file_bytes, 56);
    assert_int_equal(s->section[0].bytes, 560);
    char name[256];
    for (int i = 0; i < 2 * STATS_SECTIONS; i++) {
        snprintf(name, sizeof name, ".debug_%d_and_a_name_that_is_longer_than_there_is_room_for_it", i);
        stats_add_section(s, name, 1, 2);
    }
    assert_int_equal(s->section_count, STATS_SECTIONS);
    assert_string_equal(s->section[STATS_SECTIONS - 1].name, "others");
    uint64_t bytes = 0;
    for (int i = 0; i < STATS_SECTIONS; i++)
        bytes += s->section[i].bytes;
    assert_int_equal(bytes, 560 + 4 * STATS_SECTIONS);
    delete_stats(s);
}

static void test_sets(void **state)
{
    (void)state;
    struct stats_set set = {0};
    bool added;
    for (uint64_t round = 0; round < 2; round++) {
        for (uint64_t value = 0; value < 10000; value++) {
            assert_true(stats_set_add(&set, value * value, &added));
            assert_int_equal(added, round == 0);
        }
    }
    assert_int_equal(set.count, 10000);
    stats_set_free(&set);
    assert_null(set.slot);
    stats_set_free(&set);
}

static void test_names(void **state)
{
    (void)state;
    char text[STATS_NAME];
    assert_string_equal(stats_key_name(STATS_TAG, DW_TAG_member, text), "member");
    assert_string_equal(stats_key_name(STATS_ATTRIBUTE, DW_AT_GNU_locviews, text), "GNU_locviews");
    assert_string_equal(stats_key_name(STATS_FORM, DW_FORM_implicit_const, text), "implicit_const");
    assert_string_equal(stats_key_name(STATS_LANGUAGE, DW_LANG_C11, text), "C11");
    assert_string_equal(stats_key_name(STATS_VERSION, 5, text), "5");
    assert_string_equal(stats_key_name(STATS_TAG, 0xfffe, text), "0xfffe");
    for (int n = 0; n < STATS_NUMBERS; n++)
        assert_non_null(stats_number_names[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_are_those_of_profiles),
        cmocka_unit_test(test_same_here_and_apart),
        cmocka_unit_test(test_files_add_up),
        cmocka_unit_test(test_several_at_once),
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_children_that_are_ignored),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_sample_of_one_unit),
        cmocka_unit_test(test_sample_of_split_units),
        cmocka_unit_test(test_no_debug_information),
        cmocka_unit_test(test_what_is_no_file),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_tallies_are_bounded),
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, make_tiny, remove_tiny);
}
