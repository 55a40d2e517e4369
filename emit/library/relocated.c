/* See relocated.h. */
#include "emit/library/relocated.h"

#include "base/page.h"
#include "emit/library/objects.h"
#include "emit/plan/calls_rows.h"

/* Counts pages that relocations touch. They are met in ascending order. */
struct pages {
    uint64_t count, end; /* the page behind the last */
};

/* Meets all pages from that of address `from` to that of `last`. */
static void meet(struct pages *p, uint64_t from, uint64_t last)
{
    const uint64_t first = from / PAGE > p->end ? from / PAGE : p->end;
    const uint64_t end = last / PAGE + 1;
    if (end <= first)
        return;
    p->count += end - first;
    p->end = end;
}

static uint64_t word_at(const struct relocated_region *g, uint64_t i)
{
    return g->start + 8 * (i * g->room / g->count);
}

static void meet_words(struct pages *p, const struct relocated_region *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        meet(p, word_at(g, i), word_at(g, i));
}

/* Meets the pages of .init_array, .fini_array and the pointers to names, which stand without a gap. */
static void meet_arrays(struct pages *p, const struct library *l)
{
    const struct section *s = l->layout.section;
    const struct section *last = &s[SECTION_FINI_ARRAY];
    const uint64_t pointers = s[SECTION_DATA_REL_RO].address + objects_relro_at(l);
    meet(p, s[SECTION_INIT_ARRAY].address, (objects_relro_at(l) ? pointers : last->address + last->size) - 1);
}

/* Meets the pages of the GOT and of what stands before the objects of .data, all but without a gap. Nothing is
 * relocated in .dynamic, which stands before these. */
static void meet_tables(struct pages *p, const struct library *l)
{
    const struct section *s = l->layout.section;
    const enum section_id first = s[SECTION_GOT].size ? SECTION_GOT : SECTION_GOT_PLT;
    const uint64_t methods = METHOD_DEF_BYTES * (uint64_t)shape_methods(l->row);
    const uint64_t last = l->shape.python ? l->at.methods + methods - 1 : s[SECTION_DATA].address + 7;
    meet(p, s[first].address, last);
}

/* Reduces the words' room so that they end before `page`, as far as there is room for all words. */
static void end_before(struct relocated_region *g, uint64_t page)
{
    const uint64_t words = page * PAGE > g->start ? (page * PAGE - g->start) / 8 : 0;
    if (words < g->room && g->room > g->count)
        g->room = words > g->count ? words : g->count;
}

/* The page before which words have to end, if `most` pages may be touched in all and `others` of these stand behind the
 * words. */
static uint64_t end_with(const struct pages *p, uint64_t most, uint64_t others)
{
    return p->end + most > p->count + others ? p->end + most - p->count - others : 0;
}

/* Limits the words to `most` touched pages, as the row says. Words of .data.rel.ro get the pages that the tables behind
 * them leave, words of .data what is left then. */
static void limit(struct relocated *w, const struct library *l, uint64_t most)
{
    struct pages before = {0}, tables = {0};
    meet_tables(&tables, l);
    meet_arrays(&before, l);
    if (w->region[0].count)
        end_before(&w->region[0], end_with(&before, most, tables.count));
    meet_words(&before, &w->region[0]);
    meet_tables(&before, l);
    end_before(&w->region[1], end_with(&before, most, 0));
}

struct relocated relocated_words(const struct library *l)
{
    const struct plan_extra *x = &l->row->extra;
    struct relocated w = {.count = x->pointing.pointers + x->pointing.addresses, .addresses = x->pointing.addresses};
    w.region[0] = (struct relocated_region){l->layout.section[SECTION_DATA_REL_RO].address + objects_relro_at(l),
                                            objects_relro_size(l) / 8, l->relro_words};
    w.region[1] = (struct relocated_region){l->code.objects, l->code.objects_size / 8, w.count - l->relro_words};
    const int64_t pages = l->row->said ? l->row->said->value[ROW_RELOCATIONS_PAGES] : PROFILE_DERIVED;
    if (pages != PROFILE_DERIVED)
        limit(&w, l, (uint64_t)pages);
    return w;
}

static bool next_word(struct relocated *w, uint64_t *at, bool *symbol)
{
    if (w->next >= w->count)
        return false;
    const uint64_t i = w->next++;
    const uint32_t first = w->region[0].count;
    *symbol = (i + 1) * w->addresses / w->count > i * w->addresses / w->count;
    *at = i < first ? word_at(&w->region[0], i) : word_at(&w->region[1], i - first);
    return true;
}

bool relocated_word(struct relocated *w, uint64_t *at)
{
    bool symbol;
    return next_word(w, at, &symbol);
}

bool relocated_next(struct relocated *w, bool symbols, uint64_t *at)
{
    bool is;
    while (next_word(w, at, &is))
        if (is == symbols)
            return true;
    return false;
}

enum section_id relocated_section(const struct library *l, uint64_t at)
{
    return at >= l->layout.section[SECTION_DATA].address ? SECTION_DATA : SECTION_DATA_REL_RO;
}

uint8_t *relocated_place(const struct library *l, uint8_t *image, uint64_t at)
{
    const struct section *s = &l->layout.section[relocated_section(l, at)];
    return image + s->offset + (at - s->address);
}

uint64_t relocated_pages(const struct library *l)
{
    struct pages p = {0};
    const struct relocated w = relocated_words(l);
    meet_arrays(&p, l);
    meet_words(&p, &w.region[0]);
    meet_tables(&p, l);
    meet_words(&p, &w.region[1]);
    return p.count;
}

uint32_t relocated_uncalled(const struct library *l, uint32_t index)
{
    const uint32_t imports = plan_uncalled(l->row);
    return index < imports ? 1 + calls_row_uncalled(l->row, index) : l->symbol_outside + (index - imports);
}

/* How many undefined symbols no call leads to. */
static uint32_t undefined_uncalled(const struct library *l)
{
    return plan_uncalled(l->row) + l->row->extra.undefined.outside;
}

/* How many defined symbols relocations may refer to: not those of versions, which no code can name. */
static uint32_t named(const struct library *l)
{
    return l->shape.defined - l->row->extra.versioning.symbols;
}

/* The index in .dynsym of the i-th of these. Unique ones come first, as code refers to each
 * of them by a word in .got. */
static uint32_t named_symbol(const struct library *l, uint32_t i)
{
    const struct plan_extra *x = &l->row->extra;
    if (i < x->dynamic.unique_objects)
        return l->unique_symbols[i];
    const uint32_t symbol = l->symbol_defined + i - x->dynamic.unique_objects;
    uint32_t low = 0; /* finds how many of the symbols set aside precede this one */
    uint32_t high = x->dynamic.unique_objects + x->versioning.symbols;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (l->aside_symbols[middle] - middle <= symbol)
            low = middle + 1;
        else
            high = middle;
    }
    return symbol + low;
}

/* How many symbols relocations may refer to. */
static uint32_t symbols_all(const struct library *l)
{
    return undefined_uncalled(l) + named(l) + l->row->calls.called + l->row->glue.result_by_got;
}

/* The i-th of these, cyclically: first the one that is called through .got; then uncalled ones, of which those with
 * slots in the PLT come last; then imports that are called. */
uint32_t relocated_any(const struct library *l, uint64_t i)
{
    const uint32_t undefined = undefined_uncalled(l);
    const uint32_t uncalled = undefined + named(l);
    i %= symbols_all(l);
    if (l->row->glue.result_by_got && !i--)
        return l->symbol_python + shape_python_slot(l->row, PYTHON_FROM_UNSIGNED);
    if (i >= uncalled)
        return 1 + calls_row_called(l->row, (uint32_t)(i - uncalled));
    const uint32_t at = (uint32_t)((l->row->extra.plt.slots + i) % uncalled);
    return at < undefined ? relocated_uncalled(l, at) : named_symbol(l, at - undefined);
}

/* The i-th such word refers to one of extra.pointing.symbols symbols, which are spread over those that words in .got
 * leave; where extra.pointing.symbols is 0, to one of those in .got. Words of one symbol stand together, as in tables;
 * those of half of the symbols stand in two places. */
uint32_t relocated_word_symbol(const struct library *l, uint32_t i)
{
    const struct plan_extra *x = &l->row->extra;
    const uint32_t all = symbols_all(l);
    const uint32_t symbols = x->pointing.symbols ? x->pointing.symbols : x->plt.got;
    const uint64_t places = UINT64_C(3) * symbols / 2;
    const uint64_t number = (x->pointing.addresses > places ? i * places / x->pointing.addresses : i) % symbols;
    if (!x->pointing.symbols)
        return relocated_any(l, number);
    const uint64_t left = all > x->plt.got ? all - x->plt.got : 1;
    return relocated_any(l, x->plt.got + number * left / symbols);
}

uint32_t relocated_symbols(const struct library *l)
{
    const struct plan_extra *x = &l->row->extra;
    const uint32_t all = symbols_all(l);
    const uint32_t more = x->plt.got + x->pointing.symbols;
    return 2 + x->undefined.clones + (more < all ? more : all);
}
