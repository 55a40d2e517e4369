/* Counting; see shape.h. */
#include "emit/library/shape.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/executable.h"
#include "base/page.h"
#include "base/relr.h"
#include "elf/write/hash.h"
#include "elf/write/plt.h"
#include "elf/write/separate.h"
#include "elf/write/unwind.h"
#include "emit/library/dynamic.h"
#include "emit/library/files.h"
#include "emit/plan/methods.h"
#include "emit/plan/names_row.h"
#include "emit/plan/outside.h"
#include "emit/plan/versions.h"

const struct fixed_local_kind fixed_local_kinds[FIXED_LOCAL_COUNT] = {
#define FIXED_ROW(id, name, prefixed, module, type, section, parameters)                                               \
    [LOCAL_##id] = {name, sizeof name - 1, prefixed, module, type, SECTION_##section, parameters},
    FIXED_LOCALS(FIXED_ROW)
#undef FIXED_ROW
};

const char *const shape_clones[] = {"_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable"};

const struct section_end shape_ends[] = {
#define END_ROW(name, section, end) {name, SECTION_##section, end},
    SECTION_ENDS(END_ROW)
#undef END_ROW
};

static uint64_t string(const char *s)
{
    return strlen(s) + 1;
}

/* Strings in .rodata behind the constants: those that calls pass, and a
 * module's names and documentation. */
static uint64_t rodata_strings(const struct plan *plan, const struct plan_library *l, const struct shape *s)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < CONSTANTS && l->level < LEVEL_BARE; i++)
        bytes += string(plan->constants.text[i]);
    if (s->python && plan_is_plain(l))
        bytes += string(l->name) + string(s->entry);
    else if (s->python)
        bytes += string(l->name) + string(s->entry) + string("visited") + string("functions") + string(MODULE_DOC) +
                 string(ENTRY_DOC) + string(VISITED_DOC);
    bytes += methods_bytes(l);
    for (uint32_t i = 0; s->holds && i < plan_executable(plan); i++)
        bytes += string(plan->library[i].name);
    return bytes;
}

/* Bytes of the names that an executable's DT_NEEDED entries refer to, but for utilities and libc. */
static uint64_t executable_strings(const struct plan *plan, const struct shape *s)
{
    const uint64_t any = sizeof EXECUTABLE_RUNTIME + string(plan->executables.libpython);
    if (s->holds)
        return any;
    return any + plan->modules * sizeof "libmodule.so" + names_digits_sum(0, plan->modules) +
           sizeof "libmodulebegin.so" + sizeof "libmodulefinal.so";
}

bool shape_calls_python(const struct plan_library *l, enum python_function which)
{
    if (which == PYTHON_ADD_FUNCTIONS)
        return l->glue.adds_methods;
    return !plan_is_plain(l) || which == PYTHON_MODULE_CREATE || which == PYTHON_FROM_UNSIGNED;
}

uint32_t shape_python_slot(const struct plan_library *l, enum python_function which)
{
    uint32_t slot = 0;
    for (unsigned i = 0; i < which; i++)
        slot += shape_calls_python(l, i);
    return slot;
}

const char *shape_python_name(const struct plan_library *l, enum python_function which)
{
    static const char *const names[] = {
#define PYTHON_NAME(id, name) name,
        PYTHON_FUNCTIONS(PYTHON_NAME)
#undef PYTHON_NAME
    };
    return which == PYTHON_MODULE_CREATE && l->glue.init == INIT_PHASES ? "PyModuleDef_Init" : names[which];
}

static bool has_local(const struct plan_library *l, const struct shape *s, enum fixed_local id)
{
    switch (id) {
    case LOCAL_NAMES:
        return s->pointers;
    case LOCAL_CONSTANTS:
    case LOCAL_SCRATCH:
    case LOCAL_HELPER0:
    case LOCAL_HELPER1:
    case LOCAL_HELPER2:
    case LOCAL_HELPER3:
        return l->level < LEVEL_BARE;
    case LOCAL_VISITS:
        return s->marks && !s->marks_exported;
    case LOCAL_VISITED:
        return s->python && !plan_is_plain(l);
    default:
        return !fixed_local_kinds[id].module_only || s->python;
    }
}

bool shape_has_local(const struct plan_library *l, const struct shape *s, enum fixed_local id)
{
    return has_local(l, s, id);
}

/* What the name of a fixed local symbol begins with, before mangling. */
static const char *local_prefix(const struct plan_library *l, const struct fixed_local_kind *k)
{
    return !k->prefixed ? "" : k->type == STT_FILE ? plan_stem(l) : plan_prefix(l);
}

/* As shape_local_length, for a name that begins with `prefix` characters of the library's. */
static uint32_t local_length(const struct plan_library *l, const struct fixed_local_kind *k, uint32_t prefix)
{
    const uint32_t plain = prefix + k->length;
    if (!l->names.mangled_glue || !k->parameters)
        return plain;
    return (uint32_t)(sizeof "_ZL" - 1 + strlen(k->parameters)) + names_digits(plain) + plain;
}

uint32_t shape_local_length(const struct plan_library *l, enum fixed_local id)
{
    const struct fixed_local_kind *k = &fixed_local_kinds[id];
    return local_length(l, k, (uint32_t)strlen(local_prefix(l, k)));
}

uint32_t shape_mangled_locals(const struct plan_library *l, const struct shape *s)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < FIXED_LOCAL_COUNT; i++)
        count += l->names.mangled_glue && fixed_local_kinds[i].parameters && shape_has_local(l, s, i);
    return count;
}

uint8_t *shape_write_local(const struct plan_library *l, enum fixed_local id, uint8_t *at)
{
    const struct fixed_local_kind *k = &fixed_local_kinds[id];
    const char *const prefix = local_prefix(l, k);
    char name[SHAPE_LOCAL_MOST];
    int length;
    if (!l->names.mangled_glue || !k->parameters)
        length = snprintf(name, sizeof name, "%s%s", prefix, k->name);
    else
        length = snprintf(name, sizeof name, "_ZL%zu%s%s%s", strlen(prefix) + strlen(k->name), prefix, k->name,
                          k->parameters);
    assert(length >= 0 && (uint32_t)length == shape_local_length(l, id));
    return put_bytes(at, name, (size_t)length + 1);
}

/* Bytes of the names of exported functions, or of all if none is local, and of the marks' name. */
static uint64_t marked_names(const struct plan_library *l, const struct shape *s)
{
    return (s->local ? l->names.exported : l->names.functions) +
           (s->marks_exported ? strlen(l->name) + sizeof "_visits" : 0);
}

static void count_dynamic_names(const struct plan *plan, const struct plan_library *l, struct shape *s)
{
    uint64_t stem = strlen(l->name);
    char previous[NAME_PREFIX_MOST] = "";
    s->names = l->names.imports + (s->inner ? 0 : marked_names(l, s)) + l->names.others + l->extra.undefined.names;
    s->names += sizeof "__cxa_finalize" + sizeof "__gmon_start__";
    if (s->python)
        s->names += (l->glue.inner_entry ? 0 : string(s->entry)) + sizeof "PyInit_" + stem;
    if (s->python || s->holds) {
        for (unsigned i = 0; i < PYTHON_FUNCTION_COUNT; i++)
            s->names += shape_calls_python(l, i) ? string(shape_python_name(l, i)) : 0;
    }
    for (uint32_t i = 0; i < l->extra.undefined.clones; i++)
        s->names += string(shape_clones[i]);
    for (uint32_t i = 0; i < l->extra.dynamic.ends; i++)
        s->names += string(shape_ends[i].name);
    s->names += versions_bytes(l, 0, l->extra.versioning.symbols);
    if (s->has_extern)
        s->names += stem + sizeof "_extern";
    if (s->extern_called >= 0) {
        snprintf(previous, sizeof previous, "libmodule%lld", (long long)s->extern_called);
        s->names += strlen(previous) + sizeof "_extern";
    }
    if (s->executable)
        s->names += sizeof "_start" + sizeof EXECUTABLE_SYMBOL + sizeof "main" + sizeof "__libc_start_main";
    s->dynstr = 1 + s->names + (l->runpath ? sizeof "$ORIGIN" : 0);
    s->dynstr += l->without_libc ? 0 : sizeof "libc.so.6" + sizeof OUTSIDE_VERSION;
    s->dynstr += shape_relr_versions(l, s) * sizeof RELR_VERSION;
    s->dynstr += outside_versions_bytes(l->extra.versioning.needed);
    s->dynstr += versions_bytes(l, l->extra.versioning.symbols, l->extra.versioning.defined) + l->needs.version_names;
    for (uint32_t i = 0; i < l->extra.undefined.needed; i++)
        s->dynstr += string(outside_library(i));
    s->dynstr += s->executable ? executable_strings(plan, s) : 0;
    s->dynstr += s->soname ? stem + sizeof ".so" : 0;
    if (s->needs_before)
        s->dynstr += strlen(previous) + sizeof ".so";
    s->dynstr += l->needs.utilities * (sizeof "libutility.so") + l->needs.digits;
    s->dynstr += s->modules * (sizeof "libmodule.so") + names_digits_sum(0, s->modules);
}

/* Counts the symbols of .symtab and the bytes of their names. */
static void count_symbols(const struct plan_library *l, struct shape *s)
{
    const uint64_t stem = strlen(l->name);
    const uint32_t file_prefix = (uint32_t)strlen(plan_stem(l));
    const uint32_t prefix = (uint32_t)strlen(plan_prefix(l));
    s->strtab = 1 + s->names + (l->glue.inner_entry ? string(s->entry) : 0) + (s->inner ? marked_names(l, s) : 0) +
                (s->local ? l->names.functions - l->names.exported : 0);
    s->strtab += l->without_libc ? 0 : sizeof "__cxa_finalize@GLIBC_2.2.5";
    s->strtab += l->names.versioned;
    if (s->executable)
        s->strtab += sizeof "__libc_start_main@GLIBC_2.2.5";
    s->fixed_locals = 1;
    for (unsigned i = 0; i < FIXED_LOCAL_COUNT; i++) {
        const struct fixed_local_kind *const k = &fixed_local_kinds[i];
        if (!has_local(l, s, i))
            continue;
        s->fixed_locals++;
        s->strtab += local_length(l, k, !k->prefixed ? 0 : k->type == STT_FILE ? file_prefix : prefix) + UINT64_C(1);
    }
    s->strtab += names_row_file_bytes(l);
    const uint32_t named = names_row_objects_named(l);
    s->strtab += l->said ? names_row_objects(named) : names_digits_sum(0, named) + named * (stem + sizeof "_var");
    s->symbols = (uint64_t)s->fixed_locals + plan_local_others(l) + plan_small_local(l) + l->locals + s->local +
                 l->glue.inner_entry + s->undefined + s->defined + s->inner;
}

static uint32_t more_than(int64_t wanted, uint64_t there)
{
    return wanted > 0 && (uint64_t)wanted > there ? (uint32_t)((uint64_t)wanted - there) : 0;
}

/* How many words in .data.rel.ro point to names; nothing reads them. With a row there are as many as its relative
 * relocations leave when all else has its own (`others`, and constructors, destructors and methods), and as
 * .data.rel.ro has room for; NAME_POINTERS at most. */
static uint32_t name_pointers(const struct plan *plan, const struct plan_library *l, const struct shape *s,
                              uint32_t others)
{
    const int64_t wanted = l->said ? profile_row_relative(plan->profile, l->said) : PROFILE_DERIVED;
    if (wanted == PROFILE_DERIVED)
        return NAME_POINTERS;
    uint64_t all = UINT64_C(0) + others + more_than(profile_row_says(plan->profile, l->said, ROW_CONSTRUCTORS), 1) +
                   more_than(profile_row_says(plan->profile, l->said, ROW_DESTRUCTORS), 1);
    if (s->python)
        all += UINT64_C(2) * more_than(profile_row_says(plan->profile, l->said, ROW_METHODS), shape_driver_methods(l));
    uint64_t left = (uint64_t)wanted > all ? (uint64_t)wanted - all : 0;
    const int64_t room = profile_row_says(plan->profile, l->said, ROW_DATA_REL_RO);
    const int64_t words = profile_row_says(plan->profile, l->said, ROW_RELOCATIONS_RELRO);
    if (room != PROFILE_DERIVED && (uint64_t)room / 8 < left)
        left = (uint64_t)room / 8;
    if (words != PROFILE_DERIVED && (uint64_t)words < left)
        left = (uint64_t)words;
    return left < NAME_POINTERS ? (uint32_t)left : NAME_POINTERS;
}

/* How many relative relocations are packed. Those that the row has unpacked are the ones of the last words of .data. */
static uint32_t packed_of(const struct plan_library *l, const struct shape *s)
{
    const int64_t plain = l->said && l->said->value[ROW_RELR] > 0 ? l->said->value[ROW_RELATIVE] : 0;
    if (!l->elf.relr)
        return 0;
    if (plain <= 0)
        return s->relative;
    return s->relative - (plain < (int64_t)l->extra.pointing.pointers ? (uint32_t)plain : l->extra.pointing.pointers);
}

/* Upper bound of the words of .data from the first that is relocated to the last. */
static uint64_t words_apart(const struct plan_library *l)
{
    const int64_t data = l->said ? l->said->value[ROW_DATA] : PROFILE_DERIVED;
    const int64_t pages = l->said ? l->said->value[ROW_RELOCATIONS_PAGES] : PROFILE_DERIVED;
    const uint64_t words = data == PROFILE_DERIVED ? UINT64_MAX / 2 : (uint64_t)data / 8;
    const uint64_t least = UINT64_C(0) + l->extra.pointing.pointers + l->extra.pointing.addresses;
    const bool few = pages != PROFILE_DERIVED && (uint64_t)pages < words / (PAGE / 8);
    const uint64_t within = few ? (uint64_t)pages * (PAGE / 8) : words;
    return within < least ? least : within;
}

/* Upper bound of the bytes of .relr.dyn for packed words among the objects of .data.rel.ro and of .data, which are
 * neither in arrays nor in tables. */
static uint64_t relr_words(const struct plan *plan, const struct plan_library *l, const struct shape *s)
{
    enum { A_PAGE = 4 }; /* words for each touched page, at most, that stay in .data */
    const uint64_t packed = l->extra.pointing.pointers;
    const uint64_t all = packed + l->extra.pointing.addresses;
    const int64_t bytes = l->said ? profile_row_says(plan->profile, l->said, ROW_DATA_REL_RO) : PROFILE_DERIVED;
    const int64_t data = l->said ? l->said->value[ROW_DATA] : PROFILE_DERIVED;
    const int64_t pages = l->said ? l->said->value[ROW_RELOCATIONS_PAGES] : PROFILE_DERIVED;
    if (bytes <= 0)
        return relr_most(packed, words_apart(l));
    const uint64_t room = (uint64_t)bytes / 8 > s->pointers ? (uint64_t)bytes / 8 - s->pointers : 0;
    const int64_t said = l->said->value[ROW_RELOCATIONS_RELRO];
    const uint64_t most = said < 0 || room < (uint64_t)said ? room : (uint64_t)said;
    const uint64_t here = most < all ? most : all;
    uint64_t others = all - here + (pages > 0 ? A_PAGE * (uint64_t)pages : 0);
    others = others < packed ? others : packed;
    const uint64_t apart = data > bytes ? (uint64_t)(data - bytes) / 8 : words_apart(l);
    return (here ? relr_most(packed, room) : 0) + (others ? relr_most(others, apart) : 0);
}

uint64_t shape_relr(const struct plan *plan, const struct plan_library *l, const struct shape *s, bool part)
{
    const uint64_t arrays = part ? 0 : UINT64_C(2) + l->extra.start.constructors + l->extra.start.destructors;
    const uint64_t before = arrays + s->pointers; /* the arrays and .data.rel.ro, without a gap */
    const uint64_t methods =
        s->python ? UINT64_C(1) + shape_definition(l) / 8 + METHOD_DEF_BYTES / 8 * shape_methods(l) : 0;
    uint64_t bytes = before ? relr_most(before, before - 1) : 0;
    bytes += part && !s->python ? 0 : relr_most(s->relative, methods); /* from __dso_handle on */
    bytes += relr_words(plan, l, s);
    if (s->holds) {
        const uint64_t objects = sizeof(struct executable_object) * (uint64_t)plan_executable(plan);
        bytes += relr_most(s->relative, (sizeof(struct executable) + objects) / 8);
    }
    return bytes;
}

/* Sets what kind of library it is; all counts depend on that. */
static struct shape begin_shape(const struct plan *plan, const struct plan_library *l)
{
    struct shape s = {.executable = plan_is_executable(l), .holds = l->kind == LIBRARY_STATIC};
    s.soname = !s.executable && l->elf.soname;
    s.python = l->kind != LIBRARY_UTILITY && !plan_is_direct(l);
    s.has_extern = plan_has_extern(plan, l);
    s.calls_own_extern = plan_calls_own_extern(plan, l);
    s.extern_called = plan_extern_called(plan, l);
    s.needs_before = s.extern_called >= 0 && !plan->profile->calls.need_all;
    return s;
}

static void name_entry(const struct plan_library *l, struct shape *s)
{
    if (l->kind == LIBRARY_BEGIN)
        strcpy(s->entry, "begin_break_here");
    else if (l->kind == LIBRARY_FINAL)
        strcpy(s->entry, "break_here");
    else if (s->python)
        snprintf(s->entry, sizeof s->entry, "%s_entry", l->name);
}

/* Counts the functions that are called, and the slots of the PLT. */
static void count_slots(const struct plan *plan, const struct plan_library *l, struct shape *s)
{
    /* A module's entry calls the first function of each covered chain; nobody
     * calls the first of the others, and a utility's first functions are called
     * from outside only. */
    s->called = l->functions - (s->python ? l->calls.chains - l->calls.covered : l->calls.chains);
    s->direct = plan_is_direct(l) ? s->called : 0;
    if (l->said) /* coverage is 1 */
        s->direct = s->called - (l->calls.lazy - (s->python ? 0 : (l->calls.lazy + plan->depth - 1) / plan->depth));
    s->plt = s->called - s->direct + l->imports - plan_uncalled(l);
    s->plt += UINT32_C(0) + (s->extern_called >= 0) + s->calls_own_extern;
    s->plt += s->python ? shape_python_functions(l) - l->glue.result_by_got + !l->glue.direct_entry : 0;
    s->plt += s->holds ? shape_python_functions(l) : 0;
    s->resolvers = resolvers_of(l);
    s->plt += l->extra.plt.slots + l->extra.plt.small + resolvers_slots(&s->resolvers, l);
    s->direct += l->glue.direct_entry;
}

/* Counts dynamic symbols, and functions and marks that are none. */
static void count_dynamic_symbols(const struct plan_library *l, struct shape *s)
{
    s->undefined = 2 + l->imports + (s->extern_called >= 0);
    s->undefined += s->python ? shape_python_functions(l) : 0;
    s->undefined += s->holds ? shape_python_functions(l) : 0;
    s->undefined += s->executable ? 2 : 0; /* main, __libc_start_main */
    s->undefined += l->extra.undefined.clones + l->extra.undefined.outside + l->unbound;
    s->marks = l->level >= LEVEL_UNMARKED ? 0 : l->functions + s->python + s->has_extern;
    s->marks_exported = s->marks && !l->glue.inner_marks;
    s->local = plan_is_direct(l) ? 0 : l->functions - plan_exported(l);
    const uint32_t marked = l->functions - s->local + s->marks_exported;
    s->inner = plan_is_direct(l) ? marked : 0;
    s->defined = marked - s->inner + s->has_extern;
    s->defined += s->python || s->executable ? 2u - l->glue.inner_entry : 0;
    s->defined += l->extra.dynamic.objects + l->small.exported + l->extra.dynamic.aliases + l->extra.dynamic.ends +
                  l->extra.versioning.symbols;
}

/* Counts functions with entries in the unwind tables. */
static void count_framed(const struct plan_library *l, struct shape *s)
{
    s->helpers = l->level == LEVEL_BARE ? 0 : SHAPE_HELPERS;
    s->glue = s->helpers + s->has_extern + (s->python ? 2 + shape_driver_methods(l) : 0) + s->executable;
    s->frameless = plan_small_framed(l) + (l->extra.start.constructing != 0);
    s->frameless +=
        UINT32_C(0) + (l->extra.plt.direct != 0) + shape_has_second(l, s) + (s->python && shape_executes(l));
    s->framed = l->functions + s->glue + s->frameless;
    s->frameless += s->python && l->glue.init != INIT_FRAMED;
    s->tabled = l->extra.unwound.tabled < l->functions ? l->extra.unwound.tabled : l->functions;
    s->tabled_frameless = l->extra.unwound.tabled - s->tabled;
}

static void count_relative(const struct plan *plan, const struct plan_library *l, struct shape *s)
{
    s->relative = !s->python ? SHAPE_RELATIVE : plan_is_plain(l) ? SHAPE_RELATIVE_MODULE : SHAPE_RELATIVE_TOLD;
    if (s->python && l->glue.adds_methods)
        s->relative = shape_executes(l) ? s->relative + 1 : s->relative - 1;
    s->pointers = l->level == LEVEL_BARE ? 0 : name_pointers(plan, l, s, s->relative);
    s->relative += s->pointers;
    s->relative += l->extra.start.constructors + l->extra.start.destructors;
    s->relative += 2 * l->extra.table.methods + l->extra.table.documented + l->extra.pointing.pointers;
    if (s->holds) /* the table; name and marks of each library; init and entry of each that Python imports */
        s->relative += 1 + 2 * plan_executable(plan) + 2 * (plan->modules + 2);
    s->packed = packed_of(l, s);
}

/* Entries of .dynamic. */
static void count_dynamic(const struct plan *plan, const struct plan_library *l, struct shape *s)
{
    s->modules = l->kind == LIBRARY_BEGIN && plan->profile->calls.need_all ? plan->modules : 0;
    s->needed = s->needs_before + l->needs.utilities + s->modules + l->extra.undefined.needed;
    s->needed += s->executable ? EXECUTABLE_NEEDS : 0;
    s->needed += s->executable && !s->holds ? plan->modules + 2 : 0;
    s->spare_tags = SHAPE_SPARE_TAGS;
    s->dynamic = dynamic_count(l, s);
}

/* Sets the fixed parts of .rodata, .data and .bss. */
static void count_contents(const struct plan *plan, const struct plan_library *l, struct shape *s)
{
    const bool bare = l->level == LEVEL_BARE;
    s->rodata = (bare ? 0 : CONSTANT_BYTES) + rodata_strings(plan, l, s);
    s->in_data = l->level >= LEVEL_TIGHT;
    s->scratch = !s->in_data || bare ? 0 : SCRATCH_LEAST;
    s->data =
        8 + (s->python ? shape_definition(l) + METHOD_DEF_BYTES * shape_methods(l) : 0) + s->scratch + shape_words(l);
    /* `completed` takes 8 bytes, with what aligns the next object */
    s->bss = s->in_data ? 1 : 8 + SCRATCH_BYTES + s->marks;
}

/* Drops spare tags where the row has no room for them. Linkers other than ld leave none. */
static void spare_less(const struct plan_library *l, struct shape *s)
{
    const int64_t wanted = l->said ? l->said->value[ROW_DATA] : PROFILE_DERIVED;
    for (unsigned i = 0; wanted != PROFILE_DERIVED && i < SHAPE_SPARE_TAGS; i++) {
        if (s->data_tables + s->data <= (uint64_t)wanted)
            return;
        s->dynamic--;
        s->data_tables -= sizeof(Elf64_Dyn);
        s->spare_tags--;
    }
}

struct shape shape_of_symbols(const struct plan *plan, const struct plan_library *l)
{
    struct shape s = begin_shape(plan, l);
    count_slots(plan, l, &s);
    count_dynamic_symbols(l, &s);
    return s;
}

struct shape shape_of_names(const struct plan *plan, const struct plan_library *l)
{
    struct shape s = shape_of_symbols(plan, l);
    name_entry(l, &s);
    count_relative(plan, l, &s);
    count_dynamic(plan, l, &s);
    count_dynamic_names(plan, l, &s);
    return s;
}

struct shape shape_of(const struct plan *plan, const struct plan_library *l)
{
    struct shape s = shape_of_names(plan, l);
    count_framed(l, &s);
    count_symbols(l, &s);
    count_contents(plan, l, &s);

    struct layout layout = {0};
    shape_sections(plan, l, &s, &layout);
    for (enum section_id id = SECTION_NONE + 1; id < SECTION_UNLOADED; id++) {
        if (layout_kind(id)->flags & SHF_WRITE)
            s.data_tables += layout.section[id].size;
        else
            s.text_tables += layout.section[id].size;
    }
    spare_less(l, &s);
    return s;
}

/* Whether the library names a file of debug information that is not there: one that others share, by .gnu_debugaltlink,
 * or its own, by .gnu_debuglink. A library with debug information names none: readers of that would want the former,
 * and do not look for the latter. */
static bool names_absent(const struct plan_library *l, enum row_value file)
{
    return l->said && l->said->value[file] > 0 && l->debug.none && l->debug.separate == SEPARATE_NONE &&
           !plan_is_direct(l);
}

void shape_plt_sizes(const struct plan_library *l, const struct shape *s, uint64_t size[SHAPE_PLT_TABLES])
{
    size[0] = plt_size(s->plt);
    size[1] = plt_direct_size(l->elf.cf_protection) * (uint64_t)l->extra.plt.direct;
    size[2] = shape_has_second(l, s) ? plt_second_size(s->plt) : 0;
}

void shape_sections(const struct plan *plan, const struct plan_library *l, const struct shape *s, struct layout *layout)
{
    const struct profile_elf *elf = &l->elf;
    struct section *section = layout->section;
    uint32_t symbols = 1 + s->undefined + s->defined;
    layout->page = (uint64_t)elf->max_page_size;
    layout->noseparate_code = !elf->separate_code;
    layout->relro = elf->relro == RELRO_FULL      ? LAYOUT_RELRO_FULL
                    : elf->relro == RELRO_PARTIAL ? LAYOUT_RELRO_PARTIAL
                                                  : LAYOUT_RELRO_NONE;
    if (s->executable)
        section[SECTION_INTERP].size = sizeof SHAPE_INTERPRETER;
    layout->cf_protection = elf->cf_protection;
    layout->extended =
        l->extra.dynamic.unique_objects || (l->extra.indirect.symbols && s->resolvers.dynamic + s->resolvers.local);
    if (elf->cf_protection)
        section[SECTION_NOTE_PROPERTY].size = PROPERTY_BYTES;
    if (elf->build_id)
        section[SECTION_NOTE_BUILD_ID].size = BUILD_ID_BYTES;
    if (elf->hash != HASH_SYSV) {
        struct gnu_hash h = hash_gnu_plan(s->defined, l->extra.dynamic.buckets);
        section[SECTION_GNU_HASH].size = hash_gnu_size(&h);
    }
    if (elf->hash != HASH_GNU)
        section[SECTION_HASH].size = hash_sysv_size(symbols);
    section[SECTION_DYNSYM].size = sizeof(Elf64_Sym) * (uint64_t)symbols;
    section[SECTION_DYNSYM].info = 1;
    section[SECTION_DYNSTR].size = s->dynstr;
    section[SECTION_VERSYM].size = shape_has_versions(l) ? sizeof(Elf64_Half) * (uint64_t)symbols : 0;
    section[SECTION_VERDEF].size = versions_defined_size(l);
    section[SECTION_VERDEF].info = l->extra.versioning.defined ? 1 + l->extra.versioning.defined : 0;
    section[SECTION_VERNEED].size =
        sizeof(Elf64_Verneed) * (uint64_t)shape_versioned(l) + sizeof(Elf64_Vernaux) * (uint64_t)shape_versions(l, s);
    section[SECTION_VERNEED].info = shape_versioned(l);
    section[SECTION_RELA_DYN].size =
        sizeof(Elf64_Rela) *
        (s->relative - s->packed + UINT64_C(2) + (s->executable ? 2 : 0) + l->extra.undefined.clones +
         l->extra.plt.got + l->extra.thread.modules + l->extra.pointing.addresses);
    section[SECTION_RELA_PLT].size = plt_rela_size(s->plt);
    section[SECTION_RELR_DYN].size = s->packed ? shape_relr(plan, l, s, false) : 0;
    section[SECTION_INIT].size = plan_landing(l) + INIT_BYTES;
    uint64_t plt[SHAPE_PLT_TABLES];
    shape_plt_sizes(l, s, plt);
    section[SECTION_PLT].size = plt[0];
    section[SECTION_PLT_GOT].size = plt[1];
    section[SECTION_PLT_SECOND].size = plt[2];
    section[SECTION_FINI].size = plan_landing(l) + FINI_BYTES;
    const uint64_t entries = shape_unwind(plan, l, s) + UNWIND_UNIT * (uint64_t)l->extra.unwound.spare;
    section[SECTION_EH_FRAME].size =
        unwind_frame_size(entries, s->plt != 0) + (l->extra.unwound.ended ? UNWIND_END : 0);
    section[SECTION_EH_FRAME_HDR].size = unwind_header_size(s->framed, s->plt != 0);
    section[SECTION_GCC_EXCEPT_TABLE].size = l->extra.unwound.exceptions;
    section[SECTION_INIT_ARRAY].size = UINT64_C(8) * (1 + l->extra.start.constructors);
    section[SECTION_FINI_ARRAY].size = UINT64_C(8) * (1 + l->extra.start.destructors);
    section[SECTION_DATA_REL_RO].size = UINT64_C(8) * s->pointers + (s->executable ? sizeof(struct executable) : 0);
    if (s->holds)
        section[SECTION_DATA_REL_RO].size += sizeof(struct executable_object) * (uint64_t)plan_executable(plan);
    section[SECTION_DYNAMIC].size = sizeof(Elf64_Dyn) * (uint64_t)s->dynamic;
    section[SECTION_GOT].size =
        UINT64_C(8) * (2 + (s->executable ? 2u : 0) + /* __cxa_finalize, __gmon_start__; main, ... */
                       l->extra.undefined.clones + l->extra.plt.got);
    section[SECTION_GOT].size += UINT64_C(16) * l->extra.thread.modules;
    section[SECTION_GOT_PLT].size = plt_got_size(s->plt);
    if (layout->relro == LAYOUT_RELRO_FULL) {
        layout->got_plt = section[SECTION_GOT_PLT].size;
        section[SECTION_GOT].size += layout->got_plt;
        section[SECTION_GOT_PLT].size = 0;
    }
    section[SECTION_COMMENT].size = sizeof COMMENT_TEXT;
    if (names_absent(l, ROW_DEBUG_LINK)) {
        char name[FILE_NAME_MOST];
        files_absent_name(plan, l, name);
        section[SECTION_GNU_DEBUGLINK].size = separate_link_size(name);
    }
    if (names_absent(l, ROW_ALTERNATE))
        section[SECTION_GNU_DEBUGALTLINK].size = sizeof SHAPE_ALTERNATE + SHAPE_ALTERNATE_ID;
    if (!l->stripped)
        section[SECTION_SYMTAB].size = sizeof(Elf64_Sym) * s->symbols;
    section[SECTION_SYMTAB].info =
        s->fixed_locals + plan_local_others(l) + plan_small_local(l) + l->locals + s->local + l->glue.inner_entry;
}
