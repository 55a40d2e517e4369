/* Mangled names of libraries with rows (Itanium C++ ABI, 5.1): as long as wanted, and shown by debuggers in as many
 * characters as the row's `demangled` says.
 *
 *     _ZN2m312MeshCellFl60Eid    m3::MeshCellFl60(int, double)
 *     _ZN2m37Mesh1247LineMap10FieldCurveERKNS_6BlockNIS0_S1_EES6_S6_
 *         m3::Mesh124::LineMap::FieldCurve(m3::BlockN<m3::Mesh124, m3::Mesh124::LineMap> const&, and twice the same)
 *     _ZTVN2m312MeshCellFl72E    vtable for m3::MeshCellFl72
 *
 * Parameters are what makes names longer where they are shown: a letter stands for `unsigned long`, and what was in the
 * name before is named by number (5.1.10, "Compression"). plan_library.elaborate says how much of a name they are.
 */
#ifndef EMIT_NAMES_MANGLED_H
#define EMIT_NAMES_MANGLED_H

#include "emit/plan.h"

/* Characters of the shortest mangled name whose words and number have `name` characters. */
uint32_t names_mangled_least(const struct plan_library *l, uint32_t name, bool function);

/* Writes the name of the dynamic symbol at `place` (names_row.h), without a terminator, in exactly `length` characters,
 * which are at least names_mangled_least. Returns the characters of what debuggers show: where there are more than
 * DEMANGLE_NAME_MOST, the name as it is. */
uint32_t names_mangled_write(const struct plan_library *l, uint32_t place, uint32_t length, bool function, uint8_t *at);

#endif
