/* base/: randomness, shares, files, processors. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file_begin.h"
#include "base/random.h"
#include "base/relay.h"
#include "base/replacement.h"
#include "base/shares.h"
#include "base/whole.h"
#include "base/workers.h"

/* ---- randomness ---- */

/* Java's SplittableRandom(0) and the reference code of SplitMix64 begin with these numbers. */
static void test_random_is_splitmix64(void **state)
{
    (void)state;
    struct random r = {0};
    assert_true(random_next(&r) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(random_next(&r) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(random_next(&r) == UINT64_C(0x06c45d188009454f));
    assert_true(random_at(0, 2) == UINT64_C(0x06c45d188009454f));
}

static void test_random_below_stays_below(void **state)
{
    (void)state;
    assert_int_equal(random_below(UINT64_MAX, 10), 9);
    assert_int_equal(random_below(0, 10), 0);
    assert_int_equal(random_below(UINT64_MAX, 1), 0);
    assert_int_equal(random_below(UINT64_MAX, UINT64_C(1) << 32), UINT32_MAX);
}

static void test_shares_are_the_sum(void **state)
{
    (void)state;
    struct shares few = {.sum = 10, .weights = 8};
    assert_int_equal(shares_next(&few, 3), 3);
    assert_int_equal(shares_next(&few, 0), 0);
    assert_int_equal(shares_next(&few, 3), 4);
    assert_int_equal(shares_next(&few, 2), 3);
    struct shares most = {.sum = UINT64_MAX, .weights = UINT64_MAX};
    assert_int_equal(shares_next(&most, UINT64_MAX - 1), UINT64_MAX - 1);
    assert_int_equal(shares_next(&most, 1), 1);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void test_file_begin(void **state)
{
    (void)state;
    char path[] = "begin-XXXXXX", begin[SELFMAG];
    ssize_t got;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_true(file_begin(path, begin, sizeof begin, &got));
    assert_int_equal(got, 0);
    assert_false(file_begin_is_elf(begin, got));
    write_text(path, "\177EL");
    assert_true(file_begin(path, begin, sizeof begin, &got));
    assert_int_equal(got, 3);
    assert_false(file_begin_is_elf(begin, got));
    write_text(path, "\177ELF and more");
    assert_true(file_begin(path, begin, sizeof begin, &got));
    assert_true(file_begin_is_elf(begin, got));

    assert_int_equal(unlink(path), 0);
    assert_false(file_begin(path, begin, sizeof begin, &got));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_true(file_begin(path, begin, sizeof begin, &got)); /* without waiting for a writer */
    assert_int_equal(got, -1);
    assert_int_equal(unlink(path), 0);
}

/* A read from a pipe gives what is there, and a write takes what there is room for: much less than all. */
static void test_whole_is_more_than_a_pipe_holds(void **state)
{
    (void)state;
    static char sent[1 << 20], got[sizeof sent + 1];
    int ends[2];
    memset(sent, 'x', sizeof sent);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0)
        _exit(whole_write(ends[1], sent, sizeof sent) ? 0 : 1);
    assert_true(child > 0);
    close(ends[1]);
    assert_int_equal(whole_read(ends[0], got, sizeof got), sizeof sent);
    assert_memory_equal(got, sent, sizeof sent);
    assert_int_equal(whole_read(ends[0], got, sizeof got), 0);
    close(ends[0]);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* All is read, or as much as is wanted, wherever the buffer's ends are. */
static void test_whole_most_is_all_or_what_is_wanted(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, (1 << 16) - 1, 1 << 16, (1 << 16) + 1, 1 << 18, 300000};
    static char sent[300000];
    memset(sent, 'x', sizeof sent);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t k = 1; k < sizeof sizes / sizeof sizes[0]; k++) {
            char path[] = "whole-XXXXXX";
            const int fd = mkstemp(path);
            assert_true(fd >= 0);
            assert_int_equal(unlink(path), 0);
            assert_true(whole_write(fd, sent, sizes[i]));
            assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
            size_t size;
            char *const got = whole_read_most(fd, sizes[k], &size);
            assert_non_null(got);
            assert_int_equal(size, sizes[i] < sizes[k] ? sizes[i] : sizes[k]);
            assert_memory_equal(got, sent, size);
            free(got);
            close(fd);
            assert_null(whole_read_most(fd, sizes[k], &size));
            assert_int_equal(errno, EBADF);
        }
}

static void test_whole_at_ends_with_the_file(void **state)
{
    (void)state;
    char path[] = "whole-XXXXXX", got[8];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(unlink(path), 0);
    assert_true(whole_write_at(fd, "text", 4, 3));
    assert_int_equal(whole_read_at(fd, got, sizeof got, 4), 3);
    assert_memory_equal(got, "ext", 3);
    assert_int_equal(whole_read_at(fd, got, sizeof got, 7), 0);
    close(fd);
    assert_int_equal(whole_read_at(fd, got, sizeof got, 0), -1);
    assert_int_equal(errno, EBADF);
    assert_false(whole_write(fd, "text", 4));
    assert_int_equal(errno, EBADF);
}

static void expect_text(const char *path, const char *text)
{
    char found[64] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fgets(found, sizeof found, f) || !*text);
    fclose(f);
    assert_string_equal(found, text);
}

static void replace(const char *path)
{
    struct replacement r;
    struct error e;
    assert_true(replacement_open(&r, path, RESULT_REPORT, &e));
    fputs("new", r.file);
    assert_true(replacement_keep(&r, &e));
}

static void test_replacement_keeps_links_and_rights(void **state)
{
    (void)state;
    char directory[] = "replacement-XXXXXX", here[PATH_MAX];
    struct replacement r;
    struct error e;
    struct stat st;
    assert_non_null(getcwd(here, sizeof here));
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
    assert_int_equal(mkdir("far", 0777), 0);
    assert_int_equal(symlink("far/second", "first"), 0);
    assert_int_equal(symlink("third", "far/second"), 0);
    assert_int_equal(symlink("itself", "itself"), 0);
    const mode_t mask = umask(027);
    replace("first");
    umask(mask);
    expect_text("far/third", "new");
    assert_int_equal(lstat("first", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(lstat("far/second", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat("first", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);

    assert_int_equal(chmod("far/third", 0604), 0);
    replace("first");
    assert_int_equal(stat("far/third", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0604);

    assert_false(replacement_open(&r, "itself", RESULT_REPORT, &e));
    assert_non_null(strstr(e.text, "Too many levels of symbolic links"));
    unlink("first");
    unlink("far/second");
    unlink("far/third");
    unlink("itself");
    assert_int_equal(rmdir("far"), 0);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(rmdir(directory), 0); /* nothing else is in it */
}

/* Names as long as names may be leave no room for a suffix. A longer name is refused at once. */
static void test_replacement_of_long_names(void **state)
{
    (void)state;
    char directory[] = "replacement-XXXXXX", here[PATH_MAX], name[NAME_MAX + 2];
    struct replacement r;
    struct error e;
    assert_non_null(getcwd(here, sizeof here));
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
    memset(name, 'n', sizeof name);
    for (size_t length = NAME_MAX - 8; length <= NAME_MAX; length++) {
        name[length] = '\0';
        assert_true(replacement_possible(name, RESULT_REPORT, &e));
        replace(name);
        replace(name); /* the file exists, so its path is absolute now */
        expect_text(name, "new");
        unlink(name);
        name[length] = 'n';
    }
    name[NAME_MAX + 1] = '\0';
    assert_false(replacement_open(&r, name, RESULT_REPORT, &e));
    assert_non_null(strstr(e.text, "File name too long"));
    assert_int_equal(chdir(here), 0);
    assert_int_equal(rmdir(directory), 0); /* nothing else is in it */
}

static void test_replacement_is_whole_or_not_there(void **state)
{
    (void)state;
    char directory[] = "replacement-XXXXXX", here[PATH_MAX], name[PATH_MAX + 100];
    struct replacement r;
    struct error e;
    assert_non_null(getcwd(here, sizeof here));
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chdir(directory), 0);
    write_text("old", "old");
    assert_int_equal(symlink("old", "link"), 0);

    assert_true(replacement_open(&r, "link", RESULT_REPORT, &e));
    fputs("half", r.file);
    expect_text("old", "old"); /* nothing of the new text is there yet */
    replacement_drop(&r);
    assert_null(r.file);
    expect_text("old", "old");

    assert_true(replacement_open(&r, "link", RESULT_REPORT, &e));
    fputs("new", r.file);
    assert_true(replacement_keep(&r, &e));
    expect_text("old", "new");
    struct stat st;
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));

    assert_true(replacement_is_same("link", "./old") && replacement_is_same("-", "-"));
    snprintf(name, sizeof name, "../%s/another", directory); /* which is not there yet */
    assert_true(replacement_is_same("another", name));
    assert_int_equal(symlink("another", "waiting"), 0); /* a link to what is not there yet */
    assert_true(replacement_is_same("waiting", name) && !replacement_is_same("waiting", "old"));
    unlink("waiting");
    assert_false(replacement_is_same("old", "another") || replacement_is_same("-", "./-"));
    assert_true(replacement_possible("another", RESULT_REPORT, &e));
    assert_false(replacement_possible(".", RESULT_REPORT, &e));
    assert_string_equal(e.text, "is a directory; give another name");
    assert_int_equal(e.code, ERROR_INPUT);
    assert_false(replacement_possible("/dev/null", RESULT_REPORT, &e));
    assert_string_equal(e.text, "is no regular file; give another name");
    write_text("old", "\177ELF\2\1\1");
    assert_false(replacement_possible("link", RESULT_REPORT, &e));
    assert_non_null(strstr(e.text, "is a library or program"));
    expect_text("old", "\177ELF\2\1\1");
    write_text("old", "{\n  \"pyelfgen-manifest\": 1");
    assert_false(replacement_possible("link", RESULT_REPORT, &e));
    assert_non_null(strstr(e.text, "is the manifest of a set"));
    write_text("old", "# a comment\npyelfgen-profile: 1\n");
    assert_true(replacement_possible("link", RESULT_PROFILE, &e));
    assert_false(replacement_possible("link", RESULT_REPORT, &e));
    assert_string_equal(e.text, "is a profile, which no result replaces; give another name");
    write_text("old", "\177ELF\2\1\1");
    expect_text("old", "\177ELF\2\1\1");
    assert_false(replacement_possible("no/such", RESULT_REPORT, &e));
    assert_string_equal(e.file, "no/such");
    assert_string_equal(e.text, "cannot be written; choose another directory: No such file or directory");
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_false(replacement_possible(name, RESULT_REPORT, &e));
    assert_non_null(strstr(e.text, "File name too long"));

    unlink("old");
    unlink("link");
    assert_int_equal(chdir(here), 0);
    assert_int_equal(rmdir(directory), 0); /* nothing else is in it */
}

/* A child that is ended while it writes leaves nothing behind; afterwards signals do what they did before. */
static void test_replacement_goes_with_the_program(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    char directory[] = "replacement-XXXXXX", path[64];
    struct replacement r;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/result", directory);
    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        int status;
        const pid_t child = fork();
        if (child == 0) {
            signal(signals[i], SIG_DFL);
            if (replacement_open(&r, path, RESULT_REPORT, NULL))
                raise(signals[i]);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        assert_int_equal(rmdir(directory), 0);
        assert_int_equal(mkdir(directory, 0777), 0);
    }
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    assert_true(replacement_open(&r, path, RESULT_REPORT, NULL));
    raise(SIGHUP);
    replacement_drop(&r);
    assert_ptr_equal(signal(SIGTERM, SIG_DFL), SIG_DFL);
    assert_ptr_equal(signal(SIGHUP, SIG_DFL), SIG_IGN);
    assert_int_equal(rmdir(directory), 0);
}

/* ---- workers ---- */

/* A machine with so many processors, of which a process may use every second one. Like Linux, it refuses sets of fewer
 * bits. */
static size_t machine;

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    (void)process;
    if (8 * size < machine) {
        errno = EINVAL;
        return -1;
    }
    CPU_ZERO_S(size, set);
    for (size_t i = 0; i < machine; i += 2)
        CPU_SET_S(i, size, set);
    return 0;
}

static void test_processors_of_machines_of_any_size(void **state)
{
    (void)state;
    static const struct {
        size_t machine;
        unsigned processors;
    } cases[] = {{2, 1}, {8, 4}, {1024, WORKERS_MOST}, {1026, WORKERS_MOST}, {8192, WORKERS_MOST}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        machine = cases[i].machine;
        assert_int_equal(workers_processors(), cases[i].processors);
    }
}

/* ---- signals ---- */

/* A signal that is sent again at once is the same. Another one cancels what was due. */
static void test_a_signal_is_noted_once(void **state)
{
    (void)state;
    struct relay r = {.due = RELAY_NEVER};
    const int64_t before = relay_now();
    assert_int_equal(relay_note(&r, SIGTERM, 1000000), RELAYED_FIRST);
    assert_in_range(r.due, before + 1000000, relay_now() + 1000000);
    const struct relay first = r;
    assert_int_equal(relay_note(&r, SIGINT, 1000000), RELAYED_AGAIN);
    assert_int_equal(r.signal, SIGTERM);
    assert_true(r.due == first.due && r.apart == first.apart);
    r.apart = 0;
    assert_int_equal(relay_note(&r, SIGINT, 1000000), RELAYED_ANOTHER);
    assert_int_equal(r.signal, SIGINT);
    assert_true(r.due == RELAY_NEVER);
    r = (struct relay){.due = RELAY_NEVER};
    assert_int_equal(relay_note(&r, SIGINT, RELAY_NEVER), RELAYED_FIRST);
    assert_true(r.due == RELAY_NEVER);
}

static void test_a_signal_is_passed_on_when_it_is_due(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (!child)
        for (;;)
            pause();
    struct relay r = {.due = RELAY_NEVER};
    int how = 0;
    relay_note(&r, SIGTERM, 1000000);
    relay_pass(&r, child);
    assert_int_equal(waitpid(child, &how, WNOHANG), 0);
    r.due = relay_now();
    relay_pass(&r, child);
    assert_true(r.due == RELAY_NEVER);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_is_splitmix64),
        cmocka_unit_test(test_random_below_stays_below),
        cmocka_unit_test(test_shares_are_the_sum),
        cmocka_unit_test(test_file_begin),
        cmocka_unit_test(test_whole_is_more_than_a_pipe_holds),
        cmocka_unit_test(test_whole_most_is_all_or_what_is_wanted),
        cmocka_unit_test(test_whole_at_ends_with_the_file),
        cmocka_unit_test(test_processors_of_machines_of_any_size),
        cmocka_unit_test(test_a_signal_is_noted_once),
        cmocka_unit_test(test_a_signal_is_passed_on_when_it_is_due),
        cmocka_unit_test(test_replacement_of_long_names),
        cmocka_unit_test(test_replacement_goes_with_the_program),
        cmocka_unit_test(test_replacement_is_whole_or_not_there),
        cmocka_unit_test(test_replacement_keeps_links_and_rights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
