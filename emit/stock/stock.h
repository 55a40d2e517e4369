/* What all libraries of a set are made from: made once, then read-only. */
#ifndef EMIT_STOCK_STOCK_H
#define EMIT_STOCK_STOCK_H

#include "dwarf/corpus/corpus.h"
#include "emit/plan/plan.h"
#include "emit/stock/block.h"
#include "emit/stock/filler.h"
#include "emit/stock/profile_manner.h"

enum { STOCK_LITERALS = 1 << 16, STOCK_NEAR = 1 << 13 };

struct stock {
    struct filler filler;
    struct blocks blocks;
    struct corpus corpus;
    struct stock *other[CORPUS_KINDS]; /* for libraries of another version or language; or NULL */
    const struct corpus *told;         /* what stamps of blocks refer to, if not `corpus`: with dialect.lines there is
                                          nothing for them, and they are not used; owned by the caller */
    uint64_t seed;                     /* the seed that all of it was made from */
    uint8_t literals[STOCK_LITERALS];  /* what constants and initialised objects look like */
};

/* Makes a stock, which follows from dialect, manner and seed, with up to `threads` threads. NULL when memory ran out,
 * or the manner tells too much; free with stock_free. */
struct stock *stock_make(struct dialect dialect, const struct manner *manner, uint64_t seed, unsigned threads);
void stock_free(struct stock *s);

/* Whether the stock could not be made because blocks of code would say more than there is room for, in this manner. */
bool stock_is_overfull(const struct stock *s);

/* stock_make in steps. After stock_begin, the parts are made in any order and in parallel; when all are made, call
 * stock_end. A plan can be made after stock_begin, and tells how many headers are enough (corpus_finish). NULL when
 * memory ran out, false also when the stock is overfull. */
enum stock_part {
    STOCK_PART_HEADERS,
    STOCK_PART_BLOCKS,
    STOCK_PART_LITERALS = STOCK_PART_BLOCKS + BLOCK_PARTS,
    STOCK_PARTS
};
struct stock *stock_begin(struct dialect dialect, const struct manner *manner, uint64_t seed);
bool stock_make_headers(struct stock *s, uint64_t names);
bool stock_make_part(struct stock *s, enum stock_part part); /* any other */
void stock_end(struct stock *s);

/* Makes what the libraries of a profile's rows need besides: other versions of DWARF and other
 * languages. False when memory ran out, or the stock is overfull. */
bool stock_add_rows(struct stock *s, const struct profile *profile, const struct manners *manners, unsigned threads);

/* The dialect that the profile states, without its rows. */
struct dialect stock_dialect(const struct profile *profile);

/* The dialect of a row; `d` is that of the profile. Version and language are the profile's where the row states none.
 * Versions 2 and 3 become 4, and languages that we cannot write become the profile's, as Fortran does with an index,
 * with type units or in clang's form. `terse` is set in C, by profile_row_is_terse. Where declarations are
 * (one_file, several_files) is left as in `d`. */
struct dialect stock_row_dialect(const struct profile *profile, struct dialect d, const struct profile_row *row);

/* The stock of a library, and its corpus. */
const struct stock *stock_of(const struct stock *s, const struct plan_library *l);
const struct corpus *stock_corpus_of(const struct corpus *c, const struct plan_library *l);

/* What constants are filled with: shares, times 2^16, of random words, which do not repeat, and of zeros.
 * The rest are literals, which repeat, so that they compress: from all of a table or, if `near`, from STOCK_NEAR bytes
 * of it. The former repeat from afar, as where nothing is known of an application; the latter are as compressible to
 * compressors that look at 32 KiB, or at blocks of files, as to those that look at all of a file. */
struct stock_taste {
    uint32_t fresh, zeros;
    bool near;
};

/* What to fill `size` bytes with so that zstd makes about `packed` bytes of them. */
struct stock_taste stock_taste_for(uint64_t size, uint64_t packed);

/* Fills `size` bytes with constants; another key gives other constants. */
void stock_fill(const struct stock *s, struct stock_taste taste, uint8_t *at, uint64_t size, uint64_t key);

/* What stock_fill would write, where that is looked at: at least the first `slice` bytes of each `step` bytes, counted
 * from `before` bytes before `at`. */
struct stock_slices {
    uint64_t step, slice, before;
};
void stock_fill_slices(const struct stock *s, struct stock_taste taste, uint8_t *at, uint64_t size, uint64_t key,
                       struct stock_slices slices);

#endif
