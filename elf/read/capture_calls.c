/* Counts the places that calls lead to, where neither symbols nor unwind tables say where functions are; see capture.h.
 *
 * Go and Free Pascal unwind by tables of their own, so that a stripped program has nothing of either kind. What is left
 * are direct calls: e8 and the distance from the next instruction (Intel SDM, CALL). The code is not decoded. Of all
 * bytes that look like a call, those count that lead to a multiple of 16 in the same section, where compilers let
 * functions begin. Other bytes hardly ever do: one of 16 with a distance at random in 2^32 bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "elf/read/capture_parts.h"

enum {
    CALL = 0xe8,
    CALL_SIZE = 5,
    ALIGNED = 16,
    SLICE = 1 << 18,         /* bytes that are read at a time */
    BYTES_OF_FUNCTION = 1024 /* of code for each function that something tells of: from here on there are others */
};

/* Notes what the calls in `code` lead to, which is `size` bytes at `at` in the section. */
static void note_calls(const uint8_t *code, size_t size, uint64_t at, const GElf_Shdr *section, uint8_t *led_to)
{
    const uint8_t *const end = code + size - (CALL_SIZE - 1);
    for (const uint8_t *c = code; c < end && (c = memchr(c, CALL, (size_t)(end - c))); c++) {
        int32_t distance;
        memcpy(&distance, c + 1, sizeof distance);
        const uint64_t to = at + (uint64_t)(c - code) + CALL_SIZE + (uint64_t)(int64_t)distance;
        if (to < section->sh_size && (section->sh_addr + to) % ALIGNED == 0)
            led_to[to / ALIGNED / 8] |= (uint8_t)(1u << (to / ALIGNED % 8));
    }
}

static bool look_code(struct look *l, const GElf_Shdr *shdr)
{
    const uint64_t size = shdr->sh_size;
    if (size < CALL_SIZE || size > l->reader.size)
        return true;
    if (!look_take(l, size))
        return false;
    const size_t bits = (size_t)(size / ALIGNED / 8) + 1;
    uint8_t *const led_to = calloc(bits + SLICE, 1);
    if (!led_to)
        return look_no_memory(l);
    uint8_t *const code = led_to + bits;
    bool ok = true;
    for (uint64_t at = 0; ok && at + CALL_SIZE <= size; at += SLICE - (CALL_SIZE - 1)) {
        size_t got;
        ok = reader_read(&l->reader, code, size - at < SLICE ? (size_t)(size - at) : SLICE, shdr->sh_offset + at, &got,
                         l->e);
        if (!ok || got < CALL_SIZE)
            break;
        note_calls(code, got, at, shdr, led_to);
    }
    for (size_t i = 0; i < bits; i++)
        l->c->called += (uint64_t)__builtin_popcount(led_to[i]);
    free(led_to);
    return ok;
}

bool look_called(struct look *l)
{
    struct capture *c = l->c;
    const uint64_t told = c->unwind.entries > c->functions.count ? c->unwind.entries : c->functions.count;
    if (c->has_symtab || c->kind.machine != EM_X86_64 || !c->kind.wide ||
        c->share[SHARE_CODE] / BYTES_OF_FUNCTION < told)
        return true;
    for (size_t i = 1; i < l->reader.sections; i++) {
        GElf_Shdr shdr;
        if (!reader_section(&l->reader, i, &shdr, l->e))
            return false;
        const bool is_code = look_is_image(&shdr) && (shdr.sh_flags & SHF_EXECINSTR);
        if (is_code && !look_code(l, &shdr))
            return false;
    }
    if (c->called < 2 * told) /* most functions are told of */
        c->called = 0;
    return true;
}
