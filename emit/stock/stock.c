/* Makes what libraries are made from; see stock.h. */
#include "emit/stock/stock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge.h"
#include "base/random.h"
#include "base/workers.h"

enum {
    LITERAL_PACKED = 42, /* what zstd -3 leaves of literals, %, when it meets them first */
    AGAIN_PACKED = 2,    /* what it leaves of literals that it has met, % */
    SHARE_ALL = 1 << 16,
};

/* Tables as programs have them: small integers, physical constants, masks. */
static void make_literals(uint8_t *at, uint64_t seed)
{
    struct random random = {random_mix(seed ^ UINT64_C(0x6c69746572616c))};
    for (uint32_t i = 0; i < STOCK_LITERALS; i += 8) {
        uint64_t r = random_next(&random);
        uint64_t value = 0;
        double d = (double)(r >> 40) / 1024.0;
        switch ((i >> 7) % 4) {
        case 0:
            value = r >> 52 | (r & 0xfff) << 32;
            break;
        case 1:
            memcpy(&value, &d, sizeof value);
            break;
        case 2:
            value = r & UINT64_C(0x000000ff00ff00ff);
            break;
        default:
            d = 1.0 / (1.0 + d);
            memcpy(&value, &d, sizeof value);
        }
        memcpy(at + i, &value, sizeof value);
    }
}

struct stock *stock_begin(struct dialect dialect, const struct manner *manner, uint64_t seed)
{
    size_t capacity;
    struct stock *s = huge_alloc(sizeof *s, &capacity);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->seed = seed;
    dialect.various = manner_is_various(manner);
    filler_make(&s->filler, seed, dialect.one_row);
    if (corpus_begin(&s->corpus, dialect, manner, seed) && blocks_begin(&s->blocks, dialect))
        return s;
    stock_free(s);
    return NULL;
}

bool stock_make_headers(struct stock *s, uint64_t names)
{
    return corpus_finish(&s->corpus, names);
}

bool stock_make_part(struct stock *s, enum stock_part part)
{
    if (part < STOCK_PART_LITERALS)
        return blocks_make(&s->blocks, part - STOCK_PART_BLOCKS, &s->filler, s->told ? s->told : &s->corpus, s->seed);
    make_literals(s->literals, s->seed);
    return true;
}

void stock_end(struct stock *s)
{
    blocks_finish(&s->blocks);
}

static bool make_part(void *context, unsigned worker, uint32_t part, struct error *e)
{
    (void)worker;
    const bool made =
        part == STOCK_PART_HEADERS ? stock_make_headers(context, UINT64_MAX) : stock_make_part(context, part);
    return made || error_set(e, ERROR_MEMORY, "out of memory");
}

bool stock_is_overfull(const struct stock *s)
{
    bool is = s->blocks.store.overfull;
    for (unsigned i = 0; i < CORPUS_KINDS && !is; i++)
        is = s->other[i] && stock_is_overfull(s->other[i]);
    return is;
}

/* Whether all of it could be made. */
static bool make_all(struct stock *s, unsigned threads)
{
    struct error ignored; /* either the stock is overfull, which stock_is_overfull tells, or memory ran out */
    const bool made = workers_run(threads, STOCK_PARTS, make_part, s, &ignored);
    if (made)
        stock_end(s);
    return made;
}

struct stock *stock_make(struct dialect dialect, const struct manner *manner, uint64_t seed, unsigned threads)
{
    struct stock *s = stock_begin(dialect, manner, seed);
    if (s && make_all(s, threads))
        return s;
    stock_free(s);
    return NULL;
}

void stock_free(struct stock *s)
{
    if (!s)
        return;
    for (unsigned i = 0; i < CORPUS_KINDS; i++)
        stock_free(s->other[i]);
    blocks_free(&s->blocks);
    corpus_free(&s->corpus);
    free(s);
}

/* A profile's values are used as a dialect's. */
static_assert((int)LANGUAGE_C == DWARF_C && (int)LANGUAGE_CPP == DWARF_CPP, "languages of profile.h and dialect.h");
static_assert((int)NAME_INDEX_NONE == INDEX_NONE && (int)NAME_INDEX_DEBUG_NAMES == INDEX_DEBUG_NAMES,
              "indexes of profile.h and dialect.h");

/* Sets where declarations are, and how rows are, by the entries of a language. That takes a look at all rows. */
static void set_by_entries(struct dialect *d, const struct profile *profile, enum debug_language language)
{
    const struct profile_entries said = profile_entries(profile, language);
    d->one_file = profile_has_one_file(&said);
    d->several_files = profile_has_several_files(&said);
    d->one_row = profile_has_one_row(&said);
}

struct dialect stock_dialect(const struct profile *profile)
{
    struct dialect d = {.version = (uint8_t)profile->dwarf.version,
                        .language = (uint8_t)profile_language_made(profile),
                        .fortran = profile->dwarf.language == LANGUAGE_FORTRAN,
                        .index = (uint8_t)profile->dwarf.index,
                        .type_units = profile->dwarf.type_units,
                        .views = profile->dwarf.views,
                        .clang = profile->dwarf.compiler == COMPILER_CLANG};
    set_by_entries(&d, profile, profile->dwarf.language);
    return d;
}

struct dialect stock_row_dialect(const struct profile *profile, struct dialect d, const struct profile_row *row)
{
    const enum debug_language language = profile_row_language(profile, row);
    d.version = profile_row_version(profile, row);
    d.clang = d.clang && !dialect_is_4(d);
    d.language = language == LANGUAGE_CPP ? DWARF_CPP : DWARF_C;
    d.fortran = language == LANGUAGE_FORTRAN;
    d.lines = !d.clang && profile_row_has_lines(profile, row);
    d.terse = d.language == DWARF_C && !d.fortran && !d.lines && profile_row_is_terse(profile, row);
    return d;
}

bool stock_add_rows(struct stock *s, const struct profile *profile, const struct manners *manners, unsigned threads)
{
    for (uint32_t i = 0; i < profile->rows; i++) {
        const struct profile_row *const row = &profile->row[i];
        struct dialect dialect = stock_row_dialect(profile, s->corpus.dialect, row);
        const unsigned kind = corpus_kind(dialect);
        if (kind == corpus_kind(s->corpus.dialect) || s->other[kind])
            continue;
        set_by_entries(&dialect, profile, profile_counted_as(profile, row));
        s->other[kind] = stock_begin(dialect, &manners->of[profile_row_language(profile, row)], s->seed);
        if (s->other[kind] && dialect.lines)
            s->other[kind]->told = &s->corpus;
        if (!s->other[kind] || !make_all(s->other[kind], threads))
            return false;
        s->corpus.other[kind] = &s->other[kind]->corpus;
    }
    return true;
}

static unsigned kind_of(const struct plan_library *l)
{
    return corpus_kind((struct dialect){.version = l->debug.version,
                                        .language = l->debug.language == LANGUAGE_CPP ? DWARF_CPP : DWARF_C,
                                        .fortran = l->debug.language == LANGUAGE_FORTRAN,
                                        .lines = l->debug.lines,
                                        .terse = l->debug.terse});
}

const struct stock *stock_of(const struct stock *s, const struct plan_library *l)
{
    const unsigned kind = kind_of(l);
    return s && s->other[kind] ? s->other[kind] : s;
}

const struct corpus *stock_corpus_of(const struct corpus *c, const struct plan_library *l)
{
    const unsigned kind = kind_of(l);
    return c->other[kind] ? c->other[kind] : c;
}

struct stock_taste stock_taste_for(uint64_t size, uint64_t packed)
{
    const uint64_t once = size < STOCK_NEAR ? size : STOCK_NEAR;
    const uint64_t literals = once * LITERAL_PACKED / 100 + (size - once) * AGAIN_PACKED / 100;
    struct stock_taste taste = {.near = true};
    if (packed >= size)
        taste.fresh = size ? SHARE_ALL : 0;
    else if (packed > literals)
        taste.fresh = (uint32_t)((packed - literals) * SHARE_ALL / (size - literals));
    else
        taste.zeros = literals ? (uint32_t)((literals - packed) * SHARE_ALL / literals) : 0;
    return taste;
}

enum { PIECE_MOST = 2048 /* no piece has more bytes */ };

/* Bytes of a share of a piece. The fraction of a byte is the chance of one more byte. */
static uint64_t part_of(uint64_t piece, uint32_t share, uint64_t r)
{
    return (piece * share + (random_mix(r) & (SHARE_ALL - 1))) / SHARE_ALL;
}

static void put_fresh(uint64_t r, uint8_t *at, uint64_t size)
{
    struct random words = {r};
    for (uint64_t done = 0; done < size; done += 8) {
        const uint64_t word = random_next(&words);
        memcpy(at + done, &word, size - done < 8 ? size - done : 8);
    }
}

/* Fills a piece. `some`: where in the table near literals are. */
static void fill_piece(const struct stock *s, struct stock_taste taste, uint64_t some, uint64_t r, uint8_t *at,
                       uint64_t piece)
{
    const uint64_t any = taste.near ? some + (r >> 20) % STOCK_NEAR : (r >> 20) % (STOCK_LITERALS - PIECE_MOST);
    const uint64_t from = any & ~UINT64_C(7);
    const uint64_t fresh = part_of(piece, taste.fresh, r);
    const uint64_t zeros = part_of(piece, taste.zeros, r);
    put_fresh(r, at, fresh);
    memset(at + fresh, 0, zeros);
    at += fresh + zeros;
    piece -= fresh + zeros;
    memcpy(at, s->literals + from, piece);
    if (piece >= 8) /* no two copies are the same */
        memcpy(at, &(uint32_t){(uint32_t)(r >> 32)}, 4);
}

void stock_fill_slices(const struct stock *s, struct stock_taste taste, uint8_t *at, uint64_t size, uint64_t key,
                       struct stock_slices slices)
{
    struct random random = {key};
    const uint64_t some = random_mix(key) % (STOCK_LITERALS - STOCK_NEAR - PIECE_MOST);
    for (uint64_t done = 0; done < size;) {
        uint64_t r = random_next(&random);
        uint64_t piece = 128 + (r & 0x3f8);
        if (piece > size - done)
            piece = size - done;
        const uint64_t in_step = (slices.before + done) % slices.step;
        if (in_step < slices.slice || in_step + piece > slices.step)
            fill_piece(s, taste, some, r, at + done, piece);
        done += piece;
    }
}

void stock_fill(const struct stock *s, struct stock_taste taste, uint8_t *at, uint64_t size, uint64_t key)
{
    stock_fill_slices(s, taste, at, size, key, (struct stock_slices){.step = UINT64_MAX, .slice = UINT64_MAX});
}
