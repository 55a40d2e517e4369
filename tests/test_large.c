/* emit/library/large.c: libraries that are written in windows have the same bytes as those written in an image. There
 * are both versions and both languages, types in units of their own, units that only define data, rows, sizes of
 * sections, and views, but no executables. */
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

#include "dwarf/form/line_read.h"
#include "emit/library/large.h"
#include "emit/plan/digest.h"
#include "emit/profile/profile.h"
#include "emit/search/mix.h"
#include "emit/set/large_file.h"
#include "emit/solve/plan_make.h"

/* Large enough for several steps of composing and writing: some 20 MB for each library. */
#define SIZES  "sections: {text: 12 MB, data: 2 MB, debug: 50 MB, symtab: 700 kB, strtab: 4 MB}\n"
#define LITTLE "sections: {text: 2 MB, data: 200 kB, debug: 7 MB, symtab: 120 kB, strtab: 600 kB}\n"
#define HEAD   "pyelfgen-profile: 1\nmodules: 2\nutilities: 1\n"

struct made {
    struct profile profile;
    struct stock *stock;
    struct plan plan;
    struct builders builders;      /* for settling */
    struct builder image, windows; /* one for each way of writing */
};

static void make(struct made *m, const char *text)
{
    struct error e = {0};
    memset(m, 0, sizeof *m);
    if (!profile_parse(&m->profile, text, strlen(text), "test.prof", &e))
        fail_msg("%s: %s", text, e.text);
    const struct profile *p = &m->profile;
    const struct manners usual = {{manner_usual(), manner_usual(), manner_usual()}};
    m->stock = stock_make(stock_dialect(p), &usual.of[0], p->seed, 2);
    assert_non_null(m->stock);
    assert_true(stock_add_rows(m->stock, p, &usual, 2));
    if (!builders_start(&m->builders, 1, &e) || !plan_make(&m->plan, p, NULL, &m->stock->corpus, 1, &e) ||
        !mix_settle(&m->plan, m->stock, &m->builders, &e))
        fail_msg("%s: %s", text, e.text);
}

static void unmake(struct made *m)
{
    builder_free(&m->image);
    builder_free(&m->windows);
    builders_free(&m->builders);
    plan_free(&m->plan);
    stock_free(m->stock);
    profile_free(&m->profile);
}

/* The contents of the file in the directory. The caller frees them. */
static uint8_t *read_file(const struct directory *d, const struct set_file *file)
{
    uint8_t *bytes = malloc(file->size + 1);
    const int fd = openat(d->fd, file->name, O_RDONLY);
    assert_non_null(bytes);
    assert_true(fd >= 0);
    for (uint64_t at = 0; at < file->size;) {
        const ssize_t n = read(fd, bytes + at, file->size - at);
        assert_true(n > 0);
        at += (uint64_t)n;
    }
    assert_int_equal(read(fd, bytes + file->size, 1), 0);
    close(fd);
    return bytes;
}

/* Writes the library again while its file is there, as it should be or with one byte changed. Before that, nobody may
 * execute the file. */
static void write_again(struct made *m, struct directory *d, uint32_t index, const struct set_file *file)
{
    /* none; in the header; between sections (.text begins a page); in the middle; at the end */
    const uint64_t places[] = {UINT64_MAX, 7, m->windows.library.layout.section[SECTION_TEXT].offset - 33,
                               file->size / 2, file->size - 1};
    assert_false(file->kept);
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct error e = {0};
        struct set_file again;
        struct stat st;
        const int fd = openat(d->fd, file->name, O_RDWR);
        assert_true(fd >= 0 && fchmod(fd, 0600) == 0);
        const bool changed = i && pwrite(fd, "\x99", 1, (off_t)places[i]) == 1;
        close(fd);
        if (!library_size(&m->windows, &m->plan, m->stock, index, &e) || !large_write(&m->windows, d, &again, &e))
            fail_msg("%s", e.text);
        assert_int_equal(again.kept, !changed);
        assert_int_equal(fstatat(d->fd, file->name, &st, 0), 0);
        assert_int_equal(st.st_mode & 0700, 0700);
        assert_memory_equal(again.digest, file->digest, sizeof again.digest);
        uint8_t *bytes = read_file(d, &again);
        const XXH128_hash_t digest = XXH3_128bits(bytes, again.size);
        assert_true(digest.high64 == file->digest[0] && digest.low64 == file->digest[1]);
        free(bytes);
    }
}

/* As many rows were composed as a reader finds. */
static void count_rows(const struct builder *b)
{
    const struct debug *d = &b->library.debug;
    uint64_t rows = 0;
    for (uint32_t i = 0; i < d->unit_count; i++) {
        const struct debug_unit *u = &d->unit[i];
        if (!u->program_size)
            continue;
        struct line_reader r = line_reader_of(b->composed.programs.data + u->program, u->program_size);
        while (line_read(&r))
            rows++;
        rows++; /* the sequence's end */
    }
    assert_true(rows > 0);
    assert_int_equal(b->composed.rows, rows);
}

/* Sizing once more all but what is loaded changes nothing. */
static void size_again(struct builder *b)
{
    struct error e = {0};
    const struct layout before = b->library.layout;
    if (!library_size_again(b, &e))
        fail_msg("%s", e.text);
    assert_memory_equal(&b->library.layout, &before, sizeof before);
}

static void compare(struct made *m, struct directory *d, uint32_t index)
{
    struct error e = {0};
    struct set_file file;
    struct large large = {.builder = &m->windows};
    struct builder *b = &m->image;
    if (!library_size(b, &m->plan, m->stock, index, &e))
        fail_msg("%s", e.text);
    count_rows(b);
    size_again(b);
    if (!library_write(b, &e))
        fail_msg("%s", e.text);
    m->windows.large = &large;
    if (!library_size(&m->windows, &m->plan, m->stock, index, &e) || !large_write(&m->windows, d, &file, &e))
        fail_msg("%s", e.text);
    const struct library_file *wanted = &b->files[b->file_count - 1];
    assert_int_equal(file.size, wanted->layout->file_size);
    assert_string_equal(file.name, wanted->name);
    const XXH128_hash_t digest = XXH3_128bits(wanted->image, file.size);
    assert_int_equal(file.digest[0], digest.high64);
    assert_int_equal(file.digest[1], digest.low64);
    uint8_t *bytes = read_file(d, &file);
    assert_memory_equal(bytes, wanted->image, file.size);
    free(bytes);
    if (index == m->plan.modules) /* for one library of each set */
        write_again(m, d, index, &file);
    unlinkat(d->fd, file.name, 0);
}

static void compare_all(const char *text)
{
    struct made m;
    struct error e = {0};
    struct directory directory;
    char path[] = "test_large.XXXXXX";
    assert_non_null(mkdtemp(path));
    assert_true(directory_open(&directory, path, false, &e));
    make(&m, text);
    for (uint32_t i = 0; i < m.plan.library_count; i++)
        compare(&m, &directory, i);
    unmake(&m);
    directory_close(&directory);
    assert_int_equal(rmdir(path), 0); /* nothing is left, not even a temporary file */
}

static void large_libraries_are_the_same(void **state)
{
    (void)state;
    compare_all(HEAD SIZES);
}

static void so_are_those_of_other_dialects(void **state)
{
    (void)state;
    compare_all(HEAD LITTLE "dwarf: {version: 4}\n");
    compare_all(HEAD LITTLE "dwarf: {language: c++}\n");
    compare_all(HEAD LITTLE "dwarf: {type-units: true}\n");
    compare_all(HEAD LITTLE "dwarf: {version: 4, type-units: true}\n");
}

static void and_those_of_little_debug_information(void **state)
{
    (void)state;
    compare_all("pyelfgen-profile: 1\nmodules: 2\nutilities: 1\nfunctions: 400\n"
                "sections: {text: 400 kB, data: 40 kB, debug: 600 kB, symtab: 60 kB, strtab: 80 kB}\n");
}

static void and_those_with_units_of_data(void **state)
{
    (void)state;
    static const char *const languages[] = {"c", "c++"};
    for (unsigned i = 0; i < 2; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 HEAD "sections: {text: 200 kB, data: 40 kB, debug: 9 MB, symtab: 60 kB, strtab: 300 kB}\n"
                      "dwarf: {language: %s}\n",
                 languages[i]);
        compare_all(text);
    }
}

/* A window gives whole huge pages of memory back. They have to be huge pages of the file's offsets, too. */
static void a_window_begins_a_huge_page(void **state)
{
    (void)state;
    const struct layout layout = {.file_size = 5000};
    struct window w[3];
    for (unsigned i = 0; i < 3; i++) {
        assert_true(window_open(&w[i], &layout, NULL, NULL, NULL));
        assert_int_equal((uintptr_t)w[i].image % (1 << 21), 0);
        w[i].image[layout.file_size] = 1; /* writers may go a little beyond the end */
    }
    for (unsigned i = 0; i < 3; i++)
        window_close(&w[i]);
}

/* If debug information comes out with another size than in the size pass, nothing is left of the file. */
static void what_differs_when_it_is_written_is_refused(void **state)
{
    (void)state;
    struct made m;
    struct error e = {0};
    struct directory directory;
    struct set_file file;
    struct large large = {.builder = NULL};
    char path[] = "test_large.XXXXXX";
    assert_non_null(mkdtemp(path));
    assert_true(directory_open(&directory, path, false, &e));
    make(&m, HEAD LITTLE);
    m.windows.large = &large;
    if (!library_size(&m.windows, &m.plan, m.stock, 0, &e))
        fail_msg("%s", e.text);
    large.goal.line /= 2;
    assert_false(large_write(&m.windows, &directory, &file, &e));
    assert_int_equal(e.code, ERROR_MISMATCH);
    assert_non_null(strstr(e.text, "debug information came out with another size when it was written"));
    unmake(&m);
    directory_close(&directory);
    assert_int_equal(rmdir(path), 0);
}

/* The .debug_abbrev of the second library is so small that its table has only the abbreviations that entries have. */
static void and_those_of_rows(void **state)
{
    (void)state;
    compare_all(
        "pyelfgen-profile: 1\n"
        "dwarf: {version: 5, language: c, units: 40, views: true}\n"
        "libraries:\n"
        "- {kind: module, text: 35371, data: 2320, bss: 64, debug: 181486, symtab: 3168, strtab: 2585,\n"
        "   functions: 45, dynamic: {functions: 1, undefined: 45, weak: 4, dynstr: 926},\n"
        "   local: {functions: 44, objects: 34, other: 7},\n"
        "   relocations: {relative: 91, jump-slot: 35, glob-dat: 10}, plt: 35, outside: 1,\n"
        "   share: {code: 24527, plt: 584, constants: 2320, unwind: 2392, symbols: 2248, relocations: 3264},\n"
        "   dwarf: {version: 5, language: c, units: 3, dies: 5503, attributes: 23048, rows: 8995, entries: 3550},\n"
        "   mix: {info: 77042, abbrev: 1000, line: 39856, str: 7239, line_str: 1050, loclists: 42667,\n"
        "   rnglists: 9386, aranges: 144}}\n"
        "- {kind: module, text: 3529, data: 920, bss: 8, debug: 12170, symtab: 1080, strtab: 746,\n"
        "   functions: 9, dynamic: {functions: 1, undefined: 16, weak: 4, dynstr: 346},\n"
        "   local: {functions: 8, objects: 14, other: 5},\n"
        "   relocations: {relative: 17, jump-slot: 8, glob-dat: 8}, plt: 8, outside: 0,\n"
        "   share: {code: 956, plt: 152, constants: 487, unwind: 292, symbols: 814, relocations: 792},\n"
        "   dwarf: {version: 5, language: c, units: 1, dies: 524, attributes: 2205, rows: 169, entries: 82},\n"
        "   mix: {info: 5756, abbrev: 870, line: 915, str: 3140, line_str: 592, loclists: 801,\n"
        "   rnglists: 48, aranges: 48}}\n");
}

/* Libraries of 256 MB and more are written in windows, except with compressed or separate debug information. */
static void only_large_ones_are(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool large;
    } cases[] = {
        {"sections: {text: 50 MB, debug: 190 MB, symtab: 3 MB, strtab: 15 MB, data: 2 MB}\n", true},
        {"sections: {text: 48 MB, debug: 180 MB, symtab: 3 MB, strtab: 15 MB, data: 2 MB}\n", false},
        {"sections: {text: 50 MB, debug: 190 MB, symtab: 3 MB, strtab: 15 MB, data: 2 MB}\n"
         "dwarf: {compress: zlib}\n",
         false},
        {"sections: {text: 50 MB, debug: 190 MB, symtab: 3 MB, strtab: 15 MB, data: 2 MB}\n"
         "dwarf: {separate: debuglink}\n",
         false},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct made m;
        char text[400];
        snprintf(text, sizeof text, "pyelfgen-profile: 1\nmodules: 1\nutilities: 0\n%s", cases[i].text);
        make(&m, text);
        assert_int_equal(large_is(&m.plan, &m.plan.library[0]), cases[i].large);
        unmake(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_libraries_are_the_same),
        cmocka_unit_test(so_are_those_of_other_dialects),
        cmocka_unit_test(and_those_of_little_debug_information),
        cmocka_unit_test(and_those_with_units_of_data),
        cmocka_unit_test(and_those_of_rows),
        cmocka_unit_test(a_window_begins_a_huge_page),
        cmocka_unit_test(what_differs_when_it_is_written_is_refused),
        cmocka_unit_test(only_large_ones_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
