/* Constants that compress as a row says; see taste.h.
 *
 * A part is the text or the data of a library, as a row counts them. Its constants are a mixture of random words,
 * literals and zeros. All mixtures lie on one scale, from zeros alone to random words alone, along which the packed
 * part grows. So the right place on the scale is found in a few tries.
 *
 * What else is in the part, code or pointers, does not change. In a part that is not small it is packed by itself, once
 * or a few times; where it is nearly all of the text, it is not even packed, but estimated from its size. Where no
 * mixture will do for data, its pointers are changed (pointers.h).
 */
#include "emit/library/taste.h"

#include <string.h>

#include "base/bytes.h"
#include "emit/library/objects.h"
#include "emit/library/packed.h"
#include "emit/library/pointers.h"
#include "emit/library/relocated.h"

/* What zstd -3 leaves of other contents of our libraries, %, as measured. */
enum {
    UNWIND_PACKED = 17,
    STATES_PACKED = 25,
    INDEX_PACKED = 80,
    EXCEPTIONS_PACKED = 47,
    RELOCATIONS_PACKED = 9,
    POINTERS_PACKED = 17
};

enum {
    PART_SMALL = 1 << 16, /* bytes: a part of no more is packed whole in every try */
    PART_SLICES = 4,      /* slices that are packed of a part that is larger than all of them, evenly spread */
    PART_SLICE = 1 << 20, /* bytes of a slice */
    PART_OTHER = 24,      /* constants of text that are less than 1 / PART_OTHER of it hardly change what it takes */
    FILL_LARGE = 2 * PACKED_BLOCK,      /* bytes; constants beyond twice as many count as the second half of these */
    FILL_TRIED = 2 * FILL_LARGE + 2048, /* bytes to fill for a try, as the last piece may be cut off (stock_fill) */
};

/* A stretch of the image to fill, with its key for stock_fill; `size` is 0 where the part has fewer stretches. */
struct span {
    uint64_t at, size, key;
};

enum { SPANS = 2 };

/* A part, and what is to be filled in it. */
struct place {
    const struct library *l;
    uint8_t *image;
    uint64_t flags; /* SHF_WRITE or 0, as the sections of the part have it */
    struct span span[SPANS];
    uint64_t size;  /* of all spans together */
    int64_t packed; /* bytes that the part should take when it is packed; or PROFILE_DERIVED */
};

static struct span span_of(const struct library *l, enum section_id id, uint64_t key)
{
    const struct object_room room = objects_room(l, id);
    return (struct span){l->layout.section[id].offset + room.at, room.size, key};
}

static struct place place_in(const struct library *l, uint8_t *image, bool data)
{
    const struct profile_row *said = l->row->said;
    const enum row_value key = data ? ROW_ZSTD_DATA : ROW_ZSTD_TEXT;
    struct place p = {.l = l, .image = image, .flags = data ? SHF_WRITE : 0};
    p.packed = said ? said->value[key] : PROFILE_DERIVED;
    if (data) {
        p.span[0] = span_of(l, SECTION_DATA, plan_key(l->row, PURPOSE_DATA));
        p.span[1] = span_of(l, SECTION_DATA_REL_RO, plan_key(l->row, PURPOSE_DATA) ^ 1);
    } else {
        p.span[0] = span_of(l, SECTION_RODATA, plan_key(l->row, PURPOSE_RODATA));
    }
    for (unsigned i = 0; i < SPANS; i++)
        p.size += p.span[i].size;
    return p;
}

static void fill_spans(const struct place *p, struct stock_taste taste)
{
    for (unsigned i = 0; i < SPANS; i++)
        stock_fill(p->l->stock, taste, p->image + p->span[i].at, p->span[i].size, p->span[i].key);
}

/* Estimates from their sizes what the sections that are not filled take when they are packed. */
static uint64_t others_reckoned(const struct library *l, bool data)
{
    const struct section *s = l->layout.section;
    const uint64_t relocations = s[SECTION_RELA_DYN].size + s[SECTION_RELA_PLT].size + s[SECTION_RELR_DYN].size;
    const uint64_t states = UNWIND_UNIT * (uint64_t)l->row->extra.unwound.spare;
    const uint64_t unwind = s[SECTION_EH_FRAME].size;
    if (data)
        return (l->row->size[SIZE_DATA] - l->data_free - l->relro_free) * POINTERS_PACKED / 100;
    const uint64_t code = s[SECTION_TEXT].size * alike_packed(l->row->alike_code, s[SECTION_TEXT].size) / 10;
    return (code + (unwind - states) * UNWIND_PACKED + states * STATES_PACKED +
            s[SECTION_EH_FRAME_HDR].size * INDEX_PACKED + s[SECTION_GCC_EXCEPT_TABLE].size * EXCEPTIONS_PACKED +
            relocations * RELOCATIONS_PACKED) /
           100;
}

static struct stock_taste taste_reckoned(const struct place *p)
{
    const uint64_t others = others_reckoned(p->l, p->flags);
    const uint64_t packed = (uint64_t)p->packed;
    if (p->packed == PROFILE_DERIVED)
        return (struct stock_taste){0};
    return stock_taste_for(p->size, packed > others ? packed - others : 0);
}

/* --- packing ------------------------------------------------------------------------------- */

static bool is_of_part(const struct place *p, enum section_id id)
{
    const struct section_kind *kind = layout_kind(id);
    return p->l->layout.section[id].size && kind->flags & SHF_ALLOC && (kind->flags & SHF_WRITE) == p->flags &&
           kind->type != SHT_NOBITS && kind->type != SHT_STRTAB && kind->type != SHT_DYNSYM;
}

static uint64_t part_size(const struct place *p)
{
    uint64_t size = 0;
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++)
        size += is_of_part(p, id) ? p->l->layout.section[id].size : 0;
    return size;
}

/* From where to where the next slice begins, in a part of `size` bytes. */
static uint64_t step_of(uint64_t size)
{
    return size > (uint64_t)PART_SLICE * PART_SLICES ? size / PART_SLICES : UINT64_MAX;
}

/* Copies the part's sections, or slices of them, one behind the other; returns how many bytes were copied. */
static uint64_t gather(const struct place *p, uint64_t size, uint8_t *to)
{
    const uint64_t step = step_of(size);
    uint8_t *const start = to;
    uint64_t at = 0; /* in the part */
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++) {
        const struct section *s = &p->l->layout.section[id];
        if (!is_of_part(p, id))
            continue;
        for (uint64_t done = 0; done < s->size;) {
            const uint64_t in_step = (at + done) % step;
            const uint64_t slice = step == UINT64_MAX ? UINT64_MAX : PART_SLICE;
            const uint64_t left = s->size - done;
            uint64_t piece = in_step < slice ? slice - in_step : step - in_step;
            piece = piece < left ? piece : left;
            if (in_step < slice)
                to = put_bytes(to, p->image + s->offset + done, piece);
            done += piece;
        }
        at += s->size;
    }
    return (uint64_t)(to - start);
}

/* A part that is being packed, and what that needs. */
struct bench {
    struct place place;
    uint64_t *word; /* contents of the words among objects that hold addresses, which must stay as they are */
    uint32_t words;
    uint64_t part;  /* bytes of the part */
    uint8_t *bytes; /* room for them, or for slices */
    struct packed_places *places;
    uint64_t others; /* what all but the spans takes when packed; 0 for a small part, which is packed whole */
};

/* What the whole part takes when packed, projected where only slices are packed. */
static uint64_t pack_part(const struct bench *b)
{
    const uint64_t gathered = gather(&b->place, b->part, b->bytes);
    const uint64_t packed = packed_size(b->bytes, gathered, b->places);
    return gathered == b->part ? packed : (uint64_t)((double)packed / (double)gathered * (double)b->part);
}

static uint64_t pack_span(const struct bench *b, const struct span *span)
{
    const uint8_t *const bytes = b->place.image + span->at;
    if (span->size <= 2 * FILL_LARGE)
        return packed_size(bytes, span->size, b->places);
    uint64_t first;
    const uint64_t both = packed_sizes(bytes, 2 * FILL_LARGE, FILL_LARGE, b->places, &first);
    return first + (both - first) * ((span->size - FILL_LARGE) / FILL_LARGE);
}

/* What the spans take by themselves when packed. */
static uint64_t pack_place(const struct bench *b)
{
    uint64_t packed = 0;
    for (unsigned i = 0; i < SPANS; i++)
        packed += b->place.span[i].size ? pack_span(b, &b->place.span[i]) : 0;
    return packed;
}

/* --- filling --------------------------------------------------------------------------------- */

static uint8_t *next_word(const struct place *p, struct relocated *w)
{
    uint64_t at;
    return p->flags && relocated_word(w, &at) ? relocated_place(p->l, p->image, at) : NULL;
}

/* Notes what the words hold now as what they must hold. */
static void keep_words(struct bench *b)
{
    struct relocated w = relocated_words(b->place.l);
    b->words = 0;
    for (const uint8_t *at; (at = next_word(&b->place, &w));)
        memcpy(&b->word[b->words++], at, sizeof *b->word);
}

/* How much of a span is filled: all of it, as much from its beginning as pack_span looks at, or that and what is in the
 * slices of the part that are packed, which is all where the part is packed whole. */
enum extent { EXTENT_ALL, EXTENT_TRIED, EXTENT_PACKED };

/* Bytes of the part before a span. */
static uint64_t part_before(const struct place *p, const struct span *span)
{
    uint64_t at = 0;
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++) {
        const struct section *s = &p->l->layout.section[id];
        if (is_of_part(p, id) && span->at - s->offset < s->size)
            return at + span->at - s->offset;
        at += is_of_part(p, id) ? s->size : 0;
    }
    return at;
}

static void fill_span(const struct bench *b, const struct span *span, struct stock_taste taste, enum extent extent)
{
    const struct place *p = &b->place;
    const uint64_t step = step_of(b->part);
    const bool is_whole = extent == EXTENT_ALL || (extent == EXTENT_PACKED && step == UINT64_MAX);
    const uint64_t first = is_whole || span->size < FILL_TRIED ? span->size : FILL_TRIED;
    uint8_t *const at = p->image + span->at;
    stock_fill(p->l->stock, taste, at, first, span->key);
    if (extent == EXTENT_PACKED && first < span->size)
        stock_fill_slices(p->l->stock, taste, at, span->size, span->key,
                          (struct stock_slices){step, PART_SLICE, part_before(p, span)});
}

static void fill(const struct bench *b, struct stock_taste taste, enum extent extent)
{
    struct relocated w = relocated_words(b->place.l);
    for (unsigned i = 0; i < SPANS; i++)
        fill_span(b, &b->place.span[i], taste, extent);
    for (uint32_t i = 0; i < b->words; i++)
        memcpy(next_word(&b->place, &w), &b->word[i], sizeof *b->word);
}

static uint64_t pack(const struct bench *b)
{
    return b->others ? b->others + pack_place(b) : pack_part(b);
}

/* False when memory ran out. */
static bool prepare(struct bench *b, struct arena *arena)
{
    const struct relocated w = relocated_words(b->place.l);
    const uint64_t most = (uint64_t)PART_SLICE * PART_SLICES + PART_SLICE;
    b->part = part_size(&b->place);
    b->word = arena_take(arena, (w.count + UINT64_C(1)) * sizeof *b->word);
    b->places = arena_take(arena, sizeof *b->places);
    b->bytes = arena_take(arena, b->part < most ? b->part + 1 : most);
    if (!b->word || !b->places || !b->bytes)
        return false;
    keep_words(b);
    return true;
}

/* What all but the spans takes when packed together with the spans as they are filled now. */
static uint64_t pack_others(const struct bench *b)
{
    const uint64_t whole = pack_part(b);
    const uint64_t place = pack_place(b);
    return whole > place ? whole - place : 1;
}

/* A try: the spans were to take `at` bytes when packed, and the part takes `more` bytes more than it should. */
struct aim {
    int64_t at, more;
    bool is_known;
};

/* What to aim at between a try with too few bytes and one with too many: by linear interpolation, or with `half` half
 * way. */
static int64_t between(const struct aim *few, const struct aim *many, bool half)
{
    const int64_t room = many->at - few->at;
    if (half)
        return few->at + room / 2;
    return few->at + (int64_t)((double)room * (double)-few->more / (double)(many->more - few->more));
}

/* Fills the spans, of large parts only the slices, so that the packed part comes near to what it should take. The first
 * try follows from estimated sizes, the next ones correct it by what the last one was off. Once there was too much and
 * too little, tries are between these. Returns what they are filled with. */
static struct stock_taste approach(const struct bench *b)
{
    enum { TRIES = 12, NEAR = 200 /* 1 / NEAR of what is wanted is near enough */ };
    const int64_t wanted = b->place.packed;
    struct aim few = {.at = 0};
    struct aim many = {.at = (int64_t)b->place.size};
    struct stock_taste best = {.near = true};
    uint64_t nearest = UINT64_MAX;
    int64_t at = wanted - (int64_t)(b->others ? b->others : others_reckoned(b->place.l, b->place.flags));
    at = at < few.at ? few.at : at < many.at ? at : many.at;
    for (unsigned tries = 0; tries < TRIES && nearest > (uint64_t)wanted / NEAR; tries++) {
        const struct stock_taste taste = stock_taste_for(b->place.size, (uint64_t)at);
        fill(b, taste, b->others ? EXTENT_TRIED : EXTENT_ALL);
        const int64_t more = (int64_t)pack(b) - wanted;
        const uint64_t apart = more > 0 ? (uint64_t)more : (uint64_t)-more;
        if (apart < nearest) {
            nearest = apart;
            best = taste;
        }
        *(more > 0 ? &many : &few) = (struct aim){at, more, true};
        if ((more > 0 && at == 0) || (more < 0 && at == (int64_t)b->place.size) || many.at - few.at < 2)
            break;
        at -= more;
        if (few.is_known && many.is_known)
            at = between(&few, &many, tries % 3 == 2);
        at = at < few.at ? few.at : at < many.at ? at : many.at;
    }
    fill(b, best, EXTENT_PACKED);
    return best;
}

/* Fills one part, and returns what with. In a part that is not small, the other contents are packed together with the
 * spans as they were filled before; this is repeated until it changes little. Where the spans are a small share of a
 * part that is packed whole, not in slices, once is enough: for real libraries' rows the change was 1.3 % at most. */
static struct stock_taste steer(struct bench *b)
{
    enum { ROUNDS = 4, LITTLE = 100, SMALL_SHARE = 8 };
    const bool is_sliced = step_of(b->part) != UINT64_MAX;
    const bool changes = b->place.size > b->part / SMALL_SHARE || is_sliced;
    if (b->part > PART_SMALL) {
        fill(b, (struct stock_taste){.near = true}, EXTENT_PACKED);
        b->others = pack_others(b);
    }
    struct stock_taste taste = approach(b);
    for (unsigned round = 1; changes && b->others && round < ROUNDS; round++) {
        const uint64_t before = b->others;
        b->others = pack_others(b);
        const uint64_t changed = b->others > before ? b->others - before : before - b->others;
        if (changed <= (uint64_t)b->place.packed / LITTLE)
            break;
        taste = approach(b);
    }
    if (is_sliced)
        fill(b, taste, EXTENT_ALL);
    return taste;
}

static void point(struct bench *b, unsigned different)
{
    pointers_write(b->place.l, b->place.image, different);
    keep_words(b);
}

/* Where there are too few constants to make data as it should be, makes pointers more or less different: by halving
 * between what is too much and too little. Returns how different they are; *taste is what constants are filled with. */
static unsigned steer_pointers(struct bench *b, struct stock_taste *taste)
{
    enum { TRIES = 6, NEAR = 30 /* 1 / NEAR of what is wanted is near enough */ };
    const struct library *l = b->place.l;
    const int64_t wanted = b->place.packed;
    unsigned few = POINTERS_ALIKE, many = POINTERS_ANYWHERE;
    unsigned different = POINTERS_USUAL, best = different;
    uint64_t nearest = UINT64_MAX;
    for (unsigned tries = 0;; tries++) {
        const int64_t more = (int64_t)pack_part(b) - wanted;
        const uint64_t apart = more > 0 ? (uint64_t)more : (uint64_t)-more;
        if (apart < nearest) {
            nearest = apart;
            best = different;
        }
        *(more > 0 ? &many : &few) = different;
        if (apart <= (uint64_t)wanted / NEAR || tries == TRIES || many - few < 2)
            break;
        different = few + (many - few) / 2;
        point(b, different);
    }
    if (different != best)
        point(b, best);
    if (best != POINTERS_USUAL && l->data_free + l->relro_free)
        *taste = steer(b);
    return best;
}

/* Where it is kept what the library is filled with; NULL: nowhere. */
static struct plan_taste *kept_of(const struct library *l)
{
    const uint32_t index = (uint32_t)(l->row - l->plan->library);
    return l->plan->taste && index < plan_counted(l->plan) ? &l->plan->taste[index] : NULL;
}

/* Fills a part as was found before. False when memory ran out. */
static bool fill_as_found(struct bench *b, const struct plan_taste *found, bool points, struct arena *arena)
{
    const bool data = b->place.flags;
    const struct relocated w = relocated_words(b->place.l);
    b->word = arena_take(arena, (w.count + UINT64_C(1)) * sizeof *b->word);
    if (!b->word)
        return false;
    if (points && found->different != POINTERS_USUAL)
        point(b, found->different);
    else
        keep_words(b);
    fill(b, (struct stock_taste){.fresh = found->of[data].fresh, .zeros = found->of[data].zeros, .near = true},
         EXTENT_ALL);
    arena_shrink(arena, b->word, 0);
    return true;
}

/* Looks for what to fill a part with, and keeps it in *kept, unless that is NULL. False when memory ran out. */
static bool fill_steered(struct bench *b, struct plan_taste *kept, bool points, struct arena *arena)
{
    const bool data = b->place.flags;
    if (!prepare(b, arena))
        return false;
    struct stock_taste taste = steer(b);
    const unsigned different = points ? steer_pointers(b, &taste) : POINTERS_USUAL;
    if (kept) {
        kept->of[data].fresh = taste.fresh;
        kept->of[data].zeros = taste.zeros;
        kept->different = data ? different : kept->different;
    }
    arena_shrink(arena, b->bytes, 0);
    return true;
}

void taste_fill(const struct library *l, uint8_t *image, bool steered)
{
    for (unsigned data = 0; data < 2; data++) {
        const struct place p = place_in(l, image, data);
        if (!steered || p.packed == PROFILE_DERIVED)
            fill_spans(&p, taste_reckoned(&p));
    }
}

bool taste_steer(const struct library *l, uint8_t *image, struct arena *arena)
{
    struct plan_taste *const kept = kept_of(l);
    const bool is_found = kept && kept->is_known;
    for (unsigned data = 0; data < 2; data++) {
        struct bench b = {.place = place_in(l, image, data)};
        const bool points = data && l->row->extra.pointing.pointers && !l->shape.executable;
        if ((!b.place.size && !points) || b.place.packed == PROFILE_DERIVED)
            continue;
        const uint64_t part = part_size(&b.place);
        if (!data && part > PART_SMALL && b.place.size < part / PART_OTHER)
            fill_spans(&b.place, taste_reckoned(&b.place));
        else if (!(is_found ? fill_as_found(&b, kept, points, arena) : fill_steered(&b, kept, points, arena)))
            return false;
    }
    if (kept && !is_found)
        kept->is_known = true;
    return true;
}
