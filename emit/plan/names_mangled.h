/* Mangled names of libraries with rows (Itanium C++ ABI, 5.1). They are as long as wanted, and debuggers show all names
 * of the library together in as many characters as the row's `demangled` says.
 *
 *     _ZN2m312MeshCellFl60Eid    m3::MeshCellFl60(int, double)
 *     _ZN2m37Mesh1247LineMap10FieldCurveERKNS_6BlockNIS0_S1_EES6_S6_
 *         m3::Mesh124::LineMap::FieldCurve(m3::BlockN<m3::Mesh124, m3::Mesh124::LineMap> const&, and twice the same)
 *     _ZTVN2m312MeshCellFl72E    vtable for m3::MeshCellFl72
 *
 * Parameters decide how much longer a name is where it is shown. A parameter may be a letter, which stands for a type
 * such as `unsigned long`, or refer by number to what the name already has (5.1.10, "Compression").
 * plan_names.elaborate says how much of a name is parameters.
 */
#ifndef EMIT_PLAN_NAMES_MANGLED_H
#define EMIT_PLAN_NAMES_MANGLED_H

#include "emit/plan/plan.h"

/* Characters of the shortest mangled name whose words and number have `name` characters together. */
uint32_t names_mangled_least(const struct plan_library *l, uint32_t name, bool function);

/* Writes the name of the dynamic symbol at `place` (names_row.h) in exactly `length` characters, at least
 * names_mangled_least, without a terminator. */
void names_mangled_write(const struct plan_library *l, uint32_t place, uint32_t length, bool function, uint8_t *at);

/* How many characters debuggers show for this name. Names of more than DEMANGLE_NAME_MOST characters are shown as they
 * are. */
uint32_t names_mangled_shown(const struct plan_library *l, uint32_t place, uint32_t length, bool function);

#endif
