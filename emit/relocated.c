/* See relocated.h. */
#include "emit/relocated.h"

#include "emit/calls_rows.h"

enum { PAGE = RELOCATED_PAGE };

/* Where the last page ends, of so many from the first that relocations touch. */
static uint64_t pages_end(const struct library *l, uint64_t pages)
{
    const uint64_t first = l->layout.section[SECTION_INIT_ARRAY].address;
    return first / PAGE * PAGE + pages * PAGE;
}

struct relocated relocated_words(const struct library *l)
{
    const struct plan_extra *x = &l->row->extra;
    struct relocated w = {.start = l->code.objects,
                          .room = l->code.objects_size / 8,
                          .count = x->pointers + x->addresses,
                          .addresses = x->addresses};
    const int64_t pages = l->row->said ? l->row->said->value[ROW_RELOCATIONS_PAGES] : PROFILE_DERIVED;
    if (pages != PROFILE_DERIVED && w.room > w.count) {
        const uint64_t end = pages_end(l, (uint64_t)pages);
        const uint64_t room = end > w.start ? (end - w.start) / 8 : 0;
        const uint64_t least = room > w.count ? room : w.count;
        w.room = least < w.room ? least : w.room;
    }
    return w;
}

static bool next_word(struct relocated *w, uint64_t *at, bool *symbol)
{
    if (w->next >= w->count)
        return false;
    const uint64_t i = w->next++;
    *symbol = (i + 1) * w->addresses / w->count > i * w->addresses / w->count;
    *at = w->start + 8 * (i * w->room / w->count);
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

uint64_t relocated_pages(const struct library *l)
{
    const struct section *s = l->layout.section;
    /* the arrays, tables and slots are all but without a gap, and so is what stands before the objects */
    uint64_t last = (s[SECTION_DATA].address + 7) / PAGE;
    if (l->shape.python)
        last = (l->at.methods + METHOD_BYTES * (uint64_t)shape_methods(l->row) - 1) / PAGE;
    uint64_t pages = last - s[SECTION_INIT_ARRAY].address / PAGE + 1;
    struct relocated w = relocated_words(l);
    bool symbol;
    for (uint64_t at; next_word(&w, &at, &symbol);) {
        pages += at / PAGE > last;
        last = at / PAGE > last ? at / PAGE : last;
    }
    return pages;
}

uint32_t relocated_uncalled(const struct library *l, uint32_t index)
{
    const uint32_t imports = plan_uncalled(l->row);
    return index < imports ? 1 + calls_row_uncalled(l->row, index) : l->symbol_outside + (index - imports);
}

/* Undefined symbols that no call leads to. */
static uint32_t undefined_uncalled(const struct library *l)
{
    return plan_uncalled(l->row) + l->row->extra.outside;
}

/* How many symbols relocations may refer to. */
static uint32_t symbols_all(const struct library *l)
{
    return undefined_uncalled(l) + l->shape.defined + l->row->calls + l->row->result_by_got;
}

/* The i-th of these: one that is called through .got, those that are not called, but from those with slots in the PLT
 * on, and imports that are called last. */
uint32_t relocated_any(const struct library *l, uint64_t i)
{
    const uint32_t undefined = undefined_uncalled(l);
    const uint32_t uncalled = undefined + l->shape.defined;
    i %= symbols_all(l);
    if (l->row->result_by_got && !i--)
        return l->symbol_python + shape_python_slot(l->row, PYTHON_FROM_UNSIGNED);
    if (i >= uncalled)
        return 1 + calls_row_called(l->row, (uint32_t)(i - uncalled));
    const uint32_t at = (uint32_t)((l->row->extra.slots + i) % uncalled);
    return at < undefined ? relocated_uncalled(l, at) : l->symbol_defined + (at - undefined);
}

/* One of extra.symbols, spread over all that words in .got leave; of these where there are none. */
uint32_t relocated_word_symbol(const struct library *l, uint32_t i)
{
    const struct plan_extra *x = &l->row->extra;
    const uint32_t all = symbols_all(l);
    if (!x->symbols)
        return relocated_any(l, i % x->got);
    const uint64_t left = all > x->got ? all - x->got : 1;
    return relocated_any(l, x->got + i % x->symbols * left / x->symbols);
}

uint32_t relocated_symbols(const struct library *l)
{
    const struct plan_extra *x = &l->row->extra;
    const uint32_t all = symbols_all(l);
    const uint32_t more = x->got + x->symbols;
    return 2 + x->clones + (more < all ? more : all);
}
