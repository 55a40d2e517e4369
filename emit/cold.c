/* See cold.h. */
#include "emit/cold.h"

#include "base/bytes.h"
#include "emit/small.h"

enum {
    LOAD = 5,      /* bytes that load an argument */
    LOAD_HIGH = 6, /* the same into %r8 or %r9 */
    LOW = 4,       /* how many registers need no prefix */
    CALL = 5,
    NUMBER_MOST = 0xfff, /* the largest argument: as line numbers and codes of errors */
};

const uint8_t cold_registers[COLD_ARGUMENTS_MOST] = {REGISTER_RDI, REGISTER_RSI, REGISTER_RDX,
                                                     REGISTER_RCX, REGISTER_R8,  REGISTER_R9};

struct cold_walk cold_start(const struct library *l, uint32_t i)
{
    const uint32_t small = l->row->cold.first + i;
    return (struct cold_walk){
        .library = l, .value = small_value(l->row, small), .end = plan_small_size(l->row, small) - CODE_JUMP};
}

static uint32_t loads_size(uint32_t arguments)
{
    return arguments * LOAD + (arguments > LOW ? arguments - LOW : 0) * (LOAD_HIGH - LOAD);
}

/* Makes the piece a call, if its value is that of one. In C there is one in so many pieces, with up to six arguments;
 * in C++, where cold code destroys objects, there are more, with fewer arguments. */
static void choose_call(const struct library *l, struct cold_piece *piece)
{
    enum { ONE_IN = 12, MOST = COLD_ARGUMENTS_MOST, ONE_IN_CPP = 5, MOST_CPP = 2 };
    const bool is_cpp = l->row->dwarf_language == DWARF_CPP;
    const uint64_t r = random_mix(piece->value ^ UINT64_C(0x63616c6c));
    piece->calls = l->shape.helpers && random_below(r << 8, is_cpp ? ONE_IN_CPP : ONE_IN) == 0;
    if (!piece->calls)
        return;
    piece->helper = random_below(r << 24, SHAPE_HELPERS);
    piece->arguments = random_below(r << 40, (is_cpp ? MOST_CPP : MOST) + 1);
    piece->size = loads_size(piece->arguments) + CALL;
    for (uint32_t i = 0; i < piece->arguments; i++)
        piece->argument[i] = (uint32_t)random_at(r, i) & NUMBER_MOST;
}

bool cold_next(struct cold_walk *w, struct cold_piece *piece)
{
    const uint32_t left = w->end - w->at;
    *piece = (struct cold_piece){.at = w->at, .value = w->value};
    choose_call(w->library, piece);
    if (piece->calls && piece->size <= left) {
        w->value = random_mix(w->value);
    } else {
        piece->calls = false;
        piece->size = left ? small_next_piece(left, &w->value) : CODE_JUMP;
    }
    w->at += piece->size;
    return left;
}

/* mov $number,%edi and so on. */
static uint8_t *put_load(uint8_t *p, uint32_t argument, uint32_t number)
{
    static const uint8_t codes[COLD_ARGUMENTS_MOST] = {0xbf, 0xbe, 0xba, 0xb9, 0xb8, 0xb9};
    if (argument >= LOW)
        p = put_u8(p, 0x41);
    return put_u32(put_u8(p, codes[argument]), number);
}

static uint8_t *put_call(const struct library *l, const struct cold_piece *piece, uint64_t offset, uint8_t *p)
{
    const uint64_t returns = offset + piece->at + piece->size;
    for (uint32_t i = 0; i < piece->arguments; i++)
        p = put_load(p, i, piece->argument[i]);
    return put_u32(put_u8(p, 0xe8), (uint32_t)(l->glue.place[GLUE_HELPER + piece->helper].offset - returns));
}

/* Writes the jump to where the part's function returns. */
static uint8_t *put_back(const struct library *l, uint32_t i, uint64_t from, uint8_t *p)
{
    const struct body *const b = &l->body[l->row->cold.host[i]];
    const uint32_t returns = b->offset + b->size - CODE_EPILOGUE;
    return put_u32(put_u8(p, 0xe9), (uint32_t)(returns - (from + CODE_JUMP)));
}

uint8_t *cold_put(const struct library *l, uint32_t i, uint64_t offset, uint8_t *p)
{
    struct cold_walk w = cold_start(l, i);
    struct cold_piece piece;
    while (cold_next(&w, &piece))
        p = piece.calls ? put_call(l, &piece, offset, p) : small_put_pieces(l->row, p, piece.size, piece.value);
    return put_back(l, i, offset + w.end, p);
}
