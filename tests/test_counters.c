/* runtime/counters.h: what is counted is what this test does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/counters.h"

enum { PAGE = 4096, MOST = 64 };

struct readings {
    struct counters *counters;
    uint64_t before[MOST], after[MOST];
};

static void begin(struct readings *r)
{
    struct error e;
    const struct counter *list;
    r->counters = counters_open(&e);
    assert_non_null(r->counters);
    assert_true(counters_list(r->counters, &list) <= MOST);
    counters_read(r->counters, r->before);
}

static const struct counter *find(const struct readings *r, const char *name, size_t *at)
{
    const struct counter *list;
    size_t count = counters_list(r->counters, &list);
    for (*at = 0; *at < count; ++*at) {
        if (strcmp(list[*at].name, name) == 0)
            return &list[*at];
    }
    fail_msg("there is no counter %s", name);
    return NULL;
}

/* By how much it grew; skips the test where there is no such counter. */
static uint64_t grown(const struct readings *r, const char *name)
{
    size_t at;
    const struct counter *c = find(r, name, &at);
    if (c->absent[0]) {
        print_message("%s: %s\n", name, c->absent);
        skip();
    }
    assert_true(r->before[at] != COUNTERS_UNKNOWN && r->after[at] != COUNTERS_UNKNOWN);
    return r->after[at] - r->before[at];
}

static void test_list(void **state)
{
    (void)state;
    struct readings r;
    const struct counter *list;
    begin(&r);
    size_t count = counters_list(r.counters, &list);
    for (size_t i = 0; i < count; i++) {
        print_message("%-36s %-12s %-6s %s\n", list[i].name, list[i].unit, list[i].source, list[i].absent);
        assert_true(list[i].name[0] && list[i].unit && list[i].source);
        assert_int_equal(r.before[i] == COUNTERS_UNKNOWN, list[i].absent[0] != '\0');
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(list[i].name, list[k].name);
    }
    counters_close(r.counters);
    counters_close(NULL);
}

static void test_page_faults(void **state)
{
    (void)state;
    enum { PAGES = 1000 };
    struct readings r;
    begin(&r);
    char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        memory[i * PAGE] = 1;
    counters_read(r.counters, r.after);
    assert_in_range(grown(&r, "minor-faults"), PAGES, PAGES + PAGES / 4);
    /* the kernel may keep some pages to itself for a while */
    assert_in_range(grown(&r, "rss"), PAGES / 2 * PAGE, 2 * PAGES * PAGE);
    munmap(memory, PAGES * PAGE);
    counters_close(r.counters);
}

static void test_reading(void **state)
{
    (void)state;
    struct readings r;
    char buffer[10000];
    int fd = open("/dev/zero", O_RDONLY);
    begin(&r);
    assert_int_equal(read(fd, buffer, sizeof buffer), sizeof buffer);
    counters_read(r.counters, r.after);
    /* what reading the counters reads is not among it */
    assert_int_equal(grown(&r, "read-bytes"), sizeof buffer);
    close(fd);
    counters_close(r.counters);
}

static void test_switches(void **state)
{
    (void)state;
    struct readings r;
    begin(&r);
    for (int i = 0; i < 10; i++)
        usleep(1000);
    counters_read(r.counters, r.after);
    assert_in_range(grown(&r, "voluntary-switches"), 10, 100);
    counters_close(r.counters);
}

/* libdl.so.2, which is of every libc, is loaded by nothing here. */
static void test_loading(void **state)
{
    (void)state;
    struct readings r;
    begin(&r);
    void *library = dlopen("libBrokenLocale.so.1", RTLD_NOW);
    if (!library)
        skip();
    counters_read(r.counters, r.after);
    assert_int_equal(grown(&r, "sde:::pyelf::LIBRARIES_LOADED"), 1);
    assert_in_range(grown(&r, "sde:::pyelf::BYTES_MAPPED"), PAGE, 1 << 20);
    assert_int_equal(grown(&r, "sde:::pyelf::MODULES_IMPORTED"), 0);
    dlclose(library);
    counters_close(r.counters);
}

static void test_events(void **state)
{
    (void)state;
    struct readings r;
    begin(&r);
    counters_add(r.counters, COUNTERS_MODULES_IMPORTED, 3);
    counters_add(r.counters, COUNTERS_ENTRIES_VISITED, 1);
    counters_add(r.counters, COUNTERS_ENTRIES_VISITED, 1);
    counters_read(r.counters, r.after);
    assert_int_equal(grown(&r, "sde:::pyelf::MODULES_IMPORTED"), 3);
    assert_int_equal(grown(&r, "sde:::pyelf::ENTRIES_VISITED"), 2);
    counters_close(r.counters);
}

/* PAPI reads what we publish, and what the kernel counts by itself. */
static void test_papi(void **state)
{
    (void)state;
    enum { PAGES = 500 };
    struct readings r;
    setenv("PAPI_EVENTS", "perf::PAGE-FAULTS,sde:::pyelf::MODULES_IMPORTED,no_such_event", 1);
    begin(&r);
    unsetenv("PAPI_EVENTS");
    counters_add(r.counters, COUNTERS_MODULES_IMPORTED, 7);
    char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        memory[i * PAGE] = 1;
    counters_read(r.counters, r.after);
    munmap(memory, PAGES * PAGE);

    const struct counter *list;
    size_t count = counters_list(r.counters, &list);
    assert_string_equal(list[count - 1].name, "no_such_event");
    assert_string_equal(list[count - 1].source, "papi");
    assert_non_null(strstr(list[count - 1].absent, "PAPI: "));
    if (list[count - 2].absent[0] || list[count - 3].absent[0]) {
        print_message("%s\n%s\n", list[count - 2].absent, list[count - 3].absent);
        skip();
    }
    assert_string_equal(counters_unpublished(r.counters), "");
    assert_int_equal(r.after[count - 2] - r.before[count - 2], 7);
    assert_in_range(r.after[count - 3] - r.before[count - 3], PAGES, PAGES + PAGES / 4);
    counters_close(r.counters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),     cmocka_unit_test(test_page_faults), cmocka_unit_test(test_reading),
        cmocka_unit_test(test_switches), cmocka_unit_test(test_loading),     cmocka_unit_test(test_events),
        cmocka_unit_test(test_papi),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
