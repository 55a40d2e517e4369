/* What units of Fortran declare, as gfortran 12 writes it: named constants, strings, procedures that are defined
 * elsewhere, and arrays with a descriptor. What C has, too, is in corpus_types.c. */
#include "dwarf/corpus/corpus_parts.h"

#include <assert.h>
#include <string.h>

static void put_code(struct header_builder *b, enum abbrev_code code)
{
    bytes_u8(&b->entries, abbrev_fortran(code));
}

void corpus_add_constant_type(struct header_builder *b)
{
    const uint32_t at = here(b);
    bytes_u8(&b->entries, ABBREV_CONST);
    bytes_u32(&b->entries, corpus_type(b->corpus, BASE_INT));
    if (!b->header)
        b->corpus->constant_type = at;
}

/* A named constant (`parameter`) of a module. */
static void add_constant(struct header_builder *b)
{
    char text[96];
    const double value = (1 + pick(b, 4000)) / 16.0 - 50;
    const uint32_t line = corpus_begin_declared(b, (enum abbrev_code)abbrev_fortran(ABBREV_NAMED_CONSTANT));
    corpus_put_name(b, corpus_unique_name(b, "", text));
    corpus_declare(b, line);
    bytes_u32(&b->entries, corpus_type(b->corpus, BASE_DOUBLE));
    bytes_u8(&b->entries, sizeof value);
    bytes_append(&b->entries, &value, sizeof value);
}

static void add_characters(struct header_builder *b)
{
    const uint32_t at = here(b);
    const uint8_t size = (uint8_t)(1 + pick(b, 80));
    put_code(b, ABBREV_CHARACTERS);
    bytes_u8(&b->entries, size);
    corpus_remember(b, at, size, 1)->array = true;
}

/* A procedure that another unit defines. It is in no module, so its symbol is its name and an underscore. */
static void add_procedure(struct header_builder *b)
{
    char text[96];
    const uint32_t line = corpus_begin_declared(b, (enum abbrev_code)abbrev_fortran(ABBREV_PROCEDURE));
    const uint32_t name = corpus_unique_name(b, "", text);
    corpus_put_name(b, corpus_add_string(b, strcat(text, "_")));
    corpus_put_name(b, name);
    corpus_declare(b, line);
}

static void put_expression(struct header_builder *b, const uint8_t *expression, uint8_t size)
{
    bytes_u8(&b->entries, size);
    bytes_append(&b->entries, expression, size);
}

/* One dimension of an array with a descriptor, in which the dimension's numbers begin at offset `at`: its stride in
 * elements, and behind that its bounds. */
static void put_described_range(struct header_builder *b, uint8_t at)
{
    enum { SPAN = 32, LOWER = 8, UPPER = 16 };
    const uint8_t lower[] = {DW_OP_push_object_address, DW_OP_plus_uconst, (uint8_t)(at + LOWER), DW_OP_deref};
    const uint8_t upper[] = {DW_OP_push_object_address, DW_OP_plus_uconst, (uint8_t)(at + UPPER), DW_OP_deref};
    const uint8_t stride[] = {DW_OP_push_object_address,
                              DW_OP_plus_uconst,
                              at,
                              DW_OP_deref,
                              DW_OP_push_object_address,
                              DW_OP_plus_uconst,
                              SPAN,
                              DW_OP_deref,
                              DW_OP_mul};
    put_code(b, ABBREV_DESCRIBED_RANGE);
    put_expression(b, lower, sizeof lower);
    put_expression(b, upper, sizeof upper);
    put_expression(b, stride, sizeof stride);
}

/* An array of one or two dimensions whose descriptor says where its elements are: an allocated array or a dummy
 * argument. The descriptor's offsets are those of libgfortran: the base address at 0, the span of an element at 32, and
 * the dimensions from 40 on. */
static void add_described_array(struct header_builder *b)
{
    enum { FIRST = 40, EACH = 24 };
    static const uint8_t data[] = {DW_OP_push_object_address, DW_OP_deref};
    static const uint8_t allocated[] = {DW_OP_push_object_address, DW_OP_deref, DW_OP_lit0, DW_OP_ne};
    static const uint8_t codes[] = {ABBREV_ALLOCATED_ARRAY, ABBREV_DESCRIBED_MATRIX, ABBREV_DESCRIBED_ARRAY,
                                    ABBREV_ALLOCATED_ARRAY, ABBREV_DESCRIBED_ARRAY};
    const enum abbrev_code code = codes[b->described++ % sizeof codes];
    const uint8_t dimensions = code == ABBREV_DESCRIBED_MATRIX ? 2 : 1;
    const struct known_type of = corpus_element_type(b, 64);
    const uint32_t at = here(b);
    put_code(b, code);
    if (code == ABBREV_DESCRIBED_MATRIX)
        corpus_put_constant(b, DW_ORD_col_major);
    put_expression(b, data, sizeof data);
    if (code == ABBREV_ALLOCATED_ARRAY)
        put_expression(b, allocated, sizeof allocated);
    bytes_u32(&b->entries, of.offset);
    const size_t sibling = bytes_u32(&b->entries, 0);
    for (uint8_t i = 0; i < dimensions; i++)
        put_described_range(b, (uint8_t)(FIRST + i * EACH));
    corpus_end_children(b, sibling);
    corpus_remember(b, at, (uint32_t)(FIRST + dimensions * EACH), 8)->array = true;
}

/* An array of two dimensions with constant bounds. */
static void add_matrix(struct header_builder *b)
{
    const struct known_type of = corpus_element_type(b, 8);
    const uint32_t at = here(b);
    uint32_t elements = 1;
    put_code(b, ABBREV_MATRIX);
    corpus_put_constant(b, DW_ORD_col_major);
    bytes_u32(&b->entries, of.offset);
    const size_t sibling = bytes_u32(&b->entries, 0);
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t most = (uint8_t)(2 + pick(b, 4));
        bytes_u8(&b->entries, ABBREV_SUBRANGE);
        bytes_u32(&b->entries, corpus_type(b->corpus, BASE_LONG));
        bytes_u8(&b->entries, most);
        elements *= most;
    }
    corpus_end_children(b, sibling);
    corpus_remember(b, at, of.size * elements, of.align)->array = true;
}

void corpus_add_fortran_piece(struct header_builder *b, enum manner_piece kind)
{
    if (kind == PIECE_CONSTANT)
        add_constant(b);
    else if (kind == PIECE_CHARACTERS)
        add_characters(b);
    else if (kind == PIECE_DESCRIBED_ARRAY)
        add_described_array(b);
    else if (kind == PIECE_MATRIX)
        add_matrix(b);
    else
        add_procedure(b);
}
