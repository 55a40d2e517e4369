/* See cold.h. */
#include "emit/library/cold.h"

#include "base/bytes.h"
#include "emit/library/small.h"

enum {
    LOAD = 5,      /* bytes that load an argument */
    LOAD_HIGH = 6, /* the same into %r8 or %r9 */
    LOW = 4,       /* how many registers need no prefix */
    CALL = 5,
    NUMBER_MOST = 0xfff, /* the largest argument: as line numbers and codes of errors */
};

const uint8_t cold_registers[COLD_ARGUMENTS_MOST] = {REGISTER_RDI, REGISTER_RSI, REGISTER_RDX,
                                                     REGISTER_RCX, REGISTER_R8,  REGISTER_R9};

uint32_t cold_argument(const struct cold_piece *piece, uint32_t i)
{
    return (uint32_t)random_at(piece->value, i) & NUMBER_MOST;
}

uint32_t cold_helper(const struct library *l, uint32_t i)
{
    return random_below(random_at(plan_key(l->row, PURPOSE_COLD), i), SHAPE_HELPERS);
}

/* In C there is a call about every 70 bytes, with up to six arguments. In C++, where cold code destroys objects, there
 * are more, with fewer arguments. */
struct cold_walk cold_start(const struct library *l, uint32_t i)
{
    enum { CALLS = 21, MOST = COLD_ARGUMENTS_MOST, CALLS_CPP = 51, MOST_CPP = 2 };
    const uint32_t small = l->row->cold.first + i;
    const bool is_cpp = l->row->debug.language == LANGUAGE_CPP;
    return (struct cold_walk){
        .value = small_value(l->row, small),
        .end = plan_small_size(l->row, small) - CODE_JUMP,
        .calls = !l->shape.helpers ? 0
                 : is_cpp          ? CALLS_CPP
                                   : CALLS,
        .most = is_cpp ? MOST_CPP : MOST,
    };
}

static uint32_t call_size(uint32_t arguments)
{
    return CALL + arguments * LOAD + (arguments > LOW ? arguments - LOW : 0) * (LOAD_HIGH - LOAD);
}

bool cold_next(struct cold_walk *w, struct cold_piece *piece)
{
    enum { OF = 256 };
    const uint32_t left = w->end - w->at;
    const uint32_t arguments = (uint32_t)(w->value >> 48) % OF * (w->most + 1) / OF;
    *piece = (struct cold_piece){.at = w->at, .size = CODE_JUMP, .value = w->value};
    if ((uint32_t)(w->value >> 40) % OF < w->calls && call_size(arguments) <= left) {
        piece->calls = true;
        piece->arguments = arguments;
        piece->size = call_size(arguments);
        w->value = random_mix(w->value);
    } else if (left) {
        piece->size = small_next_piece(left, &w->value);
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

/* Writes a call of the code at offset `target`, for a part at offset `from`. */
static uint8_t *put_call(const struct cold_piece *piece, uint64_t from, uint64_t target, uint8_t *p)
{
    for (uint32_t i = 0; i < piece->arguments; i++)
        p = put_load(p, i, cold_argument(piece, i));
    return put_u32(put_u8(p, 0xe8), (uint32_t)(target - (from + piece->at + piece->size)));
}

/* Writes the jump to where the part's function returns. */
static uint8_t *put_back(const struct library *l, uint32_t i, uint64_t from, uint8_t *p)
{
    const struct body *const b = &l->body[l->row->cold.host[i]];
    const uint32_t returns = b->offset + b->size - frame_epilogue_size(b->frame);
    return put_u32(put_u8(p, 0xe9), (uint32_t)(returns - (from + CODE_JUMP)));
}

/* Writes cold part i, which is at this offset. */
static uint8_t *put_part(const struct library *l, uint32_t i, int64_t at)
{
    uint8_t *p = l->code.image + at;
    const uint64_t offset = (uint64_t)at;
    const uint64_t helper = l->glue.place[GLUE_HELPER + cold_helper(l, i)].offset;
    struct cold_walk w = cold_start(l, i);
    struct cold_piece piece;
    while (cold_next(&w, &piece))
        p = piece.calls ? put_call(&piece, offset, helper, p) : small_put_pieces(l->row, p, piece.size, piece.value);
    return put_back(l, i, offset + w.end, p);
}

void cold_write(const struct library *l)
{
    struct small_walk walk = small_walk(l, l->row->cold.first);
    uint8_t *end = l->code.image - l->lead;
    for (uint32_t i = 0; i < l->row->cold.count; i++)
        end = put_part(l, i, small_walk_next(l, &walk));
    code_pad(end, (uint32_t)(l->code.image - end));
}
