"""Names of up to three characters stand in the entries themselves, as in gcc's output; all others in a string table."""

import re

import pytest

from objects import ask, counted_libraries, each

# Marked as slow, which is left out under the sanitizers: test_python.py generates and runs such sets there, and the
# readers are not ours.
pytestmark = pytest.mark.slow

NAME = r"DW_AT_(?:MIPS_)?(?:linkage_)?name +: (?:\(indirect (line )?string, offset: \w+\): )?(\S.*)$"


def names(path):
    """Yields (whether it stands in a string table, the name) of all entries except those of units."""
    for line in ask("readelf", "--debug-dump=info", path).splitlines():
        found = re.search(NAME, line)
        if found and not found[1]:
            yield "indirect" in line, found[2].rstrip()


@pytest.mark.alike
@pytest.mark.parametrize("variant", ["odd", "cpp", "cpp-4", "type-units", "type-units-4", "debug-names", "gdb-index"])
def test_where_names_stand(variant, sets):
    for found in each(lambda path: list(names(path)), counted_libraries(sets.get(variant))):
        inside = [name for indirect, name in found if not indirect]
        outside = [name for indirect, name in found if indirect]
        assert len(inside) > 20
        assert "int" in inside
        assert not [name for name in outside if len(name) <= 3]
        assert max(map(len, inside)) <= 3


@pytest.mark.parametrize("variant", ["odd", "cpp"])
def test_the_table_has_no_short_names(variant, sets):
    for path in counted_libraries(sets.get(variant)):
        strings = re.findall(r"^ +\[ *\w+\]  (\S.*)$", ask("readelf", "-p", ".debug_str", path), flags=re.M)
        assert len(strings) > 500
        assert not [name for name in strings if len(name) <= 3]


def test_an_index_refers_to_the_table(sets):
    """With .debug_names the string table has `int` too, because the index has no names but refers to those there."""
    path = counted_libraries(sets.get("debug-names"))[0]
    assert re.search(r"^ +\[ *\w+\]  int$", ask("readelf", "-p", ".debug_str", path), flags=re.M)
