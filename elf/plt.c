/* Stamps the procedure linkage table; see plt.h. */
#include "elf/plt.h"

#include "base/bytes.h"

static uint8_t *put_relative(uint8_t *p, uint64_t target, uint64_t next)
{
    return put_u32(p, (uint32_t)(target - next));
}

void plt_write(const struct layout *l, uint8_t *image, uint32_t slots, const uint32_t *symbols)
{
    uint64_t got = l->section[layout_got_plt(l)].address;
    uint8_t *slot_at = image + l->section[layout_got_plt(l)].offset;
    slot_at = put_u64(slot_at, l->section[SECTION_DYNAMIC].address);
    slot_at = put_u64(slot_at, 0); /* link map and resolver: ld.so fills them in */
    slot_at = put_u64(slot_at, 0);
    if (!slots)
        return;
    uint64_t base = l->section[SECTION_PLT].address;
    uint8_t *p = image + l->section[SECTION_PLT].offset;
    p = put_bytes(p, "\xff\x35", 2);
    p = put_relative(p, got + 8, base + 6);
    p = put_bytes(p, "\xff\x25", 2);
    p = put_relative(p, got + 16, base + 12);
    p = put_bytes(p, "\x0f\x1f\x40\x00", 4);
    uint8_t *rela = image + l->section[SECTION_RELA_PLT].offset;
    for (uint32_t i = 0; i < slots; i++) {
        uint64_t entry = base + PLT_ENTRY * (UINT64_C(1) + i);
        uint64_t slot = got + PLT_GOT_RESERVED + UINT64_C(8) * i;
        p = put_bytes(p, "\xff\x25", 2);
        p = put_relative(p, slot, entry + 6);
        p = put_u8(p, 0x68);
        p = put_u32(p, i);
        p = put_u8(p, 0xe9);
        p = put_relative(p, base, entry + 16);
        slot_at = put_u64(slot_at, entry + 6);
        rela = put_u64(rela, slot);
        rela = put_u64(rela, ELF64_R_INFO((uint64_t)symbols[i], R_X86_64_JUMP_SLOT));
        rela = put_u64(rela, 0);
    }
}

void plt_write_direct(const struct layout *l, uint8_t *image, uint32_t number, uint64_t word)
{
    const struct section *s = &l->section[SECTION_PLT_GOT];
    const uint64_t at = PLT_DIRECT * (uint64_t)number;
    uint8_t *p = put_bytes(image + s->offset + at, "\xff\x25", 2);
    p = put_relative(p, word, s->address + at + 6);
    put_bytes(p, "\x66\x90", 2);
}
