/* Checks that a profile can have the numbers of a file; see capture.h.
 *
 * Numbers that are counted in a table are bounded by the file, which contains the table. Numbers that headers, symbols
 * and packed tables merely state are not bounded. One broken file must not spoil the profile of all others.
 */
#include <inttypes.h>
#include <stddef.h>

#include "elf/read/capture_parts.h"

struct limit {
    const char *what;
    size_t offset; /* of a uint64_t of struct capture */
    uint64_t most;
};

#define NUMBER(member, most, what)                                                                                     \
    {                                                                                                                  \
        what, offsetof(struct capture, member), most                                                                   \
    }
#define SYMBOLS(member, table)                                                                                         \
    NUMBER(member.functions, CAPTURE_COUNT_MOST, "functions in " table),                                               \
        NUMBER(member.objects, CAPTURE_COUNT_MOST, "objects in " table),                                               \
        NUMBER(member.other, CAPTURE_COUNT_MOST, "other symbols in " table),                                           \
        NUMBER(member.undefined, CAPTURE_COUNT_MOST, "undefined symbols in " table)

/* Totals come before their parts, so that the message names the total. */
static const struct limit limits[] = {
    NUMBER(sizes.text, CAPTURE_LOADED_MOST, "bytes of text"),
    NUMBER(sizes.data, CAPTURE_LOADED_MOST, "bytes of data"),
    NUMBER(sizes.bss, CAPTURE_LOADED_MOST, "bytes of bss"),
    NUMBER(sizes.debug, CAPTURE_SIZE_MOST, "bytes of debug information"),
    NUMBER(sizes.symtab, CAPTURE_SIZE_MOST, "bytes of symbols"),
    NUMBER(sizes.strtab, CAPTURE_SIZE_MOST, "bytes of symbols' names"),
    NUMBER(tls, CAPTURE_LOADED_MOST, "bytes of thread-local storage"),
    NUMBER(constructor_code, CAPTURE_LOADED_MOST, "bytes of constructors"),
    NUMBER(data_rel_ro, CAPTURE_LOADED_MOST, "bytes that are protected after relocation"),
    NUMBER(init_code, CAPTURE_LOADED_MOST, "bytes in its init function"),
    NUMBER(zstd[PART_NAMES], CAPTURE_SIZE_MOST, "bytes of names and symbols, compressed"),
    NUMBER(functions.count, CAPTURE_FUNCTIONS_MOST, "functions"),
    SYMBOLS(dynamic, ".dynsym"),
    SYMBOLS(local, ".symtab that are local"),
    SYMBOLS(global, ".symtab that are global"),
    NUMBER(ifunc, CAPTURE_COUNT_MOST, "indirect functions"),
    NUMBER(mangled, CAPTURE_COUNT_MOST, "mangled names"),
    NUMBER(demangled, CAPTURE_SIZE_MOST, "characters of demangled names"),
    NUMBER(plt, CAPTURE_COUNT_MOST, "entries of the PLT"),
    NUMBER(runpaths, CAPTURE_COUNT_MOST, "directories to search"),
    NUMBER(versions, CAPTURE_COUNT_MOST, "versions"),
    NUMBER(versions_defined, CAPTURE_COUNT_MOST, "versions defined"),
    NUMBER(constructors, CAPTURE_COUNT_MOST, "constructors"),
    NUMBER(destructors, CAPTURE_COUNT_MOST, "destructors"),
    NUMBER(unwind.exceptions, CAPTURE_LOADED_MOST, "bytes of exception tables"),
    NUMBER(unwind.tabled, CAPTURE_COUNT_MOST, "functions with exception tables"),
    NUMBER(unwind.entries, CAPTURE_COUNT_MOST, "entries of unwind tables"),
    NUMBER(unwind.rsp, CAPTURE_COUNT_MOST, "entries of unwind tables by %rsp"),
    NUMBER(unwind.rbp, CAPTURE_COUNT_MOST, "entries of unwind tables by %rbp"),
    NUMBER(called, CAPTURE_COUNT_MOST, "functions that are called"),
    NUMBER(unwind.small, CAPTURE_COUNT_MOST, "entries of unwind tables of small functions"),
    NUMBER(loads, CAPTURE_COUNT_MOST, "segments"),
};

static bool within(struct look *l, uint64_t number, uint64_t most, const char *what)
{
    if (number <= most)
        return true;
    LOOK_WRONG(l, "has inconsistent headers: %" PRIu64 " %s, where there can be %" PRIu64, number, what, most);
    return reader_disagree(number, most, l->e);
}

bool look_check(struct look *l)
{
    const struct capture *c = l->c;
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof limits / sizeof limits[0]; i++)
        ok = within(l, *(const uint64_t *)(const void *)((const char *)c + limits[i].offset), limits[i].most,
                    limits[i].what);
    for (int r = 0; ok && r < CAPTURE_RELOCATIONS; r++)
        ok = within(l, c->relocation[r], CAPTURE_COUNT_MOST, "relocations of one kind");
    if (ok && c->sizes.symtab && !c->sizes.strtab)
        ok = LOOK_WRONG(l, "has inconsistent headers: symbols in .symtab, and no section .strtab with their names");
    return ok;
}
