/* Reads runs and blocks of code back as C; see code.h. */
#include "emit/source/parts.h"

#include <assert.h>
#include <string.h>

enum { CARRIED_MOST = 60 /* bytes of an expression that one statement may leave to the next */ };

/* Reads a run of the filler, borders [first, last), whose code stands at `at`. */
static void read_run(struct reading *r, uint32_t first, uint32_t last, uint32_t at)
{
    const struct filler *f = r->to->filler;
    const uint16_t *offset = f->offset;
    for (uint32_t k = first; k < last; k++) {
        const uint32_t lines = k + 1 < last ? (uint32_t)f->line[k + 1] - f->line[k] : 0;
        r->breaks = lines > 1 ? lines - 1 : 0;
        reading_code(r, at + offset[k] - offset[first], at + offset[k + 1] - offset[first]);
        if (!lines)
            continue;
        if (reading_at_start(r))
            reading_rest(r);
        for (uint32_t n = 1 + r->breaks; n; n--)
            reading_end_line(r);
        r->rax_waits = r->xmm0_waits = r->rcx_waits = false;
    }
    r->breaks = 0;
    reading_rest(r);
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* What registers hold is not known here: takes some local for each, which is as good as any. */
static void forget(struct reading *r)
{
    r->rax = phrase_of_slot(r, r->stored);
    r->rdx = phrase_of_slot(r, 2);
    r->rcx = phrase_of_slot(r, 4);
    r->xmm0 = phrase_of_slot(r, r->stored_double);
}

static void read_scope(struct reading *r, const struct block_note *n)
{
    reading_indent(r, 0);
    reading_text(r, "{");
    for (uint32_t i = 0; i < n->count; i++) {
        struct phrase p = {.size = 0};
        phrase_add(&p, n->slot[i] & 1 ? " double " : " long ");
        phrase_hole(&p, HOLE_LOCAL, r->locals + i);
        phrase_add(&p, " = ");
        phrase_hole(&p, HOLE_SLOT, n->slot[i]);
        phrase_add(&p, ";");
        reading_put(r, &p);
    }
    for (uint32_t i = 0; i < n->count; i++)
        r->local[n->slot[i]] = (int32_t)(r->locals + i);
    r->locals += n->count;
    r->depth++;
    read_run(r, n->first, n->last, n->at);
    r->depth--;
    reading_text(r, " }");
    memset(r->local, -1, sizeof r->local);
    forget(r);
}

/* The header has what the run does. Here is only the call, with the names of the locals that it works on. */
static void read_inlined(struct reading *r, const struct block_note *n, const struct corpus *corpus)
{
    const struct corpus_inline *f = &corpus->inlines[n->inlined];
    const size_t start = r->to->text.size;
    r->stores = false;
    read_run(r, n->first, n->last, n->at);
    r->to->text.size = r->line = start;
    struct phrase call = {.size = 0};
    phrase_hole(&call, HOLE_INLINE, n->inlined);
    phrase_add(&call, "(");
    for (uint32_t j = 0; j + f->variables < f->children; j++) {
        phrase_add(&call, j ? ", " : "");
        if (n->constants >> j & 1)
            phrase_number(&call, n->slot[j]);
        else
            phrase_slot(r, &call, n->slot[j]);
    }
    phrase_add(&call, ")");
    const struct phrase to = phrase_of_slot(r, r->stored);
    if (r->stores) {
        reading_assign(r, &to, &call);
    } else {
        reading_indent(r, 0);
        reading_put(r, &call);
        reading_text(r, ";");
    }
}

static struct reading reading_of(struct code_text *t, const uint8_t *code)
{
    struct reading r = {.to = t, .code = code, .depth = 1, .stored_double = 1, .line = t->text.size};
    memset(r.local, -1, sizeof r.local);
    forget(&r);
    return r;
}

/* Moves the holes in the text from `start` on to t->holes. */
static struct statements finish(struct code_text *t, size_t start)
{
    const size_t first = t->holes.size / sizeof(struct hole);
    if (t->text.failed)
        return (struct statements){.text = NULL};
    uint8_t *to = t->text.data + start;
    const uint8_t *end = t->text.data + t->text.size;
    for (const uint8_t *p = to; p < end;) {
        if (*p >= HOLE_KINDS) {
            *to++ = *p++;
            continue;
        }
        const size_t at = (size_t)(to - t->text.data) - start;
        const struct hole hole = {(uint16_t)at, p[0], (uint16_t)(p[1] | p[2] << 8)};
        bytes_append(&t->holes, &hole, sizeof hole);
        p += PHRASE_HOLE_BYTES;
    }
    bytes_keep(&t->text, to);
    return (struct statements){
        (const char *)t->text.data + start, (const struct hole *)(const void *)t->holes.data + first,
        (uint32_t)(t->text.size - start), (uint32_t)(t->holes.size / sizeof(struct hole) - first)};
}

struct statements code_text_block(struct code_text *t, const struct blocks *blocks, const struct corpus *corpus,
                                  const struct block *block)
{
    const size_t start = t->text.size;
    const struct block_note *n = (const struct block_note *)(const void *)blocks->bytes.notes.data + block->note;
    struct reading r = reading_of(t, blocks->bytes.code[0].data + block->code);
    uint32_t lines = 0;
    r.fixup = (const struct fixup *)(const void *)blocks->bytes.fixups.data + block->fixup;
    r.fixups = block->fixups;
    for (uint32_t i = 0; i < block->notes; i++, n++) {
        for (; i && lines < n->line; lines++)
            reading_end_line(&r);
        if (r.rax.size > CARRIED_MOST || r.xmm0.size > CARRIED_MOST)
            forget(&r);
        switch ((enum block_note_kind)n->kind) {
        case NOTE_STATEMENT:
            reading_code(&r, n->at, n->end);
            break;
        case NOTE_RUN:
            read_run(&r, n->first, n->last, n->at);
            break;
        case NOTE_SCOPE:
            read_scope(&r, n);
            break;
        case NOTE_AROUND:
            forget(&r);
            break;
        default:
            read_inlined(&r, n, corpus);
        }
        if (n->kind == NOTE_RUN || n->kind == NOTE_SCOPE)
            lines += (uint32_t)t->filler->line[n->last - 1] - t->filler->line[n->first];
    }
    assert(lines == block->lines);
    return finish(t, start);
}

struct statements code_text_run(struct code_text *t, uint32_t first, uint32_t last)
{
    const size_t start = t->text.size;
    struct reading r = reading_of(t, t->filler->code[0] + t->filler->offset[first]);
    read_run(&r, first, last, 0);
    return finish(t, start);
}

struct statements code_text_gap(struct code_text *t, const uint8_t *code, uint32_t size)
{
    const size_t start = t->text.size;
    struct reading r = reading_of(t, code);
    reading_code(&r, 0, size);
    reading_rest(&r);
    return finish(t, start);
}

void code_text_free(struct code_text *t)
{
    bytes_free(&t->text);
    bytes_free(&t->holes);
}

/* --- all blocks --------------------------------------------------------------------------------- */

bool block_texts_make(struct block_texts *t, const struct blocks *blocks, const struct filler *filler,
                      const struct corpus *corpus)
{
    memset(t, 0, sizeof *t);
    t->all.filler = filler;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        t->block[i].text = (uint32_t)t->all.text.size;
        t->block[i].hole = (uint32_t)(t->all.holes.size / sizeof(struct hole));
        const struct statements s = code_text_block(&t->all, blocks, corpus, &blocks->block[i]);
        t->block[i].size = s.size;
        t->block[i].holes = s.holes;
    }
    return !t->all.text.failed && !t->all.holes.failed;
}

void block_texts_free(struct block_texts *t)
{
    if (t)
        code_text_free(&t->all);
}

struct statements block_texts_of(const struct block_texts *t, uint32_t block)
{
    return (struct statements){(const char *)t->all.text.data + t->block[block].text,
                               (const struct hole *)(const void *)t->all.holes.data + t->block[block].hole,
                               t->block[block].size, t->block[block].holes};
}
