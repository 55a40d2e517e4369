/* Writes the procedure linkage table; see plt.h. */
#include "elf/write/plt.h"

#include "base/bytes.h"

static uint8_t *put_relative(uint8_t *p, uint64_t target, uint64_t next)
{
    return put_u32(p, (uint32_t)(target - next));
}

/* endbr64; jmp *word(%rip); nopw 0(%rax,%rax,1) */
static uint8_t *put_landing_jump(uint8_t *p, uint64_t address, uint64_t word)
{
    p = put_bytes(p, PLT_LANDING "\xff\x25", PLT_LANDING_SIZE + 2);
    p = put_relative(p, word, address + PLT_LANDING_SIZE + 6);
    return put_bytes(p, "\x66\x0f\x1f\x44\x00\x00", 6);
}

/* Writes entry `number` of .plt. `base` is the address of the table, `slot` that of the entry's slot. */
static uint8_t *put_entry(const struct layout *l, uint8_t *p, uint64_t base, uint32_t number, uint64_t slot)
{
    const uint64_t entry = base + PLT_ENTRY * (UINT64_C(1) + number);
    if (l->cf_protection) {
        p = put_bytes(p, PLT_LANDING, PLT_LANDING_SIZE);
    } else {
        p = put_bytes(p, "\xff\x25", 2);
        p = put_relative(p, slot, entry + 6);
    }
    p = put_u8(p, 0x68);
    p = put_u32(p, number);
    p = put_u8(p, 0xe9);
    p = put_relative(p, base, entry + (l->cf_protection ? 14 : 16));
    return l->cf_protection ? put_bytes(p, "\x66\x90", 2) : p;
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
    uint8_t *second = image + l->section[SECTION_PLT_SECOND].offset;
    uint8_t *rela = image + l->section[SECTION_RELA_PLT].offset;
    for (uint32_t i = 0; i < slots; i++) {
        uint64_t entry = base + PLT_ENTRY * (UINT64_C(1) + i);
        uint64_t slot = got + PLT_GOT_RESERVED + UINT64_C(8) * i;
        p = put_entry(l, p, base, i, slot);
        if (l->cf_protection)
            second = put_landing_jump(second, plt_address(l, i), slot);
        slot_at = put_u64(slot_at,
                          l->cf_protection ? entry : entry + 6); /* to the instruction that pushes the entry's number */
        rela = put_u64(rela, slot);
        rela = put_u64(rela, ELF64_R_INFO((uint64_t)symbols[i], R_X86_64_JUMP_SLOT));
        rela = put_u64(rela, 0);
    }
}

void plt_write_irelative(const struct layout *l, uint8_t *image, uint32_t slot, uint64_t function)
{
    const uint64_t got = l->section[layout_got_plt(l)].address;
    uint8_t *rela = image + l->section[SECTION_RELA_PLT].offset + plt_rela_size(slot);
    rela = put_u64(rela, got + PLT_GOT_RESERVED + UINT64_C(8) * slot);
    rela = put_u64(rela, ELF64_R_INFO(0, R_X86_64_IRELATIVE));
    put_u64(rela, function);
}

void plt_write_direct(const struct layout *l, uint8_t *image, uint32_t number, uint64_t word)
{
    const struct section *s = &l->section[SECTION_PLT_GOT];
    const uint64_t at = plt_direct_size(l->cf_protection) * (uint64_t)number;
    uint8_t *p = image + s->offset + at;
    if (l->cf_protection) {
        put_landing_jump(p, s->address + at, word);
        return;
    }
    p = put_bytes(p, "\xff\x25", 2);
    p = put_relative(p, word, s->address + at + 6);
    put_bytes(p, "\x66\x90", 2);
}
