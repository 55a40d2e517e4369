/* Places sections as GNU ld does; see layout.h. */
#include "elf/write/layout.h"

#include <assert.h>
#include <string.h>

static const struct section_kind kinds[SECTION_COUNT] = {
#define LAYOUT_ROW(id, name, type, flags, align, entsize, link, info)                                                  \
    [SECTION_##id] = {name, type, flags, align, entsize, SECTION_##link, SECTION_##info},
    LAYOUT_SECTIONS(LAYOUT_ROW)
#undef LAYOUT_ROW
};

const struct section_kind *layout_kind(enum section_id id)
{
    assert(id > SECTION_NONE && id < SECTION_COUNT);
    return &kinds[id];
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) & ~(align - 1);
}

/* Where the next byte goes, in the file and in memory. */
struct cursor {
    uint64_t offset;
    uint64_t address;
};

/* Entries of .plt.got have 16 bytes instead of 8 if the PLT has two parts. */
static bool has_wide_entries(const struct layout *l, enum section_id id)
{
    return id == SECTION_PLT_GOT && l->cf_protection;
}

static uint64_t align_of(const struct layout *l, enum section_id id)
{
    const uint64_t align = has_wide_entries(l, id) ? 16 : kinds[id].align;
    return l->section[id].align > align ? l->section[id].align : align;
}

/* Places the sections of [first, last]. A section without contents gets the offset at which its contents would be. */
static void place_run(struct layout *l, struct cursor *at, enum section_id first, enum section_id last)
{
    for (enum section_id id = first; id <= last; id++) {
        struct section *s = &l->section[id];
        if (!s->size)
            continue;
        const uint64_t aligned = align_up(at->address, align_of(l, id));
        if (kinds[id].type != SHT_NOBITS)
            at->offset += aligned - at->address;
        s->address = aligned;
        s->offset = at->offset;
        at->address = aligned + s->size;
        if (kinds[id].type != SHT_NOBITS)
            at->offset += s->size;
    }
}

static void add_segment(struct layout *l, uint32_t type, uint32_t flags, uint64_t align, struct cursor from,
                        struct cursor to)
{
    assert(l->segment_count < LAYOUT_SEGMENTS_MOST);
    l->segment[l->segment_count++] = (Elf64_Phdr){
        .p_type = type,
        .p_flags = flags,
        .p_offset = from.offset,
        .p_vaddr = from.address,
        .p_paddr = from.address,
        .p_filesz = to.offset - from.offset,
        .p_memsz = to.address - from.address,
        .p_align = align,
    };
}

static void add_section_segment(struct layout *l, uint32_t type, uint32_t flags, enum section_id id)
{
    const struct section *s = &l->section[id];
    if (!s->size)
        return;
    add_segment(l, type, flags, kinds[id].align, (struct cursor){s->offset, s->address},
                (struct cursor){s->offset + s->size, s->address + s->size});
}

/* Places the sections of [first, last] in a PT_LOAD segment that begins on a new page. */
static void place_segment(struct layout *l, struct cursor *at, uint32_t flags, enum section_id first,
                          enum section_id last)
{
    at->offset = align_up(at->offset, l->page);
    at->address = align_up(at->address, l->page);
    struct cursor from = *at;
    place_run(l, at, first, last);
    if (at->address > from.address)
        add_segment(l, PT_LOAD, flags, l->page, from, *at);
}

static uint64_t bytes_of(const struct layout *l, enum section_id first, enum section_id last)
{
    uint64_t bytes = 0;
    for (enum section_id id = first; id <= last; id++)
        bytes += align_up(l->section[id].size, 8);
    return bytes;
}

/* Bytes behind .data.rel.ro that ld.so protects after relocation. With lazy binding these include the three reserved
 * words of .got.plt (24 bytes) and nothing else of it. */
static uint64_t relro_behind(const struct layout *l)
{
    const uint64_t got_plt = l->section[SECTION_GOT_PLT].size;
    return bytes_of(l, SECTION_DYNAMIC, SECTION_GOT) + (l->relro == LAYOUT_RELRO_FULL || got_plt < 24 ? got_plt : 24);
}

/* Bytes at the beginning of the writable segment that ld.so protects after relocation. They have to end on a page
 * boundary, so place_data lets the segment begin in the middle of a page. In the file the segment follows as closely as
 * it can, perhaps on the page where the segment before it ends. */
static uint64_t relro_bytes(const struct layout *l)
{
    const uint64_t behind = relro_behind(l);
    const uint64_t here = align_up(l->section[SECTION_DATA_REL_RO].size, 8);
    if (l->relro == LAYOUT_RELRO_NONE)
        return 0;
    return bytes_of(l, SECTION_INIT_ARRAY, SECTION_FINI_ARRAY) +
           align_up(here + behind, align_of(l, SECTION_DATA_REL_RO));
}

static void place_data(struct layout *l, struct cursor *at)
{
    uint64_t protected = relro_bytes(l);
    uint64_t first_page = align_up(at->address, l->page);
    uint64_t start = first_page + (align_up(protected, l->page) - protected);
    if (!protected && first_page != at->address) /* may share a page of the file */
        start = at->address + l->page;
    at->offset += (start - at->offset) & (l->page - 1);
    at->address = start;
    struct cursor from = *at;
    struct cursor tls = *at;
    place_run(l, &tls, SECTION_TBSS, SECTION_TBSS);
    place_run(l, at, SECTION_INIT_ARRAY, SECTION_DATA_REL_RO);
    if (protected) { /* the padding goes behind .data.rel.ro, so that the protected part ends on the page boundary */
        const uint64_t gap = start + protected - relro_behind(l) - at->address;
        at->offset += gap;
        at->address += gap;
    }
    place_run(l, at, SECTION_DYNAMIC, SECTION_BSS);
    add_segment(l, PT_LOAD, PF_R | PF_W, l->page, from, *at);
    add_section_segment(l, PT_DYNAMIC, PF_R | PF_W, SECTION_DYNAMIC);
    add_section_segment(l, PT_NOTE, PF_R, SECTION_NOTE_PROPERTY);
    add_section_segment(l, PT_NOTE, PF_R, SECTION_NOTE_BUILD_ID);
    if (l->section[SECTION_TBSS].size)
        add_segment(l, PT_TLS, PF_R, kinds[SECTION_TBSS].align, from, tls);
    add_section_segment(l, PT_GNU_PROPERTY, PF_R, SECTION_NOTE_PROPERTY);
    add_section_segment(l, PT_GNU_EH_FRAME, PF_R, SECTION_EH_FRAME_HDR);
    l->segment[l->segment_count++] = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16};
    if (protected)
        add_segment(l, PT_GNU_RELRO, PF_R, 1, from, (struct cursor){from.offset + protected, from.address + protected});
}

static void number_sections(struct layout *l)
{
    uint32_t name = 1;
    l->section_count = 1;
    l->section[SECTION_SHSTRTAB].size = 1; /* any size but 0, so that it gets a number */
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++) {
        struct section *s = &l->section[id];
        s->index = s->size ? l->section_count++ : 0;
        s->name = s->size ? name : 0;
        if (s->size)
            name += (uint32_t)strlen(kinds[id].name) + 1;
    }
    l->section[SECTION_SHSTRTAB].size = name;
}

static uint32_t segments_needed(const struct layout *l)
{
    uint32_t count = l->noseparate_code ? 5 : 7;
    if (l->section[SECTION_NOTE_BUILD_ID].size)
        count++;
    if (l->section[SECTION_NOTE_PROPERTY].size) /* and PT_GNU_PROPERTY */
        count += 2;
    if (l->relro != LAYOUT_RELRO_NONE)
        count++;
    if (l->section[SECTION_TBSS].size)
        count++;
    if (l->section[SECTION_INTERP].size) /* and PT_PHDR */
        count += 2;
    return count;
}

void layout_end(struct layout *l, uint64_t end)
{
    l->headers = align_up(end, 8);
    l->file_size = l->headers + l->section_count * sizeof(Elf64_Shdr);
}

void layout_place_unloaded(struct layout *l, uint64_t offset)
{
    number_sections(l);
    for (enum section_id id = SECTION_UNLOADED; id < SECTION_COUNT; id++) {
        struct section *s = &l->section[id];
        if (!s->size)
            continue;
        s->offset = align_up(offset, kinds[id].align);
        offset = s->offset + s->size;
    }
    layout_end(l, offset);
}

bool layout_place(struct layout *l, struct error *e)
{
    uint64_t loaded = 0;
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++) {
        uint64_t most = kinds[id].flags & SHF_ALLOC ? INT64_C(1) << 31 : INT64_C(1) << 32;
        if (l->section[id].size >= most)
            return error_set(e, ERROR_INFEASIBLE, "section %s would be %llu bytes; one library holds less than %llu",
                             kinds[id].name, (unsigned long long)l->section[id].size, (unsigned long long)most);
        if (kinds[id].flags & SHF_ALLOC)
            loaded += l->section[id].size;
    }
    if (loaded + 16 * l->page >= UINT64_C(1) << 31)
        return error_set(e, ERROR_INFEASIBLE,
                         "text, constants and data would be %llu bytes; one library holds less than 2 GiB of them",
                         (unsigned long long)loaded);
    l->segment_count = 0;
    uint32_t segments = segments_needed(l);
    struct cursor at = {0, 0};
    struct cursor from = at;
    at.offset = at.address = sizeof(Elf64_Ehdr) + segments * sizeof(Elf64_Phdr);
    place_run(l, &at, SECTION_INTERP, SECTION_RELR_DYN);
    if (l->section[SECTION_INTERP].size) { /* these two have to come before any PT_LOAD */
        const uint64_t end = sizeof(Elf64_Ehdr) + segments * sizeof(Elf64_Phdr);
        add_segment(l, PT_PHDR, PF_R, 8, (struct cursor){sizeof(Elf64_Ehdr), sizeof(Elf64_Ehdr)},
                    (struct cursor){end, end});
        add_section_segment(l, PT_INTERP, PF_R, SECTION_INTERP);
    }
    if (l->noseparate_code) {
        place_run(l, &at, SECTION_INIT, SECTION_GCC_EXCEPT_TABLE);
        add_segment(l, PT_LOAD, PF_R | PF_X, l->page, from, at);
    } else {
        add_segment(l, PT_LOAD, PF_R, l->page, from, at);
        place_segment(l, &at, PF_R | PF_X, SECTION_INIT, SECTION_FINI);
        place_segment(l, &at, PF_R, SECTION_RODATA, SECTION_GCC_EXCEPT_TABLE);
    }
    place_data(l, &at);
    assert(l->segment_count == segments);
    layout_place_unloaded(l, at.offset);
    return true;
}

struct layout_sizes layout_count(const struct layout *l)
{
    struct layout_sizes sizes = {.symtab = l->section[SECTION_SYMTAB].size, .strtab = l->section[SECTION_STRTAB].size};
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++) {
        uint64_t size = l->section[id].size;
        if (id >= SECTION_DEBUG_FIRST && id <= SECTION_DEBUG_LAST)
            sizes.debug += size;
        else if (kinds[id].type == SHT_NOBITS)
            sizes.bss += size;
        else if (kinds[id].flags & SHF_WRITE)
            sizes.data += size;
        else if (kinds[id].flags & SHF_ALLOC)
            sizes.text += size;
    }
    return sizes;
}

Elf64_Shdr layout_header(const struct layout *l, enum section_id id)
{
    const struct section *s = &l->section[id];
    const struct section_kind *k = &kinds[id];
    const enum section_id of = k->info == SECTION_GOT_PLT ? layout_got_plt(l) : k->info;
    uint32_t info = of == SECTION_NONE ? s->info : l->section[of].index;
    return (Elf64_Shdr){
        .sh_name = s->name,
        .sh_type = s->elsewhere ? SHT_NOBITS : k->type,
        .sh_flags = (k->flags & ~l->without) | (s->packed ? (uint64_t)SHF_COMPRESSED : 0),
        .sh_addr = s->address,
        .sh_offset = s->offset,
        .sh_size = s->packed ? s->packed : s->size,
        .sh_link = k->link == SECTION_NONE ? 0 : l->section[k->link].index,
        .sh_info = info,
        .sh_addralign = s->packed ? _Alignof(Elf64_Chdr) : align_of(l, id),
        .sh_entsize = has_wide_entries(l, id) ? 16 : k->entsize,
    };
}

uint64_t layout_write_head(const struct layout *l, uint8_t *p)
{
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
                    l->extended ? ELFOSABI_GNU : ELFOSABI_SYSV},
        .e_type = l->segment_count ? ET_DYN : ET_REL,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_entry = l->entry,
        .e_phoff = l->segment_count ? sizeof(Elf64_Ehdr) : 0,
        .e_shoff = l->headers,
        .e_ehsize = sizeof(Elf64_Ehdr),
        .e_phentsize = l->segment_count ? sizeof(Elf64_Phdr) : 0,
        .e_phnum = (uint16_t)l->segment_count,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (uint16_t)l->section_count,
        .e_shstrndx = (uint16_t)l->section[SECTION_SHSTRTAB].index,
    };
    memcpy(p, &header, sizeof header);
    memcpy(p + sizeof header, l->segment, l->segment_count * sizeof l->segment[0]);
    return sizeof header + l->segment_count * sizeof l->segment[0];
}

void layout_write_tail(const struct layout *l, uint8_t *p)
{
    const struct section *strings = &l->section[SECTION_SHSTRTAB];
    uint8_t *headers = p + (l->headers - strings->offset);
    *p = '\0';
    memset(headers, 0, sizeof(Elf64_Shdr));
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++) {
        const struct section *s = &l->section[id];
        if (!s->index)
            continue;
        Elf64_Shdr h = layout_header(l, id);
        memcpy(headers + s->index * sizeof h, &h, sizeof h);
        memcpy(p + s->name, kinds[id].name, strlen(kinds[id].name) + 1);
    }
}

void layout_write(const struct layout *l, uint8_t *image)
{
    uint64_t end = layout_write_head(l, image);
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_COUNT; id++) {
        const struct section *s = &l->section[id];
        if (!s->index || s->elsewhere || kinds[id].type == SHT_NOBITS)
            continue;
        memset(image + end, 0, s->offset - end); /* padding between sections */
        end = s->offset + (s->packed ? s->packed : s->size);
    }
    memset(image + end, 0, l->headers - end);
    layout_write_tail(l, image + l->section[SECTION_SHSTRTAB].offset);
}
