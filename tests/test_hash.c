/* elf/write/hash.c: hash tables for the dynamic linker, compared with those that ld writes, and searched as glibc does.
 */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "elf/write/hash.h"

enum { SYMBOLS_MOST = 5000 };

/* --- what ld makes ----------------------------------------------------------- */

/* A library that `cc` assembled, as compiling takes much longer, and linked. It has functions f0, f1, ..., refers to
 * others, u0, u1, ..., and has nothing else. */
struct linked {
    char path[256];
    int fd;
    Elf *elf;
    uint32_t symbols; /* in .dynsym, with the null symbol */
    uint32_t *gnu, *sysv;
    size_t gnu_size, sysv_size;
    const char **name; /* as they stand in .dynsym */
};

static Elf_Data *find_section(Elf *elf, Elf64_Word type, GElf_Shdr *shdr)
{
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
        if (gelf_getshdr(scn, shdr) && shdr->sh_type == type)
            return elf_rawdata(scn, NULL);
    return NULL;
}

static void link_library(struct linked *l, uint32_t functions, uint32_t undefined)
{
    char source[300];
    char command[1000];
    snprintf(l->path, sizeof l->path, PYELFGEN_BUILD_DIR "/test_hash_%ld_%u_%u.so", (long)getpid(), functions,
             undefined);
    snprintf(source, sizeof source, "%s.s", l->path);
    FILE *out = fopen(source, "w");
    assert_non_null(out);
    for (uint32_t i = 0; i < functions; i++)
        fprintf(out, ".globl f%u\n.type f%u, @function\nf%u: ret\n", i, i, i);
    fprintf(out, ".data\n");
    for (uint32_t i = 0; i < undefined; i++)
        fprintf(out, ".quad u%u\n", i);
    assert_int_equal(fclose(out), 0);
    snprintf(command, sizeof command, "cc -shared -fPIC -nostdlib -fuse-ld=bfd -Wl,--hash-style=both -o %s %s", l->path,
             source);
    assert_int_equal(system(command), 0);
    remove(source);

    GElf_Shdr shdr;
    elf_version(EV_CURRENT);
    l->fd = open(l->path, O_RDONLY | O_CLOEXEC);
    remove(l->path);
    assert_non_null(l->elf = elf_begin(l->fd, ELF_C_READ, NULL));
    Elf_Data *data = find_section(l->elf, SHT_GNU_HASH, &shdr);
    l->gnu = data->d_buf;
    l->gnu_size = data->d_size;
    data = find_section(l->elf, SHT_HASH, &shdr);
    l->sysv = data->d_buf;
    l->sysv_size = data->d_size;
    data = find_section(l->elf, SHT_DYNSYM, &shdr);
    const Elf64_Sym *symbol = data->d_buf;
    l->symbols = (uint32_t)(data->d_size / sizeof *symbol);
    assert_non_null(l->name = calloc(l->symbols, sizeof *l->name));
    for (uint32_t i = 0; i < l->symbols; i++)
        l->name[i] = elf_strptr(l->elf, shdr.sh_link, symbol[i].st_name);
    assert_int_equal(l->symbols, functions + undefined + 1);
}

static void unlink_library(struct linked *l)
{
    free(l->name);
    elf_end(l->elf);
    close(l->fd);
}

static uint32_t gnu_of(const char *name)
{
    return hash_gnu(HASH_GNU_START, name, strlen(name));
}

/* Counts around which ld takes other sizes of tables, and around which the Bloom filter grows. */
static const uint32_t counts[] = {1,  2,  3,  4,  16,  17,  31,   32,   33,   37,  47,
                                  48, 63, 64, 65, 100, 131, 1000, 1024, 1536, 5000};
enum { COUNTS = sizeof counts / sizeof counts[0] };

static void test_hashes_are_those_of_ld(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNTS; i++) {
        struct linked l;
        link_library(&l, counts[i], 0);
        struct gnu_hash h = hash_gnu_plan(counts[i], 0);
        assert_int_equal(h.buckets, l.gnu[0]);
        assert_int_equal(h.bloom_words, l.gnu[2]);
        assert_int_equal(h.shift2, l.gnu[3]);
        assert_int_equal(hash_gnu_size(&h), l.gnu_size);

        /* ld has sorted its symbols, so our order leaves them where they are. */
        uint32_t *hashes = calloc(counts[i], sizeof *hashes);
        uint32_t *order = calloc(counts[i], sizeof *order);
        uint32_t *start = calloc(h.buckets + UINT64_C(1), sizeof *start);
        uint8_t *table = calloc(1, l.gnu_size);
        assert_true(hashes && order && start && table);
        for (uint32_t s = 0; s < counts[i]; s++)
            hashes[s] = gnu_of(l.name[s + 1]);
        hash_gnu_order(&h, hashes, start, order);
        for (uint32_t s = 0; s < counts[i]; s++)
            assert_int_equal(order[s], s);
        hash_gnu_write(&h, hashes, start, order, 1, table);
        assert_memory_equal(table, l.gnu, l.gnu_size);
        free(hashes);
        free(order);
        free(start);
        free(table);

        assert_int_equal(hash_sysv_buckets(l.symbols), l.sysv[0]);
        assert_int_equal(l.symbols, l.sysv[1]);
        assert_int_equal(hash_sysv_size(l.symbols), l.sysv_size);
        unlink_library(&l);
    }
}

/* As in Pynamic's modules, there are about as many undefined symbols as defined ones. .hash has all of them, .gnu.hash
 * only the defined ones. */
static void test_undefined_symbols_count_as_with_ld(void **state)
{
    (void)state;
    static const uint32_t numbers[][2] = {{1, 1},     {16, 15},     {36, 1},     {520, 511},
                                          {925, 930}, {1024, 1030}, {2775, 2700}};
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct linked l;
        link_library(&l, numbers[i][0], numbers[i][1]);
        assert_int_equal(hash_sysv_buckets(l.symbols), l.sysv[0]);
        assert_int_equal(hash_sysv_size(l.symbols), l.sysv_size);
        struct gnu_hash h = hash_gnu_plan(numbers[i][0], 0);
        assert_int_equal(h.buckets, l.gnu[0]);
        assert_int_equal(h.bloom_words, l.gnu[2]);
        assert_int_equal(h.shift2, l.gnu[3]);
        assert_int_equal(l.gnu[1], 1 + numbers[i][1]);
        assert_int_equal(hash_gnu_size(&h), l.gnu_size);
        unlink_library(&l);
    }
}

/* --- lookups as in glibc, elf/dl-lookup.c ---------------------------------------- */

struct table {
    uint32_t first, symbols; /* `first`: index in .dynsym of the first defined symbol */
    char (*name)[32];
    uint32_t *hashes, *order, *start;
    uint32_t *words;
    struct gnu_hash h;
};

static struct table make_table(uint32_t defined, uint32_t first, uint64_t seed)
{
    struct table t = {.first = first, .symbols = defined, .h = hash_gnu_plan(defined, 0)};
    t.name = calloc(defined, sizeof *t.name);
    t.hashes = calloc(defined, sizeof *t.hashes);
    t.order = calloc(defined, sizeof *t.order);
    t.start = calloc(t.h.buckets + UINT64_C(1), sizeof *t.start);
    t.words = calloc(1, hash_gnu_size(&t.h));
    assert_true(t.name && t.hashes && t.order && t.start && t.words);
    for (uint32_t i = 0; i < defined; i++) {
        snprintf(t.name[i], sizeof t.name[i], "s%llx_%u", (unsigned long long)random_at(seed, i), i);
        t.hashes[i] = gnu_of(t.name[i]);
    }
    hash_gnu_order(&t.h, t.hashes, t.start, t.order);
    hash_gnu_write(&t.h, t.hashes, t.start, t.order, first, (uint8_t *)t.words);
    return t;
}

static void free_table(struct table *t)
{
    free(t->name);
    free(t->hashes);
    free(t->order);
    free(t->start);
    free(t->words);
}

/* The index of the name in .dynsym; 0 if the table does not have it. */
static uint32_t look_up(const struct table *t, const char *name)
{
    uint32_t hash = gnu_of(name);
    uint32_t buckets = t->words[0];
    uint32_t first = t->words[1];
    const uint32_t *bloom = t->words + 4;
    const uint32_t *bucket = bloom + 2 * (size_t)t->words[2];
    const uint32_t *chain = bucket + buckets;
    uint64_t word;
    memcpy(&word, bloom + 2 * (size_t)((hash / 64) & (t->words[2] - 1)), 8);
    if (!(word >> (hash & 63) & word >> ((hash >> t->words[3]) & 63) & 1))
        return 0;
    uint32_t at = bucket[hash % buckets];
    if (!at)
        return 0;
    do {
        if (((chain[at - first] ^ hash) >> 1) == 0 && strcmp(t->name[t->order[at - t->first]], name) == 0)
            return at;
    } while (!(chain[at++ - first] & 1));
    return 0;
}

static void test_every_name_is_found(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 17, 100, 1000, SYMBOLS_MOST};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct table t = make_table(sizes[i], 1 + 7 * i, i);
        for (uint32_t s = 0; s < sizes[i]; s++) {
            uint32_t at = look_up(&t, t.name[s]);
            assert_in_range(at, t.first, t.first + sizes[i] - 1);
            assert_int_equal(t.order[at - t.first], s);
        }
        free_table(&t);
    }
}

static void test_other_names_are_not_found(void **state)
{
    (void)state;
    struct table t = make_table(1000, 12, 99);
    for (uint32_t i = 0; i < 100000; i++) {
        char name[32];
        snprintf(name, sizeof name, "other%u", i);
        assert_int_equal(look_up(&t, name), 0);
    }
    free_table(&t);
}

static void test_names_in_one_bucket_keep_their_order(void **state)
{
    (void)state;
    struct table t = make_table(1000, 1, 5);
    for (uint32_t i = 1; i < t.symbols; i++) {
        uint32_t before = t.hashes[t.order[i - 1]] % t.h.buckets;
        uint32_t here = t.hashes[t.order[i]] % t.h.buckets;
        assert_true(before < here || (before == here && t.order[i - 1] < t.order[i]));
    }
    free_table(&t);
}

static void test_every_name_is_found_by_sysv(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {2, 3, 4, 18, 101, 1001};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint32_t symbols = sizes[i];
        uint32_t *hashes = calloc(symbols, sizeof *hashes);
        uint32_t *words = calloc(1, hash_sysv_size(symbols));
        assert_true(hashes && words);
        for (uint32_t s = 1; s < symbols; s++) {
            char name[32];
            hashes[s] = hash_sysv(name, (size_t)snprintf(name, sizeof name, "name%u", s * 31));
        }
        hash_sysv_write(symbols, hashes, (uint8_t *)words);
        assert_int_equal(words[1], symbols);
        for (uint32_t s = 1; s < symbols; s++) {
            uint32_t at = words[2 + hashes[s] % words[0]];
            for (uint32_t steps = 0; at != s; steps++) {
                assert_true(at != 0 && steps < symbols);
                at = words[2 + words[0] + at];
            }
        }
        free(hashes);
        free(words);
    }
}

/* --- hashes -------------------------------------------------------------------- */

/* Values of the gABI's function and of glibc's documentation. */
static void test_known_hashes(void **state)
{
    (void)state;
    assert_int_equal(gnu_of(""), 0x1505);
    assert_int_equal(gnu_of("printf"), 0x156b2bb8);
    assert_int_equal(gnu_of("exit"), 0x7c967e3f);
    assert_int_equal(gnu_of("syscall"), 0xbac212a0);
    assert_int_equal(hash_sysv("", 0), 0);
    assert_int_equal(hash_sysv("printf", 6), 0x077905a6);
    assert_int_equal(hash_sysv("exit", 4), 0x0006cf04);
    assert_int_equal(hash_sysv("syscall", 7), 0x0b09985c);
}

static void test_hash_in_parts(void **state)
{
    (void)state;
    const char *text = "libutility12_fun3450123456789012345678901234567890123456789\xff\x80";
    size_t length = strlen(text);
    for (size_t cut = 0; cut <= length; cut++) {
        uint32_t before = hash_gnu(HASH_GNU_START, text, cut);
        uint32_t suffix = hash_gnu(0, text + cut, length - cut);
        assert_int_equal(hash_gnu_join(before, hash_gnu_power(length - cut), suffix), gnu_of(text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes_are_those_of_ld),
        cmocka_unit_test(test_undefined_symbols_count_as_with_ld),
        cmocka_unit_test(test_every_name_is_found),
        cmocka_unit_test(test_other_names_are_not_found),
        cmocka_unit_test(test_names_in_one_bucket_keep_their_order),
        cmocka_unit_test(test_every_name_is_found_by_sysv),
        cmocka_unit_test(test_known_hashes),
        cmocka_unit_test(test_hash_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
