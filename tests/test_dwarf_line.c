/* dwarf/form/line.h: line number programs are read again by a decoder that knows only section 6.2 of the DWARF 5
 * specification. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "dwarf/form/line.h"
#include "leb128_reader.h"

enum { ROWS_MOST = 20000, BYTES_MOST = ROWS_MOST * LINE_ROW_MOST + 256 };

struct row {
    uint64_t address;
    uint32_t line;
    bool prologue_end;
    bool no_statement;
    uint32_t column, discriminator;
};

#define AT(a, l)                                                                                                       \
    {                                                                                                                  \
        .address = (a), .line = (l)                                                                                    \
    }

/* What the header says of the program. */
struct parameters {
    uint8_t minimum, default_is_stmt, line_range, opcode_base;
    int8_t line_base;
    const uint8_t *lengths; /* operands of the standard opcodes, from opcode 1 */
};

static uint64_t get_fixed(const uint8_t **p, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t) * (*p)++ << 8 * i;
    return value;
}

/* Reads a header of `size` bytes (6.2.4) up to the tables of directories and files. A program of `program` bytes
 * follows it. */
static struct parameters read_header(const uint8_t *p, uint64_t size, uint64_t program)
{
    struct parameters h;
    const uint8_t *start = p;
    assert_int_equal(get_fixed(&p, 4), size - 4 + program);
    uint64_t version = get_fixed(&p, 2);
    assert_true(version == 4 || version == 5);
    if (version == 5) {
        assert_int_equal(get_fixed(&p, 1), 8); /* address size */
        assert_int_equal(get_fixed(&p, 1), 0); /* segment selector size */
    }
    uint64_t rest = get_fixed(&p, 4);
    assert_true(p + rest == start + size);
    h.minimum = *p++;
    assert_int_equal(*p++, 1); /* operations in an instruction */
    h.default_is_stmt = *p++;
    h.line_base = (int8_t)*p++;
    h.line_range = *p++;
    h.opcode_base = *p++;
    h.lengths = p;
    return h;
}

/* Runs a program (6.2.5). Returns the number of its rows, with the one that ends the sequence. */
static size_t decode(const struct parameters *h, const uint8_t *p, const uint8_t *end, struct row *rows, size_t most)
{
    struct row state = {.line = 1};
    size_t count = 0;
    bool ended = false;
    while (p < end) {
        uint8_t opcode = *p++;
        bool append = false;
        assert_false(ended);
        if (opcode >= h->opcode_base) {
            uint8_t adjusted = (uint8_t)(opcode - h->opcode_base);
            state.address += (uint64_t)(adjusted / h->line_range) * h->minimum;
            state.line = (uint32_t)((int64_t)state.line + h->line_base + adjusted % h->line_range);
            append = true;
        } else if (opcode == 0) {
            uint64_t size = get_uleb(&p);
            const uint8_t *next = p + size;
            switch (*p++) {
            case DW_LNE_end_sequence:
                append = ended = true;
                break;
            case DW_LNE_set_address:
                assert_int_equal(size, 9);
                state.address = get_fixed(&p, 8);
                break;
            case DW_LNE_set_discriminator:
                state.discriminator = (uint32_t)get_uleb(&p);
                break;
            default:
                fail_msg("extended opcode %u", p[-1]);
            }
            assert_ptr_equal(p, next);
        } else {
            switch (opcode) {
            case DW_LNS_advance_pc:
                state.address += get_uleb(&p) * h->minimum;
                break;
            case DW_LNS_advance_line:
                state.line = (uint32_t)((int64_t)state.line + get_sleb(&p));
                break;
            case DW_LNS_set_file:
                assert_int_equal(get_uleb(&p), 0);
                break;
            case DW_LNS_set_column:
                state.column = (uint32_t)get_uleb(&p);
                break;
            case DW_LNS_negate_stmt:
                state.no_statement = !state.no_statement;
                break;
            case DW_LNS_set_prologue_end:
                state.prologue_end = true;
                break;
            default:
                fail_msg("standard opcode %u", opcode);
            }
        }
        if (append) {
            assert_true(count < most);
            rows[count++] = state;
            state.prologue_end = false;
            state.discriminator = 0;
        }
    }
    assert_true(ended);
    return count;
}

static uint8_t buffer[BYTES_MOST];
static struct row found[ROWS_MOST + 1];

static const struct dialect version_5 = {.version = 5, .language = DWARF_C};
static const struct dialect version_4 = {.version = 4, .language = DWARF_C};

static struct parameters header_in(struct dialect d, uint64_t program, uint32_t more)
{
    static uint8_t header[4096];
    struct line_name others[200];
    for (uint32_t i = 0; i < more; i++)
        others[i] = (struct line_name){5 + i, "more.h"};
    const struct line_files files = {{1, "/usr/src"}, {2, "include"}, {3, "a.c"}, {4, "b.h"}, others, more};
    uint64_t size = line_header_size(d, &files);
    assert_ptr_equal(line_write_header(d, header, &files, program), header + size);
    return read_header(header, size, program);
}

static struct parameters header_of(uint64_t program)
{
    return header_in(version_5, program, 0);
}

/* A header has the size that line_header_size says, whatever it names. */
static void test_header_sizes(void **state)
{
    (void)state;
    for (uint32_t more = 0; more < 200; more++) {
        struct parameters of_5 = header_in(version_5, 77, more);
        struct parameters of_4 = header_in(version_4, 77, more);
        assert_int_equal(of_4.line_base, of_5.line_base);
        assert_int_equal(of_4.opcode_base, of_5.opcode_base);
    }
}

static void check_round_trip(const struct row *rows, size_t count, uint64_t end)
{
    struct line_rows writer = {.p = buffer};
    line_begin(&writer, rows[0].address);
    assert_ptr_equal(writer.p, buffer + LINE_BEGIN);
    for (size_t i = 0; i < count; i++) {
        uint8_t *before = writer.p;
        line_row(&writer, rows[i].address, rows[i].line);
        assert_true(writer.p - before <= LINE_ROW_MOST);
    }
    uint8_t *before = writer.p;
    line_end(&writer, end);
    assert_true(writer.p - before <= LINE_END_MOST);

    struct parameters h = header_of((uint64_t)(writer.p - buffer));
    assert_int_equal(decode(&h, buffer, writer.p, found, ROWS_MOST + 1), count + 1);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(found[i].address, rows[i].address);
        assert_int_equal(found[i].line, rows[i].line);
    }
    assert_int_equal(found[count].address, end);
}

static void test_header(void **state)
{
    (void)state;
    /* DWARF 5, table 6.2 and figure 37: the operands of opcodes 1 to 12 */
    static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    struct parameters h = header_of(77);
    assert_int_equal(h.opcode_base, 13);
    assert_int_equal(h.line_base, LINE_BASE);
    assert_int_equal(h.line_range, LINE_RANGE);
    assert_int_equal(h.minimum, 1);
    assert_int_equal(h.default_is_stmt, 1);
    assert_memory_equal(h.lengths, lengths, sizeof lengths);
}

/* All advances of line and address around the limits of special opcodes. */
static void test_edges_of_special_opcodes(void **state)
{
    (void)state;
    for (int64_t lines = LINE_BASE - 3; lines < LINE_BASE + LINE_RANGE + 3; lines++) {
        for (uint64_t advance = 0; advance < 40; advance++) {
            struct row rows[2] = {AT(0x1000, 500), AT(0x1000 + advance, (uint32_t)(500 + lines))};
            check_round_trip(rows, 2, rows[1].address + 1);
        }
    }
}

/* An advance within a special opcode's limits takes one byte; one more byte of address takes three. */
static void test_special_opcodes_are_used(void **state)
{
    (void)state;
    for (int64_t lines = LINE_BASE; lines < LINE_BASE + LINE_RANGE; lines++) {
        uint64_t most = (uint64_t)(255 - LINE_OPCODE_BASE - (lines - LINE_BASE)) / LINE_RANGE;
        for (unsigned beyond = 0; beyond < 2; beyond++) {
            struct line_rows writer = {.p = buffer, .address = 64, .line = 100};
            line_row(&writer, 64 + most + beyond, (uint32_t)(100 + lines));
            assert_int_equal(writer.p - buffer, beyond ? 3 : 1);
        }
    }
}

static void test_large_steps(void **state)
{
    (void)state;
    static const struct row rows[] = {
        AT(0, 1),
        AT(127, 1),
        AT(128, 70),
        AT(16511, 7),
        AT(16512 + 16384, 8200),
        AT(UINT64_C(1) << 31, UINT32_MAX),
        AT(UINT64_C(1) << 40, 1),
        AT(UINT64_C(1) << 40, 2),
    };
    check_round_trip(rows, sizeof rows / sizeof rows[0], UINT64_C(1) << 62);
}

static void test_rows_by_chance(void **state)
{
    (void)state;
    struct row *rows = calloc(ROWS_MOST, sizeof *rows);
    assert_non_null(rows);
    struct random random = {42};
    uint64_t address = 0x401000;
    uint32_t line = 300;
    for (size_t i = 0; i < ROWS_MOST; i++) {
        uint64_t r = random_next(&random);
        rows[i] = (struct row)AT(address, line);
        address += (r & 3) ? (r >> 8) % 30 : (r >> 8) % 100000;
        line = (r & 12) ? line + (uint32_t)(r >> 40) % 12 : (uint32_t)(r >> 40) % 65000 + 1;
    }
    check_round_trip(rows, ROWS_MOST, address);
    free(rows);
}

static void test_end_at_the_last_row(void **state)
{
    (void)state;
    const struct row rows[] = {AT(64, 10), AT(80, 12)};
    check_round_trip(rows, 2, 80);
}

static void test_prologue_end_belongs_to_the_next_row(void **state)
{
    (void)state;
    struct line_rows writer = {.p = buffer};
    line_begin(&writer, 16);
    line_row(&writer, 16, 9);
    writer.p = put_u8(writer.p, DW_LNS_set_prologue_end);
    line_row(&writer, 27, 10);
    line_row(&writer, 40, 11);
    line_end(&writer, 48);
    struct parameters h = header_of((uint64_t)(writer.p - buffer));
    assert_int_equal(decode(&h, buffer, writer.p, found, 4), 4);
    assert_false(found[0].prologue_end);
    assert_true(found[1].prologue_end);
    assert_false(found[2].prologue_end);
}

/* A column stays until another is set; a discriminator is for one row. */
static void test_what_goes_before_a_row(void **state)
{
    (void)state;
    struct line_rows writer = {.p = buffer};
    line_begin(&writer, 16);
    line_column(&writer, 5);
    line_row(&writer, 16, 9);
    uint8_t *before = writer.p;
    line_inside(&writer, true);
    line_discriminator(&writer, 127);
    line_column(&writer, 127);
    line_row(&writer, UINT64_C(1) << 62, UINT32_MAX);
    assert_true(writer.p - before <= LINE_ROW_MOST);
    line_inside(&writer, false);
    line_row(&writer, UINT64_C(1) << 62, 7);
    line_end(&writer, UINT64_C(1) << 62);
    struct parameters h = header_of((uint64_t)(writer.p - buffer));
    assert_int_equal(decode(&h, buffer, writer.p, found, 4), 4);
    static const struct row expected[] = {
        {.address = 16, .line = 9, .column = 5},
        {.address = UINT64_C(1) << 62, .line = UINT32_MAX, .no_statement = true, .column = 127, .discriminator = 127},
        {.address = UINT64_C(1) << 62, .line = 7, .column = 127},
        {.address = UINT64_C(1) << 62, .line = 7, .column = 127},
    };
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(found[i].address, expected[i].address);
        assert_int_equal(found[i].line, expected[i].line);
        assert_int_equal(found[i].no_statement, expected[i].no_statement);
        assert_int_equal(found[i].column, expected[i].column);
        assert_int_equal(found[i].discriminator, expected[i].discriminator);
    }
}

/* Rows within a statement, with advances that fit into one byte and some that do not. The first statement has one such
 * row, the second several. */
static void test_inner_rows(void **state)
{
    (void)state;
    static const uint64_t advance[] = {0, 1, 16, 17, 300};
    enum { INNER = sizeof advance / sizeof advance[0] };
    struct line_rows writer = {.p = buffer};
    line_begin(&writer, 16);
    line_row(&writer, 16, 9);
    for (uint32_t i = 0; i < INNER; i++) {
        const unsigned which = i == 0 ? LINE_FIRST | LINE_LAST : i == 1 ? LINE_FIRST : i + 1 == INNER ? LINE_LAST : 0;
        if (i == 1)
            line_row(&writer, writer.address, 9);
        const uint8_t *before = writer.p;
        line_inner(&writer, writer.address + advance[i], 1 + 126 * (i % 2), which);
        assert_int_equal(writer.p - before == 3 + (which & 1) + (which >> 1), advance[i] <= 16);
    }
    line_end(&writer, 400);
    assert_int_equal(writer.count, INNER + 3);
    struct parameters h = header_of((uint64_t)(writer.p - buffer));
    assert_int_equal(decode(&h, buffer, writer.p, found, INNER + 3), INNER + 3);
    assert_false(found[0].no_statement || found[2].no_statement || found[INNER + 2].no_statement);
    uint64_t address = 16;
    for (uint32_t i = 0; i < INNER; i++) {
        const struct row *row = &found[i ? i + 2 : 1];
        address += advance[i];
        assert_int_equal(row->address, address);
        assert_int_equal(row->line, 9);
        assert_int_equal(row->column, 1 + 126 * (i % 2));
        assert_true(row->no_statement);
    }
}

/* The caller adds the address where its code begins to the number that line_begin writes. So that number has to be the
 * 8 bytes behind the first three. */
static void test_place_of_the_address(void **state)
{
    (void)state;
    struct line_rows writer = {.p = buffer};
    line_begin(&writer, UINT64_C(0x1122334455667788));
    const uint8_t *p = buffer + 3;
    assert_true(get_fixed(&p, 8) == UINT64_C(0x1122334455667788));
    assert_int_equal(writer.line, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_edges_of_special_opcodes),
        cmocka_unit_test(test_special_opcodes_are_used),
        cmocka_unit_test(test_large_steps),
        cmocka_unit_test(test_rows_by_chance),
        cmocka_unit_test(test_end_at_the_last_row),
        cmocka_unit_test(test_prologue_end_belongs_to_the_next_row),
        cmocka_unit_test(test_what_goes_before_a_row),
        cmocka_unit_test(test_inner_rows),
        cmocka_unit_test(test_place_of_the_address),
        cmocka_unit_test(test_header_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
