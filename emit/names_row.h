/* Names in libraries that follow rows: as long as the application's, and no two the same.
 *
 *     exported function   m3MeshCellFl17     the library's prefix, words, its number
 *     local function      mesh_cell_fl17     words, its number
 *     static object       mesh_cell_fl_17    words, '_', its number
 *     dynamic small one   m3MeshCellFl60     as an exported function behind all of these, or
 *                         _ZN2m312MeshCellFl60Ev    where names are mangled: m3::MeshCellFl60()
 *
 * A prefix ends in digits, words have none and neither begin with '_' nor end in it. So names
 * of different kinds, numbers or, of exported functions, libraries differ, however long they
 * are. Numbered functions whose names are mangled have those of emit/mangle.h.
 */
#ifndef EMIT_NAMES_ROW_H
#define EMIT_NAMES_ROW_H

#include <stdint.h>

#include "emit/plan.h"

/* The fewest characters that the name of function `index`, or of static object `number`, has. */
uint32_t names_row_least(const struct plan_library *l, uint32_t index);
uint32_t names_row_object_least(uint32_t number);

/* Characters that it has. */
uint32_t names_row_length(const struct plan_library *l, uint32_t index);
uint32_t names_row_object_length(const struct plan_library *l, uint32_t number);

/* Bytes of the names of functions [from, to), with terminators. */
uint64_t names_row_bytes(const struct plan_library *l, uint32_t from, uint32_t to);

/* The same of small function `number`, a dynamic symbol; bytes of the names of all such ones, with terminators. */
uint32_t names_row_small_least(const struct plan_library *l, uint32_t number);
uint32_t names_row_small_length(const struct plan_library *l, uint32_t number);
uint64_t names_row_small_bytes(const struct plan_library *l);

/* Bytes of the shortest names of `count` static objects, with terminators. */
uint64_t names_row_objects(uint32_t count);

/* Writes a name with its terminator; returns the place behind it. Adds its GNU hash where
 * `hash` is not NULL. */
uint8_t *names_row_write(const struct plan_library *l, uint32_t index, uint8_t *at, uint32_t *hash);
uint8_t *names_row_write_small(const struct plan_library *l, uint32_t number, uint8_t *at);
uint8_t *names_row_write_object(const struct plan_library *l, uint32_t number, uint8_t *at);

#endif
