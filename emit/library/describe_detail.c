/* How much is said of each block; see describe.h.
 *
 * For each kind of bytes there is a pace: so many bytes for each byte of code. Of a block's stamps the walk takes the
 * one that comes closest to the pace. What one block says too much, the next blocks say less.
 */
#include "emit/library/describe_parts.h"

enum { PACE_BITS = 20, RESERVE_LISTS = 900, RESERVE_RANGES = 240, RESERVE_LINE = 400 };

/* The pace that leads from `start` to the goal, less `others`, which are not for functions, and less `reserve` (an
 * eighth of the goal at most), which is left for the end of the walk. */
static struct pace pace_for(uint64_t goal, uint64_t start, uint64_t others, uint64_t reserve, uint64_t code)
{
    uint64_t beyond = start + others + (reserve < goal / 8 ? reserve : goal / 8);
    uint64_t bytes = goal > beyond ? goal - beyond : 0;
    return (struct pace){.start = start, .rate = code ? (bytes << PACE_BITS) / code : 0};
}

uint64_t detail_pace_at(const struct walk *w, const struct pace *p, uint64_t code)
{
    return p->start + (p->rate * (code + w->apart) >> PACE_BITS);
}

static bool is_exact(const struct library *l, enum debug_section s)
{
    return l->debug.wanted[s] != DEBUG_ANY;
}

static uint64_t written(const uint8_t *p, const struct bytes *out)
{
    return (uint64_t)(p - out->data);
}

uint64_t detail_rows_written(const struct walk *w)
{
    const struct composer *const c = &w->composer;
    const uint64_t rows = c->unit ? written(c->rows.p, &c->out->programs) : c->out->programs.size;
    return rows + c->out->parts.size + w->rows_due;
}

void detail_start(struct walk *w)
{
    const struct library *l = w->l;
    const struct describe_goal *g = w->goal;
    const struct dialect d = w->corpus->dialect;
    const bool is_part = l->described < l->row->functions;
    const uint64_t code = library_function_at(l, l->described) + (is_part ? 0 : l->text_tail);
    const uint64_t all = code + (w->parted_most ? plan_cold_bytes(l->row, l->described) : 0);
    const bool follows = l->row->said;
    const uint64_t data = is_exact(l, DEBUG_LINE) ? tune_data_headers(w) : 0;
    w->code = code;
    w->code_all = all;
    w->info = pace_for(g->info, w->composer.out->info.size, 0, 0, all);
    w->in_calls = pace_for(g->inlined, 0, 0, 0, all);
    w->entry_values = pace_for(g->entry_values == DESCRIBE_VALUES_USUAL ? 0 : g->entry_values, 0, 0, 0, all);
    w->names = pace_for(plain_names(w), 0, 0, 0, all);
    const uint64_t units = w->units + (w->composer.unit ? 0u : 1u);
    w->line = pace_for(g->line, units * w->line_header + detail_rows_written(w), follows ? data : 0,
                       is_exact(l, DEBUG_LINE) ? RESERVE_LINE + (follows ? 0 : data) : 0, all);
    w->lists = pace_for(g->lists, compose_list_header(d), 0, is_exact(l, DEBUG_LISTS) ? RESERVE_LISTS : 0, all);
    w->ranges = pace_for(g->ranges, compose_list_header(d), 0, is_exact(l, DEBUG_RANGES) ? RESERVE_RANGES : 0, all);
}

uint64_t detail_rows_for(const struct walk *w, uint64_t code)
{
    return w->line.rate * code >> PACE_BITS;
}

uint64_t detail_info_written(const struct walk *w)
{
    return written(w->composer.info, &w->composer.out->info) - w->besides;
}

/* The least bytes that the entries of a function's blocks take if they are described. */
static uint64_t blocks_least(const struct walk *w, const struct body *b)
{
    const struct blocks *blocks = &w->l->stock->blocks;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < b->pieces; i++)
        if (b->piece[i].kind == PIECE_BLOCK)
            bytes += blocks->block[b->piece[i].first].stamp[0][0].info_size;
    return bytes;
}

/* By how many bytes of entries a function of a library with a row may be ahead of the pace. */
static uint64_t info_slack(const struct walk *w)
{
    return w->goal->info / 12;
}

static bool follows_info(const struct walk *w)
{
    return w->l->row->said && is_exact(w->l, DEBUG_INFO);
}

bool detail_info_ahead(const struct walk *w, const struct subject *s)
{
    return follows_info(w) && detail_info_written(w) > detail_pace_at(w, &w->info, s->end);
}

bool detail_info_behind(const struct walk *w, const struct subject *s)
{
    return follows_info(w) && detail_info_written(w) < detail_pace_at(w, &w->info, s->end);
}

uint64_t detail_entry_values_due(const struct walk *w, uint64_t end)
{
    const struct composed *const out = w->composer.out;
    const uint64_t one_in = w->corpus->dialect.language == DWARF_CPP ? DESCRIBE_VALUES_OF_CPP : DESCRIBE_VALUES_OF;
    const bool is_usual = w->goal->entry_values == DESCRIBE_VALUES_USUAL;
    const uint64_t wanted = is_usual ? out->entries / one_in : detail_pace_at(w, &w->entry_values, end);
    return wanted > out->entry_values ? wanted - out->entry_values : 0;
}

/* Parameters' lists may be ahead of the pace by up to half of what is left to the last function. Later functions make
 * up for that. */
bool detail_has_lists(const struct walk *w, uint64_t end)
{
    const uint64_t ahead = w->goal->lists / 16 < RESERVE_LISTS / 2 ? w->goal->lists / 16 : RESERVE_LISTS / 2;
    return w->level == DESCRIBE_RICH && !plain_is_told(w) &&
           written(w->composer.lists, &w->composer.out->lists) <= detail_pace_at(w, &w->lists, end) + ahead;
}

void detail_function(const struct walk *w, struct subject *s)
{
    const struct composer *c = &w->composer;
    s->level = w->level == DESCRIBE_LEAN ? SUBJECT_LEAN : plain_is_told(w) ? SUBJECT_PLAIN : SUBJECT_RICH;
    if (s->level == SUBJECT_RICH && detail_info_written(w) > detail_pace_at(w, &w->info, s->start) + w->goal->info / 32)
        s->level = SUBJECT_PLAIN;
    if (s->level == SUBJECT_RICH && follows_info(w) &&
        detail_info_written(w) + blocks_least(w, s->body) > detail_pace_at(w, &w->info, s->end) + info_slack(w))
        s->level = SUBJECT_PLAIN;
    const bool behind = written(c->lists, &c->out->lists) <= detail_pace_at(w, &w->lists, s->end);
    const bool has_all = s->level == SUBJECT_RICH && behind && detail_lists_part(w);
    s->lists = has_all ? SUBJECT_LISTS_ALL : detail_has_lists(w, s->end) ? SUBJECT_LISTS_SPILLED : SUBJECT_LISTS_NONE;
}

/* The index of the one of `count` ascending sizes that, added to `before`, comes closest to `goal`. */
static uint32_t closest(uint64_t before, const uint16_t *size, uint32_t count, uint64_t goal)
{
    uint32_t best = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t after = before + size[i];
        uint64_t off = after > goal ? after - goal : goal - after;
        if (off < least) {
            least = off;
            best = i;
        }
    }
    return best;
}

void detail_register_entry(struct walk *w, uint64_t from, uint64_t to, uint32_t number)
{
    const uint8_t expression[] = {(uint8_t)(DW_OP_reg0 + 12 + number % 4)};
    compose_list_entry(&w->composer, from, to, expression, sizeof expression);
}

uint32_t detail_lists_part(const struct walk *w)
{
    const int32_t part = DESCRIBE_EXPRESSION_PARTS - (DESCRIBE_EXPRESSION_LEAST - w->goal->expression);
    return part < 0 ? 0 : part < DESCRIBE_EXPRESSION_PARTS ? (uint32_t)part : DESCRIBE_EXPRESSION_PARTS;
}

/* How many bytes of location lists there should be at `end`, with the lists of blocks. There are `before` so far. */
static uint64_t lists_goal(const struct walk *w, uint64_t before, uint64_t end)
{
    const uint64_t goal = detail_pace_at(w, &w->lists, end);
    return goal > before ? before + (goal - before) * detail_lists_part(w) / DESCRIBE_EXPRESSION_PARTS : goal;
}

const struct stamp *detail_stamp(struct walk *w, const struct subject *s, const struct block *block)
{
    const struct composer *c = &w->composer;
    const uint64_t end = s->at + block->size;
    const bool near = c->text + end - c->unit->start < COMPOSE_NEAR && block_has_near(w->corpus->dialect);
    const unsigned none = block_kind_of(near, BLOCK_LISTS_NONE);
    const uint16_t *lists = block->lists_size + none;
    const uint16_t *ranges = block->ranges_size[near];
    const uint64_t before = written(c->lists, &c->out->lists);
    uint32_t of_lists = closest(before, lists, BLOCK_LISTS, lists_goal(w, before, end));
    uint32_t of_ranges =
        closest(written(c->ranges, &c->out->ranges), ranges, BLOCK_RANGES, detail_pace_at(w, &w->ranges, end));
    w->lists_kind = none + of_lists;
    w->ranges_kind = of_ranges;
    return &block->stamp[w->lists_kind][of_ranges];
}

/* By how many bytes the rows of blocks may be ahead of the pace. */
static uint64_t rows_slack(const struct walk *w)
{
    return RESERVE_LINE + w->goal->line / 64;
}

const struct stamp_rows *detail_rows(struct walk *w, const struct subject *s, const struct block *block)
{
    const uint16_t *size = block->rows_size;
    uint64_t before = detail_rows_written(w) + w->units * w->line_header;
    uint64_t goal = detail_pace_at(w, &w->line, s->at + block->size);
    const int32_t part = w->goal->rows_part;
    if (goal > before && part >= 0 && part < DESCRIBE_ROWS_WHOLE)
        goal = before + (goal - before) * (uint64_t)part / DESCRIBE_ROWS_WHOLE;
    /* rows of inlined calls are the last to be left out; later blocks make up for them */
    const bool behind = before + size[BLOCK_ROWS_FEW] <= goal + rows_slack(w);
    const unsigned least = behind ? BLOCK_ROWS_FEW : BLOCK_ROWS_NONE;
    const bool is_rich = s->level == SUBJECT_RICH;
    /* rows of inlined calls would say what no entry does; later blocks make up for them, too, unless they lag far */
    const bool without = !is_rich && before + 4 * rows_slack(w) > goal;
    w->rows_kind = without ? BLOCK_ROWS_NONE : least + closest(before, size + least, BLOCK_ROWS - least, goal);
    const bool whole = is_rich && w->rows_kind == BLOCK_ROWS_FEW && w->ranges_kind == BLOCK_RANGES_NONE;
    return whole ? &block->whole : &block->rows[w->rows_kind];
}

/* Prefetches the blocks and stamps, which say where their bytes are. */
static void fetch_places(const struct walk *w, const struct body *body)
{
    for (uint32_t i = 0; i < body->pieces; i++)
        if (body->piece[i].kind == PIECE_BLOCK) {
            const struct block *block = &w->l->stock->blocks.block[body->piece[i].first];
            fetch_lines(block, 1);
            fetch_lines(&block->stamp[w->lists_kind][w->ranges_kind], 1);
            fetch_lines(block->rows, 1);
        }
}

/* Prefetches the bytes of the stamps. */
static void fetch_stamps(const struct walk *w, const struct body *body)
{
    const struct blocks *blocks = &w->l->stock->blocks;
    for (uint32_t i = 0; i < body->pieces; i++)
        if (body->piece[i].kind == PIECE_BLOCK) {
            const struct block *block = &blocks->block[body->piece[i].first];
            stamp_fetch_entries(&blocks->store, &block->stamp[w->lists_kind][w->ranges_kind]);
            stamp_fetch_rows(&blocks->store, &block->rows[w->rows_kind]);
        }
}

void detail_fetch(const struct walk *w, uint32_t index)
{
    const uint32_t functions = w->l->row->functions;
    if (index + 2 < functions)
        fetch_places(w, &w->l->body[index + 2]);
    if (index + 1 < functions && !w->l->only_sizes)
        fetch_stamps(w, &w->l->body[index + 1]);
}
