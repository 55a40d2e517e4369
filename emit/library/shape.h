/* The shape of one library: what follows from its counts alone.
 *
 * Symbols, relocations, PLT slots, dynamic entries and the sizes of all tables
 * depend only on how many functions, imports and needed libraries a library has.
 * The plan uses these numbers to decide sizes, and the library's size pass to lay
 * out sections.
 */
#ifndef EMIT_LIBRARY_SHAPE_H
#define EMIT_LIBRARY_SHAPE_H

#include "base/cpython.h"
#include "base/version.h"
#include "elf/write/layout.h"
#include "emit/library/resolvers.h"
#include "emit/plan/outside.h"
#include "emit/plan/plan.h"

/* Undefined functions of CPython that a module calls, in the order of their
 * PLT slots. */
#define PYTHON_FUNCTIONS(X)                                                                                            \
    X(MODULE_CREATE, "PyModule_Create2")                                                                               \
    X(ADD_INT, "PyModule_AddIntConstant")                                                                              \
    X(ADD_FUNCTIONS, "PyModule_AddFunctions")                                                                          \
    X(FROM_UNSIGNED, "PyLong_FromUnsignedLong")                                                                        \
    X(FROM_LONG, "PyLong_FromLong")

enum python_function {
#define PYTHON_ENUM(id, name) PYTHON_##id,
    PYTHON_FUNCTIONS(PYTHON_ENUM)
#undef PYTHON_ENUM
        PYTHON_FUNCTION_COUNT
};

/* Local symbols that every library can have: id, name, whether the library's name goes before that, whether only
 * modules have it, type, section, and what the name ends in where it is mangled: the types of parameters. */
#define FIXED_LOCALS(X)                                                                                                \
    X(FILE_CRT, "crtstuff.c", 0, 0, STT_FILE, NONE, NULL)                                                              \
    X(DTORS, "__do_global_dtors_aux", 0, 0, STT_FUNC, TEXT, NULL)                                                      \
    X(FRAME_DUMMY, "frame_dummy", 0, 0, STT_FUNC, TEXT, NULL)                                                          \
    X(COMPLETED, "completed.0", 0, 0, STT_OBJECT, BSS, NULL)                                                           \
    X(FILE_SOURCE, ".c", 1, 0, STT_FILE, NONE, NULL)                                                                   \
    X(NAMES, "_names", 1, 0, STT_OBJECT, DATA_REL_RO, "")                                                              \
    X(CONSTANTS, "_constants", 1, 0, STT_OBJECT, RODATA, "")                                                           \
    X(SCRATCH, "_scratch", 1, 0, STT_OBJECT, BSS, "")                                                                  \
    X(HELPER0, "_helper0", 1, 0, STT_FUNC, TEXT, "ll")                                                                 \
    X(HELPER1, "_helper1", 1, 0, STT_FUNC, TEXT, "ll")                                                                 \
    X(HELPER2, "_helper2", 1, 0, STT_FUNC, TEXT, "ll")                                                                 \
    X(HELPER3, "_helper3", 1, 0, STT_FUNC, TEXT, "ll")                                                                 \
    X(METHOD, "_method", 1, 1, STT_FUNC, TEXT, "P7_objectS0_")                                                         \
    X(VISITED, "_visited", 1, 1, STT_FUNC, TEXT, "P7_objectS0_")                                                       \
    X(DEFINITION, "_definition", 1, 1, STT_OBJECT, DATA, "")                                                           \
    X(METHODS, "_methods", 1, 1, STT_OBJECT, DATA, "")                                                                 \
    X(VISITS, "_visits", 1, 0, STT_OBJECT, BSS, "")                                                                    \
    X(FILE_NONE, "", 0, 0, STT_FILE, NONE, NULL)                                                                       \
    X(INIT, "_init", 0, 0, STT_FUNC, INIT, NULL)                                                                       \
    X(FINI, "_fini", 0, 0, STT_FUNC, FINI, NULL)                                                                       \
    X(DSO_HANDLE, "__dso_handle", 0, 0, STT_OBJECT, DATA, NULL)                                                        \
    X(DYNAMIC, "_DYNAMIC", 0, 0, STT_OBJECT, DYNAMIC, NULL)                                                            \
    X(EH_FRAME_HDR, "__GNU_EH_FRAME_HDR", 0, 0, STT_NOTYPE, EH_FRAME_HDR, NULL)                                        \
    X(GLOBAL_OFFSET_TABLE, "_GLOBAL_OFFSET_TABLE_", 0, 0, STT_OBJECT, GOT_PLT, NULL)

enum fixed_local {
#define FIXED_ENUM(id, ...) LOCAL_##id,
    FIXED_LOCALS(FIXED_ENUM)
#undef FIXED_ENUM
        FIXED_LOCAL_COUNT
};

struct fixed_local_kind {
    const char *name;
    uint32_t length; /* characters of the name */
    bool prefixed, module_only;
    uint8_t type;
    enum section_id section;
    const char *parameters; /* NULL: the name is never mangled */
};
extern const struct fixed_local_kind fixed_local_kinds[FIXED_LOCAL_COUNT];

/* Symbols that the linker defines and that some libraries have as dynamic ones: name, section, whether the symbol is at
 * the section's end and not at its beginning. */
#define SECTION_ENDS(X)                                                                                                \
    X("__bss_start", BSS, 0)                                                                                           \
    X("_edata", DATA, 1)                                                                                               \
    X("_end", BSS, 1)                                                                                                  \
    X("__data_start", DATA, 0)                                                                                         \
    X("data_start", DATA, 0)

struct section_end {
    const char *name;
    enum section_id section;
    bool end;
};
enum { SHAPE_ENDS = 5 };
extern const struct section_end shape_ends[SHAPE_ENDS];

/* Weak symbols that gcc's crtbegin.o and crtbeginS.o add to every file, for transactional memory. Usually nothing
 * defines them. */
extern const char *const shape_clones[PLAN_CLONES];

enum {
    INIT_BYTES = 23, /* this and FINI_BYTES do not count an endbr64 */
    FINI_BYTES = 9,
    PROPERTY_BYTES = 32,  /* of .note.gnu.property */
    SHAPE_HELPERS = 4,    /* LOCAL_HELPER0 and on */
    NAME_POINTERS = 8,    /* in .data.rel.ro */
    SHAPE_SPARE_TAGS = 4, /* at the end of .dynamic, for tools that add some, as ld has them */
    /* R_X86_64_RELATIVE relocations. Every library has those of initialiser, finaliser and __dso_handle. A module also
     * has those of PyModuleDef (name, methods) and of one PyMethodDef (name, function). With attributes, these also
     * have doc, and there is a second PyMethodDef. If methods are added later, PyModuleDef has no methods; if it has
     * slots, it has these, and the slot has a function. */
    SHAPE_RELATIVE = 3,
    SHAPE_RELATIVE_MODULE = SHAPE_RELATIVE + 2 + 2,
    SHAPE_RELATIVE_TOLD = SHAPE_RELATIVE + 3 + 2 * 3,
    CONSTANT_BYTES = CONSTANTS * (4 + 8),
    SCRATCH_BYTES = 64,
    SCRATCH_LEAST = 8, /* bytes of scratch memory in .data, where there is no room for more */
    BUILD_ID_BYTES = 16 + 20,
    EXECUTABLE_NEEDS =
        2, /* libraries that any executable has as DT_NEEDED besides libc: the runtime library, libpython */
};

#define SHAPE_INTERPRETER "/lib64/ld-linux-x86-64.so.2" /* psABI 5.2.1 */

/* What a module says of itself to Python's help(). */
#define MODULE_DOC  "A synthetic extension module made by pyelfgen."
#define ENTRY_DOC   "Calls every covered function of the module; returns the result."
#define VISITED_DOC "How many of the module's functions have been called so far."

/* The contents of .comment. A file of ours is recognised by COMMENT_START */
#define COMMENT_START "pyelfgen "
#define COMMENT_TEXT  COMMENT_START PYELFGEN_VERSION

/* Contents of .gnu_debugaltlink, as dwz(1) makes it: the path of the file with what debug files share, and its
 * build-id. No such file exists, as on a system where debug files are not installed. */
#define SHAPE_ALTERNATE "/usr/lib/debug/.dwz/x86_64-linux-gnu/application.debug"
enum { SHAPE_ALTERNATE_ID = 20 }; /* bytes */

/* The name of a fixed local symbol: writes it with its terminator, or tells how many characters it has. Where
 * plan_names.mangled_glue is set, those of the library's own are mangled as static ones of C++ (Itanium C++ ABI,
 * 5.1.2; the L that marks internal linkage is gcc's): _ZL10m3_helper0ll. */
enum { SHAPE_LOCAL_MOST = 512 /* bytes */ };
uint32_t shape_local_length(const struct plan_library *l, enum fixed_local id);
uint8_t *shape_write_local(const struct plan_library *l, enum fixed_local id, uint8_t *at);

struct shape {
    bool python; /* is an extension module */
    bool executable;
    bool holds; /* is an executable that contains the libraries */
    bool has_extern;
    bool calls_own_extern;
    int64_t extern_called; /* -1: none */
    bool needs_before;     /* needs the library of extern_called (DT_NEEDED), unless libmodulebegin brings that */
    bool soname;
    uint32_t called; /* own numbered functions that are called, by the PLT or directly */
    uint32_t direct; /* how many of `called`, and the entry, are called without the PLT */
    uint32_t plt;    /* slots */
    struct resolvers resolvers;
    uint32_t undefined; /* in .dynsym */
    uint32_t defined;
    uint32_t local;        /* own functions that are local symbols */
    uint32_t inner;        /* global, in .symtab only: an executable's functions and marks */
    uint32_t relative;     /* R_X86_64_RELATIVE relocations */
    uint32_t packed;       /* how many of these, the first, are in .relr.dyn */
    uint32_t modules;      /* modules that libmodulebegin needs, in sets whose modules need every utility */
    uint32_t needed;       /* DT_NEEDED in all, without libc */
    uint32_t dynamic;      /* entries, with the null ones */
    uint32_t spare_tags;   /* null ones at its end, besides the one that ends it */
    uint32_t fixed_locals; /* in .symtab, with the null symbol */
    uint32_t glue;         /* functions with a frame, besides the numbered ones */
    uint32_t helpers;
    /* Functions with an exception table: how many set up a frame, and how many do not. */
    uint32_t tabled, tabled_frameless;
    uint32_t framed;    /* functions with an entry in the unwind tables */
    uint32_t frameless; /* how many of `framed` do not set up a frame */
    uint32_t pointers;  /* words in .data.rel.ro that point to names */
    uint32_t marks;
    bool marks_exported; /* there are any, and they are a global symbol */
    bool in_data;        /* the scratch memory that statements write to is in .data and not in .bss */
    uint32_t scratch;    /* least bytes of scratch memory in .data */
    uint64_t names;      /* bytes of the names that .dynstr and .strtab share */
    uint64_t dynstr;
    uint64_t strtab;              /* with the natural names of its free locals */
    uint64_t rodata;              /* fixed part */
    uint64_t data;                /* fixed part of .data */
    uint64_t bss;                 /* fixed part */
    uint64_t text_tables;         /* all of text but .text and .rodata */
    uint64_t data_tables;         /* all of data but .data */
    uint64_t symbols;             /* entries of .symtab */
    char entry[NAME_PREFIX_MOST]; /* name of the Python-callable function, "" in a utility */
};

/* Whether any function has an exception table. */
static inline bool shape_excepts(const struct shape *s)
{
    return s->tabled || s->tabled_frameless;
}

/* Bytes of all unwind entries at their shortest, and of the CIE of those with an exception table. */
static inline uint64_t shape_unwind(const struct plan *plan, const struct plan_library *l, const struct shape *s)
{
    const uint64_t entry = plan_unwind_entry(plan, l);
    return (s->framed - s->frameless) * entry + s->frameless * (uint64_t)UNWIND_FRAMELESS +
           s->tabled * (UNWIND_TABLED - entry) +
           s->tabled_frameless * (uint64_t)(UNWIND_TABLED_FRAMELESS - UNWIND_FRAMELESS) +
           (shape_excepts(s) ? UNWIND_TABLED_CIE : 0);
}

/* Whether the library has the fixed local symbol. */
bool shape_has_local(const struct plan_library *l, const struct shape *s, enum fixed_local id);

/* How many of the fixed local symbols that the library has are mangled. */
uint32_t shape_mangled_locals(const struct plan_library *l, const struct shape *s);

/* How many versions of the C library (0 or 1) the library needs because relocations are packed (RELR_VERSION). */
static inline uint32_t shape_relr_versions(const struct plan_library *l, const struct shape *s)
{
    return s->packed && !l->without_libc;
}

/* The version by which undefined symbol `index` from outside the set is asked for, as outside_version counts. Any
 * function of the C library may be asked for without one, as the names of libraries without versions are. */
static inline uint32_t shape_outside_version(const struct plan_library *l, uint32_t index)
{
    const uint32_t version =
        l->without_libc ? 0 : outside_version(l->kind == LIBRARY_MODULE, l->key, l->outside_choice, index);
    return version == 1 && index < l->extra.undefined.plain ? 0 : version;
}

/* Whether the library has a PLT in two parts. */
static inline bool shape_has_second(const struct plan_library *l, const struct shape *s)
{
    return l->elf.cf_protection && s->plt;
}

enum { SHAPE_PLT_TABLES = 3 };

/* Sets *size to the bytes of .plt, .plt.got and .plt.sec; 0 for those that the library lacks. */
void shape_plt_sizes(const struct plan_library *l, const struct shape *s, uint64_t size[SHAPE_PLT_TABLES]);

/* For a library that is linked with the C library: how many versions of the C library it needs
 * (shape_libc_versions), of how many libraries it needs versions (shape_versioned), and how many versions these
 * are in all (shape_versions). */
static inline uint32_t shape_libc_versions(const struct plan_library *l, const struct shape *s)
{
    return l->without_libc ? 0 : 1 + l->extra.versioning.needed + shape_relr_versions(l, s);
}

static inline uint32_t shape_versioned(const struct plan_library *l)
{
    return !l->without_libc + l->extra.versioning.others + l->needs.versioned_edges;
}

static inline uint32_t shape_versions(const struct plan_library *l, const struct shape *s)
{
    return shape_libc_versions(l, s) + l->extra.versioning.others + l->needs.versions;
}

/* Whether the library has versions at all, its own or needed ones. */
static inline bool shape_has_versions(const struct plan_library *l)
{
    return l->extra.versioning.defined || shape_versioned(l);
}

/* Whether a module, or an executable that contains modules, calls this function of CPython; the name by which it calls
 * it; its place among the PLT slots of such functions; and how many such functions it calls in all. */
bool shape_calls_python(const struct plan_library *l, enum python_function which);
const char *shape_python_name(const struct plan_library *l, enum python_function which);
uint32_t shape_python_slot(const struct plan_library *l, enum python_function which);
static inline uint32_t shape_python_functions(const struct plan_library *l)
{
    return shape_python_slot(l, PYTHON_FUNCTION_COUNT);
}

/* Whether the module has a function that CPython calls to fill it (PEP 489), and the two struct PyModuleDef_Slot that
 * say so. */
static inline bool shape_executes(const struct plan_library *l)
{
    return l->glue.adds_methods && l->glue.init == INIT_PHASES;
}

/* Bytes of the module's struct PyModuleDef and of these slots; the method table stands behind them. */
static inline uint64_t shape_definition(const struct plan_library *l)
{
    return MODULE_DEF_BYTES + (shape_executes(l) ? 2 * MODULE_SLOT_BYTES : 0); /* the second one ends them */
}

/* How many methods the driver calls. */
static inline uint32_t shape_driver_methods(const struct plan_library *l)
{
    return plan_is_plain(l) ? 1 : 2;
}

/* Bytes of relocated words among the objects of .data. */
static inline uint64_t shape_words(const struct plan_library *l)
{
    return UINT64_C(8) * (l->extra.pointing.pointers + l->extra.pointing.addresses);
}

/* Entries of the module's method table, with the one that ends it. */
static inline uint32_t shape_methods(const struct plan_library *l)
{
    return shape_driver_methods(l) + l->extra.table.methods + 1;
}

/* Upper bound of the bytes of .relr.dyn where all relative relocations are packed: those of the library, or with `part`
 * those of its part of an executable. The exact size follows from the layout, by how far the words are apart. */
uint64_t shape_relr(const struct plan *plan, const struct plan_library *l, const struct shape *s, bool part);

/* The shape of a library. `l` must have its counts: functions, imports and locals; of `calls` chains and covered; of
 * `names` functions and imports; of `needs` utilities and digits. */
struct shape shape_of(const struct plan *plan, const struct plan_library *l);

/* Parts of it, where these are asked for so often that the whole would take too long: the counts of PLT slots and of
 * dynamic symbols (from `python` to `inner`, and the marks); also the relative relocations, and `names` and `dynstr`.
 * Do not use the rest. */
struct shape shape_of_symbols(const struct plan *plan, const struct plan_library *l);
struct shape shape_of_names(const struct plan *plan, const struct plan_library *l);

/* Sets the sizes of all sections but .text, .rodata, .data, .bss, .strtab and
 * the debug sections. */
void shape_sections(const struct plan *plan, const struct plan_library *l, const struct shape *s,
                    struct layout *layout);

#endif
