/* elf/read/sizes: the same numbers as binutils' `size` and `readelf` on files that gcc, gas, ld and objcopy make.
 * Broken files cause no crash and no wait, but a telling error. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "elf/read/sizes.h"

static const char source[] = "#include <string.h>\n"
                             "int initialised[100] = {1}; int zero[1000]; __thread int tls_zero[50];\n"
                             "__thread int tls = 3; const char constant[] = \"some constant text\";\n"
                             "const char *const relocated[] = {constant};\n"
                             "int function(int a) { return a + tls + tls_zero[a] + zero[a] + (int)strlen(constant); }\n"
                             "int main(void) { return function(0) + !relocated[0]; }\n";

struct tiny { /* the group's state */
    char directory[PATH_MAX];
    char shared[PATH_MAX + 16];
    struct bytes image; /* of the shared library */
};

/* Runs a command in the test's directory. */
__attribute__((format(printf, 2, 3))) static void run(const struct tiny *t, const char *format, ...)
{
    char command[3 * PATH_MAX];
    int used = snprintf(command, sizeof command, "cd '%s' && ", t->directory);
    va_list args;
    va_start(args, format);
    vsnprintf(command + used, sizeof command - (size_t)used, format, args);
    va_end(args);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static const char *in_directory(const struct tiny *t, const char *name, char *path)
{
    snprintf(path, PATH_MAX + 16, "%s/%s", t->directory, name);
    return path;
}

static int make_tiny(void **state)
{
    struct tiny *t = calloc(1, sizeof *t);
    assert_non_null(t);
    const char *temporary = getenv("TMPDIR");
    snprintf(t->directory, sizeof t->directory, "%s/test_sizes.XXXXXX", temporary ? temporary : "/tmp");
    assert_non_null(mkdtemp(t->directory));
    char path[PATH_MAX + 16];
    write_file(in_directory(t, "tiny.c", path), source, sizeof source - 1);
    run(t, "gcc -g -O1 -fPIC -shared -o tiny.so tiny.c");
    FILE *f = fopen(in_directory(t, "tiny.so", t->shared), "rb");
    assert_non_null(f);
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        bytes_append(&t->image, block, n);
    fclose(f);
    assert_true(t->image.size > sizeof(Elf64_Ehdr));
    *state = t;
    return 0;
}

static int remove_tiny(void **state)
{
    struct tiny *t = *state;
    run(t, "rm -r '%s'", t->directory);
    bytes_free(&t->image);
    free(t);
    return 0;
}

/* ---- against binutils ---- */

static void by_size(const struct tiny *t, const char *name, struct file_sizes *sizes)
{
    char command[2 * PATH_MAX];
    snprintf(command, sizeof command, "LC_ALL=C size '%s/%s' | tail -n 1", t->directory, name);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%" SCNu64 " %" SCNu64 " %" SCNu64, &sizes->text, &sizes->data, &sizes->bss), 3);
    assert_int_equal(pclose(f), 0);
}

/* Adds up the sections of lines like `  [12] .text  PROGBITS  0000000000001040 001040 000123 00  AX …`. */
static void by_readelf(const struct tiny *t, const char *name, struct file_sizes *sizes)
{
    char command[2 * PATH_MAX];
    snprintf(command, sizeof command, "LC_ALL=C readelf -SW '%s/%s'", t->directory, name);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    char line[1024];
    size_t sections = 0;
    while (fgets(line, sizeof line, f)) {
        char section[256];
        char type[64];
        uint64_t size;
        if (sscanf(line, " [%*u] %255s %63s %*x %*x %" SCNx64, section, type, &size) != 3)
            continue;
        sections++;
        if (strncmp(section, ".debug", 6) == 0 || strncmp(section, ".zdebug", 7) == 0)
            sizes->debug += size;
        if (strcmp(type, "SYMTAB") == 0)
            sizes->symtab += size;
        if (strcmp(section, ".strtab") == 0)
            sizes->strtab += size;
    }
    assert_int_equal(pclose(f), 0);
    assert_true(sections > 0);
}

static void assert_as_binutils(const struct tiny *t, const char *name)
{
    struct file_sizes expected = {0};
    struct file_sizes actual;
    struct error e = {0};
    char path[PATH_MAX + 16];
    by_size(t, name, &expected);
    by_readelf(t, name, &expected);
    if (!sizes_read(in_directory(t, name, path), &actual, &e))
        fail_msg("%s: %s", name, e.text);
    assert_int_equal(actual.text, expected.text);
    assert_int_equal(actual.data, expected.data);
    assert_int_equal(actual.bss, expected.bss);
    assert_int_equal(actual.debug, expected.debug);
    assert_int_equal(actual.symtab, expected.symtab);
    assert_int_equal(actual.strtab, expected.strtab);
}

static void test_shared_library(void **state)
{
    const struct tiny *t = *state;
    struct file_sizes sizes;
    assert_as_binutils(t, "tiny.so");
    assert_true(sizes_read(t->shared, &sizes, NULL));
    assert_true(sizes.text && sizes.data && sizes.debug && sizes.symtab && sizes.strtab && sizes.bss);
}

static void test_executable_and_object(void **state)
{
    const struct tiny *t = *state;
    run(t, "gcc -g -o tiny tiny.c && gcc -g -c -o tiny.o tiny.c");
    assert_as_binutils(t, "tiny");
    assert_as_binutils(t, "tiny.o");
}

static void test_stripped(void **state)
{
    const struct tiny *t = *state;
    run(t, "strip -o stripped.so tiny.so && strip -g -o nodebug.so tiny.so");
    assert_as_binutils(t, "stripped.so");
    assert_as_binutils(t, "nodebug.so");
    run(t, "objcopy --only-keep-debug tiny.so tiny.debug");
    assert_as_binutils(t, "tiny.debug");
}

static void test_compressed_debug(void **state)
{
    const struct tiny *t = *state;
    /* counted as uncompressed; .zdebug, which is obsolete, as it is in the file */
    struct file_sizes plain;
    struct file_sizes compressed;
    char path[PATH_MAX + 16];
    run(t, "objcopy --compress-debug-sections=zlib tiny.so compressed.so");
    assert_true(sizes_read(t->shared, &plain, NULL));
    assert_true(sizes_read(in_directory(t, "compressed.so", path), &compressed, NULL));
    assert_int_equal(compressed.debug, plain.debug);
    assert_int_equal(compressed.text, plain.text);
    run(t, "objcopy --compress-debug-sections=zlib-gnu tiny.so zdebug.so");
    assert_as_binutils(t, "zdebug.so");
}

static void test_other_classes_and_byte_orders(void **state)
{
    const struct tiny *t = *state;
    static const char *const formats[] = {"elf64-big", "elf32-little", "elf32-big"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        run(t,
            "objcopy -I binary -O %s --add-section .debug_x=tiny.so --add-section .rodata=tiny.c"
            " --set-section-flags .rodata=alloc,readonly,data,contents tiny.c %s.o",
            formats[i], formats[i]);
        char name[32];
        snprintf(name, sizeof name, "%s.o", formats[i]);
        assert_as_binutils(t, name);
    }
}

/* Code that may be written is text, and so is memory that may not be written. */
static void test_unusual_flags(void **state)
{
    const struct tiny *t = *state;
    run(t,
        "printf '.section .a,\"awx\"\\n.zero 11\\n.section .b,\"ax\",@nobits\\n.zero 22\\n"
        ".section .c,\"a\",@nobits\\n.zero 33\\n.section .d,\"awT\",@nobits\\n.zero 44\\n"
        ".section .debug_e,\"a\"\\n.zero 55\\n.section .debug,\"\"\\n.zero 66\\n' > flags.s && as -o flags.o flags.s");
    assert_as_binutils(t, "flags.o");
}

/* With 0xff00 sections or more, section header 0 has their number and the index of the section with their names. */
static void test_very_many_sections(void **state)
{
    const struct tiny *t = *state;
    run(t, "printf '.rept 66000\\n.section .s\\\\@,\"a\"\\n.byte 1\\n.endr\\n' > many.s && as -o many.o many.s");
    assert_as_binutils(t, "many.o");
}

/* ---- broken files ---- */

static void assert_refused(const char *path, const char *text)
{
    struct file_sizes sizes = {.text = 1};
    struct error e = {0};
    assert_false(sizes_read(path, &sizes, &e));
    assert_string_equal(e.file, *path ? path : "''");
    if (!strstr(e.text, text))
        fail_msg("'%s' is not in '%s'", text, e.text);
    assert_int_equal(sizes.text, 0);
}

static void test_not_elf(void **state)
{
    const struct tiny *t = *state;
    char path[PATH_MAX + 16];
    run(t,
        "ar qc archive.a tiny.c && mkfifo fifo && : > empty && printf '\\177EL' > three && printf '\\177ELF' > four");
    assert_refused(in_directory(t, "tiny.c", path), "is not an ELF file");
    assert_refused(in_directory(t, "empty", path), "is not an ELF file");
    assert_refused(in_directory(t, "three", path), "is not an ELF file");
    assert_refused(in_directory(t, "four", path), "is cut off within its ELF header");
    assert_refused(in_directory(t, "archive.a", path), "is an archive");
    assert_refused(in_directory(t, "fifo", path), "is not a regular file");
    assert_refused(in_directory(t, "absent", path), "cannot open: No such file or directory");
    assert_refused(t->directory, "is a directory");
    assert_refused("/dev/zero", "is not a regular file");
    assert_refused("", "cannot open");
}

/* A file in memory that is changed and read again. */
struct scratch {
    int fd;
    char path[64];
};

static struct scratch scratch_open(const struct bytes *image)
{
    struct scratch s = {.fd = memfd_create("scratch", MFD_CLOEXEC)};
    assert_true(s.fd >= 0);
    assert_int_equal(write(s.fd, image->data, image->size), image->size);
    snprintf(s.path, sizeof s.path, "/proc/self/fd/%d", s.fd);
    return s;
}

static void scratch_put(const struct scratch *s, size_t offset, const void *data, size_t size)
{
    assert_int_equal(pwrite(s->fd, data, size, (off_t)offset), size);
}

static void test_cut_off_anywhere(void **state)
{
    const struct tiny *t = *state;
    struct scratch s = scratch_open(&t->image);
    for (size_t size = (t->image.size - 1) / 64 * 64;; size -= 64) {
        assert_int_equal(ftruncate(s.fd, (off_t)size), 0);
        struct file_sizes sizes;
        struct error e = {0};
        /* The section headers are the last thing in the file. */
        assert_false(sizes_read(s.path, &sizes, &e));
        assert_int_equal(e.code, ERROR_INPUT);
        assert_string_equal(e.file, s.path);
        if (size == 0)
            break;
    }
    close(s.fd);
}

/* Flips every bit of the file header and of every section header. */
static void test_any_bit_flipped(void **state)
{
    const struct tiny *t = *state;
    struct scratch s = scratch_open(&t->image);
    Elf64_Ehdr header;
    memcpy(&header, t->image.data, sizeof header);
    size_t accepted = 0;
    size_t refused = 0;
    for (size_t i = 0; i < t->image.size; i++) {
        if (i == sizeof header)
            i = header.e_shoff;
        for (int bit = 0; bit < 8; bit++) {
            uint8_t flipped = (uint8_t)(t->image.data[i] ^ 1u << bit);
            scratch_put(&s, i, &flipped, 1);
            struct file_sizes sizes;
            struct error e = {0};
            bool ok = sizes_read(s.path, &sizes, &e);
            accepted += ok;
            refused += !ok;
            assert_true(ok || (e.code == ERROR_INPUT && e.text[0] && e.file[0]));
        }
        scratch_put(&s, i, &t->image.data[i], 1);
    }
    close(s.fd);
    assert_true(accepted > 0 && refused > 0);
}

/* Changes one member of the headers at a time. */
static void test_headers_that_lie(void **state)
{
    const struct tiny *t = *state;
    Elf64_Ehdr header;
    memcpy(&header, t->image.data, sizeof header);
    struct scratch s = scratch_open(&t->image);
    const size_t first = header.e_shoff + sizeof(Elf64_Shdr);
    const size_t second = first + sizeof(Elf64_Shdr);
    const uint64_t all_ones = UINT64_MAX;
    const uint64_t zero = 0;
    const uint16_t half_zero = 0;
    const uint32_t nobits = SHT_NOBITS;
    const uint64_t half = UINT64_C(1) << 63;

#define EHDR(member)        offsetof(Elf64_Ehdr, member)
#define SHDR(start, member) ((start) + offsetof(Elf64_Shdr, member))
#define LIE(text, offset, value)                                                                                       \
    do {                                                                                                               \
        scratch_put(&s, (offset), &(value), sizeof(value));                                                            \
        assert_refused(s.path, (text));                                                                                \
        scratch_put(&s, (offset), t->image.data + (offset), sizeof(value));                                            \
    } while (0)

    LIE("has its section headers", EHDR(e_shoff), all_ones);
    LIE("has no section headers", EHDR(e_shoff), zero);
    LIE("has no section headers", EHDR(e_shnum), half_zero);
    LIE("says that a section header has 0 bytes instead of 64", EHDR(e_shentsize), half_zero);
    LIE("has no table of section names", EHDR(e_shstrndx), half_zero);
    LIE("is cut off or broken: section 1 ", SHDR(first, sh_offset), all_ones);
    LIE("is cut off or broken: section 1 ", SHDR(first, sh_size), all_ones);
    LIE("has section 1 named by byte 4294967295 of a name table", SHDR(first, sh_name), (uint32_t){UINT32_MAX});
    LIE("has the unknown ELF class 7", EI_CLASS, (uint8_t){7});
    LIE("has the unknown ELF byte order 0", EI_DATA, (uint8_t){0});
    LIE("has the unknown ELF version 9", EI_VERSION, (uint8_t){9});
    LIE("has ELF version 9 in little-endian byte order, not 1", EHDR(e_version), (uint32_t){9});
    LIE("has ELF version 16777216 in big-endian byte order, not 1", EI_DATA, (uint8_t){ELFDATA2MSB});

    /* As many sections as a 64-bit file can state, in a file with a few. */
    scratch_put(&s, SHDR(header.e_shoff, sh_size), &all_ones, sizeof all_ones);
    LIE("has its section headers", EHDR(e_shnum), half_zero);
    scratch_put(&s, SHDR(header.e_shoff, sh_size), &(uint64_t){UINT32_MAX}, sizeof(uint64_t));
    LIE("has its section headers", EHDR(e_shnum), half_zero);

    /* Two sections that take no room in the file, but all of the address space. */
    scratch_put(&s, SHDR(first, sh_type), &nobits, sizeof nobits);
    scratch_put(&s, SHDR(first, sh_size), &half, sizeof half);
    scratch_put(&s, SHDR(second, sh_type), &nobits, sizeof nobits);
    LIE("has sections of more than 2^64 bytes together", SHDR(second, sh_size), half);
    close(s.fd);
}

/* A file with a huge hole, so that all that its headers state lies within the file. */
static void test_sparse_giants(void **state)
{
    const struct tiny *t = *state;
    struct scratch s = scratch_open(&t->image);
    if (ftruncate(s.fd, (off_t)1 << 42) != 0) {
        close(s.fd);
        skip();
    }
    Elf64_Ehdr header;
    memcpy(&header, t->image.data, sizeof header);
    Elf64_Ehdr lying = header;
    lying.e_shnum = 0;
    scratch_put(&s, 0, &lying, sizeof lying);
    scratch_put(&s, header.e_shoff + offsetof(Elf64_Shdr, sh_size), &(uint64_t){UINT32_MAX}, sizeof(uint64_t));
    assert_refused(s.path, "has 4294967295 sections, more than");
    scratch_put(&s, 0, &header, sizeof header);
    size_t names = header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr);
    scratch_put(&s, names + offsetof(Elf64_Shdr, sh_size), &(uint64_t){UINT64_C(1) << 40}, sizeof(uint64_t));
    assert_refused(s.path, "has 1099511627776 bytes of section names, more than");
    close(s.fd);
}

/* ---- sums ---- */

static void test_sums(void **state)
{
    (void)state;
    struct file_sizes sum = {1, 2, 3, 4, 5, 6};
    uint64_t total;
    assert_true(sizes_add(&sum, &(struct file_sizes){10, 20, 30, 40, 50, 60}));
    assert_true(sum.text == 11 && sum.data == 22 && sum.debug == 33 && sum.symtab == 44 && sum.strtab == 55);
    assert_int_equal(sum.bss, 66);
    assert_true(sizes_total(&sum, &total));
    assert_int_equal(total, 11 + 22 + 33 + 44 + 55);
    assert_false(sizes_add(&sum, &(struct file_sizes){.strtab = UINT64_MAX}));
    assert_false(sizes_total(&(struct file_sizes){.text = UINT64_MAX, .symtab = 1}, &total));
    assert_true(sizes_total(&(struct file_sizes){.text = UINT64_MAX, .bss = 1}, &total));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_library),
        cmocka_unit_test(test_executable_and_object),
        cmocka_unit_test(test_stripped),
        cmocka_unit_test(test_compressed_debug),
        cmocka_unit_test(test_other_classes_and_byte_orders),
        cmocka_unit_test(test_unusual_flags),
        cmocka_unit_test(test_very_many_sections),
        cmocka_unit_test(test_not_elf),
        cmocka_unit_test(test_cut_off_anywhere),
        cmocka_unit_test(test_any_bit_flipped),
        cmocka_unit_test(test_headers_that_lie),
        cmocka_unit_test(test_sparse_giants),
        cmocka_unit_test(test_sums),
    };
    return cmocka_run_group_tests(tests, make_tiny, remove_tiny);
}
