/* Calls in pieces of code that pass words on the stack (code.h, PIECE_PASS); see describe.h.
 *
 * The call passes a local in %rdi and a number in %rsi. What it finds on the stack is an argument as much as these; the
 * last word that was pushed is at the top. As many arguments are described as of the calls in blocks.
 */
#include "emit/library/describe_parts.h"

/* How many of a call's arguments are described: the first always, the number as often as the manner says, and further
 * ones. */
static uint32_t arguments_of(const struct walk *w, uint32_t words, uint64_t r)
{
    const struct manner *const m = &w->corpus->manner;
    const bool further = random_below(r << 16, MANNER_USUAL) < m->passed % MANNER_USUAL;
    const uint32_t more = m->passed / MANNER_USUAL + (further ? 1u : 0u);
    if (random_below(r, MANNER_USUAL) >= m->told)
        return 1;
    return 2 + (more < words ? more : words);
}

void passed_describe(struct walk *w, const struct subject *s, uint32_t piece)
{
    struct composer *const c = &w->composer;
    const struct code_passed passed = code_passed(&w->l->code, s->index, s->body, piece);
    const uint32_t arguments = arguments_of(w, passed.words, random_at(s->f->hash, piece));
    uint8_t *const begin = c->info;
    uint8_t *const sibling = compose_call(c, s->at - CODE_DROP, w->helper[passed.helper], true);
    compose_call_slot(c, REGISTER_RDI, filler_slot_place(passed.slot));
    if (arguments > 1)
        compose_call_constant(c, REGISTER_RSI, passed.value);
    for (uint32_t i = 2; i < arguments; i++)
        compose_call_pushed(c, i - 2, filler_slot_place(passed.pushed[passed.words + 1 - i]));
    describe_call_end(w, random_mix(s->f->hash + piece), begin, sibling);
}

uint32_t passed_helpers(const struct walk *w, const struct subject *s)
{
    uint32_t called = 0;
    for (uint32_t i = 0; i < s->body->pieces; i++)
        if (s->body->piece[i].kind == PIECE_PASS)
            called |= 1u << code_passed(&w->l->code, s->index, s->body, i).helper;
    return called;
}
