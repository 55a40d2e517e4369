/* Describes the functions of a library whose units have lines alone (dialect.lines), as compiled with -g1: no
 * parameters, no locals, no types.
 *
 * Rows are those of a library without location lists (describe_plain.c). Below functions there are inlined calls alone,
 * as many as the row's number of functions' entries leaves. They lead to inline functions of the same source, so the
 * rows of their code are of that source, too.
 */
#include "emit/library/describe_parts.h"

enum { DEPTH_MOST = 12 };

/* How many entries of functions, with all below them, there should be when `code` bytes of code are described. */
static uint64_t defined_until(const struct walk *w, uint64_t code)
{
    const int64_t said = w->l->row->said->value[ROW_DWARF_DEFINED];
    const uint64_t left = said > (int64_t)w->defined_before ? (uint64_t)said - w->defined_before : 0;
    return left && w->code ? w->defined_before + left * code / w->code : 0;
}

uint64_t lines_room(const struct walk *w)
{
    return lines_are_told(w) ? (uint64_t)MORE_BORDERS_MOST * DEPTH_MOST * COMPOSE_CHILD_MOST : 0;
}

/* Which inline function the next call leads to. */
static uint32_t next_inline(struct walk *w)
{
    return w->inlined++ % corpus_inlines(w->corpus);
}

/* Describes the code [from, to) as `depth` inlined calls, one in another. */
static void put_nested(struct walk *w, uint32_t line, uint64_t depth, uint64_t from, uint64_t to)
{
    for (uint64_t i = 0; i < depth; i++)
        compose_line_inlined(&w->composer, next_inline(w), line, i + 1 < depth, from, to);
    for (uint64_t i = 1; i < depth; i++)
        compose_end_children(&w->composer, NULL);
    w->composer.out->inlined += depth ? to - from : 0;
}

void lines_inlined(struct walk *w, const struct subject *s, bool last)
{
    uint64_t border[MORE_BORDERS_MOST];
    const uint64_t there = w->composer.out->defined + 1;
    const uint64_t goal = defined_until(w, s->end);
    const uint32_t first = more_ranges_due(w, s); /* calls with ranges are before it */
    if (!corpus_inlines(w->corpus) || goal <= there || last)
        return;
    const uint64_t borders = more_borders(w, s, border) - 1;
    const uint64_t most = borders > first ? borders - first : 0;
    const uint64_t wanted = goal - there < most * DEPTH_MOST ? goal - there : most * DEPTH_MOST;
    const uint64_t count = wanted < most ? wanted : most;
    for (uint64_t i = 0; i < count && !detail_info_ahead(w, s); i++) {
        const uint64_t from = border[first + most * i / count];
        const uint64_t to = border[first + most * (i + 1) / count];
        const uint64_t depth = wanted * (i + 1) / count - wanted * i / count;
        put_nested(w, s->line + 1 + (uint32_t)i, depth, from, to);
    }
}

void lines_ranges(struct walk *w, const struct subject *s, uint64_t from, uint32_t list)
{
    compose_last_inlined(&w->composer, next_inline(w), s->line + 1, from, list);
}

void lines_innermost(struct walk *w, const struct subject *s, const uint64_t *border)
{
    if (lines_are_told(w))
        compose_line_inlined(&w->composer, next_inline(w), s->line + 1, false, border[0], border[1]);
}
