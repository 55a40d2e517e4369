/* Names in libraries that follow rows: as long as the application's, and no two the same.
 *
 *     exported function   m3MeshCellFl17     the library's prefix, words, its number
 *     local function      mesh_cell_fl17     words, its number
 *     static object       mesh_cell_fl_17    words, '_', its number; or, of a small function where names are mangled,
 *                         _ZL15mesh_cell_fl_17v     mesh_cell_fl_17()
 *     source file         mesh_cell.c        the end of one that is as long as the longest
 *     dynamic small one   m3MeshCellFl60     as an exported function behind all of these,
 *     dynamic object      m3MeshCellFl72     and behind these; or, where names are mangled,
 *                         _ZN2m312MeshCellFl60Ev    m3::MeshCellFl60()
 *                         _ZN2m312MeshCellFl72E     m3::MeshCellFl72
 *     dynamic symbol      m3bx               the prefix and its number in digits and letters, the first a letter, where
 *                                            there are fewer characters than above
 *                         Flowm3MeshCell60   words and the name of another, which is the end of this one in .dynstr
 *
 * A prefix ends in digits, words have none and neither begin with '_' nor end in it. So names
 * of different kinds, numbers or, of exported functions, libraries differ, however long they
 * are. Where the row says that its names compress well, as those that have a number and the same
 * behind it, some or all have the same words, as far as they go. In a library with a symbol table or debug information
 * numbered functions whose names are mangled have those of emit/mangle.h, which debug information speaks of; elsewhere
 * names are as long as they are wanted.
 */
#ifndef EMIT_NAMES_ROW_H
#define EMIT_NAMES_ROW_H

#include <stdint.h>

#include "emit/plan.h"

/* The fewest characters that the name of function `index`, or of static object `number`, has, where nothing says how
 * long it is. */
uint32_t names_row_least(const struct plan_library *l, uint32_t index);
uint32_t names_row_object_least(uint32_t number);

/* The fewest that the name at `place` among those of dynamic symbols can have, of exported functions and then of the
 * others below; and beside that which may be its end. */
uint32_t names_row_shortest(const struct plan_library *l, uint32_t place);
uint32_t names_row_floor(const struct plan_library *l, uint32_t place);

/* Whether the name of the dynamic symbol of function `index` is mangled. */
static inline bool names_row_is_mangled(const struct plan *plan, const struct plan_library *l, uint32_t index)
{
    return names_are_mangled(&plan->names, l) || index < l->mangled;
}

/* Characters that it has. */
uint32_t names_row_length(const struct plan_library *l, uint32_t index);
uint32_t names_row_object_length(const struct plan_library *l, uint32_t number);

/* How many of static objects and small functions have names of their own, and how many symbols have that of `number`;
 * whether it is long enough to be mangled; how many of all these symbols' names are. */
static inline uint32_t names_row_objects_named(const struct plan_library *l)
{
    return plan_small_local(l) + l->locals - l->shared_names;
}

static inline uint32_t names_row_object_symbols(const struct plan_library *l, uint32_t number)
{
    const uint32_t named = names_row_objects_named(l);
    return 1 + l->shared_names / named + (number < l->shared_names % named ? 1 : 0);
}

bool names_row_object_can_be_mangled(const struct plan_library *l, uint32_t number);
uint32_t names_row_objects_mangled(const struct plan_library *l);

/* Bytes of the names of functions [from, to), with terminators. */
uint64_t names_row_bytes(const struct plan_library *l, uint32_t from, uint32_t to);

/* The other names of its dynamic symbols, in turn: of small functions, of objects and of undefined symbols
 * that nothing binds. How many there are, and of
 * `number` the same as above; bytes of all, with terminators. */
static inline uint32_t names_row_others(const struct plan_library *l)
{
    return l->small_exported + l->extra.objects + l->unbound;
}

/* Characters of the name at `place` among those of dynamic symbols. */
uint32_t names_row_place_length(const struct plan_library *l, uint32_t place);

/* Whether the name at `place` is the end of another, and has no bytes of its own in .dynstr; the place of that which is
 * the end of this one, or NAMES_ROW_NONE. */
enum { NAMES_ROW_IS_END = -1, NAMES_ROW_NONE = -1 };

static inline bool names_row_ends(const struct plan_library *l)
{
    return l->ends && l->ended == l->exported + names_row_others(l);
}

static inline bool names_row_is_end(const struct plan_library *l, uint32_t place)
{
    return names_row_ends(l) && l->end[place] == (uint32_t)NAMES_ROW_IS_END;
}

static inline int64_t names_row_end_of(const struct plan_library *l, uint32_t place)
{
    return !names_row_ends(l) || l->end[place] == (uint32_t)NAMES_ROW_IS_END ? NAMES_ROW_NONE
                                                                             : (int64_t)l->end[place] - 1;
}

/* Characters of the name of what another library imports, that of `index` among all its dynamic symbols. */
uint32_t names_row_import_length(const struct plan *plan, const struct plan_library *l, uint32_t index);

uint32_t names_row_other_least(const struct plan_library *l, uint32_t number);
uint32_t names_row_other_length(const struct plan_library *l, uint32_t number);
uint64_t names_row_other_bytes(const struct plan_library *l);

/* Bytes of the shortest names of `count` static objects, with terminators. */
uint64_t names_row_objects(uint32_t count);

/* Names of source files, where there are many: all of them are the end of one, as a linker lets names share bytes.
 * Bytes of that one, with its terminator, or 0; characters of the name of file `number`; writes that one. */
enum { NAMES_ROW_FILES = 8, NAMES_ROW_FILE_LEAST = 5, NAMES_ROW_FILE_MOST = 48 };

static inline uint32_t names_row_file_bytes(const struct plan_library *l)
{
    return l->files >= NAMES_ROW_FILES && l->files_named ? NAMES_ROW_FILE_MOST + 1 : 0;
}

static inline uint32_t names_row_file_length(const struct plan_library *l, uint32_t number)
{
    return l->file_length[(uint64_t)number * PLAN_FILE_LENGTHS / l->files];
}

uint8_t *names_row_write_file(const struct plan_library *l, uint8_t *at);

/* Writes a name with its terminator; returns the place behind it. Adds its GNU hash where
 * `hash` is not NULL. */
uint8_t *names_row_write(const struct plan_library *l, uint32_t index, uint8_t *at, uint32_t *hash);
uint8_t *names_row_write_other(const struct plan_library *l, uint32_t number, uint8_t *at);
uint8_t *names_row_write_object(const struct plan_library *l, uint32_t number, uint8_t *at);

#endif
