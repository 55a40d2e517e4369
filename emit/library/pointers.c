/* See pointers.h. */
#include "emit/library/pointers.h"

#include <elf.h>

#include "base/bytes.h"
#include "emit/library/relocated.h"

/* Out of KINDS words of a library in C, whose names are not mangled, the first CONSTANTS_UP_TO lead to constants and
 * those up to FUNCTIONS_UP_TO to functions. The rest lead to other words. */
enum { CONSTANTS_UP_TO = 3, FUNCTIONS_UP_TO = 5, KINDS = 6 };

/* Out of so many words in C++, all but one lead to functions: most are those of virtual functions. */
enum { FUNCTIONS_BUT_ONE = 64 };

enum { WHERE = 1, WHETHER = 2, WHICH = 3 }; /* added to a key: what else is drawn for a word or a group of words */

/* Words of the library to which pointers may lead: the first one's address, and their number. */
struct region {
    uint64_t start, count;
};

static struct region constants(const struct library *l)
{
    const uint64_t start = l->layout.section[SECTION_RODATA].address + l->shape.rodata;
    return (struct region){(start + 7) / 8 * 8, l->rodata_free > 16 ? l->rodata_free / 8 - 1 : 0};
}

static struct region objects(const struct library *l)
{
    return (struct region){l->code.objects, l->code.objects_size / 8};
}

static bool is_cpp(const struct library *l)
{
    const struct profile_row *said = l->row->said;
    return said && 2 * said->value[ROW_MANGLED] > said->value[ROW_DYNAMIC_FUNCTIONS] && said->value[ROW_MANGLED] > 0;
}

/* The address of a function, or of a word in one of the regions. `part` of `parts` says how far into them it is. */
static uint64_t place_at(const struct library *l, uint64_t chosen, uint64_t part, uint64_t parts)
{
    const bool cpp = is_cpp(l);
    const uint32_t kind = random_below(chosen, cpp ? FUNCTIONS_BUT_ONE : KINDS);
    const struct region c = constants(l);
    const struct region o = objects(l);
    const bool elsewhere = cpp ? !kind : kind >= FUNCTIONS_UP_TO;
    if (!cpp && kind < CONSTANTS_UP_TO && c.count)
        return c.start + 8 * (part * c.count / parts);
    if (elsewhere && o.count)
        return o.start + 8 * (part * o.count / parts);
    const uint64_t count = l->row->functions;
    return l->code.text + (count ? l->body[part * count / parts].offset : 0);
}

/* The word whose target word `index` repeats: the one at the same place in the group that its own group repeats, which
 * may itself repeat another. */
static uint64_t original(const struct library *l, uint64_t index, unsigned different)
{
    const uint64_t key = plan_key(l->row, PURPOSE_POINTERS);
    uint64_t group = index / POINTERS_GROUP;
    while (group && random_below(random_at(key + WHETHER, group), POINTERS_APART) >= different)
        group = random_below(random_at(key + WHICH, group), group);
    return group * POINTERS_GROUP + index % POINTERS_GROUP;
}

uint64_t pointers_target(const struct library *l, uint32_t index, unsigned different)
{
    enum { MOST = 1u << 31 };
    const uint64_t key = plan_key(l->row, PURPOSE_POINTERS);
    const uint64_t i = original(l, index, different);
    const uint64_t where = random_at(key + WHERE, i);
    if (POINTERS_APART + random_below(where, POINTERS_ANYWHERE - POINTERS_APART) < different)
        return place_at(l, random_at(key, i), random_below(random_mix(where), MOST), MOST);
    return place_at(l, random_at(key, i), i, l->row->extra.pointing.pointers);
}

void pointers_write(const struct library *l, uint8_t *image, unsigned different)
{
    const struct section *rela = &l->layout.section[SECTION_RELA_DYN];
    Elf64_Rela *r = (Elf64_Rela *)(void *)(image + rela->offset);
    const Elf64_Rela *const end = r + rela->size / sizeof *r;
    struct relocated w = relocated_words(l);
    uint64_t at;
    for (uint32_t i = 0; relocated_next(&w, false, &at); i++) {
        if (at == l->at.personality)
            continue;
        const uint64_t target = pointers_target(l, i, different);
        put_u64(relocated_place(l, image, at), target);
        while (r < end && ELF64_R_TYPE(r->r_info) == R_X86_64_RELATIVE && r->r_offset < at)
            r++;
        if (r < end && r->r_offset == at) /* otherwise the relocation is packed */
            r->r_addend = (Elf64_Sxword)target;
    }
}
