/* emit/set/together.h without MPI: for what a rank is refused, and what comes to the leader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <unistd.h>

#include "emit/set/differences.h"
#include "emit/set/tidy.h"
#include "emit/set/together.h"

/* What one rank sends to the other. */
struct ranks_state {
    int rank;
    uint8_t said[512];
    struct bytes sent;
    size_t taken;
};

static void broadcast(struct ranks_state *s, void *bytes, size_t size)
{
    assert_true(size <= sizeof s->said);
    if (s->rank == 0)
        memcpy(s->said, bytes, size);
    else
        memcpy(bytes, s->said, size);
}

static bool agree(struct ranks_state *s, int status, double seconds, struct ranks_failed *failed)
{
    (void)seconds;
    *failed = (struct ranks_failed){.count = status != 0, .first = s->rank, .status = status};
    return true;
}

static void send(struct ranks_state *s, const void *bytes, size_t size)
{
    bytes_append(&s->sent, bytes, size);
    assert_false(s->sent.failed);
}

static void receive(struct ranks_state *s, int from, void *bytes, size_t size)
{
    assert_int_equal(from, 1);
    assert_true(size <= s->sent.size - s->taken);
    memcpy(bytes, s->sent.data + s->taken, size);
    s->taken += size;
}

static const struct ranks_library library = {.broadcast = broadcast, .agree = agree, .send = send, .receive = receive};

static struct ranks rank_of(struct ranks_state *s, int rank)
{
    s->rank = rank;
    return (struct ranks){.place = {.rank = rank, .count = 2},
                          .sets = 1,
                          .set_rank = rank,
                          .set_count = 2,
                          .state = s,
                          .library = &library};
}

/* --- the same plan -------------------------------------------------------------------- */

static struct profile no_profile;

/* Three modules and the two markers. */
static struct plan plan_of(struct plan_library *libraries)
{
    static const char *const names[] = {"libmodule0", "libmodule1", "libmodule2", "libmodulebegin", "libmodulefinal"};
    for (unsigned i = 0; i < 5; i++) {
        libraries[i] = (struct plan_library){.functions = 100, .size = {1000, 200, 3000, 400, 500}};
        strcpy(libraries[i].name, names[i]);
    }
    return (struct plan){.profile = &no_profile, .modules = 3, .library_count = 5, .library = libraries};
}

static const struct set_making making = {.path = "set"};

/* Whether rank 1's plan is taken for the same as rank 0's. */
static bool are_alike(const struct plan *first, const struct plan *second, struct error *e)
{
    struct ranks_state state = {.rank = 0};
    struct ranks r = rank_of(&state, 0);
    assert_true(together_alike(&r, first, &making, e));
    r = rank_of(&state, 1);
    return together_alike(&r, second, &making, e);
}

/* Plans may differ though profile and version are the same. */
static void test_another_plan(void **unused)
{
    (void)unused;
    struct plan_library libraries[2][5];
    const struct plan first = plan_of(libraries[0]);
    const struct plan second = plan_of(libraries[1]);
    struct error e = {0};
    assert_true(are_alike(&first, &second, &e));
    libraries[1][4].size[SIZE_DEBUG]++;
    assert_false(are_alike(&first, &second, &e));
    assert_int_equal(e.code, ERROR_USAGE);
    assert_non_null(strstr(e.text, "plans other libraries from the same profile than that of rank 0; "));
    libraries[1][4].size[SIZE_DEBUG]--;
    libraries[1][0].functions++;
    assert_false(are_alike(&first, &second, &e));
    libraries[1][0].functions--;
    strcpy(libraries[1][0].name, "libmodule3");
    assert_false(are_alike(&first, &second, &e));
}

/* --- one directory ---------------------------------------------------------------------- */

/* The file by which the ranks of another run meet stays, even if no lock keeps that run out. */
static void test_meeting_of_another_run(void **unused)
{
    (void)unused;
    char path[] = "/tmp/pyelfgen-test-XXXXXX";
    const char *name = TIDY_MEETING_START "0" TIDY_MEETING_END;
    struct ranks_state state = {.rank = 0};
    struct ranks r = rank_of(&state, 0);
    const struct set_making how = {.path = path, .ranks = &r};
    struct error e = {0};
    assert_non_null(mkdtemp(path));
    struct directory d = {.fd = open(path, O_RDONLY | O_DIRECTORY), .path = path};
    assert_true(d.fd >= 0);
    assert_true(together_open(&d, &how, &e));
    assert_int_not_equal(faccessat(d.fd, name, F_OK, 0), 0); /* its own file is removed */
    close(openat(d.fd, name, O_WRONLY | O_CREAT, 0600));
    assert_false(together_open(&d, &how, &e));
    assert_non_null(strstr(e.text, "cannot make the file"));
    assert_int_equal(unlinkat(d.fd, name, 0), 0);
    close(d.fd);
    rmdir(path);
}

/* --- what became of them ---------------------------------------------------------------- */

static struct set set_of(const struct plan *plan, struct set_library *libraries)
{
    memset(libraries, 0, plan->library_count * sizeof *libraries);
    return (struct set){.plan = plan, .library = libraries};
}

static void make(struct set *set, const struct share *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct set_library *l = &set->library[s->item[i]];
        l->files = 1;
        l->result = s->item[i];
        if (!l->file)
            l->file = calloc(1, sizeof *l->file);
        assert_non_null(l->file);
    }
}

/* Gives a library that was made differences from its row, in one language after the other. */
static void differ(struct set *set, uint32_t item)
{
    struct set_library *const l = &set->library[item];
    l->differences = calloc(1, sizeof *l->differences);
    assert_non_null(l->differences);
    l->differences->language = (enum units_language)(item % UNITS_LANGUAGES);
}

static void forget(struct set *set)
{
    for (uint32_t i = 0; i < set->plan->library_count; i++) {
        free(set->library[i].file);
        free(set->library[i].differences);
    }
}

/* Rank 1 has made `theirs`, and sends that to rank 0, which has made 0 and 3. The message loses `cut` bytes at its end.
 * Its byte `at` becomes `byte`, unless `at` is 0. Libraries have differences, the last one in a language that there is
 * not if `babel`. */
struct handing {
    struct share theirs;
    size_t cut, at;
    uint8_t byte;
    bool babel;
};

static bool hand_over(const struct handing *h, struct error *e)
{
    struct plan_library rows[5];
    const struct plan plan = plan_of(rows);
    uint32_t items[] = {0, 3};
    const struct share own = {.item = items, .count = 2};
    struct set_library libraries[2][5];
    struct set first = set_of(&plan, libraries[0]);
    struct set second = set_of(&plan, libraries[1]);
    struct bytes none = {.data = NULL};
    struct ranks_state state = {.rank = 1};
    struct ranks r = rank_of(&state, 1);
    uint64_t size;
    make(&first, &own);
    make(&second, &h->theirs);
    for (uint32_t i = 0; i < h->theirs.count; i++)
        if (!second.library[h->theirs.item[i]].differences)
            differ(&second, h->theirs.item[i]);
    if (h->babel)
        second.library[h->theirs.item[h->theirs.count - 1]].differences->language = UNITS_LANGUAGES;
    assert_true(together_collect(&second, &h->theirs, &none, &r, e));
    memcpy(&size, state.sent.data, sizeof size);
    memmove(state.sent.data + sizeof size + size - h->cut, state.sent.data + sizeof size + size,
            state.sent.size - sizeof size - size);
    size -= h->cut;
    memcpy(state.sent.data, &size, sizeof size);
    if (h->at)
        state.sent.data[sizeof size + h->at] = h->byte;
    r = rank_of(&state, 0);
    const bool ok = together_collect(&first, &own, &none, &r, e);
    for (uint32_t i = 0; ok && i < h->theirs.count; i++) {
        const uint32_t item = h->theirs.item[i];
        assert_int_equal(first.library[item].result, item);
        assert_int_equal(first.library[item].differences->language, item % UNITS_LANGUAGES);
    }
    forget(&first);
    forget(&second);
    bytes_free(&state.sent);
    bytes_free(&none);
    return ok;
}

static void refuse(const struct handing *h, const char *text)
{
    struct error e = {0};
    assert_false(hand_over(h, &e));
    assert_int_equal(e.code, ERROR_MISMATCH);
    assert_string_equal(e.text, text);
}

static void test_collect(void **unused)
{
    (void)unused;
    uint32_t items[] = {1, 2, 4};
    struct error e = {0};
    assert_true(hand_over(&(struct handing){.theirs = {items, 3}}, &e));
}

static void test_damaged(void **unused)
{
    (void)unused;
    static const char damaged[] =
        "what rank 1 of the set has made came damaged; start the run again, all ranks with the same MPI";
    uint32_t items[] = {1, 2, 4};
    uint32_t twice[] = {1, 2, 4, 2};
    uint32_t leaders[] = {1, 2, 3, 4};
    const size_t file = sizeof(struct set_file);
    const size_t differences = sizeof(struct differences);
    refuse(&(struct handing){.theirs = {items, 3}, .cut = 1}, damaged);
    refuse(&(struct handing){.theirs = {items, 3}, .cut = differences}, damaged);
    refuse(&(struct handing){.theirs = {items, 3}, .cut = differences + file}, damaged);
    refuse(&(struct handing){.theirs = {items, 3}, .cut = differences + file + 1}, damaged);
    refuse(&(struct handing){.theirs = {items, 3}, .at = 3, .byte = 1}, damaged); /* index */
    refuse(&(struct handing){.theirs = {items, 3}, .babel = true}, damaged);
    refuse(&(struct handing){.theirs = {twice, 4}}, damaged);
    refuse(&(struct handing){.theirs = {leaders, 4}}, damaged);
}

static void test_missing(void **unused)
{
    (void)unused;
    uint32_t items[] = {1, 4};
    refuse(&(struct handing){.theirs = {items, 2}}, "libmodule2.so: no rank has made it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_another_plan), cmocka_unit_test(test_meeting_of_another_run),
        cmocka_unit_test(test_collect),      cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
