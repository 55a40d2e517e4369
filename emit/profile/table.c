/* The table of a profile's keys; see keys.h. */
#include <assert.h>
#include <stddef.h>

#include "emit/profile/keys.h"

const struct profile_place profile_sections[PROFILE_SECTION_ALL] = {
    [SECTION_ROOT] = {SECTION_ROOT, ""},
    [SECTION_SECTIONS] = {SECTION_ROOT, "sections"},
    [SECTION_CALLS] = {SECTION_ROOT, "calls"},
    [SECTION_NAMES] = {SECTION_ROOT, "names"},
    [SECTION_ELF] = {SECTION_ROOT, "elf"},
    [SECTION_DWARF] = {SECTION_ROOT, "dwarf"},
    [SECTION_MIX] = {SECTION_DWARF, "mix"},
    [SECTION_DISTRIBUTIONS] = {SECTION_ROOT, "distributions"},
    [SECTION_CAPTURED] = {SECTION_ROOT, "captured"},
    [SECTION_SETTLED] = {SECTION_ROOT, "settled"},
    [SECTION_ROW] = {SECTION_ROW, ""},
    [SECTION_ROW_DYNAMIC] = {SECTION_ROW, "dynamic"},
    [SECTION_ROW_LOCAL] = {SECTION_ROW, "local"},
    [SECTION_ROW_GLOBAL] = {SECTION_ROW, "global"},
    [SECTION_ROW_RELOCATIONS] = {SECTION_ROW, "relocations"},
    [SECTION_ROW_EXCEPTIONS] = {SECTION_ROW, "exceptions"},
    [SECTION_ROW_SHARE] = {SECTION_ROW, "share"},
    [SECTION_ROW_DWARF] = {SECTION_ROW, "dwarf"},
    [SECTION_ROW_MIX] = {SECTION_ROW, "mix"},
    [SECTION_ROW_DWO] = {SECTION_ROW, "dwo"},
    [SECTION_ROW_ZSTD] = {SECTION_ROW, "zstd"},
};

#define AT(member)   offsetof(struct profile, member)
#define CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define DERIVED      PROFILE_DERIVED

/* clang-format off */
const struct profile_key profile_keys[KEY_ALL] = {
    /* id                        section           key                     kind         member                    least  most                    default */
    [KEY_FORMAT]               = {SECTION_ROOT,     "pyelfgen-profile",     KIND_FIXED,  0,                        0,     0,                      0, CHOICES("1")},
    [KEY_APPLICATION]          = {SECTION_ROOT,     "application",          KIND_TEXT,   AT(application),          0,     PROFILE_APPLICATION_MOST, 0, NULL},
    [KEY_SEED]                 = {SECTION_ROOT,     "seed",                 KIND_NUMBER, AT(seed),                 0,     UINT64_MAX,             42, NULL},
    [KEY_MODULES]              = {SECTION_ROOT,     "modules",              KIND_NUMBER, AT(modules),              1,     PROFILE_LIBRARIES_MOST, 1, NULL},
    [KEY_UTILITIES]            = {SECTION_ROOT,     "utilities",            KIND_NUMBER, AT(utilities),            0,     PROFILE_LIBRARIES_MOST, 0, NULL},
    [KEY_FUNCTIONS]            = {SECTION_ROOT,     "functions",            KIND_NUMBER, AT(functions),            1,     PROFILE_FUNCTIONS_MOST, DERIVED, NULL},
    [KEY_UTILITY_FUNCTIONS]    = {SECTION_ROOT,     "utility-functions",    KIND_NUMBER, AT(utility_functions),    1,     PROFILE_FUNCTIONS_MOST, DERIVED, NULL},

    [KEY_TEXT]                 = {SECTION_SECTIONS, "text",                 KIND_SIZE,   AT(sections[SIZE_TEXT]),   1,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_DATA]                 = {SECTION_SECTIONS, "data",                 KIND_SIZE,   AT(sections[SIZE_DATA]),   1,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_DEBUG]                = {SECTION_SECTIONS, "debug",                KIND_SIZE,   AT(sections[SIZE_DEBUG]),  0,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_SYMTAB]               = {SECTION_SECTIONS, "symtab",               KIND_SIZE,   AT(sections[SIZE_SYMTAB]), 0,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_STRTAB]               = {SECTION_SECTIONS, "strtab",               KIND_SIZE,   AT(sections[SIZE_STRTAB]), 0,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_BSS]                  = {SECTION_SECTIONS, "bss",                  KIND_SIZE,   AT(sections[SIZE_BSS]),    0,    PROFILE_SIZE_MOST,      DERIVED, NULL},

    [KEY_DEPTH]                = {SECTION_CALLS,    "depth",                KIND_NUMBER, AT(calls.depth),          1,     PROFILE_DEPTH_MOST,     10, NULL},
    [KEY_UTILITY]              = {SECTION_CALLS,    "utility",              KIND_NUMBER, AT(calls.utility),        0,     1000,                   1, NULL},
    [KEY_UTILITIES_PER_MODULE] = {SECTION_CALLS,    "utilities-per-module", KIND_NUMBER, AT(calls.utilities_per_module), 1, PROFILE_LIBRARIES_MOST, DERIVED, NULL},
    [KEY_CROSS_MODULE]         = {SECTION_CALLS,    "cross-module",         KIND_FLAG,   AT(calls.cross_module),   0,     0,                      true, NULL},
    [KEY_CROSS_MODULE_CHAIN]   = {SECTION_CALLS,    "cross-module-chain",   KIND_NUMBER, AT(calls.cross_module_chain), 0, PROFILE_LIBRARIES_MOST, 10, NULL},
    [KEY_COVERAGE]             = {SECTION_CALLS,    "coverage",             KIND_SHARE,  AT(calls.coverage),       0,     1,                      1, NULL},
    [KEY_REPEAT]               = {SECTION_CALLS,    "repeat",               KIND_NUMBER, AT(calls.repeat),         1,     PROFILE_REPEAT_MOST,    1, NULL},
    [KEY_RANDOM]               = {SECTION_CALLS,    "random",               KIND_FLAG,   AT(calls.random),         0,     0,                      false, NULL},
    [KEY_NEED_ALL]             = {SECTION_CALLS,    "need-all",             KIND_FLAG,   AT(calls.need_all),       0,     0,                      false, NULL},

    [KEY_STYLE]                = {SECTION_NAMES,    "style",                KIND_CHOICE, AT(names.style),          0,     STYLE_ITANIUM,          STYLE_PYNAMIC,
                                  CHOICES([STYLE_PYNAMIC] = "pynamic", [STYLE_ITANIUM] = "itanium")},
    [KEY_LENGTH]               = {SECTION_NAMES,    "length",               KIND_NUMBER, AT(names.length),         1,     PROFILE_NAME_MOST,      DERIVED, NULL},
    [KEY_PAD]                  = {SECTION_NAMES,    "pad",                  KIND_NUMBER, AT(names.pad),            0,     PROFILE_NAME_MOST,      DERIVED, NULL},

    [KEY_HASH]                 = {SECTION_ELF,      "hash",                 KIND_CHOICE, AT(elf.hash),             0,     HASH_BOTH,              HASH_GNU,
                                  CHOICES([HASH_GNU] = "gnu", [HASH_SYSV] = "sysv", [HASH_BOTH] = "both")},
    [KEY_BIND]                 = {SECTION_ELF,      "bind",                 KIND_CHOICE, AT(elf.bind),             0,     BIND_NOW,               BIND_LAZY,
                                  CHOICES([BIND_LAZY] = "lazy", [BIND_NOW] = "now")},
    [KEY_RELRO]                = {SECTION_ELF,      "relro",                KIND_CHOICE, AT(elf.relro),            0,     RELRO_FULL,             RELRO_PARTIAL,
                                  CHOICES([RELRO_NONE] = "none", [RELRO_PARTIAL] = "partial", [RELRO_FULL] = "full")},
    [KEY_BUILD_ID]             = {SECTION_ELF,      "build-id",             KIND_FLAG,   AT(elf.build_id),         0,     0,                      true, NULL},
    [KEY_SONAME]               = {SECTION_ELF,      "soname",               KIND_FLAG,   AT(elf.soname),           0,     0,                      true, NULL},
    [KEY_RELR]                 = {SECTION_ELF,      "relr",                 KIND_FLAG,   AT(elf.relr),             0,     0,                      false, NULL},
    [KEY_CF_PROTECTION]        = {SECTION_ELF,      "cf-protection",        KIND_FLAG,   AT(elf.cf_protection),    0,     0,                      false, NULL},
    [KEY_EXCEPTIONS]           = {SECTION_ELF,      "exceptions",           KIND_FLAG,   AT(elf.exceptions),       0,     0,                      false, NULL},
    [KEY_SEPARATE_CODE]        = {SECTION_ELF,      "separate-code",        KIND_FLAG,   AT(elf.separate_code),    0,     0,                      true, NULL},
    [KEY_MAX_PAGE_SIZE]        = {SECTION_ELF,      "max-page-size",        KIND_NUMBER, AT(elf.max_page_size),    4096,  2 << 20,                4096, NULL},

    [KEY_VERSION]              = {SECTION_DWARF,    "version",              KIND_NUMBER, AT(dwarf.version),        4,     5,                      5, NULL},
    [KEY_LANGUAGE]             = {SECTION_DWARF,    "language",             KIND_CHOICE, AT(dwarf.language),       0,     LANGUAGE_FORTRAN,       LANGUAGE_C,
                                  CHOICES([LANGUAGE_C] = "c", [LANGUAGE_CPP] = "c++", [LANGUAGE_FORTRAN] = "fortran")},
    [KEY_UNITS]                = {SECTION_DWARF,    "units",                KIND_NUMBER, AT(dwarf.units),          1,     1000000,                DERIVED, NULL},
    [KEY_COMPRESS]             = {SECTION_DWARF,    "compress",             KIND_CHOICE, AT(dwarf.compress),       0,     COMPRESS_ZSTD,          COMPRESS_NONE,
                                  CHOICES([COMPRESS_NONE] = "none", [COMPRESS_ZLIB] = "zlib", [COMPRESS_ZSTD] = "zstd")},
    [KEY_SEPARATE]             = {SECTION_DWARF,    "separate",             KIND_CHOICE, AT(dwarf.separate),       0,     SEPARATE_BUILD_ID,      SEPARATE_NONE,
                                  CHOICES([SEPARATE_NONE] = "none", [SEPARATE_DEBUGLINK] = "debuglink", [SEPARATE_BUILD_ID] = "build-id")},
    [KEY_INDEX]                = {SECTION_DWARF,    "index",                KIND_CHOICE, AT(dwarf.index),          0,     NAME_INDEX_DEBUG_NAMES, NAME_INDEX_NONE,
                                  CHOICES([NAME_INDEX_NONE] = "none", [NAME_INDEX_GDB] = "gdb_index", [NAME_INDEX_DEBUG_NAMES] = "debug_names")},
    [KEY_TYPE_UNITS]           = {SECTION_DWARF,    "type-units",           KIND_FLAG,   AT(dwarf.type_units),     0,     0,                      false, NULL},
    [KEY_COMPILER]             = {SECTION_DWARF,    "compiler",             KIND_CHOICE, AT(dwarf.compiler),       0,     COMPILER_CLANG,         COMPILER_GCC,
                                  CHOICES([COMPILER_GCC] = "gcc", [COMPILER_CLANG] = "clang")},
    [KEY_VIEWS]                = {SECTION_DWARF,    "views",                KIND_FLAG,   AT(dwarf.views),          0,     0,                      false, NULL},
    [KEY_ENTRY_VALUES]         = {SECTION_DWARF,    "entry-values",         KIND_FLAG,   AT(dwarf.entry_values),   0,     0,                      false, NULL},
    [KEY_SPLIT]                = {SECTION_DWARF,    "split",                KIND_FLAG,   AT(dwarf.split),          0,     0,                      false, NULL},

    [KEY_MIX_INFO]             = {SECTION_MIX,      "info",                 KIND_SIZE,   AT(dwarf.mix[MIX_INFO]),   1,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_MIX_ABBREV]           = {SECTION_MIX,      "abbrev",               KIND_SIZE,   AT(dwarf.mix[MIX_ABBREV]), 1,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_MIX_LINE]             = {SECTION_MIX,      "line",                 KIND_SIZE,   AT(dwarf.mix[MIX_LINE]),   1,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_MIX_STR]              = {SECTION_MIX,      "str",                  KIND_SIZE,   AT(dwarf.mix[MIX_STR]),    1,    PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_MIX_LINE_STR]         = {SECTION_MIX,      "line_str",             KIND_SIZE,   AT(dwarf.mix[MIX_LINE_STR]), 1,   PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_MIX_LOCLISTS]         = {SECTION_MIX,      "loclists",             KIND_SIZE,   AT(dwarf.mix[MIX_LOCLISTS]), 0,   PROFILE_SIZE_MOST,      DERIVED, NULL},
    [KEY_MIX_RNGLISTS]         = {SECTION_MIX,      "rnglists",             KIND_SIZE,   AT(dwarf.mix[MIX_RNGLISTS]), 0,   PROFILE_SIZE_MOST,      DERIVED, NULL},

    [KEY_FUNCTION_SIZES]       = {SECTION_DISTRIBUTIONS, "function-sizes",  KIND_TEXT,   AT(distributions[0]),     0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_NAME_LENGTHS]         = {SECTION_DISTRIBUTIONS, "name-lengths",    KIND_TEXT,   AT(distributions[1]),     0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_DEGREE]               = {SECTION_DISTRIBUTIONS, "degree",          KIND_TEXT,   AT(distributions[2]),     0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_TAGS]                 = {SECTION_DISTRIBUTIONS, "tags",            KIND_TEXT,   AT(distributions[3]),     0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_FORMS]                = {SECTION_DISTRIBUTIONS, "forms",           KIND_TEXT,   AT(distributions[4]),     0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_ATTRIBUTES]           = {SECTION_DISTRIBUTIONS, "attributes",      KIND_TEXT,   AT(distributions[5]),     0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_TAGS_C]               = {SECTION_DISTRIBUTIONS, "tags-c",          KIND_TEXT,   AT(distributions[6]),     0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_FORMS_C]              = {SECTION_DISTRIBUTIONS, "forms-c",         KIND_TEXT,   AT(distributions[7]),     0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_ATTRIBUTES_C]         = {SECTION_DISTRIBUTIONS, "attributes-c",    KIND_TEXT,   AT(distributions[8]),     0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_TAGS_CPP]             = {SECTION_DISTRIBUTIONS, "tags-c++",        KIND_TEXT,   AT(distributions[9]),     0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_FORMS_CPP]            = {SECTION_DISTRIBUTIONS, "forms-c++",       KIND_TEXT,   AT(distributions[10]),    0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_ATTRIBUTES_CPP]       = {SECTION_DISTRIBUTIONS, "attributes-c++",  KIND_TEXT,   AT(distributions[11]),    0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_TAGS_FORTRAN]         = {SECTION_DISTRIBUTIONS, "tags-fortran",    KIND_TEXT,   AT(distributions[12]),    0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_FORMS_FORTRAN]        = {SECTION_DISTRIBUTIONS, "forms-fortran",   KIND_TEXT,   AT(distributions[13]),    0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_ATTRIBUTES_FORTRAN]   = {SECTION_DISTRIBUTIONS, "attributes-fortran", KIND_TEXT,   AT(distributions[14]),    0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_FROM]                 = {SECTION_CAPTURED, "from",                 KIND_TEXT,   AT(captured.from),        0,     PROFILE_APPLICATION_MOST, 0,
                                  CHOICES("files", "exec", "python", "run", "pid", "core")},
    [KEY_CAPTURED_LIBRARIES]   = {SECTION_CAPTURED, "libraries",            KIND_NUMBER, AT(captured.libraries),   0,     PROFILE_ROW_MOST,       DERIVED, NULL},
    [KEY_UNREADABLE]           = {SECTION_CAPTURED, "unreadable",           KIND_NUMBER, AT(captured.unreadable),  0,     PROFILE_ROW_MOST,       DERIVED, NULL},

    [KEY_SETTLED_OF]           = {SECTION_SETTLED,  "of",                   KIND_TEXT,   AT(settled.of),           0,     PROFILE_APPLICATION_MOST, 0, NULL},
    [KEY_SETTLED_MANNERS]      = {SECTION_SETTLED,  "manners",              KIND_TEXT,   AT(settled.manners),      0,     PROFILE_BYTES_MOST,     0, NULL},
    [KEY_SETTLED_LIBRARIES]    = {SECTION_SETTLED,  "libraries",            KIND_TEXT,   AT(settled.libraries),    0,     PROFILE_BYTES_MOST,     0, NULL},

#define ROW_KEY(id, section, name, kind, least, most, choices) \
    [KEY_ROW + ROW_##id] = {SECTION_##section, name, KIND_##kind, offsetof(struct profile_row, value) + ROW_##id * sizeof(int64_t), least, most, DERIVED, choices},
    PROFILE_ROW_VALUES(ROW_KEY)
#undef ROW_KEY
#define ROW_KEY(id, section, name, most) \
    [KEY_ROW_TEXT + ROW_TEXT_##id] = {SECTION_##section, name, KIND_TEXT, offsetof(struct profile_row, text) + ROW_TEXT_##id * sizeof(char *), 0, most, 0, NULL},
    PROFILE_ROW_TEXTS(ROW_KEY)
#undef ROW_KEY
};
/* clang-format on */

static_assert(KEY_BSS - KEY_TEXT == SIZE_BSS - SIZE_TEXT, "the keys of the sizes are in the order of enum size_kind");
static_assert(KEY_MIX_RNGLISTS - KEY_MIX_INFO == MIX_RNGLISTS - MIX_INFO && MIX_RNGLISTS == MIX_KINDS - 1,
              "the keys of the debug sections are in the order of enum mix_kind");
static_assert(KEY_ATTRIBUTES_FORTRAN - KEY_FUNCTION_SIZES == PROFILE_DISTRIBUTIONS - 1, "each distribution has a key");
static_assert(ROW_BSS - ROW_TEXT == SIZE_BSS - SIZE_TEXT && ROW_MIX_RNGLISTS - ROW_MIX_INFO == MIX_RNGLISTS - MIX_INFO,
              "and so are those of rows");
