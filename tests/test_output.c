/* elf/write/output.c: a file whose pieces arrive in any order, and that is read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/write/output.h"

/* The file has several slices; the last one is no whole page. */
enum { SIZE = (9 << 20) + 12345, PIECE = 2777777 };

struct made {
    char path[64];
    int directory;
    struct output output;
};

static uint8_t byte_at(uint64_t place)
{
    return (uint8_t)(place * 2654435761u >> 16);
}

static int set_up(void **state)
{
    struct made *m = calloc(1, sizeof *m);
    snprintf(m->path, sizeof m->path, "test_output.XXXXXX");
    assert_non_null(mkdtemp(m->path));
    m->directory = open(m->path, O_RDONLY | O_DIRECTORY);
    assert_true(m->directory >= 0);
    *state = m;
    return 0;
}

static int tear_down(void **state)
{
    struct made *m = *state;
    unlinkat(m->directory, "whole", 0);
    close(m->directory);
    assert_int_equal(rmdir(m->path), 0); /* nothing else is left, in any test */
    free(m);
    return 0;
}

static void begin(struct made *m)
{
    struct error e;
    uint8_t *bytes = malloc(PIECE);
    assert_true(output_begin(&m->output, m->directory, "whole", "a/whole", 0777, SIZE, &e));
    for (uint64_t end = SIZE; end > 0;) { /* the last piece first */
        const uint64_t size = end < PIECE ? end : PIECE;
        end -= size;
        for (uint64_t i = 0; i < size; i++)
            bytes[i] = byte_at(end + i);
        assert_true(output_write(&m->output, bytes, size, end, &e));
    }
    free(bytes);
}

static void test_comes_back(void **state)
{
    struct made *m = *state;
    struct error e;
    uint8_t *bytes = malloc(SIZE);
    bool same = true;
    begin(m);
    assert_true(output_read(&m->output, bytes, SIZE - 3, 3, &e));
    for (uint64_t i = 0; i < SIZE - 3; i++)
        same &= bytes[i] == byte_at(i + 3);
    assert_true(same);
    free(bytes);
    assert_true(output_end(&m->output, true, &e));
    struct stat st;
    assert_int_equal(fstatat(m->directory, "whole", &st, 0), 0);
    assert_int_equal(st.st_size, SIZE);
    assert_true(st.st_mode & S_IXUSR);
}

/* Reading beyond the end of the file is an error. */
static void test_a_file_that_ends_early(void **state)
{
    struct made *m = *state;
    struct error e = {0};
    uint8_t bytes[64];
    begin(m);
    assert_false(output_read(&m->output, bytes, sizeof bytes, SIZE - 10, &e));
    assert_string_equal(e.file, "a/whole");
    assert_non_null(strstr(e.text, "cannot read the file back"));
    assert_false(output_end(&m->output, false, NULL));
}

static void test_holes_are_zeros(void **state)
{
    struct made *m = *state;
    struct error e;
    char last = 'x';
    assert_true(output_begin(&m->output, m->directory, "whole", "a/whole", 0777, 100000, &e));
    assert_true(output_write(&m->output, &last, 1, 99999, &e));
    assert_true(output_end(&m->output, true, &e));
    int fd = openat(m->directory, "whole", O_RDONLY);
    assert_int_equal(pread(fd, &last, 1, 50000), 1);
    assert_int_equal(last, 0);
    assert_int_equal(pread(fd, &last, 1, 99999), 1);
    assert_int_equal(last, 'x');
    close(fd);
}

static void test_a_place_that_cannot_be_written(void **state)
{
    struct made *m = *state;
    struct error e = {0};
    assert_false(output_begin(&m->output, m->directory, "no/whole", "a/no/whole", 0777, 1, &e));
    assert_non_null(strstr(e.text, "cannot create the file"));
    assert_false(output_end(&m->output, false, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_file_that_ends_early, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_holes_are_zeros, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_place_that_cannot_be_written, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
