/* See alike.h. */
#include "emit/plan/alike.h"

enum { LEVELS = 2 + ALIKE_STEP_MOST + 1, SIZES = 13, LEAST_BITS = 11 };
enum { LEVEL_NONE, LEVEL_CONSTANTS, LEVEL_MOST }; /* behind LEVEL_MOST one level for each step */

/* What zstd -3 leaves of 1,000 bytes, in code of 2^11, 2^12 ... bytes in all, at each level. Measured on twins of 428
 * libraries. The more code there is, the more of it has occurred before. */
static const uint16_t left[SIZES][LEVELS] = {
    {510, 500, 430, 420, 415, 410, 405, 400, 395, 390}, {510, 495, 425, 415, 410, 405, 400, 390, 380, 375},
    {500, 490, 425, 415, 405, 400, 390, 380, 355, 330}, {490, 475, 424, 413, 400, 380, 355, 320, 288, 264},
    {485, 456, 424, 411, 386, 352, 314, 271, 245, 232}, {466, 422, 394, 368, 327, 287, 245, 219, 206, 200},
    {445, 396, 365, 330, 287, 247, 219, 200, 194, 188}, {433, 346, 324, 283, 244, 214, 198, 184, 180, 177},
    {392, 311, 288, 250, 223, 199, 186, 176, 174, 171}, {389, 275, 248, 221, 205, 190, 180, 172, 171, 168},
    {377, 250, 227, 209, 197, 185, 176, 168, 167, 164}, {370, 249, 227, 209, 197, 185, 176, 168, 167, 164},
    {365, 245, 225, 207, 197, 185, 176, 168, 167, 164},
};

/* What zstd -3 leaves of 1,000 bytes of wild instructions, as measured; the most blocks out of 256 that are wild. */
enum { LEFT_WILD = 760, WILD_MOST = 192 };

/* Interpolates between the two sizes that are nearest. */
static uint32_t at_level(uint64_t code, unsigned level)
{
    unsigned row = 0;
    while (row + 2 < SIZES && code >> (LEAST_BITS + row + 1))
        row++;
    const uint64_t size = UINT64_C(1) << (LEAST_BITS + row);
    const uint64_t behind = code < size ? 0 : code < 2 * size ? code - size : size;
    return (uint32_t)((left[row][level] * (size - behind) + left[row + 1][level] * behind) / size);
}

uint32_t alike_packed(struct alike_code a, uint64_t code)
{
    if (alike_is_most(a))
        return at_level(code, LEVEL_MOST + a.step);
    const uint32_t none = at_level(code, LEVEL_NONE);
    if (a.wild)
        return none + (LEFT_WILD - none) * a.wild / (UINT8_MAX + 1);
    return none - (none - at_level(code, LEVEL_CONSTANTS)) * a.constants / UINT8_MAX;
}

/* How many blocks out of 256 have to be wild so that `packed` are left, if `none` are left without wild ones. */
static uint8_t wild_for(uint32_t packed, uint32_t none)
{
    const uint32_t wild = (packed - none) * (UINT8_MAX + 1) / (LEFT_WILD - none);
    return (uint8_t)(wild < WILD_MOST ? wild : WILD_MOST);
}

struct alike_code alike_for(uint64_t code, uint32_t packed, bool all_blocks)
{
    const uint32_t none = at_level(code, LEVEL_NONE);
    const uint32_t constants = at_level(code, LEVEL_CONSTANTS);
    if (packed >= none && !all_blocks)
        return (struct alike_code){.wild = wild_for(packed, none)};
    if (packed >= none)
        return (struct alike_code){0};
    if (packed >= constants)
        return (struct alike_code){.constants = (uint8_t)((none - packed) * (UINT8_MAX - 1) / (none - constants + 1))};
    struct alike_code a = {.constants = UINT8_MAX};
    while (!all_blocks && a.step < ALIKE_STEP_MOST && alike_packed(a, code) > packed)
        a.step++;
    return a;
}
