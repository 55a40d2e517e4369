/* Counts relocations and the pages that they touch, the methods of a module, the entries of unwind tables, and the code
 * of constructors; see capture.h.
 *
 * A module's methods stand in an array of PyMethodDef, to which the module's definition points, a PyModuleDef
 * (base/cpython.h). The relocations tell which words hold addresses. A relocation of type RELATIVE has the address
 * itself; a packed one has it in the word that it relocates. A definition that is made at run time is not found.
 *
 * The sizes of the functions that .init_array points to come from .eh_frame. Its index .eh_frame_hdr has rows of two
 * words: where a function begins, and where its entry is (LSB core 5.0, 10.6). A function without an entry counts as
 * nothing; those of crtbegin.o are such.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cpython.h"
#include "base/order.h"
#include "base/page.h"
#include "base/relr.h"
#include "elf/read/capture_parts.h"

#ifndef SHT_RELR
#define SHT_RELR 19
#endif

enum { WORDS_MOST = 1 << 22, METHODS_MOST = 1 << 16, TRIES_MOST = 1 << 15, SECTIONS_MOST = 512, PAGES_FIRST = 64 };

static enum capture_relocation relocation_of(const struct capture *c, uint64_t type)
{
    if (c->kind.machine != EM_X86_64 || !c->kind.wide)
        return RELOCATION_OTHER;
    switch (type) {
    case R_X86_64_RELATIVE:
        return RELOCATION_RELATIVE;
    case R_X86_64_JUMP_SLOT:
        return RELOCATION_JUMP_SLOT;
    case R_X86_64_GLOB_DAT:
        return RELOCATION_GLOB_DAT;
    case R_X86_64_64:
        return RELOCATION_64;
    case R_X86_64_COPY:
        return RELOCATION_COPY;
    case R_X86_64_DTPMOD64:
    case R_X86_64_DTPOFF64:
    case R_X86_64_TPOFF64:
    case R_X86_64_TLSDESC:
        return RELOCATION_TLS;
    case R_X86_64_IRELATIVE:
        return RELOCATION_IRELATIVE;
    default:
        return RELOCATION_OTHER;
    }
}

/* How many different symbols there are; symbol 0 is none and does not count. Sorts them. */
static uint64_t count_symbols(uint32_t *symbol, size_t count)
{
    uint64_t differ = 0;
    if (count)
        qsort(symbol, count, sizeof *symbol, order_u32);
    for (size_t i = 0; i < count; i++)
        differ += symbol[i] && (!i || symbol[i] != symbol[i - 1]);
    return differ;
}

bool look_relocations(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr)
{
    struct capture *c = l->c;
    if (!(shdr->sh_flags & SHF_ALLOC))
        return true;
    Elf_Data *data = look_table(l, section, shdr);
    if (!data)
        return false;
    if (shdr->sh_type == SHT_RELR) {
        if (c->kind.wide && data->d_buf)
            c->relocation[RELOCATION_RELR] += relr_count(data->d_buf, data->d_size);
        return true;
    }
    bool rela = shdr->sh_type == SHT_RELA;
    size_t entry = c->kind.wide ? (rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel))
                                : (rela ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel));
    const size_t count = data->d_size / entry;
    const bool slots = l->jmprel && shdr->sh_addr == l->jmprel;
    uint32_t *symbol = slots ? NULL : calloc(count + 1, sizeof *symbol);
    bool ok = slots || symbol || look_no_memory(l);
    for (size_t i = 0; ok && i < count; i++) {
        GElf_Rela with;
        GElf_Rel without;
        if (rela ? !gelf_getrela(data, (int)i, &with) : !gelf_getrel(data, (int)i, &without)) {
            ok = LOOK_WRONG(l, "cannot read relocation %zu: %s", i, elf_errmsg(-1));
            break;
        }
        const uint64_t info = rela ? with.r_info : without.r_info;
        c->relocation[relocation_of(c, GELF_R_TYPE(info))]++;
        if (symbol)
            symbol[i] = (uint32_t)GELF_R_SYM(info);
    }
    if (ok && slots)
        c->plt += count;
    else if (ok)
        c->relocation[RELOCATION_SYMBOLS] += count_symbols(symbol, count);
    free(symbol);
    return ok;
}

/* ---- pages ---- */

struct pages {
    uint64_t *page;
    size_t count, room;
    bool lost; /* memory ran out */
};

static void add_page(struct pages *p, uint64_t address)
{
    const uint64_t page = address / PAGE;
    if (p->lost || (p->count && p->page[p->count - 1] == page))
        return;
    if (p->count == p->room) {
        const size_t room = p->room ? 2 * p->room : PAGES_FIRST;
        uint64_t *more = realloc(p->page, room * sizeof *more);
        p->lost = !more;
        if (!more)
            return;
        p->page = more;
        p->room = room;
    }
    p->page[p->count++] = page;
}

/* Adds the page of a relocated place, and counts the place if it is in .data.rel.ro. */
static void add_place(struct pages *p, const struct look *l, uint64_t address)
{
    l->c->relocation[RELOCATION_RELRO] += address >= l->data_rel_ro && address < l->data_rel_ro_end;
    add_page(p, address);
}

static void add_table(struct pages *p, const struct look *l, Elf_Scn *section, const GElf_Shdr *shdr)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Rela with;
    GElf_Rel without;
    if (!data || !data->d_buf)
        return;
    struct relr_places packed = {.table = data->d_buf, .size = data->d_size};
    for (uint64_t place; shdr->sh_type == SHT_RELR && l->c->kind.wide && relr_next(&packed, &place);)
        add_place(p, l, place);
    for (int i = 0; shdr->sh_type == SHT_RELA && gelf_getrela(data, i, &with); i++)
        add_place(p, l, with.r_offset);
    for (int i = 0; shdr->sh_type == SHT_REL && gelf_getrel(data, i, &without); i++)
        add_place(p, l, without.r_offset);
}

static bool is_relocations(const GElf_Shdr *shdr)
{
    return (shdr->sh_flags & SHF_ALLOC) &&
           (shdr->sh_type == SHT_RELA || shdr->sh_type == SHT_REL || shdr->sh_type == SHT_RELR);
}

bool look_pages(struct look *l)
{
    struct pages p = {0};
    for (size_t i = 1; i < l->reader.sections; i++) {
        GElf_Shdr shdr;
        Elf_Scn *section = reader_section(&l->reader, i, &shdr, l->e);
        if (section && is_relocations(&shdr))
            add_table(&p, l, section, &shdr);
    }
    l->c->relocation[RELOCATION_PAGES] += look_different(p.page, p.count);
    free(p.page);
    return !p.lost || look_no_memory(l);
}

/* ---- words ---- */

/* A word of the image that holds an address. */
struct word {
    uint64_t at, value;
    bool in_place; /* `value` is not set: the file has it at `at` */
};

static int compare(const void *a, const void *b)
{
    const struct word *x = a;
    const struct word *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static const struct word *word_find(const struct look *l, uint64_t at)
{
    return l->word_count ? bsearch(&(struct word){.at = at}, l->words, l->word_count, sizeof *l->words, compare) : NULL;
}

/* Adds the words that the relocations of one section turn into addresses, until there are `most` words. */
static void add_words(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr, size_t most)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Rela r;
    if (!data || !data->d_buf)
        return;
    for (int i = 0; shdr->sh_type == SHT_RELA && l->word_count < most && gelf_getrela(data, i, &r); i++) {
        if (GELF_R_TYPE(r.r_info) == R_X86_64_RELATIVE)
            l->words[l->word_count++] = (struct word){.at = r.r_offset, .value = (uint64_t)r.r_addend};
    }
    struct relr_places packed = {.table = data->d_buf, .size = data->d_size};
    for (uint64_t at; shdr->sh_type == SHT_RELR && l->word_count < most && relr_next(&packed, &at);)
        l->words[l->word_count++] = (struct word){.at = at, .in_place = true};
}

bool look_words(struct look *l)
{
    const struct capture *c = l->c;
    const uint64_t most = c->relocation[RELOCATION_RELATIVE] + c->relocation[RELOCATION_RELR];
    /* The limit of sections is more than any module has. Each image_read goes through all of them. */
    if (c->kind.machine != EM_X86_64 || !c->kind.wide || l->reader.sections > SECTIONS_MOST || !most ||
        most > WORDS_MOST || !(c->kind.module || l->init_count))
        return true;
    l->words = malloc(most * sizeof *l->words);
    if (!l->words)
        return look_no_memory(l);
    for (size_t i = 1; i < l->reader.sections; i++) {
        GElf_Shdr shdr;
        Elf_Scn *section = reader_section(&l->reader, i, &shdr, l->e);
        if (section && is_relocations(&shdr))
            add_words(l, section, &shdr, most);
    }
    qsort(l->words, l->word_count, sizeof *l->words, compare);
    return true;
}

/* Reads the bytes that the file has for an address; false if it has none. */
static bool image_read(struct look *l, uint64_t address, void *to, size_t size)
{
    for (size_t i = 1; i < l->reader.sections; i++) {
        GElf_Shdr shdr;
        if (!reader_section(&l->reader, i, &shdr, l->e))
            return false;
        if (!look_is_image(&shdr) || address < shdr.sh_addr || address - shdr.sh_addr > shdr.sh_size ||
            shdr.sh_size - (address - shdr.sh_addr) < size)
            continue;
        size_t got;
        return reader_read(&l->reader, to, size, shdr.sh_offset + (address - shdr.sh_addr), &got, l->e) && got == size;
    }
    return false;
}

/* The address that a word holds; 0 if the file has no bytes for the word. */
static uint64_t word_value(struct look *l, const struct word *word)
{
    uint64_t value = word->value;
    return !word->in_place || image_read(l, word->at, &value, sizeof value) ? value : 0;
}

/* ---- methods ---- */

/* Whether a definition of a module begins at the address. None of its first five words is an address. */
static bool is_definition(struct look *l, uint64_t address)
{
    uint64_t word[5];
    if (!image_read(l, address, word, sizeof word))
        return false;
    for (unsigned i = 0; i < 5; i++)
        if (word_find(l, address + i * sizeof word[0]))
            return false;
    /* The upper half of the reference count may be flags. */
    return (uint32_t)word[0] != 0 && !word[1] && !word[2] && !word[3] && !word[4];
}

static uint64_t methods_count(struct look *l, uint64_t address)
{
    uint64_t methods = 0;
    for (; methods < METHODS_MOST; methods++, address += METHOD_DEF_BYTES) {
        uint64_t flags;
        if (!word_find(l, address) || !image_read(l, address + METHOD_DEF_FLAGS, &flags, sizeof flags) || flags == 0 ||
            (flags & UINT32_MAX) > 0xffff)
            break;
    }
    return methods;
}

bool look_methods(struct look *l)
{
    size_t tries = 0;
    for (size_t i = 0; l->c->kind.module && i < l->word_count && tries < TRIES_MOST && l->c->methods == 0; i++) {
        const uint64_t name = l->words[i].at;
        const struct word *methods = word_find(l, name + MODULE_DEF_METHODS - MODULE_DEF_NAME);
        if (!methods || name < MODULE_DEF_NAME || word_find(l, name - 8))
            continue;
        tries++;
        if (is_definition(l, name - MODULE_DEF_NAME))
            l->c->methods = methods_count(l, word_value(l, methods));
    }
    return true;
}

/* ---- unwind tables ---- */

/* .eh_frame_hdr, the index of .eh_frame. Its rows are sorted by where functions begin. */
struct frames {
    uint64_t address;
    const uint8_t *row;
    size_t rows;
};

enum { FRAMES_HEADER = 12, FRAMES_ROW = 8, ENTRY_BEGIN = 8 /* an entry's bytes before its address */ };

static int32_t signed_word(const uint8_t *at)
{
    int32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Finds the index in the form that linkers write. Without one, or if it has another form, there are no rows. */
static bool frames_read(struct look *l, struct frames *f)
{
    static const uint8_t usual[] = {1, 0x1b, 0x03,
                                    0x3b}; /* version; encodings: pointer to .eh_frame, number of rows, rows */
    *f = (struct frames){0};
    for (size_t i = 1; i < l->reader.sections; i++) {
        GElf_Shdr shdr;
        Elf_Scn *section = reader_section(&l->reader, i, &shdr, l->e);
        if (!section)
            return false;
        if (!look_is_image(&shdr) || strcmp(reader_name(&l->reader, &shdr), ".eh_frame_hdr") != 0)
            continue;
        const Elf_Data *data = look_table(l, section, &shdr);
        if (!data)
            return false;
        const uint8_t *bytes = data->d_buf;
        if (!bytes || data->d_size < FRAMES_HEADER || memcmp(bytes, usual, sizeof usual) != 0)
            return true;
        const uint32_t said = (uint32_t)signed_word(bytes + FRAMES_HEADER - 4);
        const size_t most = (data->d_size - FRAMES_HEADER) / FRAMES_ROW;
        *f = (struct frames){shdr.sh_addr, bytes + FRAMES_HEADER, said < most ? said : most};
        return true;
    }
    return true;
}

static uint64_t frames_word(const struct frames *f, size_t row, size_t at)
{
    return f->address + (uint64_t)(int64_t)signed_word(f->row + row * FRAMES_ROW + at);
}

/* Bytes of the function that begins at an address; 0 if it has no entry. */
static uint64_t function_size(struct look *l, const struct frames *f, uint64_t address)
{
    size_t low = 0;
    for (size_t high = f->rows; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (frames_word(f, middle, 0) < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low >= f->rows || frames_word(f, low, 0) != address)
        return 0;
    uint32_t entry[2]; /* where the function begins, its bytes */
    const bool there = image_read(l, frames_word(f, low, 4) + ENTRY_BEGIN, entry, sizeof entry);
    return there && entry[1] <= l->reader.size ? entry[1] : 0;
}

/* Counts the entries, and adds up the code of the constructors that have one. */
bool look_unwound(struct look *l)
{
    struct frames f;
    if (!frames_read(l, &f))
        return false;
    l->c->unwind.entries = f.rows;
    if (!l->init_array || !l->word_count || l->init_count > METHODS_MOST)
        return true;
    for (uint64_t i = 0; f.rows && i < l->init_count; i++) {
        const struct word *word = word_find(l, l->init_array + 8 * i);
        l->c->constructor_code += word ? function_size(l, &f, word_value(l, word)) : 0;
    }
    return true;
}
