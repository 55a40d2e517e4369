/* The functions and data that every library has besides its numbered functions.
 *
 * What crtbegin.o brings (run at load and unload), and in a module what CPython
 * sees: PyInit_, the method table, the entry that visits the module, `visited`
 * that counts the marks; in an executable `_start`, which crt1.o brings. A few helpers are called from among the
 * statements of numbered functions, without the PLT, as hidden functions are. A module is bound to no version of
 * CPython: PyModuleDef and PyMethodDef have had the same layout from 3.8 to 3.13, and the API version is 1013 in all of
 * them.
 */
#ifndef EMIT_GLUE_H
#define EMIT_GLUE_H

#include <stdint.h>

#include "dwarf/line.h"
#include "emit/code.h"
#include "emit/shape.h"

/* In the order in which they stand in .text; the first three have no frame and no
 * debug information, the third no symbol either. */
enum glue_function {
    GLUE_DTORS,
    GLUE_FRAME_DUMMY,
    GLUE_CONSTRUCTOR, /* of a row that has `constructor-code`: does about as much as all constructors there */
    GLUE_PYINIT,
    GLUE_METHOD,
    GLUE_VISITED,
    GLUE_ENTRY,
    GLUE_EXTERN,
    GLUE_HELPER,                              /* the first of SHAPE_HELPERS */
    GLUE_START = GLUE_HELPER + SHAPE_HELPERS, /* of an executable; has no frame either */
    GLUE_COUNT,
    /* so many has a library at most, but for GLUE_CONSTRUCTOR */
    GLUE_LIBRARY = GLUE_START - (GLUE_PYINIT - GLUE_CONSTRUCTOR)
};

/* The least that GLUE_CONSTRUCTOR takes, which reads code. */
enum { GLUE_CONSTRUCTOR_LEAST = 26 };

struct glue_place {
    uint32_t offset; /* in .text */
    uint32_t size;   /* 0: the library has no such function */
};

struct glue {
    struct glue_place place[GLUE_COUNT];
    uint32_t end; /* where the numbered functions begin */
};

/* Addresses that the glue refers to, besides those in struct code. */
struct glue_addresses {
    uint64_t completed, dso_handle;
    uint64_t text_end; /* of .text, which GLUE_CONSTRUCTOR reads */
    uint64_t direct;   /* its entry of .plt.got for __cxa_finalize, or 0 */
    uint64_t got_cxa_finalize, got_gmon_start, got_clones;
    uint64_t got_extra;                /* what plan_extra has more of, in .got */
    uint64_t got_main, got_start_main; /* these and `executable` in an executable only */
    uint64_t executable;               /* struct executable */
    uint64_t stems;                    /* strings: names of the libraries that are in it, in the plan's order */
    uint64_t definition, methods;
    uint64_t name, entry_name, visited_name, functions_name; /* strings */
    uint64_t module_doc, entry_doc, visited_doc;
    uint64_t methods_doc, method_names; /* of the methods beyond these (methods.h): the first name */
    uint32_t python_slot;               /* PLT slots: first Python function, ... */
    uint32_t entry_slot;
    uint32_t extern_before_slot, own_extern_slot;
};

/* What PyInit_ needs, to which plan_extra.initialising is added; and which does for one of so many bytes, 0 where that
 * is not said. */
uint32_t glue_init_size(const struct plan_library *l);
enum plan_init glue_init_of(uint64_t bytes);

/* Size pass: `code` needs no addresses yet. */
struct glue glue_size(const struct code *code, const struct shape *s);

/* Source lines of the entry, which calls one chain a line. */
void glue_rows(const struct code *code, const struct glue *g, const struct shape *s, enum glue_function which,
               struct line_rows *rows, uint32_t *line);
uint64_t glue_rows_most(const struct code *code);

void glue_write(const struct code *code, const struct glue *g, const struct shape *s, const struct glue_addresses *a);

/* .init and .fini */
void glue_write_init(uint8_t *init, uint64_t address, uint8_t *fini, uint64_t got_gmon_start);

#endif
