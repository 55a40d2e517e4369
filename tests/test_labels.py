"""Labels in functions of C: where one is, there is a line-table row of its line, and gdb stops there."""

import collections
import json
import re

import pytest

import model
from conftest import SOURCE
from dies import Dies
from objects import ask, counted_libraries, each, every, functions, tool

# Left out under the sanitizers: test_python.py generates and runs such sets there, and the readers are not ours.
pytestmark = pytest.mark.slow

PYTHON = "/usr/bin/python3"
DRIVE = "import sys; sys.path.insert(0, sys.argv[1]); import {0}; print({0}.{0}_entry())"

Label = collections.namedtuple("Label", "function name file line column address start end")


def labels(path):
    """The labels of a library, in the order of their entries."""
    found = []
    for die in Dies(path).at.values():
        if die.tag == "label":
            outer = die.parent
            assert outer.tag == "subprogram"
            start, end = outer.number("low_pc"), outer.number("high_pc")
            file = re.search(r"([^/]+)$", die.text("decl_file"))[1]
            place = die.number("decl_line"), int(die.attributes.get("decl_column", "0"), 0), die.number("low_pc")
            found.append(Label(outer.text("name"), die.text("name"), file, *place, start, end))
    return found


def statements(path):
    """{address: lines} of the line-table rows at which statements begin."""
    found = collections.defaultdict(set)
    for row in ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--debug-line", path).splitlines():
        row = re.match(r"0x([0-9a-f]{16}) +(\d+) +\d+ +\d+ +\d+ +\d+ +is_stmt", row)
        if row:
            found[int(row[1], 16)].add(int(row[2]))
    return found


@pytest.mark.alike(2)
@pytest.mark.parametrize("variant", ["odd", "views-4", "debug-names"])
def test_labels_are_where_rows_are(variant, sets):
    """Labels are inside their function as well. No two labels of a function have the same name."""
    paths = counted_libraries(sets.get(variant))
    seen = 0
    for path, found in zip(paths, each(labels, paths)):
        rows = statements(path)
        for label in found:
            assert label.start < label.address < label.end
            assert label.line in rows[label.address]
        assert len({(label.function, label.name) for label in found}) == len(found)
        seen += len(found)
    assert seen > 100


def test_some_functions_have_them(sets):
    """There is about one label for three functions, before the return or further up."""
    path = counted_libraries(sets.get("odd"))[0]
    found = labels(path)
    assert len(functions(path)) / 6 < len(found) < len(functions(path))
    assert len({label.name for label in found}) >= 8
    assert 0.4 < sum(label.end - label.address == 6 for label in found) / len(found) < 0.9  # before mov, leave, ret


def test_an_index_lists_them(sets):
    path = counted_libraries(sets.get("debug-names"))[0]
    names = ask(tool("llvm-dwarfdump-14", "llvm-dwarfdump"), "--debug-names", path)
    entries = re.findall(r"Entry @ \w+ \{\n +Abbrev: \w+\n +Tag: DW_TAG_label\n", names)
    assert len(entries) == len(labels(path))


def test_cpp_has_none(sets):
    assert not labels(counted_libraries(sets.get("cpp"))[0])


def test_gdb_stops_at_a_label(small, programs):
    """`break FUNCTION:LABEL` works in functions that the entry calls."""
    path = small / "libmodule3.so"
    called = {function.name for function in model.Model(small).libraries["libmodule3"].functions}
    found = [label for label in labels(path) if label.function in called]
    last = [label for label in found if label.end - label.address == 6]
    above = [label for label in found if label not in last]
    assert last and above
    for label in every(last, 2) + every(above, 2):
        command = [tool("gdb"), "-nx", "-batch", "-iex", "set debug-file-directory /dev/null"]
        command += ["-x", SOURCE / "tests" / "gdb_probe.py", "--args", PYTHON, "-I", "-c", DRIVE.format("libmodule3"), small]
        what = {"mode": "stop", "place": f"{label.function}:{label.name}"}
        environment = {"PROBE": json.dumps(what), "LD_BIND_NOW": None}
        out = programs.command(command, leaks=False, env=environment, timeout=120).stdout
        (shown,) = (json.loads(line[6:]) for line in out.splitlines() if line.startswith("PROBE "))
        frame = shown["frames"][0]
        assert (frame["function"], frame["line"]) == (label.function, label.line)
        assert frame["pc"] % 4096 == label.address % 4096
