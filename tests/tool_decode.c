/* Decodes the code of shared libraries from end to end with Zydis.
 *
 *     decode_text LIBRARY...
 *
 * Prints for each library how many instructions it has, and a line on stderr for everything that a compiler would not
 * have written:
 *
 * - a byte of .init, .plt, .plt.got, .plt.sec, .text or .fini that is no part of an instruction;
 * - a direct call or jump, or a function symbol, whose address is not the start of an instruction;
 * - a jump out of its function, unless it goes to the PLT, or between a function and its cold part (NAME.cold);
 * - a function that runs on past its end;
 * - code between functions that is not padding; functions are those of symbols and of unwind tables;
 * - an operand relative to %rip whose address is in no loaded section.
 *
 * Exit status: 0; 1 if there was such a line; 2 if a file cannot be read.
 */
#include <Zydis/Zydis.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLT = 1, PLT_SECOND = 2, TEXT = 3, REGIONS = 6, SECTIONS_MOST = 64, COMPLAINTS_MOST = 20 };

/* Marks of one byte of a section with code. */
enum { STARTS = 1, IN_FUNCTION = 2, ENDS = 4 /* of a function: its last byte, past which nothing runs */ };

struct region {
    uint64_t address, size;
    const uint8_t *code;
    uint8_t *marks;
};

struct range {
    uint64_t address, end;
    const char *name; /* of a function with a symbol */
};

struct object {
    const char *path;
    struct region region[REGIONS];
    struct range section[SECTIONS_MOST]; /* only those that are loaded */
    size_t sections;
    struct range *function; /* sorted by address */
    size_t functions;
    unsigned complaints;
};

static void complain(struct object *o, uint64_t address, const char *what, uint64_t about)
{
    if (o->complaints++ < COMPLAINTS_MOST)
        fprintf(stderr, "decode_text: %s: %#" PRIx64 ": %s %#" PRIx64 "\n", o->path, address, what, about);
}

static bool is_in(const struct region *r, uint64_t address)
{
    return address - r->address < r->size;
}

/* The marks of the byte at `address`; NULL if there is no code. */
static uint8_t *marks_at(struct object *o, uint64_t address)
{
    for (unsigned i = 0; i < REGIONS; i++)
        if (is_in(&o->region[i], address))
            return &o->region[i].marks[address - o->region[i].address];
    return NULL;
}

static bool starts(struct object *o, uint64_t address)
{
    const uint8_t *marks = marks_at(o, address);
    return marks && (*marks & STARTS);
}

static const struct range *function_at(const struct object *o, uint64_t address)
{
    size_t low = 0;
    size_t high = o->functions;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (o->function[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < o->functions && o->function[low].address <= address ? &o->function[low] : NULL;
}

/* The first of the functions at this one's address, which has several names. */
static const struct range *first_of(const struct object *o, const struct range *f)
{
    while (f > o->function && f[-1].address == f->address)
        f--;
    return f;
}

/* Whether `part` has the name of `whole` with .cold behind it. */
static bool is_cold_name(const char *whole, const char *part)
{
    const size_t length = whole ? strlen(whole) : 0;
    return length && part && strncmp(part, whole, length) == 0 && strcmp(part + length, ".cold") == 0;
}

static bool is_cold_part(const struct object *o, const struct range *whole, const struct range *part)
{
    const struct range *const end = o->function + o->functions;
    for (const struct range *w = first_of(o, whole); w < end && w->address == whole->address; w++)
        for (const struct range *p = first_of(o, part); p < end && p->address == part->address; p++)
            if (is_cold_name(w->name, p->name))
                return true;
    return false;
}

static bool is_loaded(const struct object *o, uint64_t address)
{
    for (size_t i = 0; i < o->sections; i++)
        if (address >= o->section[i].address && address < o->section[i].end)
            return true;
    return false;
}

/* --- instructions ------------------------------------------------------------- */

static bool is_padding(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operand)
{
    if (i->mnemonic == ZYDIS_MNEMONIC_NOP)
        return true;
    return i->mnemonic == ZYDIS_MNEMONIC_XCHG && operand[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operand[1].type == ZYDIS_OPERAND_TYPE_REGISTER && operand[0].reg.value == operand[1].reg.value;
}

/* Whether execution never goes on to the instruction behind this one. */
static bool leaves(const ZydisDecodedInstruction *i)
{
    return i->meta.category == ZYDIS_CATEGORY_RET || i->meta.category == ZYDIS_CATEGORY_UNCOND_BR;
}

static void check_operands(struct object *o, uint64_t address, const ZydisDecodedInstruction *i,
                           const ZydisDecodedOperand *operand)
{
    for (unsigned n = 0; n < i->operand_count_visible; n++) {
        uint64_t target;
        if (operand[n].type != ZYDIS_OPERAND_TYPE_MEMORY && operand[n].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
            continue;
        if (operand[n].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && !operand[n].imm.is_relative)
            continue;
        if (operand[n].type == ZYDIS_OPERAND_TYPE_MEMORY && operand[n].mem.base != ZYDIS_REGISTER_RIP)
            continue;
        if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(i, &operand[n], address, &target))) {
            complain(o, address, "has an operand without an address,", n);
        } else if (operand[n].type == ZYDIS_OPERAND_TYPE_MEMORY) {
            if (!is_loaded(o, target))
                complain(o, address, "refers to no section:", target);
        } else if (!starts(o, target)) {
            complain(o, address, "leads to no instruction:", target);
        } else if (i->meta.category != ZYDIS_CATEGORY_CALL) {
            const struct range *function = function_at(o, address);
            const struct range *other = function_at(o, target);
            const bool tail = is_in(&o->region[PLT], target) || is_in(&o->region[PLT_SECOND], target);
            const bool cold =
                function && other && (is_cold_part(o, function, other) || is_cold_part(o, other, function));
            if (function && !tail && !cold && (target < function->address || target >= function->end))
                complain(o, address, "jumps out of its function, to", target);
        }
    }
}

static bool decode(const ZydisDecoder *decoder, const struct region *r, uint64_t offset, ZydisDecodedInstruction *i,
                   ZydisDecodedOperand *operand)
{
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, r->code + offset, r->size - offset, i, operand));
}

static uint64_t mark_starts(struct object *o, const ZydisDecoder *decoder, struct region *r)
{
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
    uint64_t count = 0;
    for (uint64_t at = 0; at < r->size; at += i.length, count++) {
        if (!decode(decoder, r, at, &i, operand)) {
            complain(o, r->address + at, "is no instruction, in the section at", r->address);
            return count;
        }
        r->marks[at] |= STARTS;
    }
    return count;
}

static void check_region(struct object *o, const ZydisDecoder *decoder, struct region *r)
{
    ZydisDecodedInstruction i;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
    bool is_text = r == &o->region[TEXT];
    for (uint64_t at = 0; at < r->size && decode(decoder, r, at, &i, operand); at += i.length) {
        uint64_t address = r->address + at;
        check_operands(o, address, &i, operand);
        if (!is_text)
            continue;
        if (!(r->marks[at] & IN_FUNCTION) && !is_padding(&i, operand))
            complain(o, address, "does something between functions, up to", address + i.length);
        if ((r->marks[at + i.length - 1] & ENDS) && !leaves(&i))
            complain(o, address, "runs on past the function's end at", address + i.length);
    }
}

/* --- functions ------------------------------------------------------------------ */

static int by_address(const void *a, const void *b)
{
    const struct range *x = a;
    const struct range *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static bool read_functions(struct object *o, Elf *elf, Elf64_Word type)
{
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr shdr;
        if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != type)
            continue;
        Elf_Data *data = elf_getdata(scn, NULL);
        if (!data)
            return false;
        size_t count = shdr.sh_size / shdr.sh_entsize;
        o->function = calloc(count + 1, sizeof *o->function);
        if (!o->function)
            return false;
        for (size_t n = 0; n < count; n++) {
            GElf_Sym symbol;
            if (!gelf_getsym(data, (int)n, &symbol))
                return false;
            if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
                o->function[o->functions++] = (struct range){symbol.st_value, symbol.st_value + symbol.st_size,
                                                             elf_strptr(elf, shdr.sh_link, symbol.st_name)};
        }
        qsort(o->function, o->functions, sizeof *o->function, by_address);
        return true;
    }
    return false;
}

static Elf_Data *read_section(Elf *elf, const char *name, uint64_t *address)
{
    size_t strings;
    if (elf_getshdrstrndx(elf, &strings) != 0)
        return NULL;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr shdr;
        const char *is = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, strings, shdr.sh_name) : NULL;
        *address = shdr.sh_addr;
        if (is && strcmp(is, name) == 0)
            return elf_rawdata(scn, NULL);
    }
    return NULL;
}

static int32_t word_at(const Elf_Data *data, uint64_t offset)
{
    int32_t word = 0;
    if (offset <= data->d_size && data->d_size - offset >= sizeof word)
        memcpy(&word, (const char *)data->d_buf + offset, sizeof word);
    return word;
}

/* Adds the functions that have no symbol but an entry in the unwind tables. A row of .eh_frame_hdr says where the
 * function begins and where its entry in .eh_frame is; the entry says how long the function is (LSB core 5.0, 10.6). */
static bool add_unwound(struct object *o, Elf *elf)
{
    enum { HEADER = 12, ROW = 8, LENGTH = 12 };
    const struct region *text = &o->region[TEXT];
    const size_t named = o->functions;
    uint64_t at;
    uint64_t start;
    const Elf_Data *index = read_section(elf, ".eh_frame_hdr", &at);
    const Elf_Data *frames = read_section(elf, ".eh_frame", &start);
    const size_t rows = index && frames && index->d_size > HEADER ? (index->d_size - HEADER) / ROW : 0;
    struct range *grown = realloc(o->function, (named + rows + 1) * sizeof *grown);
    if (!grown)
        return false;
    o->function = grown;
    for (size_t i = 0; i < rows; i++) {
        const struct range f = {at + (uint64_t)(int64_t)word_at(index, HEADER + ROW * i), 0, NULL};
        const uint64_t entry = at + (uint64_t)(int64_t)word_at(index, HEADER + ROW * i + 4) - start;
        if (f.address - text->address < text->size && !bsearch(&f, o->function, named, sizeof f, by_address))
            o->function[o->functions++] =
                (struct range){f.address, f.address + (uint32_t)word_at(frames, entry + LENGTH), NULL};
    }
    qsort(o->function, o->functions, sizeof *o->function, by_address);
    return true;
}

/* Marks a function whose symbol has no size, as those of crtbegin.o. Anything may stand between its start and the next
 * function, so all of that counts as the function. */
static void mark_sizeless(struct object *o, size_t n)
{
    const uint64_t end = n + 1 < o->functions ? o->function[n + 1].address : o->function[n].address;
    for (uint64_t at = o->function[n].address; at < end; at++) {
        uint8_t *marks = marks_at(o, at);
        if (marks)
            *marks |= IN_FUNCTION;
    }
}

static void mark_functions(struct object *o)
{
    for (size_t n = 0; n < o->functions; n++) {
        const struct range *f = &o->function[n];
        if (n && f->address == o->function[n - 1].address && f->end == o->function[n - 1].end)
            continue; /* another name of the same function */
        if (f->end == f->address) {
            mark_sizeless(o, n);
            continue;
        }
        if (!starts(o, f->address))
            complain(o, f->address, "is a function that begins with no instruction, up to", f->end);
        if (n && o->function[n - 1].end > f->address)
            complain(o, f->address, "is a function inside another, which ends at", o->function[n - 1].end);
        for (uint64_t at = f->address; at < f->end; at++) {
            uint8_t *marks = marks_at(o, at);
            if (!marks) {
                complain(o, f->address, "is a function that leaves the code, up to", f->end);
                break;
            }
            *marks |= IN_FUNCTION;
        }
        uint8_t *last = marks_at(o, f->end - 1);
        if (last)
            *last |= ENDS;
    }
}

/* In a stripped library static functions have no names, so code between known functions may belong to one. All of .text
 * counts as in a function. */
static void mark_nameless(struct region *text)
{
    for (uint64_t at = 0; at < text->size; at++)
        text->marks[at] |= IN_FUNCTION;
}

/* --- files ------------------------------------------------------------------------ */

static bool read_sections(struct object *o, Elf *elf)
{
    static const char *const names[REGIONS] = {
        ".init", [PLT] = ".plt", [PLT_SECOND] = ".plt.sec", [TEXT] = ".text", ".fini", ".plt.got"};
    size_t strings;
    if (elf_getshdrstrndx(elf, &strings) != 0)
        return false;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr shdr;
        const char *name = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, strings, shdr.sh_name) : NULL;
        if (!name)
            return false;
        if (shdr.sh_flags & SHF_ALLOC && o->sections < SECTIONS_MOST)
            o->section[o->sections++] = (struct range){shdr.sh_addr, shdr.sh_addr + shdr.sh_size, NULL};
        for (unsigned i = 0; i < REGIONS; i++) {
            struct region *r = &o->region[i];
            if (strcmp(name, names[i]) != 0)
                continue;
            Elf_Data *data = elf_rawdata(scn, NULL);
            *r = (struct region){shdr.sh_addr, shdr.sh_size, data ? data->d_buf : NULL, calloc(shdr.sh_size + 1, 1)};
            if (!r->code || !r->marks)
                return false;
        }
    }
    return o->region[TEXT].code; /* without calls there is no .plt */
}

static bool check(struct object *o, Elf *elf, uint64_t *instructions)
{
    ZydisDecoder decoder;
    bool stripped = false;
    if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
        return false;
    if (!read_sections(o, elf))
        return false;
    if (!read_functions(o, elf, SHT_SYMTAB)) {
        stripped = true;
        if (!read_functions(o, elf, SHT_DYNSYM))
            return false;
    }
    if (!add_unwound(o, elf))
        return false;
    for (unsigned i = 0; i < REGIONS; i++)
        *instructions += mark_starts(o, &decoder, &o->region[i]);
    mark_functions(o);
    if (stripped)
        mark_nameless(&o->region[TEXT]);
    for (unsigned i = 0; i < REGIONS; i++)
        check_region(o, &decoder, &o->region[i]);
    return true;
}

/* Checks one library. Returns the program's exit status for it. */
static int decode_file(const char *path)
{
    struct object o = {.path = path};
    uint64_t instructions = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    bool read = elf && elf_kind(elf) == ELF_K_ELF && check(&o, elf, &instructions);
    if (read)
        printf("%s: %" PRIu64 " instructions, %zu functions\n", path, instructions, o.functions);
    else
        fprintf(stderr, "decode_text: %s: is not a shared library with code, or memory ran out\n", path);
    for (unsigned i = 0; i < REGIONS; i++)
        free(o.region[i].marks);
    free(o.function);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return !read ? 2 : o.complaints ? 1 : 0;
}

int main(int argc, char **argv)
{
    int status = 0;
    elf_version(EV_CURRENT);
    for (int i = 1; i < argc; i++) {
        int one = decode_file(argv[i]);
        status = one > status ? one : status;
    }
    return status;
}
