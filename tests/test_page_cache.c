/* base/page_cache: what it counts, and what it says of files of which Linux tells this user nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/page_cache.h"

enum { NOBODY = 65534 };

/* Reads the file, and returns what is said of it in `text`. */
static struct page_cache seen_of(int fd, char *text, size_t size)
{
    struct page_cache c = {0};
    struct error e;
    assert_true(page_cache_treat(&c, fd, PAGE_CACHE_READ, &e));
    assert_true(c.bytes > 0);
    page_cache_say(&c, text, size);
    page_cache_free(&c);
    return c;
}

static void test_a_file_of_this_user(void **state)
{
    char text[256];
    (void)state;
    const int fd = memfd_create("file", 0);
    assert_int_equal(write(fd, "text", 4), 4);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_false(seen_of(fd, text, sizeof text).untold);
    assert_non_null(strstr(text, "0.0 of 0.0 MB stay in the page cache: "));
    close(fd);
}

/* Files that end within a page count no more than they have, whatever is in memory. */
static void test_the_last_page(void **state)
{
    static const off_t sizes[] = {1, 4095, 4096, 4097, 123456};
    struct page_cache c = {0};
    struct error e;
    uint64_t bytes = 0;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const int fd = memfd_create("file", 0);
        assert_int_equal(ftruncate(fd, sizes[i]), 0);
        void *map = mmap(NULL, (size_t)sizes[i], PROT_WRITE, MAP_SHARED, fd, 0);
        assert_ptr_not_equal(map, MAP_FAILED);
        memset(map, 'x', (size_t)sizes[i]);
        munmap(map, (size_t)sizes[i]);
        assert_true(page_cache_treat(&c, fd, PAGE_CACHE_DROP, &e));
        bytes += (uint64_t)sizes[i];
        assert_int_equal(c.bytes, bytes);
        assert_int_equal(c.resident, bytes); /* a file in memory only, which cannot be dropped */
        close(fd);
    }
    page_cache_free(&c);
}

/* Whether a file of root's is not told to others; in a process of its own, as root cannot take itself back. */
static bool is_untold_to_others(void)
{
    char text[256];
    const int fd = open("/bin/sh", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || (geteuid() == 0 && setuid(NOBODY) != 0))
        return true; /* it cannot be tried here */
    return seen_of(fd, text, sizeof text).untold && strstr(text, "is unknown: ");
}

static void test_a_file_of_another(void **state)
{
    int status;
    (void)state;
    const pid_t child = fork();
    if (child == 0)
        _exit(is_untold_to_others() ? EXIT_SUCCESS : EXIT_FAILURE);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), EXIT_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_of_this_user),
        cmocka_unit_test(test_the_last_page),
        cmocka_unit_test(test_a_file_of_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
