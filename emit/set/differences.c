/* Counts what a library has of each value that rows may say; see differences.h. */
#include "emit/set/differences.h"

#include <assert.h>

#include "dwarf/unit/count.h"
#include "dwarf/unit/unit_sizes.h"
#include "emit/library/files.h"
#include "emit/library/indexed.h"
#include "emit/library/relocated.h"
#include "emit/library/small.h"
#include "emit/library/symbols.h"
#include "emit/plan/names_row.h"
#include "emit/plan/outside.h"
#include "emit/profile/keys.h"

static uint64_t sizes_of(const struct library *l, const enum section_id *ids, unsigned count)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += l->layout.section[ids[i]].size;
    return sum;
}
#define SIZES(l, ...)                                                                                                  \
    (int64_t) sizes_of(l, (const enum section_id[]){__VA_ARGS__},                                                      \
                       sizeof((const enum section_id[]){__VA_ARGS__}) / sizeof(enum section_id))

/* How many of the fixed local symbols in .symtab are of this type. */
static int64_t fixed_locals(const struct library *l, uint8_t type)
{
    int64_t count = 0;
    for (unsigned i = 0; i < FIXED_LOCAL_COUNT; i++)
        count += fixed_local_kinds[i].type == type && shape_has_local(l->row, &l->shape, i);
    return count;
}

/* How many aliases are of functions with code. Readers recognise an alias by the code that it shares. */
static int64_t aliases_with_code(const struct plan_library *row)
{
    const uint32_t exported = plan_exported(row);
    int64_t count = 0;
    for (uint32_t i = 0; i < row->extra.dynamic.aliases; i++) {
        const uint32_t of = plan_alias_function(row, i);
        count += of < exported || row->small.size[of - exported] > 0;
    }
    return count;
}

/* How many undefined symbols have a version. */
static int64_t versioned_symbols(const struct library *l)
{
    const struct plan_library *row = l->row;
    int64_t count = row->needs.versioned_imports + !row->without_libc; /* __cxa_finalize */
    for (uint32_t i = 0; i < row->extra.undefined.outside; i++)
        count += shape_outside_version(row, i) > 0;
    return count;
}

static void measure_symbols(const struct library *l, int64_t *v)
{
    const struct shape *s = &l->shape;
    const int64_t objects =
        s->marks_exported + (int64_t)l->row->extra.dynamic.objects + l->row->extra.versioning.symbols;
    v[ROW_DYNAMIC_OTHER] = l->row->extra.dynamic.ends;
    v[ROW_DYNAMIC_FUNCTIONS] = (int64_t)s->defined - objects - v[ROW_DYNAMIC_OTHER];
    v[ROW_DYNAMIC_OBJECTS] = objects;
    v[ROW_DYNAMIC_UNDEFINED] = s->undefined;
    v[ROW_DYNAMIC_WEAK_FUNCTIONS] = l->row->extra.dynamic.weak;
    v[ROW_DYNAMIC_WEAK_OBJECTS] = l->row->extra.dynamic.weak_objects;
    v[ROW_DYNAMIC_WEAK] = 2 + (int64_t)l->row->extra.undefined.clones + l->row->extra.undefined.weak +
                          l->row->extra.weak_imports + v[ROW_DYNAMIC_WEAK_FUNCTIONS] + v[ROW_DYNAMIC_WEAK_OBJECTS];
    v[ROW_DYNAMIC_UNIQUE] = l->row->extra.dynamic.unique_objects;
    v[ROW_DYNAMIC_VERSIONED] = versioned_symbols(l);
    v[ROW_DYNAMIC_IFUNC] = l->row->extra.indirect.symbols ? l->shape.resolvers.dynamic_symbols : 0;
    v[ROW_DYNAMIC_ALIASES] = aliases_with_code(l->row);
    v[ROW_DYNAMIC_DYNSTR] = (int64_t)s->dynstr;
    v[ROW_FUNCTIONS] = v[ROW_DYNAMIC_FUNCTIONS];
    if (l->row->stripped)
        return;
    v[ROW_GLOBAL_FUNCTIONS] = v[ROW_DYNAMIC_FUNCTIONS];
    v[ROW_GLOBAL_OBJECTS] = objects;
    v[ROW_GLOBAL_OTHER] = v[ROW_DYNAMIC_OTHER];
    v[ROW_GLOBAL_UNDEFINED] = s->undefined;
    v[ROW_GLOBAL_WEAK] = v[ROW_DYNAMIC_WEAK];
    const uint32_t aliases = plan_local_aliases(l->row);
    v[ROW_LOCAL_FUNCTIONS] =
        s->local + plan_small_local(l->row) + l->row->glue.inner_entry + aliases + fixed_locals(l, STT_FUNC);
    v[ROW_LOCAL_OBJECTS] = l->row->locals - aliases + fixed_locals(l, STT_OBJECT);
    v[ROW_LOCAL_ALIASES] = aliases;
    v[ROW_LOCAL_OTHER] = plan_local_others(l->row) + fixed_locals(l, STT_FILE) + fixed_locals(l, STT_NOTYPE);
    v[ROW_LOCAL_SECTIONS] = symtab_sections(l);
    v[ROW_LOCAL_UNNAMED] = l->row->unnamed + l->row->sections - v[ROW_LOCAL_SECTIONS];
    v[ROW_FUNCTIONS] += v[ROW_LOCAL_FUNCTIONS];
}

static void measure_relocations(const struct library *l, int64_t *v)
{
    static const enum row_value none[] = {ROW_COPY, ROW_RELOCATIONS_OTHER};
    for (unsigned i = 0; i < sizeof none / sizeof none[0]; i++)
        v[none[i]] = 0;
    v[ROW_RELATIVE] = l->shape.relative - l->shape.packed;
    v[ROW_RELR] = l->shape.packed;
    v[ROW_PLT] = l->shape.plt;
    v[ROW_IRELATIVE] = resolvers_slots(&l->shape.resolvers, l->row);
    v[ROW_JUMP_SLOT] = v[ROW_PLT] - v[ROW_IRELATIVE];
    v[ROW_GLOB_DAT] = 2 + (int64_t)l->row->extra.undefined.clones + l->row->extra.plt.got;
    v[ROW_RELOCATIONS_TLS] = l->row->extra.thread.modules;
    v[ROW_ADDRESS_64] = l->row->extra.pointing.addresses;
    v[ROW_RELOCATIONS_SYMBOLS] = relocated_symbols(l);
    v[ROW_RELOCATIONS_PAGES] = (int64_t)relocated_pages(l);
    v[ROW_RELOCATIONS_RELRO] = l->shape.pointers + (int64_t)l->relro_words;
}

/* How many names are mangled, in .symtab or, where there is none, in .dynsym. */
static int64_t mangled_names(const struct library *l)
{
    const struct plan_library *row = l->row;
    const uint32_t dynamic = row->exported + names_row_others(row);
    int64_t count = row->names.mangled < dynamic ? row->names.mangled : dynamic;
    if (names_are_mangled(&l->plan->names, row) && !row->stripped)
        count += row->functions - row->exported;
    count += names_row_objects_mangled(row) + shape_mangled_locals(row, &l->shape);
    for (uint32_t i = 0; i < row->imports; i++) {
        const struct import *import = &l->calls.import[i];
        count += names_row_is_mangled(l->plan, &l->plan->library[import->library], import->function);
    }
    return count;
}

/* How many characters debuggers show for the mangled names of the dynamic symbols that the library defines. */
static int64_t demangled_names(const struct library *l)
{
    const uint32_t defined = names_row_defined(l->row);
    int64_t shown = 0;
    for (uint32_t place = 0; place < defined; place++)
        shown += names_row_shown(l->plan, l->row, place);
    return shown;
}

/* How many entries of the unwind tables have fewer than UNWIND_SMALL bytes and no dynamic symbol. */
static int64_t small_functions(const struct library *l)
{
    int64_t count = glue_small_entries(l->row, &l->shape, &l->glue);
    for (uint32_t i = plan_exported(l->row); i < l->row->functions; i++)
        count += l->body[i].size < UNWIND_SMALL;
    for (uint32_t i = l->row->small.exported; i < plan_small_all(l->row); i++) {
        const uint32_t size = plan_small_size(l->row, i);
        count += size && size < UNWIND_SMALL;
    }
    return count;
}

/* How many functions, and parts of functions, have a frame pointer, and how many a frame alone. */
static void measure_frames(const struct library *l, int64_t *v)
{
    const struct glue_frames glue = glue_frames(l->row, &l->glue);
    v[ROW_UNWIND_RSP] = glue.by_rsp;
    v[ROW_UNWIND_RBP] = glue.by_rbp;
    for (uint32_t i = 0; i < l->row->functions; i++)
        v[l->body[i].frame.by_rsp ? ROW_UNWIND_RSP : ROW_UNWIND_RBP]++;
    for (uint32_t i = 0; i < l->row->cold.count; i++)
        v[l->body[l->row->cold.host[i]].frame.by_rsp ? ROW_UNWIND_RSP : ROW_UNWIND_RBP]++;
}

/* What the linker was asked for. */
static void measure_options(const struct library *l, int64_t *v)
{
    const struct profile_elf *elf = &l->row->elf;
    v[ROW_KIND] = l->row->kind == LIBRARY_MODULE ? ROW_KIND_MODULE : ROW_KIND_UTILITY;
    const int64_t libc = !l->row->without_libc;
    v[ROW_OUTSIDE] = libc + l->row->extra.undefined.needed;
    v[ROW_INDIRECT] = 0;
    v[ROW_USED] = l->row->calls.imported;
    v[ROW_HASH] = elf->hash;
    v[ROW_BIND] = elf->bind;
    /* a capture takes what is bound when it is loaded, and has a read-only part at all, for full */
    const bool counts_as_full = elf->relro == RELRO_PARTIAL && elf->bind == BIND_NOW;
    v[ROW_RELRO] = counts_as_full && profile_is_captured(l->plan->profile) ? RELRO_FULL : elf->relro;
    v[ROW_DATA_REL_RO] = SIZES(l, SECTION_DATA_REL_RO);
    v[ROW_BUILD_ID] = elf->build_id;
    v[ROW_SONAME] = elf->soname;
    v[ROW_CF_PROTECTION] = elf->cf_protection;
    v[ROW_RUNPATH] = l->row->runpath;
    v[ROW_VERSIONS_DEFINED] = l->layout.section[SECTION_VERDEF].info;
    v[ROW_VERSIONS] = v[ROW_VERSIONS_DEFINED] + (int64_t)shape_versions(l->row, &l->shape);
    v[ROW_TLS] = l->row->extra.thread.bytes;
    const struct resolvers *r = &l->shape.resolvers;
    v[ROW_IFUNC] = l->row->extra.indirect.symbols ? (int64_t)r->dynamic_symbols + r->local : 0;
    v[ROW_CONSTRUCTORS] = 1 + (int64_t)l->row->extra.start.constructors;
    const uint32_t constructing = l->row->extra.start.constructing;
    v[ROW_CONSTRUCTOR_CODE] = constructing ? constructing : (int64_t)small_constructors_bytes(l);
    v[ROW_CONSTRUCTOR_MEMORY] = l->row->extra.start.taking;
    v[ROW_CONSTRUCTOR_BSS] = glue_touched(l->row, l->layout.section[SECTION_BSS].size);
    v[ROW_INIT_CODE] = l->shape.python ? l->glue.place[GLUE_PYINIT].size : 0;
    v[ROW_UNWIND_ENTRIES] = (int64_t)l->shape.framed + (l->shape.plt != 0);
    v[ROW_UNWIND_SMALL] = small_functions(l);
    v[ROW_CALLED] = 0; /* all functions have an unwind entry */
    measure_frames(l, v);
    v[ROW_EXCEPTIONS_TABLE] = SIZES(l, SECTION_GCC_EXCEPT_TABLE);
    v[ROW_EXCEPTIONS_FUNCTIONS] = l->row->extra.unwound.tabled;
    v[ROW_DESTRUCTORS] = 1 + (int64_t)l->row->extra.start.destructors;
    v[ROW_PAGE] = elf->max_page_size;
    v[ROW_LOADS] = 0;
    for (uint32_t i = 0; i < l->layout.segment_count; i++)
        v[ROW_LOADS] += l->layout.segment[i].p_type == PT_LOAD;
    v[ROW_MANGLED] = mangled_names(l);
    v[ROW_DEMANGLED] = demangled_names(l);
    v[ROW_COLD] = l->row->cold.count;
    v[ROW_COLD_CODE] = (int64_t)plan_cold_bytes(l->row, l->row->functions);
    v[ROW_METHODS] = l->shape.python && !l->row->glue.adds_methods ? (int64_t)shape_methods(l->row) - 1 : 0;
    v[ROW_MACHINE] = EM_X86_64;
}

static void measure_shares(const struct library *l, int64_t *v)
{
    v[ROW_SHARE_CODE] = SIZES(l, SECTION_INIT, SECTION_TEXT, SECTION_FINI);
    v[ROW_SHARE_PLT] = SIZES(l, SECTION_PLT, SECTION_PLT_GOT, SECTION_PLT_SECOND);
    v[ROW_SHARE_CONSTANTS] = SIZES(l, SECTION_RODATA);
    v[ROW_SHARE_UNWIND] = SIZES(l, SECTION_EH_FRAME, SECTION_EH_FRAME_HDR, SECTION_GCC_EXCEPT_TABLE);
    v[ROW_SHARE_SYMBOLS] = SIZES(l, SECTION_DYNSYM, SECTION_DYNSTR, SECTION_HASH, SECTION_GNU_HASH, SECTION_VERSYM,
                                 SECTION_VERDEF, SECTION_VERNEED);
    v[ROW_SHARE_RELOCATIONS] = SIZES(l, SECTION_RELA_DYN, SECTION_RELA_PLT, SECTION_RELR_DYN);
    v[ROW_SHARE_OTHER] = SIZES(l, SECTION_NOTE_PROPERTY, SECTION_NOTE_BUILD_ID);
}

/* How unlike units are in size; 0 where there are not several. */
static int64_t uneven_of(const struct uneven_sum *sizes)
{
    return sizes->count > 1 ? (int64_t)uneven_hundredths(sizes) : 0;
}

static struct uneven_sum unit_sizes(const struct debug *d)
{
    struct uneven_sum sum = {0};
    for (uint32_t i = 0; i < d->unit_count; i++)
        uneven_add(&sum, d->unit[i].info_size);
    return sum;
}

/* 1 for units with lines alone. Otherwise all is said, for which any other number stands: the row's, or the one that
 * `pyelfstat --compare` has for a library without a level. */
static int64_t level_of(const struct plan_library *row)
{
    enum { LINES = 1, ALL = 2 };
    const int64_t said = row->said->value[ROW_DWARF_LEVEL];
    if (row->debug.lines && !row->debug.hollow)
        return LINES;
    return said == PROFILE_DERIVED || said == LINES ? ALL : said;
}

/* Bytes of code that units describe. */
static int64_t code_of(const struct debug *d)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < d->unit_count; i++)
        bytes += d->unit[i].end - d->unit[i].start + d->unit[i].part_end - d->unit[i].part_start;
    return (int64_t)bytes;
}

/* How much of that is in inlined calls, as pyelfprof counts it: the share that is of the functions. */
static int64_t inlined_of(const struct debug *d)
{
    const struct composed *const c = d->composed;
    const double share = c->code ? (double)c->inlined / (double)c->code : 0;
    return (int64_t)(share * (double)code_of(d) + 0.5);
}

/* How many attributes the entries have. PROFILE_DERIVED if the row does not say how many, and with type units or in
 * clang's form. */
static int64_t attributes_of(const struct library *l)
{
    const int64_t wanted = profile_row_says(l->plan->profile, l->row->said, ROW_DWARF_ATTRIBUTES);
    if (wanted == PROFILE_DERIVED || l->debug.corpus->dialect.type_units || l->debug.corpus->dialect.clang)
        return PROFILE_DERIVED;
    return (int64_t)debug_attributes(&l->debug);
}

/* Whether any debug section is compressed. Sections that would not become smaller are not. */
static bool is_compressed(const struct library *l)
{
    const struct layout *const layout = l->row->debug.separate != SEPARATE_NONE ? &l->separate.debug : &l->layout;
    if (l->only_sizes || files_are_split(l->row))
        return l->plan->profile->dwarf.compress != COMPRESS_NONE;
    for (unsigned i = 0; i < SECTION_COUNT; i++)
        if (layout->section[i].packed)
            return true;
    return false;
}

/* Sets to 0 what is said of code and types, for a library whose debug information has no units. */
static void measure_hollow(int64_t *v)
{
    static const enum row_value none[] = {ROW_DWARF_VERSION,   ROW_DWARF_DIES,        ROW_DWARF_DEFINED,
                                          ROW_DWARF_FUNCTIONS, ROW_DWARF_ATTRIBUTES,  ROW_DWARF_ROWS,
                                          ROW_DWARF_ENTRIES,   ROW_DWARF_ENTRY_VALUES};
    for (unsigned i = 0; i < sizeof none / sizeof none[0]; i++)
        v[none[i]] = 0;
}

/* Sets the sizes of the debug sections that are others where debug information is written again when it is complete. */
static void measure_sections(const struct layout *l, int64_t *v)
{
    static const struct {
        enum row_value value;
        enum section_id section;
    } sections[] = {
        {ROW_MIX_INFO, SECTION_DEBUG_INFO},         {ROW_MIX_ABBREV, SECTION_DEBUG_ABBREV},
        {ROW_MIX_STR, SECTION_DEBUG_STR},           {ROW_MIX_LOCLISTS, SECTION_DEBUG_LOCLISTS},
        {ROW_MIX_RNGLISTS, SECTION_DEBUG_RNGLISTS}, {ROW_MIX_ARANGES, SECTION_DEBUG_ARANGES},
        {ROW_MIX_ADDR, SECTION_DEBUG_ADDR},         {ROW_MIX_STR_OFFSETS, SECTION_DEBUG_STR_OFFSETS},
    };
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        v[sections[i].value] = (int64_t)l->section[sections[i].section].size;
}

/* Sets the values that differ in clang's form. All others were measured in the normal form. */
static void measure_indexed(const struct library *l, int64_t *v)
{
    const struct indexed_counts *const c = &l->indexed;
    measure_sections(&l->layout, v);
    v[ROW_DWARF_UNEVEN] = uneven_of(&c->sizes);
    v[ROW_DWARF_DIES] = (int64_t)c->dies;
    v[ROW_DWARF_ATTRIBUTES] = (int64_t)c->attributes;
}

/* Sets the values of a library that has been split. All others were measured before that. */
static void measure_split(const struct library *l, int64_t *v)
{
    static const struct {
        enum row_value value;
        enum split_part part;
    } parts[] = {
        {ROW_DWO_INFO, SPLIT_INFO},      {ROW_DWO_ABBREV, SPLIT_ABBREV},   {ROW_DWO_STR, SPLIT_STR},
        {ROW_DWO_LOCLISTS, SPLIT_LISTS}, {ROW_DWO_RNGLISTS, SPLIT_RANGES}, {ROW_DWO_STR_OFFSETS, SPLIT_STR_OFFSETS},
        {ROW_DWO_OTHER, SPLIT_INDEX},
    };
    const struct dwo_counts *const c = &l->dwo;
    v[ROW_DEBUG] = (int64_t)layout_count(c->library).debug;
    measure_sections(c->library, v);
    if (l->row->debug.version == 4)
        v[ROW_MIX_RNGLISTS] = (int64_t)c->library->section[SECTION_DEBUG_RANGES].size;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        v[parts[i].value] = (int64_t)c->part[parts[i].part];
    v[ROW_DWO_FILES] = c->files;
    v[ROW_DWARF_UNEVEN] = uneven_of(&c->sizes);
    if (v[ROW_DWARF_DIES] != PROFILE_DERIVED)
        v[ROW_DWARF_DIES] += c->skeletons;
    if (v[ROW_DWARF_ATTRIBUTES] != PROFILE_DERIVED)
        v[ROW_DWARF_ATTRIBUTES] += c->attributes;
}

static void measure_debug(const struct library *l, int64_t *v)
{
    v[ROW_DEBUG_FILE] = l->row->debug.separate != SEPARATE_NONE;
    v[ROW_SPLIT] = files_are_split(l->row);
    v[ROW_ALTERNATE] = l->layout.section[SECTION_GNU_DEBUGALTLINK].size != 0;
    v[ROW_DEBUG_LINK] = l->layout.section[SECTION_GNU_DEBUGLINK].size != 0;
    v[ROW_COMPRESSED] = ROW_COMPRESSED_NONE;
    if (l->row->debug.none)
        return;
    const enum compression compress = l->plan->profile->dwarf.compress;
    v[ROW_COMPRESSED] = is_compressed(l) ? (int64_t)compress - COMPRESS_ZLIB : ROW_COMPRESSED_NONE;
    v[ROW_DWARF_VERSION] = l->row->debug.version;
    v[ROW_DWARF_UNITS] = l->debug.unit_count;
    v[ROW_DWARF_LEVEL] = level_of(l->row);
    v[ROW_DWARF_TYPE_UNITS] = (int64_t)unit_type_units(&l->debug);
    const struct uneven_sum units = unit_sizes(&l->debug);
    v[ROW_DWARF_UNEVEN] = uneven_of(&units);
    v[ROW_DWARF_CODE] = code_of(&l->debug);
    v[ROW_DWARF_PARTIAL] = l->debug.partials;
    if (l->debug.dies)
        v[ROW_DWARF_DIES] = (int64_t)l->debug.dies;
    if (l->debug.composed) {
        v[ROW_DWARF_ROWS] = (int64_t)l->debug.composed->rows;
        v[ROW_DWARF_ENTRIES] = (int64_t)l->debug.composed->entries;
        v[ROW_DWARF_ENTRY_VALUES] = (int64_t)l->debug.composed->entry_values;
        v[ROW_DWARF_DEFINED] = (int64_t)l->debug.composed->defined;
        v[ROW_DWARF_FUNCTIONS] = (int64_t)l->debug.composed->functions;
        v[ROW_DWARF_INLINED] = inlined_of(&l->debug);
        v[ROW_DWARF_ATTRIBUTES] = attributes_of(l);
    }
    if (l->row->debug.hollow)
        measure_hollow(v);
    const uint64_t *size = l->debug.size;
    v[ROW_MIX_INFO] = (int64_t)(size[DEBUG_INFO] + size[DEBUG_TYPES]);
    v[ROW_MIX_ABBREV] = (int64_t)size[DEBUG_ABBREV];
    v[ROW_MIX_LINE] = (int64_t)size[DEBUG_LINE];
    v[ROW_MIX_STR] = (int64_t)size[DEBUG_STR];
    v[ROW_MIX_LINE_STR] = (int64_t)size[DEBUG_LINE_STR];
    v[ROW_MIX_LOCLISTS] = (int64_t)size[DEBUG_LISTS];
    v[ROW_MIX_RNGLISTS] = (int64_t)size[DEBUG_RANGES];
    v[ROW_MIX_ARANGES] = (int64_t)size[DEBUG_ARANGES];
    v[ROW_MIX_NAMES] = (int64_t)size[DEBUG_NAMES];
    v[ROW_MIX_ADDR] = v[ROW_MIX_STR_OFFSETS] = v[ROW_MIX_MACRO] = v[ROW_MIX_OTHER] = 0;
    if (indexed_is(l))
        measure_indexed(l, v);
    for (enum row_value dwo = ROW_DWO_FILES; dwo <= ROW_DWO_OTHER; dwo++)
        v[dwo] = 0;
    if (files_are_split_as_said(l->row)) /* with `dwarf: split` rows are about what there was before */
        measure_split(l, v);
}

static enum units_language language_of(const struct plan_library *row)
{
    if (row->debug.language == LANGUAGE_FORTRAN)
        return row->debug.version == 4 ? UNITS_FORTRAN_95 : UNITS_FORTRAN_08;
    return row->debug.language == LANGUAGE_CPP ? UNITS_CPP : UNITS_C;
}

void differences_measure(const struct library *l, struct differences *d)
{
    int64_t *v = d->value;
    for (unsigned i = 0; i < ROW_VALUES; i++)
        v[i] = PROFILE_DERIVED;
    const bool has_units = !l->row->debug.none && !l->row->debug.hollow;
    d->language = has_units ? language_of(l->row) : UNITS_NONE;
    d->sizes_apart = l->sizes_apart;
    d->names_apart = l->row->names.apart;
    const struct layout_sizes sizes = files_count(l);
    const uint64_t six[] = {sizes.text, sizes.data, sizes.debug, sizes.symtab, sizes.strtab, sizes.bss};
    static_assert(sizeof six / sizeof six[0] == SIZE_KINDS, "one of each");
    for (unsigned kind = 0; kind < SIZE_KINDS; kind++)
        v[ROW_TEXT + kind] = (int64_t)six[kind];
    measure_options(l, v);
    measure_symbols(l, v);
    measure_relocations(l, v);
    measure_shares(l, v);
    measure_debug(l, v);
}
