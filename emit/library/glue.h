/* The functions and data that every library has besides its numbered functions.
 *
 * - the code of crtbegin.o, which runs at load and unload
 * - in a module, what CPython sees: PyInit_, the method table, the entry that visits the module, and `visited`,
 *   which counts the marks
 * - in an executable `_start`, which otherwise crt1.o brings
 * - a few helpers, which statements of numbered functions call without the PLT, as hidden functions are called
 *
 * A module is not bound to one version of CPython: PyModuleDef and PyMethodDef have the same layout from 3.8 to
 * 3.13, and the API version is 1013 in all of them.
 */
#ifndef EMIT_LIBRARY_GLUE_H
#define EMIT_LIBRARY_GLUE_H

#include <stdint.h>

#include "dwarf/form/line.h"
#include "emit/library/code.h"
#include "emit/library/shape.h"

/* In their order in .text. The first four have no frame and no debug information, the third and fourth no symbol
 * either. */
enum glue_function {
    GLUE_DTORS,
    GLUE_FRAME_DUMMY, /* the personality routine, too, where functions have exception tables (exceptions.h) */
    GLUE_CONSTRUCTOR, /* only if the row has `constructor-code`; has as many bytes as all constructors there together */
    GLUE_EXECUTE,     /* only if CPython calls it to add the methods (shape_executes) */
    GLUE_PYINIT,
    GLUE_METHOD,
    GLUE_VISITED,
    GLUE_ENTRY,
    GLUE_EXTERN,
    GLUE_HELPER,                              /* the first of SHAPE_HELPERS helpers */
    GLUE_START = GLUE_HELPER + SHAPE_HELPERS, /* of an executable; has no frame */
    GLUE_COUNT,
    /* how many of these a library can have, without GLUE_CONSTRUCTOR, GLUE_EXECUTE and GLUE_START */
    GLUE_LIBRARY = GLUE_START - (GLUE_PYINIT - GLUE_CONSTRUCTOR)
};

/* Bytes of GLUE_CONSTRUCTOR, without an endbr64: the fewest; the fewest where it reads code; how many more where it
 * also takes memory (plan_extra.start.taking) and writes to .bss (plan_extra.start.touching); the most. */
enum {
    GLUE_CONSTRUCTOR_LEAST = 1,
    GLUE_CONSTRUCTOR_READS = 26,
    GLUE_CONSTRUCTOR_TAKES = 80,
    GLUE_CONSTRUCTOR_TOUCHES = 25,
    GLUE_CONSTRUCTOR_MOST = 1 << 24
};

/* The fewest bytes of a constructor that reads code and also does what it is asked for. */
static inline uint32_t glue_constructor_least(bool takes, bool touches)
{
    uint32_t least = GLUE_CONSTRUCTOR_READS;
    least += takes ? GLUE_CONSTRUCTOR_TAKES : 0;
    least += touches ? GLUE_CONSTRUCTOR_TOUCHES : 0;
    return least;
}

/* Bytes of .bss that the constructor writes to, whole pages, given the size of .bss. */
uint32_t glue_touched(const struct plan_library *l, uint64_t bss);

struct glue_place {
    uint32_t offset; /* in the code */
    uint32_t size;   /* 0: the library has no such function */
};

struct glue {
    struct glue_place place[GLUE_COUNT];
    uint32_t end; /* where the numbered functions begin */
};

/* Addresses that the glue refers to, besides those in struct code. */
struct glue_addresses {
    uint64_t completed, dso_handle;
    /* The address of the word by which the unwinder finds the personality routine; 0: none. */
    uint64_t personality;
    uint64_t text_end; /* end of .text, which GLUE_CONSTRUCTOR reads */
    uint64_t bss_end;  /* end of .bss, which begins with `completed` */
    uint64_t direct;   /* the .plt.got entry for __cxa_finalize; 0: none */
    uint64_t got_cxa_finalize, got_gmon_start, got_clones;
    uint64_t got_extra;                /* the first word of .got for plan_extra.plt.got */
    uint64_t got_main, got_start_main; /* these two and `executable` are 0 except in an executable */
    uint64_t executable;               /* of the struct executable (base/executable.h) */
    uint64_t stems;                    /* names of the libraries that the executable contains, in the plan's order */
    uint64_t definition, methods;
    uint64_t name, entry_name, visited_name, functions_name; /* strings */
    uint64_t module_doc, entry_doc, visited_doc;
    uint64_t methods_doc, method_names; /* of plan_extra.table.methods: documentation, first name (methods.h) */
    uint32_t python_slot;               /* PLT slots: of the first Python function; of the functions below */
    uint32_t entry_slot;
    uint32_t extern_before_slot, own_extern_slot;
};

/* glue_init_size returns the bytes that PyInit_ needs, without plan_extra.start.initialising. glue_init_of chooses the
 * kind of PyInit_ for a row that says it has `bytes` bytes (0: the row does not say). */
uint32_t glue_init_size(const struct plan_library *l);
enum plan_init glue_init_of(const struct plan_library *l, uint64_t bytes);

/* Size pass: `code` needs no addresses yet. */
struct glue glue_size(const struct code *code, const struct shape *s);

/* How many unwind entries of these functions and of the PLT have fewer than UNWIND_SMALL bytes, and no dynamic
 * symbol. */
uint32_t glue_small_entries(const struct plan_library *l, const struct shape *s, const struct glue *g);

/* Whether one of the functions has a frame pointer. How many of them have a frame that is found by %rbp, or by %rsp. */
struct glue_frames {
    uint32_t by_rbp, by_rsp;
};
bool glue_is_pointed(const struct plan_library *l, enum glue_function which);
struct glue_frames glue_frames(const struct plan_library *l, const struct glue *g);

/* Sets the steps of the unwind table in one of the functions whose frame is found by %rsp. Returns how many they are; 0
 * for others. */
enum { GLUE_STEPS = 2 };
uint32_t glue_steps(const struct plan_library *l, const struct glue *g, enum glue_function which,
                    struct unwind_step step[GLUE_STEPS]);

/* Writes the line-table rows of one of the functions, from *line on. The entry has one line for each chain it calls. */
void glue_rows(const struct code *code, const struct glue *g, const struct shape *s, enum glue_function which,
               struct line_rows *rows, uint32_t *line);
/* An upper bound of the bytes of these rows. */
uint64_t glue_rows_most(const struct code *code);

void glue_write(const struct code *code, const struct glue *g, const struct shape *s, const struct glue_addresses *a);

/* Writes .init and .fini, each beginning with `landing` bytes of an endbr64. `address`: of .init. */
void glue_write_init(uint8_t *init, uint64_t address, uint8_t *fini, uint64_t got_gmon_start, uint32_t landing);

#endif
