/* Inlined calls that do not come with the stamps of blocks; see describe.h.
 *
 * In functions that are described richly, some calls of other functions are in inlined code. In those that are
 * described plainly, stretches of code are in inlined calls where the library has less such code than its row says. Of
 * what such a call has nothing has a place.
 */
#include "emit/library/describe_parts.h"

void describe_inlined(struct walk *w, uint32_t inlined, uint32_t line, uint64_t from, uint64_t to)
{
    enum { COLUMN = 9 };
    struct composer *c = &w->composer;
    const struct corpus_inline *f = &w->corpus->inlines[inlined];
    uint8_t *const begin = c->info;
    uint8_t *const sibling = compose_inlined(c, inlined, DIALECT_SOURCE_FILE, line, COLUMN, 1, &from, &to);
    for (uint32_t i = 0; i < f->children; i++)
        compose_inlined_child(c, inlined, i, DEBUG_LIST_NONE);
    compose_end_child(c, begin, sibling);
    c->out->inlined += to - from;
}

/* A random inline function; some are chosen more often than others. One with a lexical block would need its block to be
 * described, too: DESCRIBE_NOT_INLINED in its place. */
static uint32_t any_inline(const struct corpus *corpus, uint64_t r)
{
    const uint32_t inlined = random_below(r << 8, random_below(r << 32, corpus_inlines(corpus)) + 1);
    return corpus->inlines[inlined].block ? DESCRIBE_NOT_INLINED : inlined;
}

/* --- calls ---------------------------------------------------------------------- */

uint32_t describe_inlined_call(const struct corpus *corpus, const struct function *f, const struct code_call_site *site,
                               uint32_t call)
{
    enum { USUAL = 28, MOST = 40, OF = 64 };
    const uint32_t inlines = corpus_inlines(corpus);
    const uint32_t share = (uint32_t)USUAL * corpus->manner.inlined / MANNER_USUAL;
    const uint64_t r = random_at(f->hash, UINT64_C(0x696e6c03) + call);
    /* Without code that passes something, the source's row and the call's row would have one address. */
    const bool passes = code_before_call(site) + code_pass_size(site->callee) > 0;
    if (!inlines || !passes || r % OF >= (share < MOST ? share : MOST))
        return DESCRIBE_NOT_INLINED;
    return any_inline(corpus, r);
}

/* --- stretches of code ------------------------------------------------------------ */

enum { PIECES_MOST = 3, LINES_INSIDE = CORPUS_INLINE_LINES - 4 };

/* Whether the function's next piece is to be in an inlined call: the library has less code in these than it should have
 * up to there, and its entries are not far ahead of their pace. */
static bool is_due(const struct walk *w, const struct subject *s)
{
    enum { AHEAD = 16 };
    return s->level == SUBJECT_PLAIN && !plain_is_told(w) && w->goal->inlined && corpus_inlines(w->corpus) &&
           w->line_number < DEBUG_LINE_MOST && /* a call's line takes two bytes */
           w->composer.out->inlined < detail_pace_at(w, &w->in_calls, s->at) &&
           detail_info_written(w) <= detail_pace_at(w, &w->info, s->end) + w->goal->info / AHEAD;
}

bool inlined_takes(struct walk *w, const struct subject *s, struct inlined_stretch *t)
{
    if (t->rest)
        return true;
    if (!is_due(w, s))
        return false;
    const uint32_t inlined = any_inline(w->corpus, random_at(s->f->hash, UINT64_C(0x73747265) + s->at));
    if (inlined == DESCRIBE_NOT_INLINED)
        return false;
    const uint32_t pieces = 1 + (uint32_t)(random_mix(s->f->hash + s->at) % PIECES_MOST);
    *t = (struct inlined_stretch){.inlined = inlined, .rest = pieces, .from = s->at, .line = w->line_number};
    line_file(&w->composer.rows, DIALECT_HEADER_FILE);
    return true;
}

void inlined_piece(struct walk *w, struct subject *s, struct inlined_stretch *t, const struct piece *piece,
                   bool is_last)
{
    const uint32_t first = corpus_inline_line(t->inlined) + 1;
    const struct plain_lines lines = {first + t->lines, first + LINES_INSIDE};
    const uint64_t end = s->at + code_piece_size(&w->l->code, piece);
    t->lines += plain_piece(w, s, piece, &lines);
    if (t->lines >= LINES_INSIDE)
        t->lines = 0;
    s->stretches++;
    if (--t->rest && !is_last)
        return;
    t->rest = 0;
    line_inside(&w->composer.rows, false);
    line_file(&w->composer.rows, DIALECT_SOURCE_FILE);
    describe_inlined(w, t->inlined, t->line, t->from, end);
}

uint64_t inlined_room(const struct walk *w, const struct body *b)
{
    return w->goal->inlined ? b->pieces * (UINT64_C(1) + CORPUS_INLINE_CHILDREN) * COMPOSE_CHILD_MOST : 0;
}
