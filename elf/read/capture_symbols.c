/* Counts symbols; see capture.h.
 *
 * Many symbols may share a name, and names may share their ends. So a small table can have names of very many
 * characters in all. To bound the work, no more characters are looked at than the tables of any linker have.
 */
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/order.h"
#include "base/random.h"
#include "elf/read/capture_parts.h"
#include "elf/write/unwind.h"

enum { CHARACTERS_EACH = 256, CHARACTERS_TIMES = 16, NAME_MOST = 1 << 24 };

struct counting {
    const Elf_Data *strings;
    bool dynamic;
    uint64_t characters; /* characters that may still be looked at */
    uint32_t *sizes;     /* sizes of functions */
    size_t size_count;
    uint64_t *addresses; /* of functions with a size */
    size_t address_count;
    uint64_t *some; /* in .dynsym those of functions under UNWIND_SMALL bytes, in .symtab those of global functions */
    size_t some_count;
    uint32_t *lengths; /* lengths of names */
    size_t length_count;
    uint64_t mangled, mangled_functions, ifunc;
    uint64_t cold, cold_code; /* parts of functions, and their bytes */
    /* characters of names that are defined and mangled: of all, of those that were demangled, of their demangled forms
     */
    uint64_t named, looked_at, shown;
};

/* After so many characters of demangled names in a library, the other names are not demangled any more but taken to
 * grow in the same proportion. */
enum { SHOWN_ENOUGH = 1 << 26 };

#define COLD_MOST UINT64_C(0xffffffff) /* bytes; a file that says more is a lie */

/* A 64-bit hash: two different names have the same one only by chance. */
static uint64_t name_hash(const char *name, size_t length)
{
    uint64_t hash = length;
    for (; length >= 8; length -= 8, name += 8) {
        uint64_t word;
        memcpy(&word, name, 8);
        hash = (hash ^ word) * RANDOM_STEP;
        hash ^= hash >> 29;
    }
    uint64_t word = 0;
    memcpy(&word, name, length);
    return random_mix((hash ^ word) * RANDOM_STEP);
}

/* Counts a function whose name is that of a Python module's entry, PyInit_…. */
static void count_init(struct look *l, const char *name, size_t length, uint64_t size)
{
    const char *slash = strrchr(l->reader.path, '/');
    const char *file = slash ? slash + 1 : l->reader.path;
    size_t stem = strcspn(file, ".");
    if (length <= 7 || memcmp(name, "PyInit_", 7) != 0)
        return;
    l->c->kind.inits++;
    l->c->init_code = size > l->c->init_code ? size : l->c->init_code;
    l->c->kind.named_init |= length - 7 == stem && memcmp(name + 7, file, stem) == 0;
}

static void count_kind(struct capture_symbols *of, const GElf_Sym *symbol, unsigned type, bool named)
{
    const bool weak = GELF_ST_BIND(symbol->st_info) == STB_WEAK;
    of->weak += weak;
    if (symbol->st_shndx == SHN_UNDEF) {
        *(GELF_ST_BIND(symbol->st_info) == STB_LOCAL ? &of->other : &of->undefined) += 1;
    } else if (type == STT_FUNC || type == STT_GNU_IFUNC) {
        of->functions++;
        of->weak_functions += weak;
        of->ifunc += type == STT_GNU_IFUNC;
    } else if (type == STT_OBJECT || type == STT_COMMON || type == STT_TLS) {
        of->objects++;
        of->weak_objects += weak;
        of->unique += GELF_ST_BIND(symbol->st_info) == STB_GNU_UNIQUE;
    } else {
        const bool local = GELF_ST_BIND(symbol->st_info) == STB_LOCAL;
        of->other++;
        of->sections += local && type == STT_SECTION;
        of->unnamed += local && type == STT_NOTYPE && !named;
    }
}

/* Debuggers show a name that cannot be demangled as it is, so such a name counts with its own length. */
static void count_demangled(struct look *l, struct counting *s, const char *name, size_t length)
{
    s->named += length;
    if (l->shown >= SHOWN_ENOUGH)
        return;
    const uint32_t demangled = demangle_length(name);
    const uint64_t shown = demangled ? demangled : length;
    s->looked_at += length;
    s->shown += shown;
    l->shown += shown;
}

/* Whether a name is that of a part of a function that compilers placed elsewhere because it is hardly ever executed:
 * gcc's begin_mesh.cold, or with a number behind it, of gcc up to 8 and of LLVM. */
static bool is_cold(const char *name, size_t length)
{
    static const char ending[] = ".cold";
    enum { ENDING = sizeof ending - 1 };
    size_t end = length;
    while (end && name[end - 1] >= '0' && name[end - 1] <= '9')
        end--;
    end = end && end < length && name[end - 1] == '.' ? end - 1 : length;
    return end > ENDING && memcmp(name + end - ENDING, ending, ENDING) == 0;
}

static void count_symbol(struct look *l, struct counting *s, const GElf_Sym *symbol, const char *name, size_t length)
{
    struct capture *c = l->c;
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    bool local = GELF_ST_BIND(symbol->st_info) == STB_LOCAL;
    bool function = symbol->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
    count_kind(s->dynamic ? &c->dynamic : local ? &c->local : &c->global, symbol, type, length > 0);
    if (function && symbol->st_size) {
        s->addresses[s->address_count++] = symbol->st_value;
        if (s->dynamic ? symbol->st_size < UNWIND_SMALL : !local)
            s->some[s->some_count++] = symbol->st_value;
    }
    if (function)
        s->sizes[s->size_count++] = symbol->st_size < UINT32_MAX ? (uint32_t)symbol->st_size : UINT32_MAX;
    s->ifunc += function && type == STT_GNU_IFUNC;
    if (function && local && !s->dynamic && is_cold(name, length)) {
        s->cold++;
        s->cold_code += symbol->st_size < COLD_MOST - s->cold_code ? symbol->st_size : COLD_MOST - s->cold_code;
    }
    if (length > 0) {
        s->lengths[s->length_count++] = (uint32_t)length;
        bool mangled = length > 2 && name[0] == '_' && name[1] == 'Z';
        s->mangled += mangled;
        s->mangled_functions += mangled && function;
        if (s->dynamic && mangled && symbol->st_shndx != SHN_UNDEF)
            count_demangled(l, s, name, length);
    }
    if (!s->dynamic || local || length == 0)
        return;
    if (function)
        count_init(l, name, length, symbol->st_size);
    uint64_t hash = name_hash(name, length);
    if (symbol->st_shndx == SHN_UNDEF)
        c->hashes.undefined[c->hashes.undefined_count++] = hash;
    else
        c->hashes.defined[c->hashes.defined_count++] = hash;
}

static bool count_all(struct look *l, struct counting *s, Elf_Data *data, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol))
            return LOOK_WRONG(l, "cannot read symbol %zu: %s", i, elf_errmsg(-1));
        if (symbol.st_name >= s->strings->d_size)
            return LOOK_WRONG(l, "has symbol %zu named by byte %u of a table of %zu bytes", i, symbol.st_name,
                              s->strings->d_size);
        const char *name = look_string(s->strings, symbol.st_name);
        size_t length = strnlen(name, NAME_MOST);
        if (length > s->characters)
            return LOOK_WRONG(l, "has names that overlap more often than a linker makes them");
        s->characters -= length;
        count_symbol(l, s, &symbol, name, length);
    }
    return true;
}

uint64_t look_different(uint64_t *number, size_t count)
{
    uint64_t different = 0;
    if (count)
        qsort(number, count, sizeof *number, order_u64);
    for (size_t i = 0; i < count; i++)
        different += !i || number[i] != number[i - 1];
    return different;
}

/* Moves the counts to the capture. .symtab comes after .dynsym and has more, so its counts replace those of .dynsym.
 * What is counted in one of the tables alone, characters that debuggers show and aliases, is added. */
static bool keep(struct look *l, struct counting *s)
{
    struct capture *c = l->c;
    c->mangled = s->mangled;
    c->mangled_functions = s->mangled_functions;
    c->ifunc = s->ifunc;
    c->cold = s->cold;
    c->cold_code = s->cold_code;
    if (s->looked_at)
        c->demangled +=
            s->shown + (uint64_t)((double)(s->named - s->looked_at) / (double)s->looked_at * (double)s->shown);
    const uint64_t aliases = s->address_count - look_different(s->addresses, s->address_count);
    const uint64_t some = look_different(s->some, s->some_count);
    if (s->dynamic) {
        c->dynamic.aliases += aliases;
        l->small_named += some;
    } else {
        c->global.aliases += s->some_count - some;
        c->local.aliases += aliases - (s->some_count - some);
    }
    bool ok = samples_take(&c->functions, s->sizes, s->size_count) &&
              samples_take(&c->name_lengths, s->lengths, s->length_count);
    if (ok && l->wish->keep)
        ok = samples_keep(&c->functions, s->sizes) && samples_keep(&c->name_lengths, s->lengths);
    return ok || look_no_memory(l);
}

/* Gives a list room for `count` hashes and one more. If there is no memory, the list stays as it is. */
static bool hashes_resize(uint64_t **list, size_t count)
{
    uint64_t *resized = realloc(*list, (count + 1) * sizeof *resized);
    if (!resized)
        return false;
    *list = resized;
    return true;
}

/* Makes room for `count` more hashes. A file may have several tables, whose hashes all go into one list. */
static bool hashes_room(struct look *l, size_t count)
{
    struct capture *c = l->c;
    return (hashes_resize(&c->hashes.defined, c->hashes.defined_count + count) &&
            hashes_resize(&c->hashes.undefined, c->hashes.undefined_count + count)) ||
           look_no_memory(l);
}

/* Gives back the memory that the table did not need. A failure does no harm. */
static void hashes_shrink(struct capture *c)
{
    (void)hashes_resize(&c->hashes.defined, c->hashes.defined_count);
    (void)hashes_resize(&c->hashes.undefined, c->hashes.undefined_count);
}

bool look_symbols(struct look *l, Elf_Scn *section, const GElf_Shdr *shdr)
{
    Elf_Data *data = look_table(l, section, shdr);
    struct counting s = {.dynamic = shdr->sh_type == SHT_DYNSYM};
    s.strings = data ? look_strings(l, shdr) : NULL;
    if (!s.strings)
        return false;
    size_t count = data->d_size / (l->c->kind.wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
    s.characters = CHARACTERS_EACH * (uint64_t)count + CHARACTERS_TIMES * (uint64_t)s.strings->d_size;
    if (s.dynamic)
        l->c->dynstr += s.strings->d_size;
    else
        l->c->has_symtab = true;
    s.sizes = malloc((count + 1) * sizeof *s.sizes);
    s.lengths = malloc((count + 1) * sizeof *s.lengths);
    s.addresses = malloc((count + 1) * sizeof *s.addresses);
    s.some = malloc((count + 1) * sizeof *s.some);
    bool ok = ((s.sizes && s.lengths && s.addresses && s.some) || look_no_memory(l)) &&
              (!s.dynamic || hashes_room(l, count + 1)) && count_all(l, &s, data, count) && keep(l, &s);
    if (s.dynamic)
        hashes_shrink(l->c);
    free(s.sizes);
    free(s.addresses);
    free(s.some);
    free(s.lengths);
    return ok;
}
