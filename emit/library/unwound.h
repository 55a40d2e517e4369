/* What the unwind tables say of numbered functions (elf/write/unwind.h).
 *
 * A row says how many entries are of functions that are found by %rsp, and how many of functions with a frame pointer.
 * Numbered functions are divided in this proportion, as far as unwind tables have room: an entry of the former takes
 * at least a unit more. What room there is besides goes to these functions, by the code that is free in each. There it
 * becomes registers that are saved, and pieces of code that move %rsp. What that code has no room for goes to functions
 * with a frame pointer, which save registers, too, if the row says that there are any.
 */
#ifndef EMIT_LIBRARY_UNWOUND_H
#define EMIT_LIBRARY_UNWOUND_H

#include "emit/library/library.h"

/* Sets the frame of all bodies, whose sizes and cold parts are known, and by how much their entries are longer to say
 * where it is. `leasts`: bytes that each takes without pieces and saved registers. */
void unwound_deal(struct library *l, const uint32_t *leasts);

/* Bytes of the entry's instructions that are left for pieces of code. */
uint32_t unwound_room(const struct library *l, const struct body *b);

/* By how many units the entry of a cold part (plan_library.cold) of this function is longer. */
uint32_t unwound_part(const struct body *host);

/* Whether the entry of a function, and of its cold part, tells of steps: it has no frame pointer, or saves registers.
 */
static inline bool unwound_has_steps(const struct body *b)
{
    return b->frame.by_rsp || b->frame.saved;
}

/* The most steps that a function has; sets the steps of function `index`, if it has any, and returns how many there
 * are. */
uint32_t unwound_steps_most(const struct body *b);
uint32_t unwound_steps(const struct library *l, uint32_t index, struct unwind_step *step);

/* Sets places of function `index` where instructions begin, in ascending order, and returns how many there are. NULL:
 * only counts these. */
uint32_t unwound_places(const struct library *l, uint32_t index, uint32_t *place);

#endif
