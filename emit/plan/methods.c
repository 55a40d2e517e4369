/* See methods.h. */
#include "emit/plan/methods.h"

#include "base/bytes.h"
#include "base/words.h"

/* The number of a name's words, a verb and a noun. The first method has any words, the next ones have those that
 * follow. Once all are used, names end in a number. */
static uint32_t words_of(const struct plan_library *l, uint32_t index)
{
    return (uint32_t)((plan_key(l, PURPOSE_METHODS) + index) % WORDS_METHODS);
}

uint32_t methods_name_length(const struct plan_library *l, uint32_t index)
{
    return words_method_length(words_of(l, index)) + (index < WORDS_METHODS ? 0 : names_digits(index));
}

static uint8_t *put_method_name(const struct plan_library *l, uint32_t index, uint8_t *p)
{
    p = (uint8_t *)words_method(words_of(l, index), (char *)p);
    if (index >= WORDS_METHODS) {
        uint8_t *const end = p + names_digits(index);
        uint8_t *digit = end;
        for (uint32_t rest = index; rest; rest /= 10)
            *--digit = (uint8_t)('0' + rest % 10);
        p = end;
    }
    return put_u8(p, '\0');
}

uint64_t methods_bytes(const struct plan_library *l)
{
    const uint32_t count = l->extra.table.methods;
    const uint32_t turns = count / WORDS_METHODS; /* how often all words are used */
    const uint32_t rest = count % WORDS_METHODS;
    uint64_t bytes = l->extra.table.documented ? sizeof METHODS_DOC : 0;
    for (uint32_t i = 0; i < WORDS_METHODS && i < count; i++)
        bytes += (words_method_length(words_of(l, i)) + UINT64_C(1)) * (turns + (i < rest));
    return bytes + names_digits_sum(WORDS_METHODS, count);
}

uint8_t *methods_write_strings(const struct plan_library *l, uint8_t *p)
{
    if (l->extra.table.documented)
        p = put_bytes(p, METHODS_DOC, sizeof METHODS_DOC);
    for (uint32_t i = 0; i < l->extra.table.methods; i++)
        p = put_method_name(l, i, p);
    return p;
}

uint32_t methods_functions(const struct plan_library *l)
{
    uint32_t count = 0;
    while (count < l->extra.table.methods && count < plan_small_local(l) &&
           !plan_is_packed(l, l->small.count - 1 - count) &&
           l->small.size[l->small.count - 1 - count] >= plan_landing(l) + METHODS_CODE)
        count++;
    return count;
}
