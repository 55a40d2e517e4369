/* See exceptions.h. */
#include "emit/library/exceptions.h"

#include <assert.h>

enum {
    SITES_MOST = 4096, /* call sites of one function */
    CALL = 5,          /* bytes of a call instruction, */
    CALL_TARGET = 1,   /* bytes of it before its operand */
    PADLESS = 4,       /* about one of so many call sites has no landing pad, but never the first */
    TYPED = 3,         /* about one of so many tables has types, */
    TYPE_ALIGN = 4,    /* whose end is at a multiple of this */
};

/* --- which functions ------------------------------------------------------------------------- */

/* Whether the i-th of `all` is one of `some` that are spread evenly. */
static bool is_one(uint64_t i, uint32_t some, uint32_t all)
{
    return (i + 1) * some / all > i * some / all;
}

static bool has_table(const struct library *l, uint32_t index)
{
    return is_one(index, l->shape.tabled, l->row->functions);
}

bool exceptions_begin(struct exceptions *x, const struct library *l, uint8_t *image, struct arena *arena)
{
    const struct section *s = &l->layout.section[SECTION_GCC_EXCEPT_TABLE];
    const struct plan_library *row = l->row;
    *x = (struct exceptions){
        .l = l, .start = image + s->offset, .address = s->address, .left = row->extra.unwound.tabled};
    if (!row->extra.unwound.tabled)
        return true;
    x->weights = l->shape.tabled_frameless;
    for (uint32_t i = 0; i < row->functions; i++)
        x->weights += has_table(l, i) ? l->body[i].size : 0;
    x->framed = plan_small_framed(row);
    x->site = arena_take(arena, SITES_MOST * sizeof *x->site);
    return x->site;
}

/* --- what of their code ------------------------------------------------------------------------ */

/* The call sites of one function. */
struct sites {
    struct except_site *site;
    uint32_t count;
};

static void add(struct sites *s, uint32_t start, uint32_t size)
{
    if (s->count < SITES_MOST)
        s->site[s->count++] = (struct except_site){.start = start, .size = size};
}

/* Adds the calls in a block as sites or, if it has none, all of the block. */
static void add_block(struct sites *s, const struct blocks *blocks, uint32_t number, uint32_t at)
{
    const struct block *b = &blocks->block[number];
    const struct fixup *f = (const struct fixup *)(const void *)blocks->bytes.fixups.data + b->fixup;
    const uint32_t before = s->count;
    for (uint32_t i = 0; i < b->fixups; i++)
        if (f[i].kind == FIXUP_HELPER)
            add(s, at + f[i].at - CALL_TARGET, CALL);
    if (s->count == before)
        add(s, at, b->size);
}

static void list_sites(struct sites *s, const struct code *c, uint32_t index, const struct body *b)
{
    const struct function *f = &c->own[index];
    uint32_t at = code_first_piece(c->library, b->frame, f);
    for (uint32_t i = 0; i < b->pieces; i++) {
        const uint32_t size = code_piece_size(c, &b->piece[i]);
        if (b->piece[i].kind == PIECE_BLOCK)
            add_block(s, c->blocks, b->piece[i].first, at);
        else
            add(s, at, size);
        at += size;
    }
    struct code_call_site site = {.last = false};
    for (uint32_t t = 0; !site.last; t++) {
        if (!code_call_site(c, index, f, t, &site))
            continue;
        at += code_before_call(&site) + code_pass_size(site.callee);
        add(s, at, CALL);
        at += CODE_CALL + code_behind_call(&site);
    }
    assert(at + frame_epilogue_size(b->frame) == b->size);
}

/* Gives most sites a landing pad: where a later site begins, or the function's end. */
static void choose_pads(struct sites *s, uint64_t key, uint32_t end)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const uint64_t r = random_at(key, i);
        const uint32_t pad = i + 1 + random_below(r, s->count - i);
        if (r % PADLESS || !i)
            s->site[i].pad = pad < s->count ? s->site[pad].start : end;
    }
}

/* --- writing ----------------------------------------------------------------------------------- */

/* Where the next table ends. Beyond their least size all tables share the rest of the section by weight. About every
 * third table is prolonged to where its types are aligned. */
static uint64_t end_of(const struct exceptions *x, uint64_t weight, uint64_t key)
{
    const struct plan_extra *e = &x->l->row->extra;
    const uint64_t least = x->at + EXCEPT_LEAST;
    const uint64_t most = e->unwound.exceptions - EXCEPT_LEAST * (uint64_t)(x->left - 1);
    const uint64_t spare = e->unwound.exceptions - EXCEPT_LEAST * (uint64_t)e->unwound.tabled;
    uint64_t end = EXCEPT_LEAST * (uint64_t)(e->unwound.tabled - x->left + 1);
    end += (uint64_t)((unsigned __int128)spare * (x->seen + weight) / x->weights);
    if (key % TYPED == 0)
        end += -(x->address + end) % TYPE_ALIGN;
    end = end < least ? least : end;
    return end < most ? end : most;
}

static uint64_t put(struct exceptions *x, const struct sites *s, uint64_t weight, uint64_t key)
{
    const uint64_t address = x->address + x->at;
    const uint64_t end = end_of(x, weight, key);
    except_write(x->start + x->at, address, (uint32_t)(end - x->at), s->site, s->count);
    x->at = end;
    x->seen += weight;
    x->left--;
    return address;
}

uint64_t exceptions_of(struct exceptions *x, uint32_t index)
{
    const struct library *l = x->l;
    const struct body *b = &l->body[index];
    struct sites sites = {.site = x->site};
    if (!x->left || !has_table(l, index))
        return 0;
    list_sites(&sites, &l->code, index, b);
    const uint64_t key = random_at(plan_key(l->row, PURPOSE_EXCEPTIONS), index);
    choose_pads(&sites, key, b->size - frame_epilogue_size(b->frame));
    return put(x, &sites, b->size, key);
}

uint64_t exceptions_of_small(struct exceptions *x, uint32_t index)
{
    const struct plan_library *row = x->l->row;
    struct sites sites = {.site = x->site};
    if (!x->left || !is_one(x->small++, x->l->shape.tabled_frameless, x->framed))
        return 0;
    add(&sites, 0, plan_small_size(row, index));
    return put(x, &sites, 1, 1);
}

void exceptions_end(const struct exceptions *x)
{
    assert(!x->left && x->at == x->l->row->extra.unwound.exceptions);
    (void)x;
}
