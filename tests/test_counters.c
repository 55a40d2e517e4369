/* runtime/counters.h: counters count what this test does. */
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

/* A hook of LeakSanitizer, by its name: libsde never frees the descriptions that it was given. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libsde.so\n";
}

enum { PAGE = 4096, MOST = 64 };

struct readings {
    struct counters *counters; /* opened once for the group, which also closes them */
    uint64_t before[MOST], after[MOST];
};

static const struct counters_wish everything = {{true, true, true, true, true}, true};
static const struct counters_wish cheap = {{true, true, false, true, false}, false};

static struct counters *open_counters(const struct counters_wish *wish)
{
    struct error e;
    const struct counter *list;
    struct counters *c = counters_open(wish, &e);
    assert_non_null(c);
    assert_true(counters_list(c, &list) <= MOST);
    return c;
}

/* The counters of all tests but the first. PAPI reads what we publish and what the kernel counts by itself. */
static int start(void **state)
{
    setenv("PAPI_EVENTS", "perf::PAGE-FAULTS,sde:::pyelf::modules_imported,no_such_event", 1);
    *state = open_counters(&everything);
    unsetenv("PAPI_EVENTS");
    return 0;
}

static void begin(struct readings *r, void **state)
{
    r->counters = *state;
    counters_before(r->counters, r->before);
}

static int end(void **state)
{
    counters_close(*state);
    return 0;
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

/* By how much the counter grew. Skips the test if the counter is absent. */
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

/* If counters are not asked for, no library is loaded for them. This test has to be the first, because the others load
 * such libraries. */
static void test_costs_nothing(void **state)
{
    (void)state;
    struct readings r;
    size_t at;
    bool pmu = access("/sys/bus/event_source/devices/cpu", F_OK) == 0 ||
               access("/sys/bus/event_source/devices/cpu_core", F_OK) == 0;
    r.counters = open_counters(&cheap);
    counters_before(r.counters, r.before);
    assert_null(dlopen("libsde.so.1", RTLD_NOW | RTLD_NOLOAD));
    assert_string_not_equal(counters_unpublished(r.counters), "");
    assert_string_equal(find(&r, "minor-faults", &at)->absent, "");
    assert_in_range(counters_startup(r.counters)[at], 10, r.before[at]);
    if (!pmu) {
        assert_null(dlopen("libpapi.so.7.0", RTLD_NOW | RTLD_NOLOAD));
        const struct counter *c = find(&r, "PAPI_L1_DCM", &at);
        assert_non_null(strstr(c->absent, "no hardware counters here"));
        assert_true(r.before[at] == COUNTERS_UNKNOWN && counters_startup(r.counters)[at] == COUNTERS_UNKNOWN);
    }
    counters_close(r.counters);
}

/* Sources that need a launcher say so. */
static void test_launcher(void **state)
{
    struct readings r;
    size_t at;
    begin(&r, state);
    assert_non_null(strstr(find(&r, "objects-opened", &at)->absent, "--audit"));
    assert_non_null(strstr(find(&r, "simulated_D1_misses", &at)->absent, "--simulate"));
}

static void test_list(void **state)
{
    struct readings r;
    const struct counter *list;
    begin(&r, state);
    size_t count = counters_list(r.counters, &list);
    for (size_t i = 0; i < count; i++) {
        print_message("%-36s %-12s %-6s %s\n", list[i].name, list[i].unit, list[i].source, list[i].absent);
        assert_true(list[i].name[0] && list[i].unit && list[i].source);
        assert_int_equal(r.before[i] == COUNTERS_UNKNOWN, list[i].absent[0] != '\0');
        for (size_t k = 0; k < i; k++)
            assert_true(strcmp(list[i].name, list[k].name) != 0 || strcmp(list[i].source, list[k].source) != 0);
    }
}

static void test_page_faults(void **state)
{
    enum { PAGES = 1000 };
    struct readings r;
    begin(&r, state);
    char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        memory[i * PAGE] = 1;
    counters_after(r.counters, r.after);
    assert_in_range(grown(&r, "minor-faults"), PAGES, PAGES + PAGES / 4);
    /* the kernel may not have counted some of the pages yet */
    assert_in_range(grown(&r, "rss"), PAGES / 2 * PAGE, 2 * PAGES * PAGE);
    munmap(memory, PAGES * PAGE);
}

static void test_reading(void **state)
{
    struct readings r;
    char buffer[10000];
    int fd = open("/dev/zero", O_RDONLY);
    begin(&r, state);
    assert_int_equal(read(fd, buffer, sizeof buffer), sizeof buffer);
    counters_after(r.counters, r.after);
    /* what reading the counters itself reads is not counted, but for a few bytes of PAPI's */
    assert_in_range(grown(&r, "read-bytes"), sizeof buffer, sizeof buffer + 100);
    close(fd);
}

static void test_switches(void **state)
{
    struct readings r;
    begin(&r, state);
    for (int i = 0; i < 10; i++)
        usleep(1000);
    counters_after(r.counters, r.after);
    assert_in_range(grown(&r, "voluntary-switches"), 10, 100);
}

/* Loads a library that every glibc has and that nothing here needs. */
static void test_loading(void **state)
{
    struct readings r;
    begin(&r, state);
    void *library = dlopen("libBrokenLocale.so.1", RTLD_NOW);
    if (!library)
        skip();
    counters_after(r.counters, r.after);
    assert_int_equal(grown(&r, "sde:::pyelf::libraries_loaded"), 1);
    assert_in_range(grown(&r, "sde:::pyelf::bytes_mapped"), PAGE, 1 << 20);
    assert_int_equal(grown(&r, "sde:::pyelf::modules_imported"), 0);
    dlclose(library);
}

static void test_events(void **state)
{
    struct readings r;
    begin(&r, state);
    counters_add(r.counters, COUNTERS_MODULES_IMPORTED, 3);
    counters_add(r.counters, COUNTERS_ENTRIES_VISITED, 1);
    counters_add(r.counters, COUNTERS_ENTRIES_VISITED, 1);
    counters_after(r.counters, r.after);
    assert_int_equal(grown(&r, "sde:::pyelf::modules_imported"), 3);
    assert_int_equal(grown(&r, "sde:::pyelf::entries_visited"), 2);
}

static void test_papi(void **state)
{
    enum { PAGES = 500 };
    struct readings r;
    begin(&r, state);
    counters_add(r.counters, COUNTERS_MODULES_IMPORTED, 7);
    char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        memory[i * PAGE] = 1;
    counters_after(r.counters, r.after);
    munmap(memory, PAGES * PAGE);

    size_t nothing, faults, published;
    const struct counter *c = find(&r, "no_such_event", &nothing);
    assert_string_equal(c->source, "papi");
    assert_non_null(strstr(c->absent, "PAPI: "));
    if (find(&r, "perf::PAGE-FAULTS", &faults)->absent[0]) {
        print_message("%s\n", find(&r, "perf::PAGE-FAULTS", &faults)->absent);
        skip();
    }
    assert_in_range(r.after[faults] - r.before[faults], PAGES, PAGES + PAGES / 4);

    /* the same name occurs twice: our counter, and PAPI's reading of it */
    published = faults + 1;
    const struct counter *list;
    counters_list(r.counters, &list);
    assert_string_equal(list[published].name, "sde:::pyelf::modules_imported");
    assert_string_equal(list[published].absent, "");
    assert_string_equal(counters_unpublished(r.counters), "");
    assert_int_equal(r.after[published] - r.before[published], 7);
    assert_int_equal(counters_startup(r.counters)[published], COUNTERS_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest first[] = {cmocka_unit_test(test_costs_nothing)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launcher), cmocka_unit_test(test_list),     cmocka_unit_test(test_page_faults),
        cmocka_unit_test(test_reading),  cmocka_unit_test(test_switches), cmocka_unit_test(test_loading),
        cmocka_unit_test(test_events),   cmocka_unit_test(test_papi),
    };
    int failed = cmocka_run_group_tests_name("not asked", first, NULL, NULL);
    return failed + cmocka_run_group_tests_name("asked", tests, start, end);
}
