/* Names in libraries that follow rows: as long as the application's, and no two the same.
 *
 *     exported function   m3MeshCellFl17     the library's prefix, words, its number
 *     local function      mesh_cell_fl17     words, its number
 *     static object       mesh_cell_fl_17    words, '_', its number; as local small functions and aliases have it, too;
 *                                            or, where names are mangled,
 *                         _ZL15mesh_cell_fl_17      mesh_cell_fl_17
 *                         _ZL15mesh_cell_fl_17v     mesh_cell_fl_17(), of a function
 *     source file         mesh_cell.c        the end of the longest one
 *     dynamic small one   m3MeshCellFl60     as an exported function, numbered behind these
 *     dynamic object      m3MeshCellFl72     the same, numbered behind the small ones; or, where names are mangled,
 *                         _ZN2m312MeshCellFl60Ev    m3::MeshCellFl60()
 *                         _ZN2m312MeshCellFl72E     m3::MeshCellFl72
 *     dynamic symbol      m3bx               the brief form, for fewer characters than the names above have: the prefix
 *                                            and its number in letters and digits, the first a letter
 *                         Flowm3MeshCell60   words and the whole name of another symbol, which is thus the end of this
 *                                            one in .dynstr
 *
 * A prefix ends in digits; words contain no digits and neither begin nor end with '_'. So two names differ, whatever
 * their lengths, if they are of different kinds, of different numbers or, for exported functions, of different
 * libraries. Where the row says that its names compress well, some or all names use the same words
 * (plan_library.alike). In a library with a symbol table or debug information, numbered functions with mangled names
 * have those of emit/plan/mangle.h, because debug information states them. All other names have the wanted lengths.
 */
#ifndef EMIT_PLAN_NAMES_ROW_H
#define EMIT_PLAN_NAMES_ROW_H

#include <stdint.h>

#include "emit/plan/plan.h"

/* Characters of the shortest regular name of function `index`. The function has this name where no length is wanted. */
uint32_t names_row_least(const struct plan_library *l, uint32_t index);
/* Characters of the shortest name of static object `number`. */
uint32_t names_row_object_least(uint32_t number);

/* Names of dynamic symbols are numbered by `place`: first those of exported functions, then the others
 * (names_row_others).
 *
 * names_row_shortest returns the fewest characters that the name at `place` can have, in its brief form.
 */
uint32_t names_row_shortest(const struct plan_library *l, uint32_t place);
/* The fewest characters that the name at `place` can have where another name is its end. */
uint32_t names_row_floor(const struct plan_library *l, uint32_t place);

/* Whether the name of the dynamic symbol of function `index` is mangled. */
static inline bool names_row_is_mangled(const struct plan *plan, const struct plan_library *l, uint32_t index)
{
    return names_are_mangled(&plan->names, l) || index < l->names.mangled;
}

/* Characters of the name of function `index`, or of static object `number`. */
uint32_t names_row_length(const struct plan_library *l, uint32_t index);
uint32_t names_row_object_length(const struct plan_library *l, uint32_t number);

/* How many static objects and local small functions have names of their own; the others reuse one of these. */
static inline uint32_t names_row_objects_named(const struct plan_library *l)
{
    return plan_small_local(l) + l->locals - l->names.shared;
}

/* The static object or local small function whose name `number` has: itself, or one whose name it reuses. */
static inline uint32_t names_row_object_named(const struct plan_library *l, uint32_t number)
{
    const uint32_t named = names_row_objects_named(l);
    const uint32_t first = l->names.shared_first;
    return number < named ? number : first + (number - named) % (named - first);
}

/* How many symbols have the name of static object or local small function `number`. */
static inline uint32_t names_row_object_symbols(const struct plan_library *l, uint32_t number)
{
    const uint32_t reused = names_row_objects_named(l) - l->names.shared_first;
    const uint32_t place = number - l->names.shared_first;
    return number < l->names.shared_first ? 1
                                          : 1 + l->names.shared / reused + (place < l->names.shared % reused ? 1 : 0);
}

/* Whether local small function `number` is a cold part, which has the name of its function (small.h). */
static inline bool names_row_object_is_cold(const struct plan_library *l, uint32_t number)
{
    return number < plan_small_local(l) && plan_is_cold(l, l->small.exported + number);
}

/* Whether the name of static object or local small function `number` is one of its own, and has a length that a mangled
 * one may have. */
bool names_row_object_can_be_mangled(const struct plan_library *l, uint32_t number);
bool names_row_object_is_mangled(const struct plan_library *l, uint32_t number);
/* How many symbols have the mangled name of a local small function or static object. */
uint32_t names_row_objects_mangled(const struct plan_library *l);

/* Characters that debuggers show for the name at `place` among those of dynamic symbols: 0 where it is not mangled. */
uint32_t names_row_shown(const struct plan *plan, const struct plan_library *l, uint32_t place);

/* Bytes that the names of functions [from, to) take, with terminators; 0 for names that are the ends of others. */
uint64_t names_row_bytes(const struct plan_library *l, uint32_t from, uint32_t to);

/* How many of the names, from the first on, are those of functions: exported ones, small ones, aliases. */
static inline uint32_t names_row_functions(const struct plan_library *l)
{
    return l->exported + l->small.exported + l->extra.dynamic.aliases;
}

/* How many other names dynamic symbols have, behind those of exported functions: of small functions, aliases, objects,
 * and undefined symbols that nothing binds, in this order. */
static inline uint32_t names_row_others(const struct plan_library *l)
{
    return l->small.exported + l->extra.dynamic.aliases + l->extra.dynamic.objects + l->unbound;
}

/* How many names, from the first on, are those of symbols that the library defines. */
static inline uint32_t names_row_defined(const struct plan_library *l)
{
    return l->exported + names_row_others(l) - l->unbound;
}

/* Characters of the dynamic symbol's name at `place`. */
uint32_t names_row_place_length(const struct plan_library *l, uint32_t place);

enum { NAMES_ROW_IS_END = -1, NAMES_ROW_NONE = -1 };

/* Whether any names are the ends of others. Ends that were chosen for another number of symbols do not count. */
static inline bool names_row_ends(const struct plan_library *l)
{
    return l->names.ends && l->names.ended == l->exported + names_row_others(l);
}

/* Whether the name at `place` is the end of another one, and so has no bytes of its own in .dynstr. */
static inline bool names_row_is_end(const struct plan_library *l, uint32_t place)
{
    return names_row_ends(l) && l->names.end[place] == (uint32_t)NAMES_ROW_IS_END;
}

/* The place of the name that is the end of the one at `place`, or NAMES_ROW_NONE. */
static inline int64_t names_row_end_of(const struct plan_library *l, uint32_t place)
{
    return !names_row_ends(l) || l->names.end[place] == (uint32_t)NAMES_ROW_IS_END ? NAMES_ROW_NONE
                                                                                   : (int64_t)l->names.end[place] - 1;
}

/* Characters of the name of dynamic symbol `index` of library `l`, as libraries that import the symbol have it. */
uint32_t names_row_import_length(const struct plan *plan, const struct plan_library *l, uint32_t index);

/* For other name `number` (names_row_others): the characters of its shortest regular form, and its characters. Then
 * the bytes that all other names take, with terminators. */
uint32_t names_row_other_least(const struct plan_library *l, uint32_t number);
uint32_t names_row_other_length(const struct plan_library *l, uint32_t number);
uint64_t names_row_other_bytes(const struct plan_library *l);

/* Bytes of the shortest names of `count` static objects, with terminators. */
uint64_t names_row_objects(uint32_t count);

/* Where there are NAMES_ROW_FILES source files or more, their names are all ends of one long name, as a linker lets
 * names share bytes. */
enum { NAMES_ROW_FILES = 8, NAMES_ROW_FILE_LEAST = 5, NAMES_ROW_FILE_MOST = 48 };

/* Bytes of the long name, with its terminator; 0 where there is none. */
static inline uint32_t names_row_file_bytes(const struct plan_library *l)
{
    return l->files >= NAMES_ROW_FILES && l->names.files_named ? NAMES_ROW_FILE_MOST + 1 : 0;
}

/* Characters of the name of file `number`. */
static inline uint32_t names_row_file_length(const struct plan_library *l, uint32_t number)
{
    return l->names.file_length[(uint64_t)number * PLAN_FILE_LENGTHS / l->files];
}

/* Writes the long name with its terminator; returns the place behind it. */
uint8_t *names_row_write_file(const struct plan_library *l, uint8_t *at);

/* Write a name (of a function, another dynamic symbol, a static object) with its terminator; return the place behind
 * it. The GNU hash goes to *hash, unless `hash` is NULL. */
uint8_t *names_row_write(const struct plan_library *l, uint32_t index, uint8_t *at, uint32_t *hash);
uint8_t *names_row_write_other(const struct plan_library *l, uint32_t number, uint8_t *at);
uint8_t *names_row_write_object(const struct plan_library *l, uint32_t number, uint8_t *at);

#endif
