/* Describes cold parts of functions (plan_library.cold), where debug information is of a form that has them: gcc's, in
 * one file, with a DW_AT_ranges of functions and units (DWARF 5 section 2.17.3). Their code is far from that of their
 * functions, and so their rows are a sequence of their own.
 *
 * Not every part need be described: .debug_aranges may have no room for another unit with parts, or .debug_rnglists
 * none for another list. Then the function's entry is as if it had no part.
 */
#include <stdlib.h>

#include "emit/library/cold.h"
#include "emit/library/describe_parts.h"

/* Bytes of a range list of two ranges, at most. */
static uint64_t list_most(const struct walk *w)
{
    enum { MOST_4 = 64, MOST_5 = 28 };
    return dialect_is_4(w->corpus->dialect) ? MOST_4 : MOST_5;
}

/* Whether there is room for the lists of one more function and of its unit, and functions so far have not taken what
 * others are to have. */
static bool has_ranges(const struct walk *w, const struct subject *s)
{
    enum { PART = 16 };
    const struct composer *const c = &w->composer;
    const uint64_t wanted = w->l->debug.wanted[DEBUG_RANGES];
    const uint64_t written = (uint64_t)(c->ranges - c->out->ranges.data);
    const uint64_t after = written + 2 * list_most(w);
    return wanted == DEBUG_ANY ||
           (after <= wanted && written <= detail_pace_at(w, &w->ranges, s->end) + w->goal->ranges / PART);
}

static int descending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* Chooses the units that may have parts, fewer than all: those with most code, which have most parts, too. Of units of
 * one weight it is the first. False when memory ran out. */
static bool choose_units(struct walk *w, uint32_t units)
{
    uint64_t *const weight = malloc(units * sizeof *weight);
    if (!weight)
        return false;
    for (uint32_t i = 0; i < units; i++)
        weight[i] = describe_weight(w, i);
    qsort(weight, units, sizeof *weight, descending);
    w->parted_weight = w->parted_most ? weight[w->parted_most - 1] : UINT64_MAX;
    for (uint32_t i = w->parted_most; i && weight[i - 1] == w->parted_weight; i--)
        w->parted_rest++;
    free(weight);
    return true;
}

bool cold_units(struct walk *w)
{
    const struct library *const l = w->l;
    const uint32_t units = l->row->debug.units;
    if (!l->row->cold.told || !l->row->cold.count || w->level != DESCRIBE_RICH)
        return true;
    w->parted_most = debug_parted_most(&l->debug, units);
    return w->parted_most >= units || choose_units(w, units);
}

/* Whether a unit is one of those with most code. To be asked once for each, in their order. */
static bool is_chosen(struct walk *w, uint32_t unit)
{
    const uint64_t weight = describe_weight(w, unit);
    const bool is_one = weight > w->parted_weight || (weight == w->parted_weight && w->parted_rest);
    w->parted_rest -= weight == w->parted_weight && is_one;
    return is_one;
}

/* Whether the open unit, which has a part, may have it described: it is one of those with most code, or one of these
 * before it has no part. */
static bool unit_may(struct walk *w)
{
    const uint32_t unit = w->units - 1;
    if (w->parted_unit > unit)
        return w->parted_may;
    for (; w->parted_unit < unit; w->parted_unit++)
        w->parted_spare += is_chosen(w, w->parted_unit);
    const bool is_one = is_chosen(w, w->parted_unit++);
    w->parted_may = is_one || w->parted_spare;
    w->parted_spare -= !is_one && w->parted_spare;
    return w->parted_may;
}

uint32_t cold_size(const struct walk *w, const struct body *b)
{
    const struct plan_library *const row = w->l->row;
    return b->cold && w->parted_most ? plan_small_size(row, row->cold.first + w->cold) : 0;
}

void cold_begin(struct walk *w, struct subject *s)
{
    const uint32_t size = cold_size(w, s->body);
    if (!size)
        return;
    w->cold++;
    w->apart += size;
    if (!unit_may(w) || !has_ranges(w, s) || (plain_is_told(w) && !s->f->count))
        return;
    w->parted = true;
    s->part = (uint64_t)s->body->cold;
    s->part_end = s->part + size;
    w->rows_due = detail_rows_for(w, size);
}

/* --- the part's own ------------------------------------------------------------------- */

enum {
    PIECE_LEAST = 2,    /* bytes of a piece, except for the last */
    INLINED_LEAST = 12, /* bytes of code of an inlined call */
    INLINED_MORE = 32,  /* and how many more it has at most */
};

/* A call has an entry, and one for each argument; for each of these there are five bytes of code at least. An inlined
 * call has an entry, and one for each of some parameters and variables. */
uint64_t cold_room(const struct walk *w, const struct body *b)
{
    enum { CALL_LEAST = 5, INLINED_ENTRIES = 1 + CORPUS_INLINE_CHILDREN };
    const uint64_t size = cold_size(w, b);
    return !size ? 0 : (1 + size / CALL_LEAST + (1 + size / INLINED_LEAST) * INLINED_ENTRIES) * COMPOSE_CHILD_MOST;
}

static struct cold_walk walk_of(const struct walk *w)
{
    return cold_start(w->l, w->cold - 1);
}

/* Whether the function's calls are described. */
static bool has_calls(const struct subject *s)
{
    return s->part_end > s->part && s->level == SUBJECT_RICH;
}

void cold_helpers(struct walk *w, const struct subject *s)
{
    if (has_calls(s) && w->l->shape.helpers)
        describe_helper(w, cold_helper(w->l, w->cold - 1));
}

static void describe_calls(struct walk *w, const struct subject *s)
{
    struct composer *const c = &w->composer;
    const uint32_t helper = w->helper[cold_helper(w->l, w->cold - 1)];
    struct cold_walk pieces = walk_of(w);
    struct cold_piece piece;
    while (cold_next(&pieces, &piece)) {
        if (!piece.calls)
            continue;
        uint8_t *const begin = c->info;
        uint8_t *const sibling = compose_call(c, s->part + piece.at + piece.size, helper, piece.arguments);
        for (uint32_t i = 0; i < piece.arguments; i++)
            compose_call_constant(c, cold_registers[i], cold_argument(&piece, i));
        if (piece.arguments)
            compose_end_child(c, begin, sibling);
    }
}

/* The rows of a part. */
struct rows {
    const uint8_t *begin;
    uint64_t count;               /* so far */
    uint64_t bytes_due, rows_due; /* for each byte of code, times 2^DUE_BITS */
    uint32_t until;               /* where the inlined call that the walk is in ends; 0: it is in none */
    uint32_t line;                /* of the inlined function */
};
enum { DUE_BITS = 20 };

/* Describes the code from a piece on as an inlined call, if functions' entries are behind their pace. `behind` is the
 * walk behind that piece. */
static void begin_inlined(struct walk *w, const struct subject *s, const struct cold_piece *from,
                          struct cold_walk behind, struct rows *rows)
{
    const uint32_t inlines = corpus_inlines(w->corpus);
    enum { ONE_IN = 6 }; /* of the pieces at which a call may begin: of real cold code some third is inlined */
    const uint64_t r = random_at(from->value, UINT64_C(0x636f6c64));
    struct cold_piece piece;
    if (!inlines || !has_calls(s) || !detail_info_behind(w, s) || behind.end < from->at + INLINED_LEAST)
        return;
    const uint32_t inlined = random_below(r << 8, random_below(r << 32, inlines) + 1);
    if (r % ONE_IN || w->corpus->inlines[inlined].block) /* a block would have to be described, too */
        return;
    while (behind.at < from->at + INLINED_LEAST + (r >> 16) % INLINED_MORE && behind.at < behind.end)
        cold_next(&behind, &piece);
    rows->until = behind.at;
    rows->line = corpus_inline_line(inlined) + 1;
    describe_inlined(w, inlined, w->line_number, s->part + from->at, s->part + rows->until);
}

/* Appends a row if rows, and bytes of rows, are due, or `always`. Bytes that are due beyond the row go into its column
 * and discriminator, and into whether a statement begins there. */
static void put_row(struct walk *w, const struct subject *s, struct rows *of, const struct cold_piece *piece,
                    uint32_t line, bool always)
{
    enum { DISCRIMINATOR = 4, COLUMN = 2, TURN = 1, ROW = 1, COLUMNS = 60 };
    struct line_rows *const rows = &w->composer.part;
    const uint64_t written = (uint64_t)(rows->p - of->begin) + ROW;
    const uint64_t due = of->bytes_due * (piece->at + 1) >> DUE_BITS;
    const uint64_t spare = due > written ? due - written : 0;
    if (!always && (!spare || of->count > of->rows_due * (piece->at + 1) >> DUE_BITS))
        return;
    const uint64_t r = random_mix(piece->value);
    if (spare >= DISCRIMINATOR + COLUMN + TURN)
        line_discriminator(rows, 1 + (uint32_t)(r >> 8) % 7);
    if (spare >= COLUMN)
        line_column(rows, 1 + (uint32_t)(r >> 16) % COLUMNS);
    line_inside(rows, !always && spare >= TURN && r % 2);
    line_row(rows, s->part + piece->at, line);
    of->count++;
}

/* Appends a row for a piece, on `line` where no inlined call is. `behind` is the walk behind the piece. */
static void describe_piece(struct walk *w, const struct subject *s, struct rows *of, const struct cold_piece *piece,
                           const struct cold_walk *behind, uint32_t line)
{
    const bool was_inlined = of->until;
    const bool ends = was_inlined && piece->at == of->until;
    of->until = ends ? 0 : of->until;
    if (!of->until && piece->at < behind->end)
        begin_inlined(w, s, piece, *behind, of);
    const bool begins = of->until && (!was_inlined || ends);
    if (was_inlined != (of->until != 0))
        line_file(&w->composer.part, of->until ? DIALECT_HEADER_FILE : DIALECT_SOURCE_FILE);
    put_row(w, s, of, piece, of->until ? of->line : line, !piece->at || begins || ends);
}

bool cold_describe(struct walk *w, struct subject *s)
{
    enum { NEAR = 6 };
    if (s->part == s->part_end)
        return true;
    const uint64_t size = s->part_end - s->part;
    struct rows rows = {
        .bytes_due = (w->rows_due << DUE_BITS) / size,
        .rows_due = w->goal->rows ? (w->goal->rows << DUE_BITS) / w->code_all : UINT64_C(1) << DUE_BITS,
    };
    if (!compose_part(&w->composer, s->part, LINE_ROW_MOST * (3 + size / PIECE_LEAST)))
        return false;
    if (has_calls(s))
        describe_calls(w, s);
    rows.begin = w->composer.part.p;
    const uint32_t lines = w->line_number - s->line;
    const uint32_t near = lines < NEAR ? lines + 1 : NEAR;
    struct cold_walk pieces = walk_of(w);
    struct cold_piece piece;
    bool more;
    do {
        more = cold_next(&pieces, &piece);
        describe_piece(w, s, &rows, &piece, &pieces, w->line_number - (more ? (uint32_t)rows.count % near : 0));
    } while (more);
    compose_part_end(&w->composer, s->part_end);
    w->rows_due = 0;
    return true;
}
