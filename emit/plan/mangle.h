/* Names of functions as a C++ compiler mangles them (Itanium C++ ABI, 5.1).
 *
 * Function i of a library is a static member of class i / 8 in the namespace
 * that has the library's name, or in libraries with rows the short one of plan_prefix. About one in six is made from a
 * template, with a type and a number for arguments.
 *
 *     _ZN10libmodule318GhostMatrixField1215assemble_matrixEiPKcS2_
 *        namespace    class              method            parameters
 *         libmodule3::GhostMatrixField12::assemble_matrix(int, char const*, char const*)
 *
 *     _ZN10libmodule318GhostMatrixField1212solve_systemIdLi3EEEml
 *                                                       template arguments, result
 *         unsigned long libmodule3::GhostMatrixField12::solve_system<double, 3>(long)
 *
 * What stood in a name before is named by number (5.1, "Compression"): S_ is the
 * namespace, S0_ the class, then come a template's name, `char const`, and
 * `char const*`, which parameters repeat. Results are mangled for templates only
 * (5.1, "Function types").
 *
 * A class's name consists of words and its number; where names are to be longer,
 * it is made longer. `letters`, in what follows, is the average number of letters in
 * the names of a set's classes, without their numbers, times MANGLE_PARTS:
 * plan->names.letters. A library with a row may have letters of its own for
 * each class (emit/solve/rows_classes.c).
 */
#ifndef EMIT_PLAN_MANGLE_H
#define EMIT_PLAN_MANGLE_H

#include <stdbool.h>
#include <stdint.h>

#include "emit/plan/function.h"
#include "emit/profile/profile.h"

struct plan_library;

enum {
    MANGLE_METHODS = 8, /* methods of each class */
    MANGLE_PARTS = 16,
    MANGLE_SHAPES = 16,                    /* different lengths that the class names of a set have */
    MANGLE_NUMBER_MOST = 10,               /* digits of a class's number */
    MANGLE_LEAST = 4 * MANGLE_PARTS,       /* the least `letters` */
    MANGLE_NATURAL = 18 * MANGLE_PARTS,    /* `letters` where no length is wanted */
    MANGLE_CLASS_MOST = PROFILE_NAME_MOST, /* characters of a class's name, number and all */
    MANGLE_HEAD_MOST = 3 + 2 + 40 + 4 + MANGLE_CLASS_MOST,
    MANGLE_MOST = (MANGLE_CLASS_MOST - MANGLE_NUMBER_MOST) * MANGLE_PARTS
};

enum template_type { TEMPLATE_INT, TEMPLATE_LONG, TEMPLATE_DOUBLE, TEMPLATE_CHAR, TEMPLATE_TYPES };

/* What one function's name consists of, besides namespace and parameters. */
struct name_parts {
    uint32_t class_number;
    uint32_t class_length; /* characters of the class's name */
    uint8_t method;        /* number of the method's name; base/words.h */
    bool is_template;
    uint8_t type;   /* first template argument: enum template_type */
    uint8_t number; /* second template argument: 0 to 15 */
};

struct name_parts mangle_parts(uint32_t letters, const struct plan_library *l, uint32_t index,
                               const struct function *f);

/* Writes a class's name with its terminator, at most MANGLE_CLASS_MOST + 1
 * bytes; returns its length. */
uint32_t mangle_class(uint32_t letters, const struct plan_library *l, uint32_t number, char *at);

/* Characters of a class's name. */
uint32_t mangle_class_length(uint32_t letters, const struct plan_library *l, uint32_t number);

/* Characters of a function's mangled name. */
uint32_t mangle_length(uint32_t letters, const struct plan_library *l, uint32_t index, const struct function *f);

/* Characters that debuggers show for the name. */
uint32_t mangle_shown(uint32_t letters, const struct plan_library *l, uint32_t index, const struct function *f);

/* A cache for the text with which the names of all functions of a class begin; starts zeroed. */
struct mangle_head {
    const struct plan_library *library;
    uint32_t class_number;
    uint32_t length;
    uint32_t hash; /* of the text, GNU hash */
    char text[MANGLE_HEAD_MOST];
};

/* Writes a name with its terminator; returns the place behind it. The GNU hash goes
 * to *hash, unless `hash` is NULL. */
uint8_t *mangle_write(struct mangle_head *head, uint32_t letters, const struct plan_library *l, uint32_t index,
                      const struct function *f, uint8_t *at, uint32_t *hash);

/* What many names take, in a form from which mangle_total computes their bytes for any `letters`. */
struct mangle_tally {
    uint64_t rest; /* bytes with terminators, without classes' names and the digits before these */
    uint64_t shape[MANGLE_NUMBER_MOST][MANGLE_SHAPES]; /* names by digits of the class's number, less 1 */
};

void mangle_count(struct mangle_tally *t, const struct plan_library *l, uint32_t index);
/* Counts all functions of the library. */
void mangle_count_all(struct mangle_tally *t, const struct plan_library *l);
void mangle_add(struct mangle_tally *sum, const struct mangle_tally *t);
/* Bytes of the names that were counted, for this average. The result grows with `letters`, except for rounding near
 * the maximum. */
uint64_t mangle_total(const struct mangle_tally *t, uint32_t letters);

#endif
