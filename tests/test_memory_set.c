/* base/memory_set: the list of a set in memory, which a program finds through its environment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory_set.h"

/* Puts the list where a program looks for it. */
static void give(const char *text)
{
    char number[16];
    int fd = memfd_create("list", 0);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    snprintf(number, sizeof number, "%d", fd);
    setenv(MEMORY_SET_VARIABLE, number, 1);
}

static void test_what_is_written_is_taken(void **state)
{
    char *text = NULL;
    size_t size = 0;
    const uint32_t need[] = {1, 2};
    struct memory_set set;
    struct error e;
    (void)state;
    FILE *f = open_memstream(&text, &size);
    int manifest = memfd_create("manifest", 0);
    int library[3];
    for (unsigned i = 0; i < 3; i++)
        library[i] = memfd_create("library", 0);
    assert_true(memory_set_write(f, manifest, "a profile", NULL, 0));
    assert_true(memory_set_write(f, library[0], "liba.so", need, 2));
    assert_true(memory_set_write(f, library[1], "libb.so", need + 1, 1));
    assert_true(memory_set_write(f, library[2], "libc.so", NULL, 0));
    fclose(f);
    assert_false(memory_set_given());
    setenv(MEMORY_SET_VARIABLE, "", 1); /* is as good as no list */
    assert_false(memory_set_given());
    give(text);
    assert_true(memory_set_given());
    assert_true(memory_set_take(&set, &e));
    assert_false(memory_set_given());
    assert_int_equal(set.manifest, manifest);
    assert_string_equal(set.profile, "a profile");
    assert_int_equal(set.count, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(set.library[i].fd, library[i]);
    assert_string_equal(set.library[2].name, "libc.so");
    assert_int_equal(set.library[0].needs, 2);
    assert_int_equal(set.library[0].need[0], 1);
    assert_int_equal(set.library[0].need[1], 2);
    assert_int_equal(set.library[1].need[0], 2);
    assert_int_equal(set.library[2].needs, 0);
    memory_set_free(&set);
    free(text);
}

static void test_what_is_no_list_is_refused(void **state)
{
    static const char *const wrong[] = {
        " ",
        "9\n",
        "9 p\n",              /* no libraries */
        "9 \n9 liba.so\n",    /* no profile */
        "9 p\n9\n",           /* a library without a name */
        "9 p\n9  \n",         /* the same */
        "9 p\n9 liba.so\n\n", /* an empty line */
        "9 p\nx liba.so\n",   /* no number */
        "9 p\n-1 liba.so\n",  /* no descriptor */
        "9 p\n900 liba.so\n", /* one that is not open */
        "9 p\n0 liba.so\n",   /* a standard stream */
        "9 p\n+9 liba.so\n",  /* a sign */
        " 9 p\n9 liba.so\n",  /* a space in front */
        "1 p\n9 liba.so\n",
        "900 p\n9 liba.so\n",
        "9 p\n9 liba.so 1\n", /* a need that is no library */
        "9 p\n9 liba.so -1\n",
        "9 p\n9 liba.so 18446744073709551616\n",
        "99999999999999999999 p\n9 liba.so\n",
    };
    (void)state;
    struct memory_set set;
    assert_int_equal(dup2(STDIN_FILENO, 9), 9);
    give("9 p\n9 liba.so 0\n");
    assert_true(memory_set_take(&set, NULL));
    memory_set_free(&set);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct error e = {0};
        give(wrong[i]);
        if (memory_set_take(&set, &e))
            fail_msg("%s was taken", wrong[i]);
        assert_int_equal(e.code, ERROR_INPUT);
        memory_set_free(&set); /* does no harm */
    }
    unsetenv(MEMORY_SET_VARIABLE);
    assert_false(memory_set_take(&set, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_is_taken),
        cmocka_unit_test(test_what_is_no_list_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
