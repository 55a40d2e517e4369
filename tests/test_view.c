/* emit/set/view.c, images.c, view_names.c: reading a set that is stored nowhere, without a file system around it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/workers.h"
#include "emit/library/images.h"
#include "emit/profile/profile.h"
#include "emit/set/make.h"
#include "emit/set/view.h"
#include "emit/solve/plan_make.h"

#define PROFILE                                                                                                        \
    "pyelfgen-profile: 1\nmodules: 3\nutilities: 2\nfunctions: 20\n"                                                   \
    "dwarf: {separate: build-id}\n"

enum { FILES = 2, BYTE = 1, THREADS = 8 };

/* The linker leads all allocations of the view here. While `left` is not negative, it is how many succeed before one
 * fails. */
static long left = -1;

static bool fails(void)
{
    return left >= 0 && left-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

/* A plan, and its libraries' files as a builder of the test's own makes them. */
struct made {
    struct profile profile;
    struct stock *stock;
    struct plan plan;
    struct image **image; /* of each library */
};

static void make(struct made *m)
{
    struct error e = {0};
    struct builder b = {0};
    memset(m, 0, sizeof *m);
    if (!profile_parse(&m->profile, PROFILE, strlen(PROFILE), "test.prof", &e))
        fail_msg("%s", e.text);
    const struct manner usual = manner_usual();
    m->stock = stock_make(stock_dialect(&m->profile), &usual, m->profile.seed, 2);
    assert_non_null(m->stock);
    if (!plan_make(&m->plan, &m->profile, NULL, &m->stock->corpus, 1, &e))
        fail_msg("%s", e.text);
    m->image = calloc(m->plan.library_count, sizeof(struct image *));
    assert_non_null(m->image);
    for (uint32_t i = 0; i < m->plan.library_count; i++) {
        struct set_library record;
        if (!make_library(&b, &m->plan, m->stock, i, &record, &e))
            fail_msg("%s", e.text);
        m->image[i] = images_copy(&b, i);
        assert_non_null(m->image[i]);
        assert_int_equal(m->image[i]->files, FILES);
        make_forget(&record);
    }
    builder_free(&b);
}

static int setup(void **state)
{
    struct made *m = malloc(sizeof *m);
    assert_non_null(m);
    make(m);
    *state = m;
    return 0;
}

static int teardown(void **state)
{
    struct made *m = *state;
    for (uint32_t i = 0; i < m->plan.library_count; i++)
        free(m->image[i]);
    free(m->image);
    plan_free(&m->plan);
    stock_free(m->stock);
    profile_free(&m->profile);
    free(m);
    return 0;
}

static struct view *open_view(const struct made *m, uint64_t cache, unsigned threads)
{
    struct error e = {0};
    struct view *v = view_open(&m->plan, m->stock, cache, threads, &e);
    if (!v)
        fail_msg("%s", e.text);
    return v;
}

/* The number of a library's own file. */
static uint32_t find(const struct view *v, const struct made *m, uint32_t library)
{
    char name[FILE_NAME_MOST];
    uint32_t file;
    files_name(&m->plan.library[library], name);
    assert_int_equal(view_find(v, name, &file), VIEW_FILE);
    return file;
}

static uint64_t size_of(const struct made *m, uint32_t library)
{
    return m->image[library]->at[FILES] - m->image[library]->at[FILES - 1];
}

static const uint8_t *bytes_of(const struct made *m, uint32_t library)
{
    return images_bytes(m->image[library]) + m->image[library]->at[FILES - 1];
}

/* --- reading ---------------------------------------------------------------------------- */

static void test_ends(void **state)
{
    const struct made *m = *state;
    struct view *v = open_view(m, BYTE, 1);
    const uint32_t file = find(v, m, 0);
    const uint64_t size = size_of(m, 0);
    const struct {
        uint64_t offset, wanted, got;
    } ends[] = {
        {0, 64, 64},      {size - 10, 10, 10}, {size - 10, 11, 10},   {size - 10, 4096, 10},
        {size - 1, 1, 1}, {size, 1, 0},        {size + 1, 1, 0},      {UINT64_MAX, 4096, 0},
        {size / 2, 0, 0}, {0, size, size},     {0, size + 100, size}, {size - 10, UINT64_MAX, 10},
    };
    uint8_t *bytes = malloc(size + 100);
    uint64_t got;
    assert_non_null(bytes);
    assert_true(view_size(v, file, NULL, &got, NULL));
    assert_int_equal(got, size);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        assert_true(view_read(v, file, NULL, bytes, ends[i].wanted, ends[i].offset, &got, NULL));
        assert_int_equal(got, ends[i].got);
        assert_memory_equal(bytes, bytes_of(m, 0) + (got ? ends[i].offset : 0), got);
    }
    assert_int_equal(view_counts(v).made, 1);
    assert_int_equal(view_counts(v).sized, 1);
    free(bytes);
    view_free(v);
}

struct reading {
    const struct made *made;
    struct view *view;
};

/* Reads all libraries in pieces, beginning with number `index`, so that they drive each other out of the cache. */
static bool read_all(void *context, unsigned worker, uint32_t index, struct error *e)
{
    const struct reading *r = context;
    const uint32_t count = r->made->plan.library_count;
    uint8_t piece[3000];
    (void)worker;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t library = (index + i) % count;
        const uint64_t size = size_of(r->made, library);
        for (uint64_t at = 0; at < size; at += size / 4 + 1) {
            uint64_t got;
            if (!view_read(r->view, find(r->view, r->made, library), NULL, piece, sizeof piece, at, &got, e))
                return false;
            if (got != (size - at < sizeof piece ? size - at : sizeof piece) ||
                memcmp(piece, bytes_of(r->made, library) + at, got) != 0)
                return error_set(e, ERROR_MISMATCH, "library %u is not what it is", library);
        }
    }
    return true;
}

static void test_threads_at_once(void **state)
{
    const struct made *m = *state;
    const struct {
        uint64_t cache;
        unsigned threads;
    } with[] = {{BYTE, 1}, {BYTE, 2}, {UINT64_MAX, 2}};
    for (size_t i = 0; i < sizeof with / sizeof with[0]; i++) {
        struct error e = {0};
        struct reading r = {m, open_view(m, with[i].cache, with[i].threads)};
        if (!workers_run(THREADS, THREADS, read_all, &r, &e))
            fail_msg("%s", e.text);
        if (with[i].cache == UINT64_MAX)
            assert_int_equal(view_counts(r.view).made, m->plan.library_count);
        view_free(r.view);
    }
}

/* Reading fails where memory runs out, wherever that is, and works again when there is some. */
static void test_memory_that_runs_out(void **state)
{
    const struct made *m = *state;
    long failed = 0;
    for (bool ok = false; !ok; failed += !ok) {
        struct error e = {0};
        struct view *v = open_view(m, BYTE, 1);
        const uint32_t file = find(v, m, 0);
        uint64_t got;
        char byte;
        left = failed;
        ok = view_read(v, file, NULL, &byte, 1, 0, &got, &e);
        left = -1;
        if (!ok)
            assert_int_equal(e.code, ERROR_MEMORY);
        struct reading r = {m, v};
        if (!read_all(&r, 0, m->plan.library_count - 1, &e))
            fail_msg("after %ld: %s", failed, e.text);
        view_free(v);
    }
    assert_true(failed > 20);
}

/* Images that nobody reads are dropped where memory runs out, so that one failure is not seen. */
static void test_images_give_way(void **state)
{
    const struct made *m = *state;
    const uint32_t last = m->plan.library_count - 1;
    uint64_t again = 0;
    for (long at = 0; at == 0 || again == (uint64_t)at; at++) {
        struct error e = {0};
        struct view *v = open_view(m, UINT64_MAX, 1);
        uint64_t got;
        char byte;
        for (uint32_t i = 0; i < last; i++)
            assert_true(view_read(v, find(v, m, i), NULL, &byte, 1, 0, &got, &e));
        const uint32_t file = find(v, m, last);
        left = at;
        const bool ok = view_read(v, file, NULL, &byte, 1, 0, &got, &e);
        left = -1;
        if (!ok)
            fail_msg("after %ld: %s", at, e.text);
        again += view_counts(v).made - m->plan.library_count;
        view_free(v);
    }
    assert_true(again > 0);
}

/* --- texts ------------------------------------------------------------------------------ */

static bool always(void *context)
{
    ++*(unsigned *)context;
    return true;
}

static void test_what_nobody_wants_is_not_made(void **state)
{
    const struct made *m = *state;
    struct view *v = open_view(m, BYTE, 1);
    unsigned asked = 0;
    const struct view_stop stop = {always, &asked};
    struct error e = {0};
    uint32_t file;
    uint64_t got, size;
    char *text;
    assert_int_equal(view_find(v, "manifest.json", &file), VIEW_FILE);
    assert_false(view_size(v, file, &stop, &size, &e));
    assert_int_equal(e.code, ERROR_SYSTEM);
    assert_false(view_read(v, file, &stop, &got, sizeof got, 0, &size, &e));
    assert_true(asked >= 2);
    assert_int_equal(view_counts(v).made + view_counts(v).sized, 0);
    /* whoever comes later gets it */
    assert_true(view_size(v, file, NULL, &size, &e));
    text = malloc(size + 1);
    assert_non_null(text);
    assert_true(view_read(v, file, NULL, text, size + 1, 0, &got, &e));
    assert_int_equal(got, size);
    assert_memory_equal(text, "{", 1);
    assert_int_equal(view_counts(v).images, 0);
    /* what is there is read without asking */
    assert_true(view_read(v, file, &stop, text, 1, 0, &got, &e));
    free(text);
    view_free(v);
}

/* --- images ----------------------------------------------------------------------------- */

static struct image *copy_of(const struct made *m, uint32_t library)
{
    const size_t size = sizeof(struct image) + (FILES + 1) * sizeof(uint64_t) + m->image[library]->size;
    struct image *copy = malloc(size);
    assert_non_null(copy);
    return memcpy(copy, m->image[library], size);
}

static void test_an_image_stays_while_it_is_read(void **state)
{
    const struct made *m = *state;
    struct images s;
    assert_true(images_start(&s, m->plan.library_count, BYTE));
    images_add(&s, copy_of(m, 0));
    struct image *first = images_take(&s, 0);
    assert_ptr_equal(first, s.of[0]);
    assert_ptr_equal(images_take(&s, 0), first); /* a second reader */
    images_add(&s, copy_of(m, 1));
    images_add(&s, copy_of(m, 2));
    assert_ptr_equal(s.of[0], first);
    assert_null(s.of[1]);
    assert_non_null(s.of[2]);
    images_give(&s, first);
    assert_ptr_equal(s.of[0], first);
    assert_int_equal(s.bytes, m->image[0]->size + m->image[2]->size);
    images_give(&s, first);
    assert_null(s.of[0]);
    assert_non_null(s.of[2]); /* the newest stays, however large it is */
    assert_null(images_take(&s, 1));
    assert_int_equal(s.bytes, m->image[2]->size);
    images_free(&s);
}

static void test_what_was_read_longest_ago_goes(void **state)
{
    const struct made *m = *state;
    struct images s;
    assert_true(images_start(&s, m->plan.library_count, m->image[0]->size + m->image[1]->size + m->image[2]->size));
    for (uint32_t i = 0; i < 3; i++)
        images_add(&s, copy_of(m, i));
    images_give(&s, images_take(&s, 0));
    images_add(&s, copy_of(m, 3));
    assert_non_null(s.of[0]);
    assert_null(s.of[1]);
    assert_non_null(s.of[3]);
    assert_true(s.bytes <= s.most && s.peak <= s.most);
    images_free(&s);
}

/* --- names ------------------------------------------------------------------------------ */

struct listed {
    unsigned files, directories, most;
    uint32_t last; /* the number of the last file */
};

static bool count_one(void *context, const char *name, enum view_kind kind, uint32_t file)
{
    struct listed *l = context;
    assert_null(strchr(name, '/'));
    assert_true(l->files + l->directories == 0 || file > l->last);
    l->last = file;
    *(kind == VIEW_DIRECTORY ? &l->directories : &l->files) += 1;
    return l->files + l->directories < l->most;
}

/* Lists one name at a time. Each list goes on behind the name before. */
static struct listed list_in_pieces(const struct view *v, const char *directory)
{
    struct listed all = {0};
    for (;;) {
        struct listed one = {.most = 1};
        view_list(v, directory, all.files + all.directories ? all.last + 1 : 0, count_one, &one);
        if (!one.files && !one.directories)
            return all;
        all.files += one.files;
        all.directories += one.directories;
        all.last = one.last;
    }
}

static void assert_listed_in_pieces(const struct view *v, const char *directory, const struct listed *whole)
{
    const struct listed pieces = list_in_pieces(v, directory);
    assert_int_equal(pieces.files, whole->files);
    assert_int_equal(pieces.directories, whole->directories);
}

static void test_names(void **state)
{
    static const char *const nothing[] = {"libmodule9.so", "manifest.json/", "manifest.jso",
                                          "lib",           ".build-id/zz",   "z"};
    const struct made *m = *state;
    struct view *v = open_view(m, BYTE, 1);
    struct listed all = {.most = 100}, some = {.most = 2}, ids = {.most = 100}, none = {.most = 100};
    char name[FILE_NAME_MOST];
    uint32_t file;
    assert_int_equal(view_find(v, "", &file), VIEW_DIRECTORY);
    assert_int_equal(view_find(v, ".build-id", &file), VIEW_DIRECTORY);
    files_debug_name(&m->plan, &m->plan.library[0], name);
    assert_int_equal(view_find(v, name, &file), VIEW_FILE);
    assert_true(view_is_object(v, file));
    *strrchr(name, '/') = '\0';
    assert_int_equal(view_find(v, name, &file), VIEW_DIRECTORY);
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++)
        assert_int_equal(view_find(v, nothing[i], &file), VIEW_NOTHING);
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(view_find(v, name, &file), VIEW_NOTHING);
    view_list(v, "", 0, count_one, &all);
    assert_int_equal(all.files, m->plan.library_count + 2); /* manifest.json and driver.py */
    assert_int_equal(all.directories, 1);
    view_list(v, "", 0, count_one, &some);
    assert_int_equal(some.files + some.directories, 2);
    view_list(v, ".build-id", 0, count_one, &ids);
    assert_true(ids.directories > 0 && ids.directories <= m->plan.library_count && !ids.files);
    assert_listed_in_pieces(v, "", &all);
    assert_listed_in_pieces(v, ".build-id", &ids);
    view_list(v, "", UINT32_MAX, count_one, &none);
    assert_int_equal(none.files + none.directories, 0);
    assert_int_equal(view_counts(v).made + view_counts(v).sized, 0);
    view_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_threads_at_once),
        cmocka_unit_test(test_memory_that_runs_out),
        cmocka_unit_test(test_images_give_way),
        cmocka_unit_test(test_what_nobody_wants_is_not_made),
        cmocka_unit_test(test_an_image_stays_while_it_is_read),
        cmocka_unit_test(test_what_was_read_longest_ago_goes),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
